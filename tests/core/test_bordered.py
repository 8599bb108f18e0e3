"""Bordered matrices: a definite part and a few constraints."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.linsolve import choose
from flexmbs.core.linsolve.bordered import Bordered
from flexmbs.core.sparsity import Blocks, Pattern

N, ROWS = 40, 3


def made(inner: np.ndarray, seed: int = 1) -> tuple[Bordered, np.ndarray]:
    """A solver of [K B; C E] with the border somewhere among the unknowns, and the matrix."""
    rng = np.random.default_rng(seed)
    A = np.zeros((N, N))
    A[:-ROWS, :-ROWS] = inner
    A[-ROWS:, :-ROWS] = rng.standard_normal((ROWS, N - ROWS))
    A[:-ROWS, -ROWS:] = A[-ROWS:, :-ROWS].T * np.array([1.0, 2.0, 0.5])  # not symmetric
    order = rng.permutation(N)
    A = A[np.ix_(order, order)]
    pattern = Pattern.of([Blocks(np.arange(N)[None], 0)], np.arange(N), N)
    solver = Bordered(pattern, np.flatnonzero(order >= N - ROWS))
    row, column = np.divmod(np.arange(N * N), N)
    solver.data[solver.slots(row, column)] = A.ravel()
    solver.refactor()
    return solver, A


@pytest.mark.parametrize("seed", range(4))
def test_solution_of_a_bordered_matrix(seed: int) -> None:
    half = np.random.default_rng(seed).standard_normal((N - ROWS, N - ROWS))
    solver, A = made(half @ half.T + np.eye(N - ROWS), seed)
    assert solver.name == "CHOLMOD with a border"
    x = np.arange(1.0, N + 1.0)
    np.testing.assert_allclose(solver.solve(A @ x), x, rtol=1e-9)
    np.testing.assert_allclose(solver.direct(A @ x), x, rtol=1e-7)
    np.testing.assert_allclose(solver.product(x), A @ x, rtol=1e-12)


def test_indefinite_and_unsymmetric_parts_are_solved_as_a_whole() -> None:
    rng = np.random.default_rng(3)
    values = np.where(np.arange(N - ROWS) % 3 == 0, -5.0, 5.0)
    for inner in (np.diag(values), np.diag(np.abs(values)) + np.triu(rng.standard_normal((N - ROWS, N - ROWS)), 1)):
        solver, A = made(inner)
        assert solver.name == "SuperLU"
        x = np.arange(1.0, N + 1.0)
        np.testing.assert_allclose(solver.solve(A @ x), x, rtol=1e-8)


def test_large_wide_systems_with_few_constraints_get_a_border() -> None:
    pattern = Pattern.of([], np.arange(2000), 2000)
    assert isinstance(choose(pattern, 300, False, np.arange(5)), Bordered)
    assert not isinstance(choose(pattern, 300, False, np.arange(500)), Bordered)
    assert not isinstance(choose(pattern, 300, False), Bordered)
