"""The complex band without interchanges: solutions, with and without a border, and pivots that it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs.core.linsolve.complex_band import complex_band_factorise, complex_band_solve
from flexmbs.core.linsolve.static_band import BandShape, StaticBand


def factorised(A: np.ndarray, border: int) -> tuple[StaticBand, np.ndarray, np.ndarray, int]:
    """The band of a matrix with its factors, and the first bad pivot."""
    n = len(A)
    row, col = np.nonzero(A)
    shape = BandShape.of(n, row, col, border)
    assert shape is not None
    band, slots = StaticBand(shape), shape.slots(row, col)
    re, im = np.zeros((2, len(band.data)))
    re[slots], im[slots] = A[row, col].real, A[row, col].imag
    bad = complex_band_factorise(re, im, n, shape.reach, np.zeros(n + band.W), (0.0,) * band.W, band.edge)
    return band, re, im, bad


@pytest.mark.parametrize(("n", "half", "border"), [(40, 5, 0), (40, 5, 6), (60, 14, 3), (30, 20, 1), (9, 8, 2)])
def test_solutions(n: int, half: int, border: int) -> None:
    random = np.random.default_rng(1)
    i = np.arange(n)
    inside = (abs(i[:, None] - i) <= half) | (i >= n - border) | (i[:, None] >= n - border)
    A = inside * (random.standard_normal((n, n)) + 1j * random.standard_normal((n, n))) + 20.0 * np.eye(n)
    band, re, im, bad = factorised(A, border)
    assert bad == -1
    x, y = random.standard_normal((2, n))
    expected = np.linalg.solve(A, x + 1j * y)
    u, v = np.zeros((2, n + 2 * band.W))
    complex_band_solve(re, im, n, u, v, x, y, (0.0,) * band.W, band.edge)
    assert np.abs(x + 1j * y - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("border", [0, 2])
def test_a_pivot_that_vanishes_is_told(border: int) -> None:
    """In the last place nothing is left: the same row twice."""
    A = np.diag(np.full(8, 2.0 + 1.0j))
    A[6, 7] = A[7, 6] = A[7, 7] = A[6, 6]
    assert factorised(A, border)[-1] == 7
    assert factorised(np.where(np.eye(8) > 0, np.nan, 0.0) + 0j, border)[-1] == 0
