r"""A linear system of first order whose states fall apart into small groups: a propagator of few numbers.

With the eigenvectors of :math:`A`, real and imaginary parts of complex pairs as two columns of T,

.. math:: x = T z, \qquad T^{-1} A\,T = \operatorname{diag}(A_1, A_2, \dots), \qquad
          A_k = \begin{bmatrix} \sigma & \omega \\ -\omega & \sigma \end{bmatrix} \text{ or } [\sigma] .

Rigid motions have no full set of eigenvectors: position and velocity share the eigenvalue zero. So where the
eigenvectors are nearly dependent, slow states are first parted from the others, by an ordered real Schur form and a
Sylvester equation, and stay one block.

Source: C. A. Bavely, G. W. Stewart, An algorithm for computing reducing subspaces by block diagonalization, SIAM
Journal on Numerical Analysis 16 (1979) 359-367.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import linalg

from flexmbs.core.contracts import FloatArray
from flexmbs.reduction.export.linear_system import LinearSystem

__all__ = ["uncoupled"]

FEW = 40
"""States whose full propagator costs no more than the rest of a step; they keep their meaning."""
DEPENDENT = 1e6
"""Condition of T, beyond which the change of states would take more than six digits."""
SLOW = 1e-7
"""Eigenvalues below this part of the largest are slow: half of the digits, which double eigenvalues lose."""


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
    found = _blocks(A)
    if found is None:
        return system
    T, blocks = found
    ends = np.cumsum([len(block) for block in blocks])
    words = []
    for number, block in enumerate(blocks, 1):
        words += [f"entry {i + 1} of group {number}: {_in_words(block)}" for i in range(len(block))]
    assert len(words) == ends[-1]  # noqa: S101  # every state is in a block
    return replace(
        system, A=linalg.block_diag(*blocks), B=linalg.solve(T, system.B), C=system.C @ T, states=tuple(words),
        blocks=tuple(len(block) for block in blocks),
    )  # fmt: skip


def _in_words(block: FloatArray) -> str:
    """What a group of states does."""
    if len(block) == 1:
        return f"decays by {block[0, 0]:.6g} per unit of time"
    if len(block) == 2:
        return f"eigenvalues {block[0, 0]:.6g} +- {abs(block[0, 1]):.6g}i"
    return "slow states"


def _blocks(A: FloatArray) -> tuple[FloatArray, list[FloatArray]] | None:
    """T and the blocks; None where no well-conditioned T was found."""
    T, blocks = _pairs(A)
    if np.linalg.cond(T) <= DEPENDENT:
        return T, blocks
    limit = SLOW * np.abs(linalg.eigvals(A)).max()
    S, Z, slow = linalg.schur(A, output="real", sort=lambda x, y: bool(np.hypot(x, y) <= limit))
    if not 0 < slow < len(A):
        return None
    fast, blocks = _pairs(S[slow:, slow:])
    T = np.eye(len(A))
    T[:slow, slow:] = linalg.solve_sylvester(S[:slow, :slow], -S[slow:, slow:], -S[:slow, slow:]) @ fast
    T[slow:, slow:] = fast
    T = Z @ T
    return (T, [S[:slow, :slow], *blocks]) if np.linalg.cond(T) <= DEPENDENT else None


def _pairs(A: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """Eigenvectors, a column for each real one and two for each pair, and their blocks."""
    values, vectors = linalg.eig(A)
    columns, blocks = [], []
    for value, v in zip(values, vectors.T, strict=True):
        if value.imag > 0.0:
            columns += [v.real, v.imag]
            blocks.append(np.array([[value.real, value.imag], [-value.imag, value.real]]))
        elif value.imag == 0.0:
            columns.append(v.real)
            blocks.append(np.array([[value.real]]))
    return np.stack(columns, axis=1), blocks
