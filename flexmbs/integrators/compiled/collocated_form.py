"""What a driver of compiled steps is told of Radau IIA, and what goes to and fro between its arrays and states."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.integrators.collocation import NODES
from flexmbs.integrators.compiled import collocated_step
from flexmbs.integrators.compiled.collocated_step import KEPT, KNOWN, REMEMBERED, CollocatedTable
from flexmbs.integrators.compiled.form import Form
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.radau_dense import CollocationInterpolant
from flexmbs.integrators.radau_memory import RadauMemory
from flexmbs.integrators.radau_newton import STATES
from flexmbs.integrators.radau_stages import EXPONENT, FOREMOST
from flexmbs.system.system import EvaluationError

if TYPE_CHECKING:
    from types import ModuleType

    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.integrators.compiled.step_arrays import StepArrays
    from flexmbs.integrators.radau import Collocating

__all__ = ["CollocatedForm"]


class CollocatedForm(Form):
    """Steps of `RadauIIA`."""

    module: ClassVar[ModuleType] = collocated_step
    exponent, between = EXPONENT, CollocationInterpolant
    nodes = (0.0, FOREMOST, *NODES.tolist())
    written = ("residual", "tangent", "rates")

    def __init__(self, stepper: Collocating) -> None:
        self.stepper = stepper

    def hindrance(self) -> str:
        return ""

    def table(self, most: int) -> CollocatedTable:
        stepper, matrix, dyn, rows = self.stepper, self.stepper.matrix, self.stepper.dynamics, most + 1
        n_q, n_v, n_c = dyn.n_q, dyn.n_v, dyn.n_c
        n = n_v + n_c

        def flag() -> IntArray:
            return np.zeros(1, dtype=np.int64)

        self._table = CollocatedTable(
            limit=stepper.limit, rtol=max(STATES, stepper.limit), tolerated=stepper.tolerance, most=stepper.most,
            states=dyn.states, resolutions=dyn.system.state_resolutions, velocity_sizes=dyn.velocity_sizes,
            mass_ends=dyn.mass_rows[0], mass_columns=dyn.mass_rows[1], mass_values=dyn.mass_rows[2],
            kinds=matrix.kinds, rows=matrix.rows, columns=matrix.columns, powers=matrix.powers, both=matrix.both,
            combined=matrix.combined, re=matrix.re, im=matrix.im, sizes=matrix.sizes,
            part_re=matrix.part_re, part_im=matrix.part_im,
            there=matrix.there,
            made_for=matrix.made_for, at_t=matrix.t, at_q=matrix.q, at_v=matrix.v, at_a=matrix.a, at_lam=matrix.lam,
            softer=np.zeros(n_c), compliant=flag(), linearised=flag(), tried=flag(), found=flag(),
            found_for=np.zeros(1), remembered=np.zeros((rows, len(REMEMBERED))), theta_before=np.zeros((rows, 2, n_v)),
            v_before=np.zeros((rows, 2, n_v)), a_before=np.zeros((rows, 2, n_v)), lam_before=np.zeros((rows, 2, n_c)),
            kept_t=np.zeros(rows), kept_q=np.zeros((rows, n_q)), kept_v=np.zeros((rows, n_v)),
            kept_a=np.zeros((rows, n_v)), kept_lam=np.zeros((rows, n_c)), aim_q=np.zeros(n_q), aim_v=np.zeros(n_v),
            aim_a=np.zeros(n_v), aim_lam=np.zeros(n_c), V=np.zeros((3, n_v)), Y=np.zeros((3, n_v)),
            theta=np.zeros((3, n_v)), a=np.zeros((3, n_v)), v=np.zeros((3, n_v)), change=np.zeros((3, n_v)),
            r=np.zeros((3, n_v)), lam=np.zeros((3, n_c)), gap=np.zeros((3, n_c)), rate=np.zeros((3, n_c)),
            left=np.zeros((3, n_c)), x=np.zeros(dyn.system.n), y=np.zeros(dyn.system.n), d_re=np.zeros(n),
            d_im=np.zeros(n), right_re=np.zeros(n), right_im=np.zeros(n), slope=np.zeros(n_v), second=np.zeros(n_v),
            momentum=np.zeros(n_v), way=np.zeros(n_v), still=np.zeros(n_v), end=np.zeros(n_v), gaps=np.zeros(n_c),
            factor=np.zeros(1),
        )  # fmt: skip
        return self._table

    def several(self, state: StepState, h: float, anew: bool) -> bool:
        """Not behind a jump: Python finds the accelerations there."""
        return not anew

    def begin(self, state: StepState, h: float) -> None:
        z, memory, matrix, dyn = self._table, RadauMemory.of(state), self.stepper.matrix, self.stepper.dynamics
        z.softer[:], z.compliant[0] = matrix.compliance, dyn.compliant
        z.tried[0], z.linearised[0] = -1, 0
        z.remembered[0] = 0.0
        self._first = state
        if memory is not None:
            at = memory.kept_at
            z.remembered[0] = 1.0, float(at is not None), memory.h, memory.error, memory.proposed
            z.v_before[0], z.lam_before[0] = memory.v, memory.lam
            if at is not None:
                z.kept_t[0], z.kept_q[0], z.kept_v[0], z.kept_a[0], z.kept_lam[0] = at.t, at.q, at.v, at.a, at.lam
                self._go_to(at)
        self._stood_for = matrix.stands_for
        matrix.made_for[0] = self._stood_for if matrix.in_band else math.nan

    def _go_to(self, at: StepState) -> None:
        """The Jacobian kept: loads and motions of its time are not among those of the call."""
        matrix, dyn = self.stepper.matrix, self.stepper.dynamics
        if not matrix.is_at(at):
            t = dyn.env.t
            with contextlib.suppress(EvaluationError):
                matrix.linearise(at)
            dyn.set_time(t)

    def made(self, x: StepArrays, n: int) -> None:
        self.stepper.matrix.made_in_band()

    def ended(self, x: StepArrays, made: int) -> None:
        z, matrix = self._table, self.stepper.matrix
        matrix.jacobians += int(z.linearised[0])
        row = int(z.tried[0])
        if row < 0:
            matrix.made_for[0] = self._stood_for
        if row != made:
            return
        before, h = None, float(z.found_for[0])
        if row == 0 and math.isnan(h):
            h = self._stood_for
        if z.found[0] and z.remembered[row, KEPT]:
            before = self._kept(row)
        elif z.found[0] and not z.remembered[row, KNOWN]:
            before = self._first
        matrix.overwritten(before, h)

    def _kept(self, row: int) -> StepState:
        """Where the Jacobian kept with the state in a row was made."""
        z = self._table
        a, v = z.kept_a[row].copy(), z.kept_v[row].copy()
        return StepState(float(z.kept_t[row]), z.kept_q[row].copy(), v, a, a, z.kept_lam[row].copy(), v, 0.0)

    def memory(self, x: StepArrays, row: int) -> FloatArray:
        z = self._table
        _, kept, h, error, proposed = z.remembered[row].tolist()
        at = self._kept(row) if kept else None
        stages = z.theta_before[row], z.v_before[row], z.a_before[row], z.lam_before[row]
        return RadauMemory(h, error, proposed, *stages, at).pack(x.Q[row], x.V[row], x.LAM[row])

    def factor(self) -> float | None:
        return float(self._table.factor[0])
