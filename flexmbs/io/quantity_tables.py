"""Quantities of a solution by name, as a table, and as an xarray Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.data_frames import optional
from flexmbs.core.distinct_names import distinct_names
from flexmbs.io.history_table import HistoryTable
from flexmbs.results.quantities import listed, over

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.results.quantities import Quantity
    from flexmbs.results.states import States

__all__ = ["dataset", "table"]


def table(solution: States, *what: Any) -> HistoryTable:
    """Columns ``thing.quantity.component`` over time or load factor, with units and frames; see `States.table`."""
    first = over(solution)
    columns = dict(first.columns())
    units, frames = {first.name: first.unit}, {}
    quantities = _quantities(solution, what)
    given = [(name, values, quantity) for quantity in quantities for name, values in quantity.columns().items()]
    for name, (_, values, quantity) in _apart(given):
        columns[name], units[name] = values, quantity.unit or "-"
        if quantity.frame:
            frames[name] = quantity.frame
    of = "motion" if solution.over_time else "equilibria"
    return HistoryTable(columns, units, frames, f"{of} of {solution.model.name}")


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
    for label, (_, _, quantity) in _apart([(q.label, q.values, q) for q in _quantities(solution, what)]):
        attributes = {"units": quantity.unit, "frame": quantity.frame}
        dims: tuple[str, ...] = (across,)
        coordinates: dict[str, Any] = {}
        if quantity.values.ndim == 2:
            axis = "axis" if set(quantity.axes) <= set("xyz") else f"{label}.axis"
            dims, coordinates = (across, axis), {axis: list(quantity.axes)}
        variables[label] = xarray.DataArray(quantity.values, coordinates, dims, attrs=attributes)
    times = (across, first.values, {"units": first.unit})
    return xarray.Dataset(variables, {across: times}, {"model": solution.model.name})


def _apart(given: list[tuple[str, FloatArray, Quantity]]) -> list[tuple[str, tuple[str, FloatArray, Quantity]]]:
    """Each once with a name of its own: numbered where things of one name, such as two sensors, differ."""
    kept: list[tuple[str, FloatArray, Quantity]] = []
    for one in given:
        if not any(name == one[0] and np.array_equal(values, one[1], equal_nan=True) for name, values, _ in kept):
            kept.append(one)
    return list(zip(distinct_names(name for name, _, _ in kept), kept, strict=True))


def _quantities(solution: States, what: tuple[Any, ...]) -> list[Quantity]:
    """Those asked for, or all of bodies and joints."""
    model = solution.model
    wanted = what or (*model.rigid_bodies, *model.tree_links, *model.joints)
    return [quantity for one in wanted for quantity in listed(solution, one)]
