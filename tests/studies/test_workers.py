"""Studies on several processes: the same numbers, and workers that die."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import Between, Ended, Family, Grid, Measure, Simulation, Study
from tests.models.study_families import killing, study

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    from flexmbs.studies.runner import workers_of

    with workers_of(2) as client:
        yield client


def test_same_file_on_two_workers(client, tmp_path) -> None:
    """All but the wall times, to the bit."""
    import h5py

    study().run(tmp_path / "here.h5", progress=False)
    study().run(tmp_path / "there.h5", workers=client, progress=False)
    with h5py.File(tmp_path / "here.h5") as here, h5py.File(tmp_path / "there.h5") as there:
        assert set(here) == set(there)
        assert here.attrs["flexmbs_study"] == there.attrs["flexmbs_study"]
        for name in set(here) - {"seconds"}:
            np.testing.assert_array_equal(here[name], there[name])


def test_workers_that_die(client, tmp_path) -> None:
    """A run that kills its worker twice is lost, one whose worker is killed once is made again; others have no harm."""
    once = tmp_path / "killed"
    few = Grid(length=1, mass=3)
    done = study(partial(killing, once=str(once)), few).run(tmp_path / "a.h5", workers=client, progress=False)
    assert once.exists()
    assert [run.ended for run in done] == [Ended.DONE, Ended.DONE, Ended.KILLED]
    assert "died, twice" in done[2].message
    expected = study(samples=few).run(progress=False)["lowest"]
    np.testing.assert_array_equal(done["lowest"][:2], expected[:2])


def test_a_builder_that_fails_in_the_middle_and_kills_its_process(client) -> None:
    """Samples are built by workers only, all of them."""
    import os

    parent = os.getpid()

    def built(x: float) -> fx.Model:
        if x == 0.5:
            raise ValueError("not here")
        if os.getpid() == parent:
            raise RuntimeError("in the calling process")
        if x == 0.0:
            os._exit(1)
        return fx.Model(fx.PointMass(2.0, position=(x, 0, 0), name="p"))

    where = Measure("x at the end", lambda run: run.position("p")[-1, 0])
    several = Study(Family(built, x=Between(0.0, 1.0)), Grid(x=3), where, Simulation(0.0))
    done = several.run(workers=client, progress=False)
    assert [run.ended for run in done] == [Ended.KILLED, Ended.INVALID, Ended.DONE]
