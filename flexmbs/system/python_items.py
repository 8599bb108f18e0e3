"""Forces and states whose laws are Python functions: evaluated outside of the kernels, into their arrays.

Derivatives by the mechanical coordinates of what first-order states read and drive are left out of the iteration
matrix: they change slowly over a step, and only the speed of the iteration depends on them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.kernels.held import HeldGroup
from flexmbs.kernels.row_forces import RowForceGroup, row_force_measures
from flexmbs.system.view import Viewer

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["HeldLaw", "PythonItems", "held_group", "is_held"]


class HeldLaw:
    """The law of an actuator with the value that is held for it."""

    def __init__(self, actuator: Any, held: FloatArray, number: int) -> None:
        self.actuator, self.held, self.number = actuator, held, number

    def holding(self, held: FloatArray) -> HeldLaw:
        """The same law with the values of another run."""
        return HeldLaw(self.actuator, held, self.number)

    def __call__(self, s: float, rate: float, t: float) -> tuple[float, float, float, float]:
        found: tuple[float, float, float, float] = self.actuator.given(float(self.held[self.number]), s, rate, t)
        return found


def is_held(actuator: Any) -> bool:
    """Whether the force of an actuator depends on its held value alone, up to limits."""
    return getattr(actuator, "range", None) is not None and type(actuator).__module__.partition(".")[0] == "flexmbs"


def held_group(m: Any) -> HeldGroup:
    """All such actuators of a model."""
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

    ``applied (n_m, 6)``: wrenches of user forces, as they entered ``W`` last; ``outputs_stay``: whether held values are
    left as they are, for derivatives by them; ``held``: actuators that are no functions of anything but their value,
    whose forces are a stage of their own; ``functions``: the forces on rows that are left, with their rows of ``given``
    and their numbers; ``wrenches``: likewise actuators, with their load factors.
    """

    def __init__(self, dynamics: Dynamics) -> None:
        m = dynamics.mechanics
        assert m is not None  # noqa: S101
        self.mechanics, self.markers, self.prescribed = m, dynamics.markers, dynamics.prescribed
        self.users = [f for f in dynamics.system.model.forces if hasattr(f, "differentiate")]
        self.numbers = [np.array([m.markers.number[k] for k in f.markers]) for f in self.users]
        self.states = [(s, dynamics.coordinates.state_places(s)) for s in dynamics.system.model.states]
        first = len(m.actuators) - sum(len(s.actuators) for s, _ in self.states)
        self.outputs: list[slice] = []
        for s, _ in self.states:
            self.outputs.append(slice(first, first + len(s.actuators)))
            first += len(s.actuators)
        self.viewer: Viewer = Viewer(dynamics.system)
        self.viewer.held, self.viewer.held_names = m.held, tuple(a.name for a in m.actuators)
        self.held = held_group(m)
        self.functions = [
            (i, n, f) for i, (n, f) in enumerate(m.given) if not (isinstance(f, HeldLaw) and is_held(f.actuator))
        ]
        self.wrenches = [(i, place) for i, place in m.actuator_wrenches if not is_held(m.actuators[i])]
        self._s, self._rate = np.zeros(len(m.forces.mA)), np.zeros(len(m.forces.mA))
        self.seconds = 0.0
        self.outputs_stay = False
        self.applied = np.zeros((len(m.markers.markers), 6))

    def before(self, state: State, r: FloatArray) -> None:
        """States, their outputs, and the factors of actuators that are wrenches; before forces are evaluated."""
        if self.outputs_stay:
            return
        began = time.perf_counter()
        t = self.prescribed.env.t
        for (item, places), output in zip(self.states, self.outputs, strict=True):
            x = state.v[places]
            u = item.read(self.viewer.view(t, *state))
            r[places] -= item.rates_at(x, u, t)
            if item.actuators:
                self.mechanics.held[output] = item.output_at(x, u, t)
        for i, place in self.wrenches:
            actuator = self.mechanics.actuators[i]
            self.prescribed.env.scale[place] = actuator.force(float(self.mechanics.held[i]), t=t)
        self.seconds += time.perf_counter() - began

    def given(self, forces: RowForceGroup) -> None:
        """Forces on rows that are Python functions, at the present rows."""
        began = time.perf_counter()
        row_force_measures(forces, self.markers, self._s, self._rate)
        for i, n, function in self.functions:
            forces.given[i] = function(float(self._s[n]), float(self._rate[n]), self.prescribed.env.t)
        self.seconds += time.perf_counter() - began

    def forces(self) -> None:
        """Wrenches of user forces at the markers in place."""
        began = time.perf_counter()
        work, t = self.markers, self.prescribed.env.t
        self.applied[:] = 0.0
        for force, i in zip(self.users, self.numbers, strict=True):
            W = np.zeros((len(i), 6))
            force.evaluate(work.p[i], work.R[i], work.twist[i], t, W)
            np.add.at(self.applied, i, W)
        work.W[:] += self.applied
        self.seconds += time.perf_counter() - began

    def tangents(self, state: State, weights: tuple[float, float]) -> None:
        """Blocks of user forces and of states."""
        began = time.perf_counter()
        work, t, m = self.markers, self.prescribed.env.t, self.mechanics
        wq, wv = weights
        for force, i, offset in zip(self.users, self.numbers, m.user_offsets, strict=True):
            n = 6 * len(i)
            X, Y = np.zeros((n, n)), np.zeros((n, n))
            force.differentiate(work.p[i], work.R[i], work.twist[i], t, X, Y)
            J, Jc, Jv = (_stacked(x, i, m.markers.ptr) for x in (work.JT, work.JcT, work.JvT))
            block = J.T @ (wq * (X @ Jc + Y @ Jv) + wv * Y @ J)
            work.B[offset : offset + block.size] = block.ravel()
        for (item, places), offset in zip(self.states, m.state_offsets, strict=True):
            u = item.read(self.viewer.view(t, *state))
            block = -wv * item.jacobian_at(state.v[places], u, t)
            work.B[offset : offset + block.size] = block.ravel()
        self.seconds += time.perf_counter() - began


def _stacked(rows: FloatArray, markers: IntArray, ptr: IntArray) -> FloatArray:
    """Block-diagonal matrix (6 n, k) of the Jacobians of some markers."""
    counts = [int(ptr[i + 1] - ptr[i]) for i in markers]
    out = np.zeros((6 * len(markers), sum(counts)))
    col = 0
    for n, (i, k) in enumerate(zip(markers, counts, strict=True)):
        out[6 * n : 6 * n + 6, col : col + k] = rows[ptr[i] : ptr[i + 1]].T
        col += k
    return out
