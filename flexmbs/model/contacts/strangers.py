"""Shapes of one contact that go through each other, because there is no contact between what they are."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations_with_replacement
from typing import Any

__all__ = ["instead", "warn_of_strangers"]

MOST = 3
"""Pairs that the warning names."""


def instead(*shapes: Any) -> str:
    """What to give in the place of shapes, as a sentence; empty if nothing is known."""
    told = dict.fromkeys(shape.substitutes for shape in shapes if shape.substitutes)
    return f" Give {' and '.join(told)} on the same body as well." if told else ""


def warn_of_strangers(owner: str, parts: Sequence[Any], why_not: Callable[[Any, Any], str]) -> None:
    """Warn of bodies whose shapes have no contact with each other, though none of them is a mere point or rim.

    A shape is left out where another one on its body takes its place, as the corners of a box do. So are two planes,
    and two cylinders, tubes or skins, which have no end or go along bodies: drums beside each other are usual.
    ``why_not(a, b)``: why there is no contact of two shapes, empty where there is.
    """
    bodies: dict[Hashable, dict[Hashable, Any]] = {}
    for part in parts:
        place = part.body if part.along else part.marker.body
        key: Hashable = "ground" if place.is_ground else id(place)
        bodies.setdefault(key, {}).setdefault((type(part), part.ball_radius == 0.0, part.rim_radius is None), part)
    alike: dict[Hashable, list[dict[Hashable, Any]]] = {}
    for key, shapes in bodies.items():
        alike.setdefault((key == "ground", frozenset(shapes)), []).append(shapes)
    found: list[tuple[Any, Any]] = []
    for one, other in combinations_with_replacement(alike.values(), 2):
        if one is not other or len(one) > 1:
            found += _between(one[0], other[-1], why_not)
    if not found:
        return
    pairs = "; ".join(f"{a} and {b}" for a, b in found[:MOST])
    more = f"; and {len(found) - MOST} more kinds of pairs" if len(found) > MOST else ""
    warnings.warn(
        f"{owner}: there is no contact between these, which go through each other: {pairs}{more}."
        f"{instead(*(shape for pair in found for shape in pair))} If that is meant, name those that touch in pairs=.",
        UserWarning,
        stacklevel=4,
    )


def _between(
    one: dict[Hashable, Any], other: dict[Hashable, Any], why_not: Callable[[Any, Any], str]
) -> list[tuple[Any, Any]]:
    """Shapes of two bodies that have no contact with any shape of the other body."""
    meets = {(i, k): not why_not(a, b) for i, a in enumerate(one.values()) for k, b in enumerate(other.values())}
    found = []
    for i, a in enumerate(one.values()):
        for k, b in enumerate(other.values()):
            alone = not any(meets[i, m] for m in range(len(other))) and not any(meets[m, k] for m in range(len(one)))
            if alone and _is_solid(a) and _is_solid(b) and not (a.reach is b.reach is None and type(a) is type(b)):
                found.append((a, b))
    return found


def _is_solid(shape: Any) -> bool:
    """Whether it has a surface: all but points and thin rims."""
    return shape.ball_radius != 0.0 and shape.rim_radius is None
