"""What a few words ask for is refused where it would fill the memory, and what is no pair is told."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs import meshes
from flexmbs.meshes.generate_surfaces import cylinder, ring, sphere_sector

NODES = "*NODE\n1,0,0\n2,1,0\n3,2,0\n*ELEMENT, TYPE=B21, ELSET=E\n1, 1, 2\n2, 2, 3\n"


@pytest.fixture
def read(tmp_path):
    def reader(text):
        (tmp_path / "a.inp").write_text(NODES + text)
        return meshes.read_mesh(tmp_path / "a.inp")

    return reader


@pytest.mark.parametrize("what", ["NSET", "ELSET"])
def test_a_range_of_any_length(read, what):
    with pytest.raises(fx.ReadError, match=r"line 9: the sets up to here have 9999999999 members; at most 20000000"):
        read(f"*{what}, {what}=A, GENERATE\n1, 9999999999, 1\n")


@pytest.mark.parametrize("what", ["NSET", "ELSET"])
def test_sets_that_double_themselves(read, what):
    with pytest.raises(fx.ReadError, match=r"the sets up to here have \d+ members"):
        read(f"*{what}, {what}=A\n1, 2\n" + f"*{what}, {what}=A\n{'A, ' * 15}A\n" * 12)


def test_ranges_are_read_as_before(read):
    assert read("*NSET, NSET=A, GENERATE\n1, 3, 2\n").node_set("A").tolist() == [0, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: meshes.box((0, 0, 0), (1, 1, 1), (400, 400, 400)),
        lambda: meshes.rectangle((0, 0), (1, 1), (10_000, 10_000)),
        lambda: meshes.annular_sector(
            inner_radius=1.0, outer_radius=2.0, start_angle=0.0, end_angle=1.0, elements=(10_000, 10_000)
        ),
        lambda: sphere_sector(radius=1.0, longitudes=(0, 1), latitudes=(0, 1), elements=(10_000, 10_000)),
    ],
)
def test_meshes_of_any_size(make):
    with pytest.raises(fx.MeshError, match=r"are (64|100)000000 in all; at most 10000000 are made"):
        make()


NO_PAIRS = st.one_of(
    st.integers(), st.floats(), st.none(), st.text(max_size=3), st.lists(st.integers(1, 3), max_size=4),
    st.just(np.array(3)), st.just(np.ones((2, 2))), st.just({1, 2}), st.tuples(st.text(max_size=2), st.none()),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(value=NO_PAIRS, which=st.integers(0, 5))
def test_what_is_no_pair_is_told(value, which):
    """Every argument that is a pair, or a triple: made, or refused by us."""
    makers = [
        lambda: sphere_sector(radius=1.0, longitudes=(0, 1), latitudes=(0, 1), elements=value),
        lambda: sphere_sector(radius=1.0, longitudes=value, latitudes=(0, 1), elements=(2, 2)),
        lambda: sphere_sector(radius=1.0, longitudes=(0, 1), latitudes=value, elements=(2, 2)),
        lambda: cylinder(radius=1.0, length=2.0, elements=value),
        lambda: ring(inner_radius=1.0, outer_radius=2.0, elements=value),
        lambda: meshes.box((0, 0, 0), (1, 1, 1), value),
    ]
    with suppress(fx.ModelError):
        makers[which]()
