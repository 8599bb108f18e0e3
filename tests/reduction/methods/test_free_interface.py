"""Free-interface reductions: exact statics, exact rigid motions, exact kept modes; Rubin beside MacNeal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, sparse

from flexmbs.core.errors import ModelError, SingularError
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.methods.flexibility import Flexibility, find_rigid_motions
from flexmbs.reduction.methods.free_interface import macneal, rubin
from flexmbs.reduction.selection import TransferFunction, UpToFrequency

ENDS = np.array([0, 1, -2, -1])


def ends(K):
    return ENDS % K.shape[0]


def reduced(basis, *operators):
    return [basis.vectors.T @ (A @ basis.vectors) for A in operators]


def frequencies(K, M):
    return np.sqrt(np.maximum(linalg.eigh(K, M, eigvals_only=True), 0.0))


def rounding(full):
    """Relative round-off of elastic frequencies by dense algebra: that of the largest eigenvalue, by the lowest."""
    return np.finfo(float).eps * (full[-1] / full[full > 1.0].min()) ** 2


@pytest.mark.parametrize("elements", [12, 120])  # dense and iterative modes
@pytest.mark.parametrize("given", [True, False])
def test_kept_free_modes_and_rigid_motions_are_exact(beam, elements, given):
    K, M, R = beam(elements)
    full = frequencies(K.toarray(), M.toarray())
    basis = rubin(K, M, ends(K), 6, R if given else None)
    K_r, M_r = reduced(basis, K, M)
    found = frequencies(K_r, M_r)
    np.testing.assert_allclose(found[2:8], full[2:8], rtol=1e-7 + rounding(full))
    assert basis.n_interface == 4
    assert basis.size == 2 + 6 + 4
    rigid_error = np.abs(basis.vectors[:, :4] @ R[ends(K)] - R).max()
    assert rigid_error < (1e-12 if given else 1e-9)
    assert np.abs(K_r[:, :4] @ R[ends(K)]).max() < 1e-9 * np.abs(K_r).max()


def test_interface_columns_are_unit_displacements_and_exact_constraint_modes(beam):
    K, M, R = beam(40)
    boundary = np.array([3, 81, 0, 80])  # any order
    basis = rubin(K, M, boundary, 5, R)
    np.testing.assert_array_equal(basis.vectors[boundary], np.eye(4, basis.size))
    static = craig_bampton(K, M, boundary, 0).vectors
    np.testing.assert_allclose(basis.vectors[:, :4], static, atol=1e-9)
    K_r, M_r = reduced(basis, K, M)
    assert np.abs(K_r[:4, 4:]).max() < 1e-9 * np.abs(K_r).max()
    np.testing.assert_allclose(K_r[4:, 4:], np.diag(basis.frequencies[4:] ** 2), atol=1e-8 * np.abs(K_r).max())
    np.testing.assert_allclose(M_r[4:, 4:], np.eye(basis.size - 4), atol=1e-9)


def test_all_modes_give_the_full_model(beam):
    K, M, R = beam(8)
    n = K.shape[0]
    basis = rubin(K, M, ends(K), n - 2, R)
    assert basis.size == n
    np.testing.assert_allclose(
        frequencies(*reduced(basis, K, M))[2:], frequencies(K.toarray(), M.toarray())[2:], rtol=1e-8
    )


def test_a_held_structure_has_no_rigid_motions(beam):
    K, M, none = beam(30).clamped()
    assert find_rigid_motions(K).shape == none.shape
    basis = rubin(K, M, [58, 59], 4, none)
    full = frequencies(K.toarray(), M.toarray())
    np.testing.assert_allclose(frequencies(*reduced(basis, K, M))[:4], full[:4], rtol=1e-9 + rounding(full))


def coupled(first, second):
    """Two parts of equal size, the last two coordinates of the first being the first two of the second."""
    m = len(first)
    joined = np.zeros((2 * m - 2, 2 * m - 2))
    order = np.r_[0, 1, np.arange(4, m), 2, 3]  # the interface to the neighbour last
    joined[:m, :m] += first[np.ix_(order, order)]
    joined[m - 2 :, m - 2 :] += second
    return joined


def coupled_error(matrices, full, count=5):
    K, M = matrices
    # an inverse pencil with a shift: MacNeal's mass is singular
    K, M = coupled(K, K), coupled(M, M)
    inverse = linalg.eigh(M, K + M, eigvals_only=True)[::-1]
    found = np.sqrt(np.maximum(1.0 / inverse[: 2 + count] - 1.0, 0.0))
    return found[2:] / full[2 : 2 + count] - 1.0


def test_coupled_parts_converge_from_above_and_faster_with_residual_inertia(beam):
    K, M, R = beam(40)
    whole = beam(80, 2.0)
    full = frequencies(whole.K.toarray(), whole.M.toarray())
    previous = np.inf
    for modes in (1, 3, 5, 9):
        basis = rubin(K, M, ends(K), modes, R)
        error = coupled_error(reduced(basis, K, M), full)
        without = macneal(K, M, ends(K), modes, R)
        error_without = np.abs(coupled_error((without.K, without.M), full)).max()
        assert error.min() > -1e-8 - rounding(full)
        assert error.max() < previous
        assert error.max() < 0.3 * error_without
        previous = error.max()
    assert previous < 1e-6


def test_macneal_has_no_inertia_beyond_rigid_motions_and_modes(beam):
    K, M, R = beam(40)
    basis, K_r, M_r = macneal(K, M, ends(K), 5, R)
    assert basis.method == "MacNeal"
    values = linalg.eigvalsh(M_r)
    assert np.count_nonzero(values > 1e-12 * values[-1]) == 2 + 5
    np.testing.assert_allclose(K_r, reduced(basis, K)[0])
    static = craig_bampton(K, M, ends(K), 0).vectors
    np.testing.assert_allclose(K_r[:4, :4], static.T @ (K @ static), atol=1e-9 * np.abs(K_r).max())


@pytest.mark.parametrize("tolerance", [0.3, 0.01])
def test_selection_by_transfer_function_bounds_the_dynamic_flexibility(beam, tolerance):
    """MacNeal's model errs exactly by the sum of what each left-out mode adds to its static part."""
    K, M, R = beam(50)
    boundary = ends(K)
    band = 20.0
    _, K_r, M_r = macneal(K, M, boundary, TransferFunction(band, tolerance), R)
    G = Flexibility(K, M, orthonormal_rigid(M, R)).solve(np.eye(len(R))[:, boundary])[boundary]
    C = np.linalg.cholesky(0.5 * (G + G.T))
    worst = 0.0
    for omega in np.linspace(0.031, 1.0, 70) * 2 * np.pi * band:
        full = np.linalg.inv((K - omega**2 * M).toarray())[np.ix_(boundary, boundary)]
        small = np.linalg.inv(K_r - omega**2 * M_r)[:4, :4]
        scaled = linalg.solve_triangular(C, linalg.solve_triangular(C, full - small, lower=True).T, lower=True)
        worst = max(worst, np.linalg.norm(scaled, 2))
    assert 0.005 * tolerance < worst <= tolerance


def orthonormal_rigid(M, R):
    return R @ np.linalg.inv(np.linalg.cholesky(R.T @ (M @ R))).T


def test_up_to_a_frequency(beam):
    K, M, R = beam(50)
    full = frequencies(K.toarray(), M.toarray())[2:]
    basis = rubin(K, M, ends(K), UpToFrequency(500.0 / (2 * np.pi), factor=1.0), R)
    assert basis.size == 2 + 4 + np.count_nonzero(full < 500.0)


def test_interface_that_does_not_hold_the_part_leaves_rigid_modes(beam):
    """A part joined by a hinge: with it held, it still turns, at frequency zero."""
    K, M, R = beam(30)
    basis = rubin(K, M, [0], 4, R)
    assert np.count_nonzero(basis.frequencies[1:] < 1e-3 * np.sort(basis.frequencies[1:])[1]) == 1
    found = frequencies(*reduced(basis, K, M))
    np.testing.assert_allclose(found[2:6], frequencies(K.toarray(), M.toarray())[2:6], rtol=1e-8)


def test_unknowns_without_mass(beam):
    """Lumped mass without rotary inertia, rotations among the interface: static shapes and free modes stay exact."""
    K, M, R = beam(20)
    lumped = np.asarray(M @ R[:, 0])
    lumped[1::2] = 0.0
    M = sparse.diags(lumped, format="csc")
    basis = rubin(K, M, ends(K), 4, R)
    np.testing.assert_allclose(basis.vectors[:, :4], craig_bampton(K, M, ends(K), 0).vectors, atol=1e-9)
    K_r, M_r = reduced(basis, K, M)
    small = 1.0 / linalg.eigh(M_r, K_r + M_r, eigvals_only=True)[::-1][:6] - 1.0
    full = 1.0 / linalg.eigh(M.toarray(), (K + M).toarray(), eigvals_only=True)[::-1][:6] - 1.0
    np.testing.assert_allclose(small[2:], full[2:], rtol=1e-7)


def test_flexibility_is_the_sum_over_elastic_modes(beam):
    K, M, R = beam(10)
    values, vectors = linalg.eigh(K.toarray(), M.toarray())
    elastic = vectors[:, 2:]
    expected = elastic @ (elastic.T / values[2:, None])
    found = Flexibility(K, M, orthonormal_rigid(M, R)).solve(np.eye(len(R)))
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_rigid_motions_are_found(beam):
    K, _, R = beam(25)
    found = find_rigid_motions(K)
    assert found.shape == R.shape
    coefficients = np.linalg.lstsq(R, found, rcond=None)[0]
    np.testing.assert_allclose(R @ coefficients, found, atol=1e-9 * np.abs(found).max())


def test_too_soft_to_tell_is_said(beam):
    K, _, _ = beam(1000).clamped()
    with pytest.raises(ModelError, match="Give rigid="):
        find_rigid_motions(K)


def test_bad_input_is_refused(beam):
    K, M, R = beam(6)
    with pytest.raises(ModelError, match="one or more"):
        rubin(K, M, [], 2, R)
    with pytest.raises(ModelError, match="twice"):
        rubin(K, M, [0, 0], 2, R)
    with pytest.raises(ModelError, match="names unknown 99"):
        rubin(K, M, [99], 2, R)
    with pytest.raises(ModelError, match="only 12"):
        rubin(K, M, [0, 1], 13, R)
    with pytest.raises(ModelError, match="strains"):
        rubin(K, M, [0, 1], 2, np.eye(14)[:, :1])
    with pytest.raises(ModelError, match="not symmetric"):
        rubin(K + sparse.csc_matrix(([1.0], ([0], [1])), K.shape), M, [0, 1], 2, R)
    with pytest.raises(ModelError, match=r"must be of shape \(14, 14\)"):
        rubin(K, M[:4][:, :4], [0, 1], 2, R)
    with pytest.raises(SingularError):
        rubin(K, M, [0, 1], 2, np.zeros((14, 0)))
    with pytest.raises(ModelError, match="3 labels"):
        rubin(K, M, [0, 1], 2, R, labels=["a", "b", "c"])
