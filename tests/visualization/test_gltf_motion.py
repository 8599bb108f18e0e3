"""glTF files of motions, played by a reader of its own, against the motion itself."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import FlexmbsError, ModelError, ReadError
from flexmbs.verification.cases.reduction import galvanizing_model
from flexmbs.visualization import frames, key_frames
from tests.models.flexible_trees import arm
from tests.models.floating import bar, chain
from tests.models.glb_reader import Film, read

pytestmark = pytest.mark.filterwarnings("ignore::flexmbs.core.errors.AccuracyWarning")
RUBBER = fx.Elastic(youngs_modulus=1e7, density=1000.0, poissons_ratio=0.3)
SINGLE = 2.0**-24


def run_of(model: fx.Model, until: float = 0.2, step: float = 2e-3, every: float = 1e-2) -> fx.TimeSolution:
    return fx.simulate(model, until, step=step, output=fx.Output(every=every))


def frames_of(film: Film, run: fx.TimeSolution) -> list[tuple[float, int]]:
    """Times of key frames in the film, with the stored states they are."""
    speed = film.said["asset"]["extras"]["flexmbs"]["speed"]
    found = [(t, int(np.argmin(np.abs(run.t - run.t[0] - speed * t)))) for t in film.times]
    assert np.allclose([run.t[row] - run.t[0] for _, row in found], speed * film.times, atol=1e-6 * run.t[-1])
    return found


@pytest.fixture(scope="module")
def mechanism() -> fx.TimeSolution:
    """A body, a planar one, a mass on a string, a spring: everything that is rigid."""
    box = fx.RigidBody.box(size=(0.4, 0.2, 0.1), mass=2.0, angular_velocity=(9.0, 0.5, -7.0), name="box")
    door = fx.PlanarRigidBody.rod((1, 0), (2, 0), mass=1.0, angular_velocity=30.0, velocity=(0.0, 15.0), name="door")
    ball = fx.PointMass(1.0, position=(3.0, 0.0, 0.0), velocity=(0.0, 2.0, 0.0), name="ball")
    string = fx.DistanceConstraint(fx.ground.marker((3.0, 0.0, 1.0)), ball, name="string")
    hinge = fx.RevoluteJoint(fx.ground.marker_at((1, 0)), door.marker_at((1, 0)), name="hinge")
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 1.0)), box.marker((0.2, 0, 0)), stiffness=20.0, name="spring")
    return run_of(fx.Model(box, door, ball, string, hinge, spring, fx.Gravity((0, -9.81, 0)), name="all"), 1.0)


@pytest.mark.parametrize(
    ("span", "speed"), [(0.03, 0.002), (1.0, 0.1), (2.0, 1.0), (30.0, 1.0), (60.0, 5.0), (3600.0, 200.0)]
)
def test_speed_that_is_chosen(span: float, speed: float) -> None:
    assert frames.film_speed(span) == pytest.approx(speed, rel=1e-12)
    assert span / speed >= 2.0


def test_speed_in_the_file(mechanism: fx.TimeSolution, film: tuple[Film, Any]) -> None:
    assert film[1].speed == 0.1
    assert film[0].times[-1] == pytest.approx(10.0, rel=1e-6)


@pytest.fixture(scope="module")
def film(mechanism: fx.TimeSolution, tmp_path_factory: pytest.TempPathFactory) -> tuple[Film, Any]:
    written = fx.write_gltf(mechanism, tmp_path_factory.mktemp("film") / "all.glb", progress=False)
    return Film(written.path), written


def test_rigid_bodies_are_nodes(mechanism: fx.TimeSolution, film: tuple[Film, Any]) -> None:
    played, written = film
    run, model = mechanism, mechanism.model
    corners = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T * (0.4, 0.2, 0.1)
    R, x, door = run.rotation("box"), run.position("box"), model.body("door")
    ends = [run.position(door.marker_at(p)) for p in ((1, 0), (2, 0))]
    for t, row in frames_of(played, run):
        wanted = corners @ R[row].T + x[row]
        found = played.points("box", t)
        distance = np.linalg.norm(found[:, None] - wanted, axis=2)
        assert len(found) == 8
        assert distance.min(axis=0).max() < 20 * SINGLE
        rod = played.points("door", t)
        middle = [part.mean(axis=0) for part in (rod[: len(rod) // 2], rod[len(rod) // 2 :])]
        assert np.abs(np.array(middle) - [end[row] for end in ends]).max() < 20 * SINGLE
        assert np.abs(played.points("ball", t).mean(axis=0) - run.position("ball")[row]).max() < 20 * SINGLE
    assert all(played.targets(name) == 0 for name in ("box", "door", "ball"))
    assert written.error < 20 * SINGLE


def test_springs_and_strings_end_where_they_are_fixed(mechanism: fx.TimeSolution, film: tuple[Film, Any]) -> None:
    played, run = film[0], mechanism
    hook = run.position(run.model.body("box").marker((0.2, 0, 0)))
    for t, row in frames_of(played, run):
        for name, a, b in (("spring", (0, 0, 1), hook[row]), ("string", (3, 0, 1), run.position("ball")[row])):
            points = played.points(name, t)
            axis = (b - np.array(a)) / np.linalg.norm(b - a)
            along = (points - a) @ axis
            # the ends are discs normal to the line, whose points lie at its ends
            assert np.array([along.min(), along.max()]) == pytest.approx([0.0, np.linalg.norm(b - a)], abs=1e-5)
            off = np.linalg.norm(points - a - along[:, None] * axis, axis=1)
            assert off.max() < 0.02 * 4.0


def test_between_key_frames_the_error_is_the_one_said(mechanism: fx.TimeSolution, tmp_path: Path) -> None:
    written = fx.write_gltf(mechanism, tmp_path / "x.glb", fps=10.0, speed=1.0, progress=False)
    played = Film(written.path)
    run, worst = mechanism, 0.0
    door = run.model.body("door")
    rows = np.array([row for _, row in frames_of(played, run)])
    assert len(rows) == 11
    for row in (rows[1:] + rows[:-1]) // 2:
        rod = played.points("door", run.t[row])
        tip = rod[len(rod) // 2 :].mean(axis=0)
        worst = max(worst, float(np.linalg.norm(tip - run.position(door.marker_at((2, 0)))[row])))
    # a chord of 3 rad: cos(1.5) of half a metre, and the end as far off again through the centre and the rotation
    assert 0.1 < worst <= written.between * (1.0 + 1e-6)
    assert written.parts["door"][2] <= written.between
    assert written.between < 10 * worst


def test_reduced_bodies_have_their_shapes(tmp_path: Path) -> None:
    run = run_of(chain(), 0.2)
    written = fx.write_gltf(run, tmp_path / "chain.glb", tolerance=0.0, progress=False)
    played = Film(written.path)
    for name in ("one", "two"):
        body = run.model.body(name)
        assert played.targets(name) == body.modes
        weights = played.tracks[played.nodes[name], "weights"][1]
        rows = [row for _, row in frames_of(played, run)]
        eta = run.coordinates(body)[rows, 7:]
        assert np.abs(weights - eta).max() <= SINGLE * np.abs(eta).max()  # rounded once
        for t, row in frames_of(played, run):
            nodes = run.deformed(name, [row])[0]
            found = played.points(name, t)
            distance = np.linalg.norm(found[:, None] - nodes, axis=2).min(axis=1)
            assert distance.max() < 100 * SINGLE
    assert max(written.parts[name][1] for name in ("one", "two")) < 100 * SINGLE


def test_shapes_that_add_too_little_are_left_out(tmp_path: Path) -> None:
    run = run_of(chain(), 0.2)
    size = dict.fromkeys(("one", "two"), 0.0)
    for name in size:
        body = run.model.body(name)
        held = body.reduced.points - body.origin
        moved = [np.linalg.norm((p - x) @ R - held, axis=1).max() for p, x, R in
                 zip(run.deformed(name), run.position(name), run.rotation(name), strict=True)]  # fmt: skip
        size[name] = max(moved)
    for tolerance in (0.2, 1e-2):
        written = fx.write_gltf(run, tmp_path / "x.glb", tolerance=tolerance, overwrite=True, progress=False)
        for name in size:
            assert written.parts[name][1] <= tolerance * size[name] + 100 * SINGLE
    coarse = fx.write_gltf(run, tmp_path / "x.glb", tolerance=0.2, overwrite=True, progress=False)
    assert coarse.parts["two"][0] < run.model.body("two").modes


def line(element: Any, dim: int, **section: Any) -> fx.FlexibleBody:
    ends = ((0, 0), (1, 0)) if dim == 2 else ((0, 0, 0), (1, 0, 0))
    return fx.FlexibleBody.line(*ends, elements=4, element=element, material=RUBBER, name="line", **section)


LINES = {
    "planar cable": (fx.elements.ANCFCable2D(), 2),
    "planar beam": (fx.elements.LinearBeam2D(), 2),
    "spatial cable": (fx.elements.ANCFCable3D(), 3),
    "spatial beam": (fx.elements.LinearBeam3D(), 3),
    "director beam": (fx.elements.ANCFBeam(), 3),
    "exact beam": (fx.elements.GeometricallyExactBeam(), 3),
    "continuum beam": (fx.elements.ANCFBeamFullyParameterized(), 3),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_tubes_about_their_centre_line(name: str, tmp_path: Path) -> None:
    element, dim = LINES[name]
    round_ = name == "spatial cable"
    body = line(element, dim, section=fx.Circle(diameter=0.04) if round_ else fx.Rectangle(width=0.06, height=0.02))
    load = fx.Gravity((0, -9.81) if dim == 2 else (0, -3.0, -9.0))
    ball = fx.PointMass(1.0, position=(3.0, 0.0, 0.0)[:dim], name="ball")  # so that all models move as mechanisms
    run = fx.simulate(fx.Model(body, ball, fx.Clamp(body.start), load), 0.1, step=2e-3)
    tolerance = 1e-4
    written = fx.write_gltf(run, tmp_path / "x.glb", tolerance=tolerance, progress=False)
    played = Film(written.path)
    body = run.model.body("line")
    for t, row in frames_of(played, run):
        points = played.points("line", t)
        per_element = len(points) // 4
        sides = 10 if round_ else 4
        centre = points.reshape(4, per_element // sides, sides, 3).mean(axis=2)
        wanted = run.shape(body, row, per_element // sides)
        assert np.abs(centre - wanted).max() < tolerance * 2.0
        if sides == 4:
            ring = points.reshape(-1, 4, 3)
            edges = np.linalg.norm(np.roll(ring, -1, axis=1) - ring, axis=2)
            # the first edge lies along y of the section, its height; directors stretch by strains, well below 1 %
            assert np.abs(edges / [0.02, 0.06, 0.02, 0.06] - 1.0).max() < 0.02
    assert written.parts["line"][0] >= 1


def test_surfaces(tmp_path: Path) -> None:
    plate = fx.FlexibleBody.plate((1.0, 0.5), elements=(3, 2), element=fx.elements.ANCFShell(),
                                  section=fx.ShellSection(0.01), material=RUBBER, name="plate")  # fmt: skip
    ball = fx.PointMass(1.0, position=(5.0, 0.0, 0.0), name="ball")
    run = run_of(fx.Model(plate, ball, fx.Clamp(plate.set("left")), fx.Gravity((0, 0, -9.81))), 0.2)
    written = fx.write_gltf(run, tmp_path / "x.glb", progress=False)
    played = Film(written.path)
    corner = run.position(plate.at((1.0, 0.5, 0.0)))
    assert np.linalg.norm(corner[-1] - corner[0]) > 0.05
    for t, row in frames_of(played, run):
        distance = np.linalg.norm(played.points("plate", t) - corner[row], axis=1)
        assert distance.min() < 1e-4 * np.linalg.norm(corner[-1] - corner[0]) + 1e-6


def test_trees_with_rigid_and_flexible_links(tmp_path: Path) -> None:
    run = run_of(arm(), 0.1)
    written = fx.write_gltf(run, tmp_path / "arm.glb", tolerance=0.0, progress=False)
    played = Film(written.path)
    for t, row in frames_of(played, run):
        for name in ("arm/upper", "arm/lower"):
            nodes = run.deformed(name, [row])[0]
            found = played.points(name, t)
            assert np.linalg.norm(found[:, None] - nodes, axis=2).min(axis=1).max() < 100 * SINGLE
        hand = run.position(run.model.tree("arm").link("hand").marker((0.0, 0.0, 0.0)))[row]
        points = played.points("arm/hand", t)
        assert np.linalg.norm(points[: len(points) // 2].mean(axis=0) - hand) < 100 * SINGLE


def test_substructures(tmp_path: Path) -> None:
    rod = fx.BeamStiffness(EA=1e4, EI_z=0.5, GJ=0.5, mass_per_length=0.1, rhoI_y=1e-4, rhoI_z=1e-4)
    hub = fx.RigidBody.box(size=(0.2, 0.2, 0.2), mass=5.0, angular_velocity=(0, 0, 2.0), name="hub")
    boom = fx.SubstructuredBeam.straight((0, 0, 0), (3, 0, 0), hub, n=2, element=fx.elements.Frame(section=rod))
    run = run_of(fx.Model(hub, *boom.items, fx.Gravity((0, 0, -9.81))), 0.1)
    written = fx.write_gltf(run, tmp_path / "boom.glb", progress=False)
    played = Film(written.path)
    tip = run.position(boom.frames[-1])
    last = boom.parts[-1].name
    for t, row in frames_of(played, run):
        points = played.points(last, t)
        rings = points.reshape(-1, 8, 3).mean(axis=1)
        assert np.linalg.norm(rings - tip[row], axis=1).min() < 1e-4 * np.linalg.norm(tip[-1] - tip[0]) + 1e-6


def test_files_and_journals_are_read_piece_by_piece(tmp_path: Path) -> None:
    body = line(fx.elements.ANCFCable2D(), 2, section=fx.Circle(diameter=0.02))
    model = fx.Model(body, fx.Pin(body.start), fx.Gravity((0, -9.81)))
    run = fx.simulate(model, 0.2, step=2e-3, file=tmp_path / "run.h5")
    one = fx.write_gltf(run, tmp_path / "a.glb", progress=False)
    two = fx.write_gltf(tmp_path / "run.h5", tmp_path / "b.glb", progress=False)
    assert one.path.read_bytes() == two.path.read_bytes()
    assert run.to_gltf(tmp_path / "c.glb", progress=False).path.read_bytes() == one.path.read_bytes()


def test_memory_does_not_grow_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_frames, "PIECE", 1 << 18)
    model = fx.Model(*(fx.RigidBody(1.0, (1, 1, 1), angular_velocity=(0, 0, 1.0), name=f"b{k}") for k in range(40)))
    peaks = []
    for steps in (500, 4000):
        file = tmp_path / f"{steps}.h5"
        fx.simulate(model, 1.0, step=1.0 / steps, file=file)
        tracemalloc.start()
        fx.write_gltf(file, tmp_path / f"{steps}.glb", fps=20.0, speed=1.0, progress=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    grown = 8 * 3500 * 7 * 40  # what the coordinates of the longer run take beyond those of the shorter one
    assert peaks[1] - peaks[0] < 0.5 * grown


def test_time_of_the_film_and_root(tmp_path: Path) -> None:
    milli = fx.Units(length="mm", mass="t", time="s", force="N")
    box = fx.RigidBody.box(size=(100, 100, 100), mass=1.0, velocity=(0, 0, 1.0), name="box")
    run = run_of(fx.Model(box, fx.Gravity((0, -9810.0, 0)), units=milli, name="fall"), 0.1)
    written = fx.write_gltf(run, tmp_path / "x.glb", speed=0.1, progress=False)
    film = Film(written.path)
    assert film.times[-1] == pytest.approx(1.0, rel=1e-6)
    root = film.said["nodes"][0]
    assert root["scale"] == [1e-3] * 3
    assert root["rotation"] == [0.0, 0.0, 0.0, 1.0]  # gravity is along -y, which viewers have as down
    again = read(fx.write_gltf(run, tmp_path / "x.glb", up="z", overwrite=True, progress=False).path)[0]
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_quat(again["nodes"][0]["rotation"]).apply((0.0, 0.0, 1.0))
    np.testing.assert_allclose(turned, (0.0, 1.0, 0.0), atol=1e-15)


def test_what_stays_has_no_channels_and_one_state_is_a_picture(tmp_path: Path) -> None:
    box = fx.RigidBody.box(size=(1, 1, 1), mass=1.0, name="box")
    run = run_of(fx.Model(box), 0.02)
    film = Film(fx.write_gltf(run, tmp_path / "x.glb", progress=False).path)
    assert not film.tracks
    assert np.abs(film.points("box", 0.0)).max() == 0.5


def test_loaders_of_others(mechanism: fx.TimeSolution, film: tuple[Film, Any]) -> None:
    pygltflib, trimesh = pytest.importorskip("pygltflib"), pytest.importorskip("trimesh")
    path = film[1].path
    found = pygltflib.GLTF2().load(str(path))
    played = film[0]
    assert {n.name for n in found.nodes[1:]} == set(played.nodes)
    assert len(found.animations[0].channels) == len(played.tracks)
    scene = trimesh.load(str(path))
    name = next(n for n in scene.graph.nodes_geometry if n.startswith("box"))
    matrix, geometry = scene.graph[name]
    points = trimesh.transform_points(scene.geometry[geometry].vertices, matrix)
    assert np.abs(points).max(axis=0) == pytest.approx((0.2, 0.1, 0.05), abs=1e-6)


@pytest.mark.slow
def test_ten_seconds_of_the_galvanizing_strip(tmp_path: Path) -> None:
    strip = galvanizing_model.strip()
    body = strip.body
    loads = galvanizing_model.loads(strip, body, galvanizing_model.excitation(len(strip.zones), 10.0))
    run = fx.simulate(fx.Model(body, *loads), 10.0, step=galvanizing_model.PERIOD, output=fx.Output(every=5e-3))
    start = time.process_time()
    written = fx.write_gltf(run, tmp_path / "strip.glb", progress=False)
    assert time.process_time() - start < 30.0
    assert written.size < 20e6
    played = Film(written.path)
    rest = np.asarray(body.reduced.points)
    largest = max(
        float(np.linalg.norm(run.deformed(body, [k])[0] - rest, axis=1).max()) for k in range(0, len(run), 20)
    )
    for t, row in frames_of(played, run)[::30]:
        # the nodes of the surface in their order; what is left out, and single precision of coordinates up to 50 m
        off = np.linalg.norm(played.points(body.name, t) - run.deformed(body, [row])[0], axis=1).max()
        assert off < 1.2e-4 * largest + 50.0 * SINGLE


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0.0}, "fps"), ({"speed": -1.0}, "speed"), ({"tolerance": 2.0}, "tolerance"), ({"up": "w"}, "axis up"),
        ({"fps": 1000.0, "speed": 1e-3}, "frames"), ({"joints": "no"}, "joints"),
    ],
)  # fmt: skip
def test_mistakes_in_options(mechanism: fx.TimeSolution, tmp_path: Path, options: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        fx.write_gltf(mechanism, tmp_path / "x.glb", progress=False, **options)
    assert not list(tmp_path.iterdir())


def test_mistakes_in_files(mechanism: fx.TimeSolution, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.h5"
    wrong.write_bytes(b"no result")
    with pytest.raises(ReadError):
        fx.write_gltf(wrong, tmp_path / "x.glb")
    body = line(fx.elements.ANCFCable2D(), 2, section=fx.Circle(diameter=0.02))
    modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start)), modes=1).save(tmp_path / "modes.h5")
    with pytest.raises(ReadError, match="holds no run"):
        fx.write_gltf(modes, tmp_path / "x.glb")
    with pytest.raises(ModelError, match="expected a TimeSolution"):
        fx.write_gltf(3, tmp_path / "x.glb")
    with pytest.raises(ModelError, match=r"\.glb"):
        fx.write_gltf(mechanism, tmp_path / "x.obj")
    there = tmp_path / "there.glb"
    there.write_text("mine")
    with pytest.raises(FlexmbsError, match="there already"):
        fx.write_gltf(mechanism, there)
    assert there.read_text() == "mine"
    assert fx.write_gltf(mechanism, there, overwrite=True, progress=False).size == there.stat().st_size
    assert sorted(p.name for p in tmp_path.iterdir()) == ["modes.h5", "there.glb", "wrong.h5"]


def test_states_that_are_no_motion(mechanism: fx.TimeSolution, tmp_path: Path) -> None:
    from dataclasses import replace

    back = replace(mechanism, t=mechanism.t[::-1])
    with pytest.raises(ModelError, match="do not follow each other"):
        fx.write_gltf(back, tmp_path / "x.glb", progress=False)
    none = replace(mechanism, t=mechanism.t[:0], q=mechanism.q[:0])
    with pytest.raises(ModelError, match="no stored states"):
        fx.write_gltf(none, tmp_path / "x.glb", progress=False)
    broken = replace(mechanism, q=np.where(np.arange(len(mechanism))[:, None] == 5, np.nan, mechanism.q))
    with pytest.raises(ModelError, match="not finite"):
        fx.write_gltf(broken, tmp_path / "x.glb", progress=False)
    twice = np.minimum(mechanism.t, mechanism.t[-2])
    written = fx.write_gltf(replace(mechanism, t=twice), tmp_path / "x.glb", fps=1000.0, speed=1.0, progress=False)
    assert (np.diff(Film(written.path).times) > 0.0).all()


def test_nothing_to_draw(tmp_path: Path) -> None:
    from dataclasses import replace

    reduced = replace(bar(), cells={})
    run = run_of(fx.Model(fx.FloatingBody(reduced, reference="left", name="bar"), fx.Gravity((0, 0, -9.81))), 0.02)
    with pytest.raises(ModelError, match="no body that could be drawn"):
        fx.write_gltf(run, tmp_path / "x.glb", progress=False)
