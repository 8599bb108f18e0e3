r"""Lowest modes of large symmetric pencils :math:`K\phi = \omega^2 M\phi` by shift-invert Lanczos.

The operator :math:`(K - \sigma M)^{-1} M` with a shift :math:`\sigma \le 0` keeps the matrix positive definite: zero
where K is definite, a little below zero where rigid motions are possible. Its factorisation may come from outside,
where it serves static solutions as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite

__all__ = ["EigenPairs", "lowest_modes"]

DENSE = 200
"""Order up to which a dense solution is quicker."""

RIGID = 1e-3
"""The shift of a free structure relative to an estimate of its lowest elastic eigenvalue."""


class EigenPairs(NamedTuple):
    """``values (m,)`` ascending, mass-normalised ``vectors (n, m)``, ``residuals (m,)`` |K x - w2 M x| / |K x|."""

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray


def lowest_modes(
    K: Any,
    M: Any,
    count: int,
    factor: Definite | None = None,
    shift: float = 0.0,
    what: str = "the stiffness",
    each: Callable[[int], None] | None = None,
) -> EigenPairs:
    """The ``count`` modes of lowest eigenvalue.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Symmetric; M positive semidefinite.
    count : int
        How many.
    factor : Definite, optional
        Of K - shift M; made here if not given.
    shift : float
        Not positive, and negative where K is singular [1/time^2].
    what : str
        For messages.
    each : callable, optional
        Called before every solution with the number of solutions so far.

    Raises
    ------
    ModelError
        If more modes are asked for than there are unknowns with mass.
    SingularError
        If K - shift M is not positive definite.
    ConvergenceError
        If the iteration does not converge.
    """
    n = K.shape[0]
    massive = int((M.diagonal() > 0).sum()) if n else 0
    if count > massive:
        raise ModelError(f"{what}: {count} modes were asked for, but only {massive} unknowns have mass.")
    if count == 0:
        return EigenPairs(np.empty(0), np.empty((n, 0)), np.empty(0))
    if n <= DENSE or count > n // 2:
        values, vectors = _dense(K, M, count, shift, what)
    else:
        factor = Definite(K - shift * M if shift else K, what) if factor is None else factor
        solver = factor

        def apply(b: FloatArray) -> FloatArray:
            if each is not None:
                each(solver.solves)
            return solver.solve(np.ravel(b))

        inverse = LinearOperator((n, n), matvec=apply, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)  # the same digits in every run
        try:
            values, vectors = eigsh(
                K,
                count,
                M,
                sigma=shift,
                OPinv=inverse,
                which="LM",
                v0=start,
                ncv=min(n, max(2 * count + 1, count + 20)),
            )
        except ArpackNoConvergence as error:
            raise ConvergenceError(f"{what}: {len(error.eigenvalues)} of {count} modes converged.") from None
    order = np.argsort(values)
    values, vectors = values[order], vectors[:, order]
    vectors = vectors / np.sqrt(np.einsum("ij,ij->j", vectors, M @ vectors))
    largest = np.argmax(np.abs(vectors), axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(count)])  # a sign that does not depend on the solver
    force = K @ vectors
    rest = np.linalg.norm(force - (M @ vectors) * values, axis=0)
    # relative to a stiffness that rigid modes have as well
    scale = np.maximum(
        np.linalg.norm(force, axis=0), 1e-12 * np.abs(K.diagonal()).max() * np.linalg.norm(vectors, axis=0)
    )
    return EigenPairs(values, np.ascontiguousarray(vectors), rest / scale)


def _dense(K: Any, M: Any, count: int, shift: float, what: str) -> tuple[FloatArray, FloatArray]:
    """By LAPACK: the inverse pencil, so that massless unknowns only add zeros."""
    A = K.toarray() if hasattr(K, "toarray") else np.asarray(K)
    B = M.toarray() if hasattr(M, "toarray") else np.asarray(M)
    try:
        inverse, vectors = linalg.eigh(B, A - shift * B)
    except linalg.LinAlgError:
        raise SingularError(f"{what} is not positive definite") from None
    return 1.0 / inverse[::-1][:count] + shift, vectors[:, ::-1][:, :count]
