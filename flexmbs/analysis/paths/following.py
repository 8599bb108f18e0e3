"""Steps along a path of equilibria: how long they are, what lies within them, and why the path ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.analysis.paths.between import Piece
from flexmbs.analysis.paths.critical import Critical, critical_points, settled
from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.core.contracts import FloatArray
from flexmbs.core.progress import Progress

__all__ = ["CANNOT", "INTERRUPTED", "REACHED", "STEPS", "Follower", "Limits", "Piecewise"]

REACHED, CLOSED, STEPS = "reached", "closed", "steps used up"
INTERRUPTED, CANNOT = "interrupted", "cannot be followed"
BENT = 0.85
"""Cosine of the angle by which the tangent turns in a step at most."""
SMALLEST = 1e-6
"""Smallest step, relative to the largest."""
FIRST = 0.3
"""Share of the range of the parameter that the path counts as wide at its start."""
NEAR = 0.1
"""Share of a step within which what is critical is the known point that the step arrives at."""
EASY, FAIR = 4, 6
"""Iterations up to which the next step is longer, and from which it is shorter."""


class Limits(NamedTuple):
    """Where paths end: the range of the parameter, a condition on the state, and a number of points."""

    low: float
    high: float
    stop: Callable[[PathPoint], bool] | None
    most: int


@dataclass
class Piecewise:
    """A path on its way: its points, the critical ones by their index, and how it ended."""

    points: list[PathPoint]
    critical: list[tuple[int, Critical]] = field(default_factory=list)
    ending: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it."""
        return self.ending == INTERRUPTED


class Follower:
    """Follows paths of one curve.

    ``step``: largest, by how far the path has gone; ``known``: critical points at which a path that arrives ends.
    """

    def __init__(self, curve: Curve, limits: Limits, step: float) -> None:
        self.curve, self.limits, self.step = curve, limits, step
        self.known: list[tuple[PathPoint, str]] = []
        self.kinks = curve.parameter.kinks()

    def follow(self, first: PathPoint, progress: Progress | None = None, leaving: int = 0) -> Piecewise:
        """From a point, along its tangent; ``leaving``: steps before which arriving at known points does not count."""
        path = Piecewise([first])
        try:
            self._follow(path, progress, leaving)
        except KeyboardInterrupt:
            path.ending = INTERRUPTED
        return path

    def _follow(self, path: Piecewise, progress: Progress | None, leaving: int) -> None:
        curve, measure, limits = self.curve, self.curve.measure, self.limits
        first = path.points[0]
        h, bend, steps = 0.5 * self.step, None, 0
        while not path.ending:
            now = path.points[-1]
            if len(path.points) >= limits.most:
                path.ending = STEPS
                return
            curve.forward = now.rate >= 0.0
            kink = self._kink(now, h)
            found = self._step(now, h, bend) if kink is None else self._reach(now, kink)
            if found is None:
                h, bend = 0.5 * h, None
                if h < SMALLEST * self.step:
                    why = curve.message if curve.worst in curve.message else f"{curve.message}; {curve.worst}"
                    path.ending = f"{CANNOT} beyond p = {now.p:.6g}, point {len(path.points) - 1}: {why}"
                continue
            steps += 1
            found = settled(curve, now, found)
            if self._end(path, now, found):
                return
            piece = Piece(curve, now, found)
            arrived = self._arrives(piece, path, steps, leaving)
            for critical in critical_points(curve, now, found):
                if arrived is None or measure.length(*self._way(critical.at, arrived[0])) > NEAR * piece.length:
                    path.critical.append((len(path.points), critical))
                    path.points.append(critical.at)
            if arrived is not None:
                path.points.append(arrived[0])
                path.ending = arrived[1]
                return
            path.points.append(found)
            curve.recall(found)
            if limits.stop is not None and limits.stop(found):
                path.ending = REACHED
            cosine = measure.turn(now, found)
            bend = self._bend(now, found, piece.length) if kink is None else None
            self._widen(first, found)
            h = self._next(piece.length, found.iterations, cosine if kink is None else 1.0)
            if progress is not None:
                progress.show(min(1.0, len(path.points) / limits.most), f"p = {found.p:.4g}, {len(path.points)} points")

    def _kink(self, now: PathPoint, h: float) -> float | None:
        """The kink in time that a step of length h would go over."""
        ahead = now.p + h * now.rate / self.curve.measure.length(now.tangent, now.rate)
        over = [t for t in self.kinks if min(now.p, ahead) < t < max(now.p, ahead) and t != now.p]
        return (over[0] if now.rate > 0.0 else over[-1]) if over else None

    def _reach(self, now: PathPoint, p: float) -> PathPoint | None:
        """The point at a kink, with the tangent behind it, in which time goes on as before."""
        curve = self.curve
        curve.recall(now)
        start = curve.moved(now.point, now.p, (p - now.p) / now.rate * now.tangent, p - now.p)
        found = curve.correct(start, p, None, curve.measure.length(now.tangent, now.rate), now)
        if found is None or found.rate * now.rate > 0.0:
            return found
        return found._replace(tangent=-found.tangent, rate=-found.rate)

    def _step(self, now: PathPoint, h: float, bend: FloatArray | None) -> PathPoint | None:
        """The point one step ahead; None if there is none or it is not the next one."""
        curve, measure = self.curve, self.curve.measure
        curve.recall(now)
        start, p = curve.ahead(now, h, bend)
        found = curve.correct(start, p, (now.tangent, now.rate), h, now)
        if found is None:
            return None
        if measure.turn(now, found) < BENT:
            curve.message = "the path bends too much"
            return None
        if measure.length(*self._way(now, found)) > 1.5 * h:
            curve.message = "the next equilibrium is far away"
            return None
        return found

    def _way(self, a: PathPoint, b: PathPoint) -> tuple[FloatArray, float]:
        return self.curve.between(a.point, a.p, b.point), b.p - a.p

    def _bend(self, a: PathPoint, b: PathPoint, length: float) -> FloatArray:
        """Change of the unit tangent per length (n + 1,)."""
        one, two = (np.append(x.tangent, x.rate) / self.curve.measure.length(x.tangent, x.rate) for x in (a, b))
        return np.asarray((two - one) / length)

    def _widen(self, first: PathPoint, now: PathPoint) -> None:
        """Measure by how far the path has gone."""
        dx, dp = self._way(first, now)
        measure = self.curve.measure
        measure.far = max(measure.far, float(np.sqrt((measure.weight * dx) @ dx)))
        measure.wide = max(measure.wide, abs(dp))

    def _next(self, taken: float, iterations: int, cosine: float) -> float:
        """Length of the next step."""
        factor = 1.6 if iterations <= EASY else 1.0 if iterations < FAIR else 0.6
        angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        if angle > 0.0:
            factor = min(factor, 0.35 / angle)
        return min(self.step, taken * max(factor, 0.3))

    def _end(self, path: Piecewise, now: PathPoint, found: PathPoint) -> bool:
        """Whether the range of the parameter ends within the step; the last point is then at its end."""
        low, high = self.limits.low, self.limits.high
        ends = found.p in (low, high) and found.p in self.kinks
        if low <= found.p <= high and not ends:
            return False
        target = low if found.p <= low else high
        piece = Piece(self.curve, now, found)
        last = found if ends else piece.at_parameter(target)
        if last is None:
            last = found
        for critical in critical_points(self.curve, now, last):
            path.critical.append((len(path.points), critical))
            path.points.append(critical.at)
        path.points.append(last)
        path.ending = f"{REACHED} p = {target:g}"
        return True

    def _arrives(self, piece: Piece, path: Piecewise, steps: int, leaving: int) -> tuple[PathPoint, str] | None:
        """The known point that a step arrives at, and what that is called."""
        if steps > leaving:
            for point, name in self.known:
                if piece.passes(point):
                    return point, name
        if steps > 3 and piece.passes(path.points[0]):
            return path.points[0], CLOSED
        return None
