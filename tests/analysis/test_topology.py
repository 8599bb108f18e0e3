"""What is told of the topology of models: counts against formulas, loops against drawings made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from tests.models.trees_of_links import mixed


def four_bar() -> fx.Model:
    """Three bars on four revolute joints, all axes along y, and a motor."""
    ends = [(0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)]
    bars = [
        fx.RigidBody.box(size=(0.1, 0.1, 1.0), mass=1.0, position=np.add(ends[i], ends[i + 1]) / 2, name=f"bar {i}")
        for i in range(3)
    ]
    sides = [fx.ground, *bars, fx.ground]
    pins = [fx.RevoluteJoint(sides[i], sides[i + 1], at=ends[i], axis=(0, 1, 0), name=f"pin {i}") for i in range(4)]
    return fx.Model(*bars, *pins, fx.RotationDriver(pins[0], rate=1.0, name="motor"), name="four-bar")


def test_a_four_bar_linkage_has_one_loop_and_three_redundant_equations() -> None:
    """18 - (4*5 + 1) + 3 = 0 freedoms with the motor; the planar loop leaves three equations over."""
    found = fx.topology(four_bar())
    assert found.loops == (("ground", "bar 2", "bar 1", "bar 0"),) or found.loops == (
        ("ground", "bar 0", "bar 1", "bar 2"),
    )
    assert (found.n_coordinates, found.n_equations, len(found.redundant), found.degrees_of_freedom) == (18, 21, 3, 0)
    assert [j.role for j in found.joints] == ["joint"] * 4 + ["driver"]
    text = str(found)
    assert "18 coordinates - 21 equations + 3 redundant = 0 degrees of freedom" in text
    assert "pin 1  revolute joint   bar 0 - bar 1   5          joint" in text


def test_as_a_tree_one_joint_closes_the_loop() -> None:
    """Three coordinates, one cut joint of five equations and the motor; freedoms do not change."""
    found = fx.topology(fx.trees.to_relative_coordinates(four_bar()))
    assert [j.role for j in found.joints].count("in a tree") == 3
    assert [j.name for j in found.joints if j.role == "closes a loop"] == ["pin 2"]
    assert (found.n_coordinates, found.n_equations, found.degrees_of_freedom) == (3, 6, 0)
    assert len(found.loops) == 1
    assert len(found.loops[0]) == 4


def test_gears_and_supports_close_no_loops() -> None:
    """Two wheels with a gear; a cable with two supports, hooked to a wheel: no loop, the gear a coupling."""
    wheels = [fx.PlanarRigidBody(1.0, 0.1, position=(x, 0), name=f"wheel {x}") for x in (0, 3)]
    shafts = [fx.RevoluteJoint(fx.ground, wheel, at=wheel.position, name=f"shaft of {wheel.name}") for wheel in wheels]
    rope = fx.FlexibleBody.line(
        (4, 0), (5, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=40.0, EI_z=2.0, mass_per_length=1.3), name="rope",
    )  # fmt: skip
    held = [fx.Pin(rope.end), fx.Roller(rope.start, normal=(0, 1))]
    found = fx.topology(fx.Model(*wheels, rope, *shafts, fx.Gear(*shafts, ratio=-1.0, name="gear"), *held))
    roles = {j.name: j.role for j in found.joints}
    assert roles["gear"] == "coupling"
    assert [j.role for j in found.joints].count("support") == 2
    assert found.loops == ()


@pytest.mark.parametrize("relative", [False, True])
def test_the_number_of_loops_is_that_of_joints_beyond_a_tree(relative: bool) -> None:
    """A cube of eight bodies and twelve joints, not held: 12 - 7 = 5 loops, of four bodies each or more."""
    corners = [np.array([i >> k & 1 for k in range(3)], dtype=float) for i in range(8)]
    bodies = [
        fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=p, name=f"corner {i}") for i, p in enumerate(corners)
    ]
    joints = [
        fx.SphericalJoint(bodies[i], bodies[i | 1 << k], at=corners[i] + 0.5 * np.eye(3)[k], name=f"edge {i}{k}")
        for i in range(8) for k in range(3) if not i >> k & 1
    ]  # fmt: skip
    model = fx.Model(*bodies, *joints)
    found = fx.topology(fx.trees.to_relative_coordinates(model) if relative else model)
    assert len(found.loops) == 5
    assert all(len(loop) >= 4 for loop in found.loops)
    if not relative:
        assert all(len(loop) in (4, 6) for loop in found.loops)  # faces, or ways over three of them


def test_the_picture_shows_every_body_and_joint() -> None:
    """Boxes with the names of bodies, a line per joint but free ones; too many bodies are refused."""
    found = fx.topology(mixed())
    ax = found.plot()
    words = [text.get_text() for text in ax.texts]
    assert words.count("link 4") == 2
    assert "rope" in words
    assert sum(1 for text in ax.texts if getattr(text, "arrow_patch", None) is not None) == len(found.joints) - 1
    balls = [fx.PointMass(1.0, position=(i, 0, 0), name=f"ball {i}") for i in range(151)]
    with pytest.raises(fx.ModelError, match="151 bodies cannot be read"):
        fx.topology(fx.Model(*balls)).plot()


def test_what_is_no_model_is_refused() -> None:
    """As everywhere, by type."""
    with pytest.raises(fx.ModelError, match="topology: expected a Model"):
        fx.topology(3)  # type: ignore[arg-type]
