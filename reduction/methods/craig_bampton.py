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

from flexmbs.core.checks import as_counts, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs, lowest_modes
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.linsolve.definite import Definite
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.kept import Kept
from flexmbs.reduction.selection import Lowest, ModeSelection, as_selection, candidates

__all__ = ["as_boundary", "craig_bampton", "guyan"]

Report = Callable[[float, str], None]

BLOCK = 64
"""Constraint modes that are solved for, and kept, at once."""


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
    modes: ModeSelection | int = 20,
    labels: Any = None,
    progress: Report | None = None,
    kept: Kept | None = None,
    rigid: FloatArray | None = None,
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
    kept : Kept, optional
        A folder for work that an interrupted run need not do again.
    rigid : (n, r) array, optional
        Rigid motions, which some selections of modes ask for.

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
    rule = as_selection(modes)
    say = progress or (lambda fraction, text: None)
    began = time.perf_counter()
    K_i = K.tocsr()[inside].tocsc()
    K_ii = K_i[:, inside]
    say(0.02, "factorising the interior")
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
    psi = _constraint_modes(factor, K_i[:, boundary], kept, say)
    solved = time.perf_counter()
    pairs = EigenPairs(np.empty(0), np.empty((len(inside), 0)), np.empty(0))
    if not isinstance(rule, Lowest) or rule.count:
        pairs = _fixed_modes(K_ii, M, inside, boundary, rule, factor, psi, kept, rigid, say)
    vectors = np.zeros((n, len(boundary) + len(pairs.values)))
    vectors[boundary, np.arange(len(boundary))] = 1.0
    vectors[inside, : len(boundary)] = psi
    vectors[inside, len(boundary) :] = pairs.vectors
    say(1.0, "basis done")
    return Basis(
        vectors,
        (*names, *(f"fixed-interface mode {i + 1}" for i in range(len(pairs.values)))),
        len(boundary),
        np.concatenate([np.full(len(boundary), np.nan), np.sqrt(np.maximum(pairs.values, 0.0))]),
        "Craig-Bampton" if len(pairs.values) else "Guyan",
        {"modes": show(modes)},
        {
            "factorisation [s]": factored - began,
            "constraint modes [s]": solved - factored,
            "modes [s]": time.perf_counter() - solved,
            "solves": factor.solves,
            "largest residual of a mode": float(pairs.residuals.max(initial=0.0)),
        },
    )


def as_boundary(boundary: object, n: int) -> IntArray:
    """Numbers of interface unknowns, checked."""
    out = as_counts("reduction", "each of boundary", boundary)
    if not len(out):
        raise ModelError(f"reduction: boundary must be one or more numbers of unknowns (n_b,), not {show(boundary)}.")
    if out.max() >= n:
        raise ModelError(f"reduction: boundary names unknown {out.max()} of {n}.")
    if len(np.unique(out)) != len(out):
        values, times = np.unique(out, return_counts=True)
        raise ModelError(f"reduction: boundary names unknown {int(values[np.argmax(times > 1)])} twice.")
    return out


def _constraint_modes(factor: Definite, K_ib: Any, kept: Kept | None, say: Report) -> FloatArray:
    """Psi, in blocks of columns that are kept one by one."""
    n_i, n_b = K_ib.shape
    psi = np.empty((n_i, n_b))
    for first in range(0, n_b, BLOCK):
        columns = slice(first, min(first + BLOCK, n_b))
        say(0.1 + 0.3 * first / n_b, f"constraint mode {first + 1} of {n_b}")
        name = f"constraint_modes_{first}"
        done = None if kept is None else kept.get(name)
        if done is None or done.shape != psi[:, columns].shape:
            done = -factor.solve(K_ib[:, columns].toarray())
            if kept is not None:
                kept.put(name, done)
        psi[:, columns] = done
    return psi


def _fixed_modes(
    K_ii: Any,
    M: Any,
    inside: IntArray,
    boundary: IntArray,
    rule: ModeSelection,
    factor: Definite,
    psi: FloatArray,
    kept: Kept | None,
    rigid: FloatArray | None,
    say: Report,
) -> EigenPairs:
    """Modes with the interface held."""
    what = "the stiffness with the interface held"
    if kept is not None and (values := kept.get("values")) is not None:
        vectors, residuals = kept.get("vectors"), kept.get("residuals")
        if vectors is not None and residuals is not None and vectors.shape == (len(inside), len(values)):
            return EigenPairs(values, vectors, residuals)
    M_i = M.tocsr()[inside].tocsc()
    M_ii = M_i[:, inside]

    def solve(count: int) -> EigenPairs:
        say(0.4, f"{count} fixed-interface modes")
        began = factor.solves
        expected = 2.5 * count + 20.0  # solutions that Lanczos needs, by experience

        def turn(solves: int) -> None:
            say(0.4 + 0.5 * min(1.0, (solves - began) / expected), f"{count} fixed-interface modes")

        return lowest_modes(K_ii, M_ii, count, factor, what=what, each=turn)

    if isinstance(rule, Lowest):
        massive = int((M_ii.diagonal() > 0).sum())
        if rule.count > massive:
            raise ModelError(
                f"craig_bampton: {rule.count} modes were asked for, but only {massive} unknowns inside have mass."
            )
        pairs = solve(rule.count)
    else:
        coupling = M_ii @ psi + M_i[:, boundary].toarray()
        M_bb = M[boundary][:, boundary].toarray()
        M_bi = M_i[:, boundary].T @ psi
        interface_mass = M_bb + M_bi + M_bi.T + psi.T @ (M_ii @ psi)
        at_interface = None if rigid is None else rigid[boundary]
        pairs = candidates(rule, solve, len(inside), coupling, interface_mass, at_interface)
    if kept is not None:
        for name, array in zip(("vectors", "residuals", "values"), pairs[1:] + pairs[:1], strict=True):
            kept.put(name, array)
    return pairs
