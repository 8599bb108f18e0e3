"""A generalised coordinate as something that joints, drivers and springs can act on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from flexmbs.core.checks import as_name, as_number, frozen_copy, is_among, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.references import Description
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.points import POINT
from flexmbs.kernels.rows.rows import INERTIAL, kind_of
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.ground import ground
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.joints.contracts import Equation, Pair, Row

if TYPE_CHECKING:
    from flexmbs.model.joints.contracts import Motion
    from flexmbs.system.coordinates import Coordinates

__all__ = ["CoordinateJoint", "CoordinateMarker", "unit_of"]


INSTEAD = (
    " A rigid body in space is moved along an axis by fx.TranslationDriver((fx.ground.marker(point, axis=axis), "
    "body.centre), motion), and turned by a RotationDriver on its joint."
)


def unit_of(kind: int, b: Marker) -> str:
    """Unit of a kind of rows with its side b, as `RowKind.unit`; of a generalised coordinate that of the coordinate."""
    return b.unit if isinstance(b, CoordinateMarker) else kind_of(kind).unit


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CoordinateMarker(Marker):
    """A marker at (c, 0, 0) with a generalised coordinate c: whatever acts between points can then act on c.

    Parameters
    ----------
    at : Attachment of one node, PlanarRigidBody or PointMass
    coordinate : str
        Its name: of a node such as ``"x"`` or ``"x_s"`` (see the layout of the element), of a body x, y, angle or z.

    Raises
    ------
    ModelError
        If there is no such coordinate. Rigid bodies in space are refused: their rotations are no coordinates of a
        vector space; use a driver on a joint.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.5, 2.0), name="ball")
    >>> CoordinateMarker(ball, "y").position0().tolist()
    [2.0, 0.0, 0.0]
    """

    component: str
    index: int
    start: float

    def __init__(self, at: Attachment | Body, coordinate: str) -> None:
        names: tuple[str, ...]
        if isinstance(at, Attachment):
            place = as_attachment("CoordinateMarker", at, single=True)
            body: Any = place.body
            names, node = body.element.layout.names, place.nodes[0]
            values, called = body.reference[node], str(place)
        elif getattr(at, "coordinate_names", ()):
            body, node, values = at, None, at.initial_q
            names, called = at.coordinate_names, repr(at.name)
        else:
            raise ModelError(
                f"CoordinateMarker: expected a node such as beam.end, a PlanarRigidBody or a PointMass, not {show(at)}."
                f"{INSTEAD if isinstance(at, Body) else ''}"
            )
        if not is_among(coordinate, names):
            raise ModelError(f"CoordinateMarker on {body.name!r}: {unknown_name('coordinate', coordinate, names)}")
        index = names.index(coordinate)
        fields = {
            "body": body, "point": None, "frame": frozen_copy(np.eye(3)), "node": node,
            "name": f"{coordinate} of {called}", "component": coordinate, "index": index,
            "start": float(values[index]),
        }  # fmt: skip
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def unit(self) -> str:
        """What its coordinate is, as `RowKind.unit`: ``"length"``, ``"angle"``, or ``"1"`` of slopes."""
        if self.node is None:
            return "angle" if self.component == "angle" else "length"
        layout = cast("Any", self.body).element.layout
        return "length" if self.index in layout.position else "angle" if self.index in layout.rotation else "1"

    @property
    def planar(self) -> bool:
        """It is no point of the plane."""
        return False

    @property
    def rotates(self) -> bool:
        """It has no orientation."""
        return False

    def fixed_to_same(self, other: Marker) -> bool:
        """Coordinates of one body move against each other."""
        return super().fixed_to_same(other) and getattr(other, "index", None) == self.index

    def entry(self, coordinates: Coordinates, point: bool) -> MarkerEntry:
        place = np.array([coordinates.group_of(self.body).coordinate(self.body, self.index, self.node)])
        return MarkerEntry(POINT, place, place[:0], {"o": np.zeros(3), "R_BM": np.eye(3)})

    def _place(self) -> tuple[FloatArray, FloatArray]:
        return np.array([self.start, 0.0, 0.0]), np.eye(3)


@dataclass(frozen=True, eq=False)
class CoordinateJoint(Description):
    r"""Hold a generalised coordinate, or prescribe it over time: c = value, or c = motion(t).

    The multiplier is the generalised force that the joint takes from the coordinate; on the system acts its negative.

    Parameters
    ----------
    at : Attachment of one node, PlanarRigidBody or PointMass
    coordinate : str
        As for `CoordinateMarker`.
    motion : Motion, optional
        Prescribed value over time.
    value : float, optional
        What the coordinate is held at; by default where it is at the start. Not together with ``motion``.
    name : str

    Raises
    ------
    ModelError
        If there is no such coordinate, or both a motion and a value are given.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.5, 2.0), name="ball")
    >>> rail = fx.CoordinateJoint(ball, "y", name="rail")
    >>> run = fx.simulate(fx.Model(ball, rail, fx.Gravity((1.0, -9.81))), until=1.0, step=0.01)
    >>> run.position(ball)[-1].round(6).tolist(), run.multipliers("rail")[-1].round(6).tolist()
    ([1.0, 2.0, 0.0], [-9.81])
    """

    role: ClassVar[str] = "joint"
    at: Any
    coordinate: str
    motion: Motion | None = None
    value: float | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        marker = CoordinateMarker(self.at, self.coordinate)
        name = as_name("CoordinateJoint", "name", self.name) if self.name else f"{marker.name} held"
        object.__setattr__(self, "name", name)
        owner = f"CoordinateJoint {name!r}"
        if self.motion is not None and (not hasattr(self.motion, "at") or isinstance(self.motion, type)):
            raise ModelError(f"{owner}: motion must be one of flexmbs.motions, not {show(self.motion)}.")
        if self.motion is not None and self.value is not None:
            raise ModelError(f"{owner}: give a motion or a value, not both.")
        held = marker.start if self.value is None else as_number(owner, "value", self.value)
        origin = ground.marker((0.0, 0.0, 0.0))
        row = Row(INERTIAL, (1.0, 0.0, 0.0))
        object.__setattr__(self, "pairs", (Pair(origin, marker, (row,)),))
        equation = Equation(self.coordinate, 0, self.motion, 0.0 if self.motion is not None else held)
        object.__setattr__(self, "equations", (equation,))
