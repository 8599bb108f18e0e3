"""Universal files (UFF, .unv): nodes and mode shapes, as tools of experimental modal analysis exchange them.

Data sets 151 (header), 164 (units, where they are known), 2411 (nodes, double precision) and 55 (a normal mode: 6
values at each node). The widths of set 55 hold six digits, of frequencies, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.exposed import Exposed, Nodes, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.shapes import mode_shapes
from flexmbs.reduction.export.universal_sets import head, header, now, plain, real, units
from flexmbs.reduction.export.written import ExportResult, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_universal"]


def write_universal(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    fixed: str | Sequence[str] = (),
    nodes: Nodes = "all",
    modes: int | None = None,
) -> ExportResult:
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
    if model.units and units(model.units) is None:
        losses.append("units, whose names are not known here")
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in _lines(model, places, hertz, vectors, losses))
    return ExportResult("uff", path, tuple(losses))


def _lines(
    model: ReducedModel, places: Exposed, hertz: FloatArray, vectors: FloatArray, losses: list[str]
) -> Iterator[str]:
    yield from header(model.name, losses)
    yield from units(model.units) or ()
    yield from head(2411)
    for k, point in enumerate(places.points.tolist()):
        yield f"{k + 1:10d}{0:10d}{0:10d}{1:10d}"
        yield "".join(real(x) for x in point)
    yield "    -1"
    for k, f in enumerate(hertz):
        shape = places.shapes @ vectors[:, k]
        yield from head(55)
        yield from (plain(model.name), f"mode {k + 1}, {f:.6g} per unit of time", "mass-normalised", now(), "NONE")
        yield "".join(f"{x:10d}" for x in (1, 2, 3, 8, 2, 6))  # structural, normal mode, six, displacement, real, six
        yield "".join(f"{x:10d}" for x in (2, 4, 1, k + 1))
        yield "".join(f"{x:13.5E}" for x in (f, 1.0, 0.0, 0.0))  # frequency, modal mass, no damping
        for place, row in enumerate(shape.tolist()):
            yield f"{place + 1:10d}"
            yield "".join(f"{x:13.5E}" for x in row)
        yield "    -1"


FORMATS = {
    "uff": Format(".unv", "mode shapes as universal file", write_universal),
}
