"""What Radau IIA remembers of a step: its stages, the error for step control, and where its Jacobian was made.

It is one array of numbers in the state, so that a run goes on from it bitwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.integrators.contracts import StepState, is_memory_of, mark

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["RadauMemory"]

SCHEME = "RadauIIA"


class RadauMemory(NamedTuple):
    """A step made: its size and error, the first two stages (2, n_v) and (2, n_c), the state of a Jacobian kept.

    ``proposed``: the step that was to follow; if a smaller one does, others have failed.

    ``theta``: increments of the positions from the start of the step; ``v``: those of the velocities.
    """

    keep: bool
    h: float
    error: float
    proposed: float
    theta: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    kept_at: StepState | None

    @property
    def jacobian(self) -> StepState:
        """The state at which the Jacobian kept was made."""
        assert self.kept_at is not None  # noqa: S101
        return self.kept_at

    def pack(self, dyn: Dynamics) -> FloatArray:
        """As one array."""
        parts = [np.array([mark(SCHEME), float(self.keep), self.h, self.error, self.proposed])]
        parts += [self.theta.ravel(), self.v.ravel(), self.a.ravel(), self.lam.ravel()]
        if self.kept_at is not None:
            at = self.kept_at
            parts += [np.array([at.t]), at.q, at.v, at.a, at.lam]
        else:
            parts.append(np.zeros(1 + dyn.n_q + 2 * dyn.n_v + dyn.n_c))
        return np.concatenate(parts)

    @classmethod
    def of(cls, numbers: FloatArray, dyn: Dynamics) -> RadauMemory | None:
        """From the array; None at a start, and where another scheme made the step before."""
        if not is_memory_of(SCHEME, numbers):
            return None
        n_q, n_v, n_c = dyn.n_q, dyn.n_v, dyn.n_c
        sizes = (2 * n_v, 2 * n_v, 2 * n_v, 2 * n_c, 1, n_q, n_v, n_v, n_c)
        keep = float(numbers[1]) == 1.0
        h, error, proposed = (float(x) for x in numbers[2:5])
        theta, v, a, lam, t, q_at, v_at, a_at, lam_at = np.split(numbers[5:], np.cumsum(sizes)[:-1])
        at = StepState(float(t[0]), q_at, v_at, a_at, a_at, lam_at, v_at, 0.0) if keep else None
        pairs = (theta.reshape(2, n_v), v.reshape(2, n_v), a.reshape(2, n_v), lam.reshape(2, n_c))
        return cls(keep, h, error, proposed, *pairs, at)
