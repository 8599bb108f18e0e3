"""Unit labels for tables and plots. flexmbs computes with any consistent set and never converts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from flexmbs.core.checks import as_name, is_among, show
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.field_terms import meant

__all__ = ["SI", "Units", "names_of_units"]


@dataclass(frozen=True)
class Units:
    """Names of a consistent set of units.

    Parameters
    ----------
    length, mass, time, force : str
        Labels such as ``"m"``; force must be mass length/time^2 for dynamics to come out right.

    Examples
    --------
    >>> Units("in", "lb s^2/in", "s", "lb").of("moment")
    'lb in'
    >>> SI.of("force/length")
    'N/m'
    """

    length: str
    mass: str
    time: str
    force: str

    def __post_init__(self) -> None:
        for field in fields(self):
            as_name("Units", field.name, getattr(self, field.name))

    def of(self, dimension: str) -> str:
        """The label of a dimension in words: ``"length"``, ``"force"``, ``"moment"``, ``"energy"``, ``"angle"``, ..."""
        known = {
            "length": self.length,
            "mass": self.mass,
            "time": self.time,
            "force": self.force,
            "moment": f"{self.force} {self.length}",
            "energy": f"{self.force} {self.length}",
            "force/length": f"{self.force}/{self.length}",
            "angle": "rad",
            "frequency": f"1/{self.time}",
            "angular frequency": f"rad/{self.time}",
            "number": "-",
        }
        if not is_among(dimension, known):
            raise ModelError(f"Units: no dimension {show(dimension)}; known are {', '.join(known)}.")
        return known[dimension]


def names_of_units(owner: str, given: Any) -> dict[str, str]:
    """Names of units by what they are of: those that a mapping gives, or all of a `Units`."""
    known = [field.name for field in fields(Units)]
    if isinstance(given, Units):
        return {name: getattr(given, name) for name in known}
    if not isinstance(given, Mapping):
        raise ModelError(
            f"{owner}: units must be a Units object such as flexmbs.SI, or map any of {', '.join(known)} to the name "
            f"of a unit, as in {{'length': 'mm'}}, not {show(given)}.{meant('units', given)}"
        )
    for key in given:
        if key not in known:
            raise ModelError(f"{owner}: units: {unknown_name('quantity', key, known)}")
    return {key: as_name(owner, f"units: {key}", value) for key, value in given.items()}


SI = Units("m", "kg", "s", "N")
"""Metre, kilogram, second, newton."""
