"""Saving and loading: what comes back is what was saved, or a `ReadError` says why not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.io import sealed, store
from flexmbs.results.modal import OperatingState

Solved = Callable[[str], fx.StaticSolution]


@pytest.fixture
def saved(solved: Solved, tmp_path: Path) -> Path:
    return solved("cantilever").save(tmp_path / "result.h5")


@pytest.mark.parametrize("name", ["cantilever", "frame", "guided", "spatial", "linear", "planar_linear"])
def test_solution_comes_back_as_it_was(name: str, solved: Solved, models: ModuleType, tmp_path: Path) -> None:
    again = fx.load(solved(name).save(tmp_path / "result.h5"))
    assert isinstance(again, fx.StaticSolution)
    models.assert_equal(solved(name), again)


def test_saving_what_was_loaded_gives_the_same_file(solved: Solved, tmp_path: Path) -> None:
    for name in ("frame", "guided", "linear"):
        first = solved(name).save(tmp_path / "a.h5")
        second = fx.load(first).save(tmp_path / "b.h5")
        assert first.read_bytes() == second.read_bytes()


def test_descriptions_come_back(solved: Solved, tmp_path: Path) -> None:
    model, again = (s.model for s in (solved("frame"), fx.load(solved("frame").save(tmp_path / "r.h5"))))
    assert [b.name for b in again.bodies] == ["left/leg", "Träger", "r"]
    assert [b.element for b in again.bodies] == [b.element for b in model.bodies]
    assert [b.section for b in again.bodies] == [b.section for b in model.bodies]
    assert [b.material for b in again.bodies] == [b.material for b in model.bodies]
    assert [b.stiffness for b in again.bodies] == [b.stiffness for b in model.bodies]
    assert [type(s) for s in again.supports] == [type(s) for s in model.supports]
    assert [load.label for load in again.loads] == [load.label for load in model.loads]
    assert again.units.length == "mm"
    mesh, its = model.body("Träger").mesh, again.body("Träger").mesh
    np.testing.assert_array_equal(its.points, mesh.points)
    np.testing.assert_array_equal(its.node_set("middle"), [2])
    np.testing.assert_array_equal(its.cell_set("first half")[0], [0, 1])
    np.testing.assert_array_equal(its.point_data["tangent"], mesh.point_data["tangent"])
    assert again.hinges[0].a.body is again.bodies[0]


def test_loaded_solution_goes_on_being_useful(solved: Solved, tmp_path: Path) -> None:
    again = fx.load(solved("cantilever").save(tmp_path / "r.h5"))
    assert isinstance(again, fx.StaticSolution)
    blade = again.model.body("blade")
    assert again.reaction(blade.start, step=-1)[1] == pytest.approx(8.4, rel=1e-6)
    more = fx.solve_static(again.model, fx.StaticOptions(steps=2, progress=False))
    np.testing.assert_allclose(more.q, again.q, rtol=0, atol=1e-12)
    assert again.plot().get_xlabel() == "x [m]"


@pytest.mark.parametrize("start", ["state", "model"])
def test_modes_come_back(start: str, solved: Solved, tmp_path: Path) -> None:
    solution = solved("cantilever")
    modes = fx.solve_modal(solution if start == "state" else solution.model, modes=3)
    again = fx.load(modes.save(tmp_path / "modes.h5"))
    assert isinstance(again, fx.ModalSolution)
    np.testing.assert_array_equal(again.frequencies, modes.frequencies)
    np.testing.assert_array_equal(again.vectors, modes.vectors)
    body, its = solution.model.body("blade"), again.model.body("blade")
    np.testing.assert_array_equal(again.shape(its, 1, 0.3), modes.shape(body, 1, 0.3))
    assert again.conservative is True


def test_complex_modes_come_back(models: ModuleType, tmp_path: Path) -> None:
    modes = fx.solve_modal(models.cantilever(), modes=2)
    flutter = replace(modes, roots=modes.roots + 3.0, vectors=modes.vectors * (1 + 2j), conservative=False)
    again = fx.load(flutter.save(tmp_path / "modes.h5"))
    np.testing.assert_array_equal(again.eigenvalues, flutter.eigenvalues)
    np.testing.assert_array_equal(again.vectors, flutter.vectors)
    assert again.conservative is False


def test_functions_are_stored_as_tables_of_the_factors(models: ModuleType, tmp_path: Path) -> None:
    model = models.cantilever(history=lambda s: s**3)
    solution = fx.solve_static(model, fx.StaticOptions(steps=4, progress=False))
    path = solution.save(tmp_path / "r.h5")
    again = fx.load(path)
    models.assert_equal(solution, again)
    history = again.model.loads[0].history
    assert isinstance(history, fx.Table)
    assert history.times.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    np.testing.assert_allclose(history.values, [0.0, 0.25**3, 0.5**3, 0.75**3, 1.0], rtol=1e-15)
    with h5py.File(path) as file:
        assert "force at 'end' of body 'blade'" in file.attrs["sampled_histories"]


def test_function_of_a_prescribed_motion_is_stored(models: ModuleType, tmp_path: Path) -> None:
    base = models.cantilever()
    rod = base.bodies[0]
    drop = fx.Prescribe(rod.end, displacement=(None, -0.2), history=lambda s: np.sin(0.5 * np.pi * s))
    solution = fx.solve_static(fx.Model(rod, fx.Clamp(rod.start), drop), fx.StaticOptions(steps=2, progress=False))
    again = fx.load(solution.save(tmp_path / "r.h5"))
    models.assert_equal(solution, again)
    np.testing.assert_allclose(again.model.supports[1].history.values, [0, np.sqrt(0.5), 1], rtol=1e-15)


def test_function_beside_modes_is_stored(models: ModuleType, tmp_path: Path) -> None:
    modes = fx.solve_modal(models.cantilever(history=lambda s: 2 * s), modes=1)
    again = fx.load(modes.save(tmp_path / "m.h5"))
    assert again.model.loads[0].history(0.3) == pytest.approx(0.6, rel=1e-12)


def test_file_describes_itself_to_other_programs(solved: Solved, tmp_path: Path) -> None:
    solution = solved("frame")
    with h5py.File(solution.save(tmp_path / "r.h5")) as file:
        assert file.attrs["format"] == "flexmbs result"
        assert file.attrs["format_version"] == 1
        assert file.attrs["kind"] == "static"
        assert file.attrs["unit_of_length"] == "mm"
        assert file.attrs["sampled_histories"] == "none"
        arrays = [item for item in file["results"].values() if isinstance(item, h5py.Dataset)]
        assert len(arrays) == 11
        assert all(item.attrs["unit"] and item.attrs["description"] for item in arrays)
        # positions without flexmbs: entries of q by node
        body = file["bodies/1"]
        assert body.attrs["name"] == "Träger"
        assert list(body["coordinates"].attrs["names"][:2]) == ["x", "y"]
        assert list(body["coordinates"].attrs["units"]) == ["mm", "mm", "-", "-"]
        place = file["results/q"][-1][body["coordinates"][2, :2]]
    np.testing.assert_array_equal(place, solution.position(solution.model.body("Träger").node(2), step=-1)[:2])


def test_every_field_of_results_is_stored() -> None:
    words = {"system", "status", "message", "settings", "free", "redundant", "extra"}
    assert {f.name for f in fields(fx.StaticSolution)} - words == {q.name for q in store.SOLUTION}
    words = {"system", "state", "conservative", "frame", "whirl"}
    assert {f.name for f in fields(fx.ModalSolution)} - words == {q.name for q in store.MODES}
    assert set(OperatingState._fields) == {q.name for q in store.STATE}


def test_own_classes_have_to_be_passed(solved: Solved, models: ModuleType, tmp_path: Path) -> None:
    path = solved("own").save(tmp_path / "r.h5")
    with pytest.raises(fx.ReadError, match=r"'rod'.*output_models\.OwnCable.*classes=\(OwnCable,\)"):
        fx.load(path)
    with pytest.raises(fx.ReadError, match=r"output_models\.Square.*classes=\(Square,\)"):
        fx.load(path, classes=(models.OwnCable,))
    again = fx.load(path, classes=(models.OwnCable, models.Square))
    models.assert_equal(solved("own"), again)
    assert again.model.bodies[0].element == models.OwnCable(grade="hard")


@pytest.mark.parametrize("wrong", [fx.elements.ANCFCable2D(), 3, int, [4], fx.elements.ANCFCable2D])
def test_wrong_classes_are_refused(wrong: Any, saved: Path) -> None:
    with pytest.raises(fx.ModelError, match="load: "):
        fx.load(saved, classes=wrong)


def test_loading_needs_neither_the_script_nor_its_objects(saved: Path, solved: Solved) -> None:
    code = f"import flexmbs as fx; s = fx.load({str(saved)!r}); print(*s.position(s.model.body('blade').end, step=-1))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    end = solved("cantilever").model.body("blade").end
    assert [float(x) for x in run.stdout.split()] == solved("cantilever").position(end, step=-1).tolist()


# --- what cannot be written ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, "result", {"q": 1}, fx.StaticSolution])
def test_save_refuses_what_is_no_result(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match="save: expected a StaticSolution or ModalSolution"):
        store.save(wrong, tmp_path / "r.h5")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["result", "result.txt", "result.npz", "h5"])
def test_save_refuses_odd_suffixes(name: str, solved: Solved, tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=r"must end in \.h5 or \.hdf5"):
        solved("cantilever").save(tmp_path / name)


@pytest.mark.parametrize("path", [None, 3, "", b"r.h5"])
def test_save_refuses_what_is_no_path(path: Any, solved: Solved) -> None:
    with pytest.raises(fx.ModelError, match="path must be a string or a path"):
        solved("cantilever").save(path)


def test_save_names_the_folder_that_is_missing(solved: Solved, tmp_path: Path) -> None:
    with pytest.raises(fx.FlexmbsError, match=r"there is no folder .*nowhere"):
        solved("cantilever").save(tmp_path / "nowhere" / "r.h5")
    (tmp_path / "file").touch()
    with pytest.raises(fx.FlexmbsError, match="there is no folder"):
        solved("cantilever").save(tmp_path / "file" / "r.h5")
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(fx.FlexmbsError, match="is a folder"):
        solved("cantilever").save(tmp_path / "folder.h5")


def test_save_respects_write_protection(saved: Path, solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(fx.FlexmbsError, match="write-protected"):
        solved("cantilever").save(saved)
    assert saved.read_bytes() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_save_says_that_a_folder_is_write_protected(solved: Solved, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(fx.FlexmbsError, match=r"cannot write .*denied"):
        solved("cantilever").save(tmp_path / "r.h5")
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device"), MemoryError])
@pytest.mark.parametrize("place", ["_write_array", "_write_body"])
def test_interrupted_save_leaves_the_older_file(
    failure: Any, place: str, saved: Path, solved: Solved, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(store, place, fail)
    with pytest.raises((KeyboardInterrupt, fx.FlexmbsError, MemoryError)):
        solved("frame").save(saved)
    assert saved.read_bytes() == before
    assert [p.name for p in saved.parent.iterdir()] == ["result.h5"]


def test_failure_of_the_last_step_is_told(saved: Path, solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(fx.FlexmbsError, match=r"save: cannot write .*result\.h5: Permission denied"):
        solved("frame").save(saved)
    assert [p.name for p in saved.parent.iterdir()] == ["result.h5"]


def test_links_are_followed_and_the_mask_of_the_process_is_kept(saved: Path, solved: Solved) -> None:
    link = saved.with_name("link.h5")
    link.symlink_to(saved)
    solved("frame").save(link)
    assert link.is_symlink()
    assert fx.load(saved).model.name == "frame"
    plain = saved.with_name("plain")
    plain.touch()
    assert saved.stat().st_mode == plain.stat().st_mode


# --- what cannot be read ---------------------------------------------------------------------------------------------


def test_load_refuses_missing_files_folders_and_non_paths(tmp_path: Path) -> None:
    with pytest.raises(fx.ReadError, match="there is no file"):
        fx.load(tmp_path / "missing.h5")
    with pytest.raises(fx.ReadError, match="is a folder"):
        fx.load(tmp_path)
    for wrong in (None, 3, ""):
        with pytest.raises(fx.ReadError, match="path must be"):
            fx.load(wrong)  # type: ignore[arg-type]


def test_load_refuses_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    path.touch()
    with pytest.raises(fx.ReadError, match="is empty"):
        fx.load(path)
    path.write_text("node, x, y\n1, 0, 0\n")
    with pytest.raises(fx.ReadError, match="not a result file"):
        fx.load(path)
    with h5py.File(path, "w") as file:
        file["q"] = np.zeros(3)
    with pytest.raises(fx.ReadError, match="an HDF5 file, but not one that flexmbs has saved"):
        fx.load(path)


def test_load_refuses_a_newer_format(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b"version 1\n", b"version 2\n", 1))
    with pytest.raises(fx.ReadError, match="format version 2, but this flexmbs reads versions up to 1"):
        fx.load(saved)


def test_load_tells_changed_files(saved: Path) -> None:
    with h5py.File(saved, "r+") as file:
        file["results/q"][-1, 3] += 1e-12
    with pytest.raises(fx.ReadError, match="damaged"):
        fx.load(saved)


everywhere = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@everywhere
@given(data=st.data())
def test_truncated_files_are_refused(data: st.DataObject, saved: Path) -> None:
    whole = saved.read_bytes()
    path = saved.with_name("part.h5")
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(fx.ReadError, match=r"part\.h5 is (truncated|empty)"):
        fx.load(path)


@everywhere
@given(data=st.data())
def test_damaged_files_are_refused(data: st.DataObject, saved: Path) -> None:
    damaged = bytearray(saved.read_bytes())
    first = data.draw(st.integers(0, 511) | st.integers(0, len(damaged) - 1))
    for i in range(first, min(first + data.draw(st.integers(1, 3)), len(damaged))):
        damaged[i] ^= data.draw(st.integers(1, 255))
    path = saved.with_name("damaged.h5")
    path.write_bytes(damaged)
    with pytest.raises(fx.ReadError, match=r"damaged\.h5"):
        fx.load(path)


def resealed(path: Path, change: Callable[[h5py.File], None]) -> Path:
    """A file with a valid seal around other contents."""
    with h5py.File(path, "r+") as file:
        change(file)
    raw = path.read_bytes()
    path.write_bytes(sealed._block(*sealed._digest(path)) + raw[sealed.BLOCK :])
    return path


def replaced_array(name: str, values: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]
        file[name] = values

    return change


def without(name: str) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]

    return change


@pytest.mark.parametrize(
    "change",
    [
        without("model"),
        without("results"),
        without("results/q"),
        without("bodies/0/points"),
        without("bodies"),
        replaced_array("model", "{"),
        replaced_array("model", "[" * 100_000),
        replaced_array("model", "{}"),
        replaced_array("model", '{"bodies": [], "supports": [], "hinges": [], "loads": []}'),
        replaced_array("model", '{"bodies": [3], "supports": [], "hinges": [], "loads": []}'),
        replaced_array("results/q", np.zeros((3, 2))),
        replaced_array("results/q", np.zeros(3)),
        replaced_array("results/scales", np.zeros((3, 7))),
        replaced_array("results/drives", np.zeros((3, 1))),
        replaced_array("results/reference", np.zeros(20)),
        replaced_array("bodies/0/coordinates", np.zeros((5, 4), dtype=int)),
        replaced_array("bodies/0/points", np.zeros((5, 2))),
        replaced_array("options", '{"class": "StaticOptions", "rtol": -1}'),
        lambda file: file["results"].attrs.__setitem__("status", "SPLENDID"),
        lambda file: file.attrs.__delitem__("kind"),
    ],
)
def test_sealed_files_with_wrong_contents_are_refused(change: Callable[[h5py.File], None], saved: Path) -> None:
    with pytest.raises(fx.ReadError, match=r"load: .*result\.h5"):
        fx.load(resealed(saved, change))


def test_nodes_that_do_not_exist_are_refused(saved: Path) -> None:
    def change(file: h5py.File) -> None:
        text, count = re.subn(r"(\"nodes\": \[\s*)4\b", r"\g<1>99", file["model"].asstr()[()])
        assert count == 1
        replaced_array("model", text)(file)

    with pytest.raises(fx.ReadError, match=r"load: .*result\.h5"):
        fx.load(resealed(saved, change))


def test_classes_that_are_no_list_are_refused(tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match="load: classes must be a list of classes"):
        fx.load(tmp_path / "x.h5", classes=3)  # type: ignore[arg-type]


def test_a_result_is_no_reduced_model_and_a_missing_folder_is_told_by_save(tmp_path: Path) -> None:
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=1.0, name="rod")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    run = fx.simulate(fx.Model(rod, pin), until=0.0)
    with pytest.raises(fx.ReadError, match="the result of an analysis"):
        fx.reduction.load_reduced(run.save(tmp_path / "run.h5"))
    with pytest.raises(fx.FlexmbsError, match=r"^save: there is no folder"):
        run.save(tmp_path / "no" / "run.h5")
    assert repr(run.table("pin.angle")).startswith("<table 'motion of model': 1 rows of t [s], pin.angle [rad")
