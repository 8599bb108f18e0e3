r"""Energy-momentum: steps that keep the energy and both momenta of conservative systems to round-off.

With the mean velocity of a step as its increment, :math:`c = \tfrac{h}{2}(v_n + v_{n+1})`, positions move by c and
rotations by its Cayley map (`flexmbs.kernels.cayley`), and

.. math:: \frac{p_{n+1} - p_n}{h} + \bar f(q_n, q_{n+1}) + \bar G(q_n, q_{n+1})^T \bar\lambda = 0, \qquad
   g(q_{n+1}) = 0,

with the momenta p = M v (spin in inertial axes). The forces and constraint gradients are discrete gradients, item by
item: :math:`\bar f \cdot c = V(q_{n+1}) - V(q_n)` and :math:`\bar G c = g(q_{n+1}) - g(q_n) = 0`; so c times the first
equation is the balance of energy. O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449-467; Physica D 132 (1999) 165-174
(constraints); J. C. Simo and N. Tarnow, J. Appl. Math. Phys. 43 (1992) 757-792 (elastic bodies).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from flexmbs.core import linsolve
from flexmbs.core.checks import as_count, as_number
from flexmbs.core.contracts import FloatArray, State
from flexmbs.core.linsolve.band import Band
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.dynamics.step_matrix import StepMatrix
from flexmbs.integrators.conservative import element_kernels, refuse_what_is_not_conservative
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.implicit_step import DONE, ENDS, EPS, FAR, advance
from flexmbs.integrators.stepper import MOST_TURN, Stepper
from flexmbs.kernels.cayley import cayley_retract, spin_change
from flexmbs.kernels.inertia import inertia_force
from flexmbs.kernels.mean_markers import MEAN_KINDS
from flexmbs.kernels.mean_pairs import joints_between, springs_between
from flexmbs.kernels.pairs import pull_down
from flexmbs.kernels.steps import largest_gap, largest_turn, norm, yielded
from flexmbs.system.refusals import refuse_force, refuse_marker
from flexmbs.system.system import EvaluationError

__all__ = ["EnergyMomentum"]

NOISE = 8e3
"""How near round-off of the positions an increment has to be that has stopped falling: stiff forces amplify it."""
CLOSED = 1e-9
"""Largest violation of the constraints before the last increment, over the size of the model."""


@dataclass(frozen=True, kw_only=True)
class EnergyMomentum:
    r"""Conserves the energy, and the momenta that the loads and supports leave, of undamped systems; order 2.

    .. math:: \frac{p_{n+1} - p_n}{h} + \bar f + \bar G^T\bar\lambda = 0, \qquad \bar f \cdot c = V_{n+1} - V_n, \qquad
       \bar G c = g_{n+1} - g_n = 0, \qquad c = \tfrac{h}{2}(v_n + v_{n+1})

    O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449-467; Physica D 132 (1999) 165-174.

    Treats rigid bodies (also planar ones and point masses), absolute-nodal cables, joints made of positions, axes,
    distances and angles, dead loads such as gravity, and springs with linear or polynomial laws. Everything else is
    refused before the first step.

    Parameters
    ----------
    tolerance : float
        Error of an increment that may be left when the iteration ends, relative to the increment of the step; the drift
        of the energy is of this size per step. The default is round-off.
    max_iterations : int
        Iterations before a step is given up.

    Raises
    ------
    ModelError
        If a value is out of bounds; when a run begins, if the model is not conservative (damping, friction, prescribed
        motions, varying or follower loads, control, rolling) or has bodies or joints that are not treated exactly; the
        message names the item.

    Notes
    -----
    There is no numerical damping: motions that steps do not resolve, such as axial waves of stiff cables, stay in the
    solution, and steps much longer than their periods may not converge. Constraints hold at the end of each step; their
    rates G v oscillate about zero by an amount of order h^2. Accelerations and multipliers of a step are means that
    oscillate with them, by order h; those of the results are solved for at the end of the step, as at the start
    (order 2). Without `FixedStep` the steps are chosen by error, and still conserve.

    Examples
    --------
    >>> import flexmbs as fx
    >>> body = fx.RigidBody(1.0, (1.0, 2.0, 3.0), angular_velocity=(0.1, 5.0, 0.0), name="body")
    >>> run = fx.simulate(fx.Model(body), 1.0, step=0.02, integrator=fx.EnergyMomentum())
    >>> bool(abs(run.energy.balance).max() < 1e-12 * run.energy.kinetic[0])
    True
    """

    tolerance: float = 1e-16
    max_iterations: int = 12
    order: int = field(init=False, default=2)
    index: int = field(init=False, default=3)
    reference: str = field(init=False, default="Gonzalez 1996 and 1999; Simo and Tarnow 1992; Simo and Wong 1991")

    def __post_init__(self) -> None:
        as_number("EnergyMomentum", "tolerance", self.tolerance, above=0.0, maximum=1e-6)
        as_count("EnergyMomentum", "max_iterations", self.max_iterations, minimum=2)

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Refuse what is not conservative, or not treated exactly; redundant constraints can be treated."""
        refuse_what_is_not_conservative("EnergyMomentum", dynamics)

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with smoothed accelerations and multipliers, which serve as first guesses and as results."""
        a, lam = _solved(dynamics, t, q, v, h)
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return _Stepper(self, dynamics, tolerance)


def _solved(dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """Accelerations and multipliers at a state, smoothed as far as a step of size h cannot follow.

    The means over steps oscillate by order h where G v does by order h^2.
    """
    return accelerations(dynamics, t, q, v, smooth=(0.25 * h * h, 0.5 * h))


class _Stepper(Stepper):
    """Steps of one scheme on one system; the iteration matrix is exact and made anew in every iteration."""

    most_attempts = 2
    renew = full = exact = True

    def __init__(self, scheme: EnergyMomentum, dynamics: Dynamics, tolerance: float) -> None:
        super().__init__(scheme, dynamics, tolerance)
        self.most = scheme.max_iterations
        self.closed = self.met = CLOSED
        system, m = dynamics.system, dynamics.mechanics
        # The derivative of discrete gradients is not symmetric, and fills the blocks of joints.
        solver: Any = linsolve.choose(system.pattern, system.half_band, False, system.multipliers, system.border)
        if isinstance(solver, Band):
            solver.in_place = True
        dynamics.matrix = StepMatrix(system, np.ones(len(dynamics.B), dtype=bool), dynamics.seconds, solver)
        self._elements = element_kernels(dynamics)
        self._work = dynamics.workspace.work
        self._markers = dynamics.markers
        self._kinds = [(kind, MEAN_KINDS[kind.name], group) for kind, group in m.markers.groups]
        self._p0, self._R0 = dynamics.markers.p.copy(), dynamics.markers.R.copy()
        self._Jm, self._Je = np.zeros_like(dynamics.markers.JT), np.zeros_like(dynamics.markers.JT)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        """A step from a guess of its mean acceleration: that of the last step, or none."""
        dyn, n_v = self.dynamics, self.dynamics.n_v
        first = state.a if before is None else np.zeros_like(state.a)
        self.state, self.h = state, h
        self.c = self._held(h * state.v + (0.5 * h * h) * first)
        self.lam, self.q1, self._guessed = state.lam.copy(), np.empty(dyn.n_q), True
        self.noise = NOISE * EPS * max(dyn.position_size, norm(state.q[:n_v], dyn.mass) if dyn.n_q == n_v else 0.0)
        dyn.set_time(state.t + h)
        self._place(state.q, state.v)
        self._p0[:], self._R0[:] = self._markers.p, self._markers.R
        end, number = advance(self)
        if end != DONE:
            return self.failed(ENDS[end], number)
        return self._accept(state, h, self.c, self.q1, number)

    def linearise(self) -> bool:
        dyn, state, began = self.dynamics, self.state, perf_counter()
        cayley_retract(state.q, self.c, dyn.n_linear, dyn.angles_of_bodies, self.q1)
        self._evaluate(state, self.q1, (2.0 / self.h) * self.c - state.v, self.c, self.lam, self.h)
        dyn.seconds["evaluation"] += perf_counter() - began
        self._gap = largest_gap(dyn.r, dyn.n_v, dyn.equation_sizes, dyn.velocity_rows, self.h)
        dyn.factorise(1.0)
        return False

    evaluate = linearise

    def violation(self) -> float:
        return self._gap

    def correct(self) -> float:
        """Add an increment, whose error is judged by the increment of the step that it leads to."""
        dyn, wa = self.dynamics, 2.0 / (self.h * self.h)
        if self._guessed:  # what the last step has left; later, the energy asks for closed constraints
            yielded(self.lam, dyn.multiplier_compliance, dyn.velocity_rows, dyn.n_v, -1.0 / wa, -1.0 / wa, dyn.r)
            self._guessed = False
        d = dyn.solve(1.0 / wa, 1.0, 1.0)
        self.c += d[: dyn.n_v]
        self.lam += wa * d[dyn.n_v :]
        reach = norm(self.c, dyn.mass)
        self.floor = self.allowed = self.scheme.tolerance * reach
        self.far = FAR * (dyn.position_size + reach)
        return norm(d[: dyn.n_v], dyn.mass)

    def rates_met(self) -> bool:
        return True

    def turned(self) -> bool:
        dyn = self.dynamics
        return 2.0 * math.atan(0.5 * largest_turn(self.c, dyn.n_linear, dyn.angles_of_bodies)) > MOST_TURN

    def settled(self) -> bool:
        return True

    def _held(self, c: FloatArray) -> FloatArray:
        """The increment without its round-off where supports in turned frames hold, on which their reactions work."""
        fixation, dyn = self.dynamics.system.fixation, self.dynamics
        if not len(fixation.frame_dofs):
            return c
        whole = np.zeros(dyn.n_q)
        whole[: dyn.n_v] = c
        whole = fixation.to_frames(whole, fixation.frames0)
        whole[fixation.fixed] = 0.0
        return fixation.from_frames(whole, fixation.frames0)[: dyn.n_v]

    def _place(self, q: FloatArray, v: FloatArray) -> None:
        """Poses of the markers."""
        state = State(q, v, v, v)
        for kind, _, group in self._kinds:
            bad = kind.place(group, state, self.dynamics.env, self._markers)
            if bad >= 0:
                refuse_marker(self.dynamics.mechanics, kind, group, bad)

    def _evaluate(
        self, state: StepState, q1: FloatArray, v1: FloatArray, c: FloatArray, lam: FloatArray, h: float
    ) -> None:
        """The residual of the step, and its derivative by the increment, times h^2 / 2 and without the mass."""
        dyn, q0, weight = self.dynamics, state.q, 0.5 * h * h
        r, B = dyn.r, dyn.B
        dyn.evaluations += 1
        inertia_force(*dyn.mass_rows, (v1 - state.v) / h, dyn.given, r)
        for (kernel, group), term in zip(self._elements, dyn.system.terms, strict=False):
            bad = kernel(group, q0, q1, self._work, weight)
            if bad >= 0:
                raise EvaluationError(dyn.system.refusal(term, bad))
        m, work = dyn.mechanics, self._markers
        if len(m.rigid.dofs):
            spin_change(m.rigid.dofs, m.rigid.J, m.rigid.b1, c, v1, h, r, B)
        if not self._kinds:
            return
        self._place(q1, v1)
        Jm, Je = self._Jm, self._Je
        for _, mean, group in self._kinds:
            mean.jacobians(group, q0, q1, c, Jm, Je)
        W = work.W
        W[:] = 0.0
        ends = self._p0, self._R0, work.p, work.R, W, work.S, Jm, Je, weight
        if len(m.joints.mA):
            joints_between(m.joints, lam, *ends, r, B)
        if len(m.forces.mA):
            bad = springs_between(m.forces, *ends, B)
            if bad >= 0:
                refuse_force(m, bad, dyn.env.t)
        for _, mean, group in self._kinds:
            mean.pull(group, q0, q1, W, Je, weight, B)
        pull_down(m.markers.ptr, m.markers.dof, Jm, W, r)

    def _accept(self, state: StepState, h: float, c: FloatArray, q1: FloatArray, iterations: int) -> StepResult:
        """The new state, with the accelerations and multipliers of the equations of motion there."""
        dyn = self.dynamics
        cayley_retract(state.q, c, dyn.n_linear, dyn.angles_of_bodies, q1)
        v1 = (2.0 / h) * c - state.v
        a1, lam1 = _solved(dyn, state.t + h, q1, v1, h)
        dyn.residual(q1, v1, a1, lam1)
        error = h * h / 12.0 * dyn.size_of(a1 - state.a) / self.tolerance
        new = StepState(state.t + h, q1, v1, a1, a1, lam1, state.v, h)
        return StepResult(new, error, iterations, StepStatus.DONE)
