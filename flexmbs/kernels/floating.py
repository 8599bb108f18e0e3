r"""Inertia of bodies in floating frames, exact for the shapes they move in, from their inertia invariants.

A point of the body is at :math:`x_0 + R\,y` with the frame :math:`x_0, R` and y in its axes
(`flexmbs.kernels.floating_moments`); the angular velocity :math:`\omega` of the frame is in its own axes. With
:math:`\dot y = \sum_k y_k\dot\eta_k`, gravity g and the acceleration in axes of the frame

.. math:: \alpha = u + X y + 2\,\tilde\omega\,\dot y + \ddot y, \qquad u = R^T(\ddot x_0 - g), \qquad
   X = \tilde{\dot\omega} + \tilde\omega\tilde\omega,

virtual work gives :math:`r_x = R\int\alpha`, :math:`r_\theta = \int y\times\alpha`,
:math:`r_{\eta k} = \int y_k\cdot\alpha + (K\eta + D\dot\eta)_k`, all integrals over the mass. The cost per evaluation
is that of two products with R, 9 m^2 each, whatever the mesh, and as much again with geometric stiffening. With
:math:`c = \int y`, :math:`S = \int y y^T`, :math:`J = \mathrm{tr}(S) - S`, the mass matrix is

.. math:: M = \begin{bmatrix} m & -R\tilde c & R\int y_k \\ & J & \int y\times y_k \\ & & \int y_k\cdot y_l
   \end{bmatrix} .

Nothing is neglected but what the shapes and their affine displacements of second order cannot tell. The derivatives
are in `flexmbs.kernels.floating_tangent`.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack, square
from flexmbs.kernels.floating_moments import (
    FloatingGroup,
    affine_place,
    affine_shapes,
    moments,
    own_rates,
    own_shapes,
)
from flexmbs.kernels.frame_rotation import frame_rotation
from flexmbs.kernels.shape_stacks import add_axial, add_pairs, add_scalars, add_sum
from flexmbs.kernels.small_matrices import add_product, add_transposed, apply, cross_matrix, fill

__all__ = ["affine_accelerations", "floating_energy", "floating_force", "floating_mass", "inertia_of"]


@kernel
def inertia_of(A: FloatArray, Y: FloatArray, N: FloatArray, eta: FloatArray, S: FloatArray, J: FloatArray) -> None:
    """S and J of the deformed body; ``N``: moments with phi_k."""
    fill(S, 0.0)
    add_transposed(1.0, Y, A, S)
    add_sum(1.0, N, eta, S)
    trace = S[0, 0] + S[1, 1] + S[2, 2]
    for a in range(3):
        for b in range(3):
            J[a, b] = -S[a, b]
        J[a, a] += trace


@kernel
def affine_accelerations(
    G: FloatArray, Y: FloatArray, Yd: FloatArray, u: FloatArray, X: FloatArray, W: FloatArray, L: FloatArray
) -> None:
    """L += int psi alpha^T but for the accelerations of the shapes."""
    for c in range(4):
        for a in range(3):
            s = G[c, 0] * u[a]
            for b in range(3):
                s += Y[c, b] * X[a, b] + 2.0 * Yd[c, b] * W[a, b]
            L[c, a] += s


@kernel
def floating_mass(group: FloatingGroup, q: FloatArray, blocks: FloatArray) -> None:
    """The mass matrices at q into the blocks."""
    R, S, J, W, E = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.zeros((3, 3))
    A, Y = np.zeros((4, 3)), np.empty((4, 3))
    n, size = group.dofs.shape
    m = size - 6
    second = group.C.shape[1] > 0
    N, C, Ak, F = group.work[0], group.work4[0], group.work4[1], group.work4[2]
    whole = group.work[1] if second else N
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        eta = q[group.dofs[i, 6] : group.dofs[i, 6] + m] if m else q[:0]
        if second:
            own_shapes(group, i, eta, C, Ak, F, A, E)
        else:
            affine_place(E, A)
            F = group.F[i]
        moments(group, i, A, eta, Y, N, Ak, second, whole)
        inertia_of(A, Y, N, eta, S, J)
        o = group.b1 + i * size * size
        B = square(blocks, o, size)
        fill(B, 0.0)
        cross_matrix(-Y[0, 0], -Y[0, 1], -Y[0, 2], W)
        for a in range(3):
            B[a, a] = group.G[i, 0, 0]
            for b in range(3):
                B[3 + a, 3 + b] = J[a, b]
                B[a, 3 + b] = R[a, 0] * W[0, b] + R[a, 1] * W[1, b] + R[a, 2] * W[2, b]
            for k in range(m):
                B[a, 6 + k] = R[a, 0] * F[0, 0, k] + R[a, 1] * F[0, 1, k] + R[a, 2] * F[0, 2, k]
        add_axial(1.0, whole, B)
        for k in range(m):
            for j in range(m):
                B[6 + k, 6 + j] = group.M[i, k, j]
        if second:
            add_pairs(Ak, group.F[i], B)
            add_pairs(F, Ak, B)
        for a in range(size):
            for b in range(a):
                B[a, b] = B[b, a]


@kernel
def floating_force(group: FloatingGroup, state: State, env: Env, work: MarkerWork) -> int:
    """r += all of the inertia that is not M a, gravity, and the forces of the shapes; M a is added elsewhere."""
    room, vectors = np.zeros((7, 3, 3)), np.empty((3, 3))
    R, S, J, W, X, E, Ed = room[0], room[1], room[2], room[3], room[4], room[5], room[6]
    g, w, x = vectors[0], vectors[1], vectors[2]
    tall = np.zeros((6, 4, 3))
    A, Y, Ad, Yd, L, H = tall[0], tall[1], tall[2], tall[3], tall[4], tall[5]
    n, size = group.dofs.shape
    m = size - 6
    second = group.C.shape[1] > 0
    C, Ak, F, Cd, Akd = group.work4[0], group.work4[1], group.work4[2], group.work4[3], group.work4[4]
    N, Nd = group.work[0], group.work[1]
    whole, wholed = group.work[2] if second else N, group.work[3] if second else Nd
    out = on_stack((m,))
    q, v, r = state.q, state.v, work.r
    for i in range(n):
        frame_rotation(q, group.qi[i], R)
        d = group.dofs[i]
        first = d[6] if m else 0
        eta, rate = q[first : first + m], v[first : first + m]
        fill(L, 0.0)
        if second:
            own_shapes(group, i, eta, C, Ak, F, A, E)
            own_rates(group, i, rate, C, Ak, E, Cd, Akd, Ad, H, Ed)
            add_product(1.0, group.G[i], H, L)
        else:
            F = group.F[i]
            fill(H, 0.0)
            fill(A, 0.0)
            fill(E, 0.0)
            affine_place(E, A)
        moments(group, i, A, eta, Y, N, Ak, second, whole)
        moments(group, i, Ad, rate, Yd, Nd, Ak, second, wholed)
        inertia_of(A, Y, N, eta, S, J)
        for a in range(3):
            w[a], x[a] = v[d[3 + a]], 0.0
            for k in range(group.load.shape[0]):
                x[a] -= env.scale[group.load[k]] * group.g[k, a]
        for a in range(3):
            g[a] = R[0, a] * x[0] + R[1, a] * x[1] + R[2, a] * x[2]  # the acceleration u of a frame at rest
        cross_matrix(w[0], w[1], w[2], W)
        fill(X, 0.0)
        add_product(1.0, W, W, X)
        affine_accelerations(group.G[i], Y, Yd, g, X, W, L)
        for a in range(3):
            r[d[a]] += R[a, 0] * L[0, 0] + R[a, 1] * L[0, 1] + R[a, 2] * L[0, 2]
        # int y alpha^T: c u^T + S X^T + 2 E W^T + Y^T H, E = int y y'^T
        fill(E, 0.0)
        add_sum(1.0, whole, rate, E)
        fill(J, 0.0)
        add_product(1.0, S, X, J)  # X is symmetric here
        add_product(-2.0, E, W, J)
        add_transposed(1.0, Y, H, J)
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            r[d[3 + a]] += J[b, c] - J[c, b] + Y[0, b] * g[c] - Y[0, c] * g[b]
        for k in range(m):
            s = 0.0
            for j in range(m):
                s += group.K[i, k, j] * eta[j] + group.D[i, k, j] * rate[j]
            out[k] = s
        for a in range(3):
            H[0, a] += g[a]
            for b in range(3):
                W[a, b] *= -2.0
        add_scalars(H, F, out)
        add_scalars(X, whole, out)
        add_scalars(W, wholed, out)
        for k in range(m):
            r[d[6 + k]] += out[k]
    return -1


@kernel
def floating_energy(group: FloatingGroup, q: FloatArray, scale: FloatArray, energy: FloatArray) -> None:
    """Strain energy and potential of gravity (n, 2)."""
    R, E, c, A, Y = np.empty((3, 3)), np.zeros((3, 3)), np.empty(3), np.zeros((4, 3)), np.empty((4, 3))
    m = group.dofs.shape[1] - 6
    second = group.C.shape[1] > 0
    for i in range(group.dofs.shape[0]):
        frame_rotation(q, group.qi[i], R)
        first = group.dofs[i, 6] if m else 0
        eta = q[first : first + m]
        s = 0.0
        for k in range(m):
            for j in range(m):
                s += 0.5 * eta[k] * group.K[i, k, j] * eta[j]
        energy[i, 0] = s
        if second:
            affine_shapes(group, i, eta, group.work4[0], A, E)
        affine_place(E, A)
        fill(Y, 0.0)
        add_product(1.0, group.G[i], A, Y)
        add_sum(1.0, group.F[i], eta, Y)
        apply(R, Y[0], c)
        s = 0.0
        for k in range(group.load.shape[0]):
            for a in range(3):
                s -= scale[group.load[k]] * group.g[k, a] * (group.G[i, 0, 0] * q[group.qi[i] + a] + c[a])
        energy[i, 1] = s
