r"""Strains of the bilinear shell with a director over whole groups, as arrays: what tables and outputs need.

A strain is a row of 16 numbers that multiply the products of `flexmbs.elements.shear_kernels`. With the bases
:math:`G_\alpha = R_{,\alpha}` of the stress-free shape, its unit normal n and director D, a point of the body is
:math:`R + z\,D`, and the part of Green's strain along the surface, less that of the stress-free shape, is
:math:`E_{\alpha\beta} + z\,K_{\alpha\beta}` with

.. math::
    E_{\alpha\beta} = \tfrac12 (r_{,\alpha}\cdot r_{,\beta} - G_\alpha\cdot G_\beta), \qquad
    2 K_{\alpha\beta} = r_{,\alpha}\cdot d_{,\beta} + r_{,\beta}\cdot d_{,\alpha} - (\ldots)_0 ;

across it, :math:`\Gamma_\alpha = r_{,\alpha}\cdot d - G_\alpha\cdot D`. D need not be the normal. With
:math:`D = D^\alpha G_\alpha + D_n n` and :math:`D_{,\alpha} = b_\alpha^\gamma G_\gamma + \ldots`, axes along the
surface and the normal turn these into

.. math::
    \varepsilon_{ab} = E_{\alpha\beta}\,\xi^\alpha_{,a}\,\xi^\beta_{,b}, \quad
    \kappa_{ab} = \bigl(K_{\alpha\beta} - \tfrac12 (b_\alpha^\gamma E_{\gamma\beta} + b_\beta^\gamma E_{\gamma\alpha})
    \bigr)\,\xi^\alpha_{,a}\,\xi^\beta_{,b} / D_n, \quad
    \gamma_{a3} = (\Gamma_\alpha - E_{\alpha\beta} D^\beta)\,\xi^\alpha_{,a} / D_n .

The terms with b (those of Budiansky and Sanders) and D take out what a stretch of the surface does to the products
while the director only turns: little on smooth surfaces, but much beside a fold.

Nodes are ``(n_e, 4, 2, 3)``: position and director of the four corners.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.shear_kernels import CORNERS, CURVATURE, PRODUCTS, SIGNS

__all__ = ["Enhanced", "Strains", "arcs", "bilinear", "changes", "condensed", "products", "strains"]

ALONG = 1e-6
"""Sine of the angle between the axis of the material and the normal up to which they count as parallel."""
STEEPEST = 0.7
"""Largest sine of half the angle of an element that the correction of arcs takes into account."""
POINTS = CORNERS / np.sqrt(3.0)
"""Gauss points of weight 1."""
TIES = np.array([[0.0, -1.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 0.0]])
"""Middles of the sides, where the shears along xi (two) and eta (two) are taken."""


def bilinear(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shape functions (n, 4) at points (n, 2), and their derivatives (n, 2, 4) by xi and eta."""
    along = 1.0 + points[:, None, :] * CORNERS
    N = 0.25 * along[..., 0] * along[..., 1]
    return N, 0.25 * CORNERS.T * np.stack((along[..., 1], along[..., 0]), axis=1)


def products(nodes: FloatArray) -> FloatArray:
    """The 16 products (n_e, 16)."""
    s, t = CORNERS.T
    x = (
        0.25
        * np.einsum("mi,eikc->ekmc", np.stack((1.0 + 0.0 * s, s, t, s * t)), nodes).reshape(len(nodes), 8, 3)[:, 1:]
    )
    terms = 0.5 * SIGNS * (x[:, PRODUCTS[:, 1]] * x[:, PRODUCTS[:, 2]]).sum(axis=-1)
    return np.asarray(terms @ (PRODUCTS[:, :1] == np.arange(16)))


def arcs(nodes: FloatArray, kinked: NDArray[np.bool_]) -> FloatArray:
    """The factors b and c (n_e, 2, 2) of x + b x^2 + c x^3 for the curvatures along xi and eta.

    Along a circular arc the product is half the length of the chord times |D| times the sine of half the angle that the
    director turns by. The polynomial is that of its arcsine about the stress-free shape, times the slope there.
    Directors at kinks tell nothing of the curvature of their cells, which count as flat.
    """
    x = 0.25 * np.einsum("ai,eikc->eakc", CORNERS.T, nodes)
    length = np.where(kinked, 1.0, np.linalg.norm(nodes[:, :, 1], axis=-1).mean(axis=1))
    size = np.linalg.norm(x[:, :, 0], axis=-1) * length[:, None]
    sine = np.clip((x[:, :, 0] * x[:, :, 1]).sum(axis=-1) / size, -STEEPEST, STEEPEST) * ~kinked[:, None]
    cosine2 = 1.0 - sine**2
    return np.stack((0.5 * sine / (cosine2 * size), (1.0 + 2.0 * sine**2) / (6.0 * (cosine2 * size) ** 2)), axis=-1)


def changes(nodes: FloatArray, rate: FloatArray, E0: FloatArray, arc: FloatArray, tau: FloatArray) -> FloatArray:
    """The strains e + tau de/dt (n_e, 16) of the products at nodes that move with ``rate (n_e, 4, 2, 3)``."""
    E = products(nodes) - E0[:, :16]
    growth = 0.5 * (products(nodes + rate) - products(nodes - rate))  # exact, since the products are quadratic
    x = E[:, CURVATURE : CURVATURE + 2]
    b, c = arc[..., 0], arc[..., 1]
    growth[:, CURVATURE : CURVATURE + 2] *= 1.0 + x * (2.0 * b + 3.0 * c * x)
    E[:, CURVATURE : CURVATURE + 2] += x * x * (b + c * x)
    return np.asarray(E + tau[:, None] * growth)


class Strains(NamedTuple):
    """Rows of the eight strains in the axes of the material, ``(n_e, n_g, 8, 16)``, and the surface there.

    ``area (n_e, n_g)`` of the surface by that of the square; ``height``: part of D along the normal; ``normals (n_e,
    n_g, 3)``.
    """

    rows: FloatArray
    area: FloatArray
    height: FloatArray
    normals: FloatArray


def strains(nodes: FloatArray, points: FloatArray, axis: FloatArray) -> Strains:
    """Strains at natural coordinates ``points (n_g, 2)``; ``axis (n_e, 3)`` is that of the material."""
    bases, director, normals, area = _surface(nodes, points)
    height = (director * normals).sum(axis=-1)
    first = _projected(np.broadcast_to(axis[:, None], normals.shape), normals, bases[..., 0, :])
    P = _derivatives(bases, normals, first)
    xi, eta = points.T
    rows = np.zeros((*area.shape, 8, 16))
    along = _turning(P) @ _membrane(points)
    rows[..., :3, :6] = along
    rows[..., 3:6, 6:12] = along / height[..., None, None]
    rows[..., 3:6, :6] = _turning(P) @ _shift(nodes, bases, points) @ _membrane(points) / height[..., None, None]
    ties = _ties(nodes)
    shares = [0.5 * np.stack((1.0 - t, 1.0 + t), axis=1) for t in (eta, xi)]
    shears = [np.einsum("gi,eik->egk", share, ties[:, 2 * a : 2 * a + 2]) for a, share in enumerate(shares)]
    rows[..., 6:, :] = np.einsum("egab,egak->egbk", P, np.stack(shears, axis=2))
    return Strains(rows, area, height, normals)


class Enhanced(NamedTuple):
    """Enhanced membrane strains M alpha: ``rows (n_e, n_g, 3, n)``; alpha = -``solve (n_e, n, 16)`` times products."""

    rows: FloatArray
    solve: FloatArray


def condensed(
    nodes: FloatArray, axis: FloatArray, C: FloatArray, modes: int, points: FloatArray
) -> tuple[FloatArray, Enhanced]:
    """Stiffness (n_e, 16, 16) of the products without the enhanced strains, and these strains at ``points``."""
    at = strains(nodes, POINTS, axis)
    stress = np.einsum("eij,egjk->egik", C, at.rows)
    D = np.einsum("eg,egik,egil->ekl", at.area, at.rows, stress)
    M = _enhanced(nodes, POINTS, axis, modes)
    H = np.einsum("eg,egia,eij,egjb->eab", at.area, M, C[:, :3, :3], M)
    G = np.einsum("eg,egia,egik->eak", at.area, M, stress[:, :, :3])
    solve = np.linalg.solve(H, G) if modes else G
    D -= np.einsum("eak,eal->ekl", G, solve)
    return 0.5 * (D + D.transpose(0, 2, 1)), Enhanced(_enhanced(nodes, points, axis, modes), solve)


def _surface(nodes: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Bases (n_e, n_g, 2, 3), director, unit normal and area of the stress-free surface."""
    N, dN = bilinear(points)
    bases = np.einsum("gai,eic->egac", dN, nodes[:, :, 0])
    across = np.cross(bases[..., 0, :], bases[..., 1, :])
    area = np.linalg.norm(across, axis=-1)
    return bases, np.einsum("gi,eic->egc", N, nodes[:, :, 1]), across / area[..., None], area


def _projected(axis: FloatArray, normals: FloatArray, fallback: FloatArray) -> FloatArray:
    """Unit projection of the axis on the surface, or that of the fallback where the axis stands along the normal."""
    first = axis - (axis * normals).sum(axis=-1, keepdims=True) * normals
    lost = np.linalg.norm(first, axis=-1, keepdims=True) <= ALONG
    first = np.where(lost, fallback, first)
    return np.asarray(first / np.linalg.norm(first, axis=-1, keepdims=True))


def _derivatives(bases: FloatArray, normals: FloatArray, first: FloatArray) -> FloatArray:
    """Derivatives of xi and eta (rows) along the axes first and n x first (columns)."""
    axes = np.stack((first, np.cross(normals, first)), axis=-2)
    return np.asarray(np.linalg.inv(np.einsum("egac,egbc->egba", bases, axes)))


def _turning(P: FloatArray) -> FloatArray:
    """From (E_xixi, E_etaeta, 2 E_xieta) to (e_11, e_22, 2 e_12), with the derivatives P of xi and eta."""
    a, b, c, d = P[..., 0, 0], P[..., 0, 1], P[..., 1, 0], P[..., 1, 1]
    rows = [(a * a, c * c, a * c), (b * b, d * d, b * d), (2.0 * a * b, 2.0 * c * d, a * d + b * c)]
    return np.asarray(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2))


def _shift(nodes: FloatArray, bases: FloatArray, points: FloatArray) -> FloatArray:
    """Minus the symmetric part of b_alpha^gamma E_gammabeta: from (E_xixi, E_etaeta, 2 E_xieta) to the curvatures."""
    b = _components(bases, np.einsum("gai,eic->egac", bilinear(points)[1], nodes[:, :, 1]))
    zero = 0.0 * b[..., 0, 0]
    rows = [
        (-b[..., 0, 0], zero, -0.5 * b[..., 0, 1]),
        (zero, -b[..., 1, 1], -0.5 * b[..., 1, 0]),
        (-b[..., 1, 0], -b[..., 0, 1], -0.5 * (b[..., 0, 0] + b[..., 1, 1])),
    ]
    return np.asarray(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2))


def _components(bases: FloatArray, vectors: FloatArray) -> FloatArray:
    """Components (n_e, n_g, m, 2) along the bases of vectors (n_e, n_g, m, 3)."""
    metric = np.einsum("egac,egbc->egab", bases, bases)
    return np.asarray(np.linalg.solve(metric, np.einsum("egac,egmc->egam", bases, vectors)).swapaxes(-1, -2))


def _membrane(points: FloatArray) -> FloatArray:
    """Rows (n_g, 3, 6) of E_xixi, E_etaeta, 2 E_xieta in the first six products."""
    xi, eta = points.T
    one, zero = 1.0 + 0.0 * xi, 0.0 * xi
    return np.stack(
        [
            np.stack((one, zero, zero, eta, zero, eta * eta), axis=-1),
            np.stack((zero, one, zero, zero, xi, xi * xi), axis=-1),
            np.stack((zero, zero, one, xi, eta, 2.0 * xi * eta), axis=-1),
        ],
        axis=1,
    )


def _ties(nodes: FloatArray) -> FloatArray:
    """Rows (n_e, 4, 16) of (Gamma_alpha - E_alphabeta D^beta) / D_n: two along xi, two along eta."""
    bases, director, normals, _ = _surface(nodes, TIES)
    height = (director * normals).sum(axis=-1)
    skew = _components(bases, director[:, :, None])[:, :, 0]
    E = _membrane(TIES)
    rows = np.zeros((len(nodes), 4, 16))
    rows[:, range(4), range(12, 16)] = 1.0
    # along xi: E_xixi D^xi + E_xieta D^eta; along eta: E_etaeta D^eta + E_xieta D^xi
    rows[:, :2, :6] -= E[:2, 0] * skew[:, :2, :1] + 0.5 * E[:2, 2] * skew[:, :2, 1:]
    rows[:, 2:, :6] -= E[2:, 1] * skew[:, 2:, 1:] + 0.5 * E[2:, 2] * skew[:, 2:, :1]
    return np.asarray(rows / height[..., None])


def _enhanced(nodes: FloatArray, points: FloatArray, axis: FloatArray, modes: int) -> FloatArray:
    """Rows (n_e, n_g, 3, modes) in the axes of the material; without mean over the element."""
    bases, _, normals, area = _surface(nodes, points)
    centre, _, normal, middle = _surface(nodes, np.zeros((1, 2)))
    element = _projected(np.broadcast_to(centre[:, :, 0], normals.shape), normals, bases[..., 0, :])
    material = _projected(np.broadcast_to(axis[:, None], normals.shape), normals, bases[..., 0, :])
    first = _projected(centre[:, :, 0], normal, centre[:, :, 0])
    own, other = (np.stack((t, np.cross(normals, t)), axis=-2) for t in (element, material))
    to_element = _turning(_derivatives(centre, normal, first))
    to_material = _turning(np.einsum("egac,egbc->egab", own, other))
    xi, eta = points.T
    zero = 0.0 * xi
    columns = {
        0: [],
        4: [(xi, zero, zero), (zero, eta, zero), (zero, zero, xi), (zero, zero, eta)],
        5: [(xi * eta, -xi * eta, xi * xi - eta * eta)],
        7: [(xi * eta, zero, zero), (zero, xi * eta, zero), (zero, zero, xi * eta)],
    }
    chosen = [] if modes == 0 else columns[4] + (columns[modes] if modes > 4 else [])
    field = np.array(chosen).reshape(modes, 3, len(points)).transpose(2, 1, 0)
    return np.asarray((middle / area)[..., None, None] * (to_material @ to_element @ field))
