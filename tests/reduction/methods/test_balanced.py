"""Balanced truncation against dense Lyapunov equations, and its measured error between the bounds that are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse

from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.reduction.methods.balanced import balanced_truncation
from flexmbs.reduction.methods.gramian import gramian, modal_shifts
from flexmbs.reduction.methods.krylov import krylov

BOUNDARY = np.array([18, 38])


def damped(beam, zeta=0.02):
    """Clamped beam with a damping ratio of about zeta in its first modes."""
    K, M, none = beam(20).clamped()
    omega = np.sqrt(linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True))
    return K, M, zeta * omega[0] * M + zeta / omega[3] * K, none, omega


def dense_gramians(K, M, D, boundary):
    """Gramians of positions and of the whole state, velocities divided by the first frequency, mass the identity."""
    n = K.shape[0]
    inverse = np.linalg.inv(np.linalg.cholesky(M.toarray()))
    k, d, b = inverse @ K @ inverse.T, inverse @ D @ inverse.T, inverse[:, boundary]
    s = np.sqrt(linalg.eigvalsh(k)[0])
    A = np.block([[np.zeros((n, n)), s * np.eye(n)], [-k / s, -d]])
    B, C = np.vstack([0.0 * b, b / s]), np.hstack([b.T, 0.0 * b.T])
    P = linalg.solve_continuous_lyapunov(A, -B @ B.T)
    Q = linalg.solve_continuous_lyapunov(A.T, -C.T @ C)
    return P, Q


def test_values_are_those_of_dense_lyapunov_equations(beam):
    K, M, D, none, _ = damped(beam)
    P, Q = dense_gramians(K, M, D, BOUNDARY)
    n = K.shape[0]
    found = balanced_truncation(K, M, D, BOUNDARY, size=4, rigid=none)
    positions = np.sort(linalg.eigvalsh(P[:n, :n]))[::-1]
    hankel = np.sqrt(np.sort(np.abs(np.linalg.eigvals(P @ Q)))[::-1])
    np.testing.assert_allclose(found.values[:8], positions[:8], rtol=1e-6)
    np.testing.assert_allclose(found.hankel[:12], hankel[:12], rtol=1e-5)


def largest_error(full, small, frequencies):
    worst = 0.0
    for omega in frequencies:
        a, b = (B.T @ np.linalg.solve(K - omega**2 * M + 1j * omega * D, B) for K, M, D, B in (full, small))
        worst = max(worst, float(np.linalg.norm(a - b, 2)))
    return worst


@pytest.mark.parametrize("two_steps", [False, True])
def test_error_lies_above_the_hankel_bound_and_near_it(beam, two_steps):
    K, M, D, none, omega = damped(beam)
    B = np.eye(len(omega))[:, BOUNDARY]
    start = krylov(K, M, BOUNDARY, 12, (0.0, omega[4]), none, interface=False) if two_steps else None
    band = np.sort(np.concatenate([np.geomspace(0.1, 3 * omega[12], 400), omega[:15]]))
    errors = []
    for size in (2, 4, 6, 8):
        found = balanced_truncation(K, M, D, BOUNDARY, size=size, rigid=none, start=start)
        T = found.basis.vectors
        np.testing.assert_allclose(T.T @ (M @ T), np.eye(size), atol=1e-9)
        small = (*(T.T @ (A @ T) for A in (K, M, D)), T.T @ B)
        error = largest_error((K.toarray(), M.toarray(), D.toarray(), B), small, band)
        assert found.lower_bound <= error * 1.001  # the band is sampled
        assert error <= found.tail  # measured, not proven
        errors.append(error)
    assert (np.diff(errors) < 0.0).all()


def test_rigid_motions_are_split_off_and_the_interface_kept(beam):
    K, M, R = beam(20)
    D = 0.02 * M + 1e-5 * K
    boundary = np.array([0, 40])
    found = balanced_truncation(K, M, D, boundary, tolerance=1e-6, rigid=R, interface=True).basis
    np.testing.assert_array_equal(found.vectors[boundary], np.eye(2, found.size))
    np.testing.assert_allclose(found.vectors[:, :2] @ R[boundary], R, atol=1e-12)
    T = found.vectors
    values = np.sqrt(np.maximum(linalg.eigh(T.T @ (K @ T), T.T @ (M @ T), eigvals_only=True), 0.0))
    full = np.sqrt(np.maximum(linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True), 0.0))
    assert values[1] < 1e-4 * full[2]
    np.testing.assert_allclose(values[2:5], full[2:5], rtol=1e-4)


def test_overdamped_modes_have_two_real_shifts():
    shifts = modal_shifts(np.array([1.0]), np.array([4.0]), np.array([1.0]))
    np.testing.assert_allclose(shifts**2 + 4.0 * shifts + 1.0, 0.0, atol=1e-12)
    one = sparse.identity(1, format="csc")
    found = gramian(one, one, 4.0 * one, np.eye(1), shifts)
    assert found.positions @ found.positions.T == pytest.approx(1.0 / (2.0 * 4.0 * 1.0), rel=1e-9)  # 1 / (2 d k)
    assert found.velocities @ found.velocities.T == pytest.approx(1.0 / (2.0 * 4.0), rel=1e-9)  # 1 / (2 d m)


def test_too_few_steps_are_said():
    one = sparse.identity(1, format="csc")
    with pytest.raises(ConvergenceError, match="2 steps"):
        gramian(one, one, 0.01 * one, np.eye(1), np.array([-5.0]), max_columns=2)


def test_bad_input_is_refused(beam):
    K, M, D, none, _ = damped(beam)
    with pytest.raises(ModelError, match="D is missing"):
        balanced_truncation(K, M, None, BOUNDARY, rigid=none)
    with pytest.raises(ModelError, match="does not damp"):
        balanced_truncation(K, M, 0.0 * D, BOUNDARY, rigid=none)
    with pytest.raises(ModelError, match="reach only"):
        balanced_truncation(K, M, D, [38], size=39, rigid=none)
    free = beam(6)
    dashpot = sparse.csc_matrix(([1.0], ([0], [0])), free.K.shape)
    with pytest.raises(ModelError, match="couples rigid"):
        balanced_truncation(*free[:2], dashpot, [0], rigid=free.rigid)
