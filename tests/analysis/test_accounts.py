"""Turns and energies where something jumps: coarse output, resumed runs, events, sampled controllers; linear beams."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def _wheel(speed: float = 100.0) -> tuple[fx.Model, fx.RevoluteJoint]:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, speed), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    return fx.Model(wheel, hinge), hinge


def test_turns_are_counted_with_coarse_output() -> None:
    model, hinge = _wheel()
    run = fx.simulate(model, 1.0, step=1e-3, output=fx.Output(every=0.1))
    np.testing.assert_allclose(run.angle(hinge), 100.0 * run.t, rtol=1e-9)


def test_turns_go_on_in_a_resumed_run(tmp_path) -> None:
    model, hinge = _wheel()
    half = fx.simulate(model, 0.5, step=1e-3, output=fx.Output(every=0.1), file=tmp_path / "half.h5")
    for start in (half, fx.load(tmp_path / "half.h5", model=model)):
        rest = fx.simulate(model, 1.0, step=1e-3, output=fx.Output(every=0.1), start=start)
        assert rest.angle(hinge)[-1] == pytest.approx(100.0, rel=1e-9)


def test_what_is_left_of_a_killed_run_is_found_by_the_name_of_its_file(tmp_path) -> None:
    model, _ = _wheel()
    fx.simulate(model, 0.1, step=1e-3, file=tmp_path / "run.h5")
    (tmp_path / "other.h5.journal").write_bytes(b"")
    with pytest.raises(fx.ReadError):
        fx.load(tmp_path / "other.h5")  # the empty journal is looked at, not a missing file


def test_gravity_switched_off_by_an_event_does_work() -> None:
    """The potential steps by what the event takes away; the motion knows nothing of it."""
    ball = fx.PointMass(2.0, position=(0, 0, 5.0), name="ball")
    gravity = fx.Gravity((0, 0, -G))
    off = fx.control.Event(lambda view: view.t, level=0.505, action=lambda view: {gravity.label: 0.0}, name="off")
    run = fx.simulate(fx.Model(ball, gravity), 1.0, step=1e-2, events=[off])
    assert np.abs(run.energy.balance).max() < 1e-9
    assert run.energy.work_loads[-1] == pytest.approx(-2.0 * G * (5.0 - 0.5 * G * 0.505**2), rel=1e-9)


def test_sampled_torques_are_accounted_for_from_their_sample_on() -> None:
    """u = -20 phi - 1, held over 0.05 s, on a wheel: the balance falls with the square of the step."""
    wheel = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge")
    law = fx.control.Controller(
        fx.control.JointSensor(hinge),
        fx.control.JointActuator(hinge, name="u"),
        period=0.05,
        output=lambda x, u, t: -20 * u - 1,
        name="c",
    )
    gaps = []
    for step in (1e-2, 5e-3):
        run = fx.simulate(fx.Model(wheel, hinge, law), 1.0, step=step)
        gaps.append(float(np.abs(run.energy.balance).max()))
    assert gaps[0] < 1e-4
    assert gaps[1] < 1e-12 or math.log2(gaps[0] / gaps[1]) > 1.5


def test_linear_beams_have_momentum() -> None:
    element, section = fx.elements.LinearBeam3D(), fx.Circle(diameter=0.01)
    beam = fx.FlexibleBody.line(
        (0, 0, 0), (1, 0, 0), elements=4, element=element, section=section, material=fx.steel, name="beam"
    )
    run = fx.simulate(fx.Model(beam, fx.Gravity((0, 0, -G))), 0.1, step=1e-2)
    momentum, spin = run.momentum()
    assert momentum[-1, 2] == pytest.approx(-beam.mass * G * 0.1, rel=1e-9)
    assert spin[-1, 1] == pytest.approx(beam.mass * G * 0.1 * 0.5, rel=1e-9)


@pytest.mark.parametrize(("element", "across"), [("LinearBeam2D", 1), ("LinearBeam3D", 2), ("ANCFCable2D", 1)])
def test_nodes_that_bodies_share_have_their_momentum_once(element: str, across: int) -> None:
    """Two bars hinged to each other that fall freely: m g t, at the middle of both."""
    choice, section = getattr(fx.elements, element)(), fx.Circle(diameter=0.01)
    ends = [tuple(float(x) if k == 0 else 0.0 for k in range(across + 1)) for x in range(3)]
    bars = [
        fx.FlexibleBody.line(
            ends[k], ends[k + 1], elements=3, element=choice, section=section, material=fx.steel, name=f"bar {k}"
        )
        for k in range(2)
    ]
    pull = tuple(-G if k == across else 0.0 for k in range(across + 1))
    run = fx.simulate(fx.Model(*bars, fx.Hinge(bars[0].end, bars[1].start), fx.Gravity(pull)), 0.1, step=1e-2)
    momentum, spin = run.momentum()
    expected = 2.0 * bars[0].mass * G * 0.1
    assert momentum[-1, across] == pytest.approx(-expected, rel=1e-9)
    assert np.abs(spin[-1]).max() == pytest.approx(expected * 1.0, rel=1e-9)


def test_torsion_springs_count_turns_with_coarse_output_and_in_resumed_runs() -> None:
    """A soft spring on a fast wheel: its torque over the angle at 100 rad/s, not over the angle within half a turn."""
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), angular_velocity=(0, 0, 100.0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    model = fx.Model(wheel, hinge, fx.TorsionSpring(hinge, stiffness=1e-6, free_angle=0.0, name="soft"))
    half = fx.simulate(model, 0.5, step=1e-3, output=fx.Output(every=0.1))
    rest = fx.simulate(model, 1.0, step=1e-3, output=fx.Output(every=0.1), start=half)
    for run in (half, rest):
        assert run.force("soft").force.shape == (len(run),)
        np.testing.assert_allclose(run.force("soft").coordinate, 100.0 * run.t, rtol=1e-4)
        np.testing.assert_allclose(run.force("soft").force, 1e-4 * run.t, rtol=1e-4)


def test_turns_go_on_from_the_journal_of_a_resumed_run_that_was_killed(tmp_path, monkeypatch) -> None:
    model, hinge = _wheel()
    half = fx.simulate(model, 0.5, step=1e-3, output=fx.Output(every=0.1))
    with monkeypatch.context() as killed:
        killed.setattr("flexmbs.io.time_files.Stream.close", lambda stream, solution: stream.writer.close())
        fx.simulate(model, 1.1, step=1e-3, output=fx.Output(every=0.1), start=half, file=tmp_path / "rest.h5")
    with pytest.warns(fx.LossWarning, match="1 state stored behind the last checkpoint"):
        left = fx.load(tmp_path / "rest.h5", model=model)
    np.testing.assert_allclose(left.angle(hinge), 100.0 * left.t, rtol=1e-9)
    run = fx.simulate(model, 1.5, step=1e-3, output=fx.Output(every=0.1), start=left)
    assert run.angle(hinge)[-1] == pytest.approx(150.0, rel=1e-9)


def test_histories_are_shown_in_one_line() -> None:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    rubber = fx.Bushing(fx.ground.marker((0, 0, 0)), wheel.centre, stiffness=[1.0] * 6, name="rubber")
    spring = fx.TorsionSpring(hinge, stiffness=2.0, free_angle=-0.5, name="spring")
    run = fx.simulate(fx.Model(wheel, hinge, rubber, spring), 0.1, step=1e-2)
    assert repr(run["hinge"]) == "<history of joint 'hinge': 11 states; angle, force, moment>"
    assert repr(run.force("rubber")).startswith("<history of a force: 11 states, 6 rows, force from")
    assert run.force("rubber").force.shape == (11, 6)
    assert run.force("spring").force[0] == pytest.approx(1.0)  # turns side b back
    assert "\n" not in repr(run.force("spring"))


def test_slides_are_sensed_and_driven_by_their_name_alone() -> None:
    """One force of 3 on a mass of 2: x = t^2 3 / 4, at the name of the joint, whose only coordinate is no angle."""
    block = fx.PlanarRigidBody(2.0, 1.0, position=(0, 0), name="block")
    rail = fx.PrismaticJoint(fx.ground, block, at=(0, 0), axis=(1, 0), name="rail")
    law = fx.control.Controller(
        fx.control.JointSensor("rail"),
        fx.control.JointActuator("rail", name="push"),
        0.1,
        lambda x, u, t: 3.0,
        name="law",
    )
    seen = []
    watch = fx.control.Event(
        fx.control.JointSensor("rail"), level=0.75 * 0.8**2, action=lambda view: seen.append(view.t), name="there"
    )
    run = fx.simulate(fx.Model(block, rail, law), 1.0, step=1e-2, events=[watch])
    assert run.position(block)[-1, 0] == pytest.approx(0.75, rel=1e-6)
    assert seen == [pytest.approx(0.8, rel=1e-4)]


def test_plot_names_what_is_wrong_with_its_component() -> None:
    model, _ = _wheel()
    run = fx.simulate(model, 0.01, step=1e-2)
    for bad in (0, "w", "xy"):
        with pytest.raises(fx.ModelError, match=r"'x', 'y', 'z' or 'norm'|Known: 'norm', 'x', 'y', 'z'"):
            run.plot("wheel", component=bad)


def test_frequencies_are_shown_in_hertz_where_time_is_in_seconds() -> None:
    rod = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), section=fx.Circle(diameter=0.01),
        material=fx.steel,
        name="rod",
    )  # fmt: skip
    assert repr(fx.solve_modal(fx.Model(rod, fx.Clamp(rod.start)), modes=2)).endswith(" Hz>")
    other = fx.Units("mm", "t", "ms", "N")
    assert repr(fx.solve_modal(fx.Model(rod, fx.Clamp(rod.start), units=other), modes=2)).endswith(" 1/ms>")


def test_the_balance_of_held_torques_is_of_second_order_where_their_power_is_curved() -> None:
    """As above with a spring on the wheel, so that the power within a sample is no straight line."""
    gaps = []
    for step in (1e-2, 5e-3, 2.5e-3):
        wheel = fx.PlanarRigidBody(1.0, 1.0, position=(0, 0), name="wheel")
        hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge")
        spring = fx.TorsionSpring(hinge, stiffness=30.0, free_angle=0.0, name="spring")
        motor = fx.control.JointActuator(hinge, name="u")
        law = fx.control.Controller(fx.control.JointSensor(hinge), motor, 0.05, lambda x, u, t: -20 * u - 1, name="law")
        run = fx.simulate(fx.Model(wheel, hinge, spring, law), 1.0, step=step)
        gaps.append(float(np.abs(run.energy.balance).max()))
    assert gaps[0] < 1e-4
    assert min(math.log2(gaps[0] / gaps[1]), math.log2(gaps[1] / gaps[2])) > 1.7


@pytest.mark.parametrize("compiled", [False, True], ids=["loop", "compiled"])
@pytest.mark.parametrize("load", ["moment", "follower"])
def test_work_of_moments_and_followers_on_nodes_is_counted(load, compiled):
    """A free rod that is turned or pushed: kinetic and strain energy are the work of the load, to the step's error."""
    body = fx.FlexibleBody.line(
        (0, 0), (10, 0), elements=6, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=500.0, mass_per_length=1.0), name="rod",
    )  # fmt: skip
    rise = fx.Table((0.0, 2.0, 100.0), (0.0, 1.0, 1.0))
    acting = (
        fx.Moment(body.start, -20.0, history=rise)
        if load == "moment"
        else fx.PointForce(body.start, (0.0, 20.0), follower=True, history=rise)
    )
    balances = []
    for step in (1e-2, 5e-3):
        scheme = fx.GeneralizedAlpha(compiled=compiled)
        run = fx.simulate(fx.Model(body, acting), 2.0, step=step, integrator=scheme)
        total = run.energy.kinetic + run.energy.strain
        balances.append(np.abs(run.energy.balance).max() / total[-1])
    assert balances[1] < 1e-4
    assert balances[1] < balances[0] / 3.0
