"""Machine code kept on disk: made anew after a change of a callee in another file, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from flexmbs.core.jit import Choice, kernel, numbers_of_kinds

CALLEE = """
from typing import NamedTuple
from flexmbs.core.jit import kernel

class {group}(NamedTuple):
    x: float

@kernel
def term(x):
    return {value} * x
"""
CALLER = """
from flexmbs.core.jit import kernel
from callee import {group} as Group, term

@kernel
def through(group):
    return later(group.x)

@kernel
def later(x):
    return term(x) + 1.0

print(through(Group(2.0)), sum(through.stats.cache_hits.values()))
"""


def run(folder: Path) -> tuple[float, int]:
    """What the caller computes, and whether its code came from the disk: from a folder that no other run has."""
    own = {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path]), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "caller.py"], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **own}
    )
    value, hits = done.stdout.split()
    return float(value), int(hits)


def test_a_kernel_is_compiled_again_when_what_it_calls_in_another_file_has_changed(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER.format(group="Group"))
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Group", value=3.0))
    assert run(tmp_path) == (7.0, 0)
    assert run(tmp_path) == (7.0, 1)
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Group", value=50.0))
    assert run(tmp_path) == (101.0, 0)
    assert run(tmp_path) == (101.0, 1)


def test_a_class_that_has_gone_from_another_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER.format(group="Group"))
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Group", value=3.0))
    run(tmp_path)
    status = (tmp_path / "caller.py").stat()
    (tmp_path / "caller.py").write_text(CALLER.format(group="Other"))
    os.utime(tmp_path / "caller.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Other", value=3.0))
    assert run(tmp_path) == (7.0, 0)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_a_file_that_is_cut_off_is_made_anew(tmp_path: Path, suffix: str, part: float) -> None:
    (tmp_path / "caller.py").write_text(CALLER.format(group="Group"))
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Group", value=3.0))
    assert run(tmp_path) == (7.0, 0)
    found = list(tmp_path.rglob(f"*.{suffix}"))
    assert found
    for path in found:
        data = path.read_bytes()
        path.write_bytes(data[: int(part * len(data))])
    assert run(tmp_path) == (7.0, 0)
    assert run(tmp_path) == (7.0, 1)


def test_what_does_not_change_the_code_does_not_compile_it_again(tmp_path: Path) -> None:
    """Lines above, documentation, times of files, another function of the file."""
    caller = CALLER.format(group="Group")
    callee = CALLEE.format(group="Group", value=3.0)
    (tmp_path / "caller.py").write_text(caller)
    (tmp_path / "callee.py").write_text(callee)
    assert run(tmp_path) == (7.0, 0)
    (tmp_path / "caller.py").write_text("# a line\n\n" + caller)
    (tmp_path / "callee.py").write_text(callee.replace("    return", '    """Told."""\n    return') + "\nOTHER = 5\n")
    assert run(tmp_path) == (7.0, 1)


def test_a_constant_that_a_callee_reads_counts(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER.format(group="Group"))
    callee = CALLEE.format(group="Group", value="FACTOR")
    (tmp_path / "callee.py").write_text(callee + "\nFACTOR = 3.0\n")
    assert run(tmp_path) == (7.0, 0)
    (tmp_path / "callee.py").write_text(callee + "\nFACTOR = 4.0\n")
    assert run(tmp_path) == (9.0, 0)


def test_the_order_of_the_fields_of_an_argument_counts(tmp_path: Path) -> None:
    """Types of numba know the class by its name, and its fields by their order."""
    caller = CALLER.format(group="Group").replace("Group(2.0)", "Group(x=2.0, y=10.0)")
    (tmp_path / "caller.py").write_text(caller)
    for fields in ("    x: float\n    y: float", "    y: float\n    x: float"):
        (tmp_path / "callee.py").write_text(
            CALLEE.format(group="Group", value=3.0).replace("    x: float", fields)
        )  # fmt: skip
        assert run(tmp_path) == (7.0, 0)


def test_of_two_processes_at_once_one_compiles_and_the_other_waits(tmp_path: Path) -> None:
    (tmp_path / "callee.py").write_text(CALLEE.format(group="Group", value=3.0))
    start = "import pathlib, time\nwhile not pathlib.Path('go').exists():\n    time.sleep(0.001)\n"
    (tmp_path / "caller.py").write_text(CALLER.format(group="Group").replace("print(", start + "print("))
    own = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    both = [
        subprocess.Popen(
            [sys.executable, "caller.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, **own}
        )
        for _ in range(2)
    ]
    time.sleep(2.0)  # until both wait, if they are quick; if not, they come one after the other
    (tmp_path / "go").touch()
    told = [process.communicate()[0].split() for process in both]
    assert [value for value, _ in told] == ["7.0", "7.0"]
    assert sum(int(hits) > 0 for _, hits in told) == 1


@pytest.mark.skipif(os.name == "nt", reason="processes do not wait for each other on Windows")
def test_a_process_that_is_killed_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "held.py").write_text(
        "import sys, time\nfrom flexmbs.core.jit import kernel\n\n@kernel\ndef f(x):\n    return x\n\n"
        "print('ready', flush=True)\nwith f._cache.alone():\n    print('held', flush=True)\n"
        "    time.sleep(float(sys.argv[1]))\n"
    )
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def started(seconds: str) -> subprocess.Popen[str]:
        command = [sys.executable, "held.py", seconds]
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=own)

    first = started("600")
    assert first.stdout is not None
    assert [first.stdout.readline() for _ in range(2)] == ["ready\n", "held\n"]
    second = started("0")
    assert second.stdout is not None
    assert second.stdout.readline() == "ready\n"
    time.sleep(0.3)
    assert second.poll() is None  # it waits
    first.kill()
    assert second.communicate(timeout=60)[0] == "held\n"
    first.communicate()


def test_constants_in_a_call_are_no_types_of_their_own() -> None:
    @kernel
    def shifted(x: float, k: int) -> float:
        return x + k

    @kernel
    def total(x: float) -> float:
        return shifted(x, 1) + shifted(x, 2) + shifted(x, 3)

    assert total(1.0) == 9.0
    assert len(shifted.signatures) <= 1  # type: ignore[attr-defined]  # none where `total` was kept by an earlier run
    assert shifted(1.0, 4) == 5.0  # from Python too, once it has been compiled into another


def test_a_choice_compiles_the_usual_kinds_alone() -> None:
    @kernel
    def few(kind: int, x: float) -> float:
        return x if kind == 0 else 2.0 * x

    @kernel
    def every(kind: int, x: float) -> float:
        return few(kind, x) if kind <= 1 else 3.0 * x

    chosen = Choice(few, every, 1)

    @kernel
    def total(kinds: np.ndarray, x: float) -> float:
        s = 0.0
        for kind in kinds:
            s += chosen(kind, x)
        return s

    assert total(numbers_of_kinds([0, 1, 1], 1), 1.0) == 5.0
    assert chosen(1, 1.0) == 2.0
    assert not every.signatures  # type: ignore[attr-defined]
    assert total(numbers_of_kinds([0, 1, 2], 1), 1.0) == 6.0
    assert chosen(2, 1.0) == 3.0


RETURNS = """
from typing import NamedTuple
import numpy as np
from flexmbs.core.contracts import FloatArray
from flexmbs.core.jit import kernel

class Pair(NamedTuple):
    part: FloatArray
    size: float

@kernel
def pair(x, i):
    return Pair(x[i], x[i, 0])

@kernel
def around(x, i):
    return pair(x, i).size + 1.0

x = np.arange(6.0).reshape(2, 3)
for name in ORDER:
    if name == "around":
        assert around(x, 1) == 4.0
    else:
        found = pair(x, 1)
        assert found.part.tolist() == [3.0, 4.0, 5.0] and found.size == 3.0
print(1.0, 0)
"""


def test_what_python_calls_is_whole_whatever_was_loaded_before_it(tmp_path: Path) -> None:
    """Code for other kernels and the entry for Python share an environment, whichever comes from disk first."""
    for order in (("around", "pair"), ("pair", "around"), ("around", "pair"), ("around",), ("pair",)):
        (tmp_path / "caller.py").write_text(RETURNS.replace("ORDER", repr(order)))
        assert run(tmp_path) == (1.0, 0)
