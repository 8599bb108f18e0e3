"""Controllers and states in files: described, rebuilt, told apart."""

from __future__ import annotations

import pytest

import flexmbs as fx
from flexmbs.io.model_description import describe_model, fingerprint, rebuild_model
from flexmbs.model.control.filters import low_pass
from flexmbs.model.control.first_order import transfer_function

BALL = fx.PointMass(2.0, position=(0.5, 0.0), name="ball")
BOX = fx.RigidBody(2.0, (1, 1, 1), position=(0, 0, 0), name="box")
PLACE = fx.control.PositionSensor(BALL, (1, 0))
PUSH = fx.control.ForceActuator(BALL, (1, 0), limits=(-1, 1), name="push")
SIGNAL = fx.control.Signal("signal")

ITEMS = {
    "pid": fx.control.PID(
        fx.control.NoisySensor(PLACE, fx.control.WhiteNoise(0.1, 0.1, 3)), PUSH, 0.1, 1.0, 0.5, limits=(-1, 1), delay=1
    ),
    "measured rate": fx.control.PID(
        PLACE, PUSH, 0.1, 1.0, derivative=2.0, rate=fx.control.VelocitySensor(BALL, (1, 0))
    ),
    "filtered": fx.control.FilteredController(
        fx.control.StateFeedback(PLACE, SIGNAL, 0.1, [[1.0]], reference=fx.motions.Sine(1.0, frequency=1.0)),
        low_pass(1.0, 0.1),
    ),
    "state space": fx.control.DiscreteStateSpace(
        PLACE, SIGNAL, 0.1, low_pass(1.0, 0.1, 2), start=[1.0, 2.0], offset=0.3
    ),
    "command": fx.control.Command(
        (SIGNAL, PUSH), 0.1, [fx.control.BandNoise(1.0, (1.0, 2.0), 4), 3.0], initial=[1.0, 2.0]
    ),
    "strut": fx.control.Command(fx.control.LineActuator(fx.ground.marker((0, 0, 0)), BALL), 0.1, 1.0),
    "wheel": fx.control.Command(fx.control.MomentActuator(BOX.centre, (0, 1, 0), follower=True), 0.1, 1.0),
    "sensors": fx.control.StateFeedback(
        (
            fx.control.AccelerationSensor(BALL, (1, 0), gravity=(0, -10, 0)),
            fx.control.AngularVelocitySensor(BOX.centre, (0, 0, 1)),
            fx.control.DistanceSensor(BOX.centre, BALL, rate=True),
            fx.control.PositionSensor(BALL, frame=BOX.centre),
            fx.control.CoordinateSensor(BALL, 1),
        ),
        SIGNAL,
        0.1,
        [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]],
    ),
    "transfer function": transfer_function([1.0, 2.0], [1.0, 2.0, 3.0], PLACE, PUSH),
    "transfer function without output": transfer_function([1.0], [1.0, 2.0, 3.0], PLACE),
}


@pytest.mark.parametrize("name", ITEMS)
def test_rebuilt_from_its_description(name: str) -> None:
    plain, arrays = describe_model(fx.Model(BALL, BOX, ITEMS[name]))
    again = rebuild_model(plain, arrays)
    assert fingerprint(describe_model(again)[0]) == fingerprint(plain)


def test_all_are_told_apart() -> None:
    names = {fingerprint(describe_model(fx.Model(BALL, BOX, item))[0]) for item in ITEMS.values()}
    other = transfer_function([1.0, 2.5], [1.0, 2.0, 3.0], PLACE, PUSH)
    names.add(fingerprint(describe_model(fx.Model(BALL, BOX, other))[0]))
    assert len(names) == len(ITEMS) + 1
