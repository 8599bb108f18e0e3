r"""Whether operators can be those of a structure: K and M positive semidefinite.

First every pair of unknowns: :math:`A_{ij}^2 \le A_{ii} A_{jj}` must hold; where it does not, the entry can be named.
Then the whole matrix, by a Cholesky factorisation of :math:`K + \sigma M` with a small :math:`\sigma`, which rigid
motions pass. Digits that a file leaves out make the eigenvalues of rigid motions slightly negative, so several
shifts are tried: a stiffness that fails the first one is a warning, a matrix that fails the last one an error.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.core.contracts import IntArray
from flexmbs.core.errors import AccuracyWarning, ReadError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.linear.files.unknowns import Unknowns

__all__ = ["check_definite", "check_entries"]

SHIFTS = (1e-11, 1e-9, 1e-7)
"""Shifts relative to the largest K_ii/M_ii, and to M_ii: for round-off and twelve digits, ten digits, seven digits."""

SYMMETRY = 1e-8
"""How much of the largest entry two that should be equal may differ."""

PAIR = 1e-6
"""How far an entry may lie above the geometric mean of its diagonal entries."""


def check_entries(owner: str, name: str, A: Any, unknowns: Unknowns) -> None:
    """Refuse a matrix (csc) that is not finite or symmetric, naming the entry; and, but for D, negative minors."""
    A = A.tocoo()
    bad = np.flatnonzero(~np.isfinite(A.data))
    if len(bad):
        raise ReadError(f"{owner}: {name} has the entry {A.data[bad[0]]} at {_entry(A, int(bad[0]), unknowns)}.")
    largest = float(np.abs(A.data).max(initial=0.0))
    apart = (A - A.T).tocoo()
    if apart.nnz and np.abs(apart.data).max() > SYMMETRY * largest:
        k = int(np.argmax(np.abs(apart.data)))
        raise ReadError(
            f"{owner}: {name} is not symmetric: its two entries of {_entry(apart, k, unknowns)} differ by "
            f"{abs(apart.data[k]):.3g}; the largest entry is {largest:.3g}."
        )
    if name == "D":
        return
    diagonal = np.bincount(A.row[A.row == A.col], weights=A.data[A.row == A.col], minlength=A.shape[0])
    floor = 1e-12 * largest
    if len(diagonal) and diagonal.min() < -floor:
        i = int(np.argmin(diagonal))
        raise ReadError(
            f"{owner}: {name} is indefinite: its diagonal entry of {unknowns.name(i)} is {diagonal[i]:.6g}."
        )
    mean = np.sqrt(np.abs(diagonal[A.row] * diagonal[A.col]))
    # digits that a file leaves out show against the largest entry of the rows
    excess = np.where(A.row != A.col, np.abs(A.data) - (1.0 + PAIR) * mean - floor, -1.0)
    if len(excess) and excess.max() > 0.0:
        k = int(np.argmax(excess))
        raise ReadError(
            f"{owner}: {name} is indefinite: its entry of {_entry(A, k, unknowns)} is {A.data[k]:.6g}, but their "
            f"diagonal entries are {diagonal[A.row[k]]:.6g} and {diagonal[A.col[k]]:.6g}. The file is cut off, or its "
            "rows are in another order."
        )


def _entry(A: Any, k: int, unknowns: Unknowns) -> str:
    """An entry in words, with its row and column as files count them."""
    i, j = int(A.row[k]), int(A.col[k])
    return f"{unknowns.name(i)} and {unknowns.name(j)} (row {i + 1}, column {j + 1})"


def check_definite(owner: str, K: Any, M: Any, unknowns: Unknowns) -> None:
    """Refuse operators (csc) with negative eigenvalues, beyond what the digits of a file explain."""
    massive = np.flatnonzero(M.diagonal() > 0)
    if not len(massive):
        raise ReadError(f"{owner}: M is zero; operators need mass.")
    inside = M[massive][:, massive]
    _shift(owner, "M", inside, sparse.diags_array(inside.diagonal(), format="csc"), massive, unknowns)
    scale = float((K.diagonal()[massive] / M.diagonal()[massive]).max())
    shift = _shift(owner, "K", K, scale * M, np.arange(K.shape[0]), unknowns)
    if shift > SHIFTS[0]:
        warnings.warn(
            f"{owner}: K has eigenvalues below zero, as far as the digits of a file explain: those of rigid motions "
            f"may be wrong by up to ({np.sqrt(shift * scale):.3g} rad/s)^2. A file with more digits would do better.",
            AccuracyWarning,
            stacklevel=5,
        )


def _shift(owner: str, name: str, A: Any, add: Any, rows: IntArray, unknowns: Unknowns) -> float:
    """The smallest shift that makes A definite; if none does, an error names the unknown."""
    unknown = None
    for shift in SHIFTS:
        try:
            Definite(A + shift * add)
        except SingularError as error:
            unknown = error.unknown
        else:
            return shift
    where = "" if unknown is None else f", first found at {unknowns.name(int(rows[unknown]))}"
    raise ReadError(
        f"{owner}: {name} is indefinite{where}: it has a negative eigenvalue larger than rounding explains, so it is "
        "not that of a stable structure. It may be cut off, hold a prestress beyond buckling, have fewer than seven "
        "digits or rows in another order than the map says. definite=False reads it all the same."
    )
