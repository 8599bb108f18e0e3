"""Rigid bodies in the plane."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, as_number, as_turns, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import axis_rotation
from flexmbs.model.bodies.inertia import rod_mass, span
from flexmbs.model.bodies.marker import Body
from flexmbs.model.bodies.wireframe import Wireframe

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from flexmbs.core.material import Elastic
    from flexmbs.core.section import Section

__all__ = ["PlanarRigidBody"]


@dataclass(frozen=True, eq=False, init=False)
class PlanarRigidBody(Body):
    r"""A rigid body that moves in the plane z = 0.

    .. math:: m a = f, \qquad J \ddot\varphi = \tau

    with the acceleration a of the centre of mass and the angle :math:`\varphi` from the inertial to the body axis x,
    positive from x to y. Coordinates: (x, y, angle), velocities likewise.

    Parameters
    ----------
    mass : float
        [mass], positive.
    inertia : float
        Moment of inertia about z through the centre of mass [mass length^2], positive.
    position : (2,) array, default the origin
        Of the centre of mass at the start [length].
    angle : float, default 0
        At the start [rad]; may be several turns. 10 and more in whole or half numbers are taken for degrees, with a
        `flexmbs.UnitsWarning`.
    velocity : (2,) array, optional
        Of the centre of mass at the start [length/time]; at rest by default.
    angular_velocity : float, default 0
        At the start [rad/time].
    name : str
        For messages and results; must be unique in a model.
    shape : Wireframe, optional
        What is drawn.

    Raises
    ------
    ModelError
        If mass or inertia is not positive, or a number is not finite.

    Examples
    --------
    >>> crank = PlanarRigidBody.rod((0, 0), (0, 0.2), mass=0.5, name="crank")
    >>> crank.position.tolist(), round(crank.angle, 6)
    ([0.0, 0.1], 1.570796)
    >>> crank.marker_at((0, 0.2)).point.round(12).tolist()
    [0.1, 0.0, 0.0]
    """

    kind: ClassVar[str] = "planar rigid"

    mass: float
    inertia: float
    position: FloatArray
    angle: float
    velocity: FloatArray
    angular_velocity: float
    name: str
    shape: Wireframe | None

    def __init__(
        self,
        mass: float,
        inertia: float,
        position: ArrayLike = (0.0, 0.0),
        angle: float = 0.0,
        velocity: ArrayLike = (0.0, 0.0),
        angular_velocity: float = 0.0,
        name: str = "planar rigid body",
        shape: Wireframe | None = None,
    ) -> None:
        owner = f"PlanarRigidBody {as_name('PlanarRigidBody', 'name', name)!r}"
        if shape is not None and not isinstance(shape, Wireframe):
            raise ModelError(f"{owner}: shape must be a Wireframe, not {show(shape)}.")
        vars(self).update(
            {
                "mass": as_number(owner, "mass", mass, above=0.0, unit="mass"),
                "inertia": as_number(owner, "inertia", inertia, above=0.0, unit="mass length^2"),
                "position": frozen_copy(as_array(owner, "position", position, (2,), unit="length")),
                "angle": as_turns(owner, "angle", angle),
                "velocity": frozen_copy(as_array(owner, "velocity", velocity, (2,), unit="length/time")),
                "angular_velocity": as_number(owner, "angular_velocity", angular_velocity, unit="rad/time"),
                "name": name,
                "shape": shape,
            }
        )

    def __str__(self) -> str:
        return f"PlanarRigidBody {self.name!r}"

    @classmethod
    def rod(
        cls,
        start: ArrayLike,
        end: ArrayLike,
        *,
        mass: float | None = None,
        section: Section | None = None,
        material: Elastic | None = None,
        velocity: ArrayLike = (0.0, 0.0),
        angular_velocity: float = 0.0,
        name: str = "rod",
    ) -> PlanarRigidBody:
        """A straight rod between two points (2,) [length], its body axis x from the first to the second.

        Its matter is given by ``mass`` or by ``material`` and ``section``; its inertia is m L^2/12, with a section that
        of the section added (height in the plane, width along z).

        Examples
        --------
        >>> PlanarRigidBody.rod((0, 0), (2, 0), mass=3.0).inertia
        1.0
        """
        owner = f"PlanarRigidBody.rod {name!r}"
        first, last = (as_array(owner, k, p, (2,), unit="length") for k, p in (("start", start), ("end", end)))
        length = span(owner, first, last)
        m = rod_mass(owner, length, mass, section, material)
        inertia = m * length**2 / 12.0 + (0.0 if section is None else m * section.I_z / section.area)
        angle = float(np.arctan2(last[1] - first[1], last[0] - first[0]))
        shape = Wireframe([(-length / 2.0, 0.0), (length / 2.0, 0.0)], [(0, 1)])
        return cls(m, inertia, (first + last) / 2.0, angle, velocity, angular_velocity, name, shape)

    def moved(self, position: ArrayLike | None = None, angle: float | None = None) -> PlanarRigidBody:
        """This body with its centre of mass at another position [length] or at another angle [rad]."""
        return self._with(
            position=self.position if position is None else position, angle=self.angle if angle is None else angle
        )

    def with_velocity(self, velocity: ArrayLike, angular_velocity: float | None = None) -> PlanarRigidBody:
        """This body with another velocity and, if given, angular velocity at the start."""
        given = self.angular_velocity if angular_velocity is None else angular_velocity
        return self._with(velocity=velocity, angular_velocity=given)

    def with_spin(self, angular_velocity: float, about: ArrayLike | None = None) -> PlanarRigidBody:
        """This body turning [rad/time] about a point (2,) that is at rest, or about its moving centre.

        Examples
        --------
        >>> PlanarRigidBody.rod((0, 0), (2, 0), mass=1.0).with_spin(3.0, about=(0, 0)).velocity.tolist()
        [0.0, 3.0]
        """
        owner = f"with_spin of {self}"
        rate = as_number(owner, "angular_velocity", angular_velocity, unit="rad/time")
        velocity = self.velocity
        if about is not None:
            x, y = self.position - as_array(owner, "about", about, (2,), unit="length")
            velocity = rate * np.array([-y, x]) + 0.0
        return self._with(velocity=velocity, angular_velocity=rate)

    def _with(self, **changes: Any) -> PlanarRigidBody:
        """A copy with other values."""
        return PlanarRigidBody(**{f.name: getattr(self, f.name) for f in fields(self)} | changes)

    @property
    def planar(self) -> bool:
        """It moves in the plane z = 0."""
        return True

    @property
    def kinetic_energy(self) -> float:
        """At the start [force length]."""
        return float(0.5 * (self.mass * self.velocity @ self.velocity + self.inertia * self.angular_velocity**2))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return "x", "y", "angle"

    @property
    def gyration_length(self) -> float | None:
        return float(np.sqrt(12.0 * self.inertia / self.mass))

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        place = np.zeros(3)
        place[:2] = self.position
        return place, axis_rotation(2, self.angle)

    @property
    def initial_q(self) -> FloatArray:
        return np.array([*self.position.tolist(), self.angle])

    @property
    def initial_v(self) -> FloatArray:
        return np.array([*self.velocity.tolist(), self.angular_velocity])
