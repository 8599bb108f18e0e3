"""All items of one type become one group: Python's cost is per type, not per item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, Term
from flexmbs.system.crossing_contacts import crossing_items

if TYPE_CHECKING:
    from flexmbs.model.bodies.attachment import Attachment
    from flexmbs.model.bodies.flexible import FlexibleBody
    from flexmbs.model.forces.items import Items
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates
    from flexmbs.system.groups import BodyGroup

__all__ = ["gather"]


def gather(model: Model, coordinates: Coordinates) -> tuple[tuple[Term, ...], FloatArray, int, int]:
    """Terms of a model, the mass in their blocks, the length of their buffer, and how many of them are of elements."""
    terms: list[Term] = []
    masses: list[FloatArray] = [np.zeros(0)]
    size = n_elements = 0
    for group in coordinates.groups:
        own, mass = group.terms(coordinates, size)
        terms += own
        masses.append(mass)
        size += len(mass)
        n_elements += len(own) if group.node_dofs else 0
    places = _Places(coordinates)
    for items in _by_kind(model, places):
        kind = items[0].kind
        dofs = np.ascontiguousarray(np.concatenate([i.dofs for i in items]), dtype=np.int64)
        columns = [np.ascontiguousarray(np.concatenate(c)) for c in zip(*(i.columns for i in items), strict=True)]
        terms.append(
            Term(
                kind.name,
                kind.group(dofs, size, *columns),
                kind.force,
                kind.tangent,
                kind.symmetric,
                kind.diagnosis,
                kind.support,
                kind.energy,
                kind.gaps,
                kind.power,
            )
        )
        if kind.tangent is not None:
            size += len(dofs) * dofs.shape[1] ** 2
    mass = np.concatenate(masses)
    return tuple(terms), np.concatenate((mass, np.zeros(size - len(mass)))), size, n_elements


class _Places:
    """What a load sees of the system while it is compiled."""

    def __init__(self, coordinates: Coordinates) -> None:
        self.coordinates = coordinates

    @property
    def groups(self) -> tuple[BodyGroup, ...]:
        return self.coordinates.groups

    def dofs(self, at: Attachment) -> IntArray:
        return self.coordinates.dofs(at)

    def shapes(self, body: object) -> IntArray:
        return self.coordinates.shapes(body)

    def reference(self, at: Attachment) -> FloatArray:
        return self.coordinates.reference[self.coordinates.dofs(at)]

    def element_group(self, body: FlexibleBody) -> Any:
        return self.coordinates.elements[self.coordinates.index(body)]


def _by_kind(model: Model, places: _Places) -> list[list[Items]]:
    """Items of all loads, and of contacts of tubes, by kind, number of coordinates and widths of their arrays."""
    found: dict[tuple[Any, ...], list[Items]] = {}
    all_items = [items for index, load in enumerate(model.loads) for items in load.items(places, index)]
    all_items += crossing_items(model, places.coordinates, places)
    for items in all_items:
        if len(items.dofs):
            widths = tuple(np.shape(column)[1:] for column in items.columns)
            found.setdefault((items.kind, items.dofs.shape[1], widths), []).append(items)
    return list(found.values())
