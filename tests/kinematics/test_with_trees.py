"""The same analyses of an arm described by its joint coordinates, against the one of bodies and joints."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.verification.cases.mechanisms.driven_mechanisms import INERTIAS, MASSES
from flexmbs.verification.cases.mechanisms.inverse_kinematics import AXES, HAND, PLACES, six_axes
from flexmbs.verification.cases.mechanisms.inverse_kinematics import arm as arm_of_bodies
from flexmbs.verification.reference.driven import FourBar, drive_torque

ANGLES = np.array([0.4, 0.3, 0.6, -0.5, 0.7, 0.2])
WEIGHT = fx.Gravity((0.0, 0.0, -9.81))


def arm() -> tuple[trees.Tree, fx.Marker]:
    """The arm of the verification case as a tree, and its hand."""
    ends, before = (*PLACES[1:], HAND), (PLACES[0], *PLACES)
    links = [
        trees.Link(
            f"l{i}", 1.0, (0.1, 0.1, 0.1), 0.5 * (np.array(ends[i]) - PLACES[i]), f"l{i - 1}" if i else None,
            trees.Revolute(AXES[i]), at=np.array(PLACES[i]) - before[i],
        )
        for i in range(6)
    ]  # fmt: skip
    tree = trees.Tree(*links, name="arm")
    return tree, tree.link("l5").marker(np.array(HAND) - PLACES[5])


def test_inverse_kinematics_without_any_constraint() -> None:
    tree, hand = arm()
    p, R = six_axes(ANGLES)
    bent = fx.kinematics.JointLimit(tree.joint("l2"), 0.01, 2.5)
    pose = fx.kinematics.inverse_kinematics(
        fx.Model(tree), fx.kinematics.PoseTarget(hand, position=p, rotation=R), limits=[bent], n_starts=5
    )
    found = np.array([pose.angle(tree.joint(f"l{i}"))[0] for i in range(6)])
    p2, R2 = six_axes(found)
    assert p2 == pytest.approx(p, abs=1e-8)
    assert pytest.approx(R, abs=1e-8) == R2


def test_drive_forces_of_a_tree_are_those_of_the_bodies() -> None:
    tree, hand = arm()
    ramps = [fx.motions.Ramp(0.0, a, duration=1.0) for a in ANGLES]
    drivers = [fx.RotationDriver(tree.joint(f"l{i}"), ramp, name=f"m{i}") for i, ramp in enumerate(ramps)]
    motion = fx.kinematics.solve_kinematics(fx.Model(tree, *drivers, WEIGHT), until=1.0, step=0.1)
    assert motion.position(hand)[-1] == pytest.approx(six_axes(ANGLES)[0], abs=1e-12)
    forces = fx.kinematics.inverse_dynamics(motion)
    named = fx.kinematics.inverse_dynamics(motion, drives=[tree.joint(f"l{i}") for i in range(6)])
    assert named.force == pytest.approx(forces.force, abs=1e-10)
    model, _ = arm_of_bodies()
    drivers = [fx.RotationDriver(model.joint(f"axis {i + 1}"), ramp, name=f"m{i}") for i, ramp in enumerate(ramps)]
    other = fx.kinematics.inverse_dynamics(
        fx.kinematics.solve_kinematics(model.with_(*drivers, WEIGHT), until=1.0, step=0.1)
    )
    assert forces.force == pytest.approx(other.force, abs=1e-10)


def test_freedoms_of_trees_are_named() -> None:
    tree, _ = arm()
    with pytest.raises(fx.ModelError, match="leave 6 freedoms"):
        fx.kinematics.solve_kinematics(fx.Model(tree), until=1.0)


def test_a_loop_of_a_tree_and_a_body() -> None:
    """Four-bar: crank and coupler as a tree, the rocker as a body, against the power of the moving masses."""
    data, start = FourBar(1.0, 3.0, 2.5, 3.0), 0.5
    (beta, *_), (psi, *_) = (tuple(float(x[0]) for x in angles) for angles in data.angles(np.array([start])))
    about_z = trees.Revolute((0, 0, 1))
    linkage = trees.Tree(
        trees.Link("crank", MASSES[0], (0.1, 0.2, 0.2), (0.5, 0, 0), joint=about_z, start=start),
        trees.Link(
            "coupler", MASSES[1], (0.1, 0.5, 0.5), (1.5, 0, 0), "crank", about_z, at=(1, 0, 0), start=beta - start
        ),
        name="linkage",
    )
    pivot = np.array([3.0, 0.0, 0.0])
    along = np.array([np.cos(psi), np.sin(psi), 0.0])
    turn = np.column_stack([along, [-along[1], along[0], 0.0], [0.0, 0.0, 1.0]])
    rocker = fx.RigidBody(
        MASSES[2], np.diag([0.1, 0.7, 0.7]), position=pivot + 1.25 * along, rotation=turn, name="rocker"
    )
    joints = (
        fx.RevoluteJoint(fx.ground, rocker, at=pivot, axis=(0, 0, 1), name="D"),
        fx.SphericalJoint(linkage.link("coupler").marker((3, 0, 0)), rocker.marker((1.25, 0, 0)), name="C"),
    )
    ramp = fx.motions.Ramp(start, start + 4.0, duration=2.0)
    driver = fx.RotationDriver(linkage.joint("crank"), ramp, name="motor")
    model = fx.Model(linkage, rocker, *joints, driver, fx.Gravity((0, -9.81, 0)))
    motion = fx.kinematics.solve_kinematics(model, until=2.0, step=0.1)
    theta, rate, second = (np.array(x) for x in zip(*map(ramp.at, motion.t), strict=True))
    exact = drive_torque(data.paths(theta, MASSES, INERTIAS), rate, second, 9.81)
    assert fx.kinematics.inverse_dynamics(motion)["motor"] == pytest.approx(exact, abs=1e-8)
    angles = data.angles(theta)[1][0]
    assert motion.angle("D") == pytest.approx(angles - angles[0], abs=1e-10)
