"""Tables of Denavit and Hartenberg against products of 4 x 4 matrices, and the closed loop of Bernier and others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs import trees


def turn(axis, angle):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(angle * np.eye(3)["xyz".index(axis)]).as_matrix()
    return T


def shift(axis, length):
    T = np.eye(4)
    T["xyz".index(axis), 3] = length
    return T


def body(alpha=0.0, a=0.0, eps=0.0, gamma=0.0):
    """C: the shape of a body towards the next one."""
    return shift("z", eps) @ turn("z", gamma) @ turn("x", alpha) @ shift("x", a)


def joint(theta_star=0.0, d_star=0.0, alpha_star=0.0, theta=0.0, d=0.0):
    """L, with its five parameters."""
    return turn("z", theta_star) @ shift("z", d_star) @ turn("x", alpha_star) @ turn("z", theta) @ shift("z", d)


def pose(tree, q, name):
    p, R = trees.TreeDynamics(tree).poses(q)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R[tree.index(name)], p[tree.index(name)]
    return T


def solid(name, **numbers):
    return trees.DHRow(name, mass=1.0, inertia=(0.1, 0.2, 0.25), centre=(0.1, 0.05, 0.02), **numbers)


A, B, C, D, E, F, G = 0.3, 0.7, -0.4, 1.1, 0.25, -0.6, 0.35
SHAPE = {"alpha": A, "a": B, "eps": C, "gamma": D}
X, Y, Z, W = 0.21, -0.33, 0.47, 0.15


@pytest.mark.parametrize(
    ("kind", "numbers", "q", "moved"),
    [
        ("fixed", {"theta": E, "d": F}, [], {"theta": E, "d": F}),
        ("revolute", {"theta": E, "d": F}, [X], {"theta": E + X, "d": F}),
        ("prismatic", {"theta": E, "d": F}, [X], {"theta": E, "d": F + X}),
        ("cylindrical", {"theta": E, "d": F}, [X, Y], {"theta": E + Y, "d": F + X}),
        (
            "universal",
            {"theta_star": D, "d_star": E, "alpha_star": 1.2, "theta": F, "d": G},
            [X, Y],
            {"theta_star": D + X, "d_star": E, "alpha_star": 1.2, "theta": F + Y, "d": G},
        ),
        (
            "spherical-prismatic",
            {"theta_star": D, "alpha_star": 1.2, "theta": F, "d": G},
            [X, Y, Z, W],
            {"theta_star": D + X, "alpha_star": 1.2 + Y, "theta": F + Z, "d": G + W},
        ),
    ],
)
def test_modified_joints(kind, numbers, q, moved):
    """Behind a body with all four numbers, and before another one."""
    tree = trees.dh_tree(
        solid("first", theta=0.4),
        solid("second", joint=kind, **SHAPE, **numbers),
        solid("third", a=0.5, theta=-0.2),
        convention="modified",
    )
    wanted = joint(theta=0.4 + 0.1) @ body(**SHAPE) @ joint(**moved)
    found = pose(tree, [0.1, *q, 0.3], "second")
    assert found == pytest.approx(wanted, abs=1e-14)
    assert pose(tree, [0.1, *q, 0.3], "third") == pytest.approx(wanted @ body(a=0.5) @ joint(theta=0.1), abs=1e-14)


@pytest.mark.parametrize("slides", [False, True])
def test_balls(slides):
    """Quaternions for the Euler angles of the table: z, x, z."""
    numbers = {"theta_star": 0.3, "alpha_star": 0.8, "theta": -0.5} | ({"d_star": 0.4} if slides else {})
    kind = "prismatic-spherical" if slides else "spherical"
    tree = trees.dh_tree(solid("ball", joint=kind, **SHAPE, **numbers), convention="modified")
    q = trees.TreeDynamics(tree).start[0]
    assert pose(tree, q, "ball") == pytest.approx(body(**SHAPE) @ joint(**numbers), abs=1e-14)
    end = joint(0.6, 0.4 + 0.2 if slides else 0.0, 1.1, -0.9)
    between = joint(**numbers)[:3, :3].T @ end[:3, :3]
    turned = Rotation.from_matrix(between).as_quat(scalar_first=True)
    q = np.concatenate(([0.2] * slides, np.zeros(3), turned))
    assert pose(tree, q, "ball") == pytest.approx(body(**SHAPE) @ end, abs=1e-14)


def test_standard_convention():
    """The first three axes of a PUMA 560 (P. Corke, Robotics, Vision and Control, 2017): angles added to nothing."""
    table = [(np.pi / 2, 0.0, 0.0), (0.0, 0.4318, 0.0), (-np.pi / 2, 0.0203, 0.15005)]  # alpha, a, d
    q = np.array([0.4, -0.7, 1.1])
    rows = [solid(f"{i}", alpha=alpha, a=a, d=d) for i, (alpha, a, d) in enumerate(table)]
    tree = trees.dh_tree(*rows, convention="standard")
    T = np.eye(4)
    for i, (alpha, a, d) in enumerate(table):
        T = T @ turn("z", q[i]) @ shift("z", d) @ shift("x", a) @ turn("x", alpha)
        assert pose(tree, q, f"{i}") == pytest.approx(T, abs=1e-14)


def test_conventions_give_the_same_robot():
    """Standard rows are modified ones with alpha and a a row later: same axes, so the same mass matrix for points."""
    alpha, a, d = (0.7, -0.4, 0.0), (0.2, 0.5, 0.3), (0.1, 0.3, -0.2)
    tip = {"mass": 2.0, "inertia": (0.1, 0.2, 0.15), "centre": (0.1, 0.0, 0.05)}
    standard = trees.dh_tree(
        *(trees.DHRow(f"{i}", alpha=alpha[i], a=a[i], d=d[i], **tip if i == 2 else {}) for i in range(3)),
        convention="standard",
    )
    rows = [trees.DHRow(f"{i}", alpha=((0.0, *alpha))[i], a=((0.0, *a))[i], d=d[i]) for i in range(3)]
    modified = trees.dh_tree(*rows, trees.DHRow("tip", "fixed", alpha=alpha[2], a=a[2], **tip), convention="modified")
    one, other = trees.TreeDynamics(standard), trees.TreeDynamics(modified)
    q = np.array([0.3, -0.5, 0.9])
    assert one.mass(q) == pytest.approx(other.mass(q), rel=1e-13)


# --- Bernier, Dequidt, Valdes: a closed loop of revolute, universal, spherical and revolute joints -------------------

RIGHT = np.pi / 2
LOOP = {
    "alpha_01": 0.3, "d_01": 1.2, "r1": 0.2, "alpha_1": 0.4, "d_1": 0.4, "r2_star": 0.05, "r2": 0.1, "d_2": 1.0,
    "d_3": 0.7, "r5": 0.15,
}  # fmt: skip


def rusr() -> trees.Tree:
    """The table of the paper (its d and r are a and d) with lengths of our own; 4 and 5 are both sides of the cut."""
    n = LOOP
    return trees.dh_tree(
        solid("1", d=n["r1"]),
        solid("2", joint="universal", alpha=n["alpha_1"], a=n["d_1"], d_star=n["r2_star"], alpha_star=RIGHT, d=n["r2"]),
        solid("3", joint="spherical", a=n["d_2"]),
        trees.DHRow("4", "fixed", a=n["d_3"]),
        solid("5", alpha=n["alpha_01"], a=n["d_01"], d=n["r5"], parent="base"),
        convention="modified",
    )


def both_sides(q):
    """0T4 and 0T5 of the paper; q: q1, q21, q22, phi, nutation, psi, q5."""
    n = LOOP
    first = joint(theta=q[0], d=n["r1"]) @ body(n["alpha_1"], n["d_1"])
    second = joint(q[1], n["r2_star"], RIGHT, q[2], n["r2"]) @ body(0.0, n["d_2"])
    four = first @ second @ joint(q[3], 0.0, q[4], q[5]) @ body(0.0, n["d_3"])
    return four, body(n["alpha_01"], n["d_01"]) @ joint(theta=q[6], d=n["r5"])


def closed() -> np.ndarray:
    """A position in which the loop is closed, by the 4 x 4 matrices alone, with the crank held."""

    def gap(x):
        four, five = both_sides(np.array([0.3, *x]))
        return (four - five)[:3].ravel()

    found = least_squares(gap, [0.4, 0.2, 0.5, 1.0, 0.3, 0.6], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.abs(gap(found.x)).max() < 1e-12
    return np.array([0.3, *found.x])


def test_closed_loop():
    """Both sides of the cut as the paper writes them; seven coordinates, six equations of rank six: one freedom."""
    angles = closed()
    four, five = both_sides(angles)
    tree = rusr()
    d = trees.TreeDynamics(tree)
    ball = Rotation.from_matrix(joint(angles[3], 0.0, angles[4], angles[5])[:3, :3]).as_quat(scalar_first=True)
    q = np.array([*angles[:3], 0, 0, 0, angles[6], *ball])
    assert pose(tree, q, "4") == pytest.approx(four, abs=1e-13)
    assert pose(tree, q, "5") == pytest.approx(five, abs=1e-13)
    G = d.jacobian(q, "4") - d.jacobian(q, "5")
    assert G.shape == (6, 7)
    values = np.linalg.svd(G, compute_uv=False)
    assert values[-1] > 1e-2 * values[0]
    # the one motion left keeps the loop closed to first order
    motion, h = np.linalg.svd(G)[2][-1], 1e-6
    ahead, behind = d.move(q, h * motion), d.move(q, -h * motion)
    rates = [(pose(tree, ahead, name) - pose(tree, behind, name)) / (2 * h) for name in ("4", "5")]
    assert rates[0] == pytest.approx(rates[1], abs=1e-8)
    assert np.abs(rates[0]).max() > 0.1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: trees.DHRow("a", "revolve"), "did you mean 'revolute'"),
        (
            lambda: trees.DHRow("a", alpha_star=1.0),
            "for joints with an intermediate frame; 'revolute' has none",
        ),
        (lambda: trees.DHRow("a", "universal"), "with alpha_star=0 its first and last rotation have one axis"),
        (lambda: trees.DHRow("a", "spherical", d=1.0), "d must be zero"),
        (lambda: trees.DHRow("a", alpha=90), "90 degrees are 1.5708 rad"),
        (lambda: trees.DHRow("a", d=np.nan), "DHRow 'a': d must be finite"),
        (
            lambda: trees.dh_tree(solid("a"), convention="craig"),
            "must be 'modified' or 'standard', not 'craig'",
        ),
        (lambda: trees.dh_tree(solid("a", gamma=0.1), convention="standard"), "gamma is of the modified convention"),
        (lambda: trees.dh_tree(solid("a", joint="spherical"), convention="standard"), "has no joint 'spherical'"),
        (lambda: trees.dh_tree(solid("a"), "b", convention="modified"), "rows must be DHRow objects, not 'b'"),
        (lambda: trees.dh_tree(solid("a", parent="c"), convention="modified"), "there is no link named 'c'"),
    ],
)
def test_bad_tables(call, words):
    with pytest.raises(fx.ModelError) as caught:
        call()
    assert words in str(caught.value)


def test_no_silent_other_robot():
    """The same numbers are two robots, so the convention is asked for; letters of other authors are refused."""
    with pytest.raises(TypeError, match="convention"):
        trees.dh_tree(solid("a", a=1.0))
    with pytest.raises(TypeError, match="'r'"):
        trees.DHRow("a", r=1.0)
    with pytest.raises(TypeError, match="positional"):
        trees.DHRow("a", "revolute", 0.1)
