"""A walker of eight parts and 21 freedoms on five points a foot, with joint drives that follow a Fourier gait."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.verification.cases.contact.beside import FLOOR, G, weight

__all__ = ["ANKLE", "GROUND", "MASS", "SIDES", "STEP", "Gait", "Walker", "standing", "walking"]

MASS, TALL = 75.0, 1.75
THIGH, SHANK, ANKLE, HIP = 0.245 * TALL, 0.246 * TALL, 0.039 * TALL, 0.1
HEIGHT = 0.945 * (THIGH + SHANK)
"""Of the hips over the ankles [m]."""
POINTS = ((-0.06, 0.04), (-0.06, -0.04), (0.13, 0.045), (0.13, -0.045), (0.19, 0.0))
GROUND = {"stiffness": 3e4, "damping": 2e3, "depth": 5e-3}
"""Of one point of a sole, as in foot-ground-law."""
SIDES = {"left": 0.25, "right": 0.75}
"""Where in the gait each leg begins: in the middle of standing, and of swinging."""
ALONG, ACROSS, UPRIGHT = trees.Revolute((1, 0, 0)), trees.Revolute((0, 1, 0)), trees.Revolute((0, 0, 1))


class Step(NamedTuple):
    """Length [m] and duration [s] of a step, and how high the foot is lifted [m]."""

    length: float
    duration: float
    lift: float


STEP = Step(0.45, 0.6, 0.06)


class Gait:
    """Angles of hip, knee and ankle over time, Fourier series of ten terms; a foot stands half of the time."""

    def __init__(self, step: Step = STEP) -> None:
        phase = np.arange(256) / 256.0
        stands, swing = phase < 0.5, np.pi * 2.0 * (phase - 0.5)
        x = np.where(stands, (0.5 - 2.0 * phase) * step.length, -0.5 * step.length * np.cos(swing))
        depth = np.where(stands, HEIGHT, HEIGHT - step.lift * np.sin(swing) ** 2)
        self.rate = np.pi / step.duration
        self.terms = [np.fft.rfft(angle)[:11] / 256.0 for angle in _leg(x, depth)]
        for term in self.terms:
            term[1:] *= 2.0

    def at(self, joint: int, t: float, shift: float) -> tuple[float, float]:
        """Angle of hip (0), knee (1) or ankle (2), and its rate."""
        k = np.arange(11)
        wave = self.terms[joint] * np.exp(1j * k * (self.rate * t + 2.0 * np.pi * shift))
        return float(wave.real.sum()), float((1j * k * self.rate * wave).real.sum())


class Walker(NamedTuple):
    """The model, its tree, and the contacts of the soles."""

    model: fx.Model
    tree: trees.Tree
    soles: dict[str, fx.Contact]


def walking(ground: dict[str, float] = GROUND) -> Walker:
    """Drives follow the gait; a fictitious support holds the pelvis upright and on its line, as in a first stage."""
    gait = Gait()
    angles = {side: tuple(gait.at(j, 0.0, shift)[0] for j in range(3)) for side, shift in SIDES.items()}
    high = HEIGHT + ANKLE - MASS * G / 5.0 / ground["stiffness"]
    tree = _tree(angles, high, STEP.length / STEP.duration)
    drives = [
        _follows(tree.joint(f"{side} {part}"), gait, j, shift)
        for side, shift in SIDES.items()
        for j, part in enumerate(("thigh", "shank", "foot"))
    ]
    support = fx.Bushing(
        fx.ground.marker((0, 0, high)), tree.link("pelvis").marker((0, 0, 0)), (0.0, 2e4, 0.0, 2e3, 2e3, 2e3),
        damping=(0.0, 500.0, 0.0, 200.0, 200.0, 200.0), free_coordinates=(0.0,) * 6, name="support",
    )  # fmt: skip
    return _walker(tree, [*drives, support], ground, 1500.0, 50.0)


def standing(ground: dict[str, float] = GROUND) -> Walker:
    """On both feet, without support: drives hold the angles."""
    stiffness, damping = 5000.0, 300.0
    angles = tuple(float(x[0]) for x in _leg(np.zeros(1), np.full(1, HEIGHT)))
    tree = _tree(dict.fromkeys(SIDES, angles), HEIGHT + ANKLE - MASS * G / 10.0 / ground["stiffness"], 0.0)
    held = [
        fx.TorsionSpring(tree.joint(f"{side} {part}"), stiffness=stiffness, damping=damping, free_angle=angle,
                         name=f"{side} {part}")
        for side in SIDES
        for part, angle in zip(("thigh", "shank", "foot"), angles, strict=True)
    ]  # fmt: skip
    return _walker(tree, held, ground, stiffness, damping)


def _walker(
    tree: trees.Tree, drives: list[Any], ground: dict[str, float], stiffness: float, damping: float
) -> Walker:  # fmt: skip
    """With the joints that the gait leaves straight, and the soles."""
    straight = ["trunk", *(f"{s} {j}" for s in SIDES for j in ("hip yaw", "hip roll", "knee yaw", "ankle roll"))]
    springs = [
        fx.TorsionSpring(tree.joint(name), stiffness=stiffness, damping=damping, free_angle=0.0, name=name)
        for name in straight
    ]
    law, friction = fx.contact.ImpactLaw(**ground), fx.contact.CoulombLaw(0.8, speed=0.02)
    soles = {}
    for side in SIDES:
        foot = tree.link(f"{side} foot")
        points = [fx.contact.Vertex(foot.marker((x, y, -ANKLE))) for x, y in POINTS]
        soles[side] = fx.Contact((FLOOR, *points), law, friction, allow_overlap=True, name=f"{side} sole")
    return Walker(fx.Model(tree, *drives, *springs, *soles.values(), weight(), name="walker"), tree, soles)


def _follows(joint: Any, gait: Gait, j: int, shift: float) -> fx.JointForce:
    """M = kappa (phi_0 - phi) + nu (phi_0' - phi')."""

    def torque(angle: float, rate: float, t: float) -> float:
        wanted, turning = gait.at(j, t, shift)
        return 1500.0 * (wanted - angle) + 50.0 * (turning - rate)

    return fx.JointForce(joint, torque, derivatives=lambda angle, rate, t: (-1500.0, -50.0), name=joint.name)


def _leg(x: FloatArray, depth: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Angles of hip, knee and ankle about y that put a level foot x before the hip and ``depth`` below."""
    knee = np.arccos((x**2 + depth**2 - THIGH**2 - SHANK**2) / (2.0 * THIGH * SHANK))
    hip = np.arctan2(-x, depth) - np.arctan2(SHANK * np.sin(knee), THIGH + SHANK * np.cos(knee))
    return hip, knee, -hip - knee


def _tree(angles: dict[str, tuple[float, ...]], high: float, speed: float) -> trees.Tree:
    """Parts with the shares of Winter; links without mass lead from one of several hinges to the next."""

    def bar(name: str, share: float, length: float, centre: float, gyration: float, parent: str, start: float) -> Any:
        mass = share * MASS
        J = mass * (gyration * length) ** 2
        return trees.Link(name, mass, (J, J, 0.1 * J), (0, 0, -centre * length), parent, ACROSS, start=start)

    def hinge(name: str, parent: str, joint: Any, at: tuple[float, float, float] = (0, 0, 0)) -> Any:
        return trees.Link(name, 0.0, (0, 0, 0), parent=parent, joint=joint, at=at)

    links = [
        trees.Link("pelvis", 0.142 * MASS, (0.07, 0.05, 0.07), (0, 0, 0.05), joint=trees.Free(),
                   start=((0, 0, high), np.eye(3)), rate=(speed, 0, 0, 0, 0, 0)),
        trees.Link("trunk", 0.536 * MASS, (1.9, 1.8, 0.4), (0, 0, 0.28), "pelvis", ACROSS, (0, 0, 0.1)),
    ]  # fmt: skip
    for side, y in (("left", HIP), ("right", -HIP)):
        hip, knee, ankle = angles[side]
        links += [
            hinge(f"{side} hip yaw", "pelvis", UPRIGHT, (0, y, 0)),
            hinge(f"{side} hip roll", f"{side} hip yaw", ALONG),
            bar(f"{side} thigh", 0.1, THIGH, 0.433, 0.323, f"{side} hip roll", hip),
            hinge(f"{side} knee yaw", f"{side} thigh", UPRIGHT, (0, 0, -THIGH)),
            bar(f"{side} shank", 0.0465, SHANK, 0.433, 0.302, f"{side} knee yaw", knee),
            hinge(f"{side} ankle roll", f"{side} shank", ALONG, (0, 0, -SHANK)),
            trees.Link(f"{side} foot", 0.0145 * MASS, (0.001, 0.005, 0.005), (0.05, 0, -0.04), f"{side} ankle roll",
                       ACROSS, start=ankle),
        ]  # fmt: skip
    return trees.Tree(*links, name="walker")
