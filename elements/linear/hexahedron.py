"""Hexahedra: linear with 8 nodes and incompatible modes, quadratic with 20."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmbs.core.checks import as_flag
from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear import incompatible_modes
from flexmbs.elements.linear.solid import SolidElement, SolidGroup, plain

__all__ = ["Hexahedron8", "Hexahedron20"]


@dataclass(frozen=True)
class Hexahedron8(SolidElement):
    """Linear hexahedron with 8 nodes, by default with incompatible modes that let it bend.

    The plain element cannot take the shape of a bent beam: it locks. Three quadratic displacements of its own in each
    direction, condensed within the element, cure that for cells close to parallelepipeds; see
    `flexmbs.elements.linear.incompatible_modes` for the equations. It passes the patch test on distorted meshes. In
    thin cells of trapezoidal shape it still locks; take `Hexahedron20` there.

    Stiffness with 2 x 2 x 2 points, mass with 3 x 3 x 3 (exact for every cell with straight edges). The geometric
    stiffness is that of the 8 nodes, with the stresses of all modes; the modes have no mass.

    Parameters
    ----------
    incompatible : bool
        Whether the element has the incompatible modes.

    Raises
    ------
    ModelError
        If ``incompatible`` is not a bool.

    Source: R. L. Taylor, P. J. Beresford, E. L. Wilson, A non-conforming element for stress analysis, Int. J. Numer.
    Methods Eng. 10 (1976) 1211-1219.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (2, 2, 2))
    >>> Part(cube, material=fx.steel).assemble().n
    81
    """

    incompatible: bool = True

    cell_type: ClassVar[str] = "hexahedron"
    stress_rule: ClassVar[int] = 2

    def __post_init__(self) -> None:
        as_flag("Hexahedron8", "incompatible", self.incompatible)

    @property
    def name(self) -> str:
        return "linear hexahedron" + (" with incompatible modes" if self.incompatible else "")

    @property
    def stiffness_rule(self) -> int:
        return 2

    @property
    def mass_rule(self) -> int:
        return 3

    def stiffness(self, group: SolidGroup) -> FloatArray:
        if not self.incompatible:
            return super().stiffness(group)
        return incompatible_modes.stiffness(group)

    def _strains(self, group: SolidGroup, u: FloatArray, number: int) -> FloatArray:
        if not self.incompatible:
            return super()._strains(group, u, number)
        return incompatible_modes.strains(group, plain(u))


@dataclass(frozen=True)
class Hexahedron20(SolidElement):
    """Quadratic hexahedron with 20 nodes (serendipity).

    Stiffness with 3 x 3 x 3 points, or with 2 x 2 x 2 where ``reduced``: cheaper and softer in thin or nearly
    incompressible parts, but an element alone then has six motions without stiffness beside the rigid ones. A mesh that
    is supported and more than one element wide suppresses them; a single element or a chain of them may not. Mass with
    4 x 4 x 4 points (exact for every cell with straight edges). Stresses are given at the 2 x 2 x 2 points in either
    case, where they are most accurate.

    Parameters
    ----------
    reduced : bool
        Whether the stiffness is integrated with 2 x 2 x 2 points.

    Raises
    ------
    ModelError
        If ``reduced`` is not a bool.

    Source: O. C. Zienkiewicz, R. L. Taylor, J. Z. Zhu, The Finite Element Method: Its Basis and Fundamentals, 7th ed.,
    2013, chapters 6 and 7; J. Barlow, Optimal stress locations in finite element models, Int. J. Numer. Methods Eng.
    10 (1976) 243-251.

    Examples
    --------
    >>> import flexmbs as fx
    >>> from flexmbs.linear.part import Part
    >>> cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1)).quadratic()
    >>> Part(cube, material=fx.steel).assemble().n
    60
    """

    reduced: bool = False

    cell_type: ClassVar[str] = "hexahedron20"
    stress_rule: ClassVar[int] = 2

    def __post_init__(self) -> None:
        as_flag("Hexahedron20", "reduced", self.reduced)

    @property
    def name(self) -> str:
        return "quadratic hexahedron" + (" with reduced integration" if self.reduced else "")

    @property
    def stiffness_rule(self) -> int:
        return 2 if self.reduced else 3

    @property
    def mass_rule(self) -> int:
        return 4
