"""Contacts of tubes: which pairs take part, and what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, State, owned
from flexmbs.core.errors import ModelError
from flexmbs.system.contact_pairs import between_free_bodies

if TYPE_CHECKING:
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.contacts.crossing import CrossingPair
    from flexmbs.model.contacts.lines import LinePair
    from flexmbs.model.forces.items import Items
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["CrossingTubes", "crossing_items", "crossing_pairs"]

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

    def __init__(self, coordinates: Coordinates, pair: CrossingPair | LinePair) -> None:
        places: Any = _Elements(coordinates)
        items = pair.items(places, 0)
        kind = items.kind
        self.group = kind.group(items.dofs, 0, *items.columns)
        self._gaps, self._told = kind.gaps, pair.told

    def gap(self, q: FloatArray, v: FloatArray) -> float:
        """The least gap [length]."""
        return float(self._gap(q, v)[0])

    def states(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The pair (14,), as `flexmbs.kernels.crossing_contacts.crossing_states` gives it."""
        out = np.empty(14)
        q, v = owned(q), owned(v)
        self._told(self.group, State(q, v, v, v), out)
        out[3:5] = self._gap(q, v)
        return out

    def _gap(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Gap and its rate (2,)."""
        q, v = owned(q), owned(v)
        gap, rate = np.full(1, np.inf), np.zeros(1)
        assert self._gaps is not None  # noqa: S101 - contacts have gaps
        self._gaps(self.group, State(q, v, v, v), gap, rate)
        return np.concatenate((gap, rate))


def crossing_items(model: Model, coordinates: Coordinates, places: Any) -> list[Items]:
    """The pairs of elements of all tubes that may touch, those of joined bodies left out; refuses an overlap."""
    pairs = crossing_pairs(model)
    kept = between_free_bodies(model, pairs)
    for contact, pair in kept:
        tubes = CrossingTubes(coordinates, pair)
        gap = 0.0 if contact.allow_overlap else tubes.gap(coordinates.reference, np.zeros(coordinates.n_v))
        if gap < -TOUCHING * pair.reach:
            raise ModelError(
                f"Contact {contact.name!r}: {pair} overlap by {-gap:.4g} at the start, which would throw them apart. "
                f"Move them, or give allow_overlap=True if they rest on each other."
            )
    number = {id(pair): k for k, (_, pair) in enumerate(pairs)}
    return [pair.items(places, number[id(pair)]) for _, pair in kept]


def crossing_pairs(model: Model) -> list[tuple[Any, CrossingPair | LinePair]]:
    """All pairs of tubes with their contacts, in the order of the numbers that their elements have."""
    return [(force, pair) for force in model.forces for pair in getattr(force, "crossing", ())]
