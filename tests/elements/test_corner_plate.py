"""The plate in a frame that follows its corners: derivatives along rotations, rigid motion, patch tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import Env, State, Work
from flexmbs.core.shell_section import ShellSection, ShellStiffness, sheet_stiffness
from flexmbs.elements import CorotationalShell
from flexmbs.kernels.steps import retract, tangent_operators

FIRST = 3  # coordinates of vector spaces before
B1 = 5
SOFT = fx.Elastic(youngs_modulus=1e3, density=10.0, poissons_ratio=0.3)


@dataclass
class Patch:
    """Two cells, behind some coordinates of vector spaces."""

    element: CorotationalShell
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
        full = np.zeros((self.n_v, self.n_v))
        for dofs, block in zip(self.group.dofs, B[B1:].reshape(n_e, k, k), strict=True):
            full[np.ix_(dofs, dofs)] += block
        return r, full


def make(viscosity=0.0, curved=True) -> Patch:
    """Two distorted cells, slightly warped and at an angle if ``curved``."""
    points = np.array([[0, 0, 0], [1.1, 0.1, 0], [2, -0.1, 0], [0.1, 0.9, 0], [1, 1, 0], [2.1, 0.8, 0]], dtype=float)
    if curved:
        points[:, 2] = 0.12 * (points[:, 0] - 0.8) ** 2 + 0.03 * points[:, 0] * points[:, 1]
    mesh = fx.meshes.Mesh(points, (("quad", np.array([[0, 1, 4, 3], [1, 2, 5, 4]])),))
    plain = sheet_stiffness("test", ShellSection(0.1, axis=(1, 0.3, 0)), SOFT)
    C = np.array(plain.matrix)
    C[0, 0] *= 1.7
    C[0, 3] = C[3, 0] = 0.02 * C[0, 0]
    stiffness = ShellStiffness(C, 0.1, 1.0, 0.1**2 / 12, viscosity, plain.axis)
    element = CorotationalShell()
    body = fx.FlexibleBody(mesh, element, stiffness=stiffness)
    dofs = FIRST + np.arange(36).reshape(6, 6)
    group = body.tabulate(dofs, B1)
    q = np.concatenate((np.zeros(FIRST), body.reference.ravel()))
    return Patch(element, group._replace(n_linear=FIRST, T=np.tile(np.eye(3), (6, 1, 1))), q, FIRST + 36)


def difference(f, n, h):
    e = np.eye(n)
    return np.stack([(8 * (f(h * d) - f(-h * d)) - (f(2 * h * d) - f(-2 * h * d))) / (12 * h) for d in e], axis=-1)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@pytest.mark.parametrize("viscosity", [0.0, 0.3])
def test_tangent_is_the_derivative_along_the_step(viscosity, rng):
    patch = make(viscosity)
    q = patch.moved(0.1 * rng.standard_normal(patch.n_v))
    step, v = 0.1 * rng.standard_normal(patch.n_v), rng.standard_normal(patch.n_v)
    tangent_operators(step, FIRST, patch.group.T)
    here = patch.moved(step, q)
    r, K = patch.matrix(here, v, (1.0, 0.0))
    _, D = patch.matrix(here, v, (0.0, 1.0))
    _, both = patch.matrix(here, v, (0.6, -1.7))
    by_step = difference(lambda d: patch.force(patch.moved(step + d, q), v), patch.n_v, 2e-4)
    by_rate = difference(lambda d: patch.force(here, v + d), patch.n_v, 0.1)
    np.testing.assert_allclose(K, by_step, atol=(1e-9 if viscosity == 0.0 else 1e-7) * np.abs(K).max())
    np.testing.assert_allclose(D, by_rate, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(both, 0.6 * K - 1.7 * D, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(r, patch.force(here, v), atol=1e-12 * np.abs(r).max())


def test_force_is_the_derivative_of_the_energy(rng):
    patch = make()
    q = patch.moved(0.1 * rng.standard_normal(patch.n_v))
    energy = lambda d: patch.element.energy(patch.group, patch.moved(d, q)).sum()  # noqa: E731
    f = patch.force(q)
    np.testing.assert_allclose(f, difference(energy, patch.n_v, 1e-3), atol=1e-9 * np.abs(f).max())


def turned(q, R, shift):
    out = q.copy()
    nodes = out[FIRST:].reshape(-1, 7)
    for node in nodes:
        node[:3] = R.apply(node[:3]) + shift
        node[3:] = (R * Rotation.from_quat(node[3:], scalar_first=True)).as_quat(scalar_first=True)
    return out


def test_rigid_motion_does_nothing(rng):
    patch = make()
    assert np.abs(patch.force(patch.q)).max() < 1e-11
    bent = patch.moved(0.1 * rng.standard_normal(patch.n_v))
    R = Rotation.random(random_state=3)
    far = turned(bent, R, np.array([3.0, -2.0, 5.0]))
    f, g = patch.force(bent)[FIRST:].reshape(-1, 6), patch.force(far)[FIRST:].reshape(-1, 6)
    np.testing.assert_allclose(g[:, :3], R.apply(f[:, :3]), atol=1e-11 * np.abs(f).max())
    np.testing.assert_allclose(g[:, 3:], f[:, 3:], atol=1e-11 * np.abs(f).max())
    np.testing.assert_allclose(
        patch.element.energy(patch.group, far), patch.element.energy(patch.group, bent), rtol=1e-11
    )


def test_internal_forces_are_in_equilibrium(rng):
    patch = make()
    q = patch.moved(0.1 * rng.standard_normal(patch.n_v))
    f = patch.force(q)[FIRST:].reshape(-1, 6)
    nodes = q[FIRST:].reshape(-1, 7)
    moments = np.array(
        [Rotation.from_quat(n[3:], scalar_first=True).apply(g[3:]) for n, g in zip(nodes, f, strict=True)]
    )
    assert np.abs(f[:, :3].sum(axis=0)).max() < 1e-11 * np.abs(f).max()
    assert np.abs((moments + np.cross(nodes[:, :3], f[:, :3])).sum(axis=0)).max() < 1e-10 * np.abs(f).max()


def test_mass_and_weight():
    patch = make()
    M = patch.element.mass(patch.group)
    area = patch.element.areas(patch.group)
    np.testing.assert_allclose(M[:, ::6, ::6].sum(axis=(1, 2)), area, rtol=1e-12)
    assert (np.linalg.eigvalsh(M) > 0.0).all()
    f = patch.element.body_load(patch.group, np.array([0.0, 0.0, -9.81]), True)
    np.testing.assert_allclose(f.reshape(2, 4, 6)[..., 2].sum(axis=1), -9.81 * area, rtol=1e-12)


def test_resultants_of_constant_strains():
    """A small uniform state: displacements linear, deflection quadratic; resultants are C times the strains."""
    patch = make(curved=False)
    nodes = patch.q[FIRST:].reshape(-1, 7)
    small = 1e-6
    membrane, bend = small * np.array([[1.0, 0.2], [0.4, -0.7]]), small * np.array([[0.8, 0.3], [0.3, -0.5]])
    q = patch.q.copy()
    moved = q[FIRST:].reshape(-1, 7)
    for node, start in zip(moved, nodes, strict=True):
        p = start[:2].copy()
        node[:2] += membrane @ p
        node[2] -= 0.5 * p @ bend @ p  # kappa = - w''
        slope = -bend @ p
        turn = Rotation.from_rotvec([slope[1], -slope[0], 0.5 * (membrane[1, 0] - membrane[0, 1])])
        node[3:] = (turn * Rotation.from_quat(node[3:], scalar_first=True)).as_quat(scalar_first=True)
    found = patch.element.stress_resultants(patch.group, q, np.zeros(patch.n_v), np.zeros((1, 2)))[:, 0]
    strain = np.array([
        membrane[0, 0], membrane[1, 1], membrane[0, 1] + membrane[1, 0], bend[0, 0], bend[1, 1], 2 * bend[0, 1], 0, 0
    ])  # fmt: skip
    angle = np.arctan2(0.3, 1.0)
    c, s = np.cos(angle), np.sin(angle)
    T3 = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
    own = np.concatenate((T3 @ strain[:3], T3 @ strain[3:6], strain[6:]))
    plain = np.array(sheet_stiffness("test", ShellSection(0.1), SOFT).matrix)
    plain[0, 0] *= 1.7
    plain[0, 3] = plain[3, 0] = 0.02 * plain[0, 0]
    expected = plain @ own
    np.testing.assert_allclose(found[:, :6], np.tile(expected[:6], (2, 1)), atol=1e-5 * np.abs(expected).max())


def test_a_corner_that_turned_far_is_refused():
    patch = make()
    step = np.zeros(patch.n_v)
    step[FIRST + 3] = 1.3
    q = patch.moved(step)
    r = np.zeros(patch.n_v)
    state = State(q, np.zeros(patch.n_v), np.zeros(patch.n_v), np.zeros(0))
    assert patch.element.force(patch.group, state, Env(0.0, np.zeros(0)), Work(r, np.zeros(0))) == 0


def test_a_warped_cell_is_refused():
    points = np.array([[0, 0, 0.2], [1, 0, -0.2], [1, 1, 0.2], [0, 1, -0.2]], dtype=float)
    mesh = fx.meshes.Mesh(points, (("quad", np.array([[0, 1, 2, 3]])),))
    body = fx.FlexibleBody(mesh, CorotationalShell(), ShellSection(0.01), SOFT)
    with pytest.raises(fx.MeshError, match="mean plane"):
        _ = body.area


def test_loads_of_surfaces_are_refused():
    body = fx.FlexibleBody.plate(
        (1, 1), elements=(2, 2), element=CorotationalShell(), section=ShellSection(0.01), material=SOFT
    )
    with pytest.raises(fx.ModelError, match="use DistributedLoad"):
        fx.compile_model(fx.Model(body, fx.Clamp(body.set("left")), fx.Pressure(body, 1.0)))


def test_planes_of_symmetry_are_refused():
    body = fx.FlexibleBody.plate(
        (1, 1), elements=(2, 2), element=CorotationalShell(), section=ShellSection(0.01), material=SOFT
    )
    with pytest.raises(fx.ModelError, match="PlanarJoint"):
        fx.compile_model(fx.Model(body, fx.Symmetry(body.set("left"), (1, 0, 0))))
