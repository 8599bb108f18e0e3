"""An arm of six axes whose parts are held by three plane-plane joints each, a third of whose equations is redundant."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, ConvergenceStudy, Measured, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import over_time

PAPER = "D. Vlasenko, R. Kasper: 43 bodies, 95 joints; three redundant equations of three plane-plane joints"
PLATES, MOTORS = (5, 5, 5, 4, 4, 3), (2, 2, 2, 2, 2, 1)
"""Parts on each link that are held by three plane-plane joints, and by one fixed joint: 26 and 11."""
PLACES = ((0, 0, 0.3), (0.3, 0, 0.67), (0.3, 0, 1.32), (0.46, 0, 1.47), (0.95, 0, 1.47), (1.1, 0, 1.47))
AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
MASSES = (60.0, 45.0, 30.0, 15.0, 6.0, 2.0)
DAMPING = (40.0, 40.0, 30.0, 8.0, 4.0, 1.0)
UNTIL, STEPS = 0.5, (2e-3, 1e-3, 5e-4)
OUTPUT = fx.Output(every=2e-3)
AXIS_NAMES = [f"axis {k}" for k in range(1, 7)]


def parts() -> list[list[fx.RigidBody]]:
    """The six links, each with what is mounted on it."""
    random = np.random.default_rng(3)
    found = []
    for i, place in enumerate(PLACES):
        after = np.array(PLACES[i + 1] if i < 5 else (1.25, 0, 1.47))
        middle = 0.5 * (np.array(place) + after)
        size = tuple(0.12 + 0.5 * abs(after - np.array(place)))
        mine = [fx.RigidBody.box(size=size, mass=0.6 * MASSES[i], position=middle, name=f"link {i + 1}")]
        for k in range(PLATES[i] + MOTORS[i]):
            name = f"plate {i + 1}.{k + 1}" if k < PLATES[i] else f"motor {i + 1}.{k - PLATES[i] + 1}"
            share = 0.4 * MASSES[i] / (PLATES[i] + MOTORS[i])
            mine.append(
                fx.RigidBody.box(size=tuple(0.04 + 0.08 * random.random(3)), mass=share,
                                 position=middle + 0.2 * (random.random(3) - 0.5), name=name)
            )  # fmt: skip
        found.append(mine)
    return found


def arm(whole: bool = False) -> fx.Model:
    """The arm with its parts; ``whole``: each link and its parts as one body."""
    links = parts()
    bodies: list[Any] = [
        fx.RigidBody.combined(*mine, name=f"link {i + 1}") if whole else mine[0] for i, mine in enumerate(links)
    ]
    items: list[Any] = [fx.Gravity((0, 0, -9.81))]
    before: Any = fx.ground
    for i, (body, mine) in enumerate(zip(bodies, links, strict=True)):
        axis = fx.RevoluteJoint(before, body, at=PLACES[i], axis=AXES[i], name=f"axis {i + 1}")
        items += [body, axis, fx.TorsionSpring(axis, stiffness=0.0, damping=DAMPING[i], name=f"drive {i + 1}")]
        before = body
        for part in () if whole else mine[1:]:
            items.append(part)
            if part.name.startswith("motor"):
                items.append(fx.FixedJoint(body, part, at=part.position, name=f"screws of {part.name}"))
                continue
            for k, normal in enumerate(np.eye(3)):
                at = part.position + 0.02 * np.roll(normal, 1)
                items.append(
                    fx.PlanarJoint(body, part, at=at, axis=tuple(normal), name=f"face {'xyz'[k]} of {part.name}")
                )
    return fx.Model(*items, name="six-axis arm, whole links" if whole else "six-axis arm of 43 bodies")


def _gaps(run: fx.TimeSolution) -> FloatArray:
    """Largest distance (n_t,) of the parts on plates from their places on their links."""
    worst = np.zeros(len(run.t))
    for i, mine in enumerate(parts()):
        p, R = run.position(f"link {i + 1}"), run.rotation(f"link {i + 1}")
        for part in mine[1:]:
            if part.name.startswith("plate"):
                held = p + np.einsum("tab,b->ta", R, part.position - mine[0].position)
                worst = np.maximum(worst, np.linalg.norm(run.position(part.name) - held, axis=1))
    return worst


def run(progress: Progress) -> Outcome:
    """Counts and names of what is redundant; the motion against the arm of whole links; drift."""
    model = arm()
    progress("topology")
    found = fx.topology(model)
    equations = 6 * 5 + 11 * 6 + 26 * 9
    drives = sum(j.role == "driver" for j in found.joints)
    of_plates = sum("face" in name for name in found.redundant)
    quantities: list[Measured] = [
        measured("bodies", "-", len(found.bodies), 43.0, PAPER, atol=0.5),
        measured("joints", "-", len(found.joints) - drives, 95.0, PAPER, atol=0.5),
        measured("equations", "-", found.n_equations, equations, "5 of a hinge, 6 of a fixed, 3 of a plane-plane joint",
                 atol=0.5),
        measured("redundant equations", "-", len(found.redundant), 78.0, PAPER, atol=0.5),
        measured("redundant equations that are named as those of plates", "-", of_plates, 78.0, PAPER, atol=0.5),
        measured("degrees of freedom", "-", found.degrees_of_freedom, 6.0, "six axes", atol=0.5),
    ]  # fmt: skip
    errors = []
    for step in STEPS:
        progress(f"motion of 43 bodies, and of six whole links, steps of {1e3 * step:g} ms")
        many = fx.simulate(model, UNTIL, step=step, output=OUTPUT, progress=False)
        few = fx.simulate(arm(whole=True), UNTIL, step=step, output=OUTPUT, progress=False)
        errors.append(max(float(np.abs(many.angle(a) - few.angle(a)).max()) for a in AXIS_NAMES))
    # a scheme follows other points of a link where it is one body, so that the motions differ by its own error
    study = ConvergenceStudy(
        "largest difference of an angle from the arm of whole links [rad]", STEPS, errors, 2.0, 1.8
    )
    gaps = _gaps(many)
    half = len(gaps) // 2
    quantities += [
        measured("largest distance of a plate from its place", "m", float(gaps.max()), 0.0, "it is fixed", atol=1e-9),
        measured("the same in the second half less that in the first", "m",
                 max(0.0, float(gaps[half:].max() - gaps[:half].max())), 0.0, "no drift", atol=1e-10),
    ]  # fmt: skip
    lines = [(a, many.t, many.angle(a)) for a in AXIS_NAMES]
    return Outcome(
        quantities,
        [study],
        figures=[("The arm sinks under its weight against its damped axes.", over_time(lines, "rad"))],
    )


CASE = Case(
    id="plane-plane-arm",
    title="Arm of 43 bodies with redundant plane-plane joints",
    area="mechanisms",
    summary=(
        "A six-axis arm as a CAD program describes it: 43 bodies and 95 joints, most parts held by three plane-plane "
        "joints with nine equations, three of them redundant. The redundant equations are counted and named, the "
        "motion is that of an arm whose links are one body each, and the joints do not drift."
    ),
    run=run,
    source="D. Vlasenko, R. Kasper, model of the manipulator KUKA KR 15/2 (counts alone are printed).",
    equations=(r"6\cdot 43 - (6\cdot 5 + 11\cdot 6 + 26\cdot 9 - 78) = 6",),
    limits=(
        "Geometry and masses are chosen; 26 parts on plane-plane joints and 11 on single ones are what 43 bodies and "
        "95 joints leave for six axes.",
    ),
)
