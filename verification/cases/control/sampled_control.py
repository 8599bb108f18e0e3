"""A mass on a spring under sampled feedback, with and without delay: exact between samples."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.moving import orders, over_time
from flexmbs.verification.reference.sampled_control import SampledMass

PERIOD, UNTIL, START = 0.05, 2.0, (0.2, -0.5)
STEPS = (1.25e-2, 6.25e-3, 3.125e-3, 1.5625e-3)
DELAYS = (0, 1, 2)
ALLOWED = ((4e-6, 3e-5), (8e-6, 6e-5), (6e-5, 6e-4))
"""Of the second order, growing with the speed of the motion."""
EXACT = "exact map from sample to sample"
REST = 1.0
"""Length of the spring without force, from its foot to the origin."""


def _reference(delay: int) -> SampledMass:
    return SampledMass(2.0, 50.0, 0.5, 60.0, 8.0, PERIOD, delay, target=0.1)


def _controlled(exact: SampledMass, step: float) -> tuple[fx.TimeSolution, FloatArray]:
    """The motion, and position and velocity (n_t, 2) at the stored times."""
    ball = fx.PointMass(exact.mass, position=(START[0], 0.0), velocity=(START[1], 0.0), name="mass")
    foot = fx.ground.marker_at((-REST, 0.0))
    spring = fx.SpringDamper(
        foot, ball.centre, stiffness=exact.stiffness, damping=exact.damping, free_length=REST, name="spring"
    )
    feedback = fx.control.Controller(
        [fx.control.PositionSensor(ball.centre, (1, 0), name="x"),
        fx.control.VelocitySensor(ball.centre, (1, 0), name="rate of x")],
        fx.control.ForceActuator(ball.centre, (1, 0), name="force"),
        period=exact.period, delay=exact.delay, name="feedback",
        output=lambda x, u, t: exact.proportional * (exact.target - u[0]) - exact.derivative * u[1],
    )  # fmt: skip
    run = fx.simulate(fx.Model(ball, spring, feedback), UNTIL, step=step, output=fx.Output(every=PERIOD / 4.0))
    return run, np.column_stack([run.position(ball)[:, 0], run.velocity(ball)[:, 0]])


def run(progress: Progress) -> Outcome:
    """Three delays, four steps."""
    quantities, studies, curves, points, rows = [], [], [], [], []
    for delay in DELAYS:
        exact = _reference(delay)
        errors = []
        for step in STEPS:
            progress(f"delay of {delay} periods, step {step:g} s")
            motion, found = _controlled(exact, step)
            errors.append(np.abs(found - exact.motion(START, motion.t)).max(axis=0))
        for i, what in enumerate(("position", "velocity")):
            studies.append(orders(f"delay {delay}: {what}", STEPS, [float(e[i]) for e in errors]))
            quantities.append(
                measured(f"delay {delay}, step 1.6 ms: largest error of the {what}", ("m", "m/s")[i], errors[-1][i],
                         0.0, EXACT, 1e-12, atol=ALLOWED[delay][i])
            )  # fmt: skip
        rows.append([delay, exact.largest_eigenvalue])
        curves.append((f"delay {delay}", motion.t, found[:, 0]))
        points.append((motion.t[::4], exact.samples(START, round(UNTIL / PERIOD))[:, 0]))
    drawing = over_time(curves, "x in m", points)
    return Outcome(
        quantities, studies,
        [Table("Largest eigenvalue of the feedback over one period", ("delay", "magnitude"), rows)],
        [("Position; points: exact at the samples.", drawing)],
    )  # fmt: skip


CASE = Case(
    id="sampled-control",
    title="Sampled feedback on a mass",
    area="control",
    summary=(
        "A controller reads position and velocity of a mass on a spring every 50 ms and holds its force until the next "
        "sample, at once or one or two periods later; two periods are too late, and the motion grows. Between samples "
        "the force is constant, so the motion is known exactly. The steps meet the samples, and the jumps of the force "
        "leave the second order of the scheme intact."
    ),
    run=run,
    source="Closed form: matrix of one period of the sampled system.",
    equations=(r"m\ddot{x} + c\dot{x} + k x = f_k, \quad f_k = P\,(r - x_{k-d}) - D\,\dot{x}_{k-d}",),
    basic=True,
)
