"""Local errors of a backward differentiation formula at neighbouring orders, and what order and step follow from them.

The loop in Python and compiled steps call the same functions.
"""

from __future__ import annotations

import math

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.kernels.steps import largest_of_bodies

__all__ = ["CALM", "FACTOR", "NUMBERS", "ORDER", "RISING", "TARGET", "choose", "longest_step", "order_of"]

NUMBERS = ORDER, CALM, RISING, TARGET, FACTOR = range(5)
"""What is decided at the end of a step: order of the next one; steps made since the order changed; whether order and
step still grow from the start; step wanted; its ratio to the one made."""
LEAST_GAIN, MOST_GAIN = 1.2, 2.0
"""Gain of the step from which it is changed, and the largest."""


@kernel
def size_of_change(
    x: FloatArray, y: FloatArray, mass: FloatArray, body_of: IntArray, body_sizes: FloatArray, sums: FloatArray,
    change: FloatArray,
) -> float:  # fmt: skip
    """`Dynamics.size_of` x - y, which is left in ``change``."""
    for i in range(x.shape[0]):
        change[i] = x[i] - y[i]
    return largest_of_bodies(change, mass, body_of, body_sizes, sums)


@kernel
def order_of(
    wanted: int, most: int, fixed: bool, n: int, h: float, h_old: float, values: FloatArray, constants: FloatArray,
    mass: FloatArray, body_of: IntArray, body_sizes: FloatArray, sums: FloatArray, change: FloatArray,
) -> int:  # fmt: skip
    """Order of a step of size h, with n data, after one of size h_old.

    Fixed steps have the largest; others the one that is wanted, or, after a failure, the one not above it for which the
    past says the least error.
    """
    if fixed:
        return min(most, n)
    order = min(wanted, most, n - 1)
    if h_old == 0.0 or abs(h) >= 0.5 * abs(h_old):
        return order
    count, best, least = min(order, n - 2), 1, math.inf
    for m in range(1, count + 1):
        error = size_of_change(values[0, m + 1], values[0, m], mass, body_of, body_sizes, sums, change) * constants[m]
        if error < least:
            best, least = m, error
    return best if best < count else order


@kernel
def error_of(
    m: int, order: int, n: int, h: float, tolerance: float, constants: FloatArray, values: FloatArray,
    theta: FloatArray, v: FloatArray, mass: FloatArray, body_of: IntArray, body_sizes: FloatArray, sums: FloatArray,
    change: FloatArray,
) -> float:  # fmt: skip
    """Local error of order m over the tolerance, of a step made with ``order``; infinite if the past does not tell."""
    if not 1 <= m < n:
        return math.inf
    c: float = abs(constants[m])
    if m == order:
        c = c / (1.0 + c)
    by_q = size_of_change(theta, values[0, m], mass, body_of, body_sizes, sums, change)
    by_v = abs(h) * size_of_change(v, values[1, m], mass, body_of, body_sizes, sums, change)
    return c * (by_v if by_v > by_q else by_q) / tolerance


@kernel
def choose(
    now: FloatArray, points: int, most: int, fixed: bool, order: int, n: int, h: float, tolerance: float,
    constants: FloatArray, values: FloatArray, theta: FloatArray, v: FloatArray, mass: FloatArray, body_of: IntArray,
    body_sizes: FloatArray, sums: FloatArray, change: FloatArray, then: FloatArray,
) -> float:  # fmt: skip
    """Error over the tolerance of a step; ``now``, ``then``: `NUMBERS` before and after it.

    ``points``: past points before it; ``order``: its own; n data. Of fixed steps no factor is told.
    """
    found = error_of(
        min(order, n - 1), order, n, h, tolerance, constants, values, theta, v, mass, body_of, body_sizes, sums, change
    )  # fmt: skip
    then[ORDER], then[CALM], then[RISING], then[TARGET], then[FACTOR] = order, 0.0, 0.0, now[TARGET], 1.0
    if fixed:
        return found
    if found <= 1.0:
        same, below = gain(found, order, 2.0), 0.0
        if order > 1:
            below = gain(
                error_of(
                    order - 1, order, n, h, tolerance, constants, values, theta, v, mass, body_of, body_sizes, sums,
                    change,
                ),
                order - 1, 2.0,
            )  # fmt: skip
        if not grows(now, most, order, same, below, then):
            above = 0.0
            if now[CALM] + 1.0 > order and order < most:
                above = gain(
                    error_of(
                        order + 1, order, n, h, tolerance, constants, values, theta, v, mass, body_of, body_sizes,
                        sums, change,
                    ),
                    order + 1, 3.0,
                )  # fmt: skip
            settle(now, order, same, below, above, then)
    else:
        then[FACTOR] = max(0.25, 0.9 * math.pow(2.0 * found, -1.0 / (order + 1))) if found < math.inf else 0.25
    factor = then[FACTOR]
    cut = points > 0 and factor >= 1.0 and abs(h) < 0.99 * now[TARGET]  # by a sample, say
    then[TARGET] = max(abs(h) * factor, now[TARGET] if cut else 0.0)
    return found


@kernel
def grows(now: FloatArray, most: int, order: int, same: float, below: float, then: FloatArray) -> bool:
    """Whether order or step still rise from the start; then they do.

    ``same``, ``below``: the gains of the step at the order and one below.
    """
    if now[RISING] == 0.0 or below > same:
        return False
    if order < most and same > 1.0:
        then[ORDER], then[RISING], then[FACTOR] = order + 1, 1.0, min(MOST_GAIN, same)
        return True
    if same >= MOST_GAIN:
        then[RISING], then[FACTOR] = 1.0, MOST_GAIN
        return True
    return False


@kernel
def settle(now: FloatArray, order: int, same: float, below: float, above: float, then: FloatArray) -> None:
    """Order and step by their gains; both are left for as many steps as the order has."""
    calm = now[CALM] + 1.0
    if calm <= order:
        then[CALM], then[FACTOR] = calm, ratio(same) if same < 1.0 else 1.0
        return
    best, chosen = same, order
    if below > best:
        best, chosen = below, order - 1
    if above >= best:
        best, chosen = above, order + 1
    if chosen != order and best < LEAST_GAIN:
        best, chosen = same, order
    factor = ratio(best)
    then[ORDER], then[FACTOR] = chosen, factor
    then[CALM] = 0.0 if chosen != order or factor != 1.0 else calm


@kernel
def gain(error: float, order: int, safety: float) -> float:
    """How many times longer a step of this order may be, by its error over the tolerance."""
    return math.pow(safety * max(error, 1e-12), -1.0 / (order + 1))


@kernel
def ratio(gain: float) -> float:
    """The ratio of steps for a gain that the errors allow; small gains are left alone."""
    if gain >= LEAST_GAIN:
        return min(gain, MOST_GAIN)
    return 1.0 if gain >= 1.0 else max(0.5, 0.9 * gain)


@kernel
def longest_step(
    longest: float, fixed: bool, points: int, target: float, passed: float, parts: FloatArray, size: float,
    tolerance: float,
) -> float:  # fmt: skip
    """Longest step from a state, not above ``longest``, by what the start of a run asks for.

    Of fixed steps that is the ``parts`` of the first ones, ``passed`` after the start. Else a first step has an error
    of half the tolerance by the ``size`` of its acceleration, and steps grow from there to the ``target``.
    """
    if fixed:
        if target > 0.0 and parts.shape[0] > 0:
            number = passed / target + 1e-6
            if -1.0 < number < parts.shape[0]:
                part: float = target / parts[int(number)]
                return min(longest, part)
        return longest
    if points > 0:
        return min(longest, target)
    return min(longest, math.sqrt(tolerance / size)) if size > 0.0 else longest
