"""Point masses, in the plane and in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, as_number, frozen_copy, has_shape
from flexmbs.core.contracts import FloatArray
from flexmbs.model.bodies.marker import Body

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["PointMass"]


@dataclass(frozen=True, eq=False, init=False)
class PointMass(Body):
    """A mass at a point, without orientation: m a = f.

    Parameters
    ----------
    mass : float
        [mass], positive.
    position : (2,) or (3,) array
        At the start [length]. Two components make it a planar body, which stays in z = 0.
    velocity : array of as many components, optional
        At the start [length/time]; at rest by default.
    name : str
        For messages and results; must be unique in a model.

    Raises
    ------
    ModelError
        If a value is out of bounds, not finite, or of a wrong shape.

    Examples
    --------
    >>> ball = PointMass(2.0, position=(1, 0), velocity=(0, 3), name="ball")
    >>> ball.planar, ball.centre.position0().tolist()
    (True, [1.0, 0.0, 0.0])
    """

    kind: ClassVar[str] = "point mass"

    mass: float
    position: FloatArray
    velocity: FloatArray
    name: str

    def __init__(
        self, mass: float, position: ArrayLike, velocity: ArrayLike | None = None, name: str = "point mass"
    ) -> None:
        owner = f"PointMass {as_name('PointMass', 'name', name)!r}"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "mass", as_number(owner, "mass", mass, above=0.0))
        dim = 2 if has_shape(position, (2,)) else 3
        place = as_array(owner, "position", position, (dim,), unit="length")
        speed = np.zeros(dim) if velocity is None else as_array(owner, "velocity", velocity, (dim,), unit="length/time")
        object.__setattr__(self, "position", frozen_copy(place))
        object.__setattr__(self, "velocity", frozen_copy(speed))

    def __str__(self) -> str:
        return f"PointMass {self.name!r}"

    @property
    def planar(self) -> bool:
        """Whether it moves in the plane z = 0 only."""
        return len(self.position) == 2

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return ("x", "y", "z")[: len(self.position)]

    @property
    def rotates(self) -> bool:
        """It has no orientation."""
        return False

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        origin = np.zeros(3)
        origin[: len(self.position)] = self.position
        return origin, np.eye(3)

    @property
    def initial_q(self) -> FloatArray:
        return self.position.copy()

    @property
    def initial_v(self) -> FloatArray:
        return self.velocity.copy()

    def moved(self, position: ArrayLike) -> PointMass:
        """This mass at another position [length], with the same velocity."""
        return PointMass(self.mass, position, self.velocity, self.name)

    def with_velocity(self, velocity: ArrayLike) -> PointMass:
        """This mass with another velocity at the start [length/time]."""
        return PointMass(self.mass, self.position, velocity, self.name)
