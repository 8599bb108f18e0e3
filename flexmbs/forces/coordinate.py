"""The coordinate of a joint, or of two markers, that a spring, stop, actuator or friction acts on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from flexmbs.bodies.marker import Body, Marker, as_marker
from flexmbs.body import Attachment
from flexmbs.core.checks import show
from flexmbs.core.errors import ModelError
from flexmbs.joints.contracts import Joint, Pair, Row
from flexmbs.joints.rows import ALONG, ANGLE, DISTANCE, row_gradient, row_value

__all__ = ["Coordinate", "Place", "What", "coordinate"]

What: TypeAlias = Literal["angle", "translation", "distance"]
Place: TypeAlias = Joint | Sequence[Marker | Attachment | Body]
"""A joint, or two markers."""

ROWS = {"angle": Row(ANGLE), "translation": Row(ALONG, (0.0, 0.0, 1.0)), "distance": Row(DISTANCE)}
UNITS = {"angle": ("rad", "force length"), "translation": ("length", "force"), "distance": ("length", "force")}


class Coordinate(NamedTuple):
    """Two markers and the row between them; its value at the start; units of it and of its force."""

    a: Marker
    b: Marker
    row: Row
    start: float
    unit: str
    load: str


def coordinate(owner: str, on: object, what: str | None) -> Coordinate:
    """Angle about or translation along the third axis of the first marker, or distance.

    Of a joint the coordinate it leaves free is taken where there is one; ``what`` decides where there are several, and
    for two markers.
    """
    if what is not None and what not in ROWS:
        raise ModelError(f"{owner}: coordinate must be 'angle', 'translation' or 'distance', not {show(what)}.")
    pairs = getattr(on, "pairs", None)
    if isinstance(pairs, tuple) and pairs and not isinstance(on, type):
        pair = pairs[0]
        a, b = pair.a, pair.b
        what = _free(f"{owner} on joint {getattr(on, 'name', '')!r}", pair) if what is None else what
    elif isinstance(on, list | tuple) and len(on) == 2:
        a, b = as_marker(owner, on[0]), as_marker(owner, on[1])
        if what is None:
            raise ModelError(f"{owner}: between two markers give coordinate='angle', 'translation' or 'distance'.")
    else:
        raise ModelError(f"{owner}: expected a joint or two markers (a, b), not {show(on)}.")
    _check_frames(owner, what, a, b)
    p, R, c = _poses(a, b, ROWS[what])
    start = row_value(ROWS[what].kind, 0, c, np.zeros(1), 0, 1, p, R)
    unit, load = UNITS[what]
    return Coordinate(a, b, ROWS[what], float(start), unit, load)


def _free(owner: str, pair: Pair) -> What:
    """What the rows of a pair leave free about or along the third axis of its first marker."""
    G = np.zeros((1, 12))
    turns, slides = True, True
    for row in pair.rows:
        p, R, c = _poses(pair.a, pair.b, row)
        row_gradient(row.kind, 0, c, np.zeros(1), 0, 1, p, R, G, 0)
        turns &= abs(G[0, 9:] @ R[1].T @ R[0][:, 2]) < 1e-9
        slides &= abs(G[0, 6:9] @ R[0][:, 2]) < 1e-9
    if turns == slides:
        raise ModelError(
            f"{owner}: it leaves {'both the angle and the translation' if turns else 'neither angle nor translation'} "
            f"of its axis free; give coordinate='angle' or 'translation'."
        )
    return "angle" if turns else "translation"


def _check_frames(owner: str, what: str, a: Marker, b: Marker) -> None:
    """Refuse angles and directions of what has no orientation."""
    for side in (a, b) if what == "angle" else (a,) if what == "translation" else ():
        if not (side.rotates and side.spin):
            raise ModelError(f"{owner}: {side} has no orientation about all axes, so there is no {what}.")


def _poses(a: Marker, b: Marker, row: Row) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions and orientations of both markers at the start, and the constants of a row."""
    p = np.array([a.position0(), b.position0()])
    R = np.array([a.rotation0(), b.rotation0()])
    c = np.zeros((1, 12))
    c[0, : len(row.constants)] = row.constants
    return p, R, c
