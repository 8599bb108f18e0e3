"""Geometric stiffness of solids: identities, a column that buckles, a bar under tension."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

from flexmbs.core.material import Elastic
from flexmbs.elements import Hexahedron8, Hexahedron20, Tetra4, Tetra10
from flexmbs.elements.linear.solid import SolidElement
from flexmbs.linear.operators import Operators
from flexmbs.linear.part import Part
from flexmbs.linear.region import Region
from flexmbs.meshes import Mesh, box
from flexmbs.meshes.cells import cell_type

COMPATIBLE: tuple[SolidElement, ...] = (
    Tetra4(), Tetra10(), Hexahedron8(incompatible=False), Hexahedron20(), Hexahedron20(reduced=True),
)  # fmt: skip
NO_POISSON = Elastic(youngs_modulus=1e3, poissons_ratio=0.0, density=1.0)


def cell(kind: str, curved: float = 0.0) -> NDArray[np.float64]:
    """Nodes (1, n_a, 3) of a distorted cell."""
    nodes = cell_type(kind).nodes
    moved = nodes @ np.array([[1.0, 0.1, 0.3], [-0.2, 0.8, 0.1], [0.2, 0.4, 1.5]])
    return (moved + np.random.default_rng(4).uniform(-curved, curved, nodes.shape))[None]


@pytest.mark.parametrize("element", [*COMPATIBLE, Hexahedron8()], ids=lambda e: e.name)
def test_uniform_stress_in_closed_form(element: SolidElement) -> None:
    """Motions v = A x under a uniform stress s: v^T Kg v = V tr(A s A^T)."""
    material = Elastic(youngs_modulus=3.0, poissons_ratio=0.3, density=1.0)
    points = cell(element.cell_type)
    group = element.tabulate("test", points, material, np.arange(1))
    rng = np.random.default_rng(1)
    F, A = rng.normal(size=(2, 3, 3))
    u, v = (points @ F.T).reshape(1, -1), (points @ A.T).ravel()
    both = F + F.T
    s = material.elasticity() @ [F[0, 0], F[1, 1], F[2, 2], both[0, 1], both[1, 2], both[0, 2]]
    stress = np.array([[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]])
    volume = element.mass_points(group).weights.sum()  # unit density
    exact = volume * np.trace(A @ stress @ A.T)
    assert v @ element.geometric_stiffness(group, u)[0] @ v == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("element", COMPATIBLE, ids=lambda e: e.name)
def test_cubic_part_of_the_energy(element: SolidElement) -> None:
    """The St. Venant-Kirchhoff energy W(u) is a polynomial of degree 4; its cubic part is u^T Kg(u) u / 2."""
    material = Elastic(youngs_modulus=3.0, poissons_ratio=0.3, density=1.0)
    points = cell(element.cell_type, curved=0.05)
    group = element.tabulate("test", points, material, np.arange(1))
    table = element._rule(element.stiffness_rule)
    J = np.einsum("ai,gaj->gij", points[0], table.gradients)
    G = np.einsum("gaj,gji->gai", table.gradients, np.linalg.inv(J))
    w = table.weights * np.linalg.det(J)

    def energy(u: NDArray[np.float64]) -> float:
        H = np.einsum("ai,gaj->gij", u.reshape(-1, 3), G)
        E = 0.5 * (H + H.transpose(0, 2, 1) + H.transpose(0, 2, 1) @ H)
        strain = np.stack([E[:, 0, 0], E[:, 1, 1], E[:, 2, 2], 2 * E[:, 0, 1], 2 * E[:, 1, 2], 2 * E[:, 0, 2]], axis=1)
        return float(0.5 * np.einsum("g,gi,ij,gj->", w, strain, material.elasticity(), strain))

    for seed in range(3):
        u = 0.3 * np.random.default_rng(seed).normal(size=points.size)
        cubic = 0.5 * (energy(u) - energy(-u))
        Kg = element.geometric_stiffness(group, u[None])[0]
        assert 0.5 * u @ Kg @ u == pytest.approx(cubic, abs=1e-12 * energy(u))


def column(element: SolidElement, length: float, n: int) -> tuple[Operators, NDArray[np.int64], NDArray[np.float64]]:
    """A column of unit section along x: operators, unknowns that a clamp at x = 0 leaves, and unit pressure at x = L.

    The displacements of the pressure are exact without Poisson's ratio: u_x = -x / E.
    """
    kind = "tetra" if "tetra" in element.cell_type else "hexahedron"
    mesh = box((0, 0, 0), (length, 1, 1), (n, 1, 1), kind)
    mesh = mesh.quadratic() if element.cell_type in ("tetra10", "hexahedron20") else mesh
    operators = Part(mesh, regions=[Region(None, element, NO_POISSON)]).assemble()
    free = np.setdiff1d(np.arange(operators.n), operators.dofs.of(mesh.node_set("left")))
    u = np.zeros((operators.n // 3, 3))
    u[:, 0] = -operators.points[:, 0] / NO_POISSON.youngs_modulus
    return operators, free, u


def geometric(operators: Operators, u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Assembled geometric stiffness of displacements u (n_nodes, 3)."""
    assert operators.part is not None
    Kg = np.zeros((operators.n, operators.n))
    for piece, cells, group in operators.part.groups():
        blocks = piece.region.element.geometric_stiffness(group, u[cells].reshape(len(cells), -1))
        dofs = operators.part.element_dofs(piece, cells)
        np.add.at(Kg, (dofs[:, :, None], dofs[:, None, :]), blocks)
    return Kg


def effective(stress: float, k: float, correction: float) -> float:
    """Bending force per slope of a solid bar of unit section under axial stress, deflected as a wave of number k.

    With u_x = -y theta, u_y = w and no Poisson's ratio the energy per length of K + Kg is
    (E + s) I theta'^2 / 2 + c G A (w' - theta)^2 / 2 + s A w'^2 / 2: the stress acts on u_x' as well.
    """
    EI = (NO_POISSON.youngs_modulus + stress) / 12.0 * k**2
    return EI / (1.0 + EI / (correction * NO_POISSON.shear_modulus))


@pytest.mark.parametrize(
    ("element", "n", "rtol"), [(Hexahedron20(), 40, 1e-5), (Hexahedron8(), 80, 2e-4)], ids=lambda e: str(e)[:13]
)
def test_column_buckles(element: SolidElement, n: int, rtol: float) -> None:
    """Clamped-free, L/h = 20: Euler's load with shear. One cell over the height has constant shear, so c = 1.

    The errors of the mesh are of order (k h)^4 / 720, times 1000 = shear over bending stiffness since full integration
    sees the shear of quadratic cells, and (k h)^2 / 12; k = pi / 2 / L.
    """
    length = 20.0
    operators, free, u = column(element, length, n)
    K = operators.K.toarray()[np.ix_(free, free)]
    Kg = geometric(operators, u)[np.ix_(free, free)]
    load = 1.0 / eigh(-Kg, K, eigvals_only=True, subset_by_index=(len(free) - 1, len(free) - 1))[0]
    k, exact = 0.5 * np.pi / length, 0.0
    for _ in range(20):
        exact = effective(-exact, k, 1.0)
    euler = NO_POISSON.youngs_modulus / 12.0 * k**2
    assert exact < 0.9985 * euler  # shear and the stress itself are seen
    assert load == pytest.approx(exact, rel=rtol)


def test_column_of_tetrahedra_buckles() -> None:
    """As above; two cells over the section see some of the shear's parabola: c between 5/6 and 1."""
    length = 20.0
    operators, free, u = column(Tetra10(), length, 40)
    K = operators.K.toarray()[np.ix_(free, free)]
    Kg = geometric(operators, u)[np.ix_(free, free)]
    load = 1.0 / eigh(-Kg, K, eigvals_only=True, subset_by_index=(len(free) - 1, len(free) - 1))[0]
    k, bounds = 0.5 * np.pi / length, [0.0, 0.0]
    for _ in range(20):
        bounds = [effective(-b, k, c) for b, c in zip(bounds, (5.0 / 6.0, 1.0), strict=True)]
    assert bounds[0] < load < bounds[1] * (1.0 + 2e-5)


@pytest.mark.parametrize(
    ("element", "n", "rtol"), [(Hexahedron20(), 24, 1e-4), (Hexahedron8(), 96, 2e-4)], ids=lambda e: str(e)[:13]
)
def test_taut_bar(element: SolidElement, n: int, rtol: float) -> None:
    """Guided at both ends: w^2 (rho A + rho I theta^2 / w'^2) = (bending + T) k^2 with k = pi / L.

    The mesh of linear cells is off by (k h)^2 / 12 = 9e-5, that of quadratic ones by (k h)^4 / 720 times 240.
    """
    length = 20.0
    operators, _, u = column(element, length, n)
    mesh = operators.part.mesh  # type: ignore[union-attr]
    ends = np.union1d(mesh.node_set("left"), mesh.node_set("right"))
    held = np.union1d(operators.dofs.of(ends, 0), operators.dofs.of(np.arange(len(operators.points)), 2))
    free = np.setdiff1d(np.arange(operators.n), held)
    tension = 2e-3 * NO_POISSON.youngs_modulus
    K = operators.K.toarray() - tension * geometric(operators, u)
    values = eigh(K[np.ix_(free, free)], operators.M.toarray()[np.ix_(free, free)], eigvals_only=True)
    k = np.pi / length
    bending = effective(tension, k, 1.0)
    slope = 1.0 - bending / NO_POISSON.shear_modulus  # theta / w'
    exact = (bending + tension) * k**2 / (1.0 + (k * slope) ** 2 / 12.0)
    lowest = values[np.argmin(np.abs(values - exact))]
    assert tension > 0.5 * bending
    assert lowest == pytest.approx(exact, rel=rtol)


def test_hexahedron_uses_the_stress_of_its_modes() -> None:
    """Bending of a brick by its own modes: without them the shear of the plain element would be in the stress."""
    mesh = Mesh(cell("hexahedron")[0] @ np.linalg.inv([[1.0, 0.1, 0.3], [-0.2, 0.8, 0.1], [0.2, 0.4, 1.5]]),
                [("hexahedron", np.arange(8)[None])])  # fmt: skip
    points = mesh.points[None]
    u = np.zeros_like(points)
    u[..., 0] = points[..., 0] * points[..., 1]
    results = {}
    for element in (Hexahedron8(), Hexahedron8(incompatible=False)):
        group = element.tabulate("test", points, NO_POISSON, np.arange(1))
        results[element.incompatible] = element.stresses(group, u.reshape(1, -1))
    assert np.abs(results[True][..., 3]).max() <= 1e-12 * NO_POISSON.youngs_modulus
    assert np.abs(results[False][..., 3]).max() >= 0.1 * NO_POISSON.youngs_modulus
