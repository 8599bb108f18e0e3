"""What the cases of contact share: figures beside stored ones, and the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Measured, Tolerance
from flexmbs.verification.reference.data import ReferenceSet

__all__ = ["FLOOR", "STEEL", "beside", "peak", "weight"]

G = 9.81
FLOOR = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
STEEL = fx.Elastic(youngs_modulus=2.1e11, poissons_ratio=0.3, density=7800.0, name="steel")


def weight(angle: float = 0.0) -> fx.Gravity:
    """Gravity in the axes of a plane that is inclined by an angle [deg], downhill towards -x."""
    a = np.radians(angle)
    return fx.Gravity((-G * np.sin(a), 0.0, -G * np.cos(a)))


def peak(t: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Time and value of the largest y (n,), on the parabola through the largest stored one and its neighbours."""
    i = min(max(int(y.argmax()), 1), len(y) - 2)
    c = np.polyfit(t[i - 1 : i + 2] - t[i], y[i - 1 : i + 2], 2)
    return float(t[i] - 0.5 * c[1] / c[0]), float(c[2] - c[1] ** 2 / (4.0 * c[0]))


def beside(
    figures: ReferenceSet,
    name: str,
    values: float | Sequence[float] | FloatArray,
    *,
    label: str = "",
    rtol: float = 0.0,
    atol: float = 0.0,
    first: int = 0,
    units: Sequence[str] = (),
) -> list[Measured]:
    """Values beside a stored figure or, from place ``first`` on, a list of figures; ``units`` come around."""
    stored = figures.quantities[name]
    listed = isinstance(stored["value"], list)
    units = units or [part.strip() for part in stored["unit"].split(",")]
    found = np.atleast_1d(np.asarray(values, dtype=np.float64))
    out = []
    for i, value in enumerate(found):
        reference = figures.reference(name, first + i if listed else None)
        which = f" [{first + i + 1}]" if listed else ""
        unit = units[(first + i) % len(units)]
        out.append(Measured(f"{label or name}{which}", unit, float(value), reference, Tolerance(rtol, atol)))
    return out
