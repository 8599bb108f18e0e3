"""Spanning trees of a graph of bodies and joints, and its loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

__all__ = ["Edge", "Spanning", "fundamental_loops", "spanning_trees"]

ROOT = -1
"""The number of the ground among the nodes."""


class Edge(NamedTuple):
    """A joint between the nodes ``a`` and ``b`` (-1: the ground) that takes ``weight`` equations with it."""

    a: int
    b: int
    weight: int


class Spanning(NamedTuple):
    """Trees that hold every node: for each node, in an order with parents first, its parent and the joint to it.

    ``order``: numbers of the nodes; ``parent``: of each node, -1 the ground; ``edge``: the number of the joint between
    them, -1 where there is none.
    """

    order: tuple[int, ...]
    parent: tuple[int, ...]
    edge: tuple[int, ...]


def spanning_trees(n: int, edges: Sequence[Edge], importance: Sequence[float]) -> Spanning:
    """The spanning trees from the ground whose joints have most equations in sum (Prim's algorithm).

    Of joints with equally many the one nearest to the ground is taken, so that a loop is cut in its middle: trees are
    shallow. A part without joint to the ground begins at the node with most joints, the most important of equals.
    """
    at: list[list[int]] = [[] for _ in range(n + 1)]  # the last are those of the ground
    for i, e in enumerate(edges):
        at[e.a].append(i)
        at[e.b].append(i)
    parent, joint, depth = [ROOT] * n, [-1] * n, [0] * (n + 1)
    reached = [False] * n + [True]
    order: list[int] = []
    queue: list[tuple[int, int, int]] = []

    def offer(node: int) -> None:
        for i in at[node]:
            heappush(queue, (-edges[i].weight, depth[node], i))

    def take(node: int, before: int, edge: int) -> None:
        parent[node], joint[node], depth[node], reached[node] = before, edge, depth[before] + 1, True
        order.append(node)
        offer(node)

    offer(ROOT)
    while len(order) < n:
        while queue:
            _, _, i = heappop(queue)
            a, b = edges[i].a, edges[i].b
            if reached[a] and not reached[b]:
                take(b, a, i)
            elif reached[b] and not reached[a]:
                take(a, b, i)
        left = [node for node in range(n) if not reached[node]]
        if left:
            take(max(left, key=lambda k: (len(at[k]), importance[k], -k)), ROOT, -1)
    return Spanning(tuple(order), tuple(parent), tuple(joint))


def fundamental_loops(n: int, edges: Sequence[Edge], spanning: Spanning | None = None) -> tuple[tuple[int, ...], ...]:
    """The loops that the joints outside some spanning trees close, each as its nodes in order.

    Without ``spanning`` trees of shortest ways from the ground are taken, which makes loops short.
    """
    if spanning is None:
        spanning = _shortest(n, edges)
    inside = {i for i in spanning.edge if i >= 0}
    loops = []
    for i, e in enumerate(edges):
        if i in inside:
            continue
        a, b = _way(spanning, e.a), _way(spanning, e.b)
        while len(a) > 1 and len(b) > 1 and a[-2] == b[-2]:
            a.pop()
            b.pop()
        if a[-1] == b[-1]:
            loops.append((*a, *reversed(b[:-1])))
    return tuple(loops)


def _way(spanning: Spanning, node: int) -> list[int]:
    """The nodes from one to the ground, or to the root of its part."""
    way = [node]
    while node != ROOT and (spanning.parent[node] != ROOT or spanning.edge[node] >= 0):
        node = spanning.parent[node]
        way.append(node)
    return way


def _shortest(n: int, edges: Sequence[Edge]) -> Spanning:
    """Trees of shortest ways, from the ground and from the first node of each other part."""
    at: list[list[tuple[int, int]]] = [[] for _ in range(n + 1)]
    for i, e in enumerate(edges):
        at[e.a].append((i, e.b))
        at[e.b].append((i, e.a))
    parent, joint, reached = [ROOT] * n, [-1] * n, [False] * n + [True]
    order: list[int] = []
    for root in (ROOT, *range(n)):
        if root != ROOT and reached[root]:
            continue
        if root != ROOT:
            reached[root] = True
            order.append(root)
        queue = deque([root])
        while queue:
            node = queue.popleft()
            for i, other in at[node]:
                if not reached[other]:
                    parent[other], joint[other], reached[other] = node, i, True
                    order.append(other)
                    queue.append(other)
    return Spanning(tuple(order), tuple(parent), tuple(joint))
