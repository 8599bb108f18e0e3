r"""Articulated bodies: accelerations of trees with work in proportion to the number of links.

With the inertia I and the wrench F that what lies beyond a column opposes to the motion of its point (R. Featherstone,
Rigid Body Dynamics Algorithms, Springer 2008, chapter 7), from the tips to the base

.. math:: U = I S, \quad d = S^T U, \quad u = \tau - S^T F, \qquad
   I_a = I - U U^T / d, \quad F_a = F + I_a C + U u / d ,

are added at the point of the parent; and from the base to the tips

.. math:: A' = X A_u + C, \qquad \ddot q = (u - U^T A') / d, \qquad A = A' + S\ddot q .

A joint of several coordinates is taken column by column. Between its columns lies no mass, but the inertia of what is
beyond, so d is positive wherever the mass matrix is definite: this is Gauss' elimination of the mass matrix from the
tips on, and no intermediate bodies are made up. The three columns of a rotation share their point, so that nothing is
shifted between them.

At zero velocity without gravity the same recursion solves :math:`M x = \tau` for any right-hand side.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.local import A_, C_, D_, F_, J_, M_, N_, S_, U_, W_
from flexmbs.kernels.trees.motion import gravity

__all__ = ["eliminate", "substitute"]


@kernel
def eliminate(group: TreeGroup, tau: FloatArray, w: FloatArray) -> int:
    """From the tips to the base: U, W, and articulated inertia and wrench; -1, or a column that moves no inertia."""
    failed = -1
    for c in range(group.kind.shape[0] - 1, -1, -1):
        s0, s1, s2, s3, s4, s5 = w[c, S_], w[c, S_ + 1], w[c, S_ + 2], w[c, S_ + 3], w[c, S_ + 4], w[c, S_ + 5]
        a, b, d, e, f, g = w[c, M_], w[c, M_ + 1], w[c, M_ + 2], w[c, M_ + 3], w[c, M_ + 4], w[c, M_ + 5]
        n0, n1, n2 = w[c, N_], w[c, N_ + 1], w[c, N_ + 2]
        n3, n4, n5 = w[c, N_ + 3], w[c, N_ + 4], w[c, N_ + 5]
        n6, n7, n8 = w[c, N_ + 6], w[c, N_ + 7], w[c, N_ + 8]
        j0, j1, j2, j3, j4, j5 = w[c, J_], w[c, J_ + 1], w[c, J_ + 2], w[c, J_ + 3], w[c, J_ + 4], w[c, J_ + 5]
        u0 = a * s0 + b * s1 + d * s2 + n0 * s3 + n1 * s4 + n2 * s5
        u1 = b * s0 + e * s1 + f * s2 + n3 * s3 + n4 * s4 + n5 * s5
        u2 = d * s0 + f * s1 + g * s2 + n6 * s3 + n7 * s4 + n8 * s5
        u3 = n0 * s0 + n3 * s1 + n6 * s2 + j0 * s3 + j1 * s4 + j2 * s5
        u4 = n1 * s0 + n4 * s1 + n7 * s2 + j1 * s3 + j3 * s4 + j4 * s5
        u5 = n2 * s0 + n5 * s1 + n8 * s2 + j2 * s3 + j4 * s4 + j5 * s5
        pivot = s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5
        if not pivot > 0.0:
            failed = c
        x = 1.0 / pivot
        f0, f1, f2, f3, f4, f5 = w[c, F_], w[c, F_ + 1], w[c, F_ + 2], w[c, F_ + 3], w[c, F_ + 4], w[c, F_ + 5]
        drive = tau[group.dof[c]] - (s0 * f0 + s1 * f1 + s2 * f2 + s3 * f3 + s4 * f4 + s5 * f5)
        w[c, U_], w[c, U_ + 1], w[c, U_ + 2], w[c, U_ + 3], w[c, U_ + 4], w[c, U_ + 5] = u0, u1, u2, u3, u4, u5
        w[c, W_], w[c, W_ + 1] = x, drive
        u = group.parent[c]
        if u < 0:
            continue
        v0, v1, v2, v3, v4, v5 = u0 * x, u1 * x, u2 * x, u3 * x, u4 * x, u5 * x
        a, b, d, e, f, g = a - u0 * v0, b - u0 * v1, d - u0 * v2, e - u1 * v1, f - u1 * v2, g - u2 * v2
        n0, n1, n2 = n0 - u0 * v3, n1 - u0 * v4, n2 - u0 * v5
        n3, n4, n5 = n3 - u1 * v3, n4 - u1 * v4, n5 - u1 * v5
        n6, n7, n8 = n6 - u2 * v3, n7 - u2 * v4, n8 - u2 * v5
        j0, j1, j2, j3, j4, j5 = j0 - u3 * v3, j1 - u3 * v4, j2 - u3 * v5, j3 - u4 * v4, j4 - u4 * v5, j5 - u5 * v5
        c0, c1, c2, c3, c4, c5 = w[c, C_], w[c, C_ + 1], w[c, C_ + 2], w[c, C_ + 3], w[c, C_ + 4], w[c, C_ + 5]
        f0 += a * c0 + b * c1 + d * c2 + n0 * c3 + n1 * c4 + n2 * c5 + v0 * drive
        f1 += b * c0 + e * c1 + f * c2 + n3 * c3 + n4 * c4 + n5 * c5 + v1 * drive
        f2 += d * c0 + f * c1 + g * c2 + n6 * c3 + n7 * c4 + n8 * c5 + v2 * drive
        f3 += n0 * c0 + n3 * c1 + n6 * c2 + j0 * c3 + j1 * c4 + j2 * c5 + v3 * drive
        f4 += n1 * c0 + n4 * c1 + n7 * c2 + j1 * c3 + j3 * c4 + j4 * c5 + v4 * drive
        f5 += n2 * c0 + n5 * c1 + n8 * c2 + j2 * c3 + j4 * c4 + j5 * c5 + v5 * drive
        if group.kind[c] <= 1:
            x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
            f3 += y * f2 - z * f1
            f4 += z * f0 - x * f2
            f5 += x * f1 - y * f0
            # J - N^T d~ - (N^T d~)^T - d~ M d~, with N' = N - M d~
            k0, k1, k2 = n0 - (b * z - d * y), n1 - (d * x - a * z), n2 - (a * y - b * x)
            k3, k4, k5 = n3 - (e * z - f * y), n4 - (f * x - b * z), n5 - (b * y - e * x)
            k6, k7, k8 = n6 - (f * z - g * y), n7 - (g * x - d * z), n8 - (d * y - f * x)
            j0 += y * k6 - z * k3 - (n3 * z - n6 * y)
            j1 += y * k7 - z * k4 - (n6 * x - n0 * z)
            j2 += y * k8 - z * k5 - (n0 * y - n3 * x)
            j3 += z * k1 - x * k7 - (n7 * x - n1 * z)
            j4 += z * k2 - x * k8 - (n1 * y - n4 * x)
            j5 += x * k5 - y * k2 - (n2 * y - n5 * x)
            n0, n1, n2, n3, n4, n5, n6, n7, n8 = k0, k1, k2, k3, k4, k5, k6, k7, k8
        w[u, M_] += a
        w[u, M_ + 1] += b
        w[u, M_ + 2] += d
        w[u, M_ + 3] += e
        w[u, M_ + 4] += f
        w[u, M_ + 5] += g
        w[u, N_] += n0
        w[u, N_ + 1] += n1
        w[u, N_ + 2] += n2
        w[u, N_ + 3] += n3
        w[u, N_ + 4] += n4
        w[u, N_ + 5] += n5
        w[u, N_ + 6] += n6
        w[u, N_ + 7] += n7
        w[u, N_ + 8] += n8
        w[u, J_] += j0
        w[u, J_ + 1] += j1
        w[u, J_ + 2] += j2
        w[u, J_ + 3] += j3
        w[u, J_ + 4] += j4
        w[u, J_ + 5] += j5
        w[u, F_] += f0
        w[u, F_ + 1] += f1
        w[u, F_ + 2] += f2
        w[u, F_ + 3] += f3
        w[u, F_ + 4] += f4
        w[u, F_ + 5] += f5
    return failed


@kernel
def substitute(group: TreeGroup, scale: FloatArray, w: FloatArray, out: FloatArray) -> None:
    """From the base to the tips: accelerations A, and out (n_v,) those of the coordinates; loads with factors scale."""
    g0, g1, g2 = gravity(group, scale)
    for c in range(group.kind.shape[0]):
        u = group.parent[c]
        if u < 0:
            a0, a1, a2, a3, a4, a5 = -g0, -g1, -g2, 0.0, 0.0, 0.0
        else:
            x, y, z = w[c, D_], w[c, D_ + 1], w[c, D_ + 2]
            a3, a4, a5 = w[u, A_ + 3], w[u, A_ + 4], w[u, A_ + 5]
            a0 = w[u, A_] + a4 * z - a5 * y
            a1 = w[u, A_ + 1] + a5 * x - a3 * z
            a2 = w[u, A_ + 2] + a3 * y - a4 * x
        a0, a1, a2 = a0 + w[c, C_], a1 + w[c, C_ + 1], a2 + w[c, C_ + 2]
        a3, a4, a5 = a3 + w[c, C_ + 3], a4 + w[c, C_ + 4], a5 + w[c, C_ + 5]
        rate = w[c, W_ + 1] - (w[c, U_] * a0 + w[c, U_ + 1] * a1 + w[c, U_ + 2] * a2)
        rate = (rate - (w[c, U_ + 3] * a3 + w[c, U_ + 4] * a4 + w[c, U_ + 5] * a5)) * w[c, W_]
        out[group.dof[c]] = rate
        w[c, A_], w[c, A_ + 1], w[c, A_ + 2] = a0 + w[c, S_] * rate, a1 + w[c, S_ + 1] * rate, a2 + w[c, S_ + 2] * rate
        w[c, A_ + 3], w[c, A_ + 4] = a3 + w[c, S_ + 3] * rate, a4 + w[c, S_ + 4] * rate
        w[c, A_ + 5] = a5 + w[c, S_ + 5] * rate
