"""Figures as SVG text that stands inside an HTML page; identifiers are made unique, because several share a page."""

from __future__ import annotations

import hashlib
import io
import re
from html import escape
from typing import Any

import matplotlib
from matplotlib.figure import Figure

__all__ = ["BLUE", "GREY", "INK", "STYLE", "figure_svg", "inline_svg"]

INK = "#1d2733"
BLUE = "#1f5fa8"
GREY = "#7c8794"
STYLE: Any = {
    "svg.fonttype": "path",
    "mathtext.fontset": "stix",
    "font.family": ["DejaVu Sans"],
}


def figure_svg(figure: Figure, caption: str) -> str:
    """A matplotlib figure as an inline SVG that scales with the page; the caption is its text for screen readers."""
    with matplotlib.rc_context(STYLE):
        return inline_svg(figure, caption, pad=0.05)


def inline_svg(figure: Figure, label: str, pad: float) -> str:
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
