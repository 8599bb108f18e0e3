"""Tetrahedra: linear with 4 nodes, quadratic with 10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmbs.core.checks import as_flag
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
    stress_rule: ClassVar[int] = 1

    @property
    def name(self) -> str:
        return "linear tetrahedron"

    @property
    def stiffness_rule(self) -> int:
        return 1

    @property
    def mass_rule(self) -> int:
        return 2


@dataclass(frozen=True)
class Tetra10(SolidElement):
    """Quadratic tetrahedron with 10 nodes: linear strain on straight cells. The usual element of meshed parts.

    Four points for the stiffness, exact for straight cells, and fifteen of degree 5 for the mass, where degree 4 is.
    Stresses are given at the four points. Cells whose mid nodes lie on a curved surface are welcome.

    Parameters
    ----------
    reduced_mass : bool
        Whether the mass is summed over the four points, too, as CalculiX does for its C3D10 in frequency steps. Mass,
        centre and moments of inertia stay exact on straight cells, and frequencies converge with the same order; but
        the mass matrix of an element has rank 12 of 30.

    Raises
    ------
    ModelError
        If ``reduced_mass`` is not a bool.

    Source: as for `Tetra4`.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1), "tetra").quadratic()
    >>> Part(cube, material=fx.steel).assemble().n
    81
    """

    reduced_mass: bool = False

    cell_type: ClassVar[str] = "tetra10"
    stress_rule: ClassVar[int] = 2

    def __post_init__(self) -> None:
        as_flag("Tetra10", "reduced_mass", self.reduced_mass)

    @property
    def name(self) -> str:
        return "quadratic tetrahedron" + (" with reduced mass" if self.reduced_mass else "")

    @property
    def stiffness_rule(self) -> int:
        return 2

    @property
    def mass_rule(self) -> int:
        return 2 if self.reduced_mass else 5
