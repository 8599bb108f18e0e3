r"""The inextensible planar elastica in closed form, by elliptic integrals.

Legend: F, E incomplete, K, E complete elliptic integrals of the first and second kind with modulus k; lengths by the
length L of the beam, loads by EI/L^2. Accuracy: about 1e-14 in each figure over the stated ranges.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc, ellipkm1

from flexmbs.core.checks import as_number

__all__ = ["BuckledColumn", "Tip", "buckled_column", "cantilever_tip_load", "cantilever_tip_moment"]

_LARGEST_LOAD = 25.0


class Tip(NamedTuple):
    """The free end: position ``x``, ``y`` and rotation ``theta`` [rad]; lengths by the length of the beam."""

    x: float
    y: float
    theta: float


class BuckledColumn(NamedTuple):
    """A buckled column: load by the critical load, and position of the tip along and across it by the length."""

    load: float
    x: float
    y: float


def cantilever_tip_load(load: float) -> Tip:
    r"""Tip of a cantilever under a dead force across its undeformed axis.

    With the tip rotation :math:`\varphi`, :math:`k^2 = (1 + \sin\varphi)/2` and :math:`\sin\varphi_1 = 1/(k\sqrt2)`,

    .. math:: \sqrt{P L^2/EI} = K(k) - F(\varphi_1, k), \quad
              y/L = 1 - 2\,\frac{E(k) - E(\varphi_1, k)}{\sqrt{P L^2/EI}}, \quad
              x/L = \sqrt{\frac{2 \sin\varphi}{P L^2/EI}}.

    Parameters
    ----------
    load : float
        P L^2/EI, from 0 (not included) to 25: beyond, the tip is too close to a right angle for double precision.

    References
    ----------
    K. E. Bisshopp and D. C. Drucker, Large deflection of cantilever beams, Quart. Appl. Math. 3 (1945) 272-275.

    Examples
    --------
    >>> round(cantilever_tip_load(1.0).theta, 12)
    0.461351949712
    """
    load = as_number("elastica", "load", load, above=0.0, maximum=_LARGEST_LOAD)
    alpha = math.sqrt(load)

    def miss(phi: float) -> float:
        m, phi_1 = _modulus(phi)
        return float(ellipk(m) - ellipkinc(phi_1, m)) - alpha

    phi = float(brentq(miss, 1e-12, math.pi / 2 - 1e-9, xtol=1e-16, rtol=8.9e-16, maxiter=500))
    m, phi_1 = _modulus(phi)
    return Tip(
        x=math.sqrt(2.0 * math.sin(phi)) / alpha,
        y=1.0 - 2.0 * float(ellipe(m) - ellipeinc(phi_1, m)) / alpha,
        theta=phi,
    )


def cantilever_tip_moment(angle: float) -> Tip:
    """Tip of a cantilever bent by an end moment to an arc of ``angle`` = M L/EI [rad]; exact with any axial stiffness.

    Examples
    --------
    >>> import math
    >>> tip = cantilever_tip_moment(math.pi)
    >>> abs(tip.x) < 1e-15, round(tip.y, 12)
    (True, 0.636619772368)
    """
    angle = as_number("elastica", "angle", angle)
    half = angle / 2.0
    chord = math.sin(half) / half if half else 1.0
    return Tip(x=chord * math.cos(half), y=chord * math.sin(half), theta=angle)


def buckled_column(tip_angle: float) -> BuckledColumn:
    r"""Column clamped at the foot and free at the tip under a dead axial load, for a given rotation of the tip.

    .. math:: k = \sin(\alpha/2), \quad P/P_{cr} = (2K/\pi)^2, \quad x/L = 2E/K - 1, \quad y/L = 2k/K,
              \quad P_{cr} = \pi^2 EI/(4 L^2).

    Parameters
    ----------
    tip_angle : float
        alpha [rad], above 0 and below pi.

    References
    ----------
    S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability, 2nd ed., section 2.7.

    Examples
    --------
    >>> import math
    >>> round(buckled_column(math.radians(60)).load, 10)
    1.1517196205
    """
    angle = as_number("elastica", "tip angle", tip_angle, above=0.0, below=math.pi)
    k = math.sin(angle / 2.0)
    big_k, big_e = float(ellipkm1(math.cos(angle / 2.0) ** 2)), float(ellipe(k * k))
    return BuckledColumn(load=(2.0 * big_k / math.pi) ** 2, x=2.0 * big_e / big_k - 1.0, y=2.0 * k / big_k)


def _modulus(phi: float) -> tuple[float, float]:
    """Parameter m = k^2 and amplitude phi_1 for a tip rotation; the amplitude without loss of digits near pi/2."""
    s = math.sin(phi)
    return (1.0 + s) / 2.0, math.atan2(1.0, math.sqrt(s))
