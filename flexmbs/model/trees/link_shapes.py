"""What is drawn of a tree whose links have no shapes of their own: lines between joints, a base, guides.

The place of a joint is taken from its screws, so that links whose frames are at their far ends (tables of Denavit and
Hartenberg in the standard convention) turn about the right points. An offset along the axis of a joint is drawn along
that axis, so that links look like the bars that the table speaks of.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.model.trees.tree import Tree, TreeLink

__all__ = ["JointPlace", "base_shape", "joint_place", "link_shape"]

SMALL = 1e-9
"""Share of the reach of a tree below which a length is none."""
GUIDE, TOOL = 0.5, 0.25
"""Lengths of the rod of a sliding joint, and of a last link without any size, as shares of a link of mean length."""


class JointPlace(NamedTuple):
    """A point (3,) of the axis of a joint at zero coordinates and the direction (3,) of that, zero if it has none."""

    point: FloatArray
    axis: FloatArray
    slides: bool


def joint_place(link: Any) -> JointPlace:
    """Where the first axis of the joint of a link is, in the frame of the link."""
    screws = link.joint.screws
    if not len(screws):
        return JointPlace(np.zeros(3), np.zeros(3), False)
    v, w = screws[0][:3], screws[0][3:]
    if w.any():
        return JointPlace(np.cross(w, v), np.array(w), False)
    return JointPlace(np.zeros(3), v / np.linalg.norm(v), True)


def link_shape(link: TreeLink) -> tuple[FloatArray, IntArray]:
    """Points (n, 3) in the link frame and edges (m, 2) of what is drawn of a link.

    Without a shape of its own these are lines from its joint to its frame and to the joints beyond; where all these are
    at one place, and of a last link, through its centre of mass; a last link without any size is a short tool. A link
    that slides has a rod along its guide.
    """
    shape = link.link.shape
    if shape is not None:
        return shape.points + link.link.centre, shape.edges
    tree, length = link.tree, _mean_length(link.tree)
    own = joint_place(link.link)
    lines = [np.array([own.point, np.zeros(3)])]
    if own.slides:
        lines.append(np.array([-max(abs(float(link.link.start[0])), GUIDE * length) * own.axis, np.zeros(3)]))
    beyond = [k for k, parent in enumerate(tree.parents) if parent == link.index]
    for k in beyond:
        child = tree.links[k]
        if isinstance(child.at, str):
            lines.append(np.array([np.zeros(3), link.link.shapes(child.at)[0]]))  # type: ignore[union-attr]
        else:
            lines.append(_to_joint(child))
    through = np.array([np.zeros(3), 2.0 * link.link.centre])
    points, edges = _joined(lines if beyond else [*lines, through], tree)
    if not len(edges):
        points, edges = _joined([through], tree)
    if not len(edges) and not beyond:
        axis = own.axis if own.axis.any() else np.array([0.0, 0.0, 1.0])
        points, edges = np.array([np.zeros(3), TOOL * length * axis]), np.array([[0, 1]])
    return points, edges


def base_shape(tree: Tree) -> tuple[FloatArray, IntArray]:
    """Points (n, 3), inertial frame, and edges (m, 2) of the base: from the place of the tree to its first joints."""
    lines = [
        _to_joint(link) for link, parent in zip(tree.links, tree.parents, strict=True) if parent < 0 and _held(link)
    ]
    points, edges = _joined(lines, tree)
    return np.asarray(tree.position + points @ tree.rotation.T), edges


def _held(link: Any) -> bool:
    """Whether a joint keeps a link near its place: not one of six freedoms."""
    return bool(link.joint.n_v < 6)


def _to_joint(child: Any) -> FloatArray:
    """From the frame of the link before to the joint of a link: first across the axis, then along it."""
    place = joint_place(child)
    at, axis = np.asarray(child.at) + child.rotation @ place.point, child.rotation @ place.axis
    foot = at - (at @ axis) * axis
    line = np.array([np.zeros(3), foot, at])
    guide = np.zeros((0, 3))
    if place.slides and float(np.atleast_1d(child.start)[0]):  # as far as the joint is open at the start
        guide = (at + float(np.atleast_1d(child.start)[0]) * axis)[None]
    return np.vstack((line, guide))


def _mean_length(tree: Tree) -> float:
    """Mean distance between joints that follow each other, 1 where all are at one place."""
    found = [np.ptp(_to_joint(link), axis=0) for link in tree.links if not isinstance(link.at, str)]
    found += [2.0 * np.abs(link.centre) for link in tree.links]
    lengths = [float(np.linalg.norm(x)) for x in found]
    return float(np.mean([x for x in lengths if x > 0.0] or [1.0]))


def _joined(lines: list[FloatArray], tree: Tree) -> tuple[FloatArray, IntArray]:
    """Points and edges of polylines, without pieces of no length."""
    least = SMALL * _mean_length(tree)
    points: list[FloatArray] = []
    edges: list[list[int]] = []
    for line in lines:
        for a, b in pairwise(line):
            if np.linalg.norm(b - a) > least:
                edges.append([len(points), len(points) + 1])
                points += [a, b]
    return np.array(points).reshape(-1, 3), np.array(edges, dtype=np.int64).reshape(-1, 2)
