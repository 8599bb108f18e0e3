r"""Kernels of substructures: a floating body whose amplitudes of static modes are the relative place of a second frame.

The floating body in the frame A with the amplitudes z (`flexmbs.kernels.substructure_frames`) has the mass :math:`M_f`
and the forces :math:`h_f` (`flexmbs.kernels.floating`). With :math:`\dot z = J v` and :math:`\ddot z = J a + \gamma`

.. math:: M = J^T M_f J, \qquad r = M a + J^T F_r, \quad F_r = h_f + M_f\gamma + f_{el}(z, \dot z) .

With the velocities :math:`B_{FEM} v` of the mesh this is :math:`B_{FEM}^T M_{FEM} B_{FEM}` and :math:`B_{FEM}^T M_{FEM}
\dot B_{FEM} v`: the sums over the mesh are taken beforehand, and J leads from the frames to the amplitudes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack, square
from flexmbs.kernels.substructure_curvature import Bending
from flexmbs.kernels.substructure_elasticity import elastic_force
from flexmbs.kernels.substructure_frames import amplitudes, pull, rate_columns, relative, relative_place

__all__ = [
    "SubstructureGroup", "bending", "gather", "lift", "lift_place", "pulled_force", "pulled_mass",
]  # fmt: skip


class SubstructureGroup(NamedTuple):
    """Substructures of m = 6 + k amplitudes each.

    ``dofs (n, 12 + k)``: frame A, frame B, inner modes in v; ``b1``; ``qa, qb (n,)``: first entries of the frames in q;
    ``ra, rb (n,)``: numbers of the frames in ``work.T``; ``s, d0 (n, 3)``: end of the part in B, and in A undeformed;
    ``C (n, 3, 3)``: B to A undeformed; ``K, D (n, m, m)``; what bending does to the end
    (`flexmbs.kernels.substructure_elasticity`): ``G (n, 6 or 0, m, m)``, ``along (n, 3)``, ``weight (n, g)``,
    ``slope, curve (n, g, 2, m)``, ``EI (n, 2, 2)``, ``tau (n,)``. Scratch: ``room (n, 8, 3, 3)``, ``line (n, 9,
    3)``, whose last row stays zero, and ``squares (6, 6 + m, 6 + m)``.
    """

    dofs: IntArray
    b1: int
    qa: IntArray
    qb: IntArray
    ra: IntArray
    rb: IntArray
    s: FloatArray
    d0: FloatArray
    C: FloatArray
    K: FloatArray
    D: FloatArray
    G: FloatArray
    along: FloatArray
    weight: FloatArray
    slope: FloatArray
    curve: FloatArray
    EI: FloatArray
    tau: FloatArray
    room: FloatArray
    line: FloatArray
    squares: FloatArray


@kernel
def lift_place(group: SubstructureGroup, q: FloatArray, fq: FloatArray) -> None:
    """Coordinates of the floating bodies: amplitudes first, m each, then the frames."""
    n, size = group.dofs.shape
    m = size - 6
    for i in range(n):
        relative_place(group, i, q)
        z, d = fq[i * m : i * m + m], group.dofs[i]
        amplitudes(group.s[i], group.C[i], group.line[i, 0], group.room[i, 1], z)
        for k in range(3):
            z[k] -= group.d0[i, k]
        for k in range(6, m):
            z[k] = q[d[6 + k]]
        for k in range(7):
            fq[n * m + 7 * i + k] = q[group.qa[i] + k]


@kernel
def lift(group: SubstructureGroup, state: State, floating: State, gamma: FloatArray) -> None:
    """State of the floating bodies, numbered as by `lift_place`; ``gamma (n, m)``."""
    v, acc = state.v, state.a
    fq, fv, fa = floating.q, floating.v, floating.a
    n, size = group.dofs.shape
    m = size - 6
    for i in range(n):
        relative(group, i, state.q, v, acc)
        room, line, d = group.room[i], group.line[i], group.dofs[i]
        z, zd, za, g = fq[i * m : i * m + m], fv[i * m : i * m + m], fa[i * m : i * m + m], gamma[i]
        amplitudes(group.s[i], group.C[i], line[0], room[1], z)
        amplitudes(group.s[i], group.C[i], line[1], room[2], zd)
        amplitudes(group.s[i], group.C[i], line[2], room[3], za)
        amplitudes(group.s[i], group.C[i], line[3], room[4], g)
        for k in range(3):
            z[k] -= group.d0[i, k]
        for k in range(6, m):
            z[k], zd[k], za[k], g[k] = state.q[d[6 + k]], v[d[6 + k]], acc[d[6 + k]], 0.0
        for k in range(6):
            za[k] += g[k]
        iq, iv = n * m + 7 * i, n * m + 6 * i
        for k in range(7):
            fq[iq + k] = state.q[group.qa[i] + k]
        for k in range(6):
            fv[iv + k] = v[d[k]]
            fa[iv + k] = acc[d[k]]


@kernel
def pulled_mass(group: SubstructureGroup, mass: FloatArray, blocks: FloatArray) -> None:
    """J^T M_f J into the blocks; ``mass (n (6 + m)^2,)`` of the floating bodies; after `lift_place`."""
    n, size = group.dofs.shape
    J, column, half = np.empty((6, 12)), on_stack((size,)), group.squares[0]
    for i in range(n):
        rate_columns(group, i, J)
        M, B = square(mass, i * size * size, size), square(blocks, group.b1 + i * size * size, size)
        for a in range(size):  # M_f is as large as the block: 6 + m = 12 + k
            pull(J, M[a], half[a])
        for a in range(size):
            for b in range(size):
                column[b] = half[b, a]
            pull(J, column, B[a])
        for a in range(size):
            for b in range(a):
                B[a, b] = B[b, a]


@kernel
def bending(group: SubstructureGroup, i: int) -> Bending:
    """What bending does to the end of one of them."""
    return Bending(
        group.G[i],
        group.along[i],
        group.weight[i],
        group.slope[i],
        group.curve[i],
        group.EI[i],
        group.tau[i],
        group.squares,
    )


@kernel
def gather(force: FloatArray, n: int, m: int, i: int, F: FloatArray) -> None:
    """Entries of one of n floating bodies: frame, then amplitudes."""
    for k in range(6):
        F[k] = force[n * m + 6 * i + k]
    for k in range(m):
        F[6 + k] = force[i * m + k]


@kernel
def pulled_force(
    group: SubstructureGroup, floating: State, gamma: FloatArray, force: FloatArray, mass: FloatArray,
    elastic: FloatArray, r: FloatArray,
) -> None:  # fmt: skip
    """r += J^T (h_f + M_f gamma + elastic forces).

    ``force``: h_f of all floating bodies, in their numbering; ``elastic (n, m)``: where elastic forces are left.
    """
    fq, fv = floating.q, floating.v
    n, size = group.dofs.shape
    m = size - 6
    J, F, out = np.empty((6, 12)), on_stack((size,)), on_stack((size,))
    for i in range(n):
        rate_columns(group, i, J)
        el = elastic[i]
        z, zd = fq[i * m : i * m + m], fv[i * m : i * m + m]
        elastic_force(group.K[i], group.D[i], bending(group, i), z, zd, el)
        gather(force, n, m, i, F)
        M = square(mass, i * size * size, size)
        for a in range(size):
            for k in range(6):
                F[a] += M[a, 6 + k] * gamma[i, k]
        for k in range(m):
            F[6 + k] += el[k]
        pull(J, F, out)
        for a in range(size):
            r[group.dofs[i, a]] += out[a]
