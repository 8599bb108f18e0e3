"""The same mechanisms in millimetres, metres and kilometres: roots, multipliers, preloads and forces of drives agree.

Masses and times are kept, lengths scale by L: forces then scale by L and moments by L^2, and roots do not change.
"""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx

LENGTHS = [1e-4, 1e3, 1e5]


def hanging(length: float) -> fx.Model:
    """Three bars below each other, on hinges about a skew horizontal axis and a ball joint."""
    inertia = np.array([1.0, 1.0, 0.1]) * length**2 / 12
    bars = [fx.RigidBody(1.0, inertia, position=(0, 0, -(k + 0.5) * length), name=f"bar {k}") for k in range(3)]
    joints = [
        fx.RevoluteJoint(fx.ground, bars[0], at=(0, 0, 0), axis=(1, 0.5, 0)),
        fx.RevoluteJoint(bars[0], bars[1], at=(0, 0, -length), axis=(1, 0.5, 0)),
        fx.SphericalJoint(bars[1], bars[2], at=(0, 0, -2 * length)),
    ]
    return fx.Model(*bars, *joints, fx.Gravity((0, 0, -9.81 * length)))


@pytest.mark.parametrize("length", LENGTHS)
def test_roots(length: float) -> None:
    """Two roads, in three units; linear models lost constraints from 3e4 on."""
    poles = fx.linearise(hanging(1.0)).poles
    there = fx.linearise(hanging(length)).poles
    expected = np.sort(np.abs(poles.imag))
    assert np.allclose(np.sort(np.abs(there.imag)), expected, rtol=1e-6, atol=1e-5)
    roots = fx.solve_modal(hanging(length)).roots
    assert np.allclose(np.sort(roots.imag)[1:], expected[2::2], rtol=1e-6)
    assert np.abs(roots.real).max() < 1e-6


def test_the_lowest_root_is_that_of_the_plane() -> None:
    """About the common axis of the hinges the bars are a triple pendulum in a plane: its roots are among those."""
    J, g = 1.0 / 12, 9.81
    below = np.array([2.5, 1.5, 0.5])  # mass at and below each bar, with half of its own
    M = np.array([[J + 0.25 + 2, 1.5, 0.5], [1.5, J + 0.25 + 1, 0.5], [0.5, 0.5, J + 0.25]])
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, np.diag(below * g))).real)
    found = np.sort(np.abs(fx.linearise(hanging(1.0)).poles.imag))
    for omega in np.sqrt(squares):
        assert np.abs(found - omega).min() < 1e-6


def parametric(length: float) -> fx.Model:
    """A double pendulum on a support that goes up and down."""
    small = np.array([1.0, 1.0, 0.1]) * 1e-3 * length**2
    support = fx.RigidBody(1.0, np.full(3, 0.01) * length**2, position=(0, 0, 0), name="support")
    upper = fx.RigidBody(1.0, small, position=(0, 0, -0.2485 * length), name="upper")
    lower = fx.RigidBody(1.0, small, position=(0, 0, -0.75 * length), name="lower")
    rail = fx.PrismaticJoint(fx.ground, support, at=(0, 0, 0), axis=(0, 0, 1), name="rail")
    motion = fx.motions.Sine(0.02 * length, frequency=2.0, phase=np.pi / 2, offset=-0.02 * length)
    return fx.Model(
        support, upper, lower, rail,
        fx.RevoluteJoint(support, upper, at=(0, 0, 0), axis=(0, 1, 0)),
        fx.RevoluteJoint(upper, lower, at=(0, 0, -0.5 * length), axis=(0.6, 0.8, 0)),
        fx.TranslationDriver(rail, motion), fx.Gravity((0, 0, -9.81 * length)),
    )  # fmt: skip


@pytest.mark.parametrize("length", [1e-3, 1e5])
def test_floquet_multipliers(length: float) -> None:
    one, other = (fx.floquet(parametric(x), period=0.5).multipliers for x in (1.0, length))
    assert np.allclose(np.sort_complex(one), np.sort_complex(other), atol=1e-5)


@pytest.mark.parametrize("length", LENGTHS)
def test_preloads(length: float) -> None:
    """A plank with a wing on two springs: forces by hand."""
    plank = fx.PlanarRigidBody(30.0, 5.0 * length**2, position=(length, length), name="plank")
    wing = fx.PlanarRigidBody(3.0, 0.5 * length**2, position=(3 * length, length), name="wing")
    hinge = fx.RevoluteJoint(plank, wing, at=(2.5 * length, length), name="hinge")
    springs = [
        fx.SpringDamper(
            fx.ground.marker((x * length, 0)), plank.marker_at((x * length, length)), stiffness=1e4, name=name
        )
        for x, name in ((0.0, "left"), (3.0, "right"))
    ]
    model = fx.Model(
        plank, wing, hinge, fx.TorsionSpring(hinge, stiffness=1e4 * length**2, name="torsion"), *springs,
        fx.PointOnLineConstraint(fx.ground, plank, at=(length, length), axis=(0, 1, 0)),
        fx.Gravity((0, -9.81 * length)),
    )  # fmt: skip
    found = fx.solve_preloads(model).values
    right = (30.0 * 1.0 + 3.0 * 3.0) / 3.0 * 9.81  # moments about the left one
    assert found["left"] / length == pytest.approx(-(33.0 * 9.81 - right), rel=1e-9)
    assert found["right"] / length == pytest.approx(-right, rel=1e-9)
    assert found["torsion"] / length**2 == pytest.approx(-3.0 * 9.81 * 0.5, rel=1e-9)


@pytest.mark.parametrize("length", LENGTHS)
def test_sensors_by_differences(length: float) -> None:
    """The distance of a single point: its derivative is the direction, dense and sparse."""
    ball = fx.PointMass(2.0, position=(3 * length, 4 * length), name="ball")
    spring = fx.Bushing(fx.ground.marker((3 * length, 4 * length, 0)), ball, (8.0, 8.0), damping=(0.4, 0.4))
    distance = fx.control.DistanceSensor(fx.ground.marker((0, 0, 0)), ball)
    model, push = fx.Model(ball, spring), fx.PointForce(ball, (1.0, 0.0))
    assert fx.linearise(model, [push], [distance]).C[0] == pytest.approx([0.6, 0.8, 0, 0], abs=1e-9)
    sparse = fx.linearise_sparse(model, [push], [distance])
    assert sparse.transfer(0.0)[0, 0] == pytest.approx(0.6 / 8.0, rel=1e-9)


@pytest.mark.parametrize("length", [1e-6, 1e3])
def test_kinematics_and_forces_of_drives(length: float) -> None:
    """An arm with two hinges and a slide: places go by L, torques by L^2, and the slide carries weight and inertia."""

    def solved(unit: float) -> tuple[np.ndarray, np.ndarray]:
        inertia = np.array([1.0, 1.0, 0.1]) * unit**2 / 12
        a, b, c = (fx.RigidBody(1.0, inertia, position=(0, 0, -(i + 0.5) * unit), name=x) for i, x in enumerate("abc"))
        turn = fx.RevoluteJoint(fx.ground, a, at=(0, 0, 0), axis=(0, 0, 1), name="turn")
        swing = fx.RevoluteJoint(a, b, at=(0, 0, -unit), axis=(0, 1, 0), name="swing")
        slide = fx.PrismaticJoint(b, c, at=(0, 0, -2 * unit), axis=(0, 0, 1), name="slide")
        drivers = [
            fx.RotationDriver(turn, fx.motions.Sine(0.5, frequency=0.7)),
            fx.RotationDriver(swing, fx.motions.Sine(0.8, frequency=0.5)),
            fx.TranslationDriver(slide, fx.motions.Sine(0.3 * unit, frequency=0.4)),
        ]
        model = fx.Model(a, b, c, turn, swing, slide, *drivers, fx.Gravity((0, 0, -9.81 * unit)))
        motion = fx.kinematics.solve_kinematics(model, 0.9, step=0.1)
        run = fx.simulate(model, until=0.9, step=5e-3)
        assert motion.position("c")[-1] / unit == pytest.approx(run.position("c")[-1] / unit, abs=1e-9)
        return motion.position("c") / unit, fx.kinematics.inverse_dynamics(motion).force / [unit**2, unit**2, unit]

    for here, there in zip(solved(1.0), solved(length), strict=True):
        assert there == pytest.approx(here, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("length", [1e-6, 1e3])
def test_statics_with_a_place_on_a_cable(length: float) -> None:
    """A sleeve that slides on a cable: as many iterations, and the same place."""

    def solved(unit: float) -> tuple[int, np.ndarray]:
        cable = fx.FlexibleBody.line((0, 0), (2 * unit, 0), elements=8, element=fx.elements.ANCFCable2D(),
                                     stiffness=fx.BeamStiffness(EA=4e3 * unit, EI_z=0.2 * unit**3,
                                                                mass_per_length=0.5 / unit))  # fmt: skip
        sleeve = fx.PlanarRigidBody(2.0, 0.01 * unit**2, position=(0.3 * unit, 0), name="sleeve")
        model = fx.Model(
            cable, sleeve, fx.Pin(cable.start), fx.Pin(cable.end),
            fx.SlidingJoint(cable, sleeve, at=(0.3 * unit, 0), sleeve=True),
            fx.SpringDamper(sleeve.centre, fx.ground.marker((0, 0)), stiffness=5.0), fx.Gravity((0, -9.81 * unit)),
        )  # fmt: skip
        found = fx.solve_static(model, fx.StaticOptions(progress=False))
        return len(found.iterations), found.displacement(sleeve, step=-1)[:2] / unit

    (count, place), (other, there) = solved(1.0), solved(length)
    assert abs(count - other) <= 2
    assert there == pytest.approx(place, rel=1e-6)


@pytest.mark.parametrize(("length", "mass"), [(1e3, 1e-3), (1e-3, 1e-3), (1.0, 1e-6)])
@pytest.mark.parametrize("kind", ["floating", "link"])
def test_steps_of_reduced_bodies(kind: str, length: float, mass: float) -> None:
    """A bar under a load at its tip vibrates: error control takes as many steps in millimetres and tonnes."""

    def vibrating(unit: float, kilo: float) -> tuple[int, np.ndarray]:
        mesh = fx.meshes.box((0, 0, 0), np.array((1.0, 0.04, 0.02)) * unit, (6, 1, 1))
        stuff = fx.Elastic(youngs_modulus=2.1e10 * kilo / unit, density=7850.0 * kilo / unit**3)
        part = fx.linear.Part(mesh, material=stuff, name="bar")
        small = fx.reduction.reduce(part, ["left", "right"], modes=3, progress=False)
        load = np.array((0, 0, 20.0)) * kilo * unit
        if kind == "link":
            tree = fx.trees.Tree(fx.trees.FlexibleLink("bar", small, "left", joint=fx.trees.Fixed()), name="tree")
            tip, items = tree.bodies[0].interface("right"), [tree]
        else:
            body = fx.FloatingBody(small, reference="left", name="bar")
            foot = fx.FixedJoint(fx.ground, body, at=np.array((0, 0.02, 0.01)) * unit)
            tip, items = body.interface("right"), [body, foot]
        run = fx.simulate(
            fx.Model(*items, fx.PointForce(tip, load)), until=0.05, step=fx.ErrorControl(rtol=1e-5),
            output=fx.Output(at=(0.05,)), progress=False,
        )  # fmt: skip
        return len(run.steps), run.displacement(tip)[-1] / unit

    (count, moved), (other, there) = vibrating(1.0, 1.0), vibrating(length, mass)
    assert other == pytest.approx(count, rel=0.05)
    assert there[2] == pytest.approx(moved[2], rel=5e-3)


@pytest.mark.parametrize("length", [1e-6, 1e3])
def test_steps_of_thin_plates(length: float) -> None:
    """Mixed slopes are slopes over a length."""

    def falling(unit: float) -> int:
        stuff = fx.Elastic(youngs_modulus=1e7 / unit, density=1000.0 / unit**3, poissons_ratio=0.3)
        plate = fx.FlexibleBody.plate((0.4 * unit, 0.2 * unit), elements=(2, 1), element=fx.elements.ANCFThinPlate(),
                                      section=fx.ShellSection(0.01 * unit), material=stuff)  # fmt: skip
        model = fx.Model(plate, fx.Clamp(plate.set("left")), fx.Gravity((0, 0, -9.81 * unit)))
        control = fx.ErrorControl(rtol=1e-4)
        return len(fx.simulate(model, until=0.02, step=control, output=fx.Output(at=(0.02,)), progress=False).steps)

    assert falling(length) == pytest.approx(falling(1.0), rel=0.05)


@pytest.mark.parametrize("length", [1e-7, 1.0, 1e3])
def test_forces_that_are_functions(length: float) -> None:
    """A hardening spring k (s + s^3 / s0^2) held at s0 by a load: omega^2 = 4 k / m, whatever s0 is."""
    block = fx.PlanarRigidBody(1.0, length**2, position=(length, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0), axis=(1, 0), name="slide")
    spring = fx.SpringDamper(
        fx.ground.marker((0, 0)), block.centre, force=lambda s, u, t: 100.0 * (s + s**3 / length**2), name="spring"
    )
    model = fx.Model(block, slide, spring, fx.PointForce(block.centre, (200.0 * length, 0)))
    assert fx.solve_modal(model).angular_frequencies[0] == pytest.approx(20.0, rel=1e-5)


@pytest.mark.parametrize("time", [1e-7, 1.0, 1e6])
def test_frequency_responses_in_any_unit_of_time(time: float) -> None:
    """A chain of two masses, by one Schur form for many frequencies: inv(K + i w D - w^2 M)."""
    blocks = [fx.PlanarRigidBody(1.0 + i, 1.0, position=(i, 0), name=f"block {i}") for i in range(2)]
    slides = [fx.PrismaticJoint(fx.ground, b, at=(i, 0), axis=(1, 0), name=f"slide {i}") for i, b in enumerate(blocks)]
    springs = [
        fx.SpringDamper(
            fx.ground.marker((-1, 0)), blocks[0].centre, stiffness=100 / time**2, damping=1 / time, name="first"
        ),
        fx.SpringDamper(blocks[0].centre, blocks[1].centre, stiffness=200 / time**2, damping=1 / time, name="second"),
    ]
    push = fx.control.ForceActuator(blocks[0].centre, (1, 0), name="push")
    outputs = [fx.control.PositionSensor(b.centre, (1, 0)) for b in blocks]
    linear = fx.linearise(fx.Model(*blocks, *slides, *springs), inputs=[push], outputs=outputs)
    w = np.linspace(0.5, 30.0, 20)
    K, D, M = np.array([[300, -200], [-200, 200.0]]), np.array([[2, -1], [-1, 1.0]]), np.diag((1.0, 2.0))
    expected = np.array([np.linalg.inv(K + 1j * x * D - x * x * M)[:, 0] for x in w])
    found = linear.transfer(w / time)[:, :, 0] / time**2
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_a_motion_that_is_small_beside_one_unit_is_told() -> None:
    """All points of the model lie at the origin: nothing says how large it is."""
    block = fx.PlanarRigidBody(2.0, 0.1, position=(0, 0), velocity=(1e-6, 0), name="block")
    slide = fx.PrismaticJoint(fx.ground, block, at=(0, 0), axis=(1, 0), name="slide")
    spring = fx.JointForce(slide, lambda s, v, t: -500.0 * s, derivatives=lambda s, v, t: (-500.0, 0.0), name="spring")
    with pytest.warns(fx.AccuracyWarning, match="all its points lie at one place"):
        fx.simulate(fx.Model(block, slide, spring), until=0.5, progress=False)


def test_nothing_is_told_of_a_motion_of_usual_size(recwarn: pytest.WarningsRecorder) -> None:
    """A point that falls by five units, and a model that has a size."""
    ball = fx.PointMass(1.0, position=(0, 0), name="ball")
    fx.simulate(fx.Model(ball, fx.Gravity((0, -9.81))), until=1.0, progress=False)
    bar = fx.PlanarRigidBody(1.0, 1e-7, position=(1e-3, 0), velocity=(1e-6, 0), name="bar")
    spring = fx.SpringDamper(fx.ground.marker((0, 0)), bar.centre, stiffness=500.0)
    fx.simulate(fx.Model(bar, spring), until=0.1, progress=False)
    assert not [x for x in recwarn if "at one place" in str(x.message)]


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e7])
@pytest.mark.parametrize("kind", ["actuator", "force"])
def test_laws_that_are_functions(kind: str, length: float) -> None:
    """A cubic in x / L about x = 3 L: k + 3 c (x / L)^2, by an actuator and by a force of a user's own."""
    m, k, c = 2.0, 8.0, 5.0
    ball = fx.PointMass(m, position=(3 * length, 4 * length), name="ball")
    spring = fx.Bushing(fx.ground.marker((3 * length, 4 * length, 0)), ball, (k, k))

    def cubic(x: float) -> float:
        return -c * (x**3 - 27.0 * length**3) / length**2

    if kind == "force":
        law = fx.UserForce([ball], lambda p, R, w, t: np.array([[cubic(p[0, 0]), 0, 0, 0, 0, 0]]), name="law")
        model = fx.Model(ball, spring, law)
    else:
        push = fx.control.ForceActuator(ball, (1, 0), law=lambda h, x, r, t: h + cubic(x + 3 * length), name="push")
        model = fx.Model(ball, spring, fx.control.Command(push, 0.1, 0.0))
    found = np.sort(fx.solve_modal(model).angular_frequencies)
    assert found == pytest.approx([np.sqrt(k / m), np.sqrt((k + 27.0 * c) / m)], rel=1e-6)


@pytest.mark.parametrize("length", [1e-3, 1e4])
def test_a_driver_beside_a_weld_is_refused(length: float) -> None:
    """The rate that it asks for and the weld that forbids it are told, and refused, in any unit."""
    bar = fx.RigidBody(1.0, np.full(3, 0.1) * length**2, position=(0.5 * length, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    weld = fx.FixedJoint(fx.ground, bar, at=(length, 0, 0), name="weld")
    driver = fx.RotationDriver(hinge, fx.motions.Sine(0.1, frequency=1.0), name="driver")
    with pytest.raises(fx.ModelError, match=r"no velocities agree with all joints.*driver"):
        fx.simulate(fx.Model(bar, hinge, weld, driver), until=0.1, step=1e-2, progress=False)
