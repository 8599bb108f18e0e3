"""Paths of equilibria as results: their points, what is critical on them, and all equilibria at a load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmbs.core.calls import with_methods
from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.data_frames import data_frame
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.results.static import StaticSolution

__all__ = ["CriticalPoint", "EquilibriumPath", "EquilibriumPaths"]


@with_methods
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EquilibriumPath(StaticSolution):
    """Equilibria in the order in which a path goes through them: a `StaticSolution` whose load factor may go back.

    Attributes
    ----------
    load_factors : (n_s,) array
        The parameter of the path: load factor, displacement factor or time.
    unstable : (n_s,) int array
        Number of directions in which the equilibrium is unstable; -1 where that was too dear to tell.
    stable : (n_s,) bool array
        Whether there is none.
    times : (n_s,) array
        At which drivers and histories are held [time].
    ending : str
        Why it ends; of a branch the ends of both its sides.
    """

    unstable: IntArray
    times: FloatArray
    ending: str = ""

    def __repr__(self) -> str:
        return (
            f"<path of model {self.model.name!r}: {len(self)} equilibria, p = {self.load_factors[0]:g} to "
            f"{self.load_factors[-1]:g}, {int(np.sum(self.stable))} stable; {self.ending}>"
        )

    def set_loads(self, dynamics: Dynamics, step: int) -> None:
        """Set the loads that acted in an equilibrium, the drivers where they were held, and the turns there."""
        dynamics.hold(self.scales[step], self.drives[step], float(self.times[step]))
        self.set_turns(dynamics, step)

    def evaluated(self, of: Callable[[StaticSolution], FloatArray]) -> FloatArray:
        """A quantity of all equilibria (n_s,), as a function of solutions gives it."""
        return np.asarray(of(self))

    def equilibrium(self, number: int) -> StaticSolution:
        """One equilibrium, from which `simulate`, `solve_modal`, `linearise` and `solve_static` begin."""
        n = len(self)
        if not -n <= number < n:
            raise ModelError(f"equilibrium: there is no number {number}; the path has {n} equilibria.")
        return StaticSolution(**_one(self, number))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CriticalPoint(StaticSolution):
    """A limit point or a bifurcation: the equilibrium there, from which other analyses begin, and what is critical.

    Attributes
    ----------
    kind : "limit point" or "bifurcation"
    parameter : float
        Load factor, displacement factor or time.
    kernel : (n_v, k) array
        Critical directions in velocities, the largest entry of each one: how the structure begins to leave.
    moving : tuple of str
        Coordinates that move most in them.
    path, index : int
        Path on which it was met first, and its number among the equilibria of that.
    branches : tuple of int
        Numbers of the paths that were followed from it.
    message : str
        Why none was, where that was asked for.
    """

    kind: str
    parameter: float
    kernel: FloatArray
    moving: tuple[str, ...]
    path: int
    index: int
    branches: tuple[int, ...] = ()

    def __repr__(self) -> str:
        k = self.kernel.shape[1]
        of = "" if self.kind == "limit point" else f", {k} direction{'s' if k != 1 else ''}"
        to = f", branches to path {', '.join(map(str, self.branches))}" if self.branches else ""
        return f"<{self.kind} at p = {self.parameter:.8g} on path {self.path}{of}{to}>"


@with_methods
@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumPaths:
    """All paths that `trace_static` followed.

    Attributes
    ----------
    paths : tuple of EquilibriumPath, or of ParameterPath over a number of the description
        The first begins at the start; the others are branches, in the order in which their bifurcations were found.
        A branch runs from its far end on one side through the bifurcation to its end on the other.
    points : tuple of CriticalPoint
        Limit points and bifurcations, path by path, in the order of the path.
    parameter : str
        What was followed: "load factor", "displacement factor", "time", or the name of a number of the description.
    """

    paths: tuple[Any, ...]
    points: tuple[CriticalPoint, ...]
    parameter: str
    find: Callable[..., list[StaticSolution]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> Any:
        return self.paths[number]

    def __repr__(self) -> str:
        kinds = [p.kind for p in self.points]
        return (
            f"<{len(self.paths)} path{'s' if len(self) != 1 else ''} of model {self.paths[0].model.name!r}: "
            f"{sum(map(len, self.paths))} equilibria, {kinds.count('limit point')} limit points, "
            f"{kinds.count('bifurcation')} bifurcations>"
        )

    @property
    def limit_points(self) -> tuple[CriticalPoint, ...]:
        """The points at which the parameter turns back."""
        return tuple(p for p in self.points if p.kind == "limit point")

    @property
    def bifurcations(self) -> tuple[CriticalPoint, ...]:
        """The points at which paths cross."""
        return tuple(p for p in self.points if p.kind == "bifurcation")

    def at(self, parameter: float) -> tuple[StaticSolution, ...]:
        """All equilibria found at a value of the parameter, path by path, each with its stability.

        Each is computed by Newton's method at that value, not interpolated.
        """
        value = as_number("at", "parameter", parameter)
        return tuple(x for path in self.paths for x in self.find(path, value))

    def where(self, of: Callable[[StaticSolution], FloatArray], value: float) -> tuple[StaticSolution, ...]:
        """All equilibria at which a quantity has a value: the loads at which a deflection is reached, path by path.

        Parameters
        ----------
        of : function of solutions
            One number for each of their equilibria (n,), such as ``lambda s: s.displacement(apex)[:, 1]``.
        value : float
            Each equilibrium is computed by Newton's method on the path, not interpolated.
        """
        wanted = as_number("where", "value", value)
        if not callable(of):
            raise ModelError(
                f"where: expected a function such as lambda s: s.displacement(apex)[:, 1] of solutions, not {show(of)}."
            )
        return tuple(x for path in self.paths for x in self.find(path, wanted, of))

    def plot(self, of: Any, ax: Any = None, *, label: str | None = None) -> Any:
        """Draw the parameter over a quantity along all paths: solid where stable, dashed where not.

        Parameters
        ----------
        of : str, function EquilibriumPath -> (n,) array, or (place, direction)
            What is drawn to the right: a name of one number such as ``"tip.position.y"``; of a place its displacement
            along a direction, (place, (0, -1)).
        ax : matplotlib axes, optional
        label : str, optional
            What to call it.

        Returns
        -------
        matplotlib axes
        """
        from flexmbs.visualization.equilibrium_paths import draw_equilibrium_paths

        return draw_equilibrium_paths(self, of, ax, label)

    def to_dataframe(self, **quantities: Callable[[EquilibriumPath], FloatArray]) -> Any:
        """A pandas DataFrame with a row for each equilibrium: path, number, parameter, unstable directions.

        ``quantities``: more columns, as functions of a path.
        """
        paths, n = self.paths, [len(x) for x in self.paths]
        columns = {
            "path": np.repeat(np.arange(len(n)), n), "number": [i for k in n for i in range(k)],
            "parameter": _joined([x.load_factors for x in paths]), "unstable": _joined([x.unstable for x in paths]),
        }  # fmt: skip
        more = {name: _joined([x.evaluated(value) for x in paths]) for name, value in quantities.items()}
        return data_frame({**columns, **more})


def _joined(parts: Sequence[Any]) -> Any:
    return np.concatenate(parts) if parts else np.zeros(0)


def _one(path: EquilibriumPath, i: int) -> dict[str, Any]:
    """The fields of a solution with one equilibrium of a path."""
    i = range(len(path))[i]
    near = path.extra["turns"][i]
    return {
        "system": path.system, "q": path.q[i : i + 1].copy(), "v": path.v[i : i + 1].copy(),
        "lam": path.lam[i : i + 1].copy(), "load_factors": path.load_factors[i : i + 1].copy(),
        "scales": path.scales[i : i + 1].copy(), "drives": path.drives[i : i + 1].copy(),
        "time": float(path.times[i]), "stable": path.stable[i : i + 1].copy(), "redundant": path.redundant,
        "iterations": np.zeros((0, path.iterations.shape[1])), "settings": path.settings,
        "extra": {**path.extra, "near": near, "counted": path.extra["counted"][i : i + 1]},
    }  # fmt: skip
