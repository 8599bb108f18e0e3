"""The command line: what it prints, where, and its exit status."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import flexmbs.verification.collection as case_list
from flexmbs.cli.main import main
from flexmbs.verification.terminal import TerminalListener

SAMPLES = Path(__file__).parents[1] / "verification" / "samples"


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The artificial cases in the place of the real ones."""
    monkeypatch.syspath_prepend(str(SAMPLES))
    import sample_cases

    names = ("PASSES", "FAILS", "RAISES", "DIES")
    entries = tuple(sample_cases.entry(getattr(sample_cases, name)) for name in names)
    monkeypatch.setattr(case_list, "all_cases", lambda: entries)
    return sample_cases


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from flexmbs.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit as end: assert end.code == 0\n"
        "heavy = {'numpy', 'numba', 'scipy', 'matplotlib', 'meshio', 'h5py'} & set(sys.modules)\n"
        "assert not heavy - {'numpy'}, heavy"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert "verify" in done.stdout


def test_list_imports_no_case_and_no_compiler() -> None:
    code = (
        "import sys; from flexmbs.cli.main import main\nstatus = main(['verify', '--list'])\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'meshio', 'h5py'} & set(sys.modules)\n"
        "assert status == 0 and not heavy, heavy\n"
        "assert not [m for m in sys.modules if m.startswith('flexmbs.verification.cases.')]"
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("flexmbs ")


def test_info_names_versions_and_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for name in ("flexmbs", "python", "numpy", "numba", "CHOLMOD", "SuperLU", "processors", "numba cache"):
        assert name in out


def test_list(samples: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--list", "trouble"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "trouble",
        "  raises  A case <that> raises & stops",
        "  dies    A case that dies  (slow)",
    ]


def test_passing_case_exits_with_0(samples: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "PASSES", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "✓ pass" in out
    assert "1 of 1 cases passed" in out
    assert "\x1b" not in out
    assert "\r" not in out


def test_failing_or_raising_cases_exit_with_1(samples: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "fails", "--jobs", "1"]) == 1
    assert "sum: 2.1 against 2, error 1.00e-01 > 2.00e-03" in capsys.readouterr().out
    assert main(["verify", "raises", "--jobs", "1"]) == 1
    assert "ZeroDivisionError: nothing to divide by" in capsys.readouterr().out


def test_details_print_every_number(samples: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "passes", "--jobs", "1", "--details"]) == 0
    out = capsys.readouterr().out
    assert "integral: 1.718316787 m, reference 1.718281828" in out
    assert "Errors by refinement" in out
    assert "integral: order 2.00, expected 2, least 1.9" in out


def test_report_and_record(samples: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, record = tmp_path / "a" / "report", tmp_path / "b" / "record.json"
    arguments = ["verify", "numerics", "--jobs", "1", "--report", str(report), "--json", str(record)]
    assert main(arguments) == 1
    out = capsys.readouterr().out
    assert str(report / "index.html") in out
    assert [case["status"] for case in json.loads(record.read_text())["cases"]] == ["pass", "fail"]
    assert "<svg" in (report / "case-passes.html").read_text()


def test_unknown_names_are_mistakes(samples: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "pases"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(
        "flexmbs: there is no verification case or area named 'pases'; did you mean 'passes'"
    )
    assert captured.err.count("\n") == 1


def test_area_with_slow_cases_only(
    samples: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(case_list, "all_cases", lambda: (samples.entry(samples.DIES),))
    assert main(["verify", "trouble"]) == 2
    assert "--slow" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--report", "--json"])
def test_places_that_cannot_be_written(
    samples: ModuleType, tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["verify", "passes", option, str(tmp_path / "file" / "below")]) == 2
    captured = capsys.readouterr()
    assert "cannot write" in captured.err
    assert captured.out == ""
    if option == "--json":
        assert main(["verify", "passes", option, str(tmp_path)]) == 2


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5"])
def test_number_of_jobs_is_checked(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["verify", "--jobs", jobs])
    assert end.value.code == 2
    assert "whole number" in capsys.readouterr().err


def test_mesh_file_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "square.vtk"
    points = "0 0 0 2 0 0 2 1 0 0 1 0"
    path.write_text(
        f"# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n{points}\n"
        "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n"
    )
    assert main(["mesh", str(path)]) == 0
    out = capsys.readouterr().out
    assert "quad" in out
    assert "4 " in out


def test_mesh_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mesh", str(tmp_path / "none.msh")]) == 2
    err = capsys.readouterr().err
    assert "none.msh" in err
    assert "Traceback" not in err


def test_reader_that_goes_away() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "flexmbs", "info"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=30) == 1


def test_terminal_shows_what_is_running(samples: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    entry = samples.entry(samples.PASSES)
    listener = TerminalListener([entry], stream)
    listener.begin(entry)
    listener.close()
    assert "[0/1] passes" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[2K")
    assert "\x1b[1mcase" in stream.getvalue()
