"""What a thing of a model (a joint, a force, an actuator, a sensor, a place) has in a solution: quantities by name.

Things are told apart by what they offer, as models do it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker
from flexmbs.model.joints.coordinate_joint import unit_of
from flexmbs.model.trees.coordinate import TreeCoordinate
from flexmbs.results.actuator_history import (
    actuator_history,
    actuator_row,
    held_by,
    is_actuator,
    of_model,
)
from flexmbs.results.contact_history import contact_history
from flexmbs.results.force_history import force_history
from flexmbs.results.joint_history import at_tree_coordinate, joint_torque
from flexmbs.results.kinematics import marker_of
from flexmbs.results.quantity_names import (
    ENERGY,
    is_sensor,
    known_names,
)  # fmt: skip
from flexmbs.results.sensor_history import sensor_history

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["VALUE", "Offer", "offers"]

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
    if hasattr(thing, "touching"):
        return _of_contact(solution, thing)
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


def _of_contact(solution: States, contact: Any) -> dict[str, Offer]:
    """Of all pairs together: normal forces, force on the sides B, least gap, energy and loss."""
    units, flat = solution.model.units, solution.is_planar
    kept: list[Any] = []

    def history() -> Any:
        if not kept:
            kept.append(contact_history(solution, contact))
        return kept[0]

    found = {
        "normal": Offer(units.of("force"), lambda: history().normal.sum(axis=1)),
        "force": Offer(units.of("force"), lambda: history().force.sum(axis=1), "inertial", SPACE, _plane(flat)),
        "gap": Offer(str(units.length), lambda: history().gap.min(axis=1, initial=np.inf)),
        "energy": Offer(units.of("energy"), lambda: history().energy.sum(axis=1)),
    }
    if solution.over_time:
        found["loss"] = Offer(units.of("energy"), lambda: history().loss.sum(axis=1))
    return found


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


def _of_actuator(solution: States, actuator: Any) -> dict[str, Offer]:
    """Force after law and limits, power, coordinate and rate, and the value that is held."""
    actuator = of_model(solution, actuator) or actuator  # of a long tree that of the rigid bodies
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


def _of_controller(solution: States, item: Any) -> dict[str, Offer]:
    """What a controller, or first-order states, give to their actuators; the states themselves."""
    item = of_model(solution, item) or item  # of a long tree that of the rigid bodies
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
    turns = marker_of(solution, place).rotates
    found = {
        "position": Offer(length, lambda: ask.position(place), "inertial", SPACE, plane),
        "displacement": Offer(length, lambda: ask.displacement(place), "inertial", SPACE, plane),
    }
    if solution.over_time:
        per, own = units.time, "own axes"
        found |= {
            "velocity": Offer(f"{length}/{per}", lambda: ask.velocity(place), "inertial", SPACE, plane),
            "acceleration": Offer(f"{length}/{per}^2", lambda: ask.acceleration(place), "inertial", SPACE, plane),
        }
        if turns:
            spin = Offer(f"rad/{per}", lambda: ask.angular_velocity(place), own, SPACE, axial)
            found["angular_velocity"] = spin
    if flat and turns:
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
