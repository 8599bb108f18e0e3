"""The control loop: sample times, order of reading and computing, delays, purity, checkpoints, the exact motion."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.core.errors import ModelError, ReadError
from flexmbs.dynamics.control_loop import ControlLoop, ControlState
from flexmbs.io.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from flexmbs.model.control.filters import moving_average
from flexmbs.verification.reference.sampled_control import SampledMass


def clock(period: float, offset: float = 0.0, name: str = "clock", delay: int = 0) -> fx.control.Controller:
    """A controller that counts its samples and tells the time of the last one."""
    return fx.control.Controller(
        (),
        fx.control.Signal(f"{name} out"),
        period,
        lambda x, u, t: t,
        lambda x, u, t: x + 1,
        [0.0],
        delay,
        offset,
        -1.0,
        name,
    )


def sampled_times(loop: ControlLoop, view_type, until: float, start: float = 0.0) -> tuple[list[float], ControlState]:
    """All sample times of a run."""
    state, times = loop.initial(start), []
    t = loop.due_time(state)
    while t <= until:
        times.append(t)
        state = loop.sample(state, view_type(t))
        assert loop.next_time(t) == loop.due_time(state)
        t = loop.next_time(t)
    return times, state


def test_times_are_multiples_and_never_summed_up(fake_view) -> None:
    times, _ = sampled_times(ControlLoop([clock(0.1)]), fake_view, 100.05)
    assert times == [k * 0.1 for k in range(1001)]


def test_an_irrational_ratio_of_periods(fake_view) -> None:
    loop = ControlLoop([clock(1.0, name="a"), clock(math.sqrt(2.0), name="b"), clock(math.pi / 10, 0.05, "c")])
    times, state = sampled_times(loop, fake_view, 300.0)
    series = [np.arange(0, 301) * 1.0, np.arange(0, 213) * math.sqrt(2.0), 0.05 + np.arange(0, 955) * (math.pi / 10)]
    expected = np.unique(np.concatenate([s[s <= 300.0] for s in series]))
    assert times == expected.tolist()
    assert state.count.tolist() == [301, 213, 955]
    assert [loop.controller_state(state, name)[0] for name in "abc"] == [301, 213, 955]
    assert loop.outputs(state).tolist() == [300.0, 212 * math.sqrt(2.0), 0.05 + 954 * (math.pi / 10)]


def test_samples_that_differ_by_round_off_are_one(fake_view) -> None:
    assert 3 * 0.1 != 0.3
    loop = ControlLoop([clock(0.1, name="a"), clock(0.3, name="b"), clock(1 / 3, name="c"), clock(1.0, name="d")])
    times, state = sampled_times(loop, fake_view, 100.01)
    exact = {Fraction(k, 10) for k in range(1001)} | {Fraction(k, 3) for k in range(301)}
    assert len(times) == len(exact)
    assert times == pytest.approx(sorted(float(t) for t in exact), rel=1e-14)
    assert state.count.tolist() == [1001, 334, 301, 101]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1e-3, 3.0), st.floats(-2.0, 2.0)), min_size=1, max_size=4),
    st.floats(-5.0, 1e4),
    st.integers(1, 30),
)
def test_next_time_agrees_with_the_counters(clocks: list[tuple[float, float]], start: float, samples: int) -> None:
    loop = ControlLoop([clock(T, offset, f"clock {i}") for i, (T, offset) in enumerate(clocks)])
    state = loop.initial(start)
    t = loop.due_time(state)
    assert t >= start - 1e-12 * max(1.0, abs(start))
    for _ in range(samples):
        state = loop.sample(state, FixedTime(t))
        later = loop.next_time(t)
        assert t < later == loop.due_time(state)
        t = later


class FixedTime:
    """A view of nothing but the time."""

    def __init__(self, t: float) -> None:
        self.t = t


def test_starting_late_keeps_the_multiples(fake_view) -> None:
    loop = ControlLoop([clock(0.25), clock(0.1, 2.0, "late")])
    assert loop.initial(0.6).count.tolist() == [3, 0]
    assert loop.initial(0.75).count.tolist() == [3, 0]
    assert loop.initial(2.05).count.tolist() == [9, 1]
    assert loop.next_time(0.75) == 1.0
    assert loop.sample(loop.initial(0.6), fake_view(0.7)).count.tolist() == [3, 0]


def test_no_controllers(fake_view) -> None:
    loop = ControlLoop([])
    state = loop.initial()
    assert (loop.next_time(0.0), loop.due_time(state)) == (math.inf, math.inf)
    assert loop.sample(state, fake_view()) is state
    assert loop.outputs(state).shape == (0,)
    assert loop.restored(state.arrays()).x.shape == (0,)


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_when_an_output_acts(fake_view, delay: int) -> None:
    loop = ControlLoop([clock(0.5, delay=delay)])
    state, held = loop.initial(), []
    assert loop.outputs(state).tolist() == [-1.0]
    for k in range(8):
        state = loop.sample(state, fake_view(0.5 * k))
        held.append(float(loop.outputs(state)[0]))
    assert held == [-1.0] * delay + [0.5 * k for k in range(8 - delay)]


def test_all_sensors_are_read_before_any_controller_acts() -> None:
    """Two controllers that copy each other's held value must swap them; a shared sensor is read once."""
    a, b, log = fx.control.Signal("a"), fx.control.Signal("b"), []

    class View:
        t = 0.0
        values = {"a": 1.0, "b": 2.0}  # noqa: RUF012

        def held(self, name: str) -> float:
            log.append(name)
            return self.values[name]

    see_a, see_b = fx.control.HeldSensor(a), fx.control.HeldSensor(b)

    def copy(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        log.append("output")
        return u[:1]

    loop = ControlLoop(
        [
            fx.control.Controller(see_b, a, 1.0, copy, name="one"),
            fx.control.Controller((see_a, see_b), b, 1.0, copy, name="two"),
        ]
    )
    state = loop.sample(loop.initial(), View())
    assert loop.outputs(state).tolist() == [2.0, 1.0]
    assert log == ["b", "a", "output", "output"]


def test_sampling_changes_nothing_that_was_there(fake_view) -> None:
    pid = fx.control.PID(fx.control.JointSensor("hinge"), fx.control.Signal("torque"), 0.1, 2.0, 1.0, 0.5, delay=2)
    loop = ControlLoop([pid, clock(0.2)])
    state = loop.sample(loop.initial(), fake_view(0.0, rows={("hinge", "angle"): (0.7, 0.0)}))
    before = state.arrays()
    view = fake_view(0.1, rows={("hinge", "angle"): (0.4, 0.0)})
    once, twice = loop.sample(state, view), loop.sample(state, view)
    for name, array in state.arrays().items():
        assert np.array_equal(array, before[name]), name
        assert np.array_equal(once.arrays()[name], twice.arrays()[name]), name
    assert once is not state
    assert not np.array_equal(once.x, state.x)
    for array in (state.x, state.held, state.pending, state.count, loop.outputs(state)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    state.arrays()["control.x"][0] = 99.0
    assert state.x[0] != 99.0


def test_functions_get_copies_which_they_may_write_to(fake_view) -> None:
    def output(x: np.ndarray, u: np.ndarray, t: float) -> float:
        x[0], u[0] = 7.0, 7.0
        return x[0]

    def update(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        x += u
        return x

    angle = fx.control.JointSensor("hinge")
    loop = ControlLoop([fx.control.Controller(angle, fx.control.Signal("s"), 0.1, output, update, [1.0], name="sum")])
    state = loop.initial()
    after = loop.sample(state, fake_view(rows={("hinge", "angle"): (0.5, 0.0)}))
    assert state.x[0] == 1.0
    assert (after.x[0], after.held[0]) == (1.5, 7.0)


def test_a_controller_that_calls_scipy_is_evaluated(fake_view) -> None:
    def output(x: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        return -Rotation.from_rotvec(u).as_rotvec()

    angles = [fx.control.JointSensor(name) for name in "abc"]
    signals = [fx.control.Signal(name) for name in "abc"]
    loop = ControlLoop([fx.control.Controller(angles, signals, 0.1, output, name="attitude")])
    held = loop.sample(loop.initial(), fake_view(rows={(name, "angle"): (0.1, 0.0) for name in "abc"})).held
    assert held == pytest.approx([-0.1, -0.1, -0.1])


def test_resuming_from_a_checkpoint_is_bitwise(fake_view, tmp_path) -> None:
    noisy = fx.control.NoisySensor(fx.control.JointSensor("hinge"), fx.control.WhiteNoise(0.3, 0.05, seed=11))
    pid = fx.control.PID(noisy, fx.control.Signal("torque"), 0.05, 2.0, 1.0, 0.5, filter_time=0.1, delay=1)
    shaker = fx.control.Command(fx.control.Signal("shaker"), 0.03, fx.control.BandNoise(1.0, (1.0, 5.0), seed=5))

    def go(loop: ControlLoop, state: ControlState, until: float) -> ControlState:
        while (t := loop.due_time(state)) <= until:
            state = loop.sample(state, fake_view(t, rows={("hinge", "angle"): (math.sin(t), 0.0)}))
        return state

    loop = ControlLoop([pid, shaker])
    half = go(loop, loop.initial(), 1.0)
    path = save_checkpoint(Checkpoint({**half.arrays(), "q": np.zeros(2)}), tmp_path / "half.checkpoint")
    other = ControlLoop([pid, shaker])
    resumed = go(other, other.restored(load_checkpoint(path).arrays), 2.0)
    through = go(loop, half, 2.0)
    for name, array in through.arrays().items():
        assert array.tobytes() == resumed.arrays()[name].tobytes(), name
    assert resumed.count.tolist() == [41, 67]


def test_state_of_other_controllers_is_refused() -> None:
    loop = ControlLoop([clock(0.1)])
    arrays = loop.initial().arrays()
    with pytest.raises(ReadError, match=r"'control\.held' is missing"):
        loop.restored({name: a for name, a in arrays.items() if name != "control.held"})
    with pytest.raises(ReadError, match=r"'control.x' has shape \(1,\).*need \(2,\)"):
        ControlLoop([clock(0.1), clock(0.2, name="b")]).restored(arrays)
    with pytest.raises(ReadError, match=r"'control\.count' has shape .* and type float64"):
        loop.restored({**arrays, "control.count": np.array([1.0])})
    with pytest.raises(ReadError, match="not finite"):
        loop.restored({**arrays, "control.x": np.array([math.nan])})


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_closed_loop_with_a_mass_on_a_spring_is_the_exact_motion(delay: int) -> None:
    """The plant goes from sample to sample by the matrix exponential; the controller is a PID with measured rate."""
    m, k, c, P, D, T, r = 2.0, 30.0, 0.4, 12.0, 3.0, 0.05, 0.2
    angle, rate = (
        fx.control.JointSensor("slide", "displacement"),
        fx.control.JointSensor("slide", "displacement", rate=True),
    )
    pid = fx.control.PID(angle, fx.control.Signal("force"), T, P, derivative=D, rate=rate, reference=r, delay=delay)
    loop = ControlLoop([pid])

    class View:
        def __init__(self, t: float, x: np.ndarray) -> None:
            self.t, self.x = t, x

        def row(self, joint: str, label: str) -> tuple[float, float]:
            return float(self.x[0]), float(self.x[1])

    plant = expm(T * np.array([[0.0, 1.0, 0.0], [-k / m, -c / m, 1 / m], [0.0, 0.0, 0.0]]))
    x, state, found = np.array([0.5, -1.0]), loop.initial(), []
    for n in range(60):
        found.append(x)
        state = loop.sample(state, View(n * T, x))
        x = (plant @ np.append(x, loop.outputs(state)))[:2]
    exact = SampledMass(m, k, c, P, D, T, delay, r).samples([0.5, -1.0], 59)
    assert np.array(found) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("output", "update", "match"),
    [
        (lambda x, u, t: 1 / 0, None, r"output at t = 0\.5 failed with ZeroDivisionError"),
        (lambda x, u, t: math.nan, None, r"output at t = 0\.5 must be finite"),
        (lambda x, u, t: [1.0, 2.0], None, r"output at t = 0\.5 must have shape \(1,\)"),
        (lambda x, u, t: None, None, r"output at t = 0\.5 is None; does the function lack its return"),
        (lambda x, u, t: t + "s", None, r"output at t = 0\.5 failed with TypeError"),
        (lambda x, u, t: 0.0, lambda x, u, t: [1.0], r"update at t = 0\.5 must have shape \(2,\)"),
        (lambda x, u, t: 0.0, lambda x, u, t: x[7], r"update at t = 0\.5 failed with IndexError"),
    ],
)
def test_failing_controllers_are_named_with_the_time(fake_view, output, update, match: str) -> None:
    bad = fx.control.Controller((), fx.control.Signal("s"), 0.5, output, update, [0.0, 0.0], offset=0.5, name="bad")
    loop = ControlLoop([bad])
    with pytest.raises(ModelError, match=f"controller 'bad': {match}"):
        loop.sample(loop.initial(), fake_view(0.5))


def test_failing_sensor_names_the_controller_too(fake_view) -> None:
    broken = fx.control.FunctionSensor(lambda t, view: math.inf, name="broken")
    loop = ControlLoop([fx.control.StateFeedback(broken, fx.control.Signal("s"), 0.1, [[1.0]], name="arm")])
    with pytest.raises(ModelError, match=r"controller 'arm': sensor 'broken': .*t = 0.*finite"):
        loop.sample(loop.initial(), fake_view())


def test_a_sample_left_out_is_noticed(fake_view) -> None:
    loop = ControlLoop([clock(0.1)])
    with pytest.raises(ModelError, match=r"'clock': its sample 0 at t = 0 was left out; it is t = 0\.1 already"):
        loop.sample(loop.initial(), fake_view(0.1))


def test_names_and_actuators_are_unique() -> None:
    with pytest.raises(ModelError, match=r"names of controllers are used twice: \['clock'\]"):
        ControlLoop([clock(0.1), clock(0.2)])
    shared = fx.control.Signal("s")
    with pytest.raises(ModelError, match=r"names of actuators are used twice: \['s'\]"):
        ControlLoop([fx.control.Command(shared, 0.1, 1.0, name="a"), fx.control.Command(shared, 0.1, 1.0, name="b")])
    with pytest.raises(ModelError, match="expected a controller"):
        ControlLoop([fx.control.JointSensor("hinge")])
    loop = ControlLoop([clock(0.1)])
    with pytest.raises(ModelError, match="no controller named 'clok'; did you mean 'clock'"):
        loop.controller_state(loop.initial(), "clok")
    with pytest.raises(ModelError, match="finite time"):
        loop.initial(math.nan)


def test_what_the_simulation_has_to_prepare() -> None:
    marker = fx.ground.marker((1, 0, 0))
    sensors = (
        fx.control.PositionSensor(marker, (1, 0, 0)),
        fx.control.JointSensor("hinge"),
        fx.control.VelocitySensor(marker, (1, 0, 0)),
    )
    loop = ControlLoop([fx.control.StateFeedback(sensors, fx.control.Signal("s"), 0.1, [[1.0, 2.0, 3.0]])])
    assert loop.markers == (marker,)
    assert loop.joints == ("hinge",)
    assert [a.name for a in loop.actuators] == ["s"]


def test_controllers_and_states_are_items_of_a_model() -> None:
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    push = fx.control.ForceActuator(ball, (1, 0), name="push")
    control = fx.control.PID(fx.control.PositionSensor(ball, (1, 0)), push, 0.1, 1.0)
    lag = fx.control.FirstOrder([0.0], lambda x, u, t: -x, name="lag")
    angle = fx.control.PID(
        fx.control.PositionSensor(ball, (0, 1)), fx.control.Signal("unused"), 0.1, 1.0, name="filtered"
    )
    filtered = fx.control.FilteredController(angle, moving_average(2))
    model = fx.Model(ball, control, lag, filtered)
    assert model.controllers == (control, filtered)
    assert model.states == (lag,)
