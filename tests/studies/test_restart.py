"""The same file to the bit whatever runs the study and however often it is interrupted; processes that are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from flexmbs.studies import Ended, Grid, Points, load
from flexmbs.studies import outcomes as outcomes_module
from flexmbs.studies.journal import Journal
from flexmbs.studies.outcomes import Outcome
from flexmbs.studies.study_file import open_kept, progress_of
from tests.models.study_families import sixty, study

pytest.importorskip("distributed")


def content(path: Path) -> dict[str, object]:
    """All that a file holds but for wall times."""
    with h5py.File(path) as file:
        found: dict[str, object] = {name: file[name][()].tolist() for name in file if name != "seconds"}
        return found | {"header": str(file.attrs["flexmbs_study"])}


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """The study made in this process."""
    path = tmp_path_factory.mktemp("alone") / "a.h5"
    sixty().run(path, progress=False)
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers(alone: Path, tmp_path: Path, workers: int) -> None:
    """NaN of failed runs are equal, too, as their text is."""
    sixty().run(tmp_path / "b.h5", workers=workers, progress=False)
    assert repr(content(tmp_path / "b.h5")) == repr(content(alone))


def test_started_over_twice(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted in this process, then killed with two workers, then let through."""
    path = tmp_path / "c.h5"
    genuine, count = outcomes_module.perform, [0]

    def interrupted(job: outcomes_module.Job) -> outcomes_module.Outcome:
        count[0] += 1
        if count[0] > 17:
            raise KeyboardInterrupt
        return genuine(job)

    with monkeypatch.context() as patch:
        patch.setattr(outcomes_module, "perform", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sixty().run(path, progress=False)
    assert progress_of(path).endswith("17 done, 43 missing; under way, or was interrupted")
    kill_parent(path, "sixty()", least=20)
    sixty().run(path, workers=2, progress=False)
    assert repr(content(path)) == repr(content(alone))
    assert not path.with_name("c.h5.journal").exists()


def kill_parent(path: Path, expression: str, least: int, beside: int = 0) -> None:
    """Start a study with two workers in a process of its own, and kill that once it has made some runs.

    ``beside``: so many runs at least are finished, and not in the journal.
    """
    script = (
        "from tests.models.study_families import *\n"
        f"if __name__ == '__main__':\n    {expression}.run({str(path)!r}, workers=2, progress=False)\n"
    )
    journal = path.with_name(f"{path.name}.journal")
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 120.0
        while process.poll() is None and time.monotonic() < end:
            waiting = 0
            for part in path.parent.glob(f"{journal.name}.run-*"):
                with suppress(FileNotFoundError):  # handed over in between
                    waiting += part.read_bytes().count(b"\n")
            if journal.exists() and journal.read_bytes().count(b"\n") > least and waiting >= beside:
                process.kill()
                break
            time.sleep(0.01)
        process.wait(60.0)
    assert process.returncode == -signal.SIGKILL
    assert journal.exists()


def finished(path: Path) -> set[str]:
    """Keys of all runs that are on the disk, in the journal and beside it."""
    lines = [line for part in path.parent.glob(f"{path.name}.journal*") for line in part.read_bytes().splitlines(True)]
    return {Outcome.of_line(line.decode()).key for line in lines if line.endswith(b"\n") and b'"key"' in line}


def test_what_workers_had_finished_is_kept(alone: Path, tmp_path: Path) -> None:
    """The parent is killed amid tasks of several runs: their outcomes, which it never got, are not made again."""
    before, in_journal = set[str](), 0
    for attempt in range(4):  # it may hand over just before it is killed
        path = tmp_path / f"{attempt}" / "f.h5"
        path.parent.mkdir()
        kill_parent(path, "sixty(pause=0.02)", least=4, beside=3)
        before = finished(path)
        in_journal = sum(1 for _ in Journal(path, sixty(pause=0.02).header).read())
        if len(before) > in_journal:
            break
    assert len(before) > in_journal
    kept = open_kept("Study", path, Journal(path, sixty(pause=0.02).header))
    assert before <= set(kept.ended)
    sixty(pause=0.02).run(path, workers=2, progress=False)
    there, here = content(path), content(alone)
    assert repr({k: v for k, v in there.items() if k != "header"}) == repr(
        {k: v for k, v in here.items() if k != "header"}
    )
    assert [each.name for each in path.parent.iterdir()] == ["f.h5"]


def test_files_beside_the_journal_that_are_damaged_do_no_harm(alone: Path, tmp_path: Path) -> None:
    path = tmp_path / "g.h5"
    kill_parent(path, "sixty(pause=0.02)", least=4)
    line = path.with_name("g.h5.journal").read_bytes().splitlines()[1]
    damaged = {
        "run-a": b"\x00\xff no text\n",
        "run-b": line[: len(line) // 2],
        "run-c": b'{"key": 3}\n[1]\n',
        "run-d": b"",
    }
    for name, content_of in damaged.items():
        path.with_name(f"g.h5.journal.{name}").write_bytes(content_of)
    sixty(pause=0.02).run(path, workers=2, progress=False)
    there, here = content(path), content(alone)
    assert repr({k: v for k, v in there.items() if k != "header"}) == repr(
        {k: v for k, v in here.items() if k != "header"}
    )
    assert [each.name for each in tmp_path.iterdir()] == ["g.h5"]


def test_sixty_runs_with_three_kills(tmp_path: Path) -> None:
    """Run 13 kills its worker, another worker gets SIGKILL, the parent is killed once: 59 results, one KILLED."""
    path, once = tmp_path / "d.h5", tmp_path / "killed"
    expression = f"sixty(13, {str(once)!r}, 0.02)"
    kill_parent(path, expression, least=8)
    done = sixty(13, str(once), 0.02).run(path, workers=2, progress=False)
    assert once.exists()
    ended = [run.ended for run in done]
    assert ended == [Ended.KILLED if i == 13 else Ended.DONE for i in range(60)]
    expected = study(samples=Grid(length=6, mass=10)).run(progress=False)["lowest"]
    found = done["lowest"]
    assert np.isnan(found[13])
    np.testing.assert_array_equal(np.delete(found, 13), np.delete(expected, 13))
    again = load(path)
    assert len(again) == 60
    assert not path.with_name("d.h5.journal").exists()


def test_killed_runs_are_tried_when_the_study_is_started_again(tmp_path: Path) -> None:
    """As the machine may have more memory by then."""
    path = tmp_path / "e.h5"
    short = sixty(1, samples=Points({"length": [0.7] * 3, "mass": [1.0, 1.0 + 2.0 / 9, 2.0]}))
    assert short.run(path, workers=1, progress=False)[1].ended is Ended.KILLED
    again = short.run(path, workers=1, progress=False)
    assert [run.ended for run in again] == [Ended.DONE, Ended.KILLED, Ended.DONE]
