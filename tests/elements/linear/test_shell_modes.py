"""Vibrations of free thin shells: rigid motions beside bending that is a million times softer than the membrane."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import ShellQuad, ShellTriangle
from flexmbs.meshes import CellBlock, Mesh

both = pytest.mark.parametrize("element", [ShellQuad, ShellTriangle])


def ring(cell_type, n, radius, width):
    """A short cylinder about z, two cells wide."""
    angle = 2.0 * np.pi * np.arange(n) / n
    levels = np.linspace(0.0, width, 3)
    points = np.array([[radius * np.cos(a), radius * np.sin(a), z] for z in levels for a in angle])
    i = np.arange(n)
    j = (i + 1) % n
    quads = np.vstack([np.column_stack([k * n + i, k * n + j, k * n + n + j, k * n + n + i]) for k in range(2)])
    cells = quads if cell_type == "quad" else quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    return Mesh(points, (CellBlock(cell_type, cells),))


@both
def test_a_free_ring_bends_in_its_plane_as_a_thin_ring(element):
    """Flat facets converge to n (n^2 - 1) / sqrt(n^2 + 1) sqrt(E I / rho A) / R^2 with the square of the mesh width."""
    E, rho, h, width = 2e11, 8000.0, 0.02, 0.1
    material = fx.Elastic(youngs_modulus=E, poissons_ratio=0.0, density=rho)
    exact = np.array([k * (k**2 - 1) / np.sqrt(k**2 + 1) for k in (2, 3)]) * np.sqrt(E * h**2 / 12 / rho)
    errors = []
    for n in (32, 64):
        part = fx.linear.Part(
            ring(element.cell_type, n, 1.0, width), regions=[fx.linear.Region(None, element(thickness=h), material)]
        )
        modes = fx.linear.vibration_modes(part, 13)
        assert modes.n_rigid == 6
        assert modes.residuals.max() < 1e-6
        along = np.abs(modes.shapes[:, 2]).max(axis=0) / np.abs(modes.shapes[:, :3]).max(axis=(0, 1))
        in_plane = modes.angular_frequencies[6:][along[6:] < 0.1]
        errors.append(in_plane[[0, 2]] / exact - 1.0)
    assert np.abs(errors[1]).max() < 0.011
    # thickness and shear lower the exact values by (h / R)^2, far below
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.15)


@both
@pytest.mark.parametrize("slenderness", [1e2, 1e4])
def test_a_free_thin_plate_has_six_rigid_motions(element, slenderness):
    """lambda = 13.468 of the free square plate (nu = 0.3), within the error of the mesh."""
    h = 1.0 / slenderness
    mesh = fx.meshes.rectangle((0, 0), (1, 1), (12, 12), element.cell_type).in_space()
    material = fx.Elastic(youngs_modulus=1e9, poissons_ratio=0.3, density=1.0 / h)
    modes = fx.linear.vibration_modes(
        fx.linear.Part(mesh, regions=[fx.linear.Region(None, element(thickness=h), material)]), 7
    )
    assert modes.n_rigid == 6
    unit = np.sqrt(1e9 * h**3 / 12 / 0.91)
    # second order: 0.3 % on 12 x 12 cells for the twist that this mode is; shear lowers it by another h / a
    assert modes.angular_frequencies[6] / unit == pytest.approx(13.4682, rel=6e-3 + 1.5 * h)
