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
