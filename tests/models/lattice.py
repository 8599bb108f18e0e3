"""Small structures for tests: bars between points, with lumped masses."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.linear.operators import DofMap, Operators


def lattice(points, bars=None, stiffness=1.0, mass=1.0, node_sets=None, **more) -> Operators:
    """Operators of bars between points (all pairs by default); ``mass`` of each node or one for all."""
    points = np.asarray(points, dtype=float)
    n = len(points)
    if bars is None:
        bars = [(i, j) for i in range(n) for j in range(i + 1, n)]
    K = np.zeros((3 * n, 3 * n))
    for (i, j), k in zip(bars, np.broadcast_to(stiffness, len(bars)), strict=True):
        e = points[j] - points[i]
        e = np.concatenate([-e, e]) / np.linalg.norm(e)
        at = np.r_[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]
        K[np.ix_(at, at)] += k * np.outer(e, e)
    M = np.repeat(np.broadcast_to(mass, n), 3)
    dofs = DofMap(np.repeat(np.arange(n), 3), np.tile(np.arange(3), n))
    return Operators(
        sparse.csc_matrix(K), sparse.diags(M, format="csc"), dofs, points, node_sets=node_sets or {}, **more
    )


def tower(height=8) -> Operators:
    """A square tower of bars, free in space, with node sets FOOT and TOP."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    points = np.vstack([corners + np.array([0.0, 0.0, 0.9 * k]) for k in range(height + 1)])
    bars = []
    for k in range(height + 1):
        here = [4 * k + i for i in range(4)]
        bars += [(here[0], here[1]), (here[1], here[2]), (here[2], here[3]), (here[3], here[0]), (here[0], here[2])]
        if k < height:
            for i in range(4):
                bars += [(here[i], here[i] + 4), (here[i], here[(i + 1) % 4] + 4), (here[(i + 1) % 4], here[i] + 4)]
    sets = {"FOOT": np.arange(4), "TOP": np.arange(4 * height, 4 * height + 4), "MIDDLE": np.array([4, 5, 6, 7])}
    return lattice(points, bars, 1e4, 2.0, sets)
