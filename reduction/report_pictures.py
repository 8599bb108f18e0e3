"""Pictures of a reduction report: errors and their bounds, modal assurance, transfer functions, mode shapes."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from flexmbs.core.svg import BLUE, GREY, INK, figure_svg
from flexmbs.reduction.report_data import FrequencyTable, TransferCheck
from flexmbs.reduction.report_text import frequency_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.reduction.report import ReductionReport

__all__ = ["pictures"]

ORANGE = "#c25e00"
FLOOR = 1e-16
"""Errors of zero are drawn here."""


def pictures(report: ReductionReport) -> dict[str, str]:
    """HTML of the figures by what they belong to."""
    unit = frequency_unit(report)
    out = {}
    for i, table in enumerate(report.frequencies):
        if len(table.reduced):
            out[f"frequencies {i}"] = _figure(_errors(table), "Relative errors of the frequencies and their bounds.")
            if table.mac_matrix is not None:
                out[f"frequencies {i}"] += _figure(_assurance(table), "Modal assurance by mass, reduced against full.")
    if report.transfer is not None:
        caption = (
            "Receptance of each interface coordinate for a load at the same one: reduced (lines) and full (dots). "
            "Below, the error of the whole matrix."
        )
        out["transfer"] = _figure(_receptance(report.transfer, unit), caption)
    return out


def _figure(figure: Figure, caption: str) -> str:
    return f"<figure>{figure_svg(figure, caption)}<figcaption>{escape(caption)}</figcaption></figure>"


def _plain(axes: Axes) -> None:
    axes.grid(True, color="#e3e7ec", lw=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _errors(table: FrequencyTable) -> Figure:
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.add_subplot()
    k = np.arange(1, len(table.reduced) + 1)
    bound = np.array([math.nan if b is None else max(b, FLOOR) for b in table.bound])
    axes.set_yscale("log")
    axes.plot(k, bound, "_", color=ORANGE, ms=14, mew=2.2, label="at most (bound)")
    if table.error is not None:
        axes.plot(k, np.maximum(np.abs(table.error), FLOOR), "o", color=BLUE, ms=5, label="error")
    lost = k[np.isnan(bound)]
    if len(lost):
        axes.axvspan(lost[0] - 0.5, lost[-1] + 0.5, color="#f0f2f5", zorder=0, label="no bound")
    axes.set_xlabel("mode")
    axes.set_ylabel("relative error of the frequency")
    axes.set_xticks(k[:: max(1, len(k) // 15)])
    axes.set_xlim(0.4, len(k) + 0.6)
    _plain(axes)
    axes.legend(frameon=False, fontsize=9)
    return figure


def _assurance(table: FrequencyTable) -> Figure:
    matrix: Any = np.asarray(table.mac_matrix)
    n = len(matrix)
    figure = Figure(figsize=(4.4, 3.8), layout="constrained")
    axes = figure.add_subplot()
    image = axes.pcolormesh(np.arange(n + 1) + 0.5, np.arange(n + 1) + 0.5, matrix, vmin=0.0, vmax=1.0, cmap="Blues")
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.set_xlabel("full mode")
    axes.set_ylabel("reduced mode")
    step = max(1, n // 10)
    axes.set_xticks(np.arange(1, n + 1, step))
    axes.set_yticks(np.arange(1, n + 1, step))
    figure.colorbar(image, ax=axes, label="MAC")
    return figure


def _receptance(transfer: TransferCheck, unit: str) -> Figure:
    figure = Figure(figsize=(7.6, 6.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    f = np.asarray(transfer.frequencies)
    shown = _telling(transfer)
    colours = [BLUE, ORANGE, "#2a7f62", "#7d3c98", GREY, INK]
    for colour, k in zip(colours, shown, strict=False):
        upper.plot(f, transfer.reduced[k], color=colour, lw=1.3, label=transfer.ports[k])
        if transfer.full:
            upper.plot(transfer.full_frequencies, transfer.full[k], "o", color=colour, ms=4.5, mfc="white")
    upper.set_yscale("log")
    upper.set_ylabel("receptance [length/force]")
    upper.legend(frameon=False, fontsize=9, ncols=2)
    bound = np.array([math.nan if b is None else max(b, FLOOR) for b in transfer.bound])
    lower.set_yscale("log")
    lower.plot(f, bound, color=ORANGE, lw=1.3, label="at most (bound)")
    if transfer.error:
        lower.plot(transfer.full_frequencies, np.maximum(transfer.error, FLOOR), "o", color=BLUE, ms=5, label="error")
    lower.set_xlabel(f"frequency [{unit}]")
    lower.set_ylabel("relative error")
    lower.legend(frameon=False, fontsize=9)
    _plain(upper)
    _plain(lower)
    return figure


def _telling(transfer: TransferCheck) -> list[int]:
    """Up to four ports: the translations of the first interface and, from others, the largest."""
    order = [k for k, name in enumerate(transfer.ports) if name.split()[-1].startswith("u")]
    order += [k for k in range(len(transfer.ports)) if k not in order]
    return order[:4]
