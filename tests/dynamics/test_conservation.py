"""Balance of energy, momentum of free systems, and constraints that are met."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def momentum_by_hand(run: fx.TimeSolution, bodies) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the origin, of rigid bodies."""
    p, L = 0.0, 0.0
    for body in bodies:
        v, x, R, w = run.velocity(body), run.position(body), run.rotation(body), run.angular_velocity(body)
        p = p + body.mass * v
        L = L + np.cross(x, body.mass * v) + np.einsum("tij,tj->ti", R, w @ np.asarray(body.inertia))
    return p, L


def linked_bodies():
    """Three free bodies, joined by a universal joint and a ball joint, thrown and spinning."""
    boxes = [
        fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=1.0 + k, position=(1.0 * k, 0, 0), velocity=(0.3, 0.5 * k, -0.2),
                         angular_velocity=(0.5, 0.2 * k, 1.0), name=f"box {k}")
        for k in range(3)
    ]  # fmt: skip
    joints = (
        fx.UniversalJoint(boxes[0], boxes[1], at=(0.5, 0, 0), axes=((0, 1, 0), (0, 0, 1)), name="cross"),
        fx.SphericalJoint(boxes[1], boxes[2], at=(1.5, 0, 0), name="ball"),
    )
    return boxes, joints


@pytest.mark.filterwarnings("ignore:.*the joints changed:RuntimeWarning")
def test_momentum_of_linked_bodies_stays() -> None:
    """Linear momentum to round-off, angular momentum to the second order of the step."""
    drifts = []
    for h in (0.01, 0.005):
        boxes, joints = linked_bodies()
        run = fx.simulate(fx.Model(*boxes, *joints), 1.0, step=h)
        p, L = run.momentum()
        by_hand = momentum_by_hand(run, boxes)
        assert p == pytest.approx(by_hand[0], abs=1e-10)
        assert pytest.approx(by_hand[1], abs=1e-10) == L
        assert p == pytest.approx(np.tile(p[0], (len(run), 1)), abs=1e-9)
        drifts.append(np.abs(L - L[0]).max())
        assert run.residuals[:, 0].max() < 1e-9
        assert run.residuals[:, 1].max() < 1e-9
    assert drifts[0] < 2e-3
    assert math.log2(drifts[0] / drifts[1]) > 1.5


def test_momentum_of_a_free_cable_with_a_body() -> None:
    """A body that moves off pulls a cable after it; nothing holds them."""
    body = fx.RigidBody(0.5, (2e-3, 2e-3, 2e-3), position=(-0.05, 0, 0), velocity=(0, 0, 0),
                        angular_velocity=(3, 0, 0), name="body")  # fmt: skip
    cable = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=4, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.01),
        material=fx.Elastic(youngs_modulus=5e6, density=1100.0), name="cable",
    )  # fmt: skip
    pull = fx.PointForce(body.centre, (0.5, 1.0, 0.3), history=lambda t: 1.0 if t < 0.1 else 0.0)
    knot = fx.SphericalJoint(body, cable.start, at=(0, 0, 0), name="knot")
    run = fx.simulate(fx.Model(body, cable, knot, pull), 0.6, step=1e-3, output=fx.Output(every=0.01))
    p, L = run.momentum()
    after = run.t > 0.11
    impulse = 0.1 * np.array([0.5, 1.0, 0.3])
    assert p[after] == pytest.approx(np.tile(impulse, (after.sum(), 1)), abs=2e-3)
    assert p[after] == pytest.approx(np.tile(p[after][0], (after.sum(), 1)), abs=1e-8)
    assert np.abs(L[after] - L[after][0]).max() < 2e-4
    assert run.residuals[:, :2].max() < 1e-9
    total = run.energy.total[after]
    assert np.abs(total / total[0] - 1.0).max() < 0.05


def test_energy_of_a_pendulum_stays_to_second_order() -> None:
    drifts = []
    for h in (0.01, 0.005, 0.0025):
        bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
        run = fx.simulate(fx.Model(bar, hinge, fx.Gravity((0, 0, -G))), 1.0, step=h)
        height, speed, spin = run.position(bar)[:, 2], run.velocity(bar), run.angular_velocity(bar)
        by_hand = 2.0 * G * height + (speed**2).sum(axis=1) + 0.5 * (spin**2) @ np.diag(bar.inertia)
        assert run.energy.total == pytest.approx(by_hand, abs=1e-10)
        drifts.append(np.abs(run.energy.balance).max())
    assert math.log2(drifts[0] / drifts[1]) > 1.8
    assert math.log2(drifts[1] / drifts[2]) > 1.8


def test_energy_balance_with_a_driver_a_damper_and_a_changing_force() -> None:
    """What the motor and the force put in is stored or dissipated; what is dissipated is the integral of c v^2."""
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    motor = fx.RotationDriver(hinge, lambda t: 0.5 * np.sin(3.0 * t), name="motor")
    ball = fx.PointMass(1.0, position=(1.5, 0, 0), name="ball")
    strut = fx.SpringDamper(bar.marker((0.5, 0, 0)), ball, stiffness=80.0, damping=2.0, name="strut")
    push = fx.PointForce(ball.centre, (0, 1.0, 2.0), history=lambda t: np.cos(2.0 * t))
    model = fx.Model(bar, hinge, motor, ball, strut, push, fx.Gravity((0, 0, -G)))
    gaps = []
    for h in (2e-3, 1e-3):
        run = fx.simulate(model, 1.0, step=h)
        gaps.append(np.abs(run.energy.balance).max())
    tip = bar.marker((0.5, 0, 0))
    along = run.position(ball) - run.position(tip)
    along /= np.linalg.norm(along, axis=1)[:, None]
    rate = ((run.velocity(ball) - run.velocity(tip)) * along).sum(axis=1)
    lost = np.trapezoid(2.0 * rate**2, run.t)
    assert run.energy.dissipated[-1] == pytest.approx(lost, rel=1e-3)
    work = np.trapezoid(np.cos(2.0 * run.t) * (run.velocity(ball) @ [0, 1.0, 2.0]), run.t)
    assert run.energy.work_loads[-1] == pytest.approx(work, rel=1e-3)
    moment = run.reaction_moment(motor)[:, 2]
    assert run.energy.work_drivers[-1] == pytest.approx(np.trapezoid(moment * 1.5 * np.cos(3 * run.t), run.t), rel=1e-2)
    assert gaps[1] < 2e-4
    assert math.log2(gaps[0] / gaps[1]) > 1.6


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("step", [5e-3, None])
@pytest.mark.filterwarnings("ignore:.*the joints changed:RuntimeWarning")
def test_constraints_are_met(index: int, step) -> None:
    boxes, joints = linked_bodies()
    base = fx.RevoluteJoint(fx.ground, boxes[0], at=(-0.5, 0, 0), axis=(0, 1, 0), name="base")
    run = fx.simulate(
        fx.Model(*boxes, *joints, base, fx.Gravity((0, 0, -G))), 1.0, step=step,
        integrator=fx.GeneralizedAlpha(rho_inf=0.8, index=index),
    )  # fmt: skip
    assert run.residuals[:, 0].max() < 1e-9
    if index == 2:
        assert run.residuals[:, 1].max() < 1e-9
