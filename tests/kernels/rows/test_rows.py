"""Rows between two markers: values against their definitions, gradients and Hessians against differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from flexmbs.kernels.rows.rows import (
    ALONG,
    ANGLE,
    BALL_SLIP,
    DISTANCE,
    HEIGHT,
    INERTIAL,
    ORTHOGONAL,
    SLIP,
    VECTOR,
    curvature,
    moves,
    row_gradient,
    row_hessian,
    row_value,
    turns,
)
from flexmbs.kernels.rows.rows import KINDS as ALL_KINDS

KINDS = {
    "INERTIAL": INERTIAL,
    "ALONG": ALONG,
    "ORTHOGONAL": ORTHOGONAL,
    "DISTANCE": DISTANCE,
    "ANGLE": ANGLE,
    "VECTOR": VECTOR,
    "HEIGHT": HEIGHT,
    "SLIP": SLIP,
    "BALL_SLIP": BALL_SLIP,
}
VELOCITY_ONLY = (SLIP, BALL_SLIP)
STEP = 1e-3
WEIGHTS = ((1, 45.0 / 60.0), (2, -9.0 / 60.0), (3, 1.0 / 60.0))  # central differences of order six


def moved(p, R, increment):
    """Both markers moved by (dp_A, dth_A, dp_B, dth_B), the rotations in their own axes."""
    p, R = p.copy(), R.copy()
    for m in range(2):
        p[m] += increment[6 * m : 6 * m + 3]
        R[m] = R[m] @ Rotation.from_rotvec(increment[6 * m + 3 : 6 * m + 6]).as_matrix()
    return p, R


def gradient(kind, c, near, p, R):
    """Value and gradient of a row."""
    G = np.full((2, 12), np.nan)
    value = row_gradient(kind, 0, c, near, 0, 1, p, R, G, 1)
    assert np.isnan(G[0]).all()  # only the row asked for is written
    return value, G[1]


def check_derivatives(kind, c, p, R, tolerance=1e-8):
    """Gradient and Hessian of a row against central differences."""
    near = np.array([row_value(kind, 0, c, np.zeros(1), 0, 1, p, R)])
    value, G = gradient(kind, c, near, p, R)
    assert value == pytest.approx(near[0], abs=1e-14)
    H = np.ones((12, 12))
    row_hessian(kind, 0, c, near, 0, 1, p, R, 2.5, H)
    H = (H - 1.0) / 2.5
    numeric_G, numeric_H = np.zeros(12), np.zeros((12, 12))
    for k in range(12):
        for m, weight in WEIGHTS:
            for sign in (1.0, -1.0):
                increment = np.zeros(12)
                increment[k] = sign * m * STEP
                value, there = gradient(kind, c, near, *moved(p, R, increment))
                numeric_G[k] += sign * weight * value / STEP
                numeric_H[:, k] += sign * weight * there / STEP
    if kind not in VELOCITY_ONLY:
        assert np.abs(G - numeric_G).max() < tolerance * np.abs(G).max()
    assert np.abs(H - numeric_H).max() < tolerance * max(1.0, np.abs(H).max())


def constants(kind, rng):
    """Random constants, for slip along a direction in the plane."""
    c = rng.normal(size=(1, 12))
    if kind in (HEIGHT, SLIP, BALL_SLIP):
        c[0, 6] = rng.uniform(0.1, 2.0)
    if kind in VELOCITY_ONLY:
        c[0, 2] = 0.0
    return c


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_derivatives_at_random_poses(kind):
    rng = np.random.default_rng(kind)
    for _ in range(20):
        p, R = rng.normal(size=(2, 3)), Rotation.random(2, random_state=rng).as_matrix()
        if kind in (HEIGHT, SLIP):  # a disk that lies flat has no lowest point
            while abs((R[0].T @ R[1])[2, 2]) > 0.95:
                R[1] = Rotation.random(random_state=rng).as_matrix()
        if kind == ANGLE:  # nor has a turn an axis where z_B = -z_A
            while (R[0].T @ R[1])[2, 2] < -0.8:
                R[1] = Rotation.random(random_state=rng).as_matrix()
        if kind == VECTOR:  # and the rotation vector jumps at half a turn
            while Rotation.from_matrix(R[0].T @ R[1]).magnitude() > 3.0:
                R[1] = Rotation.random(random_state=rng).as_matrix()
        check_derivatives(kind, constants(kind, rng), p, R)


@pytest.mark.parametrize("kind", [kind.number for kind in ALL_KINDS if not kind.contact], ids=lambda n: f"kind {n}")
def test_what_is_known_of_a_kind_holds_of_its_derivatives(kind):
    """Places that do not count, rotations that do not, and gradients that are constant are left out elsewhere."""
    rng = np.random.default_rng(100 + kind)
    gradients = []
    for _ in range(5):
        p, R = rng.normal(size=(2, 3)), Rotation.random(2, random_state=rng).as_matrix()
        c = constants(kind, np.random.default_rng(kind))
        near = np.array([row_value(kind, 0, c, np.zeros(1), 0, 1, p, R)])
        G, H = gradient(kind, c, near, p, R)[1], np.zeros((12, 12))
        row_hessian(kind, 0, c, near, 0, 1, p, R, 1.0, H)
        for by, still in ((moves(kind), [0, 1, 2, 6, 7, 8]), (turns(kind), [3, 4, 5, 9, 10, 11])):
            if by == 0:
                assert not G[still].any()
                assert not H[still].any()
                assert not H[:, still].any()
        if curvature(kind) < 2:
            assert not H[[0, 1, 2, 6, 7, 8]].any()
            assert not H[:, [0, 1, 2, 6, 7, 8]].any()
        if curvature(kind) == 0:
            assert not H.any()
        gradients.append(G)
    assert (np.ptp(gradients, axis=0) == 0.0).all() == (curvature(kind) == 0)


number = st.floats(-3.0, 3.0)
vector = st.tuples(number, number, number)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from([INERTIAL, ALONG, ORTHOGONAL, ANGLE, VECTOR, BALL_SLIP]),
    turn=vector,
    small=st.tuples(*3 * [st.floats(-1.0, 1.0)]),
    size=st.sampled_from([0.0, 1e-15, 1e-9, 1e-4, 1e-2, 0.3, 1.0]),
    d=vector,
    seed=st.integers(0, 1000),
)
def test_derivatives_at_close_orientations(kind, turn, small, size, d, seed):
    first = Rotation.from_rotvec(turn)
    R = np.array([first.as_matrix(), (first * Rotation.from_rotvec(size * np.array(small))).as_matrix()])
    check_derivatives(kind, constants(kind, np.random.default_rng(seed)), np.array([[0.0, 0.0, 0.0], d]), R)


def test_values_by_definition():
    rng = np.random.default_rng(3)
    p, R, c = rng.normal(size=(2, 3)), Rotation.random(2, random_state=rng).as_matrix(), rng.normal(size=(1, 12))
    e, b, d, near = c[0, :3], c[0, 3:6], p[1] - p[0], np.zeros(1)

    def value(kind):
        return row_value(kind, 0, c, near, 0, 1, p, R)

    assert value(INERTIAL) == pytest.approx(e @ d)
    assert value(ALONG) == pytest.approx((R[0] @ e) @ d)
    assert value(ORTHOGONAL) == pytest.approx((R[0] @ e) @ (R[1] @ b))
    assert value(DISTANCE) == pytest.approx(np.linalg.norm(d))
    assert value(VECTOR) == pytest.approx(
        e @ (Rotation.from_matrix(R[0]).inv() * Rotation.from_matrix(R[1])).as_rotvec()
    )
    assert value(SLIP) == value(BALL_SLIP) == 0.0
    assert np.isnan(value(99))
    assert np.isnan(gradient(99, c, near, p, R)[1]).all()


def test_height_is_that_of_the_lowest_point_of_the_rim():
    rng = np.random.default_rng(5)
    p, R = rng.normal(size=(2, 3)), Rotation.random(2, random_state=rng).as_matrix()
    c = np.zeros((1, 12))
    c[0, 6] = 0.7
    phi = np.linspace(0.0, 2.0 * np.pi, 200_001)
    rim = p[1] + 0.7 * (np.outer(np.cos(phi), R[1][:, 0]) + np.outer(np.sin(phi), R[1][:, 1]))
    expected = ((rim - p[0]) @ R[0][:, 2]).min()
    assert row_value(HEIGHT, 0, c, np.zeros(1), 0, 1, p, R) == pytest.approx(expected, abs=1e-9)


def test_slip_is_the_velocity_of_the_material_at_the_lowest_point():
    rng = np.random.default_rng(6)
    p, R, twists = rng.normal(size=(2, 3)), Rotation.random(2, random_state=rng).as_matrix(), rng.normal(size=12)
    c = np.zeros((1, 12))
    c[0, :3], c[0, 6] = (0.6, -0.8, 0.0), 0.7
    n, w = R[0][:, 2], R[1][:, 2]
    u = np.cross(w, np.cross(w, n))
    for kind, down in ((SLIP, u / np.linalg.norm(u)), (BALL_SLIP, -n)):
        contact = p[1] + 0.7 * down
        of_a = twists[:3] + np.cross(R[0] @ twists[3:6], contact - p[0])
        of_b = twists[6:9] + np.cross(R[1] @ twists[9:], contact - p[1])
        expected = (R[0] @ c[0, :3]) @ (of_b - of_a)
        assert gradient(kind, c, np.zeros(1), p, R)[1] @ twists == pytest.approx(expected)


def test_angle_is_counted_over_many_turns():
    frame = Rotation.from_rotvec((0.3, -0.2, 0.9))
    near, c = np.zeros(1), np.zeros((1, 12))
    for angle in np.linspace(0.0, -40.0 * np.pi, 401):
        R = np.array([frame.as_matrix(), (frame * Rotation.from_rotvec((0.0, 0.0, angle))).as_matrix()])
        near[0], G = gradient(ANGLE, c, near, np.zeros((2, 3)), R)
        assert near[0] == pytest.approx(angle, abs=1e-12)
        assert pytest.approx([0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1], abs=1e-12) == G


@settings(max_examples=100, deadline=None)
@given(angle=st.floats(-3.1, 3.1), near=st.floats(-500.0, 500.0))
def test_angle_is_within_half_a_turn_of_its_reference(angle, near):
    R = np.array([np.eye(3), Rotation.from_rotvec((0.0, 0.0, angle)).as_matrix()])
    value = row_value(ANGLE, 0, np.zeros((1, 12)), np.array([near]), 0, 1, np.zeros((2, 3)), R)
    assert abs(value - near) <= np.pi + 1e-9
    assert np.cos(value - angle) == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(angle=st.floats(-3.1, 3.1), tilt=st.floats(0.0, 2.0), where=st.floats(-3.1, 3.1))
def test_angle_between_tilted_axes_is_the_turn_before_the_tilt(angle, tilt, where):
    """C = tilt * turn, the tilt about an axis normal to z: the turn alone counts, and the sides may be swapped."""
    axis = tilt * np.array([np.cos(where), np.sin(where), 0.0])
    C = (Rotation.from_rotvec(axis) * Rotation.from_rotvec((0.0, 0.0, angle))).as_matrix()
    R, near, c, p = np.array([np.eye(3), C]), np.zeros(1), np.zeros((1, 12)), np.zeros((2, 3))
    assert row_value(ANGLE, 0, c, near, 0, 1, p, R) == pytest.approx(angle, abs=1e-10)
    assert row_value(ANGLE, 0, c, near, 1, 0, p, R) == pytest.approx(-angle, abs=1e-10)
    check_derivatives(ANGLE, c, p, R, tolerance=1e-7)


@pytest.mark.parametrize("angle", [np.pi - 1e-9, np.pi - 1e-4, 3.0, 2.2])
def test_rotation_vector_near_half_a_turn(angle):
    for axis in np.vstack((np.eye(3), np.ones(3) / np.sqrt(3.0), [0.6, -0.8, 0.0])):
        R = np.array([np.eye(3), Rotation.from_rotvec(angle * axis).as_matrix()])
        found = [
            row_value(VECTOR, 0, np.concatenate((e, np.zeros(9)))[None], np.zeros(1), 0, 1, np.zeros((2, 3)), R)
            for e in np.eye(3)
        ]
        assert found == pytest.approx(angle * axis, abs=1e-7)


def test_distance_of_coincident_points_has_no_direction():
    G = gradient(DISTANCE, np.zeros((1, 12)), np.zeros(1), np.zeros((2, 3)), np.array([np.eye(3)] * 2))[1]
    assert np.isnan(G).any()


def test_hessian_of_point_rows_is_zero():
    H = np.zeros((12, 12))
    row_hessian(INERTIAL, 0, np.ones((1, 12)), np.zeros(1), 0, 1, np.eye(3)[:2], np.array([np.eye(3)] * 2), 1.0, H)
    assert not H.any()
