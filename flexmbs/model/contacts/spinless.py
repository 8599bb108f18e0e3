"""Friction on nodes that have no rotation about one axis."""

from __future__ import annotations

from collections.abc import Sequence

from flexmbs.core.checks import warn_user
from flexmbs.core.errors import AccuracyWarning
from flexmbs.model.contacts.shapes import Shape

__all__ = ["warn_of_lost_friction"]


def warn_of_lost_friction(owner: str, parts: Sequence[Shape]) -> None:
    """Warn of the first shape on a node of a shell without rotation about its director.

    Friction acts beside such a node, but for a point on it, so that it has a moment about the director. A cable carries
    no torsion by description.
    """
    for part in parts:
        if part.along or part.ball_radius == 0.0 or part.marker.spin_axis is None:
            continue
        kind, axis, use = part.marker.spin_words
        if axis == "director":
            warn_user(
                f"{owner}: friction on {part} has a moment about the director, which is lost, and the slip does not "
                f"know the spin about it, since {kind} has no rotation there. {use}",
                AccuracyWarning,
            )
            return
