"""Springs and dampers between two points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description
from flexmbs.kernels.rows.rows import DISTANCE
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.bodies.marker import Marker, as_marker
from flexmbs.model.forces.force_curve import Part
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.spring_law import spring_law
from flexmbs.model.forces.user_law import Derivatives, ForceFunction
from flexmbs.model.forces.wrench import Wrench
from flexmbs.model.joints.contracts import Row
from flexmbs.model.joints.sides import check_different

__all__ = ["SpringDamper"]


@two_ended
@dataclass(frozen=True, eq=False)
class SpringDamper(Description):
    r"""A spring and a damper side by side between two points; its force acts along the line between them.

    With the length l and its rate the force, positive where it pulls the points together, is

    .. math:: F = f(l - l_0) + g(\dot l) + F_0

    with :math:`l_0` the ``free_length`` free of force and :math:`F_0` the ``preload``. A number for stiffness and
    damping means :math:`f(x) = k x` and :math:`g(u) = c u`; a sequence :math:`f(x) = k_1 x + k_2 x^2 + \dots`

    Parameters
    ----------
    a, b : Marker, Attachment of one node, or a body that is a point
        One by one or as a pair, ``SpringDamper((a, b), ...)``, as for all that lies between two places.
    stiffness : float, sequence or ForceCurve, default 0
        [force/length], [force/length, force/length^2, ...], or the force over the elongation.
    damping : float, sequence or ForceCurve, default 0
        [force time/length], likewise over dl/dt.
    free_length : float, optional
        Length at which the spring is free of force [length]; by default the distance in the initial configuration.
    preload : float, default 0
        Force added [force].
    force : function (length, rate, t) -> force, optional
        In place of all these. It is called in each iteration and must not remember anything.
    derivatives : function (length, rate, t) -> (dF/dlength, dF/drate), optional
        Of ``force``; otherwise central differences are taken. Wrong ones slow the iteration down or stop it, but do not
        change what it converges to.
    name : str

    Raises
    ------
    ModelError
        If nothing or too much is given, a number is negative, or the points coincide.

    Notes
    -----
    Limit: the length must not become zero, where the direction is not defined; a `Bushing` has no such place. The
    energy of a ``force`` is not known and not counted.

    Examples
    --------
    >>> import flexmbs as fx
    >>> ball = fx.PointMass(1.0, position=(0.0, -0.5), name="ball")
    >>> spring = fx.SpringDamper(fx.ground.marker((0, 0, 0)), ball, stiffness=100.0, damping=0.2, name="spring")
    >>> spring.free_length
    0.5
    """

    role: ClassVar[str] = "force"
    a: Marker
    b: Marker
    stiffness: Part = 0.0
    damping: Part = 0.0
    free_length: float | None = None
    preload: float = 0.0
    force: ForceFunction | None = None
    derivatives: Derivatives | None = None
    name: str = "spring"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"SpringDamper {as_name('SpringDamper', 'name', self.name)!r}"
        a, b = check_different(owner, as_marker(owner, self.a), as_marker(owner, self.b))
        distance = float(np.linalg.norm(b.position0() - a.position0()))
        if distance == 0.0:
            raise ModelError(
                f"{owner}: its ends are at the same place in the initial configuration, so its direction is not "
                f"defined; take other points, or a Bushing."
            )
        free_length = (
            distance if self.free_length is None else as_number(owner, "free_length", self.free_length, minimum=0.0)
        )
        law, data, function = spring_law(
            owner,
            self.stiffness,
            self.damping,
            free_length,
            self.preload,
            self.force,
            self.derivatives,
            self.free_length,
            "length",
        )
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "b", b)
        object.__setattr__(self, "free_length", free_length)
        object.__setattr__(self, "row_forces", (RowForce(a, b, (Row(DISTANCE),), law, data, function),))
