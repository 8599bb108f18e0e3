"""All roots of small motions, by LAPACK, on the directions that the constraints allow."""

from __future__ import annotations

from typing import Any

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


def all_roots(p: SmallMotions, name: str) -> Roots:
    """All of them, on the directions that the constraints allow; none where these leave none."""
    still = np.flatnonzero(~p.states)
    n = len(p.states)
    if p.basis is not None:
        N = p.basis
    else:
        inner = graded_basis(p.G.toarray()[:, still], p.sizes.at(still), p.M.diagonal()[still])
        N = np.zeros((n, inner.shape[1]))
        N[still] = inner
    if not N.shape[1] and not p.states.any():
        none = np.zeros((n, 0))
        return finished(p, np.zeros(0), none, none)
    M, S = (N.T @ (A @ N) for A in (p.M, p.S))
    try:
        if p.undamped and p.symmetric:
            parts = abs(N).T @ (abs(p.S) @ abs(N))
            values, z = _symmetric_pencil(0.5 * (S + S.T), 0.5 * (M + M.T), parts)
            return of_squares(p, values, N @ z)
        if p.undamped:
            values, z = _general_pencil(S, M)
            return of_squares(p, values, N @ z)
        return _first_order(p, N)
    except (LinAlgError, np.linalg.LinAlgError):
        raise ModelError(f"{name}: something that moves has no mass; give it some.") from None


def _symmetric_pencil(K: FloatArray, M: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All omega^2 and vectors of K x = omega^2 M x, M not negative; coordinates without mass follow the others.

    ``parts``: what has been added up in K, all terms taken positive.
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
            return beside(values, sigma), x
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


def first_order_equations(p: SmallMotions, N: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(I, 0, 0), M and F of d/dt z = (0, I, 0) x, M d/dt (dz/dt, x_s) = -F x, with x = (z, dz/dt, x_s)."""
    n, m, n_x = len(p.states), N.shape[1], int(p.states.sum())
    E_s = np.eye(n)[:, p.states]
    V = np.zeros((n, m)) if p.turning is None else p.turning
    whole = np.hstack((N, E_s))
    M = p.M.toarray()
    forces = np.hstack((p.S @ N + p.C @ V, p.C @ N + M @ V, p.C @ E_s))
    return np.hstack((np.zeros((m, m)), np.eye(m), np.zeros((m, n_x)))), whole.T @ M @ whole, whole.T @ forces


def first_order_matrix(p: SmallMotions, N: FloatArray) -> FloatArray:
    """A of d/dt (z, dz/dt, x) = A (z, dz/dt, x)."""
    upper, M, F = first_order_equations(p, N)
    return np.vstack((upper, -np.linalg.solve(M, F)))


def _distance_to_inverted(p: SmallMotions, N: FloatArray, s: Any) -> FloatArray:
    """How far roots are from those of the inverted equations, which keep the digits of the lowest.

    The roots of A have errors of the size of its largest, rigid motions the root of these: light coordinates beside
    heavy ones make zeros of a free body grow, and so slowly that their quotient does not tell.
    """
    upper, M, F = first_order_equations(p, N)
    A, B = np.vstack((upper, -F)), np.eye(len(upper) + len(M))
    B[len(upper) :, len(upper) :] = M
    sigma = float(np.sqrt(1e-8 * stiffness_by_mass(p)))
    mu = eig(np.linalg.solve(A - sigma * B, B), right=False)
    inverted = sigma + 1.0 / mu[np.abs(mu) > 0.0]
    return np.asarray(np.abs(s[:, None] - inverted).min(axis=1, initial=np.inf))


def _first_order(p: SmallMotions, N: FloatArray) -> Roots:
    """All roots of the first-order equations, one of each conjugate pair."""
    m = N.shape[1]
    s, X = eig(first_order_matrix(p, N))
    s = np.where(np.abs(s.imag) <= REAL * np.abs(s).max(initial=0.0), s.real, s)
    keep = s.imag >= 0.0
    E_s = np.eye(len(p.states))[:, p.states]
    y, dy = N @ X[:m], N @ X[m : 2 * m] + E_s @ X[2 * m :]
    if p.turning is not None:
        dy = dy + p.turning @ X[:m]
    found = finished(p, s[keep], y[:, keep], dy[:, keep])
    if not found.n_growing:
        return found
    error = np.maximum(_distance_to_inverted(p, N, found.s), distance_to_quotient(p, found.s, found.y))
    growing = found.growing & which_grow(found.s, 2.0 * error)  # what grows is nearer to both than to zero
    return found._replace(growing=growing, n_growing=int(growing.sum()))
