"""Pressure and loads on edges of surfaces: resultants known by hand, exact tangents, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.rest import EquationsOfRest, Point
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.meshes import Mesh, rectangle
from flexmbs.model.bodies.attachment import Attachment
from flexmbs.system.system import compile_model
from tests.models.at_coordinates import forces, held

SOFT = fx.Elastic(youngs_modulus=1e7, density=1000.0, poissons_ratio=0.3)

SLACK = fx.Elastic(youngs_modulus=1e-6, density=1000.0, poissons_ratio=0.3)
"""So that forces found as differences of residuals keep their digits."""


def panel(n: tuple[int, int] = (3, 2), size: tuple[float, float] = (2.0, 1.0)) -> fx.FlexibleBody:
    return fx.FlexibleBody.plate(
        size, elements=n, element=fx.elements.ANCFShell(), section=fx.ShellSection(0.05), material=SOFT, name="panel"
    )


def box() -> fx.FlexibleBody:
    """A closed cube of six quadrilaterals with the normals outwards."""
    points = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return fx.FlexibleBody(Mesh(points, [("quad", quads)]), fx.elements.ANCFShell(), fx.ShellSection(0.1), SLACK)


def applied(model: fx.Model, q: np.ndarray) -> np.ndarray:
    """Applied generalised forces, by the difference of residuals with and without loads."""
    system = compile_model(model)
    return forces(held(system), q) - forces(held(system, np.ones(len(model.loads))), q)


def nodal(body: fx.FlexibleBody, f: np.ndarray) -> np.ndarray:
    n = len(body.element.layout.names)
    return f.reshape(-1, n)[:, :3]


def test_pressure_pushes_against_the_normal() -> None:
    body = panel()
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.Pressure(body, 30.0))
    force = nodal(body, applied(model, compile_model(model).coordinates.reference))
    np.testing.assert_allclose(force.sum(axis=0), (0, 0, -60.0), atol=1e-9)
    np.testing.assert_allclose(np.cross(body.mesh.points, force).sum(axis=0), (-30.0, 60.0, 0), atol=1e-9)


def test_a_closed_surface_is_not_pushed_away() -> None:
    """Whatever its shape: the area vectors of a closed surface cancel, and so do their moments."""
    body = box()
    model = fx.Model(body, fx.Pressure(body, -7.0), fx.Pin(body.node(0)))
    reference = compile_model(model).coordinates.reference
    rng = np.random.default_rng(3)
    q = reference + 0.2 * rng.standard_normal(len(reference))
    force = nodal(body, applied(model, q))
    points = nodal(body, q)
    size = np.abs(force).max()
    assert np.abs(force.sum(axis=0)).max() < 1e-13 * size
    assert np.abs(np.cross(points, force).sum(axis=0)).max() < 1e-12 * size
    volume_rate = (force * points).sum() / 7.0 / 3.0
    p = points
    tets = [
        np.dot(p[a], np.cross(p[b], p[c])) / 6.0
        for quad in body.cells
        for a, b, c in ((quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3]))
    ]
    swapped = [
        np.dot(p[a], np.cross(p[b], p[c])) / 6.0
        for quad in body.cells
        for a, b, c in ((quad[1], quad[2], quad[3]), (quad[1], quad[3], quad[0]))
    ]
    # the volume under bilinear faces is the mean of those under both ways to split them
    assert volume_rate == pytest.approx(0.5 * (sum(tets) + sum(swapped)), rel=1e-12)


def test_the_tangent_of_pressure_is_exact() -> None:
    body = panel((2, 2))
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.Pressure(body, 5e4))
    bare = fx.Model(body, fx.Clamp(body.set("left")))
    rng = np.random.default_rng(1)
    system, without = compile_model(model), compile_model(bare)
    q = system.coordinates.reference + 0.05 * rng.standard_normal(len(system.coordinates.reference))
    d = rng.standard_normal(len(q))
    loaded, free = held(system, np.ones(1)), held(without)

    def force(q: np.ndarray) -> np.ndarray:
        return forces(loaded, q) - forces(free, q)

    h = 1e-5
    measured = (force(q + h * d) - force(q - h * d)) / (2 * h)
    np.testing.assert_allclose(
        product(loaded, q, d) - product(free, q, d), measured, rtol=0, atol=1e-7 * np.abs(measured).max()
    )


def product(dyn: Dynamics, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    """The tangent times a vector, over all coordinates."""
    equations = EquationsOfRest(dyn)
    equations.tangent(Point(q, np.zeros(dyn.n_v), np.zeros(0)))
    return equations.product(d)


def test_an_edge_load_is_force_times_length() -> None:
    body = panel()
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeLoad(body.set("top"), (1.0, -2.0, 3.0)))
    force = nodal(body, applied(model, compile_model(model).coordinates.reference))
    np.testing.assert_allclose(force.sum(axis=0), (2.0, -4.0, 6.0), rtol=1e-12)
    top = body.mesh.node_sets["top"]
    np.testing.assert_allclose(force[np.setdiff1d(np.arange(len(force)), top)], 0.0, atol=1e-12)
    np.testing.assert_allclose((body.mesh.points[:, 0] * force[:, 2]).sum(), 6.0 * 1.0, rtol=1e-12)


def test_an_edge_moment_rolls_a_strip_up() -> None:
    """Kappa = m / D with nu = 0: a closed form for any size of the rotation."""
    stiff = fx.Elastic(youngs_modulus=1.2e6, density=1.0, poissons_ratio=0.0)
    body = fx.FlexibleBody.plate(
        (10.0, 1.0), elements=(16, 1), element=fx.elements.ANCFShell(), section=fx.ShellSection(0.1), material=stiff
    )
    m = 100.0 * (np.pi / 2.0) / 10.0  # a quarter of a circle
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeMoment(body.set("right"), (0.0, -m, 0.0)))
    tip = fx.solve_static(model).position(body.set("right"), step=-1)
    radius = 10.0 / (np.pi / 2.0)
    np.testing.assert_allclose(tip[:, 0], radius, rtol=5e-3)
    np.testing.assert_allclose(tip[:, 2], radius, rtol=5e-3)


def test_refused() -> None:
    line = fx.FlexibleBody.line(
        (0, 0, 0),
        (1, 0, 0),
        elements=2,
        element=fx.elements.ANCFCable3D(),
        section=fx.Circle(diameter=0.01),
        material=SOFT,
    )
    body = panel()
    with pytest.raises(fx.ModelError, match="plates or shells"):
        fx.Pressure(line, 1.0)
    with pytest.raises(fx.ModelError, match="no edge"):
        fx.EdgeLoad(body.node(0), (0, 0, 1))
    every = Attachment(body, tuple(range(body.mesh.n_points)), "all")
    with pytest.raises(fx.ModelError, match="whole elements"):
        fx.EdgeLoad(every, (0, 0, 1))
    with pytest.raises(fx.ModelError, match="pressure"):
        fx.Pressure(body, float("nan"))


def test_orientation_and_shape_are_checked() -> None:
    mesh = rectangle((0, 0), (2, 1), (2, 1)).in_space()
    cells = mesh.cells[0].nodes.copy()
    cells[1] = cells[1][::-1]
    flipped = Mesh(mesh.points, [("quad", cells)])
    element, sheet = fx.elements.ANCFShell(), fx.ShellSection(0.01)
    with pytest.raises(fx.MeshError, match=r"different sides.*oriented"):
        fx.FlexibleBody(flipped, element, sheet, SOFT)
    assert fx.FlexibleBody(fx.meshes.oriented(flipped), element, sheet, SOFT).area == pytest.approx(2.0)
    crossed = Mesh(mesh.points, [("quad", [mesh.cells[0].nodes[0][[0, 2, 1, 3]], mesh.cells[0].nodes[1]])])
    with pytest.raises(fx.MeshError, match=r"folded|no area"):
        fx.FlexibleBody(crossed, element, sheet, SOFT)
    with pytest.raises(fx.ModelError, match="ShellSection"):
        fx.FlexibleBody(mesh, element, fx.Rectangle(width=0.1, height=0.1), SOFT)
    with pytest.raises(fx.ModelError, match="give section"):
        fx.FlexibleBody(mesh, element)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0)])
def test_a_free_plate_takes_its_thermal_strain(axis: tuple[float, float, float]) -> None:
    """Without stress Green's strain is the thermal one: exact for any size, on distorted elements too."""
    strain = np.array([0.05, -0.02, 0.03])
    mesh = rectangle((0, 0), (2, 1), (3, 2)).in_space()
    points = mesh.points.copy()
    points[5] += (0.1, -0.07, 0.0)
    body = fx.FlexibleBody(
        Mesh(points, mesh.cells, mesh.node_sets), fx.elements.ANCFShell(), fx.ShellSection(0.05, axis=axis), SOFT
    )
    corner = body.node(0)
    model = fx.Model(
        body, fx.Clamp(corner), fx.Roller(body.node(3), (0, 1, 0)), fx.Roller(body.set("bottom"), (0, 0, 1)),
        fx.ThermalStrain(body, tuple(strain)),
    )  # fmt: skip
    found = fx.solve_static(model)
    c, s = np.array(axis[:2]) / np.linalg.norm(axis)
    R = np.array([[c, -s], [s, c]])
    E = R @ np.array([[strain[0], strain[2] / 2], [strain[2] / 2, strain[1]]]) @ R.T
    every = Attachment(body, tuple(range(body.mesh.n_points)), "all")
    now = found.position(every, step=-1)
    d0, d1 = points[1:] - points[0], now[1:] - now[0]
    lengths = (d0**2).sum(axis=1) + 2.0 * np.einsum("na,ab,nb->n", d0[:, :2], E, d0[:, :2])
    np.testing.assert_allclose((d1**2).sum(axis=1), lengths, rtol=1e-9)


def test_pretension_makes_a_membrane() -> None:
    """Deflection of a tensioned strip under its load: q x (L - x) / (2 N) where bending is small against tension."""
    thin = fx.FlexibleBody.plate(
        (2.0, 0.2), elements=(40, 1), element=fx.elements.ANCFShell(), section=fx.ShellSection(1e-3), material=SOFT
    )
    N, q = 500.0, 2.0
    model = fx.Model(
        thin, fx.Pin(thin.set("left")), fx.Pin(thin.set("right")), fx.MembraneStress(thin, (N, 0, 0)),
        fx.DistributedLoad(thin, (0, 0, -q)),
    )  # fmt: skip
    middle = fx.solve_static(model).position(thin.at((1.0, 0.0, 0.0)), step=-1)
    # stretching adds A (w')^2 / 2 to N, of relative size 1e4 * 1e-5 / 500
    assert middle[2] == pytest.approx(-q * 2.0**2 / 8.0 / N, rel=3e-3)


def test_what_couples_has_no_thermal_strain() -> None:
    stiff = fx.Elastic(youngs_modulus=1e9, density=1000.0)
    uneven = fx.Layup((fx.Ply(SOFT, 0.01), fx.Ply(stiff, 0.01)))
    body = fx.FlexibleBody(rectangle((0, 0), (1, 1), (1, 1)).in_space(), fx.elements.ANCFShell(), uneven)
    with pytest.raises(fx.ModelError, match="couples"):
        fx.ThermalStrain(body, (0.01, 0, 0))
