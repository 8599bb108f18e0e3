r"""Joints and springs between two states: constraint forces without work, spring forces whose work is their energy.

With the mean gradient G of a row (`flexmbs.kernels.rows.row_gradients`) and the multiplier lam of the step, W = G^T
lam; as G times the increment is g1 - g0 = 0, these forces do no work. Springs with a law F(s) along a row have the mean
force

.. math:: \bar F = \int_0^1 F(s_0 + \tau (s_1 - s_0))\,d\tau,

by Gauss' rule, exact for laws that are polynomials of degree up to 15, piece by piece for cubic splines. Here W holds
forces at the mean points and moments in inertial axes.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.laws import CURVES, law
from flexmbs.kernels.pairs import JointGroup, add_product
from flexmbs.kernels.row_forces import RowForceGroup
from flexmbs.kernels.rows.row_gradients import row_change
from flexmbs.kernels.rows.rows import row_value

__all__ = ["joints_between", "springs_between"]

_RULE = (0.5 * np.polynomial.legendre.leggauss(8)[0] + 0.5, 0.5 * np.polynomial.legendre.leggauss(8)[1])
RULE: tuple[tuple[float, float], ...] = tuple((float(x), float(w)) for x, w in zip(*_RULE, strict=True))
"""Points and weights of Gauss' rule on [0, 1]."""


@kernel
def joints_between(
    group: JointGroup, lam: FloatArray, p0: FloatArray, R0: FloatArray, p1: FloatArray, R1: FloatArray, W: FloatArray,
    S: FloatArray, Jm: FloatArray, Je: FloatArray, weight: float, r: FloatArray, B: FloatArray,
) -> None:  # fmt: skip
    """Wrenches into W, values at the end into r; blocks: ``weight`` times the stiffness, G^T, and G at the end."""
    mptr = group.mptr
    for n in range(group.mA.shape[0]):
        i, k, o, N = group.mA[n], group.mB[n], group.off[n], group.order[n]
        a0, nA, b0, nB = mptr[i], mptr[i + 1] - mptr[i], mptr[k], mptr[k + 1] - mptr[k]
        B[o : o + N * N] = 0.0
        for j in range(group.ptr[n], group.ptr[n + 1]):
            row_change(group.kind[j], j, group.c, i, k, p0, R0, p1, R1, S)
            f, local, eq = group.factor[j], group.local[j], group.eq[j]
            r[eq] += f * row_value(group.kind[j], j, group.c, group.near, i, k, p1, R1)
            for a in range(nA + nB):
                row, base = (a0 + a, 0) if a < nA else (b0 + a - nA, 6)
                mean = end = 0.0
                for m in range(6):
                    mean += Jm[row, m] * S[12, base + m]
                    end += Je[row, m] * S[13, base + m]
                B[o + a * N + local] += f * mean
                B[o + local * N + a] += f * end
            f *= lam[eq - group.n_v]
            for m in range(6):
                W[i, m] += f * S[12, m]
                W[k, m] += f * S[12, 6 + m]
            add_product(o, N, weight * f, i, k, mptr, S, Jm, Je, B)


@kernel
def springs_between(
    group: RowForceGroup, p0: FloatArray, R0: FloatArray, p1: FloatArray, R1: FloatArray, W: FloatArray,
    S: FloatArray, Jm: FloatArray, Je: FloatArray, weight: float, B: FloatArray,
) -> int:  # fmt: skip
    """Wrenches into W and ``weight`` times the stiffness into the blocks; the first force that is not finite, or -1."""
    for n in range(group.mA.shape[0]):
        i, k, o, N, j = group.mA[n], group.mB[n], group.off[n], group.order[n], group.ptr[n]
        B[o : o + N * N] = 0.0
        row_change(group.kind[j], j, group.c, i, k, p0, R0, p1, R1, S)
        f = group.factor[j]
        s0 = f * row_value(group.kind[j], j, group.c, group.near, i, k, p0, R0)
        s1 = f * row_value(group.kind[j], j, group.c, group.near, i, k, p1, R1)
        F, F_s = _mean_force(group.law[n], group.where[n], group.data, s0, s1, group.given)
        if not abs(F) < 1e300:
            return n
        for a in range(12):
            for b in range(12):
                S[a, b] = F * f * S[a, b] + F_s * f * f * S[12, a] * S[13, b]
        for m in range(6):
            W[i, m] += F * f * S[12, m]
            W[k, m] += F * f * S[12, 6 + m]
        add_product(o, N, weight, i, k, group.mptr, S, Jm, Je, B)
    return -1


@kernel
def _mean_force(kind: int, j: int, data: FloatArray, s0: float, s1: float, given: FloatArray) -> tuple[float, float]:
    """Mean of the law ``kind``, whose numbers begin at j, between s0 and s1, and its derivative by s1."""
    knots = int(-data[j + 3]) if kind == CURVES and data[j + 3] < 0.0 else 0
    F = F_s = start = 0.0
    for i in range(knots + 1):
        end = 1.0
        if i < knots:  # the knots in the order in which they are passed
            k = i if s1 > s0 else knots - 1 - i
            place = data[j + 4 + k] + data[j] - s0
            if not (place * (s1 - s0) > 0.0 and abs(place) < abs(s1 - s0)):
                continue
            end = place / (s1 - s0)
        for x, w in RULE:
            tau = start + x * (end - start)
            value, slope, _, _ = law(kind, j, data, s0 + tau * (s1 - s0), 0.0, 0.0, given)
            F, F_s = F + w * (end - start) * value, F_s + w * (end - start) * tau * slope
        start = end
    return F, F_s
