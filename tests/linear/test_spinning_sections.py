"""Sections of beams that turn under inertia forces: whirl of shafts and of discs made of beams, offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx

L, E = fx.linear, fx.elements
STEEL = fx.Elastic(youngs_modulus=2.1e11, density=7850.0, poissons_ratio=0.3, name="steel")
RADIUS, LENGTH = 0.05, 1.0
PINNED = {"start": ("ux", "uy", "uz", "rx"), "end": ("uy", "uz")}


def whirl(speed: float) -> list[float]:
    """Forward and backward whirl of Rayleigh's pinned shaft, as the frame that spins with it sees them."""
    area, inertia, k = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4, np.pi / LENGTH
    mass = STEEL.density * (area + inertia * k**2)
    gyro = 2 * STEEL.density * inertia * k**2 * speed
    root = np.sqrt(gyro**2 + 4 * mass * STEEL.youngs_modulus * inertia * k**4)
    return sorted(abs((sign * gyro + root) / (2 * mass) - sign * speed) for sign in (1, -1))


def shaft() -> L.Part:
    mesh = fx.meshes.line((0, 0, 0), (LENGTH, 0, 0), 16)
    region = L.Region(None, E.Frame(section=fx.Circle(diameter=2 * RADIUS), shear=False), STEEL)
    return L.Part(mesh, regions=[region], name="shaft")


@pytest.mark.parametrize("speed", [500.0, 2000.0])
def test_whirl_of_a_thick_shaft(speed: float) -> None:
    found = L.moving_frame(shaft(), fixed=PINNED).operators((speed, 0, 0)).modes(4).angular_frequencies
    for value in whirl(speed):
        assert abs(found / value - 1).min() < 1e-4


def test_whirl_of_a_thick_shaft_in_a_floating_frame() -> None:
    small = fx.reduction.reduce(shaft(), ["start", "end"], modes=12, geometric_stiffening=True, progress=False)
    body = fx.FloatingBody(small, reference="mean", angular_velocity=(500.0, 0, 0), name="shaft")
    bearing = fx.SphericalJoint(fx.ground, body, at=(0, 0, 0), name="bearing")
    far = fx.Bushing(fx.ground.marker((LENGTH, 0, 0)), body.interface("end"), (0, 1e12, 1e12, 0, 0, 0))
    roots = np.asarray(fx.solve_modal(fx.Model(body, bearing, far), modes=4).roots)
    assert roots[0] == 0.0  # the rotation about the axis, once
    found = np.sort(np.abs(roots.imag))[1:3]
    np.testing.assert_allclose(found, whirl(500.0), rtol=1e-4)


def rotor(speed: float) -> Any:
    """Whirl, as seen at rest, of a rigid disc at the end of a massless cantilever: two complex freedoms."""
    EI, reach, h = STEEL.youngs_modulus * np.pi * 0.02**4 / 64, 0.5, 0.02
    m = STEEL.density * np.pi * 0.15**2 * h
    Jd, Jp = m * (3 * 0.15**2 + h**2) / 12, m * 0.15**2 / 2
    K = EI * np.array([[12 / reach**3, -6 / reach**2], [-6 / reach**2, 4 / reach]])
    M = np.array([[m, m * h / 2], [m * h / 2, Jd + m * h**2 / 4]])
    G = np.array([[0.0, 0.0], [0.0, Jp * speed]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(M, K), np.linalg.solve(M, G)]])
    return np.linalg.eigvals(A).real


def test_whirl_of_a_disc_made_of_one_thick_beam() -> None:
    """An overhung disc as rotor dynamics has it: a short beam of large diameter."""
    speed = 200.0
    points = [[0.025 * i, 0, 0] for i in range(21)] + [[0.52, 0, 0]]
    cells = [[i, i + 1] for i in range(21)]
    mesh = fx.meshes.Mesh(points, [("line", cells)], {"start": [0]}, {"thin": [range(20)], "disc": [[20]]})
    light = fx.Elastic(youngs_modulus=2.1e11, density=1e-3, poissons_ratio=0.3, name="light")
    rigid = fx.Elastic(youngs_modulus=2.1e13, density=7850.0, poissons_ratio=0.3, name="rigid")
    regions = [
        L.Region("thin", E.Frame(section=fx.Circle(diameter=0.02), shear=False), light),
        L.Region("disc", E.Frame(section=fx.Circle(diameter=0.3), shear=False), rigid),
    ]
    frame = L.moving_frame(L.Part(mesh, regions=regions), fixed={"start": "all"})
    modes = frame.operators((speed, 0, 0)).modes(4)
    assert np.abs(np.asarray(modes.eigenvalues).real).max() < 1e-3
    found = np.abs(np.asarray(modes.eigenvalues).imag)
    expected = np.abs(rotor(speed) - speed)
    for value in expected[expected < found.max()]:
        assert abs(found / value - 1).min() < 1e-4


@pytest.mark.parametrize("rate", [(0, 0, 20.0), (0, 20.0, 0)])
def test_a_blade_on_offsets_spins_like_one_without(rate: tuple[float, float, float]) -> None:
    found = []
    for height, offset in ((0.1, 0.0), (0.0, 0.1)):
        frame = L.moving_frame(blade(height, offset), fixed={"start": "all"}, origin=(0, 0, 0))
        found.append(frame.operators(rate).modes(4).angular_frequencies)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7)


def test_a_column_on_offsets_buckles_under_its_own_weight() -> None:
    """Greenhill: q L^3 = 7.8373 EI."""
    for height, offset in ((0.1, 0.0), (0.0, 0.1)):
        found = L.buckling_loads(blade(height, offset), {"start": "all"}, L.Acceleration((-1.0, 0, 0)))
        assert found.factors[0] * 0.5 == pytest.approx(7.8373 * 2.0, rel=4e-3)


def blade(height: float, offset: float) -> L.Part:
    section = fx.BeamStiffness(EA=1e6, EI_z=2.0, EI_y=3.0, GJ=1.0, mass_per_length=0.5, rhoI_y=1e-5, rhoI_z=1e-5)
    arms = ((0, 0, offset), (0, 0, offset))
    element = E.Frame(section=section, shear=False, offsets=arms)
    return L.Part(fx.meshes.line((0, 0, height), (1, 0, height), 12), regions=[L.Region(None, element)])
