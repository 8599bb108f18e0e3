r"""Solutions of sparse systems with modal damping, :math:`(A + i\omega\,B\,\mathrm{diag}(c)\,B^T)\,u = f`.

With factors of A and :math:`B = M\Phi`, by the Woodbury formula. At the frequency of a mode :math:`A = K - \omega^2 M`
is singular, although the system is not. There dampers are added to A, as many as there are modes near, each at an
unknown in which these move much and as strong as makes it of the size of :math:`\omega^2` in them. They keep A regular
and as sparse as it was, and are taken off again by the same formula. A step of refinement with the system itself
removes what rounding has left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from flexmbs.core.contracts import FloatArray, IntArray

__all__ = ["DampedModes", "solve_modally_damped"]

NEAR = 1e-2
"""Relative distance from the frequency of a mode within which dampers are added; outside, two digits of A are lost."""
UNKNOWN = 1e-6
"""Relative change by refinement above which the system is singular: rounding decides about its solution."""


class DampedModes(NamedTuple):
    """Shapes Phi (n, m) of mass one, angular frequencies (m,), B = M Phi (n, m), c (m,) of B diag(c) B^T."""

    vectors: FloatArray
    omega: FloatArray
    B: FloatArray
    c: FloatArray


def solve_modally_damped(
    A: Any, size: FloatArray, modes: DampedModes, w: float, right: FloatArray, factorise: Callable[[Any], Any]
) -> Any:
    """Amplitudes (n, n_in) at the angular frequency ``w``.

    Parameters
    ----------
    A : sparse matrix (n, n)
        The dynamic stiffness without the modal damping.
    size : (n,) array
        Stiffness at each unknown, by which displacements and rotations are compared.
    modes : DampedModes
    w : float
        Above zero.
    right : (n, n_in) array
    factorise : function of a sparse matrix
        That returns a function which solves with it.

    Raises
    ------
    LinAlgError, RuntimeError
        If the system is singular: a resonance of a mode that is not damped.
    """
    columns, weights = modes.B, 1j * w * modes.c
    near = (np.abs(modes.omega - w) <= NEAR * w) & (modes.c > 0.0)
    base = A
    if near.any():
        at, strength = _dampers(modes.vectors[:, near], size)
        unit = np.zeros((len(size), len(at)))
        unit[at, np.arange(len(at))] = 1.0
        base = A + 1j * w**2 * sparse.csc_matrix((strength, (at, at)), shape=A.shape)
        columns, weights = np.column_stack((columns, unit)), np.concatenate((weights, -1j * w**2 * strength))
    factors = factorise(sparse.csc_matrix(base))
    real = base.dtype.kind != "c"
    X = factors(columns)
    small = np.eye(len(weights)) + weights[:, None] * (columns.T @ X)

    def solved(f: Any) -> Any:
        # (A + U W U^T)^-1 f = u - A^-1 U (1 + W U^T A^-1 U)^-1 W U^T u, without dividing by W
        u = factors(f.real) + 1j * factors(f.imag) if real and f.dtype.kind == "c" else factors(f)
        return u - X @ np.linalg.solve(small, weights[:, None] * (columns.T @ u))

    u = solved(right)
    left = right - A @ u - modes.B @ (1j * w * modes.c[:, None] * (modes.B.T @ u))
    correction = solved(left)
    if np.any(np.abs(correction).max(axis=0) > UNKNOWN * np.abs(u).max(axis=0)):
        raise np.linalg.LinAlgError("singular to working precision")
    return u + correction


def _dampers(vectors: FloatArray, size: FloatArray) -> tuple[IntArray, FloatArray]:
    """As many unknowns as modes, at which no combination of these is at rest, and strengths that are one in a mode."""
    # Those of pivots of the rows, displacements and rotations by the energies of their own stiffness.
    pivots = linalg.qr((np.sqrt(size)[:, None] * vectors).T, mode="r", pivoting=True)[1]
    at = np.asarray(pivots[: vectors.shape[1]], dtype=np.int64)
    return at, np.asarray(1.0 / np.sum(vectors[at] ** 2, axis=1))
