"""Checks at the border of the reductions: operators, and motions that strain nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.methods.orthonormal import orthonormal

__all__ = ["as_labels", "as_operator", "as_rigid"]

ASYMMETRY = 1e-8
"""Largest difference between a matrix and its transpose, relative to its largest entry."""

STRAIN = 1e-8
"""Largest force of a rigid motion, relative to the forces that cancel in it."""


def as_operator(owner: str, name: str, A: Any, n: int | None = None) -> Any:
    """A symmetric sparse matrix of finite entries in compressed columns, n by n.

    Raises
    ------
    ModelError
        If it is something else.
    """
    try:
        out = sparse.csc_matrix(A, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {name} must be a sparse matrix, not {show(A)}.") from None
    if out.shape[0] != out.shape[1] or not out.shape[0] or (n is not None and out.shape[0] != n):
        wanted = "square" if n is None else f"of shape {(n, n)}"
        raise ModelError(f"{owner}: {name} must be {wanted}, not {out.shape}.")
    if not np.isfinite(out.data).all():
        raise ModelError(f"{owner}: {name} has entries that are not finite.")
    largest = float(np.abs(out.data).max(initial=0.0))
    difference = abs(out - out.T)
    if difference.nnz and difference.max() > ASYMMETRY * largest:
        raise ModelError(
            f"{owner}: {name} is not symmetric: it differs from its transpose by {difference.max() / largest:.3g} of "
            f"its largest entry."
        )
    return out


def as_rigid(owner: str, K: Any, M: Any, rigid: Any) -> FloatArray:
    """Mass-orthonormal rigid motions (n, r) from given ones (n, any); dependent and zero columns are left out.

    Raises
    ------
    ModelError
        If a column strains the structure.
    """
    if rigid is None:
        return np.zeros((K.shape[0], 0))
    R = as_array(owner, "rigid", rigid, (K.shape[0], None))
    force, scale = np.abs(K @ R), abs(K) @ np.abs(R)
    strained = force.max(axis=0, initial=0.0) > STRAIN * scale.max(axis=0, initial=0.0)
    if strained.any():
        j = int(np.argmax(strained))
        raise ModelError(
            f"{owner}: column {j} of rigid strains the structure, by {force[:, j].max() / scale[:, j].max():.3g} of "
            f"the forces that should cancel. Give only motions that are free; a held structure has none."
        )
    return orthonormal(M, R)


def as_labels(owner: str, labels: Any, count: int) -> tuple[str, ...]:
    """Names of interface coordinates, numbered ones if none are given."""
    if labels is None:
        return tuple(f"interface {i}" for i in range(count))
    if len(labels) != count:
        raise ModelError(f"{owner}: {len(labels)} labels for {count} interface coordinates.")
    return tuple(str(s) for s in labels)
