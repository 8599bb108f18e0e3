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

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_count, as_flag, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.integrators.difference_matrix import DifferenceMatrix
from flexmbs.integrators.excitations import Excitations, Place, enterable, form, moves, rate_of, values
from flexmbs.system.refusals import singular

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["CorrectorOptions", "IterationMatrix"]

JACOBIANS = ("exact", "grouped", "columns", "first_order")
MANY = 5_000
NEAR, CLOSE = 0.25, 0.1
"""Relative change of alpha up to which the factors of another one serve, and where they can be combined anew."""
SLOW, SLOWER, DEAR = 0.3, 0.6, 20
"""Rate of convergence from which the matrix is evaluated anew, that where it costs many residuals, and how many."""
MISSED = 0.1
"""Rate of convergence, as far as excitations spoil it, from which they are worked into the matrix."""


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
        Store K, D and G separately and combine them for a new alpha, from a change of 10 % on, without evaluating
        anything. With exact derivatives an evaluation then costs twice as much, with differences of groups or single
        columns little more where few forces depend on velocities. Has no effect on a matrix that is not kept. Off by
        default: with exact derivatives it neither gains nor loses; it pays with differences.
    excitation_update : bool
        Also form, once, by differences, the derivatives of the matrix by the motions u of drivers and their u' and u''
        (an evaluation each), and follow the motions by those of them that foretell later evaluations. Needs
        ``alpha_update``. For nearly linear models that are stiff by what their drivers do, such as chains under a
        shaken support, in runs over many periods.
    jacobian : str
        ``"exact"``: the derivatives of the model, those that Python functions lack by differences in each of them.
        ``"grouped"``: all by differences of the residual, one for each group of columns that share no row.
        ``"columns"``: one difference for each column, to compare with. ``"first_order"``: one for each position, each
        velocity and each multiplier, as codes for general first-order systems (DASSL) take them, to compare with.
    slow : float, optional
        Rate of convergence, below 1, from which a matrix that is kept is evaluated anew. By default 0.3, and 0.6 where
        it costs more than 20 residuals.
    max_iterations : int
        Iterations before a step is given up.

    Raises
    ------
    ModelError
        If a value is not of its kind, or `excitation_update` is asked for without `alpha_update`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.BDF(corrector=fx.integrators.CorrectorOptions(reuse=True, alpha_update=True,
    ...     jacobian="grouped")).corrector.reuse
    True
    """

    reuse: bool | None = None
    alpha_update: bool = False
    excitation_update: bool = False
    jacobian: str = "exact"
    slow: float | None = None
    max_iterations: int = 10

    def __post_init__(self) -> None:
        if self.reuse is not None:
            as_flag("CorrectorOptions", "reuse", self.reuse)
        for name in ("alpha_update", "excitation_update"):
            as_flag("CorrectorOptions", name, getattr(self, name))
        if self.excitation_update and not self.alpha_update:
            raise ModelError("CorrectorOptions: excitation_update needs alpha_update, which combines the matrix.")
        if self.slow is not None:
            as_number("CorrectorOptions", "slow", self.slow, above=0.0, below=1.0)
        as_count("CorrectorOptions", "max_iterations", self.max_iterations, minimum=2)
        if not isinstance(self.jacobian, str) or self.jacobian not in JACOBIANS:
            raise ModelError(f"CorrectorOptions: jacobian must be one of {JACOBIANS}, not {show(self.jacobian)}.")


class Evaluated(NamedTuple):
    """X and E of a place, with the motions of drivers there, and derivatives by these once they are formed."""

    place: Place
    X: FloatArray
    E: FloatArray
    values: FloatArray
    excitations: Excitations | None = None

    def pack(self) -> FloatArray:
        """What tells it from others: its place, and the excitations."""
        return np.concatenate((self.place.pack(), np.empty(0) if self.excitations is None else self.excitations.pack()))


class IterationMatrix:
    """The matrix of one run, factorised in the solver of its dynamics.

    Attributes
    ----------
    point : array
        Where it was evaluated and for what it is combined; empty if there is none to be kept.
    alpha : float
        That of the factors.
    groups : int
        Residuals that one evaluation by differences needs; 0 if the derivatives are exact.
    slow : float
        Rate of convergence from which another evaluation pays.
    """

    def __init__(self, dynamics: Dynamics, options: CorrectorOptions, on_rates: int) -> None:
        self.dynamics, self.options, self.on_rates = dynamics, options, on_rates
        self.point = np.empty(0)
        self.alpha = np.nan
        self._counts = dict.fromkeys(("tangents", "matrices", "combinations", "excitations", "excitation_residuals"), 0)
        system = dynamics.system
        rows, columns = system.constraint_entries
        self._of_motion = ~(rows | columns)
        self._mine = -1
        self._now: Evaluated | None = None
        self._base: Evaluated | None = None
        self._blocks = np.empty(0)
        self._values = np.empty(0)
        cheap = system.n <= MANY or dynamics.matrix.static is not None
        self.reuse = not cheap if options.reuse is None else options.reuse
        self._split = self.reuse and options.alpha_update
        self._follows = self._split and options.excitation_update and len(dynamics.prescribed.moving) > 0
        self._differences = None if options.jacobian == "exact" else DifferenceMatrix(dynamics, options.jacobian)
        self.groups = 0 if self._differences is None else self._differences.groups
        self.slow = options.slow or (SLOW if self.groups <= DEAR else SLOWER)

    @property
    def counts(self) -> dict[str, int]:
        """What was done so far.

        ``matrices`` evaluated, by ``tangents`` (exact ones) or ``difference_residuals``; ``combinations`` of old ones;
        derivatives by ``excitations``, whose evaluations are among the matrices, and the residuals besides.
        """
        residuals = 0 if self._differences is None else self._differences.residuals
        return {**self._counts, "difference_residuals": residuals}

    # --- keeping ---------------------------------------------------------------------------------------------------

    def drop(self) -> None:
        """The factors are not to be used again; what belongs to the state of the run is still known."""
        self.point, self._mine = np.empty(0), -1

    def forget(self) -> None:
        """As if no matrix had been made."""
        self.drop()
        self._now = self._base = None

    def restore(self, point: FloatArray) -> bool:
        """Make the matrix that belongs to ``point``; whether there is one."""
        if not len(point) or not self.reuse:
            self.drop()
            return False
        if self._mine == self.dynamics.factorisations and np.array_equal(point, self.point):
            self._base = self._now
            return True
        alpha, now = point[:2]
        known = next(
            (e for e in (self._base, self._now) if e is not None and np.array_equal(e.pack(), point[2:])), None
        )
        if known is None:
            known = self._again(point[2:])
        self._base = self._now = known
        self.alpha, self.point = known.place.alpha, point
        if alpha == known.place.alpha and now == known.place.t:
            self._factorise(known.X + known.E)
            self._values = known.values
        else:
            self.combine(alpha, now)
        return True

    def serves(self, alpha: float, t: float) -> bool:
        """Whether the factors serve for a step to t with this alpha, perhaps after they were combined anew."""
        assert self._now is not None  # noqa: S101
        excitations = self._now.excitations
        follows = excitations is not None and len(excitations.slopes) > 0
        missed = 0.0
        if excitations is not None and follows:
            missed = excitations.rate(values(self.dynamics, t) - self._values, alpha)
        if abs(alpha / self.alpha - 1.0) <= (CLOSE if self._split else NEAR) and missed <= MISSED:
            return True
        if not self._split:
            return False
        self.combine(alpha, t if follows else self.point[1])
        return True

    def scale(self, alpha: float) -> float:
        """By what increments are multiplied that come from the matrix of another alpha."""
        return 2.0 / (1.0 + self.alpha / alpha)

    # --- making ----------------------------------------------------------------------------------------------------

    def evaluate(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, alpha: float) -> None:
        """Residual, matrix and factors at a state, with the ``T`` of the dynamics."""
        if not self.reuse and self._differences is None:  # nothing of it is needed later
            self.dynamics.tangent(q, v, a, lam, (1.0 / (alpha * alpha), 1.0 / alpha), self.on_rates)
            self.evaluated(1)
            self.dynamics.factorise(1.0)
            self.alpha, self._mine = alpha, self.dynamics.factorisations
            return
        place = Place(t, alpha, q, v, a, lam, self.dynamics.T)
        before = self._now if len(self.point) else None
        X, E = self._parts(place)
        self._factorise(X + E)
        self.alpha = alpha
        if not self.reuse:
            return
        place = Place(t, alpha, q.copy(), v.copy(), a.copy(), lam.copy(), self.dynamics.T.copy())
        now = Evaluated(place, X, E, values(self.dynamics, t))
        if self._follows and before is not None:
            now = self._followed(before, now)
        self._now, self._values = now, now.values
        self.point = np.concatenate(([alpha, t], now.pack()))

    def evaluated(self, number: int) -> None:
        """Count exact matrices that are not kept."""
        self._counts["matrices"] += number
        self._counts["tangents"] += number

    def combine(self, alpha: float, t: float) -> None:
        """Matrix and factors for another alpha, and for the excitations at t, without evaluating anything."""
        assert self._now is not None  # noqa: S101
        self._factorise(self._combined(self._now, alpha, t))
        if self._now.excitations is not None:
            self._values = values(self.dynamics, t)
        self.alpha = alpha
        self.point = self.point.copy()
        self.point[:2] = alpha, t
        self._counts["combinations"] += 1

    def _combined(self, old: Evaluated, alpha: float, t: float) -> FloatArray:
        """Blocks for another alpha and another time."""
        B = self._scaled(old.X, old.E, old.place.alpha / alpha)
        if old.excitations is not None and old.excitations.slopes:
            X, E = old.excitations.change(values(self.dynamics, t) - old.values)
            B += self._scaled(X, E, old.excitations.place.alpha / alpha)
        return B

    def _scaled(self, X: FloatArray | float, E: FloatArray | float, f: float) -> FloatArray:
        return np.where(self._of_motion, f * X + (f * f) * E, X + f * E)

    def _again(self, packed: FloatArray) -> Evaluated:
        """What was evaluated, from what it packs."""
        dyn = self.dynamics
        size = Place.size(dyn)
        found = self._at(Place.unpack(packed[:size], dyn))
        if len(packed) == size:
            return found
        wanted, origin = Excitations.unpack(packed[size:], dyn)
        if not wanted.any():
            return found._replace(excitations=Excitations(origin, wanted, ()))
        first = found if np.array_equal(origin.pack(), packed[:size]) else self._at(origin)
        return found._replace(excitations=self._form(first, wanted))

    def _at(self, place: Place) -> Evaluated:
        self.dynamics.set_time(place.t)
        X, E = self._parts(place)
        return Evaluated(place, X, E, values(self.dynamics, place.t))

    def _form(self, at: Evaluated, wanted: NDArray[np.bool_]) -> Excitations:
        """Derivatives at a place; leaves its factors."""
        dyn, place = self.dynamics, at.place
        dyn.set_time(place.t)
        dyn.T[:] = place.T
        self._factorise_without_rates(at.X, at.E)
        before = dyn.evaluations
        moved = moves(dyn, place, wanted)
        self._counts["excitation_residuals"] += dyn.evaluations - before
        self._factorise(at.X + at.E)
        formed = form(dyn, place, at.X, at.E, moved, self._parts, self._in_frames)
        dyn.T[:] = place.T
        self._counts["excitations"] += int(wanted.sum())
        return formed

    def _followed(self, before: Evaluated, now: Evaluated) -> Evaluated:
        """The new evaluation with derivatives by excitations: of the old ones those that foretold it, else formed here.

        They are formed once, with the second matrix: a model that needs no second one needs no derivatives. Those
        without which the last evaluation would have foretold this one better are given up.
        """
        place, dyn, excitations = now.place, self.dynamics, before.excitations
        formed = excitations is None
        if excitations is None:
            excitations = self._form(now, enterable(dyn))
        if excitations.slopes:
            B = self._in_frames(now.X + now.E)

            def missed(some: Excitations) -> float:
                old = self._combined(before._replace(excitations=some), place.alpha, place.t)
                return rate_of(dyn, self._in_frames(old) - B)

            excitations = excitations.those_that_help(now.values - before.values, place.alpha, missed)
        if formed:
            dyn.residual(place.q, place.v, place.a, place.lam)
        return now._replace(excitations=excitations)

    def _in_frames(self, B: FloatArray) -> FloatArray:
        """A copy of blocks in nodal frames."""
        out = B.copy()
        if self._differences is None and len(self.dynamics.system.turned_blocks):
            rotate_blocks(out, self.dynamics.system.turned_blocks, self.dynamics.frames)
        return out

    def _factorise(self, B: FloatArray) -> None:
        """Factors of the matrix with these blocks, which those of differences have in nodal frames already.

        Blocks of differences fill places that exact derivatives leave alone for ever: they stay out of the buffer.
        """
        dyn = self.dynamics
        if self._differences is None:
            dyn.B[:] = B
            dyn.factorise(1.0)
        else:
            self._blocks = B
            dyn.factorisations += 1
            try:
                dyn.matrix.factorise(B, 1.0, dyn.multiplier_compliance)
            except SingularError as error:
                raise singular(dyn.system, error) from None
        self._mine = dyn.factorisations

    def _factorise_without_rates(self, X: FloatArray, E: FloatArray) -> None:
        """Factors of X + E with G alone in the rows of constraints, without R."""
        self._factorise(np.where(self._of_motion, X + E, X))

    def rate_coupling(self, y: FloatArray, out: FloatArray) -> None:
        """What increments y of the positions do to the rates of constraints, over alpha, is taken off ``out``."""
        dyn = self.dynamics
        if self._differences is None:
            dyn.rate_coupling(y, out)
            return
        clean = dyn.B.copy()
        dyn.B[:] = self._blocks
        dyn.rate_coupling(y, out)
        dyn.B[:] = clean

    def _parts(self, place: Place) -> tuple[FloatArray, FloatArray]:
        """X and E, or their sum and zero; leaves the residual at the state."""
        dyn, alpha = self.dynamics, place.alpha
        state = place.q, place.v, place.a, place.lam
        dyn.T[:] = place.T
        self._counts["matrices"] += 1
        if self._differences is not None:
            return self._differences.parts(*state, alpha, self._split)
        wq, wv = 1.0 / (alpha * alpha), 1.0 / alpha
        self._counts["tangents"] += 1 + self._split
        if not self._split:
            dyn.tangent(*state, (wq, wv), self.on_rates)
            return dyn.B.copy(), np.zeros_like(dyn.B)
        dyn.tangent(*state, (2.0 * wq, wv), self.on_rates)
        double = dyn.B.copy()
        dyn.tangent(*state, (wq, wv), self.on_rates)
        E = double - dyn.B
        return dyn.B - E, E
