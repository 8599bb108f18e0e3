"""The names of what a solution knows: joints, forces, sensors, bodies, actuators, controllers, and places on bodies.

What a name means in a model does not hang on what is asked for: names are found once for a model, several sensors of
one name are numbered in the order of the controllers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from flexmbs.core.distinct_names import distinct_names
from flexmbs.core.identity import IdentityMap
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Marker
from flexmbs.results.held_values import actuators_of
from flexmbs.results.sensor_history import sensor_history

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["ENERGY", "alike_names", "is_sensor", "known_names", "name_of", "named_things", "read_alike"]

ENERGY = "energy"
"""The name of the energies of a solution, which is no thing of the model."""


def known_names(solution: States) -> dict[str, list[Any]]:
    """Things of a solution by name: joints, forces, sensors, bodies, actuators, controllers.

    A link of a tree is its joint, too. Sensors of one name are numbered in the order of the controllers
    (`flexmbs.core.distinct_names`).
    """
    found = dict(_of_model(_made(solution)).things)
    if hasattr(solution, ENERGY):
        found.setdefault(ENERGY, [getattr(solution, ENERGY)])
    return found


def named_things(solution: States) -> dict[str, list[Any]]:
    """Things of the model of a solution by name; those that are known beside it are in `known_names`."""
    return _of_model(_made(solution)).things


def name_of(solution: States, thing: Any) -> str:
    """What a thing is called in the model; what is not in it, as `_label` says."""
    known = _of_model(_made(solution))
    if thing in known.names:
        return known.names[thing]
    label = _label(thing)
    if is_sensor(thing):
        for name in alike_names(known.things, label):
            if any(read_alike(solution, one, thing) for one in known.things[name]):
                return name
    return label


def _label(thing: Any) -> str:
    """What a thing is called in legends and columns."""
    if isinstance(thing, str):
        return thing
    if isinstance(thing, Attachment):
        return f"{thing.body.name}.{thing.label}"
    if isinstance(thing, Marker):
        return f"{thing.body.name}.{thing.name}" if thing.name else f"{thing.body.name}.{_number(thing)}"
    return str(getattr(thing, "name", thing)).replace("'", "")


def _number(marker: Marker) -> str:
    """A marker without a name by its node or point."""
    if marker.node is not None:
        return f"node {marker.node}"
    return "(" + ", ".join(f"{x:.4g}" for x in np.ravel(np.asarray(marker.point))) + ")"


def alike_names(names: Iterable[str], name: str) -> list[str]:
    """Which of some names are a name, or the numbered ones of several that bear it."""
    return [one for one in names if one == name or re.fullmatch(rf"{re.escape(name)} \(\d+\)", one)]


def is_sensor(thing: Any) -> bool:
    """Whether a thing can be read as the sensors of controllers can."""
    return hasattr(thing, "read") and hasattr(thing, "size") and not hasattr(thing, "actuators")


def read_alike(solution: States, one: Any, other: Any) -> bool:
    """Whether two things are sensors that read the same, as those of a model and of the file of its run do."""
    if not is_sensor(one) or one.size != other.size:
        return False
    return np.array_equal(sensor_history(solution, one), sensor_history(solution, other), equal_nan=True)


class _Named(NamedTuple):
    """Things of a model by name, and the name of each."""

    things: dict[str, list[Any]]
    names: IdentityMap[Any, str]


_KNOWN: WeakKeyDictionary[Any, _Named] = WeakKeyDictionary()


def _of_model(model: Any) -> _Named:
    """What is known of a model, found once."""
    if model in _KNOWN:
        return _KNOWN[model]
    found = _Named({}, IdentityMap())
    sensors = list(IdentityMap((s, None) for c in model.controllers for s in getattr(c, "sensors", ())))
    joints = [*model.joints, *(tree.joint(link.name) for tree in model.trees for link in tree.links)]
    others = [*model.bodies, *model.tree_links]
    for name, thing in (
        *((str(thing.name), thing) for thing in (*joints, *model.forces)),
        *zip(distinct_names(str(s.name) for s in sensors), sensors, strict=True),
        *((str(thing.name), thing) for thing in others),
        *((str(thing.name), thing) for thing in (*actuators_of(model), *model.controllers, *model.states)),
    ):
        found.things.setdefault(name, []).append(thing)
        found.names.setdefault(thing, name)
    _KNOWN[model] = found
    return found


def _made(solution: States) -> Any:
    """The model as its user made it."""
    form = solution.extra.get("form")
    return solution.model if form is None else form.relative
