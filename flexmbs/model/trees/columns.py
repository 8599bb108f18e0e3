"""From links in words to columns as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import numbers_of_kinds
from flexmbs.kernels.trees.dynamics import tree_mass
from flexmbs.kernels.trees.group import SCREW, WIDTH, TreeGroup
from flexmbs.kernels.trees.modal import MODAL
from flexmbs.model.bodies.inertia import parallel_axes
from flexmbs.model.trees.flexible_link import FlexibleLink

if TYPE_CHECKING:
    from flexmbs.model.trees.tree import Tree

__all__ = ["Columns", "column_kinds", "columns_of", "free_standing", "heads", "moved_inertia", "start_of", "tree_group"]

LIGHT = 1e-14
"""Inertia against the motion of a joint, relative to the largest of the tree in its units, that counts as none."""

EXTENT = 1e-9
"""Smallest moment of inertia of a body, relative to the largest, with which its joint needs no further look."""


class Columns(NamedTuple):
    """One tree as columns, without places in a model; fields as in `TreeGroup`.

    ``joint (n_c,)``: number of the link whose joint, or shapes, a column belongs to; ``shape (n_c,)``: number of the
    shape, -1 for joints; ``outlets``: by link and interface the last column of its shapes; ``behind (n_links,)``: the
    column that moves each link, -1 where it is fixed to the base; ``R_L (n_links, 3, 3)``, ``p_L (n_links, 3)``: link
    frames in the frame behind that column (of the base).
    """

    parent: IntArray
    before: IntArray
    kind: IntArray
    screw: FloatArray
    R0: FloatArray
    p0: FloatArray
    m: FloatArray
    h: FloatArray
    J: FloatArray
    joint: IntArray
    shape: IntArray
    outlets: dict[tuple[int, str], int]
    behind: IntArray
    R_L: FloatArray
    p_L: FloatArray


def columns_of(tree: Tree) -> Columns:
    """The columns of a tree; links that are fixed to others become one with them."""
    rows: list[tuple[int, int, int, FloatArray, FloatArray, FloatArray, int, int]] = []
    outlets: dict[tuple[int, str], int] = {}
    behind: list[int] = []
    frames: list[tuple[FloatArray, FloatArray]] = []
    for i, (link, parent) in enumerate(zip(tree.links, tree.parents, strict=True)):
        last = -1 if parent < 0 else behind[parent]
        R, p = (np.eye(3), np.zeros(3)) if parent < 0 else frames[parent]
        if isinstance(link.at, str):
            last, R, p = outlets[parent, link.at], link.rotation, np.zeros(3)
        else:
            p, R = p + R @ link.at, R @ link.rotation
        for s in link.joint.screws:
            rows.append((last, last, SCREW, s, R, p, i, -1))
            last, R, p = len(rows) - 1, np.eye(3), np.zeros(3)
        if link.joint.ball:
            before = last
            for kind in (1, 2, 3):
                rows.append((last, before, kind, np.zeros(6), R, p, i, -1))
                last = len(rows) - 1
            R, p = np.eye(3), np.zeros(3)
        behind.append(last)
        frames.append((R, p))
        if isinstance(link, FlexibleLink):
            for name in link.outlets:
                point, phi, psi = link.shapes(name)
                before = last
                for k in range(link.modes):
                    screw = np.concatenate((phi[:, k], psi[:, k]))
                    rows.append((before, last, MODAL + (k > 0), screw, R, p + R @ point, i, k))
                    before = len(rows) - 1
                outlets[i, name] = before
    n = len(rows)
    m, h, J = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for link, c, (R, p) in zip(tree.links, behind, frames, strict=True):
        if c >= 0 and not isinstance(link, FlexibleLink):
            centre = p + R @ link.centre
            m[c] += link.mass
            h[c] += link.mass * centre
            J[c] += parallel_axes(R @ link.inertia @ R.T, link.mass, centre)
    ints = [np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1, 2, 6, 7)]
    floats = [np.array([row[k] for row in rows]) for k in (3, 4, 5)]
    return Columns(
        ints[0], ints[1], ints[2], floats[0].reshape(n, 6), floats[1].reshape(n, 3, 3), floats[2].reshape(n, 3), m, h,
        J, ints[3], ints[4], outlets, np.array(behind, dtype=np.int64), np.array([R for R, _ in frames]),
        np.array([p for _, p in frames]),
    )  # fmt: skip


def tree_group(
    trees: Sequence[Tree],
    places: Sequence[tuple[IntArray, IntArray, IntArray, IntArray]],
    n_v: int,
    b1: int = 0,
    gravity: Sequence[tuple[int, Any]] = (),
) -> TreeGroup:
    """The table of some trees; blocks from ``b1`` on.

    ``places``: for each tree the places of its columns in v and in q (of a quaternion its first entry), the numbers of
    its quaternions (-1: none), and the places of the columns in the block of the tree; ``gravity``: number and
    acceleration of loads.
    """
    parts = [columns_of(tree) for tree in trees]
    sizes = [len(p.kind) for p in parts]
    orders = [int(p[3].max(initial=-1)) + 1 for p in places]
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    shifted = [
        [np.where(x < 0, -1, x + o) for x in (p.parent, p.before, heads(p.kind))]
        for p, o in zip(parts, start, strict=False)
    ]
    n = int(start[-1])

    def joined(name: str, *shape: int) -> FloatArray:
        arrays = [getattr(p, name) for p in parts]
        return np.ascontiguousarray(np.concatenate([np.zeros((0, *shape)), *arrays]))

    def ints(arrays: list[Any]) -> IntArray:
        return np.concatenate([np.zeros(0, dtype=np.int64), *arrays]).astype(np.int64)

    return TreeGroup(
        parent=ints([s[0] for s in shifted]),
        before=ints([s[1] for s in shifted]),
        head=ints([s[2] for s in shifted]),
        kind=column_kinds(parts),
        screw=joined("screw", 6),
        R0=joined("R0", 3, 3),
        p0=joined("p0", 3),
        dof=ints([p[0] for p in places]),
        qi=ints([p[1] for p in places]),
        rot=ints([p[2] for p in places]),
        place=ints([p[3] for p in places]),
        m=joined("m"),
        h=joined("h", 3),
        J=joined("J", 3, 3),
        start=start,
        floats=np.array([floats(p) for p in parts], dtype=np.int64),
        base_p=np.array([t.position for t in trees], dtype=np.float64).reshape(len(trees), 3),
        base_R=np.array([t.rotation for t in trees], dtype=np.float64).reshape(len(trees), 3, 3),
        blk=(b1 + np.concatenate(([0], np.cumsum(np.square(orders)))))[:-1].astype(np.int64),
        size=np.array(orders, dtype=np.int64),
        load=np.array([i for i, _ in gravity], dtype=np.int64),
        g=np.array([g for _, g in gravity], dtype=np.float64).reshape(len(gravity), 3),
        rise=np.zeros(3),
        origin=np.zeros((len(trees), 3)),
        work=np.zeros((n, WIDTH)),
        room=np.zeros((n, 5, 6)),
        frames=np.zeros((14, 3, 3)),
        turn=np.zeros((4, 3)),
        rest=np.zeros(n_v),
    )


def column_kinds(parts: Sequence[Columns]) -> IntArray:
    """The kinds of the columns of some trees, of a type that tells whether there are shapes among them."""
    return numbers_of_kinds([int(kind) for part in parts for kind in part.kind], MODAL - 1)


def heads(kind: IntArray) -> IntArray:
    """The first column of the joint, or of the shapes of an interface, that each column belongs to."""
    found = np.arange(len(kind))
    for c in range(len(kind)):
        if kind[c] in (2, 3, MODAL + 1):
            found[c] = found[c - 1]
    return found


def floats(columns: Columns) -> bool:
    """Whether the first link of a tree is free."""
    free = len(columns.kind) >= 6 and columns.kind[:6].tolist() == [0, 0, 0, 1, 2, 3]
    return bool(free and len(set(columns.joint[:6])) == 1 and np.allclose(columns.screw[:3, :3], np.eye(3)))


def free_standing(tree: Tree, gravity: FloatArray | None = None) -> TreeGroup:
    """A tree by itself: v has a place per column, q the same with quaternions at its end."""
    columns = columns_of(tree)
    n = len(columns.kind)
    balls = np.flatnonzero(columns.kind == 1)
    qi = np.arange(n)
    rot = np.full(n, -1)
    for k, c in enumerate(balls):
        qi[c : c + 3], rot[c : c + 3] = n + 4 * k, k
    loads = [] if gravity is None else [(0, gravity)]
    return tree_group([tree], [(np.arange(n), qi, rot, np.arange(n))], n, 0, loads)


def start_of(tree: Tree) -> tuple[FloatArray, FloatArray]:
    """q and v of a tree by itself at its start."""
    columns = columns_of(tree)
    n = len(columns.kind)
    q, quaternions, v = np.zeros(n), [], np.zeros(n)
    for i, link in enumerate(tree.links):
        own = np.flatnonzero((columns.joint == i) & (columns.shape < 0))
        v[own] = link.rate
        k = len(link.joint.screws)
        q[own[:k]] = link.start[:k]
        if link.joint.ball:
            quaternions.append(link.start[k:])
    return np.concatenate((q, *quaternions)), v


def moved_inertia(tree: Tree) -> list[tuple[int, str]]:
    """Links, and coordinates of their joints, that move no inertia: zeros in the factors of the mass matrix.

    Trees with flexible links are not looked at.
    """
    if any(isinstance(link, FlexibleLink) for link in tree.links):
        return []
    columns = columns_of(tree)
    if all(_moves_a_body(tree, columns, i) for i in range(len(tree.links))):
        return []  # without the mass matrix, which would be the longest part of making a long tree
    group = free_standing(tree)
    q, _ = start_of(tree)
    n = len(group.kind)
    blocks = np.zeros(n * n)
    tree_mass(group, q, blocks)
    M = blocks.reshape(n, n)
    size = np.sqrt(np.maximum(np.diag(M), 0.0))
    found = [c for c in range(n) if size[c] == 0.0]
    if not found:
        scaled = M / np.outer(size, size)
        values, vectors = np.linalg.eigh(scaled)
        if values[0] < LIGHT * n:
            found = [int(np.abs(vectors[:, 0]).argmax())]
    named = []
    for c in found:
        link = int(columns.joint[c])
        own = np.flatnonzero((columns.joint == link) & (columns.shape < 0))
        named.append((link, tree.links[link].joint.names[int(np.flatnonzero(own == c)[0])]))
    return named


def _moves_a_body(tree: Tree, columns: Columns, i: int) -> bool:
    """Whether the joint of a link moves, by all its coordinates, a body with mass and extent right behind it."""
    own = np.flatnonzero((columns.joint == i) & (columns.shape < 0))
    if not len(own):
        return True
    last = own[-1]
    m, h = float(columns.m[last]), columns.h[last]
    if m == 0.0:
        return False
    moments = np.linalg.eigvalsh(columns.J[last] - parallel_axes(np.zeros((3, 3)), m, h / m))
    return bool(moments[0] > EXTENT * moments[-1] > 0.0) and tree.links[i].joint.independent(tree.links[i].start)
