"""The description of a joint that slides along a cable."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.rows import INERTIAL, ORTHOGONAL
from flexmbs.meshes import Mesh
from flexmbs.model.joints.sliding import CablePoint, SlidingJoint


def cable(**changes: Any) -> fx.FlexibleBody:
    options: dict[str, Any] = {"elements": 4, "element": fx.elements.ANCFCable2D(), "name": "rope"} | changes
    return fx.FlexibleBody.line((1, 1), (4, 5), section=fx.Circle(diameter=0.01), material=fx.steel, **options)


def arc(elements: int, *, order: list[int] | None = None) -> fx.FlexibleBody:
    """A quarter of a circle of radius 2 about the origin, from (2, 0) to (0, 2), cells in any order."""
    angle = np.linspace(0, np.pi / 2, elements + 1)
    points = 2.0 * np.column_stack((np.cos(angle), np.sin(angle)))
    cells = np.stack((np.arange(elements), np.arange(1, elements + 1)), axis=1)[order or slice(None)]
    mesh = Mesh(points, (("line", cells),), point_data={"tangent": points[:, ::-1] * [-0.5, 0.5]})
    return fx.FlexibleBody(mesh, fx.elements.ANCFCable2D(), fx.Circle(diameter=0.01), fx.steel, name="arc")


def test_place_on_a_straight_cable_is_the_distance_from_its_start() -> None:
    for share in (0.0, 0.1, 0.5, 0.77, 1.0):
        marker = CablePoint(cable(), (1 + 3 * share, 1 + 4 * share))
        assert marker.place.value == pytest.approx(5 * share, abs=1e-12)
        assert marker.place.mass == 0.0
        np.testing.assert_allclose(marker.position0(), (1 + 3 * share, 1 + 4 * share, 0), atol=1e-12)
        np.testing.assert_allclose(marker.rotation0(), [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]], atol=1e-14)


@pytest.mark.parametrize("order", [None, [2, 0, 3, 1, 7, 5, 6, 4]])
def test_place_on_a_circle_is_its_arc_length(order: list[int] | None) -> None:
    """Up to the interpolation error of 8 elements, 1e-6 in place and 1e-4 in slope; the order of cells is free."""
    t = 0.6
    marker = CablePoint(arc(8, order=order), (2 * np.cos(t), 2 * np.sin(t)))
    assert marker.place.value == pytest.approx(2 * t, abs=1e-5)
    assert marker.start[-1] == pytest.approx(np.pi, abs=1e-5)
    assert marker.nodes.tolist() == list(range(9))
    np.testing.assert_allclose(marker.rotation0()[:2, 0], (-np.sin(t), np.cos(t)), atol=1e-4)


def test_joint_takes_what_it_joins() -> None:
    ball = fx.PointMass(1.0, position=(2.5, 3.0), name="ball")
    joint = SlidingJoint(cable(), ball, speed=0.25, name="bead")
    assert joint.a.place.value == pytest.approx(2.5)
    assert joint.extra[0].rate == 0.25
    assert joint.extra[0].name == "place of 'bead' on the cable"
    (pair,) = joint.pairs
    assert (pair.a, pair.b) == (joint.a, joint.b)
    assert [(r.kind, r.constants, r.equation) for r in pair.rows] == [
        (INERTIAL, (1, 0, 0), 0), (INERTIAL, (0, 1, 0), 1), (INERTIAL, (0, 0, 1), 2)
    ]  # fmt: skip
    assert [(e.label, e.level, e.motion, e.offset) for e in joint.equations] == [(k, 0, None, 0.0) for k in "xyz"]


@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_rows_of_a_sleeve_hold_at_the_start(turned: float) -> None:
    """For a marker of any angle in the plane; a further turn by 0.1 breaks the first row by sin 0.1."""
    body = fx.PlanarRigidBody(1.0, 1.0, position=(2.5, 3.0), angle=0.4)
    joint = SlidingJoint(
        cable(), body.marker((0, 0), axis=(0, 0, 1), x=(np.cos(turned), np.sin(turned), 0)), sleeve=True
    )
    rows = [r for r in joint.pairs[0].rows if r.kind == ORTHOGONAL]
    assert [e.label for e in joint.equations[3:]] == ["rotation about z", "rotation about x", "rotation about y"]
    C = joint.a.rotation0().T @ joint.b.rotation0()
    more = np.array([[np.cos(0.1), -np.sin(0.1), 0], [np.sin(0.1), np.cos(0.1), 0], [0, 0, 1]])
    for row in rows:
        a, b = np.array(row.constants[:3]), np.array(row.constants[3:])
        assert a @ C @ b == pytest.approx(0.0, abs=1e-14)
        assert abs(a @ C @ more @ b) == pytest.approx(np.sin(0.1) if row.equation == 3 else 0.0, abs=1e-14)


def test_a_rigid_body_needs_a_point_and_gets_the_axes_of_the_cable() -> None:
    body = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), angle=0.4)
    joint = SlidingJoint(cable(), body, at=(2.5, 3.0))
    np.testing.assert_allclose(joint.b.position0(), (2.5, 3.0, 0), atol=1e-14)
    np.testing.assert_allclose(joint.b.rotation0(), joint.a.rotation0(), atol=1e-14)
    with pytest.raises(ModelError, match="the point on PlanarRigidBody 'planar rigid body' is missing"):
        SlidingJoint(cable(), body)


def closed() -> fx.FlexibleBody:
    angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    points = np.column_stack((np.cos(angle), np.sin(angle)))
    cells = np.stack((np.arange(12), (np.arange(12) + 1) % 12), axis=1)
    return fx.FlexibleBody(
        Mesh(points, (("line", cells),)), fx.elements.ANCFCable2D(), fx.Circle(diameter=0.01), fx.steel, name="ring"
    )


BALL = fx.PointMass(1.0, position=(2.5, 3.0), name="ball")
PIECES = fx.FlexibleBody(
    Mesh(np.array([[0.0, 0], [1, 0], [2, 0], [3, 0]]), (("line", np.array([[0, 1], [2, 3]])),)),
    fx.elements.ANCFCable2D(), fx.Circle(diameter=0.01), fx.steel, name="rail",
)  # fmt: skip
BAD = {
    "pieces": (
        lambda: SlidingJoint(PIECES, BALL),
        "'rail' is of 2 pieces, but a cable to slide along is one open line",
    ),
    "no cable": (lambda: SlidingJoint(BALL, BALL), "cable must be a FlexibleBody, not"),
    "linear beam": (
        lambda: SlidingJoint(cable(element=fx.elements.LinearBeam2D()), BALL),
        "made of planar beam elements, but only planar elements with positions and slopes",
    ),
    "closed": (lambda: SlidingJoint(closed(), BALL), "'ring' is closed, but a cable to slide along is one open line"),
    "beside": (
        lambda: SlidingJoint(cable(), fx.PointMass(1.0, position=(2.5 + 0.8, 3.0 - 0.6))),
        "is 1 away from the cable; the nearest point of its stress-free shape is (2.5, 3)",
    ),
    "above": (lambda: CablePoint(cable(), (2.5, 3.0, 0.5)), "is 0.5 away from the cable"),
    "before the start": (lambda: CablePoint(cable(), (0.4, 0.2)), "is 1 away from the cable; the nearest point of its"),
    "not a point": (lambda: CablePoint(cable(), (1, 2, 3, 4)), "at must have shape (3,) [length], not (4,)"),
    "speed": (lambda: CablePoint(cable(), (2.5, 3.0), speed=np.nan), "speed must be"),
    "sleeve on a point": (lambda: SlidingJoint(cable(), BALL, sleeve=True), "has no orientation, so it cannot turn"),
    "sleeve": (lambda: SlidingJoint(cable(), BALL, sleeve=1), "sleeve must be"),
    "name": (lambda: SlidingJoint(cable(), BALL, name=""), "name must be a non-empty string"),
    "side": (lambda: SlidingJoint(cable(), "ball"), "expected a body, a marker"),
}


@pytest.mark.parametrize("case", BAD)
def test_refused(case: str) -> None:
    make, message = BAD[case]
    with pytest.raises(ModelError, match=re.escape(message)):
        make()
