"""Results over time in files: they come back as they were, from whole files and from journals of killed runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.io import sealed, timestore
from flexmbs.io.journal import JournalWriter
from flexmbs.io.journal_reader import read_journal
from flexmbs.io.model_description import describe_model, fingerprint
from flexmbs.io.time_data import Column, TimeData
from flexmbs.io.timestore import close_journal, holds_time, model_of, read_time, write_time


def rod_model(load: float = -1.0, elements: int = 3, **options: Any) -> fx.Model:
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=elements, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel, name="rod",
    )  # fmt: skip
    return fx.Model(rod, fx.Clamp(rod.start), fx.PointForce(rod.end, (0, load), **options), name="swing")


def example(n: int = 9, **changes: Any) -> TimeData:
    plain, arrays = describe_model(rod_model())
    values = {
        "t": np.linspace(0.0, 2.0, n),
        "q": np.random.default_rng(1).normal(size=(n, 4)),
        "iterations": np.arange(n),
        "lam": np.zeros((n, 0)),
        "R": np.broadcast_to(np.eye(3), (n, 3, 3)),
    }
    return TimeData(
        **{
            "arrays": values,
            "meta": {"status": "DONE", "settings": {"rho": 0.9}},
            "model": plain,
            "constants": arrays | {"events": np.array([0.5, -0.0, np.nan])},
            "columns": (
                Column("t", unit="s", meaning="time"), Column("q", (4,), unit="by coordinate"),
                Column("iterations", (), "int64"), Column("lam", (0,)), Column("R", (3, 3)),
            ),
        }
        | changes
    )  # fmt: skip


def assert_same(a: TimeData, b: TimeData) -> None:
    assert list(a.arrays) == list(b.arrays)
    for left, right in ((a.arrays, b.arrays), (a.constants, b.constants)):
        assert set(left) == set(right)
        for name, array in left.items():
            assert right[name].dtype == array.dtype
            assert right[name].shape == array.shape
            assert right[name].tobytes() == np.ascontiguousarray(array).tobytes()
    assert (a.meta, a.model, a.columns, a.note) == (b.meta, b.model, b.columns, b.note)


@pytest.mark.parametrize("compression", [0, 1, 9])
@pytest.mark.parametrize("n", [0, 1, 9])
def test_files_give_back_every_bit(n: int, compression: int, tmp_path: Path) -> None:
    data = example(n)
    path = write_time(data, tmp_path / "run.h5", compression=compression)
    assert_same(read_time(path), data)
    assert read_time(path).complete
    assert holds_time(path)


def test_pieces_and_batches_fit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timestore, "PIECE", 100)
    monkeypatch.setattr(timestore, "BATCH", 330)
    data = example(50)
    path = write_time(data, tmp_path / "run.h5")
    assert_same(read_time(path), data)
    with h5py.File(path) as file:
        assert file["steps/q"].chunks == (3, 4)
        assert file["steps/t"].chunks == (12,)


def test_file_describes_itself_to_other_programs(tmp_path: Path) -> None:
    with h5py.File(write_time(example(note="stopped"), tmp_path / "run.h5")) as file:
        assert (file.attrs["format"], file.attrs["kind"], file.attrs["note"]) == ("flexmbs result", "time", "stopped")
        assert "numpy" in json.loads(file.attrs["versions"])
        assert file.attrs["model_fingerprint"] == fingerprint(example().model)
        assert (file["steps/t"].attrs["unit"], file["steps/t"].attrs["description"]) == ("s", "time")
        assert json.loads(file["meta"].asstr()[()])["settings"] == {"rho": 0.9}
        assert json.loads(file["model"].asstr()[()])["items"][0]["name"] == "rod"


def journal_of(data: TimeData, path: Path, n: int) -> JournalWriter:
    writer = JournalWriter(path, data.columns, meta=data.meta, model=data.model, constants=data.constants)
    for i in range(n):
        writer.append({name: array[i] for name, array in data.arrays.items()})
    return writer


def test_journal_becomes_the_same_file_as_the_data(tmp_path: Path) -> None:
    data = example(20)
    writer = journal_of(data, tmp_path / "run.journal", 20)
    writer.finish({"status": "STOPPED"})
    path = close_journal(writer.path, tmp_path / "run.h5")
    assert not writer.path.exists()
    again = read_time(path)
    assert again.meta == {"status": "STOPPED", "settings": {"rho": 0.9}}
    assert_same(again, example(20, meta=again.meta))


def test_journal_of_a_killed_run_is_read_and_can_be_kept_as_a_file(tmp_path: Path) -> None:
    data = example(20)
    journal_of(data, tmp_path / "run.journal", 20).close()
    torn = tmp_path / "run.journal"
    torn.write_bytes(torn.read_bytes()[:-3])
    found = read_time(torn)
    assert not found.complete
    assert "with 19 stored states" in found.note
    assert "bytes of an unfinished record were left out" in found.note
    assert_same(found, example(20, arrays={k: a[:19] for k, a in data.arrays.items()}, note=found.note))
    assert holds_time(torn)
    path = close_journal(torn, tmp_path / "run.h5", keep=True)
    assert torn.exists()
    assert_same(read_time(path), found)


def test_failing_conversion_keeps_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal_of(example(), tmp_path / "run.journal", 9).finish()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(timestore, "_write_steps", fail)
    with pytest.raises(fx.FlexmbsError, match="No space left"):
        close_journal(tmp_path / "run.journal", tmp_path / "run.h5")
    assert [p.name for p in tmp_path.iterdir()] == ["run.journal"]
    assert read_journal(tmp_path / "run.journal").n_rows == 9


def test_model_is_rebuilt_or_compared(tmp_path: Path) -> None:
    data = read_time(write_time(example(), tmp_path / "run.h5"))
    model = model_of(data, classes=fx_elements())
    assert model.body("rod").mass == rod_model().body("rod").mass
    mine = rod_model()
    assert model_of(data, model=mine) is mine
    with pytest.raises(
        fx.ReadError, match=r"run\.h5 belongs to another model.*items\[2\] PointForce\.force\[1\]: -1\.0"
    ):
        model_of(data, tmp_path / "run.h5", model=rod_model(-2.0))
    with pytest.raises(fx.ReadError, match="no class ANCFCable2D"):
        model_of(data)


def fx_elements() -> list[type]:
    return [item for name in fx.elements.__all__ if isinstance(item := getattr(fx.elements, name), type)]


# --- what is refused -------------------------------------------------------------------------------------------------


def test_other_results_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "bent.h5"
    with sealed.sealed(path) as file:
        file.attrs["kind"] = "static"
    assert not holds_time(path)
    with pytest.raises(fx.ReadError, match="holds a result of the kind 'static', not results over time"):
        read_time(path)


def test_damaged_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = write_time(example(), tmp_path / "run.h5")
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    for read in (read_time, holds_time):
        with pytest.raises(fx.ReadError, match="damaged"):
            read(path)
        with pytest.raises(fx.ReadError, match="there is no file"):
            read(tmp_path / "other.h5")


@pytest.mark.parametrize("missing", ["steps/t", "model", "meta", "constants", "steps"])
def test_sealed_files_with_missing_contents_are_refused(missing: str, tmp_path: Path) -> None:
    whole, path = write_time(example(), tmp_path / "whole.h5"), tmp_path / "run.h5"
    with h5py.File(whole) as old, sealed.sealed(path) as new:
        new.attrs.update(old.attrs)
        for name in old:
            old.copy(name, new)
        del new[missing]
    with pytest.raises(fx.ReadError, match=r"run\.h5 does not hold what a result file should"):
        read_time(path)


def test_other_descriptions_under_the_seal_are_refused(tmp_path: Path) -> None:
    whole, path = write_time(example(), tmp_path / "whole.h5"), tmp_path / "run.h5"
    with h5py.File(whole) as old, sealed.sealed(path) as new:
        new.attrs.update(old.attrs)
        for name in old:
            old.copy(name, new)
        new.attrs["model_fingerprint"] = "0" * 64
    with pytest.raises(fx.ReadError, match="description of its model is not the one that was written"):
        read_time(path)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({"t": 0},), {}, "expected TimeData or a Journal"),
        ((example(),), {"compression": 10}, "compression must be at most 9"),
        ((example(),), {"compression": -1}, "compression must be at least 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments: Any, options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(fx.ModelError, match=message):
        write_time(*arguments, tmp_path / "run.h5", **options)
    with pytest.raises(fx.ModelError, match="must end in"):
        write_time(example(), tmp_path / "run.txt")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arrays": {"q": np.zeros((3, 2))}, "columns": ()}, "must hold the times 't'"),
        ({"arrays": {"t": np.zeros((3, 2))}, "columns": ()}, "must hold the times 't'"),
        ({"arrays": {"t": np.zeros(3), "q": np.zeros((2, 2))}, "columns": ()}, "q must have the shape"),
        ({"arrays": {"t": np.zeros(3), "q": np.zeros(3, np.float32)}, "columns": ()}, "dtype must be"),
        ({"arrays": {"t": np.zeros(3), "q": "text"}, "columns": ()}, "q must be an array of numbers"),
        ({"columns": (Column("t"),)}, "the columns are"),
        ({"meta": {"f": print}}, "only None"),
        ({"meta": 3}, "meta must be a mapping"),
        ({"constants": {"x": "text"}}, "x must be an array of numbers"),
    ],
)
def test_wrong_data_are_refused(changes: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        example(**changes)
