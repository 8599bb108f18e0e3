"""Modes of models that can move, against closed forms."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import roots_laguerre

import flexmbs as fx
from flexmbs.analysis import roots

G = 9.81


def hanging(m: float = 2.0, J: float = 0.1, arm: float = 0.5, *more: object, damping: float = 0.0) -> fx.Model:
    bar = fx.PlanarRigidBody(m, J, position=(0.0, -arm), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    extra = (fx.TorsionSpring(hinge, damping=damping, name="damper"),) if damping else ()
    return fx.Model(bar, hinge, fx.Gravity((0, -G)), *extra, *more)


def test_compound_pendulum() -> None:
    modes = fx.solve_modal(hanging())
    assert len(modes) == 1
    assert modes.eigenvalues[0] == pytest.approx(2.0 * G * 0.5 / (0.1 + 2.0 * 0.25), rel=1e-12)
    assert modes.conservative
    assert modes.damping_ratios[0] == pytest.approx(0.0, abs=1e-12)
    mass = 0.6 * abs(modes.vectors[2, 0]) ** 2
    assert mass == pytest.approx(1.0)
    assert np.abs(modes.displacement("bar", 0)) == pytest.approx([0.5 / math.sqrt(0.6), 0.0, 0.0])


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 0, 0), (0.6, 0.8, 0)])
def test_compound_pendulum_in_space(axis: tuple[float, float, float]) -> None:
    inertia = np.diag([0.3, 0.1, 0.2])
    bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0, 0, -0.5), name="bar")
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=axis, name="h"), fx.Gravity((0, 0, -G)))
    J = np.array(axis) @ inertia @ np.array(axis) + 2.0 * 0.25
    assert fx.solve_modal(model).eigenvalues[0] == pytest.approx(2.0 * G * 0.5 / J, rel=1e-10)


def test_pendulum_on_a_spherical_joint_has_two_swings_and_a_spin() -> None:
    bar = fx.RigidBody(2.0, (0.3, 0.1, 0.2), position=(0, 0, -0.5), name="bar")
    model = fx.Model(bar, fx.SphericalJoint(fx.ground, bar, at=(0, 0, 0), name="h"), fx.Gravity((0, 0, -G)))
    values = fx.solve_modal(model).eigenvalues
    assert values == pytest.approx([0.0, 2 * G * 0.5 / 0.8, 2 * G * 0.5 / 0.6], rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("damping", [0.5, 3.0, 12.0])
def test_damped_pendulum(damping: float) -> None:
    modes = fx.solve_modal(hanging(damping=damping))
    J, k = 0.6, 2.0 * G * 0.5
    expected = np.roots([J, damping, k])
    expected = expected[expected.imag >= 0.0]
    assert np.sort_complex(modes.roots) == pytest.approx(np.sort_complex(expected), rel=1e-8)
    if damping < 2 * math.sqrt(J * k):
        assert modes.damping_ratios[0] == pytest.approx(damping / (2 * math.sqrt(J * k)), rel=1e-9)
        assert modes.natural_frequencies[0] == pytest.approx(math.sqrt(k / J) / (2 * math.pi), rel=1e-9)
        assert modes.angular_frequencies[0] == pytest.approx(expected[0].imag, rel=1e-9)
    assert not modes.conservative


def test_upright_pendulum_grows() -> None:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, 0.5), name="bar")
    with pytest.warns(RuntimeWarning, match="1 mode grows"):
        modes = fx.solve_modal(
            fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="h"), fx.Gravity((0, -G)))
        )
    assert modes.roots[0] == pytest.approx(math.sqrt(G / 0.6), rel=1e-12)
    assert modes.angular_frequencies[0] == pytest.approx(-math.sqrt(G / 0.6), rel=1e-12)


def test_double_pendulum_of_bars() -> None:
    """Two uniform bars of length 1 and mass 1: M = [[4/3, 1/2], [1/2, 1/3]], K = g diag(3/2, 1/2)."""
    a = fx.PlanarRigidBody(1.0, 1 / 12, position=(0.5, 0.0), angle=math.pi / 2, name="a")
    b = fx.PlanarRigidBody(1.0, 1 / 12, position=(1.0, 0.5), name="b")
    joints = fx.RevoluteJoint(fx.ground, a, at=(0, 0), name="h"), fx.RevoluteJoint(a, b, at=(1, 0), name="k")
    found = fx.solve_static(fx.Model(a, b, *joints, fx.Gravity((0, -G))))
    expected = eigh(G * np.diag([1.5, 0.5]), [[4 / 3, 0.5], [0.5, 1 / 3]], eigvals_only=True)
    assert fx.solve_modal(found).eigenvalues == pytest.approx(expected, rel=1e-10)


def beads(n: int) -> fx.Model:
    """n beads of mass 0.1, spaced by 0.2 on a massless string that hangs down."""
    masses = [fx.PointMass(0.1, position=(0.0, -0.2 * (i + 1)), name=f"bead {i}") for i in range(n)]
    sides = [fx.ground.marker((0, 0, 0)), *masses]
    strings = [fx.DistanceConstraint(*pair, name=f"s{i}") for i, pair in enumerate(pairwise(sides))]
    return fx.Model(*masses, *strings, fx.Gravity((0, -G)))


def test_string_of_beads() -> None:
    """omega^2 l / g are the zeros of the Laguerre polynomial of degree n."""
    expected = np.sort(roots_laguerre(7)[0]) * G / 0.2
    assert fx.solve_modal(beads(7)).eigenvalues == pytest.approx(expected, rel=1e-9)


def test_long_string_of_beads_with_sparse_matrices() -> None:
    expected = np.sort(roots_laguerre(100)[0])[:4] * G / 0.2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roots, "DENSE", 10)
        values = fx.solve_modal(beads(100), modes=4).eigenvalues
    assert values == pytest.approx(expected, rel=1e-7)


def test_sparse_and_dense_agree_with_damping() -> None:
    model = beads(12)
    slow = model.with_(*(
        fx.SpringDamper(fx.ground.marker((5.0, -0.2 * (i + 1), 0)), model.body(f"bead {i}"), damping=0.01, name=f"d{i}")
        for i in range(12)
    ))  # fmt: skip
    dense = fx.solve_modal(slow, modes=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roots, "DENSE", 10)
        sparse = fx.solve_modal(slow, modes=3)
    # every bead is damped by 0.01 across the string: all roots have the real part -0.01 / (2 * 0.1)
    assert dense.roots.real == pytest.approx(np.full(3, -0.05), rel=1e-6)
    assert sparse.roots == pytest.approx(dense.roots, rel=1e-7)


def test_spinning_rotor_whirls() -> None:
    """In inertial axes Jt w^2 - Jp Omega w - k = 0; forward where w > 0."""
    Jt, Jp, spin, k = 0.3, 0.5, 20.0, 60.0
    rotor = fx.RigidBody(1.0, (Jt, Jt, Jp), position=(0, 0, 0), angular_velocity=(0, 0, spin), name="rotor")
    held = fx.Bushing(fx.ground, rotor, (0, 0, 0, k, k, 0), at=(0, 0, 0), name="held")
    modes = fx.solve_modal(fx.Model(rotor, fx.SphericalJoint(fx.ground, rotor, at=(0, 0, 0), name="s"), held))
    expected = np.sort(np.roots([Jt, -Jp * spin, -k]))
    assert modes.frame == "inertial"
    turning = modes.whirl != ""
    assert np.sort(modes.roots[turning].imag) == pytest.approx(expected, rel=1e-7)
    assert modes.whirl[turning].tolist() == ["backward", "forward"]
    assert not modes.conservative


def test_servo_with_first_order_states() -> None:
    """J s^3 + k s + 5 = 0 with k = -m g l sin(0.3) about the set point 0.3 above the horizontal."""
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="hinge")
    servo = fx.control.FirstOrder(
        [0.0], lambda x, u, t: 5.0 * (0.3 - u), fx.control.JointSensor("hinge"),
        fx.control.JointActuator("hinge", name="motor"),
        name="servo",
    )  # fmt: skip
    with pytest.warns(RuntimeWarning):
        found = fx.solve_static(fx.Model(bar, hinge, fx.Gravity((0, -G)), servo))
    with pytest.warns(RuntimeWarning, match="1 mode grows"):
        modes = fx.solve_modal(found)
    expected = np.roots([0.6, 0.0, -2.0 * G * 0.5 * math.sin(0.3), 5.0])
    expected = expected[expected.imag >= 0.0]
    assert np.sort_complex(modes.roots) == pytest.approx(np.sort_complex(expected), rel=1e-5)
    assert np.abs(modes.state_vectors[found.system.coordinates.state_places(servo)]).min() > 0.0


def test_cable_with_a_body_as_in_the_flexible_analysis() -> None:
    """A light body at the tip of a clamped beam leaves its first modes alone."""
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=8, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    tip = fx.PlanarRigidBody(1e-8, 1e-10, position=(1.0, 0.0), name="tip")
    plain = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=3)
    held = fx.solve_modal(fx.Model(beam, tip, fx.Clamp(beam.start), fx.FixedJoint(beam.end, tip, name="f")), modes=3)
    assert held.eigenvalues == pytest.approx(plain.eigenvalues, rel=1e-5)
    assert held.shape(beam, 0, 0.1).shape == (8, 9, 3)


def test_motion_of_a_mode(tmp_path: Path) -> None:
    modes = fx.solve_modal(hanging())
    motion = modes.motion(0, 0.2, frames=8)
    assert motion.t[-1] == pytest.approx(7 / 8 / modes.frequencies[0])
    assert motion.q[0, 2] == pytest.approx(0.2)
    assert motion.q[4, 2] == pytest.approx(-0.2)
    read = fx.load(motion.save(tmp_path / "swing.h5"))
    assert np.array_equal(read.q, motion.q)
    with pytest.raises(fx.ModelError, match="end"):
        fx.simulate(motion.system, 5.0, start=motion)


def test_states_that_are_no_equilibrium_are_refused() -> None:
    bar = fx.PlanarRigidBody(2.0, 0.1, position=(0.5, 0.0), name="bar")
    model = fx.Model(bar, fx.RevoluteJoint(fx.ground, bar, at=(0, 0), name="h"), fx.Gravity((0, -G)))
    with pytest.raises(fx.ModelError, match=r"angle of body 'bar' accelerates with -16\.4"):
        fx.solve_modal(model)
    swinging = fx.PlanarRigidBody(2.0, 0.1, position=(0.0, -0.5), velocity=(0.5, 0), angular_velocity=1.0, name="bar")
    with pytest.raises(fx.ModelError, match="not"):
        fx.solve_modal(
            fx.Model(swinging, fx.RevoluteJoint(fx.ground, swinging, at=(0, 0), name="h"), fx.Gravity((0, -G)))
        )


def test_more_modes_than_there_are() -> None:
    with pytest.raises(fx.ModelError, match="2 modes of a model with 1"):
        fx.solve_modal(hanging(), modes=2)
    locked = fx.PlanarRigidBody(1.0, 0.1, position=(0, 0), name="b")
    with pytest.raises(fx.ModelError, match="nothing that can vibrate"):
        fx.solve_modal(fx.Model(locked, fx.FixedJoint(fx.ground, locked, name="f")))


def test_modes_of_a_mechanism_in_a_file(tmp_path: Path) -> None:
    modes = fx.solve_modal(hanging(damping=0.5))
    read = fx.load(modes.save(tmp_path / "modes.h5"))
    assert isinstance(read, fx.ModalSolution)
    for name in ("roots", "vectors", "state_vectors", "growing", "whirl"):
        assert np.array_equal(getattr(read, name), getattr(modes, name))
    assert all(np.array_equal(x, y) for x, y in zip(read.state, modes.state, strict=True))
    assert (read.conservative, read.frame) == (modes.conservative, "inertial")
    assert np.array_equal(read.displacement("bar"), modes.displacement("bar"))


def test_damping_ratios_without_damping() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=4, element=fx.elements.ANCFCable2D(), name="beam",
        stiffness=fx.BeamStiffness(EA=1e5, EI_z=1.0, mass_per_length=1.0),
    )  # fmt: skip
    modes = fx.solve_modal(fx.Model(beam, fx.Clamp(beam.start)), modes=3)
    assert modes.damping_ratios == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("spin", [60.0, 200.0, 20.0])
def test_sleeping_top(spin: float) -> None:
    """In inertial axes A w^2 - J3 Omega w + m g l = 0; complex, and falling, below a certain spin."""
    J1, J3, arm, m = 0.2, 0.1, 0.5, 2.0
    top = fx.RigidBody(m, (J1, J1, J3), position=(0, 0, arm), angular_velocity=(0, 0, spin), name="top")
    model = fx.Model(top, fx.SphericalJoint(fx.ground, top, at=(0, 0, 0), name="tip"), fx.Gravity((0, 0, -G)))
    A = J1 + m * arm**2
    falls = (J3 * spin) ** 2 < 4.0 * A * m * G * arm
    with pytest.warns(RuntimeWarning, match="grow") if falls else nullcontext():
        modes = fx.solve_modal(model)
    expected = 1j * np.roots([A, -J3 * spin, m * G * arm])
    for root in expected:
        found = root if root.imag > 0.0 else root.conjugate()
        assert np.abs(modes.roots - found).min() < 1e-6 * abs(found)
    poles = fx.linearise(model).poles
    for root in expected:
        assert np.abs(poles - root).min() < 1e-6 * abs(root)


def test_a_free_turn_does_not_grow() -> None:
    """A rotor on two springs may turn about its axis: a root that is zero, of which round-off makes no instability."""
    rotor = fx.RigidBody(2.0, (0.02, 0.012, 0.012), name="rotor")
    springs = [
        fx.Bushing(fx.ground.marker((x, 0, 0)), rotor.marker((x, 0, 0)), (1e5, 5e4, 5e4), name=f"spring at {x}")
        for x in (-0.2, 0.2)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        modes = fx.solve_modal(fx.Model(rotor, *springs))
    assert not modes.growing.any()
    assert abs(modes.roots[0]) < 1e-4
    assert modes.angular_frequencies[1:3] == pytest.approx(np.sqrt(1e5 / 2.0))
