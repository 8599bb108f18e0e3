"""What a sensor sees of a moving system: the protocol that a simulation provides.

At a sample time a view shows the left limits: positions, velocities, accelerations, multipliers and held values as they
were before any controller acted at that time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.contacts.pair import ContactPair

__all__ = ["View"]


class View(Protocol):
    """The system at one time; all arrays are new or read-only."""

    @property
    def t(self) -> float:
        """Time."""

    def position(self, marker: Marker) -> FloatArray:
        """Position (3,) of a marker, inertial frame [length]."""

    def rotation(self, marker: Marker) -> FloatArray:
        """Orientation (3, 3) of a marker: its columns are the marker axes in inertial components."""

    def twist(self, marker: Marker) -> FloatArray:
        """Velocity of the point in inertial axes [length/time] and angular velocity in marker axes [rad/time] (6,)."""

    def acceleration(self, marker: Marker) -> FloatArray:
        """Acceleration (3,) of the point of a marker, inertial axes [length/time^2]."""

    def row(self, joint: str, label: str) -> tuple[float, float]:
        """A coordinate of the joint of that name (angle, distance, ...) by its label, and its rate.

        An empty label means its only coordinate, or the angle of several.
        """

    def multiplier(self, joint: str) -> FloatArray:
        """Multipliers (m,) of a joint; its reaction on the system is -G^T lam."""

    def coordinate(self, body: str, index: int) -> tuple[float, float]:
        """Entry ``index`` of the coordinates q of the body of that name and its time derivative; not of quaternions."""

    def state(self, name: str) -> FloatArray:
        """States (n,) of the `FirstOrder` of that name."""

    def touching(self, contact: Contact) -> tuple[ContactPair, ...]:
        """The pairs of a contact that take part in the model: not those left out between joined bodies."""

    def least_gap_along(self, contact: Contact) -> float:
        """The least gap [length] of the tubes and skins of a contact; infinite without any."""

    def bristles(self, pair: ContactPair) -> FloatArray:
        """States (n,) of the friction of a pair of a contact."""

    def held(self, actuator: str) -> float:
        """The value a sampled controller holds for the actuator of that name."""
