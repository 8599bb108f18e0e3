"""A view of a system that does not exist: poses as functions of time, everything else given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation


@dataclass
class FakeView:
    """Markers move as ``poses[id(marker)] = (p(t), R(t))`` say; twists and accelerations by differences."""

    t: float = 0.0
    poses: Mapping[int, tuple[Callable[[float], Any], Callable[[float], Any]]] = field(default_factory=dict)
    rows: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    multipliers: Mapping[str, Any] = field(default_factory=dict)
    coordinates: Mapping[tuple[str, int], tuple[float, float]] = field(default_factory=dict)
    states: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)

    def position(self, marker: Any, t: float | None = None) -> np.ndarray:
        if id(marker) not in self.poses:
            return marker.position0()
        return np.asarray(self.poses[id(marker)][0](self.t if t is None else t), dtype=float)

    def rotation(self, marker: Any, t: float | None = None) -> np.ndarray:
        if id(marker) not in self.poses:
            return marker.rotation0()
        return np.asarray(self.poses[id(marker)][1](self.t if t is None else t), dtype=float)

    def twist(self, marker: Any) -> np.ndarray:
        h = 1e-5
        velocity = (self.position(marker, self.t + h) - self.position(marker, self.t - h)) / (2 * h)
        turn = self.rotation(marker, self.t - h).T @ self.rotation(marker, self.t + h)
        return np.concatenate((velocity, Rotation.from_matrix(turn).as_rotvec() / (2 * h)))

    def acceleration(self, marker: Any) -> np.ndarray:
        h = 1e-3
        there = [self.position(marker, self.t + k * h) for k in (-1, 0, 1)]
        return (there[0] - 2 * there[1] + there[2]) / h**2

    def row(self, joint: str, label: str) -> tuple[float, float]:
        labels = [own for name, own in self.rows if name == joint]
        return self.rows[joint, label or labels[0]]

    def multiplier(self, joint: str) -> np.ndarray:
        return np.asarray(self.multipliers[joint])

    def coordinate(self, body: str, index: int) -> tuple[float, float]:
        return self.coordinates[body, index]

    def state(self, name: str) -> np.ndarray:
        return np.asarray(self.states[name])

    def held(self, actuator: str) -> float:
        return self.values[actuator]


@pytest.fixture
def fake_view() -> type[FakeView]:
    return FakeView
