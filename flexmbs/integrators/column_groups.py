"""Columns of a sparse matrix in groups that share no row, so that one difference serves a whole group.

A. R. Curtis, M. J. D. Powell, J. K. Reid, J. Inst. Maths Applics 13 (1974) 117-119; the order in which columns are
taken, those with most neighbours first, is that of T. F. Coleman, J. J. More, SIAM J. Numer. Anal. 20 (1983) 187-209.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csc_array

from flexmbs.core.contracts import IntArray

__all__ = ["column_groups"]


def column_groups(rows: IntArray, cols: IntArray, n: int) -> IntArray:
    """The group (n,) of every column of an n by n pattern with entries (rows, cols); groups count from 0.

    Examples
    --------
    A tridiagonal matrix needs three groups, whatever its size:

    >>> i = np.arange(9)
    >>> rows, cols = np.concatenate((i, i[1:], i[:-1])), np.concatenate((i, i[:-1], i[1:]))
    >>> int(column_groups(rows, cols, 9).max()) + 1
    3
    """
    pattern = csc_array(coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n)))
    meets = csc_array(pattern.T @ pattern)
    degree = np.diff(meets.indptr)
    group = np.full(n, -1, dtype=np.int64)
    taken = np.full(n + 1, -1, dtype=np.int64)
    for j in np.argsort(-degree, kind="stable"):
        taken[group[meets.indices[meets.indptr[j] : meets.indptr[j + 1]]]] = j  # place -1 is for those without a group
        group[j] = int(np.flatnonzero(taken[:-1] != j)[0])
    return group
