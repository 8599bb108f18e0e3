"""Responses to unbalance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexmbs.linear.response_pictures import bode_axes, draw_bode
from flexmbs.visualization import style
from flexmbs.visualization.figures import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.results.unbalance_response import UnbalanceResponse

__all__ = ["plot_unbalance"]

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, *style.CYCLE[2:])


def plot_unbalance(found: UnbalanceResponse, ax: Any = None) -> Axes:
    """Draw amplitudes and phases over the speed."""
    with look(ax):
        upper, lower = bode_axes("plot", ax)
        draw_bode(upper, lower, found.speeds, found.values, found.outputs, COLOURS)
        upper.set_ylabel("amplitude")
        upper.set_title("Response to unbalance")
        (upper if lower is None else lower).set_xlabel(f"speed [rad/{found.unit_of_time}]")
    return upper  # type: ignore[no-any-return]
