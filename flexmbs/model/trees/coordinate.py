"""Coordinates of the joints of trees, as springs, drivers, stops, friction and sensors take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import INERTIAL
from flexmbs.model.bodies.ground import ground
from flexmbs.model.joints.contracts import Pair, Row
from flexmbs.model.joints.coordinate_joint import CoordinateMarker

if TYPE_CHECKING:
    from flexmbs.model.trees.joints import TreeJoint
    from flexmbs.model.trees.tree import Tree

__all__ = ["TreeCoordinate", "TreeCoordinateMarker", "joint_pairs"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TreeCoordinateMarker(CoordinateMarker):
    """A marker at (c, 0, 0) with a coordinate c of a joint of a tree: whatever acts between points can act on c."""

    def __init__(self, tree: Tree, link: int, column: int) -> None:
        joint = tree.links[link].joint
        fields = {
            "body": tree.bodies[link], "point": None, "frame": frozen_copy(np.eye(3)), "node": None,
            "name": f"{joint.names[column]} of joint {tree.links[link].name!r} of {tree}", "index": column,
            "component": joint.names[column], "start": float(tree.links[link].start[column]),
        }  # fmt: skip
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def unit(self) -> str:
        body: Any = self.body
        return "angle" if body.link.joint.rotational[self.index] else "length"


@dataclass(frozen=True, eq=False, repr=False)
class TreeCoordinate(Description):
    """The joint of a link of a tree, offering its coordinates as the joints of a model do.

    ``fx.TorsionSpring(tree.joint("elbow"), ...)``, ``fx.RotationDriver(tree.joint("elbow"), motion)``.
    """

    role: ClassVar[str] = "joint"
    tree: Tree
    link: int

    @property
    def name(self) -> str:
        """``tree/link``."""
        return f"{self.tree.name}/{self.tree.links[self.link].name}"

    def __repr__(self) -> str:
        return f"joint {self.tree.links[self.link].name!r} of {self.tree}"

    @property
    def joint(self) -> TreeJoint:
        """Its type."""
        return self.tree.links[self.link].joint

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """Its coordinates but rotations by quaternion, which are no coordinates of a vector space."""
        return joint_pairs(self.tree, self.link)


def joint_pairs(tree: Tree, link: int) -> dict[str, Pair]:
    """Pairs of the ground with each coordinate of a joint."""
    joint: Any = tree.links[link].joint
    row = (Row(INERTIAL, (1.0, 0.0, 0.0)),)
    origin = ground.marker((0.0, 0.0, 0.0))
    return {
        name: Pair(origin, TreeCoordinateMarker(tree, link, k), row)
        for k, name in enumerate(joint.names[: len(joint.screws)])
    }
