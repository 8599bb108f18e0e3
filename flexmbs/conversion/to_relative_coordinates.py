"""Cartesian models as spanning trees in relative coordinates, with cut joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmbs.conversion.carry_over import CarryOver, Moved
from flexmbs.conversion.spanning import Edge, Spanning, spanning_trees
from flexmbs.conversion.start_poses import FIXED, start_poses
from flexmbs.core.checks import is_list, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.identity import IdentityMap
from flexmbs.core.poses import Pose
from flexmbs.core.references import nested
from flexmbs.core.rotations import to_quaternion
from flexmbs.kernels.rows.rows import INERTIAL
from flexmbs.model import trees
from flexmbs.model.bodies.ground import ground
from flexmbs.model.bodies.marker import Marker
from flexmbs.model.bodies.rigid import RigidBody
from flexmbs.model.control.calling import name_of
from flexmbs.model.control.joint_sensors import MultiplierSensor
from flexmbs.model.joints import lower_pairs
from flexmbs.model.joints.contracts import Row
from flexmbs.model.joints.universal import UniversalJoint
from flexmbs.model.model import Model
from flexmbs.model.trees.coordinate import TreeCoordinate

__all__ = ["to_relative_coordinates"]

IN_TREES = (
    lower_pairs.FixedJoint,
    lower_pairs.RevoluteJoint,
    lower_pairs.PrismaticJoint,
    lower_pairs.CylindricalJoint,
    lower_pairs.SphericalJoint,
    lower_pairs.PlanarJoint,
    UniversalJoint,
)
"""Joints that a tree can have; all others stay joints of the model."""


class Attached(NamedTuple):
    """A body as a link: the joint, its frame in the body before, the link frame in its own, start and rate."""

    joint: trees.TreeJoint
    at: FloatArray
    rotation: FloatArray
    origin: FloatArray
    axes: FloatArray
    start: Any
    rate: FloatArray


def to_relative_coordinates(model: Model, cut: Sequence[Any] = ()) -> Model:
    r"""The same model with joint coordinates as unknowns: spanning trees, and joints that close loops.

    Every rigid body in space becomes a link. Of the joints between them and the ground (fixed, revolute, prismatic,
    cylindrical, spherical, planar, universal) those with most equations become joints of trees, so that the system is
    the smallest that spanning trees give: a tree joint of c equations removes c unknowns and c equations. Of equals
    those nearest to the ground are taken, so that loops are cut in their middle and trees are shallow. All other joints
    stay joints of the model, the cut ones too, between the links now. A body without any way to the ground over these
    joints begins a tree with a free joint; every link that is joined to the ground, a tree of its own.

    The coordinates of the tree joints are those of the joints they replace: the angle of side b about the axis of side
    a, and its displacement along it, whichever side comes first in the tree. Markers, forces, springs, drivers, gears,
    sensors, actuators, controllers and loads are carried over. Links keep the names of their bodies, and positions and
    velocities at the start are those that the assembly of the model finds.

    Parameters
    ----------
    model : Model
    cut : sequence of joints, or of their names
        That are to stay joints of the model, for instance because their multipliers are wanted, or reactions in a
        model with controllers. Joints that a `MultiplierSensor` reads are cut in any case.

    Returns
    -------
    Model
        A link is found by ``model.body("tree of crank/rod")`` or in ``model.tree_links``. Planar bodies, point masses
        and flexible bodies stay as they are.

    Raises
    ------
    ModelError
        If the joints cannot be assembled, or an item cannot be carried over: one that names a body and not a marker on
        it, or one of a class of your own that does not say what it refers to (`flexmbs.extend.Description`).

    Notes
    -----
    Joints of trees have no multipliers. Their reactions follow from what lies beyond them, ``run.reaction("tree of
    crank/rod")``, about the link frame and in its axes; models with controllers or states of their own refuse that, so
    name in ``cut`` what is wanted of these. Bodies that stay as they are keep the start that they are described with.
    Where the axes of two markers differ at the start, the assembly decides.

    Examples
    --------
    A four-bar linkage of three links has 18 unknowns and 20 equations; as trees it has 3, and 5 close the loop, of
    which 3 follow from the others, the mechanism being planar:

    >>> import flexmbs as fx
    >>> ends = [(0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)]
    >>> bars = [fx.RigidBody.box(size=(0.1, 0.1, 1.0), mass=1.0, position=np.add(a, b) / 2, name=f"bar {i}")
    ...         for i, (a, b) in enumerate(zip(ends[:-1], ends[1:]))]
    >>> joints = [fx.RevoluteJoint(a, b, at=p, axis=(0, 1, 0), name=f"pin {i}")
    ...           for i, (a, b, p) in enumerate(zip([fx.ground, *bars], [*bars, fx.ground], ends))]
    >>> print(fx.trees.to_relative_coordinates(fx.Model(*bars, *joints, fx.Gravity((0, 0, -9.81)))))
    model 'model' [m, kg, s]
      tree 'tree of bar 0': 2 links, 2 coordinates, mass 2 kg
      tree 'tree of bar 2': 1 link, 1 coordinates, mass 1 kg
      revolute joint 'pin 2' of tree of bar 0/bar 1 and tree of bar 2/bar 2: 5 equations
      gravity
    """
    if not isinstance(model, Model):
        raise ModelError(f"to_relative_coordinates: expected a Model, not {show(model)}.")
    bodies = [body for body in model.rigid_bodies if body.kind == RigidBody.kind]
    number: IdentityMap[Any, int] = IdentityMap.numbers(bodies)
    number[ground] = -1
    kept = _kept(model, cut)
    joints = [j for j in model.joints if type(j) in IN_TREES and j.name not in kept and _inside(j, number)]
    ends = [_ends(j) for j in joints]
    edges = [
        Edge(number[a.body], number[b.body], len(j.equations))
        for j, (a, b) in zip(joints, ends, strict=True)
    ]  # fmt: skip
    found = spanning_trees(len(bodies), edges, [body.mass for body in bodies])
    poses = start_poses(model, [body.centre for body in bodies])
    places = [_attached(bodies, poses, joints, ends, found, i) for i in range(len(bodies))]
    made, link_of = _trees(bodies, places, found)
    moved = IdentityMap((b, Moved(link_of[i], places[i].origin, places[i].axes)) for i, b in enumerate(bodies))
    inside = {joints[e].name: (joints[e], link_of[i]) for i, e in enumerate(found.edge) if e >= 0}
    coordinates = IdentityMap((j, link.tree.joint(link.link.name)) for j, link in inside.values())
    between = [(a, b, coordinates[j]) for j, (a, b) in zip(joints, ends, strict=True) if j.name in inside]
    names = {name: link.name for name, (_, link) in inside.items()}
    rest = CarryOver(moved, coordinates, names, rows=_Rows(between)).items(model.given)
    return Model(*made, *rest, units=model.units, name=model.name)


class _Rows:
    """The coordinate of a tree joint in place of the angle or displacement between its two markers."""

    def __init__(self, joints: list[tuple[Marker, Marker, TreeCoordinate]]) -> None:
        self.joints = IdentityMap((a, (b, joint)) for a, b, joint in joints)

    def __call__(self, a: Marker, b: Marker, row: Row) -> tuple[Marker, Marker, Row] | None:
        end, joint = self.joints.get(a, (None, None))
        if joint is None or end is not b:
            return None
        for name, known in lower_pairs.COORDINATES.items():
            pair = joint.coordinates.get(name)
            if pair is not None and (row.kind, row.constants) == (known.kind, known.constants):
                return pair.a, pair.b, Row(INERTIAL, (1.0, 0.0, 0.0), row.equation, row.factor)
        return None


def _kept(model: Model, cut: Sequence[Any]) -> set[str]:
    """Names of joints that may not become part of a tree."""
    known = [joint.name for joint in model.joints]
    found = set()
    if not isinstance(cut, str) and not is_list(cut):
        raise ModelError(f"to_relative_coordinates: cut must be a list of joints or of their names, not {show(cut)}.")
    for given in (cut,) if isinstance(cut, str) else cut:
        name = given if isinstance(given, str) else getattr(given, "name", None)
        if name not in known:
            raise ModelError(
                f"to_relative_coordinates: cut: {unknown_name('joint', show(given) if name is None else name, known)}"
            )
        found.add(name)
    for item in (*model.controllers, *model.states):
        found |= {name_of(part.joint) for part in nested(item) if isinstance(part, MultiplierSensor)}
    return found


def _inside(joint: Any, number: IdentityMap[Any, int]) -> bool:
    """Whether a joint is between rigid bodies in space and the ground."""
    return all(side.body in number for side in _ends(joint))


def _ends(joint: Any) -> tuple[Marker, Marker]:
    return (joint.a, joint.b)


def _attached(
    bodies: list[RigidBody],
    poses: list[Pose],
    joints: list[Any],
    ends: list[tuple[Marker, Marker]],
    found: Spanning,
    i: int,
) -> Attached:
    """How body ``i`` becomes a link."""
    edge, own = found.edge[i], poses[i]
    if edge < 0:
        p, R, v, w = own.seen_from(FIXED)
        return Attached(
            trees.Free(), np.zeros(3), np.eye(3), np.zeros(3), np.eye(3), (p, to_quaternion(R)), np.concatenate((v, w))
        )
    a, b = ends[edge]
    forward = b.body is bodies[i]
    base, tip = (a, b) if forward else (b, a)
    before = FIXED if base.body.is_ground else poses[found.parent[i]]
    assert base.point is not None  # noqa: S101  # rigid bodies and the ground have points
    assert tip.point is not None  # noqa: S101
    at, rotation, origin, axes = base.point, base.frame, tip.point, tip.frame
    if isinstance(joints[edge], UniversalJoint):
        z, y = (before.R @ base.frame)[:, 2], (own.R @ tip.frame)[:, 2]
        rotation, axes = before.R.T @ _cross(z, y, keep=2), own.R.T @ _cross(z, y, keep=1)
    p, C, v, w = own.of(origin, axes).seen_from(before.of(at, rotation))
    joint = _tree_joint(joints[edge], 1.0 if forward else -1.0)
    start, rate = _start(joint, p, C, v, w)
    return Attached(joint, at, rotation, origin, axes, start, rate)


def _cross(z: FloatArray, y: FloatArray, keep: int) -> FloatArray:
    """A frame with the second axis y and the third z, of which one is taken as it is: they meet at right angles."""
    if keep == 2:
        y = y - (y @ z) * z
        y = y / np.linalg.norm(y)
    else:
        z = z - (y @ z) * y
        z = z / np.linalg.norm(z)
    return np.column_stack((np.cross(y, z), y, z))


def _tree_joint(joint: Any, sign: float) -> trees.TreeJoint:
    """The joint of a tree that leaves the same motions; ``sign`` is -1 where side b comes first."""
    axis = (0.0, 0.0, sign)
    match joint:
        case lower_pairs.FixedJoint():
            return trees.Fixed()
        case lower_pairs.RevoluteJoint():
            return trees.Revolute(axis)
        case lower_pairs.PrismaticJoint():
            return trees.Prismatic(axis)
        case lower_pairs.CylindricalJoint():
            return trees.Cylindrical(axis)
        case lower_pairs.PlanarJoint():
            return trees.Planar(axis)
        case lower_pairs.SphericalJoint():
            return trees.Spherical()
        case _:
            return trees.Universal((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def _start(
    joint: trees.TreeJoint, p: FloatArray, C: FloatArray, v: FloatArray, w: FloatArray
) -> tuple[Any, FloatArray]:
    """Coordinates and rates from place p and rotation C in the joint frame, velocity there and angular in link axes."""
    if isinstance(joint, trees.Spherical):
        return to_quaternion(C), w
    angle = float(np.arctan2(C[1, 0] - C[0, 1], C[0, 0] + C[1, 1]))
    if isinstance(joint, trees.Universal):
        return np.zeros(2), np.array([w[2], w[1]])
    start, rate = [], []
    for s in joint.screws:
        turns = bool(s[3:].any())
        start.append(s[5] * angle if turns else float(s[:3] @ p))
        rate.append(float(s[3:] @ w) if turns else float(s[:3] @ v))
    return np.array(start), np.array(rate)


def _trees(
    bodies: list[RigidBody], places: list[Attached], found: Spanning
) -> tuple[list[trees.Tree], dict[int, trees.TreeLink]]:
    """A tree for every link at the ground, and the link of each body."""
    root: dict[int, int] = {}
    for i in found.order:
        root[i] = i if found.parent[i] < 0 else root[found.parent[i]]
    made: list[trees.Tree] = []
    link_of: dict[int, trees.TreeLink] = {}
    for first in (i for i in found.order if root[i] == i):
        own = [i for i in found.order if root[i] == first]
        links = [_link(bodies, places, found, i) for i in own]
        tree = trees.Tree(*links, name=f"tree of {_name(bodies[first])}")
        made.append(tree)
        link_of |= {i: tree.link(_name(bodies[i])) for i in own}
    return made, link_of


def _link(bodies: list[RigidBody], places: list[Attached], found: Spanning, i: int) -> trees.Link:
    body, place, before = bodies[i], places[i], found.parent[i]
    at, rotation = place.at, place.rotation
    if before >= 0:  # the frame of the link before is not that of its body
        origin, axes = places[before].origin, places[before].axes
        at, rotation = axes.T @ (at - origin), axes.T @ rotation
    return trees.Link(
        _name(body), body.mass, place.axes.T @ body.inertia @ place.axes, -place.axes.T @ place.origin,
        None if before < 0 else _name(bodies[before]), place.joint, at, rotation, place.start, place.rate,
        None if body.shape is None else body.shape.moved(place.axes.T, np.zeros(3)),
    )  # fmt: skip


def _name(body: RigidBody) -> str:
    """The name of a link; what comes before a slash is the name of its tree."""
    return body.name.replace("/", "-")
