"""Contacts of planar bodies are those of bodies in space that move in a plane: random shapes, laws and motions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from tests.consistency.random_contacts import FRICTIONS, Contacts, friction_law, normal_law
from tests.consistency.random_models import Way

C = fx.contact
SHAPES = ("plane", "sphere", "cylinder", "bore", "box", "capsule")
UNTIL, STEPS = 0.3, 200
EXACT = fx.GeneralizedAlpha(newton=fx.NewtonOptions(rtol=1e-10, max_iterations=20))


def turned(angle: float) -> Any:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def described(seed: int, space: bool) -> tuple[fx.Model, tuple[Any, Any], fx.Contact]:
    """Body a with a shape and body b with a disk, which overlap by 0.02."""
    r = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    laws = Contacts.of(seed, friction=FRICTIONS[seed // len(SHAPES) % len(FRICTIONS)]).touch
    angles, spins, masses = r.uniform(-3.0, 3.0, 2), r.standard_normal(2), r.uniform(1.0, 2.0, 2)
    at, offset, speeds = r.standard_normal((2, 2)), 0.3 * r.standard_normal((2, 2)), 0.3 * r.standard_normal((2, 2))
    A, B = turned(angles[0]), turned(angles[1])
    origin = at[0] + A @ offset[0]
    if shape == "plane":
        n, near = A @ np.array([0.0, 1.0]), origin + A @ np.array([0.2, 0.0])
    else:
        n = A @ np.array([1.0, 0.0]) if shape in ("box", "capsule") else turned(angles[1]) @ np.array([1.0, 0.0])
        n, near = (-n, origin + 1.2 * n) if shape == "bore" else (n, origin + 0.4 * n)
    at[1] = near + (0.3 - 0.02) * n - B @ offset[1]
    speeds[1] -= 0.4 * n

    def place(x: Any) -> tuple[float, ...]:
        return (*x, 0.0) if space else tuple(x)

    bodies: list[Any] = []
    for i, name in enumerate("ab"):
        if space:
            J = 0.2 * masses[i]
            bodies.append(
                fx.RigidBody(
                    masses[i], (J, J, J), position=place(at[i]),
                    rotation=np.pad(turned(angles[i]), (0, 1)) + np.diag((0, 0, 1)),
                    velocity=place(speeds[i]), angular_velocity=(0, 0, spins[i]), name=name,
                )
            )  # fmt: skip
        else:
            bodies.append(
                fx.PlanarRigidBody(
                    masses[i], 0.2 * masses[i], position=at[i], angle=angles[i], velocity=speeds[i],
                    angular_velocity=spins[i], name=name,
                )
            )  # fmt: skip
    a, b = bodies
    here, up = a.marker(place(offset[0])), a.marker(place(offset[0]), axis=place((0.0, 1.0)))
    one = {
        "plane": lambda: C.Plane(up),
        "sphere": lambda: C.Sphere(here, radius=0.4),
        "cylinder": lambda: C.Cylinder(here, radius=0.4),
        "bore": lambda: C.Cylinder(here, radius=1.2, inside=True),
        "box": lambda: C.Box(here, size=(0.8, 0.9, 1.0)),
        "capsule": lambda: C.Capsule(up, radius=0.4, length=0.6),
    }[shape]()
    parts = (one, C.Sphere(b.marker(place(offset[1])), radius=0.3))
    normal, friction = normal_law(laws.normal, Way()), friction_law(laws.friction, Way())
    touch = fx.Contact(parts, normal, friction, allow_overlap=True, name="touch")
    return fx.Model(a, b, touch), (a, b), touch


@pytest.mark.parametrize("seed", range(24))
def test_plane_or_space(seed: int) -> None:
    """Every shape with every friction: motion, forces, slip, places and losses."""
    runs, told = [], []
    for space in (False, True):
        model, bodies, touch = described(seed, space)
        run = fx.simulate(model, UNTIL, step=UNTIL / STEPS, integrator=EXACT, progress=False)
        runs.append(np.array([run.position(body)[-1, :2] for body in bodies]))
        told.append(run.contact(touch))
    assert np.abs(runs[0] - runs[1]).max() < 1e-9
    assert told[0].normal.max() > 0.1
    for what in ("gap", "normal", "force", "point", "slip", "energy", "loss"):
        assert np.abs(getattr(told[0], what) - getattr(told[1], what)).max() < 1e-7
