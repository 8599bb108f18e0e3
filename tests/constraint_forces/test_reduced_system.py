"""The reduced system against mass and constraints together: kinds of bodies, redundant equations, iterations, bad
input."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from flexmbs.constraint_forces.conjugate_gradients import conjugate_gradients
from flexmbs.dynamics.consistent_state import accelerations, assemble
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.verification.cases.mechanisms.constraint_forces import hanging, numbered_squeezer
from flexmbs.verification.cases.mechanisms.driven_mechanisms import four_bar
from flexmbs.verification.reference.driven import FourBar


def consistent(model: fx.Model) -> tuple[np.ndarray, ...]:
    """A state with velocities that the joints allow, and its accelerations and multipliers by the whole matrix."""
    dyn = Dynamics(fx.compile_model(model))
    dyn.start_turns(0.0)
    speed = np.random.default_rng(0).standard_normal(dyn.n_v)
    found = assemble(dyn, 0.0, dyn.coordinates.reference.copy(), speed)
    return found.q, found.v, *accelerations(dyn, 0.0, found.q, found.v)


def agrees(model: fx.Model, rtol: float = 1e-9, **options: object) -> fx.constraint_forces.ReducedSystem:
    """Check accelerations, and multipliers where they are unique."""
    q, v, a, lam = consistent(model)
    reduced = fx.constraint_forces.ReducedSystem(model, **options)
    found = reduced.solve(q, v)
    assert np.abs(found.a - a).max() < rtol * np.abs(a).max()
    assert np.abs(found.lam - lam).max() < rtol * np.abs(lam).max()
    return reduced


def test_rigid_bodies_in_the_plane_and_in_space() -> None:
    agrees(numbered_squeezer()[0])
    agrees(numbered_squeezer()[0], order=[str(k) for k in range(10, 0, -1)])


def test_equations_that_follow_from_others() -> None:
    reduced = agrees(four_bar(FourBar(1.0, 3.0, 2.5, 3.0), 0.5, spatial=True), rtol=1e-6)
    assert len(reduced.redundant) == 3


def test_trees_and_point_masses() -> None:
    arm = trees.Tree(
        trees.Link("a", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0), joint=trees.Revolute((0, 1, 0))),
        trees.Link("b", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0), "a", trees.Revolute((0, 1, 0)), at=(1, 0, 0)),
        name="arm",
    )
    ball = fx.PointMass(2.0, position=(2.0, 0.0, -1.0), name="ball")
    rope = fx.DistanceConstraint(arm.link("b").marker((1, 0, 0)), ball, name="rope")
    agrees(fx.Model(arm, ball, rope, fx.Gravity((0, 0, -9.81))))


def test_flexible_bodies_count_as_one_body() -> None:
    beam = fx.FlexibleBody.line(
        (0, 0), (1, 0), elements=3, element=fx.elements.ANCFCable2D(),
        stiffness=fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0), name="beam",
    )  # fmt: skip
    weight = fx.PlanarRigidBody(1.0, 0.1, position=(1.2, 0), name="weight")
    pins = fx.RevoluteJoint(fx.ground, beam.start, name="root"), fx.FixedJoint(weight, beam.end, name="tip")
    reduced = agrees(fx.Model(beam, weight, *pins, fx.Gravity((0, -9.81))), rtol=1e-8)
    assert reduced.graph.bodies == ((0,), (0, 1))


@pytest.mark.parametrize("split", [3, 4, 5])
def test_split_hubs_give_the_same(split: int) -> None:
    hub = fx.PlanarRigidBody(4.0, 2.0, position=(0, 0), name="hub")
    arms = [fx.PlanarRigidBody.rod((0, 0), (1, 0.2 * k), mass=1.0 + k, name=f"arm {k}") for k in range(9)]
    pins = [fx.RevoluteJoint(hub, arm, at=(0.0, 0.0), name=f"pin {k}") for k, arm in enumerate(arms)]
    spring = fx.SpringDamper(fx.ground.marker((0, 2, 0)), hub.centre, stiffness=50.0, free_length=1.0, name="spring")
    reduced = agrees(fx.Model(hub, *arms, *pins, spring), split=split)
    assert reduced.graph.topology_index <= split
    with pytest.raises(fx.ModelError, match="split bodies serve solve"):
        reduced.solve_iteratively()


def test_iterations_with_old_factors() -> None:
    model = hanging(20)
    q, v, _, _ = consistent(model)
    reduced = fx.constraint_forces.ReducedSystem(model)
    with pytest.raises(fx.ModelError, match=r"call solve\(\) once before"):
        reduced.solve_iteratively()
    direct = reduced.solve(q, v)
    same = reduced.solve_iteratively(q, v)
    assert same.iterations == 1
    swung = fx.simulate(model, until=0.2, step=1e-2, progress=False)
    bent = fx.simulate(model.with_(fx.JointForce(model.joint("pin 0"), 300.0, name="push")), until=0.1, step=1e-2,
                       progress=False)  # fmt: skip
    there = reduced.solve_iteratively(bent.q[-1], bent.v[-1], tolerance=1e-12)
    again = fx.constraint_forces.ReducedSystem(model).solve(bent.q[-1], bent.v[-1])
    assert 1 < there.iterations <= 40
    assert there.lam == pytest.approx(again.lam, abs=1e-8 * np.abs(again.lam).max())
    assert np.abs(swung.a).max() < 1e-6  # it hangs still
    guessed = reduced.solve_iteratively(bent.q[-1], bent.v[-1], guess=again.lam, tolerance=1e-10)
    assert guessed.iterations == 0
    with pytest.raises(fx.ConvergenceError, match="conjugate-gradient iterations left"):
        reduced.solve_iteratively(bent.q[-1], bent.v[-1], max_iterations=1)
    assert direct.lam.shape == same.lam.shape


def test_the_direction_is_made_of_the_preconditioned_residual() -> None:
    """It ends after as many iterations as there are different eigenvalues of W^-1 E; made of the residual it does
    not."""
    rng = np.random.default_rng(4)
    W = np.diag(rng.uniform(0.1, 10.0, 30))
    Q = np.linalg.qr(rng.standard_normal((30, 3)))[0]
    root = np.sqrt(W)
    E = root @ (np.eye(30) + Q @ np.diag([1.0, 2.0, 5.0]) @ Q.T) @ root  # four eigenvalues of W^-1 E
    b = rng.standard_normal(30)
    x, iterations, left = conjugate_gradients(
        lambda d: E @ d, lambda e: np.linalg.solve(W, e), b, np.zeros(30), 1e-10, 30
    )
    assert iterations == 4
    assert left <= 1e-10
    assert x == pytest.approx(np.linalg.solve(E, b), abs=1e-8)


def test_no_right_side() -> None:
    x, iterations, left = conjugate_gradients(lambda d: d, lambda e: e, np.zeros(3), np.ones(3), 1e-10, 5)
    assert (x.tolist(), iterations, left) == ([0.0, 0.0, 0.0], 0, 0.0)


def test_positions_where_equations_become_dependent() -> None:
    """A parallelogram that is stretched after the factors were laid out."""
    data = FourBar(1.0, 3.0, 1.0, 3.0)
    reduced = fx.constraint_forces.ReducedSystem(four_bar(data, 0.5))
    flat = [0.5, 0.0, 0.0, 2.5, 0.0, 0.0, 3.5, 0.0, 0.0]
    with pytest.raises(fx.SingularError, match=r"depend on each other .* joint '[ABCD]'"):
        reduced.solve(flat)


def test_bad_input() -> None:
    model = hanging(3)
    for make, says in (
        (lambda: fx.constraint_forces.ReducedSystem("chain"), "expected a Model"),
        (lambda: fx.constraint_forces.ReducedSystem(fx.Model(fx.PlanarRigidBody(1.0, 0.1))), "no joints"),
        (lambda: fx.constraint_forces.ReducedSystem(model, order=["pin 0"]), "each of 3 joints once"),
        (lambda: fx.constraint_forces.ReducedSystem(model, split=2), "split"),
        (lambda: fx.constraint_forces.ReducedSystem(model).solve(q=[1.0]), "q"),
        (lambda: fx.constraint_forces.ReducedSystem(model).solve(t="now"), "t must be"),
    ):
        with pytest.raises(fx.ModelError, match=says):
            make()
