"""Bifurcation diagrams: a quantity over time along all curves of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.kinematics.paths import KinematicPath
from flexmbs.results.kinematics import joint_of
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from flexmbs.kinematics.paths import KinematicPaths

__all__ = ["draw_paths"]

MARKS = {"turning point": ("o", style.ORANGE), "bifurcation": ("D", style.GREEN)}
COLOURS = (style.BLUE, style.INK, "#8a4fa3", "#1b8a8f", "#b58900", "#c2407c")


def draw_paths(paths: KinematicPaths, of: Any, ax: Any = None, label: str | None = None) -> Any:
    """Curves, and singular positions on them; see `KinematicPaths.plot`."""
    measure, called = _measure(paths, of)
    model = paths[0].model
    with look(ax):
        axes = new_axes((6.8, 3.8)) if ax is None else checked_axes("plot", ax)
        values = [measure(path) for path in paths.paths]
        for i, (path, value) in enumerate(zip(paths.paths, values, strict=True)):
            axes.plot(path.time, value, color=COLOURS[i % len(COLOURS)], label=f"path {i}")
        for kind, (marker, colour) in MARKS.items():
            places = [(p.t, values[p.path][p.index]) for p in paths.points_of(kind)]
            if places:
                axes.plot(
                    *np.array(places).T, marker, color=colour, markeredgecolor="white", markersize=7.0, linestyle="",
                    label=kind,
                )  # fmt: skip
        axes.set_xlabel(f"t [{model.units.time}]")
        axes.set_ylabel(as_drawn(called) if label is None else label)
        axes.set_title(as_drawn(model.name))
        axes.legend()
    return axes


def _measure(paths: KinematicPaths, of: Any) -> tuple[Any, str]:
    """The function that is drawn, and what to call it."""
    if callable(of) and not isinstance(of, type):

        def measured(path: KinematicPath) -> FloatArray:
            values = np.asarray(of(path), dtype=np.float64)
            if values.shape != (len(path),):
                raise ModelError(
                    f"plot: the function must return one number for each of {len(path)} positions, not an array of "
                    f"shape {values.shape}."
                )
            return values

        return measured, ""
    joint = joint_of(paths[0], of) if isinstance(of, str) or hasattr(of, "coordinates") else None
    offered = list(getattr(joint, "coordinates", {}))
    if joint is None or not offered:
        raise ModelError(f"plot: of must be a function of a path, or a joint with a coordinate, not {show(of)}.")
    return lambda path: path.coordinate(joint, offered[0]), f"{offered[0]} of {joint.name!r}"
