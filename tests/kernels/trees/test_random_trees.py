"""The algorithms of trees against a second implementation and each other, on 220 random trees of all joints."""

from __future__ import annotations

import numpy as np
import pytest

from flexmbs import trees
from tests.kernels.trees import reference
from tests.models.random_trees import GRAVITY, TYPES, random_tree

NUMBERS = range(220)
ROUND_OFF = 1e-12
"""Relative; entries are sums of some hundred products of numbers of size one."""


class Case:
    """A tree at its start, with random accelerations, forces and wrenches, and the reference at no perturbation."""

    def __init__(self, number: int) -> None:
        self.tree = random_tree(number)
        self.dynamics = trees.TreeDynamics(self.tree, GRAVITY)
        self.q, self.v = self.dynamics.start
        rng = np.random.default_rng(number + 1_000_000)
        n = self.dynamics.n_v
        self.a, self.tau = rng.normal(size=(2, n))
        self.wrenches = rng.normal(size=(len(self.tree.links), 6))
        self.unit, self.zero = np.eye(n), np.zeros((1, n))

    def rows(self, x):
        return np.broadcast_to(x, (len(x), len(x)) if x.ndim == 1 else x.shape)


def close(found, wanted, tolerance=ROUND_OFF):
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    assert np.abs(found - wanted).max(initial=0.0) <= tolerance * scale


@pytest.fixture(scope="module", params=NUMBERS)
def case(request) -> Case:
    return Case(request.param)


def test_inverse_dynamics(case):
    d = case.dynamics
    wanted = reference.inverse(case.tree, case.zero, case.v[None], case.a[None], GRAVITY, case.wrenches)[0].real
    close(d.inverse(case.q, case.v, case.a, case.wrenches), wanted)


def test_mass(case):
    wanted = reference.mass(case.tree, case.zero)[0].real
    close(case.dynamics.mass(case.q), wanted)
    close(case.dynamics.mass(case.q, "direct"), wanted)


def test_three_ways_of_forward_dynamics(case):
    d, n = case.dynamics, case.dynamics.n_v
    M = reference.mass(case.tree, case.zero)[0].real
    h = reference.inverse(case.tree, case.zero, case.v[None], np.zeros((1, n)), GRAVITY, case.wrenches)[0].real
    wanted = np.linalg.solve(M, case.tau - h)
    tolerance = 1e-14 * max(100.0, np.linalg.cond(M))
    for method in ("articulated", "composite", "direct"):
        close(d.forward(case.q, case.v, case.tau, case.wrenches, method), wanted, tolerance)


def test_derivatives_of_inverse_dynamics(case):
    d, n = case.dynamics, case.dynamics.n_v
    v, a = np.tile(case.v, (n, 1)), np.tile(case.a, (n, 1))
    found = d.inverse_derivatives(case.q, case.v, case.a)
    by_q = reference.along(lambda x: reference.inverse(case.tree, x, v, a, GRAVITY), case.unit).T
    by_v = reference.along(lambda x: reference.inverse(case.tree, 0 * x, v + x, a, GRAVITY), case.unit).T
    close(found.q, by_q)
    close(found.v, by_v)


def test_kinematics(case):
    d = case.dynamics
    m = reference.motion(case.tree, case.zero, case.v[None], case.a[None])
    p, R = d.poses(case.q)
    twists = d.twists(case.q, case.v)
    point = np.array([0.2, -0.1, 0.4])
    for i, link in enumerate(case.tree.links):
        place, V, J = m.p[i][0].real, m.V[i][0].real, m.J[i][0].real
        close(p[i], place)
        close(R[i], m.R[i][0].real)
        close(twists[i], np.concatenate((V[:3] + np.cross(V[3:], place), V[3:])))
        x = place + m.R[i][0].real @ point
        close(d.jacobian(case.q, link.name, point), np.vstack((J[:3] - reference.tilde(x) @ J[3:], J[3:])))


def test_canonical_momenta(case):
    """p = M v; v from p; and the rates are those of p along the motion, by complex step."""
    d = case.dynamics
    M = reference.mass(case.tree, case.zero)[0].real
    p = d.momenta(case.q, case.v)
    close(p, M @ case.v)
    tolerance = 1e-14 * max(100.0, np.linalg.cond(M))
    v, rates = d.canonical_rates(case.q, p, case.tau, case.wrenches)
    close(v, case.v, tolerance)
    a = d.forward(case.q, case.v, case.tau, case.wrenches)
    turned = reference.along(lambda x: reference.mass(case.tree, x) @ case.v, case.v)[0]
    close(rates, M @ a + turned, 10 * tolerance)


def test_power_balance(case):
    """What forces and wrenches do is the rate of the energies; these by complex step along the velocities."""
    d = case.dynamics
    moved = 1j * reference.STEP * case.v[None]
    M = reference.mass(case.tree, moved)[0]
    kinetic = 0.5 * case.v @ M @ case.v
    potential = reference.potential(case.tree, moved, GRAVITY)[0]
    close(np.array(d.energy(case.q, case.v)), np.array([kinetic.real, potential.real]))
    rate = (kinetic.imag + potential.imag) / reference.STEP + case.v @ M.real @ case.a
    power = case.v @ d.inverse(case.q, case.v, case.a, case.wrenches) + np.sum(case.wrenches * d.twists(case.q, case.v))
    close(power, rate)


def test_centroidal_momentum(case):
    d = case.dynamics
    A, centre = d.centroidal(case.q)
    m = reference.motion(case.tree, case.zero, case.v[None], case.a[None])
    links = [i for i in range(len(case.tree.links)) if m.J[i].any()]  # those that move
    c = [m.p[i][0].real + m.R[i][0].real @ case.tree.links[i].centre for i in links]
    masses = np.array([case.tree.links[i].mass for i in links])
    middle = masses @ c / masses.sum()
    close(centre, middle)
    wanted = np.zeros(6)
    for place, mass, i in zip(c, masses, links, strict=True):
        V, R = m.V[i][0].real, m.R[i][0].real
        momentum = mass * (V[:3] + np.cross(V[3:], place))
        wanted[:3] += momentum
        wanted[3:] += np.cross(place - middle, momentum) + R @ case.tree.links[i].inertia @ R.T @ V[3:]
    close(A @ case.v, wanted)


def test_moves_of_coordinates(case):
    d = case.dynamics
    step = 0.3 * case.a / max(1.0, np.abs(case.a).max())
    close(d.step(case.q, d.move(case.q, step)), step)


@pytest.mark.parametrize("number", range(0, 220, 11))
def test_derivatives_of_forward_dynamics(number):
    case = Case(number)
    d, n = case.dynamics, case.dynamics.n_v
    v, none, tree = np.tile(case.v, (n, 1)), np.zeros((n, n)), case.tree

    def accelerations(x, y):
        h = reference.inverse(tree, x, v + y, none, GRAVITY)
        return np.linalg.solve(reference.mass(tree, x), (case.tau - h)[..., None])[..., 0]

    found = d.forward_derivatives(case.q, case.v, case.tau)
    tolerance = 1e-14 * max(100.0, np.linalg.cond(d.mass(case.q)))
    close(found.q, reference.along(lambda x: accelerations(x, 0 * x), case.unit).T, 10 * tolerance)
    close(found.v, reference.along(lambda x: accelerations(0 * x, x), case.unit).T, 10 * tolerance)


def test_all_types_are_there():
    """Each type of joint is in at least ten of the trees, and not only as the first."""
    seen = dict.fromkeys(TYPES, 0)
    inner = dict.fromkeys(TYPES, 0)
    for number in NUMBERS:
        names = [type(link.joint).__name__ for link in random_tree(number).links]
        for name in set(names):
            seen[name] += 1
        for name in set(names[1:]):
            inner[name] += 1
    assert min(seen.values()) >= 10
    assert min(n for name, n in inner.items() if name != "Free") >= 10
