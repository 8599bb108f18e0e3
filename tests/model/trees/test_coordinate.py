"""Coordinates of joints of trees: angles and lengths, as forces, limits and results take them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.model.forces.coordinate import coordinate
from flexmbs.results.quantities import asked


def joint_of(joint: trees.TreeJoint) -> Any:
    return trees.Tree(trees.Link("link", 2.0, (0.1, 0.2, 0.3), (0.1, 0, 0), joint=joint)).joint("link")


@pytest.mark.parametrize(
    ("joint", "units"),
    [
        (trees.Revolute(), ["rad"]),
        (trees.Prismatic(), ["length"]),
        (trees.Helical(0.1), ["rad"]),
        (trees.Cylindrical(), ["length", "rad"]),
        (trees.Universal(), ["rad", "rad"]),
        (trees.Planar(), ["length", "length", "rad"]),
        (trees.PrismaticSpherical(), ["length"]),
        (trees.Screws([(0.01, 0, 0, 1, 0, 0), (0, 1, 0, 0, 0, 0)]), ["rad", "length"]),
    ],
)
def test_each_coordinate_is_an_angle_or_a_length(joint: trees.TreeJoint, units: list[str]) -> None:
    own = joint_of(joint)
    found = [coordinate("it", own, label) for label in own.coordinates]
    assert [at.unit for at in found] == units
    assert [at.load for at in found] == ["force length" if unit == "rad" else "force" for unit in units]


def test_friction_of_a_journal_brakes_with_its_radius() -> None:
    """A wheel that slides slows down by coefficient load radius / J."""
    wheel = trees.Tree(trees.Link("wheel", 1.0, (0.1, 0.1, 0.2), joint=trees.Revolute(), rate=5.0))
    rubs = fx.CoulombFriction(wheel.joint("wheel"), coefficient=0.3, load=20.0, speed=1e-3, radius=0.1, name="rubs")
    run = fx.simulate(fx.Model(wheel, rubs), until=0.5, step=0.01, progress=False)
    rate = run.coordinate_rate(wheel.joint("wheel"), "angle")
    np.testing.assert_allclose(rate, 5.0 - 0.3 * 20.0 * 0.1 / 0.2 * run.t, rtol=0.0, atol=1e-6)


def test_a_slide_has_no_radius() -> None:
    with pytest.raises(fx.ModelError, match="the coordinate is no angle"):
        fx.CoulombFriction(joint_of(trees.Prismatic()), coefficient=0.1, load=1.0, speed=0.1, radius=0.2)


@pytest.mark.parametrize(
    "limited",
    [
        lambda on: fx.JointStop(on, upper=45.0, stiffness=3.0),
        lambda on: fx.kinematics.JointLimit(on, -45.0, 0.5),
        lambda on: fx.Latch(on, at=45.0, stiffness=1.0, damping=1.0, closing_time=0.1),
    ],
)
def test_degrees_are_warned_of_at_angles_alone(limited: Callable[[Any], Any]) -> None:
    with pytest.warns(fx.UnitsWarning, match="degrees"):
        limited(joint_of(trees.Revolute()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limited(joint_of(trees.Prismatic()))


def test_quantities_have_the_unit_of_the_coordinate() -> None:
    own = joint_of(trees.Cylindrical())
    motors = [fx.JointForce(own, 1.0, coordinate=label, name=label) for label in own.coordinates]
    run = fx.simulate(fx.Model(own.tree, *motors), until=0.01, step=1e-3, progress=False)
    found = [asked(run, name)[0].unit for name in ("displacement.force", "angle.force", "displacement.coordinate")]
    assert found == ["N", "N m", "m"]


def test_a_driver_of_an_angle_is_an_equation_of_angles() -> None:
    """As between rigid bodies: what it may be off by does not go by the size of the model; of a slide it does."""
    far = fx.RigidBody(1.0, (1, 1, 1), position=(1000.0, 0, 0), name="far")
    for joint, drive in ((trees.Revolute(), fx.RotationDriver), (trees.Prismatic(), fx.TranslationDriver)):
        own = joint_of(joint)
        model = fx.Model(own.tree, far, drive(own, 0.0, name="motor"))
        sizes = []
        for form in (model, fx.trees.to_absolute_coordinates(model)):
            system = fx.compile_model(form)
            sizes.append(system.equation_sizes[system.mechanics.equations_of(form.joint("motor"))][0])
        assert sizes[0] == (1.0 if joint.rotational[0] else pytest.approx(sizes[1], rel=0.01))
        assert (sizes[0] > 100.0) == (not joint.rotational[0])
