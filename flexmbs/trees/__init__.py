"""Trees of links with the joint coordinates as unknowns: `Tree`, `Link` and the joints between links."""

from __future__ import annotations

from flexmbs.core.calls import explain
from flexmbs.trees.denavit_hartenberg import DHRow, dh_tree
from flexmbs.trees.flexible_link import FlexibleLink
from flexmbs.trees.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    PrismaticSpherical,
    Revolute,
    Screws,
    Spherical,
    TreeJoint,
    Universal,
)
from flexmbs.trees.link import Link
from flexmbs.trees.tree import Tree, TreeLink
from flexmbs.trees.tree_dynamics import Centroidal, Derivatives, TreeDynamics
from flexmbs.trees.urdf import UrdfJoint, read_urdf, urdf_joints

__all__ = [
    "Centroidal",
    "Cylindrical",
    "DHRow",
    "Derivatives",
    "Fixed",
    "FlexibleLink",
    "Free",
    "Helical",
    "Link",
    "Planar",
    "Prismatic",
    "PrismaticSpherical",
    "Revolute",
    "Screws",
    "Spherical",
    "Tree",
    "TreeDynamics",
    "TreeJoint",
    "TreeLink",
    "Universal",
    "UrdfJoint",
    "dh_tree",
    "read_urdf",
    "urdf_joints",
]

explain(globals(), __all__)
