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
from functools import partial

import numpy as np

from flexmbs.core.checks import as_flag, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.chart import slopes, stage
from flexmbs.integrators.constraints.contracts import KeepsConstraints
from flexmbs.integrators.constraints.successive_projection import SuccessiveProjection
from flexmbs.integrators.contracts import Solves, StepResult, StepState, StepStatus
from flexmbs.integrators.driven import Driven
from flexmbs.integrators.explicit_step import APART, DONE, MET, TURNED, advance, all_finite, estimated_error
from flexmbs.integrators.index_one import IndexOne
from flexmbs.integrators.quintic import QuinticInterpolant
from flexmbs.integrators.redundancy import Redundancy
from flexmbs.integrators.seen_accelerations import refuse_states_that_see_accelerations
from flexmbs.integrators.stepper import Stepper, turned_too_far
from flexmbs.integrators.tableaux import CLASSICAL, DORMAND_PRINCE, MIDPOINT, Tableau
from flexmbs.kernels.steps import local

__all__ = ["RungeKutta"]

TABLEAUX = {2: MIDPOINT, 4: CLASSICAL, 5: DORMAND_PRINCE}
REPORTED = 1.0
"""Tolerance of fixed steps, whose estimates only tell whether a step went wrong."""


def tableau_of(order: int, tolerance: float) -> Tableau:
    """The method of an order; that of order 4 estimates otherwise where its estimates are reported only."""
    tableau = TABLEAUX[order]
    if order == 4 and tolerance >= REPORTED:  # of the order of the error itself, which is smaller
        return CLASSICAL._replace(e=np.zeros(0), exponent=1.0 / 5.0)
    return tableau


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

    compiled : bool, optional
        Whether steps are made by a compiled driver, which gives the same numbers faster (docs/theory/compiled_driver);
        left out, where nothing prevents it and the run is long enough. With True what prevents it is an error.

    Raises
    ------
    ModelError
        If the order is another, ``constraints`` is no such object, or ``compiled`` neither True nor False.

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
    compiled: bool | None = None
    index: int = field(init=False, default=1)
    reference: str = field(init=False, default="Munthe-Kaas 1999; Dormand and Prince 1980")

    def __post_init__(self) -> None:
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order not in TABLEAUX:
            raise ModelError(f"RungeKutta: order must be 2, 4 or 5, not {show(self.order)}.")
        if self.compiled is not None:
            as_flag("RungeKutta", "compiled", self.compiled)
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


def _solved(
    scheme: RungeKutta, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Accelerations and multipliers at a state."""
    began = scheme.start(dynamics, t, q, v, 0.0)
    return began.a, began.lam


class _Stepper(Driven, Stepper):
    """Steps of one scheme on one system, by a compiled driver or by the loop in Python."""

    def __init__(self, scheme: RungeKutta, dynamics: Dynamics, tolerance: float) -> None:
        from flexmbs.integrators.compiled.choice import Choice
        from flexmbs.integrators.compiled.explicit_stages import ExplicitForm

        super().__init__(scheme, dynamics, tolerance)
        self.tableau = tableau_of(scheme.order, tolerance)
        self.equations = IndexOne(dynamics)
        self.keeper = scheme.constraints.keeper(self.equations)
        self.redundancy = Redundancy(self.equations)
        self.stages, n_v = len(self.tableau.c), dynamics.n_v
        self._weights = self.tableau.weights
        self._slopes, self._accelerations = np.empty((self.stages + 1, n_v)), np.empty((self.stages + 1, n_v))
        self._theta, self._rate, self._second = np.empty((3, n_v))
        self._sums = np.empty(len(dynamics.body_sizes))
        self.choice = Choice(dynamics, scheme, tolerance, ExplicitForm(scheme, self.equations, self.tableau))

    def forget(self) -> None:
        self.equations.forget()

    def between(self, old: StepState, new: StepState) -> QuinticInterpolant:
        """Quintic Hermite interpolation."""
        return QuinticInterpolant(old, new, self.dynamics.n_linear)

    @property
    def solves(self) -> Solves | None:
        """Where there are multipliers, the equations of motion: steps are short beside all that vibrates."""
        return partial(_solved, self.scheme, self.dynamics) if self.dynamics.n_c else None

    def attempt(self, state: StepState, h: float, before: StepResult | None) -> StepResult:
        try:
            with np.errstate(all="ignore"):  # growth without bound is found by its result
                return self._step(state, h)
        except (FloatingPointError, np.linalg.LinAlgError):
            return self._grown(h, 0)

    def _step(self, state: StepState, h: float) -> StepResult:
        self.state, self.h = state, h
        self._slopes[0], self._accelerations[0] = state.v, state.a
        self.q1, self.v1 = np.empty_like(state.q), np.empty_like(state.v)
        self.a1, self.lam = state.a, state.lam
        self.redundancy.begin(state, self.keeper.meets)
        status, number, error = advance(self)
        if status == TURNED:
            return self.failed(StepStatus.TURNED, number)
        if status == APART:
            dyn = self.dynamics
            dyn.r[: dyn.n_v] = 0.0  # the largest residual is the one that is reported by its name
            told = "the step is too large, or they cannot be met"
            gap = self.equations.gap()
            away = f"the projection leaves the constraints apart by {gap:.3g} of the size of the model"
            return self.failed(StepStatus.SLOW, number, f"{away}: {told}")
        if status != DONE:
            return self._grown(h, number)
        a1 = self.a1
        new = StepState(state.t + h, self.q1, self.v1, a1, a1, self.lam, state.v, h, self._memory)
        return StepResult(new, error / self.tolerance, number, StepStatus.DONE, exponent=self.tableau.exponent)

    # --- what `explicit_step.advance` asks for ------------------------------------------------------------------------

    def place(self, number: int) -> float:
        state, dyn = self.state, self.dynamics
        stage(
            state.q, state.v, self._slopes, self._accelerations, self._weights[number], number, self.h, dyn.n_linear,
            self._theta, self.v1, self.q1,
        )  # fmt: skip
        return dyn.size_of(self._theta)

    def finite(self) -> bool:
        return all_finite(self.v1)

    def turned(self) -> bool:
        return turned_too_far(self.dynamics, self._theta)

    def project(self) -> bool:
        self.q1, self.v1 = self.keeper.project(self.state.t + self.h, self.q1, self.v1)
        return False

    def evaluate(self, number: int) -> bool:
        if number < self.stages:  # the end has been evaluated by its projection
            time = self.state.t + self.tableau.c[number] * self.h
            self._v = self.keeper.velocity(time, self.q1, self.v1)
            slopes(self._theta, self._v, self.dynamics.n_linear, self._slopes[number])
        return False

    def apart(self) -> bool:
        return self.keeper.meets and self.equations.gap() > MET

    def accelerate(self, number: int) -> bool:
        end = number == self.stages
        if end:
            self._memory = self.redundancy.end(self.keeper.meets)
        self.a1, self.lam = self.keeper.accelerations(self.v1 if end else self._v)
        self._accelerations[number] = self.a1
        return False

    def measure(self) -> float:
        local(self.state.q, self.q1, self.dynamics.n_linear, self._theta)
        return self.dynamics.size_of(self._theta)

    def settled(self) -> bool:
        return all_finite(self.a1) and all_finite(self.lam)

    def estimate(self) -> float:
        dyn, state = self.dynamics, self.state
        return estimated_error(
            self.tableau.e, self.h, state.v, state.a, self._theta, self.v1, self.a1, dyn.n_linear, self._slopes,
            self._accelerations, self._rate, self._second, dyn.mass, dyn.body_of, dyn.body_sizes, self._sums,
        )  # fmt: skip

    def _grown(self, h: float, stages: int) -> StepResult:
        """A step that has grown without bound."""
        return self.failed(
            StepStatus.DIVERGED, stages,
            f"the explicit scheme grows without bound with h = {abs(h):.3g}: take steps that resolve the fastest "
            f"vibration, or GeneralizedAlpha(), which need not",
        )  # fmt: skip
