"""Damping of a flexible body in proportion to its mass and stiffness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.model.bodies.flexible import FlexibleBody, as_flexible_body

__all__ = ["RayleighDamping"]


@dataclass(frozen=True, eq=False)
class RayleighDamping(Description):
    """Damping D = alpha M + beta K of a flexible body.

    A mode of angular frequency w gets the damping ratio (alpha / w + beta w) / 2.

    Parameters
    ----------
    body : FlexibleBody
    mass : float, default 0
        alpha [1/time]. It brakes the motion of the body as a whole, too.
    stiffness : float, default 0
        beta [time].
    name : str, optional

    Raises
    ------
    ModelError
        If the body is not a flexible one, a number is negative, or both are zero.

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel, name="beam")
    >>> fx.RayleighDamping(beam, mass=0.1, stiffness=1e-4).ratio(50.0)
    0.0035
    """

    role: ClassVar[str] = "damping"
    body: FlexibleBody
    mass: float = 0.0
    stiffness: float = 0.0
    name: str | None = None

    def __post_init__(self) -> None:
        as_flexible_body("RayleighDamping", self.body)
        name = f"damping of {self.body.name!r}" if self.name is None else as_name("RayleighDamping", "name", self.name)
        owner = f"RayleighDamping {name!r}"
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "mass", as_number(owner, "mass", self.mass, minimum=0.0, unit="1/time"))
        object.__setattr__(self, "stiffness", as_number(owner, "stiffness", self.stiffness, minimum=0.0, unit="time"))
        if self.mass == self.stiffness == 0.0:
            raise ModelError(f"{owner}: give mass, stiffness or both.")

    @property
    def mass_factor(self) -> float:
        """Alpha [1/time]."""
        return self.mass

    @property
    def stiffness_factor(self) -> float:
        """Beta [time]."""
        return self.stiffness

    def ratio(self, frequency: float) -> float:
        """Damping ratio of a mode of the given angular frequency [rad/time]."""
        w = as_number("RayleighDamping", "frequency", frequency, above=0.0, unit="rad/time")
        return 0.5 * (self.mass / w + self.stiffness * w)
