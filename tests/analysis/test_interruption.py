"""Processes that are told to stop, or killed: what they leave, and that it can be gone on with."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.analysis.interruption import Interruption

SCRIPT = textwrap.dedent(
    """
    import os, sys, signal
    import flexmbs as fx

    def model():
        bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
        motor = fx.control.JointActuator("hinge", name="motor")
        pid = fx.control.PID(fx.control.JointSensor("hinge"), motor, 0.01, 5.0, integral=1.0, reference=9.0, name="pid")
        return fx.Model(bar, hinge, pid, fx.Gravity((0, 0, -9.81)))

    if __name__ == "__main__":
        how, path, after = sys.argv[1], sys.argv[2], float(sys.argv[3])

        def condition(view):
            if view.t >= after:
                os.kill(os.getpid(), signal.SIGKILL if how == "kill" else signal.SIGINT)
            return 1.0

        run = fx.simulate(model(), 2.0, step=1e-3, file=path, events=[fx.control.Event(condition, name="end")])
        print(run.status.name, run.t[-1])
    """
)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "motion.py"
    path.write_text(SCRIPT)

    def run(how: str, file, after: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(path), how, str(file), str(after)], capture_output=True, text=True, timeout=120,
            check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    return run


def own_model() -> fx.Model:
    space: dict = {"__name__": "motion"}
    exec(SCRIPT, space)
    return space["model"]()


def test_ctrl_c_keeps_everything(script, tmp_path) -> None:
    file = tmp_path / "run.h5"
    done = script("stop", file, 0.7)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "INTERRUPTED"
    assert "Traceback" not in done.stderr
    assert "interrupted at t = 0.7" in done.stderr
    assert done.stderr.rstrip().endswith("what was computed is returned.")
    found = fx.load(file)
    assert found.status is fx.Status.INTERRUPTED
    assert found.t[-1] == pytest.approx(0.7, abs=2e-3)
    full = fx.simulate(own_model(), 2.0, step=1e-3)
    rest = fx.simulate(found.model, 2.0, step=1e-3, start=found)
    assert np.array_equal(rest.q[-1], full.q[-1])
    assert np.array_equal(found.q, full.q[: len(found)])


def test_a_killed_run_leaves_a_journal_to_go_on_from(script, tmp_path) -> None:
    file, journal = tmp_path / "run.h5", tmp_path / "run.h5.journal"
    done = script("kill", file, 1.234)
    assert done.returncode == -signal.SIGKILL
    assert journal.exists()
    assert not file.exists()
    found = fx.load(journal)
    assert found.message  # says that the run did not end
    assert found.t[-1] == pytest.approx(1.0, abs=1e-9)  # the last checkpoint, after 1000 steps
    full = fx.simulate(own_model(), 2.0, step=1e-3)
    assert np.array_equal(found.q, full.q[: len(found)])
    rest = fx.simulate(found.model, 2.0, step=1e-3, start=found)
    assert np.array_equal(rest.q[-1], full.q[-1])
    assert np.array_equal(rest.energy.total[-1], full.energy.total[-1])


def test_states_behind_the_last_checkpoint_are_counted(tmp_path, monkeypatch) -> None:
    """They are in the journal, but the run cannot go on from them."""
    file = tmp_path / "run.h5"
    with monkeypatch.context() as killed:
        killed.setattr("flexmbs.io.time_files.Stream.close", lambda stream, solution: stream.writer.close())
        fx.simulate(own_model(), 1.234, step=1e-3, file=file)
    left_out = "234 states stored behind the last checkpoint (t = 1, from which start= goes on), until t = 1.234, are"
    with pytest.warns(fx.LossWarning, match=re.escape(left_out)):
        found = fx.load(file)
    assert left_out in found.message
    assert f"with 1235 stored states; {left_out} left out, which leaves 1001" in found.message
    assert len(found) == 1001
    assert found.t[-1] == found.last.t == pytest.approx(1.0, abs=1e-9)
    rest = fx.simulate(found.model, 1.234, step=1e-3, start=found)
    assert np.array_equal(rest.q[-1], fx.simulate(own_model(), 1.234, step=1e-3).q[-1])


def test_a_truncated_journal_is_read_as_far_as_it_goes(script, tmp_path) -> None:
    file, journal = tmp_path / "run.h5", tmp_path / "run.h5.journal"
    script("kill", file, 1.2)
    data = journal.read_bytes()  # with or without the states after t = 1, as fast as the machine was
    journal.write_bytes(data[: data.rindex(b"checkpoint") + 3])  # the cut goes through the checkpoint at t = 1
    with pytest.warns(fx.LossWarning, match="stored behind the last checkpoint"):
        found = fx.load(journal)
    assert found.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert found.last.t == pytest.approx(0.5, abs=1e-9)


def test_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as interruption:
        assert not interruption.wanted
        signal.raise_signal(signal.SIGINT)
        assert interruption.wanted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_failing_function_puts_the_handler_back_too() -> None:
    before = signal.getsignal(signal.SIGINT)
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    with pytest.raises(fx.ModelError):
        fx.simulate(fx.Model(ball), 1.0, step=0.1, events=[fx.control.Event(lambda view: np.nan)])
    assert signal.getsignal(signal.SIGINT) is before
