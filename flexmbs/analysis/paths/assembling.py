"""Points of paths as results: arrays of states, critical points with their names, equilibria at a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from flexmbs.analysis.paths.between import Piece
from flexmbs.analysis.paths.critical import root
from flexmbs.analysis.paths.curve import Curve, PathPoint
from flexmbs.analysis.paths.following import Piecewise
from flexmbs.analysis.paths.parameter import Parameter
from flexmbs.analysis.paths.results import CriticalPoint, EquilibriumPath
from flexmbs.analysis.paths.varied import VariedModel
from flexmbs.analysis.rest import EquationsOfRest
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.turns import counted_in_memory
from flexmbs.results.records import Iteration
from flexmbs.results.static import StaticSolution
from flexmbs.results.status import Status
from flexmbs.system.system import System

__all__ = ["Found", "assembled", "equilibria_at", "equilibria_where"]

NOTABLE = 0.3
"""Share of the largest entry from which a coordinate is named as moving."""


@dataclass
class Found:
    """A path with what became of its bifurcations: the branch followed from each, or why none was.

    ``through``: bifurcations of other paths at which it begins or ends.
    """

    path: Piecewise
    branches: dict[int, list[int]] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)
    through: list[PathPoint] = field(default_factory=list)

    def critical_points(
        self, number: int, solution: Callable[[PathPoint], StaticSolution], at: Callable[[float], EquationsOfRest]
    ) -> list[CriticalPoint]:
        """Its limit points and bifurcations as results; ``at``: the equations at a value of the parameter."""
        out = []
        for i, (index, critical) in enumerate(self.path.critical):
            point = self.path.points[index]
            fields, eq = vars(solution(point)).copy(), at(point.p)
            kernel = np.zeros((eq.dyn.n_v, critical.kernel.shape[1]))
            frames = eq.fixation.frames(fields["drives"][0])
            for k, vector in enumerate(critical.kernel.T):
                whole = eq.whole(vector, frames)[: eq.dyn.n_v]
                kernel[:, k] = whole / whole[np.argmax(np.abs(whole) / eq.scale)]
            size = np.abs(kernel / eq.scale[:, None]).max(axis=1, initial=0.0)
            order = np.argsort(-size, kind="stable")[:6]
            names = [eq.dyn.coordinates.describe(int(k)) for k in order if size[k] > NOTABLE * size.max()]
            fields["message"] = self.notes.get(i, "")
            branch = tuple(self.branches.get(i, ()))
            fields |= {"kind": critical.kind, "parameter": critical.at.p, "kernel": kernel, "moving": tuple(names)}
            out.append(CriticalPoint(**fields, path=number, index=index, branches=branch))
        return out


def assembled(
    system: System,
    parameter: Parameter | VariedModel,
    points: list[PathPoint],
    ending: str,
    redundant: tuple[str, ...],
    rows: list[Any],
) -> EquilibriumPath:
    """The points of a path as a result."""
    held = [parameter.held(x.p) for x in points]
    n, n_c = len(points), len(points[0].point.lam)
    unstable = np.array([x.unstable for x in points], dtype=np.int64)
    status = Status.INTERRUPTED if "interrupted" in ending else Status.DONE
    return EquilibriumPath(
        system=system,
        q=np.array([x.point.q for x in points]),
        v=np.array([x.point.v for x in points]),
        lam=np.array([x.point.lam for x in points]).reshape(n, n_c),
        load_factors=np.array([x.p for x in points]),
        scales=np.array([h[0] for h in held]).reshape(n, len(system.model.loads)),
        drives=np.array([h[1] for h in held]).reshape(n, len(system.fixation.drives)),
        time=held[-1][2],
        times=np.array([h[2] for h in held]),
        stable=unstable == 0,
        unstable=unstable,
        redundant=redundant,
        iterations=np.array(rows, dtype=float).reshape(len(rows), len(Iteration._fields)),
        status=status,
        ending=ending,
        settings=None,
        extra={
            "near": points[-1].memory.turns,
            "turns": [x.memory.turns for x in points],
            "counted": np.array([counted_in_memory(system, x.memory.turns) for x in points]),
        },
    )


def equilibria_where(
    curve: Curve, points: list[PathPoint], values: FloatArray, value: float, of: Callable[[PathPoint], float]
) -> list[PathPoint]:
    """All points of a path at which a quantity, with ``values (n,)`` at its points, has a value."""
    out: list[PathPoint] = []
    curve.measure.far = _extent(curve, points)
    gap = values - value
    for i, (a, b) in enumerate(pairwise(points)):
        if gap[i] == 0.0:
            out.append(a)
        elif gap[i] * gap[i + 1] < 0.0:
            out.append(root(Piece(curve, a, b), lambda point: of(point) - value))
    return out + [x for x in points[-1:] if gap[-1] == 0.0]


def _extent(curve: Curve, points: list[PathPoint]) -> float:
    return max(float(np.ptp([x.point.q for x in points], axis=0).max()) / curve.equations.length, 1e-9)


def equilibria_at(curve: Curve, points: list[PathPoint], p: float) -> list[PathPoint]:
    """All points of a path at a parameter."""
    out: list[PathPoint] = []
    curve.measure.far = _extent(curve, points)
    for a, b in pairwise(points):
        if (a.p - p) * (b.p - p) < 0.0:
            found = Piece(curve, a, b).at_parameter(p)
            out += [] if found is None else [found]
        elif a.p == p:
            out.append(a)
    return out + [x for x in points[-1:] if x.p == p]
