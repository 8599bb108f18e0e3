"""Forces and states whose laws are Python functions: evaluated outside of the kernels, into their arrays.

Derivatives by the mechanical coordinates of what first-order states read and drive are left out of the iteration
matrix: they change slowly over a step, and only the speed of the iteration depends on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.core.errors import ModelError
from flexmbs.core.user_calls import of_the_package
from flexmbs.kernels.held import HeldGroup
from flexmbs.kernels.row_forces import measure
from flexmbs.model.control.evaluation_order import evaluation_order
from flexmbs.model.forces.user_law import size_of
from flexmbs.system.view import Viewer

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["HeldLaw", "PythonItems", "held_group", "is_held", "refuse_different"]


Evaluate = Callable[[State, Env, tuple[float, float]], None]
"""A stage at a state, with the weights of derivatives where it has a block."""
NONE_HELD = HeldGroup(*np.zeros((3, 0), dtype=np.int64), *np.zeros((2, 0)))
"""The table of a model without actuators."""


class HeldLaw:
    """The law of an actuator with the value that is held for it."""

    def __init__(
        self, actuator: Any, held: FloatArray, number: int, unit: str = "angle", size: float = 1.0
    ) -> None:  # fmt: skip
        self.actuator, self.held, self.number, self.unit, self.size = actuator, held, number, unit, size

    def holding(self, held: FloatArray) -> HeldLaw:
        """The same law with the values of another run."""
        return HeldLaw(self.actuator, held, self.number, self.unit, self.size)

    def of_unit(self, unit: str) -> HeldLaw:
        """The same of a coordinate of this unit."""
        return HeldLaw(self.actuator, self.held, self.number, unit, self.size)

    def in_model(self, length: float) -> HeldLaw:
        """The same in a model of a length."""
        return HeldLaw(self.actuator, self.held, self.number, self.unit, size_of(self.unit, length))

    def __call__(self, s: float, rate: float, t: float) -> tuple[float, float, float, float]:
        value = float(self.held[self.number])
        found: tuple[float, float, float, float] = self.actuator.given(value, s, rate, t, self.size)
        return found


def is_held(actuator: Any) -> bool:
    """Whether the force of an actuator depends on its held value alone, up to limits."""
    return of_the_package(actuator) and getattr(actuator, "range", None) is not None


def held_group(m: Any) -> HeldGroup:
    """All such actuators of a model."""
    if not m.actuators:
        return NONE_HELD
    places = dict(m.actuator_wrenches)
    rows = {f.number: i for i, (_, f) in enumerate(m.given) if isinstance(f, HeldLaw)}
    numbers = [i for i, a in enumerate(m.actuators) if is_held(a) and (i in rows or i in places)]
    low, high = np.array([m.actuators[i].range for i in numbers], dtype=np.float64).reshape(-1, 2).T
    return HeldGroup(
        np.array(numbers, dtype=np.int64), np.array([rows.get(i, -1) for i in numbers], dtype=np.int64),
        np.array([places.get(i, -1) for i in numbers], dtype=np.int64), low.copy(), high.copy(),
    )  # fmt: skip


class PythonItems:
    """All of them, for one `Dynamics`; ``seconds`` counts the time spent in the functions.

    ``order``: numbers of the first-order states as they are evaluated, those that hold a value before who reads it;
    ``applied (n_m, 6)``: wrenches of user forces, as they entered ``W`` last; ``idle (1,)``: 1 while held values are
    left as they are and no state is evaluated, for derivatives by them; ``held``: actuators that are no functions of
    anything but their value, whose forces are a stage of their own; ``functions``: the forces on rows that are left,
    with their rows of ``given`` and their numbers; ``wrenches``: likewise actuators, with their load factors.

    Items whose functions are compiled (`flexmbs.dynamics.laws`) are among them, and are not evaluated here.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        m = dynamics.mechanics
        assert m is not None  # noqa: S101
        self.mechanics, self.markers, self.prescribed = m, dynamics.markers, dynamics.prescribed
        users = [f for f in dynamics.system.model.forces if hasattr(f, "differentiate")]
        self.users = [f.in_model(dynamics.system.reach) if hasattr(f, "in_model") else f for f in users]
        self.numbers = [np.array([m.markers.number[k] for k in f.markers]) for f in self.users]
        self.states = [(s, dynamics.coordinates.state_places(s)) for s in dynamics.system.model.states]
        first = len(m.actuators) - sum(len(s.actuators) for s, _ in self.states)
        self.outputs: list[slice] = []
        for s, _ in self.states:
            self.outputs.append(slice(first, first + len(s.actuators)))
            first += len(s.actuators)
        self.order = evaluation_order([s for s, _ in self.states])
        self.viewer: Viewer = Viewer(dynamics.system)
        self.viewer.held, self.viewer.held_names = m.held, tuple(a.name for a in m.actuators)
        self.held = held_group(m)
        self.functions = [
            (i, n, f.in_model(dynamics.system.reach) if hasattr(f, "in_model") else f)
            for i, (n, f) in enumerate(m.given)
            if not (isinstance(f, HeldLaw) and is_held(f.actuator))
        ]
        self.wrenches = [(i, place) for i, place in m.actuator_wrenches if not is_held(m.actuators[i])]
        self._s, self._rate = np.zeros(len(m.forces.mA)), np.zeros(len(m.forces.mA))
        self.seconds = 0.0
        self.calls = dynamics.user_calls
        self.idle = np.zeros(1, dtype=np.int64)
        self.applied = np.zeros((len(m.markers.markers), 6))

    def refuse_states_that_differ(self, number: int, state: Any) -> None:
        """Refuse first-order states whose functions give different values for the same arguments."""
        item, places = self.states[number]
        t = self.prescribed.env.t
        x, u = state.v[places], item.read(self.viewer.view(t, state.q, state.v, state.a, state.lam))
        refuse_different(f"FirstOrder {item.name!r}: its rates", item.rates_at(x, u, t), item.rates_at(x, u, t), t)

    def refuse_law_that_differs(self, number: int) -> None:
        """The same of a force on a row, at its present value and rate."""
        _, n, function = self.functions[number]
        s, rate, t = float(self._s[n]), float(self._rate[n]), self.prescribed.env.t
        name = f"{self.mechanics.force_owners[n].name!r}: its force"
        refuse_different(name, function(s, rate, t), function(s, rate, t), t)

    def refuse_user_that_differs(self, number: int) -> None:
        """The same of a user's force, at the markers in place."""
        force, i, work, t = self.users[number], self.numbers[number], self.markers, self.prescribed.env.t
        W = np.zeros((2, len(i), 6))
        for own in W:
            force.evaluate(work.p[i], work.R[i], work.twist[i], t, own)
        refuse_different(f"force {force.name!r}: its wrenches", W[0], W[1], t)

    def rates(self, number: int) -> Evaluate:
        """What evaluates first-order states and their outputs, before forces are evaluated."""
        (item, places), output = self.states[number], self.outputs[number]

        def evaluate(state: State, env: Env, weights: tuple[float, float]) -> None:
            if self.idle[0]:
                return
            start, t = time.perf_counter(), env.t
            x = state.v[places]
            u = item.read(self.viewer.view(t, *state))
            self.markers.r[places] -= item.rates_at(x, u, t)
            if item.actuators:
                self.mechanics.held[output] = item.output_at(x, u, t)
            self.calls.add(item.name, start)
            self.seconds += time.perf_counter() - start

        return evaluate

    def rates_block(self, number: int) -> Evaluate:
        """What evaluates their block."""
        (item, places), offset = self.states[number], self.mechanics.state_offsets[number]

        def differentiate(state: State, env: Env, weights: tuple[float, float]) -> None:
            start, t = time.perf_counter(), env.t
            u = item.read(self.viewer.view(t, *state))
            block = -weights[1] * item.jacobian_at(state.v[places], u, t)
            self.markers.B[offset : offset + block.size] = block.ravel()
            self.seconds += time.perf_counter() - start

        return differentiate

    def factors(self, state: State, env: Env, weights: tuple[float, float]) -> None:
        """The factors of actuators that are wrenches."""
        if self.idle[0]:
            return
        for i, place in self.wrenches:
            actuator = self.mechanics.actuators[i]
            env.scale[place] = actuator.force(float(self.mechanics.held[i]), t=env.t)

    def law(self, number: int) -> Evaluate:
        """What evaluates a force on a row that is a Python function, at the present row."""
        i, n, function = self.functions[number]
        name, forces = self.mechanics.force_owners[n].name, self.mechanics.forces

        def evaluate(state: State, env: Env, weights: tuple[float, float]) -> None:
            start = time.perf_counter()
            measure(n, forces, self.markers)
            s = self._s[n] = self.markers.S[24, 0]
            rate = self._rate[n] = self.markers.S[25, 0]
            forces.given[i] = function(float(s), float(rate), env.t)
            self.calls.add(name, start)
            self.seconds += time.perf_counter() - start

        return evaluate

    def user(self, number: int) -> Evaluate:
        """What evaluates the wrenches of a user's force at the markers in place."""
        force, i = self.users[number], self.numbers[number]

        def evaluate(state: State, env: Env, weights: tuple[float, float]) -> None:
            start, work = time.perf_counter(), self.markers
            W = np.zeros((len(i), 6))
            force.evaluate(work.p[i], work.R[i], work.twist[i], env.t, W)
            self.calls.add(force.name, start)
            np.add.at(self.applied, i, W)
            np.add.at(work.W, i, W)
            self.seconds += time.perf_counter() - start

        return evaluate

    def user_block(self, number: int) -> Evaluate:
        """What evaluates its block."""
        force, i, offset = self.users[number], self.numbers[number], self.mechanics.user_offsets[number]

        def differentiate(state: State, env: Env, weights: tuple[float, float]) -> None:
            start, work, (wq, wv), n = time.perf_counter(), self.markers, weights, 6 * len(i)
            X, Y = np.zeros((n, n)), np.zeros((n, n))
            force.differentiate(work.p[i], work.R[i], work.twist[i], env.t, X, Y)
            ptr = self.mechanics.markers.ptr
            J, Jc, Jv = (_stacked(x, i, ptr) for x in (work.JT, work.JcT, work.JvT))
            block = J.T @ (wq * (X @ Jc + Y @ Jv) + wv * Y @ J)
            work.B[offset : offset + block.size] = block.ravel()
            self.seconds += time.perf_counter() - start

        return differentiate


def refuse_different(what: str, one: Any, other: Any, t: float) -> None:
    """Refuse two results of the same arguments that differ."""
    if not np.array_equal(one, other):
        a, b = (", ".join(f"{x:.6g}" for x in np.ravel(part)[:6]) for part in (one, other))
        raise ModelError(
            f"{what} at t = {t:g} are ({a}) and, called again with the same arguments, ({b}). A function must not "
            f"remember or draw anything: make what it remembers a state, and take noise such as WhiteNoise(...)."
        )


def _stacked(rows: FloatArray, markers: IntArray, ptr: IntArray) -> FloatArray:
    """Block-diagonal matrix (6 n, k) of the Jacobians of some markers."""
    counts = [int(ptr[i + 1] - ptr[i]) for i in markers]
    out = np.zeros((6 * len(markers), sum(counts)))
    col = 0
    for n, (i, k) in enumerate(zip(markers, counts, strict=True)):
        out[6 * n : 6 * n + 6, col : col + k] = rows[ptr[i] : ptr[i + 1]].T
        col += k
    return out
