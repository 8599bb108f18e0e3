"""A seated dummy of twelve bodies on a seat, pedals and a steering wheel that are shaken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx

__all__ = ["JOINTS", "Dummy", "dummy"]

Place = tuple[float, float, float]
Shake = Callable[[float], float]

BODIES: dict[str, tuple[float, Place, tuple[float, float, float]]] = {
    "pelvis": (11.0, (0.0, 0.0, 0.30), (0.18, 0.30, 0.16)),
    "upper part": (35.0, (-0.12, 0.0, 0.66), (0.22, 0.32, 0.75)),
    "thigh": (8.5, (0.21, 0.095, 0.32), (0.42, 0.14, 0.14)),
    "leg": (3.6, (0.54, 0.1, 0.18), (0.24, 0.1, 0.36)),
    "foot": (1.0, (0.72, 0.1, 0.02), (0.22, 0.08, 0.06)),
    "arm": (2.0, (-0.04, 0.22, 0.67), (0.17, 0.09, 0.22)),
    "forearm": (1.9, (0.2, 0.21, 0.62), (0.3, 0.08, 0.12)),
}
"""Mass [kg], centre [m] and size of a box of the same inertia [m]; x forwards, y to the left, z up."""
HINGES: dict[str, tuple[str, str, Place]] = {
    "knee": ("thigh", "leg", (0.42, 0.1, 0.36)), "ankle": ("leg", "foot", (0.66, 0.1, 0.0)),
    "elbow": ("arm", "forearm", (0.05, 0.23, 0.56)),
}  # fmt: skip
BALLS: dict[str, tuple[str, str, Place]] = {
    "hip": ("pelvis", "thigh", (0.0, 0.09, 0.28)), "shoulder": ("upper part", "arm", (-0.12, 0.2, 0.78)),
}  # fmt: skip
JOINTS = 4 * 3 + 6 * 5 + 5
"""Scalar equations: four balls, six hinges, a slide between pelvis and upper part."""
CAR: dict[str, tuple[float, Place]] = {
    "seat": (20.0, (-0.1, 0.0, 0.1)), "pedals": (5.0, (0.8, 0.0, -0.05)), "steering wheel": (3.0, (0.42, 0.0, 0.68)),
}  # fmt: skip
CUSHION, BACKREST, STIFF, TORSO, ELBOW = 4.0e4, 8.0e3, 2.0e5, 6.0e4, 30.0
"""Stiffness of the seat under pelvis and thighs, of the backrest, at hands and feet, between pelvis and upper part
[N/m], and of an elbow [N m/rad]."""
LAG = 5e-3
"""Damping by stiffness [s]."""


class Dummy(NamedTuple):
    """The model, its bodies by name, and what carries it."""

    model: fx.Model
    bodies: dict[str, Any]
    supports: list[fx.Bushing]
    foam: tuple[Any, Any]
    """Ends of the strut of foam, on the seat and on the pelvis."""


def _mirrored(place: Place, side: float) -> Place:
    return place[0], side * place[1], place[2]


def dummy(
    shake: Mapping[str, Shake] | Shake | None = None, hardening: float = 0.0, stiffer: float = 1.0, drivers: bool = True
) -> Dummy:
    """Fifteen bodies; ``shake``: vertical motion of seat, pedals and steering wheel.

    ``hardening``: cubic part of a strut of foam under the pelvis [N/m^3]; ``stiffer``: factor of all springs;
    ``drivers``: the five driving constraints, by which the pelvis stays in its plane and the feet keep their angles.
    """
    bodies: dict[str, Any] = {}
    for name, (mass, centre, size) in BODIES.items():
        for word, side in (("left ", 1.0), ("right ", -1.0)) if centre[1] else (("", 1.0),):
            bodies[word + name] = fx.RigidBody.box(
                size=size, mass=mass, position=_mirrored(centre, side), name=word + name
            )
    items: list[Any] = []
    for word, side in (("left ", 1.0), ("right ", -1.0)):
        for name, (one, other, at) in BALLS.items():
            first = bodies[one]
            items.append(fx.SphericalJoint(first, bodies[word + other], at=_mirrored(at, side), name=word + name))
        for name, (one, other, at) in HINGES.items():
            items.append(
                fx.RevoluteJoint(bodies[word + one], bodies[word + other], at=_mirrored(at, side), axis=(0, 1, 0),
                                 name=word + name)
            )  # fmt: skip
            if name == "elbow":
                items.append(
                    fx.TorsionSpring(items[-1], stiffness=stiffer * ELBOW, damping=stiffer * LAG * ELBOW,
                                     name=f"{word}muscles")
                )  # fmt: skip
    pelvis, upper = bodies["pelvis"], bodies["upper part"]
    back = np.subtract(upper.position, pelvis.position)
    items.append(fx.PrismaticJoint(pelvis, upper, at=pelvis.position, axis=back, name="torso"))
    k = stiffer * TORSO
    items.append(fx.SpringDamper(pelvis.centre, upper.centre, stiffness=k, damping=LAG * k, name="spine"))

    for name, (mass, at) in CAR.items():
        body = fx.RigidBody.box(size=(0.3, 0.3, 0.05), mass=mass, position=at, name=name)
        bodies[name] = body
        post = fx.PrismaticJoint(fx.ground, body, at=at, axis=(0, 0, 1), name=f"post of the {name}")
        given = shake.get(name) if isinstance(shake, Mapping) else shake
        items += [post, fx.TranslationDriver(post, given or 0.0, name=f"motion of the {name}")]

    supports: list[fx.Bushing] = []

    def carried(car: str, name: str, at: Place, stiffness: tuple[float, float, float]) -> None:
        k = stiffer * np.array(stiffness)
        supports.append(fx.Bushing(bodies[car].marker_at(at), bodies[name].marker_at(at), stiffness=k, damping=LAG * k,
                                   name=f"{car} at {name}"))  # fmt: skip

    carried("seat", "pelvis", (0.0, 0.0, 0.2), (CUSHION / 2, CUSHION / 2, CUSHION))
    carried("seat", "upper part", (-0.26, 0.0, 0.7), (BACKREST, BACKREST, BACKREST / 4))
    for word, side in (("left ", 1.0), ("right ", -1.0)):
        carried("seat", word + "thigh", (0.25, side * 0.1, 0.25), (CUSHION / 4, CUSHION / 4, CUSHION / 2))
        carried("pedals", word + "foot", (0.68, side * 0.1, -0.03), (STIFF, STIFF, STIFF))
        carried("steering wheel", word + "forearm", (0.35, side * 0.19, 0.68), (STIFF, STIFF, STIFF))
    foam = bodies["seat"].marker_at((0.0, 0.0, 0.1)), pelvis.marker_at((0.0, 0.0, 0.2))
    if hardening:
        items.append(
            fx.JointForce(foam, lambda s, rate, t: -hardening * (s - 0.1) ** 3, coordinate="distance", name="foam")
        )
    if drivers:
        items.append(fx.PlanarJoint(fx.ground, pelvis, at=pelvis.position, axis=(0, 1, 0), name="plane of the pelvis"))
        for word, side in (("left ", 1.0), ("right ", -1.0)):
            at = _mirrored(HINGES["ankle"][2], side)
            ends = bodies["pedals"].marker_at(at, axis=(0, 1, 0)), bodies[word + "foot"].marker_at(at, axis=(0, 1, 0))
            items.append(fx.RotationDriver(ends, 0.0, name=f"angle of the {word}foot"))
    model = fx.Model(*bodies.values(), *items, *supports, fx.Gravity((0.0, 0.0, -9.81)), name="seated dummy")
    return Dummy(model, bodies, supports, foam)
