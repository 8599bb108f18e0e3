"""Numbers that can be read in two ways: never taken silently."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ArgumentError

DISK = fx.RigidBody.cylinder(radius=0.2, length=0.1, mass=1.0, position=(0, 0, 0.2), name="disk")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fx.Circle(0.01), r"diameter=0\.01 if 0\.01 is the diameter, diameter=0\.02 if it is the radius"),
        (lambda: fx.Circle(radius=0.01), r"no argument named 'radius'; .* twice the radius: diameter=0\.02"),
        (lambda: fx.Circle(r=np.float64(0.25)), r"diameter=0\.5"),
        (lambda: fx.Pipe(0.1, 0.005), r"diameter=0\.1 if .* diameter=0\.2 if it is the radius"),
        (lambda: fx.Rectangle(0.02, 0.002), r"width=0\.02 if .* along z.*height=0\.002 if .* along y"),
        (lambda: fx.RigidBody.sphere(0.5, mass=1.0), r"RigidBody\.sphere: .*radius=0\.25 if it is the diameter"),
        (lambda: fx.RigidBody.sphere(diameter=0.5, mass=1.0), r"half the diameter: radius=0\.25"),
        (lambda: fx.RigidBody.cylinder(0.5, 1.0, mass=1.0), r"radius=0\.5 if .*length=1 if 1 is the full length"),
        (lambda: fx.RigidBody.cylinder(diameter=1.0, length=1.0, mass=1.0), r"radius=0\.5"),
        (lambda: fx.RigidBody.cylinder(radius=1.0, half_length=1.0, mass=1.0), r"length=2"),
        (lambda: fx.RigidBody.tube(0.5, 0.4, 1.0, mass=1.0), r"outer_radius=0\.5 if 0\.5 is the outer radius"),
        (lambda: fx.RigidBody.box((1, 2, 3), mass=1.0), r"size=\(1, 2, 3\) if .* size=\(2, 4, 6\) if these are half"),
        (lambda: fx.RigidBody.box(half_extents=np.array([1, 2, 3]), mass=1.0), r"full edge lengths: size=\(2, 4, 6\)"),
        (lambda: fx.RollingDisk(fx.ground, DISK, 0.2), r"RollingDisk: .*radius=0\.1 if it is the diameter"),
        (lambda: fx.RollingBall(fx.ground, DISK, 0.2), r"RollingBall: .*radius=0\.1 if it is the diameter"),
        (lambda: fx.RackAndPinion(None, None, 0.2), r"RackAndPinion: .*radius=0\.1 if it is the diameter"),
        (lambda: fx.meshes.arc((0, 0), 2.0, 0.0, 1.0, 4), r"arc: .*radius=1 if it is the diameter"),
        (lambda: fx.meshes.ring(1.0, 2.0, (2, 8)), r"ring: .*outer_radius=1 if it is the outer diameter"),
        (lambda: fx.meshes.cylinder(1.0, 2.0, (8, 2)), r"cylinder: .*radius=0\.5 if it is the diameter"),
        (lambda: fx.meshes.annular_sector(1.0, 2.0, 0.0, 1.0, (2, 2)), r"annular_sector: .*inner_radius=0\.5 if"),
        (lambda: fx.meshes.sphere_sector(1.0, (0, 1), (0, 1), (2, 2)), r"sphere_sector: .*radius=0\.5 if"),
        (lambda: fx.motions.Sine(0.1, 5.0), r"frequency=5 if 5 is in cycles per time \(Hz\), frequency=0\.795775 if"),
        (lambda: fx.motions.Sine(0.1, omega=math.pi), r"frequency = omega / \(2 pi\): frequency=0\.5"),
        (lambda: fx.motions.Sine(0.1, period=4.0), r"frequency=0\.25"),
        (lambda: fx.motions.Sine(0.1, period=0), r"1 / period: frequency=\.\.\."),
        (lambda: fx.motions.Sine(0.1, omega="fast"), r"frequency=\.\.\."),
        (lambda: fx.PlanarRigidBody(1.0, 1.0, angle_deg=90), r"radians: angle=1\.5708"),
        (lambda: fx.linear.Centrifugal(rpm=3000), r"rate=314\.159"),
        (lambda: fx.trees.DHRow("upper", r=0.3), r"'r' is a \(the length along x\) .* d \(the offset along z\)"),
    ],
)  # fmt: skip
def test_sizes_are_named(call, words):
    with pytest.raises(ArgumentError, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "present"),
    [
        (lambda: fx.RigidBody.tube(outer=0.5, inner=0.25, length=1.0, mass=32.0).inertia[2, 2], 5.0),
        (lambda: fx.meshes.ring(inner=1.0, outer=2.0, elements=(1, 8)).n_points, 16),
    ],
)
def test_older_names_of_radii_go_on(call, present):
    with pytest.warns(DeprecationWarning, match="outer is now outer_radius"):
        assert call() == pytest.approx(present, rel=1e-14)


HINGE = fx.RevoluteJoint(fx.ground, fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="arm"), at=(0, 0))
ANGLES = {
    "angle": lambda x: fx.PlanarRigidBody(1.0, 1.0, angle=x),
    "start": lambda x: fx.trees.Link("arm", 1.0, (1, 1, 1), joint=fx.trees.Revolute(), start=x),
    "upper": lambda x: fx.JointStop(HINGE, upper=x, stiffness=1.0),
    "lower": lambda x: fx.kinematics.JointLimit(HINGE, -abs(x), 1.0),
}


@pytest.mark.parametrize("what", ANGLES)
@pytest.mark.parametrize("degrees", [30, 45.0, 90, 22.5, 10])
def test_angles_in_degrees_are_told_at_the_line_of_the_user(what, degrees):
    with pytest.warns(fx.UnitsWarning, match=f"{what} is in radians.*{degrees:g} degrees are") as caught:
        ANGLES[what](degrees)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("what", ANGLES)
@pytest.mark.parametrize("angle", [0.5, 3.0, 7.0, 6 * math.pi, 40 * math.pi + 0.3, math.radians(270)])
def test_turns_are_legal(what, angle):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ANGLES[what](angle)


def test_a_displacement_is_no_angle():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fx.trees.Link("sled", 1.0, joint=fx.trees.Prismatic(), start=45)
