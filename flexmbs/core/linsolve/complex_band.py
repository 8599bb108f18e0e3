r"""Band LU of a complex matrix without interchanges, in the places of a `StaticBand`; it notices when it needs them.

Real and imaginary parts lie in arrays of their own, each as `StaticBand` keeps a real matrix: entry (i, j) at
j (2 W + 1) + W + i - j. With :math:`|z|_1 = |\Re z| + |\Im z|` every pivot is compared with what was taken from it,

.. math:: |d_j|_1 > \varepsilon \sum_k |l_{jk}|_1\, |u_{kj}|_1, \qquad \varepsilon = 10^{-10},

and where this fails the factorisation is given up. A border is eliminated last, as that of a real matrix.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.linsolve.static_band import LOST
from flexmbs.core.wide_complex import eliminate_complex, substitute_back_complex, substitute_complex

__all__ = ["complex_band_factorise", "complex_band_solve"]


@kernel
def complex_band_factorise(
    re: FloatArray, im: FloatArray, n: int, reach: IntArray, sizes: FloatArray, width: tuple[float, ...],
    edge: FloatArray | None,
) -> int:  # fmt: skip
    """L and U in place with the reciprocals of the pivots; the number of the first bad pivot, or -1.

    ``reach (m,)``: how many columns of the band behind each pivot its row can touch; ``sizes (n + W,)``: scratch;
    ``width`` has W numbers; ``edge``: that of the real matrix, which tells whether there is a border, and its shape.
    """
    W = len(width)
    ld = 2 * W + 1
    m = reach.shape[0]
    sizes[:] = 0.0
    for j in range(m):
        o = j * ld + W
        x, y = re[o], im[o]
        if not abs(x) + abs(y) > LOST * sizes[j]:
            return j
        s = 1.0 / (x * x + y * y)
        x, y = x * s, -y * s
        re[o], im[o] = x, y
        eliminate_complex(re, im, o + 1, x, y, ld - 1, reach[j], sizes, j + 1, width)
        if edge is not None:
            eliminate_in_border(re, im, (m + W + 1) * ld, n - m, m, o, ld - 1, j, reach[j], x, y, sizes)
    if edge is not None:
        return int(corner_factorise(re, im, (m + W + 1) * ld + 2 * m * (n - m), n - m, m, sizes))
    return -1


@kernel
def less_row(re: FloatArray, im: FloatArray, p: int, a: float, b: float, q: int, k: int) -> None:
    """Of the k numbers from place p on those from q on are taken off, times a + i b."""
    for i in range(k):
        c, d = re[q + i], im[q + i]
        re[p + i] -= a * c - b * d
        im[p + i] -= a * d + b * c


@kernel
def scale_row(re: FloatArray, im: FloatArray, p: int, a: float, b: float, k: int) -> None:
    """The k numbers from place p on times a + i b."""
    for i in range(k):
        c, d = re[p + i], im[p + i]
        re[p + i] = a * c - b * d
        im[p + i] = a * d + b * c


@kernel
def eliminate_in_border(
    re: FloatArray, im: FloatArray, edge: int, k: int, m: int, o: int, step: int, j: int, reach: int, x: float,
    y: float, sizes: FloatArray,
) -> None:  # fmt: skip
    """What pivot j of the band, at place o and with the reciprocal x + i y, takes from the border of k unknowns.

    ``edge``: place of its first number, as in `StaticBand`.
    """
    of_column, of_row, corner = edge + j * k, edge + (m + j) * k, edge + 2 * m * k
    scale_row(re, im, of_column, x, y, k)
    for c in range(1, reach + 1):
        less_row(re, im, of_column + c * k, re[o + c * step], im[o + c * step], of_column, k)
        less_row(re, im, of_row + c * k, re[o + c], im[o + c], of_row, k)
    for c in range(k):
        a, b = re[of_row + c], im[of_row + c]
        if a != 0.0 or b != 0.0:
            less_row(re, im, corner + c * k, a, b, of_column, k)
            sizes[m + c] += (abs(a) + abs(b)) * (abs(re[of_column + c]) + abs(im[of_column + c]))


@kernel
def corner_factorise(re: FloatArray, im: FloatArray, corner: int, k: int, m: int, sizes: FloatArray) -> int:
    """L and U of what is left of the border, whose first number is at ``corner``; the first bad pivot, or -1."""
    for j in range(k):
        p = corner + j * (k + 1)
        x, y = re[p], im[p]
        if not abs(x) + abs(y) > LOST * sizes[m + j]:
            return m + j
        s = 1.0 / (x * x + y * y)
        x, y = x * s, -y * s
        re[p], im[p] = x, y
        rest = k - j - 1
        scale_row(re, im, p + 1, x, y, rest)
        for c in range(1, rest + 1):
            u = p + c * k
            a, b = re[u], im[u]
            less_row(re, im, u + 1, a, b, p + 1, rest)
            sizes[m + j + c] += (abs(a) + abs(b)) * (abs(re[p + c]) + abs(im[p + c]))
    return -1


@kernel
def complex_band_solve(
    re: FloatArray, im: FloatArray, n: int, u: FloatArray, v: FloatArray, x: FloatArray, y: FloatArray,
    width: tuple[float, ...], edge: FloatArray | None,
) -> None:  # fmt: skip
    """Solve with the factors of `complex_band_factorise` for x + i y (n,), in place; ``u, v (n + 2 W,)``: scratch."""
    W = len(width)
    ld = 2 * W + 1
    for i in range(W):
        u[i] = v[i] = u[W + n + i] = v[W + n + i] = 0.0
    for i in range(n):
        u[W + i], v[W + i] = x[i], y[i]
    m = n
    if edge is not None:
        m = n - edge.shape[1]
    substitute_complex(u, v, W, re, im, W + 1, ld, m, width)
    if edge is not None:
        border_solve(re, im, (m + W + 1) * ld, n - m, m, u, v, W)
    substitute_back_complex(u, v, W + m - 1, re, im, (m - 1) * ld, ld, m, width)
    for i in range(n):
        x[i], y[i] = u[W + i], v[W + i]


@kernel
def border_solve(
    re: FloatArray, im: FloatArray, edge: int, k: int, m: int, u: FloatArray, v: FloatArray, W: int
) -> None:  # fmt: skip
    """The k unknowns of the border, and what they take from the m rows of the band before, which lie from W on."""
    o, corner = W + m, edge + 2 * m * k
    for j in range(m + k):
        first = 0 if j < m else j - m + 1
        p = edge + j * k if j < m else corner + (j - m) * k
        a, b = u[W + j], v[W + j]
        for i in range(first, k):
            u[o + i] -= a * re[p + i] - b * im[p + i]
            v[o + i] -= a * im[p + i] + b * re[p + i]
    for c in range(k):
        j = k - 1 - c
        p = corner + j * k
        a = u[o + j] * re[p + j] - v[o + j] * im[p + j]
        b = u[o + j] * im[p + j] + v[o + j] * re[p + j]
        u[o + j], v[o + j] = a, b
        for i in range(j):
            u[o + i] -= a * re[p + i] - b * im[p + i]
            v[o + i] -= a * im[p + i] + b * re[p + i]
    for j in range(m):
        p = edge + (m + j) * k
        for i in range(k):
            u[W + j] -= re[p + i] * u[o + i] - im[p + i] * v[o + i]
            v[W + j] -= re[p + i] * v[o + i] + im[p + i] * u[o + i]
