"""Sensors made of functions and of other sensors: any function of the view, and noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from flexmbs.core.checks import as_count, as_name, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.core.user_calls import of_the_package
from flexmbs.model.control.calling import as_function, as_values
from flexmbs.model.control.reference import References, as_references, is_steady, reference_at
from flexmbs.model.control.sensed import Places, Sensed
from flexmbs.model.control.sensors import Sensor, as_sensors, read_sensor

if TYPE_CHECKING:
    from flexmbs.model.bodies.marker import Marker
    from flexmbs.model.control.view import View

__all__ = ["FunctionSensor", "NoisySensor"]


@dataclass(frozen=True, eq=False)
class FunctionSensor(Description):
    """Any function of time and view.

    Parameters
    ----------
    function : function (t, view) -> float or (size,) array
        It must not remember anything: it is called at sample times, and by events also at times that are given up. So
        that the model can be converted (`to_relative_coordinates`), it gets the markers it asks for as arguments:
        ``functools.partial(function, marker)``, or an object with fields, a `flexmbs.extend.Description`.
    size : int, default 1
    markers : sequence of Marker, default none
        Those the function asks the view for.
    name : str

    Raises
    ------
    ModelError
        If the function cannot be called; when read, if it fails or does not give ``size`` finite numbers.

    Examples
    --------
    >>> import math
    >>> import flexmbs as fx
    >>> arm = fx.ground.marker((1, 0, 0), name="arm")
    >>> fx.control.FunctionSensor(lambda t, view: math.hypot(*view.position(arm)), markers=(arm,), name="radius").size
    1
    """

    function: Callable[[float, View], float | FloatArray]
    size: int = 1
    markers: tuple[Marker, ...] = ()
    name: str = "function"
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"FunctionSensor {as_name('FunctionSensor', 'name', self.name)!r}"
        as_function(owner, "function", self.function, "(t, view)")
        object.__setattr__(self, "size", as_count(owner, "size", self.size, minimum=1))
        if not isinstance(self.markers, list | tuple):
            raise ModelError(f"{owner}: markers must be a sequence of markers, not {show(self.markers)}.")
        object.__setattr__(self, "markers", tuple(self.markers))

    def read(self, view: View) -> FloatArray:
        return as_values(f"FunctionSensor {self.name!r}", "its value", self.function(view.t, view), self.size)


@dataclass(frozen=True, eq=False)
class NoisySensor(Description):
    """A sensor with an error added to what it reads, such as noise or a bias.

    Parameters
    ----------
    sensor : Sensor
    noise : `WhiteNoise`, `BandNoise`, function of time or number, or one per component
        Components that share a noise object have the same noise.
    name : str, optional

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.NoisySensor(fx.control.JointSensor("hinge"), fx.control.WhiteNoise(1e-3, period=0.01, seed=4)).name
    "coordinate of joint 'hinge' with noise"
    """

    sensor: Sensor
    noise: References
    name: str = ""

    def __post_init__(self) -> None:
        as_sensors("NoisySensor", (self.sensor,))
        owner = f"NoisySensor on {self.sensor.name!r}"
        object.__setattr__(self, "noise", as_references(owner, self.noise, self.sensor.size, "noise", "component"))
        object.__setattr__(self, "name", as_name(owner, "name", self.name or f"{self.sensor.name} with noise"))

    @property
    def size(self) -> int:
        return self.sensor.size

    @property
    def markers(self) -> tuple[Marker, ...]:
        return tuple(getattr(self.sensor, "markers", ()))

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(getattr(self.sensor, "joints", ()))

    def sensed(self, places: Places) -> Sensed | None:
        """As numbers; None where the sensor has to be read in Python, or is a noisy one itself."""
        inner = getattr(self.sensor, "sensed", None) if of_the_package(self.sensor) else None
        found = None if inner is None else inner(places)
        if found is None or found.errors is not None:
            return None
        owner, noise = f"NoisySensor {self.name!r}", self.noise
        assert isinstance(noise, tuple)  # noqa: S101  # made so on construction
        return replace(found, errors=lambda t: reference_at(owner, noise, t), steady=is_steady(noise))  # type: ignore[no-any-return]

    def read(self, view: View) -> FloatArray:
        assert isinstance(self.noise, tuple)  # noqa: S101  # made so on construction
        return read_sensor(self.sensor, view) + reference_at(f"NoisySensor {self.name!r}", self.noise, view.t)
