r"""Fully parameterised absolute-nodal beam: two nodes, position and three slopes per node, continuum force.

Governing equations (Shabana and Yakoub). Nodal coordinates are the position r and its derivatives by x, y, z; with x
in [0, 1] along an element of length L and Hermite's cubics H the position of the point (x, y, z) is

.. math:: r = \sum_n \left(H_n r_n + L\,H'_n\,r_{,x n} + l_n\,(y\,r_{,y n} + z\,r_{,z n})\right), \quad l = (1 - x, x).

Of the deformation gradient F come Green's strain E = (F^T F - 1)/2 and, with the elasticity matrix D, the energy
:math:`U = \tfrac12\int E^T D\,E\,dV` over the volume of the stress-free shape.

As printed, D is that of an isotropic solid, and the integral is full (Gauss 4 along x, 3 by 3 across). This element
locks: sections cannot narrow where they are compressed, as Poisson's ratio asks (bending too stiff by
(1 - nu)/((1 + nu)(1 - 2 nu))), and it does not bend into an arc where it is thin. The cures:

- ``split``: D = D_0 + D_nu with D_0 = diag(E, E, E, G_xy, G_yz, G_xz) in the volume, and the rest, which couples
  normal strains, on the axis alone (Gerstmayr, Matikainen and Mikkola);
- ``nodal``: the strains of the section, E_22, E_33 and E_23, count at the nodes alone, and so does that rest. Between
  nodes that are turned against each other interpolated slopes are too short, which in a thin element costs far more
  than to bend it (thickness locking). The other strains are then integrated by Lobatto 3 along x and Gauss 2 by 2
  across, which takes the last of locking from thin arcs, as in the cables;
- ``torsion``: sections that do not warp twist with the stiffness G_xy I_y + G_xz I_z, for a rectangle of 1 by 2 half as
  much again as they should. With c = GJ/(G_xy I_y + G_xz I_z) the shear moduli in the volume are c G_xy and c G_xz, and
  on the axis, with the area of the section, (1 - c) G_xy and (1 - c) G_xz: twist, whose shear vanishes on the axis, has
  the stiffness GJ, and shear that is the same all over the section keeps G A.

Where elements meet at an angle, nodal coordinates are derivatives by the axes of one frame at the node, of which those
of the elements follow by constant factors (`flexmbs.elements.cell_slopes`). With ``nodal`` shear stiffness at the kink
holds the angle.

Kelvin-Voigt damping replaces E by :math:`E + \tau\dot E`. The mass matrix is constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_direction, as_flag, as_number
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, TangentKernel
from flexmbs.core.directors import directed
from flexmbs.core.errors import ModelError
from flexmbs.core.section_matrix import section_matrix
from flexmbs.elements import hermite
from flexmbs.elements.ancf_beam import ANCFBeam
from flexmbs.elements.cell_slopes import FOLD, in_frames, turned
from flexmbs.elements.continuum_kernels import ContinuumGroup, continuum_force, continuum_tangent
from flexmbs.elements.quadrature import Gauss, Lobatto

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.core.section import BeamStiffness

__all__ = ["ANCFBeamFullyParameterized"]

ON_AXIS = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
"""1 for the vectors of the nodes that move the axis, r and r_x."""
SHEAR = 4
"""Elasticity matrix of the shear on the axis."""
ON_SECTION = [0, 3, 5]
"""Stresses on the section: normal, and shears along y and z."""


@dataclass(frozen=True, kw_only=True)
class ANCFBeamFullyParameterized:
    r"""Fully parameterised beam of the absolute nodal coordinate formulation (ANCF), as printed or with cures.

    Nodal coordinates: position (x, y, z) [length] and the slopes by x, y and z of the body [-], 12 a node. Lines may
    have corners and branches: there x, y, z are those of the first cell of the mesh at the node. The section is a
    rectangle, whose height (along y) and width (along z) follow from EA, EI_z and EI_y; moduli are E = EA/A, G_xy
    = GA_y/A, G_xz = GA_z/A.

    Parameters
    ----------
    poissons_ratio : float, default 0.3
        Of the material, for the coupling of normal strains.
    split, nodal : bool, default True
        The cures of locking.
    torsion : bool, default True
        Whether the stiffness against twist is GJ; otherwise GJ is not used, and torsion is that of the section that
        does not warp, G_xy I_y + G_xz I_z with shears as given. Without all three the element is as printed.
    up : (float, float, float), default (0, 0, 1)
        Direction that tells the axes of the sections in the stress-free shape: z is its part normal to the tangent, and
        y = z x x; point data ``up`` of the mesh takes its place.

    Raises
    ------
    ModelError
        If an argument is out of bounds, and (when the body is made) if ``up`` is parallel to the beam, a stiffness is
        missing or a rotary inertia is zero.

    Notes
    -----
    Limits: see the theory pages for what it does as printed and with each cure. Stress resultants are good in the
    middle of the elements, where they are told by default; with other ``xi`` normal and shear forces of thin elements
    may be wrong by many times their size. Without ``nodal`` they are as good as the locking lets them be. Where the
    axis is compressed or stretched much, St. Venant and Kirchhoff's law is not that of `ANCFBeam`. A clamp holds the
    section, not the slope along the axis.

    Sources: R. Y. Yakoub and A. A. Shabana, J. Mech. Des. 123 (2001) 614-621; J. Gerstmayr, M. K. Matikainen and A. M.
    Mikkola, Multibody Syst. Dyn. 20 (2008) 359-384 (split).

    Examples
    --------
    >>> from flexmbs.elements import ANCFBeamFullyParameterized
    >>> printed = ANCFBeamFullyParameterized(split=False, nodal=False, torsion=False)
    >>> len(printed.layout.names)
    12
    """

    poissons_ratio: float = 0.3
    split: bool = True
    nodal: bool = True
    torsion: bool = True
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    name: ClassVar[str] = "continuum beam"
    carries_kinks: ClassVar[bool] = True
    cell_type: ClassVar[str] = "line"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3,
        names=("x", "y", "z", "x_x", "y_x", "z_x", "x_y", "y_y", "z_y", "x_z", "y_z", "z_z"),
        position=(0, 1, 2),
        slope=(3, 4, 5),
        directors=(6, 7, 8, 9, 10, 11),
        absolute=True,
    )
    resultants: ClassVar[tuple[Resultant, ...]] = ANCFBeam.resultants
    shared: ClassVar[tuple[str, ...]] = ("kind",)
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its forces are not finite"

    def __post_init__(self) -> None:
        nu = as_number("ANCFBeamFullyParameterized", "poissons_ratio", self.poissons_ratio, above=-1.0, below=0.5)
        object.__setattr__(self, "poissons_ratio", nu)
        for name in ("split", "nodal", "torsion"):
            object.__setattr__(self, name, as_flag("ANCFBeamFullyParameterized", name, getattr(self, name)))
        x, y, z = as_direction("ANCFBeamFullyParameterized", "up", self.up, 3).tolist()
        object.__setattr__(self, "up", (x, y, z))

    @property
    def force(self) -> ForceKernel:
        return continuum_force

    @property
    def tangent(self) -> TangentKernel:
        return continuum_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        """The middle: there forces of statics are in equilibrium to round-off with ``nodal``, moments to second order.

        Elsewhere N and Q hold what quadrature does not see, which in thin elements is many times the force.
        """
        return np.zeros(1)

    def reference(self, points: FloatArray, tangents: FloatArray) -> FloatArray:
        directors = directed(tangents, np.array(self.up))
        bad = np.flatnonzero(~np.isfinite(directors).all(axis=1))
        if len(bad):
            raise ModelError(
                f"ANCFBeamFullyParameterized: up = {self.up} is parallel to the beam at point {int(bad[0])} "
                f"{points[bad[0]].tolist()}, so it cannot tell the axes of the section; give another direction."
            )
        return np.hstack((points, tangents, directors))

    def tabulate(
        self,
        points: FloatArray,
        reference: FloatArray,
        dofs: IntArray,
        stiffness: BeamStiffness,
        b1: int,
        slopes: FloatArray | None = None,
    ) -> ContinuumGroup:
        if min(stiffness.rhoI_y, stiffness.rhoI_z) <= 0.0:
            raise ModelError(
                f"ANCFBeamFullyParameterized: rhoI_y = {stiffness.rhoI_y:g} and rhoI_z = {stiffness.rhoI_z:g} must be "
                f"positive, since they are the mass of the slopes."
            )
        EA, GA_y, GA_z, GJ, EI_y, EI_z = np.diag(section_matrix("ANCFBeamFullyParameterized", stiffness))
        height, width = np.sqrt(12.0 * EI_z / EA), np.sqrt(12.0 * EI_y / EA)
        A = height * width
        # GA_y/A times the second moment of z, and the other one: what twists where nothing warps
        plain = (GA_y * width**2 + GA_z * height**2) / 12.0
        share = GJ / plain if self.torsion else 1.0
        nodes = reference.reshape(-1, 2, 4, 3)
        own = nodes[:, :, 1:] if slopes is None else slopes
        turn = in_frames(own, nodes[:, :, 1:].transpose(0, 1, 3, 2))
        axis = np.concatenate((nodes[:, :, 0], own[:, :, 0]), axis=2).reshape(len(dofs), 12)
        L = hermite.arc_lengths(axis, np.linalg.norm(points[:, 1] - points[:, 0], axis=1))
        x, y, z, w, kind = _points(height, width, self.split, self.nodal, self.torsion)
        phi, volume = _gradients(reference, L, turn, x, y, z)
        one, W = np.ones(len(dofs)), np.ascontiguousarray(volume * w)
        C = one[:, None, None, None] * _elasticity(
            EA / A, GA_y / A, GA_z / A, self.poissons_ratio, self.split, self.nodal, share
        )
        for kinked, number in zip(_kinked(turn, dofs).T, (2, 3), strict=True):
            for p in np.flatnonzero(kind == number):
                for k, held in ((3, GA_y * height), (5, GA_z * width)):
                    C[:, number, k, k] += np.where(kinked, FOLD * held / W[:, p], 0.0)
        return ContinuumGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            phi=phi,
            W=W,
            kind=kind,
            C=np.ascontiguousarray(C),
            tau=stiffness.retardation_time * one,
            L=L,
            size=one[:, None] * np.array([height, width]),
            rho=one[:, None] * np.array([stiffness.mass_per_length, stiffness.rhoI_z, stiffness.rhoI_y]),
            slopes=turn,
            reference=np.ascontiguousarray(reference),
        )

    def lengths(self, group: ContinuumGroup) -> FloatArray:
        return group.L

    def mass(self, group: ContinuumGroup) -> FloatArray:
        w, J, N = _rule(group)
        m = np.zeros((len(group.L), 8, 8))
        for rho, part in zip(group.rho.T, ((0, 1, 4, 5), (2, 6), (3, 7)), strict=True):
            own = np.zeros_like(N)
            own[:, :, list(part)] = N[:, :, list(part)]
            own = turned(own, group.slopes)
            block = np.einsum("g,eg,egi,egj,e->eij", w, J, own, own, rho)
            m += 0.5 * (block + block.transpose(0, 2, 1))
        return np.asarray(np.einsum("eij,cd->eicjd", m, np.eye(3)).reshape(len(m), 24, 24))

    def energy(self, group: ContinuumGroup, q: FloatArray) -> FloatArray:
        E = _green(group.phi, q[group.dofs])
        return np.asarray(0.5 * np.einsum("ep,epi,epij,epj->e", group.W, E, group.C[:, group.kind], E))

    def body_load(self, group: ContinuumGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        w, J, N = _rule(group)
        density = group.rho[:, 0] if per_mass else np.ones(len(group.L))
        on_axis = turned(N * ON_AXIS, group.slopes)
        return np.asarray(np.einsum("g,eg,egi,e,c->eic", w, J, on_axis, density, load).reshape(len(density), 24))

    def positions(self, group: ContinuumGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        N, _ = _shapes(0.5 * (1.0 + np.asarray(xi, dtype=float)), group.L)
        return np.asarray(np.einsum("egi,eic->egc", turned(N * ON_AXIS, group.slopes), q[group.dofs].reshape(-1, 8, 3)))

    def interpolation(self, group: ContinuumGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        N, N1 = _shapes(0.5 * (1.0 + np.asarray(xi, dtype=float)), group.L)
        return turned(N * ON_AXIS, group.slopes), 0.5 * turned(N1 * ON_AXIS, group.slopes)

    def stress_resultants(self, group: ContinuumGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N, Q_y, Q_z, M_x, M_y, M_z (n_e, n_s, 6) of the section, in its present axes, elastic and viscous parts.

        With Kirchhoff's first stresses F S: those of the second, S, miss what a bent section turns, some M^2/EI of N.
        """
        s, weights = Gauss(2 if self.nodal else 3).rule()  # as in the forces, so that these are in equilibrium
        at = 0.5 * (1.0 + np.asarray(xi, dtype=float))
        found = np.zeros((len(group.L), len(at), 6))
        if not len(group.L):
            return found
        h, b = group.size[0] / 2.0
        x, y, z = (a.ravel() for a in np.meshgrid(at, h * s, b * s, indexing="ij"))
        none = np.zeros_like(at)
        derivatives = _derivatives(group.L, group.slopes, at, none, none)
        stress_free, present = (
            np.einsum("epki,eic->epkc", derivatives, nodes.reshape(-1, 8, 3))
            for nodes in (group.reference, q[group.dofs])
        )
        # interpolated slopes of a curved stress-free shape are shorter than one
        stretch = np.linalg.norm(np.cross(stress_free[..., 1, :], stress_free[..., 2, :]), axis=-1)[..., None]
        E, a = _strains(group, q, v, x, y, z)
        S = np.einsum("eij,epj->epi", group.C[:, 0], E)[..., ON_SECTION]
        dA = np.multiply.outer(h * weights, b * weights).ravel()
        f = np.einsum("epk,epkc->epc", S, a).reshape(len(group.L), len(at), len(dA), 3) * dA[:, None]
        _, middle = _strains(group, q, v, at, none, none)
        on_axis = np.einsum("esk,eskc->esc", self._on_axis(group, q, v, at)[..., ON_SECTION], middle)
        r = y[: len(dA), None] * present[:, :, None, 1] + z[: len(dA), None] * present[:, :, None, 2]
        axes = _section_axes(present)
        found[..., :3] = stretch * np.einsum("esac,esc->esa", axes, f.sum(axis=2) + 4.0 * h * b * on_axis)
        found[..., 3:] = stretch * np.einsum("esac,esc->esa", axes, np.cross(r, f).sum(axis=2))
        return found

    def _on_axis(self, group: ContinuumGroup, q: FloatArray, v: FloatArray, at: FloatArray) -> FloatArray:
        """Stresses (n_e, n_s, 6) by the strains of the axis at ``at`` in [0, 1]: of a part of the shear, and coupling.

        Where the coupling counts at the nodes alone, half the volume each, a third of which is that of the other
        stresses there, it is three times as large at the nodes, and none in the middle: so is the sum in equilibrium.
        """
        S = np.einsum("eij,epj->epi", group.C[:, SHEAR], _strains(group, q, v, at, 0.0 * at, 0.0 * at)[0])
        if self.split:
            x = np.array([0.0, 1.0]) if self.nodal else at
            coupling = np.einsum("eij,epj->epi", group.C[:, 1], _strains(group, q, v, x, 0.0 * x, 0.0 * x)[0])
            if self.nodal:
                share = 3.0 * (2.0 * at - 1.0) ** 2  # with the mean one: what is between the nodes does not matter
                coupling = np.einsum("epi,sp->esi", coupling, np.stack((share * (1.0 - at), share * at), axis=1))
            S = S + coupling
        return np.asarray(S)


def _strains(
    group: ContinuumGroup, q: FloatArray, v: FloatArray, x: FloatArray, y: FloatArray, z: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """E + tau dE/dt (n_e, n_p, 6) at the points (x, y, z), and the columns (n_e, n_p, 3, 3) of F, one in a row."""
    phi, _ = _gradients(group.reference, group.L, group.slopes, x, y, z)
    a, rate = (np.einsum("epki,eic->epkc", phi, u[group.dofs].reshape(-1, 8, 3)) for u in (q, v))
    g = np.einsum("epkc,eplc->epkl", a, rate)
    change = g + g.transpose(0, 1, 3, 2)
    shears = np.stack((change[..., 0, 1], change[..., 1, 2], change[..., 0, 2]), axis=-1)
    normal = 0.5 * np.diagonal(change, axis1=2, axis2=3)
    return _green(phi, q[group.dofs]) + group.tau[:, None, None] * np.concatenate((normal, shears), axis=-1), a


def _section_axes(a: FloatArray) -> FloatArray:
    """Axes (..., 3, 3) of a section, one in a row, by the derivatives (..., 3, 3) of the position by x, y and z.

    The third is along r_z, the first normal to r_y and r_z.
    """
    t3 = a[..., 2, :] / np.linalg.norm(a[..., 2, :], axis=-1, keepdims=True)
    t1 = np.cross(a[..., 1, :], a[..., 2, :])
    t1 = t1 / np.linalg.norm(t1, axis=-1, keepdims=True)
    return np.stack((t1, np.cross(t3, t1), t3), axis=-2)


def _kinked(slopes: FloatArray, dofs: IntArray) -> NDArray[np.bool_]:
    """Which ends (n_e, 2) are at nodes where a cell leaves in another direction than that of the node."""
    turned_off = np.abs(slopes[:, :, 0, 0]) < 1.0 - 1e-6
    nodes = dofs.reshape(-1, 2, 12)[:, :, 0]
    return np.isin(nodes, nodes[turned_off])


def _points(
    height: float, width: float, split: bool, nodal: bool, torsion: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """Coordinates x in [0, 1], y, z, weights, and kinds of the points: see `_elasticity`."""
    (a, wa), (s, ws) = (Lobatto(3) if nodal else Gauss(4)).rule(), Gauss(2 if nodal else 3).rule()
    x, y, z = (p.ravel() for p in np.meshgrid(0.5 * (1 + a), 0.5 * height * s, 0.5 * width * s, indexing="ij"))
    w = np.einsum("i,j,k->ijk", 0.5 * wa, 0.5 * height * ws, 0.5 * width * ws).ravel()
    kind = np.zeros(len(x), dtype=np.int64)
    nodes = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    along = 0.5 * (1 + a), 0.5 * wa
    for wanted, (places, weights), numbers in (
        (split, nodes if nodal else along, np.array([1])),
        (nodal, nodes, np.array([2, 3])),
        (torsion, along, np.array([SHEAR])),
    ):
        if wanted:
            none = np.zeros(len(places))
            x, y, z = np.append(x, places), np.append(y, none), np.append(z, none)
            w = np.append(w, weights * height * width)
            kind = np.append(kind, np.resize(numbers, len(places)))
    return x, y, z, w, kind


def _shapes(x: FloatArray, L: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Functions (n_e, n, 8) of the vectors r, r_x, r_y, r_z of both nodes at x in [0, 1], and derivatives by x."""
    H, H1, _ = hermite.shape(x)
    N, N1 = np.zeros((len(L), len(x), 8)), np.zeros((len(L), len(x), 8))
    for table, cubic, linear in ((N, H, (1.0 - x, x)), (N1, H1, (-np.ones_like(x), np.ones_like(x)))):
        for n in range(2):
            table[:, :, 4 * n] = cubic[:, 2 * n]
            table[:, :, 4 * n + 1] = L[:, None] * cubic[:, 2 * n + 1]
            table[:, :, 4 * n + 2] = table[:, :, 4 * n + 3] = linear[n]
    return N, N1


def _derivatives(L: FloatArray, slopes: FloatArray, x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Derivatives (n_e, n_p, 3, 8) of the shape functions by x, y and z."""
    N, N1 = _shapes(x, L)
    S = np.zeros((len(L), len(x), 3, 8))
    for n in (0, 4):
        S[:, :, 0, n : n + 2] = N1[:, :, n : n + 2]
        S[:, :, 0, n + 2], S[:, :, 0, n + 3] = y * N1[:, :, n + 2], z * N1[:, :, n + 3]
        S[:, :, 1, n + 2], S[:, :, 2, n + 3] = N[:, :, n + 2], N[:, :, n + 3]
    return turned(S, slopes)


def _gradients(
    reference: FloatArray, L: FloatArray, slopes: FloatArray, x: FloatArray, y: FloatArray, z: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """phi (n_e, n_p, 3, 8), the deformation gradient in axes of the stress-free section, and dV/(dx dy dz)."""
    S = _derivatives(L, slopes, x, y, z)
    G = np.einsum("epki,eic->epkc", S, reference.reshape(-1, 8, 3))
    R = _section_axes(G)
    J = np.einsum("epac,epkc->epak", R, G)  # columns: the derivatives in these axes
    phi = np.einsum("epka,epki->epai", np.linalg.inv(J), S)
    return np.ascontiguousarray(phi), np.ascontiguousarray(np.linalg.det(J))


def _elasticity(E: float, G_xy: float, G_xz: float, nu: float, split: bool, nodal: bool, share: float) -> FloatArray:
    """Elasticity matrices (5, 6, 6), order 11, 22, 33, 12, 23, 13.

    They are those of the volume, of the coupling, at both nodes, and of the shear on the axis; ``share`` is the part of
    the shear moduli in the volume.
    """
    lame = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    C = np.zeros((5, 6, 6))
    C[0] = np.diag([E, E, E, share * G_xy, 0.5 * (G_xy + G_xz), share * G_xz])
    C[SHEAR, 3, 3], C[SHEAR, 5, 5] = (1.0 - share) * G_xy, (1.0 - share) * G_xz
    coupling = np.full((3, 3), lame) + np.eye(3) * (E / (1.0 + nu) - E)
    C[1 if split else 0, :3, :3] += coupling
    if nodal:
        section = [1, 2, 4]
        for k in section:
            C[2:4, k, k], C[0, k, k] = C[0, k, k], 0.0
    return C


def _green(phi: FloatArray, q_e: FloatArray) -> FloatArray:
    """Green's strain (n_e, n_p, 6)."""
    a = np.einsum("epki,eic->epkc", phi, q_e.reshape(-1, phi.shape[3], 3))
    g = np.einsum("epkc,eplc->epkl", a, a)
    normal = 0.5 * (np.diagonal(g, axis1=2, axis2=3) - 1.0)
    return np.concatenate((normal, np.stack((g[..., 0, 1], g[..., 1, 2], g[..., 0, 2]), axis=-1)), axis=-1)


def _rule(group: ContinuumGroup) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, metric and functions for integrals over the axis."""
    xi, w = hermite.METRIC.rule()  # that of the length, so that mass is exactly density times length
    x = 0.5 * (1.0 + xi)
    N, N1 = _shapes(x, group.L)
    slope = np.einsum("egi,eic->egc", turned(N1 * ON_AXIS, group.slopes), group.reference.reshape(-1, 8, 3))
    return 0.5 * w, np.linalg.norm(slope, axis=-1), N
