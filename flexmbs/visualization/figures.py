"""New figures in the style of flexmbs, and checks of axes that are passed in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.visualization import style

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["checked_axes", "look", "move_labels_away", "new_axes", "room_below"]

TALL = 1.5
"""Height of a box over its width, above which the figure has no room for labels below it."""
LABEL, TICK = 18.0, 6.0
"""Distances of labels and ticks from the axes of a cube [points], as far as they depend on its shape."""


@contextmanager
def look(ax: object = None) -> Iterator[None]:
    """The settings of our own figures; axes that are passed in keep theirs.

    The first figure makes pyplot load its backend, and a notebook's switches interactive drawing on; that must outlast
    the context.
    """
    if ax is not None:
        yield
        return
    with matplotlib.rc_context(style.RC):
        yield
        interactive = matplotlib.rcParams["interactive"]
    matplotlib.rcParams["interactive"] = interactive


def new_axes(size: tuple[float, float], rows: int = 1) -> Any:
    """Axes of a new figure of a size [in]; an array of them above each other, with one time axis, if ``rows`` > 1."""
    from matplotlib import pyplot

    return pyplot.subplots(rows, figsize=size, sharex=True, layout="constrained")[1]


def checked_axes(owner: str, ax: object) -> Any:
    """Refuse what is not plane axes."""
    if not isinstance(ax, Axes):
        raise ModelError(f"{owner}: ax must be matplotlib axes, not {show(ax)}.")
    if ax.name == "3d":
        raise ModelError(f"{owner}: this drawing needs plane axes, not {type(ax).__name__}.")
    return ax


def room_below(half: FloatArray) -> float:
    """Factor on the zoom of a box of extents (3,): tall ones fill the figure, and their labels are below them."""
    return 0.8 if half[2] > TALL * max(half[:2]) else 1.0


def move_labels_away(axes: Any, half: FloatArray, label: float, ticks: Sequence[float]) -> None:
    """Labels of spatial axes beside their numbers, in boxes of any shape.

    matplotlib moves both away by parts of the extents across the axis, which are small in slender and flat boxes.

    Parameters
    ----------
    axes : Axes3D
    half : (3,) array
        Extents of the box.
    label, ticks : float, (3,) sequence
        Pads in a cube [points].
    """
    shares = half / half.max()
    for name, share, pad in zip("xyz", shares, ticks, strict=True):
        axis, across = getattr(axes, f"{name}axis"), float(np.sqrt(0.5 * (shares @ shares - share**2)))
        axis.set_tick_params(pad=pad + TICK * (1.0 / across - 1.0))
        axis.labelpad = label + LABEL * (1.0 / across - 1.0)
