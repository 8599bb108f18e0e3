"""Sensors on markers, joints, coordinates, states and functions, against formulas and differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.model.control.sensors import read_sensor

BALL = fx.PointMass(1.0, position=(0.3, 0.4, 0.0), name="ball")
BOX = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="box")
POINT, FRAME, TURNING = BALL.centre, BOX.centre, BOX.marker((0.1, 0, 0))


def poses() -> dict:
    """A point on a curve, and frames that move and turn about changing axes."""
    eye = np.eye(3)

    def turned(t: float) -> np.ndarray:
        return Rotation.from_rotvec([0.3 * t, 0.2 * math.sin(t), 0.7 * t]).as_matrix()

    return {
        id(POINT): (lambda t: [math.sin(2 * t), math.cos(t), 0.5 * t * t], lambda t: eye),
        id(FRAME): (lambda t: [0.1 * t, t * t, 0.2], turned),
        id(TURNING): (lambda t: [0.0, 0.0, 0.0], lambda t: turned(t) @ turned(0.4)),
    }


def test_vectors_and_components(fake_view) -> None:
    view = fake_view(0.3, poses())
    p = [math.sin(0.6), math.cos(0.3), 0.045]
    assert read_sensor(fx.control.PositionSensor(POINT), view) == pytest.approx(p, abs=1e-14)
    assert fx.control.PositionSensor(POINT, (0, 3)).read(view) == pytest.approx(math.cos(0.3), abs=1e-14)
    v = [2 * math.cos(0.6), -math.sin(0.3), 0.3]
    assert read_sensor(fx.control.VelocitySensor(POINT), view) == pytest.approx(v, abs=1e-9)
    a = [-4 * math.sin(0.6), -math.cos(0.3), 1.0]
    assert read_sensor(fx.control.AccelerationSensor(POINT), view) == pytest.approx(a, abs=1e-5)
    falling = fx.control.AccelerationSensor(POINT, (0, 0, 1), gravity=(0, 0, -9.81))
    assert falling.read(view) == pytest.approx(10.81, abs=1e-5)
    resolved = fx.control.AccelerationSensor(POINT, frame=FRAME).read(view)
    assert resolved == pytest.approx(view.rotation(FRAME).T @ a, abs=1e-5)


def test_velocity_seen_from_a_frame_is_the_rate_of_the_position_seen_from_it(fake_view) -> None:
    seen, h = fx.control.PositionSensor(POINT, frame=FRAME), 1e-5
    before, after = (np.asarray(seen.read(fake_view(0.7 + k * h, poses()))) for k in (-1, 1))
    rate = fx.control.VelocitySensor(POINT, frame=FRAME).read(fake_view(0.7, poses()))
    assert rate == pytest.approx((after - before) / (2 * h), abs=1e-8)


def test_angular_velocity_in_all_axes(fake_view) -> None:
    view, h = fake_view(0.7, poses()), 1e-5
    turn = view.rotation(TURNING, 0.7 + h) @ view.rotation(TURNING, 0.7 - h).T
    inertial = Rotation.from_matrix(turn).as_rotvec() / (2 * h)
    origin = fx.ground.marker((0, 0, 0))
    assert fx.control.AngularVelocitySensor(TURNING, frame=origin).read(view) == pytest.approx(inertial, abs=1e-8)
    own = view.rotation(TURNING).T @ inertial
    assert fx.control.AngularVelocitySensor(TURNING).read(view) == pytest.approx(own, abs=1e-8)
    assert fx.control.AngularVelocitySensor(TURNING, (0, 0, 1)).read(view) == pytest.approx(own[2], abs=1e-8)
    other = view.rotation(FRAME).T @ inertial
    assert fx.control.AngularVelocitySensor(TURNING, frame=FRAME).read(view) == pytest.approx(other, abs=1e-8)


def test_distance_and_its_rate(fake_view) -> None:
    here = fx.ground.marker((0, 0, 0))

    def length(t: float) -> float:
        return math.hypot(math.sin(2 * t), math.cos(t), 0.5 * t * t)

    view = fake_view(0.4, poses())
    assert fx.control.DistanceSensor(here, POINT).read(view) == pytest.approx(length(0.4), abs=1e-14)
    rate = (length(0.4 + 1e-5) - length(0.4 - 1e-5)) / 2e-5
    assert fx.control.DistanceSensor(here, POINT, rate=True).read(view) == pytest.approx(rate, abs=1e-8)
    with pytest.raises(ModelError, match=r"together.*t = 0.*same place"):
        read_sensor(
            fx.control.DistanceSensor(here, fx.ground.marker((0, 0, 0)), rate=True, name="together"), fake_view()
        )


def test_sensors_that_need_no_marker(fake_view) -> None:
    view = fake_view(
        0.5,
        rows={("hinge", "angle"): (0.2, -0.3)},
        multipliers={"hinge": [1.0, 2.0]},
        coordinates={("cart", 1): (4.0, 5.0)},
        states={"coil": [7.0, 8.0]},
        values={"motor": 6.0},
    )
    expected = [
        (fx.control.JointSensor("hinge"), 0.2),
        (fx.control.JointSensor("hinge", rate=True), -0.3),
        (fx.control.MultiplierSensor("hinge", 1), 2.0),
        (fx.control.CoordinateSensor("cart", 1), 4.0),
        (fx.control.CoordinateSensor("cart", 1, rate=True), 5.0),
        (fx.control.StateSensor("coil", 1), 8.0),
        (fx.control.HeldSensor(fx.control.Signal("motor")), 6.0),
        (fx.control.FunctionSensor(lambda t, v: t + v.held("motor")), 6.5),
        (fx.control.NoisySensor(fx.control.JointSensor("hinge"), lambda t: 10.0 * t), 5.2),
    ]
    for sensor, value in expected:
        assert sensor.size == 1
        assert read_sensor(sensor, view) == pytest.approx([value], abs=1e-15), sensor.name


def test_joint_given_itself_names_its_coordinate() -> None:
    hinge = fx.RevoluteJoint(fx.ground, BOX, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    assert (fx.control.JointSensor(hinge).joints, fx.control.JointSensor(hinge).label) == (("hinge",), "angle")
    assert fx.control.JointSensor(hinge).joint is hinge
    slider = fx.PrismaticJoint(fx.ground, BOX, at=(0, 0, 0), axis=(1, 0, 0), name="slider")
    assert fx.control.JointSensor(slider).label == "displacement"
    with pytest.raises(ModelError, match=r"label is 'angle', but joint 'slider' has the coordinates displacement"):
        fx.control.JointSensor(slider, "angle")


def test_what_the_simulation_has_to_know() -> None:
    sensor = fx.control.NoisySensor(fx.control.PositionSensor(POINT, frame=FRAME), 0.1)
    assert sensor.markers == (POINT, FRAME)
    assert fx.control.JointSensor("hinge").joints == ("hinge",)
    assert (
        fx.control.PositionSensor(POINT, (1, 0, 0)).name
        == "position of marker 'centre' of PointMass 'ball' along (1, 0, 0)"
    )


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.PositionSensor(fx.RigidBody), "PositionSensor: expected a body"),
        (lambda: fx.control.PositionSensor(POINT, (0, 0, 0)), "PositionSensor: direction must not be the zero vector"),
        (lambda: fx.control.VelocitySensor("ball"), "VelocitySensor: expected a body"),
        (lambda: fx.control.AngularVelocitySensor(POINT), "has no orientation"),
        (lambda: fx.control.AccelerationSensor(POINT, gravity=(0, 1)), r"gravity must have shape \(3,\)"),
        (lambda: fx.control.JointSensor(3.0), "joint must be a joint of the model or its name"),
        (lambda: fx.control.JointSensor("hinge", rate=1), "rate must be True or False"),
        (lambda: fx.control.MultiplierSensor("hinge", -1), "component must be at least 0"),
        (lambda: fx.control.CoordinateSensor("cart", 0.5), "index must be a whole number"),
        (lambda: fx.control.HeldSensor(""), "actuator of the model or its name"),
        (lambda: fx.control.FunctionSensor(3.0), "function must be a function of"),
        (lambda: fx.control.FunctionSensor(lambda t, v: t, size=0), "size must be at least 1"),
        (lambda: fx.control.NoisySensor(lambda v: 0.0, 0.1), "expected a sensor such as"),
        (lambda: fx.control.NoisySensor(fx.control.PositionSensor(POINT), [0.1, 0.1]), "must have 3 components"),
        (lambda: fx.control.NoisySensor(fx.control.JointSensor("a"), math.nan), "noise must be a number"),
    ],
)
def test_bad_sensors(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()


def test_axes_of_a_spatial_cable_are_refused() -> None:
    cable = fx.FlexibleBody.line(
        (0, 0, 0),
        (1, 0, 0),
        elements=2,
        element=fx.elements.ANCFCable3D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )
    assert fx.control.PositionSensor(cable.end, (0, 0, 1)).size == 1
    with pytest.raises(ModelError, match="no meaning"):
        fx.control.AngularVelocitySensor(cable.end)
    with pytest.raises(ModelError, match="no meaning"):
        fx.control.PositionSensor(POINT, frame=cable.end)


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda t, v: 1 / 0, "ZeroDivisionError"),
        (lambda t, v: v.nothing, "AttributeError"),
        (lambda t, v: math.nan, "must be finite"),
        (lambda t, v: [1.0, 2.0], r"must have shape \(1,\)"),
        (lambda t, v: "x", "must be an array of numbers"),
        (lambda t, v: None, "lack its return"),
    ],
)
def test_readings_that_fail_name_sensor_and_time(fake_view, function, match: str) -> None:
    with pytest.raises(ModelError, match=rf"sensor 'probe'.*t = 0\.25.*{match}"):
        read_sensor(fx.control.FunctionSensor(function, name="probe"), fake_view(0.25))


def test_readings_out_of_range_and_foreign_errors(fake_view) -> None:
    view = fake_view(multipliers={"hinge": [1.0]}, states={"coil": [1.0]})
    with pytest.raises(ModelError, match="component must be below 1"):
        read_sensor(fx.control.MultiplierSensor("hinge", 1), view)
    with pytest.raises(ModelError, match="index must be below 1"):
        read_sensor(fx.control.StateSensor("coil", 3), view)

    def singular(t: float, v: object) -> float:
        raise SingularError("no solution")

    with pytest.raises(SingularError, match="no solution"):
        read_sensor(fx.control.FunctionSensor(singular), view)


def test_a_body_stands_for_its_centre_of_mass(fake_view) -> None:
    box = fx.RigidBody(1.0, (1, 1, 1), position=(1.0, 2.0, 3.0), name="box")
    view = fake_view()
    for sensor in (
        fx.control.PositionSensor,
        fx.control.VelocitySensor,
        fx.control.AccelerationSensor,
        fx.control.AngularVelocitySensor,
    ):
        assert sensor(box).marker.body is box
    assert read_sensor(fx.control.PositionSensor(box), view) == pytest.approx([1.0, 2.0, 3.0])
    assert read_sensor(fx.control.PositionSensor(box, frame=fx.ground), view) == pytest.approx([1.0, 2.0, 3.0])
    assert read_sensor(fx.control.DistanceSensor(fx.ground, box), view) == pytest.approx([math.sqrt(14.0)])
    with pytest.raises(ModelError, match="flexible; name the place on it"):
        fx.control.PositionSensor(
            fx.FlexibleBody.line((0, 0), (1, 0), elements=1, element=fx.elements.ANCFCable2D(),
            section=fx.Circle(diameter=0.1),
                                 material=fx.steel, name="rod")
        )  # fmt: skip
