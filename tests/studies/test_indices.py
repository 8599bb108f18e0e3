"""Global indices against closed forms, and optimisers that ask and tell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import differential_evolution

import flexmbs as fx
from flexmbs.studies import Between, Ended, Evaluations, Family, Measure, Morris, Saltelli, Simulation, Study
from tests.models.study_families import STIFFNESS, bob, family, lowest, study


def ball(a: float, b: float, c: float) -> fx.Model:
    return fx.Model(fx.PointMass(1.0, position=(a, b, c), name="ball"))


CUBE = Family(ball, a=Between(1.0, 2.0), b=Between(1.0, 2.0), c=Between(1.0, 3.0))


def test_sobol_indices_of_a_product() -> None:
    """Var = E[a^2] E[b^2] E[c^2] - E[a]^2 E[b]^2 E[c]^2; alone Var[a] E[b]^2 E[c]^2, in all Var[a] E[b^2] E[c^2]."""
    pytest.importorskip("SALib")
    product = Measure("f", lambda run: float(np.prod(run.position("ball")[-1])))
    done = Study(CUBE, Saltelli(512), product, Simulation(0.0)).run(progress=False)
    assert len(done) == 512 * 5
    found = fx.studies.sobol_indices(done, "f")
    mean, width = np.array([1.5, 1.5, 2.0]), np.array([1.0, 1.0, 2.0])
    square = mean**2 + width**2 / 12.0
    variance = square.prod() - (mean**2).prod()
    first = width**2 / 12.0 * (mean**2).prod() / mean**2 / variance
    total = width**2 / 12.0 * square.prod() / square / variance
    # the error of a mean of 512 samples is at most about 1 / sqrt(512) of the scatter
    np.testing.assert_allclose(found.first, first, atol=0.045)
    np.testing.assert_allclose(found.total, total, atol=0.045)
    assert "parameter" in str(found)
    heights = [bar.get_height() for bar in found.plot().patches]
    np.testing.assert_allclose(heights, [*found.first, *found.total])


def test_morris_effects_of_a_linear_function() -> None:
    """Effects of a linear function are its slopes times the ranges, with no scatter."""
    pytest.importorskip("SALib")
    slopes = np.array([1.0, -2.0, 0.5])
    linear = Measure("f", lambda run: float(slopes @ run.position("ball")[-1]))
    done = Study(CUBE, Morris(6), linear, Simulation(0.0)).run(progress=False)
    found = fx.studies.morris_effects(done, "f")
    np.testing.assert_allclose(found.first, slopes * (1.0, 1.0, 2.0), rtol=1e-12)
    np.testing.assert_allclose(found.total, np.abs(slopes) * (1.0, 1.0, 2.0), rtol=1e-12)
    np.testing.assert_allclose(found.first_error, 0.0, atol=1e-12)


def test_indices_are_never_computed_from_what_is_missing() -> None:
    pytest.importorskip("SALib")
    fails = Measure("f", lambda run: np.nan if run.position("ball")[-1, 0] > 1.9 else 1.0)
    done = Study(CUBE, Saltelli(8), fails, Simulation(0.0)).run(progress=False)
    assert done.failed
    assert all(run.ended is Ended.UNMEASURED for run in done.failed)
    with pytest.raises(fx.ModelError, match="would be wrong"):
        fx.studies.sobol_indices(done, "f")
    with pytest.raises(fx.ModelError, match=r"samples=Saltelli"):
        fx.studies.sobol_indices(study().run(progress=False), "lowest")
    with pytest.raises(fx.ModelError, match="power of two"):
        Saltelli(100)
    with pytest.raises(fx.ModelError, match="even"):
        Morris(10, levels=3)


def identify(stiffness: float, damping: float) -> fx.Model:
    mass = fx.PointMass(2.0, position=(1.05, 0, 0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker((0, 0, 0)), mass, stiffness=stiffness, damping=damping, free_length=1.0, name="spring"
    )
    return fx.Model(mass, spring)


def test_identification_of_a_spring_and_a_damper(tmp_path) -> None:
    """Least squares from 60 samples with an error; estimates by Gauss-Newton on the closed motion at 30 digits."""
    from scipy.optimize import least_squares

    t = 0.05 * np.arange(1, 61)
    w, d = 180.0 / 2.0, 1.6 / 4.0
    wd = np.sqrt(w - d * d)
    samples = 0.05 * np.exp(-d * t) * (np.cos(wd * t) + d / wd * np.sin(wd * t)) + 1e-3 * np.sin(
        7.3 * np.arange(1, 61) ** 2
    )
    pair = Family(identify, stiffness=Between(100.0, 300.0), damping=Between(0.1, 5.0))
    analysis = Simulation(3.0, step=fx.FixedStep(2.5e-3), output=fx.Output(every=0.05))
    seen = fx.studies.History("x", lambda run: run.position("mass")[:, 0] - 1.0, "m")

    def residual(x: np.ndarray) -> np.ndarray:
        done = Study(pair, fx.studies.Points([{"stiffness": x[0], "damping": x[1]}]), seen, analysis).run(
            progress=False
        )
        return np.asarray(done.history("x", 0)[1][1:] - samples) * 1e3

    found = least_squares(residual, (170.0, 2.0), x_scale=(100.0, 1.0), diff_step=1e-4)
    # the period is too long by (w h)^2 / 24 = 2e-5 of itself: the stiffness is off by twice that at most
    np.testing.assert_allclose(found.x, [180.015183709507, 1.60613801721997], rtol=(5e-4))
    assert 2.0 * found.cost * 1e-6 == pytest.approx(2.86470726840995e-05, rel=1e-3)


def test_evaluations_serve_optimisers(tmp_path) -> None:
    """A population at a time; the lightest mass on the shortest spring hangs highest, as the closed solution says."""
    runs = Evaluations(
        family(), Measure("depth", lambda run: -lowest(run)), Simulation(0.05, step=5e-3), tmp_path / "a.h5"
    )
    found = differential_evolution(
        runs.vector, [(0.0, 1.0)] * 2, vectorized=True, updating="deferred", popsize=4, maxiter=3, seed=1, polish=False
    )
    assert found.fun == runs.results["depth"].min()
    assert len(fx.studies.load(tmp_path / "a.h5")) <= 8 * 4  # a population of eight, four times
    expected = 0.5 + 9.81 / STIFFNESS * (1.0 - np.cos(np.sqrt(STIFFNESS) * 0.05))
    assert runs([{"length": 0.5, "mass": 1.0}])[0, 0] == pytest.approx(expected, abs=2e-5)
    assert found.fun >= runs([{"length": 0.5, "mass": 1.0}])[0, 0]
    assert runs.bounds == [(0.5, 1.5), (1.0, 3.0)]
    with pytest.raises(fx.ModelError, match="2 shares"):
        runs.vector([0.5])
    before = len(runs.results)
    for outside in ([0.5, 1.5], [[0.1, 0.2], [0.3, -0.2]], [0.5, np.nan]):
        with pytest.raises(
            fx.ModelError, match=r"share of the range of 'mass' must be between 0 and 1, not (1\.5|-0\.2|nan)"
        ):
            runs.vector(outside)
    assert len(runs.results) == before
    assert runs.vector([1.0 + 1e-12, -1e-12]) == runs.vector([1.0, 0.0])  # round-off of an optimiser


def test_failed_runs_have_the_number_asked_for(tmp_path) -> None:
    several = Family(lambda length, mass: bob(length, mass, "model"), **family().parameters)
    runs = Evaluations(several, Measure("depth", lowest), Simulation(0.0), tmp_path / "a.h5", failed=1e6)
    assert runs([{"length": 1.0, "mass": 3.0}]).tolist() == [[1e6]]
