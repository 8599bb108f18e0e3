"""Running cases here and in processes; whatever one of them does, the others go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from flexmbs.core.errors import ModelError
from flexmbs.verification import CaseEntry, CaseResult, Listener, run_case, run_cases
from flexmbs.verification.collection import select
from flexmbs.verification.record import run_to_dict


class Recorder(Listener):
    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def begin(self, entry: CaseEntry) -> None:
        self.events.append(("begin", entry.id))

    def progress(self, entry: CaseEntry, message: str) -> None:
        self.events.append(("progress", message))

    def end(self, result: CaseResult) -> None:
        self.events.append(("end", result.entry.id))


def test_case_that_passes(samples: ModuleType) -> None:
    result = run_case(samples.PASSES)
    assert result.status == "pass"
    assert result.error is None
    assert result.failures == ()
    assert result.quantities[0].value == pytest.approx(1.7183, abs=1e-4)
    assert result.convergence[0].rate == pytest.approx(2.0, abs=0.01)
    assert result.wall_s > 0.0
    assert result.pictures == ()


def test_case_that_fails_keeps_its_numbers_and_warnings(samples: ModuleType) -> None:
    result = run_case(samples.entry(samples.FAILS))
    assert result.status == "fail"
    assert [quantity.passed for quantity in result.quantities] == [False, True, False]
    assert len(result.failures) == 2
    assert "2.1 against 2" in result.failures[0]
    assert result.warnings == ("UserWarning: this one is known to be off",)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("RAISES", "ZeroDivisionError: nothing to divide by"),
        ("LEAVES", "SystemExit: 0"),
        ("UNCERTAIN", "too uncertain"),
        ("NOTHING", "measured nothing"),
    ],
)
def test_case_that_cannot_be_evaluated(samples: ModuleType, name: str, error: str) -> None:
    result = run_case(getattr(samples, name))
    assert result.status == "error"
    assert result.error is not None
    assert error in result.error


def test_traceback_is_kept(samples: ModuleType) -> None:
    trace = run_case(samples.RAISES).traceback
    assert trace is not None
    assert "raise ZeroDivisionError" in trace


def test_case_that_returns_something_else(samples: ModuleType) -> None:
    result = run_case(replace(samples.PASSES, run=lambda progress: {}))
    assert result.status == "error"
    assert result.error is not None
    assert "must return an Outcome" in result.error


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"title": "Other"}, "the list gives its title as 'Other'"),
        ({"slow": True}, "the list gives its slow as True"),
        ({"target": "sample_cases:trapezoidal_rule"}, "must be a Case"),
        ({"target": "sample_cases:NONE"}, "must be a Case"),
        ({"target": "no_such_module:CASE"}, "there is no module no_such_module"),
    ],
)
def test_list_that_disagrees_with_the_case(samples: ModuleType, change: dict[str, object], error: str) -> None:
    result = run_case(replace(samples.entry(samples.PASSES), **change))
    assert result.status == "error"
    assert result.error is not None
    assert error in result.error


def test_events_in_this_process(samples: ModuleType) -> None:
    recorder = Recorder()
    run_cases([samples.PASSES, samples.RAISES], listener=recorder)
    assert recorder.events[:2] == [("begin", "passes"), ("progress", "4 intervals")]
    assert recorder.events[-3:] == [("end", "passes"), ("begin", "raises"), ("end", "raises")]


def test_interruption_keeps_what_is_done(samples: ModuleType) -> None:
    run = run_cases([samples.PASSES, samples.INTERRUPTED, samples.FAILS])
    assert run.interrupted
    assert [result.entry.id for result in run.results] == ["passes"]
    assert [entry.id for entry in run.not_run] == ["interrupted", "fails"]
    assert not run.passed


def test_processes_survive_a_case_that_dies(samples: ModuleType) -> None:
    recorder = Recorder()
    names = ("DIES", "PASSES", "RAISES", "FAILS")
    cases = [samples.entry(getattr(samples, name)) for name in names]
    unsendable = replace(samples.PASSES, id="unsendable", run=lambda progress: None)
    run = run_cases([*cases, unsendable], jobs=2, listener=recorder)
    assert [result.entry.id for result in run.results] == ["dies", "passes", "raises", "fails", "unsendable"]
    assert [result.status for result in run.results] == ["error", "pass", "error", "fail", "error"]
    assert run.results[0].error == "the process running the case ended with exit code 7 before the case was done."
    assert "module-level" in (run.results[4].error or "")
    assert ("progress", "64 intervals") in recorder.events
    assert not run.interrupted


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True, "2"])
def test_number_of_processes_is_checked(jobs: object) -> None:
    with pytest.raises(ModelError, match="jobs"):
        run_cases([], jobs=jobs)  # type: ignore[arg-type]


def test_something_else_than_a_case_is_refused() -> None:
    with pytest.raises(ModelError, match="must be a Case or a CaseEntry, not 's01'"):
        run_cases(["s01"])  # type: ignore[list-item]


def test_selection_by_id_and_area(samples: ModuleType) -> None:
    entries = tuple(samples.entry(case) for case in (samples.PASSES, samples.FAILS, samples.RAISES, samples.DIES))

    def chosen(*names: str, slow: bool = False, basic: bool = False) -> list[str]:
        return [entry.id for entry in select(names, slow=slow, basic=basic, entries=entries)]

    assert chosen() == ["passes", "fails", "raises"]
    assert chosen(slow=True) == ["passes", "fails", "raises", "dies"]
    assert chosen("TROUBLE", "Passes") == ["passes", "raises"]
    assert chosen("trouble", slow=True) == ["raises", "dies"]
    assert chosen("dies") == ["dies"]
    assert chosen(basic=True) == []
    entries = (replace(entries[0], basic=True), *entries[1:])
    assert chosen(basic=True) == ["passes"]
    assert chosen("trouble", basic=True) == ["raises"]
    with pytest.raises(ModelError, match="'pases'; did you mean 'passes'"):
        chosen("pases")


def test_record_is_json_with_the_agreed_keys(samples: ModuleType) -> None:
    record = json.loads(
        json.dumps(run_to_dict(run_cases([samples.PASSES, samples.FAILS, samples.RAISES])), allow_nan=False)
    )
    passes, fails, raises = record["cases"]
    assert {"id", "status", "wall_s", "compile_s", "quantities", "convergence"} <= set(passes)
    names = {"name", "unit", "value", "reference", "source", "uncertainty", "error", "tolerance", "passed"}
    assert set(passes["quantities"][0]) == names
    assert passes["quantities"][0]["error"] <= passes["quantities"][0]["tolerance"]
    study = passes["convergence"][0]
    assert study["measured"] == pytest.approx(2.0, abs=0.01)
    assert (study["expected"], study["minimum"], study["passed"]) == (2.0, 1.9, True)
    assert fails["quantities"][2]["value"] is None
    assert raises["status"] == "error"
    assert "ZeroDivisionError" in raises["traceback"]
    assert record["summary"] == {"pass": 1, "fail": 1, "error": 1}
    assert "numpy" in record["versions"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
def test_keyboard_interruption_with_processes(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import signal\nimport sample_cases as s\nfrom flexmbs.verification import run_cases\n"
        "if __name__ == '__main__':\n"
        # a shell starts commands in the background with interruptions ignored, and so would this process
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    run = run_cases([s.entry(s.PASSES), s.entry(s.SLEEPS)], jobs=2, listener=s.Announcer())\n"
        "    print(run.interrupted, [r.entry.id for r in run.results], [e.id for e in run.not_run])\n"
    )
    paths = [str(Path(__file__).parent / "samples"), *sys.path]
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert process.stdout is not None
    seen = set()
    while not {"passes done", "sleeps sleeping"} <= seen:
        line = process.stdout.readline()
        assert line
        seen.add(line.strip())
    time.sleep(1.0)  # until the process waits again: within a destructor Python drops the interruption
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.strip() == "True ['passes'] ['sleeps']"
    assert err == ""
