"""Rigid bodies in space, compiled: frames with constant mass, gyroscopic forces, markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.rotations import from_quaternion
from flexmbs.core.sparsity import Blocks
from flexmbs.kernels.inertia import RigidGroup, gyroscopic_force, gyroscopic_tangent
from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.rigid import RIGID
from flexmbs.system.groups.contract import BodyGroup
from flexmbs.system.groups.drawing import Drawing
from flexmbs.system.groups.inertia import InertiaStage
from flexmbs.system.groups.spans import Section

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.system.coordinates import Coordinates

__all__ = ["FRAME_NAMES", "RigidBodies", "carried", "frame_marker"]

FRAME_NAMES = ("x", "y", "z", "rotation about body x", "rotation about body y", "rotation about body z")
"""What the velocities of a frame are called."""

SPIN = 1e-9
"""Velocities along the spin, and turns across it, up to which a body counts as spinning about a point."""


class RigidBodies(BodyGroup):
    """`RigidBody`, and `SectionFrame`, which is one without inertia of its own."""

    kind: ClassVar[str] = "rigid"
    section: ClassVar[Section] = Section.FRAMES

    def names(self, body: Any) -> tuple[str, ...]:
        return FRAME_NAMES

    def compile(self, coordinates: Coordinates, b1: int) -> int:
        dofs = np.array([span.places[3:] for span in self.spans])
        J = np.ascontiguousarray([b.inertia for b in self.bodies])
        group = RigidGroup(dofs, b1, J)
        self.blocks, self.mass = (Blocks(dofs, b1),), J.ravel()
        self.stages = (InertiaStage("rigid bodies", group, gyroscopic_force, gyroscopic_tangent, on_markers=False),)
        return b1 + J.size

    def spin(self, body: Any, q: FloatArray, v: FloatArray) -> FloatArray:
        (span,) = self.spans_of(body)
        return np.asarray(from_quaternion(q[span.in_q[3:]]) @ (body.inertia @ v[span.places[3:]]))

    def carry(self, q: FloatArray, v: FloatArray) -> None:
        for span in self.spans:
            carried(span.body, q[span.in_q], v[span.iv : span.iv + 3])

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry:
        (span,) = self.spans_of(marker.body)
        return frame_marker(span.places, span.iq, self.rotation_number(span.iv), marker.point, marker.frame)

    def pose(self, body: Any, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        (span,) = self.spans_of(body)
        return q[:, span.in_q[:3]], q[:, span.in_q[3:]]

    def drawing(self, body: Any) -> Drawing | None:
        """A frame without mass is part of the substructures that end in it."""
        return super().drawing(body) if body.mass else None


def frame_marker(dofs: IntArray, iq: int, rot: int, point: Any, frame: FloatArray) -> MarkerEntry:
    """The entry of a marker that is fixed to a frame with coordinates from ``iq`` on in q."""
    return MarkerEntry(RIGID, dofs, dofs[3:], {"qi": iq, "rot": rot, "s": point, "R_BM": frame})


def carried(body: Any, pose: FloatArray, velocity: FloatArray) -> None:
    """Turn the ``velocity (3,)`` of a body that spins about a point, its velocity across its angular velocity.

    It keeps spinning about that point if ``pose (7,)`` turns it about the same direction; others keep theirs in
    inertial axes.
    """
    turn = from_quaternion(pose[3:]) @ body.rotation.T
    omega = body.rotation @ body.angular_velocity
    rate, speed = float(np.linalg.norm(omega)), float(np.linalg.norm(body.velocity))
    along = np.abs(turn @ omega - omega).max() <= 1e-6 * rate
    if rate > 0.0 and along and abs(omega @ body.velocity) <= SPIN * rate * speed:
        velocity[:] = turn @ body.velocity
