"""Linear and angular momentum of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.rigid import RigidBody
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_quaternion

if TYPE_CHECKING:
    from flexmbs.system import System

__all__ = ["momentum"]


def momentum(system: System, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear momentum and angular momentum about the origin, (3,) each, inertial frame.

    Flexible bodies: M v tested with the rigid velocity fields, so exactly what their inertia conserves; for bodies with
    small rotations (linear beams) to first order of these.
    """
    c = system.coordinates
    P, L = np.zeros(3), np.zeros(3)
    for body, (iq, iv) in zip(c.rigid, c.places, strict=True):
        d = len(body.position)
        x, p = np.zeros(3), np.zeros(3)
        x[:d], p[:d] = q[iq : iq + d], body.mass * v[iv : iv + d]
        P += p
        L += np.cross(x, p)
        if isinstance(body, RigidBody):
            L += from_quaternion(q[iq + 3 : iq + 7]) @ (body.inertia @ v[iv + 3 : iv + 6])
        elif isinstance(body, PlanarRigidBody):
            L[2] += body.inertia * v[iv + 2]
    for body, dofs in zip(c.bodies, c.node_dofs, strict=True):
        layout = body.element.layout
        if not layout.absolute:
            Mv = system.flexible_momentum(v)
            points, pushes, turns = (np.zeros((len(dofs), 3)) for _ in range(3))
            place = dofs[:, list(layout.position)]
            points[:, : layout.dim], pushes[:, : layout.dim] = body.mesh.points + q[place], Mv[place]
            turns[:, -len(layout.rotation) :] = Mv[dofs[:, list(layout.rotation)]]
            P += pushes.sum(axis=0)
            L += (np.cross(points, pushes) + turns).sum(axis=0)
    absolute = [(b, d) for b, d in zip(c.bodies, c.node_dofs, strict=True) if b.element.layout.absolute]
    if absolute:
        Mv = system.flexible_momentum(v)
        dim = absolute[0][0].element.layout.dim
        places = np.unique(np.concatenate([d[:, list(b.element.layout.position)] for b, d in absolute]), axis=0)
        slopes = np.concatenate([d[:, list(b.element.layout.slope)] for b, d in absolute])
        P[:dim] += Mv[places].sum(axis=0)
        for dofs in (places, slopes):
            x, p = np.zeros((len(dofs), 3)), np.zeros((len(dofs), 3))
            x[:, :dim], p[:, :dim] = q[dofs], Mv[dofs]
            L += np.cross(x, p).sum(axis=0)
    return P, L
