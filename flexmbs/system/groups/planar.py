"""Rigid bodies in the plane, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.planar_rigid import PLANAR_RIGID
from flexmbs.system.groups.contract import BodyGroup

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker

__all__ = ["PlanarRigidBodies"]


class PlanarRigidBodies(BodyGroup):
    """`PlanarRigidBody`: x, y and an angle, all with constant mass."""

    kind: ClassVar[str] = "planar rigid"

    @property
    def angles(self) -> IntArray:
        return np.array([span.iv + 2 for span in self.spans], dtype=np.int64)

    @property
    def diagonal(self) -> tuple[IntArray, FloatArray]:
        dofs = np.concatenate([span.places for span in self.spans])
        return dofs, np.array([m for b in self.bodies for m in (b.mass, b.mass, b.inertia)])

    def spin(self, body: Any, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.array([0.0, 0.0, body.inertia * v[self.velocities(body)[2]]])

    def carry(self, q: FloatArray, v: FloatArray) -> None:
        """A body that turns keeps its velocity in body axes."""
        for span in self.spans:
            body = span.body
            if body.angular_velocity:
                turn = q[span.iq + 2] - body.angle
                cosine, sine = np.cos(turn), np.sin(turn)
                v[span.iv : span.iv + 2] = np.array([[cosine, -sine], [sine, cosine]]) @ body.velocity

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry:
        dofs = self.velocities(marker.body)
        return MarkerEntry(PLANAR_RIGID, dofs, dofs[2:], {"s": marker.point, "R_BM": marker.frame})

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        places = self.in_q(body)
        half = 0.5 * q[:, places[2]]
        none = np.zeros_like(half)
        return np.column_stack((q[:, places[:2]], none)), np.column_stack((np.cos(half), none, none, np.sin(half)))
