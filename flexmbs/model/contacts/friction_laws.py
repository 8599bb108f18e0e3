"""Laws of friction in contacts, in all directions of slip, under the contact's own normal force."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.checks import as_number
from flexmbs.core.errors import ModelError
from flexmbs.kernels.contact_laws import BRISTLE, COULOMB, DWELL

__all__ = ["BristleLaw", "CoulombLaw", "DwellLaw"]


def _coefficients(owner: str, coefficient: float, static: float | None) -> tuple[float, float]:
    mu = as_number(owner, "coefficient", coefficient, above=0.0)
    return mu, mu if static is None else as_number(owner, "static", static, minimum=mu)


def _bristle(owner: str, stiffness: float, damping: float | None) -> float:
    """The damping of a bristle, which no law can know; a message with what it is of the order of."""
    k0 = as_number(owner, "stiffness", stiffness, above=0.0, unit="force/length")
    if damping is None:
        raise ModelError(
            f"{owner}: give damping, that of the bristle [force time/length]. With the stiffness {k0:.4g}, "
            f"2 sqrt(k0 m) = {2.0 * math.sqrt(k0):.4g} sqrt(m) brings a mass m to rest without ringing."
        )
    return as_number(owner, "damping", damping, above=0.0, unit="force time/length")


@dataclass(frozen=True)
class CoulombLaw:
    r"""Regularised dry friction.

    With the slip velocity u (a vector in the tangent plane) and the normal force N the force on the body B is

    .. math:: T = -N \left(\mu + (\mu_s - \mu)\, e^{-(|u|/u_1)^2}\right) \tanh(|u|/u_0)\, \frac{u}{|u|}.

    Parameters
    ----------
    coefficient : float
        mu of sliding [-].
    speed : float
        u_0 of the regularisation [length/time].
    static : float, optional
        mu_s of the start of sliding, at least ``coefficient``, which is the default.
    falling : float, optional
        u_1 over which mu_s falls to mu [length/time]; by default 10 u_0.

    Raises
    ------
    ModelError
        If a number is out of bounds.

    Notes
    -----
    Limit: nothing sticks for good. Under a tangential force T below the limit it creeps with u_0 atanh(T/(mu N)); the
    history of a contact tells how far (`flexmbs.TimeSolution.contact`). `BristleLaw` holds.

    `flexmbs.CoulombFriction` is the same law on the coordinate of a joint, under a given load.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.CoulombLaw(0.3, speed=1e-3).coefficient
    0.3
    """

    coefficient: float
    speed: float
    static: float | None = None
    falling: float | None = None

    def __post_init__(self) -> None:
        self.numbers()

    def numbers(self) -> tuple[float, ...]:
        """Law, mu, mu_s, u_1, u_0, no viscous part."""
        owner = "CoulombLaw"
        mu, static = _coefficients(owner, self.coefficient, self.static)
        speed = as_number(owner, "speed", self.speed, above=0.0, unit="length/time")
        falling = 10.0 * speed if self.falling is None else as_number(owner, "falling", self.falling, above=0.0)
        return COULOMB, mu, static, falling, speed, 0.0

    @property
    def slip_speed(self) -> float:
        """Speed from which it counts as slipping: u_0, where friction is 0.76 of its limit."""
        return self.speed

    def states(self, directions: int) -> int:
        """How many states it has for so many directions of slip."""
        return 0


@dataclass(frozen=True)
class BristleLaw:
    r"""Dry friction that holds: an elasto-plastic bristle in the directions of slip.

    With the deflection z (a vector), its direction :math:`e = z/|z|`, the slip velocity u and the normal force N the
    force on the body B is

    .. math:: T = -(k_0 z + k_1 \dot z), \qquad \dot z = u - a(|z|)\, \frac{|z|}{z_1} \max(e \cdot u, 0)\, e,

    .. math:: \mu(u) = \mu + (\mu_s - \mu)\, e^{-(u/u_1)^2}, \qquad k_0 z_1 = N \mu(|u|),

    where the slip a rises from 0 at :math:`|z| = b N\mu/k_0` to 1 at :math:`z_1`. Below that the contact is elastic and
    does not creep under any load. A force F beyond :math:`N \mu(|u|)` is cut to that length and turned towards
    :math:`-(k_0 z + k_1 u)`, along which a damper in series with a slider pulls: what slides fast is held back against
    its slip, however this turns. Its direction is that of :math:`\lambda F - (1 - \lambda)(k_0 z + k_1 u)` with
    :math:`\lambda = N \mu(|u|)/|F|`. Then the bristle gives way at the rate that goes with it,
    :math:`\dot z = -(T + k_0 z)/k_1`: so it lets go what a falling normal force no
    longer holds, and of an open contact it returns to rest. The factor :math:`a |z|/z_1` is one at most: where mu falls
    faster than the bristle gives way, so that it is longer than z_1, the force is :math:`N \mu(|u|)`. In one direction,
    and under a constant N, it is `flexmbs.BristleFriction` but for the cut and for this bound, of which that has none.

    Parameters
    ----------
    coefficient : float
        mu of sliding [-].
    stiffness : float
        k_0 of one contact [force/length]. Before it slides it gives way by N mu/k_0.
    damping : float
        k_1 [force time/length], positive; must be given. About 2 sqrt(k_0 m) for a mass m.
    static : float, optional
        mu_s of the start of sliding; together with
    falling : float, optional
        u_1 over which mu_s falls to mu [length/time].
    breakaway : float, default 0.7
        b, between 0 (creeps) and 1, excluded.

    Raises
    ------
    ModelError
        If a number is out of bounds.

    Notes
    -----
    The deflection is a state of first order for each direction of slip: two on planes in space, one in planar models,
    three (in the axes of A) on round shapes. It does not turn with the contact point: what rolls over a round shape A
    loses the part of its bristle that no longer is tangential, which matters little where N mu/k_0 is small beside its
    radius.
    With ``static``, the bristle must be stiff: the rate of the force over k_0, at which it yields while it is bent,
    has to be small beside ``falling``, or it lets go below mu_s; `simulate` says so, with the stiffness to take.
    Static analyses refuse what remembers its past. Error control does not see first-order states: give ``max_step``
    where the bristle, of angular frequency sqrt(k_0/m), is faster than the rest. Bristles of open contacts return to
    rest at the rate k_0/k_1, which steps of `flexmbs.RungeKutta` have to resolve, too: h k_0/k_1 below 2.

    Sources: those of `flexmbs.BristleFriction`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.BristleLaw(0.4, stiffness=1e6, damping=2e3).states(2)
    2
    """

    coefficient: float
    stiffness: float
    damping: float | None = None
    static: float | None = None
    falling: float | None = None
    breakaway: float = 0.7

    def __post_init__(self) -> None:
        self.numbers()

    def numbers(self) -> tuple[float, ...]:
        """Law, k_0, k_1, mu, mu_s, u_1, b."""
        owner = "BristleLaw"
        mu, static = _coefficients(owner, self.coefficient, self.static)
        k1 = _bristle(owner, self.stiffness, self.damping)
        if (self.static is None) != (self.falling is None):
            raise ModelError(f"{owner}: static and falling are given together or not at all.")
        falling = 1.0 if self.falling is None else as_number(owner, "falling", self.falling, above=0.0)
        begin = as_number(owner, "breakaway", self.breakaway, minimum=0.0, below=1.0)
        return BRISTLE, self.stiffness, k1, mu, static, falling, begin

    @property
    def slip_speed(self) -> float | None:
        """Speed from which it counts as slipping: that over which friction falls, if there is one."""
        return self.falling

    def states(self, directions: int) -> int:
        """One for each direction of slip."""
        return directions


@dataclass(frozen=True)
class DwellLaw:
    r"""Bristle friction whose static limit grows with the time at rest.

    With the deflection z, the state of rest r, the slip velocity u and the normal force N:

    .. math::

       s = e^{-(|u|/v_s)^2}, \qquad
       \dot z = s\, u + (1 - s)\left(\frac{\mu N}{\sigma}\,\text{dir}(u) - \frac{k}{\sigma} z\right), \qquad
       \dot r = \frac{s - r}{\tau}\ (s \ge r),\quad \frac{k}{\sigma}(s - r)\ (s < r),

    .. math:: T = -(k z + \sigma \dot z), \qquad |T| \le N \left(\mu + (\mu_s - \mu)\, r\right),

    with dir(u) = u/|u| beyond :math:`v_d`, and :math:`(u/v_d)(3/2 - (|u|/v_d)^2/2)` within.

    Parameters
    ----------
    coefficient, static : float
        mu of sliding and mu_s after a long rest [-].
    stiffness, damping : float
        k [force/length] and sigma [force time/length] of the bristle, both positive.
    stribeck_speed : float
        v_s [length/time], below which it sticks.
    speed : float
        v_d, over which the direction turns [length/time].
    dwell_time : float
        tau [time] in which the static limit grows.

    Raises
    ------
    ModelError
        If a number is out of bounds.

    Notes
    -----
    Under a load below the limit it creeps with a part 1 - s of what a damper of sigma would, which is small while
    |u| << v_s. The states are those of `BristleLaw` and r, which starts at 0.
    It is not passive: below v_s the bristle follows the slip whatever N is, of an open contact, too, and what it stores
    then comes from nowhere. A contact that opens and closes again may so begin with a bent bristle; `simulate` warns
    where this is more than a twentieth of the energy. `BristleLaw` lets its bristle go when the contact opens.

    The equations are those above, after Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, A regularized contact model
    with asymmetric damping and dwell-time dependent friction, Multibody Syst. Dyn. 11 (2004); they are verified against
    their own integration (case dwell-time-friction), not against the figures of that paper.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.DwellLaw(0.2, 0.35, stiffness=1e5, damping=1e3, stribeck_speed=4e-3, speed=2e-3, dwell_time=1.5
    ...                     ).states(1)
    2
    """

    coefficient: float
    static: float
    stiffness: float
    damping: float
    stribeck_speed: float
    speed: float
    dwell_time: float

    def __post_init__(self) -> None:
        self.numbers()

    def numbers(self) -> tuple[float, ...]:
        """Law, k, sigma, mu, mu_s, v_s, v_d, tau."""
        owner = "DwellLaw"
        mu, static = _coefficients(owner, self.coefficient, self.static)
        sigma = _bristle(owner, self.stiffness, self.damping)
        vs = as_number(owner, "stribeck_speed", self.stribeck_speed, above=0.0, unit="length/time")
        vd = as_number(owner, "speed", self.speed, above=0.0, unit="length/time")
        tau = as_number(owner, "dwell_time", self.dwell_time, above=0.0, unit="time")
        return DWELL, self.stiffness, sigma, mu, static, vs, vd, tau

    @property
    def slip_speed(self) -> float:
        """Speed from which it counts as slipping: v_s, below which it sticks."""
        return self.stribeck_speed

    def states(self, directions: int) -> int:
        """One for each direction of slip, and the state of rest."""
        return directions + 1
