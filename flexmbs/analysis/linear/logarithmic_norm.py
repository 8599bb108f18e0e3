r"""The logarithmic norm of a matrix (Lozinskii, Dahlquist), :math:`\mu(A) = \lim_{h\to0+} (\|I + hA\| - 1)/h`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh

from flexmbs.core.checks import as_array, is_among, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

__all__ = ["logarithmic_norm"]

NAMES = ("euclidean", "1", "inf")


def logarithmic_norm(A: FloatArray, metric: Any) -> float:
    """Of a matrix in a norm: one of `NAMES`, or that of a positive definite matrix; None: there is no energy."""
    if metric is None:
        raise ModelError(
            "logarithmic_norm: this linear model has no energy (its state moves, its forces have no potential, or it "
            "has first-order states or prescribed motions); pass a positive definite matrix, or 'euclidean'."
        )
    n = len(A)
    if not n:
        return 0.0
    if isinstance(metric, str):
        if not is_among(metric, NAMES):
            raise ModelError(f"logarithmic_norm: metric must be 'energy', {NAMES} or a matrix, not {show(metric)}.")
        if metric == "euclidean":
            return float(eigh(0.5 * (A + A.T), eigvals_only=True)[-1])
        across = np.abs(A).sum(axis=0 if metric == "1" else 1) - np.abs(np.diag(A))
        return float((np.diag(A) + across).max())
    P = as_array("logarithmic_norm", "metric", metric, (n, n))
    if np.abs(P - P.T).max() > 1e-9 * np.abs(P).max():
        raise ModelError("logarithmic_norm: the metric must be a symmetric matrix.")
    try:
        return float(eigh(0.5 * (P @ A + A.T @ P), 0.5 * (P + P.T), eigvals_only=True)[-1])
    except LinAlgError:
        raise ModelError(
            "logarithmic_norm: the metric is not positive definite (an energy is not where something moves freely, or "
            "is unstable)."
        ) from None
