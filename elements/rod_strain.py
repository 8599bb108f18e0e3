"""Interpolation and strains of rods with directors over whole groups, as arrays: what descriptions and outputs need.

Nodes are in the order of the cell: start, end, middle. ``nodes (n_e, nn, 3, 3)`` are their vectors r, d2, d3.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.strain_rates import strain_rates

__all__ = ["on_positions", "rod_metric", "rod_shape", "rod_strain_rates", "rod_strains"]


def rod_shape(xi: FloatArray, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Lagrange's polynomials of two or three nodes and their derivatives by xi, each (n, nodes)."""
    x = np.asarray(xi, dtype=float)
    if nodes == 2:
        N, N1 = [0.5 * (1.0 - x), 0.5 * (1.0 + x)], [0.0 * x - 0.5, 0.0 * x + 0.5]
    else:
        N, N1 = [0.5 * x * (x - 1.0), 0.5 * x * (x + 1.0), 1.0 - x * x], [x - 0.5, x + 0.5, -2.0 * x]
    return np.ascontiguousarray(np.stack(N, axis=-1)), np.ascontiguousarray(np.stack(N1, axis=-1))


def rod_metric(nodes: FloatArray, xi: FloatArray) -> FloatArray:
    """ds/dxi (n_e, n) of the axis."""
    slope = np.einsum("gi,eic->egc", rod_shape(xi, nodes.shape[1])[1], nodes[..., 0, :])
    return np.asarray(np.linalg.norm(slope, axis=-1))


def rod_strains(nodes: FloatArray, J: FloatArray, N: FloatArray, N1: FloatArray) -> FloatArray:
    """The six strains (n_e, n, 6) of `flexmbs.elements.director_strain`, not less those of the stress-free shape."""
    value = np.einsum("gi,eikc->egkc", N, nodes)
    slope = np.einsum("gi,eikc->egkc", N1, nodes) / J[..., None, None]
    d2, d3 = value[..., 1, :], value[..., 2, :]
    c = np.linalg.norm(d3, axis=-1)
    normal = np.cross(d2, d3)
    t1 = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    t3 = d3 / c[..., None]
    t2 = np.cross(t3, t1)
    a, b = (d2 * t2).sum(axis=-1), (d2 * t3).sum(axis=-1)
    gamma = np.stack([(slope[..., 0, :] * t).sum(axis=-1) for t in (t1, t2, t3)], axis=-1)
    k2 = (slope[..., 2, :] * t1).sum(axis=-1) / c
    k1 = -(slope[..., 2, :] * t2).sum(axis=-1) / c
    k3 = (b * k2 - (slope[..., 1, :] * t1).sum(axis=-1)) / a
    e = np.concatenate((gamma, np.stack((k1, k2, k3), axis=-1)), axis=-1)
    e[..., 0] -= 1.0
    return np.ascontiguousarray(e)


def rod_strain_rates(nodes: FloatArray, rate: FloatArray, J: FloatArray, N: FloatArray, N1: FloatArray) -> FloatArray:
    """Rates (n_e, n, 6) of `rod_strains` where the vectors of the nodes move with ``rate (n_e, nn, 3, 3)``."""
    n_e, nn = nodes.shape[:2]
    size = np.ones((n_e, nn, 3))
    size[..., 0] = J.mean(axis=1, keepdims=True)

    def strains(x: FloatArray) -> FloatArray:
        return rod_strains(x.reshape(nodes.shape), J, N, N1)

    x, x_t = nodes.reshape(n_e, 3 * nn, 3), rate.reshape(n_e, 3 * nn, 3)
    return strain_rates(strains, x, x_t, slice(0, None, 3), size.reshape(n_e, 3 * nn))


def on_positions(shape: tuple[FloatArray, FloatArray], n_e: int, each: int) -> tuple[FloatArray, FloatArray]:
    """Functions of nodes and their derivatives, each (n_s, nn), as those (n_e, n_s, each nn) of all vectors of rods.

    Every node has ``each`` vectors, the first of which is its position; the others do not move the axis.
    """
    found = []
    for table in shape:
        whole = np.zeros((n_e, len(table), each * table.shape[1]))
        whole[..., ::each] = table
        found.append(whole)
    return found[0], found[1]
