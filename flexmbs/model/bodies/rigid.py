"""Rigid bodies in space."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, as_number, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.rotations import RotationLike, as_rotation, to_quaternion
from flexmbs.model.bodies.inertia import as_inertia, parallel_axes
from flexmbs.model.bodies.marker import Body
from flexmbs.model.bodies.solids import Pose, Solids
from flexmbs.model.bodies.wireframe import Wireframe, joined

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike

__all__ = ["RigidBody"]


@dataclass(frozen=True, eq=False, init=False)
class RigidBody(Solids, Body):
    r"""A rigid body in space.

    .. math:: m a = f, \qquad J \dot\Omega + \Omega \times J \Omega = \tau,

    with the acceleration a of the centre of mass in inertial axes and the angular velocity :math:`\Omega`, the inertia
    J and the moment :math:`\tau` about the centre of mass in body axes. The origin of the body frame is the centre of
    mass. Coordinates: position of the centre of mass and unit quaternion (scalar first) in q; velocity (inertial axes)
    and angular velocity (body axes) in v.

    Parameters
    ----------
    mass : float
        [mass], positive.
    inertia : (3,) or (3, 3) array
        Principal moments, or the inertia tensor, about the centre of mass in body axes [mass length^2].
    position : (3,) array, default the origin
        Of the centre of mass at the start, inertial frame [length].
    rotation : (3, 3) array, (4,) array or scipy Rotation, optional
        Orientation at the start: the matrix whose columns are the body axes in inertial components, or the unit
        quaternion (w, x, y, z); by default body axes are inertial axes. Stored as a matrix.
    velocity : (3,) array, optional
        Of the centre of mass at the start, inertial axes [length/time]; at rest by default.
    angular_velocity : (3,) array, optional
        At the start, in **body** axes [rad/time]; see also `with_spin`.
    name : str
        For messages and results; must be unique in a model.
    shape : Wireframe, optional
        What is drawn.

    Raises
    ------
    ModelError
        If the mass is not positive, no body can have the inertia, the rotation is none, or a number is not finite.

    Examples
    --------
    >>> top = RigidBody(1.0, (0.2, 0.2, 0.3), angular_velocity=(0, 0.1, 50), name="top")
    >>> top.kinetic_energy
    375.001
    >>> crank = RigidBody.rod((0, 0, 0), (0.1, 0, 0), mass=0.2, name="crank")
    >>> pin = crank.marker_at((0.1, 0, 0), axis=(0, 0, 1))
    """

    kind: ClassVar[str] = "rigid"

    mass: float
    inertia: FloatArray
    position: FloatArray
    rotation: FloatArray
    velocity: FloatArray
    angular_velocity: FloatArray
    name: str
    shape: Wireframe | None

    def __init__(
        self,
        mass: float,
        inertia: ArrayLike,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: RotationLike = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        name: str = "rigid body",
        shape: Wireframe | None = None,
    ) -> None:
        owner = f"RigidBody {as_name('RigidBody', 'name', name)!r}"
        if shape is not None and not isinstance(shape, Wireframe):
            raise ModelError(f"{owner}: shape must be a Wireframe, not {show(shape)}.")
        arrays = {
            "inertia": as_inertia(owner, inertia),
            "position": as_array(owner, "position", position, (3,), unit="length"),
            "rotation": as_rotation(owner, "rotation", rotation),
            "velocity": as_array(owner, "velocity", velocity, (3,), unit="length/time"),
            "angular_velocity": as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time"),
        }
        object.__setattr__(self, "mass", as_number(owner, "mass", mass, above=0.0, unit="mass"))
        for field, array in arrays.items():
            object.__setattr__(self, field, frozen_copy(array))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "shape", shape)

    def __str__(self) -> str:
        return f"RigidBody {self.name!r}"

    @classmethod
    def _solid(cls, mass: float, inertia: ArrayLike, shape: Wireframe, name: str, pose: Pose) -> Self:
        return cls(mass, inertia, name=name, shape=shape, **pose)

    @classmethod
    def combined(cls, *bodies: RigidBody, name: str = "combined") -> RigidBody:
        """Several bodies welded into one, at rest; its body axes are inertial axes at the start.

        Examples
        --------
        >>> ends = [RigidBody.sphere(radius=0.1, mass=1.0, position=(x, 0, 0)) for x in (-1, 1)]
        >>> RigidBody.combined(*ends).inertia[2].round(12).tolist()
        [0.0, 0.0, 2.008]
        """
        owner = f"RigidBody.combined {name!r}"
        wrong = [body for body in bodies if not isinstance(body, RigidBody)]
        if wrong or not bodies:
            raise ModelError(f"{owner}: expected rigid bodies, not {show(wrong[0]) if wrong else 'nothing'}.")
        moving = [body for body in bodies if body.velocity.any() or body.angular_velocity.any()]
        if moving:
            raise ModelError(f"{owner}: {moving[0]} moves; combine bodies at rest and use with_spin afterwards.")
        mass = sum(body.mass for body in bodies)
        centre = sum((body.mass * body.position for body in bodies), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for body in bodies:
            turned = body.rotation @ body.inertia @ body.rotation.T
            inertia += parallel_axes(turned, body.mass, body.position - centre)
        shapes = [b.shape.moved(b.rotation, b.position - centre) for b in bodies if b.shape is not None]
        return cls(mass, inertia, centre, name=name, shape=joined(shapes) if shapes else None)

    def moved(self, position: ArrayLike | None = None, rotation: RotationLike = None) -> RigidBody:
        """This body with its centre of mass at another position [length] or with another orientation.

        What is not given stays. Its velocity keeps its components in inertial axes, its angular velocity in body axes.
        """
        return self._with(
            position=self.position if position is None else position,
            rotation=self.rotation if rotation is None else rotation,
        )

    def with_velocity(self, velocity: ArrayLike, angular_velocity: ArrayLike | None = None) -> RigidBody:
        """This body with another velocity (inertial axes) and, if given, angular velocity (body axes) at the start."""
        given = self.angular_velocity if angular_velocity is None else angular_velocity
        return self._with(velocity=velocity, angular_velocity=given)

    def with_spin(self, angular_velocity: ArrayLike, about: ArrayLike | None = None) -> RigidBody:
        """This body turning about a point that is at rest.

        Parameters
        ----------
        angular_velocity : (3,) array
            In **inertial** axes [rad/time].
        about : (3,) array, optional
            Inertial frame [length]. Without it the angular velocity is set and the velocity of the centre stays.

        Examples
        --------
        >>> RigidBody.rod((0, 0, 0), (2, 0, 0), mass=1.0).with_spin((0, 0, 3), about=(0, 0, 0)).velocity.tolist()
        [0.0, 3.0, 0.0]
        """
        owner = f"with_spin of {self}"
        omega = as_array(owner, "angular_velocity", angular_velocity, (3,), unit="rad/time")
        velocity = self.velocity
        if about is not None:
            velocity = np.cross(omega, self.position - as_array(owner, "about", about, (3,), unit="length"))
        return self._with(velocity=velocity, angular_velocity=self.rotation.T @ omega)

    def _with(self, **changes: Any) -> RigidBody:
        """A copy with other values."""
        return RigidBody(**{f.name: getattr(self, f.name) for f in fields(self)} | changes)

    @property
    def quaternion(self) -> FloatArray:
        """The orientation at the start as a unit quaternion (4,), scalar first."""
        return to_quaternion(self.rotation)

    @property
    def kinetic_energy(self) -> float:
        """At the start [force length]."""
        spin = self.angular_velocity @ self.inertia @ self.angular_velocity
        return float(0.5 * (self.mass * self.velocity @ self.velocity + spin))

    @property
    def gyration_length(self) -> float | None:
        """Length of the rod with the same largest radius of gyration [length]; None of a body without mass."""
        return float(np.sqrt(12.0 * float(np.max(self.inertia)) / self.mass)) if self.mass else None

    @property
    def place(self) -> tuple[FloatArray, FloatArray]:
        return self.position, self.rotation

    @property
    def initial_q(self) -> FloatArray:
        return np.concatenate((self.position, self.quaternion))

    @property
    def initial_v(self) -> FloatArray:
        return np.concatenate((self.velocity, self.angular_velocity))
