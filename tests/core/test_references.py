"""Descriptions say all that they refer to, and can be made to refer to something else."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, fields
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.core.references import Description, Named, ReferenceMap, nested, refers_to
from flexmbs.model.membership import bodies_of, read_by_the_engine
from tests.models.descriptions import every_class, samples

ITEMS = [(name, k) for name, all_of in samples()[1].items() for k in range(len(all_of))]
NAMES = {name for name, _ in ITEMS}
BODIES = ("PointMass", "RigidBody", "PlanarRigidBody", "Ground", "FlexibleBody", "FloatingBody", "LinearBody")
NO_REFERENCES = {*BODIES, "SectionFrame", "Tree", "Gravity", "Signal"}


def sample(name: str, k: int) -> Any:
    return samples()[1][name][k]


def everything_inside(value: Any, found: IdentityMap[Any, None]) -> None:
    """All bodies, markers, places, joints, trees, states and forces in the attributes of an object, however deep."""
    parts = list(value) if isinstance(value, tuple | list) else list(getattr(value, "__dict__", {}).values())
    if isinstance(value, dict):
        parts = list(value.values())
    if isinstance(value, partial):
        parts = [*value.args, *value.keywords.values()]
    for part in parts:
        if isinstance(part, str | np.ndarray | FunctionType | type) or part in found:
            continue
        if getattr(part, "role", "") in ("body", "marker", "place", "joint", "tree", "state", "force", "substructure"):
            found[part] = None
        else:
            everything_inside(part, found)


def test_every_description_has_a_sample() -> None:
    """A new class without a sample here is not tested."""
    assert {cls.__name__ for cls in every_class()} == NAMES
    assert all(type(item).__name__ == name for name, all_of in samples()[1].items() for item in all_of)


@pytest.mark.parametrize(("name", "k"), ITEMS)
def test_references_are_all_that_the_attributes_hold(name: str, k: int) -> None:
    item = sample(name, k)
    given = [thing for thing in item.references() if not isinstance(thing, Named)]
    if name in NO_REFERENCES:
        assert not item.references()
        return
    assert item.references()
    expected: IdentityMap[Any, None] = IdentityMap()
    everything_inside(item, expected)
    expected.pop(item, None)  # what belongs to it may name it as its owner
    assert {id(thing) for thing in given} == {id(thing) for thing in expected}
    assert len({id(thing) for thing in given}) == len(given)


@pytest.mark.parametrize(("name", "k"), ITEMS)
def test_all_attributes_are_declared(name: str, k: int) -> None:
    """What is not declared is not found, and not copied."""
    item = sample(name, k)
    assert set(vars(item)) <= {f.name for f in fields(item)}


@pytest.mark.parametrize(("name", "k"), ITEMS)
def test_what_the_engine_reads_is_referred_to(name: str, k: int) -> None:
    """Pairs, laws on rows, wrenches and targets, also those made when asked for, are on bodies that are known."""
    item = sample(name, k)
    if name in NO_REFERENCES or name in ("Attachment", "CoordinateMarker"):
        return
    known = {id(body) for body in bodies_of(item)} | {id(fx.ground)}
    read = [getattr(thing, "body", thing) for thing in read_by_the_engine(item) if not isinstance(thing, Named)]
    assert {id(body) for body in read if getattr(body, "role", "") == "body"} <= known


@pytest.mark.parametrize(("name", "k"), ITEMS)
def test_replaced_exchanges_all_of_them(name: str, k: int) -> None:
    item = sample(name, k)
    before = item.references()
    mapping = ReferenceMap(
        (thing, Named(thing.kind, "other").name if isinstance(thing, Named) else copy.copy(thing)) for thing in before
    )
    new = item.replaced(mapping)
    if not before:
        assert new is item
        return
    assert type(new) is type(item)
    assert new is not item
    after = new.references()
    expected = [Named(t.kind, "other") if isinstance(t, Named) else mapping[t] for t in before]
    assert [x if isinstance(x, Named) else id(x) for x in after] == [
        x if isinstance(x, Named) else id(x) for x in expected
    ]
    assert all(a is b for a, b in zip(item.references(), before, strict=True) if not isinstance(a, Named))
    assert item.replaced({}) is item
    old_bodies = {id(body) for body in bodies_of(item)} - {id(mapping.get(b, b)) for b in bodies_of(item)}
    read = [getattr(t, "body", t) for t in read_by_the_engine(new) if not isinstance(t, Named)]
    if all(getattr(thing, "role", "") == "body" for thing in before):  # otherwise the markers still lie on the old ones
        assert not old_bodies & {id(body) for body in read}


def test_markers_follow_their_body() -> None:
    """A spring between markers on a body moves to the body that takes its place, at the same points of it."""
    one, two = (fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(x, 0, 0), name=f"box {x}") for x in (0, 5))
    above, top = fx.ground.marker((0, 0, 3)), one.marker((0, 0, 1))
    spring = fx.SpringDamper(above, top, stiffness=2.0, free_length=1.0, name="spring")
    moved = spring.replaced({one: two})
    assert (moved.b.body, moved.b.point.tolist(), moved.free_length) == (two, [0.0, 0.0, 1.0], 1.0)
    assert moved.row_forces[0].b is moved.b
    assert spring.b.body is one
    assert moved.a is spring.a


@dataclass(frozen=True)
class Law(Description):
    """A user's function object with a marker."""

    at: Any
    factor: float = 1.0

    def __call__(self, t: float, view: Any) -> float:
        return self.factor * float(view.position(self.at)[0])


class Plain:
    """A user's object that is no dataclass."""

    def __init__(self, at: Any) -> None:
        self.at = at

    def references(self) -> tuple[Any, ...]:
        return (self.at,)

    def replaced(self, mapping: Any) -> Plain:
        return Plain(mapping.get(self.at, self.at))


def test_functions_are_asked_by_their_arguments_alone() -> None:
    """Arguments of partial functions, methods and objects that can be called; never what a function has captured."""
    a, b = fx.ground.marker((0, 0, 0)), fx.ground.marker((1, 0, 0))

    def law(marker: Any, t: float, view: Any) -> float:
        return float(view.position(b)[0])

    def late(t: float, view: Any, marker: Any) -> float:
        return law(marker, t, view)

    for function in (partial(law, a), partial(late, marker=a), Law(a), Law(a).__call__, Plain(a)):
        holder = fx.control.FunctionSensor(function, name="s") if callable(function) else _reading(function)
        assert [id(thing) for thing in holder.references()] == [id(a)]
        new = holder.replaced({a: b})
        assert [id(thing) for thing in new.references()] == [id(b)]
    captured = fx.control.FunctionSensor(lambda t, view: float(view.position(a)[0]), name="s")
    assert captured.references() == ()
    assert captured.replaced({a: b}) is captured


def _reading(part: Any) -> Any:
    @dataclass(frozen=True)
    class Reading(Description):
        part: Any
        name: str = "reading"
        size: int = 1

        def read(self, view: Any) -> float:
            return 0.0

    return Reading(part)


def test_descriptions_that_are_no_dataclasses_are_told_so() -> None:
    class Odd(Description):
        pass

    with pytest.raises(ModelError, match="Odd: it is a Description but no dataclass"):
        Odd().references()


def test_fields_may_be_marked() -> None:
    """A field that refers to something of a class that does not say what it is."""

    @dataclass(frozen=True)
    class Brake(Description):
        joint: Any = field(metadata=refers_to("joint"))
        inner: Any = None

    foreign = object()
    assert Brake(foreign).references() == (foreign,)
    assert Brake("hinge", Brake("elbow")).references() == (Named("joint", "hinge"), Named("joint", "elbow"))
    assert Brake("hinge").replaced({Named("joint", "hinge"): "tree/arm"}).joint == "tree/arm"
    assert [type(part).__name__ for part in nested(Brake("hinge", Brake(foreign)))].count("Brake") == 2


def test_identity_maps_ask_nothing_of_their_keys() -> None:
    """Arrays, which have no truth value when compared, lists, which have no hash, and equal objects."""
    one, other = np.zeros(2), np.zeros(2)
    found: IdentityMap[Any, int] = IdentityMap([(one, 1), (other, 2)])
    found[[]] = 3
    assert (found[one], found[other], len(found), one in found, np.zeros(2) in found) == (1, 2, 3, True, False)
    del found[one]
    assert one not in found
    assert [key is other for key in found][:1] == [True]
    assert IdentityMap.numbers([one, other])[other] == 1
