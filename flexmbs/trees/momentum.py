"""Linear and angular momentum of trees."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.trees.dynamics import link_inertia, momentum_of
from flexmbs.trees.group import V_, TreeGroup
from flexmbs.trees.motion import outwards, place_columns

__all__ = ["tree_momentum"]


def tree_momentum(group: TreeGroup, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear momentum and angular momentum about the inertial origin of all trees, (3,) each, inertial axes."""
    P, L = np.zeros(3), np.zeros(3)
    if not len(group.kind):
        return P, L
    place_columns(group, q)
    outwards(group, v, group.rest, np.zeros(int(group.load.max(initial=0)) + 1), False)
    own = np.empty(6)
    for tree, (first, end) in enumerate(zip(group.start[:-1], group.start[1:], strict=True)):
        for c in range(first, end):
            link_inertia(group, c)
            momentum_of(group.work, c, V_, own)
            P += own[:3]
            L += own[3:] + np.cross(group.origin[tree], own[:3])
    return P, L
