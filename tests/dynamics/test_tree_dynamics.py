"""`TreeDynamics`: closed forms, long chains, the topology matrix, approximate Newton matrices, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees
from tests.kernels.trees import reference
from tests.models.flexible_trees import arm
from tests.models.random_trees import GRAVITY, random_tree


def chain(n: int, joint: trees.TreeJoint, angle: float = 0.1, rate: float = 0.0) -> trees.Tree:
    """Rods of length 1 one behind the other."""
    start = Rotation.from_rotvec([0.2, angle, 0.1]) if joint.ball else np.full(joint.n_v, angle)
    return trees.Tree(
        *(
            trees.Link(
                f"rod {i}", 1.0, (0.01, 1 / 12, 1 / 12), (0.5, 0, 0), f"rod {i - 1}" if i else None, joint,
                (float(i > 0), 0, 0), start=start, rate=np.full(joint.n_v, rate),
            )
            for i in range(n)
        )
    )  # fmt: skip


def test_double_pendulum_against_its_textbook_equations():
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 1.1, 9.81
    tree = trees.Tree(
        trees.Link("one", m1, (0, 0, 0), (0, 0, -l1), joint=trees.Revolute((0, -1, 0)), start=0.4, rate=1.2),
        trees.Link(
            "two", m2, (0, 0, 0), (0, 0, -l2), "one", trees.Revolute((0, -1, 0)), (0, 0, -l1), start=0.3, rate=-2.0
        ),
    )
    d = trees.TreeDynamics(tree, (0, 0, -g))
    q, v = d.start
    a, b = q[0], q[0] + q[1]  # angles from the vertical
    wa, wb = v[0], v[0] + v[1]
    M = np.array([[(m1 + m2) * l1**2, m2 * l1 * l2 * np.cos(a - b)], [m2 * l1 * l2 * np.cos(a - b), m2 * l2**2]])
    f = -np.array(
        [
            m2 * l1 * l2 * wb**2 * np.sin(a - b) + (m1 + m2) * g * l1 * np.sin(a),
            -m2 * l1 * l2 * wa**2 * np.sin(a - b) + m2 * g * l2 * np.sin(b),
        ]
    )
    absolute = np.linalg.solve(M, f)
    assert d.forward(q, v) == pytest.approx([absolute[0], absolute[1] - absolute[0]], rel=1e-13)


def test_spinning_top_keeps_its_momenta():
    """Euler's equations of a free body: the rates of the momenta of a rotation are p x w, those of a place nothing."""
    J = np.diag([0.3, 0.2, 0.4])
    tree = trees.Tree(trees.Link("top", 2.0, np.diag(J), joint=trees.Free(), rate=(1.0, 2.0, 3.0, 0.5, -1.5, 2.5)))
    d = trees.TreeDynamics(tree)
    q, v = d.start
    p = d.momenta(q, v)
    w = v[3:]
    assert p == pytest.approx(np.concatenate((2.0 * v[:3], J @ w)), rel=1e-14)
    back, rates = d.canonical_rates(q, p)
    assert back == pytest.approx(v, rel=1e-14)
    assert rates == pytest.approx(np.concatenate((np.zeros(3), np.cross(J @ w, w))), abs=1e-14)


def test_momenta_and_accelerations_give_the_same_motion():
    """A branched tree over 1 s by both sets of first-order equations, with the tolerance of the integrator."""
    tree = random_tree(14)
    assert not any(link.joint.ball for link in tree.links)
    d = trees.TreeDynamics(tree, GRAVITY)
    n, (q, v) = d.n_v, d.start

    def second_order(_, y):
        return np.concatenate((y[n:], d.forward(y[:n].copy(), y[n:].copy())))

    def canonical(_, y):
        return np.concatenate(d.canonical_rates(y[:n].copy(), y[n:].copy()))

    def run(rates, y):
        return solve_ivp(rates, (0, 1), y, method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]

    end = run(second_order, np.concatenate((q, v)))
    other = run(canonical, np.concatenate((q, d.momenta(q, v))))
    assert other[:n] == pytest.approx(end[:n], abs=1e-8)
    assert other[n:] == pytest.approx(d.momenta(end[:n].copy(), end[n:].copy()), abs=1e-7)
    assert sum(d.energy(end[:n].copy(), end[n:].copy())) == pytest.approx(sum(d.energy(q, v)), rel=1e-9)


@pytest.mark.parametrize("joint", [trees.Revolute((0, 1, 0)), trees.Universal(), trees.Spherical()], ids=str)
def test_long_chain(joint):
    """Inverse dynamics undoes forward dynamics on 500 links, and the three methods agree on 60."""
    d = trees.TreeDynamics(chain(500, joint), (0, 0, -9.81))
    q, v = d.start
    a = d.forward(q, v)
    assert np.abs(d.inverse(q, v, a)).max() < 1e-12 * 500 * 9.81 * 250  # against the moment of its weight
    d = trees.TreeDynamics(chain(60, joint), (0, 0, -9.81))
    q, v = d.start
    a, tolerance = d.forward(q, v), 1e-15 * np.linalg.cond(d.mass(q))
    for method in ("composite", "direct"):
        assert np.abs(d.forward(q, v, method=method) - a).max() < tolerance * np.abs(a).max()


def test_topology_matrix():
    """Xue and others: M = S^T L I L^T S, L marking what hangs on what; all in one frame."""
    tree = random_tree(20)
    d = trees.TreeDynamics(tree, GRAVITY)
    n = d.n_v
    zero = np.zeros((1, n))
    m = reference.motion(tree, zero, zero, zero)
    blocks_S, L, blocks_I = np.zeros((6 * n, n)), np.zeros((6 * n, 6 * len(tree.links))), []
    for i, link in enumerate(tree.links):
        J, R, p = m.J[i][0].real, m.R[i][0].real, m.p[i][0].real
        c = reference.tilde(p + R @ link.centre)
        turned = R @ link.inertia @ R.T - link.mass * c @ c
        blocks_I.append(np.block([[link.mass * np.eye(3), -link.mass * c], [link.mass * c, turned]]))
        for k in np.flatnonzero(J.any(0)):
            blocks_S[6 * k : 6 * k + 6, k] = J[:, k]
            L[6 * k : 6 * k + 6, 6 * i : 6 * i + 6] = np.eye(6)
    inertia = np.zeros((6 * len(blocks_I),) * 2)
    for i, block in enumerate(blocks_I):
        inertia[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = block
    M = blocks_S.T @ L @ inertia @ L.T @ blocks_S
    assert np.abs(d.mass(d.start[0]) - M).max() < 1e-12 * np.abs(M).max()


def newton(d: trees.TreeDynamics, terms: str, h: float, K: np.ndarray, D: np.ndarray) -> tuple[int, np.ndarray]:
    """Iterations of an implicit step of Park's method by Pogorelov, and its accelerations."""
    alpha = beta = 0.6 * h
    q0, v0 = d.start
    a = np.zeros(d.n_v)
    for iteration in range(1, 200):
        v, q = v0 + alpha * a, d.move(q0, alpha * v0 + beta**2 * a)
        residual = d.inverse(q, v, a) + K @ (q - q0) + D @ v
        change = np.linalg.solve(d.newton_matrix(q, v, a, (beta**2, alpha), K, D, terms), residual)
        a = a - change
        if np.abs(change).max() < 1e-10 * max(1.0, np.abs(a).max()):
            return iteration, a
    return 200, a


def fast_chain() -> trees.TreeDynamics:
    return trees.TreeDynamics(chain(6, trees.Revolute((0, 1, 0)), 0.4, 3.0), (0, 0, -9.81))


def test_approximate_newton_matrices():
    """They reach the same accelerations; the exact matrix in the fewest iterations, a cheap one where it belongs."""
    d = fast_chain()
    stiff, none = 1e6 * np.eye(d.n_v), np.zeros((d.n_v, d.n_v))
    springs = {terms: newton(d, terms, 1e-2, stiff, none) for terms in ("all", "velocity", "forces")}
    dampers = {terms: newton(d, terms, 1e-3, none, 1e-2 * stiff) for terms in ("all", "velocity", "forces")}
    for runs in (springs, dampers):
        exact = runs["all"]
        assert exact[0] <= 6
        for count, a in runs.values():
            assert count >= exact[0]
            if count < 200:
                assert a == pytest.approx(exact[1], rel=1e-8, abs=1e-8)
    assert springs["forces"][0] <= 15
    assert springs["velocity"][0] == 200  # it knows nothing of the springs
    assert dampers["velocity"][0] <= 8
    assert dampers["forces"][0] <= 15


def test_names_and_layout():
    tree = trees.Tree(
        trees.Link("hip", 1.0, (1, 1, 1), joint=trees.Spherical()),
        trees.Link("knee", 1.0, (1, 1, 1), (0, 0, -1), "hip", trees.Universal(), start=(0.1, 0.2)),
    )
    d = trees.TreeDynamics(tree)
    assert (d.n_v, d.n_q) == (5, 9)
    assert d.names == (
        "hip: rotation about x", "hip: rotation about y", "hip: rotation about z", "knee: angle 1", "knee: angle 2",
    )  # fmt: skip
    assert d.start[0].tolist() == [0, 0, 0, 0.1, 0.2, 1, 0, 0, 0]


@pytest.fixture(scope="module")
def small() -> trees.TreeDynamics:
    ball = trees.Link("ball", 1.0, (1, 1, 1), joint=trees.Spherical())
    return trees.TreeDynamics(trees.Tree(ball, name="toy"), (0, 0, -9.81))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda d, q, v: d.forward(q[:3], v), "q must have shape (7,), not (3,)"),
        (lambda d, q, v: d.forward(q, [1, 2]), "v must have shape (3,), not (2,)"),
        (lambda d, q, v: d.forward(q, v * np.nan), "v must be finite, but entry 0 is nan"),
        (lambda d, q, v: d.forward(q, v, tau=v + np.inf), "tau must be finite, but entry 0 is inf"),
        (lambda d, q, v: d.inverse(q, v, v * np.nan), "a must be finite"),
        (lambda d, q, v: d.inverse(2 * q, v, v), "the quaternion of the joint of Link 'ball', has length 2; divide it"),
        (lambda d, q, v: d.forward(2 * q, v), "the quaternion of the joint of Link 'ball', has length 2; divide it"),
        (lambda d, q, v: d.poses(0 * q), "has length 0"),
        (lambda d, q, v: d.mass(q, method="fast"), "method must be one of composite, direct, not 'fast'"),
        (lambda d, q, v: d.forward(q, v, method="fast"), "method must be one of articulated, composite, direct"),
        (lambda d, q, v: d.newton_matrix(q, v, v, (1, 1), terms="some"), "terms must be one of all, velocity, forces"),
        (lambda d, q, v: d.forward(q, v, wrenches=np.zeros((2, 6))), "wrenches must have shape (1, 6)"),
        (lambda d, q, v: d.jacobian(q, "bell"), "did you mean 'ball'"),
        (lambda d, q, v: trees.TreeDynamics("toy"), "tree must be a Tree, not 'toy'"),
        (lambda d, q, v: trees.TreeDynamics(d.tree, (0, 1)), "gravity must have shape (3,)"),
        (lambda d, q, v: trees.TreeDynamics(trees.Tree(trees.Link("a", 1, joint=trees.Fixed()))), "no joint moves"),
    ],
)  # fmt: skip
def test_bad_input(small, call, words):
    q, v = small.start
    with pytest.raises(fx.ModelError) as caught:
        call(small, q, v)
    assert words in str(caught.value)


def test_flexible_links_are_for_models():
    (flexible,) = arm().trees
    with pytest.raises(fx.ModelError, match="for rigid links; put flexible ones into a Model"):
        trees.TreeDynamics(flexible)


def test_position_without_inertia():
    """A mass point that reaches the axis of the first joint: there the mass matrix is singular."""
    slider = trees.Tree(
        trees.Link("arm", joint=trees.Revolute((0, 0, 1))),
        trees.Link("point", 1.0, parent="arm", joint=trees.Prismatic((1, 0, 0)), start=1.0),
    )
    d = trees.TreeDynamics(slider)
    for method in ("articulated", "composite", "direct"):
        with pytest.raises(fx.SingularError, match="moves no inertia"):
            d.forward([0.0, 0.0], [0.0, 0.0], method=method)
    with pytest.raises(fx.SingularError, match="moves no inertia"):
        d.canonical_rates([0.0, 0.0], [0.0, 0.0])
