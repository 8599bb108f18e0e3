"""Unit labels for tables and plots. flexmbs computes with any consistent set and never converts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from flexmbs.core.checks import as_name, show
from flexmbs.core.errors import ModelError

__all__ = ["SI", "Units"]


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
        if dimension not in known:
            raise ModelError(f"Units: no dimension {show(dimension)}; known are {', '.join(known)}.")
        return known[dimension]


SI = Units("m", "kg", "s", "N")
"""Metre, kilogram, second, newton."""
