"""Numbering: which entry of q is which coordinate of which node, with hinged nodes sharing their position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.body import Attachment, FlexibleBody
    from flexmbs.model import Model

__all__ = ["Coordinates"]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The coordinates of a model.

    ``node_dofs``: per body (n_nodes, n) entries of q; ``reference (n_q,)``: q in the stress-free shape; ``node_of
    (n_q,)``: number of the node each entry belongs to (a hinged position: to the first node); ``translations``: the
    entries that are positions or displacements.
    """

    bodies: tuple[FlexibleBody, ...]
    node_dofs: tuple[IntArray, ...]
    reference: FloatArray
    node_of: IntArray
    translations: IntArray

    @classmethod
    def of(cls, model: Model) -> Coordinates:
        """Number the coordinates of a model."""
        dims = {b.mesh.dim for b in model.bodies}
        if len(dims) > 1:
            flat = [b.name for b in model.bodies if b.mesh.dim == 2]
            raise ModelError(
                f"Model {model.name!r}: planar bodies {flat} and spatial ones cannot be in one model; put the mesh "
                f"into space with mesh.in_space() and use a spatial element."
            )
        first, nodes, own, total, n_nodes = [], [], [], 0, 0
        for body in model.bodies:
            count, n = body.mesh.n_points, len(body.element.layout.names)
            first.append(total)
            own.append(total + np.arange(count * n).reshape(count, n))
            nodes.append(np.repeat(n_nodes + np.arange(count), n))
            total, n_nodes = total + count * n, n_nodes + count
        root = _roots(model, own, total)
        kept, number = np.unique(root, return_inverse=True)
        reference = np.concatenate([b.reference.ravel() for b in model.bodies])[kept]
        node_dofs = tuple(np.ascontiguousarray(number[o], dtype=np.int64) for o in own)
        translations = [
            d[:, list(b.element.layout.position)].ravel() for b, d in zip(model.bodies, node_dofs, strict=True)
        ]
        return cls(
            model.bodies,
            node_dofs,
            np.ascontiguousarray(reference),
            np.concatenate(nodes).astype(np.int64)[kept],
            np.unique(np.concatenate(translations)),
        )

    @property
    def n(self) -> int:
        """Length of q."""
        return len(self.reference)

    def largest_turn(self, before: FloatArray, after: FloatArray) -> float:
        """Largest angle [rad], at most pi, between the slopes of a node in two states; 0 where no node has slopes."""
        largest = 0.0
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            slope = list(body.element.layout.slope)
            if slope:
                a, b = before[dofs[:, slope]], after[dofs[:, slope]]
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

    def dofs(self, at: Attachment) -> IntArray:
        """Entries of q (n, n_node) of the nodes of ``at``."""
        return self.node_dofs[self.index(at.body)][list(at.nodes)]

    def describe(self, dof: int) -> str:
        """An entry of q in words."""
        for body, dofs in zip(self.bodies, self.node_dofs, strict=True):
            found = np.argwhere(dofs == dof)
            if len(found):
                node, k = found[0]
                where = body.mesh.points[node].round(6).tolist()
                return f"{body.element.layout.names[k]} of node {node} at {where} of body {body.name!r}"
        return f"coordinate {dof}"


def _roots(model: Model, own: list[IntArray], total: int) -> IntArray:
    """For every nodal coordinate the one that stands for it: itself, or the first that hinges join it to."""
    root = np.arange(total)

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = int(root[i])
        return i

    bodies = list(model.bodies)
    for hinge in model.hinges:
        sides = []
        for side in (hinge.a, hinge.b):
            number = next(i for i, b in enumerate(bodies) if b is side.body)
            sides.append(own[number][side.nodes[0]][list(side.body.element.layout.position)])
        for i, j in zip(*sides, strict=True):
            a, b = find(int(i)), find(int(j))
            root[max(a, b)] = min(a, b)
    while not np.array_equal(root, root[root]):
        root = root[root]
    return root
