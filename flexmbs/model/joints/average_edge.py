"""A set of nodes of a surface that carries a body by its mean motion, and may deform."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbs.core.checks import as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import ALONG, INERTIAL, ORTHOGONAL
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.edges import edge_nodes, edge_normal
from flexmbs.model.joints.sides import check_carried

__all__ = ["AverageEdge"]

STRAIGHT = 1e-9
"""Least principal moment of the nodes by the largest up to which they lie on a line."""


@dataclass(frozen=True, eq=False)
class AverageEdge(Description):
    r"""A body carried by the mean motion of an edge, which may stretch and bend (6 equations).

    With the nodes' positions :math:`p_i`, their places :math:`\bar p_i` as points of the body, weights :math:`w_i` and
    arms :math:`s_i` from the mean place of the nodes, in axes of the body,

    .. math:: \sum_i w_i\,(p_i - \bar p_i) = 0, \qquad \sum_i w_i\, s_i \times R^T(p_i - \bar p_i) = 0 .

    Of nodes on a straight line the second equation says nothing about the line; there the mean rotation of their
    normals about it is that of the body. A force on the body is shared out to the nodes by their weights, so that the
    edge stays free to deform; `fasten_edge` makes it rigid. Side b is the body: its reaction is the force on the body,
    and the moment about the mean place of the nodes, in axes that are fixed to the body and are the inertial ones at
    the start; those of `fasten_edge` and `hinge_edge` are forces on the edge.

    Parameters
    ----------
    edge : Attachment
        Nodes of a plate or shell, two or more.
    body : body
        What is carried, such as a rigid body; not another flexible one.
    weights : (n,) sequence, optional
        Of the nodes, positive; equal by default. Only their shares matter.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If the nodes are not those of a surface or fewer than two, or the weights are not positive.

    Examples
    --------
    >>> import flexmbs as fx
    >>> panel = fx.FlexibleBody.plate((1, 0.5), elements=(4, 2), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="panel")
    >>> load = fx.RigidBody.box(size=(0.1, 0.5, 0.1), mass=1.0, position=(1, 0.25, 0), name="load")
    >>> len(AverageEdge(panel.set("right"), load).equations)
    6
    """

    role: ClassVar[str] = "joint"
    edge: Attachment
    body: Body
    weights: FloatArray | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)
    about: Marker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        nodes = edge_nodes("AverageEdge", self.edge)
        if not isinstance(self.body, Body):
            raise ModelError(f"AverageEdge: body must be a body such as a RigidBody, not {show(self.body)}.")
        name = self.name or f"average of {self.edge.label} of {self.edge.body.name} and {self.body.name}"
        owner = f"AverageEdge {as_name('AverageEdge', 'name', name)!r}"
        if len(nodes) < 2:
            raise ModelError(f"{owner}: {self.edge} has one node; take FixedJoint or SphericalJoint for it.")
        w = self._shares(owner, len(nodes))
        places = self.edge.body.mesh.points[list(nodes)]
        mean = w @ places
        rows = _rows(places - mean, w, np.array([edge_normal(self.edge, n) for n in nodes]))
        markers = [as_marker(owner, self.edge.body.node(n), None, np.eye(3)) for n in nodes]
        held = [as_marker(owner, self.body, place, np.eye(3)) for place in places]
        pairs = tuple(Pair(a, b, r) for a, b, r in zip(held, markers, rows, strict=True))
        check_carried(owner, pairs)
        labels = [f"mean position {c}" for c in "xyz"] + [f"mean rotation {k}" for k in (1, 2, 3)]
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "weights", w)
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "equations", tuple(Equation(label) for label in labels))
        object.__setattr__(self, "about", as_marker(owner, self.body, mean, np.eye(3)))

    def _shares(self, owner: str, count: int) -> FloatArray:
        if self.weights is None:
            return np.full(count, 1.0 / count)
        w = np.asarray(self.weights, dtype=float)
        if w.shape != (count,) or not np.isfinite(w).all() or not (w > 0.0).all():
            raise ModelError(f"{owner}: weights must be {count} positive numbers, not {show(self.weights)}.")
        return np.asarray(w / w.sum())


def _rows(arms: FloatArray, w: FloatArray, normals: FloatArray) -> list[tuple[Row, ...]]:
    """Rows of each node: mean positions, and mean rotations about the principal axes of the nodes."""
    moments, axes = np.linalg.eigh(np.einsum("i,ia,ib->ab", w, arms, arms))
    size = float(np.sqrt(moments[-1]))
    straight = moments[1] <= STRAIGHT * moments[-1]
    found: list[tuple[Row, ...]] = []
    for s, share, n in zip(arms, w, normals, strict=True):
        rows = [Row(INERTIAL, tuple(e), k, share) for k, e in enumerate(np.eye(3).tolist())]
        for k, u in enumerate(axes.T):
            if straight and k == 2:  # the line itself: by the normals, with the component of u normal to them
                a = np.cross(u, n)
                rows.append(Row(ORTHOGONAL, (*a.tolist(), *n.tolist()), 3 + k, float(share)))
            else:
                rows.append(Row(ALONG, tuple((np.cross(u, s) / size).tolist()), 3 + k, float(share)))
        found.append(tuple(rows))
    return found
