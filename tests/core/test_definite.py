"""Factors of definite matrices, with CHOLMOD and without."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import flexmbs as fx
from flexmbs.core.linsolve import definite
from flexmbs.core.linsolve.definite import Definite


@pytest.fixture(params=["cholmod", "superlu"])
def solver(request, monkeypatch) -> str:
    if request.param == "superlu":
        monkeypatch.setattr(definite, "cholmod_available", lambda: False)
    elif not definite.cholmod_available():
        pytest.skip("needs scikit-sparse")
    return request.param


def laplace(n: int, shift: float = 0.0):
    one = sparse.diags([np.full(n, 2.0), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], [0, 1, -1])
    return (sparse.kron(one, sparse.eye(n)) + sparse.kron(sparse.eye(n), one) + shift * sparse.eye(n * n)).tocsc()


@pytest.mark.parametrize("columns", [None, 1, 7])
def test_solutions(solver, columns) -> None:
    A = laplace(12)
    x = np.random.default_rng(1).standard_normal(144 if columns is None else (144, columns))
    factor = Definite(A)
    found = factor.solve(A @ x)
    assert found.shape == x.shape
    assert np.abs(found - x).max() < 1e-12
    assert factor.solves == (columns or 1)


def test_refactor_serves_another_matrix_of_the_pattern(solver) -> None:
    factor = Definite(laplace(12))
    other = laplace(12, 3.0)
    factor.refactor(other)
    x = np.arange(144.0)
    assert np.abs(factor.solve(other @ x) - x).max() < 1e-11


SINGULAR = {
    "free": np.array([[1.0, -1.0], [-1.0, 1.0]]),
    "indefinite": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "negative": np.array([[-1.0, 0.0], [0.0, 1.0]]),
    "zero row": np.array([[1.0, 0.0], [0.0, 0.0]]),
    "zero diagonal": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "nan": np.array([[np.nan, 0.0], [0.0, 1.0]]),
}


@pytest.mark.parametrize("A", SINGULAR.values(), ids=SINGULAR)
def test_what_is_not_definite_is_refused(solver, A) -> None:
    with pytest.raises(fx.SingularError, match="the stiffness"):
        Definite(sparse.csc_matrix(A), "the stiffness")


def test_free_chain_is_found_singular_to_working_precision(solver) -> None:
    n = 50
    k = np.random.default_rng(2).uniform(0.5, 2.0, n - 1)
    A = sparse.diags([np.append(k, 0) + np.append(0, k), -k, -k], [0, 1, -1], format="csc")
    with pytest.raises(fx.SingularError):
        Definite(A)


def test_the_unknown_at_fault_is_told(solver) -> None:
    A = laplace(5).tolil()
    A[7, :] = A[:, 7] = 0.0
    with pytest.raises(fx.SingularError) as error:
        Definite(A.tocsc())
    assert error.value.unknown in (7, None)


def test_nothing_to_solve(solver) -> None:
    empty = Definite(sparse.csc_matrix((0, 0)))
    assert empty.solve(np.empty((0, 3))).shape == (0, 3)
