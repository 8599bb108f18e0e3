"""Pictures of frequency responses: Bode and Nyquist diagrams."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn

__all__ = ["bode_axes", "draw_bode", "draw_nyquist"]

MOST = 12
"""Curves that a picture can show."""
VISIBLE = 0.05
"""Largest value of curves that are more than a dot beside the point -1."""


def bode_axes(owner: str, ax: Any) -> tuple[Any, Any]:
    """Axes of magnitudes and phases: two new ones, or those given; None for phases where one is given."""
    if ax is None:
        from matplotlib import pyplot

        upper, lower = pyplot.subplots(2, figsize=(6.4, 5.0), sharex=True, layout="constrained")[1]
        return upper, lower
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) not in (1, 2) or not all(hasattr(one, "plot") for one in given):
        raise ModelError(f"{owner}: ax must be one or two axes of matplotlib, not {show(ax)}.")
    return given[0], given[1] if len(given) == 2 else None


def draw_bode(upper: Any, lower: Any, x: Any, values: Any, names: tuple[str, ...], colours: Any = (None,)) -> None:
    """Magnitudes (logarithmic) and unwrapped phases [deg] of the columns of complex values (n, m)."""
    from matplotlib.ticker import MaxNLocator

    if values.shape[1] > MOST:
        raise ModelError(f"plot: {values.shape[1]} curves cannot be told apart; choose up to {MOST}.")
    for j, name in enumerate(names):
        line = upper.plot(x, np.abs(values[:, j]), color=colours[j % len(colours)], label=as_drawn(name))[0]
        if lower is not None:
            lower.plot(x, np.degrees(np.unwrap(np.angle(values[:, j]))), color=line.get_color())
    if np.any(np.abs(values) > 0.0):
        upper.set_yscale("log")
    if len(names) > 1:
        upper.legend(loc="best", frameon=False)
    if lower is not None:
        lower.set_ylabel("phase [deg]")
        lower.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.5, 3, 4.5, 9, 10]))
    for one in (upper, lower):
        if one is not None:
            one.grid(visible=True, color="0.9", linewidth=0.7)


def draw_nyquist(ax: Any, values: Any, names: tuple[str, ...]) -> Any:
    """Curves of complex values (n, m) with their mirror images, and the point -1 if it is not far away from them."""
    from matplotlib import pyplot

    if ax is None:
        ax = pyplot.subplots(figsize=(5.2, 5.0), layout="constrained")[1]
    if values.shape[1] > MOST:
        raise ModelError(f"plot: {values.shape[1]} curves cannot be told apart; choose up to {MOST}.")
    for j, name in enumerate(names):
        line = ax.plot(values[:, j].real, values[:, j].imag, label=as_drawn(name))[0]
        ax.plot(values[:, j].real, -values[:, j].imag, color=line.get_color(), linestyle=(0, (4, 2)), linewidth=1.0)
        middle = len(values) // 3
        ax.annotate("", (values[middle + 1, j].real, values[middle + 1, j].imag),
                    (values[middle, j].real, values[middle, j].imag),
                    arrowprops={"arrowstyle": "-|>", "color": line.get_color()})  # fmt: skip
    if np.abs(values).max(initial=0.0) >= VISIBLE:
        ax.plot(-1.0, 0.0, "+", color="black", markersize=9.0)
    else:
        ax.set_title("the point -1 is outside", fontsize=9, loc="right")
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    ax.grid(visible=True, color="0.9", linewidth=0.7)
    if len(names) > 1:
        ax.legend(loc="best", frameon=False)
    return ax
