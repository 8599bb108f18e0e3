"""Contacts that fixed steps do not resolve: a warning after the run."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import State
from flexmbs.core.errors import AccuracyWarning
from flexmbs.integrators.step_control import FixedStep
from flexmbs.kernels.contacts import contact_gaps
from flexmbs.kernels.distributed_contacts import distributed_gaps

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.results.time import TimeSolution

__all__ = ["warn_of_short_contacts"]

ENOUGH = 10
"""Steps that a contact takes at least."""


def warn_of_short_contacts(solution: TimeSolution, dynamics: Dynamics) -> None:
    """Warn of contacts that closed and opened again within less than ten steps, if every step was stored.

    ``dynamics``: of the run, which is over.
    """
    m = dynamics.mechanics
    fixed = isinstance(solution.settings.get("step"), FixedStep)
    owners = (*m.contact_owners, *m.distributed_owners)
    if not owners or not fixed or len(solution.t) != len(solution.steps) + 1:
        return
    gap = _gaps(solution, dynamics)
    found = [(*shortest, k) for k in range(gap.shape[1]) if (shortest := _shortest(gap[:, k])) is not None]
    if not found:
        return
    steps, at, k = min(found)
    time = float(solution.t[at + steps + 1] - solution.t[at])
    warnings.warn(
        f"Contact {owners[k].name!r}: that of {_ends(dynamics, k)} at t = {solution.t[at + 1]:.4g} lasted {steps} "
        f"steps, about {time:.3g}, too few to tell what it took. Take steps of {time / (2 * ENOUGH):.2g} or less, or "
        f"step=None for error control.",
        AccuracyWarning,
        stacklevel=3,
    )


def _ends(dynamics: Dynamics, k: int) -> str:
    """What touches in contact k, in words."""
    m, along = dynamics.mechanics, k - len(dynamics.mechanics.contact_owners)
    if along < 0:
        return " and ".join(str(m.markers.markers[int(side[k])]) for side in (m.contacts.mA, m.contacts.mB))
    item = int(np.flatnonzero(m.distributed.pair == along)[0])
    return f"a body and {m.markers.markers[int(m.distributed.mA[item])]}"


def _gaps(solution: TimeSolution, dynamics: Dynamics) -> FloatArray:
    """Gaps (n, n_p) of all contacts at the stored states."""
    m = dynamics.mechanics
    single = len(m.contact_owners)
    out = np.empty((len(solution), single + len(m.distributed_owners)))
    rate = np.empty(out.shape[1])
    dynamics.turns.reset()
    for i in range(len(solution)):
        q = np.array(solution.q[i])
        state = State(q, np.array(solution.v[i]), np.zeros(dynamics.n_v), np.zeros(dynamics.n_c))
        dynamics.place(state)
        contact_gaps(m.contacts, dynamics.markers, out[i], rate)
        if m.distributed_owners:
            distributed_gaps(m.distributed, state, dynamics.markers, out[i, single:], rate[single:])
        dynamics.accept(q)
    return out


def _shortest(gap: FloatArray) -> tuple[int, int] | None:
    """The least number of states for which a gap was closed, between being open, if below ten, and the state before."""
    closed = np.concatenate(([0], (gap <= 0.0).astype(np.int64), [0]))
    begins, ends = np.flatnonzero(np.diff(closed) == 1), np.flatnonzero(np.diff(closed) == -1)
    inside = (begins > 0) & (ends < len(gap))
    lengths = (ends - begins)[inside]
    if not len(lengths) or lengths.min() >= ENOUGH:
        return None
    i = int(np.argmin(lengths))
    return int(lengths[i]), int(begins[inside][i]) - 1
