"""Trees as arrays: the table that all kernels of trees work on."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["SCREW", "WIDTH", "TreeGroup"]

SCREW = 0
"""Kind of a column that is a motion along a screw.

1, 2, 3 are the columns of a rotation by quaternion, 4 and 5 the shapes of a flexible link
(`flexmbs.kernels.trees.modal`).
"""

R_, P_, S_, V_, A_, X_, Y_, F_, M_, H_, J_, L_, C_ = 0, 9, 12, 18, 24, 30, 36, 42, 48, 49, 52, 61, 64
WIDTH = 73
"""Where the results of a column lie in its row of ``work``.

R: orientation of the frame behind the column; P: its place from the origin of reference; S: screw; V, A: velocity and
acceleration behind the column; X and Y: how these change with its coordinate; F: wrench of inertia of
what lies beyond; M, H, J: its mass, first moment, inertia; L, C: what its wrench depends on velocities by.
"""


class TreeGroup(NamedTuple):
    """All trees of a model, column after column; a parent always comes before its children.

    ``parent (n_c,)``: column before, -1 for the base; ``before (n_c,)``: the column before the joint, which for the
    columns of a rotation by quaternion, and of the shapes of an interface, is the parent of the first; ``head (n_c,)``:
    that first column, of screws the column itself; ``kind (n_c,)``; ``screw (n_c, 6)``: constant screw (velocity of the
    point at the origin, angular velocity) in the frame before the column, or displacement and rotation of a shape; ``R0
    (n_c, 3, 3)``, ``p0 (n_c, 3)``: that frame in the frame behind the parent; ``dof``, ``qi (n_c,)``: places in v and
    q, of a quaternion its first entry in q; ``place (n_c,)``: row in the block of the tree; ``rot (n_c,)``: number of
    the quaternion in ``work.T``, -1 otherwise; ``m (n_c,)``, ``h (n_c, 3)``, ``J (n_c, 3, 3)``: mass, first moment and
    inertia about the origin of the frame behind the column; ``start (n_t + 1,)``: columns of each tree; ``floats
    (n_t,)``: whether its root is free, so that sums refer to the place of the root; ``base_p (n_t, 3)``, ``base_R (n_t,
    3, 3)``: base frames; ``blk (n_t,)``: offset of the block of each tree, of order ``size (n_t,)``; ``load (n_g,)``,
    ``g (n_g, 3)``: gravity; ``rise (3,)``: minus all of it, now; ``origin (n_t, 3)``, ``work (n_c, WIDTH)``: results;
    ``room (n_c, 5, 6)``, ``frames (14, 3, 3)``, ``turn (4, 3)``: scratch; ``rest (n_v,)``: zeros.
    """

    parent: IntArray
    before: IntArray
    head: IntArray
    kind: IntArray
    screw: FloatArray
    R0: FloatArray
    p0: FloatArray
    dof: IntArray
    qi: IntArray
    rot: IntArray
    place: IntArray
    m: FloatArray
    h: FloatArray
    J: FloatArray
    start: IntArray
    floats: IntArray
    base_p: FloatArray
    base_R: FloatArray
    blk: IntArray
    size: IntArray
    load: IntArray
    g: FloatArray
    rise: FloatArray
    origin: FloatArray
    work: FloatArray
    room: FloatArray
    frames: FloatArray
    turn: FloatArray
    rest: FloatArray
