"""Indices of Sobol of a cantilever, over seven thousand runs."""

from __future__ import annotations

from typing import Any

import flexmbs as fx
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import measured
from flexmbs.verification.cases.studies.families import cantilever, tip
from flexmbs.verification.reference.data import load_reference

POINTS = 1024
"""Saltelli's points; with their exchanges (5 + 2) times as many runs."""


def run_indices(progress: Progress) -> Outcome:
    """N26: first-order and total indices."""
    stored = load_reference("n26")
    family = fx.studies.Family(cantilever, **{k: fx.studies.Between(*v) for k, v in stored.parameters.items()})
    deflection = fx.studies.Measure("deflection", tip, unit="m")
    study = fx.studies.Study(family, fx.studies.Saltelli(POINTS), deflection, fx.studies.Statics())
    progress(f"{7 * POINTS} runs")
    indices = fx.studies.sobol_indices(study.run(progress=False), "deflection")
    quantities = []
    for kind, values in (("first-order", indices.first), ("total", indices.total)):
        for i, (name, value) in enumerate(zip(family.names, values, strict=True)):
            expected = stored.value(f"{kind} indices of F, L, E, b, h", i)
            quantities.append(measured(f"{kind} index of {name}", "1", value, expected, stored.source, atol=0.02))

    def draw() -> Any:
        return indices.plot().figure

    return Outcome(tuple(quantities), figures=(("which number matters", draw()),))


INDICES = Case(
    "sobol-indices",
    "Which of five numbers of a cantilever matters",
    "studies",
    "Load, length, modulus, width and height vary evenly between bounds; first-order and total indices of Sobol of the "
    "deflection, from Saltelli's samples, against the integrals of the closed form.",
    run_indices,
    "Variances of products of powers, in closed form; A. Saltelli 2002 for the samples.",
    (r"S_i = \frac{V[E(w \mid x_i)]}{V(w)}", r"w = \frac{4 F L^3}{E b h^3}"),
    limits=("A sample of this size tells indices to about 0.02.",),
    slow=True,
)
