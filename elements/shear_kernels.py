"""Kernels and tables of the bilinear shell with a director; see `flexmbs.elements.ancf_shell`.

The vectors of an element are those of its bilinear fields r = r0 + xi a + eta b + xi eta c and d = d0 + xi p + eta q +
xi eta s; without r0 there are seven, numbered a, b, c, d0, p, q, s. All strains are combinations, constant over time,
of 16 sums of scalar products of them, the *products*, E_k = x^T A_k x / 2: their gradients are linear in x, their
Hessians constant, and U = e^T D e / 2 with a constant matrix D per element and e = E - E0, but for the products of the
two curvatures, e = f(E - E0), f(x) = x + b x^2 + c x^3, which turns chords of the bent director into arcs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import kernel

__all__ = ["CORNERS", "CURVATURE", "PRODUCTS", "SIGNS", "ShearGroup", "shear_shell_force", "shear_shell_tangent"]

CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
"""Natural coordinates of the nodes."""

A, B, C, D0, P, Q, S = range(7)
CURVATURE = 6
"""The products a . p and b . q, the curvatures along xi and eta, are this one and the next."""


def _products() -> list[tuple[int, int, int, float]]:
    """(product, vector, vector, sign): the nonzero 3 x 3 blocks, sign times the unit matrix, of the Hessians A_k."""
    single = {0: A, 1: B, 5: C}  # |a|^2 / 2, |b|^2 / 2, |c|^2 / 2
    pairs = {
        2: [(A, B)], 3: [(A, C)], 4: [(B, C)], 6: [(A, P)], 7: [(B, Q)], 8: [(A, Q), (B, P)],
        9: [(A, S), (C, P)], 10: [(B, S), (C, Q)], 11: [(C, S)],
    }  # fmt: skip
    entries = [(k, x, x, 1.0) for k, x in single.items()]
    for k, of in pairs.items():
        entries += [(k, *pair, 1.0) for x, y in of for pair in ((x, y), (y, x))]
    # r,xi . d at (0, -1) and (0, 1), r,eta . d at (-1, 0) and (1, 0)
    for k, along, across, t in ((12, A, Q, -1.0), (13, A, Q, 1.0), (14, B, P, -1.0), (15, B, P, 1.0)):
        for x, m in ((along, 1.0), (C, t)):
            for y, n in ((D0, 1.0), (across, t)):
                entries += [(k, x, y, m * n), (k, y, x, m * n)]
    return entries


_ENTRIES = _products()
PRODUCTS = np.array([entry[:3] for entry in _ENTRIES])
"""Product and two vectors of every nonzero block of the Hessians (59, 3)."""
SIGNS = np.array([entry[3] for entry in _ENTRIES])
"""Their signs (59,)."""
BLOCKS = np.array(sorted({entry[:2] for entry in _ENTRIES}))
"""Products and the vectors they depend on (43, 2)."""


class ShearGroup(NamedTuple):
    """Tables of n_e shells of 24 coordinates.

    ``D (n_e, 16, 16)`` stiffness of the products after integration and without the enhanced strains, ``E0 (n_e, 20)``
    the products and the squares |d|^2 / 2 at the nodes of the stress-free shape, ``arc (n_e, 2, 2)`` b and c of the
    curvatures along xi and eta, ``k (n_e, 4)`` stiffness against stretch of the directors; ``C (n_e, 8, 8)``, ``axis
    (n_e, 3)`` of the section, ``rho (n_e, 2)`` mass and rotary inertia per area; ``tau`` retardation time.
    """

    dofs: IntArray
    b1: int
    tau: FloatArray
    D: FloatArray
    E0: FloatArray
    arc: FloatArray
    k: FloatArray
    C: FloatArray
    axis: FloatArray
    rho: FloatArray
    reference: FloatArray


@kernel
def _vectors(q: FloatArray, dofs: IntArray, e: int, x: FloatArray) -> None:
    """The seven vectors of element e in ``x (21,)``."""
    for c in range(3):
        r1, r2, r3, r4 = q[dofs[e, c]], q[dofs[e, 6 + c]], q[dofs[e, 12 + c]], q[dofs[e, 18 + c]]
        d1, d2, d3, d4 = q[dofs[e, 3 + c]], q[dofs[e, 9 + c]], q[dofs[e, 15 + c]], q[dofs[e, 21 + c]]
        x[c] = 0.25 * ((r2 - r1) + (r3 - r4))
        x[3 + c] = 0.25 * ((r4 - r1) + (r3 - r2))
        x[6 + c] = 0.25 * ((r3 - r4) - (r2 - r1))
        x[9 + c] = 0.25 * ((d1 + d2) + (d3 + d4))
        x[12 + c] = 0.25 * ((d2 - d1) + (d3 - d4))
        x[15 + c] = 0.25 * ((d4 - d1) + (d3 - d2))
        x[18 + c] = 0.25 * ((d3 - d4) - (d2 - d1))


@kernel
def _gradients(x: FloatArray, G: FloatArray) -> None:
    """Gradients A_k x of the products in ``G (16, 21)``, whose other entries stay zero."""
    for n in range(BLOCKS.shape[0]):
        k, j = BLOCKS[n, 0], 3 * BLOCKS[n, 1]
        G[k, j], G[k, j + 1], G[k, j + 2] = 0.0, 0.0, 0.0
    for n in range(SIGNS.shape[0]):
        k, i, j, s = PRODUCTS[n, 0], 3 * PRODUCTS[n, 1], 3 * PRODUCTS[n, 2], SIGNS[n]
        G[k, i] += s * x[j]
        G[k, i + 1] += s * x[j + 1]
        G[k, i + 2] += s * x[j + 2]


@kernel
def _stresses(
    group: ShearGroup, e: int, x: FloatArray, v: FloatArray, G: FloatArray, E: FloatArray, T: FloatArray, h: FloatArray
) -> bool:
    """T = D (e + tau de/dt), the forces on the strains e; False if they are not finite.

    Turns the gradients of the curvatures into those of e; ``h (2, 3)``: f', f'' and the rate of E of each.
    """
    tau = group.tau[e]
    for k in range(16):
        strain = -group.E0[e, k]
        rate = 0.0
        for j in range(21):
            strain += 0.5 * G[k, j] * x[j]
            rate += G[k, j] * v[j]
        if CURVATURE <= k < CURVATURE + 2:
            i = k - CURVATURE
            b, c = group.arc[e, i, 0], group.arc[e, i, 1]
            h[i, 0], h[i, 1], h[i, 2] = 1.0 + strain * (2.0 * b + 3.0 * c * strain), 2.0 * b + 6.0 * c * strain, rate
            strain += strain * strain * (b + c * strain)
            rate *= h[i, 0]
            for j in range(21):
                G[k, j] *= h[i, 0]
        E[k] = strain + tau * rate
    total = 0.0
    for k in range(16):
        t = 0.0
        for j in range(16):
            t += group.D[e, k, j] * E[j]
        T[k] = t
        total += t
    return bool(np.isfinite(total))


@kernel
def _spread(group: ShearGroup, e: int, G: FloatArray, T: FloatArray, f: FloatArray, r: FloatArray) -> None:
    """Forces G^T T on the seven vectors, in ``f (21,)``, and from there to the nodes."""
    dofs = group.dofs
    for j in range(21):
        f[j] = 0.0
    for n in range(BLOCKS.shape[0]):
        k, j = BLOCKS[n, 0], 3 * BLOCKS[n, 1]
        f[j] += G[k, j] * T[k]
        f[j + 1] += G[k, j + 1] * T[k]
        f[j + 2] += G[k, j + 2] * T[k]
    for i in range(4):
        s, t = CORNERS[i, 0], CORNERS[i, 1]
        for c in range(3):
            r[dofs[e, 6 * i + c]] += 0.25 * (s * f[c] + t * f[3 + c] + s * t * f[6 + c])
            r[dofs[e, 6 * i + 3 + c]] += 0.25 * (f[9 + c] + s * f[12 + c] + t * f[15 + c] + s * t * f[18 + c])


@kernel
def _stretch(group: ShearGroup, e: int, i: int, state: State, r: FloatArray) -> float:
    """Add the force on the director of node i from its stretch, and return it by the director."""
    dofs = group.dofs
    length = rate = 0.0
    for c in range(3):
        j = dofs[e, 6 * i + 3 + c]
        length += state.q[j] * state.q[j]
        rate += state.q[j] * state.v[j]
    tension: float = group.k[e, i] * (0.5 * length - group.E0[e, 16 + i] + group.tau[e] * rate)
    for c in range(3):
        j = dofs[e, 6 * i + 3 + c]
        r[j] += tension * state.q[j]
    return tension


@kernel
def shear_shell_force(group: ShearGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    x, v, f = np.empty(21), np.empty(21), np.empty(21)
    G, E, T, h = np.zeros((16, 21)), np.empty(16), np.empty(16), np.empty((2, 3))
    for e in range(group.dofs.shape[0]):
        _vectors(state.q, group.dofs, e, x)
        _vectors(state.v, group.dofs, e, v)
        _gradients(x, G)
        if not _stresses(group, e, x, v, G, E, T, h):
            return e
        _spread(group, e, G, T, f, work.r)
        for i in range(4):
            _stretch(group, e, i, state, work.r)
    return -1


@kernel
def _material(D: FloatArray, e: int, G: FloatArray, Z: FloatArray, g: FloatArray, W: FloatArray, K: FloatArray) -> None:
    """``K (21, 21)``: the transposed of G^T D Z + G^T g G, ``g (2,)`` of the curvatures; ``W (21, 16)``: scratch."""
    W[:] = 0.0
    for n in range(BLOCKS.shape[0]):
        k, j = BLOCKS[n, 0], 3 * BLOCKS[n, 1]
        z0, z1, z2 = Z[k, j], Z[k, j + 1], Z[k, j + 2]
        for i in range(16):
            W[j, i] += D[e, k, i] * z0
            W[j + 1, i] += D[e, k, i] * z1
            W[j + 2, i] += D[e, k, i] * z2
    for l in range(21):  # noqa: E741
        W[l, CURVATURE] += g[0] * G[CURVATURE, l]
        W[l, CURVATURE + 1] += g[1] * G[CURVATURE + 1, l]
        for j in range(21):
            K[l, j] = 0.0
        for n in range(BLOCKS.shape[0]):
            k, j = BLOCKS[n, 0], 3 * BLOCKS[n, 1]
            w = W[l, k]
            K[l, j] += w * G[k, j]
            K[l, j + 1] += w * G[k, j + 1]
            K[l, j + 2] += w * G[k, j + 2]


@kernel
def _to_nodes(K: FloatArray, Y: FloatArray, B: FloatArray, o: int) -> None:
    """The block at o from the transposed K of the seven vectors; ``Y (24, 21)`` is scratch."""
    for i in range(4):
        s, t = 0.25 * CORNERS[i, 0], 0.25 * CORNERS[i, 1]
        u = 4.0 * s * t
        for c in range(3):
            for l in range(21):  # noqa: E741
                Y[6 * i + c, l] = s * K[c, l] + t * K[3 + c, l] + u * K[6 + c, l]
                Y[6 * i + 3 + c, l] = 0.25 * K[9 + c, l] + s * K[12 + c, l] + t * K[15 + c, l] + u * K[18 + c, l]
    for i in range(4):
        s, t = 0.25 * CORNERS[i, 0], 0.25 * CORNERS[i, 1]
        u = 4.0 * s * t
        for c in range(3):
            row, low = o + 24 * (6 * i + c), o + 24 * (6 * i + 3 + c)
            for l in range(24):  # noqa: E741
                B[row + l] = s * Y[l, c] + t * Y[l, 3 + c] + u * Y[l, 6 + c]
                B[low + l] = 0.25 * Y[l, 9 + c] + s * Y[l, 12 + c] + t * Y[l, 15 + c] + u * Y[l, 18 + c]


@kernel
def shear_shell_tangent(group: ShearGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    wq, wv = weights
    q, v, B, dofs = state.q, state.v, work.B, group.dofs
    x, y, f = np.empty(21), np.empty(21), np.empty(21)
    G, Z, E, T = np.zeros((16, 21)), np.zeros((16, 21)), np.empty(16), np.empty(16)
    h, g = np.empty((2, 3)), np.empty(2)
    W, K, Y = np.empty((21, 16)), np.empty((21, 21)), np.empty((24, 21))
    for e in range(dofs.shape[0]):
        tau = group.tau[e]
        m, n = wq + wv * tau, wq * tau
        _vectors(q, dofs, e, x)
        _vectors(v, dofs, e, y)
        _gradients(x, G)
        if not _stresses(group, e, x, y, G, E, T, h):
            return e
        _spread(group, e, G, T, f, work.r)
        for j in range(21):
            f[j] = m * x[j] + n * y[j]
        _gradients(f, Z)
        for i in range(2):
            k = CURVATURE + i
            for j in range(21):
                Z[k, j] = h[i, 0] * Z[k, j] + n * h[i, 1] * h[i, 2] / h[i, 0] * G[k, j]
            g[i] = wq * T[k] * h[i, 1] / h[i, 0] ** 2
        _material(group.D, e, G, Z, g, W, K)
        T[CURVATURE] *= h[0, 0]
        T[CURVATURE + 1] *= h[1, 0]
        for p in range(SIGNS.shape[0]):
            s = wq * SIGNS[p] * T[PRODUCTS[p, 0]]
            i, j = 3 * PRODUCTS[p, 1], 3 * PRODUCTS[p, 2]
            K[i, j] += s
            K[i + 1, j + 1] += s
            K[i + 2, j + 2] += s
        o = group.b1 + 576 * e
        _to_nodes(K, Y, B, o)
        for i in range(4):
            tension = _stretch(group, e, i, state, work.r)
            first = 6 * i + 3
            for a in range(3):
                row = o + 24 * (first + a) + first
                s = group.k[e, i] * q[dofs[e, first + a]]
                for b in range(3):
                    j = dofs[e, first + b]
                    B[row + b] += s * (m * q[j] + n * v[j])
                B[row + a] += wq * tension
    return -1
