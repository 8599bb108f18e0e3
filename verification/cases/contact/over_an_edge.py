"""A ball falls off an edge, and off the tip of a pyramid: where it leaves them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, ConvergenceStudy, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.contact.beside import G, weight

RADIUS, STIFFNESS = 0.1, 1e7
"""Of the ball [m], and of the contact [N/m]."""
SOFTER = (3e5, 1e6, 3e6)
SPEED = 0.1
"""Of the centre of the ball above the edge [m/s]."""
STEP, UNTIL = 2e-5, 0.4
"""[s]"""
FROUDE = SPEED**2 / (G * RADIUS)
SLIDES, ROLLS = (2.0 + FROUDE) / 3.0, (10.0 + 7.0 * FROUDE) / 17.0
"""cos(theta) where the normal force has fallen to zero."""
FACES = [
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
    (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
]  # fmt: skip


def table() -> fx.contact.TriangleMesh:
    """A block below z = 0 and x = 0, of twelve triangles."""
    corners = [(x, y, z) for z in (-0.5, 0.0) for y in (-0.5, 0.5) for x in (-0.5, 0.0)]
    return fx.contact.TriangleMesh(fx.ground.marker((0, 0, 0)), vertices=corners, triangles=FACES)


def pyramid() -> fx.contact.TriangleMesh:
    """Its tip is at the origin; the faces are inclined by 75 degrees."""
    half = 0.5 / math.tan(math.radians(75.0))
    feet = [(x, y, -0.5) for x in (-half, half) for y in (-half, half)]
    return fx.contact.TriangleMesh.hull(fx.ground.marker((0, 0, 0)), [(0.0, 0.0, 0.0), *feet])


def box() -> fx.contact.Box:
    """The block as a box."""
    return fx.contact.Box(fx.ground.marker((-0.25, 0, -0.25)), size=(0.5, 1.0, 0.5))


def leaves(
    shape: Any, friction: fx.contact.CoulombLaw | None = None, stiffness: float = STIFFNESS
) -> tuple[float, fx.TimeSolution, Any]:
    """cos(theta) of the line from the edge to the centre where the ball leaves it, the motion, and the ball."""
    depth = G * (1.0 - FROUDE) / stiffness  # of a mass of 1 kg
    turning = (0.0, SPEED / (RADIUS - depth), 0.0) if friction else (0.0, 0.0, 0.0)
    ball = fx.RigidBody.sphere(
        radius=RADIUS, mass=1.0, position=(0.0, 0.0, RADIUS - depth), velocity=(SPEED, 0.0, 0.0),
        angular_velocity=turning, name="ball",
    )  # fmt: skip
    law = fx.contact.HuntCrossleyLaw(stiffness=stiffness, exponent=1.0)
    sphere = fx.contact.Sphere(ball, radius=RADIUS)
    contact = fx.Contact((shape, sphere), law, friction, allow_overlap=True, name="edge")
    model = fx.Model(ball, contact, weight(), name="ball over an edge")
    run = fx.simulate(model, UNTIL, step=STEP, output=fx.Output(every=5 * STEP))
    gap = run.contact(contact).gap[:, 0]
    i = int(np.flatnonzero(gap > 0.0)[0])
    part = -gap[i - 1] / (gap[i] - gap[i - 1])
    x, _, z = run.position(ball).T
    x, z = (a[i - 1] + part * (a[i] - a[i - 1]) for a in (x, z))
    return float(z / math.hypot(x, z)), run, ball


def run(progress: Progress) -> Outcome:
    """Four falls."""
    progress("over an edge of triangles")
    edge, run_edge, ball = leaves(table())
    progress("over a tip")
    tip, _, _ = leaves(pyramid())
    progress("over an edge of a box")
    of_box, _, _ = leaves(box())
    progress("rolling")
    rolling, run_rolling, roller = leaves(table(), fx.contact.CoulombLaw(100.0, speed=1e-5))
    progress("softer contacts")
    stiffnesses = [*SOFTER, STIFFNESS]
    errors = [abs(leaves(table(), stiffness=k)[0] - SLIDES) for k in SOFTER] + [abs(edge - SLIDES)]
    height = G * (RADIUS - run_edge.position(ball)[:, 2])
    energy = 0.5 * (np.sum(run_edge.velocity(ball) ** 2, axis=1) - SPEED**2) - height
    quantities = [
        measured("sliding over an edge of triangles", "1", edge, SLIDES, "N = 0", rtol=1e-4),
        measured("sliding over a tip", "1", tip, SLIDES, "N = 0", rtol=1e-4),
        measured("sliding over an edge of a box", "1", of_box, SLIDES, "N = 0", rtol=1e-4),
        measured("rolling over an edge of triangles", "1", rolling, ROLLS, "N = 0", rtol=1e-4),
    ]  # fmt: skip
    drawing, axes = figure(6.4, 3.0)
    for label, motion, body, colour in (("slides", run_edge, ball, 0), ("rolls", run_rolling, roller, 1)):
        x, _, z = motion.position(body).T
        axes.plot(x, z, color=COLOURS[colour], label=label)
    axes.plot([-0.1, 0.0, 0.0], [0.0, 0.0, -0.2], color="0.5")
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("z in m")
    axes.legend(frameon=False)
    study = ConvergenceStudy(
        "cos(theta) over an edge against the stiffness", stiffnesses, errors, 1.0, 0.9, counts=True,
        label="stiffness [N/m]",
    )  # fmt: skip
    remark = f"The energy of the ball that slides over the edge stays within {np.abs(energy).max():.1e} J (mass 1 kg)."
    picture = ("Way of the centre of the ball over an edge.", drawing)
    return Outcome(quantities, [study], [], [picture], [remark])


CASE = Case(
    id="ball-over-an-edge",
    title="A ball falls off an edge and off a tip of a solid of triangles",
    area="contact",
    summary=(
        "A ball of 0.1 m stands above an edge of a block of triangles, above the tip of a pyramid, and above an edge "
        "of a box, and is pushed off with 0.1 m/s. Without friction, and rolling, it leaves where the normal force has "
        "fallen to zero."
    ),
    run=run,
    source="Energy and balance of forces on the circle about the edge.",
    equations=(
        r"v^2 = v_0^2 + 2 g r (1 - \cos\theta), \; N = 0: \; \cos\theta = (2 + v_0^2/(g r))/3",
        r"v^2 = v_0^2 + \frac{10}{7} g r (1 - \cos\theta), \; \cos\theta = (10 + 7 v_0^2/(g r))/17",
    ),
)
