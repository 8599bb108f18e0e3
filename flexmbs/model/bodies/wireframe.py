"""What a rigid body looks like: points in body axes and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, frozen_copy, has_shape, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["Wireframe", "box_edges", "cylinder_edges", "joined", "sphere_edges"]

CORNERS = 24
"""Corners of what stands for a circle."""


@dataclass(frozen=True, eq=False, init=False)
class Wireframe:
    """Points and edges, for drawing only: they have no mass and touch nothing.

    Parameters
    ----------
    points : (n, 3) or (n, 2) array
        From the centre of mass, in body axes [length].
    edges : (m, 2) array of int
        The numbers of the points that each edge joins.

    Raises
    ------
    ModelError
        If a shape is wrong or an edge names a point that is not there.

    Examples
    --------
    >>> Wireframe([(-1, 0), (1, 0)], [(0, 1)]).points.tolist()
    [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """

    points: FloatArray
    edges: IntArray

    def __init__(self, points: ArrayLike, edges: ArrayLike) -> None:
        here = as_array("Wireframe", "points", points, (None, None), unit="length")
        if here.shape[1] not in (2, 3):
            raise ModelError(f"Wireframe: points must have shape (any, 2) or (any, 3), not {here.shape}.")
        pairs = as_array("Wireframe", "edges", np.zeros((0, 2)) if has_shape(edges, (0,)) else edges, (None, 2))
        wrong = np.flatnonzero(((pairs < 0) | (pairs >= len(here)) | (pairs != np.floor(pairs))).any(axis=1))
        if len(wrong):
            raise ModelError(
                f"Wireframe: edge {wrong[0]} is {show(pairs[wrong[0]].tolist())}, but points are numbered 0 to "
                f"{len(here) - 1}."
            )
        here = np.pad(here, ((0, 0), (0, 3 - here.shape[1])))
        object.__setattr__(self, "points", frozen_copy(here))
        object.__setattr__(self, "edges", frozen_copy(pairs.astype(np.int64)))

    def moved(self, rotation: FloatArray, translation: FloatArray) -> Wireframe:
        """The same shape with the points translation + rotation x."""
        return Wireframe(self.points @ rotation.T + translation, self.edges)


def box_edges(size: FloatArray) -> Wireframe:
    """The twelve edges of a box (3,) about the origin."""
    signs = np.array([[(k >> axis & 1) - 0.5 for axis in range(3)] for k in range(8)])
    pairs = [(i, j) for i, j in combinations(range(8), 2) if (i ^ j).bit_count() == 1]
    return Wireframe(signs * size, pairs)


def cylinder_edges(radii: Sequence[float], length: float, axis: int = 2) -> Wireframe:
    """Circles at both ends and four lines along the axis, for each of the radii."""
    angle = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    ring = np.arange(CORNERS)
    parts = []
    for radius in radii:
        points = np.zeros((2, CORNERS, 3))
        points[:, :, (axis + 1) % 3] = radius * np.cos(angle)
        points[:, :, (axis + 2) % 3] = radius * np.sin(angle)
        points[:, :, axis] = [[-length / 2.0], [length / 2.0]]
        circle = np.column_stack((ring, np.roll(ring, -1)))
        lines = np.column_stack((ring, ring + CORNERS))[:: CORNERS // 4]
        parts.append(Wireframe(points.reshape(-1, 3), np.vstack((circle, circle + CORNERS, lines))))
    return joined(parts)


def sphere_edges(radius: float) -> Wireframe:
    """Three great circles."""
    angle = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    circle = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(CORNERS)))
    ring = np.arange(CORNERS)
    edges = np.column_stack((ring, np.roll(ring, -1)))
    return joined([Wireframe(radius * np.roll(circle, axis, axis=1), edges) for axis in range(3)])


def joined(parts: Sequence[Wireframe]) -> Wireframe:
    """Several shapes as one."""
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    return Wireframe(
        np.vstack([part.points for part in parts]),
        np.vstack([part.edges + start for part, start in zip(parts, starts, strict=False)]),
    )
