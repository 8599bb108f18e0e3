"""Scatter of a deployable reflector: a hundred sets of springs that are each a little different."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs import studies
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress, Table
from flexmbs.verification.cases.common import COLOURS, figure, measured
from flexmbs.verification.cases.mechanisms.reflector import CELL, SIDE, hexagon, time_to_spread, truss

SPREAD = 0.05
"""Standard deviation of the stiffness of a spring, by its mean."""
SEEDS = {"one cell": 100, "one ring": 100, "two rings": 20}
UNTIL, STEP = 0.4, 1e-3


def differences(seed: int) -> FloatArray:
    """Of as many springs as any truss has here, in parts of the mean stiffness."""
    return SPREAD * np.random.default_rng(seed).standard_normal(400)


def scattered(seed: int, truss_of: str = "one cell") -> fx.Model:
    """A truss with springs of its own, in relative units of the seed."""
    places = {"one cell": CELL, "one ring": hexagon(1), "two rings": hexagon(2)}[truss_of]
    rods = "springs" if truss_of == "one cell" else "latches"
    return truss(places, rods, scatter=iter(differences(int(seed)).tolist()))


def _times(run: fx.TimeSolution) -> FloatArray:
    """When each rod reaches its full length first."""
    found = []
    for force in run.model.forces:
        if force.name.startswith("spring"):
            x = run.force(force.name).coordinate
            over = int(np.argmax(x >= SIDE * (1.0 - 1e-3)))
            wanted = SIDE * (1.0 - 1e-3)
            found.append(np.interp(wanted, x[over - 1 : over + 1], run.t[over - 1 : over + 1]) if over else np.inf)
    return np.array(found)


def last(run: fx.TimeSolution) -> float:
    """Time at which the last rod is spread [s]."""
    return float(_times(run).max())


def mean(run: fx.TimeSolution) -> float:
    """Mean of the times at which the rods are spread [s]."""
    return float(_times(run).mean())


def run(progress: Progress) -> Outcome:
    """A study for each size; the mean time of a cell follows its springs to first order."""
    measures = [studies.Measure("last", last, unit="s"), studies.Measure("mean", mean, unit="s")]
    rows, quantities, ratios = [], [], []
    drawing, axes = figure(6.4, 3.6)
    for number, (name, seeds) in enumerate(SEEDS.items()):
        progress(f"{name}, {seeds} sets of springs")
        family = studies.Family(scattered, seed=studies.Choices(*range(seeds)), truss_of=studies.Choices(name))
        samples = studies.Points({"seed": list(range(seeds)), "truss_of": [name] * seeds})
        done = studies.Study(family, samples, measures, studies.Simulation(UNTIL, step=STEP)).run(progress=False)
        ends, means = np.asarray(done["last"]), np.asarray(done["mean"])
        rows.append(
            (name, seeds, float(ends.mean()), float(ends.std(ddof=1)), float(np.ptp(ends)), float(means.std(ddof=1)))
        )
        ratios.append(float(ends.std(ddof=1) / ends.mean()))
        axes.hist(ends, bins=20, color=COLOURS[number], alpha=0.7, label=name)
        quantities.append(measured(f"{name}: runs that failed", "-", len(done.failed), 0.0, "all spread", atol=0.5))
        if name != "one cell":
            continue
        base = time_to_spread()
        level = np.array([differences(s)[:3].mean() for s in range(seeds)])
        slope = float(np.polyfit(level, means / base, 1)[0])
        quantities += [
            measured("one cell: change of the mean time by that of the mean stiffness", "-", slope, -0.5,
                     "t is proportional to k^(-1/2), by symmetry to first order", atol=0.02),
            measured("one cell: standard deviation of the mean time", "s", float(means.std(ddof=1)),
                     base * 0.5 * SPREAD / np.sqrt(3.0), "first order", rtol=3.0 / np.sqrt(2.0 * (seeds - 1))),
        ]  # fmt: skip
    axes.set_xlabel("time at which the last rod is spread [s]")
    axes.set_ylabel("runs")
    axes.legend(frameon=False)
    table = Table(
        "Time of the last rod, its scatter over the sets of springs, and that of the mean of all rods",
        ("truss", "runs", "mean [s]", "deviation [s]", "range [s]", "deviation of the mean [s]"), rows,
    )  # fmt: skip
    return Outcome(quantities, (), [table], [("Times of the last rod.", drawing)])


CASE = Case(
    id="reflector-scatter",
    title="Scatter of a deployable reflector",
    area="mechanisms",
    summary=(
        "Springs that differ by 5 % spread a cell, one ring and two rings of a deployable reflector; a study runs a "
        "hundred sets of springs and measures when the last rod is spread. For a cell the mean time follows the mean "
        "stiffness by a power of -1/2, and its scatter the law of means."
    ),
    run=run,
    slow=True,
    source="S. N. Sayapin, Dynamic chaos in deployable antennas: unfolding scatters with springs; no number for it.",
    equations=(
        r"\frac{\delta t}{t} = -\tfrac12\,\overline{\delta k / k}, \quad \sigma_t = \frac{t\,\sigma_k}{2\sqrt3}",
    ),
    limits=("Own data; the steady deployment of up to five belts, an experiment without data, is not repeated.",),
)
