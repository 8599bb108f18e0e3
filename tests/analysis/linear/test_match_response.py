"""Drives from responses: of a linear model in one step, of a nonlinear one in some."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

STEP, N = 5e-3, 240


def oscillator(cubic: float) -> tuple[fx.Model, fx.PointMass]:
    mass = fx.PointMass(2.0, position=(1.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker((0, 0, 0)), mass, stiffness=(800.0, 0.0, cubic), damping=12.0, name="spring"
    )
    return fx.Model(mass, spring, fx.CoordinateJoint(mass, "y", name="guide")), mass


def answer(drive: np.ndarray, cubic: float) -> np.ndarray:
    """Displacement under a force that is straight between its values."""
    model, mass = oscillator(cubic)
    times = STEP * np.arange(N)
    push = fx.PointForce(mass, (1.0, 0.0), history=fx.Table(times, drive))
    run = fx.simulate(model.with_(push), until=times[-1], step=STEP, output=fx.Output(energy=False))
    return np.asarray(run.position(mass)[:, 0] - 1.0)


def known() -> np.ndarray:
    t = STEP * np.arange(N)
    return 40.0 * np.sin(9.0 * t) * np.sin(np.pi * t / t[-1]) ** 2


def linear() -> fx.LinearModel:
    model, mass = oscillator(0.0)
    return fx.linearise(model, [fx.PointForce(mass, (1.0, 0.0))], [fx.control.PositionSensor(mass, (1, 0))])


def test_a_linear_model_in_one_step() -> None:
    target = answer(known(), 0.0)
    found = fx.match_response(lambda d: answer(d, 0.0), target, STEP, linear(), band=(0.0, 20.0), improvements=1)
    assert found.errors[0] == 1.0
    assert found.errors[1] < 0.02  # the scheme of the run, and the end of the record
    assert np.abs(found.drive - known())[:200].max() < 0.05 * 40.0


def test_a_nonlinear_model_in_some() -> None:
    cubic = 1.5e5
    target = answer(known(), cubic)
    assert np.abs(target - answer(known(), 0.0)).max() > 0.1 * np.abs(target).max()
    found = fx.match_response(
        lambda d: answer(d, cubic), target, STEP, linear(), band=(0.0, 20.0), gain=0.8, tolerance=1e-2, improvements=12
    )
    assert found.errors[-1] <= 1e-2
    assert np.abs(found.drive - known())[:200].max() < 0.05 * 40.0
    assert found.plot().get_xlabel() == "time"


def test_what_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="not all zero"):
        fx.match_response(lambda d: d, np.zeros(4), 0.1, lambda f: f)
    with pytest.raises(fx.ModelError, match="run must be a function"):
        fx.match_response(3.0, np.ones(4), 0.1, lambda f: np.ones(len(f)))  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="what run returns"):
        fx.match_response(lambda d: d[:2], np.ones(4), 0.1, lambda f: f + 1.0)
    with pytest.raises(fx.ModelError, match="does not answer"):
        fx.match_response(lambda d: d, np.ones(4), 0.1, lambda f: 0.0 * f, band=(0.0, 1.0))
    with pytest.raises(fx.ConvergenceError, match="smaller gain"):
        fx.match_response(lambda d: -9.0 * d, np.ones(4), 0.1, lambda f: np.full(len(f), 0.1))


def test_the_best_drive_is_returned_if_later_ones_are_worse() -> None:
    """Answers of 0, 0.8 and -0.4 of the target have the errors 1, 0.2 and 1.4."""
    target = np.sin(0.1 * np.arange(63))
    answers = iter((0.0, 0.8, -0.4))

    def run(drive: np.ndarray) -> np.ndarray:
        return next(answers) * target

    with pytest.warns(fx.AccuracyWarning, match=r"improvement 1 of 2, with 0\.2"):
        found = fx.match_response(run, target, 0.1, lambda f: np.ones(len(f)), improvements=2)
    assert found.errors == pytest.approx([1.0, 0.2, 1.4])
    assert found.response == pytest.approx(0.8 * target)
    assert found.drive == pytest.approx(target)
    assert "error 2.00e-01 after 1 improvements" in repr(found)


def test_no_improvement_is_told() -> None:
    with pytest.warns(fx.AccuracyWarning, match="zero, before any improvement, with 1"):
        found = fx.match_response(lambda d: -d, np.ones(8), 0.1, lambda f: np.ones(len(f)), improvements=1)
    assert np.all(found.drive == 0.0)


@pytest.mark.parametrize("band", [(5.0, 1.0), (60.0, 80.0), (10.0, 50.1), (-1.0, 5.0), (1.01, 1.02)])
def test_bands_that_are_none(band: tuple[float, float]) -> None:
    """At steps of 0.01 there is nothing above 50."""
    with pytest.raises(fx.ModelError, match="from 0 to 50 1/time"):
        fx.match_response(lambda d: d, np.sin(np.arange(200.0)), 0.01, lambda f: np.ones(len(f)), band=band)
