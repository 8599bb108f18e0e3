"""Random trees of all types of joints, by number."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from flexmbs import trees

GRAVITY = (0.3, -9.81, 1.0)
TYPES = (
    "Revolute", "Prismatic", "Helical", "Cylindrical", "Universal", "Planar", "Spherical", "PrismaticSpherical",
    "Screws", "Fixed", "Free",
)  # fmt: skip


def random_joint(rng: np.random.Generator, name: str) -> trees.TreeJoint:
    axis, other = rng.normal(size=(2, 3))
    match name:
        case "Helical":
            return trees.Helical(rng.uniform(-1, 1), axis)
        case "Universal":
            return trees.Universal(axis, other)
        case "Planar":
            return trees.Planar(axis, np.cross(axis, other))
        case "Screws":
            axis /= np.linalg.norm(axis)
            return trees.Screws([(*rng.normal(size=3), *axis), (*other, 0, 0, 0)])
        case "Spherical" | "Fixed" | "Free":
            return getattr(trees, name)()
        case _:
            return getattr(trees, name)(axis)


def random_tree(number: int, n: int = 5) -> trees.Tree:
    """Tree of n links; every type of joint is the one of the first link in turn."""
    rng = np.random.default_rng(number)
    links = []
    for i in range(n):
        name = TYPES[number % len(TYPES)] if i == 0 else TYPES[rng.integers(len(TYPES) - 1)]
        if n == 1 and name == "Fixed":
            name = "Revolute"
        joint = random_joint(rng, name)
        turn = Rotation.from_quat(rng.normal(size=4))
        balls = {
            "Spherical": turn,
            "PrismaticSpherical": (rng.normal(size=1), turn),
            "Free": (rng.normal(size=3), turn),
        }
        start = balls.get(name, rng.normal(size=joint.n_v))
        half = rng.normal(size=(3, 3))
        spread = 0.1 * half @ half.T
        links.append(
            trees.Link(
                f"link {i}", rng.uniform(0.5, 2), np.trace(spread) * np.eye(3) - spread, 0.3 * rng.normal(size=3),
                None if i == 0 else f"link {rng.integers(max(0, i - 3), i)}", joint, 0.5 * rng.normal(size=3),
                Rotation.from_quat(rng.normal(size=4)), start, rng.normal(size=joint.n_v),
            )
        )  # fmt: skip
    if all(link.joint.n_v == 0 for link in links):
        return random_tree(number + 10_000, n)
    return trees.Tree(*links, position=rng.normal(size=3), rotation=Rotation.from_quat(rng.normal(size=4)))
