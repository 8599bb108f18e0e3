r"""Curvature of a space curve for the spatial cable: its energy and its damping, with their exact derivatives.

At a point with y1 = dr/dx and y2 = d2r/dx2 let c = y1 x y2, n = y1.y1, d = y1.y2, m = y2.y2. The vector curvature is

    kappa = c / N,   N = n J (per undeformed length, measure 0, p = 1) or n^(3/2) (per deformed length, p = 3/2),

with the metric J of the stress-free shape; h = |kappa|^2 / 2 = (n m - d^2) / (2 N^2) has a smooth gradient and Hessian
also where the curve is straight. Its rate in a frame that follows the tangent t without spinning about it is

    kappa_ring = (I - t t^T) d(kappa)/dt = (y1' x y2 + y1 (c.y1') / n + y1 x y2') / N - 2 p kappa (y1.y1') / n,

where ' is the derivative by time. Gradients: suffix 1 by y1, 2 by y2.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.jit import kernel
from flexmbs.core.triples import Matrix, Vector, combination, cross, dot, dyads, mixed, plus, scaled

__all__ = ["damping", "damping_change", "factor", "half_square", "hessian", "rate"]


@kernel
def half_square(y1: Vector, y2: Vector, J: float, measure: int) -> tuple[float, Vector, Vector]:
    """|kappa|^2 / 2 and its gradients by y1 and y2."""
    c = cross(y1, y2)
    n = dot(y1, y1)
    p = 1.0 if measure == 0 else 1.5
    S = 1.0 / (n * n * J * J) if measure == 0 else 1.0 / (n * n * n)
    cc = dot(c, c)
    return 0.5 * S * cc, combination(S, cross(y2, c), -2.0 * p * S * cc / n, y1), scaled(S, cross(c, y1))


@kernel
def factor(h: float, kappa0: float) -> tuple[float, float]:
    """First and second derivative by h of (sqrt(2 h) - kappa0)^2 / 2; NaN too near to its conical point."""
    if kappa0 == 0.0:
        return 1.0, 0.0
    k = np.sqrt(2.0 * h)
    if k < 1e-8 * kappa0:
        return np.nan, np.nan
    return 1.0 - kappa0 / k, kappa0 / (k * k * k)


@kernel
def hessian(
    s: float, s2: float, y1: Vector, y2: Vector, g1: Vector, g2: Vector, J: float, measure: int
) -> tuple[Matrix, Matrix, Matrix]:
    """Blocks 11, 12 and 22 of s times the Hessian of |kappa|^2 / 2, by n, d and m, plus s2 g g^T."""
    c = cross(y1, y2)
    n, d, m = dot(y1, y1), dot(y1, y2), dot(y2, y2)
    p = 1.0 if measure == 0 else 1.5
    S = s / (n * n * J * J) if measure == 0 else s / (n * n * n)
    k = p * dot(c, c) / n
    b = 4.0 * S / n * ((2.0 * p + 1.0) * k - 2.0 * p * m)
    e, f = 4.0 * p * d * S / n, 2.0 * (1.0 - 2.0 * p) * S
    A = dyads(S * (m - 2.0 * k), y1, combination(b, y1, e, y2), y2, combination(e, y1, -S, y2))
    C = dyads(-d * S, y1, combination(e, y1, f, y2), y2, scaled(-S, y1))
    E = dyads(n * S, y1, scaled(-S, y1), g2, scaled(s2, g2))
    if s2 != 0.0:
        z1 = scaled(s2, g1)
        zero = (0.0, 0.0, 0.0)
        A = mixed(1.0, A, 1.0, dyads(0.0, z1, g1, zero, zero))
        C = mixed(1.0, C, 1.0, dyads(0.0, z1, g2, zero, zero))
    return A, C, E


@kernel
def rate(y1: Vector, y2: Vector, y1d: Vector, y2d: Vector, J: float, measure: int) -> Vector:
    """Curvature rate kappa_ring."""
    c = cross(y1, y2)
    n = dot(y1, y1)
    p = 1.0 if measure == 0 else 1.5
    N = n * J if measure == 0 else n * np.sqrt(n)
    k = combination(1.0 / N, cross(y1d, y2), 1.0 / N, cross(y1, y2d))
    return plus(k, 1.0 / (n * N), combination(dot(c, y1d), y1, -2.0 * p * dot(y1, y1d), c))


@kernel
def damping(y1: Vector, y2: Vector, w: Vector, J: float, measure: int) -> tuple[Vector, Vector]:
    """Forces that do the work w . delta kappa_ring, for w normal to y1."""
    c = cross(y1, y2)
    n = dot(y1, y1)
    p = 1.0 if measure == 0 else 1.5
    N = n * J if measure == 0 else n * np.sqrt(n)
    return combination(1.0 / N, cross(y2, w), -2.0 * p * dot(c, w) / (n * N), y1), scaled(1.0 / N, cross(w, y1))


@kernel
def damping_change(
    y1: Vector,
    y2: Vector,
    y1d: Vector,
    y2d: Vector,
    z1: Vector,
    z2: Vector,
    J: float,
    measure: int,
    wq: float,
    wv: float,
) -> tuple[Vector, Vector]:
    """Change of the damping forces, wq times that along (z1, z2) plus wv times that for velocities (z1, z2)."""
    c, cz = cross(y1, y2), plus(cross(z1, y2), 1.0, cross(y1, z2))
    n = dot(y1, y1)
    nz = 2.0 * dot(y1, z1)
    p = 1.0 if measure == 0 else 1.5
    N = n * J if measure == 0 else n * np.sqrt(n)
    Nz = p * nz / n  # relative to N, as all terms below
    w = rate(y1, y2, y1d, y2d, J, measure)
    g1, g2 = damping(y1, y2, w, J, measure)
    a, b = dot(c, y1d) / n, -2.0 * p * dot(y1, y1d) / n
    az, bz = dot(cz, y1d) / n - a * nz / n, -2.0 * p * dot(z1, y1d) / n - b * nz / n
    k = plus(cross(y1d, z2), 1.0, cross(z1, y2d))
    k = plus(k, 1.0, combination(a, z1, az, y1))
    k = plus(k, 1.0, combination(b, cz, bz, c))
    wz = combination(wq / N, k, -wq * Nz, w)
    f1, f2 = damping(y1, y2, plus(wz, wv, rate(y1, y2, z1, z2, J, measure)), J, measure)
    s = -2.0 * p * dot(c, w) / n
    sz = -2.0 * p * dot(cz, w) / n - s * nz / n
    k = plus(cross(z2, w), 1.0, combination(s, z1, sz, y1))
    f1 = plus(f1, wq, combination(1.0 / N, k, -Nz, g1))
    return f1, plus(f2, wq, combination(1.0 / N, cross(w, z1), -Nz, g2))
