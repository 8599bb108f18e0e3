r"""Steady motions: what turns, or moves on, at constant rates, and the frame in which nothing depends on time.

Along a steady motion an observer who turns with the rate :math:`\Omega` sees constant velocities: of points
:math:`v = v_0 + \Omega\times p`, of vectors (slopes, directors) :math:`\Omega\times d`, of bodies a constant angular
velocity :math:`\omega`, of all else constant rates. Small deviations in his axes, y with :math:`\delta q = X y`, obey

.. math:: \delta v = X(\dot y + W y), \qquad \delta a = X(\ddot y + (W + U)\,\dot y + U W y),

with :math:`\dot X = X U`; W is :math:`\Omega\times` on all vectors, U is the same on points and vectors, and
:math:`(\Omega - \omega)\times` on the rotations of bodies, which increments in body axes describe. So

.. math:: M\ddot y + [D + M(W + U)]\,\dot y + [K + D W + M U W]\,y + G^T\delta\lambda = 0, \qquad G y = 0,

with M, D, K and G at the state and X = 1 there. These are constant if and only if M, D, K and G are, in the axes of
the observer, the same along the motion. That is looked at (`is_constant`): for a rotor with circular symmetry in any
supports in inertial axes (:math:`\Omega = 0`), for any rotor in supports with circular symmetry in its own axes, and
for neither where both are unsymmetric. Then the coefficients are periodic, and no roots exist (Floquet).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import expm
from scipy.sparse import coo_array, csc_array, diags_array

from flexmbs.core.contracts import FloatArray, IntArray
from flexmbs.core.rotations import from_quaternion, from_vector, skew, to_quaternion
from flexmbs.dynamics.linearisation import ConstrainedLinearisation
from flexmbs.integrators.contracts import StepState

if TYPE_CHECKING:
    from flexmbs.dynamics.evaluation import Dynamics

__all__ = [
    "FrameMatrices",
    "Observer",
    "advanced",
    "body_rotations",
    "go_along",
    "in_frame",
    "name_of_frame",
    "observers",
    "own_spins",
    "predicted",
    "quaternion_places",
    "rotation_blocks",
    "spin_axis",
    "spinning_vectors",
    "times",
    "turned",
    "turned_deformation",
]

FITS = 1e-7
"""Share of the largest velocity up to which velocities count as those of a steady motion."""
ANGLES = (0.7, 1.9, 2.9)
"""Turns [rad] of everything that spins, after which matrices are compared."""
MOST_PARTS = 5_000
"""Parts in which the way to a turn of what is slow is gone, so that turns of what is fast are counted."""


class Observer(NamedTuple):
    """Rate ``rate (3,)`` at which he turns [rad/time], and velocity ``shift (3,)`` of his origin, inertial axes."""

    rate: FloatArray
    shift: FloatArray


class _Places(NamedTuple):
    """Where vectors are: of points (n, 3) in v and in q, of vectors (m, 3), of rotations (k,) in v and in q.

    -1: a component that is zero, in the plane. ``own (k,)``: rotations that are relative to another link of a tree;
    ``deforming (k,)``: of frames in which deformations are told.
    """

    points: IntArray
    points_q: IntArray
    vectors: IntArray
    turns: IntArray
    turns_q: IntArray
    own: Any
    deforming: Any


def _places(dyn: Dynamics) -> _Places:
    c = dyn.coordinates
    points: list[Any] = []
    vectors: list[Any] = []
    turns: list[int] = []
    own: list[int] = []
    deforming: list[int] = []

    def three(places: IntArray) -> IntArray:
        return np.asarray(places if places.shape[1] == 3 else np.pad(places, ((0, 0), (0, 1)), constant_values=-1))

    for fields in (group.rigid_fields() for group in c.groups):
        points += [three(places) for places in fields.points]
        vectors += [three(places) for places in fields.vectors]
        turns += fields.turns
        own += fields.alone
        deforming += fields.deforming
    some = [np.unique(np.concatenate(x), axis=0) if x else np.zeros((0, 3), dtype=np.int64) for x in (points, vectors)]
    p, turning = some[0].astype(np.int64), np.array(sorted(turns), dtype=np.int64)

    def in_q(places: IntArray) -> IntArray:
        return np.asarray(places + np.where(places < c.n_linear, 0, (places - c.n_linear) // 6))

    p_q = np.where(p < 0, -1, in_q(p))
    return _Places(
        p, p_q, some[1].astype(np.int64), turning, in_q(turning), np.isin(turning, own), np.isin(turning, deforming)
    )


def _at(x: FloatArray, places: IntArray) -> FloatArray:
    """Components (n, 3) of x."""
    return np.asarray(np.where(places >= 0, x[np.maximum(places, 0)], 0.0))


def _put(x: FloatArray, places: IntArray, values: FloatArray) -> None:
    inside = places >= 0
    x[places[inside]] = values[inside]


def _frames(q: FloatArray, places: _Places) -> FloatArray:
    """Orientations (k, 3, 3) of what has a quaternion."""
    return np.array([from_quaternion(q[i : i + 4]) for i in places.turns_q]).reshape(-1, 3, 3)


def observers(dyn: Dynamics, state: StepState) -> list[Observer]:
    """Who may see a state as steady by its velocities, those who turn least first."""
    p = _places(dyn)
    q, v, a = state.q, state.v, state.a
    R = _frames(q, p)
    spin = v[p.turns[:, None] + np.arange(3)]
    omega = np.einsum("kij,kj->ki", R, spin)[~p.own]
    points, velocities = _at(q, p.points_q), _at(v, p.points)
    length = max(dyn.length, 1e-300)
    unit = np.array((1.0, 1.0, 1.0, length, length, length))  # what is solved for is the shift over the length
    rows, right = [np.zeros((0, 6))], [np.zeros(0)]
    for x, rate in zip(points, velocities, strict=True):
        rows.append(np.hstack((-skew(x) / length, np.eye(3))))
        right.append(np.asarray(rate / length, dtype=np.float64))
    for d, rate in zip(_at(q, p.vectors), _at(v, p.vectors), strict=True):
        rows.append(np.hstack((-skew(d), np.zeros((3, 3)))))
        right.append(rate)
    A, b = np.vstack(rows), np.concatenate(right)
    planar = bool(np.all(p.points[:, 2] < 0)) and not len(p.turns)
    if planar:
        A = np.vstack((A, np.eye(6)[[0, 1, 5]]))
        b = np.concatenate((b, np.zeros(3)))
    found: list[FloatArray] = []
    x = np.linalg.lstsq(A, b, rcond=1e-10)[0]
    _, s, Vt = np.linalg.svd(np.vstack((A, np.zeros((max(6 - len(A), 0), 6)))), full_matrices=False)
    rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
    open_ = Vt[rank:].T
    if open_.shape[1]:  # what points alone do not tell, accelerations do
        rows = [np.zeros((0, 3))]
        right = [np.zeros(0)]
        for w, change in zip(velocities, _at(a, p.points), strict=True):
            rows.append(np.asarray(-skew(w) / length, dtype=np.float64))
            right.append(np.asarray(change / length, dtype=np.float64))
        slowing = np.einsum("kij,kj->ki", R, a[p.turns[:, None] + np.arange(3)])[~p.own]
        for w, rate in zip(omega, slowing, strict=True):
            rows.append(-skew(w))
            right.append(np.asarray(rate, dtype=np.float64))
        B, c = np.vstack(rows), np.concatenate(right)
        found.append(unit * (x + open_ @ np.linalg.lstsq(B @ open_[:3], c - B @ x[:3], rcond=1e-8)[0]))
    found.append(unit * x)
    rates = [*omega, *(np.array([0.0, 0.0, v[k]]) for k in dyn.angles_of_bodies)]
    for rate in rates if open_.shape[1] else []:
        shift = (velocities - np.cross(rate, points)).mean(axis=0) if len(points) else np.zeros(3)
        found.append(np.concatenate((rate, shift)))
    kept: list[Observer] = []
    fast = max(float(np.abs(velocities).max(initial=0.0)) / length, float(np.abs(omega).max(initial=0.0)), 1e-300)
    found.sort(key=lambda x: round(float(np.linalg.norm(x[:3])) / fast, 6))
    for x in found:
        one = Observer(np.where(np.abs(x[:3]) > 1e-9 * fast, x[:3], 0.0), x[3:])
        new = all(np.abs(one.rate - other.rate).max() > 1e-6 * fast for other in kept)
        if new and _fits(dyn, state, one, p):
            kept.append(one)
    return kept


def _fits(dyn: Dynamics, state: StepState, seen_by: Observer, p: _Places) -> bool:
    """Whether the velocities of points and vectors are those of a steady motion."""
    wanted = predicted(dyn, state, seen_by)[0]
    for places, size in ((p.points, dyn.length), (p.vectors, float(np.abs(_at(state.q, p.vectors)).max(initial=0.0)))):
        here = _at(state.v, places)
        largest = max(float(np.abs(here).max(initial=0.0)), size * float(np.linalg.norm(seen_by.rate)))
        if np.abs(_at(wanted, places) - here).max(initial=0.0) > FITS * largest:
            return False
    return True


def predicted(
    dyn: Dynamics, state: StepState, seen_by: Observer, own: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Velocities and accelerations (n_v,) of the steady motion at the positions of a state.

    ``own (k, 3)``: angular velocities of bodies against the frame, in body axes; left out, those of the state.
    """
    p = _places(dyn)
    v, a = state.v.copy(), np.zeros(dyn.n_v)
    rate = seen_by.rate
    moving = seen_by.shift + np.cross(rate, _at(state.q, p.points_q))
    _put(v, p.points, moving)
    _put(a, p.points, np.cross(rate, moving))
    turning = np.cross(rate, _at(state.q, p.vectors))
    _put(v, p.vectors, turning)
    _put(a, p.vectors, np.cross(rate, turning))
    for i, (k, R) in enumerate(zip(p.turns, _frames(state.q, p), strict=True)):
        w = np.zeros(3) if p.own[i] else R.T @ rate
        spin = state.v[k : k + 3] - w if own is None else own[i]
        v[k : k + 3] = w + spin
        a[k : k + 3] = np.cross(w, spin)
    return v, a


def turned_deformation(dyn: Dynamics, state: StepState, seen_by: Observer) -> bool:
    """Whether a body turns against the observer in whose frame a deformation is told: its roots are not his."""
    p = _places(dyn)
    spins = np.linalg.norm(own_spins(dyn, state, seen_by), axis=1)[p.deforming]
    return bool(spins.max(initial=0.0) > FITS * max(float(np.abs(state.v).max(initial=0.0)), 1e-300))


def own_spins(dyn: Dynamics, state: StepState, seen_by: Observer) -> FloatArray:
    """Angular velocities (k, 3) of bodies against the frame, body axes."""
    p = _places(dyn)
    return np.array([
        state.v[k : k + 3] - (np.zeros(3) if alone else R.T @ seen_by.rate)
        for k, R, alone in zip(p.turns, _frames(state.q, p), p.own, strict=True)
    ]).reshape(-1, 3)  # fmt: skip


def turned(dyn: Dynamics, state: StepState, seen_by: Observer) -> tuple[csc_array, csc_array]:
    """W and U (n_v, n_v) of the equations above."""
    p = _places(dyn)
    W = _blocks(dyn.n_v, [(places, skew(seen_by.rate)) for places in (*p.points, *p.vectors)])
    here = []
    relative = []
    for i, (k, R) in enumerate(zip(p.turns, _frames(state.q, p), strict=True)):
        w = np.zeros(3) if p.own[i] else R.T @ seen_by.rate
        places = np.arange(k, k + 3)
        here.append((places, skew(w)))
        relative.append((places, skew(w - state.v[k : k + 3])))
    return csc_array(W + _blocks(dyn.n_v, here)), csc_array(W + _blocks(dyn.n_v, relative))


def _blocks(n: int, parts: list[tuple[IntArray, FloatArray]]) -> csc_array:
    """A sparse matrix (n, n) of blocks (3, 3) at places, of which those below zero are left out."""
    row, col, data = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for places, block in parts:
        i = np.flatnonzero(places >= 0)
        row.append(np.repeat(places[i], len(i)))
        col.append(np.tile(places[i], len(i)))
        data.append(block[np.ix_(i, i)].ravel())
    found = csc_array(coo_array((np.concatenate(data), (np.concatenate(row), np.concatenate(col))), shape=(n, n)))
    found.eliminate_zeros()
    return found


class FrameMatrices(NamedTuple):
    r"""M, C, S on free velocities (sparse, n by n), G, and what makes velocities and accelerations.

    .. math:: \delta v = \dot y + W y, \qquad \delta a = \ddot y + A_1 \dot y + A_0 y

    with :math:`A_1` as ``by_rates`` and :math:`A_0` as ``by_positions``.
    """

    M: csc_array
    C: csc_array
    S: csc_array
    G: csc_array
    W: csc_array
    by_rates: csc_array
    by_positions: csc_array


def in_frame(
    lin: ConstrainedLinearisation, W: csc_array, U: csc_array, X: csc_array | None = None
) -> FrameMatrices:  # fmt: skip
    """The matrices of the equations above, W and U given on all velocities; X where axes have turned against them."""
    E = lin.directions
    W, U = csc_array(E.T @ W @ E), csc_array(E.T @ U @ E)
    M, D, K, G = lin.M, lin.D, lin.K, lin.G
    if X is not None:
        X = csc_array(E.T @ X @ E)
        M, D, K, G = X.T @ M @ X, X.T @ D @ X, X.T @ K @ X, G @ X
    first, second = csc_array(W + U), csc_array(U @ W)
    return FrameMatrices(
        csc_array(M), csc_array(D + M @ first), csc_array(K + D @ W + M @ second), csc_array(G), W, first, second
    )  # fmt: skip


def times(dyn: Dynamics, state: StepState, seen_by: Observer) -> list[float]:
    """Spans after which everything that turns, or moves on, has turned or moved by a notable amount."""
    p = _places(dyn)
    R = _frames(state.q, p)
    rates = [float(np.linalg.norm(seen_by.rate))]
    for i, k in enumerate(p.turns):
        spin = R[i] @ state.v[k : k + 3]
        rates += [float(np.linalg.norm(spin)), float(np.linalg.norm(spin - seen_by.rate))]
    placed = np.zeros(dyn.n_v, dtype=bool)
    for places in (p.points, p.vectors, p.turns[:, None] + np.arange(3)):
        placed[places[places >= 0]] = True
    placed[dyn.states] = True
    rates += np.abs(state.v[~placed]).tolist()
    rates.append(float(np.linalg.norm(seen_by.shift)) / max(dyn.length, 1e-300))
    largest = max(rates)
    different = sorted({float(f"{r:.6g}") for r in rates if r > 1e-6 * largest}, reverse=True)
    return sorted({angle / r for r in different[:6] for angle in ANGLES})


def advanced(dyn: Dynamics, state: StepState, seen_by: Observer, span: float) -> tuple[StepState, csc_array]:
    """The state after a span of the steady motion, without its multipliers, and X (n_v, n_v) there."""
    p = _places(dyn)
    screw = np.zeros((4, 4))
    screw[:3, :3], screw[:3, 3] = skew(seen_by.rate), seen_by.shift
    screw = expm(span * screw)
    A, move = screw[:3, :3], screw[:3, 3]
    q, v = state.q.copy(), state.v.copy()
    rest = np.ones(dyn.n_linear, dtype=bool)
    for places in (p.points, p.vectors):
        inside = places[(places >= 0) & (places < dyn.n_linear)]
        rest[inside] = False
    rest[dyn.states] = False
    q[: dyn.n_linear][rest] += span * v[: dyn.n_linear][rest]
    _put(q, p.points_q, _at(state.q, p.points_q) @ A.T + move)
    _put(v, p.points, _at(state.v, p.points) @ A.T)
    _put(q, p.vectors, _at(state.q, p.vectors) @ A.T)
    _put(v, p.vectors, _at(state.v, p.vectors) @ A.T)
    parts = [(places, A) for places in (*p.points, *p.vectors)]
    for i, (k, iq, R) in enumerate(zip(p.turns, p.turns_q, _frames(state.q, p), strict=True)):
        turn, rate = (np.eye(3), np.zeros(3)) if p.own[i] else (A, seen_by.rate)
        omega = R @ state.v[k : k + 3]
        after = turn @ from_vector(span * (omega - rate)) @ R
        q[iq : iq + 4] = to_quaternion(after)
        v[k : k + 3] = after.T @ turn @ omega
        parts.append((np.arange(k, k + 3), after.T @ turn @ R))
    placed = np.zeros(dyn.n_v, dtype=bool)
    for places, _ in parts:
        placed[places[places >= 0]] = True
    X = csc_array(_blocks(dyn.n_v, parts) + diags_array((~placed).astype(np.float64)))
    there = state._replace(t=state.t + span, q=q, v=v)
    return there._replace(a=predicted(dyn, there, seen_by)[1]), X


def go_along(dyn: Dynamics, state: StepState, seen_by: Observer, start: float, end: float) -> None:
    """Count the turns of angles on the way between two spans, as a run would."""
    if not dyn.turns.angular and not dyn.turns.based:
        return
    p = _places(dyn)
    spins = (state.v[p.turns[:, None] + np.arange(3)], seen_by.rate, state.v[dyn.angles_of_bodies])
    fast = max(float(np.abs(x).max(initial=0.0)) for x in spins)
    parts = min(int(np.ceil((end - start) * fast)) + 1, MOST_PARTS)
    for k in range(1, parts + 1):
        there, _ = advanced(dyn, state, seen_by, start + (end - start) * k / parts)
        dyn.set_time(there.t)
        dyn.residual(there.q, there.v, there.a, there.lam)
        dyn.accept(there.q)


def quaternion_places(dyn: Dynamics) -> IntArray:
    """Where quaternions begin in q."""
    return _places(dyn).turns_q


def rotation_blocks(dyn: Dynamics, state: StepState) -> csc_array:
    """X (n_v, n_v) that takes increments with rotations in inertial axes to those with rotations in body axes."""
    p = _places(dyn)
    parts = [(np.arange(k, k + 3), R.T) for k, R in zip(p.turns, _frames(state.q, p), strict=True)]
    rest = np.ones(dyn.n_v)
    for places, _ in parts:
        rest[places] = 0.0
    return csc_array(_blocks(dyn.n_v, parts) + diags_array(rest))


def body_rotations(dyn: Dynamics, state: StepState) -> tuple[csc_array, csc_array]:
    """Cross products (n_v, n_v) with angular velocities, and with their rates, on rotations in body axes."""
    places = [np.arange(k, k + 3) for k in _places(dyn).turns]
    of_v, of_a = (_blocks(dyn.n_v, [(p, skew(x[p])) for p in places]) for x in (state.v, state.a))
    return of_v, of_a


def spin_axis(dyn: Dynamics, state: StepState, seen_by: Observer) -> FloatArray:
    """The direction (3,), inertial, about which the observer turns, or, where he does not, what spins fastest."""
    p = _places(dyn)
    R = _frames(state.q, p)
    axis = seen_by.rate
    if not np.any(axis):
        spins = [R[i] @ state.v[k : k + 3] for i, k in enumerate(p.turns)]
        spins += [np.array([0.0, 0.0, state.v[k]]) for k in dyn.angles_of_bodies]
        axis = max(spins, key=lambda x: float(np.linalg.norm(x)), default=np.zeros(3))
    return np.asarray(axis / max(float(np.linalg.norm(axis)), 1e-300))


def spinning_vectors(
    dyn: Dynamics, state: StepState, seen_by: Observer
) -> tuple[IntArray, FloatArray, FloatArray]:  # fmt: skip
    """Places (n, 3) of all vectors in v, the axis of the spin in their axes (n, 3), and roots of their masses (n, 3).

    The axis is that of the observer, or, where he does not turn, of what spins fastest.
    """
    p = _places(dyn)
    R = _frames(state.q, p)
    axis = spin_axis(dyn, state, seen_by)
    triples = np.concatenate((p.points, p.vectors, p.turns[:, None] + np.arange(3)))
    turning = [axis if alone else frame.T @ axis for frame, alone in zip(R, p.own, strict=True)]
    axes = np.concatenate((np.tile(axis, (len(p.points) + len(p.vectors), 1)), np.array(turning).reshape(-1, 3)))
    return triples, axes, np.sqrt(np.maximum(_at(dyn.mass, triples), 0.0))


def name_of_frame(dyn: Dynamics, state: StepState, seen_by: Observer) -> str:
    """In words: "inertial", or the first body that stands still for the observer."""
    if not np.any(seen_by.rate):
        return "inertial"
    p, c = _places(dyn), dyn.coordinates
    own = dict(zip(p.turns.tolist(), own_spins(dyn, state, seen_by), strict=True))
    rate = float(np.linalg.norm(seen_by.rate))
    for body in dyn.system.model.rigid_bodies:
        places = c.velocities(body)
        frame, angle = [k for k in places.tolist() if k in own], np.intersect1d(places, c.angles)
        still = bool(frame) and bool(np.linalg.norm(own[frame[0]]) <= FITS * rate)
        still = still or bool(len(angle) and abs(state.v[angle[0]] - seen_by.rate[2]) <= FITS * rate)
        if still:
            return f"body {body.name!r}"
    for flexible in c.bodies:
        return f"body {flexible.name!r}"
    return "what turns"
