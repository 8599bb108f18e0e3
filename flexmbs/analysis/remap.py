"""Items of a model with other bodies, markers and joints in place of those they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from flexmbs.bodies.marker import Body, Marker
from flexmbs.body import FlexibleBody
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.joints.contracts import Row
from flexmbs.trees.coordinate import TreeCoordinateMarker
from flexmbs.trees.tree import Tree

__all__ = ["Moved", "Remap"]

PLAIN = (str, bytes, int, float, complex, bool, type(None), type, np.ndarray, np.generic, ModuleType, FlexibleBody)
"""What names nothing of a model."""


class Moved(NamedTuple):
    """Where a body has gone: the new body, and its frame (origin, axes) in that of the old one."""

    body: Body
    origin: FloatArray
    axes: FloatArray


class Remap:
    """Copies of items, with markers, joints and rows exchanged; what names nothing of these is kept as it is.

    Items are described by plain data, so that a copy is made by going through their attributes. A joint that is gone
    is replaced by what offers its coordinates, where it is an object, or by its new name, in the attribute ``joint``
    of sensors and actuators. Functions that a user wrote cannot be rewritten: those that name a body or marker that is
    gone are refused.

    Parameters
    ----------
    bodies : mapping of id(body) to Moved
    joints : mapping of id(joint) to what replaces it
    names : mapping of the names of these joints to the new ones
    rows : function (a, b, row) -> (a, b, row) or None, optional
        What replaces a row between two markers; None: the same row between their copies.
    gone : mapping of id(object) to what it is in words
        Objects that nothing may name directly.
    called : mapping of names of bodies to what they are in words
        Names that sensors may not give.
    """

    def __init__(
        self,
        bodies: Mapping[int, Moved],
        joints: Mapping[int, Any],
        names: Mapping[str, str],
        gone: Mapping[int, str],
        rows: Callable[[Marker, Marker, Row], tuple[Marker, Marker, Row] | None] | None = None,
        called: Mapping[str, str] | None = None,
    ) -> None:
        self._bodies, self._names, self._gone, self._rows = bodies, names, gone, rows
        self._memo: dict[int, Any] = dict(joints)
        self._called = dict(called or {})
        self._kept: list[Any] = []  # so that no id is used again
        self._item = ""

    def item(self, item: Any) -> Any:
        """An item of the model, remapped.

        Raises
        ------
        ModelError
            If it names something that is gone in a way that cannot be carried over; the message names both.
        """
        self._item = f"{type(item).__name__} {getattr(item, 'name', getattr(item, 'label', ''))!r}"
        return self._copy(item)

    def marker(self, marker: Marker) -> Marker:
        """The marker on the new body at the same place."""
        found = self._memo.get(id(marker))
        if found is None:
            moved = self._bodies.get(id(marker.body))
            if isinstance(marker, TreeCoordinateMarker) and id(marker.body) in self._gone:
                raise ModelError(f"{self._item}: {marker} is a coordinate that the converted model does not offer.")
            if moved is None or marker.point is None:
                found = marker
            else:
                point, frame = moved.axes.T @ (marker.point - moved.origin), moved.axes.T @ marker.frame
                found = Marker(moved.body, point, frame, name=marker.name)
            self._remember(marker, found)
        result: Marker = found
        return result

    def _refuse(self, what: str) -> NoReturn:
        raise ModelError(
            f"{self._item}: it names {what} itself, not a marker on it, and cannot be carried over to the converted "
            f"model. Give it a marker, or leave it out."
        )

    def _remember(self, old: Any, new: Any) -> None:
        self._memo[id(old)] = new
        self._kept.append(old)

    def _copy(self, value: Any) -> Any:
        if isinstance(value, PLAIN):
            return value
        if id(value) in self._memo:
            return self._memo[id(value)]
        if isinstance(value, Marker):
            return self.marker(value)
        if isinstance(value, Body | Tree):
            if id(value) in self._gone:
                self._refuse(self._gone[id(value)])
            return value
        if isinstance(value, tuple | list | set | frozenset):
            return self._sequence(value)
        if isinstance(value, dict):
            made = {key: self._copy(entry) for key, entry in value.items()}
            return made if any(made[key] is not value[key] for key in made) else value
        if isinstance(value, FunctionType | MethodType | BuiltinFunctionType | partial):
            return self._function(value)
        return self._object(value)

    def _sequence(self, value: Any) -> Any:
        made = [self._copy(entry) for entry in value]
        if all(new is old for new, old in zip(made, value, strict=True)):
            return value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*made)
        return type(value)(made)

    def _object(self, value: Any) -> Any:
        attributes = getattr(value, "__dict__", None)
        if attributes is None:
            return value
        new = object.__new__(type(value))
        self._remember(value, new)  # before its attributes, which may name it
        made = self._row(attributes)
        made |= {key: self._copy(entry) for key, entry in attributes.items() if key not in made}
        if isinstance(made.get("joint"), str):
            made["joint"] = self._names.get(made["joint"], made["joint"])
        if isinstance(made.get("body"), str) and made["body"] in self._called:
            self._refuse(self._called[made["body"]])
        if all(made[key] is entry for key, entry in attributes.items()):
            self._memo[id(value)] = value
            return value
        for key, entry in made.items():
            object.__setattr__(new, key, entry)
        return new

    def _row(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Markers and rows of what has one row between two markers, where it is replaced."""
        a, b, rows = (attributes.get(key) for key in ("a", "b", "rows"))
        if self._rows is None or not isinstance(a, Marker) or not isinstance(b, Marker):
            return {}
        if not isinstance(rows, tuple) or len(rows) != 1 or not isinstance(rows[0], Row):
            return {}
        found = self._rows(a, b, rows[0])
        return {} if found is None else {"a": found[0], "b": found[1], "rows": (found[2],)}

    def _function(self, value: Any) -> Any:
        """Functions as they are; methods and partial functions with their objects remapped."""
        if isinstance(value, partial):
            inner, args, keywords = self._copy(value.func), self._copy(value.args), self._copy(value.keywords)
            same = inner is value.func and args is value.args and keywords is value.keywords
            return value if same else partial(inner, *args, **keywords)
        if isinstance(value, MethodType):
            owner = self._copy(value.__self__)
            return value if owner is value.__self__ else MethodType(value.__func__, owner)
        if isinstance(value, FunctionType):
            named = [cell.cell_contents for cell in value.__closure__ or () if _filled(cell)]
            named += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            named += [value.__globals__[key] for key in value.__code__.co_names if key in value.__globals__]
            for thing in named:
                about = thing.body if isinstance(thing, Marker) else thing
                if id(about) in self._gone:
                    raise ModelError(
                        f"{self._item}: its function {value.__name__!r} names {self._gone[id(about)]}, and cannot be "
                        f"carried over. Give it markers as arguments of the item where it takes them, or write it "
                        f"for the converted model."
                    )
        return value


def _filled(cell: Any) -> bool:
    """Whether a variable of an enclosing function has a value."""
    try:
        cell.cell_contents  # noqa: B018  # raises where it is empty
    except ValueError:
        return False
    return True
