"""Stresses over a run piece by piece: from a run, its file and its journal; files; bounded memory; refusals."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.io.journal_reader import is_journal
from flexmbs.linear.stresses import von_mises
from tests.models.floating import bar


def model() -> fx.Model:
    """A bar on a hinge."""
    body = fx.FloatingBody(bar(modes=1, stresses=True), reference="left", name="bar")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(body, hinge, fx.Gravity((0, 0, -9.81)))


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> tuple[Any, Path]:
    path = tmp_path_factory.mktemp("run") / "run.h5"
    return fx.simulate(model(), 0.1, step=2e-3, file=path), path


@pytest.mark.parametrize("states", [1, 7, None])
def test_pieces_are_the_whole(written: tuple[Any, Path], states: int | None) -> None:
    run, path = written
    whole = run.stresses("bar", nodes=[12, 3])
    for source in (run, path, str(path)):
        blocks = list(fx.io.stress_blocks(source, "bar", [12, 3], states=states))
        assert np.array_equal(np.concatenate([b.t for b in blocks]), run.t)
        found = np.concatenate([b.values for b in blocks])
        np.testing.assert_allclose(found, whole, rtol=0.0, atol=1e-12 * np.abs(whole).max())
        assert blocks[0].nodes.tolist() == [12, 3]
        assert max(len(b.t) for b in blocks) == (states or len(run))


def test_file(written: tuple[Any, Path], tmp_path: Path) -> None:
    run, path = written
    made = fx.io.write_stresses(tmp_path / "stress.h5", path, "bar", "right", states=10)
    whole = run.stresses("bar", nodes="right")
    with h5py.File(made) as file:
        assert np.array_equal(file["t"], run.t)
        assert np.abs(file["stresses"][()] - whole).max() <= 1e-12 * np.abs(whole).max()
        size = von_mises(whole, run.model.body("bar").reduced.stress_names)
        np.testing.assert_allclose(file["peaks"], size.max(axis=0), rtol=1e-12)
        assert np.array_equal(file["peak_times"], run.t[size.argmax(axis=0)])
        assert [n.decode() for n in file["names"]] == list(run.model.body("bar").reduced.stress_names)


def test_journal_of_a_run_that_was_killed(
    written: tuple[Any, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("flexmbs.io.time_files.close_journal", killed)
    with pytest.raises(RuntimeError):
        fx.simulate(model(), 0.1, step=2e-3, file=tmp_path / "run.h5")
    journal = tmp_path / "run.h5.journal"
    assert is_journal(journal)
    found = np.concatenate([b.values for b in fx.io.stress_blocks(journal, "bar", [12], states=9)])
    whole = written[0].stresses("bar", nodes=[12])
    np.testing.assert_allclose(found, whole, rtol=0.0, atol=1e-12 * np.abs(whole).max())


def test_memory_does_not_grow_with_the_run() -> None:
    """All nodes over runs of one and of three lengths."""
    peaks = []
    for until in (0.2, 0.6):
        run = fx.simulate(model(), until, step=1e-3, output=fx.Output(energy=False))
        for _ in fx.io.stress_blocks(run, "bar", states=20):
            pass
        tracemalloc.start()
        for _ in fx.io.stress_blocks(run, "bar", states=20):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_refusals(written: tuple[Any, Path], tmp_path: Path) -> None:
    run, _ = written
    with pytest.raises(ModelError, match="expected a FloatingBody, a LinearBody"):
        next(fx.io.stress_blocks(run, run.model.joints[0]))
    with pytest.raises(ModelError, match="states must be"):
        next(fx.io.stress_blocks(run, "bar", states=0))
    with pytest.raises(ModelError, match="path of a run"):
        next(fx.io.stress_blocks(3, "bar"))
    with pytest.raises(ReadError, match="no file"):
        next(fx.io.stress_blocks(tmp_path / "none.h5", "bar"))
    with pytest.raises(ModelError, match="must end in"):
        fx.io.write_stresses(tmp_path / "stress.csv", run, "bar")
    bare = fx.FloatingBody(bar(), name="bare")
    still = fx.simulate(fx.Model(bare), 0.01, step=1e-3)
    with pytest.raises(ModelError, match="made without stresses"):
        next(fx.io.stress_blocks(still, bare))
    assert not list(tmp_path.iterdir())
