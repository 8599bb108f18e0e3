"""A block on a belt, held by a spring: when it first slips, against Coulomb's law with exact times of its events."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx

MASS, SPRING, BELT = 1.0, 500.0, 0.1
STATIC, SLIDING = 4.0, 3.0
SLIPPED = 2e-4
"""Way [m] of the belt under the block that counts as slipping; beyond all bristles below."""


def model(deflection: float, falling: float) -> fx.Model:
    block = fx.RigidBody(MASS, (1, 1, 1), position=(0, 0, 0), velocity=(BELT, 0, 0), name="block")
    belt = fx.RigidBody(1.0, (1, 1, 1), position=(0, 0, 0), velocity=(BELT, 0, 0), name="belt")
    runs = fx.PrismaticJoint(fx.ground, belt, at=(0, 0, 0), axis=(1, 0, 0), name="runs")
    lies = fx.PrismaticJoint(belt, block, at=(0, 0, 0), axis=(1, 0, 0), name="lies")
    stiffness = SLIDING / deflection
    return fx.Model(
        block, belt, runs, lies, fx.TranslationDriver(runs, rate=BELT),
        fx.SpringDamper(fx.ground.marker((-1, 0, 0)), block.centre, stiffness=SPRING, free_length=1.0, name="spring"),
        fx.BristleFriction(lies, 0.3, load=10.0, static=0.4, falling=falling, deflection=deflection,
                     damping=0.5 * math.sqrt(stiffness * MASS), name="friction"),
    )  # fmt: skip


def exact(falling: float) -> tuple[float, float]:
    """Time of the first slip, and the time at which the belt has moved on by SLIPPED under the block."""
    begin = STATIC / (SPRING * BELT)

    def rates(t: float, y: np.ndarray) -> list[float]:
        u = BELT - y[1]
        friction = SLIDING + (STATIC - SLIDING) * math.exp(-((u / falling) ** 2))
        return [y[1], (friction - SPRING * y[0]) / MASS]

    def slipped(t: float, y: np.ndarray) -> float:
        return BELT * t - y[0] - SLIPPED

    slipped.terminal = True  # type: ignore[attr-defined]
    # friction falls with u^2, the spring grows with t: no slip is not a solution, and needs no push
    found = solve_ivp(rates, (begin, 1.0), [BELT * begin, BELT], events=slipped, rtol=1e-10, atol=1e-14)
    return begin, float(found.t_events[0][0])


@pytest.mark.parametrize("falling", [0.01, 0.1])
def test_sticking_ends_at_the_static_limit_with_a_deflection_by_the_rule(falling: float) -> None:
    """u_1/800 N mu/(dF/dt): the largest friction is within 1 %, without a warning, and so is the first slip.

    Slip grows from nothing with the third power of time, so that the time at which SLIPPED is reached is more
    sensitive: it converges with the deflection. Before 0.08 s the joint gives way by its bristle, 4/3 of the deflection
    at the limit, and creeps by about as much.
    """
    begin, slipped = exact(falling)
    assert begin == pytest.approx(0.08)
    errors = []
    for part in (1.0, 0.1):
        deflection = part * falling / 800.0 * SLIDING / (SPRING * BELT)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = fx.simulate(model(deflection, falling), 0.115, step=2e-5, progress=False)
        way = BELT * run.t - run.position("block")[:, 0]
        assert np.abs(run.force("friction").force[50:]).max() == pytest.approx(STATIC, rel=0.01)
        assert way[run.t < 0.99 * begin].max() < 3.0 * 4.0 / 3.0 * deflection
        assert way[run.t > 0.99 * slipped].min() > 0.5 * SLIPPED
        errors.append(abs(run.t[np.argmax(way > SLIPPED)] - slipped) / slipped)
    assert errors[0] < 0.03
    assert errors[1] < 0.7 * errors[0]


@pytest.mark.parametrize(("deflection", "falling"), [(1e-4, 1e-3), (1e-4, 1e-2), (1e-5, 1e-3)])
def test_sticking_that_ends_early_is_said(deflection: float, falling: float) -> None:
    """Whatever is stored of the run, and whatever makes its steps: the same words, but for the last digits."""
    said = []
    for output in (None, fx.Output(every=0.05)):
        for compiled in (True, False):
            scheme = fx.GeneralizedAlpha(compiled=compiled)
            with pytest.warns(fx.AccuracyWarning, match="instead of its static limit of 4") as found:
                fx.simulate(
                    model(deflection, falling), 0.1, step=1e-4, output=output, integrator=scheme, progress=False
                )
            text = [str(w.message) for w in found if "'friction': it lets go at" in str(w.message)]
            assert len(text) == 1
            said.append(text[0])
    assert len(set(said)) == 1
    assert re.search(r"'friction': it lets go at [23]\.\d* instead of its static limit of 4", said[0])
