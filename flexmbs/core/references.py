"""What a description refers to, and copies of it that refer to something else.

An item of a model refers to bodies, markers, places on bodies, joints, states and actuators: to some as objects, to
others by name. `Description` finds them by going through the fields that a dataclass declares, and through the tuples,
dictionaries and descriptions in them; it never looks into other objects or into functions. So what a function needs of
a model is given to it as an argument: by `functools.partial`, or as a field of a description that can be called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, auto
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.attributes import Hinted
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Description", "Named", "ReferenceMap", "nested", "refers_to", "says_what_it_refers_to"]

PLAIN = (
    str, bytes, int, float, complex, bool, type(None), type, np.ndarray, np.generic, FunctionType, BuiltinFunctionType,
    ModuleType, Enum,
)  # fmt: skip
"""What refers to nothing, or does not say."""
NUMBERS = frozenset((float, int, bool, str, type(None), np.ndarray))

KEY = "refers to"
PLACES = ("marker", "place")
"""Roles of what lies on a body, and follows it when it is replaced."""


class Named(NamedTuple):
    """A reference by name: ``kind`` is joint, body, state or actuator."""

    kind: str
    name: str


def refers_to(kind: str) -> dict[str, str]:
    """The metadata of a field of a dataclass whose value is a reference: the object itself, or its name.

    Parameters
    ----------
    kind : str
        What is referred to: "joint", "body", "state" or "actuator". Names are looked up among these.

    Examples
    --------
    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Brake(Description):
    ...     joint: object = field(metadata=refers_to("joint"))
    >>> Brake("hinge").references()
    (Named(kind='joint', name='hinge'),)
    """
    return {KEY: kind}


class ReferenceMap(IdentityMap[Any, Any]):
    """Objects by identity and `Named` references by value."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return self._entries[_key(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[_key(key)] = key, value

    def __delitem__(self, key: Any) -> None:
        del self._entries[_key(key)]

    def __contains__(self, key: object) -> bool:
        return _key(key) in self._entries

    def get(self, key: Any, default: Any = None) -> Any:
        found = self._entries.get(_key(key))
        return default if found is None else found[1]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self._entries.setdefault(_key(key), (key, default))[1]

    @classmethod
    def of(cls, mapping: Mapping[Any, Any]) -> ReferenceMap:
        """A mapping of any kind as one of references."""
        return mapping if isinstance(mapping, ReferenceMap) else ReferenceMap(mapping.items())


def _key(item: object) -> object:
    """What an object goes by."""
    return item if isinstance(item, Named) else id(item)


class Description(Hinted):
    """A frozen dataclass that says what it refers to: base of all that a model is described by.

    Fields that hold something with a ``role`` refer to it, and so do those marked by `refers_to`; what has no role
    belongs to the description that holds it, and what it refers to counts as that of its holder.

    Attributes
    ----------
    role : str
        What others refer to it as: "body", "marker", "place", "joint", "tree" and so on; empty for what belongs to its
        holder alone, such as a sensor.

    Examples
    --------
    >>> import flexmbs as fx
    >>> a, b = (fx.PointMass(1.0, position=(x, 0), name=f"ball {x}") for x in (0, 1))
    >>> spring = fx.SpringDamper(a, b, stiffness=1.0, name="spring")
    >>> [marker.body.name for marker in spring.references()]
    ['ball 0', 'ball 1']
    >>> c = fx.PointMass(1.0, position=(2, 0), name="ball 2")
    >>> [marker.body.name for marker in spring.replaced({b: c}).references()]
    ['ball 0', 'ball 2']
    """

    role: ClassVar[str] = ""

    def references(self) -> tuple[Any, ...]:
        """What it refers to, each once: objects as they are, and `Named` where only a name is given.

        Markers and places on bodies are references; the bodies under them are what these refer to.
        """
        found: dict[object, Any] = {}
        _find_in_fields(self, found)
        return tuple(thing for thing in found.values() if thing is not self)

    def replaced(self, mapping: Mapping[Any, Any]) -> Self:
        """A copy that refers to something else.

        Parameters
        ----------
        mapping : mapping of references to what takes their place
            Objects are found by identity; names by `Named`. What is not in it stays. Markers and places on a body that
            is replaced are made anew on the other one, with the same coordinates there.

        Returns
        -------
        Description
            The same object where nothing is replaced. Numbers that were found from the old references, such as the free
            length of a spring, stay as they are.
        """
        return _copied(self, ReferenceMap.of(mapping), ReferenceMap())  # type: ignore[no-any-return]


def says_what_it_refers_to(value: object) -> bool:
    """Whether an object, or those of a class, have ``references()`` and ``replaced(mapping)``."""
    return all(callable(getattr(value, name, None)) for name in ("references", "replaced"))


def nested(value: object) -> Iterator[Any]:
    """A value and all that belongs to it, at any depth; what it refers to is left out."""
    yield value
    parts: tuple[Any, ...] = ()
    if isinstance(value, Description):
        given = ((kind, getattr(value, name, None)) for name, kind in _declared(type(value)))
        parts = tuple(part for kind, part in given if not kind or isinstance(part, tuple | list))
    elif _sort(value) is Sort.CONTAINER:
        parts = _parts(value)
    for part in parts:
        if _sort(part) is not Sort.REFERENCE:
            yield from nested(part)


_DECLARED: dict[type, tuple[tuple[str, str], ...]] = {}


def _declared(cls: type) -> tuple[tuple[str, str], ...]:
    """Names of the fields of a class, each with the kind it refers to, or nothing."""
    found = _DECLARED.get(cls)
    if found is None:
        if not is_dataclass(cls):
            raise ModelError(
                f"{cls.__name__}: it is a Description but no dataclass, so its references cannot be found; make it a "
                f"frozen dataclass, or write references() and replaced(mapping)."
            )
        found = _DECLARED[cls] = tuple((f.name, str(f.metadata.get(KEY, ""))) for f in fields(cls))
    return found


class Sort(Enum):
    """What a value is to those who look for references."""

    PLAIN = auto()
    REFERENCE = auto()
    DESCRIPTION = auto()
    SPEAKING = auto()
    CONTAINER = auto()
    OTHER = auto()


_SORTS: dict[type, Sort] = {}


def _sort(value: object) -> Sort:
    """What a value is, which its class says."""
    found = _SORTS.get(type(value))
    if found is None:
        found = _SORTS[type(value)] = _sort_of(type(value))
    return found


def _sort_of(cls: type) -> Sort:
    """What the values of a class are."""
    if issubclass(cls, PLAIN):
        return Sort.PLAIN
    if issubclass(cls, Description):
        if cls.role:
            return Sort.REFERENCE
        own = cls.references is not Description.references or cls.replaced is not Description.replaced
        return Sort.SPEAKING if own else Sort.DESCRIPTION
    if issubclass(cls, tuple | list | set | frozenset | Mapping | partial | MethodType):
        return Sort.CONTAINER
    return Sort.SPEAKING if says_what_it_refers_to(cls) else Sort.OTHER


def _parts(value: Any) -> tuple[Any, ...]:
    """What a container, a function with given arguments or a method holds."""
    if isinstance(value, tuple | list | set | frozenset):
        return tuple(value)
    if isinstance(value, partial):
        return (value.func, *value.args, *value.keywords.values())
    if isinstance(value, MethodType):
        return (value.__self__,)
    return tuple(value.values())


def _find_in_fields(value: Any, found: dict[object, Any]) -> None:
    """Add what the fields of a description refer to."""
    for name, kind in _declared(type(value)):
        part = getattr(value, name, None)
        if kind or type(part) not in NUMBERS:  # most fields are numbers, which need no look
            _find(part, kind, found)


def _find(value: Any, kind: str, found: dict[object, Any]) -> None:
    """Add what a value of a field refers to, by its identity or its name."""
    sort = _sort(value)
    if sort is Sort.PLAIN:
        if kind and isinstance(value, str):
            found[Named(kind, value)] = Named(kind, value)
    elif sort is Sort.REFERENCE or (kind and sort is not Sort.CONTAINER):
        found[id(value)] = value
    elif sort is Sort.DESCRIPTION:
        _find_in_fields(value, found)
    elif sort is Sort.SPEAKING:
        for thing in value.references():
            _find(thing, "", found)
    elif sort is Sort.CONTAINER:
        for part in _parts(value):
            if type(part) not in NUMBERS and _sort(part) is not Sort.OTHER:
                _find(part, "", found)


def _instead(value: Any, kind: str, mapping: ReferenceMap, memo: ReferenceMap) -> Any:
    """What stands in a field of the copy."""
    sort = _sort(value)
    if sort is Sort.PLAIN:
        return mapping.get(Named(kind, value), value) if kind and isinstance(value, str) else value
    for known in (mapping, memo):
        if value in known:
            return known[value]
    if sort is Sort.DESCRIPTION or (sort is Sort.REFERENCE and value.role in PLACES):
        return _copied(value, mapping, memo)
    if sort is Sort.SPEAKING:
        return value.replaced(mapping)
    if sort is not Sort.CONTAINER:
        return value

    def again(part: Any) -> Any:
        return _instead(part, "", mapping, memo)

    old = _parts(value)
    made = [again(part) for part in old]
    if all(new is part for new, part in zip(made, old, strict=True)):
        return value
    if isinstance(value, Mapping):
        return dict(zip(value, made, strict=True))
    if isinstance(value, partial):
        count = 1 + len(value.args)
        function: Any = made[0]
        return partial(function, *made[1:count], **dict(zip(value.keywords, made[count:], strict=True)))
    if isinstance(value, MethodType):
        return MethodType(value.__func__, made[0])
    return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)


def _copied(value: Any, mapping: ReferenceMap, memo: ReferenceMap) -> Any:
    """A description with the fields of another one but its references; the other itself where none is replaced."""
    names: tuple[tuple[str, str], ...] = _declared(type(value))
    old = {name: getattr(value, name) for name, _ in names if hasattr(value, name)}
    made = {name: _instead(old[name], kind, mapping, memo) for name, kind in names if name in old}
    new: Any = value
    if any(made[name] is not old[name] for name in old):
        new = object.__new__(type(value))
        for name, entry in made.items():
            object.__setattr__(new, name, entry)
    memo[value] = new
    return new
