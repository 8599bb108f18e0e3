"""Names that changed: the older ones go on for one release, with a warning.

Paths are those below ``flexmbs``: ``"Modes"`` was ``flexmbs.Modes``, ``"elements.Cable"`` would be
``flexmbs.elements.Cable``. A name that only moved to another namespace stands here as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

__all__ = ["ARGUMENTS", "RENAMED", "present_arguments", "present_plain", "warn_of_arguments"]

RENAMED = {
    "Acceleration": "linear.Acceleration",
    "AccelerationSensor": "control.AccelerationSensor",
    "AngularVelocitySensor": "control.AngularVelocitySensor",
    "as_cartesian": "trees.to_absolute_coordinates",
    "as_tree": "trees.to_relative_coordinates",
    "AscherProjection": "integrators.AscherProjection",
    "AveragingLink": "linear.DistributingCoupling",
    "balanced_truncation": "reduction.balanced_truncation",
    "BandNoise": "control.BandNoise",
    "Baumgarte": "integrators.Baumgarte",
    "buckling_loads": "linear.buckling_loads",
    "BucklingLoads": "linear.BucklingLoads",
    "Centrifugal": "linear.Centrifugal",
    "characteristic_modes": "reduction.characteristic_modes",
    "Command": "control.Command",
    "ConstrainedModes": "ModalSolution",
    "ConstraintForces": "constraint_forces.ConstraintForces",
    "Controller": "control.Controller",
    "CoordinatePartitioning": "integrators.CoordinatePartitioning",
    "CoordinateSensor": "control.CoordinateSensor",
    "CorrectorOptions": "integrators.CorrectorOptions",
    "Cylindrical": "CylindricalJoint",
    "DiscreteStateSpace": "control.DiscreteStateSpace",
    "Distance": "DistanceConstraint",
    "DistanceSensor": "control.DistanceSensor",
    "DofMap": "linear.DofMap",
    "DriveForces": "kinematics.DriveForces",
    "EffectiveMass": "reduction.EffectiveMass",
    "elements.ContinuumBeam": "elements.ANCFBeamFullyParameterized",
    "elements.ContinuumPlate": "elements.ANCFPlateFullyParameterized",
    "elements.CornerPlate": "elements.CorotationalShell",
    "elements.DirectorBeam": "elements.ANCFBeam",
    "elements.ExactBeam": "elements.GeometricallyExactBeam",
    "elements.PlanarBeam": "elements.LinearBeam2D",
    "elements.PlanarCable": "elements.ANCFCable2D",
    "elements.Ply": "Ply",
    "elements.ShearShell": "elements.ANCFShell",
    "elements.SpatialBeam": "elements.LinearBeam3D",
    "elements.SpatialCable": "elements.ANCFCable3D",
    "elements.ThinPlate": "elements.ANCFThinPlate",
    "eliminate": "constraint_forces.eliminate",
    "Elimination": "constraint_forces.Elimination",
    "Equilibria": "StaticSolution",
    "Event": "control.Event",
    "export": "reduction.export",
    "FilteredController": "control.FilteredController",
    "FirstOrder": "control.FirstOrder",
    "Fixed": "FixedJoint",
    "ForceActuator": "control.ForceActuator",
    "frame_response": "linear.frame_response",
    "FrameOperators": "linear.FrameOperators",
    "FrameResponse": "linear.FrameResponse",
    "FrequencyResponse": "linear.FrequencyResponse",
    "FunctionSensor": "control.FunctionSensor",
    "geometric_stiffness": "linear.geometric_stiffness",
    "harmonic_response": "linear.harmonic_response",
    "HeldSensor": "control.HeldSensor",
    "inspect": "model_report",
    "Interface": "reduction.Interface",
    "inverse_dynamics": "kinematics.inverse_dynamics",
    "inverse_kinematics": "kinematics.inverse_kinematics",
    "joined": "concatenate",
    "JointActuator": "control.JointActuator",
    "JointFriction": "CoulombFriction",
    "JointGraph": "constraint_forces.JointGraph",
    "JointLimit": "kinematics.JointLimit",
    "JointSensor": "control.JointSensor",
    "KinematicPath": "kinematics.KinematicPath",
    "KinematicPaths": "kinematics.KinematicPaths",
    "krylov": "reduction.krylov",
    "LineActuator": "control.LineActuator",
    "LinearModes": "linear.LinearModes",
    "LinearSolution": "linear.LinearSolution",
    "load_reduced": "reduction.load_reduced",
    "low_fill_order": "constraint_forces.low_fill_order",
    "Lowest": "reduction.Lowest",
    "macneal": "reduction.macneal",
    "Mesh": "meshes.Mesh",
    "modal_truncation": "reduction.modal_truncation",
    "ModalDamping": "linear.ModalDamping",
    "Modes": "ModalSolution",
    "MomentActuator": "control.MomentActuator",
    "MotionFile": "visualization.MotionFile",
    "moving_frame": "linear.moving_frame",
    "MovingFrame": "linear.MovingFrame",
    "MultiplierSensor": "control.MultiplierSensor",
    "NodalForce": "linear.NodalForce",
    "NodalMass": "linear.NodalMass",
    "NodalSpring": "linear.NodalSpring",
    "NoisySensor": "control.NoisySensor",
    "NullSpace": "integrators.NullSpace",
    "Operators": "linear.Operators",
    "ParallelAxes": "ParallelAxesConstraint",
    "Part": "linear.Part",
    "part_from_inp": "linear.part_from_inp",
    "PID": "control.PID",
    "Planar": "PlanarJoint",
    "PointOnLine": "PointOnLineConstraint",
    "PointOnPlane": "PointOnPlaneConstraint",
    "Pose": "kinematics.Pose",
    "PoseTarget": "kinematics.PoseTarget",
    "PositionSensor": "control.PositionSensor",
    "prestressed": "linear.prestressed",
    "Prismatic": "PrismaticJoint",
    "ProportionalDamping": "linear.ProportionalDamping",
    "read_mbdyn": "reduction.read_mbdyn",
    "read_mesh": "meshes.read_mesh",
    "read_operators": "linear.read_operators",
    "read_reduced": "reduction.read_reduced",
    "read_sid": "reduction.read_sid",
    "reduce": "reduction.reduce",
    "ReducedModel": "reduction.ReducedModel",
    "ReducedSystem": "constraint_forces.ReducedSystem",
    "ReductionReport": "reduction.ReductionReport",
    "Region": "linear.Region",
    "Revolute": "RevoluteJoint",
    "RigidLink": "linear.RigidCoupling",
    "rubin": "reduction.rubin",
    "scalar_mass": "linear.scalar_mass",
    "Screw": "ScrewJoint",
    "segmented_beam": "segments.segmented_beam",
    "segmented_cable": "segments.segmented_cable",
    "segmented_plate": "segments.segmented_plate",
    "SegmentedBeam": "segments.SegmentedBeam",
    "SegmentedPlate": "segments.SegmentedPlate",
    "Sheet": "ShellSection",
    "SheetStiffness": "ShellStiffness",
    "Signal": "control.Signal",
    "SingularPosition": "kinematics.SingularPosition",
    "Sliding": "SlidingJoint",
    "Solution": "StaticSolution",
    "solve_kinematics": "kinematics.solve_kinematics",
    "Spherical": "SphericalJoint",
    "StandardProjection": "integrators.StandardProjection",
    "StateFeedback": "control.StateFeedback",
    "StateSensor": "control.StateSensor",
    "static_response": "linear.static_response",
    "StickSlip": "BristleFriction",
    "Stop": "JointStop",
    "stress_blocks": "io.stress_blocks",
    "StressBlock": "io.StressBlock",
    "StructuralDamping": "linear.StructuralDamping",
    "SuccessiveProjection": "integrators.SuccessiveProjection",
    "SurfaceLoad": "linear.SurfaceLoad",
    "ThermalLoad": "linear.ThermalLoad",
    "TimeStatus": "Status",
    "trace_kinematics": "kinematics.trace_kinematics",
    "TransferFunction": "reduction.TransferFunction",
    "Universal": "UniversalJoint",
    "unreduced": "reduction.full_basis",
    "UpToFrequency": "reduction.UpToFrequency",
    "VelocitySensor": "control.VelocitySensor",
    "vibration_modes": "linear.vibration_modes",
    "WhirlModes": "linear.WhirlModes",
    "WhiteNoise": "control.WhiteNoise",
    "write_operators_matrix_market": "linear.write_operators_matrix_market",
    "write_operators_npz": "linear.write_operators_npz",
    "write_stresses": "io.write_stresses",
    "write_vtu": "visualization.write_vtu",
    "Written": "reduction.ExportResult",
}

ARGUMENTS = {
    "BeamStiffness": {"viscosity": "retardation_time"},
    "Bushing": {"rest": "free_coordinates"},
    "CoordinatePartitioning": {"most": "max_iterations"},
    "CorrectorOptions": {"most": "max_iterations"},
    "EffectiveMass": {"most": "max_modes"},
    "Elastic": {"viscosity": "retardation_time"},
    "EnergyMomentum": {"most": "max_iterations"},
    "ErrorControl": {
        "first_step": "initial_step",
        "largest_step": "max_step",
        "most_steps": "max_steps",
        "smallest_step": "min_step",
    },
    "FixedStep": {"most_halvings": "max_halvings", "most_steps": "max_steps"},
    "FloatingBody": {"stiffening": "geometric_stiffening"},
    "GeneralizedAlpha": {"rho": "rho_inf"},
    "NewtonOptions": {"most": "max_iterations", "refresh": "jacobian_update"},
    "NullSpace": {"most": "max_iterations"},
    "Orthotropic": {"viscosity": "retardation_time"},
    "RadauIIA": {"most": "max_iterations"},
    "SectionStiffness": {"viscosity": "retardation_time"},
    "ShellStiffness": {"viscosity": "retardation_time"},
    "RigidBody.tube": {"inner": "inner_radius", "outer": "outer_radius"},
    "SpringDamper": {"length": "free_length"},
    "StandardProjection": {"most": "max_iterations"},
    "StaticOptions": {"first_step": "initial_step", "most_steps": "max_steps", "smallest_step": "min_step"},
    "Substructure": {"retardation": "retardation_time", "stiffening": "geometric_stiffening"},
    "SubstructuredBeam": {"retardation": "retardation_time", "stiffening": "geometric_stiffening"},
    "TorsionSpring": {"rest": "free_angle"},
    "TransferFunction": {"most": "max_modes"},
    "UpToFrequency": {"most": "max_modes"},
    "annular_sector": {"inner": "inner_radius", "outer": "outer_radius"},
    "inverse_kinematics": {"most_iterations": "max_iterations", "tries": "n_starts"},
    "reduce": {"stiffening": "geometric_stiffening"},
    "ring": {"inner": "inner_radius", "outer": "outer_radius"},
    "segmented_cable": {"viscosity": "retardation_time"},
    "simulate": {"keep": "keep_initial"},
    "solve_kinematics": {"keep": "keep_initial"},
    "trace_kinematics": {"keep": "keep_initial", "most_steps": "max_steps"},
}
"""Names of arguments, by the function or class that takes them."""

VALUES = {("NewtonOptions", "jacobian_update", "demand"): "on_demand"}
"""Values of arguments."""


def warn_of_arguments(owner: str, options: Mapping[str, object], stacklevel: int = 3) -> None:
    """Warn of names of arguments that are kept for one release."""
    known = ARGUMENTS.get(owner, {})
    changes = ", ".join(f"{name} is now {known[name]}" for name in options if name in known)
    warnings.warn(f"{owner}: {changes}; the older names will go.", DeprecationWarning, stacklevel)


def present_arguments(owner: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their present names."""
    renamed = ARGUMENTS.get(owner, {})
    found = {renamed.get(name, name): value for name, value in options.items()}
    for (taker, name, old), new in VALUES.items():
        if taker == owner and found.get(name) == old:
            found[name] = new
    return found


def present_plain(plain: Any) -> Any:
    """Plain data of descriptions, as files hold it, by present names."""
    if isinstance(plain, list):
        return [present_plain(part) for part in plain]
    if not isinstance(plain, dict):
        return plain
    found = {name: present_plain(part) for name, part in plain.items()}
    name = found.get("class")
    if not isinstance(name, str):
        return found
    present = RENAMED.get(name) or RENAMED.get(f"elements.{name}")
    if present:
        found["class"] = present.rpartition(".")[2]
    return present_arguments(found["class"], found)
