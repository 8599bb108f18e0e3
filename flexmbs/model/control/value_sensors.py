"""Sensors of single numbers: coordinates of bodies, continuous states, held values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from flexmbs.core.checks import as_count, as_flag
from flexmbs.core.errors import ModelError
from flexmbs.core.references import refers_to
from flexmbs.kernels.sensing import COORDINATE, HELD, RATE
from flexmbs.model.control.calling import called_name, name_of
from flexmbs.model.control.sensed import Places, Sensed
from flexmbs.model.control.sensors import Scalar

if TYPE_CHECKING:
    from flexmbs.model.control.view import View

__all__ = ["CoordinateSensor", "HeldSensor", "StateSensor"]


@dataclass(frozen=True, eq=False)
class CoordinateSensor(Scalar):
    """One coordinate q of a body, or its rate.

    Parameters
    ----------
    body : body or str
        The body, or its name.
    index : int
        Which of its coordinates.
    rate : bool, default False
    name : str, optional

    Examples
    --------
    >>> import flexmbs as fx
    >>> cart = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="cart")
    >>> fx.control.CoordinateSensor(cart, 2).name
    "coordinate 2 of body 'cart'"
    """

    body: Any = field(metadata=refers_to("body"))
    index: int
    rate: bool = False
    name: str = ""
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        body = called_name("CoordinateSensor", "body", self.body)
        object.__setattr__(self, "index", as_count("CoordinateSensor", "index", self.index))
        as_flag("CoordinateSensor", "rate", self.rate)
        self._named(f"{'rate of ' if self.rate else ''}coordinate {self.index} of body {body!r}")

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        in_q, in_v = places.coordinate(name_of(self.body), self.index)
        return Sensed(what=RATE, a=in_v) if self.rate else Sensed(what=COORDINATE, a=in_q)

    def read(self, view: View) -> float:
        value, rate = view.coordinate(name_of(self.body), self.index)
        return rate if self.rate else value


@dataclass(frozen=True, eq=False)
class StateSensor(Scalar):
    """One state of a `FirstOrder`.

    Parameters
    ----------
    state : FirstOrder or str
        The system, or its name.
    index : int, default 0
    name : str, optional

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.StateSensor("motor current").name
    "state 0 of 'motor current'"
    """

    state: Any = field(metadata=refers_to("state"))
    index: int = 0
    name: str = ""
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        state = called_name("StateSensor", "state", self.state)
        object.__setattr__(self, "index", as_count("StateSensor", "index", self.index))
        self._named(f"state {self.index} of {state!r}")

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        return Sensed(what=RATE, a=places.state(name_of(self.state), self.index))

    def read(self, view: View) -> float:
        x = view.state(name_of(self.state))
        if self.index >= len(x):
            raise ModelError(f"index must be below {len(x)}, the number of states of {name_of(self.state)!r}.")
        return float(x[self.index])


@dataclass(frozen=True, eq=False)
class HeldSensor(Scalar):
    """The value a sampled controller holds for an actuator: for cascades, and as input of continuous states.

    Parameters
    ----------
    actuator : actuator or str
        The actuator, or its name.
    name : str, optional

    Notes
    -----
    A sampled controller sees the value of before the sample, also of a controller that samples at the same time.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.control.HeldSensor("voltage").name
    "held 'voltage'"
    """

    actuator: Any = field(metadata=refers_to("actuator"))
    name: str = ""
    joints: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "actuator", called_name("HeldSensor", "actuator", self.actuator))
        self._named(f"held {self.actuator!r}")

    def sensed(self, places: Places) -> Sensed:
        """As numbers."""
        return Sensed(what=HELD, a=places.held(self.actuator))

    def read(self, view: View) -> float:
        return float(view.held(self.actuator))
