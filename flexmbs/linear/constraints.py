r"""Links as equations: which unknowns are independent, and the others by them, u_all = T u.

A rigid link makes the nodes dependent on its reference node. An averaging link makes its reference node dependent on
the nodes: with weights w_a, mean x_0 and d_a = x_a - x_0, the weighted least-squares rigid motion is

.. math:: \theta = J^{-1} \sum_a w_a\, d_a \times u_a, \quad u_0 = \frac{\sum_a w_a u_a}{\sum_a w_a}, \quad
          J = \sum_a w_a (|d_a|^2 I - d_a d_a^T),

moved to the reference node. Links may follow each other, as long as no node is dependent twice or on itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.linear.connections import DistributingCoupling, NodalMass, NodalSpring, RigidCoupling, find_nodes

if TYPE_CHECKING:
    from flexmbs.meshes import Mesh

__all__ = ["Nodes", "joined_nodes", "lump", "mean_motion", "number_nodes", "transformation"]


class Nodes(NamedTuple):
    """All nodes of a part: the points of the mesh, then the reference nodes of links.

    ``points (n, 3)``; ``n_dofs (n,)`` unknowns of each (0: not used, 3 or 6), ``first (n,)`` the first of them;
    ``sets`` all node sets, links included; ``reference`` the node of each link, by name.
    """

    points: FloatArray
    n_dofs: IntArray
    first: IntArray
    sets: Mapping[str, IntArray]
    reference: Mapping[str, int]


def number_nodes(owner: str, mesh: Mesh, cells: Sequence[tuple[int, IntArray]], connections: Sequence[Any]) -> Nodes:
    """Number the nodes and their unknowns; refuses pieces that nothing joins."""
    sets = {name: np.asarray(nodes) for name, nodes in mesh.node_sets.items()}
    count = np.zeros(mesh.n_points, dtype=np.int64)
    for n_components, nodes in cells:
        np.maximum.at(count, nodes.ravel(), n_components)
    links = [c for c in connections if isinstance(c, RigidCoupling | DistributingCoupling)]
    for link in links:
        if isinstance(link.at, int):  # before any set is looked at: such a point need not belong to an element
            if link.at >= mesh.n_points:
                raise ModelError(f"{owner}, link {link.name!r}: there is no point {link.at}.")
            count[link.at] = 6
    used = count > 0
    for name, members in list(sets.items()):
        if not used[members].all():  # points that belong to no element have no unknowns
            sets[name] = members[used[members]]
    points, reference, edges = [mesh.points], {}, []
    n = mesh.n_points
    for link in links:
        label = f"{owner}, link {link.name!r}"
        if link.name in sets:
            raise ModelError(f"{label}: there is a node set of that name already; name the link otherwise.")
        nodes, weights = _members(label, mesh, count, link)
        if isinstance(link.at, int):
            node = link.at
        else:
            points.append(np.atleast_2d(weights @ mesh.points[nodes] / weights.sum() if link.at is None else link.at))
            count = np.append(count, 6)
            node, n = n, n + 1
        reference[link.name] = node
        sets[link.name] = np.array([node])
        if isinstance(link, DistributingCoupling):
            nodes = nodes[:1]  # its reference follows the nodes, which it does not join with each other
        edges.append(np.column_stack([np.full(len(nodes), node), nodes]))
    everything = np.vstack(points)
    first = np.concatenate([[0], np.cumsum(count)])[:-1]
    found = Nodes(everything, count, first, sets, reference)
    for link in connections:
        if isinstance(link, NodalSpring) and link.b is not None:
            edges.append(np.array([[place(owner, mesh, found, link.a), place(owner, mesh, found, link.b)]]))
    _check_joined(owner, found, [c for _, c in cells], edges)
    return found


def joined_nodes(owner: str, mesh: Mesh, nodes: Nodes, connections: Sequence[Any]) -> IntArray:
    """The points of the mesh that links, and springs between two nodes, join to others."""
    found = [np.empty(0, dtype=np.int64)]
    for what in connections:
        if isinstance(what, RigidCoupling | DistributingCoupling):
            found.append(_members(f"{owner}, link {what.name!r}", mesh, nodes.n_dofs, what)[0])
            found.append(np.array([nodes.reference[what.name]]))
        elif isinstance(what, NodalSpring) and what.b is not None:
            found.append(np.array([place(owner, mesh, nodes, at) for at in (what.a, what.b)]))
    joined = np.concatenate(found)
    return joined[joined < mesh.n_points]


def _members(
    label: str, mesh: Mesh, count: IntArray, link: RigidCoupling | DistributingCoupling
) -> tuple[IntArray, FloatArray]:
    """The nodes of a link that have unknowns, without its reference, and their weights."""
    nodes = find_nodes(label, mesh, link.nodes)
    weights = np.ones(len(nodes))
    if isinstance(link, DistributingCoupling) and link.weights is not None:
        given = nodes if isinstance(link.nodes, str) else link.nodes
        if len(link.weights) != len(given) or len(nodes) != len(given):
            raise ModelError(f"{label}: {len(link.weights)} weights for {len(nodes)} different nodes.")
        weights = np.asarray(link.weights[np.argsort(given)])
    kept = (count[nodes] > 0) & (nodes != (link.at if isinstance(link.at, int) else -1))
    if not kept.any():
        raise ModelError(f"{label}: none of its nodes, its reference aside, belongs to an element or another link.")
    return nodes[kept], weights[kept]


def place(owner: str, mesh: Mesh, nodes: Nodes, at: str | int) -> int:
    """The one node of a name or number."""
    if isinstance(at, str) and at in nodes.reference:
        return nodes.reference[at]
    found = find_nodes(owner, mesh, at)
    if len(found) != 1:
        raise ModelError(f"{owner}: a mass or spring needs one node, but {at!r} has {len(found)}; use a link.")
    if not nodes.n_dofs[found[0]]:
        raise ModelError(f"{owner}: node {int(found[0])} of a mass or spring belongs to no element and no link.")
    return int(found[0])


def lump(mesh: Mesh, nodes: Nodes, connections: Sequence[Any], K: Any, M: Any) -> tuple[Any, Any]:
    """Stiffness and mass with those of springs and masses added."""
    for what in connections:
        if isinstance(what, NodalMass):
            node = place("NodalMass", mesh, nodes, what.at)
            block, size = what.matrix(), int(nodes.n_dofs[node])
            if size == 3 and np.abs(block[3:, 3:]).max() > 0:
                raise ModelError(
                    f"NodalMass at {what.at!r}: inertia and offset need a node with rotations; put it on a "
                    f"RigidCoupling."
                )
            M = M + _placed(M.shape[0], [nodes.first[node]], block[:size, :size])
        elif isinstance(what, NodalSpring):
            ends = [place("NodalSpring", mesh, nodes, at) for at in (what.a, what.b) if at is not None]
            size = int(min(nodes.n_dofs[i] for i in ends))
            block = what.stiffness
            if size == 3 and np.abs(block[3:]).max() > 0:
                raise ModelError(
                    f"NodalSpring at {what.a!r}: rotational stiffness needs nodes with rotations, such as a "
                    f"RigidCoupling."
                )
            k = block[:size, :size]
            both = k if len(ends) == 1 else np.block([[k, -k], [-k, k]])
            K = K + _placed(K.shape[0], [nodes.first[i] for i in ends], both)
    return K.tocsc(), M.tocsc()


def transformation(mesh: Mesh, nodes: Nodes, connections: Sequence[Any]) -> tuple[Any, IntArray]:
    """T (N, n) from the independent unknowns to all, and which these are; None where all are independent."""
    links = [c for c in connections if isinstance(c, RigidCoupling | DistributingCoupling)]
    total = int(nodes.n_dofs.sum())
    if not links:
        return None, np.arange(total)
    owner_of: dict[int, str] = {}
    rows, cols, values, edges = [], [], [], []
    for link in links:
        r = nodes.reference[link.name]
        members, weights = _members(f"link {link.name!r}", mesh, nodes.n_dofs, link)
        if isinstance(link, RigidCoupling):
            blocks = [(node, [r], rigid_block(nodes.points[node] - nodes.points[r])) for node in members]
        else:
            blocks = [(r, list(members), mean_motion(link.name, nodes.points, members, r, weights))]
        for dependent, masters, block in blocks:
            if dependent in owner_of:
                raise ModelError(
                    f"links {owner_of[dependent]!r} and {link.name!r}: node {dependent} is dependent in both; leave it "
                    f"out of one of them."
                )
            owner_of[dependent] = link.name
            edges.append(np.column_stack([np.full(len(masters), dependent), masters]))
            width = block.shape[1] // len(masters)
            d = int(nodes.n_dofs[dependent])
            for m, master in enumerate(masters):
                i = nodes.first[dependent] + np.repeat(np.arange(d), width)
                j = nodes.first[master] + np.tile(np.arange(width), d)
                rows.append(i)
                cols.append(j)
                values.append(block[:d, m * width : (m + 1) * width].ravel())
    _check_circles([k.name for k in links], len(nodes.n_dofs), np.vstack(edges))
    C = sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), (total, total))
    C.eliminate_zeros()
    dependent_dofs = np.zeros(total, dtype=bool)
    dependent_dofs[np.concatenate(rows)] = True
    free = np.flatnonzero(~dependent_dofs)
    select = sparse.csr_matrix((np.ones(len(free)), (free, np.arange(len(free)))), (total, len(free)))
    T, step = select, C @ select
    while step.nnz:  # u = S x + C u: a chain of links is resolved by repetition, as often as it is long
        T, step = T + step, C @ step
    return T.tocsr(), free


def rigid_block(d: FloatArray) -> FloatArray:
    """Motion (6, 6) of a point at the offset d by that of its reference: u + theta x d, theta."""
    B = np.eye(6)
    B[:3, 3:] = np.array([[0.0, d[2], -d[1]], [-d[2], 0.0, d[0]], [d[1], -d[0], 0.0]])
    return B


def mean_motion(name: str, points: FloatArray, members: IntArray, at: int, weights: Any = None) -> FloatArray:
    """Motion (6, 3 n) of a point by the displacements of nodes: the nearest rigid one."""
    w = np.ones(len(members)) if weights is None else np.asarray(weights, dtype=float)
    if len(w) != len(members):
        raise ModelError(f"link {name!r}: {len(w)} weights for {len(members)} nodes.")
    w = w / w.sum()
    x0 = w @ points[members]
    d = points[members] - x0
    J = np.einsum("a,ab,cd->cd", w, np.einsum("ai,ai->a", d, d)[:, None], np.eye(3)) - np.einsum("a,ai,aj->ij", w, d, d)
    size = np.linalg.eigvalsh(J)
    if not size[0] > 1e-10 * size[2]:
        raise ModelError(
            f"link {name!r}: its {len(members)} nodes lie on a line or in a point, so that they tell no rotation; take "
            f"more nodes, or a RigidCoupling."
        )
    skew = np.zeros((len(members), 3, 3))  # d~, so that d x u = d~ u
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -d[:, 2], d[:, 1], -d[:, 0]
    skew -= skew.transpose(0, 2, 1)
    turn = np.linalg.solve(J, np.einsum("a,aij->iaj", w, skew).reshape(3, -1))
    shift = np.einsum("a,ij->iaj", w, np.eye(3)).reshape(3, -1)
    return np.asarray(rigid_block(points[at] - x0) @ np.vstack([shift, turn]))


def _placed(n: int, first: Sequence[Any], block: FloatArray) -> Any:
    """A matrix (n, n) with a dense block at the unknowns of some nodes."""
    size = len(block) // len(first)
    dofs = np.concatenate([np.arange(f, f + size) for f in first])
    return sparse.csc_matrix((block.ravel(), (np.repeat(dofs, len(dofs)), np.tile(dofs, len(dofs)))), (n, n))


def _check_circles(names: Sequence[str], n: int, edges: IntArray) -> None:
    """Refuse nodes that depend on themselves by way of others; ``edges (n_edges, 2)`` are dependent and master."""
    graph = sparse.coo_matrix((np.ones(len(edges), dtype=bool), (edges[:, 0], edges[:, 1])), shape=(n, n))
    pieces, label = connected_components(graph, directed=True, connection="strong")
    if pieces < n:
        circle = np.flatnonzero(label == np.argmax(np.bincount(label)))
        raise ModelError(
            f"links {', '.join(map(repr, names))}: nodes {', '.join(str(i) for i in circle[:5])} depend on each other "
            f"in a circle; leave one of them out of one link."
        )


def _check_joined(owner: str, nodes: Nodes, cells: Sequence[IntArray], edges: Sequence[IntArray]) -> None:
    """Refuse a part in several pieces, and say in which sets they are."""
    pairs = [np.column_stack([np.repeat(c[:, 0], c.shape[1] - 1), c[:, 1:].ravel()]) for c in cells] + list(edges)
    both = np.vstack(pairs)
    n = len(nodes.n_dofs)
    graph = sparse.coo_matrix((np.ones(len(both), dtype=bool), (both[:, 0], both[:, 1])), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    used = np.flatnonzero(nodes.n_dofs)
    kinds, sizes = np.unique(label[used], return_counts=True)
    if len(kinds) == 1:
        return
    texts = []
    for kind, size in sorted(zip(kinds, sizes, strict=True), key=lambda p: -p[1])[:5]:
        inside = [k for k, m in nodes.sets.items() if len(m) and (label[m] == kind).all()]
        where = (
            f"with {', '.join(repr(k) for k in inside[:3])}" if inside else f"near node {used[label[used] == kind][0]}"
        )
        texts.append(f"{size} nodes {where}")
    raise MeshError(
        f"{owner}: it falls into {len(kinds)} unconnected pieces: {'; '.join(texts)}. Merge coincident nodes with "
        f"mesh.merged(...), or join the pieces with a RigidCoupling, a DistributingCoupling or a NodalSpring."
    )
