"""Bodies of surfaces: frames, supports, markers, momentum, drawing and files, the same for every element."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.contracts import SurfaceElement
from flexmbs.dynamics.momentum import momentum
from flexmbs.meshes import Mesh, rectangle
from flexmbs.meshes.surface import corner_normals, node_frames, surface_edges
from flexmbs.system.system import compile_model

ELEMENTS: tuple[SurfaceElement, ...] = (
    fx.elements.ANCFShell(),
    fx.elements.ANCFPlateFullyParameterized(),
    fx.elements.ANCFThinPlate(),
    fx.elements.ANCFThinPlate(mixed=False),
)
SOFT = fx.Elastic(youngs_modulus=1e7, density=1000.0, poissons_ratio=0.3)
each = pytest.mark.parametrize("element", ELEMENTS, ids=lambda e: f"{e.name}-{len(e.layout.names)}")


def panel(element: SurfaceElement, n: tuple[int, int] = (4, 2), thickness: float = 0.05) -> fx.FlexibleBody:
    return fx.FlexibleBody.plate(
        (2.0, 1.0), elements=n, element=element, section=fx.ShellSection(thickness), material=SOFT, name="panel"
    )


@each
def test_area_and_mass(element: SurfaceElement) -> None:
    body = panel(element)
    assert body.area == pytest.approx(2.0, rel=1e-12)
    assert body.mass == pytest.approx(2.0 * 0.05 * 1000.0, rel=1e-12)
    with pytest.raises(fx.ModelError, match="no length"):
        _ = body.length
    with pytest.raises(fx.ModelError, match="sheet_stiffness"):
        _ = body.beam_stiffness
    assert "area 2 m^2" in str(fx.Model(body))


@each
def test_a_clamped_plate_bends_like_a_beam(element: SurfaceElement) -> None:
    """With nu = 0 and a line load: Bernoulli's cantilever and the reaction."""
    stiff = fx.Elastic(youngs_modulus=1e9, density=1.0, poissons_ratio=0.0)
    body = fx.FlexibleBody.plate(
        (2.0, 0.5), elements=(24, 2), element=element, section=fx.ShellSection(0.02), material=stiff, name="strip"
    )
    load = 1e-3
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeLoad(body.set("right"), (0, 0, load)))
    found = fx.solve_static(model)
    tip = found.displacement(body.set("right"), step=-1)[:, 2]
    bending = load * 2.0**3 / (3.0 * 1e9 * 0.02**3 / 12.0)
    # second order in the size of elements for those that are bilinear across: 1 / (4 n^2)
    np.testing.assert_allclose(tip, bending, rtol=1e-3)
    np.testing.assert_allclose(found.reaction(body.set("left"), step=-1), (0, 0, -load * 0.5), atol=5e-6 * load)
    moment = found.reaction_moment(body.set("left"), step=-1)
    np.testing.assert_allclose(moment[1], load * 0.5 * 2.0, rtol=1e-3)


@each
def test_symmetry_is_half_of_the_whole(element: SurfaceElement) -> None:
    """Half of a plate on a plane of symmetry moves as it does in the whole plate."""
    whole = panel(element, (4, 2))
    full = fx.Model(
        whole, fx.Clamp(whole.set("left")), fx.Clamp(whole.set("right")), fx.DistributedLoad(whole, (0, 0, -40.0))
    )
    half = fx.FlexibleBody.plate(
        (1.0, 1.0), elements=(2, 2), element=element, section=fx.ShellSection(0.05), material=SOFT, name="half"
    )
    part = fx.Model(
        half, fx.Clamp(half.set("left")), fx.Symmetry(half.set("right"), (1, 0, 0)),
        fx.DistributedLoad(half, (0, 0, -40.0)),
    )  # fmt: skip
    tight = fx.StaticOptions(rtol=1e-12) if "rtol" in fx.StaticOptions.__dataclass_fields__ else fx.StaticOptions()
    one, two = fx.solve_static(full, tight), fx.solve_static(part, tight)
    a = one.displacement(whole.at((1.0, 0.5, 0.0)), step=-1)
    b = two.displacement(half.at((1.0, 0.5, 0.0)), step=-1)
    assert abs(a[2]) > 0.01
    np.testing.assert_allclose(a, b, atol=1e-8 * abs(a[2]))


@each
def test_momentum_of_a_spinning_plate(element: SurfaceElement) -> None:
    """L = J w of the rigid plate about its centre, its linear momentum m v."""
    body = panel(element)
    v, w = np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.7, -0.4])
    start = fx.InitialVelocity(body, velocity=v, angular_velocity=w, about=(1.0, 0.5, 0.0))
    model = fx.Model(body, start)
    run = fx.simulate(model, until=1e-3, step=1e-3, progress=False)
    P, L = momentum(run.system, np.array(run.q[0]), np.array(run.v[0]))
    m, h = body.mass, 0.05
    rotary = h * h / 12.0 if rotates(element) else 0.0
    J = m * np.diag([1.0 / 12.0 + rotary, 4.0 / 12.0 + rotary, 5.0 / 12.0])
    np.testing.assert_allclose(P, m * v, rtol=1e-12)
    np.testing.assert_allclose(L - np.cross((1.0, 0.5, 0.0), P), J @ w, rtol=1e-3 if not rotates(element) else 1e-9)


def rotates(element: SurfaceElement) -> bool:
    """Whether the element has rotary inertia of the thickness in these tests."""
    return not isinstance(element, fx.elements.ANCFThinPlate)


@each
@settings(max_examples=5, deadline=None)
@given(turn=st.tuples(*[st.floats(-3.0, 3.0)] * 3))
def test_a_turned_plate_has_no_stress(element: SurfaceElement, turn: tuple[float, float, float]) -> None:
    body = panel(element, (2, 2))
    system = compile_model(fx.Model(body))
    R = Rotation.from_rotvec(turn).as_matrix()
    q = system.coordinates.reference.copy()
    dofs = system.coordinates.node_dofs[0]
    for part in (element.layout.position, *element.layout.vectors):
        q[dofs[:, list(part)]] = q[dofs[:, list(part)]] @ R.T
    q[dofs[:, list(element.layout.position)]] += (3.0, -1.0, 2.0)
    stiffness = 1e7 * 0.05 * 2.0
    assert system.strain_energy(q) < 1e-20 * stiffness


@each
def test_fastened_edges_follow_a_body(element: SurfaceElement) -> None:
    """A plate whose edges are held by two bodies that do not move bends as a clamped one, the better the finer it is.

    Of slopes a joint holds the directions at nodes, a clamp all that is along the edge; directors are held alike.
    """
    differences = [edges_against_clamps(element, n) for n in ((4, 2), (8, 4))]
    if isinstance(element, fx.elements.ANCFShell):
        assert max(differences) < 1e-9
    else:
        assert differences[0] < 0.3
        assert differences[1] < 0.5 * differences[0]


def edges_against_clamps(element: SurfaceElement, n: tuple[int, int]) -> float:
    """Relative difference of the deflections."""
    body = panel(element, n)
    blocks = [fx.RigidBody.box(size=(0.1, 1.0, 0.1), mass=1.0, position=(x, 0.5, 0), name=f"b{x}") for x in (0.0, 2.0)]
    load = fx.DistributedLoad(body, (0, 0, -40.0))
    model = fx.Model(
        body, *blocks, *[fx.FixedJoint(fx.ground, b) for b in blocks], load,
        *fx.fasten_edge(body.set("left"), blocks[0]), *fx.fasten_edge(body.set("right"), blocks[1], "weld"),
    )  # fmt: skip
    clamped = fx.Model(body, fx.Clamp(body.set("left")), fx.Clamp(body.set("right")), load)
    middle = body.at((1.0, 0.5, 0.0))
    here, there = fx.solve_static(model).position(middle)[-1][2], fx.solve_static(clamped).position(middle, step=-1)[2]
    return float(abs(here / there - 1.0))


def test_a_hinged_edge_is_a_hinge() -> None:
    """A stiff flap on a hinged edge swings as a physical pendulum of the period of a rod of its length."""
    stiff = fx.Elastic(youngs_modulus=1e9, density=1000.0, poissons_ratio=0.0)
    flap = fx.FlexibleBody.plate(
        (1.0, 0.5),
        elements=(2, 1),
        element=fx.elements.ANCFShell(),
        section=fx.ShellSection(0.05),
        material=stiff,
        name="flap",
    )
    base = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, name="base")
    model = fx.Model(
        flap, base, fx.FixedJoint(fx.ground, base), *fx.hinge_edge(flap.set("left"), base), fx.Gravity((0.0, 0, -9.81))
    )
    run = fx.simulate(model, until=0.1, step=1e-3, progress=False)
    # at the start the angular acceleration is 3 g / (2 L); thereafter theta'' = 3 g cos(theta) / (2 L)
    theta, rate, h = 0.0, 0.0, 1e-4
    for _ in range(1000):
        rate += h * 1.5 * 9.81 * np.cos(theta + 0.5 * h * rate)
        theta += h * rate
    end = run.position(flap.at((1.0, 0.0, 0.0)))[-1]
    np.testing.assert_allclose(end[[0, 2]], (np.cos(theta), -np.sin(theta)), atol=2e-3)


@each
def test_files_keep_everything(element: SurfaceElement, tmp_path: Path) -> None:
    layup = fx.Layup((fx.Ply(SOFT, 0.02), fx.Ply(SOFT, 0.02, 0.3)))
    body = fx.FlexibleBody(rectangle((0, 0), (2, 1), (2, 1)).in_space(), element, layup, name="panel") \
        if not isinstance(element, fx.elements.ANCFPlateFullyParameterized) else panel(element)  # fmt: skip
    loads = (
        fx.Pressure(body, 5.0),
        fx.ThermalStrain(body, (1e-4, 0, 0)),
        fx.EdgeMoment(body.set("right"), (0, 1.0, 0)),
    )
    model = fx.Model(body, fx.Clamp(body.set("left")), fx.Symmetry(body.set("bottom"), (0, 1, 0)), *loads)
    found = fx.solve_static(model)
    again = fx.load(found.save(tmp_path / "panel.h5"))
    np.testing.assert_array_equal(again.q, found.q)
    twice = fx.solve_static(again.model)
    np.testing.assert_array_equal(twice.q, found.q)
    assert found.to_paraview(tmp_path / "panel.xdmf").exists()
    run = fx.simulate(fx.Model(body, fx.Clamp(body.set("left")), loads[0]), until=2e-3, step=1e-3, progress=False)
    stored = fx.load(run.save(tmp_path / "run.h5"))
    np.testing.assert_array_equal(stored.q, run.q)


@each
def test_drawn_points_lie_on_the_surface(element: SurfaceElement) -> None:
    body = panel(element, (2, 1))
    found = fx.solve_static(fx.Model(body, fx.Clamp(body.set("left")), fx.EdgeLoad(body.set("right"), (0, 0, 5.0))))
    grid = found.shape(body, points=3, step=-1)
    assert grid.shape == (2, 9, 3)
    corners = grid[:, [0, 2, 8, 6]]
    nodes = np.array([[found.position(body.node(int(n)), step=-1) for n in cell] for cell in body.cells])
    np.testing.assert_allclose(corners, nodes, atol=1e-12)
    axes = found.plot()
    assert axes.name == "3d"
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.set("left"))), 2)
    assert modes.plot(0).name == "3d"


def test_edges() -> None:
    edges = surface_edges(np.array([[0, 1, 4, 3], [1, 2, 5, 4]]))
    assert len(edges.nodes) == 7
    assert edges.shares.sum() == 8
    shared = edges.nodes[edges.shares == 2]
    assert shared.tolist() == [[1, 4]]
    assert not edges.same.any()
    assert surface_edges(np.array([[0, 1, 4, 3], [4, 5, 2, 1]])).same.sum() == 1


def test_frames_of_a_cylinder() -> None:
    """Mean normals are exact inside of a regular mesh, and given ones are taken."""
    angles = np.linspace(0, 1.0, 6)
    points = np.array([(np.cos(a), np.sin(a), z) for z in (0.0, 1.0, 2.0) for a in angles])
    cells = np.array([[6 * j + i, 6 * j + i + 1, 6 * j + i + 7, 6 * j + i + 6] for j in range(2) for i in range(5)])
    frames, kinks = node_frames("cylinder", Mesh(points, [("quad", cells)]), cells, (0, 0, 1))
    exact = points * (1, 1, 0)
    inner = [i for i in range(18) if i % 6 not in (0, 5)]
    np.testing.assert_allclose(frames[inner, :, 2], exact[inner], atol=1e-12)
    np.testing.assert_allclose(frames[:, :, 0], [(0, 0, 1)] * 18, atol=1e-12)
    assert not len(kinks)
    given = Mesh(points, [("quad", cells)], point_data={"normal": exact})
    np.testing.assert_allclose(node_frames("c", given, cells, (0, 0, 1))[0][:, :, 2], exact, atol=1e-15)
    wrong = Mesh(points, [("quad", cells)], point_data={"normal": -exact})
    with pytest.raises(fx.MeshError, match="turn the normals"):
        node_frames("c", wrong, cells, (0, 0, 1))
    np.testing.assert_allclose(np.linalg.norm(corner_normals("c", points, cells), axis=2), 1.0)


def test_an_axis_along_the_normal_is_refused_where_it_matters() -> None:
    wood = fx.Orthotropic(
        E_1=1e10, E_2=1e9, E_3=1e9, nu_12=0.3, nu_13=0.3, nu_23=0.3, G_12=1e9, G_13=1e9, G_23=5e8, density=500.0
    )
    mesh = rectangle((0, 0), (1, 1), (1, 1)).in_space()
    fx.FlexibleBody(mesh, fx.elements.ANCFShell(), fx.ShellSection(0.01, axis=(0, 0, 1)), SOFT)
    with pytest.raises(fx.ModelError, match="along the normal at node 0"):
        fx.FlexibleBody(mesh, fx.elements.ANCFShell(), fx.ShellSection(0.01, axis=(0, 0, 1)), wood)


def test_stiffness_must_be_definite() -> None:
    C = np.eye(8)
    C[0, 1] = C[1, 0] = 1.0
    with pytest.raises(fx.ModelError, match="positive definite"):
        fx.ShellStiffness(C, 0.01, 1.0, 1e-5)
    C[0, 1] = 0.5
    with pytest.raises(fx.ModelError, match="symmetric"):
        fx.ShellStiffness(C, 0.01, 1.0, 1e-5)
    with pytest.raises(fx.ModelError, match="thickness"):
        fx.ShellStiffness(np.eye(8), -0.01, 1.0, 1e-5)


def test_surfaces_and_lines_in_one_file_for_paraview(tmp_path: Path) -> None:
    sheet = panel(ELEMENTS[0], (2, 2))
    rope = fx.FlexibleBody.line(
        (0, 0, 1), (1, 0, 1), elements=3, element=fx.elements.ANCFCable3D(), section=fx.Circle(diameter=0.01),
        material=SOFT,
        name="rope",
    )  # fmt: skip
    model = fx.Model(sheet, rope, fx.Clamp(sheet.set("left")), fx.Clamp(rope.start), fx.Gravity((0, 0, -0.01)))
    path = fx.solve_static(model).to_paraview(tmp_path / "both.xdmf")
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        _, data, _ = reader.read_data(0)
    assert [(c.type, len(c.data)) for c in cells] == [("quad", 4 * 16), ("line", 3 * 8)]
    ends = points[cells[1].data]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) == pytest.approx(1.0 / 24)
    assert data["displacement [m]"].shape == points.shape


def test_bad_sections_and_supports() -> None:
    body = panel(ELEMENTS[0])
    for thickness in (0.0, -1.0, float("nan"), "thin"):
        with pytest.raises(fx.ModelError, match="thickness"):
            fx.ShellSection(thickness)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="axis"):
        fx.ShellSection(0.01, axis=(0, 0, 0))
    for layers in ((), None, (SOFT,)):
        with pytest.raises(fx.ModelError, match="Ply"):
            fx.Layup(layers)  # type: ignore[arg-type]
    heavy = fx.Elastic(youngs_modulus=1e7, density=5000.0)
    uneven = fx.Layup((fx.Ply(SOFT, 0.01), fx.Ply(heavy, 0.01)))
    with pytest.raises(fx.ModelError, match="not centred"):
        fx.FlexibleBody(body.mesh, ELEMENTS[0], uneven)
    with pytest.raises(fx.ModelError, match="leave out material"):
        fx.FlexibleBody(body.mesh, ELEMENTS[0], fx.Layup((fx.Ply(SOFT, 0.01),)), SOFT)
    with pytest.raises(fx.ModelError, match="normal"):
        fx.Symmetry(body.set("left"), (0, 0, 0))
    slanted = fx.Model(panel(ELEMENTS[2]), fx.Gravity((0, 0, -1.0)))
    oblique = fx.Symmetry(slanted.flexible_bodies[0].set("left"), (1, 1, 0))
    with pytest.raises(fx.ModelError, match="neither in the plane"):
        fx.solve_static(slanted.with_(oblique))
    with pytest.raises(fx.ModelError, match="positive"):
        fx.ShellStiffness(-np.eye(8), 0.01, 1.0, 1e-5)


def test_bad_loads_on_surfaces() -> None:
    body = panel(ELEMENTS[0])
    with pytest.raises(fx.ModelError, match="stress"):
        fx.MembraneStress(body, (1.0, 2.0))
    with pytest.raises(fx.ModelError, match="strain"):
        fx.ThermalStrain(body, (1.0, 2.0, float("inf")))
    with pytest.raises(fx.ModelError, match="moment"):
        fx.EdgeMoment(body.set("right"), (1.0, 2.0))
    with pytest.raises(fx.ModelError, match="plates or shells"):
        fx.MembraneStress("panel", (1.0, 0.0, 0.0))  # type: ignore[arg-type]
    rope = fx.FlexibleBody.line(
        (0, 0, 1),
        (1, 0, 1),
        elements=1,
        element=fx.elements.ANCFCable3D(),
        section=fx.Circle(diameter=0.01),
        material=SOFT,
    )
    with pytest.raises(fx.ModelError, match="surface"):
        fx.hinge_edge(rope.end, fx.ground)


@pytest.mark.parametrize("mixed", [True, False])
def test_thin_plates_tell_rows_that_zigzag(mixed: bool) -> None:
    """Inner nodes moved at random by up to 0.3 of the mesh width: the shear shell, for any mesh, is the reference."""
    flat = rectangle((0, 0), (1.0, 0.5), (8, 4)).in_space()
    rng = np.random.default_rng(0)
    points = flat.points.copy()
    inner = (points[:, 0] > 1e-9) & (points[:, 0] < 1 - 1e-9) & (points[:, 1] > 1e-9) & (points[:, 1] < 0.5 - 1e-9)
    points[inner, :2] += 0.6 * (rng.random((inner.sum(), 2)) - 0.5) * np.array([0.125, 0.125])
    mesh = Mesh(points, flat.cells, flat.node_sets)

    def tip(element: SurfaceElement) -> float:
        body = fx.FlexibleBody(mesh, element, fx.ShellSection(0.01), SOFT, name="panel")
        model = fx.Model(body, fx.Clamp(body.set("left")), fx.DistributedLoad(body, (0, 0, 1e-3)))
        return float(fx.solve_static(model).displacement(body.at((1, 0.5, 0)), step=-1)[2])

    with pytest.warns(fx.AccuracyWarning, match=r"'panel': rows and columns of cells zigzag.*about 1\d %"):
        plate = tip(fx.elements.ANCFThinPlate(mixed=mixed))
    assert 0.85 < plate / tip(fx.elements.ANCFShell()) < 0.93
