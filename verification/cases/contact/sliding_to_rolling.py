"""A sphere that slides, then rolls; also with backspin."""

from __future__ import annotations

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import FLOOR, G, beside, peak, weight
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

RADIUS, INERTIA, STIFFNESS = 0.1, 0.004, 1e7
FRICTION = fx.contact.CoulombLaw(0.2, speed=1e-4)


def _rolled(speed: float, spin: float, until: float) -> tuple[fx.TimeSolution, fx.RigidBody]:
    depth = (G / STIFFNESS) ** (2.0 / 3.0)
    ball = fx.RigidBody(
        1.0, 3 * (INERTIA,), position=(0, 0, RADIUS - depth), velocity=(speed, 0, 0), angular_velocity=(0, spin, 0),
        name="ball",
    )  # fmt: skip
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, damping=0.5)
    touch = fx.Contact((FLOOR, fx.contact.Sphere(ball, radius=RADIUS)), law, FRICTION, allow_overlap=True, name="touch")
    return fx.simulate(fx.Model(ball, touch, weight()), until, step=fx.ErrorControl(rtol=1e-9)), ball


def _begin(run: fx.TimeSolution, ball: fx.RigidBody) -> float:
    """When it begins to roll: where the line of the speed while it slides meets its last value."""
    u = run.velocity(ball)[:, 0]
    slope = -0.2 * G
    return float((u[-1] - u[0]) / slope)


def run(progress: Progress) -> Outcome:
    """Two motions."""
    figures = load_reference("sliding-to-rolling")
    progress("without spin")
    run_a, ball_a = _rolled(3.0, 0.0, 2.0)
    progress("with backspin")
    run_b, ball_b = _rolled(1.0, -40.0, 3.0)
    quantities = [
        *beside(figures, "(a) time of rolling", _begin(run_a, ball_a), rtol=1e-3),
        *beside(figures, "(a) speed then", run_a.velocity(ball_a)[-1, 0], rtol=1e-4),
        *beside(figures, "(a) position at t = 2 s", run_a.position(ball_a)[-1, 0], rtol=2e-4),
        *beside(figures, "(a) energy lost", run_a.energy.dissipated[-1], rtol=5e-4),
        *beside(figures, "(b) time of rolling", _begin(run_b, ball_b), rtol=1e-3),
        *beside(figures, "(b) speed then", run_b.velocity(ball_b)[-1, 0], rtol=1e-3),
        *beside(figures, "(b) position at t = 3 s", run_b.position(ball_b)[-1, 0], rtol=5e-4),
        *beside(figures, "(b) largest position", peak(run_b.t, run_b.position(ball_b)[:, 0])[1], rtol=5e-4),
    ]
    curves = [("(a)", run_a.t, run_a.position(ball_a)[:, 0]), ("(b)", run_b.t, run_b.position(ball_b)[:, 0])]
    return Outcome(quantities, [], [], [("Way.", over_time(curves, "x in m"))])


CASE = Case(
    id="sliding-to-rolling",
    title="Sphere that slides, then rolls; also with backspin",
    area="contact",
    summary=(
        "A solid sphere on a plane with mu = 0.2. (a) With 3 m/s and no spin it slides for 0.44 s, then rolls "
        "with 5/7 of its speed. (b) With 1 m/s and backspin of 40 rad/s it comes back. Regularised friction with "
        "0.1 mm/s."
    ),
    run=run,
    source="Closed form (billiards).",
    equations=(r"t = 2 v_0 / (7 \mu g), \quad v = \dfrac{5}{7} v_0",),
    basic=True,
)
