"""Whether a structure is held: rigid motions that nothing prevents, and mechanisms found by a singular matrix."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from flexmbs.body import FlexibleBody
from flexmbs.core import sparsity
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.system import System

__all__ = ["explain_singular", "free_motions", "is_loose", "model_size", "refuse_loose"]

FREE = 1e-10
"""A rigid motion counts as free when it strains supports and hinges by less than this (squared, of the stiffest)."""


def model_size(system: System) -> float:
    """Largest extent of all bodies in the stress-free shape [length]."""
    points = np.concatenate([b.mesh.points for b in system.coordinates.bodies])
    return float(np.ptp(points, axis=0).max())


def rigid_motions(body: FlexibleBody, centre: FloatArray, size: float) -> FloatArray:
    """Velocities (n_nodes, n_node, m) of the nodal coordinates in the m rigid motions of a body.

    Translations first, then rotations about ``centre`` by 1/size [rad], so that all motions are of size one. A motion
    that moves no coordinate (a straight cable about its axis) is zero.
    """
    layout, points = body.element.layout, body.mesh.points
    dim = layout.dim
    motions = np.zeros((len(points), len(layout.names), dim + (1 if dim == 2 else 3)))
    for c in range(dim):
        motions[:, layout.position[c], c] = 1.0
    axes = np.eye(3)[2:] if dim == 2 else np.eye(3)
    for j, axis in enumerate(axes):
        spin = np.cross(np.eye(3), axis).T[:dim, :dim] / size  # spin @ x = axis x x / size
        motions[:, layout.position, dim + j] = (points - centre) @ spin.T
        if layout.slope:
            motions[:, layout.slope, dim + j] = body.reference[:, layout.slope] @ spin.T
        for c, place in enumerate(layout.rotation):
            motions[:, place, dim + j] = (axis[-1] if dim == 2 else axis[c]) / size
    return motions


def free_motions(system: System) -> FloatArray:
    """Orthonormal combinations (m n_bodies, n_free) of the bodies' rigid motions that no support or hinge prevents."""
    bodies, node_dofs = system.coordinates.bodies, system.coordinates.node_dofs
    size = model_size(system)
    centre = np.concatenate([b.mesh.points for b in bodies]).mean(axis=0)
    motions = [rigid_motions(b, centre, size) for b in bodies]
    m = motions[0].shape[2]
    n, columns = system.coordinates.n, m * len(bodies)
    whole, gram, owner = np.zeros((n, columns)), np.zeros((columns, columns)), np.full(n, -1)
    for i, (dofs, motion) in enumerate(zip(node_dofs, motions, strict=True)):
        mine, part = dofs.ravel(), slice(m * i, m * i + m)
        rows = motion.reshape(-1, m)
        shared = np.flatnonzero(owner[mine] >= 0)
        if len(shared):  # a hinge: the bodies that share a coordinate must move it alike
            difference = whole[mine[shared]].copy()
            difference[:, part] -= rows[shared]
            gram += difference.T @ difference
        new = np.flatnonzero(owner[mine] < 0)
        owner[mine[new]] = i
        whole[mine[new], part] = rows[new]
    frames = system.fixation.frames(system.fixation.drives_at(0.0, 0.0))
    fixed = _in_frames(system, whole, frames)
    gram += fixed.T @ fixed
    gram += _springs(system, whole)
    idle = np.flatnonzero(np.abs(np.concatenate([np.abs(x).max(axis=(0, 1)) for x in motions])) < 1e-12)
    gram[idle, idle] += 1.0
    values, vectors = np.linalg.eigh(gram)
    return vectors[:, values < FREE * max(1.0, float(values[-1]))]


def _in_frames(system: System, whole: FloatArray, frames: FloatArray) -> FloatArray:
    """The fixed rows of columns over q, in the nodal frames."""
    fixation = system.fixation
    if not len(frames):
        return whole[fixation.fixed]
    turned = whole.copy()
    turned[fixation.frame_dofs] = np.einsum("fij,fic->fjc", frames, whole[fixation.frame_dofs])
    return turned[fixation.fixed]


def _springs(system: System, whole: FloatArray) -> FloatArray:
    """Energy of the springs in the rigid motions, relative to the stiffest; elements have none."""
    system.tangent(system.coordinates.reference, system.env(0.0, 0.0)._replace(scale=np.zeros(len(system.model.loads))))
    n_elements = len({(type(b.element), b.element) for b in system.coordinates.bodies})
    total = np.zeros((whole.shape[1], whole.shape[1]))
    for block in system.blocks[n_elements:]:
        pulled = np.zeros_like(whole)
        for j, column in enumerate(whole.T):
            y = np.zeros(len(whole))
            sparsity.block_product(system._work.B, block.dofs, block.b1, np.ascontiguousarray(column), y)
            pulled[:, j] = y
        total += whole.T @ pulled
    stiffest = float(np.abs(total).max(initial=0.0))
    return total / stiffest if stiffest else total


def is_loose(system: System) -> bool:
    """Whether a body can move without any deformation."""
    return bool(free_motions(system).shape[1])


def refuse_loose(system: System) -> NoReturn:
    """Name the bodies that can move without any deformation."""
    free = free_motions(system)
    bodies = system.coordinates.bodies
    dim = bodies[0].mesh.dim
    m = dim + (1 if dim == 2 else 3)
    names = [f"move along {c}" for c in "xyz"[:dim]] + (["turn"] if dim == 2 else [f"turn about {c}" for c in "xyz"])
    share = np.sqrt((free**2).sum(axis=1)).reshape(len(bodies), m)
    lines = [
        f"body {bodies[i].name!r} can {' and '.join(names[j] for j in range(m) if share[i, j] > 1e-3)}"
        for i in range(len(bodies))
        if share[i].max() > 1e-3
    ]
    shown = "; ".join(lines[:6]) + (f"; and {len(lines) - 6} more bodies" if len(lines) > 6 else "")
    raise ModelError(
        f"Model {system.model.name!r} is not supported: {free.shape[1]} rigid "
        f"motion{'s are' if free.shape[1] > 1 else ' is'} free: {shown}. Add supports (Pin, Clamp, Roller, "
        f"ElasticSupport) or hinges; if a load such as weight holds it, let that act from the start (history=Constant())."
    )


def explain_singular(system: System, q: FloatArray, error: SingularError) -> str:
    """Name the coordinates that move in the null vector of a singular tangent."""
    n, diagonal = system.n, system.diagonal
    drives = system.fixation.drives_at(0.0, 0.0)
    system.tangent(q, system.env(0.0, 0.0))
    system.assemble(system.fixation.frames(drives))
    size = np.abs(system.solver.data[diagonal])
    system.solver.data[diagonal] += 1e-8 * np.where(size > 0.0, size, size.max(initial=1.0))
    x = np.random.default_rng(0).standard_normal(n)
    try:
        system.solver.refactor()
        for _ in range(4):
            x = system.solver.solve(x)
            x /= np.abs(x).max()
    except SingularError:
        return f"the stiffness matrix is singular ({error})"
    worst = np.argsort(-np.abs(x))[:3]
    where = "; ".join(system.coordinates.describe(int(system.free[i])) for i in worst if abs(x[i]) > 0.1)
    return (
        f"the structure is a mechanism in its first state: nothing resists a motion of {where}. Add a support, or some "
        f"bending stiffness or tension that holds it from the start."
    )
