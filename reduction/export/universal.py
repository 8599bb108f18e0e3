"""Universal files (UFF, .unv): nodes and mode shapes, as tools of experimental modal analysis exchange them.

Data sets 151 (header), 164 (units, where they are known), 2411 (nodes, double precision) and 55 (a normal mode: 6
values at each node). The widths of set 55 hold six digits, of frequencies, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from flexmbs.core.contracts import FloatArray
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Exposed, Nodes, expose
from flexmbs.reduction.export.fmu_variables import LENGTHS, MASSES
from flexmbs.reduction.export.shapes import mode_shapes
from flexmbs.reduction.export.written import Written, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["write_universal"]

USER, SI = 9, 1
"""Codes of units: those of the user, and m, N."""


def write_universal(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    fixed: str | Sequence[str] = (),
    nodes: Nodes = "all",
    modes: int | None = None,
) -> Written:
    """Write mode shapes.

    Parameters
    ----------
    model : ReducedModel
    path : path
    overwrite : bool, default False
    fixed : str or sequence of str, default ()
        Interfaces that are held.
    nodes : str or sequence, default "all"
        Places beside the interfaces. The labels are the numbers of places: interfaces first.
    modes : int, optional
        How many; all by default.
    """
    hertz, vectors = mode_shapes("universal file", model, fixed, modes)
    places = expose(model, nodes)
    losses = ["digits beyond the sixth", "matrices"]
    if model.units and not _factors(model):
        losses.append("units, whose names are not known here")
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in _lines(model, places, hertz, vectors, losses))
    return Written("uff", path, tuple(losses))


def _factors(model: ReducedModel) -> tuple[float, float] | None:
    """SI by the units of length and force: what the format divides by."""
    length, mass, time = (model.units.get(k) for k in ("length", "mass", "time"))
    if length not in LENGTHS or mass not in MASSES or time != "s":
        return None
    return 1.0 / LENGTHS[length], 1.0 / (LENGTHS[length] * MASSES[mass])


def _lines(
    model: ReducedModel, places: Exposed, hertz: FloatArray, vectors: FloatArray, losses: list[str]
) -> Iterator[str]:
    now = datetime.now(UTC).strftime("%d-%b-%y %H:%M:%S")
    yield from _head(151)
    said = f"lost: {'; '.join(losses)}"[:80]
    yield from (_plain(model.name), said, "flexmbs", now, f"flexmbs {version()}"[:80], now, now)
    yield "    -1"
    factors = _factors(model)
    if factors is not None:
        known = factors == (1.0, 1.0)
        yield from _head(164)
        yield f"{SI if known else USER:10d}{'SI: m, N' if known else 'user: see factors':<20}{2:10d}"
        yield f"{_real(factors[0])}{_real(factors[1])}{_real(1.0)}"
        yield _real(273.15)
        yield "    -1"
    yield from _head(2411)
    for k, point in enumerate(places.points.tolist()):
        yield f"{k + 1:10d}{0:10d}{0:10d}{1:10d}"
        yield "".join(_real(x) for x in point)
    yield "    -1"
    for k, f in enumerate(hertz):
        shape = places.shapes @ vectors[:, k]
        yield from _head(55)
        yield from (_plain(model.name), f"mode {k + 1}, {f:.6g} per unit of time", "mass-normalised", now, "NONE")
        yield "".join(f"{x:10d}" for x in (1, 2, 3, 8, 2, 6))  # structural, normal mode, six, displacement, real, six
        yield "".join(f"{x:10d}" for x in (2, 4, 1, k + 1))
        yield "".join(f"{x:13.5E}" for x in (f, 1.0, 0.0, 0.0))  # frequency, modal mass, no damping
        for place, row in enumerate(shape.tolist()):
            yield f"{place + 1:10d}"
            yield "".join(f"{x:13.5E}" for x in row)
        yield "    -1"


def _head(number: int) -> tuple[str, str]:
    return "    -1", f"{number:6d}"


def _real(value: float) -> str:
    return f"{value:25.16E}".replace("E", "D")


def _plain(text: str) -> str:
    return (" ".join(text.encode("ascii", "replace").decode().split()) or "part")[:80]
