"""Joints and drivers on generalised coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.model.joints.coordinate_joint import CoordinateMarker


@pytest.mark.filterwarnings("ignore:.*the joints changed:RuntimeWarning")
def test_a_bead_on_a_rail_falls_freely_along_it():
    ball = fx.PointMass(2.0, position=(0.0, 1.0), velocity=(3.0, 0.0), name="ball")
    rail = fx.CoordinateJoint(ball, "x", name="rail")
    run = fx.simulate(fx.Model(ball, rail, fx.Gravity((0.0, -9.81))), until=0.5, step=0.05)
    np.testing.assert_allclose(run.position(ball)[-1], (0.0, 1.0 - 0.5 * 9.81 * 0.25, 0.0), atol=1e-12)
    np.testing.assert_allclose(run.velocity(ball)[:, 0], 0.0, atol=1e-14)  # taken away at the start


def test_a_driven_coordinate_follows_its_motion_and_tells_the_force():
    ball = fx.PointMass(2.0, position=(0.0, 1.0), name="ball")
    motion = fx.motions.Sine(0.1, frequency=3.0)
    drive = fx.CoordinateJoint(ball, "x", motion=motion, name="drive")
    hold = fx.CoordinateJoint(ball, "y", name="hold")
    run = fx.simulate(fx.Model(ball, drive, hold), until=1.0, step=1e-3, output=fx.Output(every=0.1))
    exact = np.array([motion.at(t) for t in run.t])
    largest = 2.0 * 0.1 * (6.0 * np.pi) ** 2
    error = 0.5 * (1e-3 * 6.0 * np.pi) ** 2 * largest  # second order in the step
    np.testing.assert_allclose(run.position(ball)[:, 0], exact[:, 0], atol=1e-11)
    np.testing.assert_allclose(-run.multipliers("drive")[1:, 0], 2.0 * exact[1:, 2], rtol=0.0, atol=error)


def test_a_slope_of_a_cable_is_held_at_its_length():
    stiffness = fx.BeamStiffness(EA=100.0, EI_z=1.0, mass_per_length=1.0)
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), stiffness=stiffness, name="cable"
    )
    hold = fx.CoordinateJoint(cable.start, "y_s", name="level")
    run = fx.simulate(fx.Model(cable, fx.Pin(cable.start), hold, fx.Gravity((0.0, -1.0))), until=0.3, step=1e-3)
    first = cable.node(0)
    slope = run.coordinates(cable).reshape(len(run), -1, 4)[:, first.nodes[0], 3]
    np.testing.assert_allclose(slope, 0.0, atol=1e-10)
    assert run.position(cable.end)[-1, 1] < -1e-3


@pytest.mark.filterwarnings("ignore:.*the assembly:RuntimeWarning")
def test_a_value_is_met_by_the_assembly():
    block = fx.PlanarRigidBody(1.0, 2.0, position=(0.0, 0.0), angle=0.3, name="block")
    run = fx.simulate(fx.Model(block, fx.CoordinateJoint(block, "angle", value=0.5)), until=0.1, step=0.1)
    assert run.q[0, 2] == pytest.approx(0.5, abs=1e-14)


def test_what_has_no_such_coordinate_is_refused():
    ball = fx.PointMass(1.0, position=(0.0, 0.0), name="ball")
    with pytest.raises(fx.ModelError, match=r"no coordinate named 'z'.*Known: 'x', 'y'"):
        fx.CoordinateJoint(ball, "z")
    solid = fx.RigidBody(1.0, (1, 1, 1), position=(0, 0, 0), name="solid")
    with pytest.raises(fx.ModelError, match="expected a node"):
        fx.CoordinateJoint(solid, "x")
    with pytest.raises(fx.ModelError, match="not both"):
        fx.CoordinateJoint(ball, "x", motion=fx.motions.Linear(1.0), value=2.0)
    with pytest.raises(fx.ModelError, match="motion must be"):
        fx.CoordinateJoint(ball, "x", motion=3.0)


def test_default_names_tell_the_nodes_apart():
    """Of joints on two nodes of one body, so that both can be in one model without names of their own."""
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel,
        name="cable",
    )  # fmt: skip
    makers = (fx.SphericalJoint, fx.FixedJoint, fx.RevoluteJoint)
    joints = [make(fx.ground, at) for make in makers for at in (cable.start, cable.end, cable.node(2))]
    joints += [fx.CoordinateJoint(at, "y") for at in (cable.start, cable.end, cable.node(2))]
    joints += [fx.DistanceConstraint(fx.ground.marker((3, 3, 0)), at.marker()) for at in (cable.start, cable.end)]
    assert len(fx.Model(cable, *joints).joints) == len(joints)
    assert (joints[0].name, joints[-3].name) == (
        "spherical of ground and start of cable", "y of 'node 2' of body 'cable' held"
    )  # fmt: skip


@pytest.mark.parametrize(("coordinate", "unit"), [("u_x", "length"), ("phi", "angle")])
def test_units_of_coordinates_of_nodes(coordinate: str, unit: str) -> None:
    """By what the element says that they are."""
    section = {"stiffness": fx.BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0)}
    beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=1, element=fx.elements.LinearBeam2D(), **section)
    assert CoordinateMarker(beam.end, coordinate).unit == unit
    cable = fx.FlexibleBody.line((0, 0), (1, 0), elements=1, element=fx.elements.ANCFCable2D(), **section)
    assert [CoordinateMarker(cable.end, x).unit for x in ("x", "x_s")] == ["length", "1"]


def test_a_spring_between_two_coordinates_of_one_point() -> None:
    ball = fx.PointMass(1.0, position=(1.0, 0.0), velocity=(1.0, -1.0), name="ball")
    spring = fx.SpringDamper(CoordinateMarker(ball, "x"), CoordinateMarker(ball, "y"), stiffness=8.0)
    run = fx.simulate(fx.Model(ball, spring), 1.0, step=1e-3, progress=False)
    x = run.position(ball)[:, 0]
    assert x == pytest.approx(1.0 + np.sin(4.0 * run.t) / 4.0, abs=1e-5)  # s = x - y, s'' = -16 (s - 1)
    with pytest.raises(fx.ModelError, match="both sides are on"):
        fx.SpringDamper(CoordinateMarker(ball, "x"), CoordinateMarker(ball, "x"), stiffness=8.0)
