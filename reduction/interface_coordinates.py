r"""Interface displacements as coordinates, within any space of shapes.

A method finds columns T that span good shapes. To couple as Craig-Bampton does, a part needs its interface
displacements themselves as its first coordinates. With the rows :math:`T_b` at the interface and N a basis of their
null space,

.. math:: u = T \left[ T_b^+ - N (N^T\hat K N)^{+} N^T \hat K T_b^+ \right] u_b + T N Y \eta, \qquad
          \hat K = T^T K T, \quad N^T\hat K N\, Y = N^T \hat M N\, Y \Omega^2 .

The first shapes are the static ones of unit interface displacements *within the space*, the others its modes with the
interface held. The space is the same; :math:`K_r` has no coupling between both parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import signed
from flexmbs.core.errors import ModelError

__all__ = ["interface_first"]

SAME = 1e-12
"""Smallest singular value of the interface motions in the space, relative to the largest."""

LOOSE = 1e-12
"""Stiffness with the interface held, relative to the diagonal, below which a shape is a rigid motion."""


def interface_first(
    K: Any, M: Any, T: FloatArray, boundary: IntArray, rigid: FloatArray, owner: str
) -> tuple[FloatArray, FloatArray]:
    """Shapes (n, m) of the same space whose first coordinates are those of the interface, and all frequencies (m,).

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass.
    T : (n, m) array
        Independent columns, orthonormal in some energy.
    boundary : (n_b,) array of int
        Unknowns of the interface.
    rigid : (n, r) array
        Rigid motions within the space; the interface moves by them exactly.
    owner : str
        For messages.

    Returns
    -------
    vectors, frequencies : arrays
        Frequencies of the modes with the interface held [rad/time], nan for the interface columns and for massless
        ones.

    Raises
    ------
    ModelError
        If the space cannot give every displacement of the interface.
    """
    n_b, m = len(boundary), T.shape[1]
    rows = T[boundary]
    size = np.linalg.norm(rows, axis=1)
    if m < n_b or not (size > 0.0).all():
        raise ModelError(f"{owner}: {m} shapes cannot give {n_b} independent displacements of the interface.")
    Q, triangle = linalg.qr((rows / size[:, None]).T)
    singular = linalg.svdvals(triangle[:n_b])
    if singular[-1] < SAME * singular[0]:
        raise ModelError(
            f"{owner}: the displacements of the interface depend on each other in this space (singular values down to "
            f"{singular[-1] / singular[0]:.1e}); the part is rigid between some of them."
        )
    right = Q[:, :n_b] @ linalg.solve_triangular(triangle[:n_b], np.diag(1.0 / size), trans="T")
    N = Q[:, n_b:]
    stiffness, mass = T.T @ (K @ T), T.T @ (M @ T)
    held = _symmetric(N.T @ stiffness @ N)
    inverse, loose = _pseudo_inverse(held)
    static = right - N @ (inverse @ (N.T @ (stiffness @ right)))
    Y, frequencies = _held_modes(held, _symmetric(N.T @ mass @ N), loose)
    vectors = np.empty((len(T), m))
    vectors[:, :n_b] = T @ static
    vectors[:, n_b:] = signed(T @ (N @ Y))
    vectors[boundary] = np.eye(n_b, m)  # so they are but for round-off
    motions = rigid[boundary] / size[:, None]
    if rigid.shape[1] and np.linalg.matrix_rank(motions) == rigid.shape[1]:
        lost = rigid - vectors[:, :n_b] @ rigid[boundary]
        vectors[:, :n_b] += lost @ (np.linalg.pinv(motions) / size)
    return vectors, np.concatenate([np.full(n_b, np.nan), frequencies])


def _symmetric(A: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (A + A.T))


def _pseudo_inverse(A: FloatArray) -> tuple[FloatArray, bool]:
    """Inverse on the range of a semidefinite matrix, and whether it has a null space."""
    if not len(A):
        return A, False
    scale = 1.0 / np.sqrt(np.maximum(A.diagonal(), np.finfo(float).tiny))
    values, vectors = linalg.eigh(A * scale[:, None] * scale)
    keep = values > LOOSE * values[-1]
    half = scale[:, None] * vectors[:, keep] / np.sqrt(values[keep])
    return half @ half.T, not bool(keep.all())


def _held_modes(stiffness: FloatArray, mass: FloatArray, loose: bool) -> tuple[FloatArray, FloatArray]:
    """Modes by ascending frequency, mass-normalised; massless shapes last, normalised by their energy."""
    if not len(stiffness):
        return stiffness, np.empty(0)
    shift = 1e-6 * np.trace(stiffness) / np.trace(mass) if loose else 0.0
    inverse, Y = linalg.eigh(mass, stiffness + shift * mass)  # the inverse pencil: the mass may be semidefinite
    inverse, Y = inverse[::-1], Y[:, ::-1]
    massive = inverse > 1e-15 * inverse[0]
    squares = 1.0 / np.where(massive, inverse, 1.0) - shift
    Y = Y / np.sqrt(np.where(massive, inverse, 1.0))
    return Y, np.where(massive, np.sqrt(np.maximum(squares, 0.0)), np.nan)
