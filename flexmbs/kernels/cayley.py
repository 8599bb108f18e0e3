r"""Rotations by Cayley vectors: increments of a step that keep the angular momentum and the kinetic energy.

With the increment c in body axes of the start, R1 = R0 cay(c), where cay(c) turns by 2 atan(|c| / 2) about c,

.. math:: R_1 - R_0 = \widetilde{R_0 c}\, \tfrac12 (R_0 + R_1), \qquad
   \delta R_1 = \tilde\omega R_1, \quad \omega = R_0\,\frac{\delta c + \tfrac12\, c \times \delta c}{1 + |c|^2 / 4}.

Planar bodies likewise: the angle grows by 2 atan(c / 2). With the angular velocities W in body axes,
c = h (W0 + W1) / 2 and the moment m in inertial axes,

.. math:: R_1 J W_1 - R_0 J W_0 = h m \quad\Rightarrow\quad \tfrac12 W_1 \cdot J W_1 - \tfrac12 W_0 \cdot J W_0
   = R_0 c \cdot m

(after J. C. Simo and K. K. Wong, Int. J. Numer. Methods Eng. 31 (1991) 19-52). Increments have the layout of v.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import quaternion_product
from flexmbs.core.triples import (
    Matrix,
    Vector,
    combination,
    cross,
    dot,
    plus,
    scaled,
)

__all__ = ["cayley_retract", "cayley_turn", "spin_change", "turn_of"]


@kernel
def cayley_retract(q: FloatArray, c: FloatArray, n_linear: int, angles: IntArray, out: FloatArray) -> None:
    """Out = q moved by the increment c; ``angles``: places of the angles of planar bodies."""
    for i in range(n_linear):
        out[i] = q[i] + c[i]
    for i in angles:
        out[i] = q[i] + 2.0 * math.atan(0.5 * c[i])
    for b in range((q.shape[0] - n_linear) // 7):
        i, k = n_linear + 7 * b, n_linear + 6 * b
        for m in range(3):
            out[i + m] = q[i + m] + c[k + m]
        turn = (1.0, 0.5 * c[k + 3], 0.5 * c[k + 4], 0.5 * c[k + 5])
        w, x, y, z = quaternion_product((q[i + 3], q[i + 4], q[i + 5], q[i + 6]), turn)
        f = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
        out[i + 3], out[i + 4], out[i + 5], out[i + 6] = f * w, f * x, f * y, f * z


@kernel
def turn_of(q: FloatArray, i: int) -> Matrix:
    """Rotation matrix of the unit quaternion that begins at i."""
    w, x, y, z = q[i], q[i + 1], q[i + 2], q[i + 3]
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def cayley_turn(c: Vector, d: Vector) -> Vector:
    """Rotation of the end by a change d of the increment c, both in the same axes."""
    return scaled(1.0 / (1.0 + 0.25 * dot(c, c)), plus(d, 0.5, cross(c, d)))


@kernel
def spin_change(
    dofs: IntArray, J: FloatArray, b1: int, c: FloatArray, v1: FloatArray, h: float, r: FloatArray, B: FloatArray
) -> None:
    """Add (cay(c) - I) J W1 / h to r, which holds J (W1 - W0) / h; (h^2 / 2) times the derivative by c to B at ``b1``.

    With the momentum L = cay(c) J W1 in axes of the start that derivative is (cay(c) - I) J - (h / 2) L x (turn by c).
    """
    for i in range(dofs.shape[0]):
        k, o = dofs[i, 0], b1 + 9 * i
        x: Vector = (c[k], c[k + 1], c[k + 2])
        s: Vector = (
            J[i, 0, 0] * v1[k] + J[i, 0, 1] * v1[k + 1] + J[i, 0, 2] * v1[k + 2],
            J[i, 1, 0] * v1[k] + J[i, 1, 1] * v1[k + 1] + J[i, 1, 2] * v1[k + 2],
            J[i, 2, 0] * v1[k] + J[i, 2, 1] * v1[k + 1] + J[i, 2, 2] * v1[k + 2],
        )
        gain = _turned(x, s)
        L = plus(s, 1.0, gain)
        for m in range(3):
            r[k + m] += gain[m] / h
            unit: Vector = (1.0 if m == 0 else 0.0, 1.0 if m == 1 else 0.0, 1.0 if m == 2 else 0.0)
            first = _turned(x, (J[i, 0, m], J[i, 1, m], J[i, 2, m]))
            column = combination(1.0, first, 0.5 * h, cross(cayley_turn(x, unit), L))
            B[o + m], B[o + 3 + m], B[o + 6 + m] = column[0], column[1], column[2]


@kernel
def _turned(c: Vector, a: Vector) -> Vector:
    """The change (cay(c) - I) a."""
    b = cross(c, a)
    f = 1.0 / (1.0 + 0.25 * dot(c, c))
    return combination(f, b, 0.5 * f, cross(c, b))
