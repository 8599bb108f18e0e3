"""Random response against closed forms, and Lyapunov's equation against quadrature."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx
from flexmbs.verification.reference.data import load_reference


def oscillator(m: float = 2.0, c: float = 3.0, k: float = 800.0) -> fx.LinearModel:
    cart = fx.PointMass(m, position=(0.0, 0.0), name="cart")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), cart, (k, k), damping=(c, c))
    push = fx.PointForce(cart, (1.0, 0.0))
    sensors = [
        fx.control.PositionSensor(cart, (1, 0), name="x"), fx.control.VelocitySensor(cart, (1, 0), name="v"),
        fx.control.AccelerationSensor(cart, (1, 0), name="a"),
    ]  # fmt: skip
    return fx.linearise(fx.Model(cart, spring), [push], sensors)


def test_white_noise() -> None:
    stored = load_reference("n24")
    name = next(name for name in stored.quantities if name.startswith("(a)"))
    found = oscillator().part(outputs=["x", "v"]).random({0: 4.0 * np.pi * 0.5})
    assert found.mean_squares == pytest.approx([stored.value(name, 0), stored.value(name, 1)], rel=1e-8)
    assert found.crossings[0] == pytest.approx(20.0 / (2.0 * np.pi), rel=1e-8)  # natural frequency
    assert np.isinf(found.rate_mean_squares[1])
    assert found.level_crossings(found.rms)[0] == pytest.approx(20.0 / (2.0 * np.pi) * np.exp(-0.5), rel=1e-8)
    with pytest.raises(fx.ModelError, match="straight to the output 'a'"):
        oscillator().random({0: 1.0})


def test_a_table_and_a_filter_agree() -> None:
    linear = oscillator()
    shaped = fx.FirstOrderSpectrum(3.0, corner=2.0)
    f = np.geomspace(1e-4, 1e4, 4001)
    table = fx.TableSpectrum(f, shaped(f))
    a, b = linear.random({0: shaped}), linear.random({0: table})
    assert a.mean_squares == pytest.approx(b.mean_squares, rel=2e-4)
    assert a.rate_mean_squares[:2] == pytest.approx(b.rate_mean_squares[:2], rel=2e-3)
    assert a.spectrum([1.0, 3.2]) == pytest.approx(b.spectrum([1.0, 3.2]), rel=1e-4)
    at = 3.2
    H = np.abs(linear.transfer(2.0 * np.pi * at)[:, 0]) ** 2
    assert a.spectrum([at])[0] == pytest.approx(H * 3.0 / (at**2 + 4.0))
    assert a.plot(np.geomspace(0.1, 100.0, 50)).get_xscale() == "log"


def test_what_is_refused() -> None:
    linear = oscillator(c=0.0)
    with pytest.raises(fx.ModelError, match="does not decay"):
        linear.random({0: fx.FirstOrderSpectrum(1.0, 1.0)})
    damped = oscillator()
    with pytest.raises(fx.ModelError, match="mapping"):
        damped.random([])  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="input named 'wind'"):
        damped.random({"wind": 1.0})
    with pytest.raises(fx.ModelError, match="TableSpectrum"):
        damped.random({0: lambda f: f})
    with pytest.raises(fx.ModelError, match="ascend"):
        fx.TableSpectrum([2.0, 1.0], [1.0, 1.0])


def test_white_noise_on_a_small_stiff_part() -> None:
    """22 kHz in metres: rates are 1e5 times the displacements; the mean square is S0 / (4 c k) of a level of one."""
    found = oscillator(1e-3, 1.0, 2e7).part(outputs=["x"]).random({0: 1.0})
    assert found.mean_squares == pytest.approx([1.0 / (4.0 * 1.0 * 2e7)], rel=1e-8)


def power_law(f_0: float, zeta: float, low: float, high: float, slope: int) -> float:
    """Integral of (f / low)^slope |H|^2, H = 1 / (1 - r^2 + 2 i zeta r) with r = f / f_0, of even slopes <= 2.

    |H|^2 = Im(1 / (r^2 - q^2)) / Im(q^2) with q = sqrt(1 - zeta^2) + i zeta; for negative slopes by
    r^-n / (r^2 - q^2) = (r^(2 - n) / (r^2 - q^2) - r^-n) / q^2, and r^2 / (r^2 - q^2) = 1 + q^2 / (r^2 - q^2).
    """
    q = np.sqrt(1.0 - zeta**2) + 1j * zeta
    a, b = low / f_0, high / f_0
    value = (np.log(b - q) - np.log(b + q) - np.log(a - q) + np.log(a + q)) / (2.0 * q)
    if slope > 0:
        value = b - a + q**2 * value
    for n in range(2, -slope + 1, 2):
        value = (value - (b ** (1 - n) - a ** (1 - n)) / (1 - n)) / q**2
    return float(value.imag / (q**2).imag * f_0 * (f_0 / low) ** slope)


@pytest.mark.parametrize("slope", [0, -2, -4])
@pytest.mark.parametrize("zeta", [1e-4, 0.02, 0.3])
@pytest.mark.parametrize("f_0", [0.3, 200.0])
def test_tables_of_two_points(f_0: float, zeta: float, slope: int) -> None:
    """A power law over decades, with the resonance within the table or beyond it.

    The quadrature is converged to 1e-8; 1 / zeta of the digits of the closed form are lost by cancellation.
    """
    low, high, k = 0.01, 100.0, 2.0 * (2.0 * np.pi * f_0) ** 2
    table = fx.TableSpectrum([low, high], [1.0, (high / low) ** slope])
    found = oscillator(2.0, 2.0 * zeta * np.sqrt(2.0 * k), k).part(outputs=["x"]).random({0: table})
    assert found.mean_squares[0] * k**2 == pytest.approx(power_law(f_0, zeta, low, high, slope), rel=1e-7)
    rate = (2.0 * np.pi * low) ** 2 * power_law(f_0, zeta, low, high, slope + 2)
    assert found.rate_mean_squares[0] * k**2 == pytest.approx(rate, rel=1e-7)


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-8])
def test_a_narrow_table_beside_a_resonance(width: float) -> None:
    """Flat over a fraction of the half width: |H|^2 is straight there, with a curvature of (width / zeta)^2 / 12."""
    zeta, f_0 = 0.5, 3.0
    k = 2.0 * (2.0 * np.pi * f_0) ** 2
    low, high = f_0, f_0 * (1.0 + width)
    found = oscillator(2.0, 2.0 * zeta * np.sqrt(2.0 * k), k).part(outputs=["x"]).random({
        0: fx.TableSpectrum([low, high], [1.0, 1.0])
    })  # fmt: skip
    r = 0.5 * (low + high) / f_0
    middle = (high - low) / ((1.0 - r**2) ** 2 + (2.0 * zeta * r) ** 2)
    assert found.mean_squares[0] * k**2 == pytest.approx(middle, rel=width**2 + 1e-7)


def test_two_light_resonances_by_another_quadrature() -> None:
    """Two masses with damping ratios of 1e-4, a table of four points, and the difference of equal motions, zero."""
    K, M, D = np.array([[1100.0, -300.0], [-300.0, 1100.0]]), 2.0, 0.008
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K / M, -D / M * np.eye(2)]])
    B = np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 0.25], [0.0, 0.25]])
    C = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0]])
    linear = fx.LinearModel(A, B, C, np.zeros((2, 2)), ("a", "b", "va", "vb"), ("p", "q"), ("x", "d"), np.zeros(2))
    table = fx.TableSpectrum([0.1, 1.0, 3.3, 50.0], [1.0, 4.0, 0.3, 0.01])

    def density(f: float) -> float:
        w = 2.0 * np.pi * f
        return float(np.abs(np.linalg.solve(K - w**2 * M * np.eye(2) + 1j * w * D * np.eye(2), [1.0, 0.0])[0]) ** 2)

    modes = np.sqrt(np.array([800.0, 1400.0]) / M) / (2.0 * np.pi)
    width = D / M / (4.0 * np.pi)
    ends = np.unique(
        [0.1, 1.0, 3.3, 50.0, *(m + s * width * 8.0**i for m in modes for s in (-1, 0, 1) for i in range(5))]
    )
    exact = sum(
        quad(lambda f: density(f) * table(f), a, b, epsrel=1e-10, epsabs=0.0, limit=400)[0]
        for a, b in pairwise(ends[(ends >= 0.1) & (ends <= 50.0)])
    )
    assert linear.random({"p": table}).mean_squares[0] == pytest.approx(exact, rel=1e-7)
    both = linear.random({"q": table}).mean_squares
    assert both[1] <= 1e-20 * both[0]


def test_points_of_tables_that_rounding_decides_about() -> None:
    with pytest.raises(fx.ModelError, match="nearer to each other"):
        fx.TableSpectrum([1.0, 1.0 + 1e-12], [1.0, 2.0])
