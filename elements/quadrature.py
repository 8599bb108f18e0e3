"""Quadrature rules on [-1, 1]: Gauss-Legendre and Gauss-Lobatto."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial import legendre

from flexmbs.core.checks import as_count
from flexmbs.core.contracts import FloatArray

__all__ = ["Gauss", "Lobatto"]


@dataclass(frozen=True)
class Gauss:
    """Gauss-Legendre rule of ``n`` points, exact for polynomials of degree 2 n - 1.

    Examples
    --------
    >>> xi, w = Gauss(2).rule()
    >>> round(float(sum(w * xi**2)), 12)
    0.666666666667
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_count("Gauss", "n", self.n, minimum=1))

    def rule(self) -> tuple[FloatArray, FloatArray]:
        """Points and weights."""
        xi, w = _legendre_gauss(self.n)
        return xi.copy(), w.copy()


@cache
def _legendre_gauss(n: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights: an eigenvalue problem, solved once for every n."""
    return legendre.leggauss(n)


@dataclass(frozen=True)
class Lobatto:
    """Gauss-Lobatto rule of ``n >= 2`` points with both ends, exact for polynomials of degree 2 n - 3.

    Points are -1, 1 and the zeros of P'_{n-1}; weights 2 / (n (n-1) P_{n-1}(xi)^2).

    Examples
    --------
    >>> Lobatto(3).rule()[0].tolist()
    [-1.0, 0.0, 1.0]
    """

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", as_count("Lobatto", "n", self.n, minimum=2))

    def rule(self) -> tuple[FloatArray, FloatArray]:
        """Points and weights."""
        P = legendre.Legendre.basis(self.n - 1)
        inner = np.sort(P.deriv().roots().real) if self.n > 2 else np.empty(0)
        inner = 0.5 * (inner - inner[::-1])  # the zeros are symmetric; this removes their round-off
        xi = np.concatenate(([-1.0], inner, [1.0]))
        return xi, 2.0 / (self.n * (self.n - 1) * P(xi) ** 2)
