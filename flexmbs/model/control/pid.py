"""The discrete PID controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.core.checks import as_limits, as_name, as_number, frozen_copy
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.control_laws import PID as LAW
from flexmbs.model.control.actuator import as_actuators
from flexmbs.model.control.controller import check_common
from flexmbs.model.control.packed import Packed, evaluated, numbers
from flexmbs.model.control.reference import Reference, as_references, is_steady, reference_at, reference_rate
from flexmbs.model.control.sensors import Sensor, as_sensors

__all__ = ["PID"]


@dataclass(frozen=True, eq=False)
class PID(Description):
    r"""Proportional, integral and derivative action on the error e = r(t) - y, with limits.

    .. math::
        v_k &= K_P e_k + I_k + D_k, \qquad f_{k+1} = \mathrm{clip}(v_k, \mathrm{limits}) \\
        I_{k+1} &= I_k + K_I T e_k \quad \text{(not where it drives an output further that is beyond its limit)} \\
        D_k &= \frac{T_f}{T_f + T} D_{k-1} + \frac{K_D}{T_f + T} (e_k - e_{k-1}), \qquad e_{-1} = e_0, \; D_{-1} = 0

    or, where a sensor of the rate is given, :math:`D_k = K_D (\dot r(t_k) - \dot y_k)`, with the rate of the reference
    taken from a motion, and 0 of numbers and functions.

    Parameters
    ----------
    sensor : Sensor
        y, one number.
    actuator : actuator
    period : float
        T [time].
    proportional, integral, derivative : float, default 0
        K_P, K_I, K_D. Positive gains are a stable feedback where a positive force drives y up.
    reference : float, function of time or motion, default 0
        r.
    limits : (2,) sequence, optional
        Smallest and largest output; either may be infinite: (0, np.inf) only pushes.
    filter_time : float, default 0
        T_f [time], of the derivative; not with ``rate``.
    rate : Sensor, optional
        Of the rate of y.
    delay, offset, initial, name
        As for `Controller`.

    Raises
    ------
    ModelError
        If a sensor gives more than one number, the limits are not in order, or all gains are zero.

    Examples
    --------
    >>> import flexmbs as fx
    >>> arm = fx.control.PID(fx.control.JointSensor("hinge"), fx.control.JointActuator("hinge", name="motor"),
    ...     period=0.01,
    ...              proportional=20.0, integral=5.0, derivative=1.0, filter_time=0.02, limits=(-10, 10), name="arm")
    >>> arm.output(arm.start, [-0.1], 0.0)
    array([2.])
    """

    sensor: Sensor
    actuator: Any
    period: float
    proportional: float = 0.0
    integral: float = 0.0
    derivative: float = 0.0
    reference: Reference = 0.0
    limits: Sequence[float] | None = None
    filter_time: float = 0.0
    rate: Sensor | None = None
    delay: int = 0
    offset: float = 0.0
    initial: float | Sequence[float] | FloatArray = 0.0
    name: str = "PID"

    def __post_init__(self) -> None:
        owner = f"PID {as_name('PID', 'name', self.name)!r}"
        for sensor in as_sensors(owner, self.sensors):
            if sensor.size != 1:
                raise ModelError(f"{owner}: sensor {sensor.name!r} gives {sensor.size} numbers; name a direction.")
        if len(as_actuators(owner, self.actuators)) != 1:
            raise ModelError(f"{owner}: actuator must be one actuator.")
        check_common(owner, self)
        for key in ("proportional", "integral", "derivative"):
            object.__setattr__(self, key, as_number(owner, key, getattr(self, key)))
        if not (self.proportional or self.integral or self.derivative):
            raise ModelError(f"{owner}: all gains are zero; give proportional, integral or derivative.")
        object.__setattr__(self, "filter_time", as_number(owner, "filter_time", self.filter_time, minimum=0.0))
        if self.rate is not None and self.filter_time:
            raise ModelError(f"{owner}: filter_time is for differences; leave it out where the rate is measured.")
        object.__setattr__(self, "reference", as_references(owner, self.reference, 1)[0])
        if self.limits is not None:
            object.__setattr__(self, "limits", as_limits(owner, self.limits))

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        return (self.sensor,) if self.rate is None else (self.sensor, self.rate)

    @property
    def actuators(self) -> tuple[Any, ...]:
        return tuple(self.actuator) if isinstance(self.actuator, list | tuple) else (self.actuator,)

    @property
    def start(self) -> FloatArray:
        """State: I, D, e of the sample before, and 1 once there was a sample."""
        return frozen_copy(np.zeros(4))

    @property
    def packed(self) -> Packed:
        """As numbers."""
        owner, reference = f"PID {self.name!r}", self.reference
        low, high = (-np.inf, np.inf) if self.limits is None else (self.limits[0], self.limits[1])
        rated = self.rate is not None

        def signals(t: float) -> list[float]:
            value = float(reference_at(owner, (reference,), t)[0])
            return [value, reference_rate(owner, reference, t)] if rated else [value]

        data = (self.proportional, self.integral, self.derivative, self.period, self.filter_time, low, high, rated)
        return Packed(LAW, numbers(data), signals, is_steady((reference,)), 1 + rated)

    def output(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Value to be held."""
        return evaluated(self, x, u, t)[0]

    def update(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Next state."""
        return evaluated(self, x, u, t)[1]
