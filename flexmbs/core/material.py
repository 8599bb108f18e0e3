"""Materials: what a body is made of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.attributes import Hinted
from flexmbs.core.checks import as_name, as_number, has_shape, show
from flexmbs.core.errors import ModelError

__all__ = ["Elastic", "Material", "Orthotropic", "aluminium", "refuse_axes_in_sheet", "steel"]

UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
"""Axes of a material along the inertial ones."""


class Material(Protocol):
    """What a linear element asks of a material; stresses in the order xx, yy, zz, xy, yz, xz, engineering shear."""

    @property
    def name(self) -> str: ...
    @property
    def density(self) -> float: ...
    @property
    def retardation_time(self) -> float: ...

    def elasticity(self) -> NDArray[np.float64]:
        """Matrix (6, 6) from strains to stresses, inertial axes [force/length^2]."""

    def plane_stress(self) -> NDArray[np.float64]:
        """Matrix (3, 3) of plane stress: xx, yy, xy, in material axes [force/length^2]."""

    def transverse_shear(self) -> NDArray[np.float64]:
        """Shear moduli (2, 2) of the planes xz and yz, in material axes, without correction [force/length^2]."""


@dataclass(frozen=True, kw_only=True)
class Elastic(Hinted):
    """Linear elastic, isotropic material with Kelvin-Voigt damping.

    The uniaxial law is ``stress = E (strain + retardation_time * strain rate)``, so a mode of angular frequency w gets
    the damping ratio ``retardation_time * w / 2``.

    Parameters
    ----------
    youngs_modulus : float
        E [force/length^2], positive.
    density : float
        Mass per volume [mass/length^3], positive.
    poissons_ratio : float, default 0.3
        nu, between -1 and 0.5 (both excluded).
    retardation_time : float, default 0
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
    retardation_time: float = 0.0
    name: str = "material"

    def __post_init__(self) -> None:
        owner = f"Elastic {as_name('Elastic', 'name', self.name)!r}"
        checked = {
            "youngs_modulus": as_number(owner, "youngs_modulus", self.youngs_modulus, above=0.0),
            "density": as_number(owner, "density", self.density, above=0.0),
            "poissons_ratio": as_number(owner, "poissons_ratio", self.poissons_ratio, above=-1.0, below=0.5),
            "retardation_time": as_number(owner, "retardation_time", self.retardation_time, minimum=0.0),
        }
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)) [force/length^2]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poissons_ratio))

    def elasticity(self) -> NDArray[np.float64]:
        """Matrix (6, 6) from strains to stresses (xx, yy, zz, xy, yz, xz; engineering shear) [force/length^2]."""
        E, nu, G = self.youngs_modulus, self.poissons_ratio, self.shear_modulus
        lame = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
        C = np.diag([2.0 * G] * 3 + [G] * 3)
        C[:3, :3] += lame
        return C

    def plane_stress(self) -> NDArray[np.float64]:
        """Matrix (3, 3) of plane stress: xx, yy, xy [force/length^2]."""
        E, nu = self.youngs_modulus, self.poissons_ratio
        return E / (1.0 - nu**2) * np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - nu)]])

    def transverse_shear(self) -> NDArray[np.float64]:
        """Shear moduli (2, 2) of the planes xz and yz, without correction [force/length^2]."""
        return self.shear_modulus * np.eye(2)


@dataclass(frozen=True, kw_only=True)
class Orthotropic(Hinted):
    r"""Linear elastic, orthotropic material.

    In material axes 1, 2, 3 the strains are ``eps_1 = s_1/E_1 - nu_12 s_2/E_1 - nu_13 s_3/E_1`` and so on with
    ``nu_ij/E_i = nu_ji/E_j``, and ``gamma_ij = t_ij/G_ij``. In solids the material axes are the rows of ``axes``; in
    plates and shells they follow from the surface and the angle of the `Ply`, and ``axes`` are refused.

    Parameters
    ----------
    E_1, E_2, E_3 : float
        Moduli [force/length^2], positive.
    nu_12, nu_13, nu_23 : float
        Poisson's ratios: strain along the second axis for stress along the first.
    G_12, G_13, G_23 : float
        Shear moduli [force/length^2], positive.
    density : float
        Mass per volume [mass/length^3], positive.
    retardation_time : float, default 0
        Retardation time [time] of the Kelvin-Voigt law, not negative.
    axes : (3, 3) array, optional
        Material axes as rows, inertial frame, orthonormal and right-handed; the inertial axes by default.
    name : str, default "material"

    Raises
    ------
    ModelError
        If a value is out of bounds, the axes are not orthonormal, or the elasticity is not positive definite.

    Examples
    --------
    >>> ply = Orthotropic(E_1=140e9, E_2=10e9, E_3=10e9, nu_12=0.3, nu_13=0.3, nu_23=0.4, G_12=5e9, G_13=5e9,
    ...                   G_23=3.5e9, density=1600.0, name="carbon")
    >>> ply.plane_stress()[2, 2]
    np.float64(5000000000.0)
    """

    E_1: float
    E_2: float
    E_3: float
    nu_12: float
    nu_13: float
    nu_23: float
    G_12: float
    G_13: float
    G_23: float
    density: float
    retardation_time: float = 0.0
    axes: tuple[tuple[float, float, float], ...] = UNTURNED
    name: str = "material"

    def __post_init__(self) -> None:
        owner = f"Orthotropic {as_name('Orthotropic', 'name', self.name)!r}"
        for field in fields(self):
            if field.name in ("axes", "name"):
                continue
            lowest = 0.0 if field.name == "retardation_time" else None
            above = None if field.name == "retardation_time" else -1e3 if field.name.startswith("nu") else 0.0
            value = as_number(owner, field.name, getattr(self, field.name), minimum=lowest, above=above)
            object.__setattr__(self, field.name, value)
        if not has_shape(self.axes, (3, 3)):
            raise ModelError(f"{owner}: axes must be three vectors of three numbers, not {show(self.axes)}.")
        axes = np.array(self.axes, dtype=float)
        if not np.abs(axes @ axes.T - np.eye(3)).max() <= 1e-9 or np.linalg.det(axes) < 0:
            raise ModelError(f"{owner}: axes must be orthonormal and right-handed rows, not {axes.tolist()}.")
        object.__setattr__(self, "axes", tuple(tuple(float(x) for x in row) for row in axes))
        roots = np.sqrt(self._moduli())
        with np.errstate(all="ignore"):
            unit = self._compliance() * roots[:, None] * roots
        # the diagonal is one; a larger entry beside it says enough, and LAPACK fails on very large ones
        small = np.isfinite(unit).all() and np.abs(unit).max() < 1.0 + 1e-9
        if not (small and np.linalg.eigvalsh(unit).min() > 0.0):
            raise ModelError(
                f"{owner}: the elasticity is not positive definite; nu_ij^2 must be below E_i/E_j and "
                f"1 - nu_12 nu_21 - nu_23 nu_32 - nu_13 nu_31 - 2 nu_21 nu_32 nu_13 above 0."
            )

    def _moduli(self) -> NDArray[np.float64]:
        return np.array([self.E_1, self.E_2, self.E_3, self.G_12, self.G_23, self.G_13])

    def _compliance(self) -> NDArray[np.float64]:
        """Strains from stresses (6, 6) in material axes."""
        S = np.diag(1.0 / self._moduli())
        S[0, 1] = S[1, 0] = -self.nu_12 / self.E_1
        S[0, 2] = S[2, 0] = -self.nu_13 / self.E_1
        S[1, 2] = S[2, 1] = -self.nu_23 / self.E_2
        return S

    def elasticity(self) -> NDArray[np.float64]:
        """Matrix (6, 6) from strains to stresses in the inertial axes [force/length^2]."""
        turn = _strain_turn(np.array(self.axes))
        C = turn.T @ np.linalg.inv(self._compliance()) @ turn
        return np.asarray(0.5 * (C + C.T))

    def plane_stress(self) -> NDArray[np.float64]:
        """Matrix (3, 3) of plane stress: 11, 22, 12, in material axes [force/length^2]."""
        S = self._compliance()[np.ix_([0, 1, 3], [0, 1, 3])]
        return np.asarray(np.linalg.inv(S))

    def transverse_shear(self) -> NDArray[np.float64]:
        """Shear moduli (2, 2) of the planes 13 and 23, in material axes, without correction [force/length^2]."""
        return np.diag([self.G_13, self.G_23])


def refuse_axes_in_sheet(owner: str, material: Material, remedy: str) -> None:
    """Refuse axes of a material in a plate or shell, whose own axes are its axes: they would be lost."""
    if isinstance(material, Orthotropic) and material.axes != UNTURNED:
        raise ModelError(
            f"{owner}: Orthotropic {material.name!r} has axes {[list(row) for row in material.axes]}, which are of "
            f"solids; in a plate or shell its axes follow from the surface. Leave axes out, and {remedy}."
        )


def _strain_turn(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strains (xx, yy, zz, xy, yz, xz; engineering) along the rows of R from those along the inertial axes (6, 6)."""
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
    turn = np.empty((6, 6))
    for row, (i, j) in enumerate(pairs):
        for col, (k, m) in enumerate(pairs):
            both = R[i, k] * R[j, m] + R[i, m] * R[j, k]
            turn[row, col] = both * (0.5 if i == j else 1.0)
    return turn


steel = Elastic(youngs_modulus=2.1e11, density=7850.0, poissons_ratio=0.3, name="steel")
"""Structural steel in SI units."""

aluminium = Elastic(youngs_modulus=7.0e10, density=2700.0, poissons_ratio=0.33, name="aluminium")
"""Aluminium alloy in SI units."""
