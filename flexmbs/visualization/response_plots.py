"""Frequency responses, spectra and responses to unbalance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.results.unbalance_response import UnbalanceResponse

__all__ = ["plot_unbalance"]

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, *style.CYCLE[2:])
MOST = 12
"""Curves that a picture can show."""


def two_axes(owner: str, ax: Any) -> tuple[Any, Any]:
    """Axes for magnitudes and phases: new ones, or two that are given, or one for magnitudes alone."""
    if ax is None:
        axes = new_axes((6.4, 5.0), 2)
        return axes[0], axes[1]
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) not in (1, 2):
        raise ModelError(f"{owner}: ax must be one or two axes, not {show(ax)}.")
    checked = [checked_axes(owner, one) for one in given]
    return checked[0], checked[1] if len(checked) == 2 else None


def curves(upper: Any, lower: Any, x: Any, values: Any, names: tuple[str, ...], turns: bool = True) -> None:
    """Magnitudes (logarithmic) and unwrapped phases in degrees of columns of complex values (n, m)."""
    if values.shape[1] > MOST:
        raise ModelError(
            f"plot: {values.shape[1]} curves cannot be told apart; choose up to {MOST} inputs and outputs."
        )
    for j, name in enumerate(names):
        colour = COLOURS[j % len(COLOURS)]
        upper.plot(x, np.abs(values[:, j]), color=colour, label=name)
        if lower is not None:
            phase = np.angle(values[:, j])
            lower.plot(x, np.degrees(np.unwrap(phase) if turns else phase), color=colour)
    if np.any(np.abs(values) > 0.0):
        upper.set_yscale("log")
    if len(names) > 1:
        upper.legend(loc="best")
    if lower is not None:
        lower.set_ylabel("phase [deg]")
        lower.yaxis.set_major_locator(_quarters())


def _quarters() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, steps=[1.5, 3, 4.5, 9, 10])


def plot_unbalance(found: UnbalanceResponse, ax: Any = None) -> Axes:
    """Draw amplitudes and phases over the speed."""
    with look(ax):
        upper, lower = two_axes("plot", ax)
        curves(upper, lower, found.speeds, found.values, found.outputs)
        upper.set_ylabel("amplitude")
        upper.set_title("Response to unbalance")
        (upper if lower is None else lower).set_xlabel(f"speed [rad/{found.unit_of_time}]")
    return upper  # type: ignore[no-any-return]
