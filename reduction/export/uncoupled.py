r"""A linear system of first order whose states fall apart into small groups: a propagator of few numbers.

With the eigenvectors of :math:`A`, real and imaginary parts of complex pairs as two columns of T,

.. math:: x = T z, \qquad T^{-1} A\,T = \operatorname{diag}(A_1, A_2, \dots), \qquad
          A_k = \begin{bmatrix} \sigma & \omega \\ -\omega & \sigma \end{bmatrix} \text{ or } [\sigma] .

A change of states loses :math:`\epsilon\,\kappa(T)\,\|A\|`, which fast states do not feel and slow ones may: rigid
motions, whose position and velocity share the eigenvalue zero and have no full set of eigenvectors, next to vibrations
of a high frequency. Where eigenvectors leave more than `LOST` of the eigenvalues in A, slow states are parted
from fast ones, each group is treated by itself, on its own scale, and a group without independent eigenvectors stays
one block. With the n slow states first, in a suitable order of the states,

.. math:: \begin{bmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{bmatrix} \begin{bmatrix} 1 & W \\ Y & 1 + Y W
          \end{bmatrix} = \begin{bmatrix} 1 & W \\ Y & 1 + Y W \end{bmatrix} \begin{bmatrix} S & \\ & F \end{bmatrix},
          \qquad S = A_{11} + A_{12} Y, \quad F = A_{22} - Y A_{12},

.. math:: A_{21} + A_{22} Y - Y A_{11} - Y A_{12} Y = 0, \qquad S W - W F + A_{12} = 0 .

An ordered real Schur form gives Y up to :math:`\epsilon\|A\|`; steps of Newton's method, whose residuals are formed in
the states of A, give the rest: S is right to the digits of the slow rows of A, whatever the size of the fast ones.

Source: C. A. Bavely, G. W. Stewart, An algorithm for computing reducing subspaces by block diagonalization, SIAM
Journal on Numerical Analysis 16 (1979) 359-367. G. W. Stewart, Error and perturbation bounds for subspaces associated
with certain eigenvalue problems, SIAM Review 15 (1973) 727-764 (the quadratic equation of Y).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.linear_system import LinearSystem

__all__ = ["uncoupled"]

FEW = 40
"""States whose full propagator costs no more than the rest of a step; they keep their meaning."""
DEPENDENT = 1e6
"""Condition of a change of states, beyond which it would take more than six digits of the fastest ones."""
LOST = 1e-9
"""What eigenvectors may leave in A between two of their states, of the larger of the two eigenvalues."""
INDISTINCT = 1e-7
"""Eigenvalues below this part of the norm of a group are alike: half of the digits, which double eigenvalues lose."""
GAP = 2.0
"""Between the slowest fast eigenvalue and the fastest slow one."""
STEPS = 3
"""Of Newton's method for slow subspaces. It converges quadratically, from round-off."""
CONVERGED = 1e-8
"""Last of these steps, relative; half of the digits, which the next one would double."""


class _Split(NamedTuple):
    """New states ``z = to @ x``, old ones ``x = back @ z``, and the blocks of the new A."""

    back: FloatArray
    to: FloatArray
    blocks: list[FloatArray]


def uncoupled(system: LinearSystem) -> LinearSystem:
    """The system with a matrix A of small blocks, where it has many states; else, or where T is bad, the same system.

    Parameters
    ----------
    system : LinearSystem
        Of first order, balanced.
    """
    A = system.A
    if A is None or len(A) <= FEW:
        return system
    back, to, blocks = _groups(A, len(A) * float(np.finfo(float).eps * linalg.norm(A, 2)))
    if len(blocks) == 1:
        return system
    words = []
    for number, block in enumerate(blocks, 1):
        words += [f"entry {i + 1} of group {number}: {_in_words(block)}" for i in range(len(block))]
    assert len(words) == len(A)  # noqa: S101  # every state is in a block
    return replace(
        system, A=linalg.block_diag(*blocks), B=to @ system.B, C=system.C @ back, states=tuple(words),
        blocks=tuple(len(block) for block in blocks),
    )  # fmt: skip


def _in_words(block: FloatArray) -> str:
    """What a group of states does."""
    if not block.any():
        return "keeps its value without input"
    if len(block) == 1:
        return f"decays by {block[0, 0]:.6g} per unit of time"
    if len(block) == 2 and block[0, 0] == block[1, 1] and block[0, 1] == -block[1, 0]:
        return f"eigenvalues {block[0, 0]:.6g} +- {abs(block[0, 1]):.6g}i"
    return "states that depend on each other"


def _groups(A: FloatArray, noise: float) -> _Split:
    """The states by eigenvectors, or in two parts and each of them again; as they are where neither goes well.

    ``noise`` is the round-off of the whole matrix, below which a part of it is zero.
    """
    n = len(A)
    if np.abs(A).max() <= noise:  # motions that nothing resists
        return _Split(np.eye(n), np.eye(n), [np.zeros((1, 1))] * n)
    found, sizes = _pairs(A)
    if found is not None:
        return found
    parted = _parted(A, sizes)
    if parted is None:
        return _Split(np.eye(n), np.eye(n), [A])
    back, to, (S, F) = parted
    slow, fast = _groups(S, noise), _groups(F, noise)
    return _Split(
        back @ linalg.block_diag(slow.back, fast.back), linalg.block_diag(slow.to, fast.to) @ to,
        slow.blocks + fast.blocks,
    )  # fmt: skip


def _pairs(A: FloatArray) -> tuple[_Split | None, FloatArray]:
    """By eigenvectors, a column for each real one and two for each pair; None where they lose too much.

    Also the sizes of the eigenvalues, ascending.
    """
    values, vectors = linalg.eig(A)
    sizes = np.sort(np.abs(values))
    columns, blocks = [], []
    for value, v in zip(values, vectors.T, strict=True):
        if value.imag > 0.0:
            columns += [v.real, v.imag]
            blocks.append(np.array([[value.real, value.imag], [-value.imag, value.real]]))
        elif value.imag == 0.0:
            columns.append(v.real)
            blocks.append(np.array([[value.real]]))
    T = np.stack(columns, axis=1)
    if np.linalg.cond(T) > DEPENDENT:
        return None, sizes
    found = _Split(T, linalg.inv(T), blocks)
    own = np.concatenate([np.full(len(block), linalg.norm(block[0])) for block in blocks])
    left = found.to @ A @ T - linalg.block_diag(*blocks)
    return (found if (np.abs(left) <= LOST * np.maximum.outer(own, own)).all() else None), sizes


def _parted(A: FloatArray, sizes: FloatArray) -> _Split | None:
    """Slow and fast states apart at the largest gap between the sizes of eigenvalues; None where that goes not well."""
    sizes = np.maximum(sizes, INDISTINCT * linalg.norm(A, 2))
    ratios = sizes[1:] / sizes[:-1]
    if not len(ratios) or ratios.max() < GAP:
        return None
    at = int(np.argmax(ratios))
    limit = float(np.sqrt(sizes[at] * sizes[at + 1]))
    try:
        _, Z, n = linalg.schur(A, output="real", sort=lambda x, y: bool(np.hypot(x, y) <= limit))
    except linalg.LinAlgError:  # sorting moved eigenvalues across the limit
        return None
    if not 0 < n < len(A):
        return None
    # states that slow motions are made of come first, so that Y is small
    order = linalg.qr(Z[:, :n].T, mode="r", pivoting=True)[1]
    A = A[np.ix_(order, order)]
    A11, A12, A21, A22 = A[:n, :n], A[:n, n:], A[n:, :n], A[n:, n:]
    X = Z[order, :n]
    Y = linalg.solve(X[:n].T, X[n:].T).T
    W = np.zeros_like(A12)
    for _ in range(STEPS):
        S, F = A11 + A12 @ Y, A22 - Y @ A12
        step_Y = linalg.solve_sylvester(F, -S, A21 + A22 @ Y - Y @ S)
        Y = Y - step_Y
    S, F = A11 + A12 @ Y, A22 - Y @ A12
    for _ in range(STEPS):
        step_W = linalg.solve_sylvester(S, -F, S @ W - W @ F + A12)
        W = W - step_W
    if not (_is_small(step_Y, Y) and _is_small(step_W, W)):
        return None
    slow, fast = np.eye(n), np.eye(len(A) - n)
    back, to = np.empty_like(A), np.empty_like(A)
    back[order] = np.block([[slow, W], [Y, fast + Y @ W]])
    to[:, order] = np.block([[slow + W @ Y, -W], [-Y, fast]])
    return _Split(back, to, [S, F]) if np.linalg.cond(back) <= DEPENDENT else None


def _is_small(step: FloatArray, whole: FloatArray) -> bool:
    """Whether a last step has nothing more to say."""
    return bool(linalg.norm(step) <= CONVERGED * (1.0 + linalg.norm(whole)))
