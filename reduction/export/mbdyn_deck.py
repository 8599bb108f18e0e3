r"""A ready deck for MBDyn: a folder with the modal body (`flexmbs.reduction.export.mbdyn`) and a text that runs it.

The deck has the modal joint, a static structural node at every place that has rotations, and an eigenanalysis at the
beginning; forces and further parts are added by hand, where the comments say. With an interface as ``reference`` the
body is clamped there, with "mean" it hangs on a free modal node. Its eigenvalues, which MBDyn writes as those
:math:`\Lambda` of a step matrix, follow from :math:`\lambda = (\Lambda - 1) / (\Lambda + 1) / c` with the ``dCoef`` c
of its file.

Source: MBDyn input manual, and the public source of the modal element, whose order of keywords is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Exposed, Nodes, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.frame import FrameModes, frame_modes
from flexmbs.reduction.export.mbdyn import plain, write_mbdyn
from flexmbs.reduction.export.tables import write_tables
from flexmbs.reduction.export.written import ExportResult, placed_folder
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "write_mbdyn_deck"]

MODAL_NODE = 1_000_000
"""Label of the modal node; places have theirs from 1 on."""
PERIODS, STEPS = 20, 100
"""Of the lowest mode: how many the deck runs, and how many steps one of them has."""


def write_mbdyn_deck(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    reference: str = "mean",
    nodes: Nodes = (),
    modes: int | None = None,
) -> ExportResult:
    """Write a folder with ``body.fem`` and ``deck.mbd``, to be run there by ``mbdyn -f deck.mbd``.

    Parameters
    ----------
    model : ReducedModel
    path : path
        Of the folder; one that an export wrote is replaced with ``overwrite``.
    overwrite : bool, default False
    reference : str, default "mean"
        The interface where the body is clamped, or "mean" for a free body in mean axes.
    nodes : str or sequence, default ()
        Places beside the interfaces.
    modes : int, optional
        How many; all by default.

    Raises
    ------
    ModelError
        As `flexmbs.reduction.export.mbdyn.write_mbdyn`; or if no place has rotations, which MBDyn's nodes have.
    """
    found = frame_modes("MBDyn deck", model, reference, modes)
    places = expose(model, nodes)
    joined = np.flatnonzero(places.held.all(axis=1))
    if not len(joined):
        raise ModelError(f"MBDyn deck of {model.name!r}: no place has rotations, so that no structural node fits it.")
    with placed_folder(path, overwrite) as folder:
        fem = write_mbdyn(model, folder / "body.fem", False, reference, nodes, modes)
        losses = list(fem.losses)
        if len(joined) < len(places):
            losses.append(f"joints at {len(places) - len(joined)} places without rotations")
        lines = _lines(model, reference, found, places, joined.tolist(), losses)
        (folder / "deck.mbd").write_text("".join(line + "\n" for line in lines), encoding="ascii")
        write_tables(folder, model, places, tuple(losses))
    return ExportResult("mbdyn_deck", path, tuple(losses))


def _lines(
    model: ReducedModel, reference: str, f: FrameModes, places: Exposed, joined: list[int], losses: list[str]
) -> Iterator[str]:
    period = float(2.0 * np.pi / np.sqrt(f.values[0]))
    origin = _vector(f.origin)
    free = reference == "mean"
    yield f"# {plain(model.name)}; written by flexmbs {version()}; run by: mbdyn -f deck.mbd"
    for text in losses:
        yield f"# lost: {plain(text)}"
    yield "begin: data;"
    yield "    problem: initial value;"
    yield "end: data;"
    yield "begin: initial value;"
    yield "    initial time: 0.;"
    yield f"    final time: {PERIODS * period!r};"
    yield f"    time step: {period / STEPS!r};"
    yield "    method: ms, 0.6;"
    yield "    tolerance: 1.e-6;"
    yield "    max iterations: 20;"
    yield "    derivatives tolerance: 1.e-3;"
    yield f"    derivatives coefficient: {1e-3 * period!r};"
    tenth = float(np.sqrt(f.values[min(9, len(f.values) - 1)]))
    yield (f"    eigenanalysis: 0., parameter, {1.0 / tenth!r}, use lapack, output full matrices, output eigenvectors;")
    yield "end: initial value;"
    yield "begin: control data;"
    yield f"    structural nodes: {len(joined) + free};"
    yield "    joints: 1;"
    yield "    # forces: ..."
    yield "end: control data;"
    yield "begin: nodes;"
    if free:
        yield f"    structural: {MODAL_NODE}, modal, {origin}, eye, null, null;"
    for k in joined:
        at = _vector(places.points[k])
        yield f"    structural: {k + 1}, static, {at}, eye, null, null; # {plain(places.names[k])}"
    yield "end: nodes;"
    yield "begin: elements;"
    where = str(MODAL_NODE) if free else f"clamped, position, {origin}"
    yield f"    joint: 1, modal, {where},"
    yield f"        {len(f.values)},"
    yield "        from file,"
    yield "        damping from file,"
    yield '        "body.fem",'
    yield f"        {len(joined)}" + "".join(f',\n        "{k + 1}", {k + 1}, null' for k in joined) + ";"
    yield "    # force: ..."
    yield "end: elements;"


def _vector(x: np.ndarray) -> str:
    return ", ".join(repr(float(c)) for c in x)


FORMATS = {
    "mbdyn_deck": Format("_mbdyn", "modal joint of MBDyn with a deck that runs it", write_mbdyn_deck),
}
