"""Kinds of bodies in compiled steps: those whose mass changes with the state, alone and together."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from tests.models.flexible_trees import arm
from tests.models.floating import bar, chain

BRIEF = fx.Output(every=0.0233)


@pytest.mark.parametrize("step", [5e-4, fx.ErrorControl(1e-5)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("index", [2, 3])
def test_floating_bodies(both, index: int, step: object) -> None:
    """Of two numbers of shapes, in both kinds of frames, with follower loads and damping, beside a rigid body."""
    run = both(chain(), 0.06, step, index, output=BRIEF)
    assert abs(run.energy.balance).max() < 0.05
    assert np.abs(np.diff(run.q, axis=0)).max() > 1e-3


@pytest.mark.filterwarnings("ignore:.*Without geometric")
def test_going_on_with_floating_bodies() -> None:
    """In Python from what the driver began, and the other way round."""
    system = fx.compile_model(chain())
    schemes = [fx.GeneralizedAlpha(rho_inf=0.8, compiled=c) for c in (False, True)]
    begun = [fx.simulate(system, 0.02, step=5e-4, integrator=s) for s in schemes]
    ends = [fx.simulate(system, 0.04, step=5e-4, integrator=s, start=b) for s in schemes for b in begun]
    for end in ends[1:]:
        assert np.array_equal(end.q, ends[0].q)
        assert np.array_equal(end.energy.total, ends[0].energy.total)


def test_floating_body_on_a_tree(both) -> None:
    """Both masses change: one is evaluated as a matrix, the other one recursively."""
    trees = fx.trees
    arm = trees.Tree(
        trees.Link("upper", 1.0, (0.1, 0.1, 0.02), (0.5, 0, 0), joint=trees.Revolute((0, 1, 0))),
        trees.Link("lower", 0.7, (0.1, 0.1, 0.02), (0.3, 0, 0), "upper", trees.Revolute((0, 1, 0)), at=(1, 0, 0)),
        name="arm",
    )
    beam = fx.FloatingBody(bar(), position=(2.0, 0.0, 0.0), reference="left", name="beam")
    weld = fx.SphericalJoint(arm.link("lower"), beam, at=(2.0, 0.0, 0.0), name="ball")
    both(fx.Model(arm, beam, weld, fx.Gravity((0, 0, -9.81))), 0.05, 5e-4, output=BRIEF)


@pytest.mark.parametrize("step", [5e-4, fx.ErrorControl(1e-5)], ids=["fixed", "controlled"])
@pytest.mark.parametrize("body", ["floating", "tree"])
def test_gravity_that_varies(both, body: str, step: object) -> None:
    """On bodies that apply it themselves: its factors are tabulated ahead, its power is read with their momentum."""
    varying = fx.Gravity((0, 0, -9.81), history=lambda t: 1.0 + 0.5 * np.sin(60.0 * t))
    if body == "floating":
        beam = fx.FloatingBody(bar(), reference="left", name="beam")
        hinge = fx.RevoluteJoint(fx.ground, beam.interface("left", axis=(0, 1, 0)), name="hinge")
        model = fx.Model(beam, hinge, varying)
    else:
        rod = fx.trees.Link("rod", 1.0, (0.1, 0.1, 0.02), (0.5, 0, 0), joint=fx.trees.Revolute((0, 1, 0)))
        model = fx.Model(fx.trees.Tree(rod, name="pendulum"), varying)
    run = both(model, 0.06, step, output=BRIEF)
    assert run.counts["compiled_steps"] >= len(run.steps)  # rejected ones that were a call of their own count
    assert abs(run.energy.work_loads[-1]) > 1e-3
    assert abs(run.energy.balance).max() < 2e-3 * abs(run.energy.work_loads).max()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::flexmbs.AccuracyWarning")  # start, stiffness
@pytest.mark.parametrize(
    "closed",
    [pytest.param(False, id="open", marks=pytest.mark.slow), pytest.param(True, id="closed")],
)  # steps of a flexible tree compile longest of all, and those of the closed one have all that the open one has
def test_trees_with_flexible_links(both, closed: bool) -> None:
    """Links of two numbers of shapes, on joints of all kinds; open and with a loop."""
    run = both(arm(closed), 0.03, 5e-4, output=BRIEF)
    assert np.abs(np.diff(run.q, axis=0)).max() > 1e-3
