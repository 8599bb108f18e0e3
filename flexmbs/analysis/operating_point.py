"""The state about which a model that can move is linearised: its initial one, an equilibrium, or a steady spin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmbs.assembly import accelerations, assemble, constraint_matrix
from flexmbs.control.loop import ControlLoop
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics import Dynamics
from flexmbs.integrators.contracts import StepState
from flexmbs.linearisation import ConstrainedLinearisation, linearise_state, moved
from flexmbs.model import Model
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.start import check_supports
from flexmbs.system import System, compile_model

__all__ = ["OperatingPoint", "Transport", "check_steady", "is_moving", "operating_point", "transport"]

BALANCED = 1e-6
"""Acceleration, relative to what the loads alone would give, up to which a state is steady."""
NOISE = 1e-12
"""The same relative to the largest K_ii / M_ii times the size of the positions."""


STEP = 1e-5
"""Step of the differences of constraints."""


class OperatingPoint(NamedTuple):
    """A compiled system, the state, and the matrices there."""

    dyn: Dynamics
    state: StepState
    lin: ConstrainedLinearisation
    redundant: tuple[str, ...]


def operating_point(owner: str, model: object, off: tuple[str, ...] = ()) -> OperatingPoint:
    """Linearise at the initial state of a model, or at the last state of a solution; loads named ``off`` do not act."""
    if isinstance(model, TimeSolution):
        system = model.system
        dyn = Dynamics(system)
        t = float(model.t[-1])
        q, v = np.array(model.q[-1]), np.array(model.v[-1])
        if "near" in model.extra:
            dyn.turns.restore(model.extra["near"])
        redundant = model.redundant
        dyn.compliance(len(redundant) > 0)
    elif isinstance(model, StaticSolution):
        system = model.system
        dyn = Dynamics(system)
        t = model.time if system.model.moves else float(model.load_factors[-1])
        dyn.prescribed.ramp(t, float(model.load_factors[-1]))
        if not np.array_equal(system.fixation.frames(model.drives[-1]), system.fixation.frames0):
            raise ModelError(f"{owner}: supports of model {system.model.name!r} have turned; that is not covered.")
        if "near" in model.extra:
            dyn.turns.restore(model.extra["near"])
        q, v, redundant = np.array(model.q[-1]), np.array(model.v[-1]), model.redundant
        dyn.compliance(len(redundant) > 0)
    elif isinstance(model, Model | System):
        system = model if isinstance(model, System) else compile_model(model)
        dyn = Dynamics(system)
        t = 0.0
        dyn.start_turns(t)
        dyn.prescribed.change_loads(dict.fromkeys(off, 0.0), owner)
        check_supports(dyn, None)
        found = assemble(dyn, t, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        q, v, redundant = found.q, found.v, found.redundant
    else:
        raise ModelError(f"{owner}: expected a Model or a solution, not {show(model)}.")
    if system.model.controllers:
        loop = ControlLoop(system.model.controllers)
        memory = model.extra.get("control") if isinstance(model, TimeSolution) else None
        held = loop.outputs(memory["loop"] if memory else loop.initial())
        dyn.mechanics.held[: len(held)] = held
    dyn.set_time(t)
    dyn.prescribed.changed = True
    dyn.set_time(t)
    a, lam = accelerations(dyn, t, q, v)
    dyn.residual(q, v, a, lam)
    dyn.accept(q)
    state = StepState(t, q, v, a, a, lam, v, 0.0)
    return OperatingPoint(dyn, state, linearise_state(dyn, state), redundant)


def check_steady(point: OperatingPoint) -> None:
    """Refuse a state that accelerates.

    Raises
    ------
    ModelError
    """
    dyn, state, lin, _ = point
    name = f"Model {dyn.system.model.name!r}"
    still = ~lin.states
    a = (lin.directions.T @ state.a) * still
    M, K = lin.M.diagonal(), np.abs(lin.K.diagonal())
    heavy = M > 0.0
    zero = np.zeros(dyn.n_v)
    dyn.residual(state.q, state.v, zero, np.zeros(dyn.n_c))
    loads = np.abs(lin.directions.T @ dyn.r[: dyn.n_v]) + np.abs(lin.directions.T @ dyn.given[: dyn.n_v])
    loads[lin.states] = 0.0
    reference = float(np.sqrt((loads[heavy] ** 2 / M[heavy]).sum()))
    stiffest = float((K[heavy] / M[heavy]).max(initial=0.0))
    size = float(np.sqrt((M * a**2).sum()))
    if size > BALANCED * reference + NOISE * stiffest * dyn.position_size:
        worst = int(np.argmax(np.abs(a)))
        raise ModelError(
            f"{name}: the state is not an equilibrium: {dyn.coordinates.describe(int(lin.free[worst]))} accelerates "
            f"with {a[worst]:.3g}. Take the result of solve_static."
        )


def is_moving(point: OperatingPoint) -> bool:
    """Whether anything but first-order states has a velocity."""
    lin = point.lin
    return bool(np.any((lin.directions.T @ point.state.v)[~lin.states]))


class Transport(NamedTuple):
    """Rates in the basis N: dv = N dz/dt + V z, da = N d2z/dt2 + A_z z + A_w dz/dt; (n, n_z) each."""

    V: FloatArray
    A_z: FloatArray
    A_w: FloatArray


def transport(point: OperatingPoint, N: FloatArray, P: FloatArray, independent: IntArray) -> Transport:
    r"""How the allowed directions turn with a steady motion; zero at rest.

    With independent coordinates z, :math:`\dot N = -P [\partial(Gv)/\partial q + G\Omega] N` keeps their rows, and the
    accelerations of the others follow from the second derivative of the constraints, by differences.
    """
    if not is_moving(point):
        zero = np.zeros_like(N)
        return Transport(zero, zero, zero)
    dyn, lin = point.dyn, point.lin
    spun = lin.spin @ N
    nothing = np.zeros_like(N)
    turning = -P @ _differences(point, N, spun, _rates)
    V = turning + spun
    by_z, by_w = _differences(point, N, V, _gaps), _differences(point, nothing, N, _gaps)
    kept = np.zeros((N.shape[1], N.shape[0]))
    kept[np.arange(N.shape[1]), independent] = 1.0
    back = N @ kept @ lin.spin
    dyn.residual(point.state.q, point.state.v, point.state.a, point.state.lam)
    return Transport(V, back @ turning - P @ by_z, back @ N - P @ by_w)


def _differences(point: OperatingPoint, Q: FloatArray, V: FloatArray, function: Any) -> FloatArray:
    """Central differences (n_c, m) of a function of (q, v) along the columns of Q and V."""
    dyn, s, E = point.dyn, point.state, point.lin.directions
    out = np.zeros((dyn.n_c, Q.shape[1]))
    for j in range(Q.shape[1]):
        sides = [function(dyn, moved(dyn, s.q, h * (E @ Q[:, j])), s.v + h * (E @ V[:, j]), s) for h in (STEP, -STEP)]
        out[:, j] = (sides[0] - sides[1]) / (2.0 * STEP)
    return out


def _rates(dyn: Dynamics, q: FloatArray, v: FloatArray, state: StepState) -> FloatArray:
    """G v + g_t at (q, v)."""
    dyn.residual(q, v, state.a, state.lam)
    return dyn.rates()


def _gaps(dyn: Dynamics, q: FloatArray, v: FloatArray, state: StepState) -> FloatArray:
    """G a + (dG/dt) v + g_tt at (q, v), for the accelerations of the state."""
    gamma = dyn.gamma(q, v)
    if not np.any(state.a):
        return gamma
    dyn.T[:] = np.eye(3)
    dyn.tangent(q, v, state.a, state.lam, (0.0, 0.0))
    return np.asarray(constraint_matrix(dyn) @ state.a + gamma)
