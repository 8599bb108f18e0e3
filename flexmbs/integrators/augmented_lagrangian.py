r"""Index-3 augmented Lagrangian with mass-orthogonal projections of velocities and accelerations; trapezoidal rule.

With the increment :math:`\Delta q = h (v_n + v_{n+1})/2`, :math:`q_{n+1} = q_n \circ \exp \Delta q` and
:math:`v_{n+1} = v_n + h (a_n + a_{n+1})/2`, equilibrium at the new time and the update of the multipliers,

.. math:: M a + f(q, v, t) + G^T (\alpha g + \lambda^*) = 0, \qquad \lambda^*_{k+1} = \lambda^*_k + \alpha g,

are iterated together to g = 0. The velocities v* and accelerations a* found are then moved onto their constraints in
the metric of the matrix :math:`W = M + \tfrac h2 D + \tfrac{h^2}{4} K`,

.. math:: (W + \tfrac{h^2}{4} G^T \alpha G)\, v = W v^* - \tfrac{h^2}{4} G^T \alpha g_t, \qquad
   (W + \tfrac{h^2}{4} G^T \alpha G)\, a = W a^* - \tfrac{h^2}{4} G^T \alpha (\dot G v + \dot g_t).

Multipliers are at last those of the projected accelerations: equilibrium in the directions of the constraints,
:math:`G W^{-1} (M a + f + G^T \lambda) = 0`; those of a* are of first order only.

E. Bayo, R. Ledesma, Nonlinear Dynamics 9 (1996) 113-130; J. Cuadrado, J. Cardenal, E. Bayo, Multibody Syst. Dyn. 1
(1997) 259-280. All is solved in the form [W, G^T; G, -C] with :math:`C = 4/(h^2 \alpha)`, which is the same without the
loss of figures of a large penalty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_flag, as_number, show
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.compliance import COMPLIANCE, compliances
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.constraint_product import add_constraint_product
from flexmbs.integrators.contracts import StepResult, StepState
from flexmbs.integrators.driven import Driven
from flexmbs.integrators.implicit_step import NewtonOptions
from flexmbs.integrators.newmark_steps import Coefficients, NewmarkStepper
from flexmbs.integrators.seen_accelerations import refuse_states_that_see_accelerations
from flexmbs.kernels.steps import largest, untwist

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["AugmentedLagrangian"]

TRAPEZOIDAL = Coefficients(0.0, 0.0, 0.25, 0.5)
CLOSED = 1e-12
"""Violation of positions over the size of the model that counts as round-off."""
PROJECTIONS, LESS = 3, 0.1
"""Solutions of a projection at most, and the share that one may leave for another to follow."""


@dataclass(frozen=True, kw_only=True)
class AugmentedLagrangian:
    r"""Augmented Lagrangian of index 3 with projected velocities and accelerations, trapezoidal rule, order 2.

    .. math:: M a + f + G^T (\alpha g + \lambda^*) = 0, \qquad \lambda^*_{k+1} = \lambda^*_k + \alpha g

    E. Bayo, R. Ledesma, Nonlinear Dynamics 9 (1996) 113-130; J. Cuadrado, J. Cardenal, E. Bayo, Multibody Syst. Dyn. 1
    (1997) 259-280.

    Parameters
    ----------
    penalty : float
        :math:`\alpha h^2/4` of each constraint, relative to the mass that it moves, :math:`1/(G M^{-1} G^T)_{ii}` in
        the reference configuration, from 1e3 to 1e12. It has no unit, needs no change with the model or the step, and
        does not change what the iteration converges to.
    newton : NewtonOptions
        Its ``jacobian_update`` is ``"full"`` or anything else: the matrix is made in every iteration, or once a step
        and where convergence slows down; a second one at the end of the step is for the projections.
    compiled : bool, optional
        Whether steps are made by a compiled driver, which gives the same numbers faster (docs/theory/compiled_driver);
        left out, where nothing prevents it and the run is long enough. With True what prevents it is an error.

    Raises
    ------
    ModelError
        If a value is out of bounds; when a run begins, if there are joints and a first-order state reads accelerations
        or multipliers.

    Notes
    -----
    Order 2 in positions, velocities, accelerations and multipliers, which satisfy their constraints at the end of every
    step. Redundant constraints and singular positions need no special treatment: multipliers that are not determined
    stay those of least norm.

    The trapezoidal rule does not damp: stiff flexible bodies in large motions can gain energy until the iteration
    fails; take `GeneralizedAlpha` or `RadauIIA` for them. The projections take energy off, less than the energy is off
    within a swing; the method does not conserve.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(1.0, 0.0, 0.0), name="ball")
    >>> rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0, 0.0)), ball.centre, name="rod")
    >>> model = fx.Model(ball, rod, fx.Gravity((0.0, 0.0, -9.81)))
    >>> run = fx.simulate(model, until=2.0, step=5e-3, integrator=fx.AugmentedLagrangian())
    >>> bool(run.residuals.max() < 1e-10), bool(abs(run.energy.balance).max() < 1e-2)
    (True, True)
    """

    penalty: float = 1e10
    newton: NewtonOptions = field(default_factory=NewtonOptions)
    compiled: bool | None = None
    order: int = field(init=False, default=2)
    index: int = field(init=False, default=3)
    reference: str = field(init=False, default="Bayo and Ledesma 1996; Cuadrado, Cardenal and Bayo 1997")

    def __post_init__(self) -> None:
        owner = "AugmentedLagrangian"
        as_number(owner, "penalty", self.penalty, minimum=1e3, maximum=1e12)
        if not isinstance(self.newton, NewtonOptions):
            raise ModelError(f"{owner}: newton must be NewtonOptions, not {show(self.newton)}.")
        if self.compiled is not None:
            as_flag(owner, "compiled", self.compiled)

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Refuse states that read accelerations and multipliers before they are projected: of order 1."""
        if dynamics.n_c:
            refuse_states_that_see_accelerations(
                "AugmentedLagrangian", dynamics, "which are of first order only until they are projected after the step"
            )

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with smoothed accelerations, W in the place of M, as in `GeneralizedAlpha`."""
        a, lam = accelerations(dynamics, t, q, v, smooth=(TRAPEZOIDAL.beta * h * h, TRAPEZOIDAL.gamma * h))
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return _Stepper(self, dynamics, tolerance)


class _Stepper(Driven, NewmarkStepper):
    """Steps of the scheme on one system, by a compiled driver or by the loop in Python.

    Nothing is kept between them.
    """

    def __init__(self, scheme: AugmentedLagrangian, dynamics: Dynamics, tolerance: float) -> None:
        from flexmbs.integrators.compiled.choice import Choice
        from flexmbs.integrators.compiled.newton_step import ProjectedForm

        super().__init__(scheme, dynamics, tolerance, TRAPEZOIDAL)
        before = dynamics.turns.memory()
        dynamics.turns.reset()  # frames of cables are counted among the reference configuration
        self.compliance = compliances(dynamics.system, dynamics.mass) / (COMPLIANCE * scheme.penalty)
        dynamics.turns.restore(before)
        self.closed = CLOSED
        form = ProjectedForm(dynamics, TRAPEZOIDAL, scheme.newton, self.compliance)
        self.choice = Choice(dynamics, scheme, tolerance, form)

    def accept(self, state: StepState, h: float, aux: FloatArray, iterations: int) -> StepResult:
        self.v1, self.vd1, self.lam = self._project(self.q1, self.v1, self.vd1, self.lam, self.weights)
        return super().accept(state, h, aux, iterations)

    def _project(
        self, q1: FloatArray, v1: FloatArray, a1: FloatArray, lam: FloatArray, weights: tuple[float, float]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Velocities and accelerations on their constraints, and the multipliers that belong to them."""
        dyn, n_v = self.dynamics, self.dynamics.n_v
        if not dyn.n_c:
            dyn.residual(q1, v1, a1, lam)
            return v1, a1, lam
        untwist(dyn.T)
        dyn.tangent(q1, v1, a1, lam, weights)
        rate = dyn.rates()
        dyn.factorise(1.0, self.compliance)
        before = math.inf
        for _ in range(PROJECTIONS):
            if not LESS * before > largest(rate, 0) > 0.0:
                break
            before = largest(rate, 0)
            v1 = v1 + self._onto(rate)
            dyn.residual(q1, v1, a1, lam)
            rate = dyn.rates()
        gamma = dyn.gamma(q1, v1)
        before = math.inf
        for _ in range(PROJECTIONS + 1):
            gap = gamma.copy()
            add_constraint_product(dyn, a1, gap)
            if not LESS * before > largest(gap, 0) > 0.0:
                break
            before = largest(gap, 0)
            a1 = a1 + self._onto(gap)
        if dyn.compliant:  # those of least norm
            lam = np.zeros_like(lam)
        dyn.residual(q1, v1, a1, lam)
        dyn.r[n_v:] = 0.0
        return v1, a1, lam + dyn.solve(1.0, 1.0, 1.0)[n_v:]

    def _onto(self, rate: FloatArray) -> FloatArray:
        """The change (n_v,) of velocities or accelerations that takes off a violation of their constraints."""
        dyn = self.dynamics
        dyn.r[: dyn.n_v] = 0.0
        dyn.r[dyn.n_v :] = rate
        return dyn.solve(1.0, 1.0, 1.0)[: dyn.n_v]
