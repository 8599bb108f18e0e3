"""Forces given by a table: a smooth curve through its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_number, as_time, frozen_copy, is_among, shape_of, show, warn_user
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning, ModelError, unknown_name
from flexmbs.kernels.laws import curve_part, power_part

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

__all__ = ["ForceCurve", "Part", "as_part"]

INTERPOLATIONS = ("spline", "monotone")
BEYOND, OFF = 0.06, 0.15
"""Of the largest force, by which a curve may leave the values of two points, and the straight line between them."""
LOOKED_AT = 17
"""Places in each interval."""


@dataclass(frozen=True, eq=False)
class ForceCurve:
    """A force over elongation, angle or rate: a piecewise cubic curve through points of a table.

    The curve goes on straight beyond both ends. Its potential is zero where the force passes through zero upwards (the
    first such place; where there is none, at the first point without force, else at the first point).

    Parameters
    ----------
    points : (n,) sequence
        Ascending elongations [length], angles [rad] or rates of these; at least two.
    values : (n,) sequence
        Forces [force] or torques [force length] there.
    interpolation : "spline" or "monotone", default "spline"
        "spline": the second derivative is continuous, zero at both ends; smooth tables are met best. "monotone": the
        slope is continuous, and between two points the curve stays between their values (Fritsch and Carlson, PCHIP);
        for tables with kinks, steps and flat parts.

    Raises
    ------
    ModelError
        If the lengths differ, a number is not finite, the points do not ascend, or the interpolation is unknown; when
        it is called, if the place is not a finite number.

    Warns
    -----
    AccuracyWarning
        If between two points the curve goes beyond their values by more than 6 % of the largest force, or is off the
        straight line between them by more than 15 % of it: a kink beside a long interval.

    Notes
    -----
    Limit: both are smooth, so that a kink is rounded over the intervals beside it; give points near to it. End stops
    and backlash are those of a `JointStop`. With "monotone" the slope has corners at the points, which keep implicit
    schemes of high order from their order.

    Examples
    --------
    >>> curve = ForceCurve((-0.1, 0.0, 0.1, 0.2), (-50.0, 0.0, 50.0, 200.0))
    >>> round(curve(0.1), 9)
    50.0
    >>> clutch = ForceCurve((0.0, 0.1, 0.12, 0.3), (0.0, 0.0, 90.0, 100.0), interpolation="monotone")
    >>> clutch(0.05), clutch(0.2) < 100.0
    (0.0, True)
    """

    points: Sequence[float] | FloatArray
    values: Sequence[float] | FloatArray
    interpolation: str = "spline"

    def __post_init__(self) -> None:
        if not is_among(self.interpolation, INTERPOLATIONS):
            raise ModelError(f"ForceCurve: {unknown_name('interpolation', self.interpolation, INTERPOLATIONS)}")
        points = as_array("ForceCurve", "points", self.points, (None,))
        values = as_array("ForceCurve", "values", self.values, (len(points),))
        if len(points) < 2 or np.any(np.diff(points) <= 0.0):
            raise ModelError(
                f"ForceCurve: points must ascend and there must be at least two, not {show(points.tolist())}."
            )
        object.__setattr__(self, "points", frozen_copy(points))
        object.__setattr__(self, "values", frozen_copy(values))
        self._warn_between_points()

    def __call__(self, x: float) -> float:
        points, x = np.asarray(self.points), as_time("ForceCurve", x, "x")
        inside = float(np.clip(x, points[0], points[-1]))
        curve = self._curve()
        return float(curve(inside) + curve(inside, 1) * (x - inside))

    def _curve(self) -> PPoly:
        from scipy.interpolate import CubicSpline, PchipInterpolator  # slow to import, seldom needed

        if self.interpolation == "monotone":
            return PchipInterpolator(self.points, self.values)
        return CubicSpline(self.points, self.values, bc_type="natural")

    def _warn_between_points(self) -> None:
        points, values = np.asarray(self.points), np.asarray(self.values)
        largest = float(np.abs(values).max())
        share = np.linspace(0.0, 1.0, LOOKED_AT)
        x = points[:-1, None] + share * np.diff(points)[:, None]
        y, line = self._curve()(x), values[:-1, None] + share * np.diff(values)[:, None]
        low, high = (f(values[:-1], values[1:])[:, None] for f in (np.minimum, np.maximum))
        beyond, off = np.maximum(low - y, y - high), np.abs(y - line)
        if beyond.max() > BEYOND * largest:
            found, cure = beyond, "more points beside the kink, interpolation='monotone'"
        elif off.max() > OFF * largest:
            found, cure = off, "more points beside the kink"
        else:
            return
        i, k = np.unravel_index(found.argmax(), found.shape)
        warn_user(
            f"ForceCurve: between its points {points[i]:g} and {points[i + 1]:g}, with {values[i]:g} and "
            f"{values[i + 1]:g}, the curve is {y[i, k]:.4g} at {x[i, k]:.4g}, where a straight line has "
            f"{line[i, k]:.4g}. Take {cure}, or for end stops and backlash a JointStop(lower=..., upper=...).",
            AccuracyWarning,
        )

    def part(self) -> tuple[float, ...]:
        """The numbers the kernel reads."""
        points, curve = np.asarray(self.points), self._curve()
        integral = curve.antiderivative()
        zeros = [x for x in curve.roots(extrapolate=False) if np.isfinite(x) and curve(x, 1) > 0.0]
        zeros = zeros or points[np.asarray(self.values) == 0.0].tolist() or [points[0]]
        return curve_part(points, curve.c[::-1].T, integral(points) - integral(zeros[0]))


Part = float | Sequence[float] | ForceCurve
"""A force over one coordinate: a stiffness, coefficients of x, x^2, x^3 ..., or a curve."""


def as_part(owner: str, name: str, value: Part, unit: str) -> float | tuple[float, ...]:
    """A number (not negative), or the numbers of a part of the law CURVES."""
    if isinstance(value, ForceCurve):
        return value.part()
    if isinstance(value, list | tuple | np.ndarray) and shape_of(value):
        numbers = as_array(owner, name, value, (None,), unit=f"{unit}^i").tolist()
        if not numbers:
            raise ModelError(f"{owner}: {name} must be a number, at least one coefficient or a ForceCurve, not none.")
        return power_part(numbers)
    return as_number(owner, name, value, minimum=0.0, unit=unit)
