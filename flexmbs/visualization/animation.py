"""Animations of motions: lines that move, in the plane or in space, as a film (mp4) or a picture that moves (gif).

What moves is a `flexmbs.visualization.scene.Scene`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import animation as films
from matplotlib import colormaps, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.spatial import cKDTree

from flexmbs.core.checks import as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.io.sealed import as_target, replaced
from flexmbs.visualization import style
from flexmbs.visualization.figures import look
from flexmbs.visualization.frames import film_speed, frame_rows
from flexmbs.visualization.scene import Scene
from flexmbs.visualization.scene_drawing import SceneAxes

__all__ = ["animate", "draw_frame", "frame_interval"]

SUFFIXES = (".mp4", ".gif")


def draw_frame(scene: Scene, step: int = -1, *, trail: float | None = None, ax: Any = None) -> Any:
    """Draw one state of a scene.

    Parameters
    ----------
    scene : Scene
    step : int
    trail : float, optional
        Duration of the traces [time]; left out, from the start.
    ax : Axes, optional
        Where to draw; a spatial scene needs axes made with ``projection="3d"``.

    Returns
    -------
    Axes

    Raises
    ------
    ModelError
        If there is no such step or the axes do not fit.
    """
    _check_scene("draw_frame", scene)
    n = len(scene.times)
    if isinstance(step, bool) or not isinstance(step, int | np.integer) or not -n <= step < n:
        raise ModelError(f"draw_frame: step must be a whole number from 0 to {n - 1}, not {show(step)}.")
    with look(ax):
        if ax is None:
            from matplotlib import pyplot

            drawing = SceneAxes(scene, pyplot.figure(figsize=SceneAxes.size(scene), layout="constrained"))
        else:
            drawing = SceneAxes(scene, None, ax)
        drawing.show(int(step) % n, _duration("draw_frame", trail))
    return drawing.axes


def animate(
    scene: Scene,
    path: str | PathLike[str],
    *,
    speed: float | None = None,
    fps: float = 25.0,
    trail: float | None = None,
    dpi: float = 100.0,
    progress: bool = True,
) -> Path:
    """Write an animation; each frame shows the computed state that is nearest in time.

    Parameters
    ----------
    scene : Scene
    path : path-like
        ``.mp4`` needs the program ffmpeg, ``.gif`` nothing.
    speed : float, optional
        Time of the model per time of the film: 0.1 is ten times slower than real. One unit of time is taken as 1 s.
        Left out, real time where that takes 2 s to 30 s, and otherwise such that the film takes 10 to 25 s. The
        picture says which, if it is not real time.
    fps : float
        Frames per second; at most 50 in a gif.
    trail : float, optional
        Duration of the traces of lines that have ``trail`` [time]; left out, from the start.
    dpi : float
        Dots per inch; figures are about 7 in wide.
    progress : bool
        Whether to show progress on standard error.

    Returns
    -------
    Path

    Raises
    ------
    ModelError
        If a number is out of bounds, or there would be too many frames.
    FlexmbsError
        If the file cannot be written, or ffmpeg is missing.
    """
    _check_scene("animate", scene)
    speed = film_speed(float(np.ptp(scene.times))) if speed is None else speed
    interval = frame_interval(path, speed, fps)
    fps = speed / interval
    dpi = as_number("animate", "dpi", dpi, minimum=20.0, maximum=1200.0)
    target = as_target("animate", path, SUFFIXES)
    gif = target.suffix.lower() == ".gif"
    if not gif and not films.writers.is_available("ffmpeg"):
        raise FlexmbsError(f"animate: {target.name} needs the program ffmpeg, which is not installed; take a .gif.")
    steps, duration = frame_rows("animate", scene.times, interval), _duration("animate", trail)
    with rc_context(style.RC), replaced("animate", target) as (draft,):
        figure = Figure(figsize=SceneAxes.size(scene), dpi=dpi, layout="constrained")
        FigureCanvasAgg(figure)
        drawing = SceneAxes(scene, figure, speed=speed)
        drawing.settle()
        film: Any = _Gif(drawing, draft, fps) if gif else _film(figure, draft, fps, dpi)
        with Progress("animation", progress) as shown, film as frames:
            for i, step in enumerate(steps):
                drawing.show(int(step), duration)
                frames.grab_frame()
                shown.show((i + 1) / len(steps), f"frame {i + 1} of {len(steps)}")
    return target


def frame_interval(path: Any, speed: float, fps: float = 25.0) -> float:
    """Time of the model between the frames of a film, as the format of the file has it."""
    speed = as_number("animate", "speed", speed, above=0.0)
    fps = as_number("animate", "fps", fps, above=0.0, maximum=240.0)
    if str(path).lower().endswith(".gif"):  # delays are hundredths of a second, and viewers refuse less than two
        fps = 100.0 / max(2, round(100.0 / fps))
    return speed / fps


class _Gif:
    """Frames of a drawing, all with one palette; what stays is drawn once.

    The palette has white, greys, colours of lines mixed with white, and those of scales. Which of its colours is
    nearest is looked up by the first six bits of each channel.
    """

    def __init__(self, drawing: SceneAxes, path: Path, fps: float) -> None:
        self.drawing, self.path, self.delay = drawing, path, round(1000.0 / fps)
        self.frames: list[Any] = []
        drawing.part()
        self.canvas: Any = drawing.axes.figure.canvas
        self.canvas.draw()
        self.still = self.canvas.copy_from_bbox(drawing.axes.figure.bbox)
        self.palette = _palette(drawing.scene)
        levels = (np.arange(64) + 0.5) / 64.0
        every = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3)
        self.nearest = cKDTree(self.palette).query(every)[1].astype(np.uint8)
        own = np.round(255.0 * self.palette).astype(np.int64) >> 2
        places = (own[:, 0] << 12) + (own[:, 1] << 6) + own[:, 2]
        self.nearest[places[::-1]] = np.arange(len(own))[::-1]

    def grab_frame(self) -> None:
        """Draw what moves once more and keep the picture."""
        from PIL import Image

        self.canvas.restore_region(self.still)
        self.drawing.draw_moving(self.canvas.get_renderer())
        bits = np.asarray(self.canvas.buffer_rgba())[:, :, :3].astype(np.int32) >> 2
        picture = Image.fromarray(self.nearest[(bits[:, :, 0] << 12) + (bits[:, :, 1] << 6) + bits[:, :, 2]])
        picture.putpalette(np.round(255.0 * self.palette).astype(np.uint8).tobytes())
        self.frames.append(picture)

    def __enter__(self) -> _Gif:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            first, *others = self.frames
            first.save(self.path, format="GIF", save_all=True, append_images=others, duration=self.delay, loop=0)


def _palette(scene: Scene) -> FloatArray:
    """At most 256 colours (n, 3): of lines and their edges, of surfaces in light and shade, of scales."""
    named = [to_rgb(line.stroke.colour) for line in scene.lines]
    scales = list({line.quantity: line.scale[1] for line in scene.coloured}.values())[:2]
    greys = np.linspace(0.0, 0.95, 40)[:, None] * np.ones(3)
    mixed = [np.ones((1, 3)), greys]
    if scene.surfaces:
        mixed += [shade * colormaps["viridis"](np.linspace(0.0, 1.0, 40))[:, :3] for shade in (1.0, 0.77, 0.55)]
    room = 255 - sum(len(part) for part in mixed)
    for colours in scales:
        pure = colours(np.linspace(0.0, 1.0, min(50, room // (3 * len(scales)))))[:, :3]
        mixed += [pure, 0.5 + 0.5 * pure]
    room = 255 - sum(len(part) for part in mixed)
    strokes = list(dict.fromkeys((to_rgb(style.INK), *named)))[: room // 5]
    shares = np.linspace(0.0, 0.9, min(14, room // len(strokes)))[:, None]
    mixed += [np.array(colour) * (1.0 - shares) + shares for colour in strokes]
    return np.asarray(np.concatenate(mixed), dtype=np.float64)


@contextmanager
def _film(figure: Figure, path: Path, fps: float, dpi: float) -> Iterator[films.FFMpegWriter]:
    """A film that every player shows; its sides must be even numbers of dots."""
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-f", "mp4"]
    writer = films.FFMpegWriter(fps=fps, codec="h264", extra_args=even)  # type: ignore[arg-type]
    try:
        with writer.saving(figure, str(path), dpi):
            yield writer
    except subprocess.CalledProcessError as error:
        raise FlexmbsError(f"animate: ffmpeg failed: {show(error.stderr or error)}. Take a .gif instead.") from error


def _duration(owner: str, trail: object) -> float:
    """How long traces are."""
    return np.inf if trail is None else as_number(owner, "trail", trail, minimum=0.0)


def _check_scene(owner: str, scene: object) -> None:
    """Refuse what is no scene."""
    if not isinstance(scene, Scene):
        raise ModelError(f"{owner}: expected a Scene, not {show(scene)}.")
