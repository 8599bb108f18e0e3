"""flexmbs: flexible multibody dynamics in Python.

What is here is everything a model needs; names are imported when they are first used, so that importing flexmbs is
quick.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from flexmbs.core.calls import explained
from flexmbs.core.field_terms import field_term

__version__ = "0.1.0"

_HOME = {
    "flexmbs.analysis.as_cartesian": ("as_cartesian",),
    "flexmbs.analysis.as_tree": ("as_tree",),
    "flexmbs.analysis.linear_model": ("LinearModel",),
    "flexmbs.analysis.linearise": ("linearise",),
    "flexmbs.analysis.modal": ("solve_modal",),
    "flexmbs.analysis.report": ("ModelReport", "inspect"),
    "flexmbs.analysis.output": ("Output",),
    "flexmbs.analysis.simulate": ("simulate",),
    "flexmbs.analysis.static": ("StaticOptions", "solve_static"),
    "flexmbs.analysis.topology": ("Topology", "topology"),
    "flexmbs.bodies.floating": ("FloatingBody",),
    "flexmbs.bodies.linear": ("LinearBody",),
    "flexmbs.bodies.section_frame": ("SectionFrame",),
    "flexmbs.bodies.substructure": ("Substructure",),
    "flexmbs.bodies.substructured_beam": ("SubstructuredBeam",),
    "flexmbs.bodies": ("InitialVelocity", "Marker", "PlanarRigidBody", "PointMass", "RigidBody", "Wireframe", "ground"),
    "flexmbs.body": ("Attachment", "FlexibleBody"),
    "flexmbs.control.actuators": ("ForceActuator", "JointActuator", "LineActuator", "MomentActuator", "Signal"),
    "flexmbs.control.controller": ("Controller",),
    "flexmbs.control.events": ("Event",),
    "flexmbs.control.first_order": ("FirstOrder",),
    "flexmbs.control.function_sensors": ("FunctionSensor", "NoisySensor"),
    "flexmbs.control.joint_sensors": ("JointSensor", "MultiplierSensor"),
    "flexmbs.control.linear": ("Command", "DiscreteStateSpace", "FilteredController", "StateFeedback"),
    "flexmbs.control.noise": ("BandNoise", "WhiteNoise"),
    "flexmbs.control.pid": ("PID",),
    "flexmbs.control.sensors": (
        "AccelerationSensor", "AngularVelocitySensor", "DistanceSensor", "PositionSensor", "VelocitySensor",
    ),
    "flexmbs.control.value_sensors": ("CoordinateSensor", "HeldSensor", "StateSensor"),
    "flexmbs.core.errors": (
        "AccuracyWarning", "ConvergenceError", "FlexmbsError", "LossWarning", "MeshError", "ModelError", "ReadError",
        "SingularError", "UnitsWarning",
    ),
    "flexmbs.core.history": ("Constant", "Table"),
    "flexmbs.core.material": ("Elastic", "Orthotropic", "aluminium", "steel"),
    "flexmbs.core.section": ("BeamStiffness", "Circle", "GeneralSection", "Pipe", "Rectangle"),
    "flexmbs.core.section_matrix": ("SectionStiffness",),
    "flexmbs.core.sheet": ("Layup", "Sheet", "SheetStiffness"),
    "flexmbs.core.units": ("SI", "Units"),
    "flexmbs.files": ("load",),
    "flexmbs.forces": (
        "Bushing", "DistributedLoad", "EdgeLoad", "EdgeMoment", "ElasticSupport", "ForceCurve", "Gravity", "JointForce",
        "JointFriction", "MembraneStress", "Moment", "NodalLoad", "PointForce", "Pressure", "RayleighDamping",
        "SpringDamper", "StickSlip", "Stop", "ThermalStrain", "TorsionSpring", "UserForce",
    ),
    "flexmbs.integrators.augmented_lagrangian": ("AugmentedLagrangian",),
    "flexmbs.integrators.bdf": ("BDF",),
    "flexmbs.integrators.constraints.ascher_projection": ("AscherProjection",),
    "flexmbs.integrators.constraints.baumgarte": ("Baumgarte",),
    "flexmbs.integrators.constraints.coordinate_partitioning": ("CoordinatePartitioning",),
    "flexmbs.integrators.constraints.null_space": ("NullSpace",),
    "flexmbs.integrators.constraints.standard_projection": ("StandardProjection",),
    "flexmbs.integrators.constraints.successive_projection": ("SuccessiveProjection",),
    "flexmbs.integrators.energy_momentum": ("EnergyMomentum",),
    "flexmbs.integrators.generalized_alpha": ("GeneralizedAlpha",),
    "flexmbs.integrators.iteration_matrix": ("CorrectorOptions",),
    "flexmbs.integrators.newton": ("NewtonOptions",),
    "flexmbs.integrators.radau": ("RadauIIA",),
    "flexmbs.integrators.runge_kutta": ("RungeKutta",),
    "flexmbs.integrators.step_control": ("ErrorControl", "FixedStep"),
    "flexmbs.joints.coordinate_joint": ("CoordinateJoint", "CoordinateMarker"),
    "flexmbs.joints.average_edge": ("AverageEdge",),
    "flexmbs.joints.distance": ("Distance",),
    "flexmbs.joints.edges": ("fasten_edge", "hinge_edge"),
    "flexmbs.joints.drivers": ("DistanceDriver", "RotationDriver", "TranslationDriver"),
    "flexmbs.joints.gears": ("Gear", "RackAndPinion", "Screw"),
    "flexmbs.joints.lower_pairs": (
        "Cylindrical", "Fixed", "ParallelAxes", "Planar", "Prismatic", "Revolute", "Spherical",
    ),
    "flexmbs.joints.point_contacts": ("PointOnLine", "PointOnPlane"),
    "flexmbs.joints.rolling": ("RollingBall", "RollingDisk"),
    "flexmbs.joints.sliding": ("Sliding",),
    "flexmbs.joints.universal": ("Universal",),
    "flexmbs.kinematics.inverse_dynamics": ("DriveForces", "inverse_dynamics",),
    "flexmbs.kinematics.solve": ("solve_kinematics",),
    "flexmbs.kinematics.trace": ("trace_kinematics",),
    "flexmbs.kinematics.paths": ("KinematicPath", "KinematicPaths", "SingularPosition",),
    "flexmbs.kinematics.inverse_kinematics": ("inverse_kinematics",),
    "flexmbs.kinematics.pose": ("JointLimit", "Pose", "PoseTarget",),
    "flexmbs.constraint_forces.reduced_system": ("ConstraintForces", "ReducedSystem",),
    "flexmbs.constraint_forces.joint_graph": ("JointGraph",),
    "flexmbs.constraint_forces.elimination": ("Elimination", "eliminate", "low_fill_order",),
    "flexmbs.linear.body_loads": ("Acceleration", "Centrifugal", "ThermalLoad"),
    "flexmbs.linear.connections": ("AveragingLink", "NodalMass", "NodalSpring", "RigidLink"),
    "flexmbs.linear.damping": ("ModalDamping", "ProportionalDamping", "StructuralDamping"),
    "flexmbs.linear.files": ("read_operators", "write_operators_matrix_market", "write_operators_npz"),
    "flexmbs.linear.frame_operators": ("FrameOperators", "WhirlModes"),
    "flexmbs.linear.frame_response": ("FrameResponse", "frame_response"),
    "flexmbs.linear.frequency_response": ("FrequencyResponse",),
    "flexmbs.linear.from_inp": ("part_from_inp",),
    "flexmbs.linear.harmonic": ("harmonic_response",),
    "flexmbs.linear.linear_modes": ("LinearModes",),
    "flexmbs.linear.linear_solution": ("LinearSolution",),
    "flexmbs.linear.loads": ("NodalForce", "SurfaceLoad"),
    "flexmbs.linear.modes": ("vibration_modes",),
    "flexmbs.linear.moving_frame": ("MovingFrame", "moving_frame"),
    "flexmbs.linear.operators": ("DofMap", "Operators"),
    "flexmbs.linear.part": ("Part",),
    "flexmbs.linear.prestress": ("BucklingLoads", "buckling_loads", "geometric_stiffness", "prestressed"),
    "flexmbs.linear.region": ("Region",),
    "flexmbs.linear.scalar_mass": ("scalar_mass",),
    "flexmbs.linear.statics": ("static_response",),
    "flexmbs.meshes": ("Mesh", "read_mesh"),
    "flexmbs.model": ("Model",),
    "flexmbs.output.linear_paraview": ("write_vtu",),
    "flexmbs.output.motion_files": ("MotionFile",),
    "flexmbs.output.stress_stream": ("StressBlock", "stress_blocks", "write_stresses"),
    "flexmbs.reduction.balanced": ("balanced_truncation",),
    "flexmbs.reduction.characteristic_modes": ("characteristic_modes",),
    "flexmbs.reduction.export": ("Written", "export"),
    "flexmbs.reduction.free_interface": ("macneal", "rubin"),
    "flexmbs.reduction.interfaces": ("Interface",),
    "flexmbs.reduction.krylov": ("krylov",),
    "flexmbs.reduction.modal_truncation": ("modal_truncation",),
    "flexmbs.reduction.model": ("ReducedModel",),
    "flexmbs.reduction.read_mbdyn": ("read_mbdyn",),
    "flexmbs.reduction.read_reduced": ("read_reduced",),
    "flexmbs.reduction.read_sid": ("read_sid",),
    "flexmbs.reduction.reduce": ("reduce",),
    "flexmbs.reduction.report": ("ReductionReport",),
    "flexmbs.reduction.selection": ("EffectiveMass", "Lowest", "TransferFunction", "UpToFrequency"),
    "flexmbs.reduction.store": ("load_reduced",),
    "flexmbs.reduction.unreduced": ("unreduced",),
    "flexmbs.results.consecutive": ("joined",),
    "flexmbs.results.modal": ("ModalSolution",),
    "flexmbs.results.static": ("StaticSolution",),
    "flexmbs.results.status": ("Status",),
    "flexmbs.results.time": ("Energy", "TimeSolution"),
    "flexmbs.segments.beam": ("segmented_beam", "segmented_cable"),
    "flexmbs.segments.chain": ("SegmentedBeam",),
    "flexmbs.segments.plate": ("SegmentedPlate", "segmented_plate"),
    "flexmbs.supports": ("Clamp", "Guide", "Hinge", "Pin", "Prescribe", "Roller", "Symmetry"),
    "flexmbs.system": ("System", "compile_model"),
    "flexmbs.viewing": ("view", "write_gltf"),
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}
_RENAMED = {
    "ConstrainedModes": "ModalSolution",
    "Equilibria": "StaticSolution",
    "Modes": "ModalSolution",
    "Solution": "StaticSolution",
    "TimeStatus": "Status",
}
"""Older names, kept for one release."""
_ROOMS = ("elements", "meshes", "motions", "reduction", "trees", "verification")

__all__ = [
    "BDF",
    "PID",
    "SI",
    "Acceleration",
    "AccelerationSensor",
    "AccuracyWarning",
    "AngularVelocitySensor",
    "AscherProjection",
    "Attachment",
    "AugmentedLagrangian",
    "AverageEdge",
    "AveragingLink",
    "BandNoise",
    "Baumgarte",
    "BeamStiffness",
    "BucklingLoads",
    "Bushing",
    "Centrifugal",
    "Circle",
    "Clamp",
    "Command",
    "Constant",
    "ConstraintForces",
    "Controller",
    "ConvergenceError",
    "CoordinateJoint",
    "CoordinateMarker",
    "CoordinatePartitioning",
    "CoordinateSensor",
    "CorrectorOptions",
    "Cylindrical",
    "DiscreteStateSpace",
    "Distance",
    "DistanceDriver",
    "DistanceSensor",
    "DistributedLoad",
    "DofMap",
    "DriveForces",
    "EdgeLoad",
    "EdgeMoment",
    "EffectiveMass",
    "Elastic",
    "ElasticSupport",
    "Elimination",
    "Energy",
    "EnergyMomentum",
    "ErrorControl",
    "Event",
    "FilteredController",
    "FirstOrder",
    "Fixed",
    "FixedStep",
    "FlexibleBody",
    "FlexmbsError",
    "FloatingBody",
    "ForceActuator",
    "ForceCurve",
    "FrameOperators",
    "FrameResponse",
    "FrequencyResponse",
    "FunctionSensor",
    "Gear",
    "GeneralSection",
    "GeneralizedAlpha",
    "Gravity",
    "Guide",
    "HeldSensor",
    "Hinge",
    "InitialVelocity",
    "Interface",
    "JointActuator",
    "JointForce",
    "JointFriction",
    "JointGraph",
    "JointLimit",
    "JointSensor",
    "KinematicPath",
    "KinematicPaths",
    "Layup",
    "LineActuator",
    "LinearBody",
    "LinearModel",
    "LinearModes",
    "LinearSolution",
    "LossWarning",
    "Lowest",
    "Marker",
    "MembraneStress",
    "Mesh",
    "MeshError",
    "ModalDamping",
    "ModalSolution",
    "Model",
    "ModelError",
    "ModelReport",
    "Moment",
    "MomentActuator",
    "MotionFile",
    "MovingFrame",
    "MultiplierSensor",
    "NewtonOptions",
    "NodalForce",
    "NodalLoad",
    "NodalMass",
    "NodalSpring",
    "NoisySensor",
    "NullSpace",
    "Operators",
    "Orthotropic",
    "Output",
    "ParallelAxes",
    "Part",
    "Pin",
    "Pipe",
    "Planar",
    "PlanarRigidBody",
    "PointForce",
    "PointMass",
    "PointOnLine",
    "PointOnPlane",
    "Pose",
    "PoseTarget",
    "PositionSensor",
    "Prescribe",
    "Pressure",
    "Prismatic",
    "ProportionalDamping",
    "RackAndPinion",
    "RadauIIA",
    "RayleighDamping",
    "ReadError",
    "Rectangle",
    "ReducedModel",
    "ReducedSystem",
    "ReductionReport",
    "Region",
    "Revolute",
    "RigidBody",
    "RigidLink",
    "Roller",
    "RollingBall",
    "RollingDisk",
    "RotationDriver",
    "RungeKutta",
    "Screw",
    "SectionFrame",
    "SectionStiffness",
    "SegmentedBeam",
    "SegmentedPlate",
    "Sheet",
    "SheetStiffness",
    "Signal",
    "SingularError",
    "SingularPosition",
    "Sliding",
    "Spherical",
    "SpringDamper",
    "StandardProjection",
    "StateFeedback",
    "StateSensor",
    "StaticOptions",
    "StaticSolution",
    "Status",
    "StickSlip",
    "Stop",
    "StressBlock",
    "StructuralDamping",
    "Substructure",
    "SubstructuredBeam",
    "SuccessiveProjection",
    "SurfaceLoad",
    "Symmetry",
    "System",
    "Table",
    "ThermalLoad",
    "ThermalStrain",
    "TimeSolution",
    "Topology",
    "TorsionSpring",
    "TransferFunction",
    "TranslationDriver",
    "Units",
    "UnitsWarning",
    "Universal",
    "UpToFrequency",
    "UserForce",
    "VelocitySensor",
    "WhirlModes",
    "WhiteNoise",
    "Wireframe",
    "Written",
    "__version__",
    "aluminium",
    "as_cartesian",
    "as_tree",
    "balanced_truncation",
    "buckling_loads",
    "characteristic_modes",
    "compile_model",
    "elements",
    "eliminate",
    "export",
    "fasten_edge",
    "frame_response",
    "geometric_stiffness",
    "ground",
    "harmonic_response",
    "hinge_edge",
    "inspect",
    "inverse_dynamics",
    "inverse_kinematics",
    "joined",
    "krylov",
    "linearise",
    "load",
    "load_reduced",
    "low_fill_order",
    "macneal",
    "meshes",
    "modal_truncation",
    "motions",
    "moving_frame",
    "part_from_inp",
    "prestressed",
    "read_mbdyn",
    "read_mesh",
    "read_operators",
    "read_reduced",
    "read_sid",
    "reduce",
    "reduction",
    "rubin",
    "scalar_mass",
    "segmented_beam",
    "segmented_cable",
    "segmented_plate",
    "simulate",
    "solve_kinematics",
    "solve_modal",
    "solve_static",
    "static_response",
    "steel",
    "stress_blocks",
    "topology",
    "trace_kinematics",
    "trees",
    "unreduced",
    "verification",
    "vibration_modes",
    "view",
    "write_gltf",
    "write_operators_matrix_market",
    "write_operators_npz",
    "write_stresses",
    "write_vtu",
]

if TYPE_CHECKING:
    from flexmbs import elements, meshes, motions, reduction, trees, verification
    from flexmbs.analysis.as_cartesian import as_cartesian
    from flexmbs.analysis.as_tree import as_tree
    from flexmbs.analysis.linear_model import LinearModel
    from flexmbs.analysis.linearise import linearise
    from flexmbs.analysis.modal import solve_modal
    from flexmbs.analysis.output import Output
    from flexmbs.analysis.report import ModelReport, inspect
    from flexmbs.analysis.simulate import simulate
    from flexmbs.analysis.static import StaticOptions, solve_static
    from flexmbs.analysis.topology import Topology, topology
    from flexmbs.bodies import InitialVelocity, Marker, PlanarRigidBody, PointMass, RigidBody, Wireframe, ground
    from flexmbs.bodies.floating import FloatingBody
    from flexmbs.bodies.linear import LinearBody
    from flexmbs.bodies.section_frame import SectionFrame
    from flexmbs.bodies.substructure import Substructure
    from flexmbs.bodies.substructured_beam import SubstructuredBeam
    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.constraint_forces.elimination import Elimination, eliminate, low_fill_order
    from flexmbs.constraint_forces.joint_graph import JointGraph
    from flexmbs.constraint_forces.reduced_system import ConstraintForces, ReducedSystem
    from flexmbs.control.actuators import ForceActuator, JointActuator, LineActuator, MomentActuator, Signal
    from flexmbs.control.controller import Controller
    from flexmbs.control.events import Event
    from flexmbs.control.first_order import FirstOrder
    from flexmbs.control.function_sensors import FunctionSensor, NoisySensor
    from flexmbs.control.joint_sensors import JointSensor, MultiplierSensor
    from flexmbs.control.linear import Command, DiscreteStateSpace, FilteredController, StateFeedback
    from flexmbs.control.noise import BandNoise, WhiteNoise
    from flexmbs.control.pid import PID
    from flexmbs.control.sensors import (
        AccelerationSensor,
        AngularVelocitySensor,
        DistanceSensor,
        PositionSensor,
        VelocitySensor,
    )
    from flexmbs.control.value_sensors import CoordinateSensor, HeldSensor, StateSensor
    from flexmbs.core.errors import (
        AccuracyWarning,
        ConvergenceError,
        FlexmbsError,
        LossWarning,
        MeshError,
        ModelError,
        ReadError,
        SingularError,
        UnitsWarning,
    )
    from flexmbs.core.history import Constant, Table
    from flexmbs.core.material import Elastic, Orthotropic, aluminium, steel
    from flexmbs.core.section import BeamStiffness, Circle, GeneralSection, Pipe, Rectangle
    from flexmbs.core.section_matrix import SectionStiffness
    from flexmbs.core.sheet import Layup, Sheet, SheetStiffness
    from flexmbs.core.units import SI, Units
    from flexmbs.files import load
    from flexmbs.forces import (
        Bushing,
        DistributedLoad,
        EdgeLoad,
        EdgeMoment,
        ElasticSupport,
        ForceCurve,
        Gravity,
        JointForce,
        JointFriction,
        MembraneStress,
        Moment,
        NodalLoad,
        PointForce,
        Pressure,
        RayleighDamping,
        SpringDamper,
        StickSlip,
        Stop,
        ThermalStrain,
        TorsionSpring,
        UserForce,
    )
    from flexmbs.integrators.augmented_lagrangian import AugmentedLagrangian
    from flexmbs.integrators.bdf import BDF
    from flexmbs.integrators.constraints.ascher_projection import AscherProjection
    from flexmbs.integrators.constraints.baumgarte import Baumgarte
    from flexmbs.integrators.constraints.coordinate_partitioning import CoordinatePartitioning
    from flexmbs.integrators.constraints.null_space import NullSpace
    from flexmbs.integrators.constraints.standard_projection import StandardProjection
    from flexmbs.integrators.constraints.successive_projection import SuccessiveProjection
    from flexmbs.integrators.energy_momentum import EnergyMomentum
    from flexmbs.integrators.generalized_alpha import GeneralizedAlpha
    from flexmbs.integrators.iteration_matrix import CorrectorOptions
    from flexmbs.integrators.newton import NewtonOptions
    from flexmbs.integrators.radau import RadauIIA
    from flexmbs.integrators.runge_kutta import RungeKutta
    from flexmbs.integrators.step_control import ErrorControl, FixedStep
    from flexmbs.joints.average_edge import AverageEdge
    from flexmbs.joints.coordinate_joint import CoordinateJoint, CoordinateMarker
    from flexmbs.joints.distance import Distance
    from flexmbs.joints.drivers import DistanceDriver, RotationDriver, TranslationDriver
    from flexmbs.joints.edges import fasten_edge, hinge_edge
    from flexmbs.joints.gears import Gear, RackAndPinion, Screw
    from flexmbs.joints.lower_pairs import Cylindrical, Fixed, ParallelAxes, Planar, Prismatic, Revolute, Spherical
    from flexmbs.joints.point_contacts import PointOnLine, PointOnPlane
    from flexmbs.joints.rolling import RollingBall, RollingDisk
    from flexmbs.joints.sliding import Sliding
    from flexmbs.joints.universal import Universal
    from flexmbs.kinematics.inverse_dynamics import DriveForces, inverse_dynamics
    from flexmbs.kinematics.inverse_kinematics import inverse_kinematics
    from flexmbs.kinematics.paths import KinematicPath, KinematicPaths, SingularPosition
    from flexmbs.kinematics.pose import JointLimit, Pose, PoseTarget
    from flexmbs.kinematics.solve import solve_kinematics
    from flexmbs.kinematics.trace import trace_kinematics
    from flexmbs.linear.body_loads import Acceleration, Centrifugal, ThermalLoad
    from flexmbs.linear.connections import AveragingLink, NodalMass, NodalSpring, RigidLink
    from flexmbs.linear.damping import ModalDamping, ProportionalDamping, StructuralDamping
    from flexmbs.linear.files import read_operators, write_operators_matrix_market, write_operators_npz
    from flexmbs.linear.frame_operators import FrameOperators, WhirlModes
    from flexmbs.linear.frame_response import FrameResponse, frame_response
    from flexmbs.linear.frequency_response import FrequencyResponse
    from flexmbs.linear.from_inp import part_from_inp
    from flexmbs.linear.harmonic import harmonic_response
    from flexmbs.linear.linear_modes import LinearModes
    from flexmbs.linear.linear_solution import LinearSolution
    from flexmbs.linear.loads import NodalForce, SurfaceLoad
    from flexmbs.linear.modes import vibration_modes
    from flexmbs.linear.moving_frame import MovingFrame, moving_frame
    from flexmbs.linear.operators import DofMap, Operators
    from flexmbs.linear.part import Part
    from flexmbs.linear.prestress import BucklingLoads, buckling_loads, geometric_stiffness, prestressed
    from flexmbs.linear.region import Region
    from flexmbs.linear.scalar_mass import scalar_mass
    from flexmbs.linear.statics import static_response
    from flexmbs.meshes import Mesh, read_mesh
    from flexmbs.model import Model
    from flexmbs.output.linear_paraview import write_vtu
    from flexmbs.output.motion_files import MotionFile
    from flexmbs.output.stress_stream import StressBlock, stress_blocks, write_stresses
    from flexmbs.reduction.balanced import balanced_truncation
    from flexmbs.reduction.characteristic_modes import characteristic_modes
    from flexmbs.reduction.export import Written, export
    from flexmbs.reduction.free_interface import macneal, rubin
    from flexmbs.reduction.interfaces import Interface
    from flexmbs.reduction.krylov import krylov
    from flexmbs.reduction.modal_truncation import modal_truncation
    from flexmbs.reduction.model import ReducedModel
    from flexmbs.reduction.read_mbdyn import read_mbdyn
    from flexmbs.reduction.read_reduced import read_reduced
    from flexmbs.reduction.read_sid import read_sid
    from flexmbs.reduction.reduce import reduce
    from flexmbs.reduction.report import ReductionReport
    from flexmbs.reduction.selection import EffectiveMass, Lowest, TransferFunction, UpToFrequency
    from flexmbs.reduction.store import load_reduced
    from flexmbs.reduction.unreduced import unreduced
    from flexmbs.results.consecutive import joined
    from flexmbs.results.modal import ModalSolution
    from flexmbs.results.static import StaticSolution
    from flexmbs.results.status import Status
    from flexmbs.results.time import Energy, TimeSolution
    from flexmbs.segments.beam import segmented_beam, segmented_cable
    from flexmbs.segments.chain import SegmentedBeam
    from flexmbs.segments.plate import SegmentedPlate, segmented_plate
    from flexmbs.supports import Clamp, Guide, Hinge, Pin, Prescribe, Roller, Symmetry
    from flexmbs.system import System, compile_model
    from flexmbs.viewing import view, write_gltf


def __getattr__(name: str) -> Any:
    """Import a name on its first use."""
    if name in _WHERE:
        value = explained(getattr(import_module(_WHERE[name]), name))
    elif name in _ROOMS:
        value = import_module(f"flexmbs.{name}")
    elif name in _RENAMED:
        new = _RENAMED[name]
        warn(f"flexmbs.{name} is now flexmbs.{new}; the older name will go.", DeprecationWarning, stacklevel=2)
        return __getattr__(new)
    else:
        near = [] if name.startswith("_") else list(field_term(name))
        near = near or ([] if name.startswith("_") else get_close_matches(name, __all__, n=3, cutoff=0.7))
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"module 'flexmbs' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
