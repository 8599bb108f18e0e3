"""Trees of links with the joint coordinates as unknowns: `Tree`, `Link` and the joints between links."""

from __future__ import annotations

from flexmbs.core.calls import explain
from flexmbs.dynamics.tree_dynamics import Centroidal, Derivatives, TreeDynamics
from flexmbs.model.trees import (
    Cylindrical,
    DHRow,
    Fixed,
    FlexibleLink,
    Free,
    Helical,
    Link,
    Planar,
    Prismatic,
    PrismaticSpherical,
    Revolute,
    Screws,
    Spherical,
    Tree,
    TreeJoint,
    TreeLink,
    Universal,
    UrdfJoint,
    dh_tree,
    read_urdf,
    urdf_joints,
)

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
