"""Kernels and tables of the thin plates; see `flexmbs.elements.ancf_thin_plate`.

Symbols at a point: y1, y2 tangents dr/dx and dr/dy, a1, a2 the dual ones (a_k . y_l = delta_kl), n unit normal. The
rows X of an element, scalars for each of its nv vectors, are N,x and N,y and, with the Christoffel symbols
Gamma_kij = a_k . y_ij of the present surface,

    X_ij = -m_ij (N,ij - Gamma_1ij N,x - Gamma_2ij N,y),    m_11 = m_22 = 1, m_12 = 2.

With kappa_ij = -m_ij y_ij . n the strains are e = (E_11, E_22, 2 E_12, kappa_11, kappa_22, kappa_12), and

    d kappa_ij = n . dX_ij,    d n = -a_k (n . dy_k),
    D d kappa_ij = - (a_k . dX_ij) (n . Dy_k) - (n . dy_k) (a_k . DX_ij) - kappa_ij (a_k . a_l) (n . dy_k) (n . Dy_l),

where dX_ij is the sum of the row with the variations of the vectors; k and l are summed over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, IntArray, State, Work
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.kernel_arrays import on_stack
from flexmbs.core.triples import Vector, combination, cross, dot, plus, scaled

__all__ = ["PlateGroup", "thin_plate_force", "thin_plate_tangent"]


class PlateGroup(NamedTuple):
    """Tables of n_e plates of nv vectors each, with n_g points.

    ``scale (n_e, nv)``: 1, a, b, a b, which turn derivatives by the parameters into those by x and y. ``D (n_g, 5,
    nv)``: derivatives of the shape functions by x, y, xx, yy, xy. ``bends (n_g,)``: whether the point has a bending
    part. ``C (n_e, n_g, 6, 6)``: stiffness for the strains in curvilinear components, times the weight; ``e0 (n_e, n_g,
    6)``: E is half the difference to the first three, kappa the difference to the others. ``Kb (n_e, nv, nv)``:
    constant bending matrix of the simple curvature, else empty. ``A (n_e, 6, 6)``: stiffness in the axes of the
    material; ``axis (n_e, 3)`` tells axis 1; ``rho (n_e, 2)``: mass per area and rotary inertia.
    """

    dofs: IntArray
    b1: int
    scale: FloatArray
    D: FloatArray
    bends: IntArray
    C: FloatArray
    e0: FloatArray
    Kb: FloatArray
    tau: FloatArray
    A: FloatArray
    axis: FloatArray
    rho: FloatArray
    reference: FloatArray


@inlined
def _sum(N: FloatArray, k: int, d: FloatArray) -> Vector:
    """The combination of the vectors d (nv, 3) with row k of N."""
    x = y = z = 0.0
    for i in range(d.shape[0]):
        s = N[k, i]
        x += s * d[i, 0]
        y += s * d[i, 1]
        z += s * d[i, 2]
    return x, y, z


@inlined
def _spread(F: FloatArray, N: FloatArray, k: int, f: Vector) -> None:
    """Add the force f on row k of N to the vectors."""
    for i in range(F.shape[0]):
        s = N[k, i]
        F[i, 0] += s * f[0]
        F[i, 1] += s * f[1]
        F[i, 2] += s * f[2]


@inlined
def _row(C: FloatArray, e: int, g: int, i: int, a: Vector, b: Vector) -> float:
    """Row i of C times (a, b)."""
    x: float = (
        C[e, g, i, 0] * a[0] + C[e, g, i, 1] * a[1] + C[e, g, i, 2] * a[2]
        + C[e, g, i, 3] * b[0] + C[e, g, i, 4] * b[1] + C[e, g, i, 5] * b[2]
    )  # fmt: skip
    return x


@inlined
def _stress(C: FloatArray, e: int, g: int, a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """N and M of the strains (a, b), weighted."""
    return (
        (_row(C, e, g, 0, a, b), _row(C, e, g, 1, a, b), _row(C, e, g, 2, a, b)),
        (_row(C, e, g, 3, a, b), _row(C, e, g, 4, a, b), _row(C, e, g, 5, a, b)),
    )


@inlined
def _membrane(y1: Vector, y2: Vector, e0: FloatArray, e: int, g: int) -> Vector:
    return 0.5 * (dot(y1, y1) - e0[e, g, 0]), 0.5 * (dot(y2, y2) - e0[e, g, 1]), dot(y1, y2) - e0[e, g, 2]


@inlined
def _membrane_rate(y1: Vector, y2: Vector, v1: Vector, v2: Vector) -> Vector:
    return dot(y1, v1), dot(y2, v2), dot(y1, v2) + dot(y2, v1)


@inlined
def _duals(y1: Vector, y2: Vector) -> tuple[Vector, Vector, Vector]:
    """Unit normal and dual tangents."""
    c = cross(y1, y2)
    n = scaled(1.0 / np.sqrt(dot(c, c)), c)
    s = 1.0 / dot(c, n)
    return n, scaled(s, cross(y2, n)), scaled(s, cross(n, y1))


@inlined
def _bent(n: Vector, a1: Vector, a2: Vector, y: Vector, m: float) -> tuple[float, float, float]:
    """Curvature -m y . n, and m times the two Christoffel symbols of a second derivative y."""
    return -m * dot(y, n), m * dot(y, a1), m * dot(y, a2)


@inlined
def _slopes(X: FloatArray, D: FloatArray, g: int) -> None:
    """Rows 0 and 1, by a loop: with slices of arrays numba compiles the text of an error of shapes, too, for 1.7 s."""
    for i in range(X.shape[1]):
        X[0, i] = D[g, 0, i]
        X[1, i] = D[g, 1, i]


@inlined
def _rows(X: FloatArray, D: FloatArray, g: int, k1: tuple[float, float, float], k2: tuple[float, float, float],
          k3: tuple[float, float, float]) -> None:  # fmt: skip
    """The five rows X (5, nv) of a point that bends."""
    for i in range(X.shape[1]):
        u, v = D[g, 0, i], D[g, 1, i]
        X[2, i] = k1[1] * u + k1[2] * v - D[g, 2, i]
        X[3, i] = k2[1] * u + k2[2] * v - D[g, 3, i]
        X[4, i] = k3[1] * u + k3[2] * v - 2.0 * D[g, 4, i]


@inlined
def _read(d: FloatArray, q: FloatArray, group: PlateGroup, e: int) -> None:
    """The vectors of element e, times their scale."""
    for i in range(d.shape[0]):
        s = group.scale[e, i]
        for c in range(3):
            d[i, c] = s * q[group.dofs[e, 3 * i + c]]


@inlined
def _write(r: FloatArray, F: FloatArray, group: PlateGroup, e: int) -> bool:
    """Add the forces on the vectors to r; False if they are not finite."""
    total = 0.0
    for i in range(F.shape[0]):
        s = group.scale[e, i]
        for c in range(3):
            f = s * F[i, c]
            total += f
            r[group.dofs[e, 3 * i + c]] += f
    return bool(np.isfinite(total))


@inlined
def _simple_force(F: FloatArray, Kb: FloatArray, e: int, d: FloatArray) -> None:
    """Forces of the simple curvature: a constant matrix."""
    for i in range(F.shape[0]):
        for j in range(F.shape[0]):
            s = Kb[e, i, j]
            for c in range(3):
                F[i, c] += s * d[j, c]


@kernel
def thin_plate_force(group: PlateGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    q, v, r, D = state.q, state.v, work.r, group.D
    n_v = group.scale.shape[1]
    d, w, F, X = on_stack((n_v, 3)), on_stack((n_v, 3)), on_stack((n_v, 3)), on_stack((5, n_v))
    w[:, :] = 0.0
    for e in range(group.dofs.shape[0]):
        tau = group.tau[e]
        _read(d, q, group, e)
        if tau > 0.0:
            _read(w, v, group, e)
        F[:, :] = 0.0
        if group.Kb.shape[1] > 0:
            _simple_force(F, group.Kb, e, d)
        for g in range(D.shape[0]):
            _slopes(X, D, g)
            y1, y2 = _sum(X, 0, d), _sum(X, 1, d)
            E, k = _membrane(y1, y2, group.e0, e, g), (0.0, 0.0, 0.0)
            if tau > 0.0:
                E = plus(E, tau, _membrane_rate(y1, y2, _sum(X, 0, w), _sum(X, 1, w)))
            if group.bends[g]:
                n, a1, a2 = _duals(y1, y2)
                k1 = _bent(n, a1, a2, _sum(D[g], 2, d), 1.0)
                k2 = _bent(n, a1, a2, _sum(D[g], 3, d), 1.0)
                k3 = _bent(n, a1, a2, _sum(D[g], 4, d), 2.0)
                _rows(X, D, g, k1, k2, k3)
                k = k1[0] - group.e0[e, g, 3], k2[0] - group.e0[e, g, 4], k3[0] - group.e0[e, g, 5]
                if tau > 0.0:
                    k = plus(k, tau, (dot(n, _sum(X, 2, w)), dot(n, _sum(X, 3, w)), dot(n, _sum(X, 4, w))))
                s, m = _stress(group.C, e, g, E, k)
                _spread(F, X, 2, scaled(m[0], n))
                _spread(F, X, 3, scaled(m[1], n))
                _spread(F, X, 4, scaled(m[2], n))
            else:
                s, m = _stress(group.C, e, g, E, k)
            _spread(F, X, 0, combination(s[0], y1, s[2], y2))
            _spread(F, X, 1, combination(s[2], y1, s[1], y2))
        if not _write(r, F, group, e):
            return e
    return -1


@inlined
def _set(R: FloatArray, i: int, k: int, a: Vector) -> None:
    R[i, k, 0], R[i, k, 1], R[i, k, 2] = a[0], a[1], a[2]


@inlined
def _membrane_columns(R: FloatArray, s: float, y1: Vector, y2: Vector, t: float, v1: Vector, v2: Vector) -> None:
    """Derivatives of the strains E by y1 and y2, times s, plus t times those of their rates."""
    a, b = combination(s, y1, t, v1), combination(s, y2, t, v2)
    _set(R, 0, 0, a)
    _set(R, 0, 2, b)
    _set(R, 1, 1, b)
    _set(R, 1, 2, a)


@inlined
def _bending_columns(R: FloatArray, s: float, n: Vector, t: float, a1: Vector, a2: Vector, k: Vector, n1: float,
                     n2: float, x1: Vector, x2: Vector, x3: Vector) -> None:  # fmt: skip
    """The same for the curvatures: n1, n2 are n . v_k, x1, x2, x3 the rates of the rows X_ij, k the curvatures."""
    turn = combination(-n1, a1, -n2, a2)
    g1 = n1 * dot(a1, a1) + n2 * dot(a1, a2)
    g2 = n1 * dot(a1, a2) + n2 * dot(a2, a2)
    for i in range(3):
        x = x1 if i == 0 else (x2 if i == 1 else x3)
        _set(R, 0, 3 + i, scaled(-t * (dot(a1, x) + k[i] * g1), n))
        _set(R, 1, 3 + i, scaled(-t * (dot(a2, x) + k[i] * g2), n))
        _set(R, 2 + i, 3 + i, combination(s, n, t, turn))


@inlined
def _elastic(H: FloatArray, C: FloatArray, e: int, g: int, R: FloatArray, Q: FloatArray, y1: Vector, y2: Vector,
             n: Vector, rows: int) -> None:  # fmt: skip
    """H (15, 15) of the changes of the stress: variations of the strains times C times R, by rows and columns of X."""
    strains = 3 if rows == 2 else 6
    for j in range(rows):
        for i in range(strains):
            for c in range(3):
                x = 0.0
                for k in range(strains):
                    x += C[e, g, i, k] * R[j, k, c]
                Q[i, c] = x
        for c in range(3):
            for b in range(3):
                H[c, 3 * j + b] = y1[c] * Q[0, b] + y2[c] * Q[2, b]
                H[3 + c, 3 * j + b] = y2[c] * Q[1, b] + y1[c] * Q[2, b]
                if rows == 5:
                    H[6 + c, 3 * j + b] = n[c] * Q[3, b]
                    H[9 + c, 3 * j + b] = n[c] * Q[4, b]
                    H[12 + c, 3 * j + b] = n[c] * Q[5, b]


@inlined
def _geometric(H: FloatArray, wq: float, s: Vector, m: Vector, k: Vector, n: Vector, a1: Vector, a2: Vector,
               rows: int) -> None:  # fmt: skip
    """Add the second variations of the strains times wq N and wq M."""
    for c in range(3):
        H[c, c] += wq * s[0]
        H[3 + c, 3 + c] += wq * s[1]
        H[c, 3 + c] += wq * s[2]
        H[3 + c, c] += wq * s[2]
    if rows == 2:
        return
    f = -wq * dot(m, k)
    f11, f12, f22 = f * dot(a1, a1), f * dot(a1, a2), f * dot(a2, a2)
    for c in range(3):
        for b in range(3):
            nn = n[c] * n[b]
            H[c, b] += f11 * nn
            H[c, 3 + b] += f12 * nn
            H[3 + c, b] += f12 * nn
            H[3 + c, 3 + b] += f22 * nn
            for i in range(3):
                t = wq * m[i]
                H[c, 6 + 3 * i + b] -= t * n[c] * a1[b]
                H[3 + c, 6 + 3 * i + b] -= t * n[c] * a2[b]
                H[6 + 3 * i + c, b] -= t * a1[c] * n[b]
                H[6 + 3 * i + c, 3 + b] -= t * a2[c] * n[b]


@kernel
def _contract(S: FloatArray, X: FloatArray, H: FloatArray, P: FloatArray, rows: int, symmetric: bool) -> None:
    """Add X^T H X to S (9, nv, nv): a matrix of numbers for every pair of components."""
    n_v = X.shape[1]
    for c in range(3):
        for b in range(3):
            if symmetric and b < c:
                continue
            for j in range(rows):
                h0, h1 = H[c, 3 * j + b], H[3 + c, 3 * j + b]
                if rows == 5:
                    h2, h3, h4 = H[6 + c, 3 * j + b], H[9 + c, 3 * j + b], H[12 + c, 3 * j + b]
                    for i in range(n_v):
                        P[j, i] = h0 * X[0, i] + h1 * X[1, i] + h2 * X[2, i] + h3 * X[3, i] + h4 * X[4, i]
                else:
                    for i in range(n_v):
                        P[j, i] = h0 * X[0, i] + h1 * X[1, i]
            k = 3 * c + b
            for i in range(n_v):
                p0, p1 = P[0, i], P[1, i]
                if rows == 5:
                    p2, p3, p4 = P[2, i], P[3, i], P[4, i]
                    for j in range(n_v):
                        S[k, i, j] += p0 * X[0, j] + p1 * X[1, j] + p2 * X[2, j] + p3 * X[3, j] + p4 * X[4, j]
                else:
                    for j in range(n_v):
                        S[k, i, j] += p0 * X[0, j] + p1 * X[1, j]


@kernel
def _blocks(B: FloatArray, o: int, S: FloatArray, scale: FloatArray, e: int, symmetric: bool) -> None:
    """The block of an element from its matrices of components."""
    n_v = S.shape[1]
    for i in range(n_v):
        for j in range(n_v):
            s = scale[e, i] * scale[e, j]
            for c in range(3):
                for b in range(3):
                    x = S[3 * b + c, j, i] if symmetric and b < c else S[3 * c + b, i, j]
                    B[o + 3 * n_v * (3 * i + c) + 3 * j + b] = s * x


@kernel
def thin_plate_tangent(group: PlateGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``."""
    wq, wv = weights
    q, v, r, D = state.q, state.v, work.r, group.D
    n_v = group.scale.shape[1]
    zero = (0.0, 0.0, 0.0)
    d, w, F, X = on_stack((n_v, 3)), on_stack((n_v, 3)), on_stack((n_v, 3)), on_stack((5, n_v))
    w[:, :] = 0.0
    S, P = on_stack((9, n_v, n_v)), on_stack((5, n_v))
    H, R, Q = np.zeros((15, 15)), np.zeros((5, 6, 3)), np.zeros((6, 3))
    for e in range(group.dofs.shape[0]):
        tau = group.tau[e]
        symmetric = tau == 0.0
        gain, rate = wq + wv * tau, wq * tau
        _read(d, q, group, e)
        if tau > 0.0:
            _read(w, v, group, e)
        F[:, :] = 0.0
        S[:, :, :] = 0.0
        if group.Kb.shape[1] > 0:
            _simple_force(F, group.Kb, e, d)
            for c in range(3):
                for i in range(n_v):
                    for j in range(n_v):
                        S[4 * c, i, j] = wq * group.Kb[e, i, j]
        for g in range(D.shape[0]):
            _slopes(X, D, g)
            y1, y2 = _sum(X, 0, d), _sum(X, 1, d)
            v1 = v2 = k = n = a1 = a2 = total = zero
            E = _membrane(y1, y2, group.e0, e, g)
            if tau > 0.0:
                v1, v2 = _sum(X, 0, w), _sum(X, 1, w)
                E = plus(E, tau, _membrane_rate(y1, y2, v1, v2))
            _membrane_columns(R, gain, y1, y2, rate, v1, v2)
            rows = 2
            if group.bends[g]:
                rows = 5
                n, a1, a2 = _duals(y1, y2)
                k1 = _bent(n, a1, a2, _sum(D[g], 2, d), 1.0)
                k2 = _bent(n, a1, a2, _sum(D[g], 3, d), 1.0)
                k3 = _bent(n, a1, a2, _sum(D[g], 4, d), 2.0)
                _rows(X, D, g, k1, k2, k3)
                total = k1[0], k2[0], k3[0]
                k = k1[0] - group.e0[e, g, 3], k2[0] - group.e0[e, g, 4], k3[0] - group.e0[e, g, 5]
                x1 = x2 = x3 = zero
                if tau > 0.0:
                    x1, x2, x3 = _sum(X, 2, w), _sum(X, 3, w), _sum(X, 4, w)
                    k = plus(k, tau, (dot(n, x1), dot(n, x2), dot(n, x3)))
                _bending_columns(R, gain, n, rate, a1, a2, total, dot(n, v1), dot(n, v2), x1, x2, x3)
            s, m = _stress(group.C, e, g, E, k)
            if rows == 5:
                _spread(F, X, 2, scaled(m[0], n))
                _spread(F, X, 3, scaled(m[1], n))
                _spread(F, X, 4, scaled(m[2], n))
            _spread(F, X, 0, combination(s[0], y1, s[2], y2))
            _spread(F, X, 1, combination(s[2], y1, s[1], y2))
            _elastic(H, group.C, e, g, R, Q, y1, y2, n, rows)
            _geometric(H, wq, s, m, total, n, a1, a2, rows)
            _contract(S, X, H, P, rows, symmetric)
        _blocks(work.B, group.b1 + 9 * n_v * n_v * e, S, group.scale, e, symmetric)
        if not _write(r, F, group, e):
            return e
    return -1
