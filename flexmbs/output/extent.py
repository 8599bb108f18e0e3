"""How large the motion of a model is, and whether it stays in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.trees.flexible_link import FlexibleLink
from flexmbs.trees.tree import link_shape

if TYPE_CHECKING:
    from flexmbs.model import Model
    from flexmbs.output.poses import States
    from flexmbs.system import System

__all__ = ["extent", "stays_in_plane"]


def extent(system: System, states: States) -> float:
    """The largest of the sizes of all bodies and of the boxes of their places at some states [length]; at least > 0."""
    c, model = system.coordinates, system.model
    seen = [states.p.reshape(-1, 3)]
    for body in model.rigid_bodies:
        iq, n = c.place(body)[0], len(body.position)
        seen.append(_in_space(states.q[:, iq : iq + n]))
    for body in model.flexible_bodies:
        group, xi = system.group(body), body.natural(2)
        for q in states.q:
            points = body.element.positions(group, np.ascontiguousarray(q), xi)
            seen.append(_in_space(points.reshape(-1, points.shape[2])))
    sizes = [float(np.ptp(points, axis=0).max(initial=0.0)) for points in _shapes(model) if len(points)]
    places = np.vstack(seen)
    sizes.append(float(np.ptp(places, axis=0).max()) if len(places) else 0.0)
    return max(sizes) or 1.0


def stays_in_plane(model: Model) -> bool:
    """Whether no body of the model can leave the plane z = 0."""
    planar = [body.mesh.dim == 2 for body in model.flexible_bodies] + [len(b.position) == 2 for b in model.rigid_bodies]
    return not model.trees and not model.linear_bodies and all(planar)


def _shapes(model: Model) -> list[FloatArray]:
    """Points of the shapes of bodies, each in axes of its own."""
    found: list[Any] = [body.shape.points for body in model.rigid_bodies if getattr(body, "shape", None) is not None]
    found += [b.reduced.points for b in (*model.rigid_bodies, *model.linear_bodies) if hasattr(b, "reduced")]
    found += [part.reduced.points for part in model.substructures]
    for link in model.tree_links:
        found.append(link.link.reduced.points if isinstance(link.link, FlexibleLink) else link_shape(link)[0])
    return found


def _in_space(points: FloatArray) -> FloatArray:
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
