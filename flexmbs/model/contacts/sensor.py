"""Watching a contact while it moves: its least gap, and events when it closes or opens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.model.contacts.pair import gap_of
from flexmbs.model.control.events import Event

if TYPE_CHECKING:
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.control.view import View

__all__ = ["LeastGap", "contact_event"]


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
        if self.contact.searched:
            raise ModelError(
                f"LeastGap: contact {self.contact.name!r} searches its pairs, so that none is the nearest for long; "
                f"name the pairs to watch in pairs= of a contact of their own."
            )

    def __call__(self, *seen: Any) -> float:
        view: View = seen[-1]
        least = np.inf
        for pair in view.touching(self.contact):
            ends = (pair.a.marker, pair.b.marker)
            p = np.array([view.position(m) for m in ends])
            R = np.array([view.rotation(m) for m in ends])
            least = min(least, gap_of(pair, p, R))
        return float(least)


def contact_event(contact: Contact, what: str, options: dict[str, Any]) -> Event:
    """The event that `Contact.event` offers."""
    directions = {"closes": -1, "opens": 1}
    if what not in directions:
        raise ModelError(f"Contact {contact.name!r}: an event is 'closes' or 'opens', not {show(what)}.")
    options = {"name": f"{contact.name} {what}", **options}
    return Event(LeastGap(contact), direction=directions[what], **options)
