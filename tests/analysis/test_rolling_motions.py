"""Small motions about motions that roll: velocities are constrained, positions are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.verification.cases.modes.bicycle import M as MASS
from flexmbs.verification.cases.modes.bicycle import bicycle, first_order

RADIUS, TRAIL, SPEED, SPIN = 0.1, 0.05, 1.0, 2.0


def castor(driven: bool = False, turned: float = 0.0) -> fx.Model:
    """A wheel on a fork behind its pivot, which a cart pulls along a rail; the fork is turned by an angle."""
    v, arm = (SPEED, 0.0, 0.0), TRAIL * np.array([1.0 - np.cos(turned), -np.sin(turned), 0.0])
    rate = SPEED * np.sin(turned) / TRAIL  # what the wheel would slip sideways
    cart = fx.RigidBody.box(size=(0.2, 0.2, 0.1), mass=5.0, position=(TRAIL, 0, 0.3), velocity=v, name="cart")
    side = np.cross((0.0, 0.0, -rate), arm - np.array([TRAIL, 0.0, 0.0]))
    fork = fx.RigidBody(1.0, (0.01,) * 3, position=(*arm[:2], 0.15), velocity=v + side, name="fork")
    wheel = fx.RigidBody(0.5, (0.003, 0.005, 0.003), position=(*arm[:2], RADIUS), velocity=v + side, name="wheel")
    axle = (-np.sin(turned), np.cos(turned), 0.0)
    fork = fork.with_spin((0.0, 0.0, -rate))
    wheel = wheel.with_spin(np.array((0.0, 0.0, -rate)) + SPEED * np.cos(turned) / RADIUS * np.array(axle))
    rail = fx.PrismaticJoint(fx.ground, cart, at=(TRAIL, 0, 0.3), axis=(1, 0, 0), name="rail")
    items: list[Any] = [
        cart, fork, wheel, rail,
        fx.RevoluteJoint(cart, fork, at=(TRAIL, 0, 0.3), axis=(0, 0, 1), name="pivot"),
        fx.RevoluteJoint(fork, wheel, at=(*arm[:2], RADIUS), axis=axle, name="hub"),
        fx.RollingDisk(fx.ground, wheel, radius=RADIUS, axis=axle, name="contact"),
    ]  # fmt: skip
    if driven:
        items.append(fx.TranslationDriver(rail, rate=SPEED, name="pull"))
    return fx.Model(*items)


@pytest.mark.parametrize("driven", [False, True])
def test_a_castor_turns_back_with_the_speed_over_its_trail(driven: bool) -> None:
    """c d(delta)/dt = -v delta, by modes and by the linear model, also where a driver leaves no velocity free."""
    model = castor(driven)
    roots = fx.solve_modal(model).roots
    assert roots[np.abs(roots) > 1e-6] == pytest.approx([-SPEED / TRAIL], rel=1e-9)
    linear = fx.linearise(model, outputs=[fx.control.JointSensor("pivot")])
    assert linear.poles[np.abs(linear.poles) > 1e-6] == pytest.approx([-SPEED / TRAIL], rel=1e-9)
    assert np.abs(linear.C).max() == pytest.approx(1.0)  # the angle is a state, without a rate of its own
    assert "rate of" not in linear.states[int(np.argmax(np.abs(linear.C)))]


def test_the_run_of_a_castor_decays_as_its_root_says() -> None:
    run = fx.simulate(castor(driven=True, turned=1e-3), 0.2, step=1e-3, progress=False)
    angle = run.angle("pivot")
    assert angle[-1] - angle[0] == pytest.approx(-1e-3 * (1.0 - np.exp(-SPEED / TRAIL * 0.2)), rel=1e-3)


def test_a_ball_at_rest_on_a_turntable_goes_round_with_two_sevenths() -> None:
    """v' = (2/7) W x v for a homogeneous ball that rolls on a table of rate W."""
    r, at = 0.05, 0.3
    table = fx.RigidBody.cylinder(radius=1.0, length=0.02, mass=100.0, angular_velocity=(0, 0, SPIN), name="table")
    pivot = fx.RevoluteJoint(fx.ground, table, at=(0, 0, 0), axis=(0, 0, 1), name="pivot")
    ball = fx.RigidBody.sphere(radius=r, mass=1.0, position=(at, 0, 0.01 + r), name="ball")
    ball = ball.with_spin((SPIN * at / r, 0.0, 0.0))
    model = fx.Model(
        table, pivot, ball, fx.RotationDriver(pivot, rate=SPIN),
        fx.RollingBall(table, ball, radius=r, normal=(0, 0, 1)), fx.Gravity((0, 0, -9.81)),
    )  # fmt: skip
    modes = fx.solve_modal(model)
    assert not modes.growing.any()
    frequencies = np.abs(modes.roots.imag)
    assert np.abs(frequencies - 2.0 / 7.0 * SPIN).min() < 1e-9
    rounds = np.array([0.0, 2.0 / 7.0 * SPIN, SPIN * at / r])  # of the last the orientation of the ball in its spin
    assert all(np.abs(rounds - f).min() < 1e-5 for f in frequencies)


def test_where_a_bicycle_goes_is_a_state_of_the_linear_model() -> None:
    """Way and heading have no root of their own among the modes, and can be outputs."""
    model, s = bicycle(5.0), 0.7j
    modes = fx.solve_modal(model)
    assert len(modes.roots) == 5  # two at zero, of the way and the speed, two real ones, a pair
    assert np.sum(np.abs(modes.roots) < 1e-6) == 2
    wheel, steering = model.body("rear wheel"), model.joint("steer")
    side = fx.control.PositionSensor(wheel, (0, 1, 0), name="side")
    linear = fx.linearise(model, [fx.JointForce(steering, 1.0, name="torque")], [side])
    assert len(linear.poles) == 10
    torque = np.concatenate((np.zeros(2), np.linalg.solve(MASS, [0.0, 1.0])))
    lean, steer, _, _ = np.linalg.solve(s * np.eye(4) - first_order(5.0), torque)
    heading = (5.0 + 0.08 * s) * np.cos(np.pi / 10.0) / 1.02 * steer / s  # equation (B 1) of the paper
    assert abs(linear.transfer(0.7)[0, 0]) == pytest.approx(abs(5.0 * heading / s + 0.3 * lean), rel=1e-6)


def test_periodic_motions_that_roll_are_refused() -> None:
    with pytest.raises(fx.ModelError, match=r"'contact'.* constrains velocities and not positions; periodic motions"):
        fx.floquet(castor(), period=0.1)
