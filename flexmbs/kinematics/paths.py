"""Curves of positions through turning points and bifurcations: what is found, and how it is asked for and drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.calls import with_methods
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.results.status import Status
from flexmbs.results.time import Energy, TimeSolution

__all__ = ["KinematicPath", "KinematicPaths", "SingularPosition", "path_of"]


@dataclass(frozen=True, eq=False)
class SingularPosition:
    """A position at which drivers do not tell how to go on.

    Attributes
    ----------
    kind : "turning point" or "bifurcation"
        Turning point of time: a lock-up, from which both ways of going on lead back in time. Bifurcation: curves cross.
    t : float
        [time]
    q : (n_q,) array
        Coordinates.
    joints : str
        Names of the joints and drivers that hold each other there.
    directions : (k, n_v + 1) array
        Along the curves through it, by their length: velocities, and the rate of time. One at a turning point (where
        that rate is about zero), two at a bifurcation; none where the curves do not cross in a simple way.
    path, index : int
        The curve that it was met on first, and its number among the positions of that.
    located : bool
        Whether it was found to round-off; otherwise it lies within a step of what is given.
    """

    kind: str
    t: float
    q: FloatArray
    joints: str
    directions: FloatArray
    path: int = 0
    index: int = 0
    located: bool = True


@with_methods
@dataclass(frozen=True, eq=False, repr=False)
class KinematicPath(TimeSolution):
    """One curve of positions: a `TimeSolution` over the length s of the curve in place of time.

    Positions, angles, distances and animations are asked for in the same way; velocities are derivatives by s.
    Accelerations, multipliers and energies are not known (NaN). A file keeps it as a motion over s, without ``time``.

    Attributes
    ----------
    t : (n,) array
        Length of the curve s, in radians and lengths of the model.
    time : (n,) array
        Time [time], which may go back.
    ending : str
        Why the curve ends there.
    """

    time: Any = None
    ending: str = ""

    @property
    def name_of_t(self) -> str:
        """Length of the curve."""
        return "s"

    @property
    def unit_of_t(self) -> str:
        """None: radians and lengths are added."""
        return "-"

    @property
    def over_time(self) -> bool:
        """Velocities are derivatives by the length of the curve."""
        return False

    def __repr__(self) -> str:
        return (
            f"<path of model {self.model.name!r}: {len(self)} positions, t = {self.time[0]:g} to {self.time[-1]:g}, "
            f"{self.ending}>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class KinematicPaths:
    """All curves that `trace_kinematics` found.

    Attributes
    ----------
    paths : tuple of KinematicPath
        The first contains the position at the start.
    points : tuple of SingularPosition
        Turning points and bifurcations, ascending in time.
    """

    paths: tuple[KinematicPath, ...]
    points: tuple[SingularPosition, ...]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: int) -> KinematicPath:
        return self.paths[number]

    def __repr__(self) -> str:
        kinds = [p.kind for p in self.points]
        return (
            f"<{len(self.paths)} paths of model {self.paths[0].model.name!r}: {kinds.count('turning point')} turning "
            f"points, "
            f"{kinds.count('bifurcation')} bifurcations>"
        )

    def points_of(self, kind: str) -> tuple[SingularPosition, ...]:
        """The points of one kind: ``"turning point"`` or ``"bifurcation"``."""
        if kind not in ("turning point", "bifurcation"):
            raise ModelError(f"KinematicPaths: kind must be 'turning point' or 'bifurcation', not {kind!r}.")
        return tuple(p for p in self.points if p.kind == kind)

    def plot(self, of: Any, ax: Any = None, *, label: str | None = None) -> Any:
        """Draw a quantity over time along all paths, with the singular positions.

        Parameters
        ----------
        of : function KinematicPath -> (n,) array, or a joint or its name
            What is drawn; of a joint its angle [rad] or displacement.
        ax : matplotlib axes, optional
        label : str, optional
            What to call it.

        Returns
        -------
        matplotlib axes
        """
        from flexmbs.kinematics.diagram import draw_paths

        return draw_paths(self, of, ax, label)


def path_of(
    system: Any, points: list[Any], lengths: list[float], scale: float, eq: Any, ending: str, before: Any
) -> KinematicPath:
    """The result of the points of one curve."""
    n_t, n_c = len(points), eq.m
    q = np.array([p.q for p in points])
    v = np.array([eq.E @ (eq.size * p.tangent[:-1]) for p in points])
    unknown = np.full(n_t, np.nan)
    return KinematicPath(
        system=system, t=np.array(lengths), q=q, v=v, a=np.full_like(v, np.nan), lam=np.full((n_t, n_c), np.nan),
        energy=Energy(*([unknown] * 7)), residuals=np.full((n_t, 3), np.nan), steps=np.zeros((0, 4)), counts={},
        redundant=(), status=Status.DONE, settings={"analysis": "paths", "time scale": scale},
        time=np.array([p.t for p in points]), ending=ending, extra={"before": before},
    )  # fmt: skip
