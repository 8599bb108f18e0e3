"""A population of 127 drives, on one process and on two: the same evolution to the bit."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from flexmbs.verification.cases.studies.positioning import LOW, POPULATION, STEP, evolve, overshoot, stage, study_parts

pytest.importorskip("distributed")


@pytest.mark.slow
def test_two_workers_evolve_as_one_process(tmp_path: Path) -> None:
    """The genetic algorithm of SciPy, two generations after the first: values, costs and all rows of the file."""
    from flexmbs.studies.runner import workers_of

    here, _ = evolve(str(tmp_path / "here.h5"), 2)
    with workers_of(2) as client:
        there, _ = evolve(str(tmp_path / "there.h5"), 2, client)
    assert here.nfev == there.nfev == 3  # calls, each of a whole generation
    np.testing.assert_array_equal(here.population, there.population)
    np.testing.assert_array_equal(here.population_energies, there.population_energies)
    with h5py.File(tmp_path / "here.h5") as one, h5py.File(tmp_path / "there.h5") as two:
        assert len(one["cost"]) == 3 * POPULATION
        for name in set(one) - {"seconds"}:
            np.testing.assert_array_equal(one[name], two[name])


@pytest.mark.slow
def test_a_generation_of_pymoo(tmp_path: Path) -> None:
    """Another optimiser that asks and tells: 127 at a time; one that is started over runs through what it had."""
    ga = pytest.importorskip("pymoo.algorithms.soo.nonconvex.ga")
    problems = pytest.importorskip("pymoo.core.problem")
    from pymoo.optimize import minimize

    import flexmbs as fx

    runs = fx.studies.Evaluations(*study_parts(), tmp_path / "ga.h5", failed=1e3)

    class Drives(problems.Problem):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__(n_var=2, n_obj=1, xl=0.0, xu=1.0)

        def _evaluate(self, x: np.ndarray, out: dict, *args: object, **kwargs: object) -> None:
            out["F"] = runs.vector(x.T)

    first = minimize(Drives(), ga.GA(pop_size=POPULATION), ("n_gen", 2), seed=1)
    assert runs.results is not None
    count = len(fx.studies.load(tmp_path / "ga.h5"))
    again = minimize(Drives(), ga.GA(pop_size=POPULATION), ("n_gen", 2), seed=1)
    np.testing.assert_array_equal(first.X, again.X)
    assert len(fx.studies.load(tmp_path / "ga.h5")) == count
    best = runs.results.best("cost")
    assert best.numbers["cost"] == first.F[0]


def test_the_tip_overshoots_with_strong_integral_action() -> None:
    """By the friction alone the table is overdamped for the smallest gains; for the first ones it is not."""
    _, _, analysis = study_parts()
    weak = analysis.perform(stage(LOW[0], LOW[1]))
    assert overshoot(weak) == 0.0
    assert weak.position("tip", -1)[0] - 0.1 < STEP
