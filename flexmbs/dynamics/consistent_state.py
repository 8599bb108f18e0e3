r"""From what a user describes to a consistent state: positions, velocities, accelerations, multipliers.

Positions are moved by the least change, in the metric of the mass: with g(q) = 0 linearised,
:math:`[M, G^T; G, 0][\delta q; \mu] = -[0; g]`; velocities likewise to :math:`G v + g_t = 0`; accelerations and
multipliers satisfy :math:`[M, G^T; G, 0][a; \lambda] = [-f; \gamma]`. Redundant constraints are found by the rank of
:math:`G M^{-1/2}` in the assembled position, and named; they are then carried by a small compliance on the diagonal of
the multipliers, which leaves the multipliers of least norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack

from flexmbs.core.contracts import FloatArray, IntArray, State
from flexmbs.core.errors import ModelError, SingularError
from flexmbs.core.rotations import IDENTITY
from flexmbs.dynamics import compliance
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.kernels.steps import local, retract
from flexmbs.system.system import EvaluationError

__all__ = ["Consistent", "accelerations", "assemble", "constraint_matrix", "dependent_constraints", "finite"]

MOST = 50
MET, ALMOST = 1e-12, 1e-8
"""Constraint violation, of lengths relative to that of the model, that counts as round-off, or may remain."""
HEAVY = 1e6
SLOW = 1e-14
"""Rate of a constraint [1/time, or lengths of the model over time] that counts as none whatever moves."""
RANK = 1e-9
"""Pivot, relative to the largest, below which a constraint depends on the others."""
FEW, DENSE = 200, 3_000
"""Constraints up to which the rank is found by a dense factorisation: at once, and where some seem dependent."""
SAME = 1e-6
"""Difference of two motions, relative to the larger where that exceeds one, up to which they are the same."""
BLOCK = 34
"""Columns of work for each constraint with which LAPACK finds the rank block by block."""
SHOWN = 5
"""Constraints that a message names at most."""
MODERATE = 1e11
"""Multipliers of a right side of size one, over the largest mass, up to which constraints count as independent."""


class Consistent(NamedTuple):
    """A state on the constraints, and the constraints that depend on others."""

    q: FloatArray
    v: FloatArray
    moved: float
    redundant: tuple[str, ...]


def assemble(dynamics: Dynamics, t: float, q: FloatArray, v: FloatArray, keep: tuple[Any, ...] = ()) -> Consistent:
    """Move positions and velocities onto the constraints at time t.

    Bodies in ``keep`` count as `HEAVY` times as heavy as they are, so that the others move.

    Raises
    ------
    ModelError
        If the constraints cannot be met together; the message names those that are violated.
    """
    dyn = dynamics
    dyn.set_time(t)
    _check_drivers(dyn)
    start = q
    v = _held(dyn, v)
    redundant = dependent_constraints(dyn, q, v)
    dyn.compliance(len(redundant) > 0)
    heavy = _heavier(dyn, keep)
    q = _positions(dyn, q, v, heavy)
    if dyn.n_c and q is not start:
        later = dependent_constraints(dyn, q, v)
        if later != redundant:
            redundant = later
            dyn.compliance(len(redundant) > 0)
    v = _velocities(dyn, q, v, heavy)
    step = np.zeros(dyn.n_v)
    local(start, q, dyn.n_linear, step)
    return Consistent(q, v, float(np.abs(step).max(initial=0.0)), redundant)


def _check_drivers(dyn: Dynamics) -> None:
    """Refuse different motions of one coordinate, which may agree in position and speed and part afterwards."""
    m = dyn.mechanics
    if len(dyn.prescribed.moving) < 2:
        return
    joints, seen = m.joints, dict[tuple[Any, ...], int]()
    for n in range(len(joints.mA)):
        for j in range(joints.ptr[n], joints.ptr[n + 1]):
            i = int(joints.eq[j]) - dyn.n_v
            if m.equations[i].equation.motion is None or (joints.eq == joints.eq[j]).sum() != 1:
                continue
            key = (joints.mA[n], joints.mB[n], joints.kind[j], joints.factor[j], *joints.c[j])
            k = seen.setdefault(key, i)
            first = max(m.equations[i].equation.level, m.equations[k].equation.level)
            one, two = dyn.motion[k, first:], dyn.motion[i, first:]
            if np.abs(one - two).max() > SAME * max(1.0, float(np.abs(dyn.motion[[i, k], first:]).max())):
                a, b = (tuple(float(f"{x:.6g}") for x in motion) for motion in (one, two))
                what = ("value, rate and acceleration", "rate and acceleration")[first]
                raise ModelError(
                    f"Model {dyn.system.model.name!r}: {m.names[k]} and {m.names[i]} drive one coordinate differently: "
                    f"{what} at t = {dyn.env.t:g} are {a} and {b}. Keep one of them."
                )


def _held(dyn: Dynamics, v: FloatArray) -> FloatArray:
    """The velocities without those that supports prevent."""
    fixation = dyn.system.fixation
    if not len(fixation.fixed):
        return v
    s = np.zeros(dyn.n_q)
    s[: dyn.n_v] = v
    s = fixation.to_frames(s, fixation.frames0)
    s[fixation.fixed] = 0.0
    return fixation.from_frames(s, fixation.frames0)[: dyn.n_v]


def _heavier(dyn: Dynamics, keep: tuple[Any, ...]) -> FloatArray:
    """What is added to the mass blocks for the bodies that are to stay."""
    c, M = dyn.coordinates, dyn.system.mass_blocks
    if not keep:
        return np.zeros(0)
    stay = np.zeros(dyn.n_v, dtype=bool)
    for body in keep:
        stay[c.velocities(body)] = True
    added = np.zeros(len(M))
    for block in dyn.system.blocks:
        n, k = block.dofs.shape
        if block.b1 + n * k * k <= len(M):
            part = slice(block.b1, block.b1 + n * k * k)
            added[part] = HEAVY * M[part] * np.repeat(stay[np.minimum(block.dofs, dyn.n_v - 1)].all(axis=1), k * k)
    return added


def _factorise(dyn: Dynamics, heavy: FloatArray) -> None:
    """Factorise [M, G^T; G, 0] with ``heavy`` added to the mass.

    Kernels write only those entries of the blocks that can change: what is added here would stay for the whole run.
    """
    n = len(heavy)
    before = dyn.B[:n].copy()
    dyn.B[:n] += heavy
    try:
        dyn.factorise(1.0)
    finally:
        dyn.B[:n] = before


def _positions(dyn: Dynamics, q: FloatArray, v: FloatArray, heavy: FloatArray) -> FloatArray:
    """Newton's method for g = 0 with the least change."""
    rows = dyn.velocity_rows == 0
    if not rows.any():
        return q
    zero, lam = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    best = np.inf
    slow, size = 0, 0.0
    given: FloatArray | None = None  # what is not met where the bodies are described
    for _ in range(MOST):
        dyn.T[:] = IDENTITY
        try:
            dyn.tangent(q, zero, zero, lam, (0.0, 0.0))
        except EvaluationError as error:
            if given is None:
                raise
            raise ModelError(
                f"Model {dyn.system.model.name!r}: the assembly, which moves bodies until the joints and drivers are "
                f"met at t = {dyn.env.t:g}, led to where the model cannot be evaluated: {error}. Not met as described: "
                f"{_not_met(dyn, given)}. Give positions that fit, and check where drivers start."
            ) from None
        g = np.where(rows, dyn.r[dyn.n_v :], 0.0)
        given = g if given is None else given
        gap = float(np.abs(g / dyn.equation_sizes)[rows].max())
        if gap <= MET:
            return q
        slow = slow + 1 if gap > 0.5 * best and size <= 1.0 else 0  # a step that is cut short closes what it may
        if slow > 8 or not np.isfinite(gap):
            break
        best = min(best, gap)
        _factorise(dyn, heavy)
        dyn.r[:] = 0.0
        dyn.r[dyn.n_v :] = g
        d = dyn.solve(1.0, 1.0, 0.0)[: dyn.n_v]
        size = float(np.abs(d / dyn.velocity_sizes).max())
        out = np.empty_like(q)
        retract(q, d / max(size, 1.0), dyn.n_linear, out)
        q = out
    if max(best, gap) <= ALMOST:
        return q
    raise ModelError(
        f"Model {dyn.system.model.name!r}: the joints cannot be assembled from the positions given. Not met: "
        f"{_not_met(dyn, g)}. Check the points of these joints and the positions of their bodies, or remove joints "
        f"that contradict others."
    )


def _not_met(dyn: Dynamics, g: FloatArray) -> str:
    """The largest violations (n_c,) with the names of their constraints, and what drivers prescribe there."""
    names, driven = dyn.mechanics.names, {i for i, _ in dyn.prescribed.moving}
    size = np.abs(g) / dyn.equation_sizes
    worst = [int(i) for i in np.argsort(-size, kind="stable")[:SHOWN] if size[i] > 0.1 * ALMOST]
    told = {i: f"; the driver prescribes {dyn.motion[i, 0]:.6g}" if i in driven else "" for i in worst}
    return "; ".join(f"{names[i]} ({g[i]:.3g}{told[i]})" for i in worst)


def _velocities(dyn: Dynamics, q: FloatArray, v: FloatArray, heavy: FloatArray) -> FloatArray:
    """The nearest velocities, in the metric of the mass, with G v + g_t = 0."""
    if not dyn.n_c:
        return v
    zero, lam = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    given = float(
        np.abs(v / dyn.velocity_sizes).max()
    )  # before: where the joints leave nothing, what remains is round-off
    dyn.T[:] = IDENTITY
    dyn.tangent(q, v, zero, lam, (0.0, 0.0))
    _factorise(dyn, heavy)  # depends on the positions alone
    for k in range(3):
        if k:
            dyn.residual(q, v, zero, lam)
        rate = dyn.rates()
        dyn.r[:] = 0.0
        dyn.r[dyn.n_v :] = rate
        v = v + dyn.solve(1.0, 1.0, 1.0)[: dyn.n_v]
    dyn.residual(q, v, zero, lam)
    rate = dyn.rates()
    size, driven = (np.abs(x) / dyn.equation_sizes for x in (rate, dyn.motion[:, 1]))
    speed = max(given, float(np.abs(v / dyn.velocity_sizes).max()), float(driven.max(initial=0.0)))
    if float(size.max()) > max(1e-6 * speed, SLOW):
        worst = [int(i) for i in np.argsort(-size, kind="stable")[:SHOWN] if size[i] > 0.1 * size.max()]
        named = "; ".join(f"{dyn.mechanics.names[i]} ({rate[i]:.3g} per time)" for i in worst)
        raise ModelError(
            f"Model {dyn.system.model.name!r}: no velocities agree with all joints. Not met: {named}. Remove what "
            f"contradicts the others: a driver beside a joint that locks it, or a second driver."
        )
    return v


def accelerations(
    dyn: Dynamics, t: float, q: FloatArray, v: FloatArray, smooth: tuple[float, float] = (0.0, 0.0)
) -> tuple[FloatArray, FloatArray]:
    """Accelerations (n_v,) and multipliers (n_c,) at a consistent state.

    ``smooth = (wq, wv)`` adds wq K + wv D to the mass: without it stiff bodies start with accelerations that no step
    can follow. With weights beta h^2 and gamma h their error would be of order h by D; a second pass takes off what the
    forces would change by over the velocities wv a, and leaves an error of order h^2.
    """
    dyn.set_time(t)
    zero, lam = np.zeros(dyn.n_v), np.zeros(dyn.n_c)
    dyn.T[:] = IDENTITY
    gamma = dyn.gamma(q, v)
    forces = dyn.tangent(q, v, zero, lam, smooth, on_rates=-1)[: dyn.n_v].copy()
    G = None if any(smooth) else constraint_matrix(dyn)
    dyn.factorise(1.0)
    dyn.r[dyn.n_v :] = gamma
    a, lam = _corrected(dyn, zero, lam)
    if G is None:
        later, own = v + smooth[1] * a, dyn.first_order
        later[own] = v[own]  # what these drive is not in D
        faster = dyn.residual(q, later, zero, np.zeros(dyn.n_c))[: dyn.n_v].copy()
        dyn.residual(q, v, a, lam)
        dyn.r[: dyn.n_v] = forces - faster
        dyn.r[own] = a[own] + forces[own]  # which is what D makes of a in their rows
        dyn.r[dyn.n_v :] = 0.0
        a, lam = _corrected(dyn, a, lam)
    else:
        dyn.residual(q, v, a, lam)
        dyn.r[dyn.n_v :] = G @ a + gamma
        a, lam = _corrected(dyn, a, lam)
        dyn.residual(q, v, a, lam)
    if any(smooth) and dyn.python.states:
        a = a + _rates_that_see(dyn, q, v, a, lam)
    return finite(dyn, t, a, lam)


def finite(dyn: Dynamics, t: float, a: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Accelerations and multipliers as they are given, or `SingularError`."""
    if not (np.isfinite(a).all() and np.isfinite(lam).all()):
        raise SingularError(
            f"Model {dyn.system.model.name!r}: no accelerations at t = {t:g}: the equations are singular."
        )
    return a, lam


def _corrected(dyn: Dynamics, a: FloatArray, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Accelerations and multipliers without what the factors make of the residual."""
    d = dyn.solve(1.0, 1.0, 1.0)
    return a + d[: dyn.n_v], lam + d[dyn.n_v :]


def _rates_that_see(dyn: Dynamics, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> FloatArray:
    """The change (n_v,) of the rates of first-order states whose sensors read accelerations or multipliers.

    As their other rates it is not smoothed, which would make it wrong by order h.
    """
    found = []
    for seen, felt in ((np.zeros_like(a), np.zeros_like(lam)), (a, lam)):
        found.append(dyn.state_rates(State(q, v, seen, felt)))
    return np.asarray(found[0] - found[1])


def constraint_matrix(dyn: Dynamics) -> FloatArray:
    """G (n_c, n_v) at the state linearised last, dense, on all velocities.

    Before it is factorised, where the blocks of supported nodes are turned into their frames.
    """
    return compliance.constraint_matrix(dyn.mechanics, dyn.B, dyn.n_v)


def dependent_constraints(dyn: Dynamics, q: FloatArray, v: FloatArray) -> tuple[str, ...]:
    """Names of constraints that follow from the others at this position."""
    if dyn.n_c == 0 or (dyn.n_c > FEW and _regular(dyn, q)):
        return ()
    if dyn.n_c > DENSE:
        return ("unknown (too many constraints to tell which)",)
    zero = np.zeros(dyn.n_v)
    dyn.T[:] = IDENTITY
    dyn.tangent(q, v, zero, np.zeros(dyn.n_c), (0.0, 0.0))
    free = dyn.system.free[dyn.system.free < dyn.n_v]
    mass = dyn.mass[free]
    G = dyn.system.fixation.by_free(constraint_matrix(dyn), free, dyn.frames)
    acts = np.linalg.norm(G * dyn.system.increment_sizes[free], axis=1) > compliance.NOTHING * dyn.equation_sizes
    A = G / np.sqrt(np.where(mass > 0.0, mass, 1.0))
    size = np.sqrt((A * A).sum(axis=1))
    idle, rest = np.flatnonzero(~acts), np.flatnonzero(acts)
    if not len(rest):
        return _names(dyn, idle)
    R, order, *_ = lapack.dgeqp3((A[rest] / size[rest, None]).T, lwork=(len(rest) + 1) * BLOCK)
    pivots = np.abs(np.diag(R))
    rank = int((pivots > RANK * pivots[0]).sum())
    if rank == len(rest) and not len(idle):
        return ()
    return _names(dyn, [*idle, *rest[np.sort(order[rank:] - 1)]])


def _names(dyn: Dynamics, constraints: Sequence[int] | IntArray) -> tuple[str, ...]:
    """In words."""
    return tuple(dyn.mechanics.equations[i].label for i in constraints)


def _regular(dyn: Dynamics, q: FloatArray) -> bool:
    """Whether the constraints are independent, told by multipliers of an arbitrary right side that stay moderate.

    Dependent constraints make them infinite but for round-off, some 1e16 times the masses; those of a chain of n bodies
    are about n^2 times.
    """
    zero = np.zeros(dyn.n_v)
    dyn.T[:] = IDENTITY
    before = dyn.compliant
    dyn.compliance(False)
    try:
        dyn.tangent(q, zero, zero, np.zeros(dyn.n_c), (0.0, 0.0))
        dyn.factorise(1.0)
        dyn.r[: dyn.n_v] = 0.0
        dyn.r[dyn.n_v :] = np.random.default_rng(0).standard_normal(dyn.n_c)
        largest = float(np.abs(dyn.solve(1.0, 1.0, 1.0)[dyn.n_v :]).max())
    except SingularError:
        return False
    finally:
        dyn.compliance(before)
    lengths = min(1.0, dyn.length) ** 2
    return np.isfinite(largest) and largest * lengths <= MODERATE * float(dyn.mass.max())
