"""Every direct solver on definite, indefinite, unsymmetric and singular matrices."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve import LinearSolver, cholmod_available, choose
from flexmbs.core.linsolve.band import Band
from flexmbs.core.linsolve.cholmod import Cholmod
from flexmbs.core.linsolve.superlu import SuperLU
from flexmbs.core.sparsity import Blocks, Pattern

Maker = Callable[[Pattern, int, bool], LinearSolver]
MAKERS: dict[str, Maker] = {
    "band": lambda pattern, band, symmetric: Band(pattern.n, band, symmetric),
    "superlu": lambda pattern, band, symmetric: SuperLU(pattern),
    "cholmod": lambda pattern, band, symmetric: Cholmod(pattern),
}


def banded(n: int, b: int, seed: int) -> np.ndarray:
    """A random matrix of this half band with a strong diagonal (hence regular)."""
    rng = np.random.default_rng(seed)
    A = np.triu(np.tril(rng.standard_normal((n, n)), b), -b)
    return A + (2 * b + 2.0) * np.diag(np.where(rng.random(n) < 0.5, -1.0, 1.0))


def definite(n: int, b: int, seed: int) -> np.ndarray:
    A = banded(n, b // 2, seed)
    return A @ A.T


def indefinite(n: int, b: int, seed: int) -> np.ndarray:
    A = banded(n, b, seed)
    return 0.5 * (A + A.T)


def loaded(make: Maker, A: np.ndarray, b: int, symmetric: bool) -> LinearSolver:
    """A solver that holds A."""
    n = len(A)
    i, j = np.nonzero(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= b)
    dofs = np.array([range(k, k + b + 1) for k in range(max(1, n - b))])
    pattern = Pattern.of([Blocks(np.minimum(dofs, n - 1), 0)], np.arange(n), n)
    solver = make(pattern, b, symmetric)
    store(solver, A, i, j)
    return solver


def store(solver: LinearSolver, A: np.ndarray, i: np.ndarray, j: np.ndarray) -> None:
    solver.data[:] = 0.0
    solver.data[solver.slots(i, j)] = A[i, j]


def inertia_is_positive(A: np.ndarray) -> bool:
    return bool(np.linalg.eigvalsh(A).min() > 0)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", [definite, indefinite])
@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 40), b=st.integers(0, 7), seed=st.integers(0, 1000))
def test_symmetric_systems(name: str, kind: Callable[[int, int, int], np.ndarray], n: int, b: int, seed: int) -> None:
    A = kind(n, b, seed)
    b = min(b, n - 1)
    solver = loaded(MAKERS[name], A, b, True)
    x = np.random.default_rng(seed).standard_normal(n)
    solver.refactor()
    assert np.allclose(solver.product(x), A @ x, atol=1e-11)
    assert np.allclose(solver.solve(A @ x), x, rtol=0, atol=1e-9)
    assert np.array_equal(solver.solve(np.zeros(n)), np.zeros(n))
    assert solver.is_positive_definite() == inertia_is_positive(A)


@pytest.mark.parametrize("name", ["band", "superlu"])
@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 40), b=st.integers(0, 7), seed=st.integers(0, 1000))
def test_unsymmetric_systems(name: str, n: int, b: int, seed: int) -> None:
    A = banded(n, b, seed)
    solver = loaded(MAKERS[name], A, min(b, n - 1), False)
    solver.refactor()
    x = np.random.default_rng(seed).standard_normal(n)
    assert np.allclose(solver.solve(A @ x), x, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", MAKERS)
def test_definite_after_indefinite_and_back(name: str) -> None:
    """A failed Cholesky leaves nothing behind, nor does a successful one."""
    n, b = 30, 4
    solver = loaded(MAKERS[name], definite(n, b, 0), b, True)
    i, j = np.nonzero(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= b)
    x = np.arange(1.0, n + 1)
    for A in (definite(n, b, 1), indefinite(n, b, 2), definite(n, b, 3), -definite(n, b, 4), definite(n, b, 5)):
        store(solver, A, i, j)
        solver.refactor()
        assert np.allclose(solver.solve(A @ x), x, atol=1e-8)
        assert solver.is_positive_definite() == inertia_is_positive(A)


@pytest.mark.parametrize("name", MAKERS)
def test_singular_matrices_are_refused(name: str) -> None:
    n, b = 12, 2
    chain = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    free = chain.copy()
    free[0, 0] = free[-1, -1] = 1.0  # a chain of springs without support: exact in floating point
    missing = chain.copy()
    missing[5, :] = missing[:, 5] = 0.0
    for A in (free, missing, np.zeros((n, n))):
        solver = loaded(MAKERS[name], A, b, True)
        with pytest.raises(SingularError):
            solver.refactor()
        assert not solver.is_positive_definite()


def test_the_band_solver_names_the_unknown_that_nothing_holds() -> None:
    A = np.diag([1.0, 2.0, 0.0, 3.0])
    with pytest.raises(SingularError) as caught:
        loaded(MAKERS["band"], A, 1, True).refactor()
    assert caught.value.unknown == 2


@pytest.mark.parametrize("name", MAKERS)
def test_numbers_that_are_not_finite_are_never_solved(name: str) -> None:
    A = definite(8, 2, 0)
    A[3, 3] = np.nan
    solver = loaded(MAKERS[name], A, 2, True)

    def go() -> None:
        solver.refactor()
        solver.solve(np.ones(8))

    with pytest.raises(SingularError):
        go()


@pytest.mark.parametrize("name", MAKERS)
def test_zero_diagonal_and_bad_scaling(name: str) -> None:
    """A saddle point (zero on the diagonal), and rows of sizes from 1e-8 to 1e8."""
    for A in (np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 2.0, 0], [2.0, 0.0, 1.0], [0, 1.0, 3.0]])):
        solver = loaded(MAKERS[name], A, 1, True)
        solver.refactor()
        assert np.allclose(solver.solve(A @ np.ones(len(A))), 1.0, atol=1e-13)
        assert not solver.is_positive_definite()
    d = 10.0 ** np.linspace(-8, 8, 20)
    A = definite(20, 2, 1) * np.outer(d, d)
    solver = loaded(MAKERS[name], A, 2, True)
    solver.refactor()
    assert np.allclose(solver.solve(A @ (1.0 / d)) * d, 1.0, rtol=1e-8)
    assert solver.is_positive_definite()


def test_entries_that_do_not_count_go_to_the_spare_place() -> None:
    for make in MAKERS.values():
        solver = loaded(make, definite(6, 2, 0), 2, True)
        slots = solver.slots(np.array([-1, 0, -1, 3]), np.array([0, -1, -1, 3]))
        assert slots[:3].tolist() == [len(solver.data) - 1] * 3
        assert slots[3] < len(solver.data) - 1


@pytest.fixture
def no_scikit_sparse(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if scikit-sparse were not installed."""
    monkeypatch.setitem(sys.modules, "sksparse", None)
    monkeypatch.setitem(sys.modules, "sksparse.cholmod", None)
    cholmod_available.cache_clear()
    yield
    cholmod_available.cache_clear()


@pytest.mark.usefixtures("no_scikit_sparse")
def test_without_scikit_sparse_one_warning_and_superlu() -> None:
    n = 500
    dofs = np.column_stack((np.arange(n), np.roll(np.arange(n), n // 2)))
    pattern = Pattern.of([Blocks(dofs, 0)], np.arange(n), n)
    with pytest.warns(RuntimeWarning, match="scikit-sparse cannot be imported") as caught:
        solver = choose(pattern, n - 1, True)
    assert len(caught) == 1
    assert solver.name == "SuperLU"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose(pattern, n - 1, True)
    columns = np.repeat(np.arange(n), np.diff(pattern.indptr))
    for diagonal, positive in ((3.0, True), (0.5, False)):
        A = np.where(pattern.indices == columns, diagonal, 1.0)
        solver.data[:-1] = A
        solver.refactor()
        assert np.allclose(solver.solve(solver.product(np.ones(n))), 1.0)
        assert solver.is_positive_definite() == positive  # pairs of unknowns: eigenvalues diagonal +- 1


def test_which_solver_is_chosen() -> None:
    small = Pattern.of([], np.arange(5), 5)
    large = Pattern.of([], np.arange(1000), 1000)
    assert choose(small, 4, True).name == "LAPACK band"
    assert choose(large, 7, False).name == "LAPACK band"
    assert choose(large, 999, True).name == "CHOLMOD"
    assert choose(large, 999, False).name == "SuperLU"
