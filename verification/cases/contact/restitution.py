"""Restitution of the law of Hunt and Crossley over the speed of impact."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure
from flexmbs.verification.cases.contact.beside import FLOOR, beside, peak
from flexmbs.verification.reference.data import load_reference

MASS, RADIUS = 1.3, 0.1
SPEEDS = (0.1, 0.5, 1.0, 2.0, 5.0, 20.0)


def run(progress: Progress) -> Outcome:
    """Six speeds, and the damping for two wishes."""
    figures = load_reference("hunt-crossley-restitution")
    law = fx.contact.HuntCrossleyLaw(stiffness=2e4, exponent=1.5, damping=0.35)
    e, depth, duration, force = [], [], [], []
    for i, speed in enumerate(SPEEDS):
        progress(f"{speed:g} m/s")
        ball = fx.RigidBody.sphere(
            radius=RADIUS, mass=MASS, position=(0, 0, RADIUS), velocity=(0, 0, -speed), name="ball"
        )
        touch = fx.Contact((FLOOR, fx.contact.Sphere(ball, radius=RADIUS)), law, name="touch")
        until = 1.3 * figures.value("duration of contact", i)
        control = fx.ErrorControl(rtol=1e-8)
        motion = fx.simulate(fx.Model(ball, touch), until, step=control, events=[touch.event("opens")])
        history = motion.contact(touch)
        e.append(motion.velocity(ball)[-1, 2] / speed)
        depth.append(peak(history.t, -history.gap[:, 0])[1])
        duration.append(motion.events[-1].t)
        force.append(peak(history.t, history.normal[:, 0])[1])
    quantities = [
        *beside(figures, "restitution at the speeds v", e, atol=5e-4),
        *beside(figures, "largest depth", depth, rtol=5e-4),
        *beside(figures, "duration of contact", duration, rtol=2e-3),
        *beside(figures, "largest force", force, rtol=2e-3),
        *beside(figures, "inverse: c that gives e = 0.5 at v = 1 m/s", fx.contact.damping_for(0.5, 1.0), rtol=1e-9),
        *beside(figures, "inverse: c that gives e = 0.9 at v = 0.5 m/s", fx.contact.damping_for(0.9, 0.5), rtol=1e-9),
    ]
    drawing, axes = figure()
    v = np.geomspace(0.05, 30.0, 100)
    axes.semilogx(v, [fx.contact.restitution(0.35, x) for x in v], linewidth=1.4, label="closed form")
    axes.semilogx(SPEEDS, e, "o", color="black", markersize=3.5, label="simulated")
    axes.set_xlabel("speed of impact in m/s")
    axes.set_ylabel("restitution")
    axes.legend(frameon=False)
    return Outcome(quantities, [], [], [("Restitution over the speed.", drawing)])


CASE = Case(
    id="hunt-crossley-restitution",
    title="Restitution of the Hunt-Crossley law against speed",
    area="contact",
    summary=(
        "A mass of 1.3 kg hits a floor with the normal force k d^1.5 (1 + c d'), at speeds from 0.1 to 20 m/s. "
        "The restitution falls with the speed; it does not depend on stiffness, exponent or mass, and the damping"
        " for a wished restitution follows exactly."
    ),
    run=run,
    source="K. H. Hunt, F. R. E. Crossley 1975; exact relation as in Y. Gonthier et al. 2004.",
    equations=(r"\ln(1 + D) - \ln(1 - e D) = D (1 + e), \quad D = c v",),
)
