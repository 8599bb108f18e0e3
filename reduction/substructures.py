r"""A part cut into substructures by its regions: each is reduced by itself, then all are coupled.

The nodes that regions share are the cuts. On a cut every displacement is :math:`u_c = B c` with polynomials B of the
place of its nodes, which are the same on both sides; a substructure is reduced by Craig-Bampton with the coordinates c
of its cuts and those of its interfaces as boundary, so that the whole is their sum,

.. math:: K = \sum_s L_s^T K_s L_s, \qquad M = \sum_s L_s^T M_s L_s,

with :math:`L_s` that picks the coordinates of s. It is reduced once more, to the interfaces and the modes asked for.
All of it restricts the displacements of the finite elements and nothing else, so that frequencies lie above those of
the part in one go, and come down with more modes of the substructures and polynomials of higher degree.

Source: R. R. Craig, M. C. C. Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313-1319.
The polynomials of the cuts are Ritz vectors in the same sense: a restriction of the displacements, as the modes are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_count
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.linear.operators import DofMap, Operators
from flexmbs.linear.part import Part, Piece
from flexmbs.linear.region import Region
from flexmbs.meshes import CellBlock, Mesh
from flexmbs.reduction.inertia import inertia_of_part
from flexmbs.reduction.interfaces import Attached, Interface, as_interfaces, attach
from flexmbs.reduction.line_moments import line_moments_of_part
from flexmbs.reduction.methods.craig_bampton import craig_bampton
from flexmbs.reduction.model import ReducedModel

__all__ = ["Cut", "Substructure", "couple", "cut_by_regions"]

SAME = 1e-10
"""Singular value, relative to the largest, below which polynomials are the same on the nodes of a cut."""


class Cut(NamedTuple):
    """Nodes that the same substructures share, and the polynomials there (n_nodes, n_p), orthonormal columns."""

    name: str
    nodes: IntArray
    shapes: FloatArray


class Condensed(NamedTuple):
    """A reduced substructure: its matrices, what each coordinate is, and all its displacements by them."""

    K: FloatArray
    M: FloatArray
    D: FloatArray | None
    labels: tuple[str, ...]
    shapes: FloatArray
    dofs: DofMap


@dataclass(frozen=True, eq=False)
class Substructure:
    """One region of a part with its interfaces and cuts, ready to be reduced in another process."""

    part: Part
    interfaces: tuple[Interface, ...]
    cuts: tuple[Cut, ...]
    modes: Any

    def reduce(self) -> Condensed:
        """Constraint modes of interfaces and cuts, and fixed-interface modes.

        Raises
        ------
        SingularError
            If the substructure can still move with its boundary held.
        """
        attached = attach(self.part.assemble(), self.interfaces)
        full = attached.operators
        T, boundary, labels = self._boundary(attached)
        K, M, D = (None if A is None else (T.T @ A @ T).tocsc() for A in (full.K, full.M, full.D))
        basis = craig_bampton(K, M, boundary, self.modes, labels)
        V = basis.vectors
        small = [None if A is None else V.T @ (A @ V) for A in (K, M, D)]
        own = [f"{self.part.name}: {label}" for label in basis.labels[basis.n_interface :]]
        assert full.all_dofs is not None  # noqa: S101  # set on construction
        assert small[0] is not None  # noqa: S101
        assert small[1] is not None  # noqa: S101
        return Condensed(small[0], small[1], small[2], (*labels, *own), full.expand(T @ V), full.all_dofs)

    def _boundary(self, attached: Attached) -> tuple[Any, IntArray, tuple[str, ...]]:
        """All unknowns from those outside of cuts and the coordinates of cuts; the boundary among these, its labels."""
        full = attached.operators
        cut_dofs = [full.dofs.of(cut.nodes) for cut in self.cuts]
        stay = np.setdiff1d(np.arange(full.n), np.concatenate(cut_dofs))
        column = np.full(full.n, -1)
        column[stay] = np.arange(len(stay))
        rows, cols, values = [stay], [column[stay]], [np.ones(len(stay))]
        labels, count = list(attached.labels), len(stay)
        for cut, dofs in zip(self.cuts, cut_dofs, strict=True):
            place = np.searchsorted(cut.nodes, full.dofs.node[dofs])
            n = cut.shapes.shape[1]
            rows.append(np.repeat(dofs, n))
            cols.append((count + full.dofs.component[dofs][:, None] * n + np.arange(n)).ravel())
            values.append(cut.shapes[place].ravel())
            labels += [f"{cut.name} {axis}{i}" for axis in "xyz" for i in range(n)]
            count += 3 * n
        T = sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), (full.n, count))
        return T, np.concatenate((column[attached.boundary], np.arange(len(stay), count))), tuple(labels)


def cut_by_regions(
    part: Part, interfaces: Sequence[str | Interface] | str | Interface, modes: Any, degree: int
) -> tuple[Substructure, ...]:
    """The substructures of a part: one per region.

    ``modes``: fixed-interface modes of each, a number or a rule; ``degree``: of the polynomials on cuts.

    Raises
    ------
    ModelError
        If there is one region only, the part has connections or elements with rotations, or an interface lies in
        several regions or on a cut.
    """
    owner = f"part {part.name!r}"
    as_count(owner, "degree", degree, minimum=1)
    if len(part.pieces) < 2:
        raise ModelError(f"{owner}: it is cut by its regions, but has one only; give one Region for each substructure.")
    if part.connections or any(p.region.element.n_components != 3 for p in part.pieces):
        raise ModelError(
            f"{owner}: only solid elements without connections can be cut; reduce the part in one go, or make parts "
            f"of it and join them."
        )
    names = [_name(i, piece) for i, piece in enumerate(part.pieces)]
    holders = np.zeros((len(part.nodes.points), len(names)), dtype=bool)
    for i, piece in enumerate(part.pieces):
        holders[piece.cells.ravel(), i] = True
    shared = holders.sum(axis=1) > 1
    faces: list[list[Interface]] = [[] for _ in names]
    for face in as_interfaces(interfaces):
        nodes = _nodes_of(part, face)
        if shared[nodes].any():
            raise ModelError(f"{owner}: interface {face.name!r} touches a cut; cut elsewhere, or take other nodes.")
        where = np.flatnonzero(holders[nodes].any(axis=0))
        if len(where) != 1:
            raise ModelError(f"{owner}: interface {face.name!r} lies in {len(where)} regions; it must lie in one.")
        faces[where[0]].append(face)
    cuts = []
    for group in np.unique(holders[shared], axis=0):
        nodes = np.flatnonzero(shared & (holders == group).all(axis=1))
        name = f"cut {'|'.join(n for n, held in zip(names, group, strict=True) if held)}"
        cuts.append((group, Cut(name, nodes, _polynomials(part.nodes.points[nodes], degree))))
    return tuple(
        Substructure(
            Part(
                _mesh_of(part, piece),
                regions=[Region(None, piece.region.element, piece.region.material)], name=names[i],
            ),
            tuple(faces[i]), tuple(cut for group, cut in cuts if group[i]), modes,
        )
        for i, piece in enumerate(part.pieces)
    )  # fmt: skip


def _mesh_of(part: Part, piece: Piece) -> Mesh:
    """The cells of a region on all points, which keep their numbers; those without cells have no unknowns."""
    cells = CellBlock(piece.region.element.cell_type, piece.cells)
    return Mesh(part.mesh.points, (cells,), node_sets=part.mesh.node_sets)


def _name(i: int, piece: Piece) -> str:
    """What a substructure is called."""
    return str(piece.region.cells) if piece.region.cells else f"region {i + 1}"


def _nodes_of(part: Part, face: Interface) -> IntArray:
    """The nodes of an interface."""
    if not isinstance(face.nodes, str):
        return np.asarray(face.nodes, dtype=np.int64)
    return np.asarray(part.mesh.node_set(face.nodes))


def _polynomials(points: FloatArray, degree: int) -> FloatArray:
    """Polynomials up to a degree of the place, which are different on these points, orthonormal."""
    centred = points - points.mean(axis=0)
    _, size, axes = np.linalg.svd(centred, full_matrices=False)
    along = centred @ axes[size > 1e-8 * size[0]].T if size[0] > 0.0 else np.zeros((len(points), 0))
    along /= np.abs(along).max(axis=0, initial=1e-300)
    powers = [p for p in itertools.product(range(degree + 1), repeat=along.shape[1]) if sum(p) <= degree]
    values = np.column_stack([np.prod(along ** np.array(p), axis=1) for p in powers])
    left, strength, _ = np.linalg.svd(values, full_matrices=False)
    return np.ascontiguousarray(left[:, strength > SAME * strength[0]])


def couple(
    part: Part,
    interfaces: Sequence[str | Interface] | str | Interface,
    condensed: Sequence[Condensed],
    modes: Any,
    name: str,
) -> ReducedModel:
    """The reduced model of the whole part from its reduced substructures: interfaces first, then ``modes``."""
    whole = attach(_unknowns(part), interfaces)
    labels = dict.fromkeys((*whole.labels, *(label for piece in condensed for label in piece.labels)))
    number = {label: i for i, label in enumerate(labels)}
    places = [np.array([number[label] for label in piece.labels]) for piece in condensed]
    damped = any(piece.D is not None for piece in condensed)
    sums = [np.zeros((len(number), len(number))) for _ in range(3 if damped else 2)]
    for piece, at in zip(condensed, places, strict=True):
        for total, own in zip(sums, (piece.K, piece.M, piece.D), strict=False):
            if own is not None:
                total[np.ix_(at, at)] += own
    K, M = (sparse.csc_matrix(A) for A in sums[:2])
    n = len(whole.labels)
    basis = craig_bampton(K, M, np.arange(n), modes, whole.labels)
    V = basis.vectors
    small = [V.T @ A @ V for A in sums]
    full = whole.operators
    assert full.all_dofs is not None  # noqa: S101  # set on construction
    shapes = np.zeros((len(full.all_dofs), V.shape[1]))
    table = full.all_dofs.table(len(full.points))
    for piece, at in zip(condensed, places, strict=True):
        real = piece.dofs.node < len(part.nodes.points)
        shapes[table[piece.dofs.node[real], piece.dofs.component[real]]] = piece.shapes[real] @ V[at]
    return ReducedModel(
        name=name,
        K=0.5 * (small[0] + small[0].T), M=0.5 * (small[1] + small[1].T),
        D=0.5 * (small[2] + small[2].T) if damped else None,
        labels=basis.labels, n_interface=n, frames=whole.frames, frequencies=np.asarray(basis.frequencies),
        shapes=shapes, dofs=full.all_dofs, points=full.points, inertia=inertia_of_part(part, shapes),
        line=line_moments_of_part(part, shapes), node_sets=full.node_sets,
        provenance={
            "method": f"Craig-Bampton of {len(condensed)} substructures",
            "coordinates coupled": str(len(number)),
            "unknowns": str(int(part.nodes.n_dofs.sum())),
            "made by": f"flexmbs {version()}",
        },
    )  # fmt: skip


def _unknowns(part: Part) -> Operators:
    """What the unknowns of a part are, without its matrices."""
    count = part.nodes.n_dofs
    node = np.repeat(np.arange(len(count)), count)
    nothing = sparse.csc_matrix((len(node), len(node)))
    dofs = DofMap(node, np.arange(len(node)) - part.nodes.first[node])
    return Operators(nothing, nothing, dofs, part.nodes.points, node_sets=part.nodes.sets)
