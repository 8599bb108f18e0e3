"""Angles over many turns: what is asked of stored states knows the turns that the analysis counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.model.control.first_order import linear_states
from flexmbs.results.sensor_history import sensor_history

C = fx.control
TORQUE, STIFFNESS, DAMPING, INERTIA = 40.0, 2.0, 1.5, 0.1
WOUND = TORQUE / STIFFNESS
"""Angle [rad] to which the motor winds the spring: three turns and a bit."""
SPARSE = fx.Output(every=3.0)
"""Between its states the bar turns more than once, and it rests at both."""


def parts() -> tuple[fx.RigidBody, fx.RevoluteJoint]:
    bar = fx.RigidBody(1.0, (0.1, 0.1, INERTIA), position=(0, 0, 0), name="bar")
    return bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")


def spring(hinge: fx.RevoluteJoint, damping: float = DAMPING) -> fx.TorsionSpring:
    return fx.TorsionSpring(hinge, stiffness=STIFFNESS, damping=damping, free_angle=0.0, name="spring")


def wound(*others: object) -> fx.Model:
    """A spring that a motor winds up."""
    bar, hinge = parts()
    return fx.Model(bar, hinge, spring(hinge), fx.JointForce(hinge, TORQUE, name="motor"), *others)


def rests_wound(found: fx.StaticSolution | fx.TimeSolution, tolerance: float = 1e-9) -> None:
    assert found.angle("hinge")[-1] == pytest.approx(WOUND, rel=tolerance)
    history = found.force("spring")
    assert history.force[-1] == pytest.approx(TORQUE, rel=tolerance)
    assert history.energy[-1] == pytest.approx(0.5 * STIFFNESS * WOUND**2, rel=tolerance)


def test_equilibria() -> None:
    found = fx.solve_static(wound())
    rests_wound(found)
    assert found.angle("hinge").shape == found.load_factors.shape


def test_paths_of_equilibria() -> None:
    """Wound by a driver that goes on with time; the torque of the driver is that of the spring."""
    bar, hinge = parts()
    drive = fx.RotationDriver(hinge, motion=fx.motions.Linear(1.0), name="drive")
    model = fx.Model(bar, hinge, spring(hinge), drive)
    start = None
    for time in (2.5, 5.0, 7.5):
        start = fx.solve_static(model, time=time, start=start)
        assert start.angle("hinge")[-1] == pytest.approx(time)
        assert start.force("spring").force[-1] == pytest.approx(STIFFNESS * time)
        assert abs(start.reaction_moment("drive")[-1, 2]) == pytest.approx(STIFFNESS * time)


def test_equilibria_that_are_stored(tmp_path: Path) -> None:
    fx.solve_static(wound()).save(tmp_path / "wound.h5")
    rests_wound(fx.load(tmp_path / "wound.h5"))


@pytest.mark.parametrize("energy", [False, True])
@pytest.mark.parametrize("compiled", [False, None])
def test_motions_of_which_few_states_are_stored(energy: bool, compiled: bool | None, tmp_path: Path) -> None:
    """J a'' + d a' + c a = 40 from rest: at the end exp(-d t / 2 J) of it is left, nothing."""
    scheme = fx.GeneralizedAlpha(compiled=compiled)
    output = fx.Output(every=3.0, energy=energy)
    run = fx.simulate(wound(), until=12.0, step=5e-3, integrator=scheme, output=output, progress=False)
    assert len(run) == 5
    rests_wound(run, 1e-6)
    run.save(tmp_path / "run.h5")
    rests_wound(fx.load(tmp_path / "run.h5"), 1e-6)
    more = fx.simulate(run.model, until=15.0, step=5e-3, integrator=scheme, output=output, start=run, progress=False)
    rests_wound(more, 1e-6)
    whole = fx.concatenate(run, more)
    assert len(whole) == 6
    rests_wound(whole, 1e-6)


@pytest.mark.parametrize("energy", [False, True])
@pytest.mark.parametrize("compiled", [False, None])
def test_what_is_left_of_a_killed_run_knows_its_turns(
    energy: bool, compiled: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the states up to the last checkpoint, after 2000 of 2300 steps; the journal of a whole run holds them, too."""
    options = {
        "step": 5e-3, "integrator": fx.GeneralizedAlpha(compiled=compiled),
        "output": fx.Output(every=2.5, energy=energy),
    }  # fmt: skip
    whole = fx.simulate(wound(), until=11.5, file=tmp_path / "whole.h5", progress=False, **options)
    with monkeypatch.context() as killed:
        killed.setattr("flexmbs.io.time_files.Stream.close", lambda stream, solution: stream.writer.close())
        fx.simulate(wound(), until=11.5, file=tmp_path / "run.h5", progress=False, **options)
    with pytest.warns(fx.LossWarning, match="left out"):
        left = fx.load(tmp_path / "run.h5.journal")
    assert len(left) == 5
    assert left.counted_angles is not None
    assert np.array_equal(left.counted_angles, whole.counted_angles[:5])
    assert np.array_equal(left.angle("hinge"), whole.angle("hinge")[:5])
    rests_wound(left, 1e-6)
    rests_wound(fx.load(left.save(tmp_path / "left.h5")), 1e-6)
    rests_wound(fx.load(tmp_path / "whole.h5"), 1e-6)
    rest = fx.simulate(left.model, until=11.5, start=left, progress=False, **options)
    together = fx.concatenate(left, rest)
    assert np.array_equal(together.counted_angles, whole.counted_angles)
    rests_wound(together, 1e-6)


def test_error_control() -> None:
    run = fx.simulate(wound(), until=12.0, output=SPARSE, progress=False)
    rests_wound(run, 1e-4)


def test_a_motor_that_is_gone_lets_the_spring_go() -> None:
    """J a'' + d a' + c a = 0 from 20 rad: w = sqrt(c / J - (d / 2 J)^2)."""
    bar, hinge = parts()
    still = fx.solve_static(fx.Model(bar, hinge, spring(hinge, 0.1), fx.JointForce(hinge, TORQUE, name="motor")))
    run = fx.simulate(fx.Model(bar, hinge, spring(hinge, 0.1)), until=0.5, step=1e-3, start=still, progress=False)
    decay, w = 0.5, np.sqrt(20.0 - 0.25)
    exact = WOUND * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    np.testing.assert_allclose(run.angle("hinge"), exact, atol=1e-5 * WOUND)  # (w h)^2 / 12
    assert run.energy.total[0] == pytest.approx(400.0)


@pytest.mark.parametrize("own", [True, False])
def test_controllers_begin_with_the_turns_of_the_equilibrium(own: bool) -> None:
    """One that holds the angle that there is has nothing to do."""
    bar, hinge = parts()
    sensor, motor = C.JointSensor(hinge), C.JointActuator(hinge, name="held")
    hold: C.Controller = (
        C.PID(sensor, motor, 0.01, proportional=1.0, reference=WOUND, name="PID")
        if own
        else C.Controller([sensor], motor, 0.01, output=lambda x, u, t: np.array([WOUND - u[0]]), name="hold")
    )
    model = fx.Model(bar, hinge, spring(hinge), fx.JointForce(hinge, TORQUE, name="motor"), hold)
    run = fx.simulate(model, until=0.1, step=5e-3, start=fx.solve_static(model), progress=False)
    assert abs(run.v).max() < 1e-9
    np.testing.assert_allclose(sensor_history(run, sensor), WOUND, rtol=1e-12)


@pytest.mark.parametrize("compiled", [True, False])
def test_states_read_turns_in_equilibria(compiled: bool) -> None:
    """x' = angle - x at rest: x = 20."""
    bar, hinge = parts()
    read = C.JointSensor(hinge)
    lag = (
        linear_states([[-1.0]], [[1.0]], [read], name="lag")
        if compiled
        else C.FirstOrder((0.0,), lambda x, u, t: np.array([u[0] - x[0]]), inputs=[read], name="lag")
    )
    model = fx.Model(bar, hinge, spring(hinge), fx.JointForce(hinge, TORQUE, name="motor"), lag)
    still = fx.solve_static(model)
    found = fx.linearise(still, [], [C.StateSensor("lag"), read])
    np.testing.assert_allclose(found.operating_outputs, WOUND, rtol=1e-9)
    run = fx.simulate(model, until=0.1, step=5e-3, start=still, progress=False)
    assert abs(run.velocity("bar")).max() + abs(run.angular_velocity("bar")).max() < 1e-9
    np.testing.assert_allclose(sensor_history(run, C.StateSensor("lag")), WOUND, rtol=1e-9)


def test_an_event_begins_with_the_turns_of_the_equilibrium() -> None:
    """The angle is above the level from the start on: it does not pass it."""
    model = wound()
    level = C.Event(C.JointSensor("hinge"), level=10.0, name="passes")
    run = fx.simulate(model, until=0.05, step=5e-3, start=fx.solve_static(model), events=[level], progress=False)
    assert run.events == ()


@pytest.mark.parametrize("stored", [False, True])
def test_states_at_events_know_their_turns(stored: bool, tmp_path: Path) -> None:
    """As the spring is wound up: at ten radians, and at fifteen after the run has been gone on with."""
    levels = [C.Event(C.JointSensor("hinge"), level=level, name=f"at {level:g}") for level in (10.0, 15.0)]
    bar, hinge = parts()
    slow = fx.TorsionSpring(hinge, stiffness=STIFFNESS, damping=40.0, free_angle=0.0, name="spring")
    model = fx.Model(bar, hinge, slow, fx.JointForce(hinge, TORQUE, name="motor"))
    output = fx.Output(every=20.0)
    run = fx.simulate(model, until=20.0, step=1e-2, output=output, events=levels, progress=False)
    more = fx.simulate(model, until=100.0, step=1e-2, output=output, events=levels, start=run, progress=False)
    whole = fx.concatenate(run, more)
    if stored:
        whole.save(tmp_path / "whole.h5")
        whole = fx.load(tmp_path / "whole.h5")
    assert [event.name for event in whole.events] == ["at 10", "at 15"]
    np.testing.assert_allclose(whole.at_events.angle("hinge"), [10.0, 15.0], rtol=1e-6)
    np.testing.assert_allclose(whole.at_events.force("spring").coordinate, [10.0, 15.0], rtol=1e-6)


def test_small_motions_and_reactions_about_wound_states() -> None:
    """A cubic spring: T = 2 a + 0.01 a^3 = 120 at 20 rad, where its stiffness is 14."""
    rotor = fx.PlanarRigidBody(0.2, 0.1, position=(1, 0), name="rotor")
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=500.0, mass_per_length=0.5),
    )  # fmt: skip
    hinge = fx.RevoluteJoint(beam.end, rotor, at=(1, 0), name="hinge")
    cubic = fx.TorsionSpring(hinge, stiffness=(2.0, 0, 0.01), damping=1.0, free_angle=0.0, name="spring")
    clamps = fx.Clamp(beam.start), fx.Clamp(beam.end)
    model = fx.Model(beam, *clamps, rotor, hinge, cubic, fx.Moment(rotor.marker((0, 0)), 120.0))
    run = fx.simulate(model, until=9.0, step=5e-3, output=SPARSE, progress=False)
    more = fx.simulate(model, until=9.5, step=5e-3, start=run, output=SPARSE, progress=False)
    exact = np.sort_complex(np.roots([0.1, 1.0, 14.0]))
    for one in (run, more):
        assert one.reaction_moment(beam.end)[-1, 2] == pytest.approx(-120.0, rel=1e-6)
        lowest = [
            fx.linearise(one).poles,
            np.linalg.eigvals(fx.linearise_along(one, times=one.t[[0, -1]]).A[-1]),
            np.log(fx.floquet(one, 0.1).multipliers.astype(complex)) / 0.1,
        ]
        for poles in lowest:
            assert np.abs(poles - exact[0]).min() < 1e-3 * abs(exact[0])


FAR = 40.0
"""Angle [rad] by which the hinges below turn from rest to rest, between two stored states."""


def turned(
    *parts: object, inertia: float, planar: bool = False, start: object = None, **options: object
) -> fx.TimeSolution:
    """A body that a moment turns by `FAR` within one unit of time, from rest to rest."""
    body, hinge, *others = parts
    motion = fx.motions.Ramp(0.0, FAR, duration=1.0)
    about = {} if planar else {"moment": (0.0, 0.0, 1.0)}
    moment = fx.Moment(body.marker((0, 0) if planar else (0, 0, 0)), **about or {"moment": 1.0},
                       history=lambda t: inertia * motion.at(t)[2])  # fmt: skip
    return fx.simulate(fx.Model(body, hinge, *others, moment), until=1.0, step=1e-3, progress=False,
                       output=fx.Output(every=0.5), **options)  # fmt: skip


@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha, fx.RungeKutta, fx.BDF])
@pytest.mark.parametrize("compiled", [False, True])
def test_plain_hinges_are_counted(scheme: type, compiled: bool, tmp_path: Path) -> None:
    """Nothing acts on the angle, so that nothing but results asks for it."""
    bar, hinge = parts()
    run = turned(bar, hinge, inertia=INERTIA, integrator=scheme(compiled=compiled))
    np.testing.assert_allclose(run.angle("hinge"), [0.0, FAR / 2, FAR], atol=1e-3)
    assert (run.counts["compiled_steps"] > 0) is compiled
    run.save(tmp_path / "run.h5")
    loaded = fx.load(tmp_path / "run.h5", model=run.model)
    np.testing.assert_array_equal(loaded.angle("hinge"), run.angle("hinge"))


def test_turns_at_states_between_steps_are_those_of_the_loop_in_python() -> None:
    """Far apart, so that they cannot be told from each other: each has the turns of its own step."""
    bar = fx.RigidBody(1.0, (0.1, 0.1, INERTIA), position=(0, 0, 0), angular_velocity=(0, 0, 20.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    moved = fx.Model(bar, hinge)
    runs = [
        fx.simulate(moved, until=2.0, step=1e-3, output=fx.Output(at=(0.5004, 0.9, 1.3007, 2.0), energy=False),
                    integrator=fx.GeneralizedAlpha(compiled=compiled), progress=False)
        for compiled in (False, True)
    ]  # fmt: skip
    np.testing.assert_allclose(runs[0].angle("hinge"), 20.0 * runs[0].t, rtol=1e-9)
    for kept in ("q", "v", "a", "lam"):
        np.testing.assert_array_equal(getattr(runs[1], kept), getattr(runs[0], kept))
    np.testing.assert_array_equal(runs[1].angle("hinge"), runs[0].angle("hinge"))
    assert runs[1].counts["compiled_steps"] == 2000


def test_plain_hinges_go_on_with_their_turns() -> None:
    bar, hinge = parts()
    run = turned(bar, hinge, inertia=INERTIA)
    more = fx.simulate(run.model, until=2.0, step=1e-3, output=fx.Output(every=1.0), start=run, progress=False)
    np.testing.assert_allclose(more.angle("hinge"), [FAR, FAR], atol=1e-3)
    np.testing.assert_allclose(fx.concatenate(run, more).angle("hinge")[-2:], [FAR, FAR], atol=1e-3)
    free = fx.Model(bar, hinge)
    still = fx.solve_static(fx.Model(bar, hinge, spring(hinge), fx.JointForce(hinge, TORQUE, name="motor")))
    assert fx.simulate(free, until=0.1, step=1e-2, start=still, progress=False).angle("hinge")[-1] == pytest.approx(
        WOUND
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_plain_hinges_in_the_plane_have_the_turns_of_their_bodies(reverse: bool) -> None:
    disc = fx.PlanarRigidBody(1.0, INERTIA, position=(0, 0), name="disc")
    ends = (disc, fx.ground) if reverse else (fx.ground, disc)
    run = turned(disc, fx.RevoluteJoint(*ends, at=(0, 0), name="hinge"), inertia=INERTIA, planar=True)
    np.testing.assert_allclose(run.angle("hinge"), np.array([0.0, FAR / 2, FAR]) * (-1 if reverse else 1), atol=1e-3)


def test_a_hinge_of_a_cable_that_turns_unseen_is_told() -> None:
    """In the plane, where the hinge of a node knows no angle unless something acts on it."""
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=500.0, mass_per_length=0.5),
    )  # fmt: skip
    hinge = fx.RevoluteJoint(fx.ground, cable.start, at=(0, 0), name="hinge")
    wind = fx.PointForce(cable.end, (0, 8.0), follower=True)
    run = fx.simulate(fx.Model(cable, hinge, wind), until=1.0, step=1e-3, output=fx.Output(every=0.5), progress=False)
    with pytest.warns(fx.AccuracyWarning, match=r"angle: that of .* turns by about .* rad between those at 0"):
        run.angle("hinge")
    with pytest.warns(fx.AccuracyWarning, match="angle: that of node 0"):
        run.angle(cable.start)
    asked = fx.Model(cable, hinge, wind, fx.JointForce(hinge, 0.0))
    told = fx.simulate(asked, until=1.0, step=1e-3, output=fx.Output(every=0.5), progress=False).angle("hinge")
    fine = fx.simulate(fx.Model(cable, hinge, wind), until=1.0, step=1e-3, progress=False).angle("hinge")
    np.testing.assert_allclose(told, fine[::500], atol=1e-6)
    assert abs(told[-1]) > 20.0
