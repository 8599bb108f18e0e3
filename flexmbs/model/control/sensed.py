"""Sensors as numbers: what the kernel `flexmbs.kernels.sensing.read_sensors` knows of them.

A sensor that can be read there says by ``sensed(places)`` what it reads; `Places` tells the numbers of what it names.
One without ``sensed``, such as a sensor of a user's own, is read in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmbs.kernels.sensing import ACCELERATION

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Pair

__all__ = ["Places", "Sensed"]


class Places(Protocol):
    """Where things are in a compiled system."""

    def marker(self, marker: Marker) -> int:
        """Number of a marker."""

    def pair(self, joint: str, label: str) -> Pair:
        """The pair of markers of a joint with the row of a coordinate."""

    def multiplier(self, joint: str, component: int) -> int:
        """Place among the multipliers."""

    def coordinate(self, body: str, index: int) -> tuple[int, int]:
        """Places of a coordinate in q and in v."""

    def state(self, name: str, index: int) -> int:
        """Place of a first-order state in v."""

    def held(self, actuator: str) -> int:
        """Number of a held value."""


@dataclass(frozen=True, kw_only=True)
class Sensed:
    """A sensor as numbers; the fields are those of `flexmbs.kernels.sensing.SensorGroup`.

    ``errors(t)``: what is added to its numbers, such as noise; ``steady``: whether that never changes.
    """

    what: int
    a: int = -1
    b: int = -1
    rate: bool = False
    direction: Any = None
    gravity: Any = (0.0, 0.0, 0.0)
    kind: int = 0
    constants: Sequence[float] = ()
    errors: Callable[[float], Any] | None = None
    steady: bool = True

    @property
    def sees_forces(self) -> bool:
        """Whether it reads accelerations, which need what changes of the Jacobians."""
        return self.what == ACCELERATION

    @property
    def data(self) -> list[float]:
        """Direction and gravity (6,)."""
        direction = np.zeros(3) if self.direction is None else np.asarray(self.direction)
        return [*direction.tolist(), *np.asarray(self.gravity, dtype=np.float64).tolist()]
