"""Operators: mass, damping and stiffness of a linear structure, and what each of its unknowns is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from flexmbs.core.checks import as_array, as_counts, as_name, frozen_copy, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.solvable import Solvable
from flexmbs.meshes.sets import as_indices

if TYPE_CHECKING:
    from flexmbs.linear.part import Part

__all__ = ["DofMap", "Operators"]


@dataclass(frozen=True, eq=False)
class DofMap:
    """Which node and which component each unknown belongs to.

    Parameters
    ----------
    node : (n,) array of int
        Row of the node in ``points``; -1 for an unknown without a node (a modal or a scalar one).
    component : (n,) array of int
        0 to 5 for ux, uy, uz, rx, ry, rz; 0 where there is no node.

    Examples
    --------
    >>> dofs = DofMap([0, 0, 0, 4], [0, 1, 2, 5])
    >>> len(dofs), dofs.of([0, 4]).tolist(), dofs.name(3)
    (4, [0, 1, 2, 3], 'rz of node 4')
    """

    node: IntArray
    component: IntArray

    def __post_init__(self) -> None:
        for name in ("node", "component"):
            given = as_counts("DofMap", f"each of {name}", getattr(self, name), minimum=-1)
            object.__setattr__(self, name, frozen_copy(given))
        if len(self.node) != len(self.component):
            raise ModelError(f"DofMap: {len(self.node)} nodes but {len(self.component)} components.")
        if len(self.component) and not 0 <= self.component.min() <= self.component.max() < len(COMPONENTS):
            raise ModelError("DofMap: components are 0 to 5 for ux, uy, uz, rx, ry, rz.")
        if len(self.node) and self.node.min() < -1:
            raise ModelError(f"DofMap: nodes are rows of points or -1, not {int(self.node.min())}.")
        held = self.node >= 0
        key = self.node[held] * len(COMPONENTS) + self.component[held]
        if len(np.unique(key)) != len(key):
            values, count = np.unique(key, return_counts=True)
            twice = int(values[np.argmax(count > 1)])
            raise ModelError(f"DofMap: {COMPONENTS[twice % 6]} of node {twice // 6} occurs twice.")

    def __len__(self) -> int:
        return len(self.node)

    def of(self, nodes: Any, components: Any = None) -> IntArray:
        """Numbers of all unknowns of these nodes (and of these components only), ascending."""
        chosen = np.isin(self.node, np.atleast_1d(nodes))
        if components is not None:
            chosen &= np.isin(self.component, np.atleast_1d(components))
        return np.flatnonzero(chosen)

    def table(self, n_nodes: int) -> IntArray:
        """Number of the unknown (n_nodes, 6) by node and component, -1 where there is none."""
        out = np.full((n_nodes, len(COMPONENTS)), -1, dtype=np.int64)
        held = self.node >= 0
        out[self.node[held], self.component[held]] = np.flatnonzero(held)
        return out

    def name(self, i: int) -> str:
        """An unknown in words."""
        node = int(self.node[i])
        return f"{COMPONENTS[self.component[i]]} of node {node}" if node >= 0 else f"scalar unknown {i}"


@dataclass(frozen=True, eq=False, repr=False)
class Operators(Solvable):
    r"""The sparse operators of a linear structure, :math:`M\ddot u + D\dot u + K u = f`.

    Made by ``Part.assemble()`` or read from a file (`flexmbs.linear.files`). All matrices are symmetric.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass, compressed columns, both triangles stored.
    dofs : DofMap
        What the n unknowns are; displacements and rotations along the inertial axes.
    points : (n_nodes, 3) array
        Undeformed places of the nodes [length].
    D : sparse matrix (n, n), optional
        Damping.
    node_sets : mapping of str to array of int, optional
        Rows of ``points`` by name, each kept once.
    node_labels : (n_nodes,) array of int, optional
        The numbers that the nodes have in the file they came from.
    expansion : sparse matrix (N, n), optional
        All physical displacements from the unknowns, where links have made some of them dependent.
    all_dofs : DofMap, optional
        What the N physical displacements are; ``dofs`` where nothing is dependent.
    part : Part, optional
        Where they come from: needed for stresses and for exact inertia of parts with rotations.
    origin : str
        A sentence on where they come from.

    Raises
    ------
    ModelError
        If shapes do not fit, an entry is not finite, a matrix is not symmetric (to 1e-8 of its largest entry), or a
        diagonal entry of the stiffness or mass is negative.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> two = Operators(sp.diags([1.0, 2.0]), sp.diags([1.0, 1.0]), DofMap([0, 1], [0, 0]), [[0, 0, 0], [1, 0, 0]])
    >>> two.n
    2
    """

    K: Any
    M: Any
    dofs: DofMap
    points: FloatArray
    D: Any = None
    node_sets: Mapping[str, IntArray] = field(default_factory=dict)
    node_labels: IntArray | None = None
    expansion: Any = None
    all_dofs: DofMap | None = None
    part: Part | None = None
    origin: str = "given as matrices"

    def __post_init__(self) -> None:
        owner = "Operators"
        if not isinstance(self.dofs, DofMap):
            raise ModelError(f"{owner}: dofs must be a DofMap, not {show(self.dofs)}.")
        points = as_array(owner, "points", self.points, (None, 3), unit="length")
        object.__setattr__(self, "points", frozen_copy(points))
        n = len(self.dofs)
        for name in ("K", "M", "D"):
            matrix = getattr(self, name)
            if matrix is not None or name != "D":
                object.__setattr__(self, name, _checked(owner, name, matrix, n, self.dofs))
        everything = self.dofs if self.all_dofs is None else self.all_dofs
        for dofs in (self.dofs, everything):
            if len(dofs) and dofs.node.max() >= len(points):
                raise ModelError(f"{owner}: an unknown belongs to node {dofs.node.max()} of {len(points)} nodes.")
        if self.expansion is None and everything is not self.dofs:
            raise ModelError(f"{owner}: all_dofs needs an expansion from the unknowns to them.")
        if self.expansion is not None:
            expansion = sparse.csr_matrix(self.expansion)
            if expansion.shape != (len(everything), n):
                raise ModelError(f"{owner}: expansion must have shape {(len(everything), n)}, not {expansion.shape}.")
            object.__setattr__(self, "expansion", expansion)
        object.__setattr__(self, "all_dofs", everything)
        sets = {
            as_name(owner, "name of a node set", k): _each_once(as_indices(owner, f"node set {k!r}", v, 1))
            for k, v in self.node_sets.items()
        }
        for name, nodes in sets.items():
            if len(nodes) and not 0 <= nodes.min() <= nodes.max() < len(points):
                raise ModelError(f"{owner}: node set {name!r} names node {int(nodes.max())} of {len(points)}.")
        object.__setattr__(self, "node_sets", MappingProxyType(sets))
        if self.node_labels is not None:
            labels = np.asarray(self.node_labels, dtype=np.int64)
            if labels.shape != (len(points),):
                raise ModelError(f"{owner}: node_labels must have shape ({len(points)},), not {labels.shape}.")
            object.__setattr__(self, "node_labels", frozen_copy(labels))

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.dofs)

    def __repr__(self) -> str:
        damped = "" if self.D is None else ", damped"
        return f"operators: {self.n} unknowns of {len(self.points)} nodes{damped}; {self.origin}"

    def node_set(self, name: str) -> IntArray:
        """Rows of ``points`` of a named set."""
        if name not in self.node_sets:
            raise ModelError(f"operators ({self.origin}): {unknown_name('node set', name, self.node_sets)}")
        return self.node_sets[name]

    def expand(self, u: FloatArray) -> FloatArray:
        """All physical displacements (N, ...) from the unknowns (n, ...)."""
        return np.asarray(u if self.expansion is None else self.expansion @ u)

    def displacements(self, u: FloatArray) -> FloatArray:
        """Displacements and rotations (n_nodes, 6, ...) of all nodes from the unknowns (n, ...); 0 where none."""
        everything = self.expand(np.asarray(u, dtype=float))
        assert self.all_dofs is not None  # noqa: S101  # set on construction
        out = np.zeros((len(self.points), len(COMPONENTS), *everything.shape[1:]))
        held = self.all_dofs.node >= 0
        out[self.all_dofs.node[held], self.all_dofs.component[held]] = everything[held]
        if self.expansion is not None:  # unknowns of points beside the nodes of the mesh, those of interfaces
            own = np.flatnonzero((self.dofs.node >= 0) & ~np.isin(self.dofs.node, self.all_dofs.node))
            out[self.dofs.node[own], self.dofs.component[own]] = np.asarray(u)[own]
        return out

    def rigid_motions(self, about: Any = (0.0, 0.0, 0.0)) -> FloatArray:
        """The six rigid motions (n, 6) of the unknowns: along x, y, z, and about them through a point."""
        return rigid_motions(self.dofs, self.points, about)


def rigid_motions(dofs: DofMap, points: FloatArray, about: Any = (0.0, 0.0, 0.0)) -> FloatArray:
    """Displacements (n, 6) of unknowns in the six rigid motions, rotations about a point (3,)."""
    out = np.zeros((len(dofs), 6))
    held = np.flatnonzero(dofs.node >= 0)
    c = dofs.component[held]
    d = points[dofs.node[held]] - as_array("rigid motions", "about", about, (3,))
    out[held, c] = 1.0  # translations, and rotations of rotations
    for axis in range(3):
        e = np.zeros(3)
        e[axis] = 1.0
        moved = np.cross(e, d)
        shift = c < 3
        out[held[shift], 3 + axis] = moved[shift, c[shift]]
    return out


def _each_once(nodes: IntArray) -> IntArray:
    """What is named again left out, as in the sets of a mesh: a load on a set is shared among its nodes."""
    return np.array(list(dict.fromkeys(nodes.tolist())), dtype=np.int64)


def _checked(owner: str, name: str, matrix: Any, n: int, dofs: DofMap) -> Any:
    """A symmetric matrix in compressed columns, or why not."""
    try:
        out = sparse.csc_matrix(matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{owner}: {name} must be a sparse matrix, not {show(matrix)}.") from None
    if out.shape != (n, n):
        raise ModelError(f"{owner}: {name} must have shape {(n, n)} for {n} unknowns, not {out.shape}.")
    if not np.isfinite(out.data).all():
        raise ModelError(f"{owner}: {name} has entries that are not finite.")
    out.sum_duplicates()
    largest = max(float(out.data.max(initial=0.0)), -float(out.data.min(initial=0.0)))
    place = _unsymmetric(out, 1e-8 * largest)
    if place is not None:
        i, j = place
        raise ModelError(
            f"{owner}: {name} is not symmetric: entries ({i}, {j}) and ({j}, {i}) are {out[i, j]:.9g} and "
            f"{out[j, i]:.9g}. If the file holds one triangle only, mirror it."
        )
    diagonal = out.diagonal()
    if n and name != "D" and diagonal.min() < -1e-12 * largest:
        i = int(np.argmin(diagonal))
        raise ModelError(f"{owner}: {name} is indefinite: its diagonal entry of {dofs.name(i)} is {diagonal[i]:.3g}.")
    return out


def _unsymmetric(A: Any, tolerance: float) -> tuple[int, int] | None:
    """Where A and its transpose differ most, if by more than the tolerance; with one copy of A where patterns agree."""
    A.sort_indices()
    B = A.T.tocsc()
    B.sort_indices()
    if A.nnz != B.nnz or not (np.array_equal(A.indptr, B.indptr) and np.array_equal(A.indices, B.indices)):
        B = A - B
    else:
        B.data -= A.data
    np.abs(B.data, out=B.data)
    if not B.nnz or not float(B.data.max()) > tolerance:
        return None
    k = int(np.argmax(B.data))
    return int(B.indices[k]), int(np.searchsorted(B.indptr, k, side="right")) - 1
