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
    asked : (e,) array of bool
        Whether the place was asked for, beside or as one of the interfaces.
    """

    names: tuple[str, ...]
    points: FloatArray
    shapes: FloatArray
    held: Any
    place: IntArray
    component: IntArray
    asked: Any

    def __len__(self) -> int:
        return len(self.names)

    @property
    def without_rotation(self) -> int:
        """How many places have no rotation."""
        return int((~self.held[:, 3:].all(axis=1)).sum())

    @property
    def own(self) -> Any:
        """Which displacements (e, 6) are coordinates."""
        out = np.zeros(self.held.shape, dtype=bool)
        out[self.place[self.place >= 0], self.component[self.place >= 0]] = True
        return out

    def rows(self) -> tuple[IntArray, IntArray]:
        """Place and component of all known displacements, place by place."""
        place, component = np.nonzero(self.held)
        return place, component


def interface_frames(model: ReducedModel) -> tuple[Frame, ...]:
    """Interfaces of a model; their motion must be among its coordinates."""
    return tuple(model.joined(frame.name) for frame in model.frames)


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
    names: list[str] = []
    nodes_of: list[int] = []
    points: list[FloatArray] = []
    kept: list[tuple[int, IntArray, IntArray]] = []
    for frame in interface_frames(model):
        single = len(np.unique(frame.node)) == 1
        for node in np.unique(frame.node):
            mine = frame.node == node
            kept.append((len(names), frame.component[mine], frame.coordinates[mine]))
            names.append(frame.name if single else f"{frame.name} node {node}")
            points.append(np.asarray(frame.origin) if single else model.points[node])
            nodes_of.append(int(node))
    wanted, there = further_nodes(model, nodes), set(nodes_of)
    for node in wanted:
        if node not in there:
            names.append(f"node {node}")
            points.append(model.points[node])
            nodes_of.append(node)
    shapes, held = _at_nodes(model, np.array(nodes_of, dtype=np.int64))
    place, component = np.full(model.size, -1), np.zeros(model.size, dtype=np.int64)
    for k, components, coordinates in kept:
        shapes[k, components] = 0.0
        shapes[k, components, coordinates] = 1.0
        held[k, components] = True
        place[coordinates], component[coordinates] = k, components
    if len(held) and not held.any(axis=1).all():
        raise ModelError(f"{model!r}: {names[int(np.argmin(held.any(axis=1)))]} has no displacements.")
    return Exposed(
        tuple(names), np.array(points).reshape(-1, 3), shapes, held, place, component, np.isin(nodes_of, wanted)
    )


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


def _at_nodes(model: ReducedModel, nodes: IntArray) -> tuple[FloatArray, Any]:
    """Shapes (e, 6, m) of nodes and which of them there are; none for the point of a rigid or averaged interface."""
    numbers = model.dofs.table(len(model.points))[nodes].reshape(-1, 6)
    held = numbers >= 0
    shapes = np.zeros((len(nodes), 6, model.size))
    if held.any():
        rows = numbers[held]
        first, last = int(rows.min()), int(rows.max()) + 1
        shapes[held] = np.asarray(model.shapes[first:last])[rows - first]
    return shapes, held
