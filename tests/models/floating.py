"""Small parts and models with bodies in floating frames, for tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import flexmbs as fx

RUBBER = fx.Elastic(youngs_modulus=2e6, poissons_ratio=0.3, density=1000.0, name="rubber")
SOFT = fx.Elastic(youngs_modulus=2e7, poissons_ratio=0.3, density=1200.0, name="soft plastic")
PLASTIC = fx.Elastic(youngs_modulus=2e8, poissons_ratio=0.3, density=1200.0, name="plastic")


@cache
def bar(material: fx.Elastic = PLASTIC, modes: int = 0, averaged: bool = False, stresses: bool = False) -> Any:
    """A bar from the origin to (1, 0, 0), not square, reduced to its end faces."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), material)], name="bar")
    right = fx.reduction.Interface("right", kind="averaged") if averaged else "right"
    return fx.reduction.reduce(part, ["left", right], modes, progress=False, stresses="all" if stresses else None)


@cache
def layered_bar() -> Any:
    """The bar of two materials, one over the other: its border is in nodes of both, with two stresses each."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 2)).with_cell_set("LOW", lambda c: c[:, 2] < 0.0)
    hexahedron = fx.elements.Hexahedron8()
    regions = [fx.linear.Region("LOW", hexahedron, PLASTIC), fx.linear.Region(None, hexahedron, RUBBER)]
    part = fx.linear.Part(mesh, regions=regions, name="bar")
    return fx.reduction.reduce(part, ["left", "right"], 1, progress=False, stresses="all")


def chain() -> fx.Model:
    """Bodies in both kinds of frames, joined with each other, a rigid body and a cable; springs at nodes."""
    one = fx.FloatingBody(bar(RUBBER), reference="left", damping=0.02, name="one")
    two = fx.FloatingBody(bar(RUBBER, 1, True), modes=4, position=(1.0, 0.0, 0.0), name="two")
    end = fx.RigidBody(1.2, (0.2, 0.3, 0.4), position=(2.2, 0.1, 0.1), name="end")
    rope = fx.FlexibleBody.line(
        (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), elements=2, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=50.0, EI_y=2.0, EI_z=2.0, mass_per_length=0.9), name="rope",
    )  # fmt: skip
    return fx.Model(
        one, two, end, rope,
        fx.RevoluteJoint(fx.ground, one.interface("left", axis=(0.0, 1.0, 0.2)), name="hinge"),
        fx.RevoluteJoint(one, two, at=(1.0, 0.0, 0.0), axis=(0.1, 1.0, 0.0), name="elbow"),
        fx.SphericalJoint(two, end, at=(2.0, 0.0, 0.0), name="wrist"),
        fx.SphericalJoint(one.interface("right"), rope.start, name="eye"),
        fx.SpringDamper(fx.ground.marker((0.5, 0.0, 1.0)), two.node(7), stiffness=30.0, damping=2.0, name="spring"),
        fx.SpringDamper(one.node(12), rope.end, stiffness=10.0, damping=0.5, name="band"),
        fx.Moment(two.interface("right"), (0.3, -0.2, 0.1), follower=True),
        fx.PointForce(one.interface("right"), (1.0, 2.0, -0.5), follower=True),
        fx.Gravity((0.0, 0.0, -9.81)),
        name="chain",
    )  # fmt: skip
