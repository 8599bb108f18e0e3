"""Laws of the normal force of a contact: how stiff it is, and how much it takes from what bounces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError, a_or_an
from flexmbs.core.material import Elastic
from flexmbs.kernels.contact_laws import HUNT_CROSSLEY, IMPACT

if TYPE_CHECKING:
    from flexmbs.model.contacts.shapes import Shape

__all__ = ["HertzLaw", "HuntCrossleyLaw", "ImpactLaw", "damping_for", "restitution"]

Numbers = tuple[float, float, float, float, float]


def damping_for(restitution: float, at_speed: float) -> float:
    r"""The damping c of k d^n (1 + c d') with which a mass that hits a wall rebounds with a wished speed.

    With D = c v it solves :math:`\ln(1 + D) - \ln(1 - e D) = D (1 + e)`, which is exact for every k, n and mass.

    Parameters
    ----------
    restitution : float
        e, speed after over speed before, above 0 and at most 1.
    at_speed : float
        v, of approach [length/time].

    Returns
    -------
    float
        [time/length].

    Raises
    ------
    ModelError
        If a number is out of bounds.

    Notes
    -----
    At other speeds the restitution is another one (`restitution`): 1 - 2/3 c v for small c v.

    Source: derivation from the first integral of the motion; Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, A
    regularized contact model with asymmetric damping and dwell-time dependent friction, Multibody Syst. Dyn. 11 (2004).

    Examples
    --------
    >>> round(damping_for(0.5, at_speed=1.0), 9)
    1.432750533
    """
    owner = "damping_for"
    e = as_number(owner, "restitution", restitution, above=0.0, maximum=1.0)
    v = as_number(owner, "at_speed", at_speed, above=0.0, unit="length/time")
    if e == 1.0:
        return 0.0

    def off(D: float) -> float:
        return math.log1p(D) - math.log1p(-e * D) - D * (1.0 + e)

    # D = 0 solves it too; between it and the wanted one, which is below 1/e, the function is negative
    small = 1.5 * (1.0 - e) * 0.5
    while off(small) > 0.0:
        small *= 0.5
    gap = 0.5
    while off((1.0 - gap) / e) < 0.0:
        gap *= 0.1
        if gap < 1e-15:
            return 1.0 / (e * v)  # to the last digit
    from scipy.optimize import brentq  # slow to import, seldom needed

    return float(brentq(off, small, (1.0 - gap) / e, xtol=1e-15, rtol=8.9e-16)) / v


def restitution(damping: float, speed: float) -> float:
    """The restitution of k d^n (1 + c d') with the damping c at a speed of approach; 1 where nothing is lost.

    The inverse of `damping_for`.

    Examples
    --------
    >>> round(restitution(0.35, 2.0), 10)
    0.6785946897
    """
    D = as_number("restitution", "damping", damping, minimum=0.0) * as_number(
        "restitution", "speed", speed, minimum=0.0
    )  # fmt: skip
    if D == 0.0:
        return 1.0

    from scipy.optimize import brentq  # slow to import, seldom needed

    if D > 1.0:  # by the logarithm of 1 - e D, which may be less than the least number
        w = brentq(lambda w: math.log1p(D) - w - D - 1.0 + math.exp(w), -(D + 2.0), 0.0, xtol=1e-16, rtol=8.9e-16)
        return -math.expm1(w) / D

    def off(x: float) -> float:  # x = e D
        return math.log1p(D) - math.log1p(-x) - D - x

    top = D
    gap = 1e-3
    while off(top - gap * top) < 0.0 and gap > 1e-16:
        gap *= 0.1
    if gap <= 1e-16 or off(0.0) * off(top - gap * top) > 0.0:  # so little is lost that round-off decides
        return 1.0 - 2.0 / 3.0 * D
    return float(brentq(off, 0.0, top - gap * top, xtol=1e-16, rtol=8.9e-16)) / D


def _damping(owner: str, damping: float | None, e: float | None, at_speed: float | None) -> float:
    """c, given or from a wish."""
    if (e is None) != (at_speed is None):
        raise ModelError(f"{owner}: restitution holds at one speed; give restitution and at_speed together.")
    if e is None or at_speed is None:
        return as_number(owner, "damping", 0.0 if damping is None else damping, minimum=0.0, unit="time/length")
    if damping is not None:
        raise ModelError(f"{owner}: give damping or restitution with at_speed, not both.")
    return damping_for(e, at_speed)


@dataclass(frozen=True, kw_only=True)
class HuntCrossleyLaw:
    r"""Elastic contact with a loss that grows with the speed of impact.

    .. math:: N = k d^n (1 + c \dot d) \ge 0, \qquad d = -\text{gap}.

    Parameters
    ----------
    stiffness : float
        k [force/length^n].
    exponent : float, default 1.5
        n, at least 1. With 1 the stiffness jumps at the touch, which costs iterations; 1.5 is smooth enough.
    damping : float, optional
        c [time/length], 0 without it; or instead
    restitution, at_speed : float, optional
        The restitution wished for at a speed of approach [length/time], from which c follows (`damping_for`): exact for
        two bodies that hit each other centrally, whatever their masses, k and n.

    Raises
    ------
    ModelError
        If a number is out of bounds, or too few or too many are given.

    Notes
    -----
    The force never pulls. Where bodies are torn apart faster than the contact expands (1 + c d' < 0) what is still
    stored is lost, and counted as lost in the account of energy.

    Source: K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Appl.
    Mech. 42 (1975).

    Examples
    --------
    >>> import flexmbs as fx
    >>> law = fx.contact.HuntCrossleyLaw(stiffness=2e4, restitution=0.9, at_speed=0.5)
    >>> round(law.damping_coefficient, 10)
    0.3329639014
    """

    stiffness: float
    exponent: float = 1.5
    damping: float | None = None
    restitution: float | None = None
    at_speed: float | None = None

    def __post_init__(self) -> None:
        owner = "HuntCrossleyLaw"
        exponent = as_number(owner, "exponent", self.exponent, minimum=1.0)
        object.__setattr__(self, "exponent", exponent)
        as_number(owner, "stiffness", self.stiffness, above=0.0, unit=f"force/length^{exponent:g}")
        _damping(owner, self.damping, self.restitution, self.at_speed)

    @property
    def damping_coefficient(self) -> float:
        """c, given or found from the wish [time/length]."""
        return _damping("HuntCrossleyLaw", self.damping, self.restitution, self.at_speed)

    def numbers(self, owner: str, a: Shape, b: Shape) -> Numbers:
        """Of a pair of shapes: law, k, n, c, 0."""
        return HUNT_CROSSLEY, self.stiffness, self.exponent, self.damping_coefficient, 0.0


@dataclass(frozen=True, kw_only=True)
class HertzLaw:
    r"""Contact of two balls, or of a ball and a plane, of elastic material.

    .. math::

       N = \tfrac43 E^* \sqrt{R}\, d^{3/2} (1 + c \dot d), \qquad
       \frac1{E^*} = \frac{1 - \nu_a^2}{E_a} + \frac{1 - \nu_b^2}{E_b}, \qquad
       \frac1R = \frac1{R_a} + \frac1{R_b}.

    Parameters
    ----------
    material : Elastic
        Of both bodies, such as ``fx.steel``.
    other : Elastic, optional
        Of the second one, where it differs.
    damping, restitution, at_speed : float, optional
        As in `HuntCrossleyLaw`.

    Raises
    ------
    ModelError
        If a number is out of bounds; when a contact is made, if a pair is not of balls and planes.

    Notes
    -----
    Quasi-static: waves in the bodies are left out. Impacts of metals last about 1e-4 s, so error control is needed.

    Source: K. L. Johnson, Contact Mechanics (Cambridge, 1985), chapter 4.

    Examples
    --------
    >>> import flexmbs as fx
    >>> law = fx.contact.HertzLaw(material=fx.steel, restitution=0.8, at_speed=1.0)
    >>> law.material.name
    'steel'
    """

    material: Elastic
    other: Elastic | None = None
    damping: float | None = None
    restitution: float | None = None
    at_speed: float | None = None

    def __post_init__(self) -> None:
        for name in ("material", "other"):
            value = getattr(self, name)
            if not (isinstance(value, Elastic) or (name == "other" and value is None)):
                raise ModelError(f"HertzLaw: {name} must be an Elastic material, such as fx.steel, not {show(value)}.")
        _damping("HertzLaw", self.damping, self.restitution, self.at_speed)

    def numbers(self, owner: str, a: Shape, b: Shape) -> Numbers:
        """Of a pair of shapes: law, k, n, c, 0."""
        for shape in (a, b):
            if shape.curvature is None:
                raise ModelError(
                    f"{owner}: the law of Hertz is for balls and planes, not for {a_or_an(shape)}; give its stiffness "
                    f"by a HuntCrossleyLaw."
                )
        assert a.curvature is not None and b.curvature is not None  # noqa: S101, PT018 - as checked
        one, two = (
            (1.0 - m.poissons_ratio**2) / m.youngs_modulus for m in (self.material, self.other or self.material)
        )  # fmt: skip
        curved = a.curvature + b.curvature
        stiffness = 4.0 / 3.0 / (one + two) / math.sqrt(curved)
        return HUNT_CROSSLEY, stiffness, 1.5, _damping(owner, self.damping, self.restitution, self.at_speed), 0.0


@dataclass(frozen=True, kw_only=True)
class ImpactLaw:
    r"""A spring with a damper that comes in with the depth, as IMPACT of Adams has it.

    .. math::

       N = k d^n + c(d)\, \dot d \ge 0, \qquad c(d) = c \left(3 x^2 - 2 x^3\right), \quad x = \min(d/h, 1).

    Parameters
    ----------
    stiffness : float
        k [force/length^n].
    exponent : float, default 1
        n, at least 1.
    damping : float
        c, of the full depth [force time/length].
    depth : float
        h, at which the damping is full [length].

    Raises
    ------
    ModelError
        If a number is out of bounds.

    Examples
    --------
    >>> import flexmbs as fx
    >>> fx.contact.ImpactLaw(stiffness=3e4, damping=2e3, depth=5e-3).exponent
    1.0
    """

    stiffness: float
    exponent: float = 1.0
    damping: float
    depth: float

    def __post_init__(self) -> None:
        owner = "ImpactLaw"
        object.__setattr__(self, "exponent", as_number(owner, "exponent", self.exponent, minimum=1.0))
        as_number(owner, "stiffness", self.stiffness, above=0.0)
        as_number(owner, "damping", self.damping, minimum=0.0, unit="force time/length")
        as_number(owner, "depth", self.depth, above=0.0, unit="length")

    def numbers(self, owner: str, a: Shape, b: Shape) -> Numbers:
        """Of a pair of shapes: law, k, n, c, h."""
        return IMPACT, self.stiffness, self.exponent, self.damping, self.depth
