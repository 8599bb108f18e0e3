"""Contact: shapes of bodies, laws of the normal force and of friction; `flexmbs.Contact` puts them together."""

from __future__ import annotations

from flexmbs.core import facade as _facade
from flexmbs.model.contacts.along import Skin as Skin
from flexmbs.model.contacts.along import Tube as Tube
from flexmbs.model.contacts.crossing import CrossingPair as CrossingPair
from flexmbs.model.contacts.cylinders import Cylinder as Cylinder
from flexmbs.model.contacts.cylinders import Rim as Rim
from flexmbs.model.contacts.distributed import DistributedPair as DistributedPair
from flexmbs.model.contacts.friction_laws import BristleLaw as BristleLaw
from flexmbs.model.contacts.friction_laws import CoulombLaw as CoulombLaw
from flexmbs.model.contacts.friction_laws import DwellLaw as DwellLaw
from flexmbs.model.contacts.height_field import HeightField as HeightField
from flexmbs.model.contacts.kalker import kalker_coefficients as kalker_coefficients
from flexmbs.model.contacts.lines import LinePair as LinePair
from flexmbs.model.contacts.normal_laws import HertzLaw as HertzLaw
from flexmbs.model.contacts.normal_laws import HuntCrossleyLaw as HuntCrossleyLaw
from flexmbs.model.contacts.normal_laws import ImpactLaw as ImpactLaw
from flexmbs.model.contacts.normal_laws import damping_for as damping_for
from flexmbs.model.contacts.normal_laws import restitution as restitution
from flexmbs.model.contacts.pair import ContactPair as ContactPair
from flexmbs.model.contacts.sensor import LeastGap as LeastGap
from flexmbs.model.contacts.sensor import SlipSpeed as SlipSpeed
from flexmbs.model.contacts.shapes import Plane as Plane
from flexmbs.model.contacts.shapes import Shape as Shape
from flexmbs.model.contacts.shapes import Sphere as Sphere
from flexmbs.model.contacts.shapes import Vertex as Vertex
from flexmbs.model.contacts.solids import Box as Box
from flexmbs.model.contacts.solids import Capsule as Capsule
from flexmbs.model.contacts.triangle import Triangle as Triangle
from flexmbs.model.contacts.triangle_mesh import TriangleMesh as TriangleMesh
from flexmbs.model.contacts.wheel_rail import ContactPatch as ContactPatch
from flexmbs.model.contacts.wheel_rail import CreepForce as CreepForce
from flexmbs.model.contacts.wheel_rail import Penetration as Penetration
from flexmbs.model.contacts.wheel_rail import WheelOnRail as WheelOnRail

_facade.gather(globals())
