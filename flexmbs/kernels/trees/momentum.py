"""Mass, centre of mass and momentum of trees."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.kernels.trees.dynamics import link_inertia, momentum_of
from flexmbs.kernels.trees.group import V_, TreeGroup
from flexmbs.kernels.trees.motion import outwards, place_columns

__all__ = ["tree_centre", "tree_momentum"]


def tree_momentum(group: TreeGroup, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear momentum and angular momentum about the inertial origin of all trees, (3,) each, inertial axes."""
    P, L = np.zeros(3), np.zeros(3)
    if not len(group.kind):
        return P, L
    place_columns(group, q)
    outwards(group, q, v, group.rest, np.zeros(int(group.load.max(initial=0)) + 1), False)
    own = np.empty(6)
    for tree, (first, end) in enumerate(zip(group.start[:-1], group.start[1:], strict=True)):
        for c in range(first, end):
            link_inertia(group, c)
            momentum_of(group.work, c, V_, own)
            P += own[:3]
            L += own[3:] + np.cross(group.origin[tree], own[:3])
    return P, L


def tree_centre(group: TreeGroup, q: FloatArray) -> tuple[float, FloatArray]:
    """Mass and centre of mass (3,) of all trees but links that are fixed to a base."""
    place_columns(group, q)
    total, moment = float(group.m.sum()), np.zeros(3)
    for tree, (first, end) in enumerate(zip(group.start[:-1], group.start[1:], strict=True)):
        for c in range(first, end):
            R, p = group.work[c, :9].reshape(3, 3), group.work[c, 9:12]
            moment += group.m[c] * (group.origin[tree] + p) + R @ group.h[c]
    return total, moment / total if total else moment
