"""How far bodies may turn within a step: turns of angles are counted from step to step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flexmbs.kernels.steps import largest_turn

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = ["longest_step", "turned_too_far"]

TURN, MOST_TURN = 1.5, 2.5
"""Rotations of a body in a step [rad] planned for, and accepted at most."""


def longest_step(dynamics: Dynamics, state: StepState) -> float:
    """Step in which no body turns too far, at the velocities of a state."""
    rate = largest_turn(state.v, dynamics.n_linear, dynamics.angles_of_bodies)
    return TURN / rate if rate > 0.0 else math.inf


def turned_too_far(dynamics: Dynamics, increment: FloatArray) -> bool:
    """Whether a body has turned too far in the increment (n_v,) of a step."""
    return largest_turn(increment, dynamics.n_linear, dynamics.angles_of_bodies) > MOST_TURN
