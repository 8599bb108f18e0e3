r"""How many directions of an equilibrium are unstable: the inertia of its matrix.

Of a symmetric stiffness K with constraints G and their compliance C > 0,

.. math:: \operatorname{neg}\begin{pmatrix} K & G^T \\ G & -C \end{pmatrix} = m + \operatorname{neg}(K + G^T C^{-1} G),

so that the number of negative pivots of L D L^T less the number m of multipliers is the number of directions, among
those that the constraints allow, in which the potential falls (Sylvester; Haynsworth). The sign of a determinant would
miss pairs. The factorisation is made without interchanges, and believed where it solves a system to `RELIABLE`; else,
and where the matrix is not symmetric, by the eigenvalues of the matrix on the directions that are allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import ldl
from scipy.sparse import coo_array, csc_array
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray
from flexmbs.core.linsolve.band import Band
from flexmbs.core.linsolve.static_band import WIDTHS, BandShape, StaticBand
from flexmbs.dynamics.linearisation import linearise_state
from flexmbs.dynamics.minimal import DENSE, Sizes, orthonormal_basis
from flexmbs.integrators.contracts import StepState
from flexmbs.system.symmetry import without_potential

if TYPE_CHECKING:
    from flexmbs.analysis.rest import EquationsOfRest, Point

__all__ = ["UNKNOWN", "directions_left", "unstable_directions"]

RELIABLE = 1e-8
"""Backward error of a solution with factors whose signs are believed."""
SYMMETRIC = 1e-9
"""Difference from its transpose, by the diagonal, up to which a matrix is symmetric although a load may follow."""
SMALL = 200
"""Unknowns up to which a dense factorisation with interchanges, which keep the inertia, is as quick."""
UNKNOWN = -1


def unstable_directions(eq: EquationsOfRest, point: Point) -> int:
    """Number of unstable directions at the point that was factorised last; `UNKNOWN` where that is too dear to tell.

    Where forces have no potential: the number of negative real eigenvalues of the stiffness, by whose change statics
    sees divergence; flutter it does not see.
    """
    if eq.is_positive_definite():
        return 0
    if not len(eq.states):
        m = int((~eq.velocities).sum())
        if isinstance(eq.solver, Band) and eq.solver.b <= WIDTHS[-1] and not without_potential(eq.dyn):
            found = _by_band(eq.solver, eq.velocities, m)
            if found != UNKNOWN:
                return found
        A = _equilibrated(_matrix(eq.solver), eq.velocities)
        if not without_potential(eq.dyn) or abs(A - A.T).max() <= SYMMETRIC:
            found = _by_pivots(A, m)
            if found != UNKNOWN:
                return found
    return _by_eigenvalues(eq, point)


def _by_band(solver: Band, velocities: Any, m: int) -> int:
    """By elimination without interchanges in the band, which notices where digits are lost."""
    n, b = solver.n, solver.b
    ab = solver.data[:-1].reshape(n, solver.ld)[:, b:]  # rows j - b ... j + b of column j
    size = np.abs(ab[:, b])
    scale = np.where(velocities & (size > 0.0), 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0)), 1.0)
    row = np.arange(n)[:, None] + np.arange(-b, b + 1)
    inside = (row >= 0) & (row < n)
    row = np.where(inside, row, 0)
    scaled = np.where(inside, ab, 0.0) * scale[row]
    largest = np.abs(scaled).max(axis=1)  # symmetric: of a column as of a row
    other = ~velocities & (largest > 0.0)
    scale[other] = 1.0 / largest[other]
    scaled = np.where(inside, ab, 0.0) * scale[row] * scale[:, None]
    column = np.broadcast_to(np.arange(n)[:, None], row.shape)
    used = scaled != 0.0
    shape = BandShape.of(n, row[used], column[used])
    if shape is None:
        return UNKNOWN
    band = StaticBand(shape)
    band.data[shape.slots(row[used], column[used])] = scaled[used]
    if not band.refactor():
        return UNKNOWN
    pivots = band.data[: n * band.ld].reshape(n, band.ld)[:, band.W]
    found = int((pivots < 0.0).sum()) - m
    return found if found >= 0 else UNKNOWN


def _matrix(solver: Any) -> csc_array:
    """What a solver has factorised."""
    if not isinstance(solver, Band):
        return csc_array(solver.matrix)
    n, b = solver.n, solver.b
    ab = solver.data[:-1].reshape(n, solver.ld)[:, b:]
    row = np.arange(n)[:, None] + np.arange(-b, b + 1)
    used = (row >= 0) & (row < n) & (ab != 0.0)
    column = np.broadcast_to(np.arange(n)[:, None], row.shape)
    return csc_array(coo_array((ab[used], (row[used], column[used])), shape=(n, n)))


def _equilibrated(A: csc_array, velocities: Any) -> csc_array:
    """The same inertia with a diagonal of one, and rows of constraints whose largest entry is one."""
    size = np.abs(A.diagonal())
    scale = np.where(velocities & (size > 0.0), 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0)), 1.0)
    rows = csc_array(A * scale).tocsr()
    largest = np.array(abs(rows).max(axis=1).todense()).ravel()
    other = ~velocities & (largest > 0.0)
    scale[other] = 1.0 / largest[other]
    return csc_array((A * scale).T * scale)


def _by_pivots(A: csc_array, m: int) -> int:
    n = A.shape[0]
    if n <= SMALL:
        dense = A.toarray()
        return _negative(ldl(0.5 * (dense + dense.T))[1]) - m
    try:
        lu = splu(
            A, permc_spec="NATURAL" if m else "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return UNKNOWN
    if not np.array_equal(lu.perm_r, lu.perm_c):
        return UNKNOWN
    x = np.cos(np.arange(n) + 1.0)
    b = A @ x
    size = float(np.abs(A.diagonal()).max(initial=0.0)) * float(np.abs(x).max()) + float(np.abs(b).max(initial=0.0))
    if not float(np.abs(A @ lu.solve(b) - b).max(initial=0.0)) <= RELIABLE * size:
        return UNKNOWN
    found = int((lu.U.diagonal() < 0.0).sum()) - m
    return found if found >= 0 else UNKNOWN


def _negative(D: FloatArray) -> int:
    """Number of negative eigenvalues of a block diagonal matrix with blocks of one and two, block by block."""
    found, i, beside = 0, 0, np.append(np.diag(D, 1), 0.0)
    while i < len(D):
        if beside[i] == 0.0:
            found, i = found + int(D[i, i] < 0.0), i + 1
            continue
        a, b, c = D[i, i], beside[i], D[i + 1, i + 1]
        found, i = found + (1 if a * c < b * b else 2 if a + c < 0.0 else 0), i + 2
    return found


def _by_eigenvalues(eq: EquationsOfRest, point: Point) -> int:
    dyn = eq.dyn
    if len(eq.free) > DENSE:
        return UNKNOWN
    lin = linearise_state(dyn, StepState.unaccelerated(dyn.env.t, point.q, point.v, point.lam))
    J = lin.K.toarray()
    J[:, lin.states] = lin.D.toarray()[:, lin.states]
    N = orthonormal_basis(lin.G.toarray(), Sizes.of(dyn, lin.free))
    values = np.linalg.eigvals(N.T @ J @ N)
    real = np.abs(values.imag) <= 1e-9 * np.abs(values)
    return int((values.real[real] < 0.0).sum())


def directions_left(eq: EquationsOfRest, point: Point, most: int) -> int:
    """How many directions the constraints leave, up to ``most``."""
    dyn, n = eq.dyn, int(eq.velocities.sum())
    if n - dyn.n_c >= most:
        return most
    if n > DENSE:
        return min(most, max(n - dyn.n_c, 1))
    lin = linearise_state(dyn, StepState.unaccelerated(dyn.env.t, point.q, point.v, point.lam))
    still = ~lin.states
    N = orthonormal_basis(lin.G.toarray()[:, still], Sizes.of(dyn, lin.free[still]))
    return min(most, int(N.shape[1]))
