"""What a force between markers did during a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.forces.laws import BRISTLE, MATRIX, bristle_law, law, matrix_law
from flexmbs.forces.row_force import pack
from flexmbs.joints.rows import row_gradient

if TYPE_CHECKING:
    from flexmbs.time_solution import TimeSolution

__all__ = ["ForceHistory", "force_history"]


class ForceHistory(NamedTuple):
    """Histories (n_t, m) of the m rows of a force; m is 1 for all but bushings, whose rows are in their order.

    ``coordinate``: the row (elongation, angle, ...); ``rate``; ``force``: with the sign of a spring, positive where it
    acts against the coordinate; ``energy (n_t,)``: its potential.
    """

    coordinate: FloatArray
    rate: FloatArray
    force: FloatArray
    energy: FloatArray


def force_history(solution: TimeSolution, force: Any) -> ForceHistory:
    """Rows, rates and forces at all stored times."""
    items = list(getattr(force, "row_forces", ()))
    if len(items) != 1:
        raise ModelError(f"force {force.name!r}: it has no coordinate; ask for what you know of its markers.")
    item = items[0]
    n_t, m = len(solution), len(item.rows)
    law_number, where, data = pack([item])
    pa, Ra, ta, _ = solution._kinematics(item.a)
    pb, Rb, tb, _ = solution._kinematics(item.b)
    s, rate, F, energy = np.empty((n_t, m)), np.empty((n_t, m)), np.empty((n_t, m)), np.empty(n_t)
    c, near, G, given = np.zeros((m, 12)), np.zeros(m), np.zeros((1, 12)), np.zeros((1, 4))
    for j, row in enumerate(item.rows):
        c[j, : len(row.constants)] = row.constants
    for i in range(n_t):
        p, R = np.array([pa[i], pb[i]]), np.array([Ra[i], Rb[i]])
        for j, row in enumerate(item.rows):
            s[i, j] = row_gradient(row.kind, j, c, near, 0, 1, p, R, G, 0)
            near[j] = s[i, j]
            rate[i, j] = row.factor * (G[0, :6] @ ta[i] + G[0, 6:] @ tb[i])
            s[i, j] *= row.factor
        if item.law == MATRIX:
            energy[i] = matrix_law(int(where[0]), data, s[i], rate[i], F[i])
        elif item.law == BRISTLE:
            z = solution.v[i, solution.system.coordinates.extra_place(item.states[0])]
            found = bristle_law(int(where[0]), data, float(z), float(rate[i, 0]))
            F[i, 0], energy[i] = found[0], found[6]
        else:
            if item.function is not None:
                given[0] = item.function(float(s[i, 0]), float(rate[i, 0]), float(solution.t[i]))
            F[i, 0], _, _, energy[i] = law(
                int(law_number[0]), int(where[0]), data, float(s[i, 0]), float(rate[i, 0]), float(solution.t[i]), given
            )
    return ForceHistory(s, rate, F, energy)
