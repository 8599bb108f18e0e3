"""Maps over a workspace: drives that are limited, poses that are singular, files that other processes go on with."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import Between, Ended, Family, Grid, Study, Workspace, workspace_measures
from flexmbs.verification.cases.studies.redundant_robot import (
    LIMIT,
    MASS,
    STIFFNESS,
    angle_of,
    by_hand,
    drives,
    forces,
    motions,
    rates,
    robot,
)


def test_one_pose_by_hand() -> None:
    found = Workspace(forces, motions, drives, LIMIT, rest=angle_of).perform(robot(0.1, -0.2, legs=4))
    plane, frequency, least = by_hand(0.1, -0.2, 4)
    np.testing.assert_allclose(found.stiffness, plane, rtol=1e-9)
    assert found.frequency == pytest.approx(frequency, rel=1e-9)
    assert found.acceleration == pytest.approx(least, rel=1e-9)


def test_a_fourth_leg_takes_nothing_away() -> None:
    """A leg that is added, where the others stay, adds a positive semidefinite part to the stiffness."""
    J = rates(0.1, 0.2, 4)
    K = STIFFNESS * J.T @ J
    less = STIFFNESS * J[:3].T @ J[:3]
    assert np.linalg.eigvalsh(K - less)[0] > -1e-9 * np.linalg.eigvalsh(K)[-1]
    four = robot(0.1, 0.2, legs=4)
    pose = Workspace(forces, motions, drives, LIMIT, rest=angle_of)
    without = pose.perform(fx.Model(four.rigid_bodies[0], *four.forces[:3]))
    gained = np.linalg.eigvalsh(pose.perform(four).stiffness - without.stiffness)
    assert gained[0] > -1e-9 * gained[1]
    assert gained[1] > 0.1 * STIFFNESS
    assert pose.perform(four).acceleration >= without.acceleration - 1e-9


def test_free_turn_and_space() -> None:
    """Three springs along the axes: k each, the acceleration is that of one drive along its own axis."""

    def table() -> fx.Model:
        ball = fx.PointMass(MASS, position=(0, 0, 0), name="ball")
        legs = [fx.SpringDamper(fx.ground.marker(tuple(-np.eye(3)[i])), ball, stiffness=STIFFNESS, free_length=1.0,
                                name=f"leg {i}") for i in range(3)]  # fmt: skip
        return fx.Model(ball, *legs)

    found = Workspace(
        lambda m: [fx.PointForce(m.rigid_bodies[0], axis) for axis in np.eye(3)],
        lambda m: [fx.control.PositionSensor(m.rigid_bodies[0], axis) for axis in np.eye(3)],
        drives, (LIMIT, 2 * LIMIT, 3 * LIMIT),
    ).perform(table())  # fmt: skip
    np.testing.assert_allclose(found.stiffness, STIFFNESS * np.eye(3), rtol=1e-9, atol=1e-6 * STIFFNESS)
    expected = np.min(np.array([1.0, 2.0, 3.0]) / np.maximum(np.abs(found.directions), 1e-12), axis=1) * LIMIT / MASS
    np.testing.assert_allclose(found.accelerations, expected, rtol=1e-9)


def test_poses_without_hold_have_their_status() -> None:
    family = Family(partial(robot, legs=3), x=Between(-0.1, 0.1))

    def loose(x: float) -> fx.Model:
        model = robot(x, 0.0, legs=3)
        return model if x < 0.05 else fx.Model(model.rigid_bodies[0], *model.forces[:1])

    pose = Workspace(forces, motions, drives, LIMIT)
    assert not Study(family, Grid(x=2), workspace_measures(), pose).run(progress=False).failed
    done = Study(Family(loose, x=Between(-0.1, 0.1)), Grid(x=2), workspace_measures(), pose).run(progress=False)
    assert done[0].ended is Ended.DONE
    assert done[1].ended is Ended.INVALID
    assert "singular" in done[1].message


def test_bad_input() -> None:
    with pytest.raises(fx.ModelError, match="limits must be positive"):
        Workspace(forces, motions, drives, 0.0)
    with pytest.raises(fx.ModelError, match="belong together"):
        Workspace(forces, angle_of, drives, 1.0).perform(robot(legs=3))
    with pytest.raises(fx.ModelError, match="limits"):
        Workspace(forces, motions, drives, (1.0, 2.0)).perform(robot(legs=3))


def test_another_process_knows_the_analysis(tmp_path: Path) -> None:
    """Functions of an analysis are told by their text, not by where they lie in memory."""
    script = (
        "import sys\n"
        "from flexmbs.studies import *\n"
        "from flexmbs.verification.cases.studies import redundant_robot as r\n"
        "family = Family(r.robot, x=Between(-0.1, 0.1), legs=Choices(3, 4))\n"
        "pose = Workspace(r.forces, r.motions, r.drives, r.LIMIT)\n"
        "done = Study(family, Grid(x=2), workspace_measures(), pose).run(sys.argv[1], progress=False)\n"
        "print(len(done.failed))\n"
    )
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "map.h5")], capture_output=True, text=True, check=False
        )
        assert ended.stdout.strip() == "0", ended.stderr
