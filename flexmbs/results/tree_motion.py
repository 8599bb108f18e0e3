r"""Coordinates of joints of trees over stored states, however the tree was integrated.

In joint coordinates they are unknowns. Of a long tree, integrated as rigid bodies with joints
(`flexmbs.conversion.long_trees`), they follow from where its links are: with place p and rotation C of the link frame
in the joint frame, slides are the components of p along their screws, one angle is that of C about its axis, two are

.. math:: C = \exp(\tilde e_1 q_1)\exp(\tilde e_2 q_2), \qquad C e_2 = \exp(\tilde e_1 q_1)\,e_2 .

Angles begin within half a turn of the start of the link, or where the run before ended, and are counted by their rates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.poses import Pose
from flexmbs.core.rotations import from_vector, to_quaternion
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.kinematics import kinematics_of, marker_of

if TYPE_CHECKING:
    from flexmbs.model.trees.joints import TreeJoint
    from flexmbs.model.trees.tree import Tree
    from flexmbs.results.states import States

__all__ = ["angles_of", "in_joints", "joint_motion"]

Motion = tuple[FloatArray, FloatArray]
"""Coordinates (n, k) and velocities (n, m) of a joint: of a rotation the four of a quaternion, and three."""


def in_joints(states: States, body: Any) -> FloatArray | None:
    """Coordinates (n, k) of the joints of a tree, or of the joint of a link, that was integrated as rigid bodies.

    None for all else, whose coordinates are unknowns.
    """
    whole = getattr(body, "part_of", None)
    if "form" not in states.extra or (whole is None and getattr(body, "role", "") != "tree"):
        return None
    tree, links = (body, list(range(len(body.links)))) if whole is None else (whole[0], [whole[1]])
    return np.concatenate([q for q, _ in _motions(states, tree, links)], axis=1)


def angles_of(states: States, tree: Tree) -> dict[tuple[str, str], FloatArray]:
    """Angles (n,) of the joints of a tree that was integrated as rigid bodies, by name of the joint and label."""
    found = {}
    for link, (q, _) in zip(tree.links, _motions(states, tree, list(range(len(tree.links)))), strict=True):
        for k, label in enumerate(link.joint.names[: len(link.joint.screws)]):
            if link.joint.rotational[k]:
                found[f"{tree.name}/{link.name}", label] = q[:, k]
    return found


def joint_motion(states: States, joint: TreeCoordinate) -> Motion:
    """Coordinates and velocities of a joint of a tree in all states."""
    if "form" in states.extra:
        return _motions(states, joint.tree, [joint.link])[0]
    places = states.system.coordinates.tree(joint.tree)
    return states.q[:, places.joint_in_q(joint.link)], states.v[:, places.dof[places.own(joint.link)]]


def _motions(states: States, tree: Tree, links: list[int]) -> list[Motion]:
    """Of the joints of some links of a tree that was integrated as rigid bodies."""
    needed = sorted({i for link in links for i in (link, tree.parents[link]) if i >= 0})
    found = kinematics_of(states, [marker_of(states, tree.bodies[i].marker((0.0, 0.0, 0.0))) for i in needed])
    n = len(states)
    still = np.zeros((n, 3))
    base = Pose(np.tile(tree.position, (n, 1)), np.tile(tree.rotation, (n, 1, 1)), still, still)
    frames = {-1: base}
    for k, i in enumerate(needed):
        p, R, twist = found.p[:, k], found.R[:, k], found.twist[:, k]
        frames[i] = Pose(p, R, twist[:, :3], np.einsum("nij,nj->ni", R, twist[:, 3:]))
    before = states.extra.get("before", {})
    motions = []
    for i in links:
        link: Any = tree.links[i]
        start = np.array(link.start)
        for k, label in enumerate(link.joint.names[: len(link.joint.screws)]):
            start[k] = before.get((f"{tree.name}/{link.name}", label), start[k])
        motions.append(
            _motion(link.joint, frames[tree.parents[i]].of(link.at, link.rotation), frames[i], start, states)
        )
    return motions


def _motion(joint: TreeJoint, base: Pose, link: Pose, start: FloatArray, states: States) -> Motion:
    """Coordinates and velocities from the joint frame and the link frame."""
    p, C, v, own = link.seen_from(base)
    q, rates = np.zeros((len(p), len(joint.screws))), np.zeros((len(p), joint.n_v))
    turning = np.array(joint.rotational[: len(joint.screws)], dtype=bool)
    slides = joint.screws[~turning, :3]
    if len(slides):
        along = np.linalg.pinv(slides)
        q[:, ~turning], rates[:, np.flatnonzero(~turning)] = p @ along, v @ along
    if joint.ball:
        rates[:, -3:] = own
        turns = np.array([to_quaternion(R) for R in C])
        return np.concatenate((q, _followed(turns, start[-4:])), axis=1), rates
    axes = joint.screws[turning, 3:]
    if len(axes):
        angles, now = _angles(C, axes)
        w = np.einsum("nij,nj->ni", C, own)
        speed = np.einsum("nki,ni->nk", np.linalg.pinv(now.transpose(0, 2, 1)), w)
        rates[:, turning] = speed
        q[:, turning] = _counted(angles, speed, np.asarray(states.t), start[turning])
    return q, rates


def _angles(C: FloatArray, axes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angles (n, k) within half a turn about one or two axes one behind the other, and the axes now (n, k, 3)."""
    first = axes[0]
    if len(axes) == 1:
        return _about(C, first)[:, None], np.tile(axes, (len(C), 1, 1))
    second = axes[1]
    led = C @ second  # where the first angle has taken the second axis
    flat, moved = second - (first @ second) * first, led - np.outer(led @ first, first)
    one = np.arctan2(moved @ np.cross(first, flat), moved @ flat)
    back = np.array([from_vector(-angle * first) for angle in one])
    two = _about(back @ C, second)
    return np.column_stack((one, two)), np.stack((np.tile(first, (len(C), 1)), led), axis=1)


def _about(C: FloatArray, axis: FloatArray) -> FloatArray:
    """Angles (n,) of rotations about an axis."""
    skew = np.stack((C[:, 2, 1] - C[:, 1, 2], C[:, 0, 2] - C[:, 2, 0], C[:, 1, 0] - C[:, 0, 1]), axis=1)
    return np.asarray(np.arctan2(skew @ axis, np.trace(C, axis1=1, axis2=2) - 1.0))


def _counted(angles: FloatArray, rates: FloatArray, t: FloatArray, start: FloatArray) -> FloatArray:
    """Angles (n, k) over full turns: near ``start`` first, then near what the rates at both ends of a step lead to."""
    whole = 2.0 * np.pi
    first = angles[:1] + whole * np.round((start - angles[:1]) / whole)
    led = 0.5 * np.diff(t)[:, None] * (rates[:-1] + rates[1:])
    steps = np.diff(angles, axis=0)
    steps += whole * np.round((led - steps) / whole)
    return np.concatenate((first, first + np.cumsum(steps, axis=0)))


def _followed(turns: FloatArray, start: FloatArray) -> FloatArray:
    """Unit quaternions (n, 4), each with the sign that is nearer to the one before."""
    near = np.einsum("nk,nk->n", turns, np.concatenate((start[None], turns[:-1])))
    return turns * np.cumprod(np.where(near < 0.0, -1.0, 1.0))[:, None]
