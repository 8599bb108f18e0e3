r"""Whether operators can be those of a structure: K and M positive semidefinite.

First every pair of unknowns: :math:`A_{ij}^2 \le A_{ii} A_{jj}` must hold; where it does not, the entry can be named.
Then the whole matrix, by a Cholesky factorisation of :math:`K + \sigma M` with a small :math:`\sigma`, which rigid
motions pass. Digits that a file leaves out make the eigenvalues of rigid motions slightly negative, so two shifts
are tried; failing the first is a warning, failing the second an error.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from flexmbs.core.contracts import IntArray
from flexmbs.core.errors import AccuracyWarning, ReadError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.linear.files.unknowns import Unknowns

__all__ = ["check_definite", "check_pairs"]

EXACT = 1e-11
"""Shift relative to the largest K_ii/M_ii that round-off in double precision needs."""

PRINTED = 1e-8
"""The same for operators of nine or more printed digits."""

PAIR = 1e-6
"""How far an entry may lie above the geometric mean of its diagonal entries."""


def check_pairs(owner: str, name: str, A: Any, unknowns: Unknowns) -> None:
    """Refuse a matrix (csc) with a 2 x 2 minor that is negative, naming its entry."""
    A = A.tocoo()
    diagonal = np.bincount(A.row[A.row == A.col], weights=A.data[A.row == A.col], minlength=A.shape[0])
    mean = np.sqrt(np.abs(diagonal[A.row] * diagonal[A.col]))
    off = A.row != A.col
    # digits that a file leaves out show against the largest entry of the rows
    floor = 1e-12 * np.abs(A.data).max(initial=0.0)
    excess = np.where(off, np.abs(A.data) - (1.0 + PAIR) * mean - floor, -1.0)
    if len(excess) and excess.max() > 0.0:
        k = int(np.argmax(excess))
        i, j = int(A.row[k]), int(A.col[k])
        raise ReadError(
            f"{owner}: {name} is indefinite: its entry of {unknowns.name(i)} and {unknowns.name(j)} (rows {i} and {j} "
            f"from 0) is {A.data[k]:.6g}, but their diagonal entries are {diagonal[i]:.6g} and {diagonal[j]:.6g}. The "
            "file is cut off, or its rows are in another order."
        )


def check_definite(owner: str, K: Any, M: Any, unknowns: Unknowns) -> None:
    """Refuse operators (csc) with negative eigenvalues, beyond what the digits of a file explain."""
    massive = np.flatnonzero(M.diagonal() > 0)
    if not len(massive):
        raise ReadError(f"{owner}: M is zero; operators need mass.")
    inside = M[massive][:, massive]
    _factor(owner, "M", inside, inside.diagonal(), 1e-9, massive, unknowns)
    scale = float((K.diagonal()[massive] / M.diagonal()[massive]).max())
    try:
        Definite(K + EXACT * scale * M)
    except SingularError:
        _factor(owner, "K", K, M, PRINTED * scale, np.arange(K.shape[0]), unknowns)
        warnings.warn(
            f"{owner}: K has eigenvalues below zero, down to the digits of the file: those of rigid motions are known "
            f"to about {np.sqrt(PRINTED * scale):.3g} rad/s only. A file with more digits would do better.",
            AccuracyWarning,
            stacklevel=5,
        )


def _factor(owner: str, name: str, A: Any, add: Any, by: float, rows: IntArray, unknowns: Unknowns) -> None:
    """Factorise A plus a little, or say which unknown makes it indefinite."""
    from scipy import sparse

    little = sparse.diags_array(add) if isinstance(add, np.ndarray) else add
    try:
        Definite(A + by * little)
    except SingularError as error:
        where = "" if error.unknown is None else f", first found at {unknowns.name(int(rows[error.unknown]))}"
        raise ReadError(
            f"{owner}: {name} is indefinite{where}: it has a negative eigenvalue larger than rounding explains, so it "
            "is not that of a stable structure. It may be cut off, hold a prestress beyond buckling, have fewer than "
            "nine digits or rows in another order than the map says. definite=False reads it all the same."
        ) from None
