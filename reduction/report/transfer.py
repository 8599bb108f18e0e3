"""The transfer-function part of a reduction report: receptance of the interfaces, its bound, and the true error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import splu

from flexmbs.core.contracts import FloatArray
from flexmbs.elements.linear.contract import COMPONENTS
from flexmbs.linear.operators import DofMap, rigid_motions
from flexmbs.reduction.interfaces import Attached
from flexmbs.reduction.methods.complement import Complement
from flexmbs.reduction.report.data import TransferCheck

__all__ = ["DIRECT", "Ports", "ports", "transfer_check"]

DIRECT = 20_000
"""Unknowns up to which the full receptance is computed by default: a complex factorisation for each frequency."""

TWO_PI = 2.0 * math.pi


class Ports(NamedTuple):
    """Directions of loads and displacements (n, p), their names, and the arm that turns rotations into lengths."""

    vectors: FloatArray
    names: tuple[str, ...]
    arm: float


def ports(attached: Attached) -> Ports:
    """The six motions of each interface: its coordinates, or the mean motion of its nodes."""
    full = attached.operators
    arm = 0.5 * float(np.linalg.norm(np.ptp(full.points, axis=0))) if len(full.points) else 1.0
    arm = arm if arm > 0.0 else 1.0
    size = np.array([1.0, 1.0, 1.0, arm, arm, arm])
    columns, names = [], []
    for frame in attached.frames:
        unknowns = attached.boundary[frame.coordinates]
        R = rigid_motions(DofMap(frame.node, frame.component), full.points, frame.origin)
        mean = np.linalg.pinv(R / size)  # rotations times the arm
        for k in np.flatnonzero(np.abs(mean).max(axis=1) > 1e-9 * np.abs(mean).max()):
            column = np.zeros(full.n)
            column[unknowns] = mean[k]
            columns.append(column)
            names.append(f"{frame.name} {COMPONENTS[k]}")
    vectors = np.stack(columns, axis=1) if columns else np.zeros((full.n, 0))
    return Ports(vectors, tuple(names), arm)


def transfer_check(
    K: Any, M: Any, given: Ports, rest: Complement, band: float, loss: float, points: int, full: Sequence[float] | int
) -> TransferCheck:
    """Receptance over a band.

    Parameters
    ----------
    K, M : sparse matrices (n, n)
        Full operators.
    given : Ports
        Loads and displacements.
    rest : Complement
        Of the basis, with these ports.
    band : float
        Highest frequency [1/time].
    loss : float
        Loss factor of the structural damping; twice the damping ratio.
    points : int
        Frequencies of the reduced receptance, beside its resonances.
    full : int or sequence of float
        At how many frequencies, or at which, the full receptance is computed.
    """
    resonances = np.sqrt(np.maximum(rest.values, 0.0)) / TWO_PI
    lowest = band / points
    resonances = resonances[(resonances > lowest) & (resonances < band)]
    resonances = resonances[np.diff(resonances, prepend=0.0) > 1e-6 * band]  # one of each pair of equal ones
    grid = np.unique(np.concatenate([np.linspace(lowest, band, points), resonances]))
    chosen = _full_frequencies(resonances, band, full) if isinstance(full, int) else np.asarray(full, dtype=float)
    size, estimate, bound, magnitude = [], [], [], []
    for f in grid:
        found = rest.receptance(TWO_PI * f, loss)
        size.append(float(np.linalg.norm(found.reduced, 2)))
        estimate.append(float(np.linalg.norm(found.corrected - found.reduced, 2)) / size[-1])
        bound.append(found.bound / size[-1] if math.isfinite(found.bound) else None)
        magnitude.append(np.abs(found.reduced.diagonal()))
    error, error_bound, exact = [], [], []
    for f in chosen:
        omega = TWO_PI * f
        found = rest.receptance(omega, loss)
        Z = ((1.0 + 1j * loss) * K - omega**2 * M).tocsc()
        H = given.vectors.T @ splu(Z, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(
            given.vectors.astype(complex)
        )
        scale = float(np.linalg.norm(found.reduced, 2))
        error.append(float(np.linalg.norm(H - found.reduced, 2)) / scale)
        error_bound.append(found.bound / scale if math.isfinite(found.bound) else None)
        exact.append(np.abs(H.diagonal()))
    how = (
        f"by a complex factorisation of the full operators at each of {len(chosen)} frequencies"
        if len(chosen)
        else "not computed: the bound alone stands for it"
    )
    return TransferCheck(
        given.names, given.arm, band, loss, _numbers(grid), tuple(size), tuple(estimate), tuple(bound),
        tuple(_numbers(row) for row in np.transpose(magnitude)), _numbers(chosen),
        tuple(_numbers(row) for row in np.transpose(exact)), tuple(error), tuple(error_bound), how,
    )  # fmt: skip


def _full_frequencies(resonances: FloatArray, band: float, count: int) -> FloatArray:
    """Half of them at resonances, where errors are largest, the others evenly over the band."""
    if not count:
        return np.empty(0)
    own = resonances[np.unique(np.linspace(0, len(resonances) - 1, count // 2).astype(int))] if len(resonances) else []
    return np.unique(np.concatenate([own, np.linspace(0.0, band, count - len(own) + 1)[1:]]))


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in np.asarray(values).ravel())
