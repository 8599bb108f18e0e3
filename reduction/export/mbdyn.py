r"""MBDyn's modal joint: a text file (.fem) of record groups with nodes, modes and inertia.

Groups: 1 header; 2 labels of the places; 5 to 7 their coordinates in the frame of the modal node; 8 modes; 9, 10 and 13
modal mass, stiffness and damping; 12 mass, centre of mass and inertia tensor about it; 14 to 18 the invariants

.. math:: I_3 = \int\phi_k, \quad I_4 = \int r\times\phi_k, \quad I_8 = -\int\tilde r\tilde\phi_k, \quad
          I_5 = \int\phi_j\times\phi_k, \quad I_9 = \int\tilde\phi_j\tilde\phi_k ,

with which the inertia of the deformed body is complete to first order (I_9: second). Group 11, lumped masses of nodes,
is left out: it stands for the same and would need all nodes. Versions of MBDyn before groups 14 to 18 read the rest.

Source: MBDyn input manual, modal element, and the element's public source.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.info import version
from flexmbs.reduction.export.exposed import Exposed, Nodes, expose
from flexmbs.reduction.export.format import Format
from flexmbs.reduction.export.frame import FrameModes, frame_modes
from flexmbs.reduction.export.written import ExportResult, left_out, placed
from flexmbs.reduction.model import ReducedModel

__all__ = ["FORMATS", "plain", "write_mbdyn"]


def write_mbdyn(
    model: ReducedModel,
    path: Path,
    overwrite: bool = False,
    reference: str = "mean",
    nodes: Nodes = (),
    modes: int | None = None,
) -> ExportResult:
    """Write a modal body.

    Parameters
    ----------
    model : ReducedModel
    path : path
    overwrite : bool, default False
    reference : str, default "mean"
        Where the modal node is: the name of an interface, or "mean" for the centre of mass and mean axes.
    nodes : str or sequence, default ()
        Places beside the interfaces.
    modes : int, optional
        How many; all by default.

    Raises
    ------
    ModelError
        If the inertia is not exact, the reference does not fit, or there is no place.
    """
    found = frame_modes("MBDyn file", model, reference, modes)
    places = expose(model, nodes)
    if not len(places):
        raise ModelError(f"MBDyn file of {model.name!r}: it has no interface and no further place.")
    losses = left_out(model)
    if places.without_rotation:
        losses.append(f"rotations of {places.without_rotation} places, which have none")
    with placed(path, overwrite) as part, part.open("w", encoding="ascii") as stream:
        stream.writelines(line + "\n" for line in _lines(model, reference, found, places, losses))
    return ExportResult("mbdyn", path, tuple(losses))


def _lines(model: ReducedModel, reference: str, f: FrameModes, places: Exposed, losses: list[str]) -> Iterator[str]:
    n = len(f.values)
    i = f.inertia
    yield f"** {plain(model.name)}; modal node: {plain(reference)}; written by flexmbs {version()}"
    yield "** units: " + (plain(", ".join(f"{k} {v}" for k, v in model.units.items())) or "not said")
    for k, name in enumerate(places.names):
        yield f"** node {k + 1}: {plain(name)}"
    for text in losses:
        yield f"** lost: {text}"
    yield "** RECORD GROUP 1, HEADER"
    yield "**   REVISION, NODES, NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES"
    yield f"   REV0 {len(places)} {n} 0 0 0"
    yield "** RECORD GROUP 2, FINITE ELEMENT NODE LIST"
    yield " ".join(str(k + 1) for k in range(len(places)))
    for group, axis in enumerate("XYZ", 5):
        yield f"** RECORD GROUP {group}, NODAL {axis} COORDINATES"
        yield from map(_number, places.points[:, group - 5] - f.origin[group - 5])
    yield "** RECORD GROUP 8, MODE SHAPES"
    shapes = places.shapes @ f.shapes  # (e, 6, n)
    for k in range(n):
        yield f"** NORMAL MODE SHAPE # {k + 1}"
        yield from _rows(shapes[:, :, k])
    yield "** RECORD GROUP 9, MODAL MASS MATRIX"
    yield from _rows(np.eye(n))
    yield "** RECORD GROUP 10, MODAL STIFFNESS MATRIX"
    yield from _rows(np.diag(f.values))
    yield "** RECORD GROUP 12, MASS, CENTRE OF MASS, INERTIA ABOUT IT"
    yield _number(i.mass)
    yield from _rows(i.centre[None])
    yield from _rows(i.central_tensor)
    yield "** RECORD GROUP 13, MODAL DAMPING MATRIX"
    yield from _rows(f.damping)
    P, Q, R = np.asarray(i.P), np.asarray(i.Q), np.asarray(i.R)
    one = np.eye(3)
    # a~ b~ = b a^T - (a . b) 1, rows p and columns q
    inv8 = one[:, :, None] * np.einsum("aak->k", Q) - np.swapaxes(Q, 0, 1)
    inv9 = R.transpose(1, 0, 2, 3) - one[:, :, None, None] * np.einsum("aajk->jk", R)
    yield "** RECORD GROUP 14, INVARIANT 3"
    yield from _rows(P)
    yield "** RECORD GROUP 15, INVARIANT 4"
    yield from _rows(np.asarray(i.rotation))
    yield "** RECORD GROUP 16, INVARIANT 8"
    yield from _rows(np.moveaxis(inv8, 2, 1).reshape(3, 3 * n))
    yield "** RECORD GROUP 17, INVARIANT 5"
    yield from _rows(i.gyroscopic().reshape(3, n * n))
    yield "** RECORD GROUP 18, INVARIANT 9"
    yield from _rows(inv9.transpose(0, 2, 3, 1).reshape(3, 3 * n * n))
    yield "** END OF FILE"


def _rows(A: FloatArray) -> Iterator[str]:
    for row in A:
        yield " ".join(map(_number, row))


def _number(value: float) -> str:
    return f"{value:.17g}"


def plain(text: str) -> str:
    """A line of a comment."""
    return " ".join(text.encode("ascii", "replace").decode().split())[:100]


FORMATS = {
    "mbdyn": Format(".fem", "modal joint of MBDyn", write_mbdyn),
}
