"""A whole model as plain data, whatever it is made of, and back; its fingerprint, and what differs between two.

Results over time keep the description of their model: ``{"class": "Model", "name", "units", "items": [...]}`` with the
items in the order they were given in. An item that others refer to is written once and referred to by its number;
meshes are arrays beside the description. A Python function has no plain form: its name is kept, so that the model can
be compared but not rebuilt; neither what a function does nor what an object that is no dataclass holds is compared.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.describe import Plain, Vocabulary, from_plain, name_of, to_plain
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.core.history import Constant, Table
from flexmbs.core.identity import IdentityMap
from flexmbs.io.model_data import CLASSES, Sampler
from flexmbs.io.reduced_description import digest_of, reduced_from_plain, reduced_to_plain
from flexmbs.meshes import Mesh
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.floating import FloatingBody
from flexmbs.model.bodies.linear import LinearBody
from flexmbs.model.model import Model
from flexmbs.model.trees.flexible_link import FlexibleLink
from flexmbs.model.trees.tree import Tree
from flexmbs.reduction.model import ReducedModel

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = [
    "check_same_model",
    "describe_model",
    "differences",
    "fingerprint",
    "known_classes",
    "rebuild_model",
]

ROOMS = (
    "flexmbs.model.bodies", "flexmbs.model.contacts", "flexmbs.model.control", "flexmbs.model.forces",
    "flexmbs.model.joints", "flexmbs.model.motions", "flexmbs.model.trees",
)  # fmt: skip
"""Where the descriptions of what a model is made of live, beside those of the list `CLASSES`."""
MOST = 6
"""Differences between two models that a message names."""


def describe_model(model: Model, sampler: Sampler | None = None) -> tuple[Plain, dict[str, NDArray[Any]]]:
    """A model as plain data, and the arrays of its meshes by name.

    Parameters
    ----------
    model : Model
    sampler : Sampler, optional
        Makes tables of histories that are functions; left out, a function keeps its name only.

    Raises
    ------
    ModelError
        If ``model`` is not a model.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel, name="rod")
    >>> plain, arrays = describe_model(fx.Model(beam, fx.Clamp(beam.start)))
    >>> plain["items"][1]["class"], arrays["meshes/0/points"].shape
    ('Clamp', (3, 2))
    """
    if not isinstance(model, Model):
        raise ModelError(f"describe_model: expected a Model, not {show(model)}.")
    return _Describer(model, sampler).described()


def rebuild_model(plain: Plain, arrays: Mapping[str, NDArray[Any]], classes: Iterable[type] = ()) -> Model:
    """The model that `describe_model` described.

    Parameters
    ----------
    plain, arrays
        What `describe_model` gave.
    classes : iterable of type
        Classes of elements with their choices, and of the user's own objects.

    Raises
    ------
    ReadError
        If the model has functions or objects without plain form, a class is not known, or the description does not
        make a model.
    """
    return _Builder(plain, arrays, classes).built()


def fingerprint(plain: Plain) -> str:
    """A name (64 hexadecimal digits) for plain data: equal for equal descriptions, on every machine.

    Examples
    --------
    >>> fingerprint({"a": 1.0, "b": [2]}) == fingerprint({"b": [2], "a": 1.0})
    True
    >>> fingerprint(1.0) == fingerprint(1.0 + 2.0**-52)
    False
    """
    text = json.dumps(plain, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def differences(stored: Plain, mine: Plain) -> list[str]:
    """What differs between two descriptions, in words: place, what the file has, what the model has.

    Examples
    --------
    >>> differences({"items": [{"name": "rod", "mass": 1.0}]}, {"items": [{"name": "rod", "mass": 2.0}]})
    ["items[0] 'rod'.mass: 1.0 in the file, 2.0 in the model"]
    """
    return list(_compared("", stored, mine))


def check_same_model(owner: str, stored: Plain, model: Model, sampler: Sampler | None = None) -> None:
    """Refuse a model that is not the one a file was written with.

    Raises
    ------
    ReadError
        With what differs.
    """
    found = differences(stored, describe_model(model, sampler)[0])
    if found:
        rest = f"; and {len(found) - MOST} more" if len(found) > MOST else ""
        raise ReadError(
            f"{owner} belongs to another model than {model.name!r}. It differs in: {'; '.join(found[:MOST])}{rest}. "
            f"Pass the model that it was computed with, or none."
        )


@cache
def known_classes() -> tuple[type, ...]:
    """All dataclasses and enumerations that descriptions of flexmbs consist of, but elements."""
    found: dict[type, None] = dict.fromkeys(CLASSES)
    for room in ROOMS:
        package = importlib.import_module(room)
        inside = [f"{room}.{m.name}" for m in pkgutil.iter_modules(getattr(package, "__path__", []))]
        for module in [package, *map(importlib.import_module, inside)]:
            for name in getattr(module, "__all__", ()):
                item = getattr(module, name)
                if isinstance(item, type) and item.__module__ == module.__name__:
                    found |= {item: None} if is_dataclass(item) or issubclass(item, Enum) else {}
    return tuple(found)


class _Describer:
    """Plain data of one model, with references between its items."""

    def __init__(self, model: Model, sampler: Sampler | None) -> None:
        self.model, self.sampler, self.owner = model, sampler, ""
        self.numbers = IdentityMap.numbers(model.items)
        self.meshes: list[Mesh] = []
        self.reduced: list[ReducedModel] = []
        self.arrays: dict[str, NDArray[Any]] = {}

    def described(self) -> tuple[Plain, dict[str, NDArray[Any]]]:
        """Description and arrays."""
        plain = {
            "class": "Model",
            "name": self.model.name,
            "units": to_plain("units", self.model.units),
            "items": [self.item(item) for item in self.model.items],
        }
        return plain, self.arrays

    def item(self, item: object) -> Plain:
        """One item."""
        at = getattr(item, "at", None)  # of supports nodes, of joints a point
        named = f"{type(item).__name__} {at}" if isinstance(at, Attachment) else _label(item)
        self.owner = str(getattr(item, "label", "") or named)
        if not is_dataclass(item):
            return _without_plain_form(item)
        plain: Any = to_plain(_label(item), item, self.replace)
        for way, basis in getattr(item, "stored_shapes", {}).items():
            number = self.numbers[item]
            name = f"tree/{number}/{way[-1]}/basis" if way else f"floating/{number}/basis"
            self.arrays[name] = basis
            place = plain
            for key in way:
                place = place[key]
            place |= {"basis": {"class": "numbers", "name": name, "digest": digest_of({name: basis})}}
        return plain

    def replace(self, field: str, value: object) -> Plain:
        """What stands for a value in a field or a sequence."""
        sampled = field == "history" and callable(value) and not isinstance(value, Table | Constant)
        if sampled and self.sampler is not None:
            return to_plain(self.owner, self.sampler.table(self.owner, value))  # type: ignore[arg-type]
        value = self.model.present(value)  # what a sensor refers to may be numbered
        if value in self.numbers:
            return {"class": "item", "number": self.numbers[value]}
        whole = getattr(value, "part_of", None)
        if whole is not None:
            return {"class": "tree link", "tree": self.numbers[whole[0]], "link": whole[1]}
        if isinstance(value, Mesh):
            return self.mesh(value)
        if isinstance(value, ReducedModel):
            return self.reduced_model(value)
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, np.ndarray) and value.dtype in (np.float64, np.int64, np.bool_):
            return NotImplemented if np.isfinite(value).all() else _without_plain_form(value)
        plain = value is None or isinstance(value, bool | int | str | Enum | tuple | list | Mapping)
        if plain or (isinstance(value, float) and value == value):
            return NotImplemented
        return NotImplemented if is_dataclass(value) and not isinstance(value, type) else _without_plain_form(value)

    def reduced_model(self, reduced: ReducedModel) -> Plain:
        """A reduced model; bodies that share it refer to the same arrays."""
        number = next((i for i, other in enumerate(self.reduced) if other is reduced), len(self.reduced))
        plain, arrays = reduced_to_plain(reduced, number)
        if number == len(self.reduced):
            self.reduced.append(reduced)
            self.arrays |= arrays
        return plain

    def mesh(self, mesh: Mesh) -> Plain:
        """A mesh by its number, with the names of what its arrays hold."""
        number = next((i for i, other in enumerate(self.meshes) if other is mesh), len(self.meshes))
        parts = _mesh_arrays(mesh)
        if number == len(self.meshes):
            self.meshes.append(mesh)
            self.arrays |= {f"meshes/{number}/{name}": array for name, array in parts.items()}
        digest = hashlib.sha256()
        for name, array in parts.items():
            digest.update(f"{name} {array.dtype.str} {array.shape};".encode() + np.ascontiguousarray(array).tobytes())
        return {
            "class": "mesh",
            "number": number,
            "cell_types": [block.cell_type for block in mesh.cells],
            "node_sets": list(mesh.node_sets),
            "cell_sets": list(mesh.cell_sets),
            "point_data": list(mesh.point_data),
            "digest": digest.hexdigest(),
        }


class _Builder:
    """Makes the items of a description in the order they need each other."""

    def __init__(self, plain: Plain, arrays: Mapping[str, NDArray[Any]], classes: Iterable[type]) -> None:
        if not isinstance(plain, Mapping) or not isinstance(plain.get("items"), list):
            raise ReadError("the description of the model lacks its items.")
        self.plain, self.arrays = plain, arrays
        self.vocabulary = Vocabulary((*known_classes(), *classes))
        self.made: dict[int, Any] = {}
        self.open: list[int] = []
        self.meshes: dict[int, Mesh] = {}
        self.reduced: dict[int, ReducedModel] = {}
        self.resolve = {
            "item": lambda d: self.item(d["number"]),
            "tree link": lambda d: self.item(d["tree"]).bodies[d["link"]],
            "Tree": self.tree,
            "FlexibleLink": self.flexible_link,
            "mesh": self.mesh,
            "reduced model": self.reduced_model,
            "numbers": lambda d: self.arrays[d["name"]],
            "FloatingBody": lambda d: self.with_shapes(FloatingBody, d),
            "LinearBody": lambda d: self.with_shapes(LinearBody, d),
            "function": self.refuse,
            "object": self.refuse,
        }

    def built(self) -> Model:
        """The model, checked to have the description it was made of."""
        try:
            items = [self.item(i) for i in range(len(self.plain["items"]))]
            units = from_plain("units", self.plain["units"], self.vocabulary, {})
            model = Model(*items, units=units, name=self.plain["name"])
            different = differences(self.plain, describe_model(model)[0])
        except ReadError:
            raise
        except (FlexmbsError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise ReadError(f"the description does not make a model: {error}") from error
        if different:
            raise ReadError(
                f"the model cannot be rebuilt from its description ({'; '.join(different[:MOST])}); pass the model "
                f"that the file was written with: load(path, model=model)."
            )
        return model

    def item(self, number: int) -> Any:
        """An item by its number."""
        if number not in self.made:
            if number in self.open:
                raise ReadError(f"item {number} of the model is described by itself.")
            plain = self.plain["items"][number]
            self.open.append(number)
            name = plain.get("name") if isinstance(plain, Mapping) else None
            label = f"item {number} of the model" + (f", {name!r}" if isinstance(name, str) else "")
            self.made[number] = from_plain(label, plain, self.vocabulary, self.resolve)
            self.open.pop()
        return self.made[number]

    def mesh(self, plain: dict[str, Plain]) -> Mesh:
        """A mesh of its arrays; the same one for all bodies that share it."""
        number = plain["number"]
        if number in self.meshes:
            return self.meshes[number]
        at = f"meshes/{number}"
        cells: Any = [(name, self.arrays[f"{at}/cells/{i}"]) for i, name in enumerate(plain["cell_types"])]
        node_sets, point_data = (
            {name: self.arrays[f"{at}/{kind}/{i}"] for i, name in enumerate(plain[kind])}
            for kind in ("node_sets", "point_data")
        )
        cell_sets = {
            name: tuple(self.arrays[f"{at}/cell_sets/{i}/{j}"] for j in range(len(cells)))
            for i, name in enumerate(plain["cell_sets"])
        }
        self.meshes[number] = Mesh(self.arrays[f"{at}/points"], cells, node_sets, cell_sets, point_data)
        return self.meshes[number]

    def reduced_model(self, plain: dict[str, Plain]) -> ReducedModel:
        """A reduced model; the same one for all bodies that share it."""
        number = plain["number"]
        if number not in self.reduced:
            self.reduced[number] = reduced_from_plain(plain, self.arrays)
        return self.reduced[number]

    def with_shapes(self, kind: type[FloatingBody | LinearBody], plain: dict[str, Plain]) -> FloatingBody | LinearBody:
        """A body made of a reduced model, in the shapes that it had."""
        given = {
            key: from_plain(f"{kind.__name__}.{key}", part, self.vocabulary, self.resolve)
            for key, part in plain.items()
            if key != "class"
        }
        basis = given.pop("basis")
        body = kind(**given)
        body.take_shapes(basis)
        return body

    def tree(self, plain: dict[str, Plain]) -> Tree:
        """A tree of its links."""
        given = {
            key: from_plain(f"Tree.{key}", part, self.vocabulary, self.resolve)
            for key, part in plain.items()
            if key != "class"
        }
        return Tree(*given.pop("links"), **given)

    def flexible_link(self, plain: dict[str, Plain]) -> FlexibleLink:
        """A flexible link in the shapes that it had."""
        given = {
            key: from_plain(f"FlexibleLink.{key}", part, self.vocabulary, self.resolve)
            for key, part in plain.items()
            if key != "class"
        }
        basis = given.pop("basis")
        link = FlexibleLink(**given)
        link.floating.take_shapes(basis)
        return link

    def refuse(self, plain: dict[str, Plain]) -> Any:
        """What only the script has."""
        what = "the function" if plain["class"] == "function" else "an object of the class"
        raise ReadError(
            f"the model has {what} {plain.get('name')}, which no file can hold; pass the model that the file was "
            f"written with: load(path, model=model)."
        )


def _mesh_arrays(mesh: Mesh) -> dict[str, NDArray[Any]]:
    """The arrays of a mesh by what they are; names are kept apart."""
    arrays: dict[str, NDArray[Any]] = {"points": mesh.points}
    arrays |= {f"cells/{i}": block.nodes for i, block in enumerate(mesh.cells)}
    arrays |= {f"node_sets/{i}": nodes for i, nodes in enumerate(mesh.node_sets.values())}
    for i, parts in enumerate(mesh.cell_sets.values()):
        arrays |= {f"cell_sets/{i}/{j}": cells for j, cells in enumerate(parts)}
    return arrays | {f"point_data/{i}": np.asarray(values) for i, values in enumerate(mesh.point_data.values())}


def _without_plain_form(value: object) -> Plain:
    """The name of a function, or of the class of an object."""
    if callable(value) and not isinstance(value, type) and hasattr(value, "__qualname__"):
        return {"class": "function", "name": value.__qualname__}
    return {"class": "object", "name": name_of(value if isinstance(value, type) else type(value))}


def _label(item: Any) -> str:
    """An item in a message."""
    named = getattr(item, "name", None)
    return f"{type(item).__name__} {named!r}" if isinstance(named, str) else type(item).__name__


def _compared(place: str, stored: Plain, mine: Plain) -> Iterable[str]:
    """The differences at a place and below it."""
    if isinstance(stored, Mapping) and isinstance(mine, Mapping) and stored.get("class") == mine.get("class"):
        for key in dict.fromkeys((*stored, *mine)):
            here = f"{place}.{key}" if place else key
            if key not in mine or key not in stored:
                yield f"{here}: {'missing in the model' if key in stored else 'missing in the file'}"
            else:
                yield from _compared(here, stored[key], mine[key])
    elif isinstance(stored, list) and isinstance(mine, list) and len(stored) == len(mine):
        for i, (a, b) in enumerate(zip(stored, mine, strict=True)):
            yield from _compared(f"{place}[{i}]{_named(a)}", a, b)
    elif isinstance(stored, list) and isinstance(mine, list):
        yield f"{place}: {len(stored)} in the file, {len(mine)} in the model"
    elif stored != mine or type(stored) is not type(mine):
        yield f"{place}: {_short(stored)} in the file, {_short(mine)} in the model"


def _named(plain: Plain) -> str:
    """The name or the class of what stands in a list."""
    if not isinstance(plain, Mapping):
        return ""
    name = plain.get("name")
    return f" {name!r}" if isinstance(name, str) else f" {plain.get('class', '')}"


def _short(plain: Plain) -> str:
    """A value, or what kind of thing it is."""
    if isinstance(plain, Mapping):
        return f"{plain.get('class')}{_named(plain) if isinstance(plain.get('name'), str) else ''}"
    return show(plain, 40)
