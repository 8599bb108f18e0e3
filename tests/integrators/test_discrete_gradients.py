"""Discrete gradients: exact work, exact momenta, exact derivatives, item by item."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import Env, FloatArray, State, Work
from flexmbs.core.rotations import skew
from flexmbs.elements import ANCFCable2D, ANCFCable3D, CableStrain
from flexmbs.elements.cable_gradient import cable_gradient
from flexmbs.kernels.markers.planar_slope import PlanarSlopeMarkers
from flexmbs.kernels.mean_markers import slope_jacobians, slope_pull
from flexmbs.kernels.rows.row_gradients import EXACT, row_change
from flexmbs.kernels.rows.rows import ALONG, ANGLE, DISTANCE, INERTIAL, ORTHOGONAL, row_value

ROUND = 1e-12


def _cables(element: Any, dim: int) -> tuple[fx.System, Any]:
    end = (1.0,) + (0.0,) * (dim - 1)
    body = fx.FlexibleBody.line(
        (0.0,) * dim, end, elements=3, element=element, name="cable",
        stiffness=fx.BeamStiffness(EA=100.0, EI_z=2.0, mass_per_length=1.0),
    )  # fmt: skip
    system = fx.compile_model(fx.Model(body))
    return system, system.terms[0].group


CASES = list(itertools.product(((ANCFCable2D, 2), (ANCFCable3D, 3)), CableStrain, (0.0, 0.3)))


@pytest.fixture(params=CASES, ids=lambda c: f"{c[0][0].__name__}-{c[1].name}-{c[2]}")
def cable(request: pytest.FixtureRequest) -> tuple[Any, Any, int, FloatArray, FloatArray]:
    """Element, group, dimension and two states far from each other."""
    (kind, dim), strain, curvature = request.param
    element = kind(strain=strain)
    system, group = _cables(element, dim)
    group = group._replace(kappa0=np.full_like(group.kappa0, curvature))
    random = np.random.default_rng(3)
    q0, q1 = (system.coordinates.reference + 0.1 * random.standard_normal(system.coordinates.n) for _ in range(2))
    return element, group, dim, q0, q1


def _between(group: Any, q0: FloatArray, q1: FloatArray, weight: float = 1.0) -> Work:
    work = Work(np.zeros(len(q0)), np.zeros(group.b1 + 16 * len(group.dofs) * group.dofs.shape[1] ** 2))
    assert cable_gradient(group, q0, q1, work, weight) == -1
    return work


def test_cable_does_the_work_of_its_energy(cable: Any) -> None:
    element, group, _, q0, q1 = cable
    before, after = (float(element.energy(group, q).sum()) for q in (q0, q1))
    work = float(_between(group, q0, q1).r @ (q1 - q0))
    assert abs(work - (after - before)) < ROUND * max(before, after)


def test_cable_forces_have_no_resultant(cable: Any) -> None:
    _, group, dim, q0, q1 = cable
    force = _between(group, q0, q1).r.reshape(-1, dim)
    place = 0.5 * (q0 + q1).reshape(-1, dim)
    size = float(np.abs(force).max())
    assert np.abs(force[0::2].sum(axis=0)).max() < ROUND * size
    pad = ((0, 0), (0, 3 - dim))
    assert np.abs(np.cross(np.pad(place, pad), np.pad(force, pad)).sum(axis=0)).max() < ROUND * size


def test_cable_forces_of_equal_states_are_the_gradient(cable: Any) -> None:
    element, group, _, q0, _ = cable
    found = _between(group, q0, q0.copy()).r
    work = Work(np.zeros(len(q0)), np.zeros(0))
    element.force(group, State(q0, 0.0 * q0, 0.0 * q0, np.zeros(0)), Env(0.0, np.zeros(0)), work)
    assert np.abs(found - work.r).max() < ROUND * np.abs(work.r).max()


def test_cable_derivative(cable: Any) -> None:
    _, group, dim, q0, q1 = cable
    n, k = len(q0), 4 * dim
    B = _between(group, q0, q1, 0.7).B
    K = np.zeros((n, n))
    for e, dofs in enumerate(group.dofs):
        K[np.ix_(dofs, dofs)] += B[group.b1 + e * k * k : group.b1 + (e + 1) * k * k].reshape(k, k)
    exact = np.empty((n, n))
    for j, unit in enumerate(1e-6 * np.eye(n)):
        exact[:, j] = (_between(group, q0, q1 + unit).r - _between(group, q0, q1 - unit).r) / 2e-6
    assert np.abs(K - 0.7 * exact).max() < 1e-8 * np.abs(K).max()


def _cayley(c: FloatArray) -> FloatArray:
    half = 0.5 * skew(c)
    return np.asarray(np.linalg.solve(np.eye(3) - half, np.eye(3) + half))


CONSTANTS = {
    INERTIAL: (0.3, -0.8, 0.5), ALONG: (0.3, -0.8, 0.5), ORTHOGONAL: (0.3, -0.8, 0.5, 0.6, 0.1, -0.7), DISTANCE: (),
    ANGLE: (),
}  # fmt: skip


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("size", [1e-5, 0.4])
def test_rows_change_by_their_mean_gradients(kind: int, size: float) -> None:
    random = np.random.default_rng(kind)
    c = np.zeros((1, 12))
    c[0, : len(CONSTANTS[kind])] = CONSTANTS[kind]
    p0 = random.standard_normal((2, 3))
    R0 = np.array([_cayley(0.5 * x) for x in random.standard_normal((2, 3))])
    move, turn = size * random.standard_normal((2, 3)), size * random.standard_normal((2, 3))
    p1, R1 = p0 + move, np.array([_cayley(t) @ R for t, R in zip(turn, R0, strict=True)])
    near = np.array([row_value(kind, 0, c, np.zeros(1), 0, 1, p0, R0)])

    def change(p: FloatArray, R: FloatArray) -> FloatArray:
        S = np.zeros((64, 12))
        row_change(kind, 0, c, 0, 1, p0, R0, p, R, S)
        return S

    S = change(p1, R1)
    exact = row_value(kind, 0, c, near, 0, 1, p1, R1) - near[0]
    motion = np.concatenate((move[0], turn[0], move[1], turn[1]))
    assert abs(S[12] @ motion - exact) < 1e-14
    n, a, b = S[12, 6:9], S[12, 3:6], S[12, 9:12]
    if kind != INERTIAL:  # which belongs to inertial axes, so to the ground
        mean = 0.5 * (p0 + p1)
        assert np.abs(np.cross(mean[1] - mean[0], n) + a + b).max() < 1e-13
    gradient, H = np.empty(12), np.empty((12, 12))
    for j, unit in enumerate(1e-6 * np.eye(12)):
        sides = []
        for s in (1.0, -1.0):
            p = p1 + s * unit.reshape(2, 2, 3)[:, 0]
            R = np.array([_cayley(s * t) @ A for t, A in zip(unit.reshape(2, 2, 3)[:, 1], R1, strict=True)])
            sides.append((change(p, R)[12], row_value(kind, 0, c, near, 0, 1, p, R)))
        H[:, j] = (sides[0][0] - sides[1][0]) / 2e-6
        gradient[j] = (sides[0][1] - sides[1][1]) / 2e-6
    assert np.abs(S[13] - gradient).max() < 1e-8
    assert np.abs(S[:12] - H).max() < 1e-8


@pytest.mark.parametrize("stretch", [1.0, 1.4])
def test_slopes_turn_by_their_mean_jacobian(stretch: float) -> None:
    """c = 2 tan(turn / 2) exactly, and a moment gives the slope as much angular momentum."""
    one = np.zeros(1, dtype=np.int64)
    group = PlanarSlopeMarkers(one, one, np.array([[0, 1, 2, 3]]), np.array([[2, 3]]), 0, np.eye(3)[None])
    q0, turn = np.array([0.0, 0.0, 0.9, -0.3]), 0.7
    cos, sin = stretch * np.cos(turn), stretch * np.sin(turn)
    q1 = np.array([1.0, 2.0, cos * q0[2] - sin * q0[3], sin * q0[2] + cos * q0[3]])

    def jacobian(q: FloatArray) -> tuple[FloatArray, FloatArray]:
        Jm, Je = np.zeros((4, 6)), np.zeros((4, 6))
        slope_jacobians(group, q0, q, np.zeros(4), Jm, Je)
        return Jm, Je

    Jm, Je = jacobian(q1)
    assert abs(Jm[2:, 5] @ (q1 - q0)[2:] - 2.0 * np.tan(turn / 2.0)) < 1e-14
    mean = 0.5 * (q0 + q1)[2:]
    assert abs(mean[0] * Jm[3, 5] - mean[1] * Jm[2, 5] - 1.0) < 1e-14
    W, B = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.3]]), np.zeros(4)
    slope_pull(group, q0, q1, W, Je, 0.5, B)
    for j in range(2):
        unit = 1e-6 * np.eye(4)[2 + j]
        exact = (jacobian(q1 + unit)[0] - jacobian(q1 - unit)[0])[2:, 5] / 2e-6
        assert np.abs(B.reshape(2, 2)[:, j] - 0.5 * 1.3 * exact).max() < 1e-8
