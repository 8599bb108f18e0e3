"""Quantities of a solution by name, as a table, and as an xarray Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.data_frames import optional
from flexmbs.core.distinct_names import distinct_names
from flexmbs.io.history_table import HistoryTable
from flexmbs.results.quantities import listed, over, together

if TYPE_CHECKING:
    from flexmbs.results.quantities import Quantity
    from flexmbs.results.states import States

__all__ = ["dataset", "table"]


def table(solution: States, *what: Any) -> HistoryTable:
    """Columns ``thing.quantity.component`` over time or load factor, with units and frames; see `States.table`."""
    first = over(solution)
    columns = dict(first.columns())
    units, frames = {first.name: first.unit}, {}
    found = [(*column, quantity) for quantity in _quantities(solution, what) for column in quantity.columns().items()]
    names = distinct_names(_plain(name) for name, _, _ in found)
    for name, (_, values, quantity) in zip(names, found, strict=True):
        columns[name], units[name] = values, quantity.unit or "-"
        if quantity.frame:
            frames[name] = quantity.frame
    of = "motion" if solution.over_time else "equilibria"
    return HistoryTable(columns, units, frames, f"{of} of {solution.model.name}")


def _plain(name: str) -> str:
    """The name of a column without what has a meaning in tables: default names of sensors and actuators have quotes."""
    return name.translate(str.maketrans("[]", "()", "\"'"))


def dataset(solution: States, *what: Any) -> Any:
    """An xarray Dataset of quantities; see `States.to_xarray`.

    Raises
    ------
    ModelError
        If xarray is not installed.
    """
    xarray = optional("to_xarray", "xarray")
    first = over(solution)
    across = first.name.replace(" ", "_")
    variables = {}
    for quantity in _whole(_quantities(solution, what)):
        label = quantity.label
        attributes = {"units": quantity.unit, "frame": quantity.frame}
        dims: tuple[str, ...] = (across,)
        coordinates: dict[str, Any] = {}
        if quantity.values.ndim == 2:
            axis = "axis" if set(quantity.axes) <= set("xyz") else f"{label}.axis"
            dims, coordinates = (across, axis), {axis: list(quantity.axes)}
        variables[label] = xarray.DataArray(quantity.values, coordinates, dims, attrs=attributes)
    times = (across, first.values, {"units": first.unit})
    return xarray.Dataset(variables, {across: times}, {"model": solution.model.name})


def _quantities(solution: States, what: tuple[Any, ...]) -> list[Quantity]:
    """Those asked for, or all of bodies and joints."""
    model = solution.model
    wanted = what or (*model.rigid_bodies, *model.tree_links, *model.joints)
    return together(solution, (quantity for one in wanted for quantity in listed(solution, one)))


def _whole(quantities: list[Quantity]) -> list[Quantity]:
    """Components of one quantity that were asked for one by one, in one."""
    found: dict[str, Quantity] = {}
    for one in quantities:
        before = found.setdefault(one.label, one)
        new = [k for k, axis in enumerate(one.axes) if axis not in before.axes]
        if new:
            values = np.column_stack([before.values, one.values[:, new]])
            found[one.label] = before._replace(values=values, axes=(*before.axes, *(one.axes[k] for k in new)))
    return list(found.values())
