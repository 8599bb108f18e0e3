"""States within a step: cubic Hermite interpolation on the manifold, as `flexmbs.integrators.dense` has it."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import inverse_tangent, tangent_operator
from flexmbs.kernels.steps import local, retract

__all__ = ["hermite_curve", "hermite_state"]


@kernel
def hermite_curve(
    q0: FloatArray, v0: FloatArray, q1: FloatArray, v1: FloatArray, h: float, n_linear: int, curve: FloatArray
) -> None:  # fmt: skip
    """The curve of a step of size h in the chart at its start, ``curve (3, n_v)``: increment, slopes at both ends."""
    local(q0, q1, n_linear, curve[0])
    for i in range(v0.shape[0]):
        curve[1, i] = h * v0[i]
        curve[2, i] = h * v1[i]
    for b in range((v0.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        a = inverse_tangent(curve[0, k], curve[0, k + 1], curve[0, k + 2])
        x, y, z = curve[2, k], curve[2, k + 1], curve[2, k + 2]
        curve[2, k] = a[0] * x + a[1] * y + a[2] * z
        curve[2, k + 1] = a[3] * x + a[4] * y + a[5] * z
        curve[2, k + 2] = a[6] * x + a[7] * y + a[8] * z


@kernel
def hermite_state(
    q0: FloatArray, curve: FloatArray, s: float, h: float, n_linear: int, theta: FloatArray, q: FloatArray,
    v: FloatArray,
) -> None:  # fmt: skip
    """Positions and velocities at the part s of the step, 0 < s < 1; ``theta (n_v,)`` is scratch."""
    c1, c2, c3 = s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s), s * s * (s - 1.0)
    d1, d2, d3 = 6.0 * s * (1.0 - s), (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
    for i in range(theta.shape[0]):
        theta[i] = c1 * curve[0, i] + c2 * curve[1, i] + c3 * curve[2, i]
        v[i] = (d1 * curve[0, i] + d2 * curve[1, i] + d3 * curve[2, i]) / h
    retract(q0, theta, n_linear, q)
    for b in range((theta.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        a = tangent_operator(theta[k], theta[k + 1], theta[k + 2])
        x, y, z = v[k], v[k + 1], v[k + 2]
        v[k] = a[0] * x + a[1] * y + a[2] * z
        v[k + 1] = a[3] * x + a[4] * y + a[5] * z
        v[k + 2] = a[6] * x + a[7] * y + a[8] * z
