"""Paths of the symbols of supports and ground, as markers of matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.path import Path

__all__ = ["ARROW", "GROUND_MARK", "ROLLING", "SLEEVE", "SPRING", "TRIANGLE", "WALL", "lines"]

# Every path holds its node at the origin and the ground on the left (-x); it is turned to where the ground is.
HATCH = [((-0.05, y), (-0.55, y - 0.5)) for y in (-0.6, -0.2, 0.2, 0.6, 1.0)]


def lines(*lines: Any) -> Path:
    """A path of separate polylines."""
    vertices = [point for line in lines for point in line]
    codes = [code for line in lines for code in (Path.MOVETO, *[Path.LINETO] * (len(line) - 1))]
    return Path(vertices, codes)


WALL = lines(((0, -1), (0, 1)), *HATCH)
_FEET = [((-0.9, y), (-1.3, y - 0.4)) for y in (-0.6, -0.2, 0.2, 0.6, 1.0)]
TRIANGLE = lines(((0, 0), (-0.9, -0.6), (-0.9, 0.6), (0, 0)), ((-0.9, -1), (-0.9, 1)), *_FEET)
ROLLING = lines(((0, 0), (-0.9, -0.6), (-0.9, 0.6), (0, 0)), ((-1.25, -1), (-1.25, 1)))
SLEEVE = lines(((-0.7, 0.45), (0.7, 0.45)), ((-0.7, -0.45), (0.7, -0.45)))
ARROW = lines(((-1.6, 0), (-0.2, 0)), ((-0.7, -0.35), (-0.2, 0), (-0.7, 0.35)))
SPRING = lines(
    ((0, 0), (-0.4, 0), (-0.5, 0.4), (-0.75, -0.4), (-1.0, 0.4), (-1.25, -0.4), (-1.35, 0), (-1.7, 0)),
    ((-1.7, -0.6), (-1.7, 0.6)),
)
GROUND_MARK = Path(TRIANGLE.vertices @ np.array(((0.0, 1.0), (-1.0, 0.0))), TRIANGLE.codes)
"""A bearing on the ground below it."""
