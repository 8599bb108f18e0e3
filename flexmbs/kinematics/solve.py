"""Driven motion: positions, velocities and accelerations that the drivers of a model leave no choice about."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from flexmbs.analysis.output import Output
from flexmbs.analysis.recorder import Recorder
from flexmbs.core.checks import as_flag, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.linearisation import state_places
from flexmbs.dynamics.start import check_supports, warn_of_changes
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.quintic import QuinticInterpolant
from flexmbs.kinematics.following import Followed, Follower
from flexmbs.kinematics.position_equations import PositionEquations
from flexmbs.kinematics.singular_points import turning_point
from flexmbs.model.model import Model
from flexmbs.results.status import Status
from flexmbs.results.time import TimeSolution
from flexmbs.system.system import System, compile_model

__all__ = ["solve_kinematics"]

STORED = 200
"""Positions that are stored by default."""
BRIDGE = 0.02
"""How far from a singular position states are sound [rad, or lengths of the model]; between, they are interpolated."""
CONTRADICTION = 1e-7
"""Violation of equations that follow from others, relative to the size of the model, that is no round-off."""


def solve_kinematics(
    model: Model | System,
    until: float,
    *,
    step: float | None = None,
    output: Output | None = None,
    keep_initial: Sequence[Any] = (),
    throw: bool = True,
) -> TimeSolution:
    r"""Driven motion of a model whose drivers leave no freedom, and the forces it takes.

    Positions follow from :math:`g(q, t) = 0` by Newton's method, velocities from :math:`G v = -g_t`, accelerations from
    :math:`G a = \gamma`. From one time to the next a prediction of second order is corrected; steps are halved where
    the correction is not small beside it, so that the motion stays on its branch. Then
    :math:`G^T \lambda = -(M a + f)` gives the reactions and what the drivers must do
    (see `inverse_dynamics`); of equations that follow from others, with the least norm.

    Parameters
    ----------
    model : Model or System
        With as many drivers (`RotationDriver`, `TranslationDriver`, `DistanceDriver` with ``motion=``) as freedoms.
    until : float
        End time; the motion begins at 0.
    step : float, optional
        Interval [time] of the stored positions; default: ``until`` / 200. Steps between are chosen as needed.
    output : Output, optional
        Times that are stored instead, and whether energies are evaluated.
    keep_initial : sequence of bodies
        That stay where they are described while the others are moved onto the joints at the start.
    throw : bool
        Whether a position that cannot be reached raises; otherwise what was found is returned, with the ``status``
        LOCKED_UP and a ``message``.

    Returns
    -------
    TimeSolution
        As of `simulate`: positions, angles, reactions, energies, plots, animations. ``extra["singular"]``: intervals of
        time in which a singular position was passed.

    Raises
    ------
    ModelError
        If freedoms remain (they are named), drivers give rates only, joints cannot be assembled, or equations
        contradict each other; if the model has controllers or first-order states, which act in a simulation only.
    ConvergenceError
        If a position cannot be reached; the message says when and, at a lock-up, which joints. The exception
        carries the solution up to there.

    Warns
    -----
    RuntimeWarning
        If the motion passes a singular position, where branches meet; the one is followed that goes on smoothly.

    Notes
    -----
    A stored time that meets a singular position, but for 1 part in 300, is interpolated between positions 0.02 rad
    (or lengths of the model) before and behind it, with multipliers by a straight line; where they grow without bound
    there, that says nothing.

    Flexible bodies have freedoms that no driver prescribes: use `simulate`. Energies count the work of the drivers by
    the trapezoidal rule over the stored times.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.PlanarRigidBody(1.0, 0.01, position=(0.1, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0), name="hinge")
    >>> motor = fx.RotationDriver(hinge, lambda t: 2.0 * t * t, name="motor")
    >>> motion = fx.kinematics.solve_kinematics(fx.Model(crank, hinge, motor), until=1.0)
    >>> round(float(motion.angle("hinge")[-1]), 9), round(float(motion.acceleration("crank")[-1, 0]), 6)
    (2.0, 0.302116)
    >>> round(float(motion.multipliers("motor")[-1, 0]), 9)  # minus the torque (0.01 + 1 * 0.1**2) * 4
    -0.08
    """
    who = "solve_kinematics"
    if not isinstance(model, Model | System):
        raise ModelError(f"{who}: expected a Model, not {show(model)}.")
    until = as_number(who, "until", until, above=0.0, unit="time")
    if output is not None and not isinstance(output, Output):
        raise ModelError(f"{who}: output must be an Output such as Output(every=0.01), not {show(output)}.")
    if step is not None and (isinstance(step, bool) or not isinstance(step, Real)):
        raise ModelError(f"{who}: step must be a number, not {show(step)}.")
    step = until / STORED if step is None else as_number(who, "step", step, above=1e-9 * until, unit="time")
    throw = as_flag(who, "throw", throw)
    system = model if isinstance(model, System) else compile_model(model)
    run = _Driven(system, until, step, output or Output(), tuple(keep_initial))
    run.follow()
    if throw and run.status is Status.LOCKED_UP:
        raise ConvergenceError(f"{run.equations.model}: {run.message} {run.status.value}", run.solution())
    return run.solution()


class _Driven:
    """One driven motion."""

    def __init__(self, system: System, until: float, step: float, output: Output, keep: tuple[Any, ...]) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        self.dyn = dyn = Dynamics(system)
        self.until, self.step = until, step
        self.output = output
        output.refuse_outside(0.0, until, "solve_kinematics")
        wanted = output.times(0.0, until)
        self.wanted = Output(every=step).times(0.0, until) or [] if wanted is None else wanted
        self.equations = eq = PositionEquations(dyn, "solve_kinematics")
        _refuse_what_acts(dyn)
        dyn.start_turns(0.0)
        check_supports(dyn, None)
        q, v = dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy()
        found = assemble(dyn, 0.0, q, v, keep)
        warn_of_changes(dyn, q, v * 0.0, found.q, found.v * 0.0, kept=bool(keep))
        self.redundant = found.redundant
        self.follower = Follower(eq, eq.border(eq.at(found.q, 0.0)), step, until)
        self.recorder = Recorder(dyn, output.energy)
        self.status, self.message = Status.DONE, ""
        self.singular: list[tuple[float, float]] = []
        started = self.follower.start(0.0, found.q)
        if started is None:
            raise ModelError(f"solve_kinematics: {eq.model}: the position at the start is singular.")
        self.now: Followed = started
        eq.accept(self.now.q)

    def follow(self) -> None:
        """All stored times, or those before a position that cannot be reached."""
        self._store(self._state(self.now), 0)
        bridge = None
        for t in self.wanted:
            before = self.now
            if bridge is not None and t <= bridge.new.t:
                self._store(bridge(t), 0)
                continue
            now = self._advance(t)
            bridge = self._bridge(before, now, t) if now.near or now.t < t else None
            if now.t < t and bridge is None:
                self._locked()
                break
            self._check_contradictions()
            self._store(self._state(self.now) if bridge is None else bridge(t), now.iterations)
        for begin, end in self.singular[:1]:
            warnings.warn(
                f"{self.equations.model}: between t = {begin:.6g} and {end:.6g} the motion passes a singular position, "
                f"where branches meet; the branch that goes on smoothly is followed. trace_kinematics finds the "
                f"others.",
                RuntimeWarning,
                stacklevel=3,
            )

    def _advance(self, t: float) -> Followed:
        """Go on to time t, or as far as possible, and note changes of the sign of the determinant."""
        last = self.now
        self.now, way = self.follower.advance(last, t)
        for found in way:
            if found.near:
                continue
            if found.sign * last.sign < 0.0:
                self.singular.append((last.t, found.t))
            last = found
        return self.now

    def _bridge(self, before: Followed, there: Followed, t: float) -> QuinticInterpolant | None:
        """What passes a nearly singular position at time t smoothly; None if the motion does not go on behind it."""
        speed = float(np.abs((self.equations.E.T @ before.v) / self.equations.size).max())
        reach = BRIDGE / max(speed, BRIDGE / self.step)
        h, self.follower.h = self.follower.h, reach
        self.now = before
        old = self._advance(t - reach) if t - reach > before.t else before
        new = self._advance(t + reach)
        self.follower.h = max(h, reach)
        if old.near or old.t < t - reach or new.near or new.t < t + reach:
            self.now = there
            return None
        return QuinticInterpolant(self._state(old), self._state(new), self.dyn.n_linear)

    def _state(self, now: Followed) -> StepState:
        """The state with its multipliers."""
        _, lam = accelerations(self.dyn, now.t, now.q, now.v)
        return StepState(now.t, now.q, now.v, now.a, now.a, lam, now.v, 0.0)

    def _store(self, state: StepState, iterations: int) -> None:
        dyn, record = self.dyn, self.recorder
        if record.n_states:
            dyn.set_time(state.t)
            dyn.residual(state.q, state.v, state.a, state.lam)
            power = record.energies.powers(state.q, state.v, state.lam) if self.output.energy else None
            record.count(state.t, state.t - record.last, iterations, 0.0, power)
        record.store(state)

    def _check_contradictions(self) -> None:
        """Equations that follow from others must not ask for something else than these."""
        eq, apart = self.equations, self.now.apart
        if eq.gap(apart) > CONTRADICTION:
            raise ModelError(
                f"solve_kinematics: {eq.model}: at t = {self.now.t:.6g} equations contradict each other: "
                f"{eq.worst(apart)}. Remove the driver, or the joint, that is one too many."
            )

    def _locked(self) -> None:
        """Say where and why no position was found."""
        eq, now = self.equations, self.now
        self.status = Status.LOCKED_UP
        self.message = f"no position was found beyond t = {now.t:.6g}."
        found = turning_point(eq, now.V, now.q, now.t)
        if found is not None and abs(found.t - now.t) <= 1e-3 * self.until:
            self.message = (
                f"the mechanism locks up at t = {found.t:.9g}: no position beyond it meets "
                f"{eq.involved(found.psi)} together."
            )

    def solution(self) -> TimeSolution:
        """What was found."""
        dyn = self.dyn
        counts = {
            "evaluations": dyn.evaluations, "factorisations": dyn.factorisations + self.follower.factorisations,
            "rejected": self.follower.rejected, "cpu_seconds": time.process_time() - self.cpu,
            "seconds": time.perf_counter() - self.wall,
        }  # fmt: skip
        return self.recorder.solution(
            [],
            counts=counts, redundant=self.redundant, status=self.status, message=self.message,
            settings={"analysis": "kinematics", "until": self.until, "step": self.step},
            extra={"singular": np.array(self.singular).reshape(-1, 2)},
        )  # fmt: skip


def _refuse_what_acts(dyn: Dynamics) -> None:
    """Refuse what has a memory of its own."""
    model = dyn.system.model
    names = [repr(item.name) for item in model.controllers]
    places: FloatArray = state_places(dyn).astype(np.float64)
    if len(places):
        names += [dyn.coordinates.describe(int(k)) for k in places]
    if names:
        raise ModelError(
            f"solve_kinematics: Model {model.name!r} has {', '.join(names[:5])}: what has states of its own acts in a "
            f"simulation only. Leave it out here, or use flexmbs.simulate."
        )
