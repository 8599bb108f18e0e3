"""Coloured lines and faces of plots, in the plane and in space, with one scale of colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize

from flexmbs.core.contracts import FloatArray
from flexmbs.visualization import style
from flexmbs.visualization.sampling import facets, outline

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Scale",
    "Values",
    "collection",
    "colour_bar",
    "draw_faces",
    "draw_lines",
    "polylines",
    "scale_of",
    "scale_of_means",
    "typeset",
]

BOTH_SIGNS = 1e-3
"""Share of the largest value from which values of the other sign count."""
FLAT = 1e-4
"""Relative variation below which values count as constant: so much is noise of the discretisation."""

Scale = tuple[Normalize, Any]
"""Limits and colours."""
Values = list[tuple[FloatArray, FloatArray | None]]
"""Points and values of bodies: of lines, or of the grids of surfaces; None: drawn in one colour."""


def collection(axes: Any, segments: Any, **look: Any) -> Any:
    """A collection of lines in the plane or in space."""
    look = {"capstyle": "round", "joinstyle": "round", **look}
    if axes.name != "3d":
        return LineCollection(segments, **look)
    from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

    return Line3DCollection(segments, **look)


def polylines(curves: Iterable[FloatArray]) -> list[FloatArray]:
    """One line per element."""
    return [line for curve in curves for line in curve]


def scale_of(lines: Values, faces: Values) -> Scale | None:
    """Limits and colours of the values of all pieces of lines and faces; None if there are none."""
    means = [_line_means(v) for _, v in lines if v is not None] + [_face_means(v) for _, v in faces if v is not None]
    return scale_of_means(np.concatenate(means)) if means else None


def _line_means(values: FloatArray) -> FloatArray:
    return np.asarray(0.5 * (values[:, :-1] + values[:, 1:]).ravel())


def _face_means(values: FloatArray) -> FloatArray:
    return np.asarray(values[:, facets()].mean(axis=2).ravel())


def draw_lines(axes: Any, lines: Values, scale: Scale | None, fine: bool) -> None:
    """Lines in pieces coloured by the mean of their ends."""
    width = 0.6 * style.WIDTH if fine else style.WIDTH
    plain = [curve for curve, value in lines if value is None]
    if plain:
        axes.add_collection(collection(axes, polylines(plain), colors=style.INK, linewidths=width, zorder=4))
    coloured = [(curve, value) for curve, value in lines if value is not None]
    if not coloured or scale is None:
        return
    pieces = [np.stack((c[:, :-1], c[:, 1:]), axis=2).reshape(-1, 2, c.shape[-1]) for c, _ in coloured]
    drawn = collection(axes, np.concatenate(pieces), norm=scale[0], cmap=scale[1], linewidths=width, zorder=4)
    drawn.set_array(np.concatenate([_line_means(v) for _, v in coloured]))
    axes.add_collection(drawn)


def draw_faces(axes: Any, faces: Values, scale: Scale | None) -> None:
    """Surfaces in facets coloured by the mean of their corners, with the edges of the elements."""
    if not faces:
        return
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    quads = np.concatenate([points[:, facets()].reshape(-1, 4, 3) for points, _ in faces])
    grey = np.tile(matplotlib.colors.to_rgba(style.GREY, 0.6), (len(quads), 1))
    start = 0
    for points, values in faces:
        n = len(points) * len(facets())
        if values is not None and scale is not None:
            grey[start : start + n] = scale[1](scale[0](_face_means(values)))
        start += n
    axes.add_collection(Poly3DCollection(quads, facecolors=grey, edgecolors="none", linewidths=0.0, zorder=3))
    edges = [points[:, outline()] for points, _ in faces]
    axes.add_collection(collection(axes, polylines(edges), colors=style.INK, linewidths=0.3, zorder=4))


def typeset(label: str) -> str:
    """A label whose symbol has an index, with the index set lower."""
    symbol, _, unit = label.partition(" ")
    letter, _, index = symbol.partition("_")
    if not index:
        return label
    return f"${letter}_{{{index}}}$ {unit}" if len(index) > 1 else f"${symbol}$ {unit}"


def colour_bar(axes: Any, scale: Scale, label: str) -> None:
    """The bar of colours beside the axes."""
    spatial = axes.name == "3d"
    shrink, pad = (0.65, 0.12) if spatial else (0.9, 0.02)
    mappable = ScalarMappable(norm=scale[0], cmap=scale[1])
    axes.figure.colorbar(mappable, ax=axes, label=label, shrink=shrink, pad=pad, aspect=28)


def scale_of_means(values: FloatArray) -> Scale:
    """Limits and colours: about zero where both signs matter."""
    low, high = float(values.min()), float(values.max())
    top = max(abs(low), abs(high))
    if top == 0.0:
        return Normalize(-1.0, 1.0), style.diverging()
    if min(-low, high) > BOTH_SIGNS * top:
        return Normalize(-top, top), style.diverging()
    if high - low <= FLAT * top:
        low, high = min(low, 0.0), max(high, 0.0)
    return Normalize(low, high), style.sequential()
