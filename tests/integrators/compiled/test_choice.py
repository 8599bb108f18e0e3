"""When steps are compiled: when what was lost without, and what is to come, exceeds what compiling takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core import written_modules
from flexmbs.core.written_modules import Module
from flexmbs.verification.cases.trees.tree_robots import stewart


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which nothing is kept."""
    monkeypatch.setattr(written_modules, "folder", lambda: tmp_path)
    return tmp_path


def reason(models, steps: int) -> str:
    """Why the steps of a run were not compiled; empty if they were."""
    run = fx.simulate(models.chain(2), steps * 1e-3, step=1e-3, integrator=fx.GeneralizedAlpha(rho_inf=0.7),
                      output=fx.Output(at=(steps * 1e-3,), energy=False), progress=False)  # fmt: skip
    return "".join(run.counts["kept_in_python"])


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch, empty: Path) -> list[str]:
    """Modules that were asked for their function, and have none here: what is decided, not what is compiled."""
    asked: list[str] = []

    def function(self: Module) -> None:
        asked.append(self.name)
        raise OSError("not here")

    monkeypatch.setattr(Module, "function", function)
    monkeypatch.setattr(Module, "loaded", property(lambda self: False))
    monkeypatch.setattr(Module, "compiled", property(lambda self: False))
    return asked


def test_what_runs_lose_adds_up_until_compiling_pays(models, uncompiled: list[str], empty: Path) -> None:
    said = [reason(models, 50), reason(models, 150)]
    assert "pay from 100 steps on" in said[0]
    assert "compiling steps pays from about" in said[1]
    assert not uncompiled
    (lost,) = empty.glob("*.lost")
    first = float(lost.read_text())
    assert 0.0 < first < 4.0
    reason(models, 150)
    assert first < float(lost.read_text()) < 4.0
    lost.write_text("4.1")
    assert "cannot be kept: not here" in reason(models, 150)
    assert len(uncompiled) == 1


def test_many_planned_steps_pay_at_once(models, uncompiled: list[str], empty: Path) -> None:
    (empty / "flexmbs_compile.seconds").write_text("0.004")  # as long as some 90 steps take at most
    assert "not here" in reason(models, 150)
    assert uncompiled


def test_what_is_kept_and_cut_off_counts_as_nothing(empty: Path) -> None:
    module = Module("a = 1\n")
    (empty / f"{module.name}.lost").write_text("1.5x")
    assert module.lost == 0.0
    module.lose(2.0)
    module.lose(0.5)
    assert module.lost == 2.5


def test_it_is_told_where_compiled_steps_fail() -> None:
    """The matrix of a platform whose bodies are driven needs pivots; with luck of rounding it may do without."""
    system = fx.compile_model(fx.trees.to_relative_coordinates(stewart()))
    runs = [
        fx.simulate(system, 0.02, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=compiled), progress=False)
        for compiled in (False, True)
    ]
    counts = runs[1].counts
    told = any("compiled ones failed" in reason for reason in counts["kept_in_python"])
    assert told == (2 * counts["compiled_steps"] < counts["steps"])
    assert np.abs(runs[1].q - runs[0].q).max() < 1e-12
