"""A study goes on from its file only if its functions do the same: text alone does not tell."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import LossWarning
from flexmbs.studies import Between, Evaluations, Family, Grid, Measure, Simulation, Study
from flexmbs.studies.digest import source_digest

FACTOR = 2.0


def ball(x: float = 0.5) -> fx.Model:
    return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="ball"))


def scaled(by: Any) -> Callable[[fx.TimeSolution], float]:
    return lambda run: float(np.sum(by)) * float(run.position("ball")[-1, 0])


def helped(run: fx.TimeSolution) -> float:
    return helper(run)


def helper(run: fx.TimeSolution) -> float:
    return FACTOR * float(run.position("ball")[-1, 0])


class Scaled:
    """A measure with a number of its own."""

    def __init__(self, by: float) -> None:
        self.by = by

    def __call__(self, run: fx.TimeSolution) -> float:
        return self.by * float(run.position("ball")[-1, 0])

    def other(self, run: fx.TimeSolution) -> float:
        return self(run)


def study(measure: Any) -> Study:
    return Study(Family(ball, x=Between(0.0, 1.0)), Grid(x=3), Measure("far", measure), Simulation(0.0))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (scaled(1.0), scaled(2.0)),
        (scaled([1.0, 2.0]), scaled([1.0, 3.0])),
        (scaled(np.arange(3.0)), scaled(np.arange(4.0))),
        (Scaled(1.0), Scaled(2.0)),
        (Scaled(1.0).other, Scaled(2.0).other),
        (partial(lambda run, by: by, by=1.0), partial(lambda run, by: by, by=2.0)),
    ],
    ids=["closure", "list", "array", "object", "method", "partial"],
)
def test_measures_of_one_text_are_told_apart(one: Any, other: Any, tmp_path: Path) -> None:
    """Before, the file of the one was taken for that of the other, with its numbers."""
    done = study(one).run(tmp_path / "a.h5", progress=False)
    with pytest.raises(fx.FlexmbsError, match="another study: it differs in measures"):
        study(other).run(tmp_path / "a.h5", progress=False)
    again = study(one).run(tmp_path / "a.h5", progress=False)
    np.testing.assert_array_equal(again["far"], done["far"])


def test_functions_and_numbers_that_are_called_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = source_digest(helped)
    assert source_digest(helped) == before
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    changed = source_digest(helped)
    assert changed != before
    monkeypatch.setitem(globals(), "helper", lambda run: 0.0)
    assert source_digest(helped) not in (before, changed)


def test_digests_are_those_of_other_processes() -> None:
    """Also where sets are listed in another order."""
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from flexmbs.studies.digest import source_digest\n"
        "from tests.studies import test_digest as t\n"
        "print(source_digest(t.helped), source_digest(t.scaled({'a', 'b', 'c'})), source_digest(t.Scaled(2.0)))"
    )
    root = Path(__file__).parents[2]
    found = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_evaluations_write_their_file_seldom_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    from flexmbs.studies import ask_tell

    written: list[int] = []
    genuine = ask_tell.write_kept
    monkeypatch.setattr(ask_tell, "write_kept", lambda *args: written.append(len(args[3])) or genuine(*args))  # type: ignore[func-returns-value]
    monkeypatch.setattr(ask_tell, "RARELY", 1e9)
    family, measure = Family(ball, x=Between(0.0, 1.0)), Measure("far", scaled(1.0))
    file = tmp_path / "runs.h5"
    runs = Evaluations(family, measure, Simulation(0.0), file)
    found = [runs([{"x": x / 10}])[0, 0] for x in range(8)]
    assert found == [x / 10 for x in range(8)]
    assert written == [1]  # after the first, of which it is not known how long writing takes
    with pytest.warns(LossWarning, match=r"lacks 7 runs that are in runs\.h5\.journal"):
        assert len(fx.studies.load(file)) == 1
    # as if the process had been killed: another one finds all in file and journal, and runs none of them again
    again = Evaluations(family, measure, Simulation(0.0), file)
    monkeypatch.setattr(ask_tell, "run_all", lambda *args: pytest.fail("a run was made again"))
    assert again([{"x": x / 10} for x in range(8)])[:, 0].tolist() == found
    monkeypatch.undo()
    assert again.results is not None
    assert again.results["far"].tolist() == found
    assert not (tmp_path / "runs.h5.journal").exists()
    again([{"x": 0.9}])
    del again, runs
    assert len(fx.studies.load(file)) == 9
    with pytest.raises(fx.FlexmbsError, match="another study"):
        Evaluations(family, Measure("far", scaled(2.0)), Simulation(0.0), file)([{"x": 0.5}])


@pytest.mark.parametrize("first", ["import tempfile; folder = tempfile.TemporaryDirectory()", ""])
@pytest.mark.parametrize("kept", ["runs", "{}"])
def test_the_end_of_a_program_loses_no_run(tmp_path: Path, first: str, kept: str) -> None:
    """Whoever has registered something for the end before: h5py writes nothing once its own turn has come."""
    script = tmp_path / "program.py"
    script.write_text(f"""{first}
import flexmbs as fx
from flexmbs.studies import Between, Evaluations, Family, Measure, Simulation, ask_tell
ask_tell.RARELY = 1e9
def ball(x=0.5):
    return fx.Model(fx.PointMass(1.0, position=(x, 0, 0), name="ball"))
def far(run):
    return run.position("ball")[-1, 0]
runs = Evaluations(Family(ball, x=Between(0.0, 1.0)), Measure("far", far), Simulation(0.0), "runs.h5")
for x in (0.1, 0.2, 0.3):
    runs([{{"x": x}}])
runs = {kept}
""")
    ended = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert fx.studies.load(tmp_path / "runs.h5")["far"].tolist() == [0.1, 0.2, 0.3]
    assert not (tmp_path / "runs.h5.journal").exists()


def test_a_builder_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not ended, but its run counts as too long, and is not simulated."""
    import time

    def slow(x: float = 0.5) -> fx.Model:
        if x > 0.9:
            time.sleep(0.3)
        return ball(x)

    family, measure = Family(slow, x=Between(0.0, 1.0)), Measure("far", scaled(1.0))
    done = Study(family, Grid(x=3), measure, Simulation(0.0), time_limit=0.2).run(progress=False)
    assert [run.ended.name for run in done] == ["DONE", "DONE", "TIMED_OUT"]
    assert "the builder took 0.3" in done[2].message
    assert np.isnan(done["far"][2])
