"""Machine code kept on disk: made anew after a change of a callee in another file, and only then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
