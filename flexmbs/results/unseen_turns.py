"""Turns between stored states that no count and no coordinate tells: how sure they are, and what to say where not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import warn_user
from flexmbs.core.errors import AccuracyWarning

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.results.states import States

__all__ = ["followed", "warn_of_unseen_turns"]

UNSEEN = 0.5 * np.pi
"""Turn [rad] from one state to the next beyond which turns may be missed; half a turn is where the nearest is wrong."""


def followed(what: str, states: States, angles: FloatArray, advance: FloatArray) -> FloatArray:
    """Angles (n,) that are known up to whole turns, followed from the first on.

    ``advance (n - 1,)``: by how much each changes to the next as the rates at both have it. Warns where that, or what
    is off from it, is large.
    """
    whole = 2.0 * np.pi
    off = np.diff(angles) - advance
    off -= whole * np.round(off / whole)
    warn_of_unseen_turns(what, states, np.maximum(np.abs(advance), np.abs(off)))
    steps = advance + off
    steps = np.diff(angles) + whole * np.round((steps - np.diff(angles)) / whole)  # exact up to whole turns
    return np.asarray(angles[0] + np.concatenate(([0.0], np.cumsum(steps))))


def warn_of_unseen_turns(what: str, states: States, turns: FloatArray) -> None:
    """Warn of an angle that is followed between states; ``turns (n - 1,)`` [rad] from each to the next, at most."""
    if not len(turns) or not turns.max() > UNSEEN:
        return
    i = int(np.argmax(turns))
    warn_user(
        f"angle: {what} is followed from one stored state to the next, and turns by about {turns[i]:.3g} rad between "
        f"those at {states.t[i]:.6g} and {states.t[i + 1]:.6g}, so that whole turns may be missed. Store more states "
        f"(output=fx.Output(every=...)), or let the run count those of a joint: add fx.JointForce(joint, 0.0).",
        AccuracyWarning,
    )
