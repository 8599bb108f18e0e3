"""Small symbols of supports and hinges in drawings of planar and spatial models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.markers import MarkerStyle
from matplotlib.transforms import Affine2D

from flexmbs.core.contracts import FloatArray
from flexmbs.model.forces import ElasticSupport
from flexmbs.model.supports import Clamp, Guide, Pin, Prescribe, Roller
from flexmbs.visualization.style import INK
from flexmbs.visualization.symbol_paths import ARROW, ROLLING, SLEEVE, SPRING, TRIANGLE, WALL, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.path import Path

    from flexmbs.model.bodies.flexible import Attachment
    from flexmbs.model.model import Model

__all__ = ["draw_symbols"]

MOST = 40
"""Nodes of one support that get a symbol; more are thinned out."""


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
        return WALL, -_into_body(at, node)
    if isinstance(item, Roller):
        return ROLLING, _downwards(np.array(item.normal))
    if isinstance(item, Guide):
        return SLEEVE, -_into_body(at, node)
    if isinstance(item, Prescribe):
        parts = np.array([c or 0.0 for c in item.displacement or (0.0, 0.0)])
        return ARROW, -parts if parts.any() else -_into_body(at, node)
    if isinstance(item, ElasticSupport):
        stiffness = np.zeros(2) if item.stiffness is None else np.diag(np.asarray(item.stiffness))
        return SPRING, np.array([-1.0, 0.0]) if stiffness[0] > stiffness[1] else np.array([0.0, -1.0])
    if isinstance(item, Pin):
        return TRIANGLE, np.array([0.0, -1.0])
    return lines(((-0.4, -0.4), (0.4, 0.4)), ((-0.4, 0.4), (0.4, -0.4))), np.array([-1.0, 0.0])


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
