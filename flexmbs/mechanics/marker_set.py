"""Numbered markers of any bodies with their tables: where everything that acts between markers gets its kinematics."""

from __future__ import annotations

from collections.abc import Container
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.bodies.floating import FloatingBody, FloatingMarker
from flexmbs.bodies.ground import Ground
from flexmbs.bodies.linear import LinearMarker
from flexmbs.bodies.marker import Marker
from flexmbs.bodies.planar import PlanarRigidBody
from flexmbs.bodies.point_mass import PointMass
from flexmbs.bodies.rigid import RigidBody
from flexmbs.body import FlexibleBody
from flexmbs.coordinates import Coordinates
from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.sparsity import Blocks
from flexmbs.joints.coordinate_joint import CoordinateMarker
from flexmbs.joints.sliding import CablePoint
from flexmbs.markers.cable_point import CABLE_POINT
from flexmbs.markers.directors import DIRECTORS
from flexmbs.markers.floating import FLOATING
from flexmbs.markers.kind import MarkerKind
from flexmbs.markers.linear_body import LINEAR_BODY
from flexmbs.markers.planar_linear import PLANAR_LINEAR
from flexmbs.markers.planar_rigid import PLANAR_RIGID
from flexmbs.markers.planar_slope import PLANAR_SLOPE
from flexmbs.markers.points import POINT
from flexmbs.markers.rigid import RIGID
from flexmbs.markers.spatial_linear import SPATIAL_LINEAR
from flexmbs.markers.spatial_slope import SPATIAL_SLOPE
from flexmbs.markers.tree import TREE
from flexmbs.trees.columns import heads
from flexmbs.trees.tree import TreeLink

__all__ = ["MarkerSet", "n_translations"]


@dataclass
class _Entry:
    """A marker while it is compiled: its kind, its coordinates, and its columns of the group by name."""

    number: int
    kind: MarkerKind
    dofs: IntArray
    pdofs: IntArray
    columns: dict[str, Any] = field(default_factory=dict)


def _sort(entry: _Entry) -> tuple[Any, ...]:
    """What markers of one group have in common: their kind and the shapes of their columns."""
    return entry.kind, len(entry.dofs), len(entry.pdofs), *(np.shape(c) for c in entry.columns.values())


class MarkerSet:
    """Markers of a model, compiled.

    Attributes
    ----------
    markers : tuple of Marker
    ptr : (n_m + 1,) int array
        Rows of marker i in ``JT`` are ``ptr[i]`` to ``ptr[i + 1]``.
    dof : (n_r,) int array
        Coordinate of each row.
    groups : list of (MarkerKind, group)
    blocks : list of Blocks
        Of the pullback stiffness.
    size : int
        End of these blocks in the common buffer.
    """

    def __init__(self, coordinates: Coordinates, markers: list[Marker], points: Container[Marker], b1: int) -> None:
        self.coordinates, self.markers = coordinates, tuple(markers)
        self.number = IdentityMap.numbers(markers)
        entries = [self._entry(i, m, m in points) for i, m in enumerate(markers)]
        counts = [0 if e is None else len(e.dofs) for e in entries]
        self.ptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        used = [e for e in entries if e is not None]
        self.dof = np.array([k for e in used for k in e.dofs], dtype=np.int64)
        self.groups: list[tuple[MarkerKind, Any]] = []
        self.blocks: list[Blocks] = []
        longest = max((len(e.dofs) for e in used if e.kind is TREE), default=0)
        for entry in used:
            if entry.kind is TREE:
                _fill_up(entry, longest)
        tables = _tree_tables(coordinates, longest)
        self.fixed = [(i, m) for i, (m, e) in enumerate(zip(markers, entries, strict=True)) if e is None]
        for key in dict.fromkeys(_sort(e) for e in used):
            alike = [e for e in used if _sort(e) == key]
            kind = alike[0].kind
            mk = np.array([e.number for e in alike], dtype=np.int64)
            pdofs = np.array([e.pdofs for e in alike], dtype=np.int64).reshape(len(alike), len(alike[0].pdofs))
            columns = {name: np.ascontiguousarray([e.columns[name] for e in alike]) for name in alike[0].columns}
            if kind is TREE:
                columns |= tables | {"axes": np.zeros((len(alike), pdofs.shape[1], 4, 3))}
            group = kind.group(
                mk=mk,
                row=self.ptr[mk],
                dofs=np.array([e.dofs for e in alike], dtype=np.int64),
                pdofs=pdofs,
                b1=b1,
                **columns,
            )
            self.groups.append((kind, group))
            if pdofs.shape[1]:
                self.blocks.append(Blocks(pdofs, b1))
                b1 += len(alike) * pdofs.shape[1] ** 2
        self.size = b1

    def for_run(self) -> MarkerSet:
        """The same with reference frames of its own, which follow the markers of one run."""
        own = copy(self)
        own.groups = [(k, g if k.rebase is None else g._replace(R0=g.R0.copy())) for k, g in self.groups]
        return own

    def work(self, r: FloatArray, B: FloatArray) -> MarkerWork:
        """Work arrays with everything in place that never changes."""
        n, n_r, n_rot = len(self.markers), len(self.dof), self.coordinates.n_rotating
        T = np.zeros((n_rot, 3, 3))
        T[:] = np.eye(3)
        work = MarkerWork(
            r, B, np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 6)), np.zeros((n, 6)),
            np.zeros((n_r, 6)), np.zeros((n_r, 6)), np.zeros((n_r, 6)), T, np.zeros((64, 12)),
        )  # fmt: skip
        for i, marker in self.fixed:
            work.p[i], work.R[i] = marker.position0(), marker.rotation0()
        for kind, group in self.groups:
            kind.constants(group, work)
        return work

    def poses(self, work: MarkerWork, q: FloatArray, v: FloatArray, tangent: bool = False) -> MarkerWork:
        """Fill positions, orientations and twists of the markers at a state; with ``tangent`` also ``JvT``."""
        state = State(q, v, v, v)
        for kind, group in self.groups:
            (kind.place_tangent if tangent else kind.place)(group, state, Env(0.0, np.zeros(0)), work)
        return work

    def rebase(self, q: FloatArray) -> None:
        """Reference frames start from their present place, so that they can be followed round."""
        for kind, group in self.groups:
            if kind.rebase is not None:
                kind.rebase(group, q, 1.0)

    def _entry(self, number: int, marker: Marker, point: bool) -> _Entry | None:
        body = marker.body
        if isinstance(body, Ground):
            return None
        if isinstance(marker, CoordinateMarker):
            k = np.array([self._coordinate(marker)])
            return _Entry(number, POINT, k, k[:0], {"o": np.zeros(3), "R_BM": np.eye(3)})
        if isinstance(marker, FloatingMarker):
            iq, iv = self.coordinates.place(body)
            assert isinstance(body, FloatingBody)  # noqa: S101  # such markers have no other
            shapes = self.coordinates.modal[id(body)] + np.arange(body.modes)
            turn = np.concatenate((np.arange(iv + 3, iv + 6), shapes))
            rot = (iv - self.coordinates.n_linear) // 6
            return _Entry(number, FLOATING, np.concatenate((np.arange(iv, iv + 3), turn)), turn,
                          {"qi": iq, "rot": rot, "s": marker.point, "R_BM": marker.frame, "Phi": marker.phi,
                           "Psi": marker.psi, "Z": marker.second})  # fmt: skip
        if isinstance(marker, LinearMarker):
            modes = self.coordinates.modal[id(body)] + np.arange(marker.phi.shape[1])
            R = marker.node_frame
            return _Entry(number, LINEAR_BODY, modes, modes[:0] if point else modes,
                          {"o": marker.position0(), "R_BM": marker.rotation0(), "Phi": R @ marker.phi,
                           "Psi": R @ marker.psi})  # fmt: skip
        if isinstance(body, TreeLink):
            return self._link(number, marker, body)
        if isinstance(body, RigidBody | PlanarRigidBody | PointMass):
            iq, iv = self.coordinates.place(body)
            if isinstance(body, RigidBody):
                rot = (iv - self.coordinates.n_linear) // 6
                return _Entry(number, RIGID, np.arange(iv, iv + 6), np.arange(iv + 3, iv + 6),
                              {"qi": iq, "rot": rot, "s": marker.point, "R_BM": marker.frame})  # fmt: skip
            if isinstance(body, PlanarRigidBody):
                return _Entry(number, PLANAR_RIGID, np.arange(iv, iv + 3), np.arange(iv + 2, iv + 3),
                              {"s": marker.point, "R_BM": marker.frame})  # fmt: skip
            dofs = np.arange(iv, iv + n_translations(body))
            return _Entry(number, POINT, dofs, dofs[:0], {"o": np.zeros(3), "R_BM": marker.frame})
        if not isinstance(body, FlexibleBody):
            raise ModelError(f"{marker}: a {type(body).__name__} carries no markers here.")
        return self._node(number, marker, body, point)

    def _link(self, number: int, marker: Marker, body: TreeLink) -> _Entry | None:
        """A marker on a link of a tree."""
        places = self.coordinates.tree(body.tree)
        outlet = getattr(marker, "outlet", None)
        path = places.path(body.index, outlet)
        if not len(path):
            return None  # fixed to the base
        R, p = places.columns.R_L[body.index], places.columns.p_L[body.index]
        s = p + R @ marker.point
        if outlet is not None:
            R, s = np.eye(3), np.zeros(3)
        dofs = places.dof[path]
        first = sum(len(t.columns.kind) for t in self.coordinates.trees[: self.coordinates.trees.index(places)])
        return _Entry(number, TREE, dofs, dofs,
                      {"path": first + path, "s": s, "R_BM": R @ marker.frame,
                       "base_p": body.tree.position, "base_R": body.tree.rotation})  # fmt: skip

    def _coordinate(self, marker: CoordinateMarker) -> int:
        """Place of the coordinate of such a marker."""
        if isinstance(marker.body, FlexibleBody):
            return int(self.coordinates.node_dofs[self.coordinates.index(marker.body)][marker.node, marker.index])
        if isinstance(marker.body, TreeLink):
            places = self.coordinates.tree(marker.body.tree)
            return int(places.dof[places.own(marker.body.index)[marker.index]])
        return self.coordinates.place(marker.body)[1] + marker.index

    def _node(self, number: int, marker: Marker, body: FlexibleBody, point: bool) -> _Entry:
        """A marker on a node of a flexible body; ``point``: nothing depends on its orientation."""
        layout = body.element.layout
        if isinstance(marker, CablePoint):
            nodes = self.coordinates.node_dofs[self.coordinates.index(body)][list(marker.nodes)].ravel()
            whole = np.append(nodes, self.coordinates.extra_place(marker.place))
            return _Entry(number, CABLE_POINT, whole, whole, {"start": marker.start, "R_BM": marker.frame})
        own = self.coordinates.node_dofs[self.coordinates.index(body)][marker.node]
        if layout.quaternion:
            rot = (int(own[0]) - self.coordinates.n_linear) // 6
            return _Entry(number, RIGID, own, own[3:], {"qi": self.coordinates.n_linear + 7 * rot, "rot": rot,
                          "s": np.zeros(3), "R_BM": marker.frame})  # fmt: skip
        place = own[list(layout.position)]
        o = np.zeros(3)
        if not layout.absolute:
            o[: layout.dim] = body.mesh.points[marker.node]
        if point:
            return _Entry(number, POINT, place, place[:0], {"o": o, "R_BM": marker.rotation0()})
        turn = own[list(layout.frame or layout.slope or layout.rotation)]
        dofs = np.concatenate((place, turn))
        if layout.frame:
            return _Entry(number, DIRECTORS, dofs, turn, {"R_BM": marker.frame})
        if layout.dim == 2 and layout.slope:
            return _Entry(number, PLANAR_SLOPE, dofs, turn, {"R_BM": marker.frame})
        if layout.dim == 2:
            return _Entry(number, PLANAR_LINEAR, dofs, turn[:0], {"o": o, "R_BM": marker.rotation0()})
        if layout.slope:
            return _Entry(number, SPATIAL_SLOPE, dofs, turn, {"R0": marker.node_frame, "R_BM": marker.frame})
        return _Entry(number, SPATIAL_LINEAR, dofs, turn, {"o": o, "R_BM": marker.rotation0()})


def _fill_up(entry: _Entry, longest: int) -> None:
    """Ways of different length in one table: shorter ones are filled up with their first column."""
    own = entry.columns["path"]
    entry.columns["ways"] = len(own)
    more = np.zeros(longest - len(own), dtype=np.int64)
    entry.columns["path"] = np.concatenate((own, own[more]))
    entry.dofs = entry.pdofs = np.concatenate((entry.dofs, entry.dofs[more]))


def _tree_tables(coordinates: Coordinates, longest: int) -> dict[str, Any]:
    """The tables of columns that markers on trees need."""
    trees = coordinates.trees
    if not longest:
        return {}
    names = ("kind", "screw", "R0", "p0")
    joined = {name: np.ascontiguousarray(np.concatenate([getattr(t.columns, name) for t in trees])) for name in names}
    for name in ("qi", "dof", "rot"):
        joined[name] = np.concatenate([getattr(t, name) for t in trees]).astype(np.int64)
    joined["head"] = heads(joined["kind"])
    return joined | {"work": np.zeros((longest, 18))}


def n_translations(body: RigidBody | PlanarRigidBody | PointMass) -> int:
    """Number of coordinates of its position, which come first."""
    return len(body.position)
