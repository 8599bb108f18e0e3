"""Models in which nothing can move: what there is to compute is computed, and the rest said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flexmbs as fx

FIXED: dict[str, Callable[[Any], Any]] = {
    "compile": fx.compile_model,
    "statics": fx.solve_static,
    "modes": fx.solve_modal,
    "motion": lambda m: fx.simulate(m, until=0.1, step=0.01),
    "linear model": fx.linearise,
    "sparse linear model": fx.linearise_sparse,
    "multipliers": lambda m: fx.floquet(m, 1.0),
    "independent coordinates": fx.independent_coordinates,
    "report": fx.model_report,
    "topology": fx.topology,
    "absolute coordinates": fx.trees.to_absolute_coordinates,
    "kinematics": lambda m: fx.kinematics.solve_kinematics(m, until=0.1, step=0.01),
}


@pytest.mark.parametrize("analysis", list(FIXED))
def test_a_tree_of_fixed_joints_alone_is_refused(analysis: str) -> None:
    model = fx.Model(fx.trees.Tree(fx.trees.Link("l", 1.0, (1, 1, 1.0), joint=fx.trees.Fixed()), name="t"), name="post")
    with pytest.raises(fx.ModelError, match=r"Model 'post': nothing in it can move, since the joints of its trees are"):
        FIXED[analysis](model)


def test_a_fixed_tree_beside_what_moves() -> None:
    post = fx.trees.Tree(fx.trees.Link("l", 1.0, (1, 1, 1.0), joint=fx.trees.Fixed()), name="t")
    ball = fx.PointMass(1.0, position=(0, 0, 0), velocity=(1.0, 0, 0), name="ball")
    run = fx.simulate(fx.Model(post, ball), until=0.1, step=0.05)
    assert run.position("ball")[-1] == pytest.approx([0.1, 0, 0], abs=1e-12)


def test_floquet_multipliers_of_a_driven_hinge() -> None:
    bar = fx.RigidBody(1.0, (0.1,) * 3, position=(0.5, 0, 0), name="bar")
    hinge = fx.RevoluteJoint(fx.ground, bar, at=(0, 0, 0), axis=(0, 0, 1), name="hinge")
    drive = fx.RotationDriver(hinge, motion=fx.motions.Constant(0.0), name="drive")
    with pytest.raises(fx.ModelError, match="leave nothing free that could deviate; it has no multipliers"):
        fx.floquet(fx.Model(bar, hinge, drive), 1.0)
