"""States that no analysis stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.results.states import States

if TYPE_CHECKING:
    from flexmbs.system.system import System

__all__ = ["GivenStates"]


class GivenStates(States):
    """States at rest, or moving with given velocities, that no analysis stored: what a mode is drawn and asked by.

    Parameters
    ----------
    system : System
    q : (n, n_q) array
    v : (n, n_v) array, optional
        Zero by default.
    lam : (n_c,) array, optional
        Of all states; zero by default.
    """

    def __init__(
        self, system: System, q: FloatArray, v: FloatArray | None = None, lam: FloatArray | None = None
    ) -> None:
        c, n = system.coordinates, len(q)
        self.system, self.q, self.extra = system, q, {}
        self.v = np.zeros((n, c.n_v)) if v is None else v
        self.lam = np.zeros((n, system.mechanics.n_c)) if lam is None else np.tile(lam, (n, 1))

    @property
    def t(self) -> FloatArray:
        """Numbers of the states (n,)."""
        return np.arange(len(self.q), dtype=np.float64)

    @property
    def a(self) -> FloatArray:
        """Accelerations (n, n_v): zero."""
        return np.zeros_like(self.v)
