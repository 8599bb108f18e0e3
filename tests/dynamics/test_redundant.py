"""Constraints that follow from others: named, carried, and the motion is right all the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import flexmbs as fx

G = 9.81


def four_bar(spatial: bool = True):
    """A parallelogram: two cranks and a coupler in the x-y plane, joined by four hinges about z."""
    corners = np.array([[0, 0, 0], [0, 1, 0], [2, 1, 0], [2, 0, 0]], dtype=float)
    bodies = []
    for k, (p, q) in enumerate(itertools.pairwise(corners)):
        length = np.linalg.norm(q - p)
        size = (0.05, length, 0.05) if k != 1 else (length, 0.05, 0.05)
        bodies.append(fx.RigidBody.box(size=size, mass=1.0, position=0.5 * (p + q), name=f"link {k}"))
    sides = [fx.ground, *bodies, fx.ground]
    joints = [
        fx.RevoluteJoint(a, b, at=p, axis=(0, 0, 1), name=f"hinge {k}")
        for k, (a, b, p) in enumerate(zip(sides[:-1], sides[1:], corners, strict=True))
    ]
    return bodies, joints


def test_planar_loop_in_space_has_three_redundant_constraints() -> None:
    """20 equations for 18 coordinates with one freedom left: three of them follow from the others."""
    bodies, joints = four_bar()
    run = fx.simulate(fx.Model(*bodies, *joints, fx.Gravity((G, 0, 0))), until=0.5, step=5e-3)
    assert len(run.redundant) == 3
    assert all(any(joint.name in name for joint in joints) for name in run.redundant)
    assert run.residuals[:, 0].max() < 1e-9
    assert run.position(bodies[1])[:, 2] == pytest.approx(0.0, abs=1e-9)


def test_redundant_loop_moves_as_its_minimal_equation() -> None:
    """Parallelogram: (2 J_O + m_c) thdd = weight along x, one energy: 1/2 (2/3 + 1) w^2 = (2 (1/2) + 1) g sin(th)."""
    bodies, joints = four_bar()
    run = fx.simulate(fx.Model(*bodies, *joints, fx.Gravity((G, 0, 0))), until=0.5, step=1e-3)
    turn = -run.angle(joints[0])
    rate = -run.angular_velocity(bodies[0])[:, 2]
    inertia = 2 * (1.0 / 12.0 * (1.0 + 0.05**2) + 0.25) + 1.0
    work = (2 * 0.5 + 1.0) * G * np.sin(turn)
    assert turn[-1] > 0.5
    assert 0.5 * inertia * rate**2 == pytest.approx(work, abs=2e-4)


def test_the_same_bar_hinged_twice() -> None:
    """A second hinge on the same axis repeats all five equations; the bar still swings as with one."""
    body = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinges = [fx.RevoluteJoint(fx.ground, body, at=(0, y, 0), axis=(0, 1, 0), name=f"hinge {y}") for y in (0.0, 0.3)]
    weight = fx.Gravity((0, 0, -G))
    one = fx.simulate(fx.Model(body, hinges[0], weight), until=0.5, step=1e-2)
    two = fx.simulate(fx.Model(body, *hinges, weight), until=0.5, step=1e-2)
    assert one.redundant == ()
    assert len(two.redundant) == 5
    assert two.position(body) == pytest.approx(one.position(body), abs=1e-7)


def test_joints_on_one_body_twice_share_the_load() -> None:
    """Two identical pins on a hanging bar: of least norm, each carries half of the weight."""
    body = fx.RigidBody.box(size=(0.1, 0.1, 1.0), mass=2.0, position=(0, 0, -0.5), name="bar")
    hinges = [fx.RevoluteJoint(fx.ground, body, at=(0, 0, 0), axis=(0, 1, 0), name=f"pin {k}") for k in range(2)]
    run = fx.simulate(fx.Model(body, *hinges, fx.Gravity((0, 0, -G))), until=0.1, step=1e-2)
    for hinge in hinges:
        assert run.reaction(hinge)[-1] == pytest.approx([0, 0, G], abs=1e-3)


def test_bricard_loop_has_one_redundant_constraint() -> None:
    """Six bars along edges of a cube, six hinges: 36 equations for 36 coordinates, and yet it moves."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0, 1, 0]], dtype=float)
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    axes = []
    for k in range(6):
        before, after = corners[k] - corners[k - 1], corners[(k + 1) % 6] - corners[k]
        axes.append(np.cross(before, after))
    bodies = []
    for k in range(6):
        along = np.abs(corners[(k + 1) % 6] - corners[k])
        bodies.append(fx.RigidBody.box(size=tuple(0.05 + 0.95 * along), mass=1.0, position=middles[k], name=f"bar {k}"))
    fixed = fx.FixedJoint(fx.ground, bodies[0], at=middles[0], name="base")
    joints = [
        fx.RevoluteJoint(bodies[k - 1], bodies[k], at=corners[k], axis=axes[k], name=f"hinge {k}") for k in range(6)
    ]
    run = fx.simulate(fx.Model(*bodies, fixed, *joints, fx.Gravity((0, 0, -G))), until=0.3, step=5e-3)
    assert len(run.redundant) == 1
    assert "hinge" in run.redundant[0]
    assert run.residuals[:, 0].max() < 1e-9
    assert np.abs(run.angle(joints[2])).max() > 0.05
    assert np.abs(run.energy.balance).max() < 1e-3 * np.abs(run.energy.kinetic).max() + 1e-4


def test_a_model_without_redundancy_names_none() -> None:
    body = fx.PlanarRigidBody(1.0, 0.1, position=(0.5, 0), name="bar")
    run = fx.simulate(fx.Model(body, fx.RevoluteJoint(fx.ground, body, at=(0, 0))), until=0.1, step=0.05)
    assert run.redundant == ()


def door(*others):
    """A door of 1 kg in two hinges above one another, beside other bodies; its angular acceleration at the start.

    Hinged at its edge, centre of mass 0.5 away, pushed by gravity along y: J_O = m (1 + 0.1^2) / 12 + m / 4.
    """
    leaf = fx.RigidBody.box(size=(1.0, 0.1, 2.0), mass=1.0, position=(0.5, 0, 0), name="leaf")
    hinges = [fx.RevoluteJoint(fx.ground, leaf, at=(0, 0, z), axis=(0, 0, 1), name=f"hinge {z}") for z in (-0.8, 0.8)]
    run = fx.simulate(fx.Model(leaf, *hinges, *others, fx.Gravity((0, -G, 0))), until=0.5, step=1e-2)
    assert len(run.redundant) == 5
    turn, rate = -run.angle(hinges[0]), -run.angular_velocity(leaf)[:, 2]
    inertia = (1.0 + 0.1**2) / 12.0 + 0.25
    assert turn[-1] > 0.5
    assert 0.5 * inertia * rate**2 == pytest.approx(0.5 * G * np.sin(turn), abs=5e-3)
    return run


@pytest.mark.parametrize("mass", [1e-7, 1e7, 1e12])
def test_redundant_joints_of_a_door_beside_a_body_of_any_mass(mass: float) -> None:
    """A body that is joined to nothing changes nothing, however heavy or light."""
    other = fx.RigidBody.box(size=(1.0, 1.0, 1.0), mass=mass, position=(5, 0, 0), name="other")
    alone, beside = door(), door(other)
    assert beside.q[:, -14:-7] == pytest.approx(alone.q[:, -7:], abs=1e-8)


def test_redundant_joints_of_a_light_door_on_a_heavy_frame() -> None:
    """Two doors of 1 g and 1 t, each in two hinges on the same heavy and falling frame: all fall with g."""
    frame = fx.RigidBody.box(size=(1.0, 1.0, 1.0), mass=1e7, position=(0, 0, 0), name="frame")
    parts = [frame]
    for side, mass in ((-1, 1e-3), (1, 1e3)):
        leaf = fx.RigidBody.box(size=(1.0, 0.1, 2.0), mass=mass, position=(side * 1.0, 0, 0), name=f"leaf of {mass:g}")
        parts.append(leaf)
        for z in (-0.8, 0.8):
            parts.append(fx.RevoluteJoint(frame, leaf, at=(side * 0.5, 0, z), axis=(0, 0, 1), name=f"{side} at {z}"))
    run = fx.simulate(fx.Model(*parts, fx.Gravity((0, -G, 0))), until=0.5, step=1e-2)
    assert len(run.redundant) == 10
    for body in run.model.bodies:
        assert run.position(body)[-1, 1] == pytest.approx(-0.125 * G, rel=1e-6)


def driven_four_bar() -> fx.Model:
    """Its reactions are those of driven links, and repeat with the drive."""
    rods = [((0, 0, 0), (0.3, 0.4, 0), 1.0), ((0.3, 0.4, 0), (1.1, 0.6, 0), 2.0), ((1.1, 0.6, 0), (1, 0, 0), 1.5)]
    a, b, c = (fx.RigidBody.rod(p, q, mass=m, name=n) for n, (p, q, m) in zip("abc", rods, strict=True))
    pairs = [(fx.ground, a, (0, 0, 0)), (a, b, (0.3, 0.4, 0)), (c, b, (1.1, 0.6, 0)), (fx.ground, c, (1, 0, 0))]
    hinges = [fx.RevoluteJoint(i, k, at=p, axis=(0, 0, 1), name=f"j{n}") for n, (i, k, p) in enumerate(pairs)]
    drive = fx.RotationDriver(hinges[0], fx.motions.Sine(amplitude=0.5, frequency=2 / np.pi), name="drive")
    return fx.Model(a, b, c, *hinges, drive, fx.Gravity((0, -G, 1.0)))


SCHEMES = {
    "generalized-alpha": fx.GeneralizedAlpha(), "index 3": fx.GeneralizedAlpha(index=3), "BDF": fx.BDF(),
    "Radau": fx.RadauIIA(), "augmented Lagrangian": fx.AugmentedLagrangian(),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("compiled", [True, False])
def test_shares_of_redundant_joints_repeat_and_are_the_same_in_every_scheme(name: str, compiled: bool) -> None:
    """The same state eighteen periods later; the multipliers are those of least norm, so that no scheme has a say.

    The error of reactions is of second order in the step, 1e-3 of the largest with 100 steps a period.
    """
    scheme = SCHEMES[name]
    if isinstance(scheme, fx.GeneralizedAlpha):
        scheme = fx.GeneralizedAlpha(index=scheme.index, compiled=compiled)
    elif compiled:
        pytest.skip("made by the loop in Python")
    period = np.pi / 2
    times = [2.3 * period, 20.3 * period]  # index 3 has forgotten its start by then
    run = fx.simulate(
        driven_four_bar(), times[-1], step=period / 100, integrator=scheme, output=fx.Output(at=times), progress=False
    )
    assert len(run.redundant) == 3
    exact = fx.kinematics.solve_kinematics(
        driven_four_bar(), times[0], step=period / 100, output=fx.Output(at=times[:1])
    )
    for joint in ("j0", "j1", "j2", "j3"):
        for found, told in (
            (run.reaction(joint), exact.reaction(joint)[-1]),
            (run.reaction_moment(joint), exact.reaction_moment(joint)[-1]),
        ):
            assert found[1:] == pytest.approx(np.array([told, told]), abs=1e-3 * 30.0)


def test_statics_share_in_the_same_way_whatever_the_steps() -> None:
    """The equilibrium of the loop on a spring, and the reactions at its state by the equations of motion."""
    model = driven_four_bar()
    hinge = model.joint("j0")
    model = fx.Model(*model.bodies, *model.joints, fx.TorsionSpring(hinge, stiffness=50.0), fx.Gravity((0, -G, 1.0)))
    found = [fx.solve_static(model, fx.StaticOptions(steps=n)) for n in (2, 20)]
    moved = fx.simulate(model, 1e-4, step=1e-4, start=found[0], progress=False)
    for joint in ("j0", "j1", "j2", "j3"):
        told = moved.reaction_moment(joint)[0]
        assert np.abs(told[:2]).max() > 0.01
        for solution in found:
            assert solution.reaction_moment(joint)[-1] == pytest.approx(told, abs=1e-6)
