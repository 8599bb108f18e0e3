"""Animations of motions: lines that move, in the plane or in space, as a film (mp4) or a picture that moves (gif).

What moves is a `flexmbs.visualization.scene.Scene`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
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

from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.core.progress import Progress
from flexmbs.io.sealed import as_target, replaced
from flexmbs.visualization import style
from flexmbs.visualization.figures import look
from flexmbs.visualization.frames import frame_rows
from flexmbs.visualization.scene import Scene
from flexmbs.visualization.scene_drawing import SceneAxes

__all__ = ["animate", "draw_frame"]

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
    speed: float = 1.0,
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
    speed : float
        Time of the model per time of the film: 0.1 is ten times slower than real. One unit of time is taken as 1 s.
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
    speed = as_number("animate", "speed", speed, above=0.0)
    fps = as_number("animate", "fps", fps, above=0.0, maximum=240.0)
    dpi = as_number("animate", "dpi", dpi, minimum=20.0, maximum=1200.0)
    target = as_target("animate", path, SUFFIXES)
    gif = target.suffix.lower() == ".gif"
    if not gif and not films.writers.is_available("ffmpeg"):
        raise FlexmbsError(f"animate: {target.name} needs the program ffmpeg, which is not installed; take a .gif.")
    if gif:  # the delay of a frame counts in hundredths of a second, and viewers refuse less than two
        fps = 100.0 / max(2, round(100.0 / fps))
    steps, duration = frame_rows("animate", scene.times, speed / fps), _duration("animate", trail)
    with rc_context(style.RC), replaced("animate", target) as (draft,):
        figure = Figure(figsize=SceneAxes.size(scene), dpi=dpi, layout="constrained")
        FigureCanvasAgg(figure)
        drawing = SceneAxes(scene, figure, speed=speed)
        drawing.settle()
        with Progress("animation", progress) as shown:
            colours = [line.stroke.colour for line in scene.lines]
            with (
                _Gif(figure, draft, fps, colours, bool(scene.surfaces))
                if gif
                else _film(figure, draft, fps, dpi) as film
            ):
                for i, step in enumerate(steps):
                    drawing.show(int(step), duration)
                    film.grab_frame()
                    shown.show((i + 1) / len(steps), f"frame {i + 1} of {len(steps)}")
    return target


class _Gif:
    """Frames of a figure, all with one palette: white, greys, colours of lines mixed with white, and of surfaces."""

    def __init__(self, figure: Figure, path: Path, fps: float, colours: Sequence[str], surfaces: bool = False) -> None:
        from PIL import Image

        self.figure, self.path, self.delay = figure, path, round(1000.0 / fps)
        self.frames: list[Any] = []
        named = [to_rgb(colour) for colour in dict.fromkeys((style.INK, *colours))][: 5 if surfaces else 15]
        shares = np.linspace(0.0, 0.9, 14)[:, None]
        scale = colormaps["viridis"](np.linspace(0.0, 1.0, 46))[:, :3] if surfaces else np.zeros((0, 3))
        mixed = [np.ones((1, 3)), np.linspace(0.0, 0.95, 40)[:, None] * np.ones(3)]
        mixed += [shade * scale for shade in (1.0, 0.77, 0.55)]
        mixed += [np.array(colour) * (1.0 - shares) + shares for colour in named]
        self.palette = Image.new("P", (1, 1))
        self.palette.putpalette(np.round(255.0 * np.concatenate(mixed)).astype(np.uint8).tobytes())

    def grab_frame(self) -> None:
        """Draw the figure once more and keep it."""
        from PIL import Image

        canvas: Any = self.figure.canvas
        canvas.draw()
        picture = Image.fromarray(np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3]))
        self.frames.append(picture.quantize(palette=self.palette, dither=Image.Dither.NONE))

    def __enter__(self) -> _Gif:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            first, *others = self.frames
            first.save(self.path, format="GIF", save_all=True, append_images=others, duration=self.delay, loop=0)


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
