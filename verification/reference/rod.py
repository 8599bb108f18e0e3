r"""Shear-rigid extensible planar rods as two-point boundary-value problems: laws, ends and loads.

The centre line obeys :math:`\mathbf r' = \lambda\,(\cos\theta, \sin\theta)`, primes by the *reference* arc length S.
Two laws, both with the energy per reference length:

.. math::

    \text{engineering:}\quad & \tfrac12 EA (\lambda - 1)^2 + \tfrac12 EI (\theta' - \kappa_0)^2, \\
    \text{Green:}\quad & \tfrac12 EA \left(\tfrac12(\lambda^2 - 1)\right)^2
                         + \tfrac12 EI (\theta'/\lambda - \kappa_0)^2.

Let **n** be the force that the part beyond S exerts on the part before it, :math:`n_t` and :math:`n_\nu` its
components along the tangent and the normal (the tangent turned by +90 degrees), and M the moment, conjugate to
:math:`\theta'`. Adding :math:`\int \mathbf n\cdot(\mathbf r' - \lambda\mathbf t)\,dS` to the energy and asking for a
stationary value with respect to r, theta and lambda gives

.. math::

    \mathbf n' = -\mathbf f, \qquad M' = -\lambda\, n_\nu, \qquad n_t = \partial W/\partial\lambda, \qquad
    M = \partial W/\partial\theta'.

For the engineering law :math:`\lambda = 1 + n_t/EA` and :math:`\theta' = \kappa_0 + M/EI`. For the Green law
:math:`\theta' = \lambda(\kappa_0 + \lambda M/EI)` and lambda is the root near 1 of
:math:`\tfrac12 EA(\lambda^3 - \lambda) - M(\kappa_0 + \lambda M/EI) = n_t`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.core.checks import as_array, as_number
from flexmbs.core.errors import ModelError

__all__ = ["ENGINEERING", "GREEN", "Rod", "RodLaw", "rod_rates"]


class RodLaw(NamedTuple):
    """Which strain measures the energy is made of; use `ENGINEERING` or `GREEN`."""

    name: str
    green: bool


#: |r'| - 1 and theta': bending by the reference length (Reissner without shear; Gerstmayr and Irschik 2008).
ENGINEERING = RodLaw("engineering strain, curvature per reference length", green=False)
#: (|r'|^2 - 1)/2 and theta'/|r'|: Green strain and geometric curvature (Berzeri and Shabana 2000).
GREEN = RodLaw("Green strain, geometric curvature", green=True)


@dataclass(frozen=True)
class Rod:
    """A planar rod from the origin, with what holds and loads it.

    Parameters
    ----------
    EI, EA : float
        Bending and axial stiffness; ``EA`` may be infinite.
    length : float
        Reference length.
    kappa0 : float
        Curvature of the stress-free shape (constant), positive where the tangent turns from x to y.
    start_angle : float
        Direction of the tangent at S = 0 [rad]; there the rod is clamped, unless
    start_moment : float, optional
        is given: then it is hinged there and M(0) has this value.
    force, follower : (float, float)
        At the end: a dead force by (x, y), a force by (tangent, normal) of the end.
    moment : float
        At the end.
    load : (float, float)
        Dead load per reference length by (x, y).
    end_x, end_y, end_angle : float, optional
        Prescribe them at the end instead of a force or a moment in that direction.
    law : RodLaw
        `ENGINEERING` or `GREEN`.
    """

    EI: float
    EA: float
    length: float = 1.0
    kappa0: float = 0.0
    start_angle: float = 0.0
    start_moment: float | None = None
    force: tuple[float, float] = (0.0, 0.0)
    follower: tuple[float, float] = (0.0, 0.0)
    moment: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)
    end_x: float | None = None
    end_y: float | None = None
    end_angle: float | None = None
    law: RodLaw = ENGINEERING

    def __post_init__(self) -> None:
        as_number("rod", "EI", self.EI, above=0.0)
        if not math.isinf(self.EA):
            as_number("rod", "EA", self.EA, above=0.0)
        elif self.law.green:
            raise ModelError("rod: the Green law needs a finite EA.")
        as_number("rod", "length", self.length, above=0.0)
        for name in ("kappa0", "start_angle", "moment"):
            as_number("rod", name, getattr(self, name))
        for name in ("force", "follower", "load"):
            as_array("rod", name, getattr(self, name), (2,))
        for name in ("start_moment", "end_x", "end_y", "end_angle"):
            if getattr(self, name) is not None:
                as_number("rod", name, getattr(self, name))


def rod_rates(rod: Rod, theta, moment, nx, ny):  # type: ignore[no-untyped-def]  # real or complex arrays
    """theta', M', x', y' where tangent, moment and internal force are ``theta``, ``moment``, ``(nx, ny)``."""
    c, s = np.cos(theta), np.sin(theta)
    along, across = nx * c + ny * s, ny * c - nx * s
    if rod.law.green:
        stretch = _green_stretch(rod, along, moment)
        turn = stretch * (rod.kappa0 + stretch * moment / rod.EI)
    else:
        stretch = 1.0 + along / rod.EA
        turn = rod.kappa0 + moment / rod.EI
    return turn, -stretch * across, stretch * c, stretch * s


def _green_stretch(rod: Rod, along, moment):  # type: ignore[no-untyped-def]  # real or complex arrays
    """The stretch that carries an axial force together with a moment, by Newton's method from 1."""
    stretch = np.ones_like(along)
    for _ in range(12):  # quadratic: the last ones carry the complex step to full accuracy
        force = 0.5 * rod.EA * (stretch**3 - stretch) - moment * (rod.kappa0 + stretch * moment / rod.EI)
        slope = 0.5 * rod.EA * (3.0 * stretch**2 - 1.0) - moment**2 / rod.EI
        stretch = stretch - (force - along) / slope
    return stretch
