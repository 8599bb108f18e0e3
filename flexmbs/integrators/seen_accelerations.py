"""First-order states whose rates depend on accelerations or multipliers: schemes that do not have them in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import State
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = ["refuse_states_that_see_accelerations"]


def refuse_states_that_see_accelerations(owner: str, dyn: Dynamics, reason: str) -> None:
    """Raise a `ModelError` that names a first-order state which reads accelerations or multipliers, if there is one."""
    if not dyn.python.states:
        return
    q, v = dyn.coordinates.reference, dyn.coordinates.velocity
    before, held = dyn.env, dyn.mechanics.held.copy()
    dyn.set_time(0.0 if np.isnan(before.t) else before.t)
    views = [dyn.python.viewer.view(dyn.env.t, q, v, np.full(dyn.n_v, x), np.full(dyn.n_c, x)) for x in (0.0, 1.0)]
    found = []
    for view in views:
        r = dyn.state_rates(State(q, v, view.a, view.lam))
        found.append(np.concatenate((r, dyn.mechanics.held)))
    dyn.mechanics.held[:] = held
    if np.array_equal(found[0], found[1], equal_nan=True):
        return
    for item, places in dyn.python.states:
        u = [item.read(view) for view in views]
        if len(places) and not np.array_equal(u[0], u[1], equal_nan=True):
            raise ModelError(
                f"{owner}: FirstOrder {item.name!r} reads accelerations or multipliers, {reason}; take "
                f"GeneralizedAlpha() for this model."
            )
