"""Compiling floating bodies: their invariants as arrays, by the number of shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.core.errors import ModelError
from flexmbs.forces.distributed import Gravity
from flexmbs.mechanics.floating import FloatingGroup

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
        second = [b.second_order.moments.transpose(2, 3, 0, 1) for b in alike if b.second_order is not None]
        places = [coordinates.place(b) for b in alike]
        dofs = [
            np.concatenate((np.arange(iv, iv + 6), coordinates.modal[id(b)] + np.arange(m)))
            for b, (_, iv) in zip(alike, places, strict=True)
        ]
        inertia = [b.inertia for b in alike]
        groups.append(
            FloatingGroup(
                dofs=np.array(dofs, dtype=np.int64),
                b1=b1,
                qi=np.array([iq for iq, _ in places], dtype=np.int64),
                rot=np.array([(iv - coordinates.n_linear) // 6 for _, iv in places], dtype=np.int64),
                mass=np.array([i.mass for i in inertia]),
                first=np.array([i.first for i in inertia]),
                second=np.array([i.second for i in inertia]),
                P=np.ascontiguousarray([i.P for i in inertia]),
                Q=np.ascontiguousarray([i.Q.transpose(2, 0, 1) for i in inertia]),
                R=np.ascontiguousarray([i.R.transpose(2, 3, 0, 1) for i in inertia]),
                M=np.ascontiguousarray([i.modal_mass for i in inertia]),
                K=np.ascontiguousarray([b.stiffness for b in alike]),
                D=np.ascontiguousarray([b.viscosity for b in alike]),
                load=np.array([i for i, _ in loads], dtype=np.int64),
                g=np.array([load.acceleration for _, load in loads], dtype=np.float64).reshape(len(loads), 3),
                work=np.zeros((3, m, 3, 3)),
                Z=np.array(second, order="C") if stiffened else np.zeros((len(alike), 0, 0, 4, 3)),
                work2=np.zeros((3, m if stiffened else 0, 4, 3)),
            )
        )
        b1 += len(alike) * (6 + m) ** 2
    return tuple(groups)
