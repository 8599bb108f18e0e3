"""Data sets that all universal files have (151 header, 164 units), and functions at a point (58).

A function of set 58 has numbers of 13 digits over times or frequencies, which have six: evenly spaced ones are said by
their first value and their spacing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.contracts import FloatArray
from flexmbs.core.info import version
from flexmbs.reduction.export.fmu_variables import LENGTHS, MASSES
from flexmbs.reduction.export.ports import QUANTITIES

__all__ = [
    "FREQUENCY",
    "TIME",
    "WIDTH",
    "Function",
    "Point",
    "as_held",
    "function_lines",
    "head",
    "header",
    "now",
    "plain",
    "real",
    "units",
]

EVEN = 1e-6
"""Spacings that differ by no more, relative, are equal."""
TIME, FREQUENCY = 17, 18
"""Kinds of abscissas."""
WIDTH = 80
"""Characters of a line of text."""
USER, SI = 9, 1
"""Codes of units: those of the user, and m, N."""
KINDS = {"displacement": 8, "rotation": 8, "velocity": 11, "angular velocity": 11, "acceleration": 12,
         "angular acceleration": 12, "force": 13, "moment": 13, "stress": 2}  # fmt: skip
"""Kinds of data by quantity; others are 0, unknown."""


class Point(NamedTuple):
    """What is measured or excited: ``name``, number of the ``place`` (0 for none), ``direction`` and ``quantity``.

    Directions are 1 to 3 along x, y, z and 4 to 6 about them, 0 for a scalar.
    """

    name: str
    place: int = 0
    direction: int = 0
    quantity: str = "number"


class Function(NamedTuple):
    """``values`` (n,), real or complex, over ``abscissa`` (n,) of a kind, per unit of ``reference``, if any."""

    kind: int
    abscissa: FloatArray
    values: NDArray[np.float64] | NDArray[np.complex128]
    response: Point
    reference: Point | None
    title: str


def now() -> str:
    """Date and time."""
    return datetime.now(UTC).strftime("%d-%b-%y %H:%M:%S")


def header(name: str, losses: Sequence[str]) -> Iterator[str]:
    """Set 151."""
    yield from head(151)
    said = f"lost: {'; '.join(losses)}"[:80] if losses else "NONE"
    yield from (plain(name), plain(said), "flexmbs", now(), f"flexmbs {version()}"[:80], now(), now())
    yield "    -1"


def units(names: Mapping[str, str]) -> list[str] | None:
    """Set 164; None where units are not known, or time is not in seconds."""
    length, mass = names.get("length"), names.get("mass")
    if length not in LENGTHS or mass not in MASSES or names.get("time") != "s":
        return None
    # SI by the units of length and force: what the format divides by
    factors = 1.0 / LENGTHS[length], 1.0 / (LENGTHS[length] * MASSES[mass])
    known = factors == (1.0, 1.0)
    return [
        *head(164),
        f"{SI if known else USER:10d}{'SI: m, N' if known else 'user: see factors':<20}{2:10d}",
        f"{real(factors[0])}{real(factors[1])}{real(1.0)}",
        real(273.15),
        "    -1",
    ]


def function_lines(number: int, f: Function) -> Iterator[str]:
    """Set 58 of one function."""
    n = len(f.abscissa)
    complex_values = np.iscomplexobj(f.values)
    held, even = as_held(f.abscissa)
    first, step = (float(held[0]), float(held[1] - held[0])) if even else (0.0, 0.0)
    other = f.reference or Point("NONE")
    yield from head(58)
    yield from (plain(f.title), plain(f.response.name), now(), plain(other.name), "NONE")
    yield (
        f"{4 if f.reference else 1:5d}{number:10d}{0:5d}{0:10d}"
        f" {_entity(f.response.name)}{f.response.place:10d}{f.response.direction:4d}"
        f" {_entity(other.name)}{other.place:10d}{other.direction:4d}"
    )
    yield (f"{6 if complex_values else 4:10d}{n:10d}{int(even):10d}{first:13.5E}{step:13.5E}{0.0:13.5E}")
    label = "frequency" if f.kind == FREQUENCY else "time"
    yield f"{f.kind:10d}{0:5d}{0:5d}{0:5d} {label:<20} {'NONE':<20}"
    yield _axis(f.response)
    yield _axis(other)
    yield f"{0:10d}{0:5d}{0:5d}{0:5d} {'NONE':<20} {'NONE':<20}"
    columns = [f.values.real, f.values.imag] if complex_values else [f.values]
    rows = np.stack(columns, axis=1).tolist()
    if even:
        words = [f"{x:20.12E}" for row in rows for x in row]
        yield from ("".join(words[i : i + 4]) for i in range(0, len(words), 4))
    else:
        words = [
            f"{t:13.5E}" + "".join(f"{x:20.12E}" for x in r) for t, r in zip(f.abscissa.tolist(), rows, strict=True)
        ]
        wide = 1 if complex_values else 2
        yield from ("".join(words[i : i + wide]) for i in range(0, len(words), wide))
    yield "    -1"


def as_held(abscissa: FloatArray) -> tuple[FloatArray, bool]:
    """The abscissas that a file has, of six digits, and whether they are evenly spaced."""
    n, first = len(abscissa), abscissa[0]
    step = (abscissa[-1] - first) / max(n - 1, 1)
    if n > 1 and np.abs(np.diff(abscissa) - step).max() <= EVEN * step:
        return np.asarray(float(f"{first:.5E}") + float(f"{step:.5E}") * np.arange(n)), True
    return np.array([float(f"{x:.5E}") for x in abscissa]), False


def _axis(point: Point) -> str:
    """Kind of data, exponents of length and force, and the name of an axis."""
    length, mass, _ = QUANTITIES.get(point.quantity, (0, 0, 0))
    # the format counts in lengths and forces; a force is mass times length
    kind, label = KINDS.get(point.quantity, 0), plain(point.quantity)[:20]
    return f"{kind:10d}{length - mass:5d}{mass:5d}{0:5d} {label:<20} {'NONE':<20}"


def _entity(name: str) -> str:
    """Ten characters."""
    return f"{plain(name).replace(' ', '_')[:10]:<10}"


def head(number: int) -> tuple[str, str]:
    """The beginning of a set."""
    return "    -1", f"{number:6d}"


def real(value: float) -> str:
    """A number of double precision."""
    return f"{value:25.16E}".replace("E", "D")


def plain(text: str) -> str:
    """A line of text."""
    return (" ".join(text.encode("ascii", "replace").decode().split()) or "part")[:WIDTH]
