"""Forces of drives: bad input, drives that cannot do it, weights, reactions beside other drives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar
from flexmbs.verification.reference.driven import FourBar

BARS = FourBar(1.0, 3.0, 2.5, 3.0)


def moved(until: float = 1.0, step: float = 0.1) -> fx.TimeSolution:
    model = four_bar(BARS, 0.5)
    turn = fx.RotationDriver(model.joint("A"), fx.motions.Ramp(0.0, 2.0, duration=1.0), name="motor")
    return fx.kinematics.solve_kinematics(model.with_(turn), until=until, step=step)


def arm() -> tuple[fx.Model, list[fx.RevoluteJoint]]:
    """Two rods of 1 m and 2 kg: the first level, the second up at 3:4, under gravity."""
    ends = ((0, 0), (1, 0), (1.8, 0.6))
    rods = [fx.PlanarRigidBody.rod(ends[i], ends[i + 1], mass=2.0, name=f"rod {n}") for i, n in enumerate("ab")]
    pins = [
        fx.RevoluteJoint(fx.ground, rods[0], at=ends[0], name="a"),
        fx.RevoluteJoint(rods[0], rods[1], at=ends[1], name="b"),
    ]
    return fx.Model(*rods, *pins, fx.Gravity((0.0, -9.81))), pins


def test_a_motion_prescribed_at_the_tip_becomes_torques_at_the_joints() -> None:
    """The tip of an arm is held by two rods to the ground; instead, motors at the joints carry the weights."""
    model, _ = arm()
    tip = model.body("rod b").marker_at((1.8, 0.6))
    held = [
        fx.DistanceDriver(fx.ground.marker(at), tip, math.dist(at[:2], (1.8, 0.6)), name=name)
        for name, at in (("x", (0.0, 2.0, 0.0)), ("y", (3.0, 2.0, 0.0)))
    ]
    run = fx.kinematics.solve_kinematics(model.with_(*held), until=1.0, step=0.5)
    found = fx.kinematics.inverse_dynamics(run, drives=["a", "b"])
    assert found["a"] == pytest.approx(2.0 * 9.81 * (0.5 + 1.4), abs=1e-9)
    assert found["b"] == pytest.approx(2.0 * 9.81 * 0.4, abs=1e-9)


def test_drives_that_cannot() -> None:
    model, pins = arm()
    drivers = [fx.RotationDriver(pin, 0.0, name=f"hold {pin.name}") for pin in pins]
    run = fx.kinematics.solve_kinematics(model.with_(*drivers), until=1.0, step=0.5)
    with pytest.raises(fx.ConvergenceError, match=r"'a' cannot bring about .*'rod [ab]' needs a force") as caught:
        fx.kinematics.inverse_dynamics(run, drives=["a"])
    assert caught.value.solution.unmet.max() > 0.1
    assert fx.kinematics.inverse_dynamics(run, drives=["a"], throw=False).unmet.max() > 0.1


def test_bad_input() -> None:
    run = moved()
    for wrong, says in (
        ({"drives": "A"}, "sequence of joints"),
        ({"drives": ["E"]}, "no joint named 'E'"),
        ({"drives": [3.0]}, "no joint or driver"),
        ({"drives": []}, "name drives"),
        ({"drives": ["A"], "weights": (1.0, 2.0)}, "weights"),
        ({"drives": ["A"], "weights": (0.0,)}, "weights must be positive"),
        ({"drives": [fx.RevoluteJoint(fx.ground, run.model.body("crank"), at=(0, 0))]}, "no joint or driver of model"),
        ({"throw": "no"}, "throw"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            fx.kinematics.inverse_dynamics(run, **wrong)
    with pytest.raises(fx.ModelError, match="motion must be what"):
        fx.kinematics.inverse_dynamics(run.model)
    still = fx.simulate(four_bar(BARS, 0.5), until=0.0)
    with pytest.raises(fx.ModelError, match="has no drivers"):
        fx.kinematics.inverse_dynamics(still)


def test_weights_share_the_power() -> None:
    run = moved()
    alone = fx.kinematics.inverse_dynamics(run)["motor"]
    crank = fx.kinematics.inverse_dynamics(run, drives=["A", "D"], weights=(1.0, 1e-7))
    assert crank["A"] == pytest.approx(alone, abs=1e-9)
    both = fx.kinematics.inverse_dynamics(run, drives=["A", "D"], weights=(2.0, 1.0))
    ratio = BARS.angles(0.5 + run.angle("A"))[1][1]
    assert both["D"] / both["A"] == pytest.approx(ratio / 4.0, abs=1e-8)
    assert both.power.sum(axis=1) == pytest.approx(alone * run.angular_velocity("crank")[:, 2], abs=1e-9)


def test_reactions_belong_to_the_drives() -> None:
    """At rest a crank that is held at its hinge or by a force at its end loads the hinge differently."""
    rod = fx.PlanarRigidBody.rod((0, 0), (2, 0), mass=3.0, name="rod")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    hold = fx.RotationDriver(pin, 0.0, name="hold")
    run = fx.kinematics.solve_kinematics(fx.Model(rod, pin, hold, fx.Gravity((0, -10.0))), until=1.0, step=1.0)
    jack = fx.JointForce((fx.ground.marker((2, -1, 0)), rod.marker_at((2, 0))), 0.0, coordinate="distance", name="jack")
    found = fx.kinematics.inverse_dynamics(run, drives=[jack])
    assert found["jack"] == pytest.approx(15.0, abs=1e-9)
    assert found.motion.reaction("pin")[0] == pytest.approx([0.0, 15.0, 0.0], abs=1e-9)
    assert fx.kinematics.inverse_dynamics(run).motion.reaction("pin")[0] == pytest.approx([0.0, 30.0, 0.0], abs=1e-9)
    assert fx.kinematics.inverse_dynamics(run)["hold"] == pytest.approx(30.0, abs=1e-9)


def test_motion_of_a_simulation_and_flexible_parts() -> None:
    """A beam swung by a driver: the force that is found is the multiplier of the simulation."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=3, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=10.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    hub = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="hub")
    pin = fx.RevoluteJoint(fx.ground, hub, at=(0, 0), name="pin")
    turn = fx.RotationDriver(pin, fx.motions.Ramp(0.0, 0.5, duration=0.5), name="motor")
    model = fx.Model(beam, hub, pin, fx.FixedJoint(hub, beam.start, name="root"), turn)
    run = fx.simulate(model, until=0.5, step=5e-3, progress=False)
    found = fx.kinematics.inverse_dynamics(run)
    assert np.abs(found["motor"] + run.multipliers("motor")[:, 0]).max() < 1e-6 * np.abs(found["motor"]).max()
    rope = fx.JointForce((beam.end, fx.ground.marker((3, 0, 0))), 0.0, coordinate="distance", name="rope")
    with pytest.raises(fx.ConvergenceError, match="cannot bring about"):
        fx.kinematics.inverse_dynamics(run, drives=[rope])


def test_forces_as_functions_and_picture() -> None:
    found = fx.kinematics.inverse_dynamics(moved(step=0.05))
    torque = found.function("motor")
    assert torque(float(found.t[3])) == pytest.approx(found["motor"][3], abs=1e-12)
    assert torque(99.0) == pytest.approx(found["motor"][-1], abs=1e-12)
    assert found.plot() is not None
    assert "motor" in repr(found)
    with pytest.raises(fx.ModelError, match="no drive named 'moter'"):
        found["moter"]


def test_turns_over_half_a_turn() -> None:
    """The sign of the torque and the rate go on over more than half a turn."""
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    turn = fx.RotationDriver(pin, fx.motions.Linear(2.0 * math.pi), name="motor")
    run = fx.kinematics.solve_kinematics(fx.Model(rod, pin, turn, fx.Gravity((0, -9.81))), until=1.5, step=0.05)
    found = fx.kinematics.inverse_dynamics(run, drives=["pin"])
    assert found["pin"] == pytest.approx(9.81 / 2 * np.cos(2 * math.pi * run.t), abs=1e-9)
    assert found.rate[:, 0] == pytest.approx(2.0 * math.pi, abs=1e-10)


def test_the_function_of_a_drive_jumps_where_the_acceleration_does():
    """A spline across the jumps of a trapezoidal profile was off by half of the jump."""
    arm = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0), name="arm")
    hinge = fx.RevoluteJoint(fx.ground, arm, at=(0, 0), name="hinge")
    profile = fx.motions.Trapezoid(0.0, 2.0, rate=3.0, acceleration=10.0)
    model = fx.Model(arm, hinge, fx.RotationDriver(hinge, profile, name="motor"), fx.Gravity((0, -9.81)))
    for step, until in ((0.01, 1.2), (0.007, 0.9), (profile.duration / 50, profile.duration)):
        motion = fx.kinematics.solve_kinematics(model, until=until, step=step)
        torque = fx.kinematics.inverse_dynamics(motion).function("motor")
        for t in np.linspace(0.0, until, 331):
            angle, _, acceleration = profile.at(t)
            assert torque(t) == pytest.approx(0.6 * acceleration + 9.81 * np.cos(angle), abs=2e-4)


def test_a_rest_that_comes_from_the_steps_of_a_simulation_is_told() -> None:
    """The smoothed acceleration at the start of a flexible body is not that of its equations."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel, name="beam",
    )  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, beam.start, name="hinge")
    motor = fx.RotationDriver(hinge, fx.motions.Ramp(0.0, 0.2, duration=0.5), name="motor")
    run = fx.simulate(fx.Model(beam, hinge, motor, fx.Gravity((0, -9.81))), until=0.02, step=1e-3)
    with pytest.raises(fx.ConvergenceError, match="In what simulate found the accelerations may be off"):
        fx.kinematics.inverse_dynamics(run)
    found = fx.kinematics.inverse_dynamics(run, throw=False)
    assert np.allclose(found["motor"][1:], run.reaction_moment("motor")[1:, 2], rtol=1e-6)
