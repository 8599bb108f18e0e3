"""The geometrically exact beam: derivatives along rotations, objectivity, inertia, gyroscopic moments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.errors import ModelError
from flexmbs.core.section import BeamStiffness
from flexmbs.core.section_matrix import SectionStiffness
from flexmbs.elements import GeometricallyExactBeam
from flexmbs.kernels.steps import retract, tangent_operators

PLAIN = BeamStiffness(
    EA=700.0, EI_y=5.0, EI_z=3.0, mass_per_length=1.3, GJ=2.0, GA_y=90.0, GA_z=60.0, rhoI_y=0.02, rhoI_z=0.03
)
FIRST = 3  # coordinates of vector spaces before
B1 = 5


@dataclass
class Chain:
    """Two elements, behind some coordinates of vector spaces."""

    element: GeometricallyExactBeam
    group: Any
    q: np.ndarray
    n_v: int

    def moved(self, step, q=None):
        out = np.empty(len(self.q))
        retract(self.q if q is None else q, step, FIRST, out)
        return out

    def force(self, q, v=None):
        v = np.zeros(self.n_v) if v is None else v
        r = np.zeros(self.n_v)
        state = State(q, np.ascontiguousarray(v), v, np.zeros(0))
        assert self.element.force(self.group, state, Env(0.0, np.zeros(0)), Work(r, np.zeros(0))) == -1
        return r

    def matrix(self, q, v, weights):
        n_e, k = self.group.dofs.shape
        r, B = np.zeros(self.n_v), np.full(B1 + n_e * k * k, np.nan)
        state = State(q, np.ascontiguousarray(v), v, np.zeros(0))
        assert self.element.tangent(self.group, state, Env(0.0, np.zeros(0)), Work(r, B), weights) == -1
        return r, self.assembled(B[B1:].reshape(n_e, k, k))

    def assembled(self, blocks):
        full = np.zeros((self.n_v, self.n_v))
        for dofs, block in zip(self.group.dofs, blocks, strict=True):
            full[np.ix_(dofs, dofs)] += block
        return full


def make(nodes=3, viscosity=0.0, stiffness=PLAIN, curved=True):
    """Two elements along an arc of 1 rad."""
    element = GeometricallyExactBeam(nodes=nodes)
    a = np.linspace(0.0, 1.0, 2 * (nodes - 1) + 1)
    points = np.column_stack((np.sin(a), 1 - np.cos(a), 0 * a)) if curved else np.column_stack((a, 0 * a, 0 * a))
    tangents = np.column_stack((np.cos(a), np.sin(a), 0 * a)) if curved else np.tile([1.0, 0, 0], (len(a), 1))
    reference = element.reference(points, tangents)
    cells = np.array([[0, 1], [1, 2]] if nodes == 2 else [[0, 2, 1], [2, 4, 3]])
    dofs = (FIRST + np.arange(6 * len(a)).reshape(-1, 6))[cells].reshape(2, -1)
    if viscosity:
        stiffness = replace(stiffness, retardation_time=viscosity)
    group = element.tabulate(points[cells], reference[cells].reshape(2, -1), dofs, stiffness, B1)
    q = np.concatenate((np.zeros(FIRST), reference.ravel()))
    return Chain(element, group._replace(n_linear=FIRST, T=np.tile(np.eye(3), (len(a), 1, 1))), q, FIRST + 6 * len(a))


def difference(f, n, h):
    e = np.eye(n)
    return np.stack([(8 * (f(h * d) - f(-h * d)) - (f(2 * h * d) - f(-2 * h * d))) / (12 * h) for d in e], axis=-1)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.mark.parametrize("viscosity", [0.0, 0.3])
@pytest.mark.parametrize("nodes", [2, 3])
def test_tangent_is_the_derivative_along_the_step(nodes, viscosity, rng):
    """K T at q o exp(step), with a coupled section: the derivative by the step, and D that by the velocities."""
    coupled = SectionStiffness.of(PLAIN, shear_centre=(0.1, 0.05))
    coupled = SectionStiffness(
        matrix=coupled.matrix, mass_per_length=1.3, rhoI_y=0.02, rhoI_z=0.03, retardation_time=viscosity
    )
    chain = make(nodes, stiffness=coupled)
    q = chain.moved(0.1 * rng.standard_normal(chain.n_v))
    step, v = 0.3 * rng.standard_normal(chain.n_v), rng.standard_normal(chain.n_v)
    tangent_operators(step, FIRST, chain.group.T)
    here = chain.moved(step, q)
    r, K = chain.matrix(here, v, (1.0, 0.0))
    _, D = chain.matrix(here, v, (0.0, 1.0))
    _, both = chain.matrix(here, v, (0.6, -1.7))
    by_step = difference(lambda d: chain.force(chain.moved(step + d, q), v), chain.n_v, 2e-4)
    by_rate = difference(lambda d: chain.force(here, v + d), chain.n_v, 0.1)
    np.testing.assert_allclose(K, by_step, atol=1e-9 * np.abs(K).max())
    np.testing.assert_allclose(D, by_rate, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(both, 0.6 * K - 1.7 * D, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(r, chain.force(here, v), atol=1e-12 * np.abs(r).max())


@pytest.mark.parametrize("nodes", [2, 3])
def test_force_is_the_derivative_of_the_energy(nodes, rng):
    chain = make(nodes)
    q = chain.moved(0.1 * rng.standard_normal(chain.n_v))
    energy = lambda d: chain.element.energy(chain.group, chain.moved(d, q)).sum()  # noqa: E731
    f = chain.force(q)
    np.testing.assert_allclose(f, difference(energy, chain.n_v, 1e-3), atol=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("nodes", [2, 3])
def test_strains_are_objective(nodes, rng):
    """A rigid motion on top of any deformation leaves energy and resultants as they are, and turns the forces."""
    chain = make(nodes)
    q = chain.moved(0.1 * rng.standard_normal(chain.n_v))
    turn = Rotation.from_rotvec([1.0, -2.0, 0.7])
    there = q.copy()
    nodes_there = there[FIRST:].reshape(-1, 7)
    nodes_there[:, :3] = turn.apply(nodes_there[:, :3]) + np.array([1.0, 2.0, 3.0])
    own = Rotation.from_quat(nodes_there[:, 3:], scalar_first=True)
    nodes_there[:, 3:] = (turn * own).as_quat(scalar_first=True)
    f, g = chain.force(q)[FIRST:].reshape(-1, 6), chain.force(there)[FIRST:].reshape(-1, 6)
    np.testing.assert_allclose(g[:, :3], turn.apply(f[:, :3]), atol=1e-10)
    np.testing.assert_allclose(g[:, 3:], f[:, 3:], atol=1e-10)  # moments are in section axes
    xi, rest = np.array([-0.5, 0.5]), np.zeros(chain.n_v)
    before, after = (chain.element.stress_resultants(chain.group, x, rest, xi) for x in (q, there))
    np.testing.assert_allclose(after, before, atol=1e-10)


@pytest.mark.parametrize("nodes", [2, 3])
def test_no_zero_energy_modes_but_the_rigid_ones(nodes):
    chain = make(nodes)
    _, K = chain.matrix(chain.q, np.zeros(chain.n_v), (1.0, 0.0))
    K = K[FIRST:, FIRST:]
    np.testing.assert_allclose(K, K.T, atol=1e-12 * np.abs(K).max())  # the stress-free shape is an equilibrium
    values = np.linalg.eigvalsh(K)
    assert np.abs(values[:6]).max() < 1e-12 * values[-1]
    assert values[6] > 1e-5 * values[-1]


@pytest.mark.parametrize("nodes", [2, 3])
def test_inertia_is_that_of_the_rod(nodes):
    """Of a straight rod in translation and in rotation about its start: integral of rhoA s^2 + rhoI; lengths too."""
    chain = make(nodes, curved=False)
    M = chain.assembled(chain.element.mass(chain.group))[FIRST:, FIRST:]
    x = chain.q[FIRST:].reshape(-1, 7)[:, 0]
    move = np.zeros((len(x), 6))
    move[:, 1] = 1.0
    assert move.ravel() @ M @ move.ravel() == pytest.approx(1.3, rel=1e-13)
    assert chain.element.lengths(chain.group).sum() == pytest.approx(1.0, rel=1e-13)
    # section axes are here those of the frame: x along the rod, y = z x x
    spins = {0: 0.05, 1: 1.3 / 3 + 0.02, 2: 1.3 / 3 + 0.03}
    for axis, expected in spins.items():
        move = np.zeros((len(x), 6))
        move[:, :3] = np.cross(np.eye(3)[axis], np.column_stack((x, 0 * x, 0 * x)))
        move[:, 3 + axis] = 1.0
        assert move.ravel() @ M @ move.ravel() == pytest.approx(expected, rel=1e-12)


def test_gyroscopic_moments_are_those_of_the_sections():
    """All nodes spin alike: W x J W of each, and no strain rate that damping could feel."""
    chain = make(3, viscosity=0.5)
    W = np.array([0.3, -0.7, 0.5])
    v = np.zeros(chain.n_v)
    nodes = chain.q[FIRST:].reshape(-1, 7)
    R = Rotation.from_quat(nodes[:, 3:], scalar_first=True)
    rates = v[FIRST:].reshape(-1, 6)
    rates[:, :3] = np.cross(W, nodes[:, :3])
    rates[:, 3:] = R.inv().apply(W)
    r = chain.force(chain.q, v)[FIRST:].reshape(-1, 6)
    J = np.zeros((len(nodes), 3))
    for cell, inertia in zip([[0, 2, 1], [2, 4, 3]], chain.group.inertia, strict=True):
        np.add.at(J, cell, inertia)
    np.testing.assert_allclose(r[:, :3], 0.0, atol=1e-11)
    np.testing.assert_allclose(r[:, 3:], np.cross(rates[:, 3:], J * rates[:, 3:]), atol=1e-11)


@pytest.mark.parametrize("nodes", [1, 4, True, "3"])
def test_number_of_nodes_is_checked(nodes):
    with pytest.raises(ModelError, match="nodes must be 2 or 3"):
        GeometricallyExactBeam(nodes=nodes)


def test_sections_turned_by_half_a_turn_are_refused():
    """Interpolated directors vanish in the middle."""
    chain = make(2)
    q = chain.q.copy()
    node = q[FIRST + 7 : FIRST + 14]
    first = Rotation.from_quat(q[FIRST + 3 : FIRST + 7], scalar_first=True)
    node[3:] = (first * Rotation.from_rotvec([np.pi, 0, 0])).as_quat(scalar_first=True)
    state = State(q, np.zeros(chain.n_v), np.zeros(chain.n_v), np.zeros(0))
    r = np.zeros(chain.n_v)
    refused = chain.element.force(chain.group, state, Env(0.0, np.zeros(0)), Work(r, np.zeros(0)))
    assert refused == 0 or not np.abs(r).max() < 1e6  # directors of the size of round-off
