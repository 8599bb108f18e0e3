"""Seams: edges of two shapes of one body that lie on each other; a ball on them touches both."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import AccuracyWarning
from flexmbs.model.contacts.shapes import Shape

__all__ = ["warn_of_seams"]

SAME = 1e-6
"""Distance, over the size of the smallest shape of a body, below which two lines are one."""
SMOOTH = 1e-3
"""Less than half a turn free between two faces by so little, they go on in each other; by more, they are a notch, in
which a ball touches both with right [rad]."""


def warn_of_seams(owner: str, parts: Sequence[Shape]) -> None:
    """Warn of the first two shapes on one body that have a seam, if there is a ball or a tube that may go over it."""
    if not any((part.ball_radius or 0.0) > 0.0 or part.along for part in parts):
        return
    bodies: dict[tuple[int, object], list[Shape]] = defaultdict(list)
    for part in parts:
        if not part.along and len(part.edges.ends):
            node = None if part.marker.point is not None else part.marker.node
            bodies[id(part.marker.body), node].append(part)
    for shapes in bodies.values():
        seam = _seam(shapes) if len(shapes) > 1 else None
        if seam is not None:
            warnings.warn(
                f"{owner}: {shapes[seam[0]]} and {shapes[seam[1]]} share an edge, over which a ball touches both and "
                f"feels the forces of both: two shapes do not make a smooth surface. Take one shape that has the whole "
                f"surface (a Plane, a Box, a convex TriangleMesh, a HeightField), or leave a gap that is wider than "
                f"what the ball sinks in.",
                AccuracyWarning,
                stacklevel=4,
            )
            return


def _seam(shapes: Sequence[Shape]) -> tuple[int, int] | None:
    """Two shapes of one body with edges along each other, whose faces there make a ridge or go on in a plane."""
    owner = np.repeat(np.arange(len(shapes)), [len(shape.edges.ends) for shape in shapes])
    angle = np.concatenate([shape.edges.angle for shape in shapes])
    inwards = np.concatenate([shape.edges.inwards @ shape.marker.frame.T for shape in shapes])
    places = [0.0 if shape.marker.point is None else shape.marker.point for shape in shapes]
    ends = [x + shape.edges.ends @ shape.marker.frame.T for x, shape in zip(places, shapes, strict=True)]
    a, b = np.concatenate(ends).transpose(1, 0, 2)
    middle = 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    a, b = a - middle, b - middle
    size = min(float(np.ptp(x.reshape(-1, 3), axis=0).max()) for x in ends)
    way = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    foot = a - np.einsum("ij,ij->i", a, way)[:, None] * way
    for i, k in _along_each_other(a, b, way, foot, size):
        if owner[i] != owner[k]:
            between = math.acos(min(1.0, max(-1.0, float(inwards[i] @ inwards[k]))))
            free = 2.0 * math.pi - between - 0.5 * float(angle[i] + angle[k])  # the larger sector that both leave
            if free >= math.pi - SMOOTH:
                return int(owner[i]), int(owner[k])
    return None


def _along_each_other(
    a: FloatArray, b: FloatArray, way: FloatArray, foot: FloatArray, size: float
) -> Iterator[tuple[int, int]]:
    """Edges from a to b (n, 3) on one line that have a part of it in common.

    Lines are told by direction, either way, and foot, rounded to twice what is allowed; those that a limit divides meet
    in the second round, with limits half between.
    """
    for shift in (0.0, 0.5):
        lines: dict[tuple[float, ...], list[tuple[float, float, int]]] = defaultdict(list)
        for n in range(len(a)):
            for sign in (1.0, -1.0):
                direction = sign * way[n]
                place = np.concatenate((direction / SAME, foot[n] / (SAME * size)))
                low, high = sorted((float(a[n] @ direction), float(b[n] @ direction)))
                lines[tuple(np.floor(0.5 * place + shift).tolist())].append((low, high, n))
        for row in lines.values():
            row.sort()
            open_: list[tuple[float, int]] = []
            for low, high, n in row:
                open_ = [one for one in open_ if one[0] > low + SAME * size]
                yield from ((k, n) for _, k in open_)
                open_.append((high, n))
