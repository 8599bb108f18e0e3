"""Whatever is passed to a public constructor, it makes a valid object or raises an error of flexmbs that names it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from tests.models.at_coordinates import held, linearised

PLANAR = fx.FlexibleBody.line(
    (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
    section=fx.Rectangle(width=0.02, height=0.002), material=fx.steel, name="flat",
)  # fmt: skip
SPATIAL = fx.FlexibleBody.line(
    (0, 0, 0), (1, 0, 0), elements=2, element=fx.elements.ANCFCable3D(),
    section=fx.Circle(diameter=0.01), material=fx.steel, name="solid",
)  # fmt: skip
BEAM = fx.FlexibleBody.line(
    (0, 0), (1, 0), elements=2, element=fx.elements.LinearBeam2D(),
    section=fx.Circle(diameter=0.01), material=fx.steel, name="beam",
)  # fmt: skip

OTHER = fx.FlexibleBody.line((1, 0), (2, 0), elements=2, element=fx.elements.ANCFCable2D(), stiffness=fx.BeamStiffness(
    EA=1.0, EI_z=1.0, mass_per_length=1.0), name="other")  # fmt: skip

NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**400), 10**400),
    st.sampled_from([0, -1, 1, 2, 0.5, 1e-320, -1e308, 10**400, math.nan, math.inf, True, False, 1j, Fraction(1, 3)]),
)
JUNK = st.one_of(
    NUMBERS,
    st.sampled_from([
        None, "", " ", "x", "1.0", b"1", (), [], {}, {1}, object(), int, len, float("nan"), np.float32(0.5), np.nan,
        np.array(2.0), np.zeros(0), np.zeros((2, 2)), np.zeros((3, 3, 3)), np.ones(100_000), np.array(["a", "b"]),
        np.array([1 + 2j, 0]), np.array([True, False]), np.array([None, 1.0]), (None, None), (None, 1.0), "ab",
        [[1, 2], [3]], [[1.0, 0.5], [0.5, 1.0]], fx.steel, fx.SI, fx.Rectangle, fx.Circle(diameter=0.1), lambda t: t,
        range(2),
        fx.Table((0, 1), (0, 1)), fx.elements.ANCFCable2D, fx.elements.LinearBeam2D(), fx.Gravity((0.0, -1.0)),
        PLANAR, SPATIAL, BEAM, PLANAR.end, SPATIAL.end, BEAM.start, PLANAR.mesh, fx.Clamp(PLANAR.start),
        fx.BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0),
    ]),
    st.lists(NUMBERS, max_size=4),
    st.lists(NUMBERS, max_size=4).map(tuple),
    st.lists(st.lists(NUMBERS, min_size=2, max_size=3), min_size=1, max_size=3),
)  # fmt: skip

CABLE = fx.elements.ANCFCable2D()
LINE = {"elements": 2, "element": CABLE, "section": fx.Circle(diameter=0.01), "material": fx.steel}

# A maker, valid arguments, and for each of them other words under which a message may speak of it.
MAKERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "FlexibleBody": (fx.FlexibleBody, {
        "mesh": PLANAR.mesh, "element": CABLE, "section": fx.Circle(diameter=0.01), "material": fx.steel,
        "stiffness": None,
        "name": "arm",
    }),
    "line": (fx.FlexibleBody.line, {"start": (0, 0), "end": (1, 0), **LINE, "name": "arm"}),
    "Clamp": (fx.Clamp, {"at": PLANAR.start}),
    "Pin": (fx.Pin, {"at": PLANAR.start}),
    "Roller": (fx.Roller, {"at": PLANAR.end, "normal": (0.0, 1.0)}),
    "Guide": (fx.Guide, {"at": SPATIAL.end, "normal": (0.0, 1.0, 0.0)}),
    "Prescribe": (fx.Prescribe, {"at": PLANAR.end, "displacement": (1.0, None), "rotation": 1.0, "history": None}),
    "Prescribe in space": (
        fx.Prescribe,
        {"at": SPATIAL.end, "displacement": None, "rotation": (0.0, 0.0, 1.0), "history": None},
    ),
    "Hinge": (fx.Hinge, {"a": PLANAR.end, "b": OTHER.start}),
    "PointForce": (fx.PointForce, {"at": PLANAR.end, "force": (0.0, 1.0), "follower": False, "history": None}),
    "Moment": (fx.Moment, {"at": PLANAR.end, "moment": 1.0, "history": None}),
    "Moment in space": (fx.Moment, {"at": SPATIAL.end, "moment": (0.0, 0.0, 1.0), "history": None}),
    "DistributedLoad": (fx.DistributedLoad, {"body": PLANAR, "load": (0.0, 1.0), "history": None}),
    "Gravity": (fx.Gravity, {"acceleration": (0.0, 1.0), "history": None}),
    "ElasticSupport": (fx.ElasticSupport, {"at": PLANAR.end, "stiffness": (0.0, 1.0), "rotation": None}),
    "Model": (fx.Model, {"units": fx.SI, "name": "m"}),
    "StaticOptions": (fx.StaticOptions, {f.name: f.default for f in fields(fx.StaticOptions)}),
    "Table": (fx.Table, {"times": (0.0, 1.0), "values": (0.0, 1.0)}),
    "Constant": (fx.Constant, {"value": 1.0}),
    "Elastic": (fx.Elastic, {f.name: getattr(fx.steel, f.name) for f in fields(fx.Elastic)}),
    "Rectangle": (fx.Rectangle, {"width": 1.0, "height": 1.0}),
    "Circle": (fx.Circle, {"diameter": 1.0}),
    "Pipe": (fx.Pipe, {"diameter": 1.0, "thickness": 0.1}),
    "GeneralSection": (fx.GeneralSection, {"area": 1.0, "I_z": 1.0, "I_y": 1.0, "J": 1.0, "shear_y": 0.8}),
    "BeamStiffness": (fx.BeamStiffness, {f.name: 1.0 for f in fields(fx.BeamStiffness)}),
    "Units": (fx.Units, {"length": "m", "mass": "kg", "time": "s", "force": "N"}),
}  # fmt: skip


def attempt(make: Callable[..., Any], arguments: dict[str, Any], owner: str) -> Any:
    """What ``make`` makes; None where it refuses in the agreed way."""
    items = (PLANAR,) if make is fx.Model else ()
    try:
        return make(*items, **arguments)
    except fx.FlexmbsError as error:
        message = str(error)
        words = [*arguments, owner.split()[0], "expected a place on a body"]
        assert any(word in message for word in words), message
        assert len(message) < 2000
        return None


@pytest.mark.parametrize("which", MAKERS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_argument_replaced_by_junk(which: str, data: st.DataObject) -> None:
    make, arguments = MAKERS[which]
    name = data.draw(st.sampled_from(sorted(arguments)))
    value = data.draw(JUNK)
    use(attempt(make, {**arguments, name: value}, which))


def test_a_body_in_place_of_a_stiffness_is_refused() -> None:
    """A body has a ``shape``, which is none of an array."""
    make, arguments = MAKERS["ElasticSupport"]
    assert attempt(make, {**arguments, "stiffness": PLANAR}, "ElasticSupport") is None


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(items=st.lists(JUNK, max_size=3))
def test_models_of_junk(items: list[Any]) -> None:
    try:
        fx.Model(*items)
    except fx.FlexmbsError as error:
        assert "Model" in str(error)  # noqa: PT017  # both outcomes are right


def use(made: Any) -> None:
    """A valid description can be compiled, or is refused while it is, with an error of flexmbs."""
    if made is None:
        return
    body = next((b for b in (PLANAR, SPATIAL, BEAM) if getattr(getattr(made, "at", None), "body", None) is b), PLANAR)
    body = getattr(made, "body", body)
    try:
        if isinstance(made, fx.Table | fx.Constant):
            assert math.isfinite(made(0.3))
        elif isinstance(made, fx.FlexibleBody):
            fx.compile_model(fx.Model(made))
        elif hasattr(made, "conditions") or hasattr(made, "history"):
            system = fx.compile_model(fx.Model(body, made))
            linearised(held(system), system.coordinates.reference.copy())
    except fx.FlexmbsError:
        pass


@pytest.mark.parametrize("which", MAKERS)
def test_valid_arguments_are_accepted_and_frozen(which: str) -> None:
    make, arguments = MAKERS[which]
    made = attempt(make, arguments, which)
    assert made is not None
    assert is_dataclass(made)
    name = fields(made)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, None)


def test_nothing_is_shared_with_what_was_passed() -> None:
    times, values = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    force, moment, load = np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0])
    spring, normal, by = np.eye(2), np.array([0.0, 2.0]), np.array([0.1, 0.2])
    given_arrays = [times, values, force, moment, load, spring, normal, by]
    before = [a.copy() for a in given_arrays]
    table = fx.Table(times, values)
    made = [
        fx.PointForce(PLANAR.end, force), fx.Moment(SPATIAL.end, moment), fx.DistributedLoad(PLANAR, load),
        fx.ElasticSupport(PLANAR.end, spring), fx.Roller(PLANAR.end, normal), fx.Prescribe(PLANAR.end, by),
    ]  # fmt: skip
    for array, old in zip(given_arrays, before, strict=True):
        assert np.array_equal(array, old)
        array[...] = 9.0
    assert table(0.5) == 0.5
    assert made[0].force == (0.0, 1.0)
    assert made[1].moment == (0.0, 0.0, 1.0)
    assert made[2].load == (0.0, 1.0)
    assert np.array_equal(made[3].stiffness, np.eye(2))
    assert made[4].normal == (0.0, 1.0)
    assert made[5].displacement == (0.1, 0.2)


@pytest.mark.parametrize("array", [
    fx.Table((0, 1), (0, 1)).times, fx.Table((0, 1), (0, 1)).values, PLANAR.reference,
    fx.ElasticSupport(PLANAR.end, (1.0, 1.0)).stiffness,
])  # fmt: skip
def test_arrays_of_descriptions_are_read_only(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0


def test_refusals_say_what_is_wrong() -> None:
    for make, message in [
        (lambda: fx.PointForce(PLANAR.end, (0, 1, 2)), r"force must have shape \(2,\) \[force\], not \(3,\)"),
        (lambda: fx.PointForce(PLANAR.end, ("0", "1")), "force must be an array of numbers"),
        (lambda: fx.PointForce(PLANAR.end, (0, 1), follower="no"), "follower must be True or False, not 'no'"),
        (lambda: fx.PointForce(BEAM.end, (0, 1), follower=True), "small rotations only"),
        (lambda: fx.ElasticSupport(PLANAR.end, (-1.0, 0.0)), "stiffness must be symmetric and not negative"),
        (lambda: fx.ElasticSupport(PLANAR.end, [[1.0, 2.0], [0.0, 1.0]]), "stiffness must be symmetric"),
        (lambda: fx.ElasticSupport(PLANAR.end, [[1.0, 2.0], [3.0]]), "stiffness must be an array of numbers"),
        (lambda: fx.ElasticSupport(SPATIAL.end, rotation=1.0), "rotational spring on a spatial cable"),
        (lambda: fx.ElasticSupport(PLANAR.end), "give stiffness, rotation or both"),
        (lambda: fx.Gravity((1.0,)), "2 or 3 components"),
        (lambda: fx.Roller(PLANAR.end, (0.0, 0.0)), "normal must not be the zero vector"),
        (lambda: fx.Prescribe(PLANAR.end), "displacement, a rotation or both"),
        (lambda: fx.Prescribe(PLANAR.end, np.array(2.0)), "displacement must have 2 components"),
        (lambda: fx.Hinge(PLANAR.end, SPATIAL.end), "planar"),
        (lambda: fx.Hinge(PLANAR.end, BEAM.end), "displacements"),
        (lambda: fx.Hinge(PLANAR.end, PLANAR.end), "both sides"),
        (lambda: fx.Hinge(PLANAR.end, PLANAR.start), "1 apart"),
        (fx.Model, "no body"),
        (lambda: fx.Model(PLANAR, PLANAR), "given twice"),
        (lambda: fx.Model(PLANAR, fx.Clamp(BEAM.start)), "'beam' is not in the model"),
        (lambda: fx.Model(PLANAR, PLANAR.end), "wrap it in a support, joint or load"),
        (lambda: fx.Model(PLANAR, fx.Clamp), "Make an object of the class"),
        (lambda: fx.compile_model(fx.Model(PLANAR, SPATIAL)), "planar bodies"),
        (lambda: fx.compile_model(fx.Model(PLANAR, fx.Gravity((0, 0, -9.81)))), "acceleration has 3 components"),
        (lambda: PLANAR.set("ends"), "did you mean 'end'"),
        (lambda: PLANAR.node(3), "numbered 0 to 2"),
        (lambda: PLANAR.at((0.4, 0.0)), "nearest is node 1"),
        (lambda: fx.FlexibleBody.line((0, 0), (1, 0), **{**LINE, "section": fx.Rectangle}), "class Rectangle"),
        (lambda: fx.FlexibleBody.line((0, 0), (1, 0), **{**LINE, "section": fx.Rectangle(width=1e200, height=1e200)}),
        "area"),
        (lambda: fx.FlexibleBody.line((0, 0), (1, 0),
        **{**LINE, "section": fx.Rectangle(width=1e-120, height=1e-120)}), "I_y"),
        (lambda: fx.StaticOptions(at=(0.5, 0.2)), "at must ascend"),
        (lambda: fx.StaticOptions(progress=1), "progress must be True or False"),
    ]:  # fmt: skip
        with pytest.raises(fx.ModelError, match=message):
            make()
