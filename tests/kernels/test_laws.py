"""Laws of scalar forces: values by hand, derivatives against differences, energies against quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx
from flexmbs.kernels.laws import CURVES, FRICTION, GIVEN, LINEAR, MATRIX, STOP, law, matrix_law, power_part
from flexmbs.model.forces.force_curve import ForceCurve, as_part
from flexmbs.model.forces.row_force import RowForce, pack
from flexmbs.model.forces.user_law import user_law

NONE = np.zeros((0, 4))
CURVE = ForceCurve((-1.0, -0.4, 0.1, 0.7, 1.5), (-3.0, -1.0, 0.5, 1.0, 4.0))
BEND = CURVE.part()
SOFTER = ForceCurve((-2.0, -0.8, 0.0, 0.8, 2.0), (-2.0, -1.2, 0.0, 1.5, 2.5)).part()
CUBIC = power_part((2.0, -0.5, 3.0))
LAWS = {
    "linear": (LINEAR, (30.0, 0.2, 4.0, 1.5)),
    "polynomials": (CURVES, (0.1, 0.7, float(len(CUBIC)), *CUBIC, *power_part((0.3, 0.0, 0.2)))),
    "curves": (CURVES, (0.1, 0.7, float(len(BEND)), *BEND, *SOFTER)),
    "curve and damper": (CURVES, (-0.2, 0.0, float(len(BEND)), *BEND, *power_part((2.0,)))),
    "stop": (STOP, (50.0, 1.5, 0.3, -0.35, 0.4)),
    "linear stop": (STOP, (50.0, 1.0, 0.1, -math.inf, 0.4)),
    "friction": (FRICTION, (2.0, 3.0, 0.4, 0.05, 0.6)),
}
POINTS = [(0.05, 0.2), (0.9, -0.7), (-0.8, 0.4), (2.3, 0.03), (-1.9, -1.2), (0.41, 1.1)]


def evaluate(kind: int, numbers: tuple[float, ...], s: float, rate: float) -> tuple[float, float, float, float]:
    """The law with its numbers behind others, as in a system."""
    return law(kind, 2, np.array((9.0, 9.0, *numbers)), s, rate, 0.0, NONE)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("s", "rate"), POINTS)
def test_derivatives_are_those_of_the_force(name: str, s: float, rate: float) -> None:
    kind, numbers = LAWS[name]
    _, by_s, by_rate, _ = evaluate(kind, numbers, s, rate)
    h = 1e-6
    over_s = (evaluate(kind, numbers, s + h, rate)[0] - evaluate(kind, numbers, s - h, rate)[0]) / (2 * h)
    over_rate = (evaluate(kind, numbers, s, rate + h)[0] - evaluate(kind, numbers, s, rate - h)[0]) / (2 * h)
    assert by_s == pytest.approx(over_s, rel=1e-6, abs=1e-7)
    assert by_rate == pytest.approx(over_rate, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("name", sorted(set(LAWS) - {"friction"}))
@pytest.mark.parametrize(("s", "rate"), POINTS)
def test_energy_is_the_work_done_at_rest(name: str, s: float, rate: float) -> None:
    kind, numbers = LAWS[name]
    work, _ = quad(lambda x: evaluate(kind, numbers, x, 0.0)[0], 0.1, s, limit=200, points=[-0.35, 0.4])
    gained = evaluate(kind, numbers, s, rate)[3] - evaluate(kind, numbers, 0.1, rate)[3]
    assert gained == pytest.approx(work, rel=1e-7, abs=1e-8)


def test_values_by_hand() -> None:
    assert evaluate(*LAWS["linear"], 0.7, -2.0) == pytest.approx((30 * 0.5 - 8 + 1.5, 30.0, 4.0, 3.75 + 0.75))
    x, u = 0.3, 2.0
    force = 2 * x - 0.5 * x**2 + 3 * x**3 + 0.3 * u + 0.2 * u**3 + 0.7
    assert evaluate(*LAWS["polynomials"], 0.4, 2.0)[0] == pytest.approx(force)
    assert evaluate(*LAWS["stop"], 0.0, 5.0) == (0.0, 0.0, 0.0, 0.0)
    assert evaluate(*LAWS["stop"], 0.5, 2.0)[0] == pytest.approx(50 * 0.1**1.5 * 1.6)
    assert evaluate(*LAWS["stop"], -0.6, -2.0)[0] == pytest.approx(-50 * 0.25**1.5 * 1.6)
    assert evaluate(*LAWS["friction"], 0.0, 30.0)[0] == pytest.approx(2.0 + 0.6 * 30.0)


def test_a_stop_never_pulls_and_gives_its_energy_back_but_for_damping() -> None:
    """Leaving faster than 1/c would need a pull, which is left out."""
    kind, numbers = LAWS["stop"]
    assert evaluate(kind, numbers, 0.5, -1.0 / 0.3 - 0.1)[0] == 0.0
    assert 0.0 < evaluate(kind, numbers, 0.5, -1.0)[0] < evaluate(kind, numbers, 0.5, 1.0)[0]
    assert evaluate(kind, numbers, 0.4 + 1e-12, 1.0)[0] == pytest.approx(0.0, abs=1e-15)


def test_friction_dissipates_and_is_odd() -> None:
    kind, numbers = LAWS["friction"]
    rates = np.linspace(-2.0, 2.0, 41)
    forces = np.array([evaluate(kind, numbers, 0.0, u)[0] for u in rates])
    assert np.all(forces * rates >= 0.0)
    assert forces == pytest.approx(-forces[::-1])
    assert forces.max() > 2.0, "the falling characteristic starts above the sliding force"


def test_curve_passes_its_points_and_goes_on_straight() -> None:
    kind, numbers = CURVES, (0.0, 0.0, float(len(BEND)), *BEND, 0.0)
    for x, value in zip(CURVE.points, CURVE.values, strict=True):
        assert evaluate(kind, numbers, float(x), 0.0)[0] == pytest.approx(value)
    for x in (-4.0, -0.7, 0.3, 5.0):
        assert evaluate(kind, numbers, x, 0.0)[0] == pytest.approx(CURVE(x))
    slopes = [evaluate(kind, numbers, x, 0.0)[1] for x in (1.5, 2.0, 9.0)]
    assert slopes == pytest.approx([slopes[0]] * 3)
    zero = min((evaluate(kind, numbers, x, 0.0)[3], x) for x in np.linspace(-1, 1.5, 5001))
    assert zero[0] == pytest.approx(0.0, abs=1e-6)
    assert CURVE(zero[1]) == pytest.approx(0.0, abs=1e-3)


def test_curve_through_a_line_is_that_line() -> None:
    part = ForceCurve((-1.0, 0.0, 2.0), (-5.0, 0.0, 10.0)).part()
    value, slope, _, energy = evaluate(CURVES, (0.0, 0.0, float(len(part)), *part, 0.0), 3.0, 0.0)
    assert (value, slope, energy) == pytest.approx((15.0, 5.0, 22.5))


def test_matrix_law() -> None:
    rng = np.random.default_rng(1)
    n = 3
    K, C, s0, F0 = rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n)
    data = np.concatenate(([7.0], [n], K.ravel(), C.ravel(), s0, F0))
    s, rate, F = rng.normal(size=n), rng.normal(size=n), np.zeros(n)
    energy = matrix_law(1, data, s, rate, F)
    assert pytest.approx(K @ (s - s0) + C @ rate + F0) == F
    assert energy == pytest.approx(0.5 * (s - s0) @ K @ (s - s0) + F0 @ (s - s0))


def test_pack_numbers_the_given_forces() -> None:
    marker = object()
    forces = [
        RowForce(marker, marker, (), LINEAR, (1.0, 2.0, 3.0, 4.0)),
        RowForce(marker, marker, (), GIVEN),
        RowForce(marker, marker, (), STOP, (1.0, 1.0, 0.0, -1.0, 1.0)),
        RowForce(marker, marker, (), GIVEN),
        RowForce(marker, marker, (), MATRIX, (0.0,)),
    ]
    laws, where, data = pack(forces)
    assert laws.tolist() == [LINEAR, GIVEN, STOP, GIVEN, MATRIX]
    assert where.tolist() == [0, 4, 5, 10, 11]
    given = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    assert law(GIVEN, where[1], data, 0.0, 0.0, 0.0, given) == (1.0, 2.0, 3.0, 4.0)
    assert law(GIVEN, where[3], data, 0.0, 0.0, 0.0, given) == (5.0, 6.0, 7.0, 8.0)


def test_user_law_by_differences_and_with_derivatives() -> None:
    def force(s: float, rate: float, t: float) -> float:
        return math.sin(3 * s) * t + rate**3

    expected = (math.sin(0.6) * 2 + 0.027, 3 * math.cos(0.6) * 2, 0.27, 0.0)
    differences = user_law("spring", force, None)
    assert differences(0.2, 0.3, 2.0) == pytest.approx(expected, rel=1e-7)
    assert "differences" in differences.report
    given = user_law("motor", force, lambda s, u, t: (3 * math.cos(3 * s) * t, 3 * u * u), sign=-1.0)
    assert given(0.2, 0.3, 2.0) == pytest.approx([-e for e in expected])
    assert "given" in given.report


def test_user_law_tells_what_failed_and_where() -> None:
    with pytest.raises(fx.ModelError, match=r"spring: force\(0\.2, 0\.3, 2\).*ZeroDivisionError"):
        user_law("spring", lambda s, u, t: 1 / 0, None)(0.2, 0.3, 2.0)
    with pytest.raises(fx.ModelError, match=r"force\(0\.2, 0\.3, 2\) must be finite"):
        user_law("spring", lambda s, u, t: math.nan, None)(0.2, 0.3, 2.0)
    with pytest.raises(fx.ModelError, match=r"derivatives\(0\.2, 0\.3, 2\) must have shape \(2,\)"):
        user_law("spring", lambda s, u, t: 1.0, lambda s, u, t: (1.0,))(0.2, 0.3, 2.0)
    with pytest.raises(fx.ModelError, match=r"derivatives must be a function of \(coordinate, rate, t\)"):
        user_law("spring", lambda s, u, t: 1.0, lambda s: (1.0,))
    with pytest.raises(fx.ModelError, match="force must be a function"):
        user_law("spring", 3.0, None)
    with pytest.raises(fx.ModelError, match="derivatives must be a function"):
        user_law("spring", lambda s, u, t: 1.0, 2.0)


def test_bad_curves() -> None:
    with pytest.raises(fx.ModelError, match="ascend"):
        ForceCurve((0.0, 0.0), (1.0, 2.0))
    with pytest.raises(fx.ModelError, match="at least two"):
        ForceCurve((0.0,), (1.0,))
    with pytest.raises(fx.ModelError, match="shape"):
        ForceCurve((0.0, 1.0), (1.0, 2.0, 3.0))
    with pytest.raises(fx.ModelError, match="finite"):
        ForceCurve((0.0, 1.0), (1.0, math.inf))
    with pytest.raises(fx.ModelError, match="at least 0"):
        as_part("spring", "stiffness", -1.0, "force/length")
    with pytest.raises(fx.ModelError, match="must be a number"):
        as_part("spring", "stiffness", "stiff", "force/length")
