"""Small symbols of supports and hinges in drawings of planar and spatial models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from flexmbs.core.contracts import FloatArray
from flexmbs.model.forces import ElasticSupport
from flexmbs.model.supports import Clamp, Guide, Pin, Prescribe, Roller
from flexmbs.visualization.style import INK

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.model.bodies.flexible import Attachment
    from flexmbs.model.model import Model

__all__ = ["draw_symbols"]

MOST = 40
"""Nodes of one support that get a symbol; more are thinned out."""

# Every path holds its node at the origin and the ground on the left (-x); it is turned to where the ground is.
_HATCH = [((-0.05, y), (-0.55, y - 0.5)) for y in (-0.6, -0.2, 0.2, 0.6, 1.0)]


def _lines(*lines: Any) -> Path:
    """A path of separate polylines."""
    vertices = [point for line in lines for point in line]
    codes = [code for line in lines for code in (Path.MOVETO, *[Path.LINETO] * (len(line) - 1))]
    return Path(vertices, codes)


_WALL = _lines(((0, -1), (0, 1)), *_HATCH)
_TRIANGLE = _lines(((0, 0), (-0.9, -0.6), (-0.9, 0.6), (0, 0)), ((-0.9, -1), (-0.9, 1)))
_ROLLING = _lines(((0, 0), (-0.9, -0.6), (-0.9, 0.6), (0, 0)), ((-1.25, -1), (-1.25, 1)))
_SLEEVE = _lines(((-0.7, 0.45), (0.7, 0.45)), ((-0.7, -0.45), (0.7, -0.45)))
_ARROW = _lines(((-1.6, 0), (-0.2, 0)), ((-0.7, -0.35), (-0.2, 0), (-0.7, 0.35)))
_SPRING = _lines(
    ((0, 0), (-0.4, 0), (-0.5, 0.4), (-0.75, -0.4), (-1.0, 0.4), (-1.25, -0.4), (-1.35, 0), (-1.7, 0)),
    ((-1.7, -0.6), (-1.7, 0.6)),
)


def draw_symbols(axes: Any, model: Model, place: Callable[[Attachment], FloatArray]) -> None:
    """Mark supports and hinges; ``place`` gives the points (n, dim) or (dim,) of nodes."""
    springs: list[Any] = [load for load in model.loads if isinstance(load, ElasticSupport)]
    for item in [*model.supports, *springs]:
        at: Attachment = item.at
        points = np.atleast_2d(place(at))
        for i in range(0, len(points), -(-len(points) // MOST)):
            if points.shape[1] == 3:
                axes.plot(*points[i][:, None], marker="s", ms=6, color=INK, mfc=_fill(item), ls="", zorder=6)
                continue
            path, ground = _symbol(item, at, at.nodes[i])
            turn = Affine2D().rotate(np.arctan2(-ground[1], -ground[0]))
            marker = MarkerStyle(path, fillstyle="none", transform=turn)
            size = 18.0 * float(np.abs(path.vertices).max())
            axes.plot(*points[i][:, None], marker=marker, ms=size, mew=1.2, mec=INK, ls="", zorder=2.5)
    for hinge in model.hinges:
        axes.plot(*np.atleast_2d(place(hinge.a)).T, marker="o", ms=6, mew=1.3, mec=INK, mfc="white", ls="", zorder=6)


def _fill(item: object) -> str:
    """Full for a clamp, empty for what leaves something free."""
    return INK if isinstance(item, Clamp) else "white"


def _symbol(item: object, at: Attachment, node: int) -> tuple[Path, FloatArray]:
    """Path and direction of the ground."""
    if isinstance(item, Clamp):
        return _WALL, -_into_body(at, node)
    if isinstance(item, Roller):
        return _ROLLING, _downwards(np.array(item.normal))
    if isinstance(item, Guide):
        return _SLEEVE, -_into_body(at, node)
    if isinstance(item, Prescribe):
        parts = np.array([c or 0.0 for c in item.displacement or (0.0, 0.0)])
        return _ARROW, -parts if parts.any() else -_into_body(at, node)
    if isinstance(item, ElasticSupport):
        stiffness = np.zeros(2) if item.stiffness is None else np.diag(np.asarray(item.stiffness))
        return _SPRING, np.array([-1.0, 0.0]) if stiffness[0] > stiffness[1] else np.array([0.0, -1.0])
    if isinstance(item, Pin):
        return _TRIANGLE, np.array([0.0, -1.0])
    return _lines(((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4))), np.array([-1.0, 0.0])


def _downwards(normal: FloatArray) -> FloatArray:
    """A normal, turned so that the ground is below, or left."""
    down = normal[1] < 0.0 or (normal[1] == 0.0 and normal[0] < 0.0)
    return normal if down else -normal


def _into_body(at: Attachment, node: int) -> FloatArray:
    """Direction from a node to the elements it belongs to, in the stress-free shape."""
    cells, points = at.body.cells, at.body.mesh.points
    if cells.shape[1] == 3:  # start, end, middle
        cells = np.vstack((cells[:, [0, 2]], cells[:, [2, 1]]))
    a, b = cells[cells[:, 0] == node, 1], cells[cells[:, 1] == node, 0]
    outward = (points[np.concatenate((a, b))] - points[node]).sum(axis=0)
    if np.linalg.norm(outward) > 1e-9 * np.ptp(points, axis=0).max():
        return np.asarray(outward)
    return np.asarray(points[a[0]] - points[node])
