"""Dry friction that holds: an elasto-plastic bristle."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from flexmbs.core.checks import as_name, as_number
from flexmbs.core.errors import ModelError
from flexmbs.core.extra_coordinate import ExtraCoordinate
from flexmbs.core.references import Description, refers_to
from flexmbs.kernels.laws import BRISTLE
from flexmbs.model.bodies.ends import two_ended
from flexmbs.model.forces.coordinate import Place, What, coordinate
from flexmbs.model.forces.coulomb_friction import friction_numbers
from flexmbs.model.forces.row_force import RowForce
from flexmbs.model.forces.wrench import Wrench

__all__ = ["BristleFriction"]


@two_ended
@dataclass(frozen=True, eq=False)
class BristleFriction(Description):
    r"""Dry friction with sticking on the coordinate of a joint, under a given normal load N.

    The surfaces hold each other by a bristle of deflection z and stiffness k0. With the rate u of the coordinate and
    the radius r (1 for displacements) the force against the motion and the deflection are

    .. math::

       F = k_0 z + k_1 \dot z + c u, \qquad \dot z = u \left(1 - a(z, u) \frac{|z|}{z_1}\right), \qquad
       k_0 z_1 = N r \left(\mu + (\mu_s - \mu)\, e^{-(u/u_1)^2}\right).

    As long as the deflection is below ``breakaway`` times :math:`N r \mu / k_0` the slip a is zero: the joint is
    elastic and does not creep under any load below that. It slides where a = 1, with the deflection :math:`z_1`;
    between, a rises smoothly from 0 to 1.

    Parameters
    ----------
    on : joint, or two places (a, b)
        Places may be given one by one, too: ``BristleFriction(a, b, ...)``.
    coefficient : float
        mu of sliding [-].
    load : float
        N [force], constant.
    deflection : float
        N r mu / k0, by which the joint gives way before it slides [length or rad].
    radius : float, default 1
        r of a journal [length]; for angles only.
    static : float, optional
        mu_s of the start of sliding, at least ``coefficient``, which is the default; together with
    falling : float, optional
        u_1 [length/time or rad/time] over which mu_s falls to mu; to be chosen together with ``deflection``, see below.
    damping : float
        k1 of the bristle [force time/length], for an angle [force length time/rad]; must be given. About
        2 sqrt(k0 m) brings a mass (moment of inertia) m that moves with the coordinate to rest without ringing. With 0
        what sticks swings on its bristle for ever.
    viscous : float, default 0
        c, in the same units.
    breakaway : float, default 0.7
        Between 0 (sliding starts at once: the LuGre model, which creeps) and 1, excluded.
    coordinate : 'angle', 'displacement' or 'distance', optional
        Which coordinate; needed where the joint leaves several free and between two markers.
    name : str

    Raises
    ------
    ModelError
        If a number is out of bounds, or it is not clear which coordinate is meant.

    Notes
    -----
    The deflection starts at zero. Damping cannot be chosen without the mass, which a force does not know: that of
    everything that moves with the coordinate, about the axis for an angle. Where the rate at the start is not zero, the
    damping of the bristle adds k1 u until the bristle is bent, an impulse of about k1 times ``deflection``.

    While it holds, the bristle is bent at the rate (dF/dt)/k0, and at many times that rate close to the limit, where a
    rises. These must be small beside ``falling``, or friction falls before its static limit is reached: sticking ends
    at (1 - e) N r mu_s with e of about 0.01 for u_1 = 200 (dF/dt)/k0, 0.03 for 60, 0.1 for 6. So take

    .. math:: \text{deflection} \le \frac{u_1}{800} \frac{N r \mu}{dF/dt},

    with dF/dt the rate at which the load on what sticks grows (stiffness times speed of a belt). `simulate` warns
    of sticking that ended more than 1 % early, and says which deflection to take. Steps must resolve the bristle, of
    which sqrt(k0/m) is the angular frequency.

    Sources: C. Canudas de Wit, H. Olsson, K. J. Astrom, P. Lischinsky, A new model for
    control of systems with friction, IEEE Trans. Autom. Control 40 (1995); P. Dupont, V. Hayward, B. Armstrong,
    F. Altpeter, Single state elastoplastic friction models, IEEE Trans. Autom. Control 47 (2002).

    Examples
    --------
    The crank turns with 0.0134 kg m^2 about the hinge, and k0 = 0.4 * 100 * 0.05 / 1e-3 = 2000 N m/rad:

    >>> import flexmbs as fx
    >>> crank = fx.RigidBody.box(size=(0.2, 0.02, 0.02), mass=1.0, position=(0.1, 0, 0), name="crank")
    >>> hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    >>> brake = fx.BristleFriction(hinge, coefficient=0.4, load=100.0, radius=0.05, deflection=1e-3,
    ...                      damping=2 * (2000.0 * 0.0134) ** 0.5, name="brake")
    >>> [state.name for state in brake.extra]
    ["bristle of 'brake'"]
    """

    role: ClassVar[str] = "force"
    on: Place = field(metadata=refers_to("joint"))
    coefficient: float
    load: float
    deflection: float
    radius: float = 1.0
    static: float | None = None
    falling: float | None = None
    damping: float | None = None
    viscous: float = 0.0
    breakaway: float = 0.7
    coordinate: What | None = None
    name: str = "stick-slip"
    row_forces: tuple[RowForce, ...] = field(init=False, repr=False)
    extra: tuple[ExtraCoordinate, ...] = field(init=False, repr=False)
    wrenches: ClassVar[tuple[Wrench, ...]] = ()

    def __post_init__(self) -> None:
        owner = f"BristleFriction {as_name('BristleFriction', 'name', self.name)!r}"
        at = coordinate(owner, self.on, self.coordinate)
        mu, static, force = friction_numbers(
            owner, self.coefficient, self.static, self.load, self.radius, at.unit == "rad"
        )
        if mu * force == 0.0:
            raise ModelError(f"{owner}: coefficient and load must be greater than 0, or there is no friction.")
        if (self.static is None) != (self.falling is None):
            raise ModelError(f"{owner}: static and falling are given together or not at all.")
        falling = 1.0 if self.falling is None else as_number(owner, "falling", self.falling, above=0.0)
        deflection = as_number(owner, "deflection", self.deflection, above=0.0, unit=at.unit)
        if self.damping is None:
            raise ModelError(
                f"{owner}: give damping, that of the bristle [{at.load} time/{at.unit}]. Its stiffness is k0 = "
                f"{mu * force / deflection:.4g}; 2 sqrt(k0 m) = {2.0 * math.sqrt(mu * force / deflection):.4g} sqrt(m) "
                f"brings {'a moment of inertia' if at.unit == 'rad' else 'a mass'} m to rest without ringing. With 0 "
                f"what sticks swings for ever."
            )
        damping = as_number(owner, "damping", self.damping, minimum=0.0, unit=f"{at.load} time/{at.unit}")
        viscous = as_number(owner, "viscous", self.viscous, minimum=0.0, unit=f"{at.load} time/{at.unit}")
        begin = deflection * as_number(owner, "breakaway", self.breakaway, minimum=0.0, below=1.0)
        data = (mu * force / deflection, damping, viscous, mu * force, static * force, falling, begin)
        states = (ExtraCoordinate(f"bristle of {self.name!r}"),)
        object.__setattr__(self, "extra", states)
        object.__setattr__(self, "row_forces", (RowForce(at.a, at.b, (at.row,), BRISTLE, data, states=states),))
