"""Slopes of force functions known by their values, checked by finer steps where a linear model is made of them.

In an iteration a slope by one difference is enough: it decides how fast it settles, not where. Modes and linear models
have nothing but slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.checks import warn_user
from flexmbs.core.errors import AccuracyWarning
from flexmbs.dynamics.stage_calls import state_of
from flexmbs.kernels.row_forces import measure, row_force_tangent
from flexmbs.model.forces.user_law import STEP, UserLaw

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics
    from flexmbs.integrators.contracts import StepState

__all__ = ["Slope", "checked_slope", "checked_slopes", "put_slopes"]

AGREE = 1e-4
"""Difference of slopes by two steps, relative to the larger, up to which they are one."""
FINER = 0.1
"""Of one step to the next."""
LEVELS = 9
"""Steps that are tried."""
VANISHES = 0.2
"""Share of the slope of one step up to which that of the next tends to zero, as of |v| v at rest."""
EPS = float(np.finfo(float).eps)


class Slope(NamedTuple):
    """A slope, whether it was found, and by how much the two of the steps that agree most differ, relative to it."""

    value: float
    found: bool
    off: float


def checked_slope(function: Callable[[float], float], x: float, h: float) -> Slope:
    """The slope at ``x`` by central differences of step ``h``, or of finer steps where these do not agree with it.

    Examples
    --------
    >>> import math
    >>> slope = checked_slope(lambda x: math.sin(1e7 * x), 0.0, 3e-7)
    >>> slope.found, abs(slope.value - 1e7) < 1e2
    (True, True)
    """
    slopes: list[float] = []
    off = float("inf")
    for _ in range(LEVELS):
        if slopes and h < 1e3 * EPS * abs(x):
            break
        sides = function(x + h), function(x - h)
        slopes.append((sides[0] - sides[1]) / (2.0 * h))
        if len(slopes) > 1:
            before, here = slopes[-2:]
            apart, size = abs(here - before), max(abs(here), abs(before))
            noise = 2.0 * EPS * (max(abs(sides[0]), abs(sides[1])) + abs(x) * size) / h
            off = min(off, apart / max(size, 1e-300))
            if apart <= AGREE * size:
                return Slope(slopes[0] if len(slopes) == 2 else here, True, off)
            if apart <= noise:  # of what does not hang on x, or not visibly
                return Slope(slopes[0] if len(slopes) == 2 else before, len(slopes) == 2, off)
        h *= FINER
    tends = len(slopes) > 3 and all(
        abs(b) <= VANISHES * abs(a) for a, b in zip(slopes[-4:-1], slopes[-3:], strict=True)
    )
    return Slope(slopes[-1] if tends else slopes[0], tends, off)


def checked_slopes(dyn: Dynamics, state: StepState) -> dict[int, tuple[float, float]]:
    """Slopes by coordinate and rate of the forces on rows whose functions do not give them, by their rows of ``given``.

    The markers are those of the state, which was evaluated last. Only what one difference gets wrong is among them.
    """
    out: dict[int, tuple[float, float]] = {}
    forces, work, t = dyn.mechanics.forces, dyn.markers, dyn.env.t
    for row, n, law in dyn.python.functions:
        if getattr(law, "derivatives", None) is not None:
            continue
        measure(n, forces, work)
        s, rate = float(work.S[24, 0]), float(work.S[25, 0])
        by = (
            checked_slope(lambda x, law=law, rate=rate: law(x, rate, t)[0], s, STEP * max(law.size, abs(s))),  # type: ignore[misc]
            checked_slope(lambda x, law=law, s=s: law(s, x, t)[0], rate, STEP * max(law.size, abs(rate))),  # type: ignore[misc]
        )
        for slope, what in zip(by, ("coordinate", "rate"), strict=True):
            if not slope.found:
                _warn(dyn, n, law, what, slope, s, rate)
        given = forces.given[row]
        if any(slope.value != now for slope, now in zip(by, given[1:3], strict=True)):
            out[row] = by[0].value, by[1].value
    return out


def put_slopes(
    dyn: Dynamics, state: StepState, slopes: dict[int, tuple[float, float]], weights: tuple[float, float]
) -> None:
    """The blocks of all forces on rows anew, with these slopes in place of those of the evaluation before."""
    forces = dyn.mechanics.forces
    for row, by in slopes.items():
        forces.given[row, 1:3] = by
    if slopes:
        row_force_tangent(forces, state_of(state.q, state.v, state.a, state.lam), dyn.env, dyn.markers, weights)


def _warn(dyn: Dynamics, n: int, law: Any, what: str, slope: Slope, s: float, rate: float) -> None:
    name = dyn.mechanics.force_owners[n].name
    advice = "give derivatives=" if isinstance(law, UserLaw) else "make its law smooth there"
    warn_user(
        f"the slope of the force {name!r} by its {what} is not found at ({s:.6g}, {rate:.6g}): differences of finer "
        f"and finer steps do not come closer to each other than {100.0 * slope.off:.2g} %, and {slope.value:.3g} is "
        f"used. Modes and linear models hang on it: {advice}.",
        AccuracyWarning,
    )
