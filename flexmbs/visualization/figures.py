"""New figures in the style of flexmbs, and checks of axes that are passed in."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.axes import Axes

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.visualization import style

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["checked_axes", "look", "new_axes"]


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
