"""Random chains of rigid bodies on springs, loaded at the end, in the plane (even seeds) and in space (odd ones)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import flexmbs as fx

__all__ = ["Mechanism", "random_mechanism"]


class Mechanism(NamedTuple):
    """A model, its bodies, whether it is spatial, and its number of freedoms."""

    model: fx.Model
    bodies: list[Any]
    spatial: bool
    freedoms: int


def random_mechanism(seed: int) -> Mechanism:
    """One to three bodies by hinges, sliders and balls, every freedom with a spring and a damper."""
    r = np.random.default_rng(seed)
    spatial, at, before = bool(seed % 2), np.zeros(3), fx.ground
    items: list[Any] = []
    bodies: list[Any] = []
    freedoms = 0

    def vector(size: float = 1.0) -> Any:
        return tuple(size * r.normal(size=3)) if spatial else tuple(size * r.normal(size=2))

    def place(x: Any) -> Any:
        return tuple(x) if spatial else tuple(x[:2])

    def fixed(x: Any) -> Any:
        return fx.ground.marker(tuple(x))

    for i in range(int(r.integers(1, 4))):
        step = 0.5 * r.normal(size=3) * (1.0, 1.0, float(spatial))
        centre, mass = at + 0.5 * step, float(r.uniform(0.5, 2.0))
        if spatial:
            a = r.uniform(0.05, 0.2, 3)
            moments = (a[1] + a[2], a[0] + a[2], a[0] + a[1])
            body: Any = fx.RigidBody(mass, moments, position=place(centre), name=f"body {i}")
        else:
            body = fx.PlanarRigidBody(mass, float(r.uniform(0.05, 0.2)), position=place(centre), name=f"body {i}")
        kind = ("hinge", "slider", "ball")[int(r.integers(0, 3))]
        if kind == "hinge" or (kind == "ball" and not spatial):
            axis = {"axis": vector()} if spatial else {}
            joint: Any = fx.RevoluteJoint(before, body, at=place(at), name=f"joint {i}", **axis)
            stiffness, damping = float(r.uniform(20, 60)), float(r.uniform(0.1, 2))
            held: Any = fx.TorsionSpring(joint, stiffness=stiffness, damping=damping, name=f"spring {i}")
        elif kind == "slider":
            joint = fx.PrismaticJoint(before, body, at=place(at), axis=vector(), name=f"joint {i}")
            beside = centre + np.array([0.3, 0.4, 0.2 * spatial])
            held = fx.SpringDamper(fixed(beside), body.marker(vector(0.1)), stiffness=float(r.uniform(50, 200)),
                                   damping=float(r.uniform(0.5, 5)), name=f"spring {i}")  # fmt: skip
        else:
            joint = fx.SphericalJoint(before, body, at=place(at), name=f"joint {i}")
            stiff = (*r.uniform(50, 100, 3), *r.uniform(20, 50, 3))
            held = fx.Bushing(fixed(centre), body.centre, stiffness=stiff, damping=tuple(r.uniform(0.5, 2, 6)),
                              name=f"spring {i}")  # fmt: skip
        freedoms += 3 if kind == "ball" and spatial else 1
        items += [body, joint, held]
        if r.random() < 0.5:
            end = fixed(centre + r.normal(size=3) * (1.0, 1.0, float(spatial)))
            items.append(fx.SpringDamper(end, body.centre, stiffness=float(r.uniform(20, 100)),
                                         damping=float(r.uniform(0.2, 3)), name=f"strut {i}"))  # fmt: skip
        bodies.append(body)
        before, at = body, at + step
    load = fx.PointForce(bodies[-1].centre, vector(2.0))
    return Mechanism(fx.Model(*items, load, name=f"mechanism {seed}"), bodies, spatial, freedoms)
