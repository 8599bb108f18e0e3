"""Six equal links in a closed chain with alternate axes: rank, motion and null vector without any simulation."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.verification import Case, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured
from flexmbs.verification.cases.moving import joint_matrix

SIDE = 0.1
SOURCE = "C. Fuehrer and O. Wallrapp, DFVLR IB 515-84/2 (1984), table 1; geometry and one entry restored by closure"

#: Velocities of the bodies 1 to 5 with the rotation 2 of body 5 equal to one: t1 t2 t3 r1 r2 r3 in body axes.
TRIANGLE = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, -1.0, 0.0],
        [-SIDE, 0.0, 0.0, 0.0, 0.5, math.sqrt(0.75)],
        [-SIDE / 2.0, 0.0, 0.0, 0.0, -0.5, math.sqrt(0.75)],
        [-SIDE, 0.0, 0.0, 0.0, 1.0, 0.0],
    ]
)
CUBE = np.array(
    [
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, -SIDE, 0.0, 0.0, -1.0, 1.0],
        [-SIDE, 0.0, SIDE, 1.0, 1.0, 1.0],
        [-SIDE, -SIDE, 0.0, -1.0, 0.0, 1.0],
        [-SIDE, 0.0, 0.0, 0.0, 1.0, 0.0],
    ]
)


def _chain(theta: float, phi: float) -> tuple[fx.Model, FloatArray]:
    """Links with their origin (the centre of mass) at the inner joint; the sixth link is the ground."""
    turns = {
        True: np.array([[math.cos(theta), 0, math.sin(theta)], [0, 1, 0], [-math.sin(theta), 0, math.cos(theta)]]),
        False: np.array([[1, 0, 0], [0, math.cos(phi), -math.sin(phi)], [0, math.sin(phi), math.cos(phi)]]),
    }
    points, axes = [np.zeros(3)], [np.eye(3)]
    for joint in range(5):
        points.append(points[-1] + SIDE * axes[-1][:, 2])
        axes.append(axes[-1] @ turns[joint % 2 == 0])
    links = [
        fx.RigidBody(1.0, (1e-3, 1e-3, 1e-3), position=p, rotation=A, name=f"link {i + 1}")
        for i, (p, A) in enumerate(zip(points[:5], axes[:5], strict=True))
    ]
    sides = [*links, fx.ground]
    joints = [
        fx.RevoluteJoint(sides[i], sides[i + 1], at=points[i + 1], axis=axes[i][:, 1 - i % 2], name=f"joint {i + 1}")
        for i in range(5)
    ]
    joints.append(fx.RevoluteJoint(fx.ground, links[0], at=points[0], axis=axes[0][:, 0], name="joint 6"))
    return fx.Model(*links, *joints), np.array(points)


def _closing(theta: float) -> float:
    """The turn at the other joints: cos(phi) cos(theta) + cos(phi) + cos(theta) = 0."""
    c = math.cos(theta)
    return math.acos(-c / (1.0 + c))


def _motion(model: fx.Model) -> tuple[FloatArray, FloatArray]:
    """Singular values (30,) of the joints, and the velocities (5, 6) in body axes of the motion that is left."""
    G, axes = joint_matrix(model)
    values, null = np.linalg.svd(G)[1:]
    twist = null[-1].reshape(5, 6).copy()
    twist[:, :3] = np.einsum("bji,bj->bi", axes, twist[:, :3])  # velocities are in inertial axes
    return values, twist


def _rank(values: FloatArray) -> int:
    """Singular values that are not round-off."""
    return int((values > 1e-9 * values[0]).sum())


def run(progress: Progress) -> Outcome:
    """Triangle, cube, and four positions between."""
    quantities = []
    for name, theta, phi, exact in (
        ("triangle", 0.0, 2.0 * math.pi / 3.0, TRIANGLE), ("cube", math.pi / 2.0, math.pi / 2.0, CUBE),
    ):  # fmt: skip
        model, points = _chain(theta, phi)
        values, twist = _motion(model)
        twist /= twist[4, 4]
        quantities += [
            measured(f"{name}: rank of 30 equations", "-", _rank(values), 29, SOURCE, atol=0.5),
            measured(f"{name}: largest error of the null vector", "-", np.abs(twist - exact).max(), 0.0, SOURCE, 1e-15,
                     atol=1e-12),
        ]  # fmt: skip
        if name == "triangle":
            drawn = points
    for degrees in (10.0, 60.0, 100.0, 119.0):
        theta = math.radians(degrees)
        values, _ = _motion(_chain(theta, _closing(theta))[0])
        quantities.append(measured(f"theta = {degrees:g} degrees: rank", "-", _rank(values), 29, SOURCE, atol=0.5))
    drawing, axes = figure(4.8, 3.6)
    loop = np.vstack([drawn, drawn[:1]])
    axes.plot(loop[:, 1], loop[:, 2], "o-")
    axes.set_aspect("equal")
    axes.set_xlabel("y in m")
    axes.set_ylabel("z in m")
    return Outcome(quantities, (), (), [("The six joints in the plane of the triangle.", drawing)])


CASE = Case(
    id="closed-chain",
    title="Closed chain of six links: thirty equations of rank 29",
    area="mechanisms",
    summary=(
        "Six links of 0.1 m, joined to a ring by hinges whose axes alternate between two directions across the link. "
        "Counted, 30 equations for 30 velocities leave no freedom, and yet the ring moves.\n\n"
        "The joints' matrix must have rank 29 all along that motion, and its null vector is known for the triangle and "
        "for the position along six edges of a cube."
    ),
    run=run,
    source=SOURCE + ".",
    equations=(r"\cos\varphi \cos\theta + \cos\varphi + \cos\theta = 0",),
    limits=(
        "The table of 1984 prints 0 for the rotation 3 of link 4 in the triangle; the joints are only kept with 0.866.",
    ),
)
