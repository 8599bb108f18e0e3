r"""The reduced model: small matrices, the shapes behind them, its interfaces and its inertia.

.. math:: u = T q, \qquad M_r = T^T M T, \quad D_r = T^T D T, \quad K_r = T^T K T, \quad f_r = T^T f .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_array, as_count, as_counts, as_name, as_names, frozen_copy, is_among, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.units import names_of_units
from flexmbs.linear.averaging import rows_of
from flexmbs.linear.operators import DofMap, Operators
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.interfaces import Attached, Frame
from flexmbs.reduction.line_moments import LineMoments
from flexmbs.reduction.stiffening import Stiffening

if TYPE_CHECKING:
    from flexmbs.reduction.export import ExportResult
    from flexmbs.reduction.report.report import ReductionReport

__all__ = ["ReducedModel", "Source"]

OWN = ("node", "component", "coordinates")
"""Fields of a `Frame` that tell what its coordinates are."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a model was reduced from, while it is in memory: the operators with interfaces, and the basis."""

    attached: Attached
    basis: Basis


@dataclass(frozen=True, eq=False, repr=False)
class ReducedModel(Hinted):
    """A linear part in few coordinates; made by `reduce`, kept by `save`, read by `load_reduced`.

    Parameters
    ----------
    name : str
        Of the part.
    K, M : (m, m) array
        Reduced stiffness and mass, symmetric.
    D : (m, m) array or None
        Reduced damping.
    labels : tuple of str
        What each coordinate is.
    n_interface : int
        The first coordinates are displacements (and rotations) of the interfaces.
    frames : tuple of Frame
        The interfaces.
    frequencies : (m,) array
        Angular frequency of the modes among the coordinates [rad/time], nan for the others.
    shapes : (N, m) array
        T for all physical displacements of the part; may be a dataset on disk, which then is read where it is used.
    dofs : DofMap
        Node and component of the N displacements.
    points : (n_nodes, 3) array
        Undeformed places of the nodes [length].
    inertia : InertiaInvariants or None
        None where there are no coordinates of nodes.
    cells : mapping of str to (n_c, n_a) array
        Cells of the mesh by type, for pictures.
    node_sets : mapping of str to array of int
        Rows of ``points`` by name.
    units : Units or mapping of str to str
        Names of the units of length, mass, time and force; empty where unknown.
    provenance : mapping of str to str
        What it was made from and how.
    stress_nodes : (s,) array of int
        Nodes at which stresses can be told without the part, ascending; a node stands there as often as it has
        stresses that are kept apart (borders of regions, folds of shells, ends of frames).
    stress_shapes : (s, n_c, m) array
        Stresses there for each coordinate.
    stress_names : tuple of str
        What the n_c numbers are.
    stiffening : Stiffening or None
        Second-order fields for geometric stiffening, where they were asked for.
    line : LineMoments or None
        Integrals along its line elements, where it has such.
    source : Source or None
        The full operators, in memory only.
    report_text : str or None
        The last report as JSON; files keep it.
    """

    name: str
    K: FloatArray
    M: FloatArray
    D: FloatArray | None
    labels: tuple[str, ...]
    n_interface: int
    frames: tuple[Frame, ...]
    frequencies: FloatArray
    shapes: Any
    dofs: DofMap
    points: FloatArray
    inertia: InertiaInvariants | None
    cells: Mapping[str, Any] = field(default_factory=dict)
    node_sets: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, str] = field(default_factory=dict)
    stress_nodes: Any = None
    stress_shapes: Any = None
    stress_names: tuple[str, ...] = ()
    stiffening: Stiffening | None = None
    line: LineMoments | None = None
    source: Source | None = None
    report_text: str | None = None

    def __post_init__(self) -> None:
        owner = f"ReducedModel {as_name('ReducedModel', 'name', self.name)!r}"
        m = len(self.labels)
        for name in ("K", "M", "D"):
            given = getattr(self, name)
            if given is None and name == "D":
                continue
            matrix = as_array(owner, name, given, (m, m))
            if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-9 * np.abs(matrix).max(initial=0.0):
                raise ModelError(f"{owner}: {name} is not symmetric.")
            object.__setattr__(self, name, frozen_copy(0.5 * (matrix + matrix.T)))
        object.__setattr__(self, "frequencies", frozen_copy(np.asarray(self.frequencies, dtype=float)))
        if self.frequencies.shape != (m,) or tuple(self.shapes.shape) != (len(self.dofs), m):
            raise ModelError(
                f"{owner}: {m} coordinates and {len(self.dofs)} displacements need frequencies ({m},) and shapes "
                f"({len(self.dofs)}, {m}), not {self.frequencies.shape} and {tuple(self.shapes.shape)}."
            )
        if self.stiffening is not None and self.stiffening.moments.shape[-1] != m:
            raise ModelError(f"{owner}: its stiffening is of {self.stiffening.moments.shape[-1]} coordinates, not {m}.")
        if self.line is not None and self.line.P.shape[-1] != m:
            raise ModelError(f"{owner}: its line moments are of {self.line.P.shape[-1]} coordinates, not {m}.")
        object.__setattr__(self, "units", names_of_units(owner, self.units))
        for name in ("cells", "node_sets", "units", "provenance"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @property
    def size(self) -> int:
        """Number of coordinates m."""
        return len(self.labels)

    def __repr__(self) -> str:
        faces = ", ".join(f"{f.name} ({f.kind}, {len(f.coordinates)})" for f in self.frames) or "none"
        return (
            f"reduced model {self.name!r}: {self.size} coordinates for {len(self.dofs)} displacements; interfaces "
            f"{faces}; {self.provenance.get('method', 'reduced')}"
        )

    def frame(self, name: str) -> Frame:
        """An interface by name."""
        for frame in self.frames:
            if is_among(name, (frame.name,)):
                return frame
        raise ModelError(f"{self!r}: {unknown_name('interface', name, [f.name for f in self.frames])}")

    def joined(self, name: str) -> Frame:
        """An interface by name, whose motion is coordinates of the model.

        Raises
        ------
        ModelError
            If it is unknown, or the basis has no coordinates of interfaces, as that of modal truncation.
        """
        frame = self.frame(name)
        if len(frame.coordinates) and int(frame.coordinates.max()) >= self.n_interface:
            raise ModelError(
                f"{self!r}: the motion of interface {name!r} is not among its coordinates, since it was reduced by "
                f"{self.provenance.get('method', 'a method')!r}; take Craig-Bampton or another method that keeps "
                f"interfaces, or nodes and a frame of mean axes."
            )
        return frame

    def angular_frequencies(self, fixed: Any = ()) -> FloatArray:
        """Angular frequencies (k,) of the reduced model [rad/time], ascending; rigid motions are 0 to round-off.

        Parameters
        ----------
        fixed : sequence of str
            Names of interfaces that are held.
        """
        values, _ = self.modes(fixed)
        return np.sqrt(np.maximum(values, 0.0))

    def _without_inertia(self, free: IntArray) -> str:
        """Which coordinates most move without momentum."""
        M = self.M[np.ix_(free, free)]
        scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(M)), np.finfo(float).tiny))
        shape = np.abs(linalg.eigh(M * np.outer(scale, scale))[1][:, 0])
        most = free[shape > 0.5 * shape.max()][:3]
        return f"{', '.join(self.labels[i] for i in most)} can move"

    def no_inertia(self, free: IntArray) -> ModelError:
        """What to raise where the mass of the coordinates ``free`` is not positive definite."""
        return ModelError(
            f"{self!r}: its mass matrix is not positive definite: {self._without_inertia(free)} without inertia. "
            f"Give beams rotary inertia (rhoI_y, rhoI_z of a BeamStiffness), or take another reduction."
        )

    def modes(self, fixed: Any = ()) -> tuple[FloatArray, FloatArray]:
        """Squared angular frequencies (k,) and mass-normalised shapes (m, k) of the reduced model."""
        names = as_names(f"{self!r}", "fixed", fixed)
        held = np.concatenate([np.empty(0, np.int64), *(self.joined(n).coordinates for n in names)])
        free = np.setdiff1d(np.arange(self.size), held)
        try:
            values, vectors = linalg.eigh(self.K[np.ix_(free, free)], self.M[np.ix_(free, free)])
        except linalg.LinAlgError:
            raise self.no_inertia(free) from None
        out = np.zeros((self.size, len(values)))
        out[free] = vectors
        return np.asarray(values), out

    def reconstruct(self, q: Any) -> FloatArray:
        """Displacements and rotations (n_nodes, 6, ...) of all nodes from coordinates (m, ...) [length, rad]."""
        q = self._coordinates(q)
        moved = np.asarray(self.shapes) @ q
        out = np.zeros((len(self.points), 6, *q.shape[1:]))
        held = self.dofs.node >= 0
        out[self.dofs.node[held], self.dofs.component[held]] = moved[held]
        node, component, coordinate = self.own_points()
        out[node, component] = q[coordinate]
        return out

    def own_points(self) -> tuple[IntArray, IntArray, IntArray]:
        """Node, component and coordinate (k,) of the points that interfaces have beside the nodes of the mesh."""
        own = [f for f in self.frames if f.kind != "nodes" and f.coordinates.max(initial=-1) < self.n_interface]
        rows = [np.concatenate([np.empty(0, np.int64), *(getattr(f, name) for f in own)]) for name in OWN]
        node, component, coordinate = rows
        beside = ~np.isin(node, self.dofs.node)
        return node[beside], component[beside], coordinate[beside]

    def stress_rows(self, nodes: Any) -> IntArray:
        """Rows of ``stress_nodes`` of given nodes (n,), in their order: one of each, or all that it has.

        Raises
        ------
        ModelError
            If the model has no stresses at one of them.
        """
        known = np.asarray([] if self.stress_nodes is None else self.stress_nodes, dtype=np.int64)
        wanted = as_counts(f"{self!r}", "each of nodes", nodes)
        missing = wanted[~np.isin(wanted, known)]
        if len(missing):
            raise ModelError(
                f"{self!r}: it has no stresses at nodes {show(missing.tolist())}; name them in "
                f"reduce(..., stresses=...)."
            )
        return rows_of(known, wanted)[1]

    def stresses(self, q: Any) -> FloatArray:
        """Stresses (s, n_c, ...) at ``stress_nodes`` from coordinates (m, ...), in the order of ``stress_names``."""
        if self.stress_shapes is None:
            raise ModelError(
                f"{self!r}: it was made without stresses; use reduce(..., stresses='HUB') with the name of a node set, "
                f"or 'all'."
            )
        return np.asarray(np.tensordot(np.asarray(self.stress_shapes), self._coordinates(q), axes=(2, 0)))

    def _coordinates(self, q: Any) -> FloatArray:
        q = np.asarray(q, dtype=float)
        if q.ndim < 1 or len(q) != self.size:
            raise ModelError(f"{self!r}: expected {self.size} coordinates, (m,) or (m, k), not {q.shape}.")
        return np.asarray(q)

    def force(self, node: int | str, force: Any, moment: Any = (0.0, 0.0, 0.0)) -> FloatArray:
        """Generalised forces (m,) of a force and a moment at a node, or at the frame of an interface by its name."""
        F = as_array(self.name, "force", force, (3,))
        both = np.concatenate([F, as_array(self.name, "moment", moment, (3,))])
        if isinstance(node, str):
            frame = self.joined(node)
            if frame.kind == "nodes" and len(np.unique(frame.node)) > 1:
                raise ModelError(f"{self!r}: interface {node!r} has many nodes; give the number of one.")
            out = np.zeros(self.size)
            out[frame.coordinates] = both[frame.component]
            return out
        rows = self.dofs.of(as_count(f"{self!r}", "node", node))
        if not len(rows):
            raise ModelError(f"{self!r}: node {show(node)} has no displacements.")
        return np.asarray(np.asarray(self.shapes)[rows].T @ both[self.dofs.component[rows]])

    def report(self, **options: Any) -> ReductionReport:
        """How good the reduction is; see `flexmbs.reduction.report.report.report`."""
        from flexmbs.reduction.report.report import report

        return report(self, **options)

    def save(self, path: str | Path) -> Path:
        """Write an HDF5 file; see `flexmbs.reduction.store`."""
        from flexmbs.reduction.store import save

        return save(self, path)

    def export(
        self, output: str | Path, to: str | Sequence[str] | None = None, **options: Any
    ) -> tuple[ExportResult, ...]:
        """Write files for other tools; see `flexmbs.reduction.export`."""
        from flexmbs.reduction.export import export

        return export(self, output, to, **options)


def projected(attached: Attached, basis: Basis) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """K, M and D in the coordinates of a basis, symmetric to the last bit."""
    operators: Operators = attached.operators
    out = []
    for A in (operators.K, operators.M, operators.D):
        small = None if A is None else basis.vectors.T @ (A @ basis.vectors)
        out.append(None if small is None else 0.5 * (small + small.T))
    K, M, D = out
    assert K is not None  # noqa: S101  # the operators have both
    assert M is not None  # noqa: S101
    return K, M, D
