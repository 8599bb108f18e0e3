"""Models that mean nothing and functions of users that fail: named, with the time, never a bare traceback."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

NAN = float("nan")


def bar(**more):
    return fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar", **more)


def hinged(*more, joint=None, body=None):
    body = body or bar()
    hinge = joint or fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(body, hinge, fx.Gravity((0, 0, -9.81)), *more)


@pytest.mark.parametrize("mass", [0.0, -1.0, NAN, "1", None])
def test_bodies_without_mass(mass) -> None:
    makers = (
        lambda: fx.RigidBody(mass, (1, 1, 1), name="b"),
        lambda: fx.PlanarRigidBody(mass, 1.0, position=(0, 0), name="b"),
        lambda: fx.PointMass(mass, position=(0, 0), name="b"),
        lambda: fx.RigidBody.box(size=(1, 1, 1), mass=mass or 0, name="b"),
    )
    for make in makers:
        with pytest.raises(fx.ModelError, match="mass"):
            make()


@pytest.mark.parametrize("inertia", [(0, 1, 1), (-1, 1, 1), (1, 1, 3), (1, 1), NAN, "x", np.ones((3, 3))])
def test_impossible_inertia(inertia) -> None:
    with pytest.raises(fx.ModelError, match="inertia"):
        fx.RigidBody(1.0, inertia, name="b")


def test_zero_axes() -> None:
    body = bar()
    makers = (
        lambda: fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 0)),
        lambda: fx.PrismaticJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 0)),
        lambda: fx.CylindricalJoint(fx.ground, body, at=(0, 0, 0), axis=(0, NAN, 0)),
        lambda: body.marker((0, 0, 0), axis=(0, 0, 0)),
        lambda: fx.UniversalJoint(fx.ground, body, at=(0, 0, 0), axes=((0, 0, 0), (0, 1, 0))),
    )
    for make in makers:
        with pytest.raises(fx.ModelError, match=r"axis|axes"):
            make()


def test_joints_of_a_body_with_itself_or_between_one_marker() -> None:
    body = bar()
    marker = body.marker((0, 0, 0))
    for a, b in ((body, body), (marker, marker), (fx.ground, fx.ground)):
        with pytest.raises(fx.ModelError):
            fx.SphericalJoint(a, b, at=(0, 0, 0)) if a is not marker else fx.SphericalJoint(a, b)


def test_names_used_twice() -> None:
    one, two = bar(), bar()
    with pytest.raises(fx.ModelError, match=r"names of bodies are used twice.*'bar'"):
        fx.Model(one, two)
    pins = [fx.RevoluteJoint(fx.ground, one, at=(0, 0, 0), axis=(0, 1, 0), name="pin") for _ in range(2)]
    with pytest.raises(fx.ModelError, match=r"names of joints are used twice.*'pin'"):
        fx.Model(one, *pins)


def test_joints_of_bodies_that_are_not_there() -> None:
    one, two = bar(), fx.PointMass(1.0, position=(0, 0, 0), name="ball")
    with pytest.raises(fx.ModelError, match=r"'link'.*'ball' is not in the model"):
        fx.Model(one, fx.SphericalJoint(one, two, at=(0, 0, 0), name="link"))


def wrong_after(good, bad, t0: float = 0.1):
    """A function of (..., t) that gives something else after t0."""
    return lambda *arguments: good if arguments[-1] <= t0 else bad() if callable(bad) else bad


BAD = {
    "NaN": NAN, "none": None, "text": "x", "vector": [1.0, 2.0, 3.0, 4.0, 5.0], "division by zero": lambda: 1 / 0,
    "key": lambda: {}["k"], "complex": 1j,
}  # fmt: skip


@pytest.mark.parametrize("bad", BAD)
def test_motions_that_fail(bad: str) -> None:
    body = bar()
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    motion = fx.motions.Function(wrong_after(0.0, BAD[bad]), lambda t: 0.0, lambda t: 0.0, check=())
    driver = fx.RotationDriver(hinge, motion, name="motor")
    with pytest.raises(fx.FlexmbsError, match=r"0\.1") as caught:
        fx.simulate(hinged(driver, joint=hinge, body=body), 0.5, step=0.01)
    assert "motor" in str(caught.value)


@pytest.mark.parametrize("bad", BAD)
def test_user_forces_that_fail(bad: str) -> None:
    body = bar()
    force = fx.UserForce([body.centre], wrong_after(np.zeros((1, 6)), BAD[bad]), name="wind")
    with pytest.raises(fx.FlexmbsError, match=r"'wind'.*t = 0\.1"):
        fx.simulate(hinged(force, body=body), 0.5, step=0.01)


@pytest.mark.parametrize("bad", BAD)
def test_controllers_that_fail(bad: str) -> None:
    motor = fx.control.JointActuator("hinge", name="motor")
    control = fx.control.Controller(
        fx.control.JointSensor("hinge"), motor, 0.02, wrong_after(0.0, BAD[bad]), name="brain"
    )
    with pytest.raises(fx.FlexmbsError, match=r"'brain'.*t = 0\.1"):
        fx.simulate(hinged(control), 0.5, step=0.01)


@pytest.mark.parametrize("bad", BAD)
def test_rates_that_fail(bad: str) -> None:
    states = fx.control.FirstOrder([0.0], wrong_after(0.0, BAD[bad]), name="coil")
    with pytest.raises(fx.FlexmbsError, match=r"'coil'.*t = 0\.1"):
        fx.simulate(hinged(states), 0.5, step=0.01)


@pytest.mark.parametrize("bad", BAD)
def test_laws_of_actuators_that_fail(bad: str) -> None:
    motor = fx.control.JointActuator("hinge", law=wrong_after(0.0, BAD[bad]), name="motor")
    with pytest.raises(fx.FlexmbsError, match=r"'motor'.*0\.1"):
        fx.simulate(hinged(fx.control.Command(motor, period=1.0, values=1.0)), 0.5, step=0.01)


@pytest.mark.parametrize("bad", BAD)
def test_histories_of_loads_that_fail(bad: str) -> None:
    body = bar()
    push = fx.PointForce(body.centre, (1.0, 0, 0), history=wrong_after(0.0, BAD[bad]))
    with pytest.raises(fx.FlexmbsError, match=r"t(ime)? = 0\.1|at 0\.1|0\.1"):
        fx.simulate(hinged(push, body=body), 0.5, step=0.01)


@pytest.mark.parametrize("bad", BAD)
def test_conditions_of_events_that_fail(bad: str) -> None:
    condition = wrong_after(1.0, BAD[bad])
    event = fx.control.Event(lambda view: condition(view.t), name="watch")
    with pytest.raises(fx.FlexmbsError, match=r"'watch'.*t = 0\.1"):
        fx.simulate(hinged(), 0.5, step=0.01, events=[event])


@pytest.mark.parametrize("bad", ["NaN", "none", "text", "division by zero"])
def test_sensors_that_fail(bad: str) -> None:
    sensor = fx.control.FunctionSensor(lambda t, view: wrong_after(0.0, BAD[bad])(t), name="eye")
    control = fx.control.Controller(
        sensor, fx.control.JointActuator("hinge", name="motor"), 0.02, lambda x, u, t: u, name="brain"
    )
    with pytest.raises(fx.FlexmbsError, match=r"'(eye|brain)'"):
        fx.simulate(hinged(control), 0.5, step=0.01)


def test_sensors_of_joints_that_are_not_there() -> None:
    for sensed, driven in (("nope", "hinge"), ("hinge", "nope")):
        motor = fx.control.JointActuator(driven, name="motor")
        control = fx.control.Controller(fx.control.JointSensor(sensed), motor, 0.02, lambda x, u, t: u, name="control")
        with pytest.raises(fx.ModelError, match="nope"):
            fx.simulate(hinged(control), 0.1, step=0.01)


def test_an_events_sensor_on_a_body_of_another_model() -> None:
    stranger = fx.PointMass(1.0, position=(0, 0, 0), name="stranger")
    event = fx.control.Event(fx.control.PositionSensor(stranger, (0, 0, 1)), name="watch")
    with pytest.raises(fx.ModelError, match="stranger"):
        fx.simulate(hinged(), 0.1, step=0.01, events=[event])


def test_supports_that_move_are_refused_in_time() -> None:
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01),
                                material=fx.steel, name="beam")  # fmt: skip
    moved = fx.Prescribe(beam.start, (0.1, 0.0), history=lambda t: t)
    with pytest.raises(fx.ModelError, match="prescribe motions with a driver"):
        fx.simulate(fx.Model(beam, moved), 0.1, step=0.01)
