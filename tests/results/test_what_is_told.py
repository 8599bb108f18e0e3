"""Wrong arguments of results and descriptions: what is told, and what can be done."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ArgumentError


def swinging(**options: object) -> fx.TimeSolution:
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    motor = fx.JointForce(hinge, options.get("law", 1.0), name="motor")
    return fx.simulate(fx.Model(rod, hinge, motor), until=0.02, step=1e-2)


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("position", {"t": 0.5}, r"position: there is no argument named 't'.*It takes at, step"),
        ("position", {}, "position: missing a required argument: 'at'"),
        ("plot", {"save": "a.png"}, "plot: there is no argument named 'save'; 'save' may mean 'path'"),
        (
            "animate",
            {"path": "a.gif", "camera": 1},
            "animate: there is no argument named 'camera'.*speed, fps, trail, dpi",
        ),
    ],
)
def test_wrong_arguments_of_results_are_explained(name: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        getattr(swinging(), name)(**options)


def test_a_reaction_of_a_body_names_the_joints() -> None:
    run = swinging()
    with pytest.raises(fx.ModelError, match=r"'rod' is not in model.*That is a body: give a joint \('hinge'\)"):
        run.reaction(run.model.body("rod"))


def test_functions_with_other_arguments_are_refused_where_they_are_described() -> None:
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    for make, told in (
        (
            lambda: fx.JointForce(hinge, lambda t: t),
            r"force must be a function of \(coordinate, rate, t\).*takes \(t\)",
        ),
        (lambda: fx.JointForce(hinge, 1.0, derivatives=lambda t: t), "derivatives are those of a function"),
        (lambda: fx.UserForce([ball], lambda t: t), r"function must be a function of \(p, R, twist, t\)"),
        (lambda: fx.control.Controller((), fx.control.Signal("s"), 0.1, lambda x: 1.0), r"output must be.*\(x, u, t\)"),
        (lambda: fx.control.FirstOrder([0.0], lambda x: x), r"rates must be a function of \(x, u, t\)"),
        (lambda: fx.PointForce(ball, lambda t: (0, t)), "PointForce: force must be numbers, not a function.*history="),
        (lambda: fx.Gravity(lambda t: (0, -t)), "Gravity: acceleration must be numbers.*history="),
    ):
        with pytest.raises(fx.ModelError, match=told):
            make()
    fx.JointForce(hinge, np.hypot)  # which tells no signature


def test_a_rigid_body_in_space_is_moved_by_a_driver_between_markers() -> None:
    box = fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(0, 0, 0), name="box")
    with pytest.raises(fx.ModelError, match="TranslationDriver"):
        fx.CoordinateJoint(box, "x")
    ends = fx.ground.marker((0, 0, 0), axis=(1, 0, 0)), box.centre
    run = fx.simulate(fx.Model(box, fx.TranslationDriver(ends, fx.motions.Sine(0.1, frequency=0.25))), 0.5, step=1e-2)
    assert run.position(box)[-1] == pytest.approx([0.1 * np.sin(np.pi / 4.0), 0.0, 0.0])


def test_a_surface_without_named_nodes_says_how_a_node_is_drawn() -> None:
    section = fx.ShellSection(0.01)
    plate = fx.FlexibleBody.plate(
        (1.0, 1.0),
        elements=(1, 1),
        element=fx.elements.ANCFThinPlate(),
        section=section,
        material=fx.steel,
        name="plate",
    )
    run = fx.simulate(fx.Model(plate), until=0.0)
    with pytest.raises(fx.ModelError, match=r"name one of 'plate': .*or a node such as body.at"):
        run.to_dataframe(plate)


def test_a_sliding_joint_knows_its_place() -> None:
    steel = {"section": fx.Circle(diameter=0.01), "material": fx.steel}
    cable = fx.FlexibleBody.line((0, 0), (2, 0), elements=4, element=fx.elements.ANCFCable2D(), **steel, name="cable")
    bead = fx.PointMass(1e-3, position=(0.5, 0), velocity=(1.0, 0), name="bead")
    joint = fx.SlidingJoint(cable, bead, speed=1.0, name="slide")
    run = fx.simulate(fx.Model(cable, bead, joint, fx.Clamp(cable.start), fx.Clamp(cable.end)), until=0.1, step=1e-3)
    assert run.coordinate(joint, "place") == pytest.approx(0.5 + run.t, abs=1e-6)
    assert run.coordinate_rate("slide", "place") == pytest.approx(1.0, abs=1e-6)
    assert np.array_equal(run.table("slide.place")["slide.place"], run.coordinate(joint, "place"))
    with pytest.raises(fx.ModelError, match="'slide' has no angle; it has place"):
        run.coordinate(joint, "angle")


def test_saving_a_function_is_told(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        swinging().save(tmp_path / "number.h5")
    run = swinging(law=lambda angle, rate, t: -rate)
    with pytest.warns(fx.LossWarning, match=r"the function .*lambda.* of 'motor'.*load\(path, model=model\)") as told:
        run.save(tmp_path / "function.h5")
    assert told[0].filename == __file__
    assert fx.load(tmp_path / "function.h5", model=run.model).t == pytest.approx(run.t)


def test_optimisers_get_no_history(tmp_path: Path) -> None:
    def ball(x: float = 1.0) -> fx.Model:
        return fx.Model(fx.PointMass(1.0, position=(x, 0), name="ball"))

    st = fx.studies
    family = st.Family(ball, x=st.Between(0.0, 2.0))
    for measures in (st.History("y", lambda run: run.t), [st.History("y", lambda run: run.t)]):
        with pytest.raises(fx.ModelError, match="Evaluations: there is no Measure"):
            st.Evaluations(family, measures, st.Simulation(until=0.0), tmp_path / "runs.h5")


def test_paths_of_equilibria_are_drawn_by_names_as_other_results() -> None:
    apex = fx.PointMass(1.0, position=(0.0, 0.3), name="apex")
    guide = fx.PointOnLineConstraint(fx.ground, apex, at=(0.0, 0.3), axis=(0, 1))
    spring = fx.SpringDamper(fx.ground.marker((-1.0, 0.0)), apex, stiffness=100.0, name="bar")
    paths = fx.trace_static(fx.Model(apex, guide, spring, fx.PointForce(apex, (0, -1.0))), until=0.2)
    line = paths.plot("apex.position.y").lines[0]
    assert line.get_xdata() == pytest.approx(paths[0].position(apex)[:, 1])
    with pytest.raises(fx.ModelError, match=r"stands for . numbers; name one: 'apex.position.x'"):
        paths.plot("apex.position")
    with pytest.raises(ArgumentError, match="plot: missing a required argument: 'of'"):
        paths.plot()


def test_points_have_no_rotation_to_tell() -> None:
    """Nodes of solids told the axes of the frame, identity, where the face about them turned with M L / EI."""
    mesh = fx.meshes.box((0, 0, 0), (1.0, 0.1, 0.1), (8, 1, 1))
    part = fx.linear.Part(mesh, material=fx.Elastic(youngs_modulus=1e9, poissons_ratio=0.0, density=1000.0), name="bar")
    body = fx.LinearBody(fx.reduction.reduce(part, ["left", "right"], modes=2, progress=False), fixed="left")
    mass = fx.PointMass(1.0, position=(0, 0, 1), name="mass")
    hung = fx.SpringDamper(fx.ground.marker((0, 0, 2)), mass.centre, stiffness=100.0)
    model = fx.Model(body, mass, hung, fx.Moment(body.interface("right"), (0, 100.0, 0)))
    run = fx.simulate(model, 0.01, step=1e-3)
    corner = body.node(int(np.argmax(mesh.points.sum(axis=1))))
    for ask in (run.rotation, run.angular_velocity):
        with pytest.raises(fx.ModelError, match=r"'node \d+' of LinearBody 'bar': it is a point, which has no"):
            ask(corner)
        with pytest.raises(fx.ModelError, match="PointMass 'mass': it is a point"):
            ask("mass")
        assert np.isfinite(ask(body.interface("right"))).all()
    with pytest.raises(fx.ModelError, match="no quantity named 'angular_velocity'"):
        run.table((mass, "angular_velocity"))
    turned = fx.solve_static(fx.Model(body, fx.Moment(body.interface("right"), (0, 100.0, 0))))
    angle = 100.0 * 1.0 / (1e9 * 0.1**4 / 12)
    found = turned.rotation(body.interface("right"), step=-1)
    assert found[0, 2] == pytest.approx(np.sin(angle), rel=0.02)  # clamped sections cannot bow, coarse bricks
    assert turned.plot_shape() is not None


def test_the_reaction_of_a_spring_names_its_force() -> None:
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), name="box")
    bearing = fx.Bushing(fx.ground, body, [1e3] * 6, at=(0, 0, 0), name="bearing")
    run = fx.simulate(fx.Model(body, bearing), until=0.01, step=1e-3)
    with pytest.raises(fx.ModelError, match=r"no joint named 'bearing'.* is a Bushing: of a result ask force\("):
        run.reaction("bearing")
    assert len(run.force("bearing").force) == len(run)
