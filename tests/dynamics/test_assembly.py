"""From what a user describes to positions and velocities on the constraints: the least change, or a refusal by name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import flexmbs as fx

LENGTHS, MASSES, INERTIAS = (1.0, 0.6), (2.0, 0.7), (0.3, 0.05)
OFFSETS = np.array([0.9, -1.3, 0.4, 0.7, 1.1, -0.8])  # x, y, angle of both bodies, times a small number


def double_pendulum(size: float, velocities=((0, 0), (0, 0)), spins=(0.0, 0.0)):
    """Two planar bars that do not quite meet their joints."""
    angles = np.array([0.3, -0.5])
    ends = np.array([[0.0, 0.0], [np.cos(0.3), np.sin(0.3)]])
    bars, d = [], size * OFFSETS.reshape(2, 3)
    for k in range(2):
        middle = ends[k] + 0.5 * LENGTHS[k] * np.array([np.cos(angles[k]), np.sin(angles[k])])
        bars.append(
            fx.PlanarRigidBody(
                MASSES[k], INERTIAS[k], position=middle + d[k, :2], angle=angles[k] + d[k, 2], velocity=velocities[k],
                angular_velocity=spins[k], name=f"bar {k}",
            )
        )  # fmt: skip
    points = [(-0.5 * LENGTHS[0], 0, 0), (0.5 * LENGTHS[0], 0, 0), (-0.5 * LENGTHS[1], 0, 0)]
    joints = (
        fx.RevoluteJoint(fx.ground.marker((0, 0, 0)), bars[0].marker(points[0]), name="shoulder"),
        fx.RevoluteJoint(bars[0].marker(points[1]), bars[1].marker(points[2]), name="elbow"),
    )
    return bars, fx.Model(*bars, *joints)


def gaps(q: np.ndarray) -> np.ndarray:
    """What the joints say, by hand: q = (x, y, angle) of both bars."""
    ends = []
    for k, sign in ((0, -1), (0, 1), (1, -1)):
        x, y, a = q[3 * k : 3 * k + 3]
        ends.append(np.array([x, y]) + 0.5 * sign * LENGTHS[k] * np.array([np.cos(a), np.sin(a)]))
    return np.concatenate((ends[0], ends[1] - ends[2]))


def jacobian(q: np.ndarray) -> np.ndarray:
    h = 1e-6
    return np.array([(gaps(q + h * e) - gaps(q - h * e)) / (2 * h) for e in np.eye(6)]).T


WEIGHTS = np.array([MASSES[0], MASSES[0], INERTIAS[0], MASSES[1], MASSES[1], INERTIAS[1]])


@pytest.mark.filterwarnings("ignore:.*the assembly:RuntimeWarning")
def test_bodies_are_moved_onto_their_joints_by_the_least_change() -> None:
    """Against a constrained minimisation; the projections by Newton's method differ from it in second order."""
    apart = []
    for size in (4e-3, 2e-3, 1e-3):
        bars, model = double_pendulum(size)
        start = np.concatenate([[*bar.position[:2], bar.angle] for bar in bars])
        run = fx.simulate(model, until=1e-6, step=1e-6)
        found = run.q[0]
        assert np.abs(gaps(found)).max() < 1e-11
        best = minimize(
            lambda q, start=start, size=size: float(WEIGHTS @ (q - start) ** 2) / size**2,
            start,
            constraints={"type": "eq", "fun": gaps, "jac": jacobian},
            jac=lambda q, start=start, size=size: 2 * WEIGHTS * (q - start) / size**2,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 200},
        )
        assert np.abs(gaps(best.x)).max() < 1e-10
        moved = np.abs(found - start).max()
        assert size < moved < 10.0 * size
        apart.append(np.abs(found - best.x).max())
    assert apart[0] < 1e-4
    assert apart[0] / apart[1] > 3.5
    assert apart[1] / apart[2] > 3.5


@pytest.mark.filterwarnings("ignore:.*the joints changed:RuntimeWarning")
def test_velocities_are_projected_in_the_metric_of_the_mass() -> None:
    """v - M^-1 G^T (G M^-1 G^T)^-1 G v."""
    _, model = double_pendulum(0.0, velocities=((1.0, -2.0), (0.5, 3.0)), spins=(2.0, -1.0))
    run = fx.simulate(model, until=1e-6, step=1e-6)
    v = np.array([1.0, -2.0, 2.0, 0.5, 3.0, -1.0])
    G = jacobian(run.q[0])
    lift = G.T / WEIGHTS[:, None]
    assert run.v[0] == pytest.approx(v - lift @ np.linalg.solve(G @ lift, G @ v), abs=1e-8)


@pytest.mark.filterwarnings("ignore:.*the joints changed:RuntimeWarning")
def test_velocities_that_a_joint_takes_altogether_are_no_contradiction() -> None:
    """A moving body fixed to the ground rests: what the projection leaves is round-off, not a violation."""
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_rotvec((0.3, 0.5, 0.7))
    body = fx.RigidBody(2.0, (0.1, 0.2, 0.3), rotation=turned, velocity=(1.0, 2.0, 3.0), name="body")
    run = fx.simulate(fx.Model(body, fx.FixedJoint(fx.ground, body, at=(0.4, 0, 0))), until=1e-2, step=1e-2)
    assert run.v[0] == pytest.approx(0.0, abs=1e-14)


def test_a_driven_joint_starts_at_the_rate_of_its_driver() -> None:
    """With a driver at 3 rad/s a bar at rest is set turning about its hinge, wherever its mass is."""
    bar = fx.RigidBody.box(size=(1.0, 0.1, 0.1), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    run = fx.simulate(fx.Model(bar, hinge, fx.RotationDriver(hinge, rate=3.0)), until=1e-3, step=1e-3)
    assert run.velocity(bar)[0] == pytest.approx([0.0, 1.5, 0.0], abs=1e-12)
    assert run.angular_velocity(bar)[0] == pytest.approx([0.0, 0.0, 3.0], abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*the assembly:RuntimeWarning")
def test_rotations_in_space_are_assembled() -> None:
    """A bar placed askew by a large angle is turned so that its axis lies along that of the hinge."""
    turn = np.array([0.4, -0.3, 0.5])
    from scipy.spatial.transform import Rotation

    bar = fx.RigidBody(2.0, (0.1, 0.2, 0.3), position=(0.5, 0.1, -0.2), rotation=Rotation.from_rotvec(turn), name="bar")
    hinge = fx.RevoluteJoint(
        fx.ground.marker((0, 0, 0), axis=(0, 0, 1)), bar.marker((-0.5, 0, 0), axis=(0, 0, 1)), name="h"
    )
    run = fx.simulate(fx.Model(bar, hinge), until=1e-3, step=1e-3)
    R, p = run.rotation(bar)[0], run.position(bar)[0]
    assert R[:, 2] == pytest.approx([0, 0, 1], abs=1e-10)
    assert p + R @ [-0.5, 0, 0] == pytest.approx(np.zeros(3), abs=1e-10)
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_impossible_assembly_names_its_joints() -> None:
    """A bar of length 1 between points 3 apart."""
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    joints = (
        fx.RevoluteJoint(fx.ground.marker((0, 0, 0)), bar.marker((-0.5, 0, 0)), name="left pin"),
        fx.RevoluteJoint(fx.ground.marker((3, 0, 0)), bar.marker((0.5, 0, 0)), name="right pin"),
    )
    with pytest.raises(fx.ModelError, match=r"cannot be assembled.*pin'") as caught:
        fx.simulate(fx.Model(bar, *joints), until=0.1)
    assert "left pin" in str(caught.value)
    assert "right pin" in str(caught.value)


def test_a_distance_too_long_for_its_chain_is_refused() -> None:
    bars, model = double_pendulum(0.0)
    rod = fx.DistanceConstraint(fx.ground.marker((5, 0, 0)), bars[1].marker((0.3, 0, 0)), length=1.0, name="tie rod")
    with pytest.raises(fx.ModelError, match="tie rod"):
        fx.simulate(model.with_(rod), until=0.1)


def test_contradicting_drivers_are_refused_by_name() -> None:
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    drivers = [fx.RotationDriver(hinge, rate=w, name=f"motor at {w:g}") for w in (1.0, 2.0)]
    with pytest.raises(fx.ModelError, match=r"motor at \d"):
        fx.simulate(fx.Model(bar, hinge, *drivers), until=0.1)


def test_contradicting_joints_are_refused_by_name() -> None:
    ball = fx.PointMass(1.0, position=(0, 0, 0), name="ball")
    pins = [fx.SphericalJoint(fx.ground.marker(p), ball.centre, name=f"pin {p[0]}") for p in ((0, 0, 0), (1, 0, 0))]
    with pytest.raises(fx.ModelError, match=r"pin [01]"):
        fx.simulate(fx.Model(ball, *pins), until=0.1)


@pytest.mark.filterwarnings("ignore:.*the assembly:RuntimeWarning")
def test_what_a_user_passed_is_not_written_to() -> None:
    bars, model = double_pendulum(1e-2)
    before = [bar.position.copy() for bar in bars]
    fx.simulate(model, until=1e-3, step=1e-3)
    for bar, position in zip(bars, before, strict=True):
        assert np.array_equal(bar.position, position)


def test_a_driver_beside_a_lock_is_refused_with_both_names() -> None:
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    lock, motor = (
        fx.FixedJoint(fx.ground, bar, at=(0, 0), name="lock"),
        fx.RotationDriver(hinge, rate=2.0, name="motor"),
    )
    with pytest.raises(fx.ModelError, match=r"'lock' .*'motor'"):
        fx.simulate(fx.Model(bar, hinge, lock, motor), until=0.1)


@pytest.mark.parametrize(("first", "second"), [(1.0, 2.0), (0.3, 0.5)])
def test_two_motions_of_one_coordinate_are_refused(first: float, second: float) -> None:
    """The squares agree in angle and speed at the start, and part afterwards."""
    power = 1 if first == 1.0 else 2
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    one = fx.RotationDriver(hinge, lambda t: first * t**power, name="one")
    two = fx.RotationDriver(hinge, lambda t: second * t**power, name="two")
    with pytest.raises(fx.ModelError, match=r"'one' and .*'two' drive one coordinate differently"):
        fx.simulate(fx.Model(bar, hinge, one, two), until=0.1)
    same = fx.RotationDriver(hinge, lambda t: first * t**power, name="same")
    run = fx.simulate(fx.Model(bar, hinge, one, same), until=0.1, step=0.01)
    assert run.angle(hinge)[-1] == pytest.approx(first * 0.1**power, abs=1e-9)


def test_a_motion_that_is_no_number_is_refused_with_its_driver() -> None:
    bar = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    with pytest.raises(fx.ModelError, match=r"'broken'.*not nan"):
        fx.RotationDriver(hinge, lambda t: float("nan"), name="broken")
    late = fx.RotationDriver(hinge, lambda t: 0.0 if t < 2.0 else float("nan"), name="late")
    with pytest.raises(fx.ModelError, match=r"'late'.*nan"):
        fx.simulate(fx.Model(bar, hinge, late), until=3.0, step=0.1)


def test_slips_of_the_pen_are_met_with_what_to_write() -> None:
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    with pytest.raises(fx.ModelError, match=r"pass items one by one, Model\(\*items\)"):
        fx.Model([ball])
    with pytest.raises(fx.ModelError, match=r"a vector such as \(0, 0, -9\.81\)"):
        fx.Gravity(-9.81)
    with pytest.raises(AttributeError, match="did you mean RevoluteJoint"):
        fx.Revolut  # noqa: B018


def kept_models():
    """A consistent double pendulum in the plane and in space, one with a flexible bar, and one of floating bodies."""
    flat = [fx.PlanarRigidBody(1.0, 0.1, position=(0.5 + k, 0), name=f"bar {k}") for k in range(2)]
    space = [fx.RigidBody.rod((k, 0, 0), (k + 1.0, 0, 0), mass=1.0, name=f"bar {k}") for k in range(2)]
    cable = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=2, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=1.0, mass_per_length=1.0), name="cable",
    )  # fmt: skip
    ball = fx.PointMass(1.0, position=(2, 0), name="ball")
    return {
        "plane": (
            flat,
            [fx.RevoluteJoint(fx.ground, flat[0], at=(0, 0)), fx.RevoluteJoint(*flat, at=(1, 0))],
            (0, -9.81),
        ),
        "space": (
            space,
            [
                fx.RevoluteJoint(fx.ground, space[0], at=(0, 0, 0), axis=(0, 1, 0), name="shoulder"),
                fx.RevoluteJoint(*space, at=(1, 0, 0), axis=(0, 1, 0), name="elbow"),
            ],
            (0, 0, -9.81),
        ),
        "cable": ([cable, ball], [fx.Pin(cable.start), fx.DistanceConstraint(cable.end, ball.centre)], (0, -9.81)),
    }


@pytest.mark.parametrize("name", ["plane", "space", "cable"])
@pytest.mark.parametrize("scheme", [fx.GeneralizedAlpha(), fx.RungeKutta(order=5), fx.RadauIIA(), fx.BDF()])
def test_bodies_kept_in_the_assembly_have_their_own_mass_afterwards(name: str, scheme: object) -> None:
    """Where nothing has to move, ``keep`` changes nothing; nor does it change the compiled system."""
    bodies, joints, g = kept_models()[name]
    model = fx.Model(*bodies, *joints, fx.Gravity(g))
    for keep in ((bodies[0],), tuple(bodies)):
        runs = [
            fx.simulate(model, until=0.02, step=1e-3 if name != "cable" else 2e-4, integrator=scheme, keep_initial=k)
            for k in ((), keep)
        ]
        scale = np.abs(runs[0].v).max()
        assert np.abs(runs[1].q - runs[0].q).max() < 1e-9
        assert np.abs(runs[1].v - runs[0].v).max() < 1e-9 * scale


def test_a_system_is_the_same_after_a_run_that_kept_a_body() -> None:
    bodies, joints, g = kept_models()["space"]
    system = fx.System(fx.Model(*bodies, *joints, fx.Gravity(g)))
    before = fx.simulate(system, until=0.1, step=1e-3)
    fx.simulate(system, until=0.01, step=1e-3, keep_initial=(bodies[0],))
    after = fx.simulate(system, until=0.1, step=1e-3)
    assert np.array_equal(before.q, after.q)


def test_a_run_that_goes_on_keeps_no_initial_places() -> None:
    bodies, joints, g = kept_models()["space"]
    model = fx.Model(*bodies, *joints, fx.Gravity(g))
    first = fx.simulate(model, until=0.01, step=1e-3)
    with pytest.raises(fx.ModelError, match=r"keep_initial = .* goes on from the motion start"):
        fx.simulate(model, until=0.02, step=1e-3, start=first, keep_initial=(bodies[0],))


@pytest.mark.parametrize("throw", [True, False])
def test_a_driver_that_leads_a_sliding_mass_off_its_cable_is_named(throw: bool) -> None:
    """The cable is 10 long, the driver begins at 15."""
    beam = fx.FlexibleBody.line(
        (0, 0), (10, 0), elements=4, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=2e9, EI_z=2e6, mass_per_length=50.0), name="beam",
    )  # fmt: skip
    load = fx.PointMass(200.0, position=(0, 0), velocity=(15, 0), name="load")
    model = fx.Model(
        beam, fx.Pin(beam.start), fx.Roller(beam.end, normal=(0, 1)), load,
        fx.SlidingJoint(beam, load, at=(0, 0), speed=15.0),
        fx.CoordinateJoint(load, "x", motion=fx.motions.Linear(0.0, start=15.0), name="trolley"),
    )  # fmt: skip
    with pytest.raises(
        fx.ModelError, match=r"the assembly.*left the cable.*'trolley' \(-15; the driver prescribes 15\)"
    ):
        fx.simulate(model, until=0.1, step=1e-3, throw=throw)
