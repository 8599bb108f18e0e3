"""Files for ParaView, read back by meshio."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from meshio.xdmf import TimeSeriesReader

import flexmbs as fx
from flexmbs.visualization.paraview import write_modes, write_series

Solved = Callable[[str], fx.StaticSolution]


def read(path: Path) -> tuple[np.ndarray, np.ndarray, list[tuple[float, dict[str, Any], dict[str, Any]]]]:
    """Points, lines and the data of all steps."""
    with TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        (block,) = cells
        assert block.type == "line"
        return points, block.data, [reader.read_data(k) for k in range(reader.num_steps)]


@pytest.mark.parametrize("name", ["cantilever", "frame", "spatial", "planar_linear"])
def test_series_holds_positions_of_all_steps(name: str, solved: Solved, tmp_path: Path) -> None:
    solution = solved(name)
    points, lines, steps = read(solution.to_paraview(tmp_path / "r.xdmf"))
    dim = solution.model.bodies[0].mesh.dim
    unit = solution.model.units.length
    assert [t for t, _, _ in steps] == solution.parameters.tolist()
    for i, (_, data, _) in enumerate(steps):
        there = points + data[f"displacement [{unit}]"]
        expected = np.concatenate([solution.shape(b, i, 9)[..., :dim].reshape(-1, dim) for b in solution.model.bodies])
        np.testing.assert_allclose(there[:, :dim], expected, rtol=0, atol=1e-14)
        assert not there[:, dim:].any()
    # the points where elements begin and end are the nodes of the mesh
    first = solution.model.bodies[0]
    np.testing.assert_allclose(points[0, :dim], first.mesh.points[first.cells[0, 0]], atol=1e-14)
    np.testing.assert_allclose(points[8, :dim], first.mesh.points[first.cells[0, 1]], atol=1e-14)
    assert len(lines) == 8 * sum(len(b.cells) for b in solution.model.bodies)
    # eight pieces as long as the body, none across a gap
    length = np.linalg.norm(points[lines[:, 1]] - points[lines[:, 0]], axis=1).sum()
    assert length == pytest.approx(sum(b.length for b in solution.model.bodies), rel=1e-9)


def test_series_numbers_bodies_and_elements(solved: Solved, tmp_path: Path) -> None:
    _, _, steps = read(solved("frame").to_paraview(tmp_path / "r.xdmf"))
    cells = steps[-1][2]
    assert np.bincount(cells["body"][0]).tolist() == [24, 32, 24]
    assert cells["element"][0][24:56].tolist() == np.repeat([0, 1, 2, 3], 8).tolist()


def test_series_holds_resultants_in_balance_with_the_load(solved: Solved, tmp_path: Path) -> None:
    # a dead force F at the end: M(s) = -F (x_end - x(s)) and N(s) = F sin of the downward angle
    solution = solved("cantilever")
    points, _, steps = read(solution.to_paraview(tmp_path / "r.xdmf"))
    data = steps[-1][1]
    there = points + data["displacement [m]"]
    np.testing.assert_allclose(data["M [N m]"], -8.4 * (there[-1, 0] - there[:, 0]), atol=0.12)
    angle = -solution.angle(solution.model.bodies[0].end, step=-1)
    assert data["N [N]"][-1] == pytest.approx(8.4 * np.sin(angle), rel=0.02)
    assert data["N [N]"][0] == pytest.approx(0.0, abs=0.6)


def test_magnitude_of_the_moment_in_space(solved: Solved, tmp_path: Path) -> None:
    _, _, steps = read(solved("spatial").to_paraview(tmp_path / "r.xdmf"))
    data = steps[-1][1]
    parts = [data[f"M_{k} [N m]"] for k in "xyz"]
    np.testing.assert_allclose(data["|M| [N m]"], np.linalg.norm(parts, axis=0), rtol=1e-12)
    assert data["|M| [N m]"].max() > 10.0


def test_resultants_that_a_body_lacks_are_nan(models: Any, tmp_path: Path) -> None:
    cable = models.cantilever().bodies[0]
    beam = fx.FlexibleBody.line(
        (0, 1), (1, 1), elements=2, element=fx.elements.LinearBeam2D(), stiffness=models.STRIP, name="beam"
    )
    model = fx.Model(cable, beam, fx.Clamp(cable.start), fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -0.1)))
    _, _, steps = read(fx.solve_static(model).to_paraview(tmp_path / "r.xdmf"))
    shear = steps[-1][1]["Q [N]"]
    assert np.isnan(shear[:36]).all()
    np.testing.assert_allclose(np.abs(shear[36:]), 0.1, rtol=1e-9)


def test_modes_are_displacement_fields_of_a_tenth_of_the_model(models: Any, tmp_path: Path) -> None:
    modes = fx.solve_modal(models.cantilever(), modes=3)
    _, _, ((_, data, _),) = read(write_modes(modes, tmp_path / "m.xdmf"))
    assert list(data) == [f"mode {i}: {f:.5g} 1/s" for i, f in enumerate(modes.frequencies)]
    for i, field in enumerate(data.values()):
        assert np.linalg.norm(field, axis=1).max() == pytest.approx(0.1, rel=1e-12)
        # transverse, and at rest at the clamp
        assert np.abs(field[0]).max() < 1e-12
        body = modes.model.bodies[0]
        tip = modes.displacement(body.end, i)
        scale = field[-1, 1] / tip[1]
        whole = (modes.shape(body, i, scale, 9) - modes.shape(body, i, 0.0, 9)).reshape(-1, 3)
        np.testing.assert_allclose(field, whole, atol=1e-12)


def test_files_lie_beside_each_other_wherever_the_process_is(
    solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    monkeypatch.chdir(here)
    saved = solved("cantilever").save(there / "r.h5")  # must survive the files for ParaView of the same name
    write_series(solved("cantilever"), there / "r.xdmf")
    assert not list(here.iterdir())
    assert sorted(p.name for p in there.iterdir()) == ["r.h5", "r.xdmf", "r.xdmf.h5"]
    assert fx.load(saved).model.name == "strip"
    monkeypatch.chdir(tmp_path)
    assert len(read(there / "r.xdmf")[2]) == 3


def test_failure_leaves_older_files(solved: Solved, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_series(solved("cantilever"), tmp_path / "r.xdmf")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("meshio.xdmf.TimeSeriesWriter.write_data", fail)
    with pytest.raises(fx.FlexmbsError, match=r"write_series: cannot write .*r\.xdmf: No space left"):
        write_series(solved("frame"), path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["r", "r.vtu", "r.h5", "a:b.xdmf"])
def test_odd_names_are_refused(name: str, solved: Solved, tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=r"must end in \.xdmf|colon"):
        write_series(solved("cantilever"), tmp_path / name)


def test_missing_folder_and_wrong_results_are_refused(solved: Solved, models: Any, tmp_path: Path) -> None:
    with pytest.raises(fx.FlexmbsError, match="no folder"):
        write_series(solved("cantilever"), tmp_path / "nowhere" / "r.xdmf")
    with pytest.raises(fx.ModelError, match="expected a StaticSolution"):
        write_series(models.cantilever(), tmp_path / "r.xdmf")
    with pytest.raises(fx.ModelError, match="expected a ModalSolution"):
        write_modes(solved("cantilever"), tmp_path / "r.xdmf")  # type: ignore[arg-type]
    modes = fx.solve_modal(models.cantilever(), modes=1)
    with pytest.raises(fx.ModelError, match="share must be greater than 0"):
        write_modes(modes, tmp_path / "r.xdmf", share=0.0)


def test_a_motion_of_several_kinds_of_bodies_is_a_series_over_time(tmp_path: Path) -> None:
    rope = fx.FlexibleBody.line((0, 0), (1, 0), elements=3, element=fx.elements.ANCFCable2D(),
                                stiffness=fx.BeamStiffness(EA=1e3, EI_z=0.1, mass_per_length=1.0))  # fmt: skip
    bob = fx.PlanarRigidBody.rod((1.0, 0), (1.2, 0), mass=0.5, name="bob")
    spring = fx.SpringDamper(fx.Marker(bob, (0.1, 0)), fx.Marker(fx.ground, (1.2, -1)), stiffness=5.0)
    model = fx.Model(rope, bob, fx.Clamp(rope.start), fx.RevoluteJoint(rope.end, bob), spring, fx.Gravity((0, -9.81)))
    run = fx.simulate(model, until=0.2, step=1e-3, output=fx.Output(every=0.05), file=tmp_path / "run.h5")
    with TimeSeriesReader(run.to_paraview(tmp_path / "r.xdmf", steps=slice(1, None))) as reader:
        points, _ = reader.read_points_cells()
        found = [reader.read_data(k) for k in range(reader.num_steps)]
    assert [t for t, _, _ in found] == run.t[1:].tolist()
    for i, (_, data, _) in enumerate(found, start=1):
        there = points + data["displacement [m]"]
        of_rope = run.shape(rope, i, 9)[..., :2].reshape(-1, 2)
        np.testing.assert_allclose(there[: len(of_rope), :2], of_rope, rtol=0, atol=1e-14)
        along = np.array([np.cos(run.angle(bob)[i]), np.sin(run.angle(bob)[i])])
        ends = [run.position(bob)[i, :2] + s * along for s in (-0.1, 0.1)]
        for end in ends:  # among the points of the lines behind
            assert np.abs(there[len(of_rope) :, :2] - end).sum(axis=1).min() < 1e-12
        assert np.isfinite(data["M [N m]"][: len(of_rope)]).all()
    with pytest.raises(fx.ModelError, match="there is no step 9"):
        run.to_paraview(tmp_path / "r.xdmf", steps=[9])
