"""Files of runs: what exists is never overwritten, and what was written is what was computed."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx


def model() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -9.81)))


def test_what_is_read_is_what_was_computed(tmp_path) -> None:
    path = tmp_path / "run.h5"
    run = fx.simulate(model(), 0.5, step=0.01, file=path)
    assert not (tmp_path / "run.h5.journal").exists()
    back = fx.load(path)
    for name in ("t", "q", "v", "a", "lam", "residuals", "steps"):
        assert np.array_equal(getattr(back, name), getattr(run, name)), name
    assert np.array_equal(back.energy.balance, run.energy.balance)
    assert back.status is fx.Status.DONE
    assert back.reaction("hinge") == pytest.approx(run.reaction("hinge"), abs=1e-12)
    assert np.array_equal(back.position("bar"), run.position("bar"))


def test_a_file_changes_nothing(tmp_path) -> None:
    a = fx.simulate(model(), 0.5, step=None)
    b = fx.simulate(model(), 0.5, step=None, file=tmp_path / "run.h5")
    assert np.array_equal(a.q, b.q)


def test_existing_files_are_kept(tmp_path) -> None:
    path = tmp_path / "run.h5"
    path.write_text("precious")
    with pytest.raises(fx.ModelError, match=r"run\.h5 exists; remove it or take another name"):
        fx.simulate(model(), 0.1, step=0.01, file=path)
    assert path.read_text() == "precious"


def test_a_journal_left_behind_is_kept(tmp_path) -> None:
    journal = tmp_path / "run.h5.journal"
    journal.write_bytes(b"precious")
    with pytest.raises(fx.ModelError, match=r"left behind by a run that did not end.*flexmbs.load"):
        fx.simulate(model(), 0.1, step=0.01, file=tmp_path / "run.h5")
    assert journal.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["run", "run.txt", "run.h5.gz", ""])
def test_wrong_endings_are_refused(tmp_path, name: str) -> None:
    with pytest.raises(fx.ModelError, match=r"must end in \.h5"):
        fx.simulate(model(), 0.1, step=0.01, file=tmp_path / name)


@pytest.mark.parametrize("file", [5, object(), ["run.h5"]])
def test_what_is_no_path_is_refused(file) -> None:
    with pytest.raises(fx.ModelError, match="file must be a path"):
        fx.simulate(model(), 0.1, step=0.01, file=file)


def test_a_missing_folder_is_refused(tmp_path) -> None:
    with pytest.raises(fx.FlexmbsError, match=r"No such file or directory|no folder"):
        fx.simulate(model(), 0.1, step=0.01, file=tmp_path / "no" / "run.h5")


def test_a_failed_run_is_in_its_file(tmp_path) -> None:
    """The exception and the file tell the same."""
    path = tmp_path / "run.h5"
    with pytest.raises(fx.ConvergenceError) as caught:
        fx.simulate(
            model(), 1.0, file=path, step=fx.ErrorControl(1e-12, initial_step=0.05, min_step=0.04, max_step=0.1)
        )
    back = fx.load(path)
    assert back.status is fx.Status.STEP_TOO_SMALL
    assert back.message == caught.value.solution.message


def test_nothing_is_left_by_refused_arguments(tmp_path) -> None:
    with pytest.raises(fx.ModelError):
        fx.simulate(model(), 0.1, step=-1.0, file=tmp_path / "run.h5")
    assert not list(tmp_path.iterdir())


def test_another_model_is_refused_with_what_differs(tmp_path) -> None:
    path = tmp_path / "run.h5"
    fx.simulate(model(), 0.1, step=0.01, file=path)
    other = fx.Model(fx.PointMass(1.0, position=(0, 0), name="ball"))
    with pytest.raises(fx.ReadError, match="another model"):
        fx.load(path, model=other)
