"""Machine code that comes with the package: taken where it fits, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flexmbs.core.shipped_kernels import Kernels, fits, write

CALLEE = """
from typing import NamedTuple
from flexmbs.core.jit import kernel

class Group(NamedTuple):
    x: float

@kernel
def term(x):
    return {value} * x
"""
CALLER = """
import sys
from pathlib import Path
from numba.core import event
from flexmbs.core import shipped_kernels
from flexmbs.core.jit import kernel
from callee import Group, term

class Compiled(event.Listener):
    count = 0
    def on_start(self, event):
        Compiled.count += 1
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())

@kernel
def through(group):
    return term(group.x) + 1.0

shipped_kernels.FILE = Path("shipped.bin")
print(through(Group(2.0)), Compiled.count)
if "write" in sys.argv:
    import llvmlite.binding as llvm
    from flexmbs.core.kernel_cache import stamp
    found = {k._cache.came.name: (stamp(k), k._cache.entries()) for k in (through, term)}
    shipped_kernels.write(Path("shipped.bin"), llvm.get_process_triple(), ["cmov"], found)
"""
OURS, NOTHING = (7.0, 0), (7.0, 3)
"""With the code shipped; and without, when two functions are compiled, and an entry of one of them."""


def run(folder: Path, cache: str, *arguments: str, **settings: str) -> tuple[float, int]:
    """What the caller computes, and how many functions it compiles, beginning with this cache folder."""
    own = {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "NUMBA_CACHE_DIR": str(folder / cache), **settings}
    done = subprocess.run(
        [sys.executable, "caller.py", *arguments], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, **own},
    )  # fmt: skip
    value, compiled = done.stdout.split()
    return float(value), int(compiled)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two modules and what was shipped with them."""
    folder = tmp_path_factory.mktemp("shipped")
    (folder / "caller.py").write_text(CALLER)
    (folder / "callee.py").write_text(CALLEE.format(value=3.0))
    assert run(folder, "first", "write") == NOTHING
    return folder


def test_what_is_shipped_is_not_compiled_and_not_kept_again(made: Path) -> None:
    assert run(made, "second") == OURS
    assert list((made / "second").rglob("*.nb?")) == []


def test_it_is_taken_where_no_cache_folder_can_be_written_to(made: Path) -> None:
    assert run(made, "second", NUMBA_CACHE_LOCATOR_CLASSES="IPythonCacheLocator") == OURS


def test_it_is_not_taken_for_changed_sources(made: Path) -> None:
    (made / "callee.py").write_text(CALLEE.format(value=50.0))
    try:
        assert run(made, "changed") == (101.0, 3)
    finally:
        (made / "callee.py").write_text(CALLEE.format(value=3.0))


def test_it_is_not_taken_when_another_processor_is_asked_for(made: Path) -> None:
    assert run(made, "generic", NUMBA_CPU_NAME="generic") == NOTHING


@pytest.mark.parametrize(
    ("triple", "features"), [(None, ["cmov", "an-instruction-yet-to-come"]), ("x86_64-pc-windows-msvc", ["cmov"])]
)
def test_it_is_not_taken_where_it_could_not_run(made: Path, triple: str | None, features: list[str]) -> None:
    right = (made / "shipped.bin").read_bytes()
    kernels = Kernels(made / "shipped.bin")
    write(made / "shipped.bin", triple or kernels.triple, features, {})
    head = (made / "shipped.bin").read_bytes()[8:].replace(b'"kernels": {}}', b"")
    whole = head + right[8 + right[8:].index(b'"kernels"') :]
    length = int.from_bytes(right[:8], "little") + len(head) - right[8:].index(b'"kernels"')
    (made / "shipped.bin").write_bytes(length.to_bytes(8, "little") + whole)
    try:
        unfit = Kernels(made / "shipped.bin")
        assert "callee.term" in unfit
        assert not fits(unfit, kernels.triple, {"cmov": True})
        assert run(made, f"unfit {triple}") == NOTHING
    finally:
        (made / "shipped.bin").write_bytes(right)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.4])
def test_a_file_that_is_cut_off_does_no_harm(made: Path, part: float) -> None:
    right = (made / "shipped.bin").read_bytes()
    (made / "shipped.bin").write_bytes(right[: int(part * len(right))])
    try:
        value, compiled = run(made, f"cut {part}")
        assert value == 7.0
        assert compiled > 0
    finally:
        (made / "shipped.bin").write_bytes(right)


def test_entries_come_back_as_they_were_put_in(tmp_path: Path) -> None:
    entries = {"a": b"one" * 100, "b": b"two"}
    write(tmp_path / "kernels.bin", "somewhere", ["cmov"], {"module.kernel": ("stamp", entries)})
    kernels = Kernels(tmp_path / "kernels.bin")
    assert {name: kernels.read("module.kernel", name) for name in entries} == entries
    assert kernels.holds("module.kernel", "stamp", "a")
    assert not kernels.holds("module.kernel", "another stamp", "a")
    assert not kernels.holds("module.kernel", "stamp", "c")
    assert fits(kernels, "somewhere", {"cmov": True, "avx2": True})
    assert not fits(kernels, "somewhere", {"cmov": False})
    assert not fits(kernels, "elsewhere", {"cmov": True})
