"""The row SWING: the tilt of an axis, whatever the turn about it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.kernels.rows.rows import SWING, VECTOR, row_gradient, row_hessian, row_value

STEP = 1e-3
WEIGHTS = ((1, 45.0 / 60.0), (2, -9.0 / 60.0), (3, 1.0 / 60.0))  # central differences of order six
P = np.zeros((2, 3))


def constants(axis: int, along: int) -> np.ndarray:
    c = np.zeros((1, 12))
    c[0, along] = c[0, 3 + axis] = 1.0
    return c


def value(kind: int, c: np.ndarray, R: np.ndarray) -> float:
    return float(row_value(kind, 0, c, np.zeros(1), 0, 1, P, R))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("tilt", [0.0, 1e-9, 1e-3, 0.3, 1.2, 2.9])
@pytest.mark.parametrize("turn", [0.0, 0.7, 3.0, -2.0])
def test_a_tilt_is_the_rotation_vector_without_the_turn(axis: int, tilt: float, turn: float) -> None:
    rng = np.random.default_rng(axis)
    A = Rotation.random(random_state=rng)
    n = np.eye(3)[axis]
    way = np.cross(n, rng.normal(size=3))
    way *= tilt / np.linalg.norm(way)
    R = np.array([A.as_matrix(), (A * Rotation.from_rotvec(way) * Rotation.from_rotvec(turn * n)).as_matrix()])
    for along in {0, 1, 2} - {axis}:
        assert value(SWING, constants(axis, along), R) == pytest.approx(way[along], rel=1e-12, abs=1e-15)
        if turn == 0.0 and tilt > 0.0:
            assert value(VECTOR, constants(axis, along), R) == pytest.approx(way[along], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-4, 0.1, 0.33, 1.0, 2.5])
def test_derivatives(size: float) -> None:
    rng = np.random.default_rng(int(1e3 * size))
    for axis, along in ((0, 1), (1, 2), (2, 0), (0, 2)):
        c, A = constants(axis, along), Rotation.random(random_state=rng)
        way = np.cross(np.eye(3)[axis], rng.normal(size=3))
        way *= size / np.linalg.norm(way)
        turn = Rotation.from_rotvec(rng.uniform(-3, 3) * np.eye(3)[axis])
        R = np.array([A.as_matrix(), (A * Rotation.from_rotvec(way) * turn).as_matrix()])

        def moved(increment: np.ndarray, R: np.ndarray = R) -> np.ndarray:
            return np.array([
                R[m] @ Rotation.from_rotvec(increment[6 * m + 3 : 6 * m + 6]).as_matrix() for m in range(2)
            ])  # fmt: skip

        def gradient(increment: np.ndarray, c: np.ndarray = c, moved: object = moved) -> np.ndarray:
            G = np.zeros((1, 12))
            row_gradient(SWING, 0, c, np.zeros(1), 0, 1, P, moved(increment), G, 0)  # type: ignore[operator]
            return G[0]

        H = np.zeros((12, 12))
        row_hessian(SWING, 0, c, np.zeros(1), 0, 1, P, R, 1.0, H)
        for k in range(12):
            unit = np.eye(12)[k]
            slope = sum(
                w * (value(SWING, c, moved(i * STEP * unit)) - value(SWING, c, moved(-i * STEP * unit)))
                for i, w in WEIGHTS
            ) / STEP  # fmt: skip
            curve = sum(w * (gradient(i * STEP * unit) - gradient(-i * STEP * unit)) for i, w in WEIGHTS) / STEP
            assert gradient(np.zeros(12))[k] == pytest.approx(slope, abs=1e-8)
            assert H[:, k] == pytest.approx(curve, abs=1e-8 * max(1.0, float(np.abs(curve).max())))


def test_a_bushing_that_leaves_one_turn_free_is_a_bearing() -> None:
    """Its tilt stiffness is that of the description at any turn: T = k tilt."""
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="b")
    bearing = fx.Bushing(fx.ground, body, (1.0, 1.0, 1.0, 0.0, 50.0, 50.0), at=(0, 0, 0))
    assert [row.kind for row in bearing.row_forces[0].rows[3:]] == [VECTOR, SWING, SWING]
    full = fx.Bushing(fx.ground, body, (1.0, 1.0, 1.0, 1.0, 50.0, 50.0), at=(0, 0, 0))
    assert [row.kind for row in full.row_forces[0].rows[3:]] == [VECTOR] * 3
