"""How large a model and its bodies are: what errors of a step are compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmbs.bodies.floating import FloatingBody
from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.coordinates import Coordinates
    from flexmbs.mechanics.build import Mechanics

__all__ = ["body_sizes", "model_length"]


def model_length(coordinates: Coordinates, mechanics: Mechanics) -> float:
    """Largest extent of the model in its initial configuration [length]; 1 for a single point."""
    points = [b.mesh.points for b in coordinates.bodies]
    points += [b.position[None, :] for b in coordinates.rigid]
    points += [b.position + b.reduced.points @ b.rotation.T for b in coordinates.rigid if isinstance(b, FloatingBody)]
    points += [b.position + b.reduced.points @ b.rotation.T for b in coordinates.linear]
    points += [link.place[0][None, :] for t in coordinates.trees for link in t.tree.bodies]
    points += [m.position0()[None, :] for m in mechanics.markers.markers]
    ends = np.array([[f(p[:, c]) for p in points if p.shape[1] > c] or [0.0] for c in range(3) for f in (min, max)],
                    dtype=object)  # fmt: skip
    extent = max(float(max(ends[2 * c + 1]) - min(ends[2 * c])) for c in range(3))
    return extent if extent > 0.0 else 1.0


def body_sizes(coordinates: Coordinates, mass: FloatArray, length: float) -> tuple[IntArray, FloatArray]:
    """Number of the body of each velocity, and sum m s^2 of each body, with the diagonal of the mass (n_v,).

    s is the size of the model for translations and 1 for rotations, slopes and shapes; modes of a linear body share its
    mass.
    """
    c = coordinates
    s, body = np.ones(len(mass)), np.zeros(len(mass), dtype=np.int64)
    s[c.displacements] = length
    for n, dofs in reversed(list(enumerate(c.node_dofs))):
        body[dofs.ravel()] = n
    for n, (rigid, (_, iv)) in enumerate(zip(c.rigid, c.places, strict=True), len(c.node_dofs)):
        body[iv : iv + len(rigid.initial_v)] = n
        if isinstance(rigid, FloatingBody):
            body[c.modal[id(rigid)] : c.modal[id(rigid)] + rigid.modes] = n
    for item in c.extra:
        start = getattr(item.owner, "start", None)
        for n, rigid in enumerate(c.rigid, len(c.node_dofs)):
            if rigid is start:  # inner mode of a substructure, an amplitude of displacement
                s[c.extra_place(item)], body[c.extra_place(item)] = length, n
    for n, linear in enumerate(c.linear, len(c.node_dofs) + len(c.rigid)):
        own = c.modal[id(linear)] + np.arange(linear.modes)
        s[own], body[own] = length * np.sqrt(linear.mass / linear.modes), n
    for n, tree in enumerate(c.trees, len(c.node_dofs) + len(c.rigid) + len(c.linear)):
        body[tree.unknowns] = n
    count = len(c.node_dofs) + len(c.rigid) + len(c.linear) + len(c.trees)
    sizes = np.bincount(body, weights=mass * s**2, minlength=count)
    return body, np.asarray(sizes, dtype=np.float64)
