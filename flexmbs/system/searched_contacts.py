"""Contacts whose pairs are searched, compiled: where their shapes are, and what of them never touches."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.model.contacts.searching import Places, places_of, sorts_that_meet

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.core.contracts import IntArray
    from flexmbs.core.identity import IdentityMap
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.contacts.contact import Contact
    from flexmbs.model.model import Model
    from flexmbs.system.marker_set import MarkerSet
    from flexmbs.system.rows_in_plane import RowsInPlane

__all__ = ["SearchedContact", "note_shapes", "searched_contacts"]

MOST = 5
"""Pairs of bodies that the warning names."""


@dataclass(frozen=True, eq=False)
class SearchedContact:
    """One contact.

    ``owner``: as described; ``markers (n,)``: numbers of the markers of its shapes; ``places``: what the search needs
    of these; ``joined (k,)``: i n + j of the pairs i < j of bodies that a joint connects, by the numbers in ``places``;
    ``diagonal (n_m,)``: by marker where its block lies in the common buffer, which takes up what contacts do on the
    coordinates of the marker alone; -1 without one.
    """

    owner: Contact
    markers: IntArray
    places: Places
    joined: IntArray
    diagonal: IntArray

    def between_free_bodies(self, pairs: IntArray) -> IntArray:
        """Those of the pairs (m, 2) of shapes whose bodies no joint connects."""
        if not len(self.joined):
            return pairs
        body = np.sort(self.places.body[pairs], axis=1)
        keys = body[:, 0] * (int(self.places.body.max()) + 1) + body[:, 1]
        return pairs[~np.isin(keys, self.joined)]


def note_shapes(model: Model, in_plane: RowsInPlane, turning: IdentityMap[Marker, bool]) -> None:
    """Enter the markers of all shapes that are searched into ``turning``, and whether their orientation counts."""
    for contact in _searched(model):
        for part in contact.parts:
            turning.setdefault(part.marker, False)
        for sort in sorts_that_meet(contact.parts):
            pair = contact.pair(sort.a, sort.b)
            if pair is None:
                continue
            own: IdentityMap[Marker, bool] = type(turning)()
            in_plane.note_ends(pair.a.marker, pair.b.marker, pair.force.rows, own)
            for shape in (pair.a, pair.b):
                if own[shape.marker]:
                    for part in contact.parts:
                        if type(part) is type(shape):
                            turning[part.marker] = True


def searched_contacts(
    model: Model, markers: MarkerSet, add_block: Callable[[IntArray], int]
) -> tuple[SearchedContact, ...]:  # fmt: skip
    """Compile all contacts that are searched."""
    found = []
    diagonal = np.full(len(markers.markers), -1, dtype=np.int64)
    for contact in _searched(model):
        numbers = np.array([markers.number[part.marker] for part in contact.parts], dtype=np.int64)
        for i in numbers:
            dofs = markers.dof[markers.ptr[i] : markers.ptr[i + 1]]
            if len(dofs) and diagonal[i] < 0:
                diagonal[i] = add_block(dofs)
        places = places_of(contact.parts)
        found.append(SearchedContact(contact, numbers, places, _joined(model, contact, places), diagonal))
    return tuple(found)


def _searched(model: Model) -> list[Contact]:
    return [item for item in model.forces if getattr(item, "searched", False)]


def _joined(model: Model, contact: Contact, places: Places) -> IntArray:
    """Pairs of bodies that a joint connects, with a warning that names them."""
    n = int(places.body.max(initial=0)) + 1
    numbers: dict[int, set[int]] = {}
    names: dict[int, str] = {}
    for part, number in zip(contact.parts, places.body, strict=True):
        if number:
            numbers.setdefault(id(part.marker.body), set()).add(int(number))
            names[int(number)] = str(getattr(part.marker.body, "name", part.marker.body))
    ends = [(id(pair.a.body), id(pair.b.body)) for joint in model.joints for pair in joint.pairs]
    ends += [(id(a), id(b)) for tree in model.trees for a, b in tree.joined]
    keys = {
        min(i, j) * n + max(i, j)
        for a, b in ends
        for i in numbers.get(a, ())
        for j in numbers.get(b, ())
        if i != j
    }  # fmt: skip
    found = np.array(sorted(keys), dtype=np.int64)
    if len(found):
        told = [f"{names[int(k // n)]!r} and {names[int(k % n)]!r}" for k in found[:MOST]]
        more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
        warnings.warn(
            f"Model {model.name!r}: contacts of bodies that a joint connects are left out of the search of "
            f"{contact.name!r}: {'; '.join(told)}{more}. To have one, name it in pairs= of a contact of its own.",
            UserWarning,
            stacklevel=3,
        )
    return found
