"""The piece of a path between two of its points: its cubic, and the point of the curve at a share of its chord."""

from __future__ import annotations

from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.analysis.rest import Point
from flexmbs.core.contracts import FloatArray

__all__ = ["Piece"]


class Piece:
    """From ``a`` to ``b``; ``chord (n,)``, ``rise``: the way between them in the unknowns and the parameter."""

    def __init__(self, curve: Curve, a: PathPoint, b: PathPoint) -> None:
        self.curve, self.a, self.b = curve, a, b
        self.chord, self.rise = curve.between(a.point, a.p, b.point), b.p - a.p
        self.length = curve.measure.length(self.chord, self.rise)

    def cubic(self, share: float) -> tuple[FloatArray, float]:
        """The way from ``a`` on the cubic with the tangents of both ends."""
        measure, a, b, s = self.curve.measure, self.a, self.b, share
        ends = [self.length / measure.length(x.tangent, x.rate) for x in (a, b)]
        one, two, three = s * (1 - s) ** 2 * ends[0], s * s * (3 - 2 * s), -s * s * (1 - s) * ends[1]
        return (
            one * a.tangent + two * self.chord + three * b.tangent,
            one * a.rate + two * self.rise + three * b.rate,
        )

    def guess(self, share: float) -> tuple[Point, float]:
        """State and parameter on the cubic."""
        dx, dp = self.cubic(share)
        return self.curve.moved(self.a.point, self.a.p, dx, dp), self.a.p + dp

    def at(self, share: float) -> PathPoint | None:
        """The point of the curve whose place along the chord is that of the cubic at ``share``."""
        self.curve.recall(self.a)
        start, p = self.guess(share)
        return self.curve.correct(start, p, (self.chord, self.rise), self.length, self.a)

    def at_parameter(self, p: float) -> PathPoint | None:
        """The point of the curve at a parameter that lies between those of the ends."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if (self.a.p + self.cubic(middle)[1] - p) * (self.a.p - p) > 0.0:
                low = middle
            else:
                high = middle
        self.curve.recall(self.a)
        dx, _ = self.cubic(0.5 * (low + high))
        start = self.curve.moved(self.a.point, self.a.p, dx, p - self.a.p)
        return self.curve.correct(start, p, None, self.length, self.a)

    def share(self, other: PathPoint) -> float:
        """How far along the chord another point lies."""
        dx, dp = self.curve.between(self.a.point, self.a.p, other.point), other.p - self.a.p
        return self.curve.measure.inner(dx, dp, self.chord, self.rise) / self.length**2

    def passes(self, other: PathPoint) -> bool:
        """Whether the piece goes through another point."""
        measure, share = self.curve.measure, self.share(other)
        if not 0.0 <= share <= 1.0:
            return False
        dx, dp = self.curve.between(self.a.point, self.a.p, other.point), other.p - self.a.p
        ex, ep = self.cubic(share)
        return measure.length(dx - ex, dp - ep) <= NEAR * self.length


NEAR = 0.03
"""Distance of a point from the cubic, by the length of the piece, up to which the piece goes through it."""
