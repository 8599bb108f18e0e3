"""Band LU without interchanges: solutions against dense ones, and its refusal of orders that lose digits."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from flexmbs.core.linsolve.static_band import WIDTHS, BandShape, StaticBand


def solver_of(A: np.ndarray, border: int = 0) -> StaticBand:
    row, col = (x.astype(np.int64) for x in np.nonzero(A))
    shape = BandShape.of(len(A), row, col, border)
    assert shape is not None
    solver = StaticBand(shape)
    solver.data[shape.slots(row, col)] = A[row, col]
    return solver


def place(solver: StaticBand, row: int, col: int) -> np.ndarray:
    shape = BandShape(solver.n, 0 if solver.edge is None else solver.edge.shape[1], solver.W, solver.reach)
    return shape.slots(np.array([row]), np.array([col]))


def banded(n: int, half_band: int, seed: int) -> np.ndarray:
    """Unsymmetric, dominated by its diagonal."""
    random = np.random.default_rng(seed)
    A = random.uniform(-1.0, 1.0, (n, n))
    A[np.abs(np.subtract.outer(np.arange(n), np.arange(n))) > half_band] = 0.0
    A[np.diag_indices(n)] = 2.0 * half_band + 2.0
    return A


@settings(deadline=None)
@given(n=st.integers(1, 70), half_band=st.integers(0, WIDTHS[-1]), seed=st.integers(0, 1000))
def test_solution(n: int, half_band: int, seed: int) -> None:
    A = banded(n, half_band, seed)
    solver = solver_of(A)
    assert solver.refactor()
    for x in (np.ones(n), np.random.default_rng(seed).standard_normal(n)):
        assert np.allclose(solver.direct(A @ x), x, rtol=0.0, atol=1e-12)


@settings(deadline=None)
@given(
    n=st.integers(0, 60), half_band=st.integers(0, WIDTHS[-1]), border=st.integers(1, 30), full=st.floats(0.1, 1.0),
    seed=st.integers(0, 1000),
)  # fmt: skip
def test_solution_with_a_border(n: int, half_band: int, border: int, full: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    A = np.zeros((n + border, n + border))
    A[:n, :n] = banded(n, half_band, seed)
    edge = np.where(random.uniform(size=A.shape) < full, random.uniform(-1.0, 1.0, A.shape), 0.0)
    A[n:], A[:, n:] = edge[n:], edge[:, n:]
    A[np.diag_indices(n + border)] = 2.0 * (half_band + border) + n + 2.0
    solver = solver_of(A, border)
    assert solver.refactor()
    for x in (np.ones(n + border), random.standard_normal(n + border)):
        assert np.allclose(solver.direct(A @ x), x, rtol=0.0, atol=1e-12)


def test_a_border_refuses_what_a_band_does() -> None:
    """Dependent rows, a constraint on bodies that are held already, and what is not a number."""
    good = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, -1.0], [1.0, -1.0, 0.0]])
    assert solver_of(good, border=1).refactor()
    twice = np.zeros((4, 4))
    twice[:3, :3] = good
    twice[3], twice[:, 3] = twice[2], twice[:, 2]
    for border in (1, 2, 3):
        assert not solver_of(twice, border).refactor()
    solver = solver_of(good, border=2)
    solver.data[place(solver, 2, 0)] = np.nan
    assert not solver.refactor()


def test_saddle_point_by_its_order() -> None:
    """Two masses and the constraint x = y: after both, or after one of them, but not before any."""
    A = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, -1.0], [1.0, -1.0, 0.0]])
    for order, good in (([0, 1, 2], True), ([0, 2, 1], True), ([2, 0, 1], False)):
        B = A[np.ix_(order, order)]
        solver = solver_of(B)
        assert solver.refactor() is good
        if good:
            assert np.allclose(B @ solver.direct(np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0], rtol=0.0, atol=1e-14)


def test_units_do_not_matter() -> None:
    A = banded(30, 5, 1)
    scale = 10.0 ** np.random.default_rng(2).uniform(-8.0, 8.0, 30)
    B = scale[:, None] * A * scale
    solver = solver_of(B)
    assert solver.refactor()
    assert np.allclose(solver.direct(B @ (1.0 / scale)) * scale, 1.0, rtol=1e-9)


def test_refuses_what_is_not_a_number() -> None:
    solver = solver_of(banded(12, 3, 4))
    solver.data[place(solver, 7, 7)] = np.nan
    assert not solver.refactor()


def test_refuses_dependent_rows() -> None:
    A = banded(12, 3, 4)
    A[6], A[:, 6] = A[5], A[:, 5]
    A[6, 6] = A[6, 5] = A[5, 6] = A[5, 5]
    assert not solver_of(A).refactor()


def test_width_is_bounded() -> None:
    far = np.array([0, WIDTHS[-1] + 1])
    assert BandShape.of(100, far, far[::-1].copy()) is None
    assert BandShape.of(100, far - far, far - far) is not None
    assert BandShape.of(WIDTHS[-1] + 2, far, far[::-1].copy(), border=1) is not None
