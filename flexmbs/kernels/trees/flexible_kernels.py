"""Kernels of flexible links of trees: to the frames of links, and back to the sums and blocks of their trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import square
from flexmbs.kernels.trees.group import A_, C_, F_, H_, J_, L_, M_, P_, R_, S_, V_, TreeGroup

__all__ = [
    "LinkGroup", "add_inertia", "add_mass", "add_products", "add_rows", "add_wrenches", "gather_rows",
    "gather_shapes", "link_frames", "link_motion",
]  # fmt: skip


class LinkGroup(NamedTuple):
    """Flexible links of m shapes each.

    ``column (n,)``: column that moves the link, -1 where it is fixed to the base of tree ``tree (n,)``; ``R (n, 3,
    3)``, ``p (n, 3)``: link frame behind that column; ``eta (n, m)``: places of the shapes in q and v; ``place (n,
    m)``: in the block of the tree; ``frame (n, 4, 3)``: axes and place of the link, work data.
    """

    column: IntArray
    tree: IntArray
    R: FloatArray
    p: FloatArray
    eta: IntArray
    place: IntArray
    frame: FloatArray


@kernel
def link_frames(group: TreeGroup, links: LinkGroup) -> None:
    """Axes and places of the links from the origin of reference, after `place_columns`."""
    w = group.work
    for i in range(links.column.shape[0]):
        c, t = links.column[i], links.tree[i]
        for k in range(3):
            links.frame[i, 3, k] = 0.0 if c < 0 else w[c, P_ + k]
            for n in range(3):
                r = group.base_R[t, k, n] if c < 0 else w[c, R_ + 3 * k + n]
                links.frame[i, 3, k] += r * links.p[i, n]
                links.frame[i, k, n] = 0.0
            for n in range(3):
                for j in range(3):
                    r = group.base_R[t, k, j] if c < 0 else w[c, R_ + 3 * k + j]
                    links.frame[i, k, n] += r * links.R[i, j, n]


@kernel
def link_motion(
    group: TreeGroup, links: LinkGroup, q: FloatArray, v: FloatArray, a: FloatArray, q1: FloatArray, v1: FloatArray,
    a1: FloatArray,
) -> None:  # fmt: skip
    """Velocities, and accelerations without gravity, of the links in their own axes, after `outwards`."""
    link_frames(group, links)
    w = group.work
    n, m = links.eta.shape
    u = np.empty((4, 3))
    for i in range(n):
        for k in range(m):
            e = links.eta[i, k]
            q1[m * i + k], v1[m * i + k], a1[m * i + k] = q[e], v[e], a[e]
        c, R = links.column[i], links.frame[i]
        x, y, z = R[3, 0], R[3, 1], R[3, 2]
        for k in range(3):
            for j in range(4):
                u[j, k] = 0.0
        if c >= 0:
            v0, v1_, v2, w0, w1, w2 = w[c, V_], w[c, V_ + 1], w[c, V_ + 2], w[c, V_ + 3], w[c, V_ + 4], w[c, V_ + 5]
            a0, a1_, a2, b0, b1, b2 = w[c, A_], w[c, A_ + 1], w[c, A_ + 2], w[c, A_ + 3], w[c, A_ + 4], w[c, A_ + 5]
            u[0, 0], u[0, 1], u[0, 2] = v0 + w1 * z - w2 * y, v1_ + w2 * x - w0 * z, v2 + w0 * y - w1 * x
            u[1, 0], u[1, 1], u[1, 2] = w0, w1, w2
            # acceleration of the origin of the link: that of the field there, and w x v
            u[2, 0] = a0 + b1 * z - b2 * y + w1 * u[0, 2] - w2 * u[0, 1]
            u[2, 1] = a1_ + b2 * x - b0 * z + w2 * u[0, 0] - w0 * u[0, 2]
            u[2, 2] = a2 + b0 * y - b1 * x + w0 * u[0, 1] - w1 * u[0, 0]
            u[3, 0], u[3, 1], u[3, 2] = b0, b1, b2
        else:
            for k in range(3):
                u[2, k] = base_acceleration(group, k)
        o = n * m + 6 * i
        for k in range(3):
            v1[o + k] = R[0, k] * u[0, 0] + R[1, k] * u[0, 1] + R[2, k] * u[0, 2]
            v1[o + 3 + k] = R[0, k] * u[1, 0] + R[1, k] * u[1, 1] + R[2, k] * u[1, 2]
            a1[o + k] = R[0, k] * u[2, 0] + R[1, k] * u[2, 1] + R[2, k] * u[2, 2]
            a1[o + 3 + k] = R[0, k] * u[3, 0] + R[1, k] * u[3, 1] + R[2, k] * u[3, 2]


@kernel
def base_acceleration(group: TreeGroup, k: int) -> float:
    """Component k of minus gravity, as `outwards` left it."""
    value: float = group.rise[k]
    return value


@kernel
def add_products(dofs: IntArray, M: FloatArray, a: FloatArray, r: FloatArray) -> None:
    """r += M a, body by body."""
    n, size = dofs.shape
    for i in range(n):
        for j in range(size):
            s = 0.0
            for k in range(size):
                s += M[(i * size + j) * size + k] * a[dofs[i, k]]
            r[dofs[i, j]] += s


@kernel
def gather_shapes(eta: IntArray, q: FloatArray, out: FloatArray) -> None:
    """The amplitudes of the shapes of all links, link by link, to the begin of ``out``."""
    n, m = eta.shape
    for i in range(n):
        for k in range(m):
            out[i * m + k] = q[eta[i, k]]


@kernel
def gather_rows(dofs: IntArray, r: FloatArray, out: FloatArray) -> None:
    """out (n, 6 + m): the entries of r of each body."""
    for i in range(dofs.shape[0]):
        for j in range(dofs.shape[1]):
            out[i, j] = r[dofs[i, j]]


@kernel
def carried(frame: FloatArray, f: FloatArray, first: int, step: int, out: FloatArray) -> None:
    """out (6,): force and moment about the origin of reference from f[first], f[first + step], ... in link axes."""
    for k in range(3):
        out[k] = 0.0
        out[3 + k] = 0.0
        for n in range(3):
            out[k] += frame[k, n] * f[first + n * step]
            out[3 + k] += frame[k, n] * f[first + (3 + n) * step]
    x, y, z = frame[3, 0], frame[3, 1], frame[3, 2]
    out[3] += y * out[2] - z * out[1]
    out[4] += z * out[0] - x * out[2]
    out[5] += x * out[1] - y * out[0]


@kernel
def add_wrenches(group: TreeGroup, links: LinkGroup, f: FloatArray, r: FloatArray) -> None:
    """Wrenches of the links to those of their columns, and forces on the shapes into r."""
    out = np.empty(6)
    for i in range(links.column.shape[0]):
        c = links.column[i]
        carried(links.frame[i], f[i], 0, 1, out)
        for k in range(links.eta.shape[1]):
            r[links.eta[i, k]] += f[i, 6 + k]
        if c >= 0:
            for k in range(6):
                group.work[c, F_ + k] += out[k]


@kernel
def velocity_rows(M: FloatArray, D: FloatArray, v: FloatArray, row: int, out: FloatArray) -> None:
    """out (3,): row of D_w - 2 M_v v~ - M_w w~, all (size, size), v (6,) of the frame of a link in its axes."""
    a, b, c = M[row, 0], M[row, 1], M[row, 2]
    d, e, f = M[row, 3], M[row, 4], M[row, 5]
    # row vector times a~: (x a~) = x x a as a cross product
    out[0] = D[row, 3] - 2.0 * (b * v[2] - c * v[1]) - (e * v[5] - f * v[4])
    out[1] = D[row, 4] - 2.0 * (c * v[0] - a * v[2]) - (f * v[3] - d * v[5])
    out[2] = D[row, 5] - 2.0 * (a * v[1] - b * v[0]) - (d * v[4] - e * v[3])


@kernel
def add_inertia(
    group: TreeGroup, links: LinkGroup, v: FloatArray, mass: FloatArray, damping: FloatArray, derivatives: bool
) -> None:  # fmt: skip
    """Mass, first moment and inertia of the links to those of their columns; with ``derivatives`` L and C."""
    w = group.work
    n, m = links.eta.shape
    size = 6 + m
    J, A, row = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for i in range(n):
        c = links.column[i]
        if c < 0:
            continue
        R = links.frame[i]
        M = square(mass, i * size * size, size)
        x, y, z = R[3, 0], R[3, 1], R[3, 2]
        # M[0:3, 3:6] = -c~
        c0, c1, c2 = M[1, 5], M[2, 3], M[0, 4]
        h0 = R[0, 0] * c0 + R[0, 1] * c1 + R[0, 2] * c2
        h1 = R[1, 0] * c0 + R[1, 1] * c1 + R[1, 2] * c2
        h2 = R[2, 0] * c0 + R[2, 1] * c1 + R[2, 2] * c2
        w[c, M_] += M[0, 0]
        w[c, H_] += M[0, 0] * x + h0
        w[c, H_ + 1] += M[0, 0] * y + h1
        w[c, H_ + 2] += M[0, 0] * z + h2
        for k in range(3):
            for j in range(3):
                J[k, j] = M[3 + k, 3 + j]
        turned(R, J, A)
        p = M[0, 0]
        both = p * (x * x + y * y + z * z) + 2.0 * (x * h0 + y * h1 + z * h2)
        A[0, 0] += both - p * x * x - 2.0 * x * h0
        A[1, 1] += both - p * y * y - 2.0 * y * h1
        A[2, 2] += both - p * z * z - 2.0 * z * h2
        xy, xz, yz = p * x * y + x * h1 + h0 * y, p * x * z + x * h2 + h0 * z, p * y * z + y * h2 + h1 * z
        A[0, 1] -= xy
        A[1, 0] -= xy
        A[0, 2] -= xz
        A[2, 0] -= xz
        A[1, 2] -= yz
        A[2, 1] -= yz
        for k in range(3):
            for j in range(3):
                w[c, J_ + 3 * k + j] += A[k, j]
        if derivatives:
            D = square(damping, i * size * size, size)
            u = v[n * m + 6 * i : n * m + 6 * i + 6]
            for k in range(3):
                velocity_rows(M, D, u, k, row)
                for j in range(3):
                    A[k, j] = -0.5 * row[j]  # momentum as a cross matrix
            l0, l1, l2 = A[2, 1], A[0, 2], A[1, 0]
            p0 = R[0, 0] * l0 + R[0, 1] * l1 + R[0, 2] * l2
            p1 = R[1, 0] * l0 + R[1, 1] * l1 + R[1, 2] * l2
            p2 = R[2, 0] * l0 + R[2, 1] * l1 + R[2, 2] * l2
            w[c, L_] += p0
            w[c, L_ + 1] += p1
            w[c, L_ + 2] += p2
            for k in range(3):
                velocity_rows(M, D, u, 3 + k, row)
                for j in range(3):
                    J[k, j] = row[j]
            turned(R, J, A)
            # moment of the force -2 p~: -2 x~ p~ = -2 (p x^T - x.p 1)
            dot = 2.0 * (x * p0 + y * p1 + z * p2)
            for j in range(3):
                s = R[3, j]
                A[0, j] -= 2.0 * p0 * s
                A[1, j] -= 2.0 * p1 * s
                A[2, j] -= 2.0 * p2 * s
                A[j, j] += dot
            for k in range(3):
                for j in range(3):
                    w[c, C_ + 3 * k + j] += A[k, j]


@kernel
def turned(R: FloatArray, J: FloatArray, out: FloatArray) -> None:
    """out = R J R^T; R in the first three rows."""
    for k in range(3):
        a0 = R[k, 0] * J[0, 0] + R[k, 1] * J[1, 0] + R[k, 2] * J[2, 0]
        a1 = R[k, 0] * J[0, 1] + R[k, 1] * J[1, 1] + R[k, 2] * J[2, 1]
        a2 = R[k, 0] * J[0, 2] + R[k, 1] * J[1, 2] + R[k, 2] * J[2, 2]
        for n in range(3):
            out[k, n] = a0 * R[n, 0] + a1 * R[n, 1] + a2 * R[n, 2]


@kernel
def add_rows(
    group: TreeGroup, links: LinkGroup, v: FloatArray, mass: FloatArray, stiffness: FloatArray, damping: FloatArray,
    weights: tuple[float, float], B: FloatArray,
) -> None:  # fmt: skip
    """Rows and columns of the shapes: with the joints that move their link, and with each other."""
    w = group.work
    wq, wv = weights
    n, m = links.eta.shape
    size = 6 + m
    y, e, z, row, both = np.empty(6), np.empty(6), np.empty(3), np.empty(3), np.empty(6)
    for i in range(n):
        t, R = links.tree[i], links.frame[i]
        order, o = group.size[t], group.blk[t]
        M = square(mass, i * size * size, size)
        K = square(stiffness, i * size * size, size)
        D = square(damping, i * size * size, size)
        u = v[n * m + 6 * i : n * m + 6 * i + 6]
        for k in range(m):
            here = links.place[i, k]
            for j in range(m):
                B[o + here * order + links.place[i, j]] += wq * K[6 + k, 6 + j] + wv * D[6 + k, 6 + j]
            carried(R, M[6 + k], 0, 1, y)
            velocity_rows(M, D, u, 6 + k, row)
            for j in range(3):
                z[j] = R[j, 0] * row[0] + R[j, 1] * row[1] + R[j, 2] * row[2]
            for j in range(6):
                both[j] = wq * K[j, 6 + k] + wv * D[j, 6 + k]
            carried(R, both, 0, 1, e)
            c = links.column[i]
            while c >= 0:
                b, a = group.room[c, 2], group.room[c, 3]
                s = z[0] * a[3] + z[1] * a[4] + z[2] * a[5]
                r = 0.0
                for j in range(6):
                    s += y[j] * b[j]
                    r += w[c, S_ + j] * e[j]
                B[o + here * order + group.place[c]] += s
                B[o + group.place[c] * order + here] += r
                c = group.parent[c]


@kernel
def add_mass(group: TreeGroup, links: LinkGroup, mass: FloatArray, blocks: FloatArray) -> None:
    """Rows and columns of the shapes in the mass matrices."""
    w = group.work
    n, m = links.eta.shape
    size = 6 + m
    y = np.empty(6)
    for i in range(n):
        t, R = links.tree[i], links.frame[i]
        order, o = group.size[t], group.blk[t]
        M = square(mass, i * size * size, size)
        for k in range(m):
            here = links.place[i, k]
            for j in range(m):
                blocks[o + here * order + links.place[i, j]] += M[6 + k, 6 + j]
            carried(R, M[6 + k], 0, 1, y)
            c = links.column[i]
            while c >= 0:
                s = 0.0
                for j in range(6):
                    s += w[c, S_ + j] * y[j]
                blocks[o + here * order + group.place[c]] += s
                blocks[o + group.place[c] * order + here] += s
                c = group.parent[c]
