"""What Radau IIA remembers of a step: its stages, the error for step control, and where its Jacobian was made.

It is one array of numbers in the state, so that a run goes on from it bitwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.integrators.contracts import StepState, is_memory_of, mark

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["RadauMemory"]

SCHEME = "RadauIIA"


class RadauMemory(NamedTuple):
    """A step made: its size and error, the first two stages (2, n_v) and (2, n_c), the state of a Jacobian kept.

    ``proposed``: the step that was to follow; if a smaller one does, others have failed.

    ``theta``: increments of the positions from the start of the step; ``v``: those of the velocities.
    """

    h: float
    error: float
    proposed: float
    theta: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    kept_at: StepState | None

    def pack(self, q: FloatArray, v: FloatArray, lam: FloatArray) -> FloatArray:
        """As one array, for a state with these positions, velocities and multipliers."""
        at, head = self.kept_at, [mark(SCHEME), float(self.kept_at is not None), self.h, self.error, self.proposed]
        parts = [np.array(head), self.theta.ravel(), self.v.ravel(), self.a.ravel(), self.lam.ravel()]
        if at is not None:
            parts += [np.array([at.t]), at.q, at.v, at.a, at.lam]
        else:
            parts.append(np.zeros(1 + len(q) + 2 * len(v) + len(lam)))
        return np.concatenate(parts)

    @classmethod
    def of(cls, state: StepState) -> RadauMemory | None:
        """That of a state; None at a start, and where another scheme made the step before."""
        numbers = state.memory
        if not is_memory_of(SCHEME, numbers):
            return None
        n_q, n_v, n_c = len(state.q), len(state.v), len(state.lam)
        sizes = (2 * n_v, 2 * n_v, 2 * n_v, 2 * n_c, 1, n_q, n_v, n_v, n_c)
        h, error, proposed = (float(x) for x in numbers[2:5])
        theta, v, a, lam, t, q_at, v_at, a_at, lam_at = np.split(numbers[5:], np.cumsum(sizes)[:-1])
        keep = float(numbers[1]) == 1.0
        at = StepState(float(t[0]), q_at, v_at, a_at, a_at, lam_at, v_at, 0.0) if keep else None
        pairs = (theta.reshape(2, n_v), v.reshape(2, n_v), a.reshape(2, n_v), lam.reshape(2, n_c))
        return cls(h, error, proposed, *pairs, at)
