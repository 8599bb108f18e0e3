"""Order of generalized-alpha where a controller changes its held force at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import flexmbs as fx
from flexmbs import control

MASS, STIFFNESS, DAMPING = 2.0, 50.0, 0.6
GAINS = (30.0, 4.0)
START, END = 0.1, 1.0


def held(period: float) -> fx.Model:
    """A mass on a spring with a damper, and a controller of its place and velocity."""
    body = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=MASS, position=(START, 0, 0), name="mass")
    guide = fx.PrismaticJoint(fx.ground, body, at=(START, 0, 0), axis=(1, 0, 0), name="guide")
    anchor = fx.ground.marker((-1.0, 0, 0))
    spring = fx.SpringDamper(
        anchor, body.centre, stiffness=STIFFNESS, damping=DAMPING, free_length=1.0, name="spring"
    )  # fmt: skip
    sensors = [control.JointSensor(guide), control.JointSensor(guide, rate=True)]
    motor = control.JointActuator(guide, name="motor")
    law = control.StateFeedback(sensors, motor, period, gain=[GAINS], name="law")
    return fx.Model(body, guide, spring, law, name="held")


def exact(period: float) -> np.ndarray:
    """Place, relative to the spring at rest, and velocity at the end: the force is constant between samples.

    The coordinate of the guide that the controller reads is the place less `START`.
    """
    A = np.array([[0.0, 1.0, 0.0], [-STIFFNESS / MASS, -DAMPING / MASS, 1.0 / MASS], [0.0, 0.0, 0.0]])
    step = scipy.linalg.expm(period * A)[:2]
    x = np.array([START, 0.0])
    for _ in range(round(END / period)):
        x = step @ [*x, -GAINS[0] * (x[0] - START) - GAINS[1] * x[1]]
    return x


def error(period: float, scheme: Any, part: float = 1) -> float:
    run = fx.simulate(held(period), END, step=period / part, integrator=scheme, progress=False)
    at, moves = run.position("mass")[-1, 0], run.velocity("mass")[-1, 0]
    return float(np.abs(np.array([at, moves / 5.0]) - exact(period) / [1.0, 5.0]).max())


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_two(compiled: bool, rho: float, index: int) -> None:
    """Beginning anew at every sample with equal accelerations has order one unless rho is 1."""
    scheme = fx.GeneralizedAlpha(rho_inf=rho, index=index, compiled=compiled)
    errors = np.array([error(0.02 / 2**k, scheme) for k in range(4)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert orders == pytest.approx(2.0, abs=0.1)
    assert errors[-1] < 2e-5  # h = 2.5 ms, frequency 5 to 6.5 rad/s: (omega h)^2 / 12 = 2e-5


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_it_is_two_between_samples(rho: float) -> None:
    """Several steps from sample to sample."""
    errors = np.array([error(0.02, fx.GeneralizedAlpha(rho_inf=rho), part) for part in (2, 4, 8)])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("part", [0.6, 1.5, 2.7])
@pytest.mark.parametrize("rho", [0.5, 0.9])
@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_two_where_samples_divide_steps(compiled: bool, rho: float, part: float) -> None:
    """Steps that samples cut short: the auxiliary acceleration belongs to the step that is made, not to the planned.

    It would otherwise grow by planned over made at every sample: order one with rho of 0.5, and no motion at all with
    0.9. Of error control the planned steps are the longer ones, and cut short at each sample.
    """
    scheme = fx.GeneralizedAlpha(rho_inf=rho, compiled=compiled)
    errors = np.array([error(1.0 / (60 * 2**k), scheme, part) for k in range(3)])
    assert np.log2(errors[0] / errors[-1]) / 2.0 == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_error_control_with_samples_within_its_steps(rho: float) -> None:
    """Ten samples in a step that the tolerance would allow: the error is that of steps from sample to sample."""
    period = 0.01
    chosen = fx.ErrorControl(rtol=1e-3, initial_step=period)
    run = fx.simulate(held(period), END, step=chosen, integrator=fx.GeneralizedAlpha(rho_inf=rho), progress=False)
    assert len(run.steps) == round(END / period)
    assert run.position("mass")[-1, 0] == pytest.approx(exact(period)[0], abs=1e-4)


@pytest.mark.parametrize("compiled", [False, True])
def test_it_is_two_of_the_augmented_lagrangian(compiled: bool) -> None:
    """The trapezoidal rule, whose accelerations behind a sample come the same way."""
    errors = np.array([error(0.02 / 2**k, fx.AugmentedLagrangian(compiled=compiled)) for k in range(4)])
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(2.0, abs=0.1)
