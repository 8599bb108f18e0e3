"""Trees of links for tests: random ones of all joint types, and one mixed with other bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees

KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "screws", "fixed")


def random_joint(rng: np.random.Generator, kind: str) -> trees.TreeJoint:
    """A joint of a type with random axes."""
    a, b = rng.normal(size=3), rng.normal(size=3)
    made: dict[str, Any] = {
        "revolute": lambda: trees.Revolute(a),
        "prismatic": lambda: trees.Prismatic(a),
        "helical": lambda: trees.Helical(0.7, a),
        "cylindrical": lambda: trees.Cylindrical(a),
        "universal": lambda: trees.Universal(a, b),
        "planar": lambda: trees.Planar(a),
        "spherical": trees.Spherical,
        "free": trees.Free,
        "fixed": trees.Fixed,
        "screws": lambda: trees.Screws([(*b, *(a / np.linalg.norm(a))), (*a, 0.0, 0.0, 0.0)]),
    }
    joint: trees.TreeJoint = made[kind]()
    return joint


def random_tree(seed: int, links: int = 6, floating: bool = False, name: str = "tree") -> trees.Tree:
    """A branching tree with joints of random types."""
    rng = np.random.default_rng(seed)

    def turn() -> Any:
        return Rotation.random(rng=rng).as_quat(scalar_first=True)

    made = []
    for i in range(links):
        kind = "free" if floating and i == 0 else str(rng.choice(KINDS[: -1 if i == 0 else None]))
        joint = random_joint(rng, kind)
        A = rng.normal(size=(3, 3))
        second = 0.1 * A @ A.T
        start: Any = rng.normal(size=joint.n_v)
        if kind in ("spherical", "free"):
            start = turn() if kind == "spherical" else (rng.normal(size=3), turn())
        made.append(
            trees.Link(
                f"link {i}", rng.uniform(0.5, 2.0), np.trace(second) * np.eye(3) - second, 0.3 * rng.normal(size=3),
                parent=None if i == 0 else f"link {rng.integers(max(0, i - 3), i)}", joint=joint,
                at=0.5 * rng.normal(size=3), rotation=turn(), start=start, rate=rng.normal(size=joint.n_v),
            )
        )  # fmt: skip
    return trees.Tree(*made, position=rng.normal(size=3), rotation=turn(), name=name)


def mixed(closed: bool = True) -> fx.Model:
    """Two trees, a rigid body and a cable with springs and, if ``closed``, joints between them that close loops."""
    one, two = random_tree(4, 7, name="one"), random_tree(7, 5, floating=True, name="two")
    body = fx.RigidBody(1.2, (0.2, 0.3, 0.4), position=(1.0, 0.5, -0.3), name="body")
    rope = fx.FlexibleBody.line(
        (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), elements=2, element=fx.elements.ANCFCable3D(),
        stiffness=fx.BeamStiffness(EA=50.0, EI_y=2.0, EI_z=2.0, mass_per_length=0.9), name="rope",
    )  # fmt: skip
    tip = one.link("link 6").marker((0.1, -0.2, 0.3), axis=(0.2, 0.3, 1.0), name="tip")
    hand = two.link("link 4").marker((0.2, 0.1, 0.3), axis=(1.0, 0.3, -0.2), name="hand")
    joints = [
        fx.RevoluteJoint(tip, body.marker((0.1, 0.1, 0.1), axis=(0.0, 1.0, 1.0)), name="wrist"),
        fx.SphericalJoint(hand, body.marker((-0.2, 0.0, 0.1)), name="grip"),
        fx.SphericalJoint(two.link("link 1").marker((0.0, 0.1, 0.1)), rope.end.marker(), name="eye"),
    ]
    sprung = next(i for i, link in enumerate(one.links) if len(link.joint.screws))
    coordinate = one.joint(one.links[sprung].name)
    spring = next(iter(coordinate.coordinates.values()))
    return fx.Model(
        one, two, body, rope, *(joints if closed else []),
        fx.SpringDamper(tip, hand, stiffness=30.0, damping=2.0, free_length=0.5, name="strut"),
        fx.SpringDamper(one.link("link 3").marker((0.1, 0.2, 0)), rope.start, stiffness=10.0, damping=0.5, name="tie"),
        fx.SpringDamper(spring.a, spring.b, stiffness=4.0, damping=0.3, free_length=0.2, name="joint spring"),
        fx.PointForce(two.link("link 2").marker((0.3, 0.0, 0.1)), (1.0, 2.0, -0.5), follower=True),
        fx.Moment(one.link("link 5").centre, (0.3, -0.2, 0.1), follower=True),
        fx.Gravity((0.3, 0.1, -9.81)),
        name="mixed",
    )  # fmt: skip
