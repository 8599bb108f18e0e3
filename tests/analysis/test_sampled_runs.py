"""Controllers with periods of their own in one run, against the exact solution between samples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbs as fx

M, K, C = 2.0, 40.0, 0.6
FAST, SLOW = 0.02, 0.05
GAINS = (-3.0, -1.2)  # fast: of the velocity; slow: of the position


def controlled(T1: float = FAST, T2: float = SLOW):
    mass = fx.PointMass(M, position=(0.1, 0.0), velocity=(0.0, 0.0), name="mass")
    spring = fx.SpringDamper(
        fx.ground.marker((-10, 0, 0)), mass, stiffness=K, damping=C, free_length=10.0, name="spring"
    )
    fast = fx.control.Controller(
        fx.control.VelocitySensor(mass, (1, 0)),
        fx.control.ForceActuator(mass, (1, 0), name="fast push"),
        period=T1,
        output=lambda x, u, t: GAINS[0] * u,
        name="fast",
    )
    slow = fx.control.Controller(
        fx.control.PositionSensor(mass, (1, 0)), fx.control.ForceActuator(mass, (1, 0), name="slow push"), period=T2,
        output=lambda x, u, t: GAINS[1] * u + 0.3 * x, update=lambda x, u, t: x + T2 * u, start=[0.4], name="slow",
    )  # fmt: skip
    return mass, fx.Model(mass, spring, fast, slow)


def exact(until: float) -> tuple[np.ndarray, np.ndarray]:
    """Between samples the forces are held: the motion is linear, stepped with the matrix exponential."""
    A = np.zeros((3, 3))  # x, v, held force
    A[0, 1], A[1, :] = 1.0, [-K / M, -C / M, 1.0 / M]
    ticks = sorted({round(k * FAST, 10) for k in range(99)} | {round(k * SLOW, 10) for k in range(99)})
    x, v, state, held, times, found = 0.1, 0.0, 0.4, [0.0, 0.0], [], []
    for t, after in itertools.pairwise(ticks):
        if t > until:
            break
        times.append(t)
        found.append((x, v))
        if abs(t / FAST - round(t / FAST)) < 1e-6:
            held[0] = GAINS[0] * v
        if abs(t / SLOW - round(t / SLOW)) < 1e-6:
            held[1], state = GAINS[1] * x + 0.3 * state, state + SLOW * x
        x, v, _ = expm(A * (after - t)) @ [x, v, sum(held)]
    return np.array(times), np.array(found)


def test_two_periods_against_the_exact_discrete_solution() -> None:
    times, expected = exact(1.0)
    errors = []
    for h in (2e-3, 1e-3):
        mass, model = controlled()
        run = fx.simulate(
            model, 1.0, step=h, integrator=fx.GeneralizedAlpha(rho_inf=0.8), output=fx.Output(at=times[1:])
        )
        found = np.column_stack((run.position(mass)[:, 0], run.velocity(mass)[:, 0]))
        assert run.t == pytest.approx(times, abs=1e-12)
        errors.append(np.abs(found - expected).max())
    assert errors[0] < 5e-4
    assert errors[0] / errors[1] > 3.0


@pytest.mark.parametrize("step", [3.7e-3, None, 0.03])
def test_steps_end_at_every_sample(step) -> None:
    """Whatever the step: samples are at multiples of the periods, which are ends of steps."""
    _, model = controlled()
    run = fx.simulate(model, 0.5, step=step)
    ends = set(np.round(run.steps[:, 0], 12))
    wanted = {round(k * FAST, 12) for k in range(1, 26)} | {round(k * SLOW, 12) for k in range(1, 11)}
    assert wanted <= ends
    assert np.all(np.diff(run.t) > 1e-9)


def test_output_does_not_move_samples() -> None:
    _, model = controlled()
    plain = fx.simulate(model, 0.5, step=3.7e-3)
    run = fx.simulate(model, 0.5, step=3.7e-3, output=fx.Output(every=1e-3))
    assert np.array_equal(run.steps, plain.steps)
    assert np.array_equal(run.q[-1], plain.q[-1])


def test_incommensurable_periods() -> None:
    """Samples of two controllers that nearly coincide make no steps of the size of round-off."""
    _, model = controlled(0.01, 0.01 * (1 + 1e-15))
    run = fx.simulate(model, 0.3, step=1e-3)
    assert run.steps[:, 1].min() > 1e-6
    assert np.abs(run.a).max() < 1e3
