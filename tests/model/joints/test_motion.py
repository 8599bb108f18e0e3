"""Joints in motion, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def test_disk_rolls_down_a_slope():
    """A solid disk: acceleration 2/3 g sin, friction m g sin / 3."""
    m, r, slope = 2.0, 0.25, 0.3
    disk = fx.PlanarRigidBody(m, 0.5 * m * r**2, position=(0, r), name="disk")
    roll = fx.RollingDisk(fx.ground, disk, radius=r)
    weight = fx.Gravity((G * np.sin(slope), -G * np.cos(slope)))
    run = fx.simulate(fx.Model(disk, roll, weight), until=1.0, step=2e-2)
    assert run.position(disk)[-1] == pytest.approx((G * np.sin(slope) / 3.0, r, 0.0), abs=1e-9)
    forces = (-m * G * np.cos(slope), m * G * np.sin(slope) / 3.0)
    assert run.multipliers(roll)[-1] == pytest.approx(forces, rel=1e-9)


def test_ball_on_a_turntable_runs_in_a_circle():
    """A solid ball on a plate that turns with w: its centre circles with 2/7 w about a point of its own."""
    w, r, v = 2.0, 0.1, 0.3
    plate = fx.RigidBody(1.0, (1, 1, 1), angular_velocity=(0, 0, w), name="plate")
    # without slip: v_ball + spin x (0, 0, -r) = w z x p
    p = np.array([0.4, 0.0, r])
    spin = ((w * p[0] - v) / r, 0.0, 0.0)
    ball = fx.RigidBody(1.0, 3 * (0.4 * r**2,), position=p, velocity=(0, v, 0), angular_velocity=spin, name="ball")
    hinge = fx.RevoluteJoint(fx.ground, plate, at=(0, 0, 0), axis=(0, 0, 1))
    motor = fx.RotationDriver(hinge, rate=w)
    run = fx.simulate(
        fx.Model(plate, ball, hinge, motor, fx.RollingBall(plate, ball, radius=r), fx.Gravity((0, 0, -G))),
        until=2.0,
        step=5e-3,
    )
    rate = 2.0 / 7.0 * w
    centre = p[0] - v / rate
    expected = np.column_stack((centre + v / rate * np.cos(rate * run.t), v / rate * np.sin(rate * run.t)))
    assert run.position(ball)[:, :2] == pytest.approx(expected, abs=1e-4)
    assert run.angle(hinge)[-1] == pytest.approx(2.0 * w, abs=1e-9)


def test_spatial_disk_keeps_its_energy_and_contact():
    wheel = fx.RigidBody(
        1.0, (0.01, 0.02, 0.01), position=(0, 0, 0.2), velocity=(0.8, -0.06, 0), angular_velocity=(0.3, 4.0, 0.5),
        name="wheel",
    )  # fmt: skip
    roll = fx.RollingDisk(fx.ground, wheel, radius=0.2, axis=(0, 1, 0))
    run = fx.simulate(fx.Model(wheel, roll, fx.Gravity((0, 0, -G))), until=1.0, step=2e-3)
    w = run.rotation(wheel)[:, :, 1]
    assert run.position(wheel)[:, 2] == pytest.approx(0.2 * np.hypot(w[:, 0], w[:, 1]), abs=1e-9)
    assert abs(w[:, 2]).max() > 0.03  # it does lean
    speed, spin = run.velocity(wheel), run.angular_velocity(wheel)
    energy = 0.5 * (speed**2).sum(axis=1) + 0.5 * spin**2 @ [0.01, 0.02, 0.01] + G * run.position(wheel)[:, 2]
    assert energy == pytest.approx(energy[0], abs=1e-4)


def test_universal_joint_turns_unevenly():
    """Shafts at an angle delta: tan(out) = cos(delta) tan(in), the input fork upright at the start."""
    delta = 0.5
    out = np.array([np.cos(delta), np.sin(delta), 0.0])
    first = fx.RigidBody(1.0, (0.1, 0.1, 0.1), name="first")
    second = fx.RigidBody(1.0, (0.1, 0.1, 0.1), name="second")
    hinge = fx.RevoluteJoint(fx.ground, first, at=(0, 0, 0), axis=(1, 0, 0))
    joints = (
        hinge,
        fx.ParallelAxesConstraint(fx.ground, second, axis=out, name="bearing"),
        fx.UniversalJoint(first, second, at=(0, 0, 0), axes=((0, 0, 1), (-out[1], out[0], 0))),
        fx.RotationDriver(hinge, fx.motions.Linear(3.0)),
    )

    run = fx.simulate(fx.Model(first, second, *joints), until=2.0, step=1e-2)
    turn = run.angle(hinge)
    assert turn == pytest.approx(3.0 * run.t, abs=1e-9)
    expected = np.unwrap(np.arctan2(np.cos(delta) * np.sin(turn), np.cos(turn)))
    found = np.unwrap(
        np.arctan2(run.rotation(second)[:, 2, :] @ np.cross(out, (0, 0, 1)), run.rotation(second)[:, 2, 2])
    )
    assert abs(found) == pytest.approx(abs(expected), abs=1e-8)


def test_screw_falls_by_its_pitch():
    """Down a steep thread: acceleration m g c^2 / (m c^2 + J) with c = pitch / 2 pi."""
    m, inertia, c = 2.0, 0.03, 0.1
    nut = fx.RigidBody(m, (1, 1, inertia), name="nut")
    screw = fx.ScrewJoint(fx.ground, nut, 2.0 * np.pi * c, at=(0, 0, 0), axis=(0, 0, 1))
    run = fx.simulate(fx.Model(nut, screw, fx.Gravity((0, 0, -G))), until=3.0, step=2e-2)
    fall = -0.5 * m * G * c**2 / (m * c**2 + inertia) * run.t**2
    assert run.position(nut)[:, 2] == pytest.approx(fall, abs=1e-8)
    assert run.angle(screw) == pytest.approx(fall / c, abs=1e-7)
    assert abs(run.angle(screw)[-1]) > 6.0 * np.pi


def test_weight_on_a_rack_drives_two_gears():
    """Inertia seen by the rack: m + (J_1 + ratio^2 J_2) / r^2."""
    m, r, ratio, J1, J2 = 1.5, 0.2, -3.0, 0.05, 0.02
    rack = fx.PlanarRigidBody(m, 0.1, position=(r, 0), name="rack")
    wheels = [fx.PlanarRigidBody(1.0, J, position=(-0.5 * k, 0), name=f"wheel {k}") for k, J in enumerate((J1, J2))]
    slide = fx.PrismaticJoint(fx.ground, rack, at=(r, 0), axis=(0, 1))
    shafts = [fx.RevoluteJoint(fx.ground, wheel, at=wheel.position) for wheel in wheels]
    gear, drive = fx.Gear(*shafts, ratio=ratio), fx.RackAndPinion(shafts[0], slide, radius=r)
    run = fx.simulate(fx.Model(rack, *wheels, slide, *shafts, gear, drive, fx.Gravity((0, -G))), until=2.0, step=2e-2)
    acceleration = -m * G / (m + (J1 + ratio**2 * J2) / r**2)
    fall = 0.5 * acceleration * run.t**2
    assert run.position(rack)[:, 1] == pytest.approx(fall, abs=1e-8)
    assert run.angle(shafts[1]) == pytest.approx(ratio * fall / r, abs=1e-7)
    assert run.multipliers(gear)[-1] == pytest.approx(-J2 * ratio * acceleration / r, rel=1e-8)


def test_drivers_follow_their_motions():
    crank = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="crank")
    block = fx.PlanarRigidBody(1.0, 0.1, position=(0, 2), name="block")
    ball = fx.PointMass(1.0, position=(5, 0), name="ball")
    hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0))
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 2), axis=(1, 0))
    cylinder = fx.DistanceDriver(fx.ground.marker((3, 0, 0)), ball, lambda t: 2.0 + 0.3 * t**2)
    joints = (
        hinge, slide, cylinder,
        fx.PointOnLineConstraint(fx.ground, ball, axis=(1, 0)),
        fx.RotationDriver(hinge, lambda t: 2.0 * t**2),
        fx.TranslationDriver(slide, rate=lambda t: np.cos(2.0 * t) - 1.0),
    )  # fmt: skip
    run = fx.simulate(fx.Model(crank, block, ball, *joints), until=2.0, step=5e-3)
    assert run.angle(hinge) == pytest.approx(2.0 * run.t**2, abs=1e-9)
    assert run.position(ball)[:, 0] == pytest.approx(5.0 + 0.3 * run.t**2, abs=1e-9)
    assert run.translation(slide) == pytest.approx(0.5 * np.sin(2.0 * run.t) - run.t, abs=1e-4)
    assert run.multipliers(cylinder)[-1] == pytest.approx([-0.6], abs=1e-4)
