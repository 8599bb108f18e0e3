"""Sampled controllers in compiled steps: the bits of the loop in Python, and Python entered once a sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.control_loop import ControlLoop
from flexmbs.model.control.filters import DiscreteSystem, delay_line, low_pass

G = 9.81
GAIN = [[-31.6, -157.0, -35.0, -43.0]]
BRIEF = fx.Output(every=0.05, energy=False)


class Cart:
    """A pendulum on a cart, and what can be measured and driven there."""

    def __init__(self) -> None:
        self.cart = fx.RigidBody.box(size=(0.4, 0.2, 0.1), mass=1.0, position=(0, 0, 0), name="cart")
        self.pole = fx.RigidBody.box(size=(0.05, 0.05, 1.0), mass=0.3, position=(0.05, 0, 0.5), name="pole")
        self.rail = fx.PrismaticJoint(fx.ground, self.cart, at=(0, 0, 0), axis=(1, 0, 0), name="rail")
        self.hinge = fx.RevoluteJoint(self.cart, self.pole, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
        control = fx.control
        self.all = (
            control.JointSensor(self.rail), control.JointSensor(self.hinge), control.JointSensor(self.rail, rate=True),
            control.JointSensor(self.hinge, rate=True),
        )  # fmt: skip
        self.motor = control.JointActuator(self.rail, name="motor", limits=(-40.0, 40.0))

    def model(self, *more: Any) -> fx.Model:
        return fx.Model(self.cart, self.pole, self.rail, self.hinge, fx.Gravity((0, 0, -G)), *more, name="cart")

    def feedback(self, period: float = 1e-3, **more: Any) -> Any:
        return fx.control.StateFeedback(self.all, self.motor, period, gain=GAIN, name="feedback", **more)


def same_samples(runs: list[fx.TimeSolution]) -> None:
    """What controllers did is the same, too."""
    assert np.array_equal(runs[0].extra["samples"], runs[1].extra["samples"])
    one, two = (run.extra["control"]["loop"] for run in runs)
    for name in ("x", "held", "pending", "count"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


@pytest.fixture
def compared(both) -> Callable[..., fx.TimeSolution]:
    """A run by the driver that has the bits of the loop in Python, also in what controllers remember."""

    def make(model: fx.Model, until: float, step: Any, **rest: Any) -> fx.TimeSolution:
        system = fx.compile_model(model)
        runs = [
            fx.simulate(system, until, step=step, integrator=fx.GeneralizedAlpha(compiled=c), progress=False, **rest)
            for c in (False, True)
        ]
        same_samples(runs)
        return both(model, until, step, progress=False, **rest)

    return make


@pytest.mark.parametrize("period", [1e-3, 4e-3, 2.5e-3, 1.3e-3])
@pytest.mark.parametrize("output", [BRIEF, fx.Output(every=0.0233)], ids=["few", "between"])
def test_state_feedback(compared, period: float, output: fx.Output) -> None:
    """Samples at every step, at every fourth, and at times that are no ends of whole steps."""
    setup = Cart()
    run = compared(setup.model(setup.feedback(period)), 0.3, 1e-3, output=output)
    assert len(run.extra["samples"]) == int(np.floor(0.3 / period + 1e-9)) + 1
    assert abs(run.coordinate(setup.hinge, "angle")[-1]) < 0.1


@pytest.mark.parametrize(("period", "at_once"), [(1e-3, True), (4e-3, True), (2.5e-3, False), (1.3e-3, False)])
def test_samples_planned_at_once_are_those_planned_one_by_one(monkeypatch: Any, period: float, at_once: bool) -> None:
    """Where all are exactly at ends of steps; else they are always planned one by one."""
    planned, runs = [], []
    due_at = ControlLoop.due_at

    def noted(self: ControlLoop, *given: Any) -> Any:
        planned.append(due_at(self, *given))
        return planned[-1]

    for plan in (noted, lambda *given: None):
        monkeypatch.setattr(ControlLoop, "due_at", plan)
        setup = Cart()
        scheme = fx.GeneralizedAlpha(rho_inf=0.9, compiled=True)
        model = setup.model(setup.feedback(period))
        runs.append(fx.simulate(model, until=1.2, step=1e-3, integrator=scheme, output=fx.Output(every=0.05)))
    assert any(due is not None for due in planned) == at_once
    one, other = runs
    for name in ("t", "q", "v", "a", "lam", "steps"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert np.array_equal(one.extra["samples"], other.extra["samples"])
    assert np.array_equal(one.energy.total, other.energy.total)
    assert np.array_equal(one.energy.work_loads, other.energy.work_loads)


def controllers(setup: Cart) -> list[Any]:
    """One of each kind, with delays, filters, noise, references and limits."""
    control = fx.control
    hinge, rate = control.JointSensor(setup.hinge), control.JointSensor(setup.hinge, rate=True)
    push = control.ForceActuator(setup.pole.centre, (1, 0, 0), name="push")
    twist = control.MomentActuator(setup.pole.centre, (0, 1, 0), limits=(-0.3, 0.3), name="twist")
    strut = control.LineActuator(fx.ground.marker((0, 0, 2.0)), setup.pole.marker((0, 0, 0.4)), name="strut")
    follower = control.ForceActuator(setup.pole.marker((0, 0, 0.5)), (0, 0, 1), follower=True, name="follower")
    noisy = control.NoisySensor(
        control.PositionSensor(setup.pole.centre), control.WhiteNoise(1e-3, period=1e-3, seed=3), name="noisy"
    )
    low = low_pass(40.0, period=2e-3)
    return [
        setup.feedback(1e-3, delay=2, reference=(fx.motions.Sine(0.1, frequency=0.5), 0.0, 0.0, 0.0)),
        control.PID(hinge, push, 2e-3, proportional=3.0, integral=1.0, derivative=0.2, filter_time=5e-3,
                    limits=(-0.4, 0.4), reference=lambda t: 0.05 * np.sin(3.0 * t), name="pid"),
        control.PID(hinge, twist, 3e-3, proportional=0.3, derivative=0.1, rate=rate, name="rated", delay=1,
                    reference=fx.motions.Sine(0.05, frequency=1.0)),
        control.FilteredController(
            control.StateFeedback(noisy, strut, 2e-3, gain=[[0.5, 0.0, 0.1]], name="filtered"), low
        ),
        control.DiscreteStateSpace(control.HeldSensor("push"), follower, 2e-3, low.then(delay_line(3)),
                                   name="follow", offset=0.011),
        control.Command(control.Signal("signal"), 5e-3, values=lambda t: t * t, name="command"),
    ]  # fmt: skip


def test_every_controller(compared) -> None:
    setup = Cart()
    run = compared(setup.model(*controllers(setup)), 0.25, 1e-3, output=fx.Output(every=0.01))
    assert np.ptp(run.extra["samples"][:, 1:], axis=0).min() > 0.0


def sensors(setup: Cart) -> list[Any]:
    """One of each kind."""
    control, tip = fx.control, setup.pole.marker((0.02, 0.01, 0.4))
    frame = setup.cart.marker((0, 0.1, 0), axis=(1, 0, 0))
    return [
        *setup.all, control.PositionSensor(tip), control.PositionSensor(tip, (1, 0, 1), frame),
        control.VelocitySensor(tip, frame=frame), control.VelocitySensor(tip, (0, 0, 1)),
        control.AccelerationSensor(tip, gravity=(0, 0, -G)), control.AccelerationSensor(tip, (1, 0, 0), frame),
        control.AngularVelocitySensor(tip), control.AngularVelocitySensor(tip, (0, 1, 0), frame),
        control.DistanceSensor(tip, frame), control.DistanceSensor(tip, frame, rate=True),
        control.MultiplierSensor("hinge", 1), control.CoordinateSensor("cart", 0),
        control.CoordinateSensor("pole", 2, rate=True), control.HeldSensor("motor"),
    ]  # fmt: skip


def test_every_sensor(compared) -> None:
    setup = Cart()
    seen = sensors(setup)
    count = sum(s.size for s in seen)
    recorder = fx.control.DiscreteStateSpace(
        seen, [fx.control.Signal(f"reading {i}") for i in range(count)], 2e-3,
        DiscreteSystem([], [], [], np.eye(count)), name="recorder",
    )  # fmt: skip
    compared(setup.model(setup.feedback(2e-3), recorder), 0.05, 1e-3, output=fx.Output(every=0.01))

    rows: list[Any] = []  # of the same sensors, read one by one in Python

    def told(x: Any, u: Any, t: float) -> float:
        rows.append(np.array(u))
        return 0.0

    asked = [_InPython(s) for s in seen]
    watcher = fx.control.Controller(asked, fx.control.Signal("nothing"), 2e-3, output=told, name="watcher")
    run = fx.simulate(setup.model(setup.feedback(2e-3), recorder, watcher), 0.05, step=1e-3, progress=False)
    assert np.array(rows[1:]) == pytest.approx(run.extra["samples"][:, 2:-1], rel=1e-12, abs=1e-12)


class _InPython:
    """A sensor of a user's own, which hands on another one."""

    def __init__(self, sensor: Any) -> None:
        self.sensor, self.name, self.size = sensor, sensor.name, sensor.size
        self.markers, self.joints = tuple(sensor.markers), tuple(sensor.joints)

    def read(self, view: Any) -> Any:
        return self.sensor.read(view)


def test_turns_are_counted_between_samples(compared) -> None:
    """A wheel that turns by more than half a turn from sample to sample."""
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 40.0), name="wheel")
    axle = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    brake = fx.control.StateFeedback(
        fx.control.JointSensor(axle), fx.control.JointActuator(axle, name="brake"), 0.1, gain=[[0.01]], name="brake"
    )
    run = compared(fx.Model(wheel, axle, brake), 1.0, 2e-3, output=fx.Output(every=0.1))
    held = run.extra["samples"][:, 1]
    assert held[-1] == pytest.approx(-0.01 * 40.0, rel=0.1)
    assert np.all(np.diff(held) < 0.0)


@pytest.mark.parametrize("period", [1e-3, 3e-3])
def test_a_python_controller_is_entered_once_a_sample(compared, period: float) -> None:
    setup, calls = Cart(), []

    def output(x: Any, u: Any, t: float) -> Any:
        calls.append(t)
        return -np.array(GAIN) @ u

    model = setup.model(fx.control.Controller(setup.all, setup.motor, period, output=output, name="own"))
    system = fx.compile_model(model)
    calls.clear()
    scheme = fx.GeneralizedAlpha(compiled=True)
    fx.simulate(system, 0.3, step=1e-3, integrator=scheme, output=BRIEF, progress=False)
    assert calls[0] == calls[1]  # it is asked twice at first
    assert calls[1:] == pytest.approx(period * np.arange(int(np.floor(0.3 / period + 1e-9)) + 1))
    compared(model, 0.3, 1e-3, output=BRIEF)


@pytest.mark.parametrize("period", [1e-3, 3e-3])
def test_sensors_in_python_are_read_once_a_sample(compared, period: float) -> None:
    """Two controllers share one; one of them is ours, and is evaluated in Python for its sake."""
    setup, asked = Cart(), []

    def lean(t: float, view: Any) -> float:
        asked.append(t)
        return float(view.position(setup.pole.centre)[0] - view.position(setup.cart.centre)[0])

    sensor = fx.control.FunctionSensor(lean, markers=(setup.pole.centre, setup.cart.centre), name="lean")
    own = fx.control.Controller(
        [*setup.all, sensor], setup.motor, period, name="own",
        output=lambda x, u, t: -np.array(GAIN[0]) @ u[:4] - 3.0 * u[4] + x, update=lambda x, u, t: 0.9 * x + u[4:],
        start=[0.1],
    )  # fmt: skip
    other = fx.control.JointActuator(setup.hinge, name="other")
    pid = fx.control.PID(
        sensor, other, period, proportional=0.1, integral=0.2, reference=lambda t: 0.01 * t, name="pid"
    )
    model = setup.model(own, pid)
    system = fx.compile_model(model)
    asked.clear()
    run = fx.simulate(
        system, 0.3, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=True), output=BRIEF, progress=False
    )  # fmt: skip
    assert run.counts["compiled_steps"] == 300
    assert run.counts["kept_in_python"] == ("samples: sensor 'lean' of controller 'own' is evaluated in Python",)
    assert asked[0] == asked[1]  # it is asked twice at first
    assert asked[1:] == pytest.approx(period * np.arange(int(np.floor(0.3 / period + 1e-9)) + 1))
    compared(model, 0.3, 1e-3, output=BRIEF)


def test_an_angle_that_a_sensor_asks_for_late_is_counted_from_then_on(compared) -> None:
    """A wheel turns 8 rad/s; from 0.5 s on its angle is asked for, over more than a turn."""
    wheel = fx.RigidBody.box(size=(1, 1, 0.1), mass=1.0, position=(0, 0, 0), angular_velocity=(0, 0, 8.0), name="wheel")
    axle = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    late = fx.control.FunctionSensor(lambda t, view: view.row("axle", "angle")[0] if t > 0.5 else 0.0, name="late")
    command = fx.control.Controller(
        late, fx.control.Signal("turned"), 0.01, output=lambda x, u, t: u, name="command"
    )  # fmt: skip
    run = compared(fx.Model(wheel, axle, command), 2.0, 2e-3, output=fx.Output(every=0.1))
    turned = run.extra["samples"][:, 1]
    assert turned[-1] - turned[60] == pytest.approx(8.0 * 0.01 * (len(turned) - 61), rel=1e-6)


def test_loads_and_motions_that_vary(compared) -> None:
    setup = Cart()
    blow = fx.PointForce(setup.pole.centre, (0.2, 0, 0), history=lambda t: np.sin(9.0 * t))
    base = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 1, 0), name="base")
    guide = fx.PrismaticJoint(fx.ground, base, at=(0, 1, 0), axis=(0, 0, 1), name="guide")
    driver = fx.TranslationDriver(guide, lambda t: 0.02 * np.sin(8.0 * t), name="lift")
    spring = fx.SpringDamper(base.centre, setup.cart.centre, stiffness=20.0, damping=0.3, name="spring")
    model = setup.model(setup.feedback(2e-3), blow, base, guide, driver, spring)
    compared(model, 0.2, 1e-3, output=fx.Output(every=0.02))


def test_with_chosen_steps(compared) -> None:
    setup = Cart()
    compared(setup.model(setup.feedback(5e-3)), 0.2, fx.ErrorControl(1e-6), output=fx.Output(every=0.02))


@pytest.mark.parametrize("end", [0.1, 0.137])
def test_resuming_is_bitwise(end: float) -> None:
    setup = Cart()
    system = fx.compile_model(setup.model(*controllers(setup)))
    scheme = fx.GeneralizedAlpha(compiled=True)
    whole = fx.simulate(system, 0.2, step=1e-3, integrator=scheme, progress=False)
    half = fx.simulate(system, end, step=1e-3, integrator=scheme, progress=False)
    rest = fx.simulate(system, 0.2, step=1e-3, integrator=scheme, start=half, progress=False)
    n = len(rest)
    for name in ("t", "q", "v", "lam"):
        assert np.array_equal(getattr(whole, name)[-n + 1 :], getattr(rest, name)[1:]), name


def test_an_output_that_is_not_finite_is_told_by_name_and_time() -> None:
    """Gains that make the loop unstable, until numbers overflow; what was computed before is the same in both."""
    setup = Cart()
    unstable = DiscreteSystem([[1e30]], [[1.0]], [[1.0]], [[0.0]])
    control = fx.control.DiscreteStateSpace(
        fx.control.JointSensor(setup.hinge), fx.control.Signal("nothing"), 5e-3, unstable, name="growing"
    )
    system, messages = fx.compile_model(setup.model(control)), []
    for compiled in (False, True):
        with pytest.raises(fx.ModelError, match=r"controller 'growing': update at t = ") as found:
            fx.simulate(system, 0.2, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=compiled), progress=False)
        messages.append(str(found.value))
    assert messages[0] == messages[1]


def test_a_class_derived_from_ours_is_asked_in_python() -> None:
    """What it overrides is not known to a kernel."""

    class Half(fx.control.StateFeedback):
        def output(self, x: Any, u: Any, t: float) -> Any:
            return 0.5 * super().output(x, u, t)

    class Twice(fx.control.JointSensor):
        def read(self, view: Any) -> float:
            return 2.0 * super().read(view)

    setup = Cart()
    half = Half(setup.all, setup.motor, 2e-3, gain=GAIN, name="half")
    same = fx.control.StateFeedback(setup.all, setup.motor, 2e-3, gain=0.5 * np.array(GAIN), name="half")
    filtered = fx.control.FilteredController(fx.control.FilteredController(half, delay_line(0)), delay_line(0))
    twice = [fx.control.NoisySensor(Twice(s.joint, rate=s.rate), 0.0) for s in setup.all]
    quarter = fx.control.StateFeedback(twice, setup.motor, 2e-3, gain=0.25 * np.array(GAIN), name="half")
    runs = [
        fx.simulate(setup.model(c), 0.05, step=1e-3, progress=False, integrator=fx.GeneralizedAlpha(compiled=True))
        for c in (same, half, filtered, quarter)
    ]
    for run in runs[1:]:
        assert run.q == pytest.approx(runs[0].q, abs=1e-12)


def failing(kind: str) -> Callable[[Any, Any, float], Any]:
    """A controller's function that does what it must not from t = 0.05 on."""
    drawn = np.random.default_rng(1)

    def output(x: Any, u: Any, t: float) -> Any:
        if kind == "random":
            return drawn.random()
        if t < 0.05:
            return 0.1
        if kind == "raises":
            raise RuntimeError("no signal")
        return {"nan": np.nan, "nothing": None, "two": [1.0, 2.0]}[kind]

    return output


@pytest.mark.parametrize(
    ("kind", "told"),
    [("nan", "nan"), ("raises", "RuntimeError: no signal"), ("nothing", "lack its return"),
     ("two", "shape")],
)  # fmt: skip
@pytest.mark.parametrize("compiled", [False, True])
def test_a_function_that_fails_is_told_and_the_run_is_kept(kind: str, told: str, compiled: bool) -> None:
    setup = Cart()
    control = fx.control.Controller(setup.all, setup.motor, 0.01, output=failing(kind), name="own")
    system = fx.compile_model(setup.model(control))
    given = {"step": 1e-3, "integrator": fx.GeneralizedAlpha(compiled=compiled), "progress": False}
    with pytest.raises(fx.ModelError, match=r"controller 'own': output at t = 0\.05") as found:
        fx.simulate(system, 0.2, **given)
    assert told in str(found.value)
    assert "u = [" in str(found.value)
    kept = found.value.solution
    assert kept.status is fx.Status.FAILED
    assert kept.t[-1] == pytest.approx(0.05)
    assert np.array_equal(fx.simulate(system, 0.2, throw=False, **given).q, kept.q)


def test_what_gives_two_values_for_the_same_arguments_is_refused() -> None:
    setup = Cart()
    control = fx.control.Controller(setup.all, setup.motor, 0.01, output=failing("random"), name="own")
    with pytest.raises(fx.ModelError, match=r"controller 'own': output at t = 0 gives .* and, called again"):
        fx.simulate(setup.model(control), 0.1, step=1e-3, progress=False)
    drawn = np.random.default_rng(1)
    states = fx.control.FirstOrder([0.0], lambda x, u, t: drawn.random(), name="drawn")
    with pytest.raises(fx.ModelError, match=r"FirstOrder 'drawn': its rates at t = 0 are .* and, called again"):
        fx.simulate(setup.model(states), 0.1, step=1e-3, progress=False)


def test_what_kept_steps_in_python_is_told_by_name(tmp_path: Path) -> None:
    setup = Cart()
    law = fx.control.JointActuator(setup.rail, law=lambda h, s, rate, t: h - rate, name="motor")
    control = fx.control.StateFeedback(setup.all, law, 1e-2, gain=GAIN, name="feedback")
    brief = {"step": 1e-3, "progress": False, "output": BRIEF}
    run = fx.simulate(setup.model(control), 1.1, integrator=fx.GeneralizedAlpha(compiled=True), **brief)
    assert run.counts["kept_in_python"] == ("every evaluation: the law of 'motor' is computed in Python",)
    assert run.counts["compiled_steps"] == 1100
    assert run.counts["calls"]["motor"] >= 1100
    own = fx.control.Controller(setup.all, setup.motor, 1e-2, output=lambda x, u, t: -np.array(GAIN) @ u, name="own")
    run = fx.simulate(setup.model(own), 0.2, integrator=fx.GeneralizedAlpha(compiled=True), **brief)
    assert run.counts["kept_in_python"] == ("samples: controller 'own' is evaluated in Python",)
    assert run.counts["compiled_steps"] == run.counts["steps"] == 200
    assert run.counts["calls"] == {"own": 22}
    assert 0.0 < run.counts["call_seconds"]["own"] < run.counts["seconds"]
    run.save(tmp_path / "run.h5")
    assert fx.load(tmp_path / "run.h5", model=run.model).counts == run.counts
