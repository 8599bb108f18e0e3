"""Orders of large patterns: what they fill, and constraints behind what they bind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import splu

from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve import choose, order
from flexmbs.core.linsolve.order import Reordered, elimination_order
from flexmbs.core.linsolve.superlu import LARGE, SuperLU
from flexmbs.core.sparsity import Blocks, Pattern

pytest.importorskip("sksparse", reason="orders are found by CHOLMOD")


def grid(side: int, per_node: int) -> np.ndarray:
    """Unknowns (n, 4 per_node) of the squares of a grid."""
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    nodes = corner[:, None] + np.array([0, 1, side + 1, side + 2])
    return (nodes[:, :, None] * per_node + np.arange(per_node)).reshape(len(nodes), -1)


def filled(solver: SuperLU, dofs: np.ndarray, seed: int) -> np.ndarray:
    """Random unsymmetric blocks in the solver; returned is its product with the numbers from one on."""
    rng = np.random.default_rng(seed)
    k = dofs.shape[1]
    half = rng.standard_normal((len(dofs), k, k))
    blocks = half @ half.transpose(0, 2, 1) + 0.3 * (half - half.transpose(0, 2, 1)) + np.eye(k)
    row, column = np.repeat(dofs, k, axis=1).ravel(), np.tile(dofs, (1, k)).ravel()
    solver.data[:] = 0.0
    np.add.at(solver.data, solver.slots(row, column), blocks.ravel())
    return solver.product(np.arange(1.0, solver.n + 1.0))


def test_large_surfaces_are_filled_less_than_by_minimum_degree() -> None:
    dofs = grid(40, 6)
    n = int(dofs.max()) + 1
    assert n > LARGE
    solver = choose(Pattern.of([Blocks(dofs, 0)], np.arange(n), n), 250, False)
    assert isinstance(solver, SuperLU)
    for seed in range(2):  # the order is kept, the values are renewed
        right = filled(solver, dofs, seed)
        solver.refactor()
        np.testing.assert_allclose(solver.direct(right), np.arange(1.0, n + 1.0), rtol=1e-8)
        np.testing.assert_allclose(solver.solve(right), np.arange(1.0, n + 1.0), rtol=1e-10)
    natural = splu(solver.matrix, permc_spec="NATURAL", diag_pivot_thresh=0.01, options={"SymmetricMode": True})
    assert solver._lu.nnz < 0.6 * natural.nnz


def test_constraints_come_behind_the_unknowns_that_they_bind() -> None:
    side, per_node = 20, 3
    dofs = grid(side, per_node)
    n_k = int(dofs.max()) + 1
    rng = np.random.default_rng(4)
    bound = [rng.choice(n_k, size=int(size), replace=False) for size in rng.integers(1, 7, 40)]
    bound.append(rng.choice(n_k, size=300, replace=False))  # one that binds many
    shuffle = rng.permutation(n_k + len(bound))  # constraints stand anywhere among the unknowns
    groups, b1 = [Blocks(shuffle[dofs], 0)], dofs.shape[0] * dofs.shape[1] ** 2
    for i, unknowns in enumerate(bound):
        groups.append(Blocks(shuffle[np.append(unknowns, n_k + i)][None], b1))
        b1 += (len(unknowns) + 1) ** 2
    n = len(shuffle)
    pattern = Pattern.of(groups, np.arange(n), n)
    constraints = np.sort(shuffle[n_k:])
    order = elimination_order(pattern, constraints)
    assert order is not None
    assert np.array_equal(np.sort(order), np.arange(n))
    place = np.argsort(order)
    for i, unknowns in enumerate(bound):
        assert place[shuffle[n_k + i]] > place[shuffle[unknowns]].max()


@settings(max_examples=20, deadline=None)
@given(rows=st.integers(1, 80), seed=st.integers(0, 1000))
def test_saddle_points_of_any_number_of_constraints(rows: int, seed: int) -> None:
    dofs = grid(18, 3)
    n_k = int(dofs.max()) + 1
    n = n_k + rows
    rng = np.random.default_rng(seed)
    bound = np.array([rng.choice(n_k, size=3, replace=False) for _ in range(rows)])
    both = np.hstack((bound, n_k + np.arange(rows)[:, None]))
    pattern = Pattern.of([Blocks(dofs, 0), Blocks(both, dofs.size * dofs.shape[1])], np.arange(n), n)
    solver = choose(pattern, 200, False, np.arange(n_k, n))
    filled(solver, dofs, seed)  # type: ignore[arg-type]
    size = np.abs(solver.data).max()
    coefficient = size * rng.uniform(0.5, 1.5, bound.shape) * rng.choice([-1.0, 1.0], bound.shape)
    number = np.repeat(np.arange(n_k, n), 3)
    for row, column in ((number, bound.ravel()), (bound.ravel(), number)):
        solver.data[solver.slots(row, column)] = coefficient.ravel()
    x = rng.standard_normal(n)
    G = np.zeros((rows, n_k))
    np.put_along_axis(G, bound, coefficient / size, axis=1)
    solver.refactor()
    worst = np.linalg.cond(G)  # constraints that nearly repeat each other
    np.testing.assert_allclose(solver.solve(solver.product(x)), x, atol=1e-11 * worst**2)


def test_a_reordered_matrix_is_the_first_one_scaled() -> None:
    dofs = grid(4, 2)
    n = int(dofs.max()) + 1
    pattern = Pattern.of([Blocks(dofs, 0)], np.arange(n), n)
    solver = SuperLU(pattern)
    filled(solver, dofs, 7)
    order = np.random.default_rng(2).permutation(n)
    moved = Reordered(pattern, order)
    moved.renew(solver.data)
    A, B = solver.matrix.toarray(), moved.matrix.toarray()
    scale = np.sqrt(np.diag(B) / np.diag(A)[order])
    assert np.array_equal(np.exp2(np.rint(np.log2(scale))), scale)  # powers of two: nothing is rounded
    assert np.array_equal(B, scale[:, None] * A[np.ix_(order, order)] * scale)
    assert np.all((np.diag(B) > 0.45) & (np.diag(B) < 2.1))
    np.testing.assert_allclose(moved.solve(splu(moved.matrix), A @ np.ones(n)), np.ones(n), rtol=1e-9)


def test_unknowns_of_unlike_sizes_keep_their_pivots() -> None:
    """Rotations beside displacements, multipliers beside forces: their units spoil neither the order nor the answer."""
    dofs = grid(24, 4)
    n_k = int(dofs.max()) + 1
    bound = np.arange(0, n_k, 97)
    n = n_k + len(bound)
    both = np.column_stack((bound, np.arange(n_k, n)))
    pattern = Pattern.of([Blocks(dofs, 0), Blocks(both, dofs.size * dofs.shape[1])], np.arange(n), n)
    fill = []
    for unlike in (False, True):
        solver = choose(pattern, 120, False, np.arange(n_k, n))
        assert isinstance(solver, SuperLU)
        filled(solver, dofs, 5)
        unit = np.where(np.arange(n) % 4 < 2, 1.0, 1e-4) if unlike else np.ones(n)
        column = np.repeat(np.arange(n), np.diff(pattern.indptr))
        for a, b in ((both[:, 0], both[:, 1]), (both[:, 1], both[:, 0])):
            solver.data[solver.slots(a, b)] = 1.0
        solver.data[:-1] *= unit[pattern.indices] * unit[column]
        solver.refactor()
        x = 1.0 / unit
        np.testing.assert_allclose(solver.solve(solver.product(x)), x, rtol=1e-9)
        fill.append(solver._lu.nnz)
    assert fill[1] < 1.05 * fill[0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_large_matrices_that_are_singular_or_not_finite_are_refused(bad: float) -> None:
    dofs = grid(24, 4)
    n = int(dofs.max()) + 1
    solver = choose(Pattern.of([Blocks(dofs, 0)], np.arange(n), n), 120, False)
    assert isinstance(solver, SuperLU)
    assert n > LARGE
    right = filled(solver, dofs, 1)
    column = np.repeat(np.arange(n), np.diff(solver.pattern.indptr))
    solver.data[:-1][(solver.pattern.indices == 700) | (column == 700)] = bad

    def solved() -> np.ndarray:
        solver.refactor()
        return solver.solve(right)

    with pytest.raises(SingularError):
        solved()


def test_without_cholmod_superlu_finds_its_own_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "cholmod_available", lambda: False)
    dofs = grid(24, 4)
    n = int(dofs.max()) + 1
    solver = SuperLU(Pattern.of([Blocks(dofs, 0)], np.arange(n), n))
    right = filled(solver, dofs, 1)
    solver.refactor()
    np.testing.assert_allclose(solver.solve(right), np.arange(1.0, n + 1.0), rtol=1e-9)
