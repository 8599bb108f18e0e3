"""Moments are matched to round-off, as many as promised and no more."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse

from flexmbs.core.errors import ModelError, SingularError
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.methods.krylov import krylov


def reduced(basis, *operators):
    return [basis.vectors.T @ (A @ basis.vectors) for A in operators]


def moments(K, M, B, point, count):
    """Derivatives of B^T (K + s M)^-1 B by s at point^2, but for factorials and signs."""
    factor = linalg.lu_factor(K + point**2 * M)
    found, x = [], linalg.lu_solve(factor, B)
    for _ in range(count):
        found.append(B.T @ x)
        x = linalg.lu_solve(factor, M @ x)
    return found


def error(full, small):
    return [np.abs(a - b).max() / np.abs(a).max() for a, b in zip(full, small, strict=True)]


@pytest.mark.parametrize("interface", [False, True])
@pytest.mark.parametrize(("blocks", "points"), [(1, (0.0,)), (3, (0.0,)), (2, (0.0, 60.0)), (2, (25.0,))])
def test_twice_as_many_moments_as_blocks(beam, blocks, points, interface):
    K, M, none = beam(40).clamped()
    boundary = np.array([38, 78])
    B = np.eye(80)[:, boundary]
    basis = krylov(K, M, boundary, blocks, points, none, interface)
    K_r, M_r = reduced(basis, K, M)
    for point in points:
        full = moments(K.toarray(), M.toarray(), B, point, 2 * blocks + 1)
        errors = error(full, moments(K_r, M_r, basis.vectors.T @ B, point, 2 * blocks + 1))
        assert max(errors[: 2 * blocks]) < 1e-8  # round-off times the condition of the stiffness, 1e9
        if not interface and blocks == 1:  # more blocks reproduce the first mode, which rules the moments further on
            assert errors[2] > 1e-3


def test_moments_of_the_elastic_motion_of_a_free_structure(beam):
    K, M, R = beam(30)
    boundary = np.array([0, 60])
    basis = krylov(K, M, boundary, 2, (0.0,), R, interface=False)
    squares, modes = linalg.eigh(K.toarray(), M.toarray())
    K_r, M_r = reduced(basis, K, M)
    squares_r, modes_r = linalg.eigh(K_r, M_r)
    at, at_r = modes[boundary, 2:], (basis.vectors @ modes_r)[boundary, 2:]
    for power in range(1, 5):
        full, small = (at / squares[2:] ** power) @ at.T, (at_r / squares_r[2:] ** power) @ at_r.T
        np.testing.assert_allclose(small, full, atol=1e-8 * np.abs(full).max())
    assert np.abs(squares_r[:2]).max() < 1e-9 * squares_r[2]
    assert basis.labels[:3] == ("rigid motion 1", "rigid motion 2", "Krylov mode 1")


@pytest.mark.parametrize("proportional", [True, False])
def test_damping_keeps_the_moments(beam, proportional):
    """With 2 j moments about s = 0 the error of H falls as s^(2 j); here j = 1, all that other damping leaves."""
    K, M, none = beam(8).clamped()
    dashpot = sparse.csc_matrix(([30.0], ([6], [6])), K.shape)
    D = 30.0 * M + 0.001 * K if proportional else dashpot
    B = np.eye(16)[:, [14]]
    basis = krylov(K, M, [14], 1, (0.0,), none, interface=False)
    K_r, M_r, D_r = reduced(basis, K, M, D)
    b = basis.vectors.T @ B

    def difference(s):
        full = B.T @ np.linalg.solve((K + s * D + s**2 * M).toarray(), B)
        return abs((full - b.T @ np.linalg.solve(K_r + s * D_r + s**2 * M_r, b)).item())

    s = 0.003 + 0.003j
    slope = np.log2(difference(s) / difference(s / 2))
    assert slope == pytest.approx(2.0, abs=0.05)


def test_interface_first_and_static_shapes_exact_at_any_point(beam):
    K, M, R = beam(40)
    boundary = np.array([81, 0, 1])
    basis = krylov(K, M, boundary, 2, (100.0,), R)
    assert basis.n_interface == 3
    np.testing.assert_array_equal(basis.vectors[boundary], np.eye(3, basis.size))
    np.testing.assert_allclose(basis.vectors[:, :3], craig_bampton(K, M, boundary, 0).vectors, atol=1e-9)
    np.testing.assert_allclose(basis.vectors[:, :3] @ R[boundary], R, atol=1e-12)


def test_repeated_directions_are_left_out(beam):
    """A chain in which two unknowns move as one: their forces give the same directions but once."""
    K, M, none = beam(12).clamped()
    basis = krylov(K, M, [22, 23], 30, (0.0,), none, interface=False)
    assert basis.size <= K.shape[0]
    found = np.sqrt(linalg.eigh(*reduced(basis, K, M), eigvals_only=True))
    full = np.sqrt(linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True))
    np.testing.assert_allclose(found[:10], full[:10], rtol=1e-6)


def test_unknowns_without_mass_keep_their_static_response(beam):
    K, M, none = beam(20).clamped()
    lumped = np.array(M.diagonal())
    lumped[1::2] = 0.0  # no rotary inertia
    M = M.copy() * 0.0
    M.setdiag(lumped)
    basis = krylov(K, M, [39], 2, (0.0,), none, interface=False)
    K_r = reduced(basis, K)[0]
    b = basis.vectors[39]
    assert b @ np.linalg.solve(K_r, b) == pytest.approx(np.linalg.inv(K.toarray())[39, 39], rel=1e-9)


def test_bad_input_is_refused(beam):
    K, M, R = beam(6)
    for points, message in (((-1.0,), "at least"), ((), "a list"), ((1.0, 1.0), "differ")):
        with pytest.raises(ModelError, match=message):
            krylov(K, M, [0], 2, points, R)
    with pytest.raises(ModelError, match="blocks"):
        krylov(K, M, [0], 0, (0.0,), R)
    with pytest.raises(ModelError, match="names unknown 14"):
        krylov(K, M, [14], 1, (0.0,), R)
    with pytest.raises(SingularError, match="krylov"):
        krylov(-K, M, [0], 1, (5.0,), np.zeros((14, 0)), interface=False)
    with pytest.raises(ModelError, match="no mass"):
        krylov(K, 0.0 * M, [0], 1, (0.0,), np.zeros((14, 0)))
