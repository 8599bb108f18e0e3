"""Meshes of simple shapes with named node sets: lines, arcs, rectangles, annular sectors and boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_number, is_among, show
from flexmbs.core.errors import MeshError, unknown_name
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.mesh import SMALLEST, Mesh, check_range
from flexmbs.meshes.sets import as_divisions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["annular_sector", "arc", "box", "chain", "line", "polyline", "rectangle"]


def line(start: ArrayLike, end: ArrayLike, elements: int, grading: float = 1.0) -> Mesh:
    """Two-node lines from one point straight to another.

    Parameters
    ----------
    start, end : (dim,) array
        The ends, in the plane or in space.
    elements : int
        The number of cells.
    grading : float
        The length of the last cell over that of the first; between them the lengths grow geometrically.

    Returns
    -------
    Mesh
        With node sets ``start`` and ``end`` and point data ``tangent``.

    Examples
    --------
    >>> line((0, 0), (7, 0), 3, grading=4).points[:, 0].round(12).tolist()
    [0.0, 1.0, 3.0, 7.0]
    """
    ends = _points("line", "start and end", [start, end])
    elements = as_count("line", "elements", elements, minimum=1)
    grading = as_number("line", "grading", grading, above=0.0)
    along = ends[1] - ends[0]
    if not along.any():
        raise MeshError(f"line: start and end are the same point {ends[0].tolist()}.")
    length = float(np.linalg.norm(along))
    if length < SMALLEST:
        raise MeshError(
            f"line: start and end are {length:.3g} apart; lengths must be at least {SMALLEST:g}, so that their powers "
            f"are numbers. Give them in another unit."
        )
    sizes = grading ** (np.arange(elements) / max(elements - 1, 1))
    fraction = np.concatenate([[0.0], np.cumsum(sizes)]) / sizes.sum()
    points = ends[0] + fraction[:, None] * along
    points[-1] = ends[1]
    return chain(points, np.tile(along / length, (elements + 1, 1)))


def polyline(points: ArrayLike, elements: int | Sequence[int]) -> Mesh:
    """Two-node lines along straight pieces, with a node at every corner.

    Parameters
    ----------
    points : (n, dim) array
        The corners, at least two.
    elements : int or sequence of int
        The number of cells on each piece, or their total, which is then shared out by length with one or more for each.

    Returns
    -------
    Mesh
        With node sets ``start``, ``end`` and ``corners`` (all that were passed). There is no tangent at a corner, and
        so no point data.

    Examples
    --------
    >>> polyline([(0, 0), (3, 0), (3, 1)], 4).points.tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [3.0, 1.0]]
    """
    corners = _points("polyline", "points", points, least=2)
    lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    if (lengths == 0.0).any():
        raise MeshError(f"polyline: the points {np.argmin(lengths)} and {np.argmin(lengths) + 1} are the same.")
    pieces = len(lengths)
    if isinstance(elements, Sequence | np.ndarray):
        counts = [as_count("polyline", f"elements[{i}]", n, minimum=1) for i, n in enumerate(elements)]
        if len(counts) != pieces:
            raise MeshError(
                f"polyline: elements must hold a number for each of the {pieces} pieces, not {len(counts)}."
            )
    else:
        counts = _shared_out(as_count("polyline", "elements", elements, minimum=pieces), lengths)
    made = [corners[i] + (np.arange(n) / n)[:, None] * (corners[i + 1] - corners[i]) for i, n in enumerate(counts)]
    mesh = chain(np.vstack([*made, corners[-1:]]))
    return mesh.with_node_set("corners", np.concatenate([[0], np.cumsum(counts)]))


def arc(
    center: ArrayLike, *, radius: float, start_angle: float, end_angle: float, elements: int, closed: bool = False
) -> Mesh:
    """Two-node lines along a circular arc in the x-y plane, with exact points and tangents.

    Parameters
    ----------
    center : (dim,) array
        The centre; in space the arc lies at its z.
    radius : float
        The radius, in the unit of the points.
    start_angle, end_angle : float
        Angles from the x axis towards the y axis in radians; the arc runs from the first to the second, clockwise if
        that is smaller, and by no more than a full turn.
    elements : int
        The number of cells.
    closed : bool
        Whether a full turn ends in its first point (a ring).

    Returns
    -------
    Mesh
        With node sets ``start`` and ``end`` (none for a ring) and point data ``tangent``.

    Examples
    --------
    >>> import numpy as np
    >>> arc((0, 0), radius=2.0, start_angle=0.0, end_angle=np.pi / 2, elements=2).points.round(12).tolist()
    [[2.0, 0.0], [1.414213562373, 1.414213562373], [0.0, 2.0]]
    """
    middle = _points("arc", "center", [center])[0]
    radius = as_number("arc", "radius", radius, above=0.0, unit="length")
    first, sweep = _sweep("arc", start_angle, end_angle)
    elements = as_count("arc", "elements", elements, minimum=3 if closed else 1)
    if closed and not np.isclose(abs(sweep), 2 * np.pi, rtol=1e-9):
        raise MeshError(f"arc: closed needs a full turn of 2 pi, not {sweep:.9g} rad.")
    angles = first + sweep * np.arange(elements + (not closed)) / elements
    points = np.tile(middle, (len(angles), 1))
    points[:, :2] += radius * np.column_stack([np.cos(angles), np.sin(angles)])
    tangents = np.zeros_like(points)
    tangents[:, :2] = np.sign(sweep) * np.column_stack([-np.sin(angles), np.cos(angles)])
    return chain(points, tangents, closed=closed)


def chain(points: NDArray[np.float64], tangents: NDArray[np.float64] | None = None, *, closed: bool = False) -> Mesh:
    """Two-node lines through points in their order, as every generator of lines returns them."""
    numbers = np.arange(len(points))
    nodes = np.column_stack([numbers, np.roll(numbers, -1)])
    data = {} if tangents is None else {"tangent": tangents}
    if closed:
        return Mesh(points, (CellBlock("line", nodes),), point_data=data)
    ends = {"start": numbers[:1], "end": numbers[-1:]}
    return Mesh(points, (CellBlock("line", nodes[:-1]),), ends, point_data=data)


def rectangle(corner: ArrayLike, size: ArrayLike, elements: tuple[int, int], cell_type: str = "quad") -> Mesh:
    """A rectangle along the axes.

    Parameters
    ----------
    corner : (2,) array
        Its lower left corner.
    size : (2,) array
        Width and height, positive.
    elements : (int, int)
        The number of quadrilaterals along x and y.
    cell_type : str
        ``"quad"``, or ``"triangle"`` for two triangles in the place of each (split from lower left to upper right).

    Returns
    -------
    Mesh
        With node sets ``left``, ``right``, ``bottom`` and ``top``; points run along x first.

    Examples
    --------
    >>> rectangle((0, 0), (3, 2), (3, 2))
    Mesh of dimension 2: 12 points; 6 quad; node sets 'left' (3), 'right' (3), 'bottom' (4), 'top' (4)
    """
    low = as_array("rectangle", "corner", corner, (2,))
    extent = _positive("rectangle", size, 2)
    counts = as_divisions("rectangle", elements, 2)
    _known_type("rectangle", cell_type, ("quad", "triangle"))
    numbers = np.arange((counts[0] + 1) * (counts[1] + 1)).reshape(counts[1] + 1, counts[0] + 1)
    x, y = (low[i] + extent[i] * np.linspace(0, 1, counts[i] + 1) for i in range(2))
    points = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))])
    sets = {"left": numbers[:, 0], "right": numbers[:, -1], "bottom": numbers[0], "top": numbers[-1]}
    return Mesh(points, (_split_quads(_quads(numbers), cell_type),), sets)


def annular_sector(
    *,
    inner_radius: float,
    outer_radius: float,
    start_angle: float,
    end_angle: float,
    elements: tuple[int, int],
    cell_type: str = "quad",
) -> Mesh:
    """A sector of a ring around the origin, or the whole ring if the angles are a full turn apart.

    Parameters
    ----------
    inner_radius, outer_radius : float
        In the unit of the points.
    start_angle, end_angle : float
        Angles from the x axis in radians, the second larger than the first by up to 2 pi.
    elements : (int, int)
        The number of quadrilaterals along the radius and along the angle.
    cell_type : str
        ``"quad"``, or ``"triangle"`` for two triangles in the place of each.

    Returns
    -------
    Mesh
        With node sets ``inner``, ``outer``, ``start`` and ``end`` (the last two not for a whole ring).

    Examples
    --------
    >>> import numpy as np
    >>> annular_sector(inner_radius=1.0, outer_radius=2.0, start_angle=0.0, end_angle=np.pi / 2,
    ...     elements=(2, 8)).node_set("start").tolist()
    [0, 1, 2]
    """
    inner = as_number("annular sector", "inner_radius", inner_radius, above=0.0, unit="length")
    outer = as_number("annular sector", "outer_radius", outer_radius, above=inner, unit="length")
    first, sweep = _sweep("annular sector", start_angle, end_angle)
    if sweep < 0:
        raise MeshError(f"annular sector: end_angle must be above start_angle, not {sweep:.9g} rad from it.")
    whole = bool(np.isclose(sweep, 2 * np.pi, rtol=1e-12))
    n_r, n_phi = as_divisions("annular sector", elements, 2)
    if whole and n_phi < 3:
        raise MeshError(f"annular sector: a whole ring needs 3 or more elements along the angle, not {n_phi}.")
    _known_type("annular sector", cell_type, ("quad", "triangle"))
    angles = first + sweep * np.arange(n_phi + (not whole)) / n_phi
    radii = inner + (outer - inner) * np.linspace(0, 1, n_r + 1)
    points = np.column_stack([np.outer(np.cos(angles), radii).ravel(), np.outer(np.sin(angles), radii).ravel()])
    numbers = np.arange(len(points)).reshape(len(angles), len(radii))
    sets = {"inner": numbers[:, 0], "outer": numbers[:, -1]}
    if whole:
        numbers = np.vstack([numbers, numbers[:1]])
    else:
        sets |= {"start": numbers[0], "end": numbers[-1]}
    return Mesh(points, (_split_quads(_quads(numbers), cell_type),), sets)


def box(corner: ArrayLike, size: ArrayLike, elements: tuple[int, int, int], cell_type: str = "hexahedron") -> Mesh:
    """A box along the axes.

    Parameters
    ----------
    corner : (3,) array
        The corner with the smallest coordinates.
    size : (3,) array
        Its edges along x, y and z, positive.
    elements : (int, int, int)
        The number of hexahedra along x, y and z.
    cell_type : str
        ``"hexahedron"``, or ``"tetra"`` for six tetrahedra in the place of each.

    Returns
    -------
    Mesh
        With node sets ``left`` and ``right`` (x), ``front`` and ``back`` (y), ``bottom`` and ``top`` (z), the first of
        each pair at the smaller coordinate; points run along x first, then y.

    Examples
    --------
    >>> box((0, 0, 0), (2, 1, 1), (2, 1, 1), "tetra").n_cells
    12
    """
    low = as_array("box", "corner", corner, (3,))
    extent = _positive("box", size, 3)
    counts = as_divisions("box", elements, 3)
    _known_type("box", cell_type, ("hexahedron", "tetra"))
    axes = [low[i] + extent[i] * np.linspace(0, 1, counts[i] + 1) for i in range(3)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    numbers = np.arange(x.size).reshape(x.shape)
    sets = {
        "left": numbers[:, :, 0].ravel(),
        "right": numbers[:, :, -1].ravel(),
        "front": numbers[:, 0].ravel(),
        "back": numbers[:, -1].ravel(),
        "bottom": numbers[0].ravel(),
        "top": numbers[-1].ravel(),
    }
    layers = [_quads(layer) for layer in numbers]
    cells = np.vstack([np.hstack([below, above]) for below, above in pairwise(layers)])
    if cell_type == "tetra":
        # the six paths along the edges from corner 0 to corner 6: neighbours split their shared face alike
        paths = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
        cells = cells[:, np.array(paths)].reshape(-1, 4)
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    return Mesh(points, (CellBlock(cell_type, cells),), sets)


def _quads(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The quadrilaterals (n, 4) of a grid of point numbers, counter-clockwise if columns run along x, rows along y."""
    corners = numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, 1:], numbers[1:, :-1]
    return np.column_stack([corner.ravel() for corner in corners])


def _split_quads(quads: NDArray[np.int64], cell_type: str) -> CellBlock:
    """Quadrilaterals as they are or as two triangles each."""
    if cell_type == "triangle":
        return CellBlock("triangle", quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3))
    return CellBlock("quad", quads)


def _shared_out(total: int, lengths: NDArray[np.float64]) -> list[int]:
    """Whole numbers, one or more each, that add up to the total and make the longest cell short."""
    # bisection for the shortest longest cell that the total allows
    low, high = float(lengths.sum()) / total, float(lengths.max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if np.ceil(lengths / middle).sum() <= total else (middle, high)
    counts = np.ceil(lengths / high).astype(np.int64)
    while counts.sum() < total:
        counts[np.argmax(lengths / counts)] += 1
    return [int(n) for n in counts]


def _points(owner: str, name: str, value: object, least: int = 1) -> NDArray[np.float64]:
    """Points (n, 2) or (n, 3), ``least`` or more of them."""
    points = as_array(owner, name, value, (None, None), unit="length")
    if points.shape[1] not in (2, 3) or len(points) < least:
        raise MeshError(f"{owner}: {name} must be {least} or more points of 2 or 3 coordinates, not {show(value)}.")
    check_range(owner, points)
    return points


def _sweep(owner: str, start: float, end: float) -> tuple[float, float]:
    """The first angle and the signed angle to the second, not zero and no more than a turn."""
    first = as_number(owner, "start_angle", start, unit="rad")
    sweep = as_number(owner, "end_angle", end, unit="rad") - first
    if sweep == 0.0 or abs(sweep) > 2 * np.pi * (1 + 1e-12):
        raise MeshError(f"{owner}: the angles must differ, by no more than 2 pi, not by {sweep:.9g} rad.")
    return first, sweep


def _positive(owner: str, value: ArrayLike, dim: int) -> NDArray[np.float64]:
    """Sizes (dim,) that are all positive."""
    sizes = as_array(owner, "size", value, (dim,), unit="length")
    if not (sizes > 0).all():
        raise MeshError(f"{owner}: size must be positive along each axis, not {sizes.tolist()}.")
    return sizes


def _known_type(owner: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse a cell type that the generator does not make."""
    if not is_among(value, known):
        raise MeshError(f"{owner}: {unknown_name('cell type here', value, known)}")
