"""Chosen coordinates: matrices that take motions and constraint forces apart, refusals, ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.moving_point import moving_point
from flexmbs.verification.cases.mechanisms.chosen_coordinates import PICKED, POSITIONS, ring
from tests.models.moving import four_bar, spatial

G = 9.81


def double() -> fx.Model:
    """Two bars of length one and mass one that hang, spatial hinges about z."""
    bars = [fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, -0.5 - i, 0), name=f"bar {i}") for i in range(2)]
    one = fx.RevoluteJoint(fx.ground, bars[0], at=(0, 0, 0), axis=(0, 0, 1), name="top")
    two = fx.RevoluteJoint(bars[0], bars[1], at=(0, -1, 0), axis=(0, 0, 1), name="knee")
    return fx.Model(*bars, one, two, fx.Gravity((0, -G, 0)), name="double")


@pytest.mark.parametrize("name", POSITIONS)
def test_motions_and_constraint_forces_are_taken_apart(name: str) -> None:
    model = ring(*map(math.radians, POSITIONS[name]))
    y = fx.independent_coordinates(model)
    assert y.rank == 29
    assert len(y.redundant) == 1
    scale = np.abs(y.J_z).max()  # which of tied coordinates is taken, and so the condition of J_z, hangs on round-off
    assert np.abs(y.G @ y.J_y).max() < 1e-14 * np.abs(y.J_y).max() * 100
    assert np.abs(y.G @ y.J_z - np.eye(29)).max() < 1e-12 * scale
    assert np.abs(y.J_y.T @ y.J_z).max() < 1e-12 * scale


def test_what_the_constraints_hold_is_refused_in_one_position_and_taken_in_another() -> None:
    """Rotation 1 of body 1 of the ring does not move in the triangle, and moves by one in the cube."""
    asked = "rotation about body x of body 'link 1'"
    with pytest.raises(fx.ModelError, match="link 1' cannot be independent, since the constraints hold it"):
        fx.independent_coordinates(ring(*map(math.radians, POSITIONS["triangle"])), [asked])
    y = fx.independent_coordinates(ring(*map(math.radians, POSITIONS["cube"])), [asked])
    assert abs(y.J_y[y.velocities.index(PICKED), 0]) == pytest.approx(1.0, abs=1e-12)


def test_ties_are_told() -> None:
    """In the cube all rotations that move, move by one."""
    y = fx.independent_coordinates(ring(*map(math.radians, POSITIONS["cube"])))
    assert len(y.ties) == 1
    assert y.ties[0].count("rotation about") > 5


def test_condensed_matrices_of_the_double_pendulum_in_joint_angles() -> None:
    """M and K of two bars in the angles of their hinges, the second relative to the first; J = 0.1, l = 1, m = 1."""
    y = fx.independent_coordinates(double(), ["top", "knee"])
    own = 0.1 + 0.25
    M = np.array([[own + 0.1 + 2.25, 0.1 + 0.75], [0.1 + 0.75, own]])
    K = G * np.array([[0.5 + 1.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(y.M, M, rtol=1e-8)
    np.testing.assert_allclose(y.K, K, rtol=1e-8)
    values = np.sort(np.linalg.eigvals(np.linalg.solve(y.M, y.K)).real)
    np.testing.assert_allclose(values, fx.solve_modal(double()).eigenvalues, rtol=1e-8)
    absolute = fx.independent_coordinates(
        double(), ["rotation about body z of body 'bar 0'", "rotation about body z of body 'bar 1'"]
    )
    change = np.array([[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(change.T @ absolute.M @ change, y.M, rtol=1e-8)


def test_coordinates_that_depend_or_do_not_suffice_are_named() -> None:
    angle = "rotation about body z of body 'bar 0'"
    with pytest.raises(fx.ModelError, match=r"1 coordinates do not suffice, it moves in 2 ways\. Want 1 more"):
        fx.independent_coordinates(double(), [angle])
    with pytest.raises(fx.ModelError, match="x of body 'bar 0' cannot be independent, since it follows from"):
        fx.independent_coordinates(double(), [angle, "x of body 'bar 0'"])
    with pytest.raises(fx.ModelError, match="no coordinate or joint named 'hip'"):
        fx.independent_coordinates(double(), ["hip"])
    body = double().bodies[0]
    model = fx.Model(body, fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 0, 1), name="top"))
    with pytest.raises(fx.ModelError, match="3 numbers"):
        fx.independent_coordinates(model, [fx.control.PositionSensor(body)])
    with pytest.raises(fx.ModelError, match="wanted must be a list"):
        fx.independent_coordinates(double(), angle)


def test_constraint_forces_of_a_small_swing_are_those_of_the_simulation() -> None:
    """To first order in the angle: the part of second order, m l phi_t^2 and m g phi^2 / 2, is 1e-4 of it."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), angle=0.0, name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    still = fx.Model(bar, hinge, fx.Gravity((0, -G)))
    y = fx.independent_coordinates(still, ["hinge"])
    omega = math.sqrt(2.0 * G * 0.5 / (0.1 + 0.5))
    assert math.sqrt(y.K[0, 0] / y.M[0, 0]) == pytest.approx(omega, rel=1e-8)
    small = 1e-4
    turned = fx.PlanarRigidBody(
        2.0, 0.1, position=(0.5 * math.sin(small), -0.5 * math.cos(small)), angle=small, name="bar"
    )
    pin = fx.RevoluteJoint(fx.ground, turned, at=(0, 0), name="hinge")
    run = fx.simulate(fx.Model(turned, pin, fx.Gravity((0, -G))), 0.3, step=2e-4, progress=False)
    phi = small * math.cos(omega * run.t[-1])
    multipliers, forces = y.constraint_forces(
        [phi], [-small * omega * math.sin(omega * run.t[-1])], [-(omega**2) * phi]
    )
    np.testing.assert_allclose(run.lam[-1] - y.multipliers, multipliers, atol=2e-4 * small * 2.0 * G)
    np.testing.assert_allclose(forces, -y.G.T @ multipliers)
    assert abs(multipliers).max() > 0.1 * small * 2.0 * G


def test_a_model_that_is_no_equilibrium_has_no_condensed_stiffness() -> None:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge"), fx.Gravity((0, -G)))
    y = fx.independent_coordinates(model, ["hinge"])
    assert y.M[0, 0] == pytest.approx(0.1 + 2.0 * 0.25, rel=1e-9)
    assert not y.balanced
    with pytest.raises(fx.ModelError, match="no equilibrium"):
        _ = y.K


def test_a_sensor_is_a_coordinate() -> None:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), name="bar")
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge"), fx.Gravity((0, -G)))
    y = fx.independent_coordinates(model, [fx.control.PositionSensor(bar.centre, (1, 0))])
    assert y.M[0, 0] == pytest.approx((0.1 + 2.0 * 0.25) / 0.25, rel=1e-8)


KNEE = ["rotation about body x of body 'one'", "rotation about body y of body 'one'",
        "rotation about body z of body 'one'", "knee"]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "wanted"),
    [(four_bar, ["angle of body 'crank'"]), (four_bar, ["C"]), (spatial, ()), (spatial, KNEE)],
    ids=["crank", "joint", "picked", "rotations and joint"],
)
def test_a_moving_state_obeys_the_condensed_equations(make: Any, wanted: Any) -> None:
    """J_y^T M J_y y'' = J_y^T (applied - M J_y' y'), and J_y y'' + J_y' y' are the accelerations of all coordinates."""
    y = fx.independent_coordinates(make(), wanted)
    point = moving_point("test", make())
    a = point.lin.directions.T @ point.state.a
    M = y.matrices.M
    second = np.linalg.solve(y.M, y.J_y.T @ (y.applied - M @ (y.J_y_rate @ y.rates)))
    np.testing.assert_allclose(y.J_y @ second + y.J_y_rate @ y.rates, a, atol=1e-8 * np.abs(a).max())


def test_the_same_coordinates_at_a_later_state_of_a_run() -> None:
    run = fx.simulate(four_bar(), until=0.2, step=1e-3)
    y = fx.independent_coordinates(four_bar(), ["angle of body 'crank'"]).at(run.q[-1], run.v[-1])
    direct = fx.independent_coordinates(run, ["angle of body 'crank'"])
    np.testing.assert_allclose(y.J_y, direct.J_y, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(y.J_y_rate, direct.J_y_rate, rtol=1e-9, atol=1e-9)
    assert y.rates[0] == pytest.approx(run.angular_velocity(run.model.body("crank"))[-1, 2], rel=1e-12)
    h = 1e-4
    before, after = (y.at(run.q[-1] + s * h * run.v[-1], run.v[-1]).J_y for s in (-1.0, 1.0))  # planar: q' = v
    np.testing.assert_allclose(y.J_y_rate, (after - before) / (2.0 * h), rtol=1e-5, atol=1e-5)
    with pytest.raises(fx.ModelError, match="q must"):
        y.at(run.q[-1][:2], run.v[-1])
