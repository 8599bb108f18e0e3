"""Actuators: a force or torque on the coordinate of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.laws import GIVEN, LINEAR
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, What, coordinate
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.user_law import Derivatives, ForceFunction, user_law
from flexmbs.model.forces.wrench import Wrench

__all__ = ["JointForce"]


@two_ended
@dataclass(frozen=True, eq=False)
class JointForce(Description):
    """A motor: a force or torque on the coordinate of a joint, with its reaction on the other side.

    A positive one drives the second side of the joint towards larger values of the coordinate (angle of b about the
    axis, displacement of b along it, distance). `run.force(name)` tells it with the sign of a spring, the opposite one.

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``JointForce(a, b, ...)``.
    force : float or function (coordinate, rate, t) -> force
        [force], for an angle [force length]. A function is called in each iteration and must not remember anything.
    coordinate : 'angle', 'displacement' or 'distance', optional
        Which coordinate; needed where the joint leaves several free and between two markers.
    derivatives : function (coordinate, rate, t) -> (dF/dcoordinate, dF/drate), optional
        Of ``force``; otherwise central differences are taken.
    name : str

    Raises
    ------
    ModelError
        If the force is neither a number nor a function, or it is not clear which coordinate is meant.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> motor = fx.JointForce(hinge, lambda angle, rate, t: 2.0 * (10.0 - rate), name="motor")
    >>> motor.row_forces[0].function(0.0, 4.0, 0.0)[0]
    -12.0
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    force: float | ForceFunction
    coordinate: What | None = None
    derivatives: Derivatives | None = None
    name: str = "motor"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"JointForce {as_name('JointForce', 'name', self.name)!r}"
        at = coordinate(owner, self.on, self.coordinate)
        if callable(self.force):
            function = user_law(owner, self.force, self.derivatives, sign=-1.0)
            force = RowForce(at.a, at.b, (at.row,), GIVEN, (), function)
        else:
            if self.derivatives is not None:
                raise ModelError(f"{owner}: derivatives are those of a function; the force is a number.")
            value = as_number(owner, "force", self.force, unit=at.load)
            force = RowForce(at.a, at.b, (at.row,), LINEAR, (0.0, 0.0, 0.0, -value))
        object.__setattr__(self, "row_forces", (force,))
