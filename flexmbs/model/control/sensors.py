r"""Sensors: what a controller, an event or a table of results reads of a moving system.

A sensor is any object with ``name``, ``size`` (how many numbers it gives) and ``read(view)``. Those of flexmbs name the
markers and joints they refer to as ``markers`` and ``joints``, so that a simulation can prepare them.

With the position p, velocity v and orientation R of a marker, and p_F, v_F, R_F, and angular velocity w_F (in its own
axes) of a marker that is the frame of observation:

.. math:: p' = R_F^T (p - p_F), \qquad v' = \dot p' = R_F^T (v - v_F) - w_F \times p'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from flexmbs.core.checks import as_direction, as_name, frozen_copy, has_shape, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.sensing import ACCELERATION, ANGULAR_VELOCITY, DISTANCE, POSITION, VELOCITY
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.frames import as_point
from flexmbs.model.bodies.marker import Body, Marker, as_marker
from flexmbs.model.control.calling import as_values, call
from flexmbs.model.control.sensed import Places, Sensed

if TYPE_CHECKING:
    from flexmbs.model.control.view import View

__all__ = [
    "AccelerationSensor",
    "AngularVelocitySensor",
    "DistanceSensor",
    "PositionSensor",
    "Scalar",
    "Sensor",
    "VelocitySensor",
    "as_sensors",
    "read_sensor",
]

Direction = Sequence[float] | FloatArray | None


class Sensor(Protocol):
    """What a controller needs of a sensor."""

    @property
    def name(self) -> str:
        """For messages and results."""

    @property
    def size(self) -> int:
        """How many numbers it gives."""

    def read(self, view: View) -> float | FloatArray:
        """A number, or an array (size,)."""


@dataclass(frozen=True, eq=False)
class _VectorSensor(Description):
    """What sensors of a vector of a marker share: all of it, or its component along a direction."""

    marker: Marker
    direction: Direction = None
    frame: Marker | None = None
    name: str = ""
    what: ClassVar[str] = ""
    number: ClassVar[int] = POSITION
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        owner = type(self).__name__ + (f" {as_name(type(self).__name__, 'name', self.name)!r}" if self.name else "")
        object.__setattr__(self, "marker", _seen(owner, self.marker))
        label = f"{self.what} of {self.marker}"
        if self.direction is not None:
            dim = 2 if has_shape(self.direction, (2,)) else 3
            direction = np.zeros(3)
            direction[:dim] = as_direction(owner, "direction", self.direction, dim)
            object.__setattr__(self, "direction", frozen_copy(direction))
            label += f" along ({', '.join(f'{c:.4g}' for c in direction)})"
        if self.frame is not None:
            object.__setattr__(self, "frame", _seen(owner, self.frame))
            _check_axes(owner, "frame", self.frame)
            label += f" seen from {self.frame}"
        object.__setattr__(self, "name", self.name or label)

    @property
    def size(self) -> int:
        return 3 if self.direction is None else 1

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (self.marker,) if self.frame is None else (self.marker, self.frame)

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        frame = -1 if self.frame is None else places.marker(self.frame)
        return Sensed(
            what=self.number, a=places.marker(self.marker), b=frame, direction=self.direction,
            gravity=getattr(self, "gravity", (0.0, 0.0, 0.0)),
        )  # fmt: skip

    def read(self, view: View) -> float | FloatArray:
        vector = self._vector(view)
        return vector if self.direction is None else float(np.asarray(self.direction) @ vector)

    def _vector(self, view: View) -> FloatArray:
        raise NotImplementedError


class PositionSensor(_VectorSensor):
    """Position of a marker, or its component along a direction.

    Parameters
    ----------
    marker : Marker, Attachment of one node, or a body, which stands for its centre of mass
    direction : (3,) or (2,) sequence, optional
        Of the component, in inertial axes, or in those of ``frame``; without it the sensor gives three numbers.
    frame : Marker or body, optional
        From which it is observed: position relative to its point, in its axes. By default the inertial frame.
    name : str, optional

    Raises
    ------
    ModelError
        If there is no such marker, the direction is zero, or the axes of the frame have no meaning.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> fx.control.PositionSensor(ball, direction=(0, 1), name="height").size
    1
    """

    what = "position"

    def _vector(self, view: View) -> FloatArray:
        p = view.position(self.marker)
        if self.frame is None:
            return p
        return np.asarray(view.rotation(self.frame).T @ (p - view.position(self.frame)))


class VelocitySensor(_VectorSensor):
    """Velocity of the point of a marker, or its component along a direction.

    Parameters
    ----------
    marker, direction, frame, name
        As for `PositionSensor`. Seen from a frame it is the rate of the position seen from that frame.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> fx.control.VelocitySensor(ball).size
    3
    """

    what = "velocity"
    number = VELOCITY

    def _vector(self, view: View) -> FloatArray:
        v = view.twist(self.marker)[:3]
        if self.frame is None:
            return v
        R, seen = view.rotation(self.frame), view.twist(self.frame)
        p = R.T @ (view.position(self.marker) - view.position(self.frame))
        return np.asarray(R.T @ (v - seen[:3]) - np.cross(seen[3:], p))


@dataclass(frozen=True, eq=False)
class AccelerationSensor(_VectorSensor):
    """Acceleration of the point of a marker with respect to the inertial frame, as an accelerometer has it.

    Parameters
    ----------
    marker, direction, name
        As for `PositionSensor`.
    frame : Marker, optional
        Whose axes are used (only the axes; the marker itself for an instrument mounted there). By default inertial.
    gravity : (3,) sequence, default zero
        Gravity [length/time^2], inertial axes, subtracted as in an instrument: at rest it reads -gravity. Two
        components suffice for what is planar.

    Notes
    -----
    Limit: at a sample time the acceleration is the one before the held forces jump.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> fx.control.AccelerationSensor(ball, direction=(0, 1, 0), gravity=(0, -9.81, 0), name="accelerometer").size
    1
    """

    gravity: Sequence[float] | FloatArray = (0.0, 0.0, 0.0)
    what: ClassVar[str] = "acceleration"
    number: ClassVar[int] = ACCELERATION

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, flat = f"AccelerationSensor {self.name!r}", self.marker.planar
        gravity = as_point(owner, "gravity", self.gravity, flat, "length/time^2")
        object.__setattr__(self, "gravity", frozen_copy(gravity))

    def _vector(self, view: View) -> FloatArray:
        a = view.acceleration(self.marker) - np.asarray(self.gravity)
        return a if self.frame is None else np.asarray(view.rotation(self.frame).T @ a)


class AngularVelocitySensor(_VectorSensor):
    """Angular velocity of a marker with respect to the inertial frame, as a gyroscope has it.

    Parameters
    ----------
    marker, direction, name
        As for `PositionSensor`.
    frame : Marker, optional
        Whose axes are used (only the axes), such as a marker on the ground. By default those of ``marker`` itself.

    Raises
    ------
    ModelError
        Also where the marker has no orientation, or its spin has no meaning.

    Examples
    --------
    >>> import flexmbs as fx
    >>> wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    >>> fx.control.AngularVelocitySensor(wheel.centre, direction=(0, 0, 1), name="spin").size
    1
    """

    what = "angular velocity"
    number = ANGULAR_VELOCITY

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = f"AngularVelocitySensor {self.name!r}"
        if not self.marker.rotates:
            raise ModelError(f"{owner}: {self.marker} has no orientation, so it has no angular velocity.")
        _check_axes(owner, "marker", self.marker)

    def _vector(self, view: View) -> FloatArray:
        w = view.twist(self.marker)[3:]
        if self.frame is None:
            return w
        return np.asarray(view.rotation(self.frame).T @ (view.rotation(self.marker) @ w))


@two_ended
@dataclass(frozen=True, eq=False)
class DistanceSensor(Description):
    """Distance of two markers, or its rate.

    Parameters
    ----------
    a, b : Marker, Attachment of one node, or a body, which stands for its centre of mass
    rate : bool, default False
    name : str, optional

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> fx.control.DistanceSensor(fx.ground.marker((0, 0, 0)), ball, name="length").size
    1
    """

    a: Marker
    b: Marker
    rate: bool = False
    name: str = ""
    size: ClassVar[int] = 1
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for side in ("a", "b"):
            object.__setattr__(self, side, _seen("DistanceSensor", getattr(self, side)))
        name = self.name or f"{'rate of the ' if self.rate else ''}distance of {self.a} and {self.b}"
        object.__setattr__(self, "name", as_name("DistanceSensor", "name", name))

    @property
    def markers(self) -> tuple[Marker, ...]:
        return (self.a, self.b)

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        return Sensed(what=DISTANCE, a=places.marker(self.a), b=places.marker(self.b), rate=self.rate)

    def read(self, view: View) -> float:
        d = view.position(self.b) - view.position(self.a)
        length = float(np.linalg.norm(d))
        if not self.rate:
            return length
        if length == 0.0:
            raise ModelError(
                f"{self.a} and {self.b} are at the same place, where the rate of the distance is not defined."
            )
        return float(d @ (view.twist(self.b)[:3] - view.twist(self.a)[:3])) / length


class Scalar(Description):
    """What sensors of one number that need no marker share."""

    name: str
    size: ClassVar[int] = 1
    markers: ClassVar[tuple[Marker, ...]] = ()

    def _named(self, default: str) -> None:
        object.__setattr__(self, "name", as_name(type(self).__name__, "name", self.name or default))


def read_sensor(sensor: Sensor, view: View) -> FloatArray:
    """What a sensor reads as an array (size,), checked; an error names the sensor and the time."""
    owner, what = f"sensor {sensor.name!r}", f"the reading at t = {view.t:g}"
    return as_values(owner, what, call(owner, what, sensor.read, view), sensor.size)


def as_sensors(owner: str, sensors: object) -> tuple[Sensor, ...]:
    """One or several sensors as a tuple, checked."""
    items = tuple(sensors) if isinstance(sensors, list | tuple) else (sensors,)
    for item in items:
        size = getattr(item, "size", None)
        ok = isinstance(size, int) and size > 0 and isinstance(getattr(item, "name", None), str)
        if isinstance(item, type) or not ok or not callable(getattr(item, "read", None)):
            raise ModelError(
                f"{owner}: expected a sensor such as PositionSensor(marker), with name, size and read(view), "
                f"not {show(item)}."
            )
    return items


def _seen(owner: str, value: object) -> Marker:
    """A marker; of a body the one at its centre of mass."""
    return value.centre if isinstance(value, Body) and not isinstance(value, type) else as_marker(owner, value)


def _check_axes(owner: str, what: str, marker: Marker | None) -> None:
    """Refuse a marker whose axes have no meaning."""
    if marker is not None and marker.rotates and not marker.spin:
        kind, axis, _ = marker.spin_words
        raise ModelError(
            f"{owner}: the axes of {what} {marker} have no meaning, since the spin of {kind} about its {axis} has "
            f"none; take a marker on another body, or inertial axes."
        )
