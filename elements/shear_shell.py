r"""Shear-deformable absolute-nodal shell: four nodes, position and director per node, bilinear, for any mesh of quads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, SurfaceShape, TangentKernel
from flexmbs.core.sheet import SheetStiffness
from flexmbs.elements.quadrature import Gauss
from flexmbs.elements.shear_kernels import ShearGroup, shear_shell_force, shear_shell_tangent
from flexmbs.elements.shear_strain import bilinear, condensed, products, strains

__all__ = ["ShearShell"]

LEAST = 0.1
"""Least cosine between the director and the normals of the cells at a node."""
ALIKE = 0.1
"""Tangent of half the angle between two cells up to which they count as one plane."""
MODES = (0, 4, 5, 7)


@dataclass(frozen=True, kw_only=True)
class ShearShell:
    """Shear shell."""

    enhanced: int = 7

    name: ClassVar[str] = "shear shell"
    cell_type: ClassVar[str] = "quad"
    parametric: ClassVar[bool] = False
    carries_kinks: ClassVar[bool] = False
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "x_z", "y_z", "z_z"),
        position=(0, 1, 2),
        slope=(3, 4, 5),
        absolute=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N_11", "membrane force along axis 1", "force/length"),
        Resultant("N_22", "membrane force along axis 2", "force/length"),
        Resultant("N_12", "membrane shear force", "force/length"),
        Resultant("M_11", "bending moment of the stresses along axis 1", "force"),
        Resultant("M_22", "bending moment of the stresses along axis 2", "force"),
        Resultant("M_12", "twisting moment", "force"),
        Resultant("Q_1", "transverse shear force on the face across axis 1", "force/length"),
        Resultant("Q_2", "transverse shear force on the face across axis 2", "force/length"),
    )
    shared: ClassVar[tuple[str, ...]] = ()
    diagnosis: ClassVar[str] = "its forces are not finite"

    @property
    def force(self) -> ForceKernel:
        return shear_shell_force

    @property
    def tangent(self) -> TangentKernel:
        return shear_shell_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return np.zeros((1, 2))

    def surface_reference(self, shape: SurfaceShape) -> FloatArray:
        return np.hstack((shape.points, _directors(shape)))

    def tabulate_surface(
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: SheetStiffness, b1: int
    ) -> ShearGroup:
        one = np.ones(len(dofs))
        nodes = _nodes(reference)
        C = one[:, None, None] * stiffness.matrix
        axis = one[:, None] * np.array(stiffness.axis)
        D, _ = condensed(nodes, axis, C, self.enhanced, np.zeros((0, 2)))
        length = 0.5 * (nodes[:, :, 1] ** 2).sum(axis=-1)
        across = 0.5 * (stiffness.matrix[0, 0] + stiffness.matrix[1, 1])
        return ShearGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            tau=stiffness.viscosity * one,
            D=np.ascontiguousarray(D),
            E0=np.ascontiguousarray(np.hstack((products(nodes), length))),
            k=np.ascontiguousarray(across * _integrals(nodes).sum(axis=2) / (2.0 * length) ** 2),
            C=np.ascontiguousarray(C),
            axis=np.ascontiguousarray(axis),
            rho=one[:, None] * np.array([stiffness.mass_per_area, stiffness.rotary_inertia]),
            reference=np.ascontiguousarray(reference),
        )

    def areas(self, group: ShearGroup) -> FloatArray:
        return np.asarray(_integrals(_nodes(group.reference)).sum(axis=(1, 2)))

    def mass(self, group: ShearGroup) -> FloatArray:
        m = _integrals(_nodes(group.reference))
        M = np.einsum("eij,ek,kl,cd->eikcjld", m, group.rho, np.eye(2), np.eye(3)).reshape(len(m), 24, 24)
        return np.asarray(0.5 * (M + M.transpose(0, 2, 1)))

    def energy(self, group: ShearGroup, q: FloatArray) -> FloatArray:
        nodes = _nodes(q[group.dofs])
        E = products(nodes) - group.E0[:, :16]
        stretch = 0.5 * (nodes[:, :, 1] ** 2).sum(axis=-1) - group.E0[:, 16:]
        return np.asarray(0.5 * np.einsum("ei,eij,ej->e", E, group.D, E) + 0.5 * (group.k * stretch**2).sum(axis=1))

    def body_load(self, group: ShearGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        density = group.rho[:, 0] if per_mass else np.ones(len(group.dofs))
        f = np.zeros((len(group.dofs), 4, 2, 3))
        f[:, :, 0] = np.einsum("eij,e,c->eic", _integrals(_nodes(group.reference)), density, load)
        return f.reshape(len(f), 24)

    def positions(self, group: ShearGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("gi,eic->egc", bilinear(xi)[0], _nodes(q[group.dofs])[:, :, 0]))

    def interpolation(self, group: ShearGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        shapes, slopes = bilinear(xi)
        N, dN = np.zeros((len(group.dofs), len(xi), 8)), np.zeros((len(group.dofs), len(xi), 2, 8))
        N[..., ::2], dN[..., ::2] = shapes, slopes
        return N, dN

    def stress_resultants(self, group: ShearGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        nodes = _nodes(group.reference)
        _, extra = condensed(nodes, group.axis, group.C, self.enhanced, xi)
        now, rate = _nodes(q[group.dofs]), _nodes(v[group.dofs])
        # the products are quadratic, so the central difference along v is exact
        growth = 0.5 * (products(now + rate) - products(now - rate))
        E = products(now) - group.E0[:, :16] + group.tau[:, None] * growth
        e = np.einsum("egik,ek->egi", strains(nodes, xi, group.axis).rows, E)
        e[..., :3] -= np.einsum("egia,eak,ek->egi", extra.rows, extra.solve, E)
        return np.asarray(np.einsum("eij,egj->egi", group.C, e))


def _nodes(q: FloatArray) -> FloatArray:
    return q.reshape(len(q), 4, 2, 3)


def _integrals(nodes: FloatArray) -> FloatArray:
    """Integrals (n_e, 4, 4) of the products of the shape functions over the stress-free surface."""
    xi, w = Gauss(3).rule()
    eta, first = (part.ravel() for part in np.meshgrid(xi, xi, indexing="ij"))
    points, weights = np.stack((first, eta), axis=1), np.outer(w, w).ravel()
    N, dN = bilinear(points)
    bases = np.einsum("gai,eic->egac", dN, nodes[:, :, 0])
    area = np.linalg.norm(np.cross(bases[..., 0, :], bases[..., 1, :]), axis=-1)
    return np.asarray(np.einsum("g,eg,gi,gj->eij", weights, area, N, N))


def _directors(shape: SurfaceShape) -> FloatArray:
    """Directors (n_nodes, 3) whose parts along the normals of all cells at a node are one, as well as they can be."""
    corners = shape.points[shape.cells]
    ahead, behind = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    normals = np.cross(ahead, behind)
    normals = (normals / np.linalg.norm(normals, axis=-1, keepdims=True)).reshape(-1, 3)
    at = shape.cells.ravel()
    mean = shape.frames[:, :, 2]
    cosines = (normals * mean[at]).sum(axis=-1)
    directors = mean * (np.bincount(at, cosines, len(mean)) / np.bincount(at, cosines**2, len(mean)))[:, None]
    for node in shape.kinks:
        directors[node] = np.linalg.lstsq(normals[at == node], np.ones((at == node).sum()), rcond=ALIKE)[0]
    return directors
