"""Descriptions of whole models: rebuilt as they were, compared in words, refused where only the script has a part."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.describe import name_of, to_plain
from flexmbs.io.model_description import (
    check_same_model,
    describe_model,
    differences,
    fingerprint,
    known_classes,
    rebuild_model,
)
from tests.models.descriptions import every_class
from tests.models.flexible_trees import arm, closed_arm

ELEMENTS = [fx.Ply, *(item for name in fx.elements.__all__ if isinstance(item := getattr(fx.elements, name), type))]


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
    common: dict[str, Any] = {"section": fx.Circle(diameter=0.01), "material": fx.steel}
    left = fx.FlexibleBody(mesh, fx.elements.LinearBeam2D(), **common, name="left")
    right = fx.FlexibleBody(mesh, fx.elements.LinearBeam2D(), **common, name="right")
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


@pytest.mark.parametrize("names", ["", "motions", "control", "contact", "trees"])
def test_all_that_a_model_is_made_of_can_be_read_from_files(names: str) -> None:
    offered = getattr(fx, names) if names else fx
    items = [getattr(offered, name) for name in dir(offered) if not name.startswith("_")]
    of_models = {
        x for x in items if isinstance(x, type) and is_dataclass(x) and x.__module__.startswith("flexmbs.model.")
    }
    assert of_models
    assert of_models <= {*known_classes(), fx.Model}


def test_a_motion_of_every_kind_is_the_same_after_a_file(tmp_path: Path) -> None:
    kinds = (
        fx.motions.Trapezoid(0.0, 1.0, rate=2.0, acceleration=5.0), fx.motions.Linear(2.0) + fx.motions.Constant(0.0),
        fx.motions.Ramp(0.0, 1.0, duration=0.3), fx.motions.Spline([0.0, 0.1, 0.3], [0.0, 0.2, 0.5]),
    )  # fmt: skip
    for motion in kinds:
        bar = fx.RigidBody.box(size=(1.0, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
        model = fx.Model(bar, hinge, fx.RotationDriver(hinge, motion, name="drive"))
        run = fx.simulate(model, until=0.02, step=1e-2, progress=False)
        run.save(tmp_path / "run.h5")
        again = fx.load(tmp_path / "run.h5").model.joint("drive").motion
        assert type(again) is type(motion)
        assert [again.at(t) for t in (0.0, 0.07, 0.2)] == [motion.at(t) for t in (0.0, 0.07, 0.2)]


def test_constructors_of_their_own_are_passed_by() -> None:
    from flexmbs.core.describe import Vocabulary, from_plain
    from flexmbs.model.motions.curves import Linear, Sine, Sum

    whole = Sum(Linear(1.0), Sine(0.1, frequency=2.0))
    again = from_plain("it", to_plain("it", whole), Vocabulary([Linear, Sine, Sum]), {})
    assert again.at(0.3) == whole.at(0.3)
    with pytest.raises(fx.ReadError, match="Sum cannot be made of what is stored: it has the fields"):
        from_plain("it", {"class": "motions:Sum", "other": 3}, Vocabulary([Sum]), {})


def mechanism() -> list[Any]:
    """Rigid bodies of all kinds with joints, a driver, a gear, forces and gravity."""
    from flexmbs import motions
    from flexmbs.model.bodies import PlanarRigidBody, PointMass, RigidBody, ground
    from flexmbs.model.forces.spring_damper import SpringDamper
    from flexmbs.model.forces.torsion_spring import TorsionSpring
    from flexmbs.model.joints.drivers import RotationDriver
    from flexmbs.model.joints.gears import Gear
    from flexmbs.model.joints.lower_pairs import RevoluteJoint, SphericalJoint
    from flexmbs.model.joints.universal import UniversalJoint

    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    crank = RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    wheel = RigidBody(
        2.0, (1, 2, 2.5), position=(0.5, 0.1, 0.3), rotation=turn, angular_velocity=(0, 0, 1), name="wheel"
    )
    plate = PlanarRigidBody(1.0, 0.1, position=(1, 0), angle=0.3, name="plate")
    ball = PointMass(0.5, position=(0, -0.5, 0.1), name="ball")
    first = RevoluteJoint(ground, crank, at=(0, 0, 0), axis=(0.1, 0, 1), name="first")
    second = RevoluteJoint(ground, wheel, at=(0.5, 0.1, 0.3), axis=(0, 0, 1), name="second")
    return [
        Gear(first, second, 2.0), ball, crank, wheel, plate, first, second,
        RotationDriver(second, motion=motions.Sine(0.1, frequency=2.0) + motions.Linear(1.0), name="drive"),
        UniversalJoint(crank, wheel, at=(0.2, 0, 0), axes=((1, 0, 0), (0, 1, 0)), name="cross"),
        SphericalJoint(crank, ball.centre, name="socket"),
        SpringDamper(ground.marker((0, 0, 0)), ball, stiffness=(100.0, 3.0), damping=0.1, name="spring"),
        TorsionSpring(first, stiffness=2.0, name="torsion"),
    ]  # fmt: skip


def test_mechanisms_come_back_with_all_their_markers() -> None:
    model = fx.Model(*mechanism(), name="mechanism")
    plain, arrays = describe_model(model)
    assert arrays == {}
    again = rebuild_model(plain, arrays)
    assert [type(item) for item in again.items] == [type(item) for item in model.items]
    gear, first = again.items[0], again.items[5]
    assert gear.first is first
    for mine, its in zip(model.joints, again.joints, strict=True):
        assert [pair.rows for pair in its.pairs] == [pair.rows for pair in mine.pairs]
        assert [e.label for e in its.equations] == [e.label for e in mine.equations]
        for a, b in zip(mine.pairs, its.pairs, strict=True):
            for there, here in ((a.a, b.a), (a.b, b.b)):
                np.testing.assert_array_equal(here.position0(), there.position0())
                np.testing.assert_array_equal(here.rotation0(), there.rotation0())
                assert here.body is fx.ground or here.body is again.body(there.body.name)
    for mine, its in zip(model.rigid_bodies, again.rigid_bodies, strict=True):
        np.testing.assert_array_equal(its.initial_q, mine.initial_q)
        np.testing.assert_array_equal(its.initial_v, mine.initial_v)
    drive = again.joint("drive").equations[0].motion
    assert drive.at(0.3) == model.joint("drive").equations[0].motion.at(0.3)


def test_all_descriptions_are_known_to_files() -> None:
    """What a model may be described with can be read without the script that made it."""
    assert set(every_class()) <= set(known_classes())


@pytest.mark.filterwarnings("ignore:.*Without geometric")
@pytest.mark.filterwarnings("ignore:Body .* turns by")
def test_items_at_interfaces_of_flexible_links_come_back(tmp_path: Path) -> None:
    """Loads, springs and joints there, in a file of results, and where they are."""
    model = closed_arm()
    wrist = fx.SphericalJoint(model.trees[0].link("lower").interface("right"), model.body("ball"), name="wrist")
    loose = fx.Model(*(item for item in model.items if item is not model.joint("grip")), wrist)
    plain, arrays = describe_model(loose)
    again = rebuild_model(plain, arrays)
    assert describe_model(again)[0] == plain
    marker, its = wrist.pairs[0].a, again.joint("wrist").pairs[0].a
    assert its.body is again.trees[0].link("lower")
    np.testing.assert_array_equal(its.position0(), marker.position0())
    np.testing.assert_array_equal(its.rotation0(), marker.rotation0())
    run = fx.simulate(arm(), until=2e-4, step=1e-4, progress=False)
    run.save(tmp_path / "arm.h5")
    read = fx.load(tmp_path / "arm.h5")
    place, wanted = (solution.model.trees[0].link("upper").interface("right") for solution in (read, run))
    np.testing.assert_array_equal(read.position(place), run.position(wanted))


def test_friction_at_joints_that_became_those_of_trees_comes_back(tmp_path: Path) -> None:
    bar = fx.RigidBody.box(size=(1, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    rubs = fx.CoulombFriction(hinge, coefficient=0.3, load=20.0, speed=0.05, radius=0.1, name="rubs")
    sticks = fx.BristleFriction(
        hinge, coefficient=0.3, load=20.0, deflection=0.01, damping=0.1, radius=0.1, name="sticks"
    )
    model = fx.trees.to_relative_coordinates(fx.Model(bar, hinge, rubs, sticks))
    fx.simulate(model, until=2e-3, step=1e-3, progress=False).save(tmp_path / "bar.h5")
    read = fx.load(tmp_path / "bar.h5").model
    assert [read.force(name).radius for name in ("rubs", "sticks")] == [0.1, 0.1]
    for name in ("rubs", "sticks"):
        assert read.force(name).row_forces[0].data == model.force(name).row_forces[0].data


def test_a_point_may_be_an_array(tmp_path: Path) -> None:
    """As that of a bushing at a body's own place: `save` ended in the truth value of an array, after the run."""
    body = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(0.1, 0.2, 0.3), name="box")
    bearing = fx.Bushing(fx.ground, body, [1e3] * 6, at=body.position, name="bearing")
    run = fx.simulate(fx.Model(body, bearing, fx.Gravity(np.array([0, 0, -9.81]))), until=0.01, step=1e-3)
    again = fx.load(run.save(tmp_path / "run.h5"))
    assert np.array_equal(again.q, run.q)
    assert np.array_equal(fx.simulate(again.model, until=0.01, step=1e-3).q, run.q)
    assert np.array_equal(again.force("bearing").force, run.force("bearing").force)
