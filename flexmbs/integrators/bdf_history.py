r"""What a backward differentiation formula knows of the past, and polynomials through it.

Positions are kept as they are and seen in the chart at the last accepted one, :math:`\theta_j = \log(q_n^{-1} q_j)`;
velocities, in body axes, live in a vector space. The data of a polynomial are the values at :math:`t_n, t_{n-1}, ...`
and, as long as few steps were made, the derivative at the start as the oldest datum (the start counts as two nodes that
coincide). With :math:`\sigma_j = (t_j - t_{n+1})/h` the polynomial through the first m + 1 data has, at the new time,

.. math:: p(0) = \sum_j w_j y_j, \qquad h\,\dot p(0) = \sum_j w'_j y_j,

with weights in closed form (Lagrange's, Hermite's where the start is among them).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel
from flexmbs.core.rotations import inverse_tangent
from flexmbs.integrators.contracts import is_memory_of, mark
from flexmbs.kernels.steps import local

__all__ = ["History", "data_in_chart", "error_constants", "leading", "nodes", "weights"]

SCHEME = "BDF"
POINTS = 6
"""Points kept, the present one included: what the predictor of order five passes through."""


class History(NamedTuple):
    """Past points, newest first: ``t (n,)``, ``q (n, n_q)``, ``v (n, n_v)``; and the scheme's counters.

    ``slope (n_v,)``: acceleration at the oldest point, if that is the start; else empty. ``order``: of the next step;
    ``calm``: steps made since the order changed; ``origin``: time of the start; ``rising``: whether order and step
    still grow from there; ``target``: step wanted, there if steps are fixed, else next.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    slope: FloatArray
    order: int
    calm: int
    origin: float
    rising: bool
    target: float

    @classmethod
    def begin(cls, t: float, n_q: int, a: FloatArray, target: float) -> History:
        """That of a start at t with acceleration ``a``."""
        return cls(np.empty(0), np.empty((0, n_q)), np.empty((0, len(a))), a, 1, 0, t, True, target)

    def pack(self, point: FloatArray) -> FloatArray:
        """One flat array; ``point``: what else the scheme remembers, behind it."""
        head = [
            mark(SCHEME),
            len(self.t),
            len(self.slope) > 0,
            self.order,
            self.calm,
            self.origin,
            self.rising,
            self.target,
        ]
        return np.concatenate((head, self.t, self.q.ravel(), self.v.ravel(), self.slope, point))

    @classmethod
    def unpack(cls, memory: FloatArray, n_q: int, n_v: int) -> tuple[History, FloatArray]:
        """What `pack` took."""
        _, points, sloped, order, calm, origin, rising, target = (float(x) for x in memory[:8])
        n = int(points)
        cuts = np.cumsum([8, n, n * n_q, n * n_v, n_v if sloped else 0])
        t, q, v, slope = (memory[i:j] for i, j in pairwise(cuts))
        points_q, points_v = q.reshape(n, n_q), v.reshape(n, n_v)
        history = cls(t, points_q, points_v, slope, int(order), int(calm), origin, bool(rising), target)
        return history, memory[cuts[-1] :]

    @staticmethod
    def is_in(memory: FloatArray) -> bool:
        """Whether a memory is one that `pack` made, not that of another scheme."""
        return is_memory_of(SCHEME, memory)

    def after(
        self, t: float, q: FloatArray, v: FloatArray, order: int, calm: int, rising: bool, target: float
    ) -> History:
        """The history at the end of a step from (t, q, v)."""
        keep = min(len(self.t), POINTS - 2)
        full = len(self.t) + 2 > POINTS
        return History(
            np.concatenate(([t], self.t[:keep])), np.vstack((q, self.q[:keep])), np.vstack((v, self.v[:keep])),
            np.empty(0) if full else self.slope, order, calm, self.origin, rising, target,
        )  # fmt: skip


def nodes(history: History, t: float, h: float) -> FloatArray:
    """sigma of all data for a step of size h from t; the start's derivative repeats its node."""
    times = np.concatenate(([t], history.t))
    if len(history.slope):
        times = np.concatenate((times, times[-1:]))
    return (times - t) / h - 1.0


def data_in_chart(
    history: History, q: FloatArray, v: FloatArray, h: float, n_linear: int
) -> tuple[FloatArray, FloatArray]:
    """The data of positions in the chart at q, and those of velocities; derivatives times h."""
    n = len(history.t)
    m = n + 1 + (len(history.slope) > 0)
    theta, vel = np.zeros((m, len(v))), np.empty((m, len(v)))
    vel[0] = v
    vel[1 : n + 1] = history.v
    for j in range(n):
        local(q, np.ascontiguousarray(history.q[j]), n_linear, theta[j + 1])
    if m > n + 1:
        chart_rate(theta[n], vel[n], h, n_linear, theta[n + 1])
        vel[n + 1] = h * history.slope
    return theta, vel


@kernel
def chart_rate(theta: FloatArray, v: FloatArray, h: float, n_linear: int, out: FloatArray) -> None:
    """out = h T^-1(theta) v, of rotations; h v elsewhere."""
    for i in range(v.shape[0]):
        out[i] = h * v[i]
    for b in range((v.shape[0] - n_linear) // 6):
        k = n_linear + 6 * b + 3
        a = inverse_tangent(theta[k], theta[k + 1], theta[k + 2])
        x, y, z = h * v[k], h * v[k + 1], h * v[k + 2]
        out[k] = a[0] * x + a[1] * y + a[2] * z
        out[k + 1] = a[3] * x + a[4] * y + a[5] * z
        out[k + 2] = a[6] * x + a[7] * y + a[8] * z


@kernel
def weights(s: FloatArray, double: bool, at: float, W: FloatArray, D: FloatArray) -> None:
    """Rows m of W, D (n, n): weights of value and derivative at ``at`` of the polynomial through the first m + 1 nodes.

    ``double``: the last two of ``s`` coincide and the last datum is a derivative.
    """
    n = s.shape[0]
    for m in range(n):
        hermite = double and m == n - 1 and n > 1
        count = m if hermite else m + 1  # distinct nodes
        e = s[m]
        for j in range(m + 1):
            W[m, j] = 0.0
            D[m, j] = 0.0
        for j in range(count):
            w, d = 1.0, 0.0
            for i in range(count):
                if i != j:
                    f = 1.0 / (s[j] - s[i])
                    d = (d * (at - s[i]) + w) * f
                    w *= (at - s[i]) * f
            if hermite:
                if j < count - 1:  # a further zero at the double node
                    f = 1.0 / (s[j] - e)
                    d = (d * (at - e) + w) * f
                    w *= (at - e) * f
                else:
                    c = 0.0
                    for i in range(count - 1):
                        c += 1.0 / (e - s[i])
                    W[m, count] = (at - e) * w
                    D[m, count] = w + (at - e) * d
                    d = d * (1.0 - (at - e) * c) - w * c
                    w *= 1.0 - (at - e) * c
            W[m, j] = w
            D[m, j] = d


def leading(s: FloatArray, order: int) -> float:
    """h alpha of the formula of an order: the sum of 1/(t_{n+1} - t_j) over its data, times h."""
    return float(np.sum(-1.0 / s[:order]))


def error_constants(s: FloatArray) -> FloatArray:
    """c_m, m = 1...: the local error of order m is c_m times the error of the polynomial of degree m at the new time.

    With the divided difference d of order m + 1, that is d times the product over m + 1 nodes of the distances to the
    new time, and that of the formula d times the product over m nodes over alpha.
    """
    return np.array([np.nan] + [-1.0 / (leading(s, m) * s[m]) for m in range(1, len(s))])
