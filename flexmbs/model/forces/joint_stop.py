"""Stops: limits of the coordinate of a joint, or of the distance of two points."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number, as_turns
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.laws import STOP
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, What, coordinate
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench

__all__ = ["JointStop"]


@two_ended
@dataclass(frozen=True, eq=False)
class JointStop(Description):
    r"""Elastic stops that a coordinate of a joint meets beyond ``lower`` and ``upper``.

    With the depth d beyond a limit the force that pushes back is

    .. math:: F = k d^n (1 + c \dot d),

    but never less than zero (Hunt and Crossley). It starts smoothly where n > 1. The loss in an impact of speed v
    grows with c v; for small losses the coefficient of restitution is about 1 - 2/3 c v.

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``JointStop(a, b, ...)``.
    lower, upper : float, optional
        Limits of the coordinate [length or rad], at least one; angles are counted over all turns.
    stiffness : float
        k [force/length^n], for an angle [force length/rad^n].
    exponent : float, default 1.5
        n, at least 1.
    damping : float, default 0
        c [time/length], for an angle [time/rad].
    coordinate : 'angle', 'displacement' or 'distance', optional
        Which coordinate; needed where the joint leaves several free and between two markers.
    name : str

    Raises
    ------
    ModelError
        If there is no limit, ``lower`` is not below ``upper``, a number is out of bounds, or it is not clear which
        coordinate is meant.

    Notes
    -----
    Source: K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact,
    J. Appl. Mech. 42 (1975). Limit: the step must be short against the time of contact; error control sees to that.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> fx.JointStop(hinge, lower=-0.5, upper=0.5, stiffness=1e4, damping=0.2, name="buffers").upper
    0.5
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    lower: float | None = None
    upper: float | None = None
    stiffness: float = 0.0
    exponent: float = 1.5
    damping: float = 0.0
    coordinate: What | None = None
    name: str = "stop"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"JointStop {as_name('JointStop', 'name', self.name)!r}"
        at = coordinate(owner, self.on, self.coordinate)
        if self.lower is None and self.upper is None:
            raise ModelError(f"{owner}: give lower, upper or both.")
        lower = -math.inf if self.lower is None else as_number(owner, "lower", self.lower, unit=at.unit)
        upper = math.inf if self.upper is None else as_number(owner, "upper", self.upper, unit=at.unit)
        for limit, value in (("lower", self.lower), ("upper", self.upper)):
            if value is not None and at.unit == "rad":
                as_turns(owner, limit, value)
        if not lower < upper:
            raise ModelError(f"{owner}: lower must be less than upper, not {lower:g} and {upper:g}.")
        stiffness = as_number(owner, "stiffness", self.stiffness, above=0.0, unit=f"{at.load}/{at.unit}^n")
        exponent = as_number(owner, "exponent", self.exponent, minimum=1.0)
        damping = as_number(owner, "damping", self.damping, minimum=0.0, unit=f"time/{at.unit}")
        data = (stiffness, exponent, damping, lower, upper)
        object.__setattr__(self, "row_forces", (RowForce(at.a, at.b, (at.row,), STOP, data),))
