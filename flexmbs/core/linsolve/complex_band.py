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

__all__ = ["complex_band_factorise", "complex_band_solve"]


@kernel
def complex_band_factorise(re: FloatArray, im: FloatArray, W: int, reach: IntArray, sizes: FloatArray) -> int:
    """L and U in place with the reciprocals of the pivots; the number of the first bad pivot, or -1.

    ``W``: half bandwidth of the storage; ``reach (n,)``: how many columns behind each pivot its row can touch;
    ``sizes (n,)``: scratch.
    """
    sizes[:] = 0.0
    step = 2 * W
    for j in range(reach.shape[0]):
        o = j * (2 * W + 1) + W
        x, y = re[o], im[o]
        if not abs(x) + abs(y) > LOST * sizes[j]:
            return j
        s = 1.0 / (x * x + y * y)
        x, y = x * s, -y * s
        re[o], im[o] = x, y
        last = o + reach[j] + 1
        for i in range(o + 1, last):
            a, b = re[i], im[i]
            re[i] = a * x - b * y
            im[i] = a * y + b * x
        for c in range(1, reach[j] + 1):
            p = o + c * step
            a, b = re[p], im[p]
            if a != 0.0 or b != 0.0:
                for i in range(1, reach[j] + 1):
                    re[p + i] -= a * re[o + i] - b * im[o + i]
                    im[p + i] -= a * im[o + i] + b * re[o + i]
                sizes[j + c] += (abs(a) + abs(b)) * (abs(re[o + c]) + abs(im[o + c]))
    return -1


@kernel
def complex_band_solve(
    re: FloatArray, im: FloatArray, W: int, reach: IntArray, x: FloatArray, y: FloatArray
) -> None:  # fmt: skip
    """Solve with the factors of `complex_band_factorise` for the right side x + i y (n,), in place."""
    n = reach.shape[0]
    for j in range(n):
        o = j * (2 * W + 1) + W
        a, b = x[j], y[j]
        for i in range(1, reach[j] + 1):
            x[j + i] -= a * re[o + i] - b * im[o + i]
            y[j + i] -= a * im[o + i] + b * re[o + i]
    for k in range(n):
        j = n - 1 - k
        o = j * (2 * W + 1) + W
        a = x[j] * re[o] - y[j] * im[o]
        b = x[j] * im[o] + y[j] * re[o]
        x[j], y[j] = a, b
        for i in range(max(0, j - W), j):
            x[i] -= a * re[o + i - j] - b * im[o + i - j]
            y[i] -= a * im[o + i - j] + b * re[o + i - j]
