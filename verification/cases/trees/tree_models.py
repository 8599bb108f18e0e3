"""What the cases with trees share: planar models in space, loops closed by points, small systems of links."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmbs as fx
from flexmbs.conversion.carry_over import CarryOver, Moved
from flexmbs.core.contracts import FloatArray
from flexmbs.core.identity import IdentityMap
from flexmbs.core.rotations import axis_rotation

__all__ = ["FINE", "closed_by_points", "found", "in_space", "kuebler_eberhard", "kuebler_eberhard_tree", "ring"]

FINE: dict[str, Any] = {"integrator": fx.RungeKutta(), "step": fx.ErrorControl(1e-12, 1e-13), "progress": False}
"""So fine that what differs is the description, not the integration."""


def in_space(model: fx.Model) -> fx.Model:
    """Planar bodies as bodies in space, with all five equations of their hinges."""
    moved: IdentityMap[Any, Moved] = IdentityMap()
    for body in model.rigid_bodies:
        spin = (0.0, 0.0, body.angular_velocity)
        made = fx.RigidBody(
            body.mass, (body.inertia,) * 3, (*body.position, 0.0), axis_rotation(2, body.angle), (*body.velocity, 0.0),
            spin, name=body.name,
        )  # fmt: skip
        moved[body] = Moved(made, np.zeros(3), np.eye(3))
    items = [
        fx.Gravity((*item.acceleration[:2], 0.0)) if isinstance(item, fx.Gravity) else item
        for item in CarryOver(moved).items(model.items)
    ]
    return fx.Model(*(place.body for place in moved.values()), *items, units=model.units, name=model.name)


def closed_by_points(model: fx.Model) -> fx.Model:
    """As trees; of hinges that close loops two equations are left: a point of one body on the axis of the other."""
    cut = [joint.name for joint in fx.trees.to_relative_coordinates(model).joints]
    items = [
        fx.PointOnLineConstraint(item.a, item.b, name=item.name) if getattr(item, "name", None) in cut else item
        for item in model.items
    ]
    return fx.trees.to_relative_coordinates(fx.Model(*items, units=model.units, name=model.name))


def found(model: fx.Model, name: str) -> Any:
    """The body or the link of that name."""
    links = [link for link in model.tree_links if link.link.name == name]
    return links[0] if links else model.body(name)


# --- Kuebler and Eberhard --------------------------------------------------------------------------------------------

CENTRE, PIN, SLOT = np.array([0.0, 0.1, 0.12]), np.array([0.0, 0.1, 0.2]), np.array([0.2, 0.0, 0.0])


def kuebler_eberhard() -> fx.Model:
    """Haug's slider-crank with ball joints on both ends of the rod: 18 unknowns and 16 equations."""
    along = (SLOT - PIN) / 0.3
    across = np.array([0.0, 2.0, -1.0]) / np.sqrt(5.0)
    crank = fx.RigidBody(0.12, (1e-4, 1e-4, 1e-5), position=(CENTRE + PIN) / 2.0, name="crank").with_spin(
        (6.0, 0.0, 0.0), about=CENTRE
    )
    # the rod does not spin about itself: omega = along x (v_slot - v_pin) / length
    spin = np.cross(along, np.array([0.24, 0.48, 0.0])) / 0.3
    rod = fx.RigidBody(
        0.5, (4e-4, 4e-3, 4e-3), position=(PIN + SLOT) / 2.0,
        rotation=np.column_stack([along, across, np.cross(along, across)]), velocity=(0.12, -0.24, 0.0), name="rod",
    ).with_spin(spin)  # fmt: skip
    slider = fx.RigidBody(2.0, (1e-4,) * 3, position=SLOT, velocity=(0.24, 0.0, 0.0), name="slider")
    return fx.Model(
        crank, rod, slider,
        fx.RevoluteJoint(fx.ground, crank, at=CENTRE, axis=(1, 0, 0), name="bearing"),
        fx.SphericalJoint(crank, rod, at=PIN, name="pin"),
        fx.SphericalJoint(rod, slider, at=SLOT, name="end"),
        fx.PrismaticJoint(fx.ground, slider, at=SLOT, axis=(1, 0, 0), name="slot"),
        fx.Gravity((0.0, 0.0, -9.81)), name="slider-crank",
    )  # fmt: skip


def kuebler_eberhard_tree() -> fx.Model:
    """The same as the paper has it: crank, rod and slider a tree of 7 coordinates, closed by 5 equations."""
    return fx.trees.to_relative_coordinates(kuebler_eberhard(), cut=["slot"])


# --- a ring of bars --------------------------------------------------------------------------------------------------


def ring(count: int, seed: int = 3) -> fx.Model:
    """Bars from the ground and back to it, a closed loop in space: alternate universal joints, ball joints at its ends.

    Of ``count`` bars, which hang in an arch from two points one metre apart.
    """
    angle = np.linspace(0.0, np.pi, count + 1)
    points: FloatArray = np.column_stack((0.5 - 0.5 * np.cos(angle), 0.1 * np.sin(2.0 * angle), -0.5 * np.sin(angle)))
    rng = np.random.default_rng(seed)
    bars = []
    for i in range(count):
        d = points[i + 1] - points[i]
        length = float(np.linalg.norm(d))
        side = np.cross(d, rng.normal(size=3))
        side /= np.linalg.norm(side)
        frame = np.column_stack([d / length, side, np.cross(d / length, side)])
        mass = 2.0 * length
        inertia = (1e-3 * mass, mass * length**2 / 12.0 + 5e-4 * mass, mass * length**2 / 12.0 + 5e-4 * mass)
        bars.append(
            fx.RigidBody(mass, inertia, position=(points[i] + points[i + 1]) / 2.0, rotation=frame, name=f"bar {i}")
        )
    joints: list[Any] = [fx.SphericalJoint(fx.ground, bars[0], at=points[0], name="first")]
    for i in range(1, count):
        first = bars[i - 1].rotation[:, 1]
        second = np.cross(first, bars[i].rotation[:, 0])
        axes = (first, second / np.linalg.norm(second))
        joints.append(fx.UniversalJoint(bars[i - 1], bars[i], at=points[i], axes=axes, name=f"joint {i}"))
    joints.append(fx.SphericalJoint(bars[-1], fx.ground, at=points[-1], name="last"))
    return fx.Model(*bars, *joints, fx.Gravity((0.0, 3.0, -9.81)), name=f"ring of {count} bars")
