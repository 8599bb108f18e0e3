r"""Markers between two states: Jacobians that give exactly how far their points and axes go in a step.

A force n at the mean position of a marker and a moment m, both in inertial axes, do the work n . Dp + m . c, where
Dp = p1 - p0 and R1 - R0 = c~ (R0 + R1) / 2. Rows of ``Jm`` (n_r, 6) are the contributions of the increments of the
coordinates to (Dp, c); rows of ``Je`` those of a change of the increments to the motion of the end, in inertial axes.

Rigid bodies (increments as in `flexmbs.kernels.cayley`; u = R0 e_k, S the mean of R s): c = u, Dp = u x S. Planar
nodes with the slope a, mean A, lengths l0 and l1: with :math:`x = a_0 \times a_1`, :math:`y = a_0 \cdot a_1`

.. math:: c = \left(\frac{\hat z \times A}{|A|^2} + \rho A\right) \cdot (a_1 - a_0) = 2\tan\frac{\varphi}{2}, \qquad
   \rho = \frac{x\,(l_1 - l_0)}{(l_0 l_1 + y)\,|A|^2\,(l_0 + l_1)},

where the first part keeps the angular momentum and the second one, of second order in the stretch, the energy.

The ``pull`` kernels give the derivative of Jm by the increments under the sum of wrenches W in inertial axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Matrix, Vector, applied, combination, cross, dot
from flexmbs.kernels.cayley import cayley_turn, turn_of
from flexmbs.kernels.markers.planar_rigid import PLANAR_RIGID, PlanarRigidMarkers
from flexmbs.kernels.markers.planar_slope import PLANAR_SLOPE, PlanarSlopeMarkers
from flexmbs.kernels.markers.points import POINT, PointMarkers
from flexmbs.kernels.markers.rigid import RIGID, RigidMarkers

__all__ = ["MEAN_KINDS", "MeanKind"]


class MeanKind(NamedTuple):
    """``jacobians(group, q0, q1, c, Jm, Je)`` and ``pull(group, q0, q1, W, Je, weight, B)`` of a kind of markers."""

    jacobians: Callable[..., None]
    pull: Callable[..., None]


@kernel
def _unit(Jm: FloatArray, Je: FloatArray, row: int, n: int) -> None:
    """Rows of n translations."""
    for k in range(n):
        for m in range(6):
            Jm[row + k, m] = Je[row + k, m] = 1.0 if m == k else 0.0


@kernel
def _put(J: FloatArray, row: int, turn: Vector, arm: Vector) -> None:
    """Row of a rotation about a point from which the marker is at ``arm``."""
    move = cross(turn, arm)
    for m in range(3):
        J[row, m], J[row, 3 + m] = move[m], turn[m]


@kernel
def _get(J: FloatArray, row: int) -> Vector:
    """Rotation in a row."""
    return J[row, 3], J[row, 4], J[row, 5]


@kernel
def _axis(A: Matrix, k: int) -> Vector:
    """Column k of a matrix."""
    return A[k], A[3 + k], A[6 + k]


@kernel
def point_jacobians(
    group: PointMarkers, q0: FloatArray, q1: FloatArray, c: FloatArray, Jm: FloatArray, Je: FloatArray
) -> None:
    """Points: translations alone."""
    for i in range(group.mk.shape[0]):
        _unit(Jm, Je, group.row[i], group.dofs.shape[1])


@kernel
def point_pull(
    group: PointMarkers, q0: FloatArray, q1: FloatArray, W: FloatArray, Je: FloatArray, weight: float, B: FloatArray
) -> None:
    """Nothing: the Jacobian is constant."""


@kernel
def rigid_jacobians(
    group: RigidMarkers, q0: FloatArray, q1: FloatArray, c: FloatArray, Jm: FloatArray, Je: FloatArray
) -> None:
    """Rigid bodies."""
    for i in range(group.mk.shape[0]):
        place, k, row = group.qi[i] + 3, group.dofs[i, 3], group.row[i]
        s: Vector = (group.s[i, 0], group.s[i, 1], group.s[i, 2])
        R0 = turn_of(q0, place)
        end = applied(turn_of(q1, place), s)
        arm = combination(0.5, applied(R0, s), 0.5, end)
        whole = applied(R0, (c[k], c[k + 1], c[k + 2]))
        _unit(Jm, Je, row, 3)
        for m in range(3):
            u = _axis(R0, m)
            _put(Jm, row + 3 + m, u, arm)
            _put(Je, row + 3 + m, cayley_turn(whole, u), end)


@kernel
def rigid_pull(
    group: RigidMarkers, q0: FloatArray, q1: FloatArray, W: FloatArray, Je: FloatArray, weight: float, B: FloatArray
) -> None:
    """Half of u . ((turn x R1 s) x force)."""
    for i in range(group.mk.shape[0]):
        place, row, o, m = group.qi[i] + 3, group.row[i] + 3, group.b1 + 9 * i, group.mk[i]
        R0 = turn_of(q0, place)
        end = applied(turn_of(q1, place), (group.s[i, 0], group.s[i, 1], group.s[i, 2]))
        force: Vector = (W[m, 0], W[m, 1], W[m, 2])
        for b in range(3):
            moment = cross(cross(_get(Je, row + b), end), force)
            for a in range(3):
                B[o + 3 * a + b] = 0.5 * weight * dot(_axis(R0, a), moment)


@kernel
def planar_jacobians(
    group: PlanarRigidMarkers, q0: FloatArray, q1: FloatArray, c: FloatArray, Jm: FloatArray, Je: FloatArray
) -> None:
    """Planar rigid bodies."""
    for i in range(group.mk.shape[0]):
        k, row = group.dofs[i, 2], group.row[i]
        start, end = _spun(group.s, i, q0[k]), _spun(group.s, i, q1[k])
        _unit(Jm, Je, row, 2)
        _put(Jm, row + 2, (0.0, 0.0, 1.0), combination(0.5, start, 0.5, end))
        _put(Je, row + 2, (0.0, 0.0, 1.0 / (1.0 + 0.25 * c[k] * c[k])), end)


@kernel
def planar_pull(
    group: PlanarRigidMarkers, q0: FloatArray, q1: FloatArray, W: FloatArray, Je: FloatArray, weight: float,
    B: FloatArray,
) -> None:  # fmt: skip
    """The same as for rigid bodies, in the plane."""
    for i in range(group.mk.shape[0]):
        row, m = group.row[i] + 2, group.mk[i]
        B[group.b1 + i] = 0.5 * weight * (Je[row, 0] * W[m, 1] - Je[row, 1] * W[m, 0])


@kernel
def _spun(s: FloatArray, i: int, angle: float) -> Vector:
    """The point s_i of a planar body at this angle."""
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * s[i, 0] - sin * s[i, 1], sin * s[i, 0] + cos * s[i, 1], 0.0


@kernel
def _stretch(a0: float, b0: float, a1: float, b1: float) -> tuple[float, float, float, float, float, float]:
    """Lengths l0, l1, the number x, l0 l1 + y, |A|^2 and rho of the slopes (a0, b0) and (a1, b1)."""
    l0, l1, x, y = math.hypot(a0, b0), math.hypot(a1, b1), a0 * b1 - b0 * a1, a0 * a1 + b0 * b1
    q, n = l0 * l1 + y, 0.25 * (l0 * l0 + l1 * l1 + 2.0 * y)
    return l0, l1, x, q, n, x * (l1 - l0) / (q * n * (l0 + l1))


@kernel
def slope_jacobians(
    group: PlanarSlopeMarkers, q0: FloatArray, q1: FloatArray, c: FloatArray, Jm: FloatArray, Je: FloatArray
) -> None:
    """Planar nodes with a slope."""
    for i in range(group.mk.shape[0]):
        row, ka, kb = group.row[i], group.dofs[i, 2], group.dofs[i, 3]
        a1, b1 = q1[ka], q1[kb]
        _, l1, _, _, n, rho = _stretch(q0[ka], q0[kb], a1, b1)
        A, B = 0.5 * (q0[ka] + a1), 0.5 * (q0[kb] + b1)
        _unit(Jm, Je, row, 4)
        for k in range(2, 4):
            Jm[row + k, k] = Je[row + k, k] = 0.0
        Jm[row + 2, 5], Jm[row + 3, 5] = rho * A - B / n, rho * B + A / n
        Je[row + 2, 5], Je[row + 3, 5] = -b1 / (l1 * l1), a1 / (l1 * l1)


@kernel
def slope_pull(
    group: PlanarSlopeMarkers, q0: FloatArray, q1: FloatArray, W: FloatArray, Je: FloatArray, weight: float,
    B: FloatArray,
) -> None:  # fmt: skip
    """The moment times the derivative of (z x A) / |A|^2 + rho A by the end slope; that of |A|^2 is A."""
    for i in range(group.mk.shape[0]):
        o, ka, kb = group.b1 + 4 * i, group.dofs[i, 2], group.dofs[i, 3]
        a0, b0, a1, b1 = q0[ka], q0[kb], q1[ka], q1[kb]
        l0, l1, x, q, n, rho = _stretch(a0, b0, a1, b1)
        X, Y = 0.5 * (a0 + a1), 0.5 * (b0 + b1)
        T, f = (l1 - l0) / (l1 + l0), 1.0 / (q * n)
        T_l = 2.0 * l0 / (l1 + l0) ** 2 / l1
        g = x * T_l * f - rho * l0 / (l1 * q)
        rho_a = g * a1 - T * b0 * f - rho * (a0 / q + X / n)
        rho_b = g * b1 + T * a0 * f - rho * (b0 / q + Y / n)
        moment = weight * W[group.mk[i], 5]
        B[o] = moment * (Y * X / (n * n) + 0.5 * rho + X * rho_a)
        B[o + 1] = moment * (Y * Y / (n * n) - 0.5 / n + X * rho_b)
        B[o + 2] = moment * (0.5 / n - X * X / (n * n) + Y * rho_a)
        B[o + 3] = moment * (0.5 * rho - X * Y / (n * n) + Y * rho_b)


MEAN_KINDS: dict[Any, MeanKind] = {
    POINT.name: MeanKind(point_jacobians, point_pull),
    RIGID.name: MeanKind(rigid_jacobians, rigid_pull),
    PLANAR_RIGID.name: MeanKind(planar_jacobians, planar_pull),
    PLANAR_SLOPE.name: MeanKind(slope_jacobians, slope_pull),
}
"""By the name of the kind; markers of other kinds cannot be treated."""
