"""Points and frames of markers and joints from what users give for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_direction, has_shape, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["as_axis", "as_point", "frame_along", "joint_frame"]


def joint_frame(axis: ArrayLike, x: ArrayLike | None = None, owner: str = "joint") -> FloatArray:
    """A frame (3, 3) whose third column is along ``axis``.

    Parameters
    ----------
    axis : (3,) array
        Direction of the third axis; its length does not matter.
    x : (3,) array, optional
        Direction of the first axis, of which the part normal to ``axis`` counts. By default the coordinate axis that is
        most nearly normal to ``axis``, the first of equals: so ``axis = (0, 0, 1)`` gives the coordinate axes.
    owner : str
        For messages.

    Raises
    ------
    ModelError
        If a direction is zero, or ``x`` is parallel to ``axis``.

    Examples
    --------
    >>> joint_frame((0, 0, 2)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    third = as_direction(owner, "axis", axis, 3)
    if x is None:
        size = [abs(x) for x in third.tolist()]
        least, first = min(size) + 1e-9, np.zeros(3)
        first[next(i for i, x in enumerate(size) if x <= least)] = 1.0
    else:
        first = as_direction(owner, "x", x, 3)
    first = first - (third @ first) * third
    length = math.sqrt(first @ first)
    if length < 1e-6:
        raise ModelError(f"{owner}: x {show(x)} must not be parallel to axis {show(axis)}.")
    first = first / length
    first = first - (third @ first) * third  # once more: the first time leaves round-off where x is nearly parallel
    first /= math.sqrt(first @ first)
    (a, b, c), (d, e, f) = third.tolist(), first.tolist()
    return np.array(((d, b * f - c * e, a), (e, c * d - a * f, b), (f, a * e - b * d, c)))


def as_point(owner: str, name: str, value: ArrayLike, flat: bool, unit: str = "") -> FloatArray:
    """Three finite components; where ``flat``, two will do and z is zero."""
    if flat and has_shape(value, (2,)):
        return _flat(as_array(owner, name, value, (2,), unit=unit))
    return as_array(owner, name, value, (3,), unit=unit)


def as_axis(owner: str, name: str, value: ArrayLike, flat: bool) -> FloatArray:
    """A unit vector of three components; where ``flat``, two will do and it lies in the plane."""
    if flat and has_shape(value, (2,)):
        return _flat(as_direction(owner, name, value, 2))
    return as_direction(owner, name, value, 3)


def _flat(vector: FloatArray) -> FloatArray:
    """Two components with z = 0 behind."""
    point = np.zeros(3)
    point[:2] = vector
    return point


def frame_along(owner: str, axis: ArrayLike | None, x: ArrayLike | None, flat: bool) -> FloatArray:
    """The frame of an axis and a first axis that may be missing."""
    if axis is None and x is None:
        return np.eye(3)
    third = (0.0, 0.0, 1.0) if axis is None else as_axis(owner, "axis", axis, flat)
    return joint_frame(third, None if x is None else as_axis(owner, "x", x, flat), owner)
