"""A disk that is full, read-only, or loses files: our errors, and nothing that was computed is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core import hdf5
from flexmbs.core.hdf5 import new_hdf5
from flexmbs.io import time_files

posix = pytest.mark.skipif(os.name != "posix", reason="the size of files is limited on POSIX systems only")
SETUP = """
    import os, resource, signal, sys, warnings
    import numpy as np
    import flexmbs as fx
    folder = sys.argv[1]
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)), fx.Gravity((0, 0, -9.81)))

    def limit(n):
        resource.setrlimit(resource.RLIMIT_FSIZE, (n, resource.RLIM_INFINITY))
"""


def in_a_process(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SETUP) + textwrap.dedent(script), str(folder)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@posix
def test_a_file_that_has_no_room(tmp_path: Path) -> None:
    """At every size of the limit an error of ours, no part of a file, and the process ends as it should."""
    script = """
        run = fx.simulate(model, 1.0, step=0.01)
        for n in (0, 100, 3000, 20000, 40000):
            limit(n)
            try:
                run.save(folder + "/run.h5")
            except fx.FlexmbsError as error:
                print(error)
            assert os.listdir(folder) == []
        limit(resource.RLIM_INFINITY)
        run.save(folder + "/run.h5")
        print(len(fx.load(folder + "/run.h5")))
    """
    found = in_a_process(script, tmp_path)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert len(lines) == 6
    assert all(line.startswith("save: cannot write") and "File too large" in line for line in lines[:5])
    assert lines[5] == "101"


@posix
def test_the_end_of_a_run_that_has_no_room(tmp_path: Path) -> None:
    """The journal has room, the HDF5 file has none: everything is in memory, and in the journal."""
    script = """
        from flexmbs.io import time_files
        close_journal = time_files.close_journal

        def with_less_room(*args):
            limit(3000)
            close_journal(*args)

        time_files.close_journal = with_less_room
        with warnings.catch_warnings(record=True) as caught:
            run = fx.simulate(model, 1.0, step=0.01, file=folder + "/run.h5")
        print(sorted(os.listdir(folder)))
        print([str(w.message) for w in caught if w.category is fx.LossWarning])
        print(np.array_equal(fx.load(folder + "/run.h5").q, run.q))
    """
    found = in_a_process(script, tmp_path)
    assert found.returncode == 0, found.stderr
    names, message, same = found.stdout.splitlines()
    assert names == "['run.h5.journal']"
    assert "cannot write" in message
    assert "all of it is in" in message
    assert same == "True"


@posix
def test_reduced_models_and_stresses_that_have_no_room(tmp_path: Path) -> None:
    script = """
        cube = fx.meshes.box((0, 0, 0), (1, 1, 1), (1, 1, 1))
        part = fx.linear.Part(cube, material=fx.steel)
        reduced = fx.reduction.reduce(part, [fx.reduction.Interface("a", cube.node_set("left"))], 2)
        limit(3000)
        try:
            reduced.save(folder + "/part.h5")
        except fx.FlexmbsError as error:
            print(error)
        assert os.listdir(folder) == []
    """
    found = in_a_process(script, tmp_path)
    assert found.returncode == 0, found.stderr
    assert "cannot write" in found.stdout


@posix
@pytest.mark.parametrize("suffix", [".msh", ".inp", ".vtu", ".med", ".xdmf", ".h5m", ".cgns"])
def test_meshes_that_have_no_room(suffix: str, tmp_path: Path) -> None:
    """No part of a file under its name, what was there stays; where HDF5 writes, it used to end the process."""
    script = f"""
        sys.dont_write_bytecode = True
        path, cube = folder + "/cube{suffix}", fx.meshes.box((0, 0, 0), (1, 1, 1), (9, 9, 9), "tetra")
        cube = fx.meshes.Mesh(cube.points, cube.cells)
        for n in (0, 3000):
            limit(n)
            try:
                fx.meshes.write_mesh(cube, path)
            except fx.MeshError as error:
                print(error)
            assert os.listdir(folder) == [], os.listdir(folder)
        limit(resource.RLIM_INFINITY)
        fx.meshes.write_mesh(cube, path)
        before = sorted((name, os.path.getsize(folder + "/" + name)) for name in os.listdir(folder))
        limit(100)
        try:
            fx.meshes.write_mesh(cube, path)
        except fx.MeshError as error:
            print(error)
        assert sorted((name, os.path.getsize(folder + "/" + name)) for name in os.listdir(folder)) == before
        limit(resource.RLIM_INFINITY)
        print(fx.meshes.read_mesh(path).n_points if path.endswith((".msh", ".vtu", ".med", ".xdmf")) else 1000)
    """
    found = in_a_process(script, tmp_path)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert len(lines) == 4, lines
    assert all(line.startswith("write_mesh: cannot write") and "make room" in line for line in lines[:3])
    assert lines[3] == "1000"


def model() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81)))


def test_a_journal_that_is_removed_during_the_run(tmp_path: Path) -> None:
    journal = tmp_path / "run.h5.journal"
    remove = fx.control.Event(lambda view: view.t - 0.25, name="remove", action=lambda *_: journal.unlink())
    with pytest.warns(fx.LossWarning, match=r"run\.h5\.journal was removed during the run; run\.h5 is written from"):
        run = fx.simulate(model(), 0.5, step=0.01, events=[remove], file=tmp_path / "run.h5")
    assert run.status is fx.Status.DONE
    assert np.array_equal(fx.load(tmp_path / "run.h5", model=run.model).q, run.q)


def test_a_journal_that_breaks_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full in the middle of the run, and has room again at its end."""
    stream_store, n = time_files.Stream.store, []

    def store(self, values):
        n.append(1)
        if len(n) == 20:
            os.close(self.writer._file)
            self.writer._file = os.open(os.devnull, os.O_RDONLY)
            self.writer._seconds = 0.0
        stream_store(self, values)

    monkeypatch.setattr(time_files.Stream, "store", store)
    with pytest.warns(fx.LossWarning) as caught:
        run = fx.simulate(model(), 0.5, step=0.01, file=tmp_path / "run.h5")
    first, last = (str(w.message) for w in caught)
    assert "The run goes on in memory" in first
    assert "written from memory and whole" in last
    assert np.array_equal(fx.load(tmp_path / "run.h5").q, run.q)
    assert [p.name for p in tmp_path.iterdir()] == ["run.h5"]


def test_a_read_only_file_system_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be removed there either, which must not hide why nothing can be written."""

    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    run = fx.simulate(model(), 0.1, step=0.01)
    monkeypatch.setattr(hdf5.os, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(fx.FlexmbsError, match=r"cannot write .*run\.h5: Read-only file system"):
        run.save(tmp_path / "run.h5")


@settings(max_examples=30, deadline=None)
@given(room=st.integers(0, 60_000), sizes=st.lists(st.integers(0, 2000), min_size=1, max_size=6))
def test_wherever_the_room_ends(tmp_path_factory: pytest.TempPathFactory, room: int, sizes: list[int]) -> None:
    """Either the whole file, or the failure of the system; HDF5 closes it in both cases."""
    path, write, left = tmp_path_factory.mktemp("full") / "a.h5", os.write, [room]

    def limited(file, data):
        if left[0] < len(data):
            left[0] = -1
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= len(data)
        return write(file, data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hdf5.os, "write", limited)
        try:
            with new_hdf5(path, userblock_size=512) as file:
                for i, n in enumerate(sizes):
                    file.create_dataset(f"x{i}", data=np.full(n, float(i)), chunks=(max(1, n // 2),) if n else None)
            whole = True
        except OSError:
            whole = False
    assert whole == (left[0] >= 0)
    if whole:
        with hdf5.h5py.File(path) as file:
            assert all((file[f"x{i}"][()] == i).all() and len(file[f"x{i}"]) == n for i, n in enumerate(sizes))
