r"""Tableaux of explicit Runge-Kutta methods: nodes c, stages A, weights b, weights e of an embedded error estimate.

.. math:: k_i = f(t + c_i h,\; y + h \sum_{j < i} A_{ij} k_j), \qquad y_1 = y + h \sum_i b_i k_i.

The last row of A of `DORMAND_PRINCE` is b: its last stage is the first of the next step. The estimate of `CLASSICAL`
is against the method of third order with weights (1/6, 1/3, 1/3, 0, 1/6) on its stages and that first one of the next
step, which stands at c = 1 as the fourth stage does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray

__all__ = ["CLASSICAL", "DORMAND_PRINCE", "MIDPOINT", "Tableau"]


class Tableau(NamedTuple):
    """``c (s,)``, ``A (s, s)`` strictly lower, ``b (s,)``; ``e (s + 1,)`` or empty: error, with the end's derivative.

    ``exponent``: 1 / (order of the local error that the estimate sees).
    """

    name: str
    c: FloatArray
    A: FloatArray
    b: FloatArray
    e: FloatArray
    exponent: float

    @property
    def weights(self) -> FloatArray:
        """Weights (s + 1, s) of the slopes before each stage, and in the last row those of the end."""
        return np.vstack((self.A, self.b))

    @property
    def nodes(self) -> tuple[float, ...]:
        """Times in a step at which it is evaluated, the end last, as parts of the step; each once, in their order."""
        return tuple(dict.fromkeys((*self.c[1:].tolist(), 1.0)))


def _lower(*rows: tuple[float, ...]) -> FloatArray:
    """Rows of growing length as a square matrix."""
    A = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        A[i, : len(row)] = row
    return A


MIDPOINT = Tableau(
    "explicit midpoint", np.array([0.0, 0.5]), _lower((), (0.5,)), np.array([0.0, 1.0]), np.zeros(0), 1.0 / 3.0
)

CLASSICAL = Tableau(
    "classical Runge-Kutta",
    np.array([0.0, 0.5, 0.5, 1.0]),
    _lower((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    np.array([1.0, 2.0, 2.0, 1.0]) / 6.0,
    np.array([0.0, 0.0, 0.0, 1.0, -1.0]) / 6.0,
    1.0 / 4.0,
)

DORMAND_PRINCE = Tableau(
    "Dormand-Prince 5(4)",
    np.array([0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0]),
    _lower(
        (),
        (1.0 / 5.0,),
        (3.0 / 40.0, 9.0 / 40.0),
        (44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0),
        (19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0),
        (9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0),
    ),
    np.array([35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0]),
    np.array([71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0]),
    1.0 / 5.0,
)
