"""Whatever an item refers to has to be in the model, by whichever kind of reference."""

from __future__ import annotations

from typing import Any

import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Named
from flexmbs.model.control.actuators import JointActuator
from flexmbs.model.membership import bodies_of, references_of
from tests.models.descriptions import World, samples

PARTS = {
    "Plane",
    "Sphere",
    "Vertex",
    "Rim",
    "Cylinder",
    "Capsule",
    "Box",
    "Triangle",
    "HeightField",
    "TriangleMesh",
    "Tube",
    "Skin",
    "LeastGap",
    "SlipSpeed",
    "Pair",
    "RowForce",
    "Wrench",
    "Attachment",
    "Marker",
    "Event",
}
BODIES = {"body", "tree", "marker", "place"}


def item_of(thing: Any) -> Any:
    """What has to be given to a model so that a reference can be followed; None where nothing has to."""
    role = getattr(thing, "role", "")
    if role in ("marker", "place"):
        return item_of(thing.body)
    if thing is fx.ground:
        return None
    tree = getattr(thing, "tree", None)
    return thing if tree is None else tree


def meant(name: Named) -> Any:
    """The item of the world that a name means."""
    world: World = samples()[0]
    known = {"hinge": world.hinge, "ball": world.ball, "coil": world.coil, "motor": world.command}
    return known[name.name]


def needed(item: Any, found: dict[int, Any] | None = None) -> dict[int, Any]:
    """All items that a model with this one needs."""
    found = {} if found is None else found
    for thing in references_of(item):
        part = meant(thing) if isinstance(thing, Named) else item_of(thing)
        if part is not None and id(part) not in found:
            found[id(part)] = part
            needed(part, found)
    return found


def as_item(thing: Any) -> Any:
    """A sensor or an actuator in something that can be an item."""
    if hasattr(thing, "read"):
        return fx.control.Command(fx.control.Signal("out"), 0.1, 0.0, name="item") if not thing.size else _reader(thing)
    if hasattr(thing, "acts_on"):
        return fx.control.Command(thing, 0.1, 0.0, name="item")
    return thing


def _reader(sensor: Any) -> Any:
    return fx.control.Controller((sensor,), (fx.control.Signal("out"),), 0.1, lambda x, u, t: [0.0], name="item")


def cases() -> list[tuple[str, int]]:
    found = []
    for name, all_of in samples()[1].items():
        for k, thing in enumerate(all_of):
            if name not in PARTS and getattr(thing, "role", "") not in BODIES and not hasattr(thing, "tree"):
                found.append((name, k))
    return found


@pytest.mark.parametrize(("name", "k"), cases())
def test_a_missing_part_is_refused_by_name(name: str, k: int) -> None:
    """A body, joint, tree, state or owner of an actuator: with all the model is made, without any one it is not."""
    item = as_item(samples()[1][name][k])
    parts = list(needed(item).values())
    others = [] if any(getattr(p, "role", "") in ("body", "tree") for p in parts) else [samples()[0].ball]
    model = fx.Model(*parts, *others, item)
    assert item in model.items
    for part in parts:
        rest = [other for other in parts if other is not part]
        bodies = any(getattr(p, "role", "") in ("body", "tree") for p in rest)
        stay = [] if bodies else [fx.PointMass(1.0, position=(9, 9), name="bystander")]
        gone = part.name if part.name != "command" else "motor"
        with pytest.raises(ModelError, match=rf"Model 'model': .*{gone!r}"):
            fx.Model(*rest, *stay, item)


def test_a_forgotten_joint_is_asked_for() -> None:
    """A spring and a driver on a hinge that is not in the model would let the bar fall freely."""
    bar = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    spring, driver = fx.TorsionSpring(hinge, stiffness=5.0), fx.RotationDriver(hinge, 0.0, name="motor")
    for item, label in ((spring, "force 'torsion spring'"), (driver, "joint 'motor'")):
        with pytest.raises(ModelError, match=rf"{label}: joint 'hinge' is not in the model; add it"):
            fx.Model(bar, item)
    twin = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    with pytest.raises(ModelError, match=r"joint 'hinge' is not in the model \(another joint of that name is\)"):
        fx.Model(bar, twin, spring)
    assert len(fx.Model(bar, hinge, spring, driver).joints) == 2


def test_names_are_looked_up_among_their_kind() -> None:
    """A name that is none is refused with those nearest, when the model is made."""
    bar = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    motor = JointActuator("hinged", name="motor")
    with pytest.raises(ModelError, match=r"controller 'drive': there is no joint named 'hinged'; did you mean 'hinge'"):
        fx.Model(bar, hinge, fx.control.Command(motor, 0.1, 0.0, name="drive"))
    reader = fx.control.FirstOrder([0.0], lambda x, u, t: u, fx.control.HeldSensor("motr"), name="lag")
    with pytest.raises(ModelError, match=r"states 'lag': there is no actuator named 'motr'; did you mean 'motor'"):
        fx.Model(bar, hinge, fx.control.Command(JointActuator("hinge", name="motor"), 0.1, 0.0), reader)


class Rope:
    """A user's force that does not say what it refers to, but has what the engine reads."""

    def __init__(self, a: Any, b: Any, name: str = "rope") -> None:
        self.row_forces = fx.SpringDamper(a, b, stiffness=1.0).row_forces
        self.name = name


def test_items_of_a_user_are_known_by_what_the_engine_reads() -> None:
    ball, other = (fx.PointMass(1.0, position=(x, 0), name=f"ball {x}") for x in (0, 1))
    rope = Rope(ball, other)
    assert bodies_of(rope) == (ball, other)
    with pytest.raises(ModelError, match=r"force 'rope': body 'ball 1' is not in the model; add it"):
        fx.Model(ball, rope)

    class Wrong(Rope):
        def references(self) -> Any:
            return self

        def replaced(self, mapping: Any) -> Any:
            return self

    with pytest.raises(ModelError, match=r"Wrong 'rope': references\(\) must give a tuple"):
        fx.Model(ball, other, Wrong(ball, other))
