"""The roots nearest to zero of large sparse problems, by the methods of Lanczos and Arnoldi.

[S - sigma M, G^T; G, 0] is factorised once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import block_array, csc_array, diags_array
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs, eigsh, splu

from flexmbs.analysis.small_motions import (
    REAL,
    Roots,
    SmallMotions,
    beside,
    better_shift,
    finished,
    of_squares,
    real_where_it_is,
    rounding,
    stiffness_by_mass,
)  # fmt: skip
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, SingularError
from flexmbs.core.linsolve.definite import Definite

__all__ = ["nearest_roots"]


def nearest_roots(p: SmallMotions, count: int, name: str, shift: float | None = None) -> Roots:
    """The roots nearest to zero of a large problem; ``shift``: about the size of the lowest, where it is known."""
    try:
        if p.undamped and p.symmetric:
            return _symmetric_sparse(p, count, name)
        if p.undamped:
            return _general_sparse(p, count)
        return _first_order_sparse(p, count, shift)
    except (ArpackError, RuntimeError) as error:
        raise ConvergenceError(f"{name}: the modes were not found: {error}; ask for fewer.") from None


def _bordered(p: SmallMotions, A: Any) -> Any:
    """[A, G^T; G, -compliance]."""
    n_c = p.G.shape[0]
    return csc_array(block_array([[A, p.G.T], [p.G, -diags_array(p.compliance)]])) if n_c else csc_array(A)


def _inverse(p: SmallMotions, sigma: float) -> Callable[[Any], Any]:
    """The solution of (S - sigma M) y + G^T lam = b, G y = 0."""
    n = p.S.shape[0]
    lu = splu(_bordered(p, p.S - sigma * p.M))

    def solve(b: Any) -> Any:
        return lu.solve(np.concatenate((np.ravel(b), np.zeros(p.G.shape[0], dtype=np.asarray(b).dtype))))[:n]

    return solve


def _symmetric_sparse(p: SmallMotions, count: int, name: str) -> Roots:
    """Lanczos' method; with Cholesky factors where nothing is constrained."""
    n = p.S.shape[0]
    p = p._replace(S=csc_array(0.5 * (p.S + p.S.T)))
    if p.G.shape[0]:
        sigma = -1e-8 * stiffness_by_mass(p)
        solve = _inverse(p, sigma)
        values, y = _lanczos(p, count, sigma, solve)
        below = _below(p, sigma, min(4, count), solve)
    else:
        sigma, values, y = _lowest_definite(p, count, name)
        below = np.zeros(0)
        if sigma < 0.0 and np.any(values < -100.0 * _noise(p, y)):  # unstable: what is lowest is not nearest to zero
            below = values
            solve = _inverse(p, 0.0)
            values, y = _lanczos(p, count, 0.0, solve)
    found = of_squares(p, values, y)
    n_growing = max(found.n_growing, int((below < -100.0 * _noise(p, y).max(initial=0.0)).sum()))
    return found._replace(n_growing=n_growing, n=n)


def _below(p: SmallMotions, sigma: float, count: int, solve: Callable[[Any], Any]) -> FloatArray:
    """Some omega^2 below sigma, if there are any, of a problem with constraints.

    There are none where S - sigma M is positive definite with a penalty on the constraints (Finsler's lemma).
    """
    A = p.S - sigma * p.M
    square = float(abs(p.G).max()) ** 2
    for penalty in (1e2, 1e5):
        try:
            Definite(A + (penalty * float(abs(p.S.diagonal()).max()) / square) * (p.G.T @ p.G), "the stiffness")
            return np.zeros(0)
        except SingularError:
            pass
    try:
        values, _ = _lanczos(p, count, sigma, solve, "SA")
    except ArpackNoConvergence as error:
        values = error.eigenvalues
    return np.asarray(values[values < sigma])


def _noise(p: SmallMotions, y: Any) -> FloatArray:
    """Round-off of omega^2 of modes of unit modal mass."""
    return rounding(p.S, y)


def _lowest_definite(p: SmallMotions, count: int, name: str) -> tuple[float, FloatArray, FloatArray]:
    """The lowest omega^2 by a shift below all of them, zero where S is definite."""
    scale, sigma = stiffness_by_mass(p), 0.0
    for _ in range(40):
        try:
            factor = Definite(p.S - sigma * p.M if sigma else p.S, name)
            values, y = _lanczos(p, count, sigma, factor.solve)
        except SingularError:
            sigma = 10.0 * sigma if sigma else -1e-12 * scale
            continue
        noise = _noise(p, y)
        if sigma == 0.0 and np.any(values < 10.0 * noise):
            sigma = -1e-12 * scale
            continue
        better = better_shift(p.S, p.M, values, y, sigma)
        if better == sigma:
            return sigma, beside(values, sigma), y
        sigma = better
    raise ConvergenceError(f"{name}: the stiffness has no shift that makes it definite; are all numbers finite?")


def _lanczos(
    p: SmallMotions, count: int, sigma: float, solve: Callable[[Any], Any], which: str = "LM"
) -> tuple[FloatArray, FloatArray]:
    """omega^2 nearest to sigma, ascending, with vectors of unit modal mass."""
    n = p.S.shape[0]
    inverse = LinearOperator((n, n), matvec=solve, dtype=np.float64)
    start = solve(p.M @ np.random.default_rng(0).standard_normal(n))
    values, y = eigsh(p.S, k=count, M=p.M, sigma=sigma, OPinv=inverse, v0=start, which=which)
    order = np.argsort(values)
    return values[order], y[:, order]


def _general_sparse(p: SmallMotions, count: int) -> Roots:
    """omega^2 by Arnoldi's method."""
    n = p.S.shape[0]
    sigma = -1e-8 * stiffness_by_mass(p)
    solve = _inverse(p, sigma)
    inverse = LinearOperator((n, n), matvec=solve, dtype=np.float64)
    start = solve(p.M @ np.random.default_rng(0).standard_normal(n))
    values, y = eigs(p.S, k=count, M=p.M, sigma=sigma, OPinv=inverse, v0=start)
    values = real_where_it_is(values)
    return of_squares(p, values, y)._replace(n=n)


def _first_order_sparse(p: SmallMotions, count: int, shift: float | None = None) -> Roots:
    """Roots of the first-order equations by Arnoldi's method.

    Motions that are free (a rotor that may turn) are double roots at zero, beside which a small shift loses all other
    roots; so a shift of the size of the lowest root that is not zero follows a first, rough pass.
    """
    sigma = float(np.sqrt(1e-8 * stiffness_by_mass(p))) if shift is None else shift
    for _ in range(3 if shift is None else 1):
        found, failure = _beside(p, count, sigma)
        size = np.abs(found.s)
        elastic = size[size**2 > 100.0 * rounding(p.S, found.y)]
        lowest = float(elastic.min()) if len(elastic) else sigma
        if sigma >= 0.01 * lowest:
            break
        sigma = lowest
    if failure is not None:
        raise failure
    return found


def _beside(p: SmallMotions, count: int, sigma: float) -> tuple[Roots, ArpackNoConvergence | None]:
    """The roots nearest to a real sigma, on positions and velocities that the constraints allow.

    Beside free motions with a small shift Arnoldi's method may end without all of them; the failure comes beside those
    that it has.

    The inverse of the pencil takes (y, u) to (x, y + sigma x) with (sigma^2 M + sigma C + S) x + G^T lam = -(M u + (C +
    sigma M) y), G x = 0, so that motions that are allowed stay so: multipliers are no unknowns, whose infinite roots
    would come back as wrong finite ones.
    """
    n, n_c = p.S.shape[0], p.G.shape[0]
    lu = splu(_bordered(p, sigma**2 * p.M + sigma * p.C + p.S))
    C = csc_array(p.C + sigma * p.M)

    def solve(b: Any) -> Any:
        return lu.solve(np.concatenate((b, np.zeros(n_c, dtype=b.dtype))))[:n]

    def inverse(z: Any) -> Any:  # of y and u / sigma, which are of one size
        y, u = np.ravel(z)[:n], sigma * np.ravel(z)[n:]
        x = -solve(p.M @ u + C @ y)
        return np.concatenate((x, y / sigma + x))

    rng = np.random.default_rng(0)
    start = np.concatenate([solve(p.M @ rng.standard_normal(n)) for _ in range(2)])
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=np.float64)
    wanted, failure = min(2 * count + 2, 2 * n - 2), None
    try:
        mu, X = eigs(operator, k=wanted, which="LM", v0=inverse(inverse(start)))
    except ArpackNoConvergence as error:
        mu, X = error.eigenvalues, error.eigenvectors
        failure = error if len(mu) < wanted else None
    s = sigma + 1.0 / mu
    s = np.where(np.abs(s.imag) <= REAL * np.abs(s).max(), s.real, s)
    keep = s.imag >= 0.0
    return finished(p, s[keep], X[:n, keep], sigma * X[n:, keep])._replace(n=n), failure
