"""Forces between markers: the law they compile to, signs seen as motion, balance of power and energy."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.rotations import from_vector
from flexmbs.kernels.laws import CURVES, FRICTION, GIVEN, LINEAR, MATRIX, STOP, law, matrix_law
from flexmbs.kernels.rows.rows import ALONG, ANGLE, DISTANCE, VECTOR, row_gradient
from flexmbs.model.forces.row_force import RowForce, pack
from flexmbs.model.joints.lower_pairs import CylindricalJoint, PrismaticJoint, RevoluteJoint


class Poses:
    """Positions, orientations and twists of the two markers of a force."""

    def __init__(self, force: RowForce) -> None:
        self.p = np.array([force.a.position0(), force.b.position0()])
        self.R = np.array([force.a.rotation0(), force.b.rotation0()])
        self.twist = np.zeros((2, 6))

    def moved(self, twist: np.ndarray, t: float = 1.0) -> Poses:
        """The poses after following the twists (2, 6), held in marker axes, for a short while."""
        other = object.__new__(Poses)
        other.p = self.p + t * twist[:, :3]
        other.R = np.array([R @ from_vector(t * w) for R, w in zip(self.R, twist[:, 3:], strict=True)])
        other.twist = twist
        return other


def wrenches(force: RowForce, poses: Poses, t: float = 0.0) -> tuple[np.ndarray, float]:
    """What the force adds to the wrenches (2, 6) in the residual, and its energy."""
    n = len(force.rows)
    G, s, c = np.zeros((n, 12)), np.zeros(n), np.zeros((n, 12))
    for k, row in enumerate(force.rows):
        c[k, : len(row.constants)] = row.constants
        s[k] = row_gradient(row.kind, k, c, np.zeros(n), 0, 1, poses.p, poses.R, G, k)
    rate = G @ poses.twist.ravel()
    laws, where, data = pack([force])
    if force.law == MATRIX:
        F = np.zeros(n)
        energy = matrix_law(where[0], data, s, rate, F)
    else:
        given: Any = np.zeros((1, 4))
        if force.law == GIVEN:
            assert force.function is not None
            given[0] = force.function(s[0], rate[0], t)
        value, _, _, energy = law(laws[0], where[0], data, s[0], rate[0], t, given)
        F = np.array([value])
    return (F @ G).reshape(2, 6), energy


def body(name: str = "body", position: tuple[float, ...] = (0.3, 0.1, 0.2)) -> fx.RigidBody:
    return fx.RigidBody(mass=1.0, inertia=(1.0, 2.0, 2.5), position=position, rotation=None, name=name)


def hinge() -> RevoluteJoint:
    return RevoluteJoint(fx.ground, body(), at=(0, 0, 0), axis=(0, 1, 0), name="hinge")


def slider() -> PrismaticJoint:
    return PrismaticJoint(fx.ground, body(), at=(0, 0, 0), axis=(1, 0, 0), name="slider")


def shaft() -> CylindricalJoint:
    return CylindricalJoint(fx.ground, body(), at=(0, 0, 0), axis=(0, 0, 1), name="shaft")


def pair(a: fx.RigidBody, b: fx.RigidBody) -> tuple[Any, Any]:
    return a.marker((0.1, -0.2, 0.05), axis=(0.2, 0.1, 1.0)), b.marker((0.3, 0.2, -0.1), axis=(0.1, 0.2, 1.0))


def two() -> tuple[Any, Any]:
    return pair(body("a", (0.0, 0.0, 0.0)), body("b", (0.5, 0.4, 0.3)))


STIFF = np.diag([3.0, 2.0, 4.0, 0.5, 0.7, 0.9])
STIFF[0, 4] = STIFF[4, 0] = 0.6
FORCES: dict[str, Any] = {
    "spring": lambda: fx.SpringDamper(*two(), stiffness=7.0, damping=0.4, free_length=0.3, preload=0.2),
    "hardening spring": lambda: fx.SpringDamper(*two(), stiffness=(7.0, 0.0, 30.0), damping=0.4),
    "spring by a table": lambda: fx.SpringDamper(
        *two(), stiffness=fx.ForceCurve((-0.5, 0.0, 0.5), (-2.0, 0.0, 4.0)), damping=(0.3, 0.1)
    ),
    "torsion spring": lambda: fx.TorsionSpring(two(), stiffness=3.0, damping=0.2, free_angle=-0.4),
    "bushing": lambda: fx.Bushing(*two(), stiffness=STIFF, damping=0.1 * STIFF, preload=(0.1, 0, 0, 0, 0, 0.2)),
    "stop": lambda: fx.JointStop(two(), upper=0.2, stiffness=40.0, damping=0.3, coordinate="distance"),
}


@pytest.mark.parametrize("name", FORCES)
def test_power_is_the_change_of_the_energy_and_what_the_damper_takes(name: str) -> None:
    """At zero damping power, W . twist = dV/dt; with it W . twist - dV/dt >= 0."""
    (force,) = FORCES[name]().row_forces
    rng = np.random.default_rng(3)
    place = Poses(force).moved(0.2 * rng.normal(size=(2, 6)))
    loss = []
    for size in (1.0, 1e-4):
        twist = size * rng.normal(size=(2, 6))
        h = 1e-5 / size
        W, _ = wrenches(force, place.moved(twist, 0.0))
        gain = (wrenches(force, place.moved(twist, h))[1] - wrenches(force, place.moved(twist, -h))[1]) / (2 * h)
        loss.append((float(np.sum(W * twist)) - gain) / size)
    assert loss[0] > 0.0
    assert loss[1] == pytest.approx(0.0, abs=1e-3 * max(1.0, loss[0]))


@pytest.mark.parametrize("name", FORCES)
def test_forces_between_bodies_balance(name: str) -> None:
    (force,) = FORCES[name]().row_forces
    rng = np.random.default_rng(4)
    place = Poses(force).moved(0.2 * rng.normal(size=(2, 6)))
    W, _ = wrenches(force, place)
    moments = sum(np.cross(p, w[:3]) + R @ w[3:] for p, R, w in zip(place.p, place.R, W, strict=True))
    assert np.abs(W).max() > 1e-3
    assert W[0, :3] + W[1, :3] == pytest.approx(np.zeros(3), abs=1e-12)
    assert moments == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_stretched_spring_pulls_its_ends_together() -> None:
    a, b = fx.ground.marker((0, 0, 0)), body(position=(2.0, 0.0, 0.0)).marker((0, 0, 0))
    spring = fx.SpringDamper(a, b, stiffness=10.0, free_length=1.5, preload=1.0)
    W, energy = wrenches(spring.row_forces[0], Poses(spring.row_forces[0]))
    assert -W[0] == pytest.approx([6.0, 0, 0, 0, 0, 0])
    assert -W[1] == pytest.approx([-6.0, 0, 0, 0, 0, 0])
    assert energy == pytest.approx(10.0 * 0.5**2 / 2 + 0.5)
    assert fx.SpringDamper(a, b, stiffness=1.0).free_length == pytest.approx(2.0)


def test_a_user_spring_is_a_tension() -> None:
    a, b = fx.ground.marker((0, 0, 0)), body(position=(2.0, 0.0, 0.0)).marker((0, 0, 0))
    (force,) = fx.SpringDamper(a, b, force=lambda length, rate, t: 3.0 * length * t).row_forces
    assert force.law == GIVEN
    W, _ = wrenches(force, Poses(force), t=0.5)
    assert -W[1, 0] == pytest.approx(-3.0)


def test_motors_drive_the_second_side_forward() -> None:
    for joint, axis, component in ((hinge(), 2, slice(3, 6)), (slider(), 0, slice(0, 3))):
        for load in (4.0, lambda x, rate, t: 4.0):
            (force,) = fx.JointForce(joint, load).row_forces
            W, energy = wrenches(force, Poses(force))
            assert np.delete(-W[1, component], axis) == pytest.approx(np.zeros(2), abs=1e-12)
            assert -W[1, component][axis] == pytest.approx(4.0)
    assert force.function is not None
    assert force.function(0.0, 0.0, 0.0)[3] == energy == 0.0


def test_what_forces_compile_to() -> None:
    joint = hinge()
    spring = fx.TorsionSpring(joint, stiffness=3.0, damping=0.5).row_forces[0]
    assert (spring.law, spring.data, spring.rows[0].kind) == (LINEAR, (3.0, 0.0, 0.5, 0.0), ANGLE)
    assert (spring.a, spring.b) == joint.markers
    assert fx.TorsionSpring(joint, stiffness=(1.0, 0.0, 2.0), free_angle=0.3).row_forces[0].law == CURVES
    stop = fx.JointStop(slider(), lower=-0.2, stiffness=5.0).row_forces[0]
    assert (stop.law, stop.data, stop.rows[0].kind) == (STOP, (5.0, 1.5, 0.0, -0.2, math.inf), ALONG)
    friction = fx.CoulombFriction(joint, 0.2, load=50.0, speed=0.01, radius=0.03, static=0.3, viscous=0.1).row_forces[0]
    assert friction.law == FRICTION
    assert friction.data == pytest.approx((0.3, 0.45, 0.1, 0.01, 0.1))
    assert fx.JointForce(shaft(), 1.0, coordinate="displacement").row_forces[0].rows[0].kind == ALONG
    assert fx.JointForce(two(), 1.0, coordinate="distance").row_forces[0].rows[0].kind == DISTANCE
    bushing = fx.Bushing(*two(), stiffness=STIFF).row_forces[0]
    assert bushing.law == MATRIX
    assert [row.kind for row in bushing.rows] == [ALONG] * 3 + [VECTOR] * 3
    W, energy = wrenches(bushing, Poses(bushing))
    assert (np.abs(W).max(), energy) == pytest.approx((0.0, 0.0), abs=1e-14)


def test_bushings_in_the_plane() -> None:
    plate = fx.PlanarRigidBody(1.0, 0.1, position=(1.0, 2.0), angle=0.2, name="plate")
    full = fx.Bushing(fx.ground, plate, stiffness=(5.0, 6.0, 0.5), at=(1.0, 2.0), free_coordinates=(0.1, 0.0, -0.3))
    (force,) = full.row_forces
    assert [row.kind for row in force.rows] == [ALONG, ALONG, ANGLE]
    W, energy = wrenches(force, Poses(force))
    assert -W[1] == pytest.approx([0.5, 0, 0, 0, 0, -0.15])
    assert energy == pytest.approx(0.5 * 5 * 0.01 + 0.5 * 0.5 * 0.09)
    ball = fx.PointMass(1.0, position=(1.0, 2.0), name="ball")
    assert len(fx.Bushing(fx.ground, ball, stiffness=(5.0, 6.0), at=(1.0, 2.0)).row_forces[0].rows) == 2
    with pytest.raises(fx.ModelError, match="translations only"):
        fx.Bushing(fx.ground, ball, stiffness=(5.0, 6.0, 1.0), at=(1.0, 2.0))
    with pytest.raises(fx.ModelError, match="make it the second side"):
        fx.Bushing(ball, plate, stiffness=(5.0, 6.0), at=(1.0, 2.0))
    with pytest.raises(fx.ModelError, match="normal to the plane"):
        fx.Bushing(fx.ground.marker((0, 0, 0), axis=(1, 0, 0)), plate.centre, stiffness=(5.0, 6.0))


def plate() -> fx.PlanarRigidBody:
    return fx.PlanarRigidBody(1.0, 0.1, position=(1.0, 2.0), name="plate")


ROTOR_FIRST: list[tuple[Any, dict[str, Any]]] = [
    (body, {"stiffness": (5.0, 5.0, 6.0)}),
    (body, {"stiffness": (9.0, 5.0, 6.0, 0.0, 1.0, 1.0)}),
    (body, {"stiffness": (9.0, 5.0, 5.0, 0.0, 1.0, 1.5)}),
    (body, {"stiffness": (5.0, 5.0, 5.0), "damping": (0.1, 0.0, 0.0)}),
    (body, {"stiffness": (9.0, 5.0, 5.0, 0.0, 1.0, 1.0), "preload": (0.0, 0.3, 0.0, 0.0, 0.0, 0.0)}),
    (plate, {"stiffness": (5.0, 6.0)}),
    (plate, {"stiffness": (5.0, 6.0, 0.0)}),
]


@pytest.mark.parametrize(("make", "numbers"), ROTOR_FIRST)
def test_unlike_stiffness_that_turns_with_a_body_is_said(make: Any, numbers: dict[str, Any]) -> None:
    """What is fixed in space is written with the ground first, which says nothing."""
    moving = make()
    with pytest.warns(fx.AxesWarning, match=r"turn with it .* Bushing\(ground, body\)"):
        fx.Bushing(
            moving.centre, fx.ground.marker_at(moving.centre.position0()[: 2 if make is plate else 3]), **numbers
        )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("make", "numbers"), ROTOR_FIRST)
def test_axes_fixed_in_space_and_equal_stiffness_are_silent(make: Any, numbers: dict[str, Any]) -> None:
    moving = make()
    ground = fx.ground.marker_at(moving.centre.position0()[: 2 if make is plate else 3])
    fx.Bushing(ground, moving.centre, **numbers)
    held = np.ones(3 if make is plate else 6)
    held[:2] = 5.0, 6.0
    fx.Bushing(moving.centre, ground, stiffness=held)  # cannot turn
    fx.Bushing(moving.centre, ground, stiffness=(5.0, 5.0) if make is plate else (9.0, 5.0, 5.0, 0.0, 1.0, 1.0))


def test_unlike_stiffness_turns_with_the_first_side() -> None:
    """What is warned of: at a quarter turn of the first side the softer direction is the other one."""
    for first, soft in (("ground", 5.0), ("body", 20.0)):
        moving = body(position=(0.0, 0.0, 0.0))
        sides = (fx.ground.marker((0, 0, 0)), moving.centre)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fx.AxesWarning)
            bushing = fx.Bushing(*(sides if first == "ground" else sides[::-1]), stiffness=(5.0, 20.0, 20.0))
        poses, i = Poses(bushing.row_forces[0]), 1 if first == "ground" else 0
        poses.R[i] = from_vector(np.array([0.0, 0.0, 0.5 * np.pi]))
        poses.p[i] = (0.1, 0.0, 0.0)
        assert wrenches(bushing.row_forces[0], poses)[0][i, 0] == pytest.approx(0.1 * soft)


def wall() -> Any:
    return fx.ground.marker((0, 0, 0))


def ball() -> fx.PointMass:
    return fx.PointMass(1.0, position=(1.0, 2.0, 0.0), name="ball")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.SpringDamper(wall(), ball()), "give stiffness"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=-1.0), "at least 0"),
        (lambda: fx.SpringDamper(wall(), wall(), stiffness=1.0), "both sides are on ground"),
        (lambda: fx.SpringDamper(ball(), ball(), stiffness=1.0), "same place"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=-1.0), r"\[force/length\]"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=()), "at least one coefficient"),
        (lambda: fx.Bushing(wall(), wall(), stiffness=STIFF), "both sides are on ground"),
        (lambda: fx.JointForce(wall(), wall(), 1.0, coordinate="angle"), "both sides are on ground"),
        (lambda: fx.SpringDamper(wall(), "ball", stiffness=1.0), "expected a body, a marker"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=1.0, force=lambda s, u, t: 0.0), "not both"),
        (lambda: fx.SpringDamper(wall(), ball(), free_length=1.0, force=lambda s, u, t: 0.0), "not both"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=1.0, derivatives=lambda s, u, t: (0, 0)), "there is none"),
        (lambda: fx.SpringDamper(wall(), ball(), damping=fx.ForceCurve((-1, 1), (0, 1))), "zero at rate zero"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=(1.0, math.nan)), "finite"),
        (lambda: fx.SpringDamper(wall(), ball(), force=3.0), "must be a function"),
        (lambda: fx.SpringDamper(wall(), ball(), stiffness=1.0, name=""), "name must be a non-empty string"),
        (lambda: fx.TorsionSpring(slider(), stiffness=1.0), "no coordinate of joint 'slider' named 'angle'"),
        (lambda: fx.TorsionSpring((wall(), ball()), stiffness=1.0), "no orientation"),
        (lambda: fx.TorsionSpring(wall(), stiffness=1.0), "expected a joint"),
        (lambda: fx.TorsionSpring(RevoluteJoint, stiffness=1.0), "expected a joint"),
        (lambda: fx.JointForce(shaft(), 1.0), "angle, displacement; say which"),
        (lambda: fx.JointForce(hinge(), 1.0, coordinate="displacement"), "did you mean|Known: 'angle'"),
        (lambda: fx.JointForce((wall(), ball()), 1.0), "between two markers coordinate must be"),
        (lambda: fx.JointForce(hinge(), "much"), "force must be a number"),
        (lambda: fx.JointForce(hinge(), 1.0, derivatives=lambda s, u, t: (0, 0)), "the force is a number"),
        (lambda: fx.JointStop(hinge(), stiffness=1.0), "give lower, upper"),
        (lambda: fx.JointStop(hinge(), lower=1.0, upper=0.5, stiffness=1.0), "lower must be less than upper"),
        (lambda: fx.JointStop(hinge(), lower=1.0), "greater than 0"),
        (lambda: fx.JointStop(hinge(), lower=1.0, stiffness=1.0, exponent=0.5), "at least 1"),
        (lambda: fx.CoulombFriction(hinge(), 0.2, 10.0, speed=0.0), "greater than 0"),
        (lambda: fx.CoulombFriction(hinge(), 0.2, 10.0, speed=0.1, static=0.1), "at least 0.2"),
        (lambda: fx.CoulombFriction(slider(), 0.2, 10.0, speed=0.1, radius=0.5), "leave it out"),
        (lambda: fx.Bushing(*two(), stiffness=(1.0, 2.0)), "must have 6 components"),
        (lambda: fx.Bushing(*two(), stiffness=5.0), "must have 6 components"),
        (lambda: fx.Bushing(*two(), stiffness=-STIFF), "not negative"),
        (lambda: fx.Bushing(*two(), stiffness=STIFF + np.eye(6, k=1)), "symmetric"),
        (lambda: fx.Bushing(*two(), stiffness=STIFF, free_coordinates=(1.0,)), "shape"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()
