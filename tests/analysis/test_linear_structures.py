"""`solve_static` and `solve_modal` take parts and operators, too: the analyses of `flexmbs.linear`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

PART = fx.linear.Part(fx.meshes.box((0, 0, 0), (1.0, 0.1, 0.1), (4, 1, 1)), material=fx.steel, name="bar")
ROOT = {"left": "all"}
PULL = fx.linear.NodalForce("right", (1e3, 0, 0), share="faces")
BODY = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, -0.5), name="bob")
MODEL = fx.Model(BODY, fx.RevoluteJoint(fx.ground, BODY, at=(0, 0), name="pivot"), fx.Gravity((0.0, -9.81)))


@pytest.mark.parametrize("structure", [PART, PART.assemble()], ids=["part", "operators"])
def test_statics_and_modes_of_linear_structures(structure: Any) -> None:
    found, known = fx.solve_static(structure, fixed=ROOT, loads=PULL), fx.linear.static_response(PART, ROOT, PULL)
    np.testing.assert_array_equal(found.displacements, known.displacements)
    assert found.reaction("left")[0] == pytest.approx(-1e3, rel=1e-9)
    cases = fx.solve_static(structure, fixed=ROOT, loads={"pull": PULL})
    np.testing.assert_array_equal(cases["pull"].displacements, known.displacements)
    modes = fx.solve_modal(structure, 4, fixed=ROOT)
    np.testing.assert_array_equal(modes.frequencies, fx.linear.vibration_modes(PART, 4, ROOT).frequencies)
    assert len(fx.solve_modal(structure).frequencies) == 10
    stiffer = fx.solve_modal(structure, 1, fixed=ROOT, prestress=fx.solve_static(PART, fixed=ROOT, loads=PULL))
    assert stiffer.frequencies[0] > modes.frequencies[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fx.solve_static(PART, fx.StaticOptions(), fixed=ROOT),
        r"options cannot be given for a Part, which takes"),
        (lambda: fx.solve_static(PART, fixed=ROOT, time=1.0), r"time cannot be given for a Part"),
        (lambda: fx.solve_static(MODEL, fixed=ROOT, loads=PULL),
        r"fixed and loads cannot be given for a Model, which has"),
        (lambda: fx.solve_modal(MODEL, fixed=ROOT),
        r"fixed cannot be given for a Model, which has supports and loads am"),
        (lambda: fx.solve_static("bar"), r"expected a Model, a Part or Operators, not 'bar'"),
    ],
)  # fmt: skip
def test_arguments_of_the_other_kind_are_refused(call: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        call()
