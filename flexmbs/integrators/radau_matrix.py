r"""The matrices of a step of Radau IIA: Jacobian blocks at one state, a real and a complex factorisation for each step.

With w = h / eigenvalue both are, in the unknowns :math:`(\delta v, w\,\delta\lambda)`,

.. math:: \begin{bmatrix} M + w D + w^2 K & G^T \\ G + w\,(Gv)_q & -C \end{bmatrix}

with the compliance C of multipliers beside redundant constraints. The blocks are kept by powers of w, so that a new
step size needs no evaluation.

Where the real matrix is a narrow band both are factorised without interchanges, by kernels that compiled steps call,
too; they share all arrays.
"""

from __future__ import annotations

import math
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.complex_band import complex_band_factorise, complex_band_solve
from flexmbs.core.rotations import IDENTITY
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.integrators.collocation import COMPLEX
from flexmbs.integrators.complex_system import ComplexSystem
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.radau_stages import combine, product, same_state, scatter_complex, split
from flexmbs.kernels.steps import reduce, spread
from flexmbs.system.refusals import singular

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["SOFTER", "RadauMatrix"]

SOFTER = 1e3
"""Compliance of multipliers here over that of the model.

What contradicts itself by round-off along redundant constraints becomes multipliers in proportion to its inverse; the
iteration loses that share of its speed along constraints that are nearly redundant. Between 1e3 and 1e4 both are small.
"""


class RadauMatrix:
    """Jacobian and factors for one system.

    Attributes
    ----------
    jacobians : int
        Linearisations so far, each of two evaluations.
    there, made_for : arrays (1,)
        Whether there is a Jacobian (1 or 0), and the step of the factors, NaN without.
    t, q, v, a, lam : arrays
        Where the Jacobian was made.
    kinds, powers, both, combined : arrays
        As `radau_stages.split` and `radau_stages.combine` take them.
    rows, columns : int arrays
        Unknowns of the entries that count.
    re, im : arrays
        The complex band, in the places of the real one.
    sizes, part_re, part_im : arrays
        Scratch of its factorisation and its solutions.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics = dyn = dynamics
        system, matrix, n_b = dyn.system, dyn.matrix, len(dyn.B)
        self.jacobians = 0
        self.there, self.made_for = np.zeros(1, dtype=np.int64), np.full(1, np.nan)
        self.t, self.q, self.lam = np.zeros(1), np.zeros(dyn.n_q), np.zeros(dyn.n_c)
        self.v, self.a = np.zeros(dyn.n_v), np.zeros(dyn.n_v)
        in_rows, in_columns = system.constraint_entries
        self.kinds = np.where(in_rows, 1, np.where(in_columns, 2, 0)).astype(np.int64)
        self.powers, self.both, self.combined = np.zeros((3, n_b)), np.zeros(n_b), np.zeros(n_b)
        row, col = matrix.places
        self.rows, self.columns = (np.asarray(x[: len(matrix.entries)], dtype=np.int64) for x in (row, col))
        self.band = matrix.static
        size = 0 if self.band is None else len(self.band.data)
        self.re, self.im = np.zeros(size), np.zeros(size)
        W = 0 if self.band is None else self.band.W
        self.sizes, self._width = np.zeros(system.n + W), (0.0,) * W
        self.part_re, self.part_im = np.zeros(system.n + 2 * W), np.zeros(system.n + 2 * W)
        self._pivoting, self._mine = self.band is None, -1
        self._counted: tuple[StepState, float] | None = None
        n = dyn.n_v + dyn.n_c
        self._x, self._y, self._whole = np.zeros(system.n), np.zeros(system.n), np.zeros(n)
        self.d_re, self.d_im = np.zeros(n), np.zeros(n)

    @cached_property
    def _general(self) -> ComplexSystem:
        return ComplexSystem(self.dynamics.matrix, self.dynamics.system.n)

    @property
    def compliance(self) -> FloatArray:
        """Of the multipliers (n_c,)."""
        return np.asarray(SOFTER * self.dynamics.multiplier_compliance)

    def forget(self) -> None:
        """Drop Jacobian and factors."""
        self.there[0], self.made_for[0], self._counted = 0, np.nan, None

    def is_at(self, state: StepState) -> bool:
        """Whether the Jacobian was made at this state."""
        if not self.there[0] or self.t[0] != state.t:
            return False
        here = self.q, self.v, self.a, self.lam
        return bool(same_state(*here, state.q, state.v, state.a, state.lam))

    @property
    def in_band(self) -> bool:
        """Whether the factors that are there are those of the band, without interchanges."""
        return not (self._pivoting or self.dynamics.matrix.pivoting)

    @property
    def stands_for(self) -> float:
        """Step of the factors, NaN without; those that others have made in their place meanwhile do not count."""
        return float(self.made_for[0]) if self._mine == self.dynamics.factorisations else math.nan

    def made_in_band(self) -> None:
        """Compiled steps have left their factors."""
        self._pivoting, self._mine = False, self.dynamics.factorisations

    def overwritten(self, before: StepState | None, h: float) -> None:
        """Compiled steps have replaced Jacobian and factors at ``before`` for h in a step that Python makes again.

        What it then makes a second time does not count. None: there were none that it needs.
        """
        self.forget()
        self._counted = None if before is None else (before, h)

    def linearise(self, state: StepState) -> None:
        """Blocks at a state."""
        counted, self._counted = self._counted, None
        dyn = self.dynamics
        work = self.jacobians, dyn.evaluations, dyn.factorisations
        self._linearise(state)
        if counted is None:
            return
        place, h = counted
        if place.t == state.t and same_state(*place[1:4], place.lam, state.q, state.v, state.a, state.lam):
            if math.isfinite(h):
                self.factorise(h)
            self.jacobians, dyn.evaluations, dyn.factorisations = work
            self._mine = dyn.factorisations

    def _linearise(self, state: StepState) -> None:
        dyn = self.dynamics
        self.forget()
        began = perf_counter()
        dyn.T[:] = IDENTITY
        dyn.set_time(state.t)
        arguments = state.q, state.v, state.a, state.lam
        dyn.tangent(*arguments, (1.0, 1.0), 1)
        self.both[:] = dyn.B
        dyn.tangent(*arguments, (0.0, 1.0), 1)
        split(self.kinds, self.both, dyn.B, self.powers)
        if len(dyn.system.turned_blocks):
            for blocks in self.powers:
                rotate_blocks(blocks, dyn.system.turned_blocks, dyn.frames)
        self.t[0], self.there[0] = state.t, 1
        self.q[:], self.v[:], self.a[:], self.lam[:] = arguments
        self.jacobians += 1
        dyn.seconds["evaluation"] += perf_counter() - began

    def factorise(self, h: float) -> None:
        """Both factorisations for a step h, if they are not there already."""
        if h == self.stands_for:
            return
        dyn, matrix, compliance = self.dynamics, self.dynamics.matrix, self.compliance
        self.made_for[0] = np.nan
        combine(self.powers, matrix.entries, h, self.combined)
        dyn.factorisations += 1
        try:
            matrix.factorise(self.combined, 1.0, compliance)
        except SingularError as error:
            raise singular(dyn.system, error) from None
        began = perf_counter()
        dyn.factorisations += 1
        self._pivoting = self.band is None or not self._in_band(h, compliance)
        if self._pivoting:
            z, kept = h / COMPLEX, self.powers[:, matrix.entries]
            data = kept[0] + z * (kept[1] + z * kept[2]), matrix.mass, -compliance[matrix.equations]
            self._general.factorise(np.concatenate(data))
        self.made_for[0], self._mine = h, dyn.factorisations
        dyn.seconds["factorisation"] += perf_counter() - began

    def _in_band(self, h: float, compliance: FloatArray) -> bool:
        """Factorise the complex matrix without interchanges; whether that lost no digits."""
        matrix, slots, band = self.dynamics.matrix, self.dynamics.matrix.static_slots, self.band
        assert band is not None  # noqa: S101
        assert slots is not None  # noqa: S101
        first, second = matrix.cut
        scatter_complex(
            self.powers, matrix.entries, slots[:first], h, matrix.mass, slots[first:second], compliance,
            matrix.equations, slots[second:], self.re, self.im,
        )  # fmt: skip
        parts = band.n, band.reach, self.sizes, self._width, band.edge
        return bool(complex_band_factorise(self.re, self.im, *parts) < 0)

    def solve_real(self) -> FloatArray:
        """Solution (n_v + n_c,) of the real system for minus ``dynamics.r``, which the next call overwrites."""
        return self.dynamics.solve(1.0, 1.0, 1.0)

    def solve_complex(self, re: FloatArray, im: FloatArray) -> None:
        """Solution of the complex system for minus this right side (n_v + n_c,), into ``d_re`` and ``d_im``."""
        began, band = perf_counter(), self.band
        self._reduced(re, 1.0, self._x)
        self._reduced(im, 1.0, self._y)
        if self._pivoting or band is None:
            self._general.solve(self._x, self._y)
        else:
            parts = self.part_re, self.part_im, self._x, self._y
            complex_band_solve(self.re, self.im, band.n, *parts, self._width, band.edge)
        self._spread(self._x, self.d_re)
        self._spread(self._y, self.d_im)
        self.dynamics.seconds["solve"] += perf_counter() - began

    def product(self, power: int, x: FloatArray) -> FloatArray:
        """The blocks of a power of w, without the mass, times x (n_v + n_c,), which is overwritten."""
        dyn = self.dynamics
        self._reduced(x, -1.0, self._x)
        product(self.powers[power], dyn.matrix.entries, self.rows, self.columns, self._x, self._y)
        self._spread(self._y, self._whole)
        return self._whole

    def _reduced(self, x: FloatArray, sign: float, out: FloatArray) -> None:
        """-sign times x on the unknowns, in the order of the solver."""
        dyn = self.dynamics
        reduce(x, dyn.system.free, dyn.frame_dofs, dyn.frames, dyn.n_v, sign, sign, sign, dyn.velocity_rows, out)

    def _spread(self, x: FloatArray, out: FloatArray) -> None:
        """On all velocities and equations."""
        dyn = self.dynamics
        spread(x, dyn.system.free, dyn.frame_dofs, dyn.frames, out)
