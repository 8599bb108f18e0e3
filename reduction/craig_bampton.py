r"""Craig-Bampton: constraint modes of the interface and modes of the part with its interface held.

With interface unknowns b and interior ones i,

.. math:: u_i = \Psi q_b + \Phi\,\eta, \qquad \Psi = -K_{ii}^{-1} K_{ib}, \qquad
          K_{ii}\Phi = M_{ii}\Phi\,\Omega^2, \quad \Phi^T M_{ii}\Phi = 1 .

Static solutions for loads and displacements of the interface are exact, and frequencies converge from above. Without
modes this is Guyan's static condensation. One Cholesky factorisation of :math:`K_{ii}` serves both parts.

Source: R. R. Craig, M. C. C. Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313-1319;
R. J. Guyan, Reduction of stiffness and mass matrices, AIAA Journal 3 (1965) 380.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from flexmbs.core.checks import as_count, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.reduction.basis import Basis

__all__ = ["as_boundary", "craig_bampton", "guyan"]

Report = Callable[[float, str], None]


def guyan(K: Any, boundary: IntArray, labels: Any = None, progress: Report | None = None) -> Basis:
    """Static condensation onto the interface: a `Basis` of constraint modes.

    Parameters
    ----------
    K : sparse matrix (n, n)
        Stiffness.
    boundary : (n_b,) array of int
        Numbers of the unknowns of the interface.
    labels : sequence of str, optional
        Names of the interface coordinates.
    progress : callable, optional
        Called with the fraction done and a text.

    Raises
    ------
    ModelError, SingularError
        As `craig_bampton`.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> guyan(chain, [0, 2]).vectors.tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    return craig_bampton(K, None, boundary, 0, labels, progress)


def craig_bampton(
    K: Any,
    M: Any,
    boundary: IntArray,
    modes: int = 20,
    labels: Any = None,
    progress: Report | None = None,
    constraint_modes: FloatArray | None = None,
) -> Basis:
    """Constraint modes of the interface and ``modes`` fixed-interface modes.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Stiffness and mass, symmetric; the interface must hold the part.
    boundary : (n_b,) array of int
        Numbers of the unknowns of the interface.
    modes : int or ModeSelection
        How many fixed-interface modes, or which (`flexmbs.reduction.selection`).
    labels : sequence of str, optional
        Names of the interface coordinates.
    progress : callable, optional
        Called with the fraction done and a text.
    constraint_modes : (n - n_b, n_b) array, optional
        Those of an earlier run, which then are not solved for again.

    Returns
    -------
    Basis
        Interface coordinates first, then the modes by frequency.

    Raises
    ------
    ModelError
        If the boundary is empty, repeated or out of range, or there are fewer interior unknowns than modes.
    SingularError
        If the part can still move with its interface held; the message names the unknown.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> basis = craig_bampton(chain, identity(3, format="csc"), [0, 2], 1)
    >>> basis.labels[2], round(float(basis.frequencies[2]), 6)
    ('fixed-interface mode 1', 1.414214)
    """
    n = K.shape[0]
    boundary = as_boundary(boundary, n)
    if labels is not None and len(labels) != len(boundary):
        raise ModelError(f"craig_bampton: {len(labels)} labels for {len(boundary)} interface coordinates.")
    names = [f"interface {i}" for i in range(len(boundary))] if labels is None else [str(s) for s in labels]
    inside = np.setdiff1d(np.arange(n), boundary)
    count = modes if not isinstance(modes, int) else as_count("craig_bampton", "modes", modes)
    if isinstance(count, int) and count > len(inside):
        raise ModelError(f"craig_bampton: {count} modes were asked for, but the interior has {len(inside)} unknowns.")
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    K_i = K.tocsr()[inside].tocsc()
    K_ii = K_i[:, inside]
    say(0.05, "factorising the interior")
    try:
        factor = Definite(K_ii, "the stiffness with the interface held")
    except SingularError as error:
        where = "" if error.unknown is None else f" (unknown {int(inside[error.unknown])})"
        raise SingularError(
            f"reduction: {error}{where}. The part can still move as a mechanism or a rigid body when its interface is "
            f"held: keep more interface coordinates, or join what is loose.",
            None if error.unknown is None else int(inside[error.unknown]),
        ) from None
    factored = time.perf_counter()
    if constraint_modes is None:
        say(0.2, "constraint modes")
        constraint_modes = -factor.solve(K_i[:, boundary].toarray())
    solved = time.perf_counter()
    say(0.3, "fixed-interface modes")
    values, shapes, residual = _fixed_modes(K_ii, M, inside, boundary, count, factor, constraint_modes)
    m = len(boundary) + len(values)
    vectors = np.zeros((n, m))
    vectors[boundary, np.arange(len(boundary))] = 1.0
    vectors[inside, : len(boundary)] = constraint_modes
    vectors[inside, len(boundary) :] = shapes
    say(1.0, "basis done")
    return Basis(
        vectors,
        (*names, *(f"fixed-interface mode {i + 1}" for i in range(len(values)))),
        len(boundary),
        np.concatenate([np.full(len(boundary), np.nan), np.sqrt(np.maximum(values, 0.0))]),
        "Craig-Bampton" if len(values) else "Guyan",
        {"modes": show(modes)},
        {
            "factorisation [s]": factored - began,
            "constraint modes [s]": solved - factored,
            "modes [s]": time.perf_counter() - solved,
            "solves": factor.solves,
            "largest residual of a mode": float(residual.max(initial=0.0)),
        },
    )


def as_boundary(boundary: object, n: int) -> IntArray:
    """Numbers of interface unknowns, checked."""
    given = np.asarray(boundary)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
        raise ModelError(f"reduction: boundary must be one or more numbers of unknowns (n_b,), not {show(boundary)}.")
    out = given.astype(np.int64)
    if out.min() < 0 or out.max() >= n:
        raise ModelError(f"reduction: boundary names unknown {out.min() if out.min() < 0 else out.max()} of {n}.")
    if len(np.unique(out)) != len(out):
        values, times = np.unique(out, return_counts=True)
        raise ModelError(f"reduction: boundary names unknown {int(values[np.argmax(times > 1)])} twice.")
    return out


def _fixed_modes(
    K_ii: Any, M: Any, inside: IntArray, boundary: IntArray, modes: Any, factor: Definite, psi: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Eigenvalues, shapes and residuals of the modes with the interface held."""
    if modes == 0:
        return np.empty(0), np.empty((len(inside), 0)), np.empty(0)
    M_i = M.tocsr()[inside].tocsc()
    M_ii = M_i[:, inside]
    pairs = lowest_modes(K_ii, M_ii, modes, factor, what="the stiffness with the interface held")
    return pairs.values, pairs.vectors, pairs.residuals
