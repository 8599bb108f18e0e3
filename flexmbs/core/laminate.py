r"""Sections of shells: membrane, bending and shear stiffness of one or many layers, by first-order shear theory.

Strains vary linearly over the thickness, :math:`\varepsilon(z) = \varepsilon_0 + z\,\kappa`, with z along the normal
from the middle surface of the whole section. Integrated over the layers,

.. math::
    \begin{bmatrix} N \\ M \end{bmatrix} =
    \begin{bmatrix} A & B \\ B & D \end{bmatrix}\begin{bmatrix} \varepsilon_0 \\ \kappa \end{bmatrix},
    \qquad (A, B, D) = \int (1, z, z^2)\, \bar Q\, dz .

Transverse shear is energy-consistent (K. Rohwer, Composite Structures 10 (1988) 341-362): shear stresses follow from
those of bending by equilibrium, with :math:`M_{x,x} = Q_x`, :math:`M_{y,y} = Q_y` and no other change of the moments,

.. math::
    \tau(z) = F(z)\, Q, \qquad S^{-1} = \int F^T G^{-1} F\, dz .

For a homogeneous section this is the factor 5/6; for a sandwich it is the shear stiffness of the core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmbs.core.checks import as_angle, as_number, show
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.core.material import refuse_axes_in_sheet

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["Ply", "ShellSection", "shell_section", "turned"]

TURN = "turn it by axis= of the section (reference= of the element) and the angle of a Ply"
"""How a material of a shell gets its direction."""
TINY = 1e-290
"""Where cubes of thicknesses, times moduli, leave the range of numbers."""
GAUSS = np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
GAUSS_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 9.0
"""Exact for the squares of parabolas, which the shear stresses of a layer are."""


@dataclass(frozen=True)
class Ply:
    """A layer of a shell.

    Parameters
    ----------
    material : Elastic or Orthotropic
        Axes 1 and 2 of an orthotropic one lie in the facet, 3 along its normal.
    thickness : float
        Positive [length].
    angle : float, default 0
        From the projection of the shell's ``reference`` to the material axis 1, about the normal [rad]; a turn at most.

    Raises
    ------
    ModelError
        If the thickness is not positive, the angle is more than a turn, or something is of another kind.

    Examples
    --------
    >>> import flexmbs as fx
    >>> Ply(fx.steel, 1e-3).thickness
    0.001
    """

    material: Material
    thickness: float
    angle: float = 0.0

    def __post_init__(self) -> None:
        if not hasattr(self.material, "plane_stress") or isinstance(self.material, type):
            raise ModelError(f"Ply: material must be an Elastic or Orthotropic, not {show(self.material)}.")
        thickness = as_number("Ply", "thickness", self.thickness, above=0.0, unit="length")
        object.__setattr__(self, "thickness", thickness)
        object.__setattr__(self, "angle", as_angle("Ply", "angle", self.angle))


class ShellSection(NamedTuple):
    """What a shell element knows of its section, in the axes of the facet, about its middle surface.

    ``stiffness (8, 8)`` from membrane strains, curvatures and transverse shears to N, M, Q; ``thickness``;
    ``inertia (3,)`` mass per area and its first and second moment; ``faces (2, 3, 3)`` plane-stress moduli of the
    lowest and the topmost layer; ``directional`` whether it depends on the direction of its axes.
    """

    stiffness: FloatArray
    thickness: float
    inertia: FloatArray
    faces: FloatArray
    directional: bool

    @property
    def drilling(self) -> float:
        """In-plane shear stiffness [force/length], averaged over all directions (A_66 if isotropic)."""
        A = self.stiffness
        return float((A[0, 0] + A[1, 1] - 2.0 * A[0, 1] + 4.0 * A[2, 2]) / 8.0)

    @property
    def poissons_ratio(self) -> float:
        """In-plane Poisson's ratio of the membrane stiffness, averaged over all directions."""
        A = self.stiffness
        straight = 3.0 * A[0, 0] + 3.0 * A[1, 1] + 2.0 * A[0, 1] + 4.0 * A[2, 2]
        return float((A[0, 0] + A[1, 1] + 6.0 * A[0, 1] - 4.0 * A[2, 2]) / straight)


def shell_section(layers: tuple[Ply, ...]) -> ShellSection:
    """The section of layers from the lowest to the topmost.

    Examples
    --------
    >>> import flexmbs as fx
    >>> section = shell_section((Ply(fx.steel, 0.01),))
    >>> float(section.stiffness[6, 6] / (fx.steel.shear_modulus * 0.01)).__round__(12)
    0.833333333333
    """
    for k, layer in enumerate(layers):
        refuse_axes_in_sheet(f"section of a shell, layer {k}", layer.material, TURN)
    thicknesses = np.array([layer.thickness for layer in layers])
    h = float(thicknesses.sum())
    if not TINY < h * h * h < 1.0 / TINY:
        raise ModelError(f"section of a shell: the cube of the thickness {h:g} is beyond the range of numbers.")
    z = np.concatenate([[0.0], np.cumsum(thicknesses)]) - 0.5 * h
    Q = np.array([turned(layer.material.plane_stress(), layer.angle) for layer in layers])
    moments = np.array([np.diff(z), np.diff(z**2) / 2.0, np.diff(z**3) / 3.0])
    A, B, D = np.einsum("ml,lij->mij", moments, Q)
    C = np.zeros((8, 8))
    C[:6, :6] = np.block([[A, B], [B, D]])
    C[6:, 6:] = _transverse_shear(layers, z, Q, np.asarray(np.linalg.inv(C[:6, :6]), dtype=np.float64))
    inertia = moments @ np.array([layer.material.density for layer in layers])
    elsewhere = np.array([turned(q, 0.5) for q in (A, B * (2.0 / h), D * (12.0 / h**2))])
    straight = np.array([A, B * (2.0 / h), D * (12.0 / h**2)])
    uneven = abs(elsewhere - straight).max() > 1e-9 * abs(A).max()
    shear = C[6:, 6:]
    uneven = uneven or max(abs(shear[0, 1]), abs(shear[0, 0] - shear[1, 1])) > 1e-9 * shear[0, 0]
    return ShellSection(0.5 * (C + C.T), h, inertia, Q[[0, -1]], bool(uneven))


def turned(Q: FloatArray, angle: float) -> FloatArray:
    """Plane-stress moduli in axes from which the material axes are turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
    return np.asarray(T.T @ Q @ T)


def _transverse_shear(layers: tuple[Ply, ...], z: FloatArray, Q: FloatArray, compliance: FloatArray) -> FloatArray:
    """Shear stiffness (2, 2) by the energy of the shear stresses that are in equilibrium with those of bending."""
    # columns: strains of M_x = 1 and of M_y = 1, without membrane forces
    at_middle, curvature = compliance[:3, 3:5], compliance[3:, 3:5]
    flow = np.zeros((2, 2))
    flexibility = np.zeros((2, 2))
    for k, layer in enumerate(layers):
        c, s = np.cos(layer.angle), np.sin(layer.angle)
        turn = np.array([[c, s], [-s, c]])
        soft = np.linalg.inv(turn.T @ layer.material.transverse_shear() @ turn)

        def change(top: float, k: int = k) -> FloatArray:
            """The integral of the bending stresses from the bottom of the layer; rows xz, yz, columns Q_x, Q_y."""
            low = z[k]
            stress = Q[k] @ (at_middle * (top - low) + curvature * (0.5 * (top**2 - low**2)))
            return np.array([[stress[0, 0], stress[2, 1]], [stress[2, 0], stress[1, 1]]])

        half = 0.5 * layer.thickness
        for point, weight in zip(GAUSS, GAUSS_WEIGHTS, strict=True):
            F = flow + change(z[k] + half * (1.0 + point))
            flexibility += half * weight * (F.T @ soft @ F)
        flow = flow + change(z[k + 1])
    return np.asarray(np.linalg.inv(flexibility))
