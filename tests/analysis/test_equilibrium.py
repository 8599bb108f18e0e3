"""Static equilibria of models that can move, against closed forms and scalar equations solved by bisection."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx

G = 9.81


def pendulum(angle: float, *more: object, m: float = 2.0, J: float = 0.1, arm: float = 0.5) -> fx.Model:
    """A bar on a hinge at the origin, ``angle`` from the x axis."""
    bar = fx.PlanarRigidBody(m, J, position=(arm * math.cos(angle), arm * math.sin(angle)), angle=angle, name="bar")
    return fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge"), fx.Gravity((0, -G)), *more)


@pytest.mark.parametrize("angle", [0.0, 1.2, 3.0, math.pi / 2 - 1e-3])
def test_released_pendulum_finds_the_hanging_equilibrium(angle: float) -> None:
    found = fx.solve_static(pendulum(angle))
    assert found.position("bar")[-1] == pytest.approx([0.0, -0.5, 0.0], abs=1e-9)
    assert found.reaction("hinge")[-1] == pytest.approx([0.0, 2.0 * G, 0.0], abs=1e-9)
    assert found.stable.all()
    assert found.free == ()
    assert np.all(found.a == 0.0)
    assert np.all(found.v == 0.0)
    assert found.t[0] == 0.0
    assert found.t[-1] == 1.0


def test_pendulum_in_space_released_from_horizontal() -> None:
    bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0.5, 0, 0), name="bar")
    model = fx.Model(
        bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="h"), fx.Gravity((0, 0, -G))
    )
    found = fx.solve_static(model)
    assert found.angle("h")[-1] == pytest.approx(math.pi / 2, abs=1e-9)
    assert found.position(bar)[-1] == pytest.approx([0.0, 0.0, -0.5], abs=1e-9)


def test_upright_pendulum_is_an_unstable_equilibrium() -> None:
    with pytest.warns(RuntimeWarning, match="unstable from load factor 0.1 on"):
        found = fx.solve_static(pendulum(math.pi / 2))
    assert not found.stable[-1]
    assert found.position("bar")[-1] == pytest.approx([0.0, 0.5, 0.0], abs=1e-12)


def test_free_body_is_refused_with_what_is_free() -> None:
    ball = fx.RigidBody(1.0, (0.1, 0.1, 0.1), position=(0, 0, 0), name="ball")
    with pytest.raises(fx.ConvergenceError, match="nothing holds z of body 'ball'") as caught:
        fx.solve_static(fx.Model(ball, fx.Gravity((0, 0, -G))))
    assert isinstance(caught.value.solution, fx.StaticSolution)
    assert fx.solve_static(fx.Model(ball, fx.Gravity((0, 0, -G))), throw=False).message != ""


def test_wheel_that_nothing_holds_is_named() -> None:
    wheel = fx.RigidBody(1.0, (0.1, 0.1, 0.2), position=(0, 0, 0), name="wheel")
    hinge = fx.RevoluteJoint(fx.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="axle")
    with pytest.warns(RuntimeWarning, match="one of many"):
        found = fx.solve_static(fx.Model(wheel, hinge, fx.Gravity((0, 0, -G))))
    assert found.free == ("rotation about body z of body 'wheel'",)
    assert found.reaction("axle")[-1] == pytest.approx([0, 0, G])


@pytest.mark.parametrize("k", [3.0, 8.0, 200.0])
def test_pendulum_with_torsion_spring(k: float) -> None:
    model = pendulum(0.0)
    held = model.with_(fx.TorsionSpring(model.joint("hinge"), stiffness=k, name="spring"))
    found = fx.solve_static(held, fx.StaticOptions(at=(0.5, 1.0)))
    for s in (0.5, 1.0):
        expected = brentq(lambda x, s=s: k * x + s * 2.0 * G * 0.5 * math.cos(x), -math.pi / 2, 0.0)
        i = int(np.flatnonzero(found.t == s)[0])
        assert found.angle("hinge")[i] == pytest.approx(expected, rel=1e-8)


def parallelogram(spring: float) -> tuple[fx.Model, float]:
    """Two cranks of mass 1 and length 0.5 and a coupler of mass 2, with gravity, in space; all equations of hinges."""
    angle, arm = 0.6, 0.5
    c, s = math.cos(angle), math.sin(angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    cranks = [
        fx.RigidBody(
            1.0, (0.01, 0.02, 0.02), position=(x + 0.5 * arm * c, 0.5 * arm * s, 0), rotation=turn, name=f"crank{i}"
        )
        for i, x in enumerate((0.0, 1.0))
    ]
    coupler = fx.RigidBody(2.0, (0.01, 0.2, 0.2), position=(0.5 + arm * c, arm * s, 0), name="coupler")
    z = (0, 0, 1)
    joints = [
        fx.RevoluteJoint(fx.ground, cranks[0], at=(0, 0, 0), axis=z, name="a"),
        fx.RevoluteJoint(fx.ground, cranks[1], at=(1, 0, 0), axis=z, name="b"),
        fx.RevoluteJoint(cranks[0], coupler, at=(arm * c, arm * s, 0), axis=z, name="c"),
        fx.RevoluteJoint(cranks[1], coupler, at=(1 + arm * c, arm * s, 0), axis=z, name="d"),
    ]
    force = fx.TorsionSpring(joints[0], stiffness=spring, name="spring")
    model = fx.Model(*cranks, coupler, *joints, force, fx.Gravity((0, -G, 0)))
    expected = brentq(lambda x: spring * (x - angle) + G * (2 * 0.25 + 2 * 0.5) * math.cos(x), -math.pi / 2, angle)
    return model, expected - angle


def test_four_bar_with_redundant_constraints() -> None:
    model, turned = parallelogram(20.0)
    found = fx.solve_static(model)
    assert found.angle("a")[-1] == pytest.approx(turned, rel=1e-8)
    assert found.angle("b")[-1] == pytest.approx(turned, rel=1e-8)
    assert len(found.redundant) == 3
    whole = found.reaction("a")[-1] + found.reaction("b")[-1]
    assert whole[:2] == pytest.approx([0.0, 4.0 * G], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("time", [0.0, 0.25, 1.0])
def test_a_driver_is_held_where_it_is_at_the_time(time: float) -> None:
    """Not where it would be at the load factor; its rate does not count."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    driver = fx.RotationDriver(hinge, motion=fx.motions.Linear(math.pi / 3), name="motor")
    model = fx.Model(bar, hinge, driver, fx.Gravity((0, -G), history=fx.Constant()))
    found = fx.solve_static(model, time=time)
    assert found.angle(hinge) == pytest.approx(time * math.pi / 3, abs=1e-10)
    torque = found.multipliers(driver)[-1, 0]
    assert abs(torque) == pytest.approx(2.0 * G * 0.5 * math.cos(time * math.pi / 3), rel=1e-9)
    assert np.all(found.v == 0.0)


def crane() -> tuple[fx.PlanarRigidBody, fx.PointMass, fx.Model]:
    """A trolley that begins to move, with a payload on a rope."""
    trolley = fx.PlanarRigidBody(mass=50, inertia=1.0, position=(0, 0), name="trolley")
    load = fx.PointMass(200.0, position=(0, -5.0), name="payload")
    rope = fx.FlexibleBody.line(
        (0, 0), (0, -5.0), elements=6, element=fx.elements.ANCFCable2D(), name="rope",
        stiffness=fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=0.5),
    )  # fmt: skip
    rail = fx.PrismaticJoint(fx.ground, trolley, at=(0, 0), axis=(1, 0), name="rail")
    drive = fx.TranslationDriver(rail, fx.motions.Ramp(0, 4.0, duration=3.0), name="drive")
    joints = fx.RevoluteJoint(trolley, rope.start, name="top"), fx.SphericalJoint(rope.end, load, name="hook")
    return trolley, load, fx.Model(trolley, rope, load, rail, drive, *joints, fx.Gravity((0, -G)), name="crane")


def test_a_crane_rests_where_its_drive_begins_and_moves_from_there() -> None:
    trolley, load, model = crane()
    rest = fx.solve_static(model)
    assert rest.position(trolley)[-1] == pytest.approx(0.0, abs=1e-12)
    stretched = G * (200.0 * 5.0 + 0.5 * 5.0**2 / 2.0) / 1e6
    assert rest.position(load)[-1] == pytest.approx([0.0, -5.0 - stretched, 0.0], abs=1e-8)
    assert rest.reaction("hook")[-1, 1] == pytest.approx(200.0 * G, rel=1e-9)
    run = fx.simulate(model, until=0.1, step=5e-3, start=rest)
    assert run.position(load)[0] == pytest.approx(rest.position(load)[-1], abs=1e-12)
    lowest = fx.solve_modal(rest, modes=1).angular_frequencies[0]
    assert lowest == pytest.approx(math.sqrt(G / 5.0), rel=2e-3)  # a pendulum, its rope a little stiff and heavy
    later = rest
    for time in np.arange(0.5, 3.1, 0.5):  # the rope goes with the trolley
        later = fx.solve_static(model, time=time, start=later)
    assert later.position(load)[-1] == pytest.approx([4.0, -5.0 - stretched, 0.0], abs=1e-8)
    stays = fx.simulate(model, until=3.1, step=5e-3, start=later)
    assert stays.t[0] == 3.0
    assert stays.position(load) == pytest.approx(np.tile(later.position(load)[-1], (len(stays), 1)), abs=1e-8)


def test_histories_are_of_the_load_parameter_or_of_a_time() -> None:
    ball = fx.PointMass(1.0, position=(0.0, 0.0), name="ball")
    spring = fx.Bushing(fx.ground, ball.centre, (10.0, 10.0), at=(0, 0), name="spring")
    grows = fx.PointForce(ball, (2.0, 0.0))
    tabled = fx.PointForce(ball, (0.0, 5.0), history=fx.Table((0.0, 1.0, 4.0), (0.0, 1.0, -2.0)))
    model = fx.Model(ball, spring, grows, tabled)
    by_factor = fx.solve_static(model, fx.StaticOptions(at=(0.5,)))
    assert by_factor.position(ball)[-1, :2] == pytest.approx([0.2, 0.5])
    assert by_factor.position(ball)[by_factor.t == 0.5][0, :2] == pytest.approx([0.1, 0.25])
    by_time = fx.solve_static(model, time=4.0)
    assert by_time.position(ball)[0, :2] == pytest.approx([0.0, -1.0])
    assert by_time.position(ball)[-1, :2] == pytest.approx([0.2, -1.0])
    with pytest.raises(fx.ModelError, match="time must be"):
        fx.solve_static(model, time="noon")


def test_integral_control_finds_its_set_point() -> None:
    wanted, model = 0.3, pendulum(0.0)
    servo = fx.control.FirstOrder(
        [0.0], lambda x, u, t: 5.0 * (wanted - u), fx.control.JointSensor("hinge"),
        fx.control.JointActuator("hinge", name="motor"),
        name="servo",
    )  # fmt: skip
    with pytest.warns(RuntimeWarning, match="unstable"):  # without the control it would fall
        found = fx.solve_static(model.with_(servo))
    assert found.angle("hinge")[-1] == pytest.approx(wanted, abs=1e-9)
    place = found.system.coordinates.state_places(servo)[0]
    assert found.v[-1, place] == pytest.approx(2.0 * G * 0.5 * math.cos(wanted), rel=1e-8)


def cable_and_bob() -> tuple[fx.FlexibleBody, fx.PointMass, fx.Model]:
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=8, element=fx.elements.ANCFCable2D(), name="cable",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=0.1, mass_per_length=1.0),
    )  # fmt: skip
    bob = fx.PointMass(1.0, position=(1.0, 0.0), name="bob")
    model = fx.Model(cable, bob, fx.Pin(cable.start), fx.SphericalJoint(cable.end, bob, name="s"), fx.Gravity((0, -G)))
    return cable, bob, model


def test_cable_with_bob_hangs_down_stretched() -> None:
    _, bob, model = cable_and_bob()
    found = fx.solve_static(model)
    assert found.position(bob)[-1] == pytest.approx([0.0, -1.0 - 1.5 * G / 1e5, 0.0], abs=1e-9)


def test_simulation_starts_at_rest_in_the_equilibrium() -> None:
    _, bob, model = cable_and_bob()
    found = fx.solve_static(model)
    run = fx.simulate(model, 0.05, step=1e-2, start=found)
    assert run.t[0] == 0.0
    assert run.position(bob) == pytest.approx(np.tile(found.position(bob)[-1], (len(run), 1)), abs=1e-10)
    pushed = fx.simulate(model.with_(fx.PointForce(bob, (1.0, 0.0))), 0.01, step=1e-3, start=found)
    assert pushed.acceleration(bob)[0, 0] > 0.5


def test_simulation_starts_from_a_solution_of_a_flexible_model() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=6, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    model = fx.Model(beam, fx.Clamp(beam.start), fx.PointForce(beam.end, (0, -1.0)))
    bent = fx.solve_static(model)
    assert isinstance(bent, fx.StaticSolution)
    run = fx.simulate(model, 0.05, step=1e-2, start=bent)
    assert run.position(beam.end)[-1, :2] == pytest.approx(bent.position(beam.end, step=-1)[:2], abs=1e-8)
    free = fx.simulate(fx.Model(beam, fx.Clamp(beam.start)), 0.05, step=1e-3, start=bent)
    assert free.position(beam.end)[0, :2] == pytest.approx(bent.position(beam.end, step=-1)[:2], abs=1e-12)
    assert free.position(beam.end)[-1, 1] > bent.position(beam.end, step=-1)[1] + 1e-3


def test_statics_goes_on_from_another_equilibrium() -> None:
    first = fx.solve_static(pendulum(0.0))
    again = fx.solve_static(first.system, start=first)
    assert again.position("bar")[0] == pytest.approx([0.0, -0.5, 0.0], abs=1e-9)


def test_starts_that_do_not_fit() -> None:
    _, _, model = cable_and_bob()
    other = fx.solve_static(pendulum(0.0))
    with pytest.raises(fx.ModelError, match="3 coordinates"):
        fx.solve_static(model, start=other)
    with pytest.raises(fx.ModelError, match="3 coordinates"):
        fx.simulate(model, 1.0, start=other)
    with pytest.raises(fx.ModelError, match="must be a StaticSolution"):
        fx.solve_static(model, start="there")


def test_same_equilibrium_as_the_flexible_analysis() -> None:
    """A body of almost no mass and inertia at the tip changes nothing."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=8, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    force = fx.PointForce(beam.end, (0, -5.0))
    plain = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start), force))
    tip = fx.PlanarRigidBody(1e-3, 1e-5, position=(1.0, 0.0), name="tip")
    held = fx.solve_static(fx.Model(beam, tip, fx.Clamp(beam.start), fx.FixedJoint(beam.end, tip, name="f"), force))
    assert held.position(tip)[-1, :2] == pytest.approx(plain.position(beam.end, step=-1)[:2], abs=1e-8)


def test_bristle_friction_is_refused() -> None:
    model = pendulum(0.0)
    friction = fx.BristleFriction(
        model.joint("hinge"), coefficient=0.5, load=1.0, deflection=1e-3, damping=0.0, name="rub"
    )
    with pytest.raises(fx.ModelError, match="'rub' remembers its past"):
        fx.solve_static(model.with_(friction))


def test_disk_that_rolls_against_a_spring() -> None:
    """Rolling, (m + J / r^2) x'' + k x = F; standing upright it topples."""
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0.0]])
    disk = fx.RigidBody(1.0, (0.01, 0.01, 0.02), position=(0, 0, 0.1), rotation=turn, name="disk")
    roll = fx.RollingDisk(fx.ground, disk, radius=0.1, axis=(0, 1, 0), normal=(0, 0, 1), name="roll")
    spring = fx.SpringDamper(fx.ground.marker((-1, 0, 0.1)), disk.centre, stiffness=10.0, name="spring")
    model = fx.Model(disk, roll, spring, fx.Gravity((0, 0, -G)), fx.PointForce(disk.centre, (2.0, 0, 0)))
    with pytest.warns(RuntimeWarning, match="unstable"):
        found = fx.solve_static(model)
    assert found.position(disk)[-1] == pytest.approx([0.2, 0.0, 0.1], abs=1e-9)
    with pytest.warns(RuntimeWarning, match="grow"):
        roots = fx.solve_modal(found).roots
    assert roots[np.argmax(roots.imag)] == pytest.approx(1j * math.sqrt(10.0 / 3.0), rel=1e-9)


def test_equilibria_in_a_file(tmp_path: Path) -> None:
    found = fx.solve_static(pendulum(0.0))
    read = fx.load(found.save(tmp_path / "hanging.h5"))
    assert isinstance(read, fx.StaticSolution)
    assert np.array_equal(read.q, found.q)
    assert read.stable.tolist() == found.stable.tolist()
    assert read.angle("hinge")[-1] == pytest.approx(-math.pi / 2)
    run = fx.simulate(read.system, 0.1, step=0.05, start=read)
    assert run.position("bar")[-1] == pytest.approx([0.0, -0.5, 0.0], abs=1e-9)
    assert fx.solve_modal(read).eigenvalues == pytest.approx(fx.solve_modal(found).eigenvalues)
