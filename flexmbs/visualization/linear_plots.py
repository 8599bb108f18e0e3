"""Poles, multipliers and spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from flexmbs.results.floquet import FloquetMultipliers
    from flexmbs.results.matched_response import MatchedResponse
    from flexmbs.results.random_response import RandomResponse
    from flexmbs.results.root_locus import RootLocus

__all__ = ["plot_match", "plot_multipliers", "plot_poles", "plot_root_locus", "plot_spectra"]

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, *style.CYCLE[2:])


def plot_poles(poles: Any, zeros: Any, unit: str = "s", ax: Axes | None = None) -> Axes:
    """Poles as crosses and zeros as circles in the complex plane."""
    with look(ax):
        axes = checked_axes("plot", new_axes((5.6, 4.6)) if ax is None else ax)
        _plane(axes, unit)
        axes.plot(poles.real, poles.imag, "x", color=style.BLUE, markersize=8.0, markeredgewidth=1.8, label="pole")
        if len(zeros):
            axes.plot(zeros.real, zeros.imag, "o", color=style.ORANGE, markersize=7.5, markerfacecolor="none",
                      markeredgewidth=1.6, label="zero")  # fmt: skip
        axes.legend(loc="best")
    return axes  # type: ignore[no-any-return]


def plot_root_locus(found: RootLocus, ax: Axes | None = None) -> Axes:
    """Branches in the complex plane, a cross where they begin, a dot where they end."""
    with look(ax):
        axes = checked_axes("plot", new_axes((5.6, 4.6)) if ax is None else ax)
        _plane(axes, "s")
        for j in range(found.roots.shape[1]):
            s = found.roots[:, j]
            colour = COLOURS[j % len(COLOURS)]
            axes.plot(s.real, s.imag, color=colour, marker=".", markersize=4.0)
            axes.plot(s[0].real, s[0].imag, "x", color=colour, markersize=8.0, markeredgewidth=1.8)
            axes.plot(s[-1].real, s[-1].imag, "o", color=colour, markersize=6.0)
        first, last = found.values[0], found.values[-1]
        axes.set_title(as_drawn(f"{found.parameter} from {first:g} (crosses) to {last:g} (dots)"))
    return axes  # type: ignore[no-any-return]


def plot_multipliers(found: FloquetMultipliers, ax: Axes | None = None) -> Axes:
    """Multipliers and the unit circle; those that grow in another colour."""
    with look(ax):
        axes = checked_axes("plot", new_axes((4.8, 4.6)) if ax is None else ax)
        turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 181))
        axes.plot(turn.real, turn.imag, color=style.GREY, linewidth=1.0)
        grows = found.growing
        for which, colour, label in ((~grows, style.BLUE, "decays or stays"), (grows, style.ORANGE, "grows")):
            if np.any(which):
                m = found.multipliers[which]
                axes.plot(m.real, m.imag, "o", color=colour, label=label)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel("real part")
        axes.set_ylabel("imaginary part")
        axes.set_title(f"Floquet multipliers, period {found.period:g}")
        axes.legend(loc="best")
    return axes  # type: ignore[no-any-return]


def plot_spectra(found: RandomResponse, frequencies: Any, ax: Axes | None = None) -> Axes:
    """One-sided spectra of all outputs."""
    values = found.spectrum(frequencies)
    with look(ax):
        axes = checked_axes("plot", new_axes((6.4, 4.0)) if ax is None else ax)
        for j, name in enumerate(found.outputs):
            axes.plot(frequencies, values[:, j], color=COLOURS[j % len(COLOURS)], label=as_drawn(name))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("frequency [1/time]")
        axes.set_ylabel("spectrum, one-sided [unit\N{SUPERSCRIPT TWO} time]")
        axes.legend(loc="best")
    return axes  # type: ignore[no-any-return]


def _plane(axes: Any, unit: str) -> None:
    """The complex plane with its unstable half shaded."""
    axes.axvline(0.0, color=style.INK, linewidth=0.8, zorder=1)
    axes.axhline(0.0, color=style.INK, linewidth=0.8, zorder=1)
    axes.set_xlabel(f"real part [1/{unit}]")
    axes.set_ylabel(f"imaginary part [rad/{unit}]")


def plot_match(found: MatchedResponse, ax: Axes | None = None) -> Axes:
    """Target and response over time."""
    with look(ax):
        axes = checked_axes("plot", new_axes((6.4, 3.6)) if ax is None else ax)
        axes.plot(found.times, found.target, color=style.GREY, linewidth=3.0, label="target")
        axes.plot(found.times, found.response, color=style.BLUE, linewidth=1.2, label="response")
        axes.set_xlabel("time")
        axes.set_title(f"Error {found.errors[-1]:.1e} after {len(found.errors) - 1} improvements")
        axes.legend(loc="best")
    return axes  # type: ignore[no-any-return]
