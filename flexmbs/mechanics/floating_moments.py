r"""The integrals over the mass that the equations of a floating body need, at given coordinates of its shapes.

In axes of the frame a point x of the undeformed body is at

.. math:: y = A^T\psi + \sum_k \phi_k\,\eta_k, \qquad \psi = (1, x), \qquad
   A = \begin{bmatrix} 0 \\ 1 \end{bmatrix} + \tfrac12 \sum_{kl} C_{kl}\,\eta_k\eta_l .

The first term is affine: it is x, and with geometric stiffening (`flexmbs.reduction.stiffening`) an affine displacement
that is quadratic in the coordinates. The derivatives of y,

.. math:: y_k = \phi_k + C_k^T\psi, \qquad C_k = \sum_l C_{kl}\,\eta_l,

are again shapes and an affine part. So all integrals follow from those of the shapes and of psi,

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
from flexmbs.mechanics.shape_stacks import add_left, add_over, add_scaled, add_sum, clear
from flexmbs.mechanics.small_matrices import add_product, fill
from flexmbs.reduction.inertia import InertiaInvariants

__all__ = ["FloatingGroup", "affine_place", "affine_shapes", "moments"]


class FloatingGroup(NamedTuple):
    """Bodies of m shapes each.

    ``dofs (n, 6 + m)``: translation, rotation, shapes in v; ``b1``; ``qi (n,)``: first entry of the frame in q;
    ``rot (n,)``: number of the frame in ``work.T``. Invariants about the origin of the frame: ``G (n, 4, 4)``,
    ``F (n, 4, 3, m)``, ``R (n, m, 3, 3, m)`` by (k, a, b, l), ``M, K, D (n, m, m)`` of the shapes. ``g (n_g, 3)``:
    gravity of the loads numbered ``load (n_g,)``. ``C (n, m, 4, 3, m)`` by (k, ., ., l): affine displacements of second
    order, (n, 0, 4, 3, 0) without geometric stiffening. ``work (8, 3, 3, m), work4 (6, 4, 3, m)``: scratch.
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
            work=np.zeros((8, 3, 3, m)), work4=np.zeros((6, 4, 3, m)),
        )  # fmt: skip


@kernel
def affine_place(eta: FloatArray, C: FloatArray, second: bool, A: FloatArray) -> None:
    """A of the present place, from C_k there; ``second``: with geometric stiffening."""
    fill(A, 0.0)
    for a in range(3):
        A[1 + a, a] = 1.0
    if second:
        add_sum(0.5, C, eta, A)


@kernel
def affine_shapes(group: FloatingGroup, i: int, x: FloatArray, C: FloatArray) -> None:
    """C_k = sum_l C_kl x_l: the affine part of y_k, or its rate."""
    clear(C)
    add_over(group.C[i], x, C)


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
