r"""Band LU of a complex matrix without interchanges, in the places of a `StaticBand`; it notices when it needs them.

Real and imaginary parts lie in arrays of their own, each as `StaticBand` keeps a real matrix: entry (i, j) at
j (2 W + 1) + W + i - j. With :math:`|z|_1 = |\Re z| + |\Im z|` every pivot is compared with what was taken from it,

.. math:: |d_j|_1 > \varepsilon \sum_k |l_{jk}|_1\, |u_{kj}|_1, \qquad \varepsilon = 10^{-10},

and where this fails the factorisation is given up. A matrix with a border is not for it.
"""

from __future__ import annotations

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.jit import kernel
from flexmbs.core.linsolve.static_band import LOST
from flexmbs.core.wide_complex import eliminate_complex, substitute_back_complex, substitute_complex

__all__ = ["complex_band_factorise", "complex_band_solve"]


@kernel
def complex_band_factorise(
    re: FloatArray, im: FloatArray, reach: IntArray, sizes: FloatArray, width: tuple[float, ...]
) -> int:  # fmt: skip
    """L and U in place with the reciprocals of the pivots; the number of the first bad pivot, or -1.

    ``reach (n,)``: how many columns behind each pivot its row can touch; ``sizes (n + W,)``: scratch; ``width`` has W
    numbers.
    """
    W = len(width)
    ld = 2 * W + 1
    sizes[:] = 0.0
    for j in range(reach.shape[0]):
        o = j * ld + W
        x, y = re[o], im[o]
        if not abs(x) + abs(y) > LOST * sizes[j]:
            return j
        s = 1.0 / (x * x + y * y)
        x, y = x * s, -y * s
        re[o], im[o] = x, y
        eliminate_complex(re, im, o + 1, x, y, ld - 1, reach[j], sizes, j + 1, width)
    return -1


@kernel
def complex_band_solve(
    re: FloatArray, im: FloatArray, n: int, u: FloatArray, v: FloatArray, x: FloatArray, y: FloatArray,
    width: tuple[float, ...],
) -> None:  # fmt: skip
    """Solve with the factors of `complex_band_factorise` for x + i y (n,), in place; ``u, v (n + 2 W,)``: scratch."""
    W = len(width)
    ld = 2 * W + 1
    for i in range(W):
        u[i] = v[i] = u[W + n + i] = v[W + n + i] = 0.0
    for i in range(n):
        u[W + i], v[W + i] = x[i], y[i]
    substitute_complex(u, v, W, re, im, W + 1, ld, n, width)
    substitute_back_complex(u, v, W + n - 1, re, im, (n - 1) * ld, ld, n, width)
    for i in range(n):
        x[i], y[i] = u[W + i], v[W + i]
