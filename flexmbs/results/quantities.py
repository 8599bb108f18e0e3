"""What can be asked of a solution by name: ``"hinge.angle"``, ``"slider.velocity.x"``, ``"energy.total"``.

A thing (a joint, a force, a sensor, a place) offers quantities; plots, tables and data frames are made of these. Things
are told apart by what they offer, as models do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.distinct_names import distinct_names
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.joints.coordinate_joint import unit_of
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.actuator_history import (
    actuator_history,
    actuator_row,
    held_by,
    is_actuator,
    meant_actuator,
)
from flexmbs.results.force_history import force_history
from flexmbs.results.joint_history import at_tree_coordinate, joint_torque
from flexmbs.results.quantity_names import (
    ENERGY,
    alike_names,
    is_sensor,
    known_names,
    name_of,
    named_things,
    read_alike,
)  # fmt: skip
from flexmbs.results.sensor_history import sensor_history

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["VALUE", "Offer", "Quantity", "asked", "listed", "offers", "over", "together"]

SPACE = ("x", "y", "z")
VALUE = "value"


class Offer(NamedTuple):
    """A quantity that a thing has, not evaluated yet.

    ``values`` gives (n,) or (n, k); ``axes`` names k components, ``drawn`` those that are not zero by nature.
    """

    unit: str
    values: Callable[[], Any]
    frame: str = ""
    axes: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()


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
        thing = _of_run(solution, solution.model.present(what))
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


def _of_run(solution: States, thing: Any) -> Any:
    """An actuator or controller of the model of the solution for the one of which the file of a run was written."""
    if not is_actuator(thing) and not hasattr(thing, "actuators"):
        return thing
    alike = [one for one in named_things(solution).get(thing.name, ()) if type(one) is type(thing)]
    return next((one for one in alike if one is thing), alike[0] if alike else thing)


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


def offers(solution: States, things: Any) -> dict[str, Offer]:
    """The quantities that things of one name have, by their names."""
    found: dict[str, Offer] = {}
    for thing in things if isinstance(things, list) else [things]:
        for name, offer in _offers(solution, thing).items():
            found.setdefault(name, offer)
    return found


def _offers(solution: States, thing: Any) -> dict[str, Offer]:
    if isinstance(thing, TreeCoordinate) or hasattr(thing, "equations"):
        return _of_joint(solution, thing)
    if hasattr(thing, "row_forces"):
        return _of_force(solution, thing)
    if is_actuator(thing):
        return _of_actuator(solution, thing)
    if hasattr(thing, "actuators"):
        return _of_controller(solution, thing)
    if is_sensor(thing):
        axes = () if thing.size == 1 else SPACE if thing.size == 3 else tuple(str(i) for i in range(thing.size))
        return {VALUE: Offer(_sensed(solution, thing), lambda: sensor_history(solution, thing), axes=axes)}
    if thing is getattr(solution, ENERGY, None):
        return _of_energy(solution)
    if isinstance(thing, Marker | Body | Attachment):
        return _of_place(solution, thing)
    if getattr(thing, "has_mesh", False):
        sets = [name for name, nodes in thing.mesh.node_sets.items() if len(nodes) == 1]
        raise ModelError(
            f"a flexible body has many places; name one of {thing.name!r}: "
            f"{''.join(f'{thing.name!s}.{s}, ' for s in sets)}or a node such as body.at(...), as in "
            f"plot((body.at(...), 'position')). Its shape is drawn by plot_shape()."
        )
    raise ModelError(
        f"expected a joint, force, actuator, sensor, marker, body or place on a flexible body such as beam.end, or its "
        f"name, not {show(thing)}."
    )


def _of_joint(solution: States, joint: Any) -> dict[str, Offer]:
    """Coordinates and their rates, and what it exerts on its side b."""
    units, flat = solution.model.units, solution.is_planar
    found: dict[str, Offer] = {}
    for label, pair in getattr(joint, "coordinates", {}).items():
        unit = _row_unit(solution, pair.rows[0], pair.b)
        found[label] = Offer(unit, lambda label=label: solution.coordinate(joint, label))  # type: ignore[misc]
        if solution.over_time:
            found[f"{label}_rate"] = Offer(
                f"{unit}/{units.time}",
                lambda label=label: solution.coordinate_rate(joint, label),  # type: ignore[misc]
            )
    for label in getattr(joint, "own_coordinates", ()):
        found[label] = Offer(str(units.length), lambda label=label: solution.coordinate(joint, label))  # type: ignore[misc]
    found["force"] = Offer(units.of("force"), lambda: solution.reaction(joint), "inertial", SPACE, _plane(flat))
    moment = units.of("moment")
    frame = "link" if isinstance(joint, TreeCoordinate) or at_tree_coordinate(joint) else "marker of side b"
    found["moment"] = Offer(moment, lambda: solution.reaction_moment(joint), frame, SPACE, ("z",) if flat else ())
    found["torque"] = Offer(moment, lambda: joint_torque(solution, joint))
    return found


def _row_unit(solution: States, row: Any, side: Any) -> str:
    """Unit of a row with its side b."""
    units = solution.model.units
    length = str(units.length)
    known = {"length": length, "angle": "rad", "velocity": f"{length}/{units.time}"}
    return known.get(unit_of(row.kind, side), "-")


def _of_force(solution: States, force: Any) -> dict[str, Offer]:
    """Coordinate, rate, force and energy; of a bushing displacements and rotations by themselves."""
    units, items = solution.model.units, list(force.row_forces)
    if len(items) != 1:
        raise ModelError(f"force {force.name!r}: it has no coordinate; ask for what you know of its markers.")
    kept: list[Any] = []

    def history() -> Any:
        if not kept:
            kept.append(force_history(solution, force))
        return kept[0]

    rows = [_row_unit(solution, row, items[0].b) for row in items[0].rows]
    effort = {"rad": units.of("moment")}
    energy = Offer(units.of("energy"), lambda: history().energy)
    if len(rows) == 1:
        return {
            "force": Offer(effort.get(rows[0], units.of("force")), lambda: history().force),
            "coordinate": Offer(rows[0], lambda: history().coordinate),
            "rate": Offer(f"{rows[0]}/{units.time}", lambda: history().rate), "energy": energy,
        }  # fmt: skip
    found: dict[str, Offer] = {}
    for unit, names in (
        (units.length, ("force", "displacement", "velocity")),
        ("rad", ("moment", "rotation", "angular_velocity")),
    ):
        own = [k for k, row in enumerate(rows) if row == unit]
        axes = SPACE if len(own) == 3 else tuple(str(k) for k in own)
        of = (effort.get(unit, units.of("force")), unit, f"{unit}/{units.time}")
        parts = ("force", "coordinate", "rate")
        for name, part, label in zip(names, parts, of, strict=True):
            if own:
                found[name] = Offer(label, lambda part=part, own=own: getattr(history(), part)[:, own], axes=axes)  # type: ignore[misc]
    return found | {"energy": energy}


def _of_actuator(solution: States, thing: Any) -> dict[str, Offer]:
    """Force after law and limits, power, coordinate and rate, and the value that is held."""
    actuator = meant_actuator(solution, thing)
    if actuator is None:
        raise ModelError(f"actuator {thing.name!r} is not in model {solution.model.name!r}.")
    held = Offer("", lambda: held_by(solution, [actuator])[:, 0])
    if actuator.acts_on is None:
        return {VALUE: held}
    units, row, kept = solution.model.units, actuator_row(solution, actuator), list[Any]()

    def history() -> Any:
        if not kept:
            kept.append(actuator_history(solution, actuator))
        return kept[0]

    if row is not None:
        unit = _row_unit(solution, *row)
    else:
        unit = "rad" if any(actuator.acts_on.wrench.moment) else str(units.length)
    turns = unit == "rad"
    effort = Offer(units.of("moment" if turns else "force"), lambda: history().force)
    found = {"force": effort} | ({"torque": effort} if turns else {})
    if row is not None:
        found["coordinate"] = Offer(unit, lambda: history().coordinate)
    found["rate"] = Offer(f"{unit}/{units.time}", lambda: history().rate)
    power = Offer(f"{units.of('energy')}/{units.time}", lambda: history().power)
    return found | {"power": power, VALUE: held}


def _of_controller(solution: States, thing: Any) -> dict[str, Offer]:
    """What a controller, or first-order states, give to their actuators; the states themselves."""
    known = (*solution.model.controllers, *solution.model.states)
    item = next((x for x in known if x is thing), next((x for x in known if x.name == thing.name), thing))
    found, n = {}, len(item.actuators)
    if n:
        axes = () if n == 1 else tuple(str(i) for i in range(n))
        found[VALUE] = Offer("", lambda: _only(held_by(solution, item.actuators)), axes=axes)
    if hasattr(item, "rates_at"):
        places = solution.system.coordinates.state_places(item)
        axes = () if len(places) == 1 else tuple(str(i) for i in range(len(places)))
        found["state"] = Offer("", lambda: _only(solution.v[:, places]), axes=axes)
    return found


def _only(values: FloatArray) -> FloatArray:
    """Columns (n, k), of one alone its numbers (n,)."""
    return values[:, 0] if values.shape[1] == 1 else values


def _sensed(solution: States, sensor: Any) -> str:
    """Unit of what a sensor of flexmbs reads; of others it is not known."""
    u = solution.model.units
    per = f"{u.length}/{u.time}"
    length = str(u.length)
    units = {"position": length, "velocity": per, "acceleration": f"{per}^2", "angular velocity": f"rad/{u.time}"}
    joints: Any = getattr(sensor, "joints", ())
    joint = known_names(solution).get(joints[0], [None])[0] if len(joints) == 1 else None
    offered = getattr(joint, "coordinates", {})
    label = getattr(sensor, "label", None)
    if label is not None and offered:
        pair = offered.get(label) or next(iter(offered.values()))
        return _row_unit(solution, pair.rows[0], pair.b) + (f"/{u.time}" if sensor.rate else "")
    return units.get(str(getattr(sensor, "what", "")), "")


def _of_energy(solution: Any) -> dict[str, Offer]:
    energy, unit = solution.energy, solution.model.units.of("energy")
    names = ["total", *(part.name for part in fields(energy)), "dissipated", "balance"]
    return {name: Offer(unit, lambda name=name: getattr(energy, name)) for name in names}  # type: ignore[misc]


def _of_place(solution: States, place: Any) -> dict[str, Offer]:
    """Where it is, how it moves and turns; of nodes, too, what supports exert on them."""
    units, flat = solution.model.units, solution.is_planar
    length, plane, axial = units.length, _plane(flat), ("z",) if flat else ()
    if isinstance(place, Attachment) and len(place.nodes) != 1:
        raise ModelError(f"{place} has {len(place.nodes)} nodes; name one node.")
    ask: Any = solution
    found = {
        "position": Offer(length, lambda: ask.position(place), "inertial", SPACE, plane),
        "displacement": Offer(length, lambda: ask.displacement(place), "inertial", SPACE, plane),
    }
    if solution.over_time:
        per, own = units.time, "own axes"
        found |= {
            "velocity": Offer(f"{length}/{per}", lambda: ask.velocity(place), "inertial", SPACE, plane),
            "acceleration": Offer(f"{length}/{per}^2", lambda: ask.acceleration(place), "inertial", SPACE, plane),
            "angular_velocity": Offer(f"rad/{per}", lambda: ask.angular_velocity(place), own, SPACE, axial),
        }
    if flat:
        found["angle"] = Offer("rad", lambda: ask.angle(place))
    if isinstance(place, Attachment):
        moment = units.of("moment")
        found |= {
            "reaction": Offer(units.of("force"), lambda: ask.reaction(place), "inertial", SPACE, plane),
            "reaction_moment": Offer(moment, lambda: ask.reaction_moment(place), "inertial", SPACE, axial),
        }
    return found


def _plane(flat: bool) -> tuple[str, ...]:
    return ("x", "y") if flat else ()
