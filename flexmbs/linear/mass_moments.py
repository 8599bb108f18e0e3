r"""Moments of the mass of a part in the shapes of its unknowns: what its motion in a moving frame needs.

With the points of mass w at X and their displacements H u (`MassPoints`), and rows a, b = x, y, z of H,

.. math:: S_{ab} = \sum w\,H_a^T H_b, \qquad p_a = \sum w\,H_a^T, \qquad q_{ab} = \sum w\,H_a^T (X_b - o_b).

The mass matrix is S_xx + S_yy + S_zz. Rigid masses at nodes are in all three by their first and second moments.

Points that go with a rigid mass or section which turns also move by :math:`\theta\times(\theta\times d)/2`. The
work of body forces in that is a stiffness against rotations (`turning_stiffness`, `turning_elements`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.linear.assembly import NodePattern, add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.connections import NodalMass
from flexmbs.linear.constraints import place
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part, Piece
from flexmbs.linear.structure import part_of

if TYPE_CHECKING:
    from flexmbs.linear.linear_solution import BodyForce

__all__ = [
    "PAIRS", "Lump", "MassMoments", "mass_moments", "on_turns", "turning_elements", "turning_lumps",
    "turning_stiffness",
]  # fmt: skip

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""The pairs a <= b."""

CHUNK = 256
"""Elements treated at once: their mass points stay below 50 MB."""

CROSS = np.zeros((3, 3, 3))
CROSS[0, 1, 2] = CROSS[1, 2, 0] = CROSS[2, 0, 1] = 1.0
CROSS[0, 2, 1] = CROSS[2, 1, 0] = CROSS[1, 0, 2] = -1.0


class Lump(NamedTuple):
    """A rigid mass that turns with a node.

    ``first``: first unknown of the node among all; ``X (3,)``: where it is, from the origin of the frame; ``mass``,
    ``moment (3,)`` and ``spread (3, 3)``: zeroth, first and second moments of the mass about it.
    """

    first: int
    X: FloatArray
    mass: float
    moment: FloatArray
    spread: FloatArray


class MassMoments(NamedTuple):
    """S (by `PAIRS`) of the n unknowns, and the loads (n, 12) p and q (the latter by a, b row by row).

    Minus the loads times the accelerations (12,) of the frame, those of its origin and the entries of the matrix
    omega_dot~ + omega~ omega~, is the inertia force of the frame's motion.
    """

    S: tuple[Any, ...]
    loads: FloatArray


def mass_moments(owner: str, operators: Operators, origin: FloatArray) -> MassMoments:
    """All moments, positions counted from ``origin (3,)``.

    Raises
    ------
    ModelError
        If the operators came as matrices.
    """
    part = part_of(owner, operators)
    pattern = node_pattern(part.nodes.n_dofs, [p.cells for p in part.pieces])
    size = int((pattern.length * pattern.n_dofs).sum())
    data = np.zeros((len(PAIRS), size))
    loads = np.zeros((int(part.nodes.n_dofs.sum()), 12))
    for piece, cells, group in part.groups(CHUNK):
        points = piece.region.element.mass_points(group)
        H = np.sqrt(points.weights)[:, None, :, None] * points.shapes.transpose(0, 2, 1, 3)  # (n_e, 3, n_g, k)
        for i, (a, b) in enumerate(PAIRS):
            block = H[:, a].transpose(0, 2, 1) @ H[:, b]
            add_blocks(pattern, cells, 0.5 * (block + block.transpose(0, 2, 1)) if a == b else block, data[i])
        X = points.positions - origin
        fields = np.zeros((*X.shape, 12))  # accelerations that the twelve motions of the frame give the points
        fields[..., :3] = np.eye(3)
        for a in range(3):
            fields[:, :, a, 3 + 3 * a : 6 + 3 * a] = X
        own = np.einsum("eg,egak,egam->ekm", points.weights, points.shapes, fields, optimize=True)
        np.add.at(loads, part.element_dofs(piece, cells), own)
    S = [_matrix(pattern, row, a == b) for row, (a, b) in zip(data, PAIRS, strict=True)]
    for lump, size_of in _lumps(owner, part, origin):
        S = [s + added for s, added in zip(S, _lump_moments(lump, size_of, len(loads)), strict=True)]
        loads[lump.first : lump.first + size_of] += _lump_loads(lump)[:size_of]
    T = operators.expansion
    if T is not None:
        S, loads = [T.T @ s @ T for s in S], T.T @ loads
    return MassMoments(tuple(s.tocsc() for s in S), loads)


def _matrix(pattern: NodePattern, data: FloatArray, symmetric: bool) -> Any:
    """The sparse matrix of blocks; the pattern stores rows, which are columns of symmetric matrices only."""
    out = sparse_matrix(pattern, data)
    out.eliminate_zeros()
    return out if symmetric else out.T.tocsc()


def turning_stiffness(lump: Lump, force: FloatArray, gradient: FloatArray) -> FloatArray:
    r"""Stiffness (3, 3) against turns of a lump whose points go by theta x (theta x d)/2 in an affine field of force.

    ``force (3,)`` per mass at the node, ``gradient (3, 3)``: with P, the sum of f d^T over the points, it is
    :math:`\mathrm{tr}(P)\,1 - (P + P^T)/2`.
    """
    return _against_turns(np.outer(force, lump.moment) + gradient @ lump.spread)


def turning_elements(part: Part, fields: Sequence[BodyForce]) -> Iterator[tuple[Piece, IntArray, int, FloatArray]]:
    """The same of elements whose points of mass turn with sections: piece, cells, number of the field, (n_e, k, k).

    ``fields`` are forces per mass. Nothing is given where elements have no rotations.
    """
    for piece, cells, group in part.groups(CHUNK):
        if piece.region.element.n_components == 6:
            points = piece.region.element.mass_points(group)
            if points.arms is not None and points.turns is not None:
                for number, field in enumerate(fields):
                    force = points.weights[..., None] * field(points.positions)
                    blocks = _against_turns(force[:, :, None, :, None] * points.arms[..., None, :])
                    own = np.einsum("egdai,egdab,egdbj->eij", points.turns, blocks, points.turns, optimize=True)
                    yield piece, cells, number, 0.5 * (own + own.transpose(0, 2, 1))


def _against_turns(P: FloatArray) -> FloatArray:
    """tr(P) 1 - (P + P^T)/2 of matrices (..., 3, 3)."""
    trace = np.trace(P, axis1=-2, axis2=-1)[..., None, None]
    return np.asarray(trace * np.eye(3) - 0.5 * (P + P.swapaxes(-1, -2)))


def on_turns(n: int, blocks: Sequence[tuple[Lump, FloatArray]]) -> Any:
    """Blocks (3, 3) on the rotations of lumps, in a matrix (n, n) of all unknowns, compressed columns."""
    at = np.array([lump.first + np.arange(3, 6) for lump, _ in blocks], dtype=np.int64).reshape(-1, 3)
    values = np.array([block for _, block in blocks]).ravel()
    return sparse.csc_matrix((values, (np.repeat(at, 3, axis=1).ravel(), np.tile(at, 3).ravel())), shape=(n, n))


def turning_lumps(owner: str, part: Part, origin: FloatArray) -> list[Lump]:
    """The masses on nodes that turn."""
    return [lump for lump, size in _lumps(owner, part, origin) if size == 6]


def _lumps(owner: str, part: Part, origin: FloatArray) -> list[tuple[Lump, int]]:
    """The masses at nodes, and how many unknowns their nodes have."""
    found = []
    for what in part.connections:
        if isinstance(what, NodalMass):
            node = place(owner, part.mesh, part.nodes, what.at)
            J = np.zeros((3, 3)) if what.inertia is None else what.inertia
            spread = 0.5 * np.trace(J) * np.eye(3) - J + what.mass * np.outer(what.offset, what.offset)
            X = part.nodes.points[node] - origin
            lump = Lump(int(part.nodes.first[node]), X, what.mass, what.mass * np.asarray(what.offset), spread)
            found.append((lump, int(part.nodes.n_dofs[node])))
    return found


def _lump_moments(lump: Lump, size: int, n: int) -> list[Any]:
    """Its part of S (n, n), with the rows H_a = [e_a, eps_aik d_k]."""
    out = []
    at = np.arange(lump.first, lump.first + size)
    rows, columns = np.repeat(at, size), np.tile(at, size)
    arm = CROSS @ lump.moment  # [a, i]
    for a, b in PAIRS:
        block = np.zeros((6, 6))
        block[a, b] = lump.mass
        block[a, 3:] = arm[b]
        block[3:, b] = arm[a]
        block[3:, 3:] = CROSS[a] @ lump.spread @ CROSS[b].T
        out.append(sparse.csc_matrix((block[:size, :size].ravel(), (rows, columns)), (n, n)))
    return out


def _lump_loads(lump: Lump) -> FloatArray:
    """Its part of the loads (6, 12)."""
    out = np.zeros((6, 12))
    arm = CROSS @ lump.moment
    first = lump.mass * lump.X + lump.moment
    for a in range(3):
        out[a, a] = lump.mass
        out[3:, a] = arm[a]
        out[a, 3 + 3 * a : 6 + 3 * a] = first
        out[3:, 3 + 3 * a : 6 + 3 * a] = np.outer(arm[a], lump.X) + CROSS[a] @ lump.spread
    return out
