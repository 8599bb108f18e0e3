"""A beam assembled by hand, so that reductions are tested without any element of the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy import sparse


class Beam(NamedTuple):
    """Free Bernoulli-Euler beam with EI = mass per length = 1: unknowns w and w' node by node, rigid motions (n, 2)."""

    K: sparse.csc_matrix
    M: sparse.csc_matrix
    rigid: np.ndarray

    def clamped(self) -> Beam:
        """Held at its first node; no rigid motion."""
        return Beam(self.K[2:][:, 2:], self.M[2:][:, 2:], np.zeros((self.K.shape[0] - 2, 0)))


def assemble(elements: int, length: float = 1.0) -> Beam:
    """Hermite elements with consistent mass."""
    h = length / elements
    n = 2 * (elements + 1)
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                  [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h**3  # fmt: skip
    m = h / 420 * np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                            [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])  # fmt: skip
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(elements):
        rows = slice(2 * e, 2 * e + 4)
        K[rows, rows] += k
        M[rows, rows] += m
    rigid = np.zeros((n, 2))
    rigid[::2, 0] = 1.0
    rigid[::2, 1] = np.linspace(0.0, length, elements + 1)
    rigid[1::2, 1] = 1.0
    return Beam(sparse.csc_matrix(K), sparse.csc_matrix(M), rigid)


@pytest.fixture
def beam() -> Callable[..., Beam]:
    """``beam(elements, length=1.0)``."""
    return assemble
