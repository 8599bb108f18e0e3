r"""Rows between two states: gradients whose products with the increments are exactly the changes of the rows.

With the ends of a step (suffix 0 and 1), their means (bar) and a rotation by the Cayley vector c, in inertial axes,

.. math:: R_1 - R_0 = \tilde c\, \bar R, \qquad \bar R = \tfrac12 (R_0 + R_1),

a row that is linear or quadratic in positions and axes changes by its formal gradient at the means, which are no
rotations any more. With e, b axes of A and B in inertial axes, d = p_B - p_A, and (n, m) force and moment on B,

    INERTIAL    n = e
    ALONG       n = E                                 m_A = E x D
    ORTHOGONAL                                        m_A = E x B = -m_B
    DISTANCE    n = (d0 + d1) / (|d0| + |d1|)
    ANGLE       m_A = s (W M_u - U M_w) = -m_B        u = y_A.x_B - x_A.y_B, w = x_A.x_B + y_A.y_B

(capitals: means; M_u, M_w like ORTHOGONAL), where the angle is that of the complex number w + i u, which turns by
x = atan2(w0 u1 - u0 w1, w0 w1 + u0 u1), and s = x / (w0 u1 - u0 w1). These gradients sum to no force and no moment, as
the rows change in no rigid motion, so that both momenta are kept. Moments are in inertial axes, at the mean points.

`row_change` also gives the gradient at the end alone, and the derivative of the mean gradient by an infinitesimal
motion of the end, in inertial axes.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Vector, rotation
from flexmbs.kernels.rows.choice import choice
from flexmbs.kernels.rows.rows import KINDS

__all__ = ["EXACT", "row_change"]

EXACT = tuple(kind.number for kind in KINDS if kind.change is not None)
"""Kinds of rows that are treated here."""

_change = choice(globals(), "_change", KINDS, "change", "e, b, d0, d1, A0, B0, A1, B1, S")


@kernel
def row_change(
    kind: int, j: int, c: FloatArray, i: int, k: int, p0: FloatArray, R0: FloatArray, p1: FloatArray, R1: FloatArray,
    S: FloatArray,
) -> None:  # fmt: skip
    """Row j between the markers i (A) and k (B), on (p_A, turn of A, p_B, turn of B) in inertial axes.

    Its mean gradient into ``S[12]``, its gradient at the end into ``S[13]``, and the derivative of the mean gradient by
    the end into ``S[0:12, 0:12]``.
    """
    S[0:14] = 0.0
    e: Vector = (c[j, 0], c[j, 1], c[j, 2])
    b: Vector = (c[j, 3], c[j, 4], c[j, 5])
    d0: Vector = (p0[k, 0] - p0[i, 0], p0[k, 1] - p0[i, 1], p0[k, 2] - p0[i, 2])
    d1: Vector = (p1[k, 0] - p1[i, 0], p1[k, 1] - p1[i, 1], p1[k, 2] - p1[i, 2])
    _change(kind, e, b, d0, d1, rotation(R0, i), rotation(R0, k), rotation(R1, i), rotation(R1, k), S)
