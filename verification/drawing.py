"""Pictures of the report as SVG text: equations, the figures of a case, convergence plots.

Everything becomes text in the process that ran the case, so that results travel between processes and the report needs
no file beside its pages. Identifiers are made unique, because several pictures share a page.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.verification.outcome import ConvergenceStudy

__all__ = ["convergence_svg", "equation_svg", "figure_svg"]

_INK = "#1d2733"
_BLUE = "#1f5fa8"
_GREY = "#7c8794"
_STYLE: Any = {
    "svg.fonttype": "path",
    "mathtext.fontset": "stix",
    "font.family": ["DejaVu Sans"],
}


def figure_svg(figure: Figure, caption: str) -> str:
    """A matplotlib figure as an inline SVG that scales with the page; the caption is its text for screen readers."""
    with matplotlib.rc_context(_STYLE):
        return _inline(figure, caption, pad=0.05)


def equation_svg(latex: str, size: float = 14.0) -> str:
    """A formula in matplotlib's mathtext as an inline SVG.

    Raises
    ------
    ValueError
        When mathtext cannot read the formula.
    """
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(0.01, 0.01))
        figure.text(0.0, 0.0, f"${latex}$", fontsize=size, color=_INK)
        return _inline(figure, latex, pad=0.03)


def convergence_svg(study: ConvergenceStudy) -> str:
    """Errors over sizes in logarithmic axes, with the fit and a triangle of the expected order."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(5.6, 3.9), layout="constrained")
        axes = figure.add_subplot()
        drawable = [e > 0.0 and math.isfinite(e) for e in study.errors]
        fitted = np.array([u and d for u, d in zip(study.usable, drawable, strict=True)], dtype=bool)
        left_out = np.array(drawable, dtype=bool) & ~fitted
        sizes, errors = np.array(study.sizes), np.array(study.errors)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.plot(sizes[fitted], errors[fitted], "o", color=_BLUE, ms=6, label="measured", zorder=3)
        if left_out.any():
            axes.plot(
                sizes[left_out], errors[left_out], "o", mfc="white", color=_GREY, ms=6, label="round-off, not fitted"
            )
        if math.isfinite(study.rate):
            _draw_fit(axes, study, sizes[fitted], errors[fitted])
        if study.floor > 0.0 and left_out.any():
            axes.axhline(study.floor, color=_GREY, lw=0.8, ls=":")
        axes.set_xlabel(study.label)
        axes.set_ylabel("error")
        axes.set_xticks(sizes, [f"{size:.4g}" for size in sizes])
        axes.minorticks_off()
        axes.grid(True, color="#e3e7ec", lw=0.7)
        axes.spines[["top", "right"]].set_visible(False)
        if axes.has_data() and axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=9)
        return _inline(figure, f"convergence of {study.name}: measured order {study.rate:.2f}", pad=0.05)


def _draw_fit(axes: Axes, study: ConvergenceStudy, sizes: np.ndarray, errors: np.ndarray) -> None:
    """The fitted line and, under it, a slope triangle of the expected order."""
    sign = -1.0 if study.counts else 1.0
    middle, level = np.exp(np.mean(np.log(sizes))), np.exp(np.mean(np.log(errors)))
    ends = np.array([sizes.min(), sizes.max()])
    axes.plot(
        ends, level * (ends / middle) ** (sign * study.rate), color=_BLUE, lw=1.2, label=f"fit: order {study.rate:.2f}"
    )
    span = (ends[1] / ends[0]) ** 0.3
    start = ends[0] * (ends[1] / ends[0]) ** 0.35
    x = np.array([start, start * span])
    y = 0.2 * level * (x / middle) ** (sign * study.expected)
    corner = (x[0], y[1]) if study.counts else (x[1], y[0])
    axes.plot([x[0], x[1], corner[0], x[0]], [y[0], y[1], corner[1], y[0]], color=_INK, lw=1.0)
    text_x, ha = (x[0] / span**0.08, "right") if study.counts else (x[1] * span**0.08, "left")
    axes.text(text_x, math.sqrt(y[0] * y[1]), f"{study.expected:g}", ha=ha, va="center", fontsize=10, color=_INK)


def _inline(figure: Figure, label: str, pad: float) -> str:
    """Save a figure as SVG and make it fit to stand inside a page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight", pad_inches=pad, transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    prefix = "i" + hashlib.sha256((label + svg).encode()).hexdigest()[:10]
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1).strip()
