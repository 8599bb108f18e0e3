"""What joints of trees transmit, against the same mechanism of rigid bodies with joints."""

from __future__ import annotations

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees
from tests.models.flexible_trees import arm
from tests.models.trees_of_links import mixed

GRAVITY = fx.Gravity((0.0, 0.5, -9.81))


def robot() -> fx.Model:
    """Three links with a spring to the ground and a load that follows."""
    base = trees.Link("base", 2.0, (0.1, 0.1, 0.1), (0, 0, 0.2), joint=trees.Revolute(), rate=1.0)
    upper = trees.Link("upper", 1.0, (0.01, 0.1, 0.1), (0.3, 0, 0), "base", trees.Universal((0, 1, 0), (1, 0, 0)),
                       at=(0, 0, 0.4), start=(0.3, 0.2), rate=(0.5, -1.0))  # fmt: skip
    hand = trees.Link("hand", 0.5, (0.01, 0.02, 0.02), (0.1, 0, 0), "upper", trees.Spherical(), at=(0.6, 0, 0))
    tree = trees.Tree(base, upper, hand, name="robot")
    return fx.Model(
        tree, GRAVITY,
        fx.SpringDamper(fx.ground.marker((0.5, 0.5, 0)), tree.link("hand").marker((0.2, 0, 0)), stiffness=20.0,
                        damping=1.0, name="spring"),
        fx.PointForce(tree.link("upper").marker((0.5, 0, 0.1)), (1.0, -2.0, 0.5), follower=True),
    )  # fmt: skip


def test_reactions_are_those_of_joints_between_rigid_bodies() -> None:
    model = robot()
    flat = fx.trees.to_absolute_coordinates(model)
    one, two = (fx.simulate(m, until=0.2, step=5e-4, progress=False) for m in (model, flat))
    for name in ("base", "upper", "hand"):
        joint = model.trees[0].joint(name)
        force, other = one.reaction(joint), two.reaction(f"joint of {name}")
        np.testing.assert_allclose(force, other, rtol=0.0, atol=2e-3 * np.abs(other).max())
    # moments about the same point; side b has the axes of a joint frame there, here those of the inertial frame
    turned = np.einsum("tij,tj->ti", one.rotation(model.trees[0].link("upper").centre),
                       one.reaction_moment(model.trees[0].joint("upper")))  # fmt: skip
    side = flat.joint("joint of upper").pairs[0].b
    other = np.einsum("tij,tj->ti", two.rotation(side), two.reaction_moment("joint of upper"))
    np.testing.assert_allclose(turned, other, rtol=0.0, atol=2e-3 * np.abs(other).max())


def test_a_hanging_load_is_carried() -> None:
    """At rest the force is the weight, and the moment that of its lever."""
    link = trees.Link("beam", 2.0, (0.1, 0.1, 0.1), (0.3, 0, 0), joint=trees.Prismatic((1, 0, 0)))
    model = fx.Model(trees.Tree(link, name="rail"), fx.Gravity((0, 0, -9.81)))
    run = fx.simulate(model, until=0.01, step=1e-3, progress=False)
    np.testing.assert_allclose(run.reaction("rail/beam")[-1], (0, 0, 2 * 9.81), rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(run.reaction_moment("rail/beam")[-1], (0, -0.3 * 2 * 9.81, 0), rtol=0.0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:.*Without geometric")
@pytest.mark.parametrize("make", [mixed, arm])
def test_nothing_acts_along_the_coordinates(make: object) -> None:
    """In closed and flexible trees: the wrench of a joint without springs does no work on its motion.

    But at the first state, whose accelerations are smoothed.
    """
    model = make()  # type: ignore[operator]
    run = fx.simulate(model, until=0.005, step=1e-3, progress=False)
    sprung = {m.body.name for f in model.forces for r in f.row_forces for m in (r.a, r.b) if "joint" in str(m.name)}
    for tree in model.trees:
        for link in tree.bodies:
            joint = link.link.joint
            if not joint.n_v or link.name in sprung or len(joint.screws) > 1 or joint.ball:
                continue
            s = joint.screws[0]
            R, own = run.rotation(link.centre), tree.joint(link.link.name)
            force = np.einsum("tji,tj->ti", R, run.reaction(own))
            work = force @ s[:3] + run.reaction_moment(own) @ s[3:]
            size = np.abs(force).max() + np.abs(run.reaction_moment(own)).max()
            assert np.abs(work[1:]).max() < 1e-6 * size


def test_refused() -> None:
    fixed = trees.Link("lug", 1.0, (1, 1, 1), parent="arm", joint=trees.Fixed())
    model = fx.Model(trees.Tree(trees.Link("arm", 1.0, (1, 1, 1)), fixed))
    run = fx.simulate(model, until=0.0, step=1e-3, progress=False)
    with pytest.raises(fx.ModelError, match="lug"):
        run.reaction(model.trees[0].joint("lug"))
