"""Consecutive runs put together: the same as one run, in memory and from files; what does not follow is refused."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.errors import ModelError

G = 9.81


def _pendulum(mass: float = 2.0) -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=mass, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    motor = fx.control.JointActuator(hinge, name="motor")
    law = fx.control.Controller(fx.control.JointSensor(hinge), motor, 0.05, lambda x, u, t: -2.0 * u, name="law")
    return fx.Model(bar, hinge, law, fx.Gravity((0, 0, -G)))


@pytest.mark.parametrize("every", [None, 0.15])
def test_two_runs_are_one(tmp_path, every: float | None) -> None:
    model = _pendulum()
    output = fx.Output() if every is None else fx.Output(every=every)
    whole = fx.simulate(model, 1.0, step=1e-2, output=output)
    half = fx.simulate(model, 0.5, step=1e-2, output=output, file=tmp_path / "half.h5")
    with pytest.raises(ModelError, match=r"half\.h5 exists; remove it or take another name.*flexmbs\.concatenate"):
        fx.simulate(model, 1.0, step=1e-2, start=half, file=tmp_path / "half.h5")
    for start in (half, fx.load(tmp_path / "half.h5", model=model)):
        both = fx.concatenate(start, fx.simulate(model, 1.0, step=1e-2, output=output, start=start))
        assert np.all(np.diff(both.t) > 0.0)
        np.testing.assert_array_equal(both.steps[:, 0], whole.steps[:, 0])
        np.testing.assert_array_equal(both.q[-1], whole.q[-1])
        for name in ("t", "q", "v", "a", "lam", "residuals"):
            assert len(getattr(both, name)) == len(both)
        if every is None:
            np.testing.assert_array_equal(both.t, whole.t)
            np.testing.assert_array_equal(both.lam, whole.lam)
            np.testing.assert_allclose(both.energy.balance, whole.energy.balance, atol=1e-12)
        np.testing.assert_array_equal(np.array(both.held("motor")), np.array(whole.held("motor")))
        assert both.counts["evaluations"] > whole.counts["evaluations"] // 2
        again = fx.load(both.save(tmp_path / "both.h5"), model=model)
        np.testing.assert_array_equal(again.angle("hinge"), both.angle("hinge"))
        further = fx.concatenate(again, fx.simulate(model, 1.2, step=1e-2, start=again))
        assert further.t[-1] == 1.2


def test_angles_of_a_second_half_keep_their_turns_when_joined() -> None:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 100.0), name="wheel")
    model = fx.Model(wheel, fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge"))
    runs = [fx.simulate(model, 0.5, step=1e-3, output=fx.Output(every=0.1))]
    for end in (1.0, 1.5):
        runs.append(fx.simulate(model, end, step=1e-3, output=fx.Output(every=0.1), start=runs[-1]))
    later = fx.concatenate(runs[1], runs[2])
    np.testing.assert_allclose(later.angle("hinge"), 100.0 * later.t, rtol=1e-9)


def test_what_does_not_follow_is_refused() -> None:
    model = _pendulum()
    half = fx.simulate(model, 0.2, step=1e-2)
    rest = fx.simulate(model, 0.4, step=1e-2, start=half)
    with pytest.raises(ModelError, match=r"second, which begins at t = 0, was not started from the end of first at"):
        fx.concatenate(rest, half)
    with pytest.raises(ModelError, match="was not started from the end of first"):
        fx.concatenate(fx.simulate(model, 0.2, step=2e-2), rest)
    with pytest.raises(ModelError, match=r"different models; they differ in: .*mass"):
        fx.concatenate(fx.simulate(_pendulum(3.0), 0.2, step=1e-2), rest)
    with pytest.raises(ModelError, match="second must be a motion"):
        fx.concatenate(half, "rest.h5")


@pytest.mark.parametrize("fixed", [True, False])
def test_an_interrupted_run_with_sparse_output_leaves_no_row_of_its_own(fixed: bool, interrupt_at) -> None:
    """The state that the second run begins with lies between two times of the output."""
    model, output = _pendulum(), fx.Output(every=0.15, at=(0.02,))
    options = {"step": 1e-2 if fixed else fx.ErrorControl(1e-5), "output": output}
    whole = fx.simulate(model, 1.0, **options)
    first = fx.simulate(model, 1.0, events=[interrupt_at(len(whole.steps) // 3)], **options)
    assert first.status is fx.Status.INTERRUPTED
    assert first.t[-1] < first.last.t
    both = fx.concatenate(first, fx.simulate(model, 1.0, start=first, **options))
    for name in ("t", "q", "v", "a", "lam", "residuals", "steps"):
        np.testing.assert_array_equal(getattr(both, name), getattr(whole, name))
    np.testing.assert_array_equal(both.energy.balance, whole.energy.balance)
