"""Chunks of compiled steps: how long they are changes no number, and a run leaves nothing behind."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis import chunks as parts

SCHEME = fx.GeneralizedAlpha(rho_inf=0.8, compiled=True)


@pytest.fixture
def lengths(chunks: list[int], monkeypatch) -> list[int]:
    """How many steps the chunks of runs have made, each; nothing is known of earlier runs."""
    monkeypatch.setattr(parts, "_TAKEN", {})
    return chunks


def run_of(system: object, **options: object) -> fx.TimeSolution:
    return fx.simulate(system, 0.3, step=1e-3, integrator=SCHEME, progress=False, **options)


@pytest.mark.parametrize("energy", [False, True])
def test_the_first_chunk_is_as_long_as_steps_of_its_kind_last_took(models, lengths, energy: bool) -> None:
    """The last step, which meets the end of the run, is in it, with what is stored there."""
    system, output = fx.compile_model(models.chain(3)), fx.Output(every=0.1, energy=energy)
    first = run_of(system, output=output)
    assert lengths[0] == parts.FIRST
    assert sum(lengths) == 300
    lengths.clear()
    second = run_of(system, output=output)
    assert lengths == [300]
    for name in ("t", "q", "v", "a", "lam", "steps"):
        np.testing.assert_array_equal(getattr(second, name), getattr(first, name))
    assert second.t[-1] == 0.3
    if energy:
        np.testing.assert_array_equal(second.energy.balance, first.energy.balance)
    lengths.clear()
    run_of(fx.compile_model(models.chain(4)), output=output)  # of another size: its steps take longer
    assert lengths[0] == parts.FIRST


def test_the_end_of_a_run_is_that_of_the_loop_in_python(both, models) -> None:
    """Where it is a multiple of the step, where it is none, and gone on from there."""
    for until in (0.2, 0.2005, 3e-3, 2e-3, 1e-3):
        both(models.chain(2), until, 1e-3, output=fx.Output(every=until))
    system = fx.compile_model(models.chain(2))
    for scheme in (SCHEME, fx.GeneralizedAlpha(rho_inf=0.8, compiled=False)):
        begun = fx.simulate(system, 0.1, step=1e-3, integrator=scheme, progress=False)
        rest = fx.simulate(system, 0.2, step=1e-3, integrator=scheme, start=begun, progress=False)
        whole = fx.simulate(system, 0.2, step=1e-3, integrator=scheme, progress=False)
        np.testing.assert_array_equal(rest.q[-1], whole.q[-1])


def test_a_run_leaves_no_cycle_behind(models) -> None:
    """All of it goes with its solution, without Python's search for cycles, which many runs would wait for."""
    run_of(models.chain(3))  # whatever is compiled once
    was = gc.isenabled()
    gc.disable()
    try:
        run = run_of(models.chain(3))
        system, model = weakref.ref(run.system), weakref.ref(run.model)
        del run
        assert system() is None
        assert model() is None
    finally:
        if was:
            gc.enable()
