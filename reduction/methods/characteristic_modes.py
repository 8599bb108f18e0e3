r"""Characteristic constraint modes: fewer coordinates for interfaces of many unknowns.

A Craig-Bampton or static basis has one column per interface unknown. Modes of the part condensed to its interface,

.. math:: (T_c^T K T_c)\,\psi = \omega^2 (T_c^T M T_c)\,\psi ,

show in which shapes the interface moves at low frequencies; :math:`T_c \psi` replaces :math:`T_c`. Rigid motions of the
part are modes of zero frequency, so they are kept exactly.

**All at once** (``groups=None``) gives the fewest coordinates for this part alone. **Per group** each interface is
reduced with the others held, which needs rigid motions of the interface besides its modes; two parts that are joined
there can share the shapes of one group only if these are made for both.

Source: M. P. Castanier, Y.-C. Tan, C. Pierre, Characteristic constraint modes for component mode synthesis, AIAA
Journal 39 (2001) 1182-1187.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

from flexmbs.core.checks import as_array, is_list, show
from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import EigenPairs
from flexmbs.core.errors import ModelError
from flexmbs.reduction.basis import Basis
from flexmbs.reduction.border import as_operator
from flexmbs.reduction.methods.orthonormal import orthonormal
from flexmbs.reduction.selection import Lowest, ModeSelection, UpToFrequency, as_selection, until_sure

__all__ = ["characteristic_modes"]


def characteristic_modes(
    basis: Basis,
    K: Any,
    M: Any,
    modes: ModeSelection | int,
    groups: Sequence[IntArray] | None = None,
    rigid: FloatArray | None = None,
) -> Basis:
    """Replace interface coordinates by the lowest characteristic constraint modes.

    Parameters
    ----------
    basis : Basis
        By Craig-Bampton, static condensation, Rubin or Krylov, with its interface coordinates first.
    K, M : sparse matrices (n, n)
        Stiffness and mass of the full structure, symmetric.
    modes : int or ModeSelection
        How many per group, or which: `Lowest` or `UpToFrequency`.
    groups : sequence of arrays of int, optional
        Interface coordinates (numbers below ``basis.n_interface``) to reduce, group by group with all others held.
        Coordinates in no group stay as they are. By default all are reduced at once.
    rigid : (n, r) array, optional
        Rigid motions of the structure; with groups they are needed where it is free, so that the interface of each
        group can still move as a rigid body.

    Returns
    -------
    Basis
        Untouched interface coordinates first (``n_interface`` of them), then the characteristic modes, then the other
        columns of ``basis``. Without damping of its own the stiffness couples characteristic modes of different groups
        only.

    Raises
    ------
    ModelError
        If the basis has no interface coordinates, a group is empty, out of range or overlaps another, or more modes are
        asked for than a group has coordinates.

    Examples
    --------
    >>> from scipy.sparse import csc_matrix, identity
    >>> from flexmbs.reduction.methods.craig_bampton import guyan
    >>> chain = csc_matrix([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    >>> small = characteristic_modes(guyan(chain, [0, 2]), chain, identity(3, format="csc"), 1)
    >>> (small.vectors / small.vectors[0]).round(9).ravel().tolist()  # the rigid motion
    [1.0, 1.0, 1.0]
    """
    owner = "characteristic_modes"
    n, n_b = basis.vectors.shape[0], basis.n_interface
    if not n_b:
        raise ModelError(f"{owner}: the basis ({basis.method}) has no interface coordinates.")
    K, M = as_operator(owner, "K", K, n), as_operator(owner, "M", M, n)
    rule = as_selection(modes)
    if not isinstance(rule, Lowest | UpToFrequency):
        raise ModelError(f"{owner}: modes must be a count, Lowest(...) or UpToFrequency(...), not {rule}.")
    began = time.perf_counter()
    parts = _groups(owner, groups, n_b)
    T_c = basis.vectors[:, :n_b]
    stiffness, mass = T_c.T @ (K @ T_c), T_c.T @ (M @ T_c)
    motions = None
    if groups is not None and rigid is not None:
        R = as_array(owner, "rigid", rigid, (n, None))
        motions = _at_interface(R, basis.vectors, n_b, M)
    columns, labels, frequencies = [], [], []
    for number, group in enumerate(parts):
        block = np.ix_(group, group)
        shapes, omega, own = _group_modes(stiffness[block], mass[block], rule, motions, group)
        columns.append(T_c[:, group] @ shapes)
        frequencies.append(omega)
        name = "" if groups is None else f" of group {number + 1}"
        labels += [f"rigid motion {i + 1}{name}" for i in range(own)]
        labels += [f"characteristic mode {i + 1}{name}" for i in range(len(omega) - own)]
    kept = np.setdiff1d(np.arange(n_b), np.concatenate(parts))
    assert basis.frequencies is not None  # noqa: S101  # set on construction
    return Basis(
        np.hstack([T_c[:, kept], *columns, basis.vectors[:, n_b:]]),
        (*(basis.labels[i] for i in kept), *labels, *basis.labels[n_b:]),
        len(kept),
        np.concatenate([basis.frequencies[kept], *frequencies, basis.frequencies[n_b:]]),
        f"{basis.method} with characteristic constraint modes",
        {**basis.settings, "characteristic modes": show(modes)},
        {**basis.stats, "characteristic modes [s]": time.perf_counter() - began},
    )


def _groups(owner: str, groups: Any, n_b: int) -> list[IntArray]:
    """Groups of interface coordinates, checked; all of them without groups."""
    if groups is None:
        return [np.arange(n_b)]
    if not is_list(groups) or not len(groups):
        raise ModelError(f"{owner}: groups must be a list of arrays of interface coordinates, not {show(groups)}.")
    parts = []
    for number, group in enumerate(groups):
        given = np.asarray(group)
        if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= n_b:
            raise ModelError(f"{owner}: group {number} must be numbers from 0 to {n_b - 1}, not {show(group)}.")
        parts.append(given.astype(np.int64))
    everything = np.concatenate(parts)
    if len(np.unique(everything)) != len(everything):
        values, times = np.unique(everything, return_counts=True)
        raise ModelError(f"{owner}: interface coordinate {int(values[np.argmax(times > 1)])} is in two groups.")
    return parts


def _at_interface(R: FloatArray, T: FloatArray, n_b: int, M: Any) -> FloatArray:
    """Interface coordinates (n_b, r) of rigid motions."""
    return np.asarray(np.linalg.lstsq(T.T @ (M @ T), T.T @ (M @ R), rcond=None)[0][:n_b])


def _group_modes(
    stiffness: FloatArray, mass: FloatArray, rule: Lowest | UpToFrequency, motions: FloatArray | None, group: IntArray
) -> tuple[FloatArray, FloatArray, int]:
    """Shapes (g, k) of one group, their frequencies, and how many of them are its rigid motions."""
    values, shapes = linalg.eigh(0.5 * (stiffness + stiffness.T), 0.5 * (mass + mass.T))
    values = np.maximum(values, 0.0)

    def solve(count: int) -> EigenPairs:
        return EigenPairs(values[:count], shapes[:, :count], np.zeros(count))

    def feel(pairs: EigenPairs) -> tuple[FloatArray, FloatArray]:
        return np.zeros((len(pairs.values), 0)), np.zeros((len(pairs.values), 0))

    pairs = until_sure(rule, solve, len(values), feel)
    if motions is None:
        return pairs.vectors, np.sqrt(pairs.values), 0
    own = orthonormal(mass, motions[group])
    others = orthonormal(mass, pairs.vectors, own)
    frequencies = np.full(own.shape[1] + others.shape[1], np.nan)
    return np.hstack([own, others]), frequencies, own.shape[1]
