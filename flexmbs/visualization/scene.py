"""What an animation shows: lines that move, as arrays of points over time.

Rigid bodies are wireframes that follow a pose (`wireframe`), flexible bodies curves, the ground a line that stays
(`still`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_flag, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.visualization.scene_drawing import FLEXIBLE, GROUND, POINT, RIGID, SPRING, Stroke

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.visualization.coloured import Scale

__all__ = [
    "FLEXIBLE", "GROUND", "POINT", "RIGID", "SPRING", "ColouredLine", "Line", "Scene", "Stroke", "Surface", "still",
    "wireframe",
]  # fmt: skip

FLAT = 1e-9
"""Share of the size of a scene that it may extend in z and still be drawn in the plane."""


@dataclass(frozen=True, eq=False)
class Line:
    """Points that move and are joined by a line.

    Parameters
    ----------
    label : str
        For the legend; lines of one label have one entry, an empty label none.
    points : (n_t, n_points, dim) array
        [length]; NaN interrupts the line.
    stroke : Stroke
        Such as `RIGID`, `FLEXIBLE`, `SPRING`, `POINT`, `GROUND`.
    trail : bool
        Whether its points leave traces.

    Raises
    ------
    ModelError
        If the shape is another one, or ``stroke`` is none.
    """

    label: str
    points: FloatArray
    stroke: Stroke = RIGID
    trail: bool = False

    def __post_init__(self) -> None:
        owner = f"Line {show(self.label)}"
        if not isinstance(self.label, str):
            raise ModelError(f"{owner}: label must be a string.")
        try:
            points = np.array(self.points, dtype=np.float64)
        except (TypeError, ValueError):
            points = np.zeros(0)
        if points.ndim != 3 or points.shape[2] not in (2, 3) or np.isinf(points).any():
            raise ModelError(
                f"{owner}: points must be an array of numbers (n_t, n_points, 2 or 3), not {show(self.points)}."
            )
        if not isinstance(self.stroke, Stroke):
            raise ModelError(f"{owner}: stroke must be a Stroke such as RIGID, not {show(self.stroke)}.")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of triangles that moves and changes its colours; drawn in space only.

    Parameters
    ----------
    label : str
    triangles : (n_f, 3) int array
        Numbers of points.
    at : function
        From the number of a time to the points (n, 3) [length] and the values (n,) that colour them; called per frame,
        so that not all states are held at once.
    corners : (2, 3) array
        Least and largest coordinates over all times.
    limits : (float, float)
        Values of the ends of the colours.
    quantity : str
        What the values are, with their unit.
    """

    label: str
    triangles: IntArray
    at: Callable[[int], tuple[FloatArray, FloatArray]]
    corners: FloatArray
    limits: tuple[float, float]
    quantity: str


@dataclass(frozen=True, eq=False)
class ColouredLine:
    """Pieces of a line that move and change their colours.

    Parameters
    ----------
    label : str
    points : (n_t, n_pieces, 2, dim) array
        Both ends of every piece [length].
    values : (n_t, n_pieces) array
        What colours them.
    scale : Normalize, Colormap
        Limits and colours, those of all lines of the same quantity.
    quantity : str
        What the values are, with their unit.
    """

    label: str
    points: FloatArray
    values: FloatArray
    scale: Scale
    quantity: str


@dataclass(frozen=True, eq=False)
class Scene:
    """Lines over time, and surfaces.

    Parameters
    ----------
    times : (n_t,) array
        Ascending [time].
    lines : sequence of Line
        All of one dimension.
    title : str
    length_unit, time_unit : str
    flat : bool
        Whether to look along z even if the points have depth, as for boxes that move in the plane. Points that all
        have the same z are always drawn in the plane.
    surfaces : sequence of Surface
    coloured : sequence of ColouredLine
    over : str
        What the times are: ``"t"``, or another name that is shown in the film.

    Raises
    ------
    ModelError
        If there is no line with points, the times do not ascend, or lengths or dimensions differ.

    Examples
    --------
    >>> t = np.linspace(0.0, 1.0, 11)
    >>> rod = np.zeros((11, 2, 2))
    >>> rod[:, 1] = np.column_stack((np.cos(t), np.sin(t)))
    >>> wall = still(11, [(0.0, -0.1), (0.0, 0.1)])
    >>> Scene(t, [Line("rod", rod), Line("wall", wall, GROUND)]).planar
    True
    """

    times: FloatArray
    lines: Sequence[Line]
    title: str = ""
    length_unit: str = "m"
    time_unit: str = "s"
    flat: bool = False
    surfaces: Sequence[Surface] = ()
    over: str = "t"
    coloured: Sequence[ColouredLine] = ()
    planar: bool = field(init=False)

    def __post_init__(self) -> None:
        times = as_array("Scene", "times", self.times, (None,), unit="time")
        if not len(times) or (np.diff(times) <= 0.0).any():
            raise ModelError("Scene: times must ascend, and there must be at least one.")
        lines = tuple(self.lines) if isinstance(self.lines, Sequence) else ()
        if not (lines or self.surfaces or self.coloured) or not all(isinstance(line, Line) for line in lines):
            raise ModelError(f"Scene: lines must be a sequence of Line, at least one, not {show(self.lines)}.")
        for line in lines:
            if len(line.points) != len(times) or line.points.shape[2] != lines[0].points.shape[2]:
                wanted = (len(times), "any", lines[0].points.shape[2])
                raise ModelError(f"Scene: {line.label!r} must have the shape {wanted}, not {line.points.shape}.")
        drawn = [line.points.reshape(-1, line.points.shape[2]) for line in lines]
        drawn += [line.points.reshape(-1, line.points.shape[3]) for line in self.coloured]
        everything = np.concatenate([*drawn, *(surface.corners for surface in self.surfaces)])
        everything = everything[np.isfinite(everything).all(axis=1)]
        if not len(everything):
            raise ModelError("Scene: there is no point to draw.")
        extent = np.ptp(everything, axis=0)
        planar = as_flag("Scene", "flat", self.flat) or len(extent) == 2
        planar = planar or bool(extent[2] <= FLAT * max(float(extent.max()), 1e-300))
        planar = planar and not self.surfaces
        if planar:
            lines = tuple(replace(line, points=line.points[:, :, :2]) for line in lines)
            flat = tuple(replace(line, points=line.points[..., :2]) for line in self.coloured)
            object.__setattr__(self, "coloured", flat)
        for name, value in (("times", times), ("lines", lines), ("planar", planar)):
            object.__setattr__(self, name, value)


def wireframe(points: ArrayLike, edges: ArrayLike, position: ArrayLike, rotation: ArrayLike) -> FloatArray:
    """Edges of a rigid body as a line with gaps, following its pose.

    Parameters
    ----------
    points : (n, 3) array
        Corners in body axes, from the point that ``position`` is of [length].
    edges : (m, 2) int array
        Which corners are joined.
    position : (n_t, 3) array
        [length]
    rotation : (n_t, 3, 3) array
        Columns are the body axes in the inertial frame.

    Returns
    -------
    (n_t, 3 m, 3) array
        For `Line`.

    Raises
    ------
    ModelError
        If a shape is another one, or there is no such corner.

    Examples
    --------
    >>> bar = wireframe([(0, 0, 0), (1, 0, 0)], [(0, 1)], [(0, 0, 2)], [np.eye(3)])
    >>> bar[0].tolist()
    [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [nan, nan, nan]]
    """
    corners = as_array("wireframe", "points", points, (None, 3), unit="length")
    pairs: IntArray = as_array("wireframe", "edges", edges, (None, 2)).astype(np.int64)
    places = as_array("wireframe", "position", position, (None, 3), unit="length")
    turns = as_array("wireframe", "rotation", rotation, (len(places), 3, 3))
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < len(corners)):
        raise ModelError(f"wireframe: edges must join corners 0 to {len(corners) - 1}, not {pairs.max()}.")
    moved = np.einsum("tij,pj->tpi", turns, corners) + places[:, None]
    line = np.full((len(places), len(pairs), 3, 3), np.nan)
    line[:, :, :2] = moved[:, pairs]
    return line.reshape(len(places), 3 * len(pairs), 3)


def still(n_t: int, points: ArrayLike) -> FloatArray:
    """Points (n_points, dim) that stay where they are, at n_t times: (n_t, n_points, dim)."""
    here = np.asarray(points, dtype=np.float64)
    return np.broadcast_to(here, (as_count("still", "n_t", n_t), *here.shape))
