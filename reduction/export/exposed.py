"""Which places of a reduced model another tool gets to see, how they move, and what the coordinates are there.

Numbers of places are 1, 2, ...: first the interfaces (one place for a rigid or averaged one, every node of one of kind
"nodes"), then further nodes. The same numbers are used in all formats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel

__all__ = ["Exposed", "expose", "interface_frames"]

Nodes = str | Sequence[int] | Sequence[str]


@dataclass(frozen=True, eq=False)
class Exposed:
    """Places of a model with their shapes.

    Attributes
    ----------
    names : tuple of str
        "ROOT", "BASE node 12" or "node 12"; nodes are rows of ``model.points``.
    points : (e, 3) array
        Undeformed places [length].
    shapes : (e, 6, m) array
        Displacements and small rotations of the places for each coordinate.
    held : (e, 6) array of bool
        Which of these are known; a node of a solid has no rotation.
    place : (m,) array of int
        Which place each coordinate is a displacement of, -1 for modes.
    component : (m,) array of int
        Which of the six it is, 0 for modes.
    """

    names: tuple[str, ...]
    points: FloatArray
    shapes: FloatArray
    held: Any
    place: IntArray
    component: IntArray

    def __len__(self) -> int:
        return len(self.names)

    @property
    def without_rotation(self) -> int:
        """How many places have no rotation."""
        return int((~self.held[:, 3:].all(axis=1)).sum())

    def rows(self) -> tuple[IntArray, IntArray]:
        """Place and component of all known displacements, place by place."""
        place, component = np.nonzero(self.held)
        return place, component


def interface_frames(model: ReducedModel) -> tuple[Frame, ...]:
    """Interfaces of a model whose first coordinates they are.

    Raises
    ------
    ModelError
        If the method of reduction did not keep the motion of the interfaces as coordinates.
    """
    for frame in model.frames:
        if len(frame.coordinates) and int(frame.coordinates.max()) >= model.n_interface:
            raise ModelError(
                f"{model!r}: the motion of interface {frame.name!r} is not among its coordinates, so that other tools "
                f"cannot be joined there; reduce it by a method that keeps interfaces, such as Craig-Bampton."
            )
    return model.frames


def expose(model: ReducedModel, nodes: Nodes = ()) -> Exposed:
    """The interfaces of a model, and further nodes.

    Parameters
    ----------
    model : ReducedModel
    nodes : str or sequence, default ()
        Further nodes: name of a node set, names of several, numbers (rows of ``model.points``), or "all".

    Raises
    ------
    ModelError
        If a node is unknown or has no displacements, or the model has no place at all.
    """
    m = model.size
    names: list[str] = []
    points: list[FloatArray] = []
    blocks: list[FloatArray] = []
    held: list[Any] = []
    place, component = np.full(m, -1), np.zeros(m, dtype=np.int64)
    seen: set[int] = set()
    for frame in interface_frames(model):
        single = len(np.unique(frame.node)) == 1
        for row in np.unique(frame.node):
            mine = frame.node == row
            coordinates, components = frame.coordinates[mine], frame.component[mine]
            shape, known = _at_node(model, int(row))
            shape[components] = 0.0
            shape[components, coordinates] = 1.0
            known[components] = True
            place[coordinates], component[coordinates] = len(names), components
            names.append(frame.name if single else f"{frame.name} node {row}")
            points.append(np.asarray(frame.origin) if single else model.points[row])
            blocks.append(shape)
            held.append(known)
            seen.add(int(row))
    for row in further_nodes(model, nodes):
        if row not in seen:
            shape, known = _at_node(model, row)
            if not known.any():
                raise ModelError(f"{model!r}: node {row} has no displacements.")
            names.append(f"node {row}")
            points.append(model.points[row])
            blocks.append(shape)
            held.append(known)
    return Exposed(
        tuple(names), np.array(points).reshape(-1, 3), np.array(blocks).reshape(-1, 6, m),
        np.array(held, dtype=bool).reshape(-1, 6), place, component,
    )  # fmt: skip


def further_nodes(model: ReducedModel, nodes: Nodes) -> list[int]:
    """Numbers of nodes from what a user passes, ascending."""
    if isinstance(nodes, str) and nodes == "all":
        return [int(n) for n in np.unique(model.dofs.node[model.dofs.node >= 0])]
    if isinstance(nodes, str):
        nodes = [nodes]
    if not is_list(nodes):
        raise ModelError(f"export: nodes must be names of node sets, numbers or 'all', not {show(nodes)}.")
    out: set[int] = set()
    for node in nodes:
        if isinstance(node, str):
            if node not in model.node_sets:
                raise ModelError(f"{model!r}: {unknown_name('node set', node, list(model.node_sets))}")
            out |= {int(n) for n in model.node_sets[node]}
        elif isinstance(node, int | np.integer) and not isinstance(node, bool) and 0 <= node < len(model.points):
            out.add(int(node))
        else:
            raise ModelError(
                f"{model!r}: there is no node {show(node)}; they are numbered 0 to {len(model.points) - 1}."
            )
    return sorted(out)


def component_names(place: str, components: Sequence[int]) -> list[str]:
    """Components of a place in words."""
    return [f"{place} {COMPONENTS[c]}" for c in components]


def _at_node(model: ReducedModel, row: int) -> tuple[FloatArray, Any]:
    """Shapes (6, m) of a node and which of them there are; none for the point of a rigid or averaged interface."""
    shape, known = np.zeros((6, model.size)), np.zeros(6, dtype=bool)
    rows = model.dofs.of(row)
    if len(rows):
        components = model.dofs.component[rows]
        first, last = int(rows.min()), int(rows.max()) + 1
        shape[components] = np.asarray(model.shapes[first:last])[rows - first]
        known[components] = True
    return shape, known
