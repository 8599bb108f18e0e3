"""Forces and tangents of rods whose sections are spanned by interpolated directors.

The strains are those of `flexmbs.elements.director_strain`.

An element has nn nodes with nine numbers each: position, d2, d3, in ``X (9 nn,)``, and their rates in ``V``. At a point
the strains depend on the 15 numbers (r', d2, d3, d2', d3'); their Hessian is found column by column in the axes of the
section, turned into space, and contracted with the shape functions N and their derivatives N1.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.directors import frame_of
from flexmbs.core.jit import inlined, kernel
from flexmbs.core.triples import Matrix, Vector, applied, applied_back
from flexmbs.elements.director_strain import curvature, force, force_change, increment, rate_change

__all__ = ["rod_force", "rod_tangent"]


@inlined
def _value(X: FloatArray, k: int, N: FloatArray, g: int, s: float) -> Vector:
    """The interpolated vector of the nodal numbers k, k + 1, k + 2 at point g, times s."""
    x = y = z = 0.0
    for i in range(N.shape[1]):
        n = s * N[g, i]
        x += n * X[9 * i + k]
        y += n * X[9 * i + k + 1]
        z += n * X[9 * i + k + 2]
    return x, y, z


@inlined
def _row(C: FloatArray, e: int, i: int, a: Vector, b: Vector) -> float:
    """Row i of C_e times (a, b)."""
    x: float = (
        C[e, i, 0] * a[0] + C[e, i, 1] * a[1] + C[e, i, 2] * a[2]
        + C[e, i, 3] * b[0] + C[e, i, 4] * b[1] + C[e, i, 5] * b[2]
    )  # fmt: skip
    return x


@inlined
def _times(C: FloatArray, e: int, s: float, a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """s C_e (a, b)."""
    return (
        (s * _row(C, e, 0, a, b), s * _row(C, e, 1, a, b), s * _row(C, e, 2, a, b)),
        (s * _row(C, e, 3, a, b), s * _row(C, e, 4, a, b), s * _row(C, e, 5, a, b)),
    )


@inlined
def _spread(F: FloatArray, k: int, N: FloatArray, g: int, s: float, f: Vector) -> None:
    """Add s N f to the nodal numbers k, k + 1, k + 2."""
    for i in range(N.shape[1]):
        n = s * N[g, i]
        F[9 * i + k] += n * f[0]
        F[9 * i + k + 1] += n * f[1]
        F[9 * i + k + 2] += n * f[2]


@inlined
def _less(a: Vector, e0: FloatArray, e: int, n: int, k: int) -> Vector:
    """Strains less those of the stress-free shape."""
    return a[0] - e0[e, n, k], a[1] - e0[e, n, k + 1], a[2] - e0[e, n, k + 2]


@inlined
def _more(a: Vector, s: float, b: Vector) -> Vector:
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@kernel
def rod_force(
    X: FloatArray, V: FloatArray, F: FloatArray, e: int, C: FloatArray, w: FloatArray, N: FloatArray, N1: FloatArray,
    J: FloatArray, e0: FloatArray, tau: float,
) -> bool:  # fmt: skip
    """Add the forces of element e on its nodal numbers to F; False if they are not finite."""
    for n in range(w.shape[0]):
        L = 1.0 / J[e, n]
        R, shape = frame_of(_value(X, 3, N, n, 1.0), _value(X, 6, N, n, 1.0))
        g = applied_back(R, _value(X, 0, N1, n, L))
        p = applied_back(R, _value(X, 3, N1, n, L))
        s = applied_back(R, _value(X, 6, N1, n, L))
        k = curvature(shape, p, s)
        a, b = _less((g[0] - 1.0, g[1], g[2]), e0, e, n, 0), _less(k, e0, e, n, 3)
        if tau > 0.0:
            x = applied_back(R, _value(V, 0, N1, n, L))
            u = applied_back(R, _value(V, 3, N, n, 1.0))
            z = applied_back(R, _value(V, 6, N, n, 1.0))
            P = applied_back(R, _value(V, 3, N1, n, L))
            S = applied_back(R, _value(V, 6, N1, n, L))
            _, _, dg, _, _, dk = increment(shape, g, p, s, k, x, u, z, P, S)
            a, b = _more(a, tau, dg), _more(b, tau, dk)
        f, m = _times(C, e, w[n] * J[e, n], a, b)
        if not np.isfinite(f[0] + f[1] + f[2] + m[0] + m[1] + m[2]):
            return False
        fu, fw, fP, fS = force(shape, g, p, s, k, f, m)
        _spread(F, 0, N1, n, L, applied(R, f))
        _spread(F, 3, N, n, 1.0, applied(R, fu))
        _spread(F, 6, N, n, 1.0, applied(R, fw))
        _spread(F, 3, N1, n, L, applied(R, fP))
        _spread(F, 6, N1, n, L, applied(R, fS))
    return True


@inlined
def _put(H: FloatArray, k: int, i: int, f: Vector) -> None:
    H[k, i], H[k, i + 1], H[k, i + 2] = f[0], f[1], f[2]


@inlined
def _turn(H: FloatArray, i: int, j: int, R: Matrix) -> None:
    """The 3 x 3 block at (i, j) from the axes of the section into space: R A R^T."""
    for k in range(3):
        x = applied(R, (H[i + k, j], H[i + k, j + 1], H[i + k, j + 2]))
        H[i + k, j], H[i + k, j + 1], H[i + k, j + 2] = x[0], x[1], x[2]
    for k in range(3):
        x = applied(R, (H[i, j + k], H[i + 1, j + k], H[i + 2, j + k]))
        H[i, j + k], H[i + 1, j + k], H[i + 2, j + k] = x[0], x[1], x[2]


@kernel
def rod_tangent(
    X: FloatArray, V: FloatArray, F: FloatArray, B: FloatArray, o: int, e: int, C: FloatArray, w: FloatArray,
    N: FloatArray, N1: FloatArray, J: FloatArray, e0: FloatArray, tau: float, wq: float, wv: float, H: FloatArray,
    T: FloatArray,
) -> bool:  # fmt: skip
    """The same, and wq dF/dX + wv dF/dV added to the block (9 nn, 9 nn) at B[o].

    ``H (15, 15)`` and ``T (9 nn, 15)`` are scratch.
    """
    zero = (0.0, 0.0, 0.0)
    count = N.shape[1]
    size = 9 * count
    for n in range(w.shape[0]):
        L = 1.0 / J[e, n]
        R, shape = frame_of(_value(X, 3, N, n, 1.0), _value(X, 6, N, n, 1.0))
        g = applied_back(R, _value(X, 0, N1, n, L))
        p = applied_back(R, _value(X, 3, N1, n, L))
        s = applied_back(R, _value(X, 6, N1, n, L))
        k = curvature(shape, p, s)
        a, b = _less((g[0] - 1.0, g[1], g[2]), e0, e, n, 0), _less(k, e0, e, n, 3)
        x = u = z = P = S = zero
        if tau > 0.0:
            x = applied_back(R, _value(V, 0, N1, n, L))
            u = applied_back(R, _value(V, 3, N, n, 1.0))
            z = applied_back(R, _value(V, 6, N, n, 1.0))
            P = applied_back(R, _value(V, 3, N1, n, L))
            S = applied_back(R, _value(V, 6, N1, n, L))
        along = increment(shape, g, p, s, k, x, u, z, P, S)
        a, b = _more(a, tau, along[2]), _more(b, tau, along[5])
        W = w[n] * J[e, n]
        f, m = _times(C, e, W, a, b)
        if not np.isfinite(f[0] + f[1] + f[2] + m[0] + m[1] + m[2]):
            return False
        fu, fw, fP, fS = force(shape, g, p, s, k, f, m)
        _spread(F, 0, N1, n, L, applied(R, f))
        _spread(F, 3, N, n, 1.0, applied(R, fu))
        _spread(F, 6, N, n, 1.0, applied(R, fw))
        _spread(F, 3, N1, n, L, applied(R, fP))
        _spread(F, 6, N1, n, L, applied(R, fS))
        f, m = (wq * f[0], wq * f[1], wq * f[2]), (wq * m[0], wq * m[1], wq * m[2])
        for j in range(15):
            one = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
            by = increment(
                shape, g, p, s, k,
                one if j < 3 else zero, one if 3 <= j < 6 else zero, one if 6 <= j < 9 else zero,
                one if 9 <= j < 12 else zero, one if j >= 12 else zero,
            )  # fmt: skip
            df, dm = _times(C, e, W * (wq + wv * tau), by[2], by[5])
            if tau > 0.0:
                ddg, ddk = rate_change(shape, g, p, s, k, x, u, z, P, S, along, by)
                tf, tm = _times(C, e, W * wq * tau, ddg, ddk)
                df, dm = _more(df, 1.0, tf), _more(dm, 1.0, tm)
            gx, gu, gw, gP, gS = force_change(shape, g, p, s, k, f, m, by, df, dm)
            _put(H, j, 0, gx)  # H holds the transposed, column by column
            _put(H, j, 3, gu)
            _put(H, j, 6, gw)
            _put(H, j, 9, gP)
            _put(H, j, 12, gS)
        for i in range(0, 15, 3):
            for j in range(0, 15, 3):
                _turn(H, i, j, R)
        # T: rows are the nodal numbers that change, columns the five forces.
        for i in range(count):
            Ni, Di = N[n, i], N1[n, i] * L
            for c in range(3):
                t = 9 * i + c
                for l in range(15):  # noqa: E741
                    T[t, l] = Di * H[c, l]
                    T[t + 3, l] = Ni * H[3 + c, l] + Di * H[9 + c, l]
                    T[t + 6, l] = Ni * H[6 + c, l] + Di * H[12 + c, l]
        for i in range(count):
            Ni, Di = N[n, i], N1[n, i] * L
            for c in range(3):
                row = o + size * (9 * i + c)
                for l in range(size):  # noqa: E741
                    B[row + l] += Di * T[l, c]
                    B[row + 3 * size + l] += Ni * T[l, 3 + c] + Di * T[l, 9 + c]
                    B[row + 6 * size + l] += Ni * T[l, 6 + c] + Di * T[l, 12 + c]
    return True
