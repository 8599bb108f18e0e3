"""Random models with fixed numbers, in Python and compiled: the same trajectory, to the last bit.

Sizes of steps, index or order, relative or absolute coordinates, output, events and a run that is resumed on the other
road go with the number of the model.
"""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from tests.consistency.random_models import Beam, Chain, Way
from tests.integrators.compiled.conftest import same

C = fx.control
UNTIL = 0.25


def settings(seed: int, described: object) -> dict[str, object]:
    """What the number of a model says."""
    found: dict[str, object] = {
        "step": (2e-3, fx.ErrorControl(10.0 ** -(4 + seed % 4)), 1.37e-3)[seed % 3],
        "output": (fx.Output(every=0.0231), fx.Output(), fx.Output(every=0.0171, energy=False))[seed // 3 % 3],
    }
    if seed % 4 == 1:
        place = described.places[0]
        where = place.centre if hasattr(place, "centre") else place
        falls = C.VelocitySensor(where, (0, 0, 1) if described.way.space else (0, 1))
        found["events"] = [C.Event(falls, level=x, name=f"{x}") for x in (-0.3, -0.1, 0.05)]
    return found


def alpha(index: int) -> list[fx.GeneralizedAlpha]:
    """Generalized-alpha on both roads."""
    return [fx.GeneralizedAlpha(rho_inf=0.8, index=index, compiled=c) for c in (False, True)]


def backward(max_order: int | None = None) -> list[fx.BDF]:
    """Backward differentiation on both roads."""
    return [fx.BDF(max_order=max_order, compiled=c) for c in (False, True)]


def check(seed: int, described: object, schemes: list[object]) -> None:
    system = fx.compile_model(described.model)
    rest = settings(seed, described)
    runs = [fx.simulate(system, UNTIL, integrator=scheme, **rest) for scheme in schemes]
    same(*runs)
    assert runs[1].counts["compiled_steps"] > 0.5 * len(runs[1].steps)
    assert [(e.name, e.t) for e in runs[0].events] == [(e.name, e.t) for e in runs[1].events]
    ends = [
        fx.simulate(system, UNTIL + 0.05, integrator=s, start=run, **rest)
        for s, run in zip(schemes[::-1], runs, strict=True)
    ]
    assert np.array_equal(ends[0].q, ends[1].q)
    assert np.array_equal(ends[0].steps, ends[1].steps)


def seeds(quick: tuple[int, ...], until: int) -> list[object]:
    """All numbers; slow are all but a few, since each model has steps of its own to be compiled for some seconds."""
    return [k if k in quick else pytest.param(k, marks=pytest.mark.slow) for k in range(until)]


@pytest.mark.parametrize("seed", seeds((1, 2), 40))  # with error control and events; a tree with fixed steps
def test_chains(seed: int) -> None:
    check(seed, Chain.of(seed).build(Way(tree=seed % 5 == 2)), alpha(2 + seed % 2))


@pytest.mark.parametrize("seed", seeds((0,), 24))
def test_beams(seed: int) -> None:
    """With index 3: supports in inclined directions are left to Python with index 2 where there are joints."""
    sample = Beam.of(seed)
    check(seed, sample.build(Way(space=not sample.planar)), alpha(3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_chains_by_backward_differentiation(seed: int) -> None:
    check(seed, Chain.of(seed).build(Way(tree=seed % 5 == 2)), backward((None, 3, 5, 4)[seed % 4]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_beams_by_backward_differentiation(seed: int) -> None:
    sample = Beam.of(seed)
    described = sample.build(Way(space=not sample.planar))
    if len(fx.compile_model(described.model).turned_blocks):
        pytest.skip("supports in inclined directions")
    check(seed, described, backward())
