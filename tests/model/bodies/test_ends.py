"""Items between two places take them one by one and as a pair, by position and by keyword."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from tests.models.descriptions import every_class

A, B = fx.ground.marker((0, 0, 0)), fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=(0, 0, 1), name="box").centre
TOP = fx.ground.marker((0, 0, 1))
SQUARE = fx.ground.marker((0, 0, 1), axis=(1, 0, 0))
DISTANCE = {"coordinate": "distance"}

WAYS: dict[str, tuple[Any, dict[str, Any]]] = {
    "SpringDamper": (A, {"stiffness": 1.0}),
    "Bushing": (A, {"stiffness": (1.0, 1.0, 1.0)}),
    "JointStop": (A, {"upper": 1.0, "stiffness": 1.0, **DISTANCE}),
    "TorsionSpring": (A, {"stiffness": 1.0}),
    "JointForce": (A, {"force": 1.0, **DISTANCE}),
    "CoulombFriction": (A, {"coefficient": 0.1, "load": 1.0, "speed": 0.1, **DISTANCE}),
    "BristleFriction": (A, {"coefficient": 0.1, "load": 1.0, "deflection": 0.1, "damping": 0.0, **DISTANCE}),
    "Latch": (A, {"at": 1.0, "stiffness": 1.0, "damping": 0.0, "closing_time": 0.1, **DISTANCE}),
    "DistanceConstraint": (A, {}),
    "UniversalJoint": (SQUARE, {}),
    "ScrewJoint": (TOP, {"pitch": 0.1}),
    "RollingDisk": (SQUARE, {"radius": 0.1}),
    "RollingBall": (A, {"radius": 0.1}),
    "RotationDriver": (A, {"motion": 0.0}),
    "TranslationDriver": (A, {"motion": 1.0}),
    "DistanceDriver": (A, {"motion": 1.0}),
    "LineActuator": (A, {}),
    "DistanceSensor": (A, {}),
} | dict.fromkeys(
    (
        "FixedJoint",
        "RevoluteJoint",
        "PrismaticJoint",
        "CylindricalJoint",
        "SphericalJoint",
        "PlanarJoint",
        "ParallelAxesConstraint",
        "PointOnLineConstraint",
        "PointOnPlaneConstraint",
    ),
    (TOP, {}),
)
OTHER = {"Pair", "RowForce", "Hinge"}
"""Made by the engine, or of nodes alone."""


def test_every_item_between_two_places_is_here() -> None:
    def two(cls: Any) -> bool:
        names = {f.name for f in fields(cls)}
        return {"a", "b"} <= names or "on" in names or (cls.__name__.endswith("Driver") and "joint" in names)

    assert {cls.__name__ for cls in every_class() if two(cls)} - OTHER - {"SlidingJoint"} == set(WAYS)


@pytest.mark.parametrize("name", WAYS)
def test_both_forms_are_one(name: str) -> None:
    a, options = WAYS[name]
    make = getattr(fx.control if name in fx.control.__all__ else fx, name)
    first = fields(make)[0].name
    single = (make(a, B, **options), make(a, b=B, **options), make(a=a, b=B, **options))
    pairs = (
        make((a, B), **options),
        make([a, B], **options),
        make(**{"a" if first == "a" else first: (a, B)}, **options),
    )
    for item in (*single, *pairs):
        assert {id(thing) for thing in item.references()} == {id(a), id(B)}


def test_what_follows_the_ends_keeps_its_order() -> None:
    """Arguments by position come behind the ends, whichever form they have."""
    stop = fx.JointStop(A, B, -0.5, 0.5, 10.0, coordinate="distance")
    assert (stop.lower, stop.upper, stop.stiffness) == (-0.5, 0.5, 10.0)
    assert fx.SpringDamper((A, B), 7.0, 0.1).stiffness == 7.0


def test_a_single_end_is_refused_with_what_is_missing() -> None:
    with pytest.raises(ModelError, match="expected a joint with a coordinate or two markers"):
        fx.JointStop(A, upper=1.0, stiffness=1.0, coordinate="distance")
    with pytest.raises(ModelError, match="SpringDamper 'spring': expected a body, a marker"):
        fx.SpringDamper((A, 3.0), 1.0, stiffness=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WAYS)
def test_wrong_arguments_are_told_in_our_words(name: str) -> None:
    a, options = WAYS[name]
    make = getattr(fx.control if name in fx.control.__all__ else fx, name)
    for ends in ((a, B), ((a, B),)):
        with pytest.raises(ModelError, match=f"{name}: there is no argument named 'colour'"):
            make(*ends, **options, colour=1)
