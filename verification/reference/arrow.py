"""An arrow pushed along its axis, a point mass at each end: Legendre-Ritz for vibrations, Airy functions for stability.

Lengths by that of the arrow, masses by its mass m, forces by EI/l^2: phi = m a l^2/EI is the push, mu0 and mu1 are the
masses at tail and head, mu2 is that of the bow on the string of stiffness nu = c l^3/EI. The axial force is
-phi (1 + mu1 - x).
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import airy

from flexmbs.core.contracts import FloatArray

__all__ = ["critical_pushes", "eigenvalues"]


def eigenvalues(phi: float, mu0: float, mu1: float, mu2: float, nu: float, terms: int = 24) -> FloatArray:
    """All omega^2 of the Ritz model, ascending; the last unknown is the deflection of the bow."""
    nodes, weights = legendre.leggauss(2 * terms)
    x = 0.5 * (nodes + 1.0)
    w = 0.5 * weights
    basis = [legendre.Legendre.basis(k, domain=[0.0, 1.0]) for k in range(terms)]
    y, slope, bend = (np.array([b.deriv(d)(x) if d else b(x) for b in basis]) for d in (0, 1, 2))
    tail, head = (np.array([b(end) for b in basis]) for end in (0.0, 1.0))
    K, M = np.zeros((terms + 1, terms + 1)), np.zeros((terms + 1, terms + 1))
    K[:-1, :-1] = (bend * w) @ bend.T - phi * (slope * w * (1.0 + mu1 - x)) @ slope.T
    M[:-1, :-1] = (y * w) @ y.T + mu0 * np.outer(tail, tail) + mu1 * np.outer(head, head)
    M[-1, -1] = mu2
    string = np.append(tail, -1.0)
    K += nu * np.outer(string, string)
    return np.asarray(eigh(K, M, eigvals_only=True))


def critical_pushes(mu1: float, count: int) -> list[float]:
    """Pushes at which the slope S has S'' + phi (1 + mu1 - x) S = 0, S'(0) = S'(1) = 0: no force on either end."""

    def residual(phi: float) -> float:
        k = phi ** (1.0 / 3.0)  # S is a combination of Ai and Bi of -k (1 + mu1 - x)
        (_, a0, _, b0), (_, a1, _, b1) = airy(-k * (1.0 + mu1)), airy(-k * mu1)
        return float(a0 * b1 - a1 * b0)

    grid = np.linspace(1.0, 60.0 * count**2, 600 * count)
    values = np.array([residual(p) for p in grid])
    change = np.flatnonzero(values[:-1] * values[1:] < 0)[:count]
    return [float(brentq(residual, grid[i], grid[i + 1], xtol=1e-12)) for i in change]
