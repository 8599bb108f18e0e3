"""Pictures of the report as SVG text: equations and convergence plots.

Everything becomes text in the process that ran the case, so that results travel between processes and the report needs
no file beside its pages.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from flexmbs.core.svg import BLUE, GREY, INK, STYLE, inline_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.verification.outcome import ConvergenceStudy

__all__ = ["convergence_svg", "equation_svg"]


def equation_svg(latex: str, size: float = 14.0) -> str:
    """A formula in matplotlib's mathtext as an inline SVG.

    Raises
    ------
    ValueError
        When mathtext cannot read the formula.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(0.01, 0.01))
        figure.text(0.0, 0.0, f"${latex}$", fontsize=size, color=INK)
        return inline_svg(figure, latex, pad=0.03)


def convergence_svg(study: ConvergenceStudy) -> str:
    """Errors over sizes in logarithmic axes, with the fit and a triangle of the expected order."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.6, 3.9), layout="constrained")
        axes = figure.add_subplot()
        drawable = [e > 0.0 and math.isfinite(e) for e in study.errors]
        fitted = np.array([u and d for u, d in zip(study.usable, drawable, strict=True)], dtype=bool)
        left_out = np.array(drawable, dtype=bool) & ~fitted
        sizes, errors = np.array(study.sizes), np.array(study.errors)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.plot(sizes[fitted], errors[fitted], "o", color=BLUE, ms=6, label="measured", zorder=3)
        if left_out.any():
            axes.plot(
                sizes[left_out], errors[left_out], "o", mfc="white", color=GREY, ms=6, label="round-off, not fitted"
            )
        if math.isfinite(study.rate):
            _draw_fit(axes, study, sizes[fitted], errors[fitted])
        if study.floor > 0.0 and left_out.any():
            axes.axhline(study.floor, color=GREY, lw=0.8, ls=":")
        axes.set_xlabel(study.label)
        axes.set_ylabel("error")
        axes.set_xticks(sizes, [f"{size:.4g}" for size in sizes])
        axes.minorticks_off()
        axes.grid(True, color="#e3e7ec", lw=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.has_data() and axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=9)
        return inline_svg(figure, f"convergence of {study.name}: measured order {study.rate:.2f}", pad=0.05)


def _draw_fit(axes: Axes, study: ConvergenceStudy, sizes: np.ndarray, errors: np.ndarray) -> None:
    """The fitted line and, under it, a slope triangle of the expected order."""
    sign = -1.0 if study.counts else 1.0
    middle, level = np.exp(np.mean(np.log(sizes))), np.exp(np.mean(np.log(errors)))
    ends = np.array([sizes.min(), sizes.max()])
    axes.plot(
        ends, level * (ends / middle) ** (sign * study.rate), color=BLUE, lw=1.2, label=f"fit: order {study.rate:.2f}"
    )
    span = (ends[1] / ends[0]) ** 0.3
    start = ends[0] * (ends[1] / ends[0]) ** 0.35
    x = np.array([start, start * span])
    y = 0.2 * level * (x / middle) ** (sign * study.expected)
    corner = (x[0], y[1]) if study.counts else (x[1], y[0])
    axes.plot([x[0], x[1], corner[0], x[0]], [y[0], y[1], corner[1], y[0]], color=INK, lw=1.0)
    text_x, ha = (x[0] / span**0.08, "right") if study.counts else (x[1] * span**0.08, "left")
    axes.text(text_x, math.sqrt(y[0] * y[1]), f"{study.expected:g}", ha=ha, va="center", fontsize=10, color=INK)
