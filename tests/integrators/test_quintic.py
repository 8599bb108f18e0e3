"""The quintic between two states, against a motion in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.rotations import tangent, to_vector
from flexmbs.integrators.chart import curve_motion, motion_curve
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.quintic import QuinticInterpolant

MOMENTUM, BODY = np.array([2.0, 0.0, 9.0]), np.array([0.0, 0.0, -4.0])


def state(t: float) -> StepState:
    """A coordinate sin t before a body on a parabola, which turns as a free symmetric one: exp(t L) exp(t b)."""
    R = Rotation.from_rotvec(MOMENTUM * t) * Rotation.from_rotvec(BODY * t)
    spin = Rotation.from_rotvec(BODY * t).inv()
    omega = spin.apply(MOMENTUM) + BODY
    alpha = -np.cross(BODY, spin.apply(MOMENTUM))
    w = R.as_quat()[[3, 0, 1, 2]]
    q = np.concatenate(([np.sin(t), 1.0, 2.0 * t, t * t], w))
    v, a = np.concatenate(([np.cos(t), 0.0, 2.0, 2.0 * t], omega)), np.concatenate(([-np.sin(t), 0, 0, 2.0], alpha))
    return StepState(t, q, v, a, a, np.array([t]), v, 0.0)


def gaps(found: StepState, exact: StepState) -> tuple[float, float, float]:
    turn = Rotation.from_quat(found.q[[5, 6, 7, 4]]).inv() * Rotation.from_quat(exact.q[[5, 6, 7, 4]])
    q = max(turn.magnitude(), np.abs(found.q[:4] - exact.q[:4]).max())
    return q, np.abs(found.v - exact.v).max(), np.abs(found.a - exact.a).max()


def test_both_ends_are_met() -> None:
    old, new = state(0.3), state(0.4)
    between = QuinticInterpolant(old, new, 1)
    assert between(0.3) is old
    assert between(0.4) is new
    for t in (0.3 + 1e-12, 0.4 - 1e-12):
        assert gaps(between(t), state(t)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-8)


def test_order_between_the_ends() -> None:
    """Order 6 of positions, 5 of velocities, 4 of accelerations; multipliers on a line."""
    steps, errors = (0.1, 0.05, 0.025), []
    for h in steps:
        between = QuinticInterpolant(state(0.3), state(0.3 + h), 1)
        errors.append(np.max([gaps(between(0.3 + x * h), state(0.3 + x * h)) for x in (0.2, 0.37, 0.71)], axis=0))
        assert between(0.3 + 0.25 * h).lam == pytest.approx([0.3 + 0.25 * h])
    orders = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert (orders > np.array([5.7, 4.7, 3.7])).all()


def test_back_in_time() -> None:
    between = QuinticInterpolant(state(0.4), state(0.35), 1)
    assert gaps(between(0.37), state(0.37)) == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.4999, 0.5001, 2.0])
def test_second_derivatives_in_the_chart(size: float) -> None:
    """v = T th', dv/dt by differences; and the way back."""
    r = np.random.default_rng(5)
    x, d, dd = size * np.array([0.6, -0.64, 0.48]), r.standard_normal(3), r.standard_normal(3)
    pad = np.zeros(3)
    v, a = np.empty(6), np.empty(6)
    curve_motion(np.r_[pad, x], np.r_[pad, d], np.r_[pad, dd], 0, v, a)
    assert v[3:] == pytest.approx(tangent(x) @ d, abs=1e-14)
    h = 1e-5
    ahead, behind = (tangent(x + s * d + s * s / 2 * dd) @ (d + s * dd) for s in (h, -h))
    assert a[3:] == pytest.approx((ahead - behind) / (2 * h), abs=1e-9)
    rate, second = np.empty(6), np.empty(6)
    motion_curve(np.r_[pad, x], v, a, 0, rate, second)
    assert rate[3:] == pytest.approx(d, abs=1e-13)
    assert second[3:] == pytest.approx(dd, abs=1e-12)


def test_the_chart_is_that_of_the_rotations() -> None:
    """exp(th) of the interpolant turns the body: th from the matrices."""
    old, new = state(0.0), state(0.05)
    R = Rotation.from_quat(old.q[[5, 6, 7, 4]]).inv() * Rotation.from_quat(new.q[[5, 6, 7, 4]])
    between = QuinticInterpolant(old, new, 1)
    assert sum(between.coefficients)[4:] == pytest.approx(to_vector(R.as_matrix()), abs=1e-13)
