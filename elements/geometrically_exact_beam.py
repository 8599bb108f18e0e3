r"""Geometrically exact (Simo-Reissner) beam: two or three nodes with a position and a rotation each.

Governing equations. With the strains of `flexmbs.elements.director_strain`, Gamma and kappa, less those of the
stress-free shape, and the section matrix C the strain energy is

.. math:: U = \tfrac12\int_0^L \epsilon^T C\,\epsilon\,ds, \quad
   \epsilon = (\Gamma_1, \Gamma_2, \Gamma_3, \kappa_1, \kappa_2, \kappa_3),

integrated by Gauss' rule of one point less than nodes (reduced, against locking). Positions are interpolated by
Lagrange's polynomials, and so are the directors d2 and d3, the axes y and z of the nodes' sections; the frame at a
point is the one that belongs to the interpolated directors (`flexmbs.core.directors`). It depends on the present
rotations of the nodes alone, and turns with them: strains are objective and do not depend on the path, and no rotation
vector is ever interpolated. Rotations of nodes are quaternions, updated by exponentials.

The mass matrix is constant in velocities and angular velocities (of the section's axes): translational inertia is
consistent, rotary inertia that of the nodes with the weights of Lobatto's rule; it adds the gyroscopic moments of
the nodes. Kelvin-Voigt damping replaces every strain by :math:`\epsilon + \tau\dot\epsilon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_direction
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, TangentKernel
from flexmbs.core.directors import directed, quaternions
from flexmbs.core.errors import ModelError
from flexmbs.core.section_matrix import section_matrix
from flexmbs.elements.ancf_beam import ANCFBeam
from flexmbs.elements.exact_kernels import ExactGroup, exact_beam_force, exact_beam_tangent
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.elements.rod_strain import on_positions, rod_metric, rod_shape, rod_strain_rates, rod_strains

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["GeometricallyExactBeam"]

METRIC = Gauss(5)
"""Rule of the integrals of mass and loads."""


@dataclass(frozen=True, kw_only=True)
class GeometricallyExactBeam:
    r"""Geometrically exact (Simo-Reissner) beam with rotations at its nodes: any displacement and rotation.

    Nodal coordinates: position [length] and a unit quaternion, which turns the axes of the section into the inertial
    ones; velocities: that of the position and the angular velocity in axes of the section [rad/time]. Uses EA, GA_y,
    GA_z, GJ, EI_y, EI_z or a section matrix, and the rotary inertias, which must be positive.

    Parameters
    ----------
    nodes : 2 or 3, default 3
        Nodes per element: ``line`` or ``line3`` cells; second or fourth order of convergence.
    up : (float, float, float), default (0, 0, 1)
        Direction that tells the axes of the sections in the stress-free shape: z is its part normal to the tangent, and
        y = z x x; point data ``up`` of the mesh takes its place at every point.

    Raises
    ------
    ModelError
        If ``nodes`` is not 2 or 3, ``up`` is no direction, and (when the body is made) if it is parallel to the beam,
        a stiffness is missing or a rotary inertia is zero.

    Notes
    -----
    Models with it are solved as mechanisms are: results are those of `solve_static` and `simulate` for models that can
    move, asked through markers. Supports hold components of the position in any direction, or the orientation, and may
    be elastic; prescribed motions need driver joints, and hinges between bodies a SphericalJoint.

    Limits: rigid sections, St-Venant torsion without warping, moderate strains. An element should turn by less than a
    right angle.

    Sources: J. C. Simo and L. Vu-Quoc, Comput. Methods Appl. Mech. Engng 58 (1986) 79-116; M. A. Crisfield and G.
    Jelenic, Proc. R. Soc. A 455 (1999) 1125-1147 (objectivity); I. Romero, Comput. Mech. 34 (2004) 121-133
    (interpolation by orthonormalised frames).

    Examples
    --------
    >>> import flexmbs as fx
    >>> beam = fx.FlexibleBody.line((0, 0, 0), (1, 0, 0), elements=4, element=fx.elements.GeometricallyExactBeam(),
    ...                             section=fx.Circle(diameter=0.01), material=fx.steel)
    >>> beam.mesh.n_points
    9
    """

    nodes: int = 3
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    name: ClassVar[str] = "exact beam"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "turn about x", "turn about y", "turn about z"),
        position=(0, 1, 2),
        rotation=(3, 4, 5),
        absolute=True,
        quaternion=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = ANCFBeam.resultants
    shared: ClassVar[tuple[str, ...]] = ("n_linear", "T", "w", "N", "N1")
    viscous: ClassVar[bool] = True
    section_matrix: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its sections are turned by half a turn against each other, or its forces are not finite"

    def __post_init__(self) -> None:
        if self.nodes not in (2, 3) or isinstance(self.nodes, bool):
            raise ModelError(f"GeometricallyExactBeam: nodes must be 2 or 3, not {self.nodes!r}.")
        x, y, z = as_direction("GeometricallyExactBeam", "up", self.up, 3).tolist()
        object.__setattr__(self, "up", (x, y, z))

    @property
    def cell_type(self) -> str:
        return "line" if self.nodes == 2 else "line3"

    @property
    def force(self) -> ForceKernel:
        return exact_beam_force

    @property
    def tangent(self) -> TangentKernel:
        return exact_beam_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return Gauss(self.nodes - 1).rule()[0]

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        directors = directed(tangents, np.array(self.up))
        bad = np.flatnonzero(~np.isfinite(directors).all(axis=1))
        if len(bad):
            raise ModelError(
                f"GeometricallyExactBeam: up = {self.up} is parallel to the beam at point {int(bad[0])} "
                f"{points[bad[0]].tolist()}, so it cannot tell the axes of the section; give another direction."
            )
        return np.hstack((points, quaternions(directors)))

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> ExactGroup:
        if min(stiffness.rhoI_y, stiffness.rhoI_z) <= 0.0:
            raise ModelError(
                f"GeometricallyExactBeam: rhoI_y = {stiffness.rhoI_y:g} and rhoI_z = {stiffness.rhoI_z:g} must be "
                f"positive, since they are the inertia of the nodes' rotations."
            )
        C = section_matrix("GeometricallyExactBeam", stiffness)
        xi, w = Gauss(self.nodes - 1).rule()
        at, w_n = Lobatto(self.nodes).rule()
        N, N1 = rod_shape(xi, self.nodes)
        J = rod_metric(_vectors(reference), xi)
        order = [0, 1] if self.nodes == 2 else [0, 2, 1]  # the nodes of the rule in the order of the cell
        one = np.ones(len(dofs))
        polar = np.array([stiffness.rhoI_y + stiffness.rhoI_z, stiffness.rhoI_y, stiffness.rhoI_z])
        lengths = (w_n * rod_metric(_vectors(reference), at))[:, order]
        return ExactGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            n_linear=0,
            T=np.zeros((0, 3, 3)),
            C=np.ascontiguousarray(one[:, None, None] * C),
            tau=stiffness.retardation_time * one,
            w=w,
            N=N,
            N1=N1,
            J=J,
            e0=rod_strains(_vectors(reference), J, N, N1),
            inertia=np.ascontiguousarray(lengths[:, :, None] * polar),
            rhoA=stiffness.mass_per_length * one,
            reference=np.ascontiguousarray(reference),
        )

    def lengths(self, group: ExactGroup) -> FloatArray:
        xi, w = METRIC.rule()
        return np.asarray(rod_metric(_vectors(group.reference), xi) @ w)

    def mass(self, group: ExactGroup) -> FloatArray:
        xi, w = METRIC.rule()
        N, _ = rod_shape(xi, self.nodes)
        m = np.einsum("g,eg,gi,gj,e->eij", w, rod_metric(_vectors(group.reference), xi), N, N, group.rhoA)
        M = np.zeros((len(m), self.nodes, 6, self.nodes, 6))
        for c in range(3):
            M[:, :, c, :, c] = 0.5 * (m + m.transpose(0, 2, 1))
            for i in range(self.nodes):
                M[:, i, 3 + c, i, 3 + c] = group.inertia[:, i, c]
        return M.reshape(len(m), 6 * self.nodes, 6 * self.nodes)

    def energy(self, group: ExactGroup, q: FloatArray) -> FloatArray:
        e = rod_strains(_vectors(q[_places(group)]), group.J, group.N, group.N1) - group.e0
        return np.asarray(0.5 * np.einsum("g,eg,egi,eij,egj->e", group.w, group.J, e, group.C, e))

    def body_load(self, group: ExactGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        xi, w = METRIC.rule()
        N, _ = rod_shape(xi, self.nodes)
        density = group.rhoA if per_mass else np.ones(len(group.dofs))
        f = np.zeros((len(group.dofs), self.nodes, 6))
        f[..., :3] = np.einsum("g,eg,gi,e,c->eic", w, rod_metric(_vectors(group.reference), xi), N, density, load)
        return f.reshape(len(f), 6 * self.nodes)

    def positions(self, group: ExactGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        nodes = _vectors(q[_places(group)])[..., 0, :]
        return np.asarray(np.einsum("gi,eic->egc", rod_shape(xi, self.nodes)[0], nodes))

    def interpolation(self, group: ExactGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        return on_positions(rod_shape(xi, self.nodes), len(group.dofs), 2)

    def stress_resultants(self, group: ExactGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N, Q_y, Q_z, M_x, M_y, M_z (n_e, n_s, 6), elastic and viscous parts."""
        N, N1 = rod_shape(xi, self.nodes)
        reference = _vectors(group.reference)
        J = rod_metric(reference, xi)
        nodes = _vectors(q[_places(group)])
        e = rod_strains(nodes, J, N, N1) - rod_strains(reference, J, N, N1)
        if np.any(group.tau > 0) and np.any(v[group.dofs]):
            rate = _rates(nodes, v[group.dofs].reshape(-1, self.nodes, 6))
            e = e + group.tau[:, None, None] * rod_strain_rates(nodes, rate, J, N, N1)
        return np.asarray(np.einsum("eij,egj->egi", group.C, e))


def _places(group: ExactGroup) -> IntArray:
    """Places in q (n_e, 7 nn) of the nodes."""
    first = group.n_linear + 7 * ((group.dofs[:, ::6] - group.n_linear) // 6)
    return np.asarray((first[:, :, None] + np.arange(7)).reshape(len(first), -1))


def _vectors(nodes: FloatArray) -> FloatArray:
    """Position, d2 and d3 (n_e, nn, 3, 3) of nodes given by positions and quaternions (n_e, 7 nn)."""
    q = nodes.reshape(len(nodes), nodes.shape[1] // 7, 7)
    w, x, y, z = np.moveaxis(q[..., 3:], -1, 0)
    d2 = np.stack((2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)), axis=-1)
    d3 = np.stack((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)), axis=-1)
    return np.stack((q[..., :3], d2, d3), axis=2)


def _rates(nodes: FloatArray, v: FloatArray) -> FloatArray:
    """Rates of `_vectors` for velocities (n_e, nn, 6)."""
    d2, d3 = nodes[..., 1, :], nodes[..., 2, :]
    W = v[..., 3:4] * np.cross(d2, d3) + v[..., 4:5] * d2 + v[..., 5:6] * d3
    return np.stack((v[..., :3], np.cross(W, d2), np.cross(W, d3)), axis=2)
