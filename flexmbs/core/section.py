"""Cross-sections of beams, and the stiffnesses a beam has with a section and a material.

Axes: x along the beam, y and z across it. ``height`` is measured along y, ``width`` along z; a planar beam bends in
its plane about z, so its bending stiffness is ``E * I_z`` with ``I_z = integral of y^2``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_number, show
from flexmbs.core.errors import ModelError

if TYPE_CHECKING:
    from flexmbs.core.material import Elastic

__all__ = ["BeamStiffness", "Circle", "GeneralSection", "Pipe", "Rectangle", "Section"]


OPTIONAL = ("EI_y", "GJ", "GA_y", "GA_z")
"""What a `BeamStiffness` may lack."""


@dataclass(frozen=True, kw_only=True)
class BeamStiffness(Hinted):
    """What a beam element needs to know of section and material together.

    Strain energy per length ``1/2 (EA eps^2 + EI_y kappa_y^2 + EI_z kappa_z^2 + GJ tau^2 + GA_y gamma_y^2 +
    GA_z gamma_z^2)``; kinetic energy per length from ``mass_per_length`` and the mass moments of inertia of the
    section ``rhoI_y`` and ``rhoI_z``. An element uses what it has degrees of freedom for.

    Parameters
    ----------
    EA : float
        Axial stiffness [force], positive.
    EI_z : float
        Bending stiffness in the x-y plane [force length^2], positive.
    mass_per_length : float
        [mass/length], positive.
    EI_y : float, default ``EI_z``
        Bending stiffness in the x-z plane [force length^2].
    GJ : float, optional
        Torsional stiffness [force length^2]; needed by elements that twist.
    GA_y, GA_z : float, optional
        Shear stiffness (with shear correction) in y and z [force]; without it the beam is rigid in shear.
    rhoI_y, rhoI_z : float, default 0
        Rotary inertia per length about y and z [mass length].
    retardation_time : float, default 0
        Retardation time of the Kelvin-Voigt law [time].

    Raises
    ------
    ModelError
        If a value is out of bounds.

    Examples
    --------
    >>> BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0).EI_y
    1.0
    """

    EA: float
    EI_z: float
    mass_per_length: float
    EI_y: float | None = None
    GJ: float | None = None
    GA_y: float | None = None
    GA_z: float | None = None
    rhoI_y: float = 0.0
    rhoI_z: float = 0.0
    retardation_time: float = 0.0

    def __post_init__(self) -> None:
        if self.EI_y is None:
            object.__setattr__(self, "EI_y", self.EI_z)
        not_negative = {"rhoI_y", "rhoI_z", "retardation_time"}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None or field.name not in OPTIONAL:
                minimum, above = (0.0, None) if field.name in not_negative else (None, 0.0)
                number = as_number("BeamStiffness", field.name, value, minimum=minimum, above=above)
                object.__setattr__(self, field.name, number)


class Section(Protocol):
    """What a section offers: its geometrical constants, from which `beam_stiffness` follows.

    ``area`` [length^2], ``I_y`` and ``I_z`` [length^4], ``J`` (St-Venant torsion constant) [length^4], and the shear
    correction factors ``shear_y`` and ``shear_z`` (None: rigid in shear).
    """

    @property
    def area(self) -> float: ...
    @property
    def I_y(self) -> float: ...
    @property
    def I_z(self) -> float: ...
    @property
    def J(self) -> float: ...
    @property
    def shear_y(self) -> float | None: ...
    @property
    def shear_z(self) -> float | None: ...


def beam_stiffness(section: Section, material: Elastic) -> BeamStiffness:
    """The stiffnesses and inertias per length of a beam of this section and material."""
    E, G, rho = material.youngs_modulus, material.shear_modulus, material.density
    return BeamStiffness(
        EA=E * section.area,
        EI_z=E * section.I_z,
        EI_y=E * section.I_y,
        GJ=G * section.J,
        GA_y=None if section.shear_y is None else section.shear_y * G * section.area,
        GA_z=None if section.shear_z is None else section.shear_z * G * section.area,
        mass_per_length=rho * section.area,
        rhoI_y=rho * section.I_y,
        rhoI_z=rho * section.I_z,
        retardation_time=material.retardation_time,
    )


@dataclass(frozen=True, kw_only=True)
class Rectangle(Hinted):
    """A solid rectangle, ``width`` along z and ``height`` along y [length].

    The torsion constant is St-Venant's series, to 12 digits; the shear correction is 5/6.

    Examples
    --------
    >>> strip = Rectangle(width=0.02, height=0.002)
    >>> strip.I_z < strip.I_y
    True
    """

    width: float
    height: float

    def __post_init__(self) -> None:
        for field in ("width", "height"):
            object.__setattr__(self, field, as_number("Rectangle", field, getattr(self, field), above=0.0))

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def I_y(self) -> float:
        return self.height * self.width**3 / 12.0

    @property
    def I_z(self) -> float:
        return self.width * self.height**3 / 12.0

    @property
    def J(self) -> float:
        a, b = max(self.width, self.height), min(self.width, self.height)
        series = sum(math.tanh(n * math.pi * a / (2.0 * b)) / n**5 for n in range(1, 400, 2))
        return a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * (b / a) * series)

    @property
    def shear_y(self) -> float | None:
        return 5.0 / 6.0

    @property
    def shear_z(self) -> float | None:
        return 5.0 / 6.0


@dataclass(frozen=True, kw_only=True)
class Pipe(Hinted):
    """A circular tube of outer ``diameter`` and wall ``thickness`` [length].

    The shear correction is the thin-wall limit 1/2 blended to the solid circle's 0.9 by Cowper's formula at
    nu = 0.3 (G. R. Cowper, J. Appl. Mech. 33 (1966) 335, hollow circle).

    Examples
    --------
    >>> round(Pipe(diameter=0.1, thickness=0.005).area, 8)
    0.00149226
    """

    diameter: float
    thickness: float

    def __post_init__(self) -> None:
        diameter = as_number("Pipe", "diameter", self.diameter, above=0.0)
        object.__setattr__(self, "diameter", diameter)
        thickness = as_number("Pipe", "thickness", self.thickness, above=0.0, maximum=diameter / 2.0)
        object.__setattr__(self, "thickness", thickness)

    @property
    def _radii(self) -> tuple[float, float]:
        return self.diameter / 2.0, self.diameter / 2.0 - self.thickness

    @property
    def area(self) -> float:
        outer, inner = self._radii
        return math.pi * (outer**2 - inner**2)

    @property
    def I_y(self) -> float:
        outer, inner = self._radii
        return math.pi * (outer**4 - inner**4) / 4.0

    @property
    def I_z(self) -> float:
        return self.I_y

    @property
    def J(self) -> float:
        return 2.0 * self.I_y

    @property
    def shear_y(self) -> float | None:
        outer, inner = self._radii
        m2, nu = (inner / outer) ** 2, 0.3
        return 6 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)

    @property
    def shear_z(self) -> float | None:
        return self.shear_y


@dataclass(frozen=True, kw_only=True)
class Circle(Hinted):
    """A solid circle of ``diameter`` [length].

    Examples
    --------
    >>> round(Circle(diameter=0.01).area * 1e6, 3)
    78.54
    """

    diameter: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "diameter", as_number("Circle", "diameter", self.diameter, above=0.0))

    @property
    def area(self) -> float:
        return math.pi * self.diameter**2 / 4.0

    @property
    def I_y(self) -> float:
        return math.pi * self.diameter**4 / 64.0

    @property
    def I_z(self) -> float:
        return self.I_y

    @property
    def J(self) -> float:
        return 2.0 * self.I_y

    @property
    def shear_y(self) -> float | None:
        return 6.0 * 1.3 / (7.0 + 6.0 * 0.3)

    @property
    def shear_z(self) -> float | None:
        return self.shear_y


@dataclass(frozen=True, kw_only=True)
class GeneralSection(Hinted):
    """A section given by its constants.

    Parameters
    ----------
    area : float
        [length^2], positive.
    I_z, I_y : float
        Second moments of area [length^4], positive; ``I_y`` defaults to ``I_z``.
    J : float
        St-Venant torsion constant [length^4]; defaults to ``I_y + I_z`` of circles and pipes, and must be given where
        ``I_y`` and ``I_z`` differ: that of thin or open sections is far below their sum.
    shear_y, shear_z : float or None
        Shear correction factors; None (the default) makes the beam rigid in shear.

    Raises
    ------
    ModelError
        If a value is out of bounds, or J is missing.

    Examples
    --------
    >>> GeneralSection(area=1e-4, I_z=1e-8).J
    2e-08
    """

    area: float
    I_z: float
    I_y: float = None  # type: ignore[assignment]  # None: filled in below, so that readers always see a number
    J: float = None  # type: ignore[assignment]
    shear_y: float | None = None
    shear_z: float | None = None

    def __post_init__(self) -> None:
        if self.I_y is None:
            object.__setattr__(self, "I_y", self.I_z)
        for field in ("area", "I_z", "I_y"):
            object.__setattr__(self, field, as_number("GeneralSection", field, getattr(self, field), above=0.0))
        if self.J is None:
            if abs(self.I_y - self.I_z) > 1e-9 * self.I_z:
                raise ModelError(
                    f"GeneralSection: I_y = {self.I_y:g} and I_z = {self.I_z:g} differ, so that it is no circle and "
                    f"its torsion constant is not their sum; give J, such as b h^3/3 of a thin strip of width b."
                )
            object.__setattr__(self, "J", self.I_y + self.I_z)
        object.__setattr__(self, "J", as_number("GeneralSection", "J", self.J, above=0.0))
        for field in ("shear_y", "shear_z"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, as_number("GeneralSection", field, value, above=0.0, maximum=1.0))


def check_section(owner: str, section: object) -> None:
    """Refuse what is not a section, with the constants that are missing."""
    missing = []
    for name in () if isinstance(section, type) else ("area", "I_y", "I_z", "J", "shear_y", "shear_z"):
        try:
            value = getattr(section, name)
        except (AttributeError, ModelError):  # such as a body, which has an area if it is a surface
            missing.append(name)
            continue
        except ArithmeticError:
            raise ModelError(f"{owner}: {name} of section {show(section)} overflows; check its size.") from None
        if value is not None or not name.startswith("shear"):
            as_number(owner, f"{name} of section {show(section)}", value, above=0.0)
    if isinstance(section, type):
        raise ModelError(f"{owner}: section must be an object, not the class {section.__name__}; give its dimensions.")
    if missing:
        raise ModelError(
            f"{owner}: section must be a Rectangle, Circle, Pipe, GeneralSection or an object with their attributes; "
            f"{show(section)} lacks {', '.join(missing)}."
        )
