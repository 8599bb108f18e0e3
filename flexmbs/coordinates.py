"""Numbering: which entry of q is which coordinate of which body, with hinged nodes sharing their position.

Coordinates of vector spaces come first and have the same place in q and in v: nodes of flexible bodies, shapes of
floating and linear bodies, displacements and angles of the joints of trees, point masses, planar rigid bodies, extra
coordinates (such as those whose velocities are first-order states). Then come the rigid bodies, and the frames of
floating ones, with 7 coordinates in q (position of the centre of mass, or of the origin of the frame, unit quaternion
with its scalar first) and 6 in v; and so do the rotations by quaternion in trees, whose translation is that of a free
root, or stays zero. Behind them, with as many, come the nodes of flexible bodies that have a quaternion. Numbers of
coordinates are places in v.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.bodies.linear import LinearBody
from flexmbs.bodies.rigid import RigidBody
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.trees.places import TreePlaces

if TYPE_CHECKING:
    from typing import Any

    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.model import Model

__all__ = ["Coordinates", "ExtraCoordinate"]

TURNING = (RigidBody, FloatingBody)
"""Bodies with a quaternion."""


@dataclass(frozen=True, eq=False)
class ExtraCoordinate:
    """A coordinate that belongs to no body: a state of a controller, the place of a sliding joint on its cable.

    First-order states are velocities of extra coordinates of unit mass: with zdot = x the state equation xdot = f is
    zddot = f, and every scheme for equations of motion integrates it.
    """

    name: str
    value: float = 0.0
    rate: float = 0.0
    mass: float = 1.0
    owner: object = None

    @property
    def initial_q(self) -> FloatArray:
        """Value at the start (1,)."""
        return np.array([self.value])

    @property
    def initial_v(self) -> FloatArray:
        """Rate at the start (1,)."""
        return np.array([self.rate])


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The coordinates of a model.

    ``node_dofs``: per flexible body (n_nodes, n) entries; ``reference (n_q,)``: q in the initial configuration
    (flexible bodies stress-free); ``velocity (n_v,)``: initial v; ``node_of (n_v,)``: number of the node or body each
    entry belongs to (a hinged position: to the first node); ``translations``: the entries of flexible bodies that are
    positions or displacements; ``n_linear``: number of coordinates of vector spaces; ``places``: first entry in q and
    in v of each rigid body, in the order of the model; ``extra``: the extra coordinates, from ``n_linear - len(extra)``
    on; ``modal``: first entry of the shapes of each floating or linear body, by its id; ``linear``: the linear bodies;
    ``trees``: the places of the columns of each tree; ``idle``: entries of v that never move.
    """

    bodies: tuple[FlexibleBody, ...]
    node_dofs: tuple[IntArray, ...]
    reference: FloatArray
    node_of: IntArray
    translations: IntArray
    rigid: tuple[Any, ...]
    places: tuple[tuple[int, int], ...]
    velocity: FloatArray
    n_linear: int
    extra: tuple[ExtraCoordinate, ...]
    modal: Mapping[int, int]
    linear: tuple[LinearBody, ...]
    trees: tuple[TreePlaces, ...]
    idle: IntArray

    @classmethod
    def of(cls, model: Model, extra: tuple[ExtraCoordinate, ...] = ()) -> Coordinates:
        """Number the coordinates of a model."""
        dims = {b.mesh.dim for b in model.flexible_bodies}
        if len(dims) > 1:
            flat = [b.name for b in model.flexible_bodies if b.mesh.dim == 2]
            raise ModelError(
                f"Model {model.name!r}: planar bodies {flat} and spatial ones cannot be in one model; put the mesh "
                f"into space with mesh.in_space() and use a spatial element."
            )
        nodes, own, total, n_nodes = [], [], 0, 0
        for body in model.flexible_bodies:
            count, n = body.mesh.n_points, len(body.element.layout.names)
            if body.element.layout.quaternion:  # numbered with the rigid bodies
                own.append(np.zeros((0, n), dtype=np.int64))
                continue
            own.append(total + np.arange(count * n).reshape(count, n))
            nodes.append(np.repeat(n_nodes + np.arange(count), n))
            total, n_nodes = total + count * n, n_nodes + count
        root = _roots(model, own, total)
        kept, place = np.unique(root, return_inverse=True)
        absolute = [b.reference.ravel() for b in model.flexible_bodies if not b.element.layout.quaternion]
        q = [np.concatenate(absolute)[kept]] if total else []
        v = [np.zeros(len(kept))]
        node_of = [np.concatenate(nodes).astype(np.int64)[kept]] if total else []
        node_dofs = [np.ascontiguousarray(place[o], dtype=np.int64) for o in own]
        places: dict[int, tuple[int, int]] = {}
        iq = iv = len(kept)
        modal: dict[int, int] = {}
        number: dict[int, int] = {}  # frame and shapes of a floating body are one node
        for body in model.rigid_bodies:
            if isinstance(body, FloatingBody):
                q.append(body.deformation)
                v.append(body.deformation_rate)
                node_of.append(np.full(body.modes, n_nodes))
                modal[id(body)], number[id(body)] = iv, n_nodes
                iq, iv, n_nodes = iq + body.modes, iv + body.modes, n_nodes + 1
        for linear in model.linear_bodies:
            q.append(linear.deformation)
            v.append(linear.deformation_rate)
            node_of.append(np.full(linear.modes, n_nodes))
            modal[id(linear)] = iv
            iq, iv, n_nodes = iq + linear.modes, iv + linear.modes, n_nodes + 1
        trees = []
        for tree in model.trees:
            trees.append(TreePlaces(tree, n_nodes))
            iv = trees[-1].number_columns(iv, q, v, node_of)
            iq, n_nodes = iv, n_nodes + 1
        for item in [b for b in model.rigid_bodies if not isinstance(b, TURNING)] + list(extra):
            start, rate = item.initial_q, item.initial_v
            q.append(start)
            v.append(rate)
            node_of.append(np.full(len(rate), n_nodes))
            places[id(item)] = (iq, iv)
            iq, iv, n_nodes = iq + len(start), iv + len(rate), n_nodes + 1
        n_linear = iv
        for body in model.rigid_bodies:
            if isinstance(body, TURNING):
                start, rate = body.initial_q, body.initial_v
                q.append(start)
                v.append(rate)
                node_of.append(np.full(6, number.get(id(body), n_nodes)))
                places[id(body)] = (iq, iv)
                iq, iv, n_nodes = iq + 7, iv + 6, n_nodes + 1
        for places_of_tree in trees:
            iq, iv = places_of_tree.number_rotations(iq, iv, n_linear, q, v, node_of)
        for i, body in enumerate(model.flexible_bodies):
            if body.element.layout.quaternion:
                count = body.mesh.n_points
                q.append(body.reference.ravel())
                v.append(np.zeros(6 * count))
                node_of.append(np.repeat(n_nodes + np.arange(count), 6))
                node_dofs[i] = iv + np.arange(6 * count).reshape(count, 6)
                iq, iv, n_nodes = iq + 7 * count, iv + 6 * count, n_nodes + count
        translations = [
            d[:, list(b.element.layout.position)].ravel() for b, d in zip(model.flexible_bodies, node_dofs, strict=True)
        ]
        start, rate = np.ascontiguousarray(np.concatenate(q)), np.ascontiguousarray(np.concatenate(v))
        for item in model.initial:
            own_dofs = node_dofs[[b is item.body for b in model.flexible_bodies].index(True)]
            item.velocity_field(own_dofs, start, rate)
        return cls(
            model.flexible_bodies,
            tuple(node_dofs),
            start,
            np.concatenate(node_of).astype(np.int64),
            np.unique(np.concatenate(translations)) if translations else np.zeros(0, dtype=np.int64),
            model.rigid_bodies,
            tuple(places[id(b)] for b in model.rigid_bodies),
            rate,
            n_linear,
            extra,
            modal,
            model.linear_bodies,
            tuple(trees),
            np.concatenate([np.zeros(0, dtype=np.int64), *(t.idle for t in trees)]).astype(np.int64),
        )

    @property
    def n_v(self) -> int:
        """Length of v."""
        return len(self.velocity)

    @property
    def n_rotating(self) -> int:
        """Number of rigid bodies with a quaternion."""
        return (self.n_v - self.n_linear) // 6

    @property
    def displacements(self) -> IntArray:
        """Places in v of all velocities that are lengths per time: of nodes, points, rigid bodies, joints of trees."""
        rigid = [np.arange(iv, iv + len(b.position)) for b, (_, iv) in zip(self.rigid, self.places, strict=True)]
        return np.concatenate([self.translations, *rigid, *(t.displacements for t in self.trees)]).astype(np.int64)

    def place(self, body: object) -> tuple[int, int]:
        """First entry in q and in v of a rigid body of the model."""
        for other, at in zip(self.rigid, self.places, strict=True):
            if other is body:
                return at
        raise ModelError(
            f"body {getattr(body, 'name', body)!r} is not the one in this model; use the object the model was made of."
        )

    def tree(self, tree: object) -> TreePlaces:
        """The places of a tree of the model."""
        for places in self.trees:
            if places.tree is tree:
                return places
        raise ModelError(f"{tree} is not the one in this model; use the object the model was made of.")

    @property
    def n(self) -> int:
        """Length of q."""
        return len(self.reference)

    def largest_turn(self, before: FloatArray, after: FloatArray) -> float:
        """Largest angle [rad], at most pi, between the slopes or directors of a node in two states; 0 without any."""
        largest = 0.0
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            for slope in body.element.layout.directions:
                a, b = before[dofs[:, list(slope)]], after[dofs[:, list(slope)]]
                cosine = (a * b).sum(axis=1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
                largest = max(largest, float(np.arccos(np.clip(cosine.min(), -1.0, 1.0))))
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

    def in_q(self, dofs: IntArray) -> IntArray:
        """Places in q of the positions of nodes that have the places ``dofs (n, >= 3)`` in v, (n, dim)."""
        first = dofs[:, 0]
        shift = np.where(first < self.n_linear, 0, (first - self.n_linear) // 6)
        return np.asarray(dofs[:, :3] + shift[:, None])

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
        """An entry of q in words."""
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            found = np.argwhere(dofs == dof)
            if len(found):
                node, k = found[0]
                where = body.mesh.points[node].round(6).tolist()
                return f"{body.element.layout.names[k]} of node {node} at {where} of body {body.name!r}"
        for body, (_, first) in zip(self.rigid, self.places, strict=True):
            names = _NAMES[len(body.initial_v), body.rotates]
            if first <= dof < first + len(names):
                return f"{names[dof - first]} of body {body.name!r}"
        for body in self.rigid + self.linear:
            first = self.modal.get(id(body), dof + 1)
            if first <= dof < first + getattr(body, "modes", 0):
                return f"shape {dof - first + 1} of body {body.name!r}"
        for tree in self.trees:
            named = tree.describe(dof)
            if named is not None:
                return named
        first = self.n_linear - len(self.extra)
        return self.extra[dof - first].name if first <= dof < self.n_linear else f"coordinate {dof}"


_NAMES = {
    (2, False): ("x", "y"),
    (3, False): ("x", "y", "z"),
    (3, True): ("x", "y", "angle"),
    (6, True): ("x", "y", "z", "rotation about body x", "rotation about body y", "rotation about body z"),
}
"""What the coordinates of rigid bodies are called, by their number and whether the body rotates."""


def _roots(model: Model, own: list[IntArray], total: int) -> IntArray:
    """For every nodal coordinate the one that stands for it: itself, or the first that hinges join it to."""
    root = np.arange(total)

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = int(root[i])
        return i

    bodies = list(model.flexible_bodies)
    for hinge in model.hinges:
        sides = []
        for side in (hinge.a, hinge.b):
            if side.body.element.layout.quaternion:
                raise ModelError(
                    f"Hinge at {side}: nodes of a {side.body.element.name} share no positions; use a Spherical joint."
                )
            number = next(i for i, b in enumerate(bodies) if b is side.body)
            sides.append(own[number][side.nodes[0]][list(side.body.element.layout.position)])
        for i, j in zip(*sides, strict=True):
            a, b = find(int(i)), find(int(j))
            root[max(a, b)] = min(a, b)
    while not np.array_equal(root, root[root]):
        root = root[root]
    return root
