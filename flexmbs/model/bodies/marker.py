"""Markers: a point and a frame fixed to a body, which is all that joints, forces and sensors know of bodies.

Everything about markers is in space; what is planar lies in z = 0. A marker on a rigid body is given by its point and
frame in body axes. A marker on a flexible body sits on a node, and its frame is fixed to the frame of that node:

- nodes with small rotations (linear beams): inertial axes, turned by the rotation of the node;
- nodes with directors or quaternions: the frame of the section, x normal to it, z along the second director;
- planar nodes with a slope: x along the slope, z the inertial z;
- spatial nodes with a slope: in the stress-free shape x along the slope and the other axes as `joint_frame` puts them;
  turned by the smallest rotation that takes the stress-free tangent into the present one. Its spin about the tangent
  has no meaning (`Marker.spin` is False);
- nodes without slope and rotation: inertial axes, which never turn (`Marker.rotates` is False).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.body_description import BodyDescription
from flexmbs.core.checks import as_count, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.nodes import node_axes, rotates, spins
from flexmbs.core.references import Description
from flexmbs.core.rotations import IDENTITY, as_rotation, orthogonal
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.frames import as_point, frame_along, joint_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.kernels.markers.kind import MarkerEntry
    from flexmbs.system.coordinates import Coordinates

__all__ = ["Body", "Marker", "as_marker", "joint_frame"]

ALIGNED = 1e-9
"""How far (sine of the angle) a direction may be off the axis about which spin has no meaning."""
OFF_NODE = 1e-6
"""How far from its node, relative to the size of the body, a point may be given."""


class Body(BodyDescription):
    """What rigid bodies, point masses and the ground have in common: a place and markers.

    A class of bodies says where it is by ``place``, whether it moves in the plane only by ``planar`` and whether it has
    an orientation by ``rotates``. Coordinates at the start are ``initial_q`` and ``initial_v``.
    """

    @property
    def rotates(self) -> bool:
        """Whether it has an orientation."""
        return True

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        """Position (3,) and orientation (3, 3) of the body frame at the start."""
        raise NotImplementedError

    @property
    def initial_q(self) -> FloatArray:
        """Coordinates at the start (n_q,)."""
        raise NotImplementedError

    @property
    def initial_v(self) -> FloatArray:
        """Velocities at the start (n_v,)."""
        raise NotImplementedError

    def marker(
        self, point: ArrayLike, axis: ArrayLike | None = None, x: ArrayLike | None = None, name: str | None = None
    ) -> Marker:
        """A marker at a point of the body, in body coordinates.

        Parameters
        ----------
        point : (3,) array
            From the origin of the body frame (the centre of mass), in body axes [length]; two components suffice for
            what is planar.
        axis : (3,) array, optional
            Third axis of the marker frame in body axes; two components suffice for what is planar. Without it the
            marker frame is parallel to the body frame.
        x : (3,) array, optional
            Direction of its first axis, made normal to ``axis``; by default the body axis that is most nearly normal.
        name : str, optional
            For messages and results.

        Examples
        --------
        >>> import flexmbs as fx
        >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
        >>> crank.marker((0.1, 0, 0)).position0().tolist()
        [0.2, 0.0, 0.0]
        """
        owner = f"marker of {self}"
        frame = frame_along(owner, axis, x, self.planar)
        return Marker(self, as_point(owner, "point", point, self.planar, "length"), frame, name=name)

    def marker_at(
        self, point: ArrayLike, axis: ArrayLike | None = None, x: ArrayLike | None = None, name: str | None = None
    ) -> Marker:
        """A marker where a point of the inertial frame [length] is at the start.

        As `marker`, with point and axes in the inertial frame; without ``axis`` the marker frame is at the start
        parallel to the inertial frame.

        Examples
        --------
        >>> import flexmbs as fx
        >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
        >>> crank.marker_at((0.2, 0, 0)).point.tolist()
        [0.1, 0.0, 0.0]
        """
        owner = f"marker of {self}"
        here = as_point(owner, "point", point, self.planar, "length")
        return self.framed(here, frame_along(owner, axis, x, self.planar), name)

    @property
    def centre(self) -> Marker:
        """The origin of the body frame (the centre of mass) with the axes of the body."""
        return Marker.fixed(self, np.zeros(3), IDENTITY.copy(), name="centre")

    def framed(self, point: FloatArray, frame: FloatArray, name: str | None = None) -> Marker:
        """The marker that is at the start at ``point`` with the axes ``frame``."""
        origin, R = self.place
        s, axes = R.T.dot(point - origin), R.T.dot(frame)
        if name is not None or not self.rotates or s.shape != (3,) or not math.isfinite(s[0] + s[1] + s[2]):
            return Marker(self, s, axes, name=name)
        return Marker.fixed(self, s, orthogonal(f"Marker on {self}", "frame", axes))


class SpinWords(NamedTuple):
    """Of a node without rotation about one axis: its ``kind``, what the ``axis`` is, and what to ``use`` instead.

    Such as "a spatial cable", "tangent", and a sentence.
    """

    kind: str
    axis: str
    use: str


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Marker(Description):
    """A point and a frame that are fixed to a body; made by ``body.marker(...)`` or ``body.marker_at(...)``.

    Position and orientation at the start are p = r + R s and R R_BM with the place r, R of the body frame (of the
    node), the point s and the frame R_BM.

    Parameters
    ----------
    body : RigidBody, PlanarRigidBody, PointMass, ground or FlexibleBody
    point : (3,) array, optional
        In body axes from the origin of the body [length]; None on a flexible body.
    frame : (3, 3) array, optional
        Its columns are the axes of the marker in body axes (in those of the node); by default they are the same.
    node : int, optional
        Number of the node of a flexible body.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If the frame is not a rotation, a point mass has a marker off its point, or there is no such node.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.ground.marker_at((1, 0, 0), axis=(1, 0, 0), name="wall").frame[:, 2].tolist()
    [1.0, 0.0, 0.0]
    """

    role: ClassVar[str] = "marker"
    body: Body | FlexibleBody
    point: FloatArray | None
    frame: FloatArray
    node: int | None
    name: str | None

    def __init__(
        self,
        body: Body | FlexibleBody,
        point: ArrayLike | None = None,
        frame: ArrayLike | None = None,
        node: int | None = None,
        name: str | None = None,
    ) -> None:
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise ModelError(f"Marker: name must be a non-empty string, not {show(name)}.")
        if isinstance(body, FlexibleBody):
            if point is not None or node is None:
                raise ModelError(
                    f"Marker on {body}: a flexible body carries markers on its nodes; use body.end or body.at(point)."
                )
            node = as_count(f"Marker on {body}", "node", node)
            body.node(node)
        elif not isinstance(body, Body):
            raise ModelError(f"Marker: body must be a body such as a RigidBody or flexmbs.ground, not {show(body)}.")
        else:
            if point is None or node is not None:
                raise ModelError(f"Marker on {body}: give the point of the marker; only flexible bodies have nodes.")
            point = frozen_copy(as_point(f"Marker on {body}", "point", point, body.planar, "length"))
            if not body.rotates and np.abs(point).max() > 1e-9 + OFF_NODE * float(np.abs(body.place[0]).max()):
                raise ModelError(
                    f"Marker on {body}: a point mass has no other points than its own, but the marker is to be "
                    f"{np.linalg.norm(point):.3g} away from it. Use its position, or a RigidBody."
                )
            point = point if body.rotates else frozen_copy(np.zeros(3))
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "point", point)
        object.__setattr__(self, "frame", frozen_copy(as_rotation(f"Marker on {body}", "frame", frame)))
        object.__setattr__(self, "node", node)
        object.__setattr__(self, "name", name)

    @classmethod
    def fixed(cls, body: Body, point: FloatArray, frame: FloatArray, name: str | None = None) -> Marker:
        """A marker of new arrays that were looked at: on a body with an orientation, or at the point of one without."""
        found = object.__new__(cls)
        for array in (point, frame):
            array.setflags(write=False)
        vars(found).update(body=body, point=point, frame=frame, node=None, name=name)
        return found

    def __repr__(self) -> str:
        return f"Marker({self})"

    def __str__(self) -> str:
        if self.name is not None:
            return f"marker {self.name!r} of {self.body}"
        if self.point is None:
            return f"node {self.node} of {self.body}"
        return f"point ({', '.join(f'{c:.6g}' for c in self.point + 0.0)}) of {self.body}"

    def position0(self) -> FloatArray:
        """Position (3,) at the start, inertial frame [length]; for a flexible body in its stress-free shape."""
        origin, R = self._place()
        return origin if self.point is None else origin + R.dot(self.point)

    def rotation0(self) -> FloatArray:
        """Orientation (3, 3) at the start: its columns are the marker axes in inertial components."""
        return np.asarray(self._place()[1].dot(self.frame))

    def pose0(self) -> tuple[FloatArray, FloatArray]:
        """Position (3,) and orientation (3, 3) at the start, as `position0` and `rotation0` tell them."""
        origin, R = self._place()
        return (origin if self.point is None else origin + R.dot(self.point)), np.asarray(R.dot(self.frame))

    @property
    def node_frame(self) -> FloatArray:
        """Orientation (3, 3) of the body frame, or of the frame of the node, at the start."""
        return self._place()[1]

    @property
    def planar(self) -> bool:
        """Whether it moves in a plane z = const and turns about z only; the ground counts as planar."""
        return self.body.element.layout.dim == 2 if isinstance(self.body, FlexibleBody) else self.body.planar

    @property
    def rotates(self) -> bool:
        """Whether its frame turns with the body; False for points, which have no orientation."""
        if isinstance(self.body, FlexibleBody):
            return rotates(self.body.element.layout)
        return self.body.rotates

    @property
    def spin(self) -> bool:
        """Whether the spin of its frame about the first axis of the node has a meaning; False with one vector."""
        if isinstance(self.body, FlexibleBody):
            return spins(self.body.element.layout)
        return self.body.rotates

    @property
    def spin_axis(self) -> FloatArray | None:
        """The axis (3,) in marker axes about which spin has no meaning; None if all rotations have one, or none.

        The tangent of a cable, the director of a shell.
        """
        return self.frame[0].copy() if self.rotates and not self.spin else None

    @property
    def spin_words(self) -> SpinWords:
        """Words for messages about a node with a `spin_axis`."""
        body: Any = self.body
        axis, others = (
            ("director", "ANCFThinPlate or ANCFPlateFullyParameterized")
            if body.surface
            else ("tangent", "ANCFBeam or GeometricallyExactBeam")
        )
        use = f"a rigid body that is joined to the node, or elements whose nodes have all rotations, such as {others}"
        return SpinWords(a_or_an(body.element.name), axis, f"Use {use}.")

    def takes_along(self, direction: FloatArray) -> bool:
        """Whether a direction (3,) in its axes turns with its body; with a `spin_axis` only what lies along that."""
        axis = self.spin_axis
        if axis is None:
            return self.rotates
        return bool(np.linalg.norm(np.cross(direction, axis)) <= ALIGNED * np.linalg.norm(direction))

    @property
    def where(self) -> str:
        """The part of a body that it is fixed to, in words: a node, or the whole body."""
        return str(self.body) if self.node is None else f"node {self.node} of {self.body.name!r}"

    def fixed_to_same(self, other: Marker) -> bool:
        """Whether it cannot move against another one: both are on one body, of a flexible one on one node."""
        return self.body is other.body and self.node == other.node

    def entry(self, coordinates: Coordinates, point: bool) -> MarkerEntry | None:
        """Its row in the table of its kind; ``point``: nothing depends on its orientation."""
        return coordinates.group_of(self.body).marker_entry(self, point)

    def _place(self) -> tuple[FloatArray, FloatArray]:
        """Position and orientation of the body frame, or of the node, at the start."""
        if not isinstance(self.body, FlexibleBody):
            return self.body.place
        assert self.node is not None  # noqa: S101  # checked on construction
        layout, node = self.body.element.layout, self.node
        origin = np.zeros(3)
        origin[: layout.dim] = self.body.mesh.points[node]
        return origin, node_axes(layout, self.body.reference[node], joint_frame)


NOT_ASKED: Any = ...
"""In place of a point: whoever needs the marker has no argument for one."""


def as_marker(
    owner: str, value: object, point: ArrayLike | None = NOT_ASKED, frame: FloatArray | None = None
) -> Marker:
    """The marker that a body, a marker or a place on a flexible body stands for.

    Parameters
    ----------
    owner : str
        The object that needs it, for messages.
    value : body, Marker or Attachment
        A `Marker` is returned as it is.
    point : (3,) or (2,) array, optional
        Where it is at the start, inertial frame; needed for bodies other than point masses. A node must be there. It is
        the argument ``at`` of the owner, who passes None if that was not given, and nothing if there is none.
    frame : (3, 3) array, optional
        Its axes at the start, inertial frame, such as from `joint_frame`. By default the axes of the body or node for a
        node and a point mass, and inertial axes otherwise.

    Raises
    ------
    ModelError
        If the value carries no marker, a point is missing or it is not where the node is.
    """
    given = None if point is NOT_ASKED else point
    if isinstance(value, Marker):
        return value
    if isinstance(value, Attachment):
        node = as_attachment(owner, value, single=True)
        marker = Marker(node.body, node=node.nodes[0], name=None)
        if given is not None:
            _check_place(owner, value, as_point(owner, "at", given, True, "length"), marker.position0())
        return marker if frame is None else Marker(node.body, None, marker.node_frame.T @ frame, node.nodes[0])
    if isinstance(value, FlexibleBody):
        raise ModelError(f"{owner}: {value} is flexible; name the place on it, such as body.end or body.at(point).")
    if not isinstance(value, Body):
        raise ModelError(
            f"{owner}: expected a body, a marker such as body.marker(point) or a place on a flexible body such as "
            f"beam.end, not {show(value)}."
        )
    axes = IDENTITY if frame is None else frame
    if given is None:
        if value.rotates:
            markers = (
                "flexmbs.ground.marker(point)" if value.is_ground
                else "body.marker_at(point) in the inertial frame, body.marker(point) in body axes, or body.centre"
            )  # fmt: skip
            raise ModelError(
                f"{owner}: the point on {value} is missing; give {'' if point is NOT_ASKED else 'at=..., or '}a marker "
                f"such as {markers}."
            )
        return Marker(value, np.zeros(3), axes)
    return value.framed(as_point(owner, "at", given, True, "length"), axes)


def _check_place(owner: str, node: Attachment, point: FloatArray, there: FloatArray) -> None:
    """Refuse a point that is not that of the node."""
    distance = float(np.linalg.norm(point - there))
    if distance > OFF_NODE * float(np.ptp(node.body.mesh.points, axis=0).max()):
        raise ModelError(
            f"{owner}: at {point.tolist()} is {distance:.3g} away from {node}, which is at {there.tolist()}. Leave "
            f"`at` out, or take the node that is there with body.at(point)."
        )
