"""Functions of users that fail in the middle of a run: the error names them, and the run so far is kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

FAILS = 0.05
"""Time from which on the functions raise."""


def failing(value: Any) -> Any:
    def function(t: float) -> float:
        if t > FAILS:
            raise ZeroDivisionError("no value here")
        return float(value(t))

    return function


def endless(t: float) -> float:
    return math.nan if t > FAILS else 1.0


def arm(*items: Any) -> fx.Model:
    body = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="arm")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0), name="hinge")
    return fx.Model(body, hinge, *(item(body, hinge) for item in items))


CASES: dict[str, Any] = {
    "load": lambda b, h: fx.PointForce(b.centre, (0.0, 1.0), history=failing(math.cos)),
    "load that is no number": lambda b, h: fx.PointForce(b.centre, (0.0, 1.0), history=endless),
    "motion": lambda b, h: fx.RotationDriver(h, motion=fx.motions.Function(failing(math.sin), check=()), name="drive"),
    "motion with derivatives": lambda b, h: fx.RotationDriver(
        h,
        motion=fx.motions.Function(math.sin, rate=math.cos, acceleration=failing(lambda t: -math.sin(t)), check=()),
        name="drive",
    ),
    "force": lambda b, h: fx.JointForce(h, lambda s, rate, t: failing(lambda x: 1.0)(t), name="motor"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_run_so_far_is_kept(name: str) -> None:
    """Up to the last step before the failure, and the same as a run that ends there."""
    model = arm(CASES[name])
    integrator = fx.GeneralizedAlpha()
    with pytest.raises(fx.FlexmbsError, match=r"ZeroDivisionError: no value here|nan|finite") as failure:
        fx.simulate(model, until=0.2, step=0.01, integrator=integrator)
    run = failure.value.solution
    assert run is not None
    assert 0.02 <= run.t[-1] <= FAILS + 1e-12
    shorter = fx.simulate(arm(CASES[name]), until=0.02, step=0.01, integrator=integrator)
    np.testing.assert_array_equal(run.q[: len(shorter.t)], shorter.q)


@pytest.mark.parametrize("name", CASES)
def test_without_throwing_the_status_tells(name: str) -> None:
    run = fx.simulate(arm(CASES[name]), until=0.2, step=0.01, integrator=fx.GeneralizedAlpha(), throw=False)
    assert run.status is not fx.Status.DONE
    assert 0.02 <= run.t[-1] <= FAILS + 1e-12
    assert run.message
