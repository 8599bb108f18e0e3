"""Whether all that the items of a model refer to is in the model, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.identity import IdentityMap
from flexmbs.core.references import Description, Named, ReferenceMap, says_what_it_refers_to
from flexmbs.model.trees.coordinate import TreeCoordinate

if TYPE_CHECKING:
    from flexmbs.model.model import Model

__all__ = ["bodies_of", "check_membership", "item_in_words", "read_by_the_engine", "references_of"]


def references_of(item: Any) -> tuple[Any, ...]:
    """What an item refers to; of a user's item that does not say it, what the engine reads of it.

    Raises
    ------
    ModelError
        If ``references()`` gives anything but a sequence.
    """
    if not says_what_it_refers_to(item):
        return tuple(ReferenceMap((thing, None) for thing in read_by_the_engine(item)))
    found = item.references()
    if not isinstance(found, list | tuple):
        raise ModelError(f"{item_in_words(item)}: references() must give a tuple, not {show(found)}.")
    return tuple(found)


def bodies_of(item: Any) -> tuple[Any, ...]:
    """The bodies that an item refers to, also by markers and places on them, each once."""
    found: IdentityMap[Any, None] = IdentityMap()
    for thing in references_of(item):
        if _role(thing) in ("marker", "place", "body"):
            found[getattr(thing, "body", thing)] = None
    return tuple(found)


def item_in_words(item: Any) -> str:
    """The class and the name of an item, for messages."""
    return f"{type(item).__name__} {getattr(item, 'name', getattr(item, 'label', ''))!r}"


def check_membership(owner: str, model: Model) -> None:
    """Refuse a model in which something is missing that its items refer to.

    Raises
    ------
    ModelError
        The message names the item and what it refers to.
    """
    known: IdentityMap[Any, None] = IdentityMap((item, None) for item in (*model.items, *model.tree_links))
    names: dict[str, set[str]] = {}
    groups = (
        ("joint", model.joints), ("force", model.forces), ("controller", model.controllers), ("states", model.states),
        ("support", model.supports), ("Hinge", model.hinges), ("load", model.loads), ("", model.damping),
        ("", model.initial), ("", model.substructures),
    )  # fmt: skip
    for kind, items in groups:
        for item in items:
            for thing in references_of(item):
                if isinstance(thing, Named):
                    names = names or _names(model)
                    if thing.name not in names.get(thing.kind, ()):
                        wrong = unknown_name(thing.kind, thing.name, names.get(thing.kind, ()))
                        raise ModelError(f"{owner}: {_label(kind, item)}: {wrong}")
                    continue
                wanted = model.present(_wanted(thing))
                if wanted is None or wanted in known or getattr(wanted, "is_ground", False):
                    continue
                raise ModelError(f"{owner}: {_label(kind, item)}: {_missing(model, wanted)}")


def _wanted(thing: Any) -> Any:
    """What has to be in the model so that a reference can be followed; None where nothing has to."""
    if isinstance(thing, TreeCoordinate):
        return thing.tree
    role = _role(thing)
    if role in ("marker", "place"):
        return thing.body
    if role or all(hasattr(thing, member) for member in ("pairs", "equations")):
        return thing
    return None  # such as coordinates without a joint of their own, whose markers are references themselves


def _missing(model: Model, wanted: Any) -> str:
    """That something is not in the model, in words."""
    name = getattr(wanted, "name", type(wanted).__name__)
    word = _role(wanted) or "joint"
    whole = getattr(wanted, "part_of", None)
    if whole is not None:
        return f"body {name!r} is not in the model; add {whole[0]}."
    namesake = any(other.name == name for other in model.items if _role(other) == word and hasattr(other, "name"))
    other = f" (another {word} of that name is)" if namesake else ""
    return f"{word} {name!r} is not in the model{other}; add it."


def _names(model: Model) -> dict[str, set[str]]:
    """The names that items may refer to, by kind."""
    owners = model.controllers + model.states
    return {
        "joint": {joint.name for joint in model.joints} | {link.name for link in model.tree_links},
        "body": {body.name for body in model.bodies + model.tree_links},
        "state": {item.name for item in model.states},
        "actuator": {actuator.name for item in owners for actuator in item.actuators},
    }


def _label(kind: str, item: Any) -> str:
    """An item in a message about a model."""
    if kind == "support":
        return f"{type(item).__name__} {item.at}"
    if kind == "Hinge":
        return f"Hinge of {item.a} and {item.b}"
    if kind == "load":
        return str(item.label)
    if kind:
        return f"{kind} {item.name!r}"
    return f"{type(item).__name__} of {item.body.name!r}" if hasattr(item, "body") else str(item)


def _role(thing: Any) -> str:
    return thing.role if isinstance(thing, Description) else ""


def read_by_the_engine(item: Any) -> Iterator[Any]:
    """Markers, places and bodies in what the contracts of items ask for."""
    for pair in getattr(item, "pairs", None) or ():
        yield from (pair.a, pair.b)
    for force in getattr(item, "row_forces", ()):
        yield from (force.a, force.b)
    yield from (wrench.marker for wrench in getattr(item, "wrenches", ()))
    yield from getattr(item, "markers", ())
    yield from getattr(item, "targets", ())
    if hasattr(item, "conditions"):
        yield item.at
    if hasattr(item, "velocity_field") or hasattr(item, "mass_factor"):
        yield item.body
    for part in (*getattr(item, "sensors", ()), *getattr(item, "inputs", ()), *getattr(item, "actuators", ())):
        yield from references_of(part)
