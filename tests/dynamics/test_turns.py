"""Turns at the start of a motion: sensors count driven angles from where their motions begin, as results do."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

TURN = 2.0 * np.pi


def test_sensors_count_a_driven_angle_from_its_motion() -> None:
    rod = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="rod")
    other = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 1), name="other")
    hinge = fx.RevoluteJoint(fx.ground, rod, at=(0, 0), name="hinge")
    free = fx.RevoluteJoint(fx.ground, other, at=(0, 1), name="free")
    motor = fx.RotationDriver(hinge, fx.motions.Linear(1.0, start=TURN), name="motor")
    angle = fx.control.JointSensor(hinge)
    seen: list[float] = []

    def output(x: object, u: np.ndarray, t: float) -> float:
        seen.append(float(u[1]))
        return float(u[0])

    function = fx.control.FunctionSensor(lambda t, view: view.row("hinge", "angle")[0], name="function")
    held = fx.control.Signal("held")
    items = [
        fx.control.Controller((angle, function), fx.control.JointActuator(free, name="torque"), 0.1, output),
        fx.control.StateFeedback(angle, held, 0.1, [[-1.0]], name="compiled"),
        fx.control.FirstOrder([0.0], lambda x, u, t: u, angle, name="integral"),
    ]
    events = [fx.control.Event(angle, level=level, name=name) for level, name in ((TURN + 0.25, "at"), (0.25, "none"))]
    model = fx.Model(rod, other, hinge, free, motor, *items)
    run = fx.simulate(model, until=0.5, step=0.01, events=events)
    expected = TURN + np.arange(6) * 0.1
    assert run.angle(hinge)[::10] == pytest.approx(expected, abs=1e-9)
    assert run.held("torque")[1] == pytest.approx(expected, abs=1e-9)
    assert run.held("held")[1] == pytest.approx(expected, abs=1e-9)
    assert np.unique(np.round(seen, 9)) == pytest.approx(expected, abs=1e-8)
    assert run.table("integral").columns["integral.state"][-1] == pytest.approx(TURN * 0.5 + 0.125, abs=1e-6)
    assert [(e.name, round(e.t, 9)) for e in run.events] == [("at", 0.25)]


def test_whole_turns_of_a_motion_are_nothing_to_gears_and_screws() -> None:
    """The first step of these did not converge."""
    wheels = [fx.PlanarRigidBody(1.0, 0.1, position=(x, 0), name=f"wheel {x}") for x in (0, 1)]
    shafts = [fx.RevoluteJoint(fx.ground, wheel, at=wheel.position, name=f"at {wheel.name}") for wheel in wheels]
    gear = fx.Gear(*shafts, ratio=-0.5, name="gear")
    motor = fx.RotationDriver(shafts[0], fx.motions.Linear(1.0, start=TURN), name="motor")
    model = fx.Model(*wheels, *shafts, gear, motor)
    rest = fx.solve_static(model)
    for one, start in ((model, None), (model, rest), (model.with_(fx.JointForce(shafts[1], 1.0)), rest)):
        run = fx.simulate(one, until=1.0, step=0.1, start=start)
        assert run.angle(shafts[0])[[0, -1]] == pytest.approx([TURN, TURN + 1.0])
        assert run.angle(shafts[1])[[0, -1]] == pytest.approx([0.0, -0.5])
    nut = fx.RigidBody.box(size=(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0), name="nut")
    screw = fx.ScrewJoint(fx.ground, nut, pitch=0.01, at=(0, 0, 0), axis=(0, 0, 1), name="screw")
    motor = fx.RotationDriver(screw, fx.motions.Linear(1.0, start=TURN), name="motor")
    run = fx.simulate(fx.Model(nut, screw, motor), until=1.0, step=0.1)
    assert run.angle(screw)[-1] == pytest.approx(TURN + 1.0)
    assert run.position(nut)[[0, -1], 2] == pytest.approx([0.0, 0.01 / TURN])
