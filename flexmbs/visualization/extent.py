"""How large the motion of a model is, and whether it stays in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.contracts import FloatArray

if TYPE_CHECKING:
    from flexmbs.model.model import Model
    from flexmbs.system.groups import Drawing
    from flexmbs.system.system import System
    from flexmbs.visualization.poses import States

__all__ = ["extent", "stays_in_plane"]


def extent(system: System, found: list[Drawing], states: States) -> float:
    """The largest of the sizes of all that is drawn and of the boxes of its places at some states [length]; > 0."""
    seen = [states.p.reshape(-1, 3)]
    sizes = [0.0]
    for drawing in found:
        body = drawing.source
        if drawing.style == "mesh":
            group, xi = system.group(body), body.natural(2)
            for q in states.q:
                points = body.element.positions(group, np.ascontiguousarray(q), xi)
                seen.append(_in_space(points.reshape(-1, points.shape[2])))
            continue
        points = body.reduced.points if drawing.style == "reduced" else drawing.points
        if len(points):
            sizes.append(float(np.ptp(points, axis=0).max()))
        if drawing.pose is not None:
            seen.append(drawing.pose(states.q)[0])
    places = np.vstack(seen)
    sizes.append(float(np.ptp(places, axis=0).max()) if len(places) else 0.0)
    return max(sizes) or 1.0


def stays_in_plane(model: Model) -> bool:
    """Whether no body of the model can leave the plane z = 0."""
    return all(body.planar for body in model.described)


def _in_space(points: FloatArray) -> FloatArray:
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
