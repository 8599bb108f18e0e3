"""Following driven positions in time: a predictor from velocity and acceleration, Newton's method, steps that adapt."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, hstack
from scipy.sparse.linalg import SuperLU, splu

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.kinematics.position_equations import MET, PositionEquations

__all__ = ["Followed", "Follower", "renewed", "sign_of_determinant"]

MOST = 8
"""Iterations of one step."""
FAR = 0.5
"""Largest increment predicted in a step: rad, or lengths of the model."""
TRUST, SURE = 0.25, 0.02
"""What Newton's method may correct of a prediction: a share of it, and this [rad, or lengths of the model]; more could
lead to another branch."""
NEAR = 300.0
"""Growth of the inverse of the matrix by which a position counts as nearly singular: its accelerations, which lose
three times as many digits, are not used."""
SMALLEST = 1e-10
"""Smallest step, relative to the time asked for."""


class Followed(NamedTuple):
    """A position with its velocity and acceleration.

    ``sign`` of the determinant of [G V], with V that is continued in between; ``iterations`` it took; ``apart`` (m,):
    by how much equations contradict each other; ``near``: whether the position is nearly singular.
    """

    t: float
    q: FloatArray
    v: FloatArray
    a: FloatArray
    sign: float
    iterations: int
    apart: FloatArray
    V: FloatArray
    near: bool


class Follower:
    """Positions of one model whose equations leave no freedom; ``V`` is their border at the start."""

    def __init__(self, equations: PositionEquations, V: FloatArray, h: float, span: float) -> None:
        self.equations, self.V, self.h, self.span = equations, V, h, span
        self.factorisations = self.rejected = 0
        self._probe = np.random.default_rng(0).standard_normal(equations.m)
        self._usual = np.inf

    def start(self, t: float, q: FloatArray) -> Followed | None:
        """The state at a position that is met already; None where G is singular."""
        return self._reach(t, q, self.V, np.inf)

    def advance(self, now: Followed, until: float) -> tuple[Followed, list[Followed]]:
        """The state at ``until`` and all on the way; the last is before ``until`` where steps became too small.

        Only that at ``until`` may be nearly singular.
        """
        way = []
        while now.t < until:
            h = min(self.h, until - now.t)
            found = self._step(now, h, until)
            if found is None or (found.near and found.t < until):
                self.rejected += 1
                self.h = (0.5 if found is None else 0.7) * h
                if self.h < SMALLEST * self.span:
                    break
                continue
            self.equations.accept(found.q)
            self.h = max(self.h, 2.0 * h) if found.iterations <= 3 else max(self.h, h)
            now = found
            way.append(now)
        return now, way

    def _step(self, now: Followed, h: float, until: float) -> Followed | None:
        eq = self.equations
        free = eq.E.T @ now.v, eq.E.T @ now.a
        d = h * free[0] + 0.5 * h * h * free[1]
        far = float(np.abs(d / eq.size).max(initial=0.0))
        if not far <= FAR:
            return None
        t = until if now.t + h >= until - 1e-6 * h else now.t + h
        return self._reach(t, eq.moved(now.q, d), now.V, TRUST * far + SURE)

    def _reach(self, t: float, q: FloatArray, V: FloatArray, trust: float) -> Followed | None:
        """Newton's method at time t from a prediction, corrected by ``trust`` at most."""
        eq = self.equations
        corrected, slack = np.zeros(eq.n), np.zeros(eq.m - eq.n)
        before = np.inf
        for iteration in range(MOST):
            values = eq.at(q, t)
            gap = values.g + V @ slack
            lu = self._factors(values.G, V)
            if lu is None or not np.isfinite(gap).all():
                return None
            d = lu.solve(-gap)
            size = float(np.abs(d[: eq.n] / eq.size).max())
            if eq.gap(gap) <= MET and (size <= 1e-11 or size > 0.5 * before):
                v = np.asarray(eq.E @ lu.solve(-values.g_t)[: eq.n])
                a = np.asarray(eq.E @ lu.solve(-eq.dyn.gamma(q, v))[: eq.n])
                inverse = float(np.abs(lu.solve(self._probe)[: eq.n] / eq.size).max())
                self._usual = min(self._usual, inverse)
                near = inverse > NEAR * self._usual
                return Followed(t, q, v, a, sign_of_determinant(lu), iteration, V @ slack, renewed(lu, V), near)
            corrected += d[: eq.n]
            slack = slack + d[eq.n :]
            if not np.abs(corrected / eq.size).max() <= trust or (iteration > 1 and size > 0.5 * before):
                return None
            q, before = eq.moved(q, d[: eq.n]), size
        return None

    def _factors(self, G: csc_array, V: FloatArray) -> SuperLU | None:
        self.factorisations += 1
        try:
            return splu(csc_array(hstack((G, csc_array(V)))) if V.shape[1] else G)
        except RuntimeError:  # exactly singular
            return None


def renewed(lu: SuperLU, V: FloatArray) -> FloatArray:
    """The orthonormal border of the matrix [A V] that was factorised, V^T A = 0, turned as little as possible."""
    if not V.shape[1]:
        return V
    right = np.zeros((len(V), V.shape[1]))
    right[len(V) - V.shape[1] :] = np.eye(V.shape[1])
    y = lu.solve(right, trans="T")
    U, _, W = np.linalg.svd(y, full_matrices=False)
    return np.ascontiguousarray(U @ W)


def sign_of_determinant(lu: SuperLU) -> float:
    """Sign of the determinant of a factorised matrix: +1, -1, or 0."""
    parity = _parity(lu.perm_r) * _parity(lu.perm_c)
    return float(parity * np.prod(np.sign(lu.U.diagonal())))


def _parity(order: IntArray) -> int:
    """+1 for an even permutation, -1 for an odd one."""
    seen = np.zeros(len(order), dtype=bool)
    cycles = 0
    for i in range(len(order)):
        if not seen[i]:
            cycles += 1
            while not seen[i]:
                seen[i] = True
                i = int(order[i])
    return 1 if (len(order) - cycles) % 2 == 0 else -1
