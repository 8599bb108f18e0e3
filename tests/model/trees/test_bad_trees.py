"""Descriptions of trees that cannot be meant: each is refused with a message of its own that names link and joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmbs as fx
from flexmbs import trees

INERTIA = (0.1, 0.1, 0.1)


def link(name: str, parent: str | None = None, joint: trees.TreeJoint | None = None, **more: Any) -> trees.Link:
    """A body of 1 kg."""
    return trees.Link(name, 1.0, INERTIA, (0.5, 0, 0), parent=parent, joint=joint, **more)


def closed(reach: float) -> fx.Model:
    """Two links of 1 m whose end is to be at a distance from the origin."""
    tree = trees.Tree(link("upper"), link("lower", "upper", at=(1, 0, 0)), name="arm")
    tip = tree.link("lower").marker((1, 0, 0))
    return fx.Model(tree, fx.SphericalJoint(tip, fx.ground.marker((reach, 0, 0)), name="hook"))


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "a circle": (
        lambda: trees.Tree(link("a", "c"), link("b", "a"), link("c", "b")),
        r"Tree 'tree': links go round in a circle: a -> c -> b -> a",
    ),
    "a circle beside a good root": (
        lambda: trees.Tree(link("root"), link("a", "b"), link("b", "a"), name="arm"),
        r"Tree 'arm': links go round in a circle: a -> b -> a",
    ),
    "a link that is its own parent": (lambda: trees.Tree(link("a", "a")), r"in a circle: a -> a"),
    "an unknown parent": (
        lambda: trees.Tree(link("upper"), link("lower", "uper"), name="arm"),
        r"Tree 'arm': parent of Link 'lower': .*'uper'.*upper",
    ),
    "two links of one name": (lambda: trees.Tree(link("a"), link("a"), name="arm"), r"Tree 'arm': the names \['a'\]"),
    "no link": (lambda: trees.Tree(name="arm"), r"Tree 'arm': a tree needs at least one link"),
    "something else than links": (
        lambda: trees.Tree("a"),
        r"Tree 'tree': links must be Link or FlexibleLink objects, not 'a'",
    ),  # type: ignore[arg-type]
    "a free joint beyond the root": (
        lambda: link("craft", "ship", trees.Free()),
        r"Link 'craft': a free joint is for a link at the root; leave parent='ship' out",
    ),
    "a joint of a model in place of one of trees": (
        lambda: link("arm", joint=fx.RevoluteJoint),  # type: ignore[arg-type]
        r"Link 'arm': joint must be one of flexmbs.trees",
    ),
    "an axis of no length": (lambda: trees.Revolute((0, 0, 0)), r"trees.Revolute: axis"),
    "an axis that is no direction": (lambda: trees.Prismatic((1, 0)), r"trees.Prismatic: axis"),
    "a screw whose rotation is not of unit length": (
        lambda: trees.Screws([(0, 0, 1, 0, 0, 2)]),
        r"trees.Screws: screw 1.*must turn with a unit angular velocity.*length of its rotation is 2",
    ),
    "screws that depend on each other": (
        lambda: trees.Screws([(1, 0, 0, 0, 0, 0), (2, 0, 0, 0, 0, 0)]),
        r"trees.Screws: the 2 screws depend on each other",
    ),
    "a universal joint with one axis twice": (
        lambda: trees.Universal((1, 0, 0), (-2, 0, 0)),
        r"trees.Universal: the axes .* are parallel",
    ),
    "a start of another length": (
        lambda: link("arm", joint=trees.Cylindrical(), start=0.3),
        r"Link 'arm': start .*\(2,\)",
    ),
    "a free start without rotation": (
        lambda: link("craft", joint=trees.Free(), start=(1, 2, 3)),
        r"Link 'craft': start must be \(position, rotation\)",
    ),
    "a rate of another length": (
        lambda: link("arm", joint=trees.Spherical(), rate=(1.0, 2.0)),
        r"Link 'arm': rate .*\(3,\)",
    ),
    "an inertia without mass": (lambda: trees.Link("arm", 0.0, INERTIA), r"Link 'arm': it has an inertia but no mass"),
    "an inertia that no body has": (lambda: trees.Link("arm", 1.0, (1, 1, 3)), r"Link 'arm'.*inertia"),
    "a joint that moves no mass": (
        lambda: trees.Tree(link("arm"), trees.Link("tool", parent="arm", joint=trees.Revolute())),
        r"Tree 'tree': angle of the joint of Link 'tool' moves no inertia",
    ),
    "a mass on the axis of its joint": (
        lambda: trees.Tree(trees.Link("bob", 1.0, centre=(0, 0, 1), joint=trees.Revolute((0, 0, 1)))),
        r"Tree 'tree': angle of the joint of Link 'bob' moves no inertia",
    ),
    "two joints with the same axis in sequence": (
        lambda: trees.Tree(trees.Link("a", joint=trees.Revolute()), link("b", "a")),
        r"Tree 'tree': angle of the joint of Link '[ab]' moves no inertia",
    ),
    "limits that leave nothing": (
        lambda: fx.JointStop(trees.Tree(link("arm"), name="robot").joint("arm"), lower=1.0, upper=-1.0, stiffness=10.0),
        r"Stop 'stop': .*(lower|upper)",
    ),
    "an unknown link": (
        lambda: trees.Tree(link("arm"), name="robot").link("amr"),
        r"Tree 'robot': there is no link named 'amr'; did you mean 'arm'",
    ),
    "an unknown joint": (lambda: trees.Tree(link("arm"), name="robot").joint("elbow"), r"Tree 'robot': .*'elbow'"),
    "a link in place of its tree": (
        lambda: fx.Model(trees.Tree(link("arm")).link("arm")),
        r"A link comes with its tree: give the tree",
    ),
    "a marker on a link of another tree": (
        lambda: fx.Model(
            trees.Tree(link("arm"), name="one"),
            fx.PointForce(trees.Tree(link("arm"), name="two").link("arm").centre, (1, 0, 0)),
        ),
        r"body 'two/arm' is not in the model",
    ),
    "a closure out of reach": (
        lambda: fx.simulate(closed(3.0), 0.1, step=0.01, progress=False),
        r"Model 'model': the joints cannot be assembled .*joint 'hook'",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_each_is_refused_with_a_message_of_its_own(what: str) -> None:
    """The message names the tree, the link or the joint, and what is wrong with it."""
    make, message = BAD[what]
    with pytest.raises(fx.ModelError, match=message):
        make()


def test_messages_differ() -> None:
    """No two kinds of mistakes are told in the same words."""
    told = set()
    for make, _ in BAD.values():
        with pytest.raises(fx.ModelError) as caught:
            make()
        told.add(str(caught.value))
    assert len(told) == len(BAD)


def test_several_roots_are_several_arms_on_one_base() -> None:
    """Links without parent are all joined to the base: two pendulums that do not feel each other."""
    one = trees.Tree(link("a", start=0.4), link("b", start=-0.9), name="both")
    alone = trees.Tree(link("b", start=-0.9), name="alone")
    runs = [fx.simulate(fx.Model(t, fx.Gravity((0, -9.81, 0))), 0.3, step=1e-2, progress=False) for t in (one, alone)]
    np.testing.assert_allclose(runs[0].coordinates(one)[:, 1], runs[1].coordinates(alone)[:, 0], atol=1e-9)
