r"""The matrix of a corrector: when it is kept, combined anew for another step, or evaluated.

After A. Fuchs, M. Arnold, Efficient corrector iteration for implicit time integration in multibody dynamics (Virtual
Nonlinear Multibody Systems, NATO ASI, Prague 2002). With the leading coefficient alpha of the formula the matrix of the
increments is, normalised by the mass,

.. math:: S(\alpha) = \begin{bmatrix} M + D/\alpha + K/\alpha^2 & G^T\\ G + R/\alpha & 0\end{bmatrix},

R the derivative of :math:`G v + g_t` by the positions. Kept are :math:`X = (D/\hat\alpha, G, G^T)` and
:math:`E = (K/\hat\alpha^2, R/\hat\alpha)` of the place where they were evaluated: a change of alpha scales them. A
matrix of another alpha is used with increments multiplied by :math:`c = 2/(1 + \hat\alpha/\alpha)`, at which the errors
of what the mass and of what a damper determines are the same size (the constant of DASSL for the normalised matrix).

Where the matrix was evaluated is part of the state of a run: whoever goes on from it makes the same matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_count, as_flag, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.integrators.column_groups import column_groups
from flexmbs.mechanics.steps import reduce, retract, spread

if TYPE_CHECKING:
    from flexmbs.dynamics import Dynamics

__all__ = ["CorrectorOptions", "IterationMatrix"]

JACOBIANS = ("exact", "grouped", "columns")
MANY = 5_000
NEAR = 0.25
"""Relative change of alpha up to which the factors of another one serve."""
FAR = 0.02
"""Motion of a driven part [rad, lengths of the model] from which its excitation is worked into the matrix."""
STEP = 1e-7
"""Of the differences, in radians and lengths of the model; D and K of a model differ little over that."""


@dataclass(frozen=True, kw_only=True)
class CorrectorOptions:
    """How the corrector of `BDF` comes to its matrix; each of its savings has a switch.

    Parameters
    ----------
    reuse : bool, optional
        Keep the matrix over steps while alpha changes by less than 25 % and the iteration converges; else it is
        evaluated in every step. By default it is kept above 5 000 unknowns only, unless its band is narrow: exact
        derivatives cost about as much as the two iterations more that an old matrix asks for.
    alpha_update : bool
        Store K, D and G separately (two evaluations instead of one) and combine them for a new alpha without
        evaluating anything. Has no effect on a matrix that is not kept. Off by default: steps change so seldom that the
        second evaluation is not won back on the models measured.
    excitation_update : bool
        Also store, by differences, the derivatives of the matrix by the motions of drivers (two evaluations each), and
        follow the motions by them. For models that mostly move as their drivers do. Without ``reuse`` and
        ``alpha_update`` it has no effect.
    jacobian : str
        ``"exact"``: the derivatives of the model, those that Python functions lack by differences in each of them.
        ``"grouped"``: all by differences of the residual, one for each group of columns that share no row.
        ``"columns"``: one difference for each column, to compare with.
    most : int
        Iterations before a step is given up.

    Raises
    ------
    ModelError
        If a value is not of its kind.
    """

    reuse: bool | None = None
    alpha_update: bool = False
    excitation_update: bool = False
    jacobian: str = "exact"
    most: int = 10

    def __post_init__(self) -> None:
        if self.reuse is not None:
            as_flag("CorrectorOptions", "reuse", self.reuse)
        for name in ("alpha_update", "excitation_update"):
            as_flag("CorrectorOptions", name, getattr(self, name))
        as_count("CorrectorOptions", "most", self.most, minimum=2)
        if not isinstance(self.jacobian, str) or self.jacobian not in JACOBIANS:
            raise ModelError(f"CorrectorOptions: jacobian must be one of {JACOBIANS}, not {show(self.jacobian)}.")


class IterationMatrix:
    """The matrix of one run, factorised in the solver of its dynamics.

    Attributes
    ----------
    point : array
        Where it was evaluated and for what it is combined; empty if there is none to be kept.
    alpha : float
        That of the factors.
    counts : dict
        What was done so far: ``"tangents"``, ``"difference_residuals"``, ``"combinations"``, ``"excitations"``.
    groups : int
        Residuals that one evaluation by differences needs; 0 if the derivatives are exact.
    """

    def __init__(self, dynamics: Dynamics, options: CorrectorOptions, on_rates: int) -> None:
        self.dynamics, self.options, self.on_rates = dynamics, options, on_rates
        self.point = np.empty(0)
        self.alpha = np.nan
        self.counts = dict.fromkeys(("tangents", "difference_residuals", "combinations", "excitations"), 0)
        system, n_v = dynamics.system, dynamics.n_v
        free = system.free
        row, col = system._row, system._col
        live = (row >= 0) & (col >= 0)
        of_motion = np.zeros(len(row), dtype=bool)
        of_motion[live] = (free[row[live]] < n_v) & (free[col[live]] < n_v)
        self._of_motion = of_motion
        self._mine = -1
        self._X = self._E = self._blocks = np.empty(0)
        self._slopes: list[tuple[int, FloatArray, FloatArray, float, float]] = []
        self._driven = [i for i, _ in dynamics.prescribed.moving if dynamics.velocity_rows[i] == 0]
        cheap = system.n <= MANY or dynamics.matrix.static is not None
        self.reuse = not cheap if options.reuse is None else options.reuse
        self._split = self.reuse and options.alpha_update
        self.groups = 0
        if options.jacobian != "exact":
            self._prepare_differences()

    # --- keeping ---------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """As if no matrix had been made."""
        self.point, self._mine = np.empty(0), -1

    def restore(self, point: FloatArray) -> bool:
        """Make the matrix that belongs to ``point``; whether there is one."""
        if not len(point) or not self.reuse:
            return False
        if self._mine == self.dynamics.factorisations and np.array_equal(point, self.point):
            return True
        dyn = self.dynamics
        t, evaluated, alpha, now = point[:4]
        q, v, a, lam, T = np.split(point[4:], np.cumsum([dyn.n_q, dyn.n_v, dyn.n_v, dyn.n_c]))
        dyn.set_time(t)
        dyn.T[:] = T.reshape(dyn.T.shape)
        self._evaluate(t, q, v, a, lam, evaluated, alpha == evaluated and now == t)
        if alpha != evaluated or now != t:
            self.combine(alpha, now)
        return True

    def serves(self, alpha: float, t: float) -> bool:
        """Whether the factors serve for a step to t with this alpha, perhaps after they were combined anew."""
        moved = self._excited(t)
        if abs(alpha / self.alpha - 1.0) <= NEAR and not moved:
            return True
        if not self.options.alpha_update:
            return False
        self.combine(alpha, t if self._slopes else self.point[3])
        return True

    def scale(self, alpha: float) -> float:
        """By what increments are multiplied that come from the matrix of another alpha."""
        return 2.0 / (1.0 + self.alpha / alpha)

    # --- making ----------------------------------------------------------------------------------------------------

    def evaluate(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float) -> None:
        """Residual, matrix and factors at a state, with the ``T`` of the dynamics."""
        self._evaluate(t, q, v, a, lam, alpha, True)

    def _evaluate(
        self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float, factorise: bool
    ) -> None:
        dyn = self.dynamics
        split = self._split
        if self.reuse:
            self.point = np.concatenate(([t, alpha, alpha, t], q, v, a, lam, dyn.T.ravel()))
        X, E = self._parts(q, v, a, lam, alpha, split)
        self._X, self._E, self._slopes = X, E, []
        self.alpha = alpha
        excited = split and self.options.excitation_update and self._driven
        if factorise or excited:
            self._factorise(X + E)
        if excited:
            self._follow(q, v, a, lam, alpha)

    def combine(self, alpha: float, t: float) -> None:
        """Matrix and factors for another alpha, and for the excitations at t, without evaluating anything."""
        f = self.point[1] / alpha
        X, E = self._X, self._E
        for i, dX, dE, u, _ in self._slopes:
            change = self._motion(i, t) - u
            X, E = X + change * dX, E + change * dE
        self._factorise(np.where(self._of_motion, f * X + (f * f) * E, X + f * E))
        self.alpha = alpha
        self.point = self.point.copy()
        self.point[2:4] = alpha, t
        self.counts["combinations"] += 1

    def _factorise(self, B: FloatArray) -> None:
        """Factors of the matrix with these blocks, which those of differences have in nodal frames already.

        Blocks of differences fill places that exact derivatives leave alone for ever: they stay out of the buffer.
        """
        dyn = self.dynamics
        if not self.groups:
            dyn.B[:] = B
            dyn.factorise(1.0)
        else:
            self._blocks = B
            dyn.factorisations += 1
            try:
                dyn.matrix.factorise(B, 1.0, dyn._compliance)
            except SingularError as error:
                raise SingularError(dyn._explain(error), unknown=error.unknown) from None
        self._mine = dyn.factorisations

    def rate_coupling(self, y: FloatArray, out: FloatArray) -> None:
        """What increments y of the positions do to the rates of constraints, over alpha, is taken off ``out``."""
        dyn = self.dynamics
        if not self.groups:
            dyn.rate_coupling(y, out)
            return
        clean = dyn.B.copy()
        dyn.B[:] = self._blocks
        dyn.rate_coupling(y, out)
        dyn.B[:] = clean

    def _parts(
        self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float, split: bool
    ) -> tuple[FloatArray, FloatArray]:
        """X and E, or their sum and zero; leaves the residual at the state."""
        dyn = self.dynamics
        if self.options.jacobian != "exact":
            return self._by_differences(q, v, a, lam, alpha, split)
        wq, wv = 1.0 / (alpha * alpha), 1.0 / alpha
        self.counts["tangents"] += 1 + split
        if not split:
            dyn.tangent(q, v, a, lam, (wq, wv), self.on_rates)
            return dyn.B.copy(), np.zeros_like(dyn.B)
        dyn.tangent(q, v, a, lam, (2.0 * wq, wv), self.on_rates)
        double = dyn.B.copy()
        dyn.tangent(q, v, a, lam, (wq, wv), self.on_rates)
        E = double - dyn.B
        return dyn.B - E, E

    # --- excitations -----------------------------------------------------------------------------------------------

    def _motion(self, i: int, t: float) -> float:
        """Value of the motion of driven constraint i at t."""
        self.dynamics.set_time(t)
        return float(self.dynamics.motion[i, 0])

    def _excited(self, t: float) -> bool:
        """Whether driven parts have moved since the matrix was combined."""
        then = self.point[3]
        return any(size * abs(self._motion(i, t) - self._motion(i, then)) > FAR for i, *_, size in self._slopes)

    def _follow(self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float) -> None:
        """Derivatives of X and E by the motions of drivers: the model moves as the drivers alone would move it."""
        dyn = self.dynamics
        held, residual = dyn.B.copy(), dyn.r.copy()
        steps = []
        for i in self._driven:
            dyn.r[:] = 0.0
            dyn.r[dyn.n_v + i] = -1.0
            steps.append(self._pose(dyn.solve(0.0, 1.0, 1.0)[: dyn.n_v]))
        for i, y in zip(self._driven, steps, strict=True):
            size = dyn.size_of(y)
            h = 1e-3 / max(size, 1e-3)
            X, E = self._parts(self._moved(q, h * y), v, a, lam, alpha, True)
            self._slopes.append((i, (X - self._X) / h, (E - self._E) / h, float(dyn.motion[i, 0]), size))
            self.counts["excitations"] += 1
        dyn.B[:] = held
        dyn.residual(q, v, a, lam)
        dyn.r[:] = residual

    def _pose(self, x: FloatArray) -> FloatArray:
        """Increments of poses in their own axes from those of the corrector."""
        out = x.copy()
        turns = out[self.dynamics.n_linear :].reshape(-1, 6)[:, 3:]
        turns[:] = np.einsum("bij,bj->bi", self.dynamics.T, turns)
        return out

    def _moved(self, q: FloatArray, d: FloatArray) -> FloatArray:
        out = np.empty_like(q)
        retract(q, d, self.dynamics.n_linear, out)
        return out

    # --- differences -----------------------------------------------------------------------------------------------

    def _prepare_differences(self) -> None:
        """Columns in groups, and the places of the blocks that take the entries."""
        dyn = self.dynamics
        system = dyn.system
        places = dyn.matrix.entries
        row, col = system._row[places], system._col[places]
        _, first = np.unique(col * system.n + row, return_index=True)
        self._place, self._row, self._col = places[first], row[first], col[first]
        if self.options.jacobian == "columns":
            self._group = np.arange(system.n)
        else:
            self._group = column_groups(self._row, self._col, system.n)
        self.groups = int(self._group.max()) + 1
        self._entries = [np.flatnonzero(self._group[self._col] == g) for g in range(self.groups)]
        c = dyn.coordinates
        self._steps = np.full(dyn.n_v, STEP)
        self._steps[c.translations] *= dyn.length
        for body, (_, iv) in zip(c.rigid, c.places, strict=True):
            self._steps[iv : iv + len(body.position)] *= dyn.length

    def _by_differences(
        self, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float, split: bool
    ) -> tuple[FloatArray, FloatArray]:
        """X and E by one residual, or two, for each group of columns."""
        wa = alpha * alpha
        if split:
            X = self._sweep(lambda x, mu: (q, v + alpha * x, a, lam + wa * mu), alpha)
            E = self._sweep(lambda x, mu: (self._moved(q, self._pose(x)), v, a, lam), alpha)
        else:
            X = self._sweep(lambda x, mu: (self._moved(q, self._pose(x)), v + alpha * x, a, lam + wa * mu), alpha)
            E = np.zeros_like(X)
        self.dynamics.residual(q, v, a, lam)
        self.counts["difference_residuals"] += 1
        return X, E

    def _scaled(self, state: tuple[FloatArray, FloatArray, FloatArray, FloatArray], alpha: float) -> FloatArray:
        """The normalised equations (n,) in the order of the unknowns, in nodal frames."""
        dyn = self.dynamics
        r = dyn.residual(*state).copy()
        self.counts["difference_residuals"] += 1
        r[dyn.n_v :] = dyn.rates()
        out = np.empty(dyn.system.n)
        reduce(r, dyn.system.free, dyn._frame_dofs, dyn._frames, dyn.n_v, -1.0 / (alpha * alpha), -1.0 / alpha,
               -1.0 / alpha, dyn.velocity_rows, out)  # fmt: skip
        return out

    def _sweep(
        self,
        at: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray, FloatArray]],
        alpha: float,
    ) -> FloatArray:
        """Derivatives by all unknowns of what moves the state to ``at(x, mu)``, in blocks."""
        dyn = self.dynamics
        n_v, free = dyn.n_v, dyn.system.free
        start = at(np.zeros(n_v), np.zeros(dyn.n_c))
        base = self._scaled(start, alpha)
        unit = max(1.0, float(np.abs(start[3]).max(initial=0.0))) / (alpha * alpha)
        steps = np.where(free < n_v, self._steps[np.minimum(free, n_v - 1)], unit)
        B, d = np.zeros_like(dyn.B), np.empty(n_v + dyn.n_c)
        for group, entries in enumerate(self._entries):
            spread(np.where(self._group == group, steps, 0.0), free, dyn._frame_dofs, dyn._frames, d)
            change = self._scaled(at(d[:n_v], d[n_v:]), alpha) - base
            B[self._place[entries]] = change[self._row[entries]] / steps[self._col[entries]]
        return B
