"""Shapes that go along flexible bodies: tubes about lines, skins of surfaces, and the points by which they touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from flexmbs.core.checks import as_count, as_number, show
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.contacts.shapes import Shape
from flexmbs.model.forces.edge_loads import gauss_grid

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["Along", "Points", "Skin", "Tube"]


class Points(NamedTuple):
    """Points of the n_e elements of a body, n_s each: x = N e, with the n_x vectors e of an element that move its axis.

    ``first (n_e, n_x)``: first number of each vector among the coordinates of the body, node by node; ``N (n_e, n_s,
    n_x)``; ``w (n_e, n_s)``: the length or the area that belongs to a point, in the stress-free shape.
    """

    first: IntArray
    N: FloatArray
    w: FloatArray


class Along(Shape):
    """What tubes and skins have in common: a body, and a distance from its axis or middle surface."""

    body: Any  # a FlexibleBody once made
    points: int

    @property
    def along(self) -> bool:
        """Whether it goes along a body, so that forces are per length or per area."""
        return True

    @property
    def offset(self) -> float:
        """Distance of what touches from the axis or the middle surface [length]."""
        raise NotImplementedError

    @property
    def rule(self) -> tuple[FloatArray, FloatArray]:
        """Natural coordinates of the points of an element, and weights."""
        raise NotImplementedError

    @property
    def is_fixed(self) -> bool:
        """Never: it is on a body."""
        return False

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.body.cells) * len(self.rule[1])

    def table(self) -> Points:
        """The points with all that does not depend on a model."""
        body: FlexibleBody = self.body
        element: Any = body.element
        dim, n = element.layout.dim, len(element.layout.names)
        group: Any = body.tabulate(np.arange(body.mesh.n_points * n, dtype=np.int64).reshape(-1, n), 0)
        xi, w = self.rule
        N, N1 = element.interpolation(group, xi)
        used = np.flatnonzero((N != 0.0).any(axis=(0, 1)))
        first = np.ascontiguousarray(group.dofs[:, ::dim][:, used])
        x = body.reference[(first // n)[..., None], (first % n)[..., None] + np.arange(dim)]
        if body.surface:
            a, b = (np.einsum("egi,eic->egc", N1[:, :, k][..., used], x) for k in (0, 1))
            metric = np.linalg.norm(np.cross(a, b), axis=-1)
        else:
            metric = np.linalg.norm(np.einsum("egi,eic->egc", N1[..., used], x), axis=-1)
        return Points(first, np.ascontiguousarray(N[..., used]), metric * w)

    def __str__(self) -> str:
        return f"{type(self).__name__} of body {self.body.name!r}"


def _on_body(shape: Along, surface: bool) -> str:
    """Check the body of a shape and its number of points; its owner in words."""
    owner, body = type(shape).__name__, shape.body
    wanted = "a surface (plate or shell)" if surface else "a line (cable or beam)"
    if not isinstance(body, FlexibleBody):
        raise ModelError(f"{owner}: it goes along {wanted}, a FlexibleBody, not {show(body)}.")
    owner = f"{owner} of body {body.name!r}"
    if body.surface != surface:
        other = "Tube" if body.surface is False else "Skin"
        raise ModelError(f"{owner}: it goes along {wanted}; take fx.contact.{other} for this body.")
    if not hasattr(body.element, "interpolation"):
        raise ModelError(
            f"{owner}: {a_or_an(body.element.name)} offers no interpolation by vectors; take a cable, an ANCF beam or "
            f"a GeometricallyExactBeam, or put spheres on its nodes."
        )
    object.__setattr__(shape, "points", as_count(owner, "points", shape.points, minimum=1))
    return owner


@dataclass(frozen=True, eq=False)
class Tube(Along):
    """Round stuff of a radius about the axis of a cable or beam: a rope, a belt, a strip seen from the side.

    It touches with forces per length, at Gauss' points of the elements, which move with their interpolation.

    Parameters
    ----------
    body : FlexibleBody
        Of cables or beams that interpolate positions by vectors: ANCF cables and beams, geometrically exact beams.
    radius : float
        [length], at least 0: distance of the surface from the axis; of a flat belt half its thickness.
    points : int, default 3
        Points of an element.

    Raises
    ------
    ModelError
        If the body is no line, or the tube is thicker than the radius of curvature of the stress-free shape.

    Notes
    -----
    Partners: `Plane`, `Sphere`, `Cylinder`, `Capsule`, `Box`, thick `Rim`. A law of a contact with it is one **per
    length**: the stiffness k of `HuntCrossleyLaw` has the unit force/length^(n + 1), and those of bristles are per
    length, too. Two tubes in space that cross touch at a point, elastically: their law is one of points. Two tubes in
    the plane lie on each other, with a law per length and a `CoulombLaw` or no friction at the interface: the first
    one has the points, the other one is touched between its ends, so that the shorter is named first.

    Friction on shapes acts at the axis, where the velocity of the partner is continued to: a belt that winds round a
    pulley without slip has the speed omega (R + radius) of its axis. Limits: the tube does not roll about its own axis,
    its ends have no caps (put a `Sphere` or `Vertex` on an end), and the force is resolved to an element; where fewer
    than three points ever touch, an `AccuracyWarning` says so.

    Examples
    --------
    >>> import flexmbs as fx
    >>> rope = fx.FlexibleBody.line((0, 0), (1, 0), elements=10, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel, name="rope")
    >>> print(fx.contact.Tube(rope, radius=0.005))
    Tube of body 'rope'
    """

    body: Any
    radius: float = field(kw_only=True)
    points: int = field(default=3, kw_only=True)

    def __post_init__(self) -> None:
        owner = _on_body(self, surface=False)
        object.__setattr__(self, "radius", as_number(owner, "radius", self.radius, minimum=0.0, unit="length"))
        curvature = _largest_curvature(self.body)
        if self.radius * curvature >= 1.0:
            raise ModelError(
                f"{owner}: its radius {self.radius:g} is not below the radius of curvature {1.0 / curvature:.4g} of "
                f"the axis, so that the tube would cut through itself."
            )

    @property
    def offset(self) -> float:
        """Its radius."""
        return self.radius

    @property
    def rule(self) -> tuple[FloatArray, FloatArray]:
        """Gauss' rule."""
        return np.polynomial.legendre.leggauss(self.points)


@dataclass(frozen=True, eq=False)
class Skin(Along):
    """Both faces of a plate or shell, half its thickness from the middle surface.

    It touches with forces per area, at Gauss' points of the elements, which move with their interpolation.

    Parameters
    ----------
    body : FlexibleBody
        Of plates or shells.
    thickness : float
        [length], at least 0.
    points : int, default 2
        Points of an element in each direction.

    Raises
    ------
    ModelError
        If the body is no surface.

    Notes
    -----
    Partners: `Plane`, `Sphere`, `Cylinder`, `Capsule`, `Box`, thick `Rim`. A law of a contact with it is one **per
    area**. The distance is that of the middle surface less half the thickness, exact where the faces are parallel to
    that of the partner; edges are not met by themselves. Friction acts at the middle surface.

    Examples
    --------
    >>> import flexmbs as fx
    >>> sheet = fx.FlexibleBody.plate((1, 1), elements=(4, 4), element=fx.elements.ANCFThinPlate(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="sheet")
    >>> print(fx.contact.Skin(sheet, thickness=0.001))
    Skin of body 'sheet'
    """

    body: Any
    thickness: float = field(kw_only=True)
    points: int = field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        owner = _on_body(self, surface=True)
        object.__setattr__(self, "thickness", as_number(owner, "thickness", self.thickness, minimum=0.0, unit="length"))

    @property
    def offset(self) -> float:
        """Half the thickness."""
        return 0.5 * self.thickness

    @property
    def rule(self) -> tuple[FloatArray, FloatArray]:
        """Gauss' rule in both directions."""
        return gauss_grid(self.points)


def _largest_curvature(body: FlexibleBody) -> float:
    """Largest turn of the axis over an element, per length [1/length], in the stress-free shape."""
    element = cast("Any", body.element)
    dim, n = element.layout.dim, len(element.layout.names)
    group: Any = body.tabulate(np.arange(body.mesh.n_points * n, dtype=np.int64).reshape(-1, n), 0)
    _, N1 = element.interpolation(group, np.array([-1.0, 1.0]))
    first = group.dofs[:, ::dim]
    inside = np.minimum(first % n, body.reference.shape[1] - dim)  # vectors of quaternions, which N1 leaves out
    x = body.reference[(first // n)[..., None], inside[..., None] + np.arange(dim)]
    t = np.einsum("egi,eic->egc", N1, x)
    t /= np.linalg.norm(t, axis=-1, keepdims=True)
    turn = 2.0 * np.arcsin(np.minimum(1.0, 0.5 * np.linalg.norm(t[:, 1] - t[:, 0], axis=-1)))
    return float((turn / element.lengths(group)).max(initial=0.0))
