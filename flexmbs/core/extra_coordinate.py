"""Coordinates of a model that belong to no body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["ExtraCoordinate"]


@dataclass(frozen=True, eq=False)
class ExtraCoordinate:
    """A coordinate that belongs to no body: a state of a controller, the place of a sliding joint on its cable.

    First-order states are velocities of extra coordinates of unit mass: with zdot = x the state equation xdot = f is
    zddot = f, and every scheme for equations of motion integrates it. Changes of a state below its ``resolution`` do
    not matter: where it is nearly zero, an iteration cannot make them small against the state itself.
    """

    name: str
    value: float = 0.0
    rate: float = 0.0
    mass: float = 1.0
    owner: object = None
    resolution: float = 0.0

    @property
    def initial_q(self) -> FloatArray:
        """Value at the start (1,)."""
        return np.array([self.value])

    @property
    def initial_v(self) -> FloatArray:
        """Rate at the start (1,)."""
        return np.array([self.rate])
