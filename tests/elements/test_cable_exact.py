"""Cables against closed forms: stretch, circular bending, statics of a cantilever, plane against space, damping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flexmbs.elements import ANCFCable2D, ANCFCable3D, CableStrain

XI = np.array([-1.0, -0.3, 0.4, 1.0])
GAUSS_2 = np.array([-1.0, 1.0]) / np.sqrt(3.0)


def nodal(q, dim):
    return q.reshape(-1, 2, dim)


def stretched(chain, factor):
    """The straight chain stretched uniformly from its first node."""
    q = nodal(chain.reference.copy(), chain.dim)
    q[:, 0] = q[0, 0] + factor * (q[:, 0] - q[0, 0])
    q[:, 1] *= factor
    return q.ravel()


def normal_force(element, EA, factor):
    return EA * (factor - 1.0 if element.strain is CableStrain.MATERIAL else 0.5 * (factor**2 - 1.0))


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.3])
def test_uniform_stretch_is_exact(cable, factor, build):
    chain = build(cable)
    EA, q = chain.stiffness.EA, stretched(chain, factor)
    N = normal_force(cable, EA, factor)
    values = cable.stress_resultants(chain.group, q, np.zeros(chain.n), XI)
    np.testing.assert_allclose(values[..., 0], N, atol=1e-12 * EA)
    np.testing.assert_allclose(values[..., 1:], 0.0, atol=1e-11)
    strain = N / EA
    assert chain.energy(q) == pytest.approx(0.5 * EA * strain**2 * 1.5, rel=1e-12, abs=1e-20)
    # Work of the end force over the end displacement: N for the linear measure, N times the stretch for Green's.
    end = N * (1.0 if cable.strain is CableStrain.MATERIAL else factor)
    f = nodal(chain.force(q), chain.dim)
    axis = nodal(chain.reference, chain.dim)[0, 1]
    np.testing.assert_allclose(f[0, 0], -end * axis, atol=1e-11 * EA)
    np.testing.assert_allclose(f[-1, 0], end * axis, atol=1e-11 * EA)
    np.testing.assert_allclose(f[1:-1, 0], 0.0, atol=1e-11 * EA)
    np.testing.assert_allclose(f[:, 1], 0.0, atol=1e-11 * EA)


@pytest.mark.parametrize("rate", [0.4, -2.0])
def test_uniform_stretching_rate_is_exact(cable, rate, build):
    chain = build(cable, False, 0.3)
    EA, factor = chain.stiffness.EA, 1.2
    q = stretched(chain, factor)
    v = (stretched(chain, factor + rate) - q).copy()
    strain_rate = rate if cable.strain is CableStrain.MATERIAL else factor * rate
    values = cable.stress_resultants(chain.group, q, v, XI)
    np.testing.assert_allclose(values[..., 0], normal_force(cable, EA, factor) + EA * 0.3 * strain_rate, rtol=1e-8)


def arc(chain, n_e, opening, length=1.5):
    """A straight chain bent to a circular arc of the same length: node i at angle i opening / n_e."""
    a = np.linspace(0.0, opening, n_e + 1)
    R = length / opening
    q = np.zeros((n_e + 1, 2, chain.dim))
    q[:, 0, 0], q[:, 0, 1] = R * np.sin(a), R * (1 - np.cos(a))
    q[:, 1, 0], q[:, 1, 1] = np.cos(a), np.sin(a)
    turn = chain.turn(0.8) if chain.dim == 2 else chain.rotation([0.4, 0.8, -0.5])
    return chain.moved(q.ravel(), turn, 0.0), turn


def test_circular_bending_converges_to_the_exact_resultants(cable, build):
    errors = []
    for n_e in (6, 12, 24):
        chain = build(cable, n_e=n_e)
        q, turn = arc(chain, n_e, 3.0)
        values = cable.stress_resultants(chain.group, q, np.zeros(chain.n), GAUSS_2)
        exact = np.zeros(values.shape[-1])
        M = chain.stiffness.EI_z * 3.0 / 1.5
        exact[1:] = M if chain.dim == 2 else M * turn[:, 2]
        errors.append(np.abs(values - exact)[..., 1:].max() / M)
        assert np.abs(values[..., 0]).max() < chain.stiffness.EA * 2 * (3.0 / n_e) ** 4 / 384
    assert errors[-1] < 1e-4
    assert np.log2(errors[0] / errors[1]) > 1.9
    assert np.log2(errors[1] / errors[2]) > 1.9


def test_a_curved_cable_rolled_out_and_in_has_the_difference_of_curvature(cable, build):
    chain = build(cable, True, n_e=24, opening=1.2)
    q, _ = arc(chain, 24, 3.0)
    values = cable.stress_resultants(chain.group, q, np.zeros(chain.n), GAUSS_2)[..., 1:]
    M = chain.stiffness.EI_z * (3.0 - 1.2) / 1.5
    np.testing.assert_allclose(np.linalg.norm(values, axis=-1), M, rtol=1e-4)


def solve(chain, load, fixed, steps=8):
    """Equilibrium with a dead force at the last node, by Newton's method."""
    q, free = chain.reference.copy(), np.setdiff1d(np.arange(chain.n), fixed)
    P = np.zeros((len(chain.points), 2, chain.dim))
    P[-1, 0] = load
    for step in range(1, steps + 1):
        for _ in range(30):
            r, K = chain.matrix(q)
            r = (r - step / steps * P.ravel())[free]
            change = np.linalg.solve(K[np.ix_(free, free)], -r)
            q[free] += change
            if np.abs(change).max() < 1e-10:
                break
        else:
            raise AssertionError("no convergence")
    return q


@pytest.mark.parametrize("bent", [False, True], ids=["straight when free", "curved when free"])
def test_bent_cantilever_is_in_equilibrium_at_every_section(cable, bent, on_points):
    """Normal force and moment of each section follow from the tip force, by statics of the deformed shape."""
    n_e, dim = 24, cable.layout.dim
    s = np.linspace(0.0, 1.0, n_e + 1)
    points = np.stack((np.sin(s), 1 - np.cos(s), 0 * s) if bent else (s, 0 * s, 0 * s), 1)[:, :dim]
    tangents = np.stack((np.cos(s), np.sin(s), 0 * s) if bent else (1 + 0 * s, 0 * s, 0 * s), 1)[:, :dim]
    chain = on_points(cable, points, tangents)
    load = np.array([-1.0, 4.0, 0.0 if bent else 2.0])[:dim]  # an arc stays in its plane
    clamp = [*range(dim), *range(dim + 1, 2 * dim)]  # position and slope direction, not its length
    fixed = clamp if not (bent and dim == 3) else [*clamp, *range(2, chain.n, 3)]
    q = solve(chain, load, sorted(set(fixed)))
    tip = nodal(q, dim)[-1, 0]
    assert np.linalg.norm(tip - points[-1]) > 0.3
    xi = np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
    arm = tip - cable.positions(chain.group, q, xi)
    tangent, free = slope(chain, q, xi), slope(chain, chain.reference, xi)
    stretch = np.linalg.norm(tangent, axis=-1, keepdims=True) / np.linalg.norm(free, axis=-1, keepdims=True)
    t = tangent / np.linalg.norm(tangent, axis=-1, keepdims=True)
    if dim == 2:
        moment = (arm[..., 0] * load[1] - arm[..., 1] * load[0])[..., None]
    else:
        moment = np.cross(arm, load)
        moment -= (moment * t).sum(axis=-1, keepdims=True) * t  # a section carries no torque
    if cable.strain is CableStrain.GREEN:
        moment = moment * stretch  # conjugate to the curvature per deformed length
    values = cable.stress_resultants(chain.group, q, np.zeros(chain.n), xi)
    np.testing.assert_allclose(values[..., 1:], moment, atol=5e-3 * np.abs(moment).max())
    if cable.strain is CableStrain.MATERIAL:
        mean = values[..., 0] @ np.array([5, 8, 5]) / 18  # within an element N oscillates about its mean
        exact = (t @ load) @ np.array([5, 8, 5]) / 18
        np.testing.assert_allclose(mean, exact, atol=0.02 * np.linalg.norm(load))


def slope(chain, q, xi, h=1e-4):
    """dr/dxi by central differences."""
    r = [chain.element.positions(chain.group, q, xi + d) for d in (-h, h)]
    return (r[1] - r[0]) / (2 * h)


@pytest.mark.parametrize("strain", list(CableStrain))
@pytest.mark.parametrize("kappa0", [False, True], ids=["straight", "curved"])
@pytest.mark.parametrize("viscosity", [0.0, 0.3])
def test_in_the_plane_the_spatial_cable_is_the_planar_one(strain, kappa0, viscosity, on_points, rng):
    s = np.linspace(0.0, 1.5, 4)
    a = 2.0 * s
    points = np.stack((np.sin(a) / 2, (1 - np.cos(a)) / 2) if kappa0 else (s, 0 * s), 1)
    tangents = np.stack((np.cos(a), np.sin(a)) if kappa0 else (1 + 0 * s, 0 * s), 1)
    flat = on_points(ANCFCable2D(strain=strain), points, tangents, viscosity)
    pad = ((0, 0), (0, 1))
    space = on_points(ANCFCable3D(strain=strain), np.pad(points, pad), np.pad(tangents, pad), viscosity)
    inside = np.setdiff1d(np.arange(space.n), np.arange(2, space.n, 3))
    q, v = flat.random(rng)
    Q, V = np.zeros(space.n), np.zeros(space.n)
    Q[inside], V[inside] = q, v
    r, K = flat.matrix(q, v, 1.0, 0.4)
    R, S = space.matrix(Q, V, 1.0, 0.4)
    scale = np.abs(K).max()
    np.testing.assert_allclose(R[inside], r, atol=1e-12 * scale)
    np.testing.assert_allclose(np.delete(R, inside), 0.0, atol=1e-14 * scale)
    np.testing.assert_allclose(S[np.ix_(inside, inside)], K, atol=1e-12 * scale)
    np.testing.assert_allclose(np.delete(S[inside], inside, axis=1), 0.0, atol=1e-13 * scale)
    values = ANCFCable2D(strain=strain).stress_resultants(flat.group, q, v, XI)
    Values = ANCFCable3D(strain=strain).stress_resultants(space.group, Q, V, XI)
    np.testing.assert_allclose(Values[..., [0, 3]], values, atol=1e-7 * np.abs(values).max())
    np.testing.assert_allclose(Values[..., [1, 2]], 0.0, atol=1e-12)


def test_travelling_curvature_is_damped(build):
    """An arc that turns about an axis in its plane: power EI tau times the integral of (omega . t)^2 kappa^2."""
    n_e, opening, tau = 24, 2.0, 0.3
    chain = build(ANCFCable3D(), True, tau, n_e=n_e, opening=opening)
    omega = nodal(chain.reference, 3)[0, 1]  # the tangent at the start, so that omega . t = cos(angle)
    v = chain.spin(chain.reference, omega)
    power = v @ chain.force(chain.reference, v)
    kappa = opening / 1.5
    integral = 1.5 / opening * (opening / 2 + np.sin(2 * opening) / 4)
    assert power == pytest.approx(chain.stiffness.EI_z * tau * kappa**2 * integral, rel=1e-4)


def test_a_rotating_straight_cable_is_free_of_damping_about_every_axis(build, rng):
    chain = build(ANCFCable3D(), False, 0.3)
    q = stretched(chain, 1.1)
    for omega in rng.standard_normal((5, 3)):
        v = chain.spin(q, omega)
        assert np.abs(chain.force(q, v) - chain.force(q)).max() < 1e-10


def test_strain_measures_agree_to_first_order_where_straight_when_free(build, rng):
    for kind in (ANCFCable2D, ANCFCable3D):
        linear = build(kind())
        green = build(replace(kind(), strain=CableStrain.GREEN))
        d = rng.standard_normal(linear.n)
        difference = [
            np.abs(linear.force(linear.reference + h * d) - green.force(green.reference + h * d)).max()
            for h in (1e-4, 5e-5)
        ]
        assert difference[0] / difference[1] == pytest.approx(4.0, rel=0.02)
