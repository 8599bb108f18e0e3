"""Pictures of meshed structures with matplotlib: outer faces, deformed and coloured.

matplotlib sorts polygons by their distance and has no depth buffer: good for a look at a part of some ten thousand
faces, not for measuring on it. For more, write a file for ParaView (`flexmbs.visualization.write_vtu`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmbs.core.checks import as_array, as_number
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.operators import Operators
from flexmbs.meshes.cells import cell_type

__all__ = ["draw_structure", "draw_surface", "outer_faces", "shaded", "triangles"]

PIECES = {
    "triangle": ((0, 1, 2),),
    "triangle6": ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    "quad": ((0, 1, 2), (0, 2, 3)),
    "quad8": ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)),
    "quad9": ((0, 4, 8), (0, 8, 7), (4, 1, 8), (1, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 3), (8, 6, 3)),
}
"""Flat triangles of a face."""

FINE = 6000
"""Triangles above which colours are smooth enough without splitting them."""

LIGHT = np.array([0.35, -0.75, 0.56])
"""Where the light comes from: over the right shoulder of the usual view."""

PLAIN = "#9db4cd"
SHARE = 0.1
"""Largest drawn displacement relative to the size of the structure."""


def draw_surface(
    ax: Any,
    points: FloatArray,
    faces: Mapping[str, IntArray],
    values: FloatArray | None = None,
    limits: tuple[float, float] | None = None,
) -> Any:
    """Draw faces into three-dimensional axes, shaded, coloured by values at the points.

    Parameters
    ----------
    ax : matplotlib axes
        Made with ``projection="3d"``.
    points : (n_points, 3) array
        Where the points are drawn.
    faces : mapping of str to (n_f, n_b) array of int
        Nodes of faces by type, as `outer_faces` gives them; middles of edges make them rounder.
    values : (n_points,) array, optional
        Colours; nan is grey.
    limits : (float, float), optional
        Of the colours; the extremes of the values on the faces by default.

    Returns
    -------
    matplotlib.cm.ScalarMappable
        For a colour bar.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from flexmbs.meshes import box
    >>> cube = box((0, 0, 0), (1, 1, 1), (2, 2, 2))
    >>> axes = Figure().add_subplot(projection="3d")
    >>> bar = draw_surface(axes, cube.points, outer_faces([(b.cell_type, b.nodes) for b in cube.cells]),
    ...                    cube.points[:, 0])
    >>> bar.get_clim()
    (0.0, 1.0)
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize, to_rgba
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    if getattr(ax, "name", "") != "3d":
        raise ModelError("draw_surface: ax must be axes made with projection='3d'.")
    points = as_array("draw_surface", "points", points, (None, 3))
    corners = triangles(faces)
    values = np.full(len(points), np.nan) if values is None else np.asarray(values, dtype=float)
    if values.shape != (len(points),):
        raise ModelError(f"draw_surface: values must have shape ({len(points)},), not {values.shape}.")
    finite = values[np.unique(corners)]
    finite = finite[np.isfinite(finite)]
    low, high = limits or ((float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0))
    scale = ScalarMappable(Normalize(low, high if high > low else low + 1.0), colormaps["viridis"])
    polygons, tints = points[corners], values[corners]
    while 0 < len(polygons) < FINE:
        polygons, tints = _split(polygons), _split(tints)
    colours = np.tile(to_rgba(PLAIN), (len(polygons), 1))
    mean = tints.mean(axis=1)
    colours[np.isfinite(mean)] = scale.to_rgba(mean[np.isfinite(mean)])
    colours = shaded(polygons, colours)
    # edges in the colour of the face close the cracks between neighbours
    ax.add_collection3d(
        Poly3DCollection(polygons, facecolors=colours, edgecolors=colours, linewidths=0.3, rasterized=True)
    )
    _frame(ax, points[np.unique(corners)] if len(corners) else points)
    return scale


def draw_structure(
    operators: Operators,
    displacements: FloatArray,
    values: FloatArray | None = None,
    label: str = "",
    ax: Any = None,
    factor: float | None = None,
) -> Any:
    """The deformed outer surface of a structure, or its points where there are no elements.

    Parameters
    ----------
    operators : Operators
    displacements : (n_nodes, 6) array
        Of all nodes [length, rad].
    values : (n_nodes,) array, optional
        Colours; the size of the displacements by default.
    label : str
        What the colours are.
    ax : matplotlib axes, optional
        Three-dimensional; a new figure by default.
    factor : float, optional
        On the displacements; by default the largest one is drawn as a tenth of the size of the structure.
    """
    moves = displacements[:, :3]
    largest = float(np.linalg.norm(moves, axis=1).max(initial=0.0))
    used = np.unique(operators.dofs.node[operators.dofs.node >= 0])
    size = float(np.linalg.norm(np.ptp(operators.points[used], axis=0))) if len(used) else 1.0
    if factor is None:
        factor = SHARE * size / largest if largest > 0.0 else 1.0
    factor = as_number("plot", "factor", factor)
    points = operators.points + factor * moves
    if values is None:
        values = np.linalg.norm(moves, axis=1)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=(6.8, 4.8), layout="constrained").add_subplot(projection="3d")
    pieces = [] if operators.part is None else [(p.region.element.cell_type, p.cells) for p in operators.part.pieces]
    lines = [nodes[:, [0, 1]] for kind, nodes in pieces if cell_type(kind).dim == 1]
    bar = draw_surface(ax, points, outer_faces(pieces), values) if len(lines) < len(pieces) else None
    if lines:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection

        ax.add_collection3d(Line3DCollection(points[np.vstack(lines)], colors="#1d2733", linewidths=1.6))
    if bar is None:
        _frame(ax, points[used])
    if not pieces:
        ax.scatter(*points[used].T, c=values[used], s=6)
    if bar is not None and label:
        ax.figure.colorbar(bar, ax=ax, label=label, shrink=0.7)
    ax.set_title(f"displacements x {factor:.3g}", fontsize=10)
    return ax


def shaded(polygons: FloatArray, colours: FloatArray) -> FloatArray:
    """Colours (n, 4) of triangles (n, 3, 3), darker where they turn away from the light."""
    normal = np.cross(polygons[:, 1] - polygons[:, 0], polygons[:, 2] - polygons[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = np.divide(normal, size, out=np.zeros_like(normal), where=size > 0.0)
    out = colours.copy()
    out[:, :3] *= (0.72 + 0.28 * np.clip(normal @ LIGHT / np.linalg.norm(LIGHT), -0.6, 1.0))[:, None]
    return out


def triangles(faces: Mapping[str, IntArray]) -> IntArray:
    """Corners (n, 3) of flat triangles."""
    found = [np.empty((0, 3), dtype=np.int64)]
    for kind, nodes in faces.items():
        if kind not in PIECES:
            raise ModelError(f"draw_surface: there are no faces of type {kind!r}; known: {', '.join(PIECES)}.")
        found.append(np.asarray(nodes)[:, np.array(PIECES[kind])].reshape(-1, 3))
    return np.vstack(found)


def _split(corners: FloatArray) -> FloatArray:
    """Values (4 n, 3, ...) at the corners of the quarters of triangles (n, 3, ...)."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(q, axis=1) for q in quarters])


def _frame(ax: Any, points: FloatArray) -> None:
    """Equal scales on all axes, without walls and ticks."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = np.maximum(high - low, 0.02 * max(float((high - low).max()), 1e-300))
    middle = 0.5 * (low + high)
    for axis, m, e in zip("xyz", middle, extent, strict=True):
        getattr(ax, f"set_{axis}lim")(m - 0.5 * e, m + 0.5 * e)
    ax.set_box_aspect(extent, zoom=1.15)
    ax.set_axis_off()
