"""Pictures of a reduction report: errors and their bounds, modal assurance, transfer functions, mode shapes."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Line3DCollection  # type: ignore[import-untyped]

from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.core.svg import BLUE, GREY, INK, figure_svg
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.pictures import draw_surface
from flexmbs.meshes.cells import cell_type
from flexmbs.reduction.report.data import FrequencyTable, TransferCheck
from flexmbs.reduction.report.text import frequency_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.reduction.model import ReducedModel
    from flexmbs.reduction.report.report import ReductionReport

__all__ = ["pictures"]

ORANGE = "#c25e00"
SHOWN = 4
"""Modes that are drawn."""

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
    if report.model is not None:
        drawn = _mode_shapes(report.model, report.frequencies[0], unit)
        if drawn is not None:
            caption = "The lowest elastic modes of the reduced model, free; colours are the size of the displacement."
            out["shapes"] = _figure(drawn, caption)
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
    step = -(-n // 10)
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
        upper.plot(f, transfer.reduced[k], color=colour, lw=1.3, label=as_drawn(transfer.ports[k]))
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


def _mode_shapes(model: ReducedModel, table: FrequencyTable, unit: str) -> Figure | None:
    """Up to four modes on the outer faces of the part, on its lines, or on its nodes where there are no cells."""
    count = min(SHOWN, len(table.reduced))
    moving = np.unique(model.dofs.node[model.dofs.node >= 0])
    if not count or not len(moving):
        return None
    _, shapes = model.modes()
    moved = model.reconstruct(shapes[:, table.rigid : table.rigid + count])[:, :3]
    lines = [nodes[:, :2] for kind, nodes in model.cells.items() if cell_type(kind).dim == 1]
    faces = outer_faces(model.cells.items())
    extent = float(np.linalg.norm(np.ptp(model.points[moving], axis=0)))
    figure = Figure(figsize=(8.0, 2.9 * ((count + 1) // 2)), layout="constrained")
    for k in range(count):
        axes: Any = figure.add_subplot((count + 1) // 2, 2, k + 1, projection="3d")
        size = np.linalg.norm(moved[:, :, k], axis=1)
        points = model.points + 0.12 * extent / (size.max() or 1.0) * moved[:, :, k]
        if faces:
            draw_surface(axes, points, faces, size)
            for drawn in axes.collections:
                drawn.set_clip_on(False)
        else:
            axes.scatter(*points[moving].T, c=size[moving], s=8)
            axes.set_axis_off()
            axes.set_aspect("equal")
        if lines:
            axes.add_collection3d(Line3DCollection(points[np.vstack(lines)], colors=INK, linewidths=1.4))
        axes.set_title(f"{table.reduced[k]:.6g} {unit}", fontsize=10, color=INK)
    return figure


def _telling(transfer: TransferCheck) -> list[int]:
    """Up to four ports: the translations of the first interface and, from others, the largest."""
    order = [k for k, name in enumerate(transfer.ports) if name.split()[-1].startswith("u")]
    order += [k for k in range(len(transfer.ports)) if k not in order]
    return order[:4]
