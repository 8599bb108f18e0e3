"""Trees of links with the joint coordinates as unknowns: `Tree`, `Link` and the joints between links."""

from __future__ import annotations

from flexmbs.trees.flexible_link import FlexibleLink
from flexmbs.trees.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Screws,
    Spherical,
    TreeJoint,
    Universal,
)
from flexmbs.trees.tree import Link, Tree, TreeLink

__all__ = [
    "Cylindrical",
    "Fixed",
    "FlexibleLink",
    "Free",
    "Helical",
    "Link",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screws",
    "Spherical",
    "Tree",
    "TreeJoint",
    "TreeLink",
    "Universal",
]
