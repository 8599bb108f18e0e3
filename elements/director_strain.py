r"""Strains of a rod whose sections are spanned by two directors, with their first and second derivatives.

With the frame R of the section (`flexmbs.core.directors`), the components of r', d2', d3' in it (the dash is the
derivative by the stress-free arc length)

    g = R^T r',   p = R^T d2',   s = R^T d3'

and (a, b, c) of the directors, the strains of Simo and Reissner are

    Gamma = g - (1, 0, 0),
    kappa_1 = -s_2 / c,   kappa_2 = s_1 / c,   kappa_3 = (b kappa_2 - p_1) / a,

the latter being the rate at which the frame turns along the rod. They are unchanged by rigid motions, and functions of
the present directors alone. All vectors here are in the axes of the section. An increment is (x, u, w, P, S): of r',
d2, d3, d2', d3', fixed in space.
"""

from __future__ import annotations

from flexmbs.core.directors import growth, spin, spin_change
from flexmbs.core.jit import inlined
from flexmbs.core.triples import Vector, cross, plus

__all__ = ["Increment", "curvature", "force", "force_change", "increment", "rate_change"]

Increment = tuple[Vector, Vector, Vector, Vector, Vector, Vector]
"""What an increment does: rotation of the frame, growth of (a, b, c), of g, p, s, and the increments of strains."""


@inlined
def curvature(shape: Vector, p: Vector, s: Vector) -> Vector:
    """The three curvatures."""
    k2 = s[0] / shape[2]
    return -s[1] / shape[2], k2, (shape[1] * k2 - p[0]) / shape[0]


@inlined
def increment(
    shape: Vector, g: Vector, p: Vector, s: Vector, k: Vector, x: Vector, u: Vector, w: Vector, P: Vector, S: Vector
) -> Increment:
    """Rotation, growth, increments of g (which are those of Gamma), p, s and of the curvatures k."""
    a, b, c = shape
    th = spin(shape, u, w)
    grown = growth(shape, th, u, w)
    dg, dp, ds = plus(cross(g, th), 1.0, x), plus(cross(p, th), 1.0, P), plus(cross(s, th), 1.0, S)
    k1 = -(ds[1] + k[0] * grown[2]) / c
    k2 = (ds[0] - k[1] * grown[2]) / c
    k3 = (grown[1] * k[1] + b * k2 - dp[0] - k[2] * grown[0]) / a
    return th, grown, dg, dp, ds, (k1, k2, k3)


@inlined
def rate_change(
    shape: Vector, g: Vector, p: Vector, s: Vector, k: Vector,
    x: Vector, u: Vector, w: Vector, P: Vector, S: Vector, along: Increment, by: Increment,
) -> tuple[Vector, Vector]:  # fmt: skip
    """Change, by the increment ``by``, of the increments of Gamma and kappa that (x, u, w, P, S) brings.

    ``along`` is what (x, u, w, P, S) does. With velocities for the latter these are the changes of the strain rates.
    """
    a, b, c = shape
    th, grown, _, _, _, dk = along
    turn, more, gg, pp, ss, kk = by
    dth = spin_change(shape, th, u, w, turn, more)
    du, dw = cross(u, turn), cross(w, turn)
    da = du[1] + dth[0] * b + th[0] * more[1]
    db = du[2] - dth[0] * a - th[0] * more[0]
    dc = dw[2]
    ddg = plus(plus(cross(gg, th), 1.0, cross(g, dth)), 1.0, cross(x, turn))
    ddp = cross(pp, th)[0] + cross(p, dth)[0] + cross(P, turn)[0]
    dds = plus(plus(cross(ss, th), 1.0, cross(s, dth)), 1.0, cross(S, turn))
    k1 = -(dds[1] + kk[0] * grown[2] + k[0] * dc + dk[0] * more[2]) / c
    k2 = (dds[0] - kk[1] * grown[2] - k[1] * dc - dk[1] * more[2]) / c
    k3 = (
        db * k[1] + grown[1] * kk[1] + more[1] * dk[1] + b * k2
        - ddp - kk[2] * grown[0] - k[2] * da - dk[2] * more[0]
    ) / a  # fmt: skip
    return ddg, (k1, k2, k3)


@inlined
def force(
    shape: Vector, g: Vector, p: Vector, s: Vector, k: Vector, N: Vector, M: Vector
) -> tuple[Vector, Vector, Vector, Vector]:
    """Forces on d2, d3, d2' and d3' of the resultants N and M, which work on Gamma and kappa; that on r' is N."""
    a, b, c = shape
    h = b / a
    m2 = M[1] + M[2] * h
    fP, fS = (-M[2] / a, 0.0, 0.0), (m2 / c, -M[0] / c, 0.0)
    t = plus(plus(cross(N, g), 1.0, cross(fS, s)), 1.0, cross(fP, p))
    t1 = t[0] - M[2] * (k[1] + h * k[2])
    fu = (-t[2] / a, fP[0] * k[2], -fP[0] * k[1])
    fw = ((t[1] + t[2] * h) / c, -t1 / c, -(M[0] * k[0] + m2 * k[1]) / c)
    return fu, fw, fP, fS


@inlined
def force_change(
    shape: Vector, g: Vector, p: Vector, s: Vector, k: Vector, N: Vector, M: Vector,
    by: Increment, dN: Vector, dM: Vector,
) -> tuple[Vector, Vector, Vector, Vector, Vector]:  # fmt: skip
    """Changes, in fixed axes, of the forces on r', d2, d3, d2', d3' by an increment and by dN and dM."""
    a, b, c = shape
    th, grown, dg, dp, ds, dk = by
    h = b / a
    dh = (grown[1] - h * grown[0]) / a
    m2 = M[1] + M[2] * h
    dm2 = dM[1] + dM[2] * h + M[2] * dh
    fP, fS = (-M[2] / a, 0.0, 0.0), (m2 / c, -M[0] / c, 0.0)
    t = plus(plus(cross(N, g), 1.0, cross(fS, s)), 1.0, cross(fP, p))
    t1 = t[0] - M[2] * (k[1] + h * k[2])
    fu = (-t[2] / a, fP[0] * k[2], -fP[0] * k[1])
    fw = ((t[1] + t[2] * h) / c, -t1 / c, -(M[0] * k[0] + m2 * k[1]) / c)
    gP = (-(dM[2] + fP[0] * grown[0]) / a, 0.0, 0.0)
    gS = ((dm2 - fS[0] * grown[2]) / c, -(dM[0] + fS[1] * grown[2]) / c, 0.0)
    dt = plus(plus(cross(dN, g), 1.0, cross(N, dg)), 1.0, plus(cross(gS, s), 1.0, cross(fS, ds)))
    dt = plus(dt, 1.0, plus(cross(gP, p), 1.0, cross(fP, dp)))
    dt1 = dt[0] - dM[2] * (k[1] + h * k[2]) - M[2] * (dk[1] + dh * k[2] + h * dk[2])
    gu = (-(dt[2] + fu[0] * grown[0]) / a, gP[0] * k[2] + fP[0] * dk[2], -gP[0] * k[1] - fP[0] * dk[1])
    gw = (
        (dt[1] + dt[2] * h + t[2] * dh - fw[0] * grown[2]) / c,
        -(dt1 + fw[1] * grown[2]) / c,
        -(dM[0] * k[0] + M[0] * dk[0] + dm2 * k[1] + m2 * dk[1] + fw[2] * grown[2]) / c,
    )
    return (
        plus(dN, 1.0, cross(th, N)), plus(gu, 1.0, cross(th, fu)), plus(gw, 1.0, cross(th, fw)),
        plus(gP, 1.0, cross(th, fP)), plus(gS, 1.0, cross(th, fS)),
    )  # fmt: skip
