"""What the field and other programs call what has another name here: for hints where a name is unknown."""

from __future__ import annotations

__all__ = ["field_term"]

NAMES = {
    "SpringDamper": "Spring LinearSpring Damper Dashpot SpringDamperActuator TSDA LinSpring SpringDashpot "
    "ForceElement Strut ShockAbsorber Shock",
    "TorsionSpring": "RotationalSpring RSDA RotSpring TorsionalSpring RotationSpring TorsionSpringDamper TorsionBar "
    "RotationalSpringDamper",
    "Bushing": "BUSHING Bush Beam6x6 Field SixDofSpring CBUSH GeneralisedSpring GeneralizedSpring Kelvin",
    "linear.RigidCoupling": "RBE2 RBAR KinematicCoupling MPC RigidConnection",
    "linear.DistributingCoupling": "RBE3 DistributingCoupling InterpolationElement",
    "linear.NodalMass": "CONM2 MassElement LumpedMass",
    "linear.NodalSpring": "CELAS CELAS2 SpringElement",
    "SphericalJoint": "Spherical Ball BallJoint BallAndSocket BallSocket Kugelgelenk",
    "RevoluteJoint": "HingeJoint PinJoint Rotational RotationalJoint Drehgelenk",
    "PrismaticJoint": "Slider SliderJoint TranslationalJoint Translational Slide Schubgelenk",
    "UniversalJoint": "Cardan CardanJoint HookesJoint Hooke UJoint",
    "PlanarJoint": "Plane",
    "ScrewJoint": "Helical",
    "FixedJoint": "Weld WeldJoint RigidJoint Lock GenericJoint",
    "PointOnPlaneConstraint": "InPlane Inplane",
    "PointOnLineConstraint": "InLine Inline PointOnLineJoint",
    "ParallelAxesConstraint": "Parallel ParallelAxis",
    "DistanceConstraint": "DistanceJoint Rod MasslessRod MasslessLink LinkJoint",
    "Gear": "GearJoint Gears GearPair Coupler",
    "RackAndPinion": "Rack Pinion",
    "RollingDisk": "RollingDisc Wheel RollingWheel",
    "RotationDriver": "Motor RevoluteMotor RotationalMotor AngularDriver Rotor",
    "TranslationDriver": "LinearMotor LinearDriver TranslationalMotor",
    "JointStop": "Contact BumpStop Bumper Impact Bistop LimitStop",
    "kinematics.JointLimit": "Limit Limits JointStop EndStop",
    "CoulombFriction": "Friction DryFriction",
    "BristleFriction": "Coulomb LuGre",
    "PointForce": "Force ConcentratedForce NodeForce Load",
    "Moment": "Torque Couple",
    "DistributedLoad": "LineLoad BeamLoad",
    "Gravity": "Gravitation GravityLoad Weight",
    "UserForce": "CustomForce GeneralForce GFORCE ForceFunction",
    "FlexibleBody": "Beam Cable Shell Plate FlexBody ANCF",
    "FloatingBody": "FFRF FloatingFrame ModalBody CraigBamptonBody SuperElement",
    "RigidBody": "Body Rigid BodyRigid",
    "PlanarRigidBody": "RigidBody2D Body2D",
    "PointMass": "Mass Particle MassPoint",
    "ground": "Ground World world fixed_body",
    "Marker": "Frame MarkerFrame Connector ReferenceFrame",
    "Clamp": "FixedSupport Encastre Clamped BuiltIn",
    "Roller": "RollerSupport SimpleSupport",
    "Pin": "PinSupport Pinned",
    "Model": "System MainSystem Assembly MultibodySystem MBS World",
    "simulate": "solve_dynamic solve_dynamics SolveDynamic dynamic integrate run time_integration transient",
    "solve_static": "SolveStatic static solve_statics equilibrium",
    "solve_modal": "eigenmodes eigenfrequencies modal modes ComputeODE2Eigenvalues natural_frequencies",
    "linearise": "linearize state_space",
    "linear.buckling_loads": "buckling linear_buckling",
    "GeneralizedAlpha": "GeneralisedAlpha HHT Newmark NewmarkBeta ImplicitTrapezoidal gen_alpha",
    "RadauIIA": "Radau Radau5 RADAU",
    "RungeKutta": "RK4 RK45 RK Dopri DormandPrince ExplicitEuler",
    "Elastic": "Isotropic Material IsotropicMaterial LinearElastic",
    "Rectangle": "RectangularSection RectangleSection Box",
    "Circle": "CircularSection CircleSection Round",
    "Pipe": "Tube HollowCircle",
    "Table": "Curve TimeSeries LookupTable",
    "control.PID": "PIDController",
    "reduction.Interface": "InterfaceNodes BoundaryNodes",
    "reduction.reduce": "craig_bampton CraigBampton guyan Guyan substructuring model_reduction",
    "reduction.rubin": "Rubin",
    "reduction.export": "to_fmu write_fmu FMU export_fmu",
    "reduction.load_reduced": "read_h5",
    "load": "open_result load_result read_result",
    "concatenate": "join",
    "model_report": "check report check_model",
    "trees.to_relative_coordinates": "to_tree relative_coordinates",
    "trees.read_urdf": "read_urdf URDF load_urdf from_urdf",
    "trees.Tree": "Tree KinematicTree Chain",
    "trees.Link": "Link",
    "trees.FlexibleLink": "FlexibleLink",
    "trees.dh_tree": "DenavitHartenberg dh_tree DH",
    "trees.Helical": "HelicalJoint",
    "elements.ANCFCable2D": "ANCFCable2D Cable2D",
    "elements.ANCFCable3D": "ANCFCable3D Cable3D",
    "elements.GeometricallyExactBeam": "GeometricallyExactBeam Beam3D SimoReissner",
    "elements.ANCFShell": "ANCFShell",
    "elements.ShellQuad": "ShellQuad MITC4 S4",
    "meshes.box": "box block brick",
    "meshes.write_mesh": "write_mesh save_mesh",
    "meshes.line": "line_mesh",
    "meshes.rectangle": "rectangle plate_mesh",
    "motions.Sine": "Sine Harmonic Sinus",
    "motions.Ramp": "Ramp Step SmoothStep",
    "motions.Linear": "Linear ConstantVelocity",
    "motions.Spline": "Spline CubicSpline",
}  # fmt: skip
"""Names here, below ``flexmbs``, and terms that may be meant by them."""


def field_term(name: str) -> tuple[str, ...]:
    """What a term is called here, by its path below ``flexmbs``; capitals and a final ``Joint`` do not matter.

    Examples
    --------
    >>> field_term("RBE2"), field_term("ball_joint"), field_term("nothing")
    (('linear.RigidCoupling',), ('SphericalJoint',), ())
    """
    wanted = _plain(name)
    return tuple(here for here, terms in NAMES.items() if wanted in {_plain(term) for term in terms.split()})


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
