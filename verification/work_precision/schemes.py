"""The table of the schemes of time integration that are compared with each other: a line for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import isfunction
from typing import Any, Literal

import flexmbs as fx

__all__ = ["CONTROLS", "SCHEMES", "Control", "Scheme"]

Control = Literal["step", "tolerance"]
"""What is made finer and finer: steps of one size, or the tolerance of `flexmbs.ErrorControl`."""

CONTROLS: dict[Control, str] = {"step": "fixed steps", "tolerance": "error control"}


@dataclass(frozen=True)
class Scheme:
    """One line: a short name, the scheme, and how it is made finer.

    Parameters
    ----------
    id : str
        What ``flexmbs bench --scheme`` takes.
    title : str
        In tables and figures.
    integrator : Integrator, or function of a step
        A scheme with a time constant of its own is given as a function at module level, which gets the coarsest step of
        the problem [s] and returns the scheme.
    controls : tuple of "step", "tolerance"
        Each makes a curve of its own. A scheme that is always run with error control leaves out ``"step"``.
    quick : bool
        Whether the fast case ``schemes-agree`` takes it; ``schemes-agree-all`` takes all.
    """

    id: str
    title: str
    integrator: Any
    controls: tuple[Control, ...] = ("step", "tolerance")
    quick: bool = True

    def on(self, step: float) -> Any:
        """The scheme for a problem with this coarsest step [s]."""
        return self.integrator(step) if isfunction(self.integrator) else self.integrator


def _alpha(**settings: Any) -> fx.GeneralizedAlpha:
    """Generalized-alpha with steps in Python, as those of all other schemes are: the same in short and long runs."""
    return fx.GeneralizedAlpha(compiled=False, **settings)


def _explicit(order: int, **settings: Any) -> fx.RungeKutta:
    """An explicit scheme with steps in Python, too."""
    return fx.RungeKutta(order=order, compiled=False, **settings)


def _rk4(constraints: Any) -> fx.RungeKutta:
    """The classical method with one way to keep the constraints."""
    return _explicit(4, constraints=constraints)


def baumgarte(step: float) -> fx.RungeKutta:
    """The classical method with Baumgarte's terms, whose time constant is the coarsest step."""
    return _rk4(fx.integrators.Baumgarte(time_constant=step))


SCHEMES: tuple[Scheme, ...] = (
    Scheme("alpha-2", "gen.-alpha, index 2, rho 0.9", _alpha(rho_inf=0.9)),
    Scheme("alpha-2-damped", "gen.-alpha, index 2, rho 0.6", _alpha(rho_inf=0.6), quick=False),
    Scheme("alpha-2-compiled", "gen.-alpha, index 2, compiled", fx.GeneralizedAlpha(rho_inf=0.9, compiled=True),
           ("step",), quick=False),
    Scheme("alpha-3", "gen.-alpha, index 3, rho 0.9", _alpha(rho_inf=0.9, index=3), quick=False),
    Scheme("alpha-3-damped", "gen.-alpha, index 3, rho 0.6", _alpha(rho_inf=0.6, index=3), quick=False),
    Scheme("hht", "HHT 0.1, index 2", replace(fx.GeneralizedAlpha.hht(0.1, index=2), compiled=False), quick=False),
    Scheme("augmented", "augmented Lagrangian", fx.AugmentedLagrangian(), quick=False),
    Scheme("bdf", "BDF, orders 1-5", fx.BDF(compiled=False), ("tolerance",)),
    Scheme("radau", "Radau IIA, order 5", fx.RadauIIA()),
    Scheme("energy", "energy-momentum", fx.EnergyMomentum()),
    Scheme("rk5", "RK 5(4), successive", _explicit(5)),
    Scheme("rk4", "RK 4, successive", _explicit(4), quick=False),
    Scheme("rk2", "RK 2, successive", _explicit(2), quick=False),
    Scheme("rk4-standard", "RK 4, standard", _rk4(fx.integrators.StandardProjection()), quick=False),
    Scheme("rk4-null-space", "RK 4, null space", _rk4(fx.integrators.NullSpace()), quick=False),
    Scheme("rk4-partitioning", "RK 4, partitioning", _rk4(fx.integrators.CoordinatePartitioning()), quick=False),
    Scheme("rk4-ascher", "RK 4, Ascher", _rk4(fx.integrators.AscherProjection()), quick=False),
    Scheme("rk4-baumgarte", "RK 4, Baumgarte", baumgarte, quick=False),
)  # fmt: skip
