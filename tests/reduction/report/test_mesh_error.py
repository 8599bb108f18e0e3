"""The error by the mesh, estimated by recovered stresses, against errors that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.reduction.report.mesh_error import energy_errors
from flexmbs.reduction.report.report import ReductionReport

SOFT = fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.3, density=1.0, name="soft")
LAME = 2.0 * math.pi**2 * 0.5 / 1.3
"""Squared angular frequency of the Lame mode of a free block 1 x 1 x b: 2 (pi/a)^2 G/rho, whatever b is; its
displacements cos(pi x) sin(pi y), -sin(pi x) cos(pi y), 0 have no stress on any face (H. Lamb, 1917)."""


def block(element, n):
    """A block 1 x 1 x 0.4 of about cubic cells."""
    kind = {"tetra10": "tetra", "hexahedron20": "hexahedron"}.get(element.cell_type, element.cell_type)
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 0.4), (n, n, max(1, round(0.4 * n))), kind)
    mesh = mesh if kind == element.cell_type else mesh.quadratic()
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element, SOFT)], name="block")


def ratio(element, n):
    """Estimated by exact error of the Lame mode in the energy norm, and the exact one of the squared frequency."""
    part = block(element, n)
    operators = part.assemble()
    modes = fx.linear.vibration_modes(operators, 24)
    x, y, _ = (math.pi * operators.points).T
    wanted = np.column_stack((np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y), 0.0 * x)).ravel()
    k = int(np.argmax(np.abs(modes.vectors.T @ (operators.M @ wanted))))
    error, energy = energy_errors(part, operators.expand(modes.vectors[:, [k]]))
    exact = modes.eigenvalues[k] / LAME - 1.0
    return math.sqrt(error[0] / energy[0] / exact), exact


def test_linear_hexahedra_asymptotically_right():
    coarse, fine = (ratio(fx.elements.Hexahedron8(incompatible=False), n) for n in (4, 8))
    assert fine[1] < 0.4 * coarse[1]  # of second order
    assert abs(fine[0] - 1.0) < 0.06 < abs(coarse[0] - 1.0)


def test_quadratic_hexahedra_asymptotically_right():
    coarse, fine = (ratio(fx.elements.Hexahedron20(), n) for n in (2, 4))
    assert fine[1] < coarse[1] / 12.0  # of fourth order
    assert abs(fine[0] - 1.0) < 0.02 < abs(coarse[0] - 1.0)


@pytest.mark.parametrize(
    ("element", "n", "least", "most"),
    [
        (fx.elements.Hexahedron8(), 8, 1.0, 1.25),  # errs on the safe side
        (fx.elements.Tetra4(), 8, 0.8, 1.0),
        (fx.elements.Tetra10(), 4, 0.7, 1.0),
    ],
)
def test_others_as_the_page_says(element, n, least, most):
    assert least < ratio(element, n)[0] < most


@pytest.mark.parametrize("n", [2, 5, 16])
def test_a_bar_under_its_weight_is_estimated_exactly(n):
    """Displacements (x - x^2/2) rho g/E, exact at nodes: squared error (rho g)^2 A L h^2 / (12 E), and so estimated."""
    bar = fx.Elastic(youngs_modulus=3.0, poissons_ratio=0.0, density=1.0)
    mesh = fx.meshes.box((0, 0, 0), (1, 0.5, 0.5), (n, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(incompatible=False), bar)])
    x = mesh.points[:, 0]
    u = np.column_stack(((x - x**2 / 2.0) / 3.0, 0.0 * x, 0.0 * x)).reshape(-1, 1)
    error, energy = energy_errors(part, u)
    exact = 0.25 / (12.0 * 3.0 * n**2)
    assert error[0] == pytest.approx(exact, rel=1e-11)
    assert energy[0] + exact == pytest.approx(0.25 / 9.0, rel=1e-11)  # of the continuum: A rho^2 g^2 L^3 / (3 E)


def test_materials_are_kept_apart():
    """Two materials in series under one stress: no error, though the strains jump."""
    stiff = fx.Elastic(youngs_modulus=4.0, poissons_ratio=0.0, density=1.0)
    soft = fx.Elastic(youngs_modulus=1.0, poissons_ratio=0.0, density=1.0)
    mesh = fx.meshes.box((0, 0, 0), (2, 1, 1), (2, 1, 1)).with_cell_set("left", [0]).with_cell_set("right", [1])
    element = fx.elements.Hexahedron8(incompatible=False)
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region("left", element, stiff), fx.linear.Region("right", element, soft)]
    )
    x = part.nodes.points[:, 0]
    u = np.zeros((len(x), 3))
    u[:, 0] = np.where(x < 1.0, x / 4.0, 0.25 + (x - 1.0))
    error, energy = energy_errors(part, u.reshape(-1, 1))
    assert energy[0] == pytest.approx(1.25, rel=1e-14)
    assert error[0] < 1e-28


def test_cells_in_several_blocks_of_one_type():
    """The blocks of a file are one region of one material: constant stresses have no error."""
    mesh = fx.meshes.box((0, 0, 0), (2, 1, 1), (4, 1, 1))
    cells = mesh.cells[0].nodes
    blocks = [fx.meshes.CellBlock("hexahedron", cells[:2]), fx.meshes.CellBlock("hexahedron", cells[2:])]
    part = fx.linear.Part(fx.meshes.Mesh(mesh.points, blocks), material=SOFT)
    error, energy = energy_errors(part, (part.nodes.points * [1.0, 0.0, 0.0]).reshape(-1, 1))
    nu = 0.3
    assert energy[0] == pytest.approx(2.0 * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)), rel=1e-12)
    assert error[0] < 1e-24


def test_the_report_says_it():
    part = block(fx.elements.Hexahedron8(incompatible=False), 4)
    sets = {"FOOT": np.flatnonzero(part.nodes.points[:, 2] == 0.0)}
    held = fx.linear.Part(part.mesh.with_node_set("FOOT", sets["FOOT"]), regions=part.regions, name="block")
    small = fx.reduction.reduce(held, [fx.reduction.Interface("FOOT", kind="averaged")], modes=20, progress=False)
    found = small.report(full=False, points=4, progress=False)
    assert found.mesh is not None
    assert found.mesh.cells == {"hexahedron": 32}
    assert found.mesh.frequencies == pytest.approx(found.frequencies[0].reduced[:6], rel=1e-12)
    assert found.mesh.too_high == pytest.approx(np.square(found.mesh.energy_error) / 2.0, rel=1e-14)
    assert "frequency too high by about" in str(found)
    assert any("refine it where stresses change" in warning for warning in found.warnings)
    assert ReductionReport.from_json(found.to_json()) == found
    older = found.to_json().replace('"mesh": ', '"unknown": ')
    assert ReductionReport.from_json(older).mesh is None


def test_shells_and_bare_operators_are_said_not_to_be_covered():
    mesh = fx.meshes.rectangle((0, 0), (1, 1), (2, 2)).in_space()
    plate = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.01), SOFT)])
    small = fx.reduction.reduce(plate, [fx.reduction.Interface("left", kind="nodes")], modes=2, progress=False)
    found = small.report(full=False, points=2, progress=False)
    assert found.mesh is not None
    assert found.mesh.too_high is None
    assert "not estimated for 4 quad" in str(found)
