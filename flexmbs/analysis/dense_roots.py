"""All roots of small motions, by LAPACK, on the directions that the constraints allow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eig, eigh

from flexmbs.analysis.small_motions import (
    REAL,
    ROUNDING,
    Roots,
    SmallMotions,
    beside,
    better_shift,
    distance_to_quotient,
    finished,
    of_squares,
    real_where_it_is,
    rounding,
    rounding_of_parts,
    stiffness_by_mass,
)  # fmt: skip
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ModelError
from flexmbs.dynamics.minimal import graded_basis
from flexmbs.results.modal import which_grow

__all__ = ["all_roots"]

HIGH = 1e-8
"""omega^2 of the lowest mode relative to that of a mode which counts as high."""
OTHERS = 10.0
"""Share of other modes in one, in round-off."""
OF_DIFFERENCES, REACHED = 1e-8, 1e-6
"""Round-off of what velocity constraints ask for, by differences; least part of a displacement that no rate reaches."""


def all_roots(p: SmallMotions, name: str) -> Roots:
    """All of them, on the directions that the constraints allow; none where these leave none."""
    still = np.flatnonzero(~p.states)
    n = len(p.states)
    if p.rolling is not None:
        N = p.rolling.N
    else:
        inner = graded_basis(p.G.toarray()[:, still], p.sizes.at(still), p.M.diagonal()[still])
        N = np.zeros((n, inner.shape[1]))
        N[still] = inner
    if not N.shape[1] and not p.states.any() and p.rolling is None:
        return _no_roots(p)
    M, S = (N.T @ (A @ N) for A in (p.M, p.S))
    try:
        if p.undamped and p.symmetric:
            parts = abs(N).T @ (abs(p.S) @ abs(N))
            values, z, _ = _symmetric_pencil(0.5 * (S + S.T), 0.5 * (M + M.T), parts)
            return of_squares(p, values, N @ z)
        if p.undamped:
            values, z = _general_pencil(S, M)
            return of_squares(p, values, N @ z)
        return _free_apart(p, N) if p.symmetric and p.rolling is None and not p.states.any() else _first_order(p, N)
    except (LinAlgError, np.linalg.LinAlgError):
        raise ModelError(f"{name}: something that moves has no mass; give it some.") from None


def _no_roots(p: SmallMotions) -> Roots:
    none = np.zeros((len(p.states), 0))
    return finished(p, np.zeros(0), none, none)


def _symmetric_pencil(K: FloatArray, M: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """All omega^2 and vectors of K x = omega^2 M x, M not negative; coordinates without mass follow the others.

    ``parts``: what has been added up in K, all terms taken positive. Also the shift beside which they were found.
    """
    n = len(K)
    massive = n if _is_positive(M) else int((np.linalg.eigvalsh(M) > 1e-13 * np.abs(M).max()).sum())
    if not massive:
        raise LinAlgError("no mass")
    ratio = np.abs(np.diag(K)[np.diag(M) > 0.0] / np.diag(M)[np.diag(M) > 0.0])
    ratio = ratio[ratio > ROUNDING * ratio.max(initial=0.0)]  # of a free motion it may be round-off
    scale = float(ratio.min(initial=np.inf)) if len(ratio) else 1.0
    sigma = 0.0 if _holds(K, M, parts) else -1e-3 * scale
    for _ in range(80):
        try:
            mu, x = eigh(M, K - sigma * M)
        except LinAlgError:
            sigma = 10.0 * sigma if sigma else -1e-3 * scale
            continue
        mu, x = mu[::-1][:massive], x[:, ::-1][:, :massive]
        high = mu < HIGH * mu[0]  # where the inverted form has lost digits, of the sign even, the quotient has them
        mu = np.where(high, np.einsum("ij,ij->j", x, M @ x) / np.einsum("ij,ij->j", x, (K - sigma * M) @ x), mu)
        values = sigma + 1.0 / mu
        better = better_shift(parts, M, values, x, sigma)
        if better == sigma:
            return beside(values, sigma), x, sigma
        sigma = better
    raise LinAlgError("no shift makes it definite")


def _is_positive(A: FloatArray) -> bool:
    try:
        cho_factor(A)
    except LinAlgError:
        return False
    return True


def _holds(K: FloatArray, M: FloatArray, parts: FloatArray) -> bool:
    """Whether K is positive definite beyond round-off: inverse iteration finds the lowest x^T K x."""
    try:
        factor = cho_factor(K)
    except LinAlgError:
        return False
    x = np.random.default_rng(0).standard_normal(len(K))
    for _ in range(4):
        x = cho_solve(factor, M @ x)
        size = float(np.abs(x).max())
        if not np.isfinite(size) or size == 0.0:
            return False
        x = x / size
    return float(x @ K @ x) > 10.0 * float(rounding_of_parts(parts, M, x[:, None])[0])


def _general_pencil(K: FloatArray, M: FloatArray) -> tuple[Any, Any]:
    """All omega^2 and vectors for a K that is not symmetric, from M x = mu (K - sigma M) x."""
    ratio = np.abs(np.diag(K))[np.diag(M) > 0.0] / np.diag(M)[np.diag(M) > 0.0]
    if not len(ratio):
        raise LinAlgError("no mass")
    massive = len(K) if _is_positive(M) else int((np.linalg.eigvalsh(0.5 * (M + M.T)) > 1e-13 * np.abs(M).max()).sum())
    smallest = np.linalg.svd(K / np.abs(K).max(initial=1e-300), compute_uv=False)[-1] if len(K) else 1.0
    some = ratio[ratio > ROUNDING * ratio.max()]
    sigma = 0.0 if smallest > 1e-13 else -1e-3 * (float(some.min()) if len(some) else 1.0)
    mu, x = eig(np.linalg.solve(K - sigma * M, M))
    order = np.argsort(-np.abs(mu), kind="stable")[:massive]
    mu, x = mu[order], x[:, order]
    noise = ROUNDING * len(K) * float(np.abs(mu).max()) / np.abs(mu) ** 2  # of the inverted form: less for low modes
    values = sigma + 1.0 / mu
    values = np.where(np.abs(values) <= noise, np.abs(values), values)
    return real_where_it_is(values, noise), x


class FirstOrder(NamedTuple):
    """dz/dt = U x, M d/dt (u, x_s) = -F x with x = (z, u, x_s); y = Y x, dy/dt = R x, for states: they themselves.

    ``noise (n_z + n_u + n_x,)``: what is round-off in the rows of U and F.
    """

    U: FloatArray
    M: FloatArray
    F: FloatArray
    Y: FloatArray
    R: FloatArray
    noise: FloatArray

    @property
    def matrix(self) -> FloatArray:
        """A of dx/dt = A x."""
        return np.vstack((self.U, -np.linalg.solve(self.M, self.F)))


class Without(NamedTuple):
    """Equations without directions ``idle (n_z, k)`` of z, orthonormal, on which nothing depends; x = T x' + idle b."""

    left: FirstOrder
    T: FloatArray
    along: FloatArray
    idle: FloatArray

    @classmethod
    def of(cls, e: FirstOrder, idle: FloatArray) -> Without:
        n_z, size = e.U.shape
        others = np.linalg.qr(idle, mode="complete")[0][:, idle.shape[1] :]
        T = np.zeros((size, size - idle.shape[1]))
        T[:n_z, : others.shape[1]] = others
        T[n_z:, others.shape[1] :] = np.eye(size - n_z)
        noise = np.concatenate((np.full(others.shape[1], e.noise[:n_z].max(initial=0.0)), e.noise[n_z:]))
        left = FirstOrder(others.T @ e.U @ T, e.M, e.F @ T, e.Y @ T, e.R @ T, noise)
        return cls(left, T, idle.T @ e.U @ T, idle)

    def back(self, s: Any, X: Any) -> Any:
        """x of motions e^(st) from x'; of those at rest without what they do along ``idle``."""
        moves = s != 0.0
        found = (self.T @ X).astype(complex)
        found[: len(self.idle)] += self.idle @ np.where(moves, self.along @ X / np.where(moves, s, 1.0), 0.0)
        return found


def first_order_equations(p: SmallMotions, N: FloatArray) -> FirstOrder:
    """Of positions z, their rates u = dz/dt, and states; of what rolls, z and u are those of `Rolling`."""
    n, m, n_x = len(p.states), N.shape[1], int(p.states.sum())
    E_s, M = np.eye(n)[:, p.states], p.M.toarray()
    if p.rolling is None:
        Q, V, rates = N, np.zeros((n, m)), np.hstack((np.zeros((m, m)), np.eye(m)))
        unbalanced = np.zeros(n)
    else:
        places = p.rolling.independent
        size, unbalanced = p.sizes.columns[places], p.rolling.unbalanced  # z are counted in their sizes
        Q, V = p.rolling.positions * size, p.rolling.turning * size
        rates = np.hstack((V, N))[places] / size[:, None]
    n_z, whole, none = Q.shape[1], np.hstack((N, E_s)), np.zeros((n, n_x))
    forces = np.hstack((p.S @ Q + p.C @ V, p.C @ N)) + M @ V @ rates
    by_turning = np.abs(whole).T @ (abs(p.C) @ np.abs(V) + np.abs(M) @ np.abs(V) @ np.abs(rates[:, :n_z]))
    by_stiffness = np.abs(whole).T @ (abs(p.S) @ np.abs(Q))
    noise = np.concatenate((
        np.full(n_z, OF_DIFFERENCES * np.abs(rates[:, :n_z]).max(initial=0.0)),
        (OF_DIFFERENCES * by_turning + ROUNDING * by_stiffness).max(axis=1, initial=0.0) + np.abs(whole).T @ unbalanced,
    ))  # fmt: skip
    return FirstOrder(
        np.hstack((rates, np.zeros((n_z, n_x)))), whole.T @ M @ whole, whole.T @ np.hstack((forces, p.C @ E_s)),
        np.hstack((Q, 0.0 * N, none)), np.hstack((V, N, E_s)), noise,
    )  # fmt: skip


def _idle(e: FirstOrder) -> FloatArray:
    """Displacements (n_z, k) that change nothing and that no rate can bring about, orthonormal.

    Where something rolls to does not matter, nor how far something has turned that a rate drives. Each of them adds a
    root at zero, and of one that another one changes the root is not even known to be zero.
    """
    n_z = len(e.U)
    changes = np.vstack((e.U[:, :n_z], e.F[:, :n_z], np.zeros((n_z, n_z))))
    noise = np.concatenate((e.noise, np.ones(n_z)))
    _, size, rows = np.linalg.svd(changes / np.maximum(noise, 1e-300)[:, None], full_matrices=False)
    still = rows[size <= n_z].T
    reached = np.linalg.qr(e.U[:, n_z : n_z + len(e.M)])[0]
    _, share, parts = np.linalg.svd(still - reached @ (reached.T @ still), full_matrices=False)
    return np.asarray(still @ parts[share > REACHED].T)


def _distance_to_inverted(p: SmallMotions, e: FirstOrder, s: Any) -> FloatArray:
    """How far roots are from those of the inverted equations, which keep the digits of the lowest.

    The roots of A have errors of the size of its largest, rigid motions the root of these: light coordinates beside
    heavy ones make zeros of a free body grow, and so slowly that their quotient does not tell.
    """
    A, B = np.vstack((e.U, -e.F)), np.eye(len(e.U) + len(e.M))
    B[len(e.U) :, len(e.U) :] = e.M
    sigma = float(np.sqrt(1e-8 * stiffness_by_mass(p)))
    mu = eig(np.linalg.solve(A - sigma * B, B), right=False)
    inverted = sigma + 1.0 / mu[np.abs(mu) > 0.0]
    return np.asarray(np.abs(s[:, None] - inverted).min(axis=1, initial=np.inf))


def _free_apart(p: SmallMotions, N: FloatArray) -> Roots:
    """Damped motions, with those that neither stiffness nor damping resist taken apart, whose roots are zero.

    The first-order equations would find these as pairs of the root of round-off, and some not as small as the stiffness
    of a slender body makes it.
    """
    M, S, C = (N.T @ (A @ N) for A in (p.M, p.S, p.C))
    parts, damping_parts = (abs(N).T @ (abs(A) @ abs(N)) for A in (p.S, p.C))
    values, z, sigma = _symmetric_pencil(0.5 * (S + S.T), 0.5 * (M + M.T), parts)
    if z.shape[1] < N.shape[1]:  # something has no mass
        return _first_order(p, N)
    z = z / np.sqrt(np.einsum("ij,ij->j", z, M @ z))
    coupling = np.abs(z.T @ C @ z)
    own, sums = np.diag(coupling), np.abs(z).T @ damping_parts @ np.abs(z)
    least = ROUNDING * own.max(initial=0.0)
    coupled = coupling > ROUNDING * (sums + OTHERS * (own[:, None] + own + least))  # modes hold round-off of others
    free = np.abs(values) <= rounding(parts, z) + ROUNDING * abs(sigma)
    free &= own <= ROUNDING * (np.diag(sums) + OTHERS * least)
    np.fill_diagonal(coupled, val=False)
    free &= ~(coupled.any(axis=0) | coupled.any(axis=1))
    if not free.any():
        return _first_order(p, N)
    rest, y = _first_order(p, N @ z[:, ~free]), N @ z[:, free]
    still = finished(p, np.zeros(free.sum()), y, np.zeros_like(y))
    return rest._replace(
        s=np.concatenate((still.s, rest.s)), y=np.hstack((still.y, rest.y)), dy=np.hstack((still.dy, rest.dy)),
        growing=np.concatenate((np.zeros(len(still.s), dtype=bool), rest.growing)), n=rest.n + len(still.s),
    )  # fmt: skip


def _first_order(p: SmallMotions, N: FloatArray) -> Roots:
    """All roots of the first-order equations, one of each conjugate pair."""
    whole = e = first_order_equations(p, N)
    less: list[Without] = []
    while p.rolling is not None and (idle := _idle(e)).shape[1]:
        less.append(Without.of(e, idle))
        e = less[-1].left
    if not e.U.shape[1]:
        return _no_roots(p)
    s, X = eig(e.matrix)
    s = np.where(np.abs(s.imag) <= REAL * np.abs(s).max(initial=0.0), s.real, s)
    keep = s.imag >= 0.0
    for part in reversed(less):
        X = part.back(s, X)
    found = finished(p, s[keep], (whole.Y @ X)[:, keep], (whole.R @ X)[:, keep])
    if not found.n_growing:
        return found
    error = np.maximum(_distance_to_inverted(p, e, found.s), distance_to_quotient(p, found.s, found.y))
    if p.rolling is not None:  # whose quotient is not known
        error = np.maximum(error, ROUNDING * np.abs(s).max())
    growing = found.growing & which_grow(found.s, 2.0 * error)  # what grows is nearer to both than to zero
    return found._replace(growing=growing, n_growing=int(growing.sum()))
