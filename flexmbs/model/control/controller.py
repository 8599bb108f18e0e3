r"""Sampled controllers: difference equations between sensors and held values.

At its sample times :math:`t_k = t_{off} + k T` a controller reads u_k, the numbers of all its sensors one after the
other, as they are just before t_k, and computes from its state x_k

.. math:: f_{k+1} = f_o(x_k, u_k, t_k), \qquad x_{k+1} = f_u(x_k, u_k, t_k)

(Bruels and Golinval, Simulation of an active control system in a hot-dip galvanizing line). The output is held: with
``delay = 0`` f_{k+1} acts from t_k to t_{k+1}, as there; with ``delay = d`` from t_{k+d} to t_{k+d+1}, so that 1 stands
for a computation that takes one period. Until then, and before the first sample, ``initial`` acts.

A controller is any object with the members of `SampledController`; those here are `Controller` (two functions),
`flexmbs.model.control.pid.PID`, and in `flexmbs.model.control.linear` the linear ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from flexmbs.core.checks import as_array, as_count, as_name, as_number, frozen_copy, shape_of, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.model.control.actuator import as_actuators
from flexmbs.model.control.calling import as_function
from flexmbs.model.control.sensors import as_sensors

if TYPE_CHECKING:
    from flexmbs.model.control.actuator import Actuator
    from flexmbs.model.control.sensors import Sensor

__all__ = ["Controller", "SampledController", "check_common", "readings"]

Update = Callable[[FloatArray, FloatArray, float], Any]
"""(x, u, t) -> array; x and u are copies."""


class SampledController(Protocol):
    """What `flexmbs.dynamics.control_loop.ControlLoop` needs of a controller."""

    @property
    def name(self) -> str:
        """For messages and results; unique in a model."""

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        """What it reads: u, one after the other."""

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """What it drives, one number each."""

    @property
    def period(self) -> float:
        """Sampling period T [time]."""

    @property
    def offset(self) -> float:
        """Time of its first sample [time]."""

    @property
    def delay(self) -> int:
        """Periods from a sample to its effect."""

    @property
    def start(self) -> FloatArray:
        """State (n_x,) before the first sample."""

    @property
    def initial(self) -> FloatArray:
        """Values (n_f,) that are held until the first output acts."""

    @property
    def update(self) -> Update:
        """(x, u, t) -> next state (n_x,)."""

    @property
    def output(self) -> Update:
        """(x, u, t) -> values (n_f,) to be held."""


@dataclass(frozen=True, eq=False)
class Controller(Description):
    """A controller of two functions: x_{k+1} = update(x_k, u_k, t_k), f_{k+1} = output(x_k, u_k, t_k).

    Parameters
    ----------
    sensors : Sensor or sequence of Sensor
        Read at each sample; u holds their numbers one after the other.
    actuators : actuator or sequence of actuators
        What the values f drive.
    period : float
        T [time]; samples are at offset + k T, k = 0, 1, 2, ...
    output : function (x, u, t) -> (n_f,) array
        With a single actuator a number will do.
    update : function (x, u, t) -> (n_x,) array, optional
        By default the state stays.
    start : (n_x,) sequence, default ()
        State before the first sample.
    delay : int, default 0
        Periods from a sample to its effect.
    offset : float, default 0
        Time of the first sample: when the controller is switched on.
    initial : float or (n_f,) sequence, default 0
        Held until the first output acts.
    name : str

    Raises
    ------
    ModelError
        If something is not what it should be. During a run, if a function fails, gives another number of values, or
        values that are not finite: the message names the controller and the time.

    Notes
    -----
    The functions must not remember anything: what has to be remembered belongs into x, or resuming a run and giving a
    step up would change the result. They are called once a sample; at the first sample of a run twice, since what gives
    two results for the same arguments is refused.

    Examples
    --------
    Velocity feedback, f = -g v:

    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    >>> damper = fx.control.Controller(fx.control.VelocitySensor(ball, (1, 0)),
    ...     fx.control.ForceActuator(ball, (1, 0), name="magnet"),
    ...                        period=5e-4, output=lambda x, u, t: -100.0 * u, name="damper")
    >>> damper.offset, damper.delay
    (0.0, 0)
    """

    sensors: Any
    actuators: Any
    period: float
    output: Update
    update: Update | None = None
    start: Sequence[float] | FloatArray = ()
    delay: int = 0
    offset: float = 0.0
    initial: float | Sequence[float] | FloatArray = 0.0
    name: str = "controller"

    def __post_init__(self) -> None:
        owner = f"Controller {as_name('Controller', 'name', self.name)!r}"
        check_common(owner, self)
        as_function(owner, "output", self.output, "(x, u, t)")
        if self.update is None:
            object.__setattr__(self, "update", _stay)
        else:
            as_function(owner, "update", self.update, "(x, u, t)")
        object.__setattr__(self, "start", frozen_copy(as_array(owner, "start", self.start, (None,))))

    @property
    def stays(self) -> bool:
        """Whether its state stays as it is: there is no update."""
        return self.update is _stay


def check_common(owner: str, controller: Any) -> None:
    """Check and set what all controllers have: sensors, actuators, period, delay, offset, initial."""
    if "sensors" in controller.__dict__:
        sensors = () if _empty(controller.sensors) else as_sensors(owner, controller.sensors)
        object.__setattr__(controller, "sensors", sensors)
    if "actuators" in controller.__dict__:
        object.__setattr__(controller, "actuators", as_actuators(owner, controller.actuators))
    object.__setattr__(controller, "period", as_number(owner, "period", controller.period, above=0.0, unit="time"))
    object.__setattr__(controller, "offset", as_number(owner, "offset", controller.offset, unit="time"))
    object.__setattr__(controller, "delay", as_count(owner, "delay", controller.delay))
    count = len(controller.actuators)
    if not shape_of(controller.initial):
        initial = np.full(count, as_number(owner, "initial", controller.initial))
    else:
        initial = as_array(owner, "initial", controller.initial, (count,))
    object.__setattr__(controller, "initial", frozen_copy(initial))


def readings(sensors: tuple[Sensor, ...]) -> int:
    """How many numbers sensors give together."""
    return sum(sensor.size for sensor in sensors)


def check_controller(value: object) -> SampledController:
    """An object with the members of a controller."""
    missing = [name for name in vars(SampledController) if not name.startswith("_") and not hasattr(value, name)]
    if missing or isinstance(value, type):
        lacks = f", which lacks {', '.join(missing)}" if missing else ""
        raise ModelError(
            f"controllers: expected a controller such as Controller(...) or PID(...), not {show(value)}{lacks}."
        )
    return value  # type: ignore[return-value]


def _stay(x: FloatArray, u: FloatArray, t: float) -> FloatArray:
    """The update of a controller without one."""
    return x


def _empty(value: object) -> bool:
    return isinstance(value, list | tuple) and not value
