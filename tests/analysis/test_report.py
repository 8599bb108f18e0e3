"""What a model report counts."""

from __future__ import annotations

import pytest

import flexmbs as fx


def test_planar_mechanism_with_a_flexible_body() -> None:
    cable = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=4, element=fx.elements.ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.5),
    )  # fmt: skip
    tip = fx.PlanarRigidBody(1.0, 0.1, position=(2.5, 0.0), name="tip")
    joint = fx.RevoluteJoint(cable.end, tip, name="hinge")
    report = fx.model_report(fx.Model(cable, tip, fx.Pin(cable.start), joint))
    assert report.mass == pytest.approx(4.0)
    assert report.centre == pytest.approx([(3.0 * 1.0 + 1.0 * 2.5) / 4.0, 0, 0])
    assert report.n_coordinates == 5 * 4 - 2 + 3
    assert len(report.constraints) == 2
    assert len(report.dropped) == 3
    assert report.degrees_of_freedom == 19
    assert (report.joints[0].name, report.joints[0].kind, report.joints[0].equations) == ("hinge", "revolute joint", 2)
    assert report.joints[0].bodies == ("cable", "tip")
    assert report.joints[0].point == pytest.approx([2, 0, 0])
    text = str(report)
    assert "revolute joint 'hinge' of cable and tip at (2, 0, 0): 2 equations" in text
    assert text.count("plane") == 1
    assert "always met in the plane: 3 equations" in text
    assert "up to 5 equations" in str(report.system.model)
    assert report.loose == report.hints == ()


def test_redundant_constraints_are_named() -> None:
    door = fx.RigidBody.box(size=(1.0, 0.05, 2.0), mass=20.0, position=(0.5, 0, 0), name="door")
    hinges = [fx.RevoluteJoint(fx.ground, door, at=(0, 0, z), axis=(0, 0, 1), name=f"hinge {z}") for z in (-0.8, 0.8)]
    report = fx.model_report(fx.Model(door, *hinges))
    assert report.degrees_of_freedom == 1
    assert len(report.redundant) == 5
    assert len(report.constraints) == 10
    text = str(report)
    assert "1 degrees of freedom" in text
    assert "redundant: " in text
    assert "door: 20 kg" in text


def test_states_are_counted_apart() -> None:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    lag = fx.control.FirstOrder([0.0, 1.0], lambda x, u, t: -x, name="lag")
    report = fx.model_report(fx.Model(wheel, lag))
    assert (report.n_coordinates, report.n_states, report.degrees_of_freedom) == (6, 2, 6)
    assert "2 first-order states" in repr(report)


def test_loose_bodies_and_distant_joints() -> None:
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    ball = fx.PointMass(1.0, position=(5.0, 0.0), name="ball")
    spring = fx.SpringDamper(rod.marker_at((1, 0)), ball, stiffness=1.0, name="spring")

    def report(x: float) -> fx.ModelReport:
        return fx.model_report(fx.Model(rod, ball, spring, fx.RevoluteJoint(fx.ground, rod, at=(x, 0), name="hinge")))

    near, far = report(0.0), report(2.0)
    assert near.loose == ("ball",)
    assert near.hints == ()
    assert far.hints == ("joint 'hinge' is 1.5 m from the centre of 'rod' (size 1); is its point right?",)
    assert "without joint and support: ball" in str(far)
    assert "hint: joint 'hinge'" in str(far)


def test_bad_input() -> None:
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.model_report("model")
