r"""The matrix of a corrector by differences of the residual: of groups of columns, of single ones, or in two halves.

Of the normalised matrix :math:`S = X + E` of increments x of positions, in which velocities change by
:math:`\alpha x`, the part E is what the positions alone do and X what velocities and multipliers do. One sweep that
moves all at once gives the sum. To have them apart, the first sweep moves positions and multipliers, whose columns are
different ones, and gives E and the columns :math:`G^T` of X for the price of the sum. The rows G of X are the
transpose of those. What forces do by velocities, D, is zero in most columns of most models: one more residual, with
all velocities moved by an amount of their own, tells in which rows it is not, and differences by velocities are taken
of the columns that reach these rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.integrators.column_groups import column_groups
from flexmbs.kernels.steps import reduce, retract, spread

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["DifferenceMatrix", "moved", "pose"]

STEP = 1e-7
"""Of the differences, in radians and lengths of the model; D and K of a model differ little over that."""
FELT = 1e-4
"""Change of a row by the velocities, over what its entries do, from which D is looked for there."""

Columns = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray, FloatArray]]
Groups = list[tuple[NDArray[np.bool_], IntArray]]


class DifferenceMatrix:
    """X and E of one system by differences.

    ``kind``: "grouped" or "columns", or "first_order": one difference for every position, every velocity and every
    multiplier, as codes for general first-order systems take them.

    Attributes
    ----------
    groups : int
        Residuals of one evaluation of the sum, but for that at the state itself.
    residuals : int
        Evaluated so far.
    """

    def __init__(self, dynamics: Dynamics, kind: str) -> None:
        self.dynamics, self.kind = dynamics, kind
        self.residuals = 0
        system = dynamics.system
        places = dynamics.matrix.entries
        row, col = system.entry_rows[places], system.entry_columns[places]
        keys, first = np.unique(col * system.n + row, return_index=True)
        self._place, self._row, self._col = places[first], row[first], col[first]
        self._of_motion = system.free < dynamics.n_v
        mirrored = self._row * system.n + self._col
        self._mirror = np.minimum(np.searchsorted(keys, mirrored), len(keys) - 1)
        self._in_rows_of_constraints = (
            ~self._of_motion[self._row] & self._of_motion[self._col] & (keys[self._mirror] == mirrored)
        )
        self._all = self._grouped(np.ones(system.n, dtype=bool))
        self._by_velocities: tuple[NDArray[np.bool_], Groups] = (np.zeros(system.n, dtype=bool), [])
        self.groups = len(self._all) + (int(self._of_motion.sum()) if kind == "first_order" else 0)
        self._steps = STEP * system.increment_sizes
        self._amounts = np.random.default_rng(1).uniform(0.5, 1.5, system.n) * self._of_motion
        self._mass = abs(dynamics.mass_matrix)

    def parts(
        self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float, split: bool
    ) -> tuple[FloatArray, FloatArray]:
        """X and E in blocks, in nodal frames, or their sum and zero; leaves the residual at the state."""
        dyn, wa = self.dynamics, alpha * alpha
        base = self._scaled((q, v, a, lam), alpha)
        unit = max(1.0, float(np.abs(lam).max(initial=0.0))) / wa
        free = dyn.system.free
        self._widths = np.where(self._of_motion, self._steps[np.minimum(free, dyn.n_v - 1)], unit)

        def by_positions(x: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            return moved(dyn, q, pose(dyn, x)), v, a, lam + wa * mu

        def by_velocities(x: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            return q, v + alpha * x, a, lam

        def by_both(x: FloatArray, mu: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
            return moved(dyn, q, pose(dyn, x)), v + alpha * x, a, lam + wa * mu

        if not split and self.kind != "first_order":
            X = self._sweep(by_both, self._all, base, alpha)
            E = np.zeros_like(X)
        else:
            found = self._sweep(by_positions, self._all, base, alpha)
            E = np.where(self._of_motion[self._col], found, 0.0)
            X = found - E
            if self.kind == "first_order":
                columns = self._of_motion
            else:
                X = np.where(self._in_rows_of_constraints, X[self._mirror], X)
                columns = self._with_velocities(by_velocities, X, E, base, alpha)
            if columns.any():
                if not np.array_equal(columns, self._by_velocities[0]):
                    self._by_velocities = columns, self._grouped(columns)
                X = np.where(columns[self._col], self._sweep(by_velocities, self._by_velocities[1], base, alpha), X)
        dyn.residual(q, v, a, lam)
        self.residuals += 1
        return self._blocks(X), self._blocks(E)

    def _blocks(self, entries: FloatArray) -> FloatArray:
        B = np.zeros_like(self.dynamics.B)
        B[self._place] = entries
        return B

    def _grouped(self, columns: NDArray[np.bool_]) -> Groups:
        """Groups of these columns: which columns, and the numbers of their entries."""
        n = self.dynamics.system.n
        chosen = np.flatnonzero(columns)
        group = np.full(n, -1, dtype=np.int64)
        if self.kind == "grouped":
            own = columns[self._col]
            number = np.cumsum(columns) - 1
            rows = self._row[own]
            # a square pattern, with columns that are not wanted left out
            group[chosen] = column_groups(rows, number[self._col[own]], n)[: len(chosen)]
        else:
            group[chosen] = np.arange(len(chosen))
        count = int(group.max(initial=-1)) + 1
        return [(group == g, np.flatnonzero(group[self._col] == g)) for g in range(count)]

    def _with_velocities(
        self, at: Columns, X: FloatArray, E: FloatArray, base: FloatArray, alpha: float
    ) -> NDArray[np.bool_]:
        """Columns (n,) that reach rows in which velocities do something that X does not hold."""
        dyn, n = self.dynamics, self.dynamics.system.n
        z = self._amounts * self._widths
        d = self._spread(z)
        change = self._scaled(at(d[: dyn.n_v], d[dyn.n_v :]), alpha) - base
        known = np.bincount(self._row, X * z[self._col], n)
        size = np.bincount(self._row, (np.abs(X) + np.abs(E)) * np.abs(z[self._col]), n)
        free = dyn.system.free
        mass = self._mass @ np.abs(d[: dyn.n_v])
        size += np.where(self._of_motion, mass[np.minimum(free, dyn.n_v - 1)], 0.0)
        wrong = np.abs(change - known) > FELT * size
        columns = np.zeros(n, dtype=bool)
        columns[self._col[wrong[self._row]]] = True
        return columns & self._of_motion

    def _spread(self, x: FloatArray) -> FloatArray:
        dyn = self.dynamics
        d = np.empty(dyn.n_v + dyn.n_c)
        spread(x, dyn.system.free, dyn.frame_dofs, dyn.frames, d)
        return d

    def _scaled(self, state: tuple[FloatArray, FloatArray, FloatArray, FloatArray], alpha: float) -> FloatArray:
        """The normalised equations (n,) in the order of the unknowns, in nodal frames."""
        dyn = self.dynamics
        r = dyn.residual(*state).copy()
        self.residuals += 1
        r[dyn.n_v :] = dyn.rates()
        out = np.empty(dyn.system.n)
        reduce(r, dyn.system.free, dyn.frame_dofs, dyn.frames, dyn.n_v, -1.0 / (alpha * alpha), -1.0 / alpha,
               -1.0 / alpha, dyn.velocity_rows, out)  # fmt: skip
        return out

    def _sweep(self, at: Columns, groups: Groups, base: FloatArray, alpha: float) -> FloatArray:
        """Derivatives by the unknowns of these groups of what moves the state to ``at(x, mu)``, by entries."""
        n_v, found = self.dynamics.n_v, np.zeros(len(self._row))
        for columns, entries in groups:
            d = self._spread(np.where(columns, self._widths, 0.0))
            change = self._scaled(at(d[:n_v], d[n_v:]), alpha) - base
            found[entries] = change[self._row[entries]] / self._widths[self._col[entries]]
        return found


def pose(dynamics: Dynamics, x: FloatArray) -> FloatArray:
    """Increments of poses in their own axes from those of the corrector."""
    out = x.copy()
    turns = out[dynamics.n_linear :].reshape(-1, 6)[:, 3:]
    turns[:] = np.einsum("bij,bj->bi", dynamics.T, turns)
    return out


def moved(dynamics: Dynamics, q: FloatArray, d: FloatArray) -> FloatArray:
    """q o exp(d)."""
    out = np.empty_like(q)
    retract(q, d, dynamics.n_linear, out)
    return out
