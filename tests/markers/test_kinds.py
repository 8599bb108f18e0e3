"""Every type of marker against differences of its pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, IntArray, State
from flexmbs.markers.kind import MarkerKind
from flexmbs.markers.planar_linear import PLANAR_LINEAR
from flexmbs.markers.planar_rigid import PLANAR_RIGID
from flexmbs.markers.planar_slope import PLANAR_SLOPE
from flexmbs.markers.points import POINT
from flexmbs.markers.rigid import RIGID

N = 3
MK = np.array([2, 0, 3])  # markers of other types lie between
B1 = 5


def frames(rng: np.random.Generator, n: int = N) -> FloatArray:
    return Rotation.random(n, rng=rng).as_matrix()


def layout(dofs: IntArray, pulled: tuple[int, ...]) -> dict[str, Any]:
    """The fields all groups have; two rows are left free between markers."""
    dofs = np.ascontiguousarray(dofs, dtype=np.int64)
    row = 1 + (dofs.shape[1] + 2) * np.array([1, 0, 2])
    pdofs = np.ascontiguousarray(dofs[:, list(pulled)])
    return {"mk": MK, "row": row, "dofs": dofs, "pdofs": pdofs, "b1": B1}


def scattered(rng: np.random.Generator, k: int) -> IntArray:
    """Coordinates of three nodes of k, two of which are shared by the last two markers (a hinged node)."""
    dofs = rng.permutation(N * k).reshape(N, k)
    dofs[2, :2] = dofs[1, :2]
    return dofs


def rigid(bench: Any, rng: np.random.Generator) -> Any:
    """Two bodies behind two linear coordinates; two markers on the second."""
    body = np.array([1, 0, 1])
    q = np.concatenate((rng.normal(size=2), *(
        np.concatenate((rng.normal(size=3), Rotation.random(rng=rng).as_quat(scalar_first=True))) for _ in range(2)
    )))  # fmt: skip
    dofs = 2 + 6 * body[:, None] + np.arange(6)
    group = RIGID.group(
        **layout(dofs, (3, 4, 5)), qi=2 + 7 * body, rot=body, s=rng.normal(size=(N, 3)), R_BM=frames(rng)
    )
    return bench(RIGID, group, q, rng.normal(size=14), rigid=((2, 2), (9, 8)))


def planar_rigid(bench: Any, rng: np.random.Generator) -> Any:
    group = PLANAR_RIGID.group(**layout(scattered(rng, 3), (2,)), s=rng.normal(size=(N, 3)), R_BM=frames(rng))
    return bench(PLANAR_RIGID, group, rng.normal(size=9), rng.normal(size=9))


def planar_point(bench: Any, rng: np.random.Generator) -> Any:
    group = POINT.group(**layout(scattered(rng, 2), ()), o=rng.normal(size=(N, 3)), R_BM=frames(rng))
    return bench(POINT, group, rng.normal(size=6), rng.normal(size=6))


def spatial_point(bench: Any, rng: np.random.Generator) -> Any:
    group = POINT.group(**layout(scattered(rng, 3), ()), o=rng.normal(size=(N, 3)), R_BM=frames(rng))
    return bench(POINT, group, rng.normal(size=9), rng.normal(size=9))


def planar_slope(bench: Any, rng: np.random.Generator) -> Any:
    group = PLANAR_SLOPE.group(**layout(scattered(rng, 4), (2, 3)), R_BM=frames(rng))
    return bench(PLANAR_SLOPE, group, 3.0 + rng.normal(size=12), rng.normal(size=12))


def planar_linear(bench: Any, rng: np.random.Generator) -> Any:
    group = PLANAR_LINEAR.group(**layout(scattered(rng, 3), ()), o=rng.normal(size=(N, 3)), R_BM=frames(rng))
    return bench(PLANAR_LINEAR, group, rng.normal(size=9), rng.normal(size=9))


BUILDERS = (rigid, planar_rigid, planar_point, spatial_point, planar_slope, planar_linear)
KINDS = (RIGID, PLANAR_RIGID, POINT, PLANAR_SLOPE, PLANAR_LINEAR)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("build", BUILDERS, ids=lambda b: b.__name__)
def test_promises_hold(build: Callable[..., Any], seed: int, bench: Any, check_markers: Callable[..., None]) -> None:
    rng = np.random.default_rng(seed)
    made = build(bench, rng)
    check_markers(made, 0.4 * rng.normal(size=len(made.v)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
def test_empty_group_is_legal(kind: MarkerKind, bench: Any) -> None:
    k = {RIGID: 6, PLANAR_SLOPE: 4}.get(kind, 3)
    kp = {RIGID: 3, PLANAR_RIGID: 1, PLANAR_SLOPE: 2}.get(kind, 0)
    none = np.zeros(0, dtype=np.int64)
    named = {"dofs": none.reshape(0, k), "pdofs": none.reshape(0, kp), "b1": 0, "s": np.zeros((0, 3))}
    named |= {"o": np.zeros((0, 3)), "R_BM": np.zeros((0, 3, 3)), "qi": none, "rot": none, "mk": none, "row": none}
    group = kind.group(**{f: named[f] for f in kind.group._fields})
    made = bench(kind, group, np.zeros(0), np.zeros(0))
    made.tangent(np.zeros(0), np.zeros(0))


def test_rigid_marker_on_a_turned_body(bench: Any) -> None:
    """A quarter turn about z takes the point (1, 0, 0) to (0, 1, 0); spinning about z it moves along -x."""
    group = RIGID.group(
        mk=np.array([0]), row=np.array([0]), dofs=np.arange(6)[None], pdofs=np.arange(3, 6)[None], b1=0,
        qi=np.array([0]), rot=np.array([0]), s=np.array([[1.0, 0, 0]]), R_BM=np.eye(3)[None],
    )  # fmt: skip
    half = np.sqrt(0.5)
    made = bench(RIGID, group, np.array([0, 0, 0, half, 0, 0, half]), np.array([0, 0, 0, 0, 0, 2.0]), rigid=((0, 0),))
    work = made.place(made.q)
    np.testing.assert_allclose(work.p[0], (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(work.R[0], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(work.twist[0], (-2, 0, 0, 0, 0, 2), atol=1e-15)


def test_planar_slope_frame_ignores_the_length_of_the_slope(bench: Any) -> None:
    group = PLANAR_SLOPE.group(
        mk=np.array([0]), row=np.array([0]), dofs=np.arange(4)[None], pdofs=np.arange(2, 4)[None], b1=0,
        R_BM=np.eye(3)[None],
    )  # fmt: skip
    made = bench(PLANAR_SLOPE, group, np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 6.0, 8.0]))
    work = made.place(made.q)
    np.testing.assert_allclose(work.R[0], [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(work.twist[0], 0, atol=1e-15)


def test_vanished_planar_slope_is_refused(bench: Any) -> None:
    made = planar_slope(bench, np.random.default_rng(0))
    for value in (0.0, np.nan):
        q = made.q.copy()
        q[made.group.dofs[1, 2:]] = value
        for function in (made.kind.place, made.kind.place_tangent):
            assert function(made.group, State(q, made.v, made.v, made.v), Env(0.0, np.zeros(0)), made.work) == 1
