"""Which trees are integrated in relative coordinates, and which as rigid bodies with joints.

The mass and the matrix of a step of a tree couple all joints on one way: n (n + 1) / 2 pairs for a chain of n. That of
rigid bodies with joints is sparse, and its cost linear in n, with some ten times as many unknowns: the descriptor form
in which the velocities of all links are unknowns. Measured with chains of hinges, both take the same time with some 100
joints (docs/theory/trees).
"""

from __future__ import annotations

import numpy as np

from flexmbs.conversion.to_absolute_coordinates import CartesianForm
from flexmbs.core.errors import ModelError
from flexmbs.model.model import Model
from flexmbs.model.trees.tree import Tree

__all__ = ["PAIRS", "sparse_form"]

PAIRS = 5_000
"""Pairs of joint velocities on one way, beyond which a tree counts as long: a chain of 100 hinges."""


def sparse_form(model: Model) -> CartesianForm | None:
    """The model as rigid bodies with joints if it has a long tree and all of it can be carried over; else None.

    Flexible links stay as they are: `to_absolute_coordinates` makes floating bodies of them where that is wanted.
    """
    if any(link.deforms for link in model.tree_links):
        return None
    if not any(coupled_pairs(tree) > PAIRS for tree in model.trees):
        return None
    try:
        return CartesianForm(model, described=True)
    except ModelError:
        return None


def coupled_pairs(tree: Tree) -> int:
    """Pairs of velocities of joints of which one lies before the other, or which are the same."""
    depth = np.zeros(len(tree.links), dtype=np.int64)
    total = 0
    for i, (link, before) in enumerate(zip(tree.links, tree.parents, strict=True)):
        n = link.joint.n_v
        depth[i] = n + (depth[before] if before >= 0 else 0)
        total += n * int(depth[i]) - n * (n - 1) // 2
    return total
