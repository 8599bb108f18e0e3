"""Analyses of parts with rotations: plates, beams, and their mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import flexmbs as fx
from flexmbs.elements import Frame, ShellQuad, ShellTriangle, Truss

E, NU, RHO = 2e11, 0.3, 8000.0
MATERIAL = fx.Elastic(youngs_modulus=E, density=RHO, poissons_ratio=NU)
A, B, T = 1.0, 0.5, 0.01


def plate(kind: str = "quad", n: tuple[int, int] = (6, 4)) -> fx.linear.Part:
    """A plate A x B in the x-y plane with sets left, right, bottom (y = 0), top."""
    mesh = fx.meshes.rectangle((0, 0), (A, B), n)
    if kind == "triangle":
        quads = mesh.cells[0].nodes
        cells = [("triangle", np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))]
        mesh = fx.meshes.Mesh(mesh.points, cells, node_sets=dict(mesh.node_sets))
    element = ShellQuad(thickness=T) if kind == "quad" else ShellTriangle(thickness=T)
    return fx.linear.Part(mesh.in_space(), regions=[fx.linear.Region(None, element, MATERIAL)], name="plate")


def strut(n: int = 4, length: float = 2.0) -> fx.linear.Part:
    """A beam along x with sets start and end."""
    mesh = fx.meshes.line((0, 0, 0), (length, 0, 0), n)
    frame = Frame(section=fx.Rectangle(width=0.02, height=0.03), up=(0, 0, 1))
    return fx.linear.Part(mesh, regions=[fx.linear.Region(None, frame, MATERIAL)], name="strut")


@pytest.mark.parametrize("kind", ["quad", "triangle"])
def test_pressure_on_a_plate(kind) -> None:
    """Pressure acts against the normal, here z; its resultant goes into the supports."""
    part = plate(kind)
    everywhere = np.arange(part.mesh.n_points)
    pressed = fx.linear.static_response(part, {"left": "all"}, fx.linear.SurfaceLoad(everywhere, pressure=300.0))
    centre = (A / 2, B / 2, 0.0)
    assert pressed.reaction("left", about=centre) == pytest.approx([0, 0, 300.0 * A * B, 0, 0, 0], abs=1e-7)
    assert pressed.displacement("right")[:, 2].max() < 0.0


@pytest.mark.parametrize("kind", ["quad", "triangle"])
@pytest.mark.parametrize(
    "load", [fx.linear.Acceleration((1.0, -2.0, 9.81)), fx.linear.Centrifugal((3.0, 20.0, 5.0), (0.2, 0.0, -0.1))],
    ids=["acceleration", "centrifugal"],
)  # fmt: skip
def test_reactions_of_a_plate_balance_body_loads(kind, load) -> None:
    held = fx.linear.static_response(plate(kind), {"left": "all"}, load)
    mass, centre = RHO * A * B * T, np.array([A / 2, B / 2, 0.0])
    if isinstance(load, fx.linear.Acceleration):
        force, moment = mass * load.vector, np.zeros(3)
    else:
        force = mass * load.field(centre)
        w = load.rate
        second = mass / 12 * np.diag([A**2, B**2, T**2])
        spin = (np.eye(3) * (w @ w) - np.outer(w, w)) @ second
        moment = np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
    found = held.reaction("left", about=centre)
    assert np.abs(found[:3] + force).max() < 1e-9 * np.abs(force).max()
    # forces round off in the moments with the lever A
    assert np.abs(found[3:] + moment).max() < 1e-9 * A * np.abs(force).max()


@pytest.mark.parametrize("kind", ["quad", "triangle"])
def test_free_thermal_expansion_of_a_plate(kind) -> None:
    part = plate(kind)
    held = {0: "all"}
    warm = fx.linear.static_response(part, held, fx.linear.ThermalLoad(50.0, 1.2e-5))
    assert np.abs(warm.displacements[:, :2] - 6e-4 * part.nodes.points[:, :2]).max() < 1e-12
    assert np.abs(warm.stresses()[0].values).max() < 1e-8 * E * 6e-4


def test_plate_in_tension_has_its_stress_on_both_faces() -> None:
    part = plate()
    right = part.mesh.node_set("right")
    weights = np.ones(len(right))
    weights[[0, -1]] = 0.5
    F = 1e6 * B * T
    pull = [fx.linear.NodalForce(int(n), (F * w / weights.sum(), 0, 0)) for n, w in zip(right, weights, strict=True)]
    drawn = fx.linear.static_response(part, {"left": ("ux", "ry"), 0: "all"}, pull)
    assert drawn.von_mises == pytest.approx(1e6, rel=1e-8)
    operator, names = fx.linear.stresses.stress_operator(part, [3, 5])
    assert len(names) == 12
    assert (operator @ drawn.u).reshape(2, 12)[:, 0] == pytest.approx(1e6, rel=1e-8)


@pytest.mark.parametrize("kind", ["quad", "triangle"])
def test_free_plate_and_free_beam_have_six_rigid_motions(kind) -> None:
    for part in (plate(kind), strut()):
        modes = fx.linear.vibration_modes(part, 8)
        assert modes.n_rigid == 6
        assert modes.frequencies[6] > 1.0
        rigid = modes.vectors[:, :6]
        energy = np.abs(np.einsum("ij,ij->j", rigid, modes.operators.K @ rigid)).max()
        assert energy < 1e-9 * modes.eigenvalues[6]
        assert modes.effective_masses().sum(axis=0) == pytest.approx(modes.masses(), rel=1e-9)


def test_euler_strut_and_its_softening() -> None:
    part = strut(8)
    push = fx.linear.NodalForce("end", (-1.0, 0, 0))
    fixed = {"start": ("ux", "uy", "uz", "rx"), "end": ("uy", "uz")}
    found = fx.linear.buckling_loads(part, fixed, push, 2)
    I = np.array([0.03 * 0.02**3, 0.02 * 0.03**3]) / 12  # noqa: E741
    assert found.factors == pytest.approx(np.pi**2 * E * I / 2.0**2, rel=2e-3)
    half = fx.linear.static_response(part, fixed, fx.linear.NodalForce("end", (-0.5 * found.factors[0], 0, 0)))
    plain, soft = (fx.linear.vibration_modes(part, 1, fixed, prestress=s).eigenvalues[0] for s in (None, half))
    # both ends hinged: the square falls with the load in a straight line
    assert soft / plain == pytest.approx(0.5, rel=1e-3)


def test_hot_strut_between_walls_buckles() -> None:
    """Prestress by temperature alone: N = -E A alpha dT."""
    part = strut(8)
    fixed = {"start": ("ux", "uy", "uz", "rx"), "end": ("ux", "uy", "uz")}
    found = fx.linear.buckling_loads(part, fixed, fx.linear.ThermalLoad(1.0, 1e-5))
    critical = np.pi**2 * E * 0.03 * 0.02**3 / 12 / 2.0**2
    assert found.factors[0] == pytest.approx(critical / (E * 6e-4 * 1e-5), rel=2e-3)


def test_moment_on_one_node_and_what_trusses_lack() -> None:
    part = strut()
    twisted = fx.linear.static_response(
        part, {"start": "all"}, fx.linear.NodalForce("end", (0, 0, 0), moment=(5.0, 0, 0))
    )
    assert twisted.reaction("start")[3] == pytest.approx(-5.0, rel=1e-10)
    assert np.isnan(twisted.von_mises).all()
    bars = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 1), regions=[fx.linear.Region(None, Truss(area=1e-4), MATERIAL)]
    )
    with pytest.raises(fx.ModelError, match="no rotations"):
        fx.linear.static_response(bars, {"start": "all"}, fx.linear.NodalForce("end", (0, 0, 0), moment=(5.0, 0, 0)))
    with pytest.raises(fx.SingularError, match="turns about"):
        fx.linear.static_response(bars, {"start": "all"}, fx.linear.NodalForce("end", (1.0, 0, 0)))


def test_truss_without_side_stiffness_is_named() -> None:
    """A chain of trusses on a line: nodes between have no stiffness across, which no rigid motion explains."""
    bars = fx.linear.Part(
        fx.meshes.line((0, 0, 0), (1, 0, 0), 2), regions=[fx.linear.Region(None, Truss(area=1e-4), MATERIAL)]
    )
    with pytest.raises(fx.SingularError, match=r"of node 1 has no support|not positive definite"):
        fx.linear.static_response(bars, {"start": "all", "end": "all"}, fx.linear.Acceleration((1.0, 0, 0)))


def test_a_beam_and_a_plate_in_files_and_pictures(tmp_path) -> None:
    import meshio

    for part, held in ((plate(), "left"), (strut(), "start")):
        bent = fx.linear.static_response(part, {held: "all"}, fx.linear.Acceleration((0, 0, -9.81)))
        ax = bent.plot(Figure().add_subplot(projection="3d"))
        assert len(ax.collections) >= 1
        back = meshio.read(fx.visualization.write_vtu(bent, tmp_path / "bent.vtu"))
        assert (back.point_data["rotation"] == bent.displacements[:, 3:]).all()
        assert np.isnan(back.cell_data["xx"][0]).all()


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e9])
def test_what_is_free_does_not_depend_on_the_unit_of_length(size: float) -> None:
    """Cantilevers of nanometres in metres: F L^3 / (3 E I) with F = L^2; three turns about a point that is held."""
    section = fx.Rectangle(width=0.02 * size, height=0.02 * size)
    region = fx.linear.Region(None, Frame(section=section, shear=False), MATERIAL)
    part = fx.linear.Part(fx.meshes.line((0, 0, 0), (size, 0, 0), 6), regions=[region])
    tip = fx.linear.NodalForce("end", (0.0, 0.0, size**2))
    bent = fx.linear.static_response(part, {"start": "all"}, tip)
    exact = size**5 / (3.0 * E * 0.02**4 * size**4 / 12.0)
    assert bent.displacement("end")[0, 2] == pytest.approx(exact, rel=1e-8)
    with pytest.raises(fx.SingularError, match=r"3 rigid motions free; the structure turns about x"):
        fx.linear.static_response(part, {"start": ("ux", "uy", "uz")}, tip)
    assert fx.linear.vibration_modes(part, 8).n_rigid == 6
    mesh = fx.meshes.rectangle((0, 0), (size, 0.1 * size), (10, 2)).in_space()
    shell = fx.linear.Part(mesh, regions=[fx.linear.Region(None, ShellQuad(thickness=0.01 * size), MATERIAL)])
    assert fx.linear.vibration_modes(shell, 8).n_rigid == 6
    assert fx.linear.vibration_modes(shell, 2, {"left": "all"}).n_rigid == 0
