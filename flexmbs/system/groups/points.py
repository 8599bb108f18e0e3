"""Point masses, compiled: the simplest kind of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.kernels.markers.kind import MarkerEntry
from flexmbs.kernels.markers.points import POINT
from flexmbs.system.groups.contract import BodyGroup

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker

__all__ = ["PointMasses"]


class PointMasses(BodyGroup):
    """`PointMass`, in the plane and in space: a position, with constant mass."""

    kind: ClassVar[str] = "point mass"

    def marker_entry(self, marker: Marker, point: bool) -> MarkerEntry:
        dofs = self.velocities(marker.body)
        return MarkerEntry(POINT, dofs, dofs[:0], {"o": np.zeros(3), "R_BM": marker.frame})
