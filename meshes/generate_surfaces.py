"""Meshes of quadrilaterals on simple surfaces in space, with exact normals and slopes.

The point data ``normal`` are unit normals, ``slopes`` the derivatives dr/dp, dr/dq, d2r/dpdq by parameters that advance
by one from node to node, which elements with slopes take (`flexmbs.meshes.parameters`). A refined mesh has neither.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_number, is_list, show
from flexmbs.core.errors import MeshError
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.mesh import Mesh
from flexmbs.meshes.sets import as_divisions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Field = Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], ...]]

__all__ = ["cylinder", "ring", "sphere_sector"]

TURN = 2.0 * math.pi


def cylinder(
    *, radius: float, length: float, elements: tuple[int, int], start_angle: float = 0.0, end_angle: float = TURN
) -> Mesh:
    """A circular cylinder about z from z = 0, or a part of one; normals point outwards.

    Parameters
    ----------
    radius, length : float
        In the unit of the points.
    elements : (int, int)
        Round the axis and along it.
    start_angle, end_angle : float
        From the x axis [rad], the second larger by at most a full turn, with which the surface is closed.

    Returns
    -------
    Mesh
        With node sets ``bottom``, ``top`` and, if it is open, ``start`` and ``end``.

    Raises
    ------
    MeshError, ModelError
        If a number is out of bounds.

    Examples
    --------
    >>> cylinder(radius=1.0, length=2.0, elements=(8, 2))
    Mesh of dimension 3: 24 points; 16 quad; node sets 'bottom' (8), 'top' (8)
    """
    R = as_number("cylinder", "radius", radius, above=0.0, unit="length")
    length = as_number("cylinder", "length", length, above=0.0, unit="length")
    first, sweep = _sweep("cylinder", start_angle, end_angle)

    def field(a: NDArray[np.float64], z: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        s, c, o = np.sin(a), np.cos(a), 0.0 * a
        return (
            np.stack((R * c, R * s, z), 1),
            np.stack((-R * s, R * c, o), 1),
            np.stack((o, o, o + 1.0), 1),
            np.stack((o, o, o), 1),
        )

    names = ("start", "end", "bottom", "top")
    return _mapped("cylinder", field, (first, first + sweep), (0.0, length), elements, names, _closed(sweep))


def ring(
    *,
    inner_radius: float,
    outer_radius: float,
    elements: tuple[int, int],
    start_angle: float = 0.0,
    end_angle: float = TURN,
    slit: bool = False,
) -> Mesh:
    """An annulus in the plane z = 0 about the origin, or a sector of one; normals point along z.

    Parameters
    ----------
    inner_radius, outer_radius : float
        In the unit of the points.
    elements : (int, int)
        Along the radius and round the centre.
    start_angle, end_angle : float
        From the x axis [rad], the second larger by at most a full turn.
    slit : bool, default False
        Whether a full turn is cut open along a radius.

    Returns
    -------
    Mesh
        With node sets ``inner``, ``outer`` and, if it is open, ``start`` and ``end``.

    Raises
    ------
    MeshError, ModelError
        If a number is out of bounds.

    Examples
    --------
    >>> ring(inner_radius=1.0, outer_radius=2.0, elements=(1, 8), slit=True).node_set("start").tolist()
    [0, 1]
    """
    inner = as_number("ring", "inner_radius", inner_radius, above=0.0, unit="length")
    outer = as_number("ring", "outer_radius", outer_radius, above=inner, unit="length")
    first, sweep = _sweep("ring", start_angle, end_angle)

    def field(rho: NDArray[np.float64], a: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        s, c, o = np.sin(a), np.cos(a), 0.0 * a
        radial, along = np.stack((c, s, o), 1), np.stack((-s, c, o), 1)
        return rho[:, None] * radial, radial, rho[:, None] * along, along

    names = ("inner", "outer", "start", "end")
    closed = _closed(sweep) and not slit
    return _mapped("ring", field, (inner, outer), (first, first + sweep), elements, names, second=closed)


def sphere_sector(
    *,
    radius: float,
    longitudes: tuple[float, float],
    latitudes: tuple[float, float],
    elements: tuple[int, int],
) -> Mesh:
    """A part of a sphere about the origin between two meridians and two parallels; normals point outwards.

    Parameters
    ----------
    radius : float
        In the unit of the points.
    longitudes : (float, float)
        From the x axis towards y [rad], the second larger by at most a full turn, with which the surface is closed.
    latitudes : (float, float)
        From the equator towards z [rad], between -pi/2 and pi/2, without the poles, where meridians meet.
    elements : (int, int)
        Along the parallels and along the meridians.

    Returns
    -------
    Mesh
        With node sets ``bottom``, ``top`` (the parallels) and, if it is open, ``start`` and ``end``.

    Raises
    ------
    MeshError, ModelError
        If a number is out of bounds.

    Examples
    --------
    >>> import math
    >>> sphere_sector(radius=10.0, longitudes=(0, math.pi / 2), latitudes=(0, math.radians(72)),
    ...     elements=(4, 4)).n_cells
    16
    """
    R = as_number("sphere sector", "radius", radius, above=0.0, unit="length")
    first, sweep = _sweep("sphere sector", *_pair("sphere sector", "longitudes", longitudes))
    latitudes = _pair("sphere sector", "latitudes", latitudes)
    low, high = (as_number("sphere sector", "latitudes", x, unit="rad") for x in latitudes)
    if not -0.5 * math.pi < low < high < 0.5 * math.pi:
        raise MeshError(
            f"sphere sector: latitudes must rise, between -pi/2 and pi/2 without these, not {show(latitudes)}."
        )

    def field(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        s, c, S, C, o = np.sin(a), np.cos(a), np.sin(b), np.cos(b), 0.0 * a
        return (
            R * np.stack((C * c, C * s, S), 1),
            R * np.stack((-C * s, C * c, o), 1),
            R * np.stack((-S * c, -S * s, C), 1),
            R * np.stack((S * s, -S * c, o), 1),
        )

    names = ("start", "end", "bottom", "top")
    return _mapped("sphere sector", field, (first, first + sweep), (low, high), elements, names, _closed(sweep))


def _pair(owner: str, name: str, value: object) -> tuple[Any, Any]:
    """Two of something."""
    if not is_list(value, 2):
        raise MeshError(f"{owner}: {name} must be a pair such as (0.0, 1.0), not {show(value)}.")
    return value[0], value[1]


def _sweep(owner: str, start: float, end: float) -> tuple[float, float]:
    """Start and sweep of angles."""
    first = as_number(owner, "start_angle", start, unit="rad")
    sweep = as_number(owner, "end_angle", end, unit="rad") - first
    if not 0.0 < sweep <= TURN * (1.0 + 1e-12):
        raise MeshError(f"{owner}: the end angle must be up to 2 pi above the start, not {sweep:.9g} rad from it.")
    return first, sweep


def _closed(sweep: float) -> bool:
    return bool(np.isclose(sweep, TURN, rtol=1e-12))


def _mapped(
    owner: str,
    field: Field,
    u: tuple[float, float],
    v: tuple[float, float],
    elements: tuple[int, int],
    names: tuple[str, str, str, str],
    first: bool = False,
    second: bool = False,
) -> Mesh:
    """Rows of cells over (u, v), closed in the ``first`` or ``second`` direction.

    ``field`` returns r, dr/du, dr/dv, d2r/dudv; ``names`` are the sides of least and greatest u and v.
    """
    counts = as_divisions(owner, elements, 2)
    if (first and counts[0] < 3) or (second and counts[1] < 3):
        raise MeshError(f"{owner}: a closed surface needs 3 or more elements round its axis, not {show(elements)}.")
    steps = (u[1] - u[0]) / counts[0], (v[1] - v[0]) / counts[1]
    n_u, n_v = counts[0] + (not first), counts[1] + (not second)
    a, b = np.meshgrid(u[0] + steps[0] * np.arange(n_u), v[0] + steps[1] * np.arange(n_v))
    points, r_u, r_v, r_uv = field(a.ravel(), b.ravel())
    number = np.arange(n_u * n_v).reshape(n_v, n_u)
    right, up = np.roll(number, -1, axis=1), np.roll(number, -1, axis=0)
    cells = np.stack((number, right, np.roll(right, -1, axis=0), up), axis=2)[: counts[1], : counts[0]].reshape(-1, 4)
    sets: dict[str, NDArray[np.int64]] = {}
    if not first:
        sets |= {names[0]: number[:, 0], names[1]: number[:, -1]}
    if not second:
        sets |= {names[2]: number[0], names[3]: number[-1]}
    normal = np.cross(r_u, r_v)
    data = {
        "normal": normal / np.linalg.norm(normal, axis=1, keepdims=True),
        "slopes": np.hstack((steps[0] * r_u, steps[1] * r_v, steps[0] * steps[1] * r_uv)),
    }
    return Mesh(points, (CellBlock("quad", cells),), sets, point_data=data)
