"""Actuators: laws, limits, derivatives, where they act, signs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError
from flexmbs.io.model_description import describe_model, rebuild_model
from flexmbs.kernels.rows.rows import row_gradient
from flexmbs.model.control.actuator import JointTarget, RowTarget, WrenchTarget

BALL = fx.PointMass(1.0, position=(0.3, 0.4), name="ball")
BOX = fx.RigidBody.box(size=(0.2, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="box")
ORIGIN = fx.ground.marker((0, 0, 0))


def test_law_and_limits() -> None:
    motor = fx.control.JointActuator("hinge", law=lambda h, s, rate, t: h * s - rate + t, limits=(-2, 3), name="motor")
    assert motor.force(2.0, 0.5, 0.25, 1.0) == 1.75
    assert (motor.force(100.0, 1.0), motor.force(-100.0, 1.0)) == (3.0, -2.0)
    plain = fx.control.JointActuator("hinge", limits=(-2, 3))
    assert [plain.force(h) for h in (-5.0, 1.5, 5.0)] == [-2.0, 1.5, 3.0]


def test_what_the_compiler_gets_has_the_opposite_sign_and_the_derivatives() -> None:
    magnet = fx.control.ForceActuator(
        BALL, (1, 0), law=lambda i, s, rate, t: i**2 / (0.02 - s) ** 2 * 1e-3 - 4.0 * rate
    )
    i, s, rate = 1.3, 0.004, 0.2
    F = i**2 / (0.02 - s) ** 2 * 1e-3 - 4.0 * rate
    minus_F, by_s, by_rate, energy = magnet.given(i, s, rate, 0.0)
    assert minus_F == pytest.approx(-F, rel=1e-14)
    assert by_s == pytest.approx(-2e-3 * i**2 / (0.02 - s) ** 3, rel=1e-7)
    assert by_rate == pytest.approx(4.0, rel=1e-7)
    assert energy == 0.0
    assert fx.control.JointActuator("hinge").given(2.5, 1.0, 1.0, 0.0) == (-2.5, 0.0, 0.0, 0.0)
    limited = fx.control.JointActuator("hinge", law=lambda h, s, rate, t: 100.0 * s, limits=(-1, 1))
    assert limited.given(0.0, 3.0, 0.0, 0.0) == (-1.0, 0.0, 0.0, 0.0)


def test_where_they_act() -> None:
    slider = fx.PrismaticJoint(fx.ground, BOX, at=(0, 0, 0), axis=(1, 0, 0), name="slider")
    assert fx.control.JointActuator(slider).acts_on == JointTarget("slider", "displacement")
    assert fx.control.JointActuator("hinge").acts_on == JointTarget("hinge", "")
    assert fx.control.Signal("voltage").acts_on is None
    assert fx.control.Signal("voltage").force(3.0) == 3.0
    push = fx.control.ForceActuator(BOX.centre, (0, 0, 2), follower=True).acts_on
    assert isinstance(push, WrenchTarget)
    assert (push.wrench.force, push.wrench.moment, push.wrench.follower) == ((0, 0, 1), (0, 0, 0), True)
    turn = fx.control.MomentActuator(BOX.centre, (0, 3, 4)).acts_on
    assert isinstance(turn, WrenchTarget)
    assert turn.wrench.moment == pytest.approx((0, 0.6, 0.8))
    assert (turn.wrench.force, turn.wrench.follower) == ((0, 0, 0), False)


@pytest.mark.parametrize(
    ("actuator", "value", "push"),
    [
        (fx.control.LineActuator(ORIGIN, BALL), 0.5, (0.6, 0.8, 0.0)),  # apart: away from the origin
        (fx.control.ForceActuator(BALL, (0, 2)), 0.0, (0.0, 1.0, 0.0)),  # displacement from the start
    ],
)
def test_rows_grow_where_a_positive_force_pushes(actuator, value: float, push: tuple[float, ...]) -> None:
    target = actuator.acts_on
    assert isinstance(target, RowTarget)
    c, G = np.zeros((1, 12)), np.zeros((1, 12))
    c[0, : len(target.row.constants)] = target.row.constants
    p = np.array([target.a.position0(), target.b.position0()])
    R = np.array([target.a.rotation0(), target.b.rotation0()])
    found = row_gradient(target.row.kind, 0, c, np.zeros(1), 0, 1, p, R, G, 0)
    assert found == pytest.approx(value, abs=1e-15)
    assert target.b.body is BALL
    assert G[0, 6:9] == pytest.approx(push, abs=1e-15)
    assert G[0, 9:] == pytest.approx(np.zeros(3))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: fx.control.JointActuator("hinge", limits=(1, 1)), r"limits must be \(smallest, largest\)"),
        (lambda: fx.control.JointActuator("hinge", law=2.0), "law must be a function of"),
        (lambda: fx.control.JointActuator(""), "joint must be a joint of the model or its name"),
        (
            lambda: fx.control.JointActuator(fx.SphericalJoint(fx.ground, BOX, at=(0, 0, 0), name="s")),
            "no coordinate that could be",
        ),
        (lambda: fx.control.LineActuator(ORIGIN, fx.ground.marker((0, 0, 0))), "at the same place"),
        (lambda: fx.control.ForceActuator(BALL, (0, 0)), "direction must not be the zero vector"),
        (lambda: fx.control.ForceActuator(BALL, (1, 0), follower=1), "follower must be True or False"),
        (
            lambda: fx.control.ForceActuator(BALL, (1, 0), follower=True, law=lambda h, s, rate, t: h),
            "a follower has no coordinate",
        ),
        (lambda: fx.control.MomentActuator(BALL.centre), "no orientation"),
        (lambda: fx.control.Signal(" "), "name must be a non-empty string"),
    ],
)
def test_bad_actuators(make, match: str) -> None:
    with pytest.raises(ModelError, match=match):
        make()


@pytest.mark.parametrize(
    ("law", "match"),
    [
        (lambda h, s, rate, t: math.sqrt(-1.0), "failed with ValueError"),
        (lambda h, s, rate, t: math.nan, "must be finite"),
        (lambda h, s, rate, t: h + "N", "failed with TypeError"),
    ],
)
def test_failing_laws_are_named(law, match: str) -> None:
    motor = fx.control.JointActuator("hinge", law=law, name="motor")
    with pytest.raises(ModelError, match=rf"JointActuator 'motor': .*law\(1, 2, 3, 4\).*{match}"):
        motor.force(1.0, 2.0, 3.0, 4.0)


def test_limits_on_one_side() -> None:
    """A motor that only pulls, in a loop that pushes as well: both roads, and from its file."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    pull = fx.control.JointActuator(hinge, limits=(0, np.inf), name="motor")
    assert [pull.force(x) for x in (-5.0, 0.0, 1e9)] == [0.0, 0.0, 1e9]
    pid = fx.control.PID(fx.control.JointSensor(hinge), pull, period=0.01, proportional=20.0, derivative=2.0,
                         reference=0.3, limits=(-np.inf, 30.0), name="pid")  # fmt: skip
    again = rebuild_model(*describe_model(fx.Model(bar, hinge, pid, fx.Gravity((0, -9.81)))))
    assert again.controllers[0].limits == (-np.inf, 30.0)
    assert again.controllers[0].actuators[0].limits == (0.0, np.inf)


@pytest.mark.parametrize("limits", [(1.0,), (2, 1), (0, math.nan), "ab", 5.0, (True, 2), np.zeros((2, 1))])
def test_limits_that_are_none(limits: object) -> None:
    for make in (
        lambda: fx.control.JointActuator("hinge", limits=limits),
        lambda: fx.control.PID(fx.control.JointSensor("hinge"), fx.control.Signal("s"), 0.1, 1.0, limits=limits),
    ):
        with pytest.raises(ModelError, match="limits must be"):
            make()
