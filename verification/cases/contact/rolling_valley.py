"""A ball in a valley: sliding and rolling to and fro in a profile, and in circles in a round bowl."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.contact.beside import G, weight

RADIUS, STIFFNESS = 0.3, 1e8
HEIGHT, WAVE = 0.3, 0.5 * math.pi
"""Of the valley h = HEIGHT (1 - cos WAVE x) [m, 1/m]."""
START = 1.2
"""Where it touches at the start [m]."""
BOWL, CIRCLE = 1.0, 0.6
"""Of the bowl h = (x^2 + y^2)/(2 BOWL), and distance from its axis of where it touches [m]."""
STEP, WHOLE = 1e-3, 2
"""Step [s] and how many periods are measured."""


def _h(u: float) -> tuple[float, float, float]:
    """Height, slope and second derivative of the valley."""
    return (
        HEIGHT * (1.0 - math.cos(WAVE * u)),
        HEIGHT * WAVE * math.sin(WAVE * u),
        HEIGHT * WAVE**2 * math.cos(WAVE * u),
    )


def _centre(u: float) -> tuple[float, float]:
    """Centre of the ball that touches at u."""
    h, slope, _ = _h(u)
    W = math.hypot(1.0, slope)
    return u - RADIUS * slope / W, h + RADIUS / W


def period() -> float:
    r"""Of sliding without friction: the curve of the centre is parallel to the valley, dz is integrated exactly.

    T = 4 int ds/v, ds = (W - r h''/W^2) du, v^2 = 2 g (z_0 - z), with u = START sin(theta).
    """
    top = _centre(START)[1]

    def slowness(theta: float) -> float:
        u = START * math.sin(theta)
        _, slope, bend = _h(u)
        W = math.hypot(1.0, slope)
        fall = max(top - _centre(u)[1], 1e-300)
        return (W - RADIUS * bend / W**2) * START * math.cos(theta) / math.sqrt(2.0 * G * fall)

    return 4.0 * float(quad(slowness, 0.0, 0.5 * math.pi, epsabs=1e-11, epsrel=1e-11, limit=200)[0])


def _model(ground: fx.contact.HeightField, ball: fx.RigidBody, friction: fx.contact.CoulombLaw | None) -> fx.Model:
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, damping=0.5)
    sphere = fx.contact.Sphere(ball, radius=RADIUS)
    return fx.Model(ball, fx.Contact((ground, sphere), law, friction, allow_overlap=True), weight())


def to_and_fro(friction: fx.contact.CoulombLaw | None, expected: float) -> tuple[float, fx.TimeSolution, fx.RigidBody]:
    """Period by the crossings of the lowest place, the motion, and the ball."""
    x = np.linspace(-2.0, 2.0, 81)
    valley = fx.contact.HeightField(fx.ground.marker((0, 0, 0)), x=x, heights=HEIGHT * (1.0 - np.cos(WAVE * x)))
    at, up = _centre(START)
    ball = fx.RigidBody.sphere(radius=RADIUS, mass=1.0, position=(at, 0.0, up), name="ball")
    run = fx.simulate(_model(valley, ball, friction), (WHOLE + 0.5) * expected, step=STEP)
    x = run.position(ball)[:, 0]
    v = run.velocity(ball)[:, 0]
    before = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    crossings = run.t[before] - x[before] / v[before]  # where it is fastest
    return float(2.0 * (crossings[2 * WHOLE] - crossings[0]) / (2 * WHOLE)), run, ball


def in_circles() -> tuple[float, float]:
    """Mean angular velocity in the bowl over 3 s, and the one expected."""
    slope = CIRCLE / BOWL
    W = math.hypot(1.0, slope)
    depth = (G * W / STIFFNESS) ** (2.0 / 3.0)  # N = m g W
    away = CIRCLE - (RADIUS - depth) * slope / W
    spin = math.sqrt(G * slope / away)
    x = np.linspace(-1.0, 1.0, 17)
    bowl = fx.contact.HeightField(
        fx.ground.marker((0, 0, 0)), x=x, y=x, heights=np.add.outer(x * x, x * x) / (2.0 * BOWL)
    )
    up = 0.5 * CIRCLE**2 / BOWL + (RADIUS - depth) / W
    ball = fx.RigidBody.sphere(
        radius=RADIUS, mass=1.0, position=(away, 0.0, up), velocity=(0.0, spin * away, 0.0), name="ball"
    )
    run = fx.simulate(_model(bowl, ball, None), 3.0, step=STEP)
    x, y, _ = run.position(ball).T
    return float(np.unwrap(np.arctan2(y, x))[-1] / run.t[-1]), spin


def run(progress: Progress) -> Outcome:
    """Three motions."""
    slides = period()
    rolls = math.sqrt(7.0 / 5.0) * slides
    progress("sliding")
    sliding, run_s, ball_s = to_and_fro(None, slides)
    progress("rolling")
    rolling, run_r, ball_r = to_and_fro(fx.contact.CoulombLaw(1.0, speed=1e-4), rolls)
    progress("in circles")
    found, spin = in_circles()
    quantities = [
        measured("period of sliding", "s", sliding, slides, "quadrature along the curve of the centre", rtol=1e-4),
        measured("period of rolling", "s", rolling, rolls, "the same with 7/5 of the mass", rtol=2e-4),
        measured("angular velocity in the bowl", "rad/s", found, spin, "N has the slope of the bowl", rtol=1e-5),
    ]
    drawing, axes = figure(6.4, 2.8)
    for label, run_, ball, colour in (("sliding", run_s, ball_s, 0), ("rolling", run_r, ball_r, 1)):
        axes.plot(run_.t, run_.position(ball)[:, 0], color=COLOURS[colour], label=label)
    axes.set_xlabel("t in s")
    axes.set_ylabel("x in m")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Way of the ball in the valley.", drawing)])


CASE = Case(
    id="rolling-valley",
    title="A ball in a valley and in a bowl of given heights",
    area="contact",
    summary=(
        "A ball of 0.3 m goes to and fro in a profile of heights, h = 0.3 m (1 - cos(pi x / 2 m)), from where it "
        "touches at 1.2 m: without friction, and rolling with a friction coefficient of 1. In a round bowl of heights "
        "it goes in circles, 0.6 m from the axis where it touches."
    ),
    run=run,
    source="Energy along the curve parallel to the ground at the radius of the ball; balance of forces on a circle.",
    equations=(
        r"T = 4 \int_0^{u_0} \frac{W - r h'' / W^2}{\sqrt{2 g (z_0 - z)}} \, du, \quad W = \sqrt{1 + h'^2}",
        r"T_{roll} = \sqrt{7/5}\, T, \quad \Omega^2 = g h' / (\rho - r h' / W)",
    ),
)
