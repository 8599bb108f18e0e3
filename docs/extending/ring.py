"""A bead on a circular wire; an example of a user-defined joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.extend import (
    Description,
    Equation,
    Pair,
    Row,
    as_direction,
    as_marker,
    as_name,
    as_number,
    joint_frame,
)
from flexmbs.kernels.rows.rows import ALONG, DISTANCE
from flexmbs.model.joints.sides import Side


@dataclass(frozen=True, eq=False)
class BeadOnRing(Description):
    """The point of ``b`` stays on a circle of ``radius`` [length] that is fixed to ``a`` (2 equations).

    With the centre p_A of the circle and its axis z_A: z_A.d = 0 and |d| = radius, d = p_B - p_A. ``centre`` and
    ``axis`` are in the inertial frame at the start.
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    centre: Sequence[float]
    axis: Sequence[float]
    radius: float
    name: str = "ring"
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = f"BeadOnRing {as_name('BeadOnRing', 'name', self.name)!r}"
        radius = as_number(owner, "radius", self.radius, above=0.0, unit="length")
        centre = as_marker(owner, self.a, self.centre, joint_frame(as_direction(owner, "axis", self.axis, 3)))
        bead = as_marker(owner, self.b)
        rows = (Row(ALONG, (0.0, 0.0, 1.0), equation=0), Row(DISTANCE, equation=1))
        equations = (Equation("out of the plane"), Equation("distance from the centre", offset=radius))
        pairs = (Pair(centre, bead, rows),)
        for key, value in (("a", centre), ("b", bead), ("pairs", pairs), ("equations", equations)):
            object.__setattr__(self, key, value)
