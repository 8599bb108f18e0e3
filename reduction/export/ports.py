"""The inputs and outputs of a reduced model as a linear system: what acts and what is seen at which place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.export.exposed import Exposed
from flexmbs.reduction.model import ReducedModel

__all__ = ["QUANTITIES", "Ports", "Signal"]

AXES = ("x", "y", "z")
RATES = (
    ("displacement", "velocity", "acceleration"),
    ("rotation", "angular velocity", "angular acceleration"),
)


@dataclass(frozen=True)
class Signal:
    """Some inputs or outputs that belong together: ``name``, what each ``entries`` is, and their ``quantity``.

    The quantity is one of ``QUANTITIES``; ``place`` is the number of the place, 0 for none.
    """

    name: str
    entries: tuple[str, ...]
    quantity: str
    place: int = 0

    def __len__(self) -> int:
        return len(self.entries)


QUANTITIES: dict[str, tuple[int, int, int]] = {
    "number": (0, 0, 0), "force": (1, 1, -2), "moment": (2, 1, -2), "displacement": (1, 0, 0), "rotation": (0, 0, 0),
    "velocity": (1, 0, -1), "angular velocity": (0, 0, -1), "acceleration": (1, 0, -2),
    "angular acceleration": (0, 0, -2), "stress": (-1, 1, -2),
}  # fmt: skip
"""Exponents of length, mass and time."""


class Ports:
    """Collects inputs, as modal forces (n, k), and outputs, as rows for displacement, rate and acceleration."""

    def __init__(self, places: Exposed, Phi: FloatArray) -> None:
        self.places, self.Phi = places, Phi
        self.inputs: list[tuple[Signal, FloatArray]] = []
        self.driven: list[tuple[Signal, list[int], int]] = []
        self.outputs: list[tuple[Signal, str, Any]] = []

    def load(self, k: int, held: Any, accelerations: bool) -> None:
        """A place where forces act and motions are seen, in the components (6,) that are ``held``."""
        name = self.places.names[k]
        kinds = [("displacement", "rotation"), ("velocity", "angular velocity")]
        if accelerations:
            kinds.append(("acceleration", "angular acceleration"))
        for part in range(2):
            rows = np.flatnonzero(held[3 * part : 3 * part + 3]) + 3 * part
            if not len(rows):
                continue
            shape = self.places.shapes[k, rows]
            along = ("along", "about")[part]
            force = ("force", "moment")[part]
            entries = tuple(f"{force} {along} {AXES[r % 3]}" for r in rows)
            self.inputs.append((Signal(f"{name}.{force}", entries, force, k + 1), (shape @ self.Phi).T))
            for kind in kinds:
                signal = Signal(
                    f"{name}.{_identifier(kind[part])}", tuple(f"{kind[part]} {along} {AXES[r % 3]}" for r in rows),
                    kind[part], k + 1,
                )  # fmt: skip
                self.outputs.append((signal, kind[0], shape))

    def drive(self, k: int, components: Any, rows: list[int]) -> None:
        """A place whose motion is given."""
        name = self.places.names[k]
        for part in range(2):
            mine = [i for i, c in enumerate(components) if c // 3 == part]
            if not mine:
                continue
            which = [rows[i] for i in mine]
            axes = [AXES[components[i] % 3] for i in mine]
            along, force = ("along", "about")[part], ("force", "moment")[part]
            for order, kind in enumerate(RATES[part]):
                signal = Signal(f"{name}.{_identifier(kind)}", tuple(f"{kind} {along} {a}" for a in axes), kind, k + 1)
                self.driven.append((signal, which, order))
            signal = Signal(f"{name}.{force}", tuple(f"reaction {force} {along} {a}" for a in axes), force, k + 1)
            self.outputs.append((signal, "reaction", which))

    def stress(self, model: ReducedModel) -> None:
        """All stresses that the model knows, in the order of its ``stress_nodes``."""
        if model.stress_shapes is None:
            raise ModelError(f"{model!r}: it was made without stresses; use reduce(..., stresses='HUB').")
        shapes = np.asarray(model.stress_shapes)
        for k, node in enumerate(model.stress_nodes):
            # stresses that are kept apart at a node are numbered
            rows = model.stress_rows(node)
            which = f"_{1 + int(np.searchsorted(rows, k))}" if len(rows) > 1 else ""
            signal = Signal(f"node {node}.stress{which}", tuple(f"stress {s}" for s in model.stress_names), "stress")
            self.outputs.append((signal, "displacement", shapes[k]))


def _identifier(text: str) -> str:
    return text.replace(" ", "_")
