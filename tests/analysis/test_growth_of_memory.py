"""Memory of compiled systems grows with their size, not with its square."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.evaluation import Dynamics


def chain(count: int) -> fx.Model:
    """Bars hanging from each other."""
    bars = [fx.PlanarRigidBody(1.0, 0.1, position=(k + 0.5, 0.0), name=f"bar {k}") for k in range(count)]
    sides = [fx.ground, *bars]
    joints = [fx.RevoluteJoint(sides[k], bars[k], at=(float(k), 0.0), name=f"pin {k}") for k in range(count)]
    return fx.Model(*bars, *joints, fx.Gravity((0, -9.81)))


def cable(count: int) -> fx.Model:
    rope = fx.FlexibleBody.line(
        (0, 0), (10, 0), elements=count, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel,
        name="rope",
    )  # fmt: skip
    return fx.Model(rope, fx.RevoluteJoint(fx.ground, rope.start, name="pin"), fx.Gravity((0, -9.81)))


def kept(model: fx.Model) -> tuple[int, int]:
    """Bytes that a compiled system with its dynamics keeps, and the most that compiling needs."""
    tracemalloc.start()
    try:
        dynamics = Dynamics(fx.compile_model(model))
        found = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert dynamics.n_v > 0
    return found


@pytest.mark.parametrize(("make", "small"), [(chain, 80), (cable, 500)])
def test_memory_is_linear_in_the_size(make, small: int) -> None:
    kept(make(4))  # whatever is made once
    (few, few_peak), (many, many_peak) = kept(make(small)), kept(make(4 * small))
    assert many / few < 4.6
    assert many_peak / few_peak < 5.0


def test_a_long_chain_moves() -> None:
    """The pin of a straight chain let go carries nothing far out, and the last bar falls freely with g at first."""
    model = chain(300)
    run = fx.simulate(model, 2e-3, step=1e-3, output=fx.Output(energy=False))
    assert run.acceleration(model.bodies[150])[0, 1] == pytest.approx(-9.81, rel=1e-2)
    assert run.redundant == ()
    assert np.isfinite(run.q).all()


@pytest.mark.parametrize("compiled", [True, False])
def test_steps_that_are_not_stored_cost_four_numbers(compiled: bool) -> None:
    """32 bytes a step; a list that grows has up to an eighth of spare room."""
    ball = fx.PointMass(1.0, (0.0, 0.0), name="ball")
    model = fx.Model(ball, fx.Gravity((0, -9.81)))
    options = {"step": 1e-3, "integrator": fx.GeneralizedAlpha(compiled=compiled), "progress": False}
    fx.simulate(model, 3.0, output=fx.Output(every=1.0), **options)  # what is made once
    found = []
    for until in (3.0, 12.0):
        tracemalloc.start()
        try:
            run = fx.simulate(model, until, output=fx.Output(every=until / 4), **options)
            found.append((tracemalloc.get_traced_memory()[1], len(run.steps)))
        finally:
            tracemalloc.stop()
    peak, steps = (np.array(x) for x in zip(*found, strict=True))
    # the array that grows, with its spare room and the copy that makes it larger, and the result
    assert (peak[1] - peak[0]) / (steps[1] - steps[0]) < 32 * (2 * 1.125 + 1)
