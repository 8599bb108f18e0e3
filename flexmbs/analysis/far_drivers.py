r"""Drivers of joints that are far from where flexible bodies are described: equilibria on the way there.

Assembly moves positions onto the joints by the least change in the metric of the mass: of a flexible body the node at
the joint alone. Turned far, that node folds the elements beside it, and a folded element can be in equilibrium, free of
stress at all its points of integration. So the joints are closed in steps, with an equilibrium in each,

.. math:: g(q, t) = (1 - \sigma)\, g(q_0, t), \qquad \sigma = 1/n, 2/n, \dots, 1,

where :math:`q_0` is described and n such that no node turns by more than `WAY` in a step.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmbs.analysis.rest import EquationsOfRest, Point

__all__ = ["FAR", "FarDrivers"]

FAR = 1.0
"""Turn of a node [rad] by the assembly beyond which it is approached in steps."""
WAY = 0.25
"""Largest turn [rad] of a node in one of these steps."""


class FarDrivers:
    """The way from a ``described`` point, on which a node turns by ``turn`` [rad], to where drivers are held.

    The drivers of ``equations`` are held there already.
    """

    def __init__(self, equations: EquationsOfRest, described: Point, turn: float) -> None:
        dyn = self._dyn = equations.dyn
        self._gap = equations.residual(described)[dyn.n_v :].copy()
        self._steps = int(np.ceil(turn / WAY))

    def steps(self) -> Iterator[None]:
        """Hold what is left of the way open, step after step, at last nothing."""
        closed = self._dyn.given[self._dyn.n_v :].copy()
        for number in range(1, self._steps + 1):
            self._dyn.given[self._dyn.n_v :] = closed - (1.0 - number / self._steps) * self._gap
            yield
