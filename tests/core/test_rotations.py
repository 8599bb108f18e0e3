"""Rotations against matrix exponentials, power series and differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import (
    as_rotation,
    axis_rotation,
    exponential,
    from_quaternion,
    from_vector,
    logarithm,
    matrix_quaternion,
    quaternion_matrix,
    quaternion_product,
    retract_quaternion,
    skew,
    tangent,
    to_quaternion,
    to_vector,
)

directions = arrays(np.float64, 3, elements=st.floats(-1, 1)).filter(lambda v: np.linalg.norm(v) > 1e-3)
sizes = st.floats(0.0, 3.1) | st.floats(-12, 0).map(lambda e: 10.0**e) | st.sampled_from([0.0, 0.25, 0.2499999])
vectors = st.builds(lambda n, t: t * n / np.linalg.norm(n), directions, sizes)


def series(th: Any, terms: int = 50) -> Any:
    """T = sum (-th~)^k / (k + 1)!, the power series of (1 - exp(-x)) / x at x = th~."""
    out, power = np.eye(3), np.eye(3)
    for k in range(1, terms):
        power = power @ -skew(th) / (k + 1)
        out = out + power
    return out


@settings(deadline=None)
@given(vectors)
def test_exponential_is_that_of_the_skew_matrix(th: Any) -> None:
    assert from_vector(th) == pytest.approx(expm(skew(th)), abs=1e-14)


@settings(deadline=None)
@given(vectors)
def test_logarithm_undoes_the_exponential(th: Any) -> None:
    assert to_vector(from_vector(th)) == pytest.approx(th, abs=2e-15, rel=1e-13)
    assert np.array(logarithm(exponential(*th.tolist()))) == pytest.approx(th, abs=1e-300, rel=1e-14)


@settings(deadline=None)
@given(directions, st.floats(-16, -3).map(lambda e: 10.0**e))
def test_logarithm_near_half_a_turn(n: Any, below: float) -> None:
    th = (math.pi - below) * n / np.linalg.norm(n)
    assert to_vector(from_vector(th)) == pytest.approx(th, abs=1e-14) or below < 1e-14
    back = to_vector(from_vector(th))
    assert np.linalg.norm(back) <= math.pi * (1 + 1e-15)
    assert from_vector(back) == pytest.approx(from_vector(th), abs=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_half_a_turn_about_an_axis(axis: int) -> None:
    assert np.abs(to_vector(np.diag(np.where(np.arange(3) == axis, 1.0, -1.0)))) == pytest.approx(
        math.pi * np.eye(3)[axis]
    )


@settings(deadline=None)
@given(vectors)
def test_tangent_operator_is_its_series(th: Any) -> None:
    assert tangent(th) == pytest.approx(series(th), abs=2e-14)


@settings(deadline=None)
@given(directions, st.floats(0.0, 6.0))
def test_inverse_of_the_tangent_operator(n: Any, angle: float) -> None:
    th = angle * n / np.linalg.norm(n)
    assert tangent(th) @ tangent(th, inverse=True) == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize("s", [0.0625 * (1 - 1e-9), 0.0625 * (1 + 1e-9)])
def test_series_meet_the_closed_forms(s: float) -> None:
    th = math.sqrt(s) * np.array([2.0, -1.0, 2.0]) / 3.0
    assert tangent(th) == pytest.approx(series(th), abs=1e-15)
    assert tangent(th, inverse=True) == pytest.approx(np.linalg.inv(series(th)), abs=1e-15)


@settings(deadline=None)
@given(vectors, directions)
def test_tangent_operator_is_the_change_in_own_axes(th: Any, d: Any) -> None:
    h = 1e-5
    R = from_vector(th)
    change = (to_vector(R.T @ from_vector(th + h * d)) - to_vector(R.T @ from_vector(th - h * d))) / (2 * h)
    assert tangent(th) @ d == pytest.approx(change, abs=1e-9)


@settings(deadline=None)
@given(vectors, vectors)
def test_products_of_quaternions_are_products_of_matrices(a: Any, b: Any) -> None:
    product = quaternion_product(exponential(*a.tolist()), exponential(*b.tolist()))
    assert from_quaternion(product) == pytest.approx(expm(skew(a)) @ expm(skew(b)), abs=1e-13)


@settings(deadline=None)
@given(vectors, vectors)
def test_retraction_composes_on_the_right_and_keeps_unit_length(a: Any, b: Any) -> None:
    q = np.zeros(9)
    q[2:6] = to_quaternion(from_vector(a))
    out = np.full(7, 5.0)
    retract_quaternion(q, 2, *b.tolist(), out, 1)
    assert np.linalg.norm(out[1:5]) == pytest.approx(1.0, abs=1e-15)
    assert out[[0, 5, 6]].tolist() == [5.0, 5.0, 5.0]
    assert from_quaternion(out[1:5]) == pytest.approx(from_vector(a) @ from_vector(b), abs=1e-14)


def test_retraction_in_place_does_not_drift() -> None:
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(10_000):
        retract_quaternion(q, 0, 0.01, 0.02, -0.02, q, 0)
    assert from_quaternion(q) == pytest.approx(from_vector(10_000 * np.array([0.01, 0.02, -0.02])), abs=1e-11)


def test_the_derivative_of_the_exponential_at_zero_is_the_skew_matrix() -> None:
    d, h = np.array([0.3, -0.5, 0.7]), 1e-6
    assert (from_vector(h * d) - from_vector(-h * d)) / (2 * h) == pytest.approx(skew(d), abs=1e-10)


@settings(deadline=None)
@given(vectors)
def test_quaternions_and_matrices_agree_with_scipy(th: Any) -> None:
    reference = Rotation.from_rotvec(th)
    x, y, z, w = reference.as_quat()
    assert from_quaternion((w, x, y, z)) == pytest.approx(reference.as_matrix(), abs=1e-14)
    q = np.array(matrix_quaternion(reference.as_matrix()[None], 0))
    assert q[0] >= 0
    expected = np.array((w, x, y, z))
    assert min(np.abs(q - expected).max(), np.abs(q + expected).max()) < 1e-14


def test_a_matrix_is_written_into_its_place() -> None:
    R = np.zeros((3, 3, 3))
    quaternion_matrix(np.array([0.0, math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]), 1, R, 2)
    assert R[2] == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15)
    assert not R[:2].any()


@pytest.mark.parametrize("axis", range(3))
def test_rotation_about_an_axis(axis: int) -> None:
    assert axis_rotation(axis, 0.7) == pytest.approx(expm(0.7 * skew(np.eye(3)[axis])), abs=1e-15)


@settings(deadline=None)
@given(vectors)
def test_every_form_of_a_rotation_is_understood(th: Any) -> None:
    R = expm(skew(th))
    x, y, z, w = Rotation.from_rotvec(th).as_quat()
    for form in (R, R.tolist(), (w, x, y, z), (-w, -x, -y, -z), Rotation.from_rotvec(th), R.round(8)):
        given_ = as_rotation("it", "rotation", form)
        assert given_ == pytest.approx(R, abs=2e-8)
        assert given_.T @ given_ == pytest.approx(np.eye(3), abs=1.1e-14)
        assert as_rotation("it", "rotation", given_).tolist() == given_.tolist()


def test_no_rotation_given_is_none() -> None:
    assert as_rotation("it", "rotation", None).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.diag([1.0, 1.0, -1.0]), "determinant"),
        (2 * np.eye(3), "orthogonal"),
        (np.array([[0.866, -0.5, 0], [0.5, 0.866, 0], [0, 0, 1]]), "all digits"),
        ((1.0, 1.0, 0.0, 0.0), "unit length"),
        ((0.0, 0.0, 0.0, 0.0), "unit length"),
        ((1.0, 0.0, 0.0), "rotation matrix"),
        ([[1.0], [2.0, 3.0]], "rotation matrix"),
        ("x", "rotation matrix"),
        (0.3, "rotation matrix"),
        (np.full((3, 3), np.nan), "finite"),
        ((math.inf, 0, 0, 0), "finite"),
    ],
)
def test_what_is_no_rotation_is_refused(value: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        as_rotation("it", "rotation", value)
