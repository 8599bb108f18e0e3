"""What is on the ground and touched, in drawings: floors, drums and other shapes of contacts that no body shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.model.model import Model
from flexmbs.system.contact_pairs import contacts_of
from flexmbs.visualization.style import GREY

__all__ = ["draw_floors", "floor_lines"]

MOST = 5.0
"""Size of a drawing with a shape of the ground over that without it, up to which it is shown."""


def floor_lines(model: Model, drawn: FloatArray) -> list[FloatArray]:
    """Lines (n, 3), with gaps, of the shapes of contacts on the ground.

    ``drawn (m, 3)``: what else is shown [length], by which planes and cylinders are cut off. What would make the
    drawing larger than `MOST` times that is left out.
    """
    points = drawn[np.isfinite(drawn).all(axis=1)]
    size = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
    parts = {id(part): part for contact in contacts_of(model) for part in contact.parts if not part.along}
    found = []
    for part in parts.values():
        if not part.marker.body.is_ground or not len(points):
            continue
        p, R = part.marker.position0(), part.marker.rotation0()
        lines = p + part.outline((points - p) @ R) @ R.T
        together = np.concatenate((points, lines))
        longest = float((np.nanmax(together, axis=0) - np.nanmin(together, axis=0)).max())
        if len(lines) and (size == 0.0 or longest < MOST * size):
            found.append(lines)
    return found


def draw_floors(axes: Any, model: Model, drawn: FloatArray) -> FloatArray:
    """Draw them, behind all else; returns their points (n, 3)."""
    dim = 3 if axes.name == "3d" else 2
    found = floor_lines(model, drawn)
    for line in found:
        axes.plot(*line[:, :dim].T, color=GREY, lw=0.7, zorder=1.2)
    points = np.concatenate([np.zeros((0, 3)), *found])
    return np.asarray(points[np.isfinite(points).all(axis=1)])
