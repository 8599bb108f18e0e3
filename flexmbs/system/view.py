"""The system at one state as sensors see it (`flexmbs.model.control.view.View`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import number_meant
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.kernels.rows.rows import row_gradient
from flexmbs.model.control.calling import only_label
from flexmbs.system.contact_pairs import taking_part
from flexmbs.system.crossing_contacts import CrossingTubes
from flexmbs.system.distributed_contacts import AlongBody
from flexmbs.system.marker_set import MarkerSet

if TYPE_CHECKING:
    from flexmbs.core.contracts import MarkerWork
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.contacts.pair import ContactPair
    from flexmbs.system.system import System

__all__ = ["SystemView", "Viewer"]


class Viewer:
    """Makes views of one system; remembers compiled markers, and the turns of joint angles at accepted steps."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._sets: IdentityMap[Marker, tuple[MarkerSet, MarkerWork]] = IdentityMap()
        self._pairs: IdentityMap[Contact, tuple[ContactPair, ...]] = IdentityMap()
        self._along: IdentityMap[Contact, tuple[AlongBody | CrossingTubes, ...]] = IdentityMap()
        self.near: dict[tuple[str, str], float] = {}
        self.before: Any = {}  # the angles at the end of the solution from which an analysis goes on
        self.held: FloatArray = np.zeros(0)
        self.held_names: tuple[str, ...] = ()

    def view(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> SystemView:
        """The system at a state."""
        return SystemView(self, t, q, v, a, lam)

    def accept(self, view: SystemView) -> None:
        """Count the turns of the angles asked for so far from their present values."""
        for joint, label in self.near:
            self.near[joint, label] = view.row(joint, label)[0]

    def compiled(self, marker: Marker) -> tuple[MarkerSet, MarkerWork]:
        """The marker with its tables."""
        if marker not in self._sets:
            markers = MarkerSet(self.system.coordinates, [marker], set(), 0)
            work = markers.work(np.zeros(self.system.coordinates.n_v), np.zeros(markers.size))
            self._sets[marker] = markers, work
        return self._sets[marker]

    def touching(self, contact: Contact) -> tuple[ContactPair, ...]:
        """The pairs of a contact that take part."""
        if contact not in self._pairs:
            counts = taking_part(self.system.model, [(contact, pair.force) for pair in contact.touching])
            self._pairs[contact] = tuple(pair for pair, c in zip(contact.touching, counts, strict=True) if c)
        return self._pairs[contact]

    def along(self, contact: Contact) -> tuple[AlongBody | CrossingTubes, ...]:
        """The pairs along bodies of a contact that take part, and of tubes, with their tables."""
        if contact not in self._along:
            coordinates = self.system.coordinates
            ends: list[Any] = [pair.ends for pair in contact.distributed] + list(contact.crossing)
            counts = iter(taking_part(self.system.model, [(contact, pair) for pair in ends]))
            found: list[AlongBody | CrossingTubes] = []
            found += [AlongBody(coordinates, pair) for pair in contact.distributed if next(counts)]
            found += [CrossingTubes(coordinates, pair) for pair in contact.crossing if next(counts)]
            self._along[contact] = tuple(found)
        return self._along[contact]


class SystemView(Hinted):
    """The system at one state."""

    def __init__(self, viewer: Viewer, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> None:
        self._viewer, self._t, self.q, self.v, self.a, self.lam = viewer, t, q, v, a, lam

    @property
    def t(self) -> float:
        """Time."""
        return self._t

    def position(self, marker: Marker) -> FloatArray:
        """Position (3,), inertial frame."""
        return np.array(self._placed(marker)[1].p[0])

    def rotation(self, marker: Marker) -> FloatArray:
        """Orientation (3, 3)."""
        return np.array(self._placed(marker)[1].R[0])

    def twist(self, marker: Marker) -> FloatArray:
        """Velocity in inertial axes and angular velocity in marker axes (6,)."""
        return np.array(self._placed(marker)[1].twist[0])

    def acceleration(self, marker: Marker) -> FloatArray:
        """Acceleration (3,) of the point, inertial axes."""
        markers, work = self._placed(marker, tangent=True)
        dof = markers.dof
        return np.asarray(work.JT.T @ self.a[dof] + work.JvT.T @ self.v[dof])[:3]

    def row(self, joint: str, label: str) -> tuple[float, float]:
        """A coordinate of a joint and its rate; angles are counted over full turns."""
        found = self._viewer.system.model.joint(joint)
        offered, label = getattr(found, "coordinates", {}), only_label(found, label)
        if label not in offered:
            raise ModelError(f"joint {joint!r} has no coordinate {label!r}; it has {', '.join(offered) or 'none'}.")
        pair = offered[label]
        a, b = self._placed(pair.a)[1], self._placed(pair.b)[1]
        p, R = np.array([a.p[0], b.p[0]]), np.array([a.R[0], b.R[0]])
        near = self._viewer.near
        if (joint, label) not in near:
            near[joint, label] = self._viewer.before.get((joint, label), 0.0)
        c, G = np.zeros((1, 12)), np.zeros((1, 12))
        row = pair.rows[0]
        c[0, : len(row.constants)] = row.constants
        last = np.array([near[joint, label]])
        value = row_gradient(row.kind, 0, c, last, 0, 1, p, R, G, 0)
        return float(value), float(G[0, :6] @ a.twist[0] + G[0, 6:] @ b.twist[0])

    def multiplier(self, joint: str) -> FloatArray:
        """Multipliers (m,) of a joint."""
        system = self._viewer.system
        return self.lam[system.mechanics.equations_of(system.model.joint(joint))].copy()

    def coordinate(self, body: str, index: int) -> tuple[float, float]:
        """A coordinate of a body and its rate; those of a quaternion have no rate of their own here."""
        c = self._viewer.system.coordinates
        found = self._viewer.system.model.body(body)
        in_q, in_v = c.in_q(found), c.velocities(found)
        if found.has_mesh and len(in_q) != len(in_v):
            raise ModelError(f"body {body!r} has quaternions, which are no coordinates with rates; use a marker.")
        if not 0 <= index < len(in_v):
            raise ModelError(f"body {body!r} has the coordinates 0 to {len(in_v) - 1}, not {index}.")
        return float(self.q[in_q[index]]), float(self.v[in_v[index]])

    def state(self, name: str) -> FloatArray:
        """States (n,) of the `FirstOrder` of that name."""
        system = self._viewer.system
        for item in system.model.states:
            if item.name == name:
                return self.v[system.coordinates.state_places(item)].copy()
        raise ModelError(f"model {system.model.name!r}: there are no states named {name!r}.")

    def touching(self, contact: Contact) -> tuple[ContactPair, ...]:
        """The pairs of a contact that take part."""
        return self._viewer.touching(contact)

    def least_gap_along(self, contact: Contact) -> float:
        """The least gap [length] of the tubes and skins of a contact that take part."""
        return min((body.gap(self.q, self.v) for body in self._viewer.along(contact)), default=np.inf)

    def bristles(self, pair: ContactPair) -> FloatArray:
        """States (n,) of the friction of a pair."""
        c = self._viewer.system.coordinates
        return np.array([self.v[c.extra_place(state)] for state in pair.force.states])

    def held(self, actuator: str) -> float:
        """The value held for an actuator."""
        number = number_meant("held", "actuator", actuator, self._viewer.held_names)
        return float(self._viewer.held[number])

    @property
    def all_held(self) -> FloatArray:
        """The values (n,) held for all actuators."""
        return self._viewer.held.copy()

    def _placed(self, marker: Marker, tangent: bool = False) -> tuple[MarkerSet, MarkerWork]:
        markers, work = self._viewer.compiled(marker)
        markers.poses(work, self.q, self.v, tangent)
        return markers, work
