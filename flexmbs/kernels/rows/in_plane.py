"""How far rows between two planar markers change when these move in the plane."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.rows.rows import row_gradient

__all__ = ["reaches_in_plane"]


@kernel
def reaches_in_plane(
    ptr: IntArray, kind: IntArray, c: FloatArray, turn: FloatArray, moves: IntArray, turns: IntArray,
    origin: FloatArray, frame: FloatArray, near: FloatArray, found: FloatArray,
) -> None:  # fmt: skip
    """Of all rows ``found[j]`` = value in the first pose, and largest derivative by a motion in the plane in any.

    ``turn (n, 2)``: angles of both sides in each pose. Pair i has the rows ``ptr[i]`` to ``ptr[i + 1]``; ``moves``,
    ``turns (n_pairs, 2)``: whether its sides can move and turn; ``origin (n_pairs, 2, 3)`` and ``frame (n_pairs, 2, 3,
    3)`` at the start; ``near (n,)``: angles that are near, zero.
    """
    p, R, G = np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((1, 12))
    for i in range(moves.shape[0]):
        a, b = ptr[i], ptr[i + 1]
        _of_pair(kind[a:b], c[a:b], near[a:b], turn, moves[i], turns[i], origin[i], frame[i], p, R, G, found[a:b])


@kernel
def _of_pair(
    kind: IntArray, c: FloatArray, near: FloatArray, turn: FloatArray, moves: IntArray, turns: IntArray,
    origin: FloatArray, frame: FloatArray, p: FloatArray, R: FloatArray, G: FloatArray, found: FloatArray,
) -> None:  # fmt: skip
    """The same of the rows of one pair; ``p``, ``R``, ``G``: work."""
    for n in range(turn.shape[0]):
        for i in range(2):
            angle = turn[n, i] if turns[i] == 1 else 0.0
            co, si = math.cos(angle), math.sin(angle)
            for m in range(3):
                p[i, m] = origin[i, m]
                R[i, 0, m] = co * frame[i, 0, m] - si * frame[i, 1, m]
                R[i, 1, m] = si * frame[i, 0, m] + co * frame[i, 1, m]
                R[i, 2, m] = frame[i, 2, m]
            if moves[i] == 1:
                p[i, 0] += turn[n, i]
                p[i, 1] += 2.0 * turn[n, i]
        for j in range(kind.shape[0]):
            for m in range(12):
                G[0, m] = 0.0
            value = row_gradient(kind[j], j, c, near, 0, 1, p, R, G, 0)
            if n == 0:
                found[j, 0], found[j, 1] = value, 0.0
            for i in range(2):
                k = 6 * i
                if moves[i] == 1:  # what is not a number is no change, so no max()
                    for m in range(2):
                        if abs(G[0, k + m]) > found[j, 1]:
                            found[j, 1] = abs(G[0, k + m])
                if turns[i] == 1:  # spin about the inertial z
                    spin = G[0, k + 3] * R[i, 2, 0] + G[0, k + 4] * R[i, 2, 1] + G[0, k + 5] * R[i, 2, 2]
                    if abs(spin) > found[j, 1]:
                        found[j, 1] = abs(spin)
