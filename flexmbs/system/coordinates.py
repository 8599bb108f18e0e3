"""Numbering: which entry of q is which coordinate of which body.

Bodies say what coordinates they have (`flexmbs.system.groups.contract.Span`), and in which section of q and v these
belong; here they get their places. Coordinates of vector spaces come first and have the same place in q and in v: nodes
of flexible bodies, shapes of floating and linear bodies, displacements and angles of the joints of trees, point masses,
planar rigid bodies, extra coordinates (such as those whose velocities are first-order states). Then come the rigid
bodies, and the frames of floating ones, with 7 coordinates in q (position of the centre of mass, or of the origin of
the frame, unit quaternion with its scalar first) and 6 in v; and so do the rotations by quaternion in trees, whose
translation is that of a free root, or stays zero. Behind them, with as many, come the nodes of flexible bodies that
have a quaternion. Numbers of coordinates are places in v.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.nodes import largest_turn, places_in_q
from flexmbs.system.groups import BodyGroup, Section, Span, groups_of
from flexmbs.system.initial_velocities import refuse_contradictions

if TYPE_CHECKING:
    from typing import Any

    from flexmbs.core.extra_coordinate import ExtraCoordinate
    from flexmbs.model.bodies.attachment import Attachment
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.model import Model
    from flexmbs.system.tree_places import TreePlaces

__all__ = ["Coordinates"]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The coordinates of a model.

    ``groups``: its bodies by kind, each with the places of its own; ``reference (n_q,)``: q in the initial
    configuration (flexible bodies stress-free); ``velocity (n_v,)``: initial v; ``node_of (n_v,)``: number of the node
    or body each entry belongs to (a hinged position: to the first node); ``n_linear``: number of coordinates of vector
    spaces; ``extra``: the extra coordinates, from ``n_linear - len(extra)`` on.
    """

    groups: tuple[BodyGroup, ...]
    reference: FloatArray
    velocity: FloatArray
    node_of: IntArray
    n_linear: int
    extra: tuple[ExtraCoordinate, ...]

    @classmethod
    def of(cls, model: Model, extra: tuple[ExtraCoordinate, ...] = ()) -> Coordinates:
        """Number the coordinates of a model."""
        groups = groups_of(model)
        spans = [span for group in groups for span in group.spans]
        spans += [Span(Section.EXTRA, e, e.initial_q, e.initial_v) for e in extra]
        order = IdentityMap.numbers((*model.described, *extra))
        spans.sort(key=lambda span: (span.section, order[span.body]))
        iq = iv = n_nodes = 0
        first_node: dict[Span, int] = {}
        nodes = []
        for span in spans:
            span.iq, span.iv = iq, iv
            first_node[span] = n_nodes if span.to is None else first_node[span.to]
            own = np.zeros(len(span.v), dtype=np.int64) if span.nodes is None else span.nodes
            nodes.append(first_node[span] + own)
            iq, iv, n_nodes = iq + len(span.q), iv + len(span.v), n_nodes + span.n_nodes
        n_linear = sum(len(span.v) for span in spans if span.section <= Section.EXTRA)
        for group in groups:
            group.numbered(n_linear)
        start = np.concatenate([np.zeros(0), *(span.q for span in spans)])
        rate = np.concatenate([np.zeros(0), *(span.v for span in spans)])
        found = cls(groups, start, rate, np.concatenate(nodes).astype(np.int64), n_linear, extra)
        if len(model.initial) > 1:
            refuse_contradictions(model, found, start)
        for item in model.initial:
            item.velocity_field(found.node_dofs[found.index(item.body)], start, rate)
        return found

    @property
    def n(self) -> int:
        """Length of q."""
        return len(self.reference)

    @property
    def n_v(self) -> int:
        """Length of v."""
        return len(self.velocity)

    @property
    def n_rotating(self) -> int:
        """Number of frames: rigid and floating bodies, rotations in trees, nodes with a quaternion."""
        return (self.n_v - self.n_linear) // 6

    @cached_property
    def bodies(self) -> tuple[FlexibleBody, ...]:
        """The bodies with nodes, in the order of ``node_dofs``."""
        return tuple(body for group in self.groups if group.node_dofs for body in group.bodies)

    @cached_property
    def node_dofs(self) -> tuple[IntArray, ...]:
        """Places in v of the coordinates of the nodes (n_nodes, n) of each of ``bodies``."""
        return tuple(dofs for group in self.groups for dofs in group.node_dofs)

    @cached_property
    def elements(self) -> tuple[Any, ...]:
        """The tables of the elements of each of ``bodies``."""
        return tuple(table for group in self.groups for table in group.elements)

    @cached_property
    def translations(self) -> IntArray:
        """Places in v of positions and displacements of nodes."""
        return self._all([group.displacements for group in self.groups if group.node_dofs])

    @cached_property
    def displacements(self) -> IntArray:
        """Places in v of all velocities that are lengths per time: of nodes, points, rigid bodies, joints of trees."""
        return self._all([group.displacements for group in self.groups])

    @cached_property
    def angles(self) -> IntArray:
        """Places in v of angles in the plane that turn a body."""
        return self._all([group.angles for group in self.groups])

    @cached_property
    def idle(self) -> IntArray:
        """Places in v that never move."""
        return self._all([group.idle for group in self.groups])

    @staticmethod
    def _all(parts: list[IntArray]) -> IntArray:
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)

    @cached_property
    def _group_of(self) -> IdentityMap[Any, BodyGroup]:
        return IdentityMap((member, group) for group in self.groups for member in group.members)

    def group_of(self, body: object) -> BodyGroup:
        """The group that a body of the model, a tree or a link belongs to."""
        found = self._group_of.get(body)
        if found is None:
            raise ModelError(
                f"body {getattr(body, 'name', body)!r} is not the one in this model; use the object the model was "
                f"made of."
            )
        return found

    def group(self, kind: str) -> Any:
        """The group of a kind of bodies; raises `ModelError` where the model has none."""
        for group in self.groups:
            if group.kind == kind:
                return group
        raise ModelError(f"there are no bodies of the kind {kind!r} in this model.")

    def velocities(self, body: object) -> IntArray:
        """All places of a body in v."""
        return self.group_of(body).velocities(body)

    def in_q(self, body: object) -> IntArray:
        """All places of a body in q."""
        return self.group_of(body).in_q(body)

    def shapes(self, body: object) -> IntArray:
        """Places of the amplitudes of the shapes of a body, the same in q and v; empty for one without."""
        return self.group_of(body).shapes(body)

    def place(self, body: object) -> tuple[int, int]:
        """First entry in q and in v of the frame, or the position, of a body."""
        span = self.group_of(body).spans_of(body)[0]
        return span.iq, span.iv

    def tree(self, tree: Any) -> TreePlaces:
        """The places of a tree of the model."""
        if tree not in self._group_of:
            raise ModelError(
                f"{tree} is not the one in this model; use the object the model was made of, or its name and those of "
                f"its joints, such as {tree.name!r}."
            )
        return self._group_of[tree].of(tree)  # type: ignore[attr-defined, no-any-return]  # trees have a group of their own

    def largest_turn(self, before: FloatArray, after: FloatArray) -> float:
        """Largest angle [rad], at most pi, between slopes, directors or frames of a node in two states; or 0."""
        largest = 0.0
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            layout = body.element.layout
            places = places_in_q(layout, dofs, self.n_linear)
            largest = max(largest, largest_turn(layout, before[places], after[places]))
        return largest

    def index(self, body: FlexibleBody) -> int:
        """Number of a body in the model."""
        for i, other in enumerate(self.bodies):
            if other is body:
                return i
        raise ModelError(
            f"body {body.name!r} is not the one in this model; use the object the model was made of, "
            f"for example model.body({body.name!r})."
        )

    def dofs(self, at: Attachment) -> IntArray:
        """Places in v (n, n_node), and but for quaternions in q, of the nodes of ``at``."""
        return self.node_dofs[self.index(at.body)][list(at.nodes)]

    def state_places(self, item: object) -> IntArray:
        """Places in v of the states of a first-order item."""
        first = self.n_linear - len(self.extra)
        return np.array([first + i for i, e in enumerate(self.extra) if e.owner is item], dtype=np.int64)

    def extra_place(self, item: ExtraCoordinate) -> int:
        """Place of an extra coordinate in q and in v."""
        return self.n_linear - len(self.extra) + next(i for i, e in enumerate(self.extra) if e is item)

    def describe(self, dof: int) -> str:
        """An entry of v in words."""
        for group in self.groups:
            named = group.describe(dof)
            if named is not None:
                return named
        first = self.n_linear - len(self.extra)
        return self.extra[dof - first].name if first <= dof < self.n_linear else f"coordinate {dof}"
