"""What a solution tells: positions, turns, resultants, energies; and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from tests.models.at_coordinates import forces, held

Maker = Callable[..., fx.FlexibleBody]
THIN = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)


@pytest.fixture(scope="module")
def solution() -> fx.StaticSolution:
    body = fx.FlexibleBody.line(
        (0.3, 0.1), (1.3, 0.1), elements=8, element=fx.elements.ANCFCable2D(), stiffness=THIN, name="arm"
    )
    return fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -3.0))))


@pytest.mark.parametrize(("turns", "steps"), [(2, 20), (-2, 20), (2, None), (0.75, 10)])
def test_turns_are_counted(line: Maker, turns: float, steps: int | None) -> None:
    """A moment M = 2 pi turns EI / L rolls a beam into circles: the angle at s is 2 pi turns s."""
    body = line((0.2, 0.1), (0.2, 1.1), elements=32, stiffness=THIN)
    model = fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, 2 * np.pi * turns))
    rolled = fx.solve_static(model, fx.StaticOptions(steps=steps))
    for s in (0.25, 0.5, 1.0):
        assert rolled.angle(body.at((0.2, 0.1 + s)), step=-1) == pytest.approx(2 * np.pi * turns * s, rel=1e-4)
    assert np.allclose(rolled.angle(body.end), 2 * np.pi * turns * rolled.parameters, rtol=1e-4, atol=1e-8)
    assert np.allclose(rolled.resultant(body, "M", step=-1), 2 * np.pi * turns, rtol=1e-3)


def test_nodes_one_and_several(solution: fx.StaticSolution) -> None:
    body = solution.model.bodies[0]
    some = fx.Attachment(body, (0, 3, 8), "some")
    singles = [body.node(n) for n in some.nodes]
    for ask in (solution.position, solution.displacement, solution.slope):
        assert ask(some).shape == (solution.n_steps, 3, 3)
        assert ask(some, step=1).shape == (3, 3)
        assert np.array_equal(ask(some), np.stack([ask(x) for x in singles], axis=1))
    rest = solution.position(some, step=-1) - solution.displacement(some, step=-1)
    assert np.allclose(rest, [(0.3, 0.1, 0.0), (0.675, 0.1, 0.0), (1.3, 0.1, 0.0)])
    assert solution.position(body.end).shape == (solution.n_steps, 3)
    assert np.array_equal(solution.position(body.end, step=0), (1.3, 0.1, 0.0))
    shape = solution.shape(body, points=3, step=-1)
    assert shape.shape == (8, 3, 3)
    assert solution.shape(body, points=3).shape == (solution.n_steps, 8, 3, 3)
    first = fx.Attachment(body, tuple(range(8)), "first")
    assert np.allclose(shape[:, 0], solution.position(first, step=-1), atol=1e-14)
    assert np.allclose(shape[-1, -1], solution.position(body.end, step=-1), atol=1e-14)


def test_bending_moments_balance_the_load(solution: fx.StaticSolution) -> None:
    """M(s) = -F (x(end) - x(s)), negative: the beam bends clockwise; N is the component of F along the tangent."""
    body = solution.model.bodies[0]
    xi = np.array([-0.5, 0.0, 0.5])
    group = body.tabulate(solution.system.coordinates.node_dofs[0], 0)
    points = body.element.positions(group, solution.q[-1], xi)
    lever = solution.position(body.end, step=-1)[0] - points[..., 0]
    assert np.allclose(solution.resultant(body, "M", xi=xi, step=-1), -3.0 * lever, atol=2e-2)
    arm = solution.position(body.end, step=-1)[0] - 0.3
    assert solution.reaction_moment(body.start, step=-1)[2] == pytest.approx(3.0 * arm, rel=1e-8)
    assert solution.reaction(body.start, step=-1)[:2] == pytest.approx([0.0, 3.0], abs=1e-7)


def test_what_is_refused(solution: fx.StaticSolution, line: Maker) -> None:
    body = solution.model.bodies[0]
    other = line(name="arm")
    space = line((0, 0, 0), (1, 0, 0), stiffness=THIN)
    beam = line(element=fx.elements.LinearBeam2D())
    straight = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start)))
    spatial = fx.solve_static(fx.Model(space, fx.Clamp(space.start)))
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: solution.position(body.end, 99), "no step 99"),
        (lambda: solution.position(body.end, -99), "no step -99"),
        (lambda: solution.resultant(body, "Q", step=-1), "no stress resultant named 'Q'"),
        (lambda: solution.resultant(body, ["N"], step=-1), "no stress resultant"),
        (lambda: solution.resultant(body, "N", xi=(0.0, 1.5), step=-1), "between -1 and 1"),
        (lambda: solution.resultant(body, "N", xi=(0.0, np.nan), step=-1), "finite"),
        (lambda: solution.resultant(body, "N", xi=0.0, step=-1), "shape"),
        (lambda: solution.shape(body, points=0, step=-1), "at least 1"),
        (lambda: solution.at_parameter(0.123456), "no equilibrium at parameter"),
        (lambda: solution.at_parameter("x"), "parameter must be a number"),
        (lambda: straight.slope(beam.end, step=-1), "has no slopes"),
        (lambda: spatial.angle(space.end, step=-1), "in space"),
    ]
    calls += [
        (lambda ask=ask: ask(other.end), "not the one in this model")
        for ask in (solution.position, solution.displacement, solution.angle, solution.reaction, solution.slope)
    ]
    calls += [(lambda s=s: solution.position(body.end, s), "step") for s in ("a", 1.5, True, [0])]
    calls.append((lambda: solution.resultant(other, "N", step=-1), "not the one in this model"))
    for call, message in calls:
        with pytest.raises(fx.ModelError, match=message):
            call()
    assert np.array_equal(solution.position(body.end, np.int64(-1)), solution.position(body.end, step=-1))


def test_arrays_are_read_only_and_asking_changes_nothing(solution: fx.StaticSolution) -> None:
    body = solution.model.bodies[0]
    for name in ("load_factors", "q", "v", "lam", "scales", "drives", "stable", "iterations"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(solution, name)[...] = 0
    before = solution.q.copy()
    first = solution.reaction(body.start, step=-1)[:2]
    p = solution.position(body.end, step=-1)[:2]
    p[:] = 7.0
    first[:] = 7.0
    solution.reaction(body.start, 0)
    solution.angle(body.end, step=-1)
    solution.strain_energy(0)
    assert np.array_equal(solution.q, before)
    assert solution.reaction(body.start, step=-1)[:2] == pytest.approx([0.0, 3.0], abs=1e-7)


def test_one_system_serves_several_analyses(line: Maker) -> None:
    """A solution is not disturbed by another analysis of the same system."""
    body = line(stiffness=THIN)
    system = fx.compile_model(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -3.0))))
    first = fx.solve_static(system)
    reaction, energy, q = first.reaction(body.start, step=-1)[:2], first.strain_energy(step=-1), first.q.copy()
    second = fx.solve_static(system, fx.StaticOptions(steps=3))
    fx.solve_modal(system, modes=2)
    assert np.array_equal(first.q, q)
    assert np.array_equal(first.reaction(body.start, step=-1)[:2], reaction)
    assert first.strain_energy(step=-1) == energy
    assert np.allclose(second.q[-1], q[-1], atol=1e-8)
    assert np.array_equal(fx.solve_static(system).q, q)  # bitwise: nothing is left in the system


def test_the_strain_energy_is_the_potential_of_the_internal_forces(solution: fx.StaticSolution) -> None:
    system = solution.system
    rng = np.random.default_rng(0)
    q = solution.q[-1] + 0.01 * rng.standard_normal(system.coordinates.n)
    p, h = rng.standard_normal(len(q)), 1e-5
    U = [system.strain_energy(q + k * h * p) for k in (-2, -1, 1, 2)]
    along = (8 * (U[2] - U[1]) - (U[3] - U[0])) / (12 * h)
    assert forces(held(system), q) @ p == pytest.approx(along, rel=1e-8)


def test_strain_energy_of_pure_bending_and_pure_tension(line: Maker) -> None:
    """M^2 L / 2 EI and N^2 L / 2 EA."""
    body = line(elements=16, stiffness=THIN)
    bent = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, 2.0)))
    assert bent.strain_energy(step=-1) == pytest.approx(2.0, rel=1e-5)
    pulled = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (500.0, 0.0))))
    assert pulled.strain_energy(step=-1) == pytest.approx(500.0**2 / 2e6, rel=1e-9)
