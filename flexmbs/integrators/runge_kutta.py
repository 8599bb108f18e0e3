r"""Explicit Runge-Kutta methods of orders 2, 4 and 5(4) on the index-1 form; how constraints are kept is exchangeable.

The stages lie in the chart at the start of the step, :math:`q = q_n \circ \exp\theta`, in which the motion is an
ordinary differential equation on a vector space (H. Munthe-Kaas, Appl. Numer. Math. 29 (1999) 115-127):

.. math:: \dot\theta = T^{-1}(\theta)\,v, \qquad \dot v = a(t, q_n \circ \exp\theta, v), \qquad
   \begin{bmatrix} M & G^T \\ G & 0 \end{bmatrix}\begin{bmatrix} a \\ \lambda \end{bmatrix} =
   -\begin{bmatrix} f \\ \gamma \end{bmatrix},

so rotations keep the full order and quaternions their length. Nothing is iterated. After the step the constraints g = 0
and G v + b = 0 are met again, and the accelerations of the state found there are the first stage of the next step.

Order 2: explicit midpoint. Order 4: the classical method of Kutta. Order 5: J. R. Dormand, P. J. Prince, J. Comput.
Appl. Math. 6 (1980) 19-26, with its embedded estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.chart import motion_curve, slopes, stage
from flexmbs.integrators.constraints.contracts import KeepsConstraints
from flexmbs.integrators.constraints.successive_projection import SuccessiveProjection
from flexmbs.integrators.contracts import StepResult, StepState, StepStatus
from flexmbs.integrators.index_one import IndexOne
from flexmbs.integrators.quintic import QuinticInterpolant
from flexmbs.integrators.redundancy import Redundancy
from flexmbs.integrators.seen_accelerations import refuse_states_that_see_accelerations
from flexmbs.integrators.stepper import Stepper, turned_too_far
from flexmbs.integrators.tableaux import CLASSICAL, DORMAND_PRINCE, MIDPOINT, Tableau
from flexmbs.kernels.steps import local

__all__ = ["RungeKutta"]

TABLEAUX = {2: MIDPOINT, 4: CLASSICAL, 5: DORMAND_PRINCE}
FAR = 1e6
"""An increment of a body this many times its size is growth without bound."""
REPORTED = 1.0
"""Tolerance of fixed steps, whose estimates only tell whether a step went wrong."""
LOST = 1.0
"""Estimated error of a step, over the size of a body, from which its result says nothing."""
MET = 1e-6
"""Violation of positions over the size of the model, after their projection, with which no step is accepted."""


@dataclass(frozen=True, kw_only=True)
class RungeKutta:
    r"""Explicit Runge-Kutta method of order 2, 4 or 5 with the constraints on accelerations.

    .. math:: \dot\theta = T^{-1}(\theta)\,v, \qquad \dot v = a, \qquad
       \begin{bmatrix} M & G^T \\ G & 0 \end{bmatrix}\begin{bmatrix} a \\ \lambda \end{bmatrix} =
       -\begin{bmatrix} f \\ \gamma \end{bmatrix}

    H. Munthe-Kaas, Appl. Numer. Math. 29 (1999) 115-127; J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980)
    19-26.

    Parameters
    ----------
    order : 2, 4 or 5
        Explicit midpoint, the classical method, Dormand and Prince's 5(4).
    constraints : object
        How the constraints are kept: `SuccessiveProjection`, `StandardProjection`, `AscherProjection`, `NullSpace`,
        `CoordinatePartitioning` or `Baumgarte`. Without constraints it does nothing.

    Raises
    ------
    ModelError
        If the order is another, or ``constraints`` is no such object.

    Notes
    -----
    Work per step: 2, 4 or 6 evaluations of the accelerations, each with a factorisation of [M, G^T; G, 0] (of M alone,
    once, without constraints), and that of the projection.

    Error control: orders 4 and 5 have embedded estimates, of positions and of h times the velocities: the error of the
    method of one order less, so that what is kept is better than what is controlled. That of order 4 has the weights
    (1/6, 1/3, 1/3, 0, 1/6), the last of which is for the derivatives at the end, the first stage of the next step.
    Order 2 compares the increment with the two-point formula of fourth order
    h/2 (th0' + th1') + h^2/12 (th0'' - th1''), which gives the local error itself. With fixed steps an estimate tells a
    step that has gone wrong, which is then divided; order 4 takes the two-point formula for this, too.

    Constraints that follow from the others are left out of the stages, which lie off the constraints, where such a row
    prescribes something of its own; they are found at the begin of a step, on the constraints.

    Limits: explicit. Steps must resolve the highest frequency of the model whether it moves or not: h omega below about
    2.8 (order 4), 1 (order 5), and for order 2 without damping small enough for (h omega)^4/8 per step not to add up.
    Flexible bodies and stiff contacts are for `GeneralizedAlpha`. First-order states must not read accelerations or
    multipliers. Coordinates without mass are treated where constraints determine them.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(1.0, 0.0), name="ball")
    >>> rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    >>> model = fx.Model(ball, rod, fx.Gravity((0.0, -9.81)))
    >>> run = fx.simulate(model, until=1.0, step=fx.ErrorControl(1e-9), integrator=RungeKutta(order=5))
    >>> bool(run.residuals[:, 0].max() < 1e-14), bool(abs(run.energy.total - run.energy.total[0]).max() < 1e-6)
    (True, True)
    """

    order: int = 4
    constraints: KeepsConstraints = field(default_factory=SuccessiveProjection)
    index: int = field(init=False, default=1)
    reference: str = field(init=False, default="Munthe-Kaas 1999; Dormand and Prince 1980")

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order not in TABLEAUX:
            raise ModelError(f"RungeKutta: order must be 2, 4 or 5, not {show(self.order)}.")
        keeps = self.constraints
        if isinstance(keeps, type) or not all(callable(getattr(keeps, name, None)) for name in ("check", "keeper")):
            found = f"the class {keeps.__name__}; write {keeps.__name__}()" if isinstance(keeps, type) else show(keeps)
            raise ModelError(
                f"RungeKutta: constraints must be an object such as SuccessiveProjection() or "
                f"Baumgarte(time_constant=0.05), not {found}."
            )

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Refuse states that read what is not known yet, and what the method for the constraints refuses."""
        refuse_states_that_see_accelerations(
            "RungeKutta", dynamics, "which an explicit scheme does not have before it evaluates the states"
        )
        if dynamics.n_c:
            self.constraints.check(IndexOne(dynamics), redundant)

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with the accelerations of the equations of motion."""
        keeper = self.constraints.keeper(IndexOne(dynamics))
        try:
            keeper.velocity(t, q, v)
            a, lam = keeper.accelerations(v)
        except SingularError as error:
            raise ModelError(
                f"RungeKutta: {error}. Explicit schemes need a mass for every coordinate that no constraint determines,"
                f" and positions that are not singular; take GeneralizedAlpha() for this model."
            ) from None
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the bodies."""
        return _Stepper(self, dynamics, tolerance)


class _Stepper(Stepper):
    """Steps of one scheme on one system."""

    def __init__(self, scheme: RungeKutta, dynamics: Dynamics, tolerance: float) -> None:
        super().__init__(scheme, dynamics, tolerance)
        self.tableau: Tableau = TABLEAUX[scheme.order]
        if scheme.order == 4 and tolerance >= REPORTED:  # of the order of the error itself, which is smaller
            self.tableau = CLASSICAL._replace(e=np.zeros(0), exponent=1.0 / 5.0)
        self.equations = IndexOne(dynamics)
        self.keeper = scheme.constraints.keeper(self.equations)
        self.redundancy = Redundancy(self.equations)
        stages, n_v = len(self.tableau.c), dynamics.n_v
        self._slopes, self._accelerations = np.empty((stages + 1, n_v)), np.empty((stages + 1, n_v))
        self._theta = np.empty(n_v)

    def forget(self) -> None:
        self.equations.forget()

    def between(self, old: StepState, new: StepState) -> QuinticInterpolant:
        """Quintic Hermite interpolation."""
        return QuinticInterpolant(old, new, self.dynamics.n_linear)

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        try:
            with np.errstate(all="ignore"):  # growth without bound is found by its result
                return self._step(state, h)
        except (FloatingPointError, np.linalg.LinAlgError):
            return self._grown(h, 0)

    def _step(self, state: StepState, h: float) -> StepResult:
        dyn, keeper, n_linear = self.dynamics, self.keeper, self.dynamics.n_linear
        c, A, b = self.tableau.c, self.tableau.A, self.tableau.b
        slope, acceleration, theta = self._slopes, self._accelerations, self._theta
        slope[0], acceleration[0] = state.v, state.a
        q1, v1 = np.empty_like(state.q), np.empty_like(state.v)
        n = len(c)
        self.redundancy.begin(state, keeper.meets)
        for i in range(1, n):
            stage(state.q, state.v, slope, acceleration, A[i], i, h, n_linear, theta, v1, q1)
            if not self._near(theta, v1):
                return self._grown(h, i)
            v = keeper.velocity(state.t + c[i] * h, q1, v1)
            slopes(theta, v, n_linear, slope[i])
            acceleration[i] = keeper.accelerations(v)[0]
        stage(state.q, state.v, slope, acceleration, b, n, h, n_linear, theta, v1, q1)
        if not self._near(theta, v1):
            return self._grown(h, n)
        if turned_too_far(dyn, theta):
            return self.failed(StepStatus.TURNED, n)
        q1, v1 = keeper.project(state.t + h, q1, v1)
        gap = self.equations.gap()
        if keeper.meets and gap > MET:
            dyn.r[: dyn.n_v] = 0.0  # the largest residual is the one that is reported by its name
            told = "the step is too large, or they cannot be met"
            away = f"the projection leaves the constraints apart by {gap:.3g} of the size of the model"
            return self.failed(StepStatus.SLOW, n, f"{away}: {told}")
        memory = self.redundancy.end(keeper.meets)
        a1, lam = keeper.accelerations(v1)
        local(state.q, q1, n_linear, theta)
        if not (self._near(theta, v1) and np.isfinite(a1).all() and np.isfinite(lam).all()):
            return self._grown(h, n)
        acceleration[n] = a1
        error = self._error(state, h, theta, v1, a1)
        if not error < LOST:
            return self._grown(h, n)
        new = StepState(state.t + h, q1, v1, a1, a1, lam, state.v, h, memory)
        return StepResult(new, error / self.tolerance, n, StepStatus.DONE, exponent=self.tableau.exponent)

    def _near(self, theta: FloatArray, v: FloatArray) -> bool:
        """Whether an increment is finite and of the size of the model."""
        return bool(self.dynamics.size_of(theta) < FAR and np.isfinite(v).all())

    def _error(self, state: StepState, h: float, theta: FloatArray, v1: FloatArray, a1: FloatArray) -> float:
        """Estimate of the local error; the end of the step has its accelerations."""
        dyn, e, n = self.dynamics, self.tableau.e, len(self.tableau.c)
        rate, second = np.empty_like(v1), np.empty_like(v1)
        motion_curve(theta, v1, a1, dyn.n_linear, rate, second)
        if len(e):
            self._slopes[n] = rate
            positions, velocities = h * (e @ self._slopes), h * h * (e @ self._accelerations)
            return max(dyn.size_of(positions), dyn.size_of(velocities))
        formula = 0.5 * h * (state.v + rate) + h * h / 12.0 * (state.a - second)
        return dyn.size_of(theta - formula)

    def _grown(self, h: float, stages: int) -> StepResult:
        """A step that has grown without bound."""
        return self.failed(
            StepStatus.DIVERGED, stages,
            f"the explicit scheme grows without bound with h = {abs(h):.3g}: take steps that resolve the fastest "
            f"vibration, or GeneralizedAlpha(), which need not",
        )  # fmt: skip
