r"""The decisions and the arithmetic of an explicit Runge-Kutta step, once for the loop in Python and compiled steps.

A step asks for its operations as methods of its argument. In Python these are those of `runge_kutta`; compiled steps
(`flexmbs.integrators.compiled.explicit_stages`) are the text of `advance`, with their operations in the places of the
calls. What sums or compares is a kernel that both call, so both find the same bits.
"""

from __future__ import annotations

import math
from typing import Protocol

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.integrators.chart import motion_curve
from flexmbs.kernels.steps import largest_of_bodies

__all__ = ["ExplicitStep", "advance", "all_finite", "estimated_error", "position_gap"]

ENDS = DONE, REFUSED, TURNED, APART, GROWN = range(5)
"""How a step ends: made; something could not be evaluated; a body turned too far; constraints are not met; it grew."""
FAR = 1e6
"""An increment of a body this many times its size is growth without bound."""
LOST = 1.0
"""Estimated error of a step, over the size of a body, from which its result says nothing."""
MET = 1e-6
"""Violation of positions over the size of the model, after their projection, with which no step is accepted."""


class ExplicitStep(Protocol):
    """What `advance` asks of a step.

    Attributes
    ----------
    stages : int
        Evaluations of the method, that at the begin of the step included; number ``stages`` is the end of the step.
    """

    stages: int

    def place(self, number: int) -> float:
        """Go to a stage, or to the end, by the slopes before it; the size of the increment over that of the bodies."""

    def finite(self) -> bool:
        """Whether the velocities there are."""

    def turned(self) -> bool:
        """Whether a body has turned too far in the increment."""

    def project(self) -> bool:
        """Meet the constraints at the end; whether compiled code could not (Python raises an error)."""

    def evaluate(self, number: int) -> bool:
        """Forces and constraints, and the slope of a stage; whether compiled code could not."""

    def apart(self) -> bool:
        """Whether the projection has left the constraints on positions apart."""

    def accelerate(self, number: int) -> bool:
        """Accelerations and multipliers at the stage; whether compiled code could not find them."""

    def measure(self) -> float:
        """The increment from the begin to the end of the step, and its size."""

    def settled(self) -> bool:
        """Whether accelerations and multipliers at the end are finite."""

    def estimate(self) -> float:
        """Estimate of the local error, over the size of the bodies."""


def advance(step: ExplicitStep) -> tuple[int, int, float]:
    """Make a step; how it ended (`ENDS`), at which stage, and its estimated error."""
    status, number, error = DONE, 0, 0.0
    for number in range(1, step.stages + 1):
        size = step.place(number)
        if not (size < FAR and step.finite()):
            status = GROWN
            break
        if number == step.stages:
            if step.turned():
                status = TURNED
                break
            refused = step.project()
            if refused:
                status = REFUSED
                break
        refused = step.evaluate(number)
        if refused:
            status = REFUSED
            break
        if number == step.stages and step.apart():
            status = APART
            break
        refused = step.accelerate(number)
        if refused:
            status = REFUSED
            break
    if status == DONE:
        size = step.measure()
        if not (size < FAR and step.finite() and step.settled()):
            status = GROWN
        else:
            error = step.estimate()
            if not error < LOST:
                status = GROWN
    return status, number, error


@kernel
def all_finite(x: FloatArray) -> bool:
    """Whether all numbers are finite."""
    for i in range(x.shape[0]):  # noqa: SIM110  # numba compiles no generators
        if not abs(x[i]) < math.inf:
            return False
    return True


@kernel
def position_gap(r: FloatArray, start: int, sizes: FloatArray, velocity_rows: IntArray) -> float:
    """Largest violation of constraints on positions, from ``start`` on in r, over their sizes; NaN if one is."""
    most = 0.0
    for i in range(sizes.shape[0]):
        if velocity_rows[i] == 0:
            gap = abs(r[start + i]) / sizes[i]
            if gap > most:
                most = gap
            elif not gap >= 0.0:
                return math.nan
    return most


@kernel
def estimated_error(
    e: FloatArray, h: float, v0: FloatArray, a0: FloatArray, theta: FloatArray, v1: FloatArray, a1: FloatArray,
    n_linear: int, slope: FloatArray, acceleration: FloatArray, rate: FloatArray, second: FloatArray,
    mass: FloatArray, body_of: IntArray, body_sizes: FloatArray, sums: FloatArray,
) -> float:  # fmt: skip
    r"""Estimate of the local error of a step with the increment theta, over the size of the bodies.

    With weights e on all stages and the derivatives at the end, whose accelerations are in the last row:
    the larger of :math:`h \sum e_j \dot\theta_j` and :math:`h^2 \sum e_j \dot v_j`. Without weights the difference of
    the increment and :math:`\tfrac{h}{2}(\dot\theta_0 + \dot\theta_1) + \tfrac{h^2}{12}(\ddot\theta_0 -
    \ddot\theta_1)`. ``slope, acceleration (n + 1, n_v)``; the last slope, ``rate`` and ``second`` are overwritten.
    """
    motion_curve(theta, v1, a1, n_linear, rate, second)
    n = slope.shape[0] - 1
    if e.shape[0] == 0:
        for i in range(v0.shape[0]):
            rate[i] = theta[i] - (0.5 * h * (v0[i] + rate[i]) + h * h / 12.0 * (a0[i] - second[i]))
        return largest_of_bodies(rate, mass, body_of, body_sizes, sums)
    for i in range(v0.shape[0]):
        slope[n, i] = rate[i]
        x = y = 0.0
        for j in range(n + 1):
            x += e[j] * slope[j, i]
            y += e[j] * acceleration[j, i]
        rate[i], second[i] = h * x, h * h * y
    positions = largest_of_bodies(rate, mass, body_of, body_sizes, sums)
    velocities = largest_of_bodies(second, mass, body_of, body_sizes, sums)
    if velocities > positions:
        return velocities
    return positions if positions >= velocities else math.nan
