r"""A plane mechanism of five bodies and seven joints, in the angle of its crank and in the coordinates of its joints.

A crank AB on the ground at A, a coupler BC, a triangle CDE on the ground at D, a rod EF, a slider FGH along x. Every
body consists of point masses at its joints, so that bodies and particles are the same mechanism exactly.

Two descriptions: `crank` is the energy in the angle of the crank, one equation; `Joints` keeps all coordinates of the
joints and all reactions, as a kinematic chain with two loops cut at C and F: six equations of closure and fifteen of
Newton and Euler for seven accelerations and fourteen reactions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.verification.reference.loops import Vector
from flexmbs.verification.reference.motion import FloatArray, OneDegree, derivative, integrate

__all__ = ["FiveBodies", "Joints"]

SAMPLES = 512


@dataclass(frozen=True)
class FiveBodies:
    """Lengths [m] and particle masses [kg] are chosen here: those of the source are lost.

    ``particles``: for every body the names of its particles with their masses, the first one where its joint to the
    body before (or to the ground) is. Positions go with the same names.
    """

    crank: float = 0.2
    coupler: float = 0.5
    rocker: float = 0.4
    reach: float = 0.45
    bend: float = 0.7
    rod: float = 0.8
    wing: tuple[float, float] = (0.1, 0.05)
    pivot: tuple[float, float] = (0.6, -0.1)
    rail: float = -0.25
    gravity: float = 9.81
    particles: tuple[tuple[tuple[str, float], ...], ...] = (
        (("A", 0.3), ("B", 0.2)),
        (("B", 0.2), ("C", 0.3)),
        (("D", 0.3), ("C", 0.2), ("E", 0.25)),
        (("E", 0.15), ("F", 0.2)),
        (("F", 0.3), ("G", 0.4), ("H", 0.4)),
    )

    def points(self, s: FloatArray) -> dict[str, FloatArray]:
        """Positions A to H as complex numbers (n_s,) at angles of the crank."""
        s = np.asarray(s, dtype=np.float64)
        D = complex(*self.pivot)
        B = self.crank * np.exp(1j * s)
        gap = B - D
        far = np.abs(gap)
        along = (self.rocker**2 - self.coupler**2 + far**2) / (2.0 * far)
        C = D + gap / far * (along - 1j * np.sqrt(self.rocker**2 - along**2))
        E = D + self.reach * (C - D) / self.rocker * np.exp(-1j * self.bend)
        height = self.rail + self.wing[1]
        F = E.real + np.sqrt(self.rod**2 - (height - E.imag) ** 2) + 1j * height
        G, H = (F + complex(side * self.wing[0], -self.wing[1]) for side in (-1.0, 1.0))
        return {"A": 0j * s, "B": B, "C": C, "D": D + 0j * s, "E": E, "F": F, "G": G, "H": H}

    def start(self, sample: int) -> tuple[float, dict[str, complex], dict[str, complex]]:
        """Angle of the crank, positions, and velocities at a crank speed of one, at a sample of the circle."""
        s = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
        points = self.points(s)
        slopes = {k: derivative(p.real) + 1j * derivative(p.imag) for k, p in points.items()}
        return (
            float(s[sample]),
            {k: complex(p[sample]) for k, p in points.items()},
            {k: complex(p[sample]) for k, p in slopes.items()},
        )

    def body(self, number: int, points: dict[str, complex]) -> tuple[float, complex, float]:
        """Mass, centre and moment of inertia of a body from its particles."""
        masses = [m for _, m in self.particles[number]]
        places = [points[name] for name, _ in self.particles[number]]
        mass = sum(masses)
        centre = sum((m * p for m, p in zip(masses, places, strict=True)), 0j) / mass
        return mass, centre, sum(m * abs(p - centre) ** 2 for m, p in zip(masses, places, strict=True))

    def one_degree(self) -> OneDegree:
        """The mechanism in the angle of its crank: the particles alone, each a body without inertia."""
        names = [name for body in self.particles for name, _ in body]
        masses = np.array([m for body in self.particles for _, m in body])

        def poses(s: FloatArray) -> tuple[FloatArray, FloatArray]:
            points = self.points(s)
            p = np.stack([np.stack([points[n].real, points[n].imag, 0.0 * s], axis=-1) for n in names], axis=-2)
            return p, np.broadcast_to(np.eye(3), (*p.shape, 3))

        return OneDegree(poses, masses, np.zeros((len(names), 3, 3)), (0.0, -self.gravity, 0.0), SAMPLES)


@dataclass(frozen=True)
class Joints:
    """The same in the coordinates of the joints (A, B, C, D, E, F, slider): six closures and 15 Newton-Euler equations.

    ``start``: sample of the circle where the bodies have the axes of the inertial frame.
    """

    mechanism: FiveBodies
    start: int
    points: dict[str, complex] = field(init=False)

    #: Angle of every body by the joint coordinates: crank at A, coupler on it, triangle at D, rod on it, slider.
    ANGLES = np.array(
        [
            [1, 0, 0, 0, 0, 0, 0],
            [1, 1, 0, 0, 0, 0, 0],
            [0, 0, 0, 1, 0, 0, 0],
            [0, 0, 0, 1, 1, 0, 0],
            [0, 0, 0, 0, 0, 0, 0],
        ],
        dtype=np.float64,
    )
    #: Which bodies a joint holds together (-1: the ground), first the one that its reaction acts on.
    HELD = ((0, -1), (1, 0), (2, 1), (2, -1), (3, 2), (4, 3), (4, -1))

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", self.mechanism.start(self.start)[1])

    def place(self, name: str, body: int) -> Vector:
        """A point of a body (``"centre"`` for its centre of mass) in the joint coordinates."""
        z = self.points
        point = self.mechanism.body(body, z)[1] if name == "centre" else z[name]
        chains: tuple[list[tuple[str, str, int]], ...] = ([], [("A", "B", 0)], [], [("D", "E", 2)], [])
        rows = [(z[b] - z[a], k) for a, b, k in chains[body]]
        root = {0: "A", 1: "B", 2: "D", 3: "E", 4: "F"}[body]
        rows.append((point - z[root], body))
        fixed = {0: z["A"], 1: z["A"], 2: z["D"], 3: z["D"], 4: point}[body]
        table = [] if body == 4 else [(abs(w), np.angle(w), *self.ANGLES[k]) for w, k in rows if abs(w) > 0.0]
        return Vector(tuple(table) or ((0.0,) * 9,), fixed)

    def matrix(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The 21 equations for the accelerations of the joints and the reactions: matrix (21, 21) and right side."""
        A, b = np.zeros((21, 21)), np.zeros(21)
        slide = np.zeros(7)
        slide[6] = 1.0  # the slider moves along x

        def motion(name: str, body: int) -> tuple[complex, FloatArray, complex]:
            z, slope, rest = self.place(name, body).at(q, v)
            return (z + q[6], slope + slide, rest) if body == 4 else (z, slope, rest)

        for loop, (point, first, second, own) in enumerate((("C", 1, 2, 2), ("F", 3, 4, 5))):
            (_, one, r1), (_, two, r2) = motion(point, first), motion(point, second)
            A[3 * loop, :7], A[3 * loop + 1, :7] = (one - two).real, (one - two).imag
            b[3 * loop], b[3 * loop + 1] = -(r1 - r2).real, -(r1 - r2).imag
            A[3 * loop + 2, :7] = self.ANGLES[first] - self.ANGLES[second]
            A[3 * loop + 2, own] += 1.0
        for i in range(5):
            mass, _, inertia = self.mechanism.body(i, self.points)
            centre, slope, rest = motion("centre", i)
            k = 6 + 3 * i
            A[k, :7], A[k + 1, :7], A[k + 2, :7] = mass * slope.real, mass * slope.imag, inertia * self.ANGLES[i]
            b[k], b[k + 1] = -mass * rest.real, -mass * (rest.imag + self.mechanism.gravity)
            for j, sides in enumerate(self.HELD):
                if i not in sides:
                    continue
                sign = 1.0 if sides[0] == i else -1.0
                x, y = 7 + 2 * j, 8 + 2 * j
                if j == 6:  # normal force at the centre, and a moment
                    A[k + 1, x], A[k + 2, y] = -1.0, -1.0
                    continue
                arm = motion("ABCDEF"[j], i)[0] - centre
                A[k, x], A[k + 1, y] = -sign, -sign
                A[k + 2, x], A[k + 2, y] = sign * arm.imag, -sign * arm.real
        return A, b

    def run(
        self, rate: float, times: Sequence[float] | FloatArray, rtol: float = 1e-11
    ) -> tuple[FloatArray, FloatArray]:
        """Coordinates and rates of the joints (n_t, 14) and reactions (n_t, 14) from a speed of the crank."""

        def rates(_: float, y: FloatArray) -> FloatArray:
            return np.concatenate([y[7:], np.linalg.solve(*self.matrix(y[:7], y[7:]))[:7]])

        slopes = self.mechanism.start(self.start)[2]
        turned = [self._turn(i, slopes) for i in range(5)]
        first = [turned[0], turned[1] - turned[0], turned[2] - turned[1], turned[2], turned[3] - turned[2],
                 turned[4] - turned[3], slopes["F"].real]  # fmt: skip
        states = integrate(rates, [*np.zeros(7), *(rate * np.array(first))], times, rtol)
        forces = np.array([np.linalg.solve(*self.matrix(y[:7], y[7:]))[7:] for y in states])
        return states, forces

    def _turn(self, body: int, slopes: dict[str, complex]) -> float:
        """Angular velocity of a body from the velocities of its first two particles."""
        (a, _), (b, _) = self.mechanism.particles[body][:2]
        along = self.points[b] - self.points[a]
        return float(((slopes[b] - slopes[a]) * along.conjugate()).imag / abs(along) ** 2)


def crank_angle(B: FloatArray) -> FloatArray:
    """Angle of the crank over all turns from the positions (n_t, 2) of its pin."""
    return np.asarray(np.unwrap(np.arctan2(B[:, 1], B[:, 0])), dtype=np.float64)
