"""Contacts of tubes: which pairs take part, and what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.crossing_contacts import CrossingGroup, crossing_states
from flexmbs.system.contact_pairs import between_free_bodies

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.contacts.crossing import CrossingPair
    from flexmbs.model.forces.items import Items
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["CrossingTubes", "crossing_items"]

TOUCHING = 1e-9
"""Overlap at the start, over the sum of the radii, that is round-off."""


class _Elements:
    """Where the elements of bodies are."""

    def __init__(self, coordinates: Coordinates) -> None:
        self.coordinates = coordinates

    def element_group(self, body: FlexibleBody) -> Any:
        """The group of the body's elements."""
        return self.coordinates.elements[self.coordinates.index(body)]


class CrossingTubes:
    """One pair of tubes at given states."""

    def __init__(self, coordinates: Coordinates, pair: CrossingPair) -> None:
        places: Any = _Elements(coordinates)
        items = pair.items(places, 0)
        self.group = CrossingGroup(items.dofs, 0, *items.columns)

    def states(self, q: FloatArray) -> FloatArray:
        """The pair (14,), as `flexmbs.kernels.crossing_contacts.crossing_states` gives it."""
        out = np.empty(14)
        crossing_states(self.group, np.ascontiguousarray(q), out)
        return out


def crossing_items(model: Model, coordinates: Coordinates, places: Any) -> list[Items]:
    """The pairs of elements of all tubes that may touch, those of joined bodies left out; refuses an overlap."""
    pairs = [(force, pair) for force in model.forces for pair in getattr(force, "crossing", ())]
    kept = between_free_bodies(model, pairs)
    for contact, pair in kept:
        gap = 0.0 if contact.allow_overlap else CrossingTubes(coordinates, pair).states(coordinates.reference)[3]
        if gap < -TOUCHING * pair.law[0]:
            raise ModelError(
                f"Contact {contact.name!r}: {pair} overlap by {-gap:.4g} at the start, which would throw them apart. "
                f"Move them, or give allow_overlap=True if they rest on each other."
            )
    return [pair.items(places, number) for number, (_, pair) in enumerate(kept)]
