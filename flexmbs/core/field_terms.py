"""What the field and other programs call what has another name here: for hints where a name is unknown."""

from __future__ import annotations

__all__ = ["field_term", "meant", "plain"]

NAMES = {
    "SpringDamper": "Spring LinearSpring Damper Dashpot SpringDamperActuator TSDA LinSpring SpringDashpot "
    "ForceElement Strut ShockAbsorber Shock ConnectorSpringDamper SpringDamperForce AXIAL CONN2D2 Tire Tyre",
    "TorsionSpring": "RotationalSpring RSDA RotSpring TorsionalSpring RotationSpring TorsionSpringDamper TorsionBar "
    "RotationalSpringDamper TorsionalSpringDamper RotSpringDamper",
    "Bushing": "BUSHING Bush Beam6x6 Field SixDofSpring CBUSH GeneralisedSpring GeneralizedSpring Kelvin "
    "RigidBodySpringDamper ConnectorBushing",
    "studies.Study": "ParameterVariation ParameterStudy ParametricStudy Sweep ParameterSweep DesignOfExperiments DOE",
    "studies.Evaluations": "GeneticOptimization GeneticOptimisation Minimize Optimization Optimisation Optimizer "
    "Optimiser AskTell Objective",
    "studies.sobol_indices": "Sensitivity Sensitivities SensitivityAnalysis ComputeSensitivities",
    "studies.LatinHypercube": "MonteCarlo RandomSamples LHS",
    "studies.Grid": "FullFactorial Factorial",
    "studies.Between": "Uniform Interval",
    "studies.Choices": "Categorical Discrete",
    "linear.RigidCoupling": "RBE2 RBAR KinematicCoupling MPC RigidConnection",
    "linear.DistributingCoupling": "RBE3 DistributingCoupling InterpolationElement",
    "linear.NodalMass": "CONM2 MassElement LumpedMass Mass PointMass",
    "linear.NodalSpring": "CELAS CELAS2 SpringElement Spring SPRING1 SPRINGA",
    "linear.NodalForce": "Force PointForce Load CLOAD",
    "linear.SurfaceLoad": "Pressure PressureLoad Traction SurfaceTraction DSLOAD DLOAD PLOAD4",
    "linear.Acceleration": "Gravity Weight BodyForce GRAV InertiaLoad",
    "linear.Centrifugal": "RFORCE CENTRIF CentrifugalForce",
    "linear.ThermalLoad": "Temperature TemperatureLoad",
    "linear.ProportionalDamping": "RayleighDamping Rayleigh",
    "linear.static_response": "static statics solve_static static_analysis linear_static",
    "linear.vibration_modes": "modes modal modal_analysis solve_modal eigenmodes natural_frequencies eigenfrequencies",
    "SphericalJoint": "Spherical Ball BallJoint BallAndSocket BallSocket Kugelgelenk JOIN CONN3D2",
    "RevoluteJoint": "HingeJoint PinJoint Rotational RotationalJoint Drehgelenk HINGE RevoluteJoint2D RevoluteJointZ "
    "GenericRevolute",
    "PrismaticJoint": "Slider SliderJoint TranslationalJoint Translational Slide Schubgelenk TRANSLATOR "
    "PrismaticJointX PrismaticJoint2D SLOT",
    "UniversalJoint": "Cardan CardanJoint HookesJoint Hooke UJoint",
    "PlanarJoint": "Plane",
    "ScrewJoint": "Helical",
    "FixedJoint": "Weld WeldJoint RigidJoint Lock GenericJoint GenericJoint WELD FixedRevoluteJoint TIE Tie",
    "PointOnPlaneConstraint": "InPlane Inplane",
    "PointOnLineConstraint": "InLine Inline PointOnLineJoint",
    "ParallelAxesConstraint": "Parallel ParallelAxis",
    "DistanceConstraint": "DistanceJoint Rod MasslessRod MasslessLink LinkJoint",
    "Gear": "GearJoint Gears GearPair Coupler",
    "RackAndPinion": "Rack Pinion",
    "RollingDisk": "RollingDisc Wheel RollingWheel Tire Tyre RollingDiscPenalty ObjectConnectorRollingDiscPenalty",
    "RotationDriver": "Motor RevoluteMotor RotationalMotor AngularDriver Rotor CoordinateConstraint MOTION "
    "RotationalMotion JointMotion",
    "TranslationDriver": "LinearMotor LinearDriver TranslationalMotor",
    "JointStop": "Contact BumpStop Bumper Impact Bistop LimitStop Backlash Clearance ContactCoordinate "
    "ObjectContactCoordinate UnilateralConstraint OneSidedSpring",
    "Latch": "OneWayLock Ratchet Detent LatchJoint LatchingJoint Lockup DeploymentLatch",
    "kinematics.JointLimit": "Limit Limits JointStop EndStop",
    "CoulombFriction": "Friction DryFriction Brake Clutch JointFriction",
    "BristleFriction": "Coulomb LuGre Brake Clutch",
    "Contact": "Collision CollisionShape CollisionModel GeneralContact ContactSphereSphere ObjectContactSphereSphere "
    "SphereContact SphereSphereContact ContactPair CollisionPair ContactBody",
    "PointForce": "Force ConcentratedForce NodeForce Load SFORCE CLOAD Cload ForceVector VFORCE",
    "Moment": "Torque Couple VTORQUE STORQUE TorqueVector",
    "DistributedLoad": "LineLoad BeamLoad",
    "Gravity": "Gravitation GravityLoad Weight MassProportional GRAV ACCGRAV",
    "UserForce": "CustomForce GeneralForce GFORCE ForceFunction GenericForce UserFunction",
    "FlexibleBody": "Rope Wire Beam Cable Shell Plate FlexBody ANCF FlexibleMultibody ALEANCFCable "
    "FE_PART FLEX_BODY FlexPart",
    "FloatingBody": "FFRF FloatingFrame ModalBody CraigBamptonBody SuperElement ObjectFFRF ObjectFFRFreducedOrder "
    "FFRFreducedOrder MNF FloatingFrameBody ReducedBody",
    "RigidBody": "Body Rigid BodyRigid",
    "PlanarRigidBody": "RigidBody2D Body2D",
    "PointMass": "Mass Particle MassPoint MassPoint2D MASS Mass3D ObjectMassPoint",
    "ground": "Ground World world fixed_body",
    "Marker": "Frame MarkerFrame Connector ReferenceFrame MarkerBodyRigid MarkerBodyPosition MarkerNodeRigid MARKER",
    "Clamp": "FixedSupport Encastre Clamped BuiltIn ENCASTRE Support FixedSupports BC",
    "Roller": "RollerSupport SimpleSupport",
    "Pin": "PinSupport Pinned",
    "Model": "System MainSystem Assembly MultibodySystem MBS World",
    "simulate": "solve_dynamic solve_dynamics SolveDynamic dynamic integrate run time_integration transient "
    "SolveDynamicSimulation dynamic_analysis time_domain TimeIntegration",
    "solve_static": "SolveStatic static solve_statics equilibrium StaticSolver static_analysis StaticStep load_step",
    "solve_preloads": "trim static_trim preload ride_height set_up SetUp",
    "solve_modal": "campbell campbell_diagram critical_speeds whirl_speeds eigenmodes eigenfrequencies modal modes "
    "ComputeODE2Eigenvalues natural_frequencies "
    "modal_analysis eigs eig eigenvalues frequency_analysis Frequency eigenvalue_analysis complex_modes",
    "linearise": "linearize state_space bode nyquist frf transfer_function root_locus",
    "linear.buckling_loads": "buckling linear_buckling",
    "GeneralizedAlpha": "GeneralisedAlpha HHT Newmark NewmarkBeta ImplicitTrapezoidal gen_alpha",
    "BDF": "GSTIFF WSTIFF DASSL IDA DASPK",
    "RadauIIA": "Radau Radau5 RADAU",
    "RungeKutta": "RK4 RK45 RK Dopri DormandPrince ExplicitEuler",
    "Elastic": "Isotropic Material IsotropicMaterial LinearElastic",
    "Rectangle": "RectangularSection RectangleSection Box",
    "Circle": "CircularSection CircleSection Round",
    "Pipe": "Tube HollowCircle",
    "Table": "Curve TimeSeries LookupTable",
    "control.PID": "PIDController PI PIController PD PDController",
    "control.FirstOrder": "DCMotor Integrator ContinuousController ElectricMotor",
    "control.filters": "Filter LowPass LowPassFilter MovingAverage Delay DelayLine Lead LeadLag Notch",
    "control.MultiplierSensor": "ForceSensor TorqueSensor ReactionSensor",
    "control.transfer_function": "TransferFunction tf",
    "control.StateFeedback": "LQR LQRController LinearQuadraticRegulator",
    "control.LineActuator": "HydraulicCylinder Hydraulic HydraulicActuator LinearActuator Winch",
    "contact.Cylinder": "Clearance ClearanceJoint RevoluteClearance JournalBearing PinInHole Pulley Drum Bore",
    "contact.Plane": "HalfSpace Floor Ground GroundPlane Wall",
    "contact.Sphere": "Ball Disk Disc Circle",
    "contact.Vertex": "Point Corner",
    "contact.TriangleMesh": "Mesh ConvexHull ConvexMesh Hull Polyhedron STL CollisionMesh",
    "contact.HeightField": "Terrain HField Heightmap Road Seabed",
    "contact.Tube": "Rope Belt Cable Beam Line",
    "contact.Skin": "Shell Plate Surface",
    "contact.HuntCrossleyLaw": "LinearLaw KelvinVoigt LankaraniNikravesh Flores SpringDashpot Penalty RestitutionLaw",
    "contact.ImpactLaw": "IMPACT",
    "contact.CoulombLaw": "Coulomb CoulombFriction Friction Regularised",
    "contact.BristleLaw": "LuGre BristleFriction StickSlip Dahl ElastoPlastic",
    "reduction.Interface": "InterfaceNodes BoundaryNodes",
    "reduction.reduce": "craig_bampton CraigBampton guyan Guyan substructuring model_reduction",
    "reduction.rubin": "Rubin",
    "reduction.export": "to_fmu write_fmu FMU export_fmu",
    "reduction.load_reduced": "read_h5",
    "load": "open_result load_result read_result",
    "concatenate": "join",
    "model_report": "check report check_model",
    "trees.to_relative_coordinates": "to_tree relative_coordinates minimal_coordinates reduced_coordinates",
    "trees.read_urdf": "read_urdf URDF load_urdf from_urdf",
    "trees.Tree": "Tree KinematicTree Chain",
    "trees.Link": "Link RobotLink Body RigidLink",
    "trees.FlexibleLink": "FlexibleLink",
    "trees.dh_tree": "DenavitHartenberg dh_tree DH",
    "trees.Helical": "HelicalJoint",
    "elements.ANCFCable2D": "ANCFCable2D Cable2D",
    "elements.ANCFCable3D": "ANCFCable3D Cable3D Rope Wire",
    "elements.GeometricallyExactBeam": "GeometricallyExactBeam Beam3D SimoReissner",
    "elements.ANCFShell": "ANCFShell",
    "elements.ShellQuad": "ShellQuad MITC4 S4 S4R CQUAD4",
    "meshes.box": "box block brick",
    "meshes.write_mesh": "write_mesh save_mesh",
    "meshes.line": "line_mesh",
    "meshes.rectangle": "rectangle plate_mesh",
    "motions.Sine": "Sine Harmonic Sinus Sin Cosine SHF",
    "motions.Ramp": "Ramp Step SmoothStep STEP STEP5 HAVSIN SmoothRamp",
    "motions.Trapezoid": "Trapezoid Trapezoidal TrapezoidalProfile TrapezoidalVelocity LSPB",
    "motions.Linear": "Linear ConstantVelocity",
    "motions.Spline": "Spline CubicSpline AKISPL Interpolated Akima",
    "CylindricalJoint": "CYLINDRICAL",
    "Pressure": "DLOAD Dload SurfacePressure",
    "Prescribe": "Boundary BOUNDARY DirichletBC DisplacementBC PrescribedDisplacement SPC",
    "Symmetry": "XSYMM YSYMM SymmetryBC",
    "kinematics.solve_kinematics": "kinematic_analysis",
    "kinematics.inverse_kinematics": "ik InverseKinematicsNumerical",
    "linear.harmonic_response": "frequency_response frf frequency_sweep steady_state_dynamics harmonic_analysis",
    "NewtonOptions": "Newton NewtonSettings SimulationSettings newton_raphson",
    "StaticOptions": "LoadSteps StaticSettings",
    "Output": "OutputRequest SolutionSettings History",
    "ErrorControl": "AdaptiveStep adaptive_step",
    "control.PositionSensor": "SensorMarker SensorBody SensorNode Sensor SENSOR",
    "control.JointSensor": "Encoder AngleSensor",
    "control.Controller": "ControlLaw Relay Saturation RateLimiter Observer Kalman KalmanFilter Switch "
    "ModelPredictiveController",
    "trees.Revolute": "RevoluteJoint HingeJoint JointRevolute RevoluteZ",
    "trees.Prismatic": "PrismaticJoint SliderJoint JointPrismatic PrismaticX",
    "trees.Fixed": "FixedJoint WeldJoint",
    "trees.Free": "FreeJoint FloatingJoint Floating SixDof",
    "trees.Spherical": "SphericalJoint BallJoint",
    "trees.Universal": "UniversalJoint CardanJoint",
    "trees.Cylindrical": "CylindricalJoint",
    "trees.Planar": "PlanarJoint",
    "trees.DHRow": "DHLink DHParameters DHParameter StdDHLink",
    "elements.ANCFBeam": "ANCFBeam3D BeamANCF",
    "elements.LinearBeam3D": "Timoshenko EulerBernoulli B31 BeamGeometricallyLinear",
    "elements.Hexahedron8": "CHEXA C3D8 C3D8R C3D8I Hex8 HEX8 Brick8",
    "elements.Hexahedron20": "C3D20 C3D20R Hex20",
    "elements.Tetra4": "C3D4 Tet4",
    "elements.Tetra10": "CTETRA C3D10 Tet10",
    "elements.ShellTriangle": "S3 CTRIA3",
    "elements.Truss": "T3D2 CROD",
    "elements.Frame": "CBEAM CBAR",
    "reduction.read_reduced": "read_mnf import_reduced ReadFEMmodel",
    "linear.read_operators": "read_matrices read_op4 LoadFEMmatrices",
    "linear.part_from_inp": "read_inp from_inp ImportMeshFromAbaqus load_inp",
    "meshes.read_mesh": "import_mesh load_mesh mesh_from_file",
    "visualization.write_vtu": "write_vtk to_vtk export_vtk",
    "view": "SolutionViewer visualize show Renderer plot3d viewer StartRenderer",
    "motions.Function": "UserMotion Expression Chirp Sweep SineSweep",
    "ForceCurve": "Characteristic SpringCurve NonlinearSpring",
    "StaticSolution": "StaticResult",
    "TimeSolution": "TimeResult DynamicResult",
    "Units": "UnitSystem",
}  # fmt: skip
"""Names here, below ``flexmbs``, and terms that may be meant by them."""


VALUES = {
    "integrator": {
        "GeneralizedAlpha()": "generalized_alpha generalised_alpha gen_alpha chung_hulbert",
        "GeneralizedAlpha.newmark()": "newmark implicit_trapezoidal trapezoidal average_acceleration",
        "GeneralizedAlpha.hht()": "hht hht_alpha",
        "RungeKutta()": "rk rk4 rk45 dopri dopri5 runge_kutta explicit explicit_euler euler",
        "RadauIIA()": "radau radau5 radau_iia",
        "BDF()": "bdf gear gstiff wstiff dassl ida stiff",
    },
    "kind": {"'rigid'": "rbe2 kinematic kinematic_coupling mpc", "'averaged'": "rbe3 distributing average",
             "'nodes'": "free nodal flexible all"},
    "convention": {"'modified'": "craig khalil khalil_kleinfinger mdh proximal",
    "'standard'": "dh sdh classic paul distal"},
    "joint": {"'revolute'": "r rotational hinge rot", "'prismatic'": "p t translational slider linear",
              "'fixed'": "f weld none", "'spherical'": "s ball"},
    "method": {"no method, which is Craig-Bampton": "craig_bampton cb fixed_interface hurty",
               "modes=0 without a method": "guyan static static_condensation condensation",
               "method=lambda a: flexmbs.reduction.rubin(a.operators.K, a.operators.M, a.boundary, 20)":
               "rubin free_interface attachment_modes craig_chang",
               "method=lambda a: flexmbs.reduction.macneal(a.operators.K, a.operators.M, a.boundary, 20).basis":
               "macneal",
               "method=lambda a: flexmbs.reduction.krylov(a.operators.K, a.operators.M, a.boundary)":
               "krylov moment_matching",
               "method=lambda a: flexmbs.reduction.modal_truncation(a.operators.K, a.operators.M, 20)":
               "modal modes modal_truncation",
               "method=flexmbs.reduction.full_basis": "full none all full_basis"},
    "format": {"not written, since it is closed ('sid', 'op4', 'dmig' and 'fmu2' are),": "mnf adams fbi",
               "not written ('dmig' and 'op4' hold the matrices)": "ansys", "not written ('op4' and 'dmig' are)": "op2",
               "not written, since its links are rigid,": "urdf", "'dmig'": "pch bdf punch",
               "'mtx'": "matrixmarket matrix_market mm mmio", "'fmu2' or 'fmu3'": "fmu fmi"},
    "fixed": {"'all'": "encastre clamp clamped fixed built_in 123456",
              "('ux', 'uy', 'uz')": "123 xyz translations pinned",
              "'ux'": "ux x u1 1 t1", "'uy'": "uy y u2 2 t2", "'uz'": "uz z u3 3 t3",
              "'rx'": "rx ur1 4 r1", "'ry'": "ry ur2 5 r2", "'rz'": "rz ur3 6 r3"},
    "reference": {"'mean'": "tisserand buckens mean_axes free",
                  "the name of an interface": "tangent fixed clamped nodal",
                  "a pair of interfaces": "chord pinned secant"},
    "axis": {"(1, 0, 0)": "x +x", "(0, 1, 0)": "y +y", "(0, 0, 1)": "z +z", "(-1, 0, 0)": "-x", "(0, -1, 0)": "-y",
             "(0, 0, -1)": "-z"},
    "units": {"flexmbs.SI": "si m mks", "flexmbs.Units(length='mm', mass='t', time='s', force='N')": "mm mmns mpa"},
    "material": {"flexmbs.steel": "steel s235 s355", "flexmbs.aluminium": "aluminium aluminum al"},
}  # fmt: skip
"""Values of arguments, by the argument: what is given here, and words for it."""


def meant(argument: str, value: object) -> str:
    """What a word given as the value of an argument is here; nothing if it is unknown.

    Examples
    --------
    >>> meant("integrator", "HHT"), meant("kind", "nothing")
    (" 'HHT' is GeneralizedAlpha.hht() here.", '')
    """
    if not isinstance(value, str):
        return ""
    wanted = plain(value).replace("-", "")
    for here, words in VALUES.get(argument, {}).items():
        if value.lower() in words.split() or wanted in {plain(word) for word in words.split()}:
            return f" {value!r} is {here} here."
    return ""


def field_term(name: str) -> tuple[str, ...]:
    """What a term is called here, by its path below ``flexmbs``; capitals and a final ``Joint`` do not matter.

    Examples
    --------
    >>> field_term("RBE2"), field_term("ball_joint"), field_term("nothing")
    (('linear.RigidCoupling',), ('SphericalJoint', 'trees.Spherical'), ())
    """
    wanted = plain(name)
    return tuple(here for here, terms in NAMES.items() if wanted in {plain(term) for term in terms.split()})


def plain(name: str) -> str:
    """A name without what spellings differ in."""
    return name.replace("_", "").lower()
