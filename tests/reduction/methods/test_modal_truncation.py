"""Modal truncation: rigid motions and modes of the structure, static corrections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from flexmbs.core.errors import ModelError
from flexmbs.reduction.methods.modal_truncation import modal_truncation
from flexmbs.reduction.selection import EffectiveMass, TransferFunction


def reduced(basis, *operators):
    return [basis.vectors.T @ (A @ basis.vectors) for A in operators]


@pytest.mark.parametrize("elements", [10, 120])
def test_diagonal_operators_and_exact_modes(beam, elements):
    K, M, R = beam(elements)
    basis = modal_truncation(K, M, 5, corrected=[0, 2 * elements], rigid=R)
    K_r, M_r = reduced(basis, K, M)
    size = np.sqrt(np.outer(M_r.diagonal(), M_r.diagonal()))
    assert np.abs(M_r / size - np.eye(9)).max() < 1e-9
    assert np.abs(K_r - np.diag(K_r.diagonal())).max() < 1e-8 * np.abs(K_r).max()
    full = linalg.eigh(K.toarray(), M.toarray(), eigvals_only=True)[2:]
    rounding = np.finfo(float).eps * full[-1] / full[0]  # of dense algebra
    np.testing.assert_allclose(basis.frequencies[2:7], np.sqrt(full[:5]), rtol=1e-7 + rounding)
    assert (basis.frequencies[:2] == 0.0).all()
    assert np.isnan(basis.frequencies[7:]).all()
    assert basis.labels[0] == "rigid motion 1"
    assert basis.labels[-1] == "static correction 2"
    # rigid motions span the given ones
    spanned = basis.vectors[:, :2] @ (basis.vectors[:, :2].T @ (M @ R))
    np.testing.assert_allclose(spanned, R, atol=1e-10)


def test_static_correction_makes_the_static_response_exact(beam):
    K, M, none = beam(40).clamped()
    at = 78
    exact = np.linalg.inv(K.toarray())[:, at]
    plain, corrected = (modal_truncation(K, M, 2, c, none) for c in (None, [at]))
    errors = []
    for basis in (plain, corrected):
        response = basis.vectors @ np.linalg.solve(reduced(basis, K)[0], basis.vectors[at])
        errors.append(np.abs(response - exact).max() / np.abs(exact).max())
    assert errors[1] < 1e-9
    # plain truncation leaves out 1 / (beta L)^4 of the modes above, 12 / 7.85^4 of the tip deflection at least
    assert errors[0] > 1e-3


def test_effective_masses_of_a_held_structure(beam):
    whole = beam(40)
    K, M, none = whole.clamped()
    base = whole.rigid[2:]
    basis = modal_truncation(K, M, EffectiveMass(0.85, directions=(0,)), rigid=none, base=base)
    held = (basis.vectors.T @ (M @ base[:, 0])) ** 2
    total = base[:, 0] @ (M @ base[:, 0])
    # a clamped-free beam, 4 sigma_n^2 / (beta_n L)^2 = 61.31, 18.83, 6.47 per cent: 80.1 by two modes, 86.6 by three
    assert held.sum() / total > 0.85
    assert basis.size == 3
    np.testing.assert_allclose(held, [0.6131, 0.1883, 0.0647], atol=1e-4)


def test_selection_by_transfer_function_needs_corrections(beam):
    K, M, none = beam(20).clamped()
    with pytest.raises(ModelError, match="corrected="):
        modal_truncation(K, M, TransferFunction(1.0), rigid=none)
    few = modal_truncation(K, M, TransferFunction(1.0, 0.1), [38], none)
    many = modal_truncation(K, M, TransferFunction(1.0, 0.001), [38], none)
    assert few.size < many.size


def test_more_modes_than_unknowns(beam):
    K, M, R = beam(4)
    with pytest.raises(ModelError, match="only 8"):
        modal_truncation(K, M, 9, rigid=R)
