"""What the gradients between two states are written with (`flexmbs.kernels.rows.row_gradients`)."""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Vector, add_block, product, skew

__all__ = ["add_turn", "set_gradient"]


@kernel
def set_gradient(S: FloatArray, row: int, n: Vector, a: Vector, b: Vector) -> None:
    """The gradient (-n, a, n, b)."""
    for m in range(3):
        S[row, m], S[row, 3 + m], S[row, 6 + m], S[row, 9 + m] = -n[m], a[m], n[m], b[m]


@kernel
def add_turn(S: FloatArray, s: float, E: Vector, B: Vector, e1: Vector, b1: Vector) -> None:
    """Add s times the derivative of the moments E x B on A and -E x B on B, whose ends turn with A and B."""
    by_a, by_b = product(skew(B), skew(e1)), product(skew(E), skew(b1))
    add_block(S, 3, 3, 0.5 * s, by_a)
    add_block(S, 3, 9, -0.5 * s, by_b)
    add_block(S, 9, 3, -0.5 * s, by_a)
    add_block(S, 9, 9, 0.5 * s, by_b)
