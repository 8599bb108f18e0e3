"""Recovery of stresses: at points, at nodes, as an operator, and the faces that pictures and loads use."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.elements import Hexahedron8, Hexahedron20
from flexmbs.linear.faces import faces_within, nodal_areas, nodal_vectors, outer_faces
from flexmbs.linear.stresses import element_stresses, nodal_stresses, nodal_von_mises, stress_operator, von_mises

MATERIAL = fx.Elastic(youngs_modulus=2e11, density=8000.0, poissons_ratio=0.3)


def linear_field(part: fx.linear.Part, gradient) -> np.ndarray:
    """All physical displacements of u = gradient x."""
    used = part.nodes.n_dofs > 0
    return (part.nodes.points[used] @ np.asarray(gradient).T).ravel()


def tetrahedra(quadratic: bool) -> fx.linear.Part:
    """The sample lug, with straight edges if linear."""
    mesh = fx.meshes.read_mesh(fx.meshes.sample("lug.inp"))
    if quadratic:
        return fx.linear.Part(mesh, material=MATERIAL)
    cells = [("tetra", mesh.cells[0].nodes[:, :4])]
    return fx.linear.Part(fx.meshes.Mesh(mesh.points, cells, node_sets=dict(mesh.node_sets)), material=MATERIAL)


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20"])
def test_stress_of_a_linear_field_is_exact(block, kind) -> None:
    parts = {
        "tetra": lambda: tetrahedra(False), "tetra10": lambda: tetrahedra(True),
        "hexahedron": lambda: block(Hexahedron8(), material=MATERIAL),
        "hexahedron20": lambda: block(Hexahedron20(), material=MATERIAL),
    }  # fmt: skip
    part = parts[kind]()
    G = 1e-4 * np.array([[1.0, 2.0, -1.0], [0.5, -2.0, 0.3], [0.0, 1.0, 0.7]])
    eps = 0.5 * (G + G.T)
    strain = np.array([eps[0, 0], eps[1, 1], eps[2, 2], 2 * eps[0, 1], 2 * eps[1, 2], 2 * eps[0, 2]])
    exact = MATERIAL.elasticity() @ strain
    u = linear_field(part, G)
    for found in element_stresses(part, u):
        assert np.abs(found.values - exact).max() < 1e-9 * np.abs(exact).max()
        assert found.positions.shape == (*found.values.shape[:2], 3)
    for found in nodal_stresses(part, u):
        assert np.abs(found.values - exact).max() < 1e-9 * np.abs(exact).max()
    used = part.nodes.n_dofs > 0
    assert nodal_von_mises(part, u)[used] == pytest.approx(von_mises(exact).item(), rel=1e-9)
    assert np.isnan(nodal_von_mises(part, u)[~used]).all()


def test_the_operator_gives_the_averaged_stresses(block) -> None:
    part = block(Hexahedron8())
    u = np.random.default_rng(3).standard_normal((int(part.nodes.n_dofs.sum()), 3))
    direct = nodal_stresses(part, u)[0]
    nodes = np.array([7, 2, 11])
    operator, names = stress_operator(part, nodes)
    assert names == direct.names
    rows = np.searchsorted(direct.nodes, nodes)
    assert np.abs((operator @ u).reshape(3, 6, 3) - direct.values[rows]).max() < 1e-12 * np.abs(direct.values).max()


def test_regions_are_averaged_apart() -> None:
    mesh = fx.meshes.box((0, 0, 0), (2, 1, 1), (2, 1, 1)).with_cell_set("soft", [1])
    soft = fx.Elastic(youngs_modulus=1e9, density=1000.0, poissons_ratio=0.0)
    hard = fx.Elastic(youngs_modulus=4e9, density=1000.0, poissons_ratio=0.0)
    part = fx.linear.Part(mesh, material=hard, regions=[fx.linear.Region("soft", Hexahedron8(), soft)])
    # a uniform strain: the stress jumps at the border
    u = linear_field(part, np.diag([1e-3, 0, 0]))
    by_region = {r.region.cells: r for r in nodal_stresses(part, u)}
    assert by_region["soft"].values[:, 0] == pytest.approx(1e6, rel=1e-9)
    assert by_region[None].values[:, 0] == pytest.approx(4e6, rel=1e-9)
    border = np.intersect1d(by_region["soft"].nodes, by_region[None].nodes)
    assert len(border) == 4
    assert nodal_von_mises(part, u)[border] == pytest.approx(4e6, rel=1e-9)


def test_von_mises_of_known_states() -> None:
    s = 70.0
    states = {
        (s, 0, 0, 0, 0, 0): s, (s, s, s, 0, 0, 0): 0.0, (s, -s, 0, 0, 0, 0): np.sqrt(3) * s,
        (0, 0, 0, 0, s, 0): np.sqrt(3) * s, (s, s, 0, 0, 0, 0): s,
    }  # fmt: skip
    for state, exact in states.items():
        assert von_mises(state).item() == pytest.approx(exact, abs=1e-12 * s)
    rng = np.random.default_rng(4)
    a = rng.standard_normal((3, 3))
    T = a + a.T
    deviator = T - np.trace(T) / 3 * np.eye(3)
    flat = [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[1, 2], T[0, 2]]
    assert von_mises(flat).item() == pytest.approx(np.sqrt(1.5 * (deviator * deviator).sum()), rel=1e-12)
    names = [f"{n} {face}" for face in ("top", "bottom") for n in ("xx", "yy", "zz", "xy", "yz", "xz")]
    assert von_mises([1.0, 0, 0, 0, 0, 0, -3.0, 0, 0, 0, 0, 0], names).item() == 3.0
    with pytest.raises(fx.ModelError, match="needs the components"):
        von_mises([1.0, 2.0], ("N", "Q"))


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20"])
def test_outer_faces_close_the_volume(block, kind) -> None:
    """Normals point outward: their integral vanishes and that of x . n is three times the volume."""
    parts = {
        "tetra": lambda: tetrahedra(False), "tetra10": lambda: tetrahedra(True),
        "hexahedron": lambda: block(Hexahedron8()), "hexahedron20": lambda: block(Hexahedron20()),
    }  # fmt: skip
    part = parts[kind]()
    points = part.mesh.points
    faces = outer_faces((p.region.element.cell_type, p.cells) for p in part.pieces)
    vectors = nodal_vectors(points, faces)
    volume = sum(float(np.sum(sizes)) for sizes in part.mesh.cell_sizes)
    area = nodal_areas(points, faces).sum()
    assert np.abs(vectors.sum(axis=0)).max() < 1e-13 * area
    assert (points * vectors).sum() == pytest.approx(3.0 * volume, rel=1e-11)


def test_faces_of_a_set_and_their_areas(block) -> None:
    part = block(Hexahedron20(), n=(3, 2, 2))
    faces = outer_faces((p.region.element.cell_type, p.cells) for p in part.pieces)
    right = faces_within(faces, part.mesh.node_set("right"))
    assert {k: len(f) for k, f in right.items()} == {"quad8": 4}
    assert nodal_areas(part.mesh.points, right).sum() == pytest.approx(0.02, rel=1e-12)
    assert nodal_vectors(part.mesh.points, right).sum(axis=0) == pytest.approx([0.02, 0.0, 0.0], abs=1e-15)


def test_surface_cells_on_a_solid_are_not_counted_twice(block) -> None:
    mesh = fx.meshes.box((0, 0, 0), (1, 1, 1), (2, 2, 2))
    cells = [(b.cell_type, b.nodes) for b in mesh.cells]
    faces = outer_faces(cells)["quad"]
    again = outer_faces([*cells, ("quad", faces[:3, ::-1])])
    assert len(again["quad"]) == len(faces) == 24
    alone = outer_faces([("quad", faces[:3]), ("line", faces[:3, :2])])
    assert len(alone["quad"]) == 3


def test_pressure_in_the_bore_has_no_resultant_and_the_right_area() -> None:
    part = tetrahedra(True)
    operators = part.assemble()
    force = fx.linear.SurfaceLoad("BORE", pressure=1.0).forces(operators).reshape(-1, 3)
    x = part.nodes.points[part.nodes.n_dofs > 0]
    assert np.abs(force.sum(axis=0)).max() < 1e-16
    # the virial of a pressure in a closed cylinder of volume V: 2 V for the radial forces
    centre = np.array([0.045, 0.01, 0.0])
    virial = ((x - centre)[:, :2] * force[:, :2]).sum()
    assert virial == pytest.approx(2.0 * np.pi * 0.005**2 * 0.02, rel=0.01)


def test_bad_arguments(block) -> None:
    part = block(Hexahedron8())
    for make, words in (
        (lambda: stress_operator(part, [10**6]), "numbers from 0"),
        (lambda: stress_operator(part, []), "numbers from 0"),
        (lambda: nodal_stresses(part, np.ones(5)), "shape"),
    ):
        with pytest.raises(fx.ModelError, match=words):
            make()
    loose = fx.linear.Operators(np.eye(3), np.eye(3), fx.linear.operators.DofMap([0, 0, 0], [0, 1, 2]), [[0, 0, 0]])
    with pytest.raises(fx.ModelError, match="needs the elements"):
        fx.linear.static_response(loose, {}, fx.linear.NodalForce(0, (1.0, 0, 0))).stresses()
