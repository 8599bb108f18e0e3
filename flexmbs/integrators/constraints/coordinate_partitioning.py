r"""Coordinate partitioning: after each step some coordinates are kept, and the others follow from the constraints.

Which ones follow is chosen by their share in the space that the constraints span, in the metric of the mass:

.. math:: s_i = \frac{\bigl(G^T (G M^{-1} G^T)^{-1} G\bigr)_{ii}}{M_{ii}} \in [0, 1].

The r coordinates with the largest :math:`s_i` that leave a regular block depend on the others. Another choice removes
the violation as well, but moves the state along the constraints. With a diagonal mass the sum of all :math:`s_i` is the
rank r. Z. Terze, D. Lefeber, MBS time integration - projective constraint violation stabilization methods on manifolds;
criterion after W. Blajer, W. Schiehlen, W. Schirm, Arch. Appl. Mech. 64 (1994) 86-98.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.integrators.constraints.ascher_projection import on_positions
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.constraints.dense_rows import DenseRows, Rows, decompose
from flexmbs.integrators.index_one import IndexOne

__all__ = ["CoordinatePartitioning", "dependent", "shares"]

REGULAR = (1e-2, 1e-5, 1e-9)
"""Part of a column that the columns before it must leave, for it to be taken; less where too few are found."""


@dataclass(frozen=True, kw_only=True)
class CoordinatePartitioning:
    r"""Dependent coordinates are corrected, chosen after each step by their share in the constraints.

    .. math:: s_i = \bigl(G^T (G M^{-1} G^T)^{-1} G\bigr)_{ii} / M_{ii} \in [0, 1]

    Z. Terze, D. Lefeber, MBS time integration - projective constraint violation stabilization methods on manifolds; W.
    Blajer, W. Schiehlen, W. Schirm, Arch. Appl. Mech. 64 (1994) 86-98.

    Parameters
    ----------
    atol : float
        Violation of positions, relative to the size of the model, up to which they are corrected.
    max_iterations : int
        Iterations at most after a step.

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Notes
    -----
    Rolling constraints are on velocities alone: the velocities then have a partition of their own, with more dependent
    coordinates. For up to 1000 constraints: each iteration decomposes a dense matrix. Every free coordinate needs a
    mass.

    Examples
    --------
    >>> CoordinatePartitioning().max_iterations
    8
    """

    atol: float = 1e-13
    max_iterations: int = 8

    def __post_init__(self) -> None:
        as_number("CoordinatePartitioning", "atol", self.atol, above=0.0, maximum=1e-3)
        as_count("CoordinatePartitioning", "max_iterations", self.max_iterations, minimum=1)

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Refuse very many constraints, and coordinates without mass."""
        rows = DenseRows(equations)
        rows.refuse_many("CoordinatePartitioning")
        rows.refuse_massless("CoordinatePartitioning")

    def keeper(self, equations: IndexOne) -> _Partitioning:
        """What does the work in one run."""
        return _Partitioning(equations, self.atol, self.max_iterations)


class _Partitioning(Plain):
    """Newton's method on the dependent positions, one linear step of the dependent velocities."""

    def __init__(self, equations: IndexOne, atol: float, most: int) -> None:
        super().__init__(equations)
        self.atol, self.most = atol, most
        self.rows = DenseRows(equations)

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e, rows = self.equations, self.rows
        e.evaluate(t, q, v)
        if not e.n_c:
            return q, v
        G = rows.matrix()
        found = decompose(G)
        positions = on_positions(found, G, e)
        chosen = dependent(shares(positions, rows), positions)
        for _ in range(self.most):
            if e.gap() <= self.atol:
                break
            g = e.dynamics.r[e.n_v :][e.holonomic]
            q = self.moved(t, q, v, self._change(positions, chosen, g))
            G = rows.matrix()
            found = decompose(G)
            positions = on_positions(found, G, e)
            if len(positions.S) != len(chosen):  # the rank has changed: a singular position is being passed
                chosen = dependent(shares(positions, rows), positions)
        if found is not positions:
            chosen = dependent(shares(found, rows), found)
        v = v + self._change(found, chosen, e.dynamics.rates())
        e.evaluate(t, q, v)
        return q, v

    def _change(self, found: Rows, chosen: IntArray, gap: FloatArray) -> FloatArray:
        """Increment (n_v,) of the dependent coordinates that removes a gap, linearised."""
        x = np.zeros(self.rows.n)
        x[chosen] = -solve(found.B[:, chosen], found.basis(gap), check_finite=False)
        return self.rows.whole(x)


def shares(found: Rows, rows: DenseRows) -> FloatArray:
    """s (n,) of every free coordinate; with G = U S B it does not matter that B stands for G."""
    B = found.B
    if not len(B):
        return np.zeros(rows.n)
    inner = solve(B @ rows.inverse_mass(B.T), B, assume_a="pos", check_finite=False)
    return np.asarray((B * inner).sum(axis=0) / np.diag(rows.mass))


def dependent(share: FloatArray, found: Rows) -> IntArray:
    """The coordinates (r,), ascending, with the largest shares whose columns of B are independent."""
    B = found.B
    rank = len(B)
    order = np.argsort(-share, kind="stable")
    chosen: list[int] = []
    for least in REGULAR:
        chosen, span = [], np.zeros((rank, 0))
        for i in order:
            if len(chosen) == rank:
                break
            column = B[:, i]
            rest = column - span @ (span.T @ column)
            rest = rest - span @ (span.T @ rest)
            size = float(np.linalg.norm(rest))
            if size > least * max(float(np.linalg.norm(column)), 1e-300) and size > 1e-12:
                chosen.append(int(i))
                span = np.column_stack((span, rest / size))
        if len(chosen) == rank:
            break
    return np.array(sorted(chosen), dtype=np.int64)
