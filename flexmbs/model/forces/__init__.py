"""Loads, springs and all else that adds forces: descriptions in words with their kernels, one concept a file."""

from __future__ import annotations

from flexmbs.model.forces.bristle_friction import BristleFriction
from flexmbs.model.forces.bushing import Bushing
from flexmbs.model.forces.coulomb_friction import CoulombFriction
from flexmbs.model.forces.distributed import DistributedLoad, Gravity
from flexmbs.model.forces.edge_loads import EdgeLoad, EdgeMoment
from flexmbs.model.forces.elastic_support import ElasticSupport
from flexmbs.model.forces.force_curve import ForceCurve
from flexmbs.model.forces.joint_force import JointForce
from flexmbs.model.forces.joint_stop import JointStop
from flexmbs.model.forces.latch import Latch
from flexmbs.model.forces.membrane_stress import MembraneStress, ThermalStrain
from flexmbs.model.forces.moment import Moment
from flexmbs.model.forces.nodal_load import NodalLoad
from flexmbs.model.forces.point_force import PointForce
from flexmbs.model.forces.pressure import Pressure
from flexmbs.model.forces.rayleigh_damping import RayleighDamping
from flexmbs.model.forces.spring_damper import SpringDamper
from flexmbs.model.forces.torsion_spring import TorsionSpring
from flexmbs.model.forces.user_force import UserForce

__all__ = [
    "BristleFriction",
    "Bushing",
    "CoulombFriction",
    "DistributedLoad",
    "EdgeLoad",
    "EdgeMoment",
    "ElasticSupport",
    "ForceCurve",
    "Gravity",
    "JointForce",
    "JointStop",
    "Latch",
    "MembraneStress",
    "Moment",
    "NodalLoad",
    "PointForce",
    "Pressure",
    "RayleighDamping",
    "SpringDamper",
    "ThermalStrain",
    "TorsionSpring",
    "UserForce",
]
