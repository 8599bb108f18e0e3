r"""Successive projection: one decomposition a step for two sweeps of the positions and two of the velocities.

Normalisation of the quaternions and joints are met one after the other, not together. From the state
:math:`(\bar q, \bar v)` of the scheme, with i = 1, 2,

.. math:: \bar{\bar q}_i = q_{i-1} + \Delta_b, \quad q_i = \bar{\bar q}_i + T(\bar{\bar q}_i)\,\delta_i, \quad
   G(\bar{\bar q}_1)\,\delta_i = -g(\bar{\bar q}_i), \quad
   v_i = v_{i-1} + \zeta_i, \quad G(\bar{\bar q}_1)\,\zeta_i = -(G v_{i-1} + b)(q).

:math:`\Delta_b` is a closed form (`flexmbs.integrators.constraints.quaternions`), and T(q) delta does not change the
length of quaternions to first order. D. Vlasenko, R. Kasper, Successive projection method for the simulation of spatial
dynamics of multibodies, eqs. 34 to 52; there the steps are smallest in the sum of squares of metres and radians, here
in the metric of the mass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.integrators.constraints.contracts import Plain
from flexmbs.integrators.constraints.quaternions import move_straight, renormalise
from flexmbs.integrators.index_one import IndexOne

__all__ = ["SuccessiveProjection"]

SWEEPS = 2
"""Of the positions and of the velocities; as in the source."""


@dataclass(frozen=True, kw_only=True)
class SuccessiveProjection:
    r"""Projection with one decomposition a step, in two sweeps of the positions and two of the velocities.

    .. math:: q_i = \bar q_i + T\delta_i, \quad G(\bar q_1)\,\delta_i = -g(\bar q_i), \qquad
       v_i = v_{i-1} + \zeta_i, \quad G(\bar q_1)\,\zeta_i = -(G v_{i-1} + b), \qquad i = 1, 2

    with quaternions renormalised in between. D. Vlasenko, R. Kasper, Successive projection method for the simulation of
    spatial dynamics of multibodies, eqs. 34 to 52; here in the metric of the mass.

    Notes
    -----
    The second sweep takes the violation off by a factor of about the change of G over the first, so that with an error
    e of the step there is left about e^3 of the positions, and round-off of the velocities. Redundant constraints and
    rolling are treated.

    Examples
    --------
    >>> SuccessiveProjection()
    SuccessiveProjection()
    """

    def check(self, equations: IndexOne, redundant: tuple[str, ...]) -> None:
        """Everything can be treated."""

    def keeper(self, equations: IndexOne) -> _Successive:
        """What does the work in one run."""
        return _Successive(equations)


class _Successive(Plain):
    """Sweeps with the factors of the state that the scheme has found."""

    def project(self, t: float, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        e = self.equations
        if not e.n_c:
            return super().project(t, q, v)
        n_linear = e.dynamics.n_linear
        q = q.copy()
        renormalise(q, n_linear)
        e.evaluate(t, q, v)
        e.decompose()
        for sweep in range(SWEEPS):
            if sweep:
                e.values(q, v)
            moved = np.empty_like(q)
            move_straight(q, e.step_to_positions(), n_linear, moved)
            renormalise(moved, n_linear)
            q = moved
        for _ in range(SWEEPS):
            e.values(q, v)
            v = v + e.step_to_velocities()
        e.evaluate(t, q, v)
        return q, v
