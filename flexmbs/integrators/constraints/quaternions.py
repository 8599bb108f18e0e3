r"""Quaternions that are moved along straight lines, and brought back to unit length in closed form.

With the defect :math:`g_b = |e|^2 - 1` the smallest step of Newton's method for it is

.. math:: \Delta_b = -\tfrac12\, e\, \frac{g_b}{g_b + 1}, \qquad |e + \Delta_b|^2 - 1 = \frac{g_b^2}{4 (1 + g_b)}.

The straight line is :math:`e \leftarrow e + \tfrac12\, e * (0, \delta)` with an increment in body axes. D. Vlasenko,
R. Kasper, Successive projection method for the simulation of spatial dynamics of multibodies, eqs. 36 and 43.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import quaternion_product

__all__ = ["move_straight", "renormalise"]


@kernel
def move_straight(q: FloatArray, d: FloatArray, n_linear: int, out: FloatArray) -> None:
    """out = q + T(q) d: the increment d (n_v,) to first order; quaternions do not stay of unit length."""
    for i in range(n_linear):
        out[i] = q[i] + d[i]
    for b in range((q.shape[0] - n_linear) // 7):
        i, k = n_linear + 7 * b, n_linear + 6 * b
        for c in range(3):
            out[i + c] = q[i + c] + d[k + c]
        turned = quaternion_product((q[i + 3], q[i + 4], q[i + 5], q[i + 6]), (0.0, d[k + 3], d[k + 4], d[k + 5]))
        for c in range(4):
            out[i + 3 + c] = q[i + 3 + c] + 0.5 * turned[c]


@kernel
def renormalise(q: FloatArray, n_linear: int) -> None:
    """Add the step D_b to all quaternions of q, in place."""
    for b in range((q.shape[0] - n_linear) // 7):
        i = n_linear + 7 * b + 3
        defect = q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3] - 1.0
        factor = 1.0 - 0.5 * defect / (defect + 1.0)
        for c in range(4):
            q[i + c] *= factor
