"""Bodies in floating frames over a run and in files: nodes, stresses, pictures, ParaView, saving, resuming."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from meshio.xdmf import TimeSeriesReader

import flexmbs as fx
from flexmbs import trees
from flexmbs.io.model_description import describe_model, rebuild_model
from flexmbs.linear.stresses import von_mises
from flexmbs.results.drawings import reduced_drawing
from flexmbs.visualization.animation import draw_frame
from flexmbs.visualization.reduced_bodies import body_surface
from flexmbs.visualization.time_views import scene
from tests.models.floating import bar, layered_bar

STEP = 2e-3


def model(stresses: bool = True) -> fx.Model:
    """Two bars that share a reduced model, on hinges."""
    reduced = bar(modes=1, stresses=stresses)
    one = fx.FloatingBody(reduced, reference="left", name="one", damping=0.01)
    two = fx.FloatingBody(reduced, position=(1.0, 0.0, 0.0), name="two")
    return fx.Model(
        one, two,
        fx.RevoluteJoint(fx.ground, one, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"),
        fx.SphericalJoint(one.interface("right"), two.interface("left"), name="elbow"),
        fx.SpringDamper(fx.ground.marker((1.5, 0, 1)), two.node(5), stiffness=30.0, damping=1.0, name="spring"),
        fx.Gravity((0, 0, -9.81)),
    )  # fmt: skip


@pytest.fixture(scope="module")
def run() -> Any:
    return fx.simulate(model(), 0.1, step=STEP)


def test_nodes_are_where_their_markers_are(run: Any) -> None:
    for name in ("one", "two"):
        body = run.model.body(name)
        places = run.deformed(name)
        assert places.shape == (len(run), len(body.reduced.points), 3)
        for node in (0, 7, 12):
            np.testing.assert_allclose(places[:, node], run.position(body.node(node)), rtol=0.0, atol=1e-14)
        some = run.deformed(body, steps=slice(10, 20, 3), nodes=[12, 0])
        assert np.array_equal(some, places[10:20:3][:, [12, 0]])
        right = run.deformed(body, nodes="right", steps=[-1])
        np.testing.assert_allclose(right.mean(axis=1), run.position(body.interface("right"))[-1:], atol=1e-6)


def test_stresses_are_those_of_the_body(run: Any) -> None:
    body = run.model.body("one")
    eta = run.coordinates(body)[:, 7:]
    found = run.stresses("one")
    expected = np.moveaxis(body.stresses(eta.T), 2, 0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    assert np.array_equal(run.stresses(body, nodes=[3]), found[:, np.flatnonzero(body.reduced.stress_nodes == 3)])


def test_nodes_with_several_stresses(tmp_path: Path) -> None:
    """Results tell all stresses of a node on a border of regions; pictures and files for ParaView the larger one."""
    reduced = layered_bar()
    body = fx.FloatingBody(reduced, reference="left", name="bar", damping=0.01)
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    run = fx.simulate(fx.Model(body, hinge, fx.Gravity((0, 0, -9.81))), 0.02, step=STEP)
    whole, border = run.stresses(body), np.flatnonzero(reduced.points[:, 2] == 0.0)
    inner = border[np.isin(border, reduced.stress_nodes)]
    assert len(inner) == 10
    assert whole.shape[1] == 30 + 10
    with pytest.warns(UserWarning, match="have several stresses each"):
        some = run.stresses(body, nodes=[int(inner[3]), 0])
    rows = reduced.stress_rows([int(inner[3]), 0])
    assert reduced.stress_nodes[rows].tolist() == [inner[3], inner[3], 0]
    assert np.array_equal(some, whole[:, rows])
    size = von_mises(whole, reduced.stress_names)
    largest = np.stack([size[:, reduced.stress_nodes == node].max(axis=1) for node in range(30)], axis=1)
    (block,) = fx.io.stress_blocks(run, body, nodes=[int(inner[3])])
    assert block.nodes.tolist() == [inner[3]] * 2
    surface = body_surface(run, reduced_drawing("test", run.system, body), "stress")
    assert surface is not None
    # all nodes lie on the surface, in their order
    assert np.abs(surface.at(7)[1] - largest[7]).max() <= 1e-12 * largest.max()
    written = run.to_paraview(tmp_path / "bar.xdmf", body)
    with TimeSeriesReader(written) as reader:
        reader.read_points_cells()
        _, data, _ = reader.read_data(reader.num_steps - 1)
    assert np.abs(data["von Mises [N/m²]"][:30] - largest[-1]).max() <= 1e-12 * largest.max()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.deformed("three"), "three"),
        (lambda run: run.deformed(fx.FloatingBody(bar())), "expected a FloatingBody, a LinearBody or a flexible link"),
        (lambda run: run.deformed("one", nodes="roof"), "node set"),
        (lambda run: run.deformed("one", nodes=[1000]), "nodes are whole numbers from 0 to"),
        (lambda run: run.stresses("one", nodes=[20, 21]), "has no stresses at nodes"),
        (lambda run: run.animate("x.gif", colour="red"), "colour"),
    ],
)
def test_bad_questions_are_refused(run: Any, ask: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        ask(run)


def test_stresses_that_were_not_asked_for_are_refused() -> None:
    with pytest.raises(fx.ModelError, match="made without stresses"):
        fx.simulate(model(stresses=False), STEP, step=STEP).stresses("one")


@pytest.mark.parametrize("colour", ["displacement", "stress"])
def test_scene_holds_the_surfaces(run: Any, colour: str) -> None:
    found = scene(run, colour=colour)
    assert [s.label for s in found.surfaces] == ["one", "two"]
    assert found.surfaces[0].limits == found.surfaces[1].limits
    places, values = found.surfaces[1].at(30)
    assert (places >= found.surfaces[1].corners[0] - 1e-15).all()
    assert (places <= found.surfaces[1].corners[1] + 1e-15).all()
    assert values.max() <= found.surfaces[1].limits[1]
    axes = draw_frame(found, 30)
    assert sum(len(c.get_facecolor()) for c in axes.collections) == sum(len(s.triangles) for s in found.surfaces)


def test_animation_and_paraview(run: Any, tmp_path: Path) -> None:
    import meshio

    assert run.animate(tmp_path / "run.gif", speed=0.1, fps=5, progress=False).stat().st_size > 0
    path = run.to_paraview(tmp_path / "run.xdmf", "two", slice(None, None, 25))
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        assert [block.type for block in cells] == ["hexahedron"]
        t, data, _ = reader.read_data(2)
    assert t == run.t[50]
    np.testing.assert_allclose(points + data["displacement [m]"], run.deformed("two", steps=[50])[0], atol=1e-14)


def test_a_flexible_link_is_written_for_paraview_as_the_body_that_it_replaces(tmp_path: Path) -> None:
    """The same bar in the same frame, once as link of a tree on a hinge, once as body with a joint."""
    import meshio

    lever = trees.FlexibleLink("lever", bar(), "left", joint=trees.Revolute((0, 1, 0)))
    tree = trees.Tree(lever, position=(0.2, 0.0, 0.1), name="tree")
    body = fx.FloatingBody(bar(), reference="left", position=(0.2, 0.0, 0.1), name="lever")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0.2, 0.0, 0.1), axis=(0, 1, 0), name="hinge")
    found = []
    for model, what in (
        (fx.Model(tree, fx.Gravity((0, 0, -9.81))), tree.link("lever")),
        (fx.Model(body, hinge, fx.Gravity((0, 0, -9.81))), body),
    ):
        done = fx.simulate(model, 0.05, step=1e-3)
        path = done.to_paraview(tmp_path / f"{type(what).__name__}.xdmf", what, slice(None, None, 25))
        with meshio.xdmf.TimeSeriesReader(path) as reader:
            points, _ = reader.read_points_cells()
            found.append((points, [reader.read_data(k)[1] for k in range(reader.num_steps)]))
    (points, link), (expected, free) = found
    np.testing.assert_allclose(points, bar().points + np.array((0.2, 0.0, 0.1)), atol=1e-12)
    np.testing.assert_allclose(points, expected, atol=1e-12)
    fall = np.abs(free[-1]["displacement [m]"]).max()
    assert fall == pytest.approx(1.5 * 9.81 * 0.05**2 / 2, rel=0.05)  # a bar on a hinge: its end falls by 3/4 g t^2
    for ours, theirs in zip(link, free, strict=True):
        for name in ours:
            np.testing.assert_allclose(ours[name], theirs[name], atol=1e-6 * fall)


SCHEMES = [
    fx.GeneralizedAlpha(rho_inf=0.9),
    fx.BDF(max_order=2),
    fx.RungeKutta(order=4, constraints=fx.integrators.NullSpace()),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_a_run_goes_on_bitwise_from_its_file(scheme: Any, tmp_path: Path) -> None:
    """Without the script, too: the reduced model is in the file."""
    step = 1e-4 if isinstance(scheme, fx.RungeKutta) else STEP
    whole = fx.simulate(model(), 20 * step, step=step, integrator=scheme)
    fx.simulate(model(), 10 * step, step=step, integrator=scheme, file=tmp_path / "run.h5")
    loaded = fx.load(tmp_path / "run.h5")
    for start in (loaded.model, model()):
        rest = fx.simulate(start, 20 * step, step=step, integrator=scheme, start=loaded)
        for name in ("q", "v", "a", "lam"):
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[10:]), name
    one, two = (loaded.model.body(name) for name in ("one", "two"))
    assert one.reduced is two.reduced
    assert np.array_equal(loaded.deformed("two"), whole.deformed(whole.model.body("two"), slice(0, 11)))


def test_shapes_of_a_file_are_kept_where_the_computation_mixes_them() -> None:
    """Two shapes of a square bar with equal frequencies, turned by 0.3 rad as on another machine."""
    mesh = fx.meshes.box((0.0, -0.03, -0.03), (1.0, 0.06, 0.06), (4, 1, 1))
    region = fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)
    body = fx.FloatingBody(
        fx.reduction.reduce(fx.linear.Part(mesh, regions=[region], name="square"), ["left"], 4, progress=False)
    )
    turned = body.basis.copy()
    assert abs(body.frequencies[1] / body.frequencies[0] - 1.0) < 1e-8
    turned[:, :2] = turned[:, :2] @ [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    body.take_shapes(turned)
    again = rebuild_model(*describe_model(fx.Model(body))).body("square")
    assert np.array_equal(again.basis, turned)
    with pytest.raises(fx.ModelError, match="these shapes are not its modes"):
        body.take_shapes(turned[:, ::-1])


def test_stiffened_bodies_come_back() -> None:
    """Fields of second order of the body and of its markers."""
    mesh = fx.meshes.box((0.0, -0.03, -0.05), (1.0, 0.06, 0.1), (4, 1, 1))
    part = fx.linear.Part(mesh, regions=[fx.linear.Region(None, fx.elements.Hexahedron8(), fx.steel)], name="stiff")
    body = fx.FloatingBody(
        fx.reduction.reduce(part, ["left", "right"], 1, progress=False, geometric_stiffening=True), reference="left"
    )
    free = fx.SpringDamper(fx.ground.marker((1.5, 0, 1)), body.node(5), stiffness=30.0, name="spring")
    weld = fx.FixedJoint(fx.ground, body.interface("left"), name="weld")
    end = fx.SpringDamper(fx.ground.marker((2.0, 0, 0)), body.interface("right"), stiffness=5.0, name="end")
    model = fx.Model(body, weld, free, end)
    again = rebuild_model(*describe_model(model))
    start, other = (fx.simulate(m, 0.01, step=1e-3) for m in (model, again))
    assert np.array_equal(start.q, other.q)
    assert again.body("stiff").second_order is not None


def test_statics_come_back(tmp_path: Path) -> None:
    body = fx.FloatingBody(bar(), reference="left")
    held = fx.Model(body, fx.FixedJoint(fx.ground, body, at=(0, 0, 0)), fx.Gravity((0, 0, -9.81)))
    solution = fx.solve_static(held)
    solution.save(tmp_path / "held.h5")
    again: Any = fx.load(tmp_path / "held.h5")
    assert np.array_equal(again.q, solution.q)
    assert np.array_equal(again.model.body("bar").basis, body.basis)


def test_steps_that_there_are_not_are_told(run: Any) -> None:
    for ask in (run.stresses, run.deformed):
        with pytest.raises(fx.ModelError, match=f"no step 99; the solution has {len(run)}"):
            ask("one", steps=99)
        for steps in (0.5, [0, 0.5], [True], "first", [[0, 1]]):
            with pytest.raises(fx.ModelError, match="a step is a whole number"):
                ask("one", steps=steps)
        with pytest.raises(fx.ModelError, match="a slice of steps has whole numbers"):
            ask("one", steps=slice(0.5))
        whole = ask("one")
        for steps, rows in ((3, [3]), (-1, [-1]), ([4, 2], [4, 2]), (range(3), [0, 1, 2]), (np.int64(5), [5])):
            np.testing.assert_allclose(ask("one", steps=steps), whole[rows], rtol=1e-12, atol=1e-9)
        assert ask("one", steps=[]).shape == (0, *whole.shape[1:])
        even = np.arange(len(run)) % 2 == 0
        np.testing.assert_allclose(ask("one", steps=even), whole[::2], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("reference", ["mean", "left", ("left", "right")])
def test_points_of_interfaces_move_with_their_interfaces(reference: Any) -> None:
    """Rows after the nodes of the mesh: where a marker of the interface is, at an averaged one the mean of the face."""
    mesh = fx.meshes.box((0, 0, 0), (1.0, 0.1, 0.1), (6, 1, 1))
    soft = fx.Elastic(youngs_modulus=1e8, poissons_ratio=0.3, density=1000.0)
    part = fx.linear.Part(mesh, material=soft, name="bar")
    faces = ["left", fx.reduction.Interface("right", kind="averaged")]
    body = fx.FloatingBody(fx.reduction.reduce(part, faces, modes=4, progress=False), reference=reference, name="bar")
    weld = fx.FixedJoint(fx.ground, body.interface("left"))
    model = fx.Model(body, weld, fx.PointForce(body.interface("right"), (0.0, 3.0, -5.0)))
    bent = fx.solve_static(model)
    places = bent.deformed("bar")[-1]
    points = body.reduced.points
    assert len(places) == len(mesh.points) + 2
    for name in ("left", "right"):
        row = int(body.reduced.frame(name).node[0])
        assert np.abs(places[row] - bent.position(body.interface(name), step=-1)).max() < 1e-14
    mean = (places - points)[mesh.node_sets["right"]].mean(axis=0)
    row = int(body.reduced.frame("right").node[0])
    assert np.linalg.norm(mean) > 1e-3
    assert np.abs((places - points)[row] - mean).max() < 1e-9 * np.linalg.norm(mean) + 1e-12
    assert np.array_equal(bent.deformed("bar", nodes=[row])[-1, 0], places[row])
    for name in ("left", "right"):
        frame = body.reduced.frame(name)
        unit = body.reduced.reconstruct(np.eye(body.reduced.size))[frame.node, frame.component]
        assert np.array_equal(unit, np.eye(body.reduced.size)[frame.coordinates])
