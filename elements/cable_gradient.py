r"""Forces of the absolute-nodal cables between two states, whose work is exactly the change of the strain energy.

With the ends of a step (suffix 0 and 1), their means (bar) and differences (D), the force f(q0, q1) satisfies

.. math:: f \cdot (q_1 - q_0) = U(q_1) - U(q_0), \qquad \sum f = 0, \quad \sum \bar q \times f = 0,

and f(q, q) is the gradient of U (a *discrete gradient*, O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449-467). The energy
is a function of scalar products at the integration points, with y1 = dr/dx and y2 = d2r/dx2,

    n = y1.y1,  a = y1.y2,  b = y2.y2        Dn = 2 Y1.Dy1,  Da = Y1.Dy2 + Y2.Dy1,  Db = 2 Y2.Dy2,

Y1 and Y2 the means: they are quadratic, so that their differences are exactly linear in Dy. Every other step is a
product, a root or a power, whose difference is a difference of its arguments times a number that is never 0 / 0:

    D(x z) = X Dz + Z Dx,    D sqrt(n) = Dn / (sqrt(n0) + sqrt(n1)),    D(1/n) = -Dn / (n0 n1), ...

Since the invariants do not change in rigid motions, and their gradients are taken at the mean, both momenta are kept.

Axial part: eps = sqrt(n) / J - 1 or (n / J^2 - 1) / 2, mean strain times D eps. Bending in the plane: k = c m(n) with
c = y1 x y2 (a scalar, quadratic too) and m = 1 / (n J) or n^(-3/2). In space: k^2 = (n b - a^2) m^2, and
D (k - kappa0)^2 / 2 = s D(k^2) with s = 1/2 - kappa0 / (k0 + k1).

The derivative by the end state is exact; it is not symmetric. Symbols: d dimension; g force (2 d) on (y1, y2) at a
point and H (2 d, 2 d) its derivative by their end values; t scratch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, Work
from flexmbs.core.jit import kernel

if TYPE_CHECKING:
    from flexmbs.elements.hermite import CableGroup

__all__ = ["cable_gradient"]


@kernel
def cable_gradient(group: CableGroup, q0: FloatArray, q1: FloatArray, work: Work, weight: float) -> int:
    """The forces between q0 and q1 into ``work.r``; ``weight`` times their derivative by q1 into ``work.B``."""
    dofs, r, B = group.dofs, work.r, work.B
    d = dofs.shape[1] // 4
    y, g, H = np.zeros((4, d)), np.zeros(2 * d), np.zeros((2 * d, 2 * d))  # y: y1, y2 at the start, at the end
    x, f, K, t = np.zeros((2, 4, d)), np.zeros((4, d)), np.zeros((4, d, 4, d)), np.zeros((4, 2 * d))
    for e in range(dofs.shape[0]):
        L = group.L[e]
        for i in range(4):
            for c in range(d):
                s = L if i % 2 else 1.0
                x[0, i, c], x[1, i, c] = s * q0[dofs[e, d * i + c]], s * q1[dofs[e, d * i + c]]
        f[:] = 0.0
        K[:] = 0.0
        for p in range(group.w_a.shape[0]):
            _at(group.N1_a[p], group.N1_a[p], x, y)
            J = group.J_a[e, p]
            _axial(y, J, group.measure, group.w_a[p] * J * group.EA[e], g, H)
            _add(group.N1_a[p], group.N1_a[p], False, g, H, f, K)
        for p in range(group.w_b.shape[0]):
            _at(group.N1_b[p], group.N2_b[p], x, y)
            J = group.J_b[e, p]
            W = group.w_b[p] * J * group.EI[e]
            if d == 2:
                _plane(y, J, group.measure, W, group.kappa0[e, p], g, H, t)
            else:
                _space(y, J, group.measure, W, group.kappa0[e, p], g, H, t)
            _add(group.N1_b[p], group.N2_b[p], True, g, H, f, K)
        if not np.isfinite(f.sum()):
            return e
        o = group.b1 + 16 * d * d * e
        for i in range(4):
            s = L if i % 2 else 1.0
            for c in range(d):
                r[dofs[e, d * i + c]] += s * f[i, c]
                for k in range(4):
                    u = weight * s * (L if k % 2 else 1.0)
                    for m in range(d):
                        B[o + (d * i + c) * 4 * d + d * k + m] = u * K[i, c, k, m]
    return -1


@kernel
def _at(N1: FloatArray, N2: FloatArray, x: FloatArray, y: FloatArray) -> None:
    """y1 and y2 at a point: of the start in the rows 0 and 1 of y, of the end in 2 and 3."""
    for k in range(2):
        for c in range(y.shape[1]):
            y[2 * k, c] = N1[0] * x[k, 0, c] + N1[1] * x[k, 1, c] + N1[2] * x[k, 2, c] + N1[3] * x[k, 3, c]
            y[2 * k + 1, c] = N2[0] * x[k, 0, c] + N2[1] * x[k, 1, c] + N2[2] * x[k, 2, c] + N2[3] * x[k, 3, c]


@kernel
def _add(
    N1: FloatArray, N2: FloatArray, bends: bool, g: FloatArray, H: FloatArray, f: FloatArray, K: FloatArray
) -> None:
    """Force and derivative at a point onto the four vectors of the curve; without ``bends`` on y1 alone."""
    d = f.shape[1]
    for i in range(4):
        p, q = N1[i], N2[i]
        for c in range(d):
            f[i, c] += p * g[c] + q * g[d + c] if bends else p * g[c]
            for m in range(d):
                if bends:
                    first, second = p * H[c, m] + q * H[d + c, m], p * H[c, d + m] + q * H[d + c, d + m]
                    for k in range(4):
                        K[i, c, k, m] += N1[k] * first + N2[k] * second
                else:
                    for k in range(4):
                        K[i, c, k, m] += p * N1[k] * H[c, m]


@kernel
def _axial(y: FloatArray, J: float, measure: int, W: float, g: FloatArray, H: FloatArray) -> None:
    """Normal force W * mean strain on y1."""
    d = y.shape[1]
    n0 = n1 = 0.0
    for c in range(d):
        n0, n1 = n0 + y[0, c] * y[0, c], n1 + y[2, c] * y[2, c]
    l0, l1 = math.sqrt(n0), math.sqrt(n1)
    if measure == 0:
        s, mean, end, curved = 1.0 / (J * (l0 + l1)), 0.5 * (l0 + l1) / J - 1.0, 1.0 / (J * l1), 1.0 / (l1 * (l0 + l1))
    else:
        s, mean, end, curved = 0.5 / (J * J), 0.25 * (n0 + n1) / (J * J) - 0.5, 1.0 / (J * J), 0.0
    for c in range(d):
        first = s * (y[0, c] + y[2, c])
        g[c] = W * mean * first
        for m in range(d):
            H[c, m] = W * (0.5 * end - mean * curved) * first * y[2, m]
        H[c, c] += W * mean * s


@kernel
def _power(n0: float, n1: float, J: float, measure: int) -> tuple[float, float, float, float, float]:
    """m(n) at both ends, mu = Dm / Dn, and the derivatives of m1 and of mu by n1."""
    if measure == 0:
        m0, m1, mu = 1.0 / (n0 * J), 1.0 / (n1 * J), -1.0 / (n0 * n1 * J)
        return m0, m1, mu, -m1 / n1, -mu / n1
    s0, s1 = math.sqrt(n0), math.sqrt(n1)
    m0, m1, q = 1.0 / (n0 * s0), 1.0 / (n1 * s1), n0 + s0 * s1 + n1
    mu = -q * m0 * m1 / (s0 + s1)
    return m0, m1, mu, -1.5 * m1 / n1, 0.5 * mu / s1 * ((2.0 * s1 + s0) / q - 1.0 / (s0 + s1) - 3.0 / s1)


@kernel
def _plane(
    y: FloatArray, J: float, measure: int, W: float, kappa0: float, g: FloatArray, H: FloatArray, t: FloatArray
) -> None:
    """Moment W (mean of k - kappa0) on (y1, y2); Dk = M Dc + C mu Dn with the means M and C of m and c."""
    n0, n1 = y[0, 0] ** 2 + y[0, 1] ** 2, y[2, 0] ** 2 + y[2, 1] ** 2
    c0, c1 = y[0, 0] * y[1, 1] - y[0, 1] * y[1, 0], y[2, 0] * y[3, 1] - y[2, 1] * y[3, 0]
    m0, m1, mu, m1_n, mu_n = _power(n0, n1, J, measure)
    M, C = 0.5 * (m0 + m1), 0.5 * (c0 + c1)
    mean, b = 0.5 * (c0 * m0 + c1 * m1) - kappa0, 2.0 * C * mu
    X, Y, U, V = (
        0.5 * (y[0, 0] + y[2, 0]),
        0.5 * (y[0, 1] + y[2, 1]),
        0.5 * (y[1, 0] + y[3, 0]),
        0.5 * (y[1, 1] + y[3, 1]),
    )
    # Rows of t by the end values of (y1, y2): gradient of c, of n, and what Dc and Dn are multiplied with.
    t[0, 0], t[0, 1], t[0, 2], t[0, 3] = y[3, 1], -y[3, 0], -y[2, 1], y[2, 0]
    t[1, 0], t[1, 1], t[1, 2], t[1, 3] = 2.0 * y[2, 0], 2.0 * y[2, 1], 0.0, 0.0
    t[2, 0], t[2, 1], t[2, 2], t[2, 3] = V, -U, -Y, X
    t[3, 0], t[3, 1], t[3, 2], t[3, 3] = X, Y, 0.0, 0.0
    for i in range(4):
        first = M * t[2, i] + b * t[3, i]
        g[i] = W * mean * first
        for j in range(4):
            k = m1 * t[0, j] + c1 * m1_n * t[1, j]
            change = 0.5 * m1_n * t[1, j] * t[2, i] + (mu * t[0, j] + 2.0 * C * mu_n * t[1, j]) * t[3, i]
            H[i, j] = W * (0.5 * first * k + mean * change)
    H[0, 0] += 0.5 * W * mean * b
    H[1, 1] += 0.5 * W * mean * b
    M *= 0.5 * W * mean
    H[0, 3] += M
    H[1, 2] -= M
    H[2, 1] -= M
    H[3, 0] += M


@kernel
def _space(
    y: FloatArray, J: float, measure: int, W: float, kappa0: float, g: FloatArray, H: FloatArray, t: FloatArray
) -> None:
    """W s D(k^2) on (y1, y2), D(k^2) = A_n Dn + A_a Da + A_b Db."""
    n0 = a0 = b0 = n1 = a1 = b1 = 0.0
    for c in range(3):
        n0, a0, b0 = n0 + y[0, c] * y[0, c], a0 + y[0, c] * y[1, c], b0 + y[1, c] * y[1, c]
        n1, a1, b1 = n1 + y[2, c] * y[2, c], a1 + y[2, c] * y[3, c], b1 + y[3, c] * y[3, c]
    area0, area1 = _area(y, 0), _area(y, 2)  # n b - a^2 without its cancellation
    m0, m1, mu, m1_n, mu_n = _power(n0, n1, J, measure)
    n, a, b, area, square = (
        0.5 * (n0 + n1),
        0.5 * (a0 + a1),
        0.5 * (b0 + b1),
        0.5 * (area0 + area1),
        0.5 * (m0 * m0 + m1 * m1),
    )
    steep, steep_n, square_n = mu * (m0 + m1), mu_n * (m0 + m1) + mu * m1_n, m1 * m1_n
    A_n, A_a, A_b = square * b + area * steep, -2.0 * square * a, square * n
    E_n, E_a, E_b = m1 * m1 * b1 + 2.0 * m1 * m1_n * area1, -2.0 * m1 * m1 * a1, m1 * m1 * n1
    s, s_k = 0.5, 0.0
    if kappa0 > 0.0:
        k0, k1 = m0 * math.sqrt(area0), m1 * math.sqrt(area1)
        s, s_k = 0.5 - kappa0 / (k0 + k1), 0.5 * kappa0 / (k1 * (k0 + k1) ** 2)
        if min(k0, k1) < 1e-8 * kappa0:  # the conical point of the energy
            s = math.nan
    for c in range(3):  # rows of t: gradients of n, a, b at the end, and of k^2 there
        t[0, c], t[0, 3 + c] = 2.0 * y[2, c], 0.0
        t[1, c], t[1, 3 + c] = y[3, c], y[2, c]
        t[2, c], t[2, 3 + c] = 0.0, 2.0 * y[3, c]
    for j in range(6):
        t[3, j] = E_n * t[0, j] + E_a * t[1, j] + E_b * t[2, j]
    for i in range(6):
        c = i % 3
        Y1, Y2 = 0.5 * (y[0, c] + y[2, c]), 0.5 * (y[1, c] + y[3, c])
        by_n, by_a, by_b = (2.0 * Y1, Y2, 0.0) if i < 3 else (0.0, Y1, 2.0 * Y2)
        first = A_n * by_n + A_a * by_a + A_b * by_b
        g[i] = W * s * first
        for j in range(6):
            dn, da, db = t[0, j], t[1, j], t[2, j]
            d_area = 0.5 * (b1 * dn + n1 * db) - a1 * da
            change = by_n * (b * square_n * dn + 0.5 * square * db + area * steep_n * dn + steep * d_area)
            change -= by_a * (2.0 * a * square_n * dn + square * da)
            change += by_b * (n * square_n * dn + 0.5 * square * dn)
            H[i, j] = W * (s * change + s_k * first * t[3, j])
    for c in range(3):
        H[c, c] += W * s * A_n
        H[3 + c, 3 + c] += W * s * A_b
        H[c, 3 + c] += 0.5 * W * s * A_a
        H[3 + c, c] += 0.5 * W * s * A_a


@kernel
def _area(y: FloatArray, k: int) -> float:
    """|y1 x y2|^2 of the rows k and k + 1."""
    u = y[k, 1] * y[k + 1, 2] - y[k, 2] * y[k + 1, 1]
    v = y[k, 2] * y[k + 1, 0] - y[k, 0] * y[k + 1, 2]
    w = y[k, 0] * y[k + 1, 1] - y[k, 1] * y[k + 1, 0]
    return float(u * u + v * v + w * w)
