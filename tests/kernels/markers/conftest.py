"""A bench for kernels of markers: work arrays, the manifold of the coordinates, and differences along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.kernels.markers.kind import MarkerKind

ENV = Env(0.0, np.zeros(0))


def skew(a: FloatArray) -> FloatArray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def tangent_operator(theta: FloatArray) -> FloatArray:
    """exp(theta~)^T d exp(theta~) by its integral: int_0^1 exp(-u theta~) du, by Gauss' rule."""
    x, w = np.polynomial.legendre.leggauss(20)
    return sum(
        0.5 * wi * Rotation.from_rotvec(-0.5 * (1 + xi) * theta).as_matrix() for xi, wi in zip(x, w, strict=True)
    )


@dataclass
class Bench:
    """A group of markers on coordinates of which ``rigid`` (first q, first v) belong to rigid bodies."""

    kind: MarkerKind
    group: Any
    q: FloatArray
    v: FloatArray
    rigid: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        n_r = max([r + self.group.dofs.shape[1] for r in self.group.row], default=0)
        n_m = max(self.group.mk, default=-1) + 1
        kp = self.group.pdofs.shape[1]
        full = lambda *shape: np.full(shape, np.nan)  # noqa: E731
        self.work = MarkerWork(
            r=np.zeros(len(self.v)), B=full(self.group.b1 + n_m * kp * kp), p=full(n_m, 3), R=full(n_m, 3, 3),
            twist=full(n_m, 6), W=np.random.default_rng(5).normal(size=(n_m, 6)), JT=full(n_r, 6), JcT=full(n_r, 6),
            JvT=full(n_r, 6), T=np.tile(np.eye(3), (max(len(self.rigid), 1), 1, 1)), S=full(64, 12),
        )  # fmt: skip
        self.kind.constants(self.group, self.work)

    def state(self, q: FloatArray, v: FloatArray | None = None) -> State:
        return State(q, self.v if v is None else v, np.zeros(len(self.v)), np.zeros(0))

    def retract(self, q: FloatArray, dq: FloatArray) -> FloatArray:
        new, linear = q.copy(), np.ones(len(dq), dtype=bool)
        for c, k in self.rigid:
            linear[k : k + 6] = False
            new[c : c + 3] += dq[k : k + 3]
            turned = Rotation.from_quat(q[c + 3 : c + 7], scalar_first=True) * Rotation.from_rotvec(dq[k + 3 : k + 6])
            new[c + 3 : c + 7] = turned.as_quat(scalar_first=True)
        where = np.flatnonzero(linear)
        new[where] += dq[where]
        return new

    def place(self, q: FloatArray) -> MarkerWork:
        assert self.kind.place(self.group, self.state(q), ENV, self.work) == -1
        return self.work

    def tangent(self, q: FloatArray, dq: FloatArray, factor: float = 1.0) -> MarkerWork:
        """All of place_tangent and pull at q o exp(dq)."""
        for j, (_, k) in enumerate(self.rigid):
            self.work.T[j] = tangent_operator(dq[k + 3 : k + 6])
        state = self.state(self.retract(q, dq))
        assert self.kind.place_tangent(self.group, state, ENV, self.work) == -1
        assert self.kind.pull(self.group, state, ENV, self.work, (factor, 7.0)) == -1
        return self.work

    def dense(self, rows: FloatArray) -> FloatArray:
        """(n, 6, n_v) of one of JT, JcT, JvT."""
        out = np.zeros((len(self.group.mk), 6, len(self.v)))
        for i, (first, dofs) in enumerate(zip(self.group.row, self.group.dofs, strict=True)):
            out[i][:, dofs] = rows[first : first + len(dofs)].T
        return out

    def blocks(self) -> FloatArray:
        """(n, n_v, n_v) of the pullback stiffness."""
        n_v, pdofs = len(self.v), self.group.pdofs
        n, kp = pdofs.shape
        out = np.zeros((n, n_v, n_v))
        stored = self.work.B[self.group.b1 : self.group.b1 + n * kp * kp].reshape(n, kp, kp)
        for i in range(n):
            out[i][np.ix_(pdofs[i], pdofs[i])] = stored[i]
        return out

    def pull_back(self, q: FloatArray) -> FloatArray:
        """(n, n_v): J^T W of every marker by itself."""
        J = self.dense(self.place(q).JT)
        return np.einsum("ikv,ik->iv", J, self.work.W[self.group.mk])


def slope(f: Callable[[float], FloatArray], h: float = 2e-3) -> FloatArray:
    """Derivative at 0 by central differences of sixth order."""
    d = (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)
    return np.asarray(d)


def gradient(f: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
    """Derivatives along every component, as the last axis."""
    return np.stack([slope(lambda h, e=e: f(at + h * e)) for e in np.eye(len(at))], axis=-1)


def check(bench: Bench, dq: FloatArray, tolerance: float = 1e-9) -> None:
    """Everything a marker promises, at q o exp(dq), against differences of the pose alone."""
    mk, q1 = bench.group.mk, bench.retract(bench.q, dq)
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max()))  # noqa: E731

    def pose(dq: FloatArray) -> FloatArray:
        work = bench.place(bench.retract(bench.q, dq))
        return np.concatenate((work.p[mk], work.R[mk].reshape(-1, 9)), axis=1)

    def relative(rates: FloatArray, R: FloatArray) -> FloatArray:
        """Velocity of the point and angular velocity in the marker's axes from the rates of a pose (n, 12, ...)."""
        W = np.einsum("iab,iac...->ibc...", R, rates[:, 3:].reshape(len(R), 3, 3, *rates.shape[2:]))
        close(W, -W.swapaxes(1, 2))
        return np.concatenate((rates[:, :3], W[:, [2, 0, 1], [1, 2, 0]]), axis=1)

    work = bench.place(q1)
    R, twist, J = work.R[mk].copy(), work.twist[mk].copy(), bench.dense(work.JT)
    close(np.einsum("iab,iac->ibc", R, R), np.broadcast_to(np.eye(3), R.shape))
    rates = slope(lambda h: pose_at(bench, bench.retract(q1, h * bench.v)))
    close(twist, relative(rates, R))
    close(J @ bench.v, twist)

    work = bench.tangent(bench.q, dq, factor=0.7)
    close(bench.dense(work.JT), J)
    Jc, Jv, K = bench.dense(work.JcT), bench.dense(work.JvT), bench.blocks()
    close(Jc, relative(gradient(pose, dq), R))
    moved = lambda dq: bench.place(bench.retract(bench.q, dq))  # noqa: E731
    close(Jv, gradient(lambda dq: bench.dense(moved(dq).JT) @ bench.v, dq))
    close(K, 0.7 * gradient(lambda dq: bench.pull_back(bench.retract(bench.q, dq)), dq))

    work = bench.tangent(q1, np.zeros_like(dq))
    accelerating = slope(lambda h: bench.dense(bench.place(bench.retract(q1, h * bench.v)).JT) @ bench.v)
    close(bench.dense(work.JvT) @ bench.v, accelerating)
    close(bench.dense(work.JcT), J)


def pose_at(bench: Bench, q: FloatArray) -> FloatArray:
    work, mk = bench.place(q), bench.group.mk
    return np.concatenate((work.p[mk], work.R[mk].reshape(-1, 9)), axis=1)


@pytest.fixture(scope="session")
def bench() -> type[Bench]:
    return Bench


@pytest.fixture(scope="session")
def check_markers() -> Callable[..., None]:
    return check
