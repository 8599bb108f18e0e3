r"""Wheel on rail: patch and pressure by virtual penetration, and the forces of creep on it.

Axes of the contact: x in the direction of rolling, y across the rail, from the point of first touch. With the radius R
of
the wheel and the gap h(y) of the profiles across the rail the undeformed gap is

.. math:: z(x, y) = \frac{x^2}{2 R} + h(y), \qquad a(y) = \sqrt{2 R\,(\delta - h(y))}.

A virtual penetration :math:`\delta` gives the patch :math:`z < \delta` with half lengths a(y), and the pressure is
taken in
proportion to :math:`\delta - z`. That half the penetration is the displacement of the surface at the origin by
Boussinesq
fixes the scale:

.. math::

   N = \frac{\pi E \delta}{2 (1 - \nu^2)}\, \frac{\int \left((\delta - h)\, a - a^3/(6 R)\right) dy}
   {\int \left((\delta - h + y^2/(4R)) \ln\frac{a + \sqrt{a^2 + y^2}}{|y|} - \frac{a}{4R} \sqrt{a^2 + y^2}\right) dy} .
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.core.checks import as_count, as_number, has_shape, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.material import Elastic
from flexmbs.model.contacts.kalker import kalker_coefficients

__all__ = ["ContactPatch", "CreepForce", "Penetration", "WheelOnRail"]

SAMPLES = 801
"""Of the profile, between which the edges of zones are looked for."""
ABSCISSAE = np.arange(-4.0, 4.01, 0.08)
"""Of the double exponential rule, whose error is below 1e-12 for ends as square roots and logarithms."""
CLOSE = 1e-10
"""Of the penetration, relative, at which its iteration ends."""
MOST = 30


class Penetration(NamedTuple):
    """Virtual penetration [length] of a normal force, and the steps of the iteration that found it."""

    depth: float
    iterations: int


class CreepForce(NamedTuple):
    """Force on the wheel along and across the rail [force], and the part of the patch that slips [-]."""

    along: float
    across: float
    slipping: float


@dataclass(frozen=True, kw_only=True)
class WheelOnRail:
    r"""Contact of a wheel with a cylindrical rail by virtual penetration, under a given normal force.

    Parameters
    ----------
    radius : float
        R of the wheel, a body of revolution, where it touches [length].
    profile : function y -> h
        Gap across the rail [length] before they touch, for arrays of y: zero at y = 0 and positive elsewhere.
    width : (2,) array
        From where to where y goes [length]; the patch must end within.
    material : Elastic
        Of both, such as ``fx.steel``.

    Raises
    ------
    ModelError
        If a number is out of bounds, the profile does not touch at y = 0, or goes below it.

    Notes
    -----
    The normal force is given, as a constraint or a model with rigid wheels gives it, so that the contact adds no
    stiffness. The patch is drawn with a part of the penetration (`patch`), since the virtual one is too large: with
    0.55 its area is that of Hertz for a circle within 6 %. Several zones, as of worn profiles, are found.

    Source: V. N. Yazykov, Some results of wheel-rail contact modeling, NATO ASI Virtual Nonlinear Multibody Systems
    (Prague 2002), eqs. (1) to (8), of which (6) lacks a factor 2 in its last member; W. Kik, J. Piotrowski (1996).

    Examples
    --------
    >>> import flexmbs as fx
    >>> steel = fx.Elastic(youngs_modulus=2.1e11, density=7850.0, poissons_ratio=0.3)
    >>> contact = fx.contact.WheelOnRail(
    ...     radius=0.46, profile=lambda y: y**2 / 0.92, width=(-0.03, 0.03), material=steel)
    >>> round(contact.normal_force(1e-4), 2)
    130383.6
    """

    radius: float
    profile: Callable[[FloatArray], FloatArray]
    width: tuple[float, float]
    material: Elastic

    def __post_init__(self) -> None:
        owner = "WheelOnRail"
        as_number(owner, "radius", self.radius, above=0.0, unit="length")
        if not isinstance(self.material, Elastic):
            raise ModelError(
                f"{owner}: material must be an Elastic material, such as fx.steel, not {show(self.material)}."
            )
        if not callable(self.profile):
            raise ModelError(f"{owner}: profile must be a function of y, not {show(self.profile)}.")
        if not has_shape(self.width, (2,)) or not self.width[0] < 0.0 < self.width[1]:
            raise ModelError(f"{owner}: width must be (from, to) with y = 0 in between, not {show(self.width)}.")
        y = self._samples()
        h = self._gap(y)
        if not np.isfinite(h).all():
            raise ModelError(f"{owner}: the profile must be finite from {self.width[0]:g} to {self.width[1]:g}.")
        size = float(np.abs(h).max())
        zero = float(self._gap(np.zeros(1))[0])
        if abs(zero) > 1e-9 * size or float(h.min()) < -1e-9 * size:
            raise ModelError(
                f"{owner}: the profile must be zero at y = 0 and positive elsewhere; it is {zero:.4g} there, and "
                f"{h.min():.4g} at y = {y[h.argmin()]:.4g}. Measure y and h from the point of first touch."
            )

    def normal_force(self, penetration: float) -> float:
        """Normal force [force] of a virtual penetration [length]."""
        delta = as_number("WheelOnRail", "penetration", penetration, above=0.0, unit="length")
        R, load, lifted = self.radius, 0.0, 0.0
        for y, dy in self._nodes(delta):
            free = np.maximum(delta - self._gap(y), 0.0)
            a = np.sqrt(2.0 * R * free)
            far = np.hypot(a, y)
            load += float(dy @ (free * a - a**3 / (6.0 * R)))
            lifted += float(dy @ ((free + y**2 / (4.0 * R)) * np.log((a + far) / np.abs(y)) - a / (4.0 * R) * far))
        E, nu = self.material.youngs_modulus, self.material.poissons_ratio
        return delta * math.pi * E / (2.0 * (1.0 - nu**2)) * load / lifted

    def penetration(self, force: float, start: Penetration | None = None) -> Penetration:
        """The virtual penetration of a normal force, by Newton's method on ln N over ln delta.

        Parameters
        ----------
        force : float
            N [force].
        start : Penetration, optional
            That of a force nearby, such as that of the last step, which saves iterations.

        Raises
        ------
        ModelError
            If the force is not positive, or the patch reaches the edge of the profile.
        """
        wanted = math.log(as_number("WheelOnRail", "force", force, above=0.0, unit="force"))
        if start is None:
            E, nu, R = self.material.youngs_modulus, self.material.poissons_ratio, self.radius
            x = math.log((force * 3.0 * (1.0 - nu**2) / (2.5 * E * math.sqrt(R))) ** (2.0 / 3.0))
        else:
            x = math.log(start.depth)
        slope, before = 1.5, (0.0, 0.0)
        for iteration in range(1, MOST + 1):
            value = math.log(self.normal_force(math.exp(x)))
            if iteration > 1 and abs(x - before[0]) > CLOSE:
                slope = min(max((value - before[1]) / (x - before[0]), 0.5), 4.0)  # 1.5 for a circle
            before, x = (x, value), x + (wanted - value) / slope
            if abs(x - before[0]) < CLOSE:
                return Penetration(math.exp(x), iteration)
        raise ModelError(f"WheelOnRail: no penetration found for {force:.4g} in {MOST} steps; is the profile smooth?")

    def patch(
        self, force: float, part: float = 0.55, strips: int = 60, start: Penetration | None = None
    ) -> ContactPatch:
        """Patch and pressure of a normal force.

        Parameters
        ----------
        force : float
            N [force].
        part : float, default 0.55
            Part of the virtual penetration with which it is drawn.
        strips : int, default 60
            Strips along x in each zone.
        start : Penetration, optional
            As in `penetration`.
        """
        part = as_number("WheelOnRail", "part", part, above=0.0, maximum=1.0)
        strips = as_count("WheelOnRail", "strips", strips, minimum=4)
        delta = part * self.penetration(force, start).depth
        zones = self._zones(delta)
        edges = [np.linspace(low, high, strips + 1) for low, high in zones]
        y = np.concatenate([0.5 * (e[1:] + e[:-1]) for e in edges])
        dy = np.concatenate([np.diff(e) for e in edges])
        free = np.maximum(delta - self._gap(y), 0.0)
        a = np.sqrt(2.0 * self.radius * free)
        volume = float(dy @ (free * a)) * 4.0 / 3.0
        return ContactPatch(force, y, dy, a, free * force / volume, len(zones), self.material)

    def _samples(self) -> FloatArray:
        return np.asarray(np.union1d(np.linspace(*self.width, SAMPLES), 0.0), dtype=np.float64)

    def _gap(self, y: FloatArray) -> FloatArray:
        return np.broadcast_to(np.asarray(self.profile(y), dtype=np.float64), y.shape)

    def _zones(self, delta: float) -> list[tuple[float, float]]:
        """Where h < delta: from and to."""
        y = self._samples()
        inside = self._gap(y) < delta
        if inside[0] or inside[-1]:
            raise ModelError(
                f"WheelOnRail: the patch of a penetration of {delta:.4g} reaches the edge of the profile, which goes "
                f"from {self.width[0]:g} to {self.width[1]:g}. Give a wider profile."
            )
        change = np.flatnonzero(inside[1:] != inside[:-1])
        from scipy.optimize import brentq  # slow to import, seldom needed

        def off(x: float) -> float:
            return float(self._gap(np.array([x]))[0]) - delta

        ends = [float(brentq(off, y[i], y[i + 1], xtol=1e-15, rtol=8.9e-16)) for i in change]
        if not ends:  # smaller than the distance of samples
            i = int(np.searchsorted(y, 0.0))
            ends = [float(brentq(off, *pair, xtol=1e-18)) for pair in ((y[i - 1], 0.0), (0.0, y[i + 1]))]
        return list(zip(ends[::2], ends[1::2], strict=True))

    def _nodes(self, delta: float) -> list[tuple[FloatArray, FloatArray]]:
        """Places and weights of the integrals over y, in pieces that begin or end where they are singular."""
        u = 1.0 / (1.0 + np.exp(-math.pi * np.sinh(ABSCISSAE)))
        weight = math.pi * np.cosh(ABSCISSAE) * u * (1.0 - u) * (ABSCISSAE[1] - ABSCISSAE[0])
        pieces: list[tuple[float, float]] = []
        for low, high in self._zones(delta):
            pieces += [(0.0, low), (0.0, high)] if low < 0.0 < high else [(low, high)]
        return [(low + (high - low) * u, abs(high - low) * weight) for low, high in pieces]


@dataclass(frozen=True)
class ContactPatch:
    r"""A patch in strips along the rolling direction, with a pressure that is a parabola along each.

    Attributes
    ----------
    force : float
        Normal force [force].
    y, width, half_length : (n,) array
        Place across, width and half length a(y) of the strips [length].
    pressure : (n,) array
        In the middle of the strips [force/length^2]; along them :math:`p\,(1 - x^2/a^2)`.
    zones : int
        Number of separate zones.
    material : Elastic
    """

    force: float
    y: FloatArray
    width: FloatArray
    half_length: FloatArray
    pressure: FloatArray
    zones: int
    material: Elastic

    @property
    def area(self) -> float:
        """[length^2]."""
        return float(2.0 * self.width @ self.half_length)

    @property
    def semi_axes(self) -> tuple[float, float]:
        """Of the ellipse that stands for it: the largest half length along, and that across which gives its area."""
        a = float(self.half_length.max())
        return a, self.area / (math.pi * a)

    def linear_creep(self) -> tuple[float, float, float]:
        """Kalker's limits of small creep: G a b C11, G a b C22 [force], and G (a b)^1.5 C23 [force length]."""
        a, b = self.semi_axes
        c11, c22, c23 = kalker_coefficients(a / b, self.material.poissons_ratio)
        G = self._shear()
        return G * a * b * c11, G * a * b * c22, G * (a * b) ** 1.5 * c23

    def creep_force(
        self, along: float, across: float = 0.0, spin: float = 0.0, *, friction: float, steps: int = 60
    ) -> CreepForce:
        r"""The force of creep on the wheel by Kalker's simplified theory (FASTSIM).

        The traction grows from zero at the leading edge as

        .. math:: \frac{dq_x}{ds} = -\left(\frac{\xi}{L_1} - \frac{\phi y}{L_3}\right), \qquad
           \frac{dq_y}{ds} = -\left(\frac{\eta}{L_2} + \frac{\phi x}{L_3}\right)

        along the strip, and is cut to the friction times the pressure. The flexibilities are those of the equivalent
        ellipse:
        :math:`L_1 = 8a/(3 G C_{11})`, :math:`L_2 = 8a/(3 G C_{22})`, :math:`L_3 = \pi a \sqrt{a/b}/(4 G C_{23})`.

        Parameters
        ----------
        along, across : float
            Creepages xi and eta: slip velocity of the wheel over the rail, along and across, over the speed [-].
        spin : float
            Spin creepage phi: relative angular velocity about the normal over the speed [1/length].
        friction : float
            Coefficient of friction.
        steps : int, default 60
            Along each strip.

        Notes
        -----
        Steady rolling; of first order in the steps where creep turns in the strips. Limit: where all slips, the
        force has the direction of :math:`(\xi/L_1, \eta/L_2)`, which is a few degrees off that of the slip.

        Source: J. J. Kalker, A fast algorithm for the simplified theory of rolling contact, Vehicle System Dynamics 11
        (1982).

        Examples
        --------
        >>> import flexmbs as fx
        >>> steel = fx.Elastic(youngs_modulus=2.1e11, density=7850.0, poissons_ratio=0.3)
        >>> contact = fx.contact.WheelOnRail(
        ...     radius=0.46, profile=lambda y: y**2 / 0.6, width=(-0.03, 0.03), material=steel)
        >>> patch = contact.patch(80e3)
        >>> pulled = patch.creep_force(1.0, friction=0.3)  # all of it slips
        >>> round(pulled.along / 80e3, 4), round(pulled.slipping, 4)
        (-0.3, 1.0)
        """
        along, across = (as_number("ContactPatch", name, x) for name, x in (("along", along), ("across", across)))
        spin = as_number("ContactPatch", "spin", spin, unit="1/length")
        mu = as_number("ContactPatch", "friction", friction, above=0.0)
        n = as_count("ContactPatch", "steps", steps, minimum=4)
        a, b = self.semi_axes
        c11, c22, c23 = kalker_coefficients(a / b, self.material.poissons_ratio)
        G = self._shear()
        xi, eta = along * 3.0 * G * c11 / (8.0 * a), across * 3.0 * G * c22 / (8.0 * a)
        phi = spin * 4.0 * G * c23 / (math.pi * a * math.sqrt(a / b))
        half = self.half_length
        ds = 2.0 * half / n
        q, force, slipping = np.zeros((2, len(half))), np.zeros(2), 0.0
        for i in range(n):
            middle = half - (i + 0.5) * ds  # from the middle of the last step to that of this one
            before, path = half - (i or 0.25) * ds, ds if i else 0.5 * ds
            q = q - path * np.array((xi - phi * self.y, eta + phi * before))
            limit = mu * self.pressure * (1.0 - (middle / half) ** 2)
            size = np.hypot(*q)
            slips = size > limit
            q = np.where(slips, q * limit / np.where(slips, size, 1.0), q)
            force += (q * ds) @ self.width
            slipping += float((ds * slips) @ self.width)
        force /= 1.0 + 0.5 / n**2  # what the steps make of the volume under a parabola: all that slips gives friction N
        return CreepForce(float(force[0]), float(force[1]), slipping / self.area)

    def _shear(self) -> float:
        return self.material.youngs_modulus / (2.0 * (1.0 + self.material.poissons_ratio))
