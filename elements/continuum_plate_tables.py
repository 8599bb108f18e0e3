"""Tables of the fully parameterised plate: interpolation, gradients, elasticity, and points of its integrals.

With x, y in [0, 1] on the cell, z from the middle surface, cubics H of Hermite and linear functions l the position is

    r = sum_n (H_n(x, y) r_n + H_xn r_x,n + H_yn r_y,n + l_n z r_z,n),

without a mixed slope, so that d2r/dxdy is zero at the nodes; or, with ``twist``, it is there what the slopes of the
neighbours tell,

    r_xy(i, j) = r_y(1, j) - r_y(0, j) + r_x(i, 1) - r_x(i, 0) - (r(1, 1) - r(1, 0) - r(0, 1) + r(0, 0)),

exact for xy, x^2 y, x y^2, x^3 y and x y^3. Edges stay what they are. Nodes are at (0, 0), (1, 0), (1, 1), (0, 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.elements import hermite
from flexmbs.elements.cell_slopes import turned
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.meshes.surface import tangents_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "NODES",
    "Middle",
    "cell_grid",
    "elasticity",
    "gradients",
    "local_axes",
    "mid_surface",
    "plate_points",
    "ties",
]

NODES = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
"""Corners of the cell in (x, y)."""
ACROSS = (((0, 6), (1, 9)), ((3, 8), (2, 11)), ((0, 0), (3, 3)), ((1, 2), (2, 5)))
"""For each edge of the cell (`flexmbs.elements.cell_slopes`) its corners, and the tied shears across it there."""


class Middle(NamedTuple):
    """The stress-free middle surface.

    ``reference (n_e, 48)``; ``slopes`` those of the cells in the frames of the nodes; ``axis (3,)`` of the material.
    """

    reference: FloatArray
    slopes: FloatArray
    axis: FloatArray
    twist: bool


def _shapes(x: FloatArray, y: FloatArray, twist: bool) -> FloatArray:
    """(3, n, 16): functions of the vectors r, r_x, r_y of the nodes, and their derivatives by x and y."""
    (Hx, Hx1, _), (Hy, Hy1, _) = hermite.shape(x), hermite.shape(y)
    N = np.zeros((3, len(x), 16))
    for table, (X, Y) in zip(N, ((Hx, Hy), (Hx1, Hy), (Hx, Hy1)), strict=True):
        for n, (i, j) in enumerate(NODES):
            table[:, 4 * n] += X[:, 2 * i] * Y[:, 2 * j]
            table[:, 4 * n + 1] += X[:, 2 * i + 1] * Y[:, 2 * j]
            table[:, 4 * n + 2] += X[:, 2 * i] * Y[:, 2 * j + 1]
            if twist:
                table += np.outer(X[:, 2 * i + 1] * Y[:, 2 * j + 1], _mixed(i, j))
    return N


def _mixed(i: int, j: int) -> FloatArray:
    """(16,): factors of the vectors r, r_x, r_y of the nodes in the mixed derivative at the corner (i, j)."""
    factors = np.zeros(16)
    for n, (k, m) in enumerate(NODES):
        factors[4 * n] = -1.0 if k == m else 1.0
        if k == i:
            factors[4 * n + 1] = 1.0 if m else -1.0
        if m == j:
            factors[4 * n + 2] = 1.0 if k else -1.0
    return factors


def _across(x: FloatArray, y: FloatArray) -> FloatArray:
    """(3, n, 16): functions of r_z at the nodes, and their derivatives by x and y."""
    L = np.zeros((3, len(x), 16))
    for n, (i, j) in enumerate(NODES):
        X, Y = (x if i else 1.0 - x), (y if j else 1.0 - y)
        L[:, :, 4 * n + 3] = X * Y, (1.0 if i else -1.0) * Y, X * (1.0 if j else -1.0)
    return L


def mid_surface(slopes: FloatArray, twist: bool, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Functions of the nodal coordinates (n_e, 3, n, 16): of r with its derivatives by x and y, and of r_z with its."""
    return turned(_shapes(x, y, twist)[None], slopes), turned(_across(x, y)[None], slopes)


def cell_grid(rule: Gauss | Lobatto) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points x, y in [0, 1] and weights of a rule in both directions."""
    s, w = rule.rule()
    x, y = (p.ravel() for p in np.meshgrid(0.5 * (1.0 + s), 0.5 * (1.0 + s), indexing="ij"))
    return x, y, 0.25 * np.multiply.outer(w, w).ravel()


def local_axes(G: FloatArray, axis: FloatArray) -> FloatArray:
    """Rows (..., 3, 3): tangents, the first along the projection of ``axis``, and normal of vectors G_x, G_y (rows)."""
    n = np.cross(G[..., 0, :], G[..., 1, :])
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    t = tangents_along(n, tuple(axis.tolist()))
    return np.stack((t, np.cross(n, t), n), axis=-2)


def gradients(middle: Middle, x: FloatArray, y: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """phi (n_e, n_p, 3, 16), the deformation gradient in local axes, and dV/(dx dy dz); z (n_p,) [length]."""
    N, L = mid_surface(middle.slopes, middle.twist, x, y)
    S = np.stack((N[:, 1] + z[:, None] * L[:, 1], N[:, 2] + z[:, None] * L[:, 2], L[:, 0]), axis=2)
    G = np.einsum("epki,eic->epkc", S, middle.reference.reshape(-1, 16, 3))
    R = local_axes(G, middle.axis)
    J = np.einsum("epac,epkc->epak", R, G)
    phi = np.einsum("epka,epki->epai", np.linalg.inv(J), S)
    return np.ascontiguousarray(phi), np.ascontiguousarray(np.linalg.det(J))


def plate_points(
    h: float, split: bool, nodal: bool, assumed: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """x, y, z, weights and kinds of points: 0 plane stress (and shear), 1 the law of thickness; one kind if printed."""
    x, y, w = cell_grid(Gauss(3) if assumed else Gauss(4))
    through = Gauss(2 if split else 3).rule()
    grids = [(x, y, w, *through, 0)]
    if split or nodal:
        corners = (NODES[:, 0].astype(float), NODES[:, 1].astype(float), np.full(4, 0.25))
        middle = np.zeros(1), np.full(1, 2.0)
        grids.append((*(corners if nodal else (x, y, w)), *(middle if split else through), 1))
    columns = []
    for x, y, w, s, ws, kind in grids:
        n, m = len(x), len(s)
        columns.append((np.repeat(x, m), np.repeat(y, m), np.tile(0.5 * h * s, n),
                        np.outer(w, 0.5 * h * ws).ravel(), np.full(n * m, kind)))  # fmt: skip
    x, y, z, w, kinds = (np.concatenate(c) for c in zip(*columns, strict=True))
    return x, y, z, w, kinds.astype(np.int64)


def elasticity(Q: FloatArray, shear: FloatArray, E: float, nu: float, one: bool, assumed: bool) -> FloatArray:
    """Elasticity matrices (2, 6, 6): plane stress Q (3, 3) with shears (2, 2), and the law of thickness.

    The order is 11, 22, 33, 12, 23, 13; with ``one`` the first is the sum of both. An isotropic solid has
    the energy of plane stress and M (E_33 + nu/(1 - nu) (E_11 + E_22))^2 / 2.
    """
    C = np.zeros((2, 6, 6))
    C[np.ix_([0], [0, 1, 3], [0, 1, 3])] = Q
    if not assumed:
        C[np.ix_([0], [5, 4], [5, 4])] = shear
    v = np.array([nu / (1.0 - nu), nu / (1.0 - nu), 1.0])
    C[1, :3, :3] = E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)) * np.outer(v, v)
    if one:
        C[0] += C[1]
    return C


def _tie_points() -> tuple[FloatArray, FloatArray, IntArray]:
    """x, y (12,) and direction: Lobatto 3 along both edges in the direction of x, then of y."""
    s = 0.5 * (1.0 + Lobatto(3).rule()[0])
    along, edge = np.tile(s, 2), np.repeat([0.0, 1.0], 3)
    return np.append(along, edge), np.append(edge, along), np.repeat([0, 1], 6)


def interpolated(x: FloatArray, y: FloatArray) -> FloatArray:
    """(n, 2, 12): shears by x and y at (x, y) of the tied ones, quadratic along the edges and linear across."""
    P = np.zeros((len(x), 2, 12))
    for k, (s, t) in enumerate(((x, y), (y, x))):
        lagrange = np.stack(((2 * s - 1) * (s - 1), 4 * s * (1 - s), s * (2 * s - 1)), axis=1)
        P[:, k, 6 * k : 6 * k + 3] = (1.0 - t)[:, None] * lagrange
        P[:, k, 6 * k + 3 : 6 * k + 6] = t[:, None] * lagrange
    return P


def shear_rows(middle: Middle, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(n_e, n, 2, 12): shears gamma_13, gamma_23 in local axes of the tied ones; and areas dA/(dx dy)."""
    N, _ = mid_surface(middle.slopes, middle.twist, x, y)
    G = np.einsum("ekpi,eic->epkc", N[:, 1:], middle.reference.reshape(-1, 16, 3))
    R = local_axes(G, middle.axis)
    J = np.einsum("epac,epkc->epak", R[..., :2, :], G)
    return np.einsum("epka,pkt->epat", np.linalg.inv(J), interpolated(x, y)), np.linalg.det(J)


def ties(
    middle: Middle,
    shear: FloatArray,
    held: float,
    folded: NDArray[np.bool_],
    assumed: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Tables ``tie``, ``g0`` and ``H`` of `flexmbs.elements.tied_kernels`; empty ones if shears are not assumed.

    At edges that are ``folded (n_e, 4)`` the shear across has the stiffness ``held`` per length in addition.
    """
    n_e, slopes = len(middle.reference), middle.slopes
    if not assumed:
        return np.zeros((n_e, 0, 2, 16)), np.zeros((n_e, 0)), np.zeros((n_e, 0, 0))
    x, y, direction = _tie_points()
    N, L = mid_surface(slopes, middle.twist, x, y)
    along = np.where(direction[None, :, None] == 0, N[:, 1], N[:, 2])
    tie = np.stack((along, L[:, 0]), axis=2)
    a = np.einsum("etki,eic->etkc", tie, middle.reference.reshape(-1, 16, 3))
    x, y, w = cell_grid(Gauss(3))
    P, area = shear_rows(middle, x, y)
    H = np.einsum("ep,p,epat,ab,epbs->ets", area, w, P, shear, P)
    size = np.linalg.norm(slopes[:, :, :2], axis=3)
    for edge, across in enumerate(ACROSS):
        for corner, t in across:
            k = 0 if edge < 2 else 1
            share = 0.5 * held * size[:, corner, k] / size[:, corner, 1 - k] ** 2
            H[:, t, t] += np.where(folded[:, edge], share, 0.0)
    return np.ascontiguousarray(tie), (a[:, :, 0] * a[:, :, 1]).sum(axis=2), 0.5 * (H + H.transpose(0, 2, 1))
