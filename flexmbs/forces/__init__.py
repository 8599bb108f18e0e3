"""Loads, springs and all else that adds forces: descriptions in words with their kernels, one concept a file."""

from __future__ import annotations

from flexmbs.forces.bushing import Bushing
from flexmbs.forces.distributed import DistributedLoad, Gravity
from flexmbs.forces.edge_loads import EdgeLoad, EdgeMoment
from flexmbs.forces.elastic_support import ElasticSupport
from flexmbs.forces.force_curve import ForceCurve
from flexmbs.forces.joint_force import JointForce
from flexmbs.forces.joint_friction import JointFriction
from flexmbs.forces.membrane_stress import MembraneStress, ThermalStrain
from flexmbs.forces.moment import Moment
from flexmbs.forces.nodal_load import NodalLoad
from flexmbs.forces.point_force import PointForce
from flexmbs.forces.pressure import Pressure
from flexmbs.forces.rayleigh_damping import RayleighDamping
from flexmbs.forces.spring_damper import SpringDamper
from flexmbs.forces.stick_slip import StickSlip
from flexmbs.forces.stop import Stop
from flexmbs.forces.torsion_spring import TorsionSpring
from flexmbs.forces.user_force import UserForce

__all__ = [
    "Bushing",
    "DistributedLoad",
    "EdgeLoad",
    "EdgeMoment",
    "ElasticSupport",
    "ForceCurve",
    "Gravity",
    "JointForce",
    "JointFriction",
    "MembraneStress",
    "Moment",
    "NodalLoad",
    "PointForce",
    "Pressure",
    "RayleighDamping",
    "SpringDamper",
    "StickSlip",
    "Stop",
    "ThermalStrain",
    "TorsionSpring",
    "UserForce",
]
