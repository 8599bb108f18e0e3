"""Items of a model carried over to another description of the same system, with other bodies, markers and joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.references import Named, ReferenceMap, nested, says_what_it_refers_to
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.control.function_sensors import FunctionSensor
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.joints.contracts import Pair, Row
from flexmbs.model.membership import item_in_words, references_of
from flexmbs.model.trees.coordinate import TreeCoordinate, TreeCoordinateMarker

__all__ = ["CarryOver", "Moved", "Rows"]

Rows = Callable[[Marker, Marker, Row], tuple[Marker, Marker, Row] | None]
"""(a, b, row) -> what replaces the row between two markers; None: the same row between their copies."""

READERS = ("read", "acts_on", "update")
"""Members of sensors, actuators and controllers, which may ask the moving system for anything."""


class Moved(NamedTuple):
    """Where a body has gone: the new body, and its frame (origin, axes) in that of the old one.

    ``interface``: of a flexible body, which has markers at interfaces only, the one that carries its frame.
    """

    body: Body
    origin: FloatArray
    axes: FloatArray
    interface: str = ""

    def marker(
        self, point: FloatArray, frame: FloatArray, interface: str | None = None, name: str | None = None
    ) -> Marker:
        """The marker at a point of the old body, or at an interface, with axes in those of the old body."""
        axes = self.axes.T @ frame
        if not self.interface:
            return Marker(self.body, self.axes.T @ (point - self.origin), axes, name=name)
        if interface is None and np.any(point):
            raise ModelError(
                f"{self.body}: it deforms, with markers at its interfaces only, none at {np.asarray(point).tolist()}."
            )
        body: Any = self.body
        return body._interface(interface or self.interface, axes, name)  # type: ignore[no-any-return]


class CarryOver:
    """Copies of items that refer to what takes the place of bodies, joints and trees that are gone.

    What an item refers to is asked of it (`flexmbs.core.references.Description`). Markers are made anew at their place
    on the new body. A joint that is gone is replaced by what offers its coordinates, and rows between its markers, on
    which springs and drivers act, by rows of these.

    Parameters
    ----------
    bodies : mapping of bodies that are gone to where they are now
    joints : mapping of joints that are gone to what offers their coordinates
    names : mapping of names of joints that are gone to the new ones
    trees : mapping of links of trees that are gone to the joint in place of theirs; None where that is free
    rows : function, optional
        What replaces a row between two markers.
    """

    def __init__(
        self,
        bodies: Mapping[Any, Moved],
        joints: Mapping[Any, Any] | None = None,
        names: Mapping[str, str] | None = None,
        trees: Mapping[Any, Any] | None = None,
        rows: Rows | None = None,
    ) -> None:
        self._bodies, self._joints, self._trees, self._rows = bodies, joints or {}, trees or {}, rows
        self._map = ReferenceMap(self._joints.items())
        self._map.update((Named("joint", old), new) for old, new in (names or {}).items())
        gone = (*bodies, *self._joints, *(link.tree for link in self._trees))
        self._gone: IdentityMap[Any, None] = IdentityMap((thing, None) for thing in gone)
        self._called = {Named("body", body.name): body for body in bodies}
        self._kept: IdentityMap[Any, None] = IdentityMap()

    def items(self, items: Iterable[Any]) -> list[Any]:
        """All items that are not gone, carried over.

        Raises
        ------
        ModelError
            If one does not say what it refers to, or refers to something that is gone in a way that cannot be carried
            over; the message names both.
        """
        kept = [item for item in items if item not in self._gone]
        self._kept = IdentityMap((item, None) for item in kept)
        return [self._item(item) for item in kept]

    def marker(self, marker: Marker) -> Marker:
        """The marker on the new body at the same place."""
        if marker not in self._map:
            moved = self._bodies.get(marker.body)
            if moved is None or marker.point is None:
                return marker
            outlet = getattr(marker, "outlet", None)
            self._map[marker] = moved.marker(marker.point, marker.frame, outlet, marker.name)
        result: Marker = self._map[marker]
        return result

    def _item(self, item: Any) -> Any:
        if item not in self._map:
            words = item_in_words(item)
            self._check_says(words, item)
            for thing in references_of(item):
                self._follow(thing)
            for part in nested(item):
                self._row(part)
            new = item.replaced(self._map)
            for thing in references_of(new):
                self._check_here(words, thing)
            self._map[item] = new
        return self._map[item]

    def _follow(self, thing: Any) -> None:
        """Find what takes the place of a reference."""
        if isinstance(thing, Marker):
            self.marker(thing)
        elif isinstance(thing, TreeCoordinate) and thing.tree in self._gone:
            joint = self._trees[thing.tree.bodies[thing.link]]
            if joint is not None:
                self._map[thing] = joint
        elif thing in self._kept:
            self._item(thing)

    def _row(self, part: Any) -> None:
        """Exchange the row of what has one between two markers."""
        if self._rows is None or not isinstance(part, Pair | RowForce) or len(part.rows) != 1:
            return
        found = self._rows(part.a, part.b, part.rows[0])
        if found is not None:
            self._map[part] = replace(part, a=found[0], b=found[1], rows=(found[2],))

    def _check_says(self, words: str, item: Any) -> None:
        """Refuse what may refer to something without saying so."""
        if not says_what_it_refers_to(item):
            raise ModelError(
                f"{words}: it does not say what it refers to, so it cannot be carried over to the converted model. "
                f"Derive its class, a frozen dataclass, from flexmbs.extend.Description, or give it references() and "
                f"replaced(mapping)."
            )
        for part in nested(item):
            if isinstance(part, FunctionSensor) and not _says_all(part.function):
                raise ModelError(
                    f"{words}: the function of FunctionSensor {part.name!r} may ask for anything of the model, so it "
                    f"cannot be carried over to the converted model. Give it the markers it asks for as arguments, "
                    f"functools.partial(function, marker), or make it a flexmbs.extend.Description that can be called."
                )
            if part is not item and not says_what_it_refers_to(part) and any(hasattr(part, name) for name in READERS):
                raise ModelError(
                    f"{words}: its {item_in_words(part)} does not say what it refers to, so it cannot be carried over "
                    f"to the converted model. Derive the class, a frozen dataclass, from flexmbs.extend.Description."
                )

    def _check_here(self, words: str, thing: Any) -> None:
        """Refuse what still refers to something that is gone."""
        if isinstance(thing, TreeCoordinateMarker) and thing.body in self._gone:
            raise ModelError(f"{words}: {thing} is a coordinate that the converted model does not offer.")
        if isinstance(thing, TreeCoordinate) and thing.tree in self._gone:
            raise ModelError(f"{words}: joint {thing.name!r} has no coordinates in the converted model: it is free.")
        if isinstance(thing, Named) and thing in self._called:
            _refuse(words, str(self._called[thing]))
        if thing in self._gone:
            _refuse(words, str(thing) if isinstance(thing, Body) else item_in_words(thing))


def _says_all(function: Any) -> bool:
    """Whether a function is told what it is to look at by arguments or fields, which can be exchanged."""
    return not isinstance(function, FunctionType | BuiltinFunctionType) and (
        says_what_it_refers_to(function) or any(part is not function for part in nested(function))
    )


def _refuse(words: str, what: str) -> NoReturn:
    raise ModelError(
        f"{words}: it names {what} itself, not a marker on it, and cannot be carried over to the converted model. Give "
        f"it a marker, or leave it out."
    )
