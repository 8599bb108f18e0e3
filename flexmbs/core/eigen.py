r"""Lowest modes of large symmetric pencils :math:`K\phi = \omega^2 M\phi` by shift-invert block Lanczos.

The operator :math:`(K - \sigma M)^{-1} M` with a shift :math:`\sigma \le 0` keeps the matrix positive definite: zero
where K is definite, below zero where rigid motions are possible. Its factorisation may come from outside, where it
serves static solutions as well.

Rigid motions Z that are known (M-orthonormal, K Z = 0) are deflated: the operator is followed by the projection
:math:`I - Z Z^T M`, which commutes with it, so that the iteration stays among the elastic modes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from flexmbs.core.block_lanczos import block_lanczos
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite

__all__ = ["EigenPairs", "lowest_modes", "negative_shift", "signed"]

DENSE = 200
"""Order up to which a dense solution is quicker."""

BLOCK = 8
"""Vectors that are iterated at once: with more of them solutions get cheaper, but the space larger (tried: 6 to 24)."""

SHARE = 0.1
"""The shift of a free structure relative to an estimate of its lowest elastic eigenvalue."""

BLIND = 1e-6
"""The shift relative to the largest eigenvalue where nothing is known about the shapes of low modes."""


class EigenPairs(NamedTuple):
    """``values (m,)`` ascending, mass-normalised ``vectors (n, m)``, ``residuals (m,)`` |K x - w2 M x| / |K x|."""

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray


def negative_shift(K: Any, M: Any, trial: FloatArray | None = None, rigid: FloatArray | None = None) -> float:
    """A shift for a singular stiffness, of the size of a small part of its lowest elastic eigenvalue.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
    trial : (n, m) array, optional
        Shapes like the lowest elastic modes; their least Ritz value is the estimate. Without them a small share of the
        largest eigenvalue is taken, at the cost of digits.
    rigid : (n, r) array, optional
        M-orthonormal shapes with K Z = 0, which are taken out of the trial shapes first.
    """
    if trial is not None and trial.shape[1]:
        V = _normalised(trial, M)
        if rigid is not None:
            for _ in range(2):  # once more against round-off of the first time
                V = V - rigid @ (rigid.T @ (M @ V))
        mass, turn = np.linalg.eigh(V.T @ (M @ V))
        good = mass > 1e-10 * max(mass[-1], 1e-4)
        V = V @ (turn[:, good] / np.sqrt(mass[good]))
        ritz = np.linalg.eigvalsh(V.T @ (K @ V)) if V.shape[1] else np.empty(0)
        elastic = ritz[ritz > 1e-14 * ritz.max(initial=0.0)]
        if len(elastic):
            return -SHARE * float(elastic[0])
    massive = M.diagonal() > 0
    if not massive.any():
        return -1.0
    return -BLIND * float((K.diagonal()[massive] / M.diagonal()[massive]).max(initial=0.0) or 1.0)


def _normalised(trial: FloatArray, M: Any) -> FloatArray:
    """The columns with mass, of unit modal mass."""
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", trial, M @ trial), 0.0))
    return np.asarray(trial[:, size > 0] / size[size > 0])


def lowest_modes(
    K: Any,
    M: Any,
    count: int,
    factor: Definite | None = None,
    shift: float = 0.0,
    what: str = "the stiffness",
    each: Callable[[int], None] | None = None,
    rigid: FloatArray | None = None,
) -> EigenPairs:
    """The ``count`` modes of lowest eigenvalue, beside known rigid motions.

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
    rigid : (n, r) array, optional
        M-orthonormal shapes with K Z = 0; what is found is M-orthogonal to them, and they are not counted.

    Raises
    ------
    ModelError
        If more modes are asked for than there are unknowns with mass, less the rigid motions.
    SingularError
        If K - shift M is not positive definite.
    ConvergenceError
        If the iteration does not converge.
    """
    n = K.shape[0]
    Z = np.empty((n, 0)) if rigid is None else rigid
    MZ = np.asarray(M @ Z)
    massive = (int((M.diagonal() > 0).sum()) if n else 0) - Z.shape[1]
    if count > massive:
        raise ModelError(f"{what}: {count} modes were asked for, but only {massive} unknowns have mass.")
    if count == 0:
        return EigenPairs(np.empty(0), np.empty((n, 0)), np.empty(0))
    if n <= DENSE or count > n // 2:
        values, vectors = _dense(K, M, count, shift, what, MZ)
    else:
        factor = Definite(K - shift * M if shift else K, what) if factor is None else factor
        try:
            values, vectors = _lanczos(M, count, shift, factor, Z, MZ, each)
        except ConvergenceError as error:
            raise ConvergenceError(f"{what}: {error}") from None
    order = np.argsort(values)
    values, vectors = values[order], vectors[:, order]
    vectors = vectors - Z @ (MZ.T @ vectors)
    vectors = vectors / np.sqrt(np.einsum("ij,ij->j", vectors, M @ vectors))
    vectors = signed(vectors)
    force = K @ vectors
    rest = np.linalg.norm(force - (M @ vectors) * values, axis=0)
    # relative to a stiffness that rigid modes have as well
    scale = np.maximum(
        np.linalg.norm(force, axis=0), 1e-12 * np.abs(K.diagonal()).max() * np.linalg.norm(vectors, axis=0)
    )
    return EigenPairs(values, np.ascontiguousarray(vectors), rest / scale)


def signed(vectors: FloatArray) -> FloatArray:
    """Columns with a sign that does not depend on the solver.

    Positive where an entry is first as large as the largest one: shapes that are symmetric have several of them.
    """
    if not vectors.size:
        return vectors
    size = np.abs(vectors)
    largest = np.argmax(size >= (1.0 - 1e-6) * size.max(axis=0), axis=0)
    found = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.asarray(vectors * np.where(found == 0.0, 1.0, found))


def _lanczos(
    M: Any,
    count: int,
    shift: float,
    factor: Definite,
    Z: FloatArray,
    MZ: FloatArray,
    each: Callable[[int], None] | None,
) -> tuple[FloatArray, FloatArray]:
    """By block Lanczos, with the factor of the shifted stiffness."""

    def inverse(b: FloatArray) -> FloatArray:
        if each is not None:
            each(factor.solves)
        x = factor.solve(b)
        return np.asarray(x - Z @ (MZ.T @ x)) if Z.shape[1] else x

    found, vectors = block_lanczos(inverse, M, count, BLOCK)
    return 1.0 / found + shift, vectors


def _dense(K: Any, M: Any, count: int, shift: float, what: str, MZ: FloatArray) -> tuple[FloatArray, FloatArray]:
    """By LAPACK: the inverse pencil, so that massless unknowns only add zeros; M-orthogonal to the rigid motions.

    Unknowns are counted by their stiffness, lest digits hang on the unit of length: displacements stand beside
    rotations.
    """
    A = K.toarray() if hasattr(K, "toarray") else np.asarray(K)
    B = M.toarray() if hasattr(M, "toarray") else np.asarray(M)
    A = A - shift * B
    stiff = np.diag(A)
    unit = 1.0 / np.sqrt(np.where(stiff > 0.0, stiff, 1.0))
    A, B, MZ = unit[:, None] * A * unit, unit[:, None] * B * unit, unit[:, None] * MZ
    size = np.linalg.norm(MZ, axis=0)
    Q = linalg.null_space((MZ[:, size > 0.0] / size[size > 0.0]).T) if size.any() else np.eye(len(A))
    try:
        inverse, vectors = linalg.eigh(Q.T @ B @ Q, Q.T @ A @ Q)
    except linalg.LinAlgError:
        raise SingularError(f"{what} is not positive definite") from None
    chosen = slice(None, -count - 1, -1)
    return 1.0 / inverse[chosen] + shift, unit[:, None] * (Q @ vectors[:, chosen])
