r"""Fully parameterised absolute-nodal plate and shell: four nodes, position and three slopes per node, continuum force.

Governing equations (Mikkola and Shabana). Nodal coordinates are the position r and its derivatives by the axes of a
frame at the node (`flexmbs.elements.cell_slopes`); with x, y on the cell and z from the middle surface

.. math:: r = \sum_n \left(H_n r_n + H_{xn} r_{,x n} + H_{yn} r_{,y n} + l_n\,z\,r_{,z n}\right)

with products H of Hermite's cubics and bilinear l. Of the deformation gradient F come Green's strain E = (F^T F - 1)/2
and, with the elasticity matrix D, the energy :math:`U = \tfrac12\int E^T D\,E\,dV` over the stress-free shape.

As printed, D is that of a solid and the integral is full (Gauss 4 by 4 by 3). It is that of plane stress, and shear,
and the square of what the thickness does beyond Poisson's law,

.. math:: E^T D E = e^T Q\,e + \gamma^T G\,\gamma +
          M \left(E_{33} + \tfrac{\nu}{1 - \nu}(E_{11} + E_{22})\right)^2, \quad
          M = \frac{E (1 - \nu)}{(1 + \nu)(1 - 2\nu)} .

This element locks: r_z is constant over the thickness, so that E_33 cannot follow bending (too stiff by
(1 - nu)^2/(1 - 2 nu)); interpolated r_z are too short between nodes that are turned against each other; and, since the
mixed derivative of r is zero at the nodes, it has no state of constant twist without shear. The cures:

- ``split``: the last square counts on the middle surface alone;
- ``nodal``: it counts at the nodes alone;
- ``assumed_shear``: transverse shears are those at three points of each edge (Lobatto), along it, quadratic on the edge
  and linear across; and the plane integral is Gauss 3 by 3. On the edges the twist w = xy is exact;
- ``twist``: the mixed derivative at the nodes follows from the slopes of the neighbours
  (`flexmbs.elements.continuum_plate_tables`). So w = xy is exact inside, too, quadrilaterals with straight edges are
  bilinear, and the strains of the middle surface are right where a thin plate twists far.

Kelvin-Voigt damping replaces E by :math:`E + \tau\dot E`. The mass matrix is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_flag
from flexmbs.core.contracts import (
    FloatArray,
    ForceKernel,
    IntArray,
    NodeLayout,
    Resultant,
    SurfaceShape,
    TangentKernel,
)
from flexmbs.core.errors import ModelError
from flexmbs.elements.cell_slopes import FOLD, corner_slopes, folds, in_frames
from flexmbs.elements.continuum_plate_tables import (
    NODES,
    Middle,
    cell_grid,
    elasticity,
    gradients,
    mid_surface,
    plate_points,
    shear_rows,
    ties,
)
from flexmbs.elements.edge_frames import edge_frames
from flexmbs.elements.quadrature import Gauss
from flexmbs.elements.sheet_resultants import SHEET_RESULTANTS
from flexmbs.elements.tied_kernels import PlateGroup, plate_force, plate_tangent

if TYPE_CHECKING:
    from flexmbs.core.shell_section import ShellStiffness

__all__ = ["ANCFPlateFullyParameterized"]

AREA = Gauss(5)
"""Rule of all integrals over the middle surface: one for all, so that mass is exactly density times area."""


@dataclass(frozen=True, kw_only=True)
class ANCFPlateFullyParameterized:
    r"""Fully parameterised plate or shell of the absolute nodal coordinate formulation (ANCF), one layer, with kinks.

    Nodal coordinates: position (x, y, z) [length] and its derivatives by the axes of the node's frame [-], two tangents
    and the normal in the stress-free shape, 12 a node. The tangents are along and across an edge of a cell, at borders
    of the border. Cells may meet at any angle, and more than two at an edge.

    Parameters
    ----------
    split, nodal, assumed_shear, twist : bool, default True
        The cures; without all of them the element is as printed.

    Raises
    ------
    ModelError
        If a choice is not a flag, and (when the body is made) if the section is not one homogeneous layer: membrane and
        bending coupled, bending stiffness other than that of the membrane times h^2/12, or Poisson's ratio of the
        membrane above 0.499.

    Notes
    -----
    The section gives the moduli: plane stress A/h, transverse shear with its factor (5/6), and for the thickness E and
    nu of A, averaged over all directions where it is orthotropic.

    Limits: at a kink all cells share the nine slopes, so that the strains of one are those of the other in other axes.
    Very thin plates lock in cells that bend by 45 degrees. Stress resultants are those of second Piola-Kirchhoff
    stresses.

    Sources: A. Mikkola and A. A. Shabana, Multibody Syst. Dyn. 9 (2003) 283-309; split after J. Gerstmayr, M. K.
    Matikainen and A. M. Mikkola, Multibody Syst. Dyn. 20 (2008) 359-384; shears after K.-J. Bathe and E. N. Dvorkin,
    Int. J. Numer. Methods Eng. 21 (1985) 367-383.

    Examples
    --------
    >>> from flexmbs.elements import ANCFPlateFullyParameterized
    >>> printed = ANCFPlateFullyParameterized(split=False, nodal=False, assumed_shear=False, twist=False)
    >>> len(printed.layout.names)
    12
    """

    split: bool = True
    nodal: bool = True
    assumed_shear: bool = True
    twist: bool = True

    name: ClassVar[str] = "continuum plate"
    cell_type: ClassVar[str] = "quad"
    parametric: ClassVar[bool] = False
    carries_kinks: ClassVar[bool] = True
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "x_x", "y_x", "z_x", "x_y", "y_y", "z_y", "x_z", "y_z", "z_z"),
        position=(0, 1, 2),
        surface=(3, 4, 5, 6, 7, 8),
        slope=(9, 10, 11),
        absolute=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = SHEET_RESULTANTS
    shared: ClassVar[tuple[str, ...]] = ("kind",)
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its forces are not finite"

    def __post_init__(self) -> None:
        for name in ("split", "nodal", "assumed_shear", "twist"):
            object.__setattr__(self, name, as_flag("ANCFPlateFullyParameterized", name, getattr(self, name)))

    @property
    def force(self) -> ForceKernel:
        return plate_force

    @property
    def tangent(self) -> TangentKernel:
        return plate_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        s, _ = Gauss(2).rule()
        return np.array([(a, b) for b in s for a in s])

    def surface_reference(self, shape: SurfaceShape) -> FloatArray:
        return np.hstack((shape.points, edge_frames(shape).transpose(0, 2, 1).reshape(-1, 9)))

    def tabulate_surface(
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: ShellStiffness, b1: int
    ) -> PlateGroup:
        Q, shear, E, nu = _moduli(stiffness)
        h, axis = stiffness.thickness, np.array(stiffness.axis)
        slopes = in_frames(corner_slopes("ANCFPlateFullyParameterized", shape), edge_frames(shape)[shape.cells])
        x, y, z, w, kind = plate_points(h, self.split, self.nodal, self.assumed_shear)
        middle = Middle(reference, slopes, axis, self.twist)
        phi, volume = gradients(middle, x, y, z)
        x, y = np.tile(NODES.T.astype(float), 2)
        _, faces = gradients(middle, x, y, np.repeat([-0.5 * h, 0.5 * h], 4))
        bad = np.flatnonzero((volume <= 0.0).any(axis=1) | (faces <= 0.0).any(axis=1))
        if len(bad):
            raise ModelError(
                f"ANCFPlateFullyParameterized: element {int(bad[0])} at {shape.points[shape.cells[bad[0]]].tolist()} "
                f"is folded in its stress-free shape: its sides turn too much, or half its thickness is above its "
                f"radius of curvature."
            )
        C = elasticity(Q, shear / h, E, nu, not (self.split or self.nodal), self.assumed_shear)
        held = FOLD * h * 0.5 * float(shear[0, 0] + shear[1, 1])
        tie, g0, H = ties(middle, shear, held, folds(shape), self.assumed_shear)
        one = np.ones(len(dofs))
        return PlateGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            phi=phi,
            W=np.ascontiguousarray(volume * w),
            kind=kind,
            C=np.ascontiguousarray(one[:, None, None, None] * C),
            tau=stiffness.retardation_time * one,
            tie=tie,
            g0=g0,
            H=H,
            slopes=slopes,
            h=h * one,
            shear=one[:, None, None] * shear,
            axis=one[:, None] * axis,
            rho=one[:, None] * np.array([stiffness.mass_per_area, stiffness.rotary_inertia]),
            reference=np.ascontiguousarray(reference),
        )

    def areas(self, group: PlateGroup) -> FloatArray:
        w, area, _, _ = _rule(group, self.twist)
        return np.asarray(area @ w)

    def mass(self, group: PlateGroup) -> FloatArray:
        w, area, N, L = _rule(group, self.twist)
        m = np.zeros((len(area), 16, 16))
        for rho, table in zip(group.rho.T, (N, L), strict=True):
            m += np.einsum("p,ep,epi,epj,e->eij", w, area, table, table, rho, optimize=True)
        m = 0.5 * (m + m.transpose(0, 2, 1))
        return np.asarray(np.einsum("eij,cd->eicjd", m, np.eye(3)).reshape(len(m), 48, 48))

    def energy(self, group: PlateGroup, q: FloatArray) -> FloatArray:
        E, g = _green(group.phi, q[group.dofs]), _tied(group, q[group.dofs])
        volume = np.einsum("ep,epi,epij,epj->e", group.W, E, group.C[:, group.kind], E)
        return np.asarray(0.5 * (volume + np.einsum("et,ets,es->e", g, group.H, g)))

    def body_load(self, group: PlateGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        w, area, N, _ = _rule(group, self.twist)
        density = group.rho[:, 0] if per_mass else np.ones(len(area))
        return np.asarray(np.einsum("p,ep,epi,e,c->eic", w, area, N, density, load).reshape(len(area), 48))

    def positions(self, group: PlateGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        N, _ = self.interpolation(group, xi)
        return np.asarray(np.einsum("epi,eic->epc", N, q[group.dofs].reshape(-1, 16, 3)))

    def interpolation(self, group: PlateGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        x, y = 0.5 * (1.0 + np.asarray(xi, dtype=float).reshape(-1, 2).T)
        N, _ = mid_surface(group.slopes, self.twist, x, y)
        return np.ascontiguousarray(N[:, 0]), np.ascontiguousarray(0.5 * N[:, 1:].transpose(0, 2, 1, 3))

    def stress_resultants(self, group: PlateGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N_11, N_22, N_12, M_11, M_22, M_12, Q_1, Q_2 (n_e, n_s, 8) of the stresses over the thickness."""
        x, y = 0.5 * (1.0 + np.asarray(xi, dtype=float).reshape(-1, 2).T)
        found = np.zeros((len(group.h), len(x), 8))
        if not len(group.h):
            return found
        h, middle = group.h[0], self._middle(group)
        s, weights = Gauss(3).rule()
        z = 0.5 * h * s
        a, b, heights = np.repeat(x, 3), np.repeat(y, 3), np.tile(z, len(x))
        phi, _ = gradients(middle, a, b, heights)
        S = np.einsum("eij,epj->epi", group.C[:, 0], _viscous(group, q, v, lambda u: _green(phi, u)))
        S = S.reshape(len(S), len(x), 3, 6)
        S += self._thickness_stress(group, q, v, x, y, z)
        dz = 0.5 * h * weights
        for k, part in enumerate((0, 1, 3)):
            found[..., k], found[..., 3 + k] = S[..., part] @ dz, S[..., part] @ (z * dz)
        if self.assumed_shear:
            rows, _ = shear_rows(middle, x, y)
            tied = _viscous(group, q, v, lambda u: _tied(group, u))
            found[..., 6:] = np.einsum("eab,epbt,et->epa", group.shear, rows, tied)
        else:
            found[..., 6], found[..., 7] = S[..., 5] @ dz, S[..., 4] @ dz
        return found

    def _middle(self, group: PlateGroup) -> Middle:
        return Middle(group.reference, group.slopes, group.axis[0], self.twist)

    def _thickness_stress(
        self, group: PlateGroup, q: FloatArray, v: FloatArray, x: FloatArray, y: FloatArray, z: FloatArray
    ) -> FloatArray:
        """Stresses (n_e, n_s, 3, 6) of the law of thickness; at the nodes and bilinear between them, where nodal."""
        if not (self.split or self.nodal):
            return np.zeros(())
        at = NODES.T.astype(float) if self.nodal else np.stack((x, y))
        a, b, heights = np.repeat(at[0], 3), np.repeat(at[1], 3), np.tile(np.zeros(3) if self.split else z, at.shape[1])
        phi, _ = gradients(self._middle(group), a, b, heights)
        S = np.einsum("eij,epj->epi", group.C[:, 1], _viscous(group, q, v, lambda u: _green(phi, u)))
        S = S.reshape(len(S), at.shape[1], 3, 6)
        if self.nodal:
            corner = np.stack([(x if i else 1.0 - x) * (y if j else 1.0 - y) for i, j in NODES], axis=1)
            S = np.einsum("pn,enzi->epzi", corner, S)
        return np.asarray(S)


def _moduli(stiffness: ShellStiffness) -> tuple[FloatArray, FloatArray, float, float]:
    """Plane-stress moduli (3, 3), shear stiffness per length (2, 2), E and nu of the thickness; refuses layers."""
    C, h = stiffness.matrix, stiffness.thickness
    A, B, D, S = C[:3, :3], C[:3, 3:6], C[3:6, 3:6], C[6:, 6:]
    size = np.abs(A).max()
    if np.abs(B).max() > 1e-9 * size * h or np.abs(C[:6, 6:]).max() > 1e-9 * size * max(1.0, h):
        raise ModelError(
            "ANCFPlateFullyParameterized: the section couples membrane, bending or shear, which one homogeneous layer "
            "does not; take a ShellSection, or another element."
        )
    if np.abs(D - A * h**2 / 12.0).max() > 1e-6 * np.abs(D).max():
        raise ModelError(
            f"ANCFPlateFullyParameterized: the bending stiffness must be that of the membrane times h^2/12 = "
            f"{h**2 / 12.0:g}, as of one homogeneous layer, but D_11 / A_11 = {D[0, 0] / A[0, 0]:g}; take another "
            f"element for layers."
        )
    mean = (3.0 * A[0, 0] + 3.0 * A[1, 1] + 2.0 * A[0, 1] + 4.0 * A[2, 2]) / 8.0
    nu = float((A[0, 0] + A[1, 1] + 6.0 * A[0, 1] - 4.0 * A[2, 2]) / (8.0 * mean))
    if nu > 0.499:
        raise ModelError(
            f"ANCFPlateFullyParameterized: Poisson's ratio {nu:.4g} of the membrane is above 0.499: no bulk modulus."
        )
    return A / h, S, float(mean / h * (1.0 - nu**2)), nu


def _green(phi: FloatArray, q_e: FloatArray) -> FloatArray:
    """Green's strain (n_e, n_p, 6)."""
    a = np.einsum("epki,eic->epkc", phi, q_e.reshape(-1, 16, 3))
    g = np.einsum("epkc,eplc->epkl", a, a)
    normal = 0.5 * (np.diagonal(g, axis1=2, axis2=3) - 1.0)
    return np.concatenate((normal, np.stack((g[..., 0, 1], g[..., 1, 2], g[..., 0, 2]), axis=-1)), axis=-1)


def _tied(group: PlateGroup, q_e: FloatArray) -> FloatArray:
    """Tied shears (n_e, n_t)."""
    a = np.einsum("etki,eic->etkc", group.tie, q_e.reshape(-1, 16, 3))
    return np.asarray((a[:, :, 0] * a[:, :, 1]).sum(axis=2) - group.g0)


def _viscous(group: PlateGroup, q: FloatArray, v: FloatArray, strain: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Strains with their rates times the retardation time; they are quadratic, so that the difference is exact."""
    E, rates = strain(q[group.dofs]), v[group.dofs]
    if np.any(group.tau > 0) and np.any(rates):
        step = max(1.0, float(np.abs(q).max())) / float(np.abs(rates).max())
        change = strain(q[group.dofs] + step * rates) - strain(q[group.dofs] - step * rates)
        E = E + group.tau.reshape(-1, *(1,) * (E.ndim - 1)) * change / (2.0 * step)
    return E


def _rule(group: PlateGroup, twist: bool) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Weights, areas (n_e, n), and functions (n_e, n, 16) of r and of r_z for integrals over the middle surface."""
    x, y, w = cell_grid(AREA)
    N, L = mid_surface(group.slopes, twist, x, y)
    G = np.einsum("ekpi,eic->ekpc", N[:, 1:], group.reference.reshape(-1, 16, 3))
    return w, np.linalg.norm(np.cross(G[:, 0], G[:, 1]), axis=-1), N[:, 0], L[:, 0]
