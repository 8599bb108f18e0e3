"""Markers on all kinds of bodies, at the start."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.describe import Vocabulary, from_plain, to_plain
from flexmbs.meshes import arc, line
from flexmbs.model.bodies import Ground, as_marker, joint_frame

triples = arrays(np.float64, 3, elements=st.floats(-10, 10, width=32))
directions = triples.filter(lambda v: np.linalg.norm(v) > 1e-2)
UNIT = fx.BeamStiffness(
    EA=1e4, EI_z=1.0, EI_y=2.0, GJ=1.0, GA_y=1e4, GA_z=1e4, mass_per_length=1.0, rhoI_y=1e-5, rhoI_z=1e-5
)


def flexible(mesh: fx.meshes.Mesh, element: Any) -> fx.FlexibleBody:
    return fx.FlexibleBody(mesh, element, stiffness=UNIT, name="beam")


ARC = arc(
    (0, 0), radius=2.0, start_angle=0.0, end_angle=np.pi / 2, elements=4
)  # from (2, 0), tangent +y, to (0, 2), tangent -x
CABLE = flexible(ARC, fx.elements.ANCFCable2D())
ROPE = flexible(line((0, 0, 0), (3, 0, 4), 2), fx.elements.ANCFCable3D())
BEAM = flexible(line((0, 0), (3, 4), 2), fx.elements.LinearBeam2D())
FRAME = flexible(line((0, 0, 0), (3, 0, 4), 2), fx.elements.LinearBeam3D())
FLAT = fx.PlanarRigidBody(1.0, 2.0, position=(1, 2), angle=np.pi / 2, name="flat")
BALL = fx.PointMass(1.0, position=(1, 2, 3), name="ball")
DISC = fx.PointMass(1.0, position=(1, 2), name="disc")
BLOCK = fx.RigidBody(1.0, (1, 1, 1), position=(1, 0, 0), rotation=Rotation.from_rotvec((0, 0, np.pi / 2)), name="block")


# --- frames ----------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(directions, st.none() | directions)
def test_joint_frame_is_a_frame_along_the_axis(axis: Any, x: Any) -> None:
    n = axis / np.linalg.norm(axis)
    if x is not None and np.linalg.norm(np.cross(n, x / np.linalg.norm(x))) < 1e-3:
        return
    R = joint_frame(axis, x)
    assert pytest.approx(np.eye(3), abs=1e-14) == R.T @ R
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert R[:, 2] == pytest.approx(n, abs=1e-15)
    if x is not None:
        assert R[:, 0] @ x > 0
        assert R[:, 1] @ x == pytest.approx(0.0, abs=1e-12)
    else:
        assert np.abs(R[:, 0]).max() >= np.sqrt(2 / 3) - 1e-12  # near a coordinate axis


def test_joint_frame_does_not_hang_on_round_off() -> None:
    exact = joint_frame((1, 1, 1))
    for wiggle in np.eye(3) * 1e-15:
        assert joint_frame(np.ones(3) + wiggle) == pytest.approx(exact, abs=1e-14)
    assert joint_frame((0, 0, 1)).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("axis", "x", "words"),
    [
        ((0, 0, 0), None, "zero vector"),
        ((0, 1), None, "shape"),
        ((0, 0, np.nan), None, "finite"),
        ((0, 0, 1), (0, 0, -2), "parallel"),
        ((0, 0, 1), (0, 0, 0), "zero vector"),
    ],
)
def test_bad_axes_are_refused(axis: Any, x: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=f"hinge.*{words}"):
        joint_frame(axis, x, "hinge")


# --- rigid bodies ----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(triples, triples, triples, directions)
def test_markers_are_where_they_are_put(place: Any, turn: Any, point: Any, axis: Any) -> None:
    R = Rotation.from_rotvec(turn)
    body = fx.RigidBody(1.0, (1, 1, 1), position=place, rotation=R)
    m = body.marker_at(point, axis=axis)
    assert m.position0() == pytest.approx(point, abs=1e-12)
    assert m.rotation0() == pytest.approx(joint_frame(axis), abs=1e-13)
    assert m.point == pytest.approx(R.inv().apply(point - place), abs=1e-12)
    own = body.marker(m.point, axis=m.frame[:, 2], x=m.frame[:, 0])
    assert own.position0() == pytest.approx(point, abs=1e-12)
    assert own.rotation0() == pytest.approx(m.rotation0(), abs=1e-12)


def test_frames_of_markers_without_axis() -> None:
    assert BLOCK.marker((0, 1, 0)).frame.tolist() == np.eye(3).tolist()
    assert BLOCK.marker((1, 0, 0)).position0() == pytest.approx((1, 1, 0))
    assert BLOCK.marker_at((0, 1, 0)).rotation0() == pytest.approx(np.eye(3), abs=1e-15)
    assert BLOCK.marker_at((0, 0, 0), x=(1, 0, 0)).rotation0() == pytest.approx(np.eye(3), abs=1e-15)
    assert BLOCK.centre.position0().tolist() == [1, 0, 0]
    assert BLOCK.centre.rotation0() == pytest.approx(BLOCK.rotation)


def test_planar_bodies_take_two_components() -> None:
    m = FLAT.marker((1, 0))
    assert m.position0() == pytest.approx((1, 3, 0))
    assert FLAT.marker_at((1, 3)).point == pytest.approx((1, 0, 0), abs=1e-15)
    assert FLAT.marker((1, 0), x=(0, 1)).rotation0() == pytest.approx(np.diag((-1, -1, 1)), abs=1e-15)
    assert FLAT.marker((0, 0), axis=(1, 0, 0)).rotation0()[:, 2] == pytest.approx((0, 1, 0), abs=1e-15)
    assert fx.ground.marker_at((1, 2)).position0().tolist() == [1, 2, 0]
    with pytest.raises(fx.ModelError, match=r"RigidBody 'block'.*shape"):
        BLOCK.marker((1, 0))


@pytest.mark.parametrize(
    ("marker", "planar", "rotates", "spin"),
    [
        (BLOCK.centre, False, True, True),
        (FLAT.centre, True, True, True),
        (fx.ground.centre, True, True, True),
        (BALL.centre, False, False, False),
        (DISC.centre, True, False, False),
        (CABLE.end.marker(), True, True, True),
        (BEAM.end.marker(), True, True, True),
        (ROPE.end.marker(), False, True, False),
        (FRAME.end.marker(), False, True, True),
    ],
)
def test_what_a_marker_can_carry(marker: fx.Marker, planar: bool, rotates: bool, spin: bool) -> None:
    assert (marker.planar, marker.rotates, marker.spin) == (planar, rotates, spin)
    assert (marker.spin_axis is None) == (spin or not rotates)


def test_there_is_one_ground() -> None:
    assert Ground() is fx.ground
    assert copy.deepcopy(fx.ground) is fx.ground
    assert pickle.loads(pickle.dumps(fx.ground)) is fx.ground
    assert (fx.ground.name, fx.ground.initial_q.size, fx.ground.initial_v.size) == ("ground", 0, 0)


def test_point_masses_have_one_point() -> None:
    assert BALL.marker_at((1, 2, 3)).position0().tolist() == [1, 2, 3]
    assert DISC.marker_at((1, 2)).position0().tolist() == [1, 2, 0]
    with pytest.raises(fx.ModelError, match=r"PointMass 'ball'.*no other points"):
        BALL.marker((0, 0, 1))
    with pytest.raises(fx.ModelError, match="no other points"):
        DISC.marker_at((0, 0))


# --- nodes of flexible bodies ----------------------------------------------------------------------------------------


def test_planar_slopes_carry_a_frame_along_the_slope() -> None:
    m = CABLE.end.marker()
    assert m.position0() == pytest.approx((0, 2, 0), abs=1e-15)
    assert m.rotation0() == pytest.approx(np.array([[-1, 0, 0], [0, -1, 0], [0, 0, 1]]), abs=1e-15)
    turned = CABLE.end.marker(axis=(0, 0, 1), x=(0, 1, 0))
    assert turned.rotation0() == pytest.approx(joint_frame((0, 0, 1), (0, 1, 0)), abs=1e-15)
    assert turned.frame[:, 0] == pytest.approx((0, -1, 0), abs=1e-15)


def test_spatial_slopes_have_no_spin_about_their_first_axis() -> None:
    m = ROPE.start.marker()
    assert m.rotation0()[:, 0] == pytest.approx((0.6, 0, 0.8))
    assert np.linalg.det(m.rotation0()) == pytest.approx(1.0)
    assert m.spin_axis == pytest.approx((1, 0, 0))
    hinge = ROPE.start.marker(axis=(0, 1, 0))
    assert hinge.rotation0() @ hinge.spin_axis == pytest.approx((0.6, 0, 0.8))
    assert hinge.rotation0()[:, 2] == pytest.approx((0, 1, 0))


@pytest.mark.parametrize("body", [BEAM, FRAME])
def test_small_rotations_start_from_inertial_axes(body: fx.FlexibleBody) -> None:
    m = body.end.marker()
    assert m.position0()[:2].tolist() == body.mesh.points[-1, :2].tolist()
    assert m.rotation0().tolist() == np.eye(3).tolist()


# --- as_marker -------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(directions, directions, triples)
def test_both_sides_of_a_joint_share_a_frame(axis: Any, turn: Any, point: Any) -> None:
    body = fx.RigidBody(1.0, (1, 1, 1), position=(1, 2, 3), rotation=Rotation.from_rotvec(turn))
    frame = joint_frame(axis)
    sides = [as_marker("j", side, point, frame) for side in (body, fx.ground)]
    for m in sides:
        assert m.position0() == pytest.approx(point, abs=1e-12)
        assert m.rotation0() == pytest.approx(frame, abs=1e-13)
    for attachment in (CABLE.end, ROPE.end, BEAM.end, FRAME.end):
        assert as_marker("j", attachment, None, frame).rotation0() == pytest.approx(frame, abs=1e-13)


def test_what_stands_for_a_marker() -> None:
    m = BLOCK.marker((0, 0, 0), name="tip")
    assert as_marker("j", m, (5, 5, 5)) is m
    assert as_marker("j", BALL).position0().tolist() == [1, 2, 3]
    assert as_marker("j", FLAT, (1, 3)).point == pytest.approx((1, 0, 0), abs=1e-15)
    assert as_marker("j", CABLE.end, (0, 2)).node == 4
    assert str(m) == "marker 'tip' of RigidBody 'block'"
    assert str(BLOCK.marker((0.5, 0, 0))) == "point (0.5, 0, 0) of RigidBody 'block'"
    assert str(CABLE.end.marker()) == "node 4 of FlexibleBody 'beam'"


@pytest.mark.parametrize(
    ("value", "point", "words"),
    [
        (BLOCK, None, "spring 's': the point on RigidBody 'block' is missing"),
        (fx.ground, None, "the point on ground is missing"),
        (CABLE, None, "body.end"),
        (CABLE.end, (0, 2.1), "0.1 away"),
        (CABLE.set("all") if "all" in ARC.node_sets else fx.Attachment(CABLE, (0, 1), "two"), None, "one node"),
        (BALL, (0, 0, 0), "no other points"),
        ("block", None, "expected a body"),
        (fx.RigidBody, None, "expected a body"),
        (BLOCK, (0, 0, 0, 0), "at must have shape"),
        (BLOCK, (0, 0, np.inf), "finite"),
        (BLOCK, [[0], [0, 1]], "array of numbers"),
    ],
)
def test_what_carries_no_marker_is_refused(value: Any, point: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        as_marker("spring 's'", value, point)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fx.Marker("b", (0, 0, 0)), "must be a body"),  # type: ignore[arg-type]
        (lambda: fx.Marker(BLOCK), "give the point"),
        (lambda: fx.Marker(BLOCK, (0, 0, 0), node=1), "only flexible bodies"),
        (lambda: fx.Marker(BLOCK, (0, 0, 0), 2 * np.eye(3)), "frame must be orthogonal"),
        (lambda: fx.Marker(BLOCK, (0, 0)), "shape"),
        (lambda: fx.Marker(CABLE, (0, 0, 0)), "on its nodes"),
        (lambda: fx.Marker(CABLE), "on its nodes"),
        (lambda: fx.Marker(CABLE, node=99), "no node 99"),
        (lambda: fx.Marker(CABLE, node=1.5), "whole number"),  # type: ignore[arg-type]
        (lambda: fx.Marker(BLOCK, (0, 0, 0), name=" "), "name"),
        (lambda: BLOCK.marker((0, 0, 0), axis=(0, 0, 0)), "zero vector"),
        (lambda: BLOCK.marker((0, 0, 0), axis=(0, 1)), "shape"),
        (lambda: CABLE.end.marker(axis=(0, 0, 1), x=(0, 0, 1)), "parallel"),
    ],
)
def test_bad_markers_are_refused(make: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        make()


def test_a_marker_comes_back_from_plain_data() -> None:
    vocabulary = Vocabulary([fx.Marker, fx.RigidBody, Ground])
    for m in (BLOCK.marker_at((0, 3, 0), axis=(1, 2, 3), name="tip"), fx.ground.marker_at((1, 2, 3))):
        again = from_plain("m", json.loads(json.dumps(to_plain("m", m))), vocabulary, {})
        assert again.point.tolist() == m.point.tolist()
        assert again.frame.tolist() == m.frame.tolist()
        assert (again.name, again.node) == (m.name, m.node)


# --- planar bodies and point masses ----------------------------------------------------------------------------------


def test_planar_rods() -> None:
    rod = fx.PlanarRigidBody.rod((1, 1), (4, 5), mass=12.0)
    assert rod.inertia == pytest.approx(25.0)
    assert rod.marker((2.5, 0)).position0() == pytest.approx((4, 5, 0))
    bar = fx.PlanarRigidBody.rod((0, 0), (2, 0), section=fx.Rectangle(width=0.1, height=0.5), material=fx.steel)
    assert bar.inertia == pytest.approx(fx.RigidBody.box(size=(2, 0.5, 0.1), material=fx.steel).inertia[2, 2])
    turning = rod.with_spin(2.0, about=(1, 1))
    assert turning.velocity == pytest.approx((-4.0, 3.0))
    assert turning.kinetic_energy == pytest.approx(0.5 * 12.0 * 25.0 / 3.0 * 4.0)  # m L^2 / 3 about its end
    assert rod.with_spin(2.0).velocity.tolist() == [0, 0]
    assert rod.moved((0, 0), angle=7.0).initial_q.tolist() == [0, 0, 7.0]
    assert rod.with_velocity((1, 2), 3.0).initial_v.tolist() == [1, 2, 3]
    assert rod.moved(angle=7.0).with_velocity((1, 2)).position == pytest.approx((2.5, 3.0))


def test_point_masses() -> None:
    assert BALL.with_velocity((1, 0, 0)).initial_v.tolist() == [1, 0, 0]
    assert DISC.moved((5, 6)).initial_q.tolist() == [5, 6]
    assert (DISC.planar, BALL.planar) == (True, False)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fx.PlanarRigidBody(0.0, 1.0), "mass must be greater"),
        (lambda: fx.PlanarRigidBody(1.0, 0.0), "inertia must be greater"),
        (lambda: fx.PlanarRigidBody(1.0, (1, 1, 1)), "inertia must be a number"),  # type: ignore[arg-type]
        (lambda: fx.PlanarRigidBody(1.0, 1.0, (0, 0, 0)), "position must have shape"),
        (lambda: fx.PlanarRigidBody(1.0, 1.0, angle=np.inf), "angle must be finite"),
        (lambda: fx.PlanarRigidBody(1.0, 1.0, angular_velocity=(0, 0, 1)), "angular_velocity must be a number"),  # type: ignore[arg-type]
        (lambda: fx.PlanarRigidBody(1.0, 1.0, name=""), "name"),
        (lambda: fx.PlanarRigidBody(1.0, 1.0, shape=3), "Wireframe"),  # type: ignore[arg-type]
        (lambda: fx.PlanarRigidBody.rod((0, 0), (0, 0), mass=1), "different points"),
        (lambda: fx.PlanarRigidBody.rod((0, 0), (1, 0)), "give mass"),
        (lambda: fx.PlanarRigidBody.rod((0, 0), (1, 0, 0), mass=1), "end must have shape"),
        (lambda: fx.PointMass(-1.0, (0, 0)), "mass"),
        (lambda: fx.PointMass(1.0, (0,)), "position must have shape"),
        (lambda: fx.PointMass(1.0, [[0], [0, 1]]), "position"),
        (lambda: fx.PointMass(1.0, (0, 0), velocity=(1, 2, 3)), "velocity must have shape"),
        (lambda: fx.PointMass(1.0, (0, 0), name=None), "name"),  # type: ignore[arg-type]
        (lambda: DISC.moved((1, 2, 3)), "velocity must have shape"),
    ],
)
def test_bad_bodies_are_refused(make: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        make()


@pytest.mark.parametrize("direction", ["axis", "x"])
def test_planar_directions_and_points_have_two_components(direction: str) -> None:
    """As joints take them: a direction in the plane, of markers on bodies, at points and on nodes."""
    other = {"axis": (0.0, 0.0, 1.0)} if direction == "x" else {}
    flat, full = ({direction: (*d,), **other} for d in ((3.0, 4.0), (3.0, 4.0, 0.0)))
    for make in (
        lambda **how: FLAT.marker((0.1, 0.2), **how), lambda **how: FLAT.marker_at((0.1, 0.2), **how),
        lambda **how: fx.ground.marker((0.1, 0.2), **how), CABLE.start.marker,
    ):  # fmt: skip
        np.testing.assert_array_equal(make(**flat).frame, make(**full).frame)
    with pytest.raises(fx.ModelError, match=rf"{direction} must have shape \(3,\)"):
        BLOCK.marker((0, 0, 0), **flat)
    np.testing.assert_array_equal(fx.Marker(FLAT, (1.0, 2.0)).point, (1.0, 2.0, 0.0))
    with pytest.raises(fx.ModelError, match=r"point must have shape \(3,\)"):
        fx.Marker(BLOCK, (1.0, 2.0))


def test_an_accelerometer_in_the_plane_takes_gravity_of_two_components() -> None:
    np.testing.assert_array_equal(fx.control.AccelerationSensor(FLAT, gravity=(0, -9.81)).gravity, (0.0, -9.81, 0.0))
