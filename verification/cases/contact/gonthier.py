"""Impact with a wished restitution, and the force that breaks away after a rest."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.cases.contact.beside import FLOOR, beside, peak
from flexmbs.verification.reference.data import load_reference

MASS, RADIUS, STIFFNESS = 1.3, 0.1, 2e4
WISHES = ((0.9, 0.5, 0.1664820, 0.3329639, 0.0127363), (0.5, 1.0, 1.4327505, 1.4327505, 0.0179291),
          (0.1, 0.7, 9.9981594, 14.2830849, 0.0081812))  # fmt: skip
"""Restitution, speed [m/s], and the figures of the exact relation: d = a v, a [s/m], largest depth [m]."""
LOAD, SPRING, PULL = 50.0, 500.0, 0.1
RESTS = (0.3, 1.5, 15.0)
DWELL = fx.contact.DwellLaw(0.2, 0.35, stiffness=1e5, damping=1e3, stribeck_speed=4e-3, speed=2e-3, dwell_time=1.5)


def _impact(e: float, speed: float, exponent: float) -> tuple[float, float]:
    """Restitution and largest depth of a ball on a floor."""
    ball = fx.RigidBody.sphere(radius=RADIUS, mass=MASS, position=(0, 0, RADIUS), velocity=(0, 0, -speed), name="ball")
    law = fx.contact.HuntCrossleyLaw(stiffness=STIFFNESS, exponent=exponent, restitution=e, at_speed=speed)
    touch = fx.Contact((FLOOR, fx.contact.Sphere(ball, radius=RADIUS)), law, name="touch")
    leaves = touch.event("opens", terminal=True)
    run = fx.simulate(fx.Model(ball, touch), 5.0, step=fx.ErrorControl(rtol=1e-9), events=[leaves])
    history = run.contact(touch)
    return float(run.velocity(ball)[-1, 2]) / speed, peak(history.t, -history.gap[:, 0])[1]


def _breakaway(rest: float) -> tuple[float, float]:
    """Largest force of a spring that pulls a block after a rest, and when, from the start of pulling on."""
    block = fx.PointMass(1.0, position=(0, 0, -LOAD / 1e7), name="block")
    normal = fx.contact.HuntCrossleyLaw(stiffness=1e7, exponent=1.0, damping=1.0)
    touch = fx.Contact((FLOOR, fx.contact.Vertex(block)), normal, DWELL, allow_overlap=True, name="touch")
    spring = fx.SpringDamper(
        fx.ground.marker((-1, 0, -LOAD / 1e7)), block.centre, stiffness=SPRING, free_length=1.0, name="spring"
    )
    drawn = fx.PointForce(block.centre, (SPRING * PULL, 0, 0), history=lambda t: max(0.0, t - rest))
    model = fx.Model(block, touch, fx.PointForce(block.centre, (0, 0, -LOAD)), spring, drawn)
    rests = fx.simulate(model, rest, step=rest / 200)
    pulled = fx.simulate(model, rest + 0.45, step=2.5e-4, start=rests)
    after = pulled.t - rest
    at, force = peak(after, SPRING * (PULL * np.maximum(after, 0.0) - pulled.position(block)[:, 0]))
    return force, at


def _impacts(progress: Progress) -> list[Measured]:
    found = []
    for e, speed, d, a, depth in WISHES:
        progress(f"e = {e:g}")
        damping = fx.contact.damping_for(e, at_speed=speed)
        name = f"e = {e:g} at {speed:g} m/s"
        rebound, deepest = _impact(e, speed, 1.5)
        found += [
            measured(f"{name}: d", "-", damping * speed, d, "exact relation, 8 digits", atol=6e-8),
            measured(f"{name}: a", "s/m", damping, a, "exact relation, 8 digits", atol=6e-8),
            measured(f"{name}: largest depth", "m", deepest, depth, "exact relation, 6 digits", atol=1e-7),
            measured(f"{name}: rebound over approach", "-", rebound, e, "wished", atol=1e-4),
        ]
        for exponent in (1.0, 2.0):
            rebound, _ = _impact(e, speed, exponent)
            found.append(
                measured(f"{name}: rebound with d^{exponent:g}", "-", rebound, e, "no exponent in it", atol=1e-4)
            )  # fmt: skip
    return found


def run(progress: Progress) -> Outcome:
    """Three wishes, three rests."""
    quantities = _impacts(progress)
    figures = load_reference("dwell-time-friction")
    force, at = [], []
    for rest in RESTS:
        progress(f"rest of {rest:g} s")
        found = _breakaway(rest)
        force.append(found[0])
        at.append(found[1])
    quantities += [
        *beside(figures, "first largest spring force after rests of 0.3, 1.5, 15 s", force, rtol=2e-3),
        *beside(figures, "time from the start of pulling to it", at, rtol=2e-3),
    ]
    drawing, axes = figure()
    t = np.geomspace(0.05, 30.0, 200)
    axes.semilogx(t, _limit(t), linewidth=1.4, label="limit after the rest, closed form")
    axes.semilogx(RESTS, force, "o", color="black", markersize=3.5, label="largest force, simulated")
    axes.set_xlabel("rest in s")
    axes.set_ylabel("force in N")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Force that breaks away over the time at rest.", drawing)])


def _limit(rest: FloatArray) -> FloatArray:
    """Static limit after a rest; it goes on growing while the block is pulled, and the block slides up to v_s first."""
    return np.asarray(LOAD * (DWELL.coefficient + (DWELL.static - DWELL.coefficient) * -np.expm1(-rest / 1.5)))


CASE = Case(
    id="gonthier-contact",
    title="Impact with a wished restitution, and the force that breaks away after a rest",
    area="contact",
    summary=(
        "The damping that gives a wished restitution is exact, for restitutions of 0.9, 0.5 and 0.1, and for exponents "
        "of 1, 1.5 and 2 of the elastic force. A block that has rested for 0.3, 1.5 or 15 s and is then pulled by a "
        "spring breaks away at a force that grows with the rest."
    ),
    run=run,
    source=(
        "Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, NATO ASI Prague 2002 (slides) and Multibody Syst. Dyn. 11 "
        "(2004); the slides print no figures: those of the relation are derived from it, those of friction by DOP853."
    ),
    limits=("The equations of the friction are not on the slides; they are those of `fx.contact.DwellLaw`.",),
    equations=(r"1 + d = (1 - e d)\, e^{d (1+e)},\quad x^{p+1} = \frac{(p+1)\, m\, (d - \ln(1+d))}{k a^2}",),
)
