"""Seams: edges of two shapes of one body that lie on each other; a ball on them touches both."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy.spatial import KDTree

from flexmbs.core.errors import AccuracyWarning
from flexmbs.model.contacts.shapes import Shape

__all__ = ["warn_of_seams"]

SAME = 1e-6
"""Distance, over the size of the shapes of a body, below which two lines are one."""
SMOOTH = 1e-3
"""Less than half a turn free between two faces by so little, they go on in each other; by more, they are a notch, in
which a ball touches both with right [rad]."""


def warn_of_seams(owner: str, parts: Sequence[Shape]) -> None:
    """Warn of the first two shapes on one body that have a seam, if there is a ball or a tube that may go over it."""
    if not any((part.ball_radius or 0.0) > 0.0 or part.along for part in parts):
        return
    bodies: dict[int, list[Shape]] = defaultdict(list)
    for part in parts:
        if not part.along and len(part.edges.ends):
            bodies[id(part.marker.body)].append(part)
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
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    way = (b - a) / np.linalg.norm(b - a, axis=1)[:, None]
    foot = a - np.einsum("ij,ij->i", a, way)[:, None] * way
    lines = np.block([[way, foot / size], [-way, foot / size]])
    i, k = np.unique(np.sort(KDTree(lines).query_pairs(SAME, output_type="ndarray") % len(a), axis=1), axis=0).T
    between = np.arccos(np.clip(np.einsum("ij,ij->i", inwards[i], inwards[k]), -1.0, 1.0))
    free = 2.0 * np.pi - between - 0.5 * (angle[i] + angle[k])  # the larger of the sectors that both leave
    two = (owner[i] != owner[k]) & (free >= np.pi - SMOOTH)
    i, k = i[two], k[two]
    along = [np.sort([np.einsum("ij,ij->i", x[n], way[i]) for x in (a, b)], axis=0) for n in (i, k)]
    common = np.minimum(along[0][1], along[1][1]) - np.maximum(along[0][0], along[1][0])
    found = np.flatnonzero(common > SAME * size)
    return (int(owner[i[found[0]]]), int(owner[k[found[0]]])) if len(found) else None
