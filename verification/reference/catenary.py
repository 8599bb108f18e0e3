r"""The elastic catenary: in closed form without bending stiffness, as a boundary-value problem with it.

Coordinates: x to the right, depth downwards from the upper support; s is the *unstretched* arc length from there; w is
the weight per unstretched length; H the horizontal tension, V the vertical force at the upper support. Law: N = EA
(|r'| - 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_number
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.verification.reference.chebyshev import grid
from flexmbs.verification.reference.rod import ENGINEERING, Rod, RodLaw
from flexmbs.verification.reference.rod_solver import RodGuess, RodSolution, solve_rod

__all__ = ["Catenary", "cable_with_bending", "elastic_catenary"]


@dataclass(frozen=True)
class Catenary:
    """A hanging elastic cable: stiffness, weight, length, and the forces that were solved for."""

    EA: float
    w: float
    length: float
    H: float
    V: float

    @property
    def sag_point(self) -> float:
        """Unstretched arc length where the cable is horizontal."""
        return self.V / self.w

    def position(self, s: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """x and depth at unstretched arc lengths, shape (..., 2)."""
        s = np.asarray(s, dtype=np.float64)
        start, here = self.V / self.H, (self.V - self.w * s) / self.H
        x = self.H * s / self.EA + self.H / self.w * (np.arcsinh(start) - np.arcsinh(here))
        depth = s / self.EA * (self.V - self.w * s / 2) + self.H / self.w * (np.hypot(1.0, start) - np.hypot(1.0, here))
        return np.stack([x, depth], axis=-1)

    def tension(self, s: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Tension at unstretched arc lengths."""
        return np.hypot(self.H, self.V - self.w * np.asarray(s, dtype=np.float64))


def elastic_catenary(EA: float, w: float, length: float, span: float, drop: float) -> Catenary:
    r"""Cable between (0, 0) and a support ``span`` to the right and ``drop`` below; accurate to about 1e-12.

    .. math::

        x(s) = \frac{H s}{EA} + \frac{H}{w}\left(\sinh^{-1}\frac{V}{H} - \sinh^{-1}\frac{V - w s}{H}\right), \quad
        d(s) = \frac{s}{EA}\left(V - \frac{w s}{2}\right)
               + \frac{H}{w}\left(\sqrt{1 + \frac{V^2}{H^2}} - \sqrt{1 + \frac{(V - w s)^2}{H^2}}\right)

    with H and V from x(length) = span, d(length) = drop by Newton's method in log H and V.

    References
    ----------
    H. M. Irvine, Cable Structures, MIT Press 1981, chapter 2.

    Examples
    --------
    >>> cable = elastic_catenary(EA=1e6, w=10.0, length=100.0, span=80.0, drop=20.0)
    >>> round(cable.H, 9), round(cable.V, 9)
    (354.934063502, 623.409921232)
    """
    for name, value in (("EA", EA), ("w", w), ("length", length), ("span", span)):
        as_number("catenary", name, value, above=0.0)
    as_number("catenary", "drop", drop)
    weight = w * length
    slack = length**2 - drop**2 - span**2
    estimate = (
        math.sqrt(max(6.0 * slack / span**2, 1e-4)) if slack > 0.0 else 0.1
    )  # half angle, Irvine's starting value
    H, V = weight / (2.0 * estimate) * span / length, weight / 2.0 * (1.0 + drop / (length * math.tanh(estimate)))
    for _ in range(200):
        miss = Catenary(EA, w, length, H, V).position(length) - np.array([span, drop])
        jacobian = _slopes(EA, w, length, H, V)
        d_log, d_V = np.linalg.solve(jacobian * np.array([H, 1.0]), -miss)
        factor = min(1.0, 1.0 / max(abs(d_log), abs(d_V) / weight))
        H, V = H * math.exp(factor * float(d_log)), V + factor * float(d_V)
        if max(abs(d_log), abs(d_V) / weight) < 1e-15 or (factor == 1.0 and np.abs(miss).max() < 4e-16 * length):
            break
    if not np.abs(Catenary(EA, w, length, H, V).position(length) - np.array([span, drop])).max() < 1e-12 * length:
        raise ConvergenceError("reference catenary: Newton's method did not converge.")
    return Catenary(EA, w, length, H, V)


def cable_with_bending(
    EI: float,
    EA: float,
    w: float,
    length: float,
    span: float,
    drop: float,
    *,
    law: RodLaw = ENGINEERING,
    points: int = 320,
) -> RodSolution:
    """The same cable with a small bending stiffness, hinged at both ends; ``y`` of the solution points upwards.

    The ends bend over a length sqrt(EI/H), which the Chebyshev points must resolve: that length must not be less than
    ``36 length/points^2``.

    Examples
    --------
    >>> cable = cable_with_bending(100.0, 1e6, 10.0, 100.0, 80.0, 20.0, points=160)
    >>> cable.error < 1e-9
    True
    """
    cable = elastic_catenary(EA, w, length, span, drop)
    layer = math.sqrt(EI / max(cable.tension(0.0), cable.tension(length)))
    if layer < 36.0 * length / points**2:
        raise ModelError(
            f"reference cable: the ends bend over a length of {layer:.2g}, too short for {points} points; "
            f"give points={math.ceil(6.0 * math.sqrt(length / layer))} or more."
        )
    S = length * grid(points)[0]
    vertical = cable.V - w * S
    theta = np.arctan2(-vertical, cable.H)
    moment = EI * w * cable.H / (cable.H**2 + vertical**2)
    moment[[0, -1]] = 0.0
    guess = RodGuess(theta, moment, np.array([cable.H, -cable.V]))
    rod = Rod(EI=EI, EA=EA, length=length, start_moment=0.0, load=(0.0, -w), end_x=span, end_y=-drop, law=law)
    return solve_rod(rod, points=points, guess=guess)


def _slopes(EA: float, w: float, length: float, H: float, V: float) -> NDArray[np.float64]:
    """Derivatives of the position of the end by H and V."""
    end = V - w * length
    r0, r1 = math.hypot(H, V), math.hypot(H, end)
    x_H = length / EA + (math.asinh(V / H) - math.asinh(end / H)) / w - (V / r0 - end / r1) / w
    x_V = H / w * (1.0 / r0 - 1.0 / r1)
    d_V = length / EA + (V / r0 - end / r1) / w
    return np.array([[x_H, x_V], [H / w * (1.0 / r0 - 1.0 / r1), d_V]])
