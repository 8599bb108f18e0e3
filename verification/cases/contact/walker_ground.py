"""A walker on softer, harder and otherwise damped ground."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.contact.beside import G
from flexmbs.verification.cases.contact.walker import FINE, deepest, pushes
from flexmbs.verification.cases.contact.walker_model import GROUND, MASS, STEP, walking
from flexmbs.verification.cases.moving import over_time


def _walks(ground: dict[str, float]) -> tuple[fx.TimeSolution, FloatArray, float, float]:
    """The run, the vertical force over weight, the way of the pelvis and the largest penetration."""
    walker = walking(ground)
    run = fx.simulate(walker.model, 3.0 * STEP.duration, step=FINE)
    force = np.sum(list(pushes(run, walker).values()), axis=0)[:, 2] / (MASS * G)
    way = float(np.ptp(run.position(walker.tree.link("pelvis"))[:, 0]))
    return run, force, way, deepest(run, walker)


def run(progress: Progress) -> Outcome:
    """Six changes."""
    progress("as chosen")
    plain, force, way, _ = _walks(GROUND)
    quantities, curves = [], [("as chosen", plain.t, force)]
    for name in GROUND:
        for factor in (0.8, 1.2):
            progress(f"{factor:g} of the {name}")
            changed, other, moved, depth = _walks({**GROUND, name: factor * GROUND[name]})
            label = f"{factor:g} of the {name}"
            quantities += [
                measured(
                    f"{label}: way over that as chosen", "-", moved / way, 1.0, "almost unchanged (text)", rtol=0.02
                ),
                measured(f"{label}: penetration", "m", depth, 0.0, "at most 2 cm (text)", atol=0.02),
            ]
            if name == "stiffness":
                curves.append((label, changed.t, other))
    return Outcome(quantities, [], [], [("Vertical force of the ground.", over_time(curves, "force over weight"))])


CASE = Case(
    id="walker-ground",
    title="A walker on softer, harder and otherwise damped ground",
    area="contact",
    summary=(
        "The walker of the case walker with stiffness, damping and depth of onset of its ground changed by a fifth "
        "each: the way that it makes in three steps hardly changes."
    ),
    run=run,
    source="M. Wojtyra, Multibody model of human walking, NATO ASI Prague 2002: 20 % change the behaviour hardly.",
    slow=True,
    limits=("The tolerance of 2 % stands for `almost'; data are chosen, as in walker.",),
)
