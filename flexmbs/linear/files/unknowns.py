"""What the rows of matrices from elsewhere are: node and component of each."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import IntArray
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.files.places import Places, whole
from flexmbs.linear.files.tables import open_file, table
from flexmbs.linear.operators import DofMap

__all__ = ["Unknowns", "as_unknowns", "read_ccx_dofs"]


class Unknowns(NamedTuple):
    """``labels (n,)`` of the nodes (-1: a scalar unknown), ``components (n,)`` 0 to 5, and where they come from."""

    labels: IntArray
    components: IntArray
    source: str

    def name(self, i: int) -> str:
        """An unknown in the words of its file."""
        label = int(self.labels[i])
        return f"{COMPONENTS[self.components[i]]} of node {label}" if label >= 0 else f"scalar unknown {i}"


def as_unknowns(owner: str, dofs: Any, places: Places) -> Unknowns:
    """Unknowns from a DofMap, a file (``.csv``, ``.txt`` or ``.dof``), or 3 or 6 at every node in their order."""
    if isinstance(dofs, DofMap):
        if len(dofs) and dofs.node.max() >= len(places.labels):
            raise ModelError(f"{owner}: dofs name node {dofs.node.max()} of {len(places.labels)} nodes.")
        labels = np.where(dofs.node >= 0, places.labels[dofs.node], -1)
        return Unknowns(labels, dofs.component, "the DofMap")
    if isinstance(dofs, str | PathLike):
        path = Path(dofs)
        return read_ccx_dofs(path) if path.suffix.lower() == ".dof" else _read_table(path)
    if isinstance(dofs, int) and not isinstance(dofs, bool) and dofs in (3, 6):
        n = len(places.labels)
        return Unknowns(np.repeat(places.labels, dofs), np.tile(np.arange(dofs), n), f"{dofs} unknowns at every node")
    raise ModelError(
        f"{owner}: dofs must be a DofMap, a file (.csv with node, component; .dof), or 3 or 6 for as many unknowns at "
        f"every node in the order of nodes, not {show(dofs)}."
    )


def read_ccx_dofs(path: Path) -> Unknowns:
    """The ``.dof`` file of CalculiX: node.direction in each line, direction 1 to 3."""
    open_file(path)
    text = path.read_text(errors="replace")
    if not text.endswith("\n"):
        raise ReadError(f"{path}: the last line has no end; the file is cut off.")
    labels, components = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        node, _, direction = line.strip().partition(".")
        if not re.fullmatch("[0-9]{1,15}", node) or direction not in ("1", "2", "3"):
            raise ReadError(
                f"{path}, line {number}: expected node.direction with a direction of 1 to 3, not {line.strip()[:40]!r}."
            )
        labels.append(int(node))
        components.append(int(direction) - 1)
    return Unknowns(np.array(labels, dtype=np.int64), np.array(components, dtype=np.int64), str(path))


def _read_table(path: Path) -> Unknowns:
    """Rows of node and component: 1 to 6 or ux to rz; 0 for a scalar unknown."""
    labels, components = [], []
    for (node, component), place in table(path, ("node", "component")):
        label = whole(node, place)
        if component.lower() in COMPONENTS:
            number = COMPONENTS.index(component.lower())
        elif component == "0":
            label, number = -1, 0
        elif component in tuple("123456"):
            number = int(component) - 1
        else:
            raise ReadError(f"{place}: a component is 1 to 6 or {', '.join(COMPONENTS)}, not {component!r}.")
        labels.append(label)
        components.append(number)
    return Unknowns(np.array(labels, dtype=np.int64), np.array(components, dtype=np.int64), str(path))
