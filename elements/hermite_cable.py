"""The part of a cable element that the planar and the spatial one have in common; each adds its kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, IntArray, NodeLayout
from flexmbs.elements import hermite
from flexmbs.elements.cable_gradient import cable_gradient
from flexmbs.elements.hermite import CableGroup, CableStrain
from flexmbs.elements.quadrature import Gauss, Lobatto

if TYPE_CHECKING:
    from collections.abc import Callable

    from flexmbs.core.section import BeamStiffness

__all__ = ["HermiteCable"]


@dataclass(frozen=True, kw_only=True)
class HermiteCable:
    """Choices of an absolute-nodal cable, and what follows from cubic Hermite interpolation alone."""

    strain: CableStrain = CableStrain.MATERIAL
    axial: Gauss | Lobatto = field(default_factory=lambda: Lobatto(3))
    bending: Gauss | Lobatto = field(default_factory=lambda: Gauss(3))

    cell_type: ClassVar[str] = "line"
    layout: ClassVar[NodeLayout]
    shared: ClassVar[tuple[str, ...]] = hermite.SHARED
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = ""

    def __post_init__(self) -> None:
        hermite.check_choices(type(self).__name__, self.strain, self.axial, self.bending)

    def accurate_points(self, symbol: str) -> FloatArray:
        return hermite.accurate_points(symbol, self.axial)

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        return np.hstack((points, tangents))

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> CableGroup:
        return hermite.tabulate(points, reference, dofs, stiffness, b1, self.strain, self.axial, self.bending)

    @property
    def force_between(self) -> Callable[..., int]:
        """Kernel of the internal forces between two states, for `EnergyMomentum`: (group, q0, q1, work, weight)."""
        return cable_gradient

    def lengths(self, group: CableGroup) -> FloatArray:
        return group.L

    def mass(self, group: CableGroup) -> FloatArray:
        return hermite.mass(group, self.layout.dim)

    def energy(self, group: CableGroup, q: FloatArray) -> FloatArray:
        return hermite.energy(group, q)

    def body_load(self, group: CableGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        return hermite.body_load(group, load, per_mass)

    def positions(self, group: CableGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        return hermite.positions(group, q, xi)

    def interpolation(self, group: CableGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        return hermite.interpolation(group, xi)
