"""Load over displacement along paths of equilibria: stable pieces solid, unstable ones dashed, with critical points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.results.quantities import asked
from flexmbs.visualization import style
from flexmbs.visualization.figures import checked_axes, look, new_axes

if TYPE_CHECKING:
    from flexmbs.analysis.paths.results import EquilibriumPath, EquilibriumPaths
    from flexmbs.results.static import StaticSolution

__all__ = ["draw_equilibrium_paths"]

MARKS = {"limit point": ("o", style.ORANGE), "bifurcation": ("D", style.GREEN)}
COLOURS = (style.BLUE, "#8a4fa3", "#1b8a8f", "#b58900", "#c2407c", style.INK)


def draw_equilibrium_paths(paths: EquilibriumPaths, of: Any, ax: Any = None, label: str | None = None) -> Any:
    """Curves and critical points; see `EquilibriumPaths.plot`."""
    measure, called = _measure(paths[0], of)
    with look(ax):
        axes = new_axes((6.8, 4.2)) if ax is None else checked_axes("plot", ax)
        values = [measure(path) for path in paths.paths]
        for i, (path, value) in enumerate(zip(paths.paths, values, strict=True)):
            colour = COLOURS[i % len(COLOURS)]
            named = {"label": f"path {i}"}
            for first, last, stable in _pieces(path):
                x, y = value[first : last + 1], path.load_factors[first : last + 1]
                axes.plot(x, y, color=colour, linestyle="-" if stable else (0, (4, 2.5)), **named)
                named = {}
        for kind, (marker, colour) in MARKS.items():
            places = [(values[p.path][p.index], p.parameter) for p in paths.points if p.kind == kind]
            if places:
                axes.plot(
                    *np.array(places).T, marker, color=colour, markeredgecolor="white", markersize=7.0, linestyle="",
                    label=kind,
                )  # fmt: skip
        if not all(path.stable.all() for path in paths.paths):
            axes.plot([], [], color=style.INK, linestyle=(0, (4, 2.5)), label="unstable")
        axes.set_xlabel(as_drawn(called) if label is None else label)
        axes.set_ylabel(as_drawn(paths.parameter))
        axes.set_title(as_drawn(paths[0].model.name))
        axes.legend()
    return axes


def _pieces(path: EquilibriumPath) -> list[tuple[int, int, bool]]:
    """First and last number of each piece of one stability.

    Where it changes there is a critical point, which counts as unstable: a line is stable if one of its ends is.
    """
    if len(path) == 1:
        return [(0, 0, bool(path.stable[0]))]
    lines, out, first = path.stable[1:] | path.stable[:-1], [], 0
    for i in range(len(lines)):
        if i == len(lines) - 1 or lines[i + 1] != lines[i]:
            out.append((first, i + 1, bool(lines[i])))
            first = i + 1
    return out


def _measure(path: EquilibriumPath, of: Any) -> tuple[Any, str]:
    """The function that is drawn, and what to call it."""
    if isinstance(of, str):
        return _by_name(path, of)
    if isinstance(of, tuple) and len(of) == 2:
        if not hasattr(path, "displacement"):
            raise ModelError(
                "plot: along a number of the description each equilibrium has a model of its own; draw a function of a "
                'solution, such as lambda s: s.position(s.model.body("apex"))[:, 1].'
            )
        place, direction = of
        along = np.zeros(3)
        given = np.asarray(direction, dtype=np.float64).ravel()
        along[: len(given)] = given
        unit = path.model.units.length

        def displaced(x: EquilibriumPath) -> FloatArray:
            moved = np.asarray(x.displacement(place))
            return np.asarray(moved.reshape(len(x), -1, 3)[:, 0] @ along)

        return displaced, f"displacement along {tuple(given.tolist())} [{unit}]"
    if callable(of):

        def measured(x: EquilibriumPath) -> FloatArray:
            values = np.asarray(x.evaluated(of), dtype=np.float64)
            if values.shape != (len(x),):
                raise ModelError(
                    f"plot: the function must return one number for each of {len(x)} equilibria, not an array of "
                    f"shape {values.shape}."
                )
            return values

        return measured, ""
    raise ModelError(
        f"plot: of must be a name such as 'tip.position.y', a function of a path, or (place, direction), not "
        f"{show(of)}."
    )


def _by_name(path: EquilibriumPath, of: str) -> tuple[Any, str]:
    """A quantity by its name, as other results take it."""

    def number(solution: StaticSolution) -> FloatArray:
        found = {name: values for one in asked(solution, of) for name, values in one.columns().items()}
        if len(found) != 1:
            raise ModelError(f"plot: {of!r} stands for {len(found)} numbers; name one: {', '.join(map(repr, found))}.")
        return next(iter(found.values()))

    first = asked(path.equilibrium(0), of)[0]
    return lambda x: x.evaluated(number), f"{of} [{first.unit}]"
