"""What actuators did: the force after law and limits by Newton's law, its power by the work of the run, by name."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import flexmbs as fx

MASS = 2.0


@numba.njit
def braked(value: float, s: float, rate: float, t: float) -> float:
    """A motor that pushes less the faster it moves."""
    return value - 0.4 * rate + 0.0 * s * t


def switched(t: float) -> float:
    """43 and -43 in turns, far beyond the limits, and little between."""
    return (43.0, -43.0, 0.3)[int(t / 0.1 + 0.5) % 3]


def cart(law: Any = None, **options: Any) -> fx.Model:
    ball = fx.PointMass(MASS, position=(0, 0), name="ball")
    motor = fx.control.ForceActuator(ball, (1, 0), law=law, limits=(-1.0, 1.0), name="motor")
    return fx.Model(ball, fx.control.Command(motor, period=0.1, values=switched, name="drive", **options))


def newton(run: fx.TimeSolution) -> Any:
    """m a of the ball."""
    return MASS * run.acceleration("ball")[:, 0]


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("law", [None, braked, braked.py_func], ids=["held", "compiled law", "law in Python"])
def test_newtons_law_where_a_motor_saturates(law: Any, compiled: bool, tmp_path) -> None:
    scheme = fx.GeneralizedAlpha(compiled=compiled)
    model = cart(law)
    run = fx.simulate(model, until=0.75, step=0.01, integrator=scheme)
    if law is not braked.py_func:
        assert (run.counts["compiled_steps"] > 0) == compiled
    history = run.force("motor")
    assert np.abs(run.held("motor")[1]).max() == 43.0
    assert [history.force.min(), history.force.max()] == [-1.0, 1.0]
    assert 0.0 < np.abs(history.force).min() < 0.5
    assert history.force == pytest.approx(newton(run), abs=1e-9)
    assert history.rate == pytest.approx(run.velocity("ball")[:, 0], abs=1e-12)
    assert history.coordinate == pytest.approx(run.position("ball")[:, 0], abs=1e-12)
    assert np.array_equal(history.power, history.force * history.rate)
    run.save(tmp_path / "run.h5")
    for mine, other in zip(history, fx.load(tmp_path / "run.h5", model=model).force("motor"), strict=True):
        assert np.array_equal(mine, other)


def test_before_the_first_sample_and_in_runs_that_go_on(tmp_path) -> None:
    """What is held at first, with a delay and an offset; a resumed run begins between two samples."""
    model = cart(offset=0.05, delay=1, initial=0.7)
    run = fx.simulate(model, until=0.52, step=0.01)
    assert run.force("motor").force[:10] == pytest.approx(0.7)
    run.save(tmp_path / "run.h5")
    for first in (run, fx.load(tmp_path / "run.h5", model=model)):
        more = fx.simulate(model, until=0.8, step=0.01, start=first)
        whole = fx.concatenate(first, more)
        for one in (first, more, whole):
            assert one.force("motor").force == pytest.approx(newton(one), abs=1e-9)
        assert np.ptp(whole.force("motor").force) == 2.0


def joint_motor() -> tuple[list[Any], Any]:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0, -0.5), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    return [bar, hinge], fx.control.JointActuator(hinge, law=braked, limits=(-3, 3), name="motor")


def strut() -> tuple[list[Any], Any]:
    ball = fx.PointMass(1.0, position=(0.3, -0.5), name="ball")
    return [ball], fx.control.LineActuator(fx.ground.marker((0, 0, 0)), ball, limits=(-3, 3), name="motor")


def jet() -> tuple[list[Any], Any]:
    craft = fx.PlanarRigidBody(2.0, 0.1, position=(0, 0), angular_velocity=1.5, name="craft")
    return [craft], fx.control.ForceActuator(
        craft.marker((0.1, 0.05)), (1, 0.5), follower=True, limits=(-3, 3), name="motor"
    )


def wheel(follower: bool) -> tuple[list[Any], Any]:
    craft = fx.RigidBody(1.0, (0.1, 0.15, 0.2), position=(0, 0, 0), angular_velocity=(1.0, 2.0, -0.5), name="craft")
    axis = (1, 0.5, 2)
    return [craft], fx.control.MomentActuator(craft.centre, axis, follower=follower, limits=(-0.3, 0.3), name="motor")


KINDS = {
    "joint": joint_motor, "line": strut, "follower": jet,
    "moment": lambda: wheel(False), "moment that follows": lambda: wheel(True),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_power_is_the_rate_of_the_work_of_loads(kind: Any) -> None:
    items, motor = kind()
    drive = fx.control.Command(motor, period=10.0, values=lambda t: 43.0, name="drive")
    run = fx.simulate(fx.Model(*items, drive), until=0.2, step=1e-3)
    history = run.force(motor)
    assert np.all(history.force == motor.limits[1])
    done = np.concatenate(([0.0], np.cumsum(0.5 * (history.power[1:] + history.power[:-1]) * np.diff(run.t))))
    work = run.energy.work_loads - run.energy.work_loads[0]
    assert done == pytest.approx(work, abs=1e-5 * np.abs(work).max())
    assert run.energy.kinetic - run.energy.kinetic[0] == pytest.approx(done, abs=1e-4 * np.abs(work).max())
    assert (history.coordinate is None) == ("coordinate" not in run.to_dataframe("motor").columns.str.cat())


def test_outputs_of_first_order_states() -> None:
    """A cylinder whose pressure settles: m a is the force that its actuator passes on, up to the limits."""
    ball = fx.PointMass(MASS, position=(0, 0), name="ball")
    slide = fx.PointOnLineConstraint(fx.ground, ball, at=(0, 0, 0), axis=(1, 0, 0))
    rod = fx.control.ForceActuator(ball, (1, 0), limits=(-1.0, 1.0), name="hyd")
    speed = fx.control.VelocitySensor(ball, (1, 0), name="speed")
    oil = fx.control.FirstOrder([0.5, 0.0], lambda p, v, t: [3.0 - v[0], -p[1]], speed, rod, name="oil")
    run = fx.simulate(fx.Model(ball, slide, oil), until=0.5, step=0.01)
    t, held = run.held("hyd")
    assert np.array_equal(t, run.t)
    assert held.max() > 1.0
    force = run.force("hyd").force
    assert force == pytest.approx(np.minimum(held, 1.0), abs=0.0)
    # the first acceleration of the scheme is that of a little earlier, the others are of its order
    assert force[1:] == pytest.approx(newton(run)[1:], abs=1e-5)
    assert run.to_dataframe("oil")["oil"].to_numpy() == pytest.approx(held, abs=0.0)
    assert run.plot("oil.state.1").get_ylabel().startswith("oil")
    assert run.plot(fx.control.HeldSensor("hyd")).get_ylabel()


def test_a_file_without_its_model(tmp_path) -> None:
    """The actuator of the model that was run means the one like it in the file."""
    ball = fx.PointMass(MASS, position=(0, 0), name="ball")
    motor = fx.control.ForceActuator(ball, (1, 0), limits=(-1.0, 1.0), name="motor")
    drive = fx.control.Command(motor, period=0.1, values=43.0, name="drive")
    run = fx.simulate(fx.Model(ball, drive), until=0.2, step=0.01)
    run.save(tmp_path / "run.h5")
    loaded = fx.load(tmp_path / "run.h5")
    for one in (motor, "motor"):
        assert np.array_equal(loaded.force(one).force, np.ones(len(run.t)))
        assert loaded.table(one)["motor.force"].tolist() == run.force("motor").force.tolist()


def test_names_of_actuators_and_controllers() -> None:
    items, motor = joint_motor()
    signal = fx.control.Signal("setpoint")
    lead = fx.control.Command(
        [motor, signal], period=0.05, values=[lambda t: 1.0, lambda t: 2.0], initial=[1.0, 2.0], name="lead"
    )
    event = fx.control.Event(fx.control.JointSensor("hinge"), level=0.01, name="far")
    run = fx.simulate(fx.Model(*items, lead), until=0.2, step=0.01, events=[event])
    assert run.plot("motor").get_ylabel() == "motor force [N m]"
    table = run.table("motor.torque", "motor.power", "lead", "setpoint", "motor.value", "motor.coordinate")
    assert np.array_equal(table["motor.torque"], run["motor"].force)
    assert np.array_equal(table["lead.1"], np.full(len(run.t), 2.0))
    assert np.array_equal(table["setpoint"], table["lead.1"])
    assert table.units["motor.power"] == "N m/s"
    assert list(run.to_dataframe(motor).columns) == ["motor.force", "motor.coordinate", "motor.rate"]
    assert np.array_equal(run.held(motor)[1], run.held("motor")[1])
    assert run.at_events.force("motor").force.shape == (1,)
    with pytest.raises(fx.ModelError, match=r"Known: .*'lead', 'motor', 'setpoint'"):
        run.plot("moter")
    with pytest.raises(fx.ModelError, match=r"force or actuator named 'moter'"):
        run.force("moter")
    with pytest.raises(fx.ModelError, match="drives nothing"):
        run.force("setpoint")
    with pytest.raises(fx.ModelError, match=r"no joint named 'moter'.*Actuators: 'motor', 'setpoint'"):
        _ = run["moter"]
    other = fx.control.JointActuator("hinge", name="other")
    with pytest.raises(fx.ModelError, match="'other' is not in model"):
        run.plot(other)
    with pytest.raises(fx.ModelError, match=r"actuator named 'moter'"):
        run.held("moter")
    with pytest.raises(fx.ModelError, match="of motions only"):
        fx.solve_static(fx.Model(*items, lead, fx.TorsionSpring(items[1], stiffness=9.0))).table("motor")


def test_tables_of_what_has_no_name() -> None:
    """Default names have quotes, which column names cannot have; brackets of names become round."""
    wheel = fx.PlanarRigidBody(1.0, 0.5, position=(0, 0), angular_velocity=1.0, name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0), name="hinge [1]")
    motor, gyro = fx.control.JointActuator(hinge), fx.control.AngularVelocitySensor(wheel)
    damper = fx.control.StateFeedback(
        gyro, [motor, *map(fx.control.Signal, "ab")], 0.1, np.zeros((3, 3)), name="damper"
    )
    run = fx.simulate(fx.Model(wheel, hinge, damper), 0.3, step=0.1)
    assert run.to_dataframe(motor).columns[0] == "actuator of angle of joint hinge (1).force"
    found = run.to_dataframe(gyro)
    assert list(found) == [f"angular velocity of marker centre of PlanarRigidBody wheel.{axis}" for axis in "xyz"]
    assert found.iloc[-1].tolist() == [0.0, 0.0, 1.0]
