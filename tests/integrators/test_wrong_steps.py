"""Steps that would go wrong without a word: large turns, contradicting constraints, other solutions, light bodies."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def test_turns_are_not_lost_by_large_steps() -> None:
    """Two wheels at 100 and -50 rad/s coupled by a gear: uniform rotation, which no error estimate sees."""
    a = fx.PlanarRigidBody(1.0, 0.3, position=(0, 0), angular_velocity=100.0, name="a")
    b = fx.PlanarRigidBody(1.0, 0.7, position=(3, 0), angular_velocity=-50.0, name="b")
    hinges = [fx.RevoluteJoint(fx.ground, body, at=body.position) for body in (a, b)]
    model = fx.Model(a, b, *hinges, fx.Gear(*hinges, ratio=-0.5))
    for step in (None, 0.1):
        run = fx.simulate(model, 1.0, step=step)
        np.testing.assert_allclose(run.q[-1, [2, 5]], (100.0, -50.0), rtol=1e-9)


@pytest.mark.parametrize("index", [2, 3])
def test_contradicting_drivers_are_not_followed(index: int) -> None:
    bar = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    drives = [fx.RotationDriver(hinge, motion=fx.motions.Ramp(0, e, 1.0), name=f"drive {e:g}") for e in (1.0, 1.5)]
    scheme = fx.GeneralizedAlpha(index=index)
    with pytest.raises(fx.ConvergenceError, match=r"Redundant are: .*drive") as caught:
        fx.simulate(fx.Model(bar, hinge, *drives), 1.0, step=1e-3, integrator=scheme)
    assert caught.value.solution.t[-1] < 0.1
    assert caught.value.solution.residuals[:, 0].max() < 1e-5


@pytest.mark.parametrize("mass", [1e-6, 1.0])
def test_the_error_of_a_light_body_counts(mass: float) -> None:
    """A light oscillator of 20 rad/s beside a body of a tonne."""
    heavy = fx.PointMass(1000.0, position=(0.0, 0, 0.0), velocity=(0, 1.0, 0), name="heavy")
    light = fx.PointMass(mass, position=(1.0, 0, 1.0), name="light")
    anchor = fx.ground.marker((0, 0, 1))
    spring = fx.SpringDamper(anchor, light, stiffness=400.0 * mass, free_length=0.5, name="spring")
    run = fx.simulate(fx.Model(heavy, light, spring), 1.0, output=fx.Output(every=0.05))
    np.testing.assert_allclose(run.position(light)[:, 0], 0.5 + 0.5 * np.cos(20.0 * run.t), atol=2e-3)


@pytest.mark.parametrize("elements", [5, 10])
def test_a_rope_does_not_buckle_into_another_solution(elements: int) -> None:
    """A rope with a ball swings by 5 degrees; with steps of 5 ms its axial waves are not resolved."""
    end = 2.0 * np.array([np.sin(np.radians(5)), 0.0, -np.cos(np.radians(5))])
    stiffness = fx.BeamStiffness(EA=1e5, EI_y=1e-4, EI_z=1e-4, mass_per_length=0.01)
    rope = fx.FlexibleBody.line(
        (0, 0, 0), tuple(end), elements=elements, element=fx.elements.ANCFCable3D(), stiffness=stiffness, name="rope"
    )
    ball = fx.PointMass(1.0, position=tuple(end), name="ball")
    joints = fx.SphericalJoint(fx.ground, rope.start), fx.SphericalJoint(rope.end, ball)
    run = fx.simulate(fx.Model(rope, ball, *joints, fx.Gravity((0, 0, -G))), 3.0, step=5e-3)
    assert np.abs(run.energy.balance).max() < 0.05 * np.ptp(run.energy.potential)


def test_the_work_of_a_constant_torque_is_what_a_gain_is_compared_with(recwarn: pytest.WarningsRecorder) -> None:
    """Kinetic energy and the potential of the torque take each other off."""
    crank = fx.PlanarRigidBody.rod((0, 0), (0.1, 0), mass=1.0, name="crank")
    lever = fx.PlanarRigidBody.rod((0, -0.3), (0.19, 0.27), mass=2.0, name="lever")
    hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0), name="hinge")
    joints = (
        fx.RevoluteJoint(fx.ground, lever, at=(0, -0.3), name="pivot"),
        fx.PointOnLineConstraint(lever, crank, at=(0.1, 0), axis=(0.1, 0.3)),
    )
    run = fx.simulate(fx.Model(crank, lever, hinge, *joints, fx.JointForce(hinge, 5.0)), until=0.3, step=2e-4)
    assert run.energy.balance.max() < 0.01 * run.energy.kinetic.max()
    assert not [w for w in recwarn if "nowhere" in str(w.message)]


def test_energy_from_nowhere_is_told() -> None:
    """A ball falls on a stiff stop with fixed steps many times as long as the contact."""
    ball = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="ball")
    rail = fx.PrismaticJoint(fx.ground, ball, at=(0, 0), axis=(0, 1, 0), name="rail")
    floor = fx.JointStop(rail, lower=-0.9, stiffness=1e8, name="floor")
    model = fx.Model(ball, rail, floor, fx.Gravity((0, -G)))
    with pytest.warns(fx.AccuracyWarning, match=r"gained .* of energy from nowhere"):
        run = fx.simulate(model, 0.6, step=fx.FixedStep(4e-3, max_halvings=0))
    assert run.energy.kinetic.max() > 2.0 * G * 0.9  # more than it has fallen
