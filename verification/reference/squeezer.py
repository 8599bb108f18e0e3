"""Andrews' squeezing mechanism: seven plane bodies, a spring and a constant torque (Hairer and Wanner, section VII.7).

Angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). Lengths in m, masses in kg, time in s.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from flexmbs.verification.reference.data import load_reference
from flexmbs.verification.reference.loops import AngleLinkage, Vector
from flexmbs.verification.reference.motion import FloatArray

__all__ = ["Squeezer"]

#: Which of the coordinates add up to the angle of each body.
ANGLES = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 0, 1],
    ],
    dtype=np.float64,
)
_TURN = -math.pi / 2.0  # exp(i (angle - pi/2)) = (sin, -cos)


@dataclass(frozen=True)
class Squeezer:
    """The mechanism with the data of its stored reference.

    Attributes
    ----------
    data : dict
        Lengths, masses and inertias by the names of the literature.
    linkage : AngleLinkage
        Its equations of motion.
    """

    data: dict[str, float] = field(init=False)
    masses: tuple[float, ...] = field(init=False)
    inertias: tuple[float, ...] = field(init=False)
    start: tuple[float, ...] = field(init=False)
    linkage: AngleLinkage = field(init=False)

    def __post_init__(self) -> None:
        stored = load_reference("d12").parameters
        d = {name: value for name, value in stored.items() if isinstance(value, float)}
        for name, value in (("data", d), ("masses", stored["m"]), ("inertias", stored["I"]), ("start", stored["q0"])):
            object.__setattr__(self, name, value if isinstance(value, dict) else tuple(value))
        a, b = self.ground["A"], self.ground["B"]

        def vector(body: int, along: float, across: float = 0.0) -> list[tuple[float, ...]]:
            """A vector fixed to a body: ``along`` (cos, sin) and ``across`` (sin, -cos) of its angle."""
            rows = [(along, 0.0, *ANGLES[body - 1]), (across, _TURN, *ANGLES[body - 1])]
            return [row for row in rows if row[0]]

        centres = [
            Vector(tuple(vector(1, d["ra"]))),
            Vector(tuple(vector(1, d["rr"]) + vector(2, -d["da"]))),
            Vector(tuple(vector(3, d["sb"], d["sa"])), b),
            Vector(tuple(vector(5, d["zt"]) + vector(4, 0.0, d["e"] - d["ea"])), a),
            Vector(tuple(vector(5, -d["tb"], d["ta"])), a),
            Vector(tuple(vector(7, 0.0, d["u"]) + vector(6, d["zf"] - d["fa"])), a),
            Vector(tuple(vector(7, -d["ub"], d["ua"])), a),
        ]
        hub = vector(1, d["rr"]) + vector(2, -d["d"])
        loops = [
            Vector(tuple(hub + vector(3, 0.0, -d["ss"])), -b),
            Vector(tuple(hub + vector(4, 0.0, -d["e"]) + vector(5, -d["zt"])), -a),
            Vector(tuple(hub + vector(6, -d["zf"]) + vector(7, 0.0, -d["u"])), -a),
        ]
        link = AngleLinkage(self.masses, self.inertias, centres, ANGLES, loops, self._force)
        object.__setattr__(self, "linkage", link)

    @property
    def ground(self) -> dict[str, complex]:
        """Fixed points: O of the crank, A, B and the end C of the spring."""
        d = self.data
        return {
            "O": 0j,
            "A": complex(d["xa"], d["ya"]),
            "B": complex(d["xb"], d["yb"]),
            "C": complex(d["xc"], d["yc"]),
        }

    def spring_point(self, gamma: float) -> complex:
        """Where the spring holds body 3."""
        turn = cmath.exp(1j * gamma)
        return self.ground["B"] + self.data["sc"] * turn * -1j + self.data["sd"] * turn

    def _force(self, q: FloatArray, _: FloatArray) -> FloatArray:
        """Torque on the crank, and the spring by the derivative of its length."""
        gap = self.spring_point(q[2]) - self.ground["C"]
        slope = 1j * (self.spring_point(q[2]) - self.ground["B"])
        tension = self.data["c0"] * (abs(gap) - self.data["l0"])
        force = np.zeros(7)
        force[0] = self.data["mom"]
        force[2] = -tension * (gap.conjugate() * slope).real / abs(gap)
        return force

    def energy(self, q: FloatArray) -> float:
        """Energy of the spring minus the work of the torque since beta = 0."""
        gap = abs(self.spring_point(q[2]) - self.ground["C"])
        return float(self.data["c0"] * (gap - self.data["l0"]) ** 2 / 2.0 - self.data["mom"] * q[0])

    def motion(self, times: Sequence[float] | FloatArray, rtol: float = 1e-12) -> FloatArray:
        """Angles and rates (n_t, 14) from the stored initial angles at rest."""
        return self.linkage.motion(self.start, [0.0] * 7, times, rtol)
