"""What tests of several schemes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flexmbs as fx
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.contracts import StepState


@pytest.fixture
def started() -> Callable[..., tuple[Any, StepState, Dynamics]]:
    """A stepper and the consistent state at t = 0, without a run."""

    def make(model: fx.Model, scheme: Any, h: float = 1e-2, tolerance: float = 1.0) -> tuple[Any, StepState, Dynamics]:
        dyn = Dynamics(fx.compile_model(model))
        dyn.start_turns(0.0)
        found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
        scheme.check(dyn, found.redundant)
        return scheme.stepper(dyn, tolerance), scheme.start(dyn, 0.0, found.q, found.v, h), dyn

    return make
