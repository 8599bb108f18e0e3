"""Models as functions of a speed: given as such, or one model whose initial velocities are scaled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from flexmbs.analysis.operating_point import OperatingPoint, operating_point
from flexmbs.core.checks import as_array, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import FlexmbsError, ModelError
from flexmbs.model.bodies.initial_velocity import InitialVelocity
from flexmbs.model.model import Model
from flexmbs.system.system import System, compile_model

__all__ = ["SpinningModel", "as_speeds"]


def as_speeds(owner: str, speeds: object) -> FloatArray:
    """Ascending speeds (n,), not negative, at least two."""
    values = as_array(owner, "speeds", speeds, (None,), unit="rad/time")
    if len(values) < 2 or values[0] < 0.0 or np.any(np.diff(values) <= 0.0):
        raise ModelError(
            f"{owner}: speeds must ascend, not be negative, and there must be two or more, not {show(values.tolist())}."
        )
    return values


class SpinningModel(NamedTuple):
    """What is looked at over speeds: ``make`` gives the model of a speed, or ``system`` turns with ``own`` speed."""

    owner: str
    make: Callable[[float], Any] | None
    system: System | None
    own: float

    @classmethod
    def of(cls, owner: str, model: object) -> SpinningModel:
        """Of a function of the speed, or of a model that turns at the start.

        Raises
        ------
        ModelError
            If it is neither, the model does not turn, or drivers prescribe motions, which do not scale.
        """
        if not isinstance(model, Model | System):
            if not callable(model):
                raise ModelError(
                    f"{owner}: expected a function of the speed that returns a Model, or a Model that turns at the "
                    f"start, not {show(model)}."
                )
            return cls(owner, model, None, 1.0)
        system = model if isinstance(model, System) else compile_model(model)
        described = system.model
        driven = [j.name for j in described.joints if any(e.motion is not None for e in j.equations)]
        if driven:
            raise ModelError(
                f"{owner}: model {described.name!r} has prescribed motions ({', '.join(map(repr, driven))}), which do "
                f"not follow a speed by themselves; pass a function of the speed that returns the model."
            )
        own = max(_speeds(described), default=0.0)
        if own == 0.0:
            raise ModelError(
                f"{owner}: nothing of model {described.name!r} turns; give angular_velocity to its bodies and "
                f"InitialVelocity to flexible ones, or pass a function of the speed that returns the model."
            )
        return cls(owner, None, system, own)

    def at(self, speed: float) -> OperatingPoint:
        """The steady state at a speed.

        Raises
        ------
        FlexmbsError
            If there is none; the message tells the speed.
        """
        try:
            if self.make is None:
                return operating_point(self.owner, self.system, unloaded=True, factor=speed / self.own)
            made = self.make(float(speed))
            if not isinstance(made, Model | System):
                raise ModelError(f"{self.owner}: the function of the speed must return a Model, not {show(made)}.")
            return operating_point(self.owner, made, unloaded=True)
        except FlexmbsError as error:
            raise type(error)(f"{self.owner}, speed {speed:g}: {error}") from None


def _speeds(model: Model) -> Iterator[float]:
    """Angular speeds of all that turns at the start."""
    for body in (*model.rigid_bodies, *model.tree_links):
        spin = getattr(body, "angular_velocity", None)
        if spin is not None:
            yield float(np.linalg.norm(np.atleast_1d(spin)))
    for item in model.items:
        if isinstance(item, InitialVelocity):
            yield float(np.linalg.norm(item.angular_velocity))
