r"""What a basis leaves out, and by how much that can change frequencies and transfer functions.

With a shift :math:`\sigma \le 0` the matrix :math:`\bar K = K - \sigma M` is positive definite. The space of all
displacements is the span of the basis T and its :math:`\bar K`-orthogonal complement W. Eliminating the part of the
solution in W is exact and leaves, with :math:`s = \lambda - \sigma`,

.. math:: \bigl[\bar K_r - s M_r - s^2\,\Gamma(s)\bigr] q = 0, \qquad
          \Gamma(s) = L^T (\bar K_W - s M_W)^{-1} L, \quad L = W^T M T .

:math:`\Gamma` is not known, but the first terms of its power series are, from one solution per coordinate:
:math:`X = \bar K^{-1} M T`, projected onto W, gives :math:`E_1 = X^T \bar K X` and :math:`E_2 = X^T M X`. With the
lowest eigenvalue :math:`s_c` of the pencil on W (the *cut-off*), for :math:`0 < s < s_c` in the order of symmetric
matrices,

.. math:: E_1 + s E_2 \;\le\; \Gamma(s) \;\le\; E_1 + \frac{s}{1 - s/s_c} E_2 .

The number of eigenvalues of the full pencil below :math:`s < s_c` is that of negative eigenvalues of the matrix in
brackets (Sylvester's law of inertia). So the k-th eigenvalue of :math:`(\bar K_r - s^2\Gamma_{upper}(s),\, M_r)`, taken
at the reduced eigenvalue :math:`s = s_k`, is a lower bound of the k-th eigenvalue of the full pencil, while the reduced
one is an upper bound. Neither gaps between eigenvalues nor the method of reduction enter.

Source: the elimination is the exact one behind the enhanced Craig-Bampton method of J.-G. Kim, P.-S. Lee, Int. J.
Numer. Meth. Engng 103 (2015) 79-93, who keep :math:`E_1`; the counting is that of W. H. Wittrick, F. W. Williams,
Quart. J. Mech. Appl. Math. 24 (1971) 263-284.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from flexmbs.core.block_lanczos import block_lanczos
from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import SingularError
from flexmbs.core.linsolve.definite import Definite

__all__ = ["Complement", "Receptance", "round_off"]

ComplexArray = NDArray[np.complex128]

DENSE = 200
"""Order up to which the cut-off is found by a dense solution."""

TOLERANCE = 1e-4
"""Residual of the mode at the cut-off, relative to it."""

NOISE = 1e-11
"""What is left of a solution in W relative to all of it, below which W is without mass."""

BLOCK = 64
"""Columns that are solved for at once."""


class Receptance(NamedTuple):
    """At one frequency: ``reduced`` and ``corrected`` receptance (p, p), and the largest 2-norm of the error."""

    reduced: ComplexArray
    corrected: ComplexArray
    bound: float


class Complement:
    r"""The complement of a basis, seen through two moments.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Symmetric, M positive semidefinite.
    T : (n, m) array
        The basis.
    K_r, M_r : (m, m) array
        :math:`T^T K T` and :math:`T^T M T`.
    shift : float
        Not positive, and negative where K is singular [1/time^2].
    ports : (n, p) array, optional
        Directions in which loads act and displacements are read, for transfer functions.
    factor : Definite, optional
        Of K - shift M; made here if not given.

    Raises
    ------
    SingularError
        If K - shift M or the reduced matrices are not positive definite.

    Notes
    -----
    The cut-off comes from Lanczos iteration, lowered by its residual. Round-off is
    not in the bounds (`round_off` estimates it).

    Examples
    --------
    >>> from scipy.sparse import diags, identity
    >>> K = diags([2.0, -1.0, -1.0], [0, 1, -1], shape=(9, 9), format="csc")
    >>> T = np.linalg.eigh(K.toarray())[1][:, :3] + 0.01
    >>> rest = Complement(K, identity(9, format="csc"), T, T.T @ K @ T, T.T @ T, 0.0)
    >>> lowest = rest.lower_bounds(1)[0]
    >>> bool(lowest <= 4 * np.sin(np.pi / 20) ** 2 <= rest.values[0])
    True
    """

    def __init__(
        self,
        K: Any,
        M: Any,
        T: FloatArray,
        K_r: FloatArray,
        M_r: FloatArray,
        shift: float,
        ports: FloatArray | None = None,
        factor: Definite | None = None,
    ) -> None:
        self.shift = shift
        self._K = (K - shift * M).tocsc() if shift else K.tocsc()
        self._M = M
        self._T = T
        self.factor = Definite(self._K, "the stiffness of the part") if factor is None else factor
        B = np.zeros((len(T), 0)) if ports is None else ports
        small = K_r - shift * M_r
        size = 1.0 / np.sqrt(np.maximum(small.diagonal(), np.finfo(float).tiny))
        try:
            self._small = (size, linalg.cho_factor(small * size[:, None] * size))
            values, vectors = linalg.eigh(small, M_r)
        except linalg.LinAlgError:
            raise SingularError(
                "the reduced stiffness and mass are not positive definite to working precision"
            ) from None
        self.values: FloatArray = values + shift
        self.shapes: FloatArray = vectors
        m, p = T.shape[1], B.shape[1]
        self._KT = self._K @ T
        X = np.empty((len(T), m + p))
        for first in range(0, m + p, BLOCK):
            columns = np.arange(first, min(first + BLOCK, m + p))
            loads = np.empty((len(T), len(columns)))
            own = columns < m
            loads[:, own] = M @ (T @ vectors[:, columns[own]])
            loads[:, ~own] = B[:, columns[~own] - m]
            X[:, columns] = self._solve_beside(loads)
        self.E1: FloatArray = _gram(X, self._K @ X)
        self.E2: FloatArray = _gram(X, M @ X)
        self._ports: FloatArray = vectors.T @ (T.T @ B)
        self._root = _root(self.E2)
        self.cut_off: float = self._cut_off()

    def _solve_small(self, b: FloatArray) -> FloatArray:
        size, factor = self._small
        return np.asarray(size[:, None] * linalg.cho_solve(factor, size[:, None] * b))

    def _solve_beside(self, b: FloatArray) -> FloatArray:
        """The inverse of the stiffness on W.

        Loads are freed of their part that acts on T before, since otherwise rigid motions would be large and leave
        their round-off behind.
        """
        x = self.factor.solve(b - self._KT @ self._solve_small(self._T.T @ b))
        return np.asarray(x - self._T @ self._solve_small(self._KT.T @ x))

    def _cut_off(self) -> float:
        """Lowest eigenvalue of the shifted pencil on W, on the safe side; infinite where W has no mass."""
        n, m = self._T.shape
        if m >= n:
            return math.inf

        load = self._M @ np.random.default_rng(0).standard_normal((n, 1))
        inside, everything = self._solve_beside(load), self.factor.solve(load)
        if (inside * (self._M @ inside)).sum() <= NOISE**2 * (everything * (self._M @ everything)).sum():
            return math.inf
        if n <= DENSE:
            A = self._solve_beside(self._M.toarray())
            largest = float(np.abs(linalg.eigvals(A)).max())
        else:
            found, _ = block_lanczos(self._solve_beside, self._M, 1, min(8, n - m), TOLERANCE)
            largest = float(found[0]) * (1.0 + TOLERANCE)
        return 1.0 / largest

    def release(self) -> None:
        """Give the factor and the large arrays back; bounds and receptances need them no more."""
        del self.factor, self._K, self._M, self._T, self._KT

    def lower_bounds(self, count: int) -> FloatArray:
        """Lower bounds (count,) of the lowest eigenvalues of the full pencil; -inf at and beyond the cut-off."""
        return self._eigenvalues(count, self.values - self.shift, lower=True)

    def improved(self, count: int) -> FloatArray:
        """Better upper bounds (count,) of the lowest eigenvalues than the reduced ones; inf beyond the cut-off."""
        return self._eigenvalues(count, self.lower_bounds(count) - self.shift, lower=False)

    def _eigenvalues(self, count: int, at: FloatArray, lower: bool) -> FloatArray:
        m = len(self.values)
        D = self.values - self.shift
        E1, E2 = self.E1[:m, :m], self.E2[:m, :m]
        out = np.full(count, -math.inf if lower else math.inf)
        for k in range(min(count, m)):
            s = float(at[k])
            if not s < self.cut_off:
                continue
            s = max(s, 0.0)
            G = s**2 * (E1 + (s / (1.0 - s / self.cut_off) if lower else s) * E2)
            out[k] = min(_eigenvalue(D, G, k), D[k]) + self.shift
        return out

    def receptance(self, omega: float, loss: float) -> Receptance:
        r"""Receptance of the ports at an angular frequency, with structural damping: stiffness (1 + i loss) K.

        ``corrected`` takes what W contributes by two terms of its series; the bound of the error of ``reduced`` is its
        distance from there and the remainder of the series. Infinite at and beyond the cut-off, and where a resonance
        may lie within what the remainder can shift.
        """
        m = len(self.values)
        kappa = 1.0 / (1.0 + 1j * loss)
        s = omega**2 - self.shift / kappa
        Z = np.asarray(self.values / kappa - omega**2, dtype=complex)
        H_r = (self._ports.T / Z) @ self._ports
        G = kappa * self.E1 + kappa**2 * s * self.E2
        S = np.diag(Z) - s**2 * G[:m, :m]
        load = self._ports + s * G[:m, m:]
        both = np.linalg.solve(S, np.hstack([load, self._root[:, :m].T]))
        q, response = both[:, : load.shape[1]], both[:, load.shape[1] :]
        H = G[m:, m:] + load.T @ q
        room = self.cut_off - (kappa * s).real
        if not room > 0.0:
            return Receptance(H_r, H, math.inf)
        g = abs(kappa) ** 3 * abs(s) ** 2 / room if math.isfinite(room) else 0.0
        felt = self._root[:, m:] + s * (self._root[:, :m] @ q)
        left = 1.0 - g * abs(s) ** 2 * float(np.linalg.norm(self._root[:, :m] @ response))
        bound = math.inf if left <= 0.0 else _norm(H - H_r) + _norm(felt) ** 2 * g / left
        return Receptance(H_r, H, bound)


def round_off(K: Any, T: FloatArray, shapes: FloatArray) -> FloatArray:
    """Round-off (k,) to be expected in eigenvalues of mass-normalised shapes (m, k) of reduced matrices."""
    w = np.abs(T) @ np.abs(shapes)
    return np.asarray(np.finfo(float).eps * np.einsum("ij,ij->j", w, abs(K) @ w))


def _gram(X: FloatArray, Y: FloatArray) -> FloatArray:
    G = X.T @ Y
    return np.asarray(0.5 * (G + G.T))


def _norm(A: Any) -> float:
    return float(np.linalg.norm(A, 2)) if A.size else 0.0


def _root(A: FloatArray) -> FloatArray:
    """R with R^T R = A, positive semidefinite; rows that are round-off are left out."""
    values, vectors = linalg.eigh(A)
    keep = values > 1e-32 * max(float(values[-1]), 0.0) if len(values) else values > 0
    return np.asarray(np.sqrt(values[keep])[:, None] * vectors[:, keep].T)


def _eigenvalue(D: FloatArray, G: FloatArray, k: int) -> float:
    """The k-th eigenvalue of diag(D) - G, D ascending and positive, with small ones accurate beside large ones.

    The matrix itself gives it to round-off of its largest eigenvalue, the inverse to round-off of its smallest one.
    """
    m = len(D)
    if D[k] ** 2 < D[0] * D[-1]:
        size = 1.0 / np.sqrt(D)
        try:
            inverse = linalg.eigh(
                np.diag(1.0 / D),
                np.eye(m) - G * size[:, None] * size,
                eigvals_only=True,
                subset_by_index=[m - 1 - k, m - 1 - k],
            )
            return float(1.0 / inverse[0])
        except linalg.LinAlgError:  # G is not small beside D: digits are not at stake
            pass
    return float(linalg.eigvalsh(np.diag(D) - G, subset_by_index=[k, k])[0])
