"""Bodies of small rotations that turned far: told after an analysis, with what would be right there."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.analysis.spread_states import spread_states
from flexmbs.core.errors import AccuracyWarning
from flexmbs.system.groups.linear_turns import LIMIT

if TYPE_CHECKING:
    from flexmbs.system.system import System

__all__ = ["warn_of_linear_turns"]

MOST = 500
"""States that are looked at."""


def warn_of_linear_turns(system: System, states: Any, where: Callable[[int], str]) -> None:
    """Warn of bodies whose linear shapes or elements turned too far.

    Parameters
    ----------
    system : System
    states : (n_t, n_q) array, or what reads as one
    where : callable
        What state number i is called: "at t = 0.5".
    """
    rows = spread_states(len(states), MOST)
    for group in system.coordinates.groups:
        if not group.turns_little:
            continue
        for found in group.linear_turns(np.asarray(states[rows])):
            worst = int(found.angles.argmax())
            if found.angles[worst] <= LIMIT:
                continue
            warnings.warn(
                f"Body {found.body.name!r}: {found.places[worst]} turns by {found.angles[worst]:.3g} rad "
                f"{where(int(rows[worst]))}, but {found.what} are linear, right to some 3 % up to {LIMIT:g} rad; the "
                f"error grows with the square. {found.advice}.",
                AccuracyWarning,
                stacklevel=3,
            )
