"""Linear beams against the closed forms of Euler-Bernoulli and Timoshenko, and Przemieniecki's matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.core.section import BeamStiffness
from flexmbs.elements import LinearBeam2D, LinearBeam3D, linear_beam

THICK = BeamStiffness(
    EA=500.0, EI_z=3.0, EI_y=5.0, GJ=2.0, GA_y=40.0, GA_z=30.0, mass_per_length=1.3, rhoI_y=0.05, rhoI_z=0.03
)
L = 1.7


def along_x(on_points, element, n_e=1, stiffness=THICK):
    points = np.zeros((n_e + 1, element.layout.dim))
    points[:, 0] = np.linspace(0.0, L, n_e + 1)
    return on_points(element, points, stiffness=stiffness)


def cantilever(chain, end_load):
    """Displacements under forces and moments at the last node, the first clamped."""
    k = len(end_load)
    _, K = chain.matrix(chain.reference)
    f = np.zeros(chain.n - k)
    f[-k:] = end_load
    return np.append(np.zeros(k), np.linalg.solve(K[k:, k:], f))


@pytest.mark.parametrize("n_e", [1, 3])
@pytest.mark.parametrize("shear", [True, False])
def test_planar_cantilever_is_exact_at_the_tip(n_e, shear, on_points):
    chain = along_x(on_points, LinearBeam2D(shear=shear), n_e)
    N, P, M = 7.0, 2.0, 0.6
    u_x, u_y, phi = cantilever(chain, [N, P, M])[-3:]
    EI, GA = THICK.EI_z, THICK.GA_y if shear else np.inf
    assert u_x == pytest.approx(N * L / THICK.EA, rel=1e-11)
    assert u_y == pytest.approx(P * L**3 / (3 * EI) + P * L / GA + M * L**2 / (2 * EI), rel=1e-11)
    assert phi == pytest.approx(P * L**2 / (2 * EI) + M * L / EI, rel=1e-11)


@pytest.mark.parametrize("n_e", [1, 3])
@pytest.mark.parametrize("shear", [True, False])
def test_spatial_cantilever_is_exact_at_the_tip(n_e, shear, on_points):
    chain = along_x(on_points, LinearBeam3D(shear=shear), n_e)
    N, P_y, P_z, T, M_y, M_z = 7.0, 2.0, -1.5, 0.4, 0.8, 0.6
    u = cantilever(chain, [N, P_y, P_z, T, M_y, M_z])[-6:]
    EI_y, EI_z = THICK.EI_y, THICK.EI_z
    GA_y, GA_z = (THICK.GA_y, THICK.GA_z) if shear else (np.inf, np.inf)
    exact = [
        N * L / THICK.EA,
        P_y * L**3 / (3 * EI_z) + P_y * L / GA_y + M_z * L**2 / (2 * EI_z),
        P_z * L**3 / (3 * EI_y) + P_z * L / GA_z - M_y * L**2 / (2 * EI_y),
        T * L / THICK.GJ,
        M_y * L / EI_y - P_z * L**2 / (2 * EI_y),
        M_z * L / EI_z + P_y * L**2 / (2 * EI_z),
    ]
    np.testing.assert_allclose(u, exact, rtol=1e-10)


def test_deflection_between_the_nodes_is_exact(on_points):
    chain = along_x(on_points, LinearBeam2D())
    P, xi = 2.0, np.linspace(-1, 1, 9)
    q = cantilever(chain, [0.0, P, 0.0])
    x = 0.5 * (1 + xi) * L
    exact = P * x**2 * (3 * L - x) / (6 * THICK.EI_z) + P * x / THICK.GA_y
    np.testing.assert_allclose(chain.element.positions(chain.group, q, xi)[0], np.stack((x, exact), 1), atol=1e-13)


@pytest.mark.parametrize("shear", [True, False])
def test_planar_resultants_under_an_end_load(shear, on_points):
    chain = along_x(on_points, LinearBeam2D(shear=shear), 2)
    N, P, M = 7.0, 2.0, 0.6
    q = cantilever(chain, [N, P, M])
    xi = np.linspace(-1, 1, 5)
    x = 0.25 * L * (1 + xi) + 0.5 * L * np.arange(2)[:, None]
    exact = np.stack((N + 0 * x, P + 0 * x, M + P * (L - x)), axis=-1)
    np.testing.assert_allclose(chain.element.stress_resultants(chain.group, q, 0 * q, xi), exact, atol=1e-10)


@pytest.mark.parametrize("up", [(0, 0, 1), (0.3, -1, 0.4), (1, 2, -2)])
def test_spatial_resultants_under_an_end_load_in_any_direction(up, on_points):
    start, end = np.array([0.3, -0.2, 0.1]), np.array([1.2, 0.9, 0.8])
    length = np.linalg.norm(end - start)
    x = (end - start) / length
    z = np.asarray(up) - x * (x @ np.asarray(up))
    z /= np.linalg.norm(z)
    y = np.cross(z, x)
    chain = on_points(LinearBeam3D(up=up), np.stack((start, end)), stiffness=THICK)
    F, T = np.array([3.0, -2.0, 1.0]), np.array([0.5, 0.2, -0.7])
    q = cantilever(chain, [*F, *T])
    xi = np.linspace(-1, 1, 5)
    values = chain.element.stress_resultants(chain.group, q, 0 * q, xi)[0]
    for value, s in zip(values, 0.5 * (1 + xi) * length, strict=True):
        moment = T + np.cross((length - s) * x, F)
        np.testing.assert_allclose(value, [F @ x, F @ y, F @ z, moment @ x, moment @ y, moment @ z], atol=1e-10)
    # Each stiffness acts in its own plane: energy of the tip loads by Castigliano.
    My, Mz = (T @ y, -(F @ z)), (T @ z, F @ y)  # moment at the tip, and its growth towards the root
    bending = sum(
        (a**2 * length + a * b * length**2 + b**2 * length**3 / 3) / EI
        for (a, b), EI in ((My, THICK.EI_y), (Mz, THICK.EI_z))
    )
    others = (F @ x) ** 2 / THICK.EA + (T @ x) ** 2 / THICK.GJ + (F @ y) ** 2 / THICK.GA_y + (F @ z) ** 2 / THICK.GA_z
    assert chain.energy(q) == pytest.approx(0.5 * (bending + others * length), rel=1e-11)


def test_resultants_include_the_viscous_part(on_points):
    chain = on_points(LinearBeam2D(), [[0.0, 0.0], [L, 0.0]], stiffness=THICK, viscosity=0.25)
    q = cantilever(chain, [7.0, 2.0, 0.6])
    xi = np.array([-1.0, 0.2])
    still = chain.element.stress_resultants(chain.group, q, 0 * q, xi)
    moving = chain.element.stress_resultants(chain.group, q, 2.0 * q, xi)
    np.testing.assert_allclose(moving, 1.5 * still, rtol=1e-12)


def test_stiffness_is_the_textbook_matrix(on_points):
    chain = along_x(on_points, LinearBeam2D())
    Phi = 12 * THICK.EI_z / (THICK.GA_y * L**2)
    b = THICK.EI_z / (L**3 * (1 + Phi))
    bending = b * np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, (4 + Phi) * L**2, -6 * L, (2 - Phi) * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, (2 - Phi) * L**2, -6 * L, (4 + Phi) * L**2],
        ]
    )
    exact = np.zeros((6, 6))
    exact[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = bending
    exact[np.ix_([0, 3], [0, 3])] = THICK.EA / L * np.array([[1, -1], [-1, 1]])
    np.testing.assert_allclose(chain.matrix(chain.reference)[1], exact, atol=1e-12 * THICK.EA)


def test_mass_is_the_textbook_matrix_without_shear(on_points):
    chain = along_x(on_points, LinearBeam2D(shear=False))
    m, i = THICK.mass_per_length * L / 420, THICK.rhoI_z / (30 * L)
    translation = [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]]
    translation += [[54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
    rotation = [[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)]]
    rotation += [[-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]
    exact = np.zeros((6, 6))
    exact[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = m * np.array(translation) + i * np.array(rotation)
    exact[np.ix_([0, 3], [0, 3])] = THICK.mass_per_length * L / 6 * np.array([[2, 1], [1, 2]])
    np.testing.assert_allclose(chain.mass(), exact, atol=1e-14)


def eigenvalues(on_points, n_e):
    """Squares of the bending frequencies of a simply supported beam."""
    chain = along_x(on_points, LinearBeam2D(), n_e)
    free = np.setdiff1d(np.arange(chain.n), [*range(0, chain.n, 3), 1, chain.n - 2])  # no axial motion
    part = np.ix_(free, free)
    return np.sort(np.linalg.eigvals(np.linalg.solve(chain.mass()[part], chain.matrix(chain.reference)[1][part])).real)


def test_frequencies_of_a_simply_supported_timoshenko_beam(on_points):
    """With deflection and rotation as sin(k x) and cos(k x), Timoshenko's equations become a quadratic in w^2."""
    coarse, fine = eigenvalues(on_points, 16), eigenvalues(on_points, 32)
    A, J, EI, GA = THICK.mass_per_length, THICK.rhoI_z, THICK.EI_z, THICK.GA_y
    for mode in (1, 2, 3):
        k = mode * np.pi / L
        exact = np.roots([A * J, -(GA * A + (EI * A + GA * J) * k**2), EI * GA * k**4]).min()
        assert (coarse[mode - 1] - exact) / (fine[mode - 1] - exact) == pytest.approx(4.0, rel=0.05)
        assert (4 * fine[mode - 1] - coarse[mode - 1]) / 3 == pytest.approx(exact, rel=1e-4)


def test_uniform_load_gives_the_moments_of_a_clamped_beam(on_points):
    for shear in (True, False):
        chain = along_x(on_points, LinearBeam2D(shear=shear))
        w = 3.0
        exact = [0, w * L / 2, w * L**2 / 12, 0, w * L / 2, -w * L**2 / 12]
        np.testing.assert_allclose(chain.load([0.0, w]), exact, atol=1e-13)


def test_large_shear_stiffness_is_the_beam_without_shear(on_points):
    stiff = replace(THICK, GA_y=1e12, GA_z=1e12)
    for kind in (LinearBeam2D, LinearBeam3D):
        soft, rigid = along_x(on_points, kind(), 2, stiff), along_x(on_points, kind(shear=False), 2)
        without = along_x(on_points, kind(), 2, replace(THICK, GA_y=None, GA_z=None))
        K = rigid.matrix(rigid.reference)[1]
        np.testing.assert_allclose(soft.matrix(soft.reference)[1], K, rtol=1e-9, atol=1e-14 * np.abs(K).max())
        np.testing.assert_array_equal(without.matrix(soft.reference)[1], rigid.matrix(rigid.reference)[1])
        np.testing.assert_allclose(soft.mass(), rigid.mass(), atol=1e-10)


def test_in_its_plane_the_spatial_beam_is_the_planar_one(on_points):
    flat, space = along_x(on_points, LinearBeam2D(), 2), along_x(on_points, LinearBeam3D(), 2)
    inside = np.array([6 * node + k for node in range(3) for k in (0, 1, 5)])
    K, S = flat.matrix(flat.reference)[1], space.matrix(space.reference)[1]
    np.testing.assert_allclose(S[np.ix_(inside, inside)], K, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(space.mass()[np.ix_(inside, inside)], flat.mass(), atol=1e-15)


def test_spatial_beam_turns_with_its_mesh_and_its_section(on_points):
    chain = along_x(on_points, LinearBeam3D(), 2)
    R = chain.rotation([0.7, -0.4, 1.1])
    turned = on_points(LinearBeam3D(up=tuple(R[:, 2])), chain.points @ R.T, stiffness=THICK)
    T = np.kron(np.eye(chain.n // 3), R)
    np.testing.assert_allclose(
        turned.matrix(chain.reference)[1], T @ chain.matrix(chain.reference)[1] @ T.T, atol=1e-10
    )
    np.testing.assert_allclose(turned.mass(), T @ chain.mass() @ T.T, atol=1e-13)


@pytest.mark.parametrize("element", [LinearBeam2D(), LinearBeam3D(up=(0.2, -1, 0.5))], ids=["plane", "space"])
def test_rotation_of_the_end_sections_is_nodal(element, build, rng):
    chain = build(element)
    q, _ = chain.random(rng)
    _, rotation = linear_beam.fields(chain.group, np.array([-1.0, 1.0]))
    local = np.einsum("egri,ei->egr", rotation, q[chain.group.dofs])
    phi = q.reshape(len(chain.points), -1)[:, list(element.layout.rotation)]
    for e, axes in enumerate(chain.group.axes):
        turn = axes if len(axes) == 3 else np.eye(1)
        np.testing.assert_allclose(local[e], phi[e : e + 2] @ turn.T, atol=1e-15)
