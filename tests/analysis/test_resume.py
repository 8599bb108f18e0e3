"""Runs that are gone on with are bitwise those that were never interrupted."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def pendulum() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))


def everything() -> fx.Model:
    """A motor with PID and noise, a lagging continuous state, stick-slip, a spring on an angle over several turns."""
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    block = fx.RigidBody(2.0, (1, 1, 1), position=(0, 0, 0), velocity=(0.5, 0, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0, 0), axis=(1, 0, 0), name="slide")
    motor = fx.control.JointActuator(hinge, name="motor")
    angle = fx.control.NoisySensor(
        fx.control.JointSensor(hinge), fx.control.WhiteNoise(1e-3, period=0.013, seed=3), name="angle"
    )
    pid = fx.control.PID(angle, motor, 0.013, 4.0, integral=2.0, derivative=0.3, reference=30.0, delay=1, name="pid")
    lag = fx.control.FirstOrder(
        [0.0], lambda x, u, t: 20.0 * (u - x), fx.control.JointSensor(hinge, rate=True),
        fx.control.MomentActuator(wheel.centre, (0, 0, 1), name="drag"), output=lambda x, u, t: -0.05 * x, name="lag",
    )  # fmt: skip
    spiral = fx.TorsionSpring(hinge, stiffness=0.02, name="spiral")
    friction = fx.BristleFriction(slide, coefficient=0.3, load=5.0, deflection=1e-3, damping=0.0, name="friction")
    return fx.Model(wheel, hinge, block, slide, pid, lag, spiral, friction, fx.Gravity((0, 0, -G)))


def same(full: fx.TimeSolution, first: fx.TimeSolution, rest: fx.TimeSolution) -> None:
    """The rest repeats the end of the whole, to the last bit."""
    n = len(rest.steps)
    assert len(first.steps) + n == len(full.steps)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-n:]), name
    assert np.array_equal(rest.steps, full.steps[-n:])
    for part in ("kinetic", "springs", "work_forces", "work_loads", "work_drivers"):
        assert np.array_equal(getattr(rest.energy, part)[1:], getattr(full.energy, part)[-n:]), part


STEPS = {"fixed": 7e-3, "controlled": fx.ErrorControl(1e-5), "loose": fx.ErrorControl(1e-2)}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("model", [pendulum, everything])
def test_interrupted_runs_go_on_bitwise(model, step: str, interrupt_at) -> None:
    m = model()
    options = {"step": STEPS[step], "integrator": fx.GeneralizedAlpha(rho_inf=0.7)}
    full = fx.simulate(m, 1.5, **options)
    stop = len(full.steps) // 3
    first = fx.simulate(m, 1.5, events=[interrupt_at(stop)], **options)
    assert first.status is fx.Status.INTERRUPTED
    assert 0 < len(first.steps) < len(full.steps)
    same(full, first, fx.simulate(m, 1.5, start=first, **options))


def test_the_model_with_everything_does_turn_and_stick() -> None:
    """What the tests above rely on: several turns, a moving block that stops, noise that acts."""
    run = fx.simulate(everything(), 1.5, step=7e-3)
    assert np.abs(run.angle("hinge")).max() > 4 * np.pi
    assert abs(run.velocity("block")[-1, 0]) < 0.5


def test_interrupted_twice(interrupt_at) -> None:
    m = everything()
    full = fx.simulate(m, 1.5, step=7e-3)
    a = fx.simulate(m, 1.5, step=7e-3, events=[interrupt_at(40)])
    b = fx.simulate(m, 1.5, step=7e-3, events=[interrupt_at(50)], start=a)
    c = fx.simulate(m, 1.5, step=7e-3, start=b)
    n = len(c.steps)
    assert n < len(full.steps) - 80
    assert np.array_equal(c.q[1:], full.q[-n:])


@pytest.mark.parametrize("rebuilt", [False, True])
def test_resumed_from_a_file(tmp_path, rebuilt: bool, interrupt_at) -> None:
    """Saved and loaded, with the model passed or made anew from the file."""
    m = pendulum() if rebuilt else everything()
    full = fx.simulate(m, 1.5, step=7e-3)
    first = fx.simulate(m, 1.5, step=7e-3, events=[interrupt_at(60)])
    loaded = fx.load(first.save(tmp_path / "a.h5"), model=None if rebuilt else m)
    assert loaded.status is fx.Status.INTERRUPTED
    same(full, first, fx.simulate(loaded.model, 1.5, step=7e-3, start=loaded))


def test_extended_runs_with_fixed_steps() -> None:
    """With times that binary numbers hold exactly the first end is one of the steps of the whole."""
    m, h = pendulum(), 1.0 / 128.0
    full = fx.simulate(m, 180 * h, step=h)
    first = fx.simulate(m, 90 * h, step=h)
    rest = fx.simulate(m, 180 * h, step=h, start=first)
    assert rest.t[0] == 90 * h
    same(full, first, rest)


def test_changed_loads_stay_changed(tmp_path) -> None:
    """Gravity ends at the top of the throw; so it does in a run that goes on later, also from a file."""
    ball = fx.PointMass(1.0, position=(0, 0), velocity=(1.0, 2.0), name="ball")
    weight = fx.Gravity((0, -10.0))
    m = fx.Model(ball, weight)
    off = fx.control.Event(fx.control.VelocitySensor(ball, (0, 1)), action=lambda view: {weight.label: 0.0}, name="top")
    full = fx.simulate(m, 1.0, step=0.01, events=[off])
    first = fx.simulate(m, 0.5, step=0.01, events=[off])
    for start in (first, fx.load(first.save(tmp_path / "a.h5"), model=m)):
        rest = fx.simulate(m, 1.0, step=0.01, events=[off], start=start)
        assert np.array_equal(rest.q[-1], full.q[-1])
        assert rest.position(ball)[-1] == pytest.approx([1.0, 0.2, 0.0], abs=1e-9)
        assert rest.events == ()


def test_two_runs_of_one_system_are_the_same() -> None:
    """A compiled system carries nothing from one run to the next."""
    system = fx.compile_model(everything())
    runs = [fx.simulate(system, 1.0, step=7e-3) for _ in range(2)]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert np.array_equal(runs[0].v, runs[1].v)


@pytest.mark.parametrize("refresh", ["step", "on_demand", "full"])
def test_policies_of_the_matrix_are_resumed_at_the_end_of_a_stretch(refresh: str, interrupt_at) -> None:
    m = pendulum()
    scheme = fx.GeneralizedAlpha(newton=fx.NewtonOptions(jacobian_update=refresh))
    full = fx.simulate(m, 0.4, step=1e-3, integrator=scheme)
    first = fx.simulate(m, 0.4, step=1e-3, integrator=scheme, events=[interrupt_at(101)])
    rest = fx.simulate(m, 0.4, step=1e-3, integrator=scheme, start=first)
    if refresh == "on_demand":  # the matrix is made anew where the run goes on: the same within its tolerance
        assert rest.q[-1] == pytest.approx(full.q[-1], abs=1e-8)
    else:
        assert np.array_equal(rest.q[-1], full.q[-1])


def test_another_model_is_refused_with_what_differs() -> None:
    run = fx.simulate(pendulum(), 0.1, step=0.01)
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=7.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    with pytest.raises(fx.ModelError, match=r"another model.*mass.*2.0 in start, 7.0 in the model"):
        fx.simulate(fx.Model(bar, hinge, fx.Gravity((0, 0, -G))), 0.2, step=0.01, start=run)
    same_again = fx.simulate(pendulum(), 0.2, step=0.01, start=run)  # made anew by the same script
    assert same_again.t[0] == 0.1
