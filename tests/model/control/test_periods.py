"""Periods so short that a run would never end."""

from __future__ import annotations

import pytest

import flexmbs as fx


@pytest.mark.parametrize("period", [1e-300, 1e-14])
def test_a_period_that_is_next_to_nothing_is_refused_before_the_run(period: float) -> None:
    ball = fx.PointMass(1.0, (0, 0, 1.0), name="ball")
    push = fx.control.Command(
        fx.control.ForceActuator(ball.centre, (0, 0, 1.0), name="push"), period, lambda t: 1.0, name="drive"
    )
    with pytest.raises(fx.ModelError, match=r"Command 'drive': its period of .* samples in a run of 0\.1; take"):
        fx.simulate(fx.Model(ball, push), 0.1, step=0.01, progress=False)
