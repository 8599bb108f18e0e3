r"""Plate in an element frame that follows its corners: finite rotations, small strains, six coordinates at four nodes.

Governing equations. The axes :math:`E = (e_1, e_2, e_3)` of an element follow its corners: with the unit vectors
:math:`n_1, n_2` of the mean tangents, :math:`e_1, e_2` lie at equal angles to them in their plane. In these axes the
corners have small displacements and rotations against the stress-free shape,

.. math:: u_k = E^T (r_k - \bar r) - x_k, \qquad \theta_k = \text{rotation vector of } E^T R_k C_k^T,

and the element is the linear shell `flexmbs.elements.linear.shell_quad` with the stiffness K,

.. math:: U = \tfrac12\, z^T K z, \quad z = (u_1, \theta_1, \dots, u_4, \theta_4), \qquad
   f = \Big(\frac{\partial z}{\partial q}\Big)^T K\,(z + \tau\dot z) .

Forces follow from the energy, so that the tangent is exact. Dmitrotchenko takes the axes of one corner for those of the
element; then bending by the angle :math:`\varphi` over an element strains its middle surface by
:math:`\varphi^2/8`, and which corner is taken matters. Axes of all corners have neither.

The mass matrix is constant: consistent for the positions; the rotary inertia :math:`\varrho h^3/12` of the area that
belongs to a node is that of all its rotations, the one about the normal included, so that there are no gyroscopic
moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.contracts import (
    FloatArray,
    ForceKernel,
    IntArray,
    NodeLayout,
    Resultant,
    SurfaceShape,
    TangentKernel,
)
from flexmbs.core.errors import MeshError
from flexmbs.core.rotations import from_quaternion, to_quaternion
from flexmbs.elements.corner_kernels import CornerGroup, corner_plate_force, corner_plate_tangent
from flexmbs.elements.linear.shell_quad import CORNERS, POINTS, quad_strains
from flexmbs.elements.sheet_resultants import SHEET_RESULTANTS

if TYPE_CHECKING:
    from flexmbs.core.shell_section import ShellStiffness

__all__ = ["CorotationalShell"]

DRILLING = 0.25
"""Of the membrane shear stiffness, for rotations about the normal; as in `flexmbs.elements.linear.ShellQuad`."""
WARP = 0.1
"""Largest distance of corners from their mean plane, by the square root of the area."""


@dataclass(frozen=True)
class CorotationalShell:
    r"""Corotational plate and shell: four nodes with positions and rotations, in a frame that follows its corners.

    Nodal coordinates: position [length] and a unit quaternion; velocities: that of the position, and the angular
    velocity in the axes of the node [rad/time]. The axes of the nodes are the mean frames of the surface, z normal to
    it. In the element's axes it is the linear quadrilateral shell with shear (MITC4), incompatible membrane modes and
    drilling rotations: it does not lock, and has in-plane bending. Meshes need not be regular, and cells may meet at an
    angle.

    Notes
    -----
    Models with it are solved as mechanisms are, as those with `GeometricallyExactBeam`: markers on nodes carry joints
    and forces.

    Limits: strains are small, and so is the bending of one element: corners turn by less than 64 degrees against it.
    Cells are nearly flat. Errors fall with the square of the cells. Loads on edges, pressure that follows and moments
    on edges are refused: take `DistributedLoad`, `PointForce` and `Moment`.

    Sources: O. N. Dmitrotchenko, in Virtual Nonlinear Multibody Systems, NATO ASI, Prague 2002, section 3.2.1 (axes and
    relative displacements of corners); B. Nour-Omid and C. C. Rankin, Comput. Methods Appl. Mech. Engng 93 (1991)
    353-384 (elements in frames that follow); E. N. Dvorkin and K.-J. Bathe, Eng. Comput. 1 (1984) 77-88 (the shell).

    Examples
    --------
    >>> import flexmbs as fx
    >>> strip = fx.FlexibleBody.plate((1.0, 0.1), elements=(10, 1), element=fx.elements.CorotationalShell(),
    ...                               section=fx.ShellSection(0.001), material=fx.steel, name="strip")
    >>> round(strip.mass, 6)
    0.785
    """

    name: ClassVar[str] = "corner plate"
    cell_type: ClassVar[str] = "quad"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "turn about x", "turn about y", "turn about z"),
        position=(0, 1, 2),
        rotation=(3, 4, 5),
        absolute=True,
        quaternion=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = SHEET_RESULTANTS
    shared: ClassVar[tuple[str, ...]] = ("n_linear", "T")
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "a corner has turned by 64 degrees against it, or its forces are not finite"
    parametric: ClassVar[bool] = False
    carries_kinks: ClassVar[bool] = True

    @property
    def force(self) -> ForceKernel:
        return corner_plate_force

    @property
    def tangent(self) -> TangentKernel:
        return corner_plate_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return np.zeros((1, 2))

    def surface_reference(self, shape: SurfaceShape) -> FloatArray:
        return np.hstack((shape.points, [to_quaternion(frame) for frame in shape.frames]))

    def tabulate_surface(
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: ShellStiffness, b1: int
    ) -> CornerGroup:
        n_e = len(dofs)
        nodes = reference.reshape(n_e, 4, 7)
        points = nodes[:, :, :3]
        E = _axes(points)
        x = np.einsum("eai,eki->eka", E, points - points.mean(axis=1, keepdims=True))
        size = np.sqrt(np.linalg.norm(np.cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1]), axis=1) / 2)
        warped = np.flatnonzero(np.abs(x[:, :, 2]).max(axis=1) > WARP * size)
        if len(warped):
            raise MeshError(
                f"CorotationalShell: corners of cell {int(warped[0])} are more than {WARP:g} of its size out of their "
                f"mean plane; refine the mesh."
            )
        R = np.array([[from_quaternion(node[3:]) for node in cell] for cell in nodes]).reshape(n_e, 4, 3, 3)
        c = np.einsum("ebi,ekij->ekbj", E, R)
        C = np.zeros((n_e, 9, 9))
        turn = _turns(E, np.asarray(stiffness.axis))
        C[:, :8, :8] = np.einsum("epi,pq,eqj->eij", turn, stiffness.matrix, turn)
        C[:, 8, 8] = DRILLING * stiffness.matrix[2, 2]
        one = np.ones(n_e)
        return CornerGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            n_linear=0,
            T=np.zeros((0, 3, 3)),
            x=np.ascontiguousarray(x),
            c=np.ascontiguousarray(c),
            K=np.ascontiguousarray(_stiffness(x, C)[0]),
            tau=stiffness.retardation_time * one,
            size=size,
            C=C,
            turn=np.ascontiguousarray(turn),
            rho=one[:, None] * np.array([stiffness.mass_per_area, stiffness.rotary_inertia]),
            reference=np.ascontiguousarray(reference),
        )

    def areas(self, group: CornerGroup) -> FloatArray:
        return np.asarray(_weights(group).sum(axis=1))

    def mass(self, group: CornerGroup) -> FloatArray:
        N = _bilinear(POINTS)
        w = _weights(group)
        m = np.einsum("eg,e,gi,gj->eij", w, group.rho[:, 0], N, N)
        m = 0.5 * (m + m.transpose(0, 2, 1))
        J = np.einsum("eg,e,gi->ei", w, group.rho[:, 1], N)
        M = np.zeros((len(m), 4, 6, 4, 6))
        for i in range(3):
            M[:, :, i, :, i] = m
            for k in range(4):
                M[:, k, 3 + i, k, 3 + i] = J[:, k]
        return M.reshape(len(m), 24, 24)

    def energy(self, group: CornerGroup, q: FloatArray) -> FloatArray:
        z = _displacements(group, q)
        return np.asarray(0.5 * np.einsum("ei,eij,ej->e", z, group.K, z))

    def body_load(self, group: CornerGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        density = group.rho[:, 0] if per_mass else np.ones(len(group.dofs))
        f = np.zeros((len(group.dofs), 4, 6))
        f[..., :3] = np.einsum("eg,e,gi,c->eic", _weights(group), density, _bilinear(POINTS), load)
        return f.reshape(len(f), 24)

    def positions(self, group: CornerGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        corners = q[_places(group)].reshape(-1, 4, 7)[:, :, :3]
        return np.asarray(np.einsum("gi,eic->egc", _bilinear(xi), corners))

    def interpolation(self, group: CornerGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        xi = np.asarray(xi, dtype=float)
        N, N1 = np.zeros((len(group.dofs), len(xi), 8)), np.zeros((len(group.dofs), len(xi), 2, 8))
        N[:, :, ::2] = _bilinear(xi)
        N1[:, :, 0, ::2] = 0.25 * CORNERS[:, 0] * (1.0 + xi[:, 1:] * CORNERS[:, 1])
        N1[:, :, 1, ::2] = 0.25 * CORNERS[:, 1] * (1.0 + xi[:, :1] * CORNERS[:, 0])
        return N, N1

    def stress_resultants(self, group: CornerGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N_11, N_22, N_12, M_11, M_22, M_12, Q_1, Q_2 (n_e, n_s, 8), elastic and viscous parts.

        The rates of the viscous part are central differences along the motion, to about 1e-10 of the strain.
        """
        z = _displacements(group, q)
        if np.any(group.tau > 0) and np.any(v[group.dofs]):
            nodes = q[_places(group)].reshape(-1, 4, 7)
            rate = _node_rates(nodes, v[group.dofs])
            for vectors in (nodes, rate):
                vectors[..., :3] -= vectors[..., :3].mean(axis=1, keepdims=True)
            step = 1e-6 / _fastest(rate, group.size)
            ahead, behind = (_displacements_of(group, nodes + s * rate) for s in (step, -step))
            z = z + group.tau[:, None] * (ahead - behind) / (2 * step)
        internal = _stiffness(group.x, group.C)[1]
        everything = np.concatenate((z, np.einsum("eij,ej->ei", internal, z)), axis=1)
        B, _ = _strains(group.x, np.asarray(xi, dtype=float))
        e = np.einsum("egij,ej->egi", B[:, :, :8], everything)
        s = np.einsum("eij,egj->egi", group.C[:, :8, :8], e)
        # resultants turn with the inverse transposed of strains
        return np.asarray(np.einsum("eji,egj->egi", np.linalg.inv(group.turn), s))


def _bilinear(xi: FloatArray) -> FloatArray:
    """Shape functions (n_s, 4)."""
    return np.asarray(0.25 * (1.0 + xi[:, None, 0] * CORNERS[:, 0]) * (1.0 + xi[:, None, 1] * CORNERS[:, 1]))


def _axes(points: FloatArray) -> FloatArray:
    """Axes (.., 3, 3) of elements as rows, from corners (.., 4, 3)."""
    n = [np.einsum("k,...ki->...i", CORNERS[:, a], points) for a in (0, 1)]
    n = [a / np.linalg.norm(a, axis=-1, keepdims=True) for a in n]
    s, d = n[0] + n[1], n[0] - n[1]
    s, d = s / np.linalg.norm(s, axis=-1, keepdims=True), d / np.linalg.norm(d, axis=-1, keepdims=True)
    return np.stack(((s + d) / np.sqrt(2.0), (s - d) / np.sqrt(2.0), np.cross(d, s)), axis=-2)


def _turns(E: FloatArray, axis: FloatArray) -> FloatArray:
    """Strains (n_e, 8, 8) along the material axes from those along the element's."""
    p, q = E[:, 0] @ axis, E[:, 1] @ axis
    length = np.hypot(p, q)
    p, q = np.where(length > 0.0, p, 1.0), np.where(length > 0.0, q, 0.0)
    c, s = p / np.hypot(p, q), q / np.hypot(p, q)
    T = np.zeros((len(E), 8, 8))
    for o in (0, 3):
        T[:, o : o + 3, o : o + 3] = np.stack(
            (
                np.stack((c * c, s * s, c * s), axis=1),
                np.stack((s * s, c * c, -c * s), axis=1),
                np.stack((-2 * c * s, 2 * c * s, c * c - s * s), axis=1),
            ),
            axis=1,
        )
    T[:, 6, 6], T[:, 6, 7], T[:, 7, 6], T[:, 7, 7] = c, s, -s, c
    return T


def _strains(x: FloatArray, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Strains (n_e, n_s, 9, 28) of corners tied rigidly to their mean plane, and area per natural coordinates."""
    B, weights = np.zeros((len(x), len(xi), 9, 28)), np.empty((len(x), len(xi)))
    quad_strains(np.ascontiguousarray(x[:, :, :2]), np.ascontiguousarray(xi), B, weights)
    for k in range(4):
        height = x[:, k, 2, None, None]
        B[:, :, :, 6 * k + 4] -= height * B[:, :, :, 6 * k]
        B[:, :, :, 6 * k + 3] += height * B[:, :, :, 6 * k + 1]
    return B, weights


def _stiffness(x: FloatArray, C: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Stiffness (n_e, 24, 24), and the internal coordinates (n_e, 4, 24) by those of the corners."""
    B, w = _strains(x, POINTS)
    S = np.einsum("eg,egpi,epq,egqj->eij", w, B, C, B, optimize=True)
    internal = -np.linalg.solve(S[:, 24:, 24:], S[:, 24:, :24])
    K = S[:, :24, :24] + S[:, :24, 24:] @ internal
    return 0.5 * (K + K.transpose(0, 2, 1)), internal


def _weights(group: CornerGroup) -> FloatArray:
    """Areas (n_e, 4) of the points of integration."""
    return _strains(group.x, POINTS)[1]


def _places(group: CornerGroup) -> IntArray:
    """Places in q (n_e, 28) of the corners."""
    first = group.n_linear + 7 * ((group.dofs[:, ::6] - group.n_linear) // 6)
    return np.asarray((first[:, :, None] + np.arange(7)).reshape(len(first), -1))


def _displacements(group: CornerGroup, q: FloatArray) -> FloatArray:
    return _displacements_of(group, q[_places(group)])


def _displacements_of(group: CornerGroup, q: FloatArray) -> FloatArray:
    """Displacements and rotations (n_e, 24) of the corners in the element's axes, from positions and quaternions."""
    nodes = q.reshape(len(group.dofs), 4, 7)
    r = nodes[:, :, :3]
    E = _axes(r)
    w, a, b, c = np.moveaxis(nodes[:, :, 3:], -1, 0)
    R = np.stack(
        (
            np.stack((1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)), axis=-1),
            np.stack((2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)), axis=-1),
            np.stack((2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)), axis=-1),
        ),
        axis=-2,
    )
    t = np.einsum("ekij,ekbj->ekbi", R, group.c)
    D = np.einsum("eai,ekbi->ekab", E, t)
    v = 0.5 * np.stack((D[..., 2, 1] - D[..., 1, 2], D[..., 0, 2] - D[..., 2, 0], D[..., 1, 0] - D[..., 0, 1]), axis=-1)
    sine = np.clip(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300, 1.0)
    scale = np.where(sine > 1e-8, np.arcsin(sine) / sine, 1.0)
    u = np.einsum("eai,eki->eka", E, r - r.mean(axis=1, keepdims=True)) - group.x
    return np.concatenate((u, scale * v), axis=2).reshape(len(u), 24)


def _fastest(rate: FloatArray, size: FloatArray) -> float:
    """Largest rate of positions, by the size of their element, and of quaternions."""
    moved = np.linalg.norm(rate[..., :3], axis=2) / size[:, None]
    return float(max(moved.max(), np.abs(rate[..., 3:]).max(), np.finfo(float).tiny))


def _node_rates(nodes: FloatArray, v: FloatArray) -> FloatArray:
    """Rates (n_e, 4, 7) of positions and quaternions (n_e, 4, 7)."""
    v = v.reshape(-1, 4, 6)
    w, p, W = nodes[..., 3:4], nodes[..., 4:], v[..., 3:]
    scalar = -0.5 * np.einsum("eki,eki->ek", p, W)[..., None]
    return np.concatenate((v[..., :3], scalar, 0.5 * (w * W + np.cross(p, W))), axis=2)
