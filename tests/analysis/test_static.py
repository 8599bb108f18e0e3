"""Static analysis: limits with closed forms, steps, failures that keep what was found, stability."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fx
from flexmbs.analysis import newton

Maker = Callable[..., fx.FlexibleBody]
THIN = fx.BeamStiffness(EA=1e6, EI_z=1.0, mass_per_length=1.0)


def cantilever(line: Maker, force: Any = (0.0, -1.0), **more: Any) -> fx.Model:
    body = line(stiffness=THIN)
    return fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, force, **more))


def end(solution: fx.StaticSolution, step: int = -1) -> np.ndarray:
    return solution.displacement(solution.model.bodies[0].end, step)[:2]


def test_small_loads_give_euler_bernoulli_and_the_error_is_of_third_order(line: Maker) -> None:
    """w = P L^3 / 3 EI and theta = P L^2 / 2 EI (1 - O(P^2)); u = -w^2 * 3/5 / L - O(P^4) for a stiff axis."""
    loads = np.array([1e-3, 1e-2, 1e-1])
    errors = []
    for P in loads:
        solution = fx.solve_static(cantilever(line, (0.0, -P)))
        u, w = end(solution)
        errors.append(abs(w + P / 3) / (P / 3))
        theta = solution.angle(solution.model.bodies[0].end, step=-1)
        assert theta == pytest.approx(-P / 2, rel=2 * P**2 + 1e-7)
        # Shortening of a curve: 1/2 integral of w'^2 with w' = P (x - x^2/2): P^2 / 15.
        assert u == pytest.approx(-(P**2) / 15, rel=2 * P**2 + 1e-3)
    assert errors[0] < 1e-6
    rate = np.log10(errors[2] / errors[1])
    assert rate == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("load", "exact"), [
    (lambda b: fx.PointForce(b.end, (0, -1e-4)), -1e-4 / 3), (lambda b: fx.Moment(b.end, -1e-4), -1e-4 / 2),
    (lambda b: fx.DistributedLoad(b, (0, -1e-4)), -1e-4 / 8), (lambda b: fx.Gravity((0, -1e-4)), -1e-4 / 8),
    (lambda b: fx.PointForce(b.end, (0, -1e-4), follower=True), -1e-4 / 3),
])  # fmt: skip
@pytest.mark.parametrize("element", [fx.elements.ANCFCable2D(), fx.elements.LinearBeam2D()])
def test_tip_deflections_of_the_linear_theory(line: Maker, load: Any, exact: float, element: Any) -> None:
    body = line(stiffness=THIN, element=element)
    if "Beam" in type(element).__name__ and exact == -1e-4 / 3:
        load = lambda b: fx.PointForce(b.end, (0, -1e-4))  # noqa: E731  # a follower needs a slope
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), load(body)))
    assert end(solution)[1] == pytest.approx(exact, rel=1e-6)


def test_tiny_displacements_of_linear_beams_keep_their_digits(line: Maker) -> None:
    body = line((100.0, 0.0), (101.0, 0.0), stiffness=THIN, element=fx.elements.LinearBeam2D())
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0, -1e-12))))
    assert end(solution)[1] == pytest.approx(-1e-12 / 3, rel=1e-9)


@pytest.mark.parametrize(("options", "met"), [
    (fx.StaticOptions(steps=4), [0, 0.25, 0.5, 0.75, 1]),
    (fx.StaticOptions(steps=1), [0, 1]),
    (fx.StaticOptions(steps=3, at=(1 / 3, 0.5)), [0, 1 / 3, 0.5, 2 / 3, 1]),
    (fx.StaticOptions(initial_step=1.0, at=(0.1, 0.2)), [0, 0.1, 0.2, 1]),
    (fx.StaticOptions(initial_step=1.0, at=(1 - 1e-15,)), [0, 1 - 1e-15]),
    (fx.StaticOptions(initial_step=1.0, at=(1e-12, 1.0)), [0, 1e-12, 1]),
])  # fmt: skip
def test_parameters_are_met(line: Maker, options: fx.StaticOptions, met: list[float]) -> None:
    solution = fx.solve_static(cantilever(line), options)
    for m in met:
        assert solution.parameters[solution.at_parameter(m)] == pytest.approx(m, abs=1e-13)
    assert np.all(np.diff(solution.parameters) > 0)
    assert solution.parameters[-1] == 1.0
    assert solution.status is fx.Status.DONE


def test_steps_grow_while_they_are_easy(line: Maker) -> None:
    solution = fx.solve_static(cantilever(line, (0.0, -1e-3)), fx.StaticOptions(initial_step=0.01))
    assert solution.parameters[1] == 0.01
    assert np.diff(solution.parameters)[1:4] == pytest.approx([0.02, 0.04, 0.08])


@pytest.mark.parametrize("count", [1, 3, 10])
def test_most_steps_is_a_limit(line: Maker, count: int) -> None:
    options = fx.StaticOptions(steps=50, max_steps=count)
    solution = fx.solve_static(cantilever(line), options, throw=False)
    assert solution.status is fx.Status.TOO_MANY_STEPS
    assert solution.n_steps == count + 1
    with pytest.raises(fx.ConvergenceError, match="max_steps") as caught:
        fx.solve_static(cantilever(line), options)
    assert caught.value.solution.n_steps == count + 1
    assert fx.solve_static(cantilever(line), fx.StaticOptions(steps=count, max_steps=count)).status is fx.Status.DONE


@pytest.mark.parametrize("angle", [0.0, 0.5, 2.0])
def test_no_load_moves_nothing(line: Maker, angle: float) -> None:
    body = line((0.3, 0.1), (0.3 + np.cos(angle), 0.1 + np.sin(angle)))
    for items in ((), (fx.PointForce(body.end, (0.0, 0.0)),), (fx.Gravity((0.0, 0.0)),)):
        solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), *items))
        assert np.abs(solution.q[-1] - solution.q[0]).max() < 1e-12
        assert solution.status is fx.Status.DONE


def test_without_unknowns_there_is_nothing_to_solve(line: Maker) -> None:
    body = line(elements=1, element=fx.elements.LinearBeam2D())
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.Clamp(body.end), fx.Gravity((0, -1))))
    assert np.array_equal(solution.q[-1], solution.q[0])
    assert solution.reaction(body.end, step=-1)[:2] == pytest.approx([0.0, 0.5])


def test_restart_equals_an_uninterrupted_analysis(line: Maker) -> None:
    body = line(stiffness=THIN)

    def model(low: float, high: float) -> fx.Model:
        force = fx.PointForce(body.end, (0.0, -8.0), history=fx.Table((0, 1), (low, high)))
        return fx.Model(body, fx.Clamp(body.start), force)

    whole = fx.solve_static(model(0.0, 1.0))
    half = fx.solve_static(model(0.0, 0.4))
    rest = fx.solve_static(model(0.4, 1.0), start=half)
    assert np.allclose(rest.q[0], half.q[-1], rtol=0, atol=1e-10)
    assert np.allclose(rest.q[-1], whole.q[-1], rtol=0, atol=1e-7)
    back = fx.solve_static(model(1.0, 0.0), start=whole)
    assert np.allclose(back.q[-1], whole.q[0], rtol=0, atol=1e-7)
    other = line(elements=4)
    with pytest.raises(fx.ModelError, match="start belongs to model"):
        fx.solve_static(fx.Model(other, fx.Clamp(other.start)), start=half)


def test_loads_that_act_from_the_start(line: Maker) -> None:
    body = line(stiffness=THIN)
    weight = fx.Gravity((0.0, -1.0), history=fx.Constant())
    model = fx.Model(body, fx.Clamp(body.start), weight, fx.PointForce(body.end, (0.0, 0.3)))
    solution = fx.solve_static(model)
    assert solution.parameters[0] == 0.0
    assert end(solution, 0)[1] == pytest.approx(-1 / 8, rel=2e-2)
    # In the linear theory the two deflections are -1/8 and 0.3/3.
    assert end(solution)[1] == pytest.approx(-1 / 8 + 0.1, rel=2e-2)


def test_too_large_a_load_from_the_start(line: Maker) -> None:
    """No equilibrium found at s = 0: the start comes back, or the exception carries it."""
    model = cantilever(line, (0.0, -1e9), history=fx.Constant())
    solution = fx.solve_static(model, throw=False)
    assert solution.status is fx.Status.NO_START
    assert solution.n_steps == 1
    with pytest.raises(fx.ConvergenceError, match="from the start") as caught:
        fx.solve_static(model)
    assert caught.value.solution.n_steps == 1


def arch(line: Maker, load: float, rise: float = 0.1) -> fx.Model:
    """Two bars, hinged together and to the ground; nearly rigid against bending, so they stay straight."""
    stiff = fx.BeamStiffness(EA=1e3, EI_z=1e3, mass_per_length=1.0)
    a, b = line((-1, 0), (0, rise), 2, stiffness=stiff, name="a"), line((0, rise), (1, 0), 2, stiffness=stiff, name="b")
    return fx.Model(a, b, fx.Pin(a.start), fx.Pin(b.end), fx.Hinge(a.end, b.start), fx.PointForce(a.end, (0.0, -load)))


def arch_force(height: float, rise: float = 0.1) -> float:
    """2 EA strain sin: the load at which the top is at this height (bars with a linear law in the length)."""
    long, now = np.hypot(1, rise), np.hypot(1, height)
    return 2e3 * (long - now) / long * height / now


def test_a_shallow_arch_keeps_everything_up_to_its_limit_point(line: Maker) -> None:
    """Equilibria follow the closed form up to the limit; a load beyond it snaps through, or fails with all kept."""
    heights = np.linspace(0.1, 0.0, 2001)
    limit = max(arch_force(h) for h in heights)
    solution = fx.solve_static(arch(line, 2 * limit), fx.StaticOptions(initial_step=0.05), throw=False)
    heights_found = [solution.position(solution.model.bodies[0].end, i)[1] for i in range(solution.n_steps)]
    for s, h in zip(solution.parameters, heights_found, strict=True):
        assert arch_force(h) == pytest.approx(2 * limit * s, abs=1e-4 * limit)
    before = [h for s, h in zip(solution.parameters, heights_found, strict=True) if 2 * s < 0.999]
    assert len(before) >= 4
    assert min(before) > 0.1 / np.sqrt(3) * 0.98  # the limit point of a shallow arch is at this height
    if solution.status is fx.Status.DONE:
        assert heights_found[-1] < -0.1
        assert solution.stable.all()
    else:
        assert solution.status is fx.Status.STEP_TOO_SMALL
        assert 2 * solution.parameters[-1] > 0.99


def test_a_failing_analysis_raises_with_all_equilibria(line: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load that cannot be carried beyond s = 0.5, by a kernel that refuses: the message says why."""
    body = line(stiffness=THIN)
    spring = fx.ElasticSupport(body.start, rotation=1e-1)
    model = fx.Model(body, fx.Pin(body.start), spring, fx.Moment(body.end, 0.62))  # angle 6.2 > half a turn at s = 1/2
    with pytest.raises(fx.ConvergenceError, match="half a turn") as caught:
        fx.solve_static(model)
    found = caught.value.solution
    assert found.status is fx.Status.STEP_TOO_SMALL
    assert 0.49 < found.parameters[-1] < 0.5001
    assert np.allclose(found.angle(body.start), 6.2 * found.parameters, rtol=1e-6, atol=1e-9)
    again = fx.solve_static(model, throw=False)
    assert np.array_equal(again.parameters, found.parameters)


def test_control_c_keeps_everything(line: Maker) -> None:
    def history(s: float) -> float:
        if s > 0.55:
            raise KeyboardInterrupt
        return s

    solution = fx.solve_static(cantilever(line, history=history), fx.StaticOptions(steps=10))
    assert solution.status is fx.Status.INTERRUPTED
    assert solution.parameters == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert end(solution)[1] == pytest.approx(end(fx.solve_static(cantilever(line, (0.0, -0.5))))[1], rel=1e-6)


def test_control_c_in_the_middle_of_an_iteration(line: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {"n": 0}
    original = newton._increment

    def counted(*arguments: Any) -> Any:
        calls["n"] += 1
        if calls["n"] == 8:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(newton, "_increment", counted)
    solution = fx.solve_static(cantilever(line), fx.StaticOptions(steps=10))
    assert solution.status is fx.Status.INTERRUPTED
    assert 1 <= solution.n_steps < 10
    assert np.isfinite(solution.q).all()


def test_structures_that_are_not_held_are_named(line: Maker) -> None:
    a, b = line(name="a"), line((1, 0), (2, 0), name="b")
    for items, words in [
        ([a], ["3 rigid motions are free", "body 'a' can move along x and move along y and turn"]),
        ([a, fx.Pin(a.start)], ["1 rigid motion is free", "turn"]),
        ([a, fx.Roller(a.start, (1, 0)), fx.Roller(a.end, (1, 0))], ["2 rigid motions", "move along y"]),
        ([a, fx.Roller(a.start, (0, 1)), fx.Roller(a.end, (0, 1))], ["1 rigid motion", "body 'a' can move along x."]),
        ([a, b, fx.Clamp(a.start)], ["3 rigid motions are free: body 'b'"]),
        ([a, b, fx.Clamp(a.start), fx.Hinge(a.end, b.start)], ["1 rigid motion is free: body 'b'"]),
    ]:
        with pytest.raises(fx.ModelError) as caught:
            fx.solve_static(fx.Model(*items, fx.PointForce(a.end, (0, -1))))
        assert all(word in str(caught.value) for word in words), str(caught.value)
    body = line((0, 0, 0), (1, 0, 0), stiffness=THIN)
    with pytest.raises(fx.ModelError, match=r"1 rigid motion is free: body 'b' can .*turn about y"):
        fx.solve_static(fx.Model(body, fx.Pin(body.start), fx.Roller(body.end, (0, 1, 0))))
    fx.solve_static(fx.Model(body, fx.Pin(body.start), fx.Roller(body.end, (0, 1, 0)), fx.Roller(body.end, (0, 0, 1))))


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.1])
@pytest.mark.parametrize("count", [2, 5])
def test_mechanisms_are_named_in_every_direction(line: Maker, angle: float, count: int) -> None:
    """A chain between two pins; without tension it has count - 1 motions."""
    d = np.array([np.cos(angle), np.sin(angle)])
    links = [line(i * d, (i + 1) * d, 2, name=f"link {i}") for i in range(count)]
    joints = [fx.Hinge(a.end, b.start) for a, b in pairwise(links)]
    ends = [fx.Pin(links[0].start), fx.Pin(links[-1].end)]
    with pytest.raises(fx.ModelError, match=f"{count - 1} rigid motions? (is|are) free.*link 0.*link 1"):
        fx.solve_static(fx.Model(*links, *joints, *ends, fx.Gravity((0.0, -1e-3))))


@pytest.mark.parametrize("factor", [0.5, 0.98, 1.02, 1.3, 2.5])
def test_a_perfect_column_is_unstable_above_the_euler_load_only(line: Maker, factor: float) -> None:
    """P = pi^2 EI / L^2 for pinned ends."""
    body = line(stiffness=THIN)
    model = fx.Model(
        body, fx.Pin(body.start), fx.Roller(body.end, (0, 1)), fx.PointForce(body.end, (-factor * np.pi**2, 0))
    )
    if factor < 1.0:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            solution = fx.solve_static(model)
        assert solution.stable.all()
    else:
        with pytest.warns(RuntimeWarning, match="unstable from load factor"):
            solution = fx.solve_static(model)
        first = solution.parameters[int(np.argmin(solution.stable))]
        assert 1 / factor * (1 - 1e-4) < first < min(1.0, 1.35 / factor)
        assert np.array_equal(solution.stable, solution.parameters < first)
    assert solution.status is fx.Status.DONE
    assert np.abs(solution.q[:, solution.system.coordinates.node_dofs[0][:, 1]]).max() < 1e-9  # still straight
    quiet = fx.solve_static(model, fx.StaticOptions(check_stability=False))
    assert quiet.stable.all()


def test_an_unstable_start_is_reported_not_refused(line: Maker) -> None:
    body = line(stiffness=THIN)
    force = fx.PointForce(body.end, (-1.5 * np.pi**2, 0), history=fx.Constant())
    with pytest.warns(RuntimeWarning, match="unstable from load factor 0 on"):
        solution = fx.solve_static(fx.Model(body, fx.Pin(body.start), fx.Roller(body.end, (0, 1)), force))
    assert not solution.stable.any()


def test_the_stability_of_a_wide_structure_is_told_by_the_sparse_solver() -> None:
    """Columns side by side, coupled so that no narrow band exists: CHOLMOD's verdict is that of the band solver."""
    element, count = fx.elements.ANCFCable2D(), 30
    columns = [
        fx.FlexibleBody.line((i, 0), (i, 1), elements=6, element=element, stiffness=THIN, name=f"c{i}")
        for i in range(count)
    ]
    beams = [
        fx.FlexibleBody.line((i, 1), (j, 1), elements=4, element=element, stiffness=THIN, name=f"b{i}-{j}")
        for i in range(count) for j in range(i + 1, count) if (i * 7 + j * 3) % 5 == 0
    ]  # fmt: skip
    joints = [
        fx.Hinge(columns[int(b.mesh.points[k, 0])].end, (b.start, b.end)[k and 1]) for b in beams for k in (0, -1)
    ]
    held = [fx.Pin(c.start) for c in columns] + [fx.Roller(c.end, (1, 0)) for c in columns]
    for factor in (0.8, 1.3):
        loads = [fx.PointForce(c.end, (0, -factor * np.pi**2)) for c in columns]
        system = fx.compile_model(fx.Model(*columns, *beams, *joints, *held, *loads))
        assert system.workspace().solver.name == "CHOLMOD"
        if factor < 1:
            assert fx.solve_static(system).stable.all()
        else:
            with pytest.warns(RuntimeWarning, match="unstable"):
                fx.solve_static(system)


def test_work_of_a_dead_load_is_the_strain_energy(line: Maker) -> None:
    """Integral of F . du over the steps by the trapezoidal rule, of second order, against the energy stored."""
    errors = []
    for steps in (20, 40):
        solution = fx.solve_static(cantilever(line, (0.0, -6.0)), fx.StaticOptions(steps=steps))
        w = np.array([end(solution, i)[1] for i in range(solution.n_steps)])
        work = np.trapezoid(-6.0 * solution.parameters, w)
        errors.append(abs(work - solution.strain_energy(step=-1)) / solution.strain_energy(step=-1))
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_prescribed_displacement_does_the_work_of_its_reaction(line: Maker) -> None:
    """dU / du = reaction, by central differences between equilibria."""
    body = line(stiffness=THIN)
    model = fx.Model(body, fx.Clamp(body.start), fx.Prescribe(body.end, (None, -0.5)))
    h = 1e-3
    solution = fx.solve_static(model, fx.StaticOptions(at=(0.8 - h, 0.8, 0.8 + h)))
    low, mid, high = (solution.at_parameter(s) for s in (0.8 - h, 0.8, 0.8 + h))
    slope = (solution.strain_energy(high) - solution.strain_energy(low)) / (2 * h * -0.5)
    assert slope == pytest.approx(solution.reaction(body.end, mid)[1], rel=1e-5)


def test_large_deflection_against_the_elastica(line: Maker) -> None:
    """Clamped, dead force P across at the end: shooting on theta'' = -P cos(theta) with a Taylor-free integrator."""
    from scipy.integrate import solve_ivp

    P = 5.0

    def shot(curvature: float) -> Any:
        def rhs(s: float, y: np.ndarray) -> list[float]:
            return [y[1], P * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(rhs, (0, 1), [0.0, curvature, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]

    k = brentq(lambda c: shot(c)[1], -P, 0.0)
    _, _, x, y = shot(k)
    body = line(elements=16, stiffness=THIN)
    solution = fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (0.0, -P))))
    assert solution.position(body.end, step=-1)[:2] == pytest.approx([x, y], abs=2e-5)


def test_the_accuracy_estimate_warns_only_where_digits_are_lost(line: Maker) -> None:
    """Also after a full turn that ends where it began, the displacements of the path are the measure."""
    body = line(elements=8, stiffness=THIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = fx.solve_static(fx.Model(body, fx.Pin(body.start), fx.Prescribe(body.start, rotation=2 * np.pi)))
    assert solution.accuracy < 1e-6


def test_the_accuracy_estimate_is_of_the_size_of_the_error(line: Maker) -> None:
    """An inclined cantilever, whose tip with 100 elements is right to 1e-10; round-off grows with the elements."""

    def solved(elements: int) -> fx.StaticSolution:
        body = line((0.3, 0.2), (1.1, 0.8), elements=elements, stiffness=THIN)
        return fx.solve_static(fx.Model(body, fx.Clamp(body.start), fx.PointForce(body.end, (6e-4, -8e-4))))

    exact = end(solved(100))
    for elements in (500, 1000, 2000):
        fine = solved(elements)
        assert np.linalg.norm(end(fine) - exact) < 20 * fine.accuracy * np.linalg.norm(exact) < 1e-6
    with pytest.warns(fx.AccuracyWarning, match="relative accuracy"):
        fine = solved(30_000)
    assert np.linalg.norm(end(fine) - exact) < 20 * fine.accuracy * np.linalg.norm(exact)


@pytest.mark.parametrize(("call", "message"), [
    (lambda m: fx.solve_static(None), "expected a Model"), (lambda m: fx.solve_static(m, {}), "options must be"),
    (lambda m: fx.solve_static(m, start=m), "start must be a StaticSolution"),
    (lambda m: fx.solve_static(m, fx.StaticOptions), "options must be"),
])  # fmt: skip
def test_bad_calls(line: Maker, call: Any, message: str) -> None:
    with pytest.raises(fx.ModelError, match=message):
        call(cantilever(line))


def test_friction_of_contacts_is_none_at_rest_and_that_is_told() -> None:
    """A ball that hangs on a spring beside an inclined plane lies as it would on a smooth one."""

    def resting(friction: Any) -> fx.StaticSolution:
        ball = fx.RigidBody.sphere(radius=0.1, mass=1.0, position=(0.0, 0.0, 0.099), name="ball")
        floor = fx.contact.Plane(fx.ground.marker((0, 0, 0), axis=(0.3, 0, 1)))
        law = fx.contact.HuntCrossleyLaw(stiffness=1e5)
        touch = fx.Contact(
            (floor, fx.contact.Sphere(ball, radius=0.1)), law, friction, allow_overlap=True, name="touch"
        )
        held = fx.Bushing(fx.ground.marker((0, 0, 0.099)), ball.centre, (100.0,) * 3 + (1.0,) * 3)
        return fx.solve_static(fx.Model(ball, touch, held, fx.Gravity((0, 0, -9.81))))

    smooth = resting(None)
    with pytest.warns(fx.AccuracyWarning, match="friction of contact 'touch' is a function of the slip"):
        rough = resting(fx.contact.CoulombLaw(0.5, speed=1e-3))
    assert np.allclose(rough.q, smooth.q, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("kind", "torque"), [("joint", 0.02), ("constant", 0.02), ("constant", 0.2)])
def test_a_nut_that_turns_many_times_against_a_spring(kind: str, torque: float) -> None:
    """6 turns under a load that acts at once: T 2 pi / pitch = k x. Of 63 it is said that they take long, no more."""
    pitch, stiffness = 0.01, 200.0
    nut = fx.RigidBody(0.5, (0.002, 0.002, 0.002), position=(0, 0, 0), name="nut")
    screw = fx.ScrewJoint(fx.ground, nut, pitch=pitch, at=(0, 0, 0), axis=(0, 0, 1), name="screw")
    spring = fx.Bushing(fx.ground.marker((0, 0, 0)), nut.marker((0, 0, 0)), stiffness=(0, 0, stiffness), name="spring")
    load = fx.Moment(nut.marker((0, 0, 0)), (0, 0, torque), history=fx.Constant())
    if kind == "joint":
        load = fx.JointForce(screw, torque, coordinate="angle")
    model = fx.Model(nut, screw, spring, load)
    if torque > 0.1:
        with pytest.raises(fx.ConvergenceError, match=r"Let them grow.*still moves towards an equilibrium"):
            fx.solve_static(model)
        return
    found = fx.solve_static(model)
    way = 2 * np.pi * torque / pitch / stiffness
    assert found.translation(screw, step=-1) == pytest.approx(way, rel=1e-8)
    assert found.angle(screw, step=-1) == pytest.approx(2 * np.pi * way / pitch, rel=1e-8)
