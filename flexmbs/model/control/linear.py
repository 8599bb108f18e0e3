"""Linear sampled controllers, open-loop commands, and filters in front of a controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, frozen_copy, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.core.user_calls import of_the_package
from flexmbs.kernels.control_laws import COMMAND, FEEDBACK, FILTERED, STATE_SPACE
from flexmbs.model.control.controller import SampledController, check_common, check_controller, readings
from flexmbs.model.control.filters import DiscreteSystem
from flexmbs.model.control.packed import Packed, evaluated, numbers
from flexmbs.model.control.reference import References, as_references, is_steady, reference_at

if TYPE_CHECKING:
    from flexmbs.model.control.actuator import Actuator
    from flexmbs.model.control.sensors import Sensor

__all__ = ["Command", "DiscreteStateSpace", "FilteredController", "StateFeedback"]

Held = float | Sequence[float] | FloatArray
NO_STATE = frozen_copy(np.zeros(0))


@dataclass(frozen=True, eq=False)
class StateFeedback(Description):
    """Linear feedback of all readings: f = feedforward - K (y - r(t)).

    Parameters
    ----------
    sensors : Sensor or sequence of Sensor
        y, n_y numbers in all.
    actuators : actuator or sequence of actuators
        n_f of them.
    period : float
        T [time].
    gain : (n_f, n_y) array
        K.
    reference : number, function of time or motion, or one per reading, default 0
        r.
    feedforward : likewise, one per actuator, default 0
    delay, offset, initial, name
        As for `Controller`.

    Raises
    ------
    ModelError
        If the shape of K does not fit the sensors and actuators.

    Examples
    --------
    >>> import flexmbs as fx
    >>> angle, rate = fx.control.JointSensor("hinge"), fx.control.JointSensor("hinge", rate=True)
    >>> control = fx.control.StateFeedback((angle, rate), fx.control.JointActuator("hinge", name="motor"), 0.01,
    ...     gain=[[4.0, 1.0]])
    >>> control.output(control.start, [0.5, 0.0], 0.0)
    array([-2.])
    """

    sensors: Any
    actuators: Any
    period: float
    gain: Sequence[Sequence[float]] | FloatArray
    reference: References = 0.0
    feedforward: References = 0.0
    delay: int = 0
    offset: float = 0.0
    initial: Held = 0.0
    name: str = "state feedback"
    start: ClassVar[FloatArray] = NO_STATE

    def __post_init__(self) -> None:
        owner = f"StateFeedback {as_name('StateFeedback', 'name', self.name)!r}"
        check_common(owner, self)
        n_y = readings(self.sensors)
        gain = as_array(owner, "gain", self.gain, (len(self.actuators), n_y))
        object.__setattr__(self, "gain", frozen_copy(gain))
        object.__setattr__(self, "reference", as_references(owner, self.reference, n_y))
        added = as_references(owner, self.feedforward, len(self.actuators), "feedforward", "actuator")
        object.__setattr__(self, "feedforward", added)

    @property
    def packed(self) -> Packed:
        """As numbers."""
        owner = f"StateFeedback {self.name!r}"
        assert isinstance(self.reference, tuple)  # noqa: S101  # made so on construction
        assert isinstance(self.feedforward, tuple)  # noqa: S101
        parts = self.reference, self.feedforward
        return Packed(
            FEEDBACK, numbers(*np.shape(self.gain), self.gain),
            lambda t: np.concatenate([reference_at(owner, part, t) for part in parts]), all(map(is_steady, parts)),
            sum(map(len, parts)),
        )  # fmt: skip

    def update(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """There is no state."""
        return x

    def output(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Values to be held."""
        return evaluated(self, x, u, t)[0]


@dataclass(frozen=True, eq=False)
class DiscreteStateSpace(Description):
    """A linear controller with states: x_{k+1} = A x_k + B w_k, f_{k+1} = C x_k + D w_k.

    Its input w is the readings y, or, where there is a reference, the error r(t_k) - y_k.

    Parameters
    ----------
    sensors : Sensor or sequence of Sensor
    actuators : actuator or sequence of actuators
    period : float
        T [time].
    system : DiscreteSystem
        A, B, C, D; from matrices, or from `flexmbs.control.filters`.
    reference : number, function of time or motion, or one per reading, optional
        r.
    start : (n_x,) sequence, default zero
        State before the first sample.
    delay, offset, initial, name
        As for `Controller`.

    Raises
    ------
    ModelError
        If the system has not as many inputs as there are readings, or outputs as there are actuators.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lag = fx.control.filters.DiscreteSystem([[0.9]], [[0.1]], [[1.0]], [[0.0]])
    >>> control = fx.control.DiscreteStateSpace(fx.control.JointSensor("hinge"),
    ...     fx.control.JointActuator("hinge", name="motor"), period=0.01,
    ...                                 system=lag, reference=1.0)
    >>> control.update(control.start, [0.0], 0.0)
    array([0.1])
    """

    sensors: Any
    actuators: Any
    period: float
    system: DiscreteSystem
    reference: References | None = None
    start: Sequence[float] | FloatArray | None = None
    delay: int = 0
    offset: float = 0.0
    initial: Held = 0.0
    name: str = "state space"

    def __post_init__(self) -> None:
        owner = f"DiscreteStateSpace {as_name('DiscreteStateSpace', 'name', self.name)!r}"
        check_common(owner, self)
        n_y = readings(self.sensors)
        _check_system(owner, self.system, n_y, len(self.actuators))
        if self.reference is not None:
            object.__setattr__(self, "reference", as_references(owner, self.reference, n_y))
        n = self.system.n_states
        start = np.zeros(n) if self.start is None else as_array(owner, "start", self.start, (n,))
        object.__setattr__(self, "start", frozen_copy(start))

    @property
    def packed(self) -> Packed:
        """As numbers."""
        owner, reference = f"DiscreteStateSpace {self.name!r}", self.reference or ()
        assert isinstance(reference, tuple)  # noqa: S101  # made so on construction
        return Packed(
            STATE_SPACE, _system_numbers(self.system, float(self.reference is not None)),
            lambda t: reference_at(owner, reference, t), is_steady(reference), len(reference),
        )  # fmt: skip

    def update(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Next state."""
        return evaluated(self, x, u, t)[1]

    def output(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Values to be held."""
        return evaluated(self, x, u, t)[0]


@dataclass(frozen=True, eq=False)
class Command(Description):
    """Values that are commanded without looking: functions of time or noise, sampled and held.

    Parameters
    ----------
    actuators : actuator or sequence of actuators
    period : float
        T [time].
    values : number, function of time, noise or motion, or one per actuator
    delay, offset, initial, name
        As for `Controller`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> shaker = fx.control.Command(fx.control.JointActuator("hinge", name="motor"), period=5e-4,
    ...                     values=fx.control.BandNoise(2.0, band=(0.2, 10.0), seed=1), name="shaker")
    >>> len(shaker.output(shaker.start, [], 0.5))
    1
    """

    actuators: Any
    period: float
    values: References
    delay: int = 0
    offset: float = 0.0
    initial: Held = 0.0
    name: str = "command"
    sensors: ClassVar[tuple[Sensor, ...]] = ()
    start: ClassVar[FloatArray] = NO_STATE

    def __post_init__(self) -> None:
        owner = f"Command {as_name('Command', 'name', self.name)!r}"
        check_common(owner, self)
        values = as_references(owner, self.values, len(self.actuators), "values", "actuator")
        object.__setattr__(self, "values", values)

    @property
    def packed(self) -> Packed:
        """As numbers."""
        owner, values = f"Command {self.name!r}", self.values
        assert isinstance(values, tuple)  # noqa: S101  # made so on construction
        return Packed(
            COMMAND, numbers(len(values)), lambda t: reference_at(owner, values, t), is_steady(values), len(values)
        )  # fmt: skip

    def update(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """There is no state."""
        return x

    def output(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Values to be held."""
        return evaluated(self, x, u, t)[0]


@dataclass(frozen=True, eq=False)
class FilteredController(Description):
    """A controller whose readings go through a discrete filter first; the filter works at the period of the controller.

    Parameters
    ----------
    controller : controller
    filter : DiscreteSystem
        As many inputs and outputs as there are readings; a filter of one signal is used for each of them.

    Raises
    ------
    ModelError
        If the filter does not fit.

    Examples
    --------
    >>> import flexmbs as fx
    >>> angle, motor = fx.control.JointSensor("hinge"), fx.control.JointActuator("hinge", name="motor")
    >>> calm = fx.control.FilteredController(fx.control.StateFeedback(angle, motor, 0.01, [[4.0]], name="arm"),
    ...     fx.control.filters.moving_average(2))
    >>> calm.output(calm.start, [0.5], 0.0)
    array([-1.])
    """

    controller: SampledController
    filter: DiscreteSystem

    def __post_init__(self) -> None:
        inner = check_controller(self.controller)
        count = readings(inner.sensors)
        owner = f"FilteredController of {inner.name!r}"
        system = self.filter
        if isinstance(system, DiscreteSystem) and system.n_inputs == system.n_outputs == 1 and count > 1:
            object.__setattr__(self, "filter", system.repeated(count))
        _check_system(owner, self.filter, count, count, "filter")

    @property
    def name(self) -> str:
        return self.controller.name

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        return self.controller.sensors

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        return self.controller.actuators

    @property
    def period(self) -> float:
        return self.controller.period

    @property
    def offset(self) -> float:
        return self.controller.offset

    @property
    def delay(self) -> int:
        return self.controller.delay

    @property
    def initial(self) -> FloatArray:
        return self.controller.initial

    @property
    def start(self) -> FloatArray:
        """States of the filter, then those of the controller."""
        return np.concatenate((np.zeros(self.filter.n_states), self.controller.start))

    @property
    def packed(self) -> Packed | None:
        """As numbers; None where the controller is one of Python functions."""
        inner: Packed | None = getattr(self.controller, "packed", None) if of_the_package(self.controller) else None
        if inner is None:
            return None
        return inner._replace(law=FILTERED, data=(*_system_numbers(self.filter), float(inner.law), *inner.data))

    def update(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Next state."""
        if self.packed is not None:
            return evaluated(self, x, u, t)[1]
        u, n = np.asarray(u), self.filter.n_states
        seen = self.filter.output_of(x[:n], u)
        return np.concatenate((self.filter.state_after(x[:n], u), self.controller.update(x[n:], seen, t)))

    def output(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Values to be held."""
        if self.packed is not None:
            return evaluated(self, x, u, t)[0]
        n = self.filter.n_states
        return np.asarray(self.controller.output(x[n:], self.filter.output_of(x[:n], np.asarray(u)), t))


def _system_numbers(system: DiscreteSystem, *more: float) -> tuple[float, ...]:
    """Sizes, what is given behind them, and the matrices."""
    sizes = system.n_states, system.n_inputs, system.n_outputs
    return numbers(*sizes, *more, system.A, system.B, system.C, system.D)


def _check_system(owner: str, system: object, n_in: int, n_out: int, name: str = "system") -> None:
    """Refuse what is no discrete system of that size."""
    if not isinstance(system, DiscreteSystem):
        raise ModelError(f"{owner}: {name} must be a DiscreteSystem, not {show(system)}.")
    if (system.n_inputs, system.n_outputs) != (n_in, n_out):
        raise ModelError(
            f"{owner}: {name} must have {n_in} inputs (readings) and {n_out} outputs, not {system.n_inputs} and "
            f"{system.n_outputs}."
        )
