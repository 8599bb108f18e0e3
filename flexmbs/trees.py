"""Trees of links with the joint coordinates as unknowns: trees, links, the joints between them, conversions."""

from __future__ import annotations

from flexmbs.conversion.to_absolute_coordinates import to_absolute_coordinates as to_absolute_coordinates
from flexmbs.conversion.to_relative_coordinates import to_relative_coordinates as to_relative_coordinates
from flexmbs.core import facade as _facade
from flexmbs.dynamics.tree_dynamics import Centroidal as Centroidal
from flexmbs.dynamics.tree_dynamics import Derivatives as Derivatives
from flexmbs.dynamics.tree_dynamics import TreeDynamics as TreeDynamics
from flexmbs.model.trees.denavit_hartenberg import DHRow as DHRow
from flexmbs.model.trees.denavit_hartenberg import dh_tree as dh_tree
from flexmbs.model.trees.flexible_link import FlexibleLink as FlexibleLink
from flexmbs.model.trees.joints import Cylindrical as Cylindrical
from flexmbs.model.trees.joints import Fixed as Fixed
from flexmbs.model.trees.joints import Free as Free
from flexmbs.model.trees.joints import Helical as Helical
from flexmbs.model.trees.joints import Planar as Planar
from flexmbs.model.trees.joints import Prismatic as Prismatic
from flexmbs.model.trees.joints import PrismaticSpherical as PrismaticSpherical
from flexmbs.model.trees.joints import Revolute as Revolute
from flexmbs.model.trees.joints import Screws as Screws
from flexmbs.model.trees.joints import Spherical as Spherical
from flexmbs.model.trees.joints import TreeJoint as TreeJoint
from flexmbs.model.trees.joints import Universal as Universal
from flexmbs.model.trees.link import Link as Link
from flexmbs.model.trees.tree import Tree as Tree
from flexmbs.model.trees.tree import TreeLink as TreeLink
from flexmbs.model.trees.urdf import UrdfJoint as UrdfJoint
from flexmbs.model.trees.urdf import read_urdf as read_urdf
from flexmbs.model.trees.urdf import urdf_joints as urdf_joints

_facade.gather(globals())
