"""Events in runs: their times, what they do, and that watching changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx


def stone(**more):
    return fx.PointMass(1.0, position=(0.0, 1.0), velocity=(1.0, 2.1), name="stone", **more)


LANDING = (2.1 + math.sqrt(2.1**2 + 20.0)) / 10.0


@pytest.mark.parametrize("step", [0.01, 0.0137, 0.2, None])
@pytest.mark.parametrize("terminal", [True, False])
def test_landing_to_round_off(step, terminal: bool) -> None:
    """The path is a parabola, which scheme and interpolation follow exactly."""
    body = stone()
    landing = fx.control.Event(fx.control.PositionSensor(body, (0, 1)), direction=-1, terminal=terminal, name="landing")
    run = fx.simulate(fx.Model(body, fx.Gravity((0, -10.0))), 1.0, step=step, events=[landing])
    assert [e.name for e in run.events] == ["landing"]
    assert run.events[0].t == pytest.approx(LANDING, abs=1e-12)
    at = run.t.tolist().index(run.events[0].t)
    assert run.position(body)[at] == pytest.approx([LANDING, 0.0, 0.0], abs=1e-12)
    assert np.all(np.diff(run.t) > 0)
    if terminal:
        assert run.status is fx.Status.STOPPED
        assert at == len(run) - 1
    else:
        assert run.status is fx.Status.DONE
        assert run.t[-1] == 1.0
        assert run.position(body)[-1, 1] == pytest.approx(1.0 + 2.1 - 5.0, abs=1e-12)


def test_terminal_event_with_output_times_stores_the_end() -> None:
    body = stone()
    landing = fx.control.Event(fx.control.PositionSensor(body, (0, 1)), direction=-1, terminal=True, name="landing")
    run = fx.simulate(
        fx.Model(body, fx.Gravity((0, -10.0))), 1.0, step=0.01, events=[landing], output=fx.Output(every=0.25)
    )
    assert run.t == pytest.approx([0.0, 0.25, 0.5, LANDING], abs=1e-12)


def test_several_events_in_their_order() -> None:
    body = stone()
    events = [
        fx.control.Event(fx.control.PositionSensor(body, (0, 1)), level=1.1, name="height"),
        fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), direction=-1, name="top"),
        fx.control.Event(lambda view: view.t - 0.25, name="clock"),
        fx.control.Event(fx.control.PositionSensor(body, (0, 1)), direction=-1, terminal=True, name="landing"),
        fx.control.Event(fx.control.PositionSensor(body, (0, 1)), level=7.0, name="never"),
    ]
    run = fx.simulate(fx.Model(body, fx.Gravity((0, -10.0))), 1.0, step=0.02, events=events)
    root = math.sqrt(2.1**2 - 2.0)
    expected = [
        ("height", (2.1 - root) / 10),
        ("top", 0.21),
        ("clock", 0.25),
        ("height", (2.1 + root) / 10),
        ("landing", LANDING),
    ]
    assert [e.name for e in run.events] == [name for name, _ in expected]
    assert [e.t for e in run.events] == pytest.approx([t for _, t in expected], abs=1e-11)


def test_two_events_at_once() -> None:
    body = stone()
    events = [
        fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), name="a"),
        fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), name="b"),
    ]
    run = fx.simulate(fx.Model(body, fx.Gravity((0, -10.0))), 0.5, step=0.02, events=events)
    assert [e.name for e in run.events] == ["a", "b"]
    assert [e.t for e in run.events] == pytest.approx([0.21, 0.21], abs=1e-12)


@pytest.mark.parametrize("step", [0.01, 0.033, None])
def test_an_action_changes_a_load(step) -> None:
    """Gravity turned upside down at the top: up again from 0.21 on."""
    body = stone()
    weight = fx.Gravity((0, -10.0))
    seen = []

    def flip(view):
        seen.append(view.t)
        return {weight.label: -1.0}

    top = fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), direction=-1, action=flip, name="top")
    run = fx.simulate(fx.Model(body, weight), 1.0, step=step, events=[top])
    assert seen == pytest.approx([0.21], abs=1e-12)
    exact = 1.0 + 0.2205 + 5.0 * 0.79**2
    assert run.position(body)[-1, 1] == pytest.approx(exact, abs=1e-9)


def test_repeated_switching() -> None:
    """A force that pushes back wherever the body crosses the middle: x is made of parabolas, the period 4 v / a."""
    body = fx.PointMass(2.0, position=(0.0, 0.0), velocity=(1.0, 0.0), name="shuttle")
    push = fx.PointForce(body.centre, (-8.0, 0.0))
    model = fx.Model(body, push)

    def turn(view):
        return {push.label: 1.0 if view.twist(body.centre)[0] > 0 else -1.0}

    crossing = fx.control.Event(fx.control.PositionSensor(body, (1, 0)), action=turn, name="crossing")
    run = fx.simulate(model, 2.2, step=0.03, events=[crossing])
    assert [e.t for e in run.events] == pytest.approx([0.5, 1.0, 1.5, 2.0], abs=1e-9)
    assert np.abs(run.position(body)[:, 0]).max() == pytest.approx(0.125, abs=1e-3)


def test_watching_changes_only_where_an_event_happens() -> None:
    body = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    model = fx.Model(body, hinge, fx.Gravity((0, 0, -9.81)))
    plain = fx.simulate(model, 1.0, step=0.01)
    watched = fx.simulate(model, 1.0, step=0.01, events=[fx.control.Event(fx.control.JointSensor(hinge), level=99.0)])
    assert np.array_equal(plain.q, watched.q)
    down = fx.control.Event(fx.control.PositionSensor(body.centre, (1, 0, 0)), name="down")
    found = fx.simulate(model, 1.0, step=2e-3, events=[down])
    quarter = 1.8540746773013719 / math.sqrt(1.5 * 9.81)  # K(1/sqrt 2) of the quarter period from horizontal
    assert found.events[0].t == pytest.approx(quarter * math.sqrt((2.0 / 3.0 + 2 * 0.05**2 / 12) * 1.5), abs=2e-4)


@pytest.mark.parametrize(
    "answer", [5, "off", {"gravity": 0.0, "nope": 1.0}, {"gravity": float("nan")}, {"gravity": "x"}, [1.0]]
)
def test_wrong_answers_of_actions_are_refused(answer) -> None:
    body = stone()
    weight = fx.Gravity((0, -10.0))
    if isinstance(answer, dict):
        answer = {weight.label if k == "gravity" else k: v for k, v in answer.items()}
    top = fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), action=lambda view: answer, name="top")
    with pytest.raises(fx.ModelError, match="Event 'top'"):
        fx.simulate(fx.Model(body, weight), 1.0, step=0.01, events=[top])


def test_an_action_that_fails_is_named() -> None:
    body = stone()
    top = fx.control.Event(fx.control.VelocitySensor(body, (0, 1)), action=lambda view: 1 / 0, name="top")
    with pytest.raises(fx.ModelError, match=r"Event 'top'.*t = 0\.21.*ZeroDivisionError"):
        fx.simulate(fx.Model(body, fx.Gravity((0, -10.0))), 1.0, step=0.01, events=[top])
