"""How a scene is drawn: strokes, limits that hold all of its motion, one artist per line that is moved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, is_color_like, to_rgba
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.linear.pictures import shaded
from flexmbs.visualization import style
from flexmbs.visualization.coloured import collection, colour_bar
from flexmbs.visualization.figures import move_labels_away, room_below

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmbs.visualization.scene import ColouredLine, Scene, Surface

__all__ = ["FLEXIBLE", "GROUND", "POINT", "RIGID", "SPRING", "SceneAxes", "Stroke"]

DEEP = 0.3
"""Least extent of a spatial drawing in each direction, as a share of the largest."""
MARGIN = 1.08
TICKS = 5
"""Intervals between ticks at most along the longest axis in space."""
CLEAR = ((1.0, 0.88), (0.88, 0.88), (0.88, 1.0))
"""Shares of both halves of an axis in space that have ticks, without the corners where labels of two axes collide."""
TRACES = 8
"""Points of a line that leave traces at most."""


@dataclass(frozen=True)
class Stroke:
    """Colour, width and form of a line.

    Parameters
    ----------
    colour : str
        As matplotlib has it.
    width : float
        [pt]; zero draws markers only.
    marker : str or Path
        Of matplotlib, at every point; empty for none.
    size : float
        Of the markers [pt].
    layer : float
        What has a higher one is drawn on top (in the plane).
    hatched : bool
        Ground: short slanting lines on its right side, seen along the line; in the plane only, where it is at the
        start.

    Raises
    ------
    ModelError
        If the colour is none or a number out of bounds.
    """

    colour: str = style.INK
    width: float = 1.6
    marker: Any = ""
    size: float = 5.0
    layer: float = 3.0
    hatched: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.colour, str) or not is_color_like(self.colour):
            raise ModelError(f"Stroke: colour must be a colour such as '#1f5fa8', not {show(self.colour)}.")
        for name in ("width", "size"):
            as_number("Stroke", name, getattr(self, name), minimum=0.0)


RIGID = Stroke(style.INK, 1.6)
FLEXIBLE = Stroke(style.BLUE, 2.6, layer=4.0)
SPRING = Stroke(style.GREEN, 1.3, layer=2.5)
POINT = Stroke(style.ORANGE, 0.0, "o", 5.0, layer=5.0)
GROUND = Stroke(style.GREY, 1.4, layer=1.5, hatched=True)


class SceneAxes:
    """Axes that hold all states of a scene and show one of them.

    Parameters
    ----------
    scene : Scene
    figure : Figure or None
        Where to make the axes, if there are none.
    axes : Axes, optional
    speed : float, optional
        For the text beside the time.
    """

    def __init__(self, scene: Scene, figure: Figure | None, axes: Any = None, speed: float | None = None) -> None:
        self.scene = scene
        if axes is None and figure is not None:
            axes = figure.add_subplot(**({} if scene.planar else {"projection": "3d"}))
        self.axes = _fitting(axes, scene.planar)
        self.axes.set_title(as_drawn(scene.title), loc="right" if scene.planar else "center")
        self._unit = f" {scene.time_unit}" if scene.time_unit not in ("", "-") else ""
        pace = " × real time" if scene.over == "t" else f"{self._unit} of {scene.over} per second"
        self._speed = "" if speed in (None, 1.0) else f"   ({speed:g}{pace})"
        self._limits()
        self._artists, self._traces = [], []
        labels: set[str] = set()
        for line in scene.lines:
            s = line.stroke
            label = as_drawn(line.label) if line.label and line.label not in labels else None
            labels.add(line.label)
            options = {"color": s.colour, "lw": s.width, "zorder": s.layer, "solid_capstyle": "round"}
            options |= {"marker": s.marker or None, "ms": s.size, "ls": "-" if s.width else ""}
            options |= {"mfc": "none", "mew": 1.1} if isinstance(s.marker, Path) else {}
            start = line.points[0].T
            if s.hatched and scene.planar:
                self.axes.plot(*_hatching(line.points[0], self._size).T, color=s.colour, lw=0.9, zorder=s.layer)
            self._artists.append(self.axes.plot(*start, label=label, **options)[0])
            n = line.points.shape[1]
            for k in np.unique(np.linspace(0, n - 1, min(n, TRACES)).astype(int)) if line.trail and n else ():
                faint = {"color": s.colour, "lw": 0.8, "alpha": 0.45, "zorder": 1.8}
                self._traces.append((line.points[:, k], self.axes.plot(*start[:, [k]], **faint)[0]))
        self._coloured = [_pieces(self.axes, line) for line in scene.coloured]
        self._surfaces = [_drawn(self.axes, surface) for surface in scene.surfaces]
        _colour_bars(self.axes, scene)
        self._time = self._clock()
        named = sum(artist.get_label()[:1] != "_" for artist in self._artists)
        if 1 < named <= 8:
            beside = {"loc": "center left", "bbox_to_anchor": (1.24 if scene.coloured else 1.0, 0.5)}
            if scene.planar or figure is None:
                self.axes.legend(**(beside if scene.planar else {"loc": "upper right"}))
            else:  # beside the cube and the labels of its axes
                figure.legend(loc="outside right upper")

    @staticmethod
    def size(scene: Scene) -> tuple[float, float]:
        """Width and height of a figure [in] that suits the extent of the scene."""
        if not scene.planar:
            return 7.0, 5.6
        width, height = np.maximum(np.ptp(_corners(scene), axis=0), 1e-300)
        return 7.0, float(np.clip(6.2 * height / width + 1.0, 2.4, 7.0))

    def settle(self) -> None:
        """Arrange the figure once, so that nothing moves from frame to frame but the scene."""
        self._write_time(len(self.scene.times) - 1)
        self.axes.figure.canvas.draw()
        self.axes.figure.set_layout_engine("none")

    def show(self, step: int, trail: float) -> None:
        """Move all lines to a state; traces go back by a duration."""
        for line, artist in zip(self.scene.lines, self._artists, strict=True):
            _move(artist, line.points[step])
        begin = int(np.searchsorted(self.scene.times, self.scene.times[step] - trail))
        for points, artist in self._traces:
            _move(artist, points[begin : step + 1])
        for coloured, pieces in zip(self.scene.coloured, self._coloured, strict=True):
            pieces.set_segments(coloured.points[step])
            pieces.set_array(coloured.values[step])
        for surface, artist in zip(self.scene.surfaces, self._surfaces, strict=True):
            _recolour(artist, surface, step)
        self._write_time(step)

    def part(self) -> None:
        """Leave all that moves out of `Figure.draw`, for `draw_moving` on a picture of what stays."""
        for artist in self._moving():
            artist.set_animated(True)

    def draw_moving(self, renderer: Any) -> None:
        """Draw what moves, in the order in which a whole drawing has it."""
        faces = [*self._coloured, *self._surfaces] if not self.scene.planar else []
        depth = {id(artist): artist.do_3d_projection() for artist in faces}  # needed before they are drawn
        lines = [artist for artist in self._moving() if id(artist) not in depth]
        for artist in sorted(lines, key=lambda artist: artist.get_zorder()):
            artist.draw(renderer)
        for artist in sorted(faces, key=lambda artist: depth[id(artist)], reverse=True):
            artist.draw(renderer)

    def _moving(self) -> list[Any]:
        traces = [artist for _, artist in self._traces]
        return [*self._artists, *traces, *self._coloured, *self._surfaces, self._time]

    def _write_time(self, step: int) -> None:
        times = self.scene.times
        span = max(float(times[-1] - times[0]), 1e-300)
        digits = int(np.clip(3 - np.floor(np.log10(span)), 0, 9))
        self._time.set_text(f"{self.scene.over} = {times[step]:.{digits}f}{self._unit}{self._speed}")

    def _clock(self) -> Any:
        """The text of the time, above on the left."""
        options = {"transform": self.axes.transAxes, "va": "bottom", "ha": "left", "family": "monospace", "size": 9}
        if self.scene.planar:
            return self.axes.text(0.0, 1.01, "", **options)
        return self.axes.text2D(0.0, 0.97, "", **options)

    def _limits(self) -> None:
        """Equal scales, with room for every state."""
        low, high = _corners(self.scene)
        extent = high - low
        self._size = size = max(float(extent.max()), 1e-12)
        least = (0.15 if self.scene.planar else DEEP) * size
        half = 0.5 * MARGIN * np.maximum(extent, least)
        middle = 0.5 * (low + high)
        for k, name in enumerate("xyz"[: len(low)]):
            getattr(self.axes, f"set_{name}lim")(middle[k] - half[k], middle[k] + half[k])
            getattr(self.axes, f"set_{name}label")(f"{name} [{self.scene.length_unit}]")
        if self.scene.planar:
            self.axes.set_aspect("equal", adjustable="box")
            return
        self.axes.set_box_aspect(half.copy(), zoom=0.84 * room_below(half))  # which scales the array that it gets
        self.axes.tick_params(labelsize=8.0)
        for k, name in enumerate("xyz"):
            axis = getattr(self.axes, f"{name}axis")
            n = max(2, round(TICKS * half[k] / half.max()))
            ticks = MaxNLocator(n).tick_values(middle[k] - half[k], middle[k] + half[k])
            share = (ticks - middle[k]) / half[k]
            axis.set_ticks(ticks[(share >= -CLEAR[k][0]) & (share <= CLEAR[k][1])])
        move_labels_away(self.axes, half, 8.0, (3.5, 3.5, 5.0))


def _corners(scene: Scene) -> FloatArray:
    """Least and largest coordinates over all times (2, dim)."""
    drawn = [line.points for line in scene.lines if np.isfinite(line.points).any()]
    drawn += [line.points.reshape(len(line.points), -1, line.points.shape[3]) for line in scene.coloured]
    low = np.nanmin([*(np.nanmin(x, axis=(0, 1)) for x in drawn), *(s.corners[0] for s in scene.surfaces)], 0)
    high = np.nanmax([*(np.nanmax(x, axis=(0, 1)) for x in drawn), *(s.corners[1] for s in scene.surfaces)], 0)
    return np.array((low, high))


def _pieces(axes: Any, line: ColouredLine) -> Any:
    """The pieces of a coloured line at the start."""
    norm, colours = line.scale
    drawn = collection(axes, line.points[0], norm=norm, cmap=colours, linewidths=style.WIDTH, zorder=4)
    drawn.set_array(line.values[0])
    axes.add_collection(drawn)
    return drawn


def _drawn(axes: Any, surface: Surface) -> Any:
    """The polygons of a surface at the start."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    points, _ = surface.at(0)
    polygons = Poly3DCollection(points[surface.triangles], linewidths=0.3, rasterized=True)
    axes.add_collection3d(polygons)
    _recolour(polygons, surface, 0)
    return polygons


def _recolour(polygons: Any, surface: Surface, step: int) -> None:
    """The polygons of a surface at a time, shaded; grey where values are missing."""
    points, values = surface.at(step)
    corners, mean = points[surface.triangles], values[surface.triangles].mean(axis=1)
    colours = np.tile(to_rgba(style.GREY), (len(corners), 1))
    known = np.isfinite(mean)
    colours[known] = _scale(surface).to_rgba(mean[known])
    colours = shaded(corners, colours)
    polygons.set_verts(corners)
    polygons.set_facecolor(colours)
    polygons.set_edgecolor(colours)  # edges in the colour of the face close the cracks between neighbours


def _scale(surface: Surface) -> ScalarMappable:
    return ScalarMappable(Normalize(*surface.limits), colormaps["viridis"])


def _colour_bars(axes: Any, scene: Scene) -> None:
    """One bar for each quantity, with the limits of its first surface."""
    for line in {line.quantity: line for line in scene.coloured}.values():
        if scene.planar:  # as high as the diagram
            bar = axes.inset_axes((1.03, 0.0, 0.025, 1.0))
            axes.figure.colorbar(ScalarMappable(*line.scale), cax=bar, label=line.quantity)
        else:
            colour_bar(axes, line.scale, line.quantity)
    for quantity in dict.fromkeys(surface.quantity for surface in scene.surfaces):
        first = next(s for s in scene.surfaces if s.quantity == quantity)
        axes.figure.colorbar(_scale(first), ax=axes, label=quantity, shrink=0.6, pad=0.08)


def _hatching(points: FloatArray, size: float) -> FloatArray:
    """Short lines with gaps, slanting backwards to the right of a line with gaps."""
    parts = []
    for a, b in pairwise(points):
        length = float(np.linalg.norm(b - a))
        if not length > 0.0:  # NaN, too
            continue
        along = (b - a) / length
        slant = 0.018 * size * (np.array((along[1], -along[0])) - along)
        n = max(1, round(length / (0.022 * size)))
        for share in (np.arange(n) + 1.0) / n:
            foot = a + share * (b - a)
            parts += [foot, foot + slant, np.full(2, np.nan)]
    return np.array(parts).reshape(-1, 2)


def _move(artist: Any, points: FloatArray) -> None:
    """New points (n, dim) for a line."""
    if points.shape[1] == 3:
        artist.set_data_3d(*points.T)
    else:
        artist.set_data(*points.T)


def _fitting(axes: object, planar: bool) -> Any:
    """Refuse what is not axes, or not of the right dimension."""
    if not isinstance(axes, Axes):
        raise ModelError(f"draw_frame: ax must be matplotlib axes, not {show(axes)}.")
    if planar == (axes.name == "3d"):
        wanted = "plane axes" if planar else "axes made with projection='3d'"
        raise ModelError(f"draw_frame: this scene needs {wanted}, not {type(axes).__name__}.")
    return axes
