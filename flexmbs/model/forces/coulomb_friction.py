"""Dry friction in joints, regularised."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.laws import FRICTION
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, What, coordinate
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench

__all__ = ["CoulombFriction"]


@two_ended
@dataclass(frozen=True, eq=False)
class CoulombFriction(Description):
    r"""Dry and viscous friction on the coordinate of a joint, under a given normal load N.

    With the rate u of the coordinate and the radius r (1 for translations) the force against the motion is

    .. math:: F = N r \left(\mu + (\mu_s - \mu)\, e^{-(u/u_1)^2}\right) \tanh(u/u_0) + c u.

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``CoulombFriction(a, b, ...)``.
    coefficient : float
        mu of sliding [-].
    load : float
        N [force], constant.
    speed : float
        u_0 of the regularisation [length/time], for an angle [rad/time]: below it the joint creeps.
    radius : float, default 1
        r of a journal [length]; for angles only.
    static : float, optional
        mu_s of the start of sliding, at least ``coefficient``, which is the default.
    falling : float, optional
        u_1 over which mu_s falls to mu; by default 10 u_0.
    viscous : float, default 0
        c [force time/length], for an angle [force length time/rad].
    coordinate : 'angle', 'displacement' or 'distance', optional
        Which coordinate; needed where the joint leaves several free and between two markers.
    name : str

    Raises
    ------
    ModelError
        If a number is out of bounds, or it is not clear which coordinate is meant.

    Notes
    -----
    Limit: nothing sticks for good; under a load below the limit it creeps with less than u_0. `BristleFriction` holds.

    Examples
    --------
    >>> import flexmbs as fx
    >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> fx.CoulombFriction(hinge, coefficient=0.2, load=50.0, radius=0.01, speed=0.01, name="bearing").name
    'bearing'
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    coefficient: float
    load: float
    speed: float
    radius: float = 1.0
    static: float | None = None
    falling: float | None = None
    viscous: float = 0.0
    coordinate: What | None = None
    name: str = "friction"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"CoulombFriction {as_name('CoulombFriction', 'name', self.name)!r}"
        at = coordinate(owner, self.on, self.coordinate)
        mu, static, force = friction_numbers(
            owner, self.coefficient, self.static, self.load, self.radius, at.unit == "rad"
        )
        speed = as_number(owner, "speed", self.speed, above=0.0, unit=f"{at.unit}/time")
        falling = 10.0 * speed if self.falling is None else as_number(owner, "falling", self.falling, above=0.0)
        viscous = as_number(owner, "viscous", self.viscous, minimum=0.0, unit=f"{at.load} time/{at.unit}")
        data = (mu * force, static * force, falling, speed, viscous)
        object.__setattr__(self, "row_forces", (RowForce(at.a, at.b, (at.row,), FRICTION, data),))


def friction_numbers(
    owner: str, coefficient: float, static: float | None, load: float, radius: float, angle: bool
) -> tuple[float, float, float]:
    """Coefficients of sliding and of its start, and the load times the radius."""
    mu = as_number(owner, "coefficient", coefficient, minimum=0.0)
    start = mu if static is None else as_number(owner, "static", static, minimum=mu)
    arm = as_number(owner, "radius", radius, above=0.0, unit="length")
    if not angle and arm != 1.0:
        raise ModelError(f"{owner}: radius is that of a journal, but the coordinate is no angle; leave it out.")
    return mu, start, as_number(owner, "load", load, minimum=0.0, unit="force") * arm
