"""Linear analyses of random mechanisms by two roads each: what differs is a defect of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbs as fx
from tests.models.random_mechanisms import random_mechanism

SEEDS = [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 60))]


def apart(one: Any, other: Any) -> float:
    """Largest distance of two sets of numbers, each taken once, relative to what exceeds one."""
    assert len(one) == len(other)
    rest, worst = list(other), 0.0
    for x in one:
        k = int(np.argmin([abs(x - y) for y in rest]))
        worst = max(worst, abs(x - rest[k]) / max(abs(x), 1.0))
        rest.pop(k)
    return worst


@pytest.mark.parametrize("seed", SEEDS)
def test_two_roads_to_each_answer(seed: int) -> None:
    mechanism = random_mechanism(seed)
    model, bodies = mechanism.model, mechanism.bodies
    x, y = ((1, 0, 0), (0, 1, 0)) if mechanism.spatial else ((1, 0), (0, 1))
    force = (1.0, 0.4, 0.3) if mechanism.spatial else (1.0, 0.4)
    still = fx.solve_static(model, fx.StaticOptions(steps=4))
    push = fx.PointForce(bodies[0].centre, force)
    sensors = [fx.control.PositionSensor(bodies[-1], x), fx.control.VelocitySensor(bodies[0], y)]
    linear = fx.linearise(still, [push], sensors)
    poles, n = linear.poles, len(linear.A)
    assert n == 2 * mechanism.freedoms

    roots = fx.solve_modal(still).roots  # one of each conjugate pair
    pairs = [*roots, *(s.conjugate() for s in roots if s.imag)]
    if len(roots) < 10:
        assert apart(pairs, poles) < 1e-7
    chosen = fx.independent_coordinates(still)
    m = len(chosen.names)
    upper, lower = np.hstack((np.zeros((m, m)), np.eye(m))), np.hstack((-chosen.K, -chosen.D))
    assert apart(np.linalg.eigvals(np.vstack((upper, np.linalg.solve(chosen.M, lower)))), poles) < 1e-7
    moving = fx.linearise(still, [push], sensors, moving=True)
    for mine, theirs in ((moving.A, linear.A), (moving.B, linear.B), (moving.C, linear.C), (moving.D, linear.D)):
        assert np.abs(mine - theirs).max() <= 1e-7 * max(1.0, np.abs(theirs).max())
    sparse = fx.linearise_sparse(still, [push], sensors)
    omega = [0.3, 3.0, 11.0]
    np.testing.assert_allclose(sparse.transfer(omega), linear.transfer(omega), atol=1e-7 * np.abs(linear.B).max())
    if mechanism.freedoms > 2:
        assert all(np.abs(poles - s).min() < 1e-7 * abs(s) for s in sparse.poles(2))

    for s in linear.zeros(0, 0):  # there the pencil is singular
        pencil = np.block([[linear.A - s * np.eye(n), linear.B], [linear.C[:1], linear.D[:1]]])
        assert np.linalg.svd(pencil, compute_uv=False)[-1] < 1e-7 * (1.0 + abs(s))
    frequencies = np.concatenate(([0.0], np.geomspace(1e-4, 1e3, 20_001)))
    gain = np.abs(linear.part(0, 0).transfer(2.0 * np.pi * frequencies)[:, 0, 0]) ** 2
    mean_square = linear.part(0, 0).random({0: 0.7}).mean_squares[0]
    assert mean_square == pytest.approx(np.trapezoid(0.7 * gain, frequencies), rel=3e-3)  # sharp peaks on a grid

    period = 0.37
    started = fx.simulate(model, until=0.01, step=0.005, start=still)
    assert apart(np.exp(poles * period), fx.floquet(started, period, samples=16).multipliers) < 1e-4

    h = 1e-4
    pushed = model.with_(fx.PointForce(bodies[0].centre, tuple(h * f for f in force)))
    run = fx.simulate(pushed, until=0.5, step=1e-3, start=still)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = linear.A, h * linear.B[:, 0]
    wanted = linear.C @ expm(0.5 * whole)[:n, n] + h * linear.D[:, 0]
    found = [run.position(bodies[-1])[-1, 0] - still.position(bodies[-1], -1)[0], run.velocity(bodies[0])[-1, 1]]
    np.testing.assert_allclose(found, wanted, atol=5e-3 * np.abs(wanted).max())  # order 2 of the step


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_are_equilibria_with_the_stability_of_their_modes(seed: int) -> None:
    model = random_mechanism(seed).model
    still = fx.solve_static(model, fx.StaticOptions(steps=4))
    paths = fx.trace_static(model, until=1.0, progress=False)
    path, critical = paths[0], {p.index for p in paths.points}
    np.testing.assert_allclose(path.q[-1], still.q[-1], atol=1e-7)
    for k in set(range(0, len(path), 3)) - critical:
        roots = fx.solve_modal(path.equilibrium(k)).roots
        assert bool(path.stable[k]) == bool(np.all(roots.real <= 1e-6 * np.abs(roots)))
