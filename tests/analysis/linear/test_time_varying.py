"""Linear models about motions: against differences of accelerations, of runs, and of steady motions' roots."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.moving_point import directions_in_motion, moving_point
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.consistent_state import accelerations
from flexmbs.dynamics.linearisation import moved
from tests.models import flexible_trees, floating
from tests.models.moving import four_bar, spatial
from tests.models.random_trees import random_tree

G = 9.81


def flexible() -> fx.Model:
    """A spatial rod that swings on a hinge and bends."""
    rod = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=2, element=fx.elements.GeometricallyExactBeam(),
        section=fx.Circle(diameter=0.02), material=fx.steel, name="rod",
    )  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, rod.start, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(rod, hinge, fx.InitialVelocity(rod, angular_velocity=(0, 3.0, 0)), fx.Gravity((0, 0, -G)))


def driven() -> fx.Model:
    """A pendulum on a pivot that is driven up and down, with an amplifier between its angle and a torque."""
    pivot = fx.PlanarRigidBody(1.0, 0.01, position=(0, 0), velocity=(0.0, 0.2 * math.pi), name="pivot")
    bar = fx.PlanarRigidBody(1.0, 0.05, position=(0.3, -0.3), angular_velocity=1.0,
                             velocity=(0.3, 0.3 + 0.2 * math.pi), name="bar")  # fmt: skip
    rail = fx.PrismaticJoint(fx.ground, pivot, at=(0, 0), axis=(0, 1), name="rail")
    pin = fx.RevoluteJoint(pivot, bar, at=(0, 0), name="pin")
    shake = fx.TranslationDriver(rail, fx.motions.Sine(amplitude=0.05, frequency=2.0), name="shake")
    return fx.Model(pivot, bar, rail, pin, shake, fx.Gravity((0, -G)), name="driven")


def by_differences(model: Any) -> FloatArray:
    """A by differences of the accelerations at states moved along the constraints."""
    point = moving_point("test", model)
    d = directions_in_motion("test", point)
    dyn, s, E = point.dyn, point.state, point.lin.directions.toarray()
    W, rate = point.matrices.W.toarray(), point.matrices.by_positions.toarray()
    n = d.N.shape[1]
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    for j in range(2 * n):
        y, dy = (d.N[:, j], d.turning[:, j]) if j < n else (0.0 * d.N[:, 0], d.N[:, j - n])
        dv, h = dy + W @ y, 1e-6
        sides = [accelerations(dyn, s.t, moved(dyn, s.q, x * (E @ y)), s.v + x * (E @ dv))[0] for x in (h, -h)]
        A[n:, j] = (E.T @ (sides[0] - sides[1]) / (2.0 * h) - W @ dy - rate @ y)[d.independent]
    return A


def tree(number: int) -> fx.Model:
    """A random tree of four links, with joints of all types."""
    return fx.Model(random_tree(number, 4), fx.Gravity((0, 0, -G)), name=f"tree {number}")


MODELS = [
    spatial, four_bar, driven, flexible, partial(tree, 0), partial(tree, 6), partial(tree, 9),
    pytest.param(floating.chain, marks=pytest.mark.slow), pytest.param(flexible_trees.arm, marks=pytest.mark.slow),
    pytest.param(flexible_trees.closed_arm, marks=pytest.mark.slow),
]  # fmt: skip


@pytest.mark.parametrize("make", MODELS)
def test_matrices_of_a_motion_are_the_derivatives_of_its_accelerations(make: Callable[[], fx.Model]) -> None:
    model = make()
    A = fx.linearise(model, moving=True).A
    wanted = by_differences(model)
    assert np.abs(A - wanted).max() < 1e-7 * np.abs(wanted).max()


@pytest.mark.parametrize("make", [spatial, four_bar, driven])
def test_coefficients_of_rates_are_twice_the_change_of_the_basis(make: Callable[[], fx.Model]) -> None:
    """y = N z gives y'' = N z'' + 2 N' z' + N'' z: accelerations are constrained as velocities are."""
    point = moving_point("test", make())
    d = directions_in_motion("test", point)
    assert np.abs(d.slowing - 2.0 * d.turning).max() < 1e-8 * max(np.abs(d.turning).max(), 1.0)


def test_deviations_of_a_four_bar_are_those_of_two_runs() -> None:
    """The crank 1e-5 rad and 1e-5 rad/s aside, after 0.6 s, in which it goes half round."""
    options = {"until": 0.6, "step": 2e-4, "output": fx.Output(every=6e-3)}
    run = fx.simulate(four_bar(), **options)
    along = fx.linearise_along(run, times=101, coordinates=["angle of body 'crank'"])
    assert along.states == ("angle of body 'crank'", "rate of angle of body 'crank'")
    assert np.ptp(run.angle(run.model.body("crank"))) > 2.0
    found, h = along.transition(), 1e-5
    for j, (angle, rate) in enumerate(((h, 0.0), (0.0, h))):
        ends = []
        for sign in (1.0, -1.0):
            moved_run = fx.simulate(four_bar(1.0 + sign * angle, 4.0 + sign * rate), **options)
            body = moved_run.model.body("crank")
            angles = moved_run.angle(body)[-1] + sign * angle  # counted from the start of each
            ends.append(np.array([angles, moved_run.angular_velocity(body)[-1, 2]]))
        np.testing.assert_allclose(found[:, j], (ends[0] - ends[1]) / (2.0 * h), rtol=2e-4, atol=2e-4)


def test_inputs_and_outputs_along_a_falling_bar() -> None:
    """A torque T on a bar of J = 0.6 about its hinge; acceleration of its centre across itself, 0.5 T / J."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    model = fx.Model(bar, hinge, fx.Gravity((0, -G)), name="falling")
    run = fx.simulate(model, until=0.4, step=1e-3)
    height = fx.control.PositionSensor(bar, (0, 1), name="height")
    along = fx.linearise_along(run, [fx.JointForce(hinge, 2.0)], [height], times=21)
    angle = np.interp(along.t, run.t, run.angle(bar))
    np.testing.assert_allclose(along.A[:, 1, 0], 2.0 * G * 0.5 * np.sin(angle) / 0.6, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(along.B[:, 1, 0], 2.0 / 0.6, rtol=1e-9)
    np.testing.assert_allclose(along.C[:, 0, 0], 0.5 * np.cos(angle), atol=1e-8)
    np.testing.assert_allclose(along.operating_outputs[:, 0], 0.5 * np.sin(angle), atol=1e-9)
    between = along.at(0.5 * (along.t[3] + along.t[4]))
    assert between.A[1, 0] == pytest.approx(0.5 * (along.A[3, 1, 0] + along.A[4, 1, 0]), rel=0.02)
    assert fx.linearise(run, moving=True).A[1, 0] == pytest.approx(along.A[-1, 1, 0], rel=1e-12)


def test_multipliers_of_floquet_are_those_of_the_transition_over_a_period() -> None:
    """A rotor with unlike inertia in unlike supports: rotations in body axes against inertial ones, one period."""
    spin = 40.0
    disk = fx.RigidBody(2.0, (0.02, 0.012, 0.016), angular_velocity=(spin, 0, 0), name="disk")
    posts = [
        fx.Bushing(fx.ground.marker((x, 0, 0)), disk.marker((x, 0, 0)), stiffness=(1e5, 900.0, 1500.0), name=f"at {x}")
        for x in (-0.2, 0.3)
    ]
    model = fx.Model(disk, *posts, name="unlike")
    period = 2.0 * math.pi / spin
    run = fx.simulate(model, until=period, step=period / 640, output=fx.Output(every=period / 64))
    along = fx.linearise_along(run, times=65)
    mine = np.linalg.eigvals(along.transition())
    theirs = fx.floquet(model, period).multipliers
    gap = np.abs(mine[:, None] - theirs).min(axis=1)
    simple = np.abs(theirs[:, None] - 1.0).min(axis=1) > 1e-3  # the free turn: a double root at one
    assert simple.sum() >= 8
    assert np.sort(gap)[: simple.sum()].max() < 1e-5


def test_first_order_states_move_along() -> None:
    """A motor current with a constant pull on a falling bar: the current's own row and its torque."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    coil = fx.control.FirstOrder(
        [1.0], lambda x, u, t: np.array([5.0 * (3.0 - x[0]) - 0.7 * u[0]]),
        inputs=[fx.control.JointSensor("hinge", rate=True)],
        actuators=[fx.control.JointActuator("hinge", name="torque")], output=lambda x, u, t: 0.4 * x, name="coil",
    )  # fmt: skip
    run = fx.simulate(fx.Model(bar, hinge, coil, fx.Gravity((0, -G))), until=0.3, step=1e-3)
    along = fx.linearise_along(run, times=7)
    angle = np.interp(along.t, run.t, run.angle(bar))
    for k in range(7):
        wanted = [[0, 1, 0], [2.0 * G * 0.5 * math.sin(angle[k]) / 0.6, 0, 0.4 / 0.6], [0, -0.7, -5.0]]
        np.testing.assert_allclose(along.A[k], wanted, rtol=1e-7, atol=1e-7)


def test_bad_input() -> None:
    model = four_bar()
    run = fx.simulate(model, until=0.01, step=1e-3)
    with pytest.raises(fx.ModelError, match="expected a run"):
        fx.linearise_along(model)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="stored states, too few"):
        fx.linearise_along(run, times=100)
    with pytest.raises(fx.ModelError, match="times must be ascending"):
        fx.linearise_along(run, times=[0.0, 5.0])
    with pytest.raises(fx.ModelError, match="no coordinate"):
        fx.linearise_along(run, times=3, coordinates=["angle of body 'cranc'"])
    with pytest.raises(fx.ModelError, match="do not describe the motion"):
        fx.linearise_along(run, times=3, coordinates=["angle of body 'crank'", "angle of body 'rocker'"])
    with pytest.raises(fx.ModelError, match="coordinates must be a list of names"):
        fx.linearise(model, moving=True, coordinates=[3])  # type: ignore[list-item]
    with pytest.raises(fx.ModelError, match="with moving=True"):
        fx.linearise(model, coordinates=["angle of body 'crank'"])
    along = fx.linearise_along(run, times=3)
    with pytest.raises(fx.ModelError, match="lies outside"):
        along.at(1.0)
    with pytest.raises(fx.ModelError, match="prescribed motions are no inputs"):
        fx.linearise_along(fx.simulate(driven(), until=0.01, step=1e-3), ["shake"], times=3)
