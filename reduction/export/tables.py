"""Tables beside matrices that have no names for their rows: places, coordinates, and a description in words.

``nodes.csv`` (node, x, y, z) has the places, numbered from 1; ``dofs.csv`` (node, component) the coordinates, with node
-1 for modes; ``basis_rows.csv`` (place, component) the rows of the basis; ``model.json`` names, interfaces, units.
"""

from __future__ import annotations

import json
from pathlib import Path

from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.reduction.export.document import description
from flexmbs.reduction.export.exposed import Exposed
from flexmbs.reduction.export.written import MARK
from flexmbs.reduction.model import ReducedModel

__all__ = ["write_tables"]


def write_tables(folder: Path, model: ReducedModel, places: Exposed, losses: tuple[str, ...]) -> None:
    """Write all of them; numbers so that they are read back to the last bit."""
    rows = [f"{k + 1},{x!r},{y!r},{z!r}" for k, (x, y, z) in enumerate(places.points.tolist())]
    _write(folder / "nodes.csv", "node,x,y,z", rows)
    coordinates = zip(places.place, places.component, strict=True)
    rows = [f"{p + 1},{COMPONENTS[c]}" if p >= 0 else "-1,0" for p, c in coordinates]
    _write(folder / "dofs.csv", "node,component", rows)
    rows = [f"{p + 1},{COMPONENTS[c]}" for p, c in zip(*places.rows(), strict=True)]
    _write(folder / "basis_rows.csv", "node,component", rows)
    text = json.dumps(description(model, places, losses), indent=1, ensure_ascii=False)
    (folder / MARK).write_text(text + "\n", encoding="utf-8")


def _write(path: Path, head: str, rows: list[str]) -> None:
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
