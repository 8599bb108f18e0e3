"""What a solution tells: positions, turns, resultants, energies; and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx

Maker = Callable[..., fx.FlexibleBody]
THIN = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)


@pytest.fixture(scope="module")
def solution() -> fx.Solution:
    body = fx.FlexibleBody.line(
        (0.3, 0.1), (1.3, 0.1), elements=8, element=fx.elements.PlanarCable(), stiffness=THIN, name="arm"
    )
    return fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -3.0))))


@pytest.mark.parametrize(("turns", "steps"), [(2, 20), (-2, 20), (2, None), (0.75, 10)])
def test_turns_are_counted(line: Maker, turns: float, steps: int | None) -> None:
    """A moment M = 2 pi turns EI / L rolls a beam into circles: the angle at s is 2 pi turns s."""
    body = line((0.2, 0.1), (0.2, 1.1), elements=32, stiffness=THIN)
    model = fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, 2 * np.pi * turns))
    rolled = fx.solve_static(model, fx.StaticOptions(steps=steps))
    for s in (0.25, 0.5, 1.0):
        assert rolled.rotation(body.at((0.2, 0.1 + s))) == pytest.approx(2 * np.pi * turns * s, rel=1e-4)
    assert np.allclose(rolled.rotations(body.end), 2 * np.pi * turns * rolled.parameters, rtol=1e-4, atol=1e-8)
    assert np.allclose(rolled.resultant(body, "M"), 2 * np.pi * turns, rtol=1e-3)


def test_nodes_one_and_several(solution: fx.Solution) -> None:
    body = solution.model.bodies[0]
    some = fx.Attachment(body, (0, 3, 8), "some")
    singles = [body.node(n) for n in some.nodes]
    for ask in (solution.position, solution.displacement, solution.slope):
        assert ask(some).shape == (3, 2)
        assert np.array_equal(ask(some), [ask(x) for x in singles])
    assert np.allclose(solution.position(some) - solution.displacement(some), [(0.3, 0.1), (0.675, 0.1), (1.3, 0.1)])
    assert solution.positions(body.end).shape == (solution.n_steps, 2)
    assert np.array_equal(solution.positions(body.end)[0], (1.3, 0.1))
    shape = solution.shape(body, points=3)
    assert shape.shape == (8, 3, 2)
    assert np.allclose(shape[:, 0], solution.position(fx.Attachment(body, tuple(range(8)), "first")), atol=1e-14)
    assert np.allclose(shape[-1, -1], solution.position(body.end), atol=1e-14)


def test_bending_moments_balance_the_load(solution: fx.Solution) -> None:
    """M(s) = -F (x(end) - x(s)), negative: the beam bends clockwise; N is the component of F along the tangent."""
    body = solution.model.bodies[0]
    xi = np.array([-0.5, 0.0, 0.5])
    group = body.tabulate(solution.system.coordinates.node_dofs[0], 0)
    points = body.element.positions(group, solution.q[-1], xi)
    lever = solution.position(body.end)[0] - points[..., 0]
    assert np.allclose(solution.resultant(body, "M", xi=xi), -3.0 * lever, atol=2e-2)
    arm = solution.position(body.end)[0] - 0.3
    assert solution.reaction_moment(body.start) == pytest.approx(3.0 * arm, rel=1e-8)
    assert solution.reaction(body.start) == pytest.approx([0.0, 3.0], abs=1e-7)


def test_what_is_refused(solution: fx.Solution, line: Maker) -> None:
    body = solution.model.bodies[0]
    other = line(name="arm")
    space = line((0, 0, 0), (1, 0, 0), stiffness=THIN)
    beam = line(element=fx.elements.PlanarBeam())
    straight = fx.solve_static(fx.Model(beam, fx.Clamp(beam.start)))
    spatial = fx.solve_static(fx.Model(space, fx.Clamp(space.start)))
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: solution.position(body.end, 99), "no step 99"),
        (lambda: solution.position(body.end, -99), "no step -99"),
        (lambda: solution.resultant(body, "Q"), "no stress resultant named 'Q'"),
        (lambda: solution.resultant(body, ["N"]), "no stress resultant"),
        (lambda: solution.resultant(body, "N", xi=(0.0, 1.5)), "between -1 and 1"),
        (lambda: solution.resultant(body, "N", xi=(0.0, np.nan)), "finite"),
        (lambda: solution.resultant(body, "N", xi=0.0), "shape"),
        (lambda: solution.shape(body, points=0), "at least 1"),
        (lambda: solution.at_parameter(0.123456), "no equilibrium at parameter"),
        (lambda: solution.at_parameter("x"), "parameter must be a number"),
        (lambda: straight.slope(beam.end), "has no slopes"),
        (lambda: spatial.rotation(space.end), "node in space"),
        (lambda: solution.rotation(fx.Attachment(body, (0, 1), "two")), "expected one node"),
    ]
    calls += [
        (lambda ask=ask: ask(other.end), "not the one in this model")
        for ask in (solution.position, solution.displacement, solution.rotation, solution.reaction, solution.slope)
    ]
    calls += [(lambda s=s: solution.position(body.end, s), "step") for s in ("a", 1.5, None, True, [0])]
    calls.append((lambda: solution.resultant(other, "N"), "not the one in this model"))
    for call, message in calls:
        with pytest.raises(fx.ModelError, match=message):
            call()
    assert np.array_equal(solution.position(body.end, np.int64(-1)), solution.position(body.end))


def test_arrays_are_read_only_and_asking_changes_nothing(solution: fx.Solution) -> None:
    body = solution.model.bodies[0]
    for name in ("parameters", "q", "scales", "drives", "stable", "history"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(solution, name)[...] = 0
    before = solution.q.copy()
    first = solution.reaction(body.start)
    p = solution.position(body.end)
    p[:] = 7.0
    first[:] = 7.0
    solution.reaction(body.start, 0)
    solution.rotation(body.end)
    solution.strain_energy(0)
    assert np.array_equal(solution.q, before)
    assert solution.reaction(body.start) == pytest.approx([0.0, 3.0], abs=1e-7)


def test_one_system_serves_several_analyses(line: Maker) -> None:
    """A solution is not disturbed by another analysis of the same system."""
    body = line(stiffness=THIN)
    system = fx.compile_model(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -3.0))))
    first = fx.solve_static(system)
    reaction, energy, q = first.reaction(body.start), first.strain_energy(), first.q.copy()
    second = fx.solve_static(system, fx.StaticOptions(steps=3))
    fx.solve_modal(system, modes=2)
    assert np.array_equal(first.q, q)
    assert np.array_equal(first.reaction(body.start), reaction)
    assert first.strain_energy() == energy
    assert np.allclose(second.q[-1], q[-1], atol=1e-8)
    assert np.array_equal(fx.solve_static(system).q, q)  # bitwise: nothing is left in the system


def test_the_strain_energy_is_the_potential_of_the_internal_forces(solution: fx.Solution) -> None:
    from flexmbs.core.contracts import Env

    system = solution.system
    rng = np.random.default_rng(0)
    q = solution.q[-1] + 0.01 * rng.standard_normal(system.coordinates.n)
    p, h = rng.standard_normal(len(q)), 1e-5
    U = [system.strain_energy(q + k * h * p) for k in (-2, -1, 1, 2)]
    along = (8 * (U[2] - U[1]) - (U[3] - U[0])) / (12 * h)
    assert system.residual(q, Env(0.0, np.zeros(1))) @ p == pytest.approx(along, rel=1e-8)


def test_strain_energy_of_pure_bending_and_pure_tension(line: Maker) -> None:
    """M^2 L / 2 EI and N^2 L / 2 EA."""
    body = line(elements=16, stiffness=THIN)
    bent = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Moment(body.end, 2.0)))
    assert bent.strain_energy() == pytest.approx(2.0, rel=1e-5)
    pulled = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (500.0, 0.0))))
    assert pulled.strain_energy() == pytest.approx(500.0**2 / 2e6, rel=1e-9)
