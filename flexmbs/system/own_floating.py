"""Bodies in floating frames in a numbering of their own: what flexible links and substructures evaluate.

Of n bodies of m shapes the amplitudes come first, body by body, and then the frames, in q and in v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, MarkerWork, State
from flexmbs.kernels.floating_moments import FloatingGroup

if TYPE_CHECKING:
    from flexmbs.reduction.inertia import InertiaInvariants

__all__ = ["own_group", "own_state", "own_work"]


def own_group(
    inertia: Sequence[InertiaInvariants],
    matrices: tuple[FloatArray, FloatArray],
    gravity: tuple[IntArray, FloatArray],
    rot: IntArray,
) -> FloatingGroup:
    """Of each body the invariants; K and D (n, m, m) of the shapes; numbers and accelerations of gravity.

    ``rot (n,)``: numbers of the frames among the tangent operators.
    """
    n, m = matrices[0].shape[:2]
    frames, shapes = n * m + 6 * np.arange(n), m * np.arange(n)
    dofs = np.concatenate((frames[:, None] + np.arange(6), shapes[:, None] + np.arange(m)), axis=1)
    return FloatingGroup.made((dofs, n * m + 7 * np.arange(n), rot), 0, inertia, matrices, gravity)


def own_state(n: int, m: int) -> State:
    """At rest at the origin."""
    q = np.zeros(n * (7 + m))
    q[n * m + 3 :: 7] = 1.0
    return State(q, np.zeros(n * (6 + m)), np.zeros(n * (6 + m)), np.zeros(0))


def own_work(n: int, m: int) -> MarkerWork:
    """For forces alone."""
    none = np.zeros((0, 6))
    return MarkerWork(
        np.zeros(n * (6 + m)), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)), none, none, none, none, none,
        np.zeros((0, 3, 3)), np.zeros((0, 12)),
    )  # fmt: skip
