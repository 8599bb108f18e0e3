"""Compiling floating bodies: their invariants as arrays, by the number of shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.core.errors import ModelError
from flexmbs.forces.distributed import Gravity
from flexmbs.mechanics.floating_moments import FloatingGroup

if TYPE_CHECKING:
    from flexmbs.coordinates import Coordinates
    from flexmbs.model import Model

__all__ = ["floating_groups"]


def floating_groups(model: Model, coordinates: Coordinates, b1: int) -> tuple[FloatingGroup, ...]:
    """A group for each number of shapes, with and without stiffening; blocks from ``b1`` on."""
    bodies = [b for b in model.rigid_bodies if isinstance(b, FloatingBody)]
    loads = [(i, load) for i, load in enumerate(model.loads) if isinstance(load, Gravity)]
    for _, load in loads:
        if bodies and len(load.acceleration) != 3:
            raise ModelError(f"Gravity: acceleration has 2 components, but body {bodies[0].name!r} moves in space.")
    groups = []
    for m, stiffened in sorted({(b.modes, b.second_order is not None) for b in bodies}):
        alike = [b for b in bodies if (b.modes, b.second_order is not None) == (m, stiffened)]
        places = [coordinates.place(b) for b in alike]
        dofs = [
            np.concatenate((np.arange(iv, iv + 6), coordinates.modal[id(b)] + np.arange(m)))
            for b, (_, iv) in zip(alike, places, strict=True)
        ]
        heads = np.array([iq for iq, _ in places], dtype=np.int64)
        frames = np.array([(iv - coordinates.n_linear) // 6 for _, iv in places], dtype=np.int64)
        fields = [b.second_order.fields for b in alike if b.second_order is not None]
        groups.append(
            FloatingGroup.made(
                (np.array(dofs, dtype=np.int64), heads, frames),
                b1,
                [b.inertia for b in alike],
                (np.array([b.stiffness for b in alike]), np.array([b.viscosity for b in alike])),
                (
                    np.array([i for i, _ in loads], dtype=np.int64),
                    np.array([load.acceleration for _, load in loads], dtype=np.float64).reshape(len(loads), 3),
                ),
                np.array(fields) if stiffened else None,
            )
        )
        b1 += len(alike) * (6 + m) ** 2
    return tuple(groups)
