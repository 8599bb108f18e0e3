"""Frequencies of a strip under tension between two rollers: a beam under tension, and a shaft under tension."""

from __future__ import annotations

import numpy as np

__all__ = ["flexion", "torsion"]


def flexion(n: int, length: float, width: float, thickness: float, E: float, rho: float, tension: float) -> float:
    """Frequency n of flexion with hinged ends."""
    mass, EI = rho * width * thickness, E * width * thickness**3 / 12.0
    k = n * np.pi / length
    return float(k * np.sqrt((tension + EI * k**2) / mass) / (2.0 * np.pi))


def torsion(
    n: int, length: float, width: float, thickness: float, E: float, nu: float, rho: float, tension: float
) -> float:  # fmt: skip
    """Frequency n of torsion: the section's own stiffness (thin) and that of the tension; warping left out."""
    GJ = E / (2.0 * (1.0 + nu)) * width * thickness**3 / 3.0
    polar = width * thickness * (width**2 + thickness**2) / 12.0
    stress = tension / (width * thickness)
    return float(n / (2.0 * length) * np.sqrt((GJ + stress * polar) / (rho * polar)))
