"""A bead on a circular wire; an example of a joint of one's own."""

from __future__ import annotations

from dataclasses import dataclass

import flexmbs as fx
from flexmbs.bodies.marker import as_marker, joint_frame
from flexmbs.core.checks import as_direction, as_name, as_number
from flexmbs.joints.contracts import Equation, Pair, Row
from flexmbs.joints.rows import ALONG, DISTANCE


@dataclass(frozen=True, eq=False)
class BeadOnRing:
    """The point of ``b`` stays on a circle of ``radius`` [length] that is fixed to ``a`` (2 equations).

    With the centre p_A of the circle and its axis z_A: z_A.d = 0 and |d| = radius, d = p_B - p_A. ``centre`` and
    ``axis`` are in the inertial frame at the start.
    """

    a: object
    b: object
    centre: tuple[float, ...]
    axis: tuple[float, ...]
    radius: float
    name: str = "ring"

    def __post_init__(self) -> None:
        owner = f"BeadOnRing {as_name('BeadOnRing', 'name', self.name)!r}"
        as_number(owner, "radius", self.radius, above=0.0, unit="length")
        as_direction(owner, "axis", self.axis, 3)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        centre = as_marker(self.name, self.a, self.centre, joint_frame(self.axis))
        bead = as_marker(self.name, self.b)
        rows = (Row(ALONG, (0.0, 0.0, 1.0), equation=0), Row(DISTANCE, equation=1))
        return (Pair(centre, bead, rows),)

    @property
    def equations(self) -> tuple[Equation, ...]:
        return (Equation("out of the plane of the ring"), Equation("distance from the centre", offset=self.radius))
