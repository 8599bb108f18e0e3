r"""Roots and modes of linear equations of motion with constraints, the lowest by magnitude.

.. math:: M\ddot y + C\dot y + S y + G^T\lambda = 0, \qquad G y = 0

and first-order states among the y, whose velocities are the states. The roots are those of the motions
:math:`e^{st}` on the directions N that the constraints allow, G N = 0. What is known of the matrices chooses the
method, the result is the same:

- symmetric without C: real :math:`\omega^2`, in the inverted form :math:`M\phi = \mu\,(S - \sigma M)\phi` with
  Cholesky factors, which keeps the digits of the lowest modes of stiff structures. :math:`\sigma` is zero where S is
  definite and below the lowest :math:`\omega^2` where it is not;
- not symmetric without C: :math:`\omega^2` of the general pencil, inverted as well; they may be complex (flutter);
- with C or states: the roots of the first-order equations.

Large matrices stay sparse, [S - sigma M, G^T; G, 0] is factorised, and the roots nearest to zero follow by Lanczos' or
Arnoldi's method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eig, eigh
from scipy.sparse import block_array, csc_array, diags_array, eye_array
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs, eigsh, splu

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.dynamics.minimal import DENSE, orthonormal_basis

__all__ = ["DIRECT", "Roots", "SmallMotions", "lowest_roots", "rounding"]

DIRECT = 200
"""Unknowns up to which all roots are computed by LAPACK; up to `DENSE` where constraints have to be projected out."""
GROWING = 1e-6
"""Real part of a root, relative to its size, up to which it counts as round-off."""
ROUNDING = 100.0 * float(np.finfo(float).eps)
"""Share of |x|^T |S| |x|, all terms taken positive, up to which x^T S x is round-off."""
REAL = 1e-10
"""Imaginary part of a root, relative to the largest, up to which it counts as real."""
HIGH = 1e-8
"""omega^2 of the lowest mode relative to that of a mode which counts as high."""
SAME = 1e-9
"""Relative difference of sizes up to which roots are in no order by size."""


class SmallMotions(NamedTuple):
    """Matrices of the equations above: ``M, C, S`` (n, n) and ``G`` (n_c, n) sparse, on n free velocities.

    ``states (n,)``: which of the y are first-order states (their columns of S are zero). ``symmetric``: whether S is
    known to be symmetric. ``compliance (n_c,)`` of multipliers of redundant constraints. ``turning (n, n_z)`` or None:
    what velocity constraints make of positions, dy/dt = N dz/dt + turning z, for the basis ``basis (n, n_z)``.
    """

    M: csc_array
    C: csc_array
    S: csc_array
    G: csc_array
    states: Any
    symmetric: bool
    compliance: FloatArray
    basis: FloatArray | None = None
    turning: FloatArray | None = None

    @property
    def undamped(self) -> bool:
        """Whether nothing depends on velocities, and there are no states: the problem is one in omega^2."""
        return self.turning is None and not self.states.any() and (self.C.nnz == 0 or not np.any(self.C.data))


class Roots(NamedTuple):
    """The lowest roots ``s (m,)``, one of each conjugate pair, and of a real pair +-s the growing one alone.

    ``y, dy (n, m)``: the modes and their rates (of states: the states); of unit modal mass. ``growing (m,)``: real part
    above round-off. ``n_growing``: how many of all that were looked at, ``n`` of them, grow. ``symmetric``: whether of
    a symmetric problem in omega^2.
    """

    s: Any
    y: Any
    dy: Any
    growing: Any
    n_growing: int
    n: int
    symmetric: bool


def lowest_roots(p: SmallMotions, count: int | None, name: str) -> Roots:
    """The ``count`` roots of smallest magnitude (None: 10, or all of a smaller model); ``name`` for messages.

    Raises
    ------
    ModelError
        If more are asked for than there are, or something that moves has no mass.
    ConvergenceError
        If the iteration of a large problem does not converge.
    """
    n, n_c = p.S.shape[0], p.G.shape[0]
    wanted = 10 if count is None else count
    small = n <= (DIRECT if not n_c and p.turning is None and not p.states.any() else DENSE)
    if not small and p.states.any():
        raise ModelError(f"{name}: models with first-order states go up to {DENSE} unknowns; this has {n}.")
    if not small and p.turning is not None:
        raise ModelError(f"{name}: rolling motions go up to {DENSE} unknowns; this has {n}.")
    every = small or wanted > (n - n_c) // 2
    found = _all_roots(p, name) if every else _nearest_roots(p, wanted, name)
    if count is not None and count > len(found.s):
        raise ModelError(
            f"solve_modal: {count} modes of a model with {len(found.s)} for {n} unknowns (one of each conjugate pair); "
            f"ask for fewer."
        )
    order = _by_size(found.s)[:wanted]
    return found._replace(s=found.s[order], y=found.y[:, order], dy=found.dy[:, order], growing=found.growing[order])


def rounding(S: Any, y: Any) -> FloatArray:
    """Round-off (m,) of y^H S y for columns y (n, m)."""
    size = np.abs(y)
    return np.asarray(ROUNDING * np.einsum("ij,ij->j", size, abs(S) @ size))


def _by_size(s: Any) -> Any:
    """Order by magnitude; among equal magnitudes what grows comes first, whatever the last digits are."""
    order = np.argsort(np.abs(s), kind="stable")
    size = np.abs(s[order])
    apart = np.concatenate(([False], np.diff(size) > SAME * np.maximum(size[1:], 1e-300)))
    group = np.cumsum(apart)
    step = SAME * max(float(size.max(initial=0.0)), 1e-300)
    return order[np.lexsort((-np.round(s[order].imag / step), -np.round(s[order].real / step), group))]


def _finished(p: SmallMotions, s: Any, y: Any, dy: Any) -> Roots:
    """Unit modal mass; which grow."""
    mass = np.sqrt(np.abs(np.real(np.einsum("ij,ij->j", y.conj(), p.M @ y))))
    largest = np.maximum(np.abs(dy).max(axis=0, initial=1e-300), 1e-300)
    scale = np.where(mass > 1e-12 * largest, mass, largest)
    y, dy = y / scale, dy / scale
    stiffness = rounding(p.S, y)
    slope = np.abs(np.einsum("ij,ij->j", y.conj(), 2.0 * (p.M @ y) * s + p.C @ y))
    noise = stiffness / np.maximum(slope, np.sqrt(np.maximum(stiffness, 1e-300)))
    if p.turning is None and not p.states.any():
        noise = noise + _distance_to_quotient(p, s, y)
    growing = np.real(s) > GROWING * np.abs(s) + noise
    return Roots(s, y, dy, growing, int(growing.sum()), len(s), p.symmetric and p.undamped)


def _distance_to_quotient(p: SmallMotions, s: Any, y: Any) -> FloatArray:
    """How far roots are from those of s^2 y^H M y + s y^H C y + y^H S y = 0, which exact ones fulfil.

    Double roots at zero are found as pairs +-s of the root of round-off; the quotient knows that they are zero.
    """
    a, b, c = (np.einsum("ij,ij->j", y.conj(), A @ y).astype(complex) for A in (p.M, p.C, p.S))
    a = np.where(np.abs(a) > 0.0, a, 1.0)
    half = np.sqrt(b * b - 4.0 * a * c)
    return np.asarray(np.minimum(np.abs(2.0 * a * s + b - half), np.abs(2.0 * a * s + b + half)) / np.abs(2.0 * a))


# --- by LAPACK -------------------------------------------------------------------------------------------------------


def _all_roots(p: SmallMotions, name: str) -> Roots:
    """All of them, on the directions that the constraints allow."""
    still = np.flatnonzero(~p.states)
    n = len(p.states)
    if p.basis is not None:
        N = p.basis
    elif p.G.shape[0] or p.states.any():
        inner = orthonormal_basis(p.G.toarray()[:, still])
        N = np.zeros((n, inner.shape[1]))
        N[still] = inner
    else:
        N = np.eye(n)
    if not N.shape[1] and not p.states.any():
        raise ModelError(f"{name}: the joints leave nothing that can vibrate.")
    M, S = (N.T @ (A @ N) for A in (p.M, p.S))
    try:
        if p.undamped and p.symmetric:
            values, z = _symmetric_pencil(0.5 * (S + S.T), 0.5 * (M + M.T))
            return _of_squares(p, values, N @ z)
        if p.undamped:
            values, z = _general_pencil(S, M)
            return _of_squares(p, values, N @ z)
        return _first_order(p, N)
    except (LinAlgError, np.linalg.LinAlgError):
        raise ModelError(f"{name}: something that moves has no mass; give it some.") from None


def _symmetric_pencil(K: FloatArray, M: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All omega^2 and vectors of K x = omega^2 M x, M not negative; coordinates without mass follow the others."""
    n = len(K)
    massive = n if _is_positive(M) else int((np.linalg.eigvalsh(M) > 1e-13 * np.abs(M).max()).sum())
    if not massive:
        raise LinAlgError("no mass")
    ratio = np.diag(K)[np.diag(M) > 0.0] / np.diag(M)[np.diag(M) > 0.0]
    scale = float(np.abs(ratio).min()) or float(np.abs(ratio).max()) or 1.0
    sigma = 0.0 if _holds(K, M) else -1e-3 * scale
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
        better = _better_shift(K, M, values, x, sigma)
        if better == sigma:
            return _beside(values, sigma), x
        sigma = better
    raise LinAlgError("no shift makes it definite")


def _better_shift(K: Any, M: Any, values: FloatArray, x: FloatArray, sigma: float) -> float:
    """A shift near the lowest elastic omega^2 where rigid motions make one necessary; it costs no digits there."""
    mass = np.einsum("ij,ij->j", x, M @ x)
    noise = rounding(K, x) / np.where(mass > 0.0, mass, 1.0)
    elastic = values[values > 100.0 * noise]
    if sigma == 0.0 or not len(elastic) or np.any(values < -100.0 * noise):
        return sigma
    best = -0.1 * float(elastic.min())
    return best if abs(sigma) > 10.0 * abs(best) or abs(sigma) < 0.01 * abs(best) else sigma


def _beside(values: FloatArray, sigma: float) -> FloatArray:
    """Values found beside a shift: what is round-off of the shift has no sign, and does not grow."""
    return np.where(np.abs(values) <= ROUNDING * abs(sigma), np.abs(values), values)


def _is_positive(A: FloatArray) -> bool:
    try:
        cho_factor(A)
    except LinAlgError:
        return False
    return True


def _holds(K: FloatArray, M: FloatArray) -> bool:
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
    return float(x @ K @ x) > 10.0 * float(rounding(K, x[:, None])[0])


def _general_pencil(K: FloatArray, M: FloatArray) -> tuple[Any, Any]:
    """All omega^2 and vectors for a K that is not symmetric, from M x = mu (K - sigma M) x."""
    ratio = np.abs(np.diag(K))[np.diag(M) > 0.0] / np.diag(M)[np.diag(M) > 0.0]
    if not len(ratio):
        raise LinAlgError("no mass")
    massive = len(K) if _is_positive(M) else int((np.linalg.eigvalsh(0.5 * (M + M.T)) > 1e-13 * np.abs(M).max()).sum())
    smallest = np.linalg.svd(K / np.abs(K).max(initial=1e-300), compute_uv=False)[-1] if len(K) else 1.0
    sigma = 0.0 if smallest > 1e-13 else -1e-3 * float(ratio.min() or ratio.max() or 1.0)
    mu, x = eig(np.linalg.solve(K - sigma * M, M))
    order = np.argsort(-np.abs(mu), kind="stable")[:massive]
    mu, x = mu[order], x[:, order]
    noise = ROUNDING * len(K) * float(np.abs(mu).max()) / np.abs(mu) ** 2  # of the inverted form: less for low modes
    values = sigma + 1.0 / mu
    values = np.where(np.abs(values) <= noise, np.abs(values), values)
    return _real_where_it_is(values, noise), x


def _real_where_it_is(values: Any, noise: Any = 0.0) -> Any:
    """Imaginary parts that are round-off of double roots set to zero."""
    small = np.abs(values.imag) <= GROWING * np.abs(values) + noise
    return np.where(small, values.real, values)


def _of_squares(p: SmallMotions, values: Any, y: Any) -> Roots:
    """Roots of omega^2: i omega of +-i omega, the growing one of a real pair; of flutter one that grows, one not."""
    values = np.asarray(values, dtype=complex)
    s = 1j * np.sqrt(values)
    still = values.imag == 0.0
    s = np.where(still, np.where(values.real >= 0.0, 1j, 1.0) * np.sqrt(np.abs(values.real)), s)
    # a pair of conjugate squares has the roots s and -conj(s) in the upper half
    s = np.where(~still & (s.imag < 0.0), -s, s)
    if not np.any(np.imag(y)):
        y = np.real(y)
    return _finished(p, s, y, y * s)


def first_order_matrix(p: SmallMotions, N: FloatArray) -> FloatArray:
    """A of d/dt (z, dz/dt, x) = A (z, dz/dt, x)."""
    n, m, n_x = len(p.states), N.shape[1], int(p.states.sum())
    E_s = np.eye(n)[:, p.states]
    V = np.zeros((n, m)) if p.turning is None else p.turning
    whole = np.hstack((N, E_s))
    M = p.M.toarray()
    forces = np.hstack((p.S @ N + p.C @ V, p.C @ N + M @ V, p.C @ E_s))
    rates = -np.linalg.solve(whole.T @ M @ whole, whole.T @ forces)
    return np.vstack((np.hstack((np.zeros((m, m)), np.eye(m), np.zeros((m, n_x)))), rates))


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
    return _finished(p, s[keep], y[:, keep], dy[:, keep])


# --- sparse ----------------------------------------------------------------------------------------------------------


def _nearest_roots(p: SmallMotions, count: int, name: str) -> Roots:
    """The roots nearest to zero of a large problem."""
    try:
        if p.undamped and p.symmetric:
            return _symmetric_sparse(p, count, name)
        if p.undamped:
            return _general_sparse(p, count)
        return _first_order_sparse(p, count)
    except (ArpackError, RuntimeError) as error:
        raise ConvergenceError(f"{name}: the modes were not found: {error}; ask for fewer.") from None


def _scale(p: SmallMotions) -> float:
    """The least K_ii / M_ii that is not zero, which lies far above the lowest omega^2 of what has many elements."""
    ratio = np.abs(p.S.diagonal()) / np.maximum(p.M.diagonal(), 1e-300)
    ratio = ratio[(p.M.diagonal() > 0.0) & (ratio > 0.0)]
    return float(ratio.min()) if len(ratio) else 1.0


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
        sigma = -1e-8 * _scale(p)
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
    found = _of_squares(p, values, y)
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
    scale, sigma = _scale(p), 0.0
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
        better = _better_shift(p.S, p.M, values, y, sigma)
        if better == sigma:
            return sigma, _beside(values, sigma), y
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
    sigma = -1e-8 * _scale(p)
    solve = _inverse(p, sigma)
    inverse = LinearOperator((n, n), matvec=solve, dtype=np.float64)
    start = solve(p.M @ np.random.default_rng(0).standard_normal(n))
    values, y = eigs(p.S, k=count, M=p.M, sigma=sigma, OPinv=inverse, v0=start)
    values = _real_where_it_is(values)
    return _of_squares(p, values, y)._replace(n=n)


def _first_order_sparse(p: SmallMotions, count: int) -> Roots:
    """Roots of the first-order equations by Arnoldi's method."""
    n, n_c = p.S.shape[0], p.G.shape[0]
    one = eye_array(n)
    A = (
        csc_array(block_array([[None, None, one], [-p.S, -p.G.T, -p.C], [p.G, -diags_array(p.compliance), None]]))
        if (n_c)
        else csc_array(block_array([[None, one], [-p.S, -p.C]]))
    )
    B = (
        csc_array(block_array([[one, None, None], [None, None, p.M], [None, csc_array((n_c, n_c)), None]]))
        if (n_c)
        else csc_array(block_array([[one, None], [None, p.M]]))
    )
    sigma = float(np.sqrt(1e-8 * _scale(p)))
    lu = splu(csc_array(A - sigma * B))
    inverse = LinearOperator(A.shape, matvec=lambda x: lu.solve(B @ x), dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(A.shape[0])
    mu, X = eigs(inverse, k=min(2 * count + 2, A.shape[0] - 2), which="LM", v0=inverse @ start)
    s = sigma + 1.0 / mu
    s = np.where(np.abs(s.imag) <= REAL * np.abs(s).max(), s.real, s)
    keep = s.imag >= 0.0
    return _finished(p, s[keep], X[:n, keep], X[n + n_c :, keep])._replace(n=n)
