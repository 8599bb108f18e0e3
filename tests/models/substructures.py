"""Models with substructures, for tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import flexmbs as fx

SECTION = fx.BeamStiffness(EA=1e3, EI_z=1.0, EI_y=2.0, GJ=1.0, mass_per_length=0.1, rhoI_y=1e-3, rhoI_z=2e-3)
SOFT = fx.Elastic(youngs_modulus=1e5, density=150.0, poissons_ratio=0.3)


@cache
def block() -> Any:
    """A block of hexahedra from the origin to (1, 0, 0), reduced to its ends, with displacements of second order."""
    mesh = fx.meshes.box((0.0, -0.1, -0.1), (1.0, 0.2, 0.2), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), SOFT)], name="block")
    return fx.reduction.reduce(part, ["left", "right"], 3, geometric_stiffening=True, progress=False)


def branches(history: Callable[[float], float] | None = None, damped: bool = True) -> fx.Model:
    """Substructures in sets of two, one and one: a chain of three, two of 2 and one of 4 inner modes, and a block.

    They begin at a hub on a hinge; a ball hangs on the block, a spring pulls at a point within the chain. ``damped``:
    by the material, whose losses are in no account.
    """
    element, loss = fx.elements.Frame(section=SECTION), 1.0 if damped else 0.0
    hub = fx.RigidBody(5.0, (1.0, 1.2, 0.8), (-0.1, 0.05, 0.0), name="hub")
    tip = fx.RigidBody(1.0, (0.1, 0.15, 0.2), (3.2, 0.1, 0.0), name="tip")
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0),
        (2, 0, 0),
        hub,
        n=2,
        element=element,
        elements=3,
        modes=2,
        retardation_time=1e-2 * loss,
        name="boom",
    )
    rest = fx.SubstructuredBeam.straight(
        (2, 0, 0),
        (3, 0.1, 0),
        boom.end,
        tip,
        n=1,
        element=element,
        elements=4,
        modes=4,
        ratio=0.02 * loss,
        name="rest",
    )
    side = fx.RigidBody(1.0, (0.1, 0.15, 0.2), (1.2, 0.1, -0.1), name="side")
    part = fx.Substructure(block(), hub, side, ("left", "right"), retardation_time=0.1 * loss, name="part")
    ball = fx.RigidBody(0.3, (1e-3, 1e-3, 1e-3), (1.2, 0.1, -0.4), name="ball")
    return fx.Model(
        hub, tip, side, ball, *boom.items, *rest.items, part,
        fx.RevoluteJoint(fx.ground, hub, at=(0, 0, 0), axis=(0, 1, 0.2), name="hinge"),
        fx.SphericalJoint(side, ball, at=(1.2, 0.1, -0.1), name="eye"),
        fx.SpringDamper(
            fx.ground.marker((0.5, -0.5, 1.0)), boom.parts[0].node(1), stiffness=30.0, damping=2.0, name="spring"
        ),
        fx.Gravity((0.1, 0.0, -9.81), history=history),
        name="branches",
    )  # fmt: skip


def tumbling() -> fx.Model:
    """A boom of two substructures on a hub, free of forces."""
    hub = fx.RigidBody(5.0, (1, 1.2, 0.8), (-0.1, 0.05, 0), name="hub").with_spin((0.3, 0.5, 2.0), (0, 0, 0))
    boom = fx.SubstructuredBeam.straight(
        (0, 0, 0), (1, 0, 0), hub, n=2, element=fx.elements.Frame(section=SECTION), elements=3, modes=2
    )
    return fx.Model(hub, *boom.items, name="tumbling")
