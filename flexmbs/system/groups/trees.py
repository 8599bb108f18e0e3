"""Trees in relative coordinates, compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.given import COORDINATES, MASS
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.tree import TREE
from flexmbs.kernels.trees.dynamics import tree_energy, tree_force, tree_mass, tree_mass_behind, tree_tangent
from flexmbs.kernels.trees.group import TreeGroup
from flexmbs.kernels.trees.momentum import tree_centre, tree_momentum
from flexmbs.model.trees.columns import column_kinds, heads, tree_group
from flexmbs.model.trees.link_shapes import link_shape
from flexmbs.system.flexible_links import FlexibleLinks
from flexmbs.system.groups.contract import RigidFields, least_ratio
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.floating import shape_sizes
from flexmbs.system.groups.gravity import gravity_of
from flexmbs.system.groups.inertia import InertiaCalls, InertiaStage, MovingBlocks
from flexmbs.system.groups.linear_turns import LinearTurn, of_interfaces
from flexmbs.system.groups.moving import MovingBodies
from flexmbs.system.groups.own_arrays import Own, with_own
from flexmbs.system.groups.spans import Section, Span, joined
from flexmbs.system.marker_set import MarkerSet
from flexmbs.system.tree_places import TreePlaces

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["Trees"]


class Trees(MovingBodies):
    """`Tree`: the coordinates of joints, and the shapes of flexible links.

    ``places``: where the columns of each tree are; ``table``: all trees as columns; ``flexible``: their flexible links,
    if there are any.
    """

    kind: ClassVar[str] = "tree"
    table: TreeGroup
    flexible: FlexibleLinks | None = None
    _coordinates: Coordinates

    def __init__(self, bodies: tuple[Any, ...], model: Model) -> None:
        super().__init__((), model)
        self.bodies = bodies
        self.places = tuple(TreePlaces(tree) for tree in bodies)
        spans: list[Span] = []
        for places in self.places:
            joints = Span(Section.JOINTS, places.tree, *places.start_of_columns())
            turning = Span(Section.ROTATIONS, places.tree, *places.start_of_rotations(), n_nodes=0, to=joints)
            spans += [joints, turning]
        self.spans = tuple(spans)

    def numbered(self, n_linear: int) -> None:
        super().numbered(n_linear)
        for places in self.places:
            joints, turning = self.spans_of(places.tree)
            places.number(joints.iv, turning.iq, turning.iv, n_linear)

    @property
    def members(self) -> tuple[Any, ...]:
        return (*self.bodies, *(link for tree in self.bodies for link in tree.bodies))

    def of(self, tree: Any) -> TreePlaces:
        """The places of a tree."""
        return self._number[tree][1]

    def first_column(self, tree: Any) -> int:
        """Number of the first column of a tree among those of all trees."""
        return self._number[tree][0]

    @cached_property
    def _number(self) -> dict[Any, tuple[int, TreePlaces]]:
        ends = np.cumsum([0, *(len(p.columns.kind) for p in self.places)]).tolist()
        return {p.tree: (first, p) for first, p in zip(ends, self.places, strict=False)}

    def velocities(self, body: Any) -> IntArray:
        """Of a tree those of all joints and shapes; of a link those of its joint."""
        if body in self._number:
            return self.of(body).unknowns
        places = self.of(body.tree)
        return places.dof[places.own(body.index)]

    def in_q(self, body: Any) -> IntArray:
        """Of a tree those of its joints, link by link, of a link those of its joint; quaternions are four numbers."""
        if body in self._number:
            return self.of(body).in_q
        return self.of(body.tree).joint_in_q(body.index)

    def shapes(self, body: Any) -> IntArray:
        if body in self._number:
            return joined([self.shapes(link) for link in body.bodies])
        return self.of(body.tree).eta.get(body.index, np.zeros(0, dtype=np.int64))

    def own_sizes(self, length: float) -> Iterator[tuple[IntArray, FloatArray | float]]:
        for link in (link for tree in self.bodies for link in tree.bodies if link.deforms):
            yield self.shapes(link), shape_sizes(link.link.floating.inertia, length)

    def translations(self, body: Any) -> IntArray:
        """Displacements of its joints."""
        return self.of(body).displacements

    @property
    def idle(self) -> IntArray:
        return joined([places.idle for places in self.places])

    def describe(self, dof: int) -> str | None:
        return next((named for p in self.places if (named := p.describe(dof)) is not None), None)

    def moves(
        self, before: FloatArray, after: FloatArray, step: FloatArray
    ) -> Iterator[tuple[Any, IntArray, float, float]]:
        """By the largest displacement, and the largest angle, of a joint."""
        for places in self.places:
            dofs = places.unknowns
            lengths = np.isin(dofs, places.displacements)
            far, turn = (float(np.abs(step[dofs[part]]).max(initial=0.0)) for part in (lengths, ~lengths))
            yield places.tree, dofs, far, turn

    def soft(self, q: FloatArray, v: FloatArray) -> Iterator[tuple[Any, FloatArray, str]]:
        links = [link for tree in self.bodies for link in tree.bodies if link.deforms and link.link.modes]
        if not links:
            return
        c = self._coordinates
        markers = MarkerSet(c, [link.marker((0.0, 0.0, 0.0)) for link in links], set(), 0)
        work = markers.work(np.zeros(c.n_v), np.zeros(markers.size))
        spins = [np.linalg.norm(markers.poses(work, *state).twist[:, 3:], axis=1) for state in zip(q, v, strict=True)]
        advice = "take a FloatingBody of a model reduced with geometric_stiffening=True in place of the flexible link"
        for link, rates in zip(links, np.array(spins).T, strict=True):
            yield link.link.floating, rates, advice

    @property
    def turns_little(self) -> bool:
        return self.flexible is not None

    def linear_turns(self, q: FloatArray) -> Iterator[LinearTurn]:
        for link in (link for tree in self.bodies for link in tree.bodies if link.deforms):
            yield from of_interfaces(link.link.floating, q[:, self.shapes(link)])

    def rigid_fields(self) -> RigidFields:
        """Of rotations by quaternion, with the place of a free root; other coordinates of joints do not turn."""
        found = RigidFields([], [], [], [])
        for places in self.places:
            for first in (self.n_linear + 6 * np.unique(places.rot[places.rot >= 0])).tolist():
                found.turns.append(first + 3)
                if first in places.idle:
                    found.alone.append(first + 3)
                else:
                    found.points.append(np.arange(first, first + 3)[None, :])
        return found

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        self._coordinates = coordinates
        self.own_gravity = gravity_of(self.model, str(self.bodies[0]))
        columns = [(p.dof, p.qi, p.rot, p.place) for p in self.places]
        loads = list(zip(self.own_gravity[0].tolist(), self.own_gravity[1], strict=True))
        self.table = tree_group(self.bodies, columns, coordinates.n_v, b1, loads)
        if not len(self.table.kind):
            return b1  # all links are fixed to the ground
        if any(link.deforms for tree in self.bodies for link in tree.bodies):
            self.flexible = FlexibleLinks(self.table, self.places)
            flexible = self.flexible
            self.stages = (InertiaCalls("trees", flexible, flexible.force, flexible.tangent),)
            renew = alone = flexible.mass
        else:
            self.stages = (InertiaStage("trees", self.table, tree_force, tree_tangent),)
            renew, alone = ((tree_mass_behind, (self.table, MASS)),), ((tree_mass, (self.table, COORDINATES, MASS)),)
        start, blocks = b1, []
        for places in self.places:
            blocks.append(Blocks(places.unknowns[None, :], b1))
            b1 += len(places.unknowns) ** 2
        self.blocks = tuple(blocks)
        self.moving = MovingBlocks(
            tuple(block.dofs[0] for block in blocks), tuple(block.b1 for block in blocks),
            tuple(places.related() > 0.0 for places in self.places), self.write, recursive=True,
            renew=renew, alone=alone,
        )  # fmt: skip
        self.mass = self.mass_from(start, b1, coordinates.reference)
        return b1

    @property
    def scratch(self) -> tuple[FloatArray, ...]:
        t = self.table
        own = (t.rise, t.origin, t.work, t.room, t.frames, t.turn) if len(t.kind) else ()
        return own if self.flexible is None else (*own, *self.flexible.scratch)

    def take_own(self, own: Own) -> None:
        self.table = with_own(self.table, own)
        if self.flexible is not None:
            self.flexible = self.flexible.with_own(own)

    def write(self, q: FloatArray, blocks: FloatArray) -> None:
        if self.flexible is None:
            tree_mass(self.table, q, blocks)
        else:
            self.flexible.write(q, blocks)

    @property
    def damping_ratio(self) -> float:
        links = [link.link.floating for tree in self.bodies for link in tree.bodies if link.deforms]
        return min((least_ratio(link.frequencies, link.viscosity) for link in links), default=math.inf)

    def strain_energy(self, q: FloatArray) -> float:
        return 0.0 if self.flexible is None else self.flexible.energy(q)

    def weight_energy(self, q: FloatArray, scale: FloatArray) -> float:
        weight = np.zeros(len(self.bodies))
        tree_energy(self.table, q, scale, weight)
        total = float(weight.sum())
        if self.flexible is not None:
            total -= float(scale[self.table.load] @ self.table.g @ self.flexible.moments(q)[1])
        return total

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        P, L = tree_momentum(self.table, q, v)
        if self.flexible is None:
            return P, L
        more = self.flexible.momentum(q, v)
        return P + more[0], L + more[1]

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        total, centre = tree_centre(self.table, q)
        moment = total * centre
        if self.flexible is not None:
            part, where = self.flexible.moments(q)
            total, moment = total + part, moment + where
        return total, moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        return ((tree, link.place[0][None, :]) for tree in self.bodies for link in tree.bodies)

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry | None:
        body: Any = marker.body
        places, tree = self.of(body.tree), body.tree
        outlet = getattr(marker, "outlet", None)
        path = places.path(body.index, outlet)
        if not len(path):
            return None  # fixed to the base
        R, p = places.columns.R_L[body.index], places.columns.p_L[body.index]
        s = p + R @ marker.point
        if outlet is not None:
            R, s = np.eye(3), np.zeros(3)
        dofs = places.dof[path]
        return MarkerEntry(TREE, dofs, dofs,
                           {"path": self.first_column(tree) + path, "s": s, "R_BM": R @ marker.frame,
                            "base_p": tree.position, "base_R": tree.rotation})  # fmt: skip

    def complete(self, entries: list[MarkerEntry]) -> list[MarkerEntry]:
        """Ways of different length in one table: shorter ones are filled up with their first column."""
        ways = [e for e in entries if e.kind is TREE]
        longest = max((len(e.dofs) for e in ways), default=0)
        shared = self._columns | {"work": np.zeros((longest, 18))}

        def filled(entry: MarkerEntry) -> MarkerEntry:
            if entry.kind is not TREE:
                return entry
            own = entry.columns["path"]
            more = np.zeros(longest - len(own), dtype=np.int64)
            dofs = np.concatenate((entry.dofs, entry.dofs[more]))
            path = {"ways": len(own), "path": np.concatenate((own, own[more])), "axes": np.zeros((longest, 4, 3))}
            return MarkerEntry(TREE, dofs, dofs, entry.columns | path, shared)

        return [filled(entry) for entry in entries]

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """The tables of columns that markers on trees need."""
        parts = [p.columns for p in self.places]
        found: dict[str, Any] = {
            name: np.ascontiguousarray(np.concatenate([getattr(part, name) for part in parts]))
            for name in ("screw", "R0", "p0")
        }
        found["kind"] = column_kinds(parts)
        for name in ("qi", "dof", "rot"):
            found[name] = joined([getattr(p, name) for p in self.places])
        return found | {"head": heads(found["kind"])}

    def coordinate(self, body: Any, index: int, node: int | None) -> int:
        """Of a link a coordinate of its joint."""
        return int(self.velocities(body)[index])

    def drawing(self, body: Any) -> Drawing | None:
        """Of a link; the frame is that of the link."""
        if body in self._number:
            return None  # its links are drawn
        frame = body.marker((0.0, 0.0, 0.0))
        if body.deforms:
            return Drawing(body.name, "reduced", body.link.floating, first=self.shapes(body), marker=frame)
        return Drawing(body.name, "shape", body, *link_shape(body), marker=frame)
