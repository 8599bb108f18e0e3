"""Energy-momentum steps: what they conserve, their order, their cost, and what they refuse."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.elements import ANCFCable2D, ANCFCable3D, LinearBeam2D
from flexmbs.integrators.step_control import ErrorControl
from flexmbs.verification.cases.flexible_motion.energy_momentum import pendulum_energy
from flexmbs.verification.cases.mechanisms.integrators import cone
from flexmbs.verification.reference import tops

G = 9.81
SCHEME = fx.EnergyMomentum()
DRIFT = 1e-12
"""Drift allowed over some thousand steps, of the largest kinetic and strain energy."""


def go(model: fx.Model, until: float, step: Any, **options: Any) -> fx.TimeSolution:
    return fx.simulate(model, until, step=step, integrator=SCHEME, **options)


def drift(run: fx.TimeSolution) -> float:
    e = run.energy
    total = e.kinetic + e.strain + e.springs + e.potential
    return float(np.ptp(total) / (e.kinetic + e.strain + e.springs).max())


def change(values: FloatArray) -> float:
    return float(np.abs(values - values[0]).max() / np.linalg.norm(values[0]))


def slopes(errors: list[float]) -> FloatArray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def line(element: Any, end: tuple[float, ...], elements: int = 4, name: str = "cable") -> fx.FlexibleBody:
    """A cable from the origin."""
    stiffness = fx.BeamStiffness(EA=1e4, EI_z=0.2, mass_per_length=1.0)
    return fx.FlexibleBody.line(
        (0.0,) * len(end), end, elements=elements, element=element, stiffness=stiffness, name=name
    )


def swinging() -> fx.Model:
    cable = line(ANCFCable2D(), (1.0, 0.0))
    return fx.Model(cable, fx.Pin(cable.start), fx.Gravity((0.0, -G)))


def mechanism() -> fx.Model:
    """Two bars in space with springs on a distance and on an angle."""
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    first = fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=2.0, position=(0.5, 0, 0), name="first")
    second = fx.RigidBody.box(size=(1.0, 0.1, 0.2), mass=1.0, position=(1.0, 0.5, 0.0), rotation=turned, name="second")
    hinge = fx.RevoluteJoint(fx.ground, first, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    cross = fx.UniversalJoint(first, second, at=(1.0, 0, 0), axes=((0, 1, 0), (0, 0, 1)), name="cross")
    spring = fx.SpringDamper(fx.ground.marker((0, 0, 1.0)), second.marker((0, 0, 0)), stiffness=[50.0, 0.0, 20.0],
                             name="spring")  # fmt: skip
    spiral = fx.TorsionSpring(hinge, stiffness=20.0, name="spiral")
    return fx.Model(first, second, hinge, cross, spring, spiral, fx.Gravity((0.0, 1.0, -G)))


def welded() -> fx.Model:
    """A free cable welded to a planar body."""
    cable = line(ANCFCable2D(), (1.0, 0.0))
    plate = fx.PlanarRigidBody(1.0, 0.1, position=(1.2, 0.0), velocity=(0.0, 0.4), angular_velocity=2.0, name="plate")
    return fx.Model(cable, plate, fx.FixedJoint(cable.end, plate.marker((-0.2, 0.0)), name="weld"))


def test_free_body_keeps_energy_and_momentum_and_converges() -> None:
    inertia, omega = (1.0, 2.0, 3.0), (0.01, 5.0, 0.0)
    times = np.arange(1.0, 5.0)
    exact = tops.free_body_rates(inertia, omega, times)
    errors = []
    for step in (2e-2, 1e-2, 5e-3):
        body = fx.RigidBody(1.0, inertia, velocity=(1.0, 2.0, 3.0), angular_velocity=omega, name="body")
        run = go(fx.Model(body), 5.0, step)
        P, L = run.momentum()
        J = np.einsum("tij,j,tj->ti", run.rotation(body), np.array(inertia), run.angular_velocity(body))
        assert drift(run) < DRIFT
        assert change(P) < DRIFT
        assert change(L) < DRIFT
        assert change(J) < DRIFT
        errors.append(float(np.abs(run.angular_velocity(body)[[round(t / step) for t in times]] - exact).max()))
    assert slopes(errors).min() > 1.95
    assert slopes(errors).max() < 2.05


def test_order_of_a_constrained_motion() -> None:
    known = cone()
    errors = np.array([known.errors(go(known.model, 2.0, h)) for h in (4e-2, 2e-2, 1e-2)])
    for column in errors.T:  # position, velocity, force
        assert slopes(list(column)).min() > 1.95


def thrown() -> fx.Model:
    """A pendulum of 2 kg and 1 m, horizontal, thrown down at 3 m/s: the rates of its constraint oscillate."""
    ball = fx.PointMass(2.0, position=(1.0, 0.0), velocity=(0.0, -3.0), name="ball")
    rod = fx.DistanceConstraint(fx.ground.marker_at((0.0, 0.0)), ball.centre, name="rod")
    return fx.Model(ball, rod, fx.Gravity((0.0, -G)))


def errors_when_thrown(step: Any) -> tuple[float, float]:
    """Of the acceleration [m/s2] and the force [N] against the equation of the angle."""
    run = go(thrown(), 0.6, step)
    known = solve_ivp(
        lambda t, y: [y[1], G * np.cos(y[0])], (0.0, 0.6), [0.0, 3.0], rtol=1e-11, atol=1e-11, dense_output=True
    )
    angle, rate = known.sol(run.t)
    none = np.zeros_like(angle)
    out, along = np.stack((np.cos(angle), -np.sin(angle), none)), np.stack((-np.sin(angle), -np.cos(angle), none))
    a = (-(rate**2) * out + G * np.cos(angle) * along).T
    return (
        float(np.abs(run.acceleration("ball") - a).max()),
        float(np.abs(run.reaction("rod") - 2.0 * (a + np.array([0.0, G, 0.0]))).max()),
    )


def test_order_of_accelerations_and_forces_where_rates_oscillate() -> None:
    """Those of single steps are off by order h there."""
    errors = np.array([errors_when_thrown(h) for h in (2e-2, 1e-2, 5e-3)])
    for column in errors.T:
        assert slopes(list(column)) == pytest.approx(2.0, abs=0.1)
    assert errors[-1, 1] < 0.1  # of 80 N


def test_order_of_accelerations_and_forces_with_steps_that_change() -> None:
    """A thousandth of the tolerance makes steps of a tenth, which errors follow by their square."""
    first, second = (errors_when_thrown(ErrorControl(rtol=tol)) for tol in (1e-5, 1e-8))
    assert np.log10(np.array(first) / second).min() > 1.8


def test_flexible_pendulum_keeps_its_energy_for_5000_steps() -> None:
    run = go(swinging(), 5.0, 1e-3, output=fx.Output(every=0.05))
    assert drift(run) < DRIFT
    assert np.ptp(pendulum_energy(run.q, run.v)) < DRIFT * run.energy.kinetic.max()
    assert run.energy.strain.max() > 0.1 * run.energy.kinetic.max()  # it does bend


def test_clamp_across_the_axes() -> None:
    """Round-off of the supported coordinates, on which the reactions would work, does not grow."""
    cable = line(ANCFCable2D(), (math.cos(0.5), math.sin(0.5)))
    run = go(fx.Model(cable, fx.Clamp(cable.start), fx.Gravity((0.0, -G))), 2.0, 1e-3, output=fx.Output(every=0.1))
    assert drift(run) < 1e-13
    assert run.steps[:, 2].mean() < 3.0
    place = run.q[:, :4] - run.q[0, :4]
    assert np.abs(place[:, :2]).max() == 0.0
    assert np.abs(place[:, 3] * math.cos(0.5) - place[:, 2] * math.sin(0.5)).max() < 1e-14


def test_free_flying_cables_keep_both_momenta() -> None:
    """Two cables, hinged to each other, that turn about the hinge in different directions."""
    ends = ((1.0, 0.0, 0.0), (0.2, 1.0, 0.1))
    cables = [line(ANCFCable3D(), end, 4, name=f"cable {k}") for k, end in enumerate(ends)]
    fields = [
        fx.InitialVelocity(cable, velocity=(1.0, 2.0, 3.0), angular_velocity=w)
        for cable, w in zip(cables, ((0.0, 4.0, -6.0), (3.0, 0.0, 2.0)), strict=True)
    ]
    run = go(fx.Model(*cables, fx.Hinge(cables[0].start, cables[1].start), *fields), 1.0, 1e-3)
    P, L = run.momentum()
    assert drift(run) < DRIFT
    assert change(P) < DRIFT
    assert change(L) < DRIFT
    assert run.energy.strain.max() > 0.05 * run.energy.kinetic[0]


@pytest.mark.parametrize("make", [mechanism, welded])
def test_joints_and_springs(make: Callable[[], fx.Model]) -> None:
    model = make()
    run = go(model, 1.0, 2e-3)
    assert drift(run) < DRIFT
    assert run.residuals[:, 0].max() < 1e-14
    if make is welded:
        P, L = run.momentum()
        assert change(P) < DRIFT
        assert change(L) < DRIFT


@pytest.mark.parametrize(
    "law", [[3.0, -1.0, 2.0], fx.ForceCurve((-2.0, -0.5, 0.1, 0.4, 2.0), (-8.0, -1.0, 0.3, 2.0, 9.0))]
)
def test_nonlinear_springs(law: Any) -> None:
    """Polynomials and curves, whose knots are passed many times."""
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    run = go(fx.Model(bar, hinge, fx.TorsionSpring(hinge, stiffness=law), fx.Gravity((0, 0, -G))), 5.0, 2e-2)
    angle = run.angle(hinge)
    assert angle.min() < 0.1
    assert angle.max() > 0.4
    assert drift(run) < 1e-13


def test_forces_of_joints_against_generalised_alpha() -> None:
    """Both schemes extrapolated to the step zero agree, also in the force of the hinge."""
    found = []
    for scheme in (SCHEME, fx.GeneralizedAlpha()):
        values = []
        for step in (2e-3, 1e-3):
            model = mechanism()
            run = fx.simulate(model, 0.5, step=step, integrator=scheme)
            values.append(np.concatenate((run.position(model.body("second"))[-1], 1e-2 * run.reaction("hinge")[-1])))
        found.append((4.0 * values[1] - values[0]) / 3.0)
    assert np.abs(found[0] - found[1]).max() < 1e-5


def test_redundant_loop() -> None:
    """Four revolute joints in space: three equations follow from the others."""
    corners = np.array([(0, 0, 0), (0, 1.0, 0), (2.0, 1.5, 0), (2.0, 0, 0)], dtype=float)
    bars = []
    for a, b in itertools.pairwise(corners):
        length = float(np.linalg.norm(b - a))
        x = (b - a) / length
        frame = np.column_stack([x, np.cross((0, 0, 1.0), x), (0, 0, 1.0)])
        bars.append(fx.RigidBody.box(size=(length, 0.05, 0.05), mass=1.0, position=0.5 * (a + b), rotation=frame,
                                     name=f"bar {len(bars)}"))  # fmt: skip
    sides = [fx.ground, *bars, fx.ground]
    joints = [
        fx.RevoluteJoint(sides[i], sides[i + 1], at=p, axis=(0, 0, 1), name=f"hinge {i}") for i, p in enumerate(corners)
    ]
    run = go(fx.Model(*bars, *joints, fx.Gravity((3.0, -G, 0))), 2.0, 5e-3)
    assert len(run.redundant) == 3
    assert drift(run) < DRIFT
    assert run.residuals[:, 0].max() < 1e-13


def test_steps_chosen_by_error_conserve_too() -> None:
    run = go(swinging(), 0.5, ErrorControl(1e-4))
    sizes = np.diff(run.t)
    assert sizes.max() > 1.5 * sizes.min()
    assert drift(run) < DRIFT


@pytest.mark.parametrize("make", [swinging, mechanism])
def test_back_in_time(make: Callable[[], fx.Model]) -> None:
    model = make()
    run = go(model, 0.2, 2e-3)
    dynamics = Dynamics(run.system)
    dynamics.start_turns(0.0)
    stepper = SCHEME.stepper(dynamics, 1e-6)
    forth = stepper.step(run.last, 2e-3).state
    back = stepper.step(forth, -2e-3).state
    assert abs(back.t - run.last.t) < 1e-15
    for name in ("q", "v"):
        there, here = getattr(run.last, name), getattr(back, name)
        assert np.abs(there - here).max() < 1e-11 * np.abs(there).max()
    assert np.isfinite(back.a).all()
    assert np.isfinite(back.lam).all()


@pytest.mark.parametrize("step", [2e-3, ErrorControl(1e-4)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("make", [mechanism, welded])
def test_resumed_runs_are_bitwise_the_same(
    make: Callable[[], fx.Model], step: Any, tmp_path: Path, interrupt_at
) -> None:
    model = make()
    full = go(model, 0.2, step, events=[fx.control.Event(lambda view: 1.0, name="ctrl-c")])
    first = go(model, 0.2, step, events=[interrupt_at(20)], file=tmp_path / "first.h5")
    assert first.status is fx.Status.INTERRUPTED
    assert 10 < len(first.steps) < len(full.steps)
    for start in (first, fx.load(tmp_path / "first.h5")):
        rest = go(model, 0.2, step, start=start, events=[fx.control.Event(lambda view: 1.0, name="ctrl-c")])
        n = len(rest.steps)
        assert len(first.steps) + n == len(full.steps)
        for name in ("t", "q", "v", "a", "lam"):
            assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-n:]), name


def test_run_of_no_length() -> None:
    run = go(mechanism(), 0.0, 1e-3)
    assert len(run) == 1
    assert np.isfinite(run.a).all()


def test_bounded_work() -> None:
    """Newton's method is exact: three evaluations of a step, and a factorisation with each."""
    run = go(swinging(), 0.5, 1e-3)
    assert run.steps[:, 2].max() <= 4
    assert run.steps[:, 2].mean() <= 3.0


def test_failure_is_told_and_keeps_what_was_made() -> None:
    """Three iterations are not enough for steps in which the axial waves run over many elements."""
    run = fx.simulate(swinging(), 8.0, step=0.1, integrator=fx.EnergyMomentum(max_iterations=3), throw=False)
    assert run.status is fx.Status.STEP_TOO_SMALL
    assert "did not converge" in run.message or "diverged" in run.message
    assert drift(run) < DRIFT


@pytest.mark.parametrize(
    "settings", [{"tolerance": 0.0}, {"tolerance": 1.0}, {"max_iterations": 1}, {"max_iterations": 2.5}]
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(fx.ModelError, match="EnergyMomentum"):
        fx.EnergyMomentum(**settings)


def _bar() -> tuple[fx.RigidBody, fx.RevoluteJoint]:
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0, 0), name="bar")
    return bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")


def _refused() -> dict[str, Callable[[], fx.Model]]:
    """Models by the item that is refused."""

    def with_bar(make: Callable[[fx.RigidBody, fx.RevoluteJoint], Any]) -> Callable[[], fx.Model]:
        def model() -> fx.Model:
            bar, hinge = _bar()
            return fx.Model(bar, hinge, make(bar, hinge))

        return model

    def damped() -> fx.Model:
        cable = line(ANCFCable2D(), (1.0, 0.0))
        return fx.Model(cable, fx.RayleighDamping(cable, stiffness=1e-3))

    def loaded(history: Any) -> Callable[[], fx.Model]:
        def model() -> fx.Model:
            cable = line(ANCFCable2D(), (1.0, 0.0))
            return fx.Model(cable, fx.Gravity((0.0, -G), history=history))

        return model

    def beam() -> fx.Model:
        return fx.Model(line(LinearBeam2D(), (1.0, 0.0)))

    def swivel() -> fx.Model:
        cable = line(ANCFCable3D(), (1.0, 0.0, 0.0))
        bar = fx.RigidBody(1.0, (1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0), name="bar")
        return fx.Model(cable, bar, fx.RevoluteJoint(cable.end, bar, axis=(1.0, 0.0, 0.0), name="swivel"))

    def follower() -> fx.Model:
        cable = line(ANCFCable2D(), (1.0, 0.0))
        return fx.Model(cable, fx.PointForce(cable.end, (0.0, 1.0), follower=True))

    def resting() -> fx.Model:
        cable = line(ANCFCable2D(), (1.0, 0.0))
        return fx.Model(cable, fx.ElasticSupport(cable.end, stiffness=(1.0, 1.0)))

    def rolling() -> fx.Model:
        wheel = fx.RigidBody(1.0, (0.01, 0.02, 0.01), position=(0, 0, 0.2), name="wheel")
        return fx.Model(wheel, fx.RollingDisk(fx.ground, wheel, radius=0.2, axis=(0, 1, 0), name="wheel on ground"))

    at = (1.0, 0.0, 0.0)
    return {
        "damper": with_bar(lambda b, j: fx.SpringDamper(fx.ground.marker((0, 0, 1)), b.marker((0.5, 0, 0)), damping=1.0,
                                                        name="damper")),
        "friction": with_bar(lambda b, j: fx.CoulombFriction(j, 0.3, load=1.0, speed=0.1, name="friction")),
        "motor": with_bar(lambda b, j: fx.RotationDriver(j, fx.motions.Sine(1.0, frequency=1.0), name="motor")),
        "stop": with_bar(lambda b, j: fx.JointStop(j, lower=-1.0, stiffness=1e3, name="stop")),
        "bushing": with_bar(lambda b, j: fx.Bushing(fx.ground, b, at=at, stiffness=(1.0,) * 3, name="bushing")),
        "follower": follower,
        "steep": with_bar(lambda b, j: fx.TorsionSpring(j, stiffness=[0.0] * 15 + [1.0], name="steep")),
        "elastic": resting,
        "acts at a marker": with_bar(lambda b, j: fx.Moment(b.centre, (0.0, 1.0, 0.0))),
        "lag": with_bar(lambda b, j: fx.control.FirstOrder([0.0], lambda x, u, t: u - x, fx.control.JointSensor(j),
        name="lag")),
        "servo": with_bar(lambda b, j: fx.control.PID(
        fx.control.JointSensor(j), fx.control.JointActuator(j, name="motor"), 0.01, 1.0,
                                              name="servo")),
        "wind": with_bar(lambda b, j: fx.UserForce([b.centre], lambda p, R, twist, t: np.zeros((1, 6)), name="wind")),
        "wheel on ground": rolling,
        "user": with_bar(lambda b, j: fx.TorsionSpring(j, torque=lambda s, v, t: -s, name="user")),
        "damping of body 'cable'": damped,
        "gravity": loaded(lambda t: t),
        "planar beam": beam,
        "spatial node with slope": swivel,
    }  # fmt: skip


@pytest.mark.parametrize("name", _refused())
def test_refuses_by_name_before_the_first_step(name: str) -> None:
    model = _refused()[name]()
    with pytest.raises(fx.ModelError, match=name) as caught:
        go(model, 1.0, 1e-2)
    assert "GeneralizedAlpha()" in str(caught.value)
    assert "EnergyMomentum" in str(caught.value)
