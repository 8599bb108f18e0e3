r"""Absolute-nodal thin plate: four nodes with position, two slopes and, by choice, the mixed slope; no shear.

Governing equations. The middle surface r(u, v) is interpolated by `flexmbs.elements.plate_shape` from r, dr/du, dr/dv
and d2r/dudv of the nodes (48 coordinates), or without the last ones (36). With the tangents y_i, the second derivatives
y_ij and the unit normal n, capital letters for the stress-free shape,

.. math:: E_{ij} = \tfrac12 (y_i\cdot y_j - Y_i\cdot Y_j), \qquad \kappa_{ij} = -(y_{ij}\cdot n - Y_{ij}\cdot N),

which are turned into the axes of the material as :math:`e = (\varepsilon_1, \varepsilon_2, \gamma_{12}, \kappa_1,
\kappa_2, \kappa_{12})`, :math:`\gamma_{12} = 2\varepsilon_{12}` and likewise :math:`\kappa_{12}`. The strain energy is
that of Kirchhoff and Love, :math:`U = \tfrac12\int e^T C\,e\,dA`, over the stress-free surface. A bending moment is
positive where it stretches the side to which the normal points.

The simple curvature replaces the square of the curvature by that of the second derivatives,

.. math:: \kappa_\alpha D_{\alpha\beta}\kappa_\beta \to D_{\alpha\beta}\, r_{,\alpha}\cdot r_{,\beta}, \qquad
   r_{,\alpha} = (r_{,11}, r_{,22}, 2 r_{,12}),

which is the same where the surface does not stretch, since there :math:`r_{,ij} = (r_{,ij}\cdot n)\,n`. Bending has
then a constant matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.checks import as_flag, show
from flexmbs.core.contracts import FloatArray, ForceKernel, IntArray, NodeLayout, Resultant, SurfaceShape, TangentKernel
from flexmbs.core.errors import ModelError
from flexmbs.elements import plate_tables
from flexmbs.elements.plate_shape import plate_shape
from flexmbs.elements.quadrature import Gauss, Lobatto
from flexmbs.elements.sheet_resultants import THIN_SHEET_RESULTANTS
from flexmbs.elements.strain_rates import strain_rates
from flexmbs.elements.thin_plate_kernels import PlateGroup, thin_plate_force, thin_plate_tangent

if TYPE_CHECKING:
    from flexmbs.core.shell_section import ShellStiffness

__all__ = ["ANCFThinPlate", "PlateCurvature"]

AREA = Gauss(6)
"""Rule of all integrals over the stress-free area: mass and loads."""

FULL = 4
"""Points of the membrane energy, in each direction, with which a single element of 48 coordinates has full rank."""

FLAT = 1e-9
"""Turn of an element [rad] up to which it counts as flat for the simple curvature."""


class PlateCurvature(Enum):
    """How a plate measures its curvature: ``EXACT``, or ``SIMPLE``, for plates that are flat when free of stress."""

    EXACT = 0
    SIMPLE = 1


@dataclass(frozen=True, kw_only=True)
class ANCFThinPlate:
    r"""Thin (Kirchhoff-Love) plate and shell of the absolute nodal coordinate formulation (ANCF), on regular meshes.

    Nodal coordinates: position (x, y, z) [length], slopes dr/du and dr/dv [-], and with ``mixed`` d2r/dudv [1/length],
    by two parameters u and v that run smoothly along the rows and columns of cells (`flexmbs.meshes.parameters`). The
    mass matrix is constant. Uses the membrane and the bending part of the stiffness, and what couples them.

    Parameters
    ----------
    mixed : bool, default True
        48 coordinates with bicubic interpolation, continuously differentiable; False: 36, without the mixed slope:
        12-term cubics, whose slopes across edges agree at the nodes only.
    curvature : PlateCurvature
        Default ``PlateCurvature.EXACT``. ``SIMPLE`` is faster, for plates that are flat when free of stress, hardly
        stretch, have no damping and no coupling of membrane and bending.
    membrane, bending : Gauss or Lobatto
        Rule, in each direction, of the membrane and of the bending energy. Full integration is ``Gauss(4)`` for both.
    rotary_inertia : bool, default False
        Whether the slopes across have mass, :math:`\varrho h^3/12`: right for turns of the normal, too large by twice
        that for spin about the normal.

    Raises
    ------
    ModelError
        If an argument is of the wrong kind, and (when the body is made) if the section cannot be represented.

    Notes
    -----
    Resultants are forces and moments per length of the stress-free surface, in the axes of the material. Membrane
    forces go with Green's strain: of a bent plate they are less than the force along the surface by M times the
    curvature. In bending no point of an element tells them well: of a strip 100 times as long as thick they are wrong
    by 1.6, 0.24 and 0.035 times the shear force with 4, 8 and 16 elements, at the default points. Refine until they
    stay, or take `ANCFShell`. In flat plates that are only stretched they are as good as the displacements.

    Limits: no transverse shear (side over thickness above about 20); small strains; cells meet smoothly (no kinks); the
    mesh must be regular, four cells at each inner node, with rows and columns that run smoothly: where they zigzag
    deflections are too small, by 1 to 2 % with inner nodes moved at random by a tenth of the mesh width and 10 to 20 %
    by three tenths, on any number of cells (a body warns of it).

    Sources: O. N. Dmitrotchenko and D. Y. Pogorelov, Multibody Syst. Dyn. 10 (2003) 17-43 (both elements); S. Berzeri
    and A. A. Shabana, J. Sound Vib. 235 (2000) 539-565 (simple curvature of beams).

    Examples
    --------
    >>> from flexmbs.elements import ANCFThinPlate
    >>> len(ANCFThinPlate().layout.names), len(ANCFThinPlate(mixed=False).layout.names)
    (12, 9)
    """

    mixed: bool = True
    curvature: PlateCurvature = PlateCurvature.EXACT
    membrane: Gauss | Lobatto = field(default_factory=lambda: Lobatto(4))
    bending: Gauss | Lobatto = field(default_factory=lambda: Gauss(3))
    rotary_inertia: bool = False

    cell_type: ClassVar[str] = "quad"
    resultants: ClassVar[tuple[Resultant, ...]] = THIN_SHEET_RESULTANTS
    shared: ClassVar[tuple[str, ...]] = ("D", "bends")
    viscous: ClassVar[bool] = True
    diagnosis: ClassVar[str] = "its tangents have become parallel, or its forces are not finite"
    parametric: ClassVar[bool] = True
    carries_kinks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("mixed", "rotary_inertia"):
            object.__setattr__(self, name, as_flag("ANCFThinPlate", name, getattr(self, name)))
        if not isinstance(self.curvature, PlateCurvature):
            raise ModelError(f"ANCFThinPlate: curvature must be a PlateCurvature, not {show(self.curvature)}.")
        for name in ("membrane", "bending"):
            rule = getattr(self, name)
            if not isinstance(rule, Gauss | Lobatto):
                raise ModelError(f"ANCFThinPlate: {name} must be Gauss(n) or Lobatto(n), not {show(rule)}.")

    @property
    def name(self) -> str:
        return "thin plate" if self.mixed else "thin plate, 36 coordinates"

    @property
    def layout(self) -> NodeLayout:
        vectors = ("", "_u", "_v", "_uv") if self.mixed else ("", "_u", "_v")
        return NodeLayout(
            dim=3,
            names=tuple(component + vector for vector in vectors for component in "xyz"),
            position=(0, 1, 2),
            surface=(3, 4, 5, 6, 7, 8),
            mixed=(9, 10, 11) if self.mixed else (),
        )

    @property
    def force(self) -> ForceKernel:
        return thin_plate_force

    @property
    def tangent(self) -> TangentKernel:
        return thin_plate_tangent

    def accurate_points(self, symbol: str) -> FloatArray:
        return plate_tables.grid(Gauss(2))[0]

    def surface_reference(self, shape: SurfaceShape) -> FloatArray:
        return np.hstack((shape.points, shape.slopes if self.mixed else shape.slopes[:, :6]))

    def tabulate_surface(
        self, shape: SurfaceShape, reference: FloatArray, dofs: IntArray, stiffness: ShellStiffness, b1: int
    ) -> PlateGroup:
        A = stiffness.matrix[:6, :6]
        coupled = bool(np.abs(A[:3, 3:]).max() > 1e-12 * np.sqrt(A[0, 0] * A[3, 3]))
        simple = self.curvature is PlateCurvature.SIMPLE
        self._check_rank(shape.cells)
        if simple and (coupled or stiffness.retardation_time > 0.0):
            what = "couples membrane and bending" if coupled else "is viscous"
            raise ModelError(
                f"ANCFThinPlate: the section {what}, which PlateCurvature.SIMPLE cannot represent; use EXACT."
            )
        n_e, one = len(dofs), np.ones(len(dofs))
        scale = plate_tables.scales(shape.sizes, self.mixed)
        d = plate_tables.vectors(reference, scale)
        axis = one[:, None] * np.asarray(stiffness.axis)
        membrane, bending = (self.bending, self.bending) if coupled else (self.membrane, self.bending)
        A_m, A_b = A.copy(), A.copy()
        if membrane != bending or simple:
            A_m[3:], A_m[:, 3:], A_b[:3], A_b[:, :3] = 0.0, 0.0, 0.0, 0.0
        parts = [(membrane, A_m, membrane == bending and not simple)]
        if membrane != bending and not simple:
            parts.append((bending, A_b, True))
        tables = [_points(rule, stiffness_, d, axis) for rule, stiffness_, _ in parts]
        return PlateGroup(
            dofs=np.ascontiguousarray(dofs, dtype=np.int64),
            b1=b1,
            scale=scale,
            D=np.ascontiguousarray(np.concatenate([t[0] for t in tables])),
            bends=np.concatenate([np.full(len(t[0]), int(part[2])) for t, part in zip(tables, parts, strict=True)]),
            C=np.ascontiguousarray(np.concatenate([t[1] for t in tables], axis=1)),
            e0=np.ascontiguousarray(np.concatenate([t[2] for t in tables], axis=1)),
            Kb=_constant_bending(bending, A, d, axis) if simple else np.zeros((n_e, 0, 0)),
            tau=stiffness.retardation_time * one,
            A=np.ascontiguousarray(one[:, None, None] * A),
            axis=axis,
            rho=one[:, None] * np.array([stiffness.mass_per_area, stiffness.rotary_inertia]),
            reference=np.ascontiguousarray(reference),
        )

    def _check_rank(self, cells: IntArray) -> None:
        """Refuse cells that hang together with no other, where the quadrature leaves mechanisms in a single one."""
        if not self.mixed or self.membrane.n >= FULL:
            return
        alone = np.flatnonzero((np.bincount(cells.ravel())[cells] == 1).all(axis=1))
        if len(alone):
            raise ModelError(
                f"ANCFThinPlate: element {int(alone[0])} has no neighbour, and a single element of 48 coordinates "
                f"moves without force under reduced quadrature; take ANCFThinPlate(membrane=Gauss(4)), or refine."
            )

    def areas(self, group: PlateGroup) -> FloatArray:
        xi, w = plate_tables.grid(AREA)
        return np.asarray(plate_tables.surface(_reference(group), xi).J @ w)

    def mass(self, group: PlateGroup) -> FloatArray:
        xi, w = plate_tables.grid(AREA)
        at, shapes = plate_tables.surface(_reference(group), xi), plate_shape(xi, self.mixed)
        m = np.einsum("g,eg,e,gi,gj->eij", w, at.J, group.rho[:, 0], shapes.N, shapes.N, optimize=True)
        if self.rotary_inertia:
            dual = at.dual
            inverse = np.einsum("egkc,eglc->egkl", dual, dual)
            m += np.einsum(
                "g,eg,e,egkl,gki,glj->eij", w, at.J, group.rho[:, 1], inverse, shapes.D[:, :2], shapes.D[:, :2],
                optimize=True,
            )  # fmt: skip
        m = 0.5 * (m + m.transpose(0, 2, 1)) * group.scale[:, :, None] * group.scale[:, None, :]
        size = 3 * m.shape[1]
        return np.asarray(np.einsum("eij,cd->eicjd", m, np.eye(3)).reshape(len(m), size, size))

    def energy(self, group: PlateGroup, q: FloatArray) -> FloatArray:
        d = plate_tables.vectors(q[group.dofs], group.scale)
        y = np.einsum("gki,eic->egkc", group.D, d)
        c = np.cross(y[:, :, 0], y[:, :, 1])
        J = np.linalg.norm(c, axis=-1)
        e = plate_tables.Surface(J, y, c / J[..., None]).forms - group.e0
        e[..., :2] *= 0.5
        bent = 0.5 * np.einsum("eij,eic,ejc->e", group.Kb, d, d) if group.Kb.shape[1] else 0.0
        return np.asarray(0.5 * np.einsum("egi,egij,egj->e", e, group.C, e) + bent)

    def body_load(self, group: PlateGroup, load: FloatArray, per_mass: bool) -> FloatArray:
        xi, w = plate_tables.grid(AREA)
        J, N = plate_tables.surface(_reference(group), xi).J, plate_shape(xi, self.mixed).N
        density = group.rho[:, 0] if per_mass else np.ones(len(group.dofs))
        f = np.einsum("g,eg,gi,e->ei", w, J, N, density) * group.scale
        return np.asarray(np.einsum("ei,c->eic", f, load).reshape(len(f), 3 * f.shape[1]))

    def positions(self, group: PlateGroup, q: FloatArray, xi: FloatArray) -> FloatArray:
        N = plate_shape(xi, self.mixed).N
        return np.asarray(np.einsum("gi,eic->egc", N, plate_tables.vectors(q[group.dofs], group.scale)))

    def interpolation(self, group: PlateGroup, xi: FloatArray) -> tuple[FloatArray, FloatArray]:
        shapes = plate_shape(xi, self.mixed)
        scale = group.scale[:, None, :]
        return shapes.N * scale, 0.5 * shapes.D[:, :2] * scale[:, None]

    def stress_resultants(self, group: PlateGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        """N_11, N_22, N_12, M_11, M_22, M_12 (n_e, n_s, 6), elastic and viscous parts."""
        before = plate_tables.surface(_reference(group), xi)
        T = _both(plate_tables.material_matrix(before, group.axis))

        def strains(d: FloatArray) -> FloatArray:
            e = plate_tables.surface(d, xi).forms - before.forms
            e[..., :2] *= 0.5
            return e

        d = plate_tables.vectors(q[group.dofs], group.scale)
        e = strains(d)
        if np.any(group.tau > 0) and np.any(v[group.dofs]):
            d_t = plate_tables.vectors(v[group.dofs], group.scale)
            size = group.scale[:, 1:3].max(axis=1, keepdims=True)
            rates = strain_rates(strains, d, d_t, slice(0, None, 4 if self.mixed else 3), size)
            e = e + group.tau[:, None, None] * rates
        return np.asarray(np.einsum("eij,egjk,egk->egi", group.A, T, e))


def _reference(group: PlateGroup) -> FloatArray:
    return plate_tables.vectors(group.reference, group.scale)


def _both(T: FloatArray) -> FloatArray:
    """The matrix (.., 6, 6) for strains and curvatures of one (.., 3, 3) for each."""
    out = np.zeros((*T.shape[:2], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = T
    return out


def _points(
    rule: Gauss | Lobatto, A: FloatArray, d: FloatArray, axis: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Derivatives of the shape functions, curvilinear stiffness times weight, and forms of the stress-free surface."""
    xi, w = plate_tables.grid(rule)
    at = plate_tables.surface(d, xi)
    T = _both(plate_tables.material_matrix(at, axis))
    C = np.einsum("eg,egki,kl,eglj->egij", at.J * w, T, A, T, optimize=True)
    return plate_shape(xi, d.shape[1] == 16).D, 0.5 * (C + C.transpose(0, 1, 3, 2)), at.forms


def _constant_bending(rule: Gauss | Lobatto, A: FloatArray, d: FloatArray, axis: FloatArray) -> FloatArray:
    """The matrices (n_e, nv, nv) of the simple curvature."""
    xi, w = plate_tables.grid(rule)
    at = plate_tables.surface(d, xi)
    turn = np.abs(at.forms[..., 3:]).max(axis=2) / np.sqrt(at.J)
    if (turn > FLAT).any():
        e = int(np.argmax(turn.max(axis=1)))
        raise ModelError(
            f"ANCFThinPlate: element {e} is curved when free of stress, which PlateCurvature.SIMPLE cannot represent; "
            f"use PlateCurvature.EXACT."
        )
    T = plate_tables.material_matrix(at, axis)
    christoffel = np.einsum("egjc,egkc->egjk", at.y[:, :, 2:], at.dual)
    D = plate_shape(xi, d.shape[1] == 16).D
    rows = D[:, 2:] - np.einsum("egjk,gki->egji", christoffel, D[:, :2])
    rows[:, :, 2] *= 2.0
    K = np.einsum("eg,egki,kl,eglj,egim,egjn->emn", at.J * w, T, A[3:, 3:], T, rows, rows, optimize=True)
    return np.ascontiguousarray(0.5 * (K + K.transpose(0, 2, 1)))
