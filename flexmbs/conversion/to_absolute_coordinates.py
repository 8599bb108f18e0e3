"""Models with trees as models of rigid bodies with joints."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.conversion.carry_over import CarryOver, Moved
from flexmbs.conversion.start_poses import ConsistentStart, described_poses
from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.poses import Pose
from flexmbs.dynamics.turns import Angle
from flexmbs.kernels.rows.rows import ALONG, ANGLE, INERTIAL
from flexmbs.model import trees
from flexmbs.model.bodies.floating import FloatingBody
from flexmbs.model.bodies.frames import joint_frame
from flexmbs.model.bodies.ground import ground
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.joints import lower_pairs
from flexmbs.model.joints.contracts import Row
from flexmbs.model.joints.gears import ScrewJoint
from flexmbs.model.joints.point_contacts import PointOnLineConstraint
from flexmbs.model.joints.universal import UniversalJoint
from flexmbs.model.model import Model
from flexmbs.model.trees.coordinate import TreeCoordinate, TreeCoordinateMarker

if TYPE_CHECKING:
    from flexmbs.model.trees.flexible_link import FlexibleLink

__all__ = ["CartesianForm", "to_absolute_coordinates"]

SQUARE = 1e-6
"""Cosine up to which the axes of a universal joint count as perpendicular."""

SAME_AXIS = 1e-9
"""Sine up to which directions count as parallel, and pitch, by the distance of the axis, up to which there is none."""

HALF_TURN = np.pi - 1e-9
"""Angle [rad] from which on poses do not tell the turns."""

ORIGIN = np.zeros(3)


def to_absolute_coordinates(model: Model) -> Model:
    """The same model with a body for every link of its trees, and joints between them.

    Rigid links become rigid bodies, flexible ones bodies in floating frames (`FloatingBody`) with the same shapes. The
    matrices of a step are then sparse, and their cost grows with the number of links alone, however long the tree is.

    `to_relative_coordinates` is the way back.

    Joints of trees become `FixedJoint`, `RevoluteJoint`, `PrismaticJoint`, `CylindricalJoint`, `ScrewJoint` (helical),
    `UniversalJoint`, `SphericalJoint`, `PlanarJoint` and (prismatic-spherical) `PointOnLineConstraint` joints, a free
    joint none. `trees.Screws` of one screw, and of a hinge with a slide along its axis, become the joint that they are,
    wherever their axis lies, such as the joints of a table of Denavit and Hartenberg. Markers, forces, drivers,
    sensors, loads and controllers are carried over, those at coordinates of joints too. Massless links that are fixed
    to the link before become part of it.

    Parameters
    ----------
    model : Model

    Returns
    -------
    Model
        Bodies have the names of the links (with that of the tree before it where two are equal), and the joint of a
        link is called "joint of" and the name of the body. Positions, deformations and their rates are those of the
        assembled start; bodies that were there before keep the start that they are described with.

    Raises
    ------
    ModelError
        If a link has no mass or no inertia, a joint is of a kind that only trees have (other `trees.Screws`, a
        universal joint with oblique axes), or an item cannot be carried over: it acts on a coordinate that no Cartesian
        joint offers, or names a link and not a marker on it.

    Warns
    -----
    RuntimeWarning
        If an angle of a tree begins beyond half a turn and no motion drives it: between bodies it begins within.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs import trees
    >>> arm = trees.Link("arm", 1.0, (0.1, 0.1, 0.01), (0, 0, -0.5), joint=trees.Revolute((0, 1, 0)), start=0.3)
    >>> print(fx.trees.to_absolute_coordinates(fx.Model(trees.Tree(arm))))
    model 'model' [m, kg, s]
      rigid body 'arm': mass 1 kg
      revolute joint 'joint of arm' of ground and arm: 5 equations
    """
    if not isinstance(model, Model):
        raise ModelError(f"to_absolute_coordinates: expected a Model, not {show(model)}.")
    form = CartesianForm(model)
    _warn_of_turns(model, form)
    return form.model


class CartesianForm:
    """A model with trees, ``relative``, as one of rigid bodies, ``model``, and where its markers and joints are there.

    With ``described`` the bodies are where the links are described, whether the joints are met or not.
    """

    def __init__(self, model: Model, described: bool = False) -> None:
        self.relative = model
        self.model, self._carry_over, self._joints = _converted(model, described)

    def marker(self, marker: Marker) -> Marker:
        """The marker of the converted model at the place of one of the model with trees."""
        return self._carry_over.marker(marker)

    def joint(self, joint: Any) -> Any:
        """The joint of the converted model for one of the model with trees, or of a tree: None where that is free."""
        if isinstance(joint, TreeCoordinate):
            return self._joints.get(joint.tree.bodies[joint.link])
        known = any(joint is other for other in self.relative.joints)
        return self.model.joint(joint.name) if known else joint

    def angles(self) -> Iterator[Angle]:
        """The angles between bodies that begin beyond half a turn, which their poses do not tell."""
        for link, k in _beyond_half_a_turn(self.relative):
            pair = getattr(self._joints.get(link), "coordinates", {}).get("angle")
            if pair is not None:
                yield Angle(pair.a, pair.b, pair.rows[0].kind, float(link.link.start[k]))


def _beyond_half_a_turn(model: Model) -> Iterator[tuple[trees.TreeLink, int]]:
    """Links that begin beyond half a turn about the one axis of their joint, and the column of that angle."""
    for link in model.tree_links:
        joint = link.link.joint
        turning = [k for k in range(len(joint.screws)) if joint.rotational[k]]
        if len(turning) == 1 and abs(link.link.start[turning[0]]) >= HALF_TURN:
            yield link, turning[0]


def _warn_of_turns(model: Model, form: CartesianForm) -> None:
    """Warn of angles that have lost whole turns, unless a motion drives them."""
    driven = {
        (id(pair.a), id(pair.b))
        for joint in form.model.joints
        for pair in joint.pairs
        if any(e.motion is not None and not e.level for e in (joint.equations[row.equation] for row in pair.rows))
    }
    lost = [angle for angle in form.angles() if (id(angle.a), id(angle.b)) not in driven]
    for angle in lost[:1]:
        whole = 2.0 * np.pi
        warnings.warn(
            f"to_absolute_coordinates: the angle between {angle.a.body} and {angle.b.body} begins at {angle.value:.6g} "
            f"rad in the tree, but at {angle.value - whole * round(angle.value / whole):.6g} rad between bodies, where "
            f"angles begin within half a turn; springs, stops and controllers count from there"
            f"{f', as of {len(lost) - 1} more' if lost[1:] else ''}. Let the tree begin within half a turn.",
            RuntimeWarning,
            stacklevel=4,
        )


def _converted(model: Model, described: bool) -> tuple[Model, CarryOver, IdentityMap[Any, Any]]:
    links = list(model.tree_links)
    carriers = IdentityMap((link, _carrier(link)) for link in links)
    names = _names(model, links)
    start = ConsistentStart(model) if links and not described else None
    if start is None:
        found = [pose for tree in model.trees for pose in described_poses(tree)]
    else:
        found = start.poses([link.marker((0, 0, 0)) for link in links])
    poses = IdentityMap(zip(links, found, strict=True))
    bodies: IdentityMap[Any, Body] = IdentityMap([(ground, ground)])
    moved: IdentityMap[Any, Moved] = IdentityMap()
    for link in links:
        carrier, origin, axes = carriers[link]
        if carrier is link:
            bodies[link] = _body(link, poses[link], names[link], start)
        if link.deforms:
            moved[link] = Moved(bodies[link], np.zeros(3), np.eye(3), cast("FlexibleLink", link.link).interface)
            continue
        centre = carrier.centre.point if carrier is not ground else np.zeros(3)
        moved[link] = Moved(bodies[carrier], axes.T @ (centre - origin), axes.T)
    own = [link for link in links if carriers[link][0] is link]
    joints: IdentityMap[Any, Any] = IdentityMap((link, _joint(link, moved, names[link])) for link in own)
    called = {link.name: joints[link].name for link in own if joints[link] is not None}
    at_links = IdentityMap((link, joints.get(link)) for link in links)
    carry_over = CarryOver(moved, names=called, trees=at_links, rows=_Rows(joints))
    rest = carry_over.items(model.given)
    made = [body for body in bodies.values() if body is not ground]
    held = [joint for joint in joints.values() if joint is not None]
    return Model(*made, *held, *rest, units=model.units, name=model.name), carry_over, joints


class _Rows:
    """The angle or displacement between two markers in place of the coordinate of a tree."""

    def __init__(self, joints: IdentityMap[Any, Any]) -> None:
        self.joints = joints

    def __call__(self, a: Marker, b: Marker, row: Row) -> tuple[Marker, Marker, Row] | None:
        """Of the ground and a coordinate; a row with the sides exchanged is not one that flexmbs makes."""
        if not isinstance(b, TreeCoordinateMarker) or a.body is not ground or row.kind != INERTIAL:
            return None
        joint, body = self.joints.get(b.body), cast("Any", b.body)
        name, size = b.component, 1.0
        if isinstance(body.link.joint, trees.Screws):  # with names of its user's, and screws of any length
            name = "angle" if b.unit == "angle" else "displacement"
            size = 1.0 if b.unit == "angle" else float(np.linalg.norm(body.link.joint.screws[b.index]))
        known = {"angle": Row(ANGLE), "displacement": Row(ALONG, lower_pairs.Z)}
        known |= {"x": Row(ALONG, lower_pairs.X), "y": Row(ALONG, lower_pairs.Y)}
        if joint is None or name not in known or isinstance(joint, UniversalJoint):
            return None
        factor = row.factor * row.constants[0] / size
        return joint.a, joint.b, Row(known[name].kind, known[name].constants, row.equation, factor)


def _place(link: trees.TreeLink) -> FloatArray:
    """Where the joint of a link is on the link before, in whose frame its interfaces lie undeformed."""
    before = link.tree.parents[link.index]
    at = link.link.at
    return cast("FlexibleLink", link.tree.bodies[before].link).moved(at)[0] if isinstance(at, str) else at


def _carrier(link: trees.TreeLink) -> tuple[Any, FloatArray, FloatArray]:
    """The link that becomes a body with this one (itself, as a rule), and where the frame of this one is in its own."""
    origin, axes = np.zeros(3), np.eye(3)
    while link.mass == 0.0:
        if not isinstance(link.link.joint, trees.Fixed):
            raise ModelError(
                f"to_absolute_coordinates: {link} has no mass, and its joint lets it move, so it cannot become a "
                f"rigid body. Give it mass and inertia, or make one joint of several coordinates of the joints at it."
            )
        if isinstance(link.link.at, str):
            raise ModelError(
                f"to_absolute_coordinates: {link} has no mass and is fixed to a flexible link; give it some."
            )
        origin, axes = _place(link) + link.link.rotation @ origin, link.link.rotation @ axes
        before = link.tree.parents[link.index]
        if before < 0:
            return ground, link.tree.position + link.tree.rotation @ origin, link.tree.rotation @ axes
        link = link.tree.bodies[before]
    return link, origin, axes


def _names(model: Model, links: list[trees.TreeLink]) -> IdentityMap[Any, str]:
    count = Counter([body.name for body in model.bodies] + [link.link.name for link in links])
    return IdentityMap(
        (link, link.link.name if count[link.link.name] == 1 else f"{link.tree.name} {link.link.name}")
        for link in links
    )  # fmt: skip


def _flexible(link: Any, pose: Pose, name: str, deformation: FloatArray, rate: FloatArray) -> FloatingBody:
    """The floating body of a flexible link, in the frame of its first interface and in the same shapes."""
    made = link.floating
    body = FloatingBody(
        link.reduced, link.interface, link.modes, link.damping, geometric_stiffening=False,
        position=pose.p - pose.R @ made.origin, rotation=pose.R, velocity=pose.v, angular_velocity=pose.R.T @ pose.w,
        deformation=deformation, deformation_rate=rate, name=name,
    )  # fmt: skip
    body.take_shapes(made.basis)
    return body


def _body(link: trees.TreeLink, pose: Pose, name: str, start: ConsistentStart | None) -> Body:
    """The body of a link; its axes are those of the link."""
    if link.deforms:
        assert start is not None  # noqa: S101  # trees of rigid links only are converted as they are described
        return _flexible(link.link, pose, name, *start.deformation(link))
    assert isinstance(link.link, trees.Link)  # noqa: S101  # the others deform
    at = pose.of(link.link.centre, np.eye(3))
    if not link.link.inertia.any():
        raise ModelError(f"to_absolute_coordinates: {link} has no inertia, which a rigid body needs; give it some.")
    return RigidBody(
        link.mass, link.link.inertia, at.p, at.R, at.v, at.R.T @ at.w, name=name, shape=link.link.shape
    )  # fmt: skip


def _common_axis(joint: trees.Screws) -> tuple[FloatArray, FloatArray, float] | None:
    """Direction, point and pitch per turn of a joint that slides along, turns or winds about one axis, else None.

    One screw does; two are a hinge and a slide along its axis, in either order.
    """
    turns = [s for s in joint.screws if s[3:].any()]
    slides = [s[:3] / np.linalg.norm(s[:3]) for s in joint.screws if not s[3:].any()]
    if len(turns) > 1 or len(slides) > 1:
        return None
    if not turns:
        return slides[0], ORIGIN, 0.0
    v, w = turns[0][:3], turns[0][3:]
    along = float(v @ w)
    if abs(along) <= SAME_AXIS * np.linalg.norm(v):
        along = 0.0
    if slides and (along or np.linalg.norm(slides[0] - w) > SAME_AXIS):
        return None
    return w, np.cross(w, v), 2.0 * np.pi * along


def _joint(link: trees.TreeLink, moved: Mapping[Any, Moved], name: str) -> Any:
    """The joint between the body of a link and that of the link before, None where it is free."""
    before, joint = link.tree.parents[link.index], link.link.joint
    rotation, outlet = link.link.rotation, link.link.at if isinstance(link.link.at, str) else None
    if before < 0:
        at, rotation = link.tree.position + link.tree.rotation @ _place(link), link.tree.rotation @ rotation
        base = Moved(ground, np.zeros(3), np.eye(3))
    else:
        base, at = moved[link.tree.bodies[before]], _place(link)
    own = moved[link]

    def sides(first: FloatArray, second: FloatArray, point: FloatArray = ORIGIN) -> tuple[Marker, Marker]:
        """Markers at a point of the joint frame, and of the link frame, with these axes in them."""
        if outlet is not None and point.any():
            raise ModelError(
                f"to_absolute_coordinates: the axis of the joint of {link} passes beside the interface {outlet!r} of "
                f"the flexible link before, which has markers at its interfaces only; put a fixed link between."
            )
        return base.marker(at + rotation @ point, rotation @ first, outlet), own.marker(point, second)

    called = f"joint of {name}"
    axis = joint_frame(getattr(joint, "axis", (0.0, 0.0, 1.0)))
    a, b = sides(axis, axis)
    match joint:
        case trees.Free():
            return None
        case trees.Fixed():
            return lower_pairs.FixedJoint(*sides(np.eye(3), np.eye(3)), name=called)
        case trees.Spherical():
            return lower_pairs.SphericalJoint(*sides(np.eye(3), np.eye(3)), name=called)
        case trees.PrismaticSpherical():
            return PointOnLineConstraint(a, b, name=called)
        case trees.Revolute():
            return lower_pairs.RevoluteJoint(a, b, name=called)
        case trees.Prismatic():
            return lower_pairs.PrismaticJoint(a, b, name=called)
        case trees.Cylindrical():
            return lower_pairs.CylindricalJoint(a, b, name=called)
        case trees.Helical():
            return ScrewJoint(a, b, joint.pitch, name=called)
        case trees.Planar():
            plane = joint_frame(joint.normal, joint.x)
            return lower_pairs.PlanarJoint(*sides(plane, plane), name=called)
        case trees.Universal():
            first, second = joint.screws[:, 3:]
            if abs(first @ second) > SQUARE:
                raise ModelError(
                    f"to_absolute_coordinates: the universal joint of {link} has oblique axes, which no joint between "
                    f"rigid bodies has; put a link between two revolute joints."
                )
            return UniversalJoint(*sides(joint_frame(first), joint_frame(second)), name=called)
        case trees.Screws() if (axis_of := _common_axis(joint)) is not None:
            direction, point, pitch = axis_of
            a, b = sides(joint_frame(direction), joint_frame(direction), point)
            if len(joint.screws) == 2:
                return lower_pairs.CylindricalJoint(a, b, name=called)
            if not joint.rotational[0]:
                return lower_pairs.PrismaticJoint(a, b, name=called)
            return ScrewJoint(a, b, pitch, name=called) if pitch else lower_pairs.RevoluteJoint(a, b, name=called)
        case _:
            raise ModelError(
                f"to_absolute_coordinates: the joint of {link}, {type(joint).__name__}, has no counterpart between "
                f"rigid bodies."
            )
