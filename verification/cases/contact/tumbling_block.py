"""A block dropped aslant on a compliant rough floor."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import G, beside
from flexmbs.verification.cases.moving import on_paths
from flexmbs.verification.reference.data import load_reference

A, B, MASS, INERTIA = 0.1, 0.05, 2.0, 0.025 / 3.0
START, ANGLE = 0.0866052054173034, math.radians(10.0)
TIMES = (0.06, 0.08, 0.1, 0.15, 0.2)


def _motion(rtol: float) -> tuple[fx.TimeSolution, fx.PlanarRigidBody, FloatArray]:
    """The motion in the plane, and x, z, angle and their rates (5, 6)."""
    block = fx.PlanarRigidBody(
        MASS, INERTIA, position=(0.0, START), angle=ANGLE, velocity=(1.0, 0.0), angular_velocity=2.0, name="block"
    )
    floor = fx.contact.Plane(fx.ground.marker((0, 0), axis=(0, 1)))
    corners = [fx.contact.Vertex(block.marker((x, y))) for x in (-A, A) for y in (-B, B)]
    law = fx.contact.HuntCrossleyLaw(stiffness=2e6, exponent=1.5, damping=0.2)
    touch = fx.Contact((floor, *corners), law, fx.contact.CoulombLaw(0.4, speed=0.01), name="touch")
    run = fx.simulate(
        fx.Model(block, touch, fx.Gravity((0.0, -G))), TIMES[-1], step=fx.ErrorControl(rtol=rtol),
        output=fx.Output(at=np.unique(np.concatenate((np.linspace(0.0, TIMES[-1], 201), TIMES))).tolist()),
    )  # fmt: skip
    rows = [int(np.argmin(np.abs(run.t - t))) for t in TIMES]
    p, v = run.position(block)[rows], run.velocity(block)[rows]
    turn, spin = ANGLE + run.angle(block)[rows], run.angular_velocity(block)[rows]
    spin = spin[:, 2] if spin.ndim == 2 else spin
    return run, block, np.column_stack((p[:, 0], p[:, 1], turn, v[:, 0], v[:, 1], spin))


def run(progress: Progress) -> Outcome:
    """The motion with error control."""
    figures = load_reference("tumbling-block")
    progress("motion")
    motion, block, found = _motion(1e-9)
    kinetic = 0.5 * MASS * (found[:, 3] ** 2 + found[:, 4] ** 2) + 0.5 * INERTIA * found[:, 5] ** 2
    quantities = [
        *beside(figures, "x, z, angle, and their rates", found.ravel(), rtol=1e-3, atol=2e-4,
                units=("m", "m", "rad", "m/s", "m/s", "rad/s")),
        *beside(figures, "kinetic energy and m g z (without what contacts store)", kinetic + MASS * G * found[:, 1],
                rtol=1e-3),
    ]  # fmt: skip
    path = motion.position(block)[:, :2]
    return Outcome(quantities, [], [], [("Path of the centre.", on_paths([("centre", path)], found[:, :2]))])


CASE = Case(
    id="tumbling-block",
    title="Block dropped aslant on a compliant rough floor",
    area="contact",
    summary=(
        "A rigid block moves in a vertical plane and meets the floor with its corners, aslant, with a horizontal "
        "velocity and spin: two impacts with friction within 0.2 s. Step control by the error."
    ),
    run=run,
    source="Integration with DOP853, restarted at every contact.",
    equations=(r"N = k d^{3/2} (1 + c \dot{d}), \quad T = \mu N \tanh(v/v_0)",),
)
