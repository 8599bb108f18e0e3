"""Torsional springs and dampers about the axis of a joint."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.references import Description, refers_to
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, coordinate
from flexmbs.model.forces.force_curve import Part
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.spring_law import spring_law
from flexmbs.model.forces.user_law import Derivatives, ForceFunction
from flexmbs.model.forces.wrench import Wrench

__all__ = ["TorsionSpring"]


@two_ended
@dataclass(frozen=True, eq=False)
class TorsionSpring(Description):
    r"""A torsional spring and damper about the common third axis of two markers, or the axis of a joint.

    With the angle :math:`\varphi` of b about the axis, counted over all turns, the restoring torque (positive where it
    turns b back, towards smaller angles) is

    .. math:: T = f(\varphi - \varphi_0) + g(\dot\varphi) + T_0

    with :math:`\varphi_0` the angle at ``free_angle`` and :math:`T_0` the ``preload``. A number for stiffness and
    damping means :math:`f(x) = k x` and :math:`g(u) = c u`; a sequence :math:`f(x) = k_1 x + k_2 x^2 + \dots`

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``TorsionSpring(a, b, ...)``.
    stiffness : float, sequence or ForceCurve, default 0
        [force length/rad], ..., or the torque over the angle.
    damping : float, sequence or ForceCurve, default 0
        [force length time/rad], likewise over dphi/dt.
    free_angle : float, optional
        Angle at which the spring is free of torque [rad]; by default that of the initial configuration.
    preload : float, default 0
        Torque added [force length].
    torque : function (angle, rate, t) -> torque, optional
        In place of all these. It is called in each iteration and must not remember anything.
    derivatives : function (angle, rate, t) -> (dT/dangle, dT/drate), optional
        Of ``torque``; otherwise central differences are taken.
    name : str

    Raises
    ------
    ModelError
        If nothing or too much is given, a number is negative, or a side has no orientation.

    Notes
    -----
    Limit: the axes of both markers should stay together, as a joint keeps them; where they tilt, the angle is the one
    that is left after turning one axis into the other the shortest way.

    Examples
    --------
    >>> import flexmbs as fx
    >>> door = fx.RigidBody.box(size=(1.0, 0.04, 2.0), mass=20.0, position=(0.5, 0, 0), name="door")
    >>> hinge = fx.RevoluteJoint(fx.ground, door, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> fx.TorsionSpring(hinge, stiffness=5.0, free_angle=0.1, name="closer").free_angle
    0.1
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    stiffness: Part = 0.0
    damping: Part = 0.0
    free_angle: float | None = None
    preload: float = 0.0
    torque: ForceFunction | None = None
    derivatives: Derivatives | None = None
    name: str = "torsion spring"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"TorsionSpring {as_name('TorsionSpring', 'name', self.name)!r}"
        at = coordinate(owner, self.on, "angle")
        free_angle = (
            at.start if self.free_angle is None else as_number(owner, "free_angle", self.free_angle, unit="rad")
        )
        law, data, function = spring_law(
            owner,
            self.stiffness,
            self.damping,
            free_angle,
            self.preload,
            self.torque,
            self.derivatives,
            self.free_angle,
            "rad",
        )
        object.__setattr__(self, "free_angle", free_angle)
        object.__setattr__(self, "row_forces", (RowForce(at.a, at.b, (at.row,), law, data, function),))
