"""Linear and angular momentum of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.bodies.linear import LinearBody
from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.rigid import RigidBody
from flexmbs.core.contracts import FloatArray
from flexmbs.core.rotations import from_quaternion
from flexmbs.mechanics.floating import floating_mass
from flexmbs.trees.momentum import tree_momentum

if TYPE_CHECKING:
    from flexmbs.system import System

__all__ = ["momentum"]


def momentum(system: System, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear momentum and angular momentum about the origin, (3,) each, inertial frame.

    Flexible bodies: M v tested with the rigid velocity fields, so exactly what their inertia conserves; for bodies with
    small rotations (linear beams, linear bodies) to first order of these.
    """
    c = system.coordinates
    P, L = np.zeros(3), np.zeros(3)
    for group in system.mechanics.floating:
        size = group.dofs.shape[1]
        blocks = np.zeros(len(group.dofs) * size * size)
        floating_mass(group._replace(b1=0), q, blocks)
        for M, dofs, iq in zip(blocks.reshape(-1, size, size), group.dofs, group.qi, strict=True):
            p = M @ v[dofs]
            P += p[:3]
            L += np.cross(q[iq : iq + 3], p[:3]) + from_quaternion(q[iq + 3 : iq + 7]) @ p[3:6]
    for shared in system.mechanics.substructures:
        p, spin = shared.momentum(q, v)
        P += p.sum(axis=0)
        L += spin.sum(axis=0)
    P, L = (x + y for x, y in zip((P, L), tree_momentum(system.mechanics.trees, q, v), strict=True))
    if system.mechanics.flexible is not None:
        P, L = (x + y for x, y in zip((P, L), system.mechanics.flexible.momentum(q, v), strict=True))
    for body, (iq, iv) in zip(c.rigid, c.places, strict=True):
        if isinstance(body, FloatingBody):
            continue
        d = len(body.position)
        x, p = np.zeros(3), np.zeros(3)
        x[:d], p[:d] = q[iq : iq + d], body.mass * v[iv : iv + d]
        P += p
        L += np.cross(x, p)
        if isinstance(body, RigidBody):
            L += from_quaternion(q[iq + 3 : iq + 7]) @ (body.inertia @ v[iv + 3 : iv + 6])
        elif isinstance(body, PlanarRigidBody):
            L[2] += body.inertia * v[iv + 2]
    for linear in c.linear:
        p, spin = _linear_momentum(linear, v[c.modal[id(linear)] :][: linear.modes])
        P += p
        L += spin
    if not c.bodies:
        return P, L
    Mv = system.flexible_momentum(v)
    counted = np.zeros(len(Mv), dtype=bool)
    for body, dofs in zip(c.bodies, c.node_dofs, strict=True):
        layout, dim = body.element.layout, body.element.layout.dim
        if layout.quaternion:
            for k, c in zip(dofs[:, 0], system.coordinates.in_q(dofs)[:, 0], strict=True):
                P += Mv[k : k + 3]
                L += np.cross(q[c : c + 3], Mv[k : k + 3]) + from_quaternion(q[c + 3 : c + 7]) @ Mv[k + 3 : k + 6]
            continue
        place = dofs[:, list(layout.position)]
        _, first = np.unique(place[:, 0], return_index=True)
        new = first[~counted[place[first, 0]]]  # hinged nodes share their position, whose momentum counts once
        counted[place] = True
        x, p = np.zeros((len(new), 3)), np.zeros((len(new), 3))
        x[:, :dim], p[:, :dim] = q[place[new]], Mv[place[new]]
        if not layout.absolute:
            x[:, :dim] += body.mesh.points[new]
            L[3 - len(layout.rotation) :] += Mv[dofs[:, list(layout.rotation)]].sum(axis=0)
        P += p.sum(axis=0)
        L += np.cross(x, p).sum(axis=0)
        for slopes in (dofs[:, list(part)] for part in layout.vectors):
            x, p = np.zeros((len(slopes), 3)), np.zeros((len(slopes), 3))
            x[:, :dim], p[:, :dim] = q[slopes], Mv[slopes]
            L += np.cross(x, p).sum(axis=0)
    return P, L


def _linear_momentum(body: LinearBody, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Momentum and angular momentum about the origin of a linear body, with its undeformed places."""
    assert body.reduced.inertia is not None  # noqa: S101  # bodies check it
    p = body.momentum_shapes @ rate
    Q = body.reduced.inertia.Q @ (body.basis @ rate)
    local = np.array([Q[1, 2] - Q[2, 1], Q[2, 0] - Q[0, 2], Q[0, 1] - Q[1, 0]])
    return p, np.cross(body.position, p) + body.rotation @ local
