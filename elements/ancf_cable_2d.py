r"""Planar absolute-nodal cable: two nodes, position and slope per node, cubic Hermite.

Governing equations. With the strains of `flexmbs.elements.hermite.CableStrain` the strain energy is

.. math:: U = \tfrac12 \int_0^L \left( EA\,\varepsilon^2 + EI\,(\kappa - \kappa_0)^2 \right) ds,

and the internal forces are its exact derivative, the tangent its second derivative. Kelvin-Voigt damping replaces
:math:`\varepsilon` by :math:`\varepsilon + \tau\dot\varepsilon` in the normal force N, and likewise in the moment M.
No shear, no rotary inertia. The curvature is positive where the tangent turns from x to y.

Both parts of the energy are integrated with fewer points than the polynomial degree asks for: with four or five Gauss
points for the axial part a thin, strongly bent element locks. Which rules converge, and which have zero-energy modes,
is measured in the documentation ("Quadrature of the cable elements").

Symbols: x, y = dr/dx and u, w = d2r/dx2 at a point; J metric, eps axial strain, k curvature; suffix 1: derivative by
(x, y), suffix 2: by (u, w); N normal force, M moment; c = x w - y u; n = x^2 + y^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from flexmbs.core.contracts import (
    Env,
    FloatArray,
    ForceKernel,
    NodeLayout,
    Resultant,
    State,
    TangentKernel,
    Work,
)
from flexmbs.core.jit import kernel
from flexmbs.elements import hermite
from flexmbs.elements.hermite import CableGroup
from flexmbs.elements.hermite_cable import HermiteCable

if TYPE_CHECKING:
    pass

__all__ = ["ANCFCable2D"]

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]


@kernel
def _axial(x: float, y: float, J: float, measure: int) -> tuple[float, float, float, float, float, float]:
    """Axial strain, its gradient and Hessian by (x, y)."""
    if measure == 0:
        length = np.sqrt(x * x + y * y)
        tx, ty = x / length, y / length
        s = 1.0 / J
        h = s / length
        return length * s - 1.0, tx * s, ty * s, h * ty * ty, -h * tx * ty, h * tx * tx
    s = 1.0 / (J * J)
    return 0.5 * ((x * x + y * y) * s - 1.0), x * s, y * s, s, 0.0, s


@kernel
def _bending(x: float, y: float, u: float, w: float, J: float, measure: int) -> tuple[float, Four, Three, Four]:
    """Curvature c / n^p with p = 1 (per undeformed length) or 3/2, its gradient and Hessian (the 22 block is zero)."""
    n = x * x + y * y
    c = x * w - y * u
    p = 1.0 if measure == 0 else 1.5
    m = 1.0 / (n * J) if measure == 0 else 1.0 / (n * np.sqrt(n))
    k = c * m
    b = 2.0 * p * m / n
    g = b * c
    e = b * c * 2.0 * (p + 1.0) / n
    return (
        k,
        (w * m - g * x, -u * m - g * y, -y * m, x * m),
        (e * x * x - 2.0 * b * w * x - g, e * x * y - b * (w * y - u * x), e * y * y + 2.0 * b * u * y - g),
        (b * x * y, m - b * x * x, -m + b * y * y, -b * x * y),
    )


@kernel
def planar_cable_force(group: CableGroup, state: State, env: Env, work: Work) -> int:
    """Internal forces of all elements into ``work.r``."""
    q, v, r = state.q, state.v, work.r
    dofs, measure = group.dofs, group.measure
    N1a, N1b, N2b = group.N1_a, group.N1_b, group.N2_b
    w_a, w_b, J_a, J_b, kappa0 = group.w_a, group.w_b, group.J_a, group.J_b, group.kappa0
    for e in range(dofs.shape[0]):
        L, EA, EI, tau = group.L[e], group.EA[e], group.EI[e], group.tau[e]
        d0, d1, d2, d3 = q[dofs[e, 0]], q[dofs[e, 1]], L * q[dofs[e, 2]], L * q[dofs[e, 3]]
        d4, d5, d6, d7 = q[dofs[e, 4]], q[dofs[e, 5]], L * q[dofs[e, 6]], L * q[dofs[e, 7]]
        f0 = f1 = f2 = f3 = f4 = f5 = f6 = f7 = 0.0
        for g in range(w_a.shape[0]):
            a0, a1, a2, a3 = N1a[g, 0], N1a[g, 1], N1a[g, 2], N1a[g, 3]
            J = J_a[e, g]
            x, y = a0 * d0 + a1 * d2 + a2 * d4 + a3 * d6, a0 * d1 + a1 * d3 + a2 * d5 + a3 * d7
            eps, ex, ey, _, _, _ = _axial(x, y, J, measure)
            if tau > 0.0:
                xd = a0 * v[dofs[e, 0]] + a2 * v[dofs[e, 4]] + L * (a1 * v[dofs[e, 2]] + a3 * v[dofs[e, 6]])
                yd = a0 * v[dofs[e, 1]] + a2 * v[dofs[e, 5]] + L * (a1 * v[dofs[e, 3]] + a3 * v[dofs[e, 7]])
                eps += tau * (ex * xd + ey * yd)
            N = w_a[g] * J * EA * eps
            X, Y = N * ex, N * ey
            f0 += a0 * X
            f1 += a0 * Y
            f2 += a1 * X
            f3 += a1 * Y
            f4 += a2 * X
            f5 += a2 * Y
            f6 += a3 * X
            f7 += a3 * Y
        for g in range(w_b.shape[0]):
            a0, a1, a2, a3 = N1b[g, 0], N1b[g, 1], N1b[g, 2], N1b[g, 3]
            b0, b1, b2, b3 = N2b[g, 0], N2b[g, 1], N2b[g, 2], N2b[g, 3]
            J = J_b[e, g]
            x, y = a0 * d0 + a1 * d2 + a2 * d4 + a3 * d6, a0 * d1 + a1 * d3 + a2 * d5 + a3 * d7
            u, w = b0 * d0 + b1 * d2 + b2 * d4 + b3 * d6, b0 * d1 + b1 * d3 + b2 * d5 + b3 * d7
            k, (k1x, k1y, k2x, k2y), _, _ = _bending(x, y, u, w, J, measure)
            k -= kappa0[e, g]
            if tau > 0.0:
                xd = a0 * v[dofs[e, 0]] + a2 * v[dofs[e, 4]] + L * (a1 * v[dofs[e, 2]] + a3 * v[dofs[e, 6]])
                yd = a0 * v[dofs[e, 1]] + a2 * v[dofs[e, 5]] + L * (a1 * v[dofs[e, 3]] + a3 * v[dofs[e, 7]])
                ud = b0 * v[dofs[e, 0]] + b2 * v[dofs[e, 4]] + L * (b1 * v[dofs[e, 2]] + b3 * v[dofs[e, 6]])
                wd = b0 * v[dofs[e, 1]] + b2 * v[dofs[e, 5]] + L * (b1 * v[dofs[e, 3]] + b3 * v[dofs[e, 7]])
                k += tau * (k1x * xd + k1y * yd + k2x * ud + k2y * wd)
            M = w_b[g] * J * EI * k
            X, Y, U, W = M * k1x, M * k1y, M * k2x, M * k2y
            f0 += a0 * X + b0 * U
            f1 += a0 * Y + b0 * W
            f2 += a1 * X + b1 * U
            f3 += a1 * Y + b1 * W
            f4 += a2 * X + b2 * U
            f5 += a2 * Y + b2 * W
            f6 += a3 * X + b3 * U
            f7 += a3 * Y + b3 * W
        if not np.isfinite(f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7):
            return e
        r[dofs[e, 0]] += f0
        r[dofs[e, 1]] += f1
        r[dofs[e, 2]] += L * f2
        r[dofs[e, 3]] += L * f3
        r[dofs[e, 4]] += f4
        r[dofs[e, 5]] += f5
        r[dofs[e, 6]] += L * f6
        r[dofs[e, 7]] += L * f7
    return -1


@kernel
def planar_cable_tangent(group: CableGroup, state: State, env: Env, work: Work, weights: tuple[float, float]) -> int:
    """Internal forces into ``work.r`` and ``wq K + wv D`` into ``work.B``.

    At a point the Hessian of the energy density has the blocks A = d2/d(x,y)2, C = d2/d(x,y)d(u,w), F = C^T and
    E = d2/d(u,w)2; shape functions a and b then couple by N1_a N1_b A + N1_a N2_b C + N2_a N1_b F + N2_a N2_b E.
    Damping adds k_i z_j with z = d(strain rate)/d(strain argument), which makes F differ from C^T. The block is built
    in the control vectors of the Hermite curve and scaled by L at the end; without damping only b >= a is computed.
    """
    wq, wv = weights
    q, v, r, B = state.q, state.v, work.r, work.B
    dofs, measure = group.dofs, group.measure
    N1a, N1b, N2b = group.N1_a, group.N1_b, group.N2_b
    w_a, w_b, J_a, J_b, kappa0 = group.w_a, group.w_b, group.J_a, group.J_b, group.kappa0
    for e in range(dofs.shape[0]):
        L, EA, EI, tau = group.L[e], group.EA[e], group.EI[e], group.tau[e]
        d0, d1, d2, d3 = q[dofs[e, 0]], q[dofs[e, 1]], L * q[dofs[e, 2]], L * q[dofs[e, 3]]
        d4, d5, d6, d7 = q[dofs[e, 4]], q[dofs[e, 5]], L * q[dofs[e, 6]], L * q[dofs[e, 7]]
        o = group.b1 + 64 * e
        B[o : o + 64] = 0.0
        f0 = f1 = f2 = f3 = f4 = f5 = f6 = f7 = 0.0
        for g in range(w_a.shape[0]):
            a0, a1, a2, a3 = N1a[g, 0], N1a[g, 1], N1a[g, 2], N1a[g, 3]
            J = J_a[e, g]
            x, y = a0 * d0 + a1 * d2 + a2 * d4 + a3 * d6, a0 * d1 + a1 * d3 + a2 * d5 + a3 * d7
            eps, ex, ey, hxx, hxy, hyy = _axial(x, y, J, measure)
            W = w_a[g] * J * EA
            s = W * (wq + wv * tau)
            Axx, Axy, Ayx, Ayy = s * ex * ex, s * ex * ey, s * ey * ex, s * ey * ey
            if tau > 0.0:
                xd = a0 * v[dofs[e, 0]] + a2 * v[dofs[e, 4]] + L * (a1 * v[dofs[e, 2]] + a3 * v[dofs[e, 6]])
                yd = a0 * v[dofs[e, 1]] + a2 * v[dofs[e, 5]] + L * (a1 * v[dofs[e, 3]] + a3 * v[dofs[e, 7]])
                eps += tau * (ex * xd + ey * yd)
                z = W * wq * tau
                zx, zy = z * (hxx * xd + hxy * yd), z * (hxy * xd + hyy * yd)
                Axx, Axy, Ayx, Ayy = Axx + ex * zx, Axy + ex * zy, Ayx + ey * zx, Ayy + ey * zy
            N = W * eps
            m = wq * N
            Axx, Axy, Ayx, Ayy = Axx + m * hxx, Axy + m * hxy, Ayx + m * hxy, Ayy + m * hyy
            X, Y = N * ex, N * ey
            f0, f1, f2, f3 = f0 + a0 * X, f1 + a0 * Y, f2 + a1 * X, f3 + a1 * Y
            f4, f5, f6, f7 = f4 + a2 * X, f5 + a2 * Y, f6 + a3 * X, f7 + a3 * Y
            for a in range(4):
                p = N1a[g, a]
                for b in range(a if tau == 0.0 else 0, 4):
                    n = p * N1a[g, b]
                    i = o + 16 * a + 2 * b
                    B[i] += n * Axx
                    B[i + 1] += n * Axy
                    B[i + 8] += n * Ayx
                    B[i + 9] += n * Ayy
        for g in range(w_b.shape[0]):
            a0, a1, a2, a3 = N1b[g, 0], N1b[g, 1], N1b[g, 2], N1b[g, 3]
            b0, b1, b2, b3 = N2b[g, 0], N2b[g, 1], N2b[g, 2], N2b[g, 3]
            J = J_b[e, g]
            x, y = a0 * d0 + a1 * d2 + a2 * d4 + a3 * d6, a0 * d1 + a1 * d3 + a2 * d5 + a3 * d7
            u, w = b0 * d0 + b1 * d2 + b2 * d4 + b3 * d6, b0 * d1 + b1 * d3 + b2 * d5 + b3 * d7
            k, (k1x, k1y, k2x, k2y), (hxx, hxy, hyy), (hxu, hxw, hyu, hyw) = _bending(x, y, u, w, J, measure)
            k -= kappa0[e, g]
            W = w_b[g] * J * EI
            s = W * (wq + wv * tau)
            Axx, Axy, Ayx, Ayy = s * k1x * k1x, s * k1x * k1y, s * k1y * k1x, s * k1y * k1y
            Cxu, Cxw, Cyu, Cyw = s * k1x * k2x, s * k1x * k2y, s * k1y * k2x, s * k1y * k2y
            Fux, Fuy, Fwx, Fwy = Cxu, Cyu, Cxw, Cyw
            Euu, Euw, Ewu, Eww = s * k2x * k2x, s * k2x * k2y, s * k2y * k2x, s * k2y * k2y
            if tau > 0.0:
                xd = a0 * v[dofs[e, 0]] + a2 * v[dofs[e, 4]] + L * (a1 * v[dofs[e, 2]] + a3 * v[dofs[e, 6]])
                yd = a0 * v[dofs[e, 1]] + a2 * v[dofs[e, 5]] + L * (a1 * v[dofs[e, 3]] + a3 * v[dofs[e, 7]])
                ud = b0 * v[dofs[e, 0]] + b2 * v[dofs[e, 4]] + L * (b1 * v[dofs[e, 2]] + b3 * v[dofs[e, 6]])
                wd = b0 * v[dofs[e, 1]] + b2 * v[dofs[e, 5]] + L * (b1 * v[dofs[e, 3]] + b3 * v[dofs[e, 7]])
                k += tau * (k1x * xd + k1y * yd + k2x * ud + k2y * wd)
                z = W * wq * tau
                zx = z * (hxx * xd + hxy * yd + hxu * ud + hxw * wd)
                zy = z * (hxy * xd + hyy * yd + hyu * ud + hyw * wd)
                zu, zw = z * (hxu * xd + hyu * yd), z * (hxw * xd + hyw * yd)
                Axx, Axy, Ayx, Ayy = Axx + k1x * zx, Axy + k1x * zy, Ayx + k1y * zx, Ayy + k1y * zy
                Cxu, Cxw, Cyu, Cyw = Cxu + k1x * zu, Cxw + k1x * zw, Cyu + k1y * zu, Cyw + k1y * zw
                Fux, Fuy, Fwx, Fwy = Fux + k2x * zx, Fuy + k2x * zy, Fwx + k2y * zx, Fwy + k2y * zy
                Euu, Euw, Ewu, Eww = Euu + k2x * zu, Euw + k2x * zw, Ewu + k2y * zu, Eww + k2y * zw
            M = W * k
            m = wq * M
            Axx, Axy, Ayx, Ayy = Axx + m * hxx, Axy + m * hxy, Ayx + m * hxy, Ayy + m * hyy
            Cxu, Cxw, Cyu, Cyw = Cxu + m * hxu, Cxw + m * hxw, Cyu + m * hyu, Cyw + m * hyw
            Fux, Fuy, Fwx, Fwy = Fux + m * hxu, Fuy + m * hyu, Fwx + m * hxw, Fwy + m * hyw
            X, Y, U, V = M * k1x, M * k1y, M * k2x, M * k2y
            f0, f1, f2, f3 = f0 + a0 * X + b0 * U, f1 + a0 * Y + b0 * V, f2 + a1 * X + b1 * U, f3 + a1 * Y + b1 * V
            f4, f5, f6, f7 = f4 + a2 * X + b2 * U, f5 + a2 * Y + b2 * V, f6 + a3 * X + b3 * U, f7 + a3 * Y + b3 * V
            for a in range(4):
                p, t = N1b[g, a], N2b[g, a]
                Pxx, Pxy, Pyx, Pyy = p * Axx + t * Fux, p * Axy + t * Fuy, p * Ayx + t * Fwx, p * Ayy + t * Fwy
                Qxx, Qxy, Qyx, Qyy = p * Cxu + t * Euu, p * Cxw + t * Euw, p * Cyu + t * Ewu, p * Cyw + t * Eww
                for b in range(a if tau == 0.0 else 0, 4):
                    n, c = N1b[g, b], N2b[g, b]
                    i = o + 16 * a + 2 * b
                    B[i] += n * Pxx + c * Qxx
                    B[i + 1] += n * Pxy + c * Qxy
                    B[i + 8] += n * Pyx + c * Qyx
                    B[i + 9] += n * Pyy + c * Qyy
        if not np.isfinite(f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7):
            return e
        for a in range(4):
            for b in range(a, 4):
                scale = (L if a % 2 else 1.0) * (L if b % 2 else 1.0)
                i, j = o + 16 * a + 2 * b, o + 16 * b + 2 * a
                B[i] *= scale
                B[i + 1] *= scale
                B[i + 8] *= scale
                B[i + 9] *= scale
                if a == b:
                    continue
                if tau == 0.0:
                    B[j], B[j + 1], B[j + 8], B[j + 9] = B[i], B[i + 8], B[i + 1], B[i + 9]
                else:
                    B[j] *= scale
                    B[j + 1] *= scale
                    B[j + 8] *= scale
                    B[j + 9] *= scale
        r[dofs[e, 0]] += f0
        r[dofs[e, 1]] += f1
        r[dofs[e, 2]] += L * f2
        r[dofs[e, 3]] += L * f3
        r[dofs[e, 4]] += f4
        r[dofs[e, 5]] += f5
        r[dofs[e, 6]] += L * f6
        r[dofs[e, 7]] += L * f7
    return -1


@dataclass(frozen=True, kw_only=True)
class ANCFCable2D(HermiteCable):
    """Planar cable of the absolute nodal coordinate formulation (ANCF): slender beams in the plane, any displacement.

    Nodal coordinates: position (x, y) [length] and slope (x_s, y_s) = dr/ds [-], s the undeformed arc length. The mass
    matrix is constant. Converges with order 4 in positions (measured: verification case ``s01-cantilever``).

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
        If an argument is of the wrong kind.

    Notes
    -----
    Limits: no shear (length over height above about 20), no rotary inertia. The slope length at a clamp stays free:
    it is the axial stretch there. Chains of more than some 10 000 elements are spoilt by round-off.

    A free end without tension, as of a hanging rope, has a mode that only the bending stiffness resists, since the
    default axial rule looks at the slope of the end, where there is no force. With EI below about a hundredth of the
    weight of an element times the square of its length it lies among the true ones: take ``axial=Gauss(3)`` for modes.

    Sources: M. Berzeri and A. A. Shabana, J. Sound Vib. 235 (2000) 539-565; J. Gerstmayr and H. Irschik, J. Sound Vib.
    318 (2008) 461-487 (strain measures).

    Examples
    --------
    >>> from flexmbs.elements import CableStrain, ANCFCable2D
    >>> ANCFCable2D(strain=CableStrain.GREEN).layout.names
    ('x', 'y', 'x_s', 'y_s')
    """

    name: ClassVar[str] = "planar cable"
    layout: ClassVar[NodeLayout] = NodeLayout(
        dim=2, names=("x", "y", "x_s", "y_s"), position=(0, 1), slope=(2, 3), absolute=True
    )
    resultants: ClassVar[tuple[Resultant, ...]] = (
        Resultant("N", "normal force", "force"),
        Resultant("M", "bending moment", "moment"),
    )

    @property
    def force(self) -> ForceKernel:
        return planar_cable_force

    @property
    def tangent(self) -> TangentKernel:
        return planar_cable_tangent

    def stress_resultants(self, group: CableGroup, q: FloatArray, v: FloatArray, xi: FloatArray) -> FloatArray:
        return hermite.stress_resultants(group, q, v, xi)
