r"""A string that runs through two eyelets at constant speed.

With c the speed of waves on the string, v that of the string itself, and w(x, t) its deflection between eyelets at
x = 0 and L,

.. math:: \ddot w + 2 v\,\dot w' - (c^2 - v^2)\,w'' = 0, \qquad w(0) = w(L) = 0 .

Its free vibrations are :math:`w_n = \sin(n\pi x/L)\,\cos(\omega_n t + n\pi v x/(cL))` with

.. math:: \omega_n = \frac{n\pi\,(c^2 - v^2)}{c\,L} .

The points are not in phase: a wave runs down the string at c + v and back at c - v (Sack 1954).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MovingString"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class MovingString:
    """Wave speed c, speed v of the string, distance L of the eyelets.

    Examples
    --------
    >>> round(MovingString(50.0, 20.0, 10.0).frequency(1), 6)
    13.194689
    """

    c: float
    v: float
    length: float

    def frequency(self, n: int) -> float:
        """Circular frequency of mode n."""
        return n * math.pi * (self.c**2 - self.v**2) / (self.c * self.length)

    @property
    def echo(self) -> float:
        """Time of a disturbance downstream and back, which is also the period of mode 1."""
        return 2.0 * self.length * self.c / (self.c**2 - self.v**2)

    def mode(self, n: int, x: FloatArray, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Deflection of mode n with unit amplitude, its slope, and the transverse velocity of the material."""
        k = n * math.pi / self.length
        phase = self.frequency(n) * t + k * self.v / self.c * x
        deflection = np.sin(k * x) * np.cos(phase)
        slope = k * (np.cos(k * x) * np.cos(phase) - self.v / self.c * np.sin(k * x) * np.sin(phase))
        local = -self.frequency(n) * np.sin(k * x) * np.sin(phase)
        return deflection, slope, local + self.v * slope
