"""Tetrahedra: linear with 4 nodes, quadratic with 10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmbs.elements.linear.solid import SolidElement

__all__ = ["Tetra4", "Tetra10"]


@dataclass(frozen=True)
class Tetra4(SolidElement):
    """Linear tetrahedron with 4 nodes: constant strain.

    It is far too stiff in bending and near incompressibility (docs/theory/solids.md has figures); take `Tetra10`
    wherever the mesh can be had or made with ``mesh.quadratic()``. One point for the stiffness, four for the mass; both
    are exact.

    Source: O. C. Zienkiewicz, R. L. Taylor, J. Z. Zhu, The Finite Element Method: Its Basis and Fundamentals, 7th ed.,
    2013, chapters 6 and 7.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (2, 2, 2), "tetra")
    >>> Part(cube, material=fx.steel).assemble().n
    81
    """

    cell_type: ClassVar[str] = "tetra"
    mass_rule: ClassVar[int] = 2
    stress_rule: ClassVar[int] = 1

    @property
    def name(self) -> str:
        return "linear tetrahedron"

    @property
    def stiffness_rule(self) -> int:
        return 1


@dataclass(frozen=True)
class Tetra10(SolidElement):
    """Quadratic tetrahedron with 10 nodes: linear strain on straight cells. The usual element of meshed parts.

    Four points for the stiffness (exact for straight cells), fifteen of degree 5 for the mass (degree 4 is exact for
    straight cells). Stresses are given at the four points. Cells whose mid nodes lie on a curved surface are welcome.

    Source: as for `Tetra4`; the two quadratures are those of CalculiX's C3D10, G. Dhondt, The Finite Element Method for
    Three-Dimensional Thermomechanical Applications, 2004, section 2.3.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1), "tetra").quadratic()
    >>> Part(cube, material=fx.steel).assemble().n
    81
    """

    cell_type: ClassVar[str] = "tetra10"
    mass_rule: ClassVar[int] = 5
    stress_rule: ClassVar[int] = 2

    @property
    def name(self) -> str:
        return "quadratic tetrahedron"

    @property
    def stiffness_rule(self) -> int:
        return 2
