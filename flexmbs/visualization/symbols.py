"""Small symbols of supports and hinges in drawings of planar and spatial models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.path import Path

from flexmbs.core.contracts import FloatArray
from flexmbs.model.forces import ElasticSupport
from flexmbs.model.supports import Clamp, Guide, Pin, Prescribe, Roller
from flexmbs.visualization.style import INK
from flexmbs.visualization.symbol_paths import ARROW, ROLLING, SLEEVE, SPRING, SQUARE, TRIANGLE, WALL, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.model.bodies.attachment import Attachment
    from flexmbs.model.model import Model

__all__ = ["draw_symbols", "support_symbols"]

MOST = 40
"""Nodes of one support that get a symbol; more are thinned out."""


def draw_symbols(axes: Any, model: Model, place: Callable[[Attachment], FloatArray]) -> None:
    """Mark supports and hinges; ``place`` gives the points (n, dim) or (dim,) of nodes."""
    for path, points in support_symbols(model, place):
        size = 18.0 * float(np.abs(path.vertices).max())
        axes.plot(*points.T, marker=path, ms=size, mew=1.2, mec=INK, mfc="none", ls="", zorder=2.5)
    for hinge in model.hinges:
        axes.plot(*np.atleast_2d(place(hinge.a)).T, marker="o", ms=6, mew=1.3, mec=INK, mfc="white", ls="", zorder=6)


def support_symbols(model: Model, place: Callable[[Attachment], FloatArray]) -> list[tuple[Path, FloatArray]]:
    """Symbols of supports and elastic supports, turned to where the ground is, with their points (n, dim).

    In space directions of the page are those of x and z. Nodes of surfaces have squares.
    """
    springs: list[Any] = [load for load in model.loads if isinstance(load, ElasticSupport)]
    found = []
    for item in [*model.supports, *springs]:
        at: Attachment = item.at
        points = np.atleast_2d(place(at))
        for i in range(0, len(points), -(-len(points) // MOST)):
            path, ground = (SQUARE, np.array((-1.0, 0.0))) if at.body.surface else _symbol(item, at, at.nodes[i])
            if len(ground) == 3:
                ground = np.array((ground[0] + 0.5 * ground[1], ground[2] + 0.3 * ground[1]))
            angle = np.arctan2(-ground[1], -ground[0])
            turn = np.array(((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))))
            found.append((Path(path.vertices @ turn, path.codes), points[i][None]))
    return found


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
