"""Inertia of floating bodies from invariants against sums over mass points; energies; momentum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmbs.core.contracts import Env, FloatArray, MarkerWork, State
from flexmbs.kernels.floating import floating_energy, floating_force, floating_mass
from flexmbs.kernels.floating_moments import FloatingGroup
from flexmbs.reduction.inertia import InertiaInvariants

POINTS, MODES, BODIES = 11, 3, 2
GRAVITY = np.array([[0.3, -0.5, -9.81], [1.0, 2.0, 0.0]])
SCALE = np.array([0.7, -0.4, 1.0])


def skew(a: FloatArray) -> FloatArray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Points:
    """Bodies of mass points with shapes, a state of them, and the group of kernels for them."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        n, m = BODIES, MODES
        self.mass = rng.uniform(0.1, 1.0, (n, POINTS))
        self.x = rng.normal(size=(n, POINTS, 3))
        self.phi = rng.normal(size=(n, POINTS, 3, m))
        A, B = rng.normal(size=(2, n, m, m))
        self.K, self.D = A @ A.transpose(0, 2, 1), B @ B.transpose(0, 2, 1)
        first = n * m  # shapes first, then frames, as in systems
        self.dofs = np.array([[*range(first + 6 * i, first + 6 * i + 6), *range(m * i, m * i + m)] for i in range(n)])
        self.qi = np.array([first + 7 * i for i in range(n)])
        poses = [np.r_[rng.normal(size=3), Rotation.random(rng=rng).as_quat(scalar_first=True)] for _ in range(n)]
        self.q = np.concatenate((rng.normal(size=first), *poses))
        self.v, self.a = rng.normal(size=(2, first + 6 * n))
        self.group = self.compiled()

    def compiled(self) -> FloatingGroup:
        return FloatingGroup.made(
            (self.dofs, self.qi, np.arange(BODIES)), 0, [self.invariants(i) for i in range(BODIES)],
            (self.K, self.D), (np.array([0, 1]), GRAVITY),
        )  # fmt: skip

    def invariants(self, i: int) -> InertiaInvariants:
        w, x, phi = self.mass[i], self.x[i], self.phi[i]
        return InertiaInvariants(
            float(w.sum()), w @ x, np.einsum("p,pa,pb->ab", w, x, x), np.einsum("p,pak->ak", w, phi),
            np.einsum("p,pa,pbk->abk", w, x, phi), np.einsum("p,pak,pbl->abkl", w, phi, phi),
        )  # fmt: skip

    def body(self, i: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """R, y (p, 3) and the Jacobians (p, 3, 6 + m) of the points."""
        R = Rotation.from_quat(self.q[self.qi[i] + 3 : self.qi[i] + 7], scalar_first=True).as_matrix()
        y = self.x[i] + self.phi[i] @ self.q[self.dofs[i, 6:]]
        J = np.array([np.hstack((np.eye(3), -R @ skew(b), R @ f)) for b, f in zip(y, self.phi[i], strict=True)])
        return R, y, J

    def accelerations(self, i: int) -> FloatArray:
        """Accelerations (p, 3) of the points, inertial axes, without M a: those at zero accelerations."""
        R, y, _ = self.body(i)
        w = self.v[self.dofs[i, 3:6]]
        rates = self.phi[i] @ self.v[self.dofs[i, 6:]]
        return np.array(
            [R @ (np.cross(w, np.cross(w, b)) + 2.0 * np.cross(w, c)) for b, c in zip(y, rates, strict=True)]
        )


def work_of(n_v: int) -> MarkerWork:
    """What the force kernel writes to."""
    none = np.zeros((0, 6))
    return MarkerWork(
        np.zeros(n_v), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)), none, none, none, none, none,
        np.zeros((BODIES, 3, 3)), np.zeros((0, 12)),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_mass_is_the_sum_over_the_points(seed: int) -> None:
    made = Points(seed)
    blocks = np.zeros(BODIES * (6 + MODES) ** 2)
    floating_mass(made.group, made.q, blocks)
    for i, M in enumerate(blocks.reshape(BODIES, 6 + MODES, 6 + MODES)):
        _, _, J = made.body(i)
        expected = np.einsum("p,pad,pae->de", made.mass[i], J, J)
        np.testing.assert_allclose(M, expected, rtol=0.0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_forces_are_the_sums_over_the_points(seed: int) -> None:
    """Centrifugal and Coriolis forces, two loads of gravity with factors, stiffness and damping of the shapes."""
    made = Points(seed)
    work = work_of(len(made.v))
    state = State(made.q, made.v, made.a, np.zeros(0))
    assert floating_force(made.group, state, Env(0.0, SCALE), work) == -1
    weight = SCALE[:2] @ GRAVITY
    for i in range(BODIES):
        _, _, J = made.body(i)
        expected = np.einsum("p,pad,pa->d", made.mass[i], J, made.accelerations(i) - weight)
        d = made.dofs[i, 6:]
        expected[6:] += made.K[i] @ made.q[d] + made.D[i] @ made.v[d]
        found = work.r[made.dofs[i]]
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_energies_are_the_sums_over_the_points(seed: int) -> None:
    made = Points(seed)
    energy = np.zeros((BODIES, 2))
    floating_energy(made.group, made.q, SCALE, energy)
    weight = SCALE[:2] @ GRAVITY
    for i in range(BODIES):
        R, y, _ = made.body(i)
        eta = made.q[made.dofs[i, 6:]]
        places = made.q[made.qi[i] : made.qi[i] + 3] + y @ R.T
        np.testing.assert_allclose(
            energy[i], (0.5 * eta @ made.K[i] @ eta, -made.mass[i] @ places @ weight), rtol=1e-12
        )


def test_accelerations_of_the_points_are_derivatives() -> None:
    """The expected forces above rest on them: second differences of the places along a motion of constant rates."""
    made = Points(4)
    i, h = 0, 1e-4

    def places(t: float) -> FloatArray:
        w = made.v[made.dofs[i, 3:6]]
        R = Rotation.from_quat(made.q[made.qi[i] + 3 : made.qi[i] + 7], scalar_first=True)
        R = (R * Rotation.from_rotvec(t * w)).as_matrix()
        eta = made.q[made.dofs[i, 6:]] + t * made.v[made.dofs[i, 6:]]
        return (made.x[i] + made.phi[i] @ eta) @ R.T

    second = (places(h) - 2.0 * places(0.0) + places(-h)) / h**2
    np.testing.assert_allclose(made.accelerations(i), second, rtol=0.0, atol=1e-6 * np.abs(second).max())
