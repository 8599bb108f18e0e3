r"""Generalized-alpha on Lie groups, index 3 and stabilised index 2, with HHT and Newmark as special cases.

With the increment :math:`\Delta q` on the tangent space, the velocity v, the true acceleration :math:`\dot v` and the
auxiliary acceleration a,

.. math:: \Delta q = h v_n + h^2[(\tfrac12 - \beta) a_n + \beta a_{n+1}], \quad q_{n+1} = q_n \circ \exp \Delta q, \\
   v_{n+1} = v_n + h[(1 - \gamma) a_n + \gamma a_{n+1}], \quad
   (1 - \alpha_m) a_{n+1} + \alpha_m a_n = (1 - \alpha_f)\dot v_{n+1} + \alpha_f \dot v_n,

the equations of motion hold at the new time. *Index 3*: so do the constraints g = 0 (M. Arnold, O. Bruels, Multibody
Syst. Dyn. 18 (2007) 185-202; O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121-137). *Stabilised
index 2*: the velocities satisfy G v + g_t = 0, and the positions are drawn back to g = 0 along
:math:`M^{-1} G^T \eta` (in the metric of the iteration matrix), an increment that does not enter v (after M. Arnold,
O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149-179, with another metric).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.core.checks import as_flag, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.contracts import StepState
from flexmbs.integrators.driven import Driven
from flexmbs.integrators.implicit_step import MET, MET_RATE, NewtonOptions
from flexmbs.integrators.newmark_steps import Coefficients, NewmarkStepper
from flexmbs.kernels.steps import hold_back, largest_part, put_back, stretch

__all__ = ["GeneralizedAlpha"]

MANY = 600
"""Unknowns up to which a matrix that is no narrow band is made in every step."""


@dataclass(frozen=True, kw_only=True)
class GeneralizedAlpha:
    r"""Generalized-alpha of order 2 with chosen numerical damping.

    .. math:: \Delta q = h v_n + h^2[(\tfrac12 - \beta) a_n + \beta a_{n+1}], \quad
       v_{n+1} = v_n + h[(1 - \gamma) a_n + \gamma a_{n+1}], \quad
       (1 - \alpha_m) a_{n+1} + \alpha_m a_n = (1 - \alpha_f)\dot v_{n+1} + \alpha_f \dot v_n

    M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185-202; O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory
    48 (2012) 121-137.

    Parameters
    ----------
    rho_inf : float
        Spectral radius at infinite frequency, from 0 (what is not resolved is gone after a step) to below 1 (nothing
        is damped; refused for index 3, where the multipliers then do not converge, as are `newmark` with gamma = 1/2
        and `hht` with alpha = 0).
    index : 2 or 3
        Form of the constraints; without constraints both are the same.
    newton : NewtonOptions
    compiled : bool, optional
        Whether steps are made by a compiled driver, which gives the same numbers faster (docs/theory/compiled_driver);
        left out, where nothing prevents it and the run is long enough. With True what prevents it is an error.
    coefficients : (4,) sequence of float, optional
        :math:`\alpha_m, \alpha_f, \beta, \gamma` in place of those that follow from ``rho_inf``, which is then not
        used; `hht` and `newmark` give them.

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Notes
    -----
    Fixed steps: order 2 in positions and velocities. Multipliers: order 2 with index 2; with index 3 they start with
    an error of first order, which fades at a rate rho per step.

    Examples
    --------
    >>> scheme = GeneralizedAlpha(rho_inf=0.8)
    >>> round(scheme.beta, 4), round(scheme.gamma, 4)
    (0.3086, 0.6111)
    >>> GeneralizedAlpha.hht(0.1).alpha_f
    0.1
    """

    rho_inf: float = 0.9
    index: int = 2
    newton: NewtonOptions = field(default_factory=NewtonOptions)
    compiled: bool | None = None
    coefficients: tuple[float, float, float, float] | None = None
    alpha_m: float = field(init=False)
    alpha_f: float = field(init=False)
    beta: float = field(init=False)
    gamma: float = field(init=False)
    order: int = field(init=False, default=2)
    reference: str = field(init=False, default="Arnold and Bruels 2007; Bruels, Cardona and Arnold 2012")

    def __post_init__(self) -> None:
        owner = "GeneralizedAlpha"
        rho_inf = as_number(owner, "rho_inf", self.rho_inf, minimum=0.0, maximum=1.0)
        if isinstance(self.index, bool) or not isinstance(self.index, int) or self.index not in (2, 3):
            raise ModelError(f"{owner}: index must be 2 or 3, not {show(self.index)}.")
        if self.index == 3 and rho_inf == 1.0:
            raise ModelError(f"{owner}: with index 3 and rho = 1 the multipliers do not converge; take rho below 1.")
        if not isinstance(self.newton, NewtonOptions):
            raise ModelError(f"{owner}: newton must be NewtonOptions, not {show(self.newton)}.")
        if self.compiled is not None:
            as_flag(owner, "compiled", self.compiled)
        given = self.coefficients
        if given is None:
            values = _damped((2.0 * rho_inf - 1.0) / (rho_inf + 1.0), rho_inf / (rho_inf + 1.0))
        else:
            values = _checked(owner, given)
            object.__setattr__(self, "coefficients", values)
        for name, value in zip(("alpha_m", "alpha_f", "beta", "gamma"), values, strict=True):
            object.__setattr__(self, name, value)
        if self.index == 3 and given is not None and _radius(*values) > 1.0 - 1e-6:
            raise ModelError(
                f"{owner}: with index 3, beta = {self.beta:.4g} and gamma = {self.gamma:.4g} the multipliers do not "
                f"converge: nothing damps them; take index=2, or rho below 1."
            )
        # Of order 2 with this gamma alone; round-off does not change what was meant.
        off = abs(self.gamma - (0.5 + self.alpha_f - self.alpha_m))
        object.__setattr__(self, "order", 2 if off <= 1e-12 else 1)

    @classmethod
    def hht(
        cls, alpha: float = 0.1, *, index: int = 2, newton: NewtonOptions | None = None, compiled: bool | None = None
    ) -> GeneralizedAlpha:  # fmt: skip
        """Hilber, Hughes and Taylor's method, alpha from 0 to 1/3 (written without its minus sign)."""
        alpha = as_number("GeneralizedAlpha.hht", "alpha", alpha, minimum=0.0, maximum=1.0 / 3.0)
        rho_inf = (1.0 - alpha) / (1.0 + alpha) if alpha else 0.999
        return cls(
            rho_inf=rho_inf,
            index=index,
            newton=newton or NewtonOptions(),
            compiled=compiled,
            coefficients=_damped(0.0, alpha),
        )

    @classmethod
    def newmark(
        cls, beta: float = 0.25, gamma: float = 0.5, *, index: int = 2, newton: NewtonOptions | None = None,
        compiled: bool | None = None,
    ) -> GeneralizedAlpha:  # fmt: skip
        """Newmark's method; gamma = 1/2 is the only one of order 2."""
        beta = as_number("GeneralizedAlpha.newmark", "beta", beta, above=0.0, maximum=1.0)
        gamma = as_number("GeneralizedAlpha.newmark", "gamma", gamma, minimum=0.5, maximum=1.5)
        options = newton or NewtonOptions()
        return cls(rho_inf=0.999, index=index, newton=options, compiled=compiled, coefficients=(0.0, 0.0, beta, gamma))

    def check(self, dynamics: Dynamics, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def start(self, dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, h: float) -> StepState:
        """State at t with smoothed accelerations: [M + wq K + wv D, G^T; G, 0][a; lam] = [-f; gamma]."""
        a, lam = accelerations(dynamics, t, q, v, smooth=(self.beta * h * h, self.gamma * h))
        return StepState(t, q, v, a, a, lam, v, 0.0)

    def stepper(self, dynamics: Dynamics, tolerance: float) -> _Stepper:
        """What makes the steps; ``tolerance`` of error estimates, relative to the size of the positions."""
        return _Stepper(self, dynamics, tolerance)


def _damped(alpha_m: float, alpha_f: float) -> tuple[float, float, float, float]:
    """alpha_m, alpha_f, and the beta and gamma of order 2 with the most damping of high frequencies."""
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


def _radius(alpha_m: float, alpha_f: float, beta: float, gamma: float) -> float:
    """Spectral radius at infinite frequency, where q = 0 at the ends of steps; constraints of index 3 are like that."""
    roots = np.roots([beta, gamma + 0.5 - 2.0 * beta, beta - gamma + 0.5])
    return max(alpha_f / (1.0 - alpha_f), float(np.abs(roots).max(initial=0.0)))


def _checked(owner: str, given: object) -> tuple[float, float, float, float]:
    """alpha_m, alpha_f, beta, gamma as they were given."""
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 4:
        raise ModelError(
            f"{owner}: coefficients must be four numbers (alpha_m, alpha_f, beta, gamma), not {show(given)}; leave "
            f"them out and give rho, or take GeneralizedAlpha.hht or GeneralizedAlpha.newmark."
        )
    alpha_m = as_number(owner, "alpha_m of the coefficients", given[0], minimum=-1.0, maximum=0.5)
    alpha_f = as_number(owner, "alpha_f of the coefficients", given[1], minimum=0.0, maximum=0.5)
    beta = as_number(owner, "beta of the coefficients", given[2], above=0.0, maximum=1.0)
    return alpha_m, alpha_f, beta, as_number(owner, "gamma of the coefficients", given[3], minimum=0.5, maximum=1.5)


class _Stepper(Driven, NewmarkStepper):
    """Steps of one scheme on one system, by a compiled driver or by the loop in Python."""

    def __init__(self, scheme: GeneralizedAlpha, dynamics: Dynamics, tolerance: float) -> None:
        from flexmbs.integrators.compiled.choice import Choice
        from flexmbs.integrators.compiled.newton_step import NewtonForm

        coefficients = Coefficients(scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma)
        super().__init__(scheme, dynamics, tolerance, coefficients)
        refresh = scheme.newton.jacobian_update
        cheap = dynamics.system.n <= MANY or dynamics.matrix.static is not None
        self.refresh = ("step" if cheap else "on_demand") if refresh == "auto" else refresh
        self.on_rates = int(scheme.index == 2 and dynamics.n_c > 0)
        self._factored_at = math.nan
        self._held = np.empty(dynamics.n_v)
        self._rate_gap = 0.0
        self._form = NewtonForm(dynamics, coefficients, scheme.newton, scheme.index, self.refresh)
        self.choice = Choice(dynamics, scheme, tolerance, self._form)

    def forget(self) -> None:
        self._factored_at = math.nan
        self._prepare(None)

    def _prepare(self, call: tuple[StepState, float, bool] | None) -> None:
        self.prepared, self._form.prepared_for = call, math.nan if call is None else call[1]

    def behind_jump(self, state: StepState, h: float, same_size: bool = False) -> StepState:
        """As of all of the family; a step of fixed size begins with the factors."""
        new = super().behind_jump(state, h, same_size)
        self._factored_at = h
        if same_size and not self.dynamics.matrix.pivoting and self.dynamics.candidates is None:
            self._prepare((state, h, same_size))
        return new

    def auxiliary(self, state: StepState, h: float) -> FloatArray:
        scale = stretch(h, state.h_old)
        return state.aux if scale == 1.0 else state.a + scale * (state.aux - state.a)

    def predict(self, state: StepState, h: float, aux: FloatArray, first: FloatArray) -> None:
        super().predict(state, h, aux, first)
        kept = self.prepared is not None or self.refresh == "on_demand"
        self.renew = not (kept and self._factored_at == h)
        self._prepare(None)

    def linearise(self) -> bool:
        super().linearise()
        self._factored_at = self.h
        return False

    def correct(self) -> float:
        """One correction; of the stabilised index-2 form in two levels.

        First the correction y of the positions by what the increment d of the motion will leave of g, then d itself,
        with what y does to the velocity constraints. Returned is the size of d; that of y is judged by the violation of
        the positions.
        """
        if not self.on_rates:
            return super().correct()
        dyn, n_v = self.dynamics, self.dynamics.n_v
        rate = dyn.rates()
        self._rate_gap = largest_part(rate, dyn.equation_sizes)
        hold_back(dyn.r, rate, dyn.velocity_rows, n_v, self.wv, self._held)
        y = dyn.solve(0.0, 1.0, 1.0)
        dyn.rate_coupling(y, rate)
        put_back(self._held, rate, n_v, y, dyn.r, self.dq)
        self.recall(1.0 / self.wa, 1.0 / self.wa)
        return self.add(dyn.solve(1.0 / self.wa, -1.0, -1.0))

    def rates_met(self) -> bool:
        if not self.on_rates:
            return True
        speed = largest_part(self.v1, self.dynamics.velocity_sizes)
        return self._rate_gap <= MET_RATE * speed + MET / abs(self.h)
