"""A four-stroke engine of one freedom: gas, friction and starter on slider-cranks, integrated over the crank angle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from flexmbs.core.contracts import FloatArray
from flexmbs.verification.reference.loops import Engine

__all__ = ["ENGINE", "FourStroke", "over_angle"]

ENGINE = Engine(radius=0.029, rod=0.1045, piston_mass=0.3, rod_mass=0.4, rod_inertia=7e-4, shaft_inertia=0.5)
"""Stroke as printed; rod, masses and inertias are chosen."""


@dataclass(frozen=True)
class FourStroke:
    """Pressures of D. Vlasenko and R. Kasper, equations 54 to 56 with three corrections.

    The ambient pressure is taken off once, not twice; the torque of friction is v_d p_t/(4 pi), not 4 pi v_d p_t; its
    last term is 0.05 (N/1000)^2. ``offsets`` are the angles of the cycles, expansion first, of the cylinders with gas.
    """

    offsets: tuple[float | None, ...] = (0.0, math.pi, 3.0 * math.pi, 2.0 * math.pi)
    ignition: float = 50.0
    bore: float = 0.074
    ratio: float = 11.8
    gamma: float = 1.4
    ambient: float = 101325.0
    engine: Engine = ENGINE

    @property
    def area(self) -> float:
        return math.pi * self.bore**2 / 4.0

    @property
    def swept(self) -> float:
        return 2.0 * self.engine.radius * self.area

    @property
    def least(self) -> float:
        return self.swept / (self.ratio - 1.0)

    @property
    def firing(self) -> int:
        return sum(o is not None for o in self.offsets)

    @property
    def work(self) -> float:
        """Of one cylinder in one cycle, in closed form: expansion less compression."""
        power = self.ratio ** (1.0 - self.gamma)
        expansion = self.ignition * self.ambient * self.least * (1.0 - power)
        compression = self.ambient * self.least * self.ratio * (1.0 / power - 1.0)
        return float((expansion - compression) / (self.gamma - 1.0))

    def force(self, theta: float, cylinder: int) -> float:
        """On a piston along x, towards the crank: negative."""
        offset = self.offsets[cylinder]
        if offset is None:
            return 0.0
        cycle = (theta + offset) % (4.0 * math.pi)
        top = self.engine.radius + self.engine.rod
        volume = self.least + self.area * (top - self.engine.piston(cycle)[0])
        pressure = self.ambient
        if cycle < math.pi:
            pressure *= self.ignition * (volume / self.least) ** -self.gamma
        elif cycle >= 3.0 * math.pi:
            pressure *= (volume / (self.ratio * self.least)) ** -self.gamma
        return -(pressure - self.ambient) * self.area

    def friction(self, speed: float) -> float:
        """Torque against the crank at a speed [rad/s]; smooth through rest, where it would jump."""
        n = abs(speed) * 60.0 / (2.0 * math.pi) / 1000.0
        full = 4.0 * self.swept * 1e5 * (0.97 + 0.15 * n + 0.05 * n**2) / (4.0 * math.pi)
        return full * math.tanh(speed / 0.5)

    def torque(self, theta: float) -> float:
        """Of the gas on the crank."""
        return sum(
            self.force(theta, i) * self.engine.piston(theta + phase)[1] for i, phase in enumerate(self.engine.phases)
        )


def over_angle(
    engine: FourStroke, turns: float, speed: float, starter: tuple[float, float] = (0.0, 0.0), until: float = math.inf
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Angle, time and speed of the crank, which begins at angle 0 with ``speed``, and when the starter changes.

    The starter has its first torque until the crank has the speed ``until``, then its second. Kinetic energy and time
    are integrated over the angle, stroke by stroke.
    """
    given = [starter[0], math.inf]  # torque, and when it changed

    def rates(theta: float, y: FloatArray) -> list[float]:
        omega = math.sqrt(2.0 * y[0] / engine.engine.inertia(theta)[0])
        slope = (engine.engine.inertia(theta + 1e-5)[1] - engine.engine.inertia(theta - 1e-5)[1]) / 2e-5
        return [engine.torque(theta) - engine.friction(omega) + given[0] - slope, 1.0 / omega]

    def fast(theta: float, y: FloatArray) -> float:
        return float(2.0 * y[0] / engine.engine.inertia(theta)[0] - until**2)

    fast.terminal, fast.direction = True, 1.0  # type: ignore[attr-defined]
    y = np.array([0.5 * engine.engine.inertia(0.0)[0] * speed**2, 0.0])
    angles, found = [np.zeros(1)], [y[:, None]]
    strokes = np.append(np.arange(0.0, turns * 2.0 * math.pi - 1e-9, math.pi), turns * 2.0 * math.pi)
    for a, b in pairwise(strokes):
        begin, end = a + 1e-12, b - 1e-12
        while begin < end:
            seen = fast if math.isinf(given[1]) and math.isfinite(until) else None
            at = np.linspace(begin, end, 91)[1:]
            out = solve_ivp(rates, (begin, end), y, method="DOP853", rtol=1e-9, atol=1e-9, t_eval=at, events=seen)
            y, begin = (out.y[:, -1], end) if out.status == 0 else (out.y_events[0][0], out.t_events[0][0])
            if out.status == 1:
                given = [starter[1], float(y[1])]
            angles.append(out.t)
            found.append(out.y.reshape(2, -1))
    theta, values = np.concatenate(angles), np.concatenate(found, axis=1)
    J = np.array([engine.engine.inertia(a)[0] for a in theta])
    return theta, values[1], np.sqrt(2.0 * values[0] / J), given[1]
