"""Random response against closed forms, and Lyapunov's equation against quadrature."""

from __future__ import annotations

import numpy as np
import pytest

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
