r"""Driven mechanisms in closed form: slider-crank, four-bar, universal joint; positions, rates, drive torque, lock-ups.

All are functions of one angle :math:`\theta(t)`. Where x is a coordinate of the mechanism,
:math:`\dot x = x'\dot\theta` and :math:`\ddot x = x''\dot\theta^2 + x'\ddot\theta`. The torque follows from the power
of what moves, without any joint force:
:math:`\tau = \sum_b m_b (\ddot{\mathbf r}_b - \mathbf g)\cdot\mathbf r_b' + I_b \ddot\varphi_b \varphi_b'`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["BodyPath", "FourBar", "SliderCrank", "drive_torque", "universal_joint"]


class BodyPath(NamedTuple):
    """A body as a function of the angle: place z = x + i y and angle (n,), each with two derivatives; mass, inertia."""

    z: tuple[FloatArray, FloatArray, FloatArray]
    angle: tuple[FloatArray, FloatArray, FloatArray]
    mass: float
    inertia: float


def drive_torque(paths: list[BodyPath], rate: FloatArray, second: FloatArray, gravity: float) -> FloatArray:
    """Torque (n,) that gives the driving angle the rate and the acceleration; gravity along -y."""
    torque = np.zeros(len(rate))
    for path in paths:
        _, z1, z2 = path.z
        _, f1, f2 = path.angle
        a = z2 * rate**2 + z1 * second + 1j * gravity
        torque += path.mass * (a * z1.conj()).real + path.inertia * (f2 * rate**2 + f1 * second) * f1
    return torque


def _turned(length: complex, angle: tuple[FloatArray, FloatArray, FloatArray]) -> tuple[FloatArray, ...]:
    """length exp(i angle) and its first two derivatives."""
    f, f1, f2 = angle
    e = length * np.exp(1j * f)
    return e, 1j * f1 * e, (1j * f2 - f1 * f1) * e


def _sum(*parts: tuple[FloatArray, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
    return tuple(sum(part[k] for part in parts) for k in range(3))  # type: ignore[return-value]


@dataclass(frozen=True)
class SliderCrank:
    r"""Crank r about the origin, rod l, slider on the x axis to the right: :math:`l\sin\phi = -r\sin\theta`."""

    r: float
    length: float

    def rod(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Angle of the rod from the x axis, with two derivatives."""
        k = self.r / self.length
        s, c = np.sin(theta), np.cos(theta)
        w = np.sqrt(1.0 - (k * s) ** 2)
        return np.arcsin(-k * s), -k * c / w, k * s / w - k**3 * s * c * c / w**3

    def slider(self, theta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place of the slider, with two derivatives."""
        x, x1, x2 = _sum(_turned(self.r, (theta, theta * 0 + 1, theta * 0)), _turned(self.length, self.rod(theta)))
        return x.real, x1.real, x2.real

    def paths(self, theta: FloatArray, masses: tuple[float, ...], inertias: tuple[float, ...]) -> list[BodyPath]:
        """Crank and rod with their centres in their middle, and the slider."""
        one, none = np.ones_like(theta), np.zeros_like(theta)
        crank, rod = (theta, one, none), self.rod(theta)
        pin = _turned(self.r, crank)
        places = (
            _turned(self.r / 2, crank),
            _sum(pin, _turned(self.length / 2, rod)),
            _sum(pin, _turned(self.length, rod)),
        )
        angles = (crank, rod, (none, none, none))
        return [
            BodyPath(z, f, m, i)  # type: ignore[arg-type]
            for z, f, m, i in zip(places, angles, masses, inertias, strict=True)
        ]

    @property
    def outer_dead_centre(self) -> float:
        """Place of the slider where crank and rod are stretched."""
        return self.r + self.length


@dataclass(frozen=True)
class FourBar:
    r"""Crank a about the origin, coupler b, rocker c about (d, 0); ``branch`` = +1: coupler above the line to D.

    From :math:`a e^{i\theta} + b e^{i\beta} = d + c e^{i\psi}`.
    """

    a: float
    b: float
    c: float
    d: float
    branch: int = 1

    def angles(self, theta: FloatArray) -> tuple[tuple[FloatArray, ...], tuple[FloatArray, ...]]:
        """Angles of the coupler and of the rocker, each with two derivatives."""
        e = self.d - self.a * np.exp(1j * theta)
        L = np.abs(e)
        cosine = (L * L + self.b**2 - self.c**2) / (2.0 * self.b * L)
        beta = np.angle(e) + self.branch * np.arccos(cosine)
        psi = np.angle(self.b * np.exp(1j * beta) - e)
        beta, psi = np.unwrap(beta), np.unwrap(psi)
        # two derivatives of the loop, solved for those of the angles
        s = np.sin(psi - beta)
        b1 = self.a * np.sin(theta - psi) / (self.b * s)
        p1 = self.a * np.sin(theta - beta) / (self.c * s)
        rest = -self.a * np.exp(1j * theta) - self.b * b1**2 * np.exp(1j * beta) + self.c * p1**2 * np.exp(1j * psi)
        b2 = -(rest * np.exp(-1j * psi)).real / (self.b * s)
        p2 = -(rest * np.exp(-1j * beta)).real / (self.c * s)
        return (beta, b1, b2), (psi, p1, p2)

    def paths(self, theta: FloatArray, masses: tuple[float, ...], inertias: tuple[float, ...]) -> list[BodyPath]:
        """Crank, coupler and rocker with their centres in their middle."""
        one, none = np.ones_like(theta), np.zeros_like(theta)
        crank = (theta, one, none)
        beta, psi = self.angles(theta)
        pin = _turned(self.a, crank)
        rocker = _turned(self.c / 2, psi)  # type: ignore[arg-type]
        places = (
            _turned(self.a / 2, crank),
            _sum(pin, _turned(self.b / 2, beta)),  # type: ignore[arg-type]
            (self.d + rocker[0], rocker[1], rocker[2]),
        )
        angles = (crank, beta, psi)
        return [
            BodyPath(z, f, m, i)  # type: ignore[arg-type]
            for z, f, m, i in zip(places, angles, masses, inertias, strict=True)
        ]

    @property
    def lock_up(self) -> float:
        """Angle of the crank where coupler and rocker are stretched, for a + d > b + c."""
        return math.acos((self.a**2 + self.d**2 - (self.b + self.c) ** 2) / (2.0 * self.a * self.d))


def universal_joint(theta: FloatArray, bend: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Angle of the driven shaft of a universal joint, with two derivatives by that of the driving one.

    :math:`\tan\psi = \tan\theta / \cos\beta` with the angle beta between the shafts, where the cross of the driving
    shaft is across the plane of the shafts at :math:`\theta = 90°`.
    """
    c = math.cos(bend)
    psi = np.arctan2(np.sin(theta), c * np.cos(theta))
    w = 1.0 - (np.cos(theta) * math.sin(bend)) ** 2
    first = c / w
    second = -c * math.sin(bend) ** 2 * np.sin(2.0 * theta) / w**2
    return np.unwrap(psi), first, second
