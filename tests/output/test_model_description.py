"""Descriptions of whole models: rebuilt as they were, compared in words, refused where only the script has a part."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.describe import name_of, to_plain
from flexmbs.output.model_description import (
    check_same_model,
    describe_model,
    differences,
    fingerprint,
    known_classes,
    rebuild_model,
)

ELEMENTS = [item for name in fx.elements.__all__ if isinstance(item := getattr(fx.elements, name), type)]


@dataclass(frozen=True, eq=False)
class Twin:
    """A load of the user's own, beside another item of the model."""

    other: Any
    law: Any = None
    bounds: tuple[float, float] = (0.0, np.inf)
    table: Any = None
    name: str = "twin"
    history = None
    items: tuple[Any, ...] = ()
    targets: tuple[Any, ...] = ()
    label: str = "twin"


def frame(**changes: Any) -> fx.Model:
    """Bodies of two kinds, with items in no special order."""
    mesh = fx.meshes.line((0, 0), (0, 1), 2)
    common: dict[str, Any] = {"section": fx.Circle(0.01), "material": fx.steel}
    left = fx.FlexibleBody(mesh, fx.elements.PlanarBeam(), **common, name="left")
    right = fx.FlexibleBody(mesh, fx.elements.PlanarBeam(), **common, name="right")
    options = {"force": (0.0, -1.0), "history": fx.Table((0.0, 1.0), (0.0, 2.0)), "last": 1} | changes
    load = fx.PointForce(left.end, options["force"], history=options["history"])
    items = [fx.Clamp(left.start), right, load, fx.Clamp(right.start), left, Twin(load, law=options.get("law"))]
    return fx.Model(*items[: len(items) + 1 - options["last"]], name="frame")


def test_model_comes_back() -> None:
    model = frame()
    plain, arrays = describe_model(model)
    again = rebuild_model(plain, arrays, [*ELEMENTS, Twin])
    assert [type(item) for item in again.items] == [type(item) for item in model.items]
    assert [body.name for body in again.bodies] == ["right", "left"]
    assert again.items[5].other is again.items[2]
    assert again.items[5].bounds == (0.0, np.inf)
    assert again.items[2].at.body is again.body("left")
    assert again.body("left").mesh is again.body("right").mesh
    np.testing.assert_array_equal(again.body("left").mesh.points, model.body("left").mesh.points)
    assert describe_model(again)[0] == plain


def test_meshes_are_stored_once() -> None:
    plain, arrays = describe_model(frame())
    assert {name.split("/")[1] for name in arrays} == {"0"}
    assert plain["items"][1]["mesh"] == plain["items"][4]["mesh"]


def test_equal_models_have_equal_fingerprints_and_others_do_not() -> None:
    prints = [fingerprint(describe_model(frame(**c))[0]) for c in ({}, {}, {"force": (0.0, -1.0000000000000002)})]
    assert prints[0] == prints[1]
    assert prints[0] != prints[2]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"force": (0.0, -2.0)}, r"items[2] PointForce.force[1]: -1.0 in the file, -2.0 in the model"),
        ({"history": None}, "items[2] PointForce.history: Table in the file, None in the model"),
        ({"last": 2}, "items: 6 in the file, 5 in the model"),
        ({"law": 3.0}, "items[5] 'twin'.law: None in the file, 3.0 in the model"),
    ],
)
def test_differences_are_named(change: dict[str, Any], expected: str) -> None:
    stored = describe_model(frame())[0]
    assert differences(stored, describe_model(frame(**change))[0]) == [expected]
    with pytest.raises(fx.ReadError, match=r"run\.h5 belongs to another model than 'frame'\. It differs in: items"):
        check_same_model("load: run.h5", stored, frame(**change))
    check_same_model("load: run.h5", stored, frame())


def test_a_moved_point_of_a_mesh_is_a_difference() -> None:
    model = frame()
    stored = copy.deepcopy(describe_model(model)[0])
    stored["items"][1]["mesh"]["digest"] = "0" * 64
    (found,) = differences(stored, describe_model(model)[0])
    assert found.startswith("items[1] 'right'.mesh.digest: '0000")


def ramp(t: float) -> float:
    return t


class Remembering:
    """Neither a dataclass nor a function."""

    def rate(self, t: float) -> float:
        return t


@pytest.mark.parametrize(
    ("law", "name"),
    [
        (ramp, "the function ramp"),
        (lambda t: t, "the function .*<lambda>"),
        (Remembering().rate, r"the function Remembering\.rate"),
        (Remembering(), r"an object of the class .*\.Remembering"),
        (Remembering, r"an object of the class .*\.Remembering"),
        (np.array([np.nan]), "an object of the class numpy.ndarray"),
    ],
)
def test_what_only_the_script_has_is_named(law: Any, name: str) -> None:
    model = frame(law=law)
    plain, arrays = describe_model(model)
    with pytest.raises(fx.ReadError, match=rf"the model has {name}, which no file can hold; pass the model"):
        rebuild_model(plain, arrays, [*ELEMENTS, Twin])
    check_same_model("it", plain, frame(law=law))


def test_dictionaries_and_sequences_of_items_come_back() -> None:
    load = frame().items[2]
    body = load.at.body
    twin = Twin(body, law=[body, {"gain": 2.0, "of": load}], table={1: (2.0, -np.inf)})
    model = fx.Model(body, load, twin)
    plain, arrays = describe_model(model)
    again = rebuild_model(plain, arrays, [*ELEMENTS, Twin]).items
    assert again[2].law == (again[0], {"gain": 2.0, "of": again[1]})
    assert again[2].table == {1: (2.0, -np.inf)}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: p.clear(),
        lambda p: p.__setitem__("items", 3),
        lambda p: p["items"].__setitem__(2, {"class": "item", "number": 2}),
        lambda p: p["items"][0]["at"].__setitem__("body", {"class": "item", "number": 99}),
        lambda p: p["items"][1]["mesh"].__setitem__("number", 7),
        lambda p: p["items"][1]["mesh"].__setitem__("digest", "other"),
        lambda p: p["items"][1].__setitem__("name", 3),
        lambda p: p.__delitem__("units"),
        lambda p: p["items"].append({"class": "Clamp"}),
        lambda p: p["items"].append(None),
        lambda p: p["items"].clear(),
    ],
)
def test_descriptions_that_make_no_model_are_refused(spoil: Callable[[Any], None]) -> None:
    plain, arrays = describe_model(frame(last=2))
    spoil(plain)
    with pytest.raises(fx.ReadError):
        rebuild_model(plain, arrays, ELEMENTS)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="expected a Model, not 3"):
        describe_model(3)  # type: ignore[arg-type]


def test_classes_of_flexmbs_have_names_of_their_own() -> None:
    names = [name_of(cls) for cls in known_classes()]
    assert len(set(names)) == len(names)
    assert {"PointForce", "FlexibleBody", "Units", "Constant", "motions:Constant"} <= set(names)


def test_constructors_of_their_own_are_passed_by() -> None:
    from flexmbs.core.describe import Vocabulary, from_plain
    from flexmbs.motions import Linear, Sine, Sum

    whole = Sum(Linear(1.0), Sine(0.1, frequency=2.0))
    again = from_plain("it", to_plain("it", whole), Vocabulary([Linear, Sine, Sum]), {})
    assert again.at(0.3) == whole.at(0.3)
    with pytest.raises(fx.ReadError, match="Sum cannot be made of what is stored: it has the fields"):
        from_plain("it", {"class": "motions:Sum", "other": 3}, Vocabulary([Sum]), {})
