r"""Real parts of the poles of a matrix, without those of round-off.

Whether what does not decay grows is a question of the last digits of real parts: vibrations without damping have none,
and free motions are found as pairs of the root of round-off. An eigenvalue with left and right vectors w and v is in
error by :math:`\epsilon\,|A|\,|w||v| / |w^H v|` at most. For vibrations of structures this is far too much, since
errors of stiffnesses move frequencies and not real parts; what the error is there, shows a second computation with the
operations in another order.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eig, matrix_balance

from flexmbs.core.contracts import FloatArray

__all__ = ["decided_real_parts"]

REST = 10.0
"""Size of a pole, over the largest error it may have, up to which it may be one of a free motion."""
MARGIN = 100.0
"""What real parts are at least, over their estimated error, not to be round-off."""


def decided_real_parts(A: FloatArray) -> FloatArray:
    """Real parts (n,) of the eigenvalues of a matrix, zero where they are round-off."""
    if not len(A):
        return np.zeros(0)
    eps = float(np.finfo(float).eps)
    balanced = matrix_balance(A)[0]
    s, left, right = eig(balanced, left=True)
    condition = 1.0 / np.maximum(np.abs(np.einsum("ij,ij->j", left.conj(), right)), 1e-300)
    most = eps * float(np.abs(balanced).sum(axis=0).max()) * condition
    again = np.linalg.eigvals(balanced.T[::-1, ::-1])
    seen = np.abs(s[:, None] - again).min(axis=1) + eps * np.abs(s)
    noise = MARGIN * np.where(np.abs(s) <= REST * most, most, np.minimum(most, seen))
    return np.asarray(np.where(np.abs(s.real) > noise, s.real, 0.0))
