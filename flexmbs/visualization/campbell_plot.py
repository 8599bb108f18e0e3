"""Campbell diagrams: frequencies over the speed, coloured by the sense of whirl, with lines of excitation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from flexmbs.core.checks import as_flag
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.results.campbell import CampbellDiagram

__all__ = ["plot_campbell"]

SENSES = {"forward": style.BLUE, "backward": style.ORANGE, "": style.GREY}
"""Colours of the senses of whirl."""
WORDS = {"forward": "forward whirl", "backward": "backward whirl", "": "no whirl"}


def plot_campbell(found: CampbellDiagram, ax: Axes | None = None, rpm: bool = False) -> Axes:
    """Draw a diagram into axes, or a new figure.

    Raises
    ------
    ModelError
        If ``rpm`` is asked for where the unit of time is not the second.
    """
    as_flag("plot", "rpm", rpm)
    if rpm and found.unit_of_time != "s":
        raise ModelError(
            f"plot: rpm needs the second as the unit of time, and that of the model is {found.unit_of_time!r}."
        )
    across, up = (30.0 / np.pi, 0.5 / np.pi) if rpm else (1.0, 1.0)
    x, y = found.speeds * across, np.abs(found.angular_frequencies) * up
    with look(ax):
        ax = new_axes((6.4, 4.2)) if ax is None else ax
        axes = checked_axes("plot", ax)
        _branches(axes, found, x, y)
        top = 1.05 * float(y.max(initial=0.0)) or 1.0
        for order in found.orders:
            if order:
                axes.plot([0.0, x[-1]], [0.0, order * found.speeds[-1] * up], color=style.INK, linewidth=0.8,
                          linestyle=(0, (5, 3)), zorder=1)  # fmt: skip
                at = 0.5 * min(x[-1], top / (order * up) * across)
                axes.annotate(f"{order:g} x", (at, order * at / across * up), xytext=(5, -11),
                              textcoords="offset points", color=style.INK, fontsize=9.0)  # fmt: skip
        if found.critical_speeds:
            points = np.array([(c.speed * across, abs(c.root.imag) * up) for c in found.critical_speeds])
            axes.plot(points[:, 0], points[:, 1], "o", color=style.INK, markersize=5.0, zorder=4)
        axes.set_xlim(x[0], x[-1])
        axes.set_ylim(0.0, top)
        unit = f"rad/{found.unit_of_time}"
        axes.set_xlabel("speed [rpm]" if rpm else f"speed [{unit}]")
        axes.set_ylabel("frequency [Hz]" if rpm else f"angular frequency [{unit}]")
        where = "" if found.frame == "inertial" else f" in the frame of {found.frame}"
        axes.set_title(as_drawn(f"Campbell diagram{where}"))
        _legend(axes, found)
    return axes  # type: ignore[no-any-return]


def _branches(axes: Any, found: CampbellDiagram, x: Any, y: Any) -> None:
    """Each branch as a line whose parts have the colour of the sense at their ends."""
    for j in range(y.shape[1]):
        sense = found.whirl[:, j].copy()
        sense[found.speeds == 0.0] = sense[min(1, len(sense) - 1)]
        start = 0
        for k in range(1, len(x) + 1):
            if k == len(x) or sense[k] != sense[start]:
                end = min(k, len(x) - 1)
                colour = SENSES[str(sense[start])]
                axes.plot(x[start : end + 1], y[start : end + 1, j], color=colour, solid_capstyle="round", zorder=2)
                start = k


def _legend(axes: Any, found: CampbellDiagram) -> None:
    used = [key for key in SENSES if np.any(found.whirl[found.speeds > 0.0] == key)]
    handles = [Line2D([], [], color=SENSES[key], label=WORDS[key]) for key in used]
    if found.critical_speeds:
        handles.append(
            Line2D([], [], color=style.INK, marker="o", linestyle="", markersize=5.0, label="critical speed")
        )
    axes.legend(handles=handles, loc="best")
