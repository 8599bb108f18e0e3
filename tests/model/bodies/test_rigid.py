"""Rigid bodies: what they are made of, where they are, and how they move at the start."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.describe import Vocabulary, from_plain, to_plain

triples = arrays(np.float64, 3, elements=st.floats(-10, 10, width=32))
turns = arrays(np.float64, 3, elements=st.floats(-2, 2, width=32)).map(Rotation.from_rotvec)


def body(**changes: Any) -> fx.RigidBody:
    return fx.RigidBody(**{"mass": 2.0, "inertia": (1.0, 2.0, 2.5), "name": "b"} | changes)


def moments(b: fx.RigidBody) -> Any:
    return b.inertia.diagonal()


# --- solids by their textbook formulas -------------------------------------------------------------------------------


def test_box() -> None:
    b = fx.RigidBody.box(size=(2.0, 3.0, 4.0), density=0.5)
    assert b.mass == pytest.approx(12.0)
    assert moments(b) == pytest.approx((25.0, 20.0, 13.0))
    assert np.ptp(b.shape.points, axis=0) == pytest.approx((2, 3, 4))
    lengths = np.linalg.norm(np.diff(b.shape.points[b.shape.edges], axis=1)[:, 0], axis=1)
    assert sorted(lengths) == pytest.approx([2.0] * 4 + [3.0] * 4 + [4.0] * 4)


def test_cylinder_sphere_and_tube_of_steel() -> None:
    c = fx.RigidBody.cylinder(radius=0.1, length=0.6, material=fx.steel)
    assert c.mass == pytest.approx(7850.0 * np.pi * 0.01 * 0.6)
    assert moments(c) / c.mass == pytest.approx((0.0325, 0.0325, 0.005))
    s = fx.RigidBody.sphere(radius=0.3, material=fx.steel)
    assert s.mass == pytest.approx(7850.0 * 4.0 / 3.0 * np.pi * 0.027)
    assert moments(s) / s.mass == pytest.approx([0.036] * 3)
    outer, inner = (fx.RigidBody.cylinder(radius=r, length=0.6, material=fx.steel) for r in (0.1, 0.08))
    t = fx.RigidBody.tube(outer_radius=0.1, inner_radius=0.08, length=0.6, material=fx.steel)
    assert t.mass == pytest.approx(outer.mass - inner.mass)
    assert t.inertia == pytest.approx(outer.inertia - inner.inertia)
    assert np.abs(t.shape.points).max(axis=0) == pytest.approx((0.1, 0.1, 0.3))


def test_rod_with_a_section_is_the_box_of_that_section() -> None:
    rod = fx.RigidBody.rod((1, 1, 1), (1, 1, 4), section=fx.Rectangle(width=0.2, height=0.5), material=fx.steel)
    box = fx.RigidBody.box(size=(3.0, 0.5, 0.2), material=fx.steel)
    assert (rod.mass, rod.position.tolist()) == (pytest.approx(box.mass), [1.0, 1.0, 2.5])
    assert rod.inertia == pytest.approx(box.inertia)
    assert np.abs(rod.shape.points) == pytest.approx(np.abs(box.shape.points))
    again = fx.RigidBody.rod((1, 1, 1), (1, 1, 4), section=fx.Rectangle(width=0.2, height=0.5), mass=rod.mass)
    assert again.inertia == pytest.approx(rod.inertia)


def test_thin_rod() -> None:
    rod = fx.RigidBody.rod((0, 0, 0), (0, 3, 4), mass=12.0)
    assert moments(rod) == pytest.approx((12.0 * 0.05**2 / 2, 25.0, 25.0))


@settings(deadline=None)
@given(triples, triples)
def test_rod_axes(start: Any, end: Any) -> None:
    if np.linalg.norm(end - start) < 1e-3:
        return
    rod = fx.RigidBody.rod(start, end, mass=1.0)
    length = np.linalg.norm(end - start)
    assert rod.marker((length / 2, 0, 0)).position0() == pytest.approx(end, abs=1e-12)
    assert rod.rotation[:, 0] == pytest.approx((end - start) / length, abs=1e-14)
    assert np.linalg.det(rod.rotation) == pytest.approx(1.0)
    if np.hypot(*(end - start)[:2]) > 1e-3 * length:
        assert rod.rotation[:, 2] @ (0, 0, 1) > 0
        assert rod.rotation[2, 1] == pytest.approx(0.0, abs=1e-11)


def test_a_rod_along_x_has_the_axes_of_the_world() -> None:
    assert fx.RigidBody.rod((0, 0, 0), (1, 0, 0), mass=1.0).rotation.tolist() == np.eye(3).tolist()
    assert fx.RigidBody.rod((0, 0, 0), (1, 0, 0), mass=1.0, up=(0, -1, 3)).rotation[:, 2] == pytest.approx(
        np.array((0, -1, 3)) / np.sqrt(10)
    )


@settings(deadline=None)
@given(turns, triples)
def test_two_halves_make_a_box(turn: Rotation, place: Any) -> None:
    R = turn.as_matrix()
    halves = [
        fx.RigidBody.box(size=(1, 3, 5), mass=2.0, position=place + R @ (x, 0, 0), rotation=turn) for x in (-0.5, 0.5)
    ]
    whole = fx.RigidBody.combined(*halves)
    box = fx.RigidBody.box(size=(2, 3, 5), mass=4.0)
    assert whole.mass == 4.0
    assert whole.position == pytest.approx(place, abs=1e-13)
    assert R.T @ whole.inertia @ R == pytest.approx(box.inertia, abs=1e-12)
    assert np.ptp((whole.shape.points) @ R, axis=0) == pytest.approx((2, 3, 5))


# --- where it is and how it moves ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(triples, triples, triples, turns)
def test_spin_about_a_point_is_a_rigid_velocity_field(omega: Any, about: Any, place: Any, turn: Rotation) -> None:
    b = body(position=place, rotation=turn).with_spin(omega, about=about)
    assert b.velocity == pytest.approx(np.cross(omega, place - about), abs=1e-10)
    assert turn.as_matrix() @ b.angular_velocity == pytest.approx(omega, abs=1e-12)
    # the kinetic energy of a body that turns about a fixed point
    s = place - about
    J = turn.as_matrix() @ b.inertia @ turn.as_matrix().T + 2.0 * (s @ s * np.eye(3) - np.outer(s, s))
    assert b.kinetic_energy == pytest.approx(0.5 * omega @ J @ omega, rel=1e-9, abs=1e-9)


def test_copies_change_what_is_asked_for_only() -> None:
    b = body(position=(1, 2, 3), velocity=(4, 5, 6), angular_velocity=(7, 8, 9))
    assert b.moved((0, 0, 1)).velocity.tolist() == [4, 5, 6]
    assert b.moved((0, 0, 1)).rotation.tolist() == np.eye(3).tolist()
    assert b.moved(rotation=(0, 1, 0, 0)).position.tolist() == [1, 2, 3]
    assert b.moved(rotation=(0, 1, 0, 0)).rotation.diagonal().tolist() == [1, -1, -1]
    assert b.with_velocity((1, 0, 0)).angular_velocity.tolist() == [7, 8, 9]
    assert b.with_velocity((1, 0, 0), (0, 1, 0)).initial_v.tolist() == [1, 0, 0, 0, 1, 0]
    assert b.with_spin((0, 0, 2)).initial_v.tolist() == [4, 5, 6, 0, 0, 2]
    assert b.initial_q.tolist() == [1, 2, 3, 1, 0, 0, 0]


def test_what_was_passed_is_neither_kept_nor_open_to_change() -> None:
    place = np.array([1.0, 2.0, 3.0])
    b = body(position=place)
    place[0] = 9.0
    assert b.position.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        b.inertia[0, 0] = 7.0
    with pytest.raises(AttributeError):
        b.mass = 3.0  # type: ignore[misc]


@settings(deadline=None)
@given(triples, turns, triples)
def test_a_body_comes_back_from_plain_data(place: Any, turn: Rotation, v: Any) -> None:
    vocabulary = Vocabulary([fx.RigidBody, fx.Wireframe])
    b = fx.RigidBody.tube(
        outer_radius=2.0, inner_radius=1.0, length=3.0, mass=1.0, position=place, rotation=turn, velocity=v, name="n"
    )
    again = from_plain("b", json.loads(json.dumps(to_plain("b", b))), vocabulary, {})
    assert (again.mass, again.name) == (b.mass, b.name)
    for field in ("inertia", "position", "rotation", "velocity", "angular_velocity"):
        assert getattr(again, field).tolist() == getattr(b, field).tolist()
    assert again.shape.edges.tolist() == b.shape.edges.tolist()


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": 0.0}, "'b': mass must be greater than 0"),
        ({"mass": -1.0}, "mass"),
        ({"mass": "1"}, "mass must be a number"),
        ({"mass": float("nan")}, "finite"),
        ({"inertia": (1.0, 1.0, 2.1)}, "exceed the sum"),
        ({"inertia": (0.0, 1.0, 1.0)}, "thin rod"),
        ({"inertia": (-1.0, 1.0, 1.0)}, "positive definite"),
        ({"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
        ({"inertia": [[1, 0], [0, 1]]}, "three principal moments"),
        ({"inertia": [[1, 0], [0]]}, "three principal moments"),
        ({"inertia": 1.0}, "three principal moments"),
        ({"inertia": (1.0, np.inf, 1.0)}, "finite"),
        ({"position": (0.0, 0.0)}, "position must have shape"),
        ({"position": (0.0, 0.0, np.nan)}, "position must be finite"),
        ({"rotation": np.diag([1, 1, -1])}, "rotation must be orthogonal"),
        ({"velocity": 3.0}, "velocity"),
        ({"angular_velocity": "fast"}, "angular_velocity"),
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"shape": "box"}, "Wireframe"),
    ],
)
def test_bad_numbers_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        body(**changes)


def test_flat_bodies_and_nearly_thin_rods_are_allowed() -> None:
    assert moments(body(inertia=(1.0, 1.0, 2.0))).tolist() == [1, 1, 2]
    assert moments(body(inertia=(0.333, 0.333, 0.6661))).tolist() == [0.333, 0.333, 0.6661]
    assert moments(body(inertia=(1e-9, 1.0, 1.0)))[0] == 1e-9


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fx.RigidBody.box(size=(1, 1, 1)), "exactly one of mass, density and material"),
        (lambda: fx.RigidBody.box(size=(1, 1, 1), mass=1, material=fx.steel), "exactly one"),
        (lambda: fx.RigidBody.box(size=(1, 1, 0), mass=1), "each edge of size must be greater"),
        (lambda: fx.RigidBody.box(size=(1, 1), mass=1), "size must have shape"),
        (lambda: fx.RigidBody.box(size=(1, 1, 1), material="steel"), "must be an Elastic"),  # type: ignore[arg-type]
        (lambda: fx.RigidBody.box(size=(1, 1, 1), density=-1, name="q"), "'q': density"),
        (lambda: fx.RigidBody.cylinder(radius=0, length=1, mass=1), "radius"),
        (lambda: fx.RigidBody.cylinder(radius=1, length=-1, mass=1), "length"),
        (lambda: fx.RigidBody.tube(outer_radius=1, inner_radius=1, length=1, mass=1), "inner_radius must be less than"),
        (lambda: fx.RigidBody.sphere(radius=np.nan, mass=1), "finite"),
        (lambda: fx.RigidBody.rod((1, 0, 0), (1, 0, 0), mass=1), "different points"),
        (lambda: fx.RigidBody.rod((1, 0, 0), (0, 0, 0)), "give mass, or section and material"),
        (lambda: fx.RigidBody.rod((1, 0, 0), (0, 0, 0), material=fx.steel), "give mass, or section and material"),
        (lambda: fx.RigidBody.rod((1, 0, 0), (0, 0, 0), section=fx.Circle(diameter=1)), "exactly one"),
        (lambda: fx.RigidBody.rod((1, 0, 0), (0, 0, 0), mass=1, up=(1, 0, 0)), "parallel"),
        (lambda: fx.RigidBody.rod((1, 0), (0, 0), mass=1), "start must have shape"),
        (fx.RigidBody.combined, "nothing"),
        (lambda: fx.RigidBody.combined(fx.ground), "expected rigid bodies"),  # type: ignore[arg-type]
        (lambda: fx.RigidBody.combined(body(velocity=(1, 0, 0))), "moves"),
        (lambda: body().with_spin((0, 0, 1), about=(1, 2)), "about must have shape"),
        (lambda: body().moved(rotation=2 * np.eye(3)), "orthogonal"),
        (lambda: fx.Wireframe([(0, 0, 0)], [(0, 1)]), "edge 0"),
        (lambda: fx.Wireframe([(0,)], []), "shape"),
        (lambda: fx.Wireframe([(0, 0, 0)], [(0, 0.5)]), "edge 0"),
    ],
)
def test_bad_solids_are_refused(make: Any, words: str) -> None:
    with pytest.raises(fx.ModelError, match=words):
        make()
