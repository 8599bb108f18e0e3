"""Two points at a constant distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import DISTANCE
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.marker import as_marker
from flexmbs.model.joints.contracts import Equation, Pair, Row
from flexmbs.model.joints.sides import Side, check_different, joint_name

__all__ = ["DistanceConstraint", "distance_pair"]


@two_ended
@dataclass(frozen=True, eq=False)
class DistanceConstraint(Description):
    """A rigid, massless rod with ball joints at its ends: |p_B - p_A| = length (1 equation).

    The multiplier is the force in the rod, positive if it pulls the points together. Its coordinate is ``distance``.

    Parameters
    ----------
    a, b : Marker, Attachment of one node, or PointMass
    length : float, optional
        [length]; by default the distance at the start.
    name : str, optional
        For messages and results.

    Raises
    ------
    ModelError
        If the points coincide, the length is not positive, or a side has more than one point.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(3, -4), name="ball")
    >>> rod = fx.DistanceConstraint(fx.ground.marker((0, 0, 0)), ball)
    >>> rod.length, rod.equations[0].offset
    (5.0, 5.0)
    """

    role: ClassVar[str] = "joint"
    a: Side
    b: Side
    length: float | None = None
    name: str = ""
    pairs: tuple[Pair, ...] = field(init=False, repr=False)
    equations: tuple[Equation, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        name = joint_name("DistanceConstraint", "distance", self.name, self.a, self.b)
        owner = f"DistanceConstraint {name!r}"
        pair, now = distance_pair(owner, self.a, self.b)
        length = now if self.length is None else as_number(owner, "length", self.length, above=0.0, unit="length")
        equations = (Equation("distance", offset=length),)
        for key, value in (
            ("a", pair.a),
            ("b", pair.b),
            ("length", length),
            ("name", name),
            ("pairs", (pair,)),
            ("equations", equations),
        ):
            object.__setattr__(self, key, value)

    @property
    def coordinates(self) -> Mapping[str, Pair]:
        """``distance`` [length]."""
        return {"distance": self.pairs[0]}


def distance_pair(owner: str, a: Side, b: Side) -> tuple[Pair, float]:
    """The row of the distance of two points, and its value at the start."""
    first, second = check_different(owner, as_marker(owner, a), as_marker(owner, b))
    distance = float(np.linalg.norm(second.position0() - first.position0()))
    if distance == 0.0:
        raise ModelError(
            f"{owner}: {first} and {second} are at the same place at the start, so the direction between them is not "
            f"defined; take other points, or join them with SphericalJoint."
        )
    return Pair(first, second, (Row(DISTANCE),)), distance
