"""Energies and constraint residuals of the stored states of a run: measured as they are stored, or when asked for.

A state is measured with a further evaluation, which takes some times as long as a compiled step. Most of those who
simulate look at few of these numbers, or at none. So states are measured later where that finds the same: where nothing
but state, time and counted turns decides about forces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.dynamics.energies import Energies
from flexmbs.kernels.steps import largest

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import Solves

__all__ = ["Account", "Accounts", "Due", "Unsolved", "found_later"]

Account = tuple[float, ...]
"""The seven numbers of `flexmbs.results.time.Energy`, and three residuals."""


class Due(NamedTuple):
    """What a state is measured with.

    ``work (3,)``: done up to there; or, with a ``power (3,)``, up to the time ``began`` of the step that it lies in,
    where the power is that; ``turns``: values of counted angles.
    """

    work: FloatArray
    began: float
    power: FloatArray | None
    turns: FloatArray


class Unsolved(NamedTuple):
    """Stored states between steps, by their numbers, whose accelerations and multipliers are still to be solved for.

    ``angles``: values of counted angles at each of them.
    """

    dynamics: Dynamics
    solves: Solves
    numbers: list[int]
    angles: list[FloatArray]

    def solve(
        self, t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The accelerations and multipliers of all stored states."""
        a, lam = a.copy(), lam.copy()
        for k, angles in zip(self.numbers, self.angles, strict=True):
            self.dynamics.turns.count_at(angles)
            a[k], lam[k] = self.solves(float(t[k]), q[k], v[k])
        return a, lam


class Accounts:
    """Measures states of one `Dynamics`."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics, self.energies = dynamics, Energies(dynamics)
        self._positions = dynamics.n_v + np.flatnonzero(dynamics.velocity_rows != 1)

    def measure(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, due: Due) -> Account:
        """The account of a state, with turns and held values as they are."""
        dyn, energies, work = self.dynamics, self.energies, due.work
        dyn.set_time(t)
        dyn.residual(q, v, a, lam)
        springs, _ = energies.springs(q, v)
        supports = energies.supports(q)  # a function of the state: their work needs no sum over steps
        if due.power is not None:
            work = work + 0.5 * (t - due.began) * (due.power + energies.powers(q, v, lam))
        work = work - np.array([0.0, supports, 0.0])
        return (
            energies.kinetic(v), energies.strain(q), springs + supports, energies.potential(q), *work,
            largest(dyn.r[self._positions], 0), largest(dyn.rates(), 0), energies.acceleration_gap(q, v, a),
        )  # fmt: skip

    def several(
        self, states: tuple[FloatArray, ...], dues: list[Due | Account], picks: IntArray | None = None
    ) -> FloatArray:
        """The accounts (n, 10) of stored states t, q, v, a, lam: of all, or of some."""
        turns, found = self.dynamics.turns, []
        for k in range(len(dues)) if picks is None else picks.tolist():
            due = dues[k]
            if isinstance(due, Due):
                turns.count_at(due.turns)
                t, q, v, a, lam = (x[k] for x in states)
                due = self.measure(float(t), q, v, a, lam, due)
            found.append(due)
        return np.array(found)


def found_later(dynamics: Dynamics) -> bool:
    """Whether states can be measured after the run as well.

    Not where forces depend on what only the run knows: values held from sample to sample, functions of users, which
    would be called again, frames that follow a tangent. Contacts, which take and give energy in few steps, are looked
    at in every state that is stored.
    """
    m, system = dynamics.mechanics, dynamics.system
    knows = system.model.controllers or system.model.states or m.actuators or m.given or dynamics.python.users
    touches = m.contact_owners or m.distributed_owners or m.searched or any(t.gaps is not None for t in system.terms)
    return not (knows or touches or dynamics.turns.based or dynamics.prescribed.by_functions)
