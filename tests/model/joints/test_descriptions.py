"""Joints in words: what they hold at the start, which motions they leave, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.meshes import line
from flexmbs.model.forces.coordinate import start_value

AT, AXIS = (0.4, -0.3, 0.8), (1.0, 2.0, -2.0)
TILT = Rotation.from_rotvec((0.2, 0.5, -1.0))


def box(name="box", position=(1.0, 2.0, 3.0)):
    return fx.RigidBody.box(size=(1, 1, 1), mass=1.0, position=position, rotation=TILT, name=name)


def flat(name="flat", position=(1.0, 2.0)):
    return fx.PlanarRigidBody(1.0, 0.1, position=position, angle=0.4, name=name)


def ball(position=(0.4, -0.3, 0.8)):
    return fx.PointMass(1.0, position=position, name="ball")


def rope():
    """A spatial cable along (3, 0, 4)."""
    stiffness = fx.BeamStiffness(
        EA=1e4, EI_z=1.0, EI_y=1.0, GJ=1.0, GA_y=1e4, GA_z=1e4, mass_per_length=1.0, rhoI_y=1e-5, rhoI_z=1e-5
    )
    return fx.FlexibleBody(line((0, 0, 0), (3, 0, 4), 2), fx.elements.ANCFCable3D(), stiffness=stiffness, name="rope")


def shell():
    return fx.FlexibleBody.plate(
        (1.0, 0.2), elements=(2, 1), element=fx.elements.ANCFShell(), section=fx.ShellSection(0.03), material=fx.steel,
        name="shell",
    )  # fmt: skip


def world_freedoms(J, markers):
    """Twists (velocity at the joint point, angular velocity; inertial axes) of the last marker that J allows."""
    _, s, V = np.linalg.svd(J[:, -6:])
    free = V[(s > 1e-9).sum() :]
    R = markers[-1].rotation0()
    return [np.concatenate((x[:3], R @ x[3:])) for x in free]


def spans(freedoms, expected):
    """Whether two lists of vectors span the same space."""
    both = [np.array(x, dtype=float).reshape(-1, 6) for x in (freedoms, expected)]
    ranks = [np.linalg.matrix_rank(x, tol=1e-9) for x in (*both, np.vstack(both))]
    return len(set(ranks)) == 1


SLIDE = np.array([*AXIS, 0, 0, 0])
TURN = np.array([0, 0, 0, *AXIS])
TURNS = np.eye(6)[3:]
SHIFTS = np.eye(6)[:3]
ACROSS = [np.array([2.0, -1.0, 0, 0, 0, 0]), np.array([2.0, 0.0, 1.0, 0, 0, 0])]  # normal to AXIS

LOWER_PAIRS = {
    "FixedJoint": [],
    "RevoluteJoint": [TURN],
    "PrismaticJoint": [SLIDE],
    "CylindricalJoint": [SLIDE, TURN],
    "SphericalJoint": [*TURNS],
    "PlanarJoint": [TURN, *ACROSS],
    "ParallelAxesConstraint": [TURN, *SHIFTS],
    "PointOnLineConstraint": [SLIDE, *TURNS],
    "PointOnPlaneConstraint": [*ACROSS, *TURNS],
}


def make(name, a, b, **more):
    if name not in ("FixedJoint", "SphericalJoint"):
        more.setdefault("axis", AXIS)
    return getattr(fx, name)(a, b, at=AT, **more)


@pytest.mark.parametrize("name", LOWER_PAIRS)
def test_lower_pairs_leave_the_motions_of_their_kind(name, start):
    joint = make(name, box("one", (0, 1, 0)), box("two"))
    violation, J, markers = start(joint)
    assert violation == pytest.approx(0.0, abs=1e-14)
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(joint.equations) == 6 - len(LOWER_PAIRS[name])
    assert spans(world_freedoms(J, markers), LOWER_PAIRS[name])
    assert markers[0].position0() == pytest.approx(AT)
    assert joint.name.endswith(" of one and two")
    assert len({e.label for e in joint.equations}) == len(joint.equations)


@pytest.mark.parametrize("name", LOWER_PAIRS)
def test_lower_pairs_are_not_violated_by_moving_both_sides_as_one(name, start):
    _, J, markers = start(make(name, box("one", (0, 1, 0)), box("two")))
    spin, shift = np.array([0.3, -1.2, 0.7]), np.array([1.0, 0.5, -2.0])
    twists = [np.concatenate((shift + np.cross(spin, m.position0()), m.rotation0().T @ spin)) for m in markers]
    assert J @ np.concatenate(twists) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", LOWER_PAIRS)
def test_two_markers_make_the_same_joint(name, start):
    one, two = box("one", (0, 1, 0)), box("two")
    axis = (0, 0, 1) if name in ("FixedJoint", "SphericalJoint") else AXIS
    joint = getattr(fx, name)(one.marker_at(AT, axis), two.marker_at(AT, axis))
    violation, J, markers = start(joint)
    assert violation == pytest.approx(0.0, abs=1e-14)
    assert spans(world_freedoms(J, markers), LOWER_PAIRS[name])


def test_a_body_gets_the_frame_of_the_marker_on_the_other_side():
    one, two = box("one", (0, 1, 0)), box("two")
    for joint in (
        fx.RevoluteJoint(one.marker_at(AT, AXIS), two),
        fx.RevoluteJoint(one, two.marker_at(AT, AXIS)),
    ):
        a, b = joint.markers
        assert b.position0() == pytest.approx(AT)
        assert a.rotation0() == pytest.approx(b.rotation0())
        assert a.rotation0()[:, 2] == pytest.approx(np.array(AXIS) / 3.0)


def test_labels_read_well():
    assert [e.label for e in make("PrismaticJoint", fx.ground, box()).equations] == [
        "position along x", "position along y", "rotation about x", "rotation about y", "rotation about z",
    ]  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, flat("crank"), at=(1, 2), name="hinge")
    assert hinge.name == "hinge"
    assert hinge.markers[0].rotation0()[:, 2].tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ["FixedJoint", "RevoluteJoint", "PrismaticJoint", "PlanarJoint"])
def test_rows_of_rotation_are_the_angles_about_the_axes_they_name(name, start):
    joint = make(name, fx.ground, box())
    J = start(joint)[1]
    for row, equation in zip(J, joint.equations, strict=True):
        if equation.label.startswith("rotation"):
            assert row[9:] == pytest.approx(np.eye(3)["xyz".index(equation.label[-1])], abs=1e-12)


def test_coordinates_begin_at_zero():
    for name in (
        "RevoluteJoint",
        "PrismaticJoint",
        "CylindricalJoint",
        "PlanarJoint",
        "ParallelAxesConstraint",
        "PointOnLineConstraint",
    ):
        joint = make(name, fx.ground, box())
        for pair in joint.coordinates.values():
            assert start_value(pair.a, pair.b, pair.rows[0]) == pytest.approx(0.0, abs=1e-14)
            assert len(pair.rows) == 1
            assert pair.a is joint.markers[0]
            assert pair.b is joint.markers[1]
    assert list(make("CylindricalJoint", fx.ground, box()).coordinates) == ["angle", "displacement"]
    assert not make("SphericalJoint", fx.ground, box()).coordinates


def test_nodes_and_points_say_themselves_where_they_are():
    joint = fx.SphericalJoint(box(), rope().end)
    assert joint.markers[0].position0() == pytest.approx((3, 0, 4))
    assert fx.SphericalJoint(ball(), box()).markers[1].position0() == pytest.approx(AT)


def test_a_cable_is_held_along_its_tangent(start):
    tangent = np.array((0.6, 0.0, 0.8))
    for name, freedoms in (("RevoluteJoint", 1), ("CylindricalJoint", 2)):
        for sides in ((fx.ground, rope().start), (rope().start, fx.ground)):
            joint = getattr(fx, name)(*sides, axis=tangent)
            violation, J, markers = start(joint)
            assert violation == pytest.approx(0.0, abs=1e-14)
            cable = markers.index(next(m for m in markers if not m.spin))
            spin = markers[cable].rotation0().T @ tangent
            assert J[:, 6 * cable + 3 : 6 * cable + 6] @ spin == pytest.approx(0.0, abs=1e-12)
            assert np.linalg.matrix_rank(J[:, 6 * cable : 6 * cable + 6], tol=1e-9) == 6 - freedoms
            assert "angle" not in joint.coordinates


CANNOT = {
    "fixed shell": (
        lambda: fx.FixedJoint(fx.ground, shell().node(0)),
        r"is on a shear shell, whose spin about its director .*axis along its director \(0, 0, 1\)",
    ),
    "fixed cable": (lambda: fx.FixedJoint(fx.ground, rope().end), "spin about its tangent.*axis along its tangent"),
    "hinge across a cable": (lambda: fx.RevoluteJoint(fx.ground, rope().end, axis=(0, 1, 0)), "0.6, 0, 0.8"),
    "slot on a cable": (lambda: fx.PointOnLineConstraint(rope().end, box(), axis=(0, 1, 0)), "no meaning"),
    "hinge of a point": (lambda: make("RevoluteJoint", fx.ground, ball()), "'ball' has no orientation.*Spherical"),
    "fixed point": (lambda: fx.FixedJoint(fx.ground, ball()), "no orientation"),
    "slot on a point": (lambda: make("PointOnLineConstraint", ball(), box()), "side b of PointOnLineConstraint"),
    "same body": (lambda: make("SphericalJoint", *2 * [box()]), "both sides are on .*'box'"),
    "ground alone": (lambda: make("RevoluteJoint", fx.ground, fx.ground), "both sides are on ground"),
    "same node": (lambda: (lambda e: fx.SphericalJoint(e, e))(rope().end), "node 2 of 'rope'"),
    "same marker": (lambda: (lambda m: fx.RevoluteJoint(m, m))(box().marker((0, 0, 0))), "both sides"),
    "no axis": (lambda: fx.RevoluteJoint(fx.ground, box(), at=AT), "axis is missing"),
    "no axis in the plane": (lambda: fx.PrismaticJoint(fx.ground, flat(), at=(0, 0)), "axis is missing"),
    "zero axis": (lambda: fx.RevoluteJoint(fx.ground, box(), at=AT, axis=(0, 0, 0)), "zero vector"),
    "bad axis": (lambda: fx.RevoluteJoint(fx.ground, box(), at=AT, axis="z"), "axis must be a vector of 3 components"),
    "no point": (lambda: fx.RevoluteJoint(fx.ground, box(), axis=AXIS), "give at="),
    "two components in space": (lambda: fx.RevoluteJoint(fx.ground, box(), at=(0, 0), axis=AXIS), r"shape \(3"),
    "infinite": (lambda: fx.RevoluteJoint(fx.ground, box(), at=(0, 0, np.inf), axis=AXIS), "finite"),
    "off the node": (lambda: fx.SphericalJoint(fx.ground, rope().end, at=(1, 1, 1)), "away from"),
    "no side": (lambda: fx.SphericalJoint("ground", box(), at=AT), "expected a body"),
    "flexible body": (lambda: fx.SphericalJoint(fx.ground, rope(), at=AT), "name the place on it"),
    "many nodes": (lambda: fx.SphericalJoint(fx.ground, fx.Attachment(rope(), (0, 1), "two")), "one node"),
    "marker and at": (lambda: fx.RevoluteJoint(box().marker((0, 0, 0)), fx.ground, at=AT), "not used with a marker"),
    "opposite axes": (
        lambda: fx.RevoluteJoint(box("one").marker_at(AT, (0, 0, 1)), box("two").marker_at(AT, (0, 0, -1))), "opposite",
    ),
    "turned frames": (
        lambda: fx.FixedJoint(
            box("one").marker_at(AT, (0, 0, 1), x=(1, 0, 0)), box("two").marker_at(AT, (0, 0, 1), x=(-1, 1, 0))
        ),
        "135 degrees",
    ),
    "no name": (lambda: fx.SphericalJoint(fx.ground, box(), at=AT, name=" "), "name must be a non-empty string"),
    "distance zero": (lambda: fx.DistanceConstraint(fx.ground.marker(AT), ball()), "same place"),
    "negative length": (
        lambda: fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball(), length=-1.0), "greater than 0"
    ),
    "distance of a body": (lambda: fx.DistanceConstraint(fx.ground, ball()), "the point on ground is missing"),
    "oblique cross": (
        lambda: fx.UniversalJoint(fx.ground, box(), at=AT, axes=((1, 0, 0), (1, 1, 0))), "perpendicular.*45 degrees",
    ),
    "one axis of a cross": (lambda: fx.UniversalJoint(fx.ground, box(), at=AT, axes=((1, 0, 0),)), "two directions"),
    "no axes of a cross": (lambda: fx.UniversalJoint(fx.ground, box(), at=AT), "two directions"),
    "cross of marker and body": (lambda: fx.UniversalJoint(box("one").marker(AT), box()), "two markers"),
    "gear on a slider": (lambda: fx.Gear(*2 * [make("PrismaticJoint", fx.ground, box())], ratio=2.0), "angle"),
    "gear with itself": (lambda: fx.Gear(*2 * [make("RevoluteJoint", fx.ground, box())], ratio=2.0), "are the same"),
    "ratio zero": (
        lambda: fx.Gear(make("RevoluteJoint", fx.ground, box("a")), make("RevoluteJoint", fx.ground, box("b")), 0.0),
        "must not be zero",
    ),
    "pitch zero": (lambda: fx.ScrewJoint(fx.ground, box(), 0.0, at=AT, axis=AXIS), "must not be zero"),
    "rack on a hinge": (
        lambda: fx.RackAndPinion(*2 * [make("RevoluteJoint", fx.ground, box())], radius=1.0), "displacement",
    ),
    "no motion": (lambda: fx.RotationDriver(make("RevoluteJoint", fx.ground, box())), "not neither"),
    "two motions": (lambda: fx.RotationDriver(make("RevoluteJoint", fx.ground, box()), 1.0, 2.0), "not both"),
    "motion in words": (
        lambda: fx.RotationDriver(make("RevoluteJoint", fx.ground, box()), "fast"), "a function of time"
    ),
    "driven ball": (lambda: fx.RotationDriver(make("SphericalJoint", fx.ground, box()), 1.0), "angle"),
    "driven slot": (lambda: fx.TranslationDriver(make("RevoluteJoint", fx.ground, box()), 1.0), "displacement"),
    "driven nothing": (lambda: fx.RotationDriver(3, 1.0), "expected a joint"),
    "driven distance zero": (lambda: fx.DistanceDriver(fx.ground.marker(AT), ball(), 1.0), "same place"),
    "flat disk": (lambda: fx.RollingDisk(fx.ground, box(), radius=1.0, axis=(0, 0, 1)), "lies flat"),
    "disk without axis": (lambda: fx.RollingDisk(fx.ground, box(), radius=1.0), "axis is missing"),
    "disk without radius": (lambda: fx.RollingDisk(fx.ground, box(), radius=0.0, axis=(0, 1, 0)), "greater than 0"),
    "rolling point": (lambda: fx.RollingBall(fx.ground, ball(), radius=1.0), "no orientation"),
    "rolling on a marker": (
        lambda: fx.RollingDisk(fx.ground.marker(AT), box(), radius=1.0, axis=(0, 1, 0)), "two bodies, or two markers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CANNOT)
def test_what_cannot_be_is_refused_in_words(case):
    build, words = CANNOT[case]
    with pytest.raises(ModelError, match=words):
        build()


def test_universal_holds_a_point_and_a_right_angle(start):
    violation, J, markers = start(fx.UniversalJoint(fx.ground, box(), at=AT, axes=((0, 1, 0), (1, 0, 1))))
    assert violation == pytest.approx(0.0, abs=1e-14)
    expected = [[0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1]]
    assert spans(world_freedoms(J, markers), expected)


def test_distance_by_default_is_that_at_the_start(start):
    rod = fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball((3, 0, 4)))
    assert rod.length == 5.0
    violation, J, _ = start(rod)
    assert violation == pytest.approx(0.0)
    assert J[0, 6:9] == pytest.approx((0.6, 0.0, 0.8))
    assert fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball((3, 0, 4)), length=4.5).equations[0].offset == 4.5


def test_couplings_hold_what_is_at_the_start(start):
    one, two = box("one"), box("two")
    turned = (fx.ground.marker_at(AT, (0, 0, 1)), two.marker_at(AT, (0, 0, 1), x=(np.cos(0.7), np.sin(0.7), 0)))
    gear = fx.Gear(make("RevoluteJoint", fx.ground, one), turned, ratio=-2.0)
    assert gear.equations[0].offset == pytest.approx(0.7)
    for joint in (
        gear,
        fx.RackAndPinion(make("RevoluteJoint", fx.ground, one), make("PrismaticJoint", fx.ground, two), radius=0.3),
        fx.ScrewJoint(fx.ground, one, 0.02, at=AT, axis=AXIS),
    ):
        assert start(joint)[0] == pytest.approx(0.0, abs=1e-14)
    _, J, markers = start(fx.ScrewJoint(fx.ground, one, 0.02, at=AT, axis=AXIS))
    assert spans(world_freedoms(J, markers), [0.02 / (2 * np.pi) * SLIDE + TURN])


def test_drivers_prescribe_position_or_rate():
    hinge = make("RevoluteJoint", fx.ground, box("wheel"))
    motion = fx.motions.Sine(0.1, frequency=2.0)
    by_angle, by_rate = fx.RotationDriver(hinge, motion), fx.RotationDriver(hinge, rate=3.0, name="motor")
    assert (by_angle.equations[0].level, by_angle.equations[0].motion) == (0, motion)
    assert by_rate.equations[0].level == 1
    assert by_rate.equations[0].motion.at(5.0)[1:] == (3.0, 0.0)
    assert by_rate.equations[0].label == "rate of angle"


def test_wheels_touch_the_plane_at_the_start(start):
    wheel = fx.RigidBody(1.0, (1, 2, 1), position=(1, 2, 3), name="wheel")
    for joint in (
        fx.RollingDisk(fx.ground, wheel, radius=0.5, axis=(0.3, 1, 0.4)),
        fx.RollingDisk(box("tray"), wheel, radius=0.5, axis=(0.3, 1, 0.4), normal=(0.2, 0, 1)),
        fx.RollingBall(fx.ground, wheel, radius=0.5, normal=(1, 0, 1)),
        fx.RollingDisk(fx.ground, flat(), radius=0.5, normal=(1, 1)),
    ):
        violation, J, _ = start(joint)
        assert violation == pytest.approx(0.0, abs=1e-12)
        assert [e.level for e in joint.equations] == [0, 1, 1]
        assert np.linalg.matrix_rank(J[:, 6:]) == 3
    assert len(fx.RollingBall(fx.ground, wheel, radius=0.5, sliding=True).equations) == 1
