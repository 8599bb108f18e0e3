"""The marker that slides along a cable: against differences, and against the interpolation of the cable element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, State, Work
from flexmbs.core.section import BeamStiffness
from flexmbs.elements import ANCFCable2D
from flexmbs.kernels.markers.cable_point import CABLE_POINT

START = np.array([0.5, 1.5, 2.25, 4.0])
ELEMENTS = len(START) - 1
NODAL = 4 * (ELEMENTS + 1)


def sliding(bench: Any, rng: np.random.Generator, s: FloatArray) -> Any:
    """Markers on one cable, with the places ``s`` and nodes numbered at random."""
    n = len(s)
    nodal = rng.permutation(NODAL)
    q = rng.normal(size=NODAL + n)
    q[nodal.reshape(-1, 4)] = 0.3 * q[nodal.reshape(-1, 4)] + [3.0, 1.0, 2.0, 1.0] * np.ones((ELEMENTS + 1, 4))
    q[nodal.reshape(-1, 4)[:, 0]] += 2.0 * START
    q[NODAL:] = s
    dofs = np.stack([np.append(nodal, NODAL + i) for i in range(n)])
    group = CABLE_POINT.group(
        mk=np.arange(n), row=np.arange(n) * (NODAL + 1), dofs=dofs, pdofs=dofs.copy(), b1=3,
        start=np.tile(START, (n, 1)), R_BM=Rotation.random(n, rng=rng).as_matrix(),
    )  # fmt: skip
    return bench(CABLE_POINT, group, q, rng.normal(size=NODAL + n))


@pytest.mark.parametrize("seed", range(3))
def test_promises_hold(seed: int, bench: Any, check_markers: Callable[..., None]) -> None:
    rng = np.random.default_rng(seed)
    made = sliding(bench, rng, np.array([0.9, 2.0, 3.3]))
    check_markers(made, 0.1 * rng.uniform(-1, 1, size=NODAL + 3))


def test_position_and_tangent_are_those_of_the_cable(bench: Any) -> None:
    """Position by the element's own interpolation; its slope by differences of that; nodes give nodal values."""
    x = np.array([0.2, 0.5, 0.9])
    rng = np.random.default_rng(7)
    made = sliding(bench, rng, START[:-1] + x * np.diff(START))
    nodes = made.q[made.group.dofs[0, :NODAL]].reshape(-1, 4)
    straight = np.zeros((ELEMENTS + 1, 4))
    straight[:, 0], straight[:, 2] = START, 1.0
    cells = np.stack((np.arange(ELEMENTS), np.arange(1, ELEMENTS + 1)), axis=1)
    element = ANCFCable2D()
    own = np.arange(NODAL).reshape(-1, 4)[cells].reshape(-1, 8)
    table = element.tabulate(
        straight[cells][:, :, :2], straight[cells].reshape(-1, 8), own,
        BeamStiffness(EA=1.0, EI_z=1.0, mass_per_length=1.0), 0,
    )  # fmt: skip
    at = lambda x: element.positions(table, nodes.ravel(), 2.0 * x - 1.0)[np.arange(3), np.arange(3)]  # noqa: E731
    work = made.place(made.q)
    np.testing.assert_allclose(work.p[:, :2], at(x), atol=1e-13)
    h = 1e-4
    tangent = (at(x + h) - at(x - h)) / (2 * h)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    R = work.R @ made.group.R_BM.swapaxes(1, 2)
    np.testing.assert_allclose(R[:, :2, 0], tangent, atol=1e-6)
    made.q[NODAL:] = START[[0, 2, 3]]
    np.testing.assert_allclose(made.place(made.q).p[:, :2], nodes[[0, 2, 3], :2], atol=1e-13)


def test_twist_is_continuous_in_position_across_a_node(bench: Any) -> None:
    made = sliding(bench, np.random.default_rng(8), np.array([1.5 - 1e-9, 1.5 + 1e-9]))
    made.v[NODAL:] = 2.0
    work = made.tangent(made.q, np.zeros(NODAL + 2))
    np.testing.assert_allclose(work.p[0], work.p[1], atol=1e-7)
    np.testing.assert_allclose(work.twist[0, :3], work.twist[1, :3], atol=1e-6)
    J = made.dense(work.JT)
    np.testing.assert_allclose(J[0, :3, :NODAL], J[1, :3, :NODAL], atol=1e-7)


@pytest.mark.parametrize(("s", "refused"), [(0.5, -1), (4.0, -1), (0.499, 1), (4.001, 1), (np.nan, 1)])
def test_leaving_the_cable_is_refused(s: float, refused: int, bench: Any) -> None:
    made = sliding(bench, np.random.default_rng(9), np.array([2.0, s]))
    state = State(made.q, made.v, made.v, made.v)
    for function in (made.kind.place, made.kind.place_tangent):
        assert function(made.group, state, Env(0.0, np.zeros(0)), made.work) == refused


def test_vanished_tangent_is_refused(bench: Any) -> None:
    made = sliding(bench, np.random.default_rng(9), np.array([2.0, 1.5]))
    made.q[made.group.dofs[0, 6:8]] = 0.0
    assert made.kind.place(made.group, made.state(made.q), Env(0.0, np.zeros(0)), made.work) == 1


def test_bead_on_a_cable_keeps_its_energy(bench: Any) -> None:
    """A bead falls onto a slack cable between two pins and slides over two of its nodes.

    The equations M a + f + G^T lam = 0, G a = gamma, with no mass for s, by an explicit method of high order: the joint
    does no work only if J, d(J v)/dq and the equation of s fit each other.
    """
    n, L, bead, gravity = 4, 0.5, 0.4, np.array([0.0, -9.81])
    nodes = np.zeros((n + 1, 4))
    nodes[:, 0], nodes[:, 2] = L * np.arange(n + 1), 1.0
    nodal = 4 * (n + 1)
    own = np.arange(nodal).reshape(-1, 4)
    cells = np.stack((np.arange(n), np.arange(1, n + 1)), axis=1)
    element = ANCFCable2D()
    table = element.tabulate(
        nodes[cells][:, :, :2], nodes[cells].reshape(-1, 8), own[cells].reshape(-1, 8),
        BeamStiffness(EA=200.0, EI_z=0.05, mass_per_length=0.3), 0,
    )  # fmt: skip
    size = nodal + 3  # the cable, the bead, s
    M, load = np.zeros((size, size)), np.zeros(size)
    for dofs, m, f in zip(table.dofs, element.mass(table), element.body_load(table, gravity, True), strict=True):
        M[np.ix_(dofs, dofs)] += m
        load[dofs] += f
    M[[-3, -2], [-3, -2]], load[-3:-1] = bead, bead * gravity
    free = np.setdiff1d(np.arange(size), [0, 1, 4 * n, 4 * n + 1])
    s0 = 0.3 * L
    q = np.concatenate((nodes.ravel(), [s0, 0.0, s0]))
    v = np.zeros(size)
    v[-3] = v[-1] = 3.0
    dofs = np.append(own.ravel(), size - 1)[None]
    group = CABLE_POINT.group(
        mk=np.array([0]), row=np.array([0]), dofs=dofs, pdofs=dofs, b1=0, start=L * np.arange(n + 1.0)[None],
        R_BM=np.eye(3)[None],
    )  # fmt: skip
    made = bench(CABLE_POINT, group, q, v)

    def accelerations(q: FloatArray, v: FloatArray) -> FloatArray:
        state, work = made.state(q, v), made.work
        work.r[:] = -load
        assert element.force(table, state, Env(0.0, np.zeros(0)), Work(work.r, work.B)) == -1
        assert CABLE_POINT.place_tangent(group, state, Env(0.0, np.zeros(0)), work) == -1
        G = -made.dense(work.JT)[0, :2]
        G[:, -3:-1] += np.eye(2)
        gamma = (made.dense(work.JvT)[0] @ v)[:2]
        matrix = np.block([[M[np.ix_(free, free)], G[:, free].T], [G[:, free], np.zeros((2, 2))]])
        a = np.zeros(size)
        a[free] = np.linalg.solve(matrix, np.concatenate((-work.r[free], gamma)))[:-2]
        return a

    def energy(y: FloatArray) -> float:
        q, v = np.split(y, 2)
        return float(0.5 * v @ M @ v - load @ q + element.energy(table, q).sum())

    run = solve_ivp(
        lambda t, y: np.concatenate((y[size:], accelerations(*np.split(y, 2)))), (0.0, 0.5), np.concatenate((q, v)),
        method="DOP853", rtol=1e-9, atol=1e-10,
    )  # fmt: skip
    start, end = energy(run.y[:, 0]), energy(run.y[:, -1])
    assert run.y[size - 1, -1] > 2.5 * L
    assert end == pytest.approx(start, abs=1e-6 * bead * 3.0**2)
    made.q[:] = run.y[:size, -1]
    np.testing.assert_allclose(made.place(made.q).p[0, :2], made.q[-3:-1], atol=1e-7)
