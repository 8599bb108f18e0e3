"""Tables of histories: names, units and numbers survive the way into a CSV file and back."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.io.history_table import HistoryTable, components, read_history_table


def example() -> HistoryTable:
    columns = {
        "t": [0.0, 0.1, 0.2],
        "crank.position.x": [1.0, np.nan, -np.inf],
        "on": [True, False, True],
        "n": [1, 2, 3],
    }
    units = {"t": "s", "crank.position.x": "m"}
    return HistoryTable(columns, units, {"crank.position.x": "inertial"}, "slider crank")


def test_file_says_what_it_holds(tmp_path: Path) -> None:
    lines = example().to_csv(tmp_path / "a.csv").read_text().splitlines()
    assert lines == [
        "# flexmbs time histories: slider crank",
        "# column 0: t, unit s",
        "# column 1: crank.position.x, unit m, components in the frame inertial",
        "# column 2: on, unit -",
        "# column 3: n, unit -",
        "#",
        't [s],"crank.position.x [m, inertial]",on [-],n [-]',
        "0.0,1.0,True,1",
        "0.1,nan,False,2",
        "0.2,-inf,True,3",
    ]


def test_table_comes_back(tmp_path: Path) -> None:
    again = read_history_table(example().to_csv(tmp_path / "a.csv"))
    assert list(again) == list(example())
    assert (again.units, again.frames, again.title) == (example().units, example().frames, "slider crank")
    for name, array in example().items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name], array)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(values=st.lists(st.floats(), min_size=1), title=st.text().filter(str.strip))
def test_every_digit_comes_back(values: list[float], title: str, tmp_path: Path) -> None:
    try:
        table = HistoryTable({"x": values}, title=title)
    except fx.ModelError:
        return  # a title of several lines or with quotes
    again = read_history_table(table.to_csv(tmp_path / "a.csv"))
    np.testing.assert_array_equal(again["x"], values)
    assert np.signbit(again["x"]).tolist() == np.signbit(np.where(np.isnan(values), 0.0, values)).tolist()


def test_numpy_reads_it_as_the_docstring_says(tmp_path: Path) -> None:
    table = HistoryTable({"t": [0.0, 0.1], "x": [1 / 3, -2e-300]}, {"t": "s"}, {"x": "crank"})
    path = table.to_csv(tmp_path / "a.csv")
    read = np.loadtxt(path, delimiter=",", comments="#", skiprows=len(table) + 3)
    assert read.tolist() == [[0.0, 1 / 3], [0.1, -2e-300]]


def test_pandas_reads_it_and_gets_it(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = example()
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.labels)
    assert frame.attrs["frames"] == {"crank.position.x": "inertial"}
    read = pandas.read_csv(table.to_csv(tmp_path / "a.csv"), comment="#")
    pandas.testing.assert_frame_equal(read, frame)


def test_pandas_reads_names_with_signs_of_comments(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = HistoryTable({"t": np.arange(3.0), "arm #1.x": np.arange(3.0) / 7}, {"t": "s", "arm #1.x": "m"})
    path = table.to_csv(tmp_path / "a.csv")
    pandas.testing.assert_frame_equal(pandas.read_csv(path, skiprows=len(table) + 2), table.to_pandas())
    assert read_history_table(path).columns["arm #1.x"].tolist() == table.columns["arm #1.x"].tolist()


def test_missing_pandas_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(fx.ModelError, match="pandas is not installed, and flexmbs does not need it otherwise"):
        example().to_pandas()


def test_vectors_are_taken_apart() -> None:
    values = np.arange(6.0).reshape(2, 3)
    parts = components("tip", values)
    assert list(parts) == ["tip.x", "tip.y", "tip.z"]
    assert parts["tip.y"].tolist() == [1.0, 4.0]
    assert list(components("q", np.zeros((2, 4)))) == ["q.w", "q.x", "q.y", "q.z"]
    assert list(components("q", np.zeros((2, 5)))) == ["q.0", "q.1", "q.2", "q.3", "q.4"]
    assert list(components("f", np.zeros((2, 2)), ("normal", "along"))) == ["f.normal", "f.along"]
    assert list(components("angle", np.zeros(2))) == ["angle"]
    with pytest.raises(fx.ModelError, match="3 components, but 2 axes"):
        components("tip", values, ("x", "y"))
    with pytest.raises(fx.ModelError, match="not one of shape"):
        components("tip", np.zeros((2, 2, 2)))


def test_table_is_a_mapping_that_does_not_change() -> None:
    given_values = np.zeros(2)
    table = HistoryTable({"x": given_values})
    given_values[0] = 1.0
    assert table["x"].tolist() == [0.0, 0.0]
    assert (len(table), table.n_rows, "x" in table) == (1, 2, True)
    with pytest.raises(ValueError, match="read-only"):
        table["x"][0] = 1.0
    with pytest.raises(KeyError, match="there is no column named 'xx'"):
        table["xx"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "at least one"),
        ((3,), "columns must map names"),
        (({"x": [1.0], "y": [1.0, 2.0]},), "of one length"),
        (({"x": [[1.0]]},), "x must be an array of real numbers"),
        (({"x": [1j]},), "x must be an array of real numbers"),
        (({"x": ["a"]},), "x must be an array of real numbers"),
        (({"x": [[1.0], [1.0, 2.0]]},), "x must be an array of real numbers"),
        (({"x\ny": [1.0]},), "must be one line"),
        (({"x [m]": [1.0]},), "without brackets"),
        (({"": [1.0]},), "non-empty string"),
        (({"x": [1.0]}, {"y": "m"}), "no column named 'y'"),
        (({"x": [1.0]}, {"x": "m, s"}), "without commas"),
        (({"x": [1.0]}, {}, {"y": "inertial"}), "no column named 'y'"),
        (({"x": [1.0]}, {}, {}, "two\nlines"), "title must be one line"),
    ],
)
def test_wrong_tables_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        HistoryTable(*arguments)


HEAD = "# flexmbs time histories: a\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "t,x\n0,1\n",
        HEAD,
        f"{HEAD}t\n1\n",
        f"{HEAD}t [s]\nlate\n",
        f"{HEAD}t [s],x [m]\n1\n",
        f"{HEAD}t [s]\n1_0.5\n",
    ],
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(fx.ReadError, match=r"a\.csv"):
        read_history_table(tmp_path / "a.csv")
    with pytest.raises(fx.ReadError, match="No such file"):
        read_history_table(tmp_path / "b.csv")


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = example().to_csv(tmp_path / "a.csv")
    before = path.read_bytes()

    class Full:
        def writerow(self, row: Any) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(csv, "writer", lambda file, **options: Full())
    with pytest.raises(fx.FlexmbsError, match="No space left"):
        example().to_csv(path)
    assert path.read_bytes() == before
    with pytest.raises(fx.ModelError, match=r"must end in \.csv"):
        example().to_csv(tmp_path / "a.txt")
