r"""Inverse dynamics: the forces of the joints that a motion needs, recursive Newton-Euler about local points.

With :math:`A = X A_u + S\ddot q + C` from the base on, beginning with minus gravity, the wrench of a link is
:math:`F = I A + V\times^* I V` less what acts on it; sums at the points of the parents from the tips on give
:math:`\tau = S^T F`. The work is in proportion to the number of links (J. Luh, M. Walker, R. Paul, On-line
computational scheme for mechanical manipulators, 1980).
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.local import A_, C_, D_, F_, J_, M_, N_, S_
from flexmbs.kernels.trees.motion import gravity

__all__ = ["accelerate", "gather"]


@kernel
def accelerate(group: TreeGroup, a: FloatArray, scale: FloatArray, w: FloatArray) -> None:
    """A of all columns, and F += I A of each link by itself; after `flexmbs.kernels.trees.local.load_columns`."""
    g0, g1, g2 = gravity(group, scale)
    for c in range(group.kind.shape[0]):
        u, rate = group.parent[c], a[group.dof[c]]
        if u < 0:
            a0, a1, a2, a3, a4, a5 = -g0, -g1, -g2, 0.0, 0.0, 0.0
        else:
            x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
            a3, a4, a5 = w[u, A_ + 3], w[u, A_ + 4], w[u, A_ + 5]
            a0 = w[u, A_] + a4 * z - a5 * y
            a1 = w[u, A_ + 1] + a5 * x - a3 * z
            a2 = w[u, A_ + 2] + a3 * y - a4 * x
        a0, a1 = a0 + w[c, C_] + w[c, S_] * rate, a1 + w[c, C_ + 1] + w[c, S_ + 1] * rate
        a2, a3 = a2 + w[c, C_ + 2] + w[c, S_ + 2] * rate, a3 + w[c, C_ + 3] + w[c, S_ + 3] * rate
        a4, a5 = a4 + w[c, C_ + 4] + w[c, S_ + 4] * rate, a5 + w[c, C_ + 5] + w[c, S_ + 5] * rate
        w[c, A_], w[c, A_ + 1], w[c, A_ + 2] = a0, a1, a2
        w[c, A_ + 3], w[c, A_ + 4], w[c, A_ + 5] = a3, a4, a5
        m = w[c, M_]
        if m == 0.0:
            continue
        h0, h1, h2 = w[c, N_ + 5], w[c, N_ + 6], w[c, N_ + 1]
        w[c, F_] += m * a0 + a4 * h2 - a5 * h1
        w[c, F_ + 1] += m * a1 + a5 * h0 - a3 * h2
        w[c, F_ + 2] += m * a2 + a3 * h1 - a4 * h0
        w[c, F_ + 3] += h1 * a2 - h2 * a1 + w[c, J_] * a3 + w[c, J_ + 1] * a4 + w[c, J_ + 2] * a5
        w[c, F_ + 4] += h2 * a0 - h0 * a2 + w[c, J_ + 1] * a3 + w[c, J_ + 3] * a4 + w[c, J_ + 4] * a5
        w[c, F_ + 5] += h0 * a1 - h1 * a0 + w[c, J_ + 2] * a3 + w[c, J_ + 4] * a4 + w[c, J_ + 5] * a5


@kernel
def gather(group: TreeGroup, w: FloatArray, out: FloatArray) -> None:
    """out (n_v,) = S^T F with the sums of F over all that lies beyond."""
    for c in range(group.kind.shape[0] - 1, -1, -1):
        f0, f1, f2, f3, f4, f5 = w[c, F_], w[c, F_ + 1], w[c, F_ + 2], w[c, F_ + 3], w[c, F_ + 4], w[c, F_ + 5]
        s = w[c, S_] * f0 + w[c, S_ + 1] * f1 + w[c, S_ + 2] * f2
        out[group.dof[c]] = s + w[c, S_ + 3] * f3 + w[c, S_ + 4] * f4 + w[c, S_ + 5] * f5
        u = group.parent[c]
        if u >= 0:
            x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
            w[u, F_] += f0
            w[u, F_ + 1] += f1
            w[u, F_ + 2] += f2
            w[u, F_ + 3] += f3 + y * f2 - z * f1
            w[u, F_ + 4] += f4 + z * f0 - x * f2
            w[u, F_ + 5] += f5 + x * f1 - y * f0
