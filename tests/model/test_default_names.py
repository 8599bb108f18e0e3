"""Forces and controllers to which nobody gave a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx

ENDS = (-1.0, 1.0)


def two_springs() -> tuple[fx.PointMass, fx.SpringDamper, fx.SpringDamper]:
    ball = fx.PointMass(1.0, position=(0.1, 0), name="ball")
    left, right = (fx.SpringDamper(fx.ground.marker((x, 0)), ball, stiffness=2.0, free_length=1.0) for x in ENDS)
    return ball, left, right


def test_forces_without_a_name_are_numbered_and_found_by_name_and_as_objects() -> None:
    ball, left, right = two_springs()
    model = fx.Model(ball, left, right)
    assert [force.name for force in model.forces] == ["spring (1)", "spring (2)"]
    assert "spring damper 'spring (2)'" in str(model)
    assert left.name == right.name == "spring"
    run = fx.simulate(model, until=0.1, step=1e-2)
    assert run.force(left).force[0] == pytest.approx(0.2)
    assert run.force(right).force[0] == pytest.approx(-0.2)
    assert np.array_equal(run.force("spring (2)").force, run.force(right).force)
    assert "spring (2).force" in run.to_dataframe("spring (2)").columns
    assert run.to_dataframe(right).columns.equals(run.to_dataframe("spring (2)").columns)


def test_names_that_were_given_stay_and_must_differ() -> None:
    ball, left, right = two_springs()
    named = fx.SpringDamper(fx.ground.marker((0, 1)), ball, stiffness=1.0, name="spring (1)")
    model = fx.Model(ball, left, right, named)
    assert [force.name for force in model.forces] == ["spring (2)", "spring (3)", "spring (1)"]
    mine = [fx.SpringDamper(fx.ground.marker((x, 0)), ball, stiffness=1.0, name="mine") for x in ENDS]
    with pytest.raises(fx.ModelError, match=r"names of forces are used twice: \['mine'\].*name="):
        fx.Model(ball, *mine)


def test_with_more_items_they_are_numbered_anew() -> None:
    ball, left, right = two_springs()
    one = fx.Model(ball, left)
    assert one.force("spring") is left
    two = one.with_(right)
    assert [force.name for force in two.forces] == ["spring (1)", "spring (2)"]
    third = fx.SpringDamper(fx.ground.marker((0, 1)), ball, stiffness=1.0)
    assert [force.name for force in two.with_(third).forces] == [f"spring ({k})" for k in (1, 2, 3)]
    assert fx.simulate(two.with_(third).named("more"), until=0.01, step=1e-2).force(left).force[0] == pytest.approx(0.2)


def test_a_saved_run_has_the_numbered_names(tmp_path: Path) -> None:
    ball, left, right = two_springs()
    model = fx.Model(ball, left, right)
    run = fx.simulate(model, until=0.1, step=1e-2)
    run.save(tmp_path / "run.h5")
    for found in (fx.load(tmp_path / "run.h5"), fx.load(tmp_path / "run.h5", model=model)):
        assert np.array_equal(found.force("spring (2)").force, run.force(right).force)


def test_contacts_without_a_name_are_numbered_and_sensors_know_them(tmp_path: Path) -> None:
    ball = fx.PointMass(1.0, position=(0, 0, 1.0), name="ball")
    law = fx.contact.HuntCrossleyLaw(stiffness=1e6)
    floors = [fx.contact.Plane(fx.ground.marker((0, 0, z), axis=(0, 0, 1))) for z in (0.0, -1.0)]
    upper, lower = (fx.Contact((floor, fx.contact.Vertex(ball)), law) for floor in floors)
    gap = fx.control.FunctionSensor(fx.contact.LeastGap(lower), name="gap")
    watch = fx.control.Controller(gap, fx.control.Signal("seen"), period=0.1, output=lambda x, u, t: u)
    run = fx.simulate(fx.Model(ball, upper, lower, watch), until=0.1, step=1e-2)
    run.save(tmp_path / "run.h5")
    with pytest.raises(fx.ReadError, match="function"):  # of the controller, and nothing else
        fx.load(tmp_path / "run.h5").model  # noqa: B018
    assert fx.load(tmp_path / "run.h5", model=run.model).model is run.model
    assert run.contact(lower).gap[0, 0] == pytest.approx(2.0)
    assert run.contact("contact (1)").gap[0, 0] == pytest.approx(1.0)
    assert run.held("seen")[1][0] == pytest.approx(2.0)


def test_controllers_without_a_name_are_numbered() -> None:
    ball, left, _ = two_springs()
    controllers = [fx.control.Command(fx.control.Signal(name), period=0.1, values=lambda t: t) for name in "ab"]
    model = fx.Model(ball, left, *controllers)
    assert [c.name for c in model.controllers] == ["command (1)", "command (2)"]
    assert fx.simulate(model, until=0.2, step=1e-2).held("b")[1][-1] > 0.0


def test_analyses_take_the_objects_that_the_user_has() -> None:
    ball = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="ball")
    hinge = fx.RevoluteJoint(fx.ground, ball, at=(0, 0), name="hinge")
    push, pull = fx.JointForce(hinge, 1.0), fx.JointForce(hinge, -1.0)
    spring = fx.TorsionSpring(hinge, stiffness=3.0)
    found = fx.linearise(fx.Model(ball, hinge, push, pull, spring), [push, pull], [fx.control.JointSensor(hinge)])
    assert found.inputs == ("motor (1)", "motor (2)")
    assert found.transfer(0.0)[0].real == pytest.approx([1.0 / 3.0, -1.0 / 3.0])
    mass, left, right = two_springs()
    guide = fx.PointOnLineConstraint(fx.ground, mass, at=(0.1, 0), axis=(1, 0))
    held = fx.solve_preloads(fx.Model(mass, guide, left, right), [right])
    assert list(held.values) == ["spring (2)"]
