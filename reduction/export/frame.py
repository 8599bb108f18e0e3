"""Modes of a reduced model in a floating frame, as formats of flexible multibody dynamics take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.reduction.free_parts import check_free
from flexmbs.reduction.inertia import InertiaInvariants
from flexmbs.reduction.model import ReducedModel

__all__ = ["FrameModes", "frame_modes"]

RIGID = 1e-6
"""Squared frequencies below this part of the first elastic one belong to rigid motions."""


class FrameModes(NamedTuple):
    """Mass-normalised modes in a frame.

    ``values (n,)`` squared angular frequencies; ``shapes (m, n)`` in reduced coordinates; ``origin (3,)`` of the frame
    in the mesh; ``inertia`` about it; ``damping (n, n)``.
    """

    values: FloatArray
    shapes: FloatArray
    origin: FloatArray
    inertia: InertiaInvariants
    damping: FloatArray


def frame_modes(what: str, model: ReducedModel, reference: str, modes: int | None) -> FrameModes:
    """Modes of a model in the frame of an interface, or in mean axes.

    Parameters
    ----------
    what : str
        The format, for messages.
    model : ReducedModel
        With exact inertia.
    reference : str
        Name of the interface that the frame is fixed to (tangent frame), or "mean": centre of mass and mean axes.
    modes : int or None
        How many; all by default.

    Raises
    ------
    ModelError
        If there is no exact inertia, its own stiffness holds the part, the reference does not fit, or there are fewer
        modes.
    """
    owner = f"{what} of {model.name!r}"
    if model.inertia is None or not model.inertia.exact:
        raise ModelError(
            f"{owner}: its reduced model has no exact inertia invariants; reduce a Part, or operators whose mass "
            "matrix is the same for x, y and z."
        )
    check_free(owner, model)
    values, Phi, origin = _shapes(owner, model, model.inertia.centre, reference)
    kept = len(values) if modes is None else as_count(owner, "modes", modes, minimum=1)
    if kept > len(values):
        raise ModelError(f"{owner}: {kept} modes were asked for, but there are {len(values)}.")
    values, Phi = values[:kept], Phi[:, :kept]
    D = np.zeros((kept, kept)) if model.D is None else Phi.T @ model.D @ Phi
    return FrameModes(values, Phi, origin, model.inertia.transformed(Phi).about(origin), 0.5 * (D + D.T))


def _shapes(
    owner: str, model: ReducedModel, centre: FloatArray, reference: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Squared frequencies, mass-normalised shapes (m, n) and the origin of the frame."""
    if not isinstance(reference, str):
        raise ModelError(f"{owner}: reference must be 'mean' or the name of an interface, not {show(reference)}.")
    if reference == "mean":
        values, vectors = model.modes()
        rigid = values < RIGID * values[min(6, len(values) - 1)]
        if int(rigid.sum()) != 6 or rigid[6:].any():
            raise ModelError(f"{owner}: mean axes need a free part with six rigid motions; it has {int(rigid.sum())}.")
        return values[6:], vectors[:, 6:], centre
    frame = model.frame(reference)
    if len(frame.coordinates) != 6 or len(np.unique(frame.node)) != 1:
        raise ModelError(f"{owner}: interface {reference!r} is of kind 'nodes' and holds no frame.")
    values, vectors = model.modes(reference)
    if not len(values) or values[0] <= 0.0:
        raise ModelError(f"{owner}: it can move although interface {reference!r} is held.")
    return values, vectors, np.asarray(frame.origin)
