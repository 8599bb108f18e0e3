"""Loops with redundant constraints: every scheme and every way to keep constraints makes the same motion.

All have one freedom, so that closed constraints and the energy of the start determine the motion: both are asked for,
and the agreement with the other schemes.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import flexmbs as fx
from tests.models.overconstrained import LOOPS, bricard

UNTIL = 0.25
KEPT = {
    "successive": fx.integrators.SuccessiveProjection(), "standard": fx.integrators.StandardProjection(),
    "Ascher": fx.integrators.AscherProjection(),
    "null space": fx.integrators.NullSpace(), "partitioning": fx.integrators.CoordinatePartitioning(),
}  # fmt: skip


@cache
def reference(name: str) -> fx.TimeSolution:
    """Radau of order 5, whose step is implicit and ends on the constraints, in small steps."""
    return fx.simulate(LOOPS[name][0](), UNTIL, step=1e-3, integrator=fx.RadauIIA(), progress=False)


def apart(run: fx.TimeSolution, name: str) -> float:
    return float(np.abs(run.q[-1] - reference(name).q[-1]).max())


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("order", [2, 4, 5])
def test_explicit_steps_have_their_order_whatever_keeps_the_constraints(name: str, kept: str, order: int) -> None:
    """Local errors (h w)^(p+1) over factorials of motions with w of some 10/s, in 50 and 100 steps."""
    scheme = fx.RungeKutta(order=order, constraints=KEPT[kept])
    runs = [fx.simulate(LOOPS[name][0](), UNTIL, step=h, integrator=scheme, progress=False) for h in (5e-3, 2.5e-3)]
    assert len(runs[0].redundant) == LOOPS[name][1]
    assert [len(run.steps) for run in runs] == [50, 100]  # none was divided
    errors = [apart(run, name) for run in runs]
    assert errors[1] < {2: 2e-3, 4: 1e-7, 5: 1e-8}[order]
    assert errors[1] < 0.6 * errors[0] / 2 ** (order - 1) or errors[1] < 1e-10
    scale = runs[1].energy.kinetic.max()
    assert np.abs(runs[1].energy.balance).max() < {2: 1e-2, 4: 1e-6, 5: 1e-7}[order] * scale
    assert runs[1].residuals[:, 0].max() < 1e-11
    assert runs[1].residuals[:, 2].max() < 1e-8 * np.abs(runs[1].a).max()


@pytest.mark.parametrize("name", LOOPS)
def test_feedback_moves_them_the_same(name: str) -> None:
    scheme = fx.RungeKutta(order=5, constraints=fx.integrators.Baumgarte(time_constant=0.02))
    run = fx.simulate(LOOPS[name][0](), UNTIL, step=1e-3, integrator=scheme, progress=False)
    assert apart(run, name) < 1e-6


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize(
    "scheme", [fx.GeneralizedAlpha(), fx.BDF(), fx.AugmentedLagrangian(), fx.EnergyMomentum()], ids=repr
)
def test_implicit_schemes_move_them_the_same(name: str, scheme: object) -> None:
    """Second order (BDF by its own control of the order): errors fall by four with half the step."""
    errors = []
    for h in (4e-3, 2e-3):
        errors.append(apart(fx.simulate(LOOPS[name][0](), UNTIL, step=h, integrator=scheme, progress=False), name))
    assert errors[1] < 1e-4
    assert errors[1] < 0.3 * errors[0] or errors[1] < 1e-8


PLACES = {
    0.5: (0.9681539102, -1.225035313, 0.749644241), 1.0: (0.5086653194, -1.649826863, 0.1390356611),
    2.0: (-0.9698918337, -1.219455697, 0.7564639021), 3.0: (-0.9663414444, -1.230660738, 0.7427370745),
    5.0: (0.9999999831, -1.000183836, 0.9998161467), 10.0: (0.9999997295, -1.00073521, 0.9992645192),
}  # fmt: skip
"""Third joint of the Bricard loop [m] at some times [s], +- 1.5e-9: acceleration equations with the pseudo-inverse and
projection, by another program, for the benchmark of M. Gonzalez et al., Multibody Syst. Dyn. 16 (2006) 143-152."""


@pytest.mark.parametrize("order", [4, 5])
@pytest.mark.parametrize("kept", ["successive", "null space"])
def test_error_control_keeps_ten_times_its_tolerance(order: int, kept: str) -> None:
    """The size of the model is about 2 m."""
    model = bricard()
    rtol = 1e-8
    run = fx.simulate(
        model, 10.0, step=fx.ErrorControl(rtol), integrator=fx.RungeKutta(order=order, constraints=KEPT[kept]),
        output=fx.Output(at=tuple(PLACES)), progress=False,
    )  # fmt: skip
    found = run.position(model.bodies[2].marker_at((1, -1, 1)))[1:]
    assert np.abs(found - np.array(list(PLACES.values()))).max() < 10.0 * 2.0 * rtol


def test_a_loop_of_trees_is_as_exact() -> None:
    model = fx.trees.to_relative_coordinates(bricard())
    link = next(link for link in model.tree_links if link.link.name == "bar 2")
    run = fx.simulate(model, 2.0, step=4e-3, integrator=fx.RungeKutta(order=5), progress=False)
    point = link.link.centre + run.rotation(link.centre)[0].T @ (np.array([1, -1, 1]) - run.position(link.centre)[0])
    assert run.position(link.marker(point))[-1] == pytest.approx(PLACES[2.0], abs=1e-8)


def test_the_choice_of_rows_is_resumed_bitwise(interrupt_at) -> None:
    model = bricard()
    options = {"step": 5e-3, "integrator": fx.RungeKutta(order=5), "progress": False}
    full = fx.simulate(model, 1.0, **options)
    first = fx.simulate(model, 1.0, events=[interrupt_at(77)], **options)
    rest = fx.simulate(model, 1.0, start=first, **options)
    assert 0 < len(rest.steps) < 200
    assert np.array_equal(rest.q[-1], full.q[-1])
    assert np.array_equal(rest.lam[-1], full.lam[-1])


@pytest.mark.parametrize("kept", KEPT)
def test_a_stretched_out_loop_keeps_the_equations_that_depend_there_only(kept: str) -> None:
    """A parallelogram with all bars on one line, moving as one: its coupler goes around without turning.

    The cranks turn by w t, with no forces; the rank is one less on the line than beside it.
    """
    w, length = 2.0, 1.0
    points = np.array([[0, 0, 0], [length, 0, 0], [length + 2, 0, 0], [2, 0, 0]], dtype=float)
    bars = []
    for k, (a, b) in enumerate(itertools.pairwise(points)):
        middle = 0.5 * (a + b)
        turn = 0.0 if k == 1 else w
        speed = (0, w * length, 0) if k == 1 else (0, w * (middle[0] - points[3 * (k == 2)][0]), 0)
        bars.append(
            fx.RigidBody(1.0, (0.1, 0.2, 0.3), middle, velocity=speed, angular_velocity=(0, 0, turn), name=f"{k}")
        )
    sides = [fx.ground, *bars, fx.ground]
    hinges = [
        fx.RevoluteJoint(sides[k], sides[k + 1], at=p, axis=(0, 0, 1), name=f"hinge {k}") for k, p in enumerate(points)
    ]
    model = fx.Model(*bars, *hinges)
    scheme = fx.RungeKutta(order=5, constraints=KEPT[kept])
    run = fx.simulate(model, 1.0, step=7e-3, integrator=scheme, progress=False)
    wanted = np.column_stack((1 + length * np.cos(w * run.t), length * np.sin(w * run.t), 0 * run.t))
    np.testing.assert_allclose(run.position(bars[1]), wanted, atol=1e-7)
