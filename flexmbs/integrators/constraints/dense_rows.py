r"""The constraint matrix of a state as a dense array on free velocities, and its rank-revealing decomposition.

.. math:: G = U S B, \qquad G^+ = B^T S^{-1} U^T, \qquad P = I - B^T B,

with orthonormal rows of B (r, n) and r the rank: singular values below `RANK` of the largest count as zero, so that
redundant constraints and singular positions leave the solution of least norm. Supports are eliminated: columns are the
free velocities, those of supported nodes in the axes of the support. Off the constraints the rank is that of the rows
that `flexmbs.integrators.redundancy` leaves: a row that follows from the others on the constraints has a singular value
of the size of the violation there, which nothing tells from one that counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, svd

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import kernel
from flexmbs.dynamics.linearisation import free_directions
from flexmbs.integrators.index_one import IndexOne

__all__ = ["DenseRows", "Rows", "decompose"]

RANK = 1e-9
MANY = 1_000
"""Constraints from which dense decompositions in every stage are refused."""


class Rows(NamedTuple):
    """G = U S B of rank r: ``U (m, r)``, ``S (r,)``, ``B (r, n)``."""

    U: FloatArray
    S: FloatArray
    B: FloatArray

    def least(self, x: FloatArray) -> FloatArray:
        """G^+ x, the solution of G y = x of least norm (n,)."""
        return np.asarray(self.B.T @ self.basis(x))

    def basis(self, x: FloatArray) -> FloatArray:
        """S^-1 U^T x (r,): the right side of B y = S^-1 U^T x, which has the same solutions as G y = x."""
        return np.asarray((self.U.T @ x) / self.S)

    def freely(self, x: FloatArray) -> FloatArray:
        """P x (n,), the part that the constraints do not see."""
        return np.asarray(x - self.B.T @ (self.B @ x))


def decompose(G: FloatArray) -> Rows:
    """The decomposition of a matrix (m, n)."""
    if not np.isfinite(G).all():
        raise FloatingPointError
    U, S, B = svd(G, full_matrices=False, check_finite=False)
    rank = int((RANK * S[0] < S).sum()) if len(S) and S[0] > 0.0 else 0
    return Rows(U[:, :rank], S[:rank], B[:rank])


class DenseRows:
    """What methods on dense matrices need of one system: G, the mass and the way between free and all velocities.

    Attributes
    ----------
    n : int
        Free velocities.
    """

    def __init__(self, equations: IndexOne) -> None:
        dyn = equations.dynamics
        self.equations = equations
        free = np.sort(dyn.system.free[dyn.system.free < dyn.n_v])
        self.n = len(free)
        self._free = free
        self._E = free_directions(dyn, free).toarray() if len(dyn.system.fixation.frame_dofs) else None
        self._constant = None if dyn.mass_changes else self._mass()
        self._source, self._target = _entries(equations)
        self._whole = np.zeros((equations.n_c, dyn.n_v))

    @property
    def mass(self) -> FloatArray:
        """Mass (n, n) at the state evaluated last."""
        return self._mass() if self._constant is None else self._constant

    def _mass(self) -> FloatArray:
        mass = self.equations.dynamics.mass_matrix.toarray()
        free = np.ix_(self._free, self._free)
        return np.asarray(mass[free] if self._E is None else self._E.T @ mass @ self._E)

    def matrix(self) -> FloatArray:
        """G (n_c, n) at the state evaluated last; rows that are left out are zero, so that they have no part in it."""
        gather(self.equations.dynamics.B, self._source, self._target, self._whole)
        self._whole[self.equations.left_out] = 0.0
        return self._whole[:, self._free] if self._E is None else self._whole @ self._E

    def reduced(self, x: FloatArray) -> FloatArray:
        """Forces (n_v,) on the free velocities."""
        return x[self._free] if self._E is None else np.asarray(self._E.T @ x)

    def whole(self, x: FloatArray) -> FloatArray:
        """An increment or velocity (n,) on all velocities."""
        if self._E is not None:
            return np.asarray(self._E @ x)
        out = np.zeros(self.equations.n_v)
        out[self._free] = x
        return out

    def inverse_mass(self, x: FloatArray) -> FloatArray:
        """M^-1 x of a vector or of columns."""
        return np.asarray(cho_solve(self._cholesky(), x, check_finite=False))

    def _cholesky(self) -> tuple[FloatArray, bool]:
        if self._constant is None:
            return cho_factor(self._mass())  # type: ignore[no-any-return]
        if not hasattr(self, "_factor"):
            self._factor: tuple[FloatArray, bool] = cho_factor(self._constant)
        return self._factor

    def refuse_many(self, owner: str) -> None:
        """Refuse models for which dense matrices are a mistake."""
        if self.equations.n_c > MANY:
            raise ModelError(
                f"{owner}: the model has {self.equations.n_c} constraints, and every stage would decompose a dense "
                f"matrix of them; take SuccessiveProjection(), which is sparse."
            )

    def refuse_massless(self, owner: str) -> None:
        """Refuse a mass matrix that has no inverse."""
        dyn = self.equations.dynamics
        size = np.diag(self.mass)
        if (size <= 0.0).any():
            k = int(self._free[int(np.argmin(size))])
            raise ModelError(
                f"{owner}: {dyn.coordinates.describe(k)} has no mass, but the method needs the inverse of the mass "
                f"matrix; give it a mass, or take SuccessiveProjection()."
            )


def _entries(equations: IndexOne) -> tuple[IntArray, IntArray]:
    """Where the entries of G lie in the buffer of blocks, and where they belong in G (n_c, n_v), flat."""
    m, n_v = equations.dynamics.mechanics, equations.n_v
    source, target = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    joints, ptr, dof = m.joints, m.markers.ptr, m.markers.dof
    for n in range(len(joints.mA)):
        N, o = int(joints.order[n]), int(joints.off[n])
        i, k = joints.mA[n], joints.mB[n]
        dofs = np.concatenate((dof[ptr[i] : ptr[i + 1]], dof[ptr[k] : ptr[k + 1]]))
        equation = {int(joints.local[j]): int(joints.eq[j]) - n_v for j in range(joints.ptr[n], joints.ptr[n + 1])}
        for local, row in equation.items():
            source.append(o + np.arange(len(dofs)) * N + local)
            target.append(row * n_v + dofs)
    return np.concatenate(source), np.concatenate(target)


@kernel
def gather(B: FloatArray, source: IntArray, target: IntArray, out: FloatArray) -> None:
    """Add entries of B up in ``out``, cleared before."""
    out[:] = 0.0
    columns = out.shape[1]
    for i in range(source.shape[0]):
        out[target[i] // columns, target[i] % columns] += B[source[i]]
