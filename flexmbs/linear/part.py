"""Parts: a mesh with elements, materials and connections, from which sparse operators are assembled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_name, is_list, show
from flexmbs.core.contracts import IntArray
from flexmbs.core.errors import MeshError, ModelError, a_or_an
from flexmbs.elements.linear import hexahedron, tetra
from flexmbs.linear.assembly import add_blocks, node_pattern, sparse_matrix
from flexmbs.linear.connections import DistributingCoupling, NodalMass, NodalSpring, RigidCoupling
from flexmbs.linear.constraints import Nodes, joined_nodes, lump, number_nodes, transformation
from flexmbs.linear.operators import DofMap, Operators
from flexmbs.linear.region import Region, check_material
from flexmbs.linear.solvable import Solvable
from flexmbs.linear.units_check import check_units
from flexmbs.meshes import Mesh
from flexmbs.meshes.cells import cell_type
from flexmbs.meshes.loose import warn_of_loose
from flexmbs.meshes.repeated import warn_of_repeated

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["Part", "Piece"]

CHUNK = 2048
"""Elements treated at once: their matrices stay below 100 MB."""

Connection = NodalMass | NodalSpring | RigidCoupling | DistributingCoupling


class Piece(NamedTuple):
    """The cells (n_e, n_a) of a region, by rows of the points; ``numbers`` are theirs in their block of the mesh."""

    region: Region
    cells: IntArray
    numbers: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Part(Solvable, Hinted):
    """A flexible part: a mesh, what its cells are made of, and what joins its nodes.

    Parameters
    ----------
    mesh : Mesh
        Points in space; `Mesh.in_space` puts a plane mesh there. Points without cells are left out.
    material : Elastic or Orthotropic, optional
        Material of all solid cells that no region names, with the usual element of their type (`default_element`).
    regions : sequence of Region, optional
        Elements and materials by cell set.
    connections : sequence of NodalMass, NodalSpring, RigidCoupling, DistributingCoupling, optional
        What joins the nodes beside the elements.
    name : str
        For messages and reports.

    Cells of a lower dimension than others (the surface triangles of a solid mesh, which files use to name its faces)
    are no elements unless a region says so.

    Nodes that lie on a cell which they do not belong to, and coincident nodes of cells that are not merged, are told in
    a warning, unless a connection has them: the part would open there. Pieces that no cells join may touch.

    Raises
    ------
    ModelError, MeshError
        If cells have no material or no element, or two; a set is unknown or empty; the mesh is plane; links contradict
        each other; the part falls into pieces that nothing joins; cells are inverted.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lug = Part(fx.meshes.read_mesh(fx.meshes.sample("lug.inp")), material=fx.steel, name="lug")
    >>> print(lug)
    part 'lug': 617 nodes, 286 tetra10 of steel
    >>> lug.assemble().n
    1851
    """

    mesh: Mesh
    material: Material | None = None
    regions: Sequence[Region] = ()
    connections: Sequence[Connection] = ()
    name: str = "part"
    pieces: tuple[Piece, ...] = field(init=False)
    nodes: Nodes = field(init=False)

    def __post_init__(self) -> None:
        owner = f"Part {as_name('Part', 'name', self.name)!r}"
        if not isinstance(self.mesh, Mesh):
            raise ModelError(
                f"{owner}: mesh must be a Mesh, such as flexmbs.meshes.read_mesh(file), not {show(self.mesh)}."
            )
        if self.mesh.dim != 3:
            raise ModelError(f"{owner}: a part lies in space; put the plane mesh there with mesh.in_space().")
        check_material(owner, self.material)
        for what, kinds in (("regions", Region), ("connections", Connection)):
            given = getattr(self, what)
            if not is_list(given) or any(not isinstance(x, kinds) for x in given):
                raise ModelError(f"{owner}: {what} must be a list of such objects, not {show(given)}.")
            object.__setattr__(self, what, tuple(given))
        object.__setattr__(self, "pieces", _pieces(owner, self.mesh, self.material, self.regions))
        own = [p.region for p in self.pieces if hasattr(p.region.element, "up")]
        if own and "up" in self.mesh.point_data:
            kind = type(own[0].element).__name__
            raise MeshError(
                f"{owner}: the mesh has point data 'up', but a {kind} has its section along its own direction up, the "
                f"same for all cells of a region; give {kind}(up=...), with a region for each direction."
            )
        cells = [(p.region.element.n_components, p.cells) for p in self.pieces]
        object.__setattr__(self, "nodes", number_nodes(owner, self.mesh, cells, self.connections))
        # blamed on whoever called the constructor
        warn_of_loose(
            owner,
            self.mesh.points,
            [(p.region.element.cell_type, p.cells) for p in self.pieces],
            joined_nodes(owner, self.mesh, self.nodes, self.connections),
            remedy="join them with a RigidCoupling, a DistributingCoupling or a NodalSpring",
            stacklevel=3,
        )
        check_units(owner, self.mesh.points, [p.region.material for p in self.pieces], stacklevel=4)

    def __repr__(self) -> str:
        kinds = ", ".join(
            f"{len(p.cells)} {p.region.element.cell_type}"
            + (f" of {p.region.material.name}" if p.region.material is not None else f" ({p.region.element.name})")
            for p in self.pieces
        )
        extra = f", {len(self.connections)} connections" if self.connections else ""
        return f"part {self.name!r}: {int((self.nodes.n_dofs > 0).sum())} nodes, {kinds}{extra}"

    def groups(self, size: int = CHUNK) -> Iterator[tuple[Piece, IntArray, Any]]:
        """The elements in chunks: their piece, their cells (n_e, n_a) and their group."""
        for piece in self.pieces:
            element = piece.region.element
            where = f"part {self.name!r}" + (f", cells {piece.region.cells!r}" if piece.region.cells else "")
            for i in range(0, len(piece.cells), size):
                cells, numbers = piece.cells[i : i + size], piece.numbers[i : i + size]
                yield piece, cells, element.tabulate(where, self.nodes.points[cells], piece.region.material, numbers)

    def element_dofs(self, piece: Piece, cells: IntArray) -> IntArray:
        """Numbers of the physical displacements (n_e, k) of elements."""
        first = self.nodes.first[cells][:, :, None] + np.arange(piece.region.element.n_components)
        return np.asarray(first.reshape(len(cells), -1))

    def assemble(self, progress: Callable[[float, str], None] | None = None) -> Operators:
        """Stiffness, mass and damping of the unknowns that links leave independent.

        Damping is that of the materials (Kelvin-Voigt: retardation time times stiffness) and None without any.

        Parameters
        ----------
        progress : callable, optional
            Called with the fraction done and a text.
        """
        nodes = self.nodes
        pattern = node_pattern(nodes.n_dofs, [p.cells for p in self.pieces])
        size = int((pattern.length * pattern.n_dofs).sum())
        K, M = np.zeros(size), np.zeros(size)
        D = np.zeros(size) if any(_viscosity(p) for p in self.pieces) else None
        done, total = 0, sum(len(p.cells) for p in self.pieces)
        for piece, cells, group in self.groups():
            element = piece.region.element
            stiffness = element.stiffness(group)
            add_blocks(pattern, cells, stiffness, K)
            if D is not None and _viscosity(piece):
                add_blocks(pattern, cells, _viscosity(piece) * stiffness, D)
            add_blocks(pattern, cells, element.mass(group), M)
            done += len(cells)
            if progress is not None:
                progress(done / total, f"{done} of {total} elements")
        stiffness, mass = sparse_matrix(pattern, K), sparse_matrix(pattern, M)
        mass.eliminate_zeros()
        damping = None if D is None else sparse_matrix(pattern, D)
        stiffness, mass = lump(self.mesh, nodes, self.connections, stiffness, mass)
        return self._without_dependent(stiffness, mass, damping)

    def _without_dependent(self, K: Any, M: Any, D: Any) -> Operators:
        """Operators of the independent unknowns."""
        nodes = self.nodes
        everything = DofMap(*_dof_map(nodes.n_dofs))
        T, independent = transformation(self.mesh, nodes, self.connections)
        dofs = everything
        if T is not None:
            K, M = T.T @ K @ T, T.T @ M @ T
            D = None if D is None else T.T @ D @ T
            dofs = DofMap(everything.node[independent], everything.component[independent])
        return Operators(
            K, M, dofs, nodes.points, D,
            node_sets=nodes.sets,
            expansion=T,
            all_dofs=everything if T is not None else None,
            part=self,
            origin=f"assembled from {self!r}",
        )  # fmt: skip


def _viscosity(piece: Piece) -> float:
    """Retardation time of the material, or of what the element brings in its place."""
    bearer = piece.region.element if piece.region.material is None else piece.region.material
    return float(getattr(bearer, "retardation_time", 0.0))


def _dof_map(count: IntArray) -> tuple[IntArray, IntArray]:
    """Node and component of every unknown."""
    node = np.repeat(np.arange(len(count)), count)
    first = np.concatenate([[0], np.cumsum(count)])[:-1]
    return node, np.arange(len(node)) - first[node]


def default_element(name: str) -> Any:
    """The usual element of a cell type: what a part takes where no region says otherwise, or None."""
    usual = {
        "tetra": tetra.Tetra4,
        "tetra10": tetra.Tetra10,
        "hexahedron": hexahedron.Hexahedron8,
        "hexahedron20": hexahedron.Hexahedron20,
    }
    return usual[name]() if name in usual else None


def _pieces(owner: str, mesh: Mesh, material: Any, regions: Sequence[Region]) -> tuple[Piece, ...]:
    """Which cells are which element."""
    taken = [np.zeros(block.n_cells, dtype=bool) for block in mesh.cells]
    chosen: list[list[IntArray]] = [[np.empty(0, dtype=np.int64)] * len(mesh.cells) for _ in regions]
    order = sorted(range(len(regions)), key=lambda i: regions[i].cells is None)
    for r in order:
        region = regions[r]
        label = "the rest" if region.cells is None else repr(region.cells)
        kind = region.element.cell_type
        sets = None if region.cells is None else mesh.cell_set(region.cells)
        for b, block in enumerate(mesh.cells):
            numbers = np.flatnonzero(~taken[b]) if sets is None else np.asarray(sets[b], dtype=np.int64)
            if block.cell_type != kind:
                if sets is not None and len(numbers):
                    raise ModelError(
                        f"{owner}: region {label} has {block.cell_type} cells, but {a_or_an(region.element.name)} "
                        f"lives on {kind!r} cells; make a set of each type."
                    )
                continue
            if taken[b][numbers].any():
                cell = int(numbers[np.argmax(taken[b][numbers])])
                raise ModelError(f"{owner}: {kind} cell {cell} of region {label} belongs to another region, too.")
            taken[b][numbers] = True
            chosen[r][b] = numbers
        if not any(len(n) for n in chosen[r]):
            raise ModelError(f"{owner}: region {label} has no {kind} cells.")
    pieces = [
        Piece(region, np.ascontiguousarray(mesh.cells[b].nodes[numbers]), numbers)
        for region, found in zip(regions, chosen, strict=True)
        for b, numbers in enumerate(found)
        if len(numbers)
    ]
    highest = max(cell_type(block.cell_type).dim for block in mesh.cells)
    for b, block in enumerate(mesh.cells):
        rest = np.flatnonzero(~taken[b])
        if not len(rest) or cell_type(block.cell_type).dim < highest:
            continue
        element = default_element(block.cell_type)
        if element is None or material is None:
            raise ModelError(
                f"{owner}: {len(rest)} {block.cell_type} cells have no "
                + ("element" if element is None else "material")
                + _set_hint(mesh, b, rest)
                + ("; give Part(..., material=...)" if element is not None else "; give a Region(...) for them")
                + f", or leave them out with mesh.extracted(set_name). {_known_sets(mesh)}"
            )
        taken[b][rest] = True
        pieces.append(Piece(Region(None, element, material), np.ascontiguousarray(block.nodes[rest]), rest))
    if not pieces:
        raise MeshError(f"{owner}: no cell of the mesh is an element.")
    # blamed on whoever called the constructor
    warn_of_repeated(owner, mesh.cells, taken, stacklevel=4)
    return tuple(pieces)


def _set_hint(mesh: Mesh, block: int, rest: IntArray) -> str:
    """The cell sets that the cells without element are in."""
    inside = [name for name, parts in mesh.cell_sets.items() if np.isin(rest, parts[block]).any()]
    return f" (in {', '.join(repr(n) for n in inside[:5])})" if inside else ""


def _known_sets(mesh: Mesh) -> str:
    return f"Cell sets: {', '.join(repr(n) for n in mesh.cell_sets) or 'none'}."
