"""Whether a structure is held: rigid motions that nothing prevents, and mechanisms found by a singular matrix."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.nodes import rigid_motions
from flexmbs.dynamics.compliance import constraint_rows
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.system.system import System

__all__ = ["explain_singular", "free_motions", "is_loose", "refuse_loose"]

FREE = 1e-10
"""A rigid motion counts as free when it strains supports and hinges by less than this (squared, of the stiffest)."""


def free_motions(system: System) -> FloatArray:
    """Orthonormal combinations (m n_bodies, n_free) of the bodies' rigid motions that no support or hinge prevents."""
    gram, least = _resistance(system)
    values, vectors = np.linalg.eigh(gram if isinstance(gram, np.ndarray) else gram.toarray())
    return vectors[:, values < least]


def is_loose(system: System) -> bool:
    """Whether a flexible body can move without any deformation; unlike `free_motions` linear in the number of bodies.

    Asked of models of flexible bodies alone, with supports, hinges, joints and springs: what other bodies hold or leave
    free is not looked at.
    """
    gram, least = _resistance(system)
    if isinstance(gram, np.ndarray):
        return not np.linalg.eigvalsh(gram)[0] > least
    try:
        lu = splu(gram - least * eye_array(gram.shape[0], format="csc"), permc_spec="MMD_AT_PLUS_A",
                  diag_pivot_thresh=0.0, options={"SymmetricMode": True})  # fmt: skip
    except RuntimeError:  # exactly singular
        return True
    return not (np.array_equal(lu.perm_r, lu.perm_c) and lu.U.diagonal().min() > 0.0)


def _resistance(system: System) -> tuple[FloatArray | csc_array, float]:
    """Sum of squares by which supports, hinges, joints and springs resist rigid motions, and what counts as none.

    Dense where there are few rows and neither joints nor springs.
    """
    bodies, n = system.coordinates.bodies, system.coordinates.n_v
    m = 3 if bodies[0].mesh.dim == 2 else 6
    owner, weight = np.full(n, -1), np.ones(n)
    place = np.zeros((n, m))  # row of a coordinate in the motions of its owner
    rows = _Rows(m)
    for i, (body, dofs) in enumerate(zip(bodies, system.coordinates.node_dofs, strict=True)):
        motion, weights = rigid_motions(body.element.layout, body.mesh.points, body.reference)
        mine, moved = dofs.ravel(), motion.reshape(-1, m)
        shared, new = np.flatnonzero(owner[mine] >= 0), np.flatnonzero(owner[mine] < 0)
        for k in shared:  # a hinge: the bodies that share a coordinate must move it alike
            rows.add([0, 0], [owner[mine[k]], i], np.array((place[mine[k]], -moved[k])))
        owner[mine[new]], place[mine[new]] = i, moved[new]
        weight[mine[new]] = np.tile(weights, len(dofs))[new]
        rows.add(np.arange(m), np.full(m, i), _idle(motion * weights[:, None]))
    place *= weight[:, None]
    _add_held(rows, system, owner, place)
    more = system.mechanics.n_c or any(len(block.dofs) for block in system.blocks[system.n_element_terms :])
    if not more and rows.n * m * len(bodies) <= DENSE:
        whole = rows.dense(len(bodies))
        square = whole.T @ whole
        return square, FREE * max(1.0, float(np.abs(square).sum(axis=0).max()))
    resisting = rows.matrix(len(bodies))
    gram = resisting.T @ resisting
    if more:
        all_motions = _Rows(m)
        all_motions.add(np.arange(n), owner, place)
        whole = all_motions.matrix(len(bodies))
        springs, joined = _springs_and_joints(system)
        joined = joined @ whole
        gram = gram + joined.T @ joined + whole.T @ (springs @ whole)
    return csc_array(gram), FREE * max(1.0, float(np.abs(gram).sum(axis=0).max()))


DENSE = 20_000
"""Entries of the rows up to which sparse matrices cost more than they save."""


class _Rows:
    """Rows of a sparse matrix over the ``m`` rigid motions of every body, as they come."""

    def __init__(self, m: int) -> None:
        self.m, self.n = m, 0
        self.row: list[IntArray] = []
        self.col: list[IntArray] = []
        self.values: list[FloatArray] = []

    def add(self, row: Any, owner: Any, values: FloatArray) -> None:
        """Entries ``values (k, m)`` in rows ``row (k,)`` of the next ones, at the motions of bodies ``owner (k,)``."""
        row, owner = np.asarray(row, dtype=np.int64), np.asarray(owner, dtype=np.int64)
        self.row.append(np.repeat(self.n + row, self.m))
        self.col.append((owner[:, None] * self.m + np.arange(self.m)).ravel())
        self.values.append(values.ravel())
        self.n += int(row.max(initial=-1)) + 1

    def matrix(self, bodies: int) -> csr_array:
        """All rows; entries of one place are added."""
        where = (np.concatenate(self.row), np.concatenate(self.col))
        return csr_array((np.concatenate(self.values), where), shape=(self.n, self.m * bodies))

    def dense(self, bodies: int) -> FloatArray:
        """The same as an array."""
        found = np.zeros((self.n, self.m * bodies))
        np.add.at(found, (np.concatenate(self.row), np.concatenate(self.col)), np.concatenate(self.values))
        return found


def _add_held(rows: _Rows, system: System, owner: IntArray, place: FloatArray) -> None:
    """Rows of the coordinates that supports fix: of F^T q, where nodal frames F turn some of them."""
    fixation = system.fixation
    fixed, dofs = fixation.fixed, fixation.frame_dofs
    row = np.full(len(owner), -1)
    row[fixed] = np.arange(len(fixed))
    at, source, factor = [row[fixed]], [fixed], [np.ones(len(fixed))]
    if len(dofs):
        frames = fixation.frames(fixation.drives_at(0.0, 0.0))
        dim = dofs.shape[1]
        factor[0][np.isin(fixed, dofs)] = 0.0
        turned = np.repeat(row[dofs], dim, axis=1).ravel()  # s_j = sum over i of F_ij q_i
        kept = turned >= 0
        at.append(turned[kept])
        source.append(np.tile(dofs, (1, dim)).ravel()[kept])
        factor.append(frames.transpose(0, 2, 1).ravel()[kept])
    coordinates = np.concatenate(source)
    rows.add(np.concatenate(at), owner[coordinates], np.concatenate(factor)[:, None] * place[coordinates])


def _idle(motion: FloatArray) -> FloatArray:
    """Projector (m, m) onto the rigid motions that move no coordinate, as of a straight cable about itself."""
    size, vectors = np.linalg.eigh(np.einsum("nki,nkj->ij", motion, motion))
    still = vectors[:, size < 1e-12 * size[-1]]
    return np.asarray(still @ still.T)


def _springs_and_joints(system: System) -> tuple[csr_array, csr_array]:
    """What all springs resist, soft or stiff, as projectors onto the ranges of their blocks, and the rows of joints.

    Rows (n_c, n_v) have the size one. Elements and loads resist nothing.
    """
    dyn = Dynamics(system)
    n, zero = dyn.n_v, np.zeros(dyn.n_v)
    dyn.start_turns(0.0)
    dyn.hold(np.zeros(len(system.model.loads)), system.fixation.drives_at(0.0, 0.0), 0.0)
    dyn.T[:] = np.eye(3)
    dyn.tangent(system.coordinates.reference, zero, zero, np.zeros(dyn.n_c), (1.0, 0.0))
    total = csr_array((n, n))
    for block in system.blocks[system.n_element_terms :]:
        count, k = block.dofs.shape
        if not count or block.dofs.max() >= n:  # of a joint
            continue
        K = dyn.B[block.b1 : block.b1 + count * k * k].reshape(count, k, k)
        values, vectors = np.linalg.eigh(0.5 * (K + K.transpose(0, 2, 1)))
        resists = values > 1e-14 * np.abs(values).max(axis=1, keepdims=True, initial=0.0)
        scaled = np.einsum("eim,em,ejm->eij", vectors, resists, vectors)
        row, col = np.repeat(block.dofs, k, axis=1).ravel(), np.tile(block.dofs, (1, k)).ravel()
        total = total + csr_array((scaled.ravel(), (row, col)), shape=(n, n))
    if not dyn.n_c:
        return total, csr_array((0, n))
    G = csr_array(constraint_rows(dyn.mechanics, dyn.B, n))
    size = np.sqrt(np.asarray(G.multiply(G).sum(axis=1)).ravel())
    return total, csr_array(diags_array(1.0 / np.where(size > 0.0, size, 1.0)) @ G)


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
        f"ElasticSupport) or hinges; if a load such as weight holds it, let that act from the start "
        f"(history=Constant())."
    )


def explain_singular(equations: EquationsOfRest, point: Point, frames: FloatArray, error: SingularError) -> str:
    """Name the coordinates that move in the null vector of a singular tangent."""
    eq = equations
    x = np.random.default_rng(0).standard_normal(len(eq.free))
    try:
        eq.tangent(point)
        eq.factorise(point, frames, soft=1e-8)
        for _ in range(4):
            x = eq.solve(x)
            x /= np.abs(x).max()
    except SingularError:
        return f"the stiffness matrix is singular ({error})"
    x = x * eq.velocities
    worst = np.argsort(-np.abs(x))[:3]
    where = "; ".join(eq.dyn.coordinates.describe(int(eq.free[i])) for i in worst if abs(x[i]) > 0.1)
    return (
        f"the structure is a mechanism in its first state: nothing resists a motion of {where}. Add a support, or some "
        f"bending stiffness or tension that holds it from the start."
    )
