r"""What the joints of trees transmit: they have no equations and no multipliers, so it is found from the links beyond.

With the wrench of inertia f of every link beyond a joint, gravity included, and the wrenches w of all that acts on them
(joints of the model, springs, loads), what passes through the joint is

.. math:: R = \sum_{beyond} (f - w) .

With the screws S of the joint its work on the motions that the joint leaves free, :math:`Q = S^T R`, is that of
springs, motors, stops and friction at its coordinates, which act beside the joint and are no part of its reaction. They
act as between rigid bodies: as a torque about the axis of an angle, as a force along a displacement, through the origin
of the link frame. In general that is the wrench W with

.. math:: S^T W = Q

of the smallest force, and of the smallest moment about the origin of the link frame with that force. The constraints of
the joint transmit :math:`R - W`, which does no work on its free motions. A driver at a coordinate exerts the wrench W
of its own Q.

A long tree is integrated as rigid bodies with joints (`flexmbs.conversion.long_trees`), whose multipliers give
:math:`R - W` at once; it is carried to the link frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.trees.group import F_, P_, R_
from flexmbs.model.trees.coordinate import TreeCoordinate, TreeCoordinateMarker
from flexmbs.model.trees.joints import UNIT, Free
from flexmbs.results.joint_history import at_tree_coordinate, joint_efforts, reaction_wrench
from flexmbs.results.kinematics import kinematics, meant_joint
from flexmbs.results.support_reactions import evaluated
from flexmbs.results.tree_motion import joint_motion

if TYPE_CHECKING:
    from flexmbs.results.states import States
    from flexmbs.system.groups.trees import Trees

__all__ = ["coordinate_reaction", "tree_reaction"]


def tree_reaction(solution: States, joint: TreeCoordinate, rows: IntArray) -> FloatArray:
    """Force (inertial axes) and moment about the link frame, in its axes, that a joint exerts on its link, (n, 6).

    Raises
    ------
    ModelError
        If the model has controllers, whose held values are not stored with every state, or the joint is fixed to others
        and so has no coordinate of its own.
    """
    if not joint.joint.n_v:
        raise ModelError(f"reaction of joint {joint.name!r}: a fixed joint makes one body of two; it has no reaction.")
    if isinstance(joint.joint, Free):
        return np.zeros((len(rows), 6))
    if "form" in solution.extra:
        return _of_rigid_bodies(solution, joint, rows)
    q = joint_motion(solution, joint)[0]
    out = np.empty((len(rows), 6))
    for n, (i, R, wrench) in enumerate(_through(solution, joint, rows)):
        screws = joint.joint.screws_at(q[i])
        force = R.T @ wrench[:3]
        effort = screws[:, :3] @ force + screws[:, 3:] @ wrench[3:]
        beside = _wrench_of(screws, effort)
        out[n, :3], out[n, 3:] = wrench[:3] - R @ beside[:3], wrench[3:] - beside[3:]
    return out


def coordinate_reaction(solution: States, driver: Any, rows: IntArray) -> FloatArray:
    """Wrench (n, 6) of a driver at a coordinate of a tree, on the link of that joint as in `tree_reaction`."""
    marker = cast("TreeCoordinateMarker", at_tree_coordinate(driver))
    link: Any = marker.body
    joint = TreeCoordinate(link.tree, link.index)
    efforts, q = joint_efforts(solution, meant_joint(solution, driver), rows), joint_motion(solution, joint)[0]
    R = kinematics(solution, link.marker((0.0, 0.0, 0.0)), rows).R[:, 0]
    out, own = np.empty((len(rows), 6)), np.zeros(joint.joint.n_v)
    for n, i in enumerate(rows):
        own[marker.index] = efforts[n]
        wrench = _wrench_of(joint.joint.screws_at(q[i]), own)
        out[n, :3], out[n, 3:] = R[n] @ wrench[:3], wrench[3:]
    return out


def _through(solution: States, joint: TreeCoordinate, rows: IntArray) -> Any:
    """Numbers of states, axes of the link frame, and all that passes through a joint (6,) there, as `tree_reaction`."""
    system = solution.system
    trees: Any = system.coordinates.group_of(joint.tree)
    places, number, first = trees.of(joint.tree), trees.bodies.index(joint.tree), trees.first_column(joint.tree)
    own = places.own(joint.link)
    head, last = int(own[0]), int(own[-1])
    beyond = []
    for i, marker in enumerate(system.mechanics.markers.markers):
        body: Any = marker.body
        if body not in joint.tree.bodies or isinstance(marker, TreeCoordinateMarker):
            continue
        if head in places.path(body.index, getattr(marker, "outlet", None)):
            beyond.append(i)
    of_trees = system.coordinates.groups.index(trees)
    for i, dyn in evaluated(f"reaction of joint {joint.name!r}", solution, rows):
        table = cast("Trees", dyn.mechanics.groups[of_trees]).table  # as the last evaluation has left it
        row = table.work[first + last]
        R, place, origin = row[R_ : R_ + 9].reshape(3, 3), row[P_ : P_ + 3], table.origin[number]
        wrench = table.work[first + head, F_ : F_ + 6].copy()
        for k in beyond:
            force, moment = dyn.markers.W[k, :3], dyn.markers.R[k] @ dyn.markers.W[k, 3:]
            wrench[:3] += force
            wrench[3:] += moment + np.cross(dyn.markers.p[k] - origin, force)
        wrench[3:] = R.T @ (wrench[3:] - np.cross(place, wrench[:3]))
        yield i, R, wrench


def _wrench_of(screws: FloatArray, effort: FloatArray) -> FloatArray:
    """The wrench W (6,) with S W = ``effort (k,)``, S (k, 6), of least force and then of least moment."""
    slides, turns = screws[:, :3], screws[:, 3:]
    left, size, _ = np.linalg.svd(turns)
    # sums of velocities that do not turn the link, so that forces alone work on them
    still = left[:, int(np.sum(size > UNIT)) :].T
    force = np.linalg.pinv(still @ slides, rcond=UNIT) @ (still @ effort)
    return np.concatenate((force, np.linalg.pinv(turns, rcond=UNIT) @ (effort - slides @ force)))


def _of_rigid_bodies(solution: States, joint: TreeCoordinate, rows: IntArray) -> FloatArray:
    """`tree_reaction` from the joint that stands for the one of the tree, about its marker and in the axes of that."""
    flat = meant_joint(solution, joint)
    out = reaction_wrench(solution, flat, rows)
    frame = joint.tree.bodies[joint.link].marker((0.0, 0.0, 0.0))
    link, side = solution.extra["form"].marker(frame), flat.b
    R = kinematics(solution, frame, rows).R[:, 0]
    arm, axes = link.frame.T @ (side.point - link.point), link.frame.T @ side.frame
    force = np.einsum("nji,nj->ni", R, out[:, :3])
    out[:, 3:] = out[:, 3:] @ axes.T + np.cross(arm, force)
    return out
