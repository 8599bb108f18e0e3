"""Descriptions as plain data: everything that can be described comes back as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core.describe import Vocabulary, from_plain, to_plain
from flexmbs.core.history import Table
from flexmbs.elements import ANCFCable2D, ANCFCable3D, CableStrain, Gauss, LinearBeam2D, LinearBeam3D, Lobatto

CLASSES = (
    CableStrain, Gauss, Lobatto, LinearBeam2D, ANCFCable2D, LinearBeam3D, ANCFCable3D, Table, fx.Constant, fx.Elastic,
    fx.BeamStiffness, fx.Circle, fx.GeneralSection, fx.Pipe, fx.Rectangle, fx.Units, fx.StaticOptions,
)  # fmt: skip

positive = st.floats(1e-12, 1e12)
rules = st.builds(Gauss, st.integers(1, 6)) | st.builds(Lobatto, st.integers(2, 6))
choices: dict[str, Any] = {"strain": st.sampled_from(CableStrain), "axial": rules, "bending": rules}
nonzero = st.tuples(*[st.floats(-1e3, 1e3)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)
descriptions = st.one_of(
    st.builds(ANCFCable2D, **choices),
    st.builds(ANCFCable3D, **choices),
    st.builds(LinearBeam2D, shear=st.booleans()),
    st.builds(LinearBeam3D, up=nonzero, shear=st.booleans()),
    st.builds(fx.Rectangle, width=positive, height=positive),
    st.builds(fx.Circle, diameter=positive),
    st.builds(fx.GeneralSection, area=positive, I_z=positive, shear_y=st.none() | st.floats(0.01, 1.0)),
    st.builds(fx.Elastic, youngs_modulus=positive, density=positive, poissons_ratio=st.floats(-0.9, 0.49)),
    st.builds(fx.BeamStiffness, EA=positive, EI_z=positive, mass_per_length=positive, GJ=st.none() | positive),
    st.builds(fx.Constant, st.floats(-1e9, 1e9)),
    st.builds(fx.Units, *[st.text(min_size=1).filter(str.strip)] * 4),
    st.builds(fx.StaticOptions, steps=st.none() | st.integers(1, 99), rtol=st.floats(1e-12, 1e-3)),
)


def there_and_back(value: object) -> Any:
    text = json.dumps(to_plain("it", value), allow_nan=False)
    return from_plain("it", json.loads(text), Vocabulary(CLASSES), {})


@given(descriptions)
def test_descriptions_come_back_to_the_last_digit(value: object) -> None:
    assert there_and_back(value) == value


@given(st.dictionaries(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), min_size=1))
def test_tables_come_back_to_the_last_digit(points: dict[float, float]) -> None:
    table = Table(sorted(points), list(points.values()))
    again = there_and_back(table)
    assert again.times.tolist() == table.times.tolist()
    assert again.values.tolist() == table.values.tolist()


def test_plain_form_of_an_element_reads_as_what_was_typed() -> None:
    assert to_plain("it", ANCFCable2D(bending=Gauss(2))) == {
        "class": "ANCFCable2D",
        "strain": {"class": "CableStrain", "member": "MATERIAL"},
        "axial": {"class": "Lobatto", "n": 3},
        "bending": {"class": "Gauss", "n": 2},
    }


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Own:
    what: Any


def test_own_classes_go_by_their_import_name_and_may_move() -> None:
    plain = to_plain("it", Own(Colour.RED))
    assert plain["class"].endswith("test_describe.Own")
    plain["class"] = "elsewhere.Own"
    plain["what"]["class"] = "__main__.Colour"
    assert from_plain("it", plain, Vocabulary([Own, Colour]), {}) == Own(Colour.RED)


def test_unknown_own_class_says_how_to_pass_it() -> None:
    with pytest.raises(fx.ReadError, match=r"it: its class .*test_describe\.Own .*classes=\(Own,\)"):
        from_plain("it", to_plain("it", Own(1)), Vocabulary(CLASSES), {})


def test_unknown_class_of_flexmbs_names_the_version() -> None:
    with pytest.raises(fx.ReadError, match="no class Hexagon"):
        from_plain("it", {"class": "Hexagon"}, Vocabulary(CLASSES), {})


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, Own(lambda: 0), Own(float("nan")), Own(np.array([np.inf])), 1j, Own]
)
def test_what_has_no_plain_form_is_refused(value: object) -> None:
    with pytest.raises(fx.ModelError, match=r"^it: .* cannot be saved"):
        to_plain("it", value)


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"class": 3},
        {"no": "class"},
        {"class": "Rectangle"},
        {"class": "Rectangle", "width": 1.0, "height": -1.0},
        {"class": "Rectangle", "width": 1.0, "height": "thick"},
        {"class": "Rectangle", "width": 1.0, "height": 1.0, "depth": 1.0},
        {"class": "CableStrain", "member": "__class__"},
        {"class": "CableStrain"},
        {"class": "os.system", "command": "true"},
        {"class": "builtins.eval"},
    ],
)
def test_data_that_fits_no_class_is_refused(plain: object) -> None:
    with pytest.raises(fx.ReadError, match="it: "):
        from_plain("it", plain, Vocabulary(CLASSES), {})


@pytest.mark.parametrize("wrong", [ANCFCable2D(), 3, int, "ANCFCable2D"])
def test_vocabulary_refuses_what_is_not_a_describable_class(wrong: Any) -> None:
    with pytest.raises(fx.ModelError, match="must be classes that are dataclasses"):
        Vocabulary([wrong])
