"""What users of Exudyn, Adams and Abaqus write first, and what they are told: attributes, arguments and values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import flexmbs as fx
from flexmbs.core.attributes import ATTRIBUTES
from flexmbs.core.errors import a_or_an
from flexmbs.core.field_terms import VALUES, meant

BAR = fx.PlanarRigidBody(1.0, 1.0, name="bar")
HINGE = fx.RevoluteJoint(fx.ground, BAR, at=(0, 0), name="hinge")
MODEL = fx.Model(BAR, HINGE, fx.Gravity((0, -9.81)))
LINE: dict[str, Any] = {
    "elements": 2, "element": fx.elements.ANCFCable2D(), "section": fx.Circle(diameter=0.1), "material": fx.steel
}  # fmt: skip
BEAM = fx.FlexibleBody.line((0, 0), (1, 0), **LINE)
LUG = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
PART = fx.linear.Part(LUG, material=fx.steel)
SMALL = fx.reduction.reduce(PART, ["ROOT"], 0, progress=False)
BALL = fx.RigidBody.sphere(radius=1.0, mass=1.0, name="ball")
LINK = fx.trees.Link("link", 1.0, (1.0, 1.0, 1.0), joint=fx.trees.Revolute())
TREE = fx.trees.TreeDynamics(fx.trees.Tree(LINK))

NAMES = {
    "linear.Gravity": "Acceleration",
    "linear.Pressure": "SurfaceLoad",
    "linear.Force": "NodalForce",
    "linear.Spring": "NodalSpring",
    "linear.RayleighDamping": "ProportionalDamping",
    "linear.modal_analysis": "vibration_modes",
    "elements.CQUAD4": "ShellQuad",
    # Exudyn
    "ObjectFFRFreducedOrder": "FloatingBody",
    "ALEANCFCable": "FlexibleBody",
    "MarkerBodyRigid": "Marker",
    "GenericJoint": "FixedJoint",
    "RigidBodySpringDamper": "Bushing",
    "TorsionalSpringDamper": "TorsionSpring",
    "CoordinateConstraint": "RotationDriver",
    "MassProportional": "Gravity",
    "SolveDynamic": "simulate",
    "SolveStatic": "solve_static",
    "ComputeODE2Eigenvalues": "solve_modal",
    "InverseKinematicsNumerical": "kinematics.inverse_kinematics",
    "SensorBody": "control.PositionSensor",
    "SimulationSettings": "NewtonOptions",
    "SolutionViewer": "view",
    "Tree": "trees.Tree",
    "ParameterVariation": "studies.Study",
    "GeneticOptimization": "studies.Evaluations",
    "studies.ComputeSensitivities": "sobol_indices",
    "ObjectContactCoordinate": "JointStop",
    "ContactSphereSphere": "Contact",
    "contact.Coulomb": "CoulombLaw",
    "contact.LuGre": "BristleLaw",
    "contact.Ground": "Plane",
    "contact.Mesh": "TriangleMesh",
    "contact.LankaraniNikravesh": "HuntCrossleyLaw",
    "studies.MonteCarlo": "LatinHypercube",
    # Adams
    "BUSHING": "Bushing",
    "MOTION": "RotationDriver",
    "STEP": "motions.Ramp",
    "SFORCE": "PointForce",
    "GFORCE": "UserForce",
    "BISTOP": "JointStop",
    "FLEX_BODY": "FlexibleBody",
    "MNF": "FloatingBody",
    "AKISPL": "motions.Spline",
    "SENSOR": "control.PositionSensor",
    "GSTIFF": "BDF",
    # Abaqus, Nastran
    "Encastre": "Clamp",
    "Boundary": "Prescribe",
    "Cload": "PointForce",
    "DLOAD": "Pressure",
    "MPC": "linear.RigidCoupling",
    "RBE3": "linear.DistributingCoupling",
    "CONM2": "linear.NodalMass",
    "TIE": "FixedJoint",
    "C3D10": "elements.Tetra10",
    "C3D8R": "elements.Hexahedron8",
    "B31": "elements.LinearBeam3D",
    "S4R": "elements.ShellQuad",
    "frequency_analysis": "solve_modal",
    "steady_state_dynamics": "linear.harmonic_response",
    "read_inp": "linear.part_from_inp",
    # in the field
    "Newmark": "GeneralizedAlpha",
    "RK45": "RungeKutta",
    "eig": "solve_modal",
    "frf": "linear.harmonic_response",
    "ik": "kinematics.inverse_kinematics",
    "cylinder": "meshes.cylinder",
    "Encoder": "control.JointSensor",
    "trees.RevoluteJoint": "Revolute",
    "trees.PrismaticJoint": "Prismatic",
    "trees.FreeJoint": "Free",
    "trees.DHLink": "DHRow",
    "motions.Step": "Ramp",
    "motions.Cosine": "Sine",
    "control.Sensor": "PositionSensor",
    "linear.reduce": "flexmbs.reduction.reduce",
    "linear.Interface": "flexmbs.reduction.Interface",
    "reduction.Part": "flexmbs.linear.Part",
    "meshes.Circle": "flexmbs.Circle",
    "elements.B31": "LinearBeam3D",
}
ATTRIBUTES_OF = {
    "steel.E": (fx.steel, "E", "youngs_modulus"),
    "steel.nu": (fx.steel, "nu", "poissons_ratio"),
    "steel.rho": (fx.steel, "rho", "density"),
    "steel.G": (fx.steel, "G", "shear_modulus"),
    "circle.A": (fx.Circle(diameter=1.0), "A", "area"),
    "circle.Iz": (fx.Circle(diameter=1.0), "Iz", "I_z"),
    "mesh.nodes": (LUG, "nodes", "points"),
    "mesh.nsets": (LUG, "nsets", "node_sets"),
    "ball.pos": (BALL, "pos", "position"),
    "ball.quat": (BALL, "quat", "quaternion"),
    "ball.com": (BALL, "com", "centre"),
    "ball.orientation": (BALL, "orientation", "rotation"),
    "ball.masss": (BALL, "masss", "mass"),
    "beam.tip": (BEAM, "tip", "end"),
    "tree.rnea": (TREE, "rnea", "inverse"),
    "tree.M": (TREE, "M", "mass"),
    "tree.fkine": (TREE, "fkine", "poses"),
    "tree.coriolis": (TREE, "coriolis", "bias"),
    "model.add": (MODEL, "add", "with_"),
    "model.AddObject": (MODEL, "AddObject", "with_"),
    "model.constraints": (MODEL, "constraints", "joints"),
}
ARGUMENTS = {
    "joint parent": (lambda: fx.RevoluteJoint(parent=fx.ground, child=BAR), ["'parent' may mean 'a'", "'b'"]),
    "joint location": (lambda: fx.RevoluteJoint(fx.ground, BAR, location=(0, 0)), ["'location' may mean 'at'"]),
    "spring": (lambda: fx.SpringDamper(BAR, BAR, k=1, c=1, L0=1), ["'stiffness'", "'damping'", "'free_length'"]),
    "force": (lambda: fx.PointForce(BAR.centre, F=(0, 1)), ["'F' may mean 'force'"]),
    "moment": (lambda: fx.Moment(BAR.centre, torque=1.0), ["'torque' may mean 'moment'"]),
    "gravity g": (lambda: fx.Gravity(g=(0, -9.81)), ["'g' may mean 'acceleration'"]),
    "model gravity": (lambda: fx.Model(BAR, gravity=(0, -9.81)), ["an item, Gravity((0, 0, -9.81))"]),
    "model bodies": (lambda: fx.Model(bodies=[BAR]), ["Model(body, joint, force)"]),
    "spectral radius": (lambda: fx.GeneralizedAlpha(spectralRadius=0.8), ["'rho_inf'"]),
    "alpha": (lambda: fx.GeneralizedAlpha(alpha=0.1), ["GeneralizedAlpha.hht(alpha)"]),
    "n_steps": (lambda: fx.simulate(MODEL, 1.0, n_steps=10), ["step=until/n_steps"]),
    "tEnd": (lambda: fx.simulate(MODEL, t_end=1.0), ["'t_end' may mean 'until'"]),
    "tolerance": (lambda: fx.simulate(MODEL, 1.0, rtol=1e-6), ["step=ErrorControl(rtol=...)"]),
    "load steps": (lambda: fx.solve_static(MODEL, steps=10), ["options=StaticOptions(steps=...)"]),
    "sides": (lambda: fx.Rectangle(b=0.1, h=0.2), ["'b' may mean 'width'", "'h' may mean 'height'"]),
    "wall": (lambda: fx.Pipe(diameter=0.1, wall=0.01), ["'wall' may mean 'thickness'"]),
    "speed": (lambda: fx.RotationDriver(HINGE, speed=3.0), ["'speed' may mean 'rate'"]),
    "limits": (lambda: fx.JointStop(HINGE, min=-1, max=1), ["'min' may mean 'lower'", "'upper'"]),
    "gains": (lambda: fx.control.PID(1, 2, 0.1, kp=1, ki=2, kd=3), ["'proportional'", "'integral'", "'derivative'"]),
    "friction": (lambda: fx.CoulombFriction(HINGE, mu=0.1), ["'mu' may mean 'coefficient'"]),
    "eigenpairs": (lambda: fx.linear.vibration_modes(PART, n_modes=3), ["'n_modes' may mean 'count'"]),
    "ramp": (lambda: fx.motions.Ramp(t0=0, t1=1), ["'t0' may mean 'begin'", "begin + duration"]),
    "joint of a row": (lambda: fx.trees.DHRow("arm", type="R"), ["'type' may mean 'joint'"]),
}
GIVEN = {
    "scheme": (lambda: fx.simulate(MODEL, 1.0, step=0.1, integrator="HHT"), "'HHT' is GeneralizedAlpha.hht() here"),
    "explicit": (lambda: fx.simulate(MODEL, 1.0, step=0.1, integrator="RK45"), "'RK45' is RungeKutta() here"),
    "material": (lambda: fx.FlexibleBody.line((0, 0), (1, 0), **LINE | {"material": "steel"}), "flexmbs.steel"),
    "axis": (lambda: fx.RevoluteJoint(fx.ground, BALL, at=(0, 0, 0), axis="z"), "'z' is (0, 0, 1) here"),
    "RBE2": (lambda: fx.reduction.Interface("ROOT", kind="RBE2"), "'RBE2' is 'rigid' here"),
    "Gravity on a part": (
        lambda: fx.linear.static_response(PART, {"ROOT": "all"}, fx.Gravity((0, 0, -9.81))),
        "On parts Gravity is flexmbs.linear.Acceleration.",
    ),
    "encastre": (lambda: fx.linear.static_response(PART, {"ROOT": "encastre"}), "'encastre' is 'all' here"),
    "Krylov": (lambda: fx.reduction.reduce(PART, ["ROOT"], method="krylov"), "flexmbs.reduction.krylov(a.operators.K"),
    "Adams": (lambda: SMALL.export("lug", "adams"), "'adams' is not written, since it is closed ('sid'"),
    "MNF file": (lambda: SMALL.export("lug.mnf"), "'mnf' is not written, since it is closed ('sid'"),
    "OP4 file": (lambda: SMALL.export("lug.op4"), "name it: to='op4'."),
    "tangent frame": (lambda: fx.FloatingBody(SMALL, "tangent"), "'tangent' is the name of an interface here"),
    "Tisserand": (lambda: fx.FloatingBody(SMALL, "tisserand"), "'tisserand' is 'mean' here"),
    "RBE3": (lambda: fx.reduction.Interface("ROOT", kind="RBE3"), "'RBE3' is 'averaged' here"),
    "Craig": (lambda: fx.trees.dh_tree(convention="craig"), "'craig' is 'modified' here"),  # type: ignore[arg-type]
    "R": (lambda: fx.trees.DHRow("arm", "R"), "'R' is 'revolute' here"),
    "method": (lambda: fx.reduction.reduce(PART, ["ROOT"], method="guyan", progress=False), "modes=0 without a method"),
    "units": (lambda: fx.Model(BAR, HINGE, units="mm"), "flexmbs.Units(length='mm'"),  # type: ignore[arg-type]
    "clamped body": (lambda: fx.Clamp(BEAM), "not FlexibleBody 'body'. Name the place"),  # type: ignore[arg-type]
    "clamped rigid body": (lambda: fx.Clamp(BAR), "held by a joint to the ground"),  # type: ignore[arg-type]
    "ground": (lambda: fx.SpringDamper(fx.ground, BALL.centre), "give a marker such as flexmbs.ground.marker(point)."),
    "moment": (lambda: fx.Moment(BALL, (0, 0, 1)), "give a marker such as body.marker_at(point) in the inertial frame"),
    "bushing": (lambda: fx.Bushing(fx.ground, BALL, (1, 1, 1)), "give at=..., or a marker such as flexmbs.ground"),
}


@pytest.mark.parametrize("guess", NAMES)
def test_names(guess: str):
    *home, last = guess.split(".")
    place: Any = fx
    for part in home:
        place = getattr(place, part)
    with pytest.raises(AttributeError) as caught:
        getattr(place, last)
    hints = str(caught.value).partition("did you mean ")[2].rstrip("?").split(" or ")
    assert NAMES[guess] in hints


@pytest.mark.parametrize("guess", ATTRIBUTES_OF)
def test_attributes(guess: str):
    thing, asked, meaning = ATTRIBUTES_OF[guess]
    with pytest.raises(AttributeError, match=f"no attribute '{asked}'; did you mean .*'{meaning}'"):
        getattr(thing, asked)


@pytest.mark.parametrize("guess", ARGUMENTS)
def test_arguments(guess: str):
    call, words = ARGUMENTS[guess]
    with pytest.raises(fx.ModelError, match="there is no argument named") as caught:
        call()
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("guess", GIVEN)
def test_values(guess: str):
    call, words = GIVEN[guess]
    with pytest.raises(fx.ModelError, match=re.escape(words)):
        call()


def test_attributes_of_results():
    run = fx.simulate(MODEL, 0.01, step=0.005, progress=False)
    for asked, meaning in {"time": "t", "positions": "position", "lambda_": "lam", "movie": "animate"}.items():
        with pytest.raises(AttributeError, match=f"'TimeSolution' object has no attribute '{asked}'.*'{meaning}'"):
            getattr(run, asked)
    modes = fx.solve_modal(fx.Model(BEAM, fx.Clamp(BEAM.start)), modes=1)
    for asked, meaning in {"freqs": "frequencies", "eigenvectors": "vectors", "zeta": "damping_ratios"}.items():
        with pytest.raises(AttributeError, match=f"'ModalSolution' object has no attribute '{asked}'.*'{meaning}'"):
            getattr(modes, asked)


def test_a_property_that_fails_says_its_own_error():
    class Rod(fx.extend.Description):
        @property
        def area(self) -> float:
            return self.width  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(AttributeError, match="'Rod' object has no attribute 'width'"):
        _ = Rod().area
    assert not hasattr(Rod(), "nothing")
    assert getattr(Rod(), "nothing", 3) == 3


def test_words_are_of_one_thing():
    for argument, values in VALUES.items():
        words = [word for terms in values.values() for word in terms.split()]
        assert len(words) == len(set(words)), argument
        assert all(meant(argument, word) for word in words)
    for name, terms in ATTRIBUTES.items():
        assert name not in terms.split()


@pytest.mark.parametrize(
    "ask", [lambda run: run.angle("upper"), lambda run: run["upper"], lambda run: run.reaction("u")]
)
def test_joints_of_trees_are_among_the_names(ask: Callable[[fx.TimeSolution], Any]) -> None:
    """By the name of their link alone they are not found, but named."""
    links = [
        fx.trees.Link(name, 1.0, (1, 1, 1), (0, 0, -1), parent, fx.trees.Revolute((0, 1, 0)))
        for name, parent in (("upper", None), ("lower", "upper"))
    ]
    run = fx.simulate(fx.Model(fx.trees.Tree(*links, name="arm")), until=0.0, step=1e-3, progress=False)
    with pytest.raises(fx.ModelError, match=r"Known: 'arm/lower', 'arm/upper'\.$") as found:
        ask(run)
    assert "'u'" in str(found.value) or "did you mean 'arm/upper'?" in str(found.value)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("ANCFCable2D", "an ANCFCable2D"), ("LinearBeam2D", "a LinearBeam2D"), ("actuator", "an actuator")],
)
def test_articles_go_by_the_first_letter(word: str, expected: str) -> None:
    assert a_or_an(word) == expected


def test_elements_have_their_article_in_messages() -> None:
    line = LINE | {"element": fx.elements.GeometricallyExactBeam()}
    body = fx.FlexibleBody.line((0, 0, 0), (1, 0, 0), **line)
    run = fx.solve_static(fx.Model(body, fx.Clamp(body.start)))
    with pytest.raises(fx.ModelError, match=r"slope: an exact beam has no slopes"):
        run.slope(body.end)
