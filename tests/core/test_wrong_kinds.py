"""Whatever stands in the place of a name, a list or a number: our errors, never those of Python or numpy."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx


@cache
def calls():
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0, 0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model = fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81)))
    run = fx.simulate(model, 0.02, step=0.01, progress=False)
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1))
    rod = fx.FlexibleBody.line(
        (0, 0),
        (1, 0),
        elements=2,
        element=fx.elements.ANCFCable2D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )
    bent = fx.solve_static(fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, -1.0))))
    moduli = {"E_1": 1.0, "E_2": 1.0, "nu_12": 0.1, "nu_13": 0.1, "nu_23": 0.1, "G_12": 1.0, "G_13": 1.0, "G_23": 1.0}
    return {
        "Model.body": model.body,
        "Model.joint": model.joint,
        "position": run.position,
        "reaction": run.reaction,
        "node_set": mesh.node_set,
        "cell_set": mesh.cell_set,
        "extracted": mesh.extracted,
        "with_node_set": lambda x: mesh.with_node_set(x, [0]),
        "with_cell_set": lambda x: mesh.with_cell_set(x, [0]),
        "resultant": lambda x: bent.resultant(rod, x),
        "name of a joint": lambda x: fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name=x),
        "name of a body": lambda x: fx.RigidBody.box(size=(1, 1, 1), mass=1.0, name=x),
        "sample": fx.meshes.sample,
        "cell type of a box": lambda x: fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1), x),
        "JointSensor": lambda x: fx.control.JointSensor(hinge, x),
        "outputs": lambda x: fx.linearise(model, outputs=x),
        "inputs": lambda x: fx.linearise(model, inputs=x),
        "cut": lambda x: fx.trees.to_relative_coordinates(model, cut=x),
        "cut, one": lambda x: fx.trees.to_relative_coordinates(model, cut=[x]),
        "keep": lambda x: fx.simulate(model, 0.01, step=0.01, keep_initial=x, progress=False),
        "events": lambda x: fx.simulate(model, 0.01, step=0.01, events=x, progress=False),
        "E_3": lambda x: fx.Orthotropic(E_3=x, density=1.0, **moduli),
    }


KINDS = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.text(max_size=5), st.binary(max_size=3), st.none(),
    st.just(object()), st.just(int), st.just(slice(1)),
    st.lists(st.one_of(st.integers(), st.text(max_size=3)), max_size=3), st.just({1}), st.just({"a": 1}),
    st.sampled_from([np.array(["bar", "x"]), np.array("bar"), np.array(3), np.ones((2, 2)), np.array([], object)]),
    st.sampled_from([1e300, 1e308, 1e-300, 5e-324]),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(which=st.integers(0, 21), value=KINDS)
def test_our_errors_only(which, value):
    with suppress(fx.FlexmbsError):
        list(calls().values())[which](value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Model.body", np.array(["bar", "x"]), r"no body named array\("),
        ("node_set", np.array(["left"]), r"no node set named array\("),
        ("name of a joint", np.array(["a", "b"]), "name must be a non-empty string"),
        ("outputs", 5, "linearise: expected a sensor"),
        ("inputs", 5, "linearise: inputs must be a list"),
        ("cut", -1, "to_relative_coordinates: cut must be a list of joints or of their names, not -1"),
        ("keep", 5, "simulate: keep_initial must be a list of bodies, not 5"),
        ("E_3", 1e300, "not positive definite"),
    ],
)
def test_what_is_said(name, value, words):
    with pytest.raises(fx.ModelError, match=words):
        calls()[name](value)


def test_long_names_are_shortened():
    with pytest.raises(fx.ModelError) as caught:
        calls()["Model.body"]("a" * 10_000)
    assert len(str(caught.value)) < 300


def test_a_path_that_is_too_long():
    with pytest.raises(fx.ReadError, match=r"load: .* cannot be a file: File name too long"):
        fx.load("a" * 3000)
