"""Colours, lines and fonts of all plots: legible, safe for colour-blind readers, and clear in grey print."""

from __future__ import annotations

from typing import Any

from matplotlib.colors import Colormap, LinearSegmentedColormap, ListedColormap

__all__ = [
    "BLUE", "CONTACT", "CYCLE", "GREEN", "GREY", "INK", "LIGHT", "LOAD", "ORANGE", "RC", "WIDTH", "diverging",
    "sequential",
]  # fmt: skip

INK = "#1d2733"
BLUE = "#1f5fa8"
ORANGE = "#c4570a"
GREEN = "#3d7a45"
GREY = "#9aa3ad"
LIGHT = "#e3e7ec"
LOAD = "#b3123c"
"""Of the arrows of loads."""
CONTACT = "#d81b60"
"""Of the arrows of contact forces."""
CYCLE = (INK, ORANGE, "#8a4fa3", "#1b8a8f", "#b58900", "#c2407c", "#6b4a2b", "#4c9fd8")
"""Of rigid bodies, one after the other; blue and green are kept for flexible bodies and springs."""
WIDTH = 3.0
"""Line width [pt] of a body."""

RC: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.labelsize": 10.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": LIGHT,
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "lines.linewidth": 1.6,
    "figure.dpi": 110.0,
    "savefig.dpi": 200.0,
    "figure.facecolor": "white",
}
"""Settings of the figures that are made here; those of axes that are passed in stay as they are."""


def diverging() -> Colormap:
    """Blue through grey to orange, for values of both signs: the middle is visible on white."""
    return LinearSegmentedColormap.from_list(
        "flexmbs_diverging", ["#0d3f7d", "#3f83c4", "#c3c6c9", "#e08a3c", "#9c3a00"]
    )


def sequential() -> Colormap:
    """Viridis without its lightest part, which fades on white."""
    from matplotlib import colormaps

    viridis = colormaps["viridis"]
    return ListedColormap([viridis(0.9 * i / 255) for i in range(256)], name="flexmbs_sequential")
