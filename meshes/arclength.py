"""A line of cells along any smooth curve r(s), with nodes equally spaced by arc length.

The interval of s is cut into panels until, on each, Chebyshev polynomials of degree 16 hold the curve and its speed
|dr/ds| to round-off. The arc length

    L(s) = integral of |dr/ds| from the start to s

is integrated term by term, and L(s_k) = k L / n is solved by Newton's method within a panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import chebyshev

from flexmbs.core.checks import as_array, as_count, show
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.meshes.generate import chain

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from flexmbs.meshes.mesh import Mesh

__all__ = ["curve"]

DEGREE = 16
MAX_PANELS = 20_000
MIN_WIDTH = 2.0**-24


def curve(
    function: Callable[[Any], Any],
    elements: int,
    interval: ArrayLike = (0.0, 1.0),
    *,
    derivative: Callable[[Any], Any] | None = None,
    closed: bool = False,
) -> Mesh:
    """Two-node lines along a smooth curve, with nodes equally spaced by arc length and unit tangents at them.

    The points are values of the function; they are equally spaced to about 1e-12 of the length. Tangents are exact to
    round-off with a derivative; without one they come from the Chebyshev polynomials, to about 1e-11.

    Parameters
    ----------
    function : callable
        Point (dim,) of a parameter s, dim 2 or 3. It is called with arrays s (m,) if it can be, to return the
        coordinates (dim, m) or points (m, dim), otherwise with one number at a time. It must be smooth: corners belong
        into `polyline`, or into two curves that are merged.
    elements : int
        The number of cells.
    interval : (2,) array
        Where s starts and ends, inclusive; the function is never called outside.
    derivative : callable, optional
        dr/ds, called like the function.
    closed : bool
        Whether the last point is the first one (a ring), which the function must then return at both ends.

    Returns
    -------
    Mesh
        With node sets ``start`` and ``end`` (none for a ring) and point data ``tangent``.

    Raises
    ------
    MeshError
        If the curve has a corner, a gap or a point where its speed vanishes, or the derivative is not that of the
        function.

    Examples
    --------
    >>> import numpy as np
    >>> helix = curve(lambda s: (np.cos(s), np.sin(s), s / np.pi), 4, (0, 2 * np.pi))
    >>> helix.points[:, 2].round(12).tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    elements = as_count("curve", "elements", elements, minimum=3 if closed else 1)
    limits = as_array("curve", "interval", interval, (2,))
    if not limits[0] < limits[1]:
        raise MeshError(f"curve: interval must go from low to high, not {limits.tolist()}.")
    position = _vectorised("function", function, limits)
    slope = None if derivative is None else _vectorised("derivative", derivative, limits)
    panels = _fit(position, slope, limits)
    reached = panels.length_to_edges
    wanted = reached[-1] * np.arange(elements + 1) / elements
    panel = np.clip(np.searchsorted(reached, wanted, side="right") - 1, 0, len(panels.left) - 1)
    xi = _invert(panels, panel, wanted - reached[panel])
    xi[0], xi[-1] = -1.0, 1.0
    s = panels.left[panel] + (xi + 1) / 2 * panels.width[panel]
    s[0], s[-1] = limits
    points = position(s)
    tangents = slope(s) if slope is not None else _sum(xi, panels.slopes[panel])
    tangents = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    if closed and np.linalg.norm(points[-1] - points[0]) > 1e-9 * reached[-1]:
        raise MeshError(f"curve: closed, but it starts at {points[0].tolist()} and ends at {points[-1].tolist()}.")
    return chain(points[:-1] if closed else points, tangents[:-1] if closed else tangents, closed=closed)


@dataclass(frozen=True, eq=False)
class _Panels:
    """Chebyshev coefficients per panel: slope dr/ds (n, 17, dim), length from the left (n, 18), speed (n, 17)."""

    left: NDArray[np.float64]
    width: NDArray[np.float64]
    slopes: NDArray[np.float64]
    lengths: NDArray[np.float64]
    speeds: NDArray[np.float64]

    @property
    def length_to_edges(self) -> NDArray[np.float64]:
        """The arc length from the start to each edge of a panel (n + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.lengths.sum(axis=1))])


def _fit(
    position: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    slope: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None,
    limits: NDArray[np.float64],
) -> _Panels:
    """Panels on which the curve and its speed are polynomials to round-off, found by bisection."""
    xi = np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)[::-1]
    transform = np.linalg.inv(chebyshev.chebvander(xi, DEGREE))
    span = limits[1] - limits[0]
    edges = np.linspace(limits[0], limits[1], 5)
    todo = np.column_stack([edges[:-1], edges[1:]])
    done: list[tuple[NDArray[np.float64], ...]] = []
    size = 0.0
    while len(todo):
        left, width = todo[:, 0], todo[:, 1] - todo[:, 0]
        s = left[:, None] + (xi + 1) / 2 * width[:, None]
        s[:, -1] = todo[:, 1]
        values = position(s.ravel()).reshape(len(todo), DEGREE + 1, -1)
        size = max(size, float(np.abs(values).max()))
        coefficients = np.einsum("ij,pjd->pid", transform, values)
        if slope is None:
            rates = np.zeros_like(coefficients)
            rates[:, :-1] = np.moveaxis(chebyshev.chebder(np.moveaxis(coefficients, 1, 0)), 0, 1)
            rates *= 2 / width[:, None, None]
        else:
            rates = np.einsum("ij,pjd->pid", transform, _like(values, slope(s.ravel())))
        speed = np.linalg.norm(np.einsum("ji,pid->pjd", chebyshev.chebvander(xi, DEGREE), rates), axis=2)
        speeds = speed @ transform.T
        fastest = speed.max(axis=1)
        # round-off of the coordinates, seen through a division by the width
        noise = 20 * np.finfo(float).eps * size
        fine = np.abs(coefficients[:, -2:]).max(axis=(1, 2)) <= noise
        fine &= np.abs(speeds[:, -2:]).max(axis=1) <= 1e-13 * fastest + (100 * noise / width if slope is None else 0.0)
        stuck = ~fine & (width <= MIN_WIDTH * span)
        if stuck.any() or len(todo) > MAX_PANELS:
            where = left[np.argmax(stuck)]
            raise MeshError(
                f"curve: the function is not smooth near s = {where:.9g} (a corner, a gap or a stop); split the curve "
                "there and merge the pieces, or use polyline."
            )
        if speed.min() <= 1e-12 * fastest.max():
            where = s.ravel()[np.argmin(speed)]
            raise MeshError(f"curve: the speed |dr/ds| vanishes near s = {where:.9g}, where it has no tangent.")
        if slope is not None:
            _compare(coefficients[fine], rates[fine], left[fine], width[fine])
        lengths = np.moveaxis(chebyshev.chebint(np.moveaxis(speeds, 1, 0), lbnd=-1), 0, 1) * width[:, None] / 2
        done.append((left[fine], width[fine], rates[fine], lengths[fine], speeds[fine]))
        middle = (todo[~fine, 0] + todo[~fine, 1]) / 2
        todo = np.vstack([np.column_stack([todo[~fine, 0], middle]), np.column_stack([middle, todo[~fine, 1]])])
    parts = [np.concatenate(column) for column in zip(*done, strict=True)]
    order = np.argsort(parts[0])
    panels = _Panels(*(part[order] for part in parts))
    _no_corners(panels)
    return panels


def _no_corners(panels: _Panels) -> None:
    """Refuse a jump of the tangent between panels: a corner that lies on their common edge."""
    n = len(panels.left)
    before, after = _sum(np.ones(n), panels.slopes)[:-1], _sum(-np.ones(n), panels.slopes)[1:]
    before, after = (rates / np.linalg.norm(rates, axis=1, keepdims=True) for rates in (before, after))
    corners = np.flatnonzero(np.linalg.norm(before - after, axis=1) > 1e-6)
    if len(corners):
        raise MeshError(
            f"curve: the tangent jumps at s = {panels.left[corners[0] + 1]:.9g} (a corner); split the curve there and "
            "merge the pieces, or use polyline."
        )


def _like(values: NDArray[np.float64], slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Derivatives in the shape (n, 17, dim) of the values."""
    if slopes.shape[1] != values.shape[2]:
        raise MeshError(f"curve: the function has {values.shape[2]} coordinates, but derivative {slopes.shape[1]}.")
    return np.asarray(slopes.reshape(values.shape))


def _compare(
    coefficients: NDArray[np.float64],
    rates: NDArray[np.float64],
    left: NDArray[np.float64],
    width: NDArray[np.float64],
) -> None:
    """Refuse a derivative that does not integrate to the function over each panel."""
    signs = (-1.0) ** np.arange(DEGREE + 1)
    gone = coefficients.sum(axis=1) - np.einsum("i,pid->pd", signs, coefficients)
    integral = chebyshev.chebval(1.0, chebyshev.chebint(np.moveaxis(rates, 1, 0), lbnd=-1)) * width[:, None] / 2
    size = np.abs(coefficients).max(axis=(1, 2), initial=0.0)
    wrong = np.flatnonzero(np.linalg.norm(gone - integral, axis=1) > 1e-6 * np.linalg.norm(gone, axis=1) + 1e-12 * size)
    if len(wrong):
        raise MeshError(
            f"curve: derivative is not that of the function: from s = {left[wrong[0]]:.9g}, over {width[wrong[0]]:.3g} "
            f"it integrates to {integral[wrong[0]].tolist()}, but the curve goes {gone[wrong[0]].tolist()}."
        )


def _invert(panels: _Panels, panel: NDArray[np.int64], length: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place xi in [-1, 1] of a panel at an arc length from its left edge, by safeguarded Newton steps."""
    total = panels.lengths[panel].sum(axis=1)
    xi = np.clip(2 * length / total - 1, -1.0, 1.0)
    low, high = np.full_like(xi, -1.0), np.ones_like(xi)
    for _ in range(60):
        error = _sum(xi, panels.lengths[panel]) - length
        if (np.abs(error) <= 4 * np.finfo(float).eps * total).all():
            break
        low, high = np.where(error < 0, xi, low), np.where(error > 0, xi, high)
        step = xi - error / (_sum(xi, panels.speeds[panel]) * panels.width[panel] / 2)
        xi = np.where((step >= low) & (step <= high), step, (low + high) / 2)
    return np.asarray(xi)


def _sum(xi: NDArray[np.float64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chebyshev series with coefficients (n, terms, ...), each at its own xi (n,)."""
    basis = chebyshev.chebvander(xi, coefficients.shape[1] - 1)
    return np.asarray(np.einsum("ni,ni...->n...", basis, coefficients))


def _vectorised(
    name: str, function: Callable[[Any], Any], limits: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The function as one from parameters (m,) to points (m, dim), whichever way it wants to be called."""
    if not callable(function):
        raise MeshError(f"curve: {name} must be a function of a parameter, not {show(function)}.")
    probe = np.linspace(limits[0], limits[1], 7)[1:-1]
    single = _rows(name, [function(float(s)) for s in probe])

    def one_by_one(s: NDArray[np.float64]) -> NDArray[np.float64]:
        return _rows(name, [function(float(each)) for each in s])

    def at_once(s: NDArray[np.float64]) -> NDArray[np.float64]:
        returned = function(s)
        if isinstance(returned, tuple | list):
            returned = np.array(np.broadcast_arrays(*returned, s)[:-1])
        values = np.asarray(returned, dtype=np.float64)
        return as_array(
            "curve",
            f"the value of {name}",
            values.T if values.shape == (single.shape[1], len(s)) else values,
            (len(s), single.shape[1]),
        )

    try:
        together = at_once(probe)
    except (TypeError, ValueError, IndexError):
        # written for one number at a time, with math.cos or a comparison
        return one_by_one
    return at_once if np.allclose(together, single, rtol=1e-12, atol=1e-14) else one_by_one


def _rows(name: str, values: list[Any]) -> NDArray[np.float64]:
    """Points (m, dim) from a list of points."""
    points = as_array("curve", f"the value of {name}", values, (None, None))
    if points.shape[1] not in (2, 3):
        raise ModelError(f"curve: {name} must return 2 or 3 coordinates, not {points.shape[1]}.")
    return points
