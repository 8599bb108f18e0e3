"""Bases that are orthonormal in the energy of a matrix, with dependent directions left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray

__all__ = ["orthonormal"]

PASSES = 2
"""Times a block is made orthogonal: once loses digits where little is left of it, twice is enough."""


def orthonormal(A: Any, V: FloatArray, against: FloatArray | None = None, deflation: float = 1e-12) -> FloatArray:
    """Columns Q (n, k) with Q^T A Q = 1 and against^T A Q = 0 that, with ``against``, span V.

    Parameters
    ----------
    A : matrix (n, n)
        Symmetric positive semidefinite.
    V : (n, m) array
        What to span.
    against : (n, p) array, optional
        A-orthonormal columns.
    deflation : float
        A direction is left out if less than this part of its energy :math:`v^T A v` is new.

    Examples
    --------
    >>> orthonormal(np.diag([4.0, 1.0]), np.array([[1.0, 2.0], [0.0, 0.0]])).round(12).tolist()
    [[0.5], [0.0]]
    """
    n, m = V.shape
    energy = np.einsum("ij,ij->j", V, A @ V)
    used = energy > 0.0
    V = V[:, used] / np.sqrt(energy[used])
    for step in range(PASSES):
        if against is not None and against.shape[1]:
            V = V - against @ (against.T @ (A @ V))
        gram = V.T @ (A @ V)
        values, vectors = linalg.eigh(0.5 * (gram + gram.T)) if V.shape[1] else (np.empty(0), np.empty((0, 0)))
        # the first pass compares with the unit energies of the given columns, the second repairs round-off
        keep = values > (deflation if step == 0 else 0.5)
        V = (V @ vectors[:, keep]) / np.sqrt(values[keep])
    return np.ascontiguousarray(V[:, ::-1]) if m else np.zeros((n, 0))
