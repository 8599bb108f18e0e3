r"""Shear-deformable absolute-nodal shell: four nodes, position and director per node, bilinear, for any mesh of quads.

Governing equations. Nodal coordinates are the position r and the slope across the thickness, the director
:math:`d = \partial r/\partial z`; both are interpolated bilinearly in :math:`(\xi, \eta)`. Points of the body are
:math:`r + z\,d`. The parts of Green's strain linear in z, in the axes of the material on the stress-free surface, are
the strains :math:`e = (\varepsilon, \kappa, \gamma)` of a `ShellStiffness`; `flexmbs.elements.shear_strain` has them.
With its matrix C the strain energy is

.. math:: U = \tfrac12\int_A \bar e^T C\,\bar e\;dA + \sum_i \tfrac12 A_i\, c\, E_{zz,i}^2, \qquad
   E_{zz} = \frac{d\cdot d - D\cdot D}{2\,(D\cdot D)},\quad c = \tfrac12 (C_{11} + C_{22}),

by 2 x 2 Gauss points, with four changes in :math:`\bar e`:

- transverse shears are those in the middles of the sides, :math:`\gamma_\xi` linear in :math:`\eta` and constant in
  :math:`\xi`, and the reverse (Dvorkin and Bathe): no shear locking;
- the thickness strain is that of the nodes (Betsch and Stein): no locking of curved elements; it is coupled to
  nothing, so stress is plane and there is no Poisson locking of the thickness; c is larger at folds, where moments
  pull at the director;
- membrane strains are enhanced, :math:`\varepsilon + M\alpha` with :math:`\int M\,dA = 0` (Simo and Rifai). The
  parameters are internal to an element; since they enter Green's strain linearly, their equation is linear,
  :math:`\alpha = -H^{-1}\int M^T C\,e\,dA`, :math:`H = \int M^T C M\,dA`, and is solved once, when tables are made;
- the curvatures along the sides, the product :math:`r_{,\xi}\cdot d_{,\xi}` at the centre and its like, go through
  :math:`x + b x^2 + c x^3`, which makes the angle between two nodes out of its sine.

All strains are combinations of 16 scalar products of seven vectors. So an element is a constant matrix (16, 16), and
force and tangent are exact and take a few microseconds. Mass is constant. Kelvin-Voigt damping replaces every strain by
:math:`e + \tau\dot e`, the enhanced ones included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmbs.core.checks import show
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, SurfaceShape, TangentKernel
from flexmbs.core.errors import ModelError
from flexmbs.core.shell_section import ShellStiffness
from flexmbs.elements.quadrature import Gauss
from flexmbs.elements.shear_kernels import ShearGroup, shear_shell_force, shear_shell_tangent
from flexmbs.elements.shear_strain import arcs, bilinear, changes, condensed, products, strains
from flexmbs.elements.sheet_resultants import SHEET_RESULTANTS

__all__ = ["ANCFShell"]

LEAST = 0.1
"""Least cosine between the director and the normals of the cells at a node."""
OFF = 0.3
"""Largest difference from one of the part of a director along these normals."""
ALIKE = 0.1
"""Tangent of half the angle between two cells up to which they count as one plane."""
MITRE = 100.0
"""Stiffness against stretch of a director at a fold of 90 degrees, by that of a strip as wide as the thickness."""
MODES = (0, 4, 7)
"""Numbers of enhanced strains that there are."""


@dataclass(frozen=True, kw_only=True)
class ANCFShell:
    r"""Shear-deformable (Mindlin-Reissner) shell of the absolute nodal coordinate formulation (ANCF), any displacement.

    Nodal coordinates: position (x, y, z) [length] and director (x_z, y_z, z_z) [-], the derivative of the position by
    the coordinate across the thickness. The mass matrix is constant.

    Parameters
    ----------
    enhanced : {0, 4, 7}, default 7
        Number of enhanced membrane strains of an element; they cost nothing when forces are evaluated. 4 are exact for
        bending of parallelograms in their plane, 7 serve trapezoids and warped elements better; 0 locks there.

    Raises
    ------
    ModelError
        If ``enhanced`` is another number, and (when the body is made) if no director is common to the cells at a node:
        they meet at more than 168 degrees, or branch so that none has unit part along all normals.

    Notes
    -----
    Lives on ``quad`` cells, flat, curved or warped, regular or not. Resultants are per length of the stress-free
    surface and work on Green's strains; they are most accurate at the centre of an element. Displacements and
    resultants converge with the square of the mesh width. An element should bend by less than 30 degrees and turn by
    less than half a turn.

    The director at a node has unit part along the normals of the cells there: its length is one on a flat surface, and
    more on a coarse curved one. Point data ``normal`` of the mesh tell its direction. At a fold, a corner or a branch
    from a plane it lies along the mitre, so that all sides have their thickness; folded panels are off by less than
    4e-3 where they are thirty times as long as thick (`docs/theory/absolute_nodal_shells.md`).

    Limits: first-order shear theory, plane stress; moderate strains (linear law); no change of thickness by stretching
    or bending; relative errors of the order of the square of thickness over radius. A director does not turn about
    itself, so nothing can be driven about the normal of a single node. Thickness modes are stiff: their frequency is
    about :math:`\sqrt{12 E/\rho}` over the thickness.

    Sources: H. Yamashita, A. I. Valkeapää, P. Jayakumar and H. Sugiyama, J. Comput. Nonlinear Dyn. 10 (2015) 051012
    (element; here integrated over the thickness); E. N. Dvorkin and K.-J. Bathe, Eng. Comput. 1 (1984) 77-88 (shear);
    P. Betsch and E. Stein, Commun. Numer. Methods Eng. 11 (1995) 899-909 (thickness strain); J. C. Simo and M. S.
    Rifai, Int. J. Numer. Methods Eng. 29 (1990) 1595-1638, U. Andelfinger and E. Ramm, ibid. 36 (1993) 1311-1337
    (enhanced strains).

    Examples
    --------
    >>> import flexmbs as fx
    >>> strip = fx.FlexibleBody.plate((10, 1), elements=(16, 1), element=fx.elements.ANCFShell(),
    ...                               section=fx.ShellSection(0.1), material=fx.steel)
    >>> model = fx.Model(strip, fx.Clamp(strip.set("left")), fx.PointForce(strip.set("right"), (0, 0, 3.5e5)))
    >>> solution = fx.solve_static(model)
    >>> round(float(solution.displacement(strip.at((10, 0, 0)), step=-1)[2]), 1)
    6.7
    """

    enhanced: int = 7

    name: ClassVar[str] = "shear shell"
    cell_type: ClassVar[str] = "quad"
    parametric: ClassVar[bool] = False
    carries_kinks: ClassVar[bool] = True
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "x_z", "y_z", "z_z"),
        position=(0, 1, 2),
        slope=(3, 4, 5),
        absolute=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = SHEET_RESULTANTS
    shared: ClassVar[tuple[str, ...]] = ()
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its forces are not finite"

    def __post_init__(self) -> None:
        if isinstance(self.enhanced, bool) or self.enhanced not in MODES:
            raise ModelError(f"ANCFShell: enhanced must be one of {MODES}, not {show(self.enhanced)}.")

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
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: ShellStiffness, b1: int
    ) -> ShearGroup:
        one = np.ones(len(dofs))
        nodes = _nodes(reference)
        C = one[:, None, None] * stiffness.matrix
        axis = one[:, None] * np.array(stiffness.axis)
        D, _ = condensed(nodes, axis, C, self.enhanced, np.zeros((0, 2)))
        length = 0.5 * (nodes[:, :, 1] ** 2).sum(axis=-1)
        shares = _integrals(nodes).sum(axis=2)
        # moments across a fold pull at the director along it, on a line and not on an area
        fold = (2.0 * length - 1.0) * stiffness.thickness / np.sqrt(shares)
        across = 0.5 * (stiffness.matrix[0, 0] + stiffness.matrix[1, 1]) * (1.0 + MITRE * fold)
        return ShearGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            tau=stiffness.retardation_time * one,
            D=np.ascontiguousarray(D),
            E0=np.ascontiguousarray(np.hstack((products(nodes), length))),
            arc=np.ascontiguousarray(arcs(nodes, np.asarray(np.isin(shape.cells, shape.kinks).any(axis=1)))),
            k=np.ascontiguousarray(across * shares / (2.0 * length) ** 2),
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
        E = changes(nodes, 0.0 * nodes, group.E0, group.arc, group.tau)
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
        E = changes(_nodes(q[group.dofs]), _nodes(v[group.dofs]), group.E0, group.arc, group.tau)
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
    n = len(mean)
    directors = mean * (np.bincount(at, cosines, n) / np.bincount(at, cosines**2, n))[:, None]
    for node in shape.kinks:
        here = normals[at == node]
        directors[node] = np.linalg.lstsq(here, np.ones(len(here)), rcond=ALIKE)[0]
    along = (normals * directors[at]).sum(axis=-1)
    bad = np.flatnonzero((np.abs(along - 1.0) > OFF) | (LEAST * np.linalg.norm(directors[at], axis=1) > 1.0))
    if len(bad):
        node = int(at[bad[0]])
        raise ModelError(
            f"ANCFShell: the cells at node {node} {shape.points[node].tolist()} have no common director: they meet at "
            f"almost 180 degrees, or more than two at angles that no director fits. Use a body for each side."
        )
    return directors
