"""Trees with flexible links for tests, and the same models with bodies in floating frames."""

from __future__ import annotations

import numpy as np

import flexmbs as fx
from flexmbs import trees
from tests.models.floating import RUBBER, bar


def arm(closed: bool = False) -> fx.Model:
    """A rigid shoulder, two flexible links with all kinds of joints, a hand, a spring, and loads."""
    links = [
        trees.Link("shoulder", 1.0, (0.2, 0.3, 0.4), (0.1, 0.0, 0.1), joint=trees.Revolute(), start=0.3, rate=0.7),
        trees.FlexibleLink(
            "upper", bar(RUBBER), "left", "shoulder", trees.Universal((0, 1, 0), (1, 0, 1)), at=(0.0, 0.1, 0.2),
            start=(0.4, -0.2), rate=(0.5, 0.3), damping=0.02, deformation=0.02 * np.cos(np.arange(6.0)),
            deformation_rate=0.1 * np.sin(np.arange(6.0)),
        ),
        trees.FlexibleLink("lower", bar(RUBBER, 1, True), "left", "upper", trees.Spherical(), at="right", modes=5,
                           rate=(0.1, 0.4, -0.3), deformation=0.02 * np.sin(np.arange(5.0))),
        trees.Link("hand", 0.7, (0.01, 0.02, 0.02), (0.05, 0.0, 0.02), "lower", trees.Helical(0.2, (1, 0.1, 0)),
                   "right", start=0.5, rate=1.2),
        trees.Link("thumb", 0.3, (0.01, 0.02, 0.02), (0.05, 0.0, 0.02), "upper", trees.Fixed(), "right"),
    ]  # fmt: skip
    tree = trees.Tree(*links, position=(0.1, 0.2, 0.3), name="arm")
    hand = tree.link("hand").marker((0.1, 0.0, 0.1), axis=(0.1, 0.2, 1.0))
    ball = fx.RigidBody(0.5, (0.1, 0.1, 0.1), position=(1.0, 0.2, 0.1), name="ball")
    joints = [fx.RevoluteJoint(hand, ball.marker((0.0, 0.1, 0.0), axis=(0, -1, 0)), name="grip")] if closed else []
    return fx.Model(
        tree, ball, *joints,
        fx.SpringDamper(tree.link("upper").interface("right"), ball.centre, stiffness=12.0, damping=1.0, name="band"),
        fx.PointForce(tree.link("lower").interface("right"), (1.0, 2.0, -0.5), follower=True),
        fx.Moment(tree.link("upper").interface("right", axis=(1, 2, 3)), (0.3, -0.2, 0.1), follower=True),
        fx.Gravity((0.0, 0.3, -9.81)),
        name="arm",
    )  # fmt: skip


def closed_arm() -> fx.Model:
    """The same, with a joint that a ball is held by."""
    return arm(True)
