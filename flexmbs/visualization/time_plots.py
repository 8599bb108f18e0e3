"""Plots over time: histories, energies, and what the step control did.

Every function draws into the axes it is given, or into a new figure of its own, and returns the axes. Nothing is shown
or closed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import as_array, as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["beside", "dots", "line", "plot_energy", "plot_histories", "plot_steps"]

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.INK)
DASHES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1.5, 1.5)))
"""Lines beyond the fourth differ by their dashes, too."""


def plot_histories(
    t: ArrayLike,
    histories: Mapping[str, ArrayLike],
    ylabel: str = "",
    *,
    title: str = "",
    time_unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Draw histories over time in one diagram.

    Parameters
    ----------
    t : (n,) array
        [time]
    histories : mapping of str to (n,) array
        By the text of the legend. Gaps (NaN) stay open.
    ylabel, title : str
    time_unit : str
    ax : Axes, optional

    Raises
    ------
    ModelError
        If there is nothing to draw, a shape does not fit, or ``ax`` is not plane axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = plot_histories([0.0, 1.0], {"x": [0.0, 2.0]}, "position [m]", ax=Figure().subplots())
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('t [s]', 'position [m]')
    """
    times = as_array("plot_histories", "t", t, (None,), unit="time")
    values = _histories("plot_histories", histories, len(times))
    with look(ax):
        axes = new_axes((6.8, 3.8)) if ax is None else checked_axes("plot_histories", ax)
        for i, (label, y) in enumerate(values.items()):
            axes.plot(times, y, label=label, **line(i), **dots(len(times)))
        _finish(axes, time_unit, ylabel, title)
        if len(values) > 1 or not ylabel:
            axes.legend(**beside(ax))
    chosen: Axes = axes
    return chosen


def plot_energy(
    t: ArrayLike,
    parts: Mapping[str, ArrayLike],
    *,
    total: ArrayLike | None = None,
    balance: ArrayLike | None = None,
    unit: str = "J",
    title: str = "",
    time_unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Draw energies over time, their sum, and below the balance: what the integration has added or lost.

    Parameters
    ----------
    t : (n,) array
        [time]
    parts : mapping of str to (n,) array
        Energies by name [energy]; those that are zero throughout are left out.
    total : (n,) array, optional
        The thick line; left out, the sum of the parts.
    balance : (n,) array, optional
        Drawn below; left out, the change of the total since the start.
    unit, title, time_unit : str
    ax : Axes, optional
        For the energies alone, without the diagram of the balance.

    Returns
    -------
    Axes
        Those of the energies; the others are the next ones of the figure.

    Raises
    ------
    ModelError
        If there is nothing to draw, a shape does not fit, or ``ax`` is not plane axes.
    """
    times = as_array("plot_energy", "t", t, (None,), unit="time")
    values = _histories("plot_energy", parts, len(times))
    whole = (
        np.sum(list(values.values()), axis=0) if total is None else _history("plot_energy", "total", total, len(times))
    )
    change = whole - whole[:1] if balance is None else _history("plot_energy", "balance", balance, len(times))
    with look(ax):
        if ax is None:
            axes, below = new_axes((6.8, 5.2), rows=2)
            below.plot(times, change, color=style.INK, lw=1.2)
            _finish(below, time_unit, f"{'change' if balance is None else 'balance'} [{unit}]", "")
            below.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
        else:
            axes = checked_axes("plot_energy", ax)
        shown = {label: y for label, y in values.items() if np.any(y)}
        for i, (label, y) in enumerate(shown.items()):
            axes.plot(times, y, label=label, **line(i % 3 + 4 * (i // 3)))
        axes.plot(times, whole, label="total", color=style.INK, lw=2.2, zorder=1.9)
        _finish(axes, time_unit if ax is not None else "", f"energy [{unit}]", title)
        axes.legend(**beside(ax))
    chosen: Axes = axes
    return chosen


def plot_steps(
    t: ArrayLike,
    sizes: ArrayLike,
    iterations: ArrayLike | None = None,
    errors: ArrayLike | None = None,
    *,
    rejected: ArrayLike | None = None,
    title: str = "",
    time_unit: str = "s",
) -> Sequence[Axes]:
    """Draw the sizes of the steps over time; below, their iterations and estimated errors.

    Parameters
    ----------
    t, sizes : (n,) array
        End and size of every accepted step [time].
    iterations : (n,) array, optional
    errors : (n,) array, optional
        Relative to the tolerance; NaN where none was estimated.
    rejected : (m, 2) array, optional
        Time and size of the steps that were refused.
    title, time_unit : str

    Returns
    -------
    tuple of Axes
        One for each diagram of the new figure.

    Raises
    ------
    ModelError
        If a shape does not fit or there is no step.
    """
    times = as_array("plot_steps", "t", t, (None,), unit="time")
    n = len(times)
    h = _history("plot_steps", "sizes", sizes, n)
    below: list[tuple[str, FloatArray]] = []
    for name, given in (("iterations", iterations), ("error / tolerance", errors)):
        if given is not None and not np.isnan(values := _history("plot_steps", name, given, n)).all():
            below.append((name, values))
    with look():
        axes = np.atleast_1d(new_axes((6.8, 2.6 + 1.7 * len(below)), rows=1 + len(below)))
        axes[0].step(times, h, where="pre", color=style.BLUE, lw=1.3, label="accepted")
        axes[0].plot(times, h, ls="", marker=".", ms=3, color=style.BLUE)
        if rejected is not None and len(np.asarray(rejected)):
            bad = as_array("plot_steps", "rejected", rejected, (None, 2), unit="time")
            axes[0].plot(*bad.T, ls="", marker="x", ms=5, color=style.ORANGE, label="refused")
            axes[0].legend()
        if h.min() > 0.0 and h.max() > 3.0 * h.min():
            axes[0].set_yscale("log")
        else:
            axes[0].set_ylim(0.0, 1.15 * h.max())
        for place, (name, values) in zip(axes[1:], below, strict=True):
            place.step(times, values, where="pre", color=style.GREEN, lw=1.1)
            _finish(place, time_unit if place is axes[-1] else "", name, "")
            place.set_ylim(0.0, 1.15 * max(float(np.nanmax(values)), 1.0))
        _finish(axes[0], "" if below else time_unit, f"step size [{time_unit}]", title)
    return tuple(axes)


def _histories(owner: str, given: object, n: int) -> dict[str, FloatArray]:
    """Histories by name, at least one."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"{owner}: histories must map names to arrays, at least one, not {show(given)}.")
    return {as_name(owner, "a name", name): _history(owner, name, y, n) for name, y in given.items()}


def _history(owner: str, name: str, values: object, n: int) -> FloatArray:
    """An array (n,) of real numbers, of which some may be missing."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros((0, 0))
    if array.shape != (n,) or n == 0:
        raise ModelError(f"{owner}: {name} must be an array of numbers of shape ({n},), at least one, as t has.")
    return array


def line(i: int) -> dict[str, Any]:
    """Colour and dashes of the i-th line."""
    return {"color": COLOURS[i % len(COLOURS)], "ls": DASHES[i // len(COLOURS) % len(DASHES)]}


def beside(ax: object) -> dict[str, Any]:
    """The legend beside the diagram where the figure is our own, so that it covers no line."""
    return {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)} if ax is None else {}


def dots(n: int) -> dict[str, Any]:
    """A single state would not be seen as a line."""
    return {"marker": "o", "ms": 4} if n == 1 else {}


def _finish(axes: Any, time_unit: str, ylabel: str, title: str) -> None:
    """Labels and title, where there are any; times without margins."""
    axes.margins(x=0.01)
    if time_unit:
        axes.set_xlabel(f"t [{time_unit}]")
    if ylabel:
        axes.set_ylabel(ylabel)
    if title:
        axes.set_title(title)
