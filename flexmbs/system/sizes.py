"""How large a model and its bodies are: what errors of a step are compared with."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.representatives import representatives
from flexmbs.model.joints.coordinate_joint import unit_of

if TYPE_CHECKING:
    from flexmbs.system.build import Mechanics
    from flexmbs.system.coordinates import Coordinates

__all__ = [
    "body_sizes",
    "equation_sizes",
    "increment_sizes",
    "model_extent",
    "model_reach",
    "sizes_of_bodies",
    "velocity_sizes",
]


def model_extent(coordinates: Coordinates, mechanics: Mechanics) -> float:
    """Largest extent of the model in its initial configuration [length]; 0 for a single point."""
    points = [part for group in coordinates.groups for _, part in group.reaches()]
    points.append(np.array([m.position0() for m in mechanics.markers.markers]).reshape(-1, 3))
    return _extent(points)


def _extent(points: list[FloatArray]) -> float:
    """Largest extent of points (n, dim) along an axis; 0 without any."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    alike: dict[int, list[FloatArray]] = {}
    for part in points:
        if len(part):
            alike.setdefault(part.shape[1], []).append(part)
    for dim, parts in alike.items():  # few: those in the plane, those in space
        every = np.concatenate(parts)
        low[:dim] = np.minimum(low[:dim], every.min(axis=0))
        high[:dim] = np.maximum(high[:dim], every.max(axis=0))
    return max(0.0, float((high - low).max(initial=0.0)))


SMALL = 0.1
"""Extent of a mechanism over that of the model below which errors of its bodies are compared with its own."""
Sizes = list[tuple[Any, IntArray, FloatArray]]
"""Each body, its places in v and what increments there count by."""


def sizes_of_bodies(coordinates: Coordinates, length: float) -> Sizes:
    """Those of all bodies, with the ``length`` of the model."""
    return [entry for group in coordinates.groups for entry in group.sizes(length)]


def body_sizes(
    entries: Sizes, coordinates: Coordinates, mechanics: Mechanics, length: float, mass: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Number of the body of each velocity, and sum m s^2 of each body, with the diagonal of the mass (n_v,).

    ``entries``: what `sizes_of_bodies` tells.

    s is what the group of the body says (`flexmbs.system.groups.contract.BodyGroup.sizes`): the size of the model for
    translations and 1 for rotations, slopes and shapes; modes of a linear body share its mass. The size of bodies that
    nothing joins to the rest is that of their mechanism, where it is far smaller.
    """
    s, body = np.ones(len(mass)), np.zeros(len(mass), dtype=np.int64)
    number = {owner: i for i, owner in enumerate(dict.fromkeys(owner for owner, _, _ in entries))}
    for owner, dofs, size in reversed(entries):  # what bodies share belongs to the first
        s[dofs], body[dofs] = size, number[owner]
    own = _mechanism_lengths(coordinates, mechanics, entries, body, number)
    if own is not None:
        _count_by_own_lengths(s, body, coordinates, own, length, number)
    sizes = np.bincount(body, weights=mass * s**2, minlength=len(number))
    return body, np.asarray(sizes, dtype=np.float64)


def _count_by_own_lengths(
    s: FloatArray, body: IntArray, coordinates: Coordinates, own: FloatArray, length: float, number: dict[Any, int]
) -> None:
    """Sizes of the bodies of small mechanisms, into ``s (n_v,)``."""
    small = (own > 0.0) & (own < SMALL * length)
    rounded = np.where(small, np.exp2(np.ceil(np.log2(np.where(small, own, 1.0)))), 0.0)  # few different ones
    for own_length in np.unique(rounded[small]).tolist():
        for owner, dofs, size in reversed(sizes_of_bodies(coordinates, own_length)):
            if rounded[number[owner]] == own_length:
                here = body[dofs] == number[owner]
                s[dofs[here]] = size[here]


def _mechanism_lengths(
    coordinates: Coordinates, mechanics: Mechanics, entries: Sizes, body: IntArray, number: dict[Any, int]
) -> FloatArray | None:
    """Extent of the mechanism of each body [length]: of all that joints and forces join, the ground not counted.

    None where all is one mechanism, which is as large as the model, and where forces of users, contacts along bodies
    and searched contacts may join what is not known here.
    """
    if mechanics.searched or mechanics.user_offsets or mechanics.distributed_owners:
        return None
    markers = mechanics.markers
    of_row = body[markers.dof].tolist()
    owners = [set(of_row[a:b]) for a, b in pairwise(markers.ptr.tolist())]
    ends = [(t.mA, t.mB) for t in (mechanics.joints, mechanics.forces, mechanics.contacts)]
    pairs = [pair for a, b in ends for pair in zip(a.tolist(), b.tolist(), strict=True)]
    shared = (set(body[dofs].tolist()) for _, dofs, _ in entries)
    piece = representatives(len(number), [*shared, *(owners[a] | owners[b] for a, b in pairs)])
    paired = {m for pair in pairs for m in pair}
    if len(set(piece)) == 1 and all(bodies or m in paired for m, bodies in enumerate(owners)):
        return None
    points: dict[int, list[FloatArray]] = {k: [] for k in piece}
    for group in coordinates.groups:
        for owner, part in group.reaches():
            points[piece[number[owner]]].append(part)
    places = [marker.position0()[None, :] for marker in markers.markers]
    for some in (*pairs, *((m,) for m in range(len(places)))):
        for k in {piece[k] for m in some for k in owners[m]}:
            points[k] += [places[m] for m in some]
    extents = {k: _extent(part) for k, part in points.items()}
    return np.array([extents[k] for k in piece])


def velocity_sizes(entries: Sizes, coordinates: Coordinates, length: float) -> FloatArray:
    """Unit of each velocity (n_v,), times that of time: ``length`` or 1, as in `body_sizes`; infinite for states.

    States have units of their own, and nothing is compared with them.
    """
    sizes = np.ones(coordinates.n_v)
    for _, dofs, size in entries:
        sizes[dofs] = size
    first = coordinates.n_linear - len(coordinates.extra)
    sizes[first : coordinates.n_linear] = [np.inf if e.mass > 0.0 else length for e in coordinates.extra]
    return sizes


def model_reach(coordinates: Coordinates, extent: float) -> float:
    """What places count by in differences: the extent of the model; of a single point how far away it is, or 1."""
    places = coordinates.displacements
    away = np.abs(coordinates.reference[places[places < coordinates.n_linear]])
    return extent or float(away.max(initial=0.0)) or 1.0


def increment_sizes(velocities: FloatArray, coordinates: Coordinates, reach: float) -> FloatArray:
    """What increments (n_v,) are counted in where none may be left out: `velocity_sizes`, but 1 for states.

    Displacements count by the ``reach`` of the model, which is its length but of a single point.
    """
    sizes = np.where(np.isfinite(velocities), velocities, 1.0)
    sizes[coordinates.displacements] = reach
    sizes.setflags(write=False)  # all share it
    return sizes


def equation_sizes(mechanics: Mechanics, n_v: int, length: float) -> FloatArray:
    """Unit of each constraint (n_c,): ``length`` for what is one, 1 for angles and cosines, times its factor."""
    rows, markers = mechanics.joints, mechanics.markers.markers
    kind, equation, factor = rows.kind.tolist(), rows.eq.tolist(), rows.factor.tolist()
    sizes = [0.0] * len(mechanics.equations)
    for side, (begin, end) in zip(rows.mB.tolist(), pairwise(rows.ptr.tolist()), strict=True):
        for j in range(begin, end):
            unit = length if unit_of(kind[j], markers[side]) in ("length", "velocity") else 1.0
            sizes[equation[j] - n_v] = max(sizes[equation[j] - n_v], abs(factor[j]) * unit)
    return np.array([size or length for size in sizes], dtype=np.float64)
