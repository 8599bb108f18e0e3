"""The mass under sampled feedback: against matrix exponentials, integration, energy, and a known stability limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from flexmbs.verification.reference.sampled_control import SampledMass

MASSES = [(2.0, 30.0, 0.4), (2.0, 30.0, 40.0), (1.5, 0.0, 0.0), (1.5, 0.0, 3.0), (2.0, 8.0, 8.0)]


@pytest.mark.parametrize(("m", "k", "c"), MASSES, ids=["light damping", "overdamped", "free", "no spring", "critical"])
def test_between_samples_it_is_the_matrix_exponential(m: float, k: float, c: float) -> None:
    A = np.array([[0.0, 1.0, 0.0], [-k / m, -c / m, 1 / m], [0.0, 0.0, 0.0]])
    for s in (0.01, 0.4, 1.7):
        state, force = SampledMass(m, k, c, 1.0, 1.0, 1.0).held(s)
        expected = expm(A * s)
        assert state == pytest.approx(expected[:2, :2], abs=1e-12)
        assert force == pytest.approx(expected[:2, 2], abs=1e-12)


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_the_motion_is_that_of_an_integration_with_jumps(delay: int) -> None:
    m, k, c, P, D, T, r = 2.0, 30.0, 0.4, 12.0, 3.0, 0.15, 0.2
    state, waiting, nodes = np.array([0.5, -1.0]), [0.0] * delay, []
    for _ in range(12):
        waiting.append(P * (r - state[0]) - D * state[1])
        force = waiting.pop(0)
        solved = solve_ivp(
            lambda t, y, force=force: [y[1], (force - k * y[0] - c * y[1]) / m],
            (0.0, T),
            state,
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
            dense_output=True,
        )
        nodes += [state, solved.sol(0.3 * T)]
        state = solved.y[:, -1]
    reference = SampledMass(m, k, c, P, D, T, delay, r)
    times = [(n + part) * T for n in range(12) for part in (0.0, 0.3)]
    assert reference.motion([0.5, -1.0], times) == pytest.approx(np.array(nodes), abs=1e-10)
    assert reference.samples([0.5, -1.0], 11) == pytest.approx(np.array(nodes[::2]), abs=1e-10)


def test_stability_limit_of_a_free_mass() -> None:
    """With velocity feedback alone v_{k+1} = (1 - D T/m) v_k, and with one period delay z^2 - z + D T/m = 0."""
    m, T = 2.0, 0.1
    assert SampledMass(m, 0.0, 0.0, 0.0, 30.0, T).samples([0.0, 1.0], 4)[:, 1] == pytest.approx((-0.5) ** np.arange(5))
    for gain, size in ((0.2, 0.5 + math.sqrt(0.05)), (0.9, math.sqrt(0.9)), (1.21, 1.1)):
        delayed = SampledMass(m, 0.0, 0.0, 0.0, gain * m / T, T, delay=1)
        eigenvalues = np.linalg.eigvals(delayed.step[1:3, 1:3])
        assert np.abs(eigenvalues).max() == pytest.approx(size, rel=1e-12)
    springy = SampledMass(m, 50.0, 0.0, 0.0, 30.0, T)
    assert springy.largest_eigenvalue == pytest.approx(np.abs(np.linalg.eigvals(springy.step[:2, :2])).max())


def test_short_periods_become_the_continuous_controller() -> None:
    m, k, P, D = 2.0, 30.0, 12.0, 3.0
    A = np.array([[0.0, 1.0], [-(k + P) / m, -D / m]])
    exact = expm(A) @ [0.5, -1.0]
    errors = []
    for n in (200, 400):
        errors.append(np.abs(SampledMass(m, k, 0.0, P, D, 1 / n).samples([0.5, -1.0], n)[-1] - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
