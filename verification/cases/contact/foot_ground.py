"""A mass lands on a contact whose damping comes in with the depth."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.kernels.contact_laws import normal_force
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.contact.beside import FLOOR, beside, peak, weight
from flexmbs.verification.cases.moving import over_time
from flexmbs.verification.reference.data import load_reference

MASS, SPEED, FULL = 14.0, 0.5, 5e-3
TIMES = (0.005, 0.01, 0.02, 0.03, 0.1)


def run(progress: Progress) -> Outcome:
    """The law, and a landing."""
    figures = load_reference("foot-ground-law")
    law = fx.contact.ImpactLaw(stiffness=3e4, damping=2e3, depth=FULL)
    foot = fx.PointMass(MASS, position=(0, 0, 0), velocity=(0, 0, -SPEED), name="foot")
    touch = fx.Contact((FLOOR, fx.contact.Vertex(foot)), law, name="touch")
    data = np.array(touch.touching[0].force.data)
    damping = [-normal_force(0, data, -p, 0.0)[2] for p in (FULL / 4, FULL / 2, FULL, 2 * FULL)]
    progress("landing")
    motion = fx.simulate(
        fx.Model(foot, touch, weight()), 2.0, step=fx.ErrorControl(rtol=1e-9),
        output=fx.Output(at=np.unique(np.concatenate((np.linspace(0, 0.2, 401), TIMES, [2.0]))).tolist()),
    )  # fmt: skip
    depth = -motion.position(foot)[:, 2]
    rows = [int(np.argmin(np.abs(motion.t - t))) for t in TIMES]
    at, largest = peak(motion.t, depth)
    quantities = [
        *beside(figures, "c at p = h/4, h/2, h, 2h", damping, rtol=1e-12),
        *beside(figures, "depth", depth[rows], rtol=1e-4),
        *beside(figures, "largest depth and its time", [largest, at], rtol=2e-4),
        *beside(figures, "depth at rest", depth[-1], rtol=1e-6),
    ]
    drawing = over_time([("depth", motion.t[:-1], 1e3 * depth[:-1])], "depth in mm")
    return Outcome(quantities, [], [], [("Depth of the foot.", drawing)])


CASE = Case(
    id="foot-ground-law",
    title="Landing on a contact with cubic onset of damping",
    area="contact",
    summary=(
        "A mass of 14 kg lands with 0.5 m/s on a contact of 30 kN/m whose damping rises with the depth as 3 x^2 -"
        " 2 x^3, the law of a walking robot's foot and of IMPACT, and comes to rest."
    ),
    run=run,
    source="Law after M. Wojtyra, Multibody model of human walking (2002); integration with DOP853.",
    limits=("The friction of that foot, an arctangent of the slip, is not offered.",),
)
