"""One part, too large for one go, reduced by pieces on several processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flexmbs.core.errors import FlexmbsError
from flexmbs.core.progress import Progress
from flexmbs.linear.part import Part
from flexmbs.reduction.interfaces import Interface
from flexmbs.reduction.model import ReducedModel
from flexmbs.reduction.substructures import Condensed, Substructure, couple, cut_by_regions
from flexmbs.studies.runner import run_all

__all__ = ["reduce_by_regions"]


@dataclass(frozen=True, eq=False)
class _Task:
    """One substructure; the outcome is it, reduced, or a message."""

    index: int
    piece: Substructure

    def run(self) -> Condensed | str:
        try:
            return self.piece.reduce()
        except Exception as error:  # noqa: BLE001  told with the name of the piece
            return f"{type(error).__name__}: {error}"

    def killed(self, message: str) -> str:
        return message

    @property
    def shared(self) -> None:
        """Nothing: every piece is another."""


def reduce_by_regions(
    part: Part,
    interfaces: Sequence[str | Interface] | str | Interface,
    modes: Any = 20,
    *,
    piece_modes: Any = 40,
    degree: int = 4,
    workers: Any = 0,
    progress: bool = True,
) -> ReducedModel:
    """Reduce a part whose regions are reduced one by one, side by side if there are workers, and then coupled.

    No process holds the matrices of more than a region. Where regions meet, displacements are polynomials of the place
    (`flexmbs.reduction.substructures`): frequencies are slightly higher than those of `flexmbs.reduction.reduce`.

    Parameters
    ----------
    part : Part
        Solid elements, in two regions or more.
    interfaces : sequence of str or Interface
        Each in one region, and not where regions meet.
    modes : int or ModeSelection
        Of the whole part with its interfaces held.
    piece_modes : int or ModeSelection
        Of each region with its interfaces and cuts held.
    degree : int
        Of the polynomials where regions meet: 3 to 5 are usual. Each face costs 3 (degree + 1) (degree + 2) / 2
        coordinates.
    workers : int or dask.distributed.Client
        As for `Study.run`; every process needs the memory of the region that it reduces.
    progress : bool

    Returns
    -------
    ReducedModel

    Raises
    ------
    ModelError
        If the part cannot be cut, or an interface lies in several regions or where regions meet.
    FlexmbsError
        If a region could not be reduced.

    Examples
    --------
    >>> import flexmbs as fx
    >>> mesh = fx.meshes.box((0, 0, 0), (0.4, 0.02, 0.02), (8, 1, 1))
    >>> mesh = mesh.with_cell_set("near", lambda x: x[:, 0] < 0.2).with_cell_set("far", lambda x: x[:, 0] > 0.2)
    >>> regions = [fx.linear.Region(name, fx.elements.Hexahedron8(), fx.steel) for name in ("near", "far")]
    >>> part = fx.linear.Part(mesh, regions=regions, name="bar")
    >>> len(fx.studies.reduce_by_regions(part, ["left", "right"], modes=4, piece_modes=6, progress=False).K)
    16
    """
    pieces = cut_by_regions(part, interfaces, piece_modes, degree)
    found: dict[int, Any] = {}
    with Progress(f"reduce {part.name} by regions", progress) as shown:

        def keep(index: int, outcome: Condensed | str) -> None:
            found[index] = outcome
            shown.show(0.9 * len(found) / len(pieces), f"{len(found)} of {len(pieces)} regions")

        run_all([_Task(i, piece) for i, piece in enumerate(pieces)], keep, workers)
        failed = [f"{pieces[i].part.name!r}: {what}" for i, what in sorted(found.items()) if isinstance(what, str)]
        if failed:
            raise FlexmbsError(f"reduce_by_regions: part {part.name!r}: {'; '.join(failed)}")
        return couple(part, interfaces, [found[i] for i in range(len(pieces))], modes, part.name)
