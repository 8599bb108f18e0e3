"""Watching a contact while it moves: its least gap, how fast it slips, and events when these change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import is_among, show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.contacts import contact_states
from flexmbs.model.contacts.pair import alone, gap_of, two_markers
from flexmbs.model.control.events import Event

if TYPE_CHECKING:
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.contacts.pair import ContactPair
    from flexmbs.model.control.view import View

__all__ = ["LeastGap", "SlipSpeed", "contact_event"]


@dataclass(frozen=True, eq=False)
class LeastGap(Description):
    """The least gap [length] of the pairs of a contact, as a function of what is seen of the system.

    Of the pairs that take part: those of joined bodies, which a model leaves out, do not count.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0, 0, 1.0), name="ball")
    >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    >>> touch = fx.Contact((floor, fx.contact.Vertex(ball)), fx.contact.HuntCrossleyLaw(stiffness=1e6))
    >>> sensor = fx.control.FunctionSensor(fx.contact.LeastGap(touch), name="gap")
    """

    contact: Contact

    def __post_init__(self) -> None:
        _refuse_searched("LeastGap", self.contact)

    def __call__(self, *seen: Any) -> float:
        view: View = seen[-1]
        least = np.inf
        for pair in view.touching(self.contact):
            ends = (pair.a.marker, pair.b.marker)
            p = np.array([view.position(m) for m in ends])
            R = np.array([view.rotation(m) for m in ends])
            least = min(least, gap_of(pair, p, R))
        if self.contact.distributed or self.contact.crossing:
            least = min(least, view.least_gap_along(self.contact))
        return float(least)


@dataclass(frozen=True, eq=False)
class SlipSpeed(Description):
    r"""The largest speed [length/time] with which the pairs of a contact slip, as a function of what is seen.

    It is :math:`|\mathbf u - \dot{\mathbf z}|`, the slip velocity less what the bristle gives way elastically, so that
    what sticks and sways has none; without a bristle it is \|u\|. Of the pairs that touch; where none does, of all.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0, 0, 0), name="ball")
    >>> floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0, 0, 1)))
    >>> law, grip = fx.contact.HuntCrossleyLaw(stiffness=1e6), fx.contact.CoulombLaw(0.3, speed=1e-3)
    >>> touch = fx.Contact((floor, fx.contact.Vertex(ball)), law, grip)
    >>> sensor = fx.control.FunctionSensor(fx.contact.SlipSpeed(touch), name="slip")
    """

    contact: Contact

    def __post_init__(self) -> None:
        _refuse_searched("SlipSpeed", self.contact)
        if self.contact.distributed or self.contact.crossing:
            raise ModelError(
                f"SlipSpeed: contact {self.contact.name!r} lies along a line or surface; slip is watched of declared "
                f"pairs of shapes: name them in pairs= of a contact of their own."
            )

    def __call__(self, *seen: Any) -> float:
        view: View = seen[-1]
        found = [self._of(view, pair) for pair in view.touching(self.contact)]
        touching = [speed for gap, speed in found if gap < 0.0]
        return max(touching or [speed for _, speed in found], default=0.0)

    def _of(self, view: View, pair: ContactPair) -> tuple[float, float]:
        """Gap and speed of slip of a pair."""
        ends = (pair.a.marker, pair.b.marker)
        p, R, twist = (
            np.array([[read(m) for m in ends]], dtype=np.float64) for read in (view.position, view.rotation, view.twist)
        )
        bristles = view.bristles(pair)
        z = bristles[None] if len(bristles) else np.zeros((1, 1))
        out, normal, work = np.empty((1, 11)), np.empty((1, 3)), two_markers()
        contact_states(alone(pair), p, R, twist, z, work, out, normal)
        n = min(len(pair.force.rows) - 1, len(bristles))
        slip = out[0, 6:9] - work.S[57 : 57 + n, 0] @ work.S[13 : 13 + n, 6:9]
        return float(out[0, 0]), float(np.linalg.norm(slip))


def _refuse_searched(owner: str, contact: Contact) -> None:
    """Pairs that are searched come and go."""
    if contact.searched:
        raise ModelError(
            f"{owner}: contact {contact.name!r} searches its pairs, so that none can be watched for long; name the "
            f"pairs to watch in pairs= of a contact of their own."
        )


def contact_event(contact: Contact, what: str, options: dict[str, Any]) -> Event:
    """The event that `Contact.event` offers."""
    directions = {"closes": -1, "opens": 1, "slips": 1, "sticks": -1}
    if not is_among(what, directions):
        raise ModelError(
            f"Contact {contact.name!r}: an event is 'closes', 'opens', 'slips' or 'sticks', not {show(what)}."
        )  # fmt: skip
    options = {"name": f"{contact.name} {what}", **options}
    if what in ("closes", "opens"):
        return Event(LeastGap(contact), direction=directions[what], **options)
    law = contact.friction
    if law is None:
        raise ModelError(f"Contact {contact.name!r}: it has no friction, so it always slips and never {what}.")
    level = options.pop("level", None) or getattr(law, "slip_speed", None)
    if level is None:
        raise ModelError(
            f"Contact {contact.name!r}: give level=, the speed of slip [length/time] from which it counts as slipping; "
            f"{type(law).__name__} has no speed of its own."
        )
    return Event(SlipSpeed(contact), level=level, direction=directions[what], **options)
