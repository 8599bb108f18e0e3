"""The two sides of a joint: markers from what a user names, and what a marker cannot carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from flexmbs.core.checks import as_name, frozen_copy
from flexmbs.core.errors import ModelError
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.model.bodies.attachment import Attachment, as_attachment
from flexmbs.model.bodies.flexible import FlexibleBody
from flexmbs.model.bodies.frames import as_axis, as_point
from flexmbs.model.bodies.marker import Body, Marker, as_marker, joint_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.joints.contracts import Pair, Row

__all__ = [
    "Side",
    "as_sides",
    "check_carried",
    "check_different",
    "check_parallel",
    "joint_name",
    "place_of",
]

Side: TypeAlias = Body | FlexibleBody | Attachment | Marker
"""What may be named as a side of a joint; a flexible body by one of its nodes."""

ALONG_Z = frozen_copy(joint_frame((0.0, 0.0, 1.0)))
"""The frame (3, 3) of the axis by default."""


def as_sides(
    owner: str,
    a: Side,
    b: Side,
    at: ArrayLike | None = None,
    axis: ArrayLike | None = None,
    *,
    needs_axis: bool = True,
    planar_axis: bool = True,
    anywhere: bool = False,
) -> tuple[Marker, Marker]:
    """The markers of a joint whose frames coincide at the start, third axis along ``axis``.

    Two markers are taken as they are. If one is a marker, the other gets its point and frame. Otherwise both are put to
    ``at`` with the frame of ``axis``; a node or a point mass says itself where it is. If ``planar_axis``, the axis is
    z by default where both sides are planar; if not ``needs_axis``, it is not used; if ``anywhere``, the point may be
    missing.
    """
    if isinstance(a, Marker) or isinstance(b, Marker):
        if at is not None or axis is not None:
            raise ModelError(
                f"{owner}: at and axis are not used with a marker, which has its own point and frame; leave them out, "
                f"or name the bodies instead of the marker."
            )
        if not isinstance(a, Marker):
            a = as_marker(owner, a, *_pose(b))
        elif not isinstance(b, Marker):
            b = as_marker(owner, b, *_pose(a))
        return check_different(owner, a, as_marker(owner, b))
    flat = _planar(owner, a) and _planar(owner, b)
    point = _common_point(owner, a, b, anywhere) if at is None else as_point(owner, "at", at, flat, "length")
    frame = ALONG_Z
    if needs_axis:
        if axis is None and not (flat and planar_axis):
            raise ModelError(f"{owner}: axis is missing; give its direction in the inertial frame, such as (0, 0, 1).")
        frame = ALONG_Z if axis is None else joint_frame(as_axis(owner, "axis", axis, flat))
    return check_different(owner, *(_put(owner, side, point, frame) for side in (a, b)))


def _put(owner: str, side: Side, point: FloatArray | None, frame: FloatArray) -> Marker:
    """The marker of a side at a point that was looked at."""
    if isinstance(side, Body) and point is not None:
        return side.framed(point, frame)
    return as_marker(owner, side, point, frame)


def joint_name(cls: str, word: str, name: str, *sides: Side) -> str:
    """The name that was given, or one of the word and the sides: "revolute of crank and end of rope"."""
    if not isinstance(name, str) or name:
        return as_name(cls, "name", name)
    return f"{word} of {' and '.join(dict.fromkeys(_called(side) for side in sides))}"


def check_different(owner: str, a: Marker, b: Marker) -> tuple[Marker, Marker]:
    """Refuse sides that cannot move against each other."""
    if a.fixed_to_same(b):
        raise ModelError(f"{owner}: both sides are on {a.where}, so there is nothing to join; name two bodies.")
    return a, b


def check_carried(owner: str, pairs: tuple[Pair, ...]) -> None:
    """Refuse rows that use an orientation which a marker does not have."""
    for pair in pairs:
        if pair.a.spin and pair.b.spin:  # which have everything
            continue
        for row in pair.rows:
            for marker, needs in zip((pair.a, pair.b), _needs(row), strict=True):
                _check_carries(owner, marker, needs)


def check_parallel(owner: str, a: Marker, b: Marker, frames: bool = False) -> None:
    """Refuse third axes more than a right angle apart at the start, with ``frames`` whole frames."""
    if not (a.rotates and b.rotates):
        return
    C = a.rotation0().T @ b.rotation0()
    if C[2, 2] < 0.0:
        raise ModelError(
            f"{owner}: the third axes of {a} and {b} point in opposite directions at the start; reverse one."
        )
    if frames and np.trace(C) < 1.0:
        angle = np.degrees(np.arccos(np.clip(0.5 * (np.trace(C) - 1.0), -1.0, 1.0)))
        raise ModelError(
            f"{owner}: the frames of {a} and {b} are to stay parallel, but are {angle:.3g} degrees apart at the start; "
            f"give parallel frames, or name the bodies with at=..."
        )


def place_of(owner: str, side: Side) -> FloatArray | None:
    """Where a node or a point mass is at the start; None for what has many points."""
    if isinstance(side, Attachment):
        return as_marker(owner, side).position0()
    if isinstance(side, Body) and not side.rotates:
        return side.place[0]
    return None


def _pose(marker: Side) -> tuple[FloatArray, FloatArray]:
    """Position and orientation of a marker at the start."""
    assert isinstance(marker, Marker)  # noqa: S101  # the callers know
    return marker.position0(), marker.rotation0()


def _planar(owner: str, side: Side) -> bool:
    """Whether a side moves in the plane; refuses what is no side."""
    if isinstance(side, Body):
        return side.planar
    if isinstance(side, Attachment):
        as_attachment(owner, side, single=True)
    return as_marker(owner, side).planar  # refuses, with a message, what is no place


def _common_point(owner: str, a: Side, b: Side, anywhere: bool) -> FloatArray | None:
    """The place of the side that has one only, b first."""
    for side in (b, a):
        point = place_of(owner, side)
        if point is not None:
            return point
    if not anywhere:
        return None  # as_marker says what is missing
    last = b if isinstance(b, Body) and b.name != "ground" else a
    assert isinstance(last, Body)  # noqa: S101  # attachments have a place
    return last.place[0]


def _called(side: Side) -> str:
    """A side by its body, and by its node where it is on one."""
    if isinstance(side, Attachment):
        return f"{side.label} of {side.body.name}"
    if isinstance(side, Marker):
        return side.body.name if side.node is None else f"node {side.node} of {side.body.name}"
    return str(getattr(side, "name", type(side).__name__))


def _needs(row: Row) -> tuple[FloatArray | bool, FloatArray | bool]:
    """What a row uses of the orientations of A and B: nothing (False), one direction (3,), or all (True)."""
    c = np.array(row.constants, dtype=float)
    known: dict[str, FloatArray | bool] = {"": False, "first": c[:3], "second": c[3:6], "z": np.array([0.0, 0.0, 1.0])}
    a, b = kind_of(row.kind).uses
    return known.get(a, True), known.get(b, True)


def _check_carries(owner: str, marker: Marker, needs: FloatArray | bool) -> None:
    """Refuse a marker without the orientation that is needed."""
    if needs is False:
        return
    if not marker.rotates:
        raise ModelError(
            f"{owner}: {marker} has no orientation, which this joint needs on that side. A point can take part in "
            f"SphericalJoint and DistanceConstraint, and be side b of PointOnLineConstraint and PointOnPlaneConstraint."
        )
    if marker.spin_axis is None:
        return
    if needs is True or not marker.takes_along(np.asarray(needs)):
        along = ", ".join(f"{x:.6g}" for x in marker.node_frame[:, 0] + 0.0)
        kind, vector, _ = marker.spin_words
        edges = "; fasten_edge and hinge_edge hold edges" if vector == "director" else ""
        raise ModelError(
            f"{owner}: {marker} is on {kind}, whose spin about its {vector} has no meaning, but "
            f"this joint needs it. Its nodes carry SphericalJoint, DistanceConstraint, and RevoluteJoint or "
            f"CylindricalJoint with the axis along its {vector} ({along}), which hold its direction too{edges}."
        )
