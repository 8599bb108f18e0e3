"""Graphs of joints and orders of elimination: published and closed counts, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.verification.cases.mechanisms.constraint_forces import ORDERS, SIDES


def dense_fill(graph: fx.constraint_forces.JointGraph, order: list[int]) -> int:
    """Fill by eliminating a dense pattern."""
    n = len(graph.names)
    full = np.eye(n, dtype=bool)
    for i, k in graph.edges:
        full[i, k] = full[k, i] = True
    before = full.copy()
    for k, joint in enumerate(order):
        rest = [j for j in order[k + 1 :] if full[joint, j]]
        for i, j in itertools.product(rest, rest):
            full[i, j] = True
    return int((full & ~before).sum()) // 2


@pytest.mark.parametrize(("name", "counts"), [("good", (35, 35, 21, 0)), ("bad", (111, 130, 40, 19))])
def test_published_counts(name: str, counts: tuple[int, ...]) -> None:
    found = fx.constraint_forces.eliminate(fx.constraint_forces.JointGraph.of(SIDES), ORDERS[name].split())
    assert (found.additions, found.multiplications, found.inversions, found.fill) == counts
    assert found.inversions == found.nonzeros + found.fill


def test_fill_of_random_graphs() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        joints = {f"{i}": tuple(rng.choice(8, 2, replace=False).tolist()) for i in range(12)}
        graph = fx.constraint_forces.JointGraph.of(joints)
        order = rng.permutation(12).tolist()
        found = fx.constraint_forces.eliminate(graph, order)
        assert found.fill == dense_fill(graph, order)
        best = fx.constraint_forces.eliminate(graph, fx.constraint_forces.low_fill_order(graph))
        assert best.fill == dense_fill(graph, list(best.order))
        assert best.fill <= found.fill


def test_trees_have_no_fill() -> None:
    rng = np.random.default_rng(2)
    for n in (5, 40):
        joints = {f"{i}": (i,) if i == 0 else (int(rng.integers(i)), i) for i in range(n)}
        graph = fx.constraint_forces.JointGraph.of(joints)
        assert fx.constraint_forces.eliminate(graph, fx.constraint_forces.low_fill_order(graph)).fill == 0


@pytest.mark.parametrize("most", [3, 4, 7])
def test_splitting_hubs(most: int) -> None:
    graph = fx.constraint_forces.JointGraph.of({f"{i}": ("hub", i) for i in range(11)})
    split, ((body, numbers),) = graph.split(most)
    assert body == 0
    assert split.topology_index <= most
    assert len(split.names) == 11 + len(numbers) - 1
    held = [b for joint in range(11) for b in split.bodies[joint] if b in numbers]
    assert len(held) == 11
    assert fx.constraint_forces.eliminate(split, fx.constraint_forces.low_fill_order(split)).fill == 0
    assert graph.split(11)[0] == graph


def test_bad_input() -> None:
    graph = fx.constraint_forces.JointGraph.of({"a": (1,), "b": (1, 2)})
    for make, says in (
        (lambda: fx.constraint_forces.JointGraph.of({}), "give joints by name"),
        (lambda: fx.constraint_forces.JointGraph.of([("a", 1)]), "give joints by name"),
        (lambda: fx.constraint_forces.JointGraph.of({"a": ()}), "at least one body"),
        (lambda: fx.constraint_forces.JointGraph.of({"a": "K1"}), "at least one body"),
        (lambda: graph.split(2), "at least 3"),
        (lambda: fx.constraint_forces.eliminate(graph, ["a"]), "each of 2 joints once"),
        (lambda: fx.constraint_forces.eliminate(graph, ["a", "a"]), "each of 2 joints once"),
        (lambda: fx.constraint_forces.eliminate(graph, ["a", "c"]), "each of 2 joints once"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            make()
