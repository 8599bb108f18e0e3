r"""Spatial absolute-nodal cable: two nodes, position and slope per node, cubic Hermite, no section orientation.

Governing equations. With the strains of `flexmbs.elements.hermite.CableStrain` the strain energy is

.. math:: U = \tfrac12 \int_0^L \left( EA\,\varepsilon^2 + EI\,(|\kappa| - \kappa_0)^2 \right) ds,
          \quad \kappa_0 \ge 0,

and the internal forces are its exact derivative, the tangent its second derivative. This is the energy of a rod without
torsional stiffness whose sections spin freely about the tangent until the energy is least. Hence the stress-free
curvature counts by its size alone: an arc that is curved when free has, to first order, no stiffness against bending
out of its plane, and where it is bent straight the energy has a conical point, at which it has no tangent.

Kelvin-Voigt damping with the retardation time tau: the axial strain is replaced by
:math:`\varepsilon + \tau\dot\varepsilon`; the bending part does the work
:math:`EI\,\tau\,\mathring\kappa\cdot\delta\mathring\kappa` per length, where :math:`\mathring\kappa` is the rate of the
vector curvature in a frame that follows the tangent without spinning about it. A line without section axes cannot tell
spin about its tangent: rigid rotations that need none are free of damping (all of a straight cable, those of an arc
about the normal of its plane), but curvature that travels round the section is damped, as when an arc turns about its
chord.

Symbols: y1 = dr/dx, y2 = d2r/dx2 at a point; J metric, eps axial strain and t its gradient, N normal force; g1, g2
forces of the bending energy on y1 and y2, see `flexmbs.elements.curvature`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.contracts import (
    Env,
    FloatArray,
    ForceKernel,
    IntArray,
    NodeLayout,
    Resultant,
    State,
    TangentKernel,
    Work,
)
from flexmbs.core.errors import ModelError
from flexmbs.core.jit import kernel
from flexmbs.core.triples import Matrix, Vector, columns, combination, dot, dyads, mixed, plus, scaled, transposed
from flexmbs.elements import hermite
from flexmbs.elements.curvature import damping, damping_change, factor, half_square, hessian, rate
from flexmbs.elements.hermite import CableGroup
from flexmbs.elements.hermite_cable import HermiteCable

if TYPE_CHECKING:
    from flexmbs.core.section import BeamStiffness

__all__ = ["ANCFCable3D"]


@kernel
def _node(u: FloatArray, dofs: IntArray, e: int, k: int, scale: float) -> Vector:
    """Three entries of u, from the k-th coordinate of element e on, times a scale."""
    return scale * u[dofs[e, k]], scale * u[dofs[e, k + 1]], scale * u[dofs[e, k + 2]]


@kernel
def _combine(N: FloatArray, g: int, p: Vector, s: Vector, t: Vector, u: Vector) -> Vector:
    """The Hermite combination of four vectors at point g."""
    a, b, c, d = N[g, 0], N[g, 1], N[g, 2], N[g, 3]
    return (
        a * p[0] + b * s[0] + c * t[0] + d * u[0],
        a * p[1] + b * s[1] + c * t[1] + d * u[1],
        a * p[2] + b * s[2] + c * t[2] + d * u[2],
    )


@kernel
def _axial(y1: Vector, J: float, measure: int) -> tuple[float, Vector, float, float]:
    """Axial strain, its gradient t, and the numbers a, b of its Hessian a I - b t t^T."""
    n = dot(y1, y1)
    if measure == 0:
        length = np.sqrt(n)
        s = 1.0 / length
        a = s / J
        return length / J - 1.0, (y1[0] * a, y1[1] * a, y1[2] * a), a, J * s
    a = 1.0 / (J * J)
    return 0.5 * (n * a - 1.0), (y1[0] * a, y1[1] * a, y1[2] * a), a, 0.0


@kernel
def spatial_cable_force(group: CableGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    q, v, r = state.q, state.v, work.r
    dofs, measure = group.dofs, group.measure
    N1a, N1b, N2b = group.N1_a, group.N1_b, group.N2_b
    w_a, w_b, J_a, J_b, kappa0 = group.w_a, group.w_b, group.J_a, group.J_b, group.kappa0
    for e in range(dofs.shape[0]):
        L, EA, EI, tau = group.L[e], group.EA[e], group.EI[e], group.tau[e]
        d0, d1 = _node(q, dofs, e, 0, 1.0), _node(q, dofs, e, 3, L)
        d2, d3 = _node(q, dofs, e, 6, 1.0), _node(q, dofs, e, 9, L)
        v0 = v1 = v2 = v3 = f0 = f1 = f2 = f3 = (0.0, 0.0, 0.0)
        if tau > 0.0:
            v0, v1 = _node(v, dofs, e, 0, 1.0), _node(v, dofs, e, 3, L)
            v2, v3 = _node(v, dofs, e, 6, 1.0), _node(v, dofs, e, 9, L)
        for g in range(w_a.shape[0]):
            J = J_a[e, g]
            eps, t, _, _ = _axial(_combine(N1a, g, d0, d1, d2, d3), J, measure)
            if tau > 0.0:
                eps += tau * dot(t, _combine(N1a, g, v0, v1, v2, v3))
            N = w_a[g] * J * EA * eps
            f0, f1 = plus(f0, N * N1a[g, 0], t), plus(f1, N * N1a[g, 1], t)
            f2, f3 = plus(f2, N * N1a[g, 2], t), plus(f3, N * N1a[g, 3], t)
        for g in range(w_b.shape[0]):
            J = J_b[e, g]
            W = w_b[g] * J * EI
            y1, y2 = _combine(N1b, g, d0, d1, d2, d3), _combine(N2b, g, d0, d1, d2, d3)
            h, g1, g2 = half_square(y1, y2, J, measure)
            s, _ = factor(h, kappa0[e, g])
            if tau > 0.0:
                y1d, y2d = _combine(N1b, g, v0, v1, v2, v3), _combine(N2b, g, v0, v1, v2, v3)
                z1, z2 = damping(y1, y2, rate(y1, y2, y1d, y2d, J, measure), J, measure)
                g1, g2 = combination(W * s, g1, W * tau, z1), combination(W * s, g2, W * tau, z2)
            else:
                g1, g2 = scaled(W * s, g1), scaled(W * s, g2)
            f0 = plus(f0, 1.0, combination(N1b[g, 0], g1, N2b[g, 0], g2))
            f1 = plus(f1, 1.0, combination(N1b[g, 1], g1, N2b[g, 1], g2))
            f2 = plus(f2, 1.0, combination(N1b[g, 2], g1, N2b[g, 2], g2))
            f3 = plus(f3, 1.0, combination(N1b[g, 3], g1, N2b[g, 3], g2))
        if not np.isfinite(dot(f0, f0) + dot(f1, f1) + dot(f2, f2) + dot(f3, f3)):
            return e
        for k in range(3):
            r[dofs[e, k]] += f0[k]
            r[dofs[e, k + 3]] += L * f1[k]
            r[dofs[e, k + 6]] += f2[k]
            r[dofs[e, k + 9]] += L * f3[k]
    return -1


@kernel
def _add(B: FloatArray, i: int, s: float, A: Matrix) -> None:
    """Add s A to the 3 x 3 part of a 12 x 12 block that begins at i."""
    B[i] += s * A[0]
    B[i + 1] += s * A[1]
    B[i + 2] += s * A[2]
    B[i + 12] += s * A[3]
    B[i + 13] += s * A[4]
    B[i + 14] += s * A[5]
    B[i + 24] += s * A[6]
    B[i + 25] += s * A[7]
    B[i + 26] += s * A[8]


@kernel
def spatial_cable_tangent(group: CableGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``.

    With the derivatives A = d(g1)/d(y1), C = d(g1)/d(y2), F = d(g2)/d(y1), E = d(g2)/d(y2) of the forces g at a point,
    shape functions a and b couple by N1_a N1_b A + N1_a N2_b C + N2_a N1_b F + N2_a N2_b E. Without damping F = C^T
    and only b >= a is computed. The block is built in the control vectors of the curve and scaled by L at the end.
    """
    wq, wv = weights
    q, v, r, B = state.q, state.v, work.r, work.B
    dofs, measure = group.dofs, group.measure
    N1a, N1b, N2b = group.N1_a, group.N1_b, group.N2_b
    w_a, w_b, J_a, J_b, kappa0 = group.w_a, group.w_b, group.J_a, group.J_b, group.kappa0
    zero, X, Y, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for e in range(dofs.shape[0]):
        L, EA, EI, tau = group.L[e], group.EA[e], group.EI[e], group.tau[e]
        d0, d1 = _node(q, dofs, e, 0, 1.0), _node(q, dofs, e, 3, L)
        d2, d3 = _node(q, dofs, e, 6, 1.0), _node(q, dofs, e, 9, L)
        v0 = v1 = v2 = v3 = f0 = f1 = f2 = f3 = zero
        if tau > 0.0:
            v0, v1 = _node(v, dofs, e, 0, 1.0), _node(v, dofs, e, 3, L)
            v2, v3 = _node(v, dofs, e, 6, 1.0), _node(v, dofs, e, 9, L)
        o = group.b1 + 144 * e
        B[o : o + 144] = 0.0
        for g in range(w_a.shape[0]):
            J = J_a[e, g]
            W = w_a[g] * J * EA
            eps, t, a, b = _axial(_combine(N1a, g, d0, d1, d2, d3), J, measure)
            z = scaled(W * (wq + wv * tau), t)
            if tau > 0.0:
                y1d = _combine(N1a, g, v0, v1, v2, v3)
                eps_t = dot(t, y1d)
                eps += tau * eps_t
                z = plus(z, W * wq * tau, combination(a, y1d, -b * eps_t, t))
            N = W * eps
            f0, f1 = plus(f0, N * N1a[g, 0], t), plus(f1, N * N1a[g, 1], t)
            f2, f3 = plus(f2, N * N1a[g, 2], t), plus(f3, N * N1a[g, 3], t)
            A = dyads(wq * N * a, t, plus(z, -wq * N * b, t), zero, zero)
            for i in range(4):
                for j in range(i if tau == 0.0 else 0, 4):
                    _add(B, o + 36 * i + 3 * j, N1a[g, i] * N1a[g, j], A)
        for g in range(w_b.shape[0]):
            J = J_b[e, g]
            W = w_b[g] * J * EI
            y1, y2 = _combine(N1b, g, d0, d1, d2, d3), _combine(N2b, g, d0, d1, d2, d3)
            h, g1, g2 = half_square(y1, y2, J, measure)
            s, s2 = factor(h, kappa0[e, g])
            A, C, E = hessian(W * wq * s, W * wq * s2, y1, y2, g1, g2, J, measure)
            F = transposed(C)
            if tau > 0.0:
                y1d, y2d = _combine(N1b, g, v0, v1, v2, v3), _combine(N2b, g, v0, v1, v2, v3)
                z1, z2 = damping(y1, y2, rate(y1, y2, y1d, y2d, J, measure), J, measure)
                g1, g2 = combination(W * s, g1, W * tau, z1), combination(W * s, g2, W * tau, z2)
                x1, x2 = damping_change(y1, y2, y1d, y2d, X, zero, J, measure, wq, wv)
                z1, z2 = damping_change(y1, y2, y1d, y2d, Y, zero, J, measure, wq, wv)
                t1, t2 = damping_change(y1, y2, y1d, y2d, Z, zero, J, measure, wq, wv)
                A, F = mixed(1.0, A, W * tau, columns(x1, z1, t1)), mixed(1.0, F, W * tau, columns(x2, z2, t2))
                x1, x2 = damping_change(y1, y2, y1d, y2d, zero, X, J, measure, wq, wv)
                z1, z2 = damping_change(y1, y2, y1d, y2d, zero, Y, J, measure, wq, wv)
                t1, t2 = damping_change(y1, y2, y1d, y2d, zero, Z, J, measure, wq, wv)
                C, E = mixed(1.0, C, W * tau, columns(x1, z1, t1)), mixed(1.0, E, W * tau, columns(x2, z2, t2))
            else:
                g1, g2 = scaled(W * s, g1), scaled(W * s, g2)
            f0 = plus(f0, 1.0, combination(N1b[g, 0], g1, N2b[g, 0], g2))
            f1 = plus(f1, 1.0, combination(N1b[g, 1], g1, N2b[g, 1], g2))
            f2 = plus(f2, 1.0, combination(N1b[g, 2], g1, N2b[g, 2], g2))
            f3 = plus(f3, 1.0, combination(N1b[g, 3], g1, N2b[g, 3], g2))
            for i in range(4):
                P, Q = mixed(N1b[g, i], A, N2b[g, i], F), mixed(N1b[g, i], C, N2b[g, i], E)
                for j in range(i if tau == 0.0 else 0, 4):
                    _add(B, o + 36 * i + 3 * j, 1.0, mixed(N1b[g, j], P, N2b[g, j], Q))
        if not np.isfinite(dot(f0, f0) + dot(f1, f1) + dot(f2, f2) + dot(f3, f3)):
            return e
        for i in range(12):
            for j in range(12):
                k = o + 12 * i + j
                if tau == 0.0 and j // 3 < i // 3:
                    B[k] = B[o + 12 * j + i]
                else:
                    B[k] *= (L if i // 3 % 2 else 1.0) * (L if j // 3 % 2 else 1.0)
        for k in range(3):
            r[dofs[e, k]] += f0[k]
            r[dofs[e, k + 3]] += L * f1[k]
            r[dofs[e, k + 6]] += f2[k]
            r[dofs[e, k + 9]] += L * f3[k]
    return -1


@dataclass(frozen=True, kw_only=True)
class ANCFCable3D(HermiteCable):
    """Spatial cable of the absolute nodal coordinate formulation (ANCF): slender, equally stiff all round, no torsion.

    Nodal coordinates: position (x, y, z) [length] and slope (x_s, y_s, z_s) = dr/ds [-], s the undeformed arc length.
    The mass matrix is constant. ``EI_z`` is the bending stiffness in every direction; ``GJ`` is not used.

    Parameters
    ----------
    strain : CableStrain
        How strain and curvature are measured; default ``CableStrain.MATERIAL``.
    axial, bending : Gauss or Lobatto
        Quadrature of the axial and of the bending energy. The default, Lobatto 3 with Gauss 3, is free of membrane
        locking and of zero-energy modes.

    Raises
    ------
    ModelError
        If an argument is of the wrong kind, or (when the body is made) if EI_y and EI_z differ.

    Notes
    -----
    Limits: no torsion, no section axes (a section with EI_y unlike EI_z cannot be represented), no shear (length over
    height above about 20), no rotary inertia. Stress-free arcs have no stiffness out of their plane, to first order:
    for such a body the tangent at the stress-free shape is singular unless gravity or tension holds it. A turn per
    element below 1e-6 in the stress-free shape counts as straight. A cable that is curved when free cannot be bent
    straight: there the element reports that it cannot go on. ``M_x, M_y, M_z`` are components along the inertial axes.

    A free end without tension, as of a hanging rope, has a mode that only the bending stiffness resists, since the
    default axial rule looks at the slope of the end, where there is no force. With EI below about a hundredth of the
    weight of an element times the square of its length it lies among the true ones: take ``axial=Gauss(3)`` for modes.

    Sources: J. Gerstmayr and A. A. Shabana, Nonlinear Dyn. 45 (2006) 109-130 (cable); J. Gerstmayr and H. Irschik,
    J. Sound Vib. 318 (2008) 461-487 (strain measures).

    Examples
    --------
    >>> from flexmbs.elements import ANCFCable3D
    >>> ANCFCable3D().layout.names
    ('x', 'y', 'z', 'x_s', 'y_s', 'z_s')
    """

    name: ClassVar[str] = "spatial cable"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=3, names=("x", "y", "z", "x_s", "y_s", "z_s"), position=(0, 1, 2), slope=(3, 4, 5), absolute=True
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N", "normal force", "force"),
        Resultant("M_x", "bending moment, inertial component x", "moment"),
        Resultant("M_y", "bending moment, inertial component y", "moment"),
        Resultant("M_z", "bending moment, inertial component z", "moment"),
    )
    diagnosis: ClassVar[str] = (
        "it has become straight, or nearly so, where it is curved when free, or its forces are not finite"
    )

    @property
    def force(self) -> ForceKernel:
        return spatial_cable_force

    @property
    def tangent(self) -> TangentKernel:
        return spatial_cable_tangent

    def tabulate(
        self, points: FloatArray, reference: FloatArray, dofs: IntArray, stiffness: BeamStiffness, b1: int
    ) -> CableGroup:
        EI_y, EI_z = stiffness.EI_y, stiffness.EI_z
        if EI_y is not None and abs(EI_y - EI_z) > 1e-9 * EI_z:
            raise ModelError(
                f"ANCFCable3D: EI_y = {EI_y:g} and EI_z = {EI_z:g} must be equal, since a cable has no section axes; "
                f"use a section that is equal in all directions, such as Circle or Pipe, or the LinearBeam3D element."
            )
        return super().tabulate(points, reference, dofs, stiffness, b1)

    def stress_resultants(self, group: CableGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        return hermite.spatial_resultants(group, q, v, xi)
