"""Statics hold what controllers hold at the start, and say where a controller would have something else to do."""

from __future__ import annotations

import warnings

import pytest

import flexmbs as fx

C = fx.control
WEIGHT = 2.0 * 9.81


def lift(initial: float, reference: float = 0.0) -> fx.Model:
    """A mass on springs of 100 per length below it and beside it, which a controller holds at a height."""
    block = fx.PointMass(2.0, position=(0.0, 0.0), name="block")
    spring = fx.SpringDamper(
        fx.ground.marker((0, -1.0)), block.centre, stiffness=100.0, damping=1.0, free_length=1.0, name="leg"
    )
    sensor = C.PositionSensor(block, (0, 1))
    actuator = C.ForceActuator(block.centre, (0, 1), name="magnet")
    hold = C.PID(sensor, actuator, 0.01, proportional=500.0, reference=reference, initial=initial, name="hold")
    side = fx.SpringDamper(
        fx.ground.marker((-1.0, 0)), block.centre, stiffness=100.0, damping=1.0, free_length=1.0, name="arm"
    )
    return fx.Model(block, spring, side, fx.Gravity((0, -9.81)), hold, name="lift")


def test_a_controller_that_would_act_is_told() -> None:
    with pytest.warns(fx.AccuracyWarning, match=r"'lift': controller 'hold' .* actuator 'magnet' holds 0, .* give 9"):
        found = fx.solve_static(lift(0.0))
    assert found.position("block")[-1, 1] == pytest.approx(-WEIGHT / 100.0, rel=0.05)


def test_a_controller_with_nothing_to_do_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        held = fx.solve_static(lift(WEIGHT, reference=WEIGHT / 500.0))
        assert abs(held.position("block")[-1, 1]) < 1e-9
