r"""Rods and chains that rotate steadily: the stretch of a spinning rod, the shape of a whirling chain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from flexmbs.core.errors import ConvergenceError
from flexmbs.verification.reference.chains import hanging_chain

__all__ = ["WhirlingChain", "spinning_rod_extension", "whirling_chain"]

FloatArray = NDArray[np.float64]


def spinning_rod_extension(length: float, EA: float, mass: float, omega: float) -> float:
    r"""Growth of a rod along a radius from the axis about which it spins.

    From :math:`EA\,u'' = -\mu\omega^2 (S + u)`, :math:`u(0) = 0`, :math:`u'(L) = 0`:

    .. math:: u(L) = \frac{\tan kL}{k} - L, \qquad k = \omega\sqrt{\mu/EA} .

    Examples
    --------
    >>> round(spinning_rod_extension(1.0, 3e6, 1.0, 1.0) * 9e6, 5)
    1.0
    """
    k = omega * math.sqrt(mass / EA)
    return math.tan(k * length) / k - length


@dataclass(frozen=True)
class WhirlingChain:
    """The shape of a chain whirling about the vertical axis through its upper end.

    All arrays (n,) go with the arc lengths from the top that were asked for: ``radius`` and ``height`` (negative) of
    the points, ``radius_slope`` and ``height_slope`` their derivatives, ``tension``.
    """

    radius: FloatArray
    height: FloatArray
    radius_slope: FloatArray
    height_slope: FloatArray
    tension: FloatArray


def whirling_chain(
    length: float, mass: float, gravity: float, omega: float, arcs: FloatArray, EA: float = math.inf
) -> WhirlingChain:
    r"""Steady whirl of a chain in its first mode, with the upper end on the axis.

    Let s run upwards from the free end, :math:`\rho` be the radius and :math:`h(s) = \int_0^s \rho`. What hangs below s
    pulls there with :math:`\mu g s` downwards and :math:`\mu\omega^2 h` outwards; both together are the tension N along
    the chain. So

    .. math:: h' = \rho, \qquad \rho' = -\lambda\,\mu\omega^2 h/N, \qquad z' = \lambda\,\mu g s/N, \qquad
              N = \mu\sqrt{(g s)^2 + (\omega^2 h)^2}, \qquad \lambda = 1 + N/EA,

    with :math:`h(0) = 0` and the radius of the free end such that :math:`\rho(L) = 0`.

    Raises
    ------
    ConvergenceError
        Below the critical speed :math:`\omega^2 L/g = j_{0,1}^2/4` of the inextensible chain, where it hangs straight.

    Examples
    --------
    >>> chain = whirling_chain(1.0, 1.0, 1.0, 2.891592981**0.5, np.array([0.0, 1.0]))
    >>> chain.radius.round(6).tolist(), float(chain.tension[0].round(6))
    ([0.0, 0.871169], 1.580377)
    """
    if omega <= hanging_chain(length, gravity, 1)[0]:
        raise ConvergenceError("reference of a whirling chain: below its critical speed the chain hangs straight.")

    def rates(s: float, state: FloatArray) -> list[float]:
        rho, h = state[0], state[1]
        out, down = (omega**2 * h / s, gravity) if s > 0.0 else (omega**2 * rho, gravity)
        total = math.hypot(out, down)
        stretch = 1.0 + mass * s * total / EA
        return [-stretch * out / total, rho, stretch * down / total]

    def integrated(rho: float, at: FloatArray) -> FloatArray:
        found = solve_ivp(rates, (0.0, length), [rho, 0.0, 0.0], "DOP853", t_eval=at, rtol=1e-12, atol=1e-14 * length)
        return np.asarray(found.y)

    end = np.array([length])
    # Weak whirl has a small radius, at which the upper end lies beyond the axis; a chain drawn straight out does not.
    tip = float(brentq(lambda a: integrated(a, end)[0, 0], 1e-4 * length, 2.0 * length, xtol=1e-15 * length))
    arcs = np.asarray(arcs, dtype=float)
    s = length - arcs
    order = np.argsort(s)
    values = np.empty((3, len(s)))
    values[:, order] = integrated(tip, s[order])
    top = integrated(tip, end)[2, 0]
    slopes = np.array([rates(a, state) for a, state in zip(s, values.T, strict=True)])
    tension = mass * np.hypot(gravity * s, omega**2 * values[1])
    radius = np.where(arcs == 0.0, 0.0, values[0])
    return WhirlingChain(radius, values[2] - top, -slopes[:, 0], -slopes[:, 2], tension)
