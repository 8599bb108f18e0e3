"""Points of substructures between their frames, which loads and sensors act at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.core.checks import frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.model.bodies.marker import Marker

if TYPE_CHECKING:
    from flexmbs.model.bodies.substructure import Substructure

__all__ = ["SubstructurePoint"]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class SubstructurePoint(Marker):
    """A point of a substructure, without an orientation; made by ``substructure.node(number)``.

    ``point (3,)``: undeformed, from the body where the substructure starts, in its axes; ``phi (3, m)``: its
    displacement by the amplitudes of the substructure.
    """

    phi: FloatArray

    def __init__(self, body: Substructure, point: FloatArray, phi: FloatArray, name: str) -> None:
        values: dict[str, Any] = {"body": body, "point": frozen_copy(point), "frame": frozen_copy(np.eye(3)),
                                  "node": None, "name": name, "phi": frozen_copy(phi)}  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def position0(self) -> FloatArray:
        origin, R = self.body.start.place  # type: ignore[union-attr]  # a substructure
        return np.asarray(origin + R @ self.point)

    def rotation0(self) -> FloatArray:
        return np.eye(3)

    @property
    def node_frame(self) -> FloatArray:
        return np.eye(3)

    @property
    def planar(self) -> bool:
        return False

    @property
    def rotates(self) -> bool:
        return False

    @property
    def spin(self) -> bool:
        return False

    def fixed_to_same(self, other: Marker) -> bool:
        """Never: all of a substructure but its frames deforms."""
        return self is other
