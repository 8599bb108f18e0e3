r"""Continuous states: filters, motors, circuits, continuous controllers, integrated together with the motion.

.. math:: \dot x = f(x, u, t), \qquad y = h(x, u, t)

with u the numbers of all input sensors at the time t, one after the other. The outputs y drive actuators at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flexmbs.core.checks import as_array, as_name, frozen_copy, shape_of
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.model.control.actuator import as_actuators
from flexmbs.model.control.calling import as_function, as_values, call, copies
from flexmbs.model.control.filters import Coefficients, Matrix, as_transfer_function, state_space
from flexmbs.model.control.sensors import as_sensors, read_sensor

if TYPE_CHECKING:
    from flexmbs.model.control.view import View

__all__ = ["FirstOrder", "LinearFunction", "LinearJacobian", "linear_states", "transfer_function"]

Function = Callable[[FloatArray, FloatArray, float], Any]


@dataclass(frozen=True, eq=False)
class FirstOrder(Description):
    """First-order differential equations xdot = rates(x, u, t), with outputs that drive actuators.

    Parameters
    ----------
    start : (n,) sequence
        x at the start of the run.
    rates : function (x, u, t) -> (n,) array
        It must not remember anything: it is called in each iteration.
    inputs : Sensor or sequence of Sensor, default none
        u. Accelerations and multipliers as inputs make the states depend on themselves through the forces; take
        positions and velocities.
    actuators : actuator or sequence of actuators, default none
    output : function (x, u, t) -> (n_y,) array, optional
        A value for each actuator; by default the first states.
    jacobian : function (x, u, t) -> (n, n) array, optional
        d rates/dx; otherwise differences are taken.
    name : str

    Raises
    ------
    ModelError
        If there is no state, or too few for the actuators. During a run, if a function fails or gives what has another
        shape or is not finite (named, with the time).

    Examples
    --------
    A motor current, L di/dt = u - R i - k w, whose torque is k i:

    >>> import flexmbs as fx
    >>> speed, motor = fx.control.JointSensor("hinge", rate=True), fx.control.JointActuator("hinge", name="motor")
    >>> coil = fx.control.FirstOrder([0.0], lambda i, w, t: (12.0 - 2.0 * i - 0.1 * w) / 0.01, speed, motor,
    ...                      output=lambda i, w, t: 0.1 * i, name="coil")
    >>> coil.rates_at(coil.start, [0.0], 0.0)
    array([1200.])
    """

    role: ClassVar[str] = "state"
    start: Sequence[float] | FloatArray
    rates: Function
    inputs: Any = ()
    actuators: Any = ()
    output: Function | None = None
    jacobian: Function | None = None
    name: str = "states"

    def __post_init__(self) -> None:
        owner = f"FirstOrder {as_name('FirstOrder', 'name', self.name)!r}"
        start = as_array(owner, "start", self.start, (None,))
        if not len(start):
            raise ModelError(f"{owner}: start is empty; give one number for each state.")
        object.__setattr__(self, "start", frozen_copy(start))
        for key in ("rates", "output", "jacobian"):
            if getattr(self, key) is not None or key == "rates":
                as_function(owner, key, getattr(self, key), "(x, u, t)")
        object.__setattr__(self, "inputs", as_sensors(owner, self.inputs))
        none = isinstance(self.actuators, list | tuple) and not self.actuators
        object.__setattr__(self, "actuators", () if none else as_actuators(owner, self.actuators))
        if self.output is None and len(self.actuators) > len(start):
            raise ModelError(f"{owner}: {len(self.actuators)} actuators, but {len(start)} states; give output.")

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.start)

    def read(self, view: View) -> FloatArray:
        """The inputs u."""
        parts = [call(f"FirstOrder {self.name!r}", "its inputs", read_sensor, s, view) for s in self.inputs]
        return np.concatenate([np.zeros(0), *parts])

    def rates_at(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """Rates (n,), checked."""
        return self._called("rates", self.rates, x, u, t, self.size)

    def output_at(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """A value for each actuator, checked."""
        if self.output is None:
            return np.array(x[: len(self.actuators)], dtype=np.float64)
        return self._called("output", self.output, x, u, t, len(self.actuators))

    def jacobian_at(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        """The matrix d rates/dx (n, n), as given or by central differences."""
        n = self.size
        if self.jacobian is not None:
            owner, what = f"FirstOrder {self.name!r}", f"jacobian at t = {t:g}"
            found = call(owner, what, self.jacobian, *copies(x, u), t)
            return as_array(owner, what, [[found]] if n == 1 and not shape_of(found) else found, (n, n))
        columns = np.empty((n, n))
        for k in range(n):
            h = np.zeros(n)
            h[k] = 3e-6 * max(1.0, abs(float(x[k])))
            columns[:, k] = (self.rates_at(x + h, u, t) - self.rates_at(x - h, u, t)) / (2.0 * h[k])
        return columns

    def _called(self, what: str, function: Function, x: FloatArray, u: FloatArray, t: float, count: int) -> FloatArray:
        owner, what = f"FirstOrder {self.name!r}", f"{what} at t = {t:g}"
        return as_values(owner, what, call(owner, what, function, *copies(x, u), t), count)


@dataclass(frozen=True, eq=False)
class LinearFunction:
    """The function (x, u, t) -> A x + B u; as an object it can be written to files and compared.

    Parameters
    ----------
    A : (n, n_x) array
    B : (n, n_u) array

    Examples
    --------
    >>> LinearFunction([[2.0]], [[1.0, 0.0]])(np.array([3.0]), np.array([4.0, 5.0]), 0.0)
    array([10.])
    """

    A: Matrix
    B: Matrix

    def __post_init__(self) -> None:
        A = as_array("LinearFunction", "A", self.A, (None, None))
        B = np.reshape(self.B, (len(A), 0)) if 0 in shape_of(self.B) else self.B
        object.__setattr__(self, "A", frozen_copy(A))
        object.__setattr__(self, "B", frozen_copy(as_array("LinearFunction", "B", B, (len(A), None))))

    def __call__(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        return np.asarray(self.A) @ x + np.asarray(self.B) @ u


@dataclass(frozen=True, eq=False)
class LinearJacobian:
    """The function (x, u, t) -> A.

    Parameters
    ----------
    A : (n, n) array

    Examples
    --------
    >>> LinearJacobian([[2.0]])(np.array([3.0]), np.array([]), 0.0)
    array([[2.]])
    """

    A: Matrix

    def __post_init__(self) -> None:
        object.__setattr__(self, "A", frozen_copy(as_array("LinearJacobian", "A", self.A, (None, None))))

    def __call__(self, x: FloatArray, u: FloatArray, t: float) -> FloatArray:
        return np.array(self.A)


def linear_states(
    A: Matrix,
    B: Matrix,
    inputs: Any,
    *,
    C: Matrix | None = None,
    D: Matrix | None = None,
    actuators: Any = (),
    start: Sequence[float] | FloatArray | None = None,
    name: str = "states",
) -> FirstOrder:
    """Linear first-order states: xdot = A x + B u, y = C x + D u.

    Parameters
    ----------
    A : (n, n) array
        [1/time]
    B : (n, n_u) array
    inputs : Sensor or sequence of Sensor
        u.
    C : (n_y, n) array, optional
        Needed where there are actuators.
    D : (n_y, n_u) array, default zero
    actuators : actuator or sequence of actuators, default none
    start : (n,) sequence, default zero
    name : str

    Raises
    ------
    ModelError
        If the shapes do not go together.

    Examples
    --------
    >>> import flexmbs as fx
    >>> lag = linear_states([[-10.0]], [[10.0]], fx.control.JointSensor("hinge"), name="lag")
    >>> lag.rates_at([0.0], [0.3], 0.0)
    array([3.])
    """
    owner = f"FirstOrder {as_name('FirstOrder', 'name', name)!r}"
    sensors = as_sensors(owner, inputs)
    a = as_array(owner, "A", A, (None, None))
    n, n_u = len(a), sum(s.size for s in sensors)
    a, b = as_array(owner, "A", a, (n, n)), as_array(owner, "B", B, (n, n_u))
    driven = () if isinstance(actuators, list | tuple) and not actuators else as_actuators(owner, actuators)
    if driven and C is None:
        raise ModelError(f"{owner}: C is missing; it says what drives the actuators.")
    n_y = len(driven)
    c = np.zeros((n_y, n)) if C is None else as_array(owner, "C", C, (n_y if driven else None, n))
    d = np.zeros((len(c), n_u)) if D is None else as_array(owner, "D", D, (len(c), n_u))
    return FirstOrder(
        np.zeros(n) if start is None else as_array(owner, "start", start, (n,)),
        LinearFunction(a, b),
        sensors,
        driven,
        LinearFunction(c, d) if driven else None,
        LinearJacobian(a),
        name,
    )


def transfer_function(
    numerator: Coefficients, denominator: Coefficients, sensor: Any, actuator: Any = (), name: str = "states"
) -> FirstOrder:
    """A transfer function in s from a sensor to an actuator, starting at rest.

    The states are those of the controller canonical form.

    Parameters
    ----------
    numerator, denominator : (n,) sequence
        Coefficients of s, highest power first; the degree of the numerator is at most that of the denominator.
    sensor : Sensor
        Of one number.
    actuator : actuator, optional
    name : str

    Raises
    ------
    ModelError
        If the degrees do not allow it, or there is no pole.

    Examples
    --------
    >>> import flexmbs as fx
    >>> angle, motor = fx.control.JointSensor("hinge"), fx.control.JointActuator("hinge", name="motor")
    >>> lead = transfer_function([-2.0, -20.0], [1.0, 50.0], angle, motor, name="lead")
    >>> lead.size, lead.output_at([0.0], [0.5], 0.0)
    (1, array([-1.]))
    """
    owner = f"FirstOrder {as_name('FirstOrder', 'name', name)!r}"
    b, a = as_transfer_function(owner, numerator, denominator)
    if len(a) < 2:
        raise ModelError(f"{owner}: the denominator has no pole, so there is no state; use a sampled controller.")
    form = state_space(b, a)
    none = isinstance(actuator, list | tuple) and not actuator
    C, D = (None, None) if none else (form.C, form.D)
    return linear_states(form.A, form.B, sensor, C=C, D=D, actuators=actuator, name=name)
