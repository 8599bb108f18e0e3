"""Frequencies of a strip under tension between two rollers: a beam under tension, and a shaft under tension."""

from __future__ import annotations

import numpy as np

__all__ = ["flexion", "moving", "torsion"]


def flexion(
    n: int, length: float, width: float, thickness: float, E: float, nu: float, rho: float, tension: float
) -> float:  # fmt: skip
    """Frequency n of flexion with hinged ends; the bending stiffness is that of a plate, since the strip is wide."""
    mass, EI = rho * width * thickness, E * width * thickness**3 / (12.0 * (1.0 - nu**2))
    k = n * np.pi / length
    return float(k * np.sqrt((tension + EI * k**2) / mass) / (2.0 * np.pi))


def torsion(
    n: int, length: float, width: float, thickness: float, E: float, nu: float, rho: float, tension: float
) -> float:  # fmt: skip
    """Frequency n of torsion: Saint-Venant's stiffness of a thin rectangle and that of the tension; no warping."""
    GJ = E / (2.0 * (1.0 + nu)) * width * thickness**3 / 3.0 * (1.0 - 0.630 * thickness / width)
    polar = width * thickness * (width**2 + thickness**2) / 12.0
    stress = tension / (width * thickness)
    return float(n / (2.0 * length) * np.sqrt((GJ + stress * polar) / (rho * polar)))


def moving(still: float, n: int, length: float, speed: float, taken_up: bool) -> float:
    """Frequency n of a strip that runs over its rollers, from that at rest, which gives the speed of its waves.

    c = 2 L f / n. Between rollers at a fixed distance the tension stays, and f falls by 1 - (v/c)^2; where a take-up
    presses the rollers apart with a constant force, the tension rises by mu v^2, and f falls by 1 / sqrt(1 + (v/c)^2).
    """
    ratio = (speed * n / (2.0 * length * still)) ** 2
    return float(still / np.sqrt(1.0 + ratio) if taken_up else still * (1.0 - ratio))
