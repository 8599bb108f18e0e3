r"""Static equilibrium of models that can move: r(q, lambda) = 0 and g(q) = 0 with v = a = 0.

Newton's method solves

.. math:: \begin{bmatrix} K + \mu M & G^T \\ G & 0 \end{bmatrix}
   \begin{bmatrix} \delta q \\ \delta\lambda \end{bmatrix} = - \begin{bmatrix} r \\ g \end{bmatrix}.

With mu = 0 first, as long as it goes downhill and not far. Where that fails, as for a mechanism that its loads do not
hold where it is, mu makes it an implicit step 1/mu of the flow :math:`M \dot q = -r`, which runs down to a *stable*
equilibrium; mu falls while the steps are short (pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J.
Numer. Anal. 35 (1998) 508-523). First-order states stand still, f(q, 0, x) = 0: their columns hold D instead of K.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.analysis.minimal import DENSE, Stability, stability
from flexmbs.analysis.newton import Iteration
from flexmbs.analysis.recorder import Recorder
from flexmbs.analysis.start_from import equilibrium_start
from flexmbs.assembly import assemble
from flexmbs.control.loop import ControlLoop
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.core.progress import Progress
from flexmbs.dynamics import Dynamics
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.linearisation import linearise_state, moved, state_places
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.start import check_supports
from flexmbs.system import EvaluationError, System

if TYPE_CHECKING:
    from flexmbs.analysis.static import StaticOptions
    from flexmbs.results.time import TimeSolution

__all__ = ["solve_equilibrium"]

PLAIN, RELAXED = 20, 400
"""Iterations of Newton's method, and of relaxation."""
SHORT, LONG = 0.2, 0.5
"""Increments, in radians and in lengths of the model, below which mu falls, and above which a step is refused."""
FALL = 1e-10
"""How far mu falls."""
LOST = 30.0
"""Way, in lengths of the model or radians, after which nothing will hold the model."""
ROUND = 1e-13
STAGNANT = 1e-7
NOISE = 1e-12
"""Accelerations relative to the largest K_ii / M_ii, in lengths of the model, that are round-off."""
EASY, HARD = 6, 12
OFTEN = 300
"""Unknowns up to which stability is looked at after every step."""


def solve_equilibrium(
    system: System, options: StaticOptions, start: StaticSolution | TimeSolution | None, throw: bool
) -> StaticSolution:
    """Equilibria of a system with mechanics; what `flexmbs.solve_static` calls, which see."""
    return _Analysis(system, options, start).run(throw)


class _NoEquilibriumError(Exception):
    """An attempt that led to no equilibrium."""


class _Analysis:
    """One analysis: the state reached, and what is recorded."""

    def __init__(self, system: System, options: StaticOptions, start: StaticSolution | TimeSolution | None) -> None:
        self.system, self.options = system, options
        self.dyn = dyn = Dynamics(system)
        self.name = f"Model {system.model.name!r}"
        self.zero = np.zeros(dyn.n_v)
        self.scale = np.ones(dyn.n_v)
        self.scale[system.coordinates.displacements] = dyn.length
        self.states = state_places(dyn)
        for force in system.model.forces:
            if any(row.states for row in getattr(force, "row_forces", ())):
                raise ModelError(
                    f"{self.name}: force {force.name!r} remembers its past, so that its equilibria depend on the way "
                    f"there; leave it out of the static analysis, or simulate until it rests."
                )
        if system.model.controllers:
            loop = ControlLoop(system.model.controllers)
            held = loop.outputs(loop.initial())
            dyn.mechanics.held[: len(held)] = held
        self._begin(start)
        self.scales: list[FloatArray] = []

    def _begin(self, start: StaticSolution | TimeSolution | None) -> None:
        """The first state, on the constraints."""
        dyn = self.dyn
        dyn.start_turns(0.0)
        q, self.v, self.lam = dyn.coordinates.reference.copy(), self.zero.copy(), np.zeros(dyn.n_c)
        self.v[self.states] = dyn.coordinates.velocity[self.states]
        if start is not None:
            q = equilibrium_start("solve_static", dyn, start, self.v)
        check_supports(dyn, None if start is None else q)
        dyn.prescribed.ramp(0.0, 0.0)
        found = assemble(dyn, 0.0, q, self.v)
        self.q, self.redundant = found.q, found.redundant
        dyn.residual(self.q, self.v, self.zero, self.lam)
        dyn.accept(self.q)

    def run(self, throw: bool) -> StaticSolution:
        """All load steps."""
        options, dyn = self.options, self.dyn
        recorder = Recorder(dyn, True)
        stable: list[bool] = []
        status, message = Status.DONE, ""
        stops = sorted({*options.at, *(np.linspace(0, 1, options.steps + 1)[1:] if options.steps else ()), 1.0})
        step = 1.0 if options.steps or not self._grows() else options.first_step
        s, last = 0.0, Stability(True, ())
        with Progress(f"equilibrium of {self.system.model.name!r}", options.progress) as progress:
            try:
                count = self._equilibrium(0.0, first=True)
                last = self._record(recorder, 0.0, 0.0, count, stable)
                while s < 1.0:
                    if recorder.n_steps > options.most_steps:
                        status, message = Status.STEP_TOO_SMALL, f"{options.most_steps} steps were made."
                        break
                    stop = next(x for x in stops if x > s * (1 + 1e-14))
                    target = stop if s + 1.001 * step >= stop else s + step
                    try:
                        count = self._equilibrium(target)
                    except _NoEquilibriumError as failure:
                        message = str(failure)
                        step = 0.5 * (target - s)
                        if step < options.smallest_step or not self._grows():
                            status = Status.STEP_TOO_SMALL
                            break
                        continue
                    message = ""
                    last = self._record(recorder, target, target - s, count, stable)
                    s = target
                    step = step if options.steps or count > HARD else (2.0 if count <= EASY else 1.0) * step
                    progress.show(s, f"load parameter {s:.3g}")
            except _NoEquilibriumError as failure:
                status, message = Status.STEP_TOO_SMALL, str(failure)
                recorder.store(self._state(0.0))
                self._keep_scales()
                stable.append(True)
            except KeyboardInterrupt:
                status, message = Status.INTERRUPTED, "interrupted from the keyboard."
        solution = self._solution(recorder, status, message, stable, last.free)
        self._warn(solution)
        if throw and status is Status.STEP_TOO_SMALL:
            raise ConvergenceError(
                f"{self.name}: no equilibrium beyond load parameter {s:.6g} of 1: {message} The exception's .solution "
                f"holds what was found.",
                solution,
            )
        return solution

    def _grows(self) -> bool:
        """Whether anything depends on the load parameter."""
        model = self.system.model
        loads = any(load.history is None or type(load.history).__name__ != "Constant" for load in model.loads)
        return loads or bool(self.dyn.prescribed.moving)

    def _record(self, recorder: Recorder, s: float, way: float, count: int, stable: list[bool]) -> Stability:
        """Store the state reached, and look at its stability."""
        dyn, state = self.dyn, self._state(s)
        if way:
            recorder.step(state, way, StepResult(state, 0.0, count, StepStatus.DONE))
        recorder.store(state)
        self._keep_scales()
        found = Stability(True, ())
        n = self.system.n
        if self.options.check_stability and (n <= OFTEN or (s == 1.0 and n <= DENSE)):
            found = stability(dyn, linearise_state(dyn, state))
        stable.append(found.stable)
        return found

    def _keep_scales(self) -> None:
        self.scales.append(self.dyn.env.scale[: len(self.system.model.loads)].copy())

    def _state(self, s: float) -> StepState:
        return StepState(s, self.q, self.v, self.zero, self.zero, self.lam, self.v, 0.0)

    def _solution(
        self, recorder: Recorder, status: Status, message: str, stable: list[bool], free: tuple[str, ...]
    ) -> StaticSolution:
        dyn, states = self.dyn, recorder.states
        n = len(states)
        return StaticSolution(
            system=self.system,
            q=np.array([x.q for x in states]),
            v=np.array([x.v for x in states]),
            lam=np.array([x.lam for x in states]).reshape(n, dyn.n_c),
            load_factors=np.array([x.t for x in states]),
            scales=np.array(self.scales).reshape(n, len(self.system.model.loads)),
            drives=np.zeros((n, len(self.system.fixation.drives))),
            time=states[-1].t,  # histories and motions go with the load factor
            stable=np.array(stable, dtype=bool),
            free=free,
            redundant=self.redundant,
            iterations=np.zeros((0, len(Iteration._fields))),
            status=status,
            message=message,
            settings=self.options,
            extra={"near": dyn.turns.memory()},
        )

    def _warn(self, solution: StaticSolution) -> None:
        if not solution.stable.all():
            first = solution.load_factors[int(np.argmin(solution.stable))]
            warnings.warn(
                f"{self.name}: the equilibrium is unstable from load parameter {first:.4g} on: the model would leave "
                f"it at the smallest disturbance. Start a little beside it to find a stable one.",
                RuntimeWarning,
                stacklevel=5,
            )
        elif solution.free and solution.status is Status.DONE:
            warnings.warn(
                f"{self.name}: the equilibrium is one of many: nothing holds {'; '.join(solution.free)}.",
                RuntimeWarning,
                stacklevel=5,
            )

    # --- one equilibrium ---------------------------------------------------------------------------------------------

    def _equilibrium(self, s: float, first: bool = False) -> int:
        """Go to the equilibrium at s; the number of iterations. On failure the state is as before."""
        dyn = self.dyn
        before = self.q, self.v, self.lam, dyn.turns.memory()
        dyn.prescribed.ramp(s, s)
        try:
            acceleration, stiffest = self._unbalanced()
            if first and acceleration <= NOISE * stiffest:
                return 0
            lam = self.lam
            try:
                return self._newton()
            except (_NoEquilibriumError, SingularError, EvaluationError):
                self.q, self.v, self.lam = before[0], before[1], lam
                dyn.turns.restore(before[3])
            return self._relax(acceleration, stiffest)
        except (_NoEquilibriumError, EvaluationError, SingularError) as error:
            self.q, self.v, self.lam = before[:3]
            dyn.turns.restore(before[3])
            raise _NoEquilibriumError(str(error)) from None

    def _unbalanced(self) -> tuple[float, float]:
        """Largest acceleration from rest, scaled, and the largest K_ii / M_ii; multipliers of least squares are set."""
        dyn = self.dyn
        dyn.T[:] = np.eye(3)
        dyn.tangent(self.q, self.v, self.zero, self.lam, (0.0, 0.0))
        dyn.factorise(1.0)
        d = dyn.solve(1.0, 0.0, 0.0)
        self.lam = self.lam + d[dyn.n_v :]
        a = d[: dyn.n_v].copy()
        a[self.states] = 0.0
        dyn.tangent(self.q, self.v, self.zero, self.lam, (1.0, 0.0))
        diagonal = np.zeros(dyn.n_v)
        for block in self.system.blocks:
            n, k = block.dofs.shape
            own = dyn.B[block.b1 : block.b1 + n * k * k].reshape(n, k, k)[:, np.arange(k), np.arange(k)]
            inside = block.dofs < dyn.n_v
            np.add.at(diagonal, block.dofs[inside], own[inside])
        heavy = dyn.mass > 0.0
        stiffest = float((np.abs(diagonal[heavy]) / dyn.mass[heavy]).max(initial=0.0))
        return float(np.abs(a / self.scale).max(initial=0.0)), stiffest

    def _increment(self, mu: float) -> tuple[FloatArray, FloatArray, float]:
        """Increments of (positions, states) and multipliers, and the curvature along them."""
        dyn = self.dyn
        dyn.T[:] = np.eye(3)
        if len(self.states):
            d = self._dense_increment(mu)
        else:
            dyn.tangent(self.q, self.v, self.zero, self.lam, (1.0, 0.0))
            force, gap = dyn.r[: dyn.n_v].copy(), dyn.r[dyn.n_v :].copy()
            dyn.factorise(mu)
            d = dyn.solve(1.0, 1.0, 0.0).copy()
            rows = dyn.velocity_rows == 0
            return d[: dyn.n_v], d[dyn.n_v :], float(-(force @ d[: dyn.n_v]) + d[dyn.n_v :][rows] @ gap[rows])
        return d[: dyn.n_v], d[dyn.n_v :], 0.0

    def _dense_increment(self, mu: float) -> FloatArray:
        """The same with first-order states and all that they read and drive."""
        dyn = self.dyn
        lin = linearise_state(dyn, self._state(dyn.env.t))
        n = len(lin.free)
        if n > DENSE:
            raise _NoEquilibriumError(f"statics with first-order states goes up to {DENSE} unknowns, and here are {n}")
        J = lin.K.toarray()
        J[:, lin.states] = lin.D.toarray()[:, lin.states]
        G = lin.G.toarray()
        A = np.block([[J + mu * lin.M.toarray(), G.T], [G, -np.diag(dyn.multiplier_compliance)]])
        dyn.residual(self.q, self.v, self.zero, self.lam)
        gap = np.where(dyn.velocity_rows == 0, dyn.r[dyn.n_v :], 0.0)
        b = -np.concatenate((lin.directions.T @ dyn.r[: dyn.n_v], gap))
        try:
            x = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            raise SingularError("the stiffness matrix is singular") from None
        return np.concatenate((lin.directions @ x[:n], x[n:]))

    def _advance(self, d: FloatArray, dlam: FloatArray) -> None:
        """Take an increment."""
        dyn = self.dyn
        step = d.copy()
        step[self.states] = 0.0
        self.q = moved(dyn, self.q, step)
        self.v = self.v.copy()
        self.v[self.states] += d[self.states]
        self.lam = self.lam + dlam
        dyn.residual(self.q, self.v, self.zero, self.lam)
        dyn.accept(self.q)

    def _size(self, d: FloatArray) -> tuple[float, float]:
        """Largest increment of positions, in lengths and radians, and of states, relative to them."""
        x = np.abs(d[self.states]) / np.maximum(1.0, np.abs(self.v[self.states]))
        rest = np.abs(d / self.scale)
        rest[self.states] = 0.0
        return float(rest.max(initial=0.0)), float(x.max(initial=0.0))

    def _newton(self) -> int:
        """Without regularisation; gives up when it goes far or uphill."""
        last, way = np.inf, 0.0
        for number in range(1, PLAIN + 1):
            d, dlam, curvature = self._increment(0.0)
            size, of_states = self._size(d)
            if not size <= LONG or (curvature < 0.0 and size > STAGNANT):
                raise _NoEquilibriumError("the iteration leaves the neighbourhood")
            self._advance(d, dlam)
            way = max(way, size)
            if self._done(max(size, of_states), last, way, number):
                return number
            last = max(size, of_states)
        raise _NoEquilibriumError(f"no equilibrium after {PLAIN} iterations")

    def _done(self, size: float, last: float, way: float, number: int) -> bool:
        if size <= max(ROUND, self.options.rtol * 0.1 * way) and number > 1:
            return True
        return size <= ROUND or (number > 4 and size <= STAGNANT and size > 0.3 * last)

    def _relax(self, acceleration: float, stiffest: float) -> int:
        """With mu M, down to a stable equilibrium."""
        mu = top = max(acceleration, 1e-14 * stiffest) / SHORT
        if mu == 0.0:
            return 0
        last, way, most = np.inf, 0.0, 0.0
        d = self.zero
        for number in range(1, RELAXED + 1):
            d, dlam, curvature = self._increment(mu)
            size, of_states = self._size(d)
            if not size <= LONG:
                mu *= max(4.0, size / SHORT) if np.isfinite(size) else 100.0
                continue
            if curvature < 0.0 and size > STAGNANT:
                mu *= 4.0
                continue
            top = max(top, mu)
            self._advance(d, dlam)
            way, most = way + size, max(most, size)
            if mu <= FALL * top and self._done(max(size, of_states), last, most, number):
                return number
            if way > LOST:
                break
            last = max(size, of_states)
            if size < SHORT:
                mu = max(0.2 * mu, FALL * top)
        if self._unbalanced()[0] <= NOISE * stiffest:
            return number
        raise _NoEquilibriumError(f"nothing holds {self._moving(d)}.")

    def _moving(self, d: FloatArray) -> str:
        """The coordinates that move most in an increment, in words."""
        share = np.abs(d / self.scale)
        share[self.states] = 0.0
        worst = [int(i) for i in np.argsort(-share)[:3] if share[i] > 0.1 * share.max()]
        return "; ".join(self.dyn.coordinates.describe(i) for i in worst) or "the model"
