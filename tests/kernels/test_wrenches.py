"""Forces and moments on single markers, and by functions of the user's: values by hand, derivatives by differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.rotations import from_vector
from flexmbs.kernels.wrenches import wrench_force, wrench_stiffness, wrench_value
from flexmbs.model.forces.wrench import Wrench, wrench_group

SCALE = np.array([0.0, 1.7])


def body() -> fx.RigidBody:
    return fx.RigidBody(mass=1.0, inertia=(1.0, 2.0, 2.5), position=(0.3, 0.1, 0.2), name="body")


def plate() -> fx.PlanarRigidBody:
    return fx.PlanarRigidBody(1.0, 0.1, position=(1.0, 2.0), name="plate")


def ball() -> fx.PointMass:
    return fx.PointMass(1.0, position=(1.0, 2.0), name="ball")


def cable() -> fx.FlexibleBody:
    return fx.FlexibleBody.line(
        (0, 0, 0),
        (1, 0, 0),
        elements=2,
        element=fx.elements.ANCFCable3D(),
        section=fx.Circle(diameter=0.01),
        material=fx.steel,
    )


def value(wrench: Wrench, R: np.ndarray) -> np.ndarray:
    """What a wrench adds on the second of two markers of orientation R."""
    W = np.zeros((2, 6))
    wrench_value(0, wrench_group([wrench], [1], [1]), np.array([np.eye(3), R]), SCALE, W)
    assert not W[0].any()
    return W[1]


@pytest.mark.parametrize("follower", [False, True])
@pytest.mark.parametrize(("force", "moment"), [((1.0, -2.0, 0.5), (0, 0, 0)), ((0, 0, 0), (0.3, 2.0, -1.0))])
def test_stiffness_of_wrenches(follower: bool, force: Any, moment: Any) -> None:
    wrench = Wrench(body().centre, force, moment, follower)
    R, h = from_vector((0.4, -0.7, 1.1)), 1e-6
    expected = np.zeros((6, 6))
    for k in range(3):
        turn = np.zeros(3)
        turn[k] = h
        expected[:, 3 + k] = (value(wrench, R @ from_vector(turn)) - value(wrench, R @ from_vector(-turn))) / (2 * h)
    X = np.full((64, 12), 7.0)
    some = wrench_stiffness(0, wrench_group([wrench], [0], [1]), R[None].copy(), SCALE, X)
    assert some == bool(np.abs(expected).max() > 1e-9)
    assert X[:6, :6].ravel() == pytest.approx(expected.ravel(), abs=1e-8)


def test_values_of_wrenches() -> None:
    R = from_vector((0.0, 0.0, math.pi / 2))  # x of the marker is the inertial y
    at = body().centre
    assert value(Wrench(at, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), R) == pytest.approx(
        -1.7 * np.array([1.0, 2.0, 3.0, 5.0, -4.0, 6.0])
    )
    assert value(Wrench(at, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), True), R) == pytest.approx(
        -1.7 * np.array([-2.0, 1.0, 3.0, 4.0, 5.0, 6.0])
    )
    W = np.zeros((2, 6))
    group = wrench_group([Wrench(at, force=(1.0, 0, 0)), Wrench(at, force=(0, 2.0, 0))], [1, 1], [1, 0])
    assert wrench_force(group, np.array([np.eye(3)] * 2), SCALE, W) == -1
    assert W[1] == pytest.approx([-1.7, 0, 0, 0, 0, 0])
    assert wrench_force(wrench_group([], [], []), np.zeros((0, 3, 3)), SCALE, W) == -1


def test_forces_and_moments_on_markers() -> None:
    at = body().marker((0.1, 0, 0))
    force = fx.PointForce(at, (1, 2, 3), follower=True)
    (wrench,) = force.wrenches
    assert (wrench.marker, wrench.force, wrench.moment, wrench.follower) == (at, (1.0, 2.0, 3.0), (0.0,) * 3, True)
    assert wrench.markers == (at,)
    assert force.targets == (at.body,)
    (wrench,) = fx.Moment(at, (1, 2, 3)).wrenches
    assert (wrench.force, wrench.moment, wrench.follower) == ((0.0,) * 3, (1.0, 2.0, 3.0), False)
    assert fx.PointForce(ball(), (1, 2)).wrenches[0].force == (1.0, 2.0, 0.0)
    assert fx.PointForce(plate().centre, (1, 2, 0)).wrenches[0].force == (1.0, 2.0, 0.0)
    assert fx.Moment(plate().centre, 3).wrenches[0].moment == (0.0, 0.0, 3.0)
    tip = fx.PointForce(cable().end, (1, 2, 3))
    assert tip.wrenches == ()
    assert fx.Moment(cable().end, (1, 2, 3)).wrenches == ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.PointForce(fx.ground.marker((0, 0, 0)), (1, 0, 0)), "does nothing"),
        (lambda: fx.PointForce(body(), (1, 0, 0)), "point on .* is missing"),
        (lambda: fx.PointForce(body().centre, (1, 0)), "shape"),
        (lambda: fx.PointForce(body().centre, (1, 0, math.nan)), "finite"),
        (lambda: fx.PointForce(plate().centre, (1, 0, 2)), "in the plane"),
        (lambda: fx.PointForce(plate().centre, 1.0), "shape"),
        (lambda: fx.PointForce(ball(), (1, 0), follower=True), "cannot follow"),
        (lambda: fx.PointForce("here", (1, 0)), "expected a place"),
        (lambda: fx.Moment(ball(), 1.0), "does nothing there"),
        (lambda: fx.Moment(plate().centre, (0, 0, 1.0)), "shape"),
        (lambda: fx.Moment(body().centre, 1.0), "shape"),
        (lambda: fx.Moment(cable().end, (1, 0, 0), follower=True), "cannot follow"),
        (lambda: fx.Moment(fx.Marker(cable(), node=0), (1, 0, 0)), "spin has no meaning"),
        (lambda: fx.Moment(fx.ground.marker((0, 0, 0)), (1, 0, 0)), "does nothing"),
    ],
)
def test_bad_places(make: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()


def drag(p: np.ndarray, R: np.ndarray, twist: np.ndarray, t: float) -> np.ndarray:
    """Something of everything: quadratic in the velocities, turning with the first marker, growing with time."""
    w = np.zeros((2, 6))
    w[0, :3] = -twist[0, :3] * np.linalg.norm(twist[0, :3]) + R[0] @ (1.0, 2.0, t)
    w[1, :3] = 3.0 * (p[0] - p[1])
    w[1, 3:] = -0.2 * twist[1, 3:] + R[1].T @ (0.0, 1.0, 0.0)
    return w


def drag_jacobian(p: np.ndarray, R: np.ndarray, twist: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    def skew(x: Any) -> np.ndarray:
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    X, Y = np.zeros((12, 12)), np.zeros((12, 12))
    X[0:3, 3:6] = -R[0] @ skew((1.0, 2.0, t))
    X[6:9, 0:3], X[6:9, 6:9] = 3.0 * np.eye(3), -3.0 * np.eye(3)
    X[9:12, 9:12] = skew(R[1].T @ (0.0, 1.0, 0.0))
    v, size = twist[0, :3], np.linalg.norm(twist[0, :3])
    Y[0:3, 0:3] = -size * np.eye(3) - np.outer(v, v) / size
    Y[9:12, 9:12] = -0.2 * np.eye(3)
    return X, Y


def place() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return (
        rng.normal(size=(2, 3)),
        np.array([from_vector(rng.normal(size=3)) for _ in range(2)]),
        rng.normal(size=(2, 6)),
    )


def test_user_forces_by_differences_and_with_their_jacobian() -> None:
    at = [body().centre, ball()]
    X, Y, W = np.ones((12, 12)), np.ones((12, 12)), np.ones((2, 6))
    expected = drag_jacobian(*place(), 0.7)
    for force in (fx.UserForce(at, drag), fx.UserForce(at, drag, drag_jacobian)):
        force.differentiate(*place(), 0.7, X, Y)
        assert pytest.approx(-expected[0], abs=1e-7) == X
        assert pytest.approx(-expected[1], abs=1e-7) == Y
        W[:] = 1.0
        force.evaluate(*place(), 0.7, W)
        assert pytest.approx(1.0 - drag(*place(), 0.7)) == W
    assert fx.UserForce(at, drag).report == "jacobian by central differences"
    assert force.report == "jacobian given"
    assert [m.body.name for m in force.markers] == ["body", "ball"]


def test_user_forces_cannot_change_the_state() -> None:
    def spoil(p: np.ndarray, R: np.ndarray, twist: np.ndarray, t: float) -> np.ndarray:
        p[:], R[:], twist[:] = 0.0, 0.0, 0.0
        return np.zeros((1, 6))

    given = place()
    fx.UserForce([ball()], spoil).evaluate(given[0][:1], given[1][:1], given[2][:1], 0.0, np.zeros((1, 6)))
    assert all(np.array_equal(a, b) for a, b in zip(given, place(), strict=True))


def call(function: Any, jacobian: Any = None) -> None:
    force = fx.UserForce([ball()], function, jacobian, name="wind")
    force.evaluate(np.zeros((1, 3)), np.eye(3)[None], np.zeros((1, 6)), 0.25, np.zeros((1, 6)))
    force.differentiate(np.zeros((1, 3)), np.eye(3)[None], np.zeros((1, 6)), 0.25, np.zeros((6, 6)), np.zeros((6, 6)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: call(lambda p, R, twist, t: np.zeros(6)), r"'wind': the value of the function at t = 0.25 must have"),
        (lambda: call(lambda p, R, twist, t: np.full((1, 6), np.nan)), r"at t = 0.25 must be finite"),
        (lambda: call(lambda p, R, twist, t: p[7]), r"function at t = 0.25 failed with IndexError"),
        (lambda: call(lambda p, R, twist, t: np.zeros((1, 6)), lambda p, R, twist, t: 0), "must be a pair of arrays"),
        (lambda: call(lambda *x: np.zeros((1, 6)), lambda *x: (np.zeros((6, 6)), np.zeros((5, 6)))), "second part"),
        (lambda: fx.UserForce([], drag), "at least one marker"),
        (lambda: fx.UserForce(ball(), drag), "at least one marker"),
        (lambda: fx.UserForce([3], drag), "expected a body, a marker"),
        (lambda: fx.UserForce([ball()], 3), "function must be a function"),
        (lambda: fx.UserForce([ball()], drag, 3), "jacobian must be a function"),
    ],
)
def test_bad_user_forces(make: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()
