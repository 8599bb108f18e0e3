"""The marker that slides along a cable: against differences, and against the interpolation of the cable element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, State
from flexmbs.core.section import BeamStiffness
from flexmbs.elements import PlanarCable
from flexmbs.markers.cable_point import CABLE_POINT

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
    element = PlanarCable()
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
