"""Sections of shells against hand formulas, and layered shells as a whole."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import MeshError, ModelError
from flexmbs.core.laminate import Ply, shell_section
from flexmbs.core.material import Orthotropic
from flexmbs.core.rotations import from_vector
from flexmbs.elements import ShellQuad, ShellTriangle

CARBON = Orthotropic(
    E_1=140e9, E_2=10e9, E_3=10e9, nu_12=0.3, nu_13=0.3, nu_23=0.4, G_12=5e9, G_13=5e9, G_23=3.5e9, density=1600.0
)
FOAM = fx.Elastic(youngs_modulus=70e6, poissons_ratio=0.3, density=60.0)
SHEET = fx.Elastic(youngs_modulus=70e9, poissons_ratio=0.3, density=2700.0)
QUARTER = np.pi / 2


def test_one_isotropic_layer():
    E, nu, h = 70e9, 0.3, 0.02
    section = shell_section((Ply(SHEET, h),))
    plane = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    np.testing.assert_allclose(section.stiffness[:3, :3], plane * h, rtol=1e-14)
    np.testing.assert_allclose(section.stiffness[3:6, 3:6], plane * h**3 / 12, rtol=1e-14, atol=1e-9)
    np.testing.assert_allclose(section.stiffness[:3, 3:6], 0.0, atol=1e-12 * E * h**2)
    np.testing.assert_allclose(section.stiffness[6:, 6:], 5 / 6 * E / 2 / (1 + nu) * h * np.eye(2), rtol=1e-12)
    np.testing.assert_allclose(section.inertia, [2700 * h, 0, 2700 * h**3 / 12], rtol=1e-12, atol=1e-12)
    assert not section.directional
    assert section.poissons_ratio == pytest.approx(nu)
    assert section.drilling == pytest.approx(plane[2, 2] * h)


def test_two_layers_across_each_other_couple():
    """[0/90]: B_11 = -B_22 = h^2/8 (Q_22 - Q_11), A and D symmetric in the axes; all by hand."""
    h = 0.004
    section = shell_section((Ply(CARBON, h / 2), Ply(CARBON, h / 2, QUARTER)))
    nu_21 = 0.3 * 10 / 140
    Q_11, Q_22, Q_12 = 140e9 / (1 - 0.3 * nu_21), 10e9 / (1 - 0.3 * nu_21), 3e9 / (1 - 0.3 * nu_21)
    C = section.stiffness
    assert C[0, 0] == pytest.approx(h * (Q_11 + Q_22) / 2)
    assert C[0, 1] == pytest.approx(h * Q_12)
    assert C[2, 2] == pytest.approx(h * 5e9)
    assert C[0, 3] == pytest.approx(h**2 / 8 * (Q_22 - Q_11))
    assert C[1, 4] == pytest.approx(-(h**2) / 8 * (Q_22 - Q_11))
    assert C[3, 3] == pytest.approx(h**3 / 12 * (Q_11 + Q_22) / 2)
    assert section.directional


def test_layers_at_angles_are_those_of_turned_axes():
    """Stiffness of [30/-45] by strains carried to material axes as tensors, layer by layer."""
    h, angles = 0.001, (np.pi / 6, -np.pi / 4)
    section = shell_section(tuple(Ply(CARBON, h, a) for a in angles))
    A = np.zeros((3, 3))
    for angle in angles:
        e = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for j in range(3):
            strain = np.zeros((2, 2))
            strain[[0, 1, 0][j], [0, 1, 1][j]] = strain[[0, 1, 1][j], [0, 1, 0][j]] = 1.0 if j < 2 else 0.5
            own = e @ strain @ e.T
            s = CARBON.plane_stress() @ [own[0, 0], own[1, 1], 2 * own[0, 1]]
            stress = e.T @ np.array([[s[0], s[2]], [s[2], s[1]]]) @ e
            A[:, j] += h * stress[[0, 1, 0], [0, 1, 1]]
    np.testing.assert_allclose(section.stiffness[:3, :3], A, rtol=1e-12, atol=1e-3)


def test_shear_of_a_sandwich_is_that_of_its_core():
    """Thin stiff faces f at the distance d carry the moment: S = G d^2 / c, within f / c of faces of no thickness."""
    f, c, G = 1e-4, 0.02, 2e6
    core = fx.Elastic(youngs_modulus=2.6 * G, poissons_ratio=0.3, density=60.0)
    section = shell_section((Ply(SHEET, f), Ply(core, c), Ply(SHEET, f)))
    assert section.stiffness[6, 6] == pytest.approx(G * (c + f) ** 2 / c, rel=f / c)


def test_layers_of_one_material_are_one_layer():
    split = shell_section((Ply(CARBON, 0.001, 0.3), Ply(CARBON, 0.003, 0.3), Ply(CARBON, 0.002, 0.3)))
    whole = shell_section((Ply(CARBON, 0.006, 0.3),))
    np.testing.assert_allclose(split.stiffness, whole.stiffness, rtol=1e-11, atol=1e-9 * whole.stiffness.max())
    np.testing.assert_allclose(split.inertia, whole.inertia, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("element", [ShellQuad, ShellTriangle])
def test_fibres_follow_the_reference_and_the_angle(element):
    """A tube's fibre direction: stretching along it meets E_1, across it E_2, wherever the facet lies."""
    n = 4 if element is ShellQuad else 3
    points = np.array([[0.0, 0, 0], [0.7, 0.2, 0], [0.9, 1.0, 0], [-0.1, 0.8, 0]])[:n]
    tilt = from_vector(np.array([0.3, -0.4, 0.5]))
    for angle, modulus in ((0.0, 140e9), (QUARTER, 10e9)):
        shell = element(layers=(Ply(CARBON, 0.01, angle),), reference=tuple(tilt @ [1.0, 0, 0.4]))
        group = shell.tabulate("test", (points @ tilt.T)[None], None, np.array([0]))
        across = 0.3 * 10 / 140 if angle else 0.3
        u = np.zeros((n, 6))
        u[:, 0], u[:, 1] = 1e-3 * points[:, 0], -across * 1e-3 * points[:, 1]
        u[:, :3] = u[:, :3] @ tilt.T
        stress = shell.stresses(group, u.reshape(1, -1))[0]
        for values in stress:
            xx, yy, zz, xy, yz, xz = values[:6]
            local = tilt.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ tilt
            np.testing.assert_allclose(local, np.diag([1e-3 * modulus, 0, 0]), atol=1e-9 * 140e6)


def test_mass_points_of_uneven_layers():
    """Steel below foam: mass, centre and moment of inertia are those of the two layers."""
    layers = (Ply(SHEET, 0.01), Ply(FOAM, 0.03))
    shell = ShellQuad(layers=layers)
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    mass = shell.mass_points(shell.tabulate("test", points[None], None, np.array([0])))
    w, z = mass.weights[0], mass.positions[0, :, 2]
    parts, centres, heights = np.array([27.0, 1.8]), np.array([-0.015, 0.005]), np.array([0.01, 0.03])
    assert w.sum() == pytest.approx(28.8)
    assert w @ z == pytest.approx(parts @ centres)
    assert w @ z**2 == pytest.approx(parts @ (centres**2 + heights**2 / 12))


def test_what_layers_refuse():
    points = np.array([[[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]])
    with pytest.raises(ModelError, match="thickness"):
        Ply(CARBON, 0.0)
    with pytest.raises(ModelError, match="material"):
        Ply("carbon", 0.1)
    with pytest.raises(ModelError, match="reference="):
        ShellQuad(layers=(Ply(CARBON, 0.1),)).tabulate("part 'x'", points, None, np.array([0]))
    with pytest.raises(ModelError, match="reference="):
        ShellQuad(thickness=0.1).tabulate("part 'x'", points, CARBON, np.array([0]))
    with pytest.raises(MeshError, match="cell 5 stands normal to the reference"):
        ShellQuad(layers=(Ply(CARBON, 0.1),), reference=(0, 0, 2.0)).tabulate("x", points, None, np.array([5]))
    # as many directions as there are, an isotropic laminate needs none
    ShellQuad(layers=(Ply(SHEET, 0.1, 0.3), Ply(FOAM, 0.2))).tabulate("x", points, None, np.array([0]))


def test_angles_in_degrees_are_refused():
    with pytest.raises(ModelError, match=r"45 degrees are 0\.785398 rad"):
        Ply(SHEET, 1e-3, 45)


def test_axes_of_a_material_are_refused_in_sheets():
    """They are of solids: a sheet that took no notice of them would have E_1 along its own axis."""
    across = Orthotropic(**{**vars(CARBON), "axes": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)), "name": "carbon"})
    with pytest.raises(ModelError, match=r"layer 1: Orthotropic 'carbon' has axes .* angle of a Ply"):
        shell_section((Ply(CARBON, 0.001), Ply(across, 0.001)))
    with pytest.raises(ModelError, match="Orthotropic 'carbon' has axes"):
        fx.FlexibleBody.plate(
            (1, 1), elements=(2, 2), element=fx.elements.ANCFShell(), section=fx.ShellSection(0.01), material=across
        )
    with pytest.raises(ModelError, match="segmented_plate 'plate': Orthotropic 'carbon' has axes"):
        fx.segments.segmented_plate((1, 1), (2, 2), thickness=0.01, material=across)


@pytest.mark.parametrize("element", [ShellQuad, ShellTriangle])
def test_layers_damp_by_their_retardation_time(element):
    """D = tau K, so that every mode is damped by tau omega / 2."""
    viscous = fx.Elastic(youngs_modulus=70e9, poissons_ratio=0.3, density=2700.0, retardation_time=2e-4)
    cells = [("quad", [[0, 1, 2, 3]])] if element is ShellQuad else [("triangle", [[0, 1, 2], [0, 2, 3]])]
    mesh = fx.meshes.Mesh(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), cells)

    def assembled(*layers):
        return fx.linear.Part(mesh, regions=[fx.linear.Region(None, element(layers=layers))]).assemble()

    found = assembled(Ply(viscous, 0.01), Ply(viscous, 0.02))
    assert abs(found.D - 2e-4 * found.K).max() <= 1e-15 * abs(found.K).max()
    assert assembled(Ply(SHEET, 0.01)).D is None
    with pytest.raises(ModelError, match=r"different retardation times \[0.0, 0.0002\]"):
        assembled(Ply(SHEET, 0.01), Ply(viscous, 0.01))
