"""Augmented Lagrangian: orders, constraints on three levels, redundant and singular systems, restarts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.dynamics.consistent_state import constraint_matrix
from flexmbs.dynamics.constraint_product import add_constraint_product
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.verification.cases.mechanisms import integrators as known
from flexmbs.verification.cases.mechanisms import rolling
from flexmbs.verification.cases.mechanisms.linkages import hinged
from flexmbs.verification.cases.mechanisms.spatial_mechanisms import bricard, bricard_path
from flexmbs.verification.reference import loops

G = 9.81
SCHEME = fx.AugmentedLagrangian()


def orders(errors) -> list[float]:
    return [math.log2(a / b) for a, b in itertools.pairwise(errors)]


def pendulum() -> fx.Model:
    bar = fx.RigidBody.box(size=(1.0, 0.05, 0.05), mass=2.0, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    return fx.Model(bar, hinge, fx.Gravity((0, 0, -G)))


def rhombus() -> tuple[fx.Model, fx.Marker]:
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, -1.0), (0.0, -1.0))
    bars = [fx.PlanarRigidBody.rod(corners[i], corners[(i + 1) % 4], mass=1.0, name=f"bar {i + 1}") for i in range(4)]
    ring = [fx.ground, *bars, fx.ground]
    joints, _ = hinged([(ring[i], ring[i + 1], corners[i % 4]) for i in range(5)])
    return fx.Model(*bars, *joints, fx.Gravity((0.0, -G))), bars[1].marker_at(corners[2])


# --- order -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [known.cone, known.driven])
def test_constrained_motions_are_of_second_order(problem) -> None:
    given, steps = problem(), (0.04, 0.02, 0.01)
    runs = [fx.simulate(given.model, 2.0, step=h, integrator=SCHEME) for h in steps]
    errors = np.array([given.errors(run) for run in runs])
    for i in range(3):
        if given.name == "driven bar":  # all is prescribed, and satisfied
            assert errors[:, i].max() < 1e-8
        else:
            assert min(orders(errors[:, i])) > 1.95, (i, errors[:, i])
    for run in runs:
        assert run.residuals.max() < 1e-11
        assert run.counts["rejected"] == 0


def test_accelerations_and_multipliers_are_of_second_order_from_the_start() -> None:
    """A pendulum released from horizontal: after five steps, whatever their size."""
    position, acceleration, force = [], [], []
    for h in (8e-3, 4e-3, 2e-3):
        fine = fx.simulate(pendulum(), 5 * h, step=h / 5.0, integrator=fx.RadauIIA())
        run = fx.simulate(pendulum(), 5 * h, step=h, integrator=SCHEME)
        position.append(np.abs(run.q[-1] - fine.q[-1]).max())
        acceleration.append(np.abs(run.a[-1] - fine.a[-1]).max())
        force.append(np.abs(run.lam[-1] - fine.lam[-1]).max())
    for errors in (position, acceleration, force):
        assert min(orders(errors)) > 1.8, errors


def test_free_symmetric_body_is_of_second_order() -> None:
    errors = [known.spinning(h, SCHEME)[0] for h in (0.04, 0.02, 0.01)]
    assert min(orders(errors)) > 1.9, errors


@pytest.mark.parametrize("penalty", [1e6, 1e12])
def test_the_penalty_does_not_change_the_motion(penalty: float) -> None:
    one = fx.simulate(pendulum(), 1.0, step=1e-2, integrator=SCHEME)
    two = fx.simulate(pendulum(), 1.0, step=1e-2, integrator=fx.AugmentedLagrangian(penalty=penalty))
    assert np.abs(one.q - two.q).max() < 1e-8
    assert two.residuals.max() < 1e-9


def test_units_do_not_change_the_motion() -> None:
    """Lengths in mm and masses in t: the same angles."""
    runs = []
    for length, mass in ((1.0, 1.0), (1e3, 1e-3)):
        bar = fx.PlanarRigidBody(2.0 * mass, mass * length**2 / 6.0, position=(0.5 * length, 0.0), name="bar")
        hinge = fx.RevoluteJoint(fx.ground, bar, at=(0.0, 0.0), name="hinge")
        runs.append(
            fx.simulate(fx.Model(bar, hinge, fx.Gravity((0.0, -G * length))), 1.0, step=1e-2, integrator=SCHEME)
        )
    assert np.abs(runs[0].q[:, 2] - runs[1].q[:, 2]).max() < 1e-10


def test_rolling_keeps_its_velocity_constraints_and_energy() -> None:
    """A tilted disk on a plane, whose contact has two velocity rows."""
    body, model = rolling.disk(20.0, -10.0, (0.0, 0.0, 0.0))
    changes = []
    for h in (1e-2, 5e-3, 2.5e-3):
        run = fx.simulate(model, 1.0, step=h, integrator=SCHEME)
        assert run.residuals[1:].max() < 1e-10
        changes.append(np.abs(run.energy.balance).max() / run.energy.kinetic.max())
    assert min(orders(changes)) > 1.8, changes
    assert np.linalg.norm(run.velocity(body)[-1]) > 0.1


# --- redundant and singular ------------------------------------------------------------------------------------------


def test_overconstrained_loop() -> None:
    """Bricard's loop: 30 equations of rank 29; second order, and multipliers that stay."""
    model, P3, _ = bricard(None)
    exact = bricard_path(None, np.array([2.0]))[-1]
    errors = []
    for h in (0.02, 0.01, 0.005):
        run = fx.simulate(model, 2.0, step=h, integrator=SCHEME)
        errors.append(np.abs(run.position(P3)[-1] - exact).max())
        assert run.redundant
        assert run.residuals[1:, :2].max() < 1e-12
        assert run.residuals[1:, 2].max() < 1e-10
        assert np.abs(run.lam).max() < 40.0
        assert run.counts["evaluations"] < 12 * len(run.steps)
    assert min(orders(errors)) > 1.9, errors


def test_folding_rhombus_stays_on_its_branch_through_flat_positions() -> None:
    model, B = rhombus()
    times = (0.25, 0.5, 1.0, 1.5, 2.0)
    angles = loops.rhombus((0.0, -math.pi / 2.0), times)
    a, b = angles[:, 0], angles[:, 1]
    exact = np.column_stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b)])
    errors = []
    for h in (5e-3, 2.5e-3, 1.25e-3):
        run = fx.simulate(model, 2.0, step=h, integrator=SCHEME)
        rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
        errors.append(np.abs(run.position(B)[rows, :2] - exact).max())
        assert run.residuals.max() < 1e-11
        assert np.abs(run.energy.balance).max() < 500.0 * h**2
        assert run.counts["rejected"] == 0
    assert min(orders(errors)) > 1.9, errors


# --- the run ---------------------------------------------------------------------------------------------------------


def test_product_of_constraints_is_that_of_their_matrix() -> None:
    model, _, _ = bricard(None)
    dyn = Dynamics(fx.compile_model(model))
    dyn.start_turns(0.0)
    c = dyn.coordinates
    dyn.set_time(0.0)
    dyn.T[:] = np.eye(3)
    dyn.tangent(c.reference, c.velocity, np.zeros(dyn.n_v), np.zeros(dyn.n_c), (0.0, 0.0))
    x = np.random.default_rng(1).standard_normal(dyn.n_v)
    out = np.ones(dyn.n_c)
    add_constraint_product(dyn, x, out)
    assert out == pytest.approx(1.0 + constraint_matrix(dyn) @ x, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("step", [7e-3, fx.ErrorControl(1e-5)])
def test_a_run_goes_on_bitwise(step, tmp_path) -> None:
    model = pendulum()
    full = fx.simulate(model, 1.0, step=step, integrator=SCHEME)
    stop = full.t[len(full.t) // 2]
    first = fx.simulate(model, float(stop), step=step, integrator=SCHEME, file=tmp_path / "run.h5")
    rest = fx.simulate(model, 1.0, step=step, integrator=SCHEME, start=first)
    again = fx.simulate(model, 1.0, step=step, integrator=SCHEME, start=fx.load(tmp_path / "run.h5"))
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(rest, name), getattr(again, name)), name
        if isinstance(step, float):
            assert np.array_equal(getattr(rest, name)[1:], getattr(full, name)[-len(rest.steps) :]), name


def test_back_in_time_differs_by_the_projections_alone(started) -> None:
    gaps = []
    for h in (0.04, 0.02, 0.01):
        stepper, state, _ = started(pendulum(), SCHEME, h)
        for _ in range(10):
            state = stepper.step(state, h).state
        back = stepper.step(stepper.step(state, h).state, -h).state
        gaps.append(np.abs(back.q - state.q).max())
    assert min(orders(gaps)) > 2.8, gaps


def test_run_of_no_length() -> None:
    assert len(fx.simulate(pendulum(), 0.0, integrator=SCHEME)) == 1


@pytest.mark.parametrize("bad", [{"penalty": 1.0}, {"penalty": 1e15}, {"penalty": "high"}, {"newton": 3}])
def test_bad_settings(bad) -> None:
    with pytest.raises(fx.ModelError, match="AugmentedLagrangian"):
        fx.AugmentedLagrangian(**bad)
