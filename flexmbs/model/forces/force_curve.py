"""Forces given by a table: a smooth curve through its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_number, as_time, frozen_copy, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.laws import curve_part, power_part

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

__all__ = ["ForceCurve", "Part", "as_part"]


@dataclass(frozen=True, eq=False)
class ForceCurve:
    """A force over elongation, angle or rate: the cubic spline through points of a table.

    Its second derivative is continuous, zero at both ends, and the curve goes on straight beyond them. Its potential is
    zero where the force passes through zero upwards (the first such place; where there is none, at the first point).

    Parameters
    ----------
    points : (n,) sequence
        Ascending elongations [length], angles [rad] or rates of these; at least two.
    values : (n,) sequence
        Forces [force] or torques [force length] there.

    Raises
    ------
    ModelError
        If the lengths differ, a number is not finite, or the points do not ascend; when it is called, if the place
        is not a finite number.

    Notes
    -----
    Limit: a cubic spline overshoots where the table has a kink; give more points there.

    Examples
    --------
    >>> curve = ForceCurve((-0.1, 0.0, 0.1, 0.2), (-50.0, 0.0, 50.0, 200.0))
    >>> round(curve(0.1), 9)
    50.0
    """

    points: Sequence[float] | FloatArray
    values: Sequence[float] | FloatArray

    def __post_init__(self) -> None:
        points = as_array("ForceCurve", "points", self.points, (None,))
        values = as_array("ForceCurve", "values", self.values, (len(points),))
        if len(points) < 2 or np.any(np.diff(points) <= 0.0):
            raise ModelError(
                f"ForceCurve: points must ascend and there must be at least two, not {show(points.tolist())}."
            )
        object.__setattr__(self, "points", frozen_copy(points))
        object.__setattr__(self, "values", frozen_copy(values))

    def __call__(self, x: float) -> float:
        points, x = np.asarray(self.points), as_time("ForceCurve", x, "x")
        inside = float(np.clip(x, points[0], points[-1]))
        spline = self._spline()
        return float(spline(inside) + spline(inside, 1) * (x - inside))

    def _spline(self) -> CubicSpline:
        from scipy.interpolate import CubicSpline  # slow to import, seldom needed

        return CubicSpline(self.points, self.values, bc_type="natural")

    def part(self) -> tuple[float, ...]:
        """The numbers the kernel reads."""
        spline = self._spline()
        integral = spline.antiderivative()
        roots = [x for x in spline.roots(extrapolate=False) if np.isfinite(x) and spline(x, 1) > 0.0]
        zero = integral(roots[0]) if roots else 0.0
        return curve_part(np.asarray(self.points), spline.c[::-1].T, integral(self.points) - zero)


Part = float | Sequence[float] | ForceCurve
"""A force over one coordinate: a stiffness, coefficients of x, x^2, x^3 ..., or a curve."""


def as_part(owner: str, name: str, value: Part, unit: str) -> float | tuple[float, ...]:
    """A number (not negative), or the numbers of a part of the law CURVES."""
    if isinstance(value, ForceCurve):
        return value.part()
    if isinstance(value, list | tuple | np.ndarray) and shape_of(value):
        return power_part(as_array(owner, name, value, (None,), unit=f"{unit}^i").tolist())
    return as_number(owner, name, value, minimum=0.0, unit=unit)
