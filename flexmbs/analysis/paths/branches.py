r"""The first points of the branches beside a bifurcation, by the equation of bifurcation.

The first path goes through the bifurcation :math:`y_0` along its tangent t; the kernel has m directions more,
:math:`\varphi_i`, and :math:`w_i` are their parts across t and each other. For amplitudes :math:`\varepsilon c_i` and a
place s the system

.. math:: r(y) + \sum_i \mu_i B \varphi_i = 0, \qquad w_i\cdot(y - y_0) = \varepsilon c_i, \qquad t\cdot(y - y_0) = s

has one solution, also where the stiffness is singular (Lyapunov, Schmidt). Branches are where
:math:`\mu(\varepsilon c, s) = 0`; the first path, where :math:`\varepsilon = 0`, is left out. With K alone, Newton's
method would have to find the small amplitude and the stretch of thin members at once.

With one direction a secant finds s, on both sides. With two, :math:`c = (\cos\theta, \sin\theta)`, s follows from
:math:`c\cdot\mu = 0` at each of a circle of directions, and branches leave where the part of :math:`\mu` across c
changes its sign. Where that part vanishes on the whole circle, as of a round column, they leave in every direction;
then the stiffness is singular all along them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.analysis.newton import left
from flexmbs.analysis.paths.critical import Critical
from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.analysis.rest import Point
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.system.system import EvaluationError

__all__ = ["around", "beside"]

TRIED = (5e-3, 1e-3, 2e-2, 2e-4, 5e-5, 1e-5, 2e-6)
"""Amplitudes [sizes of the model, root mean square] that are tried one after the other."""
NEAR, NEAR_OF_TWO = 4.0, 30.0
"""Distance of the first point, by the amplitude, beyond which it belongs to something else; with two directions."""
CLOSE = 0.02
"""Distance, by how far the path has gone, up to which it does not in any case.

Of a slender structure whose ends are held, p rises by a multiple of its amplitude, measured in the size of the model.
"""
SOLVED = 1e-9
"""Part of the largest defect mu that is left."""
INNER, OUTER = 12, 10
DIRECTIONS, REFINED = 24, 12
"""On the circle of a kernel of two directions, and steps to where a branch leaves."""
EVERY = 1e-4
"""Part of mu across the direction, relative to mu on the path, up to which branches leave in every direction."""


class _Frame(NamedTuple):
    """Directions at a bifurcation, of length one: ``w`` and ``t`` with their parts in p, and the loads B phi.

    ``w (m, n)``, ``w_p (m,)``, ``loads (m, n)``.
    """

    at: PathPoint
    w: FloatArray
    w_p: FloatArray
    t: FloatArray
    t_p: float
    loads: FloatArray

    def away(self, c: FloatArray) -> PathPoint:
        """The point with the tangent along a direction of the kernel."""
        return self.at._replace(tangent=c @ self.w, rate=float(c @ self.w_p))


class _Found(NamedTuple):
    """A solution at a direction: state, parameter, place s, mu (m,) there, and the largest mu on the way."""

    point: Point
    p: float
    place: float
    mu: FloatArray
    largest: FloatArray


def beside(curve: Curve, critical: Critical, side: float) -> PathPoint | None:
    """The first point of the branch on one side (1 or -1) of a simple bifurcation, with its tangent away from it."""
    frame = _frame(curve, critical, critical.kernel[:, :1] * side)
    if frame is None:
        return None
    for way in TRIED:
        found = _first(curve, frame, way / curve.measure.far, np.ones(1))
        if found is not None:
            return found
    return None


def around(curve: Curve, critical: Critical) -> tuple[list[tuple[PathPoint | None, PathPoint | None]], bool]:
    """The first points of all branches at a kernel of two directions, opposite ones together.

    The second says whether they leave in every direction; then none is given.
    """
    frame = _frame(curve, critical, critical.kernel)
    if frame is None:
        return [], False
    for way in TRIED:
        amplitude = way / curve.measure.far
        angles, every = _leaving(curve, frame, amplitude)
        if every:
            return [], True
        pairs, left = [], list(angles)
        while left:
            one = left.pop(0)
            apart = [abs((x - one) % (2.0 * np.pi) - np.pi) for x in left]
            other = None
            if apart and min(apart) < 0.3 * 2.0 * np.pi / DIRECTIONS:
                other = left.pop(int(np.argmin(apart)))
            first = [None if x is None else _first(curve, frame, amplitude, _unit(x)) for x in (one, other)]
            if any(x is not None for x in first):
                pairs.append((first[0], first[1]))
        if pairs:
            return pairs, False
    return [], False


def _unit(angle: float) -> FloatArray:
    return np.array([np.cos(angle), np.sin(angle)])


def _frame(curve: Curve, critical: Critical, kernel: FloatArray) -> _Frame | None:
    """Directions and loads of a kernel; None where it lies along the path."""
    at, measure = critical.at, curve.measure
    unit = measure.length(at.tangent, at.rate)
    t, t_p = at.tangent / unit, at.rate / unit
    taken, w, w_p = [(t, t_p)], [], []
    for phi in kernel.T:
        v, v_p = phi, 0.0
        whole = measure.length(v, v_p)
        for _ in range(2):
            for n, n_p in taken:
                along = measure.inner(v, v_p, n, n_p)
                v, v_p = v - along * n, v_p - along * n_p
        size = measure.length(v, v_p)
        if not size > 1e-8 * whole:
            return None
        taken.append((v / size, v_p / size))
        w.append(v / size)
        w_p.append(v_p / size)
    curve.recall(at)
    curve.tangent_at(at.point, at.p)
    loads = np.where(curve.equations.velocities, curve.diagonal, 0.0) * kernel.T
    return _Frame(at, np.array(w), np.array(w_p), t, t_p, loads)


def _near(frame: _Frame, amplitude: float) -> float:
    """How far away the first point may be."""
    return max(CLOSE, (NEAR if len(frame.w) == 1 else NEAR_OF_TWO) * amplitude)


def _leaving(curve: Curve, frame: _Frame, amplitude: float) -> tuple[list[float], bool]:
    """Angles at which branches leave, and whether they do at every one."""

    def at(angle: float) -> _Found | None:
        return _on(curve, frame, amplitude, _unit(angle))

    def across(found: _Found, angle: float) -> float:
        return float(found.mu @ _unit(angle + 0.5 * np.pi))

    grid = (np.arange(DIRECTIONS) + 0.5) * 2.0 * np.pi / DIRECTIONS
    values, size = np.full(DIRECTIONS, np.nan), 0.0
    for k, angle in enumerate(grid):
        found = at(float(angle))
        if found is not None:
            values[k] = across(found, float(angle))
            size = max(size, float(np.linalg.norm(found.largest)))
    if not np.isnan(values).any() and np.abs(values).max() <= EVERY * size:
        return [], True
    roots = []
    for k in range(DIRECTIONS):
        low, high = float(grid[k]), float(grid[k]) + 2.0 * np.pi / DIRECTIONS
        one, two = values[k], values[(k + 1) % DIRECTIONS]
        if not one * two <= 0.0 or one == two:
            continue
        middle = low
        for _ in range(REFINED):
            middle = low - one * (high - low) / (two - one)
            found = at(middle)
            if found is None:
                break
            now = across(found, middle)
            if abs(now) <= SOLVED * size:
                break
            if now * one > 0.0:
                low, one, two = middle, now, 0.5 * two
            else:
                high, two, one = middle, now, 0.5 * one
        roots.append(middle)
    return roots, False


def _on(curve: Curve, frame: _Frame, amplitude: float, c: FloatArray) -> _Found | None:
    """The solution with an amplitude along a direction whose defect has no part along it; None if none is near."""
    curve.recall(frame.at)
    point, p = curve.ahead(frame.away(c), amplitude)
    places, defects = [0.0, 0.1 * amplitude], list[float]()
    mu = largest = np.zeros(len(c))
    for number in range(OUTER):
        if number:
            step = places[number] - places[number - 1]
            point, p = curve.moved(point, p, step * frame.t, step * frame.t_p), p + step * frame.t_p
        try:
            found = _reduced(curve, frame, point, p)
        except (EvaluationError, SingularError):
            return None
        if found is None:
            return None
        point, p, mu = found
        largest = max(mu, largest, key=np.linalg.norm)
        defects.append(float(c @ mu))
        if number and abs(defects[-1]) <= SOLVED * float(np.linalg.norm(largest)):
            break
        if number:
            change = defects[-1] - defects[-2]
            if change == 0.0:
                break
            places.append(places[-1] - defects[-1] * (places[-1] - places[-2]) / change)
        if abs(places[-1]) > _near(frame, amplitude):
            return None
    return _Found(point, p, places[len(defects) - 1], mu, largest)


def _first(curve: Curve, frame: _Frame, amplitude: float, c: FloatArray) -> PathPoint | None:
    """The point of the branch with an amplitude along a direction; None if it is not found near."""
    found = _on(curve, frame, amplitude, c)
    if found is None:
        return None
    at, measure, away = frame.at, curve.measure, frame.away(c)
    on = curve.correct(found.point, found.p, (away.tangent, away.rate), amplitude, away)
    if on is None:
        return None
    dx = curve.between(at.point, at.p, on.point)
    near = measure.length(dx, on.p - at.p) <= _near(frame, amplitude)
    return on if near and np.isfinite(on.rate) else None


def _reduced(curve: Curve, frame: _Frame, point: Point, p: float) -> tuple[Point, float, FloatArray] | None:
    """The solution that keeps its amplitudes and place, and its defects mu (m,)."""
    inner, last = curve.measure.inner, np.inf
    normals = [*zip(frame.w, frame.w_p, strict=True), (frame.t, frame.t_p)]
    for number in range(INNER):
        r, b = curve.tangent_at(point, p)
        eq = curve.equations
        x1, ways = eq.solve(-r), [(eq.solve(-b), 1.0), *((eq.solve(-load), 0.0) for load in frame.loads)]
        matrix = np.array([[inner(n, n_p, x, x_p) for x, x_p in ways] for n, n_p in normals])
        right = np.array([-inner(n, n_p, x1, 0.0) for n, n_p in normals])
        if not np.isfinite(matrix).all() or not np.linalg.det(matrix):
            return None
        found = np.linalg.solve(matrix, right)
        dp, mu = float(found[0]), found[1:]
        dx = x1 + sum(a * x for a, (x, _) in zip(found, ways, strict=True))
        size = float(np.sqrt(np.sum(np.where(eq.velocities, curve.diagonal, 0.0) * dx**2)))
        point, p = curve.moved(point, p, dx, dp), p + dp
        gone = curve.between(frame.at.point, frame.at.p, point)
        whole = float(np.sqrt(np.sum(np.where(eq.velocities, curve.diagonal, 0.0) * gone**2)))
        if not np.isfinite(size):
            return None
        if number and (left(size, last) <= curve.rtol * whole or (number > 3 and size <= 1e-6 * whole)):
            return point, p, mu
        last = size
    return None
