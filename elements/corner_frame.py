r"""Displacements and rotations of corners in the axes of their element, with derivatives.

The energy depends on the positions :math:`r_k` of the corners and on the images :math:`t_{kb} = R_k c_{kb}` of the
element's axes that are fixed to them, through the axes :math:`e_a` of the element, which follow the corners:

.. math:: w_{ka} = e_a \cdot (r_k - \bar r) - x_{ka}, \qquad
   w_{k1}' = \tfrac12 (e_3 \cdot t_{k2} - e_2 \cdot t_{k3}), \dots \qquad
   \theta_k = \frac{\arcsin |w_k'|}{|w_k'|}\,w_k'.

All are bilinear in axes and vectors, but for the axes themselves, which are those of the element's two mean tangents
:math:`g_1, g_2`: with unit vectors n_1, n_2 of these, s along n_1 + n_2 and d along n_1 - n_2,
:math:`e_1 = (s + d)/\sqrt2,\ e_2 = (s - d)/\sqrt2,\ e_3 = -s \times d`. So first and second derivatives are short sums,
and exact. What the rates of damped elements change by the positions is a central difference of the first derivatives.
and exact.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import (
    IDENTITY,
    Matrix,
    Vector,
    add_block,
    combination,
    cross,
    dot,
    mixed,
    negative,
    outer,
    plus,
    product,
    scaled,
    skew,
    times,
    transposed,
)

__all__ = ["add_geometric", "add_second", "add_spins", "evaluate", "fold", "row", "turns"]

HALF = math.sqrt(0.5)
LIMIT = 0.9
"""Sine of the turn of a corner against its element from which the element is refused (64 degrees)."""
SIGNS = ((-1.0, 1.0, 1.0, -1.0), (-1.0, -1.0, 1.0, 1.0))
"""Of the corners in the mean tangents."""

Frame = tuple[Vector, Vector, Vector, Vector, float, float, float, float]


@kernel
def _tangent_of(r: FloatArray, which: int) -> Vector:
    """A mean tangent of the corners ``r (4, 3)``."""
    s = SIGNS[which]
    return (
        0.25 * (s[0] * r[0, 0] + s[1] * r[1, 0] + s[2] * r[2, 0] + s[3] * r[3, 0]),
        0.25 * (s[0] * r[0, 1] + s[1] * r[1, 1] + s[2] * r[2, 1] + s[3] * r[3, 1]),
        0.25 * (s[0] * r[0, 2] + s[1] * r[1, 2] + s[2] * r[2, 2] + s[3] * r[3, 2]),
    )


@kernel
def _frame(g1: Vector, g2: Vector) -> Frame:
    """Unit tangents n_1, n_2, the bisectors s and d, and the four lengths they were divided by."""
    l1, l2 = math.sqrt(dot(g1, g1)), math.sqrt(dot(g2, g2))
    n1, n2 = scaled(1.0 / l1, g1), scaled(1.0 / l2, g2)
    s, d = plus(n1, 1.0, n2), plus(n1, -1.0, n2)
    ls, ld = math.sqrt(dot(s, s)), math.sqrt(dot(d, d))
    return n1, n2, scaled(1.0 / ls, s), scaled(1.0 / ld, d), l1, l2, ls, ld


@kernel
def _across(n: Vector, length: float) -> Matrix:
    """(I - n n^T) / length."""
    return mixed(1.0 / length, IDENTITY, -1.0 / length, outer(n, n))


@kernel
def row(A: FloatArray, i: int) -> Vector:
    """The vector in row i."""
    return A[i, 0], A[i, 1], A[i, 2]


@kernel
def evaluate(
    r: FloatArray, t: FloatArray, x: FloatArray, E: FloatArray, Y: FloatArray, w: FloatArray, W: FloatArray
) -> None:
    """Axes, their derivatives ``Y (3, 2, 3, 3)`` by the tangents, ``w (24,)``, its derivatives ``W (24, 12)`` by r."""
    n1, n2, s, d, l1, l2, ls, ld = _frame(_tangent_of(r, 0), _tangent_of(r, 1))
    e1, e2, e3 = combination(HALF, s, HALF, d), combination(HALF, s, -HALF, d), cross(d, s)
    for i in range(3):
        E[0, i], E[1, i], E[2, i] = e1[i], e2[i], e3[i]
    Ns, Nd = _across(s, ls), _across(d, ld)
    for m in range(2):
        N = _across(n1, l1) if m == 0 else _across(n2, l2)
        A = product(Ns, N)
        D = times(1.0 if m == 0 else -1.0, product(Nd, N))
        for a in range(3):
            if a == 0:
                y = mixed(HALF, A, HALF, D)
            elif a == 1:
                y = mixed(HALF, A, -HALF, D)
            else:  # e_3 = d x s
                y = mixed(1.0, product(skew(d), A), -1.0, product(skew(s), D))
            for i in range(3):
                for j in range(3):
                    Y[a, m, i, j] = y[3 * i + j]
    W[:, :] = 0.0
    for k in range(4):
        arm = (
            r[k, 0] - 0.25 * (r[0, 0] + r[1, 0] + r[2, 0] + r[3, 0]),
            r[k, 1] - 0.25 * (r[0, 1] + r[1, 1] + r[2, 1] + r[3, 1]),
            r[k, 2] - 0.25 * (r[0, 2] + r[1, 2] + r[2, 2] + r[3, 2]),
        )
        for a in range(3):
            at = 6 * k + a
            e = row(E, a)
            w[at] = dot(e, arm) - x[k, a]
            b, c = (a + 1) % 3, (a + 2) % 3
            w[at + 3] = 0.5 * (dot(row(E, c), row(t[k], b)) - dot(row(E, b), row(t[k], c)))
            for j in range(4):
                share = (1.0 if j == k else 0.0) - 0.25
                for i in range(3):
                    W[at, 3 * j + i] += share * e[i]
            for m in range(2):
                for i in range(3):
                    p = q = 0.0
                    for n in range(3):
                        p += Y[a, m, n, i] * arm[n]
                        q += 0.5 * (Y[c, m, n, i] * t[k, b, n] - Y[b, m, n, i] * t[k, c, n])
                    for j in range(4):
                        W[at, 3 * j + i] += 0.25 * SIGNS[m][j] * p
                        W[at + 3, 3 * j + i] += 0.25 * SIGNS[m][j] * q


@kernel
def fold(W: FloatArray, E: FloatArray, R: FloatArray, c: FloatArray, Q: FloatArray) -> None:
    """Derivatives ``Q (24, 24)`` of w by positions and rotations of the corners."""
    Q[:, :] = 0.0
    for at in range(24):
        for j in range(4):
            for i in range(3):
                Q[at, 6 * j + i] = W[at, 3 * j + i]
    for k in range(4):
        add_spins(E, R, c, k, 6 * k, Q)


@kernel
def add_spins(E: FloatArray, R: FloatArray, c: FloatArray, k: int, o: int, Q: FloatArray) -> None:
    """Q[o+3 : o+6, o+3 : o+6] += derivatives of w'_k for vectors t_b = R c_b: c_b x R^T (+-e/2)."""
    for a in range(3):
        b, d = (a + 1) % 3, (a + 2) % 3
        for sign, own, axis in ((0.5, b, d), (-0.5, d, b)):
            u = (
                R[k, 0, 0] * E[axis, 0] + R[k, 1, 0] * E[axis, 1] + R[k, 2, 0] * E[axis, 2],
                R[k, 0, 1] * E[axis, 0] + R[k, 1, 1] * E[axis, 1] + R[k, 2, 1] * E[axis, 2],
                R[k, 0, 2] * E[axis, 0] + R[k, 1, 2] * E[axis, 1] + R[k, 2, 2] * E[axis, 2],
            )
            m = cross(row(c[k], own), u)
            for i in range(3):
                Q[o + 3 + a, o + 3 + i] += sign * m[i]


@kernel
def _stretch(q: float) -> tuple[float, float, float]:
    """asin(p) / p for q = p^2, and its derivatives by q."""
    if q < 1e-3:
        return (
            1.0 + q * (1.0 / 6.0 + q * (3.0 / 40.0 + q * (5.0 / 112.0 + q * 35.0 / 1152.0))),
            1.0 / 6.0 + q * (3.0 / 20.0 + q * (15.0 / 112.0 + q * (35.0 / 288.0 + q * 315.0 / 2816.0))),
            3.0 / 20.0 + q * (15.0 / 56.0 + q * (35.0 / 96.0 + q * 315.0 / 704.0)),
        )
    p, root = math.sqrt(q), math.sqrt(1.0 - q)
    s = math.asin(p) / p
    first = 0.5 * (1.0 / root - s) / q
    return s, first, 0.5 * (0.5 / root**3 - 3.0 * first) / q


@kernel
def turns(w: FloatArray, u: FloatArray, S: FloatArray, t: FloatArray, E: FloatArray) -> bool:
    """Displacements and rotations ``u (24,)`` from w, ``S (4, 3, 3)`` dtheta/dw'; False where a corner turned far."""
    for k in range(4):
        o = 6 * k
        v = (w[o + 3], w[o + 4], w[o + 5])
        q = dot(v, v)
        trace = dot(row(E, 0), row(t[k], 0)) + dot(row(E, 1), row(t[k], 1)) + dot(row(E, 2), row(t[k], 2))
        if not (q < LIMIT * LIMIT and trace > 1.0):
            return False
        s, first, _ = _stretch(q)
        for a in range(3):
            u[o + a] = w[o + a]
            u[o + 3 + a] = s * v[a]
            for b in range(3):
                S[k, a, b] = 2.0 * first * v[a] * v[b]
            S[k, a, a] += s
    return True


@kernel
def _hessian_of_axes(r: FloatArray, m: FloatArray, G: FloatArray) -> None:
    """Second derivatives ``G (6, 6)`` of sum m_a . e_a by the two tangents; ``m (3, 3)`` rows."""
    n1, n2, s, d, l1, l2, ls, ld = _frame(_tangent_of(r, 0), _tangent_of(r, 1))
    m3 = row(m, 2)
    # as a function of s and d: (m_1 + m_2).s / sqrt 2 + (m_1 - m_2).d / sqrt 2 - m_3.(s x d)
    by_s = plus(combination(HALF, row(m, 0), HALF, row(m, 1)), -1.0, cross(d, m3))
    by_d = plus(combination(HALF, row(m, 0), -HALF, row(m, 1)), -1.0, cross(m3, s))
    ss, dd = _unit_hessian(s, ls, by_s), _unit_hessian(d, ld, by_d)
    sd = product(product(_across(s, ls), skew(m3)), _across(d, ld))
    ds = transposed(sd)
    to_s = plus(scaled(1.0 / ls, by_s), -dot(by_s, s) / ls, s)
    to_d = plus(scaled(1.0 / ld, by_d), -dot(by_d, d) / ld, d)
    both = mixed(1.0, ss, 1.0, dd)
    more = mixed(1.0, sd, 1.0, ds)
    N1, N2 = _across(n1, l1), _across(n2, l2)
    G[:, :] = 0.0
    add_block(G, 0, 0, 1.0, product(product(N1, mixed(1.0, both, 1.0, more)), N1))
    add_block(G, 0, 0, 1.0, _unit_hessian(n1, l1, plus(to_s, 1.0, to_d)))
    add_block(G, 3, 3, 1.0, product(product(N2, mixed(1.0, both, -1.0, more)), N2))
    add_block(G, 3, 3, 1.0, _unit_hessian(n2, l2, plus(to_s, -1.0, to_d)))
    X = product(product(N1, mixed(1.0, mixed(1.0, ss, -1.0, dd), 1.0, mixed(1.0, ds, -1.0, sd))), N2)
    add_block(G, 0, 3, 1.0, X)
    add_block(G, 3, 0, 1.0, transposed(X))


@kernel
def _unit_hessian(n: Vector, length: float, m: Vector) -> Matrix:
    """Second derivatives of m . a / |a| at a = length n."""
    p = dot(m, n)
    H = mixed(-p, IDENTITY, 3.0 * p, outer(n, n))
    return times(1.0 / (length * length), mixed(1.0, H, -1.0, mixed(1.0, outer(m, n), 1.0, outer(n, m))))


@kernel
def add_geometric(
    r: FloatArray, t: FloatArray, R: FloatArray, c: FloatArray, E: FloatArray, Y: FloatArray, f: FloatArray,
    m: FloatArray, G: FloatArray, Z: FloatArray, M: FloatArray,
) -> None:  # fmt: skip
    """M (24, 24) += derivative of Q^T f at constant f; ``m (3, 3)``, ``G (6, 6)``, ``Z (3, 3)`` are scratch."""
    m[:, :] = 0.0
    for k in range(4):
        for a in range(3):
            b, d = (a + 1) % 3, (a + 2) % 3
            g = 0.5 * f[6 * k + 3 + a]
            mean = 0.25 * (f[a] + f[6 + a] + f[12 + a] + f[18 + a])
            for i in range(3):
                m[a, i] += (f[6 * k + a] - mean) * r[k, i]
                m[d, i] += g * t[k, b, i]
                m[b, i] -= g * t[k, d, i]
    _hessian_of_axes(r, m, G)
    for j in range(4):
        for n in range(4):
            for a in range(2):
                for b in range(2):
                    s = 0.0625 * SIGNS[a][j] * SIGNS[b][n]
                    for i in range(3):
                        for h in range(3):
                            M[6 * j + i, 6 * n + h] += s * G[3 * a + i, 3 * b + h]
    for a in range(3):
        mean = 0.25 * (f[a] + f[6 + a] + f[12 + a] + f[18 + a])
        for j in range(4):
            for i in range(3):
                for h in range(3):
                    Z[i, h] = 0.25 * (SIGNS[0][j] * Y[a, 0, i, h] + SIGNS[1][j] * Y[a, 1, i, h])
            for n in range(4):
                s = f[6 * n + a] - mean
                for i in range(3):
                    for h in range(3):
                        M[6 * j + i, 6 * n + h] += s * Z[h, i]
                        M[6 * n + i, 6 * j + h] += s * Z[i, h]
            for k in range(4):
                # e_a stands in w'_(a+1) with t_(a+2) by +1/2, and in w'_(a+2) with t_(a+1) by -1/2
                b, d = (a + 1) % 3, (a + 2) % 3
                v = combination(0.5 * f[6 * k + 3 + b], row(c[k], d), -0.5 * f[6 * k + 3 + d], row(c[k], b))
                B = negative(skew(v))  # th x v
                for i in range(3):
                    for h in range(3):
                        x = 0.0
                        for g in range(3):
                            y = R[k, g, 0] * B[h] + R[k, g, 1] * B[3 + h] + R[k, g, 2] * B[6 + h]
                            x += Z[g, i] * y
                        M[6 * j + i, 6 * k + 3 + h] += x
                        M[6 * k + 3 + h, 6 * j + i] += x
    for k in range(4):
        for b in range(3):
            # force on t_b: of w'_a with a + 1 = b by e_(a+2), of w'_a with a + 2 = b by -e_(a+1)
            one, two = (b + 2) % 3, (b + 1) % 3
            F = combination(
                0.5 * f[6 * k + 3 + one], row(E, (one + 2) % 3), -0.5 * f[6 * k + 3 + two], row(E, (two + 1) % 3)
            )
            for i in range(3):
                g = R[k, 0, i] * F[0] + R[k, 1, i] * F[1] + R[k, 2, i] * F[2]
                for h in range(3):
                    M[6 * k + 3 + i, 6 * k + 3 + h] += g * c[k, b, h]
                    M[6 * k + 3 + h, 6 * k + 3 + h] -= g * c[k, b, i]


@kernel
def add_second(w: FloatArray, g: FloatArray, H: FloatArray) -> None:
    """H (24, 24) += blocks of d2theta/dw'2 . g of each corner, which are symmetric."""
    for k in range(4):
        o = 6 * k + 3
        v = (w[o], w[o + 1], w[o + 2])
        a = (g[o], g[o + 1], g[o + 2])
        _, first, second = _stretch(dot(v, v))
        p = dot(a, v)
        # theta_i,jh = 2 s' (d_ij v_h + d_ih v_j + d_jh v_i) + 4 s'' v_i v_j v_h, symmetric in all three
        for i in range(3):
            for h in range(3):
                H[o + i, o + h] += 2.0 * first * (a[i] * v[h] + v[i] * a[h]) + 4.0 * second * p * v[i] * v[h]
            H[o + i, o + i] += 2.0 * first * p
