"""Materials: what a body is made of."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.checks import as_name, as_number

__all__ = ["Elastic", "aluminium", "steel"]


@dataclass(frozen=True, kw_only=True)
class Elastic:
    """Linear elastic, isotropic material with Kelvin-Voigt damping.

    The uniaxial law is ``stress = E (strain + viscosity * strain rate)``, so a mode of angular frequency w gets the
    damping ratio ``viscosity * w / 2``.

    Parameters
    ----------
    youngs_modulus : float
        E [force/length^2], positive.
    density : float
        Mass per volume [mass/length^3], positive.
    poissons_ratio : float, default 0.3
        nu, between -1 and 0.5 (both excluded).
    viscosity : float, default 0
        Retardation time [time] of the Kelvin-Voigt law, not negative.
    name : str, default "material"

    Raises
    ------
    ModelError
        If a value is out of bounds, not finite or not a number.

    Examples
    --------
    >>> rubber = Elastic(youngs_modulus=0.7e6, density=1100.0, poissons_ratio=0.49)
    >>> round(rubber.shear_modulus)
    234899
    """

    youngs_modulus: float
    density: float
    poissons_ratio: float = 0.3
    viscosity: float = 0.0
    name: str = "material"

    def __post_init__(self) -> None:
        owner = f"Elastic {as_name('Elastic', 'name', self.name)!r}"
        checked = {
            "youngs_modulus": as_number(owner, "youngs_modulus", self.youngs_modulus, above=0.0),
            "density": as_number(owner, "density", self.density, above=0.0),
            "poissons_ratio": as_number(owner, "poissons_ratio", self.poissons_ratio, above=-1.0, below=0.5),
            "viscosity": as_number(owner, "viscosity", self.viscosity, minimum=0.0),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)) [force/length^2]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))


steel = Elastic(youngs_modulus=2.1e11, density=7850.0, poissons_ratio=0.3, name="steel")
"""Structural steel in SI units."""

aluminium = Elastic(youngs_modulus=7.0e10, density=2700.0, poissons_ratio=0.33, name="aluminium")
"""Aluminium alloy in SI units."""
