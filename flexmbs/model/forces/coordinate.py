"""The coordinate of a joint, or of two markers, that a spring, stop, actuator or friction acts on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError, unknown_name
from flexmbs.kernels.rows.rows import KINDS, kind_of, row_value
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.joints.contracts import Coordinates, Joint, Row
from flexmbs.model.joints.coordinate_joint import unit_of
from flexmbs.model.joints.sides import check_different

__all__ = ["Coordinate", "Place", "What", "coordinate", "start_value"]

What: TypeAlias = Literal["angle", "displacement", "distance"]
Place: TypeAlias = Joint | Coordinates | Sequence[Marker | Attachment | Body]
"""A joint, or two markers."""

ROWS = {kind.coordinate[0]: Row(kind.number, kind.coordinate[1]) for kind in KINDS if kind.coordinate}


class Coordinate(NamedTuple):
    """Two markers and the row between them; its value at the start; units of it and of its force."""

    a: Marker
    b: Marker
    row: Row
    start: float
    unit: str
    load: str


def coordinate(owner: str, on: object, what: str | None) -> Coordinate:
    """The coordinate named ``what`` of a joint (it may be left out where there is one only) or of two markers.

    Of two markers the angle is that about, the displacement that along the third axis of the first.
    """
    offered = getattr(on, "coordinates", None)
    if isinstance(offered, Mapping) and not isinstance(on, type):
        called = f"joint {getattr(on, 'name', type(on).__name__)!r}"
        if what is None and len(offered) == 1:
            (what,) = offered
        if what is None:
            has = (
                f"has the coordinates {', '.join(offered)}; say which" if offered else "has no coordinate; use markers"
            )
            raise ModelError(f"{owner}: {called} {has}.")
        if what not in offered:
            raise ModelError(f"{owner}: {unknown_name(f'coordinate of {called}', what, offered)}")
        pair = offered[what]
        a, b, row = pair.a, pair.b, pair.rows[0]
    elif isinstance(on, list | tuple) and len(on) == 2:
        a, b = check_different(owner, as_marker(owner, on[0]), as_marker(owner, on[1]))
        if what not in ROWS:
            *first, last = sorted(ROWS)
            raise ModelError(
                f"{owner}: between two markers coordinate must be {', '.join(map(repr, first))} or {last!r}, "
                f"not {show(what)}."
            )
        row = ROWS[what]
        for side, used in zip((a, b), kind_of(row.kind).uses, strict=True):
            if used and not (side.rotates and side.spin):
                raise ModelError(f"{owner}: {side} has no orientation about all axes, so there is no {what}.")
    else:
        raise ModelError(f"{owner}: expected a joint with a coordinate or two markers (a, b), not {show(on)}.")
    units = ("rad", "force length") if unit_of(row.kind, b) == "angle" else ("length", "force")
    return Coordinate(a, b, row, start_value(a, b, row), *units)


def start_value(a: Marker, b: Marker, row: Row) -> float:
    """The row in the initial configuration."""
    p: FloatArray = np.array([a.position0(), b.position0()])
    R: FloatArray = np.array([a.rotation0(), b.rotation0()])
    c = np.zeros((1, 12))
    c[0, : len(row.constants)] = row.constants
    return float(row.factor * row_value(row.kind, 0, c, np.zeros(1), 0, 1, p, R))
