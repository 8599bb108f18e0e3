r"""The arithmetic of a step of Radau IIA, over arrays alone: what the loop in Python and compiled steps both call.

Arrays of stages are (3, n_v) or (3, n_c): V, Y, theta, a and lam as in `radau_newton`, v the velocities. With the
eigenvalues of :math:`A^{-1}` the weights of the matrices are w = h / `REAL` and z = h / `COMPLEX`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.integrators.collocation import (
    COMPLEX,
    COMPLEX_LEFT,
    COMPLEX_RIGHT,
    ESTIMATE,
    FROM_START,
    NODES,
    RADAU,
    RADAU_INVERSE,
    REAL,
    REAL_LEFT,
    REAL_RIGHT,
    STAGES,
    increments,
    weight,
)
from flexmbs.kernels.steps import retract

__all__ = [
    "EXPONENT",
    "FOREMOST",
    "KEEP",
    "LATEST",
    "against",
    "ahead",
    "change_stages",
    "combine",
    "copy_state",
    "filtered",
    "follow",
    "keep_stage",
    "larger",
    "left_of_positions",
    "next_factor",
    "overwrite",
    "product",
    "prolong",
    "put",
    "rest",
    "right_sides",
    "same_state",
    "scatter_complex",
    "slopes_at_start",
    "split",
    "states_small",
    "take",
    "widened",
    "without_velocity_rows",
]  # fmt: skip

Slots = NDArray[np.int32]

FOREMOST = 0.7
"""Where in the step the Jacobian is made, over the step: in the middle of the last two stages and the end."""
KEEP = 1e-3
"""Rate of convergence up to which the Jacobian is kept for the next step."""
SAFETY, SHRINK, GROW, LEAST = 0.9, 0.125, 5.0, 1e-10
BEGUN = 0.1
"""The next try over a first step whose error was too large."""
BRISK = 0.1
"""Rate of convergence from which steps do not grow; it rises with the square of the step or faster."""
SAME = 1.2
"""Growth of a step up to which it stays as it is where the factors can then be used again."""
EXPONENT = 0.25
"""1 / (order of the local error that the estimate sees)."""
CUT = 0.9
"""Size of a step over the one proposed from which others have failed before it."""
LATEST = 1e-2
"""Error that is remembered of a step at least."""

PAIR_RE, PAIR_IM = COMPLEX.real, COMPLEX.imag
BACK_RE, BACK_IM = (1.0 / COMPLEX).real, (1.0 / COMPLEX).imag
LEFT_RE, LEFT_IM = COMPLEX_LEFT.real.copy(), COMPLEX_LEFT.imag.copy()
RIGHT_RE, RIGHT_IM = COMPLEX_RIGHT.real.copy(), COMPLEX_RIGHT.imag.copy()
"""Parts of what is complex, which kernels take for numbers of their own."""


# --- guesses -----------------------------------------------------------------------------------------------------


@kernel
def rest(lam0: FloatArray, V: FloatArray, Y: FloatArray, theta: FloatArray, lam: FloatArray) -> None:
    """Stages without motion."""
    for i in range(3):
        for k in range(V.shape[1]):
            V[i, k] = Y[i, k] = theta[i, k] = 0.0
        for k in range(lam0.shape[0]):
            lam[i, k] = lam0[k]


@kernel
def prolong(
    h: float, h_old: float, v_old: FloatArray, before: FloatArray, v0: FloatArray, lam_before: FloatArray,
    lam0: FloatArray, V: FloatArray, lam: FloatArray,
) -> None:  # fmt: skip
    """Guess V and multipliers by the polynomials of the step before, whose first two stages are ``before`` (2, n)."""
    for i in range(3):
        s = 1.0 + NODES[i] * h / h_old
        a, b, c, d = (
            weight(FROM_START, 0, s),
            weight(FROM_START, 1, s),
            weight(FROM_START, 2, s),
            weight(FROM_START, 3, s),
        )
        for k in range(v0.shape[0]):
            old = v_old[k]
            V[i, k] = a * old + b * (old + before[0, k]) + c * (old + before[1, k]) + d * v0[k] - v0[k]
        a, b, c = weight(STAGES, 0, s), weight(STAGES, 1, s), weight(STAGES, 2, s)
        for k in range(lam0.shape[0]):
            lam[i, k] = a * lam_before[0, k] + b * lam_before[1, k] + c * lam0[k]


@kernel
def follow(
    h: float, v0: FloatArray, V: FloatArray, Y: FloatArray, n_linear: int, v: FloatArray, a: FloatArray,
    theta: FloatArray,
) -> None:  # fmt: skip
    """Velocities, accelerations and increments of the positions of V and Y."""
    for i in range(3):
        for k in range(v0.shape[0]):
            a[i, k] = (
                RADAU_INVERSE[i, 0] * V[0, k] + RADAU_INVERSE[i, 1] * V[1, k] + RADAU_INVERSE[i, 2] * V[2, k]
            ) / h
            v[i, k] = v0[k] + V[i, k]
    increments(h, v, Y, n_linear, theta)


@kernel
def ahead(
    q0: FloatArray, v0: FloatArray, V: FloatArray, theta: FloatArray, a: FloatArray, lam: FloatArray, n_linear: int,
    way: FloatArray, q: FloatArray, v1: FloatArray, a1: FloatArray, lam1: FloatArray,
) -> None:  # fmt: skip
    """A state within the step that is expected, whose Jacobian suits all stages; ``way`` (n_v,): scratch."""
    x, y, z = weight(FROM_START, 1, FOREMOST), weight(FROM_START, 2, FOREMOST), weight(FROM_START, 3, FOREMOST)
    for k in range(v0.shape[0]):
        way[k] = x * theta[0, k] + y * theta[1, k] + z * theta[2, k]
        v1[k] = v0[k] + (x * V[0, k] + y * V[1, k] + z * V[2, k])
        a1[k] = a[1, k]
    retract(q0, way, n_linear, q)
    x, y, z = weight(STAGES, 0, FOREMOST), weight(STAGES, 1, FOREMOST), weight(STAGES, 2, FOREMOST)
    for k in range(lam1.shape[0]):
        lam1[k] = x * lam[0, k] + y * lam[1, k] + z * lam[2, k]


# --- matrices ----------------------------------------------------------------------------------------------------


@kernel
def same_state(
    q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray,
    lam1: FloatArray,
) -> bool:  # fmt: skip
    """Whether two states are the same to the last bit."""
    same = True
    for k in range(q.shape[0]):
        same = same and q[k] == q1[k]
    for k in range(v.shape[0]):
        same = same and v[k] == v1[k] and a[k] == a1[k]
    for k in range(lam.shape[0]):
        same = same and lam[k] == lam1[k]
    return same


@kernel
def split(kinds: IntArray, both: FloatArray, slopes: FloatArray, powers: FloatArray) -> None:
    """Blocks by powers of w (3, n), from tangents with the weights (1, 1) and (0, 1) and rows on rates.

    ``kinds (n,)``: 1 in rows of constraints, 2 in their columns alone, 0 elsewhere. The difference of both is K, and in
    the rows of constraints what positions do to rates.
    """
    for k in range(kinds.shape[0]):
        difference = both[k] - slopes[k]
        if kinds[k] == 1:
            powers[0, k], powers[1, k], powers[2, k] = slopes[k], difference, 0.0
        elif kinds[k] == 2:
            powers[0, k], powers[1, k], powers[2, k] = slopes[k], 0.0, difference
        else:
            powers[0, k], powers[1, k], powers[2, k] = 0.0, slopes[k], difference


@kernel
def combine(powers: FloatArray, source: Slots, h: float, out: FloatArray) -> None:
    """The blocks of the real matrix, at the entries that count."""
    w = h / REAL
    for i in range(source.shape[0]):
        k = source[i]
        out[k] = powers[0, k] + w * (powers[1, k] + w * powers[2, k])


@kernel
def scatter_complex(
    powers: FloatArray, source: Slots, slots: Slots, h: float, mass: FloatArray, mass_slots: Slots,
    compliance: FloatArray, equations: IntArray, diagonal: Slots, re: FloatArray, im: FloatArray,
) -> None:  # fmt: skip
    """Clear ``re`` and ``im``; add entries of the complex matrix, the mass and -compliance (n_c,) at their slots."""
    x, y = h * BACK_RE, h * BACK_IM
    x2, y2 = x * x - y * y, 2.0 * (x * y)
    re[:] = 0.0
    im[:] = 0.0
    for i in range(mass.shape[0]):
        re[mass_slots[i]] += mass[i]
    for i in range(source.shape[0]):
        k, j = source[i], slots[i]
        re[j] += powers[0, k] + (x * powers[1, k] + x2 * powers[2, k])
        im[j] += y * powers[1, k] + y2 * powers[2, k]
    for i in range(diagonal.shape[0]):
        re[diagonal[i]] -= compliance[equations[i]]


@kernel
def product(
    B: FloatArray, source: Slots, rows: IntArray, columns: IntArray, x: FloatArray, y: FloatArray
) -> None:  # fmt: skip
    """y = B x for the entries of blocks that count, in the order of the unknowns."""
    y[:] = 0.0
    for i in range(source.shape[0]):
        y[rows[i]] += B[source[i]] * x[columns[i]]


# --- iterations --------------------------------------------------------------------------------------------------


@kernel
def keep_stage(
    i: int, out: FloatArray, rates: FloatArray, r: FloatArray, gap: FloatArray, rate: FloatArray
) -> None:  # fmt: skip
    """Residual, violations of positions and their rates of stage i, from a residual and rates just evaluated."""
    n_v = r.shape[1]
    for k in range(n_v):
        r[i, k] = out[k]
    for k in range(rates.shape[0]):
        gap[i, k] = out[n_v + k]
        rate[i, k] = rates[k]


@kernel
def left_of_positions(
    h: float, gap: FloatArray, rate: FloatArray, velocity_rows: IntArray, left: FloatArray
) -> None:  # fmt: skip
    """What the increments of the velocities will leave of the constraints on positions."""
    for i in range(3):
        for k in range(velocity_rows.shape[0]):
            moved = h * (RADAU[i, 0] * rate[0, k] + RADAU[i, 1] * rate[1, k] + RADAU[i, 2] * rate[2, k])
            left[i, k] = 0.0 if velocity_rows[k] == 1 else gap[i, k] - moved


@kernel
def put(y: FloatArray, r: FloatArray) -> None:
    """r = (0, y): a right side of the constraints alone."""
    n = r.shape[0] - y.shape[0]
    for k in range(n):
        r[k] = 0.0
    for k in range(y.shape[0]):
        r[n + k] = y[k]


@kernel
def take(d: FloatArray, y: FloatArray) -> None:
    """y += the first numbers of d."""
    for k in range(y.shape[0]):
        y[k] += d[k]


@kernel
def against(force: FloatArray, n_v: int, r: FloatArray) -> None:
    """r = (-force, 0): a right side of the first n_v numbers of a force."""
    for k in range(n_v):
        r[k] = -force[k]
    for k in range(n_v, r.shape[0]):
        r[k] = 0.0


@kernel
def overwrite(x: FloatArray, out: FloatArray) -> None:
    """The first numbers of x into ``out``."""
    for k in range(out.shape[0]):
        out[k] = x[k]


@kernel
def copy_state(
    q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray,
    lam1: FloatArray,
) -> None:  # fmt: skip
    """Four arrays into four others."""
    overwrite(q, q1)
    overwrite(v, v1)
    overwrite(a, a1)
    overwrite(lam, lam1)


@kernel
def without_velocity_rows(r: FloatArray, n_v: int, velocity_rows: IntArray, gaps: FloatArray) -> None:
    """Violations of the constraints on positions, behind n_v numbers in r; zero for those on velocities."""
    for k in range(gaps.shape[0]):
        gaps[k] = 0.0 if velocity_rows[k] == 1 else r[n_v + k]


@kernel
def larger(one: float, other: float) -> float:
    """The larger of two numbers, NaN if one is."""
    if other > one or not other >= 0.0:
        return other
    return one


@kernel
def right_sides(
    h: float, r: FloatArray, rate: FloatArray, real: FloatArray, re: FloatArray, im: FloatArray
) -> None:  # fmt: skip
    """Right sides of the real and the complex system with the other sign, as residuals have it."""
    n_v, w, x, y = r.shape[1], h / REAL, h * BACK_RE, h * BACK_IM
    for k in range(n_v):
        real[k] = w * (REAL_LEFT[0] * r[0, k] + REAL_LEFT[1] * r[1, k] + REAL_LEFT[2] * r[2, k])
        a = LEFT_RE[0] * r[0, k] + LEFT_RE[1] * r[1, k] + LEFT_RE[2] * r[2, k]
        b = LEFT_IM[0] * r[0, k] + LEFT_IM[1] * r[1, k] + LEFT_IM[2] * r[2, k]
        re[k], im[k] = x * a - y * b, x * b + y * a
    for k in range(rate.shape[1]):
        real[n_v + k] = REAL_LEFT[0] * rate[0, k] + REAL_LEFT[1] * rate[1, k] + REAL_LEFT[2] * rate[2, k]
        re[n_v + k] = LEFT_RE[0] * rate[0, k] + LEFT_RE[1] * rate[1, k] + LEFT_RE[2] * rate[2, k]
        im[n_v + k] = LEFT_IM[0] * rate[0, k] + LEFT_IM[1] * rate[1, k] + LEFT_IM[2] * rate[2, k]


@kernel
def change_stages(
    h: float, d: FloatArray, re: FloatArray, im: FloatArray, V: FloatArray, lam: FloatArray, change: FloatArray
) -> None:  # fmt: skip
    """Add what the real and the complex system have given to velocities and multipliers; the change of the former."""
    n_v = V.shape[1]
    for i in range(3):
        for k in range(n_v):
            change[i, k] = REAL_RIGHT[i] * d[k] + (RIGHT_RE[i] * re[k] - RIGHT_IM[i] * im[k])
            V[i, k] += change[i, k]
        for k in range(lam.shape[1]):
            a, b = re[n_v + k], im[n_v + k]
            x, y = (a * PAIR_RE - b * PAIR_IM) / h, (a * PAIR_IM + b * PAIR_RE) / h
            lam[i, k] += REAL_RIGHT[i] * (d[n_v + k] * REAL / h) + (RIGHT_RE[i] * x - RIGHT_IM[i] * y)


@kernel
def states_small(
    states: IntArray, resolutions: FloatArray, v0: FloatArray, V: FloatArray, change: FloatArray, rtol: float
) -> bool:  # fmt: skip
    """Whether the last changes of the first-order states are small against the states, each in its own unit."""
    for n in range(states.shape[0]):
        k = states[n]
        value = abs(v0[k]) + max(abs(V[0, k]), abs(V[1, k]), abs(V[2, k]))
        moved = max(abs(change[0, k]), abs(change[1, k]), abs(change[2, k]))
        if not moved <= rtol * value + resolutions[n]:
            return False
    return True


# --- the end of a step -------------------------------------------------------------------------------------------


@kernel
def slopes_at_start(
    h: float, v0: FloatArray, a0: FloatArray, theta: FloatArray, V: FloatArray, slope: FloatArray, second: FloatArray
) -> None:  # fmt: skip
    """What the embedded formula makes of the derivatives at the start of the step, of positions and velocities."""
    for k in range(v0.shape[0]):
        slope[k] = v0[k] + (ESTIMATE[0] * theta[0, k] + ESTIMATE[1] * theta[1, k] + ESTIMATE[2] * theta[2, k]) / h
        second[k] = a0[k] + (ESTIMATE[0] * V[0, k] + ESTIMATE[1] * V[1, k] + ESTIMATE[2] * V[2, k]) / h


@kernel
def filtered(h: float, momentum: FloatArray, stiff: FloatArray, r: FloatArray) -> None:
    """Right side of the filter of the estimate, with the other sign; ``stiff``: K times the slope of the positions."""
    w = h / REAL
    n = momentum.shape[0]
    for k in range(n):
        r[k] = (w * w) * stiff[k] - w * momentum[k]
    for k in range(n, r.shape[0]):
        r[k] = 0.0


@kernel
def widened(h: float, speed: FloatArray, slope: FloatArray) -> None:
    """slope = w (speed + slope): the error of the positions."""
    w = h / REAL
    for k in range(slope.shape[0]):
        slope[k] = w * (speed[k] + slope[k])


@kernel
def next_factor(
    error: float, h: float, known: bool, h_before: float, error_before: float, proposed: float, number: int, most: int,
    rate: float, keep: bool, exponent: float,
) -> float:  # fmt: skip
    """The next step over this one; the predictive controller after two steps.

    ``known``: whether there was a step before, of which ``h_before``, ``error_before`` and what it ``proposed`` are
    remembered; ``number`` of ``most`` iterations were made; ``keep``: whether the Jacobian is.
    """
    if not known and error > 1.0:
        factor = BEGUN
    else:
        safety = min(SAFETY, SAFETY * (1.0 + 2.0 * most) / (number + 2.0 * most))
        error = max(error, LEAST)
        factor = safety * math.pow(error, -exponent)
        if known and error <= 1.0:
            ratio = math.pow(error_before / (error * error), exponent)
            factor = min(factor, SAFETY * abs(h / h_before) * ratio)
        if error <= 1.0:  # grow no faster than Newton's method can follow
            factor = min(factor, max(1.0, math.sqrt(BRISK / max(rate, LEAST))))
            if known and abs(h) < CUT * abs(proposed):
                factor = min(factor, 1.0)
        factor = min(GROW, max(SHRINK, factor))
    if keep and 1.0 <= factor <= SAME:
        factor = 1.0
    return factor
