"""Geometrically exact beams in models: closed forms, supports, joints, loads, motion with several schemes."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fx
from flexmbs.elements import ANCFBeam, ANCFCable2D, GeometricallyExactBeam

PLAIN = fx.BeamStiffness(
    EA=1e4, EI_y=2.0, EI_z=3.0, GJ=1.5, GA_y=4e3, GA_z=3e3, mass_per_length=1.2, rhoI_y=0.003, rhoI_z=0.004
)


def beam(elements=4, nodes=3, name="beam", element=None, stiffness=PLAIN):
    return fx.FlexibleBody.line(
        (0, 0, 0),
        (2, 0, 0),
        elements=elements,
        element=element or GeometricallyExactBeam(nodes=nodes),
        stiffness=stiffness,
        name=name,
    )


def tip(solution, body):
    return solution.position(body.end)[-1]


@pytest.mark.parametrize(("nodes", "order", "counts"), [(2, 2, (16, 32)), (3, 4, (8, 16))])
def test_a_moment_rolls_the_beam_up_to_a_circle(nodes, order, counts):
    errors = []
    for elements in counts:
        body = beam(elements, nodes)
        M = math.pi * PLAIN.EI_z / 2.0
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, (0, 0, M))))
        radius = PLAIN.EI_z / M
        errors.append(np.linalg.norm(tip(solution, body) - [0.0, 2 * radius, 0.0]))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_small_loads_give_timoshenko_deflections():
    body = beam(1)
    F, L = 1e-6, 2.0
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, F, F))))
    exact = [L**3 / 3 / PLAIN.EI_z + L / PLAIN.GA_y, L**3 / 3 / PLAIN.EI_y + L / PLAIN.GA_z]
    np.testing.assert_allclose(tip(solution, body)[1:] / F, exact, rtol=1e-5)


def test_it_agrees_with_the_beam_with_directors():
    """Under force and torque, both interpolate the same vectors."""
    found = []
    for element in (GeometricallyExactBeam(), ANCFBeam()):
        body = beam(8, element=element)
        loads = fx.PointForce(body.end, (0.3, 0.5, -0.7)), fx.Moment(body.end, (0.4, 0.8, 1.0))
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), *loads))
        found.append(np.reshape(solution.position(body.end, step=-1), (-1, 3))[-1])
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def test_clamp_and_joint_to_the_ground_are_the_same():
    tips = []
    for joint in (False, True):
        body = beam()
        held = fx.FixedJoint(fx.ground, body.start, at=(0, 0, 0), name="weld") if joint else fx.Clamp(body.start)
        load = fx.PointForce(body.end, (0, 0.5, 1.0))
        tips.append(tip(fx.solve_static(fx.Model(body, held, load)), body))
    np.testing.assert_allclose(tips[1], tips[0], atol=1e-8)


def test_a_follower_turns_with_its_section():
    """Against the planar cable, which is rigid in shear: that counts with EI/(GA L^2) = 2e-4."""
    body = beam(8)
    F = 1.5
    dead = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, F, 0))))
    model = fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, F, 0), follower=True))
    follower = fx.solve_static(model)
    flat = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=40, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=3.0, mass_per_length=1.0),
    )  # fmt: skip
    same = fx.solve_static(fx.Model(flat, fx.Clamp(flat.start), fx.PointForce(flat.end, (0, F), follower=True)))
    np.testing.assert_allclose(tip(follower, body)[:2], same.position(flat.end, step=-1)[:2], atol=1e-3)
    assert tip(follower, body)[1] > tip(dead, body)[1] + 0.01


def test_everything_turned_gives_everything_turned():
    """An arc, its clamp and its load turned by 1.7 turns about an oblique axis."""
    mesh = fx.meshes.three_node(
        fx.meshes.arc((0, 0, 0), radius=1.0, start_angle=0.0, end_angle=math.pi, elements=12).in_space()
    )
    body = fx.FlexibleBody(mesh, GeometricallyExactBeam(), stiffness=PLAIN, name="arc")
    turn, axis = 2 * math.pi * 1.7, np.array([0.48, 0.6, 0.64])
    R = Rotation.from_rotvec(turn * axis).as_matrix()
    there = fx.FlexibleBody(mesh.transformed(R), GeometricallyExactBeam(up=tuple(R[:, 2])), stiffness=PLAIN, name="arc")
    load = fx.PointForce(body.end, (0.2, 0.1, 0.5))
    turned_load = fx.PointForce(there.end, tuple(R @ [0.2, 0.1, 0.5]))
    one = tip(fx.solve_static(fx.Model(body, fx.Clamp(body.start), load)), body)
    two = tip(fx.solve_static(fx.Model(there, fx.Clamp(there.start), turned_load)), there)
    np.testing.assert_allclose(two, R @ one, atol=1e-7)


SCHEMES = [
    fx.GeneralizedAlpha(compiled=False), fx.RadauIIA(), fx.BDF(), fx.AugmentedLagrangian(), fx.RungeKutta(),
]  # fmt: skip


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_free_flight_keeps_momentum_and_energy(scheme):
    body = beam(2, nodes=2, stiffness=fx.BeamStiffness(
        EA=1e3, EI_y=20.0, EI_z=30.0, GJ=15.0, GA_y=400.0, GA_z=300.0, mass_per_length=1.2, rhoI_y=0.03, rhoI_z=0.04
    ))  # fmt: skip
    spin = fx.InitialVelocity(body, velocity=(0.3, 0, 0.1), angular_velocity=(1.0, 2.0, 3.0), about=(0.4, 0.1, 0))
    run = fx.simulate(fx.Model(body, spin), 0.2, step=1e-3, integrator=scheme, output=fx.Output(every=0.05))
    for values in run.momentum():
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=1e-4)
    total = run.energy.kinetic + run.energy.strain
    np.testing.assert_allclose(total, total[0], rtol=1e-4)


def test_initial_spin_is_that_of_a_rigid_body():
    """Angular momentum of a straight rod spinning about its middle: rhoA L^3/12 + rhoI L, about the rod 2 rhoI."""
    body = beam(4)
    spin = fx.InitialVelocity(body, angular_velocity=(0.5, 0.0, 2.0), about=(1, 0, 0))
    run = fx.simulate(fx.Model(body, spin), 1e-4, step=1e-4)
    P, L = run.momentum()
    np.testing.assert_allclose(P[0], 0.0, atol=1e-14)
    exact = [0.5 * 2.0 * (0.003 + 0.004), 0.0, 2.0 * (1.2 * 8 / 12 + 0.004 * 2.0)]
    np.testing.assert_allclose(L[0], exact, atol=1e-13)


def test_a_pendulum_on_a_spherical_joint_swings_as_with_directors():
    """Joint, gravity, motion: both elements, to the error of the time step."""
    found = []
    for element in (GeometricallyExactBeam(), ANCFBeam()):
        body = beam(4, element=element)
        joint = fx.SphericalJoint(fx.ground, body.start, at=(0, 0, 0), name="joint")
        run = fx.simulate(fx.Model(body, joint, fx.Gravity((0, 0, -9.81))), 0.4, step=1e-3)
        found.append(run.position(body.end)[-1])
    np.testing.assert_allclose(found[0], found[1], atol=2e-4)


def test_compiled_steps_are_the_same_bits():
    ends = []
    for compiled in (False, True):
        body = beam(2, nodes=2)
        spin = fx.InitialVelocity(body, angular_velocity=(1.0, 2.0, 3.0))
        run = fx.simulate(fx.Model(body, spin), 0.02, step=1e-3, integrator=fx.GeneralizedAlpha(compiled=compiled))
        ends.append(run.q[-1])
    np.testing.assert_array_equal(ends[0], ends[1])


def test_frequencies_are_those_of_the_beam_with_directors():
    """About the stress-free shape, of a clamped beam; rotary inertia lumped at nodes has a part of 1e-3."""
    values = []
    for element in (GeometricallyExactBeam(), ANCFBeam()):
        body = beam(8, element=element)
        modes = fx.solve_modal(fx.Model(body, fx.Clamp(body.start)), modes=4)
        values.append(np.sqrt(modes.eigenvalues[:4]))
    np.testing.assert_allclose(values[0], values[1], rtol=2e-3)


@pytest.mark.parametrize(
    "element", [ANCFBeam(), GeometricallyExactBeam(), GeometricallyExactBeam(nodes=2)], ids=["director", "3", "2"]
)
def test_damping_ratios_are_those_of_kelvin_and_voigt(element):
    """tau omega / 2 for every mode: bending both ways, torsion."""
    tau = 2e-3
    body = beam(6, element=element, stiffness=replace(PLAIN, retardation_time=tau))
    values = np.linalg.eigvals(fx.linearise(fx.Model(body, fx.Clamp(body.start))).A)
    values = values[(values.imag > 1e-6) & (np.abs(values) < 30.0)]
    assert len(values) >= 6
    np.testing.assert_allclose(-values.real / np.abs(values), 0.5 * tau * np.abs(values), rtol=1e-7)


# --- supports -------------------------------------------------------------------------------------------------------

NORMAL = (0.3, 0.5, 0.8)
SPRINGS = [[5.0, 1.0, 0.0], [1.0, 8.0, 0.5], [0.0, 0.5, 9.0]]


def held_by(element, held):
    """An arc, clamped and held at its end, with a force in between."""
    mesh = fx.meshes.three_node(
        fx.meshes.arc((0, 0, 0), radius=1.0, start_angle=0.3, end_angle=2.0, elements=12).in_space()
    )
    body = fx.FlexibleBody(mesh, element, stiffness=PLAIN, name="arc")
    return body, fx.Model(body, fx.Clamp(body.start), held(body), fx.PointForce(body.node(5), (0.5, 1.0, -2.0)))


@pytest.mark.parametrize(
    "held",
    [lambda b: fx.Roller(b.end, NORMAL), lambda b: fx.ElasticSupport(b.end, SPRINGS)],
    ids=["roller", "elastic"],
)
def test_inclined_and_elastic_supports_are_those_of_directors(held):
    """In statics, in vibration and in motion, to the error of the mesh."""
    places, frequencies, ends = [], [], []
    for element in (GeometricallyExactBeam(), ANCFBeam()):
        body, model = held_by(element, held)
        places.append(np.reshape(fx.solve_static(model).position(body.end, step=-1), (-1, 3))[-1])
        unloaded = fx.Model(*(item for item in model.items if not isinstance(item, fx.PointForce)))
        frequencies.append(fx.solve_modal(unloaded, modes=4).angular_frequencies)
        run = fx.simulate(model, 0.5, step=2e-3, output=fx.Output(every=0.1))
        ends.append(run.position(body.end)[-1])
        assert np.abs(run.energy.balance).max() < 2e-4 * np.abs(run.energy.kinetic).max()
    np.testing.assert_allclose(places[0], places[1], atol=2e-6)
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=5e-4)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-4)


def test_an_inclined_roller_holds_its_direction_and_no_other():
    body, model = held_by(GeometricallyExactBeam(), lambda b: fx.Roller(b.end, NORMAL))
    start = body.mesh.points[body.end.nodes[0]]
    moved = tip(fx.solve_static(model), body) - start
    assert abs(moved @ NORMAL) < 1e-14
    assert np.abs(moved).max() > 0.1
    run = fx.simulate(model, 0.2, step=2e-3, output=fx.Output(every=0.05))
    assert np.abs((run.position(body.end) - start) @ NORMAL).max() < 1e-13


@pytest.mark.parametrize("scheme", [fx.RadauIIA(), fx.BDF(), fx.RungeKutta()], ids=lambda s: type(s).__name__)
def test_all_schemes_take_inclined_supports(scheme):
    body, model = held_by(GeometricallyExactBeam(), lambda b: fx.Roller(b.end, NORMAL))
    want = fx.simulate(model, 0.02, step=2e-4, output=fx.Output(every=0.02)).position(body.end)[-1]
    run = fx.simulate(model, 0.02, step=2e-4, integrator=scheme, output=fx.Output(every=0.02))
    np.testing.assert_allclose(run.position(body.end)[-1], want, atol=1e-6)


def test_a_rotational_spring_at_the_root():
    """Deflection under a small force: F L^3/3EI + F L/GA + F L^2/k."""
    body, k, F, L = beam(1), 50.0, 1e-6, 2.0
    root = fx.ElasticSupport(body.start, (1e9, 1e9, 1e9), k)
    found = tip(fx.solve_static(fx.Model(body, root, fx.PointForce(body.end, (0, F, F)))), body)
    exact = [L**3 / 3 / EI + L / GA + L**2 / k for EI, GA in ((PLAIN.EI_z, PLAIN.GA_y), (PLAIN.EI_y, PLAIN.GA_z))]
    np.testing.assert_allclose(found[1:] / F, exact, rtol=1e-5)


def test_an_elastic_support_stores_energy():
    """In motion, too, whatever the coordinates: a bar on springs keeps the energy of the weight it has lost."""
    flat = fx.FlexibleBody.line(
        (0, 0), (2, 0), elements=4, element=ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e4, EI_z=3.0, mass_per_length=1.0),
    )  # fmt: skip
    springs = fx.ElasticSupport(flat.start, (20.0, 30.0), 2.0), fx.ElasticSupport(flat.end, (20.0, 30.0))
    run = fx.simulate(fx.Model(flat, *springs, fx.Gravity((0.0, -9.81))), 0.5, step=1e-3)
    assert np.abs(run.energy.kinetic).max() > 1.0
    assert np.abs(run.energy.balance).max() < 1e-3


# --- bad input ------------------------------------------------------------------------------------------------------


def test_moving_supports_and_hinges_are_refused():
    body, other = beam(2), beam(2, name="other")
    with pytest.raises(fx.ModelError, match="supports do not move exact beams; join the place to the ground and drive"):
        fx.solve_static(fx.Model(body, fx.Prescribe(body.start, (1.0, 0, 0))))
    with pytest.raises(fx.ModelError, match="share no positions; use a SphericalJoint"):
        fx.compile_model(fx.Model(body, other, fx.Hinge(body.start, other.start)))


def test_rotary_inertia_is_needed():
    body = beam(2, stiffness=fx.BeamStiffness(EA=1.0, EI_z=1.0, GJ=1.0, GA_y=1.0, GA_z=1.0, mass_per_length=1.0))
    with pytest.raises(fx.ModelError, match="rhoI_y = 0 and rhoI_z = 0 must be positive"):
        fx.compile_model(fx.Model(body))


def test_a_slender_beam_is_held_and_one_that_may_spin_is_not():
    """Bending of a rod of length over height 10 000 is ten orders softer than stretching; spinning is nothing."""
    thin = fx.BeamStiffness(
        EA=12e8, EI_y=1.0, EI_z=1.0, GJ=0.65, GA_y=3.8e8, GA_z=3.8e8, mass_per_length=1.0, rhoI_y=1e-9, rhoI_z=1e-9
    )
    body = beam(8, stiffness=thin)
    push = fx.PointForce(body.end, (0, 0.1, 0.2))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fx.solve_static(fx.Model(body, fx.Clamp(body.start), push))
    hung = fx.Model(body, fx.Pin(body.start), fx.Pin(body.end), push)
    with pytest.warns(RuntimeWarning, match="nothing holds turn about x"):
        fx.solve_static(hung)
