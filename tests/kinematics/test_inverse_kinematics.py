"""Inverse kinematics: bad input, targets out of reach, limits, redundant arms, where others begin."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.rotations import from_vector
from flexmbs.kinematics.limited_steps import limited_step
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar
from flexmbs.verification.cases.mechanisms.inverse_kinematics import arm, six_axes, two_links
from flexmbs.verification.reference.driven import FourBar


def test_least_squares_with_inequalities() -> None:
    A, b = np.diag([1.0, 2.0]), np.array([3.0, 2.0])
    none, nothing = np.zeros((0, 2)), np.zeros(0)
    assert limited_step(A, b, none, nothing) == pytest.approx([3.0, 1.0])
    z = limited_step(A, b, np.array([[-1.0, -1.0]]), np.array([-2.0]))  # x + y <= 2: (x - 3) = 4 (y - 1)
    assert z == pytest.approx([1.4, 0.6])
    assert limited_step(A, b, np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.0])) is None


def test_least_squares_with_inequalities_meet_their_conditions() -> None:
    """Sign of the multipliers and complementarity, for random problems."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        A, b = rng.standard_normal((6, 4)), rng.standard_normal(6)
        C, d = rng.standard_normal((3, 4)), rng.standard_normal(3)
        z = limited_step(A, b, C, d)
        assert z is not None
        slack = C @ z - d
        assert slack.min() > -1e-9
        active = slack < 1e-8
        gradient = A.T @ (A @ z - b)
        force = np.linalg.lstsq(C[active].T, gradient, rcond=None)[0]
        assert C[active].T @ force == pytest.approx(gradient, abs=1e-8)
        assert force.min(initial=0.0) > -1e-9


def test_bad_targets_and_limits() -> None:
    model, tip = two_links()
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    for make, says in (
        (lambda: fx.kinematics.PoseTarget(3.0, position=(0, 0)), "at must be a marker"),
        (lambda: fx.kinematics.PoseTarget(tip), "give a position, a rotation"),
        (lambda: fx.kinematics.PoseTarget(tip, position=(None, None)), "leaves all components free"),
        (lambda: fx.kinematics.PoseTarget(tip, position=1.0), "2 or 3 numbers"),
        (lambda: fx.kinematics.PoseTarget(tip, position=("x", 0.0)), "position"),
        (lambda: fx.kinematics.PoseTarget(tip, rotation=np.eye(3) * 2.0), "orthogonal"),
        (lambda: fx.kinematics.PoseTarget(tip, position=(0, 0), weight=0.0), "weight"),
        (lambda: fx.kinematics.PoseTarget(ball, rotation=0.3), "has no orientation"),
        (lambda: fx.kinematics.JointLimit(model.joint("elbow"), 1.0, 1.0), "lower must be below upper"),
        (lambda: fx.kinematics.JointLimit(model.joint("elbow"), math.nan, 1.0), "must be a number"),
        (lambda: fx.kinematics.JointLimit("elbow", 0.0, 1.0), "expected a joint"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            make()


def test_bad_arguments() -> None:
    model, tip = two_links()
    target = fx.kinematics.PoseTarget(tip, position=(1.0, 0.5))
    other, elsewhere = two_links()
    for wrong, says in (
        ({"targets": []}, "at least one PoseTarget"),
        ({"targets": [tip]}, "PoseTarget objects"),
        ({"targets": "tip"}, "sequence of PoseTarget"),
        ({"targets": fx.kinematics.PoseTarget(elsewhere, position=(1, 0))}, "is not in model"),
        ({"limits": [fx.kinematics.JointLimit(other.joint("elbow"), 0.0, 1.0)]}, "is not in model"),
        ({"limits": 3}, "limits must be a sequence"),
        ({"n_starts": 0}, "n_starts"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"t": "now"}, "t must be"),
        ({"start": 3.0}, "start"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            fx.kinematics.inverse_kinematics(model, **{"targets": target, **wrong})
    with pytest.raises(fx.ModelError, match="expected a Model"):
        fx.kinematics.inverse_kinematics(None, target)


def test_models_without_freedom_or_with_cables() -> None:
    model = four_bar(FourBar(1.0, 3.0, 2.5, 3.0), 0.5)
    target = fx.kinematics.PoseTarget(model.body("coupler"), position=(1.0, 1.0))
    driven = model.with_(fx.RotationDriver(model.joint("A"), 0.0, name="motor"))
    with pytest.raises(fx.ModelError, match="nothing free"):
        fx.kinematics.inverse_kinematics(driven, target)
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    with pytest.raises(fx.ModelError, match="'beam' has no shape without forces"):
        fx.kinematics.inverse_kinematics(model.with_(beam), target)


def test_out_of_reach_names_what_holds() -> None:
    model, tip = two_links()
    limit = fx.kinematics.JointLimit(model.joint("shoulder"), -0.1, 0.1)
    target = fx.kinematics.PoseTarget(tip, position=(-1.0, 1.0))
    with pytest.raises(fx.ConvergenceError, match=r"off by .*held by the limits of 'shoulder'") as caught:
        fx.kinematics.inverse_kinematics(model, target, limits=[limit])
    pose = caught.value.solution
    assert not pose.reached
    assert pose.angle("shoulder")[0] == pytest.approx(0.1, abs=1e-6)
    assert "off by" in repr(pose)


def test_a_loop_is_kept_closed() -> None:
    """A point of the coupler of a four-bar is brought to the height that it has at a known angle of the crank."""
    data = FourBar(1.0, 3.0, 2.5, 3.0)
    model, wanted = four_bar(data, 0.5), 1.3
    beta = float(data.angles(np.array([wanted]))[0][0][0])
    place = np.array([math.cos(wanted) + 1.5 * math.cos(beta), math.sin(wanted) + 1.5 * math.sin(beta)])
    pose = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(model.body("coupler"), position=place))
    assert pose.angle("A")[0] == pytest.approx(wanted - 0.5, abs=1e-8)
    assert pose.distance(model.body("coupler").marker((1.5, 0)), model.body("rocker").marker((1.25, 0)))[0] < 1e-11


def test_components_that_are_left_free() -> None:
    model, tip = two_links()
    pose = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=(None, 0.2)))
    assert pose.position(tip)[0, 1] == pytest.approx(0.2, abs=1e-8)
    turned = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, rotation=2.0))
    assert turned.rotation(tip)[0, :2, 0] == pytest.approx([math.cos(2.0), math.sin(2.0)], abs=1e-8)


def test_half_a_turn_away() -> None:
    """The error of orientation is nearly half a turn at the start."""
    model, hand = arm()
    R = from_vector((3.0, 0.2, 0.1))
    pose = fx.kinematics.inverse_kinematics(
        model, fx.kinematics.PoseTarget(hand, position=(0.6, 0.2, 0.9), rotation=R), n_starts=10
    )
    assert pose.rotation(hand)[0] == pytest.approx(R, abs=1e-8)


def test_quadratic_convergence_near_a_solution() -> None:
    model, hand = arm()
    angles = np.array([0.4, 0.3, 0.6, -0.5, 0.7, 0.2])
    p, R = six_axes(angles)
    near = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(hand, position=p, rotation=R), n_starts=5)
    p, R = six_axes(angles + 0.05)
    pose = fx.kinematics.inverse_kinematics(
        model, fx.kinematics.PoseTarget(hand, position=p, rotation=R), start=near, tolerance=1e-12
    )
    assert pose.iterations <= 6
    assert pose.errors.max() < 1e-11


def test_simulations_begin_at_a_pose() -> None:
    model, tip = two_links()
    pose = fx.kinematics.inverse_kinematics(model, fx.kinematics.PoseTarget(tip, position=(1.2, 0.3)))
    run = fx.simulate(model.with_(fx.Gravity((0, -9.81))), until=0.01, start=pose, progress=False)
    assert run.position(tip)[0] == pytest.approx([1.2, 0.3, 0.0], abs=1e-8)
    assert run.angle("elbow")[0] == pytest.approx(pose.angle("elbow")[0], abs=1e-10)
