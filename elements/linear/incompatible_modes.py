r"""Incompatible modes of the hexahedron with 8 nodes, condensed within the element.

Beside its nodal displacements the element has ``u = sum_i (1 - xi_i^2) alpha_i``, i = 1, 2, 3, with nine coordinates
alpha of its own: the parabolas that pure bending needs. Their gradients are taken to be

    m_i = (det J_0 / det J) J_0^-T grad_xi (1 - xi_i^2),

with the Jacobian J_0 at the centre. Then ``int m_i dV = det J_0 J_0^-T int grad_xi (1 - xi_i^2) dxi = 0``: the modes do
no work on a constant stress, so that the patch test is passed on any mesh. With the blocks of the stiffness of both
kinds of coordinates, equilibrium of the modes leaves ``K = K_uu - K_ua K_aa^-1 K_au``.

Source: R. L. Taylor, P. J. Beresford, E. L. Wilson, Int. J. Numer. Methods Eng. 10 (1976) 1211-1219 (the element QM6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.kernel_arrays import on_stack
from flexmbs.elements.linear.solid_kernels import elastic_column, gradients_at
from flexmbs.elements.linear.solid_rules import rule
from flexmbs.meshes.cells import cell_type

if TYPE_CHECKING:
    from flexmbs.elements.linear.solid import SolidGroup

__all__ = ["stiffness", "strains"]

N_NODES, N_ALL = 8, 11
"""Nodes, and nodes and modes, of three coordinates each."""


def stiffness(group: SolidGroup) -> FloatArray:
    """Stiffness matrices (n_e, 24, 24)."""
    K = np.zeros((len(group.points), 3 * N_NODES, 3 * N_NODES))
    table, centre = rule("hexahedron", 2), rule("hexahedron", 1)
    condensed_stiffness(
        group.points, table.gradients, table.weights, table.xi, centre.gradients, _corners(), group.C, K
    )
    return K


def strains(group: SolidGroup, u: FloatArray) -> FloatArray:
    """Strains (n_e, 8, 6) at the 2 x 2 x 2 points, those of the modes included, for coordinates ``u (n_e, 24)``."""
    table, centre = rule("hexahedron", 2), rule("hexahedron", 1)
    out = np.empty((len(group.points), len(table.weights), 6))
    enhanced_strains(
        group.points, table.gradients, table.weights, table.xi, centre.gradients, _corners(), group.C, u, out
    )
    return out


def _corners() -> FloatArray:
    """Reference coordinates (8, 3) of the nodes."""
    return cell_type("hexahedron").nodes


@kernel
def centre_axes(x: FloatArray, e: int, centre: FloatArray, corners: FloatArray, G: FloatArray, A: FloatArray) -> float:
    """Gradients of the reference coordinates at the centre as rows of ``A (3, 3)``; returns det J_0."""
    det = gradients_at(x, e, centre, 0, G)
    for i in range(3):
        for j in range(3):
            total = 0.0
            for a in range(x.shape[1]):
                total += corners[a, i] * G[a, j]
            A[i, j] = total
    return det


@kernel
def all_gradients(
    x: FloatArray, e: int, slopes: FloatArray, xi: FloatArray, g: int, det_0: float, A: FloatArray, G: FloatArray
) -> float:
    """Gradients ``G (11, 3)`` of the shape functions and of the modes; returns det J."""
    det = gradients_at(x, e, slopes, g, G)
    for i in range(3):
        s = -2.0 * xi[g, i] * det_0 / det
        for j in range(3):
            G[x.shape[1] + i, j] = s * A[i, j]
    return det


@kernel
def condense(
    x: FloatArray,
    e: int,
    slopes: FloatArray,
    weights: FloatArray,
    xi: FloatArray,
    centre: FloatArray,
    corners: FloatArray,
    C: FloatArray,
    A: FloatArray,
    G: FloatArray,
    D: FloatArray,
    S: FloatArray,
) -> float:
    """Upper triangle of the stiffness of nodes and modes ``S (33, 33)`` with the modes eliminated from the last on.

    Column p of a mode keeps the row of its own equation at the time of its elimination.
    """
    n = S.shape[0]
    det_0 = centre_axes(x, e, centre, corners, G, A)
    for i in range(n):
        for j in range(i, n):
            S[i, j] = 0.0
    for g in range(slopes.shape[0]):
        det = all_gradients(x, e, slopes, xi, g, det_0, A, G)
        for b in range(G.shape[0]):
            elastic_column(C, weights[g] * det, G[b, 0], G[b, 1], G[b, 2], D)
            for a in range(b + 1):
                h0, h1, h2 = G[a, 0], G[a, 1], G[a, 2]
                for c in range(3):
                    S[3 * a, 3 * b + c] += h0 * D[0, c] + h1 * D[3, c] + h2 * D[5, c]
                    S[3 * a + 1, 3 * b + c] += h1 * D[1, c] + h0 * D[3, c] + h2 * D[4, c]
                    S[3 * a + 2, 3 * b + c] += h2 * D[2, c] + h1 * D[4, c] + h0 * D[5, c]
    for p in range(n - 1, 3 * x.shape[1] - 1, -1):
        for i in range(p):
            s = S[i, p] / S[p, p]
            for j in range(i, p):
                S[i, j] -= s * S[j, p]
    return det_0


@kernel
def condensed_stiffness(
    x: FloatArray,
    slopes: FloatArray,
    weights: FloatArray,
    xi: FloatArray,
    centre: FloatArray,
    corners: FloatArray,
    C: FloatArray,
    K: FloatArray,
) -> None:
    """Stiffness ``K (n_e, 24, 24)`` of the nodes after elimination of the modes."""
    n_a = x.shape[1]
    A, G, D = np.empty((3, 3)), on_stack((n_a + 3, 3)), np.empty((6, 3))
    S = on_stack((3 * n_a + 9, 3 * n_a + 9))
    for e in range(x.shape[0]):
        condense(x, e, slopes, weights, xi, centre, corners, C, A, G, D, S)
        for i in range(3 * n_a):
            for j in range(i, 3 * n_a):
                K[e, i, j] = S[i, j]
                K[e, j, i] = S[i, j]


@kernel
def enhanced_strains(
    x: FloatArray,
    slopes: FloatArray,
    weights: FloatArray,
    xi: FloatArray,
    centre: FloatArray,
    corners: FloatArray,
    C: FloatArray,
    u: FloatArray,
    out: FloatArray,
) -> None:
    """Strains ``out (n_e, n_g, 6)`` of the nodes and of the modes that these bring about."""
    n_a = x.shape[1]
    n = 3 * n_a + 9
    A, G, D, S, v = np.empty((3, 3)), on_stack((n_a + 3, 3)), np.empty((6, 3)), on_stack((n, n)), on_stack((n,))
    for e in range(x.shape[0]):
        det_0 = condense(x, e, slopes, weights, xi, centre, corners, C, A, G, D, S)
        for p in range(n):
            if p < 3 * n_a:
                v[p] = u[e, p]
                continue
            total = 0.0
            for j in range(p):
                total += S[j, p] * v[j]
            v[p] = -total / S[p, p]
        for g in range(slopes.shape[0]):
            all_gradients(x, e, slopes, xi, g, det_0, A, G)
            for r in range(6):
                out[e, g, r] = 0.0
            for a in range(n_a + 3):
                g0, g1, g2 = G[a, 0], G[a, 1], G[a, 2]
                v0, v1, v2 = v[3 * a], v[3 * a + 1], v[3 * a + 2]
                out[e, g, 0] += g0 * v0
                out[e, g, 1] += g1 * v1
                out[e, g, 2] += g2 * v2
                out[e, g, 3] += g1 * v0 + g0 * v1
                out[e, g, 4] += g2 * v1 + g1 * v2
                out[e, g, 5] += g2 * v0 + g0 * v2
