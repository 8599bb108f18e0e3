r"""Interfaces: where a reduced part is joined to others, and operators in which their motion is an unknown.

A **rigid** interface moves as a rigid body, :math:`u_a = u_0 + \theta_0 \times d_a`, and so stiffens the part there. An
**averaged** interface has the mean motion of its nodes (the rigid motion nearest to theirs, `DistributingCoupling`) as
coordinates and leaves them free otherwise. An interface of **nodes** keeps every unknown of its nodes.

Both of the first are a change of unknowns u = T u', in which the six coordinates of the interface come last. For an
averaged interface q = A u: six well placed displacements p of its nodes, found by QR with pivoting, are given up for q,
:math:`u_p = A_p^{-1} (q - A_r u_r)`; this fills the matrices among the nodes of that interface only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from flexmbs.core.checks import as_array, as_name, frozen_copy, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.field_terms import meant
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.connections import as_nodes
from flexmbs.linear.constraints import mean_motion
from flexmbs.linear.operators import DofMap, Operators, rigid_motions

__all__ = ["Attached", "Frame", "Interface", "attach"]

KINDS = ("rigid", "averaged", "nodes")


@dataclass(frozen=True, eq=False)
class Interface:
    """Nodes at which a reduced part will be joined to others.

    Parameters
    ----------
    name : str
        Name of the interface, and of its node set unless ``nodes`` says otherwise.
    nodes : str or sequence of int, optional
        Name of a node set, or numbers of nodes.
    kind : {"rigid", "averaged", "nodes"}
        Whether its nodes move as one rigid body (6 coordinates), or have their mean motion as coordinates (6), or keep
        all of theirs.
    at : (3,) array, optional
        Origin of its frame [length]; by default the mean of the nodes. Not for kind "nodes".
    weights : (n,) array, optional
        Of the nodes in their order, for kind "averaged"; equal by default. A force on the interface is shared out by
        them, so with the area that belongs to each node it is a uniform traction.
    components : sequence of str, optional
        Which of "ux", ..., "rz" of its nodes to keep, for kind "nodes"; by default all.

    Raises
    ------
    ModelError
        If the name is empty or the kind unknown.

    Examples
    --------
    >>> Interface("HUB", kind="averaged").nodes
    'HUB'
    """

    name: str
    nodes: Any = None
    kind: str = "rigid"
    at: Any = None
    weights: Any = None
    components: Sequence[str] | None = None

    def __post_init__(self) -> None:
        owner = f"Interface {as_name('Interface', 'name', self.name)!r}"
        object.__setattr__(self, "nodes", as_nodes(owner, self.name if self.nodes is None else self.nodes))
        if self.kind not in KINDS:
            raise ModelError(f"{owner}: {unknown_name('kind', self.kind, KINDS)}{meant('kind', self.kind)}")
        if self.weights is not None:
            weights = as_array(owner, "weights", self.weights, (None,))
            if self.kind != "averaged" or not weights.min(initial=0.0) >= 0.0 or not weights.sum() > 0.0:
                raise ModelError(f"{owner}: weights are not negative, not all zero, and for kind 'averaged' only.")
            object.__setattr__(self, "weights", frozen_copy(weights))
        if self.components is not None:
            if self.kind != "nodes" or isinstance(self.components, str) or not set(self.components) <= set(COMPONENTS):
                raise ModelError(
                    f"{owner}: components are some of {', '.join(COMPONENTS)} for kind 'nodes', not "
                    f"{show(self.components)}."
                )
            object.__setattr__(self, "components", tuple(self.components))
        if self.at is not None:
            if self.kind == "nodes":
                raise ModelError(f"{owner}: an interface of kind 'nodes' has no frame of its own, so no at=.")
            object.__setattr__(self, "at", frozen_copy(as_array(owner, "at", self.at, (3,), unit="length")))


class Frame(NamedTuple):
    """An interface in reduced coordinates.

    ``name`` and ``kind``; ``nodes (n,)`` rows of the points; ``origin (3,)`` of its frame, whose axes are the inertial
    ones in the undeformed part; ``coordinates (n_b,)`` which coordinates are its own; ``node (n_b,)``, ``component
    (n_b,)`` what each is (for rigid and averaged interfaces ``node`` is the row of the frame's own point).
    """

    name: str
    kind: str
    nodes: IntArray
    origin: FloatArray
    coordinates: IntArray
    node: IntArray
    component: IntArray


class Attached(NamedTuple):
    """Operators whose unknowns include the coordinates of the interfaces: ``boundary`` are their numbers.

    ``free`` are the operators before, which reports compare with.
    """

    operators: Operators
    boundary: IntArray
    frames: tuple[Frame, ...]
    labels: tuple[str, ...]
    free: Operators | None = None


def attach(operators: Operators, interfaces: Sequence[str | Interface] | str | Interface) -> Attached:
    """Operators in which the coordinates of the interfaces are unknowns.

    Parameters
    ----------
    operators : Operators
        Of the free part.
    interfaces : sequence of Interface or str
        A name stands for a rigid interface of the node set of that name.

    Raises
    ------
    ModelError
        If an interface is empty, unknown or overlaps with another one, its nodes depend on links, or tell no rotation
        where one is asked for.
    """
    wanted = as_interfaces(interfaces)
    members = _members(operators, wanted)
    parts = [_part(operators, face, nodes) for face, nodes in zip(wanted, members, strict=True)]
    changed = [p for p in parts if p.T is not None]
    out = operators if not changed else _transformed(operators, parts)
    table = out.dofs.table(len(out.points))
    frames, labels, boundary = [], [], []
    count, node = 0, len(operators.points)
    for part in parts:
        if part.T is not None:
            rows, components = np.full(6, node), np.arange(6)
            node += 1
        else:
            numbers = operators.dofs.of(part.nodes, _components(part.face))
            rows, components = operators.dofs.node[numbers], operators.dofs.component[numbers]
        unknowns = table[rows, components]
        boundary.append(unknowns)
        here = np.arange(count, count + len(unknowns))
        count += len(unknowns)
        frames.append(Frame(part.face.name, part.face.kind, part.nodes, part.origin, here, rows, components))
        single = len(np.unique(rows)) == 1
        labels += [
            f"{part.face.name} {COMPONENTS[c]}" + ("" if single else f" of node {r}")
            for r, c in zip(rows, components, strict=True)
        ]
    numbers = np.concatenate(boundary) if boundary else np.empty(0, np.int64)
    return Attached(out, numbers, tuple(frames), tuple(labels), operators)


def as_interfaces(interfaces: object) -> tuple[Interface, ...]:
    """Interfaces from what a user passes; names must differ."""
    if isinstance(interfaces, str | Interface):
        interfaces = [interfaces]
    if not is_list(interfaces) or any(not isinstance(i, str | Interface) for i in interfaces):
        raise ModelError(
            f"reduce: interfaces must be a list of names of node sets or Interface, not {show(interfaces)}."
        )
    out = tuple(Interface(i) if isinstance(i, str) else i for i in interfaces)
    names = [i.name for i in out]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise ModelError(f"reduce: the interface {twice[0]!r} is named twice.")
    return out


class _Part(NamedTuple):
    """One interface: its unknowns ``s``, and how they (and no others) follow from new ones, u_s = T [u_s', q]."""

    face: Interface
    nodes: IntArray
    origin: FloatArray
    s: IntArray
    T: FloatArray | None
    kept: IntArray  # which of s stay unknowns


def _components(face: Interface) -> IntArray | None:
    """Numbers of the components that an interface of nodes keeps; None for all."""
    return None if face.components is None else np.array([COMPONENTS.index(c) for c in face.components])


def _members(operators: Operators, wanted: Sequence[Interface]) -> list[IntArray]:
    """Nodes of each interface with unknowns; refuses empty and overlapping ones."""
    out: list[IntArray] = []
    owner_of = np.full(len(operators.points), -1)
    has = np.zeros(len(operators.points), dtype=bool)
    has[operators.dofs.node[operators.dofs.node >= 0]] = True
    for number, face in enumerate(wanted):
        owner = f"interface {face.name!r}"
        nodes = operators.node_set(face.nodes) if isinstance(face.nodes, str) else np.unique(face.nodes)
        if len(nodes) and nodes[-1] >= len(operators.points):
            raise ModelError(f"{owner}: there is no node {int(nodes[-1])} among the {len(operators.points)}.")
        lost = nodes[~has[nodes]]
        if len(lost):
            raise ModelError(
                f"{owner}: {len(lost)} of its {len(nodes)} nodes have no unknowns of their own (node {int(lost[0])}): "
                f"they depend on a link or belong to no element. Take the reference node of a RigidCoupling instead; "
                f"for the mean motion of nodes, Interface(nodes, kind='averaged') in place of a DistributingCoupling."
            )
        if not len(nodes):
            raise ModelError(f"{owner}: it has no nodes.")
        if (owner_of[nodes] >= 0).any():
            shared = nodes[owner_of[nodes] >= 0]
            other = wanted[owner_of[shared[0]]].name
            raise ModelError(
                f"{owner}: it shares {len(shared)} nodes with interface {other!r} (node {int(shared[0])}); nodes can "
                f"belong to one interface only."
            )
        owner_of[nodes] = number
        out.append(nodes)
    return out


def _part(operators: Operators, face: Interface, nodes: IntArray) -> _Part:
    """How the unknowns of one interface follow from its coordinates."""
    owner = f"interface {face.name!r}"
    s = operators.dofs.of(nodes)
    origin = operators.points[nodes].mean(axis=0) if face.at is None else np.asarray(face.at)
    turning = bool((operators.dofs.component[s] >= 3).any())
    alone = (
        len(nodes) == 1 and len(s) == 6 and (face.at is None or not np.abs(origin - operators.points[nodes[0]]).max())
    )
    if face.kind == "nodes" or alone:
        return _Part(face, nodes, origin, s, None, s)
    sub = DofMap(operators.dofs.node[s], operators.dofs.component[s])
    R = rigid_motions(sub, operators.points, origin)
    size = np.sqrt(np.einsum("ij,ij->j", R, R))
    values = np.linalg.svd(R / np.where(size > 0, size, 1.0), compute_uv=False)
    if len(values) < 6 or not values[-1] > 1e-8 * values[0]:  # six rigid motions
        what = "one node" if len(nodes) == 1 else f"{len(nodes)} nodes on a line"
        raise ModelError(
            f"{owner}: {what} without rotations {'tells' if len(nodes) == 1 else 'tell'} no rotation, which a "
            f"{face.kind} interface needs; take three or more nodes, or kind='nodes' to keep their displacements only."
        )
    if face.kind == "rigid":
        return _Part(face, nodes, origin, s, R, s[:0])
    if turning:
        s = s[operators.dofs.component[s] < 3]
    points = np.vstack([operators.points, origin])
    mean = mean_motion(face.name, points, nodes, len(points) - 1, _weights(operators, face, nodes))
    if len(s) != 3 * len(nodes):
        raise ModelError(f"{owner}: some of its nodes lack a displacement; an averaged interface needs all three.")
    pivots = linalg.qr(mean, pivoting=True, mode="economic")[2][:6]
    rest = np.setdiff1d(np.arange(len(s)), pivots)
    inverse = np.linalg.inv(mean[:, pivots])
    T = np.zeros((len(s), len(rest) + 6))
    T[rest, np.arange(len(rest))] = 1.0
    T[np.ix_(pivots, np.arange(len(rest)))] = -inverse @ mean[:, rest]
    T[pivots, len(rest) :] = inverse
    return _Part(face, nodes, origin, s, T, s[rest])


def _weights(operators: Operators, face: Interface, nodes: IntArray) -> FloatArray | None:
    """Weights of the nodes, which are in ascending order here."""
    if face.weights is None:
        return None
    given = operators.node_set(face.nodes) if isinstance(face.nodes, str) else np.asarray(face.nodes)
    if len(given) != len(face.weights):
        raise ModelError(f"interface {face.name!r}: {len(face.weights)} weights for {len(given)} nodes.")
    out = np.zeros(len(operators.points))
    np.add.at(out, given, np.asarray(face.weights))
    return np.asarray(out[nodes])


def _transformed(operators: Operators, parts: Sequence[_Part]) -> Operators:
    """Operators with a node of six unknowns for each rigid or averaged interface."""
    n = operators.n
    changed = [p for p in parts if p.T is not None]
    gone = np.zeros(n, dtype=bool)
    for part in changed:
        gone[np.setdiff1d(part.s, part.kept)] = True
    stay = np.flatnonzero(~gone)
    if not len(stay):
        named = ", ".join(repr(p.face.name) for p in changed)
        raise ModelError(
            f"interfaces {named} hold every node of the part as rigid bodies, so that nothing is left to deform; take "
            f"the nodes of its faces only."
        )
    column = np.full(n, -1)
    column[stay] = np.arange(len(stay))
    plain = np.setdiff1d(stay, np.concatenate([p.s for p in changed]))
    rows, cols, values = [plain], [column[plain]], [np.ones(len(plain))]
    for k, part in enumerate(changed):
        assert part.T is not None  # noqa: S101  # chosen so
        where = np.concatenate([column[part.kept], len(stay) + 6 * k + np.arange(6)])
        i, j = np.nonzero(part.T)
        rows.append(part.s[i])
        cols.append(where[j])
        values.append(part.T[i, j])
    size = len(stay) + 6 * len(changed)
    T = sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), (n, size))
    K, M, D = (None if A is None else _product(T, A) for A in (operators.K, operators.M, operators.D))
    first = len(operators.points)
    references = np.repeat(np.arange(first, first + len(changed)), 6)
    dofs = DofMap(
        np.concatenate([operators.dofs.node[stay], references]),
        np.concatenate([operators.dofs.component[stay], np.tile(np.arange(6), len(changed))]),
    )
    labels = operators.node_labels
    return Operators(
        K, M, dofs, np.vstack([operators.points, *(p.origin[None] for p in changed)]), D,
        node_sets=operators.node_sets,
        node_labels=None if labels is None else np.concatenate([labels, np.full(len(changed), -1)]),
        expansion=T if operators.expansion is None else operators.expansion @ T,
        all_dofs=operators.all_dofs,
        part=operators.part,
        origin=operators.origin,
    )  # fmt: skip


def _product(T: Any, A: Any) -> Any:
    """T^T A T, symmetric to the last bit."""
    out = (T.T @ (A @ T)).tocsc()
    return 0.5 * (out + out.T)
