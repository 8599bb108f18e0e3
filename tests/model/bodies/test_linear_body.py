"""Linear bodies: descriptions and their checks, markers, forces, statics, modes, and joints to rigid bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from tests.dynamics.test_tangent import WEIGHTS, Point, expected_matrix, tangent_operators

TURN = np.array([0.5, 0.5, 0.5, 0.5])
SOFT = fx.Elastic(youngs_modulus=2e9, poissons_ratio=0.3, density=1200.0)


@cache
def bar() -> fx.reduction.ReducedModel:
    """A bar of shells with rotations at its nodes: rigid ends, a few modes."""
    mesh = fx.meshes.rectangle((0.0, 0.0), (1.0, 0.1), (8, 1), "quad").in_space()
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.02), SOFT)], name="bar"
    )
    return fx.reduction.reduce(part, ["left", "right"], 3, progress=False)


@cache
def full() -> fx.linear.Operators:
    mesh = fx.meshes.rectangle((0.0, 0.0), (1.0, 0.1), (8, 1), "quad").in_space()
    part = fx.linear.Part(
        mesh, regions=[fx.linear.Region(None, fx.elements.ShellQuad(thickness=0.02), SOFT)], name="bar"
    )
    return part.assemble()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fx.LinearBody("bar"), "reduced must be a ReducedModel"),
        (lambda: fx.LinearBody(replace(bar(), inertia=None)), "neither a mass nor places"),
        (lambda: fx.LinearBody(bar(), fixed="top"), "no interface named 'top'"),
        (lambda: fx.LinearBody(bar(), modes=16), "16 modes were asked for, but there are 15"),
        (lambda: fx.LinearBody(bar(), modes=0), "modes"),
        (lambda: fx.LinearBody(replace(bar(), K=-np.array(bar().K))), "a stable part"),
        (lambda: fx.LinearBody(bar(), damping=-0.1), "damping"),
        (lambda: fx.LinearBody(bar(), damping=[0.1]), "damping"),
        (lambda: fx.LinearBody(bar(), deformation=[0.0]), "deformation"),
        (lambda: fx.LinearBody(bar()).interface("top"), "no interface named 'top'"),
        (lambda: fx.LinearBody(bar()).node(1000), "node 1000 has no displacements"),
        (lambda: fx.LinearBody(bar()).marker((0.3, 0.0, 0.0)), "neither an interface nor a node is at"),
        (lambda: fx.LinearBody(bar()).centre, "no marker of its own"),
        (lambda: fx.NodalLoad(bar(), 0, (0, 0, 1)), "body must be a LinearBody"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), "cap", (0, 0, 1)), "no node set 'cap'"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), 999, (0, 0, 1)), "needs displacements"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), 0, (0, 1)), "force"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), [4.9, 3], (0, 0, 1)), "nodes must be a whole number, not 4.9"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), 4.0, (0, 0, 1)), "each of nodes must be a whole number, not 4.0"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), ["4", "3"], (0, 0, 1)), "must be a whole number, not '4'"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), [True, 3], (0, 0, 1)), "must be a whole number, not True"),
        (lambda: fx.NodalLoad(fx.LinearBody(bar()), np.array([1.0]), (0, 0, 1)), "must be a whole number, not"),
        (lambda: fx.LinearBody(bar()).nodal_force([1, [2]], (0, 0, 1)), "each of nodes must be a whole number"),
        (lambda: fx.LinearBody(bar(), fixed=3), "each of fixed must be a non-empty string, not 3"),
        (lambda: fx.LinearBody(bar()).interface(np.zeros((2, 2))), "interface"),
        (lambda: fx.reduction.Interface("left", components=("uz",)), "components"),
        (lambda: fx.reduction.Interface("left", kind="nodes", components=("z",)), "components"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        make()


def test_planar_gravity_is_refused() -> None:
    with pytest.raises(fx.ModelError, match="acceleration has 2 components, but body 'bar' moves in space"):
        fx.compile_model(fx.Model(fx.LinearBody(bar()), fx.Gravity((0.0, -9.81))))


def test_modes_are_those_of_the_reduced_model() -> None:
    body = fx.LinearBody(bar(), fixed="left")
    values, _ = bar().modes("left")
    assert np.allclose(body.frequencies**2, values, rtol=1e-12)
    found = fx.solve_modal(fx.Model(body), 4)
    assert np.allclose(found.frequencies, np.sqrt(values[:4]) / (2.0 * np.pi), rtol=1e-10)


def test_statics_is_the_statics_of_the_full_part() -> None:
    """A force on a rigid interface: Craig-Bampton is exact there."""
    body = fx.LinearBody(bar(), fixed="left", position=(0.3, 0.2, 0.1), rotation=TURN)
    R = body.rotation
    force, moment = np.array([20.0, 0.4, -0.1]), np.array([0.02, 0.01, 0.03])
    tip = body.interface("right")
    model = fx.Model(body, fx.PointForce(tip, R @ force), fx.Moment(tip, R @ moment), name="bent")
    run = fx.simulate(model, 40.0, step=0.1, integrator=fx.GeneralizedAlpha(rho_inf=0.0), progress=False)
    moved = R.T @ (run.position(tip)[-1] - tip.position0())
    held = fx.reduction.reduce(full(), ["left", "right"], 0, progress=False)
    frame = held.frame("right").coordinates
    exact = np.linalg.solve(held.K[np.ix_(frame, frame)], np.concatenate((force, moment)))
    # the moment keeps its direction while the tip turns by 1e-3
    assert np.allclose(moved, exact[:3], rtol=0.0, atol=2e-3 * np.abs(exact[:3]).max())


def test_nodal_loads_are_the_forces_of_the_shapes() -> None:
    body = fx.LinearBody(bar(), fixed="left", rotation=TURN)
    nodes = np.array([3, 5, 6])
    force = np.array([1.0, -2.0, 0.5])
    found = body.nodal_force(nodes, force)
    eta = np.random.default_rng(1).standard_normal(body.modes)
    moved = body.displacements(eta)[nodes, :3] @ body.rotation.T
    assert found @ eta == pytest.approx(moved.mean(axis=0) @ force, rel=1e-12)


def test_gravity_and_momentum_are_those_of_the_mass() -> None:
    """A free body falls; its momentum is m g t, and about the origin that of its centre."""
    body = fx.LinearBody(bar(), position=(0.0, 0.3, 0.0), rotation=TURN)
    run = fx.simulate(
        fx.Model(body, fx.Gravity((0.0, 0.0, -9.81))), 0.01, step=1e-3, progress=False
    )  # fmt: skip
    P, L = run.momentum()
    assert body.mass == pytest.approx(1200.0 * 0.1 * 0.02, rel=1e-12)
    assert np.allclose(P[-1], [0.0, 0.0, -9.81 * 0.01 * body.mass], atol=1e-9)
    centre = body.position + body.rotation @ bar().inertia.centre
    assert np.allclose(L[-1], np.cross(centre, P[-1]), atol=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-9


def test_energy_of_free_vibration_is_kept() -> None:
    start = np.zeros(9)
    start[:3] = 1e-3, 2e-4, 1e-4
    body = fx.LinearBody(bar(), fixed="left", deformation=start)
    period = 2.0 * np.pi / body.frequencies[0]
    run = fx.simulate(
        fx.Model(body), 2.0 * period, step=period / 200.0, integrator=fx.GeneralizedAlpha(rho_inf=1.0), progress=False
    )  # fmt: skip
    strain = 0.5 * float((body.frequencies * start) ** 2 @ np.ones(9))
    total = run.energy.kinetic + run.energy.strain
    assert np.allclose(total, strain, rtol=1e-3)
    first = run.q[:, 0]
    assert np.allclose(first, 1e-3 * np.cos(body.frequencies[0] * run.t), atol=2e-5)


def test_damping_that_couples_modes_is_one_block() -> None:
    """Free decay against the exact solution of the first-order equations."""
    from scipy.linalg import expm

    random = np.random.default_rng(3)
    shape = random.standard_normal((bar().size, 3))
    D = 2.0 * shape @ shape.T
    reduced = replace(bar(), D=D)
    body = fx.LinearBody(reduced, fixed="left", modes=3, deformation=[1e-3, 0.0, 0.0])
    assert not body.uncoupled
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.diag(body.frequencies**2), -body.viscosity]])
    until = 0.5 * 2.0 * np.pi / body.frequencies[0]
    run = fx.simulate(fx.Model(body), until, step=until / 4000, progress=False)
    exact = expm(A * until) @ np.concatenate((body.deformation, np.zeros(3)))
    assert np.allclose(run.q[-1], exact[:3], rtol=0.0, atol=1e-4 * 1e-3)


def coupled() -> fx.Model:
    """A free linear body between rigid ones, with every kind of thing on its markers."""
    body = fx.LinearBody(
        bar(), modes=10, position=(0.1, -0.2, 0.3), rotation=TURN, damping=0.02, name="bar"
    )  # fmt: skip
    first = fx.RigidBody(2.0, (0.1, 0.2, 0.3), position=(0.0, 0.0, 0.3), name="first")
    ends = body.interface("left"), body.interface("right")
    return fx.Model(
        body, first,
        fx.RevoluteJoint(first, ends[0], name="hinge"),
        fx.SpringDamper(first.marker((0.1, 0.2, 0.3)), body.node(5), stiffness=9.0, damping=1.0, name="stay"),
        fx.PointForce(ends[1], (1.0, 2.0, 0.5), follower=True),
        fx.Moment(ends[1], (0.3, 0.1, -0.2)),
        fx.NodalLoad(body, [3, 4], (0.0, 1.0, 2.0)),
        fx.Gravity((0.0, 0.0, -9.81)),
    )  # fmt: skip


def test_matrix_of_a_step_equals_differences() -> None:
    from flexmbs.dynamics.step_matrix import possible_entries

    point = Point(coupled())
    dyn = point.dynamics
    system = dyn.system
    expected = expected_matrix(point)[np.ix_(system.free, system.free)]
    tangent_operators(point.dq, dyn.n_linear, dyn.T)
    dyn.tangent(point.q, point.v, point.a, point.lam, WEIGHTS)
    possible = possible_entries(system, dyn.mechanics)
    keep = possible & (system.entry_rows >= 0) & (system.entry_columns >= 0)
    found = np.zeros((system.n, system.n))
    np.add.at(found, (system.entry_rows[keep], system.entry_columns[keep]), dyn.B[keep])
    assert np.abs(dyn.B[~possible]).max() < 1e-14  # round-off of what is zero
    scale = np.maximum(1.0, np.abs(expected).max(axis=1))[:, None]
    assert np.abs((found - expected) / scale).max() < 1e-7


def test_held_forces_leave_the_matrix_diagonal() -> None:
    """With sampled forces on a hundred modes nothing couples them, and the matrix is a band of width zero."""
    from flexmbs.dynamics.evaluation import Dynamics

    body = fx.LinearBody(bar(), fixed="left")
    tip = body.node(body.reduced.node_sets["right"][0])
    law = fx.control.Controller(
        fx.control.VelocitySensor(tip, (0, 0, 1)), fx.control.ForceActuator(tip, (0, 0, 1), name="magnet"), period=1e-3,
        output=lambda x, u, t: -0.1 * u, name="feedback",
    )  # fmt: skip
    dyn = Dynamics(fx.compile_model(fx.Model(body, law, fx.PointForce(tip, (0, 0, 1.0)))))
    assert dyn.matrix.static is not None
    assert dyn.matrix.static.reach.max() <= 1


def test_strip_between_rollers() -> None:
    """The ends of the part on rollers: one fixed by a joint, the other a heavy roller on a spring.

    The frequencies are those of the reduced matrices with the mass and the spring added.
    """
    body = fx.LinearBody(bar(), name="strip")
    roller = fx.RigidBody(0.5, (0.1, 0.1, 0.1), position=body.interface("right").position0(), name="roller")
    k, above = 3e4, roller.position + np.array((0.0, 0.0, 1.0))
    model = fx.Model(
        body, roller,
        fx.FixedJoint(fx.ground, body.interface("left"), name="support"),
        fx.FixedJoint(roller, body.interface("right"), name="wrap"),
        fx.PrismaticJoint(fx.ground, roller, at=roller.position, axis=(0, 0, 1), name="guide"),
        fx.SpringDamper(fx.ground.marker(above), roller.centre, stiffness=k, free_length=1.0, name="suspension"),
    )  # fmt: skip
    found = fx.solve_modal(model, 3).frequencies
    K, M = np.array(bar().K), np.array(bar().M)
    left, right = bar().frame("left").coordinates, bar().frame("right").coordinates
    uz = right[2]
    K[uz, uz] += k
    M[uz, uz] += 0.5
    free = np.setdiff1d(np.arange(bar().size), np.concatenate((left, np.delete(right, 2))))
    from scipy.linalg import eigh

    exact = np.sqrt(eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)[:3]) / (2.0 * np.pi)
    assert np.allclose(found, exact, rtol=1e-8)


def test_prestressed_operators_have_the_stress_stiffness() -> None:
    solution = fx.linear.static_response(full(), {"left": "all"}, fx.linear.NodalForce("right", (100.0, 0.0, 0.0)))
    about = fx.linear.prestressed(solution)
    rest = abs(about.K - full().K - fx.linear.geometric_stiffness(solution)).max()
    assert rest <= 4.0 * np.finfo(float).eps * abs(full().K).max()
    with_it = fx.linear.vibration_modes(full(), 3, {"left": "all"}, prestress=solution).frequencies
    assert np.allclose(fx.linear.vibration_modes(about, 3, {"left": "all"}).frequencies, with_it, rtol=1e-10)


def test_run_is_read_back_with_its_model(tmp_path: Any) -> None:
    body = fx.LinearBody(bar(), fixed="left", damping=0.01)
    model = fx.Model(body, fx.PointForce(body.interface("right"), (0.0, 0.0, 1.0)))
    run = fx.simulate(model, 0.01, step=1e-3, file=tmp_path / "run.h5", progress=False)
    found = fx.load(tmp_path / "run.h5")
    assert np.array_equal(found.q, run.q)
    assert np.array_equal(found.model.linear_bodies[0].basis, body.basis)
    assert np.array_equal(found.deformed("bar")[-1], run.deformed(body)[-1])


def test_places_of_nodes_over_a_run() -> None:
    body = fx.LinearBody(bar(), fixed="left", position=(0.0, 0.0, 1.0), rotation=TURN)
    run = fx.simulate(fx.Model(body, fx.Gravity((0.0, 0.0, -9.81))), 0.01, step=1e-3, progress=False)
    node = int(bar().node_sets["right"][0])
    assert np.allclose(run.deformed(body)[:, node], run.position(body.node(node)), rtol=0.0, atol=1e-14)


def test_other_shapes_than_its_modes_are_refused() -> None:
    body = fx.LinearBody(bar(), fixed="left")
    with pytest.raises(fx.ModelError, match="these shapes are not its modes"):
        body.take_shapes(2.0 * body.basis)
