r"""What the solid elements share: isoparametric interpolation, small strains, quadrature on the reference cell.

With shape functions N_a on the reference cell, ``x = sum N_a x_a`` and ``u = sum N_a u_a`` (both nodal), the strains
are ``eps = sum B_a u_a`` from the gradients dN_a/dx, and

    K_ab = int B_a^T C B_b dV,      M_ab = int rho N_a N_b dV 1,      Kg_ab = int dN_a . s dN_b dV 1

are summed over the points of a quadrature. The mass is exact for cells with straight edges and faces; the stiffness is
for parallelepipeds and straight tetrahedra.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.material import Material
from flexmbs.elements.linear import solid_kernels
from flexmbs.elements.linear.contract import STRESS_NAMES, MassPoints
from flexmbs.elements.linear.solid_rules import Rule, extrapolation, rule
from flexmbs.meshes.cells import cell_type

__all__ = ["SolidElement", "SolidGroup", "plain"]

DEGENERATE = 1e-10
"""A cell has no volume if det J falls below this part of the cube of its diameter."""


class SolidGroup(NamedTuple):
    """Cells with nodes ``points (n_e, n_a, 3)`` of one material: ``C (6, 6)`` elasticity, ``density``."""

    points: FloatArray
    C: FloatArray
    density: float


@dataclass(frozen=True)
class SolidElement:
    """Base of the isoparametric solids; a formulation adds its cell type and the numbers of its quadratures.

    A quadrature is numbered as in `solid_rules.rule`: degree on tetrahedra, points each way on hexahedra.
    """

    cell_type: ClassVar[str]
    stress_rule: ClassVar[int]
    n_components: ClassVar[int] = 3
    needs_material: ClassVar[bool] = True
    stress_names: ClassVar[tuple[str, ...]] = STRESS_NAMES

    @property
    def name(self) -> str:
        raise NotImplementedError

    @property
    def stiffness_rule(self) -> int:
        raise NotImplementedError

    @property
    def mass_rule(self) -> int:
        raise NotImplementedError

    def _rule(self, number: int) -> Rule:
        return rule(self.cell_type, number)

    def tabulate(self, owner: str, points: FloatArray, material: Material | None, numbers: IntArray) -> SolidGroup:
        if material is None or not hasattr(material, "elasticity"):
            raise ModelError(f"{owner}: a {self.name} needs an elastic material, not {show(material)}.")
        shape = (len(numbers), cell_type(self.cell_type).n_nodes, 3)
        points = plain(points)
        if points.shape != shape:
            raise ModelError(f"{owner}: the nodes of {len(numbers)} cells must have shape {shape}, not {points.shape}.")
        diameter = np.linalg.norm(np.ptp(points, axis=1), axis=1)
        lowest = np.full(len(points), np.inf)
        for number in {self.stiffness_rule, self.mass_rule, self.stress_rule}:
            lowest = np.minimum(lowest, self._jacobians(points, number).min(axis=1))
        bad = ~(lowest > DEGENERATE * diameter**3)
        if bad.any():
            raise MeshError(_complaint(owner, self.cell_type, lowest, diameter, bad, numbers))
        return SolidGroup(points, plain(material.elasticity()), float(material.density))

    def stiffness(self, group: SolidGroup) -> FloatArray:
        K = _blocks(group)
        points = self._rule(self.stiffness_rule)
        solid_kernels.add_stiffness(group.points, points.gradients, points.weights, group.C, K)
        solid_kernels.mirror(K)
        return K

    def mass(self, group: SolidGroup) -> FloatArray:
        M = _blocks(group)
        solid_kernels.mass(self._rule(self.mass_rule).shapes, self._masses(group), M)
        return M

    def mass_points(self, group: SolidGroup) -> MassPoints:
        N = self._rule(self.mass_rule).shapes
        H = np.einsum("ga,ij->giaj", N, np.eye(3)).reshape(len(N), 3, -1)
        # one table for all elements: a view that repeats it, not a copy for each
        shapes = np.broadcast_to(H, (len(group.points), *H.shape))
        return MassPoints(self._masses(group), np.einsum("ga,eai->egi", N, group.points), shapes)

    def geometric_stiffness(self, group: SolidGroup, u: FloatArray) -> FloatArray:
        K = _blocks(group)
        points = self._rule(self.stiffness_rule)
        stress = self._stresses(group, u, self.stiffness_rule)
        solid_kernels.geometric_stiffness(group.points, points.gradients, points.weights, stress, K)
        return K

    def stresses(self, group: SolidGroup, u: FloatArray) -> FloatArray:
        return self._stresses(group, u, self.stress_rule)

    def nodal_stresses(self, group: SolidGroup, u: FloatArray) -> FloatArray:
        there = extrapolation(self.cell_type, self.stress_rule)
        return np.asarray(np.einsum("ag,egc->eac", there, self.stresses(group, u)))

    def stress_distance(self, group: SolidGroup, u: FloatArray, nodal: FloatArray) -> FloatArray:
        """Squared energy norm (n_e,) of the stresses of ``u`` less those interpolated from ``nodal (n_e, n_a, 6)``.

        Stresses are those of the interpolated displacements: what an element adds inside itself is left out.
        """
        table = self._rule(self.mass_rule)
        apart = (
            np.einsum("ga,eac->egc", table.shapes, nodal)
            - SolidElement._strains(self, group, u, self.mass_rule) @ group.C
        )
        volumes = self._jacobians(group.points, self.mass_rule) * table.weights
        return np.asarray(np.einsum("eg,egc,cd,egd->e", volumes, apart, np.linalg.inv(group.C), apart, optimize=True))

    def stress_positions(self, group: SolidGroup) -> FloatArray:
        return np.asarray(np.einsum("ga,eai->egi", self._rule(self.stress_rule).shapes, group.points))

    def thermal_load(self, group: SolidGroup, expansion: FloatArray) -> FloatArray:
        f = np.zeros((len(group.points), 3 * group.points.shape[1]))
        points = self._rule(self.stiffness_rule)
        stress = group.C[:, :3].sum(axis=1)
        solid_kernels.strain_load(group.points, points.gradients, points.weights, stress, plain(expansion), f)
        return f

    def _jacobians(self, points: FloatArray, number: int) -> FloatArray:
        """det J (n_e, n_g) at the points of a rule."""
        table = self._rule(number)
        det = np.empty((len(points), len(table.weights)))
        solid_kernels.jacobians(points, table.gradients, det)
        return det

    def _masses(self, group: SolidGroup) -> FloatArray:
        """Mass (n_e, n_g) of the points of the mass rule."""
        weights = self._rule(self.mass_rule).weights
        return group.density * self._jacobians(group.points, self.mass_rule) * weights

    def _strains(self, group: SolidGroup, u: FloatArray, number: int) -> FloatArray:
        """Strains (n_e, n_g, 6) at the points of a rule."""
        table = self._rule(number)
        out = np.empty((len(group.points), len(table.weights), 6))
        solid_kernels.strains(group.points, table.gradients, plain(u), out)
        return out

    def _stresses(self, group: SolidGroup, u: FloatArray, number: int) -> FloatArray:
        """Stresses (n_e, n_g, 6) at the points of a rule."""
        return np.asarray(self._strains(group, u, number) @ group.C)


def plain(array: FloatArray) -> FloatArray:
    """Contiguous and writable, which is one type to the compiler; nothing is written."""
    return np.require(array, dtype=np.float64, requirements=["C", "W"])


def _blocks(group: SolidGroup) -> FloatArray:
    """Zero matrices of the elements."""
    k = 3 * group.points.shape[1]
    return np.zeros((len(group.points), k, k))


def _complaint(
    owner: str, kind: str, lowest: FloatArray, diameter: FloatArray, bad: NDArray[np.bool_], numbers: IntArray
) -> str:
    """Which cells are inverted and which have no volume."""
    inverted = bad & (lowest < -DEGENERATE * diameter**3)
    parts = [
        f"{what} {_listed(numbers[mask])}"
        for what, mask in (("inverted:", inverted), ("without volume:", bad & ~inverted))
        if mask.any()
    ]
    return (
        f"{owner}: {int(bad.sum())} of {len(numbers)} {kind} cells cannot be used; {'; '.join(parts)}. det(dx/dxi) "
        f"must be positive at all points of quadrature; number the nodes as in VTK, and see flexmbs.meshes.quality."
    )


def _listed(numbers: IntArray) -> str:
    """The first few numbers, and how many more there are."""
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    return ", ".join(str(n) for n in numbers[:5]) + more
