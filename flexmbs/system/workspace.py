"""What evaluations of a compiled system write to: one workspace for every run, so that the system is constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core import linsolve
from flexmbs.core.contracts import Work
from flexmbs.core.linsolve.band import Band

if TYPE_CHECKING:
    from flexmbs.core.linsolve import LinearSolver
    from flexmbs.system.system import System

__all__ = ["Workspace"]


class Workspace:
    """Arrays, tables with memory, and the linear solver of one run; made by `flexmbs.system.system.System.workspace`.

    Attributes
    ----------
    work : Work
        ``r (n_v + n_c,)``, the residual, and ``B``, the buffer of blocks, whose sections are those of the system.
    mechanics : Mechanics
        That of the system with tables of its own for all that a run writes: angles from which turns are counted,
        reference frames of markers, values held for actuators and given by functions.
    solver : LinearSolver
        With storage of its own for the matrix and its factors.

    Notes
    -----
    Two analyses of one system never see each other: each makes its workspace. What has to outlive a step is in the
    state of the scheme, not here.
    """

    def __init__(self, system: System, *, symmetric: bool, in_place: bool) -> None:
        n = system.coordinates.n_v + system.mechanics.n_c
        self.work = Work(np.zeros(n), np.zeros(system.size))
        self.mechanics = system.mechanics.for_run()
        self.solver: LinearSolver = linsolve.choose(
            system.pattern, system.half_band, system.symmetric, system.multipliers, system.border
        )
        if isinstance(self.solver, Band):
            self.solver.in_place, self.solver.symmetric = in_place, symmetric
