r"""The integrals over the mass that the equations of a floating body need, at given coordinates of its shapes.

In axes of the frame a point x of the undeformed body is at

.. math:: y = A^T\psi + \sum_k \phi_k\,\eta_k, \qquad \psi = (1, x), \qquad
   A = \begin{bmatrix} 0 \\ 1 \end{bmatrix} + \tfrac12 Q - \tfrac18 \begin{bmatrix} 0 \\ E^2 \end{bmatrix}, \qquad
   Q = \sum_{kl} C_{kl}\,\eta_k\eta_l = \begin{bmatrix} \cdot \\ E \end{bmatrix} .

The first term is affine: it is x, and with geometric stiffening (`flexmbs.reduction.stiffening`) an affine displacement
that is quadratic in the coordinates. Its gradient is continued as the square root of 1 + E: so shapes that contain a
rotation, as those of a body hinged at its own reference interface, still turn without stretching in fourth order,
where Q alone would add to the moments of inertia. The derivatives of y,

.. math:: y_k = \phi_k + A_k^T\psi, \qquad A_k = C_k - \tfrac14 \{E, C_k\}, \qquad C_k = \sum_l C_{kl}\,\eta_l,

with :math:`\{E, C\} = EC + CE` of the last three rows, are again shapes and an affine part. So all integrals follow
from those of the shapes and of psi,

.. math:: G = \int\psi\psi^T, \qquad F_k = \int\psi\,\phi_k^T, \qquad R_{kl} = \int\phi_k\phi_l^T ,

which are the inertia invariants, without any approximation: the mass matrix is the Gram matrix of a field of
velocities that exists, and therefore never indefinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.shape_stacks import add_both_sides, add_left, add_over, add_scaled, add_sum, clear
from flexmbs.kernels.small_matrices import add_product, fill
from flexmbs.reduction.inertia import InertiaInvariants

__all__ = ["FloatingGroup", "affine_place", "affine_shapes", "moments", "own_rates", "own_shapes"]


class FloatingGroup(NamedTuple):
    """Bodies of m shapes each.

    ``dofs (n, 6 + m)``: translation, rotation, shapes in v; ``b1``; ``qi (n,)``: first entry of the frame in q;
    ``rot (n,)``: number of the frame in ``work.T``. Invariants about the origin of the frame: ``G (n, 4, 4)``,
    ``F (n, 4, 3, m)``, ``R (n, m, 3, 3, m)`` by (k, a, b, l), ``M, K, D (n, m, m)`` of the shapes. ``g (n_g, 3)``:
    gravity of the loads numbered ``load (n_g,)``. ``C (n, m, 4, 3, m)`` by (k, ., ., l): affine displacements of second
    order, (n, 0, 4, 3, 0) without geometric stiffening. ``work (8, 3, 3, m), work4 (9, 4, 3, m)``: scratch.
    """

    dofs: IntArray
    b1: int
    qi: IntArray
    rot: IntArray
    G: FloatArray
    F: FloatArray
    R: FloatArray
    M: FloatArray
    K: FloatArray
    D: FloatArray
    load: IntArray
    g: FloatArray
    C: FloatArray
    work: FloatArray
    work4: FloatArray

    @classmethod
    def made(
        cls,
        places: tuple[IntArray, IntArray, IntArray],
        b1: int,
        inertia: Sequence[InertiaInvariants],
        matrices: tuple[FloatArray, FloatArray],
        gravity: tuple[IntArray, FloatArray],
        second: FloatArray | None = None,
    ) -> FloatingGroup:
        """A group from the fields of `InertiaInvariants` and ``second (n, 4, 3, m, m)``.

        ``places``: dofs, qi, rot; ``inertia``: of each body; ``matrices``: K and D; ``gravity``: load and g.
        """
        dofs, qi, rot = places
        n, m = len(dofs), dofs.shape[1] - 6
        G, F, R = np.zeros((n, 4, 4)), np.zeros((n, 4, 3, m)), np.zeros((n, m, 3, 3, m))
        for i, found in enumerate(inertia):
            G[i] = found.gram
            F[i, 0], F[i, 1:] = found.P, found.Q
            R[i] = found.R.transpose(2, 0, 1, 3)
        C = np.zeros((n, 0, 4, 3, 0)) if second is None else np.ascontiguousarray(second.transpose(0, 3, 1, 2, 4))
        (K, D), (load, g) = matrices, gravity
        return cls(
            dofs=dofs, b1=b1, qi=qi, rot=rot, G=G, F=F, R=R, M=np.ascontiguousarray(np.einsum("ikaaj->ikj", R)),
            K=np.ascontiguousarray(K), D=np.ascontiguousarray(D), load=load, g=g, C=C,
            work=np.zeros((8, 3, 3, m)), work4=np.zeros((9, 4, 3, m)),
        )  # fmt: skip


@kernel
def affine_place(E: FloatArray, A: FloatArray) -> None:
    """A, where Q stands in it, with E; both zero without stiffening."""
    for a in range(3):
        A[0, a] *= 0.5
        for b in range(3):
            s = E[a, 0] * E[0, b] + E[a, 1] * E[1, b] + E[a, 2] * E[2, b]
            A[1 + a, b] = 0.5 * E[a, b] - 0.125 * s
        A[1 + a, a] += 1.0


@kernel
def affine_shapes(group: FloatingGroup, i: int, x: FloatArray, C: FloatArray, Q: FloatArray, E: FloatArray) -> None:
    """C_k = sum_l C_kl x_l, Q = sum_k C_k x_k and its last three rows E."""
    clear(C)
    add_over(group.C[i], x, C)
    fill(Q, 0.0)
    add_sum(1.0, C, x, Q)
    for a in range(3):
        for b in range(3):
            E[a, b] = Q[1 + a, b]


@kernel
def own_shapes(
    group: FloatingGroup, i: int, eta: FloatArray, C: FloatArray, Ak: FloatArray, F: FloatArray, A: FloatArray,
    E: FloatArray,
) -> None:  # fmt: skip
    """C_k, A_k, int psi y_k^T, A and E at a place."""
    affine_shapes(group, i, eta, C, A, E)
    affine_place(E, A)
    clear(Ak)
    add_scaled(1.0, C, Ak)
    add_both_sides(-0.25, E, C, Ak)
    clear(F)
    add_scaled(1.0, group.F[i], F)
    add_left(group.G[i], Ak, F)


@kernel
def own_rates(
    group: FloatingGroup, i: int, rate: FloatArray, C: FloatArray, Ak: FloatArray, E: FloatArray, Cd: FloatArray,
    Akd: FloatArray, Ad: FloatArray, H: FloatArray, Ed: FloatArray,
) -> None:  # fmt: skip
    """Of rates: C_k and Ed = sum_k C_k x_k (last rows); the rates of A_k and A; H = sum_k A_k' x_k."""
    clear(Cd)
    add_over(group.C[i], rate, Cd)
    fill(H, 0.0)
    add_sum(1.0, C, rate, H)
    for a in range(3):
        for b in range(3):
            Ed[a, b] = H[1 + a, b]
    clear(Akd)
    add_scaled(1.0, Cd, Akd)
    add_both_sides(-0.25, E, Cd, Akd)
    add_both_sides(-0.5, Ed, C, Akd)
    fill(Ad, 0.0)
    add_sum(1.0, Ak, rate, Ad)
    fill(H, 0.0)
    add_sum(1.0, Akd, rate, H)


@kernel
def moments(
    group: FloatingGroup, i: int, A: FloatArray, x: FloatArray, Y: FloatArray, N: FloatArray, C: FloatArray,
    second: bool, full: FloatArray,
) -> None:  # fmt: skip
    """Of a field z = A^T psi + sum_k phi_k x_k: Y = int psi z^T, N_k = int z phi_k^T, and ``full``_k = int z y_k^T.

    ``C`` is that of y_k; ``full`` is written with geometric stiffening only (``second``), where it is not N.
    """
    fill(Y, 0.0)
    add_product(1.0, group.G[i], A, Y)
    add_sum(1.0, group.F[i], x, Y)
    clear(N)
    add_left(A, group.F[i], N)
    add_over(group.R[i], x, N)
    if second:
        clear(full)
        add_scaled(1.0, N, full)
        add_left(Y, C, full)
