"""What is said while something takes long."""

from __future__ import annotations

import re
import time

import pytest

from flexmbs.core import progress


def test_compiling_is_no_part_of_the_estimate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """A quarter done after 104 s, of which 100 s were compiling: 12 s are left. So it is after a slow start."""
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(progress.Compiling, "seconds", 7.0)
    compiling = progress.Compiling()
    with progress.Progress("motion") as shown:
        clock[0] += 30.0
        shown.show(0.0, "t = 0")
        first = capsys.readouterr().err
        assert "t = 0" in first
        assert "left" not in first
        compiling.start("joint_force")
        clock[0] += 60.0
        compiling.name("row_value")
        clock[0] += 40.0
        compiling.stop()
        clock[0] += 4.0
        shown.show(0.25, "t = 1")
        told = capsys.readouterr().err
        assert re.search(r"compiling row_value; 1 kernels, 67 s so far", told)
        assert "about 12 s left" in told
        clock[0] += 12.0
        shown.show(1.0, "t = 4")
    assert "about 0 s left" in capsys.readouterr().err
    assert progress.Compiling.seconds == pytest.approx(107.0)
