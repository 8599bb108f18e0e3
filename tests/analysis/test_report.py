"""What a model report counts."""

from __future__ import annotations

import pytest

import flexmbs as fx


def test_planar_mechanism_with_a_flexible_body() -> None:
    cable = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=4, element=fx.elements.PlanarCable(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.5),
    )  # fmt: skip
    tip = fx.PlanarRigidBody(1.0, 0.1, position=(2.5, 0.0), name="tip")
    joint = fx.Revolute(cable.end, tip, name="hinge")
    report = fx.inspect(fx.Model(cable, tip, fx.Pin(cable.start), joint))
    assert report.mass == pytest.approx(4.0)
    assert report.centre == pytest.approx([(3.0 * 1.0 + 1.0 * 2.5) / 4.0, 0, 0])
    assert report.n_coordinates == 5 * 4 - 2 + 3
    assert len(report.constraints) == 2
    assert len(report.dropped) == 3
    assert report.degrees_of_freedom == 19


def test_redundant_constraints_are_named() -> None:
    door = fx.RigidBody.box((1.0, 0.05, 2.0), mass=20.0, position=(0.5, 0, 0), name="door")
    hinges = [fx.Revolute(fx.ground, door, at=(0, 0, z), axis=(0, 0, 1), name=f"hinge {z}") for z in (-0.8, 0.8)]
    report = fx.inspect(fx.Model(door, *hinges))
    assert report.degrees_of_freedom == 1
    assert len(report.redundant) == 5
    assert len(report.constraints) == 10
    text = str(report)
    assert "1 degrees of freedom" in text
    assert "redundant: " in text
    assert "door: 20 kg" in text


def test_states_are_counted_apart() -> None:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    lag = fx.FirstOrder([0.0, 1.0], lambda x, u, t: -x, name="lag")
    report = fx.inspect(fx.Model(wheel, lag))
    assert (report.n_coordinates, report.n_states, report.degrees_of_freedom) == (6, 2, 6)
    assert "2 first-order states" in repr(report)


def test_bad_input() -> None:
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.inspect("model")
