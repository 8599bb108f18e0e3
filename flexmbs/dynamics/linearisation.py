r"""The equations of motion linearised at a state, as sparse matrices with the constraints beside them.

.. math:: M\,\delta a + D\,\delta v + K\,\delta q + G^T \delta\lambda = 0, \qquad G\,\delta q = 0

K holds :math:`\partial(G^T\lambda)/\partial q` at the multipliers of the state: without it a hanging pendulum would
have no frequency. Increments :math:`\delta q` of rigid bodies are rotations in body axes, so that
:math:`\delta v = \delta\dot q + \omega\times\delta q` there (`flexmbs.analysis.steady_motion`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import block_array, coo_array, csc_array, diags_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.sparsity import rotate_blocks
from flexmbs.dynamics.checked_slopes import checked_slopes, put_slopes
from flexmbs.kernels.steps import retract
from flexmbs.system.refusals import refuse_searched

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = [
    "ConstrainedLinearisation",
    "free_directions",
    "held_columns",
    "hold_more",
    "input_column",
    "linearise_state",
    "moved",
    "ordered_blocks",
    "refuse_reactions",
    "rolling_rows",
    "state_places",
]

STEP, OF_ACCELERATIONS = 1e-6, 1e-4
"""Step of the differences for what Python functions compute, relative to the size of the model or of a value.

That of accelerations is larger: what reads them is linear in them, or nearly so.
"""


@dataclass(frozen=True, eq=False)
class ConstrainedLinearisation:
    """K, D, M (n, n) and G (n_c, n) on the n free velocities, in nodal frames.

    Attributes
    ----------
    free : (n,) int array
        Their places in v, ascending.
    states : (n,) bool array
        Which of them are first-order states: their columns of K are zero.
    directions : (n_v, n) sparse array
        Takes free velocities to all velocities.

    Where first-order states read accelerations, M holds what they drive by these, and is not symmetric.
    """

    K: csc_array
    D: csc_array
    M: csc_array
    G: csc_array
    free: IntArray
    states: Any
    directions: csc_array

    def combine(self, weights: tuple[float, float, float]) -> csc_array:
        """The matrix [wq K + wv D + wa M, G^T; G, 0], without evaluating anything."""
        wq, wv, wa = weights
        A = wq * self.K + wv * self.D + wa * self.M
        if not self.G.shape[0]:
            return csc_array(A)
        return csc_array(block_array([[A, self.G.T], [self.G, None]]))


def linearise_state(dyn: Dynamics, state: StepState) -> ConstrainedLinearisation:
    """Matrices at a state, at the loads and motions set before; what Python functions compute by differences."""
    system, n_v = dyn.system, dyn.n_v
    refuse_searched(system, "a linearised model")
    dyn.T[:] = np.eye(3)
    free = np.sort(system.free[system.free < n_v])
    order = np.concatenate((system.unknown[free], system.unknown[n_v:])).astype(np.int64)
    arguments = state.q, state.v, state.a, state.lam
    found = []
    slopes: dict[int, tuple[float, float]] | None = None
    for weights in ((1.0, 0.0), (0.0, 1.0)):
        dyn.tangent(*arguments, weights)
        if slopes is None:
            slopes = checked_slopes(dyn, state)
        put_slopes(dyn, state, slopes, weights)
        found.append(ordered_blocks(dyn, dyn.B.copy(), order))
    mass = np.zeros_like(dyn.B)
    mass[: len(system.mass_blocks)] = dyn.mass_blocks
    n = len(free)
    whole = ordered_blocks(dyn, mass, order)
    E = free_directions(dyn, free)
    states = np.isin(free, state_places(dyn))
    K, D, M, G = found[0][:n, :n], found[1][:n, :n], whole[:n, :n], found[0][n:, :n]
    if system.model.states:
        K, D, M = _with_states(dyn, state, K, D, M, E, free)
    return ConstrainedLinearisation(csc_array(K), csc_array(D), csc_array(M), csc_array(G), free, states, E)


def state_places(dyn: Dynamics) -> IntArray:
    """Places in v of all first-order states, ascending."""
    c, model = dyn.coordinates, dyn.system.model
    places = [int(k) for item in model.states for k in c.state_places(item)]
    for force in model.forces:
        places += [c.extra_place(e) for row in getattr(force, "row_forces", ()) for e in row.states]
        places += [c.extra_place(e) for pair in getattr(force, "distributed", ()) for e in pair.states]
    return np.array(sorted(places), dtype=np.int64)


def rolling_rows(dyn: Dynamics) -> Any:
    """Which constraints (n_c,) are on velocities alone; one that prescribes a rate prescribes a position as well."""
    driven = [item.equation.motion is not None for item in dyn.mechanics.equations]
    return (dyn.velocity_rows == 1) & ~np.array(driven, dtype=bool)


def moved(dyn: Dynamics, q: FloatArray, step: FloatArray) -> FloatArray:
    """The coordinates q after an increment (n_v,)."""
    out = np.empty_like(q)
    retract(q, np.ascontiguousarray(step), dyn.n_linear, out)
    return out


def held_columns(dyn: Dynamics, state: StepState, numbers: list[int]) -> FloatArray:
    """d r / d(held value) (n_v, k) of some actuators, by differences, which are exact for those without a law.

    What first-order states make of these values is left out; `input_column` has it.
    """
    m = dyn.mechanics
    dyn.residual(state.q, state.v, state.a, state.lam)  # outputs of states into the held values

    def hold(number: int, step: float) -> float:
        m.held[number] += step
        return 0.0

    return np.stack([np.zeros(dyn.n_v), *(_held_column(dyn, state, i, hold) for i in numbers)], axis=1)[:, 1:]


def input_column(dyn: Dynamics, state: StepState, number: int) -> FloatArray:
    """d r / d(held value) (n_v,) of an actuator, with what first-order states do that read the value."""
    dyn.residual(state.q, state.v, state.a, state.lam)
    return _held_column(dyn, state, number, lambda i, step: -hold_more(dyn, state, i, step))


def hold_more(dyn: Dynamics, state: StepState, number: int, step: float) -> FloatArray:
    """Add ``step`` to a held value, or to the output of its states, and let all first-order states see it.

    Returns their rates (n_v,), zero elsewhere; held values stay as they are then.
    """
    python, held, t = dyn.python, dyn.mechanics.held, dyn.env.t
    rates = np.zeros(dyn.n_v)
    if not any(output.start <= number < output.stop for output in python.outputs):
        held[number] += step
    for k in python.order:
        (item, places), output = python.states[k], python.outputs[k]
        x, u = state.v[places], item.read(python.viewer.view(t, state.q, state.v, state.a, state.lam))
        rates[places] = item.rates_at(x, u, t)
        if item.actuators:
            held[output] = item.output_at(x, u, t)
        if output.start <= number < output.stop:
            held[number] += step
    return rates


def _held_column(
    dyn: Dynamics, state: StepState, number: int, hold: Callable[[int, float], float | FloatArray]
) -> FloatArray:
    """Difference of the residual over a held value; ``hold(number, step)`` moves it and tells what else is added."""
    held, before, sides = dyn.mechanics.held, dyn.mechanics.held.copy(), []
    h = 1e-4 * max(1.0, abs(float(held[number])))
    dyn.python.idle[0] = 1
    try:
        for step in (h, -h):
            more = hold(number, step)
            _set_wrenches(dyn)
            sides.append(dyn.residual(state.q, state.v, state.a, state.lam)[: dyn.n_v] + more)
            held[:] = before
        _set_wrenches(dyn)
    finally:
        dyn.python.idle[0] = 0
    return np.asarray((sides[0] - sides[1]) / (2.0 * h))


def _set_wrenches(dyn: Dynamics) -> None:
    """Factors of the actuators that are wrenches, from the held values."""
    m = dyn.mechanics
    for i, place in m.actuator_wrenches:
        dyn.env.scale[place] = m.actuators[i].force(float(m.held[i]), t=dyn.env.t)


def ordered_blocks(dyn: Dynamics, B: FloatArray, order: IntArray) -> csc_array:
    """Blocks as a matrix on free velocities (ascending) and multipliers."""
    system = dyn.system
    if len(system.turned_blocks):
        rotate_blocks(B, system.turned_blocks, dyn.frames)
    there = (system.entry_rows >= 0) & (system.entry_columns >= 0)
    n = len(order)
    new = np.empty(n, dtype=np.int64)
    new[order] = np.arange(n)
    matrix = csc_array(
        coo_array((B[there], (new[system.entry_rows[there]], new[system.entry_columns[there]])), shape=(n, n))
    )
    matrix.eliminate_zeros()
    return matrix


def free_directions(dyn: Dynamics, free: IntArray) -> csc_array:
    """Columns: what each free velocity is on all velocities; supported nodes are turned."""
    return dyn.system.fixation.directions(dyn.n_v, free, dyn.frames)


def _with_states(
    dyn: Dynamics, state: StepState, K: csc_array, D: csc_array, M: csc_array, E: csc_array, free: IntArray
) -> tuple[csc_array, csc_array, csc_array]:  # fmt: skip
    r"""Add what states read and drive: :math:`\dot x = f(x, u), y = h(x, u)`, u read of (q, v, a), y held by actuators.

    All states together are one function of the state of the model, since some may read what others hold.
    """
    n, dense, unit = E.shape[1], E.toarray(), dyn.system.increment_sizes[free]
    values = _Values(dyn, state)
    places = values.places
    moves = ~np.isin(free, state_places(dyn))
    largest = [max(1.0, float((np.abs(E.T @ x) / unit)[moves].max(initial=0.0))) for x in (state.v, state.a)]
    by: list[tuple[FloatArray, FloatArray]] = []
    for k, share in enumerate((STEP, STEP * largest[0], OF_ACCELERATIONS * largest[1])):
        columns = []
        for j in range(n):
            size = unit[j]
            if k == 1 and not moves[j]:  # a state, whose size is its own
                size = max(1.0, abs(float(state.v[free[j]]))) / largest[0]
            columns.append(values.differences(k, share * size, dense[:, j]))
        rates, held = (np.array([column[i] for column in columns]).T.reshape(-1, n) for i in (0, 1))
        by.append((rates, held))
    rows, R = dense[places], E.T @ held_columns(dyn, state, values.held)
    D = diags_array(np.where(np.isin(free, places), 0.0, 1.0)) @ D  # derivatives by the states are among those here
    K, D, M = (csc_array(A - rows.T @ rates + R @ held) for A, (rates, held) in zip((K, D, M), by, strict=True))
    return K, D, M


class _Values:
    """Rates of all first-order states, and what they hold, at states near one: as a run evaluates them."""

    def __init__(self, dyn: Dynamics, state: StepState) -> None:
        self.dyn, self.state = dyn, state
        self.places = np.concatenate([places for _, places in dyn.python.states])
        self.held = [i for output in dyn.python.outputs for i in range(output.start, output.stop)]

    def at(self, state: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Both at (q, v, a, lam)."""
        residual = self.dyn.residual(*state)  # of a state of unit mass its rate less what it should be
        return state[2][self.places] - residual[self.places], self.dyn.mechanics.held[self.held].copy()

    def differences(self, part: int, h: float, way: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives along ``way`` (n_v,) of positions (part 0), velocities (1) or accelerations (2)."""
        s = self.state
        sides = []
        for step in (h * way, -h * way):
            state = [s.q, s.v, s.a, s.lam]
            state[part] = moved(self.dyn, s.q, step) if part == 0 else state[part] + step
            sides.append(self.at(state))
        (f, y), (g, z) = sides
        return (f - g) / (2.0 * h), (y - z) / (2.0 * h)


def refuse_reactions(dyn: Dynamics, state: StepState) -> None:
    """Refuse first-order states that read what hangs on multipliers: in minimal coordinates there are none left.

    Raises
    ------
    ModelError
        With the states and their sensor.
    """
    if not dyn.n_c:
        return
    view, t, s = dyn.python.viewer.view, dyn.env.t, state
    other = s.lam + (1.0 + np.abs(s.lam)) * (1.0 + np.arange(dyn.n_c) / dyn.n_c)
    for item, _ in dyn.python.states:
        for sensor in item.inputs:
            here, there = (np.atleast_1d(sensor.read(view(t, s.q, s.v, s.a, lam))) for lam in (s.lam, other))
            if not np.allclose(here, there, rtol=1e-12, atol=0.0, equal_nan=True):
                raise ModelError(
                    f"FirstOrder {item.name!r} reads sensor {sensor.name!r}, which hangs on the forces of joints: "
                    f"a linear model has these as outputs only. Read a position, a velocity or an acceleration, or "
                    f"put a spring in place of the joint and read its force."
                )
