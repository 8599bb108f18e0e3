r"""Collocation at the three Radau points: coefficients, and the increments of the positions that belong to velocities.

With :math:`c = ((4 - \sqrt 6)/10, (4 + \sqrt 6)/10, 1)` the method of order 5 is :math:`Z = h A Z'` for the increments
Z of the stages. The inverse of A has one real eigenvalue and a pair of complex ones,
:math:`A^{-1} = X \operatorname{diag}(\gamma, \mu, \bar\mu) X^{-1}`, which divide Newton's equations of a step into one
real and one complex system of the size of a single stage (E. Hairer, G. Wanner, Solving Ordinary Differential Equations
II, 2nd ed. 1996, section IV.8).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.core.jit import kernel
from flexmbs.core.rotations import inverse_tangent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flexmbs.core.contracts import FloatArray

__all__ = [
    "COMPLEX",
    "ESTIMATE",
    "NODES",
    "RADAU",
    "REAL",
    "increments",
    "through",
    "weight",
]

NODES = np.array([(4.0 - math.sqrt(6.0)) / 10.0, (4.0 + math.sqrt(6.0)) / 10.0, 1.0])
"""Times of the stages within a step."""


def _coefficients() -> FloatArray:
    """A of sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1, 2, 3."""
    powers = np.arange(1, 4)
    left = NODES[:, None] ** (powers - 1)
    right = NODES[:, None] ** powers / powers
    return np.ascontiguousarray(np.linalg.solve(left.T, right.T).T)


RADAU: FloatArray = _coefficients()
"""A (3, 3); its last row are the weights of the step: what holds at the last stage holds at its end."""
RADAU_INVERSE: FloatArray = np.ascontiguousarray(np.linalg.inv(RADAU))


def _modes() -> tuple[float, complex, NDArray[np.complex128], NDArray[np.complex128]]:
    """Real and complex eigenvalue of the inverse of A, their right vectors (3, 2), and left ones (2, 3)."""
    values, vectors = np.linalg.eig(RADAU_INVERSE)
    one, two = int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))
    inverse = np.linalg.inv(vectors)
    return float(values[one].real), complex(values[two]), vectors[:, [one, two]], inverse[[one, two]]


REAL, COMPLEX, _right, _left = _modes()
_scale = _right[0, 0]
REAL_LEFT: FloatArray = np.ascontiguousarray((_left[0] * _scale).real)
REAL_RIGHT: FloatArray = np.ascontiguousarray((_right[:, 0] / _scale).real)
COMPLEX_LEFT: NDArray[np.complex128] = _left[1]
COMPLEX_RIGHT: NDArray[np.complex128] = 2.0 * _right[:, 1]


def _estimate() -> FloatArray:
    """Weights e of (ŷ - y)/(h g) = y'(t_n) + e.Z/h: the embedded formula with g y'_n beside the three stages, order 3.

    Its weights b of the stages satisfy g + sum b = 1, sum b c = 1/2, sum b c^2 = 1/3, with g = 1/REAL.
    """
    g = 1.0 / REAL
    b = np.linalg.solve(NODES ** np.arange(3)[:, None], np.array([1.0 - g, 0.5, 1.0 / 3.0]))
    return np.ascontiguousarray((b - RADAU[2]) @ RADAU_INVERSE / g)


ESTIMATE: FloatArray = _estimate()

STAGES: tuple[float, ...] = tuple(NODES.tolist())
FROM_START: tuple[float, ...] = (0.0, *STAGES)
"""Times of the stages, and with the begin of the step. A kernel that took them as arrays would be compiled twice."""


@kernel
def weight(nodes: tuple[float, ...], i: int, s: float) -> float:
    """Weight at s of the value at node i of the polynomial through the values at all nodes."""
    found = 1.0
    for k in range(len(nodes)):
        if k != i:
            found *= (s - nodes[k]) / (nodes[i] - nodes[k])
    return found


def through(nodes: tuple[float, ...], s: float) -> FloatArray:
    """Weights at s of the values at the nodes of the polynomial through them."""
    return np.array([weight(nodes, i, s) for i in range(len(nodes))])


@kernel
def increments(h: float, v: FloatArray, y: FloatArray, n_linear: int, out: FloatArray) -> None:
    """Increments theta (3, n_v) of the stages, theta = h A T^-1(theta) v + y; rotations by iteration from ``out``."""
    n_v = v.shape[1]
    for i in range(3):
        for k in range(n_linear):
            out[i, k] = h * (RADAU[i, 0] * v[0, k] + RADAU[i, 1] * v[1, k] + RADAU[i, 2] * v[2, k]) + y[i, k]
    for b in range((n_v - n_linear) // 6):
        k = n_linear + 6 * b
        for i in range(3):
            for c in range(3):
                m = k + c
                out[i, m] = h * (RADAU[i, 0] * v[0, m] + RADAU[i, 1] * v[1, m] + RADAU[i, 2] * v[2, m]) + y[i, m]
        k += 3
        for _ in range(100):
            x0 = y0 = z0 = x1 = y1 = z1 = x2 = y2 = z2 = 0.0
            for j in range(3):
                t = inverse_tangent(out[j, k], out[j, k + 1], out[j, k + 2])
                a, c0, d = v[j, k], v[j, k + 1], v[j, k + 2]
                p = h * (t[0] * a + t[1] * c0 + t[2] * d)
                q = h * (t[3] * a + t[4] * c0 + t[5] * d)
                r = h * (t[6] * a + t[7] * c0 + t[8] * d)
                x0 += RADAU[0, j] * p
                y0 += RADAU[0, j] * q
                z0 += RADAU[0, j] * r
                x1 += RADAU[1, j] * p
                y1 += RADAU[1, j] * q
                z1 += RADAU[1, j] * r
                x2 += RADAU[2, j] * p
                y2 += RADAU[2, j] * q
                z2 += RADAU[2, j] * r
            change = size = 0.0
            for i in range(3):
                for m in range(3):
                    if i == 0:
                        new = x0 if m == 0 else (y0 if m == 1 else z0)
                    elif i == 1:
                        new = x1 if m == 0 else (y1 if m == 1 else z1)
                    else:
                        new = x2 if m == 0 else (y2 if m == 1 else z2)
                    new += y[i, k + m]
                    change = max(change, abs(new - out[i, k + m]))
                    size = max(size, abs(new))
                    out[i, k + m] = new
            if change <= 4e-16 * size or not size < 4.0:
                break
