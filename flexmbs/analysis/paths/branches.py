r"""The first point of a branch beside a simple bifurcation, by the equation of bifurcation.

The first path goes through the bifurcation :math:`y_0` along its tangent t; the kernel has one direction more,
:math:`\varphi`, and w is its part across t. For an amplitude :math:`\varepsilon` and a place s the system

.. math:: r(y) + \mu B \varphi = 0, \qquad w\cdot(y - y_0) = \varepsilon, \qquad t\cdot(y - y_0) = s

has one solution, also where the stiffness is singular (Lyapunov, Schmidt). The branch is where
:math:`\mu(\varepsilon, s) = 0`, which a secant finds in s; the first path, where :math:`\varepsilon = 0`, is left out.
With K alone, Newton's method would have to find the small amplitude and the stretch of thin members at once.
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

__all__ = ["beside"]

TRIED = (5e-3, 1e-3, 2e-2, 2e-4, 5e-5)
"""Amplitudes [sizes of the model, root mean square] that are tried one after the other."""
NEAR = 4.0
"""Distance of the first point, by the amplitude, beyond which it belongs to something else."""
SOLVED = 1e-9
"""Part of the first defect mu that is left."""
INNER, OUTER = 12, 10


class _Frame(NamedTuple):
    """Directions at a bifurcation, of length one: ``w`` and ``t`` with their parts in p, and the load B phi."""

    at: PathPoint
    w: FloatArray
    w_p: float
    t: FloatArray
    t_p: float
    load: FloatArray


def beside(curve: Curve, critical: Critical, side: float) -> PathPoint | None:
    """The first point of the branch on one side (1 or -1), with its tangent away from the bifurcation."""
    at, measure = critical.at, curve.measure
    unit = measure.length(at.tangent, at.rate)
    t, t_p = at.tangent / unit, at.rate / unit
    phi = critical.kernel[:, 0] * side
    along = measure.inner(phi, 0.0, t, t_p)
    w, w_p = phi - along * t, -along * t_p
    size = measure.length(w, w_p)
    if not size > 0.0:
        return None
    curve.recall(at)
    curve.tangent_at(at.point, at.p)
    load = np.where(curve.equations.velocities, curve.diagonal, 0.0) * phi
    frame = _Frame(at, w / size, w_p / size, t, t_p, load)
    for way in TRIED:
        found = _first(curve, frame, way / measure.far)
        if found is not None:
            return found
    return None


def _first(curve: Curve, frame: _Frame, amplitude: float) -> PathPoint | None:
    """The point of the branch with an amplitude; None if it is not found near."""
    at, measure = frame.at, curve.measure
    curve.recall(at)
    away = at._replace(tangent=frame.w, rate=frame.w_p)
    point, p = curve.ahead(away, amplitude)
    places, defects = [0.0, 0.1 * amplitude], list[float]()
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
        point, p, defect = found
        defects.append(defect)
        if number and abs(defect) <= SOLVED * abs(defects[0]):
            break
        if number:
            change = defects[-1] - defects[-2]
            if change == 0.0:
                break
            places.append(places[-1] - defects[-1] * (places[-1] - places[-2]) / change)
        if abs(places[-1]) > NEAR * amplitude:
            return None
    away = at._replace(tangent=frame.w, rate=frame.w_p)
    on = curve.correct(point, p, (frame.w, frame.w_p), amplitude, away)
    if on is None:
        return None
    dx = curve.between(at.point, at.p, on.point)
    near = measure.length(dx, on.p - at.p) <= NEAR * amplitude
    return on if near and np.isfinite(on.rate) else None


def _reduced(curve: Curve, frame: _Frame, point: Point, p: float) -> tuple[Point, float, float] | None:
    """The solution that keeps its amplitude and place, and its defect mu."""
    eq, inner, last = curve.equations, curve.measure.inner, np.inf
    for number in range(INNER):
        r, b = curve.tangent_at(point, p)
        eq = curve.equations
        x1, x2, x3 = eq.solve(-r), eq.solve(-b), eq.solve(-frame.load)
        rows = [
            [inner(n, n_p, x2, 1.0), inner(n, n_p, x3, 0.0), -inner(n, n_p, x1, 0.0)]
            for n, n_p in ((frame.w, frame.w_p), (frame.t, frame.t_p))
        ]
        matrix = np.array([row[:2] for row in rows])
        if not np.isfinite(matrix).all() or not np.linalg.det(matrix):
            return None
        dp, mu = np.linalg.solve(matrix, [row[2] for row in rows])
        dx = x1 + dp * x2 + mu * x3
        size = float(np.sqrt(np.sum(np.where(eq.velocities, curve.diagonal, 0.0) * dx**2)))
        point, p = curve.moved(point, p, dx, float(dp)), p + float(dp)
        gone = curve.between(frame.at.point, frame.at.p, point)
        whole = float(np.sqrt(np.sum(np.where(eq.velocities, curve.diagonal, 0.0) * gone**2)))
        if not np.isfinite(size):
            return None
        if number and (left(size, last) <= curve.rtol * whole or (number > 3 and size <= 1e-6 * whole)):
            return point, p, float(mu)
        last = size
    return None
