"""One part of a moving picture: a surface, how it is placed over time, and how it changes its shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.rotations import to_quaternion
from flexmbs.visualization.faces_of_shapes import Faces
from flexmbs.visualization.poses import States, matrices

__all__ = ["Modal", "MovingPart", "fitted", "placed", "poses"]

MOST_FITTED = 400
"""Points that a rigid motion is fitted to, about."""


class Modal(NamedTuple):
    """Displacements linear in coordinates: ``first`` one in q, ``shapes (n, 3, m)`` at the points of the surface.

    ``stress (s, n_c, m)`` has stresses by the same coordinates, ``names (n_c,)`` what they are, and ``stressed (s,)``
    at which points; at some there may be several, at others none.
    """

    first: IntArray
    shapes: FloatArray
    stress: FloatArray | None = None
    names: tuple[str, ...] = ()
    stressed: IntArray | None = None


@dataclass(frozen=True, eq=False)
class MovingPart:
    """A surface that moves.

    Attributes
    ----------
    name, kind : str
        Kind: body, joint, spring, bar or ground.
    faces : Faces
        Undeformed, in axes of the part.
    place : function, optional
        From `States` to poses (n, 10): position, unit quaternion, scale; left out for what is not moved.
    modal : Modal, optional
    shape : function, optional
        From `States` to all points (n, n_p, 3) in axes of the part; of bodies whose shape is not linear in q.
    held : bool
        Whether supports keep it from moving as a whole.
    """

    name: str
    kind: str
    faces: Faces
    place: Callable[[States], FloatArray] | None = None
    modal: Modal | None = None
    shape: Callable[[States], FloatArray] | None = None
    held: bool = False

    def local(self, states: States) -> FloatArray:
        """Points (n, n_p, 3) in axes of the part."""
        if self.shape is not None:
            return self.shape(states)
        base = self.faces.points[None]
        if self.modal is None:
            return np.broadcast_to(base, (len(states.q), *base.shape[1:]))
        eta = states.q[:, self.modal.first]
        shapes = self.modal.shapes
        return np.asarray(base + (eta @ shapes.reshape(-1, shapes.shape[2]).T).reshape(len(eta), -1, 3))

    def world(self, states: States) -> FloatArray:
        """Points (n, n_p, 3) in the inertial frame."""
        return self.local(states) if self.place is None else placed(self.local(states), self.place(states))


def poses(position: FloatArray, quaternion: FloatArray | None = None, scale: FloatArray | None = None) -> FloatArray:
    """Poses (n, 10) of positions (n, 3), without turning and with scale 1 unless given."""
    out = np.tile([0.0, 0, 0, 1, 0, 0, 0, 1, 1, 1], (len(position), 1))
    out[:, : position.shape[1]] = position
    if quaternion is not None:
        out[:, 3:7] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    if scale is not None:
        out[:, 7:] = scale
    return out


def fitted(base: FloatArray, points: FloatArray) -> FloatArray:
    """Rigid motions (n, 7), position and quaternion, that take points (n_p, 3) closest to others (n, n_p, 3).

    Least squares by singular values (Kabsch 1976).
    """
    some = slice(None, None, max(1, len(base) // MOST_FITTED))
    at, to = base[some].mean(axis=0), points[:, some].mean(axis=1)
    H = np.einsum("pa,tpb->tab", base[some] - at, points[:, some] - to[:, None])
    U, _, Vt = np.linalg.svd(H)
    proper = np.ones((len(points), 3))
    proper[:, 2] = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    R = np.einsum("tba,tb,tcb->tac", Vt, proper, U)
    return np.column_stack((to - R @ at, [to_quaternion(turn) for turn in R]))


def placed(points: FloatArray, pose: FloatArray) -> FloatArray:
    """Points (n, n_p, 3) scaled, turned and moved by poses (n, 10)."""
    return np.asarray(pose[:, None, :3] + np.einsum("tab,tpb->tpa", matrices(pose[:, 3:7]), points * pose[:, None, 7:]))
