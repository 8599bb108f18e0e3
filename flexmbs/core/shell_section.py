r"""Sections of surfaces in words (one thickness, or layers), and the stiffness per area that elements of surfaces use.

Strains of a surface in the axes of the material are membrane strains, curvatures and transverse shears,

.. math::
    e = (\varepsilon_1, \varepsilon_2, \gamma_{12}, \kappa_1, \kappa_2, \kappa_{12}, \gamma_{13}, \gamma_{23}),
    \qquad \varepsilon(z) = \varepsilon + z\,\kappa,\quad \kappa_{12} = 2\,\kappa_{1 2}\ \text{of the tensor},

with z along the normal from the middle surface. Resultants per length are s = C e = (N, M, Q), the matrix C (8, 8) that
of `flexmbs.core.laminate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.checks import as_array, as_direction, as_number, frozen_copy, is_list, show
from flexmbs.core.errors import ModelError
from flexmbs.core.laminate import Ply, shell_section, turned

if TYPE_CHECKING:
    from flexmbs.core.contracts import FloatArray
    from flexmbs.core.material import Material

__all__ = ["Layup", "ShellSection", "ShellStiffness", "sheet_stiffness"]

INDEFINITE = 1e-12
"""Lowest eigenvalue of the scaled stiffness, relative to the largest, up to which it counts as zero."""


@dataclass(frozen=True)
class ShellSection:
    """A plate or shell of one material and a constant thickness [length].

    Parameters
    ----------
    thickness : float
        Positive.
    axis : (3,) sequence, default (1, 0, 0)
        Its projection on the surface is the material axis 1 of an orthotropic material, in the stress-free shape.

    Raises
    ------
    ModelError
        If the thickness is not positive.

    Examples
    --------
    >>> ShellSection(0.001).thickness
    0.001
    """

    thickness: float
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        thickness = as_number("ShellSection", "thickness", self.thickness, above=0.0, unit="length")
        object.__setattr__(self, "thickness", thickness)
        object.__setattr__(self, "axis", _axis("ShellSection", self.axis))


@dataclass(frozen=True)
class Layup:
    """A plate or shell of layers, from the lowest to the topmost; the normal points to the last.

    Parameters
    ----------
    layers : sequence of Ply
        Each with its material, thickness and angle about the normal.
    axis : (3,) sequence, default (1, 0, 0)
        Its projection on the surface is the direction of the angle zero, in the stress-free shape.

    Raises
    ------
    ModelError
        If there is no layer, or something else among them.

    Examples
    --------
    >>> import flexmbs as fx
    >>> Layup((fx.Ply(fx.steel, 0.001), fx.Ply(fx.steel, 0.001))).thickness
    0.002
    """

    layers: tuple[Ply, ...]
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not is_list(self.layers) or not len(self.layers) or any(not isinstance(p, Ply) for p in self.layers):
            raise ModelError(
                f"Layup: layers must be a list of Ply(material, thickness, angle), not {show(self.layers)}."
            )
        object.__setattr__(self, "layers", tuple(self.layers))
        object.__setattr__(self, "axis", _axis("Layup", self.axis))

    @property
    def thickness(self) -> float:
        """Of all layers together [length]."""
        return sum(layer.thickness for layer in self.layers)


@dataclass(frozen=True, eq=False)
class ShellStiffness:
    """What an element of a surface needs to know of its section: stiffness, inertia, damping.

    Parameters
    ----------
    matrix : (8, 8) array
        From (eps_1, eps_2, gamma_12, kappa_1, kappa_2, kappa_12, gamma_13, gamma_23) to N, M, Q per length, symmetric,
        positive definite; in the axes of the material.
    thickness : float
        [length].
    mass_per_area : float
        [mass/length^2].
    rotary_inertia : float
        Second moment of the density over the thickness, rho h^3 / 12 if homogeneous [mass].
    retardation_time : float, default 0
        Retardation time [time]: strains act as e + retardation_time * de/dt.
    axis : (3,) sequence, default (1, 0, 0)
        Its projection on the surface is the material axis 1, in the stress-free shape.

    Raises
    ------
    ModelError
        If the matrix is not symmetric and positive definite, or a number is out of bounds.

    Examples
    --------
    >>> import flexmbs as fx
    >>> stiffness = sheet_stiffness("plate", ShellSection(0.01), fx.steel)
    >>> round(float(stiffness.matrix[0, 0] / 2.1e11 / 0.01 * (1 - 0.3**2)), 9)
    1.0
    """

    matrix: FloatArray
    thickness: float
    mass_per_area: float
    rotary_inertia: float
    retardation_time: float = 0.0
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        owner = "ShellStiffness"
        C = as_array(owner, "matrix", self.matrix, (8, 8))
        scale = np.sqrt(np.abs(np.diag(C)))
        if not (np.diag(C) > 0.0).all():
            raise ModelError(f"{owner}: the diagonal of matrix must be positive, not {np.diag(C).tolist()}.")
        unit = C / np.outer(scale, scale)
        if np.abs(unit - unit.T).max() > 1e-9:
            raise ModelError(f"{owner}: matrix must be symmetric; it differs by {np.abs(C - C.T).max():.3g}.")
        lowest = float(np.linalg.eigvalsh(0.5 * (unit + unit.T))[0])
        if lowest <= INDEFINITE:
            raise ModelError(
                f"{owner}: matrix must be positive definite; the lowest eigenvalue of the matrix scaled to a diagonal "
                f"of one is {lowest:.3g}."
            )
        object.__setattr__(self, "matrix", frozen_copy(0.5 * (C + C.T)))
        for name in ("thickness", "mass_per_area", "rotary_inertia"):
            object.__setattr__(self, name, as_number(owner, name, getattr(self, name), above=0.0))
        object.__setattr__(
            self, "retardation_time", as_number(owner, "retardation_time", self.retardation_time, minimum=0.0)
        )
        object.__setattr__(self, "axis", _axis(owner, self.axis))

    @property
    def directional(self) -> bool:
        """Whether it depends on the direction of the material axis."""
        C, h = self.matrix, self.thickness
        parts = [C[:3, :3], C[:3, 3:6] * (2.0 / h), C[3:6, 3:6] * (12.0 / h**2)]
        uneven = max(float(np.abs(turned(part, 0.5) - part).max()) for part in parts)
        shear = max(abs(C[6, 7]), abs(C[6, 6] - C[7, 7]), float(np.abs(C[:6, 6:]).max()))
        return bool(uneven > 1e-9 * np.abs(C[:3, :3]).max() or shear > 1e-9 * C[6, 6])


def sheet_stiffness(owner: str, section: object, material: Material | None) -> ShellStiffness:
    """Stiffness and inertia per area of a `ShellSection` of a material, or of a `Layup` of layers with their own."""
    if isinstance(section, Layup):
        if material is not None:
            raise ModelError(f"{owner}: the layers of a Layup have materials of their own; leave out material.")
        layers, axis = section.layers, section.axis
    elif isinstance(section, ShellSection):
        if material is None:
            raise ModelError(f"{owner}: a ShellSection needs a material.")
        layers, axis = (Ply(material, section.thickness),), section.axis
    else:
        raise ModelError(
            f"{owner}: an element of a surface needs section=ShellSection(thickness) or Layup(layers), not "
            f"{show(section)}."
        )
    found = shell_section(layers)
    if abs(found.inertia[1]) > 1e-9 * found.inertia[0] * found.thickness:
        raise ModelError(
            f"{owner}: the mass of the layers is not centred on the middle surface, which these elements do not have; "
            f"balance the layers by density, or give stiffness=ShellStiffness(...)."
        )
    shares = np.array([p.thickness * p.material.density for p in layers])
    viscosities = np.array([p.material.retardation_time for p in layers])
    if np.ptp(viscosities) > 0.0:
        raise ModelError(
            f"{owner}: layers of different retardation times {viscosities.tolist()} have no common one; give "
            f"stiffness=ShellStiffness(...) with one."
        )
    return ShellStiffness(
        matrix=found.stiffness,
        thickness=found.thickness,
        mass_per_area=float(shares.sum()),
        rotary_inertia=float(found.inertia[2]),
        retardation_time=float(viscosities[0]),
        axis=axis,
    )


def _axis(owner: str, value: object) -> tuple[float, float, float]:
    x, y, z = as_direction(owner, "axis", value, 3).tolist()
    return x, y, z
