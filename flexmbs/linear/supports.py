"""Supports: which unknowns of a linear structure are held, and at which values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from flexmbs.core.checks import as_counts, as_number, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.field_terms import meant
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.operators import Operators

__all__ = ["Supports", "nodes_at", "supports"]


class Supports(NamedTuple):
    """``held (n_h,)`` and ``free (n_f,)`` unknowns, ascending; ``values (n_h,)``; ``places``: nodes by their names."""

    held: IntArray
    free: IntArray
    values: FloatArray
    places: Mapping[str | int, IntArray]


def nodes_at(owner: str, operators: Operators, at: object) -> IntArray:
    """Rows of ``points`` of a node set, of a number, or of numbers."""
    if isinstance(at, str):
        try:
            return operators.node_set(at)
        except ModelError as error:
            raise ModelError(f"{owner}: {error}") from None
    nodes = np.unique(as_counts(owner, "a node", at))
    if not len(nodes):
        raise ModelError(f"{owner}: there is no node in {show(at)}.")
    if nodes[-1] >= len(operators.points):
        raise ModelError(f"{owner}: there is no node {nodes[-1]}; nodes are numbered 0 to {len(operators.points) - 1}.")
    return nodes


def supports(owner: str, operators: Operators, fixed: object) -> Supports:
    """Held unknowns from a mapping such as ``{"left": "all", "pin": ("ux", "uy"), 7: {"uz": 1e-3}}``.

    Raises
    ------
    ModelError
        If a set or a component is unknown, a node does not have a component or a link moves it, or two entries give
        one unknown two values.
    """
    if fixed is None:
        fixed = {}
    if not isinstance(fixed, Mapping):
        raise ModelError(
            f"{owner}: fixed must be a mapping from node sets or nodes to components, such as {{'left': 'all'}}, not "
            f"{show(fixed)}."
        )
    table = operators.dofs.table(len(operators.points))
    value_of = np.full(operators.n, np.nan)
    places: dict[str | int, IntArray] = {}
    for at, what in fixed.items():
        where = f"{owner}: fixed {at!r}"
        nodes = nodes_at(where, operators, at)
        places[at if isinstance(at, str) else int(at)] = nodes
        for component, value in _components(where, what, table[nodes]).items():
            rows = table[nodes, component]
            if (rows < 0).any():
                raise ModelError(f"{where}: {_lacks(operators, int(nodes[np.argmax(rows < 0)]), component)}")
            before = value_of[rows]
            if (~np.isnan(before) & (before != value)).any():
                row = int(rows[np.argmax(~np.isnan(before) & (before != value))])
                raise ModelError(f"{where}: {operators.dofs.name(row)} is held at another value already.")
            value_of[rows] = value
    held = np.flatnonzero(~np.isnan(value_of))
    return Supports(held, np.flatnonzero(np.isnan(value_of)), value_of[held], places)


def _components(where: str, what: object, rows: IntArray) -> dict[int, float]:
    """Number and value of each component that is held."""
    if isinstance(what, str) and what == "all":
        present = np.flatnonzero((rows >= 0).any(axis=0))
        if not len(present):
            raise ModelError(
                f"{where}: its nodes have no unknowns of their own (a link moves them, or no element is there)."
            )
        return {int(c): 0.0 for c in present}
    names = [what] if isinstance(what, str) else what
    if isinstance(names, Mapping):
        pairs = list(names.items())
    elif isinstance(names, list | tuple | set | frozenset):
        pairs = [(name, 0.0) for name in names]
    else:
        pairs = []
    if not pairs or any(not isinstance(name, str) or name not in COMPONENTS for name, _ in pairs):
        wrong = [name for name, _ in pairs if not isinstance(name, str) or name not in COMPONENTS]
        words = "".join(meant("fixed", str(name)) for name in wrong)
        raise ModelError(f"{where}: expected 'all' or some of {', '.join(COMPONENTS)}, not {show(what)}.{words}")
    return {COMPONENTS.index(name): as_number(where, name, value) for name, value in pairs}


def _lacks(operators: Operators, node: int, component: int) -> str:
    """Why a node has no such unknown."""
    name, everything = COMPONENTS[component], operators.all_dofs
    assert everything is not None  # noqa: S101  # set on construction
    if ((everything.node == node) & (everything.component == component)).any():
        return f"node {node} is moved by a link; hold the nodes that it depends on, or take it out of the link."
    if not (everything.node == node).any():
        return f"node {node} belongs to no element and has no unknowns."
    return f"node {node} has no {name}; nodes of solids have ux, uy, uz only."
