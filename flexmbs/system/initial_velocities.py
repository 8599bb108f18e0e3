"""Initial velocities of flexible bodies that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.model.model import Model
    from flexmbs.system.coordinates import Coordinates

__all__ = ["refuse_contradictions"]

SAME = 1e-9
"""Difference of velocities, relative to the largest one, that is round-off."""


def refuse_contradictions(model: Model, coordinates: Coordinates, q: FloatArray) -> None:
    """Refuse items that give one velocity different values, of which the last one would hold.

    They may be of one body, or of two that share nodes by a hinge.
    """
    known, giver = np.full(coordinates.n_v, np.nan), np.zeros(coordinates.n_v, dtype=np.int64)
    for number, item in enumerate(model.initial):
        own = np.full(coordinates.n_v, np.nan)  # what is written shows
        item.velocity_field(coordinates.node_dofs[coordinates.index(item.body)], q, own)
        given = np.isfinite(own)
        both = np.flatnonzero(given & np.isfinite(known))
        size = max(np.abs(x[both]).max(initial=0.0) for x in (own, known))
        wrong = both[np.abs(own[both] - known[both]) > SAME * size]
        if len(wrong):
            first = model.initial[giver[wrong[0]]]
            raise ModelError(
                f"Model {model.name!r}: {_told(first, item)} differ: a velocity of {known[wrong[0]]:.6g} by one is "
                f"{own[wrong[0]]:.6g} by the other. Give one InitialVelocity of a body, with both velocity= and "
                f"angular_velocity=, and the same at nodes that bodies share."
            )
        known[given], giver[given] = own[given], number


def _told(first: object, second: object) -> str:
    """Two initial velocities in words."""
    names = [repr(x.body.name) for x in (first, second)]  # type: ignore[attr-defined]
    if names[0] == names[1]:
        return f"the two initial velocities of {names[0]}"
    return f"the initial velocities of {names[0]} and {names[1]} at a node that they share"
