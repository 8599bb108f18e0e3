"""What can be asked of a solution by name: ``"hinge.angle"``, ``"slider.velocity.x"``, ``"energy.total"``.

A thing (a joint, a force, a sensor, a place) offers quantities (`flexmbs.results.offers`), of which plots, tables and
data frames are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import distinct_names
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.actuator_history import is_controlling, of_model
from flexmbs.results.offers import VALUE, Offer, offers
from flexmbs.results.quantity_names import (
    alike_names,
    is_sensor,
    known_names,
    name_of,
    named_things,
    read_alike,
)  # fmt: skip

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["Quantity", "asked", "listed", "over", "together"]


class Quantity(NamedTuple):
    """An evaluated quantity: of the thing ``of``, ``values`` (n,) or (n, k) of the components ``axes``.

    ``own`` says whether the model means this quantity by its label; others may bear the same one (`together`).
    """

    of: str
    name: str
    values: FloatArray
    unit: str
    frame: str = ""
    axes: tuple[str, ...] = ()
    own: bool = True

    @property
    def label(self) -> str:
        """``thing.quantity``; of a sensor its name alone."""
        return ".".join(part for part in (self.of, self.name if self.name != VALUE else "") if part)

    def columns(self) -> dict[str, FloatArray]:
        """Numbers (n,) by the names of plots and tables."""
        if self.values.ndim == 1:
            return {self.label: self.values}
        return {f"{self.label}.{axis}": self.values[:, k] for k, axis in enumerate(self.axes)}


def over(solution: States) -> Quantity:
    """What the states are drawn over: time, load factor, or length of a curve."""
    return Quantity("", solution.name_of_t, np.asarray(solution.t), solution.unit_of_t)


def listed(solution: States, what: Any) -> list[Quantity]:
    """The quantities that a table has of ``what``: of a thing without a quantity those that are mostly wanted."""
    return asked(solution, what, first=_listed)


def asked(
    solution: States, what: Any, component: str | None = None, drawn: bool = False, first: Any = None
) -> list[Quantity]:
    """The quantities that ``what`` means.

    Parameters
    ----------
    what : str, thing, or (thing, str)
        A name such as ``"hinge"``, ``"hinge.angle"``, ``"slider.velocity.x"``; a thing stands for its first quantities
        (coordinates of a joint, position of a place, force of a force); a pair for a thing and a quantity of it.
    component : str, optional
        Of vectors: ``"x"``, ``"y"``, ``"z"``, or ``"norm"``, where the name does not say it.
    drawn : bool
        Whether components that are zero by nature, as z in the plane, are left out.
    first : function (things, offers) -> names, optional
        Which quantities of a thing named without one.

    Raises
    ------
    ModelError
        If something has no such name; the message has the names that there are.
    """
    thing, label, rest = _split(solution, what)
    if label == solution.name_of_t and thing is None:
        return [over(solution)]
    offered = offers(solution, thing)
    if not rest:
        names = (first or _first)(thing, offered)
    elif rest[0] in offered:
        names = [rest[0]]
    else:
        raise ModelError(f"{label}: {unknown_name('quantity', '.'.join(rest), list(offered))}")
    if len(rest) > 2:
        raise ModelError(f"{label}.{'.'.join(rest)}: expected thing.quantity or thing.quantity.component.")
    chosen = rest[1] if len(rest) > 1 else component
    found = [_evaluated(label, name, offered[name], chosen, drawn, len(rest) > 1) for name in names]
    head = what
    while isinstance(head, tuple):
        head = head[0]
    if isinstance(head, str):
        is_own = [label in named_things(solution)] * len(names)  # not places on flexible bodies
    else:
        is_own = [_is_meant(solution, label, name, thing[0]) for name in names]
    return [quantity._replace(own=own) for quantity, own in zip(found, is_own, strict=True)]


def together(solution: States, found: Iterable[Quantity]) -> list[Quantity]:
    """Quantities for one table or picture, each once and under a name of its own.

    What a name means in the model keeps it, whatever else is asked for. Others that bear one name, such as two sensors
    that are not in the model, are numbered where they differ, and where the model means something else by the name.
    """
    known = list(named_things(solution))
    bearers: dict[str, list[dict[str, FloatArray]]] = {}
    placed: list[tuple[Quantity, int]] = []
    for one in found:
        alike = [] if one.own else bearers.setdefault(one.of, [])
        columns = one.columns()
        fits = (
            all(np.array_equal(bearer.get(n, values), values, equal_nan=True) for n, values in columns.items())
            for bearer in alike
        )
        i = next((i for i, fit in enumerate(fits) if fit), len(alike))
        if i == len(alike):
            alike.append({})
        alike[i].update(columns)
        placed.append((one, i))
    kept: dict[tuple[str, tuple[str, ...]], Quantity] = {}
    for one, i in placed:
        named = one
        if not one.own and (len(bearers[one.of]) > 1 or alike_names(known, one.of)):
            more = [one.of] * max(len(bearers[one.of]), 2)
            named = one._replace(of=distinct_names([*known, *more])[len(known) + i])
        kept.setdefault((named.label, named.axes), named)
    return list(kept.values())


def _is_meant(solution: States, label: str, name: str, own: Any) -> bool:
    """Whether the name ``label`` and the name of a quantity mean that of a thing, or of one that reads the same."""
    known = named_things(solution)
    if label not in known or (name != VALUE and f"{label}.{name}" in known):
        return False
    if len(known[label]) == 1 and known[label][0] is own:
        return True
    first = next((one for one in known[label] if name in offers(solution, one)), None)
    if isinstance(first, TreeCoordinate) and isinstance(own, TreeCoordinate):  # made whenever it is asked for
        return first.tree is own.tree and first.link == own.link
    return first is own or (is_sensor(own) and read_alike(solution, first, own))


def _evaluated(label: str, name: str, offer: Offer, component: str | None, drawn: bool, named: bool) -> Quantity:
    """A quantity, or the component of it."""
    if not offer.axes:
        if named:
            raise ModelError(f"{label}.{name} is a number and has no component {component!r}.")
        return Quantity(label, name, np.asarray(offer.values()), offer.unit, offer.frame)
    if component is not None and component not in (*offer.axes, "norm"):
        raise ModelError(f"{label}.{name}: {unknown_name('component', component, [*offer.axes, 'norm'])}")
    values = np.asarray(offer.values())
    if component == "norm":
        return Quantity(label, f"{name}.norm", np.linalg.norm(values, axis=1), offer.unit)
    kept = (component,) if component is not None else offer.drawn if drawn and offer.drawn else offer.axes
    columns = [offer.axes.index(axis) for axis in kept]
    return Quantity(label, name, values[:, columns], offer.unit, offer.frame, kept)


def _split(solution: States, what: Any) -> tuple[Any, str, list[str]]:
    """The things that are meant, their name, and the names of quantity and component behind it."""
    if isinstance(what, tuple):
        if len(what) != 2 or not isinstance(what[1], str):
            raise ModelError(
                f"expected a thing and the name of a quantity, such as (beam.end, 'velocity'), not {show(what)}."
            )
        thing, label, rest = _split(solution, what[0])
        return thing, label, [*rest, *what[1].split(".")]
    if not isinstance(what, str):
        thing = solution.model.present(what)
        if is_controlling(thing):
            thing = of_model(solution, thing)
            if thing is None:
                raise ModelError(f"{what.name!r} is not in model {solution.model.name!r}.")
        return [thing], name_of(solution, thing), []
    known = known_names(solution)
    if what == solution.name_of_t and what not in known:
        return None, what, []
    fitting = [name for name in known if what == name or what.startswith(f"{name}.")]
    if not fitting:
        owner, kind = f"Model {solution.model.name!r}", "joint, force, actuator, controller, sensor or body"
        if alike := alike_names(known, what):
            raise ModelError(
                f"{owner}: the name {what!r} is that of more than one {kind}. Give the name that one has in results: "
                f"{' or '.join(map(repr, alike))}."
            )
        raise ModelError(f"{owner}: {unknown_name(kind, what, known)}")
    name = max(fitting, key=len)
    rest = what[len(name) + 1 :].split(".") if len(what) > len(name) else []
    things = known[name]
    body = next((thing for thing in things if hasattr(thing, "mesh")), None)
    if body is not None and rest and rest[0] in getattr(body.mesh, "node_sets", {}):  # a place on a flexible body
        return [body.set(rest[0])], f"{name}.{rest[0]}", rest[1:]
    return things, name, rest


def _first(things: list[Any], offered: Mapping[str, Offer]) -> list[str]:
    """What is drawn of a thing that is named without a quantity."""
    coordinates = [name for name in getattr(things[0], "coordinates", ()) if name in offered]
    return coordinates or [next(iter(offered))]


def _listed(things: list[Any], offered: Mapping[str, Offer]) -> list[str]:
    """What a table has of a thing that is named without a quantity."""
    one = things[0]
    coordinates = *getattr(one, "coordinates", ()), *getattr(one, "own_coordinates", ())
    names = [name for name in coordinates if name in offered]
    if hasattr(things[0], "equations"):
        names += ["force", "moment"]
    if "position" in offered:
        names += [name for name in ("position", "velocity") if name in offered]
    return names or [name for name in offered if name in ("force", "coordinate", "rate")] or [next(iter(offered))]
