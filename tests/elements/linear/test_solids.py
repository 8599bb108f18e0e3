"""Solids: patch tests, rigid motions, rank, symmetry, stresses, heat, materials, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import flexmbs as fx
from flexmbs.core.material import Elastic, Orthotropic
from flexmbs.elements import Hexahedron8, Hexahedron20, Tetra4, Tetra10
from flexmbs.elements.linear.contract import LINEAR_ELEMENT_MEMBERS, LinearElement
from flexmbs.elements.linear.solid import SolidElement
from flexmbs.linear.faces import outer_faces
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes import Mesh, box
from flexmbs.meshes.cells import cell_type

ELEMENTS: tuple[SolidElement, ...] = (
    Tetra4(), Tetra10(), Tetra10(reduced_mass=True), Hexahedron8(), Hexahedron8(incompatible=False), Hexahedron20(),
    Hexahedron20(reduced=True),
)  # fmt: skip
SOFT = Elastic(youngs_modulus=3.0, poissons_ratio=0.3, density=2.0)
PLY = Orthotropic(
    E_1=9.0, E_2=4.0, E_3=2.0, nu_12=0.25, nu_13=0.3, nu_23=0.2, G_12=1.5, G_13=1.0, G_23=0.8, density=2.0,
    axes=tuple(map(tuple, np.linalg.qr(np.array([[1.0, 0.4, 0.2], [0.3, 1.0, -0.5], [-0.2, 0.6, 1.0]]))[0].T)),
)  # fmt: skip
every = pytest.mark.parametrize("element", ELEMENTS, ids=lambda e: e.name)


def distorted(kind: str, n: int = 2, size: float = 0.2, curved: float = 0.0, seed: int = 1) -> Mesh:
    """A cube of n x n x n with all its points moved; edges are straight unless ``curved``."""
    rng = np.random.default_rng(seed)
    mesh = box((0, 0, 0), (n, n, n), (n, n, n), "tetra" if "tetra" in kind else "hexahedron")
    mesh = Mesh(mesh.points + rng.uniform(-size, size, mesh.points.shape), mesh.cells)
    if kind in ("tetra10", "hexahedron20"):
        corners = mesh.n_points
        mesh = mesh.quadratic()
        moved = mesh.points.copy()
        moved[corners:] += rng.uniform(-curved, curved, moved[corners:].shape)
        mesh = Mesh(moved, mesh.cells)
    return mesh


def tabulated(element: SolidElement, mesh: Mesh, material: Elastic | Orthotropic = SOFT):
    nodes = mesh.cells[0].nodes
    return element.tabulate("test", mesh.points[nodes], material, np.arange(len(nodes)))


def linear(points: NDArray[np.float64], A: NDArray[np.float64]) -> NDArray[np.float64]:
    """Displacements A x of the nodes, element by element."""
    return (points @ A.T).reshape(*points.shape[:-2], -1)


def engineering(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """Strains of the displacements A x."""
    both = A + A.T
    return np.array([A[0, 0], A[1, 1], A[2, 2], both[0, 1], both[1, 2], both[0, 2]])


A = np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.6], [-0.7, 0.2, -0.1]])


@every
def test_fulfils_the_contract(element: LinearElement) -> None:
    assert [name for name in LINEAR_ELEMENT_MEMBERS if not hasattr(element, name)] == []
    assert element.n_components == 3


@every
@pytest.mark.parametrize("material", [SOFT, PLY], ids=["isotropic", "orthotropic"])
def test_patch(element: SolidElement, material: Elastic | Orthotropic) -> None:
    mesh = distorted(element.cell_type)
    operators = Part(mesh, regions=[Region(None, element, material)]).assemble()
    exact = linear(operators.points[None], A)[0]
    faces = outer_faces([(block.cell_type, block.nodes) for block in mesh.cells])
    held = operators.dofs.of(np.unique(np.concatenate([f.ravel() for f in faces.values()])))
    free = np.setdiff1d(np.arange(operators.n), held)
    K = operators.K.toarray()
    inside = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, held)] @ exact[held])
    assert len(free) >= 3
    assert np.abs(inside - exact[free]).max() <= 1e-12
    group = tabulated(element, mesh, material)
    u = linear(group.points, A)
    expected = material.elasticity() @ engineering(A)
    assert np.abs(element.stresses(group, u) - expected).max() <= 1e-11
    assert np.abs(element.nodal_stresses(group, u) - expected).max() <= 1e-11


@every
def test_rigid_motions_and_rank(element: SolidElement) -> None:
    mesh = distorted(element.cell_type)
    group = tabulated(element, mesh, PLY)
    K = element.stiffness(group)
    rigid = [np.tile(e, (len(K), K.shape[1] // 3)) for e in np.eye(3)]
    rigid += [linear(group.points, np.cross(np.eye(3), e)) for e in np.eye(3)]
    for u in rigid:
        assert np.abs(np.einsum("eij,ej->ei", K, u)).max() <= 1e-12 * np.abs(K).max()
        assert np.abs(element.stresses(group, u)).max() <= 1e-12
    values = np.linalg.eigvalsh(K)
    spurious = 6 if element == Hexahedron20(reduced=True) else 0
    assert (np.abs(values[:, : 6 + spurious]) <= 1e-12 * values[:, -1:]).all()
    assert (values[:, 6 + spurious] >= 1e-5 * values[:, -1]).all()


def test_reduced_quadratic_hexahedra_support_each_other() -> None:
    mesh = box((0, 0, 0), (2, 2, 1), (2, 2, 1)).quadratic()
    K = Part(mesh, regions=[Region(None, Hexahedron20(reduced=True), SOFT)]).assemble().K.toarray()
    values = np.linalg.eigvalsh(K)
    assert (np.abs(values) <= 1e-12 * values[-1]).sum() == 6


@every
def test_symmetric_to_the_last_bit(element: SolidElement) -> None:
    mesh = distorted(element.cell_type)
    group = tabulated(element, mesh, PLY)
    u = np.random.default_rng(2).normal(size=(len(group.points), 3 * group.points.shape[1]))
    for matrix in (element.stiffness(group), element.mass(group), element.geometric_stiffness(group, u)):
        assert (matrix == matrix.transpose(0, 2, 1)).all()
        assert np.abs(matrix).max() > 0.0


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(ELEMENTS),
    st.integers(0, 2**32 - 1),
    st.floats(1e-4, 1e4),
    st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3),
)
def test_any_cell_in_any_place(element: SolidElement, seed: int, scale: float, turn: list[float]) -> None:
    """Turning, moving and scaling a cell turns and scales its matrices."""
    rng = np.random.default_rng(seed)
    mesh = distorted(element.cell_type, n=1, size=0.12, curved=0.03, seed=seed)
    group = tabulated(element, mesh)
    R = np.linalg.qr(np.eye(3) + np.cross(np.eye(3), turn))[0]
    R *= np.sign(np.linalg.det(R))
    moved = tabulated(element, Mesh(scale * mesh.points @ R.T + rng.uniform(-1, 1, 3) * scale, mesh.cells))
    T = np.kron(np.eye(group.points.shape[1]), R)
    for matrix, power in ((element.stiffness, 1), (element.mass, 3)):
        here, there = matrix(group), matrix(moved)
        assert np.abs(there - scale**power * T @ here @ T.T).max() <= 1e-11 * np.abs(there).max()
    u = rng.normal(size=(len(group.points), T.shape[0]))
    assert np.einsum("ei,eij,ej->e", u, element.stiffness(group), u).min() > 0.0
    assert np.einsum("ei,eij,ej->e", u, element.mass(group), u).min() > 0.0


@every
def test_orthotropic_with_equal_axes_is_isotropic(element: SolidElement) -> None:
    G = SOFT.shear_modulus
    equal = Orthotropic(
        E_1=3.0, E_2=3.0, E_3=3.0, nu_12=0.3, nu_13=0.3, nu_23=0.3, G_12=G, G_13=G, G_23=G, density=2.0, axes=PLY.axes
    )
    mesh = distorted(element.cell_type)
    one, other = (element.stiffness(tabulated(element, mesh, m)) for m in (SOFT, equal))
    assert np.abs(one - other).max() <= 1e-13 * np.abs(one).max()


@every
def test_orthotropic_axes_turn_with_the_part(element: SolidElement) -> None:
    R = np.array(PLY.axes)
    straight = Orthotropic(**{**vars(PLY), "axes": tuple(map(tuple, np.eye(3)))})
    mesh = distorted(element.cell_type)
    turned = Mesh(mesh.points @ R, mesh.cells)  # what lay along x lies along the first row of the axes
    here = element.stiffness(tabulated(element, mesh, straight))
    there = element.stiffness(tabulated(element, turned, PLY))
    T = np.kron(np.eye(here.shape[1] // 3), R.T)
    assert np.abs(there - T @ here @ T.T).max() <= 1e-13 * np.abs(here).max()


@pytest.mark.parametrize("element", [Tetra10(), Hexahedron8(), Hexahedron20(), Hexahedron20(reduced=True)],
                         ids=lambda e: e.name)  # fmt: skip
def test_pure_bending_is_exact_in_bricks(element: SolidElement) -> None:
    """u = (xy, -x^2/2 - nu (y^2 - z^2)/2, -nu yz) / R: stress xx = E y / R alone, also at the nodes."""
    E, nu = SOFT.youngs_modulus, SOFT.poissons_ratio
    mesh = box((0, -1, -1), (4, 2, 2), (2, 2, 2), "tetra" if "tetra" in element.cell_type else "hexahedron")
    mesh = mesh.quadratic() if element.cell_type in ("tetra10", "hexahedron20") else mesh
    operators = Part(mesh, regions=[Region(None, element, SOFT)]).assemble()
    x, y, z = operators.points.T
    exact = np.column_stack([x * y, -0.5 * (x**2 + nu * (y**2 - z**2)), -nu * y * z])
    held = np.concatenate([operators.dofs.of(mesh.node_set(side)) for side in ("left", "right")])
    free = np.setdiff1d(np.arange(operators.n), held)
    K = operators.K.toarray()
    u = exact.ravel().copy()
    u[free] = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, held)] @ u[held])
    assert np.abs(u - exact.ravel()).max() <= 1e-12
    group = tabulated(element, mesh)
    coordinates = u.reshape(-1, 3)[mesh.cells[0].nodes].reshape(len(group.points), -1)
    for stress, place in (
        (element.stresses(group, coordinates), element.stress_positions(group)),
        (element.nodal_stresses(group, coordinates), group.points),
    ):
        expected = np.zeros_like(stress)
        expected[..., 0] = E * place[..., 1]
        assert np.abs(stress - expected).max() <= 1e-11


@every
@pytest.mark.parametrize("material", [SOFT, PLY], ids=["isotropic", "orthotropic"])
def test_free_expansion_has_no_stress(element: SolidElement, material: Elastic | Orthotropic) -> None:
    """Nodal forces of a thermal strain are those of the displacements eps x, cell by cell, each its own strain."""
    mesh = distorted(element.cell_type, curved=0.05)
    group = tabulated(element, mesh, material)
    eps = np.linspace(-1.0, 2.0, len(group.points))
    u = eps[:, None] * group.points.reshape(len(group.points), -1)
    elastic = np.einsum("eij,ej->ei", element.stiffness(group), u)
    assert np.abs(element.thermal_load(group, eps) - elastic).max() <= 1e-12 * np.abs(elastic).max()


@every
def test_refuses_inverted_and_flat_cells_by_number(element: SolidElement) -> None:
    kind = cell_type(element.cell_type)
    points = np.tile(kind.nodes, (12, 1, 1))
    numbers = np.arange(100, 112)
    points[[1, 3, 4, 5, 8, 9, 11], :, 2] *= -1.0
    points[7, :, 2] = 0.25 * points[7, :, 0]
    with pytest.raises(fx.MeshError) as caught:
        element.tabulate("part 'arm'", points, SOFT, numbers)
    message = str(caught.value)
    assert message.startswith("part 'arm': 8 of 12")
    assert "inverted: 101, 103, 104, 105, 108 and 2 more" in message
    assert "without volume: 107" in message


@every
def test_thin_cells_are_no_flat_cells(element: SolidElement) -> None:
    points = cell_type(element.cell_type).nodes[None] * np.array([1.0, 1.0, 1e-6])
    group = element.tabulate("test", points, SOFT, np.arange(1))
    assert np.isfinite(element.stiffness(group)).all()


@every
def test_refuses_what_is_no_material(element: SolidElement) -> None:
    points = cell_type(element.cell_type).nodes[None]
    for material in (None, "steel"):
        with pytest.raises(fx.ModelError, match="needs an elastic material"):
            element.tabulate("part 'arm'", points, material, np.arange(1))  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="shape"):
        element.tabulate("part 'arm'", points[:, :-1], SOFT, np.arange(1))


def test_refuses_choices_that_are_none() -> None:
    for call in (lambda: Hexahedron8(incompatible=1), lambda: Hexahedron20(reduced="yes"), lambda: Tetra10(None)):  # type: ignore[arg-type]
        with pytest.raises(fx.ModelError, match="True or False"):
            call()
