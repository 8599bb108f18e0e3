"""Stages of what users' functions compute: by kernels where the functions are compiled, else by calls of Python.

Compiled are functions decorated by numba (`flexmbs.dynamics.written_laws`), and linear states; first-order states only
where a kernel reads all their sensors. The items keep their order, whichever way they are evaluated: states may read
what others hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, State
from flexmbs.core.errors import ModelError
from flexmbs.core.user_functions import refuse_writing
from flexmbs.dynamics.readings import Readings
from flexmbs.dynamics.stages import ENV, STATE, WEIGHTS, Stage, in_python
from flexmbs.dynamics.written_laws import compiled_law
from flexmbs.kernels import user_laws
from flexmbs.kernels.inertia import clear_wrenches
from flexmbs.kernels.linear_states import LinearLaw, linear_block, linear_rates
from flexmbs.kernels.sensing import read_sensors
from flexmbs.kernels.user_laws import ActuatorLaw, RowLaw, StateLaw, WrenchLaw
from flexmbs.model.control.first_order import LinearFunction, LinearJacobian
from flexmbs.model.forces.user_law import UserLaw
from flexmbs.system.python_items import HeldLaw, refuse_different

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.dynamics.stages import Pair

__all__ = ["Laws"]

NO_SIGNALS = np.zeros(0)
OF_STATES, OF_MARKERS = (np.zeros(1), np.zeros(1), 0.0), (np.zeros((1, 3)), np.zeros((1, 3, 3)), np.zeros((1, 6)), 0.0)
"""Arguments of the types that functions get."""
SAMPLE_STATE, SAMPLE_ENV = State(*(np.zeros(1),) * 4), Env(0.0, np.zeros(1))


class Laws:
    """All of one `Dynamics`.

    Attributes
    ----------
    states : tuple of pairs of stages
        First-order states and what they hold.
    blocks : tuple of pairs of stages
        Their blocks, and those of forces of users.
    users, rows : tuples of pairs of stages
        Forces of users; forces on rows.
    readings : list of Readings
        Sensors of first-order states whose angles count turns.
    in_python : str
        The first item that is evaluated in Python; empty if there is none.
    """

    def __init__(self, dyn: Dynamics) -> None:
        self.python = dyn.python
        self.readings: list[Readings] = []
        self.in_python = ""
        self._checks: list[Callable[[Any], None]] = []
        m = dyn.mechanics
        self._owners = m.force_owners
        names = tuple(a.name for a in m.actuators)
        states, blocks, users, rows = list[Any](), list[Any](), list[Any](), list[Any]()
        for k in self.python.order:
            own, block = self._states(dyn, k, names)
            states += own
            blocks.append(block)
        if self.python.users:
            clear = Stage("forces of users", clear_wrenches, (self.python.applied,))
            users.append((clear, clear))
        for k in range(len(self.python.users)):
            pair, block = self._user(dyn, k)
            users.append(pair)
            blocks.append(block)
        rows = [self._row(dyn, k) for k in range(len(self.python.functions))]
        if self.python.wrenches:
            self._left(f"the actuator {m.actuators[self.python.wrenches[0][0]].name!r} is computed in Python")
        self.states: tuple[Pair, ...] = tuple(states)
        self.blocks: tuple[Pair, ...] = tuple(blocks)
        self.users: tuple[Pair, ...] = tuple(users)
        self.rows: tuple[Pair, ...] = tuple(rows)

    def refuse_what_differs(self, state: Any) -> None:
        """Refuse functions that give different values for the same arguments, at the state of a start.

        Newton's method calls them again and again, and does not settle on what remembers, or draws, something.
        """
        for check in self._checks:
            check(state)

    def _left(self, reason: str) -> None:
        self.in_python = self.in_python or reason

    # --- first-order states -------------------------------------------------------------------------------------------

    def _states(self, dyn: Dynamics, k: int, names: tuple[str, ...]) -> tuple[list[Pair], Pair]:
        """Pairs of stages of one item, and that of its block."""
        item, prescribed = dyn.python.states[k][0], dyn.prescribed
        readings = _readable(dyn, item, names)
        found = None if readings is None else self._compiled_states(dyn, k, readings)
        if found is None or readings is None:
            self._left(f"{item.name!r} has first-order states, whose rates are computed in Python")
            self._checks.append(lambda state: self.python.refuse_states_that_differ(k, state))
            rates = in_python(item.name, self.python.rates(k))
            return [(rates, rates)], (None, in_python(item.name, self.python.rates_block(k)))
        if readings.turns:
            self.readings.append(readings)
        place = [
            Stage(item.name, kind.place_tangent if readings.tangent else kind.place, (g, STATE, ENV, readings.work))
            for kind, g in readings.markers.groups
        ]
        held = dyn.mechanics.held
        arguments = readings.group, STATE, held, NO_SIGNALS, readings.work, readings.u

        def refuse(bad: int) -> None:
            raise ModelError(
                f"FirstOrder {item.name!r}: its inputs at t = {prescribed.env.t:g}: sensor "
                f"{readings.sensors[bad].name!r} reads what is not a finite number."
            )

        read = Stage(item.name, read_sensors, arguments, refuse)
        rates, block = found
        before = (*place, read) if len(readings.u) else ()
        return [(stage, stage) for stage in (*before, rates)], (None, block)

    def _compiled_states(self, dyn: Dynamics, k: int, readings: Readings) -> tuple[Stage, Stage] | None:
        """The stages of rates and block of states whose functions are compiled, or linear."""
        (item, places), output, offset = dyn.python.states[k], dyn.python.outputs[k], dyn.mechanics.state_offsets[k]
        held, idle, n = dyn.mechanics.held, dyn.python.idle, len(places)
        where, first = np.array(places, dtype=np.int64), int(output.start)
        linear = _linear(item)
        if linear is not None:
            A, B, C, D = linear
            law = LinearLaw(where, A, B, C, D, readings.u, first, offset, idle)
            return (
                Stage(item.name, linear_rates, (law, STATE, held, dyn.r)),
                Stage(item.name, linear_block, (law, dyn.B, WEIGHTS)),
            )
        n_u, n_y, zeros = len(readings.u), len(item.actuators), np.zeros
        own = StateLaw(
            where, zeros(n), zeros(n_u), zeros(n), zeros(n_y), zeros((n, n)), readings.u, first, offset, idle
        )
        functions = {"function": item.rates}
        if item.output is not None and n_y:
            functions["output"] = item.output
        owner, rest = f"FirstOrder {item.name!r}", (SAMPLE_STATE, SAMPLE_ENV)
        template: Any = user_laws.state_rates if len(functions) == 1 else user_laws.state_rates_output
        rates = compiled_law(owner, template, (own, *rest, held, dyn.r), OF_STATES, functions)
        if rates is None:
            return None
        given = item.jacobian is not None
        template = user_laws.state_block_given if given else user_laws.state_block
        function = {"jacobian": item.jacobian} if given else {"function": item.rates}
        block = compiled_law(owner, template, (own, *rest, dyn.B, (0.0, 0.0)), OF_STATES, function)
        if block is None:
            return None
        prescribed = dyn.prescribed

        def failed(error: Exception | None) -> NoReturn:
            x, u, t = own.x.copy(), readings.u.copy(), prescribed.env.t
            with_them = f" It was called with x = {_shown(x)}, u = {_shown(u)}."
            try:
                for what in ("rates", "output", "jacobian"):
                    if getattr(item, what) is not None:
                        refuse_writing(f"{owner}: {what} at t = {t:g}", getattr(item, what), x, u, t)
                item.rates_at(x, u, t)
                item.output_at(x, u, t)
                item.jacobian_at(x, u, t)
            except ModelError as found:
                raise ModelError(f"{found}{with_them}") from error
            raise _unknown(f"{owner}: its functions at t = {t:g}", error, with_them)

        def check(state: Any) -> None:
            seen = State(state.q, state.v, state.a, state.lam)
            values = []
            for _ in range(2):
                r, y = np.zeros(len(dyn_r)), held.copy()
                bad = rates(own, seen, prescribed.env, y, r)
                if bad >= 0:
                    failed(None)
                values.append((-r[where], y[output]))
            for what, (a, b) in zip(("rates", "outputs"), zip(*values, strict=True), strict=True):
                refuse_different(f"{owner}: its {what}", a, b, prescribed.env.t)

        dyn_r = dyn.r
        self._checks.append(_guarded(check, failed))
        arguments = own, STATE, ENV
        return (
            Stage(item.name, rates, (*arguments, held, dyn.r), _refused(failed), failed=failed),
            Stage(item.name, block, (*arguments, dyn.B, WEIGHTS), _refused(failed), failed=failed),
        )

    # --- forces -------------------------------------------------------------------------------------------------------

    def _row(self, dyn: Dynamics, k: int) -> Pair:
        """The stages of a force on a row, or of an actuator, that is a function."""
        m, prescribed, markers = dyn.mechanics, dyn.prescribed, dyn.markers
        row, n, law = dyn.python.functions[k]
        name = m.force_owners[n].name
        samples: tuple[Any, ...] = m.forces, markers, SAMPLE_ENV
        arguments: tuple[Any, ...] = m.forces, markers, ENV
        own: Any = None
        kernel = None
        if isinstance(law, UserLaw):
            own, functions = RowLaw(n, row, law.sign, law.size), dict[str, Any](function=law.function)
            if law.derivatives is not None:
                functions["derivatives"] = law.derivatives
            template = user_laws.row_law if law.derivatives is None else user_laws.row_law_given
            kernel = compiled_law(law.owner, template, (own, *samples, True), (0.0,) * 3, functions)
        elif isinstance(law, HeldLaw) and getattr(law.actuator, "law", None) is not None:
            low, high = getattr(law.actuator, "limits", None) or (-np.inf, np.inf)
            own = ActuatorLaw(n, row, law.number, float(low), float(high), law.size)
            samples, arguments = (*samples, m.held), (*arguments, m.held)
            owner = f"{type(law.actuator).__name__} {name!r}"
            functions = {"function": law.actuator.law}
            kernel = compiled_law(owner, user_laws.actuator_law, (own, *samples, True), (0.0,) * 4, functions)
        if kernel is None:
            self._left(f"the law of {name!r} is computed in Python")
            self._checks.append(lambda state: self.python.refuse_law_that_differs(k))
            stage = in_python(name, self.python.law(k))
            return stage, stage

        def failed(error: Exception | None) -> NoReturn:
            s, rate, t = float(markers.S[24, 0]), float(markers.S[25, 0]), prescribed.env.t
            try:
                law(s, rate, t)
            except ModelError as found:
                raise found from error
            raise _unknown(f"{name!r}: its law of ({s:g}, {rate:g}, {t:g})", error)

        forces, held = m.forces, m.held

        def check(state: Any) -> None:
            values = []
            for _ in range(2):
                more = (held,) if own.__class__ is ActuatorLaw else ()
                if kernel(own, forces, markers, prescribed.env, *more, True) >= 0:
                    failed(None)
                values.append(forces.given[row].copy())
            refuse_different(f"{name!r}: its force", values[0], values[1], prescribed.env.t)

        self._checks.append(_guarded(check, failed))
        pair = tuple(
            Stage(name, kernel, (own, *arguments, wanted), _refused(failed), failed=failed) for wanted in (False, True)
        )
        return pair[0], pair[1]

    def _user(self, dyn: Dynamics, k: int) -> tuple[Pair, Pair]:
        """The stages of a force on markers that is a function, and of its block."""
        force, numbers, offset = dyn.python.users[k], dyn.python.numbers[k], dyn.mechanics.user_offsets[k]
        markers, prescribed, applied = dyn.markers, dyn.prescribed, dyn.python.applied
        n, ptr, zeros = len(numbers), dyn.mechanics.markers.ptr, np.zeros
        sizes = [int(ptr[i + 1] - ptr[i]) for i in numbers]
        own = WrenchLaw(
            np.array(numbers, dtype=np.int64), offset, zeros((n, 3)), zeros((n, 3, 3)), zeros((n, 6)), zeros((n, 6)),
            zeros((n, 6)), zeros((6 * n, 6 * n)), zeros((6 * n, 6 * n)), ptr,
            np.cumsum([0, *sizes[:-1]]).astype(np.int64), sum(sizes), dyn.system.reach, zeros(4),
        )  # fmt: skip
        owner, kernel, block = f"UserForce {force.name!r}", None, None
        if hasattr(force, "function"):
            kernel = compiled_law(
                owner, user_laws.wrench_law, (own, markers, SAMPLE_ENV, applied), OF_MARKERS,
                {"function": force.function},
            )  # fmt: skip
        if kernel is not None:
            given = force.jacobian is not None
            template = user_laws.wrench_block_given if given else user_laws.wrench_block
            function = {"jacobian": force.jacobian} if given else {"function": force.function}
            block = compiled_law(owner, template, (own, markers, SAMPLE_ENV, (0.0, 0.0)), OF_MARKERS, function)
        if kernel is None or block is None:
            self._left(f"the force {force.name!r} is computed in Python")
            self._checks.append(lambda state: self.python.refuse_user_that_differs(k))
            stage = in_python(force.name, self.python.user(k))
            return (stage, stage), (None, in_python(force.name, self.python.user_block(k)))

        def failed(error: Exception | None) -> NoReturn:
            i, t, size = own.markers, prescribed.env.t, 6 * n
            p, R, twist = markers.p[i], markers.R[i], markers.twist[i]
            with_them = f" It was called with p = {_shown(p)}, twist = {_shown(twist)}."
            try:
                for what in ("function", "jacobian"):
                    if getattr(force, what) is not None:
                        refuse_writing(f"{owner}: {what} at t = {t:g}", getattr(force, what), p, R, twist, t)
                force.evaluate(p, R, twist, t, np.zeros((n, 6)))
                force.differentiate(p, R, twist, t, np.zeros((size, size)), np.zeros((size, size)))
            except ModelError as found:
                raise ModelError(f"{found}{with_them}") from error
            raise _unknown(f"{owner}: its function at t = {t:g}", error, with_them)

        def check(state: Any) -> None:
            values = []
            for _ in range(2):
                W = np.zeros_like(applied)
                kept = markers.W.copy()
                bad = kernel(own, markers, prescribed.env, W)
                markers.W[:] = kept
                if bad >= 0:
                    failed(None)
                values.append(W[numbers])
            refuse_different(f"force {force.name!r}: its wrenches", values[0], values[1], prescribed.env.t)
            if getattr(force, "lost", ()):  # which it tells of itself
                at = own.markers
                force.evaluate(markers.p[at], markers.R[at], markers.twist[at], prescribed.env.t, np.zeros((n, 6)))

        self._checks.append(_guarded(check, failed))
        stage = Stage(force.name, kernel, (own, markers, ENV, applied), _refused(failed), failed=failed)
        differentiated = Stage(force.name, block, (own, markers, ENV, WEIGHTS), _refused(failed), failed=failed)
        return (stage, stage), (None, differentiated)


def _readable(dyn: Dynamics, item: Any, names: tuple[str, ...]) -> Readings | None:
    """The sensors of first-order states as tables, if a kernel can read them all at any time."""
    found = Readings(dyn.system, item.inputs, names, 0)
    if any(sensor not in found.where for sensor in item.inputs) or found.errors:
        return None
    if any(kind.rebase is not None for kind, _ in found.markers.groups):  # frames that are based anew as they turn
        return None
    if len(found.u) != sum(sensor.size for sensor in item.inputs):  # one of them twice
        return None
    return found


def _linear(item: Any) -> tuple[FloatArray, ...] | None:
    """The matrices A, B, C, D of linear states; None of others."""
    rates, output, n, n_y = item.rates, item.output, item.size, len(item.actuators)
    if type(rates) is not LinearFunction or not (item.jacobian is None or type(item.jacobian) is LinearJacobian):
        return None
    if not n_y:
        C, D = np.zeros((0, n)), np.zeros((0, np.shape(rates.B)[1]))
    elif output is None:
        C, D = np.eye(n)[:n_y], np.zeros((n_y, np.shape(rates.B)[1]))
    elif type(output) is LinearFunction:
        C, D = np.asarray(output.A), np.asarray(output.B)
    else:
        return None
    return tuple(np.array(part, dtype=np.float64, order="C") for part in (rates.A, rates.B, C, D))


def _refused(failed: Callable[[Exception | None], NoReturn]) -> Callable[[int], None]:
    def refuse(bad: int) -> None:
        failed(None)

    return refuse


def _guarded(check: Callable[[Any], None], failed: Callable[[Exception | None], NoReturn]) -> Callable[[Any], None]:
    def checked(state: Any) -> None:
        try:
            check(state)
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a user's function raises
            failed(error)

    return checked


def _unknown(what: str, error: Exception | None, more: str = "") -> ModelError:
    how = "gives what is not finite, or not of the right shape" if error is None else f"{type(error).__name__}: {error}"
    return ModelError(f"{what} {'' if error is None else 'failed with '}{how}.{more}")


def _shown(values: FloatArray) -> str:
    with np.printoptions(legacy=False):  # whatever other libraries have set
        return np.array2string(values, precision=6, threshold=24, separator=", ").replace("\n", "")
