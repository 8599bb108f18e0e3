"""The command `study`: scripts that are none, and names that a script does not define."""

from __future__ import annotations

from pathlib import Path

import pytest

from flexmbs.cli.main import main

SCRIPT = """
import flexmbs as fx

def pendulum(mass):
    rod = fx.PlanarRigidBody.rod((0, 0), (1, 0), mass=mass, name="rod")
    pin = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="pin")
    return fx.Model(rod, pin, fx.TorsionSpring(pin, stiffness=50.0))

family = fx.studies.Family(pendulum, mass=fx.studies.Between(1.0, 4.0))
lowest = fx.studies.Measure("frequency", lambda modes: modes.frequencies[0], unit="Hz")
masses = fx.studies.Study(family, fx.studies.Grid(mass=2), lowest, fx.studies.Frequencies(modes=1))
"""


def test_a_file_that_is_no_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.h5"
    assert main(["study", str(path)]) == 2
    assert "there is no script" in capsys.readouterr().err
    path.write_bytes(b"x")
    assert main(["study", str(path)]) == 2
    assert "is no Python script, whose name ends in .py" in capsys.readouterr().err


def test_a_name_that_the_script_does_not_define(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "named_study.py"
    script.write_text(SCRIPT)
    assert main(["study", str(script), "--name", "mases"]) == 2
    assert "there is no study named 'mases'; did you mean 'masses'" in capsys.readouterr().err
