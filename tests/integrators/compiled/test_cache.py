"""Where drivers are kept, and that another process finds them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmbs as fx
from flexmbs.core import written_modules as cache
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators.compiled import choice
from flexmbs.integrators.compiled.addresses import REBUILDING, Addresses, address

RUN = """
import sys, time
import flexmbs as fx
from flexmbs.core.jit import compile_seconds
ball = fx.PointMass(1.0, position=(0, 0, 1), name="ball")
model = fx.Model(ball, fx.Gravity((0, 0, -9.81)))
began = time.perf_counter()
run = fx.simulate(model, 1.0, step=1e-2, integrator=fx.GeneralizedAlpha(compiled=True))
assert abs(run.position(ball)[-1, 2] - (1.0 - 9.81 / 2)) < 1e-6
print(compile_seconds(), time.perf_counter() - began)
"""


def in_a_process(work: Path, environment: dict[str, str]) -> float:
    """Seconds that another process compiles for."""
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=work, env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[0])


def test_another_process_finds_the_machine_code(tmp_path: Path) -> None:
    """In a folder of its own; nothing is compiled again, and nothing lies in the working directory.

    Files that are cut off, as a full disk leaves them, are made anew; one by one in `tests/core/test_kernel_cache.py`.
    """
    place, work = tmp_path / "cache", tmp_path / "work"
    work.mkdir()
    root = Path(fx.__file__).parents[1]
    environment = {**os.environ, "XDG_CACHE_HOME": str(place), "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    for name in ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    spent = [in_a_process(work, environment) for _ in range(2)]
    assert spent[0] > 0.0
    assert spent[1] == 0.0
    assert not list(work.iterdir())
    assert len(list((place / "flexmbs").glob("*.py"))) == 1
    kept = place / "flexmbs" / "__pycache__"
    for path in [p for p in kept.iterdir() if p.suffix in (".nbi", ".nbc", ".pyc")]:
        path.write_bytes(path.read_bytes()[:-20])
    assert in_a_process(work, environment) > 0.0
    assert in_a_process(work, environment) == 0.0


@pytest.fixture
def unknown_folder():
    """Places are looked for anew, before and after."""
    cache.folder.cache_clear()
    yield
    cache.folder.cache_clear()


def test_numba_cache_dir_is_respected(tmp_path: Path, monkeypatch, unknown_folder) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert cache.folder() == tmp_path / "flexmbs"


def test_a_temporary_folder_where_nothing_can_be_written(tmp_path: Path, monkeypatch, unknown_folder) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(blocked))
    place = cache.folder()
    assert place.is_dir()
    assert place.name.startswith("flexmbs_steps_")


def test_a_module_has_the_name_of_its_text() -> None:
    assert cache.Module("a = 1\n").name == cache.Module("a = 1\n").name != cache.Module("a = 2\n").name


def test_modules_that_nobody_uses_are_removed_in_the_end(tmp_path: Path, monkeypatch, unknown_folder) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    text = "from flexmbs.core.jit import kernel\n\n@kernel\ndef drive(at, whole, real):\n    return {}\n"
    first, second = (cache.Module(text.format(k)) for k in (1, 2))
    assert not first.compiled
    first.function()
    assert first.compiled
    kept = cache.folder() / f"{first.name}.py"
    long_ago = kept.stat().st_mtime - 31 * cache.DAY
    os.utime(kept, (long_ago, long_ago))
    second.function()
    assert not kept.exists()
    assert not list(kept.parent.rglob(f"{first.name}*"))
    assert (cache.folder() / f"{second.name}.py").exists()


@pytest.mark.parametrize("name", ["float64_1d", "float64_3d", "int64_6d", "int32_2d", "bool_1d"])
def test_arrays_by_their_addresses(name: str) -> None:
    """What is written there is seen here."""
    addresses, rebuilt = Addresses(), REBUILDING[name]
    addresses.array(np.zeros(2))  # another one stands before it
    kind, axes = name[:-3], int(name[-2])
    shape = tuple(range(2, 2 + axes))
    x = (np.arange(np.prod(shape)) % 5).astype(kind).reshape(shape)
    assert addresses.array(x) == f"{name}(at, 2)"

    @numba.njit
    def copied(at, there):
        y = rebuilt(at, 2)
        there[...] = y
        y[...] = y[..., ::-1].copy()
        return y.shape, y.strides, y.size, y.itemsize

    before, there = x.copy(), np.empty_like(x)
    assert copied(addresses.packed()[0], there) == (x.shape, x.strides, x.size, x.itemsize)
    assert np.array_equal(there, before)
    assert np.array_equal(x, before[..., ::-1])


@given(shape=st.lists(st.integers(0, 4), min_size=1, max_size=4), begin=st.integers(0, 3))
def test_addresses_are_those_that_numpy_tells(shape: list[int], begin: int) -> None:
    """Of whole arrays, of parts that begin elsewhere, of empty ones, and of those that cannot be written to."""
    for kind in ("f8", "i8", "i4", "?"):
        x = np.zeros((begin + 1, *shape), dtype=kind)
        locked = x.copy()
        locked.setflags(write=False)
        for part in (x, x[begin], locked, x.ravel()[begin:]):
            assert address(part) == part.ctypes.data


def test_what_has_no_address() -> None:
    """Arrays in pieces and what is neither array nor number."""
    with pytest.raises(ValueError, match="not contiguous"):
        Addresses().array(np.zeros((2, 3)).T)
    with pytest.raises(ValueError, match="a str"):
        Addresses().value("x")


def test_a_driver_is_taken_when_it_is_worth_it(models) -> None:
    """Short runs do without; in a process that has it, longer ones take it; steps made count where none are planned."""
    system = fx.compile_model(models.chain(3))
    fx.simulate(system, 0.01, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=True))
    stepper = fx.GeneralizedAlpha().stepper(Dynamics(system), 1.0)
    stepper.expect(50)
    assert stepper.choice.driver is None
    stepper.expect(200)
    assert stepper.choice.driver is not None
    unplanned = fx.GeneralizedAlpha().stepper(Dynamics(system), 1.0)
    state = fx.GeneralizedAlpha().start(unplanned.dynamics, 0.0, *starting(unplanned.dynamics), 1e-3)
    for _ in range(99):
        assert unplanned.step(state, 1e-3).state is not None
    assert unplanned.choice.driver is None
    unplanned.step(state, 1e-3)
    assert unplanned.choice.driver is not None


def starting(dynamics: Dynamics) -> tuple[np.ndarray, np.ndarray]:
    """Positions as they are drawn, at rest."""
    dynamics.start_turns(0.0)
    return dynamics.coordinates.reference.copy(), np.zeros(dynamics.n_v)


def test_compiling_kernels_is_no_time_of_steps(monkeypatch) -> None:
    """Kernels compile in the first steps: taken for slow steps, they had a driver compiled that never paid."""
    spent = 0.0

    def burn(seconds: float) -> None:
        began = time.process_time()
        while time.process_time() - began < seconds:
            pass

    monkeypatch.setattr(choice, "compile_seconds", lambda: spent)
    body = fx.RigidBody.sphere(radius=0.1, mass=1.0, name="ball")
    made = choice.Choice(Dynamics(fx.compile_model(fx.Model(body))), fx.GeneralizedAlpha(), 1e-6, "auto")
    for step in range(choice.FIRST + 3):
        made.count()
        if step < 2:  # in which kernels are compiled
            burn(0.2)
            spent += 0.2
    assert made._measured() < 1e-3  # and not 0.4 s over 35 steps
