r"""Symbolic elimination of joints: orders of low fill, and what an order costs in operations on blocks.

A joint with d neighbours that are not yet eliminated costs, in the symmetric half,

.. math:: M = \tfrac12 d (d + 1) + 2 d, \qquad I = d + 1, \qquad A = M - F

multiplications, solutions with its diagonal block, and additions; F counts pairs of neighbours that become coupled.
With this rule both rows of the table of Negrut for Andrews' squeezing mechanism are met, and the relations
A = M - F, I = NNZ + F of all five rows of his tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from flexmbs.constraint_forces.joint_graph import JointGraph
from flexmbs.core.checks import is_list, show
from flexmbs.core.errors import ModelError

__all__ = ["Elimination", "eliminate", "low_fill_order"]


@dataclass(frozen=True)
class Elimination:
    """What one order of elimination leads to.

    Attributes
    ----------
    order : tuple of int
        Joints in the order of their elimination.
    structure : tuple of tuple of int
        Of each joint in that order, its neighbours at its elimination, as places in the order, ascending.
    additions, multiplications, inversions, fill : int
        Operations on blocks.
    nonzeros : int
        Blocks of the symmetric half before the elimination.
    """

    order: tuple[int, ...]
    structure: tuple[tuple[int, ...], ...]
    additions: int
    multiplications: int
    inversions: int
    fill: int
    nonzeros: int


def _neighbours(graph: JointGraph) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in graph.names]
    for joints in graph.joints_of.values():
        for joint in joints:
            found[joint].update(joints)
    for joint, others in enumerate(found):
        others.discard(joint)
    return found


def eliminate(graph: JointGraph, order: Sequence[int | str]) -> Elimination:
    """Eliminate the joints of a graph in an order of their numbers or names.

    Raises
    ------
    ModelError
        If the order does not hold every joint once.

    Examples
    --------
    >>> chain = JointGraph.of({"a": (1,), "b": (1, 2), "c": (2, 3)})
    >>> found = eliminate(chain, "abc")
    >>> found.additions, found.multiplications, found.inversions, found.fill
    (6, 6, 5, 0)
    """
    if not isinstance(graph, JointGraph) or not is_list(order):
        raise ModelError(
            f"eliminate: expected a JointGraph and the numbers or names of its joints in an order, not {show(graph)} "
            f"and {show(order)}."
        )
    numbers = [graph.names.index(j) if isinstance(j, str) and j in graph.names else j for j in order]
    if sorted(numbers, key=str) != sorted(range(len(graph.names)), key=str):
        raise ModelError(
            f"eliminate: the order must hold each of {len(graph.names)} joints once, by number or name, not "
            f"{show(list(order))}."
        )
    place = {int(joint): k for k, joint in enumerate(numbers)}
    left = _neighbours(graph)
    nonzeros = len(left) + sum(len(others) for others in left) // 2
    structure, multiplications, inversions, fill = [], 0, 0, 0
    for joint in place:
        others = left[joint]
        d = len(others)
        for other in others:
            fill += len(others - left[other]) - 1
            left[other].update(others)
            left[other] -= {other, joint}
        multiplications += d * (d + 1) // 2 + 2 * d
        inversions += d + 1
        structure.append(tuple(sorted(place[other] for other in others)))
    fill //= 2
    return Elimination(
        tuple(place), tuple(structure), multiplications - fill, multiplications, inversions, fill, nonzeros
    )


def low_fill_order(graph: JointGraph) -> tuple[int, ...]:
    """An order by least fill, of equal ones by least degree: no fill where there is an order without, as in trees.

    Examples
    --------
    >>> ring = JointGraph.of({"a": (1, 2), "b": (2, 3), "c": (3, 4), "d": (4, 1)})
    >>> eliminate(ring, low_fill_order(ring)).fill
    1
    """
    left = _neighbours(graph)
    rank = {joint: (_new_pairs(left, joint), len(others), joint) for joint, others in enumerate(left)}
    waiting = list(rank.values())
    heapify(waiting)
    order: list[int] = []
    while waiting:
        entry = heappop(waiting)
        joint = entry[2]
        if rank.get(joint) != entry:
            continue
        del rank[joint]
        order.append(joint)
        changed = set(left[joint])
        for other in left[joint]:
            if len(left[joint] - left[other]) > 1:
                changed |= left[other]
            left[other].update(left[joint])
            left[other] -= {other, joint}
        for other in changed & rank.keys():
            rank[other] = _new_pairs(left, other), len(left[other]), other
            heappush(waiting, rank[other])
    return tuple(order)


def _new_pairs(left: list[set[int]], joint: int) -> int:
    return sum(len(left[joint] - left[other]) - 1 for other in left[joint]) // 2
