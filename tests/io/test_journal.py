"""Journals: whatever ends the process or the file, exactly the whole records come back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.io import journal as layout
from flexmbs.io.journal import JournalWriter
from flexmbs.io.journal_reader import Journal, continue_journal, is_journal, read_journal
from flexmbs.io.time_data import Column

COLUMNS = (Column("t"), Column("q", (2, 3), unit="m"), Column("none", (0,)), Column("iterations", (), "int64"))
RECORD = 24 + 8 * (1 + 6 + 0 + 1) + 8


def step(i: int) -> dict[str, Any]:
    return {"t": 0.5 * i, "q": np.arange(6.0).reshape(2, 3) + i, "none": np.zeros(0), "iterations": 3 * i}


def written(path: Path, n: int = 5, checkpoint_after: int | None = None, **options: Any) -> Path:
    """A journal that was not finished."""
    with JournalWriter(path, COLUMNS, meta={"rho": 0.9}, model=["a", "model"], **options) as journal:
        for i in range(n):
            journal.append(step(i))
            if i + 1 == checkpoint_after:
                journal.put("checkpoint", {"h": 0.25 * i}, {"step": i})
    return path


def assert_steps(journal: Journal, n: int) -> None:
    assert journal.n_rows == n
    rows = journal.rows(0, n)
    assert rows["t"].tolist() == [0.5 * i for i in range(n)]
    np.testing.assert_array_equal(rows["q"], np.arange(6.0).reshape(2, 3) + np.arange(n)[:, None, None])
    assert rows["none"].shape == (n, 0)
    assert rows["iterations"].tolist() == [3 * i for i in range(n)]
    assert rows["iterations"].dtype == np.int64


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    journal = read_journal(written(tmp_path / "a.journal", constants={"points": np.eye(2)}))
    assert_steps(journal, 5)
    assert journal.columns == COLUMNS
    assert journal.meta == {"rho": 0.9}
    assert journal.model == ["a", "model"]
    assert journal.constants["points"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert (journal.torn_bytes, journal.damage, journal.complete) == (0, "", False)
    assert "not closed, with 5 stored states" in journal.note
    data = journal.to_time_data()
    assert data.n_rows == 5
    assert not data.complete
    assert data.columns[1].unit == "m"


def test_parts_are_read_across_other_records(tmp_path: Path) -> None:
    journal = read_journal(written(tmp_path / "a.journal", 7, checkpoint_after=3))
    assert journal.rows(1, 5)["t"].tolist() == [0.5, 1.0, 1.5, 2.0]
    assert journal.rows(2, 3)["t"].tolist() == [1.0]
    assert journal.rows(4, 4)["q"].shape == (0, 2, 3)
    assert journal.rows(5, 99)["t"].tolist() == [2.5, 3.0]


def test_finished_journals_carry_what_was_known_last(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "a.journal", COLUMNS, meta={"rho": 0.9}, constants={"points": [1.0]})
    journal.append(step(0))
    journal.finish({"status": "DONE"}, {"events": [0.5]})
    again = read_journal(journal.path)
    assert again.complete
    assert again.note == ""
    assert again.meta == {"rho": 0.9, "status": "DONE"}
    assert sorted(again.constants) == ["events", "points"]


def test_latest_arrays_of_a_label_count(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "a.journal", COLUMNS) as journal:
        for i in range(3):
            journal.append(step(i))
            journal.put("checkpoint", {"alpha": np.full(2, float(i))}, {"step": i})
        journal.put("other", {"x": np.array([-0.0])})
    again = read_journal(journal.path)
    assert again.labels == ("checkpoint", "other")
    arrays, meta = again.latest("checkpoint")
    assert arrays["alpha"].tolist() == [2.0, 2.0]
    assert meta == {"step": 2}
    with pytest.raises(fx.ReadError, match=r"has no 'state'; it has \['checkpoint', 'other'\]"):
        again.latest("state")


def test_layout_is_the_documented_one(tmp_path: Path) -> None:
    data = written(tmp_path / "a.journal", 2).read_bytes()
    assert data[:8] == b"FMBSJRNL"
    start = 24 + int.from_bytes(data[16:24], "little")
    assert len(data) == start + 2 * RECORD
    second = data[start + RECORD :]
    assert second[:4] == b"STEP"
    assert int.from_bytes(second[16:24], "little") == 1
    assert np.frombuffer(second[24:32], "<f8")[0] == 0.5
    assert second[-4:] == b"DONE"


# --- ends at any byte ------------------------------------------------------------------------------------------------


def test_every_truncation_leaves_exactly_the_whole_records(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.journal", 4).read_bytes()
    path = tmp_path / "torn.journal"
    begin = len(whole) - 2 * RECORD
    for size in range(begin, len(whole) + 1):
        path.write_bytes(whole[:size])
        journal = read_journal(path)
        assert_steps(journal, 2 + (size - begin) // RECORD)
        assert journal.torn_bytes == (size - begin) % RECORD
        assert journal.damage == ""


def test_every_truncation_of_a_checkpoint_leaves_the_one_before(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "a.journal", COLUMNS) as journal:
        journal.put("checkpoint", {"h": 1.0})
        journal.append(step(0))
        before = read_journal(journal.path).whole_bytes
        journal.put("checkpoint", {"h": 2.0})
    whole = journal.path.read_bytes()
    before += RECORD  # the step was handed over with the checkpoint
    for size in range(before, len(whole)):
        journal.path.write_bytes(whole[:size])
        again = read_journal(journal.path)
        assert_steps(again, 1)
        assert float(again.latest("checkpoint").arrays["h"]) == 1.0
        assert again.torn_bytes == size - before
    journal.path.write_bytes(whole)
    assert float(read_journal(journal.path).latest("checkpoint").arrays["h"]) == 2.0


def test_every_truncation_of_the_header_is_told(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.journal", 0).read_bytes()
    path = tmp_path / "torn.journal"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(fx.ReadError, match=r"torn\.journal (is empty|ends within its header)"):
            read_journal(path)


@pytest.mark.parametrize("tail", [b"\0" * 500, b"STEP" * 40, os.urandom(300)])
def test_what_a_power_loss_may_leave_behind_is_left_out(tail: bytes, tmp_path: Path) -> None:
    path = written(tmp_path / "a.journal")
    with path.open("ab") as file:
        file.write(tail)
    journal = read_journal(path)
    assert_steps(journal, 5)
    assert journal.torn_bytes == len(tail)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_flipped_bits_are_never_taken_for_results(data: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    content = bytearray(written(path, 5, checkpoint_after=2, replace=True).read_bytes())
    start = 24 + int.from_bytes(content[16:24], "little")
    checkpoint = len(content) - start - 5 * RECORD
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    if at < start:
        with pytest.raises(fx.ReadError, match=r"a\.journal"):
            read_journal(path)
        return
    journal = read_journal(path)
    second = start + 2 * RECORD
    hit = (at - start) // RECORD if at < second else 2 + max(0, at - second - checkpoint) // RECORD
    assert_steps(journal, hit)
    last = hit == 4
    assert bool(journal.damage) is not last
    assert (f"the record at byte {journal.whole_bytes} is not what was written" in journal.note) is not last


CHILD = """
import sys
import numpy as np
from flexmbs.io.journal import JournalWriter
from flexmbs.io.time_data import Column
journal = JournalWriter(sys.argv[1], [Column("t"), Column("q", (500,))], flush_records=7)
i = 0
while True:
    journal.append({"t": float(i), "q": np.full(500, float(i))})
    i += 1
    if i % 100 == 0:
        journal.put("checkpoint", {"step": i})
        print(i, flush=True)
"""


def test_killed_process_loses_only_what_it_had_not_handed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = 0
        while told < 500:
            told = int(child.stdout.readline())
        time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        told = max([told, *(int(line) for line in child.stdout.read().split())])
    assert child.returncode == -signal.SIGKILL
    journal = read_journal(path)
    assert journal.n_rows >= told  # every step before a checkpoint that was reported
    rows = journal.rows(0, journal.n_rows)
    np.testing.assert_array_equal(rows["t"], np.arange(journal.n_rows))
    np.testing.assert_array_equal(rows["q"], np.broadcast_to(rows["t"][:, None], (journal.n_rows, 500)))
    assert int(journal.latest("checkpoint").arrays["step"]) in (told, told + 100)
    assert journal.damage == ""


# --- going on --------------------------------------------------------------------------------------------------------


def test_going_on_gives_the_same_file_as_never_having_stopped(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole.journal", 8, checkpoint_after=3).read_bytes()
    path = written(tmp_path / "a.journal", 6, checkpoint_after=3)
    path.write_bytes(path.read_bytes()[:-5])
    writer, before = continue_journal(path, "checkpoint")
    assert_steps(before, 3)
    assert before.latest("checkpoint").meta == {"step": 2}
    assert writer.n_rows == 3
    with writer:
        for i in range(3, 8):
            writer.append(step(i))
    assert path.read_bytes() == whole
    assert_steps(read_journal(path), 8)


def test_going_on_needs_a_checkpoint(tmp_path: Path) -> None:
    path = written(tmp_path / "a.journal", 6)
    with pytest.raises(fx.ReadError, match="has no 'checkpoint'"):
        continue_journal(path, "checkpoint")
    assert_steps(read_journal(path), 6)


# --- the buffer ------------------------------------------------------------------------------------------------------


def test_steps_are_collected_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(layout.time, "monotonic", lambda: now)
    with JournalWriter(tmp_path / "a.journal", COLUMNS, flush_seconds=0.2) as journal:
        start = journal.path.stat().st_size
        journal.append(step(0))
        now = 100.1
        journal.append(step(1))
        assert journal.path.stat().st_size == start
        now = 100.2
        journal.append(step(2))
        assert journal.path.stat().st_size == start + 3 * RECORD
        journal.append(step(3))
        assert journal.path.stat().st_size == start + 3 * RECORD
        journal.flush()
        assert journal.path.stat().st_size == start + 4 * RECORD


def test_number_of_collected_steps_is_bounded(tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "a.journal", COLUMNS, flush_seconds=1e9, flush_records=2) as journal:
        start = journal.path.stat().st_size
        for n, records in ((1, 0), (2, 2), (3, 2), (4, 4)):
            journal.append(step(n - 1))
            assert journal.path.stat().st_size == start + records * RECORD


@pytest.mark.parametrize("sync", [False, True])
def test_the_disk_is_waited_for_on_request(sync: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    with JournalWriter(tmp_path / "a.journal", COLUMNS, sync=sync) as journal:
        journal.append(step(0))
        journal.flush()
    assert len(calls) == (3 if sync else 1)  # header, step; and always the end


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: write(file, bytes(data[:13]), place))
    assert_steps(read_journal(written(tmp_path / "a.journal")), 5)


def test_full_disk_is_told_and_leaves_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = JournalWriter(tmp_path / "a.journal", COLUMNS, flush_records=1)
    journal.append(step(0))
    write = os.pwrite

    def fill(file: int, data: Any, place: int) -> int:
        if len(data) < 50:
            raise OSError(28, "No space left on device")
        return write(file, bytes(data[:50]), place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", fill)
        with pytest.raises(fx.FlexmbsError, match=r"a\.journal: cannot be written: No space left"):
            journal.append(step(1))
    with pytest.raises(fx.FlexmbsError, match="is closed"):
        journal.append(step(2))
    journal.close()
    again = read_journal(journal.path)
    assert_steps(again, 1)
    assert again.torn_bytes == 50


@pytest.mark.parametrize("after", [False, True])
def test_interrupted_writes_are_done_again(after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite

    def interrupted(file: int, data: Any, place: int) -> int:
        if after:
            write(file, data, place)
        raise KeyboardInterrupt

    journal = JournalWriter(tmp_path / "a.journal", COLUMNS, flush_records=2)
    journal.append(step(0))
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.append(step(1))
        with pytest.raises(KeyboardInterrupt):
            journal.append(step(2))
    journal.append(step(2))
    journal.append(step(3))
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", interrupted)
        with pytest.raises(KeyboardInterrupt):
            journal.put("checkpoint", {"h": np.zeros(400)})
    journal.finish({"status": "INTERRUPTED"})
    again = read_journal(journal.path)
    assert_steps(again, 4)
    assert again.labels == ("end",)
    assert again.complete
    assert again.meta == {"status": "INTERRUPTED"}


def test_forgotten_journals_hand_over_what_they_have(tmp_path: Path) -> None:
    journal = JournalWriter(tmp_path / "a.journal", COLUMNS)
    journal.append(step(0))
    del journal
    assert_steps(read_journal(tmp_path / "a.journal"), 1)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": np.zeros(1)}, r"t must be float64 of shape \(\)"),
        ({"q": np.zeros(3)}, r"q must be float64 of shape \(2, 3\)"),
        ({"q": 1.0}, r"q must be float64 of shape \(2, 3\)"),
        ({"t": 1j}, "t must be float64"),
        ({"t": "late"}, "t must be float64"),
        ({"iterations": 2.0}, "iterations must be int64"),
        ({"extra": 1.0}, "a step has"),
    ],
)
def test_steps_that_do_not_fit_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with JournalWriter(tmp_path / "a.journal", COLUMNS) as journal:
        with pytest.raises(fx.ModelError, match=message):
            journal.append(step(0) | change)
        with pytest.raises(fx.ModelError, match="a step lacks 'q'"):
            journal.append({("p" if k == "q" else k): v for k, v in step(0).items()})
        journal.append(step(0))
    assert_steps(read_journal(journal.path), 1)


def test_older_journals_are_not_overwritten_unless_asked(tmp_path: Path) -> None:
    path = written(tmp_path / "a.journal", 3)
    with pytest.raises(fx.FlexmbsError, match="exists already, perhaps from a run that was interrupted"):
        JournalWriter(path, COLUMNS)
    assert_steps(read_journal(path), 3)
    assert_steps(read_journal(written(path, 1, replace=True)), 1)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((None, COLUMNS), {}, "path must be"),
        (("x.journal", []), {}, "columns must be Column objects"),
        (("x.journal", [Column("t"), Column("t")]), {}, "columns must be Column objects of different names"),
        (("x.journal", ["t"]), {}, "columns must be Column objects"),
        (("x.journal", COLUMNS), {"flush_seconds": -1.0}, "flush_seconds must be at least 0"),
        (("x.journal", COLUMNS), {"flush_records": 0}, "flush_records must be at least 1"),
        (("x.journal", COLUMNS), {"meta": {"f": print}}, "only None, truth values"),
        (("x.journal", COLUMNS), {"model": float("nan")}, "only None, truth values"),
    ],
)
def test_wrong_writers_are_refused(
    arguments: Any, options: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fx.ModelError, match=message):
        JournalWriter(*arguments, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "name must be"),
        (("a/b",), "must not hold '/'"),
        (("t", (-1,)), "at least 0"),
        (("t", 3), "shape must be a tuple"),
        (("t", (), "float32"), "dtype must be"),
        (("t", (), "float64", 3), "unit must be a string"),
    ],
)
def test_wrong_columns_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        Column(*arguments)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with pytest.raises(fx.ReadError, match="no such file"):
        read_journal(path)
    with pytest.raises(fx.ReadError, match="is a folder"):
        read_journal(tmp_path)
    with pytest.raises(fx.ReadError, match="path must be"):
        read_journal(3)  # type: ignore[arg-type]
    path.write_text("t, x\n0, 1\n")
    with pytest.raises(fx.ReadError, match="is not a journal of flexmbs"):
        read_journal(path)
    assert not is_journal(path)
    assert is_journal(written(tmp_path / "b.journal"))


def test_newer_formats_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "a.journal")
    content = bytearray(path.read_bytes())
    content[8] = 2
    path.write_bytes(content)
    with pytest.raises(fx.ReadError, match="format version 2, but this flexmbs reads versions up to 1"):
        read_journal(path)
