"""Controllers, actuators, states and events in runs, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbs as fx
from flexmbs.model.control.first_order import linear_states
from flexmbs.verification.reference.sampled_control import SampledMass

ALPHA = fx.GeneralizedAlpha(rho_inf=0.8)


def go(*items, until: float = 1.0, step: float = 0.01, **options):
    return fx.simulate(fx.Model(*items), until=until, step=step, integrator=ALPHA, **options)


def ball(velocity: float = 0.0) -> fx.PointMass:
    return fx.PointMass(2.0, position=(0.0, 0.0), velocity=(velocity, 0.0), name="ball")


@pytest.mark.parametrize("delay", [0, 1])
def test_sampled_feedback_converges_to_the_exact_motion(delay: int) -> None:
    m, k, c, P, D, T, r = 2.0, 30.0, 0.4, 12.0, 3.0, 0.05, 0.2
    errors = []
    for divisions in (2, 4, 8):
        mass = ball(-1.0)
        spring = fx.SpringDamper(fx.ground.marker((-10, 0, 0)), mass, stiffness=k, damping=c, free_length=10.0)
        place, speed = fx.control.PositionSensor(mass, (1, 0)), fx.control.VelocitySensor(mass, (1, 0))
        push = fx.control.ForceActuator(mass, (1, 0))
        pid = fx.control.PID(place, push, T, P, derivative=D, rate=speed, reference=r, delay=delay)
        run = go(mass, spring, pid, step=T / divisions)
        exact = SampledMass(m, k, c, P, D, T, delay, r).motion([0.0, -1.0], run.t)
        errors.append(np.abs(np.asarray(run.position(mass.centre))[:, 0] - exact[:, 0]).max())
    assert errors[-1] < 1e-3
    assert math.log2(errors[0] / errors[1]) > 1.8
    assert math.log2(errors[1] / errors[2]) > 1.8


def test_samples_at_every_step_of_a_damped_mass() -> None:
    """The motion between samples by the matrix exponential; each sample starts the scheme anew."""
    m, k, c, P, r, T = 1.0, 40.0, 12.0, 30.0, 0.3, 0.01
    A = np.array([[0.0, 1.0], [-k / m, -c / m]])
    over = expm(A * T)
    held = np.linalg.solve(A, over - np.eye(2)) @ np.array([0.0, 1.0 / m])
    states = [np.zeros(2)]
    for _ in range(100):
        states.append(over @ states[-1] + held * P * (r - states[-1][0]))
    mass = fx.PointMass(m, position=(0.0, 0.0), name="mass")
    spring = fx.SpringDamper(fx.ground.marker((-10, 0, 0)), mass, stiffness=k, damping=c, name="spring")
    place, push = fx.control.PositionSensor(mass, (1, 0)), fx.control.ForceActuator(mass, (1, 0), name="push")
    loop = fx.control.Controller(place, push, period=T, output=lambda x, u, t: P * (r - u), name="loop")
    run = fx.simulate(fx.Model(mass, spring, loop), until=1.0, step=T)
    assert np.abs(run.position(mass)[:, 0] - np.array(states)[:, 0]).max() < 2e-4


def test_a_held_force_moves_a_mass_as_it_should() -> None:
    """Signs: along a direction, along a line, in a joint; F = 3 on 2 gives 3/4 t^2."""
    three = dict(period=0.5, values=3.0)  # noqa: C408
    mass = ball()
    runs = [go(mass, fx.control.Command(fx.control.ForceActuator(mass, (1, 0)), **three))]
    strut = fx.control.LineActuator(fx.ground.marker((-1, 0, 0)), mass)
    runs.append(go(mass, fx.control.Command(strut, **three)))
    box = fx.RigidBody(2.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="box")
    slider = fx.PrismaticJoint(fx.ground, box, at=(0, 0, 0), axis=(1, 0, 0), name="slider")
    runs.append(go(box, slider, fx.control.Command(fx.control.JointActuator(slider), **three)))
    for run, body in zip(runs, (mass, mass, box), strict=True):
        assert np.asarray(run.position(body.centre))[-1] == pytest.approx([0.75, 0.0, 0.0], abs=1e-6)


def test_a_held_torque_turns_a_body_as_it_should() -> None:
    """M = 3 about z on J = 1.5 gives the angle t^2."""
    for follower in (False, True):
        wheel = fx.RigidBody(1.0, (1.0, 2.0, 1.5), position=(0, 0, 0), name="wheel")
        motor = fx.control.MomentActuator(wheel.centre, (0, 0, 1), follower=follower)
        run = go(wheel, fx.control.Command(motor, period=0.5, values=3.0))
        x = np.asarray(run.rotation(wheel.centre))[-1][:, 0]
        assert x == pytest.approx([math.cos(1.0), math.sin(1.0), 0.0], abs=1e-6)
    wheel = fx.RigidBody(1.0, (1.0, 2.0, 1.5), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    run = go(wheel, hinge, fx.control.Command(fx.control.JointActuator(hinge), period=0.5, values=3.0))
    x = np.asarray(run.rotation(wheel.centre))[-1][:, 0]
    assert x == pytest.approx([math.cos(1.0), math.sin(1.0), 0.0], abs=1e-6)


def test_a_follower_force_turns_with_its_body() -> None:
    """Thrust along the axis of a body that turns with w: the acceleration F/m (cos w t, sin w t), from rest."""
    w = 2.0
    craft = fx.RigidBody(2.0, (1, 1, 1), position=(0, 0, 0), angular_velocity=(0, 0, w), name="craft")
    thrust = fx.control.ForceActuator(craft.centre, (1, 0, 0), follower=True)
    run = go(craft, fx.control.Command(thrust, period=0.25, values=3.0), step=0.002)
    a = 1.5 / w**2
    exact = [a * (1 - math.cos(w)), a * (w - math.sin(w)), 0.0]
    assert np.asarray(run.position(craft.centre))[-1] == pytest.approx(exact, abs=1e-5)


def test_the_law_of_an_actuator_is_a_spring() -> None:
    """F = -h s - 0.8 ds/dt with the held h = 18 on m = 2: a damped oscillation."""
    mass = ball(1.0)
    law = fx.control.ForceActuator(mass, (1, 0), law=lambda h, s, rate, t: -h * s - 0.8 * rate)
    run = go(mass, fx.control.Command(law, period=0.25, values=18.0), step=0.002)
    sigma = 0.2
    nu = math.sqrt(9.0 - sigma**2)
    exact = np.exp(-sigma * run.t) * np.sin(nu * run.t) / nu
    assert np.asarray(run.position(mass.centre))[:, 0] == pytest.approx(exact, abs=2e-5)


def test_first_order_states_drive_a_mass() -> None:
    """A force that follows its set point 4 with the lag 0.25: m v = 4 (t - T + T exp(-t/T))."""
    T = 0.25
    mass = ball()
    one = fx.control.FunctionSensor(lambda t, view: 4.0, name="set point")
    lag = linear_states(
        [[-1 / T]], [[1 / T]], one, C=[[1.0]], actuators=fx.control.ForceActuator(mass, (1, 0)), name="lag"
    )
    run = go(mass, lag, step=0.002)
    exact = 2.0 * (run.t - T + T * np.exp(-run.t / T))
    assert np.asarray(run.velocity(mass.centre))[:, 0] == pytest.approx(exact, abs=2e-5)


def test_an_event_ends_a_run_at_its_time() -> None:
    """Thrown up with 2.1 under g = 10 it is back at t = 0.42."""
    thrown = fx.PointMass(1.0, position=(0.0, 0.0), velocity=(1.0, 2.1), name="stone")
    landing = fx.control.Event(fx.control.PositionSensor(thrown, (0, 1)), direction=-1, terminal=True, name="landing")
    top = fx.control.Event(fx.control.VelocitySensor(thrown, (0, 1)), name="top")
    run = go(thrown, fx.Gravity((0, -10.0)), events=[landing, top], step=None)
    assert [e.name for e in run.events] == ["top", "landing"]
    assert [e.t for e in run.events] == pytest.approx([0.21, 0.42], abs=1e-9)
    assert run.t[-1] == pytest.approx(0.42, abs=1e-9)
    assert np.asarray(run.position(thrown.centre))[-1] == pytest.approx([0.42, 0.0, 0.0], abs=1e-8)


def passed_on(value: float, coordinate: float, rate: float, t: float) -> float:
    """A law that is the held value: its force acts along a row."""
    return value


@pytest.mark.parametrize("limits", [None, (-1.0, 2.0)])
def test_a_held_force_without_a_law_is_a_wrench(limits: tuple[float, float] | None) -> None:
    """Along a direction, on a joint of a tree, between coordinates: as with a law, which has a row; and so its work."""
    runs = []
    for law in (None, passed_on):
        mass = fx.RigidBody(2.0, (1.0, 1.0, 1.0), position=(0, 0, 0), name="mass")
        links = [
            fx.trees.Link(
                f"link {i}", 1.0, np.diag((0.1, 0.1, 0.01)), (0, 0, 0.25), f"link {i - 1}" if i else None, joint,
                at=(0, 0, 0.5 * i),
            )
            for i, joint in enumerate((fx.trees.Revolute((0, 1, 0)), fx.trees.Prismatic((0, 0, 1))))
        ]  # fmt: skip
        tree = fx.trees.Tree(*links, name="arm")
        push = fx.control.ForceActuator(mass.centre, (0.6, 0.0, 0.8), law=law, limits=limits, name="push")
        motors = [fx.control.JointActuator(f"arm/link {i}", law=law, limits=limits, name=f"motor {i}") for i in (0, 1)]
        control = fx.control.Command([push, *motors], period=0.05, values=(3.0, 2.5, -1.5))
        model = fx.Model(mass, tree, control, fx.Gravity((0, 0, -9.81)), name="pushed")
        system = fx.compile_model(model)
        assert len(system.mechanics.forces.mA) == (0 if law is None else 3)
        runs.append(fx.simulate(system, 0.5, step=0.0025, integrator=ALPHA))
    plain, by_law = runs
    assert np.abs(plain.q - by_law.q).max() < 1e-9
    assert np.abs(plain.energy.balance).max() < 1e-3
    assert plain.energy.work_loads[-1] == pytest.approx(by_law.energy.work_loads[-1], rel=1e-9)
    assert np.abs(by_law.energy.dissipated).max() < 1e-12
    exact = (3.0 if limits is None else 2.0) / 4.0 * 0.5**2
    assert plain.position("mass")[-1, 0] == pytest.approx(0.6 * exact, rel=1e-9)
