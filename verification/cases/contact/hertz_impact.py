"""Elastic impact of a sphere on a half-space, and on a second sphere."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import FLOOR, STEEL, beside, peak
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

RADIUS, SPEED = 0.01, 1.0
MASS = STEEL.density * 4.0 / 3.0 * math.pi * RADIUS**3
CONTROL = fx.ErrorControl(rtol=1e-9)


def _ball(z: float, speed: float, name: str) -> fx.RigidBody:
    return fx.RigidBody.sphere(radius=RADIUS, mass=MASS, position=(0, 0, z), velocity=(0, 0, speed), name=name)


def run(progress: Progress) -> Outcome:
    """Two impacts."""
    figures = load_reference("hertz-impact")
    law = fx.contact.HertzLaw(material=STEEL)
    ball = _ball(RADIUS, -SPEED, "ball")
    touch = fx.Contact((FLOOR, fx.contact.Sphere(ball, radius=RADIUS)), law, name="touch")
    duration = figures.value("duration of contact")
    progress("on the half-space")
    flight = fx.simulate(fx.Model(ball, touch), 1.5 * duration, step=CONTROL, events=[touch.event("opens")])
    history = flight.contact(touch)
    early = fx.simulate(fx.Model(ball, touch), duration / 4.0, step=CONTROL)
    stiffness = touch.touching[0].force.data[2]
    quantities = [
        measured("stiffness of sphere on half-space", "N/m^1.5", stiffness,
                 4.0 / 3.0 * 2.1e11 / (2.0 * (1.0 - 0.09)) * math.sqrt(RADIUS), "4/3 E* sqrt R", rtol=1e-12),
        *beside(figures, "duration of contact", flight.events[-1].t, rtol=2e-3),
        *beside(figures, "largest depth", peak(history.t, -history.gap[:, 0])[1], rtol=2e-4),
        *beside(figures, "largest force", peak(history.t, history.normal[:, 0])[1], rtol=3e-4),
        *beside(figures, "rebound speed / v", flight.velocity(ball)[-1, 2], atol=1e-3),
        *beside(figures, "depth at T/4", -early.contact(touch).gap[-1, 0], rtol=1e-3),
    ]  # fmt: skip
    progress("on a second sphere")
    a, b = _ball(0.0, 0.0, "target"), _ball(2.0 * RADIUS, -SPEED, "ball")
    spheres = (fx.contact.Sphere(a, radius=RADIUS), fx.contact.Sphere(b, radius=RADIUS))
    pair = fx.Contact(spheres, law, name="pair")
    both = fx.simulate(fx.Model(a, b, pair), 1.5 * duration, step=CONTROL, events=[pair.event("opens")])
    second = both.contact(pair)
    quantities += [
        *beside(figures, "two spheres: duration", both.events[-1].t, rtol=2e-3),
        *beside(figures, "two spheres: largest force", peak(second.t, second.normal[:, 0])[1], rtol=3e-4),
        *beside(figures, "two spheres: speeds afterwards",
                [-both.velocity(b)[-1, 2], -both.velocity(a)[-1, 2]], atol=1e-3),
    ]  # fmt: skip
    curves = [("half-space", 1e6 * history.t, history.normal[:, 0]), ("sphere", 1e6 * second.t, second.normal[:, 0])]
    drawing = over_time(curves, "normal force in N")
    drawing.axes[0].set_xlabel("t in microseconds")
    steps = np.array([len(flight.steps), len(both.steps)])
    quantities.append(
        measured("steps of the first impact, at most 200", "-", float(max(0, steps[0] - 200)), 0.0, "error control",
                 atol=0.5)
    )  # fmt: skip
    return Outcome(quantities, [], [], [("Normal force.", drawing)])


CASE = Case(
    id="hertz-impact",
    title="Elastic sphere hits a half-space, and a second sphere",
    area="contact",
    summary=(
        "A steel sphere of 10 mm radius hits a steel half-space with 1 m/s, without gravity; then an equal sphere"
        " at rest. The impacts last 69 and 60 microseconds. Step control by the error alone, with a tolerance of "
        "1e-9."
    ),
    run=run,
    source="H. Hertz 1882; K. L. Johnson, Contact Mechanics (1985), sections 4.2 and 11.4.",
    equations=(r"N = \dfrac{4}{3} E^* \sqrt{R}\, d^{3/2}",),
    limits=("Quasi-static law: waves in the bodies are left out.",),
    basic=True,
)
