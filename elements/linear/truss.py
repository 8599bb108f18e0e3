r"""Truss: a straight bar that carries a normal force only, two nodes with three displacements each.

With the unit vector e from the first node to the second, the elongation is :math:`e\cdot(u_2 - u_1)`, the normal force
:math:`N = EA/L\; e\cdot(u_2 - u_1)`, and

.. math:: K = \frac{EA}{L} \begin{bmatrix} P & -P \\ -P & P \end{bmatrix}, \quad P = e e^T, \qquad
          K_g = \frac{N}{L} \begin{bmatrix} Q & -Q \\ -Q & Q \end{bmatrix}, \quad Q = I - e e^T, \qquad
          M = \frac{\rho A L}{6} \begin{bmatrix} 2I & I \\ I & 2I \end{bmatrix}.

The geometric stiffness is that of the force N, which keeps the direction of the bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from flexmbs.core.checks import as_number
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import ModelError
from flexmbs.core.section import BeamStiffness, Section
from flexmbs.elements.linear.contract import MassPoints
from flexmbs.elements.linear.line import check_line_section, elastic, line_stiffness, lines
from flexmbs.elements.quadrature import Gauss

if TYPE_CHECKING:
    from flexmbs.core.material import Material

__all__ = ["Truss"]

DIFFERENCE = np.array([[1.0, -1.0], [-1.0, 1.0]])


class TrussGroup(NamedTuple):
    """Bars: ``points (n_e, 2, 3)`` ends, ``L (n_e,)`` lengths, ``axis (n_e, 3)``, and EA and mass per length."""

    points: FloatArray
    L: FloatArray
    axis: FloatArray
    EA: float
    rhoA: float


@dataclass(frozen=True)
class Truss:
    """Straight bar between two nodes that carries normal force only.

    Coordinates are the displacements of both nodes. The stress resultant is N, positive in tension.

    Parameters
    ----------
    area : float, optional
        Area of the cross-section [length^2], or instead
    section : Section or BeamStiffness, optional
        Of which the area (or EA and the mass per length) is used. A `BeamStiffness` holds its material already.

    Raises
    ------
    ModelError
        If neither or both are given, or one is out of bounds; in a part, if the material is not an `Elastic`.
    MeshError
        In a part, if a bar has no length; the message gives the numbers of the cells.

    Notes
    -----
    Limits: small displacements; nothing but the normal force holds the nodes, so that a node with bars in one line or
    plane is free to move out of it (the stiffness of such a part is singular). No rotary inertia: the mass moves with
    the axis.

    Source: J. S. Przemieniecki, Theory of Matrix Structural Analysis, McGraw-Hill 1968, chapters 5, 11 and 15.

    Examples
    --------
    A bar of 2 m, pulled with 1 kN, gets longer by F L / EA:

    >>> import flexmbs as fx
    >>> bar = fx.linear.Part(fx.meshes.line((0, 0, 0), (2, 0, 0), 1),
    ...     regions=[fx.linear.Region(None, Truss(1e-4), fx.steel)])
    >>> K = bar.assemble().K
    >>> print(f"{1e3 / K[3, 3]:.6e} {1e3 * 2 / (2.1e11 * 1e-4):.6e}")
    9.523810e-05 9.523810e-05
    """

    area: float | None = None
    section: Section | BeamStiffness | None = None

    name: ClassVar[str] = "truss"
    cell_type: ClassVar[str] = "line"
    n_components: ClassVar[int] = 3
    stress_names: ClassVar[tuple[str, ...]] = ("N",)

    def __post_init__(self) -> None:
        if (self.area is None) == (self.section is None):
            raise ModelError("Truss: give either area or section.")
        if self.area is not None:
            object.__setattr__(self, "area", as_number("Truss", "area", self.area, above=0.0, unit="length^2"))
        else:
            check_line_section("Truss", self.section)

    @property
    def needs_material(self) -> bool:
        return not isinstance(self.section, BeamStiffness)

    def tabulate(self, owner: str, points: FloatArray, material: Material | None, numbers: IntArray) -> TrussGroup:
        L, axis = lines(owner, points, numbers)
        if self.section is not None:
            stiffness = line_stiffness(owner, self.name, self.section, material)
            EA, rhoA = stiffness.EA, stiffness.mass_per_length
        else:
            known = elastic(owner, self.name, material)
            assert self.area is not None  # noqa: S101  # checked on construction
            EA, rhoA = known.youngs_modulus * self.area, known.density * self.area
        return TrussGroup(np.ascontiguousarray(points, dtype=float), L, axis, EA, rhoA)

    def stiffness(self, group: TrussGroup) -> FloatArray:
        return _blocks(group.EA / group.L, DIFFERENCE, _along(group))

    def mass(self, group: TrussGroup) -> FloatArray:
        shared = np.array([[2.0, 1.0], [1.0, 2.0]])
        return _blocks(group.rhoA * group.L / 6.0, shared, np.broadcast_to(np.eye(3), (len(group.L), 3, 3)))

    def mass_points(self, group: TrussGroup) -> MassPoints:
        xi, w = Gauss(2).rule()  # degree 2
        x = 0.5 * (1 + xi)
        N = np.stack((1 - x, x), axis=1)
        shapes = np.einsum("ga,cd->gcad", N, np.eye(3)).reshape(1, len(xi), 3, 6)
        return MassPoints(
            0.5 * w * (group.rhoA * group.L)[:, None],
            np.einsum("ga,eac->egc", N, group.points),
            np.repeat(shapes, len(group.L), axis=0),
        )

    def geometric_stiffness(self, group: TrussGroup, u: FloatArray) -> FloatArray:
        N = self.stresses(group, u)[:, 0, 0]
        return _blocks(N / group.L, DIFFERENCE, np.eye(3) - _along(group))

    def stresses(self, group: TrussGroup, u: FloatArray) -> FloatArray:
        longer = np.einsum("ec,ec->e", group.axis, u[:, 3:] - u[:, :3])
        return np.asarray((group.EA / group.L * longer)[:, None, None])

    def nodal_stresses(self, group: TrussGroup, u: FloatArray) -> FloatArray:
        return np.repeat(self.stresses(group, u), 2, axis=1)

    def stress_positions(self, group: TrussGroup) -> FloatArray:
        return np.asarray(group.points.mean(axis=1, keepdims=True))

    def thermal_load(self, group: TrussGroup, expansion: FloatArray) -> FloatArray:
        push = (group.EA * np.asarray(expansion, dtype=float))[:, None] * group.axis
        return np.concatenate((-push, push), axis=1)


def _along(group: TrussGroup) -> FloatArray:
    """e e^T (n_e, 3, 3)."""
    return np.asarray(np.einsum("ei,ej->eij", group.axis, group.axis))


def _blocks(factor: FloatArray, ends: FloatArray, block: FloatArray) -> FloatArray:
    """Matrices (n_e, 6, 6): a factor, times a matrix (2, 2) over both ends, times a block (n_e, 3, 3)."""
    return np.asarray(np.einsum("e,ab,eij->eaibj", factor, ends, block).reshape(-1, 6, 6))
