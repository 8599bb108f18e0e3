"""Descriptions as plain data and back: what a file can hold of a frozen dataclass.

Plain data are None, truth values, numbers, strings, lists and dictionaries, as JSON has them. An object becomes
``{"class": name, field: value, ...}`` with the fields its constructor takes, an enumeration ``{"class": name,
"member": name}``, an array ``{"class": "array", "values": [...]}`` (with its ``shape`` if it is empty), an infinite
number ``{"class": "infinity", "sign": 1}``, a dictionary ``{"class": "dictionary", "keys": [...], "values": [...]}``.
Going back, objects are made only of the classes of a `Vocabulary`, by their constructors, so that everything is checked
as if it had been typed in. Only where a constructor of its own takes something else than the fields, these are restored
as they are.

A class of flexmbs goes by its bare name, wherever it lives (``room:name`` where two have the same); any other by its
import name.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, ReadError

__all__ = ["Plain", "Replace", "Vocabulary", "from_plain", "to_plain"]

Plain: TypeAlias = Any
"""None, bool, int, float, str, or lists and dictionaries (with string keys) of plain data."""

Replace: TypeAlias = Callable[[str, object], Plain]
"""From the name of a field and its value to the plain data that stands for it; `NotImplemented` where it should not."""

QUALIFIED = ("flexmbs.model.motions", "flexmbs.model.trees.joints")
"""Modules, and packages of them, with names that others have, too: `Constant` is a history and a motion."""


def _no_replacement(field: str, value: object) -> Plain:
    """Replace nothing."""
    return NotImplemented


def to_plain(owner: str, value: object, replace: Replace = _no_replacement) -> Plain:
    """A description as plain data.

    Parameters
    ----------
    owner : str
        What is described, for messages.
    value : object
        A dataclass, an enumeration, an array, a sequence, a number, a string or None.
    replace : function, optional
        What stands for the value of a field instead, or for a part of a sequence in it, such as the name of something
        that is described elsewhere.

    Raises
    ------
    ModelError
        If a part is of a kind that has no plain form, or a number of an array is not finite, or one is NaN.

    Examples
    --------
    >>> from flexmbs.core.section import Rectangle
    >>> to_plain("section", Rectangle(width=0.02, height=0.002))
    {'class': 'Rectangle', 'width': 0.02, 'height': 0.002}
    """
    if isinstance(value, Enum):
        return {"class": name_of(type(value)), "member": value.name}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isinf(value):
        return {"class": "infinity", "sign": 1 if value > 0.0 else -1}
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"{owner}: {value} cannot be saved; numbers of a description must be finite.")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype in (np.float64, np.int64, np.bool_):
        if not np.isfinite(value).all():
            raise ModelError(f"{owner}: an array that is not finite cannot be saved.")
        empty = {"shape": list(value.shape)} if not value.size and value.ndim > 1 else {}
        return {"class": "array", "values": value.tolist()} | empty
    if isinstance(value, tuple | list):
        return [_part("", owner, part, replace) for part in value]
    if isinstance(value, Mapping):
        keys = [_part("", owner, key, replace) for key in value]
        return {"class": "dictionary", "keys": keys, "values": [_part("", owner, v, replace) for v in value.values()]}
    if is_dataclass(value) and not isinstance(value, type):
        plain: dict[str, Plain] = {"class": name_of(type(value))}
        for field in fields(value):
            if field.init:
                here = f"{owner}: {type(value).__name__}.{field.name}"
                plain[field.name] = _part(field.name, here, getattr(value, field.name), replace)
        return plain
    raise ModelError(
        f"{owner}: {show(value)} cannot be saved. A description may consist of dataclasses, enumerations, arrays, "
        f"numbers and strings; make {type(value).__name__} a frozen dataclass."
    )


def from_plain(
    owner: str, plain: Plain, vocabulary: Vocabulary, resolve: Mapping[str, Callable[[dict[str, Plain]], object]]
) -> Any:
    """The description that `to_plain` wrote; lists come back as tuples.

    Parameters
    ----------
    owner : str
        What is described, for messages.
    plain : plain data
    vocabulary : Vocabulary
        The classes it may be made of.
    resolve : mapping of str to function
        For what `to_plain` replaced: by the entry ``"class"``, a function of the dictionary that gives the value.

    Raises
    ------
    ReadError
        If a class is not in the vocabulary or the data does not fit its class.

    Examples
    --------
    >>> from flexmbs.core.section import Circle
    >>> from_plain("section", {"class": "Circle", "diameter": 0.01}, Vocabulary([Circle]), {})
    Circle(diameter=0.01)
    """
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    if isinstance(plain, list):
        return tuple(from_plain(owner, part, vocabulary, resolve) for part in plain)
    if not isinstance(plain, dict) or not isinstance(plain.get("class"), str):
        raise ReadError(f"{owner}: expected the description of an object with its class, not {show(plain)}.")
    name = plain["class"]
    if name in resolve:
        return resolve[name](plain)
    if name == "array":
        values = np.array(plain.get("values"))
        return values if values.size else values.reshape(plain.get("shape", values.shape))
    if name == "infinity":
        return math.inf if plain.get("sign") == 1 else -math.inf
    if name == "dictionary":
        keys, values = (from_plain(owner, plain.get(key), vocabulary, resolve) for key in ("keys", "values"))
        return dict(zip(keys, values, strict=True))
    cls = vocabulary.find(owner, name)
    if issubclass(cls, Enum):
        if plain.get("member") not in cls.__members__:
            raise ReadError(f"{owner}: {name} has no member {show(plain.get('member'))}.")
        return cls[plain["member"]]
    arguments = {
        key: from_plain(f"{owner}: {cls.__name__}.{key}", part, vocabulary, resolve)
        for key, part in plain.items()
        if key != "class"
    }
    try:
        made = cls(**arguments) if _takes_fields(cls) else _restored(cls, arguments)
    except (TypeError, ValueError) as error:
        raise ReadError(f"{owner}: {cls.__name__} cannot be made of what is stored: {error}") from error
    for key, value in arguments.items():
        if _differs_by_round_off(getattr(made, key, None), value):
            object.__setattr__(made, key, value)  # a direction that was scaled to unit length once more
    return made


class Vocabulary:
    """The classes that descriptions may be made of, by name.

    Parameters
    ----------
    classes : iterable of type
        Dataclasses and enumerations. One that is not of flexmbs is also found if it has moved to another module.

    Raises
    ------
    ModelError
        If something is not a class, or two go by the same name.
    """

    def __init__(self, classes: Iterable[type]) -> None:
        self._classes: dict[str, type] = {}
        for cls in classes:
            if not isinstance(cls, type) or not (is_dataclass(cls) or issubclass(cls, Enum)):
                raise ModelError(
                    f"load: elements must be classes that are dataclasses or enumerations, such as MyElement, "
                    f"not {show(cls)}."
                )
            if self._classes.setdefault(name_of(cls), cls) is not cls:
                raise ModelError(f"load: two classes go by the name {name_of(cls)!r}.")

    def find(self, owner: str, name: str) -> type:
        """The class of a stored name, or a `ReadError` that says how to pass it."""
        if name in self._classes:
            return self._classes[name]
        bare = name.rpartition(".")[2]
        moved = [cls for known, cls in self._classes.items() if "." in known and cls.__name__ == bare]
        if "." in name and len(moved) == 1:
            return moved[0]
        if "." in name:
            raise ReadError(
                f"{owner}: its class {name} is not part of flexmbs; import it and pass it: load(path, "
                f"classes=({bare},))."
            )
        raise ReadError(f"{owner}: this version of flexmbs has no class {name}; use the version that wrote the file.")


def name_of(cls: type) -> str:
    """The name that a class goes by in a file."""
    for place in QUALIFIED:
        if f"{cls.__module__}.".startswith(f"{place}."):
            return f"{place.rpartition('.')[2]}:{cls.__name__}"
    if cls.__module__.partition(".")[0] == "flexmbs":
        return cls.__name__
    return f"{cls.__module__}.{cls.__qualname__}"


def _part(field: str, owner: str, value: object, replace: Replace) -> Plain:
    """The plain form of a field or a part of a sequence, or what stands for it."""
    instead = replace(field, value)
    return to_plain(owner, value, replace) if instead is NotImplemented else instead


def _takes_fields(cls: Any) -> bool:
    """Whether the constructor takes the fields of a dataclass by their names."""
    if cls.__dataclass_params__.init:
        return True
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(cls).parameters
    return set(parameters) == {f.name for f in fields(cls) if f.init} and all(
        p.kind in by_name for p in parameters.values()
    )


def _restored(cls: type, values: dict[str, Any]) -> Any:
    """An object with these fields, whose constructor takes other arguments."""
    names = [field.name for field in fields(cls)]
    if sorted(values) != sorted(names):
        raise TypeError(f"it has the fields {sorted(names)}, but {sorted(values)} are stored")
    made: Any = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _differs_by_round_off(made: object, stored: object) -> bool:
    """Whether both are tuples of floats that differ in their last digits only."""
    if not (isinstance(made, tuple) and isinstance(stored, tuple)) or made == stored or len(made) != len(stored):
        return False
    if not all(isinstance(x, float) for x in (*made, *stored)):
        return False
    return all(abs(a - b) <= 1e-14 for a, b in zip(made, stored, strict=True))
