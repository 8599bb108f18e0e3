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
    "flexmbs.conversion.as_cartesian": ("as_cartesian",),
    "flexmbs.conversion.as_tree": ("as_tree",),
    "flexmbs.analysis.linear_model": ("LinearModel",),
    "flexmbs.analysis.linearise": ("linearise",),
    "flexmbs.analysis.modal": ("solve_modal",),
    "flexmbs.analysis.report": ("ModelReport", "inspect"),
    "flexmbs.analysis.output": ("Output",),
    "flexmbs.analysis.simulate": ("simulate",),
    "flexmbs.analysis.static": ("solve_static",),
    "flexmbs.results.static_options": ("StaticOptions",),
    "flexmbs.analysis.topology": ("Topology", "topology"),
    "flexmbs.model.bodies.floating": ("FloatingBody",),
    "flexmbs.model.bodies.linear": ("LinearBody",),
    "flexmbs.model.bodies.section_frame": ("SectionFrame",),
    "flexmbs.model.bodies.substructure": ("Substructure",),
    "flexmbs.model.bodies.substructured_beam": ("SubstructuredBeam",),
    "flexmbs.model.bodies": ("InitialVelocity", "Marker", "PlanarRigidBody", "PointMass", "RigidBody", "Wireframe",
    "ground"), "flexmbs.model.bodies.flexible": ("Attachment", "FlexibleBody"),
    "flexmbs.model.control.actuators": ("ForceActuator", "JointActuator", "LineActuator", "MomentActuator", "Signal"),
    "flexmbs.model.control.controller": ("Controller",),
    "flexmbs.model.control.events": ("Event",),
    "flexmbs.model.control.first_order": ("FirstOrder",),
    "flexmbs.model.control.function_sensors": ("FunctionSensor", "NoisySensor"),
    "flexmbs.model.control.joint_sensors": ("JointSensor", "MultiplierSensor"),
    "flexmbs.model.control.linear": ("Command", "DiscreteStateSpace", "FilteredController", "StateFeedback"),
    "flexmbs.model.control.noise": ("BandNoise", "WhiteNoise"),
    "flexmbs.model.control.pid": ("PID",),
    "flexmbs.model.control.sensors": (
        "AccelerationSensor", "AngularVelocitySensor", "DistanceSensor", "PositionSensor", "VelocitySensor",
    ),
    "flexmbs.model.control.value_sensors": ("CoordinateSensor", "HeldSensor", "StateSensor"),
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
    "flexmbs.io.files": ("load",),
    "flexmbs.model.forces": (
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
    "flexmbs.model.joints.coordinate_joint": ("CoordinateJoint", "CoordinateMarker"),
    "flexmbs.model.joints.average_edge": ("AverageEdge",),
    "flexmbs.model.joints.distance": ("Distance",),
    "flexmbs.model.joints.edges": ("fasten_edge", "hinge_edge"),
    "flexmbs.model.joints.drivers": ("DistanceDriver", "RotationDriver", "TranslationDriver"),
    "flexmbs.model.joints.gears": ("Gear", "RackAndPinion", "Screw"),
    "flexmbs.model.joints.lower_pairs": (
        "Cylindrical", "Fixed", "ParallelAxes", "Planar", "Prismatic", "Revolute", "Spherical",
    ),
    "flexmbs.model.joints.point_contacts": ("PointOnLine", "PointOnPlane"),
    "flexmbs.model.joints.rolling": ("RollingBall", "RollingDisk"),
    "flexmbs.model.joints.sliding": ("Sliding",),
    "flexmbs.model.joints.universal": ("Universal",),
    "flexmbs.kinematics.inverse_dynamics": ("DriveForces", "inverse_dynamics",),
    "flexmbs.kinematics.solve": ("solve_kinematics",),
    "flexmbs.kinematics.trace": ("trace_kinematics",),
    "flexmbs.kinematics.paths": ("KinematicPath", "KinematicPaths", "SingularPosition",),
    "flexmbs.kinematics.inverse_kinematics": ("inverse_kinematics",),
    "flexmbs.results.pose": ("JointLimit", "Pose", "PoseTarget",),
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
    "flexmbs.model.model": ("Model",),
    "flexmbs.visualization.linear_paraview": ("write_vtu",),
    "flexmbs.visualization.motion_files": ("MotionFile",),
    "flexmbs.io.stress_stream": ("StressBlock", "stress_blocks", "write_stresses"),
    "flexmbs.reduction.methods.balanced": ("balanced_truncation",),
    "flexmbs.reduction.methods.characteristic_modes": ("characteristic_modes",),
    "flexmbs.reduction.export": ("Written", "export"),
    "flexmbs.reduction.methods.free_interface": ("macneal", "rubin"),
    "flexmbs.reduction.interfaces": ("Interface",),
    "flexmbs.reduction.methods.krylov": ("krylov",),
    "flexmbs.reduction.methods.modal_truncation": ("modal_truncation",),
    "flexmbs.reduction.model": ("ReducedModel",),
    "flexmbs.reduction.imports.mbdyn": ("read_mbdyn",),
    "flexmbs.reduction.imports.reduced": ("read_reduced",),
    "flexmbs.reduction.imports.sid": ("read_sid",),
    "flexmbs.reduction.reduce": ("reduce",),
    "flexmbs.reduction.report.report": ("ReductionReport",),
    "flexmbs.reduction.selection": ("EffectiveMass", "Lowest", "TransferFunction", "UpToFrequency"),
    "flexmbs.reduction.store": ("load_reduced",),
    "flexmbs.reduction.methods.unreduced": ("unreduced",),
    "flexmbs.analysis.consecutive": ("joined",),
    "flexmbs.results.modal": ("ModalSolution",),
    "flexmbs.results.static": ("StaticSolution",),
    "flexmbs.results.status": ("Status",),
    "flexmbs.results.time": ("Energy", "TimeSolution"),
    "flexmbs.segments.beam": ("segmented_beam", "segmented_cable"),
    "flexmbs.segments.chain": ("SegmentedBeam",),
    "flexmbs.segments.plate": ("SegmentedPlate", "segmented_plate"),
    "flexmbs.model.supports": ("Clamp", "Guide", "Hinge", "Pin", "Prescribe", "Roller", "Symmetry"),
    "flexmbs.system.system": ("System", "compile_model"),
    "flexmbs.visualization.viewing": ("view", "write_gltf"),
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
_ROOMS = {room: f"flexmbs.{room}" for room in ("elements", "meshes", "reduction", "trees", "verification")}
_ROOMS["motions"] = "flexmbs.model.motions"

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
    from flexmbs import elements, meshes, reduction, trees, verification
    from flexmbs.analysis.consecutive import joined
    from flexmbs.analysis.linear_model import LinearModel
    from flexmbs.analysis.linearise import linearise
    from flexmbs.analysis.modal import solve_modal
    from flexmbs.analysis.output import Output
    from flexmbs.analysis.report import ModelReport, inspect
    from flexmbs.analysis.simulate import simulate
    from flexmbs.analysis.static import solve_static
    from flexmbs.analysis.topology import Topology, topology
    from flexmbs.constraint_forces.elimination import Elimination, eliminate, low_fill_order
    from flexmbs.constraint_forces.joint_graph import JointGraph
    from flexmbs.constraint_forces.reduced_system import ConstraintForces, ReducedSystem
    from flexmbs.conversion.as_cartesian import as_cartesian
    from flexmbs.conversion.as_tree import as_tree
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
    from flexmbs.io.files import load
    from flexmbs.io.stress_stream import StressBlock, stress_blocks, write_stresses
    from flexmbs.kinematics.inverse_dynamics import DriveForces, inverse_dynamics
    from flexmbs.kinematics.inverse_kinematics import inverse_kinematics
    from flexmbs.kinematics.paths import KinematicPath, KinematicPaths, SingularPosition
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
    from flexmbs.model import motions
    from flexmbs.model.bodies import InitialVelocity, Marker, PlanarRigidBody, PointMass, RigidBody, Wireframe, ground
    from flexmbs.model.bodies.flexible import Attachment, FlexibleBody
    from flexmbs.model.bodies.floating import FloatingBody
    from flexmbs.model.bodies.linear import LinearBody
    from flexmbs.model.bodies.section_frame import SectionFrame
    from flexmbs.model.bodies.substructure import Substructure
    from flexmbs.model.bodies.substructured_beam import SubstructuredBeam
    from flexmbs.model.control.actuators import ForceActuator, JointActuator, LineActuator, MomentActuator, Signal
    from flexmbs.model.control.controller import Controller
    from flexmbs.model.control.events import Event
    from flexmbs.model.control.first_order import FirstOrder
    from flexmbs.model.control.function_sensors import FunctionSensor, NoisySensor
    from flexmbs.model.control.joint_sensors import JointSensor, MultiplierSensor
    from flexmbs.model.control.linear import Command, DiscreteStateSpace, FilteredController, StateFeedback
    from flexmbs.model.control.noise import BandNoise, WhiteNoise
    from flexmbs.model.control.pid import PID
    from flexmbs.model.control.sensors import (
        AccelerationSensor,
        AngularVelocitySensor,
        DistanceSensor,
        PositionSensor,
        VelocitySensor,
    )
    from flexmbs.model.control.value_sensors import CoordinateSensor, HeldSensor, StateSensor
    from flexmbs.model.forces import (
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
    from flexmbs.model.joints.average_edge import AverageEdge
    from flexmbs.model.joints.coordinate_joint import CoordinateJoint, CoordinateMarker
    from flexmbs.model.joints.distance import Distance
    from flexmbs.model.joints.drivers import DistanceDriver, RotationDriver, TranslationDriver
    from flexmbs.model.joints.edges import fasten_edge, hinge_edge
    from flexmbs.model.joints.gears import Gear, RackAndPinion, Screw
    from flexmbs.model.joints.lower_pairs import (
        Cylindrical,
        Fixed,
        ParallelAxes,
        Planar,
        Prismatic,
        Revolute,
        Spherical,
    )
    from flexmbs.model.joints.point_contacts import PointOnLine, PointOnPlane
    from flexmbs.model.joints.rolling import RollingBall, RollingDisk
    from flexmbs.model.joints.sliding import Sliding
    from flexmbs.model.joints.universal import Universal
    from flexmbs.model.model import Model
    from flexmbs.model.supports import Clamp, Guide, Hinge, Pin, Prescribe, Roller, Symmetry
    from flexmbs.reduction.export import Written, export
    from flexmbs.reduction.imports.mbdyn import read_mbdyn
    from flexmbs.reduction.imports.reduced import read_reduced
    from flexmbs.reduction.imports.sid import read_sid
    from flexmbs.reduction.interfaces import Interface
    from flexmbs.reduction.methods.balanced import balanced_truncation
    from flexmbs.reduction.methods.characteristic_modes import characteristic_modes
    from flexmbs.reduction.methods.free_interface import macneal, rubin
    from flexmbs.reduction.methods.krylov import krylov
    from flexmbs.reduction.methods.modal_truncation import modal_truncation
    from flexmbs.reduction.methods.unreduced import unreduced
    from flexmbs.reduction.model import ReducedModel
    from flexmbs.reduction.reduce import reduce
    from flexmbs.reduction.report.report import ReductionReport
    from flexmbs.reduction.selection import EffectiveMass, Lowest, TransferFunction, UpToFrequency
    from flexmbs.reduction.store import load_reduced
    from flexmbs.results.modal import ModalSolution
    from flexmbs.results.pose import JointLimit, Pose, PoseTarget
    from flexmbs.results.static import StaticSolution
    from flexmbs.results.static_options import StaticOptions
    from flexmbs.results.status import Status
    from flexmbs.results.time import Energy, TimeSolution
    from flexmbs.segments.beam import segmented_beam, segmented_cable
    from flexmbs.segments.chain import SegmentedBeam
    from flexmbs.segments.plate import SegmentedPlate, segmented_plate
    from flexmbs.system.system import System, compile_model
    from flexmbs.visualization.linear_paraview import write_vtu
    from flexmbs.visualization.motion_files import MotionFile
    from flexmbs.visualization.viewing import view, write_gltf


def __getattr__(name: str) -> Any:
    """Import a name on its first use."""
    if name in _WHERE:
        value = explained(getattr(import_module(_WHERE[name]), name))
    elif name in _ROOMS:
        value = import_module(_ROOMS[name])
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
