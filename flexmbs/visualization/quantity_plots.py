"""Plots of quantities by name, over the states of a solution or against one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.core.names_in_pictures import as_drawn
from flexmbs.io.sealed import as_target, replaced
from flexmbs.results.offers import VALUE
from flexmbs.results.quantities import asked, over, together
from flexmbs.visualization.figures import checked_axes, look, new_axes
from flexmbs.visualization.time_plots import beside, dots, line

if TYPE_CHECKING:
    from flexmbs.results.quantities import Quantity
    from flexmbs.results.states import States

__all__ = ["plot_quantities"]

PICTURES = (".png", ".svg", ".pdf", ".jpg")


def plot_quantities(
    solution: States,
    what: tuple[Any, ...],
    against: Any = None,
    component: str | None = None,
    ax: Any = None,
    path: Any = None,
    title: str | None = None,
) -> Any:
    """Draw quantities, a diagram for each unit; see `TimeSolution.plot`."""
    if not what:
        raise ModelError(
            "plot: name what to draw: joints, forces, sensors, markers, bodies, places such as beam.end, or names such "
            "as 'hinge.angle'."
        )
    if component is not None and not isinstance(component, str):
        raise ModelError(f"plot: component must be 'x', 'y', 'z' or 'norm', not {show(component)}.")
    target = None if path is None else as_target("plot", path, PICTURES)
    found = together(solution, (q for one in what for q in asked(solution, one, component, drawn=True)))
    across = _across(solution, against)
    rows: dict[str, list[Quantity]] = {}
    for quantity in found:
        rows.setdefault(quantity.unit, []).append(quantity)
    with look(ax):
        if ax is None:
            axes = np.atleast_1d(new_axes((6.8, 1.2 + 2.6 * len(rows)), rows=len(rows)))
        elif len(rows) > 1:
            raise ModelError(
                f"plot: quantities of the units {', '.join(rows)} do not fit into the one diagram of ax; draw them one "
                f"by one, or leave ax out."
            )
        else:
            axes = np.atleast_1d(checked_axes("plot", ax))
        for one, group in zip(axes, rows.values(), strict=True):
            _draw(one, across, group, beside(ax))
        axes[-1].set_xlabel(as_drawn(_axis_label([across])))
        axes[0].set_title(as_drawn(solution.model.name) if title is None else title)
        if target is not None:
            with replaced("plot", target) as (draft,):
                axes[0].figure.savefig(draft, format=target.suffix[1:])
    return axes[0]


def _across(solution: States, against: Any) -> Quantity:
    """What is drawn across, one number per state."""
    if against is None:
        return over(solution)
    found = asked(solution, against, drawn=True)
    if len(found) != 1 or len(found[0].columns()) != 1:
        names = [name for quantity in found for name in quantity.columns()]
        raise ModelError(f"plot: against must be one number per state, not {', '.join(names)}; name one of these.")
    return found[0]


def _draw(axes: Any, across: Quantity, group: list[Quantity], legend: dict[str, Any]) -> None:
    """Quantities of one unit."""
    [x] = across.columns().values()
    columns = {name: values for quantity in group for name, values in quantity.columns().items()}
    for i, (name, values) in enumerate(columns.items()):
        axes.plot(x, values, label=as_drawn(name), **line(i), **dots(len(x)))
    axes.margins(x=0.01)
    axes.set_ylabel(as_drawn(_axis_label(group)))
    if len(columns) > 1:
        axes.legend(**legend)


def _axis_label(group: list[Quantity]) -> str:
    """Quantities in words, with the thing where there is only one, and the unit."""
    names = list(dict.fromkeys(quantity.name.replace("_", " ") for quantity in group))
    things = list(dict.fromkeys(quantity.of for quantity in group))
    words = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    if names == [VALUE]:
        words = ", ".join(things)
    elif len(things) == 1:
        axes = group[0].axes if len(names) == 1 and len(group[0].axes) == 1 else ()
        words = " ".join(part for part in (group[0].of, words, *axes) if part)
    unit = group[0].unit
    return words + (f" [{unit}]" if unit not in ("", "-") else "")
