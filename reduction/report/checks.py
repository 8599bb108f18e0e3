"""The checks of a reduction report: each compares a reduced model with the full operators and answers with data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.sparse import diags
from scipy.sparse.linalg import cg

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.eigen import lowest_modes
from flexmbs.core.errors import ModelError
from flexmbs.reduction.methods.complement import Complement, round_off
from flexmbs.reduction.model import ReducedModel, Source
from flexmbs.reduction.report.data import EffectiveMasses, FrequencyTable, InertiaCheck, StaticCheck

__all__ = [
    "Problem",
    "effective_masses",
    "frequency_table",
    "inertia_check",
    "massive_motions",
    "problem",
    "static_check",
]

SHARE = 1e-3
"""The shift relative to the first elastic eigenvalue."""

MOST = 30
"""Modes that a table shows by default."""

RIGID = 1e-3
"""Shift of a free structure relative to its lowest elastic eigenvalue."""

TWO_PI = 2.0 * math.pi


class Problem(NamedTuple):
    """Full operators, basis and reduced matrices with some interfaces held, and the reduced eigenvalues."""

    held: tuple[str, ...]
    K: Any
    M: Any
    T: FloatArray
    K_r: FloatArray
    M_r: FloatArray
    values: FloatArray  # squared angular frequencies, ascending
    shapes: FloatArray  # (m, m), mass-normalised
    noise: FloatArray  # round-off in the values
    rigid: int
    motions: FloatArray  # (n, r) rigid motions that cause no force, mass-normalised
    shift: float


def problem(model: ReducedModel, source: Source, held: Sequence[str] = ()) -> Problem:
    """The eigenproblem of a model with some of its interfaces held.

    Raises
    ------
    ModelError
        If an interface is unknown, or the coordinates of the model are not displacements of it.
    """
    full, T = source.attached.operators, source.basis.vectors
    K, M, K_r, M_r = full.K, full.M, model.K, model.M
    motions = full.rigid_motions(full.points.mean(axis=0) if len(full.points) else np.zeros(3))
    if held:
        coordinates = np.concatenate([model.frame(name).coordinates for name in held])
        rows = source.attached.boundary[coordinates]
        free = np.setdiff1d(np.arange(full.n), rows)
        columns = np.setdiff1d(np.arange(model.size), coordinates)
        if coordinates.max(initial=-1) >= model.n_interface or np.abs(T[np.ix_(rows, columns)]).max(initial=0.0):
            raise ModelError(f"report: interface {held[0]!r} cannot be held: its motion is no coordinate of the model.")
        K, M = (A.tocsr()[free].tocsc()[:, free] for A in (K, M))
        T = T[np.ix_(free, columns)]
        K_r, M_r = K_r[np.ix_(columns, columns)], M_r[np.ix_(columns, columns)]
        motions = motions[free]
    try:
        values, shapes = linalg.eigh(K_r, M_r)
    except linalg.LinAlgError:
        raise ModelError(f"{model!r}: its mass matrix is not positive definite.") from None
    noise = round_off(K, T, shapes) + 4.0 * np.finfo(float).eps * np.abs(values).max(initial=0.0)
    motions = massive_motions(K, M, motions)
    rigid = max(min(motions.shape[1], len(values)), int((values <= 10.0 * noise).sum()))
    return Problem(tuple(held), K, M, T, K_r, M_r, values, shapes, noise, rigid, motions, _shift(K, M, values, rigid))


def massive_motions(K: Any, M: Any, R: FloatArray) -> FloatArray:
    """Combinations of the rigid motions R (n, 6) that have mass and cause no force, mass-normalised."""
    size = np.abs(R).max(axis=0, initial=0.0)
    R = R[:, size > 0] / size[size > 0]
    values, vectors = linalg.eigh(R.T @ (M @ R)) if R.shape[1] else (np.empty(0), np.empty((0, 0)))
    keep = values > 1e-10 * values.max(initial=0.0)
    R = R @ (vectors[:, keep] / np.sqrt(values[keep]))
    if not R.shape[1]:
        return R
    energy, vectors = linalg.eigh(R.T @ (K @ R))
    R = R @ vectors
    return np.asarray(R[:, energy <= 100.0 * round_off(K, R, np.eye(R.shape[1]))])


def _shift(K: Any, M: Any, values: FloatArray, rigid: int) -> float:
    """A shift well below the first elastic eigenvalue."""
    if len(values) > rigid:
        return -SHARE * float(values[rigid])
    k, m = K.diagonal(), M.diagonal()
    massive = (m > 0) & (k > 0)
    return -1e-3 * SHARE * float((k[massive] / m[massive]).min()) if massive.any() else 0.0


def frequency_table(
    given: Problem, rest: Complement | None, count: int | None, full: bool
) -> tuple[FrequencyTable, FloatArray | None]:
    """Elastic frequencies of a problem, their bounds, and the full ones; also the full shapes (n, k)."""
    first, m = given.rigid, len(given.values)
    values = given.values[first:]
    if count is None:
        below = int((values < rest.cut_off + rest.shift).sum()) if rest is not None else m
        count = min(max(below, 6), MOST)
    count = min(count, len(values))
    shown = slice(first, first + count)
    values, noise = given.values[shown], 2.0 * given.noise[shown]
    bound: list[float | None] = [None] * count
    least: list[float | None] = [None] * count
    if rest is not None:
        low, high = rest.lower_bounds(first + count)[first:], rest.improved(first + count)[first:]
        for k in range(count):
            if low[k] - noise[k] > 0.0:
                bound[k] = math.sqrt(values[k] / (low[k] - noise[k])) - 1.0
                least[k] = max(0.0, math.sqrt(values[k] / (high[k] + noise[k])) - 1.0)
    ratio = float(np.abs(given.values[:first]).max(initial=0.0) / values[0]) if count else None
    table = FrequencyTable(
        given.held, first, ratio, _frequencies(values), tuple(bound), tuple(least), None, None, None, None, None
    )
    if not full or not count:
        return table, None
    factor = None if rest is None else rest.factor
    more = first - given.motions.shape[1]  # motions without stiffness that are not of a rigid body
    pairs = lowest_modes(
        given.K, given.M, more + count, factor, given.shift, "the stiffness of the part", rigid=given.motions
    )
    exact, shapes = pairs.values[more:], pairs.vectors[:, more:]
    mac = (shapes.T @ (given.M @ (given.T @ given.shapes[:, shown]))).T ** 2
    error = np.sqrt(values / np.maximum(exact, np.finfo(float).tiny)) - 1.0
    table = FrequencyTable(
        given.held, first, ratio, _frequencies(values), tuple(bound), tuple(least), _frequencies(exact),
        _numbers(error), _numbers(mac.max(axis=1)), tuple(int(k) + 1 for k in mac.argmax(axis=1)),
        tuple(_numbers(row) for row in mac),
    )  # fmt: skip
    return table, shapes


def effective_masses(model: ReducedModel, source: Source, given: Problem, attainable: bool) -> EffectiveMasses | None:
    """Of the modes with all interfaces held; None for a model without interface coordinates or modes."""
    full, n_b = source.attached.operators, model.n_interface
    if not n_b or n_b == model.size:
        return None
    R = full.rigid_motions(_centre(full.M, full.rigid_motions()))
    total = np.einsum("ij,ij->j", R, full.M @ R)
    massive = total > 1e-12 * total.max(initial=0.0)
    scale = np.where(massive, 1.0 / np.where(massive, total, 1.0), 0.0)
    values, vectors = linalg.eigh(model.K[n_b:, n_b:], model.M[n_b:, n_b:])
    # T^T M R holds what the modes feel of a rigid acceleration, wherever R comes from
    L = vectors.T @ (source.basis.vectors[:, n_b:].T @ (full.M @ R))
    fractions = L**2 * scale
    most = None
    if attainable:
        inside = np.setdiff1d(np.arange(full.n), source.attached.boundary)
        found = _inside_mass(full.M, inside, full.M @ R)
        most = None if found is None else _numbers(found * scale)
    return EffectiveMasses(
        _frequencies(values), tuple(_numbers(row) for row in fractions), _numbers(fractions.sum(axis=0)), most
    )


def _inside_mass(M: Any, inside: IntArray, MR: FloatArray) -> FloatArray | None:
    """Effective masses (6,) of all modes with the interface held, by conjugate gradients: mass is well conditioned."""
    M_ii = M.tocsr()[inside].tocsc()[:, inside]
    diagonal = M_ii.diagonal()
    inverse = np.where(diagonal > 0.0, 1.0 / np.where(diagonal > 0.0, diagonal, 1.0), 0.0)
    out = np.zeros(6)
    for k in range(6):
        x, failed = cg(M_ii, MR[inside, k], rtol=1e-6, maxiter=500, M=diags(inverse))
        if failed:
            return None
        out[k] = MR[inside, k] @ x
    return out


def _centre(M: Any, R: FloatArray) -> FloatArray:
    """Centre of mass (3,) from a mass matrix and rigid motions about the origin."""
    A = R.T @ (M @ R)
    mass = np.trace(A[:3, :3]) / 3.0
    return np.array([A[1, 5] - A[2, 4], A[2, 3] - A[0, 5], A[0, 4] - A[1, 3]]) / (2.0 * mass if mass > 0 else 1.0)


def static_check(model: ReducedModel, source: Source, given: Problem) -> StaticCheck:
    """Reactions to unit motions of the interface, and rigid motions in the reduced model."""
    full, T = source.attached.operators, source.basis.vectors
    imbalance = reactions = None
    n_b = model.n_interface
    if n_b:
        q = np.zeros((model.size, n_b))
        q[:n_b] = np.eye(n_b)
        if n_b < model.size:
            q[n_b:] = -linalg.lstsq(model.K[n_b:, n_b:], model.K[n_b:, :n_b])[0]
        u = T @ q
        force, sums = full.K @ u, abs(full.K) @ np.abs(u)
        inside = np.setdiff1d(np.arange(full.n), source.attached.boundary)
        imbalance = float((np.abs(force[inside]).max(axis=0, initial=0.0) / sums.max(axis=0)).max())
        scale = np.sqrt(np.einsum("ij,ij->j", np.abs(u), sums))
        difference = force[source.attached.boundary[:n_b]] - (model.K @ q)[:n_b]
        reactions = float((np.abs(difference) / np.outer(scale, scale)).max())
    R = given.motions
    if not R.shape[1]:
        return StaticCheck(imbalance, reactions, 0, None, None, None)
    try:
        S = linalg.cho_factor(given.K_r - given.shift * given.M_r)
    except linalg.LinAlgError:  # an indefinite stiffness, of which there is a warning
        return StaticCheck(imbalance, reactions, R.shape[1], None, None, None)
    q, gap = np.zeros((model.size, R.shape[1])), R
    for _ in range(2):  # the second time takes away the round-off of the first
        q = q + linalg.cho_solve(S, T.T @ (given.K @ gap - given.shift * (given.M @ gap)))
        gap = R - T @ q
    span = float(np.sqrt(np.maximum(np.einsum("ij,ij->j", gap, given.M @ gap), 0.0)).max())
    # K_r may vanish altogether (one rigid interface, no modes): the forces of the elements are the measure
    size = np.sqrt(np.einsum("ij,ij->j", np.abs(T), abs(given.K) @ np.abs(T)))
    forces = np.abs(model.K @ q) / np.maximum(size[:, None] * (size @ np.abs(q)), np.finfo(float).tiny)
    mass = float(np.abs(q.T @ model.M @ q - R.T @ (given.M @ R)).max())  # R is mass-normalised
    return StaticCheck(imbalance, reactions, R.shape[1], span, float(forces.max()), mass)


def inertia_check(model: ReducedModel, source: Source) -> InertiaCheck | None:
    """Mass and inertia of the invariants against those of the mass matrix."""
    inertia = model.inertia
    if inertia is None:
        return None
    full = source.attached.operators
    R = full.rigid_motions(inertia.centre)
    A = R.T @ (full.M @ R)
    tensor = inertia.central_tensor
    mass_error = float(np.abs(A.diagonal()[:3] / inertia.mass - 1.0).max())
    size = float(np.abs(tensor).max())
    tensor_error = float(np.abs(A[3:, 3:] - tensor).max() / size) if size > 0 else None
    return InertiaCheck(
        float(inertia.mass), _numbers(inertia.centre), tuple(_numbers(row) for row in tensor), bool(inertia.exact),
        mass_error, tensor_error,
    )  # fmt: skip


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in np.asarray(values).ravel())


def _frequencies(values: FloatArray) -> tuple[float, ...]:
    """Cycles per time from squared angular frequencies."""
    return _numbers(np.sqrt(np.maximum(values, 0.0)) / TWO_PI)
