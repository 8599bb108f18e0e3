"""The methods that keep constraints, against their definitions: projectors, scores, quaternions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.consistent_state import assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.constraints.coordinate_partitioning import dependent, shares
from flexmbs.integrators.constraints.dense_rows import DenseRows, Rows, decompose
from flexmbs.integrators.constraints.null_space import split_accelerations
from flexmbs.integrators.constraints.quaternions import move_straight, renormalise
from flexmbs.integrators.index_one import IndexOne
from flexmbs.kernels.steps import retract

G = 9.81


class Mass:
    """In the place of `DenseRows`: a mass matrix alone."""

    def __init__(self, mass: np.ndarray) -> None:
        self.mass, self.n = mass, len(mass)

    def inverse_mass(self, x: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.mass, x)


def random_problem(seed: int, m: int = 3, n: int = 7):
    """A, dA/dt, c, dc/dt, M, f; entries of size one."""
    r = np.random.default_rng(seed)
    root = r.standard_normal((n, n))
    M = root @ root.T + n * np.eye(n)
    return r.standard_normal((m, n)), r.standard_normal((m, n)), *r.standard_normal((2, m)), M, r.standard_normal(n)


def mechanism() -> fx.Model:
    """A driven crank in space with a bob on a ball joint: time enters."""
    crank = fx.RigidBody.box(size=(0.4, 0.05, 0.05), mass=2.0, position=(0.2, 0, 0), name="crank")
    bob = fx.RigidBody(0.7, (0.02, 0.03, 0.04), position=(0.4, 0.1, -0.3), name="bob")
    hinge = fx.RevoluteJoint(fx.ground, crank, at=(0, 0, 0), axis=(0, 1, 2), name="hinge")
    motor = fx.RotationDriver(hinge, fx.motions.Sine(0.4, frequency=0.5), name="motor")
    ball = fx.SphericalJoint(crank, bob, at=(0.4, 0, 0), name="ball")
    return fx.Model(crank, bob, hinge, motor, ball, fx.Gravity((0, 0, -G)))


def at_start(model: fx.Model) -> tuple[IndexOne, DenseRows, np.ndarray, np.ndarray]:
    """Equations at a consistent state at t = 0."""
    dyn = Dynamics(fx.compile_model(model))
    dyn.start_turns(0.0)
    found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), dyn.coordinates.velocity.copy())
    e = IndexOne(dyn)
    e.evaluate(0.0, found.q, found.v)
    return e, DenseRows(e), found.q, found.v


# --- null space ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_identities_of_the_projector(seed: int) -> None:
    """Aghili and Piedboeuf: Pdot = -(S + S^T), Q^T P = P Q = 0, Q^T v = -R c, eq. 17 = KKT."""
    A, Ad, c, cd, M, f = random_problem(seed)
    m, n = A.shape
    found = decompose(A)
    pinv = np.array([found.least(e) for e in np.eye(m)]).T
    P = np.array([found.freely(e) for e in np.eye(n)])
    assert pinv == pytest.approx(A.T @ np.linalg.inv(A @ A.T), abs=1e-13)
    assert pytest.approx(np.eye(n) - pinv @ A, abs=1e-13) == P
    assert pytest.approx(P, abs=1e-13) == P @ P
    Q = pinv @ Ad
    S, R = Q @ P, Ad.T @ np.linalg.inv(A @ A.T)
    h = 1e-5
    ahead, behind = (np.array([decompose(A + x * Ad).freely(e) for e in np.eye(n)]) for x in (h, -h))
    assert (ahead - behind) / (2 * h) == pytest.approx(-(S + S.T), abs=1e-8)
    assert pytest.approx(0.0, abs=1e-13) == Q.T @ P
    assert pytest.approx(0.0, abs=1e-13) == P @ Q
    v = P @ np.random.default_rng(seed + 99).standard_normal(n) - pinv @ c
    assert A @ v + c == pytest.approx(0.0, abs=1e-13)
    assert Q.T @ v == pytest.approx(-R @ c, abs=1e-13)
    gamma = Ad @ v + cd
    a, lam = split_accelerations(found, Mass(M), f, gamma)
    exact = np.linalg.solve(np.block([[M, A.T], [A, np.zeros((m, m))]]), -np.concatenate((f, gamma)))
    assert a == pytest.approx(exact[:n], abs=1e-13)
    assert lam == pytest.approx(exact[n:], abs=1e-12)
    # eq. 17, scleronomic: a = -P M^-1 (f + A^T lam) - Q v with v = P v
    v = P @ v
    a, lam = split_accelerations(found, Mass(M), f, Ad @ v)
    assert -P @ np.linalg.solve(M, f + A.T @ lam) - Q @ v == pytest.approx(a, abs=1e-13)


def test_redundant_rows_have_the_multipliers_of_least_norm() -> None:
    A, Ad, _, _, M, f = random_problem(7)
    twice = np.vstack((A, A[0] + A[1]))
    gamma = np.append(Ad[:, 0], Ad[0, 0] + Ad[1, 0])
    a, lam = split_accelerations(decompose(twice), Mass(M), f, gamma)
    b, mu = split_accelerations(decompose(A), Mass(M), f, Ad[:, 0])
    assert a == pytest.approx(b, abs=1e-12)
    assert lam == pytest.approx(np.linalg.lstsq(twice.T, A.T @ mu, rcond=None)[0], abs=1e-12)


def test_identities_on_a_mechanism() -> None:
    """A crank that is driven in time, and a bob: the projector along the motion, and the KKT solution."""
    e, rows, q, v = at_start(mechanism())
    dyn = e.dynamics
    A = rows.matrix().copy()
    found = decompose(A)
    assert found.S.shape == (len(A),)
    c, cd = -dyn.motion[:, 1], -dyn.motion[:, 2]
    free = rows.reduced(v)
    assert A @ free + c == pytest.approx(0.0, abs=1e-13)
    assert np.abs(c).max() > 0.1
    gamma, force = dyn.gamma_here(v).copy(), rows.reduced(dyn.r[: e.n_v]).copy()
    a, lam = split_accelerations(found, rows, force, gamma)
    n, m = rows.n, len(A)
    exact = np.linalg.solve(np.block([[rows.mass, A.T], [A, np.zeros((m, m))]]), -np.concatenate((force, gamma)))
    scale = np.abs(exact).max()
    assert a == pytest.approx(exact[:n], abs=1e-13 * scale)
    assert lam == pytest.approx(exact[n:], abs=1e-12 * scale)
    h, along = 1e-5, []
    for step in (h, -h):
        moved = np.empty_like(q)
        retract(q, step * v, dyn.n_linear, moved)
        e.evaluate(step, moved, v)
        along.append(rows.matrix().copy())
    Ad = (along[0] - along[1]) / (2 * h)
    P = np.array([found.freely(x) for x in np.eye(n)])
    Q = np.array([found.least(x) for x in Ad.T]).T
    Pd = np.array([decompose(along[0]).freely(x) - decompose(along[1]).freely(x) for x in np.eye(n)]) / (2 * h)
    assert Pd == pytest.approx(-(Q @ P + (Q @ P).T), abs=1e-7)
    assert pytest.approx(0.0, abs=1e-12) == Q.T @ P
    assert pytest.approx(0.0, abs=1e-12) == P @ Q
    R = Ad.T @ np.linalg.inv(A @ A.T)
    assert Q.T @ free == pytest.approx(-R @ c, abs=1e-11)
    assert Ad @ free + cd == pytest.approx(gamma, abs=1e-7 * max(1.0, np.abs(gamma).max()))


# --- coordinate partitioning -----------------------------------------------------------------------------------------


def pendulum(angle: float) -> fx.Model:
    """A point at (cos, sin) of the angle."""
    ball = fx.PointMass(3.0, position=(math.cos(angle), math.sin(angle)), name="ball")
    return fx.Model(
        ball, fx.DistanceConstraint(fx.ground.marker_at((0, 0)), ball.centre, name="rod"), fx.Gravity((0, -G))
    )


@pytest.mark.parametrize("degrees", [0, 20, 44.9, 45.1, 70, 90, 130, 300])
def test_shares_of_a_planar_pendulum(degrees: float) -> None:
    """Along the rod: cos^2 and sin^2 of its angle; the dependent coordinate changes at 45 degrees."""
    angle = math.radians(degrees)
    _, rows, _, _ = at_start(pendulum(angle))
    found = decompose(rows.matrix())
    share = shares(found, rows)
    assert share == pytest.approx([math.cos(angle) ** 2, math.sin(angle) ** 2], abs=1e-14)
    assert dependent(share, found).tolist() == [0 if abs(math.cos(angle)) > abs(math.sin(angle)) else 1]


def test_shares_add_up_to_the_rank() -> None:
    """trace(M^-1 G^T (G M^-1 G^T)^-1 G) = r, with redundant rows too; and the definition, entry by entry."""
    A, *_ = random_problem(3)
    M = np.diag(np.random.default_rng(3).uniform(0.5, 4.0, 7))
    exact = np.diag(A.T @ np.linalg.inv(A @ np.linalg.inv(M) @ A.T) @ A) / np.diag(M)
    for G_ in (A, np.vstack((A, A[0] - 2.0 * A[2]))):
        share = shares(decompose(G_), Mass(M))
        assert share == pytest.approx(exact, abs=1e-13)
        assert share.sum() == pytest.approx(3.0, abs=1e-12)
        assert share.max() < 1.0 + 1e-14


def test_a_singular_block_is_not_chosen() -> None:
    """Two equal columns with the largest shares: only one of them depends."""
    B = np.array([[1.0, 1.0, 0.2, 0.0], [0.0, 0.0, 0.3, 0.9]])
    found = decompose(B)
    chosen = dependent(np.array([0.9, 0.9, 0.5, 0.1]), found)
    assert chosen.tolist() == [0, 2]


def test_independent_coordinates_are_kept() -> None:
    """Of a pendulum near the horizontal, y stays and x is corrected; the other choice moves it farther."""
    e, _, q, _ = at_start(pendulum(0.2))
    keeper = fx.integrators.CoordinatePartitioning().keeper(e)
    off, speed = q + np.array([1e-3, 0.0]), np.array([0.3, 1.0])
    new, rate = keeper.project(0.0, off, speed)
    assert new[1] == off[1]
    assert rate[1] == speed[1]
    assert np.hypot(*new) == pytest.approx(1.0, abs=1e-13)
    assert new @ rate == pytest.approx(0.0, abs=1e-13)
    along = abs(math.atan2(new[1], new[0]) - math.atan2(off[1], off[0]))
    other = math.asin(math.sqrt(1.0 - off[0] ** 2)) - math.atan2(off[1], off[0])
    assert along < 0.1 * abs(other)


# --- projections -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("defect", [0.3, 0.01, -0.05, 1e-6])
def test_renormalisation_in_closed_form(defect: float) -> None:
    """After the step D_b the defect g of a quaternion is g^2 / (4 (1 + g)), exactly."""
    e = np.random.default_rng(1).standard_normal(4)
    q = np.concatenate((np.zeros(3), e / np.linalg.norm(e) * math.sqrt(1.0 + defect)))
    straight = q[3:].copy()
    renormalise(q, 0)
    rounding = 10 * np.finfo(float).eps  # of a sum of squares about one, each of a number rounded three times
    assert q[3:] @ q[3:] - 1.0 == pytest.approx(defect**2 / (4.0 * (1.0 + defect)), abs=rounding)
    assert q[3:] == pytest.approx(straight * (1.0 - 0.5 * defect / (1.0 + defect)), rel=1e-14)


def test_straight_lines_are_the_retraction_to_first_order() -> None:
    """And the length of a quaternion grows with the square of the increment only: 1 + |d|^2 / 4."""
    r = np.random.default_rng(2)
    q = r.standard_normal(9)
    q[5:] /= np.linalg.norm(q[5:])
    gaps = []
    for size in (1e-2, 1e-3):
        d = size * r.standard_normal(8)
        straight, exact = np.empty(9), np.empty(9)
        move_straight(q, d, 2, straight)
        retract(q, d, 2, exact)
        assert straight[5:] @ straight[5:] - 1.0 == pytest.approx(d[5:] @ d[5:] / 4.0, rel=1e-9)
        gaps.append(np.abs(straight - exact).max() / (d @ d))
    assert max(gaps) < 0.5


@pytest.mark.parametrize(
    ("kept", "positions", "velocities"),
    [
        (fx.integrators.SuccessiveProjection(), 1e-8, 1e-5),
        (fx.integrators.StandardProjection(), 1e-13, 1e-12),
        (fx.integrators.AscherProjection(times=4), 1e-13, 1e-7),
        (fx.integrators.NullSpace(), 1e-13, 1e-12),
        (fx.integrators.CoordinatePartitioning(), 1e-13, 1e-12),
    ],
    ids=lambda x: "" if isinstance(x, float) else type(x).__name__,
)
def test_projection_from_a_distance(kept, positions: float, velocities: float) -> None:
    """A state 1e-3 off comes back; a state on the constraints stays where it is."""
    e, _, q, v = at_start(mechanism())
    keeper = kept.keeper(e)
    same, speed = keeper.project(0.0, q, v)
    assert same == pytest.approx(q, abs=1e-12)
    assert speed == pytest.approx(v, abs=1e-12)
    r = np.random.default_rng(4)
    off = np.empty_like(q)
    retract(q, 1e-3 * r.standard_normal(e.n_v), e.dynamics.n_linear, off)
    new, rate = keeper.project(0.0, off, v + 1e-3 * r.standard_normal(e.n_v))
    assert e.gap() < positions
    assert np.abs(e.dynamics.rates()).max() < velocities
    assert np.abs(new - q).max() < 5e-3
    assert np.abs(rate - v).max() < 2e-2


def test_standard_projection_is_the_least_in_the_metric_of_the_mass() -> None:
    """The change of positions is orthogonal, in the mass, to all motions that the constraints allow."""
    e, _, q, v = at_start(pendulum(0.4))
    off = q + np.array([1e-3, 2e-3])
    new, _ = fx.integrators.StandardProjection().keeper(e).project(0.0, off, v)
    assert new == pytest.approx(off / np.hypot(*off), abs=1e-8)


def test_zero_rank() -> None:
    empty = decompose(np.zeros((2, 3)))
    assert isinstance(empty, Rows)
    assert empty.least(np.ones(2)) == pytest.approx(np.zeros(3))
    assert empty.freely(np.arange(3.0)) == pytest.approx(np.arange(3.0))
