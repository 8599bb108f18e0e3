"""The smallest friction that holds a pile: three cylinders, and four spheres."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import FLOOR, G, beside
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

RADIUS, MASS, UNTIL, STEP = 0.1, 2.0, 2.0, 1e-4
GAP = 1e-4 * RADIUS
STIFFNESS = 1e7
"""Of contacts and bristles: they give way by 3e-6 m, a third of the sinking that is allowed."""
NORMAL = fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, exponent=1.0, damping=200.0)
AMPLE = 2.0


class Pile(NamedTuple):
    """A pile: its run, the top body, and the contacts between bodies."""

    run: fx.TimeSolution
    top: Any
    between: fx.Contact


def _friction(mu: float) -> fx.contact.BristleLaw:
    return fx.contact.BristleLaw(mu, stiffness=STIFFNESS, damping=9e3)


def _pile(planar: bool, mu_between: float, mu_floor: float) -> Pile:
    """Two disks or three spheres on the floor with small gaps between them, and one more that touches them."""
    side = 0.5 * GAP + RADIUS
    if planar:
        around = np.array([[-side, 0.0], [side, 0.0]])
        floor: Any = fx.contact.Plane(fx.ground.marker((0, 0), axis=(0, 1)))
    else:
        turns = np.radians([90.0, 210.0, 330.0])
        around = 2.0 * side / math.sqrt(3.0) * np.column_stack((np.cos(turns), np.sin(turns), np.zeros(3)))
        floor = FLOOR
    up = np.eye(around.shape[1])[-1]
    # as deep in each other as the weight presses them
    n = len(around)
    across = float(np.linalg.norm(around[0]))
    rest = RADIUS - MASS * G * (n + 1) / n / STIFFNESS
    reach = 2.0 * RADIUS - MASS * G / n / STIFFNESS
    places = [p + rest * up for p in around]
    places.append((rest + math.sqrt(reach**2 - across**2)) * up)
    names = [f"lower {i}" for i in range(len(around))] + ["top"]
    if planar:
        bodies: list[Any] = [
            fx.PlanarRigidBody(MASS, 0.5 * MASS * RADIUS**2, position=p.tolist(), name=name)
            for p, name in zip(places, names, strict=True)
        ]
    else:
        bodies = [
            fx.RigidBody.sphere(radius=RADIUS, mass=MASS, position=p.tolist(), name=name)
            for p, name in zip(places, names, strict=True)
        ]
    shapes = [fx.contact.Sphere(body, radius=RADIUS) for body in bodies]
    between = fx.Contact(shapes, NORMAL, _friction(mu_between), allow_overlap=True, name="between")
    stand = fx.Contact(
        (floor, *shapes), NORMAL, _friction(mu_floor), pairs=[(floor, s) for s in shapes], allow_overlap=True,
        name="stand",
    )  # fmt: skip
    height = fx.control.PositionSensor(bodies[-1].centre, up.tolist(), name="height")
    fallen = fx.control.Event(
        height, level=float(places[-1][-1]) - 1.1 * RADIUS, direction=-1, terminal=True, name="fallen"
    )
    run = fx.simulate(
        fx.Model(*bodies, between, stand, fx.Gravity((-G * up).tolist())), UNTIL, step=STEP, events=[fallen]
    )
    return Pile(run, bodies[-1], between)


def _sunk(pile: Pile) -> FloatArray:
    height = pile.run.position(pile.top)[:, 1 if isinstance(pile.top, fx.PlanarRigidBody) else 2]
    return np.asarray(height[0] - height)


def run(progress: Progress) -> Outcome:
    """Piles just above and just below both limits."""
    figures = load_reference("pile-thresholds")
    weight = MASS * G
    quantities, curves = [], []
    for planar, name in ((True, "cylinders"), (False, "spheres")):
        mu = figures.reference(f"{name}: least friction between them").value
        ground = figures.reference(f"{name}: least friction with the plane").value
        progress(f"{name}: stands")
        held = _pile(planar, 1.02 * mu, 1.02 * ground)
        progress(f"{name}: falls")
        falls = _pile(planar, 0.98 * mu, AMPLE)
        progress(f"{name}: slides apart")
        slides = _pile(planar, AMPLE, 0.98 * ground)
        quantities += [
            measured(f"{name}: sinking at 1.02 of both limits", "m", _sunk(held)[-1], 0.0, "it stands",
                     atol=1e-4 * RADIUS),
            measured(f"{name}: falls by more than R at 0.98 of the limit between them", "-",
                     float(_sunk(falls).max() > RADIUS), 1.0, "it falls", atol=1e-12),
            measured(f"{name}: falls by more than R at 0.98 of the limit of the plane", "-",
                     float(_sunk(slides).max() > RADIUS), 1.0, "it falls", atol=1e-12),
        ]  # fmt: skip
        history = held.run.contact(held.between)
        upper = [i for i, pair in enumerate(history.pairs) if held.top in (pair.a.marker.body, pair.b.marker.body)]
        normal = history.normal[-1, upper]
        total = np.linalg.norm(history.force[-1, upper], axis=1)
        place = "upper contacts" if planar else "an upper contact"
        quantities += beside(figures, f"{name}: normal force at {'the ' if planar else ''}{place} over m g",
                             float(normal.mean()) / weight, rtol=1e-3)  # fmt: skip
        if planar:
            friction = float(np.sqrt(total**2 - normal**2).mean()) / weight
            quantities += beside(
                figures, "cylinders: friction force at the upper contacts over m g", friction, rtol=1e-3
            )
        curves += [(f"{name}, {what}", p.run.t, 1e3 * _sunk(p)) for what, p in (("1.02", held), ("0.98", falls))]
    return Outcome(quantities, [], [], [("Sinking of the top body.", over_time(curves, "sinking in mm"))])


CASE = Case(
    id="pile-thresholds",
    title="Smallest friction that holds a pile of three cylinders, and of four spheres",
    area="contact",
    summary=(
        "Bodies of equal size lie side by side on a plane, touching nearly, and one more lies on them. The pile "
        "stands if the friction between bodies and that with the plane exceed two limits of statics. With 1.02 times "
        "both it must stand for 2 s, with 0.98 times either one it must fall."
    ),
    run=run,
    source="Closed form (statics; determinate, as the lower bodies do not press on each other).",
    slow=True,
    equations=(
        r"\mu \geq \tan(\beta/2), \quad \mu_{\text{plane}} \geq \tan(\beta/2)/3\ (\text{cylinders}),\ "
        r"/4\ (\text{spheres})",
    ),
)
