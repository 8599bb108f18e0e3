"""A force or a moment on one marker, dead or following it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.checks import as_array
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.wrenches import WrenchGroup
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker

__all__ = [
    "Wrench",
    "as_place",
    "check_followed",
    "in_space",
    "wrench_group",
]


@dataclass(frozen=True, eq=False)
class Wrench(Description):
    """A force F and a moment M on a marker, in inertial directions or, as a follower, in the marker's axes.

    With the marker's rotation R it adds to the sum of wrenches w = (force, moment in marker axes) of the marker, which
    enters the residual as J^T w, so with a minus sign:

        dead:      w -= (F, R^T M)        follower:  w -= (R F, M)
    """

    marker: Marker
    force: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    follower: bool = False

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The marker, in the form of what acts on several."""
        return (self.marker,)


def as_place(owner: str, value: object) -> Attachment | Marker:
    """Where a load acts: an attachment, or the marker of a body that moves."""
    if isinstance(value, Marker | Body):
        marker = as_marker(owner, value)
        if marker.body.is_ground:
            raise ModelError(f"{owner}: the ground does not move, so a load on it does nothing.")
        return marker
    return as_attachment(owner, value)


def in_space(owner: str, name: str, value: object, planar: bool, unit: str) -> FloatArray:
    """Three components; on what is planar two will do, and a third must be zero."""
    if not planar:
        return as_array(owner, name, value, (3,), unit=unit)
    given = as_array(owner, name, value, (None,), unit=unit)
    if len(given) not in (2, 3) or (len(given) == 3 and given[2] != 0.0):
        raise ModelError(f"{owner}: {name} lies in the plane: give two components, not {given.tolist()}.")
    return np.append(given[:2], 0.0)


def check_followed(owner: str, marker: Marker, direction: FloatArray) -> None:
    """Refuse a follower on a shell that has a part across its director: in marker axes ``direction (3,)``.

    Such a part would not turn about the director. On a cable it is one of the smallest rotation by description.
    """
    if marker.spin_axis is None or marker.takes_along(direction):
        return
    kind, axis, use = marker.spin_words
    if axis == "director":
        along = ", ".join(f"{x:.6g}" for x in marker.node_frame[:, 0] + 0.0)
        raise ModelError(
            f"{owner}: a node of {kind} has no rotation about its director ({along}), so only a force along that "
            f"can follow it. {use}"
        )


def wrench_group(wrenches: list[Wrench], markers: list[int], loads: list[int]) -> WrenchGroup:
    """The group of ``wrenches`` on the markers and with the load factors of the given numbers."""
    return WrenchGroup(
        np.array(markers, dtype=np.int64),
        np.array([w.force for w in wrenches], dtype=np.float64).reshape(-1, 3),
        np.array([w.moment for w in wrenches], dtype=np.float64).reshape(-1, 3),
        np.array([w.follower for w in wrenches], dtype=np.int64),
        np.array(loads, dtype=np.int64),
    )
