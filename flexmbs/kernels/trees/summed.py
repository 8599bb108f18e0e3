r"""Sums over links in full: the mass matrix as :math:`\sum_i J_i^T I_i J_i`, and momentum about the centre of mass.

The direct sum takes each link with all pairs of columns on its way to the base: of order n times the square of the
depth. It is the definition; `flexmbs.kernels.trees.dynamics.tree_mass` adds the inertias beyond each column first and
needs n times the depth. The topology matrix of X. Xue and others is the same sum: docs/theory/trees_algorithms.md.

The momentum of a tree about its centre of mass, in inertial axes, is :math:`h = A_G v`, and column k of :math:`A_G` is
:math:`I_k S_k` moved there, with the sum I of what lies beyond (D. Orin, A. Goswami, S. Lee, Centroidal dynamics of a
humanoid robot, Autonomous Robots 35, 2013).
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.dynamics import link_inertia, momentum_of
from flexmbs.kernels.trees.group import F_, H_, J_, M_, S_, TreeGroup
from flexmbs.kernels.trees.motion import place_columns

__all__ = ["centroidal", "direct_mass"]


@kernel
def direct_mass(group: TreeGroup, q: FloatArray, M: FloatArray) -> None:
    """M (n_v, n_v) of a tree by itself, link by link."""
    w = group.work
    n = group.kind.shape[0]
    place_columns(group, q)
    for i in range(n):
        for j in range(n):
            M[i, j] = 0.0
    for c in range(n):
        if group.m[c] == 0.0:
            continue
        link_inertia(group, c)
        y = w[c, F_ : F_ + 6]
        k = c
        while k >= 0:
            x = w[k, S_ : S_ + 6]
            inertia_times(w, c, x, y)
            i = k
            while i >= 0:
                s = 0.0
                for j in range(6):
                    s += w[i, S_ + j] * y[j]
                M[k, i] += s
                i = group.parent[i]
            k = group.parent[k]
    for i in range(n):
        for j in range(i):
            M[j, i] = M[i, j]


@kernel
def inertia_times(w: FloatArray, c: int, x: FloatArray, y: FloatArray) -> None:
    """y (6,) = I x with the inertia in row c."""
    m, h0, h1, h2 = w[c, M_], w[c, H_], w[c, H_ + 1], w[c, H_ + 2]
    y[0] = m * x[0] + x[4] * h2 - x[5] * h1
    y[1] = m * x[1] + x[5] * h0 - x[3] * h2
    y[2] = m * x[2] + x[3] * h1 - x[4] * h0
    y[3] = h1 * x[2] - h2 * x[1]
    y[4] = h2 * x[0] - h0 * x[2]
    y[5] = h0 * x[1] - h1 * x[0]
    for k in range(3):
        for i in range(3):
            y[3 + k] += w[c, J_ + 3 * k + i] * x[3 + i]


@kernel
def centroidal(group: TreeGroup, q: FloatArray, A: FloatArray, centre: FloatArray) -> None:
    """A (6, n_v), linear part first, and the place of the centre of mass, inertial frame, of a tree by itself."""
    w = group.work
    n = group.kind.shape[0]
    place_columns(group, q)
    mass = 0.0
    for k in range(3):
        centre[k] = 0.0
    for c in range(n):
        link_inertia(group, c)
        mass += w[c, M_]
        for k in range(3):
            centre[k] += w[c, H_ + k]
    for k in range(3):
        centre[k] /= mass
    x, y, z = centre[0], centre[1], centre[2]
    for c in range(n - 1, -1, -1):
        u = group.parent[c]
        if u >= 0:
            for k in range(M_, M_ + 13):
                w[u, k] += w[c, k]
        p = w[c, F_ : F_ + 6]
        momentum_of(w, c, S_, p)
        i = group.dof[c]
        A[0, i], A[1, i], A[2, i] = p[0], p[1], p[2]
        A[3, i] = p[3] - (y * p[2] - z * p[1])
        A[4, i] = p[4] - (z * p[0] - x * p[2])
        A[5, i] = p[5] - (x * p[1] - y * p[0])
    for k in range(3):
        centre[k] += group.origin[0, k]
