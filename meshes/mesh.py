"""The mesh: points, blocks of cells, named sets and data at the points, none of which ever changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_array, as_count, as_name, as_number, frozen_copy, is_among, show
from flexmbs.core.errors import MeshError, unknown_name
from flexmbs.meshes.block import CellBlock
from flexmbs.meshes.cells import cell_type, gradients, measures, quadrature, shapes
from flexmbs.meshes.combine import Plain, extract, join
from flexmbs.meshes.quadratic import raise_degree
from flexmbs.meshes.refine import refine
from flexmbs.meshes.sets import as_cell_sets, as_named, as_node_sets, as_pairs, as_sequence, chosen

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["SMALLEST", "Mesh", "check_range"]

SMALLEST, LARGEST = 1e-50, 1e50
"""Lengths whose sixth powers, in the curvature of elements, are numbers."""


def check_range(owner: str, points: NDArray[np.float64]) -> None:
    """Refuse coordinates that are too large to compute with."""
    far = np.abs(points).max(axis=1)
    if far.max() > LARGEST:
        n = int(np.argmax(far))
        raise MeshError(
            f"{owner}: point {n} has the coordinates {points[n].tolist()}; they must be at most {LARGEST:g}, so that "
            f"powers of lengths are numbers. Give them in another unit."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Hinted):
    """Points, cells, named sets of points and of cells, and data at the points.

    All arrays are read-only copies of what was passed and every method returns a new mesh.

    Parameters
    ----------
    points : (n_p, dim) array
        Coordinates in the plane (dim 2) or in space (dim 3), in any unit of length. Points without cells are allowed.
    cells : sequence of CellBlock or of (type, nodes) pairs
        The blocks of cells; several blocks may have one type.
    node_sets : mapping of str to array of int, optional
        Numbers of points by name; kept sorted and without repetition.
    cell_sets : mapping of str to sequence of arrays of int, optional
        By name, the numbers of cells within each block: one array per block, which may be empty.
    point_data : mapping of str to (n_p, k) array, optional
        Values at the points. ``"tangent"`` holds unit vectors (n_p, dim) along the curve that line cells describe.

    Raises
    ------
    MeshError
        If there is no point or cell, a number is out of range, a set is empty, a tangent is not of unit length, or
        cells do not fit in the space (a solid in the plane).

    Examples
    --------
    >>> mesh = Mesh([(0, 0), (2, 0), (2, 1), (0, 1)], [("quad", [[0, 1, 2, 3]])], node_sets={"bottom": [0, 1]})
    >>> mesh
    Mesh of dimension 2: 4 points; 1 quad; node sets 'bottom' (2)
    >>> float(mesh.cell_sizes[0][0]), mesh.refined().node_set("bottom").tolist()
    (2.0, [0, 1, 4])
    """

    points: NDArray[np.float64]
    cells: tuple[CellBlock, ...]
    node_sets: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    cell_sets: Mapping[str, tuple[NDArray[np.int64], ...]] = field(default_factory=dict)
    point_data: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        points = as_array("mesh", "points", self.points, (None, None), unit="length")
        if points.shape[1] not in (2, 3) or not len(points):
            raise MeshError(f"mesh: points must have shape (any, 2) or (any, 3), any > 0, not {points.shape}.")
        check_range("mesh", points)
        blocks = tuple(b if isinstance(b, CellBlock) else CellBlock(*b) for b in as_pairs(self.cells))
        for block in blocks:
            if cell_type(block.cell_type).dim > points.shape[1]:
                raise MeshError(f"mesh: cells of type {block.cell_type!r} need points in space, not (any, 2).")
            if block.nodes.max() >= len(points):
                cell = int(np.argmax(block.nodes.max(axis=1)))
                raise MeshError(
                    f"mesh: {block.cell_type} cell {cell} names the point {block.nodes.max()}, but the last of the "
                    f"{len(points)} points is {len(points) - 1} (numbers start at 0)."
                )
        nodes = as_node_sets(self.node_sets, len(points))
        cells = as_cell_sets(self.cell_sets, [block.n_cells for block in blocks])
        data = {
            name: frozen_copy(as_array("mesh", f"point data {name!r}", values, (len(points), None)))
            for name, values in as_named("point data", self.point_data).items()
        }
        if "tangent" in data:
            tangents = as_array("mesh", "point data 'tangent'", data["tangent"], points.shape)
            wrong = np.flatnonzero(np.abs(np.linalg.norm(tangents, axis=1) - 1.0) > 1e-6)
            if len(wrong):
                raise MeshError(
                    f"mesh: point data 'tangent' must hold unit vectors, but that of point {wrong[0]} is "
                    f"{tangents[wrong[0]].tolist()}."
                )
        object.__setattr__(self, "points", frozen_copy(points))
        object.__setattr__(self, "cells", blocks)
        object.__setattr__(self, "node_sets", MappingProxyType(nodes))
        object.__setattr__(self, "cell_sets", MappingProxyType(cells))
        object.__setattr__(self, "point_data", MappingProxyType(data))

    def __reduce__(self) -> tuple[Any, ...]:
        # read-only views of mappings cannot be copied or sent to another process, plain ones can
        return Mesh, (self.points, self.cells, dict(self.node_sets), dict(self.cell_sets), dict(self.point_data))

    def __repr__(self) -> str:
        parts = [f"{self.n_points} points", ", ".join(f"{block.n_cells} {block.cell_type}" for block in self.cells)]
        if self.node_sets:
            parts.append("node sets " + ", ".join(f"{name!r} ({len(m)})" for name, m in self.node_sets.items()))
        if self.cell_sets:
            named = ", ".join(f"{name!r} ({sum(map(len, p))})" for name, p in self.cell_sets.items())
            parts.append("cell sets " + named)
        return f"Mesh of dimension {self.dim}: " + "; ".join(parts)

    @property
    def n_points(self) -> int:
        """The number of points."""
        return len(self.points)

    @property
    def n_cells(self) -> int:
        """The number of cells of all blocks."""
        return sum(block.n_cells for block in self.cells)

    @property
    def dim(self) -> int:
        """The number of coordinates of a point, 2 or 3."""
        return int(self.points.shape[1])

    @property
    def cell_sizes(self) -> tuple[NDArray[np.float64], ...]:
        """Length, area or volume of the cells, per block (n_c,).

        The integral of the Jacobian: exact for straight lines, plane surfaces and solids, by Gauss points for curved
        lines and surfaces in space. It is negative for an inverted cell where that can be told: surfaces in the plane
        and solids.
        """
        out = []
        for block in self.cells:
            kind = cell_type(block.cell_type)
            xi, weights = quadrature(block.cell_type)
            jacobians = np.einsum("cad,gai->cgdi", self.points[block.nodes], gradients(kind, xi), optimize=True)
            out.append(measures(jacobians) @ weights)
        return tuple(out)

    @property
    def cell_centres(self) -> tuple[NDArray[np.float64], ...]:
        """Where the cells have their reference centre, per block (n_c, dim)."""
        out = []
        for block in self.cells:
            kind = cell_type(block.cell_type)
            centre = kind.nodes[: kind.n_corners].mean(axis=0, keepdims=True)
            out.append(np.einsum("a,cad->cd", shapes(kind, centre)[0], self.points[block.nodes]))
        return tuple(out)

    def node_set(self, name: str) -> NDArray[np.int64]:
        """The numbers of the points of a set, sorted; an unknown name raises a `MeshError` with the known ones."""
        if not is_among(name, self.node_sets):
            raise MeshError(unknown_name("node set", name, self.node_sets))
        return self.node_sets[name]

    def cell_set(self, name: str) -> tuple[NDArray[np.int64], ...]:
        """The numbers of the cells of a set, one array per block; an unknown name raises a `MeshError`."""
        if not is_among(name, self.cell_sets):
            raise MeshError(unknown_name("cell set", name, self.cell_sets))
        return self.cell_sets[name]

    def with_node_set(self, name: str, nodes: ArrayLike | Callable[[NDArray[np.float64]], NDArray[np.bool_]]) -> Mesh:
        """This mesh with one more (or a replaced) set of points.

        Parameters
        ----------
        name : str
            Its name.
        nodes : array of int, or function
            Numbers of points, or a function of the points (n_p, dim) that returns a mask (n_p,).

        Raises
        ------
        MeshError
            If a number is out of range, the mask has another shape, or nothing is chosen.

        Examples
        --------
        >>> from flexmbs.meshes import rectangle
        >>> rectangle((0, 0), (1, 1), (4, 4)).with_node_set("low", lambda p: p[:, 1] < 0.3).node_set("low").size
        10
        """
        name = as_name("mesh", "the name of a node set", name)
        members = chosen(f"node set {name!r}", nodes(self.points), self.n_points) if callable(nodes) else nodes
        return self._replaced(node_sets={**self.node_sets, name: members})

    def with_cell_set(
        self,
        name: str,
        cells: ArrayLike | Sequence[ArrayLike] | Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    ) -> Mesh:
        """This mesh with one more (or a replaced) set of cells.

        Parameters
        ----------
        name : str
            Its name.
        cells : sequence of arrays of int, array of int, or function
            One array per block; for a mesh of one block also that array alone; or a function of the centres (n_c, dim)
            of the cells of a block that returns a mask (n_c,).

        Raises
        ------
        MeshError
            If a number is out of range, the mask has another shape, or nothing is chosen.

        Examples
        --------
        >>> from flexmbs.meshes import line
        >>> line((0, 0), (1, 0), 4).with_cell_set("first half", lambda c: c[:, 0] < 0.5).cell_set("first half")
        (array([0, 1]),)
        """
        name = as_name("mesh", "the name of a cell set", name)
        if callable(cells):
            parts: Any = [chosen(f"cell set {name!r}", cells(frozen_copy(c)), len(c)) for c in self.cell_centres]
        else:
            alone = len(self.cells) == 1 and all(np.ndim(entry) == 0 for entry in as_sequence("cells", cells))
            parts = [cells] if alone else cells
        return self._replaced(cell_sets={**self.cell_sets, name: parts})

    def refined(self, times: int = 1) -> Mesh:
        """This mesh with every cell split: lines into 2, surfaces into 4, solids into 8 of their own type.

        A new point lies where the shape functions of its cell put it. Two-node lines with point data ``"tangent"`` are
        split on the cubic Hermite curve through their ends with slopes of length c / cos(theta/4)^2 (chord c, angle
        theta between the tangents), which keeps circular arcs on their circle; without tangents, on the chord.

        Sets: the children of a cell are in the sets of that cell. A new point on an edge, on a face or inside a cell is
        in a node set if all points of that edge, face or cell are. Old points keep their numbers and new ones follow;
        the children of cell c are c n ... c n + n - 1. Other point data is interpolated.

        Parameters
        ----------
        times : int
            How often; 0 gives the mesh itself.

        Examples
        --------
        >>> from flexmbs.meshes import box
        >>> box((0, 0, 0), (1, 1, 1), (1, 1, 1)).refined(2).n_cells
        64
        """
        mesh = self
        for _ in range(as_count("refined", "times", times)):
            mesh = _mesh(refine(*mesh._plain()))
        return mesh

    def quadratic(self) -> Mesh:
        """This mesh with a node in the middle of every edge: line3, triangle6, quad8, tetra10, hexahedron20.

        Edges stay straight. Old points keep their numbers and new ones follow; a new point is in a node set if both
        ends of its edge are. Point data is averaged. Raises a `MeshError` if cells are quadratic already.

        Examples
        --------
        >>> from flexmbs.meshes import box
        >>> box((0, 0, 0), (1, 1, 1), (1, 1, 1), "tetra").quadratic()
        Mesh of dimension 3: 27 points; 6 tetra10; node sets 'left' (9), 'right' (9), 'front' (9), 'back' (9), ...
        """
        return _mesh(raise_degree(*self._plain()))

    def transformed(
        self,
        rotation: ArrayLike | None = None,
        translation: ArrayLike | None = None,
        scale: float | None = None,
    ) -> Mesh:
        """This mesh moved: x -> translation + rotation (scale x).

        Tangents turn along; all other point data is kept as it is.

        Parameters
        ----------
        rotation : (dim, dim) array, optional
            An orthogonal matrix with determinant +1 (a reflection would invert the cells).
        translation : (dim,) array, optional
            A displacement, in the unit of the points after scaling.
        scale : float, optional
            A positive factor on all coordinates.

        Raises
        ------
        ModelError
            If the matrix is not a rotation or the factor is not positive.

        Examples
        --------
        >>> from flexmbs.meshes import line
        >>> line((0, 0), (1, 0), 1).transformed([[0, -1], [1, 0]], (2, 0), scale=3).points.tolist()
        [[2.0, 0.0], [2.0, 3.0]]
        """
        points, data = self.points, dict(self.point_data)
        if scale is not None:
            points = points * as_number("transformed", "scale", scale, above=0.0)
        if rotation is not None:
            matrix = as_array("transformed", "rotation", rotation, (self.dim, self.dim))
            error = np.abs(matrix.T @ matrix - np.eye(self.dim)).max()
            if error > 1e-9 or np.linalg.det(matrix) < 0:
                raise MeshError(
                    "transformed: rotation must be orthogonal with determinant +1, but R^T R differs from 1 by "
                    f"{error:.2g} and det R = {np.linalg.det(matrix):.6g}."
                )
            points = points @ matrix.T
            if "tangent" in data:
                data["tangent"] = data["tangent"] @ matrix.T
        if translation is not None:
            points = points + as_array("transformed", "translation", translation, (self.dim,), unit="length")
        return self._replaced(points=points, point_data=data)

    def merged(self, other: Mesh, tolerance: float | None = None) -> Mesh:
        """This mesh and another as one, with their coincident points joined.

        Points of this mesh keep their numbers and places; points of the other one within the tolerance of one of them
        become that point. Points within one mesh are never joined. Cells of one type go into one block, this mesh's
        first. Sets of the same name are united. Point data is kept if both meshes have it and it agrees (to 1e-9) at
        joined points (tangents may be opposite); otherwise it is dropped with a warning.

        Parameters
        ----------
        other : Mesh
            A mesh of the same dimension.
        tolerance : float, optional
            The distance up to which points are joined; by default 1e-9 of the diagonal around both meshes.

        Raises
        ------
        MeshError
            If the dimensions differ or a cell would lose a point.

        Examples
        --------
        >>> from flexmbs.meshes import rectangle
        >>> tee = rectangle((0, 0), (3, 1), (3, 1)).merged(rectangle((1, 1), (1, 2), (1, 2)))
        >>> tee.n_points, len(tee.node_set("top"))
        (12, 6)
        """
        if not isinstance(other, Mesh):
            raise MeshError(f"merged: other must be a Mesh, not {show(other)}.")
        if other.dim != self.dim:
            raise MeshError(f"merged: a mesh of dimension {other.dim} cannot join one of {self.dim}; use in_space().")
        if tolerance is not None:
            tolerance = as_number("merged", "tolerance", tolerance, minimum=0.0, unit="length")
        return _mesh(join(self._plain(), other._plain(), tolerance))

    def extracted(self, cell_set: str) -> Mesh:
        """The cells of a set as a mesh of their own.

        Points and cells are renumbered in their old order; blocks, sets and points with nothing left are dropped.

        Parameters
        ----------
        cell_set : str
            The name of the set.

        Examples
        --------
        >>> from flexmbs.meshes import line
        >>> line((0, 0), (1, 0), 4).with_cell_set("tip", [3]).extracted("tip").points.tolist()
        [[0.75, 0.0], [1.0, 0.0]]
        """
        return _mesh(extract(self._plain(), self.cell_set(cell_set)))

    def without_unused_points(self) -> Mesh:
        """This mesh without the points that belong to no cell."""
        return _mesh(extract(self._plain(), [np.arange(block.n_cells) for block in self.cells]))

    def in_space(self) -> Mesh:
        """This mesh with three coordinates: z = 0 is added to points (and tangents) of a plane mesh."""
        if self.dim == 3:
            return self
        data = dict(self.point_data)
        if "tangent" in data:
            data["tangent"] = np.column_stack([data["tangent"], np.zeros(self.n_points)])
        return self._replaced(points=np.column_stack([self.points, np.zeros(self.n_points)]), point_data=data)

    def _replaced(self, **changes: Any) -> Mesh:
        """A copy with some fields changed."""
        names = ("points", "cells", "node_sets", "cell_sets", "point_data")
        plain = dict(zip(names, self.__reduce__()[1], strict=True))
        return Mesh(**{**plain, **changes})

    def _plain(self) -> Plain:
        """The fields as arrays and dictionaries."""
        pairs = [(block.cell_type, block.nodes) for block in self.cells]
        return self.points, pairs, self.node_sets, self.cell_sets, self.point_data


def _mesh(plain: Plain) -> Mesh:
    """A mesh from arrays and dictionaries."""
    points, blocks, node_sets, cell_sets, point_data = plain
    parts = {name: tuple(members) for name, members in cell_sets.items()}
    return Mesh(points, tuple(CellBlock(name, nodes) for name, nodes in blocks), node_sets, parts, point_data)
