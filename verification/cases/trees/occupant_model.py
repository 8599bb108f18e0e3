"""A seated occupant of 21 bodies and 20 joints, with resistances in these, a belt of three points, and a seat.

x forwards, z up, from the point between the hips; places in m, masses in kg. The paper refers to tables that it does
not print, so that these numbers are chosen: a man of 77 kg.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx
from flexmbs import trees
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import to_vector

__all__ = ["BODIES", "PULSE", "TIME", "Occupant", "belt_curve", "occupant", "resistance"]


class Segment(NamedTuple):
    """A body: the one before, its joint and its centre in the seated posture, mass, half axes of an ellipsoid."""

    before: str | None
    joint: tuple[float, float, float]
    centre: tuple[float, float, float]
    mass: float
    axes: tuple[float, float, float]


SPINE = {
    "lower trunk": Segment(None, (0.0, 0.0, 0.1), (0.0, 0.0, 0.1), 11.4, (0.12, 0.17, 0.11)),
    "lumbar spine": Segment("lower trunk", (-0.05, 0.0, 0.2), (-0.06, 0.0, 0.27), 2.4, (0.11, 0.15, 0.08)),
    "upper trunk": Segment("lumbar spine", (-0.08, 0.0, 0.34), (-0.12, 0.0, 0.5), 18.0, (0.12, 0.16, 0.18)),
    "neck": Segment("upper trunk", (-0.15, 0.0, 0.68), (-0.15, 0.0, 0.74), 1.0, (0.06, 0.06, 0.07)),
    "head": Segment("neck", (-0.14, 0.0, 0.8), (-0.11, 0.0, 0.88), 4.1, (0.1, 0.08, 0.12)),
}
SIDE = {
    "clavicle": Segment("upper trunk", (-0.08, 0.03, 0.63), (-0.1, 0.09, 0.64), 0.3, (0.02, 0.07, 0.02)),
    "scapula": Segment("clavicle", (-0.13, 0.17, 0.65), (-0.18, 0.13, 0.6), 0.7, (0.03, 0.06, 0.08)),
    "upper arm": Segment("scapula", (-0.14, 0.19, 0.62), (-0.06, 0.2, 0.5), 1.8, (0.06, 0.05, 0.15)),
    "lower arm": Segment("upper arm", (0.02, 0.21, 0.36), (0.14, 0.2, 0.4), 1.4, (0.13, 0.04, 0.04)),
    "hand": Segment("lower arm", (0.26, 0.19, 0.43), (0.33, 0.18, 0.45), 0.5, (0.08, 0.04, 0.02)),
    "upper leg": Segment("lower trunk", (0.0, 0.09, 0.09), (0.2, 0.1, 0.12), 8.6, (0.22, 0.08, 0.08)),
    "lower leg": Segment("upper leg", (0.42, 0.1, 0.15), (0.52, 0.1, -0.02), 3.6, (0.06, 0.06, 0.21)),
    "foot": Segment("lower leg", (0.66, 0.1, -0.25), (0.72, 0.1, -0.28), 1.0, (0.12, 0.05, 0.04)),
}


def _mirrored(place: tuple[float, float, float], sign: float) -> tuple[float, float, float]:
    return place[0], sign * place[1], place[2]


BODIES: dict[str, Segment] = dict(SPINE)
for _side, _sign in (("left", 1.0), ("right", -1.0)):
    for _name, _s in SIDE.items():
        _before = _s.before if _s.before in SPINE else f"{_side} {_s.before}"
        BODIES[f"{_side} {_name}"] = Segment(
            _before, _mirrored(_s.joint, _sign), _mirrored(_s.centre, _sign), _s.mass, _s.axes
        )

STIFF, SOFT = 150.0, 15.0
"""Resistance of the joints of the spine and of the limbs at small angles [N m / rad]."""
HARDENING, DAMPING = 4.0, 0.02
"""Of both: by the square of the angle [1/rad^2]; by the rate, as a time [s]."""
PULSE, TIME = 200.0, 0.1
"""Largest deceleration of the car [m/s^2], and duration of its pulse, a squared sine [s]."""
GRAVITY = 9.81


def resistance(a: Any, b: Any, stiffness: float, damping: float, name: str) -> fx.UserForce:
    r"""A moment in a ball joint against its rotation vector: M = -k (1 + h theta^2) theta - d omega on side b.

    It has a potential but for d, k theta^2 / 2 + k h theta^4 / 4, since the vector does not turn in its own rotation.
    """

    def law(p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> FloatArray:
        turned = R[0].T @ R[1]
        theta = to_vector(turned)
        rate = twist[1, 3:] - turned.T @ twist[0, 3:]  # in axes of b
        elastic = stiffness * (1.0 + HARDENING * float(theta @ theta)) * theta  # the same in a and b
        out = np.zeros((2, 6))
        out[1, 3:] = -elastic - damping * rate
        out[0, 3:] = elastic + damping * turned @ rate
        return out

    return fx.UserForce([a, b], law, name=name)


def belt_curve(stiffness: float = 4e4, toe: float = 0.01) -> fx.ForceCurve:
    """A belt pulls and never pushes: its stiffness grows smoothly from zero to the whole within the toe [m]."""
    x = np.concatenate(([-1.0, -0.5], np.linspace(-0.005, 0.02, 101), [0.5, 1.0]))
    s = (x / toe).clip(0.0, 1.0)
    return fx.ForceCurve(x, stiffness * toe * (s**3 - 0.5 * s**4) + stiffness * (x - toe).clip(0.0))


class Occupant(NamedTuple):
    """A model, its tree, belts by name, and supports by name."""

    model: fx.Model
    tree: trees.Tree
    belts: dict[str, fx.SpringDamper]
    supports: dict[str, fx.Bushing]


def tree() -> trees.Tree:
    """All bodies; the lower trunk is free."""
    links = []
    for name, s in BODIES.items():
        x, y, z = s.axes
        inertia = s.mass / 5.0 * np.array((y * y + z * z, x * x + z * z, x * x + y * y))
        before = np.zeros(3) if s.before is None else np.array(BODIES[s.before].joint)
        free = s.before is None
        links.append(
            trees.Link(name, s.mass, inertia, np.subtract(s.centre, s.joint), s.before,
                       trees.Free() if free else trees.Spherical(),
                       at=np.zeros(3) if free else np.array(s.joint) - before,
                       start=(np.array(s.joint), np.eye(3)) if free else None)
        )  # fmt: skip
    return trees.Tree(*links, name="occupant")


def occupant() -> Occupant:
    """In the frame of the car, whose deceleration acts on all bodies as a weight forwards."""
    man = tree()
    items: list[Any] = [man]
    for name, s in BODIES.items():
        if s.before is None:
            continue
        k = STIFF if name in SPINE else SOFT
        above = np.array(s.joint) - np.array(BODIES[s.before].joint)
        a, b = man.link(s.before).marker(above), man.link(name).marker((0, 0, 0))
        items.append(resistance(a, b, k, DAMPING * k, f"resistance of {name}"))

    def on(name: str, place: tuple[float, float, float]) -> Any:
        return man.link(name).marker(np.array(place) - np.array(BODIES[name].joint))

    slack = 0.02
    ways = {
        "shoulder": ((-0.35, 0.25, 0.75), "upper trunk", (-0.02, 0.08, 0.6)),
        "chest to buckle": ((-0.1, -0.25, -0.05), "upper trunk", (0.0, -0.08, 0.38)),
        "lap left": ((-0.15, 0.25, -0.08), "lower trunk", (0.1, 0.12, 0.15)),
        "lap right": ((-0.1, -0.25, -0.05), "lower trunk", (0.1, -0.12, 0.15)),
    }
    belts = {}
    for name, (anchor, body, place) in ways.items():
        free = float(np.linalg.norm(np.subtract(place, anchor))) + slack
        belts[name] = fx.SpringDamper(fx.ground.marker_at(anchor), on(body, place), stiffness=belt_curve(),
                                      free_length=free, name=f"belt, {name}")  # fmt: skip
    floor = {
        name: on(name, (BODIES[name].centre[0], BODIES[name].centre[1], -0.3)) for name in ("left foot", "right foot")
    }
    held = {"seat": (on("lower trunk", (0.0, 0.0, 0.0)), (1e3, 5e3, 6e4))}
    held |= {name: (marker, (4e3, 4e3, 4e4)) for name, marker in floor.items()}
    supports = {
        name: fx.Bushing(fx.ground.marker_at(marker.position0()), marker, stiffness=np.diag(k),
                         damping=0.01 * np.diag(k), name=name)
        for name, (marker, k) in held.items()
    }  # fmt: skip
    crash = fx.Gravity((PULSE, 0.0, 0.0), history=lambda t: float(np.sin(np.pi * t / TIME) ** 2) if t < TIME else 0.0)
    weight = fx.Gravity((0.0, 0.0, -GRAVITY))
    model = fx.Model(*items, *belts.values(), *supports.values(), crash, weight, name="seated occupant")
    return Occupant(model, man, belts, supports)
