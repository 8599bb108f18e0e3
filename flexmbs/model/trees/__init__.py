"""Trees of links in words: links, the joints between them, tables of Denavit and Hartenberg, URDF files."""

from __future__ import annotations

from flexmbs.model.trees.denavit_hartenberg import DHRow, dh_tree
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.model.trees.joints import (
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
from flexmbs.model.trees.link import Link
from flexmbs.model.trees.tree import Tree, TreeLink
from flexmbs.model.trees.urdf import UrdfJoint, read_urdf, urdf_joints

__all__ = [
    "Cylindrical",
    "DHRow",
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
    "TreeJoint",
    "TreeLink",
    "Universal",
    "UrdfJoint",
    "dh_tree",
    "read_urdf",
    "urdf_joints",
]
