"""What supports hold of nodes with vectors: tangent planes of surfaces, and planes of symmetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.model.bodies.surfaces import edge_directions

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray, NodeLayout
    from flexmbs.model.bodies.attachment import Attachment
    from flexmbs.model.supports import Condition
    from flexmbs.system.coordinates import Coordinates

__all__ = ["mirrored", "slopes_along_edges", "tangent_planes"]

IN_PLANE, NORMAL = 0.5, 0.85
"""Cosines to the normal of a plane of symmetry up to which a vector lies in it, and from which it is normal to it.

Wide, since normals of curved surfaces of coarse meshes are off by half the angle of a cell at their edges.
"""
ALONG = 0.95
"""Cosine from which a slope is along an edge, where slopes need not follow all edges; lines of edges turn at nodes."""


def tangent_planes(coordinates: Coordinates, at: Attachment) -> list[tuple[tuple[int, ...], FloatArray, int]]:
    """What a clamp holds of each node of a surface: coordinates of a vector, axes as columns, and how many of them.

    The normal components of both slopes and of their mixed derivative are held. A slope along an edge whose nodes are
    all held is held entirely, since the edge cannot stretch. The stretch across the edge stays free: to hold it would
    prescribe zero strain there. Where neither slope is along the edge both are held entirely, since otherwise it could
    stretch between its nodes. A node alone keeps the direction of its first slope.
    """
    layout = at.body.element.layout
    found: list[tuple[tuple[int, ...], FloatArray, int]] = []
    for dofs, (any_edge, along) in zip(coordinates.dofs(at), _along_edges(coordinates, at), strict=True):
        keys = [_coordinates(dofs, part) for part in (layout.surface[:3], layout.surface[3:])]
        t = [coordinates.reference[list(key)] for key in keys]
        t = [x / np.linalg.norm(x) for x in t]
        n = np.cross(t[0], t[1])
        n /= np.linalg.norm(n)
        counts = [3 if k in along or (any_edge and not along) else 1 for k in (0, 1)]
        if not any_edge:
            counts[0] = 2
        axes = [np.stack((n, np.cross(n, x), x), axis=1) for x in t]
        found += list(zip(keys, axes, counts, strict=True))
        if layout.mixed and any_edge:
            found.append((_coordinates(dofs, layout.mixed), axes[0], 1))
    return found


def slopes_along_edges(coordinates: Coordinates, at: Attachment) -> list[tuple[int, ...]]:
    """Coordinates of the slopes along edges whose nodes are all in a set: what holds the nodes holds the edges."""
    layout = at.body.element.layout
    parts = (layout.surface[:3], layout.surface[3:])
    return [
        _coordinates(dofs, parts[k])
        for dofs, (_, along) in zip(coordinates.dofs(at), _along_edges(coordinates, at), strict=True)
        for k in along
    ]


def _coordinates(dofs: IntArray, part: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in dofs[list(part)])


def _along_edges(coordinates: Coordinates, at: Attachment) -> list[tuple[bool, tuple[int, ...]]]:
    """Of each node of a surface whether an edge between nodes of the set ends there, and which slopes are along it."""
    body, layout = at.body, at.body.element.layout
    edges = edge_directions(body.mesh, body.cells, np.array(at.nodes, dtype=np.int64))
    parametric = bool(body.shape is not None and len(body.shape.slopes))
    found: list[tuple[bool, tuple[int, ...]]] = []
    for dofs, edge in zip(coordinates.dofs(at), edges, strict=True):
        if np.isnan(edge).any():
            found.append((True, (0, 1)))
            continue
        t = [coordinates.reference[dofs[list(part)]] for part in (layout.surface[:3], layout.surface[3:])]
        cosines = [abs(float(edge @ x)) / float(np.linalg.norm(x)) for x in t]
        along = int(np.argmax(cosines))
        held = edge.any() and (parametric or cosines[along] >= ALONG)
        found.append((bool(edge.any()), (along,) if held else ()))
    return found


def mirrored(
    held: dict[tuple[int, ...], list[tuple[FloatArray, float, int, str]]],
    layout: NodeLayout,
    coordinates: Coordinates,
    condition: Condition,
    owner: str,
) -> None:
    """Add what a plane of symmetry holds of its nodes."""
    normal = condition.normals[0]
    across = np.linalg.svd(normal[None])[2][1:]

    def hold(key: tuple[int, ...], directions: FloatArray) -> None:
        held.setdefault(key, []).extend((d, 0.0, -1, owner) for d in directions)

    for node, dofs in zip(condition.at.nodes, coordinates.dofs(condition.at), strict=True):
        hold(tuple(int(i) for i in dofs[list(layout.position)]), condition.normals)
        odd = 0
        for part in layout.directions:
            key = tuple(int(i) for i in dofs[list(part)])
            vector = coordinates.reference[list(key)]
            cosine = abs(float(vector @ normal)) / float(np.linalg.norm(vector))
            if IN_PLANE < cosine < NORMAL:
                raise ModelError(
                    f"{owner}: at node {node} the vector {vector.round(6).tolist()} is neither in the plane of "
                    f"symmetry nor normal to it; turn the mesh, or hold components one by one."
                )
            hold(key, across if cosine >= NORMAL else condition.normals)
            odd += cosine >= NORMAL and part != layout.slope
        if layout.mixed:
            hold(tuple(int(i) for i in dofs[list(layout.mixed)]), across if odd == 1 else condition.normals)
        if len(layout.rotation) == 1:
            hold(tuple(int(i) for i in dofs[list(layout.rotation)]), np.eye(1))
        elif layout.rotation:
            hold(tuple(int(i) for i in dofs[list(layout.rotation)]), across)
