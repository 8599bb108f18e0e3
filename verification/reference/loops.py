r"""Closed plane mechanisms in minimal coordinates: parallelograms, a rhombus, an engine, Andrews' squeezing mechanism.

`AngleLinkage` treats any plane mechanism of hinged bodies: positions are complex numbers
:math:`z_b = z_{b0} + \sum_k c_k e^{i a_k \cdot q}` of some angles q, loops the same sums set to zero. All derivatives
follow by hand; the accelerations by the equations with multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

from flexmbs.core.errors import ModelError
from flexmbs.verification.reference.motion import FloatArray, integrate

__all__ = ["AngleLinkage", "Engine", "Vector", "parallelograms", "rhombus", "rhombus_energy"]


def parallelograms(
    count: int,
    times: Sequence[float] | FloatArray,
    start: tuple[float, float] = (math.pi / 2.0, -1.0),
    gravity: float = 9.81,
) -> FloatArray:
    r"""Angle from the x axis and its rate (n_t, 2) of ``count`` parallelograms in a row, bars of 1 m and 1 kg.

    .. math:: \left(\tfrac{N+1}{3} + N\right) \ddot\theta + \left(\tfrac{N+1}{2} + N\right) g \cos\theta = 0

    ``start`` are angle and rate at t = 0: by default upright, the upper ends of the cranks with 1 m/s in +x.
    """
    ratio = ((count + 1) / 2.0 + count) / ((count + 1) / 3.0 + count) * gravity
    return integrate(lambda _, y: [y[1], -ratio * math.cos(y[0])], start, times)


def rhombus(angles: Sequence[float], times: Sequence[float] | FloatArray, gravity: float = 9.81) -> FloatArray:
    r"""Angles of two neighbouring bars from the x axis and their rates (n_t, 4), from rest.

    Four uniform bars of 1 m and 1 kg; bars 1 and 4 hang from the fixed joint, bar 2 is parallel to 4, bar 3 to 1.

    .. math:: \tfrac53 \ddot\alpha + \cos(\alpha-\beta) \ddot\beta + \sin(\alpha-\beta) \dot\beta^2
              + 2 g \cos\alpha = 0 \quad \text{and the same with } \alpha, \beta \text{ exchanged}
    """

    def rates(_: float, y: FloatArray) -> list[float]:
        c, s = math.cos(y[0] - y[1]), math.sin(y[0] - y[1])
        r1 = -s * y[3] ** 2 - 2.0 * gravity * math.cos(y[0])
        r2 = s * y[2] ** 2 - 2.0 * gravity * math.cos(y[1])
        m, d = 5.0 / 3.0, 25.0 / 9.0 - c * c
        return [y[2], y[3], (m * r1 - c * r2) / d, (m * r2 - c * r1) / d]

    return integrate(rates, [*angles, 0.0, 0.0], times)


def rhombus_energy(state: FloatArray, gravity: float = 9.81) -> float:
    """Energy of a state of `rhombus`; the potential is zero at the fixed joint."""
    a, b, a_rate, b_rate = state
    kinetic = 5.0 / 6.0 * (a_rate**2 + b_rate**2) + math.cos(a - b) * a_rate * b_rate
    return float(kinetic + 2.0 * gravity * (math.sin(a) + math.sin(b)))


@dataclass(frozen=True)
class Engine:
    r"""Slider-cranks on one crankshaft, pistons on the x axis, gravity along -x, no torque.

    .. math:: x = r \cos\theta + \sqrt{l^2 - r^2 \sin^2\theta}, \qquad
              \tfrac12 J(\theta)\, \dot\theta^2 + V(\theta) = E

    for each crank at theta + phase. ``rod_inertia`` is about the middle of the rod, where its centre of mass is.
    """

    radius: float = 0.04
    rod: float = 0.14
    piston_mass: float = 0.5
    rod_mass: float = 0.6
    rod_inertia: float = 0.002
    shaft_inertia: float = 0.05
    phases: tuple[float, ...] = (0.0, math.pi, math.pi, 0.0)
    gravity: float = 9.81

    def piston(self, theta: float) -> tuple[float, float]:
        """Position of a piston at a crank angle and its derivative by the angle."""
        r, c, s = self.radius, math.cos(theta), math.sin(theta)
        root = math.sqrt(self.rod**2 - (r * s) ** 2)
        return r * c + root, -r * s - r * r * s * c / root

    def inertia(self, theta: float) -> tuple[float, float]:
        """Moment of inertia J and potential energy V at an angle of the shaft."""
        J, V = self.shaft_inertia, 0.0
        for phase in self.phases:
            angle = theta + phase
            c, s = self.radius * math.cos(angle), self.radius * math.sin(angle)
            x, x_angle = self.piston(angle)
            middle = ((x_angle - s) / 2.0, c / 2.0)
            lean = c / math.sqrt(self.rod**2 - s * s)  # derivative of the angle of the rod
            J += self.piston_mass * x_angle**2 + self.rod_inertia * lean**2
            J += self.rod_mass * (middle[0] ** 2 + middle[1] ** 2)
            V += self.gravity * (self.piston_mass * x + self.rod_mass * (x + c) / 2.0)
        return J, V

    def speed(self, theta: float, start: float) -> float:
        """Speed of the shaft at an angle, from the speed ``start`` at angle 0."""
        (J0, V0), (J, V) = self.inertia(0.0), self.inertia(theta)
        return math.sqrt((J0 * start**2 + 2.0 * (V0 - V)) / J)

    def time(self, theta: float, start: float) -> float:
        """Time at which the shaft reaches an angle."""
        return float(quad(lambda a: 1.0 / self.speed(a, start), 0.0, theta, epsabs=1e-15, epsrel=1e-13, limit=200)[0])

    def angle(self, start: float, times: Sequence[float] | FloatArray) -> FloatArray:
        """Angle of the shaft (n_t,) at ``times``."""
        return integrate(lambda _, y: [self.speed(y[0], start)], [0.0], times)[:, 0]


@dataclass(frozen=True)
class Vector:
    """A sum of ``length * exp(i (factors . q + phase))`` over rows (length, phase, factors...), plus ``offset``."""

    rows: tuple[tuple[float, ...], ...]
    offset: complex = 0j

    def at(self, q: FloatArray, v: FloatArray) -> tuple[complex, FloatArray, complex]:
        """Value, its complex derivatives (n,), and the part of its second time derivative without accelerations."""
        table = np.array(self.rows)
        factors = table[:, 2:]
        wave = table[:, 0] * np.exp(1j * (table[:, 1] + factors @ q))
        return complex(wave.sum() + self.offset), 1j * wave @ factors, complex(-(wave * (factors @ v) ** 2).sum())


@dataclass(frozen=True)
class AngleLinkage:
    """A plane mechanism in angles q.

    Parameters
    ----------
    masses, inertias : (n_b,)
        Of the bodies; inertias about the centres of mass.
    centres : sequence of Vector
        Centres of mass.
    angles : (n_b, n) array_like
        Angle of each body by the coordinates.
    loops : sequence of Vector
        Closed loops: sums that stay zero.
    force : callable
        ``force(q, v) -> (n,)`` generalised forces.
    """

    masses: Sequence[float]
    inertias: Sequence[float]
    centres: Sequence[Vector]
    angles: FloatArray
    loops: Sequence[Vector]
    force: Callable[[FloatArray, FloatArray], FloatArray]

    def __post_init__(self) -> None:
        if not len(self.masses) == len(self.inertias) == len(self.centres) == len(self.angles):
            raise ModelError("linkage: masses, inertias, centres and angles must have one entry per body.")

    def acceleration(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Second derivative of the angles."""
        M = self.angles.T @ (np.asarray(self.inertias)[:, None] * self.angles)
        f = self.force(q, v)
        for mass, centre in zip(self.masses, self.centres, strict=True):
            _, slope, rest = centre.at(q, v)
            M = M + mass * (np.outer(slope, slope.conj())).real
            f = f - mass * (slope.conj() * rest).real
        n, m = len(q), 2 * len(self.loops)
        matrix, right = np.zeros((n + m, n + m)), np.zeros(n + m)
        matrix[:n, :n], right[:n] = M, f
        for i, loop in enumerate(self.loops):
            _, slope, rest = loop.at(q, v)
            rows = slice(n + 2 * i, n + 2 * i + 2)
            matrix[rows, :n] = slope.real, slope.imag
            matrix[:n, rows] = matrix[rows, :n].T
            right[rows] = -rest.real, -rest.imag
        return np.asarray(np.linalg.solve(matrix, right)[:n], dtype=np.float64)

    def closure(self, q: FloatArray) -> float:
        """Largest gap of the loops."""
        return max(abs(loop.at(q, q)[0]) for loop in self.loops)

    def motion(
        self, q: Sequence[float], v: Sequence[float], times: Sequence[float] | FloatArray, rtol: float = 1e-13
    ) -> FloatArray:
        """Angles and rates (n_t, 2 n); the loops stay closed by the accuracy of the integration."""
        n = len(q)

        def rates(_: float, y: FloatArray) -> FloatArray:
            return np.concatenate([y[n:], self.acceleration(y[:n], y[n:])])

        return integrate(rates, [*q, *v], times, rtol)
