r"""Elastic flexibility of structures that are held or free.

A free structure with mass-orthonormal rigid motions R (:math:`K R = 0`, :math:`R^T M R = 1`) answers a load f, less the
inertia forces of the rigid acceleration that it causes, with a deformation without rigid part,

.. math:: u = G_e f, \qquad G_e = P^T K^- P, \qquad P = 1 - M R R^T .

This is inertia relief. :math:`K^-` is the inverse with as many unknowns held as there are rigid motions, chosen by
QR with pivoting; what is held does not matter, since the load is in equilibrium. For a held structure
:math:`G_e = K^{-1}`. In terms of all elastic modes :math:`G_e = \sum_j \phi_j \phi_j^T / \omega_j^2`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray
from flexmbs.core.eigen import EigenPairs, lowest_modes
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.reduction.border import as_rigid

__all__ = ["Flexibility", "find_rigid_motions", "rigid_or_found"]

WITH_HELD = "the stiffness, with its rigid motions held,"
DENSE = 200
"""Order up to which free modes are found by dense algebra."""

MOST_MOTIONS = 12
"""Rigid motions that are looked for; a body has six, a plane one three."""

RAISED = 1e-9
"""Part of its diagonal that makes a singular stiffness definite, while rigid motions are looked for."""

ZERO, SOFT = 1e-14, 1e-11
"""Stiffness relative to the diagonal: below the first it is round-off, above the second it is elastic."""


class Flexibility(Definite):
    """Solutions :math:`G_e f`; the factor is that of the stiffness with the rigid motions held.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass.
    rigid : (n, r) array
        Mass-orthonormal rigid motions (`flexmbs.reduction.border.as_rigid`).

    Raises
    ------
    SingularError
        If the structure can move in other ways than these.

    Examples
    --------
    Two unit masses joined by a spring of stiffness 1; pulled at one of them, both accelerate by 1/2, so the spring
    carries 1/2.

    >>> from scipy.sparse import csc_matrix, identity
    >>> K, M = csc_matrix([[1.0, -1.0], [-1.0, 1.0]]), identity(2, format="csc")
    >>> Flexibility(K, M, np.full((2, 1), np.sqrt(0.5))).solve(np.array([1.0, 0.0])).round(12).tolist()
    [0.25, -0.25]
    """

    def __init__(self, K: Any, M: Any, rigid: FloatArray) -> None:
        self.K, self.M, self.rigid = K, M, rigid
        self.inertia = M @ rigid
        self.order = K.shape[0]
        self.free = np.arange(self.order)
        if rigid.shape[1]:
            # stiffness as a weight compares displacements with rotations
            weighted = rigid * np.sqrt(np.maximum(K.diagonal(), 0.0))[:, None]
            _, pivots = linalg.qr(weighted.T, mode="r", pivoting=True)[:2]
            self.free = np.setdiff1d(self.free, pivots[: rigid.shape[1]])
        what = WITH_HELD if rigid.shape[1] else "the stiffness"
        try:
            super().__init__(K[self.free][:, self.free], what)
        except SingularError as error:
            unknown = None if error.unknown is None else int(self.free[error.unknown])
            where = "" if unknown is None else f" (unknown {unknown})"
            raise SingularError(
                f"{error}{where}: the structure can move in other ways than it should.", unknown
            ) from None

    def solve(self, B: FloatArray) -> FloatArray:
        """Deformations (n,) or (n, m) under loads of this shape."""
        if not self.rigid.shape[1]:
            return super().solve(B)
        balanced = B - self.inertia @ (self.rigid.T @ B)
        u = np.zeros(B.shape)
        u[self.free] = super().solve(balanced[self.free])
        return np.asarray(u - self.rigid @ (self.inertia.T @ u))

    def modes(self, count: int) -> EigenPairs:
        """The ``count`` lowest elastic modes, mass-orthogonal to the rigid motions.

        Raises
        ------
        ModelError
            If there are fewer.
        """
        r = self.rigid.shape[1]
        limit = self.mode_count
        if count > limit:
            raise ModelError(f"{count} elastic modes were asked for, but there are only {limit}.")
        if not r:
            return lowest_modes(self.K, self.M, count, self)
        if self.order > DENSE and count <= self.order // 2:
            return self._without_rigid(lowest_modes(self.K, self.M, count, self))
        complement = linalg.null_space(self.inertia.T)
        pairs = lowest_modes(
            complement.T @ (self.K @ complement), complement.T @ (self.M @ complement), count, what=WITH_HELD
        )
        return self._without_rigid(EigenPairs(pairs.values, complement @ pairs.vectors, pairs.residuals))

    @property
    def mode_count(self) -> int:
        """How many elastic modes there are: unknowns with mass, less rigid motions."""
        return int((self.M.diagonal() > 0.0).sum()) - int(self.rigid.shape[1])

    def _without_rigid(self, pairs: EigenPairs) -> EigenPairs:
        """Take the round-off along rigid motions out of modes."""
        vectors = pairs.vectors - self.rigid @ (self.inertia.T @ pairs.vectors)
        return EigenPairs(pairs.values, vectors, pairs.residuals)


def find_rigid_motions(K: Any) -> FloatArray:
    """Motions (n, r) that a stiffness does not resist, up to twelve; r is 0 for a held structure.

    By subspace iteration with K raised by 1e-9 of its diagonal.

    Raises
    ------
    ModelError
        If there are more than twelve, or a motion is too soft to tell: resisted by 1e-14 to 1e-11 of the diagonal, as
        by very slender beams of very many elements.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix
    >>> motion = find_rigid_motions(csc_matrix([[1.0, -1.0], [-1.0, 1.0]]))
    >>> (motion / motion[0]).round(12).tolist()
    [[1.0], [1.0]]
    """
    n = K.shape[0]
    diagonal = K.diagonal()
    if not (diagonal > 0.0).all():
        raise ModelError(
            f"rigid motions: unknown {int(np.argmin(diagonal))} has no stiffness; join it or leave it out."
        )
    root = np.sqrt(diagonal)
    raised = K.copy().tocsc()
    raised.setdiag(diagonal * (1.0 + RAISED))
    factor = Definite(raised, "the stiffness")
    size = min(n, MOST_MOTIONS + 1)
    Z = np.linalg.qr(np.random.default_rng(0).standard_normal((n, size)))[0]
    for _ in range(8):
        Z = np.linalg.qr(root[:, None] * factor.solve(root[:, None] * Z))[0]
    U = Z / root[:, None]
    values, turn = linalg.eigh(U.T @ (K @ U))
    motions = int((values < ZERO).sum())
    if motions == size and size > MOST_MOTIONS:
        raise ModelError(f"rigid motions: there are more than {MOST_MOTIONS}; the structure is in loose pieces.")
    if motions < size and values[motions] < SOFT:
        raise ModelError(
            f"rigid motions: one is resisted by {values[motions]:.1e} of the diagonal of the stiffness, which may be "
            f"round-off or a soft structure. Give rigid=, an array of shape (n, 0) for a held structure."
        )
    return np.asarray(U @ turn[:, :motions])


def rigid_or_found(owner: str, K: Any, M: Any, rigid: Any) -> FloatArray:
    """Mass-orthonormal rigid motions, as given or, for None, as found."""
    return as_rigid(owner, K, M, find_rigid_motions(K) if rigid is None else rigid)
