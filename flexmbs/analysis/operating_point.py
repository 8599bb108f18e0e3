r"""The state about which a model is linearised: at rest in equilibrium, or a steady motion; anything else is refused.

At rest the forces balance, with the loads that act. A structure that supports and joints hold, and that its loads would
deform, may be looked at without them, in the shape in which it is described. A motion is steady where somebody who
turns at a constant rate sees forces that balance and matrices that stay (`flexmbs.analysis.steady_motion`); a model
whose velocities are steady but whose shape is not that in which it turns, such as a blade that is not stretched yet, is
brought into it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array

from flexmbs.analysis.directions import Directions
from flexmbs.analysis.force_balance import SPINNING, unbalanced
from flexmbs.analysis.small_motions import Rolling, SmallMotions
from flexmbs.analysis.softening import warn_of_softening
from flexmbs.analysis.spinning_equilibrium import balanced
from flexmbs.analysis.stability import stability_of
from flexmbs.analysis.steady_motion import (
    FrameMatrices,
    Observer,
    advanced,
    go_along,
    in_frame,
    observers,
    predicted,
    times,
    turned,
    turned_deformation,
)
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.control_loop import ControlLoop
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import (
    ConstrainedLinearisation,
    linearise_state,
    refuse_reactions,
    rolling_rows,
)
from flexmbs.dynamics.minimal import DENSE, Sizes, orthonormal_basis
from flexmbs.dynamics.start import check_supports
from flexmbs.integrators.contracts import StepState
from flexmbs.model.model import Model
from flexmbs.results.start_from import count_on
from flexmbs.results.static import StaticSolution
from flexmbs.results.time import TimeSolution
from flexmbs.system.symmetry import without_potential
from flexmbs.system.system import System, compile_model

__all__ = [
    "OperatingPoint",
    "described_state",
    "hold_outputs",
    "operating_point",
    "position_of",
    "resting_at",
    "seen_later",
    "solved_state",
]

STEADY = 1e-6
"""Change of matrices along a motion, relative to what adds up in their entries, up to which they are constant."""
RESTING = 1e-5
"""Velocity of a solution, relative to that of a free fall through its size, up to which it is at rest."""


class OperatingPoint(NamedTuple):
    """A compiled system, the state, the matrices there, and who sees them constant (None: a state of rest).

    ``moving``: the state moves in any way, and the matrices are those of this moment.
    """

    dyn: Dynamics
    state: StepState
    lin: ConstrainedLinearisation
    redundant: tuple[str, ...]
    seen_by: Observer | None = None
    frame: FrameMatrices | None = None
    moving: bool = False

    @property
    def matrices(self) -> FrameMatrices:
        """M, C, S and G of small motions, in the axes of who sees them constant."""
        lin = self.lin
        if self.frame is not None:
            return self.frame
        still = csc_array((len(lin.free), len(lin.free)))
        return FrameMatrices(lin.M, lin.D, lin.K, lin.G, still, still, still)

    def motions(self) -> SmallMotions:
        """The equations of small motions."""
        x, lin = self.matrices, self.lin
        symmetric = self.seen_by is None and not without_potential(self.dyn)
        rolling = None
        if self.seen_by is not None and np.any(rolling_rows(self.dyn)):
            rolling = Rolling(*Directions.of(self)[:4], self._unbalanced())
        return SmallMotions(
            x.M, x.C, x.S, x.G, lin.states, symmetric, self.dyn.multiplier_compliance, Sizes.of(self.dyn, lin.free),
            rolling,
        )  # fmt: skip

    def _unbalanced(self) -> FloatArray:
        """Round-off (n,) of the balance of forces."""
        dyn, s = self.dyn, self.state
        return np.asarray(np.abs(self.lin.directions.T @ dyn.residual(s.q, s.v, s.a, s.lam)[: dyn.n_v]))


def operating_point(
    owner: str, model: object, off: tuple[int, ...] = (), unloaded: bool = False, factor: float = 1.0
) -> OperatingPoint:
    """Linearise at the initial state of a model, or at the last state of a solution; loads ``off`` do not act.

    ``off``: their numbers. ``unloaded``: whether a structure that is held, and not balanced with its loads, is taken
    without them. ``factor``: of the initial velocities of a model.

    Raises
    ------
    ModelError
        If the state is neither an equilibrium nor steady.
    """
    described = isinstance(model, Model | System)
    dyn, t, q, v, redundant = (
        described_state(owner, model, off, unloaded, factor) if described else solved_state(owner, model)
    )
    hold_outputs(dyn, model)
    dyn.set_time(t)
    moving = v.copy()
    moving[dyn.states] = 0.0
    if not described and _settled(dyn, q, v):
        v = v - moving
    elif np.any(moving[dyn.system.free[dyn.system.free < dyn.n_v]]):
        return _told(_in_motion(owner, dyn, t, q, v, redundant, described))
    point, complaint = _at_rest(dyn, t, q, v, redundant)
    if complaint and described and unloaded and dyn.system.model.loads:
        dyn.prescribed.change_loads(dict.fromkeys(range(len(dyn.system.model.loads)), 0.0), owner)
        dyn.set_time(t)
        without, other = _at_rest(dyn, t, q, v, redundant)
        if not other:
            held = stability_of(dyn, without.lin)
            if held.stable and not held.free:
                return _told(without)
    if complaint:
        raise ModelError(complaint)
    return _told(point)


def _told(point: OperatingPoint) -> OperatingPoint:
    """The point, unless states read what a linear model has no more."""
    refuse_reactions(point.dyn, point.state)
    return point


def position_of(owner: str, model: object) -> tuple[Dynamics, float, FloatArray, FloatArray, tuple[str, ...]]:
    """The system, time, coordinates and velocities of the initial state of a model or the last one of a solution."""
    described = isinstance(model, Model | System)
    dyn, t, q, v, redundant = described_state(owner, model, (), True, 1.0) if described else solved_state(owner, model)
    hold_outputs(dyn, model)
    return dyn, t, q, v, redundant


def resting_at(
    dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, redundant: tuple[str, ...]
) -> tuple[StepState, ConstrainedLinearisation, bool]:
    """The matrices of rest at a position, and whether it is an equilibrium.

    Where it is none, the multipliers are those of the accelerations that begin there.
    """
    dyn.set_time(t)
    still = np.zeros_like(v)
    still[dyn.states] = v[dyn.states]
    point, complaint = _at_rest(dyn, t, q, still, redundant)
    return point.state, point.lin, not complaint


def described_state(
    owner: str, model: Any, off: tuple[int, ...], unloaded: bool, factor: float
) -> tuple[Dynamics, float, FloatArray, FloatArray, tuple[str, ...]]:
    """The initial state of a model; loads ``off``, by number, do not act."""
    system = model if isinstance(model, System) else compile_model(model)
    dyn = Dynamics(system)
    dyn.start_turns(0.0)
    dyn.prescribed.change_loads(dict.fromkeys(off, 0.0), owner)
    if not unloaded:
        check_supports(dyn, None, "solve_static(model) in place of the model")
    found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), factor * dyn.coordinates.velocity)
    return dyn, 0.0, found.q, found.v, found.redundant


def solved_state(owner: str, model: object) -> tuple[Dynamics, float, FloatArray, FloatArray, tuple[str, ...]]:
    """The last state of a solution, under the loads there."""
    if not isinstance(model, StaticSolution | TimeSolution):
        raise ModelError(f"{owner}: expected a Model or a solution, not {show(model)}.")
    dyn = Dynamics(model.system)
    count_on(dyn, model)
    dyn.compliance(len(model.redundant) > 0)
    t = model.time if isinstance(model, StaticSolution) else float(model.t[-1])
    model.set_loads(dyn, -1)
    later = model.extra.get("events", {}).get("factors", {})
    if later:  # by an event at the end, too
        dyn.prescribed.change_loads(later, owner)
        dyn.set_time(t)
    return dyn, t, np.array(model.q[-1]), np.array(model.v[-1]), model.redundant


def hold_outputs(dyn: Dynamics, model: object) -> None:
    """Sampled controllers hold what they hold at the state."""
    if not dyn.system.model.controllers:
        return
    loop = ControlLoop(dyn.system.model.controllers)
    memory = model.extra.get("control") if isinstance(model, TimeSolution) else None
    held = loop.outputs(memory["loop"] if memory else loop.initial())
    dyn.mechanics.held[: len(held)] = held


def _settled(dyn: Dynamics, q: FloatArray, v: FloatArray) -> bool:
    """Whether a motion has come to rest: it is slow beside what the forces would bring about within a body's size."""
    still = np.zeros(dyn.n_v)
    still[dyn.states] = v[dyn.states]  # a latch whose pin is left out would not hold
    forces = dyn.residual(q, still, np.zeros(dyn.n_v), np.zeros(dyn.n_c))[: dyn.n_v]
    rates = np.divide(forces, dyn.mass, out=np.zeros(dyn.n_v), where=dyn.mass > 0.0)
    rates[dyn.states] = 0.0
    return dyn.size_of(v - still) ** 2 <= RESTING**2 * dyn.size_of(rates)


# --- at rest ---------------------------------------------------------------------------------------------------------


def _at_rest(
    dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, redundant: tuple[str, ...]
) -> tuple[OperatingPoint, str]:
    """The matrices at a state of rest, and what accelerates, if anything does."""
    a, lam = _multipliers(dyn, t, q, v)
    zero = np.zeros(dyn.n_v)
    zero[dyn.states] = a[dyn.states]
    dyn.residual(q, v, zero, lam)
    dyn.accept(q)
    state = StepState(t, q, v, zero, zero, lam, v, 0.0)
    point = OperatingPoint(dyn, state, linearise_state(dyn, state), redundant)
    return point, unbalanced(point)


def _multipliers(dyn: Dynamics, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Accelerations and multipliers; where something has no mass, those of a slightly later time."""
    if not dyn.n_c and not len(dyn.states):
        return np.zeros(dyn.n_v), np.zeros(0)
    try:
        return accelerations(dyn, t, q, v)
    except SingularError:
        return accelerations(dyn, t, q, v, (1e-6, 0.0))


# --- in motion -------------------------------------------------------------------------------------------------------


def _in_motion(
    owner: str, dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, redundant: tuple[str, ...], described: bool
) -> OperatingPoint:
    """Who sees a steady motion of the state itself or, of a model, of the shape in which it turns."""
    name = f"Model {dyn.system.model.name!r}"
    n = len(dyn.system.free) - dyn.n_c
    if n > DENSE:
        raise ModelError(f"{owner}: about a motion it goes up to {DENSE} unknowns; this model has {n}.")
    warn_of_softening(dyn.system, q, v)
    a, lam = accelerations(dyn, t, q, v)
    state = StepState(t, q, v, a, a, lam, v, 0.0)
    dyn.residual(q, v, a, lam)
    dyn.accept(q)
    turns = dyn.turns.memory()
    possible = observers(dyn, state)
    reasons: list[str] = []
    for seen_by in possible:
        point, reason = _seen(dyn, state, redundant, seen_by)
        if not reason:
            return point
        reasons.append(reason)
    for seen_by in possible if described else []:
        dyn.turns.restore(turns)
        found = balanced(dyn, state, seen_by)
        if found is None:
            continue
        a, lam = accelerations(dyn, t, found.q, found.v)
        point, reason = _seen(dyn, found._replace(lam=lam), redundant, seen_by)
        if not reason:
            return point
        reasons.append(reason)
    if not reasons:
        E = dyn.linearise(state)
        change = np.abs(E.directions.T @ a) * ~E.states
        worst = dyn.coordinates.describe(int(E.free[int(np.argmax(change))]))
        raise ModelError(
            f"{name}: the state is not an equilibrium, and no steady motion: {worst} accelerates with "
            f"{change.max():.3g}. {SPINNING}"
        )
    periodic = [reason for reason in reasons if "Floquet" in reason]
    raise ModelError(f"{name}: {periodic[0]}" if periodic else reasons[0])


def _seen(
    dyn: Dynamics, state: StepState, redundant: tuple[str, ...], seen_by: Observer
) -> tuple[OperatingPoint, str]:  # fmt: skip
    """The matrices as an observer sees them, and why they are not those of a steady motion; empty if they are."""
    dyn.set_time(state.t)
    a = predicted(dyn, state, seen_by)[1]
    a[dyn.states] = state.a[dyn.states]
    state = state._replace(a=a, aux=a)
    lin = linearise_state(dyn, state)
    frame = in_frame(lin, *turned(dyn, state, seen_by))
    point = OperatingPoint(dyn, state, lin, redundant, seen_by, frame)
    reason = unbalanced(point)
    if not reason and turned_deformation(dyn, state, seen_by):
        reason = "the deformation of a floating body is told in axes that turn"
    if reason:
        return point, reason
    G, sizes = lin.G.toarray() * ~lin.states, Sizes.of(dyn, lin.free)
    rolls = rolling_rows(dyn)
    N = orthonormal_basis(G, sizes)
    Q = orthonormal_basis(np.where(rolls[:, None], 0.0, G), sizes) if rolls.any() else N.copy()
    N[lin.states] = Q[lin.states] = 0.0
    memory = dyn.turns.memory()
    try:
        before, spans = 0.0, times(dyn, state, seen_by)
        for span in spans:
            go_along(dyn, state, seen_by, before, span)
            before = span
            reason = _changes(point, N, Q, span, 1.0 / spans[0])
            if reason:
                return point, reason
    finally:
        dyn.turns.restore(memory)
        dyn.prescribed.changed = True
        dyn.set_time(state.t)
        dyn.residual(state.q, state.v, state.a, state.lam)
    return point, ""


def seen_later(point: OperatingPoint, span: float) -> tuple[OperatingPoint, csc_array]:
    """The operating point after a span of its steady motion, in the axes of the observer, and his X on free velocities.

    The time of the system is set to that moment.
    """
    dyn, seen_by = point.dyn, point.seen_by
    assert seen_by is not None  # noqa: S101
    there, X = advanced(dyn, point.state, seen_by, span)
    dyn.prescribed.changed = True
    dyn.set_time(there.t)
    _, lam = accelerations(dyn, there.t, there.q, there.v)
    there = there._replace(lam=lam)
    lin = linearise_state(dyn, there)
    W, U = turned(dyn, point.state, seen_by)
    return point._replace(state=there, lin=lin, frame=in_frame(lin, W, U, X)), csc_array(
        lin.directions.T @ X @ lin.directions
    )


def _changes(point: OperatingPoint, N: FloatArray, Q: FloatArray, span: float, rate: float) -> str:
    """Why the matrices of an observer are not constant, looked at after a span of the motion; empty if they are.

    On the rates N and the positions Q that constraints allow; ``rate``: of what turns fastest.
    """
    dyn = point.dyn
    later, _ = seen_later(point, span)
    reason = unbalanced(later)
    if reason:
        return reason
    E, W = point.lin.directions, turned(dyn, point.state, point.seen_by)[0]  # type: ignore[arg-type]
    outside = W @ E - E @ (E.T @ (W @ E))
    if outside.nnz and np.abs(outside.data).max() > STEADY * np.abs(W.data).max(initial=0.0):
        return _periodic(point, "supports")
    here, there = point.matrices, later.matrices
    largest = abs(there.G).sum(axis=1) * float(np.abs(N).max(initial=0.0))
    if np.any(np.abs(there.G @ N) > STEADY * largest[:, None]):
        return _periodic(point, "joints")
    for name in ("M", "C", "S"):
        A, B = getattr(here, name), getattr(there, name)
        right = Q if name == "S" else N
        scale = np.sqrt(np.outer(*(np.einsum("ij,ij->j", np.abs(X), abs(A) @ np.abs(X)) for X in (N, right))))
        if name == "C":  # what is gyroscopic may vanish on the diagonal
            scale = np.maximum(scale, np.abs(N).T @ (abs(A) @ np.abs(N)))
            mass = np.sqrt(np.einsum("ij,ij->j", np.abs(N), abs(here.M) @ np.abs(N)))
            scale = np.maximum(scale, rate * np.outer(mass, mass))
        if name == "S":
            mass = [np.einsum("ij,ij->j", np.abs(X), abs(here.M) @ np.abs(X)) for X in (N, Q)]
            scale = np.maximum(scale, rate**2 * np.sqrt(np.outer(*mass)))
        change = np.abs(N.T @ (B - A) @ right)
        if np.any(change > STEADY * scale + 1e-300):
            return _periodic(point, {"M": "inertia", "C": "gyroscopic or damping forces", "S": "stiffness"}[name])
    return ""


def _periodic(point: OperatingPoint, what: str) -> str:
    return (
        f"the motion is not steady in any frame: {what} change with the turning, in inertial axes as well as in "
        f"axes that turn along, as with a rotor that is not symmetric in supports that are not. The coefficients of "
        f"the linear equations are periodic, so that there are no roots; stability follows from Floquet's theory: "
        f"flexmbs.floquet."
    )
