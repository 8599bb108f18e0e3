"""Quadrature on tetrahedra and hexahedra, with the shape functions at the points tabulated once per cell type."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.elements.quadrature import Gauss
from flexmbs.meshes.cells import cell_type, gradients, shapes

__all__ = ["Rule", "extrapolation", "hexahedron_points", "rule", "tetra_points"]


class Rule(NamedTuple):
    """Points of a quadrature on the reference cell and what the shape functions are there.

    ``xi (n_g, 3)`` points, ``weights (n_g,)``, ``shapes (n_g, n_a)`` and ``gradients (n_g, n_a, 3)`` with respect to
    xi.
    """

    xi: FloatArray
    weights: FloatArray
    shapes: FloatArray
    gradients: FloatArray


def tetra_points(degree: int) -> tuple[FloatArray, FloatArray]:
    """Points (n_g, 3) and weights (n_g,) on the unit tetrahedron: 1, 4 or 15 points for degree 1, 2 or 5.

    The weights add up to 1/6. All are positive and all points lie inside.

    Source: A. H. Stroud, Approximate Calculation of Multiple Integrals, 1971, formulas T3: 1-1, 2-1 and 5-1.
    """
    root = np.sqrt(15.0)
    if degree == 1:
        orbits = [((0.25, 0.25, 0.25, 0.25), 1.0 / 6.0)]
    elif degree == 2:
        a = (5.0 - np.sqrt(5.0)) / 20.0
        orbits = [((a, a, a, 1.0 - 3.0 * a), 1.0 / 24.0)]
    elif degree == 5:
        a, b, c = (7.0 - root) / 34.0, (7.0 + root) / 34.0, (5.0 - root) / 20.0
        orbits = [
            ((0.25, 0.25, 0.25, 0.25), 8.0 / 405.0),
            ((a, a, a, 1.0 - 3.0 * a), (2665.0 + 14.0 * root) / 226800.0),
            ((b, b, b, 1.0 - 3.0 * b), (2665.0 - 14.0 * root) / 226800.0),
            ((c, c, 0.5 - c, 0.5 - c), 5.0 / 567.0),
        ]
    else:
        raise ValueError(f"tetra_points: no rule of degree {degree}")
    points, weights = [], []
    for orbit, weight in orbits:
        different = sorted(set(permutations(orbit)))
        points += [p[:3] for p in different]
        weights += [weight] * len(different)
    return np.array(points), np.array(weights)


def hexahedron_points(n: int) -> tuple[FloatArray, FloatArray]:
    """Points (n^3, 3) and weights (n^3,) of the product of n Gauss points on [-1, 1]: degree 2 n - 1 each way."""
    x, w = Gauss(n).rule()
    z, y, x = (axis.ravel() for axis in np.meshgrid(x, x, x, indexing="ij"))
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel()
    return np.column_stack([x, y, z]), weights


@cache
def rule(name: str, number: int) -> Rule:
    """The rule of a cell type: of that degree on tetrahedra, with that many points each way on hexahedra."""
    kind = cell_type(name)
    xi, weights = tetra_points(number) if kind.simplex else hexahedron_points(number)
    return Rule(*(frozen_copy(array) for array in (xi, weights, shapes(kind, xi), gradients(kind, xi))))


@cache
def extrapolation(name: str, number: int) -> FloatArray:
    """Values at the nodes of a cell (n_a, n_g) from those at the points of `rule`, one point or one per corner.

    The values are taken to be constant (one point), linear (tetrahedra) or trilinear (hexahedra).
    """
    kind = cell_type(name)
    xi = rule(name, number).xi
    if len(xi) == 1:
        return frozen_copy(np.ones((kind.n_nodes, 1)))
    linear = cell_type(kind.linear)
    return frozen_copy(shapes(linear, kind.nodes) @ np.linalg.inv(shapes(linear, xi)))
