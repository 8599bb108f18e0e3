"""The matrix of the corrector: grouped differences, recombination, excitations, against exact derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs.core.contracts import FloatArray
from flexmbs.dynamics.evaluation import Dynamics
from flexmbs.integrators import excitations
from flexmbs.integrators.column_groups import column_groups
from flexmbs.integrators.iteration_matrix import CorrectorOptions, IterationMatrix


def chain(links: int) -> fx.Model:
    """Bars in a row, with a spring by a Python law in the middle and drag by a Python function at the end."""
    bars = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=1.0, name=f"bar {i}") for i in range(links)]
    sides = [fx.ground, *bars]
    hinges = [fx.RevoluteJoint(sides[i], sides[i + 1], at=(i, 0), name=f"hinge {i}") for i in range(links)]
    tip = bars[-1].marker_at((links, 0))

    def drag(p: FloatArray, R: FloatArray, twist: FloatArray, t: float) -> FloatArray:
        return np.array([[*(-0.3 * np.abs(twist[0, :3]) * twist[0, :3]), 0.0, 0.0, 0.0]])

    law = fx.JointForce(hinges[links // 2], lambda s, rate, t: -3.0 * s**3 - 0.2 * rate, name="law")
    return fx.Model(*bars, *hinges, law, fx.UserForce([tip], drag, name="drag"), fx.Gravity((0.0, -9.81)))


def spatial() -> fx.Model:
    bodies = [
        fx.RigidBody(1.0 + i, (0.2, 0.3, 0.4), position=(i + 0.5, 0.1 * i, 0.0), angular_velocity=(0.3, -0.5, i),
                     name=f"body {i}")
        for i in range(3)
    ]  # fmt: skip
    sides = [fx.ground, *bodies]
    return fx.Model(
        *bodies,
        fx.RevoluteJoint(sides[0], sides[1], at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2), name="hinge"),
        fx.SphericalJoint(sides[1], sides[2], at=(1.0, 0.0, 0.0), name="ball 1"),
        fx.SphericalJoint(sides[2], sides[3], at=(2.0, 0.1, 0.0), name="ball 2"),
        fx.SpringDamper(
            bodies[2].centre, fx.ground.marker_at((3.0, 3.0, 1.0)), stiffness=80.0, damping=3.0, name="spring"
        ),
        fx.Gravity((0.0, 0.0, -9.81)),
    )


def crank(model_of_motion: Any) -> fx.Model:
    """Crank, coupler and rocker; the crank follows a motion."""
    points = ((0.0, 0.0), (1.0, 0.0), (2.6875, 2.480329), (3.0, 0.0))
    bars = [fx.PlanarRigidBody.rod(points[i], points[i + 1], mass=1.0, name=f"bar {i}") for i in range(3)]
    ring = [fx.ground, *bars, fx.ground]
    hinges = [fx.RevoluteJoint(ring[i], ring[i + 1], at=points[i], name=f"hinge {i}") for i in range(4)]
    return fx.Model(*bars, *hinges, fx.RotationDriver(hinges[0], model_of_motion, name="motor"))


def cable() -> fx.Model:
    """Clamped in an inclined direction: the slope has a frame of its own there."""
    stiffness = fx.BeamStiffness(EA=1e3, EI_z=1.0, mass_per_length=1.0)
    body = fx.FlexibleBody.line((0, 0), (1, 0.5), elements=5, element=fx.elements.ANCFCable2D(), stiffness=stiffness,
                                name="cable")  # fmt: skip
    ball = fx.PointMass(0.5, position=(1.5, 0.5), name="ball")
    rod = fx.DistanceConstraint(body.end, ball.centre, name="rod")
    return fx.Model(body, ball, rod, fx.Clamp(body.start), fx.Gravity((0.0, -9.81)))


class At:
    """A matrix evaluated at a random state, and what it makes of a right side."""

    def __init__(self, model: fx.Model, seed: int = 0) -> None:
        self.dyn = dyn = Dynamics(fx.compile_model(model))
        random = np.random.default_rng(seed)
        dyn.set_time(0.2)
        q = dyn.coordinates.reference.copy()
        q[: dyn.n_linear] += 0.1 * random.standard_normal(dyn.n_linear)
        poses = q[dyn.n_linear :].reshape(-1, 7)
        poses[:, 3:] += 0.3 * random.standard_normal(poses[:, 3:].shape)
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1)[:, None]
        self.state = (
            q, random.standard_normal(dyn.n_v), random.standard_normal(dyn.n_v), random.standard_normal(dyn.n_c),
        )  # fmt: skip
        self.T = np.eye(3) + 0.1 * random.standard_normal(dyn.T.shape)
        self.right = random.standard_normal(dyn.n_v + dyn.n_c)

    def matrix(self, alpha: float, **options: Any) -> IterationMatrix:
        found = IterationMatrix(self.dyn, CorrectorOptions(**({"reuse": True, "alpha_update": True} | options)), 1)
        self.dyn.set_time(0.2)
        self.dyn.T[:] = self.T
        found.evaluate(0.2, *self.state, alpha)
        return found

    def solution(self) -> FloatArray:
        self.dyn.r[:] = self.right
        return self.dyn.solve(1.0, 1.0, 1.0).copy()


@pytest.mark.parametrize(
    "model",
    [chain(12), spatial(), crank(fx.motions.Linear(1.0)), cable()],
    ids=["chain", "space", "crank", "cable"],
)
@pytest.mark.parametrize("alpha_update", [False, True])
def test_grouped_differences_are_the_exact_derivatives(model: fx.Model, alpha_update: bool) -> None:
    at = At(model)
    at.matrix(30.0, alpha_update=alpha_update)
    residual, exact = at.dyn.r.copy(), at.solution()
    for jacobian in ("grouped", "columns", "first_order"):
        at.matrix(30.0, jacobian=jacobian, alpha_update=alpha_update)
        np.testing.assert_allclose(at.dyn.r, residual, rtol=0.0, atol=1e-14 * np.abs(residual).max())
        np.testing.assert_allclose(at.solution(), exact, rtol=0.0, atol=1e-5 * np.abs(exact).max())


def test_differences_leave_nothing_in_the_blocks() -> None:
    """The blocks belong to the system: exact derivatives after differences are as without them."""
    at = At(spatial())
    at.matrix(30.0)
    before = at.dyn.B.copy()
    at.matrix(30.0, jacobian="grouped")
    at.matrix(30.0)
    np.testing.assert_array_equal(at.dyn.B, before)


@pytest.mark.parametrize("jacobian", ["exact", "grouped", "first_order"])
@pytest.mark.parametrize("model", [chain(6), spatial()], ids=["chain", "space"])
def test_combined_is_evaluated(model: fx.Model, jacobian: str) -> None:
    at = At(model)
    fresh = at.matrix(80.0, jacobian=jacobian)
    wanted = at.solution()
    old = at.matrix(20.0, jacobian=jacobian)
    evaluations = at.dyn.evaluations
    old.combine(80.0, 0.2)
    assert at.dyn.evaluations == evaluations
    tolerance = 1e-12 if jacobian == "exact" else 1e-5
    np.testing.assert_allclose(at.solution(), wanted, rtol=0.0, atol=tolerance * np.abs(wanted).max())
    assert fresh.counts["combinations"] == 0
    assert old.counts["combinations"] == 1


def test_restored_is_the_same_matrix() -> None:
    at = At(spatial())
    one = at.matrix(20.0)
    one.combine(33.0, 0.2)
    wanted = at.solution()
    other = IterationMatrix(at.dyn, CorrectorOptions(reuse=True, alpha_update=True), 1)
    assert other.restore(one.point.copy())
    np.testing.assert_array_equal(at.solution(), wanted)
    assert not other.restore(np.empty(0))


def test_apart_costs_what_forces_on_velocities_cost() -> None:
    """Two halves cost one residual more than the sum where no force depends on velocities; else a few columns more."""
    bars = [fx.PlanarRigidBody.rod((i, 0), (i + 1, 0), mass=1.0, name=f"bar {i}") for i in range(12)]
    sides = [fx.ground, *bars]
    hinges = [fx.RevoluteJoint(sides[i], sides[i + 1], at=(i, 0), name=f"hinge {i}") for i in range(12)]

    def cost(model: fx.Model, split: bool, jacobian: str) -> int:
        return At(model).matrix(30.0, jacobian=jacobian, alpha_update=split).counts["difference_residuals"]

    for jacobian in ("grouped", "columns"):
        free = fx.Model(*bars, *hinges)
        assert cost(free, True, jacobian) == cost(free, False, jacobian) + 1
        damper = fx.TorsionSpring(hinges[4], stiffness=0.0, damping=1.0, name="damper")
        damped = fx.Model(*bars, *hinges, damper)
        reached = 12  # coordinates of two bodies that turn and of their two neighbours
        assert cost(free, True, jacobian) < cost(damped, True, jacobian) <= cost(free, True, jacobian) + reached
    n_v, n = 36, 36 + 24
    assert cost(free, True, "first_order") == cost(free, False, "first_order") == n + n_v + 2  # and twice at the state


def test_excitations_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its derivatives by u, u' and u'' the matrix of a driven mechanism is right to second order in their changes.

    The mechanism has no freedom of its own: positions, velocities, accelerations and multipliers are those of the
    motor, and all of them change. For want of freedom u'' does not matter for the convergence there, and would be left
    out; here it is not.
    """
    monkeypatch.setattr(excitations, "NEGLIGIBLE", -1.0)
    dyn = Dynamics(fx.compile_model(crank(fx.motions.Sine(0.4, frequency=0.5, phase=0.4))))
    from flexmbs.dynamics.consistent_state import accelerations, assemble

    zero, alpha = np.zeros(dyn.n_v), 10.0
    right = np.random.default_rng(1).standard_normal(dyn.n_v + dyn.n_c)

    def at(t: float, wanted: bool) -> IterationMatrix:
        dyn.start_turns(0.0)
        found = assemble(dyn, t, dyn.coordinates.reference.copy(), zero)
        a, lam = accelerations(dyn, t, found.q, found.v)
        dyn.compliance(False)
        matrix = IterationMatrix(dyn, CorrectorOptions(reuse=True, alpha_update=True, excitation_update=wanted), 1)
        dyn.set_time(t)
        dyn.T[:] = np.eye(3)
        for _ in range(2):  # derivatives are formed with the second matrix
            matrix.evaluate(t, found.q, found.v, a, lam, alpha)
        return matrix

    def solution() -> FloatArray:
        dyn.r[:] = right
        return dyn.solve(1.0, 1.0, 1.0).copy()

    errors, kept = [], []
    for change in (0.02, 0.01):
        at(change, False)
        wanted = solution()
        old = at(0.0, True)
        assert old.counts["excitations"] == 3
        kept.append(np.abs(solution() - wanted).max())
        old.combine(alpha, change)
        errors.append(np.abs(solution() - wanted).max())
    assert np.log2(kept[0] / kept[1]) == pytest.approx(1.0, abs=0.1)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def shaken(links: int, aslant: float = 0.02) -> fx.Model:
    """Bars with a mass below, a little aslant, under a support that is shaken by a part of gravity."""
    g, pi = 9.81, np.pi
    along = np.array([np.sin(aslant), -np.cos(aslant)])
    ends = [tuple(i * along) for i in range(links + 1)]
    bars = [
        fx.PlanarRigidBody.rod(ends[i], ends[i + 1], mass=100.0 if i == links - 1 else 1.0, name=f"bar {i}")
        for i in range(links)
    ]
    support = fx.PlanarRigidBody(1.0, 0.1, position=(0.0, 0.0), name="support")
    guide = fx.PrismaticJoint(fx.ground, support, at=(0.0, 0.0), axis=(0.0, 1.0), name="guide")
    shaker = fx.TranslationDriver(guide, fx.motions.Sine(0.8 * g / pi**2, frequency=0.5), name="shaker")
    sides = [support, *bars]
    hinges = [fx.RevoluteJoint(sides[i], sides[i + 1], at=ends[i], name=f"hinge {i}") for i in range(links)]
    still = fx.ground.marker_at((0.0, 0.0))
    drag = [fx.TorsionSpring((still, b.centre), stiffness=0.0, damping=30.0, name=f"drag of {b.name}") for b in bars]
    return fx.Model(support, guide, shaker, *bars, *hinges, *drag, fx.Gravity((0.0, -g)))


@pytest.mark.parametrize("jacobian", ["exact", "grouped"])
def test_acceleration_of_a_support_is_followed(jacobian: str) -> None:
    """A chain that hangs plumb is as stiff as g + u'' makes it, through its multipliers, and moves with the support."""
    from flexmbs.dynamics.consistent_state import accelerations, assemble

    dyn = Dynamics(fx.compile_model(shaken(6, aslant=0.0)))
    zero, alpha, later = np.zeros(dyn.n_v), 10.0, 0.3  # u'' = -6.3 m/s^2
    right = np.random.default_rng(1).standard_normal(dyn.n_v + dyn.n_c)

    def at(t: float) -> IterationMatrix:
        dyn.start_turns(0.0)
        found = assemble(dyn, t, dyn.coordinates.reference.copy(), zero)
        v = zero.copy()  # all bodies move as the support does
        v[1 : 3 * 7 : 3] = dyn.motion[[i for i, _ in dyn.prescribed.moving], 1]
        q = dyn.coordinates.reference.copy()
        q[1 : 3 * 7 : 3] += dyn.motion[[i for i, _ in dyn.prescribed.moving], 0]
        np.testing.assert_allclose(found.q[:3], q[:3], atol=1e-9)
        dyn.start_turns(0.0)
        a, lam = accelerations(dyn, t, q, v)
        matrix = IterationMatrix(
            dyn, CorrectorOptions(reuse=True, alpha_update=True, excitation_update=True, jacobian=jacobian), 1
        )
        dyn.set_time(t)
        for _ in range(2):
            matrix.evaluate(t, q, v, a, lam, alpha)
        return matrix

    def solution() -> FloatArray:
        dyn.r[:] = right
        return dyn.solve(1.0, 1.0, 1.0).copy()

    at(later)
    wanted = solution()
    old = at(0.0)
    kept = np.abs(solution() - wanted).max()
    old.combine(alpha, later)
    assert np.abs(solution() - wanted).max() < 1e-4 * kept
    assert kept > 0.01 * np.abs(wanted).max()


@pytest.mark.parametrize("jacobian", ["exact", "grouped"])
def test_runs_that_follow_excitations_go_on_bitwise(jacobian: str) -> None:
    model = shaken(8, aslant=0.1)
    scheme = fx.BDF(
        corrector=CorrectorOptions(reuse=True, alpha_update=True, excitation_update=True, jacobian=jacobian)
    )
    step = fx.ErrorControl(rtol=1e-5)
    whole = fx.simulate(model, 8.0, step=step, integrator=scheme)
    limited = fx.ErrorControl(rtol=1e-5, max_steps=3 * len(whole.steps) // 4)
    with pytest.raises(fx.ConvergenceError) as stopped:
        fx.simulate(model, 8.0, step=limited, integrator=scheme)
    first = stopped.value.solution
    assert first.status is fx.Status.TOO_MANY_STEPS
    rest = fx.simulate(first.model, 8.0, step=step, integrator=scheme, start=first)
    assert whole.counts["excitations"] == first.counts["excitations"] == 3
    assert rest.counts["excitations"] > 0  # they are formed again, as they were
    n = len(rest.t)
    assert 10 < n < len(whole.t)
    np.testing.assert_array_equal(rest.t, whole.t[-n:])
    np.testing.assert_array_equal(rest.q, whole.q[-n:])
    np.testing.assert_array_equal(rest.lam, whole.lam[-n:])


def test_economies_save_evaluations() -> None:
    """In a small motion, step after step: fewer matrices with each, the same motion, and counters of all of it."""
    system, ends, matrices = fx.compile_model(shaken(8)), [], []
    for alpha, excitation in ((False, False), (True, False), (True, True)):
        options = CorrectorOptions(jacobian="grouped", reuse=True, alpha_update=alpha, excitation_update=excitation)
        run = fx.simulate(system, 12.0, step=fx.ErrorControl(rtol=1e-5), integrator=fx.BDF(corrector=options))
        ends.append(run.q[-1])
        counts = run.counts
        matrices.append(counts["matrices"])
        assert counts["difference_residuals"] >= counts["matrices"] * counts["groups"]
        assert counts["tangents"] == 0
        assert (counts["combinations"] > 0) == alpha
        assert (counts["excitations"] > 0) == excitation
    assert matrices[1] < 0.7 * matrices[0]
    assert matrices[2] < 0.5 * matrices[0]
    np.testing.assert_allclose(ends[1], ends[0], atol=2e-3)
    np.testing.assert_allclose(ends[2], ends[0], atol=2e-3)


def test_groups_share_no_row() -> None:
    random = np.random.default_rng(5)
    rows, cols = random.integers(0, 40, 120), random.integers(0, 40, 120)
    rows, cols = np.append(rows, np.arange(40)), np.append(cols, np.arange(40))
    group = column_groups(rows, cols, 40)
    pattern = np.zeros((40, 40), dtype=bool)
    pattern[rows, cols] = True
    for g in range(group.max() + 1):
        assert pattern[:, group == g].sum(axis=1).max() <= 1


def test_groups_of_a_chain_do_not_grow_with_it() -> None:
    groups = [IterationMatrix(Dynamics(fx.compile_model(chain(n))), CorrectorOptions(jacobian="grouped"), 1).groups
              for n in (10, 20, 40)]  # fmt: skip
    widest = 12  # coordinates of two bodies, reactions of both joints and of the next: what one row of a bar may hold
    assert max(groups) <= widest
    assert groups[2] <= groups[0] + 1


@pytest.mark.parametrize("jacobian", ["exact", "grouped"])
def test_all_switches_give_the_same_motion(jacobian: str) -> None:
    system = fx.compile_model(chain(5))
    ends = []
    for reuse, alpha in ((False, False), (True, False), (True, True)):
        scheme = fx.BDF(corrector=CorrectorOptions(jacobian=jacobian, reuse=reuse, alpha_update=alpha))
        run = fx.simulate(system, 0.5, step=fx.ErrorControl(rtol=1e-7), integrator=scheme)
        ends.append(run.q[-1])
        if reuse:
            made = run.counts["tangents"] + run.counts["difference_residuals"] / max(run.counts["groups"], 1)
            assert made <= 2.5 * len(run.steps)
            assert run.counts["factorisations"] < len(run.steps)
    np.testing.assert_allclose(ends[1], ends[0], atol=2e-5)
    np.testing.assert_allclose(ends[2], ends[0], atol=2e-5)


def test_bad_settings() -> None:
    with pytest.raises(fx.ModelError, match="jacobian must be one of"):
        CorrectorOptions(jacobian="numeric")
    with pytest.raises(fx.ModelError, match="reuse"):
        CorrectorOptions(reuse="yes")  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="max_iterations"):
        CorrectorOptions(max_iterations=1)
    for slow in (0.0, 1.0, np.nan, "fast"):
        with pytest.raises(fx.ModelError, match="slow"):
            CorrectorOptions(slow=slow)  # type: ignore[arg-type]
    with pytest.raises(fx.ModelError, match="excitation_update needs alpha_update"):
        CorrectorOptions(reuse=True, excitation_update=True)
    with pytest.raises(fx.ModelError, match="excitation_update"):
        CorrectorOptions(alpha_update=True, excitation_update=1)  # type: ignore[arg-type]
