"""Linear oscillator: every step of the schemes against their closed-form amplification matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx

M, K, C = 2.0, 50.0, 1.3


def oscillator(damping: float = C):
    mass = fx.PointMass(M, position=(0.3, 0.0), velocity=(-1.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker((-10, 0, 0)), mass, stiffness=K, damping=damping, free_length=10.0, name="spring"
    )
    return fx.Model(mass, spring)


def alpha_matrix(am: float, af: float, gamma: float, beta: float, h: float, m=M, c=C, k=K) -> np.ndarray:
    """One step on (x, v, a, vd): two updates, the recursion of the auxiliary acceleration, the equation of motion."""
    left = np.array(
        [[1.0, 0.0, -beta * h * h, 0.0], [0.0, 1.0, -gamma * h, 0.0], [0.0, 0.0, 1 - am, -(1 - af)], [k, c, 0.0, m]]
    )
    right = np.array(
        [[1.0, h, h * h * (0.5 - beta), 0.0], [0.0, 1.0, h * (1.0 - gamma), 0.0], [0.0, 0.0, -am, af], [0, 0, 0, 0]]
    )
    return np.linalg.solve(left, right)


SCHEMES = {
    "rho = 0.9": (fx.GeneralizedAlpha(rho_inf=0.9), 0.8 / 1.9, 0.9 / 1.9, None, None),
    "rho = 0.5": (fx.GeneralizedAlpha(rho_inf=0.5), 0.0, 1.0 / 3.0, None, None),
    "rho = 0": (fx.GeneralizedAlpha(rho_inf=0.0), -1.0, 0.0, None, None),
    "rho = 1": (fx.GeneralizedAlpha(rho_inf=1.0), 0.5, 0.5, None, None),
    "HHT 0.1": (fx.GeneralizedAlpha.hht(0.1), 0.0, 0.1, 0.6, 0.3025),
    "HHT 1/3": (fx.GeneralizedAlpha.hht(1.0 / 3.0), 0.0, 1.0 / 3.0, 5.0 / 6.0, 4.0 / 9.0),
    "trapezoidal": (fx.GeneralizedAlpha.newmark(0.25, 0.5), 0.0, 0.0, 0.5, 0.25),
    "Newmark damped": (fx.GeneralizedAlpha.newmark(0.36, 0.7), 0.0, 0.0, 0.7, 0.36),
    "linear acceleration": (fx.GeneralizedAlpha.newmark(1.0 / 6.0, 0.5), 0.0, 0.0, 0.5, 1.0 / 6.0),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_steps_of_an_oscillator(name: str) -> None:
    """x, v from the amplification matrix, started with the auxiliary acceleration that the run started with."""
    scheme, am, af, gamma, beta = SCHEMES[name]
    gamma = 0.5 - am + af if gamma is None else gamma
    beta = 0.25 * (gamma + 0.5) ** 2 if beta is None else beta
    h = 0.05
    run = fx.simulate(oscillator(), until=40 * h, step=h, integrator=scheme)
    A = alpha_matrix(am, af, gamma, beta, h)
    # the start is smoothed: (m + beta h^2 k + gamma h c) a = -(k x + c v) + gamma h c b, b from a pass without this
    force, smooth = -K * 0.3 + C * 1.0, M + beta * h * h * K + gamma * h * C
    first = (force + gamma * h * C * force / smooth) / smooth
    expected = [np.array([0.3, -1.0, first, first])]
    for _ in range(40):
        expected.append(A @ expected[-1])
    expected = np.array(expected)
    assert run.q[:, 0] == pytest.approx(expected[:, 0], abs=1e-8)
    assert run.v[:, 0] == pytest.approx(expected[:, 1], abs=1e-7)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_spectral_radius_at_infinite_frequency(rho: float) -> None:
    """The largest eigenvalue of the closed form tends to rho with the parameters of the scheme."""
    s = fx.GeneralizedAlpha(rho_inf=rho)
    A = alpha_matrix(s.alpha_m, s.alpha_f, s.gamma, s.beta, 1.0, c=0.0, k=1e16)
    assert np.abs(np.linalg.eigvals(A)).max() == pytest.approx(rho, abs=2e-3)


def test_stiff_oscillation_fades_at_the_chosen_rate() -> None:
    """h omega = 1e4 with rho = 0.5: displacements fall by a factor of about two each step."""
    mass = fx.PointMass(1.0, position=(1e-3, 0.0), name="mass")
    spring = fx.SpringDamper(fx.ground.marker((-1, 0, 0)), mass, stiffness=1e10, free_length=1.0, name="spring")
    run = fx.simulate(fx.Model(mass, spring), until=2.0, step=0.1, integrator=fx.GeneralizedAlpha(rho_inf=0.5))
    x = np.abs(run.q[:, 0])
    assert x[20] < x[10] * 0.5**10 * 10
    assert x[20] < 1e-3 * 20 * 0.5**20 * 20


def test_trapezoidal_rule_keeps_the_energy_of_an_oscillator() -> None:
    run = fx.simulate(oscillator(0.0), until=20.0, step=0.05, integrator=fx.GeneralizedAlpha.newmark())
    energy = 0.5 * M * run.v[:, 0] ** 2 + 0.5 * K * run.q[:, 0] ** 2
    drift = np.abs(energy / energy[0] - 1.0)
    # the smoothed start is not the trapezoidal rule: the first step changes the energy by a second-order term
    assert np.abs(energy[1:] / energy[1] - 1.0)[-1] < 1e-1
    assert drift.max() < 0.1


def test_parameters_of_the_special_cases() -> None:
    hht = fx.GeneralizedAlpha.hht(0.2)
    assert (hht.alpha_m, hht.alpha_f) == (0.0, 0.2)
    assert (hht.gamma, hht.beta) == pytest.approx((0.7, 0.36))
    assert math.isclose(fx.GeneralizedAlpha.newmark().beta, 0.25)
