"""The cell types: reference nodes, shape functions, quadrature and the maps of a cell onto its children.

On the reference cell, with monomials m_b of the exponents listed here and nodes xi_a,

    N_a(xi) = sum_b C_ba m_b(xi),      C = V^-1,      V_ab = m_b(xi_a)

so that N_a(xi_b) = delta_ab. Lines, quadrilaterals and hexahedra live on [-1, 1]^d, triangles and tetrahedra on the
unit simplex. Nodes are numbered as in VTK: corners first, then edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import frozen_copy, is_among
from flexmbs.core.errors import MeshError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CELL_TYPES", "CellType", "cell_type", "gradients", "local_faces", "measures", "quadrature", "shapes"]

LINE = ((-1,), (1,))
TRIANGLE = ((0, 0), (1, 0), (0, 1))
QUAD = ((-1, -1), (1, -1), (1, 1), (-1, 1))
TETRA = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
HEXAHEDRON = tuple((*corner, z) for z in (-1, 1) for corner in QUAD)
TRIANGLE_EDGES = ((0, 1), (1, 2), (2, 0))
QUAD_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
TETRA_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
HEXAHEDRON_EDGES = (*QUAD_EDGES, (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
FACES = {
    "tetra": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    "hexahedron": ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
}
FACE_EDGES = {"tetra": TETRA_EDGES, "hexahedron": HEXAHEDRON_EDGES}


@dataclass(frozen=True, eq=False)
class CellType:
    """What is known of a cell type before any mesh.

    Parameters
    ----------
    name : str
        The name as meshio has it.
    dim : int
        1 for lines, 2 for surfaces, 3 for solids.
    linear : str
        The type with the same corners and no other nodes.
    nodes : (n_a, dim) array
        Reference coordinates of the nodes.
    exponents : (n_a, dim) array
        Exponents of the monomials that span the shape functions.
    ideal : (dim, dim) array
        Jacobian of the map from the reference cell to the best shaped one: square, cube or equilateral simplex.
    """

    name: str
    dim: int
    linear: str
    nodes: NDArray[np.float64]
    exponents: NDArray[np.int64]
    ideal: NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        """The number of nodes of a cell."""
        return len(self.nodes)

    @property
    def simplex(self) -> bool:
        """Whether it is a triangle or a tetrahedron."""
        return self.linear in ("triangle", "tetra")

    @property
    def n_corners(self) -> int:
        """The number of corners of a cell."""
        return self.dim + 1 if self.simplex else int(2**self.dim)


def cell_type(name: str) -> CellType:
    """The cell type of a name, or a `MeshError` with the known ones."""
    if not is_among(name, CELL_TYPES):
        raise MeshError(unknown_name("cell type", name, CELL_TYPES))
    return CELL_TYPES[name]


def shapes(kind: CellType, xi: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shape functions (m, n_a) at the reference points xi (m, dim)."""
    return _monomials(kind.exponents, xi) @ _coefficients(kind.name)


def gradients(kind: CellType, xi: NDArray[np.float64]) -> NDArray[np.float64]:
    """The derivatives dN_a/dxi_i (m, n_a, dim) at the reference points xi (m, dim)."""
    out = np.empty((len(xi), kind.n_nodes, kind.dim))
    for axis in range(kind.dim):
        lowered = kind.exponents.copy()
        lowered[:, axis] = np.maximum(lowered[:, axis] - 1, 0)
        out[:, :, axis] = (_monomials(lowered, xi) * kind.exponents[:, axis]) @ _coefficients(kind.name)
    return out


@cache
def quadrature(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (m, dim) and weights (m,) that integrate det J of a planar or solid cell of this type exactly."""
    kind = CELL_TYPES[name]
    orders = {"line": 1, "line3": 8, "quad": 2, "hexahedron": 2, "triangle": 2, "tetra": 2}
    order = orders.get(name, 4 if kind.dim < 3 else 3)
    x, w = np.polynomial.legendre.leggauss(order)
    grid = np.array(list(product(x, repeat=kind.dim)))
    weights = np.array(list(product(w, repeat=kind.dim))).prod(axis=1)
    if not kind.simplex:
        return frozen_copy(grid), frozen_copy(weights)
    # the square or cube is collapsed onto the simplex; the Jacobian of that map joins the weights
    u = (grid + 1) / 2
    weights = weights / 2**kind.dim
    points = u.copy()
    for axis in range(1, kind.dim):
        rest = (1 - u[:, :axis]).prod(axis=1)
        points[:, axis] = u[:, axis] * rest
        weights = weights * rest
    return frozen_copy(points), frozen_copy(weights)


@cache
def local_faces(name: str) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Type of the faces of a solid cell type, and their nodes within the cell, corners first, outward normals."""
    kind = cell_type(name)
    corners = FACES[kind.linear]
    quadratic = kind.n_nodes > kind.n_corners
    if not quadratic:
        return {3: "triangle", 4: "quad"}[len(corners[0])], corners
    middle = {frozenset(edge): kind.n_corners + i for i, edge in enumerate(FACE_EDGES[kind.linear])}
    full = tuple(
        (*face, *(middle[frozenset((face[i], face[(i + 1) % len(face)]))] for i in range(len(face))))
        for face in corners
    )
    return {3: "triangle6", 4: "quad8"}[len(corners[0])], full


def measures(jacobians: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scale of length, area or volume of Jacobians (..., space, dim): signed where a cell fills its space."""
    space, dim = jacobians.shape[-2:]
    if dim == 1:
        return np.asarray(np.linalg.norm(jacobians[..., 0], axis=-1))
    if space == dim == 2:
        return jacobians[..., 0, 0] * jacobians[..., 1, 1] - jacobians[..., 0, 1] * jacobians[..., 1, 0]
    normal = np.cross(jacobians[..., 0], jacobians[..., 1])
    if dim == 2:
        return np.asarray(np.linalg.norm(normal, axis=-1))
    return np.asarray((normal * jacobians[..., 2]).sum(axis=-1))


def _monomials(exponents: NDArray[np.int64], xi: NDArray[np.float64]) -> NDArray[np.float64]:
    """The monomials (m, n_b) at the points xi (m, dim)."""
    return np.asarray((xi[:, None, :] ** exponents[None, :, :]).prod(axis=2))


@cache
def _coefficients(name: str) -> NDArray[np.float64]:
    """The matrix C (n_b, n_a) that turns monomials into shape functions."""
    kind = CELL_TYPES[name]
    return frozen_copy(np.linalg.inv(_monomials(kind.exponents, kind.nodes)))


def _kind(
    name: str,
    linear: str,
    corners: tuple[tuple[int, ...], ...],
    edges: tuple[tuple[int, int], ...] = (),
    centre: bool = False,
) -> CellType:
    """A cell type from its corners, its edges with a node in the middle, and whether there is a node at the centre."""
    nodes = np.array(corners, dtype=np.float64)
    dim = nodes.shape[1]
    middles = [(nodes[a] + nodes[b]) / 2 for a, b in edges]
    nodes = np.vstack([nodes, *middles, *([np.zeros(dim)] if centre else [])])
    degree = 2 if edges else 1
    powers = product(range(degree + 1), repeat=dim)
    if linear in ("triangle", "tetra"):
        exponents = [p for p in powers if sum(p) <= degree]
        third = np.array([[1, 0.5, 0.5], [0, np.sqrt(0.75), np.sqrt(1 / 12)], [0, 0, np.sqrt(2 / 3)]])
        ideal = third[:dim, :dim]
    else:
        # without a node at the centre (serendipity) at most one variable of a monomial is squared
        exponents = [p for p in powers if centre or dim == 1 or p.count(2) <= 1]
        ideal = np.eye(dim)
    return CellType(name, dim, linear, frozen_copy(nodes), frozen_copy(np.array(exponents)), frozen_copy(ideal))


CELL_TYPES = {
    kind.name: kind
    for kind in (
        _kind("line", "line", LINE),
        _kind("line3", "line", LINE, ((0, 1),)),
        _kind("triangle", "triangle", TRIANGLE),
        _kind("triangle6", "triangle", TRIANGLE, TRIANGLE_EDGES),
        _kind("quad", "quad", QUAD),
        _kind("quad8", "quad", QUAD, QUAD_EDGES),
        _kind("quad9", "quad", QUAD, QUAD_EDGES, centre=True),
        _kind("tetra", "tetra", TETRA),
        _kind("tetra10", "tetra", TETRA, TETRA_EDGES),
        _kind("hexahedron", "hexahedron", HEXAHEDRON),
        _kind("hexahedron20", "hexahedron", HEXAHEDRON, HEXAHEDRON_EDGES),
    )
}
