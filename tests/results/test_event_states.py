"""States at events: free fall and a steady spin, whose closed solutions are exact at the located times."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx

G, HEIGHT = 9.81, 2.0


def fallen(**options: object) -> fx.TimeSolution:
    ball = fx.PointMass(1.0, position=(0.0, HEIGHT), velocity=(0.5, 0.0), name="ball")
    rope = fx.SpringDamper(fx.ground.marker((-1.0, HEIGHT)), ball, stiffness=1e-12, name="rope")
    down = fx.control.Event(lambda view: view.position(ball.centre)[1], name="landing")
    half = fx.control.Event(lambda view: view.position(ball.centre)[1], level=0.5 * HEIGHT, name="half way")
    model = fx.Model(ball, rope, fx.Gravity((0, -G)), name="fall")
    return fx.simulate(model, 1.0, step=0.05, events=[down, half], output=fx.Output(every=0.25), progress=False)


def test_positions_velocities_and_forces_at_the_located_times() -> None:
    run = fallen()
    at = run.at_events
    times = [math.sqrt(HEIGHT / G), math.sqrt(2.0 * HEIGHT / G)]
    assert at.names == ("half way", "landing")
    assert len(at) == 2
    # the second-order scheme is exact for a constant acceleration, the event is located to round-off of the interpolant
    np.testing.assert_allclose(at.t, times, rtol=1e-10)
    assert not set(at.t) & set(run.t)
    np.testing.assert_allclose(
        at.position("ball"), [(0.5 * t, HEIGHT - 0.5 * G * t * t, 0.0) for t in times], atol=1e-9
    )
    np.testing.assert_allclose(at.velocity("ball"), [(0.5, -G * t, 0.0) for t in times], rtol=1e-9)
    np.testing.assert_allclose(at.acceleration("ball"), [(0.0, -G, 0.0)] * 2, atol=1e-9)
    np.testing.assert_allclose(
        at.force("rope").coordinate, [math.hypot(1.0 + 0.5 * t, 0.5 * G * t * t) for t in times], rtol=1e-9
    )
    table = at.table("ball.velocity", "rope.coordinate")
    np.testing.assert_array_equal(table["t"], at.t)
    np.testing.assert_allclose(table["ball.velocity.y"], [-G * t for t in times], rtol=1e-9)


def test_turns_are_counted_from_the_states_between() -> None:
    """Events ten turns apart: the angle is that of the spin, not one within a turn of the event before."""
    wheel = fx.RigidBody.sphere(0.1, mass=1.0, angular_velocity=(0.0, 0.0, 20.0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    events = [
        fx.control.Event(fx.control.JointSensor("axle"), level=20.0 * math.pi * k + 1.0, name=f"turn {10 * k}")
        for k in (1, 2)
    ]
    run = fx.simulate(fx.Model(wheel, hinge), 7.0, step=0.02, events=events, progress=False)
    np.testing.assert_allclose(run.at_events.angle("axle"), [20.0 * math.pi + 1.0, 40.0 * math.pi + 1.0], rtol=1e-9)
    assert run.at_events.rotation("wheel").shape == (2, 3, 3)


def test_files_keep_them_and_older_files_say_so(tmp_path: Path) -> None:
    run = fallen()
    again = fx.load(run.save(tmp_path / "fall.h5"))
    np.testing.assert_array_equal(again.at_events.velocity("ball"), run.at_events.velocity("ball"))
    assert [(e.name, e.t) for e in again.events] == [(e.name, e.t) for e in run.events]
    both = fx.concatenate(run, fx.simulate(run.model, 1.1, step=0.05, start=run, progress=False))
    np.testing.assert_array_equal(both.at_events.velocity("ball"), run.at_events.velocity("ball"))
    object.__setattr__(again, "events", tuple(e._replace(state=None) for e in again.events))
    with pytest.raises(fx.ModelError, match="no state of event 'half way'"):
        _ = again.at_events


def test_without_events_and_unknown_names() -> None:
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    run = fx.simulate(fx.Model(ball), 0.1, step=0.05, progress=False)
    assert len(run.at_events) == 0
    assert run.at_events.position(ball).shape == (0, 3)
    with pytest.raises(AttributeError, match="no method named 'speed'"):
        run.at_events.speed(ball)
