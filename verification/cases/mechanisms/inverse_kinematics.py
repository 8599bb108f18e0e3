"""Markers placed at targets: arms with closed solutions, targets out of reach, limits, a platform on six legs."""

from __future__ import annotations

import math

import numpy as np

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_vector
from flexmbs.verification import Case, Measured, Outcome, Progress
from flexmbs.verification.cases.common import figure, measured

CLOSED_FORM = "closed form"
UPPER, LOWER = 1.0, 0.7


def two_links(angles: tuple[float, float] = (0.3, 0.5)) -> tuple[fx.Model, fx.Marker]:
    """A plane arm of two links about the origin, at the angles of its joints, and its tip."""
    elbow = UPPER * np.exp(1j * angles[0])
    tip = elbow + LOWER * np.exp(1j * sum(angles))
    upper = fx.PlanarRigidBody.rod((0, 0), (elbow.real, elbow.imag), mass=1.0, name="upper")
    lower = fx.PlanarRigidBody.rod((elbow.real, elbow.imag), (tip.real, tip.imag), mass=1.0, name="lower")
    joints = (
        fx.RevoluteJoint(fx.ground, upper, at=(0, 0), name="shoulder"),
        fx.RevoluteJoint(upper, lower, at=(elbow.real, elbow.imag), name="elbow"),
    )
    return fx.Model(upper, lower, *joints, name="two links"), lower.marker_at((tip.real, tip.imag))


def _two_links() -> list[Measured]:
    """Angles within reach, distance and place beyond."""
    model, tip = two_links()
    target = np.array([0.5, 0.9])
    pose = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=target))
    reach = float(target @ target)
    elbow = math.acos((reach - UPPER**2 - LOWER**2) / (2.0 * UPPER * LOWER))
    shoulder = math.atan2(target[1], target[0]) - math.atan2(
        LOWER * math.sin(elbow), UPPER + LOWER * math.cos(elbow)
    )  # fmt: skip
    far = np.array([2.0, 1.0])
    out = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=far), throw=False)
    size = float(np.linalg.norm(far))
    near = np.array([0.05, 0.1])
    inside = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=near), throw=False)
    stretched = far * (UPPER + LOWER) / size
    return [
        measured("two links: angle of the shoulder", "rad", pose.angle("shoulder")[0], shoulder - 0.3, CLOSED_FORM,
                 atol=1e-8),
        measured("two links: angle of the elbow", "rad", pose.angle("elbow")[0], elbow - 0.5, CLOSED_FORM, atol=1e-8),
        measured("two links, target out of reach: distance left", "m", out.errors[0, 0], size - UPPER - LOWER,
                 CLOSED_FORM, atol=1e-9),
        measured("two links, target out of reach: distance from the nearest point", "m",
                 float(np.linalg.norm(out.position(tip)[0, :2] - stretched)), 0.0, CLOSED_FORM, atol=1e-5),
        measured("two links, target too near: distance left", "m", inside.errors[0, 0],
                 UPPER - LOWER - float(np.linalg.norm(near)), CLOSED_FORM, atol=1e-9),
    ]  # fmt: skip


def _limited() -> list[Measured]:
    """A rod that may turn by 0.8 rad only, and an elbow that must bend the other way."""
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    target = fx.kinematics.PoseTarget(rod.marker_at((1, 0)), position=(math.cos(1.2), math.sin(1.2)))
    held = fx.kinematics.inverse_kinematics(
        fx.Model(rod, pin), target, limits=[fx.kinematics.JointLimit(pin, -0.5, 0.8)], throw=False
    )
    model, tip = two_links()
    elbow = fx.kinematics.JointLimit(model.joint("elbow"), -3.0, -0.6)
    goal = np.array([0.5, 0.9])
    other = fx.kinematics.inverse_kinematics(
        model, fx.kinematics.PoseTarget(tip, position=goal), limits=[elbow], n_starts=10
    )
    angle = -math.acos((float(goal @ goal) - UPPER**2 - LOWER**2) / (2.0 * UPPER * LOWER))
    return [
        measured("rod at its limit: angle", "rad", held.angle("pin")[0], 0.8, "limit", atol=1e-6),
        measured("rod at its limit: distance left", "m", held.errors[0, 0], 2.0 * math.sin(0.2), CLOSED_FORM,
        atol=1e-6), measured("elbow limited to the other side: its angle", "rad", other.angle("elbow")[0], angle -
        0.5, CLOSED_FORM,
                 atol=1e-8),
    ]  # fmt: skip


def _weighted() -> list[Measured]:
    """A table that slides in x and y drawn to two places at once."""
    carriage = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="carriage")
    table = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="table")
    slides = (
        fx.PrismaticJoint(fx.ground, carriage, at=(0, 0), axis=(1, 0), name="x"),
        fx.PrismaticJoint(carriage, table, at=(0, 0), axis=(0, 1), name="y"),
    )
    one, two = np.array([1.0, 0.0]), np.array([0.0, 2.0])
    targets = [fx.kinematics.PoseTarget(table, position=p, weight=w) for p, w in ((one, 1.0), (two, 2.0))]
    pose = fx.kinematics.inverse_kinematics(fx.Model(carriage, table, *slides), targets, throw=False)
    mean = (one + 4.0 * two) / 5.0
    error = float(np.abs(pose.position(table)[0, :2] - mean).max())
    return [
        measured("two targets of different weight: distance from their mean", "m", error, 0.0, CLOSED_FORM, atol=1e-8)
    ]


AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
"""Axes of an arm like a PUMA in its stretched position: waist, shoulder, elbow, and three of the wrist."""
PLACES = ((0, 0, 0), (0, 0, 0.7), (0.45, 0, 0.7), (0.9, 0, 0.7), (0.9, 0, 0.7), (0.9, 0, 0.7))
HAND = (1.0, 0.0, 0.7)


def six_axes(angles: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Position and orientation of the hand by the product of rotations about the axes."""
    p, R = np.array(HAND), np.eye(3)
    for axis, place, angle in reversed(list(zip(AXES, PLACES, angles, strict=True))):
        turn = from_vector(angle * np.array(axis, dtype=float))
        p, R = np.array(place) + turn @ (p - np.array(place)), turn @ R
    return p, R


def arm() -> tuple[fx.Model, fx.Marker]:
    """The same arm as a model, stretched."""
    bodies, joints = [], []
    before: fx.RigidBody | object = fx.ground
    ends = (*PLACES[1:], HAND)
    for i, (axis, place, end) in enumerate(zip(AXES, PLACES, ends, strict=True)):
        centre = 0.5 * (np.array(place) + np.array(end))
        link = fx.RigidBody(1.0, np.diag([0.1, 0.1, 0.1]), position=centre, name=f"link {i + 1}")
        joints.append(fx.RevoluteJoint(before, link, at=place, axis=axis, name=f"axis {i + 1}"))  # type: ignore[arg-type]
        bodies.append(link)
        before = link
    return fx.Model(*bodies, *joints, name="arm"), bodies[-1].marker_at(HAND)


def _six_axes() -> list[Measured]:
    """A pose of the hand from angles that are known; the solution near the start has them."""
    wanted = np.array([0.4, 0.3, 0.6, -0.5, 0.7, 0.2])
    position, rotation = six_axes(wanted)
    model, hand = arm()
    begin = [
        fx.kinematics.PoseTarget(hand, position=p, rotation=R)
        for p, R in (six_axes(0.6 * wanted), (position, rotation))
    ]
    bent = [fx.kinematics.JointLimit(model.joint("axis 3"), 0.01, 2.5)]  # of the two ways to bend the elbow
    near = fx.kinematics.inverse_kinematics(model, begin[0], limits=bent)
    pose = fx.kinematics.inverse_kinematics(model, begin[1], limits=bent, start=near)
    found = np.array([pose.angle(f"axis {i + 1}")[0] for i in range(6)])
    p, _ = six_axes(found)
    return [
        measured("arm of six axes: distance of the hand from its target", "m",
                 float(np.linalg.norm(pose.position(hand)[0] - position)), 0.0, "target", atol=1e-9),
        measured("arm of six axes: largest difference of its rotation", "-",
                 float(np.abs(pose.rotation(hand)[0] - rotation).max()), 0.0, "target", atol=1e-9),
        measured("arm of six axes: product of rotations at the angles found, distance", "m",
                 float(np.linalg.norm(p - position)), 0.0, "product of rotations", atol=1e-8),
        measured("arm of six axes: largest difference of the angles", "rad", float(np.abs(found - wanted).max()), 0.0,
                 "angles that the target was made of", atol=1e-7),
    ]  # fmt: skip


def platform() -> tuple[fx.Model, fx.RigidBody, FloatArray, FloatArray]:
    """A platform on six legs; the points of the legs on the ground and on the platform (6, 3)."""
    spread = np.radians([10.0, 110.0, 130.0, 230.0, 250.0, 350.0])
    turned = np.radians([50.0, 70.0, 170.0, 190.0, 290.0, 310.0])
    ground = np.column_stack([1.5 * np.cos(spread), 1.5 * np.sin(spread), np.zeros(6)])
    top = np.column_stack([0.8 * np.cos(turned), 0.8 * np.sin(turned), np.full(6, 1.2)])
    plate = fx.RigidBody(10.0, np.diag([2.0, 2.0, 4.0]), position=(0, 0, 1.2), name="plate")
    items: list[object] = [plate]
    for i, (a, b) in enumerate(zip(ground, top, strict=True)):
        along = (b - a) / np.linalg.norm(b - a)
        side = np.cross(along, (0.0, 0.0, 1.0))
        side /= np.linalg.norm(side)
        foot = fx.RigidBody(1.0, np.diag([0.1, 0.1, 0.1]), position=a + 0.3 * (b - a), name=f"foot {i}")
        rod = fx.RigidBody(1.0, np.diag([0.1, 0.1, 0.1]), position=a + 0.7 * (b - a), name=f"rod {i}")
        items += [
            foot, rod,
            fx.UniversalJoint(fx.ground, foot, at=a, axes=(side, np.cross(along, side)), name=f"cross {i}"),
            fx.PrismaticJoint(foot, rod, at=0.5 * (a + b), axis=along, name=f"leg {i}"),
            fx.SphericalJoint(rod, plate, at=b, name=f"ball {i}"),
        ]  # fmt: skip
    return fx.Model(*items, name="platform"), plate, ground, top - np.array([0, 0, 1.2])


def _platform() -> list[Measured]:
    """Lengths of the legs at a pose of the platform."""
    model, plate, ground, top = platform()
    position, rotation = np.array([0.2, -0.1, 1.35]), from_vector((0.15, -0.1, 0.25))
    pose = fx.kinematics.inverse_kinematics(
        model, fx.kinematics.PoseTarget(plate, position=position, rotation=rotation)
    )
    exact = np.linalg.norm(position + top @ rotation.T - ground, axis=1)
    start = np.linalg.norm(np.array([0, 0, 1.2]) + top - ground, axis=1)
    found = np.array([pose.translation(f"leg {i}")[0] for i in range(6)])
    return [
        measured("platform on six legs: largest error of a length", "m", float(np.abs(found - exact + start).max()),
        0.0,
                 CLOSED_FORM, atol=1e-8),
    ]  # fmt: skip


def run(progress: Progress) -> Outcome:
    """Arms, limits, weights, a platform."""
    quantities = [*_two_links(), *_limited(), *_weighted(), *_six_axes()]
    progress("platform")
    quantities += _platform()
    model, tip = two_links()
    drawing, axes = figure(5.0, 4.6)
    for target, colour in (((0.5, 0.9), "#1f5fa8"), ((1.2, -0.6), "#3a7d44"), ((2.0, 1.0), "#c8553d")):
        pose = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=target), throw=False)
        elbow = pose.position(model.body("upper").marker((0.5, 0.0)))[0]
        points = np.array([(0.0, 0.0), elbow[:2], pose.position(tip)[0, :2]])
        axes.plot(*points.T, "-o", color=colour, markersize=4.0)
        axes.plot(*target, "x", color=colour, markersize=9.0)
    axes.set_aspect("equal")
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    return Outcome(quantities, (), (), [("An arm of two links at three targets (crosses), one out of reach.", drawing)])


CASE = Case(
    "inverse-kinematics",
    "Inverse kinematics: arms, limits, a platform on six legs",
    "mechanisms",
    "Markers are placed at targets: the tip of a plane arm of two links within reach, beyond and too near; a rod and "
    "an "
    "elbow with limits; a table between two targets of different weight.\n\nAn arm of six axes like a PUMA takes a "
    "pose made of "
    "known angles by the product of rotations; a platform on six legs, with five loops, gives the lengths of its legs.",
    run,
    "Law of cosines; product of rotations; distances of points.",
    (
        r"\cos\theta_2 = \dfrac{|p|^2 - l_1^2 - l_2^2}{2 l_1 l_2}, \quad l_i = |p + R\,a_i - b_i|",
        r"\min_z |J(d_0 + N z) + e|^2 + \mu^2 |z|^2, \quad l \leq c + C (d_0 + N z) \leq u",
    ),
    ("A nearest position is one of the near surroundings of the start, not of all positions.",),
    basic=True,
)
