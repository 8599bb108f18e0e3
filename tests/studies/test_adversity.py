"""What a study meets on real machines: no worker, a scheduler that goes, a full disk; what was done is kept."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.studies import Ended, Grid, Measure, Simulation, Study, load
from flexmbs.studies import runner as runner_module
from tests.models.study_families import bob, family, lowest, sixty, study

distributed = pytest.importorskip("distributed")

CLUSTER = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "silence_logs": 50}


def test_no_worker_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler is there, but its workers are still in the queue of the cluster."""
    monkeypatch.setattr(runner_module, "PATIENCE", 1.0)
    with distributed.LocalCluster(n_workers=0, **CLUSTER) as cluster, distributed.Client(cluster) as client:
        with pytest.raises(fx.FlexmbsError, match="no worker for 1 s"):
            study().run(tmp_path / "a.h5", workers=client, progress=False)
        assert [run.ended for run in load(tmp_path / "a.h5")] == [Ended.MISSING] * 6
        cluster.scale(1)
        client.wait_for_workers(1, timeout=60)
        done = study().run(tmp_path / "a.h5", workers=client, progress=False)
    np.testing.assert_array_equal(done["lowest"], study().run(progress=False)["lowest"])


def test_workers_that_come_later(tmp_path: Path) -> None:
    """Within the time that is waited for them."""
    with distributed.LocalCluster(n_workers=0, **CLUSTER) as cluster, distributed.Client(cluster) as client:
        threading.Timer(0.5, cluster.scale, (2,)).start()
        done = study().run(workers=client, progress=False)
    assert not done.failed


def test_scheduler_that_goes(tmp_path: Path) -> None:
    """The job of the scheduler ends before the study does."""
    path = tmp_path / "b.h5"
    long = sixty(pause=0.1)
    with distributed.LocalCluster(n_workers=2, **CLUSTER) as cluster, distributed.Client(cluster) as client:
        journal = path.with_name("b.h5.journal")

        def end() -> None:
            limit = time.monotonic() + 60.0
            while time.monotonic() < limit and (not journal.exists() or journal.read_bytes().count(b"\n") < 5):
                time.sleep(0.02)
            cluster.close()

        ending = threading.Thread(target=end)
        ending.start()
        with pytest.raises(fx.FlexmbsError, match=r"Dask was lost|no worker"):
            long.run(path, workers=client, progress=False)
        ending.join()
    kept = load(path)
    made = [run for run in kept if run.ended is Ended.DONE]
    assert 4 <= len(made) < 60
    done = long.run(path, progress=False)
    np.testing.assert_array_equal(done["lowest"], study(samples=Grid(length=6, mass=10)).run(progress=False)["lowest"])


FULL = """
import resource, signal, sys
import flexmbs as fx
from tests.models.study_families import sixty
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    sixty().run(sys.argv[1], progress=False)
except fx.FlexmbsError as error:
    print(error)
    sys.exit(7)
"""


@pytest.mark.parametrize("of", ["journal", "file"])
def test_disk_that_is_full(tmp_path: Path, of: str) -> None:
    """The system refuses a journal, or the file made of it, beyond some size; with room, the study goes on."""
    sixty().run(tmp_path / "whole.h5", progress=False)
    room, least = (9000, 3) if of == "journal" else ((tmp_path / "whole.h5").stat().st_size - 4096, 60)
    path = tmp_path / "c.h5"
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(room)], capture_output=True, text=True, check=False
    )  # fmt: skip
    assert ended.returncode == 7, ended.stderr
    assert "What was done is kept" in ended.stdout
    assert "run the study again when there is room" in ended.stdout
    assert not path.exists()
    journal = path.with_name("c.h5.journal")
    before = journal.read_bytes().count(b"\n") - 1
    assert least <= before <= 60
    assert (before < 60) == (of == "journal")
    done = sixty().run(path, progress=False)
    assert [run.ended for run in done] == [Ended.DONE] * 60
    np.testing.assert_array_equal(done["lowest"], study(samples=Grid(length=6, mass=10)).run(progress=False)["lowest"])


def test_builder_whose_structure_changes(tmp_path: Path) -> None:
    """Another structure is compiled in full, also on a worker that has just had the other one."""

    def chains(length: float, mass: float) -> fx.Model:
        model = bob(length, mass)
        if mass < 1.5:
            return model
        second = fx.PointMass(mass, position=(0, 0, -2 * length), name="second")
        ball = model.rigid_bodies[0]
        spring = fx.SpringDamper(ball, second, stiffness=100.0, name="second spring")
        return fx.Model(ball, second, spring, *model.forces, *model.loads, name="two")

    several = Study(
        fx.studies.Family(chains, **family().parameters), Grid(length=3, mass=3), Measure("lowest", lowest),
        Simulation(0.05, step=5e-3),
    )  # fmt: skip
    here = several.run(progress=False)
    assert not here.failed
    there = several.run(workers=1, progress=False)
    np.testing.assert_array_equal(here["lowest"], there["lowest"])
    alone = [float(fx.simulate(chains(**r.values), 0.05, step=5e-3, progress=False).position("bob")[:, 2].min())
             for r in here]  # fmt: skip
    assert here["lowest"].tolist() == alone


def test_builder_that_rounds() -> None:
    """Values that give one model are two runs, and the builder is called as often; nothing is guessed."""
    several = fx.studies.Family(lambda length, mass: bob(round(length, 1), mass), **family().parameters)
    points = fx.studies.Points({"length": [1.01, 1.02], "mass": [1.0, 1.0]})
    done = Study(several, points, Measure("lowest", lowest), Simulation(0.05, step=5e-3)).run(progress=False)
    assert len(done) == 2
    assert done["lowest"][0] == done["lowest"][1]


def test_indices_are_never_made_of_what_is_missing() -> None:
    pytest.importorskip("SALib")
    several = fx.studies.Family(lambda length, mass: bob(length, mass, "raise"), **family().parameters)
    done = Study(several, fx.studies.Saltelli(8), Measure("lowest", lowest), Simulation(0.05, step=5e-3)).run(
        progress=False
    )
    assert done.failed
    with pytest.raises(fx.ModelError, match="indices from the rest would be wrong"):
        fx.studies.sobol_indices(done, "lowest")
