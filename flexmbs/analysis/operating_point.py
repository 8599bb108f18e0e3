"""The state about which a model that can move is linearised: its initial one, an equilibrium, or a steady motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.assembly import accelerations, assemble
from flexmbs.control.loop import ControlLoop
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics import Dynamics
from flexmbs.equilibria import Equilibria
from flexmbs.integrators.contracts import StepState
from flexmbs.linearisation import ConstrainedLinearisation, linearise_state, moved
from flexmbs.model import Model
from flexmbs.solution import Solution
from flexmbs.system import System, compile_model
from flexmbs.time_solution import TimeSolution

__all__ = ["OperatingPoint", "check_steady", "operating_point"]

BALANCED = 1e-6
"""Acceleration, relative to what the loads alone would give, up to which a state is steady."""
NOISE = 1e-12
"""The same relative to the largest K_ii / M_ii times the size of the positions."""


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
        if isinstance(model, Equilibria):
            dyn.set_factors(t, t)
        q, v = np.array(model.q[-1]), np.array(model.v[-1])
        if "near" in model.extra:
            dyn.restore_angles(model.extra["near"])
        redundant = model.redundant
        dyn.compliance(len(redundant) > 0)
    elif isinstance(model, Solution):
        system = model.system
        dyn = Dynamics(system)
        t = float(model.parameters[-1])
        dyn.set_factors(t, t)
        if not np.array_equal(system.fixation.frames(model.drives[-1]), system.fixation.frames0):
            raise ModelError(f"{owner}: supports of model {system.model.name!r} have turned; that is not covered.")
        q, v, redundant = np.array(model.q[-1]), np.zeros(dyn.n_v), ()
    elif isinstance(model, Model | System):
        system = model if isinstance(model, System) else compile_model(model)
        dyn = Dynamics(system)
        t = 0.0
        dyn.reset_angles()
        dyn.change_loads(dict.fromkeys(off, 0.0), owner)
        found = assemble(dyn, t, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        q, v, redundant = found.q, found.v, found.redundant
    else:
        raise ModelError(f"{owner}: expected a Model or a solution, not {show(model)}.")
    if dyn.mechanics is not None and system.model.controllers:
        loop = ControlLoop(system.model.controllers)
        held = loop.outputs(loop.initial())
        dyn.mechanics.held[: len(held)] = held
    dyn.set_time(t)
    dyn._changed = True
    dyn.set_time(t)
    a, lam = accelerations(dyn, t, q, v)
    dyn.residual(q, v, a, lam)
    dyn.accept_angles(q)
    state = StepState(t, q, v, a, a, lam, v, 0.0)
    return OperatingPoint(dyn, state, linearise_state(dyn, state), redundant)


def check_steady(point: OperatingPoint, N: FloatArray) -> None:
    """Refuse a state that accelerates, or moves so that the allowed directions N (n, m) turn.

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
    loads = np.abs(lin.directions.T @ dyn.r[: dyn.n_v]) + np.abs(lin.directions.T @ dyn._given[: dyn.n_v])
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
    speed = float(np.abs((lin.directions.T @ state.v)[still]).max(initial=0.0))
    if not dyn.n_c or speed == 0.0:
        return
    turned = np.zeros((dyn.n_c, N.shape[1]))
    h = 1e-6
    along = lin.spin @ N
    for j in range(N.shape[1]):
        sides = []
        for sign in (h, -h):
            q = moved(dyn, state.q, sign * (lin.directions @ N[:, j]))
            dyn.residual(q, state.v + sign * (lin.directions @ along[:, j]), zero, state.lam)
            sides.append(dyn.rates())
        turned[:, j] = (sides[0] - sides[1]) / (2.0 * h)
    if float(np.abs(turned).max(initial=0.0)) > 1e-5 * speed:
        raise ModelError(
            f"{name}: the state is not a steady motion: the directions that the joints allow change while it moves. "
            f"Linearise about an equilibrium, or about the spin of bodies held at their centres of mass."
        )
