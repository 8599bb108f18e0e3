"""Pairs of a shape that goes along a flexible body, and one on a marker."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from flexmbs.core.errors import AccuracyWarning, a_or_an
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.kernels.contact_laws import NONE
from flexmbs.kernels.rows.contact_rows import BOX_GAP, CAPSULE_GAP, CYLINDER_GAP, RING_GAP, SPHERE_GAP
from flexmbs.kernels.rows.rows import kind_of
from flexmbs.model.contacts.crossing import no_crossing

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.contacts.along import Along
    from flexmbs.model.contacts.contact import FrictionLaw, NormalLaw
    from flexmbs.model.contacts.shapes import Shape, ShapeRows

__all__ = ["DistributedPair", "distributed_pair", "no_distributed_pair"]

FINE = 1e-14
"""Deflections of bristles below this times the size of the body [length] are round-off of the slip velocity."""
Numbers = tuple[float, ...]


class Ends(NamedTuple):
    """What a pair connects: a marker, and a shape along a body, which has a ``body``, too."""

    a: Marker
    b: Along
    pair: Any


class DistributedPair(NamedTuple):
    """Two shapes that may touch: A on a marker, B along a body.

    ``kind, numbers``: of the row of the gap between A and a point; ``directions``: of slip, in its axes;
    ``data``: numbers of the contact as for pairs of markers, the first being the distance of B from its axis or middle
    surface; ``states``: first-order states of its friction, those of one point after the other.
    """

    a: Shape
    b: Along
    kind: int
    numbers: Numbers
    directions: tuple[Numbers, ...]
    data: Numbers
    states: tuple[ExtraCoordinate, ...]

    @property
    def ends(self) -> Ends:
        """What the pair connects."""
        return Ends(self.a.marker, self.b, self)

    def __str__(self) -> str:
        return f"{self.a} and {self.b}"


class _Place(NamedTuple):
    """A place of which only is known whether it is in the plane."""

    planar: bool


class _Probe(NamedTuple):
    """A point of the body along which a shape goes, as what is asked of a partner."""

    marker: Any
    ball_radius: float = 0.0
    rim_radius: None = None
    segment: None = None


def _rows(a: Any, b: Any) -> ShapeRows | None:
    """The rows of a shape with a point of the body of another one."""
    return a.rows_against(_Probe(_Place(b.body.planar)))  # type: ignore[no-any-return]


def no_distributed_pair(a: Shape, b: Shape) -> str:
    """Why a shape on a marker and one along a body are no pair; empty where they are one."""
    if a.along and b.along:
        return no_crossing(a, b)
    if a.along:
        a, b = b, a
    if a.marker.body is b.body:  # type: ignore[attr-defined]  # one of them goes along a body
        return "both are on the same body"
    found = _rows(a, b)
    if found is None or kind_of(found.rows[0].kind).distance is None or found.offset != 0.0:
        return f"there is no contact of {a_or_an(type(a).__name__)} and {a_or_an(type(b).__name__)}"
    return ""


def distributed_pair(
    owner: str, label: str, a: Shape, b: Any, law: NormalLaw, friction: FrictionLaw | None
) -> DistributedPair:  # fmt: skip
    """The pair of a shape on a marker and one along a body (`Along`), with its laws and states."""
    found = _rows(a, b)
    assert found is not None  # noqa: S101 - else there is a reason
    gap, *slips = found.rows
    numbers = (*gap.constants[3:6], 0.0, 0.0, 0.0)[:3]
    directions = tuple(row.constants[:3] for row in slips) if friction is not None else ()
    _warn_of_gaps(owner, a, b, gap.kind, numbers)
    data = (b.offset, *law.numbers(owner, a, b), *((float(NONE),) if friction is None else friction.numbers()))
    table = a.table_for(b, b.offset)
    if table:
        numbers, data = (float(len(data)), 0.0, 0.0), (*data, *table)
    count = 0 if friction is None else friction.states(len(directions))
    fine = FINE * max(1e-3, float(abs(b.body.mesh.points).max()))
    states = tuple(
        ExtraCoordinate(f"state {k} at point {p} of the friction of {label!r}, {a} and {b}", resolution=fine)
        for p in range(b.count if count else 0)
        for k in range(count)
    )
    return DistributedPair(a, b, gap.kind, numbers, directions, data, states)


def _warn_of_gaps(owner: str, a: Shape, b: Along, kind: int, numbers: Numbers) -> None:
    """Warn if a shape is narrower than the points of the other one are apart, between which it is not seen."""
    narrow = dict.fromkeys((SPHERE_GAP, CYLINDER_GAP, CAPSULE_GAP), numbers[0])
    narrow |= {BOX_GAP: sorted(numbers)[1], RING_GAP: numbers[1]}
    bore = kind == CYLINDER_GAP and numbers[1] < 0.0
    if kind not in narrow or bore:
        return
    reach = narrow[kind] + b.offset
    w = b.table().w
    root = 0.5 if b.body.surface else 1.0
    apart, length = float(w.max()) ** root, float(w.sum(axis=1).max()) ** root
    if apart <= reach:
        return
    unseen = "passes" if apart > 2.0 * reach else f"sinks in by up to {math.hypot(0.5 * apart, reach) - reach:.2g}"
    points = math.ceil(0.5 * math.pi * length / reach)  # the largest weight of Gauss' rule tends to pi/n
    warnings.warn(
        f"{owner}: points by which {b} touches are {apart:.3g} apart, and {a} reaches {reach:.3g} about its middle: "
        f"between two points it {unseen} unseen. Take more elements, or points={points}.",
        AccuracyWarning,
        stacklevel=6,
    )
