"""Stored reference figures: one JSON file per problem, each figure with its own error and its source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.verification.outcome import Reference

__all__ = ["IDS", "ReferenceSet", "load_reference"]

#: The problems there are figures for.
IDS = (
    "s01", "s02", "s03", "s04", "s05", "s06", "s07", "s11b", "s12", "s13", "e01", "e02", "e03", "e05", "e07", "e08",
    "d01", "d02", "d03", "d04", "d05", "d06a", "d06b", "d07", "d08", "d10", "d11", "d12", "d13", "d14", "d15",
    "s08a", "s08b", "s08c", "s08d", "s08e", "s09", "s10", "s14", "e06", "e09", "shell-obstacles",
    "e04", "d09", "d16", "d16-cable", "d17", "d17-cable", "d18", "d19", "d20", "d21", "d22",
    "negrut", "rod-flight",
    "hertz-impact", "hunt-crossley-restitution", "newtons-cradle", "block-on-incline", "sliding-to-rolling",
    "dwell-time-friction", "stick-slip-on-belt", "column-of-spheres", "tumbling-block", "foot-ground-law",
    "painleve-rod", "pile-thresholds", "two-link-crawler", "wheel-rail-normal-force", "wheelset-hunting",
    "distances-of-shapes", "neighbours-of-many-spheres", "capstan", "belt-drive", "crossing-cables", "rod-hits-wall",
    "beam-on-stop", "strip-lifted-from-floor",
    "n11", "n12", "n14", "n15", "n16", "n17", "n18", "n19", "n20", "n22", "n23", "n24", "n25", "n26", "n28", "n29",
)  # fmt: skip

_PRINTED = 5e-15  # the figures have 15 significant digits


@dataclass(frozen=True)
class ReferenceSet:
    """The figures of one problem: ``parameters`` as stored, and values by name."""

    id: str
    title: str
    physics: str
    conditions: str
    source: str
    parameters: dict[str, Any]
    quantities: dict[str, dict[str, Any]]

    def value(self, name: str, index: int | None = None) -> float:
        """A figure; ``index`` (from 0) picks one of a list."""
        return self.reference(name, index).value

    def reference(self, name: str, index: int | None = None) -> Reference:
        """A figure with its source, and its own error or that of printing 15 digits, whichever is larger.

        Raises
        ------
        ModelError
            For an unknown name (the message gives the nearest), a list without an index, or an index beyond its end.
        """
        if name not in self.quantities:
            raise ModelError(unknown_name(f"figure of reference {self.id}", name, self.quantities))
        stored = self.quantities[name]["value"]
        values = stored if isinstance(stored, list) else [stored]
        if (index is None) == isinstance(stored, list) or not 0 <= (index or 0) < len(values):
            wanted = f"an index from 0 to {len(values) - 1}" if isinstance(stored, list) else "no index"
            raise ModelError(f"reference {self.id}: {name!r} takes {wanted}, not {index}.")
        value = float(values[index or 0])
        return Reference(value, self.source, max(float(self.quantities[name]["ref_error"]), _PRINTED * abs(value)))


@cache
def load_reference(identity: str) -> ReferenceSet:
    """The stored figures of a problem by its id.

    Examples
    --------
    >>> load_reference("s01").value("PL2_over_EI=1 tip rotation")
    0.461351949711879
    """
    name = identity.lower()
    if name not in IDS:
        raise ModelError(unknown_name("reference", identity, IDS))
    stored = json.loads(resources.files("flexmbs.verification").joinpath(f"reference/{name}.json").read_text("utf-8"))
    return ReferenceSet(
        id=name,
        title=stored["title"],
        physics=stored["physics"],
        conditions=stored["conditions"],
        source=stored["source"],
        parameters=stored["parameters"],
        quantities={quantity["name"]: quantity for quantity in stored["quantities"]},
    )
