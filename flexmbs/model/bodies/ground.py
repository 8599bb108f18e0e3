"""The ground: the inertial frame as a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.rotations import IDENTITY
from flexmbs.model.bodies.marker import Body

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray

__all__ = ["Ground", "ground"]


@dataclass(frozen=True, eq=False, repr=False)
class Ground(Body):
    """The inertial frame, a body without coordinates; there is one only, `ground`.

    It counts as planar and as spatial: joints between it and planar bodies are planar.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.ground.marker_at((1, 2), axis=(0, 0, 1)).position0().tolist()
    [1.0, 2.0, 0.0]
    """

    kind: ClassVar[str] = "ground"
    collection: ClassVar[str] = ""
    is_ground: ClassVar[bool] = True
    name = "ground"

    def __new__(cls) -> Ground:
        """The one and only."""
        try:
            return ground
        except NameError:
            return super().__new__(cls)

    def __repr__(self) -> str:
        return "ground"

    def __reduce__(self) -> tuple[type[Ground], tuple[()]]:
        return Ground, ()

    @property
    def planar(self) -> bool:
        """It goes with planar and with spatial bodies."""
        return True

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(3), IDENTITY.copy()

    @property
    def initial_q(self) -> FloatArray:
        return np.zeros(0)

    @property
    def initial_v(self) -> FloatArray:
        return np.zeros(0)


ground = Ground()
"""The inertial frame: a body that never moves."""
