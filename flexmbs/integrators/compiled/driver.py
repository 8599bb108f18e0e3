"""A step driver: the steps of one run of one scheme, made by its generated module."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.written_modules import Module
from flexmbs.dynamics.bristles import BristleRows
from flexmbs.dynamics.energies import LossesOfTerms, VaryingWeights
from flexmbs.dynamics.gaps import GapRows
from flexmbs.integrators.compiled.addresses import address
from flexmbs.integrators.compiled.control import ControlMemory, SamplePlan
from flexmbs.integrators.compiled.made_steps import Steps
from flexmbs.integrators.compiled.step_arrays import (
    COUNTS,
    EVALUATIONS,
    FACTORISATIONS,
    FAILED,
    HAPPENS,
    MADE,
    REJECTED,
    Numbers,
    Sizes,
    StepArrays,
)
from flexmbs.integrators.compiled.text import Prevented, Text
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.step_control import SizeLimits
from flexmbs.kernels.nodal_loads import NodalLoads

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.compiled.form import Form

__all__ = ["Driver", "hindrance"]

MOST_STEPS, MOST_NUMBERS = 500, 1_000_000
"""Steps of a call at most, and numbers in the states that it may keep."""
PAUSE = 256
"""Steps left to Python, at most, before a call is tried again after calls that made none."""
GIVEN = ("given", "motion", "scale")
NUMBERS_OF_A_CALL = Numbers._fields.index("pause") + 1
"""Their count; they stand before those of the run."""
CHUNK, POWERS, CONTROLLED = map(Sizes._fields.index, ("chunk", "powers", "controlled"))


def hindrance(dynamics: Dynamics, form: Form) -> str:
    """What of a system, before any text is written, prevents a driver; empty if nothing does."""
    m = dynamics.mechanics
    if dynamics.matrix.static is None:
        return "its matrix is not a narrow band (half width 48 at most, with a border of at most 64 unknowns)"
    found = form.hindrance()
    if found:
        return found
    for group in m.groups:
        reason = group.hindrance
        if reason:
            return reason
    return ""


NO_LIMITS = SizeLimits(np.inf, 0.0, np.inf, np.inf)


class Driver:
    """Makes steps of one scheme on one system, in the same arrays as `Dynamics`, and as `Dynamics` leaves them.

    ``pause``: steps that are to be left to Python, after one that failed here; ``kind``: of the module and the sizes of
    the system, on which it depends how long a step takes.
    """

    def __init__(self, dynamics: Dynamics, form: Form, tolerance: float) -> None:
        self.dynamics, self.form, self.tolerance = dynamics, form, tolerance
        dyn, static = dynamics, dynamics.matrix.static
        assert static is not None  # noqa: S101
        m = dyn.mechanics
        per_step = dyn.n_q + 3 * dyn.n_v + dyn.n_c
        self.most = max(1, min(MOST_STEPS, MOST_NUMBERS // per_step))
        n, k = self.most, len(dyn.mass)
        self._power = np.zeros((2 * n, len(m.forces.mA)))  # at ends, and where steps begin anew
        self._contact_power = np.zeros((2 * n, len(m.contacts.mA)))
        self._along_power = np.zeros((2 * n, len(m.distributed_owners)))
        self._wrenches, self._users = len(m.wrenches.mk) > 0, bool(dyn.python.users)
        self._wrench_power = np.zeros((2 * n if self._wrenches else 1, *dyn.markers.W.shape))
        self._user_power = np.zeros((2 * n if self._users else 1, *dyn.markers.W.shape))
        self._acting = len(m.forces.mA) + len(m.contacts.mA) + len(m.distributed_owners) > 0
        self._nodal, self._losses, self._weights = NodalLoads(dyn), LossesOfTerms(dyn), VaryingWeights(dyn)
        matrix = dyn.matrix
        first, second = matrix.cut
        slots = matrix.static_slots
        assert slots is not None  # noqa: S101
        self.varying = not dyn.prescribed.steady or bool(dyn.prescribed.moving)
        self._given = dyn.given[None], dyn.motion[None], dyn.prescribed.scale[None]
        self._rows = len(form.nodes)
        rows = n * self._rows if self.varying else 1
        self._tables = tuple(np.zeros((rows, *part.shape[1:])) for part in self._given)
        self.memory = None
        if dyn.control is not None:
            self.memory = ControlMemory(dyn.control, n, k, dyn.n_c, self._given, self.varying)
        told = self._power, self._contact_power, self._along_power
        self._gaps = GapRows.of(dyn, 2 * n)  # as powers are, at ends, and where steps begin anew
        self._bristles = BristleRows.of(dyn, 2 * n)
        self._turns = [np.zeros((2 * n, len(places))) for places in dyn.turns.places]  # as powers are
        text = Text(
            dyn, *told, self._wrench_power, self._user_power, self._gaps, self._bristles, self._turns, form, self.memory
        )  # fmt: skip
        take = text.addresses
        self._seen: FloatArray | None = None
        self.x = x = StepArrays(
            Q=np.zeros((n + 1, dyn.n_q)), V=np.zeros((n + 1, k)), A=np.zeros((n + 1, k)), AUX=np.zeros((n + 1, k)),
            LAM=np.zeros((n + 1, dyn.n_c)), v_old=np.zeros(k), times=np.zeros(n), ends=np.zeros(n),
            sizes=np.zeros(n), planned=np.zeros(1), given=self._given[0],
            motion=self._given[1], scale=self._given[2], errors=np.zeros(n), iterations=np.zeros(n, dtype=np.int64),
            counts=np.zeros(len(COUNTS), dtype=np.int64), mass=dyn.mass, body_of=dyn.body_of, body_sizes=dyn.body_sizes,
            angles=dyn.angles_of_bodies, velocity_rows=dyn.velocity_rows, equation_sizes=dyn.equation_sizes,
            order=dyn.system.free, frame_dofs=dyn.frame_dofs, frames=dyn.frames, turned=dyn.system.turned_blocks,
            r=dyn.r, B=dyn.B, T=dyn.T, d=dyn.d, b=dyn.b, source=matrix.entries, slots=slots[:first],
            masses=matrix.mass, mass_slots=slots[first:second], compliance=np.zeros(dyn.n_c),
            equations=matrix.equations, diagonal=slots[second:], data=static.data, edge=static.edge, reach=static.reach,
            pivots=static.pivot_sizes, solution=static.solution, rate=np.zeros(dyn.n_c),
            sums=np.zeros(len(dyn.body_sizes)),
        )  # fmt: skip
        arrays: dict[str, str] = {}
        self._places = []
        try:
            for name, array in zip(x._fields, x, strict=True):
                if name in GIVEN:
                    self._places.append(take.size)
                arrays[name] = "None" if array is None else take.array(array)
        except ValueError as error:
            raise Prevented(f"the arrays of the system hold {error}") from None
        self._numbers = Numbers(0.0, 0.0, 0.0, 0.0, *NO_LIMITS, tolerance, form.exponent)
        self._sizes = Sizes(1, k, dyn.n_c, dyn.n_linear, 0, 0, 0, self._rows)
        self._first_number, self._first_size = take.counts
        numbers = {name: take.value(float(value)) for name, value in self._numbers._asdict().items()}
        sizes = {name: take.value(int(value)) for name, value in self._sizes._asdict().items()}
        table = {name: take.value(value) for name, value in form.table(n)._asdict().items()}
        fields = {"s": numbers, "c": sizes, "x": arrays, "z": table}
        for owner, more in form.further().items():
            fields[owner] = {name: take.value(value) for name, value in more._asdict().items()}
        if self.memory is not None:
            fields["y"] = {name: take.array(array) for name, array in self.memory.arrays._asdict().items()}
        written = text.write(fields, static.W)
        self.module = Module(written)
        self.kind = self.module.name, dyn.system.n, dyn.system.size
        self._at, self._whole, self._real = take.packed()
        self._kept = take.kept
        self._first_rows = x.Q[0], x.V[0], x.A[0], x.AUX[0], x.LAM[0], x.v_old
        self._given_at = tuple((address(part), len(part)) for part in self._given)
        self._tables_at = tuple((address(part), len(part)) for part in self._tables)
        self.pause = self._wait = self.failed = 0
        self._function: Any = None

    def step(self, state: StepState, h: float) -> StepResult | None:
        """One step; None leaves it to Python."""
        if self._pauses():
            return None
        x, t = self.x, state.t + h
        x.times[0] = x.ends[0] = t
        if self.memory is not None:
            self.memory.idle()
        given: tuple[FloatArray, ...] = self._given
        if self.varying and self._rows > 1:
            if self._fill(state.t, h, 1, None) == 0:
                return None
            given = self._tables
        else:
            self.dynamics.set_time(t)
        if self._run(state, h, 1, 0.0, given, False, False) == 0:
            return None
        error, iterations, form = float(x.errors[0]), int(x.iterations[0]), self.form
        new = StepState(
            t, x.Q[1].copy(), x.V[1].copy(), x.A[1].copy(), x.AUX[1].copy(), x.LAM[1].copy(), state.v, h,
            form.memory(x, 1),
        )  # fmt: skip
        return StepResult(new, error, iterations, StepStatus.DONE, exponent=form.exponent, factor=form.factor())

    def advance(
        self, state: StepState, h: float, ends: FloatArray, error_before: float, powers: bool,
        plan: SamplePlan | None = None,
    ) -> Steps | None:  # fmt: skip
        """Steps that end at ``ends``, as many as `FixedStep` accepts one after the other; None if the first fails.

        ``powers``: tell the powers of prescribed motions, forces and loads. Turns are counted. ``plan``: the samples
        among these ends.
        """
        if self._pauses() or not self.form.several(state, h, plan is not None and bool(plan.anew)):
            return None
        dyn, x = self.dynamics, self.x
        n = min(len(ends), self.most)
        times = x.times
        times[0], times[1:n] = state.t + h, ends[: n - 1] + h
        x.ends[:n] = ends[:n]
        given: tuple[FloatArray, ...] = self._given
        if self.memory is not None:
            starts = self.memory.arrays.starts
            starts[0], starts[1:n] = state.t, ends[: n - 1]
            if plan is None:
                self.memory.idle()
            else:
                self.memory.take(plan, n)
        if self.varying:
            given = self._tables
            n = self._fill(state.t, h, n, plan)
            if n == 0:
                return None
        else:
            dyn.set_time(float(times[0]))
        n = self._run(state, h, n, error_before, given, True, powers)
        return self._made(ends[:n], np.full(n, h), state, powers)

    def advance_controlled(
        self, state: StepState, planned: float, limits: SizeLimits, most: int, error_before: float, powers: bool
    ) -> Steps | None:  # fmt: skip
        """Up to ``most`` steps of sizes that step control chooses, the first ``planned``; None if the first fails."""
        if self._pauses():
            return None
        x = self.x
        if self.memory is not None:
            self.memory.idle()
        self.dynamics.set_time(state.t + planned)
        n = self._run(state, planned, min(most, self.most), error_before, self._given, True, powers, limits)
        return self._made(x.ends[:n].copy(), x.sizes[:n].copy(), state, powers)

    def _pauses(self) -> bool:
        """Whether this call is left to Python, after some that failed; before anything is evaluated for it."""
        if self.pause == 0:
            return False
        self.pause -= 1
        return True

    def _made(self, ends: FloatArray, sizes: FloatArray, first: StepState, powers: bool) -> Steps | None:
        """The steps of a call, at whose end loads and motions are left; None if there are none."""
        n, x = len(ends), self.x
        if n == 0:
            return None
        self.dynamics.set_time(float(x.times[n - 1]))
        return Steps(
            ends, sizes, x.errors[:n].copy(), x.iterations[:n].copy(), first, x, self._powers(n) if powers else None,
            float(x.planned[0]), int(x.counts[REJECTED]), self.memory, self._powers_anew(n) if powers else {},
            self._gaps.first(n), self._bristles.first(n), [rows[:n] for rows in self._turns], self.form,
        )  # fmt: skip

    @property
    def happens(self) -> bool:
        """Whether the last call ended before a step in which an event may happen."""
        return bool(self.x.counts[HAPPENS])

    def _fill(self, t: float, h: float, n: int, plan: SamplePlan | None) -> int:
        """Loads and motions of n steps from t on into the tables; of how many steps they could be evaluated.

        A function that fails must do so in the step that needs it: the steps before are kept, and may end the run.
        """
        for i in range(n):
            begin = float(self.x.ends[i - 1]) if i else t
            try:
                if plan is not None and (plan.sampled[i - 1] if i else plan.anew):  # the step may begin anew
                    assert self.memory is not None  # noqa: S101
                    y = self.memory.arrays
                    self.dynamics.set_time(float(y.starts[i]))
                    for table, now in zip((y.given, y.motion, y.scale), self._given, strict=True):
                        table[i] = now[0]
                for k, node in enumerate(self.form.nodes):
                    self.dynamics.set_time(begin + node * h)
                    for table, now in zip(self._tables, self._given, strict=True):
                        table[i * self._rows + k] = now[0]
            except Exception:  # noqa: BLE001  # of whatever kind, the single step raises it again
                self.dynamics.prescribed.changed = True  # what is half set is set anew
                return i
        return n

    def _run(
        self, state: StepState, h: float, n: int, error_before: float, given: tuple[FloatArray, ...], chunk: bool,
        powers: bool, limits: SizeLimits | None = None,
    ) -> int:  # fmt: skip
        """Up to n steps from a state into the rows of the arrays; how many were made.

        With ``limits`` their sizes are chosen, the first by ``h``.
        """
        dyn, x = self.dynamics, self.x
        if not self.form.ready():
            return 0
        if self._function is None:
            self._function = self.module.function()
        if dyn.multiplier_compliance is not self._seen:
            self._seen = dyn.multiplier_compliance
            x.compliance[:] = self._seen
        parts = state.q, state.v, state.a, state.aux, state.lam, state.v_old
        for row, part in zip(self._first_rows, parts, strict=True):
            row[:] = part
        self.form.begin(state, h)
        at, real, whole, i, k = self._at, self._real, self._whole, self._first_number, self._first_size
        addresses = self._tables_at if given is self._tables else self._given_at
        for place, (begin, rows) in zip(self._places, addresses, strict=True):
            at[place], at[place + 1] = begin, rows
        real[i : i + NUMBERS_OF_A_CALL] = h, state.h_old, error_before, state.t, *(limits or NO_LIMITS)
        whole[k], whole[k + CHUNK], whole[k + POWERS], whole[k + CONTROLLED] = n, chunk, powers, limits is not None
        x.counts[:] = 0
        if dyn.watched is not None:
            dyn.watched.forget()
        began = perf_counter()
        try:
            made = int(self._function(at, whole, real))
        except Exception:  # noqa: BLE001  # whatever a user's function raises, it raises again in the single step
            made, x.counts[FAILED] = int(x.counts[MADE]), 1
        self.form.ended(x, made)
        dyn.python_stages.tell()
        if dyn.mass_changes:
            dyn.moving_mass.moved(x.Q[made])
        dyn.seconds["compiled"] = dyn.seconds.get("compiled", 0.0) + perf_counter() - began
        if made > 0:  # else the loop in Python makes all attempts again, and counts them
            dyn.evaluations += int(x.counts[EVALUATIONS])
            dyn.factorisations += int(x.counts[FACTORISATIONS])
            dyn.matrix.pivoting = False
            dyn.compiled_steps += made
            self.form.made(x, made)
        if not x.counts[FAILED]:
            self._wait = 0
        else:
            self.failed += made == 0
            self._wait = 0 if made > 0 else min(max(1, 2 * self._wait), PAUSE)
            self.pause = self._wait
        return made

    def _powers(self, n: int) -> FloatArray | None:
        """Power (n, 3) of prescribed motions, forces between markers, and loads, as `Energies.powers`; None if zero."""
        if not (self.varying or self._acting or self._wrenches or self._users or self._nodal or self._losses):
            return None
        steps = np.arange(n)
        rows = (steps + 1) * self._rows - 1 if self.varying else np.zeros_like(steps)
        return self._powers_of(
            steps, steps + 1, rows, self.x.LAM[1 : n + 1], self._tables if self.varying else self._given
        )

    def _powers_anew(self, n: int) -> dict[int, FloatArray]:
        """The same (3,) at the beginning of the steps that began anew, by their number."""
        if self.memory is None:
            return {}
        y = self.memory.arrays
        steps = np.flatnonzero(y.renewed[:n])
        rows = steps if self.varying else np.zeros_like(steps)
        powers = self._powers_of(self.most + steps, steps, rows, y.LAM0[steps], (y.given, y.motion, y.scale))
        return dict(zip(steps.tolist(), powers, strict=True))

    def _powers_of(
        self, numbers: IntArray, states: IntArray, rows: IntArray, lam: FloatArray, tables: tuple[FloatArray, ...]
    ) -> FloatArray:  # fmt: skip
        """Powers (n, 3) at states with their multipliers, from what was told under numbers and given in rows."""
        dyn, x, (given, motion, scale) = self.dynamics, self.x, tables
        n = len(numbers)
        out = np.zeros((n, 3))
        motions, springs, loads = out.T
        motions[:] = -0.0
        if dyn.prescribed.moving or motion[rows, :, 1].any():
            motions[:] = [-float(a @ b[:, 1]) for a, b in zip(lam, motion[rows], strict=True)]
        if not dyn.prescribed.steady:
            dead, n_v = dyn.prescribed.steady_loads, dyn.n_v
            loads[:] = [float((dead - a[:n_v]) @ v) for a, v in zip(given[rows], x.V[states], strict=True)]
        for source in (self._weights, self._nodal):
            if source:
                of_states = zip(x.Q[states], x.V[states], scale[rows], strict=True)
                loads += [source.power(q, v, factors) for q, v, factors in of_states]
        if self._losses:
            springs += [self._losses.power(q, v) for q, v in zip(x.Q[states], x.V[states], strict=True)]
        for told, exists in ((self._wrench_power, self._wrenches), (self._user_power, self._users)):
            if exists:
                loads -= told[numbers].reshape(n, 6 * told.shape[1]).sum(axis=1)
        if self._acting:
            for part in (self._power, self._contact_power, self._along_power):
                springs += part[numbers].sum(axis=1)
            if dyn.mechanics.of_actuators.any():
                of_actuators = (self._power[numbers] * dyn.mechanics.of_actuators).sum(axis=1)
                springs -= of_actuators
                loads += of_actuators
        return out
