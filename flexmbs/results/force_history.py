"""What a force between markers did during a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.kernels.laws import MATRIX, law, matrix_law, state_law
from flexmbs.model.forces.row_force import pack
from flexmbs.results.joint_history import force_rows

if TYPE_CHECKING:
    from flexmbs.results.states import States

__all__ = ["ForceHistory", "force_history"]


class ForceHistory(NamedTuple):
    """Histories (n_t,) of a force along its coordinate; (n_t, m) of a bushing, whose m rows are in their order.

    ``coordinate``: the row (distance, angle, ...), angles over full turns; ``rate``: its time derivative; ``force``:
    with the sign of a spring, positive where it acts against the coordinate: a positive force of a strut pulls its ends
    together, a positive torque turns side b back towards smaller angles; ``energy (n_t,)``: its potential.
    """

    coordinate: FloatArray
    rate: FloatArray
    force: FloatArray
    energy: FloatArray

    def __repr__(self) -> str:
        rows = f", {self.force.shape[1]} rows" if self.force.ndim == 2 else ""
        least, most = float(self.force.min()), float(self.force.max())
        return f"<history of a force: {len(self.force)} states{rows}, force from {least:.4g} to {most:.4g}>"


def force_history(solution: States, force: Any) -> ForceHistory:
    """Rows, rates and forces at all stored times."""
    items = list(getattr(force, "row_forces", ()))
    if len(items) != 1:
        raise ModelError(f"force {force.name!r}: it has no coordinate; ask for what you know of its markers.")
    item = items[0]
    n_t, m = len(solution), len(item.rows)
    law_number, where, data = pack([item])
    s, rate = force_rows(solution, force)
    F, energy, given = np.empty((n_t, m)), np.empty(n_t), np.zeros((1, 4))
    for i in range(n_t):
        if item.law == MATRIX:
            energy[i] = matrix_law(int(where[0]), data, s[i], rate[i], F[i])
        elif item.states:
            z = solution.v[i, solution.system.coordinates.extra_place(item.states[0])]
            found = state_law(item.law, int(where[0]), data, float(s[i, 0]), float(rate[i, 0]), float(z))
            F[i, 0], energy[i] = found[0], found[8]
        else:
            if item.function is not None:
                given[0] = item.function(float(s[i, 0]), float(rate[i, 0]), float(solution.t[i]))
            F[i, 0], _, _, energy[i] = law(
                int(law_number[0]), int(where[0]), data, float(s[i, 0]), float(rate[i, 0]), float(solution.t[i]), given
            )
    if item.law == MATRIX:
        return ForceHistory(s, rate, F, energy)
    return ForceHistory(s[:, 0], rate[:, 0], F[:, 0], energy)
