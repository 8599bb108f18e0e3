r"""Roots and modes of linear equations of motion with constraints, the lowest by magnitude.

What is known of the matrices (`flexmbs.analysis.small_motions`) chooses the method, the result is the same:

- symmetric without C: real :math:`\omega^2`, in the inverted form :math:`M\phi = \mu\,(S - \sigma M)\phi` with
  Cholesky factors, which keeps the digits of the lowest modes of stiff structures. :math:`\sigma` is zero where S is
  definite and below the lowest :math:`\omega^2` where it is not;
- not symmetric without C: :math:`\omega^2` of the general pencil, inverted as well; they may be complex (flutter);
- with C or states: the roots of the first-order equations. Zeros of free bodies are found as pairs of the root of
  round-off, so that what seems to grow has to agree with the quotient of its mode and with the inverted equations;
  then each free motion is taken once.

Large matrices stay sparse, [S - sigma M, G^T; G, 0] is factorised, and the roots nearest to zero follow by Lanczos' or
Arnoldi's method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.analysis.dense_roots import all_roots
from flexmbs.analysis.small_motions import Roots, SmallMotions, free_motions_once
from flexmbs.analysis.sparse_roots import nearest_roots
from flexmbs.core.errors import ConvergenceError, ModelError
from flexmbs.dynamics.minimal import DENSE

__all__ = ["DIRECT", "lowest_roots"]

DIRECT = 200
"""Unknowns up to which all roots are computed by LAPACK; up to `DENSE` where constraints have to be projected out."""
SAME = 1e-9
"""Relative difference of sizes up to which roots are in no order by size."""


def lowest_roots(p: SmallMotions, count: int | None, name: str) -> Roots:
    """The ``count`` roots of smallest magnitude (None: 10, or all of a smaller model); ``name`` for messages.

    Raises
    ------
    ModelError
        If more are asked for than there are, or something that moves has no mass.
    ConvergenceError
        If the iteration of a problem does not converge that is too large for LAPACK.
    """
    n, n_c = p.S.shape[0], p.G.shape[0]
    wanted = 10 if count is None else count
    small = n <= (DIRECT if not n_c and p.rolling is None and not p.states.any() else DENSE)
    if not small and p.states.any():
        raise ModelError(f"{name}: models with first-order states go up to {DENSE} unknowns; this has {n}.")
    if not small and p.rolling is not None:
        raise ModelError(f"{name}: rolling motions go up to {DENSE} unknowns; this has {n}.")
    every = small or wanted > (n - n_c) // 2
    try:
        found = all_roots(p, name) if every else nearest_roots(p, wanted, name)
    except ConvergenceError:  # as where overdamped motions crowd
        if n > DENSE:
            raise
        found = all_roots(p, name)
    if not len(found.s):  # the constraints hold everything
        return found
    if not found.symmetric and not p.undamped and not p.states.any() and p.rolling is None:
        found = free_motions_once(p, found)
    if count is not None and count > len(found.s):
        raise ModelError(
            f"solve_modal: {count} modes of a model with {len(found.s)} for {n} unknowns (one of each conjugate pair); "
            f"ask for fewer."
        )
    order = _by_size(found.s)[:wanted]
    return found._replace(s=found.s[order], y=found.y[:, order], dy=found.dy[:, order], growing=found.growing[order])


def _by_size(s: Any) -> Any:
    """Order by magnitude; among equal magnitudes what grows comes first, whatever the last digits are."""
    order = np.argsort(np.abs(s), kind="stable")
    size = np.abs(s[order])
    apart = np.concatenate(([False], np.diff(size) > SAME * np.maximum(size[1:], 1e-300)))
    group = np.cumsum(apart)
    step = SAME * max(float(size.max(initial=0.0)), 1e-300)
    return order[np.lexsort((-np.round(s[order].imag / step), -np.round(s[order].real / step), group))]
