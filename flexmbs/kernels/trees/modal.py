r"""Flexible links in trees: from the frame of a link to one of its interfaces by its shapes.

With the shapes :math:`\Phi_k, \Psi_k` of an interface at s, all in axes of the link, its place and orientation are
:math:`s + \sum\Phi_k\eta_k` and :math:`\exp(\tilde\theta)`, :math:`\theta = \sum\Psi_k\eta_k`, as those of bodies
in floating frames (`flexmbs.kernels.markers.floating`). The screw of a shape is, with the tangent operator of the left,

.. math:: \Theta_k = T_l(\theta)\,\Psi_k, \qquad T_l = 1 + b\,\tilde\theta + c\,\tilde\theta^2, \qquad
   b = \frac{1 - \cos\theta}{\theta^2}, \quad c = \frac{\theta - \sin\theta}{\theta^3} .

It changes with the shapes, so that its rates, :math:`\dot T_l` and :math:`\ddot T_l`, enter what
`flexmbs.kernels.trees.dynamics` calls X and Y, and the force on a shape has a derivative of its own by the other
shapes.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import inlined, kernel, only_beyond
from flexmbs.core.triples import Vector
from flexmbs.kernels.small_matrices import cross_matrix, multiply

__all__ = [
    "MODAL", "left_operator", "modal_coupling", "modal_place", "modal_rates", "place_shapes", "rates_of_shapes",
    "rotation_of", "shapes_behind",
]  # fmt: skip

MODAL = 4
"""Kind of the first column of an interface of a flexible link; the others have the next number."""
TERMS = 18
"""Of the series of b and c, exact to round-off for rotations up to pi."""


@inlined
def rotation_of(T: FloatArray, n: int, s: FloatArray) -> Vector:
    """T[n] Psi of a shape s = (Phi, Psi): Theta, or its n-th derivative by time."""
    a, b, c = s[3], s[4], s[5]
    return (
        T[n, 0, 0] * a + T[n, 0, 1] * b + T[n, 0, 2] * c,
        T[n, 1, 0] * a + T[n, 1, 1] * b + T[n, 1, 2] * c,
        T[n, 2, 0] * a + T[n, 2, 1] * b + T[n, 2, 2] * c,
    )


@kernel
def shapes_behind(kind: IntArray, c: int) -> int:
    """Number of the columns of the interface that begins with column c."""
    n = 1
    while c + n < kind.shape[0] and kind[c + n] == MODAL + 1:
        n += 1
    return n


@kernel
def series(x: float, f: FloatArray) -> None:
    """b, c and their first and second derivatives by x, the square of the angle: f (2, 3)."""
    for i in range(2):
        f[i, 0], f[i, 1], f[i, 2] = 0.0, 0.0, 0.0
        term = 0.5 if i == 0 else 1.0 / 6.0  # of x^0
        p0, p1, p2 = 1.0, 1.0, 1.0  # x^n, x^(n-1), x^(n-2)
        for n in range(TERMS):
            f[i, 0] += term * p0
            if n > 0:
                f[i, 1] += n * term * p1
                p1 *= x
            if n > 1:
                f[i, 2] += n * (n - 1) * term * p2
                p2 *= x
            p0 *= x
            term *= -1.0 / ((2 * n + 3 + i) * (2 * n + 4 + i))


@kernel
def left_operator(th: FloatArray, d: FloatArray, dd: FloatArray, T: FloatArray, room: FloatArray) -> None:
    """T_l and its first and second derivative by time, T (3, 3, 3), from those of the rotation vector."""
    x = th[0] * th[0] + th[1] * th[1] + th[2] * th[2]
    xd = 2.0 * (th[0] * d[0] + th[1] * d[1] + th[2] * d[2])
    xdd = 2.0 * (th[0] * dd[0] + th[1] * dd[1] + th[2] * dd[2] + d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    A, D, Q, AA, AD, DD, AQ = room[0], room[1], room[2], room[3], room[4], room[5], room[6]
    f = room[6]  # its first two rows, before AQ is written
    series(x, f)
    b, b1, b2 = f[0, 0], f[0, 1] * xd, f[0, 2] * xd * xd + f[0, 1] * xdd
    c, c1, c2 = f[1, 0], f[1, 1] * xd, f[1, 2] * xd * xd + f[1, 1] * xdd
    cross_matrix(th[0], th[1], th[2], A)
    cross_matrix(d[0], d[1], d[2], D)
    cross_matrix(dd[0], dd[1], dd[2], Q)
    multiply(A, A, AA)
    multiply(A, D, AD)
    multiply(D, D, DD)
    multiply(A, Q, AQ)
    for i in range(3):
        for j in range(3):
            # (A D)^T = D A, as both are antisymmetric
            sd, sq = AD[i, j] + AD[j, i], AQ[i, j] + AQ[j, i]
            T[0, i, j] = b * A[i, j] + c * AA[i, j]
            T[1, i, j] = b1 * A[i, j] + b * D[i, j] + c1 * AA[i, j] + c * sd
            T[2, i, j] = (
                b2 * A[i, j] + 2.0 * b1 * D[i, j] + b * Q[i, j] + c2 * AA[i, j] + 2.0 * c1 * sd
                + c * (sq + 2.0 * DD[i, j])
            )  # fmt: skip
        T[0, i, i] += 1.0


@kernel
def modal_place(
    kind: IntArray, screw: FloatArray, places: IntArray, c: int, q: FloatArray, E: FloatArray, t: FloatArray,
    T: FloatArray, room: FloatArray,
) -> None:  # fmt: skip
    """E, t and T_l (in T[0]) of the interface that begins with column c; ``places``: of the shapes in q."""
    th, none = room[7, 0], room[7, 1]
    for k in range(3):
        t[k], th[k], none[k] = 0.0, 0.0, 0.0
    for n in range(shapes_behind(kind, c)):
        x = q[places[c + n]]
        for k in range(3):
            t[k] += screw[c + n, k] * x
            th[k] += screw[c + n, 3 + k] * x
    left_operator(th, none, none, T, room)
    # exp = 1 + T_l th~
    cross_matrix(th[0], th[1], th[2], room[0])
    multiply(T[0], room[0], E)
    for k in range(3):
        E[k, k] += 1.0


@kernel
def modal_rates(
    kind: IntArray, screw: FloatArray, places: IntArray, dofs: IntArray, c: int, q: FloatArray, v: FloatArray,
    a: FloatArray, y: FloatArray, T: FloatArray, room: FloatArray,
) -> None:  # fmt: skip
    """T_l and its derivatives by time, and those of the place: y (2, 3)."""
    th, d, dd = room[7, 0], room[7, 1], room[7, 2]
    for k in range(3):
        th[k], d[k], dd[k], y[0, k], y[1, k] = 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(shapes_behind(kind, c)):
        x, xd, xdd = q[places[c + n]], v[dofs[c + n]], a[dofs[c + n]]
        for k in range(3):
            f, g = screw[c + n, k], screw[c + n, 3 + k]
            th[k] += g * x
            d[k] += g * xd
            dd[k] += g * xdd
            y[0, k] += f * xd
            y[1, k] += f * xdd
    left_operator(th, d, dd, T, room)


@kernel
def modal_coupling(
    kind: IntArray, screw: FloatArray, places: IntArray, c: int, q: FloatArray, f: FloatArray, n: FloatArray,
    G: FloatArray, T: FloatArray, room: FloatArray,
) -> None:  # fmt: skip
    """G_km, derivative by shape m of the force on shape k of an interface, its wrench carried along.

    ``f, n (3,)``: force and moment at the interface, axes of the link, as Phi_k . f + Theta_k . n is the force.
    """
    count = shapes_behind(kind, c)
    th, d, none = room[7, 0], room[7, 1], room[7, 2]
    for k in range(3):
        th[k], none[k] = 0.0, 0.0
    for i in range(count):
        for k in range(3):
            th[k] += screw[c + i, 3 + k] * q[places[c + i]]
    for m in range(count):
        for k in range(3):
            d[k] = screw[c + m, 3 + k]
        left_operator(th, d, none, T, room)
        a0 = T[0, 0, 0] * d[0] + T[0, 0, 1] * d[1] + T[0, 0, 2] * d[2]
        a1 = T[0, 1, 0] * d[0] + T[0, 1, 1] * d[1] + T[0, 1, 2] * d[2]
        a2 = T[0, 2, 0] * d[0] + T[0, 2, 1] * d[1] + T[0, 2, 2] * d[2]
        # Theta_m x f and Theta_m x n
        f0, f1, f2 = a1 * f[2] - a2 * f[1], a2 * f[0] - a0 * f[2], a0 * f[1] - a1 * f[0]
        n0, n1, n2 = a1 * n[2] - a2 * n[1], a2 * n[0] - a0 * n[2], a0 * n[1] - a1 * n[0]
        for k in range(count):
            s = screw[c + k, 0] * f0 + screw[c + k, 1] * f1 + screw[c + k, 2] * f2
            for i in range(3):
                g = screw[c + k, 3 + i]
                s += g * (T[0, 0, i] * n0 + T[0, 1, i] * n1 + T[0, 2, i] * n2)
                s += g * (T[1, 0, i] * n[0] + T[1, 1, i] * n[1] + T[1, 2, i] * n[2])
            G[k, m] = s


place_shapes, rates_of_shapes = only_beyond(MODAL - 1, modal_place), only_beyond(MODAL - 1, modal_rates)
"""The same for trees that may have rigid links only, for which they are not compiled."""
