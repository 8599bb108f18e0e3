r"""Solve `flexmbs.verification.reference.rod.Rod` to about 1e-12.

The equations are collocated in integrated form at Chebyshev points and solved by Newton's method under growing loads.
A load step is refused when a tangent turns by more than 0.4 rad, when the result is far from the linear prediction, or
when the determinant of the Jacobian changes its sign, so that the solution stays on the stable branch that begins at
the stress-free shape. The error is estimated by comparison with a solution of 1.5 times as many points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import as_array
from flexmbs.core.errors import ConvergenceError
from flexmbs.verification.reference.chebyshev import grid, interpolate, resample
from flexmbs.verification.reference.rod import Rod, rod_rates

__all__ = ["RodGuess", "RodSolution", "solve_rod"]

FloatArray = NDArray[np.float64]

_LARGEST_TURN = 0.4  # of any tangent within a load step [rad]: farther away lie other equilibria
_LARGEST_SURPRISE = 0.3  # deviation from the linear prediction, as a part of that turn
_SMALLEST_STEP = 1e-6
_ROUND_OFF = 1e-13


@dataclass(frozen=True)
class RodSolution:
    """A solved rod at the points ``S`` (n,), from the start to the end.

    ``x``, ``y``, ``theta`` (n,): shape; ``stretch`` = lambda; ``M``; ``force`` (n, 2): the internal force n; ``error``:
    estimated largest error of x/L, y/L and theta.
    """

    rod: Rod
    S: FloatArray
    x: FloatArray
    y: FloatArray
    theta: FloatArray
    stretch: FloatArray
    M: FloatArray
    force: FloatArray
    error: float

    @property
    def tip(self) -> tuple[float, float, float]:
        """x, y and theta at the end."""
        return float(self.x[-1]), float(self.y[-1]), float(self.theta[-1])

    def at(self, S: FloatArray | float) -> FloatArray:
        """x, y, theta at any reference arc lengths, shape (..., 3), by the interpolating polynomial."""
        return interpolate(self.S, np.stack([self.x, self.y, self.theta], axis=-1), np.asarray(S, dtype=np.float64))


class RodGuess(NamedTuple):
    """A guess for `solve_rod`: theta, M at ``points`` Chebyshev points, and the internal force at S = 0."""

    theta: FloatArray
    M: FloatArray
    force: FloatArray


def solve_rod(
    rod: Rod, *, points: int = 40, guess: RodGuess | None = None, refine: bool = True, via: Rod | None = None
) -> RodSolution:
    """Solve for the equilibrium that is reached from the stress-free shape by growing loads (or from ``guess``).

    Parameters
    ----------
    rod : Rod
        The problem.
    points : int
        Number of Chebyshev intervals; more for boundary layers.
    guess : RodGuess, optional
        Start here at the full load instead, with arrays of ``points + 1`` entries.
    refine : bool
        Solve again with 1.5 times as many intervals, return that, and estimate the error by the difference.

    via : Rod, optional
        Go to this rod first, which differs in its dead end force alone, then on to ``rod``: around a bifurcation.

    Raises
    ------
    ConvergenceError
        When the branch ends or loses its stability, or when Newton's method fails from the guess.
    ModelError
        For a guess of another shape, or one that is not finite.

    Examples
    --------
    >>> tip = solve_rod(Rod(EI=1.0, EA=math.inf, force=(0.0, 1.0))).tip
    >>> round(tip[2], 12)
    0.461351949712
    """
    if guess is None:
        state: FloatArray | None = _load_steps(rod, points, via)
    else:
        parts = zip(RodGuess._fields, guess, (points + 1, points + 1, 2), strict=True)
        start = np.concatenate([as_array("reference rod: guess", name, part, (size,)) for name, part, size in parts])
        state = _newton(rod, start, points)
    if state is None:
        raise ConvergenceError("reference rod: no convergence from the given guess.")
    coarse = _unpack(rod, state, points)
    if not refine:
        return coarse
    more = points + points // 2
    start = np.concatenate([resample(state[: points + 1], more), resample(state[points + 1 : -2], more), state[-2:]])
    fine_state = _newton(rod, start, more)
    if fine_state is None:
        raise ConvergenceError("reference rod: no convergence on the finer grid.")
    fine = _unpack(rod, fine_state, more)
    here = np.stack([fine.x / rod.length, fine.y / rod.length, fine.theta], axis=-1)
    there = coarse.at(fine.S) / np.array([rod.length, rod.length, 1.0])
    return replace(fine, error=max(float(np.abs(here - there).max()), _ROUND_OFF))


def _load_steps(rod: Rod, points: int, via: Rod | None) -> FloatArray:
    """Follow the branch from the stress-free shape, by way of other forces if so wished."""
    theta = rod.start_angle + rod.kappa0 * rod.length * grid(points)[0]
    state = np.concatenate([theta, np.zeros(points + 1), np.zeros(2)])
    natural = _unpack(rod, state, points)
    stable = _sign(_scaled(rod, natural, 0.0), state, points)
    if via is None:
        return _follow(lambda factor: _scaled(rod, natural, factor), state, stable, points)
    state = _follow(lambda factor: _scaled(via, natural, factor), state, stable, points)
    start, end = np.array(via.force), np.array(rod.force)
    return _follow(lambda factor: replace(rod, force=tuple(start + factor * (end - start))), state, stable, points)


def _follow(path: Callable[[float], Rod], state: FloatArray, stable: float, points: int) -> FloatArray:
    """Follow a branch along a path of loads from 0 to 1, with steps that halve and grow."""
    done, step = 0.0, 0.25
    while done < 1.0:
        trial = min(done + step, 1.0)
        rod = path(trial)
        predicted = state - _newton_step(rod, state, points)
        found = _newton(rod, state, points)
        if (
            found is not None
            and _same_branch(state, predicted, found, points)
            and _sign(rod, found, points) == stable
            and _unpack(rod, found, points).stretch.min() > 0.0
        ):
            done, state, step = trial, found, step * 1.5
            continue
        step /= 2.0
        if step < _SMALLEST_STEP:
            raise ConvergenceError(
                f"reference rod: the branch ends, or is no longer stable, at {done:.4f} of the load."
            )
    return state


def _same_branch(before: FloatArray, predicted: FloatArray, found: FloatArray, points: int) -> bool:
    """Whether the tangents turned little, and nearly so far as the linear prediction had it."""
    turn = float(np.abs(found - before)[: points + 1].max())
    surprise = float(np.abs(found - predicted)[: points + 1].max())
    return turn < _LARGEST_TURN and surprise < _LARGEST_SURPRISE * turn + 1e-9


def _sign(rod: Rod, state: FloatArray, points: int) -> float:
    """Sign of the determinant of the Jacobian: it changes where the branch loses its stability."""
    return float(np.linalg.slogdet(_system(rod, state, points)[1])[0])


def _scaled(rod: Rod, natural: RodSolution, factor: float) -> Rod:
    """The rod under a part of its loads and prescribed displacements."""

    def between(value: float | None, start: float) -> float | None:
        return None if value is None else start + factor * (value - start)

    def part(pair: tuple[float, float]) -> tuple[float, float]:
        return (factor * pair[0], factor * pair[1])

    x, y, theta = natural.tip
    return replace(
        rod,
        force=part(rod.force),
        follower=part(rod.follower),
        moment=factor * rod.moment,
        load=part(rod.load),
        start_moment=between(rod.start_moment, 0.0),
        end_x=between(rod.end_x, x),
        end_y=between(rod.end_y, y),
        end_angle=between(rod.end_angle, theta),
    )


def _newton(rod: Rod, state: FloatArray, points: int) -> FloatArray | None:
    """Newton's method; None when it does not converge to round-off."""
    size = math.inf
    for _ in range(30):
        step = _newton_step(rod, state, points)
        state = state - step
        scale = _scale(rod, points)
        before, size = size, float(np.abs(step / scale).max()) / max(1.0, float(np.abs(state / scale).max()))
        if not size < 1e3:
            return None
        if size < 1e-15 or (size < 1e-9 and size > 0.1 * before):
            return state
    return None


def _newton_step(rod: Rod, state: FloatArray, points: int) -> FloatArray:
    """What Newton's method takes from the state; NaN where there is nothing to take."""
    residual, jacobian = _system(rod, state, points)
    if not (np.isfinite(residual).all() and np.isfinite(jacobian).all()):
        return np.full_like(state, np.nan)
    scale = _scale(rod, points)
    try:
        return scale * np.linalg.solve(jacobian * scale, residual)
    except np.linalg.LinAlgError:
        return np.full_like(state, np.nan)


def _scale(rod: Rod, points: int) -> FloatArray:
    """Natural sizes of angles, moments and forces."""
    sizes = (1.0, rod.EI / rod.length, rod.EI / rod.length**2)
    return np.repeat(sizes, (points + 1, points + 1, 2))


def _system(rod: Rod, state: FloatArray, points: int) -> tuple[FloatArray, FloatArray]:
    """Residual and Jacobian: theta and M integrated along S, and four conditions at the ends."""
    n = points + 1
    theta, moment, start_force = state[:n], state[n:-2], state[-2:]
    S, B = grid(points)
    S, B = S * rod.length, B * rod.length
    nx, ny = start_force[0] - rod.load[0] * S, start_force[1] - rod.load[1] * S
    arguments = (theta, moment, nx, ny)
    rates = rod_rates(rod, *arguments)
    tiny = 1e-30
    slopes = []  # of the four rates, by each of the four arguments: complex steps are exact to round-off
    for place in range(4):
        shifted = [argument.astype(complex) for argument in arguments]
        shifted[place] += 1j * tiny
        slopes.append([rate.imag / tiny for rate in rod_rates(rod, *shifted)])
    size = 2 * n + 2
    residual, jacobian = np.zeros(size), np.zeros((size, size))
    rows = {"theta": slice(0, n - 1), "M": slice(n - 1, 2 * n - 2)}
    for which, (row, own) in enumerate(zip(rows.values(), (slice(0, n), slice(n, 2 * n)), strict=True)):
        values = state[own]
        residual[row] = (values - values[0] - B @ rates[which])[1:]
        block = np.eye(n)
        block[:, 0] -= 1.0
        jacobian[row, own] += block[1:]
        jacobian[row] -= _by_state(B, [slopes[a][which] for a in range(4)])[1:]
    ends = np.zeros((2, size))
    ends[0], ends[1] = (_by_state(B[-1:], [slopes[a][which] for a in range(4)])[0] for which in (2, 3))
    position = B[-1] @ rates[2], B[-1] @ rates[3]
    _end_conditions(rod, state, position, ends, residual, jacobian)
    return residual, jacobian


def _end_conditions(
    rod: Rod,
    state: FloatArray,
    position: tuple[float, float],
    ends: FloatArray,
    residual: FloatArray,
    jacobian: FloatArray,
) -> None:
    """The last four rows: rotation or moment at the start and the end, position or force at the end by x and y."""
    n = (len(state) - 2) // 2
    row = 2 * n - 2
    place, target = (0, rod.start_angle) if rod.start_moment is None else (n, rod.start_moment)
    residual[row], jacobian[row, place] = state[place] - target, 1.0
    place, target = (2 * n - 1, rod.moment) if rod.end_angle is None else (n - 1, rod.end_angle)
    residual[row + 1], jacobian[row + 1, place] = state[place] - target, 1.0
    c, s = math.cos(state[n - 1]), math.sin(state[n - 1])
    along, across = rod.follower
    turned = (along * c - across * s, along * s + across * c)
    turned_slope = (-along * s - across * c, along * c - across * s)
    for axis, prescribed in enumerate((rod.end_x, rod.end_y)):
        last = row + 2 + axis
        if prescribed is None:
            residual[last] = state[2 * n + axis] - rod.load[axis] * rod.length - rod.force[axis] - turned[axis]
            jacobian[last, 2 * n + axis] = 1.0
            jacobian[last, n - 1] = -turned_slope[axis]
        else:
            residual[last] = position[axis] - prescribed
            jacobian[last] = ends[axis]


def _by_state(B: FloatArray, slopes: list[FloatArray]) -> FloatArray:
    """Derivative of an integral of a rate by the whole state."""
    theta, moment, nx, ny = slopes
    return np.hstack([B * theta, B * moment, (B @ nx)[:, None], (B @ ny)[:, None]])


def _unpack(rod: Rod, state: FloatArray, points: int) -> RodSolution:
    """The state as a solution."""
    n = points + 1
    S, B = grid(points)
    S, B = S * rod.length, B * rod.length
    theta, moment = state[:n], state[n:-2]
    force = state[-2:] - np.outer(S, rod.load)
    _, _, dx, dy = rod_rates(rod, theta, moment, force[:, 0], force[:, 1])
    stretch = dx * np.cos(theta) + dy * np.sin(theta)
    return RodSolution(rod, S, B @ dx, B @ dy, theta, stretch, moment, force, math.nan)
