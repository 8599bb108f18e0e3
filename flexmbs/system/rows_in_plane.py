"""Which rows between planar markers depend on what: constraints that cannot change in the plane are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.identity import IdentityMap
from flexmbs.kernels.rows.rows import kind_of, row_gradient

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.joints.contracts import Joint, Pair, Row
    from flexmbs.model.model import Model

__all__ = ["note_ends", "vanishes"]

VANISHING = 1e-12
_TURNS = ((0.0, 0.0), (0.3, -0.7), (-1.1, 0.45))
"""Angles of the two sides at which rows are sampled [rad]."""


def vanishes(model: Model, joint: Joint, pair: Pair, row: Row) -> bool:
    """Whether a row between planar markers cannot change; refuses one that is violated for good."""
    samples = [_sample(pair.a, pair.b, row, turn) for turn in _TURNS]
    size = max(1.0, float(np.abs(pair.a.position0()).max()), float(np.abs(pair.b.position0()).max()))
    if max(float(reach.max()) for _, reach in samples) > VANISHING:
        return False
    if abs(samples[0][0]) > 1e-9 * size:
        raise ModelError(
            f"Model {model.name!r}: {joint.equations[row.equation].label!r} of joint {joint.name!r} can never be met: "
            f"its sides are planar and not in one plane (off by {samples[0][0]:.3g}); move one of them."
        )
    return True


def note_ends(a: Marker, b: Marker, rows: tuple[Row, ...], turning: IdentityMap[Marker, bool]) -> None:
    """Enter both ends of a pair into ``turning``, and whether their orientation counts."""
    turning.setdefault(a, False)
    turning.setdefault(b, False)
    flat = a.planar and b.planar
    for row in rows:
        kind = kind_of(row.kind)
        if kind.turns and not (flat and _constant(a, b, row)):
            turning[a] = True
            if kind.uses[1]:
                turning[b] = True


def _constant(a: Marker, b: Marker, row: Row) -> bool:
    """Whether a row between planar markers depends on no coordinate at all."""
    return max(float(_sample(a, b, row, turn)[1].max()) for turn in _TURNS) <= VANISHING


def _sample(a: Marker, b: Marker, row: Row, angles: tuple[float, float]) -> tuple[float, FloatArray]:
    """Value and gradient of a row between planar markers moved in the plane."""
    p, R, G = np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((1, 12))
    for i, (marker, angle) in enumerate(zip((a, b), angles, strict=True)):
        turn = 0.0 if marker.body.is_ground or not marker.rotates else angle
        spin = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
        p[i] = marker.position0() + (0.0 if marker.body.is_ground else np.array([angle, 2 * angle, 0.0]))
        R[i] = spin @ marker.rotation0()
    c = np.zeros((1, 12))
    c[0, : len(row.constants)] = row.constants
    value = row_gradient(row.kind, 0, c, np.zeros(1), 0, 1, p, R, G, 0)
    reach = np.zeros(12)
    for i, marker in enumerate((a, b)):
        if marker.body.is_ground:
            continue
        reach[6 * i : 6 * i + 2] = np.abs(G[0, 6 * i : 6 * i + 2])
        if marker.rotates:
            reach[6 * i + 3] = abs(G[0, 6 * i + 3 : 6 * i + 6] @ R[i][2])  # spin about the inertial z
    return value, reach
