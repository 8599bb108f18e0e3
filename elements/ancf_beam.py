r"""Shear-deformable absolute-nodal beam: three nodes, position and two directors per node, quadratic interpolation.

Governing equations. Nodal coordinates are the position r and the slopes of the section, the directors
:math:`d_2 = \partial r/\partial y` and :math:`d_3 = \partial r/\partial z`; all three are interpolated by the quadratic
Lagrange polynomials in :math:`\xi`. Points of the body are :math:`r + y\,d_2 + z\,d_3`. With the strains
:math:`\epsilon = (\Gamma_1, \Gamma_2, \Gamma_3, \kappa_1, \kappa_2, \kappa_3)` of `flexmbs.elements.director_strain`,
less those of the stress-free shape, and the section matrix C the strain energy is

.. math:: U = \tfrac12\int_0^L \epsilon^T C\,\epsilon\,ds
   + \tfrac12\int_0^L \left(C_{11} E_{yy}^2 + C_{11} E_{zz}^2 + \tfrac12 (C_{22} + C_{33})\,\gamma_{yz}^2\right) ds,

.. math:: E_{yy} = \tfrac12 (d_2\cdot d_2 - 1),\quad E_{zz} = \tfrac12 (d_3\cdot d_3 - 1),\quad
   \gamma_{yz} = d_2\cdot d_3,

the first integral by Gauss' two points (reduced, against shear and membrane locking), the second by Lobatto's three,
which are the nodes. The second keeps sections rigid to the order of their stiffness; there is no Poisson effect, and so
no Poisson locking. The mass matrix is constant: with rotary inertia, without gyroscopic terms. Kelvin-Voigt damping
replaces every strain by :math:`\epsilon + \tau\dot\epsilon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_direction
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, TangentKernel
from flexmbs.core.directors import directed
from flexmbs.core.errors import ModelError
from flexmbs.core.section_matrix import section_matrix
from flexmbs.elements.director_kernels import DirectorGroup, director_beam_force, director_beam_tangent
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.elements.rod_strain import on_positions, rod_metric, rod_shape, rod_strain_rates, rod_strains

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["ANCFBeam"]

METRIC = Gauss(5)
"""Rule of the integrals of mass and loads."""


@dataclass(frozen=True, kw_only=True)
class ANCFBeam:
    r"""Shear-deformable beam with torsion of the absolute nodal coordinate formulation (ANCF): frames, blades, springs.

    Nodal coordinates: position (x, y, z) [length], directors d2 (x_y, y_y, z_y) and d3 (x_z, y_z, z_z) [-], the
    derivatives of the position by the coordinates y and z of the section. The mass matrix is constant. Uses EA, GA_y,
    GA_z, GJ, EI_y, EI_z or a section matrix, and the rotary inertias, which must be positive.

    Parameters
    ----------
    up : (float, float, float), default (0, 0, 1)
        Direction that tells the axes of the sections in the stress-free shape: z is its part normal to the tangent, and
        y = z x x. The height of a `Rectangle` lies along y and its width along z.

    Raises
    ------
    ModelError
        If ``up`` is no direction, and (when the body is made) if it is parallel to the beam somewhere, a stiffness is
        missing or a rotary inertia is zero.

    Notes
    -----
    Lives on ``line3`` cells; `flexmbs.meshes.three_node` makes them of pairs of ``line`` cells. Point data ``up`` of
    the mesh takes the place of ``up`` at every point: pre-twisted blades. Resultants act on the face
    with outward normal along the axis, in the axes of the section; they are most accurate at Gauss' two points, where
    they are found by reduced integration. Convergence is of fourth order in the displacements of the end nodes for
    smooth loads.

    Limits: sections stay plane and, but for the stiffness above, rigid; St-Venant torsion without warping; moderate
    strains (linear law between the resultants and the strains of Simo and Reissner). An element should turn by less
    than half a turn. The thickness modes of the section are stiff: frequencies of the order of sqrt(E/rho) over its
    height.

    Sources: K. Nachbagauer, P. Gruber and J. Gerstmayr, J. Comput. Nonlinear Dyn. 8 (2013) 021004 (element, structural
    mechanics formulation; here with the stiffnesses of E_zz, E_yy and gamma_yz as above); J. C. Simo, CMAME 49 (1985)
    55-70 (strains).

    Examples
    --------
    >>> from flexmbs.elements import ANCFBeam
    >>> ANCFBeam(up=(1, 0, 0)).layout.names[3:6]
    ('x_y', 'y_y', 'z_y')
    """

    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    name: ClassVar[str] = "director beam"
    cell_type: ClassVar[str] = "line3"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "x_y", "y_y", "z_y", "x_z", "y_z", "z_z"),
        position=(0, 1, 2),
        directors=(3, 4, 5, 6, 7, 8),
        absolute=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N", "normal force", "force"),
        Resultant("Q_y", "shear force along y of the section", "force"),
        Resultant("Q_z", "shear force along z of the section", "force"),
        Resultant("M_x", "torsional moment", "moment"),
        Resultant("M_y", "bending moment about y of the section", "moment"),
        Resultant("M_z", "bending moment about z of the section", "moment"),
    )
    shared: ClassVar[tuple[str, ...]] = ("w", "N", "N1")
    viscous: ClassVar[bool] = True
    section_matrix: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its directors have become parallel, or its forces are not finite"

    def __post_init__(self) -> None:
        x, y, z = as_direction("ANCFBeam", "up", self.up, 3).tolist()
        object.__setattr__(self, "up", (x, y, z))

    @property
    def force(self) -> ForceKernel:
        return director_beam_force

    @property
    def tangent(self) -> TangentKernel:
        return director_beam_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return Gauss(2).rule()[0]

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        directors = directed(tangents, np.array(self.up))
        bad = np.flatnonzero(~np.isfinite(directors).all(axis=1))
        if len(bad):
            raise ModelError(
                f"ANCFBeam: up = {self.up} is parallel to the beam at point {int(bad[0])} "
                f"{points[bad[0]].tolist()}, so it cannot tell the axes of the section; give another direction."
            )
        return np.hstack((points, directors))

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> DirectorGroup:
        if min(stiffness.rhoI_y, stiffness.rhoI_z) <= 0.0:
            raise ModelError(
                f"ANCFBeam: rhoI_y = {stiffness.rhoI_y:g} and rhoI_z = {stiffness.rhoI_z:g} must be positive, "
                f"since they are the mass of the directors."
            )
        C = section_matrix("ANCFBeam", stiffness)
        xi, w = Gauss(2).rule()
        nodes, w_n = Lobatto(3).rule()
        N, N1 = rod_shape(xi, 3)
        J = rod_metric(_vectors(reference), xi)
        order = [0, 2, 1]  # the nodes of the rule in the order of the cell: start, end, middle
        one = np.ones(len(dofs))
        shear = 0.5 * (C[1, 1] + C[2, 2])
        return DirectorGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            C=np.ascontiguousarray(one[:, None, None] * C),
            c=np.ascontiguousarray(one[:, None] * np.array([C[0, 0], C[0, 0], shear])),
            tau=stiffness.retardation_time * one,
            w=w,
            N=N,
            N1=N1,
            J=J,
            e0=rod_strains(_vectors(reference), J, N, N1),
            wJ=np.ascontiguousarray((w_n * rod_metric(_vectors(reference), nodes))[:, order]),
            rho=one[:, None] * np.array([stiffness.mass_per_length, stiffness.rhoI_z, stiffness.rhoI_y]),
            reference=np.ascontiguousarray(reference),
        )

    def lengths(self, group: DirectorGroup) -> FloatArray:
        xi, w = METRIC.rule()
        return np.asarray(rod_metric(_vectors(group.reference), xi) @ w)

    def mass(self, group: DirectorGroup) -> FloatArray:
        xi, w = METRIC.rule()
        N, _ = rod_shape(xi, 3)
        m = np.einsum("g,eg,gi,gj->eij", w, rod_metric(_vectors(group.reference), xi), N, N)
        blocks = np.einsum("eij,ek,kl,cd->eikcjld", m, group.rho, np.eye(3), np.eye(3))
        M = blocks.reshape(len(m), 27, 27)
        return np.asarray(0.5 * (M + M.transpose(0, 2, 1)))

    def energy(self, group: DirectorGroup, q: FloatArray) -> FloatArray:
        q_e = q[group.dofs]
        e = rod_strains(_vectors(q_e), group.J, group.N, group.N1) - group.e0
        energy = 0.5 * np.einsum("g,eg,egi,eij,egj->e", group.w, group.J, e, group.C, e)
        d2, d3 = q_e.reshape(-1, 3, 9)[..., 3:6], q_e.reshape(-1, 3, 9)[..., 6:]
        E_yy, E_zz = 0.5 * ((d2 * d2).sum(axis=-1) - 1.0), 0.5 * ((d3 * d3).sum(axis=-1) - 1.0)
        section = np.stack((E_yy, E_zz, (d2 * d3).sum(axis=-1)), axis=-1)
        return np.asarray(energy + 0.5 * np.einsum("ei,eik,ek->e", group.wJ, section**2, group.c))

    def body_load(self, group: DirectorGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        xi, w = METRIC.rule()
        N, _ = rod_shape(xi, 3)
        density = group.rho[:, 0] if per_mass else np.ones(len(group.dofs))
        f = np.zeros((len(group.dofs), 3, 9))
        f[..., :3] = np.einsum("g,eg,gi,e,c->eic", w, rod_metric(_vectors(group.reference), xi), N, density, load)
        return f.reshape(len(f), 27)

    def positions(self, group: DirectorGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        nodes = q[group.dofs].reshape(-1, 3, 9)[..., :3]
        return np.asarray(np.einsum("gi,eic->egc", rod_shape(xi, 3)[0], nodes))

    def interpolation(self, group: DirectorGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        return on_positions(rod_shape(xi, 3), len(group.dofs), 3)

    def stress_resultants(self, group: DirectorGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N, Q_y, Q_z, M_x, M_y, M_z (n_e, n_s, 6), elastic and viscous parts."""
        N, N1 = rod_shape(xi, 3)
        J = rod_metric(_vectors(group.reference), xi)
        nodes = _vectors(q[group.dofs])
        e = rod_strains(nodes, J, N, N1) - rod_strains(_vectors(group.reference), J, N, N1)
        if np.any(group.tau > 0) and np.any(v[group.dofs]):
            e = e + group.tau[:, None, None] * rod_strain_rates(nodes, _vectors(v[group.dofs]), J, N, N1)
        return np.asarray(np.einsum("eij,egj->egi", group.C, e))


def _vectors(q_e: FloatArray) -> FloatArray:
    """Position, d2 and d3 (n_e, 3, 3, 3) of the nodes."""
    return q_e.reshape(len(q_e), 3, 3, 3)
