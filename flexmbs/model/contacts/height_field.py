"""Shape of contacts: the ground below a surface of given heights, or below a profile."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import make_interp_spline

from flexmbs.core.checks import as_array, as_number, as_places, show
from flexmbs.core.errors import ModelError
from flexmbs.kernels.height_fields import heights_of
from flexmbs.kernels.rows.field_rows import FIELD_GAP, FIELD_SLIP
from flexmbs.model.contacts.shapes import GAP, Shape, ShapeRows, placed, rows_with

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["HeightField"]

WINDOW = 1.25
"""Half the width of the window in which the nearest place is looked for, over the radius of what touches."""
STEEPER = 1.25
"""Slopes between samples, over the largest one of these, that the search reckons with."""
SAMPLES = 4
"""Samples of a piece of the surface, each way."""
FLAT = 1e-9
"""Part of its normal by which a surface may leave the plane of a planar model."""
LINES = 40
"""Lines each way by which it is shown, at most."""


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    r"""Uneven ground: all that is below the surface z = h(x, y) in the axes of a marker, or below a profile z = h(x).

    h is the cubic spline through the given heights, not-a-knot: it and its first two derivatives are continuous, and a
    polynomial of third degree is met exactly; h(x, y) is the product of such splines. Beyond the outer heights it goes
    on straight. The gap to a ball is the distance of its centre from the nearest place of the surface, less its radius;
    the normal is that of the surface there.

    Parameters
    ----------
    marker : Marker, or Attachment of one node
        Its z axis is up.
    x : (n_x,) array
        Places [length], increasing, in the axes of the marker; two or more.
    heights : (n_x, n_y) array, or (n_x,)
        h [length]. With one dimension they are a profile, the same for all y.
    y : (n_y,) array, optional
        Places [length], increasing; left out for a profile.

    Raises
    ------
    ModelError
        If places do not increase, numbers are not finite, or their counts differ; of a ball or a tube whose radius is
        not below the smallest radius of a hollow, so that it would touch at two places; in a planar model, of heights
        that are no profile, or whose marker does not have its x and z axes in the plane.

    Notes
    -----
    Partners: `Sphere`, `Vertex`, `Tube`, `Skin`. In a planar model: ``ground.marker((0, 0), axis=(0, 1), x=(1, 0))``.
    Curvatures are looked at at the given places and between them. A corner of the ground is rounded by the spline over
    the nearest places.

    Examples
    --------
    >>> import numpy as np
    >>> import flexmbs as fx
    >>> x = np.linspace(-2.0, 2.0, 41)
    >>> bowl = fx.contact.HeightField(fx.ground.marker((0, 0, 0)), x=x, y=x, heights=np.add.outer(x**2, x**2) / 4)
    >>> round(float(bowl.height(0.5, 1.0)), 9), round(bowl.smallest_radius, 9)
    (0.3125, 2.0)
    """

    marker: Any  # a Marker once made; given as one, a body, or an Attachment of one node
    x: Any = field(kw_only=True)
    heights: Any = field(kw_only=True)
    y: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        owner = placed(self, self.marker, turns=True)
        x = _places(owner, "x", self.x)
        y = None if self.y is None else _places(owner, "y", self.y)
        heights = as_array(owner, "heights", self.heights, (len(x),) if y is None else (len(x), len(y)))
        for name, value in (("x", x), ("y", y), ("heights", heights)):
            object.__setattr__(self, name, value)

    @cached_property
    def table(self) -> FloatArray:
        """What `flexmbs.kernels.height_fields` reads, with no window."""
        h = self.heights if self.y is not None else self.heights[:, None]
        y = np.zeros(1) if self.y is None else self.y
        hx, hy = _slopes(self.x, h), np.zeros_like(h) if self.y is None else _slopes(y, h.T).T
        hxy = np.zeros_like(h) if self.y is None else _slopes(self.x, hy)
        nodes = np.stack((h, hx, hy, hxy), axis=-1)
        return np.concatenate(([0.0, len(self.x), len(y)], self.x, y, nodes.ravel()))

    @cached_property
    def _numbers(self) -> tuple[float, ...]:
        """The table behind its window, once for all that touches."""
        return tuple(self.table[1:].tolist())

    def height(self, x: Any, y: Any = 0.0) -> Any:
        """h at places in the axes of the marker [length]; ``x`` and ``y`` may be arrays of one shape."""
        u, v = as_places("HeightField", "x", x), as_places("HeightField", "y", y)
        if u.shape != v.shape and 0 not in (u.ndim, v.ndim):
            raise ModelError(f"HeightField: x and y must be of one shape, not {u.shape} and {v.shape}.")
        u, v = np.broadcast_arrays(u, v)
        return self._around(np.column_stack((u.ravel(), v.ravel())))[:, 0].reshape(u.shape)[()]

    def normal(self, x: float, y: float = 0.0) -> FloatArray:
        """Unit normal (3,) at a place, in the axes of the marker.

        A ball of radius r that touches there has its centre at (x, y, height(x, y)) + r normal(x, y).
        """
        place = [as_number("HeightField", name, value, unit="length") for name, value in (("x", x), ("y", y))]
        _, hu, hv, *_ = self._around(np.array([place]))[0]
        return np.asarray(np.array((-hu, -hv, 1.0)) / np.sqrt(1.0 + hu * hu + hv * hv))

    def _around(self, places: FloatArray) -> FloatArray:
        """h and its derivatives (n, 6) at places (n, 2)."""
        out = np.zeros((len(places), 6))
        heights_of(np.ascontiguousarray(places), self.table, out)
        return out

    @cached_property
    def _sampled(self) -> tuple[FloatArray, FloatArray]:
        """Places (n, 2) within every piece and at its ends, and h there with its derivatives (n, 6)."""
        u = _between(self.x)
        v = np.zeros(1) if self.y is None else _between(self.y)
        places = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)
        return places, self._around(places)

    @cached_property
    def _hollow(self) -> tuple[float, FloatArray]:
        """The largest curvature towards above, 0 where there is none, and its place (2,)."""
        places, (_, hu, hv, huu, huv, hvv) = self._sampled[0], self._sampled[1].T
        W2 = 1.0 + hu * hu + hv * hv
        # of W^-1 g^-1 H: mean and product of the principal curvatures
        mean = 0.5 * ((1.0 + hv * hv) * huu - 2.0 * hu * hv * huv + (1.0 + hu * hu) * hvv) / W2**1.5
        product = (huu * hvv - huv * huv) / W2**2
        largest = mean + np.sqrt(np.maximum(mean * mean - product, 0.0))
        worst = int(np.argmax(largest))
        return max(float(largest[worst]), 0.0), places[worst]

    @property
    def smallest_radius(self) -> float:
        """The smallest radius of curvature of its hollows [length]: balls have to be smaller; infinite without any."""
        curvature, _ = self._hollow
        return 1.0 / curvature if curvature > 0.0 else float(np.inf)

    @property
    def fits_all(self) -> bool:
        """Without a hollow."""
        return self._hollow[0] == 0.0

    def table_for(self, other: Shape, radius: float) -> tuple[float, ...]:
        """What the kernels read, if the radius is not too large for a hollow."""
        curvature, place = self._hollow
        if radius * curvature >= 1.0:
            raise ModelError(
                f"{self}: in its hollow of radius {1.0 / curvature:.3g} at x = {place[0]:.4g}, y = {place[1]:.4g} "
                f"{other} of radius {radius:.4g} would touch at two places, of which one is seen; give smoother "
                f"heights, or a smaller radius."
            )
        return (WINDOW * radius, *self._numbers)

    def clearance(self, x: FloatArray) -> FloatArray:
        """Heights above the surface, over the longest way that a slope can be nearer."""
        slopes = self._sampled[1][:, 1:3]
        steepest = STEEPER * float(np.sqrt((slopes * slopes).sum(axis=1).max()))
        above = x[:, 2] - self._around(np.ascontiguousarray(x[:, :2]))[:, 0]
        return np.where(above > 0.0, above / np.hypot(1.0, steepest), above)

    def outline(self, near: FloatArray) -> FloatArray:
        """Lines through its nodes; of a profile, beside the points."""
        x = self.x[:: max(1, len(self.x) // LINES)]
        y = near[:, 1] if self.y is None else self.y
        y = np.unique(np.linspace(y.min(), y.max(), min(len(y), 7)).round(12)) if self.y is None else y
        y = y[:: max(1, len(y) // LINES)]
        fine_x, fine_y = _between(x), _between(y)
        lines = [np.column_stack((fine_x, np.full(len(fine_x), v), self.height(fine_x, v))) for v in y]
        lines += [np.column_stack((np.full(len(fine_y), u), fine_y, self.height(u, fine_y))) for u in x]
        return np.concatenate([np.vstack((line, GAP)) for line in lines])

    def rows_against(self, other: Shape) -> ShapeRows | None:
        """With balls and points."""
        ball = other.ball_radius
        if ball is None:
            return None
        if self.marker.planar and other.marker.planar:
            across = self.marker.rotation0()[:, 1]
            if self.y is not None:
                raise ModelError(f"{self}: in a planar model it is a profile: give heights along x alone, without y.")
            if abs(abs(float(across[2])) - 1.0) > FLAT:
                raise ModelError(
                    f"{self}: the x and z axes of its marker must lie in the plane of motion, but y is "
                    f"{across.round(6).tolist()}: give it x, as ground.marker((0, 0), axis=(0, 1), x=(1, 0))."
                )
        return rows_with(self, other, FIELD_GAP, FIELD_SLIP, (0.0, 0.0, 0.0, ball))


def _places(owner: str, name: str, given: Any) -> FloatArray:
    """Places of nodes, checked."""
    places = as_array(owner, name, given, (None,))
    if len(places) < 2 or not (np.diff(places) > 0.0).all():
        raise ModelError(f"{owner}: {name} must be two or more increasing places, not {show(given)}.")
    return places


def _slopes(x: FloatArray, h: FloatArray) -> FloatArray:
    """Derivatives by x of the splines through the columns of h, at the nodes."""
    return np.asarray(make_interp_spline(x, h, k=min(3, len(x) - 1)).derivative()(x))


def _between(x: FloatArray) -> FloatArray:
    """Places and more between them."""
    steps = np.arange(SAMPLES) / SAMPLES
    return np.append((x[:-1, None] + np.diff(x)[:, None] * steps).ravel(), x[-1])
