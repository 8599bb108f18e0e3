"""Every type of marker against differences of its pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, IntArray, MarkerWork, State
from flexmbs.kernels.markers.cable_point import CABLE_POINT
from flexmbs.kernels.markers.directors import DIRECTORS
from flexmbs.kernels.markers.kind import MarkerKind
from flexmbs.kernels.markers.planar_linear import PLANAR_LINEAR
from flexmbs.kernels.markers.planar_rigid import PLANAR_RIGID
from flexmbs.kernels.markers.planar_slope import PLANAR_SLOPE
from flexmbs.kernels.markers.points import POINT
from flexmbs.kernels.markers.rigid import RIGID
from flexmbs.kernels.markers.spatial_linear import SPATIAL_LINEAR, coefficients
from flexmbs.kernels.markers.spatial_slope import SPATIAL_SLOPE, rebase

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


def spatial_slope(bench: Any, rng: np.random.Generator) -> Any:
    """Slopes up to 2.4 rad away from their references."""
    R0, turns = frames(rng), rng.uniform(0.0, 2.4, size=N)
    about = rng.normal(size=(N, 3))
    about -= np.einsum("ia,ia->i", about, R0[:, :, 0])[:, None] * R0[:, :, 0]
    about *= (turns / np.linalg.norm(about, axis=1))[:, None]
    slopes = np.einsum("iab,ib->ia", Rotation.from_rotvec(about).as_matrix(), R0[:, :, 0])
    group = SPATIAL_SLOPE.group(**layout(rng.permutation(18).reshape(N, 6), (3, 4, 5)), R0=R0, R_BM=frames(rng))
    q = rng.normal(size=18)
    q[group.dofs[:, 3:]] = slopes * rng.uniform(2.0, 4.0, size=(N, 1))
    return bench(SPATIAL_SLOPE, group, q, rng.normal(size=18))


def spatial_linear(bench: Any, rng: np.random.Generator) -> Any:
    group = SPATIAL_LINEAR.group(**layout(scattered(rng, 6), (3, 4, 5)), o=rng.normal(size=(N, 3)), R_BM=frames(rng))
    return bench(SPATIAL_LINEAR, group, rng.choice((0.1, 1.0)) * rng.normal(size=18), rng.normal(size=18))


def directors(bench: Any, rng: np.random.Generator) -> Any:
    """Directors of unequal length, up to about 50 degrees away from a right angle."""
    group = DIRECTORS.group(**layout(rng.permutation(27).reshape(N, 9), tuple(range(3, 9))), R_BM=frames(rng))
    q = rng.normal(size=27)
    R = frames(rng)
    q[group.dofs[:, 3:6]] = 2.0 * R[:, :, 1] + rng.uniform(-1.5, 1.5, size=(N, 1)) * R[:, :, 2]
    q[group.dofs[:, 6:]] = 1.5 * R[:, :, 2]
    return bench(DIRECTORS, group, q, rng.normal(size=27))


BUILDERS = (
    rigid, planar_rigid, planar_point, spatial_point, planar_slope, planar_linear, spatial_slope, spatial_linear,
    directors,
)  # fmt: skip
KINDS = (RIGID, PLANAR_RIGID, POINT, PLANAR_SLOPE, PLANAR_LINEAR, SPATIAL_SLOPE, SPATIAL_LINEAR, CABLE_POINT, DIRECTORS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("build", BUILDERS, ids=lambda b: b.__name__)
def test_promises_hold(build: Callable[..., Any], seed: int, bench: Any, check_markers: Callable[..., None]) -> None:
    rng = np.random.default_rng(seed)
    made = build(bench, rng)
    check_markers(made, 0.4 * rng.normal(size=len(made.v)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.name)
def test_empty_group_is_legal(kind: MarkerKind) -> None:
    """Nothing is refused, and what belongs to other groups stays as it is."""
    k = {RIGID: 6, PLANAR_SLOPE: 4, SPATIAL_SLOPE: 6, SPATIAL_LINEAR: 6, CABLE_POINT: 9, DIRECTORS: 9}.get(kind, 3)
    kp = {RIGID: 3, PLANAR_RIGID: 1, PLANAR_SLOPE: 2, SPATIAL_SLOPE: 3, SPATIAL_LINEAR: 3, CABLE_POINT: 9, DIRECTORS: 6}
    kp = kp.get(kind, 0)
    none = np.zeros(0, dtype=np.int64)
    named = {"dofs": none.reshape(0, k), "pdofs": none.reshape(0, kp), "b1": 0, "start": np.zeros((0, 2))}
    named |= {name: np.zeros((0, 3)) for name in ("s", "o")} | {name: np.zeros((0, 3, 3)) for name in ("R_BM", "R0")}
    named |= dict.fromkeys(("qi", "rot", "mk", "row"), none)
    group = kind.group(**{f: named[f] for f in kind.group._fields})
    work = MarkerWork(
        np.ones(9), np.ones(81), np.ones((1, 3)), np.ones((1, 3, 3)), np.ones((1, 6)), np.ones((1, 6)), np.ones((9, 6)),
        np.ones((9, 6)), np.ones((9, 6)), np.ones((1, 3, 3)), np.ones((64, 12)),
    )  # fmt: skip
    state, env = State(np.ones(9), np.ones(9), np.ones(9), np.ones(0)), Env(0.0, np.zeros(0))
    kind.constants(group, work)
    assert kind.place(group, state, env, work) == -1
    assert kind.place_tangent(group, state, env, work) == -1
    assert kind.pull(group, state, env, work, (1.0, 1.0)) == -1
    assert all((array == 1.0).all() for name, array in work._asdict().items() if name != "S")


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


def test_spatial_slope_frame_is_the_smallest_rotation(bench: Any) -> None:
    """Against the rotation vector: normal to both tangents, as long as the angle between them."""
    made = spatial_slope(bench, np.random.default_rng(1))
    work, group = made.place(made.q), made.group
    s = made.q[group.dofs[:, 3:]]
    t, t0 = s / np.linalg.norm(s, axis=1, keepdims=True), group.R0[:, :, 0]
    normal = np.cross(t0, t)
    angle = np.arctan2(np.linalg.norm(normal, axis=1), (t * t0).sum(axis=1))
    Q = Rotation.from_rotvec(normal * (angle / np.linalg.norm(normal, axis=1))[:, None]).as_matrix()
    np.testing.assert_allclose(work.R[MK], Q @ group.R0 @ group.R_BM, atol=1e-14)


def test_rebase_keeps_poses_and_tangential_motion(bench: Any, check_markers: Callable[..., None]) -> None:
    """Only the conventional spin about the tangent may change; afterwards the frame goes where it was refused."""
    made = spatial_slope(bench, np.random.default_rng(2))
    group = made.group

    t = made.q[group.dofs[:, 3:]]
    t = t / np.linalg.norm(t, axis=1, keepdims=True)

    def seen() -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position, orientation, rate of the tangent."""
        work = made.place(made.q)
        spin = np.einsum("iab,ib->ia", work.R[MK], work.twist[MK, 3:])
        return work.p[MK].copy(), work.R[MK].copy(), np.cross(spin, t)

    before = seen()
    assert rebase(group, made.q) == N
    for old, new in zip(before, seen(), strict=True):
        np.testing.assert_allclose(new, old, atol=1e-13)
    np.testing.assert_allclose(group.R0[:, :, 0], t, atol=1e-14)
    check_markers(made, 0.4 * np.random.default_rng(3).normal(size=18))


def test_rebase_spares_what_has_turned_little(bench: Any) -> None:
    made = spatial_slope(bench, np.random.default_rng(2))
    for node, turn in enumerate((0.1, 0.8, 1.2)):
        t0, b, _ = made.group.R0[node].T
        made.q[made.group.dofs[node, 3:]] = 1.7 * (np.cos(turn) * t0 + np.sin(turn) * b)
    R0 = made.group.R0.copy()
    assert rebase(made.group, made.q, beyond=1.0) == 1
    np.testing.assert_array_equal(made.group.R0[:2], R0[:2])
    assert np.abs(made.group.R0[2] - R0[2]).max() > 0.1


def test_frames_stay_orthonormal_over_many_rebases(bench: Any) -> None:
    rng = np.random.default_rng(6)
    made = spatial_slope(bench, rng)
    for _ in range(2000):
        made.q += 0.2 * rng.normal(size=18)
        rebase(made.group, made.q)
    R0 = made.group.R0
    np.testing.assert_allclose(R0.swapaxes(1, 2) @ R0, np.tile(np.eye(3), (N, 1, 1)), atol=1e-14)
    t = made.q[made.group.dofs[:, 3:]]
    np.testing.assert_allclose(R0[:, :, 0], t / np.linalg.norm(t, axis=1, keepdims=True), atol=1e-14)


def test_reversed_or_vanished_spatial_slope_is_refused(bench: Any) -> None:
    made = spatial_slope(bench, np.random.default_rng(0))
    t0, b, _ = made.group.R0[1].T.copy()
    for value, refused in ((-2.0 * t0, 1), (-t0 + 0.04 * b, 1), (-t0 + 0.05 * b, -1), (0.0 * t0, 1), (t0 * np.nan, 1)):
        q = made.q.copy()
        q[made.group.dofs[1, 3:]] = value
        for function in (made.kind.place, made.kind.place_tangent):
            state = State(q, made.v, made.v, made.v)
            assert function(made.group, state, Env(0.0, np.zeros(0)), made.work) == refused
    turned = made.q.copy()
    turned[made.group.dofs[1, 3:]] = b
    rebase(made.group, turned)
    turned[made.group.dofs[1, 3:]] = -t0
    made.place(turned)


def test_spatial_linear_rotation_is_the_exponential(bench: Any) -> None:
    made = spatial_linear(bench, np.random.default_rng(4))
    phi = made.q[made.group.dofs[:, 3:]]
    expected = Rotation.from_rotvec(phi).as_matrix() @ made.group.R_BM
    np.testing.assert_allclose(made.place(made.q).R[MK], expected, atol=1e-14)


@pytest.mark.parametrize("h", [0.0, 1e-9, 1e-3, 0.1, 0.499999, 0.500001, 1.0, 3.0])
def test_coefficients_of_the_tangent_operator(h: float) -> None:
    """Against their integrals: a = int cos(u h), b = int u cos((1-u) h) ..., all free of cancellation."""
    x, w = np.polynomial.legendre.leggauss(30)
    u, w = 0.5 * (1 + x), 0.5 * w
    sinc = np.sinc
    a = w @ np.cos(u * h)
    b = w @ (u * sinc(u * h / np.pi))  # (1 - cos h) / h^2 = int sin(u h) / h du
    c = w @ (u * u * 0.5 * sinc(u * h / (2 * np.pi)) ** 2)  # (h - sin h) / h^3 = int (1 - cos u h) / h^2 du
    # d sinc(k)/dk / k = -(sinc k - cos k) / k^2 = -int u^2 sinc(u k) du
    slope_of_sinc = lambda k: -(w * u * u) @ sinc(np.outer(u, k) / np.pi)  # noqa: E731
    db = w @ (u**3 * slope_of_sinc(u * h))
    dc = w @ (u**4 * 0.25 * sinc(u * h / (2 * np.pi)) * slope_of_sinc(0.5 * u * h))
    np.testing.assert_allclose(coefficients(h * h), (a, b, c, db, dc), rtol=2e-13)
