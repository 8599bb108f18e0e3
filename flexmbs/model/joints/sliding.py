"""A joint that slides along a planar cable, and the marker it sits on there."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from flexmbs.core.checks import as_array, as_flag, as_name, as_number, frozen_copy, has_shape
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.nodes import is_slope_line
from flexmbs.core.references import Description
from flexmbs.core.rotations import axis_rotation
from flexmbs.kernels.markers.cable_point import CABLE_POINT, hermite
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.rows.rows import INERTIAL, ORTHOGONAL
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.flexible import FlexibleBody, as_flexible_body
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.joints.contracts import Equation, Pair, Row

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.system.coordinates import Coordinates

__all__ = ["CablePlace", "CablePoint", "SlidingJoint"]

OFF_CABLE = 1e-6
"""How far from the cable, relative to its length, a point may be given."""


@dataclass(frozen=True)
class CablePlace(ExtraCoordinate):
    """The coordinate s of a point that slides along a cable [length], measured as arc length of the stress-free shape.

    It has no mass: its equation of motion says that no force acts along the cable.
    """

    mass: float = 0.0


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CablePoint(Marker):
    r"""A marker that slides along a planar absolute-nodal cable.

    Its position is :math:`r(s, t)` by the interpolation of the element that holds s, its axes are x along the tangent
    and the inertial z; s is a coordinate of the model of its own.

    Parameters
    ----------
    cable : FlexibleBody
        Of planar elements with positions and slopes, one open line.
    at : (2,) or (3,) array
        Where on the stress-free shape it is at the start [length].
    speed : float, default 0
        ds/dt at the start [length/time].
    name : str
        Of its coordinate s.

    Raises
    ------
    ModelError
        If the body is no such cable, or the point does not lie on it.

    Examples
    --------
    >>> import flexmbs as fx
    >>> cable = fx.FlexibleBody.line((0, 0), (2, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                              section=fx.Circle(diameter=0.01), material=fx.steel, name="cable")
    >>> CablePoint(cable, (0.75, 0)).place.value
    0.75
    """

    place: CablePlace
    nodes: IntArray
    start: FloatArray

    def __init__(
        self, cable: FlexibleBody, at: ArrayLike, speed: float = 0.0, name: str = "place on the cable"
    ) -> None:
        nodes, start = _line("CablePoint", cable)
        owner = f"CablePoint on FlexibleBody {cable.name!r}"
        point = as_array(owner, "at", at, (2,) if has_shape(at, (2,)) else (3,), unit="length")
        s = _nearest(cable.reference[nodes], start, point[:2])
        x, y = _point(cable.reference[nodes], start, s)[0]
        off = float(np.linalg.norm(np.append(point, np.zeros(3 - len(point))) - (x, y, 0.0)))
        if off > OFF_CABLE * start[-1]:
            raise ModelError(
                f"{owner}: the point {point.tolist()} is {off:.3g} away from the cable; the nearest point of its "
                f"stress-free shape is ({x:.6g}, {y:.6g})."
            )
        values = {
            "body": cable,
            "point": None,
            "frame": frozen_copy(np.eye(3)),
            "node": None,
            "name": as_name(owner, "name", name),
            "place": CablePlace(name, s, as_number(owner, "speed", speed, unit="length/time")),
            "nodes": nodes,
            "start": start,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)

    def __str__(self) -> str:
        return f"point at s = {self.place.value:.6g} of FlexibleBody {self.body.name!r}"

    def entry(self, coordinates: Coordinates, point: bool) -> MarkerEntry:
        nodes = coordinates.node_dofs[coordinates.index(self.cable)][list(self.nodes)].ravel()
        whole = np.append(nodes, coordinates.extra_place(self.place))
        return MarkerEntry(CABLE_POINT, whole, whole, {"start": self.start, "R_BM": self.frame})

    @property
    def cable(self) -> FlexibleBody:
        """What it slides along."""
        return cast("FlexibleBody", self.body)

    def _place(self) -> tuple[FloatArray, FloatArray]:
        """Position and orientation at the start."""
        r, tangent, _ = _point(self.cable.reference[self.nodes], self.start, self.place.value)
        return np.append(r, 0.0), axis_rotation(2, float(np.arctan2(tangent[1], tangent[0])))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class SlidingJoint(Description):
    r"""A point of a body slides without friction along a planar absolute-nodal cable.

    .. math:: g = p_b - r(s, t) = 0, \qquad \lambda \cdot r'(s) = 0

    The place s on the cable is a coordinate of the model, without mass; so the force of the joint is normal to the
    cable. As a ``sleeve`` it keeps the angle between the body and the tangent, too.

    Parameters
    ----------
    cable : FlexibleBody
        Of planar elements with positions and slopes, one open line.
    b : body, Marker or Attachment
        What slides.
    at : (2,) or (3,) array, optional
        Where on the stress-free cable it is at the start, inertial frame [length]; needed where ``b`` is a body other
        than a point mass.
    sleeve : bool, default False
        Whether b also turns with the tangent.
    speed : float, default 0
        ds/dt at the start [length/time], where b moves along the cable.
    name : str
        For messages and results; must be unique in a model.

    Raises
    ------
    ModelError
        If the body is no such cable, the point does not lie on it, or b has no orientation and is to turn.

    Notes
    -----
    Limits: an analysis stops when s leaves the cable. The curvature jumps at nodes, so a sleeve is met by small shocks
    there; use fine elements. The cost of the joint grows with the number of nodes of the cable.

    Examples
    --------
    >>> import flexmbs as fx
    >>> cable = fx.FlexibleBody.line((0, 0), (2, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                              section=fx.Circle(diameter=0.01), material=fx.steel, name="cable")
    >>> trolley = fx.PointMass(1.0, position=(0.5, 0), name="trolley")
    >>> joint = SlidingJoint(cable, trolley)
    >>> joint.extra[0].value, [e.label for e in joint.equations]
    (0.5, ['x', 'y', 'z'])
    """

    role: ClassVar[str] = "joint"
    cable: FlexibleBody
    a: CablePoint
    b: Marker
    sleeve: bool
    name: str

    def __init__(
        self,
        cable: FlexibleBody,
        b: Body | Marker | Attachment,
        at: ArrayLike | None = None,
        sleeve: bool = False,
        speed: float = 0.0,
        name: str = "sliding joint",
    ) -> None:
        owner = f"SlidingJoint {as_name('SlidingJoint', 'name', name)!r}"
        _line(owner, cable)
        marker = as_marker(owner, b, at)
        point = CablePoint(cable, marker.position0() if at is None else at, speed, f"place of {name!r} on the cable")
        if not isinstance(b, Marker):
            marker = as_marker(owner, b, at, point.rotation0())
        if as_flag(owner, "sleeve", sleeve) and not marker.rotates:
            raise ModelError(f"{owner}: {marker} has no orientation, so it cannot turn with a sleeve.")
        for field, value in {"cable": cable, "a": point, "b": marker, "sleeve": sleeve, "name": name}.items():
            object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        return f"SlidingJoint({self.name!r}: {self.b} along {self.cable.name!r})"

    @property
    def extra(self) -> tuple[CablePlace, ...]:
        """The coordinates of its own that it brings."""
        return (self.a.place,)

    @property
    def own_coordinates(self) -> dict[str, CablePlace]:
        """By label what results know as its coordinates: the arc length ``"place"`` from the start of the cable."""
        return {"place": self.a.place}

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The point on the cable with the body that slides."""
        axes = np.eye(3)
        rows = [Row(INERTIAL, tuple(e.tolist()), equation=i) for i, e in enumerate(axes)]
        if self.sleeve:
            # A rotation keeps its axes where those of b, as they are at the start, stay orthogonal to those of a.
            seen = (self.a.rotation0().T @ self.b.rotation0()).T
            for i, (m, n) in enumerate(((0, 1), (1, 2), (2, 0))):
                rows.append(Row(ORTHOGONAL, (*axes[m].tolist(), *seen[:, n].tolist()), equation=3 + i))
        return (Pair(self.a, self.b, tuple(rows)),)

    @property
    def equations(self) -> tuple[Equation, ...]:
        """Two in the plane and, as a sleeve, one angle; what vanishes there is dropped by the compiler."""
        labels = ["x", "y", "z"]
        if self.sleeve:
            labels += ["rotation about z", "rotation about x", "rotation about y"]
        return tuple(Equation(label) for label in labels)


def _line(owner: str, cable: object) -> tuple[IntArray, FloatArray]:
    """Nodes of a cable in their order and their arc lengths in the stress-free shape."""
    cable = as_flexible_body(owner, cable, "cable")
    if not is_slope_line(cable.element.layout) or cable.surface:
        raise ModelError(
            f"{owner}: FlexibleBody {cable.name!r} is made of {cable.element.name} elements, but only planar elements "
            f"with positions and slopes, such as flexmbs.elements.ANCFCable2D(), can be slid along."
        )
    following = {int(a): (int(b), e) for e, (a, b) in enumerate(cable.cells)}
    first = np.setdiff1d(cable.cells[:, 0], cable.cells[:, 1])
    nodes, order = [int(first[0])] if len(first) else [], []
    while nodes and nodes[-1] in following:
        node, e = following[nodes[-1]]
        nodes.append(node)
        order.append(e)
    if len(order) != len(cable.cells):
        kind = "closed" if not len(first) else f"of {len(first)} pieces"
        raise ModelError(
            f"{owner}: FlexibleBody {cable.name!r} is {kind}, but a cable to slide along is one open line."
        )
    own = np.arange(cable.mesh.n_points * 4, dtype=np.int64).reshape(-1, 4)
    lengths = cable.measures(cable.tabulate(own, 0))[order]
    return np.array(nodes, dtype=np.int64), frozen_copy(np.concatenate(([0.0], np.cumsum(lengths))))


def _point(nodes: FloatArray, start: FloatArray, s: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """r, dr/ds and d2r/ds2 (2,) at s, with nodal coordinates (n, 4) in their order."""
    e = min(max(int(np.searchsorted(start, s, side="right")) - 1, 0), len(start) - 2)
    vectors = nodes[e : e + 2].reshape(4, 2)
    r, tangent, bend, _ = (np.array(f) @ vectors for f in hermite(s - start[e], start[e + 1] - start[e]))
    return r, tangent, bend


def _nearest(nodes: FloatArray, start: FloatArray, point: FloatArray) -> float:
    """The place s of the point of the line that is nearest to ``point``: the best of many, refined by Newton."""
    places = np.concatenate([np.linspace(a, b, 17) for a, b in pairwise(start)])
    distances = [float(np.linalg.norm(_point(nodes, start, s)[0] - point)) for s in places]
    s = float(places[int(np.argmin(distances))])
    for _ in range(30):
        r, tangent, bend = _point(nodes, start, s)
        slope = float(tangent @ tangent + (r - point) @ bend)
        change = float((r - point) @ tangent) / (slope if slope > 0.0 else float(tangent @ tangent))
        s = float(np.clip(s - change, start[0], start[-1]))
        if abs(change) <= 1e-15 * start[-1]:
            break
    return s
