"""Reference conditions of floating frames: which shapes of a reduced model are the deformation, and which the frame.

The shapes are modes of the reduced model, mass-normalised: the elastic ones of the free part for mean axes, those with
six conditions C q = 0 for a frame that is fixed to an interface or that follows a chord. So a basis may contain rigid
motions, as all of free parts do: they are among the modes for mean axes, of frequency zero, and left out, and the six
conditions exclude them otherwise. What is left over, as a part that comes apart, is refused, and a part that is held by
its own stiffness, too (`flexmbs.reduction.free_parts`).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.core.field_terms import meant
from flexmbs.model.bodies.frames import frame_along
from flexmbs.reduction.free_parts import check_free
from flexmbs.reduction.interfaces import Frame
from flexmbs.reduction.model import ReducedModel

__all__ = ["shapes_in_frame"]

RIGID = 1e-6
"""Squared frequencies below this part of the first elastic one belong to rigid motions."""
ONE_PLACE = 1e-6
"""Distance relative to the size of the body below which two places are one."""


def shapes_in_frame(
    owner: str, reduced: ReducedModel, reference: str | tuple[str, str | int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mass-normalised shapes (n, m) in reduced coordinates, their angular frequencies, and the origin of the frame."""
    assert reduced.inertia is not None  # noqa: S101  # checked before
    check_free(owner, reduced)
    if isinstance(reference, tuple | list) and len(reference) == 2:
        return _chord(owner, reduced, *reference)
    if not isinstance(reference, str):
        raise ModelError(
            f"{owner}: reference must be 'mean', the name of an interface or a pair of places, not {show(reference)}."
        )
    if reference == "mean":
        values, vectors = reduced.modes()
        rigid = values < RIGID * values[min(6, len(values) - 1)]
        if rigid.sum() != 6 or rigid[6:].any():
            raise ModelError(
                f"{owner}: a frame of mean axes needs a free part with six rigid motions, but its reduced model has "
                f"{int(rigid.sum())}; take the name of an interface as reference."
            )
        return vectors[:, 6:], np.sqrt(values[6:]), reduced.inertia.centre
    names = [frame.name for frame in reduced.frames]
    if reference not in names:
        unknown = unknown_name("interface", reference, names)
        raise ModelError(f"{owner}: {unknown} A frame of mean axes is 'mean'.{meant('reference', reference)}")
    frame = _held(owner, reduced, reference)
    values, vectors = reduced.modes(reference)
    _check_held(owner, values, f"interface {reference!r} is held")
    return vectors, np.sqrt(values), np.asarray(frame.origin)


def _chord(
    owner: str, reduced: ReducedModel, first: str, second: str | int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same for a frame along a chord."""
    frame = _held(owner, reduced, first)
    if isinstance(second, str):
        end = _held(owner, reduced, second)
        there, rows = np.asarray(end.origin), np.zeros((6, reduced.size))
        rows[end.component, end.coordinates] = 1.0
        rows = rows[:3]
    else:
        dofs = reduced.dofs.of(as_count(owner, "node", second))
        dofs = dofs[np.isin(reduced.dofs.component[dofs], (0, 1, 2))]
        if len(dofs) != 3:
            raise ModelError(f"{owner}: node {second} of its reference has no displacements.")
        there, rows = reduced.points[second], np.asarray(reduced.shapes[dofs.min() : dofs.max() + 1])[dofs - dofs.min()]
    along = there - frame.origin
    if np.linalg.norm(along) <= ONE_PLACE * float(np.ptp(reduced.points, axis=0).max()):
        raise ModelError(f"{owner}: the two places of its reference are one.")
    axes = frame_along(owner, along, None, False)  # the third axis is along the chord
    here = np.zeros((6, reduced.size))
    here[frame.component, frame.coordinates] = 1.0
    conditions = np.vstack((here[:3], axes[:, :2].T @ rows, axes[:, 2] @ here[3:]))
    free = linalg.null_space(conditions / np.linalg.norm(conditions, axis=1, keepdims=True))
    try:
        values, vectors = linalg.eigh(free.T @ reduced.K @ free, free.T @ reduced.M @ free)
    except linalg.LinAlgError:
        raise reduced.no_inertia(np.arange(reduced.size)) from None
    _check_held(owner, values, "the chord of its reference is held")
    return free @ vectors, np.sqrt(values), np.asarray(frame.origin)


def _held(owner: str, reduced: ReducedModel, name: str) -> Frame:
    """An interface with a frame."""
    frame = reduced.frame(name)
    if len(frame.coordinates) != 6:
        raise ModelError(
            f"{owner}: interface {name!r} has {len(frame.coordinates)} coordinates; a frame is fixed to a rigid "
            f"or averaged interface, which has 6."
        )
    return reduced.joined(name)


def _check_held(owner: str, values: FloatArray, condition: str) -> None:
    """Refuse a part that has rigid motions left."""
    if len(values) and not values[0] > 1e-12 * values[-1]:
        raise ModelError(f"{owner}: the part can move freely when {condition}.")
