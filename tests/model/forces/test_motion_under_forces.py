"""Forces between markers in simulations with answers in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import flexmbs as fx


def run(*items: Any, until: float = 1.0, step: float | None = 2e-3) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of a single body at the end."""
    found = fx.simulate(fx.Model(*items), until, step=step, progress=False)
    return found.q[-1], found.v[-1]


def bar(velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> fx.RigidBody:
    return fx.RigidBody(1.0, (1.0, 1.0, 2.0), position=(0, 0, 0), velocity=velocity, name="bar")


def hinged() -> tuple[fx.RigidBody, Any]:
    body = bar()
    return body, fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")


def sliding(speed: float = 1.0) -> tuple[fx.RigidBody, Any]:
    body = bar((speed, 0.0, 0.0))
    return body, fx.PrismaticJoint(fx.ground, body, at=(0, 0, 0), axis=(1, 0, 0), name="slider")


def angle(q: np.ndarray) -> float:
    return 2.0 * math.atan2(q[6], q[3])


def test_a_ball_on_a_spring() -> None:
    ball = fx.PointMass(2.0, position=(1.3, 0.0, 0.0), name="ball")
    wall = fx.ground.marker((0, 0, 0))
    q, _ = run(ball, fx.SpringDamper(wall, ball, stiffness=50.0, free_length=1.0))
    assert q[0] == pytest.approx(1.0 + 0.3 * math.cos(5.0), abs=3e-5)
    q, _ = run(ball, fx.SpringDamper(wall, ball, force=lambda length, rate, t: 50.0 * (length - 1.0) + 4.0 * rate))
    w = math.sqrt(24.0)  # 2 x'' + 4 x' + 50 x = 0
    assert q[0] == pytest.approx(1.0 + 0.3 * math.exp(-1.0) * (math.cos(w) + math.sin(w) / w), abs=3e-5)


def test_a_bar_on_a_torsion_spring_over_several_turns() -> None:
    body, hinge = hinged()
    q, v = run(body, hinge, fx.TorsionSpring(hinge, stiffness=8.0, free_angle=20.0))
    assert v[5] == pytest.approx(40.0 * math.sin(2.0), rel=1e-4)
    turned = 20.0 * (1.0 - math.cos(2.0))
    assert math.remainder(angle(q) - turned, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-3)


def test_a_motor_in_a_hinge() -> None:
    body, hinge = hinged()
    for load in (3.0, lambda x, rate, t: 3.0):
        q, v = run(body, hinge, fx.JointForce(hinge, load))
        assert (angle(q), v[5]) == pytest.approx((0.75, 1.5), abs=1e-5)
    q, v = run(body, hinge, fx.JointForce(hinge, lambda x, rate, t: 2.0 * (1.0 - rate)))
    assert v[5] == pytest.approx(1.0 - math.exp(-1.0), abs=1e-5)


def test_friction_stops_a_slider() -> None:
    body, joint = sliding()
    q, v = run(body, joint, fx.CoulombFriction(joint, 0.5, load=2.0, speed=1e-3), until=1.5)
    assert q[0] == pytest.approx(0.5, abs=1e-3)
    assert abs(v[0]) < 1e-4


def test_a_brake_holds_and_slides() -> None:
    """The bristle comes first in the coordinates. Below the limit it rests where the bristle carries the load."""
    body, joint = sliding(0.0)
    brake = fx.BristleFriction(joint, 0.5, load=2.0, deflection=1e-3, damping=40.0)
    early, _ = run(body, joint, brake, fx.JointForce(joint, 0.6), until=2.0)
    late, v = run(body, joint, brake, fx.JointForce(joint, 0.6), until=3.0)
    assert late[1] == pytest.approx(early[1], rel=1e-9), "it does not creep"
    assert late[1] == pytest.approx(0.6e-3, rel=2e-3)
    assert v[0] == pytest.approx(0.6e-3, rel=1e-6), "the rate of its coordinate is the deflection of the bristle"
    _, v = run(body, joint, brake, fx.JointForce(joint, 1.5), until=2.0)
    assert v[1] == pytest.approx((1.5 - 1.0) * 2.0, rel=0.1)
    assert v[0] == pytest.approx(1e-3, rel=1e-4)


def test_drag_by_a_function() -> None:
    ball = fx.PointMass(2.0, position=(1.0, 0.0, 0.0), velocity=(1.0, 0.0, 0.0), name="ball")

    def drag(p: np.ndarray, R: np.ndarray, twist: np.ndarray, t: float) -> np.ndarray:
        w = np.zeros((1, 6))
        w[0, :3] = -0.5 * np.linalg.norm(twist[0, :3]) * twist[0, :3]
        return w

    _, v = run(ball, fx.UserForce([ball], drag), until=2.0)
    assert v[0] == pytest.approx(1.0 / (1.0 + 0.25 * 2.0), abs=1e-6)


def test_a_stop_throws_back() -> None:
    """With the damping c the restitution is near 1 - 2/3 c v."""
    body, joint = sliding()
    _, v = run(body, joint, fx.JointStop(joint, upper=0.2, stiffness=1e4), until=0.6, step=None)
    assert v[0] == pytest.approx(-1.0, abs=2e-3)
    _, v = run(body, joint, fx.JointStop(joint, upper=0.2, stiffness=1e4, damping=0.15), until=0.6, step=None)
    assert v[0] == pytest.approx(-0.9, abs=0.01)


def test_a_bushing_turns_and_shifts() -> None:
    body = bar()
    bushing = fx.Bushing(
        fx.ground,
        body,
        stiffness=(10.0, 10.0, 10.0, 1.0, 1.0, 8.0),
        at=(0, 0, 0),
        free_coordinates=(0.1, 0, 0, 0, 0, 0.3),
    )
    q, _ = run(body, bushing)
    assert q[0] == pytest.approx(0.1 * (1.0 - math.cos(math.sqrt(10.0))), abs=1e-5)
    assert angle(q) == pytest.approx(0.3 * (1.0 - math.cos(2.0)), abs=1e-5)


def test_follower_and_dead_loads_on_a_body() -> None:
    """The moment turns it by t^2/4; the follower force turns with it."""
    body = bar()
    spin = fx.Moment(body.centre, (0, 0, 1.0))
    _, v = run(body, spin, fx.PointForce(body.centre, (2.0, 0, 0), follower=True))
    assert v[0] == pytest.approx(quad(lambda t: 2 * math.cos(t * t / 4), 0, 1)[0], abs=1e-5)
    assert v[1] == pytest.approx(quad(lambda t: 2 * math.sin(t * t / 4), 0, 1)[0], abs=1e-5)
    assert v[5] == pytest.approx(0.5, abs=1e-9)
    _, v = run(body, spin, fx.PointForce(body.centre, (2.0, 0, 0)))
    assert v[:2] == pytest.approx([2.0, 0.0], abs=1e-9)
    _, v = run(body, fx.PointForce(body.centre, (2.0, 0, 0), history=fx.Table((0.0, 1.0), (0.0, 1.0))))
    assert v[0] == pytest.approx(1.0, abs=1e-5)


def test_a_force_off_the_centre_turns_the_body() -> None:
    plate = fx.PlanarRigidBody(1.0, 0.5, position=(0.0, 0.0), name="plate")
    _, v = run(plate, fx.PointForce(plate.marker((0.0, 0.3)), (2.0, 0.0), follower=True), until=0.5)
    assert v[2] == pytest.approx(-0.3 * 2.0 / 0.5 * 0.5, abs=1e-9)
    _, v = run(plate, fx.Moment(plate.centre, 2.0), until=0.5)
    assert v[2] == pytest.approx(2.0, abs=1e-9)
