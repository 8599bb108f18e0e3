"""Suspected units are told, sound ones are not."""

from __future__ import annotations

import linecache
import warnings

import pytest

import flexmbs as fx

SOUND = {
    "m-kg-s": (2.1e11, 7850.0, 1.0),
    "mm-t-s": (2.1e5, 7.85e-9, 1000.0),
    "mm-kg-ms": (210.0, 7.85e-6, 1000.0),
    "mm-g-ms": (2.1e5, 7.85e-3, 1000.0),
    "mm-kg-s": (2.1e8, 7.85e-6, 1000.0),
    "in-lbf-s": (3.0e7, 7.3e-4, 40.0),
}


def part(modulus: float, density: float, size: float, name: str = "steel") -> fx.linear.Part:
    mesh = fx.meshes.box((0, 0, 0), (size, size, size), (1, 1, 1))
    return fx.linear.Part(mesh, material=fx.Elastic(youngs_modulus=modulus, density=density, name=name))


@pytest.mark.parametrize("system", SOUND)
def test_consistent_systems_are_silent(system) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part(*SOUND[system])


@pytest.mark.parametrize(
    ("modulus", "density", "words"),
    [
        (2.1e5, 7850.0, "modulus 2.1e.05 fits mm-t-s or mm-g-ms and the density 7850 fits m-kg-s"),
        (2.1e11, 7.85e-9, "modulus 2.1e.11 fits m-kg-s and the density 7.85e-09 fits mm-t-s"),
        (2.1e5, 7.85e-6, "fits mm-t-s or mm-g-ms and the density 7.85e-06 fits mm-kg-ms or mm-kg-s"),
        (2.1e11, 7.85, "the density 7.85 fits no known system"),
        (210.0, 7850.0, "fits mm-kg-ms"),
    ],
)
def test_mixed_systems_are_told(modulus, density, words) -> None:
    with pytest.warns(fx.UnitsWarning, match=words) as seen:
        part(modulus, density, 1.0)
    assert len(seen) == 1
    assert "fx.linear.Part(" in linecache.getline(
        seen[0].filename, seen[0].lineno
    )  # blamed on the line that made the part


@pytest.mark.parametrize(("size", "words"), [(3000.0, "3e.03 m large"), (1e-6, "1e-06 m large")])
def test_an_absurd_size_is_told(size, words) -> None:
    with pytest.warns(fx.UnitsWarning, match=words):
        part(2.1e11, 7850.0, size)


@pytest.mark.parametrize("name", ["material", "unobtainium", "PA66"])
def test_unknown_names_are_not_judged(name) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part(2.1e5, 7850.0, 1.0, name)


@pytest.mark.parametrize("name", ["Steel S355", "stainless steel", "tool-steel"])
def test_names_are_recognised_within_longer_ones(name) -> None:
    with pytest.warns(fx.UnitsWarning):
        part(2.1e5, 7850.0, 1.0, name)


def test_every_material_is_told_once() -> None:
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (2, 1, 1)).with_cell_set("half", [0])
    wrong = fx.Elastic(youngs_modulus=7e4, density=2700.0, name="aluminium")
    with pytest.warns(fx.UnitsWarning) as seen:
        fx.linear.Part(mesh, material=wrong, regions=[fx.linear.Region("half", fx.elements.Hexahedron8(), wrong)])
    assert len(seen) == 1


def test_named_units_that_a_known_material_is_not_in_are_told() -> None:
    """Steel in m, kg and s, in a model that says it is in mm, t and s."""
    block = fx.linear.Part(fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1)), material=fx.steel)
    with pytest.warns(fx.UnitsWarning, match=r"named mm-t-s, in which steel has the modulus 2.1e\+05"):
        fx.reduction.reduce(block, ["left"], 1, units={"length": "mm", "mass": "t", "time": "s"})


@pytest.mark.parametrize("named", ["m-kg-s", "mm-kg-ms", "ft-slug-s"])
def test_named_units_that_fit_or_are_of_no_known_system_are_not_told(named) -> None:
    modulus, density, size = SOUND.get(named, (1.0, 1.0, 1.0))
    name = "steel" if named in SOUND else "unobtainium"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        block = part(modulus, density, size, name)
        fx.reduction.reduce(
            block, ["left"], 1, units=dict(zip(("length", "mass", "time"), named.split("-"), strict=True))
        )
