"""The iteration within a step: quadratic with a matrix made anew each time, and what the policies cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.integrators import newmark_steps


def spinning_body_with_a_cable():
    """A body on a ball joint, spinning fast about x, falls and drags a spatial cable that is joined to its end."""
    body = fx.RigidBody(0.8, (0.02, 0.03, 0.04), position=(0.1, 0, 0), angular_velocity=(40, 0, 0), name="body")
    cable = fx.FlexibleBody.line(
        (0.4, 0, 0), (1.4, 0, 0), elements=4, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.01),
        material=fx.Elastic(youngs_modulus=5e7, density=1100.0), name="cable",
    )  # fmt: skip
    joints = (
        fx.SphericalJoint(fx.ground, body, at=(0, 0, 0), name="pivot"),
        fx.SphericalJoint(body, cable.start, at=(0.4, 0, 0), name="eye"),
    )
    return fx.Model(body, cable, *joints, fx.Gravity((0, 0, -9.81)))


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Sizes of all increments, as the steps measure them."""
    found: list[float] = []
    real = newmark_steps.correct

    def recording(*arguments):
        found.append(float(real(*arguments)))
        return found[-1]

    monkeypatch.setattr(newmark_steps, "correct", recording)
    return found


def by_step(sizes: list[float], run: fx.TimeSolution) -> list[np.ndarray]:
    counts = run.steps[:, 2].astype(int)
    assert counts.sum() == len(sizes)
    return np.split(np.array(sizes), np.cumsum(counts)[:-1])


def full_newton(index: int) -> fx.GeneralizedAlpha:
    """Steps by the loop in Python, whose increments can be recorded."""
    newton = fx.NewtonOptions(rtol=1e-13, jacobian_update="full")
    return fx.GeneralizedAlpha(rho_inf=0.8, index=index, newton=newton, compiled=False)


def test_full_newton_converges_quadratically(sizes: list[float]) -> None:
    run = fx.simulate(spinning_body_with_a_cable(), until=0.2, step=5e-3, integrator=full_newton(3))
    ratios = [s[2] * s[0] / s[1] ** 2 for s in by_step(sizes, run) if len(s) > 2]
    assert len(ratios) > 30
    orders = [math.log(s[2] / s[1]) / math.log(s[1] / s[0]) for s in by_step(sizes, run) if len(s) > 2 and s[2] > 1e-15]
    assert np.median(orders) > 1.4  # a step starts with the linear part of the problem done in one go
    constants = [
        s[k + 1] / s[k] ** 2 for s in by_step(sizes, run) for k in (1, 2) if len(s) > k + 1 and s[k + 1] > 1e-14
    ]
    assert len(constants) >= 3
    assert max(constants) < 50 * min(constants)  # e_next = C e^2, from e of 1e-7 as from one of 1e-9
    assert run.steps[:, 2].max() <= 5


def test_full_newton_of_index_2_converges_fast(sizes: list[float]) -> None:
    """The correction of the positions is left out of the momentum equation: linear convergence, but fast."""
    run = fx.simulate(spinning_body_with_a_cable(), until=0.2, step=5e-3, integrator=full_newton(2))
    for s in by_step(sizes, run)[1:]:
        big = s[s > 1e-14]
        assert (big[1:] < 0.4 * big[:-1]).all()
    assert run.steps[:, 2].max() <= 8
    assert run.residuals[:, :2].max() < 1e-10


def test_a_matrix_once_a_step_is_enough(sizes: list[float]) -> None:
    """The default: more iterations than full Newton, one factorisation each step, the same motion."""
    runs = {
        refresh: fx.simulate(
            spinning_body_with_a_cable(),
            until=0.1,
            step=2e-3,
            integrator=fx.GeneralizedAlpha(
                rho_inf=0.8, index=3, newton=fx.NewtonOptions(rtol=1e-9, jacobian_update=refresh)
            ),
        )
        for refresh in ("full", "auto", "step", "on_demand")
    }
    assert np.array_equal(runs["auto"].q, runs["step"].q)
    full = runs["full"]
    for run in runs.values():
        assert run.q == pytest.approx(full.q, abs=1e-8)
    per_step = {k: run.counts["factorisations"] / len(run.steps) for k, run in runs.items()}
    assert per_step["full"] > per_step["step"] > per_step["on_demand"]
    assert runs["full"].steps[:, 2].mean() <= runs["step"].steps[:, 2].mean()


def test_a_tighter_iteration_changes_the_motion_less_than_its_tolerance_says() -> None:
    runs = [
        fx.simulate(
            spinning_body_with_a_cable(), until=0.1, step=2e-3,
            integrator=fx.GeneralizedAlpha(newton=fx.NewtonOptions(rtol=rtol)),
        )
        for rtol in (1e-6, 1e-11)
    ]  # fmt: skip
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-7)


def test_steps_are_counted() -> None:
    run = fx.simulate(spinning_body_with_a_cable(), until=0.02, step=2e-3)
    assert run.steps.shape == (10, 4)
    assert run.steps[:, 0] == pytest.approx(0.002 * np.arange(1, 11))
    assert run.steps[:, 1] == pytest.approx(np.full(10, 0.002))
    assert run.counts["evaluations"] >= run.steps[:, 2].sum()
    assert run.counts["rejected"] == 0
