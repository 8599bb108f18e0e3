r"""Low-rank Gramian of a damped structure by alternating directions (ADI).

For :math:`M\ddot u + D\dot u + K u = B f` with impulse response h (:math:`M h` starting at the identity),

.. math:: P = \int_0^\infty \begin{bmatrix} h B \\ \dot h B \end{bmatrix}
              \begin{bmatrix} h B \\ \dot h B \end{bmatrix}^T dt \approx Z Z^T,
          \qquad A P E^T + E P A^T = -\begin{bmatrix} 0 \\ B \end{bmatrix} \begin{bmatrix} 0 \\ B \end{bmatrix}^T,
          \qquad E = \begin{bmatrix} 1 & \\ & M \end{bmatrix}, \quad
                 A = \begin{bmatrix} & 1 \\ -K & -D \end{bmatrix}.

One step with a shift p, Re p < 0, solves :math:`(p^2 M - p D + K)\,v = (p M - D) w_1 - w_2` for the residual factor
:math:`W = [w_1; w_2]`. Shifts are eigenvalues of modes: lightly damped modes each need their
own pair, so the work grows with the number of modes that matter. Every step costs a complex factorisation, by
SuperLU, which is not kept: one of a large solid fills the memory.

Source: P. Benner, P. Kürschner, J. Saak, Efficient handling of complex shift parameters in the low-rank Cholesky factor
ADI method, Numerical Algorithms 62 (2013) 225-251; P. Benner, J. Saak, Efficient balancing-based MOR for large-scale
second-order systems, Math. Comput. Model. Dyn. Syst. 17 (2011) 123-143.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray
from flexmbs.core.errors import ConvergenceError, SingularError

__all__ = ["LowRankGramian", "gramian", "modal_shifts"]

WIDE = 400
"""Columns of a factor above which it is compressed."""

ROUND_OFF = 1e-16
"""Energy of a column relative to the largest."""

STILL = 3
"""Steps in a row that must add next to nothing."""


class LowRankGramian(NamedTuple):
    """``positions (n, k)`` and ``velocities (n, k)``: the factor Z; its ``steps``; the part that the last ``added``."""

    positions: FloatArray
    velocities: FloatArray
    steps: int
    added: float


def gramian(
    K: Any,
    M: Any,
    D: Any,
    B: FloatArray,
    shifts: FloatArray,
    tolerance: float = 1e-10,
    max_columns: int = 200,
    each: Callable[[int], None] | None = None,
) -> LowRankGramian:
    r"""Factor Z of the Gramian.

    Parameters
    ----------
    K, M, D : sparse matrices (n, n)
        Symmetric; all motions that B excites damped.
    B : (n, m) array
        Inputs.
    shifts : (k,) complex array
        With negative real parts, one of each conjugate pair; used in turn, again and again.
    tolerance : float
        The iteration ends when three steps in a row add less than this part of the energy :math:`\mathrm{tr}(Z_p^T M
        Z_p)`.
    max_columns : int
        Steps at most.
    each : callable, optional
        Called before every step with its number.

    Raises
    ------
    ConvergenceError
        If that is not enough.
    SingularError
        If an operator is singular at a shift.
    """
    W1, W2 = np.zeros(B.shape), B.copy()
    Zp, Zv = np.zeros((len(B), 0)), np.zeros((len(B), 0))
    energy, still, added = 0.0, 0, np.inf
    for step in range(max_columns):
        if each is not None:
            each(step)
        p = complex(shifts[step % len(shifts)])
        real = p.imag == 0.0
        right = p.real * (M @ W1) - D @ W1 - W2 + (0.0 if real else 1j * p.imag * (M @ W1))
        V1 = _factor(K, M, D, p).solve(np.asfortranarray(right.astype(complex)))
        V2 = W1 - p * V1
        if real:
            blocks: tuple[Any, ...] = ((np.sqrt(-2.0 * p.real), V1.real, V2.real),)
            carried = (-2.0 * p.real, V1.real, V2.real)
        else:
            d = p.real / p.imag
            a = 2.0 * np.sqrt(-p.real)
            sum1, sum2 = V1.real + d * V1.imag, V2.real + d * V2.imag
            blocks = ((a, sum1, sum2), (a * np.sqrt(d * d + 1.0), V1.imag, V2.imag))
            carried = (-4.0 * p.real, sum1, sum2)
        positions = np.hstack([scale * z1 for scale, z1, _ in blocks])
        new = float(np.einsum("ij,ij->", positions, M @ positions))
        Zp, Zv = np.hstack([Zp, positions]), np.hstack([Zv, *(scale * z2 for scale, _, z2 in blocks)])
        if Zp.shape[1] > WIDE:
            Zp, Zv = _compressed(M, Zp, Zv)
        W1 = W1 + carried[0] * carried[1]
        W2 = W2 + carried[0] * (M @ carried[2])
        energy += new
        added = new / energy if energy > 0.0 else 0.0
        still = still + 1 if added < tolerance else 0
        if still == STILL:
            return LowRankGramian(*_compressed(M, Zp, Zv), step + 1, added)
    raise ConvergenceError(
        f"gramian: {max_columns} steps were not enough; the last one added {added:.1e} of the energy. Ask for a "
        f"coarser tolerance, or for more shifts."
    )


def _compressed(M: Any, Zp: FloatArray, Zv: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same Gramian in fewer columns, those that hold less than round-off left out."""
    positions, velocities = Zp.T @ (M @ Zp), Zv.T @ (M @ Zv)
    scale = np.trace(velocities) / np.trace(positions)  # a squared frequency, so that both count
    energy = scale * positions + velocities
    values, U = linalg.eigh(0.5 * (energy + energy.T))
    U = U[:, values > ROUND_OFF * values[-1]]
    return Zp @ U, Zv @ U


def _factor(K: Any, M: Any, D: Any, p: complex) -> Any:
    """Complex symmetric factor at a shift."""
    A = sparse.csc_matrix(K + p**2 * M - p * D, dtype=complex)
    try:
        return splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.01, options={"SymmetricMode": True})
    except RuntimeError:
        raise SingularError(f"gramian: the structure is singular at the shift {p:.6g}") from None


def modal_shifts(squares: FloatArray, damping: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Eigenvalues of modes, one of each pair, those of the largest energy first.

    Parameters
    ----------
    squares, damping, weights : (k,) arrays
        Squared frequencies, :math:`\phi^T D \phi`, and squares of what excites the modes.

    Examples
    --------
    >>> modal_shifts(np.array([4.0, 1.0]), np.array([0.2, 0.2]), np.array([1.0, 1.0])).round(3).tolist()
    [(-0.1+0.995j), (-0.1+1.997j)]
    """
    found: list[complex] = []
    for j in np.argsort(-weights / (damping * squares), kind="stable"):
        half = 0.5 * damping[j]
        root = np.sqrt(complex(half**2 - squares[j]))
        found += [-half + root] if root.imag else [-half - root, -squares[j] / (half + root)]
    return np.array(found)
