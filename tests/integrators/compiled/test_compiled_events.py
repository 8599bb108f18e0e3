"""Events in compiled steps: the conditions that sensors tell are looked at there, and located as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

C = fx.control
BRIEF = fx.Output(every=0.0233, energy=False)


def pulled(axle: fx.RevoluteJoint, block: fx.RigidBody) -> fx.SpringDamper:
    return fx.SpringDamper(fx.ground.marker((0.8, 0, 0)), block.centre, stiffness=60.0, free_length=0.4, name="spring")


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-6)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("index", [2, 3])
def test_passages(both, models, chunks, step: object, index: int) -> None:
    """Several a swing, in one direction or both, one that is never met, and one at which the motion begins."""
    model = models.slider_crank(pulled)
    crank, rod, block = (model.body(name) for name in ("crank", "rod", "block"))
    events = [
        C.Event(C.PositionSensor(block, (1, 0, 0)), level=0.21, name="there"),
        C.Event(C.PositionSensor(block, (1, 0, 0)), level=0.22, direction=-1, name="back"),
        C.Event(C.VelocitySensor(block, (1, 0, 0)), name="turns"),
        C.Event(C.DistanceSensor(crank.centre, block.centre), level=9.0, name="never"),
        C.Event(C.AngularVelocitySensor(rod, (0, 1, 0)), level=0.3, direction=1, name="swings"),
    ]
    run = both(model, 0.7, step, index, output=BRIEF, events=events)
    again = both(model, 0.7, step, index, output=BRIEF)
    assert {event.name for event in run.events} == {"there", "back", "turns", "swings"}
    assert sum(chunks) > 0.8 * (len(run.steps) + len(again.steps))
    x, speed = (np.array([getattr(run, what)(block)[:, 0]]) for what in ("position", "velocity"))
    for event in run.events:
        i = int(np.searchsorted(run.t, event.t))
        if 0 < i < len(run.t) and event.name == "there":
            assert min(x[0, i - 1 : i + 1]) <= 0.21 + 2e-4
            assert max(x[0, i - 1 : i + 1]) >= 0.21 - 2e-4
    assert speed.max() > 0.1


def test_bounces(both, chunks) -> None:
    """An action changes loads at each event, a terminal one ends the run: times of free fall, exactly known."""
    ball = fx.PointMass(1.0, position=(0.0, 0.5), name="ball")
    weight = fx.Gravity((0, -9.81))
    height = C.PositionSensor(ball, (0, 1))
    lift = C.Event(height, level=0.3, direction=-1, action=lambda view: {"gravity": -2.0}, name="lift")
    drop = C.Event(height, level=0.4, direction=1, terminal=True, name="drop")
    run = both(fx.Model(ball, weight), 2.0, 1e-3, output=fx.Output(every=0.0233), events=[lift, drop])
    down = np.sqrt(2 * 0.2 / 9.81)
    speed = 9.81 * down
    up = (speed + np.sqrt(speed**2 + 4 * 9.81 * 0.1)) / (2 * 9.81)  # 0.3 - v t + g t^2 = 0.4
    assert [event.name for event in run.events] == ["lift", "drop"]
    assert [event.t for event in run.events] == pytest.approx([down, down + up], abs=2e-6)
    assert run.status is fx.Status.STOPPED
    assert sum(chunks) > 0.9 * len(run.steps)


def test_a_condition_that_stays_at_its_level(both) -> None:
    """Nothing is ever passed, and the steps are those without the event."""
    ball = fx.PointMass(1.0, position=(0.0, 0.5), name="ball")
    model = fx.Model(ball, fx.Gravity((9.81, 0)))
    still = C.Event(C.PositionSensor(ball, (0, 1)), level=0.5, name="still")
    run = both(model, 0.5, 1e-3, output=BRIEF, events=[still])
    assert not run.events
    assert np.array_equal(run.q, both(model, 0.5, 1e-3, output=BRIEF).q)


def test_what_python_alone_knows(both, models) -> None:
    """A function, and a sensor of a user: single steps, the same events."""
    model = models.slider_crank(pulled)
    block = model.body("block")

    class Reader:
        name, size = "reader", 1

        def read(self, view):
            return view.position(block.centre)[0]

    events = [
        C.Event(lambda view: view.position(block.centre)[0] - 0.21, name="function"),
        C.Event(Reader(), level=0.21, name="sensor"),
        C.Event(C.PositionSensor(block, (1, 0, 0)), level=0.21, name="own"),
    ]
    times = [[e.t for e in both(model, 0.5, 1e-3, output=BRIEF, events=[event]).events] for event in events]
    assert len(times[0]) > 1
    assert times[0] == times[1]
    assert times[2] == pytest.approx(times[0], abs=1e-12)


@pytest.mark.parametrize("step", [1e-3, fx.ErrorControl(1e-6)], ids=["fixed", "controlled"])
def test_angles_over_full_turns(both, chunks, step: object) -> None:
    """A wheel under a constant moment passes 1, 8 and 20 rad, at times that are known."""
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    turn = fx.Moment(wheel.centre, (0.0, 0.0, 2.0))
    angle = C.JointSensor(hinge)
    events = [C.Event(angle, level=x, name=f"{x} rad") for x in (1.0, 8.0, 20.0)]
    events.append(C.Event(C.JointSensor(hinge, rate=True), level=15.0, name="fast"))
    run = both(fx.Model(wheel, hinge, turn), 2.5, step, output=BRIEF, events=events)
    times = {f"{x} rad": np.sqrt(2.0 * x / 10.0) for x in (1.0, 8.0, 20.0)} | {"fast": 1.5}
    assert {event.name: event.t for event in run.events} == pytest.approx(times, abs=1e-5)
    assert sum(chunks) > 0.7 * len(run.steps)


def test_turns_go_on_from_a_file(tmp_path) -> None:
    """After 16 of 31 rad: the angle is counted on, from memory and from a file."""
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model = fx.Model(wheel, hinge, fx.Moment(wheel.centre, (0.0, 0.0, 2.0)))
    events = [C.Event(C.JointSensor(hinge), level=x, name=f"{x} rad") for x in (20.0, 31.0)]
    whole = fx.simulate(model, 2.6, step=1e-2, events=events)
    assert [event.t for event in whole.events] == pytest.approx([2.0, np.sqrt(6.2)], abs=1e-9)
    begun = fx.simulate(model, 1.8, step=1e-2, events=events, file=tmp_path / "begun.h5")
    for start in (begun, fx.load(tmp_path / "begun.h5")):
        rest = fx.simulate(model, 2.6, step=1e-2, events=events, start=start)
        assert [(e.name, e.t) for e in rest.events] == [(e.name, e.t) for e in whole.events]
        assert np.array_equal(rest.q[-1], whole.q[-1])
