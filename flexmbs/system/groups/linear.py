"""Linear bodies, compiled: uncoupled modes with constant matrices."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.core.rotations import to_quaternion
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.linear_body import LINEAR_BODY
from flexmbs.model.forces.items import Items, dead_items
from flexmbs.system.groups.contract import BodyGroup, least_ratio
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.gravity import check_in_space
from flexmbs.system.groups.linear_turns import AS_A_WHOLE, LinearTurn, of_interfaces
from flexmbs.system.groups.spans import Section
from flexmbs.system.linear_terms import linear_term

if TYPE_CHECKING:
    from flexmbs.model.bodies.linear import LinearMarker
    from flexmbs.system.coordinates import Coordinates

__all__ = ["LinearBodies"]


class LinearBodies(BodyGroup):
    """`LinearBody`: modes of parts that do not move far."""

    kind: ClassVar[str] = "linear"
    section: ClassVar[Section] = Section.MODES

    def names(self, body: Any) -> tuple[str, ...]:
        return tuple(f"shape {k + 1}" for k in range(body.modes))

    def shapes(self, body: Any) -> IntArray:
        return self.velocities(body)

    def translations(self, body: Any) -> IntArray:
        """None: it does not move as a whole."""
        return np.zeros(0, dtype=np.int64)

    def sizes(self, length: float) -> Iterator[tuple[Any, IntArray, FloatArray]]:
        """Modes share the mass of their body."""
        for body in self.bodies:
            yield body, self.velocities(body), np.full(body.modes, length * np.sqrt(body.mass / body.modes))

    def moves(
        self, before: FloatArray, after: FloatArray, step: FloatArray
    ) -> Iterator[tuple[Any, IntArray, float, float]]:
        """Modes have units of their own: nothing to compare with lengths and angles."""
        return iter(())

    def terms(self, coordinates: Coordinates, b1: int) -> tuple[list[Term], FloatArray]:
        found, masses = [], [np.zeros(0)]
        for body in self.bodies:
            term, mass = linear_term(body, self.velocities(body), b1)
            found.append(term)
            masses.append(mass)
            b1 += len(mass)
        return found, np.concatenate(masses)

    @property
    def turns_little(self) -> bool:
        return True

    def linear_turns(self, q: FloatArray) -> Iterator[LinearTurn]:
        for body in self.bodies:
            yield from of_interfaces(body, q[:, self.in_q(body)], AS_A_WHOLE)

    @property
    def diagonal(self) -> tuple[IntArray, FloatArray]:
        """None: the mass is in the blocks of the terms."""
        return np.zeros(0, dtype=np.int64), np.zeros(0)

    def weights(self, acceleration: FloatArray, index: int) -> list[Items]:
        found = []
        for body in self.bodies:
            check_in_space(f"body {body.name!r}", acceleration)
            found.append(dead_items(self.velocities(body), acceleration @ body.momentum_shapes, index))
        return found

    @property
    def damping_ratio(self) -> float:
        return min(least_ratio(body.frequencies, body.viscosity) for body in self.bodies)

    def strain_energy(self, q: FloatArray) -> float:
        return sum(0.5 * float(np.sum((b.frequencies * q[self.in_q(b)]) ** 2)) for b in self.bodies)

    def momentum(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """To first order in the displacements: with the undeformed places."""
        P, L = np.zeros(3), np.zeros(3)
        for body in self.bodies:
            rate = v[self.velocities(body)]
            p = body.momentum_shapes @ rate
            Q = body.reduced.inertia.Q @ (body.basis @ rate)
            local = np.array([Q[1, 2] - Q[2, 1], Q[2, 0] - Q[0, 2], Q[0, 1] - Q[1, 0]])
            P += p
            L += np.cross(body.position, p) + body.rotation @ local
        return P, L

    def mass_moment(self, q: FloatArray) -> tuple[float, FloatArray]:
        moment = np.zeros(3)
        for body in self.bodies:
            undeformed = body.position * body.mass + body.rotation @ body.reduced.inertia.first
            moment += undeformed + body.momentum_shapes @ q[self.in_q(body)]
        return float(sum(body.mass for body in self.bodies)), moment

    def reaches(self) -> Iterator[tuple[Any, FloatArray]]:
        return ((body, body.position + body.reduced.points @ body.rotation.T) for body in self.bodies)

    def marker_entry(self, marker: LinearMarker, point: bool) -> MarkerEntry:  # type: ignore[override]  # made by them
        modes, R = self.velocities(marker.body), marker.node_frame
        return MarkerEntry(LINEAR_BODY, modes, modes[:0] if point else modes,
                           {"o": marker.position0(), "R_BM": marker.rotation0(), "Phi": R @ marker.phi,
                            "Psi": R @ marker.psi})  # fmt: skip

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The frame stays."""
        return np.tile(body.position, (len(q), 1)), np.tile(to_quaternion(body.rotation), (len(q), 1))

    def drawing(self, body: Any) -> Drawing:
        return Drawing(body.name, "reduced", body, first=self.in_q(body), pose=partial(self.pose, body))
