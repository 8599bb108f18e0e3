"""Rotations that a body takes for small ones, and how far they are right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray

if TYPE_CHECKING:
    from flexmbs.model.bodies.shaped import ShapedBody

__all__ = ["AS_A_WHOLE", "LIMIT", "LinearTurn", "of_interfaces", "of_nodes"]

LIMIT = 0.25
"""Turn [rad] up to which displacements that are linear in forces are right to some 3 %.

Of a cantilever with a force at its end the deflection is 2.8 % too large there, and 10 % at 0.5 rad, with or without
geometric stiffening, which mends the shortening (1.6 % of the length).
"""


class LinearTurn(NamedTuple):
    """The place of a body that turns farthest in each of some states.

    ``angles (n_t,)`` [rad] against its frame, or where it is described if it has none; ``what`` is linear, and
    ``advice``.
    """

    body: Any
    places: list[str]
    angles: FloatArray
    what: str
    advice: str


def of_nodes(body: Any, rotations: FloatArray) -> LinearTurn:
    """Of elements with small ``rotations (n_t, n_nodes, 1 or 3)``."""
    size = np.linalg.norm(rotations, axis=2)
    farthest = size.argmax(axis=1)
    advice = "Take elements for large rotations: ANCFCable2D in the plane, ANCFBeam or GeometricallyExactBeam in space"
    return LinearTurn(body, [f"node {i}" for i in farthest], size.max(axis=1), f"{body.element.name} elements", advice)


WITHIN = (
    "Cut the part into several, each with a frame of its own (SubstructuredBeam), or take elements for large rotations"
)
"""What helps a part that bends far in a frame that moves with it."""
AS_A_WHOLE = "Take a FloatingBody, whose frame turns with it, or where it bends as far, elements for large rotations"
"""What helps a part at a fixed place."""


def of_interfaces(body: ShapedBody, eta: FloatArray, advice: str = WITHIN) -> Iterator[LinearTurn]:
    """Of shapes with the coordinates ``eta (n_t, m)``, at interfaces; none of a body without such that turn."""
    faces = [face for face in body.reduced.frames if len(face.coordinates) == 6]
    if not faces or not body.modes:
        return
    rows: list[IntArray] = [face.coordinates[face.component >= 3] for face in faces]
    turns = np.einsum("tm,fam->tfa", eta, np.array([body.basis[row] for row in rows]))
    size = np.linalg.norm(turns, axis=2)
    farthest = size.argmax(axis=1)
    yield LinearTurn(
        body, [f"interface {faces[i].name!r}" for i in farthest], size.max(axis=1), "the shapes of the part",
        advice,
    )  # fmt: skip
